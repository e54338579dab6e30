"""Messages in the journal besides play: openings, and the cashier's and office's work."""

import re
from typing import Literal, cast

from msgspec.structs import replace

from wartable.game.messages import Message, MeterName, Player
from wartable.money import Amount
from wartable.rules.model import Limits
from wartable.server.records.facts import Facts
from wartable.table import Setup
from wartable.table.commands import Command as TableCommand
from wartable.table.events import Event as TableEvent
from wartable.table.older import OlderCommand
from wartable.table.state import MeterState


class HouseCommand(Message, frozen=True):
    """A command of the cashier, the office or shared meters, which no table decides."""


class HouseEvent(Message, frozen=True):
    """An event that no table folds."""


class OpenTable(Message, frozen=True):
    """Open a table with this rule book; rows of older versions lack the last six fields."""

    book: str
    decks: int
    staffed: bool = False
    meters: str = ""
    approval: str | None = None
    batches: tuple[str, str] | None = None
    limits: Limits | None = None
    layout: str | None = None
    order: str = ""
    iterations: int = 0


class OpenMeters(HouseCommand, frozen=True):
    """Open the meters that the tables of a rule book share, at their initial amounts."""

    book: str
    meters: dict[MeterName, MeterState]


class MoveMeters(HouseCommand, frozen=True):
    """Record the meters after that row of that table."""

    table: str
    number: Amount
    meters: dict[MeterName, MeterState]


class ShowMeters(Message, frozen=True):
    """Have a table show the shared meters as of that row of the meters' own chain."""

    number: Amount
    meters: dict[MeterName, MeterState]


class PayIn(HouseCommand, frozen=True):
    """Put money into a player's wallet."""

    player: Player
    amount: Amount


class PayOut(HouseCommand, frozen=True):
    """Take money out of a player's wallet."""

    player: Player
    amount: Amount


class Correct(HouseCommand, frozen=True):
    """Pay a player, out of the house's money, what a dispute found missing."""

    player: Player
    amount: Amount
    dispute: Amount
    """The dispute's number: that of its row in the office's chain."""


NoteKind = Literal[
    "account_opened", "signed_in", "sign_in_failed", "locked_out", "signed_out",
    "password_changed", "role_changed", "key_made", "key_revoked", "limit_set", "excluded",
    "disabled", "enabled", "table_opened", "house_opened", "house_closed", "restored",
    "code_approved", "selfcheck_failed", "table_failed", "clock_changed", "clock_confirmed",
    "rows_keyed", "key_changed", "rollback_accepted", "tampering_found",
    "cards_received", "cards_inspected", "cards_verified", "cards_shuffled", "cards_secured",
    "cards_issued", "cards_destroyed", "submission_recorded", "round_disputed",
    "dispute_answered", "return_doubted", "award_approved", "registered", "name_changed",
    "codes_made", "recovered",
]  # fmt: skip  # a list of words


class Note(HouseCommand, frozen=True):
    """Record a significant event: what was done to whom, why, the value before and after."""

    kind: NoteKind
    subject: str
    reason: str = ""
    before: str = ""
    after: str = ""
    facts: Facts | None = None
    """The change as values; older rows, and events that change no right, have none."""


def without_fingerprint(after: str) -> str:
    """The new value in a note, without the fingerprint at the end of older ones.

    People would mistake it for the password or key itself.
    """
    return re.sub("(, )?(password|key) [0-9a-f]{32}$", "", after)


class TableOpened(HouseEvent, frozen=True):
    """A table is open; the house has put the initial amounts on its meters."""

    significant = True

    book: str
    decks: int
    staffed: bool = False
    meters: str = ""
    approval: str | None = None
    batches: tuple[str, str] | None = None
    limits: Limits | None = None
    layout: str | None = None
    order: str = ""
    iterations: int = 0


class MetersOpened(HouseEvent, frozen=True):
    """Shared meters are open; the house has put the initial amounts on them."""

    book: str
    meters: dict[MeterName, MeterState]


class MetersMoved(HouseEvent, frozen=True):
    """The shared meters have these values after that row of that table."""

    table: str
    number: Amount
    meters: dict[MeterName, MeterState]


class PaidIn(HouseEvent, frozen=True):
    """Money came into a wallet."""

    player: Player
    amount: Amount


class PaidOut(HouseEvent, frozen=True):
    """Money left a wallet."""

    player: Player
    amount: Amount


class Corrected(HouseEvent, frozen=True):
    """The house paid a player what a dispute found missing."""

    player: Player
    amount: Amount
    dispute: Amount


class Noted(HouseEvent, frozen=True):
    """A significant event; its row has the actor and the time."""

    kind: NoteKind
    subject: str
    reason: str = ""
    before: str = ""
    after: str = ""
    facts: Facts | None = None


JournalCommand = (
    TableCommand | OlderCommand | OpenTable | OpenMeters | MoveMeters | ShowMeters | PayIn | PayOut
    | Correct | Note
)  # fmt: skip  # a list of names
OfHouse = OpenMeters | MoveMeters | PayIn | PayOut | Correct | Note
JournalEvent = (
    TableEvent | TableOpened | MetersOpened | MetersMoved | PaidIn | PaidOut | Corrected | Noted
)  # fmt: skip  # a list of names


def opening(book: str, setup: Setup) -> OpenTable:
    """The command that opens a table with this setup, by a book of that digest."""
    values = (setup.decks, setup.staffed, setup.meters, setup.approval, setup.batches)
    cards = (setup.layout, setup.order, setup.iterations)
    return OpenTable(book, *values, setup.rules.limits, *cards)


def as_recorded(opened: OpenTable, command: OpenTable) -> OpenTable:
    """An opening without the fields that a command of an older version lacks."""
    if command.limits is None:
        opened = replace(opened, limits=None)
    if command.layout is None:
        opened = replace(opened, layout=None)
    return replace(opened, approval=None, batches=None) if command.approval is None else opened


_OF_HOUSE = frozenset(HouseEvent.__subclasses__())


def at_table(events: tuple[JournalEvent, ...]) -> tuple[TableEvent, ...]:
    """The events that the table itself folds."""
    if _OF_HOUSE.isdisjoint(map(type, events)):  # as in every row but a table's first
        return cast("tuple[TableEvent, ...]", events)
    return tuple(event for event in events if not isinstance(event, HouseEvent))
