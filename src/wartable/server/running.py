"""The running house: its tables, money and people, from its opening to its closing."""

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from wartable.refusal import Refusal
from wartable.server import opening, spreading, watch
from wartable.server.audit import marks, recall, selfcheck
from wartable.server.audit.marks import HouseMarks
from wartable.server.audit.returns import LOOK_S, ReturnWatch
from wartable.server.clock import HouseClock
from wartable.server.config import Config, lock, owner_id
from wartable.server.denied import Denied
from wartable.server.dispatch import Dispatch
from wartable.server.house import counted, sessions, timekeeping
from wartable.server.house.accounts import Account, Accounts
from wartable.server.house.cage import Cage
from wartable.server.house.cashier import Cashier
from wartable.server.house.closures import CLOCK, Closure, Scope, close, reopen
from wartable.server.house.disputes import Disputes
from wartable.server.house.inventory import Inventory
from wartable.server.house.limits import LimitKind, Setter
from wartable.server.house.office import Office
from wartable.server.house.operators import OperatorKeys
from wartable.server.house.protection import Protection
from wartable.server.house.reality import RealityChecks
from wartable.server.house.recovery import Recovery
from wartable.server.house.roles import Role
from wartable.server.house.sessions import Sessions
from wartable.server.house.turns import Turns
from wartable.server.house.wallets import moves_wallets
from wartable.server.logs import LOG, log_row
from wartable.server.metrics import Metrics
from wartable.server.pit import Pit
from wartable.server.placing import Placing
from wartable.server.records import database, servers, table_leases
from wartable.server.records.database import HouseFile
from wartable.server.records.facts import ClosureFacts
from wartable.server.records.lease import HouseLease
from wartable.server.records.messages import Note
from wartable.server.records.pulse import Pulse
from wartable.server.records.rows import CASHIER, OFFICE, Entry
from wartable.server.records.store import UNCOUNTED, CommitRefused, Unsure
from wartable.server.records.writer import CLOSE_S, Writer
from wartable.server.spreading import Spreading
from wartable.server.tables.approvals import Approvals
from wartable.server.tables.floor import Floor
from wartable.server.tables.lobby import Lobby
from wartable.server.tables.restoring import keep_up
from wartable.server.upkeep import regularly
from wartable.server.watch import Watch, Watched
from wartable.table import PLATFORM
from wartable.table.commands import Command

RENEW_S = table_leases.LEASE_MS / 3000
"""How often the leases are renewed."""
COUNT_S = 5
"""How often a server counts what the other servers of its house wrote."""
CLOCK_S = 1
"""How often the machine's clock is read while nothing else asks for the time."""


