"""The decision on a command in the journal: its events and their transfers."""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import astuple

from wartable import ledger
from wartable.ledger import HOUSE
from wartable.money import Transfer
from wartable.server.records.messages import (
    Correct,
    Corrected,
    HouseCommand,
    JournalCommand,
    JournalEvent,
    MetersMoved,
    MetersOpened,
    MoveMeters,
    Note,
    Noted,
    OfHouse,
    OpenMeters,
    OpenTable,
    PaidIn,
    PaidOut,
    PayIn,
    PayOut,
    ShowMeters,
    TableOpened,
    at_table,
)
from wartable.server.records.rows import OUTSIDE
from wartable.table import Setup, Table
from wartable.table.meters import show_meters


class Decision(msgspec.Struct, frozen=True, gc=False):
    """A command with its events, and their transfers between the house's accounts."""

    command: JournalCommand
    events: tuple[JournalEvent, ...]
    transfers: tuple[Transfer, ...] = ()


def of_table(setup: Setup, state: Table, command: JournalCommand) -> tuple[Table, Decision]:
    """What a command at a table leads to, and the table after it."""
    match command:
        case OpenTable():
            moved = () if setup.meters else ledger.opening(state)
            opened = TableOpened(*astuple(command))
            return state, Decision(command, (opened,), tuple(_named(setup, moved)))
        case ShowMeters():
            shown = show_meters(setup, state, command.number, command.meters)
            step = ledger.fold(setup, state, (shown,))
        case HouseCommand():
            raise ValueError(f"{setup.name} is a table and takes no {type(command).__name__}")
        case _:
            step = ledger.step(setup, state, command)
    return step.state, Decision(command, step.events, tuple(_named(setup, step.transfers)))


def folded(
    setup: Setup, state: Table, events: tuple[JournalEvent, ...]
) -> tuple[Table, list[Transfer]]:
    """The table after the events of one of its rows, and their transfers."""
    opened = any(isinstance(event, TableOpened) for event in events) and not setup.meters
    step = ledger.fold(setup, state, at_table(events))
    moved = (*(ledger.opening(state) if opened else ()), *step.transfers)
    return step.state, list(_named(setup, moved))


def of_house(name: str, command: OfHouse) -> Decision:
    """What a command that no table decides leads to, in the chain of that name."""
    match command:
        case OpenMeters():
            moved = [
                Transfer(HOUSE, f"{name}/{ledger.meter(which)}", each.shown)
                for which, each in command.meters.items()
                if each.shown
            ]
            opened = MetersOpened(command.book, command.meters)
            return Decision(command, (opened,), tuple(moved))
        case MoveMeters():
            return Decision(command, (MetersMoved(command.table, command.number, command.meters),))
        case PayIn(player, amount):
            paid = Transfer(OUTSIDE, ledger.wallet(player), amount)
            return Decision(command, (PaidIn(player, amount),), (paid,) if amount else ())
        case PayOut(player, amount):
            paid = Transfer(ledger.wallet(player), OUTSIDE, amount)
            return Decision(command, (PaidOut(player, amount),), (paid,) if amount else ())
        case Correct(player, amount, dispute):
            paid = Transfer(HOUSE, ledger.wallet(player), amount)
            return Decision(command, (Corrected(player, amount, dispute),), (paid,))
        case Note():
            return Decision(command, (Noted(*astuple(command)),))


def _named(setup: Setup, moved: Iterable[Transfer]) -> Iterator[Transfer]:
    """A table's transfers, with its accounts named as in the house."""
    name, meters = setup.name, setup.meters or setup.name
    for each in moved:
        if each.amount:
            source, target = (_account(name, meters, side) for side in (each.source, each.target))
            yield Transfer(source, target, each.amount)


def _account(name: str, meters: str, account: str) -> str:
    """An account's name in the house: felt, bank, stacks and own meters get the table's name."""
    if account.startswith("wallet:") or account == HOUSE:
        return account
    return f"{meters if account.startswith('meter:') else name}/{account}"
