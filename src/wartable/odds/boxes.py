"""Several boxes against one dealer: the exact distribution of their sum.

All cards of a round are exchangeable, so the cards of the war deal may be counted before the
others. For a dealer's rank d and a war rank w, every card of the round has a set of ranks:
d for the dealer's and the tied boxes' cards, w for the dealer's and the tied war cards, and the
ranks above or below d or w for the rest. Only two of these sets overlap without one holding the
other: in the ranks between d and w. One sum over the cards that lie there therefore counts all.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb, factorial, perm
from operator import mul
from typing import NamedTuple

from wartable.game.wagers import WAGER
from wartable.odds.classes import Relation
from wartable.odds.composition import OddsError
from wartable.odds.expectation import ending
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
    relations: tuple[Relation, ...] = ("higher", "tie", "lower")
    kinds = [
        ending(odds, plan, "higher"),
        ending(odds, plan, "lower"),
        *(ending(odds, plan, "tie", each) for each in relations),
    ]
    nets, stakes = [each.net for each in kinds], [each.staked for each in kinds]
    unit = plan.primary or plan.tie
    weights: dict[int, int] = {}
    staked = 0
    for shape, weight in weigh_shapes(odds.composition.ranks, boxes).items():
        ends = _fives(shape)
        net = sum(map(mul, ends, nets))
        weights[net] = weights.get(net, 0) + weight
        staked += weight * sum(map(mul, ends, stakes))
    deals = perm(odds.composition.size, 2 * boxes + 2)
    pmf = {Fraction(net, unit): Fraction(weight, deals) for net, weight in weights.items()}
    return Distribution(pmf, Fraction(staked, unit * deals))


def check_boxes(odds: Odds, boxes: int) -> None:
    """Refuse a number of boxes that no round of the book can have."""
    table, community = odds.rules.table, odds.rules.community
    most = community or (table.boxes if table.seats == 1 else BOXES_MAX)
    if not 1 <= boxes <= most:
        raise OddsError(f"The odds of {odds.rules.name} take 1 to {most} boxes, not {boxes}.")


def _fives(shape: Shape) -> tuple[int, int, int, int, int]:
    return shape.higher, shape.lower, shape.war_higher, shape.war_tied, shape.war_lower


@lru_cache(maxsize=256)
def shapes(ranks: tuple[int, ...], boxes: int) -> dict[Shape, Fraction]:
    """The exact probability of each shape of a round dealt from these numbers of each rank."""
    deals = perm(sum(ranks), 2 * boxes + 2)
    return {shape: Fraction(weight, deals) for shape, weight in weigh_shapes(ranks, boxes).items()}


@lru_cache(maxsize=256)
def weigh_shapes(ranks: tuple[int, ...], boxes: int) -> dict[Shape, int]:
    """Each shape with the number of its ordered deals of two cards to each box and the dealer."""
    rising = _count_rising(ranks, boxes)
    mirrored = ranks[::-1]  # a war rank below the dealer's is one above it in the mirror
    falling = rising if mirrored == ranks else _count_rising(mirrored, boxes)
    counts = _count_decided(ranks, boxes) | _count_same(ranks, boxes)
    for shape, count in rising.items():
        counts[shape] += count
    for (higher, tied, lower, war_higher, war_tied, war_lower), count in falling.items():
        counts[Shape(lower, tied, higher, war_lower, war_tied, war_higher)] += count
    size, cards = sum(ranks), 2 * boxes + 2
    # The cards of boxes that did not go to war may be any that are left.
    rest = [perm(size - boxes - 1 - used, cards - boxes - 1 - used) for used in range(boxes + 2)]
    return {
        shape: count * rest[shape.tied + 1 if shape.tied else 0]
        for shape, count in counts.items()
        if count
    }


def _count_decided(ranks: tuple[int, ...], boxes: int) -> dict[Shape, int]:
    """Count the rounds without a tie."""
    below = list(accumulate(ranks, initial=0))
    return {
        Shape(higher, 0, boxes - higher, 0, 0, 0): comb(boxes, higher)
        * sum(
            here * perm(below[-1] - below[dealer + 1], higher) * perm(below[dealer], boxes - higher)
            for dealer, here in enumerate(ranks)
        )
        for higher in range(boxes + 1)
    }


def _count_rising(ranks: tuple[int, ...], boxes: int) -> dict[Shape, int]:
    """Count the rounds with ties whose war rank is above the dealer's rank.

    Choosing cards for each place and then ordering them leaves, of all factorials, only
    boxes! x (tied + 1)! x (war_tied + 1). Shapes that differ only in who won or tied a war are
    counted together, in one whole number with a slot for each number of tied wars.
    """
    before = list(accumulate(ranks, initial=0))
    ways = _combinations(before[-1], boxes)
    slot = perm(before[-1], 2 * boxes + 2).bit_length()
    sums = {
        (tied, higher): [0] * (tied + 1)
        for tied in range(1, boxes + 1)
        for higher in range(boxes - tied + 1)
    }
    for dealer, at_dealer in enumerate(ranks):
        splits = {
            (tied, higher): ways[tied + 1][at_dealer] * ways[boxes - tied - higher][before[dealer]]
            for tied, higher in sums
        }
        wars = {split: [0] * (split[0] + 1) for split, count in splits.items() if count}
        for war in range(dealer + 1, len(ranks)) if wars else ():
            _add_wars(wars, ways, slot, before, dealer, war)
        for split, totals in wars.items():
            count = splits[split]
            sums[split] = [s + count * t for s, t in zip(sums[split], totals, strict=True)]
    return {
        Shape(higher, tied, boxes - tied - higher, tied - lost - even, even, lost): (
            (total >> slot * even)
            % (1 << slot)
            * (factorial(boxes) * factorial(tied + 1) * (even + 1))
        )
        for (tied, higher), totals in sums.items()
        for lost, total in enumerate(totals)
        for even in range(tied - lost + 1)
    }


def _add_wars(
    wars: dict[tuple[int, int], list[int]],
    ways: list[list[int]],
    slot: int,
    before: list[int],
    dealer: int,
    war: int,
) -> None:
    """Add the ways of the wars and the higher boxes, by tied and higher boxes and lost wars."""
    boxes = len(ways) - 2
    at_war, between = before[war + 1] - before[war], before[war] - before[dealer + 1]
    over = before[-1] - before[war + 1]
    decided_ways = [
        sum(
            ways[decided - even][over] * ways[even + 1][at_war] << slot * even
            for even in range(decided + 1)
        )
        for decided in range(boxes + 1)
    ]
    # Each lost war takes a card under the war rank. Those between the two ranks, most of them
    # first, are missing for the higher boxes.
    between_ways = [each[between] for each in ways]
    lost_ways = []
    for higher in range(boxes):
        near = before[dealer + 1] - 1 - boxes + higher
        near_ways = [each[near] for each in ways]
        lost_ways.append(
            [list(map(mul, between_ways[lost::-1], near_ways)) for lost in range(boxes + 1)]
        )
    for (tied, higher), totals in wars.items():
        higher_ways, least = ways[higher], between + over + at_war - 1 - tied
        if least < 0:
            higher_ways, least = higher_ways[least:] + higher_ways[: boxes + 1], 0
        for lost, spread in enumerate(lost_ways[higher][: tied + 1]):
            across = sum(map(mul, spread, higher_ways[least : least + lost + 1]))
            totals[lost] += across * decided_ways[tied - lost]


def _combinations(size: int, boxes: int) -> list[list[int]]:
    """The ways to choose 0, 1, 2 ... cards, each of 0, 1, 2 ... cards up to the size.

    Zeros follow, so that a number of cards below zero, which counts from the end, has no ways.
    """
    ways = [[1] * (size + 1)]
    for _ in range(boxes + 1):
        ways.append(list(accumulate(ways[-1][:-1], initial=0)))
    return [each + [0] * (boxes + 1) for each in ways]


def _count_same(ranks: tuple[int, ...], boxes: int) -> dict[Shape, int]:
    """Count the rounds with ties whose war rank is the dealer's rank again."""
    below = list(accumulate(ranks, initial=0))
    above = [below[-1] - each for each in below[1:]]
    counts: dict[Shape, int] = {}
    for tied in range(1, boxes + 1):
        for war_tied in range(tied + 1):
            same = [perm(here, tied + war_tied + 2) for here in ranks]
            decided = tied - war_tied
            orders = comb(boxes, tied) * comb(tied, war_tied)
            for over in range(boxes - war_tied + 1):  # cards above the rank, of both deals
                under = boxes - war_tied - over
                ways = orders * sum(
                    here * perm(above[dealer], over) * perm(below[dealer], under)
                    for dealer, here in enumerate(same)
                    if here
                )
                for war_higher in range(max(0, over - boxes + tied), min(decided, over) + 1):
                    higher = over - war_higher
                    shape = Shape(
                        higher,
                        tied,
                        boxes - tied - higher,
                        war_higher,
                        war_tied,
                        decided - war_higher,
                    )
                    split = comb(decided, war_higher) * comb(boxes - tied, higher)
                    counts[shape] = ways * split
    return counts
