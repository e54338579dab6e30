"""The triggers by which the database itself prevents changes to journal and transfers."""

from collections.abc import Iterator

import sqlalchemy as sa

from wartable.server.records.journal import Broken

TABLES = ("journal", "transfers")
SQLITE = {
    f"{table}_no_{what.lower()}": f"CREATE TRIGGER {table}_no_{what.lower()} BEFORE {what}"
    f" ON {table} BEGIN SELECT RAISE(ABORT, '{table} only grows'); END"
    for table in TABLES
    for what in ("UPDATE", "DELETE")
}
"""Each SQLite trigger with the statement that made it, which SQLite stores."""

BEFORE_CHANGES = 2 + 8 + 16 + 32
"""PostgreSQL's number for: before DELETE, UPDATE and TRUNCATE, once for each statement."""
REFUSES = " BEGIN RAISE EXCEPTION '% only grows', TG_TABLE_NAME; END "
POSTGRES = {f"{table}_only_grows": (table, BEFORE_CHANGES, True, REFUSES) for table in TABLES}
"""Each PostgreSQL trigger with its table, its events, whether it always fires, and its code."""

_FOUND = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": (
        "SELECT tgname, relname, tgtype, tgenabled IN ('O', 'A') AND tgqual IS NULL"
        " AND cardinality(tgattr::int2[]) = 0, prosrc FROM pg_trigger"
        " JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid"
        " WHERE tgrelid IN ('journal'::regclass, 'transfers'::regclass)"
    ),
}


def check(source: sa.Connection) -> None:
    """`Broken` with the name of the first trigger that is missing or was changed."""
    expected = SQLITE if source.dialect.name == "sqlite" else POSTGRES
    found = dict(_found(source))
    for name, made in expected.items():
        if found.get(name) != made:
            what = "was changed" if name in found else "is missing"
            raise Broken(None, f"the database's trigger {name} {what}, so rows could be changed")


def put_up(connection: sa.Connection) -> None:
    """Create the triggers in a SQLite database, replacing those it has."""
    for name, made in SQLITE.items():
        connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {name}")
        connection.exec_driver_sql(made)


def _found(source: sa.Connection) -> Iterator[tuple[str, object]]:
    for name, *made in source.exec_driver_sql(_FOUND[source.dialect.name]):
        yield name, made[0] if len(made) == 1 else tuple(made)
