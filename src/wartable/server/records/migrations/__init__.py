"""The database's version: making a new database, and upgrading an older one."""

import logging
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from wartable.server.config import HouseProblem
from wartable.server.records import schema

FIRST = "0001"
"""The version of a database made before versions were stored."""

COMMAND = "wartable db upgrade"
_LOCK = 7_714_019
"""The number of the lock under which one process at a time upgrades a PostgreSQL database."""


logging.getLogger("alembic").setLevel(logging.WARNING)


class WrongVersion(HouseProblem):
    """A database that this program cannot use; the sentence says what to do."""


@cache
def _scripts() -> ScriptDirectory:
    return ScriptDirectory(str(Path(__file__).parent))


def current() -> str:
    """The version that this program writes."""
    head = _scripts().get_current_head()
    assert head is not None
    return head


def known() -> list[str]:
    """Every version that this program knows, oldest first."""
    return [script.revision for script in _scripts().walk_revisions()][::-1]


def version_of(connection: sa.Connection) -> str | None:
    """The version of the database; None if it is empty."""
    found = MigrationContext.configure(connection).get_current_revision()
    if found is None and sa.inspect(connection).has_table("journal"):
        return FIRST
    return found


def has(engine: sa.Engine, version: str) -> bool:
    """Whether the database has that version or a newer one; an empty one has none."""
    with engine.connect() as connection:
        found = version_of(connection)
    _refuse_newer(found)
    return found is not None and known().index(found) >= known().index(version)


def part_of(version: str) -> str:
    """What two versions have in common if programs of both may run on one database: 0010 of 0010.2.

    The later one has only added what the earlier one need not know.
    """
    return version.partition(".")[0]


def beside(engine: sa.Engine) -> bool:
    """Whether this program can upgrade the database while servers of its version run."""
    with engine.connect() as connection:
        version = version_of(connection)
    return version is not None and part_of(version) == part_of(current())


def check(engine: sa.Engine, runs: bool = False) -> None:
    """Raise `WrongVersion` unless the database has this program's version.

    A server runs (`runs`) also on a later one that has only added something.
    """
    with engine.connect() as connection:
        version = version_of(connection)
    if version is None:
        raise WrongVersion("there is no house in this database.")
    if runs and part_of(version) == part_of(current()) and version not in known():
        return
    _refuse_newer(version)
    if version != current():
        raise WrongVersion(
            f"the database has version {version}, and this program needs {current()};"
            f" make a backup, then run: {COMMAND}"
        )


def _refuse_newer(version: str | None) -> None:
    if version is not None and version not in known():
        raise WrongVersion(
            f"the database has version {version}, which is newer than this program's {current()};"
            " use a newer Wartable."
        )


def _refuse_false(connection: sa.Connection, version: str | None) -> None:
    """Refuse a database whose tables are another version's than it says."""
    if version is None:
        names = {*sa.inspect(connection).get_table_names()} & {*schema.metadata.tables}
        if names:
            raise WrongVersion(
                f"there is no house in this database, but a table {min(names)}; use an empty one."
            )
        return
    made = _parts_by_version()
    found = _parts(connection) & made[current()]
    if found == made[version]:
        return
    fitting = [each for each, parts in made.items() if parts == found]
    theirs = f"those of version {fitting[-1]}" if fitting else "of no version"
    raise WrongVersion(
        f"the database says that it has version {version}, and its tables are {theirs}: somebody"
        " changed it. Put your last backup in its place, then run: wartable audit verify --all"
    )


def _parts(connection: sa.Connection) -> set[str]:
    """The columns and indices of all tables, each with its table's name."""
    inspector = sa.inspect(connection)
    return {
        f"{name}.{each['name']}"
        for name in inspector.get_table_names()
        if name != "alembic_version"  # which the oldest databases do not have
        for each in (*inspector.get_columns(name), *inspector.get_indexes(name))
    }


@cache
def _parts_by_version() -> dict[str, set[str]]:
    """The columns and indices of a database of each version, oldest first."""
    made: dict[str, set[str]] = {}
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        before = None
        for version in known():
            _run(connection, before, version)
            made[version], before = _parts(connection), version
    engine.dispose()
    return made


def create(engine: sa.Engine) -> None:
    """Make the database if it is empty; `WrongVersion` if it has another version."""
    with engine.connect() as connection:
        version = version_of(connection)
    if version is None:
        upgrade(engine)
    check(engine, runs=True)


def upgrade(engine: sa.Engine, to: str = "head") -> tuple[str | None, str]:
    """Upgrade the database in one transaction; return the version before and after."""
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        old = version_of(connection)
        _refuse_newer(old)
        _refuse_false(connection, old)
        _run(connection, old, to)
        new = version_of(connection)
    assert new is not None
    return old, new


def _run(connection: sa.Connection, old: str | None, to: str) -> None:
    scripts = _scripts()

    def stamp(revision: Any, _: Any) -> Any:
        return scripts._stamp_revs(FIRST, revision)

    def steps(revision: Any, _: Any) -> Any:
        return scripts._upgrade_revs(to, revision)

    unstamped = old is not None and not MigrationContext.configure(connection).get_current_heads()
    for function in [stamp, steps] if unstamped else [steps]:
        with EnvironmentContext(Config(), scripts, fn=function) as environment:
            environment.configure(connection=connection, transactional_ddl=True)
            environment.run_migrations()
