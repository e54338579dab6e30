"""Running a job: chunks on threads, added in order, until done, precise enough or interrupted."""

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import msgspec

from wartable.sim.counters import count_chunk
from wartable.sim.job import Job, SimulationTally, chunk_count, chunk_rounds

Progress = Callable[[int, float], None]
"""Receives the number of rounds counted and the seconds so far."""
Enough = Callable[[SimulationTally], bool]
"""Whether the counts are enough."""
WAITING_PER_THREAD = 2


class Counted(msgspec.Struct):
    """What a run counted, how long it took, and whether it was interrupted."""

    tally: SimulationTally
    seconds: float
    partial: bool = False

    @property
    def rate(self) -> float:
        """Rounds per second."""
        return self.tally.rounds / self.seconds if self.seconds else 0.0


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    job: Job,
    rounds: int,
    threads: int,
    progress: Progress | None = None,
    enough: Enough | None = None,
) -> Counted:
    """Count the rounds on this many threads; an interruption keeps the counts so far."""
    count_chunk(job, 0, 1)  # load the compiled code before timing
    started = time.perf_counter()
    counted = Counted(SimulationTally(), 0.0)
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[SimulationTally]] = deque()
        try:
            for future in _in_order(pool, waiting, job, rounds, threads):
                counted.tally.add(future.result())
                counted.seconds = time.perf_counter() - started
                if progress:
                    progress(counted.tally.rounds, counted.seconds)
                if enough and enough(counted.tally):
                    break
        except KeyboardInterrupt:
            counted.partial = True
        for future in waiting:
            future.cancel()
    if counted.partial:
        _add_finished(counted, waiting, time.perf_counter() - started)
    return counted


def _in_order(
    pool: ThreadPoolExecutor,
    waiting: deque[Future[SimulationTally]],
    job: Job,
    rounds: int,
    threads: int,
) -> Iterator[Future[SimulationTally]]:
    """The chunks' futures in order, only a few submitted ahead."""
    for index in range(chunk_count(job, rounds)):
        waiting.append(pool.submit(count_chunk, job, index, chunk_rounds(job, rounds, index)))
        if len(waiting) > WAITING_PER_THREAD * threads:
            yield waiting.popleft()
    while waiting:
        yield waiting.popleft()


def _add_finished(
    counted: Counted, waiting: deque[Future[SimulationTally]], seconds: float
) -> None:
    """Add the chunks that were finished when the run was interrupted."""
    for future in waiting:
        if future.done() and not future.cancelled():
            counted.tally.add(future.result())
    counted.seconds = seconds
