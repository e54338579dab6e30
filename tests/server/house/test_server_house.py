"""The house itself: self-check, failing databases, lost leases, who is waited for, tries."""

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from hosting import PASSWORD, Hosted
from recorded_houses import new_database
from waiting import WAIT_S, in_time, until
from wartable.cli import wartable
from wartable.cli.audit import OPEN_HOUSE
from wartable.croupier import Timing
from wartable.server import manifest
from wartable.server.audit import verify
from wartable.server.house.cage import GUEST_MONEY
from wartable.server.house.office import Office
from wartable.server.records import database, journal, schema, table_leases
from wartable.server.records.keys import KeyProblem
from wartable.server.records.lease import HouseTaken
from wartable.server.records.messages import Note
from wartable.server.records.rows import OFFICE
from wartable.server.records.writer import Link, Writer


def kinds(house: Any) -> list[str]:
    """The significant events in their order."""
    rows = database.rows_of(house.engine, OFFICE)
    return [row.command.partition('"kind":"')[2].partition('"')[0] for row in rows]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the program's files, which the house takes for its own."""
    copied = tmp_path / "program"
    shutil.copytree(manifest.package(), copied, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(manifest, "package", lambda: copied)
    return copied


def test_R9_a_changed_program_takes_no_wager(tmp_path: Path, program: Path) -> None:
    """A start with other code disables all gaming and says so; an approval of it enables again."""
    folder = tmp_path / "house"
    with Hosted(folder, books=("washington",)) as hosted:
        assert ("gaming", "") not in hosted.house.protection.closures
    (program / "settle.py").write_text("changed")
    with Hosted(folder, books=("washington",)) as hosted, hosted.guest() as player:
        assert "No wager is taken" in hosted.house.notices()[-1]
        assert "settle.py was changed" in hosted.house.notices()[-1]
        name = player.post("/tables/private", 201, book="washington")["name"]
        player.hello(name)
        assert player.do("join", amount=1_000, seat=1)["code"] == "disabled"
        assert kinds(hosted.house)[-4:-1] == ["disabled", "selfcheck_failed", "account_opened"]
    with Hosted(folder, books=("washington",), approve="tested") as hosted:
        with hosted.guest() as player:
            player.private("washington")
            player.play(1, deal=True)
        assert "enabled" in kinds(hosted.house)
        verify.verify(hosted.house.engine, hosted.house.key)


def test_R9_a_running_house_checks_itself(tmp_path: Path, program: Path) -> None:
    """What changes while the house is open stops gaming; an operator's own closure stays theirs."""
    with Hosted(tmp_path / "house", books=("online",), selfcheck_s=0.05) as hosted:
        closures = hosted.house.protection.closures
        (program / "settle.py").write_text("changed")
        until(lambda: ("gaming", "") in closures)
        assert closures["gaming", ""].actor == "platform"
        with hosted.admin() as admin:
            admin.post("/disable", scope="gaming", reason="closed by hand")
        count = kinds(hosted.house).count("selfcheck_failed")
        until(lambda: kinds(hosted.house).count("selfcheck_failed") > count)
        assert closures["gaming", ""].actor == "admin"


def test_R9_a_house_checks_itself_on_demand(tmp_path: Path, program: Path) -> None:
    """Asked to, the house finds what changed, stops gaming, records it, and says what it found."""
    folder = tmp_path / "house"
    with Hosted(folder, books=("online",)) as hosted, hosted.admin() as admin:
        for role in ("auditor", "floor"):
            admin.post("/accounts", 201, name=f"the-{role}", password=PASSWORD, role=role)
        with hosted.sign_in("the-auditor", PASSWORD) as auditor:
            assert auditor.post("/selfcheck") == {"whole": True, "problems": []}
            assert admin.get("/closures") == []
            (program / "settle.py").write_text("changed")
            found = "settle.py was changed since the code was approved."
            outside = CliRunner().invoke(wartable, ["audit", "selfcheck", "--data", str(folder)])
            assert (outside.exit_code, outside.stdout) == (1, f"{found}\n")
            assert outside.stderr == f"{OPEN_HOUSE}\n"
            assert admin.get("/closures") == []
            assert auditor.post("/selfcheck") == {"whole": False, "problems": [found]}
        (closure,) = admin.get("/closures")
        assert (closure["scope"], closure["actor"]) == ("gaming", "platform")
        assert found in closure["reason"]
        (noted,) = hosted.significant("selfcheck_failed", "house")
        assert noted["reason"] == found
        with hosted.sign_in("the-floor", PASSWORD) as floor, hosted.guest() as player:
            for nobody in (floor, player):
                assert nobody.post("/selfcheck", 403)["code"] == "not_your_part"
    outside = CliRunner().invoke(wartable, ["audit", "selfcheck", "--data", str(folder)])
    assert (outside.exit_code, outside.stderr) == (1, "")


def test_R8_a_table_that_nobody_opened_does_not_open(tmp_path: Path) -> None:
    """What somebody wrote among the tables opens none, and does not keep one from being opened."""
    with Hosted(tmp_path, books=("online",)):
        pass
    engine, tables = database.engine_for(str(tmp_path / "house.sqlite")), schema.tables
    with engine.begin() as connection:
        for name in ("online 7", "online 8"):
            other = sa.func.replace(tables.c.setup, '"staffed":false', '"staffed":true')
            one = sa.select(sa.literal(name), tables.c.book, other).limit(1)
            connection.execute(tables.insert().from_select(["name", "book", "setup"], one))
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.admin() as admin:
        assert [each["name"] for each in admin.get("/staff")["tables"]] == ["online 1"]
        assert admin.get("/tables/online%207", 404)["code"] == "no_table"
        admin.post("/tables", 201, name="online 8", book="online")
        (opened,) = [each for each in admin.get("/staff")["tables"] if each["name"] == "online 8"]
        assert not opened["staffed"]
    with pytest.raises(journal.Broken, match=r"^online 7 is a table without a journal"):
        verify.verify(engine, hosted.house.key)
    with engine.begin() as connection:
        connection.execute(tables.delete().where(tables.c.name == "online 7"))
    assert verify.verify(engine, hosted.house.key).tables == 2
    engine.dispose()


def test_R4_a_table_comes_back_after_its_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that failed is built anew, however often the database does not answer meanwhile."""
    monkeypatch.setattr("wartable.server.pit.RESTORE_S", 0.01)
    with Hosted(tmp_path, books=("washington",)) as hosted, hosted.guest() as player:
        name = player.private("washington")
        player.play(1, deal=True)
        place = hosted.house.floor.places[name]
        broken, tries = place.live, []
        read = database.rows_of

        def failing(source: Any, table: str, after: int = 0) -> Iterator[Any]:
            tries.append(table)
            if len(tries) <= 5:
                raise sa.exc.OperationalError("SELECT", {}, Exception("no answer"))
            return read(source, table, after)

        async def fails(*_: Any) -> None:
            raise RuntimeError("planted")

        monkeypatch.setattr(database, "rows_of", failing)
        monkeypatch.setattr(broken, "_carry_out", fails)
        assert player.do("bet", box=1, wager="primary", amount=500)["code"] == "no_answer"
        until(lambda: place.live is not broken)
        assert len(tries) > 5
        player.play(1, deal=True)
        monkeypatch.undo()
        verify.verify(hosted.house.engine, hosted.house.key)


def test_R4_an_id_that_a_table_has_forgotten_keeps_its_answer(tmp_path: Path) -> None:
    """What was carried out long ago is not called refused because it could not be done again."""
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.guest() as player:
        name = player.post("/tables/private", 201, book="online")["name"]
        player.hello(name)
        join = {"id": "join", "amount": 20_000, "seat": 1}
        joined = player.must("join", **join)
        player.play(1, deal=True)
        hosted.house.floor.places[name].live._answers.clear()
        assert player.do("join", **join) == joined
        assert player.do("join", **join | {"amount": 10_000})["code"] == "id_used"
        assert player.do("join", **join | {"id": "new"})["type"] == "refused"
        assert player.do("join", **join | {"id": "new"})["code"] != "id_used"
        held = hosted.house.cage.money(player.name)
        assert held["wallet"] + 20_000 == GUEST_MONEY


def test_nobody_waits_while_a_table_is_folded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a long journal is folded, other tables are opened and played."""
    with Hosted(tmp_path, books=("washington", "online")) as hosted, hosted.guest() as player:
        name = player.private("washington")
        player.play(1, deal=True)
        house = hosted.house
        broken, meanwhile = house.floor.places[name].live, threading.Event()
        check = journal.check_chain

        def slow(*asked: Any) -> Iterator[Any]:
            for row in check(*asked):
                assert row.table_name != name or meanwhile.wait(WAIT_S), "nobody else was heard"
                yield row

        async def fails(*_: Any) -> None:
            raise RuntimeError("planted")

        monkeypatch.setattr("wartable.server.pit.RESTORE_S", 0.01)
        monkeypatch.setattr(journal, "check_chain", slow)
        monkeypatch.setattr(broken, "_carry_out", fails)
        assert player.do("bet", box=1, wager="primary", amount=500)["code"] == "no_answer"
        with hosted.guest() as other:
            other.private("online")
            other.play(1, deal=True)
        assert house.floor.places[name].live is broken
        meanwhile.set()
        until(lambda: house.floor.places[name].live is not broken)
        player.play(1, deal=True)


def test_a_lost_table_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table whose lease another process has is let go; who asks is told where it is."""
    monkeypatch.setattr("wartable.server.running.RENEW_S", 0.05)
    with Hosted(tmp_path, books=("washington", "online")) as hosted:
        places = hosted.house.floor.places
        tables = schema.tables
        with hosted.house.engine.begin() as connection:
            taken = {"owner": "another", "lease_until_ms": 2**50, "fence": tables.c.fence + 1}
            connection.execute(tables.update().where(tables.c.name == "online 1").values(taken))
        until(lambda: "online 1" not in places)
        assert "washington 1" in places
        with hosted.guest() as player:
            refused = player.get("/tables/online 1", 409)
            assert refused["code"] == "open_elsewhere"
            assert "another process" in refused["sentence"]


def test_a_table_that_opens_while_leases_are_renewed_stays_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A renewal does not know the tables that came after it, and takes none of them for lost."""
    renew, asked, answer = table_leases.renew, threading.Event(), threading.Event()

    def slow(*whose: Any) -> dict[str, int]:
        held = renew(*whose)
        asked.set()
        assert answer.wait(WAIT_S)
        return held

    monkeypatch.setattr("wartable.server.running.RENEW_S", 0.05)
    monkeypatch.setattr(table_leases, "renew", slow)
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.guest() as player:
        assert asked.wait(WAIT_S)
        name = player.private("online")
        place = hosted.house.floor.places[name]
        asked.clear()
        answer.set()
        assert asked.wait(WAIT_S)
        assert hosted.house.floor.places.get(name) is place
        player.play(1, deal=True)


def test_a_house_without_its_database_closes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A house whose database is gone can be stopped; what its tables had is in the journal."""

    async def nowhere(*_: Any) -> Any:
        raise ConnectionError("no database")

    def gone(*_: Any) -> None:
        raise sa.exc.OperationalError("UPDATE", {}, Exception("no database"))

    with Hosted(tmp_path, books=("online",)) as hosted:
        with hosted.guest() as player:
            player.private("online")
            player.play(1, deal=True)
        with monkeypatch.context() as broken:
            broken.setattr("wartable.server.running.CLOSE_S", 0.1)
            broken.setattr(table_leases, "release", gone)
            broken.setattr(Link, "open", nowhere)
            broken.setattr(Link, "settle", nowhere)
            hosted.__exit__(None, None, None)
    with Hosted(tmp_path, books=("online",)) as hosted:
        verify.verify(hosted.house.engine, hosted.house.key)


def test_R16_the_first_password_is_its_owners_to_read(tmp_path: Path) -> None:
    """Even where a file of that name lies about that everybody may read."""
    path = tmp_path / "admin-password"
    path.write_text("old")
    path.chmod(0o644)
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.admin() as admin:
        assert path.stat().st_mode & 0o777 == 0o600
        assert admin.get("/me")["role"] == "admin"


def test_a_second_server_does_not_open(tmp_path: Path, postgres_server: str) -> None:
    """As long as one server has the house, another one on its database opens nothing."""
    one, two = tmp_path / "one", tmp_path / "two"
    address = new_database(postgres_server)
    with Hosted(one, books=("online",), database=address) as first:
        with pytest.raises(KeyProblem, match="which sealed the records, is missing"):
            Hosted(two, books=("online",), database=address)
        shutil.copy2(one / "key", two / "key")
        with pytest.raises(HouseTaken, match="another server has this house open"):
            Hosted(two, books=("online",), database=address)
        with first.http() as http:
            assert http.get("/ready").status_code == 200
    with Hosted(two, books=("online",), database=address) as second, second.http() as http:
        assert http.get("/ready").status_code == 200


def test_two_offices_do_not_block_each_other(tmp_path: Path) -> None:
    """An office that another one has overtaken goes on from the journal's head."""
    with Hosted(tmp_path, books=("online",)) as hosted:
        house = hosted.house
        head = database.head_of(house.engine, OFFICE)

        async def another() -> None:
            writer = Writer(str(tmp_path / "house.sqlite"))
            office = Office(writer.commit, house.clock, house.key, head)
            await office.note("eve", Note("clock_changed", "drill"))
            await writer.close()

        in_time(another())
        behind = house.office.head
        with hosted.admin() as admin:
            admin.post("/disable", scope="table", name="online 1", reason="drill")
        assert house.office.head[0] > behind[0] + 1
        assert kinds(house)[-3:] == ["clock_changed", "signed_in", "disabled"]
        verify.verify(house.engine, house.key)


def test_the_bank_is_not_offered_to_nobody(tmp_path: Path) -> None:
    """Where all who sit are away, the bank goes around once and then waits for one of them."""
    quick = Timing(
        bets_ms=400, choice_ms=400, cut_ms=0, bank_ms=20, seed_ms=0, number_ms=0, pause_ms=20
    )
    with Hosted(tmp_path, books=("california",), shared=quick) as hosted:
        one, two = hosted.guest(), hosted.guest()
        one.hello("california 1")
        for seat, player in enumerate((one, two), 1):
            player.post(
                "/tables/california 1/commands", type="join", id="join", amount=5_000, seat=seat
            )
        live = hosted.house.floor.places["california 1"].live

        def offers() -> int:
            rows = database.rows_of(hosted.house.engine, "california 1")
            return sum('"offer_bank"' in row.command for row in rows)

        until(lambda: offers() > 3)
        one.socket.socket.shutdown(socket.SHUT_RDWR)  # the network is gone, without a goodbye
        one.close()
        until(lambda: not hosted.house.floor.places["california 1"].present)
        # It has its turn after any offer that is on its way.
        refused = two.post("/tables/california 1/commands", 409, type="close_bets", id="turn")
        assert refused["type"] == "refused"
        until(lambda: live.state.bank.untaken)
        held = offers(), live.head[0]
        with hosted.guest() as watcher:
            watcher.hello("california 1")
            watcher.hear("snapshot")
            time.sleep(0.2)  # long enough for many offers, were there any
            assert (offers(), live.head[0]) == held, "a spectator is nobody to offer it to"
        two.hello("california 1")
        until(lambda: offers() > held[0])
        two.socket.socket.shutdown(socket.SHUT_RDWR)
        two.close()


def test_R16_too_many_tries_from_one_address(tmp_path: Path) -> None:
    """More sign-ins a minute than allowed from one address are refused, whoever they are for."""
    hosting = Hosted(tmp_path, books=("online",), attempts_per_minute=3)
    with hosting as hosted, hosted.http() as http:
        body = {"name": "nobody", "password": "wrong"}
        codes = [http.post("/sign-in", json=body).json()["code"] for _ in range(9)]
        assert codes[:3] == ["wrong_credentials"] * 3
        assert "too_many" in codes[3:], "a new minute began at most once"
        while (told := http.post("/sign-in", json=body)).status_code != 429:
            assert told.status_code == 401
        assert told.json()["sentence"] == "Too many requests; wait 60 seconds."
