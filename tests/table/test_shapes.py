"""The shape of what is stored: what a field may hold, and what a value begins with."""

from typing import Any

import msgspec
import pytest

from wartable import game, proof, shoe, table
from wartable.game import messages, moves, prices
from wartable.game import state as round_state
from wartable.game.amounts import Amounts
from wartable.game.wagers import COVERED, ENVY_BET, MATCHED, WAGERS, WHEEL_BET
from wartable.game.wagers.shape import Verdict
from wartable.money import Amount
from wartable.rules import RulesError, load, model
from wartable.table import commands as c
from wartable.table import state
from wartable.table.playthrough import TablePlaythrough, setup_of

pytestmark = pytest.mark.finding(19)

NUMBERS: list[tuple[Any, int, int | None]] = [
    (messages.Box, 1, 9),
    (Amount, 0, 10**18),
    (c.Milliseconds, 0, None),
    (model.Count, 0, None),
    (model.Positive, 1, None),
    (model.Cents, 0, None),
]
TEXTS: list[tuple[Any, int, int]] = [
    (messages.Player, 1, 64),
    (shoe.NameText, 1, 64),
    (c.Person, 1, 64),
    (c.Reason, 1, 160),
    (c.CardSetName, 1, 32),
    (c.NameOrNone, 0, 64),
    (c.BatchName, 0, 32),
]
HEXES: list[tuple[Any, tuple[int, ...], tuple[int, ...]]] = [
    (proof.Digest, (64,), (0, 63, 65)),
    (proof.DigestIfAny, (0, 64), (2, 63, 65)),
    (proof.NumberText, (32, 34, 128), (0, 30, 33, 130)),
]
"""How many hexadecimal digits each may have, and some numbers that it may not."""


