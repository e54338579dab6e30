"""A house on a machine whose clock is set: gaming stops, and nobody's protection ends by it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from hosting import FAST, Client, Hosted, Json
from live_tables import Cards, Planted
from machines import SetMachine
from tampering import drop_triggers, restore_triggers
from waiting import until
from wartable.cli import wartable
from wartable.server.audit import verify
from wartable.server.audit.marks import HouseMarks
from wartable.server.clock import HouseClock
from wartable.server.config import Config, HouseProblem
from wartable.server.house import timekeeping
from wartable.server.house.closures import CLOCK, CLOCK_CHECKED, Closure
from wartable.server.house.limits import PlayerLimit
from wartable.server.house.rights import RESTARTS_MS, AccountRights, ClosureRights, Rights
from wartable.server.house.timekeeping import RESTART_MS
from wartable.server.records import database, schema
from wartable.server.records.counting import DAY_MS
from wartable.server.running import House

HOUR_S = 3_600
DAYS_S = 2 * 24 * HOUR_S
TABLE = "online@alice"
PATIENT = msgspec.structs.replace(FAST, bets_ms=600_000)


@pytest.fixture
def machine() -> SetMachine:
    """A machine whose clock is right until a test sets it."""
    return SetMachine()


@pytest.fixture
def hosted(tmp_path: Path, machine: SetMachine, address: str) -> Iterator[Hosted]:
    """A house on that machine, with either database; its records are verified at the end."""
    chosen = {"database": address, "books": ("online", "washington"), "shared": PATIENT}
    with Hosted(tmp_path, machine, **chosen) as found:
        yield found
        verify.verify(found.house.engine, found.house.key)


def stated(machine: SetMachine, ahead_s: float = 0) -> str:
    """What a clock shows that is ahead of the machine's by so much, in words."""
    return datetime.fromtimestamp(machine.shows_ns() / 10**9 + ahead_s, UTC).isoformat()


def confirm(client: Client, time: str, status: int = 200) -> str:
    """Somebody confirms the time; the code of a refusal, or nothing."""
    answer = client.http.post("/clock", json={"time": time, "reason": "by the station clock"})
    assert answer.status_code == status, answer.text
    return str(answer.json()["code"]) if status != 200 else ""


def checked(client: Client) -> None:
    """Wait until a player is told that the clock is being checked."""
    assert until(lambda: client.hear("wagering"), "nobody is told")["sentence"] == CLOCK_CHECKED


def newest_ms(hosted: Hosted) -> int:
    """The newest time on record."""
    return database.last_ms(hosted.house.engine)


def test_two_days_for_seven_seconds_end_nothing(hosted: Hosted, machine: SetMachine) -> None:
    """The round waits, and exclusion, limit and session are as before; an administrator goes on."""
    alice, pat, sam = hosted.register("alice"), hosted.register("pat"), hosted.register("sam")
    admin, floor = hosted.admin(), hosted.staff("floor")
    pat.post("/me/exclude", days=1)
    sam.put("/me/limits", kind="loss_day", amount=100)
    sam.put("/me/limits", kind="loss_day", amount=None)
    sam.hello("washington 1")
    sam.must("join", amount=1_000, seat=1)
    Planted(hosted, alice.private("online"), Cards("=", "."))
    alice.until("bets")
    assert alice.bet(500) == ""
    alice.must("close_bets")
    alice.until("choice")
    rows = hosted.house.floor.places[TABLE].live.head

    machine.set_by(DAYS_S)
    assert alice.do("choose", box=1, choice="war")["sentence"] == CLOCK_CHECKED
    checked(alice)
    join = {"type": "join", "id": "1", "amount": 100, "seat": 2}
    refused = pat.post("/tables/washington 1/commands", 409, **join)
    assert (refused["code"], refused["sentence"]) == ("disabled", CLOCK_CHECKED)
    assert sam.do("cash_out", amount=500)["type"] == "accepted", "money may leave the table"
    assert alice.do("leave")["sentence"] == CLOCK_CHECKED, "a wager may not"
    machine.let_pass(7)
    machine.set_by(-DAYS_S)

    assert alice.do("choose", box=1, choice="war")["sentence"] == CLOCK_CHECKED
    assert confirm(floor, stated(machine), 403) == "not_your_part"
    assert confirm(admin, "half past eight", 400) == "bad_time"
    assert confirm(admin, stated(machine, DAYS_S), 409) == "wrong_time"
    enable = {"scope": "gaming", "name": "clock", "reason": "never mind"}
    assert admin.post("/enable", 409, **enable)["code"] == "clock_checked"
    assert hosted.house.floor.places[TABLE].live.head == rows, "a round did not wait"
    assert confirm(admin, stated(machine, 60)) == ""
    assert confirm(admin, stated(machine), 404) == "not_disabled"

    assert alice.must("choose", box=1, choice="war"), "the round goes on, and so does the session"
    again = join | {"id": "2"}
    assert pat.post("/tables/washington 1/commands", 409, **again)["code"] == "excluded"
    assert sam.bet(200, box=1) == "loss_limit"
    assert newest_ms(hosted) <= machine.shows_ns() // 10**6
    (event,) = hosted.significant("clock_confirmed")
    assert (event["actor"], event["reason"]) == ("admin", "by the station clock")
    until(lambda: len(hosted.significant("clock_changed")) == 2, "forward and back are not told")
    assert hosted.significant("disabled", "gaming clock")[0]["actor"] == "platform"


