"""The wheel's chances, as the felt and the rules say them."""

from fractions import Fraction
from typing import Any

import pytest
from msgspec import structs

from clauses import proves
from wartable.odds import Odds
from wartable.odds.sidebets import bonus_spin
from wartable.odds.wheel import wheel_chances, wheel_words
from wartable.rules import Book, load
from wartable.rules.model import RuleBook, Trigger

MD = load("maryland")
SPIN: Any = MD.rules.wagers.bonus_spin


def with_spin(**parts: object) -> RuleBook:
    """Maryland with another bonus spin."""
    spin = structs.replace(SPIN, **parts)
    return structs.replace(MD.rules, wagers=structs.replace(MD.rules.wagers, bonus_spin=spin))


@pytest.mark.finding(15)
@proves("odds", "MD-7-F-4")
def test_the_chances_are_the_weights_shares() -> None:
    """Two cards of 52 turn the wheel; a stop's chance is its weight in all 10,000 and 100."""
    for decks in (6, 8):
        chances = wheel_chances(MD.rules, decks)
        assert chances is not None
        assert chances.trigger == Fraction(1, 26)
        assert chances.hot_spot["jackpot_primary"] == Fraction(1, 10_000)
        assert chances.hot_spot["jackpot_secondary"] == Fraction(2, 10_000)
        assert chances.any_hot_spot == Fraction(10_000 - 9_617, 10_000)
        assert chances.community["$150"] == Fraction(20, 100)
        assert sum(chances.hot_spot.values()) == sum(chances.community.values()) == 1


@pytest.mark.finding(15)
def test_the_chances_are_those_of_the_exact_odds() -> None:
    """Trigger and stop together have the chance that the engine's outcomes have."""
    weights = {"none": 5, "jackpot_primary": 3, "jackpot_secondary": 1, "$600": 7}
    wheel = structs.replace(SPIN.wheel, hot_spot=weights)
    rules = with_spin(trigger=Trigger("K", "black"), wheel=wheel)
    chances = wheel_chances(rules, 6)
    assert chances is not None
    outcomes = bonus_spin(Odds(Book(rules, MD.sources, MD.digest))).odds.outcomes
    for name in ("jackpot_primary", "jackpot_secondary"):
        assert outcomes[name] == chances.trigger * chances.hot_spot[name]
    assert outcomes["community"] == chances.trigger * (1 - chances.any_hot_spot)


@pytest.mark.finding(15)
def test_the_words_name_the_card_and_the_chances() -> None:
    """The trigger card and how often it comes, then hot spot and jackpots of its turns."""
    assert wheel_words(MD.rules, 6) == (
        "The wheel turns when the dealer's first card is a red 7: 1 in 26 rounds.",
        (
            "Of its turns, 1 in 26.1 has a hot spot, 1 in 10,000 wins the primary jackpot, "
            "1 in 5,000 wins the secondary jackpot."
        ),
    )
    weights = {"none": 3, "jackpot_primary": 1, "jackpot_secondary": 0}
    wheel = structs.replace(SPIN.wheel, hot_spot=weights)
    card, turns = wheel_words(with_spin(trigger=Trigger("A", "black"), wheel=wheel), 6)
    assert card.endswith("is a black ace: 1 in 26 rounds.")
    assert turns == (
        "Of its turns, 1 in 4 has a hot spot, 1 in 4 wins the primary jackpot, "
        "none wins the secondary jackpot."
    )


@pytest.mark.finding(15)
def test_no_words_without_a_wheel() -> None:
    """A book without the wager, or a table that does not offer it, says nothing of a wheel."""
    for rules in (load("online").rules, with_spin(offered=False)):
        assert wheel_chances(rules, 6) is None
        assert wheel_words(rules, 6) == ()


def test_each_meter_pays_its_own_jackpot() -> None:
    """Answers are kept by a meter's name: the same amounts the other way round pay otherwise."""
    odds = Odds(MD)
    amounts = {"progressive": 1_000_000, "primary": 9_000_000, "secondary": 100_000}
    swapped = {"progressive": 1_000_000, "secondary": 9_000_000, "primary": 100_000}
    first, second = (
        odds.with_meters(each).wager("bonus_spin").player_return  # type: ignore[arg-type]  # names of meters
        for each in (amounts, swapped)
    )
    # The secondary jackpot has twice the weight of the primary, so it pays more with more on it.
    assert second > first
