"""SQLite's triggers, by which the database itself prevents changes to journal and transfers."""

import sqlalchemy as sa

TABLES = ("journal", "transfers")
SQLITE = {
    f"{table}_no_{what.lower()}": f"CREATE TRIGGER {table}_no_{what.lower()} BEFORE {what}"
    f" ON {table} BEGIN SELECT RAISE(ABORT, '{table} only grows'); END"
    for table in TABLES
    for what in ("UPDATE", "DELETE")
}
"""Each trigger with the statement that makes it, which SQLite stores."""


def put_up(connection: sa.Connection) -> None:
    """Create the triggers in a SQLite database, replacing those it has."""
    for name, made in SQLITE.items():
        connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {name}")
        connection.exec_driver_sql(made)
