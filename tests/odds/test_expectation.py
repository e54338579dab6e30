"""The closed form over thirteen rank counts, held equal to the walk over classes of deals."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import perm
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from strategies import CHOICES, options
from wartable.cards import RANKS
from wartable.odds import Composition, Expectation, Odds, OddsError, Plan, shapes
from wartable.odds.boxes import Shape
from wartable.odds.expectation import count_ties
from wartable.rules import NAMES, Book, load, option_values, with_options
from wartable.rules.model import Limits
from wartable.sim.compositions import choice_values, seat_values, tie_counts

Ranks = tuple[int, ...]

MONEY = ("war_pays", "war_burn", "war_tie_wager", "odd_half", "abandoned", "timeout", "bank_cover")
"""The options that could change what a primary, tie or war tie wager is worth."""


def composition_of(ranks: Ranks) -> Composition:
    """A shoe with so many cards of each rank; suits do not matter here, so it has one."""
    return Composition(dict(zip((f"{rank}c" for rank in RANKS), ranks, strict=True)))


def drawn(random: Random, decks: int) -> Ranks:
    """What is left of these decks after a random number of random cards, at least four."""
    shoe = [rank for rank in range(13) for _ in range(4 * decks)]
    random.shuffle(shoe)
    left = Counter(shoe[: random.randint(4, len(shoe))])
    return tuple(left[rank] for rank in range(13))


def walked(odds: Odds, plan: Plan) -> tuple[Fraction, Fraction, Fraction]:
    """The expectation by war, by surrender and by the best choice, from the walk."""
    war, surrender = plan._replace(choice="war"), plan._replace(choice="surrender")
    return odds.plan(war).ev, odds.plan(surrender).ev, odds.best(war).odds.ev


@pytest.mark.parametrize("decks", [1, 2, 3, 4, 5, 6, 7, 8])
def test_the_closed_form_is_the_walk_at_random_compositions(decks: int, deep: bool) -> None:
    """Closed form and walk are equal as fractions, for what is left of any number of decks."""
    random = Random(decks)
    book = load("maryland")
    plan = Plan(primary=1000, tie=300, war_tie=500)
    form = Expectation(whole := Odds(book), plan)
    for _ in range(10_000 if deep else 15):
        ranks = drawn(random, decks)
        odds = Odds(book, composition=composition_of(ranks))
        odds.engine = whole.engine  # it has its answers already
        assert form.seat(ranks) == walked(odds, plan)


@st.composite
def configured(draw: st.DrawFn) -> Book:
    """A book with any options, and a payout limit that may cut its wins."""
    book = load(draw(st.sampled_from(NAMES)))
    chosen = {key: value for key, value in draw(options()).items() if key in MONEY}
    book = with_options(book, chosen)
    payout = draw(st.sampled_from([None, 150, 500, 1_000]))
    return replace(book, rules=replace(book.rules, limits=Limits(payout_max=payout)))


ranks_of = st.lists(st.integers(0, 9), min_size=13, max_size=13).filter(lambda n: sum(n) >= 4)


@given(configured(), ranks_of, st.sampled_from([2, 100, 101, 350]), st.sampled_from([0, 40, 101]))
def test_the_closed_form_is_the_walk_in_any_book(
    book: Book, numbers: list[int], primary: int, side: int
) -> None:
    """Whatever the book's options, payout limit and stakes, the closed form is the walk."""
    if book.rules.options.odd_half == "refuse":
        primary += primary % 2
    free = book.rules.options.war_tie_wager
    war_tie = {"none": 0, "equal_primary": primary, "free": side}[free]
    plan = Plan(primary=primary, tie=side, war_tie=war_tie)
    odds = Odds(book, composition=composition_of(tuple(numbers)))
    form = Expectation(odds, plan)
    assert form.seat(numbers) == walked(odds, plan)


@pytest.mark.parametrize("reading", option_values("war_pays"))
def test_a_choice_is_worth_what_its_classes_pay(reading: str) -> None:
    """At a tie each choice is worth the mean of its war deals, from the cards that are left."""
    book = with_options(load("maryland"), {"war_pays": reading})
    plan = Plan(primary=100, tie=20, war_tie=30)
    random = Random(reading)
    for _ in range(20):
        left = drawn(random, 2)
        tied = random.randrange(13)
        before = tuple(n + 2 * (place == tied) for place, n in enumerate(left))
        odds = Odds(book, composition=composition_of(before))
        pair = next(each for each in odds._pairs if each.player[0] == RANKS[tied])
        size = sum(left)
        values = Expectation(odds, plan).choice(left)
        for choice, value in zip(CHOICES, values, strict=True):
            weighed = odds._value(plan._replace(choice=choice), pair)
            assert value == weighed / (pair.weight * size * (size - 1) * plan.primary)


