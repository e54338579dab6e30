"""What happens when records are broken or the database fails: one table suffers, nobody else."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import tampering
from hosting import Client, Hosted
from waiting import until
from wartable.server.records import database, schema
from wartable.server.records.rows import Entry


def test_a_table_whose_journal_was_changed(tmp_path: Path) -> None:
    """Tables whose records do not hold together stay closed with a sentence; the others open."""
    with Hosted(tmp_path) as hosted, hosted.guest() as guest:
        name = guest.private("online")
    with closing(sqlite3.connect(tmp_path / "house.sqlite")) as records, records:
        for statement in tampering.SQLITE:
            records.execute(statement)
        changed = "UPDATE journal SET at_ms = at_ms + 1 WHERE number = 2 AND table_name IN (?, ?)"
        assert records.execute(changed, ("maryland 1", name)).rowcount == 2
    with Hosted(tmp_path) as hosted, Client(hosted, guest.name, guest.token) as again:
        assert "maryland 1" not in hosted.house.floor.places
        for closed in ("maryland 1", name):
            refused = again.hello(closed)
            assert (refused["code"], refused["sentence"][-1]) == ("broken", ".")
            again.post(f"/tables/{closed}/commands", 503, type="leave", id="1")
        assert again.post("/tables/private", 503, book="online")["code"] == "broken"
        again.hello("washington 1")
        again.must("join", amount=500, seat=1)


@pytest.mark.parametrize("whose", ["table", "meters"])
def test_R8_a_table_does_not_go_on_from_a_journal_without_its_end(
    tmp_path: Path, whose: str
) -> None:
    """Where the last row was removed the table stays closed, so that no new row hides it."""
    journal, transfers = schema.journal, schema.transfers
    with Hosted(tmp_path, books=("maryland",)) as hosted, hosted.guest() as guest:
        house = hosted.house
        guest.hello("maryland 1")
        guest.must("join", amount=500, seat=1)
        until(lambda: house.floor.places["maryland 1"].live.head[0] > 2, "nothing is written")
        (shared,) = house.pit.meters.opened
    name = shared if whose == "meters" else "maryland 1"
    engine = database.engine_for(str(tmp_path / "house.sqlite"))
    number, _ = database.head_of(engine, name) or (0, "")
    with engine.begin() as connection:
        tampering.drop_triggers(connection)
        for rows in (transfers, journal):
            last = sa.and_(rows.c.table_name == name, rows.c.number == number)
            connection.execute(rows.delete().where(last))
    with Hosted(tmp_path, books=("maryland",)) as hosted, hosted.guest() as player:
        assert player.hello("maryland 1")["code"] == "broken"
    assert number not in [row.number for row in database.rows_of(engine, name)]
    engine.dispose()


def test_a_table_that_fails_while_the_database_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that cannot be built anew at once is built anew once the database can be read."""
    with Hosted(tmp_path) as hosted, hosted.guest() as guest:
        live = hosted.house.floor.places[guest.private("online")].live
        tried = []
        rows_of = database.rows_of

        def unreadable(*asked: Any) -> Any:
            tried.append(1)
            if len(tried) == 1:
                raise sa.exc.OperationalError("", {}, Exception())
            return rows_of(*asked)

        async def failing(_: Entry) -> None:
            raise OSError

        monkeypatch.setattr(database, "rows_of", unreadable)
        monkeypatch.setattr(live, "_commit", failing)
        assert guest.do("buy_in", amount=100)["code"] == "no_answer"
        guest.must("buy_in", amount=300)
        assert len(tried) == 2


def test_burned_cards_of_a_table_at_rest(tmp_path: Path) -> None:
    """Nobody sees what was burned of a shoe that is still in use, also while its table rests."""
    with Hosted(tmp_path) as hosted, hosted.guest() as guest, hosted.staff("auditor") as auditor:
        name, number = guest.private("maryland", 90_000), 0
        while number == 0 or not guest.get(f"/rounds/{name}/{number}")["round"]["burned"]:
            guest.play(1, deal=True)
            number += 1
        assert auditor.get(f"/rounds/{name}/{number}")["burned"] == []
    with Hosted(tmp_path) as hosted, Client(hosted, auditor.name, auditor.token) as again:
        assert name not in hosted.house.floor.places
        assert again.get(f"/rounds/{name}/{number}")["burned"] == []


def test_nobody_else_reads_the_records(tmp_path: Path) -> None:
    """In a folder that others may enter, they may still read no file with anything secret."""
    tmp_path.chmod(0o755)
    with Hosted(tmp_path) as hosted:
        hosted.guest().close()
        files = [path for path in tmp_path.iterdir() if path.name != "owner"]
        assert {"house.sqlite", "house.sqlite-wal", "key"} <= {path.name for path in files}
        assert not [path.name for path in files if path.stat().st_mode & 0o077]
