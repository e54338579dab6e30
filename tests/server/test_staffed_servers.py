"""Tables with staff are at all servers of a house, and take their cards from one inventory."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from hosting import FAST
from live_tables import Stack, listing, ordering
from opened_houses import met, opened, opened_wing, quiet, refused
from recorded_houses import new_database
from staffed_tables import stops, ties
from waiting import in_time
from wartable.server.audit import verify
from wartable.server.denied import Denied
from wartable.server.house.accounts import Account
from wartable.server.house.roles import Role
from wartable.server.http.between import waiting
from wartable.server.http.wire import CommandForm, to_command
from wartable.server.opening import SharedTable
from wartable.server.records import database, schema
from wartable.server.records.answers import Accepted, Answer
from wartable.server.records.journal import Broken
from wartable.server.records.rows import OFFICE, Entry
from wartable.server.records.store import CommitRefused
from wartable.server.running import House
from wartable.server.tables.live import LiveTable
from wartable.server.wing import Wing

HERE, THERE = "maryland here", "maryland there"
"""A table of the server that has the house, and one of the other server."""
PATIENT = replace(FAST, bets_ms=None, choice_ms=None, cut_ms=0, seed_ms=0, number_ms=0)
JACKPOT: dict[str, bool | int | str] = {**stops("jackpot_primary")}


def triggers(cards: Stack) -> bool:
    """The dealer's card starts the wheel, and nobody ties."""
    return cards[1] in ("7h", "7d") and not ties(cards[0], cards[1])


class Servers:
    """The server that has the house and another one, each with a table, their staff and a guest."""

    def __init__(self, house: House, wing: Wing, people: dict[str, Account]) -> None:
        self.house, self.wing, self.people = house, wing, people
        self._ids, self._sets = count(1), count(1)

    async def does(self, where: House, table: str, who: str, type_: str, **fields: Any) -> Answer:
        """The answer to somebody's command at a server."""
        id_ = str(next(self._ids))
        form = msgspec.convert({"type": type_, "id": id_, **fields}, CommandForm)
        by = self.people[who]
        command = to_command(form, by.name, where.clock.now_ms(), where.new_seed)
        return await where.dispatch.command(by, table, id_, command)

    async def must(self, where: House, table: str, who: str, type_: str, **fields: Any) -> None:
        """Somebody's command, which is accepted."""
        answer = await self.does(where, table, who, type_, **fields)
        assert isinstance(answer, Accepted), (type_, answer)

    async def move(self, name: str, what: Any, place: str = "") -> None:
        """The next step of a set's life, by whoever may do it."""
        by = self.people["dee" if what in ("inspected", "shuffled") else "flo"]
        await self.house.inventory.move(by, name, what, place)

    async def issued(self, table: str) -> str:
        """A new set, prepared and issued to a table."""
        name = f"red-{next(self._sets)}"
        await self.house.inventory.receive(self.people["flo"], name, 6, "red")
        for what in ("inspected", "verified", "shuffled"):
            await self.move(name, what)
        await self.move(name, "secured", "vault")
        await self.move(name, "issued", table)
        return name

    async def load(self, where: House, table: str, wanted: Callable[[Stack], bool]) -> LiveTable:
        """The guest at a table, and a shoe with the wanted cards."""
        live = where.floor.places[table].live
        where.floor.places[table].enter(self.people["ann"].name)
        await self.must(where, table, "ann", "join", amount=20_000, seat=1)
        await self.must(where, table, "dee", "receive_decks")
        while live.due[0].what == "prepare":
            due = live.due[0]
            await self.must(where, table, "dee", "prepare", step=due.step, batch=due.batch)
        with listing(live):
            await self.must(where, table, "dee", "shuffle_cards")
            if live.due[0].what == "cut":
                await self.must(where, table, "ann", "cut", position=100)
            for number in ordering(live, wanted, skipped=1).values():
                await self.must(where, table, "ann", "send_number", number=number)
            await self.must(where, table, "dee", "load_shoe")
        return live

    async def bet(self, where: House, table: str) -> None:
        """A round with the guest's wagers, up to "no more bets"."""
        await self.must(where, table, "dee", "start_round")
        await self.must(where, table, "ann", "bet", box=1, wager="primary", amount=100)
        await self.must(where, table, "ann", "bet", box=1, wager="bonus_spin", amount=500)
        await self.must(where, table, "dee", "close_bets")

    async def deal(self, where: House, table: str) -> None:
        """The side bets counted, and cards until people are due."""
        await self.must(where, table, "dee", "count_side_bets", bonus_spin=1)
        live = where.floor.places[table].live
        while live.due[0].what == "proceed":
            await self.must(where, table, "dee", "proceed")

    async def lose(self, server: House) -> None:
        """Have a server say nothing any more, until the other knows it."""
        other = self.house if server is self.wing else self.wing
        assert server.placing.presence is not None
        assert other.placing.carrier is not None
        await asyncio.to_thread(server.placing.presence.end)
        while server.owner in other.placing.carrier.servers:
            await asyncio.sleep(0.01)


