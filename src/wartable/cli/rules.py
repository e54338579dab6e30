"""`wartable rules`: list, show, compare and check rule books."""

from pathlib import Path
from typing import Any

import click
import msgspec
from rich.box import SIMPLE_HEAD
from rich.table import Table

from wartable.cli.output import console, printable
from wartable.rules import (
    NAMES,
    Book,
    Ratio,
    RuleBook,
    RulesError,
    Source,
    load,
    load_any,
    load_file,
    option_values,
)
from wartable.rules.differences import differs, values
from wartable.rules.inventory import readings_of
from wartable.rules.model import Options

DIGEST_SHOWN = 8
"""Digits of a digest that are shown, and enough to load a book by."""

KEY_WIDTH = 21


@click.group("rules")
def command() -> None:
    """List, show, compare and check rule books.

    Example: wartable rules diff maryland washington
    """


@command.command("list")
def list_() -> None:
    """List the included rule books with version and digest.

    Example: wartable rules list
    """
    table = Table(box=SIMPLE_HEAD)
    for heading in ("book", "version", "digest", "banker", "decks", "boxes"):
        table.add_column(heading, no_wrap=True)
    table.add_column("title", overflow="fold")
    for name in NAMES:
        book = load(name)
        rules = book.rules
        table.add_row(
            name,
            rules.version,
            book.digest[:DIGEST_SHOWN],
            rules.banker,
            _decks(rules),
            str(rules.table.boxes),
            rules.title,
        )
    console().print(table)


def _decks(rules: RuleBook) -> str:
    """The numbers of decks that a table may have, two batches as `2 x 6`."""
    batches = "2 x " if rules.options.shuffle == "batches" else ""
    return f"{batches}{_span(rules.shoe.decks_allowed)}"


def _span(numbers: tuple[int, ...]) -> str:
    """The numbers, consecutive ones as a span: `4-8`."""
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]}-{numbers[-1]}"
    return ", ".join(str(number) for number in numbers)


@command.command()
@click.argument("name")
@click.option(
    "--json", "as_json", is_flag=True, help="Print every key with its value and sources as JSON."
)
def show(name: str, as_json: bool) -> None:
    """Show every value of a book with its clauses and readings. NAME is a book or a .toml file.

    Example: wartable rules show maryland
    """
    book = _book(name)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(_as_json(book))))
        return
    rules, out = book.rules, console()
    out.print(printable(f"{rules.name} {rules.version}  {rules.title}"))
    if differing := differs(rules):
        out.print(printable(differing))
    out.print(f"digest {book.digest}")
    out.print("Each key with its value, then its clauses; readings; note. Amounts are in cents.")
    alternatives = _alternatives(book)
    sections: dict[str, Table] = {"": _section()}
    for key, value in values(book.rules).items():
        section, _, name = key.rpartition(".")
        if key not in ("name", "version", "title", "extends"):
            source = _source(book.sources.get(key, Source()), alternatives.get(key, ""))
            table = sections.setdefault(section, _section())
            table.add_row(printable(name), _shown(key, value), source)
    for section, table in sections.items():
        out.print()
        out.print(f"[{section}]" if section else "book", style="bold")
        out.print(table)
    _show_readings(book)


def _section() -> Table:
    """The table of one section, its columns aligned with those of the other sections."""
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 1), expand=True)
    table.add_column(width=KEY_WIDTH, overflow="fold")
    table.add_column(ratio=2, overflow="fold")
    table.add_column(ratio=3, overflow="fold")
    return table


def _source(source: Source, alternatives: str) -> str:
    """Where a value comes from and, for a named option, what else it may be."""
    parts = [", ".join(source.clauses), ", ".join(source.readings), source.note, alternatives]
    return printable("; ".join(part for part in parts if part))


def _alternatives(book: Book) -> dict[str, str]:
    """The values of each named option and, where they move money, the edge that each gives."""
    from wartable.odds.composition import OddsError
    from wartable.odds.readings import readings as measured
    from wartable.odds.wagers import Odds

    options = Options.__struct_fields__
    found = {f"options.{name}": "may be " + ", ".join(option_values(name)) for name in options}
    try:
        edges = measured(Odds(book))
    except OddsError:
        return found
    for reading in edges:
        if reading.changes_money:
            values = ", ".join(
                each.value if each.edge is None else f"{each.value} {100 * float(each.edge):.2f}%"
                for each in reading.alternatives
            )
            found[f"options.{reading.option}"] = f"may be {values} (edge: {reading.measure})"
    return found


