"""The return monitor: what the games returned against theory, and whether chance explains it.

The theory of a primary wager assumes war after a tie. A surrender returns exactly half, so each one
moves the expectation by the difference between its value and that of war. The deviation from theory
therefore has the mean zero, however people choose.
"""

from collections import Counter
from fractions import Fraction
from functools import cache, partial
from math import sqrt
from typing import Literal

import msgspec
import sqlalchemy as sa

from wartable.game.state import Round
from wartable.game.wagers import SIDE_BETS
from wartable.game.wagers.wheel import betting_boxes
from wartable.odds import Odds, OddsError
from wartable.odds.boxes import joint
from wartable.rules import Book
from wartable.server.audit import recall
from wartable.server.audit.reports import BookKey, decided, odds_of
from wartable.server.house.office import Office
from wartable.server.house.turns import Turns
from wartable.server.period import Period
from wartable.server.records import database
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Note
from wartable.table import PLATFORM

ReturnState = Literal["fine", "watch", "investigate"]
ReturnGroup = Literal["book", "table"]

WATCH = 2
INVESTIGATE = 3
"""The numbers of standard errors beyond which a return is watched, or investigated."""

LOOK_S = 24 * 3_600
"""How often an open house checks its returns; it reads all its rounds."""

ROUNDS_MIN = 100
SKEW_MAX = 0.2
"""A return is judged after this many rounds, once its sum is less skewed than this.

Before that the band would not be accurate.
"""


class ReturnLine(msgspec.Struct, frozen=True):
    """A wager's return at a book or a table: theory, actual, the band, and what it calls for.

    `off` is the distance from theory in standard errors; `judged` is false while there are too few
    rounds for the band to mean anything.
    """

    by: ReturnGroup
    name: str
    wager: str
    rounds: int
    staked: int
    net: int
    theory: float
    actual: float
    low: float
    high: float
    off: float
    judged: bool
    state: ReturnState


class ReturnTally(msgspec.Struct):
    """The sums of a line, in cents; `cubes` is the third central moment."""

    rounds: int = 0
    staked: int = 0
    net: int = 0
    expected: Fraction = Fraction(0)
    variance: Fraction = Fraction(0)
    cubes: float = 0.0

    def add(
        self, net: int, staked: int, expected: Fraction, variance: Fraction, cube: float
    ) -> None:
        """Count a round."""
        self.rounds += 1
        self.staked += staked
        self.net += net
        self.expected += expected
        self.variance += variance
        self.cubes += cube

    def line(self, by: ReturnGroup, name: str, wager: str) -> ReturnLine:
        """The line of this tally."""
        error = sqrt(self.variance)
        off = float(self.net - self.expected) / error
        theory = float(1 + self.expected / self.staked)
        band = INVESTIGATE * error / self.staked
        even = abs(self.cubes) <= SKEW_MAX * error**3
        judged = self.rounds >= ROUNDS_MIN and even
        return ReturnLine(
            by,
            name,
            wager,
            self.rounds,
            self.staked,
            self.net,
            theory,
            float(1 + Fraction(self.net, self.staked)),
            theory - band,
            theory + band,
            off,
            judged,
            state_of(off) if judged else "fine",
        )


def state_of(off: float) -> ReturnState:
    """What a distance from theory calls for."""
    return "investigate" if abs(off) > INVESTIGATE else "watch" if abs(off) > WATCH else "fine"


@cache
def _covariance(key: BookKey, decks: int) -> Fraction:
    """The covariance of the primary wagers of two boxes, which play against one dealer's card."""
    try:
        return joint(Odds(key.book, decks), 2).covariance
    except OddsError:  # a game of one box
        return Fraction(0)


@cache
def _surrendered(key: BookKey, decks: int) -> Fraction:
    """How much more a surrender is worth than war, given a tie."""
    odds = Odds(key.book, decks)
    war, surrender = (odds.wager("primary", choice) for choice in ("war", "surrender"))
    tie = surrender.pmf.get(Fraction(-1, 2), Fraction(0))
    return (surrender.ev - war.ev) / tie if tie else Fraction(0)


@cache
def _cube(key: BookKey, decks: int, wager: str, stake: int | None, bettors: int) -> float:
    """The third central moment of a wager, per unit."""
    odds = odds_of(key, decks, wager, stake, bettors)
    if odds is None:
        return 0.0
    return float(sum(chance * (net - odds.ev) ** 3 for net, chance in odds.pmf.items()))


