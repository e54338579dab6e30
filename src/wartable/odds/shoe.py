"""The effect of cards already dealt: favourable ties, war or surrender, the cover card."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb, floor, sqrt
from random import Random
from typing import NamedTuple

from wartable.odds.classes import DealClass, Relation, WarClass
from wartable.odds.composition import OddsError
from wartable.odds.wagers import Odds

RANKS = 13
SHOES = 2_000


class UnitPays(NamedTuple):
    """What the engine pays per unit at each ending of a primary and of a tie wager."""

    war_won: Fraction
    war_tied: Fraction
    war_lost: Fraction
    surrendered: Fraction
    tie_won: Fraction
    tie_lost: Fraction


def stakes_of(odds: Odds) -> UnitPays:
    """The engine's payments that this module needs."""

    def primary(choice: str, relation: Relation) -> Fraction:
        plan = odds.plan_for("primary", "war" if choice == "war" else "surrender")
        answer = odds.engine.ask(plan, DealClass("tie", war=WarClass(relation)), odds.meters)
        return Fraction(sum(ended.net for ended in answer.values()), plan.primary)

    def tie(relation: Relation) -> Fraction:
        plan = odds.plan_for("tie")
        war = WarClass("lower") if relation == "tie" else None
        answer = odds.engine.ask(plan, DealClass(relation, war=war), odds.meters)
        return Fraction(answer["tie"].net, plan.tie)

    return UnitPays(
        primary("war", "higher"),
        primary("war", "tie"),
        primary("war", "lower"),
        primary("surrender", "lower"),
        tie("tie"),
        tie("lower"),
    )


def tie_is_favourable(odds: Odds) -> bool:
    """Whether the tie wager gains: at a to b, if (a + b) x sum n(n-1) > b x m(m-1)."""
    stakes, size = stakes_of(odds), odds.composition.size
    tied = sum(number * (number - 1) for number in odds.composition.ranks)
    return (stakes.tie_won - stakes.tie_lost) * tied > -stakes.tie_lost * size * (size - 1)


class FavourableTie(NamedTuple):
    """How often the tie wager is favourable at a depth of the shoe, and by how much then."""

    chance: Fraction
    gain: Fraction
    """The mean gain per unit when it is favourable; 0 if it never is."""


def favourable_tie(odds: Odds, dealt: int) -> FavourableTie:
    """The exact chance and gain of a favourable tie wager after `dealt` random cards."""
    copies, stakes = 4 * odds.decks, stakes_of(odds)
    left = RANKS * copies - dealt
    if not 2 <= left <= RANKS * copies:
        raise OddsError(f"Of {RANKS * copies} cards, 0 to {RANKS * copies - 2} may be dealt.")
    spread = stakes.tie_won - stakes.tie_lost
    enough = -stakes.tie_lost * left * (left - 1) / (2 * spread)
    chance, pairs = _pairs_above(copies, left, floor(enough))
    if not chance:
        return FavourableTie(chance, Fraction(0))
    return FavourableTie(
        chance, stakes.tie_lost + spread * 2 * pairs / chance / (left * (left - 1))
    )


def favourable_chance(odds: Odds, dealt: int) -> Fraction:
    """The exact probability that the tie wager is favourable after `dealt` random cards."""
    return favourable_tie(odds, dealt).chance


