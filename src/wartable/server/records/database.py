"""The database as a whole: making it, opening tables in it, and reading it back."""

import hashlib
import os
import sqlite3
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sa

from wartable.refusal import Unusable
from wartable.rules import Book
from wartable.rules.load import build
from wartable.rules.raw import Raw
from wartable.server.config import HouseProblem
from wartable.server.records import migrations, schema
from wartable.server.records.journal import GENESIS, Row, Statement
from wartable.server.records.store import POSTGRES, CommitRefused, Overtaken, is_postgres
from wartable.table import Setup

LEASE_MS = 15_000
METERS = "{}"
"""The setup that stands for meters which tables share: they have a lease like a table."""
ROWS_AT_ONCE = 1_000
FENCE_BYTES = 6

_BOOK = "INSERT INTO books (digest, content) VALUES (?, ?) ON CONFLICT DO NOTHING"
_STRAY = (
    "DELETE FROM tables WHERE name = ?"
    " AND NOT EXISTS (SELECT 1 FROM heads WHERE table_name = tables.name)"
)
_NEW = (
    "INSERT INTO tables (name, book, setup, owner, fence, lease_until_ms) VALUES (?, ?, ?, ?, ?, ?)"
)

Source = sa.Engine | sa.Connection
"""Where records are read from: an engine, or one connection whose view does not change."""


class TableTaken(Unusable):
    """A table that another process owns, as a sentence."""

    kind = "open_elsewhere"


def engine_for(address: str) -> sa.Engine:
    """A SQLAlchemy engine on a SQLite file or a PostgreSQL server."""
    if is_postgres(address):
        return sa.create_engine("postgresql+psycopg://" + address.removeprefix(POSTGRES))
    engine = sa.create_engine(f"sqlite:///{address}")

    @sa.event.listens_for(engine, "connect")
    def _connected(connection: sqlite3.Connection, _: Any) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")

    return engine


def reading_engine(address: str) -> sa.Engine:
    """An engine to read with, also where a SQLite file lies in a place that cannot be written."""
    if is_postgres(address) or _writable(address):
        return engine_for(address)
    return sa.create_engine(f"sqlite:///{address}", creator=lambda: connect_to_read(address))


def connect_to_read(address: str) -> sqlite3.Connection:
    """A connection to a SQLite file; where nothing can be written, it needs to write nothing."""
    if _writable(address):
        return sqlite3.connect(address)
    for beside in (Path(f"{address}-wal"), Path(f"{address}-journal")):
        if beside.exists() and beside.stat().st_size:
            told = f"{address} lies where nothing can be written, and {beside.name} belongs to it"
            raise HouseProblem(f"{told}; copy both together to a place that can be written.")
    # Otherwise SQLite wants to make files beside it, even for one who only reads.
    return sqlite3.connect(f"{Path(address).absolute().as_uri()}?immutable=1", uri=True)


def _writable(address: str) -> bool:
    path = Path(address)
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def create(engine: sa.Engine) -> None:
    """Make a new database for its owner's eyes, or refuse one of another program's version."""
    if engine.dialect.name == "sqlite" and engine.url.database:
        Path(engine.url.database).touch(mode=0o600)
    migrations.create(engine)


def open_table(
    engine: sa.Engine, owner: str, now_ms: int, book: Book, content: Raw, setup: Setup
) -> tuple[int, tuple[Statement, ...]]:
    """Take the table's lease: the fence that commits must show, and what makes it if it is new."""
    options = {
        "decks": setup.decks,
        "staffed": setup.staffed,
        "batches": setup.batches,
        "approval": setup.approval,
        "meters": setup.meters,
    }
    kept = msgspec.json.encode(options).decode()
    return _open(engine, owner, now_ms, book, content, setup.name, kept)


async def opened(name: str, first: Awaitable[None]) -> None:
    """Wait until the first row is written; `TableTaken` where another process was first."""
    try:
        await first
    except (Overtaken, CommitRefused):
        raise TableTaken(f"The table {name} is open in another process.") from None


def open_meters(
    engine: sa.Engine, owner: str, now_ms: int, book: Book, content: Raw, name: str
) -> tuple[int, tuple[Statement, ...]]:
    """Take the lease of meters that tables share: the fence, and what makes them if new."""
    return _open(engine, owner, now_ms, book, content, name, METERS)


def _open(
    engine: sa.Engine, owner: str, now_ms: int, book: Book, content: Raw, name: str, setup: str
) -> tuple[int, tuple[Statement, ...]]:
    """The lease of what was opened before; else what commits beside the first row that opens it.

    So there is nothing without a row that opened it; where there is, nobody opened it.
    """
    if head_of(engine, name) is not None:
        return take(engine, owner, now_ms, name), ()
    # In the book's own order: a wheel's stops are drawn in it.
    kept = msgspec.json.encode(content).decode()
    # Two that open it at the same time have not the same fence, and so not the same first row.
    fence = int.from_bytes(hashlib.sha256(owner.encode()).digest()[:FENCE_BYTES])
    values = (name, book.digest, setup, owner, fence, now_ms + LEASE_MS)
    return fence, ((_BOOK, (book.digest, kept)), (_STRAY, (name,)), (_NEW, values))


def take(engine: sa.Engine, owner: str, now_ms: int, name: str) -> int:
    """Take a table's lease, unless another process holds it; the new fence."""
    tables = schema.tables
    free = sa.or_(
        tables.c.owner.is_(None), tables.c.owner == owner, tables.c.lease_until_ms < now_ms
    )
    with engine.begin() as connection:
        taken = connection.execute(
            tables.update()
            .where(tables.c.name == name, free)
            .values(owner=owner, fence=tables.c.fence + 1, lease_until_ms=now_ms + LEASE_MS)
        )
        if taken.rowcount != 1:
            raise TableTaken(f"The table {name} is open in another process.")
        fence: int = connection.execute(
            sa.select(tables.c.fence).where(tables.c.name == name)
        ).scalar_one()
    return fence


