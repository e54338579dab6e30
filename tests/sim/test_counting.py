"""The counting study: effects of removal, favourable depths, and what counters earn."""

import json
from fractions import Fraction
from itertools import combinations
from math import comb, sqrt
from pathlib import Path
from random import Random
from statistics import mean, stdev
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from wartable.cards import DECK, RANKS, SUITS
from wartable.cli import wartable
from wartable.odds import Composition, Odds, weigh
from wartable.odds.classes import deals
from wartable.odds.removal import removal
from wartable.odds.shoe import favourable_tie
from wartable.rules import load_any
from wartable.sim.classes import SLOTS
from wartable.sim.depth import (
    Earnings,
    bankroll_for,
    earnings,
    estimated,
    ruin,
    suited_depth,
    weigh_classes,
)
from wartable.sim.expected import named
from wartable.sim.policy import CountPolicy
from wartable.sim.setup import SimulationSetup, set_up

pytestmark = pytest.mark.slow("deals thousands of shoes")


@pytest.mark.parametrize("decks", [1, 6])
@pytest.mark.parametrize("book", ["maryland", "washington"])
def test_one_card_changes_nothing(book: str, decks: int) -> None:
    """Removing one card changes no wager that plays all ranks alike, and two of a rank do."""
    for kind in Odds(load_any(book), decks).offered:
        found = removal(load_any(book), decks, kind)
        if kind == "bonus_spin":  # one red card spins the wheel
            assert len(set(found.one.values())) == 2
            assert sum(found.one.values()) != 0 or set(found.one.values()) != {Fraction(0)}
        else:
            assert set(found.one.values()) == {Fraction(0)}
            assert found.same_rank != 0 != found.two_ranks
    tie = removal(load_any(book), decks, "tie")
    size, copies = 52 * decks, 4 * decks
    pays = load_any(book).rules.wagers.tie.pays
    tied = 12 * copies * (copies - 1) + (copies - 2) * (copies - 3)
    after = Fraction(tied, (size - 2) * (size - 3)) - Fraction(copies - 1, size - 1)
    assert tie.same_rank == after * (Fraction(pays.over, pays.under) + 1)


