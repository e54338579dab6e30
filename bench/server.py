"""Durable commands per second of live tables, beside the bare database and the pure path.

python bench/server.py [SECONDS] [TABLES ...]
"""

import asyncio
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from postgres import cluster
from wartable import game, table
from wartable.rules import load
from wartable.rules.load import shipped_raw
from wartable.server import database, journal, records
from wartable.server.cashier import Cashier
from wartable.server.config import SystemClock
from wartable.server.croupier import PRIVATE
from wartable.server.journal import Row
from wartable.server.live import LiveTable
from wartable.server.records import PayIn
from wartable.server.store import JOURNAL, Bulk, Connection, Writer
from wartable.table import commands as c

BOOK = "maryland"
SECONDS = 5.0
TABLES = (1, 10, 50, 200)
MONEY = 10_000_000_00
KEY = bytes(32)
RAW = shipped_raw(BOOK)
PURE_ROWS_MAX = 20_000

Batch = list[tuple[Bulk, Any]]
"""What one transaction wrote."""


class Recorded:
    """A connection that keeps what goes through it, so that it can be written again."""

    def __init__(self, inner: Connection, batches: list[Batch]) -> None:
        self._inner, self._batches = inner, batches
        self._batch: Batch = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def begin(self) -> None:
        """Begin."""
        self._batch = []
        self._inner.begin()

    def run(self, bulk: Bulk, rows: Any) -> None:
        """Run, and keep the rows."""
        self._batch.append((bulk, rows))
        self._inner.run(bulk, rows)

    def commit(self) -> None:
        """Commit, and keep the batch."""
        self._inner.commit()
        self._batches.append(self._batch)


class Player:
    """Somebody who plays at a table of their own as fast as it goes."""

    def __init__(self, live: LiveTable) -> None:
        self.live, self.name = live, f"{live.setup.name} player"
        self.times_s: list[float] = []
        self._count = 0

    async def join(self, cashier: Cashier) -> None:
        """Sit down with much money."""
        await cashier.carry_out("bench", f"fund {self.name}", PayIn(self.name, MONEY))
        await self.ask(c.Join(self.name, MONEY, 1))

    async def ask(self, command: c.Command) -> None:
        """Give a command and measure how long its answer takes."""
        self._count += 1
        began = time.perf_counter()
        await self.live.submit(self.name, f"{self.name}/{self._count}", command)
        self.times_s.append(time.perf_counter() - began)

    async def play(self) -> None:
        """Bet, have the cards dealt, go to war; again."""
        listener = self.live.listen(self.live.head[0])
        while True:
            command = self._wish()
            if command is not None:
                await self.ask(command)
            else:
                await listener.outbox.get()
            while not listener.outbox.empty():
                listener.outbox.get_nowait()

    def _wish(self) -> c.Command | None:
        due = table.awaits(self.live.setup, self.live.state)[0]
        if due.what == "choice" and due.box is not None:
            return game.Choose(self.name, due.box, "war")
        if due.what == "cut":
            return c.RefuseCut(self.name)
        if due.what != "bets" or self.live.state.round is None:
            return None
        placed = self.live.state.round.hand(self.name, 1) is not None
        return game.CloseBets() if placed else game.Bet(self.name, 1, "primary", 500)


