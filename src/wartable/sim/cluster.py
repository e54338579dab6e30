"""Running on a Dask cluster: the same chunks and streams, several chunks to a task."""

import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import distributed
from distributed import Client, as_completed

from wartable.refusal import Unusable
from wartable.sim.counters import count_chunks
from wartable.sim.job import Job, Kernel, Ranges
from wartable.sim.run import Counted, Enough, Part, Progress, Stop, stoppable, whole
from wartable.sim.session import (
    SessionPlan,
    Tables,
    Walked,
    chunk_total,
    load_walks,
    walk_chunks,
)

TASK_CHUNKS: dict[Kernel, int] = {"pairs": 32, "shoes": 64, "general": 32}
"""Chunks of a task: about a second's work, so the cost of sending it is negligible."""
WALK_CHUNKS = 16
TASKS_PER_WORKER = 3
TASKS_LEAST = 12
"""Tasks of each worker in a short run; several, so that no worker finishes long after the rest."""
CONNECT_SECONDS = 5
RETRIES = 10
"""How often a task may lose its worker before the run gives up."""
LOST = "the cluster was lost"
LOST_RESULT = ("lost", "pending")
"""The status of a task whose worker died before its result was fetched; another worker does it."""

Task = tuple[int, int]
"""The first chunk and the number of chunks."""


class ClusterError(Unusable):
    """A cluster that cannot be used, as a sentence."""

    kind = "cluster"


class ClusterLost(Exception):
    """The scheduler is gone, or every worker with its results."""


def untyped(function: Any) -> Any:
    """The same function without types, because distributed leaves some functions untyped."""
    return function


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the scheduler at an address, with at least one worker."""
    for name in ("distributed.comm", "distributed.client", "distributed.core"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client: Any = untyped(Client)(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, RuntimeError, ImportError):
        raise ClusterError(f"No Dask scheduler answers at {address}.") from None
    try:
        if not client.nthreads():
            raise ClusterError(f"The scheduler at {address} has no workers; start one.")
        yield client
    finally:
        client.close(timeout=CONNECT_SECONDS)


def run_on(
    client: Any,
    job: Job,
    rounds: int,
    progress: Progress | None = None,
    enough: Enough | None = None,
    part: Part | None = None,
) -> Counted:
    """Count the rounds on a cluster; a task whose worker dies runs again and counts once.

    If the scheduler is lost, what arrived before that is the result, and it is partial.
    """
    counted, _, keep = part = part or whole()
    coming = part.missing(job, rounds)
    if not coming or (enough and counted.done and enough(counted.tally)):
        return counted
    _ask_workers(client, count_chunks, job, 1, 0, 1)
    started = time.perf_counter() - counted.seconds
    with stoppable() as stop:
        try:
            for (first, count), tally in _arriving(
                client,
                tasks(coming, TASK_CHUNKS[job.kernel], _threads(client)),
                stop,
                count_chunks,
                job,
                rounds,
            ):
                counted.add(tally, first, first + count, time.perf_counter() - started)
                if keep:
                    keep(counted)
                if progress:
                    progress(counted.tally.rounds, counted.seconds)
                if enough and enough(counted.tally):
                    return counted
        except ClusterLost:
            counted.interruption = LOST
    counted.partial = bool(part.missing(job, rounds))
    return counted


def walk_on(
    client: Any, session: SessionPlan, tables: Tables, seed: int, progress: Progress | None = None
) -> Walked:
    """Walk all paths on a cluster; the same paths as on threads."""
    _ask_workers(client, load_walks, session, tables, seed)
    started = time.perf_counter()
    total = Walked()
    coming = tasks([(0, chunk_total(session))], WALK_CHUNKS, _threads(client))
    with stoppable() as stop:
        try:
            for _, walked in _arriving(client, coming, stop, walk_chunks, session, tables, seed):
                total.add(walked)
                if progress:
                    progress(total.paths, time.perf_counter() - started)
        except ClusterLost:
            total.interruption = LOST
    total.partial = total.paths < session.paths
    total.seconds = time.perf_counter() - started
    return total


def tasks(chunks: Ranges, most: int, workers: int) -> Iterator[Task]:
    """The chunks as tasks of at most that many, and enough of them for every worker."""
    total = sum(end - first for first, end in chunks)
    size = max(1, min(most, -(-total // (TASKS_LEAST * workers))))
    for first, end in chunks:
        for start in range(first, end, size):
            yield start, min(size, end - start)


def _threads(client: Any) -> int:
    return max(1, sum(map(int, client.nthreads().values())))


def _ask_workers(client: Any, function: Callable[..., Any], *arguments: Any) -> None:
    """Let every worker load the compiled code, and name one that does not have it."""
    answers = client.run(function, *arguments, on_error="return")
    for worker, answer in answers.items():
        if not isinstance(answer, Exception):
            continue
        if lacking := re.search(r"No module named '([\w.]+)'", str(answer)):
            raise ClusterError(
                f"The worker {worker} lacks the package {lacking[1]}; install there:"
                " pip install 'wartable[sim,cluster]'."
            )
        raise ClusterError(f"The worker {worker} cannot count: {answer}.")


def _arriving(
    client: Any, coming: Iterator[Task], stop: Stop, function: Callable[..., Any], *arguments: Any
) -> Iterator[tuple[Task, Any]]:
    """Each task and what its chunks gave, in the order of the chunks, a few ahead of the workers.

    When the run is stopped or the cluster lost, what arrived early comes last.
    """
    early: dict[int, tuple[Task, Any]] = {}
    order: list[int] = []

    def submitted(task: Task) -> Any:
        future = client.submit(function, *arguments, *task, pure=False, retries=RETRIES)
        future.chunks = task
        order.append(task[0])
        return future

    ahead = [submitted(task) for task in islice(coming, TASKS_PER_WORKER * _threads(client))]
    arriving = untyped(as_completed)(ahead, loop=client.loop)
    try:
        for future in arriving:
            if future.status in LOST_RESULT:
                arriving.add(future)
                continue
            if future.status != "finished":
                yield from early.values()
                if future.status == "error":
                    raise ClusterError(f"A worker failed: {future.exception()}.")
                raise ClusterLost
            early[future.chunks[0]] = (future.chunks, future.result())
            future.release()
            if not stop.asked and (task := next(coming, None)) is not None:
                arriving.add(submitted(task))
            while order and order[0] in early:
                yield early.pop(order.pop(0))
            if stop.asked:
                yield from early.values()
                return
    except (OSError, distributed.scheduler.KilledWorker) as error:
        raise ClusterError(f"The cluster failed: {error}.") from None
