"""A cluster on loopback: the same counts as one thread, whatever is killed, and what it lacks."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from waiting import WAIT_S, living, ran, until
from wartable.cli import wartable
from wartable.odds.wagers import meters_of
from wartable.rules import load_any
from wartable.sim import run as running
from wartable.sim.cluster import LOST, ClusterError, connected, run_on, tasks, walk_on
from wartable.sim.job import CHUNK_ROUNDS, SimulationTally, chunk_count
from wartable.sim.policy import policy_of
from wartable.sim.run import Counted, Part, run
from wartable.sim.saved import CountsFile
from wartable.sim.session import PATHS_PER_CHUNK, SessionPlan, tables_of, walk
from wartable.sim.setup import SimulationSetup, job_of, set_up

pytestmark = pytest.mark.slow("starts a cluster")


class Dask:
    """A program of the cluster, as its command starts it, and what it says."""

    def __init__(self, stack: ExitStack, log: Path, *arguments: str, path: str = "") -> None:
        """Start it; `path` comes before its packages."""
        self._log = log
        command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
        own = {**os.environ, "PYTHONPATH": path}
        with log.open("w") as out:  # a pipe that nobody reads would fill up and stop it
            self.process = subprocess.Popen(command, stderr=out, stdout=subprocess.DEVNULL, env=own)
        stack.enter_context(living(self.process))

    def said(self, pattern: str, times: int = 1) -> str:
        """The first match in what it says, once there are so many."""

        def found() -> list[str]:
            assert self.process.poll() is None, self._log.read_text()
            matches = re.findall(pattern, self._log.read_text())
            return matches if len(matches) >= times else []

        return until(found, f"it does not say {pattern}")[0]

    def times(self, words: str) -> int:
        """How often it has said this."""
        return self._log.read_text().count(words)


class Scheduler(Dask):
    """A scheduler, to which a test brings its workers."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        super().__init__(
            stack, folder / "scheduler", "scheduler", "--host", "127.0.0.1", "--port", "0"
        )
        self.address = self.said(r"tcp://\S+:\d+")

    def worker(self, stack: ExitStack, log: Path, path: str = "") -> "subprocess.Popen[bytes]":
        """A worker that has come."""
        alone = ("--nthreads", "1", "--no-nanny", "--death-timeout", str(WAIT_S))
        before = self.times("Register worker")
        started = Dask(stack, log, "worker", self.address, *alone, path=path)
        self.said("Register worker", before + 1)
        return started.process


class Cluster:
    """A scheduler and two workers."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        leading = Scheduler(stack, folder)
        self.scheduler, self.address = leading.process, leading.address
        self.workers = [leading.worker(stack, folder / name) for name in ("one", "two")]

    @property
    def whole(self) -> bool:
        """Whether nobody has ended one of its programs."""
        return all(each.poll() is None for each in (self.scheduler, *self.workers))


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scheduler]:
    """A scheduler whose workers leave with their test."""
    with ExitStack() as stack:
        yield Scheduler(stack, tmp_path_factory.mktemp("scheduler"))


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Cluster]]:
    """Gives the cluster that the tests share, or another after a test that has hurt it."""
    run(JOB, 1, 1)  # compiles for the workers, who would each do it at the same time
    with ExitStack() as stack:
        started: list[Cluster] = []

        def whole() -> Cluster:
            if not started or not started[-1].whole:
                started.append(Cluster(stack, tmp_path_factory.mktemp("cluster")))
            return started[-1]

        yield whole


@pytest.fixture
def cluster(clusters: Callable[[], Cluster]) -> Cluster:
    """A scheduler and two workers, all alive."""
    return clusters()


SETUP: SimulationSetup = set_up(load_any("maryland"), policy_of("war"), boxes=3)
JOB = job_of(SETUP, 17)


class Pieces(NamedTuple):
    """How one job is divided, and what happens to its parts."""

    rounds: int
    first: int
    """So many chunks are counted by a run that is cut off, and the others on a cluster."""
    scheduler_at: int
    """After so many answers the scheduler is killed."""
    cuts: tuple[tuple[str, int], ...]
    """By which signal the run is cut off, and while which of its chunks is counted."""

    @property
    def command(self) -> list[str]:
        """What counts the whole of it."""
        rounds = str(self.rounds)
        return ["simulate", "maryland", "--boxes", "3", "--seed", "17", "--rounds", rounds]


CHUNK = CHUNK_ROUNDS["general"]
PIECES = Pieces(28 * CHUNK + 12345, 16, 6, (("SIGINT", 3), ("SIGKILL", 4), ("SIGTERM", 2)))
CUTS_DEEP = (("SIGKILL", 4), ("SIGINT", 3), ("SIGKILL", 6), ("SIGTERM", 2), ("SIGKILL", 3))
PIECES_DEEP = Pieces(40 * CHUNK + 12345, 18, 8, CUTS_DEEP)
CUT = """
import os, random, signal, sys
from wartable.sim import run, saved
saved.SAVE_SECONDS = 0
how, when = signal.Signals[sys.argv.pop(1)], int(sys.argv.pop(1))
counted, calls = run.count_chunk, 0
def cut(*arguments):
    global calls
    tally = counted(*arguments)
    calls += 1
    if calls == when:
        os.kill(os.getpid(), how)
    return tally
