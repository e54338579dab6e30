"""The simulator against its limit in C, a plain Python loop and NumPy: one run, ratios.

Numba and C get vectors of the same width, once for each width that the processor has; a process of
its own measures each. Rates on one core are by the thread's own time, so that a busy machine does
not blur them; those of two threads and of the cluster are by the clock. Every rate is the best of
several.
"""

import ctypes
import os
import platform
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import llvmlite.binding
import numpy as np

from wartable.rules import NAMES, load_any
from wartable.sim import counters, general, kernels, walks
from wartable.sim.cluster import run_on
from wartable.sim.job import Job
from wartable.sim.policy import policy_of
from wartable.sim.run import run
from wartable.sim.setup import job_of, set_up

HERE = Path(__file__).parent
DECKS = 6
COVER = 234
REPEATS = 15
NETS = np.array([0, -1000, 1000, -2000, 1000, 2000, *[0] * 11], np.int64)
SURRENDERED = np.array([0, 0, 0, *[-500] * 14], np.int64)
PATHS, PATH_ROUNDS = 20_000, 200

Work = Callable[[], Any]


def features() -> dict[str, bool]:
    """What this processor has, by LLVM's names."""
    return dict(llvmlite.binding.get_host_cpu_features())


def widths() -> list[int]:
    """The widths of vectors that this processor has and the reference is written for."""
    found = features()
    wanted = {256: ("avx2",), 512: ("avx512bw", "avx512vl", "avx512dq")}
    return [width for width, names in wanted.items() if all(found.get(name) for name in names)]


def limited(width: int) -> str:
    """The processor's features for Numba, without those of wider vectors."""
    allowed = {
        name: on and (width == 512 or not name.startswith(("avx512", "avx10")))
        for name, on in features().items()
    }
    return ",".join(f"{'+' if on else '-'}{name}" for name, on in sorted(allowed.items()))


def compiled(folder: str, width: int) -> Any:
    """The reference for a width as a library, or None without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    library = Path(folder) / f"limit{width}.so"
    level = {256: "x86-64-v3", 512: "x86-64-v4"}[width]
    command = [compiler, "-O3", f"-march={level}", "-mtune=native", f"-DWIDTH={width}"]
    command += ["-shared", "-fPIC", "-o", str(library), str(HERE / "limit.c")]
    done = subprocess.run(command, check=False)
    return ctypes.CDLL(str(library)) if done.returncode == 0 else None


def pointer(array: Any) -> Any:
    """An array for a C function."""
    return array.ctypes.data_as(ctypes.c_void_p)


def numbers(*values: int) -> list[Any]:
    """Whole numbers for a C function."""
    return [ctypes.c_long(value) for value in values]


def streams() -> tuple[Any, Any, Any]:
    """Fresh lanes, lanes for wars and the spare stream of one chunk."""
    placed = counters.streams(1, 0)
    spare = placed[:, counters.SPARE_STREAM].copy()
    return counters.lanes(placed, 0), counters.lanes(placed, counters.WAR_STREAM), spare


def length(boxes: int) -> int:
    """How far a shoe is shuffled."""
    return -(-(COVER + 2 * (boxes + 1) + 3) // 4) * 4


def pairs(limit: Any, rounds: int) -> Any:
    """Fresh shoes, one box: the kernel's counts, or the reference's."""
    lanes, wars, _ = streams()
    out = np.zeros(5, np.int64)
    if limit is None:
        kernels.count_pairs(lanes, wars, DECKS, rounds, out)
    else:
        limit.limit_pairs(pointer(lanes), pointer(wars), *numbers(DECKS, rounds), pointer(out))
    return out


def shoes(limit: Any, boxes: int, rounds: int) -> Any:
    """A dealt shoe: the kernel's counts, or the reference's."""
    lanes, _, spare = streams()
    out = np.zeros(10_000, np.int64)
    if limit is None:
        settings = (DECKS, boxes, length(boxes), 1, COVER, 3, 0, True)
        kernels.count_shoes(lanes, spare, *settings, rounds, out)
    else:
        settings = numbers(DECKS, boxes, length(boxes), 1, COVER, 3, 0, rounds)
        limit.limit_shoes(pointer(lanes), pointer(spare), *settings, pointer(out))
    return out


def paths(limit: Any) -> Any:
    """Bankrolls: the walk's final money and rounds, or the reference's."""
    lanes, _, spare = streams()
    finals, played = np.zeros(PATHS, np.int64), np.zeros(PATHS, np.int64)
    ends = (50_000, 1000, 2000, -1, 1 << 60)
    if limit is None:
        checks, fan = np.array([PATH_ROUNDS], np.int64), np.zeros((0, 1), np.int64)
        flags = (DECKS, False, True)
        tables = (NETS, SURRENDERED, checks, fan)
        walks.walk_flat(lanes, spare, *flags, *ends, *tables, finals, played)
    else:
        tables = (pointer(NETS), pointer(SURRENDERED))
        sizes = numbers(PATH_ROUNDS, PATHS)
        head = (pointer(lanes), pointer(spare), *numbers(DECKS, *ends))
        limit.limit_walks(*head, *tables, *sizes, pointer(finals), pointer(played))
    return np.concatenate([finals, played])


def tallied(limit: Any, job: Job, rounds: int) -> Any:
    """A whole job: the tally of its kernel, or the reference's, as one comparable array."""
    if limit is None:
        tally = counters.count_chunk(job, 0, rounds)
        keys = sorted(each for each in tally.keys.items() if each[1])
        spins = [tally.spins[stop] for stop in range(len(job.hot_spots) * len(job.community))]
        return np.array([*(number for each in keys for number in each), *spins])
    with patched(limit):
        return tallied(None, job, rounds)


