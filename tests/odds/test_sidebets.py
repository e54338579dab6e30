"""What is said of the side bets beyond their odds: meters, long run, envy and the wheel."""

from fractions import Fraction

import pytest
from msgspec.structs import replace

from wartable.odds import Odds, OddsError
from wartable.odds.figures import exact
from wartable.odds.sidebets import (
    STUDIES,
    bonus_spin,
    long_run_json,
    progressive,
    progressive_json,
    spin_json,
)
from wartable.rules import load

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
