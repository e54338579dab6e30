"""`wartable rng`: the shuffle's output for other test batteries, and our own battery."""

import hashlib
import sys
from collections.abc import Iterable, Iterator
from typing import TextIO

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from wartable import rng
from wartable.cli import BadInput
from wartable.cli.output import console
from wartable.shoe import DECKS_MAX

COUNT_MAX = 10**12
SHOES_MAX = 10**7
SHOES = 600
CHUNK_BYTES = 2**16


@click.group("rng")
def command() -> None:
    """Write the shuffle's output, or test dealt cards as a laboratory would.

    Example: wartable rng dump --cards --count 1000 > shoes.txt
    """


@command.command()
@click.option(
    "--raw", "form", flag_value="raw", help="Write the bytes of the streams; COUNT is in bytes."
)
@click.option(
    "--cards", "form", flag_value="cards", help="Write shoes, one per line; COUNT is in shoes."
)
@click.option("--count", type=click.IntRange(1, COUNT_MAX), required=True, help="How many.")
@click.option("--decks", type=click.IntRange(1, DECKS_MAX), default=6, show_default=True)
@click.option("--cut", is_flag=True, help="Write cards as dealt after the dealer's cut.")
@click.option("--seed", help="Repeat the output exactly.  [default: seeds from the system]")
def dump(form: str | None, count: int, decks: int, cut: bool, seed: str | None) -> None:
    """Write the shuffle's output to standard output, for other test batteries.

    Example: wartable rng dump --raw --count 1000000 > stream.bin
    """
    if form is None:
        raise BadInput("choose what to write: --raw or --cards.")
    if form == "raw" and sys.stdout.isatty():
        raise BadInput("raw bytes cannot go to a terminal; send them to a file or a program.")
    if form == "cards" and count > SHOES_MAX:
        raise BadInput(f"at most {SHOES_MAX} shoes at a time.")
    seeds = _seeds(seed)
    if form == "raw":
        _dump_raw(seeds, count)
    else:
        with _progress() as bar:
            shoes = rng.dealt_shoes(seeds, decks, count, cut=cut)
            _write_shoes(sys.stdout, bar.track(shoes, total=count, description="shoes"))


def _dump_raw(seeds: Iterator[bytes], count: int) -> None:
    """The bytes in parts, so that the bar moves and memory stays small."""
    out = sys.stdout.buffer
    left = count
    with _progress() as bar:
        task = bar.add_task("bytes", total=count)
        for block in rng.raw_blocks(seeds):
            out.write(block[:left])
            left -= len(block)
            if left <= 0 or left % CHUNK_BYTES < len(block):
                bar.update(task, completed=count - max(0, left))
            if left <= 0:
                break
    out.flush()


def _write_shoes(out: TextIO, shoes: Iterable[tuple[str, ...]]) -> None:
    for cards in shoes:
        out.write(" ".join(cards) + "\n")
    out.flush()


@command.command()
@click.option("--shoes", type=click.IntRange(1, SHOES_MAX), default=SHOES, show_default=True)
@click.option("--decks", type=click.IntRange(1, DECKS_MAX), default=6, show_default=True)
@click.option("--cut", is_flag=True, help="Test cards as dealt after the dealer's cut.")
@click.option("--seed", help="Repeat the test exactly.  [default: seeds from the system]")
def test(shoes: int, decks: int, cut: bool, seed: str | None) -> None:
    """Deal fresh shoes and run the battery of docs/sealed.md on them.

    The exit code is 1 if something is found. On fair shoes that is about one run in a hundred.

    Example: wartable rng test --shoes 2000
    """
    from wartable import battery

    if shoes < battery.SHOES_MIN:
        raise BadInput(f"the battery needs at least {battery.SHOES_MIN} shoes, not {shoes}.")
    with _progress() as bar:
        dealt = rng.dealt_shoes(_seeds(seed), decks, shoes, cut=cut)
        report = battery.run(bar.track(dealt, total=shoes, description="shoes"), decks)
    table = Table("measure", "statistic", "freedom", "chance", "")
    for result in report.results:
        found = "FOUND" if result in report.findings else ""
        freedom = str(result.freedom) if result.freedom else "-"
        table.add_row(
            result.name, f"{result.statistic:.2f}", freedom, f"{result.chance:.4f}", found
        )
    out = console()
    out.print(table)
    out.print(
        f"{report.shoes} shoes of {report.decks} decks. A chance below {report.threshold:.5f} is a "
        f"finding (1 % over {len(report.results)} results). Findings: {len(report.findings)}."
    )
    out.print("With 95 % certainty this test would have found:")
    for sentence in battery.sensitivity(report):
        out.print(f"  {sentence}")
    if report.findings:
        raise click.exceptions.Exit(1)


def _seeds(seed: str | None) -> Iterator[bytes]:
    if seed is None:
        return rng.system_seeds()
    return rng.repeatable_seeds(hashlib.sha256(f"wartable rng {seed}".encode()).digest())


def _progress() -> Progress:
    """A progress bar on standard error, if that is a terminal."""
    looks = Console(stderr=True)
    return Progress(console=looks, transient=True, disable=not looks.is_terminal)
