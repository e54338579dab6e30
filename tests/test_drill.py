"""R4: a server killed at any moment loses nothing and does nothing twice."""

import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from postgres import cluster
from wartable.server import audit, database, keys
from wartable.server.journal import Broken

DRILL = Path(__file__).with_name("drill.py")
KILLS = 4
KILLS_DEEP = 200


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty database of either kind."""
    if request.param == "sqlite":
        yield str(tmp_path / "house.sqlite")
    else:
        with cluster() as server:
            yield server


def run_and_kill(folder: Path, wait_s: float, address: str) -> list[tuple[str, int, int]]:
    """Start the house, kill it without warning, and return what it had told by then."""
    told = folder / "told"
    with told.open("wb") as out, (folder / "errors").open("wb") as errors:
        server = subprocess.Popen(
            [sys.executable, str(DRILL), str(folder), "60", address], stdout=out, stderr=errors
        )
        deadline = time.monotonic() + 60
        while b"ready" not in told.read_bytes() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(wait_s)
        alive = server.poll() is None
        server.kill()
        server.wait()
    assert alive, (folder / "errors").read_text()
    lines = told.read_bytes().split(b"\n")[:-1]
    found = [line.decode().split("\t") for line in lines if line.startswith(b"told")]
    return [(name, int(number), int(events)) for _, name, number, events in found]


def test_R4_a_killed_server_loses_nothing(tmp_path: Path, address: str, deep: bool) -> None:
    """After every kill all that was told is in the journal, once, and every cent is there."""
    chance = random.Random(4)
    played = 0
    for _ in range(KILLS_DEEP if deep else KILLS):
        told = run_and_kill(tmp_path, chance.uniform(0.05, 1.0), address)
        engine = database.engine_for(address)
        verified = audit.verify(engine, keys.read_key(tmp_path / "key"))
        assert verified.rows >= played
        played = verified.rows
        for name in {name for name, _, _ in told}:
            rows = {row.number: row for row in database.rows_of(engine, name)}
            ids = Counter(row.command_id for row in rows.values())
            assert max(ids.values()) == 1
            numbers = [number for other, number, _ in told if other == name]
            assert numbers == sorted(set(numbers))
            assert set(numbers) <= set(rows)
        engine.dispose()
    assert played > 100


def test_R8_a_changed_row_is_found(tmp_path: Path) -> None:
    """Changing, removing or reordering rows or transfers is found, and the first bad row named."""
    address = str(tmp_path / "house.sqlite")
    run_and_kill(tmp_path, 1.0, address)
    engine = database.engine_for(address)
    key = keys.read_key(tmp_path / "key")
    audit.verify(engine, key)
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
            connection.exec_driver_sql(statement, (name,))
        with pytest.raises(Broken, match=words):
            audit.verify(engine, key)
        engine.dispose()


def copy(source: Path, target: Path) -> None:
    """Copy a SQLite database with all that its write-ahead log holds."""
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
