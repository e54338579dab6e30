"""`wartable par`: a rule book's PAR sheet."""

from collections.abc import Sequence
from pathlib import Path

import click

from wartable.cli import BadInput


@click.command("par")
@click.argument("rules")
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="The file.")
@click.option("--decks", type=int, help="The number of decks; any number from 1, for study.")
@click.option("--option", "options", multiple=True, help="A named option: key=value.")
@click.option("--stake", type=int, help="A side bet's wager in cents; 500 is $5.")
@click.option("--date", help="The sheet's date, such as 2026-01-31.  [default: today]")
def command(
    rules: str,
    output: Path,
    decks: int | None,
    options: Sequence[str],
    stake: int | None,
    date: str | None,
) -> None:
    """Write the PAR sheet of a book. RULES is a book, name@digest or a .toml file.

    The file's suffix chooses the format: .html, .pdf, .json or .csv.

    Example: wartable par maryland -o maryland.html
    """
    from datetime import UTC, datetime

    from wartable.cli.odds import chosen_book
    from wartable.odds.composition import OddsError
    from wartable.odds.par import FORMATS, encode, make_sheet

    if output.suffix not in FORMATS:
        raise BadInput(f"A PAR sheet's file ends in {', '.join(FORMATS)}, not {output.suffix!r}.")
    book = chosen_book(rules, options)
    day = datetime.now(UTC).date().isoformat() if date is None else _day(date)
    try:
        content = encode(make_sheet(book, day, decks, stake), output.suffix)
    except OddsError as error:
        raise BadInput(str(error)) from None
    try:
        output.write_bytes(content)
    except OSError as error:
        raise BadInput(f"{output} cannot be written: {error.strerror}.") from None
    click.echo(f"{output}: {len(content):,} bytes.")


def _day(text: str) -> str:
    from datetime import date

    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise BadInput(f"A date is written like 2026-01-31, not {text!r}.") from None
