"""Checks for commands made in Python, as strict as decoding them from JSON."""

import re
from typing import Any

from msgspec import Struct, ValidationError, msgpack

from wartable.cards import DECK, HIDDEN
from wartable.game.messages import Burn, CloseBets, Deal, Illegal
from wartable.validation import accepts, problem

_encode = msgpack.Encoder().encode
_CLOSE_BETS = CloseBets()
_CARDS = frozenset((*DECK, HIDDEN))
_DECODERS: dict[type[Struct], msgpack.Decoder[Any]] = {}


def check(command: Struct) -> None:
    """Refuse a command with a value that it could not have been decoded with."""
    kind = type(command)
    if isinstance(command, (Deal, Burn)):
        if type(command.card) is str and command.card in _CARDS:
            return  # by far the most common commands, and matching a pattern is slow
    elif kind is CloseBets and command == _CLOSE_BETS:
        return  # likewise common, and its number has a pattern
    decoder = _DECODERS.get(kind)
    if decoder is None:
        decoder = _DECODERS[kind] = msgpack.Decoder(kind)
    try:
        decoder.decode(_encode(command))
    except ValidationError as error:
        raise Illegal("malformed", _sentence(command, problem(error)[0])) from None
    except (TypeError, OverflowError):  # an object or a number that no message can hold
        raise Illegal(
            "malformed", f"{command!r:.80} has a value that no message can hold."
        ) from None


def _sentence(command: Struct, where: str) -> str:
    """The first field that the decoder refuses, and what it accepts, as a sentence."""
    kind = type(command)
    name = re.findall(r"\w+", where)[0]
    must = f"The {name} of {kind.__name__} must be {accepts(kind, name)}"
    return f"{must}, not {getattr(command, name)!r}."
