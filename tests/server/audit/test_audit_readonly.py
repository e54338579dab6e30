"""R8, R10: records on a medium that cannot be written are checked where they lie."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from recorded_houses import RecordedHouse
from waiting import ran
from wartable.server.records import database, keys

pytestmark = pytest.mark.slow("starts the program as another user")

DROP_FROM_BOUNDS, OVERRIDE = 24, 1
"""Of Linux: the call that takes a capability from whoever runs next, and root's over modes."""


BOUND = (
    "import ctypes, os, sys;"
    f"ctypes.CDLL(None).prctl({DROP_FROM_BOUNDS}, {OVERRIDE}, 0, 0, 0);"
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)
"""A program that becomes another one, which obeys modes whoever runs it."""


def run(*words: str) -> "subprocess.CompletedProcess[str]":
    """The result of a Python program that obeys modes."""
    return ran([sys.executable, "-S", "-c", BOUND, *words])


def house_of(recorded: RecordedHouse, folder: Path) -> Path:
    """A copy of the house in a folder of its own."""
    folder.mkdir()
    for name in ("house.sqlite", "key"):
        shutil.copy2(recorded.folder / name, folder / name)
    return folder


@pytest.fixture
def medium(sqlite_house: RecordedHouse, tmp_path: Path) -> Iterator[Path]:
    """A house in a folder that cannot be written; its name must be quoted in an address."""
    folder = house_of(sqlite_house, tmp_path / "disc ?1#%20")
    for path in (*folder.iterdir(), folder):
        path.chmod(0o400 if path.is_file() else 0o500)
    tried = run("-c", "import pathlib, sys; pathlib.Path(sys.argv[1]).touch()", str(folder / "x"))
    assert "PermissionError" in tried.stderr
    yield folder
    folder.chmod(0o700)


def test_R8_records_that_cannot_be_written_are_read(medium: Path, tmp_path: Path) -> None:
    """Every reading command does its work, and leaves no file beside the records."""
    before = {path.name: path.read_bytes() for path in medium.iterdir()}
    for words, told in (
        (["audit", "verify"], "Whole: 3 tables, "),
        (["audit", "show", "maryland 1", "1"], "REPLAY of round 1 at maryland 1"),
        (["audit", "report"], "Report from the beginning"),
        (["audit", "export", str(tmp_path / "out")], "rounds.csv: "),
        (["audit", "bonus"], "maryland 1, round "),
        (["db", "backup", str(tmp_path / "a.backup")], "a.backup has all "),
    ):
        done = run("-m", "wartable", *words, "--data", str(medium))
        assert (done.returncode, done.stderr) == (0, ""), words
        assert told in done.stdout
    assert {path.name: path.read_bytes() for path in medium.iterdir()} == before


def test_R8_a_file_alone_that_cannot_be_written(
    sqlite_house: RecordedHouse, tmp_path: Path
) -> None:
    """A file whose folder could be written gets nothing put beside it either."""
    folder = house_of(sqlite_house, tmp_path / "house")
    (folder / "house.sqlite").chmod(0o400)
    done = run("-m", "wartable", "audit", "verify", "--data", str(folder))
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(path.name for path in folder.iterdir()) == ["house.sqlite", "key"]


def test_R8_last_rows_beside_the_file_are_not_passed_over(
    sqlite_house: RecordedHouse, tmp_path: Path
) -> None:
    """Records without the rows that a killed house left beside them are not checked as whole."""
    home = house_of(sqlite_house, tmp_path / "home")
    disc = tmp_path / "disc"
    engine = database.engine_for(str(home / "house.sqlite"))
    with closing(engine.raw_connection()) as connection:
        for sign in "+-":  # what changes nothing is not written
            connection.cursor().execute(f"UPDATE balances SET amount = amount {sign} 1")
            connection.commit()
        shutil.copytree(home, disc)
    engine.dispose()
    (disc / "house.sqlite-shm").unlink()
    disc.chmod(0o500)
    done = run("-m", "wartable", "audit", "verify", "--data", str(disc))
    disc.chmod(0o700)
    file = disc / "house.sqlite"
    assert done.returncode == 2
    assert done.stderr == (
        f"wartable: {file} is in a read-only place, and house.sqlite-wal belongs"
        " to it; copy both to a writable place.\n"
    )
    (disc / "house.sqlite-wal").rename(disc / "house.sqlite-journal")
    disc.chmod(0o500)
    half = run("-m", "wartable", "audit", "verify", "--data", str(disc))
    disc.chmod(0o700)
    assert "house.sqlite-journal belongs to it; copy both" in half.stderr
    (disc / "house.sqlite-journal").rename(disc / "house.sqlite-wal")
    whole = run("-m", "wartable", "audit", "verify", "--data", str(disc))
    assert whole.returncode == 0, whole.stderr


def test_R3_a_key_on_a_read_only_medium(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disc gives its files modes that nobody can change; elsewhere a shared key is refused."""
    key = keys.HouseKey(bytes(range(32)))
    keys.write_key(tmp_path / "key", key)
    (tmp_path / "key").chmod(0o444)
    with pytest.raises(keys.KeyProblem, match="set its mode to 0600"):
        keys.read_key(tmp_path / "key")
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_RDONLY))
    assert keys.read_key(tmp_path / "key") == key
