"""What servers of a house tell each other and nobody else: tables, and who plays there."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from hosting import FAST
from opened_houses import opened, opened_wing, quiet
from recorded_houses import new_database
from waiting import in_time
from wartable.game import Bet
from wartable.server.denied import Denied
from wartable.server.house.accounts import Account
from wartable.server.http.between import AWARDS, CODE, FLOOR, LISTED, PLAYING, Between
from wartable.server.records import lease, servers, table_leases
from wartable.server.records.answers import Accepted
from wartable.server.running import House
from wartable.server.wing import Wing
from wartable.table.commands import Command, Join

TABLE = "online 1"
PATIENT = replace(FAST, bets_ms=None, choice_ms=None, seed_ms=0)


class Wire:
    """The way from one server to another: it may be cut."""

    def __init__(self) -> None:
        self.there: dict[str, Between] = {}
        self.cut = False

    async def forward(self, to: str, scope: Any, _: bytes) -> Any:
        """What the other server answers."""
        if self.cut:
            raise OSError
        path = {**scope, "path": scope["raw_path"].decode()}
        answer = await self.there[to].answer(path)
        return None if answer is None else (200, [], answer)


class Servers:
    """A house, a wing that has its shared table, and a guest."""

    def __init__(self, house: House, wing: Wing, guest: Account) -> None:
        self.house, self.wing, self.guest, self.wire = house, wing, guest, Wire()
        wire: Any = self.wire
        self.at_house, self.at_wing = Between(house, wire), Between(wing, wire)
        self.wire.there = {house.owner: self.at_house, wing.owner: self.at_wing}

    async def bet(self) -> None:
        """Have the guest sit down and bet at the wing."""
        place = self.wing.floor.places[TABLE]
        place.enter(self.guest.name)
        commands: list[Command] = [Join(self.guest.name, 50_000, 1)]
        commands.append(Bet(self.guest.name, 1, "primary", 500))
        for number, command in enumerate(commands):
            while number and place.live.due[0].what != "bets":
                await asyncio.sleep(0.01)
            dispatch = self.wing.dispatch
            answer = await dispatch.command(self.guest, TABLE, str(number), command)
            assert isinstance(answer, Accepted), answer


@pytest.fixture
def address(postgres_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty PostgreSQL database; servers look and follow only when the test has them."""
    quiet(monkeypatch)
    for where, name in ((table_leases, "LEASE_MS"), (lease, "LEASE_MS"), (servers, "UNTIL_MS")):
        monkeypatch.setattr(where, name, 2**51)  # on a slow machine, too
    return new_database(postgres_server)


def run(tmp_path: Path, address: str, work: Callable[[Servers], Awaitable[None]]) -> None:
    """Open a house and a wing that has its shared table, and do this."""

    async def whole() -> None:
        house = await opened(tmp_path / "one", address, shared=PATIENT)
        wing = await opened_wing(tmp_path / "two", address, shared=PATIENT)
        try:
            guest, _, _ = await house.new_guest("192.0.2.7")
            for number, each in enumerate((house, wing)):
                each.placing.carry()
                await asyncio.to_thread(each.placing.enter, f"192.0.2.{number}:1")
            for each in (house, wing):
                while len(each.placing.running()) < 2 or not each.placing.leader:
                    await asyncio.sleep(0.01)
            await house.pit.give_up(TABLE, wing.owner)
            await wing.spreading.look()
            await wing.follow()
            await work(Servers(house, wing, guest))
        finally:
            await wing.stop()
            await house.stop()

    in_time(whole())


def test_only_a_server_of_the_house_is_answered(tmp_path: Path, address: str) -> None:
    """Whoever has no code, or another one, gets what any wrong address gets."""

    async def work(servers: Servers) -> None:
        code = servers.house.key.alias("asked between servers").encode()
        for path in (LISTED, FLOOR, PLAYING, AWARDS):
            asked: dict[str, Any] = {"path": path, "query_string": b"name=x", "headers": []}
            assert await servers.at_wing.answer(asked) is None
            wrong = asked | {"headers": [(CODE, code[:-1] + b"0" if code[-1:] != b"0" else b"1")]}
            assert await servers.at_wing.answer(wrong) is None
            right = asked | {"headers": [(CODE, code)]}
            assert await servers.at_wing.answer(right) is not None
        other = {"path": "/between/other", "query_string": b"", "headers": [(CODE, code)]}
        assert await servers.at_wing.answer(other) is None

    run(tmp_path, address, work)


def test_lobby_and_floor_show_the_tables_of_all_servers(tmp_path: Path, address: str) -> None:
    """With their players; a server that does not answer is left out."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        await servers.bet()
        await servers.at_wing.look()
        assert not wing.floor.elsewhere, "only the server that has the house looks"
        await servers.at_house.look()
        seen = house.floor.elsewhere[TABLE]
        assert (seen.server, seen.listed.card.guests) == (wing.owner, 1)
        assert house.floor.connected_elsewhere == {wing.owner: 0}
        (shown,) = await servers.at_house.floor()
        assert (shown.name, shown.players) == (TABLE, (servers.guest.name,))
        servers.wire.cut = True
        assert await servers.at_house.floor() == []
        await servers.at_house.look()
        assert house.floor.connected_elsewhere == {}
        assert TABLE in house.floor.elsewhere, "it is shown for a while"

    run(tmp_path, address, work)


def test_who_plays_at_another_server_is_not_broke(tmp_path: Path, address: str) -> None:
    """Nobody gets new money while a server that may have theirs in play says nothing."""

    async def work(servers: Servers) -> None:
        house, name = servers.house, servers.guest.name
        house.floor.playing_elsewhere = servers.at_house.playing
        assert not await house.floor.playing_anywhere(name)
        await servers.bet()
        assert await house.floor.playing_anywhere(name)
        assert not await house.floor.playing_anywhere("somebody")
        refused = await house.cage.refill(servers.guest, "1")
        assert not isinstance(refused, Accepted)
        assert refused.code == "not_broke"
        servers.wire.cut = True
        with pytest.raises(Denied) as denied:
            await servers.at_house.playing("somebody")
        assert denied.value.code == "no_answer"
        refused = await house.cage.refill(servers.guest, "2")
        assert not isinstance(refused, Accepted)
        assert refused.code == "no_answer"

    run(tmp_path, address, work)
