"""Reports: actual against theoretical return, liability, large wins and significant events."""

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Literal, get_args

import msgspec
import sqlalchemy as sa

from wartable.game.state import Hand, Round
from wartable.game.wagers import SIDE_BETS
from wartable.game.wagers.wheel import betting_boxes
from wartable.ledger import HOUSE
from wartable.odds import Distribution, Odds, OddsError
from wartable.players import is_bot
from wartable.rules import Book
from wartable.server.audit import recall, significant
from wartable.server.audit.export import CsvTable, as_table, write_file
from wartable.server.audit.recall import PlayedRound, RecalledRow
from wartable.server.audit.significant import Significant
from wartable.server.period import Period, utc
from wartable.server.records import database, schema
from wartable.server.records.keys import HouseKey
from wartable.server.records.rows import CASHIER

By = Literal["game", "table", "wager", "player", "bank", "paytable"]
KINDS: tuple[By, ...] = get_args(By)
UNPLAYED = ("", "void", "not_dealt", "uncovered", "unmatched")
"""The outcomes of wagers that were not decided by cards."""


class ReportLine(msgspec.Struct, frozen=True):
    """One wager's results in one group, in cents; `deviation` is in standard deviations."""

    by: By
    name: str
    wager: str
    wagers: int
    staked: int
    net: int
    actual: float | None
    theoretical: float | None
    expected_net: float | None
    deviation: float | None


class DayLine(msgspec.Struct, frozen=True):
    """What was played on a day (UTC): rounds, stakes, and the players' result, in cents."""

    day: str
    rounds: int
    staked: int
    net: int


class BankedRound(msgspec.Struct, frozen=True):
    """A round that a player banked: what was posted, covered, matched and returned uncovered.

    `consecutive` is the number of rounds that the banker has had in a row, this one included.
    """

    at_ms: int
    table: str
    round: int
    banker: str
    posted: int
    covered: int
    matched: int
    uncovered: int
    net: int
    consecutive: int


class MeterLine(msgspec.Struct, frozen=True):
    """A meter as a table shows it, with all that it took and gave; `missing` should be zero."""

    table: str
    meter: str
    seeded: int
    fed: int
    paid: int
    shown: int
    missing: int


class HouseReport(msgspec.Struct, frozen=True):
    """A report on a period; liability is as of the period's end.

    Money that the house put on meters for players to win counts in `house` as given away.
    """

    period: Period
    active: bool
    rounds: int
    void: int
    unfinished: int
    deposited: int
    withdrawn: int
    corrected: int
    """What the house paid after disputes."""
    house: int
    put_on_meters: int
    lines: tuple[ReportLine, ...]
    liability: dict[str, int]
    large_wins: tuple[Significant, ...]
    events: dict[str, int]
    significant: tuple[Significant, ...]
    banked: tuple[BankedRound, ...] = ()
    meters: tuple[MeterLine, ...] = ()
    days: tuple[DayLine, ...] = ()


class ReportTally(msgspec.Struct):
    """The sums of a line; the expectation assumes always war and meters at reset."""

    wagers: int = 0
    staked: int = 0
    net: int = 0
    expected: Fraction = Fraction(0)
    variance: Fraction = Fraction(0)
    known: bool = True

    def add(self, staked: int, net: int, odds: Distribution | None) -> None:
        """Count one wager; the stake is the original one, and the net includes a war's money."""
        self.wagers += 1
        self.staked += staked
        self.net += net
        if odds is None:
            self.known = False
        else:
            self.expected += staked * odds.ev
            self.variance += staked**2 * odds.variance

    def line(self, by: By, name: str, wager: str) -> ReportLine:
        """The line of this tally."""
        actual = float(1 + Fraction(self.net, self.staked)) if self.staked else None
        if not self.known or not self.staked:
            return ReportLine(
                by, name, wager, self.wagers, self.staked, self.net, actual, *[None] * 3
            )
        theoretical = float(1 + self.expected / self.staked)
        off = float(self.net - self.expected) / sqrt(self.variance) if self.variance else 0.0
        expected = float(self.expected)
        figures = (actual, theoretical, expected, off)
        return ReportLine(by, name, wager, self.wagers, self.staked, self.net, *figures)


