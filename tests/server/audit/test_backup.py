"""R15, R3: a backup taken while tables are live restores whole, and has no seed in the clear."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from paths import TESTS
from recorded_houses import RecordedHouse, new_database
from tampering import drop_triggers
from waiting import WAIT_S, living, ran, until
from wartable.cli import wartable
from wartable.server.audit import backup, verify
from wartable.server.audit.backup import BackupProblem
from wartable.server.clock import HouseClock
from wartable.server.records import database, journal, keys, migrations, schema, table_leases
from wartable.server.records.journal import Broken
from wartable.table.commands import DecideCards, ShuffleCards, StartChain
from wartable.table.events import ShoeEnded

pytestmark = pytest.mark.slow("starts the program")

DRILL = TESTS / "setup" / "drill.py"


def run(*words: str, answers: str = "") -> Result:
    """The result of a command."""
    return CliRunner().invoke(wartable, list(words), input=answers)


def everything(address: str) -> dict[str, list[tuple[object, ...]]]:
    """All that is in a database, except what a backup leaves out and a restore writes down."""
    engine = database.engine_for(address)
    found = {}
    with engine.connect() as connection:
        for table in (schema.journal, schema.transfers, schema.balances, schema.accounts):
            rows = connection.execute(sa.select(table).order_by(*table.primary_key))
            found[table.name] = [tuple(row) for row in rows if "restored" not in str(row)]
    engine.dispose()
    return found


def test_R15_a_back_up_restores_all(
    whole: RecordedHouse, tmp_path: Path, empty_address: str
) -> None:
    """Every row comes back, into a database of the same kind, and is replayed."""
    file, home = tmp_path / "tonight.backup", tmp_path / "home"
    made = run("db", "backup", str(file), *whole.options)
    assert made.exit_code == 0, made.output
    assert file.stat().st_mode & 0o077 == 0
    asked = ["db", "restore", str(file), "--data", str(home), "--database", empty_address]
    restored = run(*asked, answers=f"{whole.folder / 'key'}\n")
    assert restored.exit_code == 0, restored.output
    assert "Restored and replayed: 3 tables, " in restored.output
    assert everything(empty_address) == everything(whole.address)
    verified = run("audit", "verify", "--data", str(home), "--database", empty_address)
    assert verified.exit_code == 0, verified.output
    out = tmp_path / "out"
    run("audit", "export", str(out), "--data", str(home), "--database", empty_address)
    assert ",restored,house," in (out / "events.csv").read_text()


def test_R15_a_back_up_moves_between_databases(whole: RecordedHouse, tmp_path: Path) -> None:
    """A backup of either kind of database restores into SQLite."""
    file, target = tmp_path / "a.backup", str(tmp_path / "b.sqlite")
    backup.back_up(whole.address, file)
    backup.restore(file, target, whole.key, 0)
    assert everything(target) == everything(whole.address)


def test_R15_into_postgres_from_sqlite(
    sqlite_house: RecordedHouse, postgres_house: RecordedHouse, tmp_path: Path
) -> None:
    """A backup of a SQLite file fills an empty PostgreSQL database, and no other."""
    file = tmp_path / "a.backup"
    backup.back_up(sqlite_house.address, file)
    with pytest.raises(BackupProblem, match="not empty"):
        backup.restore(file, postgres_house.address, sqlite_house.key, 0)
    assert [path.name for path in tmp_path.iterdir()] == ["a.backup"]


def test_R15_an_interrupted_restore_can_be_repeated(
    sqlite_house: RecordedHouse, postgres_server: str, tmp_path: Path
) -> None:
    """Tables without a row, as a restore that was cut off leaves them, are filled."""
    file, target = tmp_path / "a.backup", new_database(postgres_server)
    backup.back_up(sqlite_house.address, file)
    engine = database.engine_for(target)
    migrations.create(engine)
    engine.dispose()
    backup.restore(file, target, sqlite_house.key, 0)
    assert everything(target) == everything(sqlite_house.address)


def seeds_of(recorded: RecordedHouse) -> tuple[set[str], set[str]]:
    """The seeds of unfinished shoes, and those that are public."""
    engine = database.engine_for(recorded.address)
    drawn, ended = set(), set()
    for name in database.table_names(engine):
        for row in database.rows_of(engine, name):
            command, events = journal.read_row(row, recorded.key)
            if isinstance(command, ShuffleCards):
                drawn.add(command.seed)
            elif isinstance(command, StartChain):
                drawn.add(command.root)
            elif isinstance(command, DecideCards):
                drawn.add(command.link)
            ended |= {event.seed for event in events if isinstance(event, ShoeEnded)}
    engine.dispose()
    return drawn - ended, ended


def test_R3_no_seed_of_an_unfinished_shoe_is_in_a_back_up(
    whole: RecordedHouse, tmp_path: Path
) -> None:
    """Neither the seeds in use nor the key stand in the file in any spelling."""
    file = tmp_path / "a.backup"
    backup.back_up(whole.address, file)
    content = file.read_bytes()
    secret, _ = seeds_of(whole)
    assert len(secret) >= 3
    for each in {*secret, whole.key.secrets[0].hex()}:
        assert each.encode() not in content
        assert bytes.fromhex(each) not in content


def test_R15_a_restored_house_has_its_triggers(
    recorded_house: RecordedHouse, tmp_path: Path, empty_address: str
) -> None:
    """Records whose triggers were dropped are restored with their triggers."""
    engine = database.engine_for(recorded_house.address)
    with engine.begin() as connection:
        drop_triggers(connection)
    with pytest.raises(Broken, match=r"trigger journal_\w+ is missing"):
        verify.verify(engine, recorded_house.key)
    engine.dispose()
    file = tmp_path / "tonight.backup"
    backup.back_up(recorded_house.address, file)
    backup.restore(file, empty_address, recorded_house.key, HouseClock().shows_ms())
    engine = database.engine_for(empty_address)
    verify.verify(engine, recorded_house.key)
    engine.dispose()


def test_R15_a_bad_back_up_restores_nothing(
    whole: RecordedHouse, tmp_path: Path, empty_address: str
) -> None:
    """Another key, a changed row or a file that is none is refused, and nothing is left."""
    good, bad = tmp_path / "good.backup", tmp_path / "bad.backup"
    backup.back_up(whole.address, good)
    home, other = tmp_path / "home", tmp_path / "other"
    keys.load_key(other)
    bad.write_bytes(good.read_bytes())
    engine = sa.create_engine(f"sqlite:///{bad}")
    with engine.begin() as connection:
        drop_triggers(connection)
        connection.exec_driver_sql("UPDATE journal SET actor = 'x' WHERE number = 4")
    engine.dispose()
    (tmp_path / "none.backup").write_text("no backup")
    right = str(whole.folder / "key")
    for file, key, words in (
        (good, str(other), "this house did not write it"),
        (bad, right, "row 4: it was changed"),
        (tmp_path / "none.backup", right, "is not a backup of a house"),
        (tmp_path / "gone.backup", right, "there is no backup"),
    ):
        where = ["--data", str(home), "--database", empty_address, "--key", key]
        result = run("db", "restore", str(file), *where)
        assert result.exit_code == 2, result.output
        assert words in result.stderr
        assert len(result.stderr.splitlines()) == 1
        assert not home.exists()
    engine = database.engine_for(empty_address)
    with engine.connect() as connection:
        assert migrations.version_of(connection) is None
    engine.dispose()


def test_R15_a_back_up_with_a_damaged_page_is_not_whole(
    sqlite_house: RecordedHouse, tmp_path: Path
) -> None:
    """A medium that lost some of the file is said to have, and nothing is left of the restore."""
    file, place = tmp_path / "a.backup", tmp_path / "restored"
    backup.back_up(sqlite_house.address, file)
    engine = sa.create_engine(f"sqlite:///{file}")
    with engine.connect() as connection:
        size = connection.exec_driver_sql("PRAGMA page_size").scalar_one()
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'heads'"
        page = connection.exec_driver_sql(query).scalar_one()
    engine.dispose()
    content = bytearray(file.read_bytes())
    content[(page - 1) * size : page * size] = bytes(size)
    file.write_bytes(content)
    with pytest.raises(BackupProblem, match=r"the backup is not whole: .*malformed"):
        backup.restore(file, str(place), sqlite_house.key, HouseClock().shows_ms())
    assert list(tmp_path.glob("restored*")) == []


def test_R15_a_refused_restore_leaves_what_was_there(
    sqlite_house: RecordedHouse, tmp_path: Path
) -> None:
    """A folder that was there stays, with its key; of new ones none is left."""
    home, key = tmp_path / "home", sqlite_house.folder / "key"
    home.mkdir()
    asked = ["db", "restore", str(tmp_path / "gone.backup"), "--key", str(key), "--data"]
    assert run(*asked, str(home)).exit_code == 2
    assert run(*asked, str(tmp_path / "one" / "two")).exit_code == 2
    assert [(path.name, list(path.iterdir())) for path in tmp_path.iterdir()] == [("home", [])]
    keys.write_key(home / "key", sqlite_house.key)
    assert run(*asked, str(home)).exit_code == 2
    assert keys.read_key(home / "key") == sqlite_house.key


def test_R3_a_restored_key_is_its_owners_from_the_first_byte(
    sqlite_house: RecordedHouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else can read the key file, though its mode is never changed after it was made."""
    file, home = tmp_path / "a.backup", tmp_path / "home"
    backup.back_up(sqlite_house.address, file)
    monkeypatch.setattr(os, "chmod", lambda *_, **__: None)
    asked = ["db", "restore", str(file), "--key", str(sqlite_house.folder / "key")]
    restored = run(*asked, "--data", str(home))
    assert restored.exit_code == 0, restored.output
    assert (home / "key").stat().st_mode & 0o777 == 0o600


