"""Running a job on a Dask cluster: the same chunks and streams, several chunks to a task."""

import logging
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

import distributed
from distributed import Client, as_completed

from wartable.refusal import Unusable
from wartable.sim.counters import count_chunks
from wartable.sim.job import Job, Kernel, SimulationTally, chunk_count
from wartable.sim.run import Counted, Enough, Progress

TASK_CHUNKS: dict[Kernel, int] = {"pairs": 32, "shoes": 64, "general": 32}
"""Chunks of a task: about a second's work, so the cost of sending it is negligible."""
TASKS_PER_WORKER = 3
TASKS_LEAST = 12
"""Tasks of each worker in a short run; several, so that no worker finishes long after the rest."""
CONNECT_SECONDS = 5
RETRIES = 10
"""How often a task may lose its worker before the run gives up."""


class ClusterError(Unusable):
    """A cluster that cannot be used, as a sentence."""

    kind = "cluster"


def untyped(function: Any) -> Any:
    """The same function without types, because distributed leaves some functions untyped."""
    return function


def run_on(
    address: str,
    job: Job,
    rounds: int,
    progress: Progress | None = None,
    enough: Enough | None = None,
) -> Counted:
    """Count the rounds on a cluster; a task whose worker dies runs again and counts once."""
    for name in ("distributed.comm", "distributed.client", "distributed.core"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client: Any = untyped(Client)(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, RuntimeError, ImportError):
        raise ClusterError(f"No Dask scheduler answers at {address}.") from None
    try:
        workers = sum(client.nthreads().values())
        if not workers:
            raise ClusterError(f"The scheduler at {address} has no workers; start one.")
        return _counted(client, job, rounds, workers, progress, enough)
    except (distributed.scheduler.KilledWorker, OSError) as error:
        raise ClusterError(f"The cluster at {address} failed: {error}.") from None
    finally:
        client.close()


def tasks(job: Job, rounds: int, workers: int) -> Iterator[tuple[int, int]]:
    """The first chunk and the number of chunks of each task."""
    chunks = chunk_count(job, rounds)
    size = max(1, min(TASK_CHUNKS[job.kernel], -(-chunks // (TASKS_LEAST * workers))))
    for first in range(0, chunks, size):
        yield first, min(size, chunks - first)


def _counted(
    client: Any,
    job: Job,
    rounds: int,
    workers: int,
    progress: Progress | None,
    enough: Enough | None,
) -> Counted:
    """The tallies of all tasks, a few ahead of the workers, added in the order of the chunks."""
    client.run(count_chunks, job, 1, 0, 1)  # load the compiled code before timing
    started = time.perf_counter()
    counted = Counted(SimulationTally(), 0.0)
    coming = tasks(job, rounds, workers)
    early: dict[int, tuple[SimulationTally, int]] = {}
    following = 0

    def submitted(first: int, count: int) -> Any:
        future = client.submit(count_chunks, job, rounds, first, count, pure=False, retries=RETRIES)
        future.chunks = (first, count)
        return future

    ahead = [submitted(*task) for task in islice(coming, TASKS_PER_WORKER * workers)]
    arriving = untyped(as_completed)(ahead, loop=client.loop)
    try:
        for future in arriving:
            first, count = future.chunks
            early[first] = (future.result(), count)
            future.release()
            if (task := next(coming, None)) is not None:
                arriving.add(submitted(*task))
            while following in early:
                tally, count = early.pop(following)
                following += count
                counted.tally.add(tally)
                counted.seconds = time.perf_counter() - started
                if enough and enough(counted.tally):
                    return counted
            if progress:
                progress(counted.tally.rounds, counted.seconds)
    except KeyboardInterrupt:
        counted.partial = True
        for tally, _ in early.values():
            counted.tally.add(tally)
        counted.seconds = time.perf_counter() - started
    return counted
