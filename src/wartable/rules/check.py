"""Every problem of a rule book, each as a sentence that begins with the key."""

import difflib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo

from wartable.rules.model import (
    WAGERS,
    WEIGHTS_MAX,
    BonusSpin,
    Meter,
    Progressive,
    RuleBook,
    SideBetOffer,
)
from wartable.rules.raw import SOURCE_KEYS, Raw, Source, convert, is_leaf, plain
from wartable.validation import value_error

BOXES_MAX = 9

BookProblem = tuple[str, str]
"""A key and what is wrong with it."""

PATTERNS = {
    "name": "lower-case letters, digits and hyphens, a letter first",
    "version": "three numbers such as 1.0.0",
}
"""What the patterns of some keys require."""


def problems_of(whole: Raw, base: Raw | None = None) -> list[str]:
    """Everything that is wrong with a book on top of its base; empty if it is sound."""
    form = list(_section(whole, RuleBook, ""))
    problems = [f"{key}: {what}" for key, what in form]
    mended = whole if not form else _mended(whole, base or {}, [key for key, _ in form])
    if not form or not any(_section(mended, RuleBook, "")):
        problems += _sense(convert(plain(mended), RuleBook))
    return problems


def _mended(whole: Raw, base: Raw, keys: list[str]) -> Raw:
    """The content with the base's values at those keys, so that the rest can be checked too."""
    result = dict(whole)
    for name in whole:
        below = [key.partition(".")[2] for key in keys if key.partition(".")[0] == name]
        if not below:
            continue
        value, old = whole[name], base.get(name)
        if "" not in below and isinstance(value, dict):
            result[name] = _mended(value, old if isinstance(old, dict) else {}, below)
        elif old is None:
            del result[name]
        else:
            result[name] = old
    return result


def _section(raw: Any, kind: Any, key: str) -> Iterator[BookProblem]:
    """Problems of form: unknown keys, missing keys, values of the wrong kind."""
    kind = _some(kind)
    if get_origin(kind) is dict and isinstance(raw, dict) and not is_leaf(raw):
        name_kind, value_kind = get_args(kind)
        for name, value in raw.items():
            yield from _value(name, name_kind, _key(key, name))
            yield from _section(value, value_kind, _key(key, name))
    elif not _is_struct(kind):
        yield from _value(raw, kind, key)
    elif not isinstance(raw, dict) or is_leaf(raw):
        yield key, "expected a section with its own keys, not a single value."
    else:
        yield from _fields(raw, kind, key)


def _fields(raw: Raw, kind: Any, key: str) -> Iterator[BookProblem]:
    fields = _fields_of(kind)
    for name, value in raw.items():
        if name in fields:
            yield from _section(value, fields[name].type, _key(key, name))
        else:
            near = difflib.get_close_matches(name, fields, 1)
            hint = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(fields)}."
            yield _key(key, name), f"there is no such key; {hint}"
    for name, field in fields.items():
        if field.required and name not in raw:
            yield _key(key, name), "this key is missing."


@cache
def _fields_of(kind: type[msgspec.Struct]) -> dict[str, FieldInfo]:
    """The fields of a section by their keys; cached, because finding them takes long."""
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


def _value(raw: Any, kind: Any, key: str) -> Iterator[BookProblem]:
    value = raw
    if isinstance(raw, dict) and "value" in raw:
        if unknown := raw.keys() - SOURCE_KEYS:
            yield key, f"a value can have clauses, readings and a note, not {min(unknown)}."
            return
        value = raw["value"]
        try:
            msgspec.convert(raw, Source)
        except msgspec.ValidationError:
            yield key, "clauses and readings are lists of ids; note is text."
    try:
        convert(value, kind)
    except (msgspec.ValidationError, ValueError) as error:
        yield key, value_error(error, kind, value, PATTERNS.get(key, ""))


