"""A live server under a clock that jumps: one seed decides every delay, fault, crash and message.

Real: tables, cashier, journal, batches, leases and their SQL. Simulated: time, the disk's
faults, the death of processes, and clients that lose, repeat and reorder their messages.
"""

import asyncio
import random
import selectors
import sqlite3
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import cache
from typing import Any
from unittest import mock

import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from customers import Customer
from tampering import drop_triggers, restore_triggers
from telling import tellable
from wartable import table
from wartable.croupier import Timing
from wartable.rules import NAMES, Book, load
from wartable.rules.load import shipped_raw
from wartable.rules.raw import Raw
from wartable.server import pit
from wartable.server.audit import verify
from wartable.server.denied import Denied
from wartable.server.house.cashier import Cashier
from wartable.server.records import (
    checkpoints,
    committing,
    database,
    journal,
    messages,
    schema,
    store,
    table_leases,
    writer,
)
from wartable.server.records.answers import Answer
from wartable.server.records.connections import Bulk, SQLite, WritingConnection
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import PayIn
from wartable.server.records.rows import CASHIER, METERS, Entry, Row
from wartable.server.records.store import CommitRefused, Unsure, Waiting
from wartable.server.tables import live
from wartable.server.tables.bots import Bots
from wartable.server.tables.listeners import Happened, Snapshot, TableMessage
from wartable.server.tables.live import LiveTable
from wartable.server.tables.meters import Meters, sharing
from wartable.server.tables.place import RunningTable
from wartable.server.tables.restoring import restore
from wartable.table import view

TIMING = Timing(
    bets_ms=400, choice_ms=700, cut_ms=100, bank_ms=300, seed_ms=50, pause_ms=100, bot_ms=50
)
START_MS = 1_800_000_000_000
PLAY_S = 8
CALM_S = 120
TABLES = 2
CUSTOMERS = 3
KEY = HouseKey(bytes(32))
LIMITS: dict[str, Any] = {"OUTBOX_MAX": 12, "KEPT_MAX": 10, "QUEUE_MAX": 4}
"""Small, so that they are reached."""

Attempt = Callable[[WritingConnection, Sequence[Waiting]], list[Waiting]]


_raw = cache(shipped_raw)


IDLE_MAX = 1_000_000
"""Turns of the loop in one moment: a whole simulation has far fewer."""


class Violation(AssertionError):
    """What must never be seen."""


class Died(BaseException):
    """The process is no more; nothing of it goes on."""


class Jumping(selectors.DefaultSelector):
    """A selector that does not wait: it moves the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0
        self._idle = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Let the time pass at once."""
        if timeout is None:
            raise Violation("everybody waits for ever")
        self._idle = 0 if timeout > 0 else self._idle + 1
        if self._idle > IDLE_MAX:
            raise Violation("everybody is busy for ever, and no time passes")
        self.now_s += max(0.0, timeout)
        return []


class Loop(asyncio.SelectorEventLoop):
    """An event loop on virtual time."""

    def __init__(self) -> None:
        self._jumping = Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Seconds since the simulation began."""
        return self._jumping.now_s


class Memory:
    """One database in memory, emptied for every seed."""

    def __init__(self) -> None:
        self.raw = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.engine = sa.create_engine("sqlite://", creator=lambda: self.raw, poolclass=StaticPool)
        database.create(self.engine)

    def close(self) -> None:
        """End the database."""
        self.engine.dispose()
        self.raw.close()

    def set_clock(self, now_ms: Callable[[], int]) -> None:
        """Let the database's own clock show this, which its leases end by."""
        self.raw.create_function("julianday", 1, lambda _: 2_440_587.5 + now_ms() / 86_400_000)

    def clear(self) -> None:
        """Forget everything."""
        if self.raw.in_transaction:
            self.raw.execute("ROLLBACK")
        with self.engine.begin() as connection:
            drop_triggers(connection)
            for each in reversed(schema.metadata.sorted_tables):
                connection.execute(each.delete())
            restore_triggers(connection)

    def one(self, statement: str, *values: Any) -> Any:
        """The first column of the first row, None if there is none."""
        found = self.raw.execute(statement, values).fetchone()
        return None if found is None else found[0]