@contextmanager
def patched(limit: Any) -> Iterator[None]:
    """The counters with the reference in the place of the kernels."""

    def count_pairs(lanes: Any, wars: Any, decks: int, rounds: int, out: Any) -> None:
        limit.limit_pairs(pointer(lanes), pointer(wars), *numbers(decks, rounds), pointer(out))

    def count_shoes(lanes: Any, spare: Any, *rest: Any) -> int:
        *settings, war, rounds, out = rest
        assert war, "the reference always goes to war"
        sizes = numbers(*map(int, settings), rounds)
        limit.limit_shoes(pointer(lanes), pointer(spare), *sizes, pointer(out))
        return 0

    def count_general(lanes: Any, spare: Any, settings: Any, *rest: Any) -> int:
        _tags, policy, levels, hot_spots, community, rounds, keys, counts, plain, spins = rest
        assert policy.size == levels.size == 1, "the reference counts no cards"
        places = [*range(general.ORDERED), general.TRIGGER_RANK, general.TRIGGER_SUITS]
        terms = np.array([*settings[places], policy[0]], np.int64)
        weights = [
            part for each in (hot_spots, community) for part in (pointer(each), *numbers(each.size))
        ]
        tables = (pointer(keys), pointer(counts), *numbers(keys.size), pointer(plain))
        head = (pointer(lanes), pointer(spare), pointer(terms), *weights, *numbers(rounds))
        return int(limit.limit_general(*head, *tables, pointer(spins)))

    with (
        mock.patch.object(kernels, "count_pairs", count_pairs),
        mock.patch.object(kernels, "count_shoes", count_shoes),
        mock.patch.object(general, "count_general", count_general),
    ):
        yield


def raced(mine: Work, other: Work) -> tuple[float, float]:
    """The best times of two ways to the same result, taken in turns."""
    assert (mine() == other()).all(), "the kernel and the reference count differently"
    best = [float("inf")] * 2
    for _ in range(REPEATS):
        for place, work in enumerate((mine, other)):
            started = time.thread_time()
            work()
            best[place] = min(best[place], time.thread_time() - started)
    return best[0], best[1]


ROUNDS = {"pairs": 40_000_000, "shoes": 4_000_000, "general": 2_000_000}
"""How many rounds of a book are timed, by its kernel."""


