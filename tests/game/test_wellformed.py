"""Commands made in Python are held to what decoding would have demanded of them."""

from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import Play
from wartable import ledger, table
from wartable.game import (
    Bet,
    Burn,
    Choose,
    Deal,
    Illegal,
    Leave,
    Open,
    ReadMeter,
    Round,
    VoidBox,
    step,
)
from wartable.game.wellformed import check
from wartable.odds import Odds, OddsError
from wartable.odds.walk import Plan
from wartable.rules import load
from wartable.table.commands import Join, Proceed

COMMANDS = get_args(table.Command)
BOOK = load("new-zealand")
WRONG: tuple[Any, ...] = (-1, 1.5, "", "x" * 200, [], {"a": 1}, True, 10**19)


@pytest.mark.parametrize(
    ("kind", "values", "told"),
    [
        (Bet, ("ann", 0, "tie", 1000), "The box of Bet must be an integer from 1 to 9, not 0."),
        (Bet, ("ann", -3, "tie", 1000), "an integer from 1 to 9, not -3."),
        (Bet, ("ann", True, "tie", 1000), "not True."),
        (
            Bet,
            ("", 1, "tie", 1000),
            "The player of Bet must be text of 1 to 64 characters, not ''.",
        ),
        (Bet, ("ann", 1, "tie", 1000.0), "The amount of Bet must be an integer"),
        (Bet, ("ann", 1, "tie", -1), "The amount of Bet"),
        (Bet, ("ann", 1, "lucky", 1000), "The wager of Bet must be bonus_spin or primary or"),
        (Bet, ("ann", 1, ["tie"], 1000), "The wager of Bet must be bonus_spin or primary or"),
        (Choose, ("ann", 1, "flee"), "The choice of Choose must be surrender or war, not"),
        (Deal, ("1x",), "The card of Deal must be a card such as 9s, not '1x'."),
        (Deal, (9,), "The card of Deal"),
        (Deal, (["9s"],), "The card of Deal"),
        (Burn, (["9s"],), "The card of Burn"),
        (VoidBox, (10,), "The box of VoidBox"),
        (ReadMeter, ("progressive", -5), "The amount of ReadMeter"),
        (
            Open,
            ({0: "ann"},),
            "The seats of Open must be an object",
        ),
        (Open, ({}, ""), "The banker of Open must be text of 1 to 64 characters or null, not"),
        (Leave, (None,), "The player of Leave must be text of 1 to 64 characters, not None."),
        (Bet, ("ann", 1, "tie", 10**40), "has a value that no message can hold"),
        (Bet, ("ann", 1, object(), 1000), "has a value that no message can hold"),
    ],
)
def test_a_malformed_command_is_refused(kind: Any, values: tuple[Any, ...], told: str) -> None:
    """A command that its JSON could not be is refused with the field and what it may be."""
    opened, _ = step(BOOK.rules, Round(), Open())
    with pytest.raises(Illegal) as refusal:
        step(BOOK.rules, opened, kind(*values))
    assert refusal.value.code == "malformed"
    assert told in refusal.value.sentence


@pytest.mark.parametrize("kind", COMMANDS)
def test_decoding_and_checking_agree(kind: type[msgspec.Struct]) -> None:
    """A value of any other type in any field is refused by the decoder and by the check."""
    for field in msgspec.structs.fields(kind):
        values = {other.name: _sound(other.type) for other in msgspec.structs.fields(kind)}
        check(kind(**values))
        for wrong in WRONG:
            made = kind(**{**values, field.name: wrong})
            assert _refused(lambda made=made: check(made)) == _refused(
                lambda made=made: msgspec.json.decode(msgspec.json.encode(made), type=kind)
            ), made


def _sound(kind: Any) -> Any:
    """A value that the type takes."""
    for candidate in (1, "new", "9s", "war", "tie", (), {}, None, False, "0" * 64, *_words(kind)):
        try:
            return msgspec.convert(candidate, kind)
        except msgspec.ValidationError:
            continue
    raise AssertionError(f"no value is known for {kind}")


def _words(kind: Any) -> tuple[Any, ...]:
    info = msgspec.inspect.type_info(kind)
    return info.values if isinstance(info, msgspec.inspect.LiteralType) else ()


def _refused(attempt: Any) -> bool:
    try:
        attempt()
    except (Illegal, msgspec.ValidationError):
        return True
    return False


@given(st.integers(1, 9), st.text(min_size=1, max_size=64), st.integers(0, 10**18))
def test_what_decodes_is_taken(box: int, player: str, amount: int) -> None:
    """The check takes every command that can be decoded."""
    command = Bet(player, box, "bonus_spin", amount)
    check(msgspec.json.decode(msgspec.json.encode(command), type=Bet))


def test_a_table_checks_its_commands_too() -> None:
    """A command to a table is held to the same forms."""
    play = Play("maryland")
    assert play.refuses(Proceed(-1)) == "malformed"


@pytest.mark.parametrize("made", [Join("", 500, 1), Join("ann", 1.5, 1), Join("ann", 500, 0)])  # type: ignore[arg-type]  # the mistake in question
def test_the_ledger_checks_commands_too(made: Join) -> None:
    """Nobody joins without a name, with half a cent or at seat 0, where the money is counted."""
    setup = table.new_setup(BOOK.rules, "A")
    with pytest.raises(Illegal) as refusal:
        ledger.step(setup, table.start(setup), made)
    assert refusal.value.code == "malformed"


def test_what_is_no_command_or_no_rules_is_told() -> None:
    """Another value in place of the rules or the command is named in a sentence."""
    with pytest.raises(TypeError, match=r"by a RuleBook, such as book\.rules"):
        step(BOOK, Round(), Open())  # type: ignore[arg-type]  # the mistake in question
    with pytest.raises(TypeError, match="takes a command, such as CloseBets"):
        step(BOOK.rules, Round(), "open")  # type: ignore[arg-type]  # the mistake in question
    setup = table.new_setup(BOOK.rules, "A")
    with pytest.raises(TypeError, match=r"has a Setup, such as new_setup\(book\.rules"):
        table.step(BOOK, table.start(setup), Proceed())  # type: ignore[arg-type]  # the mistake in question
    with pytest.raises(TypeError, match="takes a command, such as StartRound"):
        table.step(setup, table.start(setup), "start")  # type: ignore[arg-type]  # the mistake in question


def test_odds_say_what_they_take() -> None:
    """Odds of something else than a book, of part of a deck or of no wager are refused."""
    with pytest.raises(OddsError, match="such as load"):
        Odds(BOOK.rules, 6)  # type: ignore[arg-type]  # the mistake in question
    with pytest.raises(OddsError, match=r"may be 1 to 1000, not 1\.5"):
        Odds(BOOK, 1.5)  # type: ignore[arg-type]  # the mistake in question
    for plan in (Plan(), Plan(war_tie=100)):
        with pytest.raises(OddsError, match="needs a primary or tie wager"):
            Odds(BOOK).plan(plan)
    with pytest.raises(OddsError, match="needs a primary wager"):
        Odds(BOOK).best(Plan(tie=100))
