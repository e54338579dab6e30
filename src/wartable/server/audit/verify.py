"""Is the record whole and true: chain, folding, decisions, transfers, balances, meters, rights."""

from collections import Counter, deque
from collections.abc import Iterator

import msgspec
import sqlalchemy as sa
from cryptography.exceptions import InvalidTag

from wartable import ledger, table
from wartable.game import Illegal
from wartable.ledger import Transfer, Unbalanced
from wartable.server.audit.rights import Rights
from wartable.server.records import (
    checkpoints,
    database,
    journal,
    messages,
    results,
    schema,
    triggers,
)
from wartable.server.records.checkpoints import Checkpoint
from wartable.server.records.journal import Broken, Row
from wartable.server.records.results import LastRound
from wartable.server.tables.meters import PREFIX, Values, initial
from wartable.shoe import Shoe
from wartable.table import Setup


class Verified(msgspec.Struct, frozen=True):
    """What was checked and found right."""

    tables: int
    rows: int
    transfers: int


class Shared:
    """What tables and shared meters say of each other, gathered row by row."""

    def __init__(self) -> None:
        self._moves: dict[tuple[str, str, int], tuple[Row, Values, Values]] = {}
        self._shown: list[tuple[str, Row, messages.ShowMeters]] = []
        self._rows: dict[str, list[tuple[Row, Values, messages.Command]]] = {}

    def note(
        self,
        row: Row,
        command: messages.Command,
        setup: Setup | None,
        before: table.Table | None,
        after: table.Table | None,
    ) -> None:
        """Remember what a row says of shared meters."""
        if isinstance(command, messages.OpenMeters | messages.MoveMeters):
            found = self._rows.setdefault(row.table_name, [])
            found.append((row, command.meters, command))
        elif setup is None or not setup.meters or before is None or after is None:
            return
        elif isinstance(command, messages.ShowMeters):
            self._shown.append((setup.meters, row, command))
        elif before.meters != after.meters:
            key = (setup.meters, row.table_name, row.number)
            self._moves[key] = (row, before.meters, after.meters)

    def check(self, accounts: Counter[str]) -> None:
        """Every move has the meter's own row, in its order, from what the meter was."""
        for name, rows in self._rows.items():
            now: Values = {}
            for row, values, command in rows:
                if isinstance(command, messages.MoveMeters):
                    self._check_move(row, command, now)
                elif row.number > 1:
                    raise Broken(row, "it opens meters that are open")
                now = values
            self._check_known(name)
            for meter, value in now.items():
                if accounts[f"{name}/{ledger.meter(meter)}"] != value.shown:
                    raise Broken(rows[-1][0], f"the account of {meter} is not what it shows")
                if value.fed + value.seeded != value.paid + value.shown:
                    raise Broken(rows[-1][0], f"{meter} does not account for every cent")
        for name in {name for name, _, _ in self._moves}:
            self._check_known(name)
        for name, row, command in self._shown:
            known = self._rows.get(name, [])
            if not 0 < command.number <= len(known) or known[command.number - 1][1] != (
                command.meters
            ):
                raise Broken(row, "it shows what the shared meters were not")

    def _check_known(self, name: str) -> None:
        for (meters, _, _), (row, _, _) in self._moves.items():
            if meters == name:
                raise Broken(row, "it moves a shared meter, whose rows do not know of it")

    def _check_move(self, row: Row, command: messages.MoveMeters, now: Values) -> None:
        found = self._moves.pop((row.table_name, command.table, command.number), None)
        if found is None:
            raise Broken(row, "it says what no table did to the meters")
        moving, before, after = found
        if before != now:
            raise Broken(moving, "it moves a shared meter from a reading that was old")
        if after != command.meters:
            raise Broken(row, "the meters are not what the table's row made of them")


def verify(engine: sa.Engine, key: bytes) -> Verified:
    """Check everything as it is at this moment, play or not; `Broken` names the first bad row."""
    with database.snapshot(engine) as connection:
        return _verify(connection, key)


def _verify(source: sa.Connection, key: bytes) -> Verified:
    stray = database.stray(source)
    if stray is not None:
        raise Broken(None, f"{stray} is a table without a journal, which nobody opened")
    tables = database.table_names(source)
    shared, rights = Shared(), Rights()
    names = [*tables, *database.meter_names(source), messages.CASHIER, messages.OFFICE]
    _check_strangers(source, names)
    accounts: Counter[str] = Counter()
    rows = moved = 0
    for name in names:
        for transfers in _verify_table(source, key, name, shared, rights):
            rows += 1
            moved += len(transfers)
            ledger.move(accounts, transfers)
    stored = database.balances(source)
    for account in sorted({*accounts, *stored}):
        if accounts[account] != stored.get(account, 0):
            told = f"{account} holds {stored.get(account, 0)}, by the journal {accounts[account]}"
            raise Broken(None, told)
    shared.check(accounts)
    rights.check(source)
    if sum(accounts.values()):
        raise Broken(None, "money was made or lost")
    triggers.check(source)
    return Verified(len(tables), rows, moved)


def _check_strangers(source: sa.Connection, names: list[str]) -> None:
    """No rows may belong to a table that is not there."""
    for column in (
        each.c.table_name
        for each in (
            schema.heads,
            schema.journal,
            schema.transfers,
            schema.results,
            schema.checkpoints,
        )
    ):
        query = sa.select(column).where(column.not_in(names)).order_by(column).limit(1)
        found = source.execute(query).first()
        if found is not None:
            raise Broken(None, f"{found[0]} has rows, but there is no such table")


