"""Who is told what happens at a table, and what they are told."""

import asyncio

import msgspec

from wartable.game.moves import Move
from wartable.game.prices import Price
from wartable.server.house.closures import Scope
from wartable.table import Due, Table
from wartable.table.commands import Milliseconds
from wartable.table.events import Event

OUTBOX_MAX = 256


class Happened(msgspec.Struct, frozen=True, gc=False, tag="happened"):
    """One row of the journal as it may be told."""

    table: str
    number: int
    at_ms: int
    events: tuple[Event, ...]


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot"):
    """The whole table as it may be shown, after this row."""

    table: str
    number: int
    state: Table


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


class Wagering(msgspec.Struct, frozen=True, tag="wagering"):
    """Whether new wagers are taken from the player at the table: what is disabled, and why."""

    disabled: Scope | None
    sentence: str


TAKEN = Wagering(None, "New wagers are taken again.")

Told = Happened | Snapshot

encode = msgspec.json.Encoder().encode
"""A message as it is sent."""


class Listener:
    """Somebody who is told what happens, through an outbox of bounded size.

    None is no row: it only wakes the listener, to look whether wagers are taken.
    """

    def __init__(self) -> None:
        self.outbox: asyncio.Queue[Told | None] = asyncio.Queue(OUTBOX_MAX)
        self.behind = False

    def tell(self, told: Told | None) -> None:
        """Put it into the outbox; one that is full means that the listener fell behind."""
        if self.behind:
            return
        try:
            self.outbox.put_nowait(told)
        except asyncio.QueueFull:
            self.behind = True
