"""A house that version 0.1.0 recorded is opened, verified and played on."""

import lzma
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from hosting import Hosted
from recorded_houses import empty_database
from wartable.cli import wartable
from wartable.rules.settings import HOUSE_LIMITS
from wartable.server.audit import backup, verify
from wartable.server.config import Config, HouseProblem
from wartable.server.records import database, migrations, schema
from wartable.server.records.keys import read_key
from wartable.server.records.rows import OFFICE
from wartable.server.running import House

DATA = Path(__file__).parents[2] / "data"
PLAYER, EXCLUDED, FLOOR = "alice", "carol", "fiona"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a house with rounds of four books, an open round, limits and closures."""
    packed = (DATA / "house-0.1.0.sqlite.xz").read_bytes()
    (tmp_path / "house.sqlite").write_bytes(lzma.decompress(packed))
    shutil.copy(DATA / "house-0.1.0.key", tmp_path / "key")
    (tmp_path / "key").chmod(0o600)
    result = CliRunner().invoke(wartable, ["db", "upgrade", "--data", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "Its rows are authenticated by the house's key from now on." in result.output
    return tmp_path


def verified(folder: Path) -> str:
    """What the audit says of the house."""
    result = CliRunner().invoke(wartable, ["audit", "verify", "--data", str(folder)])
    assert result.exit_code == 0, result.output
    return result.output


def test_the_records_of_an_old_house_are_whole(folder: Path) -> None:
    """Every row that version 0.1.0 wrote is replayed, and the audit says that it is no more."""
    told = verified(folder)
    assert told.startswith("Whole: 6 tables, 322 rows and 232 transfers")
    assert "321 rows from before rows had codes were replayed only." in told


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE accounts SET role = 'admin' WHERE name = 'fiona'", "the role of fiona"),
        ("UPDATE limits SET amount = 1 WHERE account = 'alice'", "the limit of alice"),
        ("UPDATE limits SET next_from_ms = 1 WHERE account = 'alice'", "the time of the next"),
        ("UPDATE accounts SET excluded_until_ms = 0 WHERE name = 'carol'", "the exclusion of"),
        ("UPDATE api_keys SET revoked_ms = NULL WHERE name = 'old'", "the key of old"),
        ("UPDATE api_keys SET digest = 'x' WHERE name = 'till'", "the digest of the key of till"),
        ("UPDATE accounts SET password = 'x' WHERE name = 'bobby'", "the password of bobby"),
        ("DELETE FROM closures WHERE name = 'washington'", "the closure of book washington"),
    ],
)
def test_the_words_of_old_notes_are_still_compared(folder: Path, change: str, told: str) -> None:
    """A right that is not what an old note says in words is found."""
    with closing(sqlite3.connect(folder / "house.sqlite")) as connection, connection:
        assert connection.execute(change).rowcount == 1
    result = CliRunner().invoke(wartable, ["audit", "verify", "--data", str(folder)])
    assert result.exit_code == 1
    assert told in result.output


def test_an_old_house_is_played_on(folder: Path) -> None:
    """Tables go on where they stood, limits and closures hold, and the records stay whole."""
    engine = database.engine_for(str(folder / "house.sqlite"))
    with engine.connect() as connection:
        rows = connection.execute(sa.select(sa.func.count()).select_from(schema.journal)).scalar()
    with Hosted(folder, approve="a new version") as hosted:
        protection = hosted.house.protection
        held = protection.limits.held[PLAYER, "loss_day", "player"]
        assert (held.amount, held.next_amount) == (50_000, 80_000)
        assert protection.closures["book", "washington"].actor == FLOOR
        assert EXCLUDED in protection.excluded
        assert hosted.house.floor.places["maryland 1"].live.state.rounds >= 6
        with hosted.guest() as guest:
            guest.private("maryland")
            guest.play(2, deal=True)
    with engine.connect() as connection:
        now = connection.execute(sa.select(sa.func.count()).select_from(schema.journal)).scalar()
    assert now is not None
    assert now > (rows or 0)
    verify.verify(engine, read_key(folder / "key"))
    engine.dispose()


@pytest.mark.finding(5)
def test_an_old_house_gets_limits(folder: Path) -> None:
    """Tables from before they had limits take the house's, and their records stay whole."""
    with Hosted(folder, approve="a new version", limits=HOUSE_LIMITS) as hosted:
        for name in ("maryland 1", "washington 1"):
            limits = hosted.house.floor.places[name].live.setup.rules.limits
            assert (limits.primary.min, limits.primary.max, limits.ceiling) == (500, 30_000, 30_000)
        with hosted.guest() as guest:
            guest.private("maryland")
            guest.until("cut")
            guest.do("refuse_cut")
            assert guest.bet(499) == "limit"
            assert guest.bet(500) == ""
    verified(folder)


