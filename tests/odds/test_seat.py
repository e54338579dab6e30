"""A whole seat: its odds are those of its wagers together."""

import re
from fractions import Fraction
from typing import Any

import pytest

from wartable import odds as asked
from wartable.odds import Odds, OddsError
from wartable.odds.report import Question, study
from wartable.odds.seat import seat_json, stakes_of
from wartable.rules import NAMES, load, with_options

STAKES = {
    "california": {"primary": 1_000, "tie": 300, "war_tie": 200},
    "online": {"primary": 1_000, "tie": 300, "war_tie": 1_000},
    "new-zealand": {"primary": 1_000, "tie": 300},
    "washington": {"primary": 1_000, "tie": 300},
    "maryland": {"primary": 1_000, "tie": 300, "progressive": 500, "bonus_spin": 500},
}


@pytest.mark.parametrize("name", NAMES)
def test_expectations_add_up(name: str) -> None:
    """A seat expects what its wagers expect, each times its stake; a war's tie only after ties."""
    odds, stakes = Odds(load(name), 6), STAKES[name]
    expected = Fraction(0)
    for kind, stake in stakes.items():
        share = odds.tie_probability() if kind == "war_tie" else 1
        expected += share * stake * odds.wager(kind, stake=stake).ev
    seat = seat_json(odds, stakes, "war")
    assert Fraction(seat["ev"]["exact"]) * seat["unit"] == expected
    before = sum(stake for kind, stake in stakes.items() if kind != "war_tie")
    assert seat["needs"] == before
    assert seat["needs_war"] == before + stakes["primary"] + stakes.get("war_tie", 0)


def test_a_seat_that_surrenders_needs_no_war() -> None:
    """Who always surrenders needs the first wagers only, and has the odds of a short player."""
    seat = seat_json(Odds(load("online")), {"primary": 1_000}, "surrender")
    assert seat["needs"] == seat["needs_war"] == 1_000
    assert seat["pmf"] == seat["without_war"]


@pytest.mark.parametrize(("pays", "better"), [("both_units", "war"), ("war_only", "surrender")])
def test_the_best_choice_is_the_better_one(pays: str, better: str) -> None:
    """As the book pays, war is better; if a war paid its own wager only, surrender would be."""
    odds = Odds(with_options(load("online"), {"war_pays": pays}), 1)
    found = {
        each: Fraction(seat_json(odds, {"primary": 1_000}, each)["ev"]["exact"])
        for each in ("war", "surrender", "best")
    }
    assert found["best"] == found[better] == max(found.values())
    assert found["war"] != found["surrender"]


@pytest.mark.parametrize("name", NAMES)
def test_outcomes_explain_the_expectation(name: str) -> None:
    """What the outcomes contribute is the expectation; their deals are all deals."""
    offered = Odds(load(name), 2).offered
    document = study(load(name), Question(decks=2, wagers=offered))
    for kind, found in document["wagers"].items():
        for odds in [found] if "ev" in found else [found["war"], found["surrender"]]:
            parts = [Fraction(each["exact"]) for each in odds["contributions"].values()]
            assert sum(parts) == Fraction(odds["ev"]["exact"])
            counts = list(odds["combinations"].values())
            if None not in counts and kind != "war_tie":
                assert sum(counts) == document["deals"] == 104 * 103 * 102 * 101


@pytest.mark.parametrize(
    ("stakes", "strategy", "sentence"),
    [
        ({"progressive": 500}, "war", "A seat needs a primary wager or a tie wager."),
        ({}, "war", "A seat needs a primary wager or a tie wager."),
        ({"primary": 1_000}, "fold", "At a tie a seat chooses war, surrender, best, not 'fold'."),
        ({"primary": 1_000, "war": 5}, "war", "The war wager's odds are part of the primary's"),
        ({"primary": 1_000, "progressive": 700}, "war", "must be $1 or $5, not $7."),
    ],
)
def test_a_seat_that_cannot_be(stakes: dict[str, int], strategy: str, sentence: str) -> None:
    """What no seat can be is refused with a sentence."""
    with pytest.raises(OddsError, match=re.escape(sentence)):
        seat_json(Odds(load("maryland")), stakes, strategy)


def test_stakes_are_whole_cents() -> None:
    """A stake that is typed is a whole number of cents."""
    assert stakes_of({"primary": "1000"}) == {"primary": 1_000}
    for text in ("10.5", "-5", "", "\N{ARABIC-INDIC DIGIT FIVE}", "ten"):
        with pytest.raises(OddsError, match="whole number of cents"):
            stakes_of({"primary": text})


def test_the_call_has_the_seat() -> None:
    """`wartable.odds` answers for a seat as the report does."""
    answer: Any = asked("online", bets={"primary": 1_000}, strategy="best", wagers=["tie"])
    assert answer["seat"]["ev"] == seat_json(Odds(load("online")), {"primary": 1_000}, "best")["ev"]