def rows_on_one_core(limit: Any) -> list[tuple[str, float, float, float]]:
    """Name, rate, the reference's rate and the goal of each kernel and each book."""
    walked = int(paths(None)[PATHS:].sum())
    cases: list[tuple[str, int, Callable[[Any], Any], float]] = [
        ("fresh shoe, decks as an argument", 40_000_000, lambda c: pairs(c, 40_000_000), 0.7),
        ("dealt shoe, 1 box", 4_000_000, lambda c: shoes(c, 1, 4_000_000), 0.85),
        ("dealt shoe, 3 boxes", 1_500_000, lambda c: shoes(c, 3, 1_500_000), 0.0),
        ("dealt shoe, 7 boxes", 700_000, lambda c: shoes(c, 7, 700_000), 0.85),
        ("session paths", walked, paths, 0.8),
    ]
    for book in NAMES:
        for shuffle in (None, "every_round"):
            setup = set_up(load_any(book), policy_of("war"), shuffle=shuffle)
            if shuffle == load_any(book).rules.options.shuffle:
                continue  # its own method, which is measured already
            job = job_of(setup, 1)
            rounds = ROUNDS[job.kernel]
            name = f"{book}, every wager, {setup.shuffle.replace('_', ' ')}"
            work = partial(tallied, job=job, rounds=rounds)
            cases.append((name, rounds, work, 0.5))
    rows = []
    for name, rounds, work, goal in cases:
        mine, other = raced(lambda work=work: work(None), lambda work=work: work(limit))
        rows.append((name, rounds / mine, rounds / other, goal))
    return rows


def scaling(limit: Any, rounds: int) -> dict[str, tuple[float, float]]:
    """How much faster two threads are than one, kernel and reference: by the clock, and own time.

    By the threads' own time a busy machine does not count, but two threads that wait for each
    other's memory do.
    """

    def best(threads: int, library: Any) -> tuple[float, float]:
        clock, own = float("inf"), float("inf")
        for _ in range(40):
            taken: list[float] = []

            def work(taken: list[float] = taken) -> None:
                started = time.thread_time()
                pairs(library, rounds)
                taken.append(time.thread_time() - started)

            started = time.perf_counter()
            running = [threading.Thread(target=work) for _ in range(threads)]
            for thread in running:
                thread.start()
            for thread in running:
                thread.join()
            clock = min(clock, time.perf_counter() - started)
            own = min(own, max(taken))
        return clock / threads, own / threads

    one, two = best(1, None), best(2, None)
    limit_one, limit_two = best(1, limit), best(2, limit)
    return {
        "by the clock": (one[0] / two[0], limit_one[0] / limit_two[0]),
        "by the threads' own time": (one[1] / two[1], limit_one[1] / limit_two[1]),
    }


def plain_python(rounds: int) -> int:
    """What a loop in plain Python does: two cards, and two more after a tie."""
    ties = 0
    for _ in range(rounds):
        card = random.randrange(312)
        dealers = random.randrange(311)
        dealers += dealers >= card
        if card // 24 == dealers // 24:
            ties += random.randrange(310) // 24 == random.randrange(309) // 24
    return ties


def with_numpy(rounds: int) -> int:
    """What NumPy does in blocks: two cards, and two more after a tie."""
    generator = np.random.default_rng(1)
    ties = 0
    for _ in range(rounds // 65536):
        cards = generator.integers(0, 312, 65536, dtype=np.uint16)
        dealers = generator.integers(0, 311, 65536, dtype=np.uint16)
        dealers += dealers >= cards
        won, tied = cards // 24 > dealers // 24, cards // 24 == dealers // 24
        ties += int(won.sum() & 1) + int(tied.sum())
        generator.integers(0, 310 * 309, int(tied.sum()), dtype=np.uint32)
    return ties


def rate_of(work: Callable[[int], Any], rounds: int) -> float:
    """Rounds per second of one core."""
    best = float("inf")
    for _ in range(3):
        started = time.thread_time()
        work(rounds)
        best = min(best, time.thread_time() - started)
    return rounds / best


def dask(*arguments: str) -> "subprocess.Popen[str]":
    """A process of a cluster on loopback."""
    command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)


class Cost(NamedTuple):
    """Seconds by the clock, and of all processors together."""

    clock: float
    processors: float


