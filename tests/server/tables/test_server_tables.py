"""A live table and those who follow it: when it is lost, fails, or is built anew."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed

from hosting import FAST, Client, Hosted
from waiting import until
from wartable.server.audit import verify
from wartable.server.records import database, schema

MINUTE_MS = 60_000


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[Hosted]:
    """A server with one shared table; its records are verified at the end."""
    with Hosted(tmp_path, books=("washington",)) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


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
    monkeypatch.setattr("wartable.server.running.RENEW_S", 0.1)
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
            assert again.bet() == ""
            until(lambda: again.events("placed"), "the bet is not told", pause=again.read)


def test_R8_a_table_that_fails_is_a_significant_event(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error that makes the house build a table anew stands in the audit record."""
    monkeypatch.setattr("wartable.server.pit.RESTORE_S", 0.01)
    place = hosted.house.floor.places["washington 1"]
    failed = place.live

    def fails(*_: object) -> None:
        raise LookupError("a secret")

    monkeypatch.setattr(failed, "_carry_out", fails)
    with hosted.guest() as player:
        player.hello("washington 1")
        player.do("join", amount=10_000, seat=1)
    until(lambda: place.live is not failed, "the table is not built anew")
    (event,) = hosted.significant("table_failed")
    assert (event["actor"], event["subject"]) == ("platform", "washington 1")
    assert event["reason"] == "LookupError"
    assert event["after"] == f"restored to row {failed.head[0]}"


def test_a_table_built_anew_tells_its_new_deadline(hosted: Hosted) -> None:
    """The time that people have begins again, and so does what they are told of it."""
    place = hosted.house.floor.places["washington 1"]
    until(lambda: place.live.due[0].what == "players", "the table does not get ready")
    before = msgspec.json.decode(place.awaited(""))
    hosted.clock.ahead_ms += MINUTE_MS
    anew = hosted.house.pit._live(place.live.setup, place.fence, place.digest)
    anew.restore(*database.chain_of(hosted.house.engine, place.live.setup.name))
    place.renew(anew)
    after = msgspec.json.decode(place.awaited(""))
    assert (after["number"], after["due"]) == (before["number"], before["due"])
    assert after["until_ms"] >= before["until_ms"] + MINUTE_MS


def _told_until(hosted: Hosted) -> int | None:
    """Until when the table waits, as it tells who comes now."""
    with hosted.guest() as watcher:
        watcher.hello("washington 1")
        found: int | None = watcher.hear("awaited")["until_ms"]
    return found


def test_a_first_wager_that_comes_late_leaves_time_for_others(tmp_path: Path) -> None:
    """Time for bets that nobody used begins again with the first wager, and is told so."""
    slow = msgspec.structs.replace(FAST, bets_ms=MINUTE_MS)
    with (
        Hosted(tmp_path, books=("washington",), shared=slow) as hosted,
        hosted.guest() as early,
        hosted.guest() as late,
    ):
        for seat, player in enumerate((early, late), 1):
            player.hello("washington 1")
            player.must("join", amount=20_000, seat=seat)
        told = early.until("bets")["until_ms"]
        hosted.clock.ahead_ms = 2 * MINUTE_MS
        assert told < hosted.clock.now_ms()
        assert _told_until(hosted) is None, "nobody acts at a time that is over"
        early.must("bet", box=1, wager="primary", amount=500)
        early.must("bet", box=1, wager="tie", amount=100)
        late.must("bet", box=2, wager="primary", amount=500)
        assert (_told_until(hosted) or 0) >= told + MINUTE_MS
        hosted.clock.ahead_ms = 4 * MINUTE_MS
        early.do("bet", box=1, wager="tie", amount=100)  # the table looks at the clock again
        until(lambda: early.events("bets_closed"), "the bets stay open", pause=early.read)