class Tallies:
    """The tallies of every group."""

    def __init__(self) -> None:
        self._found: dict[tuple[By, str, str], ReportTally] = {}

    def add(self, book: Book, decks: int, table: str, state: Round) -> None:
        """Count a finished round's wagers."""
        paytable = f"{book.rules.name} {book.digest[:12]}, {decks} decks"
        sizes = {each.kind for each in SIDE_BETS}
        spinning = len(betting_boxes(state))
        for hand in state.hands:
            names: dict[By, str] = {
                "game": book.rules.name,
                "table": table,
                "player": hand.player,
                "bank": state.banker or "the house",
                "paytable": paytable,
            }
            for wager, staked, net in decided(hand):
                names["wager"] = wager
                size = staked if wager in sizes else None
                odds = None
                if wager != "envy":
                    odds = odds_of(BookKey(book), decks, wager, size, max(1, spinning))
                for by, name in names.items():
                    self._found.setdefault((by, name, wager), ReportTally()).add(staked, net, odds)

    def lines(self) -> tuple[ReportLine, ...]:
        """Every line, group by group."""
        order = sorted(self._found, key=lambda key: (KINDS.index(key[0]), key[1:]))
        return tuple(self._found[key].line(*key) for key in order)


def decided(hand: Hand) -> Iterator[tuple[str, int, int]]:
    """A hand's decided wagers: kind, covered stake and net; the primary's includes the war's."""
    war = hand.wager("war")
    for wager in hand.wagers:
        if wager.kind == "war" or wager.outcome in UNPLAYED:
            continue
        more = war.net if war is not None and wager.kind == "primary" else 0
        yield wager.kind, wager.at_risk, wager.net + more
    if hand.envy:
        yield "envy", 0, hand.envy


class BookKey:
    """A book, identified by its digest."""

    def __init__(self, book: Book) -> None:
        self.book = book

    def __hash__(self) -> int:
        return hash(self.book.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BookKey) and other.book.digest == self.book.digest


@cache
def odds_of(
    key: BookKey, decks: int, wager: str, stake: int | None, bettors: int
) -> Distribution | None:
    """The exact odds of a wager; None if it has none of its own."""
    try:
        return Odds(key.book, decks, bettors=bettors).wager(wager, stake=stake)
    except OddsError:
        return None


def report(engine: sa.Engine, key: HouseKey, period: Period, large: int) -> HouseReport:
    """The report on a period, from the records as of one moment."""
    with database.snapshot(engine) as source:
        events = list(significant.of_house(source, key, period))
        wins: list[Significant] = []
        banked: list[BankedRound] = []
        meters: list[MeterLine] = []
        days: dict[str, DayLine] = {}
        tallies, rounds = Tallies(), Counter[str]()
        for name in database.table_names(source):
            book, options = database.opened_with(source, name)
            steps = significant.noting(recall.steps(source, key, name), events, period)
            for played in recall.rounds(_until(steps, period, meters)):
                if not period.holds(played.steps[-1].row.at_ms):
                    continue
                state = played.state
                kind = "unfinished" if not played.closed else "void" if state.void else "rounds"
                rounds[kind] += 1
                if kind == "rounds":
                    tallies.add(book, options["decks"], name, state)
                    wins += significant.large_wins(played, period, large)
                    banked += _banked(name, played)
                    _count_day(days, played)
        accounts = _accounts(_moved(source, Period(0, period.until_ms)))
        moved = _moved(source, period)
        outside = Counter[str]()
        for each in events:
            if each.table == CASHIER:
                outside[each.kind] += int(each.after)
    events.sort(key=lambda each: (each.at_ms, each.table, each.row))
    return HouseReport(
        period,
        bool(rounds or events),
        rounds["rounds"],
        rounds["void"],
        rounds["unfinished"],
        outside["paid_in"],
        outside["paid_out"],
        outside["corrected"],
        _accounts(moved)[HOUSE],
        _put_on_meters(moved),
        tallies.lines(),
        _liability(accounts),
        tuple(sorted(wins, key=lambda each: each.at_ms)),
        dict(sorted(Counter(each.kind for each in events).items())),
        tuple(events),
        tuple(banked),
        tuple(meters),
        tuple(days[day] for day in sorted(days)),
    )


def _banked(table: str, played: PlayedRound) -> Iterator[BankedRound]:
    """The round as the regulator asks for it, if a player banked it."""
    state, last = played.state, played.steps[-1]
    if state.banker is None:
        return
    wagers = [wager for hand in state.hands for wager in hand.wagers]
    yield BankedRound(
        last.row.at_ms,
        table,
        played.number,
        state.banker,
        state.bank or 0,
        sum(wager.at_risk for wager in wagers if wager.kind != "war"),
        sum(wager.matched for wager in wagers),
        sum(wager.uncovered for wager in wagers),
        state.banker_net,
        last.after.bank.rounds,
    )


