"""What every wallet holds by the rows that changed it, whatever balance the database has.

Somebody could raise a balance in the database for a moment, stake it, and restore it after a win.
So a house lets nobody spend money that its own rows did not bring into a wallet.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable

import sqlalchemy as sa

from wartable.ledger import wallet
from wartable.money import Transfer
from wartable.server.house.counted import later_in
from wartable.server.house.guard import Guard
from wartable.server.records import database, journal, keyed, schema
from wartable.server.records.journal import START, Broken, Head
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Corrected, JournalEvent, PaidIn, PaidOut
from wartable.server.records.rows import METERS, Commit, Entry, Row
from wartable.server.records.store import CommitRefused
from wartable.table import events as e

WALLET = wallet("")
"""The prefix of wallets' names."""

REFRESH_S = 0.25
"""The shortest interval at which another server's rows are read because a wallet seems short."""

INTO_WALLET = (PaidIn, Corrected, e.CashedOut, e.Departed)
OUT_OF_WALLET = (PaidOut, e.Joined, e.BoughtIn)
"""The events that move wallets."""

_MOVING = '"type":"({})"'.format(
    "|".join(str(each.__struct_config__.tag) for each in (*INTO_WALLET, *OUT_OF_WALLET))
)
"""The pattern by which the database finds them."""

WalletAmounts = dict[str, int]
NOTHING: WalletAmounts = {}
"""The amounts of most rows, which move no wallet."""

Saw = Callable[[str, Head, WalletAmounts], None]
"""A function that gets each written row of a chain, with the wallets that it changed."""


def stored(source: sa.Connection) -> WalletAmounts:
    """Every wallet by the database's balances."""
    balances = schema.balances
    which = balances.c.account.startswith(WALLET, autoescape=True)
    return {each.account: each.amount for each in source.execute(sa.select(balances).where(which))}


def later(
    source: sa.Connection, key: HouseKey, known: dict[str, Head]
) -> list[tuple[Row, WalletAmounts]]:
    """The rows after the known ones, with what each moved into wallets; `Broken` at a bad one."""
    found = []
    for each in source.execute(sa.select(schema.heads)).all():
        head = known.get(each.table_name, START)
        if each.number > head[0]:
            rows = database.rows_of(source, each.table_name, head[0])
            for row in journal.check_chain(rows, (each.number, each.hash), head):
                if row.mac is None:
                    raise Broken(row, "this house did not write it: it has no authentication code")
                found.append((row, _by_events(journal.read_row(row, key)[1])))
    return found


def moving(
    source: sa.Connection, key: HouseKey, known: dict[str, Head]
) -> tuple[list[tuple[Row, WalletAmounts]], dict[str, Head]]:
    """The rows after the known ones that move wallets, with what each moves, and all heads now.

    Other servers write many rows, and few of them move wallets: the database finds those by their
    events. Each must be the house's.
    """
    journal_, heads, found = schema.journal.c, database.heads(source), []
    for some in later_in(heads, known):
        which = sa.and_(some(journal_), journal_.events.regexp_match(_MOVING))
        query = sa.select(schema.journal).where(which)
        for each in source.execute(query.order_by(journal_.table_name, journal_.number)).all():
            row = Row(*each)
            if not keyed.genuine(source, key, row):
                raise Broken(row, "this house did not write it")
            found.append((row, _by_events(journal.read_row(row, key)[1])))
    later_heads = {
        name: head for name, head in heads.items() if head[0] > known.get(name, START)[0]
    }
    return found, later_heads


def _by_events(events: Iterable[JournalEvent]) -> WalletAmounts:
    """What the events of a row move into wallets."""
    moved: Counter[str] = Counter()
    for event in events:
        if isinstance(event, INTO_WALLET):
            moved[wallet(event.player)] += event.amount
        elif isinstance(event, OUT_OF_WALLET):
            moved[wallet(event.player)] -= event.amount
    return moved


def moves_wallets(entries: tuple[Entry, ...]) -> bool:
    """Whether any of the entries takes money from a wallet or brings some; few do."""
    for entry in entries:
        for each in entry.transfers:
            if each.source.startswith(WALLET) or each.target.startswith(WALLET):
                return True
    return False


def _by_transfers(transfers: Iterable[Transfer]) -> WalletAmounts:
    moved: WalletAmounts = {}
    for each in transfers:
        if each.source.startswith(WALLET):
            moved[each.source] = moved.get(each.source, 0) - each.amount
        if each.target.startswith(WALLET):
            moved[each.target] = moved.get(each.target, 0) + each.amount
    return moved


