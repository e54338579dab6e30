"""What is done again and again while a house is open."""

import asyncio
from collections.abc import Awaitable, Callable

from wartable.server.logs import LOG


async def regularly(every_s: float, name: str, act: Callable[[], Awaitable[object]]) -> None:
    """Do it every so many seconds; a failure is logged, and the next time comes all the same."""
    while True:
        await asyncio.sleep(every_s)
        try:
            await act()
        except Exception:
            LOG.exception("%s failed", name)