def _show_readings(book: Book) -> None:
    """The readings that touch the book, in full."""
    named = (name for source in book.sources.values() for name in source.readings)
    table = Table(box=SIMPLE_HEAD)
    table.add_column("reading", no_wrap=True)
    table.add_column("unclear place")
    table.add_column("read as")
    for name, reading in readings_of(book.rules.name, named).items():
        place = ": ".join(part for part in (reading.where, reading.problem) if part)
        table.add_row(name, place, reading.reading)
    if table.row_count:
        console().print(table)


@command.command()
@click.argument("a")
@click.argument("b")
@click.option("--json", "as_json", is_flag=True, help="Print the differences as JSON.")
def diff(a: str, b: str, as_json: bool) -> None:
    """Show where two books differ, key by key. A and B are books or .toml files.

    Example: wartable rules diff california washington
    """
    left, right = _book(a), _book(b)
    found = _differences(left, right)
    if as_json:
        books = [{"name": each.rules.name, "digest": each.digest} for each in (left, right)]
        rows = {key: [_plain(side) for side in sides] for key, sides in found.items()}
        document = {"books": books, "differences": rows}
        click.echo(msgspec.json.format(msgspec.json.encode(document)))
        return
    table = Table(box=SIMPLE_HEAD)
    table.add_column("key", overflow="fold", min_width=20)
    for book in (left, right):
        table.add_column(printable(book.rules.name), overflow="fold")
    for key, sides in found.items():
        table.add_row(printable(key), *(_shown(key, side) for side in sides))
    equal = printable(f"{a} and {b} have the same rules.")
    console().print(table if table.row_count else equal)


def _differences(left: Book, right: Book) -> dict[str, tuple[Any, Any]]:
    """The values of both books by key, where they differ; a wager that one lacks is one key."""
    ours, theirs = values(left.rules), values(right.rules)
    found: dict[str, tuple[Any, Any]] = {}
    for key in [*ours, *(key for key in theirs if key not in ours)]:
        same = ours.get(key) == theirs.get(key)
        if same or key.partition(".")[0] in ("name", "extends", "outcomes"):
            continue
        if (wager := ".".join(key.split(".")[:2])).startswith("wagers."):
            has, other_has = (any(each.startswith(wager) for each in s) for s in (ours, theirs))
            if not (has and other_has):
                if key.endswith(".offered"):
                    found[wager] = (has or None, other_has or None)
                continue
        found[key] = (ours.get(key), theirs.get(key))
    return found


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Check your own book. Every problem is reported at once, with its key.

    Example: wartable rules check my-table.toml
    """
    try:
        book = load_file(file)
    except RulesError as error:
        for problem in error.problems:
            click.echo(printable(problem), err=True)
        raise click.exceptions.Exit(1) from None
    click.echo(printable(f"{file}: {book.rules.name} {book.rules.version} is sound."))
    if differing := differs(book.rules):
        click.echo(printable(differing))
    click.echo(f"digest {book.digest}")


def _book(name: str) -> Book:
    return load_any(name)


def _as_json(book: Book) -> dict[str, Any]:
    shown = {
        key: {"value": _plain(value), **msgspec.to_builtins(book.sources.get(key, Source()))}
        for key, value in values(book.rules).items()
    }
    rules = book.rules
    head = {"name": rules.name, "version": rules.version, "title": rules.title}
    return {**head, "digest": book.digest, "values": shown}


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Ratio) else value


def _shown(key: str, value: Any) -> str:
    """A value as people read it: `10 to 1` for odds, `1/4` for shares, yes and no."""
    if value in (None, "", ()):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(str(each) for each in value)
    if isinstance(value, Ratio) and not (key.endswith(".pays") or ".lines." in key):
        return f"{value.over}/{value.under}"
    return printable(str(value))
