"""The answer to a command: accepted or refused, and always the same for the same id."""

import asyncio
from typing import Any

import msgspec

from wartable.server.records import journal
from wartable.server.records.messages import JournalCommand
from wartable.table.commands import Command, DecideCards, ReceiveDecks, ShuffleCards, StartChain

ID_USED = ("id_used", "This id was used for another command.")
NO_ANSWER = ("no_answer", "There is no answer yet; send the same id again.")


FILLED: dict[type[Any], set[str]] = {
    ShuffleCards: {"seed", "play_on"},
    StartChain: {"root"},
    DecideCards: {"link", "key"},
    ReceiveDecks: {"condition", "sets", "opened_ms"},
}
"""The fields that the server fills in, besides the time, by the command."""


class Accepted(msgspec.Struct, frozen=True, gc=False, tag="accepted"):
    """The command was carried out as this row of the table's journal."""

    id: str
    number: int


class RefusedCommand(msgspec.Struct, frozen=True, gc=False, tag="refused"):
    """The command was not carried out: why, and when it was refused."""

    id: str
    code: str
    sentence: str
    at_ms: int = 0


Answer = Accepted | RefusedCommand


class PendingCommand(msgspec.Struct):
    """A command that waits for its turn at the table."""

    actor: str
    id: str
    command: Command
    answer: asyncio.Future[Answer]
    deals: bool = False
    """Whether the actor is a dealer, whose first command is a change of dealer."""
    meant: int | None = None
    """The round that it was meant for, if its sender named one."""


def repeated(id_: str, command: JournalCommand, number: int, stored: str) -> Answer:
    """The answer to an id that the journal already has, in this row with this command."""
    fits = same(journal.read_command(stored), command)
    return Accepted(id_, number) if fits else RefusedCommand(id_, *ID_USED)


def same(one: JournalCommand, other: JournalCommand) -> bool:
    """Whether two commands are the same, apart from what the server fills in."""
    if type(one) is not type(other):
        return False
    asked = set(one.__struct_fields__) - {"at_ms"} - FILLED.get(type(one), set())
    return all(getattr(one, name) == getattr(other, name) for name in asked)
