"""Genuine parts of the records in a wrong place: exchanged, moved, repeated, put back or cut off.

These are entries like those of `insider`. Nothing here is made up, so that only its place, its
order or what belongs beside it can give it away.
"""

import msgspec
import sqlalchemy as sa

from insider import (
    CHANGED,
    NOT_OURS,
    OWN,
    Kind,
    own_table,
    truncated,
)
from wartable.server.records import database, schema
from wartable.server.records.rows import CASHIER, OFFICE

BESIDE = "the transfers beside it are not its own"
OF_OFFICE, OF_CASHIER = "table_name = 'office'", "table_name = 'cashier'"
RESULTS = "the results beside it are not its round's"


def exchanged(table: str, column: str, one: str, other: str) -> str:
    """The statements that exchange a value of two rows."""
    return (
        f"UPDATE {table} SET {column} = (CASE WHEN {one}"
        f" THEN (SELECT {column} FROM {table} WHERE {other})"
        f" ELSE (SELECT {column} FROM {table} WHERE {one}) END) WHERE ({one}) OR ({other})"
    )


def _row(name: str, number: int) -> str:
    return f"table_name = '{name}' AND number = {number}"


def rows_exchanged(connection: sa.Connection) -> None:
    """The contents of a row of the office and one of the cashier in each other's place."""
    rows = schema.journal
    both = [
        next(database.rows_of(connection, name, number - 1))
        for name, number in ((OFFICE, 2), (CASHIER, 1))
    ]
    for old, new in (both, both[::-1]):
        here = sa.and_(rows.c.table_name == old.table_name, rows.c.number == old.number)
        values = msgspec.structs.asdict(new)
        kept = {"table_name": old.table_name, "number": old.number, "command_id": f"x{new.number}"}
        connection.execute(rows.update().where(here).values(values | kept))


def tail_of_own_table(connection: sa.Connection) -> None:
    """The end of one table's chain cut off, and nothing else."""
    truncated(own_table(connection))(connection)


def table_gone(connection: sa.Connection) -> None:
    """A table that nobody played at, taken out of everything."""
    for each in ("transfers", "journal", "heads", "checkpoints", "results"):
        connection.exec_driver_sql(f"DELETE FROM {each} WHERE table_name = 'maryland 1'")
    connection.exec_driver_sql("DELETE FROM tables WHERE name = 'maryland 1'")


def row_twice(connection: sa.Connection) -> None:
    """A genuine last row once more behind itself, with its own hash and code."""
    rows, name = schema.journal, own_table(connection)
    *_, last = database.rows_of(connection, name)
    again = msgspec.structs.replace(last, number=last.number + 1, command_id="again")
    connection.execute(rows.insert().values(msgspec.structs.asdict(again)))
    heads = schema.heads
    here = heads.update().where(heads.c.table_name == name)
    connection.execute(here.values(number=again.number, hash=again.hash))


def checkpoint_made_up(connection: sa.Connection) -> None:
    """A checkpoint of a genuine row, with the seal of another."""
    kept, name = schema.checkpoints, own_table(connection)
    found = connection.execute(sa.select(kept)).first()
    assert found is not None
    row = next(database.rows_of(connection, name, 2))
    values = found._asdict() | {"number": row.number, "hash": row.hash}
    connection.execute(kept.insert().values(values))


def results_exchanged(connection: sa.Connection) -> None:
    """The results of two rounds in each other's place."""
    for change in ("round = -round WHERE round <= 2", "round = 3 + round WHERE round < 0"):
        assert connection.exec_driver_sql(f"UPDATE results SET {change}").rowcount


def transfers_of_the_next_row(connection: sa.Connection) -> None:
    """The transfers of a row beside the row after it."""
    moved = "UPDATE transfers SET number = number + 1000000 WHERE table_name = 'cashier'"
    back = "UPDATE transfers SET number = number - 999999 WHERE table_name = 'cashier'"
    assert connection.exec_driver_sql(moved).rowcount
    assert connection.exec_driver_sql(back).rowcount


