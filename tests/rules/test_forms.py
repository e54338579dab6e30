"""The form of a table: each field is one that the server takes, with clauses that exist."""

from typing import Any, get_args

import pytest

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


def test_actions_of_staff_stand_on_clauses_of_their_document() -> None:
    """Each row names a command, a step or a setting, and clauses of its own document."""
    for row in inv.staff_actions().values():
        assert row.id == f"{row.document}-{row.action}"
        for clause in row.clauses.split(","):
            assert inv.clauses()[clause].document == row.document, row
        kind, _, step = row.action.partition(".")
        known = kind in STAFF and (not step or step in get_args(Preparation))
        assert known or kind in ("limits", "deal", "agreement"), row
