"""The form of a table: each field is one that the server takes, with clauses that exist."""

from itertools import groupby
from typing import Any, get_args

import pytest

from own_books import own
from wartable.rules import NAMES, RulesError
from wartable.rules import inventory as inv
from wartable.rules.forms import FormField, form_of
from wartable.rules.load import shipped_raw
from wartable.rules.settings import HOUSE_LIMITS, configured
from wartable.server.house.roles import COMMANDS
from wartable.table.commands import Preparation

STAFF = {
    str(kind.__struct_config__.tag)
    for kind, roles in COMMANDS.items()
    if {"dealer", "floor"} & set(roles)
}


def fields(book: str) -> dict[str, FormField]:
    """The fields of a book's form by key."""
    return {field.key: field for field in form_of(shipped_raw(book), HOUSE_LIMITS)}


def put(book: str, field: FormField, value: Any) -> None:
    """Configure a table with one value other than the book's."""
    options = {} if "." in field.key else {field.key: value}
    settings = {field.key: value} if "." in field.key else {}
    configured(shipped_raw(book), options, settings, HOUSE_LIMITS)


@pytest.mark.parametrize("book", NAMES)
def test_every_field_takes_its_own_value_and_every_choice(book: str) -> None:
    """What the form offers is accepted, and what it bounds is refused beyond."""
    for field in fields(book).values():
        if field.key == "decks":
            continue
        if field.value is not None:
            put(book, field, field.value)
        for choice in field.choices:
            put(book, field, choice)
        for beyond in (
            [] if field.least in (None, 0, 1) else [field.least - 1],
            [] if field.most is None else [field.most + 1],
        ):
            for value in beyond:
                with pytest.raises(RulesError):
                    put(book, field, value)


def test_what_is_left_to_the_operator_of_each_book() -> None:
    """Only Maryland has side bets to set; only some books choose decks or the war's burn."""
    found = {book: fields(book) for book in NAMES}
    assert found["maryland"]["decks"].choices == ("6", "8")
    assert found["california"]["decks"].choices == tuple(map(str, range(6, 13)))
    assert found["california"]["shuffle"].choices == ("batches",)
    assert found["new-zealand"]["decks"].choices == ("4", "5", "6", "7", "8")
    assert found["maryland"]["wagers.bonus_spin.meters.secondary.reset"].least == 500_000
    assert found["washington"]["limits.ceiling"].clauses == ("WA-limits",)
    assert "shoe.cutting_cards" not in found["online"]
    for book in set(NAMES) - {"maryland"}:
        assert not any(key.startswith("wagers.") for key in found[book])


@pytest.mark.finding(19)
@pytest.mark.parametrize("book", NAMES)
def test_each_thing_is_asked_once(book: str) -> None:
    """No field comes twice, and a section's fields stand together."""
    keys = [field.key for field in form_of(shipped_raw(book), HOUSE_LIMITS)]
    assert len(keys) == len(set(keys))
    sections = [key.partition(".")[0] for key in keys if "." in key]
    assert len(list(groupby(sections))) == len(set(sections))


KINDS = {
    "limits.primary.min": "money",
    "limits.ceiling": "money",
    "limits.payout_max": "money",
    "wagers.progressive.meter.reset": "money",
    "wagers.progressive.meter.initial": "money",
    "wagers.progressive.meter.contribution": "share",
    "shoe.cover_from_bottom": "share",
    "wagers.bonus_spin.offered": "yes",
    "wagers.bonus_spin.trigger.rank": "choice",
    "wagers.bonus_spin.trigger.color": "choice",
    "wagers.bonus_spin.wheel.community.$75": "number",
    "deal.payment": "choice",
    "table.boxes": "number",
    "decks": "choice",
    "shuffle": "choice",
    "electronic": "choice",
}


@pytest.mark.finding(19)
def test_how_each_kind_of_field_is_asked() -> None:
    """Amounts are money, rates are shares, lists are choices, and the rest are numbers."""
    found = fields("maryland")
    assert {key: found[key].kind for key in KINDS} == KINDS