class Monitor:
    """The tallies of every wager by book and by table."""

    def __init__(self) -> None:
        self._found: dict[tuple[ReturnGroup, str, str], ReturnTally] = {}

    def add(self, book: Book, decks: int, table: str, round_: Round) -> None:
        """Count a finished round, wager by wager."""
        key = BookKey(book)
        spinning = max(1, len(betting_boxes(round_)))
        for wager in book_wagers(round_):
            counted = self._round(key, decks, wager, round_, spinning)
            if counted is not None:
                for by, name in (("book", book.rules.name), ("table", table)):
                    group: ReturnGroup = "book" if by == "book" else "table"
                    self._found.setdefault((group, name, wager), ReturnTally()).add(*counted)

    def _round(
        self, key: BookKey, decks: int, wager: str, round_: Round, spinning: int
    ) -> tuple[int, int, Fraction, Fraction, float] | None:
        """A wager's net, stake, expectation, variance and third moment in a round."""
        net = staked = 0
        expected, cube = Fraction(0), 0.0
        together = any(each.kind == wager for each in SIDE_BETS)
        spreads: Counter[int] = Counter()
        alone = Fraction(0)
        for hand in round_.hands:
            for kind, stake, result in decided(hand):
                if kind != wager or not stake:
                    continue
                size = stake if together else None
                odds = odds_of(key, decks, kind, size, spinning)
                if odds is None:
                    return None
                net, staked = net + result, staked + stake
                expected += stake * odds.ev
                primary = hand.wager("primary")
                if kind == "primary" and primary is not None and primary.outcome == "surrendered":
                    expected += stake * _surrendered(key, decks)
                spreads[hand.box] += stake
                alone = max(alone, odds.variance)
                cube += stake**3 * _cube(key, decks, kind, size, spinning)
        if not staked:
            return None
        # Several players on one box share its card, and side bets share the dealer's and the wheel.
        boxes = list(spreads.values())
        squares = sum(boxes) ** 2 if together else sum(stake**2 for stake in boxes)
        variance = squares * alone
        if wager == "primary" and len(boxes) > 1:
            crossed = sum(boxes) ** 2 - sum(stake**2 for stake in boxes)
            variance += crossed * _covariance(key, decks)
        return net, staked, expected, variance, cube

    def lines(self) -> tuple[ReturnLine, ...]:
        """Every line, books first."""
        return tuple(
            self._found[key].line(*key) for key in sorted(self._found) if self._found[key].variance
        )


def book_wagers(round_: Round) -> list[str]:
    """The kinds of wagers that were decided in a round."""
    kinds = {kind for hand in round_.hands for kind, stake, _ in decided(hand) if stake}
    return sorted(kinds - {"envy"})


def returns(engine: sa.Engine, key: HouseKey, period: Period) -> tuple[ReturnLine, ...]:
    """The return of every wager in the period, from the records as of one moment."""
    monitor = Monitor()
    with database.snapshot(engine) as source:
        for name in database.table_names(source):
            book, options = database.opened_with(source, name)
            for played in recall.rounds(recall.steps(source, key, name)):
                counts = played.closed and not played.state.void
                if counts and period.holds(played.steps[-1].row.at_ms):
                    monitor.add(book, options["decks"], name, played.state)
    return monitor.lines()


class ReturnWatch:
    """The returns at the last check, and which of them were reported."""

    def __init__(self, engine: sa.Engine, key: HouseKey, office: Office, turns: Turns) -> None:
        self._engine, self._key, self._office, self._turns = engine, key, office, turns
        self._told: set[tuple[ReturnGroup, str, str]] = set()
        self.lines: tuple[ReturnLine, ...] = ()

    async def look(self, who: str = PLATFORM) -> tuple[ReturnLine, ...]:
        """Check all returns in this person's turn; a new doubt is a significant event."""
        reading = partial(returns, self._engine, self._key, Period())
        self.lines = await self._turns.read(who, reading)
        found = {(each.by, each.name, each.wager): each for each in self.lines}
        doubted = {key for key, each in found.items() if each.state == "investigate"}
        for key in sorted(doubted - self._told):
            self._told.add(key)  # another check may run meanwhile
            line = found[key]
            reason = f"{line.off:+.2f} standard errors from theory after {line.rounds} rounds"
            returned = f"{100 * line.actual:.3f} %, not {100 * line.theory:.3f} %"
            note = Note("return_doubted", " ".join(key), reason, after=returned)
            await self._office.note(PLATFORM, note)
        self._told = doubted
        return self.lines

    def gauges(self) -> dict[str, int]:
        """How many returns are watched and investigated, for the metrics."""
        states = Counter(each.state for each in self.lines)
        return {"returns_watched": states["watch"], "returns_investigated": states["investigate"]}
