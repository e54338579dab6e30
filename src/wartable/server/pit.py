"""The pit: opens tables, restores them from their journals, and keeps them running."""

import asyncio
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from weakref import WeakValueDictionary

import sqlalchemy as sa
from msgspec.structs import replace

from wartable import table
from wartable.game import Illegal
from wartable.links import Links
from wartable.proof import When
from wartable.rules import Book, RuleBook, RulesError
from wartable.rules.load import build
from wartable.rules.raw import Raw
from wartable.rules.settings import configured
from wartable.server import opening
from wartable.server.audit.marks import HouseMarks
from wartable.server.clock import HouseClock
from wartable.server.config import Config
from wartable.server.denied import Denied, not_your_part
from wartable.server.house import counted
from wartable.server.house.accounts import Account
from wartable.server.house.cage import Cage
from wartable.server.house.closures import CLOCK_CHECKED
from wartable.server.house.guard import NEWER
from wartable.server.house.office import Office
from wartable.server.house.protection import Protection
from wartable.server.house.roles import may
from wartable.server.logs import LOG
from wartable.server.opening import SharedTable, elsewhere, no_table, owner_of
from wartable.server.records import checkpoints, database, spread, table_leases
from wartable.server.records.journal import Newer
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Note
from wartable.server.records.rows import CASHIER, METERS, OFFICE, Claim, Commit, Statement
from wartable.server.tables import bots, meters
from wartable.server.tables.awake import full
from wartable.server.tables.exposure import exposes, exposures
from wartable.server.tables.floor import Floor
from wartable.server.tables.live import Follow, LiveTable
from wartable.server.tables.meters import SharedMeters
from wartable.server.tables.place import RunningTable
from wartable.server.tables.restoring import restore
from wartable.server.upkeep import apart
from wartable.table import PLATFORM, Setup
from wartable.table.commands import Command

TABLES_MAX = 10_000
SLEEP_AT_ONCE = 50
SLEEP_ROWS = 200
"""How many rows after its last checkpoint a table gets another one before it sleeps."""
THREADS = max(1, (os.cpu_count() or 2) - 1)
"""How many orders of cards are calculated side by side; one core is left for the house itself."""
CLOCKS_DIFFER = (
    "The clocks of this house's servers differ by more than ten seconds; this table stays closed"
    " until they agree."
)
RESTORE_S = 1
"""How long to wait before rebuilding a table that failed."""


