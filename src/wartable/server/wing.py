"""A wing of the house: a server without the house, which has tables all the same.

It follows what the office writes, and decides every wager by the rows it has followed. If the
office has restricted somebody since, the transaction refuses the wager, and it is decided again.
Everything else is carried to the server that has the house. When nobody has it, a wing takes it.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Collection, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import sqlalchemy as sa
from msgspec.structs import replace

from wartable.refusal import Refusal
from wartable.server import opening, spreading
from wartable.server.audit import marks, selfcheck
from wartable.server.clock import HouseClock
from wartable.server.config import HouseProblem
from wartable.server.house import sessions
from wartable.server.house.roles import Role, may_command
from wartable.server.logs import LOG
from wartable.server.manifest import manifest, running
from wartable.server.opening import owner_of
from wartable.server.records import database, table_leases
from wartable.server.records.answers import NO_ANSWER
from wartable.server.records.facts import AccountFacts, ClosureFacts, RoleFact
from wartable.server.records.journal import Broken
from wartable.server.records.lease import HouseLease, HouseTaken
from wartable.server.records.listening import OfficeListener
from wartable.server.records.messages import Note
from wartable.server.records.rows import CASHIER, OFFICE, Entry
from wartable.server.records.store import CommitRefused
from wartable.server.running import CLOCK_S, COUNT_S, RENEW_S, House
from wartable.server.tables.live import FENCED
from wartable.server.upkeep import regularly
from wartable.table import PLATFORM
from wartable.table.commands import Command, ReceiveDecks

FOLLOW_S = 2
"""How often a wing reads what the office has written, even without a notification."""
PAUSE_S = 0.05
"""How long it waits after following, so that it follows many rows together."""
KEEP_S = 30
"""How often it saves in its folder what opening the house needs."""


class Wing(House):
    """The tables of a server that does not have the house."""

    leads = False

    def _take(self, key_file: Path) -> None:
        """Take nothing: another server has the house."""
        opening.key_of_house(self.engine, key_file)
        table_leases.release(self.engine, self.owner)

    def _open_records(self, clock: HouseClock) -> None:
        super()._open_records(clock)
        self.guard.followed = deque()
        self._acted = self.guard.head[0]
        """The last row of the office that this server has acted on."""
        self._following = asyncio.Lock()
        self._told = asyncio.Event()
        """Set when the office may have written something."""
        self._listener: OfficeListener | None = None
        self._begun: set[asyncio.Task[None]] = set()
        self._fit = False
        """Whether this server may have tables: its program is the approved one."""
        self._won: HouseLease | None = None
        self._taking = threading.Lock()
        self._leaving = False

    async def start(self) -> None:
        """Begin to follow the house, and take tables if the program is approved."""
        parts = (
            self._keep_following(),
            regularly(RENEW_S, "lease renewal", self.pit.renew),
            regularly(RENEW_S, "housekeeping", self._keep_house),
            regularly(marks.KEEP_S, "marks", self.marks.keep),
            regularly(CLOCK_S, "clock", self._watch_clock),
            regularly(CLOCK_S, "reach", self._watch_reach),
            regularly(COUNT_S, "counts", self.count_others),
            regularly(KEEP_S, "standby", self._stand_by),
            regularly(self.config.selfcheck_s, "self-check", self._check_self),
            regularly(sessions.SEEN_S, "sessions", self.sessions.keep_seen),
            regularly(spreading.LOOK_S, "shared tables", self.spreading.look),
            self.pulse.beat(self.engine),
        )
        self.placing.free = self._take_over
        self.placing.takes = lambda: self.takes
        loop = asyncio.get_running_loop()
        self._listener = OfficeListener(self.address, lambda: _set(loop, self._told))
        await self._check_self()
        self._tasks = [asyncio.create_task(part) for part in parts]
        self._tasks.append(asyncio.create_task(self._get_ready()))
        self.ready = True
        LOG.info("wing opened")

    async def _get_ready(self) -> None:
        """Compute beforehand what opening the house needs."""
        try:
            await self._stand_by()
            await asyncio.to_thread(self._know_floors)
        except Exception:
            LOG.exception("standby failed")

    def _know_floors(self) -> None:
        for name in database.table_names(self.engine):
            if owner_of(name) is None and not self._leaving:
                with suppress(Broken):  # such a table stays closed
                    opening.know_floor(self.engine, self.key, name, self.config.limits)

    async def _check_self(self) -> None:
        """Have tables only if the program is the one that was approved."""
        found = await asyncio.to_thread(manifest)
        wrong = await asyncio.to_thread(selfcheck.problems, self.engine, found)
        self._fit = not wrong
        if wrong:
            LOG.error("self-check failed", extra={"reason": " ".join(wrong)})
            await asyncio.to_thread(selfcheck.bring, self.engine, found)
            await self._close_others()

    async def _watch_clock(self) -> None:
        """Have no tables while the machine's clock is doubted, or with too old a program."""
        if (self.clock.doubted or self.outdated) and self.floor.places:
            LOG.error("clock doubted" if self.clock.doubted else "program too old")
            await self._close_others()

    @property
    def takes(self) -> bool:
        """Whether this server may have tables."""
        fit = self._fit and not self.outdated
        return fit and not self._leaving and not self.clock.doubted

    @property
    def taken_over(self) -> bool:
        """Never: it does not have the house."""
        return False

    @property
    def answers_to(self) -> tuple[str, ...]:
        """The names of this server as a destination: only its own."""
        return (self.owner,)

    def check_again(self, name: str, actor: str, command: Command) -> None:
        """Refuse a command that somebody's role or the inventory no longer allows."""
        place, known = self.floor.places.get(name), self.guard.rights.accounts.get(actor)
        if place is None or known is None or known.role is None:
            return
        setup, state = place.live.setup, place.live.state
        owns, here = place.owner == actor, actor in state.guests
        may_command(cast(Role, known.role), command, setup, owns, here)
        if isinstance(command, ReceiveDecks):
            self.inventory.check(command, setup, state)

    def _take_over(self) -> None:
        """Take a free house, in a thread; servers with an approved program take it first."""
        if not (self.takes or self.config.approve) and self.placing.running((self.owner,)):
            return
        with self._taking, suppress(HouseTaken, sa.exc.SQLAlchemyError):
            if self._won is None and not self._leaving:
                self._won = HouseLease(self.engine, self.owner)

    @property
    def turned(self) -> bool:
        """Whether this server must continue in the other role: it has taken the house."""
        return self._won is not None

    def won(self) -> HouseLease | None:
        """The lease of the house, if this server has taken it; the caller now owns it."""
        with self._taking:
            return self._won

    async def drain(self) -> None:
        """Withdraw this server, so that its tables and their rounds continue elsewhere at once."""
        self.ready = False
        with self._taking:
            self._leaving = True
        if self.placing.presence is not None:
            await asyncio.to_thread(self.placing.presence.end)

    async def _note_closed(self, held: int) -> None:
        """Write nothing: the house is open."""

    async def stop(self) -> None:
        """Close this server's tables, and stop listening to the office."""
        if self._listener is not None:
            self._listener.end()
        await super().stop()

    async def _keep_following(self) -> None:
        """Follow the office whenever it may have written, and at intervals in any case."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(FOLLOW_S):
                    await self._told.wait()
            self._told.clear()
            try:
                await self._look()
            except Exception:
                LOG.exception("following failed")
            await asyncio.sleep(PAUSE_S)

    async def _look(self) -> None:
        """Follow the office if it has written something, which a quick query finds out."""
        head = await asyncio.to_thread(database.head_of, self.engine, OFFICE)
        if head is not None and head[0] != self._acted:
            await self.follow()

    async def follow(self) -> bool:
        """Follow what the office has written, and act on it; return whether there was anything."""
        before = self._acted
        async with self._following:
            try:
                await asyncio.to_thread(self.guard.catch_up)
            finally:  # act on the rows before one that this program cannot read, too
                self._act()
        return self._acted != before

    async def follow_office(self) -> bool:
        """Follow before a wager is decided again; without a database it is refused anyway."""
        with suppress(Refusal, sa.exc.SQLAlchemyError):
            return await self.follow()
        return False

    def _act(self) -> None:
        """Act on every row of the office that was followed since the last time."""
        followed = self.guard.followed
        while followed:
            number, note = followed.popleft()
            self._restrict(note)
            self._acted = number

    def _restrict(self, note: Note) -> None:
        name = note.subject
        match note.kind:
            case "disabled" | "enabled" | "clock_confirmed" | "limit_set":
                self.protection.follow(self.guard)
                if isinstance(note.facts, ClosureFacts) and note.facts.scope == "player":
                    self.floor.stand_up(note.facts.name)
                self.floor.look_again()
            case "excluded":
                self.protection.follow(self.guard, excluded=name)
                self.floor.stand_up(name)
            case "account_opened" | "role_changed":
                if isinstance(note.facts, AccountFacts | RoleFact):
                    self.accounts.has_role(name, cast(Role, note.facts.role))
            case "signed_out":
                self.sessions.follow(name)
            case "table_opened":
                self.placing.forget_shared()
            case "code_approved":
                self._approve(selfcheck.approved_by(note))
            case _:
                pass

    def _approve(self, programs: Collection[str]) -> None:
        """Take tables only while this server's program is among those that are approved."""
        if running() not in programs:
            LOG.error("program not approved", extra={"code": running()})
            self._fit = False
            self._give_up_others()
        elif not self._fit:
            self._begin(self._check_self())

    def _give_up_others(self) -> None:
        """Begin to close the tables that this server may not have any more."""
        for name in [] if self.takes else list(self.floor.places):
            self._give_up(name)

    def _give_up(self, name: str) -> None:
        self._begin(self._close(name))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin something that nobody waits for."""
        task = asyncio.ensure_future(work)
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)

    async def _close_others(self) -> None:
        for name in [] if self.takes else list(self.floor.places):
            await self._close(name)

    async def _close(self, name: str) -> None:
        """Close a table; a shared one is for the house, a private one for whoever may have it."""
        await self.pit.give_up(name, "" if owner_of(name) is not None else self.placing.leader)

    async def commit(self, entry: Entry) -> None:
        """Write an entry; a command only under what the office has written until then."""
        name, actor = entry.row.table_name, entry.row.actor
        if actor != PLATFORM and name not in (CASHIER, OFFICE):
            # If the table moves, its new server is asked again under the same id.
            if not self.takes:
                raise CommitRefused(*NO_ANSWER)
            entry = replace(entry, office=self._acted)
        try:
            await super().commit(entry)
        except CommitRefused as error:
            if error.code != FENCED:
                raise
            self._give_up(name)
            raise CommitRefused(*NO_ANSWER) from None

    async def _stand_by(self) -> None:
        """Keep what opening the house needs, and be a second witness of the records."""
        await self.count_others()
        try:
            await asyncio.to_thread(self.marks.check_again, self.engine)
        except (HouseProblem, Broken) as problem:
            # What was marked before stays: the house does not open on records that do not fit it.
            LOG.error("records do not fit the marks", extra={"reason": str(problem)})
        await asyncio.to_thread(self.guard.keep, 1)
        await self._keep_counted()

    def notices(self) -> list[str]:
        """No notices: the server that has the house informs the operator."""
        return []


def _set(loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
    """Set an event from another thread, as long as its loop runs."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(event.set)
