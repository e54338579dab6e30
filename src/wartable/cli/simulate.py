"""`wartable simulate`: billions of rounds, checked against the exact odds."""

import secrets
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import click
import msgspec

from wartable.cli import BadInput, needs
from wartable.rules import RulesError, load_any, with_options

THREADS_MAX = 1024
SEED_MAX = 2**64 - 1


class RoundsType(click.ParamType[int]):
    """A whole number of rounds, also written 1e9."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """The number that the text writes."""
        from wartable.sim.job import ROUNDS_MAX

        try:
            number = Fraction(str(value).replace("_", "").replace(",", ""))
        except (ValueError, ZeroDivisionError):
            raise BadInput(f"{value!r} is not a number of rounds; write 1000000 or 1e6.") from None
        if number.denominator != 1 or not 1 <= number <= ROUNDS_MAX:
            raise BadInput(f"The rounds must be a whole number from 1 to 1e15, not {value}.")
        return int(number)


class Money(click.ParamType[int]):
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


def book_of(rules: str, options: tuple[str, ...]) -> Any:
    """The rule book with the named options set."""
    pairs = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise BadInput(f"An option is written name=value, not {option!r}.")
        pairs[name] = value
    try:
        return with_options(load_any(rules), pairs)
    except RulesError as error:
        raise BadInput(str(error)) from None


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
@click.option("--bet", type=Money(), help="The primary and the tie wagers, such as 10.")
@click.option("--stake", type=int, help="The side bets, in cents.  [default: the largest]")
@click.option("--meter", type=int, help="The progressive meter, in cents.  [default: its reset]")
@click.option("--bank", type=Money(), help="What the player/dealer posts.  [default: enough]")
@click.option("--bank-stack", type=Money(), help="What the player/dealer has left to match wars.")
@click.option("--faced-up", type=Share(), default="0", help="The chance that a card lies face up.")
@click.option("--option", "options", multiple=True, help="A named option of the book: name=value.")
@click.option("--until-error", type=float, help="Stop when the 99 % interval is this narrow.")
@click.option("--cluster", help="The address of a Dask scheduler, such as tcp://host:8786.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    rules: str,
    rounds: int | None,
    threads: int | None,
    seed: int | None,
    policy: str,
    wagers: str | None,
    stake: int | None,
    faced_up: Fraction,
    options: tuple[str, ...],
    until_error: float | None,
    cluster: str | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Simulate rounds of a rule book and compare them with the exact odds.

    Every round draws its own cards. The kernels count how rounds end, and the engine says what
    each ending pays. The exit code is 1 if simulation and mathematics disagree.

    Example: wartable simulate maryland --rounds 1e9 --seed 7
    """
    needs("sim", "numba")
    from wartable.odds import OddsError
    from wartable.sim.policy import PolicyError, policy_of
    from wartable.sim.report import narrow_enough, report
    from wartable.sim.setup import SetupError, job_of, set_up

    if until_error is not None and not 0 < until_error < 1:
        raise BadInput(f"The error must be above 0 and below 1, not {until_error}.")
    names = tuple(filter(None, (wagers or "").split(",")))
    try:
        setup = set_up(
            book_of(rules, options),
            policy_of(policy),
            wagers=names,
            side=stake,
            faced_up=faced_up,
            **settings,
        )
        job = job_of(setup, seed_of(seed))
        from wartable.sim.money import AskedPayments

        cashier = AskedPayments(setup, job.ordered)
    except (SetupError, PolicyError, OddsError) as error:
        raise BadInput(str(error)) from None
    enough = None if until_error is None else narrow_enough(setup, job, cashier, until_error)
    asked = rounds or (10**8 if until_error is None else 10**15)
    counted = _counted(job, asked, threads_of(threads), cluster, enough, not as_json)
    if not counted.tally.rounds:
        raise BadInput("No round was counted before the interruption.")
    result = report(setup, job, cashier, counted)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(result.document)).decode())
    else:
        from wartable.sim.show import show

        show(setup, result.document)
    sys.exit(0 if result.agrees else 1)


def _counted(
    job: Any, rounds: int, threads: int, cluster: str | None, enough: Any, visible: bool
) -> Any:
    """What is counted here or on a cluster, with a bar while it runs on a terminal."""
    from wartable.sim.run import run

    def work(progress: Callable[[int, float], None] | None) -> Any:
        if cluster is None:
            return run(job, rounds, threads, progress, enough)
        needs("cluster", "distributed")
        from wartable.sim.cluster import ClusterError, run_on

        try:
            return run_on(cluster, job, rounds, progress, enough)
        except ClusterError as error:
            raise BadInput(str(error)) from None

    if not (visible and sys.stderr.isatty()):
        return work(None)
    from wartable.sim.show import bar

    with bar(rounds, enough is None) as progress:
        return work(progress)
