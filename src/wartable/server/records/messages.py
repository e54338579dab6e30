"""What enters the journal beside the play: a table's opening, the cashier's and office's work."""

from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec.structs import astuple, replace

from wartable import ledger, table
from wartable.game.messages import Amount, Message, MeterName, Player
from wartable.ledger import HOUSE, Transfer
from wartable.table import Setup, Table
from wartable.table.commands import Command as TableCommand
from wartable.table.events import Event as TableEvent
from wartable.table.rounds import show_meters
from wartable.table.state import MeterState

CASHIER = "cashier"
"""The name under which wallets' rows are written; no table may have it."""

OFFICE = "office"
"""The name under which significant events are written; no table may have it either."""

OUTSIDE = "outside"
"""Where deposited money comes from and withdrawn money goes."""


class OpenTable(Message, frozen=True):
    """Open a table with this rule book; older versions did not tell the last two."""

    book: str
    decks: int
    staffed: bool = False
    meters: str = ""
    approval: str | None = None
    batches: tuple[str, str] | None = None


class OpenMeters(Message, frozen=True):
    """Open the meters that the tables of a rule book share, at their initial amounts."""

    book: str
    meters: dict[MeterName, MeterState]


class MoveMeters(Message, frozen=True):
    """Write down what that row of that table made of the meters."""

    table: str
    number: Amount
    meters: dict[MeterName, MeterState]


class ShowMeters(Message, frozen=True):
    """Have a table show the shared meters as they are after that row of theirs."""

    number: Amount
    meters: dict[MeterName, MeterState]


class PayIn(Message, frozen=True):
    """Put money into a player's wallet."""

    player: Player
    amount: Amount


class PayOut(Message, frozen=True):
    """Take money out of a player's wallet."""

    player: Player
    amount: Amount


Kind = Literal[
    "account_opened", "signed_in", "sign_in_failed", "locked_out", "signed_out",
    "password_changed", "role_changed", "key_made", "key_revoked", "limit_set", "excluded",
    "disabled", "enabled", "table_opened", "house_opened", "house_closed", "restored",
    "code_approved", "selfcheck_failed", "table_failed", "clock_changed",
]  # fmt: skip  # a list of words


class Note(Message, frozen=True):
    """Write down a significant event: what was done to whom, why, the value before and after."""

    kind: Kind
    subject: str
    reason: str = ""
    before: str = ""
    after: str = ""


class TableOpened(Message, frozen=True):
    """A table is open; the house has put the initial amounts on its meters."""

    book: str
    decks: int
    staffed: bool = False
    meters: str = ""
    approval: str | None = None
    batches: tuple[str, str] | None = None


class MetersOpened(Message, frozen=True):
    """Shared meters are open; the house has put the initial amounts on them."""

    book: str
    meters: dict[MeterName, MeterState]


class MetersMoved(Message, frozen=True):
    """The shared meters are so after that row of that table."""

    table: str
    number: Amount
    meters: dict[MeterName, MeterState]


class PaidIn(Message, frozen=True):
    """Money came into a wallet."""

    player: Player
    amount: Amount


class PaidOut(Message, frozen=True):
    """Money left a wallet."""

    player: Player
    amount: Amount


class Noted(Message, frozen=True):
    """A significant event; who and when stand in its row."""

    kind: Kind
    subject: str
    reason: str = ""
    before: str = ""
    after: str = ""


Command = (
    TableCommand | OpenTable | OpenMeters | MoveMeters | ShowMeters | PayIn | PayOut | Note
)  # fmt: skip  # a list of names
Event = TableEvent | TableOpened | MetersOpened | MetersMoved | PaidIn | PaidOut | Noted


ASIDE = frozenset({OpenTable, OpenMeters, MoveMeters, ShowMeters, PayIn, PayOut, Note})
"""The commands beside the play."""


def opening(book: str, setup: Setup) -> OpenTable:
    """The command that opens a table with this setup, by a book of that digest."""
    values = (setup.decks, setup.staffed, setup.meters, setup.approval, setup.batches)
    return OpenTable(book, *values)


def as_told(opened: OpenTable, command: OpenTable) -> OpenTable:
    """An opening without what a command of an older version does not tell of it."""
    return replace(opened, approval=None, batches=None) if command.approval is None else opened


def decide(setup: Setup | None, state: Table | None, command: Command) -> tuple[Event, ...]:
    """The events of any command that the journal knows."""
    if type(command) not in ASIDE:
        assert setup is not None
        assert state is not None
        return table.decide(setup, state, command)  # type: ignore[arg-type]  # a table's command
    match command:
        case OpenTable():
            return (TableOpened(*astuple(command)),)
        case OpenMeters():
            return (MetersOpened(command.book, command.meters),)
        case MoveMeters():
            return (MetersMoved(command.table, command.number, command.meters),)
        case PayIn():
            return (PaidIn(command.player, command.amount),)
        case PayOut():
            return (PaidOut(command.player, command.amount),)
        case Note():
            return (Noted(*astuple(command)),)
        case ShowMeters():
            assert setup is not None
            assert state is not None
            return (show_meters(setup, state, command.number, command.meters),)
    raise AssertionError(command)


HOUSES = frozenset({TableOpened, MetersOpened, MetersMoved, PaidIn, PaidOut, Noted})
"""The events of the house, which no table folds."""


def at_table(events: tuple[Event, ...]) -> tuple[TableEvent, ...]:
    """Those of the events that the table itself folds."""
    if HOUSES.isdisjoint(map(type, events)):
        return events  # type: ignore[return-value]  # all are a table's
    return tuple(event for event in events if type(event) not in HOUSES)  # type: ignore[misc]  # the others are a table's


def moved_by(
    name: str, state: Table | None, events: Iterable[Event], meters: str = ""
) -> tuple[Table | None, tuple[Transfer, ...]]:
    """The table after the events, and the transfers they made between the house's accounts.

    `meters` is the name of the meters that the table shares.
    """
    moved: list[Transfer] = []
    for event in events:
        if type(event) not in HOUSES:
            assert state is not None
            moved += ledger.transfers(state, event)  # type: ignore[arg-type]  # a table's event
            state = table.apply(state, event)  # type: ignore[arg-type]  # a table's event
            continue
        match event:
            case TableOpened():
                assert state is not None
                moved += () if meters else ledger.opening(state)
            case MetersOpened():
                each = event.meters.items()
                moved += (Transfer(HOUSE, ledger.meter(which), one.shown) for which, one in each)
            case PaidIn():
                moved.append(Transfer(OUTSIDE, ledger.wallet(event.player), event.amount))
            case PaidOut():
                moved.append(Transfer(ledger.wallet(event.player), OUTSIDE, event.amount))
    return state, tuple(_named(name, meters or name, moved))


def _named(name: str, meters: str, moved: Iterable[Transfer]) -> Iterator[Transfer]:
    for each in moved:
        if each.amount:
            source, target = (_account(name, meters, side) for side in (each.source, each.target))
            yield Transfer(source, target, each.amount)


def _account(name: str, meters: str, account: str) -> str:
    """Wallets and the house are everybody's; felt, bank, stacks and own meters are the table's."""
    if account.startswith("wallet:") or account in (HOUSE, OUTSIDE):
        return account
    return f"{meters if account.startswith('meter:') else name}/{account}"
