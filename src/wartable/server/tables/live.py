"""One task per table, the only writer of its journal; it writes first, then tells listeners."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice

from msgspec.structs import replace

from wartable import table
from wartable.croupier import Timing
from wartable.game import Bet, Illegal
from wartable.game.messages import MeterName
from wartable.game.wagers import WAGER
from wartable.ledger import Unbalanced
from wartable.links import Links
from wartable.refusal import Refusal
from wartable.server.clock import Clock
from wartable.server.house.protection import Permit
from wartable.server.logs import LOG
from wartable.server.records import checkpoints, journal, messages, table_leases
from wartable.server.records.answers import (
    ID_USED,
    NO_ANSWER,
    Accepted,
    Answer,
    PendingCommand,
    RefusedCommand,
    repeated,
    same,
)
from wartable.server.records.checkpoints import IDS_MAX, Checkpoint
from wartable.server.records.keys import HouseKey
from wartable.server.records.results import LAST_MAX, SHOES_MAX, LastRound, remember
from wartable.server.records.rows import Claim, Commit, Entry, Row, Statement
from wartable.server.records.store import MOVED, STALE, CommitRefused, Repeated
from wartable.server.tables.calculation import Calculation
from wartable.server.tables.incidents import INCIDENTS_MAX, TableIncident, incidents_of
from wartable.server.tables.listeners import OUTBOX_MAX, Happened, Listener, Snapshot
from wartable.server.tables.meters import Meters
from wartable.server.tables.platform import HOLD_MS, Platform
from wartable.server.tables.queue import CommandQueue
from wartable.server.tables.ready import ReadyPlayers
from wartable.server.tables.together import Together, own_id
from wartable.server.tables.versions import PendingRow, TableChain, TableVersion
from wartable.shoe import Shoe
from wartable.table import PLATFORM, Due, Setup, Table, view, view_events
from wartable.table.commands import Command
from wartable.table.events import Event
from wartable.table.state import MeterState

QUEUE_MAX = 1_024
KEPT_MAX = 128
DISPLAY_MS = 10_000
"""How old the displayed reading of shared meters may be while anybody sees it."""

METER_AWAY = ("meter_away", "The meter is not available; side bets cannot be played now.")
OTHER_ROUND = "This was meant for round {}. The table is at round {} now, so nothing was done."
FENCED = "fenced"
AGAIN_MAX = 20
"""How often a command is decided again because another server wrote meanwhile."""
RESTRICTED = (STALE, MOVED, "disabled", "excluded")
PASSING = ("busy", FENCED, STALE, MOVED, METER_AWAY[0])
"""Refusals unrelated to the command itself; the client may try the same id again."""

Follow = Callable[[], Awaitable[bool]]
"""A function that follows what the office wrote, and returns whether there was anything."""


async def _nothing_new() -> bool:
    return False


class LiveTable:
    """A live table: its state, its place in the journal, and its listeners."""

    def __init__(
        self,
        setup: Setup,
        timing: Timing,
        *,
        commit: Commit,
        clock: Clock,
        new_seed: Callable[[], str],
        key: HouseKey,
        fence: int,
        permit: Permit = lambda *_: None,
        attended: Callable[[Table], bool] = lambda _: True,
        held: Callable[[], bool] = lambda: False,
        follow: Follow = _nothing_new,
        meters: Meters | None = None,
        links: Links | None = None,
        threads: ThreadPoolExecutor | None = None,
    ) -> None:
        self.setup = setup
        self._chain = TableChain(setup, timing, key, fence)
        self._now = self._chain.start(clock.now_ms())
        self.listeners: dict[Listener, None] = {}
        """Listeners in order of arrival, so that messages always go out in the same order."""
        self.queue = CommandQueue(QUEUE_MAX)
        self.ready = ReadyPlayers()
        self._commit, self._clock, self._permit, self._meters = commit, clock, permit, meters
        self._follow = follow
        self.platform = Platform(
            setup,
            links=links,
            calculation=Calculation(threads, self._wake),
            new_seed=new_seed,
            attended=attended,
            held=held,
            ready=self.ready,
        )
        self._together = Together(self._chain, self.platform, self._permitted, meters)
        self.guests_changed: Callable[[Iterable[str], Iterable[str]], None] = lambda *_: None
        """Called with the guests before and after, when somebody comes or goes."""
        self._shown_ms = 0
        self._answers: OrderedDict[str, tuple[Answer, messages.JournalCommand]] = OrderedDict()
        self._kept: deque[Happened] = deque(maxlen=KEPT_MAX)
        self.incidents: deque[TableIncident] = deque(maxlen=INCIDENTS_MAX)
        """The rows that were folded here, beginning at a checkpoint."""
        self.finished: deque[Shoe] = deque(maxlen=SHOES_MAX)
        self.last: deque[LastRound] = deque(maxlen=LAST_MAX)
        self.checkpointed = 0
        """The row of the last checkpoint."""

    @property
    def timing(self) -> Timing:
        """How long the platform waits for people."""
        return self._chain.timing

    @timing.setter
    def timing(self, timing: Timing) -> None:
        self._chain.timing = timing

    @property
    def state(self) -> Table:
        """The table after its last row."""
        return self._now.state

    @property
    def head(self) -> tuple[int, str]:
        """The number and the hash of its last row."""
        return self._now.head

    @property
    def last_ms(self) -> int:
        """The time of its last row; 0 before the first."""
        return self._kept[-1].at_ms if self._kept else 0

    @property
    def due(self) -> tuple[Due, ...]:
        """What the table awaits."""
        return self._now.due

    async def open(self, book: str, new: tuple[Statement, ...]) -> None:
        """Write the first row of a new table, together with the statements that make it."""
        id_ = f"open {self._chain.fence}"
        opening, now_ms = messages.opening(book, self.setup), self._clock.now_ms()
        first = self._chain.row(self._now, now_ms, PLATFORM, id_, opening)
        written = self._commit(replace(first.entry, statements=new))
        await table_leases.opened(self.setup.name, written)
        self._go_on(first.entry.row, first.after, ())

    def checkpoint(self) -> Checkpoint:
        """A checkpoint of the table after its last row."""
        now, past = self._now, (tuple(self.finished), tuple(self.last))
        return Checkpoint(*now.head, now.began_ms, now.state, *past)

    def restore(
        self,
        rows: Iterable[Row],
        head: tuple[int, str] | None = None,
        checkpoint: Checkpoint | None = None,
        keep: Callable[[Checkpoint], None] | None = None,
    ) -> None:
        """Fold the journal of an earlier run; `Broken` if it is inconsistent.

        With a head the journal must be whole, because a new row would hide that the last ones are
        missing. With a checkpoint the rows up to it are not folded; they only give the used ids.
        `keep` gets the checkpoints that are due on the way, where another version left none.
        """
        rows = iter(rows)
        if checkpoint is not None:
            self._go_back_to(checkpoint, rows)
        for row in journal.check_chain(rows, head, self.head):
            command, events = journal.read_row(row, self._chain.key)
            own = messages.at_table(events)
            self._go_on(row, self._chain.after(self._now, row, table.fold(own, self.state)), own)
            if keep is not None and row.number - self.checkpointed >= checkpoints.ROWS:
                keep(self.checkpoint())
                self.checkpointed = row.number
            self._remember(Accepted(row.command_id, row.number), command)
        self.wait_again()

    def _go_back_to(self, checkpoint: Checkpoint, rows: Iterator[Row]) -> None:
        """Start from the checkpoint, if the rows lead to it."""
        first, at = next(rows), (checkpoint.number, checkpoint.hash)
        elder = islice(rows, checkpoint.number - first.number)
        after = (first.number, first.hash)
        for row in (first, *journal.check_chain(elder, at, after)):
            command, events = journal.read_row(row, self._chain.key)
            self._keep(row, messages.at_table(events))
            self._remember(Accepted(row.command_id, row.number), command)
        due = table.awaits(self.setup, checkpoint.state)
        self._now = TableVersion(at, checkpoint.state, due, self._now.since_ms, checkpoint.began_ms)
        self.finished.extend(checkpoint.finished)
        self.last.extend(checkpoint.last)
        self.checkpointed = checkpoint.number

    def submit(
        self,
        actor: str,
        command_id: str,
        command: Command,
        deals: bool = False,
        meant: int | None = None,
    ) -> asyncio.Future[Answer]:
        """Queue a command; the answer comes when it is durable, or refused."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        try:
            self.queue.put_nowait(PendingCommand(actor, command_id, command, answer, deals, meant))
        except asyncio.QueueFull:
            answer.set_result(RefusedCommand(command_id, "busy", "The table is busy; try again."))
        return answer

    def is_ready(self, name: str) -> None:
        """Note that a player will bet no more in the open round, and tell everybody."""
        self.ready.add(self.state, name)
        self._wake()
        for listener in self.listeners:
            listener.tell(None)

    def listen(self, after: int | None) -> Listener:
        """A new listener, which gets everything after that row, or the whole table."""
        listener = Listener()
        missed = [] if after is None else self._missed(after)
        if after is None or missed is None:
            listener.tell(Snapshot(self.setup.name, self.head[0], view(self.state)))
        else:
            for happened in missed:
                listener.tell(happened)
        self.listeners[listener] = None
        return listener

    def _missed(self, number: int) -> list[Happened] | None:
        """The rows after that one; None if they are no longer kept or would not fit."""
        if number > self.head[0] or self.head[0] - number > OUTBOX_MAX // 2:
            return None
        rows = [happened for happened in self._kept if happened.number > number]
        return rows if len(rows) == self.head[0] - number else None

    @property
    def meters(self) -> dict[MeterName, MeterState]:
        """The meters now, which may be ahead of a table that shares them."""
        return self.state.meters if self._meters is None else self._meters.values

    def until_ms(self) -> int | None:
        """When the platform will act unless people act first; None if it will not."""
        return self._chain.until_ms(self._now, self._clock.now_ms())

    def choosing_until_ms(self) -> int | None:
        """When the time for the due choices is over; None if there is no limit."""
        limit_ms = self.timing.choice_ms
        return None if limit_ms is None else self._now.since_ms + limit_ms

    def wait_again(self) -> None:
        """Restart the time for what is due, after the table was held."""
        self._now = replace(self._now, since_ms=self._clock.now_ms())

    async def run(self) -> None:
        """Carry out commands in order, and the platform's own when they are due."""
        if self._meters is not None:
            await self._meters.doubt()  # another server may have had this table and moved them
        while True:
            wake_ms = await self._platform()
            if self._meters is not None:
                look_ms = self._clock.now_ms() + DISPLAY_MS
                wake_ms = look_ms if wake_ms is None else min(wake_ms, look_ms)
            wait_s = None if wake_ms is None else max(0, wake_ms - self._clock.now_ms()) / 1000
            request = await self.queue.get_within(wait_s)
            if request is not None:
                await self._handle(request)

    def _wake(self) -> None:
        """Make the platform check again."""
        with suppress(asyncio.QueueFull):  # a full queue wakes it anyway
            self.queue.put_nowait(None)

    async def _platform(self) -> int | None:
        """Give the platform's commands until people must act; return when to look again."""
        while True:
            now_ms = self._clock.now_ms()
            if self._meters is not None:
                await self._show_meters(self._meters, now_ms)
            self.platform.calculate(self._now)
            if self.platform.held:
                return now_ms + HOLD_MS
            next_ = self.platform.act(self._now, self.timing, now_ms)
            if next_.command is None:
                return next_.wake_ms
            answer = await self._carry_out(PLATFORM, own_id(self._now), next_.command)
            if isinstance(answer, RefusedCommand):
                if answer.code == FENCED:
                    raise CommitRefused(answer.code, answer.sentence)
                return now_ms + self.timing.pause_ms + 1

    async def _handle(self, request: PendingCommand) -> None:
        """Answer a request; if that fails, only the journal knows whether it was carried out."""
        answer: Answer | None = None
        if request.id in self._answers:
            answer, asked = self._answers[request.id]
            if not same(asked, request.command):
                answer = RefusedCommand(request.id, *ID_USED)
        try:
            if answer is None and request.meant not in (None, self.state.rounds):
                sentence = OTHER_ROUND.format(request.meant, self.state.rounds)
                answer = RefusedCommand(request.id, "other_round", sentence)
            elif answer is None:
                actor, deals = request.actor, request.deals
                answer = await self._carry_out(actor, request.id, request.command, deals)
                self._remember(answer, request.command)
        finally:
            if not request.answer.done():
                none = RefusedCommand(request.id, *NO_ANSWER)
                request.answer.set_result(none if answer is None else answer)

    def _remember(self, answer: Answer, command: messages.JournalCommand) -> None:
        if isinstance(answer, RefusedCommand) and answer.code in PASSING:
            return
        self._answers[answer.id] = (answer, command)
        while len(self._answers) > IDS_MAX:
            self._answers.popitem(last=False)

    async def _carry_out(
        self, actor: str, command_id: str, command: Command, deals: bool = False
    ) -> Answer:
        """Carry out a command, decided again if the office or the meters have changed meanwhile."""
        asked = (actor, command_id, command, deals)
        answer = await self._decide(*asked)
        for _ in range(AGAIN_MAX):
            if not isinstance(answer, RefusedCommand) or answer.code not in RESTRICTED:
                break
            if not await self._follow() and answer.code not in (STALE, MOVED):
                break
            answer = await self._decide(*asked)
        return answer

    async def _decide(
        self, actor: str, command_id: str, command: Command, deals: bool, alone: bool = False
    ) -> Answer:
        """Decide, commit, and only then move on and tell the listeners.

        A command decided `alone` is not written together with the commands that are next in turn.
        """
        asked, now_ms, before = (actor, command_id, command, deals), self._clock.now_ms(), self._now
        try:
            rows, claim = self._permitted(before, now_ms, *asked)
        except Refusal as error:
            if isinstance(error, Unbalanced):
                fields = {"table": self.setup.name, "reason": error.sentence}
                LOG.error("money would be lost", extra=fields)
            return RefusedCommand(command_id, error.code, error.sentence)
        *first, own = rows
        if self._meters is not None and own.after.state.meters != self.state.meters:
            # Stopping this table must not stop the meters in the middle of a commit.
            moving = asyncio.ensure_future(self._move_meters(self._meters, rows, claim, *asked))
            return await asyncio.shield(moving)
        self._together.go_on(rows, now_ms)
        joined: list[PendingCommand] = []
        if not alone and claim is None:
            joined = self._together.join(before, rows, now_ms, self.queue, self._answers)
        entry = replace(
            own.entry, claim=claim, first=_entries(first), then=_entries(rows[len(first) + 1 :])
        )
        try:
            answer = await self._write(entry, command, rows)
        finally:
            if self.head != rows[-1].after.head:
                self.queue.put_back(joined)
        if self.head != rows[-1].after.head:  # perhaps because of a command written with it
            return await self._decide(*asked, alone=True) if joined else answer
        self._accept(joined, rows)
        return answer

    def _permitted(
        self, at: TableVersion, now_ms: int, actor: str, id_: str, command: Command, deals: bool
    ) -> tuple[list[PendingRow], Claim | None]:
        """The rows of a command that its sender may give now, and what the last one claims."""
        away = self._meters is not None and not self._meters.reachable
        if away and isinstance(command, Bet) and WAGER[command.wager].side_bet:
            raise Illegal(*METER_AWAY)
        rows = self._chain.rows(at, now_ms, actor, id_, command, deals)
        return rows, self._permit(actor, command, rows[-1].entry.transfers)

    def _accept(self, joined: Iterable[PendingCommand], rows: Iterable[PendingRow]) -> None:
        """Answer the commands that were written together with another one."""
        numbers = {row.entry.row.command_id: row.entry.row.number for row in rows}
        for request in joined:
            answer = Accepted(request.id, numbers[request.id])
            self._remember(answer, request.command)
            if not request.answer.done():
                request.answer.set_result(answer)

    async def _write(
        self, entry: Entry, command: messages.JournalCommand, rows: Iterable[PendingRow]
    ) -> Answer:
        """Commit an entry, then move on to the versions after its rows and tell the listeners."""
        id_ = entry.row.command_id
        try:
            await self._commit(entry)
        except Repeated as error:
            return repeated(id_, command, error.number, error.command)
        except CommitRefused as error:
            return RefusedCommand(id_, error.code, error.sentence)
        for row in rows:
            happened = self._go_on(row.entry.row, row.after, row.events)
            for listener in self.listeners:
                listener.tell(happened)
        return Accepted(id_, entry.row.number)

    async def _move_meters(
        self,
        meters: Meters,
        rows: list[PendingRow],
        claim: Claim | None,
        actor: str,
        command_id: str,
        command: Command,
        deals: bool,
    ) -> Answer:
        """Carry out a command that moves shared meters, from their current reading."""
        async with meters.turn:
            if not meters.reachable:
                return RefusedCommand(command_id, *METER_AWAY)
            await meters.catch_up()
            try:
                for shown in self._showing(meters):  # another table has moved them: decide again
                    now_ms = self._clock.now_ms()
                    asked = actor, command_id, command, deals
                    rows = [shown, *self._chain.rows(shown.after, now_ms, *asked)]
            except Refusal as error:
                return RefusedCommand(command_id, error.code, error.sentence)
            *first, own = rows
            moved = meters.entry(self.setup.name, own.after.head[0], own.after.state.meters)
            entry = replace(own.entry, claim=claim, first=(*_entries(first), moved))
            meters.stale = True
            answer = await self._write(entry, command, rows)
            if self.head == own.after.head:
                meters.go_on(moved)
                meters.stale = False
            return answer

    def _showing(self, meters: Meters) -> Iterator[PendingRow]:
        """The row that updates this table's display of the shared meters, if it is out of date."""
        if meters.values != self.state.meters:
            now_ms, id_ = self._clock.now_ms(), f"meters-{self.head[0] + 1}"
            command = messages.ShowMeters(meters.head[0], meters.values)
            yield self._chain.row(self._now, now_ms, PLATFORM, id_, command)

    async def _show_meters(self, meters: Meters, now_ms: int) -> None:
        """Update the display of shared meters that other tables moved, if anybody is here."""
        if meters.turn.locked() or now_ms - self._shown_ms < DISPLAY_MS:
            return
        if self.listeners or self.state.guests:
            async with meters.turn:
                await meters.catch_up()
            self._shown_ms = now_ms
            for row in self._showing(meters):
                command = messages.ShowMeters(meters.head[0], meters.values)
                answer = await self._write(row.entry, command, [row])
                if isinstance(answer, RefusedCommand) and answer.code == FENCED:
                    raise CommitRefused(answer.code, answer.sentence)

    def _go_on(self, row: Row, after: TableVersion, events: tuple[Event, ...]) -> Happened:
        """Move the table to its state after a row that is in the journal."""
        remember(self.state, after.state, self.finished, self.last)
        self.incidents.extend(incidents_of(row, self.state, events))
        before, guests = self.state.guests, after.state.guests
        self._now = after
        if before.keys() != guests.keys():
            self.guests_changed(before, guests)
        return self._keep(row, events)

    def _keep(self, row: Row, events: tuple[Event, ...]) -> Happened:
        """The public part of a row, kept for listeners who missed it."""
        happened = Happened(row.table_name, row.number, row.at_ms, view_events(events))
        self._kept.append(happened)
        return happened


def _entries(rows: Iterable[PendingRow]) -> tuple[Entry, ...]:
    return tuple(row.entry for row in rows)
