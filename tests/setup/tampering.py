"""Changing what is written: who has the database can, once the triggers are out of the way."""

from typing import Any

import msgspec
import sqlalchemy as sa
from psycopg.errors import DeadlockDetected

from waiting import until
from wartable.server.records import database, journal, schema, triggers
from wartable.server.records.keys import HouseKey

TABLES = ("journal", "transfers")
SQLITE = [
    f"DROP TRIGGER IF EXISTS {name}_no_{what}" for name in TABLES for what in ("update", "delete")
]
POSTGRES = [f"DROP TRIGGER IF EXISTS {name}_only_grows ON {name}" for name in TABLES]
POSTGRES_TRIGGERS = [
    f"CREATE OR REPLACE TRIGGER {name}_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON {name}"
    " FOR EACH STATEMENT EXECUTE FUNCTION only_grows()"
    for name in TABLES
]


def altered(sealed: str) -> str:
    """A sealed text with another end, whatever its end is."""
    return sealed[:-2] + ("11" if sealed.endswith("00") else "00")


def drop_triggers(connection: sa.Connection) -> None:
    """Drop the triggers that forbid a change of journal and transfers.

    An open house reads both tables in an order of its own: PostgreSQL may have one of the two wait
    for the other for ever, and refuses one. Then it is tried again.
    """
    if connection.dialect.name == "sqlite":
        for statement in SQLITE:
            connection.exec_driver_sql(statement)
        return

    def dropped() -> bool:
        try:
            with connection.begin_nested():
                connection.exec_driver_sql("; ".join(POSTGRES))
        except sa.exc.OperationalError as problem:
            if not isinstance(problem.orig, DeadlockDetected):
                raise
            return False
        return True

    until(dropped, "the triggers cannot be dropped")


def restore_triggers(connection: sa.Connection) -> None:
    """Put the triggers back, as a careful forger would."""
    if connection.dialect.name == "sqlite":
        triggers.put_up(connection)
        return
    for statement in POSTGRES_TRIGGERS:
        connection.exec_driver_sql(statement)


def rechained(
    connection: sa.Connection, name: str, changes: dict[int, dict[str, Any]], key: HouseKey
) -> None:
    """Change rows and mend the hashes and codes after them, as a forger with that key would."""
    drop_triggers(connection)
    rows, previous = schema.journal, journal.GENESIS
    for row in list(database.rows_of(connection, name)):
        changed = msgspec.structs.replace(row, **changes.get(row.number, {}))
        hash_ = journal.row_hash(previous, changed)
        forged = msgspec.structs.replace(changed, hash=hash_, mac=key.mac(hash_))
        previous = forged.hash
        connection.execute(
            rows.update()
            .where(rows.c.table_name == name, rows.c.number == row.number)
            .values(msgspec.structs.asdict(forged))
        )
    heads = schema.heads
    connection.execute(heads.update().where(heads.c.table_name == name).values(hash=previous))
    restore_triggers(connection)
