"""The listeners of a table and the messages they get."""

import asyncio

import msgspec

from wartable.game.prices import Price
from wartable.server.house.closures import Scope
from wartable.table import Due, Table, TableMove
from wartable.table.commands import Milliseconds
from wartable.table.events import Event

OUTBOX_MAX = 256


class Happened(msgspec.Struct, frozen=True, gc=False, tag="happened"):
    """The public part of one row of the journal."""

    table: str
    number: int
    at_ms: int
    events: tuple[Event, ...]


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot"):
    """The public view of the whole table after this row."""

    table: str
    number: int
    state: Table


class Awaited(msgspec.Struct, frozen=True, tag="awaited"):
    """What the table awaits after this row, the deadline, and your moves, with prices of choices.

    Without a deadline the platform waits. Somebody who is not at the table has no moves. `ready`
    has the players who will bet no more in this round.
    """

    table: str
    number: int
    due: tuple[Due, ...]
    until_ms: Milliseconds | None = None
    moves: tuple[TableMove, ...] = ()
    prices: tuple[Price, ...] = ()
    ready: tuple[str, ...] = ()


class Wagering(msgspec.Struct, frozen=True, tag="wagering"):
    """Whether the table takes new wagers from the player; if not, what is disabled and why."""

    disabled: Scope | None
    sentence: str


TAKEN = Wagering(None, "New wagers are taken again.")

TableMessage = Happened | Snapshot

encode = msgspec.json.Encoder().encode
"""The message in JSON."""


class Listener:
    """Somebody who follows what happens, through an outbox of bounded size.

    None is not a row: it only wakes the listener to check whether wagers are taken.
    """

    def __init__(self) -> None:
        self.outbox: list[TableMessage | None] = []
        self.behind = False
        self._woken: asyncio.Future[None] | None = None

    def tell(self, message: TableMessage | None) -> None:
        """Put a message into the outbox; a full one means that the listener fell behind."""
        if len(self.outbox) >= OUTBOX_MAX:
            self.behind = True
        if self.behind:
            return
        self.outbox.append(message)
        if self._woken is not None and not self._woken.done():
            self._woken.set_result(None)

    def take(self) -> list[TableMessage | None]:
        """Everything in the outbox, in order."""
        told, self.outbox = self.outbox, []
        return told

    async def told(self) -> list[TableMessage | None]:
        """Everything in the outbox, once there is anything; one task at a time may wait."""
        if not self.outbox:
            self._woken = asyncio.get_running_loop().create_future()
            await self._woken
        return self.take()
