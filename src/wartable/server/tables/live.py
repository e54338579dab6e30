"""One task per table: the only writer of that table's journal; write, then tell."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import msgspec
from msgspec.structs import replace

from wartable import table
from wartable.croupier import Act, Timing, act, ends_ms
from wartable.game import Bet, Illegal
from wartable.game.messages import MeterName
from wartable.game.wagers import WAGER
from wartable.ledger import Transfer
from wartable.server.clock import Clock
from wartable.server.records import database, journal, messages
from wartable.server.records.checkpoints import IDS_MAX, Checkpoint
from wartable.server.records.journal import GENESIS, Entry, Row, Statement
from wartable.server.records.results import (
    LAST_MAX,
    SHOES_MAX,
    LastRound,
    remember,
    results_of,
    wagered,
)
from wartable.server.records.store import CommitRefused, Repeated
from wartable.server.tables.listeners import OUTBOX_MAX, Happened, Listener, Snapshot
from wartable.server.tables.meters import Meters
from wartable.shoe import Shoe
from wartable.table import PLATFORM, Due, Setup, Table, view, view_events
from wartable.table.commands import Command, ShuffleCards
from wartable.table.events import Event
from wartable.table.state import MeterState

QUEUE_MAX = 1_024
STEPS_MAX = 16
"""How many rows of a table are written together: a command, and what the platform does at once."""
KEPT_MAX = 128
HOLD_MS = 1_000
"""How often it is looked whether somebody came whom the bank can be offered to again."""

DISPLAY_MS = 10_000
"""How old the display of shared meters may be where anybody sees it."""

METER_AWAY = ("meter_away", "The meter is out of reach; side bets cannot be played now.")
FENCED = "fenced"
PASSING = ("busy", FENCED, METER_AWAY[0])
"""Refusals that say nothing about the command: the same id may be tried again."""

ID_USED = ("id_used", "This id was used for another command.")
NO_ANSWER = ("no_answer", "There is no answer yet; send the same id again.")


class Accepted(msgspec.Struct, frozen=True, gc=False, tag="accepted"):
    """The command was carried out as this row of the table's journal."""

    id: str
    number: int


class Refusal(msgspec.Struct, frozen=True, gc=False, tag="refused"):
    """The command was not carried out, why, and when that was said."""

    id: str
    code: str
    sentence: str
    at_ms: int = 0


Answer = Accepted | Refusal


class TableVersion(msgspec.Struct, frozen=True, gc=False):
    """How a table stands after a row: what it awaits since when, and when the round began."""

    head: tuple[int, str]
    state: Table
    due: tuple[Due, ...]
    since_ms: int
    began_ms: int


class PendingRow(msgspec.Struct, frozen=True, gc=False):
    """A row to be written, its events, and how the table stands after it."""

    entry: Entry
    events: tuple[messages.Event, ...]
    after: TableVersion


class PendingCommand(msgspec.Struct):
    """A command that waits for its turn at the table."""

    actor: str
    id: str
    command: Command
    answer: asyncio.Future[Answer]


