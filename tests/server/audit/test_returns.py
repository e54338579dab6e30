"""The return monitor: false alarms as rare as stated, planted bias found in the stated rounds."""

import json
import random
from fractions import Fraction
from math import sqrt

import pytest
from click.testing import CliRunner

from recorded_houses import RecordedHouse
from wartable.game.state import Hand, Round, Wager
from wartable.odds import Distribution, Odds, OddsError
from wartable.odds.boxes import joint
from wartable.rules import load
from wartable.rules.load import build, shipped_raw
from wartable.rules.settings import HOUSE_LIMITS, configured
from wartable.server.audit.returns import (
    INVESTIGATE,
    Monitor,
    ReturnTally,
    returns,
    rounds_to_find,
    state_of,
)
from wartable.server.period import Period
from wartable.server.records import database


def played(boxes: dict[int, tuple[int, int, str]]) -> Round:
    """A round with a primary wager of each box: stake, what came back, outcome."""
    hands = tuple(
        Hand(box, f"p{box}", (Wager("primary", stake, returned=back, outcome=outcome),))
        for box, (stake, back, outcome) in boxes.items()
    )
    return Round(hands=hands, bets_closed=True, closed=True)


def test_false_alarms_are_as_rare_as_three_standard_errors() -> None:
    """Of 4,000 honest monitors about 1 in 370 is to be investigated, and 1 in 22 beyond two."""
    odds = Odds(load("washington")).wager("primary")
    chance = random.Random(18)
    nets = [float(net) for net in odds.pmf]
    weights = [float(each) for each in odds.pmf.values()]
    mean, rounds, monitors = float(odds.ev), 400, 4_000
    states = []
    for _ in range(monitors):
        total = sum(chance.choices(nets, weights, k=rounds))
        states.append(state_of((total - rounds * mean) / (odds.sd * sqrt(rounds))))
    # 0.27 % and 4.55 % are expected; four standard errors of these counts to either side.
    assert 0 < states.count("investigate") <= 25
    assert 4_000 * 0.03 < states.count("watch") < 4_000 * 0.06


def test_surrender_is_no_bias() -> None:
    """Whoever always surrenders loses half of each tie, and stays at the theory all the same."""
    washington = load("washington")
    odds = Odds(washington, 6)
    surrender = odds.wager("primary", "surrender")
    tie = surrender.pmf[Fraction(-1, 2)]
    # As many rounds of each kind as theory says of 100,000, by hand: won, lost, surrendered.
    monitor = Monitor()
    won = round(100_000 * float(surrender.pmf[Fraction(1)]))
    ties = round(100_000 * float(tie))
    for count, outcome, back in (
        (won, "won", 2_000),
        (100_000 - won - ties, "lost", 0),
        (ties, "surrendered", 500),
    ):
        one = Monitor()
        one.add(washington, 6, "t", played({1: (1_000, back, outcome)}))
        (tally, _) = one._found.values()
        for key in (("book", "washington", "primary"),):
            whole = monitor._found.setdefault(key, ReturnTally())
            whole.rounds += count
            for name in ("staked", "net", "expected", "variance", "cubes"):
                setattr(whole, name, getattr(whole, name) + count * getattr(tally, name))
    (line,) = monitor.lines()
    assert line.rounds == 100_000
    assert abs(line.off) < 0.01, line
    assert line.theory == pytest.approx(float(surrender.player_return), abs=2e-5)


def test_boxes_of_a_round_vary_together() -> None:
    """Two boxes against one dealer have the variance that their joint odds have."""
    washington = load("washington")
    monitor = Monitor()
    monitor.add(washington, 6, "t", played({1: (100, 200, "won"), 2: (100, 200, "won")}))
    expected = joint(Odds(washington, 6), 2).total
    tally = next(iter(monitor._found.values()))
    assert tally.variance == 100**2 * expected.variance
    assert tally.expected == 100 * expected.ev


