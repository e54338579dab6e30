"""Limits on deposits, losses and time, and how much of them players have used."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Literal, get_args

import msgspec
import sqlalchemy as sa

from wartable.game.messages import money
from wartable.money import Transfer
from wartable.players import is_bot
from wartable.server.clock import Clock
from wartable.server.house import counted
from wartable.server.house.counted import CountedPlay, NewRow, NewSum
from wartable.server.period import utc
from wartable.server.records import database
from wartable.server.records.counting import DAY_MS, MINUTE_MS, Play, moved
from wartable.server.records.facts import LimitFacts
from wartable.server.records.journal import START, Head
from wartable.server.records.messages import Note
from wartable.server.records.rows import Ceiling, Row, Statement
from wartable.server.records.store import CommitRefused
from wartable.table import PLATFORM

LOOSEN_MS = DAY_MS
DAYS = {"day": 1, "week": 7, "month": 30}
EVERYBODY = "*"

Setter = Literal["player", "operator"]
LimitKind = Literal[
    "deposit_day", "deposit_week", "deposit_month", "loss_day", "loss_week", "loss_month",
    "minutes_day",
]  # fmt: skip  # a list of words
LIMIT_KINDS: tuple[LimitKind, ...] = get_args(LimitKind)


_SET_LIMIT = (
    "INSERT INTO limits (account, kind, setter, amount, next_amount, next_from_ms)"
    " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (account, kind, setter) DO UPDATE SET"
    " amount = excluded.amount, next_amount = excluded.next_amount,"
    " next_from_ms = excluded.next_from_ms"
)


class PlayerLimit(msgspec.Struct, frozen=True):
    """A limit in force and the looser one that follows; None is no limit."""

    amount: int | None
    next_amount: int | None = None
    next_from_ms: int | None = None

    def at(self, now_ms: int) -> int | None:
        """The limit in force at this time."""
        if self.next_from_ms is not None and now_ms >= self.next_from_ms:
            return self.next_amount
        return self.amount


def stricter(first: int | None, second: int | None) -> int | None:
    """The lower of two limits."""
    given = [each for each in (first, second) if each is not None]
    return min(given, default=None)


class PlayerLimits:
    """The limits in force, and what counts towards them."""

    def __init__(
        self,
        engine: sa.Engine,
        clock: Clock,
        held: Mapping[tuple[str, str, str], PlayerLimit],
        kept: CountedPlay | None = None,
    ) -> None:
        """`held` has the limits by account, kind and setter; `kept` is what was counted before.

        Without `kept` the rows of a month are read.
        """
        self._clock = clock
        self.held = dict(held)
        self.played: defaultdict[str, Play] = defaultdict(Play)
        self._today = clock.now_ms() // DAY_MS
        self._heads: dict[str, Head] = {}
        self._ahead: dict[str, set[int]] = {}
        """Rows already counted although earlier rows of other servers are not."""
        with database.snapshot(engine) as connection:
            self._heads = database.heads(connection)
            if kept is not None and counted.continues(connection, self._heads, kept):
                self._go_on_from(connection, kept)
            else:
                self._load(connection)

    def _go_on_from(self, connection: sa.Connection, kept: CountedPlay) -> None:
        """Continue from what was counted before."""
        self.played.update(kept.players)
        for row in counted.newer(connection, self._heads, kept):
            self._count_row(row.table, row.at_ms, row.actor, row.transfers)

    def counted(self) -> CountedPlay | None:
        """What has been counted so far; None if something is missing from it."""
        if self._ahead:
            return None
        players = {name: play.copy() for name, play in self.played.items()}
        return CountedPlay(dict(self._heads), players)

    def _load(self, connection: sa.Connection) -> None:
        """Count the rows of the last month."""
        now_ms = self._clock.now_ms()
        for table, day, moved_ in counted.moved_by_day(connection, now_ms - 31 * DAY_MS):
            self.count(table, day, (moved_,))
        for actor, minute in counted.minutes_of(connection, now_ms - DAY_MS):
            self.played[actor].act(minute)

    def count(self, table: str, day: int, transfers: Iterable[Transfer]) -> None:
        """Count transfers towards the limits of the players whose money moved."""
        for player, lost, deposited in moved(table, transfers):
            self.played[player].move(day, lost, deposited)

    def committed(self, row: Row, transfers: Iterable[Transfer]) -> None:
        """Count a journal row that was just written."""
        name = row.table_name
        if row.number == self._heads.get(name, START)[0] + 1:
            self._heads[name] = (row.number, row.hash)
        else:
            self._ahead.setdefault(name, set()).add(row.number)
        self._count_row(name, row.at_ms, row.actor, transfers)

    def newer(self, engine: sa.Engine) -> tuple[list[NewSum], list[NewRow]]:
        """What other servers wrote and is not counted yet; a thread may ask.

        Chains of which later rows are counted already are read row by row.
        """
        known, ahead = dict(self._heads), set(self._ahead)
        with database.snapshot(engine) as connection:
            heads = database.heads(connection)
            whole = {name: head for name, head in heads.items() if name not in ahead}
            parted = {name: head for name, head in heads.items() if name in ahead}
            sums = counted.sums(connection, whole, known)
            return sums, list(counted.newer(connection, parted, CountedPlay(known, {})))

    def follow(self, newer: tuple[list[NewSum], list[NewRow]]) -> None:
        """Count what other servers wrote, each row once."""
        sums, rows = newer
        for each in sums:
            counted_now = self._heads.get(each.table, START) == each.after
            if counted_now and each.table not in self._ahead:  # otherwise its rows are read again
                self._count_sum(each)
        for row in rows:
            ahead = self._ahead.get(row.table, set())
            if row.number != self._heads.get(row.table, START)[0] + 1:
                continue  # counted meanwhile
            self._heads[row.table] = (row.number, row.hash)
            if row.number not in ahead:
                self._count_row(row.table, row.at_ms, row.actor, row.transfers)
            ahead.discard(row.number)
            if not ahead:
                self._ahead.pop(row.table, None)

    def _count_sum(self, new: NewSum) -> None:
        self._heads[new.table] = new.head
        for day, one in new.moved:
            self.count(new.table, day, (one,))
        for actor, minute in new.acted:
            if actor != PLATFORM:
                self.played[actor].act(minute)

    async def follow_table(self, engine: sa.Engine, name: str, head: Head) -> None:
        """Count what another server wrote, if it has written at this table."""
        if self._heads.get(name, START) != head:
            self.follow(await asyncio.to_thread(self.newer, engine))

    async def begin(self, engine: sa.Engine, account: str) -> None:
        """Have every transaction count an account from now on, at every server."""
        try:
            while True:  # catch up first, so that others wait only while the last rows are read
                self.follow(await asyncio.to_thread(self.newer, engine))
                if not any(counted.concerns(name, account) for name in self._ahead):
                    break
            known = CountedPlay(dict(self._heads), {account: self.played[account].copy()})
            await asyncio.to_thread(counted.begin, engine, account, known)
        except sa.exc.SQLAlchemyError:
            raise CommitRefused("busy", "The house is busy; try again.") from None

    def _count_row(self, table: str, at_ms: int, actor: str, transfers: Iterable[Transfer]) -> None:
        self.count(table, at_ms // DAY_MS, transfers)
        if actor != PLATFORM:
            self.played[actor].act(at_ms // MINUTE_MS)

    def limit(self, player: str, kind: LimitKind) -> int | None:
        """The limit in force for a player: the stricter of the player's and the operator's.

        A bot has none, because there is nobody to protect.
        """
        if is_bot(player):
            return None
        now_ms = self._clock.now_ms()
        found = None
        keys: tuple[tuple[str, Setter], ...] = (
            (player, "player"),
            (player, "operator"),
            (EVERYBODY, "operator"),
        )
        for account, setter in keys:
            limit = self.held.get((account, kind, setter))
            found = stricter(found, None if limit is None else limit.at(now_ms))
        return found

    def change(
        self, account: str, kind: LimitKind, setter: Setter, amount: int | None
    ) -> tuple[PlayerLimit, Note, Statement]:
        """A changed limit, its note and its statement; a player's looser limit has to wait."""
        now_ms = self._clock.now_ms()
        old = self.held.get((account, kind, setter))
        holds = None if old is None else old.at(now_ms)
        loosened = holds is not None and (amount is None or amount > holds)
        if setter == "player" and loosened:
            limit = PlayerLimit(holds, amount, now_ms + LOOSEN_MS)
            after = f"{amount} from {utc(now_ms + LOOSEN_MS)}"
        else:
            limit, after = PlayerLimit(amount), str(amount)
        before = "" if old is None else str(holds)
        facts = LimitFacts(setter, kind, *msgspec.structs.astuple(limit))
        note = Note("limit_set", account, f"{setter}'s {kind}", before, after, facts)
        values = (account, kind, setter, limit.amount, limit.next_amount, limit.next_from_ms)
        return limit, note, (_SET_LIMIT, values)

    def used(self, player: str, kind: LimitKind, everywhere: Play | None = None) -> int:
        """How much of a limit is used, by this server's count or, if given, `everywhere`."""
        what, _, period = kind.partition("_")
        played, today = everywhere or self.played.get(player), self._clock.now_ms() // DAY_MS
        return 0 if played is None else played.used(what, today - DAYS[period] + 1, today)

    def forget(self, here: Collection[str]) -> None:
        """On a new day, forget days that no limit counts any more, except for players here now."""
        today = self._clock.now_ms() // DAY_MS
        if today == self._today:
            return
        self._today = today
        for name in [name for name in self.played if name not in here]:
            played = self.played[name]
            played.forget(today)
            if not played.lost and not played.deposited and played.day < today:
                del self.played[name]

    def lost(self, player: str) -> int:
        """A player's loss over all counted days, including wagers in play."""
        played = self.played.get(player)
        return 0 if played is None else sum(played.lost.values())

    def ceilings(
        self, player: str, what: str, amount: int, subject: str = "This would"
    ) -> Iterator[Ceiling]:
        """The player's limits on losses, deposits or minutes, which the transaction compares."""
        today = self._clock.now_ms() // DAY_MS
        for kind in LIMIT_KINDS if self.held else ():
            most = self.limit(player, kind) if kind.startswith(what) else None
            if most is not None:
                period = kind.partition("_")[2]
                limit = f"{most} minutes" if what == "minutes" else f"{what} of {money(most)}"
                sentence = f"{subject} exceed {player}'s limit: {limit} a {period}."
                yield Ceiling(what, today - DAYS[period] + 1, amount, most, sentence)
