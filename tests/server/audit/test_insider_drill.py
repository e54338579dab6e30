"""The insider drill: 100 kinds of tampering without the key, each named, on both databases."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
import sqlalchemy as sa

from hosting import PASSWORD, Hosted
from insider import KINDS, OWN, Kind, bigger_win_no_codes, carry_out
from insider_exchanges import EXCHANGES
from insider_shapes import POSTGRES, SQLITE
from insider_strays import BEHIND, POSTGRES_STRAYS, SQLITE_STRAYS, STRAYS
from live_tables import Cards, Planted
from recorded_houses import RecordedHouse, new_database
from wartable.server.audit import backup, marks, strays, verify
from wartable.server.audit.marks import Mark
from wartable.server.house.guesses import FAILURES_MAX
from wartable.server.records import checkpoints, database, keyed, migrations, schema
from wartable.server.records.journal import Broken
from wartable.server.records.keys import HouseKey

ENDED = "ended"
"""The file with a session that somebody kept before it ended."""
SHAPES = {"sqlite": SQLITE, "postgresql": POSTGRES}
BOUGHT_IN = 20_000
OWN_STRAYS = {"sqlite": SQLITE_STRAYS, "postgresql": POSTGRES_STRAYS}
ALL = (*KINDS, *STRAYS, *EXCHANGES)
BY_NAME = {each.name: each for each in ALL}


def live_through(folder: Path) -> None:
    """A short life of a house: people of all kinds, limits, closures, cards and rounds."""
    with Hosted(folder, books=("maryland",)) as hosted, hosted.admin() as admin:
        for name, role in (("dan", "dealer"), ("eve", "player"), ("mal", "player")):
            admin.post("/accounts", 201, name=name, password=PASSWORD, role=role)
        admin.put("/limits", account="eve", kind="loss_day", amount=500)
        with hosted.sign_in("eve", PASSWORD) as eve:
            eve.post("/me/refill", id="r1")
            for amount in (700, 900):
                eve.put("/me/limits", kind="loss_week", amount=amount)
            eve.post("/me/exclude", days=30)
        for name in ("old", "new"):
            admin.post("/keys", 201, name=name)
        admin.post("/keys/old/revoke", reason="over")
        with hosted.http() as http:
            for _ in range(FAILURES_MAX):
                http.post("/sign-in", json={"name": "dan", "password": "a guess of somebody"})
        admin.post("/cards", 201, name="red-1", decks=8, back="red")
        mal = hosted.sign_in("mal", PASSWORD)
        mal.post("/me/refill", id="r1")
        Planted(hosted, mal.private("maryland", BOUGHT_IN), Cards(">"))
        mal.play(3, deal=True)
        house = hosted.house
        name = "maryland@mal"
        live = house.floor.places[name].live
        while live.state.guests["mal"].stack == BOUGHT_IN:  # no wallet as full as another
            mal.play(1, deal=True)
        checkpoints.keep(house.engine, house.key, name, live.checkpoint())
        admin.post("/disable", scope="player", name="mal", reason="drill")
        guest = hosted.guest()
        ended = sa.select(schema.sessions).where(schema.sessions.c.account == guest.name)
        with house.engine.connect() as connection:
            kept = connection.execute(ended).one()
        (folder / ENDED).write_bytes(msgspec.json.encode(tuple(kept)))
        guest.post("/sign-out")


class Insider(NamedTuple):
    """A house whose database somebody got hold of."""

    engine: sa.Engine
    key: HouseKey
    marks: list[Mark]

    def check(self, connection: sa.Connection) -> None:
        """What `wartable audit verify` checks."""
        verify.check(connection, self.key)
        marks.check(connection, self.marks)

    @contextmanager
    def tampering(self) -> Iterator[sa.Connection]:
        """A connection whose changes are taken back."""
        with self.engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            yield connection
            connection.exec_driver_sql("ROLLBACK")


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> RecordedHouse:
    """A closed house with something of everything, in SQLite."""
    folder = tmp_path_factory.mktemp("lived")
    live_through(folder)
    return RecordedHouse(folder, str(folder / "house.sqlite"))


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def insider(request: pytest.FixtureRequest, lived: RecordedHouse) -> Iterator[Insider]:
    """The same house in either database."""
    engine = database.engine_for(lived.address)
    if request.param == "postgres":
        target = database.engine_for(new_database(request.getfixturevalue("postgres_server")))
        migrations.upgrade(target)
        with engine.connect() as source, target.begin() as connection:
            backup.copy_tables(source, connection)
        engine.dispose()
        engine = target
    key = lived.key
    yield Insider(engine, key, marks.read(lived.folder / marks.FILE, key.signed))
    engine.dispose()


def test_R8_the_house_of_the_drill_is_whole(insider: Insider) -> None:
    """Before anybody tampers with it nothing is named, and there is something of everything."""
    with insider.tampering() as connection:
        insider.check(connection)
        for table in ("sessions", "api_keys", "limits", "closures", "results", "checkpoints"):
            count = sa.text(f"SELECT count(*) FROM {table}")
            assert connection.execute(count).scalar(), f"there are no {table}"
        rounds = sa.text(f"SELECT count(*) FROM results WHERE {OWN}")
        assert connection.execute(rounds).scalar()


def test_R8_there_are_100_kinds_of_tampering() -> None:
    """The drill is as long as it says, and no kind is in it twice."""
    assert len(BY_NAME) == len(ALL) >= 180
    assert len(SQLITE) >= 15
    assert len(POSTGRES) >= 30


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_R8_tampering_without_the_key_is_named(insider: Insider, kind: Kind) -> None:
    """Whatever somebody without the key does to the records, verify names it."""
    with insider.tampering() as connection:
        carry_out(connection, kind.how)
        with pytest.raises(Broken) as told:
            insider.check(connection)
    assert re.search(kind.told, str(told.value)), told.value


@pytest.mark.parametrize("kind", BEHIND, ids=lambda kind: kind.name)
def test_R8_what_came_after_a_mark_is_named_from_there(insider: Insider, kind: Kind) -> None:
    """What no new row tells is found without reading the older ones again."""
    with insider.tampering() as connection:
        _, mark = verify.check(connection, insider.key)
        assert verify.check(connection, insider.key, mark)[0].rows == 0
        carry_out(connection, kind.how)
        with pytest.raises(Broken, match=kind.told):
            verify.check(connection, insider.key, mark)


def test_R8_a_session_that_was_put_back_is_named(insider: Insider, lived: RecordedHouse) -> None:
    """A genuine session with its code, kept until after its owner had signed out."""
    session = msgspec.json.decode((lived.folder / ENDED).read_bytes())
    with insider.tampering() as connection:
        connection.execute(schema.sessions.insert().values(session))
        with pytest.raises(Broken, match=f"a session of {session[1]} ended, and was put back"):
            insider.check(connection)


def test_R8_strays_of_one_database_are_named(insider: Insider) -> None:
    """SQLite takes any value anywhere, and PostgreSQL lets its owner change its catalogue."""
    missed = {}
    for kind in OWN_STRAYS[insider.engine.dialect.name]:
        with insider.tampering() as connection:
            carry_out(connection, kind.how)
            try:
                insider.check(connection)
                missed[kind.name] = "nothing"
            except Broken as told:
                if not re.search(kind.told, str(told)):
                    missed[kind.name] = str(told)
    assert not missed


def test_R8_every_other_shape_of_the_database_is_named(insider: Insider) -> None:
    """What the database does by itself, or does not prevent any more, is named."""
    missed = {}
    for what, statements in SHAPES[insider.engine.dialect.name].items():
        with insider.tampering() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)
            try:
                insider.check(connection)
                missed[what] = "nothing"
            except Broken as told:
                if not str(told).startswith(f"the database's {what}"):
                    missed[what] = str(told)
    assert not missed


def test_R8_after_the_drill_the_house_is_as_it_was(insider: Insider) -> None:
    """Each kind was taken back, so none of them was named in another's place."""
    with insider.tampering() as connection:
        insider.check(connection)


