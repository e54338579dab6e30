"""What is printed on the felt is what the engine pays, in every book and under every reading."""

from typing import Any

import pytest

from rounds import entry, play
from wartable.inscription import inscription, paytable
from wartable.rules import NAMES, Book, load, with_options
from wartable.rules.load import build, shipped_raw

pytestmark = pytest.mark.finding(19)

WARS = {
    "both_units": ("1 to 1 on the", "2 to 1"),
    "no_bonus": ("or tied: 1 to 1",),
    "each_wager": ("1 to 1 on the", "1 to 2 on the", "tied: 1 to 1"),
    "war_only": ("1 to 2 on the", "tied: 1 to 1"),
    "primary_lost": ("is lost", "1 to 1 on the", "tied: 2 to 1"),
}
"""What the felt must say of a war, by the reading in force."""


def other(name: str) -> Book:
    """A book that pays otherwise than the document of that name."""
    raw = shipped_raw(name)
    raw["wagers"]["primary"]["pays"]["value"] = "6 to 5"
    raw["wagers"]["tie"]["pays"]["value"] = "9 to 1"
    return build(raw)


@pytest.mark.parametrize("name", NAMES)
def test_the_felt_has_the_odds_of_its_own_book(name: str) -> None:
    """A book that pays 6 to 5 and 9 to 1 says so, and the document's own odds are nowhere."""
    book, document = other(name), load(name)
    odds = {row.wager: row.pays for row in paytable(book)}
    assert (odds["primary"], odds["tie"]) == ("6 to 5", "9 to 1")
    label = book.rules.labels.get("tie", "tie")
    assert f"{label} pays 9 to 1" in inscription(book)
    assert f"{label} pays 10 to 1" in inscription(document)
    assert f"{label} pays 10 to 1" not in inscription(book)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("reading", WARS)
def test_the_felt_has_the_war_of_the_reading_in_force(name: str, reading: str) -> None:
    """Of a war the felt says what the option pays."""
    book = with_options(load(name), {"war_pays": reading})
    (words,) = [row.pays for row in paytable(book) if row.wager == "war"]
    for part in WARS[reading]:
        assert part in words


def test_the_felt_has_the_wheel_of_the_reading_in_force() -> None:
    """A community symbol's figure is what it pays where the figure is what is read."""
    for option, pays in (("stated", "$125 for $5"), ("face", "$100 for $5")):
        book = with_options(load("maryland"), {"community_pays": option})
        rows = {row.line: row.pays for row in paytable(book) if row.wager == "bonus_spin"}
        assert rows["community $100"] == pays


@pytest.mark.parametrize("name", NAMES)
def test_what_the_felt_says_is_paid(name: str) -> None:
    """The engine pays the odds of that same book: 6 to 5 on the primary, 9 to 1 on the tie."""
    rules = other(name).rules
    opening: dict[str, Any] = {"bank": 100_000} if rules.banker == "player" else {}
    won = play(rules, entry("ann", 1, "9s", primary=1_000), "2h", **opening)
    tied = entry("ann", 1, "9s", primary=1_000, tie=500, choice="surrender")
    assert won.net("ann", "primary") == 1_200
    assert play(rules, tied, "9h", **opening).net("ann", "tie") == 4_500
