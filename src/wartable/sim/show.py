"""A simulation's result for people: a table, and a progress bar while it runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from wartable.sim.setup import SimulationSetup
from wartable.sim.textchart import fan_lines, final_lines

CLASSES_SHOWN_MAX = 24


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
    for note in document["notes"]:
        console.print(note)
    if not document["agrees"]:
        console.print(
            Text(
                "DISAGREES with the exact odds: |z| of 4 or more, or p of 0.0001 or less.",
                style="bold red",
            )
        )


def _wagers(document: dict[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("wager", "wagered", "returned", "edge", "99 %", "exact", "z"):
        table.add_column(name, justify="left" if name == "wager" else "right")
    for kind, wager in document["wagers"].items():
        table.add_row(
            kind,
            _amount(wager["wagered"]),
            _amount(wager["returned"]),
            f"{wager['edge']:.6%}",
            f"± {wager['interval'][1] - wager['edge']:.5%}",
            "" if wager["exact"] is None else f"{wager['exact']:.6%}",
            "" if wager["z"] is None else f"{wager['z']:+.2f}",
        )
    return table


def _amount(cents: int) -> str:
    """An amount in currency units, in scientific notation if it would not fit a line."""
    if cents >= 10**11:
        return f"{cents / 100:.5e}"
    return f"{cents / 100:,.0f}" if cents >= 10**8 else f"{cents / 100:,.2f}"


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
