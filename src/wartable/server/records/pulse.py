"""Whether the database answers: which calls wait for it and since when."""

import asyncio
import itertools
import threading
import time
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import sqlalchemy as sa

from wartable.server.denied import Denied
from wartable.server.logs import LOG

CALL_PART = 0.5
"""The part of the time for an answer after which a waiting call means that the database stalls."""

LOOK_PART = 0.1
"""The interval at which a waiting request checks the database, as a part of that time."""

REQUEST_PART = 0.9
"""When a request first checks; a command at a table checks earlier, since it has its own answer."""

COMMAND_PART = 0.7

BEAT_PART = 0.25
"""The interval at which the database is asked for a sign of life, as a part of that time."""

UNREACHED = "The database does not answer; send the same request again later."

WorkResult = TypeVar("WorkResult")


def unreached() -> Denied:
    """The refusal of whatever needs a database that does not answer."""
    return Denied("database", UNREACHED)


class Call:
    """One call; every row needs one, and a generator would take three times as long."""

    __slots__ = ("_number", "_pulse")

    def __init__(self, pulse: "Pulse") -> None:
        self._pulse = pulse

    def __enter__(self) -> None:
        self._number = self._pulse.begin()

    def __exit__(self, *_: object) -> None:
        self._pulse.end(self._number)


class Pulse:
    """The calls that wait for the database, from any thread."""

    def __init__(self, answer_s: float) -> None:
        self.answer_s = answer_s
        self._since: dict[int, float] = {}
        self._turn = threading.Lock()
        self._numbers = itertools.count()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pulse")
        self.beats = True
        """Whether the last sign of life has come or is not yet late."""

    def call(self) -> "Call":
        """Count a call from its beginning to its end: `with pulse.call():`."""
        return Call(self)

    def begin(self) -> int:
        """Count a call from now on; return the number with which to end it."""
        with self._turn:
            number = next(self._numbers)
            self._since[number] = time.monotonic()
        return number

    def end(self, number: int) -> None:
        """Note that a call has ended."""
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
        """Ask for a sign of life until cancelled, in a separate thread, as others may be stuck."""

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

    async def outlasts(self, waiting: "asyncio.Future[Any]") -> bool:
        """Wait until this is done, or the database has stalled longer than an answer may take.

        Return whether it is done. It is not cancelled either way.
        """
        wait_s = self.answer_s * REQUEST_PART
        while True:
            await asyncio.wait({waiting}, timeout=wait_s)
            if waiting.done() or self.stalls:
                return waiting.done()
            wait_s = self.answer_s * LOOK_PART

    async def answer(
        self, waiting: "asyncio.Future[WorkResult]", none: WorkResult, part: float, most_s: float
    ) -> WorkResult:
        """The result of this, or `none` if it takes too long.

        That is after `most_s`, or when the database has stalled longer than an answer may take.
        """
        if waiting.done():
            return waiting.result()
        loop = asyncio.get_running_loop()
        first_s = min(self.answer_s * part, most_s)
        timer = loop.call_later(first_s, lambda: look(first_s))

        def look(waited_s: float) -> None:
            nonlocal timer
            if waiting.done():
                return
            if self.stalls or waited_s >= most_s:
                waiting.set_result(none)
                return
            more_s = min(self.answer_s * LOOK_PART, most_s - waited_s)
            timer = loop.call_later(more_s, look, waited_s + more_s)

        try:
            return await waiting
        finally:
            timer.cancel()

    async def in_time(self, work: Awaitable[WorkResult]) -> WorkResult:
        """The result of work that may be cancelled; it is refused while the database stalls."""
        task = asyncio.ensure_future(work)
        try:
            if await self.outlasts(task):
                return task.result()
        finally:
            task.cancel()
        raise unreached()
