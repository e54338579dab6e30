"""One task per table: the only writer of that table's journal; write, then tell."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, Protocol

import msgspec

from wartable import table
from wartable.game import Bet, Illegal
from wartable.game.betting import SIDE_BETS
from wartable.game.messages import MeterName
from wartable.ledger import Transfer
from wartable.server import journal, records
from wartable.server.croupier import Timing, act, patience
from wartable.server.journal import GENESIS, Entry, Row
from wartable.server.meters import Meters
from wartable.server.results import results_of, wagered
from wartable.server.store import Refused, Repeated
from wartable.shoe import Shoe
from wartable.table import PLATFORM, Setup, Table, view, view_events
from wartable.table.commands import Command, ShuffleCards
from wartable.table.events import Event
from wartable.table.state import MeterState

QUEUE_MAX = 1_024
OUTBOX_MAX = 256
KEPT_MAX = 128
ANSWERS_MAX = 1_024
SHOES_MAX = 5
"""How many finished shoes are kept at hand for whoever wants to check them."""
LAST_MAX = 10
"""How many rounds the lobby shows of a table."""
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


class Clock(Protocol):
    """The one clock of the server."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch, never going back."""


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


class Happened(msgspec.Struct, frozen=True, gc=False, tag="happened"):
    """One row of the journal as it may be told."""

    table: str
    number: int
    at_ms: int
    events: tuple[Event, ...]


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot"):
    """The whole table as it may be shown, after this row."""

    table: str
    number: int
    state: Table


Told = Happened | Snapshot


class LastRound(msgspec.Struct, frozen=True):
    """How a round went, in short: the dealer's card, and how many hands won, lost or tied."""

    number: int
    dealer: str
    won: int
    lost: int
    tied: int


def last_round(state: Table) -> LastRound | None:
    """The round that a table has just closed, in short; None where no card was dealt."""
    round_ = state.round
    if round_ is None or 0 not in round_.cards:
        return None
    ended = [hand.wager("primary") for hand in round_.hands]
    outcomes = [wager.outcome for wager in ended if wager is not None]
    won, lost = (outcomes.count(outcome) for outcome in ("won", "lost"))
    tied = sum(outcome.startswith(("war", "surrendered")) for outcome in outcomes)
    return LastRound(state.rounds, round_.cards[0], won, lost, tied)


Written = tuple[Row, Table, tuple[records.Event, ...]]
"""A row with the table after it, and its events."""


class Request(msgspec.Struct):
    """A command that waits for its turn at the table."""

    actor: str
    id: str
    command: Command
    answer: asyncio.Future[Answer]


