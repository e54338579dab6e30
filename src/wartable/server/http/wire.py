"""The messages of a WebSocket connection: what answers each, or which command it carries."""

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args

import msgspec

from wartable import game, table
from wartable.game.messages import Box, Message
from wartable.game.prices import Price
from wartable.money import Amount
from wartable.server.denied import Denied
from wartable.server.house.roles import COMMANDS, Role
from wartable.server.house.sessions import Reality
from wartable.server.records.answers import FILLED as FILLED_OF
from wartable.server.records.answers import Accepted, RefusedCommand
from wartable.server.running import House
from wartable.server.tables.listeners import Happened, Snapshot
from wartable.server.tables.lobby import Lobby
from wartable.server.tables.place import RunningTable, Standing
from wartable.table import commands as c
from wartable.table.commands import Command, Milliseconds
from wartable.validation import UNREADABLE, no_json, validation_error

MESSAGE_BYTES_MAX = 8_192
ID_LENGTH_MAX = 64
ZERO = rb"\u0000"
"""JSON's notation for the one character that not every database can store in a text."""
DOCUMENT = "docs/protocol.md"
NO_ZERO = "A message must not contain zero characters."

Id = Annotated[str, msgspec.Meta(min_length=1, max_length=ID_LENGTH_MAX)]
Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
TableName = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]


class Hello(Message, frozen=True):
    """Follow a table from the row after that one, or from now; without a table, the lobby."""

    table: TableName | None = None
    after: Number | None = None


class Welcome(msgspec.Struct, frozen=True, tag="welcome"):
    """The connection now follows this table, or the lobby, as this account."""

    at_ms: Milliseconds
    name: str | None
    role: Role | None
    table: str | None
    book: str | None = None
    digest: str | None = None
    number: int = 0


class Priced(msgspec.Struct, frozen=True, tag="priced"):
    """The requested price, as the round stands after this row."""

    id: str
    number: int
    price: Price


class Pong(msgspec.Struct, frozen=True, tag="pong"):
    """The answer to a ping."""

    id: str
    at_ms: Milliseconds


class Asker(NamedTuple):
    """The source of an inquiry: the house, the account's name, the table that it follows."""

    house: House
    name: str
    place: RunningTable | None

    @property
    def table(self) -> RunningTable:
        """The table that the connection follows, or a refusal."""
        if self.place is None:
            raise Denied("no_table", "Say hello to a table first.")
        return self.place


class Inquiry(Message, frozen=True):
    """A message that is answered at once and changes no table; each class defines its answer."""

    id: Id

    def answer(self, asker: Asker) -> "Outgoing":
        """The reply, with the same id; by default a `Pong`, which only confirms the message."""
        return Pong(self.id, asker.house.clock.now_ms())


class Ping(Inquiry, frozen=True):
    """Ask whether the server is alive."""


class AskPrice(Inquiry, frozen=True):
    """Ask what a war on this box, with a tie wager of this amount, would stake and return."""

    box: Box
    war_tie: Amount = 0

    def answer(self, asker: Asker) -> "Outgoing":
        """The price as the round stands."""
        live = asker.table.live
        war = game.Choose(asker.name, self.box, "war", self.war_tie)
        return Priced(self.id, live.head[0], table.price(live.setup, live.state, war))


class Ready(Inquiry, frozen=True):
    """Say that you will bet no more in this round; betting closes when all who play are ready."""

    round: Number

    def answer(self, asker: Asker) -> "Outgoing":
        """Record it, and confirm."""
        asker.table.ready(asker.name, self.round)
        return super().answer(asker)


class Acknowledge(Inquiry, frozen=True):
    """Acknowledge the reality check."""

    def answer(self, asker: Asker) -> "Outgoing":
        """Record it, and confirm."""
        asker.house.protection.unread.discard(asker.name)
        return super().answer(asker)


Outgoing = (
    Welcome
    | Snapshot
    | Happened
    | Standing
    | Accepted
    | RefusedCommand
    | Priced
    | Pong
    | Reality
    | Lobby
)