@lru_cache(maxsize=256)
def _pairs_above(copies: int, left: int, pairs: int) -> tuple[Fraction, Fraction]:
    """The probability that `left` cards hold more than `pairs` pairs, and the mean of those pairs.

    For each rank, a polynomial in the number of pairs counts the cards left of it;
    the polynomials are packed into whole numbers, one slot for each number of pairs.
    """
    width = comb(RANKS * copies, left).bit_length() + 1
    terms = [(comb(copies, n), comb(n, 2) * width) for n in range(copies + 1)]
    sums = [1] + [0] * left
    for number in range(1, RANKS + 1):
        totals = [left] if number == RANKS else range(left + 1)
        after = [0] * (left + 1)
        for total in totals:
            after[total] = sum(
                (sums[total - n] * ways) << shift
                for n, (ways, shift) in enumerate(terms[: total + 1])
            )
        sums = after
    packed = sums[left] >> (width * (pairs + 1))
    slot = (1 << width) - 1
    found = held = 0
    while packed:
        pairs += 1
        found += packed & slot
        held += (packed & slot) * pairs
        packed >>= width
    total = comb(RANKS * copies, left)
    return Fraction(found, total), Fraction(held, total)


def war_gain(odds: Odds) -> tuple[Fraction, Fraction]:
    """The gain of war over surrender given a tie: without a war tie, and per chance of one.

    With a chance t of a war tie, won and lost wars are equally likely whatever the composition,
    so war gains a + b t. If a >= 0 and a + b >= 0, it is never worse.
    """
    stakes = stakes_of(odds)
    even = (stakes.war_won + stakes.war_lost) / 2
    return even - stakes.surrendered, stakes.war_tied - even


def war_never_worse(odds: Odds) -> bool:
    """Whether war is at least as good as surrender at every composition."""
    least, rise = war_gain(odds)
    return least >= 0 and least + rise >= 0


class CoverEffect(NamedTuple):
    """How far a cover card moves the mean result of a round."""

    effect: float
    """The mean gain of a round over one from a fresh shoe, per unit of the wager."""
    error: float
    """The standard error of that estimate."""
    rounds: float
    """The mean number of rounds in a shoe."""
    shoes: int


def cover_effect(odds: Odds, cover: int, shoes: int = SHOES, seed: int = 1) -> CoverEffect:
    """The mean result of one box, always war, until the cover card, against a fresh shoe's.

    Shoes are simulated, but every round counts with its exact expectation from the cards left,
    so only the composition is random.
    """
    copies, stakes = 4 * odds.decks, stakes_of(odds)
    order = [rank for rank in range(RANKS) for _ in range(copies)]
    fresh = float(odds.wager("primary").ev)
    burns = odds.rules.deal.war_burn * (1 + (odds.rules.options.war_burn != "once"))
    generator = Random(seed)
    gains, rounds = [], []
    for _ in range(shoes):
        generator.shuffle(order)
        gain, number = _shoe_gain(order, cover, burns, stakes, fresh)
        gains.append(gain)
        rounds.append(number)
    mean_rounds = sum(rounds) / shoes
    effect = sum(gains) / sum(rounds)
    spread = sum((g - effect * n) ** 2 for g, n in zip(gains, rounds, strict=True))
    error = sqrt(spread / (shoes - 1) / shoes) / mean_rounds
    return CoverEffect(effect, error, mean_rounds, shoes)


def _shoe_gain(
    order: Sequence[int], cover: int, burns: int, stakes: UnitPays, fresh: float
) -> tuple[float, int]:
    """The rounds' expectation in one shoe beyond that of fresh ones, and their number."""
    counts = [0] * RANKS
    for rank in order:
        counts[rank] += 1
    even = float(stakes.war_won + stakes.war_lost) / 2
    rise = float(stakes.war_tied) - even
    position, gain, rounds = 0, 0.0, 0
    size = len(order)
    while position < cover and size - position >= 4 + burns:
        left = size - position
        tied = sum(n * (n - 1) for n in counts)
        cubes = sum(n * n * (n - 1) for n in counts)
        wars = (tied * (tied + 6) - 4 * cubes) / ((left - 2) * (left - 3))
        gain += (even * tied + rise * wars) / (left * (left - 1)) - fresh
        rounds += 1
        taken = 2 if order[position] != order[position + 1] else 4 + burns
        for rank in order[position : position + taken]:
            counts[rank] -= 1
        position += taken
    return gain, rounds
