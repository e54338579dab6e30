"""Durable writes: the waiting rows of all tables in one transaction, and each row's result."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec

from wartable.refusal import Refusal
from wartable.server.records.connections import Bulk, SQLite, WritingConnection
from wartable.server.records.counting import (
    COUNTED,
    EXPOSED,
    Counters,
    concerned,
    read_play,
    stored_play,
)
from wartable.server.records.rows import CASHIER, METERS, OFFICE, Entry, Row

TRIES_MAX = 3
POSTGRES = "postgresql://"
_DRIVER = "postgresql+psycopg://"
STALE = "stale"
"""The refusal of a row decided before the office restricted somebody or moved cards: decide it
again."""
MOVED = "meters_moved"
"""The refusal of a row decided before another server moved the same meters: decide it again."""
UNCOUNTED = "uncounted"
"""The refusal of an account's first claim: begin to count the account, and write the row again."""


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
        "mac": "text",
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
    # In the order of their names, so that servers that move the same accounts never deadlock.
    "WITH moved AS (SELECT * FROM unnest(%s::bigint[], %s::text[]) AS moved (change, moving)),"
    " held AS (SELECT account AS holding FROM balances"
    " WHERE account IN (SELECT moving FROM moved) ORDER BY account FOR UPDATE)"
    " UPDATE balances SET amount = amount + change FROM moved, held"
    " WHERE account = moving AND holding = moving",
)
FREE = Bulk(
    "DELETE FROM in_use WHERE table_name = ?",
    "DELETE FROM in_use WHERE table_name = ANY(%s::text[])",
)
USE = _insert("in_use", {"card_set": "text", "table_name": "text"})
LAST = (
    "SELECT heads.number, heads.hash, journal.at_ms FROM heads JOIN journal"
    " ON journal.table_name = heads.table_name AND journal.number = heads.number"
    " WHERE heads.table_name = ?"
)
KNOWN = "SELECT number, command FROM journal WHERE table_name = ? AND command_id = ?"
WRITTEN = "SELECT hash FROM journal WHERE table_name = ? AND number = ?"


class CommitRefused(Refusal):
    """A commit that the database refused."""


class Repeated(CommitRefused):
    """An id that was already used, with the number and the command of its row."""

    def __init__(self, number: int, command: str) -> None:
        super().__init__("repeated", "This id was carried out long ago.")
        self.number = number
        self.command = command


class RowRefused(CommitRefused):
    """The refusal of one row among others, which may be written without it."""

    def __init__(self, row: Row, code: str, sentence: str) -> None:
        super().__init__(code, sentence)
        self.row = row


class Unsure(Exception):
    """A commit that failed midway; only the journal knows whether it happened."""


class Overtaken(Exception):
    """A row whose number is taken; its writer must continue from the journal's head."""

    def __init__(self, row: Row, head: tuple[int, str], at_ms: int) -> None:
        """`at_ms` is the time of the head's row."""
        super().__init__(f"{row.table_name} already has another row {row.number}.")
        self.head, self.at_ms = head, at_ms


def is_postgres(address: str) -> bool:
    """Whether the address is a PostgreSQL server's rather than the path of a SQLite file."""
    return address.startswith(POSTGRES)


def engine_url(address: str) -> str:
    """PostgreSQL's address as SQLAlchemy takes it: each of several hosts as an option."""
    place, slash, rest = address.removeprefix(POSTGRES).partition("/")
    who, at, hosts = place.rpartition("@")
    if "," not in hosts:
        return f"{_DRIVER}{place}{slash}{rest}"
    name, _, options = rest.partition("?")
    each = "&".join(f"host={host}" for host in hosts.split(","))
    return f"{_DRIVER}{who}{at}{slash}{name}?{each}" + (f"&{options}" if options else "")


def writing_connection(address: str, house: int | None = None) -> WritingConnection:
    """A new writing connection of the server that has the house.

    `house` is the fence under which it has the house, or the number of the SQLite file.
    """
    if is_postgres(address):
        from wartable.server.records.postgres import Postgres  # noqa: PLC0415  # needs an extra

        return Postgres(address, house)
    return SQLite(address, house)


