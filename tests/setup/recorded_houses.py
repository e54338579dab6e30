"""Houses with a record of some rounds at three tables, in SQLite and PostgreSQL, to be audited."""

import asyncio
import hashlib
import itertools
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import psycopg
import pytest
import sqlalchemy as sa

from postgres import cluster
from waiting import in_time
from wartable import game, table
from wartable.croupier import Timing
from wartable.game.wagers import SIDE_BETS
from wartable.rules import load
from wartable.rules.load import shipped_raw
from wartable.server.house.cashier import Cashier
from wartable.server.house.office import Office
from wartable.server.records import database, keys, store, table_leases
from wartable.server.records.answers import Accepted
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Note, PayIn, PayOut
from wartable.server.records.rows import CASHIER, OFFICE
from wartable.server.records.writer import Writer
from wartable.server.tables.live import LiveTable
from wartable.table import PLATFORM
from wartable.table import commands as c

BOOKS = ("maryland", "california", "online")
PLAYERS = ("ann", "bob", "=cmd")
ROUNDS = 8
BEGIN_MS = 1_750_000_000_000
MINUTE_MS = 60_000
CLOSE = "INSERT INTO closures (scope, name, actor, at_ms, reason) VALUES (?, ?, ?, ?, ?)"
OWN_PACE = Timing(None, None, None, None, seed_ms=0, number_ms=0, pause_ms=0)


class Clock:
    """A clock that goes on by a second each time it is read."""

    def __init__(self, from_ms: int = BEGIN_MS) -> None:
        self.last_ms = from_ms

    def now_ms(self) -> int:
        """The next second."""
        self.last_ms += 1_000
        return self.last_ms


class RecordedHouse(NamedTuple):
    """A house's folder with its key, and the address of its database."""

    folder: Path
    address: str

    @property
    def key(self) -> HouseKey:
        """The key that opens the seeds."""
        return keys.read_key(self.folder / "key")

    @property
    def options(self) -> list[str]:
        """What tells a command where the house is."""
        return ["--data", str(self.folder), "--database", self.address]


async def record_house(folder: Path, address: str, rounds: int = ROUNDS) -> None:
    """Play some rounds at each table and stop in the middle of another; no lease is left."""
    folder.mkdir(exist_ok=True)
    clock, engine = Clock(), database.engine_for(address)
    database.create(engine)
    key = keys.load_key(folder / "key")
    writer = Writer(address)
    office = Office(writer.commit, clock, key, database.head_of(engine, OFFICE))
    cashier = Cashier(writer.commit, clock, key, database.head_of(engine, CASHIER))
    await office.note(PLATFORM, Note("house_opened", "recorded"))
    for name in BOOKS:
        live = await _open(engine, writer, clock, key, name)
        await _sit(cashier, live)
        running = asyncio.create_task(live.run())
        await _play(live, rounds)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    await cashier.carry_out("bob", "out", PayOut("bob", 1_000))
    closed = Note("disabled", "gaming", "=SUM(A1)", "enabled", "disabled")
    await office.note("eve", closed, (CLOSE, ("gaming", "", "eve", BEGIN_MS, "=SUM(A1)")))
    await writer.close()
    table_leases.release(engine, "recorded")
    engine.dispose()


async def _open(
    engine: sa.Engine, writer: Writer, clock: Clock, key: HouseKey, name: str
) -> LiveTable:
    book = load(name)
    setup = table.new_setup(book.rules, f"{name} 1")
    raw = shipped_raw(name)
    fence, new = table_leases.open_table(engine, "recorded", book, raw, setup)
    numbers = itertools.count()
    live = LiveTable(
        setup,
        OWN_PACE,
        commit=writer.commit,
        clock=clock,
        new_seed=lambda: hashlib.sha256(f"{name} {next(numbers)}".encode()).hexdigest(),
        key=key,
        fence=fence,
    )
    await live.open(book.digest, new)
    return live


async def _sit(cashier: Cashier, live: LiveTable) -> None:
    name = live.setup.name
    for player in PLAYERS:
        await cashier.carry_out("eve", f"{player} to {name}", PayIn(player, 1_000_000))


def _seated(live: LiveTable) -> list[tuple[int, str]]:
    """The players with their seats, as many as there are seats."""
    return list(enumerate(PLAYERS[: live.setup.rules.table.seats], 1))


async def _play(live: LiveTable, rounds: int) -> None:
    """Answer what is due until so many rounds are over and the next has wagers on the felt."""
    for seat, player in _seated(live):
        answer = await live.submit(player, f"join {player}", c.Join(player, 500_000, seat))
        assert isinstance(answer, Accepted), answer
    for number in range(10_000):
        due = table.awaits(live.setup, live.state)[0]
        over = live.state.rounds > rounds
        if over and due.what == "bets" and live.state.round and live.state.round.hands:
            return
        for place, (actor, command) in enumerate(_answers(live, due)):
            await live.submit(actor, f"{number}.{place}", command)
        await asyncio.sleep(0.001)
    raise AssertionError("the rounds do not end")


