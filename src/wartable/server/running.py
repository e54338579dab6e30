"""The running house: its tables, money and people, from its opening to its closing."""

import asyncio
import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
import sqlalchemy as sa

from wartable import table
from wartable.game import Illegal
from wartable.rules import Book, RulesError
from wartable.rules.load import build, shipped_raw
from wartable.rules.raw import Raw
from wartable.rules.settings import configured
from wartable.server import opening
from wartable.server.audit import selfcheck
from wartable.server.clock import Clock, SystemClock
from wartable.server.config import Config, lock, owner_id
from wartable.server.house import accounts
from wartable.server.house.accounts import Account, Accounts, Denied, Session
from wartable.server.house.cage import Cage
from wartable.server.house.cashier import Cashier
from wartable.server.house.office import Office
from wartable.server.house.protection import (
    MINUTE_MS,
    Closure,
    LimitKind,
    Protection,
    Scope,
    Setter,
)
from wartable.server.house.roles import may_bring, may_command
from wartable.server.http import wire
from wartable.server.http.requests import SharedTable
from wartable.server.logs import LOG
from wartable.server.metrics import Metrics
from wartable.server.opening import no_table, owner_of
from wartable.server.period import utc
from wartable.server.records import checkpoints, database
from wartable.server.records.journal import Entry, Statement
from wartable.server.records.messages import CASHIER, OFFICE, Note
from wartable.server.records.store import CommitRefused, Unsure, clear
from wartable.server.records.writer import CLOSE_S, Writer
from wartable.server.tables import meters
from wartable.server.tables.asking import ask
from wartable.server.tables.bots import Bots
from wartable.server.tables.floor import Floor, RunningTable
from wartable.server.tables.live import Accepted, Answer, LiveTable, Refusal
from wartable.server.tables.meters import SharedMeters
from wartable.server.upkeep import ClockWatch, regularly
from wartable.table import PLATFORM, Setup
from wartable.table import commands as c

TABLES_MAX = 10_000
RESTORE_S = 1
"""How long a table that failed waits before it is built anew."""
RENEW_S = database.LEASE_MS / 3000
"""How often the leases are renewed."""


