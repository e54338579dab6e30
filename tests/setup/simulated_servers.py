"""Several servers of one simulated house: tables move between them, and one of them has the house.

Real: everything that a simulated server has, the leases of house and tables, who takes which table,
and what a transaction compares. Simulated: how a server follows the office, which it hears of late
or not at all, and how customers are led to a table, by what a server has seen a while ago.
"""

import asyncio
from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

from customers import Customer
from simulated_server import KEY, TIMING, Disk, Memory, Process, Violation, World
from wartable import table
from wartable.game import Bet, Illegal
from wartable.money import Transfer
from wartable.rules import load
from wartable.rules.load import shipped_raw
from wartable.server import pit
from wartable.server.house import counted
from wartable.server.house.closures import Closure, close, reopen
from wartable.server.house.counted import CountedPlay
from wartable.server.house.office import Office
from wartable.server.placing import SharedNow
from wartable.server.records import database, lease, servers, spread, table_leases
from wartable.server.records.answers import NO_ANSWER, Accepted, Answer, RefusedCommand
from wartable.server.records.counting import DAY_MS, Play, moved
from wartable.server.records.facts import ClosureFacts, LimitFacts
from wartable.server.records.lease import HouseTaken
from wartable.server.records.messages import Note, ShowMeters
from wartable.server.records.rows import CASHIER, METERS, OFFICE, Ceiling, Claim, Entry
from wartable.server.records.store import UNCOUNTED, CommitRefused, Overtaken, Unsure
from wartable.server.tables.exposure import added
from wartable.server.tables.live import FENCED, PASSING, LiveTable
from wartable.server.tables.meters import sharing
from wartable.server.tables.place import RunningTable
from wartable.server.tables.restoring import restore
from wartable.table import PLATFORM
from wartable.table.commands import BuyIn, Command, Join, TakeBank

PLAY_S = 30
SERVERS = 3
AHEAD_MS = 5_000
"""How far the servers' clocks may be apart."""
NEW_MONEY = (Bet, BuyIn, Join, TakeBank)
WAGERS = {f'{{"type":"{kind.__struct_config__.tag}"' for kind in NEW_MONEY}
"""How the commands begin that a closure stops."""
STAKES = tuple(f'{{"type":"{kind.__struct_config__.tag}"' for kind in (Bet, TakeBank))
"""How the commands begin that a limit counts."""
SHOWS = f'{{"type":"{ShowMeters.__struct_config__.tag}"'
"""How the command begins with which a table shows the shared meters."""
_ENTER = (
    "INSERT INTO servers VALUES (?, '', '', '', 0, 0, ?)"
    " ON CONFLICT (name) DO UPDATE SET until_ms = excluded.until_ms"
)
MOST = 1_000
"""What somebody with a limit may lose."""
_SET_LIMIT = "INSERT INTO limits VALUES (?, 'loss_day', 'player', 1000, NULL, NULL)"


class MetersCommand(msgspec.Struct):
    """A command that moves or shows shared meters: the table that moved them, and a row's number.

    The number is the table's row that moved them, or the row of theirs that is shown.
    """

    table: str = ""
    number: int = 0


class SharedDisk(Disk):
    """A server's connection to the database that all of them share."""

    process: "ServerProcess"
    world: "SeveralWorld"

    def has_house(self) -> bool:
        """Whether the server has the house, if it believes so."""
        fence = self.world.memory.one("SELECT fence FROM lease")
        return self.process.house in (None, fence)

    def restricted(self, since: int) -> int:
        """The last row of the office after this one: all of them restrict somebody."""
        statement = "SELECT max(number) FROM journal WHERE table_name = ? AND number > ?"
        return self.world.memory.one(statement, OFFICE, since) or 0

    def commit(self) -> None:
        """Commit, and see that nothing restricted is among it."""
        rows, written = self._rows, "SELECT hash FROM journal WHERE table_name = ? AND number = ?"
        try:
            super().commit()
        finally:
            if not self.raw.in_transaction and rows:
                name, number, hash_ = rows[0][0], rows[0][1], rows[0][8]
                if self.world.memory.one(written, name, number) == hash_:
                    self.world.see(self.process, rows)


