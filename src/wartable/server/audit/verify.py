"""Verify the records: chain, folding, decisions, transfers, balances, meters, rights."""

from collections import Counter, deque
from collections.abc import Iterator

import msgspec
import sqlalchemy as sa
from cryptography.exceptions import InvalidTag

from wartable import ledger, table
from wartable.ledger import Transfer
from wartable.server.audit import oldrows
from wartable.server.audit.rights import Rights
from wartable.server.records import (
    checkpoints,
    database,
    decisions,
    journal,
    keyed,
    messages,
    results,
    schema,
    shape,
)
from wartable.server.records.chain import START
from wartable.server.records.checkpoints import Checkpoint
from wartable.server.records.decisions import Decision
from wartable.server.records.journal import Broken, Row
from wartable.server.records.keys import HouseKey
from wartable.server.records.results import LastRound
from wartable.server.tables.meters import PREFIX, Values, initial
from wartable.shoe import Shoe
from wartable.table import Setup, Table

OVERDRAWN = (ledger.HOUSE, messages.OUTSIDE)
"""The only accounts that may be below zero."""

Opening = messages.OpenTable | messages.OpenMeters


class Verified(msgspec.Struct, frozen=True):
    """What was checked and found correct."""

    tables: int
    rows: int
    transfers: int


class Shared:
    """What tables and shared meters say about each other, gathered row by row."""

    def __init__(self) -> None:
        self._moves: dict[tuple[str, str, int], tuple[Row, Values, Values]] = {}
        self._shown: list[tuple[str, Row, messages.ShowMeters]] = []
        self._rows: dict[str, list[tuple[Row, Values, messages.Command]]] = {}

    def meters_row(self, row: Row, command: messages.Command) -> None:
        """Remember what a row of shared meters says."""
        if isinstance(command, messages.OpenMeters | messages.MoveMeters):
            found = self._rows.setdefault(row.table_name, [])
            found.append((row, command.meters, command))

    def table_row(
        self, row: Row, command: messages.Command, meters: str, before: Table, after: Table
    ) -> None:
        """Remember what a row of a table says about its shared meters."""
        if isinstance(command, messages.ShowMeters):
            self._shown.append((meters, row, command))
        elif before.meters != after.meters:
            self._moves[meters, row.table_name, row.number] = (row, before.meters, after.meters)

    def check(self, accounts: Counter[str]) -> None:
        """Check that every move has the meter's own row, in order, from the right reading."""
        for name, rows in self._rows.items():
            now: Values = {}
            for row, values, command in rows:
                if isinstance(command, messages.MoveMeters):
                    self._check_move(row, command, now)
                elif row.number > 1:
                    raise Broken(row, "it opens meters that are open")
                now = values
            self._check_known(name)
            for meter, value in now.items():
                if accounts[f"{name}/{ledger.meter(meter)}"] != value.shown:
                    raise Broken(rows[-1][0], f"the account of {meter} is not what it shows")
                if value.fed + value.seeded != value.paid + value.shown:
                    raise Broken(rows[-1][0], f"{meter} does not account for every cent")
        for name in {name for name, _, _ in self._moves}:
            self._check_known(name)
        for name, row, command in self._shown:
            known = self._rows.get(name, [])
            if not 0 < command.number <= len(known) or known[command.number - 1][1] != (
                command.meters
            ):
                raise Broken(row, "it shows what the shared meters were not")

    def _check_known(self, name: str) -> None:
        for (meters, _, _), (row, _, _) in self._moves.items():
            if meters == name:
                raise Broken(row, "it moves a shared meter, whose rows do not know of it")

    def _check_move(self, row: Row, command: messages.MoveMeters, now: Values) -> None:
        found = self._moves.pop((row.table_name, command.table, command.number), None)
        if found is None:
            raise Broken(row, "it says what no table did to the meters")
        moving, before, after = found
        if before != now:
            raise Broken(moving, "it moves a shared meter from a reading that was old")
        if after != command.meters:
            raise Broken(row, "the meters are not what the table's row made of them")


def verify(engine: sa.Engine, key: HouseKey) -> Verified:
    """Check everything as of now, even during play; `Broken` names the first bad row."""
    with database.snapshot(engine) as connection:
        return _verify(connection, key)


