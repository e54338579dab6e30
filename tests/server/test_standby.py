"""A server that carries keeps up with the records, and notices what is taken from them."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from recorded_houses import RecordedHouse
from tampering import drop_triggers
from waiting import until
from wartable.server import standby
from wartable.server.audit import marks
from wartable.server.config import Config, HouseProblem
from wartable.server.house import counted
from wartable.server.house.guard import Guard
from wartable.server.house.rights import Rights
from wartable.server.records import database, journal, schema
from wartable.server.records.keys import HouseKey
from wartable.server.records.rows import OFFICE, Row
from wartable.server.standby import Standby


@pytest.fixture
def engine(recorded_house: RecordedHouse) -> sa.Engine:
    """The database of a recorded house."""
    return database.engine_for(recorded_house.address)


def heads(engine: sa.Engine) -> dict[str, tuple[int, str]]:
    """The heads of all chains."""
    with engine.connect() as connection:
        return database.heads(connection)


def test_it_has_read_everything_when_it_takes_over(
    recorded_house: RecordedHouse, engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Marks, rights and what counts towards limits are as new as the records, in its folder."""
    folder, key = recorded_house.folder, recorded_house.key
    begun = Standby(engine, key, Config(folder, recorded_house.address))
    with pytest.raises(HouseProblem, match="open in another process"):
        Standby(engine, key, Config(folder, recorded_house.address))
    until((folder / counted.FILE).exists, "nothing is counted")
    begun.end()
    now = heads(engine)
    assert marks.heads_of(marks.read(folder / marks.FILE, key.signed)) == now
    kept = counted.read(folder, key)
    assert kept is not None
    assert kept.heads == now
    read: list[Row] = []
    monkeypatch.setattr(Rights, "note", lambda _self, row, _note: read.append(row))
    assert Guard(engine, key, folder).head == now[OFFICE]
    assert read == [], "the rights were kept, so no row of the office is read again"
    Standby(engine, key, Config(folder, recorded_house.address)).end()
    engine.dispose()


def test_a_row_that_was_taken_away_is_noticed(
    recorded_house: RecordedHouse,
    engine: sa.Engine,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The server says so, and keeps the marks that show it, so that it does not open the house."""
    monkeypatch.setattr(standby, "KEEP_S", 0.01)
    folder, key = recorded_house.folder, recorded_house.key
    begun = Standby(engine, key, Config(folder, recorded_house.address))
    until((folder / counted.FILE).exists, "nothing is counted")
    number, _ = heads(engine)[OFFICE]
    with engine.begin() as connection:
        drop_triggers(connection)
        rows, last = schema.journal, schema.heads
        ours = sa.and_(rows.c.table_name == OFFICE, rows.c.number == number)
        connection.execute(rows.delete().where(ours))
        before = journal.GENESIS if number == 1 else _hash_of(connection, number - 1)
        values = {"number": number - 1, "hash": before}
        connection.execute(last.update().where(last.c.table_name == OFFICE).values(values))
    until(lambda: "records do not fit the marks" in caplog.text, "it is not noticed")
    begun.end()
    kept = marks.heads_of(marks.read(folder / marks.FILE, key.signed))
    assert kept[OFFICE][0] == number
    with pytest.raises(HouseProblem, match="older than this house's marks"):
        marks.HouseMarks(folder, key, lambda: 0).check(engine)
    engine.dispose()


def _hash_of(connection: sa.Connection, number: int) -> str:
    rows = schema.journal.c
    which = sa.and_(rows.table_name == OFFICE, rows.number == number)
    return str(connection.execute(sa.select(rows.hash).where(which)).scalar_one())


def test_a_folder_without_records(tmp_path: Path) -> None:
    """A house that has nothing yet is kept up with, too."""
    engine = database.engine_for(str(tmp_path / "house.sqlite"))
    database.create(engine)
    begun = Standby(engine, HouseKey(bytes(32)), Config(tmp_path))
    until((tmp_path / counted.FILE).exists, "nothing is counted")
    begun.end()
    engine.dispose()