run.count_chunk = cut
from wartable.cli import main
main()
"""


def equal(one: SimulationTally, other: SimulationTally) -> bool:
    """Whether two tallies have the same counts of everything."""
    return (one.rounds, +one.keys, +one.spins, one.shoes) == (
        other.rounds,
        +other.keys,
        +other.spins,
        other.shoes,
    )


def cut_off(file: Path, how: str, when: int, pieces: Pieces) -> int:
    """The exit code of a run that was cut off while its chunk of that number was counted."""
    command = [sys.executable, "-c", CUT, how, str(when), *pieces.command, "--json"]
    command += ["--threads", "2", "--chunks", f"0:{pieces.first}", "--counts", str(file)]
    return ran(command).returncode


class LosingTask:
    """A task that was done, and whose worker died before its result was fetched."""

    def __init__(self, *arguments: Any, **_: object) -> None:
        self.arguments, self.chunks, self.status = arguments, (0, 0), ""

    def result(self) -> SimulationTally:
        """What it has counted in the end."""
        function, *counted = self.arguments
        tally: SimulationTally = function(*counted)
        return tally

    def release(self) -> None:
        """It is not needed any more."""


class LosingClient:
    """A client of one worker."""

    loop = None
    submit = LosingTask

    def nthreads(self) -> dict[str, int]:
        """The worker's threads."""
        return {"worker": 1}

    def run(self, *_: object, **__: object) -> dict[str, object]:
        """What the worker answers."""
        return {}


class Arriving(list[LosingTask]):
    """The tasks that are waited for, and how each stands when it comes; one that is added, too."""

    statuses: tuple[str, ...]

    def __init__(self, tasks: Iterable[LosingTask], **_: object) -> None:
        super().__init__(tasks)
        self._coming = [*self.statuses]

    def add(self, task: LosingTask) -> None:
        """Wait for a task, which comes last."""
        self.append(task)

    def __iter__(self) -> Iterator[LosingTask]:
        while self:
            task = self.pop(0)
            task.status = self._coming.pop(0) if self._coming else "finished"
            yield task


def counted_by(monkeypatch: pytest.MonkeyPatch, *statuses: str) -> Counted:
    """What is counted where the tasks come like this."""
    monkeypatch.setattr(Arriving, "statuses", statuses, raising=False)
    monkeypatch.setattr("wartable.sim.cluster.as_completed", Arriving)
    return run_on(LosingClient(), JOB, 3 * CHUNK)


@pytest.mark.parametrize(
    "statuses", [(), ("lost",), ("finished", "pending", "lost"), 9 * ("lost",)]
)
def test_a_result_that_was_lost_with_its_worker_comes_again(
    monkeypatch: pytest.MonkeyPatch, statuses: tuple[str, ...]
) -> None:
    """The cluster is not lost with it: another worker counts the same, and it counts once."""
    counted = counted_by(monkeypatch, *statuses)
    assert (counted.interruption, counted.partial) == ("", False)
    assert equal(counted.tally, run(JOB, 3 * CHUNK, 1).tally)