def _verify(source: sa.Connection, key: HouseKey) -> Verified:
    keyed.check(source, key)
    stray = database.stray(source)
    if stray is not None:
        raise Broken(None, f"{stray} is a table without a journal, which nobody opened")
    tables = database.table_names(source)
    shared, rights = Shared(), Rights()
    names = [*tables, *database.meter_names(source), messages.CASHIER, messages.OFFICE]
    _check_strangers(source, names)
    accounts: Counter[str] = Counter()
    rows = moved = 0
    for name in names:
        for transfers in _verify_chain(source, key, name, shared, rights):
            rows += 1
            moved += len(transfers)
            ledger.move(accounts, transfers)
    stored = database.balances(source)
    for account in sorted({*accounts, *stored}):
        if accounts[account] < 0 and account not in OVERDRAWN:
            raise Broken(None, f"{account} is below zero: {accounts[account]}")
        if accounts[account] != stored.get(account, 0):
            difference = (
                f"{account} holds {stored.get(account, 0)}, by the journal {accounts[account]}"
            )
            raise Broken(None, difference)
    shared.check(accounts)
    rights.check(source)
    if sum(accounts.values()):
        raise Broken(None, "money was made or lost")
    shape.check(source)
    return Verified(len(tables), rows, moved)


def check_chains(source: database.Source, keyed: bool = True) -> int:
    """Check all chains without the house's key, and return the number of rows."""
    meters = database.meter_names(source)
    names = [*database.table_names(source), *meters, messages.CASHIER, messages.OFFICE]
    return sum(
        1
        for name in names
        for _ in journal.check_chain(
            database.rows_of(source, name, keyed=keyed), database.head_of(source, name) or START
        )
    )


def _check_strangers(source: sa.Connection, names: list[str]) -> None:
    """Check that every row belongs to an existing table."""
    for column in (
        each.c.table_name
        for each in (
            schema.heads,
            schema.journal,
            schema.transfers,
            schema.results,
            schema.checkpoints,
        )
    ):
        query = sa.select(column).where(column.not_in(names)).order_by(column).limit(1)
        found = source.execute(query).first()
        if found is not None:
            raise Broken(None, f"{found[0]} has rows, but there is no such table")


def _verify_chain(
    source: sa.Connection, key: HouseKey, name: str, shared: Shared, rights: Rights
) -> Iterator[tuple[Transfer, ...]]:
    """The transfers of each row, after the row was checked."""
    setup, opening = _opening(source, name)
    written = _transfers_of(source, name)
    rows = _rows(source, key, name, opening)
    if setup is None:
        decided = _verify_house(rows, name, shared, rights)
    else:
        decided = _verify_table(source, key, rows, setup, shared)
    for row, transfers in decided:
        if transfers != written.pop(row.number, ()):
            raise Broken(row, "the transfers beside it are not its own")
        yield transfers
    if written:
        raise Broken(None, f"{name} has transfers of row {min(written)}, which is not there")


StoredRow = tuple[Row, messages.Command, tuple[messages.Event, ...]]


def _rows(
    source: sa.Connection, key: HouseKey, name: str, opening: Opening | None
) -> Iterator[StoredRow]:
    """The rows of a chain in order, read, with the opening first."""
    head, at_ms = database.head_of(source, name), 0
    for row in journal.check_chain(database.rows_of(source, name), head or START):
        if row.at_ms < at_ms:
            raise Broken(row, f"its time {row.at_ms} is before the time {at_ms} of the row before")
        at_ms = row.at_ms
        try:
            command, events = journal.read_row(row, key)
        except (msgspec.DecodeError, ValueError) as error:
            raise _undecided(row, error) from None
        except InvalidTag:
            raise Broken(row, "its seed does not open with this key") from None
        if isinstance(command, Opening) or row.number == 1:
            _check_opening(row, command, opening)
        yield row, command, events


def _undecided(row: Row, error: Exception) -> Broken:
    return Broken(row, f"it cannot be decided again: {error}")


def _check_events(row: Row, decision: Decision, events: tuple[messages.Event, ...]) -> None:
    if decision.events != events and decision.events != oldrows.in_order(events):
        raise Broken(row, "the rules decide this command differently")