def _verify_table(
    source: sa.Connection, key: bytes, name: str, shared: Shared, rights: Rights
) -> Iterator[tuple[Transfer, ...]]:
    """The transfers of each row, after everything about the row was checked."""
    setup, opening = _opening(source, name)
    state = None if setup is None else table.start(setup)
    written, kept = _transfers_of(source, name), results.stored(source, name)
    sealed = checkpoints.stored(source, name)
    past = deque[Shoe](maxlen=results.SHOES_MAX), deque[LastRound](maxlen=results.LAST_MAX)
    began_ms = 0
    own: Counter[str] = Counter()
    head, at_ms = database.head_of(source, name), 0
    for row in journal.check_chain(database.rows_of(source, name), head or (0, journal.GENESIS)):
        if row.at_ms < at_ms:
            raise Broken(row, f"its time {row.at_ms} is before the time {at_ms} of the row before")
        at_ms = row.at_ms
        try:
            command, events = journal.read_row(row, key)
            if isinstance(command, Opening) or row.number == 1:
                _check_opening(row, command, opening)
            if messages.decide(setup, state, command) != events:
                raise Broken(row, "the rules decide this command otherwise")
            before = state
            state, moved = messages.moved_by(name, before, events, setup.meters if setup else "")
            if isinstance(command, messages.Note):
                rights.note(row, command)
        except (Illegal, msgspec.DecodeError, ValueError, AssertionError) as error:
            raise Broken(row, f"it cannot be decided again: {error}") from None
        except InvalidTag:
            raise Broken(row, "its seed does not open with this key") from None
        if moved != written.pop(row.number, ()):
            raise Broken(row, "the transfers beside it are not its own")
        ledger.move(own, (_at(name, each) for each in moved))
        shared.note(row, command, setup, before, state)
        if setup is not None and before is not None and state is not None:
            _check_state(row, state, own, bool(setup.meters))
            if results.wagered(state) and not results.wagered(before):
                began_ms = at_ms
            if before.in_round and not state.in_round and state.round is not None:
                where = (name, setup.rules.name, state.rounds, began_ms, at_ms)
                made = set(results.results_of(*where, state.round))
                if made != set(kept.pop(state.rounds, ())):
                    raise Broken(row, "the results beside it are not its round's")
            results.remember(before, state, *past)
            if row.number in sealed:
                finished, last = past
                told = Checkpoint(
                    row.number, row.hash, began_ms, state, tuple(finished), tuple(last)
                )
                if checkpoints.opened(key, sealed.pop(row.number)) != told:
                    raise Broken(row, "the checkpoint of it is not how the table stood")
        yield moved
    if kept:
        raise Broken(None, f"{name} has results of round {min(kept)}, which was not closed")
    if sealed:
        raise Broken(None, f"{name} has a checkpoint of row {min(sealed)}, which is not there")
    if written:
        raise Broken(None, f"{name} has transfers of row {min(written)}, which is not there")


Opening = messages.OpenTable | messages.OpenMeters


def _opening(source: sa.Connection, name: str) -> tuple[Setup | None, Opening | None]:
    """A table's setup as it is stored, and the command that must have opened it, or the meters."""
    if name in (messages.CASHIER, messages.OFFICE):
        return None, None
    try:
        if name.startswith(PREFIX):
            book = database.opened_with(source, name)[0]
            return None, messages.OpenMeters(book.digest, initial(book.rules))
        setup = database.setup_of(source, name)
        digest = database.opened_with(source, name)[0].digest
        table.start(setup)
    except (ValueError, KeyError, TypeError, sa.exc.NoResultFound) as error:
        raise Broken(None, f"the setup of {name} cannot be read: {error}") from None
    return setup, messages.opening(digest, setup)


def _check_opening(row: Row, command: messages.Command, opening: Opening | None) -> None:
    """The first row opens the table, and no other; with the book and decks that are stored."""
    if opening is None and not isinstance(command, Opening):
        return
    if row.number > 1:
        raise Broken(row, "it opens a table that is open")
    if isinstance(opening, messages.OpenTable) and isinstance(command, messages.OpenTable):
        opening = messages.as_told(opening, command)
    if command != opening:
        raise Broken(row, "the table was opened with another book or setup than is stored")


def _at(name: str, moved: Transfer) -> Transfer:
    """A transfer by the names that the accounts have at their own table."""
    source, target = (side.removeprefix(f"{name}/") for side in (moved.source, moved.target))
    return Transfer(source, target, moved.amount)


def _check_state(row: Row, state: table.Table, accounts: Counter[str], shared: bool) -> None:
    try:
        ledger.check(state, accounts, shared)
    except Unbalanced as error:
        raise Broken(row, str(error)) from None


def _transfers_of(source: sa.Connection, name: str) -> dict[int, tuple[Transfer, ...]]:
    """A table's stored transfers by row."""
    transfers = schema.transfers
    query = (
        sa.select(transfers)
        .where(transfers.c.table_name == name)
        .order_by(transfers.c.number, transfers.c.place)
    )
    found: dict[int, tuple[Transfer, ...]] = {}
    for each in source.execute(query):
        one = Transfer(each.source, each.target, each.amount)
        found[each.number] = (*found.get(each.number, ()), one)
    return found
