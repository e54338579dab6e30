"""A live table whose journal is in memory."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

from tables import seed
from wartable import game, table
from wartable.croupier import PRIVATE
from wartable.rules import load
from wartable.server.clock import HouseClock
from wartable.server.house.protection import Permit
from wartable.server.records import journal, messages
from wartable.server.records.answers import Accepted
from wartable.server.records.keys import HouseKey
from wartable.server.records.rows import Entry
from wartable.server.records.store import CommitRefused
from wartable.server.tables.live import LiveTable
from wartable.table import commands as c

KEY = HouseKey(bytes(32))
BET = game.Bet("ann", 1, "primary", 1000)


class Paper:
    """A live table whose journal is in memory."""

    def __init__(
        self, book: str, *, staffed: bool = False, permit: Permit = lambda *_: None
    ) -> None:
        self.entries: list[Entry] = []
        self.commits: list[tuple[Entry, ...]] = []
        """The same, as they were written together."""
        self.full = False
        self.before: Callable[[Entry], None] = lambda _: None
        """Called before an entry is written, which it may refuse."""
        self.after: Callable[[Entry], None] = lambda _: None
        """Called when it is written, and nobody has been told."""
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
            permit=permit,
        )

    def new_seed(self) -> str:
        """Another seed."""
        self.seeds += 1
        return seed(self.seeds)

    async def commit(self, entry: Entry) -> None:
        """Write an entry, if there is room."""
        if self.full:
            raise CommitRefused("full", "The disk is full.")
        self.before(entry)
        self.entries += entry.together()
        self.commits.append(entry.together())
        self.after(entry)

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