class Disk(SQLite):
    """A process's connection to the memory, which fails and kills as chance has it."""

    def __init__(self, process: "Process") -> None:
        self.process, self.world = process, process.world
        self.raw = process.world.memory.raw
        self._rows: list[tuple[Any, ...]] = []

    def begin(self) -> None:
        """Begin, if the process lives and the disk works."""
        self.world.memory.raw.rollback()
        if not self.process.alive:
            raise Died
        self._rows = []
        if self.world.happens(0.01):
            self.world.outage = self.world.chance.randrange(12)
        if self.world.outage or self.world.happens(0.02):
            self.world.outage = max(0, self.world.outage - 1)
            raise sqlite3.OperationalError("disk I/O error")
        self.raw.execute("BEGIN IMMEDIATE")  # the memory has no file that somebody could move

    def run(self, bulk: Bulk, rows: Sequence[tuple[Any, ...]]) -> None:
        """Run the statement, and note what goes into the journal."""
        super().run(bulk, rows)
        if bulk is store.JOURNAL:
            self._rows += rows

    def commit(self) -> None:
        """Commit, or fail or die right before or right after it."""
        fate = self.world.chance.random() if self.world.rough else 1.0
        if fate < 0.02:
            raise sqlite3.OperationalError("disk I/O error before the commit")
        if fate < 0.025:
            self.process.die()
            raise Died
        super().commit()
        for row in self._rows:
            self.process.check_owned(row[0])
        if fate < 0.05:
            raise sqlite3.OperationalError("disk I/O error after the commit")
        if fate < 0.06:
            self.process.die()

    def close(self) -> None:
        """The memory stays."""


