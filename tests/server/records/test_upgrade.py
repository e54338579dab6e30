"""A database of an older version is upgraded or refused with the command to run."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from click.testing import CliRunner, Result

from recorded_houses import BEGIN_MS, RecordedHouse
from tampering import drop_triggers
from waiting import ran
from wartable.cli import wartable
from wartable.server.audit import backup, verify
from wartable.server.records import database, keyed, migrations, schema, table_leases
from wartable.server.records.migrations import WrongVersion
from wartable.server.records.migrations.versions import (
    v0001_beginning,
    v0002_manifests,
    v0003_results,
    v0004_append_only,
    v0005_checkpoints,
    v0006_keyed,
    v0007_sessions,
    v0008_lease,
    v0009_servers,
    v0010_counted,
    v0011_in_use,
)

VERSIONS = (
    v0001_beginning,
    v0002_manifests,
    v0003_results,
    v0004_append_only,
    v0005_checkpoints,
    v0006_keyed,
    v0007_sessions,
    v0008_lease,
    v0009_servers,
    v0010_counted,
    v0011_in_use,
)
ADDED = ("counted", "exposed", "in_use")
"""The tables of the tenth version and of the eleventh."""


def run(*words: str) -> Result:
    """The result of a command."""
    return CliRunner().invoke(wartable, list(words))


@pytest.fixture
def empty(empty_address: str) -> Iterator[sa.Engine]:
    """An empty database of either kind."""
    engine = database.engine_for(empty_address)
    yield engine
    engine.dispose()


def made_old(recorded: RecordedHouse, stamped: bool) -> None:
    """Make a database what the first version had, with its version written down or not."""
    engine = database.engine_for(recorded.address)
    with engine.begin() as connection:
        drop_triggers(connection)
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("DROP FUNCTION only_grows")
        for index in ("journal_at", "journal_unkeyed"):
            connection.exec_driver_sql(f"DROP INDEX {index}")
        connection.exec_driver_sql("ALTER TABLE journal DROP COLUMN mac")
        connection.exec_driver_sql("ALTER TABLE sessions DROP COLUMN mac")
        for name in ("manifests", "results", "checkpoints", "lease", "servers", *ADDED):
            connection.exec_driver_sql(f"DROP TABLE {name}")
        if stamped:
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0001'")
        else:
            connection.exec_driver_sql("DROP TABLE alembic_version")
    engine.dispose()


def test_the_versions_follow_each_other() -> None:
    """Every version has its module, and each comes from the one before."""
    assert [module.revision for module in VERSIONS] == migrations.known()
    before = [module.down_revision for module in VERSIONS]
    assert before == [None, *migrations.known()[:-1]]


def test_a_database_that_names_two_versions_is_refused(empty: sa.Engine) -> None:
    """Nobody but its editor knows which of them its tables are."""
    migrations.create(empty)
    with empty.begin() as connection:
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES ('0003')")
    sentence = f"has the versions 0003 and {migrations.current()}: somebody changed it"
    for use in (migrations.check, migrations.create, migrations.upgrade):
        with pytest.raises(WrongVersion, match=sentence):
            use(empty)


def test_only_making_and_upgrading_need_alembic(tmp_path: Path) -> None:
    """Its import would be a third of the time in which a server starts."""
    code = (
        "import sys; from wartable.server.records import database;"
        f" database.create(database.engine_for({str(tmp_path / 'house.sqlite')!r}));"
        " print('alembic' in sys.modules)"
    )
    assert [ran([sys.executable, "-c", code]).stdout for _ in range(2)] == ["True\n", "False\n"]


def test_upgrading_from_nothing_gives_the_schema(empty: sa.Engine) -> None:
    """The versions one after the other make exactly the tables that the program works with."""
    migrations.create(empty)
    with empty.connect() as connection:
        assert not compare_metadata(MigrationContext.configure(connection), schema.metadata)


def shape(engine: sa.Engine) -> dict[str, str]:
    """What each table of a SQLite database was made with, constraints and all."""
    with engine.connect() as connection:
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
        found = connection.exec_driver_sql(query)
        shapes = {name: re.sub(r"\s+", " ", sql) for name, sql in found}
    engine.dispose()
    shapes.pop("alembic_version", None)
    return shapes


def test_upgrading_gives_the_constraints_too(tmp_path: Path) -> None:
    """No check, key or default of the schema is missing from the versions."""
    upgraded = database.engine_for(str(tmp_path / "a.sqlite"))
    made = database.engine_for(str(tmp_path / "b.sqlite"))
    migrations.create(upgraded)
    schema.metadata.create_all(made)
    assert shape(upgraded) == shape(made)


@pytest.mark.parametrize("stamped", [True, False])
def test_an_old_database_is_refused_then_upgraded(
    recorded_house: RecordedHouse, stamped: bool
) -> None:
    """The refusal names the command; after it the records are whole and the house opens."""
    made_old(recorded_house, stamped)
    engine = database.engine_for(recorded_house.address)
    with pytest.raises(WrongVersion, match="then run: wartable db upgrade"):
        database.create(engine)
    refused = run("audit", "verify", *recorded_house.options)
    assert refused.exit_code == 2
    assert "has version 0001" in refused.stderr
    with engine.begin() as connection:
        connection.execute(schema.tables.update().values(owner=None, lease_until_ms=0))
    upgraded = run("db", "upgrade", *recorded_house.options)
    assert upgraded.exit_code == 0, upgraded.output
    new = migrations.current()
    assert upgraded.stdout == (
        f"The database was upgraded from version 0001 to version {new}.\n"
        "Its rows are authenticated by the house's key from now on.\n"
    )
    database.create(engine)
    verify.verify(engine, recorded_house.key)
    engine.dispose()
    again = run("db", "upgrade", *recorded_house.options)
    assert again.stdout == f"The database already has version {new}.\n"


def test_sessions_from_before_they_had_codes_end(recorded_house: RecordedHouse) -> None:
    """An upgrade vouches for no session, since anybody could have written it; all sign in again."""
    engine = database.engine_for(recorded_house.address)
    with engine.begin() as connection:
        connection.execute(schema.tables.update().values(owner=None, lease_until_ms=0))
        connection.exec_driver_sql("ALTER TABLE sessions DROP COLUMN mac")
        connection.exec_driver_sql("DROP TABLE lease")
        for name in ("servers", *ADDED):
            connection.exec_driver_sql(f"DROP TABLE {name}")
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0006'")
        account = "INSERT INTO accounts VALUES ('eve', 'admin', 'play', 'x', 0, 0, 0)"
        connection.exec_driver_sql(account)
        connection.exec_driver_sql("INSERT INTO sessions VALUES ('x', 'eve', 1, 1)")
    upgraded = run("db", "upgrade", *recorded_house.options)
    assert upgraded.exit_code == 0, upgraded.output
    with engine.begin() as connection:
        assert connection.execute(sa.select(schema.sessions)).first() is None
        connection.exec_driver_sql("DELETE FROM accounts")
    verify.verify(engine, recorded_house.key)
    engine.dispose()


def test_old_rounds_have_their_results_after_an_upgrade(recorded_house: RecordedHouse) -> None:
    """What an upgrade fills in from the journal is what the house had written as it was played."""
    engine = database.engine_for(recorded_house.address)
    query = sa.select(schema.results).order_by(*schema.results.primary_key)
    with engine.connect() as connection:
        written = connection.execute(query).all()
    assert {row.table_name for row in written} == {"maryland 1", "california 1", "online 1"}
    assert any(row.outcomes == " banked " for row in written)
    made_old(recorded_house, stamped=True)
    migrations.upgrade(engine)
    with engine.connect() as connection:
        assert connection.execute(query).all() == written
    engine.dispose()


@pytest.mark.parametrize("old", [False, True])
def test_R8_what_is_written_stays(recorded_house: RecordedHouse, old: bool) -> None:
    """The database itself refuses to change or remove journal and transfers, also once upgraded."""
    engine = database.engine_for(recorded_house.address)
    if old:
        made_old(recorded_house, stamped=True)
        migrations.upgrade(engine)
        keyed.vouch(recorded_house.address, recorded_house.key, "upgraded", BEGIN_MS)
    for statement in (
        "UPDATE journal SET actor = 'x' WHERE number = 1",
        "DELETE FROM journal WHERE number = 1",
        "UPDATE transfers SET amount = amount + 1",
        "DELETE FROM transfers",
    ):
        name = "journal" if "journal" in statement else "transfers"
        with (
            pytest.raises(sa.exc.DBAPIError, match=f"{name} only grows"),
            engine.begin() as connection,
        ):
            connection.exec_driver_sql(statement)
    verify.verify(engine, recorded_house.key)
    engine.dispose()


def test_a_newer_database_is_refused(recorded_house: RecordedHouse) -> None:
    """What a newer program wrote is not touched."""
    engine = database.engine_for(recorded_house.address)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0999'")
    with pytest.raises(WrongVersion, match="newer than this program's"):
        database.create(engine)
    with pytest.raises(WrongVersion, match="newer than this program's"):
        migrations.upgrade(engine)
    engine.dispose()
    for words in (["db", "upgrade"], ["audit", "verify"]):
        result = run(*words, *recorded_house.options)
        assert result.exit_code == 2
        assert "0999" in result.stderr


def test_a_false_version_is_told_in_one_sentence(recorded_house: RecordedHouse) -> None:
    """A database of this version that says it is an older one is neither upgraded nor changed."""
    engine = database.engine_for(recorded_house.address)
    with engine.begin() as connection:
        connection.execute(schema.tables.update().values(owner=None, lease_until_ms=0))
        before = migrations._parts(connection)
    made = migrations._parts_by_version()
    for version in migrations.known()[:-1]:
        if made[version] == made[migrations.current()]:
            continue  # only a constraint differs, which nothing tells apart; it is upgraded
        with engine.begin() as connection:
            connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{version}'")
        said = run("db", "upgrade", *recorded_house.options)
        assert said.exit_code == 2
        assert said.stderr.strip().endswith(
            f"the database says that it has version {version}, and its tables are those of version"
            f" {migrations.current()}: somebody changed it. Put your last backup in its place, then"
            " run: wartable audit verify --all"
        )
        with engine.connect() as connection:
            assert migrations._parts(connection) == before
            assert migrations.version_of(connection) == version
    engine.dispose()


def test_a_database_of_something_else_is_not_filled(empty: sa.Engine) -> None:
    """A table of the same name that is not ours is named, and nothing is made beside it."""
    with empty.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE accounts (id INTEGER)")
    with pytest.raises(WrongVersion, match="no house in this database, but a table accounts"):
        database.create(empty)
    with empty.connect() as connection:
        assert sa.inspect(connection).get_table_names() == ["accounts"]


def test_an_upgrade_that_fails_changes_nothing(
    recorded_house: RecordedHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An upgrade is one transaction: all of it or none."""
    made_old(recorded_house, stamped=True)
    script = migrations._scripts().get_revision("0002")
    assert script is not None
    real = script.module.upgrade

    def failing() -> None:
        real()
        raise RuntimeError("the power failed")

    monkeypatch.setattr(script.module, "upgrade", failing)
    engine = database.engine_for(recorded_house.address)
    with pytest.raises(RuntimeError):
        migrations.upgrade(engine)
    with engine.connect() as connection:
        assert migrations.version_of(connection) == "0001"
        assert not sa.inspect(connection).has_table("manifests")
    engine.dispose()


