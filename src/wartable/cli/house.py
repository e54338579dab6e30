"""What the commands on a house's records share: where the house is, and how it is opened."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from wartable.cli import BadInput, needs
from wartable.cli.output import printable

DATABASE = "house.sqlite"


def located(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say where a house is."""
    for option in (
        click.option(
            "--database",
            default="",
            envvar="WARTABLE_DATABASE",
            help="PostgreSQL's address, or another SQLite file.",
        ),
        click.option(
            "--data", default="wartable-data", show_default=True, help="The folder of the house."
        ),
    ):
        function = option(function)
    return function


def spanned(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name a period."""
    for option in (
        click.option("--until", default="", help="Before this date or time, in UTC."),
        click.option("--from", "since", default="", help="From this date or time on, in UTC."),
    ):
        function = option(function)
    return function


def period_of(since: str, until: str) -> Any:
    """The period that the options name, or a refusal."""
    from wartable.server.period import Period, read_moment

    period = Period(read_moment(since) if since else 0, read_moment(until) if until else None)
    if period.until_ms is not None and period.until_ms <= period.from_ms:
        raise BadInput("the period ends before it begins.")
    return period


def address_of(data: str, database: str) -> str:
    """The address of the house's database."""
    needs("server", "sqlalchemy", "alembic", "argon2", "cryptography")
    address = database or str(Path(data) / DATABASE)
    if address.startswith("postgresql://"):
        needs("postgres", "psycopg")
    return address


@contextmanager
def speaking() -> Iterator[None]:
    """Turn what can go wrong with a database, a key or a file into a refusal."""
    import sqlite3

    import sqlalchemy as sa

    try:
        yield
    except PermissionError as error:
        hint = "only the user who owns the house may do this"
        raise BadInput(f"{error.filename or 'a file'}: {error.strerror}; {hint}.") from None
    except OSError as error:
        raise BadInput(f"{error.filename or 'a file'}: {error.strerror}.") from None
    except sa.exc.DBAPIError as error:
        reason = str(error.orig).strip().splitlines()[0] if error.orig else "it does not answer"
        raise BadInput(f"the database cannot be used: {reason.rstrip('.')}.") from None
    except sqlite3.Error as error:
        raise BadInput(f"a file cannot be written: {error}.") from None
    except sa.exc.ArgumentError:
        raise BadInput("the database's address cannot be read.") from None


def must_be_there(address: str) -> None:
    """Refuse a missing database file rather than create an empty one."""
    from wartable.server.records import store

    if not store.is_postgres(address) and not Path(address).is_file():
        raise BadInput(f"there is no database {address}; name the house's folder with --data.")


@contextmanager
def records_of(data: str, database: str) -> Iterator[Any]:
    """A database engine on a house's existing records, which must be of this version."""
    address = address_of(data, database)
    from wartable.server.records import database as databases
    from wartable.server.records import migrations

    with speaking():
        must_be_there(address)
        engine = databases.reading_engine(address)
        try:
            migrations.check(engine)
            yield engine
        finally:
            engine.dispose()


def is_file(engine: Any) -> bool:
    """Whether the database is a SQLite file, which one process has open at a time."""
    return bool(engine.dialect.name == "sqlite")


@contextmanager
def closed_house(data: str, engine: Any) -> Iterator[None]:
    """Hold a house that nobody has open; refuse one that is open."""
    import os

    from wartable.server.config import lock
    from wartable.server.records import database, table_leases

    Path(data).mkdir(parents=True, exist_ok=True)
    held = lock(Path(data) / "lock")
    try:
        with database.alone(engine):
            if not is_file(engine) and (open_ := list(table_leases.busy(engine))):
                raise BadInput(f"the table {open_[0]} is open in another process; close it first.")
            yield
    finally:
        os.close(held)


def closed_ms(engine: Any, key: Any) -> int:
    """The time for a row that is written while the house is closed, after the newest row.

    The house must have written that row; without a key it is not checked.
    """
    from wartable.server.clock import HouseClock
    from wartable.server.house import timekeeping
    from wartable.server.records.journal import Broken

    try:
        return timekeeping.closed_ms(engine, key, HouseClock().shows_ms())
    except Broken as error:
        raise not_whole(error) from None


def not_whole(error: Exception) -> BadInput:
    """The refusal of records that somebody other than the house changed."""
    return BadInput(printable(f"the records are not whole: {error}; run: wartable audit verify"))


def key_of(data: str) -> Any:
    """The house's key."""
    from wartable.server.records.keys import house_key

    return house_key(Path(data) / "key")
