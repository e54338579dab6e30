"""Sentences for data that does not fit its type: a message, a body, a value of a rule book."""

import re
from functools import cache
from typing import Any, get_args, get_origin

import msgspec
from msgspec import inspect

END = r"$(?!\n)"
"""The very end of a text; `$` in a pattern would allow a final newline."""
LISTED = 20
"""A union of more than this many messages is listed in its own table."""
UNREADABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
"""The errors of the decoder for bytes that are not JSON, and for JSON that is nested too deeply."""

_ARTICLES = {"integer": "an ", "list": "a ", "object": "an "}
_KINDS = {
    "str": "text", "int": "an integer", "float": "a number with a fraction", "null": "null",
    "bool": "true or false", "array": "a list", "object": "an object",
}  # fmt: skip  # a list of words
_VALUES = {
    "int": "a whole number", "float": "a fraction", "str": "text", "bool": "true or false",
    "object": "a section", "array": "a list",
}  # fmt: skip  # a list of words
"""The names of types for people who write rule books."""
_PARTS = {**_VALUES, "object": "an object", "null": "null"}
"""The same for people who write JSON."""
_TYPE = re.compile("`([a-z]+)`")
_OPTIONAL = re.compile(r"`(\w+)(?: \| null)?`")
_GOT = re.compile(r", got `(\w+)`")
_AT = re.compile(r"`\$\.(\w+)([^`]*)`")
_NAMED = re.compile(r"^Object (missing|contains) \w+ field `([^`]*)`")


class Tagged(msgspec.Struct):
    """The part of a body that names its kind."""

    type: str


def words(kind: Any) -> str:
    """A type in words that a reader of JSON knows."""
    match kind:
        case inspect.UnionType() if len(kind.types) > LISTED:
            return "event"
        case inspect.UnionType():
            return " or ".join(dict.fromkeys(words(each) for each in kind.types))
        case inspect.NoneType():
            return "null"
        case inspect.IntType():
            bounds = [(f"from {kind.ge}", kind.ge), (f"to {kind.le}", kind.le)]
            return " ".join(["integer", *(text for text, bound in bounds if bound is not None)])
        case inspect.StrType():
            if kind.max_length is None:
                return "text"
            least = "at most" if kind.min_length is None else f"{kind.min_length} to"
            return f"text of {least} {kind.max_length} characters"
        case inspect.LiteralType():
            return " or ".join(f"`{value}`" for value in kind.values)
        case inspect.BoolType():
            return "true or false"
        case inspect.VarTupleType():
            return f"list of {words(kind.item_type)}"
        case inspect.DictType():
            return f"object of {words(kind.value_type)} by name"
        case inspect.StructType():
            return kind.cls.__name__
        case inspect.Metadata():
            return (kind.extra_json_schema or {}).get("description") or words(kind.type)
        case _:
            return type(kind).__name__.removesuffix("Type").lower()


def takes(kind: inspect.Type) -> str:
    """What is accepted, in words within a sentence."""
    if isinstance(kind, inspect.UnionType):
        return " or ".join(dict.fromkeys(map(takes, kind.types)))
    text = words(kind).replace("`", "")
    if isinstance(kind, inspect.DictType) and kind.max_length is not None:
        text += f", at most {kind.max_length} of them"
    return _ARTICLES.get(text.split()[0], "") + text


def accepts(kind: type[msgspec.Struct], field: str) -> str:
    """What a field of a struct accepts, in words within a sentence."""
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    return next(takes(each.type) for each in info.fields if each.name == field)


def _fields(kind: Any, data: bytes) -> dict[str, str]:
    """What each field of a body takes, by its name."""
    tags, fields = _parts(kind, data)
    return tags | {name: takes(each) for name, each in fields.items()}


@cache
def _known(kind: Any) -> dict[str | int | None, inspect.StructType]:
    """The kinds that a type allows, by the name of each."""
    info = inspect.type_info(kind)
    kinds = info.types if isinstance(info, inspect.UnionType) else (info,)
    return {each.tag: each for each in kinds if isinstance(each, inspect.StructType)}


