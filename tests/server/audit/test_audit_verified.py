"""Verify goes on from the last verified mark: by the new rows only, and no less strictly."""

import json
import sqlite3
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from hosting import PASSWORD, Hosted
from recorded_houses import RecordedHouse, copied, new_database
from tampering import altered, drop_triggers, restore_triggers
from wartable.cli import wartable
from wartable.server.audit import verified
from wartable.server.audit.verified import FILE, VerifiedMark
from wartable.server.audit.verify import Verified, _older_reading, verify, verify_since
from wartable.server.records import database, keys, schema
from wartable.server.records.journal import Broken
from wartable.server.records.keys import HouseKey

FIRST, MORE = 2, 3


class Played(NamedTuple):
    """A house that was verified, and played on afterwards."""

    house: RecordedHouse
    mark: VerifiedMark
    rows: int


def play(folder: Path, address: str, rounds: int) -> None:
    """A house is open for a while: at a table of its own, and at one with shared meters."""
    with Hosted(folder, database=address, books=("online", "maryland")) as hosted:
        if not hosted.house.accounts.row("ann"):
            hosted.register("ann").close()
        with hosted.sign_in("ann", PASSWORD) as ann:
            ann.private("online")
            ann.play(rounds, deal=True)
            ann.must("leave")
            ann.hello("maryland 1")
            ann.must("join", amount=50_000, seat=1)
            for _ in range(rounds):
                ann.until("bets")
                assert ann.bet(1_000) == ""
                assert ann.bet(100, wager="progressive") in ("", "bets_closed")
                ann.play(1)
            ann.must("leave")


def opened(house: RecordedHouse) -> tuple[sa.Engine, HouseKey]:
    """The engine and the key of a house."""
    return database.engine_for(house.address), keys.read_key(house.folder / "key")


def since(house: RecordedHouse, mark: VerifiedMark | None) -> tuple[Verified, VerifiedMark]:
    """What verify finds, and the next mark."""
    engine, key = opened(house)
    try:
        return verify_since(engine, key, mark)
    finally:
        engine.dispose()


def count(house: RecordedHouse) -> int:
    """The rows of the journal."""
    engine, _ = opened(house)
    with engine.connect() as connection:
        found = connection.execute(sa.select(sa.func.count()).select_from(schema.journal)).scalar()
    engine.dispose()
    return int(found or 0)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A house in either database that played on after it was verified."""
    folder = tmp_path_factory.mktemp("verified")
    address = str(folder / "house.sqlite")
    if request.param == "postgres":
        address = new_database(request.getfixturevalue("postgres_server"))
    house = RecordedHouse(folder, address)
    play(folder, address, FIRST)
    _, mark = since(house, None)
    rows = count(house)
    play(folder, address, MORE)
    return Played(house, mark, rows)


def test_only_new_rows_are_checked(played: Played) -> None:
    """From a mark on, what is checked is what came after; the next mark is a whole run's."""
    found, mark = since(played.house, played.mark)
    again, _ = since(played.house, mark)
    assert (again.rows, again.transfers) == (0, 0)
    whole, other = since(played.house, None)
    assert found.rows == count(played.house) - played.rows < whole.rows
    assert found.tables == whole.tables
    assert mark.known_rights() == other.known_rights()
    mark.rights = other.rights
    assert {name: mark.table(name) for name in mark.tables} == {
        name: other.table(name) for name in other.tables
    }
    assert len(mark.meters) == 1
    mark.tables = other.tables
    assert {name: held for name, held in mark.balances.items() if held} == {
        name: held for name, held in other.balances.items() if held
    }
    mark.balances = other.balances
    assert mark == other


def test_an_older_reading_of_meters_is_the_houses(played: Played, tmp_path: Path) -> None:
    """A row of shared meters from before the mark is believed if the house wrote it."""
    house = copied(played.house, tmp_path)
    engine, key = opened(house)
    (name,) = played.mark.meters
    with engine.connect() as connection:
        rows = list(database.rows_of(connection, name))
        for row in rows[:3]:
            told = msgspec.json.decode(row.command)["meters"]
            found = _older_reading(connection, key, name, row.number)
            assert msgspec.to_builtins(found) == told
        assert _older_reading(connection, key, name, 0) is None
        assert _older_reading(connection, key, name, len(rows) + 1) is None
    for change in ("command = replace(command, '1', '2')", "mac = NULL"):
        with engine.begin() as connection:
            drop_triggers(connection)
            which = {"name": name}
            connection.execute(
                sa.text(f"UPDATE journal SET {change} WHERE table_name = :name AND number = 2"),
                which,
            )
            restore_triggers(connection)
        with engine.connect() as connection:
            assert _older_reading(connection, key, name, 2) is None
    engine.dispose()


