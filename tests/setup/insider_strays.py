"""Strays that somebody could put into the records: what belongs nowhere, or is not what it seems.

These are entries like those of `insider`. Some need a database that takes any value anywhere
(SQLite), or whose own catalogue can be written (PostgreSQL).
"""

from collections.abc import Callable

import msgspec
import sqlalchemy as sa

from insider import NOT_OURS, Kind, bigger_win_no_codes, own_table
from wartable.server.records import schema

PAYMENT = "FROM journal WHERE table_name = 'cashier' AND number = 1"


def _row(name: str, number: str = "number", at_ms: str = "at_ms", id_: str = "'x'") -> str:
    """The statement that copies a payment to another place."""
    content = f"{at_ms}, actor, {id_}, command, events, secret, hash, mac"
    return f"INSERT INTO journal SELECT {name}, {number}, {content} {PAYMENT}"


def _rows_of(name: str) -> str:
    return f"{name} has rows, but there is no such table"


RESULT = "at_ms, began_ms, book, staked, returned, net, outcomes FROM results WHERE round = 1"


def _result(name: str, number: int = 1, player: str = "player") -> str:
    """The statement that copies a result to another place."""
    return f"INSERT INTO results SELECT {name}, {number}, {player}, {RESULT}"


def _checkpoint(name: str, number: str) -> str:
    """The statement that copies a checkpoint to another place."""
    return (
        f"INSERT INTO checkpoints SELECT {name}, {number}, hash, rounds, code, sealed"
        " FROM checkpoints"
    )


def setup_with(name: str, value: str | int) -> Callable[[sa.Connection], None]:
    """A table that is stored with another value in its setup."""

    def how(connection: sa.Connection) -> None:
        tables, table = schema.tables, own_table(connection)
        here = tables.c.name == table
        setup = connection.execute(sa.select(tables.c.setup).where(here)).scalar_one()
        changed = msgspec.json.decode(setup) | {name: value}
        text = msgspec.json.encode(changed).decode()
        connection.execute(tables.update().where(here).values(setup=text))

    return how


BEHIND = (
    Kind("row behind the end", _row("table_name", "9999"), "cashier (has )?row 9"),
    Kind(
        "transfer behind the end",
        "INSERT INTO transfers VALUES ('cashier', 9999, 0, 'outside', 'wallet:mal', 500)",
        "cashier has transfers of row 9999, which is not there",
    ),
    Kind("result of a later round", _result("table_name", 999), "has results of round 999"),
    Kind("checkpoint behind the end", _checkpoint("table_name", "9999"), "checkpoint of row 9999"),
    Kind("layout of a table", setup_with("layout", "approved"), "another book or setup than"),
    Kind("order of a table's cards", setup_with("order", "shoe"), "another book or setup than"),
    Kind("iterations of a table", setup_with("iterations", 1), "another book or setup than"),
    Kind("decks in a setup", setup_with("decks", 8), "another book or setup than"),
    Kind(
        "setup that is a number",
        "UPDATE tables SET setup = '5' WHERE name = 'maryland 1'",
        "the setup of maryland 1 cannot be read|maryland 1 is stored with another book or setup",
    ),
    Kind(
        "setup of meters that is a number",
        "UPDATE tables SET setup = '0' WHERE setup = '{}'",
        "the setup of meters .* cannot be read|meters .* is stored with another book or setup",
    ),
    Kind("result of the cashier", _result("'cashier'"), "cashier has rows, but there is no such"),
    Kind(
        "result of the office, of somebody else",
        _result("'office'", 3, "'eve'"),
        "office has rows, but there is no such table",
    ),
    Kind(
        "result of meters",
        _result("(SELECT min(name) FROM tables WHERE setup = '{}')"),
        "meters .* has rows, but there is no such table",
    ),
    Kind("checkpoint of the office", _checkpoint("'office'", "1"), "office has rows, but there is"),
    Kind(
        "fence that cannot count on",
        "UPDATE tables SET fence = 9223372036854775807 WHERE name = 'maryland 1'",
        "the lease of maryland 1 has the fence 9223372036854775807, which no server takes",
    ),
    Kind(
        "fence below zero",
        "UPDATE tables SET fence = -1 WHERE name = 'maryland 1'",
        "the lease of maryland 1 has the fence -1",
    ),
    Kind(
        "fence of the house",
        "DELETE FROM lease;\nINSERT INTO lease VALUES (1, NULL, 9223372036854775807, 0)",
        "the lease of the house has the fence 9223372036854775807",
    ),
    Kind(
        "looser limit that never begins",
        "UPDATE limits SET next_amount = 5 WHERE amount = 500",
        "office row .*the limit of eve, operator's loss_day is stored as 500, then 5",
    ),
)
"""Strays that are found from a verified mark on too, although no chain has new rows."""

