"""Exact counts of each book's round as data: leaves, weights and nets of one box by ranks.

After a change of rules that is meant, `PYTHONPATH=tests/setup python tests/game/test_perft.py`
writes the data anew, and the difference says which branch of which book it moved.
"""

import json
from fractions import Fraction
from typing import Any

import pytest

from paths import DATA
from rounds import leaves
from wartable.game.messages import Choice
from wartable.rules import NAMES, RuleBook, load

COUNTS = DATA / "perft"
STAKES = {"primary": 200, "tie": 100}


def branches(rules: RuleBook) -> dict[str, tuple[Choice, int]]:
    """The choices of a tied box: surrender, war and, where it is offered, war with a tie wager."""
    result: dict[str, tuple[Choice, int]] = {"surrender": ("surrender", 0), "war": ("war", 0)}
    if rules.options.war_tie_wager != "none":
        result["war_tie"] = ("war", STAKES["primary"])
    return result


def count(rules: RuleBook) -> dict[str, Any]:
    """The counts of one box, walked through the engine."""
    found: dict[str, Any] = {}
    for leaf in leaves(rules, rules.shoe.decks, STAKES, branches(rules)):
        totals = found.setdefault(leaf.branch, {"leaves": 0, "weight": 0, "net": {}})
        totals["leaves"] += 1
        totals["weight"] += leaf.weight
        for kind, net in leaf.nets.items():
            totals["net"][kind] = totals["net"].get(kind, 0) + leaf.weight * net
    return {"decks": rules.shoe.decks, "stakes": STAKES, "branches": dict(sorted(found.items()))}


@pytest.mark.parametrize("name", NAMES)
def test_counts(name: str) -> None:
    """The engine's tree has the leaves, weights and nets that the data say."""
    expected = json.loads((COUNTS / f"{name}.json").read_text(encoding="utf-8"))
    assert count(load(name).rules) == expected


@pytest.mark.parametrize("name", NAMES)
def test_counts_are_the_published_figures(name: str) -> None:
    """The data give the edges worked out by hand: 2.33 %, 3.70 % and 18.65 % at six decks."""
    data = json.loads((COUNTS / f"{name}.json").read_text(encoding="utf-8"))
    assert data["decks"] == 6
    branches = data["branches"]
    cards = 52 * data["decks"]
    first, second = cards * (cards - 1), (cards - 2) * (cards - 3)

    def net(branch: str, *kinds: str) -> int:
        return sum(branches[branch]["net"][kind] for kind in kinds)

    decided = Fraction(net("decided", "primary"), first)
    war = decided + Fraction(net("war", "primary", "war"), first * second)
    surrender = decided + Fraction(net("surrender", "primary"), first)
    tie = Fraction(net("decided", "tie") + net("surrender", "tie"), first)
    assert war / 200 == Fraction(-23138, 993023)
    assert surrender / 200 == Fraction(-23, 622)
    assert tie / 100 == Fraction(-58, 311)
    assert branches["decided"]["weight"] + branches["surrender"]["weight"] == first
    assert branches["surrender"]["weight"] * second == branches["war"]["weight"]
    assert branches["decided"]["leaves"] == 13 * 12
    assert branches["surrender"]["leaves"] == 13
    assert branches["war"]["leaves"] == 13**3


@pytest.mark.parametrize("name", ["california", "maryland", "online"])
def test_the_war_tie_wager_is_counted_too(name: str) -> None:
    """A tie wager at war, 10 to 1 on the second tie, is worth what the cards left say."""
    data = json.loads((COUNTS / f"{name}.json").read_text(encoding="utf-8"))["branches"]["war_tie"]
    # Of the 310 cards left, 22 are of the tied rank and 24 of each other rank.
    ties = 22 * 21 + 12 * 24 * 23
    expectation = Fraction(11 * ties, 310 * 309) - 1
    assert Fraction(data["net"]["war_tie"], data["weight"]) == 200 * expectation


if __name__ == "__main__":
    for each in NAMES:
        text = json.dumps(count(load(each).rules), indent=2)
        (COUNTS / f"{each}.json").write_text(text + "\n", encoding="utf-8")
