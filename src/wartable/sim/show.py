"""A simulation's result for people: a table, and a progress bar while it runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from wartable.sim.report import Z_99
from wartable.sim.setup import SimulationSetup
from wartable.sim.sweep import FIGURES
from wartable.sim.textchart import fan_lines, final_lines

CLASSES_SHOWN_MAX = 24
SWEEP_WIDTH = 160
DISAGREES = "DISAGREES with the exact odds: |z| of 4 or more, or p of 0.0001 or less."
SCALES = ((1, ""), (10**6, "M"), (10**12, "T"), (10**18, "E"))
COLUMN_CENTS_MAX = 10**10
"""The amounts of a column are in one unit; beyond this many cents of it, in the next one."""


@contextmanager
def bar(
    rounds: int, bounded: bool, things: str = "rounds"
) -> Iterator[Callable[[int, float], None]]:
    """A progress bar on standard error with the rate and the time left."""
    columns = (
        TextColumn("{task.fields[done]} " + things),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %") if bounded else TextColumn("until narrow enough"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=rounds if bounded else None, done="0", rate="")

        def update(done: int, seconds: float) -> None:
            rate = f"{per_second(done / seconds)} {things}/s" if seconds else ""
            progress.update(task, completed=done, done=f"{done:,}", rate=rate)

        yield update


def per_second(rate: float) -> str:
    """A rate with its prefix: 2.41 G."""
    for size, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if rate >= size:
            return f"{rate / size:.3g} {name}"
    return f"{rate:.3g}"


def show(setup: SimulationSetup, document: dict[str, Any]) -> None:
    """Print the result."""
    console = Console(highlight=False)
    rounds = f"{document['rounds']:,}"
    if document["partial"]:
        console.print(Text(f"PARTIAL: interrupted after {rounds} rounds.", style="bold yellow"))
    console.print(
        f"{setup.rules.title}: {rounds} rounds, {document['boxes']} "
        f"{'box' if document['boxes'] == 1 else 'boxes'}, {document['decks']} decks, "
        f"shuffled by {document['shuffle']}, policy {document['policy']}, seed {document['seed']}"
    )
    console.print(
        f"{document['seconds']:.2f} s, {per_second(document['rounds_per_second'])} rounds/s"
    )
    console.print(_wagers(document))
    console.print(_classes(document))
    if banker := document.get("banker"):
        exact = "" if banker["exact"] is None else f", exact {banker['exact']:.6f}"
        score = "" if banker["z"] is None else f", z {banker['z']:+.2f}"
        console.print(f"player/dealer: {banker['mean']:.6f} cents a round{exact}{score}")
    chi_square = document["chi_square"]
    if chi_square is not None:
        console.print(
            f"chi-square {chi_square['statistic']:.2f} with {chi_square['freedom']} degrees of"
            f" freedom, p = {chi_square['p']:.4g}"
        )
    for level in document.get("stakes", ()):
        staked = ", ".join(f"{kind} {_amount(each)}" for kind, each in level["stakes"].items())
        console.print(f"{level['rounds']:,} rounds with {staked}")
    for note in document["notes"]:
        console.print(note)
    if not document["agrees"]:
        console.print(Text(DISAGREES, style="bold red"))


def show_sweep(rows: dict[str, list[Any]], document: dict[str, Any]) -> None:
    """Print the table of a sweep."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=SWEEP_WIDTH)
    if document["partial"]:
        console.print(Text("PARTIAL: the sweep was interrupted.", style="bold yellow"))
    table = Table(box=None, pad_edge=False)
    varied = [name for name, values in rows.items() if name not in FIGURES and len(set(values)) > 1]
    shown = [*(name for name in varied if name != "wager"), "wager"]
    for name in (*shown, "rounds", "edge", "99 %", "exact", "z"):
        table.add_column(name, justify="left" if name in shown else "right")
    for place in range(len(rows["wager"])):
        row = {name: values[place] for name, values in rows.items()}
        table.add_row(
            *(str(row[name]) for name in shown),
            f"{row['rounds']:,}",
            f"{row['edge']:.6%}",
            f"± {Z_99 * row['stderr']:.5%}",
            "" if row["exact"] is None else f"{row['exact']:.6%}",
            "" if row["z"] is None else f"{row['z']:+.2f}",
        )
    console.print(table)
    if not document["agrees"]:
        console.print(Text(DISAGREES, style="bold red"))


