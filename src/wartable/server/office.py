"""Significant events: who did what to whom, when and why, in a chain of the journal."""

import asyncio
from collections.abc import Awaitable, Callable

from wartable.server import journal, records
from wartable.server.cashier import NO_FENCE
from wartable.server.journal import GENESIS, Entry, Statement
from wartable.server.live import Clock
from wartable.server.records import OFFICE, Note
from wartable.server.store import Overtaken


class Office:
    """The one writer of the office's rows; what changes rights commits beside its row."""

    def __init__(
        self,
        commit: Callable[[Entry], Awaitable[None]],
        clock: Clock,
        key: bytes,
        head: tuple[int, str] | None,
    ) -> None:
        self.head = head or (0, GENESIS)
        self._commit, self._clock, self._key = commit, clock, key
        self._turn = asyncio.Lock()

    async def note(self, actor: str, note: Note, *statements: Statement) -> int:
        """Write the event and carry out the statements, both or neither; the row's number."""
        events = records.decide(None, None, note)
        async with self._turn:
            while True:
                id_ = f"note-{self.head[0] + 1}"
                now_ms = self._clock.now_ms()
                row = journal.new_row(
                    self.head, OFFICE, now_ms, actor, id_, note, events, self._key
                )
                try:
                    await self._commit(Entry(row, (), NO_FENCE, statements))
                except Overtaken as error:
                    self.head = error.head
                    continue
                self.head = (row.number, row.hash)
                return row.number
