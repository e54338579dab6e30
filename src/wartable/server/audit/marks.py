"""Marks outside the database: the journal must still have whatever it had when it was marked.

Anyone who can write to the database could put an older copy of it in its place. A file elsewhere
with the signed heads of the chains reveals that. A house keeps one beside its key while it is open,
and an auditor can keep another anywhere.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
import sqlalchemy as sa

from wartable.refusal import Unusable
from wartable.server.audit import verified
from wartable.server.config import HouseProblem
from wartable.server.house import wallets
from wartable.server.house.guard import Guard
from wartable.server.house.wallets import Wallets
from wartable.server.period import utc
from wartable.server.records import database, schema
from wartable.server.records.journal import Broken, Head
from wartable.server.records.keys import HouseKey

FILE = "marks"
"""The name of a house's own marks in its folder."""

ACCEPT = "accept the loss with: wartable db accept-rollback REASON"

KEEP_S = 1
"""How often an open house marks what it has written."""

QUIET_MS = 10 * 60_000
"""How long without rows until it marks anyway, so that it knows when it was last open."""

APPENDED_BYTES_MAX = 4 << 20
"""How much a file may grow before it is rewritten."""


class Mark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One mark: its time, the heads that changed since the mark before, and its signature."""

    at_ms: int
    heads: dict[str, Head]
    signature: str = ""
    """Empty in marks of older versions."""
    wallets: dict[str, int] | None = None
    """What the wallets that changed hold after these rows; only a house's own marks have this."""

    def signed(self, by: Callable[[bytes, str], bool]) -> bool:
        """Whether it carries that house's signature."""
        return by(_signing(self.at_ms, self.heads, self.wallets), self.signature)


_ENCODE = msgspec.json.Encoder(order="deterministic").encode


def _signing(at_ms: int, heads: Mapping[str, Head], wallets: Mapping[str, int] | None) -> bytes:
    """The bytes that a mark's signature covers."""
    return _ENCODE([at_ms, heads] if wallets is None else [at_ms, heads, wallets])


def new_mark(
    key: HouseKey, at_ms: int, heads: dict[str, Head], wallets: dict[str, int] | None = None
) -> Mark:
    """A mark signed by the house."""
    return Mark(at_ms, heads, key.sign(_signing(at_ms, heads, wallets)), wallets)


class BadMarks(Unusable):
    """A file without usable marks; the sentence says why."""

    kind = "bad_marks"


def read(path: Path, by: Callable[[bytes, str], bool], older: bool = False) -> list[Mark]:
    """The marks in the file, oldest first, each signed by the house; none if there is no file.

    With `older`, an auditor's file may begin with unsigned marks; a house signs all its own.
    """
    try:
        lines = path.read_bytes().split(b"\n") if path.exists() else [b""]
        # A kill may have cut off the last line; the rows that it marked are in the database.
        marks = [msgspec.json.decode(line, type=Mark) for line in lines[:-1]]
    except OSError as error:
        raise BadMarks(f"{path} cannot be read: {error.strerror}.") from None
    except msgspec.DecodeError:
        raise _no_marks(path) from None
    if lines[-1] and not marks:
        raise _no_marks(path)
    for mark in marks:
        older = older and not mark.signature
        if not older and not mark.signed(by):
            raise BadMarks(f"The mark of {utc(mark.at_ms)} in {path} is not this house's.")
    return marks


def _no_marks(path: Path) -> BadMarks:
    return BadMarks(f"{path} has no marks of a journal, or is damaged.")


def heads_of(marks: list[Mark]) -> dict[str, Head]:
    """The last marked head of each chain, which covers every earlier one."""
    return {name: head for mark in marks for name, head in mark.heads.items()}


def check(source: database.Queryable, marks: list[Mark]) -> None:
    """Refuse a journal that lost rows."""
    times = {name: mark.at_ms for mark in marks for name in mark.heads}
    for name, (number, found) in _missing(source, heads_of(marks)):
        what = "is another one" if found else "is gone"
        raise Broken(None, f"{name} row {number}, marked at {utc(times[name])}, {what} now")


def lost(source: database.Queryable, marks: list[Mark]) -> dict[str, Head]:
    """The marked heads that are no longer in the journal."""
    marked = heads_of(marks)
    return {name: marked[name] for name, _ in _missing(source, marked)}


def _missing(
    source: database.Queryable, marked: dict[str, Head]
) -> Iterator[tuple[str, tuple[int, bool]]]:
    """Each chain that lacks its marked row: the row's number, and whether another has it."""
    rows = schema.journal.c
    with database.reading(source) as connection:
        ends = database.heads(connection)
        for name, (number, hash_) in marked.items():
            if ends.get(name) == (number, hash_):
                continue
            query = sa.select(rows.hash).where(rows.table_name == name, rows.number == number)
            found = connection.execute(query).scalar()
            if found != hash_:
                yield name, (number, found is not None)