def _wagers(document: dict[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False)
    most = max(
        (max(each["wagered"], each["returned"]) for each in document["wagers"].values()), default=0
    )
    size, prefix = next(each for each in SCALES if most < each[0] * COLUMN_CENTS_MAX)
    in_units = f" ({prefix})" if prefix else ""
    names = (f"wagered{in_units}", f"returned{in_units}", "edge", "99 %", "exact", "z")
    for name in ("wager", *names):
        table.add_column(name, justify="left" if name == "wager" else "right")
    for kind, wager in document["wagers"].items():
        table.add_row(
            kind,
            f"{wager['wagered'] / size / 100:,.2f}",
            f"{wager['returned'] / size / 100:,.2f}",
            f"{wager['edge']:.6%}",
            f"± {wager['interval'][1] - wager['edge']:.5%}",
            "" if wager["exact"] is None else f"{wager['exact']:.6%}",
            "" if wager["z"] is None else f"{wager['z']:+.2f}",
        )
    return table


def _amount(cents: int) -> str:
    """An amount in currency units, without its cents if it is large."""
    return f"{cents // 100:,}" if cents >= 10**8 else f"{cents / 100:,.2f}"


def _classes(document: dict[str, Any]) -> Table:
    """The most frequent classes with their shares of the rounds."""
    table = Table(box=None, pad_edge=False)
    table.add_column("class")
    table.add_column("rounds", justify="right")
    table.add_column("share", justify="right")
    counts = sorted(document["classes"].items(), key=lambda item: -item[1])
    for name, count in counts[:CLASSES_SHOWN_MAX]:
        table.add_row(name, f"{count:,}", f"{count / document['rounds']:.4%}")
    if len(counts) > CLASSES_SHOWN_MAX:
        rest = sum(count for _, count in counts[CLASSES_SHOWN_MAX:])
        rarer = f"{len(counts) - CLASSES_SHOWN_MAX} rarer classes"
        table.add_row(rarer, f"{rest:,}", f"{rest / document['rounds']:.4%}")
    return table


def show_session(document: dict[str, Any]) -> None:
    """Print the result of sessions."""
    console = Console(highlight=False)
    paths = f"{document['paths']:,}"
    if document["partial"]:
        console.print(Text(f"PARTIAL: interrupted after {paths} sessions.", style="bold yellow"))
    console.print(
        f"{document['rules']}: {paths} sessions of {document['rounds']:,} rounds at most, bankroll "
        f"{_amount(document['bankroll'])}, bet {_amount(document['bet'])}, {document['system']}, "
        f"seed {document['seed']}"
    )
    rate = per_second(document["rounds_per_second"])
    console.print(f"{document['seconds']:.2f} s, {rate} rounds/s")
    console.print()
    for line in fan_lines(document):
        console.print(Text(line, no_wrap=True, overflow="crop"))
    console.print()
    console.print("final bankroll")
    for line in final_lines(document):
        console.print(Text(line, no_wrap=True, overflow="crop"))
    console.print()
    console.print(_session_table(document))


def _session_table(document: dict[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("", "simulated", "exact", "z"):
        table.add_column(name, justify="right" if name else "left")
    final, ruin, hourly = document["final"], document["ruin"], document["hourly"]
    exact_final = "" if final["exact"] is None else f"{final['exact'] / 100:,.2f}"
    table.add_row("mean final bankroll", f"{final['mean'] / 100:,.2f}", exact_final, "")
    table.add_row("ahead at the end", f"{final['ahead']:.3%}", "", "")
    _add_chance(table, "chance of ruin", ruin)
    if ruin["mean_round"] is not None:
        exact_round = ruin["exact_mean_round"]
        shown = "" if exact_round is None else f"{exact_round:,.1f}"
        table.add_row("mean round of ruin", f"{ruin['mean_round']:,.1f}", shown, "")
    for name in ("target", "stop_loss"):
        if name in document:
            amount = document[name]["amount"] / 100
            what = "reaching" if name == "target" else "stopping at"
            _add_chance(table, f"{what} {amount:,.2f}", document[name])
    cost = "" if hourly["exact"] is None else f"{hourly['exact'] / 100:,.2f}"
    per_hour = f"cost of an hour, {hourly['rounds_per_hour']} rounds"
    table.add_row(per_hour, f"{hourly['simulated'] / 100:,.2f}", cost, "")
    return table


def _add_chance(table: Table, name: str, chance: dict[str, Any]) -> None:
    exact = "" if chance["exact"] is None else f"{chance['exact']:.4%}"
    score = "" if chance["z"] is None else f"{chance['z']:+.2f}"
    table.add_row(name, f"{chance['simulated']:.4%}", exact, score)