FILLED = {"player", "by", "at_ms"}
"""The fields of commands that the server fills in: who is signed in, and its own clock."""

NAMED = {"timeout"}
"""Commands about another player, named in `player`."""


IN_ROUND = {game.Bet, game.Withdraw, game.Decline, game.CloseBets, game.Choose}
"""Commands that belong to one round; the sender may say which, and any other refuses them."""


def _filled(kind: type[Any]) -> set[str]:
    """The fields of a command that the client does not send."""
    config = kind.__struct_config__
    others = {"player"} if config.tag in NAMED else set()
    names = FILLED & set(kind.__struct_fields__) - others
    return names | FILLED_OF.get(kind, set())


def _form(kind: type[Any]) -> type[msgspec.Struct]:
    """The message for a command: the command with an id, without the fields filled in here."""
    known = msgspec.structs.fields(kind)
    fields: list[Any] = [("id", Id)]
    for field in known:
        if field.name in _filled(kind):
            continue
        if field.default is msgspec.NODEFAULT:
            fields.append((field.name, field.type))
        else:
            fields.append((field.name, field.type, field.default))
    if kind in IN_ROUND:
        fields.append(("round", Number | None, None))
    return msgspec.defstruct(
        kind.__name__,
        fields,
        frozen=True,
        forbid_unknown_fields=True,
        tag=kind.__struct_config__.tag,
        module=__name__,
        namespace={"__doc__": kind.__doc__},
    )


_GIVEN = [kind for kind in get_args(Command) if COMMANDS[kind]]
_FILLED_OF: dict[type[Any], set[str]] = {kind: _filled(kind) for kind in _GIVEN}
FORMS: dict[type[Any], type[Any]] = {_form(kind): kind for kind in _GIVEN}
"""The command that each message carries."""

CLIENT: tuple[type[Any], ...] = (Hello, Ping, AskPrice, Ready, Acknowledge)
INCOMING: Any = reduce(or_, (*CLIENT, *FORMS))
if TYPE_CHECKING:
    CommandForm = Any
else:
    CommandForm = reduce(or_, FORMS)

_DECODE = msgspec.json.Decoder(INCOMING).decode
_DECODE_ID = msgspec.json.Decoder(dict[str, Any]).decode


def decode(data: bytes | str) -> Any:
    """The client's message, one of `INCOMING`, or a refusal."""
    data = data if isinstance(data, bytes) else data.encode()
    if len(data) > MESSAGE_BYTES_MAX:
        raise Denied("malformed", f"A message may have at most {MESSAGE_BYTES_MAX} bytes.")
    if ZERO in data:
        raise Denied("malformed", NO_ZERO)
    try:
        return _DECODE(data)
    except msgspec.ValidationError as error:
        sentence = validation_error(INCOMING, data, error, "A message", DOCUMENT)
        raise Denied("malformed", sentence) from None
    except UNREADABLE as error:
        raise Denied("malformed", no_json(error, "A message")) from None


def id_of(data: bytes | str) -> str:
    """The sender's id, if there is one, in a message that is otherwise ignored."""
    if len(data) > MESSAGE_BYTES_MAX:
        return ""
    try:
        found = _DECODE_ID(data).get("id")
    except UNREADABLE:
        return ""
    return found[:ID_LENGTH_MAX] if isinstance(found, str) else ""


def to_command(message: Any, name: str, now_ms: int, new_seed: Callable[[], str]) -> Command:
    """The table command that a message carries, by this account at this time."""
    kind = FORMS[type(message)]
    given = msgspec.structs.asdict(message)
    del given["id"]
    given.pop("round", None)
    own: dict[str, Any] = {"player": name, "by": name, "at_ms": now_ms}
    if kind is c.ShuffleCards:  # only when needed: the system's randomness is slow
        own["seed"] = new_seed()
    filled = _FILLED_OF[kind] & own.keys()  # the inventory has the rest
    command: Command = kind(**given, **{key: own[key] for key in filled})
    return command