def _wallets_now(source: sa.Connection, key: HouseKey, marks: list[Mark]) -> dict[str, int]:
    """What every wallet holds, by the marks and the rows since; `Broken` if it is stored otherwise.

    A house that has marked no wallet yet takes the stored balances.
    """
    held = wallets.stored(source)
    if all(mark.wallets is None for mark in marks):
        return held
    known = Counter({name: each for mark in marks for name, each in (mark.wallets or {}).items()})
    for _, moved in wallets.later(source, key, heads_of(marks)):
        known.update(moved)
    for name in sorted({*known, *held}):
        if known[name] != held.get(name, 0):
            left = f"{name} holds {held.get(name, 0)}, and this house left it with {known[name]}"
            raise Broken(None, left)
    return dict(known)


def add(
    source: database.Queryable, path: Path, marks: list[Mark], key: HouseKey, now_ms: int
) -> None:
    """Mark the heads that are new since the last mark."""
    old = heads_of(marks)
    with database.reading(source) as connection:
        now = database.heads(connection)
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
        self._moved: dict[str, int] = {}
        self._wallets: dict[str, int] = {}
        self._appended = self._marked_ms = 0
        self._writing: asyncio.Task[None] | None = None
        self.unmarked = False
        """Whether there were rows but no marks, so that nothing proves that no row is missing."""

    def check(self, engine: sa.Engine) -> int:
        """Refuse records that lost what this house has marked; return the time of the last mark."""
        try:
            marks = read(self._path, self._key.signed)
            check(engine, marks)
        except BadMarks as error:
            raise HouseProblem(f"{error} Put its copy back, or {ACCEPT}") from None
        except Broken as error:
            raise HouseProblem(
                f"the records are older than this house's marks: {error}. Put the newest records"
                f" back, or {ACCEPT}"
            ) from None
        with database.snapshot(engine) as source:
            try:
                self._wallets = _wallets_now(source, self._key, marks)
            except Broken as error:
                sentence = f"the records are not whole: {error}; run: wartable audit verify"
                raise HouseProblem(sentence) from None
            self._heads = database.heads(source)
        self.unmarked = not marks and bool(self._heads)
        return max((mark.at_ms for mark in marks), default=0)

    def begin(self) -> None:
        """Start a new file with what the records had when they were checked."""
        self._rewrite()

    def wallets(self, engine: sa.Engine, guard: Guard) -> Wallets:
        """The wallets of a house that was checked and is opened now."""
        amounts, heads = dict(self._wallets), dict(self._heads)
        return Wallets(engine, guard, self._key, amounts, heads, self.saw)

    def check_table(self, engine: sa.Engine, name: str) -> None:
        """Refuse a table that lost rows since the house opened; `Broken` names the row."""
        known = self._new.get(name) or self._heads.get(name)
        rows = schema.journal.c
        if known is not None:
            query = sa.select(rows.hash).where(rows.table_name == name, rows.number == known[0])
            with engine.connect() as connection:
                if connection.execute(query).scalar() != known[1]:
                    raise Broken(None, f"{name} row {known[0]} was written, and is gone now")

    def check_again(self, engine: sa.Engine) -> None:
        """Refuse records that lost what was marked since they were checked; `Broken` names it."""
        marked = self._heads | self._new
        for name, (number, found) in _missing(engine, dict(marked)):
            what = "is another one" if found else "is gone"
            raise Broken(None, f"{name} row {number} {what} now")

    def saw(self, name: str, head: Head, wallets: dict[str, int]) -> None:
        """Remember a row that was committed, and what the wallets that it moved hold after it."""
        self._new[name] = head
        if wallets:
            self._moved |= wallets

    async def keep(self) -> None:
        """Mark what was committed since the last time.

        A call that is cancelled leaves a mark being written; the next call waits for it.
        """
        if self._writing is not None:
            with suppress(BadMarks):
                await asyncio.shield(self._writing)
        if self._new or self._now_ms() - self._marked_ms >= QUIET_MS:
            new, self._new = self._new, {}
            moved, self._moved = self._moved, {}
            self._writing = asyncio.create_task(self._written(new, moved), name="mark")
            await asyncio.shield(self._writing)

    async def _written(self, new: dict[str, Head], moved: dict[str, int]) -> None:
        try:
            await asyncio.to_thread(self._keep, new, moved)
        except BadMarks:
            self._new, self._moved = new | self._new, moved | self._moved  # the next time
            raise
        finally:
            self._writing = None

    def _keep(self, new: dict[str, Head], moved: dict[str, int]) -> None:
        self._heads |= new
        self._wallets |= moved
        if self._appended > APPENDED_BYTES_MAX:
            self._rewrite()
        else:
            self._marked_ms = self._now_ms()
            mark = new_mark(self._key, self._marked_ms, new, moved)
            self._appended += _append(self._path, mark)

    def _rewrite(self) -> None:
        """Rewrite the file with a single mark of everything."""
        new = self._path.with_name(FILE + ".new")
        new.unlink(missing_ok=True)
        self._marked_ms = self._now_ms()
        _append(new, new_mark(self._key, self._marked_ms, self._heads, self._wallets))
        new.rename(self._path)
        self._appended = 0


def set_aside(folder: Path, now_ms: int) -> None:
    """Move the house's marks aside, so that older records can be opened."""
    (folder / verified.FILE).unlink(missing_ok=True)
    path = folder / FILE
    if path.exists():
        path.rename(folder / f"{FILE}-until-{now_ms}")
