"""Chains of the journal: the rows of a table, of shared meters, of the cashier or the office."""

import asyncio
from typing import Any

from wartable.server.clock import Clock
from wartable.server.records import journal
from wartable.server.records.decisions import Decision
from wartable.server.records.journal import GENESIS, Commit, Entry, Statement
from wartable.server.records.store import Overtaken

NO_FENCE = 0
"""Of a chain that no process owns: cashier and office."""

Head = tuple[int, str]
"""The number and the hash of a chain's last row."""

START: Head = (0, GENESIS)


class Chain:
    """The rows under one name, by the key that seals their seeds and the fence of their owner."""

    def __init__(self, name: str, key: bytes, fence: int = NO_FENCE) -> None:
        self.name, self.key, self.fence = name, key, fence

    def entry(
        self,
        after: Head,
        at_ms: int,
        actor: str,
        id_: str,
        decision: Decision,
        *,
        statements: tuple[Statement, ...] = (),
        results: tuple[tuple[Any, ...], ...] = (),
    ) -> Entry:
        """The row after that one, with what commits beside it."""
        command, events = decision.command, decision.events
        row = journal.new_row(after, self.name, at_ms, actor, id_, command, events, self.key)
        return Entry(row, decision.transfers, self.fence, statements, results)


class HouseChain(Chain):
    """The rows of the cashier or the office, and where they end."""

    def __init__(
        self, name: str, commit: Commit, clock: Clock, key: bytes, head: Head | None
    ) -> None:
        super().__init__(name, key)
        self.head = head or START
        self._commit, self._clock = commit, clock
        self._turn = asyncio.Lock()

    async def write(
        self, actor: str, id_: str | None, decision: Decision, *statements: Statement
    ) -> int:
        """Write a row with what commits beside it; its number, which names it where no id does."""
        async with self._turn:
            while True:
                named = id_ or f"note-{self.head[0] + 1}"
                now_ms = self._clock.now_ms()
                entry = self.entry(self.head, now_ms, actor, named, decision, statements=statements)
                try:
                    await self._commit(entry)
                except Overtaken as error:
                    # Another server wrote here, or we did for somebody who did not wait.
                    self.head = error.head
                    continue
                self.head = (entry.row.number, entry.row.hash)
                return entry.row.number
