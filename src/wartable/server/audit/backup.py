"""Backups made while tables are live, and restoring them; each is proven by replay.

A backup is one SQLite file, whatever database it was made from. It can be verified in place, needs
no database tools of the right version, and restores into either kind of database.
"""

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import sqlalchemy as sa

from wartable.server.audit import verify
from wartable.server.audit.verify import Verified
from wartable.server.config import HouseProblem, writing
from wartable.server.house import timekeeping
from wartable.server.records import database, keyed, migrations, store, triggers
from wartable.server.records.journal import Broken
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Note
from wartable.server.records.notes import write_note
from wartable.table import PLATFORM

ROWS_AT_ONCE = 1_000
BESIDE = ("-wal", "-shm", "-journal")
"""The endings of SQLite's companion files, which it applies to any file of the matching name."""

NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE)
"""SQLite's error for a file that it cannot extend."""


class BackupProblem(HouseProblem):
    """A backup cannot be made or restored; the sentence says why."""


def back_up(address: str, path: Path) -> int:
    """Write a backup of the database as of now; return its number of journal rows."""
    with _new_file(path) as part:
        if store.is_postgres(address):
            _export(address, part)
        else:
            _copy_file(address, part)
        _tidy(part)
        engine = database.engine_for(str(part))
        try:
            rows = verify.check_chains(engine, migrations.has(engine, keyed.VERSION))
        except Broken as error:
            raise BackupProblem(f"the records are not whole: {error}.") from None
        finally:
            _single_file(engine)
    return rows


@contextmanager
def _new_file(path: Path) -> Iterator[Path]:
    """A private file beside the path, which gets the path's name once it is complete."""
    for there in _with_beside(path):
        if there.exists():
            raise BackupProblem(f"{there} already exists; choose another place.")
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with writing(path):
            yield part
            with part.open("rb") as file:
                os.fsync(file.fileno())
        part.rename(path)
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
    except (sqlite3.OperationalError, sa.exc.OperationalError) as error:
        found = getattr(error, "orig", error)
        if getattr(found, "sqlite_errorcode", None) in NO_ROOM:
            raise BackupProblem(f"{path} cannot be written: {found}.") from None
        raise
    finally:
        for left in _with_beside(part):
            left.unlink(missing_ok=True)


def _with_beside(path: Path) -> list[Path]:
    return [path, *(Path(f"{path}{end}") for end in BESIDE)]


def _export(address: str, part: Path) -> None:
    """Copy a PostgreSQL database, as of one moment, into a SQLite file of its version."""
    old, new = database.engine_for(address), database.engine_for(str(part))
    try:
        with database.snapshot(old) as source:
            version = migrations.version_of(source)
            if version is None:
                raise BackupProblem("there is no house in this database.")
            migrations.upgrade(new, version)
            with new.begin() as target:
                copy_tables(source, target, _tables(target))
    finally:
        old.dispose()
        new.dispose()


def _tables(connection: sa.Connection) -> list[sa.Table]:
    """The database's actual tables, whatever its version; parents first."""
    found = sa.MetaData()
    found.reflect(connection)
    return [each for each in found.sorted_tables if each.name != migrations.VERSIONS]


def copy_tables(
    source: sa.Connection, target: sa.Connection, tables: list[sa.Table] | None = None
) -> None:
    """Copy all rows of these tables, or of all that the source has."""
    for each in _tables(source) if tables is None else tables:
        query = sa.select(each).execution_options(yield_per=ROWS_AT_ONCE)
        with source.execute(query) as rows:
            for some in rows.mappings().partitions():
                target.execute(each.insert(), [dict(row) for row in some])


def _copy_file(address: str, part: Path) -> None:
    """Copy a SQLite database as of now."""
    with closing(database.connect_to_read(address)) as old, closing(sqlite3.connect(part)) as new:
        try:
            old.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            raise BackupProblem(f"{address} cannot be read: {error}.") from None
        old.backup(new)


