"""What counts towards limits, counted by every server in the transaction that writes a row.

An account is counted from its first claim to stay within a limit. From then on each row with its
money or its command counts, whichever server writes the row, and a claim is compared with all that
was counted before it. The process that commits needs this module, so it imports little.
"""

from collections.abc import Iterable, Iterator

import msgspec

from wartable.money import Transfer
from wartable.server.records.connections import Bulk
from wartable.server.records.rows import CASHIER, OUTSIDE, Ceiling, Claim, Entry, Row

DAY_MS = 24 * 3_600_000
MINUTE_MS = 60_000
DAY_MINUTES = DAY_MS // MINUTE_MS
DAYS_MAX = 30
"""How many days the longest limit counts."""

COUNTED = Bulk(
    "UPDATE counted SET play = ? WHERE account = ?",
    "UPDATE counted SET play = became"
    " FROM unnest(%s::text[], %s::text[]) AS moved (became, moving) WHERE account = moving",
)
EXPOSED = Bulk(
    "INSERT INTO exposed (account, table_name, amount) VALUES (?, ?, ?)"
    " ON CONFLICT (account, table_name) DO UPDATE SET amount = excluded.amount",
    "INSERT INTO exposed (account, table_name, amount)"
    " SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[])"
    " ON CONFLICT (account, table_name) DO UPDATE SET amount = excluded.amount",
)


class Play(msgspec.Struct):
    """An account's losses and deposits by day, and the minutes of its last day with a command."""

    lost: dict[int, int] = {}
    deposited: dict[int, int] = {}
    day: int = 0
    minutes: str = "0"
    """The minutes of that day as the bits of a hexadecimal number."""

    def move(self, day: int, lost: int, deposited: int) -> None:
        """Count money that the account lost or deposited."""
        for days, amount in ((self.lost, lost), (self.deposited, deposited)):
            if amount:
                days[day] = days.get(day, 0) + amount

    def forget(self, today: int) -> None:
        """Forget the days that no limit counts any more."""
        for days in (self.lost, self.deposited):
            for each in [each for each in days if each <= today - DAYS_MAX]:
                del days[each]

    def act(self, minute: int) -> None:
        """Count the minute of a command."""
        day, of_day = divmod(minute, DAY_MINUTES)
        if day > self.day:
            self.day, self.minutes = day, "0"
        if day == self.day:
            self.minutes = f"{int(self.minutes, 16) | 1 << of_day:x}"

    def acted(self, minute: int) -> bool:
        """Whether a minute is counted."""
        day, of_day = divmod(minute, DAY_MINUTES)
        return day == self.day and bool(int(self.minutes, 16) >> of_day & 1)

    def used(self, what: str, first_day: int, today: int) -> int:
        """How much of a limit is used from that day on."""
        if what == "minutes":
            return int(self.minutes, 16).bit_count() if self.day == today else 0
        days = self.deposited if what == "deposit" else self.lost
        return sum(days.get(day, 0) for day in range(first_day, today + 1))

    def copy(self) -> "Play":
        """A copy that can be counted on without changing this one."""
        return Play(dict(self.lost), dict(self.deposited), self.day, self.minutes)


_DECODE = msgspec.json.Decoder(Play).decode


def read_play(text: str) -> Play:
    """The play as it is stored."""
    return _DECODE(text)


def stored_play(play: Play) -> str:
    """The play as it is stored."""
    return msgspec.json.encode(play).decode()


def moved(table: str, transfers: Iterable[Transfer]) -> Iterator[tuple[str, int, int]]:
    """What the transfers of a row count: each player with what was lost and what deposited."""
    own = f"{table}/stack:"
    for each in transfers:
        if table == CASHIER:
            if each.source == OUTSIDE:
                yield each.target.removeprefix("wallet:"), 0, each.amount
            elif each.target != OUTSIDE:  # a correction gives back what was lost
                yield each.target.removeprefix("wallet:"), -each.amount, 0
            continue
        if each.source.startswith(own) and not each.target.startswith("wallet:"):
            yield each.source.removeprefix(own), each.amount, 0
        if each.target.startswith(own) and not each.source.startswith("wallet:"):
            yield each.target.removeprefix(own), -each.amount, 0


def concerned(entry: Entry) -> Iterator[str]:
    """The accounts that an entry may count for."""
    yield entry.row.actor
    if entry.transfers:
        for player, _, _ in moved(entry.row.table_name, entry.transfers):
            yield player
    for player, _ in entry.exposed:
        yield player


class Counters:
    """The counted accounts that a batch concerns, counted row by row."""

    def __init__(self, plays: dict[str, Play]) -> None:
        self.plays = plays
        self._exposed: dict[str, dict[str, int]] = {}
        """What others may still stake for an account, by table."""

    def expose(self, stored: Iterable[tuple[str, str, int]]) -> None:
        """Take over the stored amounts that others may stake: account, table and amount."""
        for account, table, amount in stored:
            self._exposed.setdefault(account, {})[table] = amount

    def exceeded(self, claim: Claim, row: Row) -> Ceiling | None:
        """The first ceiling that a claimed row would pass."""
        play, today = self.plays[claim.account], row.at_ms // DAY_MS
        for each in claim.ceilings:
            new = each.amount
            if each.what == "loss":
                new += sum(self._exposed.get(claim.account, {}).values())
            elif each.what == "minutes":
                new = int(not play.acted(row.at_ms // MINUTE_MS))
            if play.used(each.what, each.first_day, today) + new > each.most:
                return each
        return None

    def count(self, entry: Entry) -> None:
        """Count a row."""
        row = entry.row
        if row.actor in self.plays:
            self.plays[row.actor].act(row.at_ms // MINUTE_MS)
        for player, lost, deposited in moved(row.table_name, entry.transfers):
            play = self.plays.get(player)
            if play is not None:
                play.move(row.at_ms // DAY_MS, lost, deposited)
                play.forget(max((*play.lost, *play.deposited)))
        for player, amount in entry.exposed:
            self._exposed.setdefault(player, {})[row.table_name] = amount