def _answers(live: LiveTable, due: table.Due) -> Iterator[tuple[str, c.Command]]:
    player = due.player or ""
    match due.what:
        case "cut":
            yield player, c.RefuseCut(player)
        case "bank":
            yield player, c.TakeBank(player, 50_000)
        case "choice":
            assert due.box is not None
            yield player, game.Choose(player, due.box, "war")
        case "bets":
            yield from _bets(live)
            if live.state.rounds <= ROUNDS:
                yield PLATFORM, game.CloseBets()


def _bets(live: LiveTable) -> Iterator[tuple[str, c.Command]]:
    state, rules = live.state, live.setup.rules
    assert state.round is not None
    for seat, player in _seated(live):
        if player == state.round.banker:
            continue
        yield player, game.Bet(player, seat, "primary", 2_000)
        yield player, game.Bet(player, seat, "tie", 500)
        for each in SIDE_BETS:
            if sizes := each.denominations(rules):
                yield player, game.Bet(player, seat, each.kind, sizes[0])


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL server of this run's own."""
    with cluster() as address:
        yield address


@pytest.fixture(scope="session")
def sqlite_house(tmp_path_factory: pytest.TempPathFactory) -> RecordedHouse:
    """The recorded house in a SQLite file, not to be changed."""
    folder = tmp_path_factory.mktemp("recorded")
    recorded = RecordedHouse(folder, str(folder / "house.sqlite"))
    in_time(record_house(*recorded))
    return recorded


@pytest.fixture(scope="session")
def postgres_house(tmp_path_factory: pytest.TempPathFactory, postgres_server: str) -> RecordedHouse:
    """The recorded house in PostgreSQL, not to be changed."""
    folder = tmp_path_factory.mktemp("recorded")
    recorded = RecordedHouse(folder, new_database(postgres_server))
    in_time(record_house(*recorded))
    return recorded


@pytest.fixture(params=["sqlite", "postgres"])
def whole(request: pytest.FixtureRequest) -> RecordedHouse:
    """The recorded house in either database, only to be read."""
    recorded: RecordedHouse = request.getfixturevalue(f"{request.param}_house")
    return recorded


@pytest.fixture
def recorded_house(whole: RecordedHouse, tmp_path: Path) -> RecordedHouse:
    """The recorded house in either database, a copy that a test may spoil."""
    return copied(whole, tmp_path)


def copied(whole: RecordedHouse, folder: Path) -> RecordedHouse:
    """A copy of a house's records and key that a test may spoil."""
    shutil.copy2(whole.folder / "key", folder / "key")
    if store.is_postgres(whole.address):
        server, _, name = whole.address.rpartition("/")
        return RecordedHouse(folder, new_database(f"{server}/postgres", name))
    address = str(folder / "house.sqlite")
    with closing(sqlite3.connect(whole.address)) as old, closing(sqlite3.connect(address)) as new:
        old.backup(new)
    return RecordedHouse(folder, address)


@pytest.fixture
def empty_address(whole: RecordedHouse, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The address of another database of the same kind, with nothing in it."""
    if store.is_postgres(whole.address):
        return empty_database(request.getfixturevalue("postgres_server"))
    return str(tmp_path / "another.sqlite")


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database of either kind in which nothing was written yet."""
    if request.param == "sqlite":
        return str(tmp_path / "house.sqlite")
    return new_database(request.getfixturevalue("postgres_server"))


_NUMBERS = itertools.count(1)
_NOTHING_YET = "template_of_houses"
_COPIES_FILES = 150_000
"""Since this version PostgreSQL has to be asked to copy a database's files."""


def new_database(server: str, template: str | None = None) -> str:
    """The address of a new database on the server, a copy of another or of a house's at first.

    To make its tables and indices costs five times as much as to copy them.
    """
    if template is None:
        template = _NOTHING_YET
        with psycopg.connect(server, autocommit=True) as connection:
            known = "SELECT FROM pg_database WHERE datname = %s"
            made = connection.execute(known, [template]).fetchone()
        if made is None:
            engine = database.engine_for(empty_database(server, template))
            database.create(engine)
            engine.dispose()
    return empty_database(server, f"house{next(_NUMBERS)}", template)


def empty_database(server: str, name: str = "", template: str = "template1") -> str:
    """The address of a database on the server in which nothing was made yet, or of a copy."""
    name = name or f"empty{next(_NUMBERS)}"
    with psycopg.connect(server, autocommit=True) as connection:
        strategy = "STRATEGY FILE_COPY" if connection.info.server_version >= _COPIES_FILES else ""
        words = f"CREATE DATABASE {name} TEMPLATE {template} {strategy}"
        connection.execute(words.encode())
    return f"{server.rpartition('/')[0]}/{name}"
