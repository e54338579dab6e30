"""One task per table, the only writer of its journal; it writes first, then tells listeners."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import msgspec
from msgspec.structs import replace

from wartable import table
from wartable.croupier import Act, Timing, act, first_due
from wartable.game import Bet, Illegal
from wartable.game.messages import MeterName
from wartable.game.wagers import WAGER
from wartable.ledger import Transfer, Unbalanced
from wartable.refusal import Refusal
from wartable.server.clock import Clock
from wartable.server.logs import LOG
from wartable.server.records import database, journal, messages
from wartable.server.records.answers import (
    ID_USED,
    Accepted,
    Answer,
    RefusedCommand,
    repeated,
    same,
)
from wartable.server.records.checkpoints import IDS_MAX, Checkpoint
from wartable.server.records.decisions import Decision
from wartable.server.records.journal import Commit, Entry, Row, Statement
from wartable.server.records.keys import HouseKey
from wartable.server.records.results import LAST_MAX, SHOES_MAX, LastRound, remember
from wartable.server.records.store import CommitRefused, Repeated
from wartable.server.tables.listeners import OUTBOX_MAX, Happened, Listener, Snapshot
from wartable.server.tables.meters import Meters
from wartable.server.tables.versions import PendingRow, TableChain, TableVersion
from wartable.shoe import Shoe
from wartable.table import PLATFORM, Due, Setup, Table, view, view_events
from wartable.table.commands import ChangeDealer, Command
from wartable.table.events import Event
from wartable.table.state import MeterState

QUEUE_MAX = 1_024
STEPS_MAX = 16
"""How many rows of a table commit together: a command, and what the platform does at once."""
KEPT_MAX = 128
HOLD_MS = 1_000
"""How often to check whether somebody new can be offered the bank."""

DISPLAY_MS = 10_000
"""How old the display of shared meters may be while anybody sees it."""

METER_AWAY = ("meter_away", "The meter is not available; side bets cannot be played now.")
FENCED = "fenced"
PASSING = ("busy", FENCED, METER_AWAY[0])
"""Refusals unrelated to the command itself; the client may try the same id again."""

NO_ANSWER = ("no_answer", "There is no answer yet; send the same id again.")


class PendingCommand(msgspec.Struct):
    """A command that waits for its turn at the table."""

    actor: str
    id: str
    command: Command
    answer: asyncio.Future[Answer]
    deals: bool = False
    """Whether the actor is a dealer, whose first command is a change of dealer."""


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
        permit: Callable[[str, Command, tuple[Transfer, ...]], None] = lambda *_: None,
        attended: Callable[[Table], bool] = lambda _: True,
        meters: Meters | None = None,
    ) -> None:
        self.setup = setup
        self.timing = timing
        self._chain = TableChain(setup, timing, key, fence)
        self._now = self._chain.start(clock.now_ms())
        self.listeners: dict[Listener, None] = {}
        """In order of arrival, so that messages go out in the same order every time."""
        self.queue: asyncio.Queue[PendingCommand] = asyncio.Queue(QUEUE_MAX)
        self._commit, self._clock, self._new_seed = commit, clock, new_seed
        self._permit, self._attended, self._meters = permit, attended, meters
        self._shown_ms = 0
        self._answers: OrderedDict[str, tuple[Answer, messages.Command]] = OrderedDict()
        self._kept: deque[Happened] = deque(maxlen=KEPT_MAX)
        self.finished: deque[Shoe] = deque(maxlen=SHOES_MAX)
        self.last: deque[LastRound] = deque(maxlen=LAST_MAX)
        self.checkpointed = 0
        """The row of the last checkpoint."""

    @property
    def state(self) -> Table:
        """The table after its last row."""
        return self._now.state

    @property
    def head(self) -> tuple[int, str]:
        """The number and the hash of its last row."""
        return self._now.head

    @property
    def due(self) -> tuple[Due, ...]:
        """What the table awaits."""
        return self._now.due

    async def open(self, book: str, new: tuple[Statement, ...]) -> None:
        """Write the first row of a new table, together with the statements that make it."""
        id_ = f"open {self._chain.fence}"
        decided = self._chain.decide(self._now, messages.opening(book, self.setup))
        step = self._chain.pending(self._now, self._clock.now_ms(), PLATFORM, id_, *decided)
        first = self._commit(replace(step.entry, statements=new))
        await database.opened(self.setup.name, first)
        self._go_on(step.entry.row, step.after, ())

    def checkpoint(self) -> Checkpoint:
        """A checkpoint of the table after its last row."""
        now, past = self._now, (tuple(self.finished), tuple(self.last))
        return Checkpoint(*now.head, now.began_ms, now.state, *past)

    def restore(
        self,
        rows: Iterable[Row],
        head: tuple[int, str] | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        """Fold the journal of an earlier run; `Broken` if it is inconsistent.

        With a head the journal must be whole, because a new row would hide that the last ones are
        missing. With a checkpoint the rows up to it are not folded; they only give the used ids.
        """
        rows = iter(rows)
        if checkpoint is not None:
            self._go_back_to(checkpoint, rows)
        for row in journal.check_chain(rows, head, self.head):
            command, events = journal.read_row(row, self._chain.key)
            own = messages.at_table(events)
            self._go_on(row, self._chain.after(self._now, row, table.fold(own, self.state)), own)
            self._remember(Accepted(row.command_id, row.number), command)
        self._now = replace(self._now, since_ms=self._clock.now_ms())

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
        self, actor: str, command_id: str, command: Command, deals: bool = False
    ) -> asyncio.Future[Answer]:
        """Queue a command; the answer comes when it is durable, or refused."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        try:
            self.queue.put_nowait(PendingCommand(actor, command_id, command, answer, deals))
        except asyncio.QueueFull:
            answer.set_result(RefusedCommand(command_id, "busy", "The table is busy; try again."))
        return answer

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
        """When the time for the choices that are due is over; None if nobody is hurried."""
        limit_ms = self.timing.choice_ms
        return None if limit_ms is None else self._now.since_ms + limit_ms

    async def run(self) -> None:
        """Carry out commands in order, and the platform's own when they are due."""
        while True:
            wake_ms = await self._platform()
            if self._meters is not None:
                look_ms = self._clock.now_ms() + DISPLAY_MS
                wake_ms = look_ms if wake_ms is None else min(wake_ms, look_ms)
            if self.queue.empty() and wake_ms is not None:
                wait_s = max(0, wake_ms - self._clock.now_ms()) / 1000
                try:
                    # Not wait_for: it can swallow a cancellation, and nothing could stop this task.
                    async with asyncio.timeout(wait_s):
                        request = await self.queue.get()
                except TimeoutError:
                    continue
            else:
                request = await self.queue.get()
            await self._handle(request)

    async def _platform(self) -> int | None:
        """Give the platform's commands until people must act; return when to look again."""
        while True:
            now_ms = self._clock.now_ms()
            if self._meters is not None:
                await self._show_meters(self._meters, now_ms)
            next_ = self._act(self._now, now_ms)
            if next_.command is None:
                return next_.wake_ms
            answer = await self._carry_out(PLATFORM, _own_id(self._now), next_.command)
            if isinstance(answer, RefusedCommand):
                if answer.code == FENCED:
                    raise CommitRefused(answer.code, answer.sentence)
                return now_ms + self.timing.pause_ms + 1

    def _act(self, at: TableVersion, now_ms: int) -> Act:
        """The platform's next command in this position."""
        due = first_due(self.setup, at.due)
        if due.what == "taker" and not self._attended(at.state):
            return Act(wake_ms=now_ms + HOLD_MS)
        # Only when needed: the system's randomness costs more than a whole command.
        seed = self._new_seed() if due.what == "shuffle" else ""
        return act(self.setup, at.state, due, self.timing, at.since_ms, now_ms, seed)

    async def _handle(self, request: PendingCommand) -> None:
        """Answer a request; if that fails, only the journal knows whether it was carried out."""
        answer: Answer | None = None
        if request.id in self._answers:
            answer, asked = self._answers[request.id]
            if not same(asked, request.command):
                answer = RefusedCommand(request.id, *ID_USED)
        try:
            if answer is None and request.deals and request.actor != self.state.dealer:
                answer = await self._take_over(request)
            if answer is None:
                answer = await self._carry_out(request.actor, request.id, request.command)
                self._remember(answer, request.command)
        finally:
            if not request.answer.done():
                none = RefusedCommand(request.id, *NO_ANSWER)
                request.answer.set_result(none if answer is None else answer)

    async def _take_over(self, request: PendingCommand) -> RefusedCommand | None:
        """Make the sender the dealer of record first; a refusal if command or change is refused."""
        change = ChangeDealer(request.actor)
        try:
            after, _ = self._chain.decide(self._now, change)
            self._chain.decide(replace(self._now, state=after), request.command)
        except Refusal as error:
            return RefusedCommand(request.id, error.code, error.sentence)
        answer = await self._carry_out(request.actor, f"dealer-{self.head[0] + 1}", change)
        return replace(answer, id=request.id) if isinstance(answer, RefusedCommand) else None

    def _remember(self, answer: Answer, command: messages.Command) -> None:
        if isinstance(answer, RefusedCommand) and answer.code in PASSING:
            return
        self._answers[answer.id] = (answer, command)
        while len(self._answers) > IDS_MAX:
            self._answers.popitem(last=False)

    async def _carry_out(self, actor: str, command_id: str, command: Command) -> Answer:
        """Decide, commit, and only then move on and tell the listeners."""
        try:
            self._check_reach(command)
            state, decision = self._chain.decide(self._now, command)
            self._permit(actor, command, decision.transfers)
        except Refusal as error:
            if isinstance(error, Unbalanced):
                fields = {"table": self.setup.name, "reason": error.sentence}
                LOG.error("money would be lost", extra=fields)
            return RefusedCommand(command_id, error.code, error.sentence)
        if self._meters is not None and state.meters != self.state.meters:
            # Stopping this table must not stop the meters in the middle of a commit.
            moving = asyncio.ensure_future(
                self._move_meters(self._meters, actor, command_id, state, decision)
            )
            return await asyncio.shield(moving)
        now_ms = self._clock.now_ms()
        steps = [self._chain.pending(self._now, now_ms, actor, command_id, state, decision)]
        while len(steps) < STEPS_MAX and (then := self._then(steps[-1].after, now_ms)) is not None:
            steps.append(then)
        entry, *then_entries = (step.entry for step in steps)
        if then_entries:
            entry = replace(entry, then=tuple(then_entries))
        return await self._write(entry, command, steps)

    def _then(self, at: TableVersion, now_ms: int) -> PendingRow | None:
        """What the platform does at once in this position; None if it waits."""
        command = self._act(at, now_ms).command
        if command is None:
            return None
        try:
            state, decision = self._chain.decide(at, command)
            self._permit(PLATFORM, command, decision.transfers)
        except Refusal:
            return None
        if self._meters is not None and state.meters != at.state.meters:
            return None
        return self._chain.pending(at, now_ms, PLATFORM, _own_id(at), state, decision)

    def _check_reach(self, command: Command) -> None:
        """Refuse a side bet whose meter cannot be read."""
        if self._meters is None or self._meters.reachable or not isinstance(command, Bet):
            return
        if WAGER[command.wager].side_bet:
            raise Illegal(*METER_AWAY)

    async def _write(
        self, entry: Entry, command: messages.Command, steps: Iterable[PendingRow]
    ) -> Answer:
        """Commit an entry, then take its steps and tell the listeners."""
        id_ = entry.row.command_id
        try:
            await self._commit(entry)
        except Repeated as error:
            return repeated(id_, command, error.number, error.command)
        except CommitRefused as error:
            return RefusedCommand(id_, error.code, error.sentence)
        for step in steps:
            happened = self._go_on(step.entry.row, step.after, step.events)
            for listener in self.listeners:
                listener.tell(happened)
        return Accepted(id_, entry.row.number)

    async def _move_meters(
        self, meters: Meters, actor: str, command_id: str, state: Table, decision: Decision
    ) -> Answer:
        """Carry out a command that moves shared meters, from their current reading."""
        async with meters.turn:
            if not meters.reachable:
                return RefusedCommand(command_id, *METER_AWAY)
            await meters.catch_up()
            try:
                at, steps = self._now, [*self._showing(meters)]
                if steps:  # another table has moved them: decide again
                    at = steps[0].after
                    state, decision = self._chain.decide(at, decision.command)
            except Refusal as error:
                return RefusedCommand(command_id, error.code, error.sentence)
            now_ms = self._clock.now_ms()
            last = self._chain.pending(at, now_ms, actor, command_id, state, decision)
            moved = meters.entry(self.setup.name, last.after.head[0], state.meters)
            entry = replace(last.entry, first=(*(step.entry for step in steps), moved))
            meters.stale = True
            answer = await self._write(entry, decision.command, [*steps, last])
            if self.head == last.after.head:
                meters.go_on(moved)
                meters.stale = False
            return answer

    def _showing(self, meters: Meters) -> Iterator[PendingRow]:
        """The step that updates this table's display of the shared meters, if it is out of date."""
        if meters.values != self.state.meters:
            now_ms, id_ = self._clock.now_ms(), f"meters-{self.head[0] + 1}"
            command = messages.ShowMeters(meters.head[0], meters.values)
            decided = self._chain.decide(self._now, command)
            yield self._chain.pending(self._now, now_ms, PLATFORM, id_, *decided)

    async def _show_meters(self, meters: Meters, now_ms: int) -> None:
        """Update the display of shared meters that other tables moved, if anybody is here."""
        if meters.turn.locked() or now_ms - self._shown_ms < DISPLAY_MS:
            return
        if self.listeners or self.state.guests:
            async with meters.turn:
                await meters.catch_up()
            self._shown_ms = now_ms
            for step in self._showing(meters):
                command = messages.ShowMeters(meters.head[0], meters.values)
                answer = await self._write(step.entry, command, [step])
                if isinstance(answer, RefusedCommand) and answer.code == FENCED:
                    raise CommitRefused(answer.code, answer.sentence)

    def _go_on(self, row: Row, after: TableVersion, events: tuple[Event, ...]) -> Happened:
        """Move the table to its state after a row that is in the journal."""
        remember(self.state, after.state, self.finished, self.last)
        self._now = after
        return self._keep(row, events)

    def _keep(self, row: Row, events: tuple[Event, ...]) -> Happened:
        """The public part of a row, kept for listeners who missed it."""
        happened = Happened(row.table_name, row.number, row.at_ms, view_events(events))
        self._kept.append(happened)
        return happened


def _own_id(at: TableVersion) -> str:
    """The id of the platform's command in this position."""
    return f"platform-{at.head[0] + 1}"
