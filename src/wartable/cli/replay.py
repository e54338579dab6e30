"""`wartable replay`: a playthrough decided again by the engine, and drawn."""

from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

import click

from wartable import notation
from wartable.cli import BadInput
from wartable.cli.given import read_given
from wartable.cli.output import printable
from wartable.picture import Picture, round_picture, table_picture
from wartable.rules import load_any, with_options
from wartable.table import playthrough as tables

TEXT_BYTES_MAX = 16 * 2**20


class Replayed(NamedTuple):
    """A playthrough as it was written and as the engine decides it now, and its last state."""

    written: str
    decided: str
    has_events: bool
    picture: Picture


@click.command("replay")
@click.argument("text", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--events", is_flag=True, help="Print every command with its events.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A picture: .svg or .txt.")
def command(text: Path, events: bool, output: Path | None) -> None:
    """Decide a playthrough of a round or a table again, and show how it ends.

    TEXT is a file in the notation of docs/notation.md, - is standard input. Events may be left
    out. If they are there and the engine decides otherwise now, the difference is printed and the
    exit code is 1.

    Example: wartable replay round.txt -o round.svg
    """
    if output is not None and output.suffix not in (".svg", ".txt"):
        raise BadInput(f"A picture's file ends in .svg or .txt, unlike {output.name}.")
    replayed = replay(_read(text))
    if output is not None:
        drawn = replayed.picture.svg() if output.suffix == ".svg" else replayed.picture.text()
        try:
            output.write_text(drawn, "utf-8")
        except OSError as error:
            raise BadInput(f"{output} cannot be written: {error.strerror}.") from None
    shown = replayed.decided if events else replayed.picture.text()
    for line in shown.splitlines():
        click.echo(printable(line))
    if replayed.has_events and replayed.written != replayed.decided:
        before, now = replayed.written.splitlines(), replayed.decided.splitlines()
        for line in unified_diff(before, now, "written", "decided now", lineterm="", n=1):
            click.echo(printable(line))
        raise click.exceptions.Exit(1)


def replay(text: str) -> Replayed:
    """A playthrough of a round, or of a table if its header names one."""
    if any(line.startswith("table ") for line in text.splitlines()):
        table = tables.parse(text)
        played = tables.replay(table)
        book = with_options(load_any(table.rules), table.options)
        picture = table_picture(book, tables.last_state(played))
        events = any(each.events or each.refused for each in table.steps)
        return Replayed(tables.dump(table), tables.dump(played), events, picture)
    told = notation.parse(text)
    again = notation.replay(told)
    picture = round_picture(notation.book_of(again), notation.last_state(again))
    events = any(each.events for each in told.steps)
    return Replayed(notation.dump(told), notation.dump(again), events, picture)


def _read(file: Path) -> str:
    data = read_given(file, TEXT_BYTES_MAX)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{file} is not UTF-8 text.") from None
