"""Marks outside the database: what the journal once had, it must still have.

Anyone who can write to the database could cut every chain, or rechain all rows consistently. A file
elsewhere, with the chains' heads at every check, reveals that.
"""

import os
from pathlib import Path

import msgspec
import sqlalchemy as sa

from wartable.refusal import Unusable
from wartable.server.period import utc
from wartable.server.records import database, schema
from wartable.server.records.chain import Head
from wartable.server.records.journal import Broken


class Mark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One mark: its time, and the heads that changed since the mark before."""

    at_ms: int
    heads: dict[str, Head]


class BadMarks(Unusable):
    """A file without usable marks; the sentence says why."""

    kind = "bad_marks"


def read(path: Path) -> list[Mark]:
    """The marks in the file, oldest first; none if there is no file yet."""
    try:
        lines = path.read_bytes().splitlines() if path.exists() else []
        return [msgspec.json.decode(line, type=Mark) for line in lines]
    except OSError as error:
        raise BadMarks(f"{path} cannot be read: {error.strerror}.") from None
    except msgspec.DecodeError:
        raise BadMarks(f"{path} has no marks of a journal; name a file of its own.") from None


def check(source: database.Source, marks: list[Mark]) -> None:
    """Refuse a journal that lost rows; a chain's last mark covers all before it."""
    seen = {name: (head, mark.at_ms) for mark in marks for name, head in mark.heads.items()}
    rows = schema.journal.c
    with database.reading(source) as connection:
        for name, ((number, marked), at_ms) in seen.items():
            query = sa.select(rows.hash).where(rows.table_name == name, rows.number == number)
            found = connection.execute(query).scalar()
            if found != marked:
                what = "is gone" if found is None else "is another one"
                raise Broken(None, f"{name} row {number}, marked at {utc(at_ms)}, {what} now")


def add(source: database.Source, path: Path, marks: list[Mark], now_ms: int) -> None:
    """Mark the heads that are new since the last mark."""
    old = {name: head for mark in marks for name, head in mark.heads.items()}
    with database.reading(source) as connection:
        found = connection.execute(sa.select(schema.heads).order_by(schema.heads.c.table_name))
        now: dict[str, Head] = {each.table_name: (each.number, each.hash) for each in found}
    heads = {name: head for name, head in now.items() if old.get(name) != head}
    try:
        with path.open("ab") as file:
            file.write(msgspec.json.encode(Mark(now_ms, heads)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise BadMarks(f"{path} cannot be written: {error.strerror}.") from None
