"""Sessions: a bankroll over many rounds, by betting system, limits and stops."""

import time
from collections import Counter, deque
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Literal

import msgspec
import numpy as np

from wartable.game import Illegal
from wartable.game.wagers import WAGER
from wartable.odds import MeterReadings, Plan
from wartable.odds.walk import play
from wartable.rules import Book, WagerKind
from wartable.sim import walks
from wartable.sim.classes import SLOTS, cards_for
from wartable.sim.counters import SPARE_STREAM, lanes, streams
from wartable.sim.run import Progress, in_order, stoppable
from wartable.sim.setup import SetupError

System = Literal["flat", "martingale", "paroli", "dalembert", "fibonacci", "labouchere"]
SYSTEMS: dict[System, int] = {
    "flat": walks.FLAT,
    "martingale": walks.MARTINGALE,
    "paroli": walks.PAROLI,
    "dalembert": walks.DALEMBERT,
    "fibonacci": walks.FIBONACCI,
    "labouchere": walks.LABOUCHERE,
}
PATHS_PER_CHUNK = 4096
PATHS_MAX = 10**9
ROUNDS_MAX = 10**7
FAN_PATHS = 5 * PATHS_PER_CHUNK
"""The number of paths, the first ones, that the quantile fan is drawn from."""
CHECKS = 100
RANK_DECKS_MAX = 78
"""With more decks, rank and card no longer fit a 16-bit word with room to reject."""
MULTIPLES_MAX = 1000
NEVER = 1 << 60
LINE = (1, 2, 3, 4)
"""The first line of a Labouchere player, in units."""