STRAYS = (
    *BEHIND,
    Kind("row number 0", _row("table_name", "0"), "cashier has row 0, which is not there"),
    Kind("row below zero", _row("table_name", "-1"), "cashier has row -1, which is not there"),
    Kind("row far ahead", _row("table_name", "9999", "9999999999999"), "cashier row 9"),
    Kind("chain with a space", _row("'cashier '"), _rows_of("cashier ")),
    Kind("chain with a capital", _row("'Cashier'"), _rows_of("Cashier")),
    Kind("chain of no name", _row("''"), _rows_of("")),
    Kind("chain that looks alike", _row("'c\u0430shier'"), _rows_of("c\u0430shier")),
    Kind(
        "transfers of row 0",
        "INSERT INTO transfers SELECT table_name, 0, place, source, target, amount FROM transfers"
        " WHERE table_name = 'cashier' AND number = 1",
        "cashier has transfers of row 0, which is not there",
    ),
    Kind(
        "places of transfers",
        "UPDATE transfers SET place = place + 7 WHERE table_name = 'cashier' AND number = 1",
        "cashier row 1: the transfers beside it are not its own",
    ),
    Kind(
        "result of round 0",
        "INSERT INTO results SELECT table_name, 0, player, at_ms, began_ms, book, staked,"
        " returned, net, outcomes FROM results WHERE round = 1",
        "has results of round 0, which is not there",
    ),
    Kind("checkpoint of row 0", "UPDATE checkpoints SET number = 0", "a checkpoint of row 0"),
    Kind("head of row 0", "INSERT INTO heads VALUES ('ghost', 0, 'x')", _rows_of("ghost")),
    Kind(
        "balance of nobody",
        "INSERT INTO balances VALUES ('wallet:zoe', 0)",
        "wallet:zoe has a balance, and no row ever moved it",
    ),
    Kind(
        "wallet that looks alike",
        "UPDATE balances SET account = 'wallet:m\u0430l' WHERE account = 'wallet:mal'",
        "wallet:mal holds 0, by the journal",
    ),
    Kind(
        "account that looks alike",
        "INSERT INTO accounts SELECT '\u0435ve', role, money, password, opened_ms, 0, 0"
        " FROM accounts WHERE name = 'mal'",
        "of \u0435ve is stored as",
    ),
    Kind(
        "limit that is none",
        "INSERT INTO limits VALUES ('mal', 'loss_day', 'operator', NULL, NULL, NULL)",
        "the limit of mal, operator's loss_day is stored as None",
    ),
    Kind(
        "limit with a future",
        "UPDATE limits SET next_amount = 5, next_from_ms = 9999999999999 WHERE amount = 500",
        "office row .*the limit of eve, operator's loss_day is stored as 500, then 5",
    ),
    Kind(
        "closure of the clock",
        "INSERT INTO closures VALUES ('gaming', 'clock', 'platform', 1, 'x')",
        "the closure of gaming clock is stored as",
    ),
    Kind("revoked key", "INSERT INTO api_keys VALUES ('zoe', 'x', 1)", "of zoe is stored as"),
    Kind(
        "session that began earlier",
        "UPDATE sessions SET opened_ms = 1 WHERE account = 'mal'",
        "this house did not begin a session of mal",
    ),
    Kind("book before its table", "INSERT INTO books VALUES ('y', '{}')", "the rule book y was ch"),
    Kind(
        "book of another digest",
        "INSERT INTO books SELECT 'y', content FROM books",
        "the rule book y was changed",
    ),
    Kind("manifest added", "INSERT INTO manifests VALUES ('y', '{}')", "the manifest y was chang"),
    Kind("manifest changed", "UPDATE manifests SET content = '{}'", "the manifest .* was changed"),
    Kind(
        "manifest unreadable", "UPDATE manifests SET content = 'x'", "the manifest .* was changed"
    ),
    Kind("manifest removed", "DELETE FROM manifests", "which was approved, is missing"),
    Kind(
        "meters as a table",
        "UPDATE tables SET setup = '{\"decks\":8}' WHERE substr(name, 1, 7) = 'meters '",
        "meters .* are meters, and stored as a table",
    ),
    Kind(
        "table as meters",
        "UPDATE tables SET setup = '{}' WHERE name = 'maryland 1'",
        "the setup of maryland 1 cannot be read",
    ),
    Kind(
        "version of the database",
        "UPDATE alembic_version SET version_num = '0006'",
        "the database's version 0006 was added",
    ),
    Kind("no version", "DELETE FROM alembic_version", "the database's version .* is missing"),
    Kind(
        "second version",
        "INSERT INTO alembic_version VALUES ('0006')",
        "the database's version 0006 was added",
    ),
)
SQLITE_STRAYS = (
    Kind(
        "balance of a name in bytes",
        "INSERT INTO balances VALUES (CAST('wallet:mal' AS BLOB), 0)",
        "wallet:mal' has a balance, and no row ever moved it",
    ),
    Kind("chain in bytes", _row("CAST(table_name AS BLOB)"), "cashier' has rows, but there is no"),
    Kind(
        "account in bytes",
        "INSERT INTO accounts SELECT CAST(name AS BLOB), role, money, password, opened_ms, 0, 0"
        " FROM accounts WHERE name = 'mal'",
        "of b'mal' is stored as",
    ),
    Kind(
        "key in bytes",
        "UPDATE api_keys SET name = CAST(name AS BLOB) WHERE name = 'old'",
        "key of (b'old'|old) is stored as",
    ),
    Kind("head of no number", "UPDATE heads SET number = 'x'", "has a head of row x, which is not"),
    Kind("checkpoint of no row", "UPDATE checkpoints SET number = 'x'", "a checkpoint of row x"),
    Kind(
        "seal in bytes",
        "UPDATE checkpoints SET sealed = CAST(sealed AS BLOB)",
        "the checkpoint of it is not how the table stood",
    ),
    Kind("fence of no number", "UPDATE tables SET fence = 'x'", "has the fence x, which no server"),
    Kind("lease of no time", "UPDATE tables SET lease_until_ms = 'x'", "ends at x, later than any"),
    Kind("half a row", _row("table_name", "1.5"), "cashier row 1.5: row 2 is missing"),
    Kind("row of no number", _row("table_name", "'one'"), "cashier row"),
    Kind(
        "half a transfer",
        "INSERT INTO transfers SELECT table_name, 0.5, place, source, target, amount FROM transfers"
        " WHERE table_name = 'cashier' AND number = 1",
        "cashier has transfers of row 0.5, which is not there",
    ),
    Kind(
        "half a millisecond",
        "UPDATE accounts SET excluded_until_ms = excluded_until_ms - 0.5 WHERE name = 'eve'",
        "office row .*the exclusion of eve",
    ),
    Kind(
        "actor in bytes",
        "UPDATE journal SET actor = CAST(actor AS BLOB) WHERE table_name = 'office' AND number = 3",
        "office row 3: ",
    ),
    Kind(
        "actor with more behind it",
        "UPDATE journal SET actor = actor || char(0) || 'x' WHERE table_name = 'office'"
        " AND number = 3",
        "office row 3: it was changed",
    ),
)


def lying_index(connection: sa.Connection) -> None:
    """Rows without codes, and an index of such rows that has none of them and looks as it must."""
    bigger_win_no_codes(connection)
    lie = "mac IS NULL AND command = 'none'"
    connection.exec_driver_sql(
        f"CREATE INDEX lie ON journal USING btree (table_name, number) WHERE {lie}"
    )
    connection.exec_driver_sql(
        "UPDATE pg_index SET indpred = (SELECT indpred FROM pg_index"
        " WHERE indexrelid = 'journal_unkeyed'::regclass) WHERE indexrelid = 'lie'::regclass"
    )
    connection.exec_driver_sql("DROP INDEX journal_unkeyed")
    connection.exec_driver_sql("ALTER INDEX lie RENAME TO journal_unkeyed")
    connection.exec_driver_sql("SET LOCAL enable_seqscan = off")


POSTGRES_STRAYS = (
    Kind("index that lies", lying_index, NOT_OURS),
    Kind(
        "replica in this session",
        lambda connection: _run(connection, "SET LOCAL session_replication_role = replica"),
        "the database's setting session_replication_role=replica was added",
    ),
)


def _run(connection: sa.Connection, statement: str) -> None:
    connection.exec_driver_sql(statement)
