"""Meters that several tables share: one value and one chain of rows, which all servers write."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

import sqlalchemy as sa
from msgspec.structs import replace

from wartable.game.messages import MeterName
from wartable.rules import Book
from wartable.rules.model import RuleBook
from wartable.rules.raw import Raw
from wartable.server.clock import Clock
from wartable.server.logs import LOG
from wartable.server.records import database, journal, messages, table_leases
from wartable.server.records.decisions import of_house
from wartable.server.records.journal import START, Broken, Chain
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import MetersMoved, MetersOpened, MoveMeters, OpenMeters
from wartable.server.records.rows import METERS, Commit, Entry, Row, Statement
from wartable.table import PLATFORM, Setup
from wartable.table.state import MeterState, meters_of

Values = dict[MeterName, MeterState]


def name_for(digest: str) -> str:
    """The name of the meters that the tables of a rule book share."""
    return METERS + digest[:12]


def initial(rules: RuleBook) -> Values:
    """The initial meters of a book."""
    return {
        name: MeterState(shown=meter.initial, seeded=meter.initial)
        for name, meter in meters_of(rules).items()
    }


class Meters:
    """The meters of one rule book's shared tables.

    A table that moves them holds `turn` until it knows the commit's result. If another server has
    moved them meanwhile, the commit is refused, and the table decides again.
    """

    def __init__(
        self,
        name: str,
        rules: RuleBook,
        *,
        commit: Commit,
        clock: Clock,
        key: HouseKey,
        read: Callable[[str, int], Awaitable[Iterable[Row]]],
    ) -> None:
        self.name, self.chain = name, Chain(name, key)
        self.values = initial(rules)
        self.head = START
        self.reachable = True
        """Whether the last attempt to read them succeeded."""
        self._least_ms = 0
        """The time of their last row, because another server's clock may be ahead of ours."""
        self.stale = True
        """Whether the journal may have newer rows."""
        self.turn = asyncio.Lock()
        self._commit, self._clock, self._read = commit, clock, read

    async def open(
        self, book: str, head: tuple[int, str] | None = None, new: tuple[Statement, ...] = ()
    ) -> None:
        """Continue from the journal's head, or write the first row of new meters."""
        if head is not None and head[0] > 1:
            # Every row has all the meters: the last one, checked against the one before, is enough.
            elder, *_ = await self._read(self.name, head[0] - 2)
            self.head = (elder.number, elder.hash)
        await self.catch_up()
        if head is not None:
            journal.check_end(self.head, head)
        if self.head[0]:
            return
        entry = self._entry("open", OpenMeters(book, self.values), new)
        await table_leases.opened(self.name, self._commit(entry))
        self.go_on(entry)

    async def doubt(self) -> None:
        """Have them read again before their next use, as another server may have moved them."""
        async with self.turn:
            self.stale = True

    async def catch_up(self) -> None:
        """Read the journal's newer rows, if there may be any."""
        if not self.stale:
            return
        for row in await self._read(self.name, self.head[0]):
            if row.number != self.head[0] + 1 or journal.row_hash(self.head[1], row) != row.hash:
                raise Broken(row, "it does not follow the row before it")
            _, events = journal.read_row(row, self.chain.key)
            self._follow(row, events)
        self.stale = False

    def _follow(self, row: Row, events: tuple[messages.JournalEvent, ...]) -> None:
        for event in events:
            if isinstance(event, MetersOpened | MetersMoved):
                self.values = event.meters
        self.head, self._least_ms = (row.number, row.hash), row.at_ms

    def entry(self, table: str, number: int, values: Values) -> Entry:
        """The row to write in the same transaction as the table's row that moves the meters."""
        return self._entry(f"{table}/{number}", MoveMeters(table, number, values))

    def _entry(
        self, id_: str, command: OpenMeters | MoveMeters, new: tuple[Statement, ...] = ()
    ) -> Entry:
        decision = of_house(self.name, command)
        now_ms = max(self._clock.now_ms(), self._least_ms)
        return self.chain.entry(self.head, now_ms, PLATFORM, id_, decision, statements=new)

    def go_on(self, entry: Entry) -> None:
        """Continue from a row that was written."""
        self._follow(entry.row, journal.read_row(entry.row, self.chain.key)[1])


def sharing(setup: Setup, digest: str) -> Setup:
    """The setup of a table that shares its book's meters, if the book has any."""
    return replace(setup, meters=name_for(digest)) if meters_of(setup.rules) else setup


class SharedMeters:
    """All shared meters that tables of this server move, by name."""

    def __init__(self, engine: sa.Engine, commit: Commit, clock: Clock, key: HouseKey) -> None:
        self.opened: dict[str, Meters] = {}
        self._engine, self._commit, self._clock, self._key = engine, commit, clock, key

    async def open_for(self, book: Book, setup: Setup, content: Raw | None) -> None:
        """Open the meters that a table shares; `TableTaken` if another server is making them."""
        name = setup.meters
        if not name or name in self.opened:
            return
        new: tuple[Statement, ...] = ()
        if content is not None:
            made = (self._engine, book, content, name)
            new = await asyncio.to_thread(table_leases.new_meters, *made)
        opened = Meters(
            name,
            book.rules,
            commit=self._commit,
            clock=self._clock,
            key=self._key,
            read=self._rows,
        )
        head = await asyncio.to_thread(database.head_of, self._engine, name)
        await opened.open(book.digest, head, new)
        self.opened[name] = opened

    async def _rows(self, name: str, after: int) -> list[Row]:
        return await asyncio.to_thread(lambda: list(database.rows_of(self._engine, name, after)))

    async def look(self) -> None:
        """Read other servers' changes to the meters; those that cannot be read are out of reach."""
        for name, shared in list(self.opened.items()):
            if shared.turn.locked():  # the table that moves them reads them anyway
                continue
            async with shared.turn:
                shared.stale = True
                try:
                    await shared.catch_up()
                    shared.reachable = True
                except (Broken, sa.exc.SQLAlchemyError) as problem:
                    shared.reachable = False
                    LOG.error("meters lost", extra={"table": name, "reason": str(problem)})

    def lose(self) -> None:
        """Treat all meters as out of reach until they are read again."""
        for shared in self.opened.values():
            shared.reachable = False
