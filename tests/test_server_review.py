"""What holds when several things meet: pages that ask by themselves, reloads, closing tables."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed

from hosting import Client, Hosted, Json
from livetables import Cards, people
from tampering import unguard
from waiting import WAIT_S, until
from wartable.server import audit, database, schema

MINUTE_MS = 60_000


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[Hosted]:
    """A server with its own clock; its records are verified at the end."""
    with Hosted(tmp_path, books=("online", "washington")) as running:
        yield running
        audit.verify(running.house.engine, running.house.key)


def bet(client: Client, amount: int = 500, box: int = 1) -> str:
    """Try a bet; the refusal's code, or nothing."""
    answer = client.do("bet", box=box, wager="primary", amount=amount)
    return str(answer.get("code", ""))


def test_R16_a_page_that_asks_by_itself_keeps_no_session_alive(hosted: Hosted) -> None:
    """What pages ask without anybody's doing does not count as use: the session still ends."""
    with hosted.guest() as player, hosted.staff("floor") as floor:
        for _ in range(2):
            hosted.clock.ahead_ms += 16 * MINUTE_MS
            shown = player.get("/session")
            answer = floor.http.get("/staff")
        assert shown is None
        assert answer.json()["code"] == "signed_out"


def test_R11_a_reality_check_is_shown_again_until_it_is_read(hosted: Hosted) -> None:
    """Who loads the page anew, or has another one open, gets the reality check to read there."""
    with hosted.guest() as player:
        name = player.private("online")
        player.until("bets")
        for _ in range(3):
            hosted.clock.ahead_ms += 21 * MINUTE_MS
            player.get("/me")
        assert bet(player) == "reality_check"
        with Client(hosted, player.name, player.token) as reloaded:
            reloaded.hello(name)
            assert bet(reloaded) == "reality_check"
            shown = [each["minutes"] for each in reloaded.heard if each["type"] == "reality"]
            assert shown == [63]
            reloaded.say("acknowledge", id="read")
            reloaded.hear("pong")
            assert bet(reloaded) == ""
        assert bet(player) == ""
        assert len([each for each in player.heard if each["type"] == "reality"]) == 1


def test_R8_a_key_that_is_not_there_is_not_revoked(hosted: Hosted) -> None:
    """A mistyped name is refused in a sentence, so that nobody believes a key to be useless."""
    with hosted.admin() as admin:
        admin.post("/keys", 201, name="cage")
        problem = admin.post("/keys/caeg/revoke", 404, reason="lost")
        assert problem == {"code": "no_key", "sentence": "There is no key of that name that holds."}
        admin.post("/keys/cage/revoke", reason="lost")
        admin.post("/keys/cage/revoke", 404, reason="lost")
        told = [each for each in admin.get("/records/significant") if each["kind"] == "key_revoked"]
        assert [each["subject"] for each in told] == ["cage"]


def test_R8_what_was_not_disabled_is_not_recorded_as_enabled(hosted: Hosted) -> None:
    """To enable what is not disabled is refused, and the records say nothing of it."""
    with hosted.admin() as admin:
        problem = admin.post("/enable", 404, scope="book", name="online", reason="over")
        assert problem["code"] == "not_disabled"
        kinds = {each["kind"] for each in admin.get("/records/significant")}
        assert "enabled" not in kinds


def frame(text: str) -> bytes:
    """A short message as a client's WebSocket frame, its mask being zero."""
    data = text.encode()
    return bytes([0x81, 0x80 | len(data), 0, 0, 0, 0]) + data


def test_who_follows_again_and_again_is_one_listener(hosted: Hosted) -> None:
    """Messages that come together leave nobody behind who is told what happens for ever."""
    listeners = hosted.house.floor.places["washington 1"].live.listeners
    with hosted.deaf() as client:
        client.sendall(frame('{"type":"hello","table":"washington 1"}') * 40)
        client.sendall(frame('{"type":"ping","id":"the end"}'))
        heard = b""
        while b'"the end"' not in heard:
            heard = heard[-100:] + client.recv(65_536)
        until(lambda: len(listeners) == 1, "one who follows listens once")
    until(lambda: not listeners, "who has gone still listens")