def test_R8_marks_of_another_house_are_refused(lived: RecordedHouse, tmp_path: Path) -> None:
    """Marks that somebody else signed, or that were changed, are not this house's."""
    stranger = HouseKey(bytes(32))
    shutil.copy2(lived.folder / marks.FILE, tmp_path / "copy")
    text = (tmp_path / "copy").read_text()
    with pytest.raises(marks.BadMarks, match="is not this house's"):
        marks.read(tmp_path / "copy", stranger.signed)
    changed = re.sub(r'"cashier":\[(\d+)', '"cashier":[9', text, count=1)
    assert changed != text
    (tmp_path / "copy").write_text(changed)
    with pytest.raises(marks.BadMarks, match="is not this house's"):
        marks.read(tmp_path / "copy", lived.key.signed)


def test_R8_an_index_that_lies_is_named(lived: RecordedHouse, tmp_path: Path) -> None:
    """Rows without codes are found although the index of such rows looks right and has none."""
    shutil.copy2(lived.folder / "house.sqlite", copy := tmp_path / "house.sqlite")
    engine = database.engine_for(str(copy))
    with engine.begin() as connection:
        carry_out(connection, bigger_win_no_codes)
        genuine = connection.exec_driver_sql(
            "SELECT sql FROM sqlite_master WHERE name = 'journal_unkeyed'"
        ).scalar_one()
        connection.exec_driver_sql("DROP INDEX journal_unkeyed")
        connection.exec_driver_sql(f"{genuine} AND command = 'none'")
        connection.exec_driver_sql("PRAGMA writable_schema = 1")
        connection.exec_driver_sql(
            "UPDATE sqlite_master SET sql = ? WHERE name = 'journal_unkeyed'", (genuine,)
        )
    engine.dispose()
    keyed.check(engine, lived.key)  # which asks the index
    with pytest.raises(Broken, match="row 1: this house did not write it"):
        verify.verify(engine, lived.key)
    engine.dispose()


