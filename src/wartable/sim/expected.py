"""The exact odds of a setup: edges, their spread, and the probability of each class."""

from fractions import Fraction
from math import sqrt
from typing import NamedTuple

from msgspec.structs import replace

from wartable.cards import RANKS
from wartable.game.wagers import ENVY_BET, WAGER
from wartable.odds import DealClass, Distribution, Odds, shapes, weigh
from wartable.odds.bank import bank
from wartable.odds.classes import deals
from wartable.odds.composition import Composition
from wartable.odds.sidebets import envy_each
from wartable.odds.slices import Seat
from wartable.odds.walk import TieChoice
from wartable.rules.model import WagerKind
from wartable.sim.classes import Hands
from wartable.sim.job import Job
from wartable.sim.money import AskedPayments
from wartable.sim.setup import SimulationSetup, player_of

COVERED_BEFORE = ("matched", "ties_last")
"""The readings under which every covered cent has the wager's own odds."""


class Exact(NamedTuple):
    """An exact edge, and the standard deviation of a round's result per unit staked."""

    edge: Fraction
    spread: float | None = None
    spread_is_least: bool = False
    """Whether the spread is only a lower bound, because boxes share the dealer's card."""


def edges(setup: SimulationSetup, job: Job) -> dict[str, Exact]:
    """The exact edge of each wager that has one."""
    odds = Odds(setup.book, setup.decks, stake=setup.side or None, meter=setup.meter)
    choice = setup.policy.always
    found: dict[str, Exact] = {}
    if job.ordered and not _plain_cover(setup):
        return found
    for kind in setup.wagers:
        wager = WAGER[kind]
        if wager.by_wheel:
            odds.bettors = setup.boxes
        if wager.before_deal and not wager.by_choice:
            found[kind] = _of(odds.wager(kind), setup.boxes)
        elif choice is None:
            mixed = _by_rank(setup, odds) if kind == "primary" else None
            if mixed is not None:
                found[kind] = Exact(mixed)
        elif not wager.before_deal:
            if choice == "war":
                found[kind] = Exact(odds.wager(kind).edge)
        else:
            found[kind] = _chosen(setup, odds, kind, choice)
    for kind in setup.wagers:
        levels = (replace(setup, level=each) for each in range(len(setup.policy.stakes)))
        if len({each.multiple(kind) for each in levels}) > 1:
            found.pop(kind, None)  # the stakes depend on the cards already dealt
    if not job.ordered and choice is not None:
        _with_spreads(setup, found)
    return found


def _of(odds: Distribution, boxes: int) -> Exact:
    return Exact(odds.edge, odds.sd / sqrt(boxes), boxes > 1)


def _chosen(setup: SimulationSetup, odds: Odds, kind: WagerKind, choice: TieChoice) -> Exact:
    """A wager whose odds depend on the choice; one includes the others' envy."""
    one = _of(odds.wager(kind, choice), setup.boxes)
    others = setup.boxes - 1
    if kind != ENVY_BET.kind or not others or choice != "war" or setup.rules.table.seats == 1:
        return one
    return one._replace(edge=one.edge - others * envy_each(odds, setup.side))


def _plain_cover(setup: SimulationSetup) -> bool:
    """Whether every covered cent keeps its own odds with a posted bank."""
    return (
        setup.rules.options.bank_cover in COVERED_BEFORE
        and setup.bank_stack is None
        and setup.policy.always == "war"
    )


def _by_rank(setup: SimulationSetup, odds: Odds) -> Fraction | None:
    """The primary's edge under a table, if the count at a tie is twice the tied rank's tag.

    Every rank is equally likely to tie, and what follows does not depend on the rank.
    """
    if not setup.fresh or setup.boxes > 1:
        return None
    wars = sum(setup.policy.goes_to_war(2 * tag) for tag in setup.policy.tags)
    war, surrender = (odds.wager("primary", each).edge for each in ("war", "surrender"))
    return (wars * war + (len(RANKS) - wars) * surrender) / len(RANKS)