class Wallets:
    """The wallets of a house, as of the last known row of every chain."""

    def __init__(
        self,
        engine: sa.Engine,
        guard: Guard,
        key: HouseKey,
        amounts: WalletAmounts,
        heads: dict[str, Head],
        saw: Saw,
    ) -> None:
        self._engine, self._guard, self._key, self._saw = engine, guard, key, saw
        self.amounts, self._heads = amounts, heads
        self._spent: Counter[str] = Counter()
        """The amounts being taken out now."""
        self._refreshed_s = -REFRESH_S
        self._refreshing = asyncio.Lock()

    async def commit(self, entry: Entry, write: Commit) -> None:
        """Write an entry that moves wallets, unless one does not hold what it takes; follow it."""
        entries = entry.together()
        moved = [_by_transfers(each.transfers) for each in entries]
        await self._spend(moved, entry, write)
        for each, change in zip(entries, moved, strict=True):
            if not self._follow(each.row, change):
                await self._follow_late(each.row, change)

    async def follow(self, entries: Iterable[Entry]) -> None:
        """Follow written rows that move no wallet, as nearly all do."""
        for each in entries:
            row = each.row
            name, number = row.table_name, row.number
            known = self._heads.get(name, START)[0]
            if number == known + 1:
                head = self._heads[name] = (number, row.hash)
                self._saw(name, head, NOTHING)
            elif number > known and name.startswith(METERS):  # they hold no wallet
                self._count(name, (number, row.hash), NOTHING)
            elif number > known:
                await self._follow_late(row, NOTHING)

    async def _follow_late(self, row: Row, moved: WalletAmounts) -> None:
        """Follow a row before which another server wrote some."""
        if row.number > self._heads.get(row.table_name, START)[0]:
            await self.catch_up()
            self._follow(row, moved)

    async def _spend(self, moved: list[WalletAmounts], entry: Entry, write: Commit) -> None:
        """Write an entry that moves wallets; nobody else can spend the same meanwhile."""
        net: Counter[str] = Counter()
        for change in moved:
            net.update(change)
        spent = {name: -change for name, change in net.items() if change < 0}
        if self._short(spent):
            await self._refresh(spent)
            if self._short(spent):
                raise CommitRefused("insufficient", "The wallet does not hold that much money.")
        self._spent.update(spent)
        try:
            await write(entry)
        finally:
            self._spent.subtract(spent)
            for name in spent:
                if not self._spent[name]:
                    del self._spent[name]

    def _short(self, spent: WalletAmounts) -> bool:
        return any(
            self.amounts.get(name, 0) < self._spent[name] + amount for name, amount in spent.items()
        )

    def _follow(self, row: Row, moved: WalletAmounts) -> bool:
        """Count a written row if it is its chain's next, and return whether it is."""
        name, number = row.table_name, row.number
        if number != self._heads.get(name, START)[0] + 1:
            return False
        self._count(name, (number, row.hash), moved)
        return True

    def _count(self, name: str, head: Head, moved: WalletAmounts) -> None:
        """Count what a chain moved up to this row."""
        self._heads[name] = head
        moved = {each: self.amounts.get(each, 0) + change for each, change in moved.items()}
        self.amounts |= moved
        self._saw(name, head, moved)

    async def _refresh(self, spent: WalletAmounts) -> None:
        """Count what another server wrote, and report a balance that then differs.

        Those who ask while others wait share one reading.
        """
        asked_s = time.monotonic()
        async with self._refreshing:
            if self._refreshed_s >= asked_s:
                return
            await asyncio.sleep(max(0, self._refreshed_s + REFRESH_S - asked_s))
            self._refreshed_s = time.monotonic()
            held = await self.catch_up(compare=True)
        for name in spent:
            if held is not None and held.get(name, 0) != self.amounts.get(name, 0):
                reason = f"it holds {held.get(name, 0)}, by the rows {self.amounts.get(name, 0)}"
                self._guard.refused(name, reason)

    async def catch_up(self, compare: bool = False) -> WalletAmounts | None:
        """Follow the journal's later rows; with `compare`, return the balances if nothing came."""

        def read() -> tuple[list[tuple[Row, WalletAmounts]], dict[str, Head], WalletAmounts]:
            with database.snapshot(self._engine) as source:
                held = stored(source) if compare else {}
                return *moving(source, self._key, known), held

        known = dict(self._heads)
        try:
            rows, heads, held = await asyncio.to_thread(read)
        except Broken as error:
            self._guard.refused("journal", str(error))
            return None
        unchanged = self._heads == known
        for row, moved in rows:
            if row.number > self._heads.get(row.table_name, START)[0]:
                self._count(row.table_name, (row.number, row.hash), moved)
        for name, head in heads.items():
            if head[0] > self._heads.get(name, START)[0]:
                self._count(name, head, NOTHING)
        return held if compare and unchanged else None
