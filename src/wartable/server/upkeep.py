"""What is done again and again while a house is open."""

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable

from wartable.server.logs import LOG

CHANGED_MS = 1_000
"""From how much on a step of the machine's clock is a change of it, and not its regulation."""

COLLECT_EVERY = 50_000
"""How many more objects there must be before cycles of them are looked for."""


def collect_seldom() -> None:
    """Look seldom for cycles of objects: rows and events have none, and each look takes time."""
    gc.set_threshold(COLLECT_EVERY)


class ClockWatch:
    """Whether the machine's clock goes as the time that has passed does."""

    def __init__(self) -> None:
        self._ahead_ms = self._now_ms()

    def changed(self) -> tuple[int, int] | None:
        """What the clock should show and what it shows, where it was set since the last look."""
        before, self._ahead_ms = self._ahead_ms, self._now_ms()
        if abs(self._ahead_ms - before) < CHANGED_MS:
            return None
        now_ms = time.time_ns() // 1_000_000
        return now_ms - (self._ahead_ms - before), now_ms

    def _now_ms(self) -> int:
        """How far the clock is ahead of the time since the machine started."""
        return (time.time_ns() - time.monotonic_ns()) // 1_000_000


async def regularly(every_s: float, name: str, act: Callable[[], Awaitable[object]]) -> None:
    """Do it every so many seconds; a failure is logged, and the next time comes all the same."""
    while True:
        await asyncio.sleep(every_s)
        try:
            await act()
        except Exception:
            LOG.exception("%s failed", name)
