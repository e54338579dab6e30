"""Changing what is written: who has the database can, once the triggers are out of the way."""

import sqlalchemy as sa

TABLES = ("journal", "transfers")
SQLITE = [f"DROP TRIGGER {name}_no_{what}" for name in TABLES for what in ("update", "delete")]
POSTGRES = [f"DROP TRIGGER {name}_only_grows ON {name}" for name in TABLES]


def unguard(connection: sa.Connection) -> None:
    """Drop the triggers that forbid a change of journal and transfers."""
    for statement in SQLITE if connection.dialect.name == "sqlite" else POSTGRES:
        connection.exec_driver_sql(statement)