def test_a_round_waits_and_then_has_its_whole_time(hosted: Hosted, machine: SetMachine) -> None:
    """Bets whose time is over are not closed by the platform while the clock is checked."""
    live = hosted.house.floor.places["washington 1"].live
    with hosted.register("alice") as alice:
        alice.hello("washington 1")
        alice.must("join", amount=1_000, seat=1)
        alice.until("bets")
        assert alice.bet(500) == ""
        rows = live.head
        machine.set_by(DAYS_S)
        machine.let_pass(20 * 60)
        for _ in range(2):  # between two commands the platform looks what is due
            assert alice.do("bet", box=1, wager="primary", amount=500)["sentence"] == CLOCK_CHECKED
        assert live.head == rows
        assert confirm(hosted.admin(), stated(machine)) == ""
        until_ms = live.until_ms()
        assert until_ms is not None
        left_ms = until_ms - hosted.house.clock.now_ms()
        assert PATIENT.bets_ms is not None
        assert PATIENT.bets_ms // 2 < left_ms <= PATIENT.bets_ms
        machine.let_pass(10 * 60)
        with hosted.sign_in("alice", alice.password) as again:  # two days have passed
            body: Json = {"type": "buy_in", "id": "again", "amount": 100}
            again.post("/tables/washington 1/commands", **body)
        until(lambda: live.head[0] > rows[0] + 1, "the round does not go on")


def test_a_step_that_is_confirmed_counts(hosted: Hosted, machine: SetMachine) -> None:
    """If the time is right, what ended has ended, and people have their whole time to choose."""
    alice, pat, admin = hosted.register("alice"), hosted.register("pat"), hosted.admin()
    pat.post("/me/exclude", days=1)
    Planted(hosted, alice.private("online"), Cards("=", "."))
    alice.until("bets")
    before_ms = newest_ms(hosted)
    machine.set_by(DAYS_S)
    checked(alice)
    assert newest_ms(hosted) < before_ms + DAY_MS
    assert confirm(admin, stated(machine)) == ""
    with hosted.sign_in("pat", pat.password) as later:
        join: Json = {"type": "join", "id": "2", "amount": 100, "seat": 2}
        later.post("/tables/washington 1/commands", **join)
    assert newest_ms(hosted) > before_ms + DAY_MS
    live = hosted.house.floor.places[TABLE].live
    assert live._now.since_ms > before_ms + DAY_MS


def test_a_doubt_outlives_a_restart(tmp_path: Path, machine: SetMachine) -> None:
    """A house that closes while its clock is checked opens with it, even after a small step."""
    with Hosted(tmp_path, machine, books=("online",)) as first:
        machine.set_by(30)
        assert until(lambda: first.significant("disabled", "gaming clock"), "nobody sees it")
    machine.set_by(-30)
    with Hosted(tmp_path, machine, books=("online",)) as second:
        assert second.house.clock.doubted
        assert second.house.notices()[-2:] == [
            "No wager is taken: the machine's clock is ahead of the time that can have passed",
            "An administrator confirms the time on the page /floor.",
        ]
        assert len(second.significant("disabled", "gaming clock")) == 1
        assert confirm(second.admin(), stated(machine)) == ""
    with Hosted(tmp_path, machine, books=("online",)) as third:
        assert not third.house.clock.doubted
        verify.verify(third.house.engine, third.house.key)


