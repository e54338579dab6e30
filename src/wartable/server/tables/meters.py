"""Meters that several tables share: one value, one chain of rows and one writer."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress

import sqlalchemy as sa
from msgspec.structs import replace

from wartable.game.messages import MeterName
from wartable.rules import Book
from wartable.rules.model import RuleBook
from wartable.rules.raw import Raw
from wartable.server.clock import Clock
from wartable.server.logs import LOG
from wartable.server.records import database, journal, messages
from wartable.server.records.chain import START, Chain
from wartable.server.records.decisions import of_house
from wartable.server.records.journal import Broken
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import MetersMoved, MetersOpened, MoveMeters, OpenMeters
from wartable.server.records.rows import Commit, Entry, Row, Statement
from wartable.table import PLATFORM, Setup
from wartable.table.state import MeterState, meters_of

PREFIX = "meters "
"""The prefix of shared meters' names, which no table's name has."""

Values = dict[MeterName, MeterState]


def name_for(digest: str) -> str:
    """The name of the meters that the tables of a rule book share."""
    return PREFIX + digest[:12]


def initial(rules: RuleBook) -> Values:
    """The initial meters of a book."""
    return {
        name: MeterState(shown=meter.initial, seeded=meter.initial)
        for name, meter in meters_of(rules).items()
    }


class Meters:
    """The meters of one rule book's shared tables.

    A table that moves them holds `turn` until it knows the commit's result.
    """

    def __init__(
        self,
        name: str,
        rules: RuleBook,
        *,
        commit: Commit,
        clock: Clock,
        key: HouseKey,
        fence: int,
        read: Callable[[str, int], Awaitable[Iterable[Row]]],
    ) -> None:
        self.name, self.chain = name, Chain(name, key, fence)
        self.values = initial(rules)
        self.head = START
        self.reachable = True
        self.stale = True
        """Whether the journal may be ahead of us."""
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
        id_ = f"open {self.chain.fence}"
        entry = self._entry(id_, OpenMeters(book, self.values), new)
        await database.opened(self.name, self._commit(entry))
        self.go_on(entry)

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
        self.head = (row.number, row.hash)

    def entry(self, table: str, number: int, values: Values) -> Entry:
        """The row to write in the same transaction as the table's row that moves the meters."""
        return self._entry(f"{table}/{number}", MoveMeters(table, number, values))

    def _entry(
        self, id_: str, command: OpenMeters | MoveMeters, new: tuple[Statement, ...] = ()
    ) -> Entry:
        decision, now_ms = of_house(self.name, command), self._clock.now_ms()
        return self.chain.entry(self.head, now_ms, PLATFORM, id_, decision, statements=new)

    def go_on(self, entry: Entry) -> None:
        """Continue from a row that was written."""
        self._follow(entry.row, journal.read_row(entry.row, self.chain.key)[1])


def sharing(setup: Setup, digest: str) -> Setup:
    """The setup of a table that shares its book's meters, if the book has any."""
    return replace(setup, meters=name_for(digest)) if meters_of(setup.rules) else setup


class SharedMeters:
    """All shared meters whose lease this process holds, by name."""

    def __init__(
        self,
        engine: sa.Engine,
        owner: str,
        commit: Commit,
        clock: Clock,
        key: HouseKey,
    ) -> None:
        self.opened: dict[str, Meters] = {}
        self._engine, self._owner = engine, owner
        self._commit, self._clock, self._key = commit, clock, key

    async def open_for(self, book: Book, setup: Setup, content: Raw | None) -> None:
        """Open the meters that a table shares; `TableTaken` if another process has them."""
        name = setup.meters
        if not name or name in self.opened:
            return
        new: tuple[Statement, ...] = ()
        if content is None:
            fence = await asyncio.to_thread(database.take, self._engine, self._owner, name)
        else:
            fence, new = await asyncio.to_thread(
                database.open_meters, self._engine, self._owner, book, content, name
            )
        opened = Meters(
            name,
            book.rules,
            commit=self._commit,
            clock=self._clock,
            key=self._key,
            fence=fence,
            read=self._rows,
        )
        head = await asyncio.to_thread(database.head_of, self._engine, name)
        await opened.open(book.digest, head, new)
        self.opened[name] = opened

    async def _rows(self, name: str, after: int) -> list[Row]:
        return await asyncio.to_thread(lambda: list(database.rows_of(self._engine, name, after)))

    async def hold(self, held: dict[str, int]) -> None:
        """Find the meters whose lease was lost, and take back those that are free again."""
        for name, shared in list(self.opened.items()):
            shared.reachable = held.get(name) == shared.chain.fence
            if not shared.reachable:
                LOG.error("meters lost", extra={"table": name})
                with suppress(database.TableTaken):
                    shared.chain.fence = await asyncio.to_thread(
                        database.take, self._engine, self._owner, name
                    )
                    shared.stale = shared.reachable = True
