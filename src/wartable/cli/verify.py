"""`wartable verify`: finished shoes checked against their commitments."""

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from wartable.cli import BadInput
from wartable.cli.given import read_given, within
from wartable.cli.output import printable
from wartable.verify import (
    Record,
    VerifyStep,
    is_answer,
    joined,
    next_page,
    read_record,
    verify,
    verify_bytes,
)

FILE_BYTES_MAX = 256 * 2**20
FILES_MAX = 10_000
WAIT_S = 30
PAGE = 50
"""How many shoes a house is asked for at a time."""


@click.command("verify")
@click.argument("source", metavar="FILE")
@click.option("--quiet", is_flag=True, help="Print only what fails, and the last line.")
def command(source: str, quiet: bool) -> None:
    """Check the finished shoes in FILE step by step.

    FILE is a file, - for standard input, a folder with files of shoes, or the address where a
    house has a table's shoes.

    The output names each step of docs/fairness.md and its result. The exit code is 0 if every
    step holds, 1 if one fails, 2 if FILE cannot be read.

    Example: wartable verify shoes.json
    """
    steps = list(_steps(source))
    for step in steps:
        if not (quiet and step.ok):
            click.echo(_line(step))
    failed = [step for step in steps if not step.ok]
    if failed:
        click.echo(f"{len(failed)} of {len(steps)} steps fail.")
        raise click.exceptions.Exit(1)
    click.echo(f"All {len(steps)} steps hold.")


def _steps(source: str) -> Iterator[VerifyStep]:
    """The steps of everything that the source holds, table by table."""
    if source.startswith(("http://", "https://")):
        yield from _pages(source)
    elif Path(source).is_dir():
        for record in joined(_records(Path(source))):
            click.echo(printable(f"Table {record.shoes[0].terms.table}"))
            yield from verify(record)
    else:
        yield from verify_bytes(read_given(Path(source), FILE_BYTES_MAX))


def _pages(address: str) -> Iterator[VerifyStep]:
    """The steps of all of a table's shoes, whose house answers page by page, the newest first."""
    data = _fetched(address)
    if not is_answer(data):
        yield from verify_bytes(data)
        return
    after = next_page(data)
    records, size = [_page(address, data)], len(data)
    while after is not None:
        data = _fetched(_after(address, after))
        size += len(data)
        if size > FILE_BYTES_MAX:
            raise BadInput(printable(f"{address} has more than {FILE_BYTES_MAX} bytes of shoes."))
        records.append(_page(address, data))
        older = next_page(data)
        if older is not None and older >= after:
            raise BadInput(printable(f"{address} cannot be read: its pages do not end."))
        after = older
    shoes = (shoe for record in records for shoe in record.shoes)
    whole = tuple(sorted(shoes, key=lambda shoe: shoe.terms.number))
    yield from verify(Record(whole, current=records[0].current), whole=True)


def _after(address: str, after: int) -> str:
    """The address of the page that begins there."""
    from urllib.parse import parse_qsl, urlencode, urlsplit

    parts = urlsplit(address)
    query = dict(parse_qsl(parts.query)) | {"after": str(after), "limit": str(PAGE)}
    return parts._replace(query=urlencode(query)).geturl()


def _page(address: str, data: bytes) -> Record:
    try:
        return read_record(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise BadInput(printable(f"{address} is not a record of shoes: {problem}.")) from None


def _records(folder: Path) -> Iterator[Record]:
    """The records in a folder's files."""
    files = sorted(folder.glob("*.json"))
    if not files or len(files) > FILES_MAX:
        raise BadInput(printable(f"{folder} cannot be read: it has {len(files)} files of shoes."))
    for file in files:
        try:
            yield read_record(read_given(file, FILE_BYTES_MAX))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            raise BadInput(printable(f"{file} is not a record of shoes: {problem}.")) from None


def _fetched(address: str) -> bytes:
    """What a house answers at an address."""
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(address, timeout=WAIT_S) as answer:  # the scheme was checked
            data: bytes = answer.read(FILE_BYTES_MAX + 1)
    except urllib.error.HTTPError as error:
        error.close()
        raise BadInput(printable(f"{address} cannot be read: {error}.")) from None
    except (OSError, ValueError) as error:
        cause = getattr(error, "reason", error)
        why = getattr(cause, "strerror", None) or cause
        raise BadInput(printable(f"{address} cannot be read: {why}.")) from None
    return within(address, data, FILE_BYTES_MAX)


def _line(step: VerifyStep) -> str:
    what = f"shoe {step.shoe}" if step.shoe else "record"
    return printable(
        f"{'holds' if step.ok else 'FAILS'}  {what:<9} {step.name:<15} {step.sentence}"
    )
