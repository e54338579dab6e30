"""What is said of the side bets beyond their odds: meters, long run, envy and the wheel."""

from fractions import Fraction

import pytest
from msgspec.structs import replace

from wartable.cards import DECK
from wartable.odds import Odds, OddsError
from wartable.odds.figures import exact
from wartable.odds.sidebets import (
    SIDE_BET_MEASURES,
    STUDIES,
    bonus_spin,
    envy_each,
    long_run_json,
    progressive,
    progressive_json,
    spin_json,
)
from wartable.rules import load, with_options

pytestmark = pytest.mark.finding(19)


@pytest.fixture(scope="module")
def odds() -> Odds:
    """Maryland's odds with two boxes, which is quick."""
    book = load("maryland")
    rules = replace(book.rules, table=replace(book.rules.table, boxes=2))
    return Odds(replace(book, rules=rules))


def test_what_is_written_of_the_progressive(odds: Odds) -> None:
    """Stake, meter, returns, and the break-even meter beside one to eight others."""
    found = progressive(odds)
    assert progressive_json(odds) == {
        "stake": found.stake,
        "meter": found.meter,
        "return": exact(found.odds.player_return),
        "break_even_meter": exact(found.break_even_meter),
        "typical_meter": exact(found.typical_meter),
        "long_run": long_run_json(found.long_run),
        "envy": {
            "each_other_player": exact(found.envy_each),
            "break_even_meter": {
                number: exact(found.break_even_with(int(number))) for number in "12345678"
            },
        },
    }
    long_run = found.long_run
    assert long_run_json(long_run) == {
        "fixed": exact(long_run.fixed),
        "reseeded": exact(long_run.reseeded),
        "contributed": exact(long_run.contributed),
        "return": exact(long_run.fixed + long_run.reseeded + long_run.contributed),
    }
    assert STUDIES["progressive"](odds) == progressive_json(odds)


def test_the_wheels_long_run(odds: Odds) -> None:
    """Fixed is what is paid with empty meters, reseeded the rest of the return at reset."""
    found = bonus_spin(odds)
    plan = odds.plan_for("bonus_spin", "surrender")
    empty = odds.with_meters({**odds.meters, "primary": 0, "secondary": 0})
    fixed = empty.part(plan, "bonus_spin").player_return
    assert found.long_run.fixed == fixed
    assert found.long_run.reseeded == found.odds.player_return - fixed
    assert found.trigger == Fraction(1, 26)
    assert found.mean_payment == found.odds.player_return * found.stake * 26
    assert found.break_even_payment == found.stake * 26


def test_what_is_written_of_the_wheel(odds: Odds) -> None:
    """Trigger, payments, meters and the return by the number of boxes that bet on it."""
    found = bonus_spin(odds)
    told = spin_json(odds)
    assert STUDIES["bonus_spin"](odds) == told
    assert set(told.pop("return_by_bettors")) == {"1", "2"}
    assert told == {
        "stake": found.stake,
        "trigger": exact(found.trigger),
        "mean_payment": exact(found.mean_payment),
        "break_even_payment": exact(found.break_even_payment),
        "return": exact(found.odds.player_return),
        "typical_meters": {
            name: exact(found.typical_meters[name]) for name in ("primary", "secondary")
        },
        "long_run": long_run_json(found.long_run),
    }


def test_a_book_without_side_bets_has_none_to_study() -> None:
    """The odds of a side bet that the book does not offer are an error in words."""
    online = Odds(load("online"))
    with pytest.raises(OddsError, match="online offers no bonus spin"):
        bonus_spin(online)
    with pytest.raises(OddsError, match="online offers no progressive wager"):
        progressive(online)


# By counting: of six decks 312 cards, each card six times. Burned cards are unseen, so that a
# war card is any of those that are left.
FOUR_ALIKE = Fraction(5 * 4 * 3, 311 * 310 * 309)
"""The chance that three more cards are the player's own, which is the meter's line."""
STAKE, METER, RATE = 500, 1_000_000, Fraction(3, 100)
"""In the book: a wager of $5, the meter's first amount and reset, and its share of a wager."""


def test_the_progressive_by_counting(odds: Odds) -> None:
    """Lines, meter, long run and envy follow from the chance of one line, counted by hand."""
    found = progressive(odds)
    fixed = sum(chance * (1 + pays(line)) for line, chance in found.lines.items())
    assert (found.stake, found.meter) == (STAKE, METER)
    assert sum(found.lines.values()) == Fraction(23, 311), "every tie makes a line"
    assert found.lines["suited_four_of_a_kind"] == FOUR_ALIKE
    assert found.slope == FOUR_ALIKE / STAKE
    assert found.long_run == (fixed, FOUR_ALIKE * METER / STAKE, RATE)
    assert found.long_run.total == fixed + FOUR_ALIKE * METER / STAKE + RATE
    assert found.typical_meter == METER + RATE * STAKE / FOUR_ALIKE
    assert found.odds.player_return == found.return_at(METER) == fixed + found.slope * METER
    assert found.break_even_meter == (1 - fixed) / found.slope
    assert found.return_at(found.break_even_meter) == 1
    # $5,000 for a wager of $5: a thousand times the wager.
    assert found.envy_each == 1000 * FOUR_ALIKE
    beside = found.break_even_with(3)
    assert beside is not None
    assert found.return_at(beside) + 3 * found.envy_each == 1


