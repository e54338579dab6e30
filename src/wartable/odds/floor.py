"""The bounds of a return: no table opens with a wager that returns too little, or above 100 %."""

from collections.abc import Callable, Collection, Iterator
from fractions import Fraction
from typing import NamedTuple

from wartable.game.wagers import COVERED, SIDE_BETS, WAGER
from wartable.odds.sidebets import envy_each
from wartable.odds.wagers import Odds, meters_of
from wartable.odds.walk import unit
from wartable.rules import Book, WagerKind

FLOOR = Fraction(75, 100)
WHOLE = Fraction(1)


class ReturnFloor(NamedTuple):
    """A wager's worst return: always war, meters at their reset or, if lower, as a table opens."""

    wager: WagerKind
    stake: int
    decks: int
    worst: Fraction
    when: str

    @property
    def holds(self) -> bool:
        """Whether the return reaches the floor."""
        return self.worst >= FLOOR


def floors(book: Book, decks: int | None = None) -> list[ReturnFloor]:
    """Each wager of the book, at the stake and the parameters with the lowest return."""
    odds = _beginning(Odds(book, decks), min)
    found = []
    for kind in odds.offered:
        cases = [
            ReturnFloor(kind, stake, odds.decks, player_return, when)
            for stake in stakes(book, kind)
            for player_return, when in _returns(odds, kind, stake)
        ]
        found.append(min(cases, key=lambda case: case.worst))
    return found


def floor_problems(book: Book, decks: int | None = None) -> list[str]:
    """A sentence for each wager that returns less than the floor; empty for a sound table."""
    problems = [
        f"The {each.wager} wager returns {100 * float(each.worst):.2f} %"
        f" with {decks_text(each.decks)}{each.when}, below the floor of {100 * float(FLOOR):.0f} %."
        for each in floors(book, decks)
        if not each.holds
    ]
    return problems + list(_unbounded(book))


def gift_problems(
    book: Book, decks: int | None = None, confirmed: Collection[str] = ()
) -> list[str]:
    """A sentence for each gift that the operator does not confirm by name."""
    found = gifts(book, decks)
    return [sentence for kind, sentence in found.items() if kind not in confirmed]


def gifts(book: Book, decks: int | None = None) -> dict[WagerKind, str]:
    """The wagers that return above 100 %, each with a sentence that says so.

    What a meter takes of a wager comes back to the players in the end, so it counts. So do the
    envy bonuses for a full table, and a meter that the house begins above its reset.
    """
    odds = _beginning(Odds(book, decks), max)
    found: dict[WagerKind, str] = {}
    for kind in odds.offered:
        fed = sum(
            Fraction(meter.contribution.over, meter.contribution.under)
            for meter in WAGER[kind].meters(odds.rules).values()
        )
        best, when = max(
            (player_return + fed + _envied(odds, kind, stake), when)
            for stake in stakes(book, kind)
            for player_return, when in _returns(odds, kind, stake)
        )
        if best > WHOLE:
            found[kind] = (
                f"The {kind} wager returns {100 * float(best):.2f} % with"
                f" {decks_text(odds.decks)}{when}{', contributions counted' if fed else ''}, above"
                f" 100 %; the operator may confirm {kind} by name."
            )
    return found


def _beginning(odds: Odds, pick: Callable[[int, int], int]) -> Odds:
    """The odds with each meter at the picked one of the amounts that it begins with."""
    found = {
        name: pick(meter.initial, meter.reset)
        for wager in SIDE_BETS
        for name, meter in wager.meters(odds.rules).items()
    }
    return odds.with_meters(found)


def _envied(odds: Odds, kind: WagerKind, stake: int) -> Fraction:
    """What the envy bonuses of all other boxes add to a wager's return."""
    if not WAGER[kind].pays_envy:
        return Fraction(0)
    return (odds.rules.boxes_in_play - 1) * envy_each(odds, stake)


def decks_text(decks: int) -> str:
    """A number of decks in words."""
    return "1 deck" if decks == 1 else f"{decks} decks"


def stakes(book: Book, kind: WagerKind) -> list[int]:
    """The stakes at which a return can be lowest: each size, or the ends of the limits."""
    rules = book.rules
    if denominations := WAGER[kind].denominations(rules):
        return list(denominations)
    whole = unit(rules, kind)
    most = _most(book, kind)
    return sorted({whole, whole if most is None else max(whole, most - most % 2)})


def _most(book: Book, kind: WagerKind) -> int | None:
    """The maximum of a wager by all limits."""
    limits = book.rules.limits
    tops = [getattr(limits, kind).max, limits.ceiling, limits.box_max, limits.player_box_max]
    if kind == "war_tie":
        equal = book.rules.options.war_tie_wager == "equal_primary"
        tops = [_most(book, "primary")] if equal else [limits.war_tie.max, limits.ceiling]
    return min((top for top in tops if top is not None), default=None)


def _returns(odds: Odds, kind: WagerKind, stake: int) -> Iterator[tuple[Fraction, str]]:
    """The returns to compare; the number of boxes that share a hot spot changes its worth."""
    wager = WAGER[kind]
    begins = "reset" if odds.meters == meters_of(odds.book) else "initial"
    if not wager.by_wheel:
        stated = f" at ${stake / 100:g} and the {begins} meter" if wager.meters(odds.rules) else ""
        yield odds.wager(kind, stake=stake).player_return, stated
        return
    for bettors in sorted({1, odds.rules.boxes_in_play}):
        other = Odds(odds.book, odds.decks, bettors=bettors).with_meters(odds.meters)
        boxes = "1 box" if bettors == 1 else f"{bettors} boxes"
        when = f" at ${stake / 100:g}, {boxes} betting and the {begins} meters"
        yield other.wager(kind, stake=stake).player_return, when


def _unbounded(book: Book) -> Iterator[str]:
    """Wagers with a payout limit but no maximum: a large stake makes any return tiny."""
    limits = book.rules.limits
    if limits.payout_max is None:
        return
    for kind in (each.kind for each in COVERED):
        if _most(book, kind) is None:
            yield (
                f"The {kind} wager has a payout limit of {limits.payout_max} cents and no maximum,"
                f" so its return has no floor; set limits.{kind}.max or limits.box_max."
            )
