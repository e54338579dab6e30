"""The way of a live bet, as docs/design.md draws it, is the way that the code takes."""

import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import wartable
from hosting import Hosted
from wartable.server.http.connection import Connection

DESIGN = Path(__file__).parents[3] / "docs" / "design.md"
SOURCE = Path(wartable.__file__).parent
MODULES_MAX = 14
MOMENTS = {
    ("server.http.wire", "to_command"),
    ("server.tables.live", "submit"),
    ("game.betting", "bet"),
    ("server.records.journal", "new_row"),
    ("server.records.writer", "commit"),
    ("server.records.writer", "send"),
}
"""Where the bet is read, queued, decided, made a row, handed over and sent to be written."""

RUNNERS = {"server.http.app", "server.http.sockets", "server.pit", "server.upkeep"}
"""Who runs the event loop and the tasks of connection and table; they do not see the bet."""


def drawn() -> list[str]:
    """The modules of the table in docs/design.md, from the socket to the journal."""
    _, _, after = DESIGN.read_text("utf-8").partition("| module | hands the bet on as |")
    table, _, _ = after.partition("\n\n")
    return re.findall(r"^\| `([\w.]+)` \|", table, re.MULTILINE)


def module_of(frame: FrameType) -> str | None:
    """The module of ours that a frame runs."""
    path = Path(frame.f_code.co_filename)
    if not path.is_relative_to(SOURCE):
        return None
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


class Watch:
    """Notes which modules have the bet in hand at each moment of its way."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self.moments: set[tuple[str | None, str]] = set()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Look at a call."""
        moment = (module_of(frame), frame.f_code.co_name)
        if event != "call" or moment not in MOMENTS:
            return
        self.moments.add(moment)
        caller: FrameType | None = frame
        while caller is not None:
            self.modules |= {name for name in [module_of(caller)] if name is not None}
            caller = caller.f_back
        if moment == ("server.records.writer", "send"):
            sys.setprofile(None)


def test_a_live_bet_goes_the_way_that_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bet is handed through the modules that the design draws, and no more than 14 of them."""
    watch, answer = Watch(), Connection._answer

    async def watched(self: Connection, data: bytes | str) -> None:
        if '"bet"' in str(data):
            sys.setprofile(watch)
        await answer(self, data)

    with Hosted(tmp_path, books=("online",)) as hosted, hosted.guest() as player:
        player.private("online")
        player.until("bets")
        monkeypatch.setattr(Connection, "_answer", watched)
        player.must("bet", box=1, wager="primary", amount=500)
    assert watch.moments == MOMENTS
    way = drawn()
    assert watch.modules - RUNNERS == set(way)
    assert len(way) <= MODULES_MAX
