"""Golden playthroughs: the engine still decides every stored round as it was."""

from pathlib import Path

import pytest

import golden
from golden import endings, name, paths, write_anew
from wartable.notation import dump, parse, replay
from wartable.rules import NAMES, load

GOLDENS = paths()


@pytest.mark.parametrize("path", GOLDENS, ids=name)
def test_the_engine_still_agrees(path: Path) -> None:
    """A golden reads back to the same text, and its commands still cause the same events."""
    text = path.read_text("utf-8")
    playthrough = parse(text)
    assert dump(playthrough) == text
    assert dump(replay(playthrough)) == text, f"see `make golden NAME={name(path)}`"
    assert playthrough.rules == path.parent.name


@pytest.mark.parametrize("book", NAMES)
def test_every_ending_has_a_golden(book: str) -> None:
    """Each way that a wager can end in a book, by the book's own list, is shown by a golden."""
    known = {
        (wager, outcome)
        for wager, outcomes in load(book).rules.outcomes.items()
        for outcome in outcomes
    }
    shown = {
        ending
        for path in GOLDENS
        if path.parent.name == book
        for ending in endings(parse(path.read_text("utf-8")))
    }
    assert shown == known


def test_every_golden_belongs_to_a_book() -> None:
    """No folder of goldens is left behind by a book that is gone."""
    assert {path.parent.name for path in GOLDENS} == set(NAMES)


def test_writing_anew_prints_what_changed(tmp_path: Path) -> None:
    """A golden with other events is mended and the difference is told."""
    path = tmp_path / "maryland" / "won.txt"
    path.parent.mkdir()
    right = (golden.FOLDER / "maryland" / "won.txt").read_text("utf-8")
    path.write_text(right.replace("primary won 2000", "primary won 2001"), "utf-8")
    lines = list(write_anew(path))
    assert "-settled ann 1 primary won 2001" in lines
    assert "+settled ann 1 primary won 2000" in lines
    assert path.read_text("utf-8") == right
    assert list(write_anew(path)) == []
