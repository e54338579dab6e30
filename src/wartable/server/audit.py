"""Is the record whole and true: chain, folding, decisions, transfers, balances, meters."""

from collections import Counter
from collections.abc import Iterator

import msgspec
import sqlalchemy as sa
from cryptography.exceptions import InvalidTag

from wartable import ledger, table
from wartable.game import Illegal
from wartable.ledger import Transfer, Unbalanced
from wartable.server import database, journal, records, schema
from wartable.server.journal import Broken, Row


class Verified(msgspec.Struct, frozen=True):
    """What was checked and found right."""

    tables: int
    rows: int
    transfers: int


def verify(engine: sa.Engine, key: bytes) -> Verified:
    """Check everything; `Broken` names the first bad row."""
    names = [*database.table_names(engine), records.CASHIER, records.OFFICE]
    accounts: Counter[str] = Counter()
    rows = moved = 0
    for name in names:
        for transfers in _verify_table(engine, key, name):
            rows += 1
            moved += len(transfers)
            accounts = ledger.balances(transfers, accounts)
    stored = database.balances(engine)
    for account in sorted({*accounts, *stored}):
        if accounts[account] != stored.get(account, 0):
            told = f"{account} holds {stored.get(account, 0)}, by the journal {accounts[account]}"
            raise Broken(None, told)
    if sum(accounts.values()):
        raise Broken(None, "money was made or lost")
    return Verified(len(names) - 2, rows, moved)


def _verify_table(engine: sa.Engine, key: bytes, name: str) -> Iterator[tuple[Transfer, ...]]:
    """The transfers of each row, after everything about the row was checked."""
    setup = None if name in (records.CASHIER, records.OFFICE) else database.setup_of(engine, name)
    state = None if setup is None else table.start(setup)
    written = _transfers_of(engine, name)
    own: Counter[str] = Counter()
    head = database.head_of(engine, name)
    for row in journal.check_chain(database.rows_of(engine, name), head):
        try:
            command, events = journal.read_row(row, key)
            if records.decide(setup, state, command) != events:
                raise Broken(row, "the rules decide this command otherwise")
            state, moved = records.moved_by(name, state, events)
        except (Illegal, msgspec.DecodeError, ValueError) as error:
            raise Broken(row, f"it cannot be decided again: {error}") from None
        except InvalidTag:
            raise Broken(row, "its seed does not open with this key") from None
        if moved != written.pop(row.number, ()):
            raise Broken(row, "the transfers beside it are not its own")
        own = ledger.balances(moved, own)
        if state is not None:
            _check_state(row, state, name, own)
        yield moved
    if written:
        raise Broken(None, f"{name} has transfers of row {min(written)}, which is not there")


def _check_state(row: Row, state: table.Table, name: str, accounts: Counter[str]) -> None:
    local = Counter({key.removeprefix(f"{name}/"): amount for key, amount in accounts.items()})
    try:
        ledger.check(state, local)
    except Unbalanced as error:
        raise Broken(row, str(error)) from None


def _transfers_of(engine: sa.Engine, name: str) -> dict[int, tuple[Transfer, ...]]:
    """A table's stored transfers by row."""
    transfers = schema.transfers
    query = (
        sa.select(transfers)
        .where(transfers.c.table_name == name)
        .order_by(transfers.c.number, transfers.c.place)
    )
    found: dict[int, tuple[Transfer, ...]] = {}
    with engine.connect() as connection:
        for each in connection.execute(query):
            one = Transfer(each.source, each.target, each.amount)
            found[each.number] = (*found.get(each.number, ()), one)
    return found