def _verify_house(
    rows: Iterator[StoredRow], name: str, shared: Shared, rights: Rights
) -> Iterator[tuple[Row, tuple[Transfer, ...]]]:
    """The rows of the cashier, the office or shared meters, each with its transfers."""
    for row, command, events in rows:
        if not isinstance(command, messages.HouseCommand):
            raise Broken(row, "it cannot be decided again: it is a table's")
        decision = decisions.of_house(name, command)
        _check_events(row, decision, events)
        shared.meters_row(row, command)
        if isinstance(command, messages.Note):
            try:
                rights.note(row, command)
            except ValueError as error:
                raise _undecided(row, error) from None
        yield row, decision.transfers


def _verify_table(
    source: sa.Connection, key: HouseKey, rows: Iterator[StoredRow], setup: Setup, shared: Shared
) -> Iterator[tuple[Row, tuple[Transfer, ...]]]:
    """The rows of a table, each with its transfers; its results and checkpoints are checked too."""
    name, state = setup.name, table.start(setup)
    kept, sealed = results.stored(source, name), checkpoints.stored(source, name)
    past = deque[Shoe](maxlen=results.SHOES_MAX), deque[LastRound](maxlen=results.LAST_MAX)
    began_ms = 0
    for row, command, events in rows:
        before = state
        try:
            state, decision = decisions.of_table(setup, before, command)
        except (ValueError, AssertionError) as error:
            raise _undecided(row, error) from None
        _check_events(row, decision, events)
        if setup.meters:
            shared.table_row(row, command, setup.meters, before, state)
        if results.wagered(state) and not results.wagered(before):
            began_ms = row.at_ms
        if before.in_round and not state.in_round and state.round is not None:
            where = (name, setup.rules.name, state.rounds, began_ms, row.at_ms)
            made = set(results.results_of(*where, state.round))
            if made != set(kept.pop(state.rounds, ())):
                raise Broken(row, "the results beside it are not its round's")
        results.remember(before, state, *past)
        if row.number in sealed:
            shown = (tuple(past[0]), tuple(past[1]))
            folded = Checkpoint(row.number, row.hash, began_ms, state, *shown)
            if checkpoints.opened(key, sealed.pop(row.number)) != folded:
                raise Broken(row, "the checkpoint of it is not how the table stood")
        yield row, decision.transfers
    if kept:
        raise Broken(None, f"{name} has results of round {min(kept)}, which was not closed")
    if sealed:
        raise Broken(None, f"{name} has a checkpoint of row {min(sealed)}, which is not there")


def _opening(source: sa.Connection, name: str) -> tuple[Setup | None, Opening | None]:
    """A table's stored setup, and the command that must have opened it or the meters."""
    if name in (messages.CASHIER, messages.OFFICE):
        return None, None
    try:
        if name.startswith(PREFIX):
            book = database.opened_with(source, name)[0]
            return None, messages.OpenMeters(book.digest, initial(book.rules))
        setup = database.setup_of(source, name)
        digest = database.opened_with(source, name)[0].digest
        table.start(setup)
    except (ValueError, KeyError, TypeError, sa.exc.NoResultFound) as error:
        raise Broken(None, f"the setup of {name} cannot be read: {error}") from None
    return setup, messages.opening(digest, setup)


def _check_opening(row: Row, command: messages.Command, opening: Opening | None) -> None:
    """Check that only the first row opens the table, with the stored book and decks."""
    if opening is None and not isinstance(command, Opening):
        return
    if row.number > 1:
        raise Broken(row, "it opens a table that is open")
    if isinstance(opening, messages.OpenTable) and isinstance(command, messages.OpenTable):
        opening = messages.as_told(opening, command)
    if command != opening:
        raise Broken(row, "the table was opened with another book or setup than is stored")


def _transfers_of(source: sa.Connection, name: str) -> dict[int, tuple[Transfer, ...]]:
    """A table's stored transfers by row."""
    transfers = schema.transfers
    query = (
        sa.select(transfers)
        .where(transfers.c.table_name == name)
        .order_by(transfers.c.number, transfers.c.place)
    )
    found: dict[int, tuple[Transfer, ...]] = {}
    for each in source.execute(query):
        one = Transfer(each.source, each.target, each.amount)
        found[each.number] = (*found.get(each.number, ()), one)
    return found