class SessionPlan(msgspec.Struct, frozen=True):
    """A bankroll, the bets of a round, and when the player stops; amounts in cents."""

    book: Book
    bankroll: int
    bet: int
    rounds: int
    paths: int
    decks: int
    meters: MeterReadings
    tie: int = 0
    war_tie: int = 0
    side_bets: dict[WagerKind, int] = {}
    """The stake on every side bet that a session can have."""
    war: bool = True
    system: System = "flat"
    table_max: int = 0
    target: int | None = None
    stop_loss: int | None = None
    stop_win: int | None = None

    @property
    def sides(self) -> int:
        """The wagers beside the primary before every deal."""
        return self.tie + sum(self.side_bets.values())

    @property
    def suits(self) -> bool:
        """Whether a wager depends on suits."""
        return any(WAGER[kind].by_suits for kind, stake in self.side_bets.items() if stake)

    @property
    def need(self) -> int:
        """The least money that pays for another round."""
        return self.bet + self.sides

    @property
    def floor(self) -> int:
        """The money at which a stop-loss ends the session."""
        return self.bankroll - self.stop_loss if self.stop_loss is not None else -NEVER

    @property
    def goal(self) -> int:
        """The money at which a target or a stop-win ends the session."""
        goals = [NEVER]
        if self.target is not None:
            goals.append(self.target)
        if self.stop_win is not None:
            goals.append(self.bankroll + self.stop_win)
        return min(goals)

    @property
    def multiples(self) -> int:
        """The table's limit in units, or the book's if that is lower."""
        if self.system == "flat":
            return 1
        most = self.book.rules.limits.primary.max or self.table_max
        return max(1, min(self.table_max, most) // self.bet)


class Tables(msgspec.Struct, frozen=True):
    """The engine's payments by multiple of the bet and by code, for war and for surrender."""

    nets: Any
    surrendered: Any
    needs_war: Any


class Walked(msgspec.Struct):
    """The paths' final money and rounds of ruin, and the fan's sample."""

    paths: int = 0
    rounds: int = 0
    finals: Counter[int] = msgspec.field(default_factory=Counter)
    ruined_at: Counter[int] = msgspec.field(default_factory=Counter)
    fan: list[Any] = msgspec.field(default_factory=list)
    seconds: float = 0.0
    partial: bool = False
    interruption: str = ""
    """What interrupted the run, if it was not its user."""

    def add(self, other: "Walked") -> None:
        """Add another chunk of paths."""
        self.paths += other.paths
        self.rounds += other.rounds
        self.finals.update(other.finals)
        self.ruined_at.update(other.ruined_at)
        self.fan += other.fan


def check(session: SessionPlan) -> None:
    """Refuse a session that cannot be played."""
    if session.need > session.bankroll:
        raise SetupError("The bankroll does not cover the first round's wagers.")
    if session.multiples > MULTIPLES_MAX:
        raise SetupError(f"The table's maximum may be at most {MULTIPLES_MAX} bets.")
    if session.system != "flat" and session.table_max < session.bet:
        raise SetupError("The table's maximum is below the bet.")
    if session.goal <= session.bankroll:
        raise SetupError("The target must be above the bankroll.")
    if session.stop_loss is not None and session.stop_loss < 1:
        raise SetupError("The stop-loss must be an amount above 0.")


def code_names(suits: bool) -> dict[int, str]:
    """The class that each code of a walk stands for."""
    slots = SLOTS if suits else SLOTS[:4]
    return {walks.LOST: "lost"} | {slot + 2: name for slot, name in enumerate(slots)}


def surrendered_as(name: str) -> str:
    """The class of the same cards when the tied hand surrenders."""
    if "war" not in name:
        return name
    return "suited_surrendered" if name.startswith("suited_") else "surrendered"


def plan_of(session: SessionPlan, multiple: int, war: bool) -> Plan:
    """The wagers of a round at a multiple of the bet."""
    equal = session.book.rules.options.war_tie_wager == "equal_primary"
    war_tie = session.war_tie * multiple if equal else session.war_tie
    return Plan(
        primary=session.bet * multiple,
        tie=session.tie,
        war_tie=war_tie if war else 0,
        choice="war" if war else "surrender",
        side_bets=tuple(each for each in session.side_bets.items() if each[1]),
    )


def tables_of(session: SessionPlan) -> Tables:
    """What the engine pays for every code at every multiple."""
    shape = (session.multiples + 1, walks.CODES)
    nets, surrendered = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    needs_war = np.zeros(session.multiples + 1, np.int64)
    for multiple in range(1, session.multiples + 1):
        war = plan_of(session, multiple, True)
        needs_war[multiple] = 2 * war.primary + session.sides + war.war_tie
        for code, name in code_names(session.suits).items():
            nets[multiple, code] = _paid(session, war, name)
            other = plan_of(session, multiple, False)
            surrendered[multiple, code] = _paid(session, other, surrendered_as(name))
    return Tables(nets, surrendered, needs_war)


def _paid(session: SessionPlan, plan: Plan, name: str) -> int:
    """The net of a round whose hand ends in that class."""
    feed = cards_for((name,))
    cards = (
        feed["original", 1],
        feed["original", 0],
        feed.get(("war", 1), "2c"),
        feed["war", 0],
    )
    try:
        return play(session.book.rules, plan, cards, session.meters).hands[0].net
    except Illegal as refusal:
        raise SetupError(refusal.sentence) from None


def check_rounds(rounds: int, count: int = CHECKS) -> Any:
    """The rounds at which the fan is drawn, including the last."""
    return np.unique(np.linspace(1, rounds, min(rounds, count)).round().astype(np.int64))


def walk_chunk(
    session: SessionPlan, tables: Tables, seed: int, index: int, paths: int, checks: Any, kept: int
) -> tuple[Any, Any, Any]:
    """One chunk: the fan of the first `kept` paths, the final money and the rounds played."""
    placed = streams(seed, index)
    fan = np.empty((kept, checks.size), np.int64)
    finals, played = np.empty(paths, np.int64), np.empty(paths, np.int64)
    money = (lanes(placed, 0), placed[:, SPARE_STREAM].copy(), session.decks)
    flags = (session.suits, session.war, session.bankroll)
    ends = (session.floor, session.goal)
    if session.system == "flat":
        walks.walk_flat(
            *money,
            *flags,
            session.need,
            int(tables.needs_war[1]),
            *ends,
            tables.nets[1],
            tables.surrendered[1],
            checks,
            fan,
            finals,
            played,
        )
    else:
        walks.walk_system(
            *money,
            *flags,
            session.bet,
            session.sides,
            tables.needs_war,
            *ends,
            SYSTEMS[session.system],
            np.array(LINE, np.int64),
            tables.nets,
            tables.surrendered,
            checks,
            fan,
            finals,
            played,
        )
    return fan, finals, played


def _walked(session: SessionPlan, tables: Tables, seed: int, index: int) -> Walked:
    """One chunk of paths."""
    first = index * PATHS_PER_CHUNK
    paths = min(PATHS_PER_CHUNK, session.paths - first)
    kept = max(0, min(paths, FAN_PATHS - first))
    checks = check_rounds(session.rounds)
    fan, finals, played = walk_chunk(session, tables, seed, index, paths, checks, kept)
    values, counts = np.unique(finals, return_counts=True)
    times, ruined = np.unique(played[finals < session.need], return_counts=True)
    return Walked(
        paths,
        int(played.sum()),
        Counter(dict(zip(values.tolist(), counts.tolist(), strict=True))),
        Counter(dict(zip(times.tolist(), ruined.tolist(), strict=True))),
        [fan] if kept else [],
    )


def chunk_total(session: SessionPlan) -> int:
    """The number of chunks of all paths."""
    return -(-session.paths // PATHS_PER_CHUNK)


def walk_chunks(session: SessionPlan, tables: Tables, seed: int, first: int, count: int) -> Walked:
    """Some chunks of the paths."""
    total = Walked()
    for index in range(first, first + count):
        total.add(_walked(session, tables, seed, index))
    return total


def walk(
    session: SessionPlan, tables: Tables, seed: int, threads: int, progress: Progress | None = None
) -> Walked:
    """Walk all paths; an interruption keeps the finished ones."""
    load_walks(session, tables, seed)
    started = time.perf_counter()
    total = Walked()
    calls = (
        partial(_walked, session, tables, seed, index) for index in range(chunk_total(session))
    )
    waiting: deque[Future[Walked]] = deque()
    with stoppable() as stop, ThreadPoolExecutor(threads) as pool:
        for future in in_order(pool, waiting, threads, calls):
            total.add(future.result())
            if progress:
                progress(total.paths, time.perf_counter() - started)
            if stop.asked:
                total.partial = total.paths < session.paths
                break
        for future in waiting:
            future.cancel()
    total.seconds = time.perf_counter() - started
    return total


def load_walks(session: SessionPlan, tables: Tables, seed: int) -> None:
    """Load the compiled code before anything is timed."""
    walk_chunk(session, tables, seed, 0, 1, check_rounds(session.rounds), 0)


def first_paths(session: SessionPlan, tables: Tables, seed: int, count: int) -> Any:
    """The money of the first paths: one row per path, from the start to the last round."""
    checks = np.arange(1, session.rounds + 1)
    rows = []
    for index in range(-(-count // PATHS_PER_CHUNK)):
        kept = min(PATHS_PER_CHUNK, count - index * PATHS_PER_CHUNK)
        rows.append(walk_chunk(session, tables, seed, index, kept, checks, kept)[0])
    walked = np.concatenate(rows)
    return np.concatenate([np.full((count, 1), session.bankroll), walked], axis=1)
