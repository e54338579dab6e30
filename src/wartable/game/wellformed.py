"""Checks for commands made in Python, as strict as decoding them from JSON."""

import re
from typing import Any, get_args, get_type_hints

from msgspec import Struct, ValidationError, msgpack

from wartable.game.messages import Illegal

_encode = msgpack.Encoder().encode
_DECODERS: dict[type[Struct], msgpack.Decoder[Any]] = {}

_WORDS = {
    r"`?str`? matching regex .*": "a text such as 9s",
    r"`int`": "a whole number",
    r"`str`": "a text",
    r"`array`": "a list",
    r"`object`": "a dict",
    r"`null`": "none",
    r" \| ": " or ",
    r", got .*": "",
}
"""What the decoder expects, as people say it."""


def check(command: Struct) -> None:
    """Refuse a command with a value that it could not have been decoded with."""
    kind = type(command)
    decoder = _DECODERS.get(kind)
    if decoder is None:
        decoder = _DECODERS[kind] = msgpack.Decoder(kind)
    try:
        decoder.decode(_encode(command))
    except ValidationError as error:
        raise Illegal("malformed", _sentence(command, str(error))) from None
    except (TypeError, OverflowError):  # an object or a number that no message can hold
        raise Illegal("malformed", f"{command!r:.80} has a value that is no data.") from None


def _sentence(command: Struct, error: str) -> str:
    """The decoder's words about a command's first wrong field, as a sentence."""
    what, _, where = error.partition(" - at ")
    name = re.findall(r"\w+", where.rpartition("$")[2])[0]
    if what.startswith("Invalid enum value"):
        accepted = get_args(get_type_hints(type(command))[name])
        what = f"Expected one of {', '.join(map(str, accepted))}"
    for pattern, words in _WORDS.items():
        what = re.sub(pattern, words, what)
    keys = "a dict whose keys are each " if where.startswith("`key`") else ""
    must = keys + what.removeprefix("Expected ")
    return f"The {name} of {type(command).__name__} must be {must}, not {getattr(command, name)!r}."
