"""The interface of a writing connection, and SQLite's."""

import sqlite3
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

BUSY_MS = 30_000
WAL_PAGES = 8_192
"""How many pages the write-ahead log has before they are copied into the file.

With the default of 1,000 the same pages of the indices are copied again and again.
"""
CACHE_KB = 65_536
"""How much of the file SQLite caches; with the default of 2 MB it reads pages again and again."""
COUNTING = 7_714_020
"""The PostgreSQL lock that transactions share, and that a server beginning to count holds alone."""
ALIVE = {
    "connect_timeout": 5,
    "keepalives_idle": 2,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": 5_000,
}
"""Settings that end a connection whose machine vanished, as after a power failure, within the time
of a lease; the system would wait for a quarter of an hour."""
CHANNEL = "wartable_office"
"""The channel on which PostgreSQL announces a new row of the office."""
_AMONG = "IN (SELECT value FROM json_each(?))"


def alive(given: Collection[str]) -> dict[str, int]:
    """The settings of `ALIVE` that an address does not set itself."""
    return {name: value for name, value in ALIVE.items() if name not in given}


class Bulk(NamedTuple):
    """A statement for many rows, in the form that each database takes."""

    sqlite: str
    """Run row by row."""

    postgres: str
    """Run once with an array for every column."""


class WritingConnection(Protocol):
    """A database connection that writes rows."""

    conflicts: tuple[type[Exception], ...]
    """Errors that mean the records do not allow or cannot hold a value."""

    failures: tuple[type[Exception], ...]
    """Errors that may pass: the database or the connection does not work."""

    def run(self, bulk: Bulk, rows: Sequence[tuple[Any, ...]]) -> None:
        """Run the statement for every row."""

    def execute(self, statement: str, values: tuple[Any, ...]) -> None:
        """Run one statement."""

    def one(self, statement: str, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The first row of the statement's answer."""

    def fences(self, names: Sequence[str]) -> dict[str, int]:
        """The fences of these tables, locked until the commit."""

    def has_house(self) -> bool:
        """Whether the server that writes still has the house, locked until the commit."""

    def hold_office(self) -> None:
        """Keep all others from writing to the office, or under its rows, until the commit."""

    def restricted(self, since: int) -> int:
        """The last row of the office after this one that restricts somebody; 0 if there is none.

        No other is written until the commit.
        """

    def heads(self, names: Sequence[str]) -> dict[str, int]:
        """The numbers of these chains' last rows, locked until the commit."""

    def counts(self) -> bool:
        """Whether any account is counted; counting begins for no other account until the commit."""

    def counted(self, accounts: Sequence[str]) -> dict[str, str]:
        """The stored play of those accounts that are counted, locked until the commit."""

    def exposed(self, accounts: Sequence[str]) -> list[tuple[str, str, int]]:
        """What others may still stake for these accounts: each with the table and the amount."""

    def users(self, sets: Sequence[str]) -> dict[str, str]:
        """The tables that use these sets of cards, by set."""

    def begin(self) -> None:
        """Begin a transaction."""

    def commit(self) -> None:
        """Commit it durably: after this returns, a power failure loses nothing."""

    def rollback(self) -> None:
        """Undo it."""

    def close(self) -> None:
        """Close the connection."""


def file_number(path: str) -> int | None:
    """The number of the file at this path, which no other file has; None if there is none."""
    with suppress(OSError):
        return Path(path).stat().st_ino
    return None


def check_place(path: str, number: int | None) -> None:
    """Refuse to use a path where another file is, because what is written there would be lost."""
    if number is not None and file_number(path) != number:
        raise sqlite3.OperationalError(f"{path} was moved, or another file put there")


class SQLite:
    """A SQLite file in write-ahead mode, flushed at every commit."""

    conflicts: tuple[type[Exception], ...] = (
        sqlite3.IntegrityError,
        OverflowError,
        UnicodeEncodeError,
    )
    failures: tuple[type[Exception], ...] = (sqlite3.OperationalError,)

    def __init__(self, path: str, house: int | None = None) -> None:
        """`house` is the number of the house's file; a closed house may be in any."""
        self._path, self._house = path, house
        check_place(path, house)
        self.raw = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for pragma in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            f"busy_timeout = {BUSY_MS}",
            f"cache_size = -{CACHE_KB}",
            f"wal_autocheckpoint = {WAL_PAGES}",
        ):
            self.raw.execute(f"PRAGMA {pragma}")

    def run(self, bulk: Bulk, rows: Sequence[tuple[Any, ...]]) -> None:
        """Run the statement for every row."""
        self.raw.executemany(bulk.sqlite, rows)

    def execute(self, statement: str, values: tuple[Any, ...]) -> None:
        """Run one statement."""
        self.raw.execute(statement, values)

    def one(self, statement: str, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The first row of the statement's answer."""
        found: tuple[Any, ...] | None = self.raw.execute(statement, values).fetchone()
        return found

    def fences(self, names: Sequence[str]) -> dict[str, int]:
        """The fences of these tables; nobody else writes during the transaction."""
        statement = f"SELECT name, fence FROM tables WHERE name {_AMONG}"
        return dict(self.raw.execute(statement, (msgspec.json.encode(names).decode(),)))

    def has_house(self) -> bool:
        """Always true: the file has a lock that ends with its process."""
        return True

    def hold_office(self) -> None:
        """Do nothing: no other process writes during the transaction."""

    def restricted(self, since: int) -> int:  # noqa: ARG002  # one process writes all there is
        """Always 0: a house in a file has one server."""
        return 0

    def heads(self, names: Sequence[str]) -> dict[str, int]:
        """The numbers of these chains' last rows."""
        statement = f"SELECT table_name, number FROM heads WHERE table_name {_AMONG}"
        return dict(self.raw.execute(statement, (msgspec.json.encode(names).decode(),)))

    def counts(self) -> bool:
        """Whether any account is counted."""
        return self.raw.execute("SELECT 1 FROM counted LIMIT 1").fetchone() is not None

    def counted(self, accounts: Sequence[str]) -> dict[str, str]:
        """The stored play of those accounts that are counted."""
        statement = f"SELECT account, play FROM counted WHERE account {_AMONG}"
        return dict(self.raw.execute(statement, (msgspec.json.encode(accounts).decode(),)))

    def exposed(self, accounts: Sequence[str]) -> list[tuple[str, str, int]]:
        """What others may still stake for these accounts."""
        statement = f"SELECT account, table_name, amount FROM exposed WHERE account {_AMONG}"
        return self.raw.execute(statement, (msgspec.json.encode(accounts).decode(),)).fetchall()

    def users(self, sets: Sequence[str]) -> dict[str, str]:
        """The tables that use these sets of cards, by set."""
        statement = f"SELECT card_set, table_name FROM in_use WHERE card_set {_AMONG}"
        return dict(self.raw.execute(statement, (msgspec.json.encode(sets).decode(),)))

    def begin(self) -> None:
        """Begin a transaction that writes."""
        check_place(self._path, self._house)
        self.raw.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Commit and flush."""
        self.raw.execute("COMMIT")

    def rollback(self) -> None:
        """Undo the transaction, if one is open."""
        if self.raw.in_transaction:
            self.raw.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file."""
        self.raw.close()
