"""Verify the records: chain, folding, decisions, transfers, balances, meters, rights."""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from itertools import islice

import msgspec
import sqlalchemy as sa
from cryptography.exceptions import InvalidTag

from wartable import ledger, table
from wartable.money import Transfer
from wartable.server.audit import counters, strays
from wartable.server.audit.shared import Shared
from wartable.server.audit.verified import VerifiedMark
from wartable.server.house import passwords
from wartable.server.house.complaints import Complaints
from wartable.server.house.rights import Rights
from wartable.server.records import (
    checkpoints,
    database,
    decisions,
    journal,
    keyed,
    messages,
    results,
    schema,
    shape,
)
from wartable.server.records.checkpoints import Checkpoint
from wartable.server.records.decisions import Decision
from wartable.server.records.journal import GENESIS, START, Broken, Head
from wartable.server.records.keys import HouseKey
from wartable.server.records.results import LastRound
from wartable.server.records.rows import CASHIER, METERS, OFFICE, OUTSIDE, Row
from wartable.server.tables.exposure import exposures
from wartable.server.tables.meters import Values, initial
from wartable.shoe import Shoe
from wartable.table import Setup, Table

OVERDRAWN = (ledger.HOUSE, OUTSIDE)
"""The only accounts that may be below zero."""

OpeningCommand = messages.OpenTable | messages.OpenMeters


class Verified(msgspec.Struct, frozen=True):
    """What was checked and found correct: all tables, and the rows and transfers since a mark."""

    tables: int
    rows: int
    transfers: int
    replayed: int
    """How many of the rows have no code, and were replayed but not decided again."""


Told = Callable[[int, int], None]
"""A function that is called with the number of rows checked and the number of all rows."""


def verify(engine: sa.Engine, key: HouseKey) -> Verified:
    """Check everything as of now, even during play; `Broken` names the first bad row."""
    return verify_since(engine, key, None)[0]


def verify_since(
    engine: sa.Engine, key: HouseKey, mark: VerifiedMark | None, told: Told = lambda *_: None
) -> tuple[Verified, VerifiedMark]:
    """Check everything, or what came after a mark; return what was checked and the next mark."""
    with database.snapshot(engine) as connection:
        return check(connection, key, mark, told)


def check(
    source: sa.Connection,
    key: HouseKey,
    mark: VerifiedMark | None = None,
    told: Told = lambda *_: None,
) -> tuple[Verified, VerifiedMark]:
    """Check everything that a connection sees, or what came after a mark.

    `Broken` names the first bad row; it comes before another shape of the database, unless that
    cannot be read at all.
    """
    problem = shape.problem(source)
    try:
        found = _check_rows(source, key, mark, told)
    except sa.exc.DatabaseError:
        if problem is not None:
            raise problem from None
        raise
    if problem is not None:
        raise problem
    return found


def _check_rows(
    source: sa.Connection, key: HouseKey, mark: VerifiedMark | None, told: Told
) -> tuple[Verified, VerifiedMark]:
    since = VerifiedMark() if mark is None else mark
    heads = database.heads(source)
    vouched: dict[str, Head] = {}
    if mark is None:
        keyed.check(source, key)
        vouched = keyed.vouched(source, key)
    _check_continues(source, heads, since)
    stray = database.stray(source)
    if stray is not None:
        raise Broken(None, f"{stray} is a table without a journal, which nobody opened")
    tables = database.table_names(source)
    shared = Shared(since.meters, lambda *which: _older_reading(source, key, *which))
    rights = since.known_rights()
    others = [*database.meter_names(source), CASHIER, OFFICE]
    strays.check(source, tables, others)
    names = [*tables, *others]
    accounts: Counter[str] = Counter(since.balances)
    now = VerifiedMark(since.at_ms, heads, dict(since.times), dict(since.tables))
    now.setups, now.rounds = strays.setups(source), dict(since.rounds)
    now.exposed, now.sets = dict(since.exposed), dict(since.sets)
    total = sum(number - since.heads.get(name, START)[0] for name, (number, _) in heads.items())
    rows = moved = 0
    for name in names:
        if mark is not None and since.heads.get(name) == heads.get(name):
            continue
        for transfers in _verify_chain(source, key, name, shared, rights, vouched, since, now):
            rows += 1
            moved += len(transfers)
            ledger.move(accounts, transfers)
            told(rows, total)
    if mark is not None:
        _check_unread(source, since, now)
    stored = database.balances(source)
    for account in sorted({*accounts, *stored}, key=str):
        if accounts[account] < 0 and account not in OVERDRAWN:
            raise Broken(None, f"{account} is below zero: {accounts[account]}")
        if accounts[account] != stored.get(account, 0):
            difference = (
                f"{account} holds {stored.get(account, 0)}, by the journal {accounts[account]}"
            )
            raise Broken(None, difference)
        if account not in accounts:
            raise Broken(None, f"{account} has a balance, and no row ever moved it")
    shared.check(accounts)
    rights.check(source)
    _check_disputes(source, rights.complaints)
    _check_sessions(source, key, rights)
    counters.check(source, now, rights.sets)
    strays.check_kept(source)
    strays.check_leases(source)
    if sum(accounts.values()):
        raise Broken(None, "money was made or lost")
    if mark is None:
        strays.check_counts(source, rows, moved)
    now.at_ms = max(now.times.values(), default=0)
    now.balances, now.meters = dict(accounts), shared.readings()
    now.keep_rights(rights)
    replayed = sum(number for number, _ in vouched.values())
    return Verified(len(tables), rows, moved, replayed), now


