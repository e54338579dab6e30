"""The terminal and the pages say the same of every event."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from node import FOLDER, node
from wartable import game
from wartable.game.messages import Message, money
from wartable.rules import load
from wartable.shoe import Terms
from wartable.table import events as e
from wartable.table import older
from wartable.telling import PHRASES, Reader, tell

BOOKS = {name: load(name) for name in ("california", "maryland", "new-zealand")}
CARDS = {"Qh": "queen of hearts", "9s": "nine of spades"}
TERMS = Terms(table="t", number=3, decks=6, method="shoe")

EXAMPLES: tuple[Message, ...] = (
    e.Joined("ann", 50_000, 2),
    e.Joined("ann", 50_000),
    e.BoughtIn("ann", 2_550),
    e.CashedOut("ann", 100),
    e.Departed("ann", 0),
    e.DecksReceived("flo", 1, "new"),
    e.DecksRemoved("the cards [all] are {old}"),
    *(e.Prepared("flo", step) for step in PHRASES["step"]),  # type: ignore[arg-type]  # the steps
    older.SeedSealed("ann", "00" * 32),
    e.ShoeStarted(TERMS, "00" * 32),
    e.NumbersClosed((), (), "00" * 32),
    e.CutOffered("ann"),
    e.CutRefused("ann"),
    e.CutMade("ann", 20),
    e.CutMade(),
    e.RecutOrdered("flo", "seen", "last"),
    older.SeedOpened("ann", "00" * 32),
    e.ShoeLoaded("flo"),
    e.CardBurned("first"),
    e.BankOffered("ann"),
    e.BankTaken("ann", 10_000),
    e.BankPassed("ann"),
    e.BankUntaken(),
    e.RoundStarted(7, 1),
    e.SideBetsCounted("dan"),
    e.CountDiffered("dan", 500, 100, {"progressive": 400, "bonus_spin": 100}),
    e.CountDiffered("dan", 500, 100, {"progressive": 400, "bonus_spin": 0}),
    e.AwardPending("progressive"),
    e.AwardApproved("secondary", "flo"),
    e.MeterReset("primary", 10_000),
    e.CoverCardOut(2),
    e.ShoeEnded("the cover card is out", 3),
    e.CardSetAside("flo", "exposed", "Qh"),
    e.DrawnInError("flo"),
    e.DealerChanged("dan"),
    e.ReshuffleOrdered("flo", "worn"),
    e.TableIdle("flo"),
    e.ChainStarted("0" * 64, 4_096, "online", "ann", "on_deal", 1),
    e.SpreadTurnedUp("ann"),
    e.DeviceFailed("flo", "noise"),
    e.DeviceMarked("flo", "covered"),
    e.DeviceMarked("flo", "signed"),
    e.DeviceRepaired("flo"),
    e.MethodChanged("flo", "every_round"),
    e.Restricted("flo", "player_box_max", 500, "ann"),
    e.Restricted("flo", "players_per_box", 2),
    e.Restricted("flo", "box_max", 0),
    e.Restricted("flo", "boxes_per_player", 0, "ann"),
    e.Jammed("flo"),
    game.Placed("ann", 2, "primary", 2_500),
    game.Withdrawn("ann", 2, "tie", 2_500),
    game.Withdrawn("ann", 2, "tie", 2_500, "bob"),
    game.Declined("ann", 2),
    game.BetsClosed(),
    game.Returned("ann", 2, "primary", "uncovered", 2_500),
    game.Dealt("original", 0, "Qh"),
    game.Dealt("war", 3, "9s"),
    game.Burned(),
    game.Chosen("ann", 2, "war"),
    game.Chosen("ann", 2, "surrender", "platform"),
    game.Chosen("ann", 2, "surrender", "platform", "dan"),
    game.Matched("ann", 2, "war", 2_500),
    game.Spun(2, "jackpot_primary", "$5"),
    game.Spun(community="$5"),
    game.MeterRead("progressive", 123_456),
    game.Settled("ann", 2, "primary", "won", 5_000),
    game.Settled("ann", 2, "primary", "lost", 0),
    game.Settled("ann", 2, "tie", "no_words", 0),
    game.EnvyPaid("ann", 2, "bob", 3, 5_000),
    game.Left("ann"),
    game.BoxVoided(2),
    game.RoundVoided("the shuffler jammed"),
    game.Closed(),
)


def asked() -> Iterator[tuple[Message, str, str]]:
    """Each example with each book, told to the player, to a second one and to a stranger."""
    for event in EXAMPLES:
        for book in BOOKS:
            for me in ("ann", "bob", ""):
                yield event, book, me


def test_every_event_with_words_has_an_example() -> None:
    """No sentence goes untested, and an event without words is told to nobody."""
    kinds: tuple[type[Message], ...] = get_args(e.Event)
    assert {type(event) for event in EXAMPLES} == {kind for kind in kinds if kind.words}


def test_the_page_says_what_the_terminal_says(tmp_path: Path) -> None:
    """Both fill in the same words with the same slots, whoever reads them."""
    every = list(asked())
    shown = [
        [
            msgspec.to_builtins(event),
            {"rules": msgspec.to_builtins(BOOKS[book].rules, enc_hook=str)},
            me,
        ]
        for event, book, me in every
    ]
    file = tmp_path / "asked.json"
    file.write_text(json.dumps(shown), "utf-8")
    pages: list[str] = json.loads(node(FOLDER / "told.js", file))
    here = [
        tell(event, Reader(me, BOOKS[book].rules, money, CARDS.__getitem__))
        for event, book, me in every
    ]
    assert pages == here
    assert not [text for text in here if "{step" in text or not text]


@pytest.mark.parametrize(
    ("event", "me", "sentence"),
    [
        (e.Joined("ann", 50_000, 2), "ann", "You join at seat 2 with $500."),
        (e.Joined("ann", 50_000), "", "ann joins the table with $500."),
        (e.CutMade("ann", 20), "", "ann cuts: 20 cards go to the bottom."),
        (e.CutMade(), "", "The dealer cuts the cards."),
        (
            e.Restricted("flo", "player_box_max", 500, "ann"),
            "",
            "New limit: box maximum per player for ann $5.",
        ),
        (e.Restricted("flo", "box_max", 0), "", "Limit lifted: box maximum."),
        (
            game.Withdrawn("ann", 2, "tie", 2_500, "bob"),
            "bob",
            (
                "ann's Tie Wager of $25 on box 2 goes back: you have a Casino War Wager there"
                " and the first claim to the spot."
            ),
        ),
        (
            game.Chosen("ann", 2, "surrender", "platform", "dan"),
            "",
            "ann surrenders on box 2 (decided by the platform; dan called time).",
        ),
        (game.Dealt("original", 0, "Qh"), "", "The Dealer: queen of hearts."),
        (
            e.CountDiffered("dan", 500, 100, {"progressive": 400, "bonus_spin": 100}),
            "",
            (
                "The side bets do not agree and are counted again (progressive: 500 counted, 400"
                " accepted)."
            ),
        ),
        (e.DecksRemoved("a [b|c] {d}"), "", "The cards are taken away: a [b|c] {d}."),
    ],
)
def test_sentences(event: Any, me: str, sentence: str) -> None:
    """A reader is addressed as you, and what is absent is left out."""
    reader = Reader(me, BOOKS["new-zealand"].rules, money, CARDS.__getitem__)
    assert tell(event, reader) == sentence