def processor_seconds(processes: list["subprocess.Popen[str]"]) -> float:
    """The processor time that this process and some others have used (Linux)."""
    total = time.process_time()
    for process in processes:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def cluster_overhead(job: Job, rounds: int) -> tuple[Cost, Cost]:
    """What two threads cost, and two workers on the same machine, in turns."""
    processes: list[subprocess.Popen[str]] = []
    with ExitStack() as stack:

        def started(*arguments: str) -> "subprocess.Popen[str]":
            process = dask(*arguments)
            processes.append(process)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        scheduler = started("scheduler", "--host", "127.0.0.1", "--port", "0")
        assert scheduler.stderr is not None
        address = next(
            found[0] for line in scheduler.stderr if (found := re.search(r"tcp://\S+:\d+", line))
        )
        for _ in range(2):
            started("worker", address, "--nthreads", "1", "--no-nanny", "--death-timeout", "30")
        joined = 0
        while joined < 2:
            joined += "Register worker" in scheduler.stderr.readline()
        run_on(address, job, 1000)
        costs: list[list[Cost]] = [[], []]
        for _ in range(4):
            for place, work in enumerate(
                (lambda: run(job, rounds, 2), lambda: run_on(address, job, rounds))
            ):
                before = processor_seconds(processes)
                clock = work().seconds
                costs[place].append(Cost(clock, processor_seconds(processes) - before))
        threads, workers = (
            Cost(min(c.clock for c in each), min(c.processors for c in each)) for each in costs
        )
        return threads, workers


def started_cost(*arguments: str) -> Cost:
    """What the command takes from its start to its end."""
    command = [sys.executable, "-c", "from wartable.cli import main; main()", *arguments]
    clock, processors = [], []
    for _ in range(5):
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        clock.append(time.perf_counter() - started)
        used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        processors.append(used)
    return Cost(min(clock), min(processors))


def machine() -> str:
    """The processor and the compiler of this run."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        found = re.search(r"model name\s*: (.*)", info.read_text())
        cpu = found[1] if found else cpu
    return f"{cpu}, Python {platform.python_version()}"


def compare(width: int) -> None:
    """Print the kernels beside the reference, both with vectors of one width."""
    with tempfile.TemporaryDirectory() as folder:
        limit = compiled(folder, width)
        if limit is None:
            print("No C compiler: the kernels have no reference in this run.\n")
            print(f"fresh shoe: {rate_of(lambda n: pairs(None, n), 10**8) / 1e6:,.0f} M rounds/s")
            return
        print(f"| one core, {width} bits, million rounds/s | Numba | C | ratio | goal |")
        print("|---|---|---|---|---|")
        for name, mine, other, goal in rows_on_one_core(limit):
            wanted = f"{goal:.2f}" if goal else ""
            rates = f"{mine / 1e6:,.0f} | {other / 1e6:,.0f} | {mine / other:.2f}"
            print(f"| {name} | {rates} | {wanted} |", flush=True)
        print()
        for how, (mine, other) in scaling(limit, 60_000_000).items():
            print(f"two threads against one, {how}: {mine:.2f} times (C {other:.2f} times)")
        print(flush=True)


def main() -> None:
    """Run everything and print it as Markdown."""
    if len(sys.argv) > 1:
        compare(int(sys.argv[1]))
        return
    print(f"{machine()}\n", flush=True)
    for width in widths():
        with tempfile.TemporaryDirectory() as folder:
            allowed = {"NUMBA_CPU_FEATURES": limited(width), "NUMBA_CACHE_DIR": folder}
            own = [sys.executable, __file__, str(width)]
            subprocess.run(own, env=os.environ | allowed, check=True)
    print(f"plain Python loop: {rate_of(plain_python, 200_000) / 1e6:.2f} M rounds/s")
    print(f"NumPy in blocks: {rate_of(with_numpy, 1 << 24) / 1e6:.0f} M rounds/s")
    for book, rounds in (("online", 10**10), ("maryland", 2 * 10**8)):
        setup = set_up(load_any(book), policy_of("war"))
        threads, workers = cluster_overhead(job_of(setup, 1), rounds)
        print(
            f"cluster, {book}, two workers against two threads: {workers.clock:.2f} s against "
            f"{threads.clock:.2f} s ({workers.clock / threads.clock - 1:+.1%}) by the clock, "
            f"{workers.processors / threads.processors - 1:+.1%} of processor time"
        )
    for name, arguments in (
        ("first result with a warm cache", ("simulate", "online", "--rounds", "1e6", "--json")),
        ("the command line without a kernel", ("--help",)),
    ):
        cost = started_cost(*arguments)
        print(f"{name}: {cost.clock:.3f} s by the clock, {cost.processors:.3f} s of processor time")


if __name__ == "__main__":
    main()
