"""A book as an operator configures it: the options and settings that its document leaves open."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from wartable.rules.check import problems_of
from wartable.rules.inventory import operator_choices, staff_actions
from wartable.rules.load import NAMES, Book, RulesError, build, community_boxes, with_options
from wartable.rules.model import Limit, Limits, RuleBook
from wartable.rules.raw import Raw, is_leaf, merged, plain

Setting = str | int | bool

NOTE = "the operator's"

STAKE_MAX = 10**12

LIMITED = ("primary", "tie", "war_tie")
"""The wagers that have a minimum and a maximum; the last only in a size of its own."""

HOUSE_LIMITS = Limits(
    primary=Limit(500, 30_000),
    tie=Limit(100, 10_000),
    war_tie=Limit(100, 10_000),
    ceiling=30_000,
)
"""Our defaults (A15), for a house whose operator sets no others."""

NO_CEILING = (
    "limits.ceiling: {title} plays within a ceiling on each wager; set the house's ceiling first."
)

SETTINGS = (
    "table.boxes", "table.seats", "table.boxes_per_player", "table.players_per_box",
    "shoe.cutting_cards", "shoe.cover_from_bottom",
    "limits.primary.min", "limits.primary.max", "limits.tie.min", "limits.tie.max",
    "limits.war_tie.min", "limits.war_tie.max", "limits.box_max", "limits.player_box_max",
    "limits.payout_max", "limits.ceiling", "deal.payment",
    "wagers.progressive.offered", "wagers.progressive.meter.initial",
    "wagers.progressive.meter.reset", "wagers.progressive.meter.contribution",
    "wagers.bonus_spin.offered", "wagers.bonus_spin.trigger", "wagers.bonus_spin.meters",
    "wagers.bonus_spin.wheel",
)  # fmt: skip  # a list of keys, or of sections whose keys are all settings
"""What the documents leave to the operator; apart from CUTS, none changes what a wager pays."""

CUTS = ("limits.payout_max",)
"""Settings that cut a payment, allowed only where a clause of the document leaves it open (M9)."""

FIXED = ("reset_min",)
"""The exceptions: keys in those sections whose values the documents fix."""

MOST = ("table.boxes", "table.seats", "table.players_per_box", "table.boxes_per_player")
"""Settings that may not exceed the book's own value, unless a clause leaves it to the operator."""


FOLLOWING = ("table.seats", "table.boxes_per_player")
"""Settings that may not exceed the number of boxes."""


def configured(
    base: Raw, options: Mapping[str, str], settings: Mapping[str, Setting], house: Limits
) -> tuple[Raw, Limits]:
    """A book's content with these values, and the table's limits; `RulesError` names every problem.

    Limits belong to the table, not to its book, so that tables of one book share its digest and
    its meters. Only the payout limit changes what is paid, and stays in the content.
    """
    book = build(base)
    check_options(book, options)
    if problems := [*_unknown(base, book.rules, settings), *_above(book.rules, settings, house)]:
        raise RulesError(problems)
    chosen = {f"options.{key}": value for key, value in options.items()}
    values = chosen | _fewer(base, settings) | dict(settings)
    asked = merged(base, _own(base, values))
    if problems := problems_of(asked, base):
        raise RulesError(problems)
    whole = merged(base, _own(base, values | _house_limits(asked, house)))
    if problems := [*problems_of(whole, base), *_without_ceiling(whole)]:
        raise RulesError(problems)
    kept = {key: value for key, value in values.items() if not _is_limit(key)}
    return merged(base, _own(base, kept)), build(whole).rules.limits


def within(rules: RuleBook, house: Limits) -> RuleBook:
    """The rules with the house's ceiling, and its limits where they have none."""
    kept = rules.limits
    ceiling = min((each for each in (kept.ceiling, house.ceiling) if each), default=None)
    top = STAKE_MAX if ceiling is None else ceiling
    limits = {kind: _bounded(getattr(kept, kind), getattr(house, kind), top) for kind in LIMITED}
    if rules.options.war_tie_wager != "free":
        limits["war_tie"] = kept.war_tie
    if problems := [
        f"limits.{kind}: the minimum {limit.min} is above the ceiling {ceiling}."
        for kind, limit in limits.items()
        if limit.max is not None and limit.min > limit.max
    ]:
        raise RulesError(problems)
    if kept.ceiling_required and ceiling is None:
        raise RulesError([NO_CEILING.format(title=rules.title)])
    return replace(rules, limits=replace(kept, ceiling=ceiling, **limits))


def _bounded(own: Limit, house: Limit, top: int) -> Limit:
    """A wager's limit below the ceiling; one without a maximum takes the house's."""
    if own.max is not None:
        return Limit(own.min, min(own.max, top))
    most = min(max(house.max or top, own.min), top)
    return Limit(own.min if own.min > 1 else min(house.min, most), most)


