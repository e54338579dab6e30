"""R4: a server killed at any moment loses nothing and does nothing twice."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Self

import msgspec
import pytest

from paths import TESTS
from postgres import Cluster, running
from tampering import drop_triggers
from telling import tellable
from waiting import WAIT_S, living, until
from wartable.server.audit import verify
from wartable.server.records import database, keys
from wartable.server.records.journal import Broken
from wartable.server.tables.listeners import Happened

pytestmark = pytest.mark.slow("starts and kills the program")

DRILL = TESTS / "setup" / "drill.py"
DRILL_S = 3_600
KILLS = 2
KILLS_DEEP = 200
VERIFY_EVERY = 20


class Drilled:
    """A house that plays in a process of its own, and what it has told so far."""

    def __init__(self, folder: Path, address: str, *faults: str) -> None:
        self._told, self._errors = folder / "told", folder / "errors"
        self._lines: list[list[str]] = []
        self._read_bytes = 0
        self._ending = ExitStack()
        with self._told.open("wb") as out, self._errors.open("wb") as errors:
            words = [sys.executable, str(DRILL), str(folder), str(DRILL_S), address, *faults]
            self._process = subprocess.Popen(words, stdout=out, stderr=errors)

    def lines(self, word: str) -> list[str]:
        """The rest of every whole line that begins with the word."""
        with self._told.open("rb") as file:
            file.seek(self._read_bytes)
            whole = file.read().rpartition(b"\n")[0]
        if whole:
            self._read_bytes += len(whole) + 1
            self._lines += [line.decode().split("\t", 1) for line in whole.split(b"\n")]
        return [rest[0] if rest else "" for first, *rest in self._lines if first == word]

    def told(self) -> list[Happened]:
        """All that was told."""
        return [msgspec.json.decode(line, type=Happened) for line in self.lines("told")]

    def wait_ready(self) -> None:
        """Wait until the tables are open."""
        until(lambda: self.lines("ready") or not self.lives(), "the tables do not open")
        assert self.lives(), self._errors.read_text()

    def lives(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def wait_told(self, least: int) -> None:
        """Wait until so much was told."""
        until(lambda: len(self.lines("told")) >= least or not self.lives(), "it tells too little")

    def wait_dead(self) -> None:
        """Wait until it has killed itself."""
        assert self._process.wait(WAIT_S) == -signal.SIGKILL, self._errors.read_text()

    def __enter__(self) -> Self:
        self._ending.enter_context(living(self._process, DRILL_S))
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.close()

    def kill(self) -> None:
        """Kill it without warning; it must have lived until now."""
        alive = self.lives()
        self._process.kill()
        self._process.wait(WAIT_S)
        assert alive, self._errors.read_text()


def run_and_kill(folder: Path, wait_s: float, address: str, least: int = 0) -> list[Happened]:
    """Start the house, kill it when it has told enough, and return what it had told by then."""
    with Drilled(folder, address) as house:
        house.wait_ready()
        house.wait_told(least)
        time.sleep(wait_s)
        house.kill()
        return house.told()


def check_records(folder: Path, address: str, told: list[Happened]) -> int:
    """All that was told is written just so, nothing is there twice, every cent is; the rows."""
    engine = database.engine_for(address)
    key = keys.read_key(folder / "key")
    verified = verify.verify(engine, key)
    assert sum(database.balances(engine).values()) == 0
    for name in {each.table for each in told}:
        ids = Counter(row.command_id for row in database.rows_of(engine, name))
        assert max(ids.values()) == 1
        rows = tellable(engine, key, name)
        heard = [each for each in told if each.table == name]
        assert [each.number for each in heard] == [
            heard[0].number + place for place in range(len(heard))
        ]
        assert all(rows[each.number] == each for each in heard)
    engine.dispose()
    return verified.rows


def test_R4_a_killed_server_loses_nothing(tmp_path: Path, address: str, deep: bool) -> None:
    """After every kill all that was told is in the journal, once, and every cent is there."""
    chance = random.Random(4)
    played = 0
    for count in range(KILLS_DEEP if deep else KILLS):
        told = run_and_kill(tmp_path, chance.uniform(0.05, 1.0), address)
        if count < KILLS or count % VERIFY_EVERY == 0:
            rows = check_records(tmp_path, address, told)
            assert rows >= played
            played = rows
    told = run_and_kill(tmp_path, 0, address, least=100)
    assert len(told) >= 100
    check_records(tmp_path, address, told)


@pytest.fixture
def postgres_cluster() -> Iterator[Cluster]:
    """A PostgreSQL of the test's own, to be killed."""
    with running() as cluster:
        yield cluster