def _check_continues(source: sa.Connection, heads: dict[str, Head], since: VerifiedMark) -> None:
    """Check that the journal still has every row that was verified."""
    rows = schema.journal.c
    for name, (number, hash_) in since.heads.items():
        if heads.get(name) == (number, hash_):
            continue
        query = sa.select(rows.hash).where(rows.table_name == name, rows.number == number)
        found = source.execute(query).scalar()
        if found != hash_ or heads.get(name, START)[0] < number:
            what = "is gone" if found is None else "is another one"
            raise Broken(None, f"{name} row {number}, which was verified before, {what} now")


def _check_unread(source: sa.Connection, since: VerifiedMark, now: VerifiedMark) -> None:
    """Check what rows after the mark do not show: how tables are stored, and the ends of chains."""
    for name, stored in since.setups.items():
        if now.setups.get(name) != stored:
            raise Broken(None, f"{name} is stored with another book or setup than was verified")
    strays.check_ends(source, now.rounds)


def _older_reading(source: sa.Connection, key: HouseKey, name: str, number: int) -> Values | None:
    """The reading in a row of shared meters from before the mark, if the house wrote it."""
    found = {row.number: row for row in islice(database.rows_of(source, name, number - 2), 2)}
    row, previous = found.get(number), found.get(number - 1)
    if row is None or (previous is None) != (number == 1):
        return None
    if journal.row_hash(GENESIS if previous is None else previous.hash, row) != row.hash:
        return None
    command, _ = journal.read_row(row, key)
    if row.mac is None or not isinstance(command, messages.OpenMeters | messages.MoveMeters):
        return None
    return command.meters


def _check_disputes(source: sa.Connection, complaints: Complaints) -> None:
    """Check that disputes are about rounds of their players, and paid as they were answered."""
    for each in complaints.all.values():
        if results.result_of(source, each.table, each.round, each.player) is None:
            where = f"{each.table} round {each.round}"
            raise Broken(None, f"{each.player} disputes {where}, and took no part in it")
    if (wrong := complaints.problem()) is not None:
        raise Broken(None, wrong)


def _check_sessions(source: sa.Connection, key: HouseKey, rights: Rights) -> None:
    """Check that this house began every session, and has not ended it."""
    for each in source.execute(sa.select(schema.sessions).order_by(schema.sessions.c.digest)):
        if not key.began(each.mac, *each[:-1]):
            raise Broken(None, f"this house did not begin a session of {each.account}")
        if rights.ended(passwords.fingerprint(each.digest), each.account, each.opened_ms):
            raise Broken(None, f"a session of {each.account} ended, and was put back")


def check_chains(source: database.Queryable, keyed: bool = True) -> int:
    """Check all chains without the house's key, and return the number of rows."""
    meters = database.meter_names(source)
    names = [*database.table_names(source), *meters, CASHIER, OFFICE]
    return sum(
        1
        for name in names
        for _ in journal.check_chain(
            database.rows_of(source, name, keyed=keyed), database.head_of(source, name) or START
        )
    )


