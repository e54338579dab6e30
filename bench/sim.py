"""The simulator against its limit in C, a plain Python loop and NumPy: one run, ratios.

Rates on one core are by the thread's own time, so that a busy machine does not blur them; those
of two threads and of the cluster are by the clock. Every rate is the best of several.
"""

import ctypes
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from wartable.rules import load_any
from wartable.sim import counters, kernels, walks
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


def compiled(folder: str) -> Any:
    """The reference as a library, or None without a compiler or AVX2."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or platform.machine() not in ("x86_64", "AMD64"):
        return None
    library = Path(folder) / "limit.so"
    command = [compiler, "-O3", "-mavx2", "-shared", "-fPIC", "-o", str(library)]
    done = subprocess.run([*command, str(HERE / "limit.c")], check=False)
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
        settings = numbers(DECKS, boxes, length(boxes), 1, COVER, 3, rounds)
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


def rows_on_one_core(limit: Any) -> list[tuple[str, float, float, float]]:
    """Name, rate, the reference's rate and the goal of each kernel."""
    walked = int(paths(None)[PATHS:].sum())
    cases: list[tuple[str, int, Callable[[Any], Any], float]] = [
        ("fresh shoe, decks as an argument", 40_000_000, lambda c: pairs(c, 40_000_000), 0.55),
        ("dealt shoe, 1 box", 4_000_000, lambda c: shoes(c, 1, 4_000_000), 0.85),
        ("dealt shoe, 3 boxes", 1_500_000, lambda c: shoes(c, 3, 1_500_000), 0.0),
        ("dealt shoe, 7 boxes", 700_000, lambda c: shoes(c, 7, 700_000), 0.85),
        ("session paths", walked, paths, 0.8),
    ]
    rows = []
    for name, rounds, work, goal in cases:
        mine, other = raced(lambda work=work: work(None), lambda work=work: work(limit))
        rows.append((name, rounds / mine, rounds / other, goal))
    return rows


def scaling(limit: Any, rounds: int) -> tuple[float, float]:
    """How much faster two threads are than one, kernel and reference, by the clock."""

    def best(threads: int, library: Any) -> float:
        times = []
        for _ in range(7):
            started = time.perf_counter()
            running = [
                threading.Thread(target=pairs, args=(library, rounds)) for _ in range(threads)
            ]
            for thread in running:
                thread.start()
            for thread in running:
                thread.join()
            times.append(time.perf_counter() - started)
        return min(times) / threads

    return best(1, None) / best(2, None), best(1, limit) / best(2, limit)


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


def cluster_overhead(job: Job, rounds: int) -> tuple[float, float]:
    """The seconds of two threads, and of two workers on the same machine, in turns."""
    with ExitStack() as stack:

        def started(*arguments: str) -> "subprocess.Popen[str]":
            process = dask(*arguments)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        scheduler = started("scheduler", "--host", "127.0.0.1", "--port", "0")
        assert scheduler.stderr is not None
        address = next(
            found[0] for line in scheduler.stderr if (found := re.search(r"tcp://\S+:\d+", line))
        )
        for _ in range(2):
            started("worker", address, "--nthreads", "1", "--no-nanny")
        joined = 0
        while joined < 2:
            joined += "Register worker" in scheduler.stderr.readline()
        threads, workers = [], []
        for _ in range(5):
            threads.append(run(job, rounds, 2).seconds)
            workers.append(run_on(address, job, rounds).seconds)
        return min(threads), min(workers)


def first_result() -> float:
    """The seconds from a cold start of the command to its first result, the cache being warm."""
    main = "from wartable.cli import main; main()"
    command = [sys.executable, "-c", main, "simulate", "online", "--rounds", "1e6", "--json"]
    return min(_seconds(command) for _ in range(5))


def help_start() -> float:
    """The seconds that the command line takes without a kernel."""
    command = [sys.executable, "-c", "from wartable.cli import main; main()", "--help"]
    return min(_seconds(command) for _ in range(5))


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def machine() -> str:
    """The processor and the compiler of this run."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        found = re.search(r"model name\s*: (.*)", info.read_text())
        cpu = found[1] if found else cpu
    return f"{cpu}, Python {platform.python_version()}"


def main() -> None:
    """Run everything and print it as Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        limit = compiled(folder)
        print(f"{machine()}\n")
        if limit is None:
            print("No C compiler: the kernels have no reference in this run.\n")
            print(f"fresh shoe: {rate_of(lambda n: pairs(None, n), 10**8) / 1e6:,.0f} M rounds/s")
        else:
            print("| one core, million rounds/s | Numba | C, AVX2 | ratio | goal |")
            print("|---|---|---|---|---|")
            for name, mine, other, goal in rows_on_one_core(limit):
                wanted = f"{goal:.2f}" if goal else ""
                print(
                    f"| {name} | {mine / 1e6:,.0f} | {other / 1e6:,.0f} | {mine / other:.2f} "
                    f"| {wanted} |"
                )
            mine, other = scaling(limit, 400_000_000)
            print(f"\ntwo threads against one: {mine:.2f} times (C {other:.2f} times)")
    print(f"plain Python loop: {rate_of(plain_python, 200_000) / 1e6:.2f} M rounds/s")
    print(f"NumPy in blocks: {rate_of(with_numpy, 1 << 24) / 1e6:.0f} M rounds/s")
    for book, rounds in (("online", 10**10), ("maryland", 2 * 10**8)):
        setup = set_up(load_any(book), policy_of("war"))
        threads, workers = cluster_overhead(job_of(setup, 1), rounds)
        print(
            f"cluster, {book}: two workers {workers:.2f} s, two threads {threads:.2f} s, "
            f"{workers / threads - 1:+.1%}"
        )
    print(f"first result with a warm cache: {first_result():.2f} s")
    print(f"the command line without a kernel: {help_start() * 1000:.0f} ms")


if __name__ == "__main__":
    main()
