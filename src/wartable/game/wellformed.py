"""Checks for commands made in Python, as strict as decoding them from JSON."""

import re
from collections.abc import Callable
from operator import call
from typing import Any, NamedTuple

from msgspec import Struct, inspect
from msgspec.structs import astuple

from wartable.cards import CARD_PATTERN, DECK, HIDDEN
from wartable.game.messages import Illegal

Accepts = Callable[[Any], object]


class Form(NamedTuple):
    """What a field may hold: a test, and the same in words."""

    accepts: Accepts
    words: str


def check(command: Struct) -> None:
    """Refuse a command with a value that its JSON could not have."""
    tests = _TESTS.get(type(command))
    if tests is None:
        tests = _TESTS[type(command)] = [form.accepts for form in _forms(type(command)).values()]
    try:
        sound = all(map(call, tests, astuple(command)))
    except TypeError:  # a list, say, where a text is expected
        sound = False
    if not sound:
        raise _malformed(command)


_TESTS: dict[type[Struct], list[Accepts]] = {}
"""The test of each field, in order, by type of command."""


def _forms(kind: type[Struct]) -> dict[str, Form]:
    """The form of each field."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    return {field.name: _form(field.type) for field in info.fields}


def _malformed(command: Struct) -> Illegal:
    """The refusal that names the first wrong field."""
    for name, form in _forms(type(command)).items():
        value = getattr(command, name)
        try:
            sound = form.accepts(value)
        except TypeError:
            sound = False
        if not sound:
            sentence = (
                f"The {name} of {type(command).__name__} must be {form.words}, not {value!r}."
            )
            return Illegal("malformed", sentence)
    raise AssertionError("every field of the command is as it must be")


def _form(kind: inspect.Type) -> Form:
    """The form of a field's type."""
    match kind:
        case inspect.IntType(ge=least, le=most):
            return _whole_number(least, most)
        case inspect.StrType(pattern=str(pattern)) if pattern == CARD_PATTERN:
            return Form({*DECK, HIDDEN}.__contains__, f"a card such as 9s, or {HIDDEN}")
        case inspect.StrType(pattern=str(pattern)):
            return Form(re.compile(pattern).search, f"a text that matches {pattern}")
        case inspect.StrType(min_length=least, max_length=most):
            return _text(least or 0, most)
        case inspect.LiteralType(values=values):
            return Form(frozenset(values).__contains__, f"one of {', '.join(map(str, values))}")
        case inspect.BoolType():
            return Form(lambda v: type(v) is bool, "true or false")
        case inspect.UnionType(types=types) if kind.includes_none and len(types) == 2:
            (form,) = (_form(each) for each in types if not isinstance(each, inspect.NoneType))
            return Form(lambda v: v is None or form.accepts(v), f"none or {form.words}")
        case inspect.DictType(key_type=key, value_type=value):
            return _mapping(_form(key), _form(value))
        case inspect.VarTupleType(item_type=item):
            form = _form(item)
            words = f"a tuple, each {form.words}"
            return Form(lambda v: type(v) is tuple and all(map(form.accepts, v)), words)
    raise NotImplementedError(f"no form is known for {kind}")


def _whole_number(least: int | None, most: int | None) -> Form:
    if least is None:
        return Form(lambda v: type(v) is int, "a whole number")
    if most is None:
        return Form(lambda v: type(v) is int and v >= least, f"a whole number of at least {least}")
    return Form(
        lambda v: type(v) is int and least <= v <= most, f"a whole number from {least} to {most}"
    )


def _text(least: int, most: int | None) -> Form:
    if most is None:
        return Form(lambda v: type(v) is str and len(v) >= least, "a text")
    return Form(
        lambda v: type(v) is str and least <= len(v) <= most,
        f"a text of {least} to {most} characters",
    )


def _mapping(key: Form, value: Form) -> Form:
    def accepts(held: Any) -> bool:
        sound = type(held) is dict and all(map(key.accepts, held))
        return sound and all(map(value.accepts, held.values()))

    return Form(accepts, f"a dict, each key {key.words} and each value {value.words}")
