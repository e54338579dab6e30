"""Every named option with its alternatives and their edges."""

from fractions import Fraction
from typing import NamedTuple

from msgspec import structs

from wartable.game import Illegal
from wartable.game.wagers import WAGER
from wartable.odds.bank import bank
from wartable.odds.composition import OddsError
from wartable.odds.sidebets import SIDE_BET_MEASURES, EdgeMeasure
from wartable.odds.slices import Seat
from wartable.odds.wagers import Odds
from wartable.odds.walk import Plan, unit
from wartable.rules import Book, Source, option_values, with_options

ODD_STAKE = 101
DECKS = range(1, 9)
OPPONENTS = 3


class Alternative(NamedTuple):
    """One value of an option, and the edge of its measure."""

    value: str
    edge: Fraction | None
    """None if the value does not allow the wager, or the moment cannot occur."""


class OptionEffect(NamedTuple):
    """A named option: its measure, its alternatives and the one in force."""

    option: str
    measure: str
    value: str
    alternatives: list[Alternative]
    source: Source

    @property
    def changes_money(self) -> bool:
        """Whether the alternatives differ."""
        return len({each.edge for each in self.alternatives}) > 1


def readings(odds: Odds) -> list[OptionEffect]:
    """Every option that this book gives something to measure."""
    found = []
    for field in structs.fields(odds.rules.options):
        name = field.name
        measure, ask = MEASURES.get(name, (ALWAYS_WAR, _always_war))
        value = getattr(odds.rules.options, name)
        alternatives = [
            Alternative(each, _edge(ask, odds, name, each)) for each in option_values(name)
        ]
        if all(each.edge is None for each in alternatives):
            continue
        source = odds.book.sources.get(f"options.{name}", Source())
        found.append(OptionEffect(name, measure, value, alternatives, source))
    return found


def decks_table(odds: Odds) -> dict[int, dict[str, Fraction]]:
    """Edges by number of decks: war, war without the bonus, surrender, and the tie wager."""
    no_bonus = with_options(odds.book, {"war_pays": "no_bonus"})
    table = {}
    for decks in sorted({*DECKS, *odds.rules.shoe.decks_allowed, odds.decks}):
        fresh = Odds(odds.book, decks)
        table[decks] = {
            "war": fresh.wager("primary").edge,
            "no_bonus": Odds(no_bonus, decks).wager("primary").edge,
            "surrender": fresh.wager("primary", "surrender").edge,
            "tie": fresh.wager("tie").edge,
        }
    return table


def _edge(ask: EdgeMeasure, odds: Odds, name: str, value: str) -> Fraction | None:
    book: Book = with_options(odds.book, {name: value})
    other = Odds(book, odds.decks, composition=odds.composition, stake=odds.stake)
    try:
        return ask(other.with_meters(odds.meters))
    except (OddsError, Illegal):
        return None


def _always_war(odds: Odds) -> Fraction:
    return odds.wager("primary").edge


def _with_war_tie(odds: Odds) -> Fraction:
    plan = odds.plan_for("primary")
    if WAGER["war_tie"].offered(odds.rules):
        plan = plan._replace(war_tie=plan.primary)
    return odds.plan(plan).edge


def _odd_surrender(odds: Odds) -> Fraction:
    stake = max(ODD_STAKE, odds.rules.limits.primary.min)
    return odds.wager("primary", "surrender", stake + 1 - stake % 2).edge


def _short_bank(odds: Odds) -> Fraction | None:
    if odds.rules.banker != "player":
        return None
    stake = 10 * unit(odds.rules, "tie")
    seats = [Seat(box, f"player {box}", stake) for box in range(1, OPPONENTS + 1)]
    return bank(odds, seats, stake).edge


def _leaving(odds: Odds) -> Fraction:
    return odds.plan(Plan(primary=unit(odds.rules, "primary"), choice="leave")).edge


def _silent(odds: Odds) -> Fraction:
    return odds.plan(Plan(primary=unit(odds.rules, "primary"), choice="timeout")).edge


ALWAYS_WAR = "primary, always war"
MEASURES: dict[str, tuple[str, EdgeMeasure]] = {
    "war_tie_wager": (f"{ALWAYS_WAR}, with an equal war tie wager if offered", _with_war_tie),
    "odd_half": (f"primary of {ODD_STAKE} cents, always surrender", _odd_surrender),
    "bank_cover": (f"bank of one unit against {OPPONENTS} units, of the action", _short_bank),
    **SIDE_BET_MEASURES,
    "abandoned": ("primary of a player who leaves at every tie", _leaving),
    "timeout": ("primary of a player who never chooses", _silent),
    "shuffle": (f"{ALWAYS_WAR}, any round chosen beforehand", _always_war),
    "electronic": (f"{ALWAYS_WAR}, each hand", _always_war),
}
"""What measures an option, in words and as a function, if not the primary with always war."""
