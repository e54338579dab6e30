"""The commands that wait for their turn at a table."""

import asyncio
from collections import deque
from collections.abc import Sequence

from wartable.server.records.answers import PendingCommand


class CommandQueue(asyncio.Queue[PendingCommand | None]):
    """The commands of a table in the order in which they are carried out; None only wakes it."""

    _waiting: deque[PendingCommand | None]

    def _init(self, maxsize: int) -> None:  # noqa: ARG002  # as the queue calls it
        self._waiting = deque()
        self._queue = self._waiting  # the name that the other methods use

    def next(self) -> PendingCommand | None:
        """The command whose turn is next, which keeps waiting; None if there is none."""
        while self._waiting and self._waiting[0] is None:
            self.get_nowait()  # it only wakes the table, which is awake
        return self._waiting[0] if self._waiting else None

    async def get_within(self, wait_s: float | None) -> PendingCommand | None:
        """The next command; None if there is none in this time, or something else woke the table.

        Without a time it waits for as long as it takes.
        """
        if not self.empty():
            return self.get_nowait()
        try:
            # Not wait_for: it can swallow a cancellation, and nothing could stop the table's task.
            async with asyncio.timeout(wait_s):
                return await self.get()
        except TimeoutError:
            return None

    def put_back(self, commands: Sequence[PendingCommand]) -> None:
        """Let commands that were taken together wait again, before all others."""
        self._waiting.extendleft(reversed(commands))
