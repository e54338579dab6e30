"""Rows from before rows were keyed: one row of the office vouches for all of them, once."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
import sqlalchemy as sa

from wartable.server.records import database, journal, schema
from wartable.server.records.facts import HeadsFact
from wartable.server.records.journal import GENESIS, START, Broken, Head
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Note
from wartable.server.records.notes import write_note
from wartable.server.records.rows import OFFICE, Row
from wartable.table import PLATFORM

KEYED: Final = "rows_keyed"
VERSION = "0006"
"""The version of the database since which every row has an authentication code."""


def check(source: database.Queryable, key: HouseKey) -> None:
    """Raise `Broken` if a row without an authentication code is not one that is vouched for."""
    with database.reading(source) as connection:
        found, known = _unkeyed(connection), vouched(connection, key)
    for name, head in sorted(found.items()):
        if known.get(name) != head:
            missing = "this house did not write it: it has no authentication code"
            raise Broken(None, f"{name} row {head[0]}: {missing}")


def vouch(address: str, key: HouseKey, reason: str, now_ms: int) -> int:
    """Vouch for every row without an authentication code; return how many chains have some."""
    engine = database.engine_for(address)
    with database.reading(engine) as connection:
        found = _unkeyed(connection)
    engine.dispose()
    if found:
        note = Note(KEYED, "house", reason, "", f"key {key.id}", HeadsFact(found))
        write_note(address, key, PLATFORM, note, now_ms)
    return len(found)


def genuine(connection: sa.Connection, key: HouseKey, row: Row) -> bool:
    """Whether this house wrote one row of the journal; one without a code is vouched for."""
    if row.mac is not None:
        return _wrote(connection, key, row)
    head = vouched(connection, key).get(row.table_name, START)
    previous = (row.number - 1, _hash_before(connection, row))
    rows = database.rows_of(connection, row.table_name, previous[0])
    try:
        following = journal.check_chain(rows, None, previous)
        return any((each.number, each.hash) == head for each in following)
    except Broken:
        return False


def coded(source: database.Queryable, key: HouseKey, rows: Iterable[Row]) -> Iterator[Row]:
    """The rows; `Broken` at one without an authentication code that the house does not vouch for.

    Somebody may have added it while the table slept, or changed it for a moment.
    """
    known: int | None = None
    for row in rows:
        if row.mac is None:
            if known is None:
                with database.reading(source) as connection:
                    known = vouched(connection, key).get(row.table_name, START)[0]
            if row.number > known:
                raise Broken(row, "this house did not write it: it has no authentication code")
        yield row


def last_ms(source: database.Queryable, key: HouseKey) -> int:
    """The time of the newest row; `Broken` if this house did not write it."""
    rows = schema.journal
    with database.reading(source) as connection:
        query = sa.select(rows).order_by(rows.c.at_ms.desc()).limit(1)
        found = connection.execute(query).first()
        if found is None:
            return 0
        row = Row(*found)
        if not genuine(connection, key, row):
            raise Broken(row, "this house did not write it")
    return row.at_ms


def _wrote(connection: sa.Connection, key: HouseKey, row: Row) -> bool:
    """Whether a row has the house's code, which covers its content and the row before it."""
    if row.mac is None or not key.wrote(row.hash, row.mac):
        return False
    return journal.row_hash(_hash_before(connection, row), row) == row.hash


def _hash_before(connection: sa.Connection, row: Row) -> str:
    rows = schema.journal.c
    before = sa.select(rows.hash).where(
        rows.table_name == row.table_name, rows.number == row.number - 1
    )
    return connection.execute(before).scalar() or GENESIS


def carried_out(
    source: database.Queryable, key: HouseKey, name: str, command_id: str
) -> tuple[int, str] | None:
    """The number and the command of the row with this id; `Broken` if it is not the house's."""
    rows = schema.journal
    query = sa.select(rows).where(rows.c.table_name == name, rows.c.command_id == command_id)
    with database.reading(source) as connection:
        found = connection.execute(query).first()
        if found is None:
            return None
        row = Row(*found)
        if not genuine(connection, key, row):
            raise Broken(row, "this house did not write it")
    return row.number, row.command


def _unkeyed(connection: sa.Connection) -> dict[str, Head]:
    """The last row of each chain that has no authentication code."""
    rows = schema.journal.c
    last = (
        sa.select(rows.table_name, sa.func.max(rows.number).label("number"))
        .where(rows.mac.is_(None))
        .group_by(rows.table_name)
        .subquery()
    )
    same = sa.and_(rows.table_name == last.c.table_name, rows.number == last.c.number)
    found = connection.execute(sa.select(rows.table_name, rows.number, rows.hash).where(same))
    return {each.table_name: (each.number, each.hash) for each in found}


def vouched(connection: sa.Connection, key: HouseKey) -> dict[str, Head]:
    """The heads that the office's row vouches for; none if there is no such row."""
    rows = schema.journal
    query = sa.select(rows).where(
        rows.c.table_name == OFFICE,
        rows.c.mac.is_not(None),
        rows.c.command.contains(f'"kind":"{KEYED}"'),
    )
    for found in connection.execute(query.order_by(rows.c.number)):
        row = Row(*found)
        if not _wrote(connection, key, row):
            raise Broken(row, "this house did not write it, and it vouches for older rows")
        note = msgspec.json.decode(row.command, type=Note)
        if note.kind == KEYED and isinstance(note.facts, HeadsFact):
            return note.facts.heads
    return {}
