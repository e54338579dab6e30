"""`wartable simulate`: billions of rounds, checked against the exact odds."""

import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import msgspec

from wartable.cli import BadInput, needs
from wartable.cli.odds import chosen_book

THREADS_MAX = 1024
ROUNDS = 10**8
SEED_MAX = 2**64 - 1


class RoundsType(click.ParamType[int]):
    """A whole number of rounds, also written 1e9."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """The number that the text describes."""
        from wartable.sim.job import ROUNDS_MAX

        try:
            number = Fraction(str(value).replace("_", "").replace(",", ""))
        except (ValueError, ZeroDivisionError):
            raise BadInput(f"{value!r} is not a number of rounds; write 1000000 or 1e6.") from None
        if number.denominator != 1 or not 1 <= number <= ROUNDS_MAX:
            raise BadInput(f"The rounds must be a whole number from 1 to 1e15, not {value}.")
        return int(number)


class MoneyType(click.ParamType[int]):
    """An amount in the table's currency, such as 10 or 2.50, as cents."""

    name = "amount"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """The amount in cents."""
        if isinstance(value, int):
            return value
        try:
            cents = Fraction(str(value)) * 100
        except (ValueError, ZeroDivisionError):
            raise BadInput(f"{value!r} is not an amount; write 10 or 2.50.") from None
        if cents.denominator != 1 or not 0 <= cents <= 10**13:
            raise BadInput(f"An amount has whole cents and is not negative, unlike {value}.")
        return int(cents)


class Share(click.ParamType[Fraction]):
    """A share such as 0.75 or 3/4."""

    name = "share"

    def convert(self, value: Any, param: Any, ctx: Any) -> Fraction:
        """The share as a fraction."""
        try:
            return Fraction(str(value))
        except (ValueError, ZeroDivisionError):
            raise BadInput(f"{value!r} is not a share; write 0.75 or 3/4.") from None


class Chunks(click.ParamType[tuple[int, int]]):
    """A range of a run's chunks, such as 0:1000: the first, and the one after the last."""

    name = "first:end"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, int]:
        """The two numbers."""
        first, colon, end = str(value).partition(":")
        if not (colon and first.isdecimal() and end.isdecimal() and int(first) < int(end)):
            raise BadInput(f"Chunks are written first:end, such as 0:1000, not {value!r}.")
        return int(first), int(end)


class Interrupted(BadInput):
    """A run that was interrupted before it had anything to show: exit code 3."""

    exit_code = 3


@contextmanager
def interruptions(what: str) -> Iterator[None]:
    """Make Ctrl-C at any other moment end the command with a sentence and exit code 3."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted before any {what} could be shown.") from None


def seed_of(seed: int | None) -> int:
    """The seed, drawn from the system where none is given; it is printed either way."""
    if seed is not None and not 0 <= seed <= SEED_MAX:
        raise BadInput(f"The seed must be a whole number from 0 to {SEED_MAX}, not {seed}.")
    return secrets.randbits(32) if seed is None else seed


def threads_of(threads: int | None) -> int:
    """The number of threads, all cores where none is given."""
    from wartable.sim.run import cores

    if threads is not None and not 1 <= threads <= THREADS_MAX:
        raise BadInput(f"The threads must be 1 to {THREADS_MAX}, not {threads}.")
    return threads or cores()


@click.command()
@click.argument("rules")
@click.option("--rounds", type=RoundsType(), help="How many rounds, such as 1e9.  [default: 1e8]")
@click.option("--threads", type=int, help="How many threads.  [default: all cores]")
@click.option("--seed", type=int, help="The same seed gives the same counts.")
@click.option("--boxes", type=int, help="Boxes against the dealer's card.  [default: 1]")
@click.option("--decks", type=int, help="The number of decks; any number, for study.")
@click.option(
    "--shuffle",
    type=click.Choice(["every_round", "shoe", "batches", "continuous"]),
    help="How the cards are shuffled.  [default: the book's]",
)
@click.option("--penetration", type=Share(), help="The share dealt before the cover card.")
@click.option("--policy", default="war", help="war, surrender, or a table by count (.toml).")
@click.option("--wagers", help="Only these wagers, such as primary,tie.  [default: all]")
@click.option("--bet", type=MoneyType(), help="The primary and the tie wagers, such as 10.")
@click.option("--stake", type=int, help="The side bets, in cents.  [default: the largest]")
@click.option("--meter", type=int, help="The progressive meter, in cents.  [default: its reset]")
@click.option("--bank", type=MoneyType(), help="What the player/dealer posts.  [default: enough]")
@click.option(
    "--bank-stack", type=MoneyType(), help="What the player/dealer has left to match wars."
)
@click.option("--faced-up", type=Share(), default="0", help="The chance that a card lies face up.")
@click.option("--option", "options", multiple=True, help="A named option of the book: name=value.")
@click.option(
    "--sweep",
    "sweeps",
    multiple=True,
    help="Run every value: decks=1,2,6 or policy=war,surrender or an option's.",
)
@click.option("--until-error", type=float, help="Stop when the 99 % interval is this narrow.")
@click.option("--cluster", help="The address of a Dask scheduler, such as tcp://host:8786.")
@click.option(
    "--counts",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep the counts in this file, and resume from it if it exists.",
)
@click.option("--chunks", type=Chunks(), help="Count only these chunks, such as 0:1000.")
@click.option(
    "--merge",
    "parts",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Add the counts of this file.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write the result: .csv, .json or .parquet.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    rules: str,
    sweeps: tuple[str, ...],
    threads: int | None,
    cluster: str | None,
    counts: Path | None,
    parts: tuple[Path, ...],
    output: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Simulate rounds of a rule book and compare them with the exact odds.

    Every round draws its own cards. The kernels count how rounds end, and the engine says what
    each ending pays. The exit code is 1 if simulation and mathematics disagree, and 3 if the run
    was interrupted and its result is partial.

    Example: wartable simulate maryland --rounds 1e9 --seed 7
    """
    needs("sim", "numba")
    from wartable.answer import CallAnswer, check_saved
    from wartable.sim.saved import CountsFile
    from wartable.sim.sweep import combinations, sweep_document, wager_rows

    if output is not None:
        check_saved(output)
    with interruptions("round"), ExitStack() as stack:
        file = CountsFile(counts)
        for part in parts:
            file.merge(part)
        swept = combinations(sweeps)
        runs = [_planned({"rules": rules, **settings}, each, file) for each in swept]
        count = _counter(cluster, threads_of(threads), stack)
        documents = []
        try:
            for planned in runs:
                documents.append(planned.document(file, count))
                if documents[-1]["partial"]:
                    break
        finally:
            file.write()
    document = sweep_document(swept, documents) if sweeps else documents[0]
    if output is not None:
        rows = wager_rows(swept, documents)
        CallAnswer("simulation", document, {"wagers": rows}).save(output)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(document)).decode())
    else:
        from wartable.sim.show import show, show_sweep

        if sweeps:
            show_sweep(wager_rows(swept, documents), document)
        else:
            show(runs[0].setup, document)
    sys.exit(1 if not document["agrees"] else 3 if document["partial"] else 0)