class Waiting(msgspec.Struct):
    """An entry waiting for its commit, where its result goes, and how often it failed."""

    entry: Entry
    done: Callable[[Exception | None], None]
    tries: int = 0


def write_batch(connection: WritingConnection, entries: Sequence[Entry]) -> None:
    """Write all the entries in one transaction or none; `Unsure` if the result is unknown."""
    try:
        connection.begin()
        if not connection.has_house():
            raise CommitRefused("fenced", "Another server has the house now.")
        _check_office(connection, entries)
        for entry in entries:
            for statement, values in entry.statements:  # first, as they may make a new table
                connection.execute(statement, values)
        _check_fences(connection, entries)
        _count(connection, entries)
        _check_meters(connection, entries)
        _use_cards(connection, entries)
        _write(connection, entries)
        try:
            connection.commit()
        except connection.failures as problem:
            raise Unsure(str(problem)) from problem
    except BaseException:
        with suppress(*connection.failures):
            connection.rollback()
        raise


def _check_office(connection: WritingConnection, entries: Sequence[Entry]) -> None:
    """Refuse rows decided before somebody was restricted; the office is held until the commit.

    It is locked before any balance, so that two servers never deadlock.
    """
    if any(entry.row.table_name == OFFICE for entry in entries):
        connection.hold_office()
    decided = [entry.office for entry in entries if entry.office is not None]
    if decided and connection.restricted(min(decided)) > min(decided):
        raise CommitRefused(STALE, "The house has changed who may wager, or its cards; try again.")


def _check_fences(connection: WritingConnection, entries: Sequence[Entry]) -> None:
    """Refuse a writer whose table another process took over; shared chains have no owner."""
    shown = {(entry.row.table_name, entry.fence) for entry in entries}
    shown = {each for each in shown if each[1] or not _of_all(each[0])}
    if not shown:
        return
    fences = connection.fences([name for name, _ in shown])
    for name, fence in shown:
        if fences.get(name) != fence:
            raise CommitRefused("fenced", f"The table {name} belongs to another process now.")


def _of_all(name: str) -> bool:
    """Whether all servers write to a chain: the cashier's, the office's, shared meters'."""
    return name in (CASHIER, OFFICE) or name.startswith(METERS)


def _check_meters(connection: WritingConnection, entries: Sequence[Entry]) -> None:
    """Refuse rows that move shared meters from an old reading; meters are held until the commit.

    They are locked before any balance, as the office is.
    """
    moving = [entry.row for entry in entries if entry.row.table_name.startswith(METERS)]
    if not moving:
        return
    heads = connection.heads(sorted({row.table_name for row in moving}))
    for row in moving:
        if row.number != heads.get(row.table_name, 0) + 1:
            raise RowRefused(row, MOVED, "The meters have moved meanwhile; try again.")
        heads[row.table_name] = row.number


def _use_cards(connection: WritingConnection, entries: Sequence[Entry]) -> None:
    """Refuse cards that another table uses, and store which sets each table uses from now on."""
    names = sorted({name for entry in entries for name in entry.sets or ()})
    users = connection.users(names) if names else {}
    using: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        if entry.sets is None:
            continue
        table = entry.row.table_name
        for name in entry.sets:
            if users.get(name, table) != table:
                sentence = f"The set {name} is in use at {users[name]}."
                raise RowRefused(entry.row, "in_use", sentence)
        if table != OFFICE:
            left = {name: user for name, user in users.items() if user != table}
            users, using[table] = left | dict.fromkeys(entry.sets, table), entry.sets
    if using:
        connection.run(FREE, [(table,) for table in using])
    if used := sorted((name, table) for table, sets in using.items() for name in sets):
        connection.run(USE, used)