class House:
    """Everything that all tables share: database, cashier, office, accounts, protection."""

    leads = True
    """Whether this server has the house."""

    def __init__(
        self,
        config: Config,
        clock: HouseClock | None = None,
        new_seed: Callable[[], str] = lambda: os.urandom(32).hex(),
        lease: HouseLease | None = None,
    ) -> None:
        """`lease` is the lease of the house, if this server has already taken it."""
        self.config = config
        self.new_seed = new_seed
        self.metrics = Metrics()
        self.ready = False
        config.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._locks = ExitStack()
        locked = lock(config.folder / "lock")
        self._locks.callback(os.close, locked)
        self.owner = owner_id(config.folder, locked)
        path = self.address = config.database or str(config.folder / "house.sqlite")
        self._lease = lease
        self.engine = database.engine_for(path)
        self._file = HouseFile(self.engine)
        self.pulse = Pulse(config.answer_s)
        self.pulse.watch(self.engine)
        try:
            self._open_records(clock or HouseClock())
        except BaseException:
            if self._lease is not None:
                self._lease.end()
            self._locks.close()
            self.engine.dispose()
            raise
        if self._lease is None:
            self._file.know()
        self.writer = Writer(path, self.fence or self._file.number)
        head = database.head_of(self.engine, CASHIER)
        self.cashier = Cashier(self.commit, self.clock, self.key, head)
        head = database.head_of(self.engine, OFFICE)
        self.office = Office(self.commit, self.clock, self.key, head)
        guard = self.guard
        self.accounts = Accounts(self.office, self.clock, guard, config.money)
        self.sessions = Sessions(self.engine, self.office, self.clock, self.accounts, guard)
        self.operator_keys = OperatorKeys(self.engine, self.office, self.clock, guard)
        floor = self.floor = Floor(self.clock)
        self._books = sorted({*config.books, *database.private_books(self.engine)})
        kept = counted.read(config.folder, self.key)
        self.protection = Protection(self.engine, self.clock, floor.added_exposure, guard, kept)
        self.protection.staff = self.accounts.staff
        minutes = config.reality_minutes
        self.reality = RealityChecks(self.clock, self.protection, floor.in_play, minutes)
        self.inventory = Inventory(self.engine, guard, self.office, self.clock)
        self.recovery = Recovery(self.office, self.accounts, self.sessions, guard)
        self.placing = Placing(self.engine, self.key, self.owner, floor, self.leads)
        self._reach_tables()
        self.turns = Turns()
        self.watch = Watch(self.engine, self.metrics, self.pulse)
        self.returns = ReturnWatch(self.engine, self.key, self.office, self.turns)
        self._tasks: list[asyncio.Task[None]] = []

    def _reach_tables(self) -> None:
        """Set up the parts that work on tables: the cage, the pit and the dispatch."""
        self.cage = Cage(
            self.engine,
            self.cashier,
            self.protection,
            self.guard,
            self.stacks,
            self.floor.playing_anywhere,
            self.config.money,
        )
        net = partial(recall.net, self.engine, self.key)
        self.disputes = Disputes(self.engine, self.office, self.clock, self.guard, self.cage, net)
        self.pit = Pit(
            self.config,
            self.engine,
            owner=self.owner,
            key=self.key,
            clock=self.clock,
            commit=self.commit,
            new_seed=self.new_seed,
            office=self.office,
            protection=self.protection,
            cage=self.cage,
            floor=self.floor,
            marks=self.marks,
            takes=lambda: self.takes,
            follow=self.follow_office,
            check_again=self.check_again,
            leader=lambda: self.placing.leader,
        )
        self.spreading = Spreading(self.pit, self.floor, self.placing, self.config.books)
        self.approvals = Approvals(
            self.engine, self.office, self.guard, self.config.second_approval
        )
        self.dispatch = Dispatch(
            self.pit,
            self.floor,
            accounts=self.accounts,
            approvals=self.approvals,
            protection=self.protection,
            inventory=self.inventory,
            guard=self.guard,
            pulse=self.pulse,
            metrics=self.metrics,
            clock=self.clock,
            money=self.config.money,
        )

    def _open_records(self, clock: HouseClock) -> None:
        """Open the records, if they are this house's and its marks show no loss."""
        self._locks.enter_context(database.alone(self.engine))
        database.create(self.engine)
        key_file = self.config.folder / "key"
        self._take(key_file)
        self.fence = 0 if self._lease is None else self._lease.fence
        opening.check_money(self.engine, self.config.money)
        self.key = opening.key_for(self.engine, key_file)
        opening.check_keyed(self.engine, self.key)
        self.clock = clock
        self.marks = HouseMarks(self.config.folder, self.key, self.clock.now_ms)
        marked_ms = self.marks.check(self.engine)
        last_ms = max(marked_ms, opening.last_ms(self.engine, self.key))
        self.guard = opening.guard_for(self.engine, self.key, self.config.folder)
        doubted = timekeeping.doubtful(self.guard.rights, last_ms, self.clock.shows_ms())
        self.clock.start(last_ms, doubted)
        self._restart = None if doubted else timekeeping.restart(last_ms, self.clock.shows_ms())
        self.marks.begin()
        self.wallets = self.marks.wallets(self.engine, self.guard)

    def _take(self, key_file: Path) -> None:
        """Take the house, and all of its shared tables; `HouseTaken` if another server has it."""
        if self._lease is None:
            self._lease = opening.take_house(self.engine, self.owner, key_file)
        before = None if self._lease is None else self._lease.before
        table_leases.release_house(self.engine, self.owner, before)

    async def start(self) -> None:
        """Open the house: every shared table, restored or new, and the upkeep tasks."""
        await opening.first_admin(self.accounts, self.config.folder)
        await self.office.note(PLATFORM, Note("house_opened", self.owner, facts=self._restart))
        await self._watch_clock()
        await self._check_self()
        checked = (self.engine, self.office, self.stop_gaming)
        parts = (
            regularly(RENEW_S, "lease renewal", self.pit.renew),
            regularly(RENEW_S, "housekeeping", self._keep_house),
            regularly(RENEW_S, "rights", lambda: asyncio.to_thread(self.guard.keep)),
            regularly(marks.KEEP_S, "marks", self.marks.keep),
            regularly(marks.KEEP_S, "findings", self._tell_findings),
            regularly(CLOCK_S, "clock", self._watch_clock),
            regularly(CLOCK_S, "reach", self._watch_reach),
            regularly(counted.KEEP_S, "counts", self._keep_counted),
            regularly(COUNT_S, "counts of others", self.count_others),
            self.pulse.beat(self.engine),
            regularly(sessions.SEEN_S, "sessions", self.sessions.keep_seen),
            regularly(LOOK_S, "returns", self.returns.look),
            regularly(watch.LOOK_S, "counters", self.watch.look),
            regularly(servers.RENEW_S, "servers", self.watch.look_at_servers),
            regularly(spreading.LOOK_S, "shared tables", self.spreading.look),
            selfcheck.watch(*checked, self.config.selfcheck_s),
        )
        self._tasks = [asyncio.create_task(part) for part in parts]
        await self.spreading.open_house()
        self.ready = True
        LOG.info("house opened", extra={"count": len(self.floor.places)})

    @property
    def answers_to(self) -> tuple[str, ...]:
        """The names of this server as a destination: its own, and the fence of the house."""
        return (self.owner, str(self.fence))

    async def follow_office(self) -> bool:
        """Do nothing: this server has the house, and only it changes who may wager."""
        return False

    @property
    def takes(self) -> bool:
        """Whether this server may have tables."""
        return True

    def check_again(self, name: str, actor: str, command: Command) -> None:
        """Do nothing: the next command already sees every change of rights and cards made here."""

    @property
    def taken_over(self) -> bool:
        """Whether another server has the house now, or must take it, so that this one must stop."""
        hands_over = self.outdated and bool(self.placing.running((self.owner,)))
        return hands_over or (self._lease is not None and self._lease.lost)

    @property
    def outdated(self) -> bool:
        """Whether a newer version of the program has written what this version cannot read."""
        return self.guard.outdated or self.pit.outdated

    @property
    def cut_off(self) -> bool:
        """Whether this server has lost the database for so long that others may have its tables."""
        return self.placing.silent or (self._lease is not None and self._lease.run_out)

    async def _watch_reach(self) -> None:
        """Send clients elsewhere once this server is cut off; the tables open here again later."""
        if self.cut_off and self.floor.places:
            LOG.error("server cut off", extra={"count": len(self.floor.places)})
            await self.floor.close_all()

    def won(self) -> HouseLease | None:
        """The lease of a house that this server has taken meanwhile."""
        return None

    @property
    def turned(self) -> bool:
        """Whether this server must continue in the other role: without the house."""
        return self.taken_over

    async def _check_self(self) -> None:
        """The self-check at the start; if it passes, it lifts an earlier one's closure."""
        checked = (self.engine, self.office, self.stop_gaming)
        wrong = await selfcheck.check_house(*checked, approve=self.config.approve)
        closure = self.protection.closures.get(("gaming", ""))
        if not wrong and closure is not None and closure.actor == PLATFORM:
            await self.enable(PLATFORM, "gaming", "", "The self-check found nothing wrong.")

    async def stop_gaming(self, reason: str) -> None:
        """Disable all gaming, unless it is already disabled."""
        if ("gaming", "") not in self.protection.closures:
            await self.disable(PLATFORM, "gaming", "", reason)

    def notices(self) -> list[str]:
        """What the operator should know once the house is open."""
        closure = self.protection.closures.of("", "", "")
        return opening.notices(self.config.folder, closure, self.marks.unmarked)

    async def drain(self) -> None:
        """Take no new wager, and wait for the rounds that end without a player's command.

        If another server can take over, its rounds continue there at once.
        """
        self.ready = False
        if await asyncio.to_thread(self.placing.leave):
            return
        self.protection.ending = True
        deadline = time.monotonic() + self.config.stop_s
        while self.floor.running() and time.monotonic() < deadline and not self.taken_over:
            await asyncio.sleep(0.05)

    async def stop(self) -> None:
        """Close the house: no new wager, running rounds concluded or held, everything written."""
        await self.drain()
        for bots in list(self.floor.company.values()):
            await bots.stop()
        tasks = [*self._tasks, *(place.task for place in self.floor.places.values() if place.task)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.pit.close()
        held = sum(place.live.state.in_round for place in self.floor.places.values())
        # Without a database nothing can be written; leases expire and are ours at the next start.
        with suppress(TimeoutError, Unsure, CommitRefused, sa.exc.SQLAlchemyError):
            async with asyncio.timeout(CLOSE_S):
                await self._note_closed(held)
                await self.sessions.keep_seen()
        await self.writer.close()
        self.turns.close()
        with suppress(marks.BadMarks):  # a full disk must not prevent the house from closing
            await self.marks.keep()
        with suppress(OSError):
            await self._keep_counted()
            self.guard.keep(rows=1)
        self.placing.end()
        if self._lease is not None:
            self._lease.end()
        with suppress(sa.exc.SQLAlchemyError):
            table_leases.release(self.engine, self.owner)
        self.pulse.close()
        database.dispose(self.engine)
        self._locks.close()
        LOG.info("house closed", extra={"count": held})

    async def _note_closed(self, held: int) -> None:
        """Record that the house closed, with this many rounds held."""
        closed = Note("house_closed", self.owner, after=f"{held} rounds held")
        await self.office.note(PLATFORM, closed)

    async def commit(self, entry: Entry) -> None:
        """Write an entry, count it towards its players' limits, and measure the time."""
        began, entries, write = time.perf_counter(), entry.together(), self.writer.commit
        moving = moves_wallets(entries)
        write = partial(self.wallets.commit, write=write) if moving else write
        with self.pulse.call():
            try:
                await write(entry)
            except CommitRefused as error:
                if error.code != UNCOUNTED or entry.claim is None:
                    raise
                await self.protection.limits.begin(self.engine, entry.claim.account)
                await write(entry)
            if not moving:
                await self.wallets.follow(entries)
        self.metrics.commit(time.perf_counter() - began)
        for row, moved in ((each.row, each.transfers) for each in entries):
            if row.table_name == OFFICE:
                self.guard.wrote(row)
            log_row(row.table_name, row.number)
            self.protection.limits.committed(row, moved)

    async def _tell_findings(self) -> None:
        """Record changes that the house did not make as significant events."""
        for note in self.guard.new_findings():
            await self.office.note(PLATFORM, note)
            self.guard.written += 1

    async def _watch_clock(self) -> None:
        """Record that the machine's clock was set, and stop all gaming while it is doubted."""
        await timekeeping.note_change(self.clock, self.office)
        if self.clock.doubted and CLOCK not in self.protection.closures:
            await self.disable(PLATFORM, *CLOCK, timekeeping.DOUBTED)

    async def confirm_time(self, by: str, at_ms: int, reason: str) -> None:
        """Trust the machine's clock again, now that an administrator confirms it."""
        await timekeeping.confirm(self.clock, self.office, by, at_ms, reason)
        self.protection.closures.pop(CLOCK, None)
        self.floor.go_on()

    async def count_others(self) -> None:
        """Count what other servers of this house wrote, in wallets and towards limits."""
        if self.fence or not self.leads:
            await self.wallets.catch_up()
            limits = self.protection.limits
            limits.follow(await asyncio.to_thread(limits.newer, self.engine))

    async def _keep_counted(self) -> None:
        """Save the sums that count towards limits, so that the next start need not add them up."""
        if (now := self.protection.limits.counted()) is not None:
            await asyncio.to_thread(counted.write, self.config.folder, self.key, now)

    async def _keep_house(self) -> None:
        """Check sessions, let people leave, save checkpoints, close idle tables."""
        self.sessions.sweep()
        self.protection.limits.forget(self.sessions.here())
        for place, player in self.floor.to_stand_up(self.protection.barred):
            place.stand_up(player)
        await keep_up(self.engine, self.key, [place.live for place in self.floor.places.values()])
        await self.pit.put_to_sleep(self.floor.idle())

    async def new_guest(self, address: str) -> tuple[Account, str, str]:
        """A new guest with play money: the account, the generated password, the session's token."""
        account, password = await self.accounts.open_guest()
        await self.cage.welcome(account)
        return account, password, await self.sessions.begin(account, address)

    async def set_limit(
        self, by: str, account: str, kind: LimitKind, setter: Setter, amount: int | None
    ) -> None:
        """Set a player's or the operator's limit, as a significant event."""
        limits = self.protection.limits
        limit, note, statement = limits.change(account, kind, setter, amount)
        await self.office.note(by, note, statement)
        limits.held[account, kind, setter] = limit

    async def exclude(self, account: Account, until_ms: int, reason: str) -> None:
        """Exclude a player at once, at their own request."""
        self.protection.excluded[account.name] = max(
            until_ms, self.protection.excluded.get(account.name, 0)
        )
        self.floor.stand_up(account.name)
        await self.accounts.exclude(account.name, until_ms, reason)

    async def change_role(self, by: str, name: str, role: Role, reason: str) -> None:
        """Give an account another role; somebody who becomes staff leaves every table."""
        account = await self.sessions.change_role(by, name, role, reason)
        for table in await asyncio.to_thread(self.cage.money, name) if role != "player" else ():
            with suppress(Refusal):  # the wallet is not a table, and a table may fail to open
                place = await self.pit.find(table, account)
                if place.free_to_go(name):
                    place.stand_up(name)

    async def disable(self, by: str, scope: Scope, name: str, reason: str) -> None:
        """Stop taking new wagers there at once, even before the closure is written."""
        closure = Closure(scope, name, by, self.clock.now_ms(), reason)
        before = "disabled" if (scope, name) in self.protection.closures else "enabled"
        self.protection.closures[scope, name] = closure
        if scope == "player":
            self.floor.stand_up(name)
        facts = ClosureFacts(scope, name, closure.at_ms)
        said = (f"{scope} {name}".strip(), reason, before, "disabled", facts)
        await self.office.note(by, Note("disabled", *said), close(closure))
        self.floor.look_again()

    async def enable(self, by: str, scope: Scope, name: str, reason: str) -> None:
        """Take wagers there again."""
        if (scope, name) not in self.protection.closures:
            raise Denied("not_disabled", "That is not disabled.")
        if (scope, name) == CLOCK:
            raise Denied("clock_checked", "Confirm the time instead, with POST /clock.")
        subject = f"{scope} {name}".strip()
        said = (subject, reason, "disabled", "enabled", ClosureFacts(scope, name))
        await self.office.note(by, Note("enabled", *said), reopen(scope, name))
        self.protection.closures.pop((scope, name), None)
        self.floor.look_again()

    def stacks(self, name: str) -> list[str]:
        """The tables where a player can have money, including those of books no longer played."""
        shared = sorted(self.placing.shared | self.floor.shared.keys())
        return [*shared, *(f"{book}@{name}" for book in self._books)]

    def well(self) -> bool:
        """Whether tables are open, their tasks are running and the database can be written.

        It does not ask the database, so the caller never waits for one that stalls.
        """
        running = all(
            place.task is not None and not place.task.done() for place in self.floor.places.values()
        )
        answers = self.pulse.beats and not self.pulse.stalls
        written = self.writer.works and self.pit.renewed and self._file.in_place
        somewhere = bool(self.floor.places or self.floor.elsewhere)
        opened = self.ready and somewhere and not self.taken_over and not self.cut_off
        return opened and running and answers and written

    async def watched(self) -> Watched:
        """The house as an administrator watches it."""
        return await self.watch.now(self.clock.now_ms(), self.owner, self.floor)

    def lobby(self) -> Lobby:
        """The shared tables now."""
        return self.floor.lobby(self.protection.closures.of)
