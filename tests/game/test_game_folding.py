"""What each event changes of a round, and that it leaves everything else as it is."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from wartable import game
from wartable.game import GameEvent, Hand, Round, Wager, apply

pytestmark = pytest.mark.finding(19)

READING = game.MeterRead("progressive", 900)
ANN = Hand(
    box=1,
    player="ann",
    wagers=(Wager("primary", 300, 50, 20, 50), Wager("tie", 40), Wager("progressive", 500)),
    choice="war",
    envy=7,
)
BOB = Hand(2, "bob", (Wager("primary", 200), Wager("tie", 60, returned=10, outcome="lost")))
CAT = Hand(2, "cat", (Wager("primary", 900),))
BUSY = Round(
    opened=True,
    seats={1: "ann", 2: "bob"},
    banker="dee",
    bank=5_000,
    bank_stack=8_000,
    hands=(ANN, BOB, CAT),
    cards={1: "9s"},
    war_cards={1: "2s"},
    burned=("3c",),
    void_boxes=(5,),
    reading=READING,
)


def hands(number: int, **changed: Any) -> dict[str, Any]:
    """The hands with one of them changed."""
    each = list(BUSY.hands)
    each[number] = replace(each[number], **changed)
    return {"hands": tuple(each)}


def wagers(number: int, place: int, **changed: Any) -> dict[str, Any]:
    """The hands with one wager of one of them changed."""
    each = list(BUSY.hands[number].wagers)
    each[place] = replace(each[place], **changed)
    return hands(number, wagers=tuple(each))


ROWS: list[tuple[GameEvent, dict[str, Any]]] = [
    (
        game.Opened({3: "eve"}, "fay", 100, 50),
        {"seats": {3: "eve"}, "banker": "fay", "bank": 100, "bank_stack": 50},
    ),
    (game.Placed("ann", 1, "tie", 10), wagers(0, 1, staked=50)),
    (game.Placed("cat", 2, "tie", 10), hands(2, wagers=(*CAT.wagers, Wager("tie", 10)))),
    (
        game.Placed("ann", 2, "primary", 10),
        {"hands": (ANN, BOB, CAT, Hand(2, "ann", (Wager("primary", 10),)))},
    ),
    (
        game.Placed("ann", 3, "primary", 10),
        {"hands": (ANN, BOB, CAT, Hand(3, "ann", (Wager("primary", 10),)))},
    ),
    (
        game.Placed("zoe", 1, "primary", 10),
        {"hands": (ANN, Hand(1, "zoe", (Wager("primary", 10),)), BOB, CAT)},
    ),
    (game.Withdrawn("cat", 2, "primary", 900), {"hands": (ANN, BOB)}),
    (game.Withdrawn("ann", 1, "tie", 40), hands(0, wagers=(ANN.wagers[0], ANN.wagers[2]))),
    (game.Declined("cat", 2), hands(2, tie_declined=True)),
    (game.BetsClosed(), {"bets_closed": True}),
    (
        game.Returned("ann", 1, "primary", "unmatched", 30),
        wagers(0, 0, uncovered=80, returned=80),
    ),
    (
        game.Returned("ann", 1, "primary", "unmatched", 250),
        wagers(0, 0, uncovered=300, returned=300, outcome="unmatched"),
    ),
    (game.Dealt("original", 2, "Ks"), {"cards": {1: "9s", 2: "Ks"}}),
    (game.Dealt("war", 0, "Ks"), {"war_cards": {1: "2s", 0: "Ks"}}),
    (game.Burned("4c"), {"burned": ("3c", "4c")}),
    (game.Chosen("bob", 2, "surrender"), hands(1, choice="surrender")),
    (game.Matched("bob", 2, "primary", 80), wagers(1, 0, matched=80)),
    (game.Spun(1, "$200"), {"spun": game.Spun(1, "$200")}),
    (game.MeterRead("primary", 5), {"reading": game.MeterRead("primary", 5)}),
    (game.Settled("ann", 1, "primary", "won", 600), wagers(0, 0, outcome="won", returned=650)),
    (
        game.Settled("ann", 1, "progressive", "tie", 70),
        {**wagers(0, 2, outcome="tie", returned=70), "reading": None},
    ),
    (game.EnvyPaid("ann", 1, "bob", 2, 9), hands(0, envy=16)),
    (game.Left("bob"), hands(1, absent=True)),
    (
        game.BoxVoided(2),
        {
            "hands": (
                ANN,
                replace(
                    BOB,
                    wagers=(
                        Wager("primary", 200, returned=200, outcome="not_dealt"),
                        BOB.wagers[1],
                    ),
                ),
                replace(CAT, wagers=(Wager("primary", 900, returned=900, outcome="not_dealt"),)),
            ),
            "void_boxes": (5, 2),
        },
    ),
    (
        game.RoundVoided("a misdeal"),
        {
            "hands": tuple(
                replace(
                    each,
                    envy=0,
                    wagers=tuple(
                        replace(wager, outcome="void", returned=wager.staked)
                        for wager in each.wagers
                    ),
                )
                for each in BUSY.hands
            ),
            "void": "a misdeal",
            "reading": None,
        },
    ),
    (game.Closed(), {"closed": True}),
]
"""Each event with all that it changes."""


def changes(event: GameEvent, before: Round = BUSY) -> dict[str, Any]:
    """The fields of a round that an event changes, as they are after it."""
    old, new = msgspec.structs.asdict(before), msgspec.structs.asdict(apply(before, event))
    return {name: new[name] for name in new if new[name] != old[name]}


@pytest.mark.parametrize(("event", "changed"), ROWS, ids=lambda each: type(each).__name__)
def test_what_an_event_changes_of_a_round(event: GameEvent, changed: dict[str, Any]) -> None:
    """An event changes what it must, and nothing else."""
    assert changes(event) == changed


def test_a_seated_player_comes_first() -> None:
    """The hand of who sits at the box lies before the others on it, and after lower boxes."""
    placed = game.Placed("bob", 2, "primary", 10)
    without = replace(BUSY, hands=(ANN, CAT))
    new = Hand(2, "bob", (Wager("primary", 10),))
    assert changes(placed, without) == {"hands": (ANN, new, CAT)}
    standing = replace(without, seats={})
    assert changes(placed, standing) == {"hands": (ANN, CAT, new)}
    assert changes(game.Opened({}), Round()) == {"opened": True}


def test_an_event_of_nobodys_hand_is_an_error() -> None:
    """A record that names a hand or a wager that is not there is not folded."""
    for event in (
        game.Declined("zoe", 1),
        game.Settled("ann", 2, "primary", "won", 1),
        game.Settled("cat", 2, "tie", "won", 1),
        game.Matched("cat", 2, "war", 1),
    ):
        with pytest.raises(ValueError, match="that is not there"):
            apply(BUSY, event)
    settled = changes(game.Settled("ann", 1, "tie", "won", 1))
    returned = changes(game.Returned("cat", 2, "primary", "uncovered", 1))
    assert set(settled) == set(returned) == {"hands"}, "only a side bet uses the reading"


def test_hands_go_around_the_table() -> None:
    """Clockwise from box 1, or the other way; a box's hands stay in their own order."""
    assert BUSY.in_order("clockwise") == (ANN, BOB, CAT)
    assert BUSY.in_order("counterclockwise") == (BOB, CAT, ANN)
