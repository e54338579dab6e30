"""Rows of the journal: how commands are stored, chained and read."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from wartable.server.records.decisions import Decision
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import JournalCommand, JournalEvent, Note
from wartable.server.records.rows import Claim, Entry, Row, Statement
from wartable.table.commands import DecideCards, ShuffleCards, StartChain
from wartable.table.events import CardsDecided, ChainStarted, ShoeStarted

GENESIS = "0" * 64

NO_FENCE = 0
"""The fence of a chain that no process owns: cashier and office."""

Head = tuple[int, str]
"""The number and the hash of a chain's last row."""

START: Head = (0, GENESIS)

SECRETS: dict[type[Any], tuple[str, ...]] = {
    ShuffleCards: ("seed",),
    ShoeStarted: ("seed",),
    StartChain: ("root",),
    ChainStarted: ("root",),
    DecideCards: ("link", "key"),
    CardsDecided: ("link", "key"),
}
"""The fields of commands and events that are stored only sealed."""
HEX_DIGITS = 64

_COMMAND = msgspec.json.Decoder(JournalCommand)
_NOTE = msgspec.json.Decoder(Note)
EVENTS = msgspec.json.Decoder(tuple[JournalEvent, ...])
_ENCODE = msgspec.json.Encoder().encode


class Broken(Exception):
    """An inconsistent journal; the sentence names the first bad row."""

    def __init__(self, row: Row | None, reason: str) -> None:
        where = "" if row is None else f"{row.table_name} row {row.number}: "
        super().__init__(where + reason)
        self.row = row
        self.reason = reason


class Newer(Broken):
    """A row that this house wrote, with a newer version of the program than this one."""

    def __init__(self, row: Row) -> None:
        super().__init__(row, "a newer version of the program wrote it; use that version here")


def row_hash(previous: str, row: Row) -> str:
    """The hash that chains a row to the one before it."""
    return _hash(previous, msgspec.structs.astuple(row)[:-2])


def _hash(previous: str, fields: tuple[Any, ...]) -> str:
    return hashlib.sha256(_ENCODE((previous, *fields))).hexdigest()


def new_row(
    previous: tuple[int, str],
    table_name: str,
    at_ms: int,
    actor: str,
    command_id: str,
    command: JournalCommand,
    events: tuple[JournalEvent, ...],
    key: HouseKey,
) -> Row:
    """The next row of a table's chain; a secret is sealed, never stored in the clear."""
    number = previous[0] + 1
    secret = None
    if type(command) in SECRETS:
        known = _secrets((command, *events))
        secret = key.seal(bytes.fromhex(known), place(table_name, number)) if known else None
        command = _without_secrets(command)
        events = tuple(_without_secrets(event) for event in events)
    fields = (
        table_name,
        number,
        at_ms,
        actor,
        command_id,
        _ENCODE(command).decode(),
        _ENCODE(events).decode(),
        secret,
    )
    hash_ = _hash(previous[1], fields)
    return Row(*fields, hash_, key.mac(hash_))


class Chain:
    """The chain of rows under one name, with the key for their seeds and their owner's fence."""

    def __init__(self, name: str, key: HouseKey, fence: int = NO_FENCE) -> None:
        self.name, self.key, self.fence = name, key, fence

    def entry(
        self,
        after: Head,
        at_ms: int,
        actor: str,
        id_: str,
        decision: Decision,
        *,
        statements: tuple[Statement, ...] = (),
        results: tuple[tuple[Any, ...], ...] = (),
        claim: Claim | None = None,
        exposed: tuple[tuple[str, int], ...] = (),
        sets: tuple[str, ...] | None = None,
    ) -> Entry:
        """The row after that one, with the statements that commit with it."""
        command, events = decision.command, decision.events
        row = new_row(after, self.name, at_ms, actor, id_, command, events, self.key)
        moved, fence = decision.transfers, self.fence
        return Entry(row, moved, fence, statements, results, None, claim, exposed, sets)


def place(table_name: str, number: int) -> str:
    """The place that a sealed seed is bound to."""
    return f"{table_name} {number}"


def _secrets(messages: tuple[Any, ...]) -> str:
    """The secrets of a command and its events in order; messages with the same secret share it."""
    found: dict[str, str] = {}
    for each in messages:
        found |= {name: getattr(each, name) for name in SECRETS.get(type(each), ())}
    return "".join(found.values())


def _without_secrets(message: Any) -> Any:
    names = SECRETS.get(type(message), ())
    return replace(message, **dict.fromkeys(names, "")) if names else message


def _with_secrets(message: Any, known: str) -> Any:
    """The command or event with its secrets in the order in which they were stored."""
    parts = [known[at : at + HEX_DIGITS] for at in range(0, len(known), HEX_DIGITS)]
    named = zip(SECRETS.get(type(message), ()), parts, strict=False)
    return replace(message, **dict(named)) if parts else message


def read_row(row: Row, key: HouseKey) -> tuple[JournalCommand, tuple[JournalEvent, ...]]:
    """The command, with its secret unsealed, and the events of a row that this house wrote.

    A row of an older version has no authentication code; `keyed` says which may have none.
    """
    if row.mac is not None and not key.wrote(row.hash, row.mac):
        raise Broken(row, "this house did not write it: its authentication code does not fit")
    try:
        command, events = _COMMAND.decode(row.command), EVENTS.decode(row.events)
    except msgspec.ValidationError:
        raise _unknown(row) from None
    if row.secret is None:
        return command, events
    known = key.unseal(row.secret, place(row.table_name, row.number)).hex()
    return _with_secrets(command, known), tuple(_with_secrets(event, known) for event in events)


def read_note(row: Row) -> Note:
    """The significant event that a row of the office records."""
    try:
        return _NOTE.decode(row.command)
    except msgspec.ValidationError:
        raise _unknown(row) from None


def _unknown(row: Row) -> Broken:
    """What is wrong with a row that this program does not know; only the house can be newer."""
    return Newer(row) if row.mac is not None else Broken(row, "it cannot be read")


def read_command(text: str) -> JournalCommand:
    """The command of a stored row, without its seed."""
    command: JournalCommand = _COMMAND.decode(text)
    return command


def check_chain(
    rows: Iterable[Row], head: tuple[int, str] | None, after: tuple[int, str] = (0, GENESIS)
) -> Iterator[Row]:
    """The rows of one table, each checked to follow the one before; `Broken` at a bad one."""
    number, previous = after
    for row in rows:
        if row.number != number + 1:
            raise Broken(row, f"row {number + 1} is missing")
        if row_hash(previous, row) != row.hash:
            raise Broken(row, "it was changed: its hash does not fit")
        number, previous = row.number, row.hash
        yield row
    if head is not None:
        check_end((number, previous), head)


def check_end(end: tuple[int, str], head: tuple[int, str]) -> None:
    """Refuse a chain that does not end with the last written row."""
    if end != head:
        raise Broken(None, f"the chain ends at row {end[0]}, but {head[0]} rows were written")