def run(
    tmp_path: Path,
    postgres_server: str,
    monkeypatch: pytest.MonkeyPatch,
    work: Callable[[Servers], Awaitable[None]],
) -> None:
    """Open a house with a wing, each with a table with staff, and do this."""
    quiet(monkeypatch)
    address = new_database(postgres_server)
    config: dict[str, Any] = {
        "books": ("maryland",),
        "shared": PATIENT,
        "shared_meters": False,
        "second_approval": 500_000,
    }

    async def whole() -> None:
        house = await opened(tmp_path / "one", address, **config)
        staff: dict[str, Role] = {"dee": "dealer", "flo": "floor", "gus": "floor"}
        people = {
            name: await house.accounts.open(None, name, "three words of theirs", role)
            for name, role in staff.items()
        }
        for name in (HERE, THERE):
            asked = SharedTable(
                name, "maryland", staffed=True, settings=JACKPOT, confirmed=("bonus_spin",)
            )
            await house.pit.open_shared(people["flo"], asked)
        wing = await opened_wing(tmp_path / "two", address, **config)
        try:
            people["ann"], _, _ = await house.new_guest("192.0.2.7")
            await met(house, wing)
            await wing.follow()
            await house.pit.give_up(THERE, wing.owner)
            await wing.spreading.look()
            assert (HERE in house.floor.places, THERE in wing.floor.places) == (True, True)
            await work(Servers(house, wing, people))
            verify.verify(house.engine, house.key)
            assert sum(database.balances(house.engine).values()) == 0
        finally:
            await wing.stop()
            await house.stop()

    in_time(whole())


@pytest.fixture
def servers(
    tmp_path: Path, postgres_server: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Callable[[Servers], Awaitable[None]]], None]:
    """What opens two servers, and does something with them."""
    return lambda work: run(tmp_path, postgres_server, monkeypatch, work)


Run = Callable[[Callable[[Servers], Awaitable[None]]], None]


def before(house: House, table: str, first: Callable[[], Awaitable[None]]) -> None:
    """Do something else between a server's decision of its next row there and its commit."""
    commit, waits = house.writer.commit, [first]

    async def second(entry: Entry) -> None:
        if entry.row.table_name == table and waits:
            await waits.pop()()
        await commit(entry)

    house.writer.commit = second  # type: ignore[method-assign]  # as if it were slow


def test_staff_bring_cards_at_any_server(servers: Run) -> None:
    """What was issued at one is known at the other for the next command; so is what is in use."""

    async def work(both: Servers) -> None:
        house, wing = both.house, both.wing
        assert refused(await both.does(wing, THERE, "dee", "receive_decks")) == "no_cards"
        here, there = await both.issued(HERE), await both.issued(THERE)
        await both.must(wing, THERE, "dee", "receive_decks")
        await both.must(house, HERE, "dee", "receive_decks")
        assert await house.inventory.users() == {here: HERE, there: THERE}
        assert await wing.inventory.users() == {here: HERE, there: THERE}
        for name, table in ((here, HERE), (there, THERE)):
            with pytest.raises(Denied, match=f"in use at {table}"):
                await both.move(name, "destroyed", "shredder")
        new = await both.issued(THERE)
        await both.must(wing, THERE, "dee", "receive_decks")
        await both.move(there, "destroyed", "shredder")
        assert await house.inventory.users() == {here: HERE, new: THERE}
        with house.engine.begin() as connection:
            moved = schema.in_use.update().where(schema.in_use.c.card_set == new)
            connection.execute(moved.values(table_name=HERE))
        with pytest.raises(Broken, match="are stored as in use"):
            verify.verify(house.engine, house.key)
        with house.engine.begin() as connection:
            connection.execute(moved.values(table_name=THERE))

    servers(work)


