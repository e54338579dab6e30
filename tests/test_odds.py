"""The exact odds: the published figures, brute force against classes, several boxes."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import permutations

import pytest

from clauses import proves
from wartable.game import Spin
from wartable.odds import Composition, Distribution, Odds, Plan, kind_of
from wartable.odds.classes import Cards
from wartable.odds.figures import Tally
from wartable.odds.wagers import wheel_stops
from wartable.odds.walk import answer_of, play
from wartable.rules import NAMES, WagerKind, load, with_options

PUBLISHED = {
    1: ("2.06", "2.42", "2.94", "35.29"),
    2: ("2.24", "2.70", "3.40", "25.24"),
    3: ("2.29", "2.79", "3.55", "21.94"),
    4: ("2.31", "2.84", "3.62", "20.29"),
    5: ("2.32", "2.86", "3.67", "19.31"),
    6: ("2.33", "2.88", "3.70", "18.65"),
    7: ("2.34", "2.89", "3.72", "18.18"),
    8: ("2.34", "2.90", "3.73", "17.83"),
}
SMALL = Composition(dict.fromkeys(("7d", "7c", "Kd", "Kc"), 5))
MARYLAND = load("maryland")


def percent(edge: Fraction) -> str:
    """An edge as a document prints it."""
    return f"{100 * float(edge):.2f}"


@pytest.mark.parametrize("name", NAMES)
def test_the_six_deck_figures(name: str) -> None:
    """Every shipped book has the known exact expectations with six decks."""
    odds = Odds(load(name), 6)
    assert odds.wager("primary").ev == Fraction(-23138, 993023)
    assert odds.wager("primary", "surrender").ev == Fraction(-23, 622)
    assert odds.wager("tie").ev == Fraction(-58, 311)
    free = Odds(with_options(load(name), {"war_tie_wager": "free"}), 6)
    assert free.wager("war_tie").ev == Fraction(-2974, 15965)
    no_bonus = Odds(with_options(load(name), {"war_pays": "no_bonus"}), 6)
    assert no_bonus.wager("primary").ev == Fraction(-142853, 4965115)


@pytest.mark.parametrize("decks", PUBLISHED)
def test_the_published_table(decks: int) -> None:
    """Edge with bonus, without, at surrender and of the tie wager, for 1 to 8 decks."""
    odds = Odds(MARYLAND, decks)
    without = Odds(with_options(MARYLAND, {"war_pays": "no_bonus"}), decks)
    edges = (
        odds.wager("primary").edge,
        without.wager("primary").edge,
        odds.wager("primary", "surrender").edge,
        odds.wager("tie").edge,
    )
    assert tuple(map(percent, edges)) == PUBLISHED[decks]


@proves("odds", "WA-pay-edge", "WA-pay-tie-edge")
def test_WA_pay_edge() -> None:
    """Washington's printed edges are those of always war and of the tie wager at six decks."""
    book = load("washington")
    odds = Odds(book)
    printed = book.rules.edges
    assert printed is not None
    assert f"{percent(odds.wager('primary').edge)}%" == printed.primary == "2.33%"
    assert f"{percent(odds.wager('tie').edge)}%" == printed.tie == "18.65%"


def every_deal(composition: Composition) -> Counter[Cards]:
    """Every ordered deal of four physical cards, counted by the cards' names."""
    shoe = [card for card, number in composition.counts.items() for _ in range(number)]
    return Counter(permutations(shoe, 4))


def brute_force(odds: Odds, plan: Plan, kind: WagerKind | None) -> Distribution:
    """A plan's odds, or one wager's, by asking the engine about every deal of the shoe."""
    tally = Tally()
    for cards, weight in every_deal(odds.composition).items():
        for stop, chance in stops_of(odds, plan, cards):
            answer = answer_of(play(odds.rules, plan, cards, odds.meters, stop))
            if kind is None:
                parts = list(answer.values())
                unit = plan.primary
            elif kind == "primary":
                parts = [answer[each] for each in ("primary", "war") if each in answer]
                unit = plan.primary
            elif kind in answer:
                parts = [answer[kind]]
                unit = answer[kind].staked
            else:
                continue
            net, staked = sum(p.net for p in parts), sum(p.staked for p in parts)
            size = Fraction(1, unit)
            tally.add(weight * chance, net * size, staked * size, parts[0].outcome)
    return tally.distribution()


def stops_of(odds: Odds, plan: Plan, cards: Cards) -> Iterable[tuple[Spin | None, Fraction]]:
    """The wheel's stops where a bonus spin of the plan is started."""
    trigger = odds.engine.trigger
    if plan.bonus_spin and trigger and kind_of(cards, trigger).triggers:
        return wheel_stops(odds.book, odds.bettors)
    return [(None, Fraction(1))]


def same(one: Distribution, other: Distribution) -> bool:
    """Whether two distributions agree in everything."""
    return (one.pmf, one.staked, one.outcomes) == (other.pmf, other.staked, other.outcomes)


EVERYTHING = Plan(primary=500, tie=500, progressive=500, bonus_spin=500, war_tie=500)


@pytest.mark.parametrize("choice", ["war", "surrender"])
@pytest.mark.parametrize("suited", ["pairwise", "one_suit"])
def test_classes_equal_brute_force(choice: str, suited: str) -> None:
    """Every deal of a shoe of two ranks, two suits and five copies gives the classes' odds."""
    book = with_options(MARYLAND, {"progressive_suited": suited})
    odds = Odds(book, composition=SMALL)
    kinds: tuple[WagerKind, ...] = ("primary", "tie", "progressive")
    plan = EVERYTHING._replace(bonus_spin=0, choice="war" if choice == "war" else "surrender")
    for kind in kinds:
        expected = brute_force(odds, plan, kind)
        assert same(odds.part(plan, kind), expected), kind
    assert same(odds.plan(plan), brute_force(odds, plan, None))
    if choice == "war":
        assert same(odds.wager("war_tie"), brute_force(odds, plan, "war_tie"))
        assert set(odds.wager("progressive").outcomes) == {
            *MARYLAND.rules.wagers.progressive.lines,  # type: ignore[union-attr]  # has one
            "lost",
        }
