"""The long calculation of a shared table's order, in a thread so that nothing else waits."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from wartable import proof, provable
from wartable.table import Table

SHORT = 1_000
"""Up to this many iterations run in the caller's thread, since starting another takes longer."""


class Calculation:
    """The result of a table's next link and its closed list of numbers, once calculated."""

    def __init__(self, threads: ThreadPoolExecutor | None, done: Callable[[], None]) -> None:
        self._threads, self._done = threads, done
        self._running: tuple[str, asyncio.Future[bytes]] | None = None

    def needed(self, state: Table) -> bool:
        """Whether the next cards need a long calculation."""
        given = None if state.shoe is None else state.shoe.proof
        return given is not None and given.bound.iterations > SHORT

    def begin(self, state: Table, link: str) -> None:
        """Begin with the list of a stored row, unless it is being calculated already."""
        shoe = state.shoe
        assert shoe is not None
        assert shoe.proof is not None
        heard = provable.heard(shoe, state.numbers)
        asked = link + heard.hex()
        if self._running is not None and self._running[0] == asked:
            return
        if self._running is not None:
            self._running[1].cancel()
        work = partial(proof.draw_key, bytes.fromhex(link), heard, shoe.proof.bound.iterations)
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        self._running = asked, future
        future.add_done_callback(lambda _: self._done())

    def key(self, state: Table, link: str) -> str:
        """The result, or nothing while it is being calculated; raises any error from there."""
        if state.shoe is None or self._running is None:
            return ""
        asked, future = self._running
        if asked != link + provable.heard(state.shoe, state.numbers).hex() or not future.done():
            return ""
        return future.result().hex()