@pytest.mark.parametrize("what", ["destroyed", "issued elsewhere"])
def test_cards_that_move_are_not_dealt(servers: Run, what: str) -> None:
    """Whoever is second decides again: the table is told that it has no cards."""

    async def work(both: Servers) -> None:
        house, wing = both.house, both.wing
        name = await both.issued(THERE)

        async def moved() -> None:
            await both.move(name, "secured", "vault")
            if what == "destroyed":
                await both.move(name, "destroyed", "shredder")
            else:
                await both.move(name, "issued", HERE)
                await both.must(house, HERE, "dee", "receive_decks")

        await wing.follow()
        before(wing, THERE, moved)
        answer = await both.does(wing, THERE, "dee", "receive_decks")
        assert refused(answer) == "no_cards"
        assert wing.floor.places[THERE].live.state.sets == ()
        used = {} if what == "destroyed" else {name: HERE}
        assert await house.inventory.users() == used

    servers(work)


def test_cards_that_change_are_looked_at_again(servers: Run) -> None:
    """A table does not take half of what is issued to it."""

    async def work(both: Servers) -> None:
        name = await both.issued(THERE)

        async def moved() -> None:
            await both.move(name, "secured", "vault")
            await both.issued(THERE)

        before(both.wing, THERE, moved)
        answer = await both.does(both.wing, THERE, "dee", "receive_decks")
        assert refused(answer) == "cards_moved"
        await both.must(both.wing, THERE, "dee", "receive_decks")

    servers(work)


def test_cards_that_are_dealt_do_not_move(servers: Run) -> None:
    """Also if the table took them after the inventory had looked."""

    async def work(both: Servers) -> None:
        name = await both.issued(THERE)

        async def taken() -> None:
            await both.must(both.wing, THERE, "dee", "receive_decks")

        before(both.house, OFFICE, taken)
        with pytest.raises(CommitRefused, match=f"The set {name} is in use at {THERE}"):
            await both.move(name, "destroyed", "shredder")
        assert both.house.inventory.find(name).state == "issued"
        assert both.wing.floor.places[THERE].live.state.sets == (name,)

    servers(work)


def test_a_round_with_staff_goes_on_at_another_server(servers: Run) -> None:
    """Its server is gone in the middle of a deal; an irregularity is dealt with at the other."""

    async def work(both: Servers) -> None:
        house, wing = both.house, both.wing
        name = await both.issued(THERE)
        await both.load(wing, THERE, triggers)
        await both.bet(wing, THERE)
        head = wing.floor.places[THERE].live.head
        await both.lose(wing)
        await house.spreading.look()
        live = house.floor.places[THERE].live
        assert live.head == head
        assert (live.state.dealer, live.due[0].what) == ("dee", "count")
        assert refused(await both.does(wing, THERE, "dee", "count_side_bets")) == "no_answer"
        await both.deal(house, THERE)
        assert live.due[0].what == "approval"
        await both.must(house, THERE, "flo", "void_round", reason="a test")
        with pytest.raises(Denied, match="in use"):
            await both.move(name, "secured", "vault")
        await both.issued(THERE)
        await both.must(house, THERE, "dee", "receive_decks")
        await both.move(name, "secured", "vault")

    servers(work)


def test_two_people_approve_an_award_at_two_servers(servers: Run) -> None:
    """The first at one and the second at the other, where the table is by then; staff see both."""

    async def work(both: Servers) -> None:
        house, wing = both.house, both.wing
        await both.issued(THERE)
        await both.load(wing, THERE, triggers)
        await both.bet(wing, THERE)
        await both.deal(wing, THERE)
        (shown,) = await waiting(wing)
        assert (shown.table, shown.approved_by) == (THERE, "")
        for _ in range(2):
            answer = await both.does(wing, THERE, "flo", "approve")
            assert refused(answer) == "second_approval"
        assert [each.approved_by for each in await waiting(wing)] == ["flo"]
        await wing.pit.give_up(THERE, house.owner)
        await house.spreading.look()
        answer = await both.does(house, THERE, "flo", "approve")
        assert refused(answer) == "second_approval"
        assert [each.approved_by for each in await waiting(house)] == ["flo"]
        live = house.floor.places[THERE].live
        held = live.state.guests[both.people["ann"].name].stack
        await both.must(house, THERE, "gus", "approve")
        assert live.state.guests[both.people["ann"].name].stack >= held + 1_000_000
        assert await waiting(house) == []

    servers(work)