def _tidy(part: Path) -> None:
    """Remove sessions, leases and deleted data from a copy."""
    with closing(sqlite3.connect(part, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("DELETE FROM sessions")
        connection.execute("UPDATE tables SET owner = NULL, lease_until_ms = 0")
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'lease'").fetchone():
            connection.execute("UPDATE lease SET owner = NULL, until_ms = 0")
        connection.execute("VACUUM")


def _single_file(engine: sa.Engine) -> None:
    """Close a SQLite database so that its one file has everything."""
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA journal_mode = DELETE")
    engine.dispose()


def restore(path: Path, address: str, key: HouseKey, now_ms: int, vouch: bool = False) -> Verified:
    """Restore a backup into an empty database and replay it; a bad one leaves nothing.

    Anybody could have written a backup whose rows have no codes, so `vouch` must be given for it.
    """
    if not path.is_file():
        raise BackupProblem(f"there is no backup {path}.")
    postgres = store.is_postgres(address)
    place = path.with_name(path.name + ".restored") if postgres else Path(address)
    with _new_file(place) as part:
        _take(path, part)
        engine = database.engine_for(str(part))
        try:
            keyless = not migrations.has(engine, keyed.VERSION)
            if keyless and not vouch:
                raise BackupProblem(
                    f"{path} is from before rows had authentication codes, so nothing shows that"
                    " this house wrote it. If you trust it, add --vouch."
                )
            migrations.upgrade(engine)
            with engine.begin() as connection:
                triggers.put_up(connection)
            now_ms = timekeeping.closed_ms(engine, None if keyless else key, now_ms)
            if keyless:
                keyed.vouch(str(part), key, "restored from a backup of an older version", now_ms)
            _note(str(part), key, path, now_ms)
            found = verify.verify(engine, key)
            if postgres:
                found = _import(engine, address, key)
        except Broken as error:
            raise BackupProblem(f"the backup is not whole: {error}.") from None
        except (sqlite3.DatabaseError, sa.exc.DatabaseError) as error:
            cause = getattr(error, "orig", error)
            if getattr(cause, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_CORRUPT:
                raise
            raise BackupProblem(f"the backup is not whole: {cause}.") from None
        else:
            _single_file(engine)
        finally:
            engine.dispose()
    if postgres:
        place.unlink()
    return found


def _take(path: Path, part: Path) -> None:
    """Copy a backup to a working place; refuse a file that is not one."""
    try:
        _copy_file(str(path), part)
        engine = database.engine_for(str(part))
        with engine.connect() as connection:
            version = migrations.version_of(connection)
        engine.dispose()
    except (sqlite3.OperationalError, sa.exc.OperationalError):
        raise  # the problem may be elsewhere, such as a full disk
    except (sqlite3.DatabaseError, sa.exc.DatabaseError):
        raise BackupProblem(f"{path} is not a backup of a house.") from None
    if version is None:
        raise BackupProblem(f"{path} is not a backup of a house.")


def _note(address: str, key: HouseKey, path: Path, now_ms: int) -> None:
    """Record in the restored records that they were restored, and from which file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    note = Note("restored", "house", "restored from a backup", after=f"sha256 {digest}")
    write_note(address, key, PLATFORM, note, now_ms)


def _import(engine: sa.Engine, address: str, key: HouseKey) -> Verified:
    """Copy a proven backup into an empty PostgreSQL database, and prove the copy."""
    target = database.engine_for(address)
    try:
        with target.connect() as connection:
            for each in _tables(connection):
                if connection.execute(sa.select(each).limit(1)).first() is not None:
                    raise BackupProblem("the database is not empty; restore into an empty one.")
        migrations.upgrade(target)
        with database.snapshot(engine) as source, target.begin() as connection:
            copy_tables(source, connection)
        return verify.verify(target, key)
    finally:
        target.dispose()
