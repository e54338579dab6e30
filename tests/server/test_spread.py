"""Shared tables are at all servers of a house, and move between them."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from hosting import FAST
from opened_houses import met, opened, opened_wing, quiet, refused
from recorded_houses import new_database
from waiting import in_time
from wartable.game import Bet, Withdraw
from wartable.game.messages import CloseBets, VoidRound
from wartable.server.audit import verify
from wartable.server.carrying import Carrier
from wartable.server.denied import Denied
from wartable.server.house.accounts import Account
from wartable.server.opening import SharedTable
from wartable.server.placing import SharedNow
from wartable.server.records import database, journal, spread, table_leases
from wartable.server.records.answers import Accepted, Answer
from wartable.server.records.messages import MoveMeters
from wartable.server.running import House
from wartable.server.tables.lobby import listed
from wartable.server.tables.place import RunningTable
from wartable.server.wing import Wing
from wartable.table import PLATFORM
from wartable.table.commands import Join, StartRound

TABLES = ("online 1", "online two")
PATIENT = replace(FAST, bets_ms=None, choice_ms=None, seed_ms=0)


def now(owners: dict[str, str | None], *names: str) -> SharedNow:
    """What a server sees that has the house, with these servers."""
    return SharedNow(owners, names, names[0])


def test_a_free_table_goes_to_the_server_with_the_fewest() -> None:
    """Several free ones are spread, and two servers that see the same choose the same."""
    owners: dict[str, str | None] = {f"has {number}": "one" for number in range(10)}
    owners |= {f"free {number}": None for number in range(20)}
    found = now(owners, "one", "two", "three").chosen()
    assert Counter(found.values()) == {"two": 10, "three": 10}, "the first one has ten already"
    again = SharedNow(dict(reversed(owners.items())), ("three", "two", "one"), "one")
    assert again.chosen() == found


def test_a_free_table_is_for_the_house_if_no_server_takes_tables() -> None:
    """Also while nobody is known to have it."""
    owners: dict[str, str | None] = {"a": "one", "b": None}
    assert SharedNow(owners, (), "one").chosen() == {"b": "one"}
    assert SharedNow(owners, (), "").chosen() == {"b": ""}


def test_a_server_hands_on_what_is_more_than_its_share() -> None:
    """To those with the fewest; nobody hands on what the other would hand back."""
    owners: dict[str, str | None] = {str(number): "one" for number in range(7)}
    assert now(owners, "one").surplus("one") == []
    assert sorted(now(owners, "one", "two", "three").surplus("one")) == [
        "three",
        "three",
        "two",
        "two",
    ]
    assert now(owners, "one", "two").surplus("two") == []
    assert now({"a": "one", "b": "two", "c": "one"}, "one", "two").surplus("one") == []
    assert now(owners, "two", "three").surplus("one") == [], "it takes no tables itself"
    left: dict[str, str | None] = {"a": "gone", "b": "gone", "c": "one"}
    assert now(left, "one", "two").surplus("one") == []


@pytest.fixture
def address(postgres_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty PostgreSQL database; servers look and follow only when the test has them."""
    quiet(monkeypatch)
    return new_database(postgres_server)


class Servers:
    """The server that has the house with two shared tables, a wing, and a guest."""

    def __init__(self, house: House, wing: Wing, guest: Account) -> None:
        self.house, self.wing, self.guest = house, wing, guest
        self._count = 0

    async def ask(
        self, where: House, table: str, command: Any, by: Account | None = None
    ) -> Answer:
        """The answer to somebody's command at a server."""
        self._count += 1
        return await where.dispatch.command(by or self.guest, table, str(self._count), command)

    async def bet(self, where: House, table: str, amount: int) -> Answer:
        """The answer to the guest's bet, once bets are taken."""
        place = where.floor.places[table]
        while place.live.due[0].what != "bets":
            await asyncio.sleep(0.01)
        return await self.ask(where, table, Bet(self.guest.name, 1, "primary", amount))

    async def spread(self) -> str:
        """Have the wing take its share; the table that it has then."""
        await self.house.spreading.look()
        await self.wing.spreading.look()
        (table,) = self.wing.floor.shared
        assert set(self.house.floor.shared) == {*TABLES} - {table}
        return table

    async def sit(self, where: House, table: str) -> RunningTable:
        """Have the guest follow a table, and sit down there."""
        place = where.floor.places[table]
        place.enter(self.guest.name)
        answer = await self.ask(where, table, Join(self.guest.name, 50_000, 1))
        assert isinstance(answer, Accepted), answer
        return place