def test_R4_a_table_that_is_lost_is_followed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who follows a table that closes here is let go, and finds it again where it is open."""
    monkeypatch.setattr("wartable.server.house.RENEW_S", 0.1)
    tables = schema.tables
    with Hosted(tmp_path, books=("washington",)) as hosted, hosted.guest() as player:
        player.hello("washington 1")
        player.must("join", amount=20_000, seat=1)

        def owned_by(owner: str | None) -> None:
            change = tables.update().where(tables.c.name == "washington 1")
            with hosted.house.engine.begin() as connection:
                connection.execute(change.values(owner=owner, lease_until_ms=2**62))

        owned_by("another server")
        with pytest.raises(ConnectionClosed) as closed:
            player.hear("nothing")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4410
        with Client(hosted, player.name, player.token) as again:
            assert again.hello("washington 1")["code"] == "open_elsewhere"
            owned_by(None)
            assert again.hello("washington 1")["type"] == "welcome"
            again.until("bets")
            assert bet(again) == ""
            until(lambda: again.events("placed"), "the bet is not told", pause=again.read)


def test_R11_a_bank_that_is_promised_counts_towards_the_limit(tmp_path: Path) -> None:
    """Who took a bank that is not posted yet cannot stake the same allowance at another table."""
    with people(tmp_path, "california", 2) as house:
        ann, bob = house.players
        ann.put("/me/limits", kind="loss_day", amount=15_000)
        with house.table("one") as one, house.table("two") as two:
            for table in (one, two):
                table.join(ann, bob, amount=10_000).load(Cards("<"))
            one.must(ann, "take_bank", amount=10_000)
            assert two.code(ann, "take_bank", amount=10_000) == "loss_limit"
            two.must(ann, "cash_out", amount=5_000)
            two.must(ann, "take_bank", amount=5_000)
            one.start()
            two.start()
            used = [each for each in ann.get("/me")["limits"] if each["kind"] == "loss_day"]
            assert used[0]["used"] == 15_000


def test_who_plays_over_http_is_not_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A player without a connection stays as long as they give commands, and may come back."""
    monkeypatch.setattr("wartable.server.house.RENEW_S", 0.1)
    table = "/tables/washington 1/commands"
    with Hosted(tmp_path, books=("washington",)) as hosted:
        place = hosted.house.floor.places["washington 1"]
        active, passive = hosted.guest(), hosted.guest()

        def sit(player: Client, id_: str, seat: int) -> None:
            player.post(table, type="join", id=id_, amount=10_000, seat=seat)
            until(lambda: player.name in place.left_ms, "nobody looks who is absent")

        def gone(player: Client) -> bool:
            return player.name not in place.live.state.guests

        sit(active, "1", 1)
        sit(passive, "1", 2)
        hosted.clock.ahead_ms += 4 * MINUTE_MS
        active.post(table, type="buy_in", id="2", amount=100)
        hosted.clock.ahead_ms += 2 * MINUTE_MS
        until(lambda: gone(passive), "who is absent for long does not leave")
        assert not gone(active)
        until(lambda: passive.name not in place.left_ms, "who has left is remembered for ever")
        sit(passive, "3", 2)
        hosted.clock.ahead_ms += 4 * MINUTE_MS
        until(lambda: gone(active), "who is absent for long does not leave")
        assert not gone(passive)


