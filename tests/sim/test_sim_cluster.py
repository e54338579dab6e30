"""A cluster on loopback: the same counts as one thread, even when a worker is killed."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from waiting import WAIT_S
from wartable.rules import load_any
from wartable.sim.cluster import ClusterError, run_on, tasks
from wartable.sim.job import CHUNK_ROUNDS, Job, chunk_count
from wartable.sim.policy import policy_of
from wartable.sim.run import run
from wartable.sim.setup import job_of, set_up

pytestmark = pytest.mark.slow("starts a cluster")


def dask(*arguments: str) -> "subprocess.Popen[str]":
    """A process of the cluster, as its command starts it."""
    command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)


@contextmanager
def ended(process: "subprocess.Popen[str]") -> Iterator["subprocess.Popen[str]"]:
    """The process, ended with the test."""
    try:
        yield process
    finally:
        process.kill()
        if process.stderr is not None:
            process.stderr.close()
        process.wait()


@pytest.fixture
def cluster() -> Iterator[tuple[str, list["subprocess.Popen[str]"]]]:
    """A scheduler's address and its two worker processes."""
    with ExitStack() as stack:
        scheduler = stack.enter_context(
            ended(dask("scheduler", "--host", "127.0.0.1", "--port", "0"))
        )
        assert scheduler.stderr is not None
        address = next(
            found[0] for line in scheduler.stderr if (found := re.search(r"tcp://\S+:\d+", line))
        )
        workers = [
            stack.enter_context(
                ended(
                    dask(
                        "worker",
                        address,
                        "--nthreads",
                        "1",
                        "--no-nanny",
                        "--death-timeout",
                        str(WAIT_S),
                    )
                )
            )
            for _ in range(2)
        ]
        joined = 0
        for line in scheduler.stderr:
            joined += "Register worker" in line
            if joined == 2:
                break
        yield address, workers


def test_same_counts_with_a_worker_killed(
    cluster: tuple[str, list["subprocess.Popen[str]"]],
) -> None:
    """Two workers, one killed in the middle, count exactly what one thread counts."""
    address, workers = cluster
    setup = set_up(load_any("maryland"), policy_of("war"), boxes=3)
    job = job_of(setup, 17)
    rounds = 40 * CHUNK_ROUNDS["general"] + 12345
    seen: list[int] = []

    def progress(counted: int, _seconds: float) -> None:
        if not seen:
            workers[0].send_signal(signal.SIGKILL)
            workers[0].wait(WAIT_S)
        seen.append(counted)

    counted = run_on(address, job, rounds, progress)
    assert workers[0].returncode == -signal.SIGKILL
    assert workers[1].poll() is None
    assert len(seen) > 1, "the worker was killed only after the last task"
    alone = run(job, rounds, 2)
    assert counted.tally.rounds == alone.tally.rounds == rounds
    assert counted.tally.keys == alone.tally.keys
    assert counted.tally.spins == alone.tally.spins
    assert counted.tally.shoes == alone.tally.shoes
    stopped = run_on(address, job, 10**12, enough=lambda tally: tally.rounds > 10**7)
    assert stopped.tally.rounds < 10**9


@pytest.mark.parametrize("workers", [1, 2, 40])
@pytest.mark.parametrize("rounds", [1, 2**26, 10**9, 10**13])
def test_tasks_cover_all_chunks(rounds: int, workers: int) -> None:
    """The tasks are all chunks, each once, in order."""
    job, following = Job(1), 0
    for first, size in tasks(job, rounds, workers):
        assert first == following
        following += size
    assert following == chunk_count(job, rounds)


def test_no_workers() -> None:
    """A scheduler without workers is refused in one sentence."""
    with ended(dask("scheduler", "--host", "127.0.0.1", "--port", "0")) as scheduler:
        assert scheduler.stderr is not None
        address = next(
            found[0] for line in scheduler.stderr if (found := re.search(r"tcp://\S+:\d+", line))
        )
        with pytest.raises(ClusterError, match="has no workers; start one"):
            run_on(address, Job(1), 1000)