def _house_limits(whole: Raw, house: Limits) -> dict[str, Setting]:
    """The house's limits as settings, for what neither the book nor the operator has set."""
    found: dict[str, Setting] = {}
    tops = (_value(whole, "limits.ceiling"), house.ceiling)
    ceiling = min((each for each in tops if each is not None), default=None)
    if ceiling is not None:
        found["limits.ceiling"] = ceiling
    free = _value(whole, "options.war_tie_wager") == "free"
    for kind in LIMITED if free else LIMITED[:-1]:
        least, most = (_value(whole, f"limits.{kind}.{end}") for end in ("min", "max"))
        limit: Limit = getattr(house, kind)
        top = limit.max if ceiling is None else min(limit.max or ceiling, ceiling)
        if most is None:
            most = found[f"limits.{kind}.max"] = max(top or STAKE_MAX, least or 0)
        if least is None:
            found[f"limits.{kind}.min"] = min(limit.min, most)
    return found


def _without_ceiling(whole: Raw) -> Iterator[str]:
    rules = build(whole).rules
    if rules.limits.ceiling_required and rules.limits.ceiling is None:
        yield NO_CEILING.format(title=rules.title)


def _own(base: Raw, values: Mapping[str, Setting]) -> Raw:
    """Values by dotted key as a book's own content, each with what the base says about it."""
    own: Raw = {}
    for key, value in values.items():
        found = _at(base, key)
        _put(own, key, {**(found if is_leaf(found) else {}), "value": value, "note": NOTE})
    return merged(community_boxes(own), own)


def _is_limit(key: str) -> bool:
    return key.startswith("limits.") and key != "limits.payout_max"


def operator_options(rules: RuleBook) -> dict[str, tuple[str, ...]]:
    """The named options that a table of the book takes, each with the values it may have."""
    left = {each.option: each.values for each in operator_choices(rules.document_book)}
    return {"shuffle": rules.shoe.methods, **left}


def check_options(book: Book, options: Mapping[str, str]) -> None:
    """Refuse options that the document does not leave to the operator of a table."""
    with_options(book, options)
    rules, open_ = book.rules, operator_options(book.rules)
    problems = []
    for key, value in options.items():
        if value == getattr(rules.options, key):
            continue
        if key not in open_:
            problems.append(
                f"{key}: {rules.title} does not leave this to the operator, who may set"
                f" {', '.join(open_)}; write a book of your own that extends it for {value}."
            )
        elif value not in open_[key]:
            allowed = " or ".join(open_[key])
            problems.append(f"{key}: {rules.title} allows {allowed}, not {value}.")
    if problems:
        raise RulesError(problems)


def _fewer(base: Raw, settings: Mapping[str, Setting]) -> dict[str, Setting]:
    """The settings that follow from fewer boxes: fewer seats, and fewer boxes per player."""
    boxes = settings.get("table.boxes")
    if not isinstance(boxes, int):
        return {}
    return {key: min(boxes, _value(base, key)) for key in FOLLOWING}


def is_setting(key: str, document: str) -> bool:
    """Whether the operator of a table by this document may set this key."""
    if key in CUTS and not _left_open(document, key):
        return False
    known = any(f"{key}.".startswith(f"{each}.") for each in SETTINGS)
    return known and key.rpartition(".")[2] not in FIXED


def _left_open(document: str, key: str) -> bool:
    """Whether a clause leaves a key to the operator, or there is no document to say so."""
    return document not in NAMES or f"{document}-{key}" in staff_actions()


def most_of(rules: RuleBook, key: str) -> int | None:
    """The most that the operator of a table by this book may set; None if the book has no most."""
    if key not in MOST or _left_open(rules.document_book, key):
        return None
    most: int | None = getattr(rules.table, key.removeprefix("table."))
    return most


def _unknown(base: Raw, rules: RuleBook, settings: Mapping[str, Setting]) -> Iterator[str]:
    for key in settings:
        offered = not key.startswith("wagers.") or _value(base, key) is not None
        if not is_setting(key, rules.document_book) or not offered:
            yield f"{key}: operators cannot set this; docs/rules.md lists what they can."


def _above(rules: RuleBook, settings: Mapping[str, Setting], house: Limits) -> Iterator[str]:
    ceiling = settings.get("limits.ceiling")
    if house.ceiling is not None and isinstance(ceiling, int) and ceiling > house.ceiling:
        yield f"limits.ceiling: at most {house.ceiling}, the house's own ceiling, not {ceiling}."
    for key, value in settings.items():
        most = most_of(rules, key)
        if isinstance(value, int) and most is not None and value > most:
            yield f"{key}: at most {most}, the book's own value, not {value}."


def _at(raw: Raw, key: str) -> Any:
    """What a dotted key holds, with its source; None if the book has nothing there."""
    found: Any = raw
    for part in key.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _value(raw: Raw, key: str) -> Any:
    """The value of a dotted key; None if the book has none."""
    return plain(_at(raw, key))


def _put(raw: Raw, key: str, value: Raw) -> None:
    *sections, last = key.split(".")
    for section in sections:
        raw = raw.setdefault(section, {})
    raw[last] = value