def pays(line: str) -> Fraction:
    """The fixed odds of a line in the book."""
    offer = load("maryland").rules.wagers.progressive
    assert offer is not None
    ratios = {str(name): ratio for name, ratio in offer.lines.items()}
    return Fraction(ratios[line].over, ratios[line].under)


def test_a_line_that_cannot_be_dealt_has_no_break_even() -> None:
    """Three decks have no four cards alike: the meter is never won and adds nothing."""
    found = progressive(Odds(load("maryland"), 3))
    assert found.lines["suited_four_of_a_kind"] == 0
    assert found.slope == found.envy_each == 0
    assert found.break_even_meter is found.break_even_with(2) is found.typical_meter is None
    assert found.long_run.reseeded == found.long_run.contributed == 0


def test_envy_for_a_holder_without_the_wager(odds: Odds) -> None:
    """The holder need not have wagered, unless the reading says so."""
    assert envy_each(odds, STAKE, holder_wagers=False) == 1000 * FOUR_ALIKE
    strict = Odds(with_options(load("maryland"), {"envy_holder": "must_wager"}))
    assert envy_each(strict, STAKE, holder_wagers=False) == 0
    assert envy_each(strict, STAKE) == 1000 * FOUR_ALIKE


def test_the_wheels_meters_by_counting(odds: Odds) -> None:
    """A jackpot comes with its weight of ten thousand once the trigger card is out."""
    found = bonus_spin(odds)
    chances = {"primary": Fraction(1, 26 * 10_000), "secondary": Fraction(2, 26 * 10_000)}
    resets = {"primary": 1_000_000, "secondary": 500_000}
    rate = Fraction(1, 100)
    assert (found.stake, found.bettors) == (STAKE, 1)
    assert found.typical_meters == {
        name: resets[name] + rate * STAKE / chance for name, chance in chances.items()
    }
    reseeded = sum(chances[name] * resets[name] / STAKE for name in chances)
    assert found.long_run.reseeded == reseeded
    assert found.long_run.contributed == 2 * rate


def wheel_of(**weights: int) -> Odds:
    """Maryland's odds with other weights of hot spots."""
    book = load("maryland")
    spin = book.rules.wagers.bonus_spin
    assert spin is not None
    wheel = replace(spin.wheel, hot_spot={**spin.wheel.hot_spot, **weights})
    wagers = replace(book.rules.wagers, bonus_spin=replace(spin, wheel=wheel))
    return Odds(replace(book, rules=replace(book.rules, wagers=wagers)))


def test_a_jackpot_that_is_not_on_the_wheel_has_no_typical_meter() -> None:
    """Nothing comes back of what the wagers put into a meter that nobody can win."""
    found = bonus_spin(wheel_of(jackpot_secondary=0))
    assert found.typical_meters["secondary"] is None
    assert found.long_run.contributed == Fraction(1, 100)


def test_a_wheel_without_trigger_card_is_never_spun() -> None:
    """Once every red seven is out there is nothing to be paid and no payment that breaks even."""
    found = bonus_spin(Odds(load("maryland"), seen=("7h", "7d") * 6))
    assert found.trigger == found.mean_payment == 0
    assert found.break_even_payment is None
    others = [card for card in DECK if card not in ("7h", "7d")]
    assert bonus_spin(Odds(load("maryland"), seen=others * 6)).trigger == 1


def test_more_bettors_share_the_hot_spot(odds: Odds) -> None:
    """With two boxes on the wheel each is the hot spot half as often."""
    told = spin_json(odds)["return_by_bettors"]
    assert told["1"] == exact(bonus_spin(odds).odds.player_return)
    other = Odds(odds.book, bettors=2)
    assert told["2"] == exact(other.wager("bonus_spin", stake=STAKE).player_return)
    assert told["1"] != told["2"]
    for asked in (Odds(odds.book, stake=100), Odds(odds.book, seen=("7h", "7d", "7h"))):
        alone = exact(bonus_spin(asked).odds.player_return)
        assert spin_json(asked)["return_by_bettors"]["1"] == alone != told["1"]


def test_what_a_reading_of_a_side_bet_is_measured_by(odds: Odds) -> None:
    """Each measure is the edge of its wager, less the envy where that is in question."""
    edges = {name: measure(odds) for name, (_, measure) in SIDE_BET_MEASURES.items()}
    progress = 1 - progressive(odds).odds.player_return
    assert edges == {
        "progressive_odds": progress,
        "progressive_suited": progress,
        "envy_holder": progress - 1000 * FOUR_ALIKE,
        "community_pays": 1 - bonus_spin(odds).odds.player_return,
    }
    strict = Odds(with_options(load("maryland"), {"envy_holder": "must_wager"}))
    assert SIDE_BET_MEASURES["envy_holder"][1](strict) == progress
    online = Odds(load("online"))
    assert {measure(online) for _, measure in SIDE_BET_MEASURES.values()} == {None}
