"""A chain of the journal that belongs to no table: one writer, rows in their order."""

import asyncio
from typing import ClassVar

from wartable.ledger import Transfer
from wartable.server.clock import Clock
from wartable.server.records import journal, messages
from wartable.server.records.journal import GENESIS, Commit, Entry, Statement
from wartable.server.records.store import Overtaken

NO_FENCE = 0


class Chain:
    """The rows of the cashier or the office, and where they end."""

    name: ClassVar[str]

    def __init__(
        self,
        commit: Commit,
        clock: Clock,
        key: bytes,
        head: tuple[int, str] | None,
    ) -> None:
        self.head = head or (0, GENESIS)
        self._commit, self._clock, self._key = commit, clock, key
        self._turn = asyncio.Lock()

    async def write(
        self,
        actor: str,
        command_id: str | None,
        command: messages.Command,
        transfers: tuple[Transfer, ...] = (),
        statements: tuple[Statement, ...] = (),
    ) -> int:
        """Write a row with what commits beside it; its number, which names it where no id does."""
        events = messages.decide(None, None, command)
        async with self._turn:
            while True:
                id_ = command_id or f"note-{self.head[0] + 1}"
                now_ms = self._clock.now_ms()
                row = journal.new_row(
                    self.head, self.name, now_ms, actor, id_, command, events, self._key
                )
                try:
                    await self._commit(Entry(row, transfers, NO_FENCE, statements))
                except Overtaken as error:
                    # Another server wrote here, or we did for somebody who did not wait.
                    self.head = error.head
                    continue
                self.head = (row.number, row.hash)
                return row.number