def test_a_favourable_tie_by_every_composition() -> None:
    """Chance and gain of one deck's last cards, over every composition there can be."""
    odds = Odds(load_any("washington"), 1)
    left = 4
    chance = gain = Fraction(0)
    for cards in combinations(range(52), left):
        ranks = [card // 4 for card in cards]
        tied = sum(a == b for a, b in combinations(ranks, 2))
        value = Fraction(11 * tied, comb(left, 2)) - 1
        if value > 0:
            chance += Fraction(1, comb(52, left))
            gain += value / comb(52, left)
    found = favourable_tie(odds, 52 - left)
    assert found.chance == chance
    assert found.gain == gain / chance
    assert favourable_tie(odds, 0).chance == 0


def dealt(book: str, decks: int, share: float) -> SimulationSetup:
    """One box and a shoe dealt up to a share of it."""
    setup = set_up(load_any(book), CountPolicy("war"), decks=decks, shuffle="shoe", boxes=1)
    return replace(setup, cover=int(52 * decks * share))


def test_counters_by_plain_shoes() -> None:
    """Both counters bet as often, and gain as much, as in shoes dealt in plain Python."""
    setup = dealt("washington", 1, 0.8)
    tracked = 8
    perfect, human = earnings(setup, 5, 40_000, tracked, 10)
    random, rounds = Random(1), 0
    gains: tuple[list[float], list[float]] = ([], [])
    for _ in range(4000):
        cards = [card for card in range(13) for _ in range(4)]
        random.shuffle(cards)
        at, unseen = setup.rules.shoe.burn_first, [4] * 13
        while at <= (setup.cover or 0):
            size = sum(unseen)
            value = 11 * sum(n * (n - 1) for n in unseen) / size / (size - 1) - 1
            each = (size - sum(unseen[:tracked])) / (13 - tracked)
            guess = float(sum(n * (n - 1) for n in unseen[:tracked]))
            guess += (13 - tracked) * each * max(each - 1, 0)
            for counter, says in enumerate((value, 11 * guess / size / (size - 1) - 1)):
                if says > 0:
                    gains[counter].append(value)
            rounds += 1
            shown = cards[at : at + 2]
            at += 2
            if shown[0] == shown[1]:
                at += setup.rules.deal.war_burn
                shown += cards[at : at + 2]
                at += 2
            for card in shown:
                unseen[card] -= 1
    for earned, values in zip((perfect, human), gains, strict=True):
        share = len(values) / rounds
        assert earned.bets == pytest.approx(share, abs=6 * sqrt(share / rounds))
        error = stdev(values) / sqrt(len(values))
        assert earned.gain == pytest.approx(mean(values), abs=5 * error)
        assert earned.mean == pytest.approx(
            10 * earned.bets * earned.gain - float(Odds(setup.book, 1).wager("primary").edge)
        )
    assert perfect.bets * perfect.gain > human.bets * human.gain > 0


def test_a_human_who_tracks_all_ranks_is_perfect() -> None:
    """Thirteen tracked ranks give the perfect counter's bets, and a full shoe deceives nobody."""
    perfect, human = earnings(dealt("online", 1, 0.7), 2, 2000, 13, 1)
    assert perfect == human
    full = np.full(13, 24, np.int64)
    for tracked in (1, 5, 13):
        assert estimated(full, 312, tracked) == pytest.approx(13 * 24 * 23)


def test_weights_of_suited_classes() -> None:
    """The compiled weights of every class are those of the exact odds, for any cards left."""
    random = Random(3)
    for gone in (0, 30, 90):
        cards = list(DECK) * 2
        random.shuffle(cards)
        composition = Composition.fresh(2).without(cards[:gone])
        left = np.array([composition.counts[rank + suit] for rank in RANKS for suit in SUITS])
        weights = np.empty(16)
        weigh_classes(left, weights)
        exact = dict.fromkeys(("lost", *SLOTS), Fraction(0))
        total = deals(composition)
        for kind, weight in weigh(composition, None).items():
            exact[named(kind, True)] += Fraction(weight, total)
        assert weights == pytest.approx([float(chance) for chance in exact.values()], abs=1e-12)


def test_a_progressive_from_a_full_shoe() -> None:
    """With nothing dealt, every composition has the exact odds; a high meter is favourable."""
    book = load_any("maryland")
    for meter in (None, 60_000_000):
        setup = set_up(book, CountPolicy("war"), shuffle="every_round", meter=meter)
        found = suited_depth(setup, "progressive", 0, 8, 1)
        exact = float(Odds(book, meter=meter, stake=setup.side).wager("progressive").ev)
        assert found.best == pytest.approx(exact, abs=1e-9)
        assert found.chance == (exact > 0)


def test_risk() -> None:
    """Ruin falls as the bankroll grows, is 5 % at the bankroll that says so, or is certain."""
    good = Earnings(1000, 0.1, 0.2, 0.01, 2.0, 0.0)
    need = bankroll_for(good, 0.05)
    assert need is not None
    assert ruin(good, need) == pytest.approx(0.05)
    assert ruin(good, 2 * need) == pytest.approx(0.0025)
    bad = Earnings(1000, 0.1, 0.2, -0.01, 2.0, 0.0)
    assert ruin(bad, 1e9) == 1
    assert bankroll_for(bad, 0.05) is None


def count(*arguments: str, code: int = 0) -> Any:
    """What `wartable count` prints."""
    ran = CliRunner().invoke(wartable, ["count", *arguments])
    assert ran.exit_code == code, ran.output
    return ran.stdout if code == 0 else ran.stderr


QUICK = ("--depths", "9/10", "--penetration", "3/4", "--shoes", "100", "--samples", "50")


def test_the_command(tmp_path: Path) -> None:
    """The command says what matters, and writes the study as JSON, a table and charts."""
    document = json.loads(count("maryland", "--decks", "1,2", *QUICK, "--json"))
    assert [row["decks"] for row in document["depths"]] == [1, 2]
    assert {row["counter"] for row in document["counters"]} == {"perfect", "human"}
    effects = document["removal"]["wagers"]["progressive"]["one"]
    assert set(effects.values()) == {"0"}
    text = count("washington", "--decks", "1", *QUICK, "-o", str(tmp_path / "depths.csv"))
    assert "exactly 0 for every rank" in text
    assert (tmp_path / "depths.csv").read_text().startswith("decks,seen,cards_left,tie_chance")
    count("washington", "--decks", "1", *QUICK, "-o", str(tmp_path / "count.svg"))
    assert "<svg" in (tmp_path / "count.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--decks", "9"), "The study takes 1 to 8 decks, not 9."),
        (("--decks", "many"), "'many' is not a valid integer."),
        (("--depths", "1"), "A share of the shoe is above 0 and below 1, unlike 1."),
        (("--ranks", "14"), "A counter tracks 1 to 13 ranks, not 14."),
        (("--spread", "0"), "The bet, the spread and the bankroll must be above 0."),
        (("-o", "count.gif"), "A table's file ends in .csv, .json or .parquet"),
        (("--meter", "5"), "washington has no progressive meter"),
    ],
)
def test_refused(arguments: tuple[str, ...], sentence: str) -> None:
    """Bad input is refused in one sentence."""
    error = count("washington", *arguments, code=2)
    assert error.startswith(f"wartable: {sentence}")
    assert error.count("\n") == 1


STAKES = [
    ("stakes = { primary = 0 }", "stakes no primary wager"),
    ("stakes = { luck = 1 }", "is not a table of choices"),
    ("stakes = { progressive = 1 }", "The policy stakes progressive, which is not simulated"),
    ("stakes = { war_tie = 2 }", "Stakes on war_tie cannot depend on a count."),
    ("stakes = { tie = 2000 }", "is not a table of choices"),
    ("bets = [{ from = 2, stakes = {} }, { from = 1, stakes = {} }]", "rising counts"),
    (
        "bets = [" + ", ".join(f"{{from = {n}, stakes = {{tie = {n}}}}}" for n in range(9)) + "]",
        "has more than 8 different stakes",
    ),
]


@pytest.mark.parametrize(("text", "sentence"), STAKES)
def test_refused_stakes(text: str, sentence: str, tmp_path: Path) -> None:
    """Stakes by count that cannot be played are refused in one sentence."""
    file = tmp_path / "policy.toml"
    file.write_text(f'below = "war"\n{text}\nsteps = [{{from = 1, choice = "war"}}]\n[tags]\nA = 1')
    ran = CliRunner().invoke(wartable, ["simulate", "online", "--policy", str(file)])
    assert ran.exit_code == 2, ran.output
    assert sentence in ran.stderr
    assert ran.stderr.count("\n") == 1
