"""A round as compact text, a playthrough, that people can read and that parses back exactly.

    rules maryland
    > open
    opened
    > bet ann 1 primary 1000
    placed ann 1 primary 1000

A line after `>` is a command; the lines below it are the events it caused. Values follow the
order of the message's fields. Defaults at the end are left out; `-` is an absent value between.
"""

import json
import re
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec

from wartable.game import GameCommand, GameEvent, Illegal, Round, apply, step
from wartable.game.messages import Message
from wartable.refusal import Unusable
from wartable.rules import Book, load_any, with_options
from wartable.validation import problem

__all__ = [
    "NotationError",
    "Playthrough",
    "Step",
    "book_of",
    "dump",
    "last_state",
    "parse",
    "replay",
]

BARE = re.compile(r"[A-Za-z0-9_?$.,:/@+][A-Za-z0-9_?$.,:/@+-]*")


class Step(msgspec.Struct, frozen=True):
    """A command with the events that it caused."""

    command: GameCommand
    events: tuple[GameEvent, ...] = ()


class Playthrough(msgspec.Struct, frozen=True):
    """A round from its first command on: the book, its options and every step."""

    rules: str
    options: dict[str, str] = {}
    steps: tuple[Step, ...] = ()


class NotationError(Unusable):
    """Text that is not a playthrough, with the line and the reason."""

    kind = "notation"


def dump(playthrough: Playthrough) -> str:
    """The playthrough as text."""
    lines = [f"rules {token_of(playthrough.rules)}"]
    lines += [f"option {key}={token_of(value)}" for key, value in playthrough.options.items()]
    for each in playthrough.steps:
        lines.append("> " + write(each.command))
        lines += [write(event) for event in each.events]
    return "\n".join(lines) + "\n"


def parse(text: str) -> Playthrough:
    """The playthrough that the text describes."""
    rules: str | None = None
    options: dict[str, str] = {}
    steps: list[tuple[GameCommand, list[GameEvent]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        word, _, rest = line.strip().partition(" ")
        try:
            if not word or word.startswith("#"):
                continue
            if word == "rules":
                if rules is not None:
                    raise NotationError("the rules are already named")
                rules = text_of(rest)
            elif word == "option":
                key, _, value = rest.partition("=")
                if not re.fullmatch("[a-z_]+", key):
                    raise NotationError("an option is written name=value")
                if key in options or steps:
                    raise NotationError("each option is set once, before the first command")
                options[key] = text_of(value)
            elif word == ">":
                steps.append((read_command(rest), []))
            elif not steps:
                raise NotationError("an event comes before the first command")
            else:
                steps[-1][1].append(read_event(line))
        except NotationError as error:
            raise NotationError(f"Line {number}: {error}.") from None
    if rules is None:
        raise NotationError("Line 1: a playthrough begins with a line such as `rules maryland`.")
    return Playthrough(rules, options, tuple(Step(c, tuple(events)) for c, events in steps))


def book_of(playthrough: Playthrough) -> Book:
    """The playthrough's book, with its options."""
    return with_options(load_any(playthrough.rules), playthrough.options)


def last_state(playthrough: Playthrough) -> Round:
    """The round after the last event."""
    state = Round()
    for each in playthrough.steps:
        for event in each.events:
            state = apply(state, event)
    return state


def replay(playthrough: Playthrough) -> Playthrough:
    """The same commands decided again; equal to the playthrough if the engine still agrees."""
    rules, state = book_of(playthrough).rules, Round()
    steps = []
    for number, each in enumerate(playthrough.steps, 1):
        try:
            state, events = step(rules, state, each.command)
        except Illegal as error:
            raise NotationError(f"Command {number} is refused: {error.sentence}") from None
        steps.append(Step(each.command, events))
    return msgspec.structs.replace(playthrough, steps=tuple(steps))


def write(message: Message) -> str:
    """One command or event as a line."""
    fields = msgspec.structs.fields(type(message))
    values = [getattr(message, field.name) for field in fields]
    while values and values[-1] == _default(fields[len(values) - 1]):
        values.pop()
    tag = type(message).__struct_config__.tag
    return " ".join([str(tag), *(token_of(value) for value in values)])


def _default(field: msgspec.structs.FieldInfo) -> Any:
    """The value of the field if it is absent; nothing equals the result for a required field."""
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default


def read_command(line: str) -> GameCommand:
    """The command on the line."""
    message: GameCommand = read(line, _COMMANDS, "command")
    return message


def read_event(line: str) -> GameEvent:
    """The event on the line."""
    message: GameEvent = read(line, _EVENTS, "event")
    return message


def by_tag(union: Any) -> dict[str, type[Message]]:
    """The messages of a union by their tag, the first word of a line."""
    return {str(kind.__struct_config__.tag): kind for kind in get_args(union)}


_COMMANDS = by_tag(GameCommand)
_EVENTS = by_tag(GameEvent)


def read(line: str, kinds: dict[str, type[Message]], what: str) -> Any:
    """The message on the line, which is one of these kinds."""
    tag, *tokens = line.split() or [""]
    if tag not in kinds:
        raise NotationError(f"there is no {what} {tag!r}; use {', '.join(kinds)}")
    kind = kinds[tag]
    fields = msgspec.structs.fields(kind)
    if len(tokens) > len(fields):
        raise NotationError(f"{tag} takes at most {len(fields)} values, not {len(tokens)}")
    values = {
        field.encode_name: _value(token, field.type)
        for field, token in zip(fields, tokens, strict=False)
    }
    try:
        return msgspec.convert({"type": tag, **values}, kind)
    except msgspec.ValidationError as error:
        raise NotationError(": ".join(filter(None, (tag, *problem(error))))) from None


def token_of(value: Any) -> str:
    """A value without white space: bare if possible, else JSON."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) or (isinstance(value, str) and BARE.fullmatch(value)):
        return str(value)
    plain = msgspec.to_builtins(value, str_keys=True)
    return json.dumps(plain, separators=(",", ":")).replace(" ", "\\u0020")


def _value(token: str, kind: Any) -> Any:
    """The token's value for a field of that type."""
    if token == "-":
        return None
    if token[0] in '"{[':
        try:
            return _int_keys(json.loads(token))
        except (ValueError, RecursionError):
            raise NotationError(f"{token!r} is not JSON") from None
    if _base(kind) is bool and token in ("true", "false"):
        return token == "true"
    if _base(kind) is int:
        if not re.fullmatch(r"[0-9]{1,19}", token):
            raise NotationError(f"expected a whole number, not {token!r}")
        return int(token)
    return token


def text_of(token: str) -> str:
    """The text that a token stands for."""
    value = _value(token, str) if len(token.split()) == 1 else None
    if not isinstance(value, str):
        raise NotationError(f"expected text, not {token!r}")
    return value


def _int_keys(value: Any) -> Any:
    """JSON's text keys as the numbers they are in a message."""
    if isinstance(value, dict):
        return {
            int(key) if re.fullmatch("[0-9]", key) else key: each for key, each in value.items()
        }
    return value


def _base(kind: Any) -> Any:
    """The plain type beneath an optional or annotated one."""
    while True:
        if get_origin(kind) in (Union, UnionType):
            kind = next(each for each in get_args(kind) if each is not NoneType)
        elif get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        else:
            return kind