NEW = "(SELECT max(number) FROM journal WHERE table_name = 'online@ann')"
AT = "table_name = 'online@ann' AND number ="
SPOILED = {
    "a new row": (f"UPDATE journal SET actor = 'eve' WHERE {AT} {NEW}", "online@ann row"),
    "a new row's code": (f"UPDATE journal SET mac = NULL WHERE {AT} {NEW}", "no authentication"),
    "new transfers": (
        "UPDATE transfers SET amount = amount + 1 WHERE table_name = 'online@ann'",
        "the transfers beside it",
    ),
    "a balance": ("UPDATE balances SET amount = amount + 5 WHERE account = 'wallet:ann'", "holds"),
    "an old right": ("UPDATE accounts SET role = 'admin' WHERE name = 'ann'", "role of ann"),
    "a result": ("UPDATE results SET net = net + 1 WHERE table_name = 'online@ann'", "results"),
    "a stranger": (
        "INSERT INTO heads (table_name, number, hash) VALUES ('zoo', 1, 'x')",
        "zoo has rows",
    ),
    "the marked row": (
        "UPDATE journal SET hash = 'x' WHERE table_name = 'online@ann' AND number = {marked}",
        "which was verified before, is another one now",
    ),
    "the whole end": (
        "DELETE FROM journal WHERE table_name = 'online@ann' AND number >= {marked}",
        "which was verified before, is gone now",
    ),
}


@pytest.mark.parametrize("what", SPOILED)
def test_tampering_after_the_mark_is_named(played: Played, what: str, tmp_path: Path) -> None:
    """Whoever changes what is new, or what the old rows led to, is found from the mark on."""
    house = copied(played.house, tmp_path)
    statement, told = SPOILED[what]
    engine, _ = opened(house)
    with engine.begin() as connection:
        drop_triggers(connection)
        marked = played.mark.heads["online@ann"][0]
        connection.execute(sa.text(statement.format(marked=marked)))
        restore_triggers(connection)
    engine.dispose()
    with pytest.raises(Broken, match=told):
        since(house, played.mark)


def test_a_forged_mark_is_no_mark(played: Played, tmp_path: Path) -> None:
    """Only this house's key, and only this code, makes a mark that is gone on from."""
    _, key = opened(played.house)
    verified.write(tmp_path, key, played.mark)
    assert verified.read(tmp_path, key) == played.mark
    assert verified.read(tmp_path, HouseKey(bytes(32))) is None
    text = (tmp_path / FILE).read_text()
    (tmp_path / FILE).write_text(altered(text))
    assert verified.read(tmp_path, key) is None
    verified.write(tmp_path, key, played.mark)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wartable.server.manifest.running", lambda: "other code")
        assert verified.read(tmp_path, key) is None


def steps(house: RecordedHouse, mark: VerifiedMark) -> int:
    """The steps of SQLite's machine for what is new after a mark."""
    engine, done = database.engine_for(house.address), 0
    key = keys.read_key(house.folder / "key")

    def step() -> int:
        nonlocal done
        done += 1
        return 0

    @sa.event.listens_for(engine, "connect")
    def _connected(connection: sqlite3.Connection, _: object) -> None:
        connection.set_progress_handler(step, 1)

    verify_since(engine, key, mark)
    engine.dispose()
    return done


def test_a_longer_history_is_no_more_work(tmp_path: Path) -> None:
    """With nothing new, the database has the same work after few rounds and after many."""
    house, work = RecordedHouse(tmp_path, str(tmp_path / "house.sqlite")), list[int]()
    for rounds in (1, 10):
        play(*house, rounds)
        found, mark = since(house, None)
        work.append(steps(house, mark))
    assert found.rows > 100
    assert work[1] < work[0] * 1.2, work


def run(*words: str) -> Result:
    """The result of a command."""
    return CliRunner().invoke(wartable, ["audit", "verify", *words])


def test_the_command_goes_on_from_its_mark(
    recorded_house: RecordedHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second run checks what is new; `--all` checks everything and shows its progress."""
    first = run(*recorded_house.options)
    assert first.stdout.startswith("Whole: 3 tables, ")
    second = run(*recorded_house.options)
    assert second.stdout.startswith("Whole since 2025-")
    assert ": 0 new rows and 0 transfers of 3 tables" in second.stdout
    assert json.loads(run(*recorded_house.options, "--json").stdout)["rows"] == 0
    monkeypatch.setattr("wartable.cli.wholeness.PROGRESS_ROWS", 1)
    whole = run(*recorded_house.options, "--all")
    assert whole.stdout == first.stdout
    told = [line.split()[0] for line in whole.stderr.splitlines()]
    assert len(told) == 20
    assert int(told[-1]) == count(recorded_house)
    engine, key = opened(recorded_house)
    with engine.begin() as connection:
        drop_triggers(connection)
        connection.execute(sa.text("UPDATE journal SET actor = 'eve' WHERE number = 1"))
        restore_triggers(connection)
    with pytest.raises(Broken):
        verify(engine, key)
    engine.dispose()
    assert run(*recorded_house.options, "--all").exit_code == 1
