"""Durable writes: one thread that commits the waiting rows of all tables in one transaction."""

import asyncio
import queue
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

import msgspec

from wartable.server.journal import Entry, Row
from wartable.server.logs import LOG
from wartable.server.records import CASHIER, OFFICE

BATCH_MAX = 512
WAITING_MAX = 65_536
BUSY_MS = 30_000

RETRY_S = 0.25
TRIES_MAX = 3


class Bulk(NamedTuple):
    """A statement for many rows at once, as each database takes it."""

    sqlite: str
    """Run row by row."""

    postgres: str
    """Run once with an array for every column."""


def _insert(table: str, columns: dict[str, str], conflict: str = "") -> Bulk:
    """An insert of whole rows; the columns with PostgreSQL's names for their types."""
    into = f"INSERT INTO {table} ({', '.join(columns)})"
    values = ", ".join("?" for _ in columns)
    arrays = ", ".join(f"%s::{kind}[]" for kind in columns.values())
    return Bulk(
        f"{into} VALUES ({values}) {conflict}",
        f"{into} SELECT * FROM unnest({arrays}) {conflict}",
    )


JOURNAL = _insert(
    "journal",
    {
        "table_name": "text",
        "number": "bigint",
        "at_ms": "bigint",
        "actor": "text",
        "command_id": "text",
        "command": "text",
        "events": "text",
        "secret": "text",
        "hash": "text",
    },
)
TRANSFER = _insert(
    "transfers",
    {
        "table_name": "text",
        "number": "bigint",
        "place": "int",
        "source": "text",
        "target": "text",
        "amount": "bigint",
    },
)
HEAD = _insert(
    "heads",
    {"table_name": "text", "number": "bigint", "hash": "text"},
    "ON CONFLICT (table_name) DO UPDATE SET number = excluded.number, hash = excluded.hash",
)
RESULT = _insert(
    "results",
    {
        "table_name": "text",
        "round": "bigint",
        "player": "text",
        "at_ms": "bigint",
        "began_ms": "bigint",
        "book": "text",
        "staked": "bigint",
        "returned": "bigint",
        "net": "bigint",
        "outcomes": "text",
    },
)
NEW_ACCOUNT = _insert("balances", {"account": "text", "amount": "bigint"}, "ON CONFLICT DO NOTHING")
MOVE = Bulk(
    "UPDATE balances SET amount = amount + ? WHERE account = ?",
    "UPDATE balances SET amount = amount + change"
    " FROM unnest(%s::bigint[], %s::text[]) AS moved (change, moving) WHERE account = moving",
)
LAST = "SELECT number, hash FROM heads WHERE table_name = ?"
KNOWN = "SELECT number, command FROM journal WHERE table_name = ? AND command_id = ?"
WRITTEN = "SELECT hash FROM journal WHERE table_name = ? AND number = ?"


class Refused(Exception):
    """A commit that the database did not take, with a code and a sentence."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


class Repeated(Refused):
    """An id that was carried out before, with the number and the command of that row."""

    def __init__(self, number: int, command: str) -> None:
        super().__init__("repeated", "This id was carried out long ago.")
        self.number = number
        self.command = command


class Unsure(Exception):
    """A commit that failed while it was under way: whether it happened, the journal knows."""


class Overtaken(Exception):
    """A row whose number another one has: who wrote it must go on from the journal's head."""

    def __init__(self, row: Row, head: tuple[int, str]) -> None:
        super().__init__(f"{row.table_name} row {row.number} is another one.")
        self.head = head