class House:
    """Everything that is one for all tables: database, cashier, office, accounts, protection."""

    def __init__(
        self,
        config: Config,
        clock: Clock | None = None,
        new_seed: Callable[[], str] = lambda: os.urandom(32).hex(),
    ) -> None:
        self.config = config
        self._bots = config.bots and config.money == "play"
        self.new_seed = new_seed
        self.metrics = Metrics()
        self.ready = False
        config.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = lock(config.folder)
        self.owner = owner_id(config.folder)
        path = config.database or str(config.folder / "house.sqlite")
        self.engine = database.engine_for(path)
        database.create(self.engine)
        opening.check_money(self.engine, config.money)
        self.key = opening.key_for(self.engine, config.folder / "key")
        self.clock = clock or SystemClock(database.last_ms(self.engine))
        self.writer = Writer(path)
        head = database.head_of(self.engine, CASHIER)
        self.cashier = Cashier(self.commit, self.clock, self.key, head)
        head = database.head_of(self.engine, OFFICE)
        self.office = Office(self.commit, self.clock, self.key, head)
        self.accounts = Accounts(self.engine, self.office, self.clock)
        floor = self.floor = Floor(self.clock)
        self.protection = Protection(self.engine, self.clock, floor.exposure, floor.added_exposure)
        self.protection.excluded = self.accounts.excluded()
        self.meters = SharedMeters(self.engine, self.owner, self.commit, self.clock, self.key)
        self.cage = Cage(
            self.engine, self.cashier, self.protection, self.stacks, self.floor.playing
        )
        self.recalling = asyncio.Lock()
        """Held while a round is recalled: one at a time, so that play goes on."""
        self._opening = asyncio.Lock()
        self._clock_watch = ClockWatch()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Open the house: every shared table, restored or new, and what keeps them going."""
        await opening.first_admin(self.accounts, self.config.folder)
        await self.office.note(PLATFORM, Note("house_opened", self.owner))
        await self._check_self()
        watching = selfcheck.watch(
            self.engine, self.office, self.stop_gaming, self.config.selfcheck_s
        )
        parts = (
            regularly(RENEW_S, "lease renewal", self._renew),
            regularly(RENEW_S, "housekeeping", self._keep_house),
            regularly(accounts.SEEN_S, "sessions", self.accounts.keep_seen),
            watching,
        )
        self._tasks = [asyncio.create_task(part) for part in parts]
        known = database.table_names(self.engine)
        for name in [*known, *(f"{book} 1" for book in self.config.books)]:
            if "@" not in name and name not in self.floor.places:
                try:
                    await self._seat(name)
                except Denied as error:
                    told = {"table": name, "code": error.code, "reason": error.sentence}
                    LOG.error("table stays closed", extra=told)
        self.ready = True
        LOG.info("house opened", extra={"count": len(self.floor.places)})

    async def _check_self(self) -> None:
        """The self-check of a start; one that finds nothing lifts what an earlier one disabled."""
        wrong = await selfcheck.check_house(
            self.engine, self.office, self.stop_gaming, approve=self.config.approve
        )
        closure = self.protection.closures.get(("gaming", ""))
        if not wrong and closure is not None and closure.actor == PLATFORM:
            await self.enable(PLATFORM, "gaming", "", "The self-check found nothing wrong.")

    async def stop_gaming(self, reason: str) -> None:
        """Disable all gaming, unless somebody has done so already."""
        if ("gaming", "") not in self.protection.closures:
            await self.disable(PLATFORM, "gaming", "", reason)

    def notices(self) -> list[str]:
        """What the operator should know once the house is open."""
        return opening.notices(self.config.folder, self.protection.closures.get(("gaming", "")))

    async def drain(self) -> None:
        """Take no new wager and let running rounds end, as long as they do by themselves."""
        self.ready = False
        self.protection.ending = True
        deadline = time.monotonic() + self.config.stop_s
        while self.floor.running() and time.monotonic() < deadline:
            await asyncio.sleep(0.05)

    async def stop(self) -> None:
        """Close the house: no new wager, running rounds concluded or held, everything written."""
        await self.drain()
        for place in list(self.floor.places.values()):
            if place.bots is not None:
                await place.bots.stop()
        tasks = [*self._tasks, *(place.task for place in self.floor.places.values() if place.task)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        held = sum(place.live.state.in_round for place in self.floor.places.values())
        closed = Note("house_closed", self.owner, after=f"{held} rounds held")
        # Without a database nothing can be written; leases run out, and are ours at the next start.
        with suppress(TimeoutError, Unsure, sa.exc.SQLAlchemyError):
            async with asyncio.timeout(CLOSE_S):
                await self.office.note(PLATFORM, closed)
                await self.accounts.keep_seen()
        await self.writer.close()
        with suppress(sa.exc.SQLAlchemyError):
            database.release(self.engine, self.owner)
        self.engine.dispose()
        os.close(self._lock)
        LOG.info("house closed", extra={"count": held})

    async def commit(self, entry: Entry) -> None:
        """Write an entry, count it towards its players' limits, and measure how long it took."""
        began = time.perf_counter()
        name = entry.row.table_name
        try:
            await self.writer.commit(entry)
        except CommitRefused as error:
            raise clear(error) from None
        finally:
            self.protection.done(name)
        self.metrics.commit(time.perf_counter() - began)
        for each in entry.together():
            row = each.row
            self.protection.committed(row.table_name, row.at_ms, row.actor, each.transfers)

    async def find(self, name: str, account: Account | None) -> RunningTable:
        """The table of that name, for somebody who may see it."""
        owner = owner_of(name)
        staff = account is not None and account.role != "player"
        if owner is not None and not staff and (account is None or account.name != owner):
            raise no_table()
        place = self.floor.places.get(name)
        if place is None:
            async with self._opening:
                place = self.floor.places.get(name)
                if place is None:
                    if not await asyncio.to_thread(database.is_table, self.engine, name):
                        raise no_table()
                    place = await self._seat(name)
        place.used_ms = self.clock.now_ms()
        return place

    async def open_private(self, account: Account, book: str) -> RunningTable:
        """The player's own table of that book, where they deal on demand."""
        if book not in self.config.books:
            raise Denied(404, "no_book", "There is no such rule book here.")
        if account.role != "player":
            raise Denied(403, "not_your_part", f"This is not for a {account.role} to do.")
        opening.check_company(book, self._bots)
        name = f"{book}@{account.name}"
        async with self._opening:
            place = self.floor.places.get(name)
            if place is not None:
                return place
            if self.config.money == "deposited":
                await asyncio.to_thread(opening.check_means, self.engine, self.cage, name)
            return await self._seat(name)

    async def open_shared(self, by: Account, asked: SharedTable) -> RunningTable:
        """Another table for everybody."""
        if asked.book not in self.config.books:
            raise Denied(404, "no_book", "There is no such rule book here.")
        name = asked.name
        try:
            content = configured(asked.book, asked.options, asked.settings)
            book = build(content)
            decks = asked.decks or book.rules.shoe.decks
            await opening.check_floor(book, decks)
            setup = Setup(book.rules, name, decks, asked.staffed, approval=asked.approval)
            table.start(setup)
        except RulesError as error:
            raise Denied(400, "setup", str(error)) from None
        async with self._opening:
            ours = name in (CASHIER, OFFICE) or name.startswith(meters.PREFIX)
            if ours or await asyncio.to_thread(database.is_table, self.engine, name):
                raise Denied(409, "name_taken", "There is a table of that name.")
            place = await self._seat(name, setup, content)
        note = Note("table_opened", name, asked.approval, after=f"{asked.book} {place.digest}")
        await self.office.note(by.name, note)
        return place

    async def _seat(
        self, name: str, setup: Setup | None = None, content: Raw | None = None
    ) -> RunningTable:
        """Open a table and let it run; one whose records do not hold together stays closed."""
        if len(self.floor.places) >= TABLES_MAX:
            raise Denied(503, "full", "As many tables are open as the house can run; come later.")
        try:
            return await self._restored(name, setup, content)
        except database.TableTaken as error:
            raise Denied(409, "open_elsewhere", str(error)) from None
        except (Denied, sa.exc.SQLAlchemyError):
            raise
        except Exception:
            LOG.exception("table not restored", extra={"table": name})
            told = "This table is closed: its records do not hold together; the house looks at it."
            raise Denied(503, "broken", told) from None

    async def _restored(self, name: str, setup: Setup | None, content: Raw | None) -> RunningTable:
        """A table, restored from its journal if it has one, and running."""
        if await asyncio.to_thread(database.is_table, self.engine, name):
            setup = await asyncio.to_thread(database.setup_of, self.engine, name)
            book, _ = await asyncio.to_thread(database.opened_with, self.engine, name)
        else:
            content = content or shipped_raw(re.split("[ @]", name)[0])
            book = build(content)
            setup = setup or table.new_setup(book.rules, name)
        await opening.check_floor(book, setup.decks)
        if content is not None and owner_of(name) is None and self.config.shared_meters:
            setup = meters.sharing(setup, book.digest)
        fence, new = await self._take(book, setup, content)
        live = await self._rebuilt(setup, fence)
        if live.head[0] == 0:
            await live.open(book.digest, new)
        place = RunningTable(live, book.digest, owner_of(name), fence, self.clock.now_ms())
        place.task = asyncio.create_task(self._run(place), name=name)
        self.floor.places[name] = place
        place.bots = Bots(place, self.clock, self.cage.provide, self.floor.bots, self._bots)
        return place

    async def _take(
        self, book: Book, setup: Setup, content: Raw | None
    ) -> tuple[int, tuple[Statement, ...]]:
        """The lease of a table: the fence, and what makes one that with its content is new."""
        taking = self.engine, self.owner, self.clock.now_ms()
        await self.meters.open_for(book, setup, content)
        if content is None:
            return await asyncio.to_thread(database.take, *taking, setup.name), ()
        return await asyncio.to_thread(database.open_table, *taking, book, content, setup)

    async def _rebuilt(self, setup: Setup, fence: int) -> LiveTable:
        """A table as its journal has it; while a long one is folded everything else goes on."""
        live = self._live(setup, fence)
        await asyncio.to_thread(checkpoints.restore, self.engine, self.key, live)
        return live

    def _live(self, setup: Setup, fence: int) -> LiveTable:
        book, name = setup.rules.name, setup.name
        return LiveTable(
            setup,
            self.config.shared if owner_of(name) is None else self.config.private,
            commit=self.commit,
            clock=self.clock,
            new_seed=self.new_seed,
            key=self.key,
            fence=fence,
            permit=lambda *asked: self._permit(book, name, *asked),
            attended=lambda state: self.floor.attended(name, state),
            meters=self.meters.opened.get(setup.meters),
        )

    def _permit(self, book: str, name: str, actor: str, command: Any, moved: Any) -> None:
        self.floor.check_leaving(name, actor, command)
        self.protection.permit(book, name, actor, command, moved)

    async def _run(self, place: RunningTable) -> None:
        """Let a table run; after an error build it anew from its journal and go on."""
        while True:
            try:
                await place.live.run()
            except Exception as error:
                LOG.exception("table failed", extra={"table": place.live.setup.name})
                await self._restore(place, type(error).__name__)

    async def _restore(self, place: RunningTable, error: str) -> None:
        """Build a table anew from its journal, however long the database does not answer."""
        name = place.live.setup.name
        while True:
            await asyncio.sleep(RESTORE_S)
            try:
                live = await self._rebuilt(place.live.setup, place.fence)
                note = Note("table_failed", name, error, after=f"restored to row {live.head[0]}")
                await self.office.note(PLATFORM, note)
            except Exception:
                LOG.exception("table not restored", extra={"table": name})
            else:
                place.renew(live)
                return

    async def _renew(self) -> None:
        """Hold the leases of all tables."""
        open_before = dict(self.floor.places)
        held = await asyncio.to_thread(database.renew, self.engine, self.owner, self.clock.now_ms())
        await self.meters.hold(held)
        for name, place in open_before.items():
            if name not in held and not place.closed:
                LOG.error("table lost", extra={"table": name})
                await self.floor.close(place)

    async def _keep_house(self) -> None:
        """Look at clock and sessions, let people leave, keep checkpoints, close idle tables."""
        if changed := self._clock_watch.changed():
            await self.office.note(PLATFORM, Note("clock_changed", "house", "", *map(utc, changed)))
        self.accounts.sweep()
        self.protection.forget(self.accounts.here())
        for place, player in self.floor.to_stand_up(self.protection.barred):
            place.stand_up(player)
        await checkpoints.keep_up(
            self.engine, self.key, [place.live for place in self.floor.places.values()]
        )
        for place in self.floor.idle():
            if place.bots is not None:
                await place.bots.let_go()
            await self.floor.close(place)

    def reality(self, session: Session) -> wire.Reality | None:
        """The reality check of a session, from when it is due until it is read; no wager before."""
        now_ms, name = self.clock.now_ms(), session.account.name
        lost = self.protection.lost(name)
        if session.lost_before is None:
            session.lost_before = lost
        minutes = (now_ms - session.opened_ms) // MINUTE_MS
        if minutes - session.reality_minutes >= self.config.reality_minutes:
            session.reality_minutes = minutes
            self.protection.unread.add(name)
        elif name not in self.protection.unread:
            return None
        return wire.Reality(minutes, session.lost_before - lost)

    async def command(self, session: Session, name: str, message: Any) -> Answer:
        """Carry out what somebody asks of a table; the answer has the sender's id."""
        account, id_ = session.account, message.id
        place = await self.find(name, account)
        place.heard(account.name, place.used_ms)
        command = wire.to_command(message, account.name, self.clock.now_ms(), self.new_seed())
        try:
            may_command(account.role, command, place.live.setup, place.owner == account.name)
            may_bring(account.money, command, self.config.money)
            if isinstance(command, c.Join) and place.bots:
                self.protection.permit(place.live.setup.rules.name, name, account.name, command, ())
                if await place.bots.make_room(command):
                    raise Illegal(
                        "seat_taken", "A bot gives up this seat after the round; ask again."
                    )
        except Illegal as error:
            answer: Answer = Refusal(id_, error.code, error.sentence)
        else:
            whole = f"{account.name}/{id_}"
            answer = await ask(self.engine, place.live, account.name, whole, command)
        if isinstance(answer, Accepted):
            answer = msgspec.structs.replace(answer, id=id_)
            self.metrics.accepted[type(command).__name__] += 1
        else:
            answer = msgspec.structs.replace(answer, id=id_, at_ms=self.clock.now_ms())
            self.metrics.refused[answer.code] += 1
            told_of = {"table": name, "account": account.name, "code": answer.code}
            LOG.info("command refused", extra=told_of)
        return answer

    async def new_guest(self) -> tuple[Account, str, str]:
        """A guest with play money: the account, the password we made, the session's token."""
        account, password = await self.accounts.open_guest()
        await self.cage.welcome(account)
        return account, password, await self.accounts.begin(account)

    async def set_limit(
        self, by: str, account: str, kind: LimitKind, setter: Setter, amount: int | None
    ) -> None:
        """Set a player's or the operator's limit, as a significant event."""
        limit, note, statement = self.protection.set_limit(account, kind, setter, amount)
        await self.office.note(by, note, statement)
        self.protection.limits[account, kind, setter] = limit

    async def exclude(self, account: Account, until_ms: int, reason: str) -> None:
        """Exclude a player at once, by their own wish."""
        self.protection.excluded[account.name] = max(
            until_ms, self.protection.excluded.get(account.name, 0)
        )
        self.floor.stand_up(account.name)
        await self.accounts.exclude(account.name, until_ms, reason)

    async def disable(self, by: str, scope: Scope, name: str, reason: str) -> None:
        """Take no new wager there; it holds at once, before it is written even."""
        closure = Closure(scope, name, by, self.clock.now_ms(), reason)
        before = "disabled" if (scope, name) in self.protection.closures else "enabled"
        self.protection.closures[scope, name] = closure
        if scope == "player":
            self.floor.stand_up(name)
        subject = f"{scope} {name}".strip()
        note = Note("disabled", subject, reason, before, "disabled")
        await self.office.note(by, note, self.protection.close(closure))
        self.floor.look_again()

    async def enable(self, by: str, scope: Scope, name: str, reason: str) -> None:
        """Take wagers there again."""
        if (scope, name) not in self.protection.closures:
            raise Denied(404, "not_disabled", "That is not disabled.")
        subject = f"{scope} {name}".strip()
        note = Note("enabled", subject, reason, "disabled", "enabled")
        await self.office.note(by, note, self.protection.reopen(scope, name))
        self.protection.closures.pop((scope, name), None)
        self.floor.look_again()

    def stacks(self, name: str) -> list[str]:
        """The tables where a player can have money."""
        return [*self.floor.places, *(f"{book}@{name}" for book in self.config.books)]

    async def well(self) -> bool:
        """Whether tables are open, their tasks run, and the database answers and is written to."""
        running = all(
            place.task is not None and not place.task.done() for place in self.floor.places.values()
        )
        try:
            await asyncio.to_thread(database.head_of, self.engine, CASHIER)
        except sa.exc.SQLAlchemyError:
            return False
        return self.ready and running and bool(self.floor.places) and self.writer.works

    def gauges(self) -> dict[str, int]:
        """What the house measures at this moment."""
        states = [place.live for place in self.floor.places.values()]
        return {
            "connections": self.floor.connected,
            "tables": len(states),
            "rounds_open": sum(live.state.in_round for live in states),
            "guests": sum(len(live.state.guests) for live in states),
            "bots": len(self.floor.bots()),
            "commands_waiting": sum(live.queue.qsize() for live in states),
        }

    def lobby(self) -> wire.Lobby:
        """The shared tables as they are now."""
        return self.floor.lobby(self.protection.closure)
