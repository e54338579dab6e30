"""Is the record whole and true: chain, folding, decisions, transfers, balances, meters."""

from collections import Counter
from collections.abc import Iterator

import msgspec
import sqlalchemy as sa
from cryptography.exceptions import InvalidTag

from wartable import ledger, table
from wartable.game import Illegal
from wartable.ledger import Transfer, Unbalanced
from wartable.server import database, journal, records, results, schema
from wartable.server.journal import Broken, Row
from wartable.table import Setup


class Verified(msgspec.Struct, frozen=True):
    """What was checked and found right."""

    tables: int
    rows: int
    transfers: int


def verify(engine: sa.Engine, key: bytes) -> Verified:
    """Check everything as it is at this moment, play or not; `Broken` names the first bad row."""
    with database.snapshot(engine) as connection:
        return _verify(connection, key)


def _verify(source: sa.Connection, key: bytes) -> Verified:
    tables = database.table_names(source)
    names = [*tables, records.CASHIER, records.OFFICE]
    _check_strangers(source, names)
    accounts: Counter[str] = Counter()
    rows = moved = 0
    for name in names:
        for transfers in _verify_table(source, key, name):
            rows += 1
            moved += len(transfers)
            accounts = ledger.balances(transfers, accounts)
    stored = database.balances(source)
    for account in sorted({*accounts, *stored}):
        if accounts[account] != stored.get(account, 0):
            told = f"{account} holds {stored.get(account, 0)}, by the journal {accounts[account]}"
            raise Broken(None, told)
    if sum(accounts.values()):
        raise Broken(None, "money was made or lost")
    return Verified(len(tables), rows, moved)


def _check_strangers(source: sa.Connection, names: list[str]) -> None:
    """No rows may belong to a table that is not there."""
    for column in (
        each.c.table_name
        for each in (schema.heads, schema.journal, schema.transfers, schema.results)
    ):
        query = sa.select(column).where(column.not_in(names)).order_by(column).limit(1)
        found = source.execute(query).first()
        if found is not None:
            raise Broken(None, f"{found[0]} has rows, but there is no such table")


def _verify_table(source: sa.Connection, key: bytes, name: str) -> Iterator[tuple[Transfer, ...]]:
    """The transfers of each row, after everything about the row was checked."""
    setup, opening = _opening(source, name)
    state = None if setup is None else table.start(setup)
    written, kept = _transfers_of(source, name), results.stored(source, name)
    began_ms = 0
    own: Counter[str] = Counter()
    head, at_ms = database.head_of(source, name), 0
    for row in journal.check_chain(database.rows_of(source, name), head or (0, journal.GENESIS)):
        if row.at_ms < at_ms:
            raise Broken(row, f"its time {row.at_ms} is before the time {at_ms} of the row before")
        at_ms = row.at_ms
        try:
            command, events = journal.read_row(row, key)
            if isinstance(command, records.OpenTable) or row.number == 1:
                _check_opening(row, command, opening)
            if records.decide(setup, state, command) != events:
                raise Broken(row, "the rules decide this command otherwise")
            before = state
            state, moved = records.moved_by(name, before, events)
        except (Illegal, msgspec.DecodeError, ValueError, AssertionError) as error:
            raise Broken(row, f"it cannot be decided again: {error}") from None
        except InvalidTag:
            raise Broken(row, "its seed does not open with this key") from None
        if moved != written.pop(row.number, ()):
            raise Broken(row, "the transfers beside it are not its own")
        own = ledger.balances(moved, own)
        if setup is not None and before is not None and state is not None:
            _check_state(row, state, name, own)
            if results.wagered(state) and not results.wagered(before):
                began_ms = at_ms
            if before.in_round and not state.in_round and state.round is not None:
                where = (name, setup.rules.name, state.rounds, began_ms, at_ms)
                made = set(results.results_of(*where, state.round))
                if made != set(kept.pop(state.rounds, ())):
                    raise Broken(row, "the results beside it are not its round's")
        yield moved
    if kept:
        raise Broken(None, f"{name} has results of round {min(kept)}, which was not closed")
    if written:
        raise Broken(None, f"{name} has transfers of row {min(written)}, which is not there")


def _opening(source: sa.Connection, name: str) -> tuple[Setup | None, records.OpenTable | None]:
    """A table's setup as it is stored, and the command that must have opened it."""
    if name in (records.CASHIER, records.OFFICE):
        return None, None
    try:
        setup = database.setup_of(source, name)
        digest = database.opened_with(source, name)[0].digest
    except (ValueError, KeyError, TypeError, sa.exc.NoResultFound) as error:
        raise Broken(None, f"the setup of {name} cannot be read: {error}") from None
    return setup, records.OpenTable(digest, setup.decks, setup.staffed)


def _check_opening(row: Row, command: records.Command, opening: records.OpenTable | None) -> None:
    """The first row opens the table, and no other; with the book and decks that are stored."""
    if opening is None and not isinstance(command, records.OpenTable):
        return
    if row.number > 1:
        raise Broken(row, "it opens a table that is open")
    if command != opening:
        raise Broken(row, "the table was opened with another book or setup than is stored")


def _check_state(row: Row, state: table.Table, name: str, accounts: Counter[str]) -> None:
    local = Counter({key.removeprefix(f"{name}/"): amount for key, amount in accounts.items()})
    try:
        ledger.check(state, local)
    except Unbalanced as error:
        raise Broken(row, str(error)) from None


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