def run(tmp_path: Path, address: str, work: Callable[[Servers], Awaitable[None]]) -> None:
    """Open a house with two shared tables and a wing, which know each other, and do this."""

    async def whole() -> None:
        house = await opened(tmp_path / "one", address, shared=PATIENT)
        boss = await house.accounts.open(None, "boss", "three words of theirs", "floor")
        await house.pit.open_shared(boss, SharedTable("online two", "online"))
        house.placing.forget_shared()
        wing = await opened_wing(tmp_path / "two", address, shared=PATIENT)
        try:
            guest, _, _ = await house.new_guest("192.0.2.7")
            await met(house, wing)
            await wing.follow()
            await work(Servers(house, wing, guest))
            verify.verify(house.engine, house.key)
            assert sum(database.balances(house.engine).values()) == 0
        finally:
            await wing.stop()
            await house.stop()

    in_time(whole())


def test_shared_tables_are_at_all_servers(tmp_path: Path, address: str) -> None:
    """A table moves between two rows, with its round and its money; nobody else opens it."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        await servers.sit(house, "online two")
        assert isinstance(await servers.bet(house, "online two", 700), Accepted)
        place = house.floor.places["online two"]
        listener = place.live.listen(None)
        await house.spreading.look()
        await wing.spreading.look()
        assert list(wing.floor.shared) == ["online 1"], "the one that nobody plays at moves"
        await house.pit.give_up("online two", wing.owner)
        assert place.closed
        assert listener in place.live.listeners, "who follows it is told"
        assert await house.placing.of("online two") == wing.owner
        with pytest.raises(Denied, match="another server"):
            await house.pit.find("online two", servers.guest)
        await wing.spreading.look()
        moved = wing.floor.places["online two"]
        assert moved.live.head[0] >= place.live.head[0]
        assert moved.live.state.round is not None
        assert [hand.player for hand in moved.live.state.round.hands] == [servers.guest.name]
        assert await wing.placing.of("online two") is None
        assert isinstance(
            await servers.ask(wing, "online two", Withdraw(servers.guest.name, 1, "primary")),
            Accepted,
        )
        owners = spread.owners(house.engine, TABLES)
        assert owners == {"online 1": house.owner, "online two": wing.owner}, "it hands one back"
        assert "online two" in house.stacks(servers.guest.name)
        held = house.cage.money(servers.guest.name)
        assert held == {"wallet": 50_000, "online two": 50_000}
        await house.spreading.look()
        assert (list(house.floor.shared), list(wing.floor.shared)) == (
            ["online 1"],
            ["online two"],
        )

    run(tmp_path, address, work)


def test_what_the_house_restricts_holds_at_a_shared_table(tmp_path: Path, address: str) -> None:
    """A closure, and then an exclusion, for the very next command at the other server."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        table = await servers.spread()
        await servers.sit(wing, table)
        await house.disable("eve", "table", table, "a test")
        assert refused(await servers.bet(wing, table, 500)) == "disabled"
        await house.enable("eve", "table", table, "a test")
        assert isinstance(await servers.bet(wing, table, 500), Accepted)
        await house.exclude(servers.guest, house.clock.now_ms() + 10**8, "enough")
        assert refused(await servers.bet(wing, table, 500)) == "excluded"

    run(tmp_path, address, work)