def _verify_chain(
    source: sa.Connection,
    key: HouseKey,
    name: str,
    shared: Shared,
    rights: Rights,
    vouched: dict[str, Head],
    since: VerifiedMark,
    now: VerifiedMark,
) -> Iterator[tuple[Transfer, ...]]:
    """The transfers of each row after the mark, after the row was checked; `now` is the next."""
    setup, opening = _opening(source, name)
    after = since.heads.get(name, START)
    written = _transfers_of(source, name, after[0])
    rows = _keyed(_rows(source, key, name, opening, after), vouched.get(name, START))
    rows = _timed(rows, name, since, now)
    if setup is None:
        decided = _verify_house(rows, name, shared, rights)
    else:
        decided = _verify_table(source, key, rows, setup, shared, since, now)
    for row, transfers in decided:
        if transfers != written.pop(row.number, ()):
            raise Broken(row, "the transfers beside it are not its own")
        yield transfers
    if written:
        raise Broken(None, f"{name} has transfers of row {min(written)}, which is not there")


StoredRow = tuple[Row, messages.JournalCommand, tuple[messages.JournalEvent, ...]]


def _keyed(rows: Iterator[StoredRow], vouched: Head) -> Iterator[StoredRow]:
    """The rows, each checked to have a code, or to be one that the house vouches for."""
    for row, command, events in rows:
        if row.mac is None and row.number > vouched[0]:
            raise Broken(row, "this house did not write it: it has no authentication code")
        if row.number == vouched[0] and row.hash != vouched[1]:
            raise Broken(row, "it is not the row that this house vouches for")
        yield row, command, events


def _timed(
    rows: Iterator[StoredRow], name: str, since: VerifiedMark, now: VerifiedMark
) -> Iterator[StoredRow]:
    """The rows, each checked to be no earlier than the one before."""
    at_ms = since.times.get(name, 0)
    for row, command, events in rows:
        if row.at_ms < at_ms:
            raise Broken(row, f"its time {row.at_ms} is before the time {at_ms} of the row before")
        at_ms = now.times[name] = row.at_ms
        yield row, command, events


def _rows(
    source: sa.Connection, key: HouseKey, name: str, opening: OpeningCommand | None, after: Head
) -> Iterator[StoredRow]:
    """The rows of a chain after that one, in order, read, with the opening first."""
    head = database.head_of(source, name)
    rows = database.rows_of(source, name, after[0])
    for row in journal.check_chain(rows, head or START, after):
        try:
            command, events = journal.read_row(row, key)
        except (msgspec.DecodeError, ValueError) as error:
            raise _undecided(row, error) from None
        except InvalidTag:
            raise Broken(row, "its seed does not open with this key") from None
        if isinstance(command, OpeningCommand) or row.number == 1:
            _check_opening(row, command, opening)
        yield row, command, events


def _undecided(row: Row, error: Exception) -> Broken:
    return Broken(row, f"it cannot be decided again: {error}")


def _check_events(row: Row, decision: Decision, events: tuple[messages.JournalEvent, ...]) -> None:
    if decision.events != events:
        raise Broken(row, "the rules decide this command differently")


def _verify_house(
    rows: Iterator[StoredRow], name: str, shared: Shared, rights: Rights
) -> Iterator[tuple[Row, tuple[Transfer, ...]]]:
    """The rows of the cashier, the office or shared meters, each with its transfers."""
    for row, command, events in rows:
        if not isinstance(command, messages.HouseCommand):
            raise Broken(row, "it cannot be decided again: it is a table's")
        decision = decisions.of_house(name, command)
        _check_events(row, decision, events)
        shared.meters_row(row, command)
        if isinstance(command, messages.Correct):
            rights.complaints.paid[command.dispute] = (command.player, command.amount)
        if isinstance(command, messages.Note):
            try:
                rights.note(row, command)
            except ValueError as error:
                raise _undecided(row, error) from None
        yield row, decision.transfers


