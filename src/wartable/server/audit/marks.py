"""Marks outside the database: what the journal once had, it must still have.

Anyone who can write to the database could put an older copy of it in its place. A file elsewhere
with the signed heads of the chains reveals that. A house keeps one beside its key while it is open,
and an auditor can keep another anywhere.
"""

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec
import sqlalchemy as sa

from wartable.refusal import Unusable
from wartable.server.config import HouseProblem
from wartable.server.period import utc
from wartable.server.records import database, schema
from wartable.server.records.chain import Head
from wartable.server.records.journal import Broken, Row
from wartable.server.records.keys import HouseKey

FILE = "marks"
"""The name of a house's own marks in its folder."""

KEEP_S = 1
"""How often an open house marks what it has written."""

APPENDED_BYTES_MAX = 4 << 20
"""How much a file may grow before it is written anew."""


class Mark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One mark: its time, the heads that changed since the mark before, and its signature."""

    at_ms: int
    heads: dict[str, Head]
    signature: str = ""
    """Empty in marks of older versions."""

    def signed(self, by: Callable[[bytes, str], bool]) -> bool:
        """Whether it carries that house's signature, or none, as older marks do."""
        return not self.signature or by(_signing(self.at_ms, self.heads), self.signature)


_ENCODE = msgspec.json.Encoder(order="deterministic").encode


def _signing(at_ms: int, heads: Mapping[str, Head]) -> bytes:
    """What the signature of a mark is of."""
    return _ENCODE([at_ms, heads])


def new_mark(key: HouseKey, at_ms: int, heads: dict[str, Head]) -> Mark:
    """A mark signed by the house."""
    return Mark(at_ms, heads, key.sign(_signing(at_ms, heads)))


class BadMarks(Unusable):
    """A file without usable marks; the sentence says why."""

    kind = "bad_marks"


def read(path: Path, by: Callable[[bytes, str], bool]) -> list[Mark]:
    """The marks in the file, oldest first, each signed by the house; none if there is no file."""
    try:
        lines = path.read_bytes().split(b"\n") if path.exists() else [b""]
        # A kill may have cut off the last line; what it was to mark is in the database.
        marks = [msgspec.json.decode(line, type=Mark) for line in lines[:-1]]
    except OSError as error:
        raise BadMarks(f"{path} cannot be read: {error.strerror}.") from None
    except msgspec.DecodeError:
        raise _no_marks(path) from None
    if lines[-1] and not marks:
        raise _no_marks(path)
    for mark in marks:
        if not mark.signed(by):
            raise BadMarks(f"The mark of {utc(mark.at_ms)} in {path} is not this house's.")
    return marks


def _no_marks(path: Path) -> BadMarks:
    return BadMarks(f"{path} has no marks of a journal; name a file of its own.")


def heads_of(marks: list[Mark]) -> dict[str, Head]:
    """The last marked head of each chain, which covers all before it."""
    return {name: head for mark in marks for name, head in mark.heads.items()}


def check(source: database.Source, marks: list[Mark]) -> None:
    """Refuse a journal that lost rows."""
    times = {name: mark.at_ms for mark in marks for name in mark.heads}
    for name, (number, found) in _missing(source, heads_of(marks)):
        what = "is another one" if found else "is gone"
        raise Broken(None, f"{name} row {number}, marked at {utc(times[name])}, {what} now")


def lost(source: database.Source, marks: list[Mark]) -> dict[str, Head]:
    """The marked heads that are no longer in the journal."""
    marked = heads_of(marks)
    return {name: marked[name] for name, _ in _missing(source, marked)}


def _missing(
    source: database.Source, marked: dict[str, Head]
) -> Iterator[tuple[str, tuple[int, bool]]]:
    """Each chain that lacks its marked row: the row's number, and whether another has it."""
    rows = schema.journal.c
    with database.reading(source) as connection:
        ends = _heads(connection)
        for name, (number, hash_) in marked.items():
            if ends.get(name) == (number, hash_):
                continue
            query = sa.select(rows.hash).where(rows.table_name == name, rows.number == number)
            found = connection.execute(query).scalar()
            if found != hash_:
                yield name, (number, found is not None)


def _heads(connection: sa.Connection) -> dict[str, Head]:
    found = connection.execute(sa.select(schema.heads).order_by(schema.heads.c.table_name))
    return {each.table_name: (each.number, each.hash) for each in found}


def add(source: database.Source, path: Path, marks: list[Mark], key: HouseKey, now_ms: int) -> None:
    """Mark the heads that are new since the last mark."""
    old = heads_of(marks)
    with database.reading(source) as connection:
        now = _heads(connection)
    heads = {name: head for name, head in now.items() if old.get(name) != head}
    _append(path, new_mark(key, now_ms, heads))


def _append(path: Path, mark: Mark) -> int:
    """Write the mark at the end of the file; return its size in bytes."""
    line = _ENCODE(mark) + b"\n"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise BadMarks(f"{path} cannot be written: {error.strerror}.") from None
    return len(line)


class HouseMarks:
    """A house's own marks: written every second, for what was committed since."""

    def __init__(self, folder: Path, key: HouseKey, now_ms: Callable[[], int]) -> None:
        self._path, self._key, self._now_ms = folder / FILE, key, now_ms
        self._new: dict[str, Head] = {}
        self._heads: dict[str, Head] = {}
        self._appended = 0

    def check(self, engine: sa.Engine) -> None:
        """Refuse records that lost what this house has marked; then begin the file anew."""
        try:
            marks = read(self._path, self._key.signed)
            check(engine, marks)
        except BadMarks as error:
            raise HouseProblem(str(error)) from None
        except Broken as error:
            raise HouseProblem(
                f"the records are older than this house's marks: {error}. Put the newest records"
                " back, or accept the loss with: wartable db accept-rollback REASON"
            ) from None
        with engine.connect() as connection:
            self._heads = _heads(connection)
        self._rewrite()

    def saw(self, row: Row) -> None:
        """Remember a row that was committed."""
        self._new[row.table_name] = (row.number, row.hash)

    async def keep(self) -> None:
        """Mark what was committed since the last time."""
        if self._new:
            new, self._new = self._new, {}
            try:
                await asyncio.to_thread(self._keep, new)
            except BadMarks:
                self._new = new | self._new  # the next time marks it too
                raise

    def _keep(self, new: dict[str, Head]) -> None:
        self._heads |= new
        if self._appended > APPENDED_BYTES_MAX:
            self._rewrite()
        else:
            self._appended += _append(self._path, new_mark(self._key, self._now_ms(), new))

    def _rewrite(self) -> None:
        """Write the file anew with one mark of everything."""
        new = self._path.with_name(FILE + ".new")
        new.unlink(missing_ok=True)
        _append(new, new_mark(self._key, self._now_ms(), self._heads))
        new.rename(self._path)
        self._appended = 0


def set_aside(folder: Path, now_ms: int) -> None:
    """Put the house's marks aside, so that older records can be opened."""
    path = folder / FILE
    if path.exists():
        path.rename(folder / f"{FILE}-until-{now_ms}")
