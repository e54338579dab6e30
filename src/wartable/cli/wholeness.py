"""`wartable audit verify`, `witness` and `public-key`: whether a house's records are whole."""

from pathlib import Path
from typing import Any

import click

from wartable.cli import BadInput
from wartable.cli.house import address_of, key_of, located, records_of, speaking
from wartable.cli.output import printable

PROGRESS_ROWS = 10_000
"""The number of rows above which `verify` shows its progress."""


@click.command("verify")
@located
@click.option("--json", "as_json", is_flag=True, help="The result as JSON.")
@click.option(
    "--marks",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Check that all rows marked in this file still exist, then mark the new ones.",
)
@click.option("--all", "whole", is_flag=True, help="Check every row, not only the new ones.")
def verify(data: str, database: str, as_json: bool, marks: Path | None, whole: bool) -> None:
    """Check chains, codes, decisions, money, meters and rights. Exit 1 at the first bad row.

    Once the records were found whole, only newer rows are checked, unless you ask for all.

    Example: wartable audit verify --data wartable-data --marks /media/safe/marks
    """
    with records_of(data, database) as engine:
        import msgspec

        from wartable.server.audit import verified, verify
        from wartable.server.audit.marks import FILE
        from wartable.server.records.journal import Broken

        key = key_of(data)
        since = None if whole else verified.read(Path(data), key)
        try:
            found, now = verify.verify_since(engine, key, since, _progress())
            _check_marks(engine, Path(data) / FILE, key.signed)
            if marks is not None:
                _mark(engine, marks, key)
        except Broken as error:
            row = None if error.row is None else [error.row.table_name, error.row.number]
            result = {"whole": False, "row": row, "reason": error.reason}
            sentence = printable(f"Not whole: {error}.")
            click.echo(msgspec.json.encode(result) if as_json else sentence)
            raise click.exceptions.Exit(1) from None
        _keep_verified(data, address_of(data, database), key, now)
        counted = msgspec.structs.asdict(found)
        since_ms = None if since is None else since.at_ms
        if as_json:
            click.echo(msgspec.json.encode({"whole": True, "since_ms": since_ms, **counted}))
        else:
            click.echo(_whole(found, since_ms))


def _whole(found: Any, since_ms: int | None) -> str:
    """What was checked, as a sentence."""
    from wartable.server.period import utc

    if since_ms is not None:
        return (
            f"Whole since {utc(since_ms)}: {found.rows} new rows and {found.transfers} transfers"
            f" of {found.tables} tables checked and decided again. --all checks every row."
        )
    older = f" {found.replayed} rows from before rows had codes were replayed only."
    return (
        f"Whole: {found.tables} tables, {found.rows} rows and {found.transfers} transfers"
        f" checked and decided again.{older if found.replayed else ''}"
    )


def _progress() -> Any:
    """A function that prints the progress of a long run to standard error, in steps of 5 %."""
    last = 0

    def told(rows: int, total: int) -> None:
        nonlocal last
        if total >= PROGRESS_ROWS and rows * 20 // total > last:
            last = rows * 20 // total
            click.echo(f"{rows} of {total} rows checked.", err=True)

    return told


def _keep_verified(data: str, address: str, key: Any, mark: Any) -> None:
    """Save the mark to continue from, unless the records are on a read-only medium."""
    import os

    from wartable.server.audit import verified
    from wartable.server.records import database, store

    read_only = not store.is_postgres(address) and not database.writable(address)
    if read_only or not os.access(data, os.W_OK):
        return
    try:
        verified.write(Path(data), key, mark)
    except OSError as error:
        told = f"The next run checks every row again: {error.filename}: {error.strerror}."
        click.echo(printable(told), err=True)


def _check_marks(engine: Any, path: Path, signed: Any, older: bool = False) -> list[Any]:
    """Check that the journal still has its marked rows; return the marks."""
    from wartable.server.audit import marks

    known = marks.read(path, signed, older)
    marks.check(engine, known)
    return known


def _mark(engine: Any, path: Path, key: Any) -> None:
    """Check that the journal still has its marked rows, and mark the new ones."""
    from wartable.server.audit import marks
    from wartable.server.clock import HouseClock

    known = _check_marks(engine, path, key.signed, older=True)
    marks.add(engine, path, known, key, HouseClock().shows_ms())


@click.command("witness")
@click.argument("marks", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--public-key", required=True, help="The house's, as `audit public-key` prints it.")
@located
def witness(marks: Path, public_key: str, data: str, database: str) -> None:
    """Check without the house's key that it signed MARKS and that every marked row is there.

    This proves that no marked row was changed or lost. It decides no row again.

    Example: wartable audit witness /media/safe/marks --public-key 5f3a...
    """
    with records_of(data, database) as engine:
        from functools import partial

        from wartable.server.audit import verify
        from wartable.server.records.journal import Broken
        from wartable.server.records.keys import signed_by

        try:
            rows = verify.check_chains(engine)
            found = _check_marks(engine, marks, partial(signed_by, public_key), older=True)
        except Broken as error:
            click.echo(printable(f"Not whole: {error}."))
            raise click.exceptions.Exit(1) from None
    if not found or not all(mark.signature for mark in found):
        raise BadInput(f"{marks} has no marks that a house signed.")
    click.echo(f"All marked rows are there: {rows} rows in unbroken chains, {len(found)} marks.")


@click.command("public-key")
@located
def public_key(data: str, database: str) -> None:  # noqa: ARG001  # all commands say where
    """Print the key that anybody can check the house's marks with.

    Example: wartable audit public-key
    """
    with speaking():
        click.echo(key_of(data).public)
