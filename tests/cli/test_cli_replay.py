"""`wartable replay`: rounds and tables decided again, and drawn."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from paths import ROOT
from wartable.cli import wartable

ROUNDS = sorted((ROOT / "tests" / "golden").glob("*/*.txt"))
TABLES = [
    file
    for file in sorted((ROOT / "tests" / "golden_tables").glob("*.txt"))
    if "rules books/" not in file.read_text("utf-8")  # named from the folder of the goldens
]
ROUND = """rules maryland
> open
> bet ann 1 primary 1000
> bet ann 1 tie 100
> close_bets
> deal Kh
> deal 9c
"""


def run(*arguments: str, text: str = "") -> Result:
    """The command's result."""
    return CliRunner().invoke(wartable, ["replay", *arguments], input=text)


@pytest.mark.parametrize("file", ROUNDS[::9], ids=lambda file: str(file.stem))
def test_golden_rounds_are_decided_alike(file: Path) -> None:
    """A golden playthrough is decided as it is written; its events are printed again."""
    shown = run(str(file))
    assert shown.exit_code == 0, shown.output
    events = run(str(file), "--events").stdout
    written = [line for line in file.read_text("utf-8").splitlines() if line and line[0] != "#"]
    assert events.splitlines() == written


@pytest.mark.parametrize("file", TABLES[::6], ids=lambda file: str(file.stem))
def test_golden_tables_are_decided_alike(file: Path) -> None:
    """A table's playthrough is decided as it is written, and everybody's stack is shown."""
    shown = run(str(file))
    assert shown.exit_code == 0, shown.output
    if "> join ann" in file.read_text("utf-8") and "departed ann" not in file.read_text("utf-8"):
        assert "ann" in shown.stdout


def test_a_round_of_commands_alone(tmp_path: Path) -> None:
    """Events may be left out; the picture says how each wager ended, as text and as SVG."""
    file = tmp_path / "round.svg"
    shown = run("-", "-o", str(file), text=ROUND)
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.splitlines()[1:4] == [
        "  dealer  9♣",
        "  box 1, ann  K♥  +$9",
        "    Initial Wager $10: higher card, paid 1 to 1",
    ]
    root = ET.parse(file).getroot()
    words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert sum("Tie Wager $1" in str(each) for each in words) == 1
    assert "K♥" in words
    assert "+$9" in words
    text = tmp_path / "round.txt"
    assert run("-", "-o", str(text), text=ROUND).exit_code == 0
    assert text.read_text("utf-8") == shown.stdout


def test_another_decision_is_shown() -> None:
    """Events that the engine does not cause are printed beside those it does, and the code is 1."""
    whole = run("-", "--events", text=ROUND).stdout
    assert run("-", text=whole).exit_code == 0
    wrong = whole.replace("settled ann 1 primary won 2000", "settled ann 1 primary won 2001")
    assert wrong != whole
    differs = run("-", text=wrong)
    assert differs.exit_code == 1
    assert "-settled ann 1 primary won 2001" in differs.stdout
    assert "+settled ann 1 primary won 2000" in differs.stdout


@pytest.mark.parametrize(
    ("arguments", "text", "sentence"),
    [
        (["-"], "", "a playthrough begins with a line such as `rules maryland`"),
        (["-"], "rules maryland\n> open\n> open\n", "Command 2 is refused"),
        (["-"], "rules maryland\n> fly\n", "Line 2"),
        (["-", "-o", "x.png"], ROUND, "ends in .svg or .txt"),
        (["-", "-o", "nowhere/x.svg"], ROUND, "cannot be written"),
        (["missing.txt"], "", "cannot be read"),
        (["-"], "rules maryland\ntable t1\ndecks x\n", "decks must be a whole number"),
    ],
)
def test_what_cannot_be_replayed(arguments: list[str], text: str, sentence: str) -> None:
    """What is wrong is said in one sentence, and the code is 2."""
    result = run(*arguments, text=text)
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert len(result.stderr.splitlines()) == 1