def taken(kind: Any, value: object) -> bool:
    """Whether a message may hold the value."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


@pytest.mark.parametrize(("kind", "least", "most"), NUMBERS)
def test_a_number_has_its_bounds(kind: Any, least: int, most: int | None) -> None:
    """The least and the most are taken; what is beyond them, or no number, is not."""
    assert taken(kind, least)
    assert not taken(kind, least - 1)
    assert not taken(kind, str(least))
    assert taken(kind, 10**15 if most is None else most)
    assert most is None or not taken(kind, most + 1)


@pytest.mark.parametrize(("kind", "least", "most"), TEXTS)
def test_a_text_has_its_length(kind: Any, least: int, most: int) -> None:
    """The shortest and the longest are taken; shorter, longer or no text is not."""
    assert taken(kind, "x" * least)
    assert taken(kind, "x" * most)
    assert not taken(kind, "x" * (most + 1))
    assert not least or not taken(kind, "")
    assert not taken(kind, 1)


@pytest.mark.parametrize(("kind", "right", "wrong"), HEXES)
def test_a_digest_is_of_its_digits(
    kind: Any, right: tuple[int, ...], wrong: tuple[int, ...]
) -> None:
    """A digest or seed is small hexadecimal digits of the right number, and nothing else."""
    assert all(taken(kind, "a" * count) for count in right)
    assert not any(taken(kind, "a" * count) for count in wrong)
    assert not taken(kind, "A" * right[-1])
    assert not taken(kind, "g" * right[-1])
    assert not taken(kind, 1)


BEGINS: dict[type[msgspec.Struct], dict[str, object]] = {
    round_state.Wager: {},
    round_state.Hand: {},
    round_state.Round: {},
    state.Guest: {},
    state.MeterState: {},
    state.BankTurn: {},
    state.Bank: {"before": state.BankTurn()},
    state.CutOffer: {},
    state.Table: {"method": "shoe", "cut": state.CutOffer(), "bank": state.Bank()},
    state.Setup: {"batches": ("red", "blue")},
    Verdict: {},
    moves.MayLeave: {},
    prices.Price: {"sure": True},
    Amounts: {"min": 1, "max": messages.STAKE_MAX, "step": 1},
    game.Choose: {},
    game.Chosen: {"by": "player"},
    c.ReceiveDecks: {"condition": "new"},
    c.StartChain: {"order": "on_deal", "iterations": 1, "links": 4096},
    c.DecideCards: {},
    c.CountSideBets: {},
    c.Proceed: {},
    model.Limit: {"min": 1},
    model.Limits: {"primary": model.Limit(), "tie": model.Limit(), "war_tie": model.Limit()},
}
"""What each has from the beginning, where it is more than nothing: no money, no cards, nobody."""


@pytest.mark.parametrize("kind", BEGINS, ids=lambda kind: kind.__name__)
def test_what_a_value_begins_with(kind: type[msgspec.Struct]) -> None:
    """Before anything is said or done there is nothing, apart from what is listed."""
    for field in msgspec.structs.fields(kind):
        if not field.required:
            default = field.default if field.default_factory is msgspec.NODEFAULT else None
            told = BEGINS[kind].get(field.name)
            assert default == told if told is not None else not default, field.name


def test_a_table_is_dealt_by_the_platform_unless_staff_is_asked_for() -> None:
    """A new set-up has no staff, and two batches whose backs differ."""
    setup = table.new_setup(load("california").rules, "A")
    assert not setup.staffed
    assert len({*setup.batches}) == 2


@pytest.mark.parametrize(("length", "opens"), [(0, False), (1, True), (64, True), (65, False)])
def test_a_tables_name_has_a_length(length: int, opens: bool) -> None:
    """One character is enough; none or too many open no table, and the sentence says so."""
    setup = table.new_setup(load("online").rules, "A" * length)
    if opens:
        assert table.start(setup).rounds == 0
    else:
        with pytest.raises(RulesError, match="A table's name has 1 to 64 characters"):
            table.start(setup)


def test_a_playthrough_may_name_its_decks() -> None:
    """The number of decks in its header is the table's; without one it is the book's."""
    for decks, found in ((8, 8), (None, load("maryland").rules.shoe.decks)):
        told = TablePlaythrough("maryland", "t1", decks=decks)
        assert setup_of(told).decks == found


RULES: dict[type[msgspec.Struct], dict[str, object]] = {
    model.TableRules: {"layout_approval": False},
    model.ShoeRules: {"first_player_cuts": False},
    model.Opening: {"exempt": "both"},
    model.DealRules: {"house_match": False, "payment": "pick_and_pay"},
    model.Limits: {"ceiling_required": False},
}


@pytest.mark.parametrize("kind", RULES, ids=lambda kind: kind.__name__)
def test_what_a_book_need_not_say(kind: type[msgspec.Struct]) -> None:
    """A rule that only some documents have is off in a book that does not name it."""
    fields = {field.name: field.default for field in msgspec.structs.fields(kind)}
    assert {name: fields[name] for name in RULES[kind]} == RULES[kind]


WAGERS_ARE: dict[str, tuple[tuple[str, ...], str, tuple[str, ...]]] = {
    "primary": (("original", "surrender", "war"), "before_deal", ()),
    "tie": (("original",), "before_deal", ()),
    "war": (("war",), "", ()),
    "war_tie": (("war",), "", ()),
    "progressive": (
        ("original", "surrender", "war"),
        "before_deal by_suits pays_envy side_bet",
        ("prog",),
    ),
    "bonus_spin": (("wheel",), "before_deal by_wheel side_bet", ("bonus", "spin")),
}
"""When each wager may be decided, what is true of it, and the short names to type."""


def test_what_each_wager_is() -> None:
    """A war's wagers come after the deal; side bets are Maryland's two, one of them the wheel's."""
    flags = ("before_deal", "by_suits", "by_wheel", "pays_envy", "side_bet")
    found = {
        each.kind: (
            each.moments,
            " ".join(flag for flag in flags if getattr(each, flag)),
            each.short_names,
        )
        for each in WAGERS
    }
    assert found == WAGERS_ARE
    assert (WHEEL_BET.kind, ENVY_BET.kind) == ("bonus_spin", "progressive")
    assert [each.kind for each in COVERED] == ["primary", "tie"], "a bank covers no side bet"
    assert [each.kind for each in MATCHED] == ["war", "war_tie"]
    assert {each.kind: each.meter for each in WAGERS if each.meter} == {
        "progressive": "progressive"
    }
    assert {each.kind: each.label_words for each in WAGERS} == {
        **dict.fromkeys(WAGERS_ARE, 2),
        "progressive": 1,
    }
