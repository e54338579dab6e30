"""What each action of one box is worth, in closed form over the numbers of the thirteen ranks.

Exchanging the two cards of a deal turns a win into a loss, so both are equally likely whatever
cards are left. All that a composition decides is how often the original deal ties, and how often
the war ties as well. The walk over classes of deals (`Odds`) is the proof, and a test checks
that the two agree; this is some hundred times faster.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from wartable.cards import RANKS
from wartable.game import Illegal
from wartable.game.wagers import WAGER
from wartable.odds.classes import DealClass, Relation, WarClass
from wartable.odds.composition import CARDS_MIN, DECKS_MAX, OddsError
from wartable.odds.wagers import Odds
from wartable.odds.walk import Plan

WAR_CARDS = 2
"""The cards that a war deal of one box needs."""


class TieCounts(NamedTuple):
    """How many ordered deals a composition has, and how many of them tie."""

    deals: int
    """Original deals of two cards."""
    wars: int
    """War deals that can follow each of them."""
    tied: int
    """Original deals that tie."""
    tied_twice: int
    """Original and war deals that both tie."""


class BoxEnding(NamedTuple):
    """What the engine pays one box at one of its endings, and what the box staked, in cents."""

    net: int
    staked: int


class BoxEndings(NamedTuple):
    """The endings of one box of a plan; `surrendered` is the same whatever the war card."""

    higher: BoxEnding
    lower: BoxEnding
    war_higher: BoxEnding
    war_tied: BoxEnding
    war_lower: BoxEnding
    surrendered: BoxEnding


class SeatValue(NamedTuple):
    """A seat's expectation before the deal, per unit of its primary or lone tie wager."""

    war: Fraction
    """If it goes to war at every tie."""
    surrender: Fraction
    """If it surrenders at every tie."""
    best: Fraction
    """If it makes the better choice at each tied rank."""


class ChoiceValue(NamedTuple):
    """A tied seat's net of the whole round by choice, per unit of its primary or lone tie wager."""

    war: Fraction
    surrender: Fraction


class Expectation:
    """The expectations of a plan without side bets, for any numbers of the thirteen ranks."""

    def __init__(self, odds: Odds, plan: Plan | None = None) -> None:
        self.plan = odds.plan_for("primary") if plan is None else plan
        if any(WAGER[kind].side_bet for kind in self.plan.before_deal):
            raise OddsError(
                "The closed form accepts only the wagers primary, tie and war_tie; suits decide"
                " side bets, so ask Odds for those."
            )
        self.unit = self.plan.primary or self.plan.tie
        if type(self.unit) is not int or self.unit < 1:
            raise OddsError(
                f"The plan needs a primary or tie wager of at least one cent, not {self.unit!r}."
            )
        self.endings = endings(odds, self.plan)

    def seat(self, ranks: Sequence[int]) -> SeatValue:
        """The seat's expectation before a round dealt from these numbers of each rank."""
        counts = count_ties(ranks)
        deals, wars, tied, twice = counts
        higher, lower, won, even, lost, surrendered = (each.net for each in self.endings)
        decided = (higher + lower) * (deals - tied)
        war = decided * wars + (won + lost) * (tied * wars - twice) + 2 * even * twice
        surrender = decided + 2 * surrendered * tied
        return SeatValue(
            Fraction(war, 2 * deals * wars * self.unit),
            Fraction(surrender, 2 * deals * self.unit),
            Fraction(decided * wars + self._best(ranks, counts), 2 * deals * wars * self.unit),
        )

    def _best(self, ranks: Sequence[int], counts: TieCounts) -> int:
        """Twice the weighted net of the better choice at each tied rank."""
        _, wars, tied, _ = counts
        _, _, won, even, lost, surrendered = (each.net for each in self.endings)
        total = 0
        for number in ranks:
            if number > 1:
                again = tied - 4 * number + 6  # the tied rank has two cards fewer
                fought = (won + lost) * (wars - again) + 2 * even * again
                total += number * (number - 1) * max(fought, 2 * surrendered * wars)
        return total

    def choice(self, ranks: Sequence[int]) -> ChoiceValue:
        """What each choice at a tie is worth, given the cards of each rank that are left then."""
        size = _checked(ranks, WAR_CARDS)
        tied, deals = _pairs(ranks), size * (size - 1)
        _, _, won, even, lost, surrendered = (each.net for each in self.endings)
        war = (won + lost) * (deals - tied) + 2 * even * tied
        return ChoiceValue(Fraction(war, 2 * deals * self.unit), Fraction(surrendered, self.unit))


def count_ties(ranks: Sequence[int]) -> TieCounts:
    """The number of deals that tie, given the number of cards of each rank."""
    size = _checked(ranks, CARDS_MIN)
    tied = _pairs(ranks)
    # After a tie of n cards of a rank, (n - 2)(n - 3) of its n(n - 1) pairs are left.
    twice = sum(number * (number - 1) * (tied - 4 * number + 6) for number in ranks)
    return TieCounts(size * (size - 1), (size - 2) * (size - 3), tied, twice)


def endings(odds: Odds, plan: Plan) -> BoxEndings:
    """What the engine pays one box of a plan at each of its endings."""
    at_war, gave_up = plan._replace(choice="war"), plan._replace(choice="surrender")
    return BoxEndings(
        ending(odds, at_war, "higher"),
        ending(odds, at_war, "lower"),
        ending(odds, at_war, "tie", "higher"),
        ending(odds, at_war, "tie", "tie"),
        ending(odds, at_war, "tie", "lower"),
        ending(odds, gave_up, "tie", "lower"),
    )


def ending(odds: Odds, plan: Plan, relation: Relation, war: Relation | None = None) -> BoxEnding:
    """What the engine pays one box of a plan, by its card and its war card."""
    kind = DealClass(relation, war=None if war is None else WarClass(war))
    try:
        ends = odds.engine.ask(plan, kind, odds.meters).values()
    except Illegal as refusal:
        raise OddsError(refusal.sentence) from None
    return BoxEnding(sum(each.net for each in ends), sum(each.staked for each in ends))


def _pairs(ranks: Sequence[int]) -> int:
    """The ordered pairs of cards of one rank."""
    return sum(number * (number - 1) for number in ranks)


def _checked(ranks: Sequence[int], least: int) -> int:
    """The number of cards; raises `OddsError` unless they are a composition."""
    size = sum(ranks)
    if len(ranks) != len(RANKS) or min(ranks) < 0 or not least <= size <= 52 * DECKS_MAX:
        raise OddsError(
            f"A composition is {len(RANKS)} numbers from two to ace, none below 0, of {least} to"
            f" {52 * DECKS_MAX} cards together; got {list(ranks)!r:.80}"
        )
    return size