class Process:
    """A server of some tables with its own writer, lease and cashier."""

    def __init__(self, world: "World", owner: str) -> None:
        self.world, self.owner = world, owner
        self.alive, self.ready = True, False
        self.stalled_until_s = 0.0
        self.places: dict[str, RunningTable] = {}
        self.fences: dict[str, int] = {}
        self.meters: dict[str, Meters] = {}
        self.bots: Bots | None = None
        self._waiting: list[Waiting] = []
        self._wake = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self.cashier = Cashier(self.commit, world, KEY, None)
        for part in (self._serve(), self._write(), self._renew()):
            self._spawn(part)

    def _spawn(self, part: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(self.world.spawn(part))

    @property
    def tables(self) -> dict[str, LiveTable]:
        """The open tables by name."""
        return {name: place.live for name, place in self.places.items()}

    async def _serve(self) -> None:
        """Open the house; one that could not open a table, or does not know, is started again."""
        try:
            await self._open()
        except (Unsure, table_leases.TableTaken):
            self.die()

    async def _open(self) -> None:
        """Open every table as soon as its lease is free, then let all run."""
        for name in self.world.names:
            book = load(name.split()[0])
            setup = sharing(table.new_setup(book.rules, name), book.digest)
            raw = _raw(book.rules.name)
            while True:
                with suppress(table_leases.TableTaken):
                    await self._open_meters(book, raw, setup.meters)
                    self.fences[name], new = table_leases.open_table(
                        self.world.memory.engine, self.owner, book, raw, setup
                    )
                    break
                await asyncio.sleep(1)
            opened = self.new_table(setup)
            if opened.head[0] == 0:
                await opened.open(book.digest, new)
            self.places[name] = RunningTable(
                opened, "", None, self.fences[name], self.world.now_ms()
            )
        self.cashier.head = database.head_of(self.world.memory.engine, CASHIER) or (
            0,
            journal.GENESIS,
        )
        self.ready = True
        for place in self.places.values():
            self._spawn(self._run(place))
        if self.world.bots:
            await self._bring_bots(self.places[self.world.names[0]])

    async def _open_meters(self, book: Book, raw: Raw, name: str) -> None:
        """The meters that tables of this book share, from their journal or new."""
        if not name or name in self.meters:
            return
        engine = self.world.memory.engine
        new = table_leases.new_meters(engine, book, raw, name)

        async def read(name: str, after: int) -> list[Row]:
            return list(database.rows_of(engine, name, after))

        opened = self.world.meters_class(
            name,
            book.rules,
            commit=self.commit,
            clock=self.world,
            key=KEY,
            read=read,
        )
        await opened.open(book.digest, new=new)
        self.meters[name] = opened

    async def _bring_bots(self, place: RunningTable) -> None:
        """Bots at a table, those that sit there or new ones, for as long as it is rough."""

        async def provide(bot: str, amount: int, id_: str) -> None:
            held = self.world.memory.one(
                "SELECT amount FROM balances WHERE account = ?", f"wallet:{bot}"
            )
            if (held or 0) < amount and self.world.rough:
                await self.cashier.carry_out("bots", id_, PayIn(bot, amount - (held or 0)))

        self.bots = Bots(place, self.world, provide, lambda: place.live.state.guests)
        if not self.bots.names and self.world.rough:
            with suppress(Denied, Unsure):
                await self.bots.come(2)

    def new_table(self, setup: table.Setup) -> LiveTable:
        """The table as its journal has it."""
        opened = self.world.table_class(
            setup,
            TIMING,
            commit=self.commit,
            clock=self.world,
            new_seed=lambda: self.world.chance.randbytes(32).hex(),
            key=KEY,
            fence=self.fences[setup.name],
            meters=self.meters.get(setup.meters),
        )
        restore(self.world.memory.engine, KEY, opened)
        return opened

    async def _run(self, place: RunningTable) -> None:
        """Let a table run; after an error build it anew from its journal, as a house does."""
        while True:
            try:
                return await place.live.run()
            except CommitRefused as error:
                if error.code != live.FENCED:
                    raise
                return self.die()
            except Unsure:
                await asyncio.sleep(pit.RESTORE_S)
                place.renew(self.new_table(place.live.setup))

    async def commit(self, entry: Entry) -> None:
        """Have the entry written; the process may die right before."""
        if self.world.happens(0.003):
            self.die()
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def done(problem: Exception | None) -> None:
            delay_s = self.world.chance.random() * 0.01
            told = None if problem is None else committing.problem_of(problem).error(entry)
            asyncio.get_running_loop().call_later(delay_s, writer.resolve, future, told)

        self._waiting.append(Waiting(entry, done))
        self._wake.set()
        await future

    def looked_up(self, name: str, id_: str, answer: Answer) -> Answer:  # noqa: ARG002  # several have it
        """The table's answer as it is: no other server writes to the table."""
        return answer

    async def _write(self) -> None:
        """What the writer and its process do, as a task."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            delay_s = self.world.chance.expovariate(200)
            await asyncio.sleep(max(delay_s, self.stalled_until_s - self.world.loop.time()))
            batch, self._waiting = self._waiting, []
            while batch:
                try:
                    batch = self.world.attempt(self.world.disk_class(self), batch)
                except Died:
                    return
                if batch:
                    await asyncio.sleep(writer.RETRY_S)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(table_leases.LEASE_MS / 3000)
            if self.stalled_until_s <= self.world.loop.time():
                held = table_leases.renew(self.world.memory.engine, self.owner)
                if not self.tables.keys() <= held.keys():
                    self.die()
                for name, each in self.tables.items():
                    if each.head[0] and self.world.happens(0.2):
                        engine = self.world.memory.engine
                        checkpoints.keep(engine, KEY, name, each.checkpoint())

    def check_owned(self, name: str) -> None:
        """Only who holds a table's last fence may have written to it."""
        if name == CASHIER or name.startswith(METERS):
            return
        fence = self.world.memory.one("SELECT fence FROM tables WHERE name = ?", name)
        if fence != self.fences[name]:
            self.world.fail(Violation(f"{self.owner} wrote to {name}, which is another's"))

    def die(self) -> None:
        """Be gone without a word."""
        self.check_states()
        self.alive = self.ready = False
        for task in self._tasks:
            task.cancel()
        self.send_bots_home()

    def send_bots_home(self) -> None:
        """Let no bot play any more."""
        if self.bots is not None:
            self.world.spawn(self.bots.stop())

    def check_states(self) -> None:
        """A table in memory is what its journal says, up to the row where it stands."""
        for name, opened in self.tables.items():
            number = opened.head[0]
            again = self.new_table(opened.setup)
            if again.head[0] == number and again.state != opened.state:
                self.world.fail(Violation(f"{name} is not what its {number} rows say"))
            if again.head[0] < number:
                self.world.fail(Violation(f"{name} stands after row {number}, never written"))


class World:
    """One seed's run."""

    def __init__(
        self,
        seed: int,
        memory: Memory,
        *,
        table_class: type[LiveTable] = LiveTable,
        meters_class: type[Meters] = Meters,
        disk_class: type[Disk] = Disk,
        attempt: Attempt = store.attempt,
    ) -> None:
        self.chance = random.Random(seed)
        self.memory, self.table_class = memory, table_class
        self.meters_class = meters_class
        self.disk_class, self.attempt = disk_class, attempt
        self.loop = Loop()
        self.rough = True
        self.outage = 0
        books = ("maryland",) if self.chance.random() < 0.4 else NAMES
        self.names = [f"{self.chance.choice(books)} {number}" for number in range(1, TABLES + 1)]
        self.bots = self.chance.random() < 0.5
        self.processes: list[Process] = []
        self.heard: list[TableMessage] = []
        self._over = asyncio.Event()
        self._problem: BaseException | None = None

    def now_ms(self) -> int:
        """The clock of all processes."""
        return START_MS + int(self.loop.time() * 1000)

    def happens(self, probability: float) -> bool:
        """Whether something bad happens now."""
        return self.rough and self.chance.random() < probability

    def spawn(self, part: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Let it run; what goes wrong in it ends the simulation."""
        task = self.loop.create_task(part)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self.fail(task.exception())

    def fail(self, problem: BaseException | None) -> None:
        """Keep the first thing that went wrong, and end."""
        self._problem = self._problem or problem
        self._over.set()

    def require(self, holds: bool, sentence: str) -> None:
        """A violation if it does not hold."""
        if not holds:
            raise Violation(sentence)

    def front(self, name: str) -> Process | None:  # noqa: ARG002  # one process has all tables
        """The process that customers of a table reach: the last one that is open."""
        ready = [each for each in self.processes if each.ready]
        return ready[-1] if ready else None

    def run(self) -> None:
        """Play, calm down, stop, and look at everything; `Violation` for what must not be."""
        self.memory.clear()
        self.memory.set_clock(self.now_ms)
        asyncio.set_event_loop(self.loop)
        with (
            mock.patch.multiple("wartable.server.tables.live", **LIMITS),
            mock.patch("wartable.server.tables.listeners.OUTBOX_MAX", LIMITS["OUTBOX_MAX"]),
        ):
            try:
                self.spawn(self._main())
                self.loop.run_until_complete(self._over.wait())
                if self._problem is not None:
                    raise self._problem
            finally:
                self._clean()
        self._check_records()

    def _clean(self) -> None:
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        self.loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        asyncio.set_event_loop(None)
        self.loop.close()

    async def _main(self) -> None:
        customers = [Customer(self, f"p{number}") for number in range(CUSTOMERS)]
        self.processes.append(Process(self, "first"))
        for customer in customers:
            self.spawn(customer.play())
        keeper = self.spawn(self._keep())
        await asyncio.sleep(PLAY_S)
        self.rough = False
        self.outage = 0
        for process in self.processes:
            process.send_bots_home()
        await self._end(customers, keeper)

    async def _end(self, customers: list[Customer], *keepers: asyncio.Task[None]) -> None:
        """End once nobody waits for anything any more."""
        deadline_s = self.loop.time() + CALM_S
        while not all(customer.content() for customer in customers):
            await asyncio.sleep(0.5)
            if self.loop.time() > deadline_s:
                raise Violation("a customer waits for an answer or for news that never comes")
        for keeper in keepers:
            keeper.cancel()
        for process in self.processes:
            if process.alive:
                process.die()
        self._over.set()

    async def _keep(self) -> None:
        """Start a process anew after it died; stall one so long that another takes over."""
        while True:
            await asyncio.sleep(0.2)
            last = self.processes[-1]
            stalled = last.stalled_until_s > self.loop.time()
            if not last.alive:
                await asyncio.sleep(self.chance.random())
                self.processes.append(Process(self, last.owner))
            elif last.ready and not stalled and self.happens(0.005):
                last.stalled_until_s = self.loop.time() + self.chance.uniform(5, 30)
                if self.chance.random() < 0.8:
                    self.processes.append(Process(self, f"owner {len(self.processes)}"))

    def _check_records(self) -> None:
        """The audit passes, and everything that was told stands in the journal just so."""
        verify.verify(self.memory.engine, KEY)
        for name in self.names:
            told = [each for each in self.heard if each.table == name]
            views = {each.number: each.state for each in told if isinstance(each, Snapshot)}
            rows = tellable(self.memory.engine, KEY, name)
            state = table.start(database.setup_of(self.memory.engine, name))
            for row in database.rows_of(self.memory.engine, name):
                state = table.fold(messages.at_table(journal.read_row(row, KEY)[1]), state)
                if row.number in views and views[row.number] != view(state):
                    raise Violation(f"the snapshot of {name} row {row.number} was never so")
            for each in told:
                if isinstance(each, Happened) and rows.get(each.number) != each:
                    raise Violation(f"{name} row {each.number} was told otherwise than written")
