"""Several boxes against one dealer: the exact distribution of their sum.

All cards of a round are exchangeable, so the cards of the war deal may be counted before the
others. For a dealer's rank d and a war rank w, every card of the round has a set of ranks:
d for the dealer's and the tied boxes' cards, w for the dealer's and the tied war cards, and the
ranks above or below d or w for the rest. Only two of these sets overlap without one holding the
other: in the ranks between d and w. One sum over the cards that lie there therefore counts all.
"""

from fractions import Fraction
from functools import lru_cache
from math import comb, perm
from typing import NamedTuple

from wartable.game.wagers import WAGER
from wartable.odds.classes import Kind, Relation, WarClass
from wartable.odds.composition import OddsError
from wartable.odds.figures import Distribution
from wartable.odds.wagers import Odds
from wartable.odds.walk import Plan
from wartable.rules.check import BOXES_MAX


class Shape(NamedTuple):
    """How many boxes are higher, tied and lower, and how the tied boxes' wars end."""

    higher: int
    tied: int
    lower: int
    war_higher: int
    war_tied: int
    war_lower: int


class Joint(NamedTuple):
    """The sum of several boxes, and the correlation of two of them."""

    boxes: int
    total: Distribution
    covariance: Fraction
    correlation: Fraction


def joint(odds: Odds, boxes: int, plan: Plan | None = None) -> Joint:
    """The sum of this many boxes with the same plan, in units of one primary wager."""
    check_boxes(odds, boxes)
    plan = odds.plan_for("primary") if plan is None else plan
    if any(WAGER[kind].side_bet for kind in plan.before_deal):
        raise OddsError("The joint odds of boxes accept only the wagers primary, tie and war_tie.")
    if odds.composition.size < 2 * (boxes + 1):
        raise OddsError(
            f"{boxes} boxes and their wars need {2 * (boxes + 1)} cards;"
            f" {odds.composition.size} are left."
        )
    one, two = (total(odds, number, plan) for number in (1, 2))
    covariance = two.variance / 2 - one.variance
    whole = one if boxes == 1 else two if boxes == 2 else total(odds, boxes, plan)
    return Joint(boxes, whole, covariance, covariance / one.variance if one.variance else one.ev)


def total(odds: Odds, boxes: int, plan: Plan) -> Distribution:
    """The distribution of the sum of this many boxes."""
    nets, stakes = _nets(odds, plan)
    pmf: dict[Fraction, Fraction] = {}
    staked = Fraction(0)
    for shape, chance in shapes(odds.composition.ranks, boxes).items():
        net = sum((count * value for count, value in zip(_fives(shape), nets, strict=True)), 0)
        amount = sum((count * each for count, each in zip(_fives(shape), stakes, strict=True)), 0)
        pmf[Fraction(net)] = pmf.get(Fraction(net), Fraction(0)) + chance
        staked += chance * amount
    return Distribution(pmf, staked)


def check_boxes(odds: Odds, boxes: int) -> None:
    """Refuse a number of boxes that no round of the book can have."""
    table, community = odds.rules.table, odds.rules.community
    most = community or (table.boxes if table.seats == 1 else BOXES_MAX)
    if not 1 <= boxes <= most:
        raise OddsError(f"The odds of {odds.rules.name} take 1 to {most} boxes, not {boxes}.")


def _fives(shape: Shape) -> tuple[int, int, int, int, int]:
    return shape.higher, shape.lower, shape.war_higher, shape.war_tied, shape.war_lower


def _nets(odds: Odds, plan: Plan) -> tuple[list[Fraction], list[Fraction]]:
    """What the engine pays one box in each of its five classes, and what the box stakes."""
    relations: tuple[Relation, ...] = ("higher", "tie", "lower")
    kinds = [
        Kind("higher"),
        Kind("lower"),
        *(Kind("tie", war=WarClass(each)) for each in relations),
    ]
    answers = [odds.engine.ask(plan, kind, odds.meters) for kind in kinds]
    size = plan.primary or plan.tie
    nets = [Fraction(sum(e.net for e in answer.values()), size) for answer in answers]
    return nets, [Fraction(sum(e.staked for e in answer.values()), size) for answer in answers]


@lru_cache(maxsize=256)
def shapes(ranks: tuple[int, ...], boxes: int) -> dict[Shape, Fraction]:
    """The exact probability of each shape of a round dealt from these numbers of each rank."""
    counts: dict[Shape, int] = {}
    for dealer in range(len(ranks)):
        if ranks[dealer]:
            _count_decided(counts, ranks, dealer, boxes)
            for war in range(len(ranks)):
                if ranks[war]:
                    _count_wars(counts, ranks, dealer, war, boxes)
    size = sum(ranks)
    return {
        shape: Fraction(count, perm(size, boxes + 1 + (shape.tied + 1 if shape.tied else 0)))
        for shape, count in counts.items()
        if count
    }


