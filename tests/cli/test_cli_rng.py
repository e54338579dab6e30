"""`wartable rng`: dumps for other batteries, and the laboratory's own."""

from collections import Counter

import pytest
from click.testing import CliRunner

from wartable import battery
from wartable.battery.measures import Statistic
from wartable.cards import DECK
from wartable.cli import wartable

RUNNER = CliRunner()


def test_raw_bytes() -> None:
    """So many bytes come, the same for the same seed."""
    first, again, other = (
        RUNNER.invoke(wartable, ["rng", "dump", "--raw", "--count", "1001", "--seed", seed])
        for seed in ("a", "a", "b")
    )
    assert len(first.stdout_bytes) == 1001
    assert first.stdout_bytes == again.stdout_bytes != other.stdout_bytes


def test_cards() -> None:
    """Each line is a whole shoe of the decks asked for."""
    arguments = ["rng", "dump", "--cards", "--count", "3", "--decks", "2", "--cut"]
    result = RUNNER.invoke(wartable, arguments)
    lines = result.stdout.splitlines()
    assert len(lines) == 3
    for line in lines:
        assert Counter(line.split()) == Counter(dict.fromkeys(DECK, 2))
    assert len(set(lines)) == 3


@pytest.mark.parametrize(
    "arguments",
    [
        ["dump", "--count", "5"],
        ["dump", "--raw"],
        ["dump", "--raw", "--count", "0"],
        ["dump", "--cards", "--count", "99999999999"],
        ["test", "--shoes", "10"],
        ["test", "--decks", "99"],
    ],
)
def test_refusals(arguments: list[str]) -> None:
    """What cannot be done is refused with exit code 2."""
    result = RUNNER.invoke(wartable, ["rng", *arguments])
    assert result.exit_code == 2
    assert not result.stdout


def test_the_battery() -> None:
    """The battery's results, its threshold and what it would have found are printed."""
    result = RUNNER.invoke(
        wartable, ["rng", "test", "--shoes", "200", "--decks", "1", "--seed", "1"]
    )
    assert result.exit_code == 0
    assert "card by place" in result.output
    assert "Findings: 0." in result.output
    assert "would have found" in result.output


def test_a_finding_is_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    """A finding is marked and the exit code says so."""
    bad = battery.BatteryReport(200, 1, (Statistic("card by place", 9999.0, 51, 0.0),))
    monkeypatch.setattr(battery, "run", lambda *_: bad)
    result = RUNNER.invoke(wartable, ["rng", "test", "--shoes", "200", "--decks", "1"])
    assert result.exit_code == 1
    assert "FOUND" in result.output
