"""A house that version 0.1.0 recorded is opened, verified and played on."""

import lzma
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from hosting import Hosted
from wartable.cli import wartable
from wartable.rules.settings import HOUSE_LIMITS
from wartable.server.audit import verify
from wartable.server.records import database, schema
from wartable.server.records.keys import read_key

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
    """Every row that version 0.1.0 wrote is decided again as it was."""
    assert verified(folder).startswith("Whole: 6 tables, 322 rows and 232 transfers")


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