def renew(engine: sa.Engine, owner: str, now_ms: int) -> set[str]:
    """Hold all leases of this process for a while longer; the tables that it still has."""
    tables = schema.tables
    with engine.begin() as connection:
        connection.execute(
            tables.update().where(tables.c.owner == owner).values(lease_until_ms=now_ms + LEASE_MS)
        )
        held = connection.execute(sa.select(tables.c.name).where(tables.c.owner == owner))
        return {str(each.name) for each in held}


def release(engine: sa.Engine, owner: str) -> None:
    """Give up all leases of this process."""
    tables = schema.tables
    with engine.begin() as connection:
        connection.execute(
            tables.update().where(tables.c.owner == owner).values(owner=None, lease_until_ms=0)
        )


@contextmanager
def reading(source: Source) -> Iterator[sa.Connection]:
    """A connection to read with; one that was given stays open."""
    if isinstance(source, sa.Connection):
        yield source
        return
    with source.connect() as connection:
        yield connection


@contextmanager
def snapshot(engine: sa.Engine) -> Iterator[sa.Connection]:
    """One connection that sees the records of one moment, whatever is written meanwhile."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN")
            connection.execute(sa.text("SELECT count(*) FROM sqlite_master"))
        else:
            connection.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
        yield connection


def last_ms(source: Source) -> int:
    """The time of the journal's latest row, before which no clock may go on."""
    with reading(source) as connection:
        found = connection.execute(sa.select(sa.func.max(schema.journal.c.at_ms))).scalar()
    return int(found or 0)


def rows_of(source: Source, name: str, after: int = 0) -> Iterator[Row]:
    """A table's journal rows in their order, read some at a time."""
    journal = schema.journal
    while True:
        query = (
            sa.select(journal)
            .where(journal.c.table_name == name, journal.c.number > after)
            .order_by(journal.c.number)
            .limit(ROWS_AT_ONCE)
        )
        with reading(source) as connection:
            rows = [Row(*each) for each in connection.execute(query)]
        yield from rows
        if len(rows) < ROWS_AT_ONCE:
            return
        after = rows[-1].number


def carried_out(source: Source, name: str, command_id: str) -> tuple[int, str] | None:
    """The number and the command of the row that an id was carried out as, if it was."""
    rows = schema.journal.c
    query = sa.select(rows.number, rows.command).where(
        rows.table_name == name, rows.command_id == command_id
    )
    with reading(source) as connection:
        found = connection.execute(query).first()
    return None if found is None else (found.number, found.command)


def head_of(source: Source, name: str) -> tuple[int, str] | None:
    """The last row that was written for the table."""
    heads = schema.heads
    with reading(source) as connection:
        found = connection.execute(sa.select(heads).where(heads.c.table_name == name)).first()
    return None if found is None else (found.number, found.hash)


def chain_of(source: Source, name: str, after: int = 0) -> tuple[Iterator[Row], tuple[int, str]]:
    """A table's rows after that one as they are read, and the head that they must lead to."""
    head = head_of(source, name) or (0, GENESIS)
    return rows_of(source, name, after), head


def table_names(source: Source) -> list[str]:
    """Every table that was ever opened."""
    with reading(source) as connection:
        names = _names(connection, schema.tables.c.setup != METERS)
        return [str(each.name) for each in names]


def is_table(source: Source, name: str) -> bool:
    """Whether a table of that name was ever opened."""
    which = sa.and_(schema.tables.c.name == name, schema.tables.c.setup != METERS)
    with reading(source) as connection:
        return _names(connection, which).first() is not None


def meter_names(source: Source) -> list[str]:
    """All meters that tables share, by the name that their rows and lease are under."""
    with reading(source) as connection:
        return [str(each.name) for each in _names(connection, schema.tables.c.setup == METERS)]


def _names(connection: sa.Connection, which: sa.ColumnElement[bool]) -> sa.CursorResult[Any]:
    tables, heads = schema.tables.c, schema.heads.c
    opened = sa.exists().where(heads.table_name == tables.name)
    return connection.execute(sa.select(tables.name).where(which, opened).order_by(tables.name))


def stray(source: Source) -> str | None:
    """The first table or meters that no row opened, if there are any."""
    tables, heads = schema.tables.c, schema.heads.c
    unopened = ~sa.exists().where(heads.table_name == tables.name)
    with reading(source) as connection:
        found: str | None = connection.execute(
            sa.select(tables.name).where(unopened).order_by(tables.name)
        ).scalar()
    return found


def setup_of(source: Source, name: str) -> Setup:
    """The table's setup with the very book that it was opened with."""
    book, options = opened_with(source, name)
    return Setup(
        book.rules,
        name,
        options["decks"],
        options["staffed"],
        tuple(options["batches"]),
        # Tables that were opened before these were kept have none.
        options.get("approval", ""),
        options.get("meters", ""),
    )


def opened_with(source: Source, name: str) -> tuple[Book, dict[str, Any]]:
    """The book and the options that the database says the table was opened with."""
    tables, books = schema.tables, schema.books
    with reading(source) as connection:
        found = connection.execute(
            sa.select(tables.c.setup, books.c.content)
            .join(books, books.c.digest == tables.c.book)
            .where(tables.c.name == name)
        ).one()
    return build(msgspec.json.decode(found.content)), msgspec.json.decode(found.setup)


def balances(source: Source) -> dict[str, int]:
    """What every account holds."""
    with reading(source) as connection:
        found = connection.execute(sa.select(schema.balances))
        return {each.account: each.amount for each in found}
