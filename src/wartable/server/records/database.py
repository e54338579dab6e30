"""The whole database: making it, connecting to it, and reading it."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace

from wartable.rules import Book
from wartable.rules.load import build
from wartable.rules.model import Limits
from wartable.server.config import HouseProblem, lock
from wartable.server.records import migrations, schema
from wartable.server.records.connections import alive, check_place, file_number
from wartable.server.records.journal import GENESIS, Head
from wartable.server.records.messages import Note, NoteKind
from wartable.server.records.rows import OFFICE, Row
from wartable.server.records.store import engine_url, is_postgres
from wartable.table import Setup

METERS = "{}"
"""The setup stored for shared meters."""
ROWS_AT_ONCE = 1_000
_BRIEF = "SET LOCAL idle_in_transaction_session_timeout = 3000"
Queryable = sa.Engine | sa.Connection
"""A source to read records from: an engine, or one connection with a fixed view."""


def engine_for(address: str) -> sa.Engine:
    """A SQLAlchemy engine on a SQLite file or a PostgreSQL server."""
    if is_postgres(address):
        url = sa.make_url(engine_url(address))
        return sa.create_engine(url, connect_args=alive(url.query))
    engine = sa.create_engine(f"sqlite:///{address}")

    @sa.event.listens_for(engine, "connect")
    def _connected(connection: sqlite3.Connection, _: Any) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")

    @sa.event.listens_for(engine, "handle_error")
    def _failed(context: sa.ExceptionContext) -> None:
        code = getattr(context.original_exception, "sqlite_errorcode", 0)
        # Such a connection may stay read-only after the file has become writable.
        context.is_disconnect |= code & 0xFF == sqlite3.SQLITE_READONLY

    return engine


class HouseFile:
    """The SQLite file of a house: once it is known, no other file at its path is used."""

    def __init__(self, engine: sa.Engine) -> None:
        """Create this before anything else listens for the engine's connections."""
        self._path = engine.url.database or ""
        self.number: int | None = None

        @sa.event.listens_for(engine, "do_connect")
        def _connect(*_: Any) -> None:
            check_place(self._path, self.number)

    def know(self) -> None:
        """Remember which file is there now."""
        self.number = file_number(self._path)

    @property
    def in_place(self) -> bool:
        """Whether that file is still there."""
        return self.number is None or file_number(self._path) == self.number


def reading_engine(address: str) -> sa.Engine:
    """An engine to read with, even from a SQLite file in a read-only place."""
    if is_postgres(address) or writable(address):
        return engine_for(address)
    return sa.create_engine(f"sqlite:///{address}", creator=lambda: connect_to_read(address))


