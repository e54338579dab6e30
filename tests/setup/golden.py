"""The golden playthroughs: which endings they show, and how one is written anew.

A golden is a text in tests/golden/<book>/. To make one, write the lines `rules`, `option` and
the commands after `>`, then run `make golden NAME=<book>/<name>`: the engine fills in the events
and the difference is printed. Without NAME every golden is written anew. Read the difference: it
is what changed in the game.
"""

import difflib
import sys
from collections.abc import Iterator
from pathlib import Path

from paths import TESTS
from wartable.game import EnvyPaid, Returned
from wartable.notation import Playthrough, dump, last_state, parse, replay

FOLDER = TESTS / "golden"


def paths() -> list[Path]:
    """The files of all goldens."""
    return sorted(FOLDER.glob("*/*.txt"))


def name(path: Path) -> str:
    """A golden's name: the book and the file, `maryland/war_won`."""
    return f"{path.parent.name}/{path.stem}"


def endings(playthrough: Playthrough) -> Iterator[tuple[str, str]]:
    """Every wager that ends in the playthrough, with how it ends."""
    for hand in last_state(playthrough).hands:
        yield from ((wager.kind, wager.outcome) for wager in hand.wagers if wager.outcome)
    for step in playthrough.steps:
        for event in step.events:
            if isinstance(event, Returned):
                yield event.wager, event.outcome
            elif isinstance(event, EnvyPaid):
                yield "envy", "won"


def write_anew(path: Path) -> Iterator[str]:
    """Let the engine decide the golden's commands again; yields the lines that changed."""
    old = path.read_text("utf-8")
    new = dump(replay(parse(old)))
    path.write_text(new, "utf-8")
    yield from difflib.unified_diff(
        old.splitlines(), new.splitlines(), f"{name(path)} before", "now", lineterm=""
    )


if __name__ == "__main__":
    wanted = sys.argv[1:]
    for golden in paths():
        if not wanted or name(golden) in wanted:
            for line in write_anew(golden):
                print(line)