def _verify_table(
    source: sa.Connection,
    key: HouseKey,
    rows: Iterator[StoredRow],
    setup: Setup,
    shared: Shared,
    since: VerifiedMark,
    now: VerifiedMark,
) -> Iterator[tuple[Row, tuple[Transfer, ...]]]:
    """The rows of a table, each with its transfers; its results and checkpoints are checked too."""
    name, state = setup.name, table.start(setup)
    past = deque[Shoe](maxlen=results.SHOES_MAX), deque[LastRound](maxlen=results.LAST_MAX)
    began_ms = number = 0
    if name in since.tables:
        at = since.table(name)
        state, began_ms, number = at.state, at.began_ms, at.number
        past[0].extend(at.finished)
        past[1].extend(at.last)
    closed = state.rounds - state.in_round
    kept, sealed = (
        results.stored(source, name, closed),
        checkpoints.stored(source, name, number),
    )
    row = None
    for row, command, events in rows:
        before = state
        try:
            state, transfers = _decided(setup, before, row, command, events)
        except (ValueError, AssertionError) as error:
            raise _undecided(row, error) from None
        if setup.meters:
            shared.table_row(row, command, setup.meters, before, state)
        if results.wagered(state) and not results.wagered(before):
            began_ms = row.at_ms
        if before.in_round and not state.in_round and state.round is not None:
            where = (name, setup.rules.name, state.rounds, began_ms, row.at_ms)
            made = set(results.results_of(*where, state.round))
            if made != set(kept.pop(state.rounds, ())):
                raise Broken(row, "the results beside it are not its round's")
        results.remember(before, state, *past)
        if row.number in sealed:
            shown = (tuple(past[0]), tuple(past[1]))
            folded = Checkpoint(row.number, row.hash, began_ms, state, *shown)
            if checkpoints.opened(key, sealed.pop(row.number)) != folded:
                raise Broken(row, "the checkpoint of it is not how the table stood")
        yield row, transfers
    if kept:
        raise Broken(None, f"{name} has results of round {min(kept)}, which was not closed")
    if sealed:
        raise Broken(None, f"{name} has a checkpoint of row {min(sealed)}, which is not there")
    if row is not None:
        stands = (row.number, row.hash, began_ms, state, tuple(past[0]), tuple(past[1]))
        now.keep_table(name, Checkpoint(*stands))
        now.rounds[name] = state.rounds - state.in_round
        now.exposed.pop(name, None)
        if exposed := exposures(setup, state):
            now.exposed[name] = exposed
        now.sets.pop(name, None)
        if state.sets:
            now.sets[name] = state.sets


def _decided(
    setup: Setup,
    before: Table,
    row: Row,
    command: messages.JournalCommand,
    events: tuple[messages.JournalEvent, ...],
) -> tuple[Table, tuple[Transfer, ...]]:
    """The table after a row and the row's transfers, decided again.

    A row from before rows had codes is only folded: the house vouches for its chain, and the
    program of its time may have decided differently.
    """
    if row.mac is None:
        state, moved = decisions.folded(setup, before, events)
        return state, tuple(moved)
    state, decision = decisions.of_table(setup, before, command)
    _check_events(row, decision, events)
    return state, decision.transfers


def _opening(source: sa.Connection, name: str) -> tuple[Setup | None, OpeningCommand | None]:
    """The stored setup of a table, and the command that must have opened the table or meters."""
    if name in (CASHIER, OFFICE):
        return None, None
    try:
        if name.startswith(METERS):
            book, options = database.opened_with(source, name)
            if options:
                raise Broken(None, f"{name} are meters, and stored as a table")
            return None, messages.OpenMeters(book.digest, initial(book.rules))
        setup = database.setup_of(source, name)
        digest = database.opened_with(source, name)[0].digest
        table.start(setup)
    except (ValueError, KeyError, TypeError, sa.exc.NoResultFound) as error:
        raise Broken(None, f"the setup of {name} cannot be read: {error}") from None
    return setup, messages.opening(digest, setup)


def _check_opening(
    row: Row, command: messages.JournalCommand, opening: OpeningCommand | None
) -> None:
    """Check that only the first row opens the table, with the stored book and decks."""
    if opening is None and not isinstance(command, OpeningCommand):
        return
    if row.number > 1:
        raise Broken(row, "it opens a table that is open")
    if isinstance(opening, messages.OpenTable) and isinstance(command, messages.OpenTable):
        opening = messages.as_recorded(opening, command)
    if command != opening:
        raise Broken(row, "the table was opened with another book or setup than is stored")


def _transfers_of(source: sa.Connection, name: str, after: int) -> dict[int, tuple[Transfer, ...]]:
    """A table's stored transfers by row, after that one."""
    transfers = schema.transfers
    query = (
        sa.select(transfers)
        .where(transfers.c.table_name == name, transfers.c.number > after)
        .order_by(transfers.c.number, transfers.c.place)
    )
    found: dict[int, tuple[Transfer, ...]] = {}
    for each in source.execute(query):
        earlier = found.get(each.number, ())
        if each.place != len(earlier):
            raise Broken(None, f"{name} row {each.number}: the transfers beside it are not its own")
        found[each.number] = (*earlier, Transfer(each.source, each.target, each.amount))
    return found