def test_R15_a_full_disk_is_not_the_back_ups_fault(
    sqlite_house: RecordedHouse, tmp_path: Path
) -> None:
    """Where there is no room, the sentence says so, and not that the file is no backup."""
    file = tmp_path / "a.backup"
    backup.back_up(sqlite_house.address, file)
    room = file.stat().st_size // 2
    program = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}));"
        "from wartable.cli import main; main()"
    )
    words = ["db", "restore", str(file), "--key", str(sqlite_house.folder / "key")]
    words += ["--data", str(tmp_path / "new")]
    command = [sys.executable, "-c", program, *words]
    found = ran(command)
    assert found.returncode == 2, found
    assert len(found.stderr.splitlines()) == 1, found
    assert "no backup" not in found.stderr
    assert "disk" in found.stderr
    assert "new/house.sqlite cannot be written: " in found.stderr
    assert not (tmp_path / "new").exists()


def test_a_back_up_is_never_written_over(whole: RecordedHouse, tmp_path: Path) -> None:
    """A file that is there stays as it is."""
    file = tmp_path / "a.backup"
    file.write_text("mine")
    result = run("db", "backup", str(file), *whole.options)
    assert result.exit_code == 2
    assert result.stderr == f"wartable: {file} already exists; choose another place.\n"
    assert file.read_text() == "mine"


