"""How a house runs: its event loop, and tasks that repeat while it is open."""

import asyncio
import gc
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Context
from typing import Any, TypeVar

import uvloop

from wartable.server.logs import LOG

Ran = TypeVar("Ran")

COLLECT_EVERY = 50_000
"""How many new objects trigger a collection of cycles."""


def collect_seldom() -> None:
    """Collect cycles of objects rarely: rows and events have none, and each collection is slow."""
    gc.set_threshold(COLLECT_EVERY)


def run(main: Coroutine[Any, Any, Ran]) -> Ran:
    """Run a server on uvloop, which bench/results.md compares with the standard event loop."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


async def regularly(every_s: float, name: str, act: Callable[[], Awaitable[object]]) -> None:
    """Repeat a task at an interval; a failure is logged and does not stop it."""
    while True:
        await asyncio.sleep(every_s)
        try:
            await act()
        except Exception:
            LOG.exception("%s failed", name)


def apart(work: Coroutine[Any, Any, None], name: str | None = None) -> asyncio.Task[None]:
    """A task that outlives the request that began it, so it is not logged under its trace."""
    return asyncio.create_task(work, name=name, context=Context())
