"""The messages of a WebSocket connection, and how a client's bytes become a typed command."""

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, get_args

import msgspec

from wartable.game.messages import Amount, Box, Message
from wartable.game.moves import Move
from wartable.game.prices import Price
from wartable.server.house.protection import Scope
from wartable.server.house.roles import Role
from wartable.server.http.validation import UNREADABLE, no_json, validation_error
from wartable.server.records.results import LastRound
from wartable.server.tables.listeners import Happened, Snapshot
from wartable.server.tables.live import Accepted, Refusal
from wartable.table import Due
from wartable.table import commands as c
from wartable.table.commands import Command, Milliseconds

MESSAGE_BYTES_MAX = 8_192
ID_LENGTH_MAX = 64
ZERO = rb"\u0000"
"""How JSON writes the one character that not every database can hold in a text."""
DOCUMENT = "docs/protocol.md"
NO_ZERO = "A message has no zero characters."

Id = Annotated[str, msgspec.Meta(min_length=1, max_length=ID_LENGTH_MAX)]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
TableName = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]


class Hello(Message, frozen=True):
    """Follow a table from after that row on, or as it is now; without a table, the lobby."""

    table: TableName | None = None
    after: Number | None = None


class Ping(Message, frozen=True):
    """Ask for a sign of life."""

    id: Id


class AskPrice(Message, frozen=True):
    """Ask what a war on a box with a tie wager of this amount would put at stake and bring."""

    id: Id
    box: Box
    war_tie: Amount = 0


class Acknowledge(Message, frozen=True):
    """Say that the reality check was read."""

    id: Id


class Welcome(msgspec.Struct, frozen=True, tag="welcome"):
    """The connection follows this table, or the lobby, as this account."""

    at_ms: Milliseconds
    name: str | None
    role: Role | None
    table: str | None
    book: str | None = None
    digest: str | None = None
    number: int = 0


class Awaited(msgspec.Struct, frozen=True, tag="awaited"):
    """What the table awaits after this row, until when, and what you may do, choices with prices.

    Without a time the platform waits; who is not at the table has no moves.
    """

    table: str
    number: int
    due: tuple[Due, ...]
    until_ms: Milliseconds | None = None
    moves: tuple[Move, ...] = ()
    prices: tuple[Price, ...] = ()


class Priced(msgspec.Struct, frozen=True, tag="priced"):
    """The price that was asked for, as the round stands after this row."""

    id: str
    number: int
    price: Price


class Pong(msgspec.Struct, frozen=True, tag="pong"):
    """The sign of life."""

    id: str
    at_ms: Milliseconds


class Reality(msgspec.Struct, frozen=True, tag="reality"):
    """The reality check: how long this session lasts and what it won or lost."""

    minutes: int
    net: int


class Wagering(msgspec.Struct, frozen=True, tag="wagering"):
    """Whether new wagers are taken from the player at the table: what is disabled, and why."""

    disabled: Scope | None
    sentence: str


TAKEN = Wagering(None, "New wagers are taken again.")


class TableCard(msgspec.Struct, frozen=True):
    """A table as the lobby shows it."""

    name: str
    book: str
    title: str
    digest: str
    decks: int
    staffed: bool
    seats: int
    seated: int
    guests: int
    bots: int
    watching: int
    rounds: int
    awaits: str
    minimum: Amount
    maximum: Amount | None
    meters: dict[str, Amount]
    free_places: int
    closed: str | None = None
    reason: str | None = None
    warning: str | None = None
    last: tuple[LastRound, ...] = ()


class Lobby(msgspec.Struct, frozen=True, tag="lobby"):
    """The shared tables, with live counts and meters."""

    at_ms: Milliseconds
    connected: int
    tables: tuple[TableCard, ...]


Outgoing = (
    Welcome
    | Snapshot
    | Happened
    | Awaited
    | Accepted
    | Refusal
    | Priced
    | Pong
    | Reality
    | Wagering
    | Lobby
)

FILLED = {"player", "by", "at_ms"}
"""The fields of commands that the server fills in: who is signed in, and its own clock."""

NAMED = {"timeout"}
"""Commands about somebody else, whose `player` the sender names."""


def _filled(kind: type[Any]) -> set[str]:
    """The fields of a command that do not travel."""
    config = kind.__struct_config__
    names = set() if config.tag in NAMED else FILLED & set(kind.__struct_fields__)
    return names | ({"seed"} if kind is c.ShuffleCards else set())


def _form(kind: type[Any]) -> type[msgspec.Struct]:
    """The message that asks for a command: the command with an id, without what is filled in."""
    known = msgspec.structs.fields(kind)
    fields: list[Any] = [("id", Id)]
    for field in known:
        if field.name in _filled(kind):
            continue
        if field.default is msgspec.NODEFAULT:
            fields.append((field.name, field.type))
        else:
            fields.append((field.name, field.type, field.default))
    return msgspec.defstruct(
        kind.__name__,
        fields,
        frozen=True,
        forbid_unknown_fields=True,
        tag=kind.__struct_config__.tag,
        module=__name__,
        namespace={"__doc__": kind.__doc__},
    )


FORMS: dict[type[Any], type[Any]] = {_form(kind): kind for kind in get_args(Command)}
"""The command that each message asks for."""

CLIENT: tuple[type[Any], ...] = (Hello, Ping, AskPrice, Acknowledge)
INCOMING: Any = reduce(or_, (*CLIENT, *FORMS))
if TYPE_CHECKING:
    CommandForm = Any
else:
    CommandForm = reduce(or_, FORMS)

_DECODE = msgspec.json.Decoder(INCOMING).decode
_DECODE_ID = msgspec.json.Decoder(dict[str, Any]).decode
_ENCODE = msgspec.json.Encoder().encode


class MalformedMessage(Exception):
    """Bytes that are no message; `id` is the sender's, where one can be read."""

    def __init__(self, sentence: str, id_: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.id = id_


def decode(data: bytes | str) -> Any:
    """The client's message, one of `INCOMING`, or `Malformed`."""
    data = data if isinstance(data, bytes) else data.encode()
    if len(data) > MESSAGE_BYTES_MAX:
        raise MalformedMessage(f"A message has at most {MESSAGE_BYTES_MAX} bytes.")
    if ZERO in data:
        raise MalformedMessage(NO_ZERO)
    try:
        return _DECODE(data)
    except msgspec.ValidationError as error:
        told = validation_error(INCOMING, data, error, "A message", DOCUMENT)
        raise MalformedMessage(told, id_of(data)) from None
    except UNREADABLE as error:
        raise MalformedMessage(no_json(error, "A message"), id_of(data)) from None


def id_of(data: bytes | str) -> str:
    """The sender's id in a message that is not read further, if there is one."""
    try:
        found = _DECODE_ID(data).get("id")
    except UNREADABLE:
        return ""
    return found[:ID_LENGTH_MAX] if isinstance(found, str) else ""


def to_command(message: Any, name: str, now_ms: int, seed: str) -> Command:
    """The table command that a message asks for, by this account at this time."""
    kind = FORMS[type(message)]
    given = {key: value for key, value in msgspec.structs.asdict(message).items() if key != "id"}
    own = {"player": name, "by": name, "at_ms": now_ms, "seed": seed}
    filled = {key: own[key] for key in _filled(kind)}
    command: Command = kind(**given, **filled)
    return command


def encode(message: Outgoing) -> bytes:
    """The message as it is sent."""
    return _ENCODE(message)