def test_who_has_a_limit_plays_where_the_table_is(tmp_path: Path, address: str) -> None:
    """Who gets one, and who sits down with one; the table moves as any other, counted on."""

    async def work(servers: Servers) -> None:
        house, wing, name = servers.house, servers.wing, servers.guest.name
        table = await servers.spread()
        await servers.sit(wing, table)
        assert isinstance(await servers.bet(wing, table, 700), Accepted)
        await house.set_limit(name, name, "loss_day", "player", 1_000)
        assert refused(await servers.bet(wing, table, 301)) == "loss_limit"
        assert isinstance(await servers.bet(wing, table, 200), Accepted)
        await wing.pit.give_up(table, house.owner)
        await house.spreading.look()
        assert refused(await servers.bet(house, table, 101)) == "loss_limit"
        assert isinstance(await servers.bet(house, table, 100), Accepted)
        await house.spreading.look()
        await wing.spreading.look()
        (other,) = wing.floor.shared
        assert isinstance(await servers.ask(wing, other, Join(name, 1_000, 1)), Accepted)
        assert refused(await servers.bet(wing, other, 1)) == "loss_limit"

    run(tmp_path, address, work)


def test_with_a_limit_for_everybody_all_servers_have_tables(tmp_path: Path, address: str) -> None:
    """And nobody gives any up."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        table = await servers.spread()
        await house.set_limit("eve", "*", "loss_day", "operator", 1_000)
        await wing.follow()
        for each in (wing, house):
            await each.spreading.look()
        assert set(wing.floor.shared) == {table}
        assert set(house.floor.shared) == {*TABLES} - {table}

    run(tmp_path, address, work)


def test_a_role_that_was_taken_away_gives_no_command_elsewhere(
    tmp_path: Path, address: str
) -> None:
    """Staff work at a table of another server, and not one command longer than they may."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        table = await servers.spread()
        floor = await house.accounts.find("boss")
        await servers.sit(wing, table)
        assert isinstance(await servers.bet(wing, table, 500), Accepted)
        void = VoidRound("a test", "boss")
        assert refused(await servers.ask(wing, table, void, servers.guest)) == "not_your_part"
        assert isinstance(await servers.ask(wing, table, void, floor), Accepted)
        assert isinstance(await servers.bet(wing, table, 500), Accepted)
        await house.change_role("admin", "boss", "auditor", "a test")
        assert refused(await servers.ask(wing, table, void, floor)) == "not_your_part"
        assert wing.floor.places[table].live.state.in_round
        assert refused(await servers.ask(wing, table, StartRound(0), floor)) == "not_your_part"

    run(tmp_path, address, work)


def test_a_player_who_becomes_staff_makes_no_wager_elsewhere(tmp_path: Path, address: str) -> None:
    """Not one more, although the other server has not been told; and is stood up there."""

    async def work(servers: Servers) -> None:
        house, wing, name = servers.house, servers.wing, servers.guest.name
        table = await servers.spread()
        place = await servers.sit(wing, table)
        await house.change_role("admin", name, "floor", "a test")
        assert refused(await servers.bet(wing, table, 500)) == "not_your_part"
        await wing._keep_house()
        while name in place.live.state.guests:
            await asyncio.sleep(0.01)

    run(tmp_path, address, work)


