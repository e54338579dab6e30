"""How an operator's own book differs from the document that it is based on."""

from collections.abc import Iterator
from typing import Any

import msgspec

from wartable.rules.load import NAMES, load
from wartable.rules.model import RuleBook
from wartable.rules.settings import is_setting, most_of, operator_options

WORDS = ("name", "version", "title", "extends", "document", "labels", "outcomes")
"""The sections that only name things."""


def differs(rules: RuleBook) -> str:
    """The sentence beside the title of a book that differs from its document; otherwise empty."""
    if rules.document_book not in NAMES:
        return ""
    base = load(rules.document_book).rules
    ours, theirs = values(rules), values(base)
    found = [
        f"{key.removeprefix('options.')} ({_shown(ours.get(key))}, not {_shown(theirs.get(key))})"
        for key in [*theirs, *(key for key in ours if key not in theirs)]
        if ours.get(key) != theirs.get(key)
        and key.partition(".")[0] not in WORDS
        and not _left_open(base, key, ours.get(key))
    ]
    if not found and not rules.extends:
        return ""
    if not found:
        return f"Differs from {base.title} only in what that document leaves to the operator."
    return f"Differs from {base.title} in {', '.join(found)}."


def _left_open(base: RuleBook, key: str, value: Any) -> bool:
    """Whether the document leaves this value to the operator of a table."""
    if key == "shoe.decks":
        return value in base.shoe.decks_allowed
    options = operator_options(base).get(key.removeprefix("options."), ())
    if (most := most_of(base, key)) is not None:
        return value is not None and value <= most
    return is_setting(key, base.name) or value in options


def values(rules: RuleBook) -> dict[str, Any]:
    """Every value of a book, by dotted key."""
    return dict(_flat(rules, ""))


def _flat(value: Any, key: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, msgspec.Struct):
        names = [field.name for field in msgspec.structs.fields(value)]
        parts = {name: getattr(value, name) for name in names}
    elif isinstance(value, dict):
        parts = value
    else:
        if value is not None:
            yield key, value
        return
    for name, each in parts.items():
        yield from _flat(each, f"{key}.{name}".strip("."))


def _shown(value: Any) -> str:
    """A value in the sentence."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " ".join(str(each) for each in value)
    return str(value)
