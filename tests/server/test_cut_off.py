"""A server that does not reach the database for as long as its lease lasts leads clients away."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from hosting import Client, Hosted
from opened_houses import Deaf, opened, opened_wing
from recorded_houses import new_database
from waiting import WAIT_S, in_time, until
from wartable.server import wing as wings
from wartable.server.records import lease, servers
from wartable.server.running import House

CLOSED = 4410
"""The code after which a page connects again at once."""


@pytest.fixture
def address(postgres_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty PostgreSQL database; no lease is renewed, as if nobody reached the database."""
    monkeypatch.setenv("WARTABLE_KEY", bytes(32).hex())
    monkeypatch.setattr(lease, "RENEW_S", WAIT_S)
    monkeypatch.setattr(servers, "RENEW_S", WAIT_S)
    monkeypatch.setattr(wings, "OfficeListener", Deaf)
    return new_database(postgres_server)


def clock_of(monkeypatch: pytest.MonkeyPatch, where: object) -> Callable[[float], None]:
    """Let so many seconds pass by the monotonic clock that a module looks at."""
    began_s = 1_000.0
    monkeypatch.setattr(where, "time", Monotonic(began_s))

    def pass_(seconds: float) -> None:
        monkeypatch.setattr(where, "time", Monotonic(began_s + seconds))

    return pass_


class Monotonic:
    """A clock that stands still."""

    def __init__(self, now_s: float) -> None:
        self._now_s = now_s

    def monotonic(self) -> float:
        """The seconds that have passed."""
        return self._now_s


def code_of(client: Client) -> int:
    """The code that a connection is closed with, whatever comes before."""
    with pytest.raises(ConnectionClosed) as closed:
        client.hear("nothing")
    assert closed.value.rcvd is not None
    return int(closed.value.rcvd.code)


def test_who_is_connected_is_led_away(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Players, those who look at the lobby and whoever comes; until the lease is renewed."""
    pass_ = clock_of(monkeypatch, lease)
    with (
        Hosted(tmp_path, database=address, books=("online",)) as hosted,
        hosted.http() as http,
        hosted.guest() as player,
        hosted.guest() as looker,
    ):
        player.hello("online 1")
        player.must("join", amount=20_000, seat=1)
        looker.hello()
        looker.hear("lobby")
        assert http.get("/ready").status_code == 200
        pass_(lease.LEASE_MS / 1000)
        assert not hosted.house.cut_off, "the lease lasts until then"
        pass_(lease.LEASE_MS / 1000 + 1)
        assert code_of(player) == CLOSED
        assert code_of(looker) == CLOSED
        assert not hosted.house.floor.places
        assert http.get("/ready").status_code == 503
        with (
            connect(f"ws://{hosted.host}/play", open_timeout=WAIT_S) as late,
            pytest.raises(ConnectionClosed) as closed,
        ):
            late.recv(WAIT_S)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == CLOSED
        pass_(1)  # it was renewed
        with Client(hosted, player.name, player.token) as again:
            assert again.hello("online 1")["type"] == "welcome"
            assert again.bet() == ""
        until(lambda: http.get("/ready").status_code == 200, "it is not ready again")


def test_a_wing_that_is_cut_off_gives_its_tables_up(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its own clock, since it cannot ask the database's."""

    async def whole() -> None:
        house = await opened(tmp_path / "one", address)
        wing = await opened_wing(tmp_path / "two", address)
        try:
            guest, _, _ = await house.new_guest("192.0.2.7")
            await wing.follow()
            place = await wing.pit.open_private(guest, "online")
            pass_ = clock_of(monkeypatch, servers)
            await asyncio.to_thread(wing.placing.enter, "192.0.2.2:1")
            pass_(servers.UNTIL_MS / 1000)
            await wing._watch_reach()
            assert not place.closed
            pass_(servers.UNTIL_MS / 1000 + 1)
            await wing._watch_reach()
            assert place.closed
            assert not wing.floor.places
        finally:
            await wing.stop()
            await house.stop()

    in_time(whole())


def test_a_renewal_counts_from_its_beginning(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the database takes to answer; one that fails does not count."""

    async def whole() -> None:
        house = await opened(tmp_path / "one", address)
        try:
            held = house._lease
            assert held is not None
            pass_ = clock_of(monkeypatch, lease)
            renew = lease.renew

            def slow(*asked: object) -> bool:
                pass_(5)
                return renew(*asked)  # type: ignore[arg-type]  # what it is asked with

            def fails(*_: object) -> bool:
                pass_(7)
                raise sa.exc.OperationalError("", {}, Exception())

            answers = [slow, fails]

            def answered(*asked: object) -> bool:
                return answers.pop(0)(*asked)

            monkeypatch.setattr(lease, "renew", answered)
            turns = iter((False, False, True))
            monkeypatch.setattr(held._ended, "wait", lambda _: next(turns))
            held._keep()
            assert cut_off_after(house, pass_) == lease.LEASE_MS // 1000 + 1
        finally:
            monkeypatch.undo()
            await house.stop()

    in_time(whole())


def cut_off_after(house: House, pass_: Callable[[float], None]) -> int:
    """After how many seconds a house counts as cut off."""
    for seconds in range(60):
        pass_(seconds)
        if house.cut_off:
            return seconds
    return -1
