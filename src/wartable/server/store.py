"""Durable writes: one thread that commits the waiting rows of all tables in one transaction."""

import asyncio
import queue
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec

from wartable.server.journal import Entry
from wartable.server.records import CASHIER, OFFICE

BATCH_MAX = 512
WAITING_MAX = 65_536
BUSY_MS = 30_000

JOURNAL = (
    "INSERT INTO journal (table_name, number, at_ms, actor, command_id, command, events, secret,"
    " hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
TRANSFER = (
    "INSERT INTO transfers (table_name, number, place, source, target, amount)"
    " VALUES (?, ?, ?, ?, ?, ?)"
)
HEAD = (
    "INSERT INTO heads (table_name, number, hash) VALUES (?, ?, ?)"
    " ON CONFLICT (table_name) DO UPDATE SET number = excluded.number, hash = excluded.hash"
)
NEW_ACCOUNT = "INSERT INTO balances (account, amount) VALUES (?, 0) ON CONFLICT DO NOTHING"
MOVE = "UPDATE balances SET amount = amount + ? WHERE account = ?"


class Refused(Exception):
    """A commit that the database did not take, with a code and a sentence."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class Connection(Protocol):
    """One database connection that belongs to the writer's thread."""

    conflicts: type[Exception]
    fence: str
    """The statement that reads a table's fence and keeps it until the commit."""

    def run(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Run the statement for every row."""

    def one(self, statement: str, row: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The first row of the statement's answer."""

    def begin(self) -> None:
        """Begin a transaction."""

    def commit(self) -> None:
        """Commit it: when this returns, a loss of power loses nothing of it."""

    def rollback(self) -> None:
        """Undo it."""

    def close(self) -> None:
        """Close the connection."""


class SQLite:
    """A SQLite file in write-ahead mode, flushed at every commit."""

    conflicts: type[Exception] = sqlite3.IntegrityError
    fence = "SELECT fence FROM tables WHERE name = ?"

    def __init__(self, path: str) -> None:
        self.raw = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for pragma in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            f"busy_timeout = {BUSY_MS}",
        ):
            self.raw.execute(f"PRAGMA {pragma}")

    def run(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Run the statement for every row."""
        self.raw.executemany(statement, rows)

    def one(self, statement: str, row: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The first row of the statement's answer."""
        found: tuple[Any, ...] | None = self.raw.execute(statement, row).fetchone()
        return found

    def begin(self) -> None:
        """Begin a transaction that writes."""
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


class Waiting(msgspec.Struct):
    """An entry that waits for its commit, and where its result goes."""

    entry: Entry
    done: Callable[[Exception | None], None]


def write_batch(connection: Connection, entries: Sequence[Entry]) -> None:
    """Write the entries in one transaction, or none of them."""
    connection.begin()
    try:
        _check_fences(connection, entries)
        _write(connection, entries)
        connection.commit()
    except BaseException:
        connection.rollback()
        raise


def _check_fences(connection: Connection, entries: Sequence[Entry]) -> None:
    """Refuse a writer whose table was taken over by another; cashier and office have none."""
    fences = {(entry.row.table_name, entry.fence) for entry in entries}
    for name, fence in fences - {(CASHIER, 0), (OFFICE, 0)}:
        found = connection.one(connection.fence, (name,))
        if found is None or found[0] != fence:
            raise Refused("fenced", f"The table {name} belongs to another process now.")


def _write(connection: Connection, entries: Sequence[Entry]) -> None:
    rows = [msgspec.structs.astuple(entry.row) for entry in entries]
    connection.run(JOURNAL, rows)
    moved = [
        (entry.row.table_name, entry.row.number, place, each.source, each.target, each.amount)
        for entry in entries
        for place, each in enumerate(entry.transfers)
    ]
    if moved:
        connection.run(TRANSFER, moved)
        _move(connection, entries)
    for entry in entries:
        for statement, values in entry.statements:
            connection.run(statement, [values])
    last = {entry.row.table_name: entry.row for entry in entries}
    connection.run(HEAD, [(name, row.number, row.hash) for name, row in last.items()])


def _move(connection: Connection, entries: Sequence[Entry]) -> None:
    """The balances, sources checked entry by entry: none may pass through below zero."""
    changes: Counter[str] = Counter()
    for entry in entries:
        for each in entry.transfers:
            changes[each.source] -= each.amount
            changes[each.target] += each.amount
    accounts = sorted(changes)
    connection.run(NEW_ACCOUNT, [(account,) for account in accounts])
    connection.run(MOVE, [(changes[account], account) for account in accounts])


class Writer:
    """The thread that owns the writing connection and commits in groups."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._queue: queue.Queue[Waiting | None] = queue.Queue(WAITING_MAX)
        self._thread = threading.Thread(target=self._run, name="journal writer", daemon=True)
        self._thread.start()

    async def commit(self, entry: Entry) -> None:
        """Wait until the entry is durable; `Refused` if the database does not take it."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()

        def done(problem: Exception | None) -> None:
            loop.call_soon_threadsafe(_resolve, future, problem)

        self._queue.put_nowait(Waiting(entry, done))
        await future

    def close(self) -> None:
        """Write what is waiting and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        connection = self._connect()
        open_ = True
        while open_:
            batch = [self._queue.get()]
            while len(batch) < BATCH_MAX:
                try:
                    batch.append(self._queue.get_nowait())
                except queue.Empty:
                    break
            open_ = None not in batch
            commit_batch(connection, [each for each in batch if each is not None])
        connection.close()


def commit_batch(connection: Connection, batch: Sequence[Waiting]) -> None:
    """Commit all together; if that is refused, one by one, so that only the bad one fails."""
    if not batch:
        return
    try:
        write_batch(connection, [each.entry for each in batch])
    except Exception as problem:
        if len(batch) > 1:
            for each in batch:
                commit_batch(connection, [each])
            return
        batch[0].done(_refusal(connection, problem))
        return
    for each in batch:
        each.done(None)


def _refusal(connection: Connection, problem: Exception) -> Exception:
    if isinstance(problem, connection.conflicts):
        return Refused("conflict", f"The records do not allow this: {problem}.")
    return problem


def _resolve(future: asyncio.Future[None], problem: Exception | None) -> None:
    if future.cancelled():
        return
    if problem is None:
        future.set_result(None)
    else:
        future.set_exception(problem)