@pytest.fixture(params=["sqlite", "postgres"])
def old_copy(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str, str, str]:
    """A house that was upgraded, and a copy of its database from before; where to restore to."""
    folder, packed = tmp_path / "house", (DATA / "house-0.1.0.sqlite.xz").read_bytes()
    folder.mkdir()
    shutil.copy(DATA / "house-0.1.0.key", folder / "key")
    (folder / "key").chmod(0o600)
    (tmp_path / "old.sqlite").write_bytes(lzma.decompress(packed))
    if request.param == "sqlite":
        shutil.copy(tmp_path / "old.sqlite", folder / "house.sqlite")
        return folder, str(folder / "house.sqlite"), str(tmp_path / "old.sqlite"), ""
    server = request.getfixturevalue("postgres_server")
    source = database.engine_for(str(tmp_path / "old.sqlite"))
    houses = [empty_database(server) for _ in range(2)]
    for each in houses:
        target = database.engine_for(each)
        with source.connect() as connection:
            migrations.upgrade(target, migrations.version_of(connection) or "")
            with target.begin() as copying:
                backup.copy_tables(connection, copying)
        target.dispose()
    source.dispose()
    return folder, houses[0], houses[1], empty_database(server)


def test_R8_an_older_copy_of_the_database_is_taken_back_by_hand(
    old_copy: tuple[Path, str, str, str], tmp_path: Path
) -> None:
    """Refused, backed up, restored and accepted: the way that the refusals name works."""
    folder, address, old, empty = old_copy

    def run(*words: str, at: str) -> Result:
        where = ["--data", str(folder), "--database", at]
        return CliRunner().invoke(wartable, [*words, *where])

    assert run("db", "upgrade", at=address).exit_code == 0
    with Hosted(folder, database=address, books=("online",), approve="a new version"):
        pass
    whole = run("audit", "verify", at=address)
    assert whole.exit_code == 0, whole.output

    # Somebody puts the copy from before in its place.
    if not empty:
        shutil.copy(old, address)
        empty, old = address, address
    refused = run("audit", "verify", at=old)
    assert refused.exit_code == 2
    assert "wartable db upgrade" in refused.stderr
    with pytest.raises(HouseProblem, match="wartable db upgrade"):
        House(Config(folder, database=old))
    refused = run("db", "upgrade", at=old)
    assert refused.exit_code == 2
    assert "this database is an older copy" in refused.stderr
    assert "wartable db accept-rollback REASON" in refused.stderr

    made = run("db", "backup", str(tmp_path / "backup"), at=old)
    assert made.exit_code == 0, made.output
    if old == empty:
        Path(old).unlink()
    key = ["--key", str(folder / "key")]
    restored = run("db", "restore", str(tmp_path / "backup"), *key, "--vouch", at=empty)
    assert restored.exit_code == 0, restored.output
    lost = run("audit", "verify", at=empty)
    assert lost.exit_code == 1
    assert "is gone now" in lost.stdout or "is another one now" in lost.stdout
    with pytest.raises(HouseProblem, match="older than this house's marks"):
        House(Config(folder, database=empty))
    accepted = run("db", "accept-rollback", "the disk failed", at=empty)
    assert accepted.exit_code == 0, accepted.output
    with Hosted(folder, database=empty, books=("online",), approve="a new version") as hosted:
        told = [row.command for row in database.rows_of(hosted.house.engine, OFFICE)]
    assert sum('"rollback_accepted"' in each and "the disk failed" in each for each in told) == 1
    whole = run("audit", "verify", at=empty)
    assert whole.exit_code == 0, whole.output
