"""What is printed on the felt is what the engine pays, in every book and under every reading."""

from typing import Any

import pytest

from rounds import entry, play
from wartable.game.wagers import WAGER
from wartable.inscription import inscription, paytable
from wartable.rules import NAMES, Book, WagerKind, load, with_options
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


PAID: dict[WagerKind, dict[str, str | None]] = {
    "primary": {"won": "paid 1 to 1", "war_won": "returned", "war_tied": "returned", "lost": None},
    "tie": {"won": "paid 10 to 1", "lost": None},
    "war": {"war_won": "paid 1 to 1", "war_tied": "paid 2 to 1", "war_lost": None},
    "war_tie": {"won": "paid 10 to 1", "lost": None},
    "progressive": {
        "suited_four_of_a_kind": "1000 to 1 and the meter",
        "double_tie": "30 to 1",
        "lost": None,
    },
    "bonus_spin": {"hot_spot": None, "community": None},
}
"""What Maryland's outcomes pay by odds, from MD-10-A and MD-10-B."""


def test_what_an_outcome_pays_in_words() -> None:
    """Every outcome paid by odds names them, and one that is lost or has its own table none."""
    rules = load("maryland").rules
    for wager, outcomes in PAID.items():
        for outcome, words in outcomes.items():
            assert WAGER[wager].outcome_pays(rules, outcome) == words
    lost = with_options(load("maryland"), {"war_pays": "primary_lost"}).rules
    assert WAGER["primary"].outcome_pays(lost, "war_won") == "lost"
    plain = load("online").rules
    assert WAGER["progressive"].outcome_pays(plain, "double_tie") is None


@pytest.mark.parametrize("name", NAMES)
def test_the_felt_has_a_war_tie_wager_where_it_is_taken(name: str) -> None:
    """A book without a tie wager on the war deal prints no odds for one; the others do."""
    for offered in ("none", "free"):
        book = with_options(load(name), {"war_tie_wager": offered})
        rows = [row.pays for row in paytable(book) if row.wager == "war_tie"]
        assert rows == ["10 to 1"] * (offered != "none")


def test_the_felt_has_the_envy_bonus() -> None:
    """The envy bonus has its own line and label, and none where it pays nothing."""
    book = load("maryland")
    (row,) = [row for row in paytable(book) if row.wager == "envy"]
    assert (row.label, row.line) == ("Envy Bonus", "suited four of a kind")
    assert row.pays == "$5,000 for each $5 wagered"
    raw = shipped_raw("maryland")
    raw["wagers"]["progressive"]["envy"]["pays"]["value"] = 0
    assert not [row for row in paytable(build(raw)) if row.wager == "envy"]


def test_the_felt_has_every_stop_of_the_wheel() -> None:
    """Jackpots pay their meters, other stops their figure; the empty stop has no line."""
    rows = {row.line: row.pays for row in paytable(load("maryland")) if row.wager == "bonus_spin"}
    figures = ("$1,000", "$600", "$500", "$400", "$350", "$300", "$250", "$200")
    assert [line for line in rows if line.startswith("hot spot")] == [
        "hot spot jackpot primary",
        "hot spot jackpot secondary",
        *(f"hot spot {figure}" for figure in figures),
    ]
    assert rows["hot spot jackpot primary"] == "the primary meter"
    assert all(rows[f"hot spot {figure}"] == f"{figure} for $5" for figure in figures)
