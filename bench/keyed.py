"""Durable commands per second with and without what withstands an insider, in turns of one run.

python bench/keyed.py [ROWS] [TURNS]

The tables of one house are played all the time. In every turn so many rows have codes, are compared
with the wallets and marked outside of the database; then twice as many have nothing of this, and
again as many as before have it. The next turn begins with those that have nothing, so that a
machine that gets slower hits both alike. The cost is the median of the turns'. "Alike" compares the
two halves of a turn that are the same, so it is zero but for the machine's noise: a cost within it
is none. The guard compares at sign-ins and payments, and nothing at a table. The first line is of
rows that no database stores, so that nothing but the server's own work is measured.
"""

import asyncio
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from server import BOOK, KEY, MONEY, Player, Run, cluster, rows_of, sqlite

from wartable.ledger import wallet
from wartable.server.audit.marks import KEEP_S, HouseMarks
from wartable.server.clock import HouseClock
from wartable.server.house.guard import Guard
from wartable.server.house.wallets import Wallets
from wartable.server.records import database
from wartable.server.records.chain import Head
from wartable.server.records.rows import Commit, Entry
from wartable.server.records.writer import Writer
from wartable.server.upkeep import collect_seldom

ROWS = 2_000
TURNS = 40
LOOK_S = 0.005
TABLES = 200
CODE = KEY.mac

Rates = tuple[float, float]
"""Rows per second, and rows per second of this process's own work."""


def no_code(_: str) -> Any:
    """The code of a row that has none."""
    return None


async def nothing(_: Entry) -> None:
    """Write nothing."""


class Guarded(Run):
    """Tables whose rows have codes, and are compared and marked as a house does, or none of it."""

    keyed = True

    def __init__(self, address: str, tables: int, folder: Path, stored: bool) -> None:
        super().__init__(address, tables)
        self._folder, self._stored = folder, stored
        self.marks: HouseMarks | None = None
        self.guard: Guard | None = None
        self._unmarked_s = 0.0

    def through(self, writer: Writer, engine: sa.Engine, clock: HouseClock) -> Commit:
        """Through the wallets of a house, while it is asked for."""
        self.guard = Guard(engine, KEY, self._folder)
        self.marks = HouseMarks(self._folder, KEY, clock.now_ms)
        heads: dict[str, Head] = {}
        plenty = {wallet(f"{BOOK} {number} player"): MONEY for number in range(self.tables)}
        wallets = Wallets(engine, self.guard, KEY, plenty, heads, self.marks.saw)

        write = writer.commit if self._stored else nothing

        async def commit(entry: Entry) -> None:
            if self.keyed:
                await wallets.commit(entry, write)
                return
            await write(entry)
            for each in entry.together():  # where the wallets go on
                heads[each.row.table_name] = (each.row.number, each.row.hash)

        return commit

    async def rate_of(self, players: list[Player], count: int, keyed: bool) -> Rates:
        """Rows per second of so many rows, and rows per second of this process's own work."""
        KEY.mac = CODE if keyed else no_code  # type: ignore[method-assign]  # the rows' only code
        self.keyed = keyed
        await self._played(players, len(players))  # rows that are on their way
        assert self.marks is not None
        rows, began, worked = rows_of(players), time.perf_counter(), time.process_time()
        await self._played(players, count)
        if keyed:
            self._unmarked_s += time.perf_counter() - began
            if self._unmarked_s >= KEEP_S:
                await self.marks.keep()
                self._unmarked_s = 0.0
        rows = rows_of(players) - rows
        return rows / (time.perf_counter() - began), rows / (time.process_time() - worked)

    async def _played(self, players: list[Player], count: int) -> None:
        """Wait until so many more rows are written."""
        last = rows_of(players) + count
        while rows_of(players) < last:
            await asyncio.sleep(LOOK_S)


async def measure(name: str, address: str, rows: int, turns: int, stored: bool) -> None:
    """Measure one database, and print it."""
    engine = database.engine_for(address)
    database.create(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP INDEX journal_unkeyed")  # which rows with codes are not in
    engine.dispose()
    turn_rates = []
    with tempfile.TemporaryDirectory() as folder:
        run = Guarded(address, TABLES, Path(folder), stored)
        async with run.playing() as players:
            for turn in range(turns):
                order = (True, False, False, True) if turn % 2 else (False, True, True, False)
                rates: dict[bool, list[Rates]] = {True: [], False: []}
                for keyed in order:
                    rates[keyed].append(await run.rate_of(players, rows, keyed))
                turn_rates.append(rates)
                progress(name, turn + 1, turns)
        assert run.guard is not None
        assert not run.guard.new_findings(), run.guard.new_findings()
    print(f"| {name} | {line(turn_rates)} |", flush=True)


def line(turns: list[dict[bool, list[Rates]]]) -> str:
    """Both rates, and the cost and the noise by time and by the process's own work."""
    shown = [
        f"{statistics.median(rate_in(each[keyed], 0) for each in turns):,.0f}"
        for keyed in (True, False)
    ]
    for place in (0, 1):
        cost = [1 - rate_in(each[True], place) / rate_in(each[False], place) for each in turns]
        alike = [1 - one[place] / other[place] for each in turns for one, other in each.values()]
        shown += [f"{statistics.median(cost):.1%}", f"{statistics.median(alike):.1%}"]
    return " | ".join(shown)


def rate_in(rates: list[Rates], place: int) -> float:
    """The rate of both halves of a turn together."""
    return statistics.harmonic_mean([each[place] for each in rates])


def progress(name: str, done: int, of: int) -> None:
    """Say how far it is, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r{name}: {done} of {of} turns", end="\n" if done == of else "", file=sys.stderr)


def main() -> None:
    """Both databases in one run."""
    collect_seldom()  # as `wartable serve` does
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else TURNS
    cores = f"{os.cpu_count()} cores, {turns} turns of four times {rows} rows, {TABLES} tables"
    print(f"Python {platform.python_version()}, {cores}")
    print(
        "| database | with codes, commands/s | without | cost | alike | by processor time | alike |"
    )
    print("|---|---|---|---|---|---|---|")
    places: dict[str, Callable[[], Any]] = {
        "none": sqlite,
        "SQLite": sqlite,
        "PostgreSQL": cluster,
    }
    for name, place in places.items():
        with place() as address:
            asyncio.run(measure(name, address, rows, turns, stored=name != "none"))


if __name__ == "__main__":
    main()