def test_a_closed_house_asks_before_an_exclusion_ends(tmp_path: Path) -> None:
    """Rows written meanwhile do not hide how long it was closed; the command line confirms."""
    machine = SetMachine()
    machine.set_by(-DAYS_S)
    with Hosted(tmp_path, machine, books=("online",)) as first:
        first.register("pat").post("/me/exclude", days=1)
        closed_ms = machine.shows_ns() // 10**6
    run = CliRunner().invoke
    approval = ["audit", "selfcheck", "--data", str(tmp_path), "--approve", "as before"]
    assert run(wartable, approval).exit_code == 0
    machine.set_by(DAYS_S)
    with Hosted(tmp_path, machine, books=("online",)) as second:
        assert second.house.clock.doubted
        assert newest_ms(second) < closed_ms + DAY_MS // 2
        assert second.house.protection.barred("pat")
    words = ["db", "confirm-time", stated(machine), "by the station clock", "--data", str(tmp_path)]
    refused = run(wartable, [*words[:2], "2026-01-01", *words[3:]])
    assert refused.exit_code == 2
    assert "set the machine's clock right" in refused.stderr
    assert run(wartable, words).stdout.startswith("Confirmed: it is 20")
    with Hosted(tmp_path, machine, books=("online",)) as third:
        assert not third.house.clock.doubted
        assert not third.house.protection.barred("pat")
        verify.verify(third.house.engine, third.house.key)


def test_an_idle_house_marks_that_it_is_open(tmp_path: Path, machine: SetMachine) -> None:
    """The last mark says when a killed house was last open, though it wrote nothing for days."""
    with Hosted(tmp_path, machine, books=("online",)) as hosted:
        house = hosted.house
        machine.let_pass(DAYS_S)
        marks = HouseMarks(tmp_path, house.key, house.clock.now_ms)
        now_ms = house.clock.now_ms()
        until(lambda: marks.check(house.engine) >= now_ms, "it marks nothing")
        assert newest_ms(hosted) < now_ms - DAY_MS


def test_leases_in_a_file_end_with_their_process(tmp_path: Path) -> None:
    """Who holds the file's lock owns its tables, whatever time a dead process wrote; none else."""
    with Hosted(tmp_path, books=("online",)) as first:
        engine = first.house.engine
        with pytest.raises(HouseProblem, match="is open in another process"):
            House(Config(tmp_path / "other", str(tmp_path / "house.sqlite")))
    with engine.begin() as connection:
        left = {"owner": "dead", "lease_until_ms": 2**50}
        connection.execute(sa.update(schema.tables).values(left))
    engine.dispose()
    with Hosted(tmp_path, books=("online",)) as second:
        assert "online 1" in second.house.floor.places


CLOSED_MS = 1_800_000_000_000
"""Some time at eight in the morning."""


@pytest.mark.parametrize(
    ("protected", "days", "asked"),
    [
        ("nobody", 400.0, False),
        ("nobody, deposited", 0.9, False),
        ("nobody, deposited", 1.1, True),
        ("excluded for an hour", RESTART_MS / DAY_MS, False),
        ("excluded for an hour", 0.05, True),
        ("excluded for a week", 3.0, True),
        ("excluded until then", 3.0, False),
        ("loosens in an hour", 0.05, True),
        ("loosened before", 0.05, False),
        ("limited", RESTART_MS / DAY_MS, False),
        ("limited", 0.05, True),
        ("limited", 0.7, True),
        ("checked", 0.0, True),
    ],
)
def test_when_a_closed_house_asks(protected: str, days: float, asked: bool) -> None:
    """It asks if what protects a player would end sooner, now or later, by a clock that was set."""
    week_ms = 7 * DAY_MS if "week" in protected else 60 * 60_000
    week_ms = -1 if protected in ("excluded until then", "loosened before") else week_ms
    money = "deposited" if "deposited" in protected else "play"
    until_ms = CLOSED_MS + week_ms if "excluded" in protected else 0
    rights = Rights({"pat": AccountRights(1, "player", money, excluded_until_ms=until_ms)})
    if protected == "limited":
        rights.limits["pat", "loss_day", "player"] = (2, PlayerLimit(5))
    if protected.startswith("loosen"):
        later = PlayerLimit(5, None, CLOSED_MS + week_ms)
        rights.limits["pat", "loss_week", "player"] = (2, later)
    if protected == "checked":
        closure = Closure(*CLOCK, "platform", 0, "")
        rights.closures[CLOCK] = ClosureRights(2, closure, True)
    shows_ms = CLOSED_MS + int(days * DAY_MS)
    assert timekeeping.doubtful(rights, CLOSED_MS, shows_ms) == asked