def test_an_open_house_is_not_upgraded(
    recorded_house: RecordedHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a process holds tables, the upgrade is refused."""
    monkeypatch.setattr(table_leases, "LEASE_MS", 2**51)  # on a slow machine, too
    engine = database.engine_for(recorded_house.address)
    with engine.begin() as connection:
        values = {"owner": "other", "lease_until_ms": 2**50}
        connection.execute(schema.tables.update().values(values))
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0008'"))
    with database.alone(engine):
        result = run("db", "upgrade", *recorded_house.options)
    engine.dispose()
    assert result.exit_code == 2
    assert "is open in another process" in result.stderr


def test_a_lease_for_ever_does_not_keep_a_house_closed(recorded_house: RecordedHouse) -> None:
    """No process takes a table for so long, so whoever wrote it cannot stop the operator."""
    engine = database.engine_for(recorded_house.address)
    with engine.begin() as connection:
        values = {"owner": "other", "lease_until_ms": 2**50}
        connection.execute(schema.tables.update().values(values))
    result = run("db", "upgrade", *recorded_house.options)
    engine.dispose()
    assert result.exit_code == 0, result.output


def test_R15_a_back_up_of_an_older_version_restores(
    recorded_house: RecordedHouse, tmp_path: Path
) -> None:
    """A backup made before an upgrade is upgraded as it is restored."""
    made_old(recorded_house, stamped=True)
    file, target = tmp_path / "old.backup", tmp_path / "new.sqlite"
    backup.back_up(recorded_house.address, file)
    with pytest.raises(backup.BackupProblem, match="If you trust it, add --vouch"):
        backup.restore(file, str(target), recorded_house.key, 0)
    assert not target.exists()
    backup.restore(file, str(target), recorded_house.key, 0, vouch=True)
    engine = database.engine_for(str(target))
    migrations.check(engine)
    verify.verify(engine, recorded_house.key)
    engine.dispose()


def test_an_address_without_a_house_is_refused(empty_address: str, tmp_path: Path) -> None:
    """Neither a file that is not there nor an empty database is taken for a house."""
    for words in (["audit", "verify"], ["db", "backup", str(tmp_path / "a.backup")]):
        result = run(*words, "--data", str(tmp_path), "--database", empty_address)
        assert result.exit_code == 2, result.output
        assert "there is no" in result.stderr