class Run:
    """One measurement: so many tables on one database."""

    def __init__(self, address: str, tables: int) -> None:
        self.address, self.tables = address, tables
        self.batches: list[Batch] = []
        self.before = 0
        self.rate = 0.0
        self.times_s: list[float] = []

    async def play(self, seconds: float) -> None:
        """Open the tables, let them be played, and measure."""
        clock, engine = SystemClock(), database.engine_for(self.address)
        database.create(engine)
        connect = database.writing_connection
        writer = Writer(lambda: Recorded(connect(self.address), self.batches))  # type: ignore[arg-type]  # it passes everything on
        cashier = Cashier(writer.commit, clock, KEY, database.head_of(engine, records.CASHIER))
        book = load(BOOK)
        players, tasks = [], []
        for number in range(self.tables):
            setup = table.new_setup(book.rules, f"{BOOK} {number}")
            fence = database.open_table(engine, "bench", clock.now_ms(), book, RAW, setup)
            live = LiveTable(
                setup,
                PRIVATE,
                commit=writer.commit,
                clock=clock,
                new_seed=lambda: os.urandom(32).hex(),
                key=KEY,
                fence=fence,
            )
            await live.open(book.digest)
            tasks.append(asyncio.create_task(live.run()))
            players.append(Player(live))
            await players[-1].join(cashier)
        self.before = len(self.batches)
        for player in players:
            player.times_s.clear()
        heads, began = sum(p.live.head[0] for p in players), time.perf_counter()
        tasks += [asyncio.create_task(player.play()) for player in players]
        await asyncio.sleep(seconds)
        rows = sum(p.live.head[0] for p in players) - heads
        self.rate = rows / (time.perf_counter() - began)
        self.times_s = [each for player in players for each in player.times_s]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(writer.close)
        engine.dispose()

    def rows(self, batches: list[Batch]) -> list[Row]:
        """The journal rows of the batches."""
        return [
            Row(*row)
            for batch in batches
            for bulk, rows in batch
            if bulk is JOURNAL
            for row in rows
        ]

    def bare(self, address: str) -> float:
        """Rows per second of the same batches, written by a loop and nothing else."""
        engine = database.engine_for(address)
        database.create(engine)
        engine.dispose()
        connection = database.writing_connection(address)
        for batch in self.batches[: self.before]:
            _write(connection, batch)
        began = time.perf_counter()
        for batch in self.batches[self.before :]:
            _write(connection, batch)
        seconds = time.perf_counter() - began
        connection.close()
        return len(self.rows(self.batches[self.before :])) / seconds

    def pure(self) -> float:
        """Rows per second of decode, decide, apply, ledger, encode on one core."""
        setups, states, heads = {}, {}, {}
        for row in self.rows(self.batches[: self.before]):
            name = row.table_name
            if name != records.CASHIER:
                if name not in states:
                    setups[name] = table.new_setup(load(BOOK).rules, name)
                    states[name] = table.start(setups[name])
                events = records.at_table(journal.read_row(row, KEY)[1])
                states[name] = table.fold(events, states[name])
                heads[name] = (row.number, row.hash)
        rows = self.rows(self.batches[self.before :])[:PURE_ROWS_MAX]
        asked = [msgspec.json.encode(journal.read_row(row, KEY)[0]) for row in rows]
        decode = msgspec.json.Decoder(c.Command).decode
        began = time.perf_counter()
        for row, message in zip(rows, asked, strict=True):
            name = row.table_name
            command = decode(message)
            events = table.decide(setups[name], states[name], command)
            states[name], _ = records.moved_by(name, states[name], events)  # type: ignore[assignment]  # a table stays one
            new = journal.new_row(
                heads[name], name, row.at_ms, row.actor, row.command_id, command, events, KEY
            )
            heads[name] = (new.number, new.hash)
        return len(rows) / (time.perf_counter() - began)


def _write(connection: Connection, batch: Batch) -> None:
    connection.begin()
    for bulk, rows in batch:
        connection.run(bulk, rows)
    connection.commit()


@contextmanager
def sqlite() -> Iterator[str]:
    """The path of an empty SQLite database."""
    with tempfile.TemporaryDirectory() as folder:
        yield f"{folder}/house.sqlite"


def measure(name: str, place: Callable[[], Any], tables: int, seconds: float) -> None:
    """Measure one number of tables on one database, and print it beside its limits."""
    with place() as address:
        run = Run(address, tables)
        asyncio.run(run.play(seconds))
    with place() as address:
        bare = run.bare(address)
    pure = run.pure()
    cuts = statistics.quantiles(run.times_s, n=100)
    written = run.batches[run.before :]
    size = len(run.rows(written)) / len(written)
    print(
        f"| {name} | {tables} | {run.rate:,.0f} | {cuts[49] * 1000:.1f} / {cuts[98] * 1000:.1f} |"
        f" {size:.0f} | {bare:,.0f} | {pure:,.0f} | {run.rate / min(bare, pure):.2f} |",
        flush=True,
    )


def main() -> None:
    """Everything in one run."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    tables = [int(each) for each in sys.argv[2:]] or TABLES
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {seconds:g} s each")
    print("| database | tables | commands/s | p50 / p99 ms | rows a batch | bare | pure | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for name, place in (("SQLite", sqlite), ("PostgreSQL", cluster)):
        for count in tables:
            measure(name, place, count, seconds)


if __name__ == "__main__":
    main()
