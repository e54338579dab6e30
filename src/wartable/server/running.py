"""The running house: its tables, money and people, from its opening to its closing."""

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import suppress

import msgspec
import sqlalchemy as sa

from wartable.game import Illegal
from wartable.refusal import Refusal
from wartable.server import opening
from wartable.server.audit import marks, selfcheck
from wartable.server.audit.marks import HouseMarks
from wartable.server.clock import Clock, SystemClock
from wartable.server.config import Config, lock, owner_id
from wartable.server.denied import Denied
from wartable.server.house import sessions
from wartable.server.house.accounts import Account, Accounts
from wartable.server.house.cage import Cage
from wartable.server.house.cashier import Cashier
from wartable.server.house.closures import Closure, Scope, close, reopen
from wartable.server.house.inventory import Inventory
from wartable.server.house.limits import MINUTE_MS, LimitKind, Setter
from wartable.server.house.office import Office
from wartable.server.house.operators import OperatorKeys
from wartable.server.house.protection import Protection
from wartable.server.house.roles import may_bring, may_command
from wartable.server.house.sessions import Reality, Session, Sessions
from wartable.server.logs import LOG
from wartable.server.metrics import Metrics
from wartable.server.period import utc
from wartable.server.pit import Pit
from wartable.server.records import database
from wartable.server.records.answers import Accepted, Answer, RefusedCommand, repeated
from wartable.server.records.facts import ClosureFacts
from wartable.server.records.journal import Entry
from wartable.server.records.messages import CASHIER, OFFICE, Note
from wartable.server.records.store import Unsure
from wartable.server.records.writer import CLOSE_S, Writer
from wartable.server.tables.floor import Floor
from wartable.server.tables.live import NO_ANSWER, PASSING, LiveTable
from wartable.server.tables.lobby import Lobby
from wartable.server.tables.restoring import keep_up
from wartable.server.upkeep import ClockWatch, regularly
from wartable.table import PLATFORM
from wartable.table.commands import ChangeDealer, Command, Join, ReceiveDecks

ANSWER_S = 30
"""How long a table may take to answer."""
RENEW_S = database.LEASE_MS / 3000
"""How often the leases are renewed."""


