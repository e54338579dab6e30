"""The form of a table: everything that its operator may set, with what is allowed and why."""

from collections.abc import Iterator
from typing import Any, Literal, get_args

import msgspec

from wartable.rules import inventory as inv
from wartable.rules.load import build
from wartable.rules.model import DealRules, Limits, RuleBook, Trigger
from wartable.rules.raw import Raw, Source, sources
from wartable.rules.settings import SETTINGS, is_setting, most_of, operator_options, within

Kind = Literal["number", "money", "choice", "yes", "share"]
Value = str | int | bool | None

CHOICES: dict[str, tuple[str, ...]] = {
    "deal.payment": get_args(DealRules.__annotations__["payment"]),
    "trigger.rank": get_args(Trigger.__annotations__["rank"]),
    "trigger.color": get_args(Trigger.__annotations__["color"]),
}
"""The words that a setting may be, for settings that are words, by the end of their key."""

CUTTING_CARDS = (1, 2)


class FormField(msgspec.Struct, frozen=True):
    """One thing that the operator may set: its value in the book, what is allowed, and why.

    A key without a dot is a named option; `decks` is neither option nor setting.
    """

    key: str
    kind: Kind
    value: Value
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    clauses: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    note: str = ""


def form_of(base: Raw, house: Limits) -> Iterator[FormField]:
    """Every field of the form for a table of this book, in the order of the book."""
    book = build(base)
    rules = book.rules
    known = dict(sources(base))
    decks = tuple(map(str, rules.shoe.decks_allowed))
    yield _field("decks", "choice", str(rules.shoe.decks), known["shoe.decks_allowed"], decks)
    chosen = {each.option: each for each in inv.operator_choices(rules.document_book)}
    for option, values in operator_options(rules).items():
        source = known[f"options.{option}"]
        if option in chosen:
            choice = chosen[option]
            source = Source(choice.clauses, (choice.reading,), source.note)
        elif option == "shuffle":
            source = known["shoe.methods"]
        yield _field(option, "choice", getattr(rules.options, option), source, values)
    held = within(rules, house)
    flat = _flat(msgspec.to_builtins(held, enc_hook=str))
    keys = [key for key in flat if is_setting(key, rules.document_book) and _used(rules, key)]
    for section in SETTINGS:
        for key in keys:
            if f"{key}.".startswith(f"{section}."):
                yield _setting(held, key, flat, known.get(key, Source()))


def _used(rules: RuleBook, key: str) -> bool:
    """Whether the setting has an effect with this book."""
    if key.startswith("limits.war_tie."):
        return rules.options.war_tie_wager == "free"
    methods = {"shoe", "batches"} & set(rules.shoe.methods)
    return bool(methods) or not key.startswith("shoe.")


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            found |= _flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found


def _setting(rules: RuleBook, key: str, values: dict[str, Any], source: Source) -> FormField:
    """The field of a setting."""
    value, own = values[key], inv.staff_actions()
    for name in (key, key.rpartition(".")[0]):
        if (row := own.get(f"{rules.document_book}-{name}")) is not None and not source.clauses:
            source = Source(row.clauses, source.readings, source.note)
    for end, words in CHOICES.items():
        if key.endswith(end):
            return _field(key, "choice", value, source, words)
    if isinstance(value, bool):
        return _field(key, "yes", value, source)
    if key.startswith("limits."):
        single = key.endswith((".min", ".max", ".ceiling"))
        most = rules.limits.ceiling if single else None
        return _field(key, "money", value, source, least=1, most=most)
    if key.endswith((".contribution", ".cover_from_bottom")):
        least = str(values.get(f"{key}_min", "")).replace(" to ", "/")
        note = source.note or (f"at least {least}" if least else "")
        shown = msgspec.structs.replace(source, note=note)
        return _field(key, "share", str(value).replace(" to ", "/"), shown)
    if key.endswith((".initial", ".reset")):
        reset_min = values[f"{key.rpartition('.')[0]}.reset_min"]
        return _field(key, "money", value, source, least=reset_min)
    return _field(key, "number", value, source, (), *_bounds(rules, key))


def _bounds(rules: RuleBook, key: str) -> tuple[int, int | None]:
    if key == "shoe.cutting_cards":
        return CUTTING_CARDS
    if key == "table.boxes_per_player":
        return 1, most_of(rules, key) or rules.table.boxes
    if key.startswith("table."):
        return 1, most_of(rules, key)
    return 0, None


def _field(
    key: str,
    kind: Kind,
    value: Value,
    source: Source,
    choices: tuple[str, ...] = (),
    least: int | None = None,
    most: int | None = None,
) -> FormField:
    return FormField(
        key, kind, value, choices, least, most, source.clauses, source.readings, source.note
    )