class Connection(Protocol):
    """One database connection that belongs to the writer's thread."""

    conflicts: tuple[type[Exception], ...]
    """What the records themselves do not allow, or cannot hold."""

    failures: type[Exception]
    """What may pass: the database or the way to it does not work."""

    def run(self, bulk: Bulk, rows: Sequence[tuple[Any, ...]]) -> None:
        """Run the statement for every row."""

    def execute(self, statement: str, values: tuple[Any, ...]) -> None:
        """Run one statement."""

    def one(self, statement: str, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The first row of the statement's answer."""

    def fences(self, names: Sequence[str]) -> dict[str, int]:
        """The fences of these tables, which stay as they are until the commit."""

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

    conflicts: tuple[type[Exception], ...] = (
        sqlite3.IntegrityError,
        OverflowError,
        UnicodeEncodeError,
    )
    failures: type[Exception] = sqlite3.OperationalError

    def __init__(self, path: str) -> None:
        self.raw = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for pragma in (
            "journal_mode = WAL",
            "synchronous = FULL",
            "foreign_keys = ON",
            f"busy_timeout = {BUSY_MS}",
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
        statement = "SELECT name, fence FROM tables WHERE name IN (SELECT value FROM json_each(?))"
        return dict(self.raw.execute(statement, (msgspec.json.encode(names).decode(),)))

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
    """An entry that waits for its commit, where its result goes, and how often it failed."""

    entry: Entry
    done: Callable[[Exception | None], None]
    tries: int = 0


def write_batch(connection: Connection, entries: Sequence[Entry]) -> None:
    """Write the entries in one transaction, or none of them; `Unsure` if nobody knows."""
    try:
        connection.begin()
        _check_fences(connection, entries)
        _write(connection, entries)
        try:
            connection.commit()
        except connection.failures as problem:
            raise Unsure(str(problem)) from problem
    except BaseException:
        with suppress(connection.failures):
            connection.rollback()
        raise


def _check_fences(connection: Connection, entries: Sequence[Entry]) -> None:
    """Refuse a writer whose table was taken over by another; cashier and office have none."""
    shown = {(entry.row.table_name, entry.fence) for entry in entries}
    shown -= {(CASHIER, 0), (OFFICE, 0)}
    if not shown:
        return
    fences = connection.fences([name for name, _ in shown])
    for name, fence in shown:
        if fences.get(name) != fence:
            raise Refused("fenced", f"The table {name} belongs to another process now.")


def _write(connection: Connection, entries: Sequence[Entry]) -> None:
    connection.run(JOURNAL, [msgspec.structs.astuple(entry.row) for entry in entries])
    moved = [
        (entry.row.table_name, entry.row.number, place, each.source, each.target, each.amount)
        for entry in entries
        for place, each in enumerate(entry.transfers)
    ]
    if moved:
        connection.run(TRANSFER, moved)
        _move(connection, entries)
    results = [result for entry in entries for result in entry.results]
    if results:
        connection.run(RESULT, results)
    for entry in entries:
        for statement, values in entry.statements:
            connection.execute(statement, values)
    last = {entry.row.table_name: entry.row for entry in entries}
    connection.run(HEAD, [(name, row.number, row.hash) for name, row in last.items()])


def _move(connection: Connection, entries: Sequence[Entry]) -> None:
    """Every account's change by the whole batch; the database lets none end below zero."""
    changes: Counter[str] = Counter()
    for entry in entries:
        for each in entry.transfers:
            changes[each.source] -= each.amount
            changes[each.target] += each.amount
    accounts = sorted(account for account, change in changes.items() if change)
    if accounts:
        connection.run(NEW_ACCOUNT, [(account, 0) for account in accounts])
        connection.run(MOVE, [(changes[account], account) for account in accounts])


def attempt(connection: Connection, batch: Sequence[Waiting]) -> list[Waiting]:
    """Commit all together, or else one by one; those that are to be tried again."""
    try:
        write_batch(connection, [each.entry for each in batch])
    except Unsure:
        return list(batch)
    except Exception as problem:
        if len(batch) == 1:
            return _fail(connection, batch[0], problem)
        if isinstance(problem, connection.failures) and not any(each.tries for each in batch):
            for each in batch:
                each.tries += 1
            return list(batch)
        return [left for each in batch for left in attempt(connection, [each])]
    for each in batch:
        each.done(None)
    return []


def _fail(connection: Connection, waiting: Waiting, problem: Exception) -> list[Waiting]:
    """Say how an entry failed that is surely not in the journal; else it did not fail."""
    row = waiting.entry.row
    try:
        written = connection.one(WRITTEN, (row.table_name, row.number))
        head = connection.one(LAST, (row.table_name,))
        old = connection.one(KNOWN, (row.table_name, row.command_id))
    except connection.failures:
        return [waiting]
    except connection.conflicts:
        waiting.done(Refused("conflict", "The records cannot hold a text or number in this."))
        return []
    if written == (row.hash,):
        waiting.done(None)
    elif isinstance(problem, connection.failures) and waiting.tries < TRIES_MAX:
        waiting.tries += 1
        return [waiting]
    elif written is not None and head is not None and not isinstance(problem, Refused):
        waiting.done(Overtaken(row, (head[0], head[1])))
    elif isinstance(problem, connection.conflicts):
        told = Refused("conflict", f"The records do not allow this: {problem}.")
        waiting.done(told if old is None else Repeated(*old))
    else:
        waiting.done(problem)
    return []


Settled = tuple[asyncio.Future[None], Exception | None]
"""Who waits, and for what problem if there was one."""


class Writer:
    """The thread that owns the writing connection and commits in groups."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._queue: queue.SimpleQueue[Waiting | None] = queue.SimpleQueue()
        self._settled: list[Settled] = []
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="journal writer", daemon=True)
        self._thread.start()

    async def commit(self, entry: Entry) -> None:
        """Wait until the entry is durable; `Refused` if the database does not take it."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def done(problem: Exception | None) -> None:
            self._settled.append((future, problem))

        if self._queue.qsize() >= WAITING_MAX:
            raise Refused("busy", "The house is busy; try again.")
        self._queue.put(Waiting(entry, done))
        await future

    def close(self) -> None:
        """Write what is waiting, unless the database does not work, and end the thread."""
        self._queue.put(None)
        self._closing.set()
        self._thread.join()

    def _run(self) -> None:
        """Commit until closed; while the database does not work, wait, for nobody knows more."""
        connection: Connection | None = None
        batch: list[Waiting] = []
        open_ = True
        while open_ or batch:
            if not batch:
                batch, open_ = self._gather()
            try:
                connection = connection or self._connect()
                batch = attempt(connection, batch) if batch else []
            except Exception as problem:
                LOG.warning("database not reached", exc_info=problem)
            self._tell()
            if batch:
                _drop(connection)
                connection = None
                LOG.warning("commit is tried again", extra={"count": len(batch)})
                if self._closing.wait(RETRY_S):
                    batch = self._give_up(batch)
                    self._tell()
        _drop(connection)

    def _tell(self) -> None:
        """Wake the loop once for all that is settled, not once for each."""
        settled, self._settled = self._settled, []
        for loop in {future.get_loop() for future, _ in settled}:
            own = [each for each in settled if each[0].get_loop() is loop]
            with suppress(RuntimeError):  # the loop may be over by now
                loop.call_soon_threadsafe(_resolve_all, own)

    def _gather(self) -> tuple[list[Waiting], bool]:
        """What is waiting now, at least one thing; and whether more may come."""
        found = [self._queue.get()]
        while len(found) < BATCH_MAX:
            try:
                found.append(self._queue.get_nowait())
            except queue.Empty:
                break
        return [each for each in found if each is not None], None not in found

    def _give_up(self, batch: list[Waiting]) -> list[Waiting]:
        """Leave the open ends to the next start, which reads the journal."""
        for each in batch:
            each.done(Unsure("The house closed while the database did not work."))
        return []


def _drop(connection: Connection | None) -> None:
    if connection is not None:
        with suppress(Exception):
            connection.close()


def resolve(future: asyncio.Future[None], problem: Exception | None) -> None:
    """Give the result to who waits for it, if anybody still does."""
    if future.done():
        return
    if problem is None:
        future.set_result(None)
    else:
        future.set_exception(problem)


def _resolve_all(settled: Sequence[Settled]) -> None:
    for future, problem in settled:
        resolve(future, problem)