def connect_to_read(address: str) -> sqlite3.Connection:
    """A connection to a SQLite file; in a read-only place it writes nothing."""
    if writable(address):
        return sqlite3.connect(address)
    for beside in (Path(f"{address}-wal"), Path(f"{address}-journal")):
        if beside.exists() and beside.stat().st_size:
            sentence = f"{address} is in a read-only place, and {beside.name} belongs to it"
            raise HouseProblem(f"{sentence}; copy both to a writable place.")
    # Otherwise SQLite tries to make files beside it, even to read.
    return sqlite3.connect(f"{Path(address).absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def writable(address: str) -> bool:
    """Whether a SQLite file can be written, and other files created beside it."""
    path = Path(address)
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


@contextmanager
def alone(engine: sa.Engine) -> Iterator[None]:
    """Hold a SQLite file that no other process has open; PostgreSQL has leases for that.

    A lock is better than a lease: it ends with its process, whatever a clock shows.
    """
    if engine.dialect.name != "sqlite" or not engine.url.database:
        yield
        return
    held = lock(Path(f"{engine.url.database}.lock"))
    try:
        yield
    finally:
        os.close(held)


def create(engine: sa.Engine) -> None:
    """Make a new database that only its owner can read, or refuse one of another version."""
    if engine.dialect.name == "sqlite" and engine.url.database:
        Path(engine.url.database).touch(mode=0o600)
    migrations.create(engine)


def clock_ms(connection: sa.Connection) -> int:
    """The time by the database's own clock, which all its servers share."""
    if connection.dialect.name == "sqlite":
        query = "SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
    else:
        query = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"
    return int(connection.execute(sa.text(query)).scalar_one())


def dispose(engine: sa.Engine) -> None:
    """Close all connections; those that a thread still uses are closed when it returns them."""

    @sa.event.listens_for(engine, "checkin")
    def _returned(_: object, record: sa.pool.ConnectionPoolEntry) -> None:
        record.invalidate()

    engine.dispose()


@contextmanager
def brief(engine: sa.Engine) -> Iterator[sa.Connection]:
    """A connection for a short write; a server that freezes or is cut off loses its locks."""
    with engine.begin() as connection:
        if engine.dialect.name != "sqlite":
            connection.execute(sa.text(_BRIEF))
        yield connection


@contextmanager
def reading(source: Queryable) -> Iterator[sa.Connection]:
    """A connection to read with; a given connection stays open."""
    if isinstance(source, sa.Connection):
        yield source
        return
    with source.connect() as connection:
        yield connection


@contextmanager
def snapshot(engine: sa.Engine) -> Iterator[sa.Connection]:
    """One connection that sees the records as of one moment, whatever is written meanwhile."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN")
            connection.execute(sa.text("SELECT count(*) FROM sqlite_master"))
        else:
            connection.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
        yield connection


def last_ms(source: Queryable) -> int:
    """The time of the journal's latest row, which the clock must not fall behind."""
    with reading(source) as connection:
        found = connection.execute(sa.select(sa.func.max(schema.journal.c.at_ms))).scalar()
    return int(found or 0)


def rows_of(source: Queryable, name: str, after: int = 0, keyed: bool = True) -> Iterator[Row]:
    """A table's journal rows in order, read in batches; `keyed` from the sixth version on."""
    journal = schema.journal
    columns = (
        [*journal.c] if keyed else [*(each for each in journal.c if each.name != "mac"), sa.null()]
    )
    while True:
        query = (
            sa.select(*columns)
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


def notes_of(source: Queryable, *kinds: NoteKind) -> list[tuple[Row, Note]]:
    """The office's rows of these kinds in order, each with what it notes."""
    journal = schema.journal
    begins = [journal.c.command.startswith(f'{{"type":"note","kind":"{kind}"') for kind in kinds]
    query = sa.select(journal).where(journal.c.table_name == OFFICE, sa.or_(*begins))
    with reading(source) as connection:
        rows = [Row(*each) for each in connection.execute(query.order_by(journal.c.number))]
    return [(row, msgspec.json.decode(row.command, type=Note)) for row in rows]


def heads(source: sa.Connection) -> dict[str, Head]:
    """The heads of all chains."""
    found = source.execute(sa.select(schema.heads).order_by(schema.heads.c.table_name))
    return {each.table_name: (each.number, each.hash) for each in found}


def head_of(source: Queryable, name: str) -> tuple[int, str] | None:
    """The table's last row."""
    heads = schema.heads
    with reading(source) as connection:
        found = connection.execute(sa.select(heads).where(heads.c.table_name == name)).first()
    return None if found is None else (found.number, found.hash)


def chain_of(source: Queryable, name: str, after: int = 0) -> tuple[Iterator[Row], tuple[int, str]]:
    """A table's rows after that one, and the head that they must lead to."""
    head = head_of(source, name) or (0, GENESIS)
    return rows_of(source, name, after), head


def table_names(source: Queryable) -> list[str]:
    """Every table that has ever been opened."""
    with reading(source) as connection:
        names = _names(connection, schema.tables.c.setup != METERS)
        return [str(each.name) for each in names]


def private_books(source: Queryable) -> set[str]:
    """The books of all private tables that were ever opened, whether they are still played."""
    with reading(source) as connection:
        found = _names(connection, schema.tables.c.name.contains("@"))
        return {str(each.name).partition("@")[0] for each in found}


def is_table(source: Queryable, name: str) -> bool:
    """Whether a table of that name has ever been opened."""
    which = sa.and_(schema.tables.c.name == name, schema.tables.c.setup != METERS)
    with reading(source) as connection:
        return _names(connection, which).first() is not None


def meter_names(source: Queryable) -> list[str]:
    """All shared meters, by the name of their rows."""
    with reading(source) as connection:
        return [str(each.name) for each in _names(connection, schema.tables.c.setup == METERS)]


def _names(connection: sa.Connection, which: sa.ColumnElement[bool]) -> sa.CursorResult[Any]:
    tables, heads = schema.tables.c, schema.heads.c
    opened = sa.exists().where(heads.table_name == tables.name)
    return connection.execute(sa.select(tables.name).where(which, opened).order_by(tables.name))


def stray(source: Queryable) -> str | None:
    """The first table or meters without a row that opened them, if there are any."""
    tables, heads = schema.tables.c, schema.heads.c
    unopened = ~sa.exists().where(heads.table_name == tables.name)
    with reading(source) as connection:
        found: str | None = connection.execute(
            sa.select(tables.name).where(unopened).order_by(tables.name)
        ).scalar()
    return found


def setup_of(source: Queryable, name: str) -> Setup:
    """The table's setup with the book that it was opened with."""
    book, options = opened_with(source, name)
    return Setup(
        replace(book.rules, limits=limits_of(book, options)),
        name,
        options["decks"],
        options["staffed"],
        tuple(options["batches"]),
        # Tables from before these were stored have none.
        options.get("approval", ""),
        options.get("meters", ""),
        options.get("layout", ""),
        options.get("order", ""),
        options.get("iterations", 0),
    )


def limits_of(book: Book, options: dict[str, Any]) -> Limits:
    """The limits that a table was opened with; one from before they were stored has its book's."""
    kept = options.get("limits")
    return book.rules.limits if kept is None else msgspec.convert(kept, Limits)


def opened_with(source: Queryable, name: str) -> tuple[Book, dict[str, Any]]:
    """The book and options that the database has for the table."""
    tables, books = schema.tables, schema.books
    with reading(source) as connection:
        found = connection.execute(
            sa.select(tables.c.setup, books.c.content)
            .join(books, books.c.digest == tables.c.book)
            .where(tables.c.name == name)
        ).one()
    options = msgspec.json.decode(found.setup, type=dict[str, Any])
    return build(msgspec.json.decode(found.content)), options


def balances(source: Queryable) -> dict[str, int]:
    """The balance of every account."""
    with reading(source) as connection:
        found = connection.execute(sa.select(schema.balances))
        return {each.account: each.amount for each in found}
