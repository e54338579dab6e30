"""`wartable count`: what knowing the dealt cards is worth."""

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import msgspec

from wartable.cli import BadInput, needs
from wartable.cli.odds import chosen_book
from wartable.cli.output import console, print_table
from wartable.cli.simulate import MoneyType, RoundsType, Share, interruptions, seed_of

CHARTS = (".svg", ".png")
SEED = 1


class Several(click.ParamType[tuple[Any, ...]]):
    """Several values of one kind, such as 1,2,6."""

    def __init__(self, each: click.ParamType[Any]) -> None:
        self.each = each
        self.name = f"{each.name},..."

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[Any, ...]:
        """The values."""
        if isinstance(value, tuple):
            return value
        found = [part.strip() for part in str(value).split(",") if part.strip()]
        if not found:
            raise BadInput(f"{value!r} has no value; write them as 1,2,6.")
        try:
            return tuple(self.each.convert(part, param, ctx) for part in found)
        except click.BadParameter as error:
            raise BadInput(f"{error.message} Write several values as 1,2,6.") from None


@click.command()
@click.argument("rules")
@click.option(
    "--decks", type=Several(click.INT), help="Numbers of decks.  [default: the book's, 1, 2, 8]"
)
@click.option(
    "--depths",
    type=Several(Share()),
    default="1/2,3/5,7/10,3/4,4/5,17/20,9/10,19/20",
    help="Shares of the shoe that were seen, for chances at a depth.",
)
@click.option(
    "--penetration",
    type=Several(Share()),
    default="3/4,9/10",
    show_default=True,
    help="Where the cover card lies, for what counters earn.",
)
@click.option("--bet", type=MoneyType(), default="10", show_default=True, help="The primary wager.")
@click.option("--spread", type=int, default=10, show_default=True, help="The tie wager, in bets.")
@click.option(
    "--ranks", "tracked", type=int, default=3, show_default=True, help="Ranks a human tracks."
)
@click.option("--bankroll", type=MoneyType(), default="5000", show_default=True)
@click.option("--rounds-per-hour", type=int, default=60, show_default=True)
@click.option("--meter", type=int, help="The progressive meter, in cents.  [default: its reset]")
@click.option("--shoes", type=RoundsType(), default="1e5", show_default=True, help="Shoes dealt.")
@click.option("--samples", type=RoundsType(), default="2000", show_default=True)
@click.option("--option", "options", multiple=True, help="A named option of the book: name=value.")
@click.option("--seed", type=int, default=SEED, show_default=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write charts (.svg, .png) or the chances at a depth (.csv, .json, .parquet).",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, amounts in cents.")
def command(
    rules: str,
    decks: tuple[int, ...] | None,
    depths: tuple[Fraction, ...],
    penetration: tuple[Fraction, ...],
    options: tuple[str, ...],
    seed: int,
    output: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Study what it is worth to know which cards were dealt.

    The chances at a depth of the tie wager are exact, over all compositions. What counters earn is
    simulated.

    Example: wartable count washington --decks 6 --shoes 1e4
    """
    needs("sim", "numba")
    from wartable.answer import CallAnswer, check_saved
    from wartable.sim.study import StudyPlan, rows_of, study_counting

    if output is not None and output.suffix in CHARTS:
        needs("plots", "matplotlib")
        if not output.absolute().parent.is_dir():
            raise BadInput(f"There is no directory {output.parent} to write {output.name} to.")
    elif output is not None:
        check_saved(output)
    if not 1 <= settings["rounds_per_hour"] <= 10**6:
        raise BadInput("The rounds per hour must be 1 to 1000000.")
    book = chosen_book(rules, options)
    own = book.rules.shoe.decks
    chosen = decks or (own, *(each for each in (1, 2, 8) if each != own))
    plan = StudyPlan(book, chosen, depths, penetration, seed=seed_of(seed), **settings)
    with interruptions("result"):
        document = study_counting(plan, _teller())
    if output is not None and output.suffix in CHARTS:
        from wartable.sim.chart import draw_depths

        draw_depths(document, output)
    elif output is not None:
        tables = {name: rows_of(document[name]) for name in ("depths", "counters")}
        CallAnswer("counting study", document, tables).save(output)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(document)).decode())
    else:
        _show(document)


def _teller() -> Any:
    """Say on a terminal's standard error what is computed next."""
    if not sys.stderr.isatty():
        return None
    return lambda text: click.echo(f"\r\033[K{text} ...", err=True, nl=False)


def _show(document: dict[str, Any]) -> None:
    screen = console()
    if sys.stderr.isatty():
        click.echo("\r\033[K", err=True, nl=False)
    removal = document["removal"]
    print_table(
        screen,
        f"Removing cards from {removal['decks']} decks: change of the expectation per unit",
        ["wager", "one card, by rank", "two equal sevens", "two sevens", "a seven and an eight"],
        [_removal_row(name, each) for name, each in removal["wagers"].items()],
        (0,),
    )
    screen.print(
        "Single cards change nothing where all ranks play alike, so no count of single cards helps."
        " What matters is how many pairs are left."
    )
    if not document["choice_by_count"]:
        screen.print("War is never worse than surrender, so no count changes that choice.")
    for kind, rows in document["break_even_meters"].items():
        listed = ", ".join(
            f"{row['decks']} decks {row['meter'] / 100:,.2f}" for row in rows if row["meter"]
        )
        if listed:
            screen.print(f"Meter at which {kind} is fair from a full shoe: {listed}.")
    sides = [name for name in document["depths"][0] if name not in ("decks", "seen", "cards_left")]
    print_table(
        screen,
        "How often a wager is favourable at a depth, and its mean gain per unit then",
        ["decks", "seen", "cards left", *(f"{name} {what}" for name in sides for what in WHAT)],
        [
            [
                str(row["decks"]),
                f"{row['seen']:.0%}",
                str(row["cards_left"]),
                *(_percent(row[name][what]) for name in sides for what in WHAT),
            ]
            for row in document["depths"]
        ],
        (),
    )
    print_table(
        screen,
        f"What a counter earns: bets of {document['bet'] / 100:,.2f}, a tie wager of"
        f" {document['spread']} bets when it is favourable",
        [*EARNED, f"ruin of {document['bankroll'] / 100:,.0f}", "bankroll for 5 % ruin"],
        [_counter_row(row, document) for row in document["counters"]],
        (2,),
    )


WHAT = ("chance", "gain")
EARNED = ("decks", "dealt", "counter", "with a tie wager", "gain", "an hour", "sd an hour")


def _removal_row(name: str, each: dict[str, Any]) -> list[str]:
    effects = set(each["one"].values())
    one = "exactly 0 for every rank" if effects == {"0"} else "differs by rank"
    two = (each["same_card"], each["same_rank"], each["two_ranks"])
    return [name, one, *("" if effect is None else f"{effect:+.3e}" for effect in two)]


def _percent(share: float) -> str:
    return "never" if not share else f"{share:.4%}" if share > 1e-5 else f"{share:.1e}"


def _counter_row(row: dict[str, Any], document: dict[str, Any]) -> list[str]:
    human = f"human, {document['tracked']} ranks"
    need = row["bankroll_for_5_percent"]
    return [
        str(row["decks"]),
        f"{row['dealt']:.0%}",
        human if row["counter"] == "human" else row["counter"],
        _percent(row["bets"]),
        _percent(row["gain"]) if row["bets"] else "",
        f"{row['per_hour'] / 100:+,.2f}",
        f"{row['sd_per_hour'] / 100:,.2f}",
        "certain" if row["ruin"] == 1 else f"{row['ruin']:.2%}",
        "none is enough" if need is None else f"{need / 100:,.0f}",
    ]