def _some(kind: Any) -> Any:
    """The type inside an optional one, which is written before the None."""
    return get_args(kind)[0] if get_origin(kind) in (Union, UnionType) else kind


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _key(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _sense(rules: RuleBook) -> Iterator[str]:
    """Problems of meaning: values that contradict each other."""
    shoe, table, limits = rules.shoe, rules.table, rules.limits
    if shoe.decks not in shoe.decks_allowed:
        yield f"shoe.decks: {shoe.decks} is not among decks_allowed {list(shoe.decks_allowed)}."
    if rules.options.shuffle not in shoe.methods:
        yield f"options.shuffle: {rules.options.shuffle} is not among shoe.methods."
    least, cover = shoe.cover_from_bottom_min, shoe.cover_from_bottom
    if cover.over * least.under < least.over * cover.under:
        share = f"{least.over}/{least.under}"
        yield f"shoe.cover_from_bottom: the cover card must lie at least {share} from the bottom."
    if cover.over >= cover.under:
        yield "shoe.cover_from_bottom: the cover card must leave cards to deal: a share below 1/1."
    if set(shoe.methods) & {"shoe", "batches"} and shoe.cutting_cards not in (1, 2):
        yield f"shoe.cutting_cards: a shoe of many rounds has one or two, not {shoe.cutting_cards}."
    if table.boxes > BOXES_MAX:
        yield f"table.boxes: at most {BOXES_MAX} boxes, not {table.boxes}."
    if table.boxes_per_player > (boxes := rules.community or table.boxes):
        yield f"table.boxes_per_player: the table has {boxes} boxes."
    if (rules.banker == "player") != (rules.bank is not None):
        yield "bank: this section is required with banker = player and refused otherwise."
    if rules.deal.house_match and rules.banker == "player":
        yield "deal.house_match: this needs banker = house; a player/dealer always matches."
    for wager in ("primary", "tie", "war_tie"):
        limit = getattr(limits, wager)
        if limit.max is not None and limit.max < limit.min:
            yield f"limits.{wager}.max: the maximum {limit.max} is below the minimum {limit.min}."
        if limits.ceiling is not None and max(limit.min, limit.max or limit.min) > limits.ceiling:
            yield f"limits.{wager}: the legal ceiling is {limits.ceiling} for one wager."
    for name in WAGERS:
        offer = getattr(rules.wagers, name)
        if not isinstance(offer, SideBetOffer) or not offer.offered or limits.ceiling is None:
            continue
        if (largest := max(offer.denominations, default=0)) > limits.ceiling:
            yield f"limits.ceiling: {limits.ceiling} is below the {largest} of the {name} wager."
    if limits.box_max is not None and limits.box_max < limits.primary.min:
        yield "limits.box_max: the box maximum is below the minimum of a primary wager."
    if rules.wagers.progressive is not None:
        yield from _progressive(rules.wagers.progressive)
    if rules.wagers.bonus_spin is not None:
        yield from _bonus_spin(rules.wagers.bonus_spin)
    yield from _outcomes(rules)


def _progressive(progressive: Progressive) -> Iterator[str]:
    key = "wagers.progressive"
    odds = list(progressive.lines.values())
    if any(a.over * b.under < b.over * a.under for a, b in pairwise(odds)):
        yield f"{key}.lines: list the highest line first; only the first line made pays."
    yield from _one_of(f"{key}.meter_line", [progressive.meter_line], progressive.lines)
    yield from _one_of(f"{key}.envy.line", [progressive.envy.line], progressive.lines)
    yield from _meter(f"{key}.meter", progressive.meter)


def _bonus_spin(spin: BonusSpin) -> Iterator[str]:
    key = "wagers.bonus_spin"
    yield from _one_of(f"{key}.meters", spin.meters, ("primary", "secondary"))
    for name in ("primary", "secondary"):
        if name not in spin.meters:
            yield f"{key}.meters.{name}: the bonus spin needs both of its meters."
    for name, meter in spin.meters.items():
        yield from _meter(f"{key}.meters.{name}", meter)
    hot_spots = ("none", *(f"jackpot_{name}" for name in spin.meters), *spin.hot_spot)
    yield from _one_of(f"{key}.wheel.hot_spot", spin.wheel.hot_spot, hot_spots)
    yield from _one_of(f"{key}.wheel.community", spin.wheel.community, spin.community)
    for name, weights in (("hot_spot", spin.wheel.hot_spot), ("community", spin.wheel.community)):
        if not sum(weights.values()):
            yield f"{key}.wheel.{name}: at least one stop needs a weight above 0."
        if sum(weights.values()) > WEIGHTS_MAX:
            yield f"{key}.wheel.{name}: the weights may add up to at most {WEIGHTS_MAX}."
    for symbol in (*spin.hot_spot, *spin.community):
        digits = symbol.removeprefix("$").replace(",", "")
        if not (symbol.startswith("$") and digits.isdecimal()):
            yield f"{key}: a symbol is written like $1,000, not {symbol!r}."


def _meter(key: str, meter: Meter) -> Iterator[str]:
    for name in ("initial", "reset"):
        if getattr(meter, name) < meter.reset_min:
            yield f"{key}.{name}: at least {meter.reset_min} cents, not {getattr(meter, name)}."
    if not 0 < meter.contribution.over <= meter.contribution.under:
        yield f"{key}.contribution: a share of the wager above 0 and at most 1/1."


def _one_of(key: str, names: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    known = list(known)
    for name in names:
        if name not in known:
            yield f"{key}: expected one of {', '.join(known)}, not {name!r}."


def _outcomes(rules: RuleBook) -> Iterator[str]:
    """Each wager that the book offers needs the words and clauses of its outcomes."""
    needed: set[str] = {kind for kind in WAGERS if getattr(rules.wagers, kind) is not None}
    if rules.options.war_tie_wager == "none":
        needed.discard("war_tie")
    if rules.wagers.progressive is not None:
        needed.add("envy")
    for wager in sorted(needed - rules.outcomes.keys()):
        yield f"outcomes.{wager}: this section is missing; it describes how the wager can end."