def _count(connection: WritingConnection, entries: Sequence[Entry]) -> None:
    """Count the rows towards limits in order, each after its own claim was checked."""
    exposed = {
        (player, entry.row.table_name): amount
        for entry in entries
        for player, amount in entry.exposed
    }
    claims = sorted({entry.claim.account for entry in entries if entry.claim is not None})
    stored: dict[str, str] = {}
    if connection.counts():
        names = {*claims, *(name for entry in entries for name in concerned(entry))}
        stored = connection.counted(sorted(names))
    if stored or claims:
        counters = Counters({name: read_play(text) for name, text in stored.items()})
        if stored and claims:
            counters.expose(connection.exposed(claims))
        for entry in entries:
            _check_claim(counters, entry)
            counters.count(entry)
        plays = {name: stored_play(play) for name, play in counters.plays.items()}
        if changed := [(plays[name], name) for name in stored if plays[name] != stored[name]]:
            connection.run(COUNTED, changed)
    if exposed:
        connection.run(EXPOSED, [(*which, amount) for which, amount in exposed.items()])


def _check_claim(counters: Counters, entry: Entry) -> None:
    """Refuse a row whose account would pass a limit, or is not counted yet."""
    claim = entry.claim
    if claim is None:
        return
    if claim.account not in counters.plays:
        raise RowRefused(entry.row, UNCOUNTED, f"{claim.account} is not counted yet; try again.")
    passed = counters.exceeded(claim, entry.row)
    if passed is not None:
        raise RowRefused(entry.row, f"{passed.what}_limit", passed.sentence)


def _write(connection: WritingConnection, entries: Sequence[Entry]) -> None:
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
    last = {entry.row.table_name: entry.row for entry in entries}
    connection.run(HEAD, [(name, row.number, row.hash) for name, row in last.items()])


def _move(connection: WritingConnection, entries: Sequence[Entry]) -> None:
    """Change every account by the batch's sum; the database lets none end below zero."""
    changes: Counter[str] = Counter()
    for entry in entries:
        for each in entry.transfers:
            changes[each.source] -= each.amount
            changes[each.target] += each.amount
    accounts = sorted(account for account, change in changes.items() if change)
    if accounts:
        connection.run(NEW_ACCOUNT, [(account, 0) for account in accounts])
        connection.run(MOVE, [(changes[account], account) for account in accounts])


def attempt(connection: WritingConnection, batch: Sequence[Waiting]) -> list[Waiting]:
    """Commit all together or, failing that, one by one; return those to retry."""
    try:
        write_batch(connection, [one for each in batch for one in each.entry.together()])
    except Unsure:
        return list(batch)
    except RowRefused as problem:
        refused = next(
            each for each in batch if any(one.row is problem.row for one in each.entry.together())
        )
        others = [each for each in batch if each is not refused]
        left = _fail(connection, refused, problem)
        return [*left, *(attempt(connection, others) if others else ())]
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


def _fail(connection: WritingConnection, waiting: Waiting, problem: Exception) -> list[Waiting]:
    """Report an entry's failure if it is certainly not in the journal."""
    row = waiting.entry.row
    try:
        written = connection.one(WRITTEN, (row.table_name, row.number))
        head = connection.one(LAST, (row.table_name,))
        old = connection.one(KNOWN, (row.table_name, row.command_id))
    except connection.failures:
        return [waiting]
    except connection.conflicts:
        waiting.done(CommitRefused("conflict", "The records cannot store a value in this."))
        return []
    if written == (row.hash,):
        waiting.done(None)
    elif isinstance(problem, connection.failures) and waiting.tries < TRIES_MAX:
        waiting.tries += 1
        return [waiting]
    elif written is not None and head is not None and not isinstance(problem, CommitRefused):
        waiting.done(Overtaken(row, (head[0], head[1]), head[2]))
    elif isinstance(problem, connection.conflicts):
        waiting.done(_conflict(problem) if old is None else Repeated(*old))
    else:
        waiting.done(problem)
    return []


def _conflict(problem: Exception) -> CommitRefused:
    """The refusal for a violated constraint: the only one reachable is a balance below 0."""
    if "check constraint" in str(problem).lower():
        return CommitRefused("insufficient", "The wallet does not hold that much money.")
    return CommitRefused("conflict", f"The records do not allow this: {problem}.")
