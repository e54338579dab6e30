"""`wartable db`: a house's database upgraded, backed up and restored."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import click

from wartable.cli import BadInput
from wartable.cli.house import (
    address_of,
    closed_house,
    closed_ms,
    is_file,
    key_of,
    located,
    must_be_there,
    records_of,
    speaking,
)


@click.group("db")
def command() -> None:
    """Take care of a house's database.

    Example: wartable db backup tonight.backup
    """


@command.command("upgrade")
@located
def upgrade(data: str, database: str) -> None:
    """Upgrade the database of an older version to this one. The house must be closed.

    It may be open on PostgreSQL if only the second part of the version changes: 0010.1 to 0010.2.

    Rows from before version 0006 have no authentication code; one row vouches for them.

    Example: wartable db upgrade
    """
    address = address_of(data, database)
    from wartable.server.audit import marks
    from wartable.server.records import database as databases
    from wartable.server.records import keyed, keys, migrations

    keyless = 0
    with speaking():
        must_be_there(address)
        engine = databases.engine_for(address)
        try:
            adds = not is_file(engine) and migrations.beside(engine)
            with nullcontext() if adds else closed_house(data, engine):
                if not migrations.has(engine, keyed.VERSION):
                    _refuse_marked(Path(data) / marks.FILE)
                    key = keys.from_environment() or keys.load_key(Path(data) / "key")
                    old, new = migrations.upgrade(engine)
                    reason = f"upgraded from version {old}"
                    keyless = keyed.vouch(address, key, reason, closed_ms(engine, None))
                else:
                    old, new = migrations.upgrade(engine)
        finally:
            engine.dispose()
    if old == new:
        click.echo(f"The database already has version {new}.")
    else:
        click.echo(f"The database was upgraded from version {old or 'none'} to version {new}.")
    if keyless:
        click.echo("Its rows are authenticated by the house's key from now on.")


def _refuse_marked(marks: Path) -> None:
    """Refuse to vouch for rows of a house that had authentication codes before."""
    if marks.exists():
        raise BadInput(
            f"{marks} says that this house was upgraded before, so this database is an older copy;"
            " put the newest one back. To accept the loss, make a backup of this one, restore it"
            " here with --vouch, and run: wartable db accept-rollback REASON"
        )


@command.command("rekey")
@located
def rekey(data: str, database: str) -> None:
    """Change the house's key. The house must be closed. Keep a copy of the new key file.

    The file keeps the replaced secrets, since older rows need them.

    Example: wartable db rekey
    """
    address = address_of(data, database)
    import os

    from wartable.server.records import keys
    from wartable.server.records.messages import Note
    from wartable.server.records.notes import write_note
    from wartable.table import PLATFORM

    path = Path(data) / "key"
    with records_of(data, database) as engine, closed_house(data, engine):
        if keys.from_environment() is not None:
            raise BadInput("this key is kept elsewhere; put a new secret before it there.")
        old = keys.read_key(path)
        new = keys.HouseKey(os.urandom(keys.KEY_BYTES), *old.secrets)
        # The old key signs this row: with the new key alone, nobody could claim the change.
        note = Note("key_changed", "house", "", f"key {old.id}", f"key {new.id}")
        write_note(address, old, PLATFORM, note, closed_ms(engine, old))
        keys.replace_key(path, new)
    click.echo(f"The key was changed from {old.id} to {new.id}. Public key: {new.public}")


@command.command("accept-rollback")
@click.argument("reason")
@located
def accept_rollback(reason: str, data: str, database: str) -> None:
    """Accept that marked rows, or the marks themselves, are lost. The house must be closed.

    Example: wartable db accept-rollback "disk failure, restored last night's backup"
    """
    address = address_of(data, database)
    from wartable.server.audit import marks
    from wartable.server.records.facts import HeadsFact
    from wartable.server.records.messages import Note
    from wartable.server.records.notes import write_note
    from wartable.table import PLATFORM

    with records_of(data, database) as engine, closed_house(data, engine):
        now_ms = closed_ms(engine, key_of(data))
        try:
            lost = marks.lost(engine, marks.read(Path(data) / marks.FILE, key_of(data).signed))
        except marks.BadMarks:
            lost, what = {}, "the house's marks"
        else:
            what = f"rows of {len(lost)} chains"
            if not lost:
                raise BadInput("nothing that was marked is lost.")
        note = Note("rollback_accepted", "house", reason, facts=HeadsFact(lost))
        write_note(address, key_of(data), PLATFORM, note, now_ms)
        marks.set_aside(Path(data), now_ms)
    click.echo(f"Accepted: {what} are lost, and the records say so.")


@command.command("confirm-time")
@click.argument("time")
@click.argument("reason")
@click.option("--by", "actor", default="", help="Who confirms it.  [default: your user name]")
@located
def confirm_time(time: str, reason: str, actor: str, data: str, database: str) -> None:
    """Confirm that the machine's clock is right. The house must be closed.

    TIME is what another clock shows now, in UTC. An open house takes it as POST /clock.

    Example: wartable db confirm-time 2026-11-15T20:30 "compared with the station clock"
    """
    address = address_of(data, database)
    import getpass

    from wartable.server.clock import HouseClock
    from wartable.server.house import timekeeping
    from wartable.server.period import read_moment, utc
    from wartable.server.records import database as databases
    from wartable.server.records.notes import write_note

    if not reason.strip():
        raise BadInput("a confirmation needs a reason.")
    with records_of(data, database) as engine, closed_house(data, engine):
        last_ms, shows_ms = databases.last_ms(engine), HouseClock().shows_ms()
        at_ms, who = read_moment(time), actor or getpass.getuser()
        note, statement = timekeeping.confirmation(at_ms, shows_ms, last_ms, reason)
        write_note(address, key_of(data), who, note, shows_ms, statement)
    click.echo(f"Confirmed: it is {utc(shows_ms)}.")


@command.command("new-password")
@click.argument("name")
@click.argument("reason")
@click.option("--by", "actor", default="", help="Who issues it.  [default: your user name]")
@located
def new_password(name: str, reason: str, actor: str, data: str, database: str) -> None:
    """Issue a new password for the account NAME, and print it. The house must be closed.

    It is for an administrator whom no other administrator can help. Sessions and lock-outs end.

    Example: wartable db new-password admin "lost it; the owner asked in person"
    """
    address = address_of(data, database)
    import getpass

    from wartable.server.house import sessions
    from wartable.server.house.rights import GUEST
    from wartable.server.records import schema
    from wartable.server.records.facts import SessionsFact
    from wartable.server.records.messages import Note
    from wartable.server.records.notes import write_note
    from wartable.table import PLATFORM

    who = actor or getpass.getuser()
    if not reason.strip():
        raise BadInput("a new password needs a reason.")
    if who == name:
        raise BadInput(f"{name} cannot issue their own password; name another person with --by.")
    with records_of(data, database) as engine, closed_house(data, engine):
        with engine.connect() as connection:
            accounts = schema.accounts
            if connection.execute(accounts.select().where(accounts.c.name == name)).first() is None:
                raise BadInput(f"there is no account {name}.")
        key = key_of(data)
        now_ms = closed_ms(engine, key)
        password, note, statements = sessions.issued(name, reason, name.startswith(GUEST))
        ended = Note("signed_out", name, facts=SessionsFact())
        write_note(address, key, PLATFORM, ended, now_ms)
        write_note(address, key, who, note, now_ms, *statements)
    click.echo(f"The new password of {name}: {password}")


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
@click.option("--vouch", is_flag=True, help="Trust a backup from before rows had codes.")
def restore(file: Path, data: str, database: str, key: Path, vouch: bool) -> None:
    """Restore a backup into a house that has no database yet, and replay every row.

    Example: wartable db restore tonight.backup --key safe/key --data restored
    """
    address = address_of(data, database)
    from wartable.server.audit import backup as backups
    from wartable.server.clock import HouseClock
    from wartable.server.records.keys import read_key

    own = Path(data) / "key"
    with speaking():
        secret = read_key(key)
        if own.exists() and read_key(own) != secret:
            raise BadInput(f"{own} is the key of another house; restore into another folder.")
        with _with_key(own, secret):
            found = backups.restore(file, address, secret, HouseClock().shows_ms(), vouch)
    click.echo(
        f"Restored and replayed: {found.tables} tables, {found.rows} rows and"
        f" {found.transfers} transfers."
    )


@contextmanager
def _with_key(path: Path, key: Any) -> Iterator[None]:
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
