"""How long exact odds take: every wager of a book, and boxes together, on one core."""

import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from wartable.odds import Expectation, Odds, Plan, joint
from wartable.odds.bank import bank
from wartable.odds.boxes import shapes, weigh_shapes
from wartable.odds.par import encode, make_sheet
from wartable.odds.slices import Seat
from wartable.rules import NAMES, load, load_any
from wartable.sim.compositions import seat_values

REPEATS = 5
WAGERS_MS_MAX = 100.0
NINE_BOXES_MS_MAX = 50.0
COMPOSITION_MS_MAX = 0.05
COMPOSITIONS = 1_000
ROWS = 1_000_000


def measured(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """The median milliseconds of the processor that the work takes."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(1000 * (time.process_time() - start))
    return sorted(times)[repeats // 2]


def wagers(name: str) -> None:
    """Every wager of a book, with the choice to surrender too."""
    odds = Odds(load(name))
    for kind in odds.offered:
        odds.wager(kind)
    odds.wager("primary", "surrender")


def boxes(name: str, number: int) -> None:
    """The joint distribution of boxes, from nothing."""
    shapes.cache_clear()
    weigh_shapes.cache_clear()
    joint(Odds(load(name), seen=["9s", "9d", "2c"]), number)


def compositions() -> tuple[float, float, float]:
    """Milliseconds for all actions of one composition: by the walk, closed form, in an array."""
    book = load("maryland")
    odds, plan = Odds(book), Plan(primary=1000, tie=300, war_tie=500)
    form = Expectation(odds, plan)
    left = odds.composition.without(["9s", "9d", "2c"])

    def walk() -> None:
        whole = Odds(book, composition=left)
        whole.plan(plan)
        whole.plan(plan._replace(choice="surrender"))
        whole.best(plan)

    def closed() -> None:
        for _ in range(COMPOSITIONS):
            form.seat(left.ranks)

    rows = np.tile(np.array(left.ranks), (ROWS, 1))
    seat_values(form, rows[:1])  # compiled once
    array = measured(lambda: seat_values(form, rows)) / ROWS
    return measured(walk), measured(closed) / COMPOSITIONS, array


def cold() -> float:
    """Milliseconds from after the import to every wager of the largest book, book read anew."""
    text = (
        "import time; import wartable.odds; from wartable.rules import load; "
        "start = time.process_time(); odds = wartable.odds.Odds(load('maryland')); "
        "[odds.wager(kind) for kind in odds.offered]; odds.wager('primary', 'surrender'); "
        "print(1000 * (time.process_time() - start))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", text], capture_output=True, check=True, text=True)
    ]
    return min(float(run.stdout) for run in runs)


def processor() -> str:
    """The machine's processor by its own name."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def main() -> None:
    """Print the table; fail where a promise is not kept."""
    california = Odds(load("california"))
    seats = [Seat(box, f"p{box}", 1000) for box in range(1, 8)]
    lines: list[tuple[str, float, float | None]] = [
        ("maryland, every wager, book read anew", cold(), WAGERS_MS_MAX),
        *(
            (f"{name}, every wager", measured(lambda n=name: wagers(n)), WAGERS_MS_MAX)
            for name in NAMES
        ),
        ("maryland, 2 boxes together", measured(lambda: boxes("maryland", 2)), None),
        ("maryland, 9 boxes together", measured(lambda: boxes("maryland", 9)), NINE_BOXES_MS_MAX),
        (
            "california, the bank, 7 opponents",
            measured(lambda: bank(california, seats, 7000), 3),
            None,
        ),
        (
            "maryland, PAR sheet as PDF",
            measured(lambda: encode(make_sheet(load_any("maryland"), ""), ".pdf"), 3),
            None,
        ),
    ]
    walk, closed, array = compositions()
    lines += [
        ("one composition, every action, by the walk", walk, None),
        ("the same in closed form, as fractions", closed, COMPOSITION_MS_MAX),
        ("the same in a compiled array", array, COMPOSITION_MS_MAX),
    ]
    print(f"Python {platform.python_version()}, {processor()}; milliseconds of the processor.\n")
    print("| what | ms | at most |\n|---|---|---|")
    for name, took, most in lines:
        digits = 1 if took >= 0.1 else 6
        print(f"| {name} | {took:,.{digits}f} | {'' if most is None else f'{most:g}'} |")
    print(f"\nThe closed form is {walk / closed:,.0f} times as fast as the walk, ", end="")
    print(f"the compiled array {walk / array:,.0f} times.")
    broken = [name for name, took, most in lines if most is not None and took > most]
    if broken:
        sys.exit(f"Too slow: {', '.join(broken)}.")


if __name__ == "__main__":
    main()
