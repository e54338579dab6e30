"""A small house that plays by itself and prints what it has told, made to be killed.

python tests/setup/drill.py FOLDER SECONDS [ADDRESS [decided|committed COUNT]]
"""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import msgspec

from wartable import game, table
from wartable.croupier import Timing
from wartable.rules import NAMES, load
from wartable.rules.load import shipped_raw
from wartable.server.house.cashier import Cashier
from wartable.server.records import database, keys, table_leases
from wartable.server.records.messages import PayIn
from wartable.server.records.rows import CASHIER, Entry
from wartable.server.records.writer import Writer
from wartable.server.tables.listeners import Happened
from wartable.server.tables.live import LiveTable
from wartable.server.tables.meters import SharedMeters, sharing
from wartable.table import commands as c

TABLES = 20
BUY_IN = 1_000_000_00
"""Enough for hours of play: who is broke plays no more."""
FAST = Timing(bets_ms=1, choice_ms=1, cut_ms=0, bank_ms=1, seed_ms=0, number_ms=0, pause_ms=0)


class SystemClock:
    """The time of the machine."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        return time.time_ns() // 1_000_000


class House:
    """Twenty tables of all books on one database."""

    def __init__(self, folder: Path, address: str, point: str = "", count: int = 0) -> None:
        self.clock = SystemClock()
        self.engine = database.engine_for(address)
        database.create(self.engine)
        self.key = keys.load_key(folder / "key")
        self.writer = Writer(address)
        self.commit = mortal(self.writer.commit, point, count) if point else self.writer.commit
        head = database.head_of(self.engine, CASHIER)
        self.cashier = Cashier(self.writer.commit, self.clock, self.key, head)

    async def open(self) -> list[LiveTable]:
        """Every table, restored from its journal or opened anew."""
        opened = []
        shared = SharedMeters(self.engine, self.commit, self.clock, self.key)
        for number in range(TABLES):
            name = NAMES[number % len(NAMES)]
            book = load(name)
            setup = sharing(table.new_setup(book.rules, f"{name} {number}"), book.digest)
            await shared.open_for(book, setup, shipped_raw(name))
            fence, new = table_leases.open_table(
                self.engine, "drill", book, shipped_raw(name), setup
            )
            live = LiveTable(
                setup,
                FAST,
                commit=self.commit,
                clock=self.clock,
                new_seed=lambda: os.urandom(32).hex(),
                key=self.key,
                fence=fence,
                meters=shared.opened.get(setup.meters),
            )
            live.restore(database.rows_of(self.engine, setup.name))
            if live.head[0] == 0:
                await live.open(book.digest, new)
            opened.append(live)
        return opened


def mortal(
    commit: Callable[[Entry], Awaitable[None]], point: str, count: int
) -> Callable[[Entry], Awaitable[None]]:
    """A commit that kills the house at the tables' row of that number, right before or after it."""
    left = count

    async def commit_or_die(entry: Entry) -> None:
        nonlocal left
        left -= 1
        last = left == 0
        if last and point == "decided":
            die(entry, point)
        await commit(entry)
        if last and point == "committed":
            die(entry, point)

    return commit_or_die


def die(entry: Entry, point: str) -> None:
    """Say where, and be killed."""
    print(f"{point}\t{entry.row.table_name}\t{entry.row.number}", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


async def play(house: House, live: LiveTable, seats: int) -> None:
    """Players who bet and choose as fast as they can, and repeat every command."""
    players = [f"{live.setup.name} {seat}" for seat in range(1, seats + 1)]
    for seat, player in enumerate(players, 1):
        if player not in live.state.guests:
            await house.cashier.carry_out("drill", f"fund {player}", PayIn(player, 10 * BUY_IN))
            await live.submit(player, f"join {player}", c.Join(player, BUY_IN, seat))
    listener = live.listen(live.head[0])
    count = 0
    while True:
        count += 1
        for due in table.awaits(live.setup, live.state):
            for player in players:
                command = answer(live, due, player)
                if command is not None:
                    number = live.head[0]
                    first = live.submit(player, f"{player} {number} {count}", command)
                    again = live.submit(player, f"{player} {number} {count}", command)
                    assert await first == await again
        await asyncio.sleep(0)
        for told in listener.take():
            if isinstance(told, Happened):
                print("told\t" + msgspec.json.encode(told).decode(), flush=False)
        sys.stdout.flush()


def answer(live: LiveTable, due: table.Due, player: str) -> c.Command | None:
    """A simple player's command for what is due."""
    seat = live.state.guests[player].seat or 1
    if due.what == "bets":
        assert live.state.round is not None
        hand = live.state.round.hand(player, seat)
        if hand is None and player != live.state.round.banker:
            return game.Bet(player, seat, "primary", 500)
        if hand is not None and live.setup.meters and hand.wager("progressive") is None:
            return game.Bet(player, seat, "progressive", 100)
    if due.player != player or due.box is None:
        return c.TakeBank(player, 2_000) if (due.what, due.player) == ("bank", player) else None
    return game.Choose(player, due.box, "war") if due.what == "choice" else None


async def main(house: House, seconds: float) -> None:
    """Play until the time is over or somebody kills us."""
    tables = await house.open()
    print("ready", flush=True)
    tasks = [asyncio.create_task(live.run()) for live in tables]
    tasks += [
        asyncio.create_task(play(house, live, min(3, live.setup.rules.table.seats)))
        for live in tables
    ]
    done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
    for task in done:
        task.result()
    for task in tasks:
        task.cancel()
    await house.writer.close()


if __name__ == "__main__":
    where = Path(sys.argv[1])
    server = sys.argv[3] if len(sys.argv) > 3 else str(where / "house.sqlite")
    faults = (sys.argv[4], int(sys.argv[5])) if len(sys.argv) > 5 else ("", 0)
    asyncio.run(main(House(where, server, *faults), float(sys.argv[2])))
