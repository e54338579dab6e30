"""The limits of every value that a command can have, and the defaults of what it leaves out."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import asdict

from wartable import cards, game, proof, shoe, table
from wartable.game import messages
from wartable.game.amounts import Amounts
from wartable.game.moves import MayChoose, MayLeave
from wartable.game.state import Hand, Round, Wager
from wartable.money import Amount
from wartable.rules import model
from wartable.table import commands as c
from wartable.table import events as e
from wartable.table.playthrough import TablePlaythrough
from wartable.table.state import Bank, BankTurn, CutOffer, Decks, Guest

pytestmark = pytest.mark.finding(19)

NUMBERS = ["00" * 16, "0f" * 32, "f0" * 33, "00" * 64]
NO_NUMBERS = ["00" * 15, "00" * 65, "0" * 33, "0" * 65, "0F" * 32, "00" * 32 + "\n", "g" * 64]
LIMITS: list[tuple[Any, list[Any], list[Any]]] = [
    (messages.Box, [1, 9], [0, 10]),
    (Amount, [0, 10**18], [-1, 10**18 + 1]),
    (messages.Player, ["a", "a" * 64], ["", "a" * 65]),
    (c.Person, ["a", "a" * 64], ["", "a" * 65]),
    (c.Milliseconds, [0, 10**15], [-1]),
    (c.Reason, ["a", "a" * 160], ["", "a" * 161]),
    (c.CardSetName, ["a", "a" * 32], ["", "a" * 33]),
    (c.NameOrNone, ["", "a" * 64], ["a" * 65]),
    (c.BatchName, ["", "a" * 32], ["a" * 33]),
    (shoe.NameText, ["a", "a" * 64], ["", "a" * 65]),
    (cards.Card, ["9s", "??"], ["", "9", "9s\n", "??\n", "9x", "10s"]),
    (proof.Digest, ["0" * 64], ["", "0" * 63, "0" * 65, "g" * 64, "0" * 64 + "\n"]),
    (proof.DigestIfAny, ["", "f" * 64], ["f" * 62, "\n", "f" * 64 + "\n"]),
    (proof.NumberText, NUMBERS, ["", *NO_NUMBERS]),
    (proof.NumberIfAny, ["", *NUMBERS], ["\n", *NO_NUMBERS]),
    (model.Count, [0, 7], [-1]),
    (model.Positive, [1, 7], [0]),
    (model.Cents, [0, 7], [-1]),
]
"""A type with values at its edges that it takes, and the next ones that it does not."""


@pytest.mark.parametrize(("kind", "taken", "refused"), LIMITS)
def test_a_value_has_limits(kind: Any, taken: list[Any], refused: list[Any]) -> None:
    """The last value is taken, and one more is not."""
    for value in taken:
        assert msgspec.convert(value, kind) == value
    for value in refused:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(value, kind)


DEFAULTS: list[tuple[msgspec.Struct, dict[str, Any]]] = [
    (Amounts(), {"min": 1, "max": 10**12, "step": 1, "only": ()}),
    (
        Wager("primary", 5),
        {
            "kind": "primary",
            "staked": 5,
            "uncovered": 0,
            "matched": 0,
            "returned": 0,
            "outcome": "",
        },
    ),
    (
        Hand(1, "ann"),
        {
            "box": 1,
            "player": "ann",
            "wagers": (),
            "choice": None,
            "envy": 0,
            "tie_declined": False,
            "absent": False,
        },
    ),
    (
        Round(),
        {
            "opened": False,
            "seats": {},
            "banker": None,
            "bank": None,
            "bank_stack": None,
            "hands": (),
            "bets_closed": False,
            "cards": {},
            "war_cards": {},
            "burned": (),
            "void_boxes": (),
            "spun": None,
            "reading": None,
            "void": None,
            "closed": False,
        },
    ),
    (
        table.Table(),
        {
            "guests": {},
            "arrivals": 0,
            "chains": {},
            "numbered": False,
            "numbers_closed": False,
            "numbers": (),
            "undecided": False,
            "method": "shoe",
            "decks": None,
            "idle": False,
            "spread_up": False,
            "shoes": 0,
            "seals": (),
            "shoe": None,
            "stored": None,
            "shoe_rounds": 0,
            "last_batch": "",
            "finished": None,
            "cut": CutOffer(None, (), None, False),
            "cover_box": None,
            "cover_player": None,
            "reshuffle": None,
            "reshuffled_by_floor": False,
            "dealer": None,
            "dealer_burn_due": False,
            "device_failed": None,
            "device_mark": None,
            "restrictions": {},
            "player_box_maximums": {},
            "bank": Bank(None, None, 0, BankTurn(None, None, 0), None, (), None, 0, False),
            "meters": {},
            "meters_before": {},
            "award": None,
            "counted": False,
            "miscounted": False,
            "rounds": 0,
            "round": None,
        },
    ),
    (
        Guest("ann", 5, 1, 1),
        {"player": "ann", "stack": 5, "seat": 1, "arrival": 1, "leaving": False},
    ),
    (
        table.MeterState(9),
        {"shown": 9, "carry": 0, "fed": 0, "seeded": 0, "paid": 0},
    ),
    (
        Decks(0, "new"),
        {
            "at_ms": 0,
            "condition": "new",
            "done": {},
            "inspectors": {},
            "ready": (),
            "spread": (),
            "sets": (),
        },
    ),
    (MayLeave("ann"), {"player": "ann", "forfeits": 0}),
    (MayChoose("ann", 1, "war"), {"player": "ann", "box": 1, "choice": "war", "war_tie": None}),
    (c.Proceed(), {"steps": 0, "at_ms": 0}),
    (c.CountSideBets("dan"), {"by": "dan", "progressive": 0, "bonus_spin": 0}),
    (c.ShuffleCards("00"), {"seed": "00", "by": "", "play_on": False, "at_ms": 0}),
    (c.Restrict("flo", "box_max", 5), {"by": "flo", "limit": "box_max", "value": 5, "whom": ""}),
    (
        game.Chosen("ann", 1, "war"),
        {"player": "ann", "box": 1, "choice": "war", "by": "player", "called_by": None},
    ),
    (
        e.HouseChose("wheel", ("a",)),
        {"label": "wheel", "options": ("a",), "weights": (), "result": 0},
    ),
    (
        TablePlaythrough("maryland", "t1"),
        {
            "rules": "maryland",
            "table": "t1",
            "options": {},
            "decks": None,
            "staffed": False,
            "approval": "",
            "steps": (),
            "notes": (),
        },
    ),
]
"""Values with as little given as possible, which older rows leave out too, and all their fields."""


@pytest.mark.parametrize(("value", "fields"), DEFAULTS, ids=lambda each: type(each).__name__)
def test_what_is_left_out(value: msgspec.Struct, fields: dict[str, Any]) -> None:
    """A field that older rows do not have has the value that it had before there was one."""
    assert asdict(value) == fields


def test_tags_of_messages() -> None:
    """A message is named in a row by its words in lower case."""
    for kind, tag in (
        (game.Bet, "bet"),
        (game.BetsClosed, "bets_closed"),
        (c.CountSideBets, "count_side_bets"),
        (e.CountDiffered, "count_differed"),
    ):
        assert kind.__struct_config__.tag == tag


def test_the_most_that_is_staked_on_a_wager() -> None:
    """Ten billion dollars: far above any limit, and far below what a database can add up."""
    assert messages.STAKE_MAX == 10_000_000_000_00
    assert Amounts().max == messages.STAKE_MAX


def test_a_shoes_terms() -> None:
    """A shoe's batch has no name unless it has two; a shoe has up to sixteen decks."""
    assert shoe.DECKS_MAX == 16
    for decks, right in ((0, False), (1, True), (16, True), (17, False)):
        terms = {"table": "t1", "number": 1, "method": "shoe", "decks": decks}
        try:
            msgspec.convert(terms, shoe.Terms)
        except msgspec.ValidationError:
            assert not right
        else:
            assert right
    assert shoe.Terms("t1", 1, "shoe", 6).batch == ""