def test_the_known_closed_form() -> None:
    """By the usual reading a war is worth -t/2, and 5/2 of the chance that both deals tie."""
    form = Expectation(Odds(load("washington")))
    ranks = (24,) * 13
    deals, wars, tied, twice = count_ties(ranks)
    t = Fraction(tied, deals)
    assert form.seat(ranks).war == -t / 2 + Fraction(5, 2) * Fraction(twice, deals * wars)
    assert form.seat(ranks).war == Fraction(-23138, 993023)
    assert form.choice((22, *(24,) * 12)).war == Fraction(-1006, 3193)


def test_a_lone_tie_wager_has_no_choice() -> None:
    """Where a tie wager may stand alone, its value is that of the wager."""
    odds = Odds(load("new-zealand"))
    assert not odds.rules.wagers.tie.with_primary
    values = Expectation(odds, Plan(tie=100)).seat((24,) * 13)
    assert values.war == values.surrender == values.best == odds.wager("tie").ev


def test_arrays_equal_the_fractions() -> None:
    """The compiled arrays count the same whole numbers, and value each row as the fraction is."""
    random = Random(5)
    rows = [drawn(random, decks) for decks in (1, 2, 6, 8) for _ in range(10)]
    rows += [(4_000,) * 13, (4, *(0,) * 12), (52_000, *(0,) * 12)]
    assert tie_counts(rows).tolist() == [list(count_ties(row)) for row in rows]
    for reading in option_values("war_pays"):
        book = with_options(load("maryland"), {"war_pays": reading})
        form = Expectation(Odds(book), Plan(primary=1000, tie=300, war_tie=500))
        seats, choices = seat_values(form, rows), choice_values(form, rows)
        for row, seat, choice in zip(rows, seats, choices, strict=True):
            assert seat == pytest.approx([float(each) for each in form.seat(row)], abs=1e-13)
            assert choice == pytest.approx([float(each) for each in form.choice(row)], abs=1e-13)


@pytest.mark.parametrize(
    "ranks", [(1, 1, 1, *(0,) * 10), (4,) * 12, (4,) * 14, (-1, *(4,) * 12), (52_001, *(0,) * 12)]
)
def test_no_composition_is_refused(ranks: Ranks) -> None:
    """Too few cards, too many, another number of ranks and a negative one are refused."""
    form = Expectation(Odds(load("online")))
    with pytest.raises(OddsError, match="A composition is 13 numbers from two to ace"):
        form.seat(ranks)
    with pytest.raises(OddsError, match="Compositions are rows of 13 numbers"):
        seat_values(form, np.array([ranks]))


def test_side_bets_and_refused_wagers_have_no_closed_form() -> None:
    """Suits decide a side bet; a wager that the book refuses is refused with its sentence."""
    odds = Odds(load("maryland"))
    with pytest.raises(OddsError, match="accepts only the wagers primary, tie and war_tie"):
        Expectation(odds, Plan.of({"primary": 100, "progressive": 100}))
    with pytest.raises(OddsError, match="at least one cent, not 0"):
        Expectation(odds, Plan())
    with pytest.raises(OddsError, match="offers no tie wager on the war deal"):
        Expectation(Odds(load("washington")), Plan(primary=100, war_tie=100))


uneven = st.dictionaries(st.integers(0, 12), st.integers(1, 5), min_size=1, max_size=3)


@given(uneven.filter(lambda n: sum(n.values()) >= 6))
def test_shapes_of_small_shoes_are_those_of_counted_deals(left: dict[int, int]) -> None:
    """Two boxes have each shape as often as counting every deal by rank finds it."""
    counted: Counter[Shape] = Counter()
    for cards in product(left, repeat=6):
        weight = 1
        for rank, times in Counter(cards).items():
            weight *= perm(left[rank], times)
        (dealer, *own), (war_dealer, *again) = cards[:3], cards[3:]
        wars = [war for card, war in zip(own, again, strict=True) if card == dealer]
        shape = Shape(
            *(_split(own, dealer)),
            *(_split(wars, war_dealer)),
        )
        counted[shape] += weight
    whole = perm(sum(left.values()), 6)
    ranks = tuple(left.get(rank, 0) for rank in range(13))
    assert shapes(ranks, 2) == {
        shape: Fraction(count, whole) for shape, count in counted.items() if count
    }


def _split(cards: list[int], dealer: int) -> tuple[int, int, int]:
    """How many cards are higher than the dealer's, equal and lower."""
    higher, tied = sum(card > dealer for card in cards), cards.count(dealer)
    return higher, tied, len(cards) - higher - tied
