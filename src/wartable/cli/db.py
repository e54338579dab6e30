"""`wartable db`: a house's database upgraded, backed up and restored."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from wartable.cli import BadInput
from wartable.cli.house import address_of, closed_house, located, must_be_there, speaking


@click.group("db")
def command() -> None:
    """Take care of a house's database.

    Example: wartable db backup tonight.backup
    """


@command.command("upgrade")
@located
def upgrade(data: str, database: str) -> None:
    """Upgrade the database of an older version to this one. The house must be closed.

    Example: wartable db upgrade
    """
    address = address_of(data, database)
    from wartable.server.clock import SystemClock
    from wartable.server.records import database as databases
    from wartable.server.records import migrations

    with speaking():
        must_be_there(address)
        engine = databases.engine_for(address)
        try:
            with closed_house(data, engine, SystemClock().now_ms()):
                old, new = migrations.upgrade(engine)
        finally:
            engine.dispose()
    if old == new:
        click.echo(f"The database already has version {new}.")
    else:
        click.echo(f"The database was upgraded from version {old or 'none'} to version {new}.")


@command.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@located
def backup(file: Path, data: str, database: str) -> None:
    """Write a backup to FILE, whether the house is open or not. It does not contain the key.

    Example: wartable db backup tonight.backup
    """
    address = address_of(data, database)
    from wartable.server.audit import backup as backups

    with speaking():
        must_be_there(address)
        rows = backups.back_up(address, file)
    click.echo(f"{file} has all {rows} rows of the journal. Keep it apart from the key file.")


@command.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@located
@click.option(
    "--key", prompt="Key file", type=click.Path(path_type=Path), help="The house's key file."
)
def restore(file: Path, data: str, database: str, key: Path) -> None:
    """Restore a backup into a house that has no database yet, and replay every row.

    Example: wartable db restore tonight.backup --key safe/key --data restored
    """
    address = address_of(data, database)
    from wartable.server.audit import backup as backups
    from wartable.server.clock import SystemClock
    from wartable.server.records.keys import read_key

    own = Path(data) / "key"
    with speaking():
        secret = read_key(key)
        if own.exists() and read_key(own) != secret:
            raise BadInput(f"{own} is the key of another house; restore into another folder.")
        with _with_key(own, secret):
            found = backups.restore(file, address, secret, SystemClock().now_ms())
    click.echo(
        f"Restored and replayed: {found.tables} tables, {found.rows} rows and"
        f" {found.transfers} transfers."
    )


@contextmanager
def _with_key(path: Path, key: bytes) -> Iterator[None]:
    """Put the key beside the house that is restored there; a failure leaves neither behind."""
    from wartable.server.records.keys import write_key

    new = not path.exists()
    folders = [each for each in path.parents if not each.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if new:
            write_key(path, key)
        yield
    except BaseException:
        with suppress(OSError):  # a folder that has something else in it stays
            if new:
                path.unlink(missing_ok=True)
            for folder in folders:
                folder.rmdir()
        raise