def _planned(settings: dict[str, Any], swept: dict[str, str], file: Any) -> "PlannedRun":
    """One run of a sweep, with its values in place of the command's."""
    settings = dict(settings)
    options = list(settings.pop("options"))
    types = {each.name: each.type for each in command.params}
    for name, value in swept.items():
        if name in SWEPT:
            try:
                settings[name] = types[name].convert(value, None, None)
            except click.BadParameter as error:
                raise BadInput(f"the sweep over {name}: {error.message}") from None
        else:
            options.append(f"{name}={value}")
    return PlannedRun(settings, tuple(options), file)


SWEPT = ("rules", "decks", "boxes", "shuffle", "penetration", "policy", "bet", "stake", "meter")
"""Settings that a sweep can vary beside the book's named options."""


class PlannedRun:
    """A run that is ready: its setup, its job, and how many rounds it has."""

    def __init__(self, settings: dict[str, Any], options: tuple[str, ...], file: Any) -> None:
        from wartable.sim.money import AskedPayments
        from wartable.sim.policy import policy_of
        from wartable.sim.report import narrow_enough
        from wartable.sim.setup import job_of, set_up

        error: float | None = settings.pop("until_error")
        if error is not None and not 0 < error < 1:
            raise BadInput(f"The error must be above 0 and below 1, not {error}.")
        rounds, seed = settings.pop("rounds"), settings.pop("seed")
        self.chunks = settings.pop("chunks")
        book = chosen_book(settings.pop("rules"), options)
        policy = policy_of(settings.pop("policy"))
        names = tuple(filter(None, (settings.pop("wagers") or "").split(",")))
        self.setup = set_up(book, policy, wagers=names, side=settings.pop("stake"), **settings)
        begun = file.seeds() if seed is None else ()
        if len(begun) > 1:
            raise BadInput("the file of counts has runs of several seeds; name one with --seed.")
        self.job = job_of(self.setup, begun[0] if begun else seed_of(seed))
        self.cashier = AskedPayments(self.setup, self.job.ordered)
        self.rounds = rounds or file.rounds(self.job) or (ROUNDS if error is None else 10**15)
        self.counted = file.start(self.job, self.rounds)
        self.enough = error and narrow_enough(self.setup, self.job, self.cashier, error)

    def document(self, file: Any, count: Callable[..., Any]) -> dict[str, Any]:
        """The result of the run, counted from where the file of counts left it."""
        from wartable.sim.report import report
        from wartable.sim.run import Part

        part = Part(self.counted, self.chunks, file.keep(self.job, self.rounds))
        counted = count(self.job, self.rounds, self.enough, part)
        if not counted.tally.rounds:
            if counted.partial:
                raise Interrupted("interrupted before any round was counted.")
            raise BadInput("no round of the run is in these chunks; name others.")
        if counted.interruption:
            click.echo(f"wartable: {counted.interruption}; the result is partial.", err=True)
        return report(self.setup, self.job, self.cashier, counted).document


def _counter(cluster: str | None, threads: int, stack: ExitStack) -> Callable[..., Any]:
    """A function that counts a run, here or on a cluster, with a progress bar on a terminal."""
    from wartable.sim.run import run

    if cluster is not None:
        needs("cluster", "distributed")
        from wartable.sim.cluster import connected, run_on

        client = stack.enter_context(connected(cluster))

    def count(job: Any, rounds: int, enough: Any, part: Any) -> Any:
        with progress_bar(rounds, enough is None, "rounds") as progress:
            if cluster is None:
                return run(job, rounds, threads, progress, enough, part)
            return run_on(client, job, rounds, progress, enough, part)

    return count


@contextmanager
def progress_bar(total: int, bounded: bool, things: str) -> Iterator[Any]:
    """A bar on standard error if that is a terminal, and nothing otherwise."""
    if not sys.stderr.isatty():
        yield None
        return
    from wartable.sim.show import bar

    with bar(total, bounded, things) as progress:
        yield progress
