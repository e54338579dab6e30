"""A shipped book as an operator configures it: named options, and settings it leaves open."""

from collections.abc import Iterator, Mapping
from typing import Any

from wartable.rules.check import problems_of
from wartable.rules.load import RulesError, community_boxes, load, shipped_raw, with_options
from wartable.rules.raw import Raw, is_leaf, merged

Setting = str | int | bool

NOTE = "the operator's"

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
"""What the documents leave to the operator; nothing here changes what a wager pays."""

FIXED = ("reset_min",)
"""The exceptions: keys in those sections that the documents fix."""

MOST = ("table.boxes", "table.seats", "table.players_per_box")
"""Settings that may not exceed the book's own value."""


FOLLOWING = ("table.seats", "table.boxes_per_player")
"""Settings that may not exceed the number of boxes."""


def configured(name: str, options: Mapping[str, str], settings: Mapping[str, Setting]) -> Raw:
    """The content of a shipped book with these values, or `RulesError` with every problem."""
    book, base = load(name), shipped_raw(name)
    with_options(book, options)
    if problems := [*_unknown(base, settings), *_above(base, settings)]:
        raise RulesError(problems)
    own: Raw = {}
    chosen = {f"options.{key}": value for key, value in options.items()}
    for key, value in (chosen | _fewer(base, settings) | dict(settings)).items():
        _put(own, key, {**_at(base, key), "value": value, "note": NOTE})
    whole = merged(base, merged(community_boxes(own), own))
    if problems := problems_of(whole, base):
        raise RulesError(problems)
    return whole


def _fewer(base: Raw, settings: Mapping[str, Setting]) -> dict[str, Setting]:
    """The settings that follow from fewer boxes: fewer seats, and fewer boxes per player."""
    boxes = settings.get("table.boxes")
    if not isinstance(boxes, int):
        return {}
    return {key: min(boxes, _at(base, key)["value"]) for key in FOLLOWING}


def _unknown(base: Raw, settings: Mapping[str, Setting]) -> Iterator[str]:
    for key in settings:
        known = any(f"{key}.".startswith(f"{each}.") for each in SETTINGS)
        offered = not key.startswith("wagers.") or _at(base, key)
        if not known or not offered or key.rpartition(".")[2] in FIXED:
            yield f"{key}: operators cannot set this; docs/rules.md lists what they can."


def _above(base: Raw, settings: Mapping[str, Setting]) -> Iterator[str]:
    for key in MOST:
        most, value = _at(base, key).get("value"), settings.get(key)
        if isinstance(value, int) and most is not None and value > most:
            yield f"{key}: at most {most}, the book's own value, not {value}."


def _at(raw: Raw, key: str) -> Raw:
    """The value of a dotted key with its source; empty if the book has none."""
    found: Any = raw
    for part in key.split("."):
        found = found.get(part, {}) if isinstance(found, dict) else {}
    return found if is_leaf(found) else {}


def _put(raw: Raw, key: str, value: Raw) -> None:
    *sections, last = key.split(".")
    for section in sections:
        raw = raw.setdefault(section, {})
    raw[last] = value