def test_R15_nothing_of_another_database_gets_into_a_restored_one(
    sqlite_house: RecordedHouse, tmp_path: Path
) -> None:
    """What a killed house left beside its file would be read into the one restored there."""
    file, target = tmp_path / "a.backup", tmp_path / "house.sqlite"
    backup.back_up(sqlite_house.address, file)
    for end in ("wal", "journal"):
        left = Path(f"{target}-{end}")
        left.write_bytes(b"what the old house wrote last")
        with pytest.raises(BackupProblem, match=f"{left.name} already exists"):
            backup.restore(file, str(target), sqlite_house.key, 0)
        assert (left.read_bytes(), target.exists()) == (b"what the old house wrote last", False)
        left.unlink()
    backup.restore(file, str(target), sqlite_house.key, 0)
    assert everything(str(target)) == everything(sqlite_house.address)


def test_R15_back_ups_while_tables_are_live(empty_address: str, tmp_path: Path) -> None:
    """Backups of twenty busy tables restore to whole records, one after the other longer."""
    told = tmp_path / "told"
    with told.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, str(DRILL), str(tmp_path), str(WAIT_S), empty_address], stdout=out
        )
    with living(server):
        until(lambda: told.read_bytes().count(b"told\t") >= 50, "it tells too little")
        files = [tmp_path / f"{number}.backup" for number in range(3)]
        rows = []
        for file in files:
            rows.append(backup.back_up(empty_address, file))
            until(lambda: told.read_bytes().count(b"told\t") > rows[-1], "it does not go on")
        assert server.poll() is None
    assert 0 < rows[0] < rows[1] < rows[2]
    key = keys.read_key(tmp_path / "key")
    for number, file in enumerate(files):
        target = str(tmp_path / f"{number}.sqlite")
        found = backup.restore(file, target, key, 0)
        assert found.rows == rows[number] + 1
        engine = database.engine_for(target)
        assert verify.verify(engine, key) == found
        assert sum(database.balances(engine).values()) == 0
        engine.dispose()


def test_R15_a_restored_house_goes_on(whole: RecordedHouse, tmp_path: Path) -> None:
    """A table of a restored house can be taken at once, whoever had it open."""
    file, target = tmp_path / "a.backup", str(tmp_path / "b.sqlite")
    backup.back_up(whole.address, file)
    backup.restore(file, target, whole.key, 0)
    engine = database.engine_for(target)
    assert table_leases.take(engine, "somebody", "maryland 1") > 1
    engine.dispose()
    assert json.loads(run("audit", "verify", *whole.options, "--json").stdout)["whole"]