def test_R8_rows_that_no_index_shows_are_counted(insider: Insider) -> None:
    """A whole run counts rows and transfers, and looks for an id that was used twice."""
    with insider.tampering() as connection:
        found, _ = verify.check(connection, insider.key)
        with pytest.raises(Broken, match=r"the journal has \d+ rows, and the chains have \d+"):
            strays.check_counts(connection, found.rows - 1, found.transfers)
        with pytest.raises(Broken, match=r"the transfers has \d+ rows"):
            strays.check_counts(connection, found.rows, found.transfers + 1)


def test_R8_an_index_that_lacks_rows_is_named(lived: RecordedHouse, tmp_path: Path) -> None:
    """SQLite's own check finds an index that is not its table's."""
    shutil.copy2(lived.folder / "house.sqlite", copy := tmp_path / "house.sqlite")
    engine = database.engine_for(str(copy))
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP INDEX journal_at")
        connection.exec_driver_sql("CREATE INDEX journal_at ON journal (at_ms) WHERE number > 5")
        connection.exec_driver_sql("PRAGMA writable_schema = 1")
        connection.exec_driver_sql(
            "UPDATE sqlite_master SET sql = 'CREATE INDEX journal_at ON journal (at_ms)'"
            " WHERE name = 'journal_at'"
        )
    engine.dispose()
    with pytest.raises(Broken, match=r"file is not sound: .*journal_at"):
        verify.verify(engine, lived.key)
    engine.dispose()


def test_R8_an_id_that_was_carried_out_twice_is_named(lived: RecordedHouse, tmp_path: Path) -> None:
    """A payment that was made again, because nothing kept its id from being used again."""
    shutil.copy2(lived.folder / "house.sqlite", copy := tmp_path / "house.sqlite")
    engine = database.engine_for(str(copy))
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE other AS SELECT * FROM journal")
        connection.exec_driver_sql("DROP TABLE journal")
        connection.exec_driver_sql("ALTER TABLE other RENAME TO journal")
        connection.exec_driver_sql(
            "UPDATE journal SET command_id = 'twice' WHERE table_name = 'cashier'"
        )
        counts = [
            connection.exec_driver_sql(f"SELECT count(*) FROM {each}").scalar_one()
            for each in ("journal", "transfers")
        ]
        with pytest.raises(Broken, match="cashier has the id twice twice"):
            strays.check_counts(connection, *counts)
    engine.dispose()