def test_what_is_done_regularly_survives_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure while leases are renewed, absent players seen to or the code is checked passes."""
    monkeypatch.setattr("wartable.server.house.RENEW_S", 0.1)
    done: Counter[str] = Counter()

    def failing(name: str) -> Callable[..., object]:
        def fails(*_: object) -> object:
            done[name] += 1
            raise RuntimeError(name)

        return fails

    with Hosted(tmp_path, books=("washington",), selfcheck_s=0.1) as hosted:
        monkeypatch.setattr(hosted.house.accounts, "sweep", failing("sweep"))
        monkeypatch.setattr("wartable.server.database.renew", failing("renew"))
        monkeypatch.setattr("wartable.server.selfcheck.problems", failing("check"))
        until(lambda: min(done[each] for each in ("sweep", "renew", "check")) > 1, "one has ended")
        monkeypatch.undo()


def noted(hosted: Hosted, kind: str) -> list[Json]:
    """The significant events of that kind."""
    with hosted.admin() as admin:
        found: list[Json] = admin.get("/records/significant")
    return [each for each in found if each["kind"] == kind]


def test_R8_a_table_that_fails_is_a_significant_event(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error that makes the house build a table anew stands in the audit record."""
    monkeypatch.setattr("wartable.server.house.RESTORE_S", 0.01)
    place = hosted.house.floor.places["washington 1"]
    failed = place.live

    def fails(*_: object) -> None:
        raise LookupError("a secret")

    monkeypatch.setattr(failed, "_carry_out", fails)
    with hosted.guest() as player:
        player.hello("washington 1")
        player.do("join", amount=10_000, seat=1)
    until(lambda: place.live is not failed, "the table is not built anew")
    (event,) = noted(hosted, "table_failed")
    assert (event["actor"], event["subject"]) == ("platform", "washington 1")
    assert event["reason"] == "LookupError"
    assert event["after"] == f"restored to row {failed.head[0]}"


def test_R8_a_change_of_the_clock_is_a_significant_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine's clock that is set is noted with what it should show and what it shows."""
    monkeypatch.setattr("wartable.server.house.RENEW_S", 0.1)
    machine = SimpleNamespace(at_ns=1_800_000_000 * 10**9)
    clocks = SimpleNamespace(time_ns=lambda: machine.at_ns, monotonic_ns=lambda: 0)
    monkeypatch.setattr("wartable.server.upkeep.time", clocks)
    with Hosted(tmp_path, books=("washington",)) as hosted:
        machine.at_ns -= 3_600 * 10**9
        (event,) = until(lambda: noted(hosted, "clock_changed"), "nobody sees the clock set")
        assert (event["actor"], event["subject"]) == ("platform", "house")
        assert event["before"] == "2027-01-15 08:00:00.000 UTC"
        assert event["after"] == "2027-01-15 07:00:00.000 UTC"


@pytest.mark.parametrize("whose", ["table", "meters"])
def test_R8_a_table_does_not_go_on_from_a_journal_without_its_end(
    tmp_path: Path, whose: str
) -> None:
    """Where the last row was removed the table stays closed, so that no new row hides it."""
    journal, transfers = schema.journal, schema.transfers
    with Hosted(tmp_path, books=("maryland",)) as hosted:
        house = hosted.house
        until(lambda: house.floor.places["maryland 1"].live.head[0] > 2, "nothing is written")
        (shared,) = house.meters.opened
    name = shared if whose == "meters" else "maryland 1"
    engine = database.engine_for(str(tmp_path / "house.sqlite"))
    number, _ = database.head_of(engine, name) or (0, "")
    with engine.begin() as connection:
        unguard(connection)
        for rows in (transfers, journal):
            last = sa.and_(rows.c.table_name == name, rows.c.number == number)
            connection.execute(rows.delete().where(last))
    with Hosted(tmp_path, books=("maryland",)) as hosted, hosted.guest() as player:
        assert player.hello("maryland 1")["code"] == "broken"
    assert number not in [row.number for row in database.rows_of(engine, name)]
    engine.dispose()


def test_a_house_closes_while_a_table_closes(hosted: Hosted) -> None:
    """A table that is let go while the house closes does not keep it from closing in order."""
    house = hosted.house
    first, last = list(house.floor.places.values())
    assert first.bots is not None
    stop = first.bots.stop

    async def meanwhile() -> None:
        await stop()
        if last.live.setup.name in house.floor.places:
            await house.floor.close(last)

    first.bots.stop = meanwhile  # type: ignore[method-assign]  # what happens at the same time
    hosted.server.should_exit = True
    hosted.thread.join(WAIT_S)
    assert not hosted.thread.is_alive()
    engine = database.engine_for(str(house.config.folder / "house.sqlite"))
    tables = schema.tables
    with engine.connect() as connection:
        assert not connection.execute(sa.select(tables).where(tables.c.owner.is_not(None))).all()
    engine.dispose()


