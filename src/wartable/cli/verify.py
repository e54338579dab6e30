"""`wartable verify`: finished shoes checked against their commitments."""

import sys
from pathlib import Path

import click

from wartable.cli import BadInput
from wartable.cli.output import printable
from wartable.verify import VerifyStep, verify_bytes

FILE_BYTES_MAX = 256 * 2**20


@click.command("verify")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--quiet", is_flag=True, help="Print only what fails, and the last line.")
def command(file: Path, quiet: bool) -> None:
    """Check the finished shoes in FILE (- is standard input) step by step.

    The output names each step of docs/fairness.md and its result. The exit code is 0 if every
    step holds, 1 if one fails, 2 if FILE cannot be read.

    Example: wartable verify shoes.json
    """
    steps = verify_bytes(_read(file))
    for step in steps:
        if not (quiet and step.ok):
            click.echo(_line(step))
    failed = [step for step in steps if not step.ok]
    if failed:
        click.echo(f"{len(failed)} of {len(steps)} steps fail.")
        raise click.exceptions.Exit(1)
    click.echo(f"All {len(steps)} steps hold.")


def _read(file: Path) -> bytes:
    try:
        if str(file) == "-":
            data = sys.stdin.buffer.read(FILE_BYTES_MAX + 1)
        else:
            with file.open("rb") as source:
                data = source.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise BadInput(printable(f"{file} cannot be read: {error.strerror}.")) from None
    if len(data) > FILE_BYTES_MAX:
        raise BadInput(printable(f"{file} is larger than {FILE_BYTES_MAX} bytes."))
    return data


def _line(step: VerifyStep) -> str:
    what = f"shoe {step.shoe}" if step.shoe else "record"
    return printable(
        f"{'holds' if step.ok else 'FAILS'}  {what:<9} {step.name:<15} {step.sentence}"
    )
