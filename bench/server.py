"""Durable commands per second of live tables, beside the bare database and the pure path.

python bench/server.py [SECONDS] [TABLES ...]

The three are measured in turns, so that other work on the machine hits them alike; the ratio is
the median of the turns'.
"""

import asyncio
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import sqlalchemy as sa

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "setup"))

from postgres import cluster
from wartable import game, table
from wartable.croupier import PRIVATE
from wartable.rules import load
from wartable.rules.load import shipped_raw
from wartable.server.clock import HouseClock
from wartable.server.house.cashier import Cashier
from wartable.server.records import database, journal, messages, table_leases
from wartable.server.records.answers import Accepted, Answer
from wartable.server.records.chain import Chain
from wartable.server.records.connections import Bulk, WritingConnection
from wartable.server.records.decisions import of_table
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import PayIn
from wartable.server.records.rows import CASHIER, Commit, Entry, Row
from wartable.server.records.store import write_batch, writing_connection
from wartable.server.records.writer import Link, Pending, Writer
from wartable.server.tables.listeners import Listener, TableMessage
from wartable.server.tables.live import LiveTable
from wartable.server.upkeep import collect_seldom
from wartable.table import commands as c

BOOK = "maryland"
SECONDS = 3.0
TABLES = (1, 10, 50, 200)
MONEY = 10_000_000_00
KEY = HouseKey(bytes(32))
RAW = shipped_raw(BOOK)
PURE_ROWS_MAX = 20_000
TURNS = 3

Batch = list[tuple[Bulk, Any]]
"""What one transaction wrote."""


@contextmanager
def recorded(batches: list[tuple[Entry, ...]]) -> Iterator[None]:
    """Keep the entries of every batch that is written."""
    send = Link.send

    def kept(link: Link, batch: Sequence[Pending]) -> None:
        batches.append(tuple(one for each in batch for one in each.entry.together()))
        send(link, batch)

    with mock.patch.object(Link, "send", kept):
        yield


