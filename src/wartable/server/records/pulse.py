"""Whether the database answers: which calls wait for it and since when."""

import asyncio
import itertools
import math
import threading
import time
from collections.abc import Awaitable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import sqlalchemy as sa

from wartable.server.denied import Denied
from wartable.server.logs import LOG

CALL_PART = 0.5
"""A call that has waited for this part of the time for an answer means that the database stalls."""

LOOK_PART = 0.1
"""How often a waiting request checks the database, as a part of the time for an answer."""

REQUEST_PART = 0.9
"""When a request first checks; a command at a table checks earlier, since it has its own answer."""

COMMAND_PART = 0.7

BEAT_PART = 0.25
"""How often the database is asked for a sign of life, as a part of the time for an answer."""

UNREACHED = "The database does not answer; send the same request again later."

WorkResult = TypeVar("WorkResult")


def unreached() -> Denied:
    """The refusal of whatever needs a database that does not answer."""
    return Denied("database", UNREACHED)


class Pulse:
    """The calls that wait for the database, from any thread."""

    def __init__(self, answer_s: float) -> None:
        self.answer_s = answer_s
        self._since: dict[int, float] = {}
        self._turn = threading.Lock()
        self._numbers = itertools.count()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pulse")
        self.beats = True
        """Whether the last sign of life came, or is not late yet."""

    @contextmanager
    def call(self) -> Iterator[None]:
        """Count a call from its beginning to its end."""
        with self._turn:
            number = next(self._numbers)
            self._since[number] = time.monotonic()
        try:
            yield
        finally:
            with self._turn:
                del self._since[number]

    @property
    def stalls(self) -> bool:
        """Whether a call has waited too long."""
        with self._turn:
            first = next(iter(self._since.values()), None)
        return first is not None and time.monotonic() - first >= self.answer_s * CALL_PART

    def watch(self, engine: sa.Engine) -> None:
        """Count every call of an engine."""

        @sa.event.listens_for(engine, "do_connect")
        def _connect(dialect: Any, _: Any, words: Any, options: Any) -> Any:
            with self.call():
                return dialect.connect(*words, **options)

        @sa.event.listens_for(engine, "do_execute")
        def _execute(cursor: Any, statement: str, values: Any, _: Any) -> bool:
            with self.call():
                cursor.execute(statement, values)
            return True

        @sa.event.listens_for(engine, "do_executemany")
        def _execute_many(cursor: Any, statement: str, values: Any, _: Any) -> bool:
            with self.call():
                cursor.executemany(statement, values)
            return True

    async def beat(self, engine: sa.Engine) -> None:
        """Ask for a sign of life until cancelled, in a separate thread: others may be stuck."""

        def ask() -> None:
            with engine.connect() as connection:
                connection.execute(sa.select(1))

        loop = asyncio.get_running_loop()
        while True:
            try:
                await loop.run_in_executor(self._thread, ask)
                self.beats = True
            except Exception as problem:
                self.beats = False
                LOG.warning("database not reached", extra={"error": type(problem).__name__})
            await asyncio.sleep(self.answer_s * BEAT_PART)

    def close(self) -> None:
        """End the thread once its call has ended."""
        self._thread.shutdown(wait=False)

    async def outlasts(
        self, waiting: "asyncio.Future[Any]", part: float = REQUEST_PART, most_s: float = math.inf
    ) -> bool:
        """Wait until this is done, or the database has stalled longer than an answer may take.

        Return whether it is done, after `most_s` at the latest. It is not cancelled.
        """
        wait_s, waited_s = self.answer_s * part, 0.0
        while True:
            wait_s = min(wait_s, most_s - waited_s)
            await asyncio.wait({waiting}, timeout=wait_s)
            waited_s += wait_s
            if waiting.done() or self.stalls or waited_s >= most_s:
                return waiting.done()
            wait_s = self.answer_s * LOOK_PART

    async def in_time(self, work: Awaitable[WorkResult]) -> WorkResult:
        """The result of work that may be cancelled; it is refused while the database stalls."""
        task = asyncio.ensure_future(work)
        try:
            if await self.outlasts(task):
                return task.result()
        finally:
            task.cancel()
        raise unreached()
