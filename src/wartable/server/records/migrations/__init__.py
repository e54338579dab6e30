"""The database's version: making a new database, and upgrading an older one.

Alembic is imported only to make or upgrade a database: that takes a third as long as the server.
"""

import logging
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from wartable.server.config import HouseProblem
from wartable.server.records import schema

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

FIRST = "0001"
"""The version of a database made before versions were stored."""

VERSIONS = "alembic_version"
"""The table in which the version is stored."""
COMMAND = "wartable db upgrade"
_MODULE = re.compile(r"v([0-9]{4})(?:_([0-9]+))?_[a-z_]+\.py")
"""The name of a version's module: v0010_counted.py for 0010, v0010_2_more.py for 0010.2."""
_LOCK = 7_714_019
"""The number of the lock under which one process at a time upgrades a PostgreSQL database."""


logging.getLogger("alembic").setLevel(logging.WARNING)


class WrongVersion(HouseProblem):
    """A database that this program cannot use; the sentence says what to do."""


@cache
def _scripts() -> "ScriptDirectory":
    from alembic.script import ScriptDirectory  # noqa: PLC0415  # see above

    return ScriptDirectory(str(Path(__file__).parent))


def current() -> str:
    """The version that this program writes."""
    return known()[-1]


@cache
def known() -> list[str]:
    """Every version that this program knows, oldest first: each has its module."""
    names = (each.name for each in (Path(__file__).parent / "versions").iterdir())
    found = [tuple(map(int, each.groups("0"))) for each in map(_MODULE.fullmatch, names) if each]
    return [f"{number:04}.{part}" if part else f"{number:04}" for number, part in sorted(found)]


def version_of(connection: sa.Connection) -> str | None:
    """The version of the database; None if it is empty."""
    has_table = sa.inspect(connection).has_table
    if has_table(VERSIONS):
        query = f"SELECT version_num FROM {VERSIONS} ORDER BY version_num"
        found = connection.exec_driver_sql(query).scalars().all()
        if len(found) > 1:
            raise WrongVersion(
                f"the database says that it has the versions {' and '.join(found)}: somebody"
                " changed it."
            )
        if found:
            return str(found[0])
    return FIRST if has_table("journal") else None


def has(engine: sa.Engine, version: str) -> bool:
    """Whether the database has that version or a newer one; an empty one has none."""
    with engine.connect() as connection:
        found = version_of(connection)
    _refuse_newer(found)
    return found is not None and known().index(found) >= known().index(version)


def part_of(version: str) -> str:
    """The part that versions share if programs of both may run on one database: 0010 of 0010.2.

    The later version has only added what the earlier one need not know.
    """
    return version.partition(".")[0]


def beside(engine: sa.Engine) -> bool:
    """Whether this program can upgrade the database while servers of its version run."""
    with engine.connect() as connection:
        version = version_of(connection)
    return version is not None and part_of(version) == part_of(current())


def check(engine: sa.Engine, runs: bool = False) -> None:
    """Raise `WrongVersion` unless the database has this program's version.

    A server (`runs`) also accepts a later version that has only added something.
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
    """Refuse a database whose tables are not those of the version that it states."""
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
        if name != VERSIONS  # which the oldest databases do not have
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
    from alembic.config import Config  # noqa: PLC0415  # see above
    from alembic.runtime.environment import EnvironmentContext  # noqa: PLC0415  # see above
    from alembic.runtime.migration import MigrationContext  # noqa: PLC0415  # see above

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
