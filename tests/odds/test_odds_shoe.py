"""What the cards already gone do: the tie wager, war and surrender, the cover card."""

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paths import DOCS
from wartable.cards import RANKS
from wartable.odds import Composition, Odds, OddsError
from wartable.odds.shoe import (
    _shoe_gain,
    cover_effect,
    favourable_chance,
    stakes_of,
    tie_is_favourable,
    war_gain,
    war_never_worse,
)
from wartable.rules import load, option_values, with_options

MD = load("maryland")
counts = st.lists(st.integers(0, 12), min_size=13, max_size=13).filter(lambda n: sum(n) >= 4)


def odds_of(numbers: list[int]) -> Odds:
    """The odds of a shoe with so many cards of each rank."""
    return Odds(
        MD, composition=Composition(dict(zip((f"{r}c" for r in RANKS), numbers, strict=True)))
    )


@given(counts)
def test_the_criterion_of_a_favourable_tie(numbers: list[int]) -> None:
    """The tie wager gains exactly where 11 x sum n(n-1) > m(m-1)."""
    odds = odds_of(numbers)
    size = sum(numbers)
    criterion = 11 * sum(n * (n - 1) for n in numbers) > size * (size - 1)
    assert tie_is_favourable(odds) == criterion == (odds.wager("tie").ev > 0)


@pytest.mark.parametrize("dealt", [0, 30, 44, 47, 50])
def test_how_often_is_counted(dealt: int) -> None:
    """The chance of a favourable tie wager is that of counting every composition of one deck."""
    left = 52 - dealt
    favourable = 0
    for pairs, ways in spread(left):
        if 22 * pairs > left * (left - 1):
            favourable += ways
    assert favourable_chance(Odds(MD, 1), dealt) == Fraction(favourable, comb(52, left))


def spread(left: int) -> Iterator[tuple[int, int]]:
    """The number of pairs within ranks, and its ways, over all compositions of so many cards."""
    ways = {(0, 0): 1}
    for _ in RANKS:
        after: dict[tuple[int, int], int] = {}
        for (cards, pairs), count in ways.items():
            for n in range(min(4, left - cards) + 1):
                key = (cards + n, pairs + comb(n, 2))
                after[key] = after.get(key, 0) + count * comb(4, n)
        ways = after
    for (cards, pairs), count in ways.items():
        if cards == left:
            yield pairs, count


def test_how_often_at_the_cover_card() -> None:
    """Six decks: once in some 2,600 rounds at the cover card, never from a fresh shoe."""
    odds = Odds(MD)
    assert favourable_chance(odds, 0) == 0
    assert float(favourable_chance(odds, 234)) == pytest.approx(0.000388, rel=1e-3)
    chances = [favourable_chance(odds, dealt) for dealt in (208, 234, 260, 286)]
    assert chances == sorted(chances)
    with pytest.raises(OddsError, match="0 to 310 may be dealt"):
        favourable_chance(odds, 311)


@given(counts)
def test_war_is_never_worse_than_surrender(numbers: list[int]) -> None:
    """By the book war is at least as good as surrender whatever cards are left."""
    odds = odds_of(numbers)
    assert odds.wager("primary").ev >= odds.wager("primary", "surrender").ev
    assert "surrender" not in odds.best(odds.plan_for("primary")).by_rank.values()


@pytest.mark.parametrize("value", option_values("war_pays"))
def test_what_war_gains_over_surrender(value: str) -> None:
    """War's gain is a constant and a part per chance of a war tie, under every reading."""
    odds = Odds(with_options(MD, {"war_pays": value}))
    least, rise = war_gain(odds)
    chance = odds.wager("war_tie").outcomes["won"]
    gain = odds.wager("primary").ev - odds.wager("primary", "surrender").ev
    assert gain == odds.tie_probability() * (least + rise * chance)
    assert war_never_worse(odds) == (value in ("both_units", "no_bonus", "each_wager"))


def test_the_cover_card_moves_next_to_nothing() -> None:
    """With a cover card at three quarters the mean round stays within a thousandth of a point."""
    found = cover_effect(Odds(MD), 234, shoes=300, seed=7)
    assert abs(found.effect) < 5 * found.error + 1e-6
    assert found.error < 2e-5
    assert 95 < found.rounds < 103


def test_the_cover_effect_is_exact_on_average() -> None:
    """Over all orders of a small shoe the rounds' exact expectations equal their results."""
    odds = Odds(MD)
    stakes = stakes_of(odds)
    nets = {1: float(stakes.war_won), 0: float(stakes.war_tied), -1: float(stakes.war_lost)}
    expected, gained, orders = 0.0, 0.0, 0
    for order in product(range(2), repeat=10):
        if sum(order) != 4:
            continue
        orders += 1
        expected += _shoe_gain(order, 3, 0, stakes, 0.0)[0]
        position = 0
        while position < 3 and len(order) - position >= 4:
            first, second, third, fourth = order[position : position + 4]
            if first != second:
                gained += 1 if first > second else -1
                position += 2
            else:
                gained += nets[(third > fourth) - (third < fourth)]
                position += 4
    assert orders == comb(10, 4)
    assert expected == pytest.approx(gained)


PAGE = (DOCS / "odds.md").read_text("utf-8")


def test_the_page_says_how_often() -> None:
    """The table of favourable tie wagers in docs/odds.md is what is computed."""
    _, _, table = PAGE.partition("| six decks, cards dealt |")
    rows = re.findall(r"^\| (\d+) \| (\S+) \|$", table.partition("\n\n")[0], re.MULTILINE)
    assert len(rows) == 5
    for dealt, chance in rows:
        assert chance == f"{float(favourable_chance(Odds(MD), int(dealt))):.3g}"


def test_the_page_says_what_a_cover_card_does(deep: bool) -> None:
    """The table of cover cards in docs/odds.md is what its seed and number of shoes give."""
    rows = re.findall(
        r"^\| (\d) \| (\d+) cards \| ([\d.]+) \| ([-+][\d.]+) \| ([\d.]+) \|$", PAGE, re.MULTILINE
    )
    assert len(rows) == 2
    shoes = 20_000 if deep else 100
    assert "20,000 shoes each, seed 1" in PAGE
    for decks, cover, rounds, effect, error in rows:
        found = cover_effect(Odds(MD, int(decks)), int(cover), shoes, seed=1)
        if deep:
            assert f"{found.rounds:.1f}" == rounds
            assert f"{found.effect:+.8f}" == effect
            assert f"{found.error:.8f}" == error
        else:
            assert found.rounds == pytest.approx(float(rounds), rel=0.02)