class Pit:
    """Opens tables and keeps them running; the floor holds the open ones."""

    def __init__(
        self,
        config: Config,
        engine: sa.Engine,
        *,
        owner: str,
        key: HouseKey,
        clock: HouseClock,
        commit: Commit,
        new_seed: Callable[[], str],
        office: Office,
        protection: Protection,
        cage: Cage,
        floor: Floor,
        marks: HouseMarks,
        takes: Callable[[], bool],
        follow: Follow,
        check_again: Callable[[str, str, Command], None],
        leader: Callable[[], str],
    ) -> None:
        """`takes` tells whether this server may have tables; `follow` is for its tables.

        `check_again` refuses a command that the office's rows do not allow any more, and `leader`
        names the server that has the house.
        """
        self._takes, self._follow, self._leader = takes, follow, leader
        self._check_again = check_again
        self._config, self._engine, self._owner, self._key = config, engine, owner, key
        self._clock, self._commit, self._new_seed = clock, commit, new_seed
        self._threads = ThreadPoolExecutor(THREADS, "order")
        self._office, self._protection, self._cage = office, protection, cage
        self._floor, self._marks = floor, marks
        self._bots = config.bots and config.money == "play"
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.outdated = False
        """Whether a table has a row that only a newer version of the program can read."""
        self.renewed = True
        """Whether the last renewal of the leases succeeded."""
        self.meters = SharedMeters(engine, commit, clock, key)

    async def claim(self, name: str) -> None:
        """Open a shared table that belongs to this server, unless it is open."""
        async with self._turn(name):
            if name not in self._floor.places:
                self._check_here()
                await self.open(name)

    async def give_up(self, name: str, to: str = "") -> None:
        """Close a table, and hand it to that server; without one it is free."""
        async with self._turn(name):
            place = self._floor.places.get(name)
            if place is not None:
                await self._floor.close(place)
                await self._release(name, place.fence, to)

    async def _release(self, name: str, fence: int, to: str) -> None:
        """Give up the lease of a table that is closed here."""
        ours, run = (self._engine, self._owner), asyncio.to_thread
        if not to or not await run(spread.hand_over, *ours, name, to, fence):
            await run(table_leases.release_one, *ours, fence, name)

    async def pass_on(self, name: str, to: str) -> None:
        """Hand a table that could not open here to another server, which may be able to."""
        if to not in ("", self._owner):
            await asyncio.to_thread(spread.hand_over, self._engine, self._owner, name, to)

    def close(self) -> None:
        """Stop calculating orders; the next start calculates those of closed lists."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def find(self, name: str, account: Account | None, address: str = "") -> RunningTable:
        """The table of that name, for somebody who may see it; one that sleeps wakes."""
        owner = owner_of(name)
        staff = account is not None and may(account.role, "look")
        if owner is not None and not staff and (account is None or account.name != owner):
            raise no_table()
        place = self._floor.places.get(name)
        if place is None:
            async with self._turn(name):
                place = self._floor.places.get(name)
                if place is None:
                    if not await asyncio.to_thread(database.is_table, self._engine, name):
                        raise no_table()
                    self._check_here()
                    place = await self._open_within(name, address)
        place.used_ms = self._clock.now_ms()
        self._floor.awake.use(place, address)
        return place

    def _turn(self, name: str) -> asyncio.Lock:
        """The lock to open or close a table; shared tables, which may share meters, share one."""
        which = "" if owner_of(name) is None else name
        turn = self._turns.get(which)
        if turn is None:
            turn = self._turns[which] = asyncio.Lock()
        return turn

    async def _open_within(self, name: str, address: str) -> RunningTable:
        """Open a table, after closing an unused private one if there is no room."""
        owner = owner_of(name)
        if owner is not None:
            house_max = TABLES_MAX - len(self._floor.shared)
            within = (owner, address, house_max, self._config.connections_per_address)
            while (place := self._floor.awake.in_the_way(*within)) is not None:
                await self._sleep(place)
        return await self.open(name)

    async def put_to_sleep(self, places: list[RunningTable]) -> None:
        """Close private tables that nobody follows; the journal keeps them."""
        for start in range(0, len(places), SLEEP_AT_ONCE):
            some = places[start : start + SLEEP_AT_ONCE]
            await asyncio.gather(*(self._sleep(place) for place in some))

    async def _sleep(self, place: RunningTable) -> None:
        """Close a table with its owner's chips back in the wallet, if none of them is in play."""
        name = place.live.setup.name
        self._floor.awake.forget(place)  # it must not be chosen again to make room meanwhile
        async with self._turn(name):
            if self._floor.places.get(name) is not place:
                return
            if place.present:  # somebody came meanwhile
                self._floor.awake.use(place)
                return
            self._floor.remove(place)
            try:
                await self._floor.company[name].let_go()
                if place.owner is not None and place.free_to_go(place.owner):
                    with suppress(TimeoutError):
                        await asyncio.wait_for(place.stand_up(place.owner), bots.LET_GO_S)
            finally:  # the house may close meanwhile
                await self._floor.close(place)
            live = place.live
            if live.head[0] - live.checkpointed >= SLEEP_ROWS:
                kept = (self._engine, self._key, name, live.checkpoint())
                await asyncio.to_thread(checkpoints.keep, *kept)
            await self._release(name, place.fence, "")

    async def open_private(self, account: Account, book: str, address: str = "") -> RunningTable:
        """The player's private table of that book, which deals when the player asks."""
        if book not in self._config.books:
            raise Denied("no_book", "There is no such rule book here.")
        if account.role != "player":
            raise not_your_part(account.role)
        opening.check_company(build(self._config.content(book)).rules, self._bots)
        name = f"{book}@{account.name}"
        async with self._turn(name):
            place = self._floor.places.get(name)
            if place is None:
                self._check_here()
                if self._config.money == "deposited":
                    await asyncio.to_thread(opening.check_means, self._engine, self._cage, name)
                place = await self._open_within(name, address)
        self._floor.awake.use(place, address)
        return place

    def _check_here(self) -> None:
        """Deny a table that another server of this house must have."""
        if not self._takes():
            raise elsewhere()

    def planned(self, asked: SharedTable) -> tuple[Setup, Raw, Book]:
        """The setup, content and book of the table that somebody asks for, if it fits the rules."""
        if asked.book not in self._config.books:
            raise Denied("no_book", "There is no such rule book here.")
        opening.check_name(asked)
        base = self._config.content(asked.book)
        content, limits = configured(base, asked.options, asked.settings, self._config.limits)
        rules = replace(build(content).rules, limits=limits)
        decks = asked.decks or rules.shoe.decks
        layout = asked.layout or self._config.layout
        layout = opening.layout_of(rules, layout, self._config.money)
        setup = Setup(
            rules,
            asked.name,
            decks,
            asked.staffed,
            approval=asked.approval,
            layout=layout,
            order=asked.order or "",
            iterations=asked.iterations or 0,
        )
        table.start(setup)
        return setup, content, replace(build(content), rules=rules)

    async def open_shared(self, by: Account, asked: SharedTable) -> RunningTable:
        """Open another shared table."""
        setup, content, book = self.planned(asked)
        name = asked.name
        await opening.check_gifts(book, setup.decks, asked.confirmed)
        async with self._turn(name):
            ours = name in (CASHIER, OFFICE) or name.startswith(METERS)
            if ours or await asyncio.to_thread(database.is_table, self._engine, name):
                raise Denied("name_taken", "There is already a table of that name.")
            place = await self.open(name, setup, content)
        confirmed = "".join(f" {kind} confirmed above 100 %" for kind in asked.confirmed)
        after = f"{asked.book} {place.digest}{confirmed}"
        if setup.layout:
            after += f", layout: {setup.layout}"
        if setup.order or setup.iterations:
            order, iterations = self._how(setup)
            after += f", cards: {order}, {iterations} iterations"
        note = Note("table_opened", name, asked.approval, after=after)
        await self._office.note(by.name, note)
        return place

    async def open(
        self, name: str, setup: Setup | None = None, content: Raw | None = None
    ) -> RunningTable:
        """Open a table and run it; one with inconsistent records stays closed."""
        if len(self._floor.places) >= TABLES_MAX:
            raise full()
        try:
            return await self._restored(name, setup, content)
        except table_leases.TableTaken:
            if self._engine.dialect.name != "sqlite":
                raise elsewhere() from None
            raise
        except (Denied, RulesError, sa.exc.SQLAlchemyError):
            raise
        except Newer as problem:
            LOG.error("table not restored", extra={"table": name, "reason": str(problem)})
            self.outdated = True
            raise Denied("newer_version", NEWER) from None
        except Exception:
            LOG.exception("table not restored", extra={"table": name})
            raise Denied(
                "broken",
                "This table is closed: its records are inconsistent; the house is checking them.",
            ) from None

    async def _restored(self, name: str, setup: Setup | None, content: Raw | None) -> RunningTable:
        """A table, restored from its journal if it has one, and running."""
        if await asyncio.to_thread(database.is_table, self._engine, name):
            book, found = await asyncio.to_thread(
                opening.stored, self._engine, self._key, name, self._config.limits
            )
            setup = found
        else:
            if setup is None or content is None:
                base = self._config.content(re.split("[ @]", name)[0])
                content, limits = configured(base, {}, {}, self._config.limits)
                setup = self._new_setup(replace(build(content).rules, limits=limits), name)
                in_force = replace(build(content), rules=setup.rules)
                await opening.check_gifts(in_force, setup.decks, ())
            book = replace(build(content), rules=setup.rules)
        await opening.check_floor(book, setup.decks)
        if content is not None and owner_of(name) is None and self._config.shared_meters:
            setup = meters.sharing(setup, book.digest)
        fence, new = await self._take(book, setup, content)
        try:
            live = await self._rebuilt(setup, fence, book.digest)
        except Newer:
            await self._release(name, fence, "")
            raise
        if not self._takes():
            await self._release(name, fence, self._leader())
            raise elsewhere()
        if live.head[0] == 0:
            await live.open(book.digest, new)
        elif exposes(setup.rules):
            amounts = exposures(setup, live.state)
            await asyncio.to_thread(counted.expose, self._engine, name, fence, amounts)
        place = RunningTable(live, book.digest, owner_of(name), fence, self._clock.now_ms())
        place.task = apart(self._run(place), name)
        self._floor.add(place)
        self._floor.awake.use(place)
        self._floor.company[name] = bots.Bots(
            place, self._clock, self._cage.provide, self._floor.bots, self._bots
        )
        return place

    def _new_setup(self, rules: RuleBook, name: str) -> Setup:
        """The setup of the house's own first table, or of a private one."""
        layout = opening.layout_of(rules, self._config.layout, self._config.money)
        return replace(table.new_setup(rules, name), layout=layout)

    async def _take(
        self, book: Book, setup: Setup, content: Raw | None
    ) -> tuple[int, tuple[Statement, ...]]:
        """The lease of a table: the fence, and the statements that make a new one."""
        taking = self._engine, self._owner
        await self.meters.open_for(book, setup, content)
        if content is None:
            return await asyncio.to_thread(table_leases.take, *taking, setup.name), ()
        return await asyncio.to_thread(table_leases.open_table, *taking, book, content, setup)

    async def _rebuilt(self, setup: Setup, fence: int, digest: str) -> LiveTable:
        """A table restored from its journal, in a thread so that nothing else waits."""
        live = self._live(setup, fence, digest)
        await asyncio.to_thread(restore, self._engine, self._key, live)
        await asyncio.to_thread(self._marks.check_table, self._engine, setup.name)
        if not self._clock.not_before(live.last_ms):
            raise Denied("clocks_differ", CLOCKS_DIFFER)
        await self._protection.limits.follow_table(self._engine, setup.name, live.head)
        return live

    def _live(self, setup: Setup, fence: int, digest: str) -> LiveTable:
        book, name = setup.rules.name, setup.name
        owner = owner_of(name)
        return LiveTable(
            setup,
            self._config.shared if owner is None else self._config.private,
            commit=self._commit,
            clock=self._clock,
            new_seed=self._new_seed,
            key=self._key,
            fence=fence,
            permit=lambda *asked: self._permit(book, name, *asked),
            attended=lambda state: self._floor.attended(name, state),
            held=lambda: self._clock.doubted,
            follow=self._follow,
            meters=self.meters.opened.get(setup.meters),
            links=self._links(setup, owner, digest),
            threads=self._threads,
        )

    def _links(self, setup: Setup, owner: str | None, digest: str) -> Links:
        """The links of a private table, whose owner's numbers count, or of a shared one."""
        if owner is not None:
            return Links(digest, owner, self._new_seed)
        return Links(digest, "", self._new_seed, *self._how(setup))

    def _how(self, setup: Setup) -> tuple[When, int]:
        """When a shared table's cards are ordered, and by how many iterations."""
        return setup.order or self._config.order, setup.iterations or self._config.iterations

    def _permit(self, book: str, name: str, actor: str, command: Any, moved: Any) -> Claim | None:
        if self._clock.doubted and not self._floor.only_leaves(name, command):
            raise Illegal("disabled", CLOCK_CHECKED)
        self._check_again(name, actor, command)
        self._floor.check_leaving(name, actor, command)
        self._floor.check_time(name, actor, command)
        return self._protection.permit(book, name, actor, command, moved)

    async def _run(self, place: RunningTable) -> None:
        """Run a table; after an error, rebuild it from its journal and continue."""
        while True:
            try:
                await place.live.run()
            except Exception as error:
                LOG.exception("table failed", extra={"table": place.live.setup.name})
                await self._restore(place, type(error).__name__)

    async def _restore(self, place: RunningTable, error: str) -> None:
        """Rebuild a table from its journal, however long the database takes to answer."""
        name = place.live.setup.name
        while True:
            await asyncio.sleep(RESTORE_S)
            try:
                live = await self._rebuilt(place.live.setup, place.fence, place.digest)
                note = Note("table_failed", name, error, after=f"restored to row {live.head[0]}")
                await self._office.note(PLATFORM, note)
            except Exception:
                LOG.exception("table not restored", extra={"table": name})
            else:
                before = place.live.state.guests
                place.renew(live)
                if self._floor.places.get(name) is place:
                    self._floor.follow(place, before)
                return

    async def renew(self) -> None:
        """Renew the leases of all tables."""
        open_before = dict(self._floor.places)
        try:
            held = await asyncio.to_thread(table_leases.renew, self._engine, self._owner)
        except sa.exc.SQLAlchemyError:
            self.renewed = False
            self.meters.lose()
            raise
        self.renewed = True
        for name, place in open_before.items():
            # A copy of this machine has the same owner, but another fence.
            if held.get(name) != place.fence and not place.closed:
                LOG.error("table lost", extra={"table": name})
                await self._floor.close(place)
        await self.meters.look()
