"""Running a job: chunks on threads, added in order, until done, precise enough or interrupted."""

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple, TypeVar

import msgspec

from wartable.sim.counters import count_chunk
from wartable.sim.job import (
    Job,
    Ranges,
    SimulationTally,
    chunk_count,
    chunk_rounds,
    joined,
    missing,
)

Progress = Callable[[int, float], None]
"""Receives the number of rounds counted and the seconds so far."""
Enough = Callable[[SimulationTally], bool]
"""Whether the counts are enough."""
Keep = Callable[["Counted"], None]
"""Receives the counts so far, to save them."""
WAITING_PER_THREAD = 2
Chunk = TypeVar("Chunk")


class Counted(msgspec.Struct):
    """What a run counted, how long it took, whether it was interrupted, and its chunks."""

    tally: SimulationTally
    seconds: float
    partial: bool = False
    done: Ranges = msgspec.field(default_factory=list)
    interruption: str = ""
    """What interrupted the run, if it was not its user."""

    @property
    def rate(self) -> float:
        """Rounds per second."""
        return self.tally.rounds / self.seconds if self.seconds else 0.0

    def add(self, tally: SimulationTally, first: int, end: int, seconds: float) -> None:
        """Add the tally of chunks that were counted after this many seconds."""
        self.tally.add(tally)
        self.done = joined([*self.done, (first, end)])
        self.seconds = seconds


class Part(NamedTuple):
    """What a run starts with, which chunks it counts, and the function that saves the counts."""

    counted: Counted
    chunks: tuple[int, int] | None = None
    keep: Keep | None = None

    def missing(self, job: Job, rounds: int) -> Ranges:
        """The chunks still to be counted."""
        end = chunk_count(job, rounds)
        first, last = self.chunks or (0, end)
        return missing(self.counted.done, first, min(last, end))


def whole() -> Part:
    """A run from its beginning to its end."""
    return Part(Counted(SimulationTally(), 0.0))


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Stop:
    """Whether the run was asked to stop; it stops between chunks, so that each is complete."""

    asked = False


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Treat the first Ctrl-C or SIGTERM as a request to stop; the next one ends the program."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}

    def asked(_number: int, _frame: object) -> None:
        stop.asked = True
        restore()

    def restore() -> None:
        for each, handler in before.items():
            signal.signal(each, handler)

    for each in before:
        signal.signal(each, asked)
    try:
        yield stop
    finally:
        restore()


def run(
    job: Job,
    rounds: int,
    threads: int,
    progress: Progress | None = None,
    enough: Enough | None = None,
    part: Part | None = None,
) -> Counted:
    """Count the rounds on this many threads; an interruption keeps the counts so far."""
    counted, _, keep = part = part or whole()
    coming = part.missing(job, rounds)
    if not coming or (enough and counted.done and enough(counted.tally)):
        return counted
    count_chunk(job, 0, 1)  # load the compiled code before timing
    started = time.perf_counter() - counted.seconds
    calls = (
        partial(_counted_chunk, job, index, chunk_rounds(job, rounds, index))
        for first, end in coming
        for index in range(first, end)
    )
    waiting: deque[Future[tuple[int, SimulationTally]]] = deque()
    with stoppable() as stop:
        with ThreadPoolExecutor(threads) as pool:
            for future in in_order(pool, waiting, threads, calls):
                index, tally = future.result()
                counted.add(tally, index, index + 1, time.perf_counter() - started)
                if keep:
                    keep(counted)
                if progress:
                    progress(counted.tally.rounds, counted.seconds)
                if (enough and enough(counted.tally)) or stop.asked:
                    break
            for future in waiting:
                future.cancel()
        if stop.asked:
            _add_finished(counted, waiting, time.perf_counter() - started)
            counted.partial = bool(part.missing(job, rounds))
        if keep:
            keep(counted)
    return counted


def _counted_chunk(job: Job, index: int, rounds: int) -> tuple[int, SimulationTally]:
    return index, count_chunk(job, index, rounds)


def in_order(
    pool: ThreadPoolExecutor,
    waiting: deque[Future[Chunk]],
    threads: int,
    calls: Iterable[Callable[[], Chunk]],
) -> Iterator[Future[Chunk]]:
    """The chunks' futures in order, only a few submitted ahead."""
    for call in calls:
        waiting.append(pool.submit(call))
        if len(waiting) > WAITING_PER_THREAD * threads:
            yield waiting.popleft()
    while waiting:
        yield waiting.popleft()


def _add_finished(
    counted: Counted, waiting: deque[Future[tuple[int, SimulationTally]]], seconds: float
) -> None:
    """Add the chunks that were finished when the run was interrupted."""
    counted.seconds = seconds
    for future in waiting:
        if not future.cancelled():
            index, tally = future.result()
            counted.add(tally, index, index + 1, seconds)