class Paper:
    """A connection to nothing, which keeps the statements of a batch."""

    conflicts: tuple[type[Exception], ...] = ()
    failures: tuple[type[Exception], ...] = ()

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.batch: Batch = []
        self._fences = {entry.row.table_name: entry.fence for entry in entries}
        write_batch(self, entries)

    def run(self, bulk: Bulk, rows: Sequence[tuple[Any, ...]]) -> None:
        """Keep the statement with its rows."""
        self.batch.append((bulk, rows))

    def execute(self, statement: str, values: tuple[Any, ...]) -> None:
        """Only asked to make the tables, before anything is measured."""

    def one(self, statement: str, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Never asked."""
        raise NotImplementedError

    def fences(self, names: Sequence[str]) -> dict[str, int]:
        """The fences as the batch has them."""
        return {name: self._fences[name] for name in names}

    def has_house(self) -> bool:
        """There is no other server."""
        return True

    def hold_office(self) -> None:
        """Nobody else writes."""

    def restricted(self, since: int) -> int:  # noqa: ARG002  # nobody is
        """Nobody is restricted."""
        return 0

    def heads(self, names: Sequence[str]) -> dict[str, int]:  # noqa: ARG002  # only of shared meters
        """Never asked: no meters are shared."""
        return {}

    def counts(self) -> bool:
        """Nobody has limits."""
        return False

    def counted(self, accounts: Sequence[str]) -> dict[str, str]:  # noqa: ARG002  # nobody is counted
        """Never asked."""
        return {}

    def exposed(self, accounts: Sequence[str]) -> list[tuple[str, str, int]]:  # noqa: ARG002  # nobody is counted
        """Never asked."""
        return []

    def users(self, sets: Sequence[str]) -> dict[str, str]:  # noqa: ARG002  # there is no inventory
        """No set of cards has a name."""
        return {}

    def begin(self) -> None:
        """Nothing."""

    commit = rollback = close = begin


class Player(Listener):
    """Somebody who plays at a table of their own as fast as it goes: bets, has the cards dealt."""

    def __init__(self, live: LiveTable) -> None:
        super().__init__()
        self.live, self.name = live, f"{live.setup.name} player"
        self.times_s: list[float] = []
        self.over = False
        self._count = 0
        self._asked_s = 0.0

    async def join(self, cashier: Cashier) -> None:
        """Sit down with much money."""
        await cashier.carry_out("bench", f"fund {self.name}", PayIn(self.name, MONEY))
        await self._ask(c.Join(self.name, MONEY, 1))

    def play(self) -> None:
        """Begin; from now on every answer and every row is followed by the next command."""
        self.live.listeners[self] = None
        self._go_on()

    def tell(self, message: TableMessage | None) -> None:  # noqa: ARG002  # what happened is seen at the table
        """Look at what is due, unless an answer is awaited."""
        if not self._asked_s and not self.over:
            self._go_on()

    def _ask(self, command: c.Command) -> asyncio.Future[Answer]:
        self._count += 1
        self._asked_s = time.perf_counter()
        answer = self.live.submit(self.name, f"{self.name}/{self._count}", command)
        answer.add_done_callback(self._answered)
        return answer

    def _answered(self, answer: asyncio.Future[Answer]) -> None:
        if self.over:
            return
        assert isinstance(answer.result(), Accepted), answer.result()
        self.times_s.append(time.perf_counter() - self._asked_s)
        self._asked_s = 0.0
        if self in self.live.listeners:
            self._go_on()

    def _go_on(self) -> None:
        command = self._wish()
        if command is not None:
            self._ask(command)

    def _wish(self) -> c.Command | None:
        due = self.live.due[0]
        if due.what == "choice" and due.box is not None:
            return game.Choose(self.name, due.box, "war")
        if due.what == "cut":
            return c.RefuseCut(self.name)
        if due.what != "bets" or self.live.state.round is None:
            return None
        placed = self.live.state.round.hand(self.name, 1) is not None
        return game.CloseBets() if placed else game.Bet(self.name, 1, "primary", 500)


def rows_of(players: list[Player]) -> int:
    """How many rows their tables have."""
    return sum(player.live.head[0] for player in players)


class Run:
    """One measurement: so many tables on one database."""

    def __init__(self, address: str, tables: int) -> None:
        self.address, self.tables = address, tables
        self.batches: list[tuple[Entry, ...]] = []
        self.before = 0
        self.rate = 0.0
        self.times_s: list[float] = []

    async def play(self, seconds: float) -> None:
        """Open the tables, let them be played, and measure."""
        async with self.playing() as players:
            rows, began = rows_of(players), time.perf_counter()
            await asyncio.sleep(seconds)
            self.rate = (rows_of(players) - rows) / (time.perf_counter() - began)
            self.times_s = [each for player in players for each in player.times_s]

    def through(self, writer: Writer, engine: sa.Engine, clock: HouseClock) -> Commit:  # noqa: ARG002  # for a run that compares more
        """The way of the tables' entries to the database."""
        return writer.commit

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[list[Player]]:
        """Open the tables, and let them be played until this ends."""
        clock, engine = HouseClock(), database.engine_for(self.address)
        database.create(engine)
        writer = Writer(self.address)
        cashier = Cashier(writer.commit, clock, KEY, database.head_of(engine, CASHIER))
        book, commit = load(BOOK), self.through(writer, engine, clock)
        players, tasks = [], []
        for number in range(self.tables):
            setup = table.new_setup(book.rules, f"{BOOK} {number}")
            fence, new = table_leases.open_table(engine, "bench", book, RAW, setup)
            live = LiveTable(
                setup,
                PRIVATE,
                commit=commit,
                clock=clock,
                new_seed=lambda: os.urandom(32).hex(),
                key=KEY,
                fence=fence,
            )
            await live.open(book.digest, new)
            tasks.append(asyncio.create_task(live.run()))
            players.append(Player(live))
            await players[-1].join(cashier)
        self.before = len(self.batches)
        for player in players:
            player.times_s.clear()
        for player in players:
            player.play()
        yield players
        for player in players:
            player.over = True
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await writer.close()
        engine.dispose()

    def rows(self, batches: list[tuple[Entry, ...]]) -> list[Row]:
        """The journal rows of the batches."""
        return [entry.row for batch in batches for entry in batch]

    def bare(self, address: str) -> float:
        """Rows per second of the same batches, written by a loop and nothing else."""
        engine = database.engine_for(address)
        database.create(engine)
        engine.dispose()
        connection = writing_connection(address)
        written = [Paper(batch).batch for batch in self.batches]
        for batch in written[: self.before]:
            _write(connection, batch)
        began = time.perf_counter()
        for batch in written[self.before :]:
            _write(connection, batch)
        seconds = time.perf_counter() - began
        connection.close()
        return len(self.rows(self.batches[self.before :])) / seconds

    def pure(self) -> float:
        """Rows per second of decode, decide, apply, ledger, encode on one core."""
        setups, states, heads = {}, {}, {}
        for row in self.rows(self.batches[: self.before]):
            name = row.table_name
            if name != CASHIER:
                if name not in states:
                    setups[name] = table.new_setup(load(BOOK).rules, name)
                    states[name] = table.start(setups[name])
                events = messages.at_table(journal.read_row(row, KEY)[1])
                states[name] = table.fold(events, states[name])
                heads[name] = (row.number, row.hash)
        rows = self.rows(self.batches[self.before :])[:PURE_ROWS_MAX]
        asked = [msgspec.json.encode(journal.read_row(row, KEY)[0]) for row in rows]
        decode = msgspec.json.Decoder(c.Command).decode
        began = time.perf_counter()
        for row, message in zip(rows, asked, strict=True):
            name = row.table_name
            command = decode(message)
            states[name], decision = of_table(setups[name], states[name], command)
            chain = Chain(name, KEY)
            new = chain.entry(heads[name], row.at_ms, row.actor, row.command_id, decision).row
            heads[name] = (new.number, new.hash)
        return len(rows) / (time.perf_counter() - began)


def _write(connection: WritingConnection, batch: Batch) -> None:
    connection.begin()
    for bulk, rows in batch:
        connection.run(bulk, rows)
    connection.commit()


@contextmanager
def sqlite() -> Iterator[str]:
    """The path of an empty SQLite database."""
    with tempfile.TemporaryDirectory() as folder:
        yield f"{folder}/house.sqlite"


def turn(place: Callable[[], Any], tables: int, seconds: float) -> tuple[Run, float, float]:
    """Ours, the bare database and the pure path, one right after the other."""
    with place() as address:
        run = Run(address, tables)
        with recorded(run.batches):
            asyncio.run(run.play(seconds))
    with place() as address:
        bare = run.bare(address)
    return run, bare, run.pure()


def measure(name: str, place: Callable[[], Any], tables: int, seconds: float) -> None:
    """Measure one number of tables on one database, and print it beside its limits."""
    turns = [turn(place, tables, seconds) for _ in range(TURNS)]
    rate, bare, pure, ratio = (
        statistics.median(each)
        for each in zip(
            *((run.rate, bare, pure, run.rate / min(bare, pure)) for run, bare, pure in turns),
            strict=True,
        )
    )
    cuts = statistics.quantiles([each for run, _, _ in turns for each in run.times_s], n=100)
    written = [len(batch) for run, _, _ in turns for batch in run.batches[run.before :]]
    print(
        f"| {name} | {tables} | {rate:,.0f} | {cuts[49] * 1000:.1f} / {cuts[98] * 1000:.1f} |"
        f" {statistics.mean(written):.0f} | {bare:,.0f} | {pure:,.0f} | {ratio:.2f} |",
        flush=True,
    )


def main() -> None:
    """Everything in one run."""
    collect_seldom()  # as `wartable serve` does
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    tables = [int(each) for each in sys.argv[2:]] or TABLES
    cores = f"{os.cpu_count()} cores, {TURNS} turns of {seconds:g} s"
    print(f"Python {platform.python_version()}, {cores}")
    print("| database | tables | commands/s | p50 / p99 ms | rows a batch | bare | pure | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for name, place in (("SQLite", sqlite), ("PostgreSQL", cluster)):
        for count in tables:
            measure(name, place, count, seconds)


if __name__ == "__main__":
    main()
