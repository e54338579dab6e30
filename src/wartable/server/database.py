"""The database as a whole: making it, opening tables in it, and reading it back."""

import sqlite3
from collections.abc import Iterator
from typing import Any

import msgspec
import sqlalchemy as sa

from wartable.rules import Book
from wartable.rules.load import build
from wartable.rules.raw import Raw
from wartable.server import schema
from wartable.server.journal import Row
from wartable.server.store import Connection, SQLite
from wartable.table import Setup

LEASE_MS = 15_000
ROWS_AT_ONCE = 1_000


class TableTaken(Exception):
    """A table that another process owns, as a sentence."""


POSTGRES = "postgresql://"


def is_postgres(address: str) -> bool:
    """Whether the address is of a PostgreSQL server rather than the path of a SQLite file."""
    return address.startswith(POSTGRES)


def writing_connection(address: str) -> Connection:
    """The connection that the journal's writer commits with."""
    if is_postgres(address):
        from wartable.server.postgres import Postgres  # noqa: PLC0415  # needs an extra

        return Postgres(address)
    return SQLite(address)


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


def create(engine: sa.Engine) -> None:
    """Make every table that is not there."""
    schema.metadata.create_all(engine)


def open_table(
    engine: sa.Engine, owner: str, now_ms: int, book: Book, content: Raw, setup: Setup
) -> int:
    """Take the table's lease, making the table if it is new; the fence that commits must show."""
    kept = msgspec.json.encode(content, order="deterministic").decode()
    options = msgspec.json.encode(
        {"decks": setup.decks, "staffed": setup.staffed, "batches": setup.batches}
    ).decode()
    with engine.begin() as connection:
        known = connection.execute(
            sa.select(schema.books.c.digest).where(schema.books.c.digest == book.digest)
        ).first()
        if known is None:
            connection.execute(schema.books.insert().values(digest=book.digest, content=kept))
        found = connection.execute(
            sa.select(schema.tables).where(schema.tables.c.name == setup.name)
        ).first()
        if found is None:
            connection.execute(
                schema.tables.insert().values(name=setup.name, book=book.digest, setup=options)
            )
    return take(engine, owner, now_ms, setup.name)


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


def renew(engine: sa.Engine, owner: str, now_ms: int) -> None:
    """Hold all leases of this process for a while longer."""
    tables = schema.tables
    with engine.begin() as connection:
        connection.execute(
            tables.update().where(tables.c.owner == owner).values(lease_until_ms=now_ms + LEASE_MS)
        )


def release(engine: sa.Engine, owner: str) -> None:
    """Give up all leases of this process."""
    tables = schema.tables
    with engine.begin() as connection:
        connection.execute(
            tables.update().where(tables.c.owner == owner).values(owner=None, lease_until_ms=0)
        )


def rows_of(engine: sa.Engine, name: str, after: int = 0) -> Iterator[Row]:
    """A table's journal rows in their order."""
    journal = schema.journal
    with engine.connect() as connection:
        found = connection.execution_options(yield_per=ROWS_AT_ONCE).execute(
            sa.select(journal)
            .where(journal.c.table_name == name, journal.c.number > after)
            .order_by(journal.c.number)
        )
        for each in found:
            yield Row(*each)


def head_of(engine: sa.Engine, name: str) -> tuple[int, str] | None:
    """The last row that was written for the table."""
    heads = schema.heads
    with engine.connect() as connection:
        found = connection.execute(sa.select(heads).where(heads.c.table_name == name)).first()
    return None if found is None else (found.number, found.hash)


def table_names(engine: sa.Engine) -> list[str]:
    """Every table that was ever opened."""
    with engine.connect() as connection:
        names = connection.execute(sa.select(schema.tables.c.name).order_by(schema.tables.c.name))
        return [str(each.name) for each in names]


def setup_of(engine: sa.Engine, name: str) -> Setup:
    """The table's setup with the very book that it was opened with."""
    tables, books = schema.tables, schema.books
    with engine.connect() as connection:
        found = connection.execute(
            sa.select(tables.c.setup, books.c.content)
            .join(books, books.c.digest == tables.c.book)
            .where(tables.c.name == name)
        ).one()
    options = msgspec.json.decode(found.setup)
    book = build(msgspec.json.decode(found.content))
    return Setup(book.rules, name, options["decks"], options["staffed"], tuple(options["batches"]))


def digest_of(engine: sa.Engine, name: str) -> str:
    """The digest of the book that the table was opened with."""
    tables = schema.tables
    with engine.connect() as connection:
        found = connection.execute(sa.select(tables.c.book).where(tables.c.name == name))
        return str(found.scalar_one())


def balances(engine: sa.Engine) -> dict[str, int]:
    """What every account holds."""
    with engine.connect() as connection:
        found = connection.execute(sa.select(schema.balances))
        return {each.account: each.amount for each in found}
