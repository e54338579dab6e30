"""A live table applies a command's events once, and takes the new state only when it is stored."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import msgspec
import pytest

from applied import applied
from tables import seed
from waiting import in_time
from wartable import game, table
from wartable.croupier import PRIVATE
from wartable.rules import load
from wartable.server.clock import HouseClock
from wartable.server.records import journal, messages
from wartable.server.records.answers import Accepted
from wartable.server.records.keys import HouseKey
from wartable.server.records.rows import Entry
from wartable.server.records.store import CommitRefused
from wartable.server.tables.live import LiveTable
from wartable.table import commands as c
from wartable.table import events as e

KEY = HouseKey(bytes(32))
BET = game.Bet("ann", 1, "primary", 1000)


class Paper:
    """A live table whose journal is in memory."""

    def __init__(self, book: str, *, staffed: bool = False) -> None:
        self.entries: list[Entry] = []
        self.full = False
        self.seeds = 0
        self._numbers = count()
        setup = table.new_setup(load(book).rules, "t1", staffed)
        self.live = LiveTable(
            setup,
            PRIVATE,
            commit=self.commit,
            clock=HouseClock(),
            new_seed=self.new_seed,
            key=KEY,
            fence=1,
        )

    def new_seed(self) -> str:
        """Another seed."""
        self.seeds += 1
        return seed(self.seeds)

    async def commit(self, entry: Entry) -> None:
        """Write an entry, if there is room."""
        if self.full:
            raise CommitRefused("full", "The disk is full.")
        self.entries += entry.together()

    def events(self, after: int = 0) -> tuple[table.Event, ...]:
        """The events after so many rows, read back from the journal."""
        rows = [entry.row for entry in self.entries[after:]]
        return tuple(
            event for row in rows for event in messages.at_table(journal.read_row(row, KEY)[1])
        )

    async def do(self, command: c.Command, actor: str = "ann", *, deals: bool = False) -> str:
        """Give a command; the code of its refusal, empty if it was carried out."""
        answer = await self.live.submit(actor, f"{actor} {next(self._numbers)}", command, deals)
        return "" if isinstance(answer, Accepted) else answer.code

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Meanwhile the table runs."""
        await self.live.open("digest", ())
        task = asyncio.create_task(self.live.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def bets_open(self) -> None:
        """Sit down, and wait for open betting."""
        assert await self.do(c.Join("ann", 100_000, 1)) == ""
        while self.live.due[0].what != "bets":
            await (self.do(c.RefuseCut("ann")) if self.live.due[0].what == "cut" else soon())


def soon() -> Coroutine[Any, Any, None]:
    """Let the table's task go on."""
    return asyncio.sleep(0)


@pytest.mark.parametrize("book", ["online", "maryland"])
def test_a_live_bet_is_applied_once(book: str) -> None:
    """From the queue to the journal a bet's event is applied once, and so is the whole deal."""
    paper = Paper(book)

    async def play() -> None:
        async with paper.running():
            await paper.bets_open()
            for command in (BET, game.CloseBets()):
                rows = len(paper.entries)
                with applied() as seen:
                    assert await paper.do(command) == ""
                seen.check(paper.events(rows))
            dealt = {event.box for event in paper.events() if isinstance(event, game.Dealt)}
            assert dealt >= {0, 1}

    in_time(play())
    assert paper.live.state == table.fold(paper.events(), table.start(paper.live.setup))


def test_what_is_not_stored_has_not_happened() -> None:
    """A bet that is refused, or decided and then not stored, leaves the table as it was."""
    paper = Paper("online")

    async def play() -> None:
        async with paper.running():
            await paper.bets_open()
            listener = paper.live.listen(paper.live.head[0])
            before = paper.live.state, paper.live.head, paper.live.due
            assert await paper.do(game.Bet("ann", 1, "primary", 200_000)) == "insufficient"
            paper.full = True
            assert await paper.do(BET) == "full"
            assert (paper.live.state, paper.live.head, paper.live.due) == before
            assert listener.outbox.empty()
            paper.full = False
            assert await paper.do(BET) == ""
            assert not listener.outbox.empty()
            assert paper.live.state.guests["ann"].stack == 99_000

    in_time(play())
    assert paper.live.state == table.fold(paper.events(), table.start(paper.live.setup))


@pytest.mark.parametrize("staffed", [False, True])
def test_only_a_shuffle_draws_random_bytes(staffed: bool) -> None:
    """The system's randomness is asked once for each shuffle by the platform, else never."""
    paper = Paper("washington", staffed=staffed)

    async def play() -> None:
        async with paper.running():
            if not staffed:
                await paper.bets_open()
                return
            while paper.live.due[0].what != "shuffle":
                due = paper.live.due[0]
                assert due.what == "prepare", due
                step = msgspec.convert(due.step, c.Preparation)
                await paper.do(c.Prepare("dan", step, due.batch), "dan")
            for seat, name in enumerate(("ann", "bob", "cat"), 1):
                assert await paper.do(c.Join(name, 10_000, seat), name) == ""

    in_time(play())
    shuffles = sum(isinstance(event, e.ShoeStarted) for event in paper.events())
    assert (shuffles, paper.seeds) == ((0, 0) if staffed else (1, 1))


def test_a_dealers_first_command_is_decided_once() -> None:
    """The change of dealer and the command behind it are applied once, and stored together."""
    paper = Paper("washington", staffed=True)

    async def play() -> None:
        async with paper.running():
            assert await paper.do(c.Join("ann", 10_000, 1)) == ""
            rows = len(paper.entries)
            with applied() as seen:
                assert await paper.do(c.OrderReshuffle("dan", "x"), "dan", deals=True) == "no_shoe"
                assert paper.live.state.dealer is None
                assert not paper.events(rows)
                seen.to_tables.clear()
                assert await paper.do(c.Join("dan", 10_000, 2), "dan", deals=True) == ""
            seen.check(paper.events(rows))
            assert paper.live.state.dealer == "dan"

    in_time(play())
