"""Tables opened in the database: which process has a table, until when, and by which fence."""

import hashlib
from collections.abc import Awaitable, Iterator
from typing import Any

import msgspec
import sqlalchemy as sa

from wartable.refusal import Unusable
from wartable.rules import Book
from wartable.rules.raw import Raw
from wartable.server.records import schema
from wartable.server.records.database import METERS, brief, clock_ms, head_of
from wartable.server.records.rows import Statement
from wartable.server.records.store import CommitRefused, Overtaken
from wartable.table import Setup

LEASE_MS = 15_000
"""How long a process keeps a table without renewing the lease, by the database's own clock."""
FENCE_BYTES = 6
FENCES_MAX = 1 << 56
"""Fences begin with six bytes and count up, so none ever gets here."""

_BOOK = "INSERT INTO books (digest, content) VALUES (?, ?) ON CONFLICT DO NOTHING"
_STRAY = (
    "DELETE FROM tables WHERE name = ?"
    " AND NOT EXISTS (SELECT 1 FROM heads WHERE table_name = tables.name)"
)
_NEW = (
    "INSERT INTO tables (name, book, setup, owner, fence, lease_until_ms) VALUES (?, ?, ?, ?, ?, ?)"
)


class TableTaken(Unusable):
    """Another process owns the table; the sentence says which table."""

    kind = "open_elsewhere"


def open_table(
    engine: sa.Engine, owner: str, book: Book, content: Raw, setup: Setup
) -> tuple[int, tuple[Statement, ...]]:
    """Take the table's lease: the fence for commits, and the statements that make a new table."""
    options = {
        "decks": setup.decks,
        "staffed": setup.staffed,
        "batches": setup.batches,
        "approval": setup.approval,
        "meters": setup.meters,
        "layout": setup.layout,
        "order": setup.order,
        "iterations": setup.iterations,
        "limits": setup.rules.limits,
    }
    kept = msgspec.json.encode(options).decode()
    return _open(engine, owner, book, content, setup.name, kept)


async def opened(name: str, first: Awaitable[None]) -> None:
    """Wait until the first row is written; `TableTaken` if another process was first."""
    try:
        await first
    except (Overtaken, CommitRefused):
        raise TableTaken(f"The table {name} is open in another process.") from None


def new_meters(engine: sa.Engine, book: Book, content: Raw, name: str) -> tuple[Statement, ...]:
    """The statements that make new shared meters, which have no owner; none if they exist."""
    if head_of(engine, name) is not None:
        return ()
    return _made(book, content, (name, book.digest, METERS, None, 0, 0))


def _open(
    engine: sa.Engine, owner: str, book: Book, content: Raw, name: str, setup: str
) -> tuple[int, tuple[Statement, ...]]:
    """The lease of an existing table; for a new one, the statements to commit with its first row.

    Every table therefore has a row that opened it; a table without one is not ours.
    """
    if head_of(engine, name) is not None:
        return take(engine, owner, name), ()
    # Two processes that open it at once have different fences, so different first rows.
    fence = int.from_bytes(hashlib.sha256(owner.encode()).digest()[:FENCE_BYTES])
    with engine.connect() as connection:
        until_ms = clock_ms(connection) + LEASE_MS
    return fence, _made(book, content, (name, book.digest, setup, owner, fence, until_ms))


def _made(book: Book, content: Raw, values: tuple[Any, ...]) -> tuple[Statement, ...]:
    # In the book's own order: a wheel's stops are drawn in it.
    kept = msgspec.json.encode(content).decode()
    return ((_BOOK, (book.digest, kept)), (_STRAY, values[:1]), (_NEW, values))


def take(engine: sa.Engine, owner: str, name: str) -> int:
    """Take a table's lease unless another process holds it; return the new fence."""
    tables = schema.tables
    with brief(engine) as connection:
        now_ms = clock_ms(connection)
        free = sa.or_(tables.c.owner.is_(None), tables.c.owner == owner, left(connection, now_ms))
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


def left(connection: sa.Connection, now_ms: int) -> sa.ColumnElement[bool]:
    """Whether a table's owner is gone: its lease has run out, or its server's entry has."""
    tables, servers = schema.tables.c, schema.servers.c
    expired = tables.lease_until_ms < now_ms
    if connection.dialect.name == "sqlite":
        return expired
    silent = sa.exists().where(servers.name == tables.owner, servers.until_ms < now_ms)
    return sa.or_(expired, silent)


def server_of(engine: sa.Engine, name: str) -> str | None:
    """The server that has a table open; None if any may open it."""
    tables = schema.tables.c
    with engine.connect() as connection:
        now_ms = clock_ms(connection)
        held = sa.and_(tables.name == name, sa.not_(left(connection, now_ms)))
        found: str | None = connection.execute(sa.select(tables.owner).where(held)).scalar()
    return found


def renew(engine: sa.Engine, owner: str) -> dict[str, int]:
    """Renew all leases of this owner; return its tables, each with its fence."""
    tables = schema.tables
    with brief(engine) as connection:
        until_ms = clock_ms(connection) + LEASE_MS
        connection.execute(
            tables.update().where(tables.c.owner == owner).values(lease_until_ms=until_ms)
        )
        held = connection.execute(
            sa.select(tables.c.name, tables.c.fence).where(tables.c.owner == owner)
        )
        return {each.name: each.fence for each in held}


def busy(engine: sa.Engine) -> Iterator[str]:
    """The tables that a process has open now, also in a database of an older version.

    No process takes a lease for longer than `LEASE_MS`, so one that ends later is not genuine.
    """
    tables = schema.tables
    with engine.connect() as connection:
        if sa.inspect(connection).has_table("tables"):
            now_ms = clock_ms(connection)
            goes_on = tables.c.lease_until_ms.between(now_ms, now_ms + LEASE_MS)
            held = sa.and_(tables.c.owner.is_not(None), goes_on)
            query = sa.select(tables.c.name).where(held).order_by(tables.c.name)
            yield from (str(each.name) for each in connection.execute(query))


def release(engine: sa.Engine, owner: str) -> None:
    """Give up all leases of this process."""
    _free(engine, schema.tables.c.owner == owner)


def release_house(engine: sa.Engine, owner: str, before: str | None) -> None:
    """Give up this process's leases, and those on shared tables of the house's last server.

    In a file, which no other process has open, give up all leases.
    """
    tables = schema.tables.c
    if engine.dialect.name == "sqlite":
        _free(engine, tables.owner.is_not(None))
    else:
        shared = sa.and_(tables.owner == before, ~tables.name.contains("@"))
        _free(engine, sa.or_(tables.owner == owner, shared))


def _free(engine: sa.Engine, whose: sa.ColumnElement[bool]) -> None:
    tables = schema.tables
    with brief(engine) as connection:
        connection.execute(tables.update().where(whose).values(owner=None, lease_until_ms=0))


def release_one(engine: sa.Engine, owner: str, fence: int, name: str) -> None:
    """Give up the lease of one table, unless another process has it."""
    tables = schema.tables
    ours = sa.and_(tables.c.name == name, tables.c.owner == owner, tables.c.fence == fence)
    with brief(engine) as connection:
        connection.execute(tables.update().where(ours).values(owner=None, lease_until_ms=0))
