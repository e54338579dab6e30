"""A rule book's content before decoding: values with their sources."""

from collections.abc import Iterator
from typing import Any

import msgspec

from wartable.rules.model import Ratio

SOURCE_KEYS = {"value", "clauses", "readings", "note"}

Raw = dict[str, Any]


class Source(msgspec.Struct, frozen=True):
    """Where a value comes from: clauses of the document, readings, or our own note."""

    clauses: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    note: str = ""


def is_leaf(value: Any) -> bool:
    """Whether this is a value with its source rather than a section."""
    return isinstance(value, dict) and "value" in value and value.keys() <= SOURCE_KEYS


def plain(raw: Any) -> Any:
    """The values without their sources."""
    if not isinstance(raw, dict):
        return raw
    return raw["value"] if is_leaf(raw) else {key: plain(value) for key, value in raw.items()}


def sources(raw: Raw, prefix: str = "") -> Iterator[tuple[str, Source]]:
    """The source of every value, by dotted key."""
    for key, value in raw.items():
        if is_leaf(value):
            yield prefix + key, msgspec.convert(value, Source)
        elif isinstance(value, dict):
            yield from sources(value, f"{prefix}{key}.")
        else:
            yield prefix + key, Source()


def merged(base: Raw, own: Raw) -> Raw:
    """The base with the book's own values, each in place of the base's."""
    result = dict(base)
    for key, value in own.items():
        old = base.get(key)
        if isinstance(value, dict) and not is_leaf(value) and isinstance(old, dict):
            result[key] = value if is_leaf(old) else merged(old, value)
        else:
            result[key] = value
    return result


def convert(value: Any, kind: Any) -> Any:
    """The value decoded as that type; ratios are written `10 to 1` or `1/4`."""
    return msgspec.convert(value, kind, dec_hook=_ratio)


def _ratio(kind: type, value: Any) -> Any:
    assert kind is Ratio, kind  # the only type of ours that is no struct
    return Ratio.parse(value)