@pytest.mark.finding(19)
@pytest.mark.parametrize(
    ("book", "key", "clauses", "readings"),
    [
        ("maryland", "decks", ("MD-3-A", "MD-3-B"), ("M14",)),
        ("maryland", "abandoned", ("MD-7-B-4",), ("M21",)),
        ("maryland", "electronic", ("MD-9-L", "MD-9-L-2"), ("M20",)),
        ("california", "war_burn", ("CA-std-7", "CA-round-6c"), ("C6",)),
        ("new-zealand", "war_burn", (), ("N9",)),
        ("new-zealand", "shuffle", ("NZ-3.4e", "NZ-3.5-1", "NZ-3.5-2"), ()),
        ("new-zealand", "limits.box_max", ("NZ-5.10-1", "NZ-5.10-3"), ()),
        ("maryland", "limits.payout_max", ("MD-2-B-5b", "MD-2-B-6"), ()),
        ("california", "limits.tie.max", ("CA-betting-1b",), ()),
        ("washington", "limits.primary.min", ("WA-limits",), ()),
        ("washington", "deal.payment", ("WA-4c-iii",), ()),
        ("new-zealand", "deal.payment", (), ()),
    ],
)
def test_why_a_field_may_be_set(
    book: str, key: str, clauses: tuple[str, ...], readings: tuple[str, ...]
) -> None:
    """A field names the sentences that leave it to the operator, or the reading that does."""
    field = fields(book)[key]
    assert (field.clauses, field.readings) == (clauses, readings)


@pytest.mark.finding(19)
@pytest.mark.parametrize(
    ("book", "key", "least", "most"),
    [
        ("maryland", "table.boxes", 1, 9),
        ("maryland", "table.seats", 1, 9),
        ("maryland", "table.boxes_per_player", 1, 9),
        ("california", "table.boxes_per_player", 1, 1),
        ("online", "table.boxes_per_player", 1, 3),
        ("new-zealand", "table.players_per_box", 1, 3),
        ("new-zealand", "shoe.cutting_cards", 1, 2),
        ("washington", "limits.primary.max", 1, 30_000),
        ("washington", "limits.tie.min", 1, 30_000),
        ("washington", "limits.ceiling", 1, 30_000),
        ("washington", "limits.box_max", 1, None),
        ("maryland", "wagers.progressive.meter.initial", 1_000_000, None),
        ("maryland", "wagers.bonus_spin.meters.secondary.reset", 500_000, None),
        ("maryland", "wagers.bonus_spin.wheel.hot_spot.none", 0, None),
        ("maryland", "wagers.progressive.meter.contribution", None, None),
    ],
)
def test_how_far_a_field_may_go(book: str, key: str, least: int | None, most: int | None) -> None:
    """Counts go up to the document's own, wagers up to the house's ceiling, meters from a reset."""
    field = fields(book)[key]
    assert (field.least, field.most) == (least, most)


@pytest.mark.finding(19)
def test_a_setting_without_effect_is_not_asked() -> None:
    """A tie wager at war has limits where its size is free; cards for one round have no cover."""
    free = {book for book in NAMES if "limits.war_tie.max" in fields(book)}
    assert free == {"california", "maryland"}
    covered = {book for book in NAMES if "shoe.cover_from_bottom" in fields(book)}
    assert covered == set(NAMES) - {"online"}
    by_hand = own("plain", "washington", shoe={"methods": ["shoe"]})
    assert "shoe.cutting_cards" in {field.key for field in form_of(by_hand, HOUSE_LIMITS)}


@pytest.mark.finding(19)
def test_a_share_is_written_as_a_fraction_with_its_least() -> None:
    """The cover card's place and a meter's rate read as in the documents."""
    cover = fields("maryland")["shoe.cover_from_bottom"]
    assert (cover.value, cover.note) == ("1/4", "at least 1/4")
    assert fields("washington")["shoe.cover_from_bottom"].note == "as Maryland has it"
    assert fields("maryland")["wagers.progressive.meter.contribution"].value == "3/100"


def test_actions_of_staff_stand_on_clauses_of_their_document() -> None:
    """Each clause names commands, steps or settings."""
    for row in inv.staff_actions().values():
        kind, _, step = row.action.partition(".")
        known = kind in STAFF and (not step or step in get_args(Preparation))
        assert known or kind in ("limits", "deal", "agreement", "table"), row