class ServerProcess(Process):
    """One of several servers: it has the tables whose leases it holds, and perhaps the house."""

    world: "SeveralWorld"

    def __init__(self, world: "SeveralWorld", owner: str) -> None:
        self.acted = 0
        self.closed: set[str] = set()
        self.limited: dict[str, int] = {}
        """Who has a limit, and when this server learned it."""
        self.counts: dict[str, str] = {}
        """For a planted bug: what it has counted by itself."""
        self.house: int | None = None
        """The fence under which it has the house."""
        self.owners: dict[str, str | None] = {}
        self._ahead_ms = world.chance.randrange(AHEAD_MS)
        super().__init__(world, owner)
        self.office = Office(self.commit, self, KEY, None)
        self._spawn(self._listen())

    def now_ms(self) -> int:
        """The server's own clock, which is ahead, and sometimes jumps."""
        if self.world.happens(0.0001):
            self._ahead_ms += self.world.chance.randrange(AHEAD_MS)
        return self.world.now_ms() + self._ahead_ms

    @property
    def stalled(self) -> bool:
        """Whether it reaches nothing now."""
        return self.stalled_until_s > self.world.loop.time()

    async def _open(self) -> None:
        """Look for tables to open and to hand on, for as long as it lives."""
        self.follow()
        self.ready = True
        while True:
            await asyncio.sleep(self.world.chance.uniform(0.5, 1.5))
            if not self.stalled:
                await self._look()

    async def _look(self) -> None:
        """What `Spreading.look` does."""
        engine = self.world.memory.engine
        self.owners = spread.owners(engine, self.world.names)
        now_ms = self.world.now_ms()
        entered = "SELECT name FROM servers WHERE until_ms >= ? ORDER BY name"
        running = tuple(name for (name,) in self.world.memory.raw.execute(entered, (now_ms,)))
        leader = self.world.memory.one("SELECT owner FROM lease WHERE until_ms >= ?", now_ms) or ""
        now = SharedNow(self.owners, running, leader)
        chosen = now.chosen()
        for name, owner in self.owners.items():
            if self.owner in (owner, chosen.get(name)) and name not in self.places:
                with suppress(table_leases.TableTaken):
                    await self._open_one(name)
        for name, to in zip(list(self.places), now.surplus(self.owner), strict=False):
            self.give_up(name, to)

    async def _open_one(self, name: str) -> None:
        """Open a table, restored or new."""
        book = load(name.split(maxsplit=1)[0])
        setup = sharing(table.new_setup(book.rules, name), book.digest)
        engine, raw = self.world.memory.engine, shipped_raw(book.rules.name)
        await self._open_meters(book, raw, setup.meters)
        self.fences[name], new = table_leases.open_table(engine, self.owner, book, raw, setup)
        opened = self.new_table(setup)
        self._ahead_ms = max(self._ahead_ms, opened.last_ms - self.world.now_ms())
        if opened.head[0] == 0:
            await opened.open(book.digest, new)
        place = RunningTable(opened, "", None, self.fences[name], self.world.now_ms())
        self.places[name] = place
        place.task = self.world.spawn(self._run(place))
        self._tasks.append(place.task)

    def new_table(self, setup: table.Setup) -> LiveTable:
        """The table as its journal has it, under what this server knows of the office."""
        opened = self.world.table_class(
            setup,
            TIMING,
            commit=self.commit,
            clock=self,
            new_seed=lambda: self.world.chance.randbytes(32).hex(),
            key=KEY,
            fence=self.fences[setup.name],
            permit=lambda *asked: self._permit(setup.name, *asked),
            follow=self._follow_again,
            meters=self.meters.get(setup.meters),
        )
        restore(self.world.memory.engine, KEY, opened)
        return opened

    def _permit(
        self, name: str, actor: str, command: Command, moved: tuple[Transfer, ...]
    ) -> Claim | None:
        """What `Protection.permit` says."""
        if actor == PLATFORM:
            return None
        if isinstance(command, NEW_MONEY) and name in self.closed:
            raise Illegal("disabled", "No wager is taken here now.")
        live, own = self.tables[name], f"{name}/stack:{actor}"
        stake = added(live.setup, live.state, command) + sum(
            each.amount
            for each in moved
            if each.source == own and not each.target.startswith("wallet:")
        )
        if stake <= 0 or actor not in self.limited:
            return None
        return Claim(actor, (Ceiling("loss", self.now_ms() // DAY_MS, stake, MOST, "Too much."),))

    async def _follow_again(self) -> bool:
        before = self.acted
        await asyncio.sleep(self.world.chance.expovariate(100))
        self.follow()
        return self.acted != before

    def follow(self) -> None:
        """Follow what the office has written."""
        head = self.world.memory.one("SELECT number FROM heads WHERE table_name = ?", OFFICE)
        if (head or 0) <= self.acted or self.house is not None:
            return  # who has the house knows what it writes
        for row in database.rows_of(self.world.memory.engine, OFFICE, self.acted):
            note = msgspec.json.decode(row.command, type=Note)
            restrict(note, self.closed, self.limited, self.now_ms())
            self.acted = row.number

    async def _listen(self) -> None:
        """Hear of the office's rows late or not at all; look every two seconds."""
        while True:
            await asyncio.sleep(self.world.chance.choice((0.01, 0.3, 2)))
            if not self.stalled:
                self.follow()
                for shared in self.meters.values():  # what `SharedMeters.look` does
                    if not shared.turn.locked():
                        await shared.doubt()

    async def commit(self, entry: Entry) -> None:
        """Write an entry, without the house only under what the office has written until then."""
        name, actor = entry.row.table_name, entry.row.actor
        if self.house is None and actor != PLATFORM and name in self.world.names:
            entry = self.decided(entry)
        try:
            await super().commit(entry)
        except CommitRefused as error:
            if error.code != UNCOUNTED or entry.claim is None:
                raise
            who = entry.claim.account
            counted.begin(self.world.memory.engine, who, CountedPlay({}, {who: Play()}))
            await super().commit(entry)

    def looked_up(self, name: str, id_: str, answer: Answer) -> Answer:
        """What `Dispatch` makes of a refusal: the table may be another server's by now."""
        if isinstance(answer, Accepted) or answer.code in PASSING or name not in self.tables:
            return answer
        written = self.world.memory.one("SELECT number FROM heads WHERE table_name = ?", name)
        if (written or 0) <= self.tables[name].head[0]:
            return answer
        if self.stalled:
            return RefusedCommand(id_, *NO_ANSWER)
        known = "SELECT number FROM journal WHERE table_name = ? AND command_id = ?"
        row = self.world.memory.one(known, name, id_)
        return answer if row is None else Accepted(id_, row)

    def decided(self, entry: Entry) -> Entry:
        """The entry with what it was decided under."""
        return replace(entry, office=self.acted)

    async def _run(self, place: RunningTable) -> None:
        """Let a table run until another server has it."""
        while True:
            try:
                return await place.live.run()
            except CommitRefused as error:
                if error.code != FENCED:
                    raise
                return self._drop(place.live.setup.name)
            except (Unsure, Overtaken):
                await asyncio.sleep(pit.RESTORE_S)
                place.renew(self.new_table(place.live.setup))

    def give_up(self, name: str, to: str) -> None:
        """Close a table, and hand it to that server."""
        if name in self.places and self.alive:
            self._drop(name)
            fence = self.fences[name]
            engine = self.world.memory.engine
            if not spread.hand_over(engine, self.owner, name, to, fence):
                table_leases.release_one(engine, self.owner, fence, name)

    def _drop(self, name: str) -> None:
        """Have a table no more."""
        place = self.places.pop(name, None)
        if place is not None:
            place.closed = True
            place.forsake()
            if place.task is not None and place.task is not asyncio.current_task():
                place.task.cancel()

    async def _renew(self) -> None:
        """Say that it runs, renew leases, and take the house that nobody has."""
        while True:
            if not self.stalled:
                now_ms = self.world.now_ms()
                self.world.memory.raw.execute(_ENTER, (self.owner, now_ms + servers.UNTIL_MS))
                held = table_leases.renew(self.world.memory.engine, self.owner)
                for name in list(self.places):
                    if held.get(name) != self.fences[name]:
                        self._drop(name)
                self._have_house()
            await asyncio.sleep(lease.RENEW_S)

    def _have_house(self) -> None:
        engine = self.world.memory.engine
        if self.house is not None and not lease.renew(engine, self.house):
            self.die()  # and begins anew, without the house
        if self.house is None and self.ready:
            with suppress(HouseTaken):
                taken = lease.take(engine, self.owner)
                self.follow()  # all that the office has written, before deciding without it
                self.house = taken

    async def restrict(self, note: Note, *statements: Any) -> None:
        """Write what staff do at the server that has the house; a closure holds at once."""
        if note.kind == "disabled":
            restrict(note, self.closed, self.limited)
        with suppress(CommitRefused, Unsure):
            await self.office.note("floor", note, *statements)
            restrict(note, self.closed, self.limited, self.now_ms())


def restrict(note: Note, closed: set[str], limited: dict[str, int], now_ms: int = 0) -> None:
    """Restrict what the office's row restricts."""
    match note.facts:
        case ClosureFacts(_, name) if note.kind == "disabled":
            closed.add(name)
        case ClosureFacts(_, name):
            closed.discard(name)
        case LimitFacts():
            limited.setdefault(note.subject, now_ms)


class SeveralWorld(World):
    """One seed's run with several servers."""

    def __init__(
        self,
        seed: int,
        memory: Memory,
        *,
        process_class: type[ServerProcess] = ServerProcess,
        disk_class: type[Disk] = SharedDisk,
        **planted: Any,
    ) -> None:
        super().__init__(seed, memory, disk_class=disk_class, **planted)
        self._process_class = process_class
        self.closed: set[str] = set()
        self.limited: dict[str, int] = {}
        """What the office's rows say."""
        self._closed_ms = 0
        """When the office closed a table last."""
        self.moves = 0
        """How often a table was written by another server than before."""
        self._wrote: dict[str, str] = {}
        self._shown: dict[str, int] = {}
        """The row of the shared meters that each table has shown last."""

    def front(self, name: str) -> Process | None:
        """The server that customers of a table are led to, by what some server has seen."""
        ready = [each for each in self.processes if each.ready]
        met = self.chance.choice(ready) if ready else None
        if name == CASHIER or not isinstance(met, ServerProcess):
            return met
        owner = met.owners.get(name)
        return next((each for each in ready if each.owner == owner), None)

    def see(self, process: ServerProcess, rows: list[tuple[Any, ...]]) -> None:
        """No wager is written that the office has forbidden, whoever writes it."""
        for name, number, at_ms, actor, _, command, *_ in rows:
            if name == OFFICE:
                restrict(msgspec.json.decode(command, type=Note), self.closed, self.limited)
                self._closed_ms = at_ms
            elif name.startswith(METERS):
                moved_by = msgspec.json.decode(command, type=MetersCommand)
                self._shown[moved_by.table] = number
            elif name in self.names:
                if command.startswith(SHOWS):
                    self._show(name, msgspec.json.decode(command, type=MetersCommand).number)
                self.moves += self._wrote.setdefault(name, process.owner) != process.owner
                self._wrote[name] = process.owner
                if actor == PLATFORM:
                    continue
                wagers = any(command.startswith(each) for each in WAGERS)
                leads = process.house == self.memory.one("SELECT fence FROM lease")
                # What the same server decided before may be written after, if the disk failed.
                before = leads and at_ms <= self._closed_ms
                if wagers and name in self.closed and not before:
                    self.fail(Violation(f"{name} took a wager in row {number}, and is closed"))
                # A limit holds where the house is once staff are told, elsewhere from its row on.
                # What was decided in the same millisecond may have been decided before that.
                holds = at_ms > process.limited.get(actor, at_ms) if leads else True
                stakes = command.startswith(STAKES) and actor in self.limited and holds
                if stakes and self._risk(actor, at_ms) > MOST:
                    self.fail(Violation(f"{actor} passed a limit in {name} row {number}"))

    def _show(self, name: str, number: int) -> None:
        """A table shows the meters as of that row of theirs, which never goes back."""
        if number < self._shown.get(name, 0):
            self.fail(Violation(f"{name} showed later meters than row {number} before"))
        self._shown[name] = number

    def _risk(self, player: str, at_ms: int) -> int:
        """What somebody has lost today by the transfers, and others may still stake for them."""
        since_ms = at_ms // DAY_MS * DAY_MS
        with self.memory.engine.connect() as connection:
            lost = sum(
                lost
                for table, _, transfer in counted.moved_by_day(connection, since_ms)
                for who, lost, _ in moved(table, (transfer,))
                if who == player
            )
        exposed = "SELECT sum(amount) FROM exposed WHERE account = ?"
        return lost + (self.memory.one(exposed, player) or 0)

    async def _main(self) -> None:
        customers = [Customer(self, f"p{number}") for number in range(3)]
        first, others = customers[0], [each for each in self.names if each != customers[0].table]
        customers.append(Customer(self, first.name, self.chance.choice(others), "both"))
        for number in range(SERVERS):
            self.processes.append(self._process_class(self, f"server {number}"))
        for customer in customers:
            self.spawn(customer.play())
        keepers = [self.spawn(self._keep()), self.spawn(self._staff(customers))]
        await asyncio.sleep(PLAY_S)
        self.rough = False
        self.outage = 0
        await self._end(customers, *keepers)

    async def _keep(self) -> None:
        """Start servers anew after they died; cut some off for longer than their leases."""
        while True:
            await asyncio.sleep(0.2)
            for place, process in enumerate(self.processes):
                if not process.alive:
                    await asyncio.sleep(self.chance.random())
                    self.processes[place] = self._process_class(self, process.owner)
                elif process.ready and self.happens(0.01):
                    stalled_s = self.chance.uniform(1, 25)
                    process.stalled_until_s = self.loop.time() + stalled_s

    async def _staff(self, customers: list[Customer]) -> None:
        """Close and open tables at the server that has the house; somebody gets a limit."""
        while True:
            await asyncio.sleep(self.chance.uniform(0.2, 2))
            fence = self.memory.one("SELECT fence FROM lease")
            leading: list[Any] = [each for each in self.processes if each.alive]
            leading = [each for each in leading if fence and each.house == fence]
            if not leading or leading[0].stalled or not self.rough:
                continue
            leader, name = leading[0], self.chance.choice(self.names)
            facts, now_ms = ClosureFacts("table", name, leader.now_ms()), leader.now_ms()
            if self.chance.random() < 0.2 and not self.limited:
                who, limit = customers[0].name, LimitFacts("player", "loss_day", MOST)
                note = Note("limit_set", who, "player's loss_day", "", str(MOST), limit)
                await leader.restrict(note, (_SET_LIMIT, (who,)))
            elif name in leader.closed:
                await leader.restrict(
                    Note(
                        "enabled",
                        f"table {name}",
                        "",
                        "disabled",
                        "enabled",
                        ClosureFacts("table", name),
                    ),
                    reopen("table", name),
                )
            else:
                closure = Closure("table", name, "floor", facts.at_ms or now_ms, "")
                note = Note("disabled", f"table {name}", "", "enabled", "disabled", facts)
                await leader.restrict(note, close(closure))