def test_a_server_that_is_gone_is_replaced_without_being_asked(
    tmp_path: Path, address: str
) -> None:
    """Another opens its table by itself; the old one, woken up, writes nothing."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        table = await servers.spread()
        await servers.sit(wing, table)
        assert isinstance(await servers.bet(wing, table, 500), Accepted)
        assert wing.placing.presence is not None
        await asyncio.to_thread(wing.placing.presence.end)  # as if it said nothing any more
        assert house.placing.carrier is not None
        while wing.owner in house.placing.carrier.servers:
            await asyncio.sleep(0.01)
        await house.spreading.look()
        head = house.floor.places[table].live.head
        assert refused(await servers.bet(wing, table, 500)) == "no_answer"
        while table in wing.floor.places:
            await asyncio.sleep(0.01)
        assert database.head_of(house.engine, table) == head
        assert spread.owners(house.engine, [table]) == {table: house.owner}
        assert isinstance(
            await servers.ask(house, table, Withdraw(servers.guest.name, 1, "primary")), Accepted
        )

    run(tmp_path, address, work)


def test_a_table_is_handed_only_to_a_server_that_runs(tmp_path: Path, address: str) -> None:
    """And only by the one that has it, under its fence; otherwise it is free."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        fence = house.floor.places["online 1"].fence
        assert not spread.hand_over(house.engine, house.owner, "online 1", "nobody", fence)
        assert not spread.hand_over(house.engine, house.owner, "online 1", wing.owner, fence + 1)
        assert not spread.hand_over(house.engine, wing.owner, "online 1", wing.owner)
        assert spread.owners(house.engine, ["online 1"]) == {"online 1": house.owner}
        await house.pit.give_up("online 1", "nobody")
        assert spread.owners(house.engine, ["online 1"]) == {"online 1": None}
        await house.pit.give_up("online 1", "nobody")
        await house.spreading.look()
        assert "online 1" not in house.floor.places, "the other has none, so it is the other's"
        await wing.spreading.look()
        assert "online 1" in wing.floor.places

    run(tmp_path, address, work)