class Listener:
    """Somebody who is told what happens, through an outbox of bounded size."""

    def __init__(self) -> None:
        self.outbox: asyncio.Queue[Told] = asyncio.Queue(OUTBOX_MAX)
        self.behind = False

    def tell(self, told: Told) -> None:
        """Put it into the outbox; one that is full means that the listener fell behind."""
        if self.behind:
            return
        try:
            self.outbox.put_nowait(told)
        except asyncio.QueueFull:
            self.behind = True


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
        self.state = table.start(setup)
        self.head = (0, GENESIS)
        self.listeners: set[Listener] = set()
        self.queue: asyncio.Queue[Request] = asyncio.Queue(QUEUE_MAX)
        self.stopping = False
        self._commit, self._clock, self._new_seed = commit, clock, new_seed
        self._key, self._fence, self._permit = key, fence, permit
        self._attended, self._meters = attended, meters
        self._shown_ms = 0
        self._answers: OrderedDict[str, tuple[Answer, records.Command]] = OrderedDict()
        self._kept: deque[Happened] = deque(maxlen=KEPT_MAX)
        self.due = table.awaits(setup, self.state)
        self._since_ms = clock.now_ms()
        self._began_ms = 0
        self.finished: deque[Shoe] = deque(maxlen=SHOES_MAX)
        self.last: deque[LastRound] = deque(maxlen=LAST_MAX)

    async def open(self, book: str) -> None:
        """Write the first row of a new table."""
        setup = self.setup
        command = records.OpenTable(book, setup.decks, setup.staffed, setup.meters)
        events, state, transfers = self._decided(self.state, command)
        now_ms = self._clock.now_ms()
        row = journal.new_row(
            self.head, self.setup.name, now_ms, PLATFORM, "open", command, events, self._key
        )
        await self._commit(Entry(row, transfers, self._fence))
        self._go_on(row, state, ())

    def restore(self, rows: Iterable[Row]) -> None:
        """Fold the journal of an earlier run; `Broken` if it does not hold together."""
        for row in journal.check_chain(rows, None):
            command, events = journal.read_row(row, self._key)
            told = records.at_table(events)
            self._go_on(row, table.fold(told, self.state), told)
            self._remember(Accepted(row.command_id, row.number), command)
        self._since_ms = self._clock.now_ms()

    def submit(self, actor: str, command_id: str, command: Command) -> asyncio.Future[Answer]:
        """Queue a command; the answer comes when it is durable, or refused."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        try:
            self.queue.put_nowait(Request(actor, command_id, command, answer))
        except asyncio.QueueFull:
            answer.set_result(Refusal(command_id, "busy", "The table is busy; try again."))
        return answer

    def listen(self, after: int | None) -> Listener:
        """A new listener, told all that happened after that row, or the whole table."""
        listener = Listener()
        missed = [] if after is None else self._after(after)
        if after is None or missed is None:
            listener.tell(Snapshot(self.setup.name, self.head[0], view(self.state)))
        else:
            for happened in missed:
                listener.tell(happened)
        self.listeners.add(listener)
        return listener

    def _after(self, number: int) -> list[Happened] | None:
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
        wait_ms = patience(self.timing, self.due[0], self.setup.staffed)
        return None if wait_ms is None else self._since_ms + wait_ms

    async def run(self) -> None:
        """Carry out commands in their order, and the platform's own when they are due."""
        while not self.stopping:
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
            await self._show_meters(now_ms)
            # Only when it is needed: the system's randomness costs more than a whole command.
            due = self.due[0]
            if due.what == "taker" and not self._attended(self.state):
                return now_ms + HOLD_MS
            seed = self._new_seed() if due.what == "shuffle" else ""
            next_ = act(self.setup, self.state, due, self.timing, self._since_ms, now_ms, seed)
            if next_.command is None:
                return next_.wake_ms
            answer = await self._carry_out(PLATFORM, f"platform-{self.head[0] + 1}", next_.command)
            if isinstance(answer, Refusal):
                if answer.code == FENCED:
                    raise Refused(answer.code, answer.sentence)
                return now_ms + self.timing.pause_ms + 1

    async def _handle(self, request: Request) -> None:
        """Answer a request; where that fails, only the journal knows whether it happened."""
        answer, asked = self._answers.get(request.id, (None, request.command))
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

    def _remember(self, answer: Answer, command: records.Command) -> None:
        if isinstance(answer, Refusal) and answer.code in PASSING:
            return
        self._answers[answer.id] = (answer, command)
        while len(self._answers) > ANSWERS_MAX:
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
        row = self._row(self.head, actor, command_id, command, events)
        results = self._results(row.at_ms, state)
        entry = Entry(row, transfers, self._fence, results=results)
        return await self._write(entry, command, (row, state, events))

    def _check_reach(self, command: Command) -> None:
        """Refuse a side bet whose meter cannot be read."""
        if self._meters is None or self._meters.reachable or not isinstance(command, Bet):
            return
        if command.wager in SIDE_BETS:
            raise Illegal(*METER_AWAY)

    def _decided(
        self, state: Table, command: records.Command
    ) -> tuple[tuple[records.Event, ...], Table, tuple[Transfer, ...]]:
        """The command's events, the table after them, and the transfers."""
        events = records.decide(self.setup, state, command)
        name, meters = self.setup.name, self.setup.meters
        after, transfers = records.moved_by(name, state, events, meters)
        assert after is not None
        return events, after, transfers

    def _row(
        self,
        head: tuple[int, str],
        actor: str,
        command_id: str,
        command: records.Command,
        events: tuple[records.Event, ...],
    ) -> Row:
        name, now_ms = self.setup.name, self._clock.now_ms()
        return journal.new_row(head, name, now_ms, actor, command_id, command, events, self._key)

    async def _write(self, entry: Entry, command: records.Command, *rows: Written) -> Answer:
        """Commit an entry, then go on from its rows and tell them."""
        id_ = entry.row.command_id
        try:
            await self._commit(entry)
        except Repeated as error:
            if not same(journal.read_command(error.command), command):
                return Refusal(id_, *ID_USED)
            return Accepted(id_, error.number)
        except Refused as error:
            return Refusal(id_, error.code, error.sentence)
        for row, state, events in rows:
            happened = self._go_on(row, state, records.at_table(events))
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
                rows = [*self._showing(meters)]
                head, state = self.head, self.state
                if rows:
                    head, state = (rows[0][0].number, rows[0][0].hash), rows[0][1]
                events, after, transfers = self._decided(state, command)
            except Illegal as error:
                return Refusal(command_id, error.code, error.sentence)
            row = self._row(head, actor, command_id, command, events)
            moved = meters.entry(self.setup.name, row.number, after.meters)
            shown = [Entry(each[0], (), self._fence) for each in rows]
            results = self._results(row.at_ms, after)
            entry = Entry(row, transfers, self._fence, results=results, first=(*shown, moved))
            meters.stale = True
            answer = await self._write(entry, command, *rows, (row, after, events))
            if self.head == (row.number, row.hash):
                meters.go_on(moved)
                meters.stale = False
            return answer

    def _showing(self, meters: Meters) -> Iterator[Written]:
        """The row that makes this table show the shared meters, if it does not."""
        if meters.values != self.state.meters:
            command = records.ShowMeters(meters.head[0], meters.values)
            events, state, _ = self._decided(self.state, command)
            id_ = f"meters-{self.head[0] + 1}"
            yield self._row(self.head, PLATFORM, id_, command, events), state, events

    async def _show_meters(self, now_ms: int) -> None:
        """Let the display follow shared meters that other tables moved, if anybody is here."""
        meters = self._meters
        if meters is None or meters.stale or now_ms - self._shown_ms < DISPLAY_MS:
            return
        if self.listeners or self.state.guests:
            self._shown_ms = now_ms
            for written in self._showing(meters):
                command = records.ShowMeters(meters.head[0], meters.values)
                answer = await self._write(Entry(written[0], (), self._fence), command, written)
                if isinstance(answer, Refusal) and answer.code == FENCED:
                    raise Refused(answer.code, answer.sentence)

    def _results(self, at_ms: int, state: Table | None) -> tuple[tuple[Any, ...], ...]:
        """What the round came to for its players, if this is the row that closes it."""
        if not self.state.in_round or state is None or state.in_round or state.round is None:
            return ()
        where = (self.setup.name, self.setup.rules.name, state.rounds)
        found = results_of(*where, self._began_ms, at_ms, state.round)
        return tuple(msgspec.structs.astuple(each) for each in found)

    def _go_on(self, row: Row, state: Table | None, events: tuple[Event, ...]) -> Happened:
        """Go on from a row that is in the journal, and the state that it leads to."""
        assert state is not None
        if wagered(state) and not wagered(self.state):
            self._began_ms = row.at_ms
        if state.finished is not None and state.finished is not self.state.finished:
            self.finished.append(state.finished)
        if self.state.in_round and not state.in_round:
            last = last_round(state)
            self.last.extend(() if last is None else (last,))
        self.state = state
        self.head = (row.number, row.hash)
        shown = view_events(events)
        happened = Happened(row.table_name, row.number, row.at_ms, shown)
        self._kept.append(happened)
        due = table.awaits(self.setup, self.state)
        if due != self.due:
            self.due, self._since_ms = due, row.at_ms
        return happened


def same(one: records.Command, other: records.Command) -> bool:
    """Whether two commands ask the same; when, and with which shuffle, the server says itself."""
    if type(one) is not type(other):
        return False
    filled = {"at_ms", "seed"} if isinstance(one, ShuffleCards) else {"at_ms"}
    asked = set(one.__struct_fields__) - filled
    return all(getattr(one, name) == getattr(other, name) for name in asked)