def test_R4_a_killed_database_loses_nothing(
    tmp_path: Path, postgres_cluster: Cluster, deep: bool
) -> None:
    """A house whose PostgreSQL is killed under it waits, asks the journal, and goes on."""
    chance = random.Random(5)
    with Drilled(tmp_path, postgres_cluster.address) as house:
        house.wait_ready()
        heard = 0
        for _ in range(KILLS_DEEP if deep else KILLS):
            time.sleep(chance.uniform(0.05, 1.0))
            postgres_cluster.kill()
            postgres_cluster.start()
            house.wait_told(heard + 1)
            heard = len(house.lines("told"))
        house.wait_told(100)
        house.kill()
        assert check_records(tmp_path, postgres_cluster.address, house.told()) > 100


@pytest.mark.parametrize("point", ["decided", "committed"])
def test_R4_nothing_is_told_that_is_not_written(
    tmp_path: Path, address: str, point: str, deep: bool
) -> None:
    """A house that dies between decide and commit, or commit and tell, told nothing of that row."""
    chance = random.Random(6)
    for _ in range(20 if deep else 1):
        with Drilled(tmp_path, address, point, str(chance.randrange(1, 300))) as house:
            house.wait_dead()
        told = house.told()
        name, number = house.lines(point)[0].split("\t")
        engine = database.engine_for(address)
        rows = {row.number for row in database.rows_of(engine, name)}
        engine.dispose()
        assert (int(number) in rows) == (point == "committed")
        assert int(number) not in {each.number for each in told if each.table == name}
        check_records(tmp_path, address, told)
    run_and_kill(tmp_path, 0.3, address)


def test_R8_a_changed_row_is_found(tmp_path: Path) -> None:
    """Changing, removing or reordering rows or transfers is found, and the first bad row named."""
    address = str(tmp_path / "house.sqlite")
    run_and_kill(tmp_path, 0, address, least=1_000)  # fifty for each table, more or less
    engine = database.engine_for(address)
    key = keys.read_key(tmp_path / "key")
    verify.verify(engine, key)
    name = database.table_names(engine)[0]
    last = database.head_of(engine, name)
    assert last is not None
    whole = tmp_path / "whole.sqlite"
    copy(tmp_path / "house.sqlite", whole)
    engine.dispose()
    for statement, words in (
        ("UPDATE journal SET actor = 'x' WHERE table_name = ? AND number = 3", "row 3"),
        ("DELETE FROM journal WHERE table_name = ? AND number = 4", "row 4 is missing"),
        (f"DELETE FROM journal WHERE table_name = ? AND number = {last[0]}", "the chain ends"),
        ("UPDATE transfers SET amount = amount + 1 WHERE table_name = ?", "transfers"),
        ("UPDATE balances SET amount = amount + 1 WHERE ? <> '' AND account = 'house'", "house"),
    ):
        bad = tmp_path / "bad.sqlite"
        bad.unlink(missing_ok=True)
        copy(whole, bad)
        engine = database.engine_for(str(bad))
        with engine.begin() as connection:
            drop_triggers(connection)
            connection.exec_driver_sql(statement, (name,))
        with pytest.raises(Broken, match=words):
            verify.verify(engine, key)
        engine.dispose()


def copy(source: Path, target: Path) -> None:
    """Copy a SQLite database with all that its write-ahead log holds."""
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