def _with_spreads(setup: SimulationSetup, found: dict[str, Exact]) -> None:
    """Give wagers that ranks alone decide their exact spread over rounds of several boxes."""
    cashier = AskedPayments(setup, ordered=False)
    chances = _joint(setup)
    for kind in setup.wagers:
        if kind not in found or WAGER[kind].side_bet:
            continue
        staked = squares = Fraction(0)
        edge = found[kind].edge
        for hands, chance in chances.items():
            paid = cashier.round(hands).get(kind)
            if paid is not None:
                staked += chance * paid.staked
                squares += chance * (paid.net + edge * paid.staked) ** 2
        found[kind] = Exact(edge, sqrt(squares) / float(staked)) if staked else Exact(edge)


def _joint(setup: SimulationSetup) -> dict[Hands, Fraction]:
    """The probability of each joint class of a round, by ranks."""
    war = setup.policy.always == "war" and setup.plan.primary > 0
    found: dict[Hands, Fraction] = {}
    for shape, chance in shapes(Composition.fresh(setup.decks).ranks, setup.boxes).items():
        hands = ["won"] * shape.higher + ["lost"] * shape.lower
        if war:
            hands += ["war_won"] * shape.war_higher + ["war_tied"] * shape.war_tied
            hands += ["war_lost"] * shape.war_lower
        else:
            hands += ["surrendered"] * shape.tied
        key = tuple(sorted(hands))
        found[key] = found.get(key, Fraction(0)) + chance
    return found


def by_suit(setup: SimulationSetup, job: Job) -> bool:
    """Whether the classes are tested with their suits, which needs a single box."""
    return job.suits and setup.boxes == 1 and setup.policy.always is not None


def classes(setup: SimulationSetup, job: Job) -> dict[Hands, Fraction] | None:
    """The exact probability of each class that the chi-square test counts."""
    if job.ordered and job.boxes != setup.boxes:
        return None
    if by_suit(setup, job):
        return _suited(setup)
    if setup.policy.always is None:
        found: dict[Hands, Fraction] = {}
        for hands, chance in _joint(setup).items():
            merged = tied_together(hands)
            found[merged] = found.get(merged, Fraction(0)) + chance
        return found
    return _joint(setup)


def _suited(setup: SimulationSetup) -> dict[Hands, Fraction]:
    """The probability of each class of one box, with its suits."""
    composition = Composition.fresh(setup.decks)
    total = deals(composition)
    found: dict[Hands, Fraction] = {}
    for kind, weight in weigh(composition, None).items():
        hands = (named(kind, setup.policy.always == "war"),)
        found[hands] = found.get(hands, Fraction(0)) + Fraction(weight, total)
    return found


def named(kind: DealClass, war: bool) -> str:
    """The simulator's name for a class of the exact odds."""
    if kind.relation != "tie" or kind.war is None:
        return "won" if kind.relation == "higher" else "lost"
    suited = "suited_" if kind.suited else ""
    if not war:
        return f"{suited}surrendered"
    if kind.war.relation != "tie":
        return suited + ("war_won" if kind.war.relation == "higher" else "war_lost")
    if kind.war.one_suit:
        return "suited_war_tied_identical" if kind.war.same_rank else "suited_war_tied_one_suit"
    twins = "_suited" if kind.war.suited else ""
    return suited + "war_tied" + twins + ("_four" if kind.war.same_rank else "")


def tied_together(hands: Hands) -> Hands:
    """The classes with all tied hands in one class, whatever they chose."""
    names = (name if name in ("won", "lost") else "tied" for name in hands)
    return tuple(sorted(names))


def banker(setup: SimulationSetup) -> Fraction | None:
    """The player/dealer's exact mean result of a round, in cents."""
    choice = setup.policy.always
    if choice is None:
        return None
    odds = Odds(setup.book, setup.decks)
    plan = setup.plan
    seats = [
        Seat(box, player_of(setup, box), plan.primary, plan.tie, choice, plan.war_tie)
        for box in range(1, setup.boxes + 1)
    ]
    return bank(odds, seats, setup.bank, setup.bank_stack).net.ev