def _count_day(days: dict[str, DayLine], played: PlayedRound) -> None:
    """Add a round to its day."""
    day = utc(played.steps[-1].row.at_ms)[:10]
    ended = [each for hand in played.state.hands for each in decided(hand)]
    staked, net = sum(stake for _, stake, _ in ended), sum(result for *_, result in ended)
    old = days.get(day, DayLine(day, 0, 0, 0))
    days[day] = DayLine(day, old.rounds + 1, old.staked + staked, old.net + net)


def _until(
    steps: Iterable[RecalledRow], period: Period, meters: list[MeterLine]
) -> Iterator[RecalledRow]:
    """Pass the steps through, and record the table's meters as of the end of the period."""
    last: RecalledRow | None = None
    for step in steps:
        if period.until_ms is None or step.row.at_ms < period.until_ms:
            last = step
        yield step
    if last is None:
        return
    for name, meter in last.after.meters.items():
        missing = meter.seeded + meter.fed - meter.paid - meter.shown
        figures = (meter.seeded, meter.fed, meter.paid, meter.shown, missing)
        meters.append(MeterLine(last.row.table_name, name, *figures))


Moved = dict[tuple[str, str], int]
"""Money that went from one account to another."""


def _moved(source: sa.Connection, period: Period) -> Moved:
    """The money that went between every two accounts in the period."""
    moved, rows = schema.transfers, schema.journal
    at_row = sa.and_(rows.c.table_name == moved.c.table_name, rows.c.number == moved.c.number)
    sides = (moved.c.source, moved.c.target)
    query = sa.select(*sides, sa.func.sum(moved.c.amount)).join_from(moved, rows, at_row)
    query = query.where(rows.c.at_ms >= period.from_ms).group_by(*sides)
    if period.until_ms is not None:
        query = query.where(rows.c.at_ms < period.until_ms)
    return {(giver, taker): int(amount) for giver, taker, amount in source.execute(query)}


def _accounts(moved: Moved) -> Counter[str]:
    """What every account gained."""
    found: Counter[str] = Counter()
    for (giver, taker), amount in moved.items():
        found[giver] -= amount
        found[taker] += amount
    return found


def _put_on_meters(moved: Moved) -> int:
    """What the house put on meters, less what it took back."""
    found = 0
    for (giver, taker), amount in moved.items():
        if giver == HOUSE and _kind(taker)[0] == "meter":
            found += amount
        elif taker == HOUSE and _kind(giver)[0] == "meter":
            found -= amount
    return found


def _kind(account: str) -> tuple[str, str]:
    """The kind of an account, at any table, and its owner."""
    kind, _, name = account.rpartition("/")[2].partition(":")
    return kind, name


def _liability(accounts: Counter[str]) -> dict[str, int]:
    """What belongs to players and winners: wallets, stacks, felt, banks, meters, and the total.

    The money of bots in wallets and stacks is owed to nobody and comes after the total.
    """
    owed = dict.fromkeys(("wallets", "stacks", "felt", "banks", "meters"), 0)
    bots = 0
    for account, amount in accounts.items():
        kind, player = _kind(account)
        group = kind if kind == "felt" else f"{kind}s"
        if is_bot(player):
            bots += amount
        elif group in owed:
            owed[group] += amount
    return {**owed, "total": sum(owed.values()), "bots": bots}


def csv_tables(found: HouseReport) -> dict[str, CsvTable]:
    """Every table of a report by its name."""
    return {
        "returns": as_table(ReportLine, found.lines),
        "liability": (("account", "amount"), found.liability.items()),
        "large_wins": as_table(Significant, found.large_wins),
        "significant": as_table(Significant, found.significant),
        "banked": as_table(BankedRound, found.banked),
        "meters": as_table(MeterLine, found.meters),
        "days": as_table(DayLine, found.days),
    }


def write_csv(found: HouseReport, folder: Path) -> dict[str, int]:
    """Write a report as CSV files into the folder; return the number of lines of each."""
    folder.mkdir(parents=True, exist_ok=True)
    return {
        name: write_file(folder / f"{name}.csv", columns, lines)
        for name, (columns, lines) in csv_tables(found).items()
    }