EXCHANGES = (
    Kind("rows of two chains exchanged", rows_exchanged, "row .: (it was changed|its hash)"),
    Kind(
        "codes of two rows exchanged",
        exchanged("journal", "mac", _row("office", 2), _row("office", 3)),
        f"office row 2: {NOT_OURS}",
    ),
    Kind(
        "hashes and codes of two chains",
        f"{exchanged('journal', 'mac', _row('office', 1), _row('cashier', 1))};\n"
        f"{exchanged('journal', 'hash', _row('office', 1), _row('cashier', 1))}",
        f"row 1: {CHANGED}",
    ),
    Kind("last row once more", row_twice, CHANGED),
    Kind(
        "times of two rows exchanged",
        exchanged("journal", "at_ms", _row("office", 2), _row("cashier", 1)),
        CHANGED,
    ),
    Kind(
        "actors of two rows exchanged",
        exchanged("journal", "actor", _row("office", 1), _row("cashier", 1)),
        CHANGED,
    ),
    Kind(
        "seeds of two rows exchanged",
        f"UPDATE journal SET secret = (SELECT min(secret) FROM journal WHERE {OWN})"
        f" WHERE {OWN} AND secret IS NOT NULL",
        CHANGED,
    ),
    Kind("end of one table cut off", tail_of_own_table, "."),
    Kind("table taken out of everything", table_gone, "maryland 1 row .*marked|maryland 1"),
    Kind(
        "heads of two chains exchanged",
        f"{exchanged('heads', 'hash', OF_OFFICE, OF_CASHIER)};\n"
        f"{exchanged('heads', 'number', OF_OFFICE, OF_CASHIER)}",
        "the chain ends at row",
    ),
    Kind("transfers of the next row", transfers_of_the_next_row, BESIDE),
    Kind(
        "transfer turned around",
        "UPDATE transfers SET source = target, target = source WHERE table_name = 'cashier'"
        " AND number = 1",
        f"cashier row 1: {BESIDE}",
    ),
    Kind(
        "transfer in two halves",
        "UPDATE transfers SET amount = amount / 2 WHERE table_name = 'cashier' AND number = 1;\n"
        "INSERT INTO transfers SELECT table_name, number, 1, source, target, amount"
        " FROM transfers WHERE table_name = 'cashier' AND number = 1",
        f"cashier row 1: {BESIDE}",
    ),
    Kind(
        "transfers in each other's place",
        "UPDATE transfers SET place = -1 - place WHERE (table_name, number) IN"
        " (SELECT table_name, number FROM transfers WHERE place = 1);\n"
        "UPDATE transfers SET place = 2 + place WHERE place < 0",
        BESIDE,
    ),
    Kind(
        "wallet onto a stack",
        "UPDATE balances SET amount = amount - 100 WHERE account = 'wallet:mal';\n"
        "UPDATE balances SET amount = amount + 100 WHERE account = 'maryland@mal/stack:mal'",
        "holds .*, by the journal",
    ),
    Kind(
        "house and outside",
        "UPDATE balances SET amount = amount + 100 WHERE account = 'house';\n"
        "UPDATE balances SET amount = amount - 100 WHERE account = 'outside'",
        "house holds .*, by the journal",
    ),
    Kind("results of two rounds exchanged", results_exchanged, RESULTS),
    Kind("outcome in the results", "UPDATE results SET outcomes = 'x' WHERE round = 1", RESULTS),
    Kind("book in the results", "UPDATE results SET book = 'online' WHERE round = 1", RESULTS),
    Kind("return in the results", "UPDATE results SET returned = returned + 1", RESULTS),
    Kind("beginning in the results", "UPDATE results SET began_ms = began_ms - 1", RESULTS),
    Kind(
        "somebody else in the results",
        "INSERT INTO results SELECT table_name, round, 'eve', at_ms, began_ms, book, staked,"
        " returned, net, outcomes FROM results WHERE round = 1",
        RESULTS,
    ),
    Kind(
        "checkpoint with another's seal",
        checkpoint_made_up,
        "row 3: the checkpoint of it is not how the table stood",
    ),
    Kind(
        "passwords of two accounts exchanged",
        exchanged("accounts", "password", "name = 'eve'", "name = 'mal'"),
        "office row .*the password of eve",
    ),
    Kind(
        "roles of two accounts exchanged",
        exchanged("accounts", "role", "name = 'eve'", "name = 'dan'"),
        "office row .*the role of dan",
    ),
    Kind(
        "exclusion of somebody else",
        exchanged("accounts", "excluded_until_ms", "name = 'eve'", "name = 'mal'"),
        "office row .*the exclusion of eve",
    ),
    Kind(
        "lock-out of somebody else",
        exchanged("accounts", "locked_until_ms", "name = 'dan'", "name = 'admin'"),
        "office row .*the lock-out of",
    ),
    Kind(
        "keys exchanged",
        exchanged("api_keys", "digest", "name = 'old'", "name = 'new'"),
        "office row .*the digest of the key of",
    ),
    Kind(
        "revoked key renamed",
        "UPDATE api_keys SET name = 'desk' WHERE name = 'old'",
        "key of (desk|old)",
    ),
    Kind(
        "limit of the player as the operator's",
        "UPDATE limits SET setter = 'player' WHERE kind = 'loss_day'",
        "the limit of eve, operator's loss_day is stored as nothing",
    ),
    Kind(
        "limit of another kind",
        "UPDATE limits SET kind = 'deposit_day' WHERE kind = 'loss_day'",
        "limit of eve, operator's (loss|deposit)_day",
    ),
    Kind("closure of another scope", "UPDATE closures SET scope = 'book'", "the closure of"),
    Kind("closure of somebody else", "UPDATE closures SET name = 'eve'", "the closure of"),
    Kind(
        "codes of two sessions exchanged",
        "UPDATE sessions SET mac = (SELECT max(other.mac) FROM sessions AS other"
        " WHERE other.digest <> sessions.digest)",
        "this house did not begin a session of",
    ),
    Kind(
        "lease for ever",
        "DELETE FROM lease;\nINSERT INTO lease VALUES (1, 'eve', 7, 99999999999999)",
        "the lease of the house ends at .*, later than any server takes it",
    ),
    Kind(
        "lease of a table for ever",
        "UPDATE tables SET owner = 'eve', lease_until_ms = 99999999999999"
        " WHERE name = 'maryland 1'",
        "the lease of maryland 1 ends at .*, later than any server takes it",
    ),
)
