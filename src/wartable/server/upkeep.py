"""Tasks that repeat while a house is open."""

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable

from wartable.server.logs import LOG

CHANGED_MS = 1_000
"""The smallest step of the machine's clock that counts as somebody setting it."""

COLLECT_EVERY = 50_000
"""How many new objects trigger a collection of cycles."""


def collect_seldom() -> None:
    """Collect cycles of objects rarely: rows and events have none, and each collection is slow."""
    gc.set_threshold(COLLECT_EVERY)


class ClockWatch:
    """Compares the machine's clock with the time that has passed."""

    def __init__(self) -> None:
        self._ahead_ms = self._now_ms()

    def changed(self) -> tuple[int, int] | None:
        """What the clock should show and what it shows, if it was set since the last look."""
        before, self._ahead_ms = self._ahead_ms, self._now_ms()
        if abs(self._ahead_ms - before) < CHANGED_MS:
            return None
        now_ms = time.time_ns() // 1_000_000
        return now_ms - (self._ahead_ms - before), now_ms

    def _now_ms(self) -> int:
        """How far the clock is ahead of the time since the machine started."""
        return (time.time_ns() - time.monotonic_ns()) // 1_000_000


async def regularly(every_s: float, name: str, act: Callable[[], Awaitable[object]]) -> None:
    """Repeat a task at an interval; a failure is logged and does not stop it."""
    while True:
        await asyncio.sleep(every_s)
        try:
            await act()
        except Exception:
            LOG.exception("%s failed", name)