def test_a_cluster_that_is_lost_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks that nobody does any more end the run, with what was counted until then."""
    counted = counted_by(monkeypatch, "finished", "lost", "cancelled")
    assert (counted.interruption, counted.partial) == (LOST, True)
    assert counted.tally.rounds > 0


def test_sessions_and_an_end_in_between(cluster: Cluster) -> None:
    """Sessions on a cluster are those of one thread, and a run stops when it has enough."""
    book = load_any("online")
    plan = SessionPlan(
        book, 20_000, 1000, 50, 9 * PATHS_PER_CHUNK + 5, 6, meters_of(book), table_max=50_000
    )
    tables = tables_of(plan)
    alone = walk(plan, tables, 3, 1)
    with connected(cluster.address) as client:
        walked = walk_on(client, plan, tables, 3)
        stopped = run_on(client, JOB, 10**8, enough=lambda tally: tally.rounds > 10**6)
    assert (walked.paths, walked.rounds) == (alone.paths, alone.rounds)
    assert walked.finals == alone.finals
    assert walked.ruined_at == alone.ruined_at
    assert [each.tolist() for each in walked.fan] == [each.tolist() for each in alone.fan]
    assert 10**6 < stopped.tally.rounds < 10**8 / 2
    assert not walked.partial


def test_one_job_in_pieces(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deep: bool
) -> None:
    """One job gives the counts of one run, however it is cut off, divided, killed and merged.

    The first part is cut off again and again, by Ctrl-C and by being killed. The second runs on two
    workers, of which one is killed, until the scheduler is killed. The third is the rest.
    """
    files = [tmp_path / f"{name}.json" for name in ("cut", "cluster", "rest")]
    pieces = PIECES_DEEP if deep else PIECES
    rounds, chunks = pieces.rounds, chunk_count(JOB, pieces.rounds)
    for how, when in pieces.cuts:
        code = 3 if how != "SIGKILL" else -signal.SIGKILL
        assert cut_off(files[0], how, when, pieces) == code
    arguments = [
        *pieces.command,
        "--chunks",
        f"0:{pieces.first}",
        "--counts",
        str(files[0]),
        "--json",
    ]
    assert CliRunner().invoke(wartable, arguments).exit_code == 0

    half = 0
    with connected(cluster.address) as client:

        def progress(_counted: int, _seconds: float) -> None:
            nonlocal half
            half += 1
            if half == 2:
                cluster.workers[0].send_signal(signal.SIGKILL)
                cluster.workers[0].wait(WAIT_S)
            elif half == pieces.scheduler_at:
                cluster.scheduler.kill()

        kept = CountsFile(files[1])
        part = Part(Counted(SimulationTally(), 0.0), (pieces.first, chunks), kept.keep(JOB, rounds))
        lost = run_on(client, JOB, rounds, progress, part=part)
        kept.write()
    assert lost.partial
    assert lost.interruption == LOST
    assert half >= pieces.scheduler_at

    merging = [each for file in files[:2] for each in ("--merge", str(file))]
    rest = CliRunner().invoke(
        wartable, [*pieces.command, *merging, "--counts", str(files[2]), "--json"]
    )
    assert rest.exit_code == 0, rest.output
    monkeypatch.setattr(running, "count_chunk", None)  # every chunk is counted by now
    found = CountsFile(files[2]).start(JOB, rounds)
    again = run(JOB, rounds, 1, part=Part(found))
    monkeypatch.undo()
    assert again.done == [(0, chunks)]
    assert equal(again.tally, run(JOB, rounds, 2).tally)


@pytest.mark.parametrize("workers", [1, 2, 40])
@pytest.mark.parametrize("chunks", [[(0, 1)], [(0, 15)], [(3, 5), (7, 10_000)], [(0, 150_000)]])
def test_tasks_cover_all_chunks(chunks: list[tuple[int, int]], workers: int) -> None:
    """The tasks are all chunks, each once, in order."""
    found = [
        index for first, size in tasks(chunks, 32, workers) for index in range(first, first + size)
    ]
    assert found == [index for first, end in chunks for index in range(first, end)]


def test_no_workers(scheduler: Scheduler) -> None:
    """A scheduler without workers is refused in one sentence."""
    with (
        pytest.raises(ClusterError, match="has no workers; start one"),
        connected(scheduler.address),
    ):
        pass


def test_a_worker_without_the_package(scheduler: Scheduler, tmp_path: Path) -> None:
    """A worker that lacks the package is named in one sentence."""
    (tmp_path / "wartable").mkdir()
    lacking = "raise ModuleNotFoundError(\"No module named 'wartable'\", name='wartable')"
    (tmp_path / "wartable" / "__init__.py").write_text(lacking)
    with ExitStack() as stack:
        scheduler.worker(stack, tmp_path / "worker", str(tmp_path))
        command = ["simulate", "online", "--cluster", scheduler.address]
        told = CliRunner().invoke(wartable, command)
    scheduler.said("Remove worker")
    assert told.exit_code == 2
    assert re.fullmatch(
        r"wartable: The worker tcp://\S+ lacks the package wartable; install there:"
        r" pip install 'wartable\[sim,cluster\]'\.\n",
        told.stderr,
    )