@pytest.mark.parametrize(
    ("protected", "ago_ms", "asked"),
    [(True, 1, True), (True, RESTARTS_MS, False), (False, 1, False)],
)
def test_restarts_do_not_add_up(protected: bool, ago_ms: int, asked: bool) -> None:
    """Several short closures of one week are as long as they are together."""
    until_ms = CLOSED_MS + 7 * DAY_MS if protected else 0
    rights = Rights({"pat": AccountRights(1, "player", "play", excluded_until_ms=until_ms)})
    rights.restarts = [(CLOSED_MS - ago_ms, RESTART_MS // 2)]
    half_ms = RESTART_MS // 2
    assert not timekeeping.doubtful(rights, CLOSED_MS, CLOSED_MS + half_ms)
    assert timekeeping.doubtful(rights, CLOSED_MS, CLOSED_MS + half_ms + 1) == asked


def test_a_clock_that_is_set_before_every_start(tmp_path: Path, machine: SetMachine) -> None:
    """The second of two closures that seem to take most of an hour is asked about."""
    chosen = {"books": ("online",), "stop_s": 0}
    with Hosted(tmp_path, machine, **chosen) as first:
        first.register("pat").post("/me/exclude", days=1)
    machine.set_by(50 * 60)
    with Hosted(tmp_path, machine, **chosen) as second:
        assert not second.house.clock.doubted
    machine.set_by(50 * 60)
    with Hosted(tmp_path, machine, **chosen) as third:
        assert third.house.clock.doubted
        assert confirm(third.admin(), stated(machine)) == ""
    machine.set_by(50 * 60)
    with Hosted(tmp_path, machine, **chosen) as fourth:
        assert not fourth.house.clock.doubted, "the confirmed time counts from there"
        verify.verify(fourth.house.engine, fourth.house.key)


def test_the_database_cannot_hide_that_the_clock_is_doubted(
    tmp_path: Path, machine: SetMachine, address: str
) -> None:
    """Whoever has the database takes the closure and the exclusion away; the house still asks."""
    chosen = {"database": address, "books": ("online",)}
    with Hosted(tmp_path, machine, **chosen) as first:
        with first.register("pat") as pat:
            pat.post("/me/exclude", days=1)
        machine.set_by(DAYS_S)
        until(lambda: first.significant("disabled", "gaming clock"), "the clock is not doubted")
    tampered(
        address or str(tmp_path / "house.sqlite"),
        "DELETE FROM closures",
        "UPDATE accounts SET excluded_until_ms = 0 WHERE name = 'pat'",
    )
    with Hosted(tmp_path, machine, **chosen) as second:
        assert second.house.clock.doubted
        assert CLOCK in second.house.protection.closures


def test_a_forged_row_does_not_set_the_clock(
    tmp_path: Path, machine: SetMachine, address: str
) -> None:
    """A row of the future that the house did not write is named, and no time is taken from it."""
    chosen = {"database": address, "books": ("online",)}
    with Hosted(tmp_path, machine, **chosen) as first:
        first.guest().close()
    where = address or str(tmp_path / "house.sqlite")
    tampered(
        where,
        "INSERT INTO journal SELECT 'ghost', number, at_ms + 172800000, actor, command_id, command,"
        " events, secret, hash, mac FROM journal WHERE table_name = 'cashier' AND number = 1",
    )
    told = "ghost row 1: this house did not write it"
    with pytest.raises(HouseProblem, match=told):
        House(Config(tmp_path, database=address, books=("online",)), HouseClock(machine))
    approve = ["audit", "selfcheck", "--approve", "new", "--data", str(tmp_path)]
    result = CliRunner().invoke(wartable, [*approve, "--database", where])
    assert result.exit_code == 2
    assert told in result.output


def tampered(address: str, *statements: str) -> None:
    """Let somebody change the database of a closed house."""
    engine = database.engine_for(address)
    with engine.begin() as connection:
        drop_triggers(connection)
        for each in statements:
            assert connection.exec_driver_sql(each).rowcount
        restore_triggers(connection)
    engine.dispose()