def test_too_few_rounds_are_not_judged() -> None:
    """A wager that rarely pays much is not judged by a handful of rounds, however lucky."""
    tally = ReturnTally()
    odds = Odds(load("maryland")).wager("tie")
    cube = float(sum(p * (net - odds.ev) ** 3 for net, p in odds.pmf.items()))
    for _ in range(10):
        tally.add(10, 1, odds.ev, odds.variance, cube)
    line = tally.line("book", "maryland", "tie")
    assert line.off > INVESTIGATE
    assert (line.judged, line.state) == (False, "fine")


def biased_tie() -> tuple[Distribution, Distribution]:
    """A tie wager that pays 11 to 1 instead of 10 to 1."""
    believed = Odds(load("washington")).wager("tie")
    pmf = {Fraction(11) if net == 10 else net: chance for net, chance in believed.pmf.items()}
    return Distribution(pmf), believed


def biased_wheel() -> tuple[Distribution, Distribution]:
    """A wheel on which the stop of $1,000 has twice its weight."""
    key = "wagers.bonus_spin.wheel.hot_spot.$1,000"
    content, _ = configured(shipped_raw("maryland"), {}, {key: 20}, HOUSE_LIMITS)
    true = Odds(build(content)).wager("bonus_spin", stake=500)
    return true, Odds(load("maryland")).wager("bonus_spin", stake=500)


@pytest.mark.parametrize(("bias", "stated"), [(biased_tie, 35_000), (biased_wheel, 22_300_000)])
def test_a_planted_bias_is_found_in_the_stated_rounds(bias: object, stated: int) -> None:
    """The number of rounds that docs/operate.md states is enough in 95 of 100 houses."""
    import numpy as np  # noqa: PLC0415  # only for counts of millions of rounds

    assert callable(bias)
    true, believed = bias()
    rounds = rounds_to_find(true, believed)
    assert rounds <= stated
    assert rounds > stated * 0.8, "the document states no more than it must"
    chance = np.random.default_rng(18)
    weights = np.array([float(each) for each in true.pmf.values()])
    counts = chance.multinomial(rounds, weights / weights.sum(), size=400)
    totals = counts @ np.array([float(net) for net in true.pmf])
    off = (totals - rounds * float(believed.ev)) / (believed.sd * sqrt(rounds))
    found = sum(state_of(each) == "investigate" for each in off) / 400
    assert 0.92 < found < 0.98


def test_a_card_short_is_found_by_the_count_and_not_by_returns() -> None:
    """All ranks are alike, so one card less changes no return; the shoe's count finds it."""
    from wartable.odds.composition import Composition  # noqa: PLC0415  # only here
    from wartable.shoe import composition_problems  # noqa: PLC0415  # only here

    washington = load("washington")
    short = Composition.fresh(6).without(["Ah"])
    true = Odds(washington, composition=short).wager("primary")
    assert true.pmf == Odds(washington).wager("primary").pmf
    with pytest.raises(OddsError, match="same return"):
        rounds_to_find(true, Odds(washington).wager("primary"))
    cards = [card for card, count in short.counts.items() for _ in range(count)]
    assert composition_problems(cards, 6) == ["the stack has 5 of Ah instead of 6"]


def test_returns_of_a_house(whole: RecordedHouse) -> None:
    """Books and tables have the same money, theory is the exact odds', the command prints it."""
    engine = database.engine_for(whole.address)
    lines = returns(engine, whole.key, Period())
    engine.dispose()
    books = [line for line in lines if line.by == "book"]
    tables = [line for line in lines if line.by == "table"]
    assert sum(line.net for line in books) == sum(line.net for line in tables)
    assert {line.name for line in books} >= {"california", "maryland", "online"}
    for line in books:
        assert line.low < line.theory < line.high
        if line.wager == "tie":
            exact = Odds(load(line.name)).wager("tie").player_return
            assert line.theory == pytest.approx(float(exact))
    from wartable.cli import wartable  # noqa: PLC0415  # as the others, lazily

    words = ["audit", "returns", *whole.options, "--json"]
    found = CliRunner().invoke(wartable, words)
    assert len(json.loads(found.stdout)) == len(lines), found.output
    assert found.exit_code == int(any(line.state == "investigate" for line in lines))