class LiveTable:
    """A table that is played: its state, its place in the journal, and who listens."""

    def __init__(
        self,
        setup: Setup,
        timing: Timing,
        *,
        commit: Callable[[Entry], Awaitable[None]],
        clock: Clock,
        new_seed: Callable[[], str],
        key: bytes,
        fence: int,
        permit: Callable[[str, Command, tuple[Transfer, ...]], None] = lambda *_: None,
        attended: Callable[[Table], bool] = lambda _: True,
        meters: Meters | None = None,
    ) -> None:
        self.setup = setup
        self.timing = timing
        start = table.start(setup)
        self._now = TableVersion((0, GENESIS), start, table.awaits(setup, start), clock.now_ms(), 0)
        self.listeners: dict[Listener, None] = {}
        """In the order they came, so that all are told in the same order every time."""
        self.queue: asyncio.Queue[PendingCommand] = asyncio.Queue(QUEUE_MAX)
        self._commit, self._clock, self._new_seed = commit, clock, new_seed
        self._key, self._fence, self._permit = key, fence, permit
        self._attended, self._meters = attended, meters
        self._shown_ms = 0
        self._answers: OrderedDict[str, tuple[Answer, messages.Command]] = OrderedDict()
        self._kept: deque[Happened] = deque(maxlen=KEPT_MAX)
        self.finished: deque[Shoe] = deque(maxlen=SHOES_MAX)
        self.last: deque[LastRound] = deque(maxlen=LAST_MAX)
        self.checkpointed = 0
        """The row of the last checkpoint."""

    @property
    def state(self) -> Table:
        """The table as its last row has it."""
        return self._now.state

    @property
    def head(self) -> tuple[int, str]:
        """The number and the hash of its last row."""
        return self._now.head

    @property
    def due(self) -> tuple[Due, ...]:
        """What it awaits."""
        return self._now.due

    async def open(self, book: str, new: tuple[Statement, ...]) -> None:
        """Write the first row of a new table, beside what makes it."""
        command, id_ = messages.opening(book, self.setup), f"open {self._fence}"
        now_ms, decided = self._clock.now_ms(), self._decided(self.state, command)
        step = self._step(self._now, now_ms, PLATFORM, id_, command, *decided)
        first = self._commit(replace(step.entry, statements=new))
        await database.opened(self.setup.name, first)
        self._go_on(step.entry.row, step.after, ())

    def checkpoint(self) -> Checkpoint:
        """The table as its last row has it, to be restored from that row on."""
        now, past = self._now, (tuple(self.finished), tuple(self.last))
        return Checkpoint(*now.head, now.began_ms, now.state, *past)

    def restore(
        self,
        rows: Iterable[Row],
        head: tuple[int, str] | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        """Fold the journal of an earlier run; `Broken` if it does not hold together.

        With a head it must be whole: a new row would hide that the last ones are missing. With a
        checkpoint the rows up to its own are not folded, but tell which ids were carried out.
        """
        rows = iter(rows)
        if checkpoint is not None:
            self._go_back_to(checkpoint, rows)
        for row in journal.check_chain(rows, head, self.head):
            command, events = journal.read_row(row, self._key)
            told = messages.at_table(events)
            self._go_on(row, self._after(self._now, row, table.fold(told, self.state)), told)
            self._remember(Accepted(row.command_id, row.number), command)
        self._now = replace(self._now, since_ms=self._clock.now_ms())

    def _go_back_to(self, checkpoint: Checkpoint, rows: Iterator[Row]) -> None:
        """Stand as the checkpoint says, which the rows lead to."""
        first, at = next(rows), (checkpoint.number, checkpoint.hash)
        elder = islice(rows, checkpoint.number - first.number)
        after = (first.number, first.hash)
        for row in (first, *journal.check_chain(elder, at, after)):
            command, events = journal.read_row(row, self._key)
            self._keep(row, messages.at_table(events))
            self._remember(Accepted(row.command_id, row.number), command)
        due = table.awaits(self.setup, checkpoint.state)
        self._now = TableVersion(at, checkpoint.state, due, self._now.since_ms, checkpoint.began_ms)
        self.finished.extend(checkpoint.finished)
        self.last.extend(checkpoint.last)
        self.checkpointed = checkpoint.number

    def submit(self, actor: str, command_id: str, command: Command) -> asyncio.Future[Answer]:
        """Queue a command; the answer comes when it is durable, or refused."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        try:
            self.queue.put_nowait(PendingCommand(actor, command_id, command, answer))
        except asyncio.QueueFull:
            answer.set_result(Refusal(command_id, "busy", "The table is busy; try again."))
        return answer

    def listen(self, after: int | None) -> Listener:
        """A new listener, told all that happened after that row, or the whole table."""
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
        """The rows after that one, None if they are not kept or would not fit."""
        if number > self.head[0] or self.head[0] - number > OUTBOX_MAX // 2:
            return None
        rows = [happened for happened in self._kept if happened.number > number]
        return rows if len(rows) == self.head[0] - number else None

    @property
    def meters(self) -> dict[MeterName, MeterState]:
        """The meters as they are now, which a table that shares them may not show yet."""
        return self.state.meters if self._meters is None else self._meters.values

    def until_ms(self) -> int | None:
        """When the platform will act for people, unless they do before; None if it will not."""
        return self._until(self._now, self._clock.now_ms())

    def _until(self, at: TableVersion, now_ms: int) -> int | None:
        return ends_ms(self.setup, at.state, at.due[0], self.timing, at.since_ms, now_ms)

    async def run(self) -> None:
        """Carry out commands in their order, and the platform's own when they are due."""
        while True:
            wake_ms = await self._platform()
            if self._meters is not None:
                look_ms = self._clock.now_ms() + DISPLAY_MS
                wake_ms = look_ms if wake_ms is None else min(wake_ms, look_ms)
            if self.queue.empty() and wake_ms is not None:
                wait_s = max(0, wake_ms - self._clock.now_ms()) / 1000
                try:
                    # Not wait_for: it can swallow a cancellation, and then nobody could stop us.
                    async with asyncio.timeout(wait_s):
                        request = await self.queue.get()
                except TimeoutError:
                    continue
            else:
                request = await self.queue.get()
            await self._handle(request)

    async def _platform(self) -> int | None:
        """Give the platform's commands until people are due; then when to look again."""
        while True:
            now_ms = self._clock.now_ms()
            if self._meters is not None:
                await self._show_meters(self._meters, now_ms)
            next_ = self._act(self._now, now_ms)
            if next_.command is None:
                return next_.wake_ms
            answer = await self._carry_out(PLATFORM, _own_id(self._now), next_.command)
            if isinstance(answer, Refusal):
                if answer.code == FENCED:
                    raise CommitRefused(answer.code, answer.sentence)
                return now_ms + self.timing.pause_ms + 1

    def _act(self, at: TableVersion, now_ms: int) -> Act:
        """What the platform does when the table stands so."""
        due = at.due[0]
        if due.what == "taker" and not self._attended(at.state):
            return Act(wake_ms=now_ms + HOLD_MS)
        # Only when it is needed: the system's randomness costs more than a whole command.
        seed = self._new_seed() if due.what == "shuffle" else ""
        return act(self.setup, at.state, due, self.timing, at.since_ms, now_ms, seed)

    async def _handle(self, request: PendingCommand) -> None:
        """Answer a request; where that fails, only the journal knows whether it happened."""
        answer: Answer | None = None
        if request.id in self._answers:
            answer, asked = self._answers[request.id]
            if not same(asked, request.command):
                answer = Refusal(request.id, *ID_USED)
        try:
            if answer is None:
                answer = await self._carry_out(request.actor, request.id, request.command)
                self._remember(answer, request.command)
        finally:
            if not request.answer.done():
                none = Refusal(request.id, *NO_ANSWER)
                request.answer.set_result(none if answer is None else answer)

    def _remember(self, answer: Answer, command: messages.Command) -> None:
        if isinstance(answer, Refusal) and answer.code in PASSING:
            return
        self._answers[answer.id] = (answer, command)
        while len(self._answers) > IDS_MAX:
            self._answers.popitem(last=False)

    async def _carry_out(self, actor: str, command_id: str, command: Command) -> Answer:
        """Decide, commit, and only then fold and tell."""
        try:
            self._check_reach(command)
            events, state, transfers = self._decided(self.state, command)
            self._permit(actor, command, transfers)
        except Illegal as error:
            return Refusal(command_id, error.code, error.sentence)
        if self._meters is not None and state.meters != self.state.meters:
            # Whoever stops this table must not stop the meters in the middle of a commit.
            moving = asyncio.ensure_future(
                self._move_meters(self._meters, actor, command_id, command)
            )
            return await asyncio.shield(moving)
        now_ms = self._clock.now_ms()
        decided = events, state, transfers
        steps = [self._step(self._now, now_ms, actor, command_id, command, *decided)]
        while len(steps) < STEPS_MAX and (then := self._then(steps[-1].after, now_ms)) is not None:
            steps.append(then)
        entry, *then_entries = (step.entry for step in steps)
        if then_entries:
            entry = replace(entry, then=tuple(then_entries))
        return await self._write(entry, command, steps)

    def _then(self, at: TableVersion, now_ms: int) -> PendingRow | None:
        """What the platform does at once when the table stands so, None if it waits."""
        command = self._act(at, now_ms).command
        if command is None:
            return None
        try:
            events, state, transfers = self._decided(at.state, command)
            self._permit(PLATFORM, command, transfers)
        except Illegal:
            return None
        if self._meters is not None and state.meters != at.state.meters:
            return None
        return self._step(at, now_ms, PLATFORM, _own_id(at), command, events, state, transfers)

    def _check_reach(self, command: Command) -> None:
        """Refuse a side bet whose meter cannot be read."""
        if self._meters is None or self._meters.reachable or not isinstance(command, Bet):
            return
        if WAGER[command.wager].side_bet:
            raise Illegal(*METER_AWAY)

    def _decided(
        self, state: Table, command: messages.Command
    ) -> tuple[tuple[messages.Event, ...], Table, tuple[Transfer, ...]]:
        """The command's events, the table after them, and the transfers."""
        events = messages.decide(self.setup, state, command)
        name, meters = self.setup.name, self.setup.meters
        after, transfers = messages.moved_by(name, state, events, meters)
        assert after is not None
        return events, after, transfers

    def _step(
        self,
        at: TableVersion,
        now_ms: int,
        actor: str,
        command_id: str,
        command: messages.Command,
        events: tuple[messages.Event, ...],
        state: Table,
        transfers: tuple[Transfer, ...],
    ) -> PendingRow:
        """The row of a command that was decided where the table stands so."""
        name = self.setup.name
        row = journal.new_row(at.head, name, now_ms, actor, command_id, command, events, self._key)
        results = self._results(at, now_ms, state)
        entry = Entry(row, transfers, self._fence, results=results)
        return PendingRow(entry, events, self._after(at, row, state))

    async def _write(
        self, entry: Entry, command: messages.Command, steps: Iterable[PendingRow]
    ) -> Answer:
        """Commit an entry, then go on by its steps and tell them."""
        id_ = entry.row.command_id
        try:
            await self._commit(entry)
        except Repeated as error:
            return repeated(id_, command, error.number, error.command)
        except CommitRefused as error:
            return Refusal(id_, error.code, error.sentence)
        for step in steps:
            happened = self._go_on(step.entry.row, step.after, messages.at_table(step.events))
            for listener in self.listeners:
                listener.tell(happened)
        return Accepted(id_, entry.row.number)

    async def _move_meters(
        self, meters: Meters, actor: str, command_id: str, command: Command
    ) -> Answer:
        """Carry out what moves shared meters: from their reading now, and with their own row."""
        async with meters.turn:
            if not meters.reachable:
                return Refusal(command_id, *METER_AWAY)
            await meters.catch_up()
            try:
                steps = [*self._showing(meters)]
                at = steps[0].after if steps else self._now
                events, state, transfers = self._decided(at.state, command)
            except Illegal as error:
                return Refusal(command_id, error.code, error.sentence)
            decided = events, state, transfers
            last = self._step(at, self._clock.now_ms(), actor, command_id, command, *decided)
            moved = meters.entry(self.setup.name, last.after.head[0], state.meters)
            entry = replace(last.entry, first=(*(step.entry for step in steps), moved))
            meters.stale = True
            answer = await self._write(entry, command, [*steps, last])
            if self.head == last.after.head:
                meters.go_on(moved)
                meters.stale = False
            return answer

    def _showing(self, meters: Meters) -> Iterator[PendingRow]:
        """The step that makes this table show the shared meters, if it does not."""
        if meters.values != self.state.meters:
            command = messages.ShowMeters(meters.head[0], meters.values)
            id_ = f"meters-{self.head[0] + 1}"
            decided = self._decided(self.state, command)
            yield self._step(self._now, self._clock.now_ms(), PLATFORM, id_, command, *decided)

    async def _show_meters(self, meters: Meters, now_ms: int) -> None:
        """Let the display follow shared meters that other tables moved, if anybody is here."""
        if meters.turn.locked() or now_ms - self._shown_ms < DISPLAY_MS:
            return
        if self.listeners or self.state.guests:
            async with meters.turn:
                await meters.catch_up()
            self._shown_ms = now_ms
            for step in self._showing(meters):
                command = messages.ShowMeters(meters.head[0], meters.values)
                answer = await self._write(step.entry, command, [step])
                if isinstance(answer, Refusal) and answer.code == FENCED:
                    raise CommitRefused(answer.code, answer.sentence)

    def _results(self, at: TableVersion, now_ms: int, state: Table) -> tuple[tuple[Any, ...], ...]:
        """What the round came to for its players, if this is the row that closes it."""
        if not at.state.in_round or state.in_round or state.round is None:
            return ()
        where = (self.setup.name, self.setup.rules.name, state.rounds)
        found = results_of(*where, at.began_ms, now_ms, state.round)
        return tuple(msgspec.structs.astuple(each) for each in found)

    def _after(self, at: TableVersion, row: Row, state: Table) -> TableVersion:
        """How the table stands after a row that leads from there to this state."""
        due = table.awaits(self.setup, state)
        first = wagered(state) and not wagered(at.state)
        # Or a first wager that comes late would leave no time for any other.
        anew = due != at.due or (first and self._until(at, row.at_ms) is None)
        since_ms = row.at_ms if anew else at.since_ms
        began_ms = row.at_ms if first else at.began_ms
        return TableVersion((row.number, row.hash), state, due, since_ms, began_ms)

    def _go_on(self, row: Row, after: TableVersion, events: tuple[Event, ...]) -> Happened:
        """Go on from a row that is in the journal, to where the table stands after it."""
        remember(self.state, after.state, self.finished, self.last)
        self._now = after
        return self._keep(row, events)

    def _keep(self, row: Row, events: tuple[Event, ...]) -> Happened:
        """A row as it may be told, kept for who missed it."""
        happened = Happened(row.table_name, row.number, row.at_ms, view_events(events))
        self._kept.append(happened)
        return happened


def _own_id(at: TableVersion) -> str:
    """The id of the platform's command where the table stands so."""
    return f"platform-{at.head[0] + 1}"


def repeated(id_: str, command: messages.Command, number: int, stored: str) -> Answer:
    """The answer to an id that the journal has as this row with this command."""
    fits = same(journal.read_command(stored), command)
    return Accepted(id_, number) if fits else Refusal(id_, *ID_USED)


def same(one: messages.Command, other: messages.Command) -> bool:
    """Whether two commands ask the same; when, and with which shuffle, the server says itself."""
    if type(one) is not type(other):
        return False
    filled = {"at_ms", "seed"} if isinstance(one, ShuffleCards) else {"at_ms"}
    asked = set(one.__struct_fields__) - filled
    return all(getattr(one, name) == getattr(other, name) for name in asked)