def test_a_table_that_does_not_answer_holds_nothing_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An idle table with bots whose task hangs is closed all the same, and so are the others."""
    monkeypatch.setattr("wartable.server.house.RENEW_S", 0.1)
    with Hosted(tmp_path, books=("california",)) as hosted:
        places = hosted.house.floor.places

        def in_company(name: str) -> bool:
            return len(places[name].live.state.guests) > 1

        for _ in range(2):
            with hosted.guest() as player:
                until(partial(in_company, player.private("california")), "no bots come")
        stuck = next(place for place in places.values() if place.owner is not None)
        stuck.live.submit = lambda *_: asyncio.Future()  # type: ignore[method-assign]  # what never answers
        monkeypatch.setattr("wartable.server.bots.LET_GO_S", 0.2)
        hosted.clock.ahead_ms += 11 * MINUTE_MS
        until(lambda: not any(place.owner for place in places.values()), "one holds up the others")


def test_the_key_of_an_operator_is_looked_up_beside_the_tables(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database that is asked for a key may be slow: the thread of the tables does not wait."""
    with hosted.admin() as admin:
        token = admin.post("/keys", 201, name="cage")["token"]
    accounts, threads = hosted.house.accounts, []
    key_name = accounts.key_name

    def noted_name(asked: str) -> str:
        threads.append(threading.current_thread())
        return key_name(asked)

    monkeypatch.setattr(accounts, "key_name", noted_name)
    with hosted.http(token) as key:
        assert key.get("/wallets/admin").json()["holds"] == {"wallet": 0}
        headers = {"Idempotency-Key": "1"}
        for what in ("deposit", "withdraw"):
            answer = key.post(f"/wallets/admin/{what}", json={"amount": 1}, headers=headers)
            assert answer.json()["code"] == "play_money"
    assert len(threads) == 3
    assert hosted.thread not in threads


def test_sessions_are_looked_up_beside_the_tables(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However slowly the database says who somebody is, the thread of the tables does not wait."""
    accounts, threads = hosted.house.accounts, []
    stored, row = accounts._stored, accounts._row

    def noted_stored(digest: str) -> object:
        threads.append(threading.current_thread())
        return stored(digest)

    def noted_row(name: str) -> object:
        threads.append(threading.current_thread())
        return row(name)

    monkeypatch.setattr(accounts, "_stored", noted_stored)
    monkeypatch.setattr(accounts, "_row", noted_row)
    with hosted.http("a token of nobody") as stranger:
        table = "/tables/online 1"
        for path in ("/session", table, f"{table}/book", f"{table}/shoes"):
            assert stranger.get(path).status_code == 200
        needing = ("/me", "/me/rounds", "/me/rounds.csv", "/me/totals", "/rounds/online 1/1")
        for path in (*needing, "/staff", "/closures", "/accounts", "/records/significant"):
            assert stranger.get(path).json()["code"] == "signed_out"
        for path in ("/sign-out", "/me/acknowledge"):
            assert stranger.post(path).json()["code"] == "signed_out"
    with Client(hosted, "", "a token of nobody") as stranger_there:
        assert stranger_there.hello("online 1")["name"] is None
    assert len(threads) == 16
    with hosted.guest() as guest, hosted.sign_in(guest.name, guest.password):
        assert len(threads) > 16
    assert hosted.thread not in threads


def test_a_table_built_anew_tells_its_new_deadline(hosted: Hosted) -> None:
    """The time that people have begins again, and so does what they are told of it."""
    place = hosted.house.floor.places["washington 1"]
    until(lambda: place.live.due[0].what == "players", "the table does not get ready")
    before = msgspec.json.decode(place.awaited())
    hosted.clock.ahead_ms += MINUTE_MS
    anew = hosted.house._live(place.live.setup, place.fence)
    anew.restore(*database.chain_of(hosted.house.engine, place.live.setup.name))
    place.renew(anew)
    after = msgspec.json.decode(place.awaited())
    assert (after["number"], after["due"]) == (before["number"], before["due"])
    assert after["until_ms"] >= before["until_ms"] + MINUTE_MS