def _count_decided(
    counts: dict[Shape, int], ranks: tuple[int, ...], dealer: int, boxes: int
) -> None:
    """Count the rounds without a tie against that dealer's rank."""
    below, above = sum(ranks[:dealer]), sum(ranks[dealer + 1 :])
    for higher in range(boxes + 1):
        lower = boxes - higher
        count = comb(boxes, higher) * perm(above, higher) * perm(below, lower) * ranks[dealer]
        shape = Shape(higher, 0, lower, 0, 0, 0)
        counts[shape] = counts.get(shape, 0) + count


def _count_wars(
    counts: dict[Shape, int], ranks: tuple[int, ...], dealer: int, war: int, boxes: int
) -> None:
    """Count the rounds with ties against that dealer's rank and that war rank."""
    if dealer == war:
        _count_same(counts, ranks, dealer, boxes)
        return
    low, high = min(dealer, war), max(dealer, war)
    under, over = sum(ranks[:low]), sum(ranks[high + 1 :])
    between = sum(ranks[low + 1 : high])
    at_dealer, at_war = ranks[dealer], ranks[war]
    war_above = war > dealer
    for tied in range(1, min(boxes, at_dealer - 1) + 1):
        at_dealer_ways = perm(at_dealer, tied + 1) * comb(boxes, tied)
        for war_tied in range(min(tied, at_war - 1) + 1):
            ways = at_dealer_ways * perm(at_war, war_tied + 1) * comb(tied, war_tied)
            at_war_left, at_dealer_left = at_war - 1 - war_tied, at_dealer - 1 - tied
            for war_higher in range(tied - war_tied + 1):
                war_lower = tied - war_tied - war_higher
                split = ways * comb(tied - war_tied, war_higher)
                for higher in range(boxes - tied + 1):
                    lower = boxes - tied - higher
                    # `near` is the dealer's side, `far` the war's side. Cards that are `out` lie
                    # beyond the dealer's rank or the war's; those `across` may lie between.
                    out, across = (lower, higher) if war_above else (higher, lower)
                    war_out, war_across = (
                        (war_higher, war_lower) if war_above else (war_lower, war_higher)
                    )
                    near, far = (under, over) if war_above else (over, under)
                    if out > near or war_out > far:
                        continue
                    count = (
                        perm(near, out)
                        * perm(far, war_out)
                        * _overlap(
                            between,
                            near - out + at_dealer_left,
                            war_across,
                            far - war_out + at_war_left,
                            across,
                        )
                    )
                    if count:
                        shape = Shape(higher, tied, lower, war_higher, war_tied, war_lower)
                        count *= split * comb(boxes - tied, higher)
                        counts[shape] = counts.get(shape, 0) + count


@lru_cache(maxsize=2**16)
def _overlap(between: int, near: int, from_near: int, far: int, from_far: int) -> int:
    """The ways to take some cards from `near` or between and others from `far` or between."""
    return sum(
        comb(from_near, inside)
        * perm(between, inside)
        * perm(near, from_near - inside)
        * perm(between - inside + far, from_far)
        for inside in range(min(from_near, between) + 1)
    )


def _count_same(counts: dict[Shape, int], ranks: tuple[int, ...], dealer: int, boxes: int) -> None:
    """Count the rounds with ties whose war rank is the dealer's rank again."""
    below, above, here = sum(ranks[:dealer]), sum(ranks[dealer + 1 :]), ranks[dealer]
    for tied in range(1, min(boxes, here - 2) + 1):
        for war_tied in range(min(tied, here - 2 - tied) + 1):
            ways = perm(here, tied + war_tied + 2) * comb(boxes, tied) * comb(tied, war_tied)
            for war_higher in range(tied - war_tied + 1):
                war_lower = tied - war_tied - war_higher
                split = ways * comb(tied - war_tied, war_higher)
                for higher in range(boxes - tied + 1):
                    lower = boxes - tied - higher
                    count = (
                        split
                        * comb(boxes - tied, higher)
                        * perm(above, higher + war_higher)
                        * perm(below, lower + war_lower)
                    )
                    shape = Shape(higher, tied, lower, war_higher, war_tied, war_lower)
                    counts[shape] = counts.get(shape, 0) + count
