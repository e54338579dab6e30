"""Long readings of the records: one at a time for each person, in threads of their own."""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from weakref import WeakValueDictionary

from wartable.server.denied import Denied

AT_ONCE = 2
"""How many readings run at the same time; few, as play has priority on the machine."""
WAITING_MAX = 8
"""How many readings of one person may wait."""

Read = TypeVar("Read")


class Turns:
    """The queue of readings, one turn for each person.

    Everybody has at most one reading in the queue, so nobody waits for more than one of another's.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(AT_ONCE, "reading")
        self._own: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._asked: Counter[str] = Counter()

    async def read(self, who: str, reading: Callable[[], Read]) -> Read:
        """The reading's result, once it is this person's turn."""
        if self._asked[who] >= WAITING_MAX:
            sentence = f"You have {WAITING_MAX} requests for records waiting; wait for an answer."
            raise Denied("too_many", sentence)
        own = self._own.get(who)
        if own is None:
            own = self._own[who] = asyncio.Lock()
        self._asked[who] += 1
        try:
            async with own:
                return await asyncio.get_running_loop().run_in_executor(self._threads, reading)
        finally:
            self._asked[who] -= 1
            if not self._asked[who]:
                del self._asked[who]

    def close(self) -> None:
        """End the threads; readings that still wait are dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)