def test_who_takes_the_house_over_leaves_tables_where_they_are(
    tmp_path: Path, address: str
) -> None:
    """And opens what the server had that is gone, although its leases have not run out."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        table = await servers.spread()
        place = await servers.sit(wing, table)
        (other,) = house.floor.shared
        assert isinstance(await servers.bet(wing, table, 500), Accepted)
        table_leases.release_house(wing.engine, "three", house.owner)
        assert spread.owners(house.engine, TABLES) == {table: wing.owner, other: None}
        table_leases.release_house(wing.engine, "three", None)
        assert spread.owners(house.engine, TABLES) == {table: wing.owner, other: None}
        assert not place.closed
        assert isinstance(await servers.bet(wing, table, 100), Accepted)

    run(tmp_path, address, work)


def test_R7_tables_that_share_meters_are_at_all_servers(tmp_path: Path, address: str) -> None:
    """Each feeds the same meter by its last reading, whichever server moved it; one order for all.

    A server that cannot read the meters takes no side bet.
    """

    async def fed(where: House, table: str, guest: Account) -> None:
        """Have somebody bet on the meter at a server, and close the bets."""
        live = where.floor.places[table].live
        where.floor.places[table].enter(guest.name)
        for command in (
            Join(guest.name, 20_000, 1),
            Bet(guest.name, 1, "primary", 500),
            Bet(guest.name, 1, "progressive", 100),
        ):
            while not isinstance(command, Join) and live.due[0].what != "bets":
                await asyncio.sleep(0.01)
            answer = await where.dispatch.command(guest, table, str(command), command)
            assert isinstance(answer, Accepted), answer
        closed = await live.submit(PLATFORM, "close", CloseBets())
        assert isinstance(closed, Accepted), closed

    async def whole() -> None:
        config: dict[str, Any] = {"books": ("maryland",), "shared": PATIENT}
        house = await opened(tmp_path / "one", address, **config)
        boss = await house.accounts.open(None, "boss", "three words of theirs", "floor")
        await house.pit.open_shared(boss, SharedTable("maryland two", "maryland"))
        house.placing.forget_shared()
        wing = await opened_wing(tmp_path / "two", address, **config)
        try:
            ann, bob = [(await house.new_guest("192.0.2.7"))[0] for _ in range(2)]
            await met(house, wing)
            await wing.follow()
            await house.spreading.look()
            await wing.spreading.look()
            (here,), (there,) = house.floor.shared, wing.floor.shared
            (name,) = house.pit.meters.opened
            before = house.pit.meters.opened[name].values["progressive"]
            await fed(house, here, ann)
            await fed(wing, there, bob)
            await house.pit.meters.look()
            both = [each.pit.meters.opened[name] for each in (house, wing)]
            assert both[0].values == both[1].values
            assert both[0].values["progressive"].fed > before.fed
            moves = [
                journal.read_command(row.command) for row in database.rows_of(wing.engine, name, 1)
            ]
            by = [each.table for each in moves if isinstance(each, MoveMeters)]
            assert by[:2] == [here, there]
            verify.verify(house.engine, house.key)
            unreached = mock.patch.object(table_leases, "renew", side_effect=sa.exc.TimeoutError)
            with unreached, pytest.raises(sa.exc.TimeoutError):
                await wing.pit.renew()
            side = Bet(bob.name, 1, "progressive", 100)
            assert refused(await wing.dispatch.command(bob, there, "x", side)) == "meter_away"
            await wing.pit.renew()
            assert both[1].reachable
        finally:
            await wing.stop()
            await house.stop()

    in_time(whole())


def test_the_lobby_has_the_tables_of_all_servers(tmp_path: Path, address: str) -> None:
    """As they were seen last, compared with each other; one that nobody sees is gone later."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        before = house.lobby()
        table = await servers.spread()
        await servers.sit(wing, table)
        house.clock.ahead_ms += 2_000  # type: ignore[attr-defined]  # a test's clock
        shown = {each.name: each for each in house.lobby().tables}
        assert set(shown) == {*TABLES}, "a table that moves stays in the lobby"
        house.floor.saw_elsewhere(listed(wing.floor.shared[table]), wing.owner)
        house.floor.connected_elsewhere = {wing.owner: 3}
        house.clock.ahead_ms += 2_000  # type: ignore[attr-defined]  # a test's clock
        lobby = house.lobby()
        shown = {each.name: each for each in lobby.tables}
        assert shown[table].guests == 1
        assert lobby.connected == 3
        seats = shown[table].seats
        assert {each.free_places for each in lobby.tables} == {2 * seats - 1}
        assert {each.free_places for each in before.tables} == {2 * seats}
        watched = await house.watched()
        assert {(each.name, each.server) for each in watched.tables} == {
            (table, wing.owner),
            (next(iter(house.floor.shared)), house.owner),
        }
        await house.disable("eve", "table", table, "a test")
        house.clock.ahead_ms += 2_000  # type: ignore[attr-defined]  # a test's clock
        shown = {each.name: each for each in house.lobby().tables}
        assert shown[table].closed == f"table {table}"
        house.clock.ahead_ms += 10_000  # type: ignore[attr-defined]  # a test's clock
        assert {each.name for each in house.lobby().tables} == {*TABLES} - {table}

    run(tmp_path, address, work)


def test_new_private_tables_go_where_there_are_few_connections(
    tmp_path: Path, address: str
) -> None:
    """Drawn by their owners' names among those that have nearly the fewest."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        looking = house.placing.carrier
        assert looking is not None
        carrier = house.placing.carrier = Carrier(house.engine, house.key)  # it does not look
        carrier.holder, carrier.servers = looking.holder, looking.servers
        guests = [f"online@guest-{number}" for number in range(40)]

        async def found() -> set[str | None]:
            return {await house.placing.of(each) for each in guests}

        carrier.connections = {house.owner: 10, wing.owner: 12}
        assert await found() == {None, wing.owner}, "a few more make no difference"
        carrier.connections = {house.owner: 100, wing.owner: 10}
        assert await found() == {wing.owner}
        carrier.connections = {house.owner: 0, wing.owner: 9}
        assert await found() == {None}
        assert set(looking.connections) == {house.owner, wing.owner}
        house.placing.carrier = looking

    run(tmp_path, address, work)