def _parts(kind: Any, data: bytes) -> tuple[dict[str, str], dict[str, inspect.Type]]:
    """The field that names a body's kind, if there are several, and the fields of that kind."""
    known = _known(kind)
    tags = {} if None in known else {"type": " or ".join(map(str, known))}
    found = known.get(_tag(data) if tags else None)
    of_kind = () if found is None else found.fields
    return tags, {each.encode_name: each.type for each in of_kind}


def _tag(data: bytes) -> str | None:
    """The kind that a body names; None if that cannot be read."""
    try:
        return msgspec.json.decode(data, type=Tagged).type
    except UNREADABLE:
        return None


def validation_error(
    kind: Any, data: bytes, error: msgspec.ValidationError, subject: str, document: str
) -> str:
    """What is wrong with data that msgspec refuses with this error, and what would be accepted."""
    fields, message = _fields(kind, data), str(error)
    named, at, got = _NAMED.match(message), _AT.search(message), _GOT.search(message)
    if named and named[1] == "contains":
        return f"{named[2]}: there is no such field; there are {', '.join(fields)}."
    if named:
        field, why = named[2], "it is missing; "
    elif at:
        field, why = at[1], ""
        if got and not at[2]:  # the field itself, and not something within it
            why = f"this is {_KINDS.get(got[1], 'unknown')}; "
        if within := _within(kind, data, field):
            return within
    else:
        return whole(kind, subject)
    return f"{field}: {why}it may be {fields.get(field, f'as {document} says')}."


def _within(kind: Any, data: bytes, field: str) -> str | None:
    """The entry of an object that does not fit, tried one by one: msgspec does not name it."""
    found = _parts(kind, data)[1].get(field)
    if not isinstance(found, inspect.DictType):
        return None
    try:
        body = msgspec.json.decode(data, type=dict[str, Any])
    except UNREADABLE:  # the data is broken after the entry that does not fit
        return None
    if not isinstance(body.get(field), dict):
        return None
    for name, value in body[field].items():
        try:
            msgspec.convert({**body, field: {name: value}}, kind)
        except msgspec.ValidationError as error:
            if f"`key` in `$.{field}`" in str(error):
                return f"{field}: a name in it may be {takes(found.key_type)}."
            if f"`$.{field}[...]`" in str(error):
                got = _GOT.search(str(error))
                why = f"this is {_KINDS.get(got[1], 'unknown')}; " if got else ""
                return f"{field}.{name}: {why}it may be {takes(found.value_type)}."
    return None


def whole(kind: Any, subject: str) -> str:
    """What must be given, as a sentence for when it is not."""
    return f"{subject} must be a JSON object with {', '.join(_fields(kind, b''))}."


def no_json(error: Exception, subject: str) -> str:
    """Why bytes are not JSON."""
    early = "it ends too early" if "truncated" in str(error) else None
    why = early or str(error).removeprefix("JSON is malformed: ").rstrip(".")
    return f"{subject} is not JSON: {why}."


def problem(error: msgspec.ValidationError) -> tuple[str, str]:
    """Where in a value something is wrong, such as `hands[0].box`, and what, in words."""
    what, _, path = str(error).partition(" - at ")
    what = what.replace("Object contains unknown", "there is no").replace("Object missing", "lacks")
    what = _OPTIONAL.sub(lambda match: _PARTS.get(match[1], match[0]), what)
    what = what.replace("Expected array", "Expected a list")
    return path.rpartition("`$")[2].strip("`."), what[0].lower() + what[1:]


def value_error(error: Exception, kind: Any, value: Any, pattern: str) -> str:
    """What is wrong with a single value, and what its type or the pattern's words ask for."""
    text = str(error).partition(" - at ")[0]
    if text.startswith("expected a ratio"):
        return f"{text.replace('`', '')}."
    known = get_args(kind)
    if get_origin(kind) is tuple and "enum" in text:
        known = get_args(known[0])
        return f"expected values from {', '.join(known)}, not {value!r}."
    if known and all(isinstance(each, str) for each in known):
        return f"expected one of {', '.join(known)}, not {value!r}."
    text = text.partition(", got ")[0]
    text = _TYPE.sub(lambda match: _VALUES.get(match[1], match[1]), text)
    if "matching regex" in text:
        text = f"expected {pattern}"
    return f"{text[0].lower()}{text[1:]}, not {value!r}."
