"""Rows from before rows were keyed: one row of the office vouches for all of them, once."""

from typing import Final

import msgspec
import sqlalchemy as sa

from wartable.server.records import database, journal, schema
from wartable.server.records.chain import Head
from wartable.server.records.facts import HeadsFact
from wartable.server.records.journal import GENESIS, Broken, Row
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import OFFICE, Note
from wartable.server.records.notes import write_note
from wartable.table import PLATFORM

KEYED: Final = "rows_keyed"
VERSION = "0006"
"""The version of the database from which on every row has an authentication code."""


def check(source: database.Source, key: HouseKey) -> None:
    """Raise `Broken` if a row without an authentication code is not one that is vouched for."""
    with database.reading(source) as connection:
        found, vouched = _unkeyed(connection), _vouched(connection, key)
    for name, head in sorted(found.items()):
        if vouched.get(name) != head:
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


def _vouched(connection: sa.Connection, key: HouseKey) -> dict[str, Head]:
    """The heads that the office's row vouches for; none if there is no such row."""
    rows = schema.journal
    query = sa.select(rows).where(
        rows.c.table_name == OFFICE,
        rows.c.mac.is_not(None),
        rows.c.command.contains(f'"kind":"{KEYED}"'),
    )
    for found in connection.execute(query.order_by(rows.c.number)):
        row = Row(*found)
        before = sa.select(rows.c.hash).where(
            rows.c.table_name == OFFICE, rows.c.number == row.number - 1
        )
        previous = connection.execute(before).scalar() or GENESIS
        written = row.mac is not None and key.wrote(row.hash, row.mac)
        if not written or journal.row_hash(previous, row) != row.hash:
            raise Broken(row, "this house did not write it, and it vouches for older rows")
        note = msgspec.json.decode(row.command, type=Note)
        if note.kind == KEYED and isinstance(note.facts, HeadsFact):
            return note.facts.heads
    return {}