class House:
    """Everything that all tables share: database, cashier, office, accounts, protection."""

    def __init__(
        self,
        config: Config,
        clock: Clock | None = None,
        new_seed: Callable[[], str] = lambda: os.urandom(32).hex(),
    ) -> None:
        self.config = config
        self.new_seed = new_seed
        self.metrics = Metrics()
        self.ready = False
        config.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = lock(config.folder)
        self.owner = owner_id(config.folder)
        path = config.database or str(config.folder / "house.sqlite")
        self.engine = database.engine_for(path)
        try:
            database.create(self.engine)
            opening.check_money(self.engine, config.money)
            self.key = opening.key_for(self.engine, config.folder / "key")
            opening.check_keyed(self.engine, self.key)
            self.clock = clock or SystemClock(database.last_ms(self.engine))
            self.marks = HouseMarks(config.folder, self.key, self.clock.now_ms)
            self.marks.check(self.engine)
        except BaseException:
            os.close(self._lock)
            self.engine.dispose()
            raise
        self.writer = Writer(path)
        head = database.head_of(self.engine, CASHIER)
        self.cashier = Cashier(self.commit, self.clock, self.key, head)
        head = database.head_of(self.engine, OFFICE)
        self.office = Office(self.commit, self.clock, self.key, head)
        self.accounts = Accounts(self.engine, self.office, self.clock)
        self.sessions = Sessions(self.engine, self.office, self.clock, self.accounts)
        self.operator_keys = OperatorKeys(self.engine, self.office, self.clock)
        floor = self.floor = Floor(self.clock)
        self.protection = Protection(self.engine, self.clock, floor.exposure, floor.added_exposure)
        self.protection.excluded = self.accounts.excluded()
        self.inventory = Inventory(self.engine, self.office, self.clock, floor.table_using)
        self.cage = Cage(
            self.engine, self.cashier, self.protection, self.stacks, self.floor.playing
        )
        self.pit = Pit(
            config,
            self.engine,
            owner=self.owner,
            key=self.key,
            clock=self.clock,
            commit=self.commit,
            new_seed=new_seed,
            office=self.office,
            protection=self.protection,
            cage=self.cage,
            floor=self.floor,
        )
        self.recalling = asyncio.Lock()
        """Held while a round is recalled; only one at a time, so that play goes on."""
        self._clock_watch = ClockWatch()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Open the house: every shared table, restored or new, and the upkeep tasks."""
        await opening.first_admin(self.accounts, self.config.folder)
        await self.office.note(PLATFORM, Note("house_opened", self.owner))
        await self._check_self()
        watching = selfcheck.watch(
            self.engine, self.office, self.stop_gaming, self.config.selfcheck_s
        )
        parts = (
            regularly(RENEW_S, "lease renewal", self.pit.renew),
            regularly(RENEW_S, "housekeeping", self._keep_house),
            regularly(marks.KEEP_S, "marks", self.marks.keep),
            regularly(sessions.SEEN_S, "sessions", self.sessions.keep_seen),
            watching,
        )
        self._tasks = [asyncio.create_task(part) for part in parts]
        await self.pit.open_all()
        self.ready = True
        LOG.info("house opened", extra={"count": len(self.floor.places)})

    async def _check_self(self) -> None:
        """The self-check at the start; if it passes, it lifts an earlier one's closure."""
        wrong = await selfcheck.check_house(
            self.engine, self.office, self.stop_gaming, approve=self.config.approve
        )
        closure = self.protection.closures.get(("gaming", ""))
        if not wrong and closure is not None and closure.actor == PLATFORM:
            await self.enable(PLATFORM, "gaming", "", "The self-check found nothing wrong.")

    async def stop_gaming(self, reason: str) -> None:
        """Disable all gaming, unless it is already disabled."""
        if ("gaming", "") not in self.protection.closures:
            await self.disable(PLATFORM, "gaming", "", reason)

    def notices(self) -> list[str]:
        """What the operator should know once the house is open."""
        return opening.notices(self.config.folder, self.protection.closures.get(("gaming", "")))

    async def drain(self) -> None:
        """Take no new wager, and wait for rounds that end by themselves."""
        self.ready = False
        self.protection.ending = True
        deadline = time.monotonic() + self.config.stop_s
        while self.floor.running() and time.monotonic() < deadline:
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
        held = sum(place.live.state.in_round for place in self.floor.places.values())
        closed = Note("house_closed", self.owner, after=f"{held} rounds held")
        # Without a database nothing can be written; leases expire and are ours at the next start.
        with suppress(TimeoutError, Unsure, sa.exc.SQLAlchemyError):
            async with asyncio.timeout(CLOSE_S):
                await self.office.note(PLATFORM, closed)
                await self.sessions.keep_seen()
        await self.writer.close()
        with suppress(marks.BadMarks):  # a full disk must not keep the house open
            await self.marks.keep()
        with suppress(sa.exc.SQLAlchemyError):
            database.release(self.engine, self.owner)
        self.engine.dispose()
        os.close(self._lock)
        LOG.info("house closed", extra={"count": held})

    async def commit(self, entry: Entry) -> None:
        """Write an entry, count it towards its players' limits, and measure the time."""
        began = time.perf_counter()
        name = entry.row.table_name
        try:
            await self.writer.commit(entry)
        finally:
            self.protection.done(name)
        self.metrics.commit(time.perf_counter() - began)
        for each in entry.together():
            row = each.row
            self.marks.saw(row)
            self.protection.limits.committed(row.table_name, row.at_ms, row.actor, each.transfers)

    async def _keep_house(self) -> None:
        """Check clock and sessions, let people leave, save checkpoints, close idle tables."""
        if changed := self._clock_watch.changed():
            before, after = map(utc, changed)
            await self.office.note(PLATFORM, Note("clock_changed", "house", "", before, after))
        self.sessions.sweep()
        self.protection.limits.forget(self.sessions.here())
        for place, player in self.floor.to_stand_up(self.protection.barred):
            place.stand_up(player)
        await keep_up(self.engine, self.key, [place.live for place in self.floor.places.values()])
        for place in self.floor.idle():
            await self.floor.company[place.live.setup.name].let_go()
            await self.floor.close(place)

    def reality(self, session: Session) -> Reality | None:
        """The session's reality check, if it is due; it stops wagers until it is read."""
        now_ms, name = self.clock.now_ms(), session.account.name
        lost = self.protection.limits.lost(name)
        if session.lost_before is None:
            session.lost_before = lost
        minutes = (now_ms - session.opened_ms) // MINUTE_MS
        if minutes - session.reality_minutes >= self.config.reality_minutes:
            session.reality_minutes = minutes
            self.protection.unread.add(name)
        elif name not in self.protection.unread:
            return None
        return Reality(minutes, session.lost_before - lost)

    async def command(self, account: Account, name: str, id_: str, command: Command) -> Answer:
        """Carry out somebody's command at a table; the answer has the sender's id."""
        place = await self.pit.find(name, account)
        place.heard(account.name, place.used_ms)
        try:
            may_command(account.role, command, place.live.setup, place.owner == account.name)
            may_bring(account.money, command, self.config.money)
            if isinstance(command, ChangeDealer):
                await self._check_dealer(command.dealer)
            if isinstance(command, Join):
                self.protection.permit(place.live.setup.rules.name, name, account.name, command, ())
                if await self.floor.company[name].make_room(command):
                    raise Illegal(
                        "seat_taken", "A bot leaves this seat after the round; ask again then."
                    )
        except Refusal as error:
            answer: Answer = RefusedCommand(id_, error.code, error.sentence)
        else:
            whole = f"{account.name}/{id_}"
            ask = self._bring if isinstance(command, ReceiveDecks) else self._ask
            answer = await ask(place.live, account, whole, command)
        if isinstance(answer, Accepted):
            answer = msgspec.structs.replace(answer, id=id_)
            self.metrics.accepted[type(command).__name__] += 1
        else:
            answer = msgspec.structs.replace(answer, id=id_, at_ms=self.clock.now_ms())
            self.metrics.refused[answer.code] += 1
            told_of = {"table": name, "account": account.name, "code": answer.code}
            LOG.info("command refused", extra=told_of)
        return answer

    async def _check_dealer(self, name: str) -> None:
        """Refuse a change of dealer to somebody who is none."""
        row = await asyncio.to_thread(self.accounts.row, name)
        if row is None or row.role != "dealer":
            sentence = f"{name} is not a dealer; name an account with the role dealer."
            raise Illegal("no_such_dealer", sentence)

    async def _ask(self, live: LiveTable, account: Account, id_: str, command: Command) -> Answer:
        """The table's answer, if it comes in time; a late one may still be carried out."""
        try:
            asked = live.submit(account.name, id_, command, deals=account.role == "dealer")
            answer = await asyncio.wait_for(asked, ANSWER_S)
            if isinstance(answer, Accepted) or answer.code in PASSING:
                return answer
            old = await asyncio.to_thread(database.carried_out, self.engine, live.setup.name, id_)
        except (TimeoutError, sa.exc.SQLAlchemyError):
            return RefusedCommand(id_, *NO_ANSWER)
        return answer if old is None else repeated(id_, command, *old)

    async def _bring(self, live: LiveTable, account: Account, id_: str, command: Command) -> Answer:
        """The table's answer to cards from the inventory, where no set moves meanwhile."""
        assert isinstance(command, ReceiveDecks)
        async with self.inventory.turn:
            try:
                brought = self.inventory.brought(command, live.setup, live.state)
            except Denied as error:
                name = live.setup.name
                old = await asyncio.to_thread(database.carried_out, self.engine, name, id_)
                refused = RefusedCommand(id_, error.code, error.sentence)
                return refused if old is None else repeated(id_, command, *old)
            return await self._ask(live, account, id_, brought)

    async def new_guest(self) -> tuple[Account, str, str]:
        """A new guest with play money: the account, the generated password, the session's token."""
        account, password = await self.accounts.open_guest()
        await self.cage.welcome(account)
        return account, password, await self.sessions.begin(account)

    async def set_limit(
        self, by: str, account: str, kind: LimitKind, setter: Setter, amount: int | None
    ) -> None:
        """Set a player's or the operator's limit, as a significant event."""
        limit, note, statement = self.protection.limits.change(account, kind, setter, amount)
        await self.office.note(by, note, statement)
        self.protection.limits.held[account, kind, setter] = limit

    async def exclude(self, account: Account, until_ms: int, reason: str) -> None:
        """Exclude a player at once, at their own request."""
        self.protection.excluded[account.name] = max(
            until_ms, self.protection.excluded.get(account.name, 0)
        )
        self.floor.stand_up(account.name)
        await self.accounts.exclude(account.name, until_ms, reason)

    async def disable(self, by: str, scope: Scope, name: str, reason: str) -> None:
        """Stop taking new wagers there at once, even before the closure is written."""
        closure = Closure(scope, name, by, self.clock.now_ms(), reason)
        before = "disabled" if (scope, name) in self.protection.closures else "enabled"
        self.protection.closures[scope, name] = closure
        if scope == "player":
            self.floor.stand_up(name)
        subject = f"{scope} {name}".strip()
        note = Note("disabled", subject, reason, before, "disabled", ClosureFacts(scope, name))
        await self.office.note(by, note, close(closure))
        self.floor.look_again()

    async def enable(self, by: str, scope: Scope, name: str, reason: str) -> None:
        """Take wagers there again."""
        if (scope, name) not in self.protection.closures:
            raise Denied("not_disabled", "That is not disabled.")
        subject = f"{scope} {name}".strip()
        note = Note("enabled", subject, reason, "disabled", "enabled", ClosureFacts(scope, name))
        await self.office.note(by, note, reopen(scope, name))
        self.protection.closures.pop((scope, name), None)
        self.floor.look_again()

    def stacks(self, name: str) -> list[str]:
        """The tables where a player can have money."""
        return [*self.floor.places, *(f"{book}@{name}" for book in self.config.books)]

    async def well(self) -> bool:
        """Whether tables are open, their tasks are running and the database can be written."""
        running = all(
            place.task is not None and not place.task.done() for place in self.floor.places.values()
        )
        try:
            await asyncio.to_thread(database.head_of, self.engine, CASHIER)
        except sa.exc.SQLAlchemyError:
            return False
        return self.ready and running and bool(self.floor.places) and self.writer.works

    def gauges(self) -> dict[str, int]:
        """The house's current metrics."""
        states = [place.live for place in self.floor.places.values()]
        return {
            "connections": self.floor.connected,
            "tables": len(states),
            "rounds_open": sum(live.state.in_round for live in states),
            "guests": sum(len(live.state.guests) for live in states),
            "bots": len(self.floor.bots()),
            "commands_waiting": sum(live.queue.qsize() for live in states),
        }

    def lobby(self) -> Lobby:
        """The shared tables now."""
        return self.floor.lobby(self.protection.closures.of)
