"""`wartable rules`: list, show, compare and check rule books."""

from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.table import Table

from wartable.cli import Refused
from wartable.rules import NAMES, Book, RulesError, Source, load, load_any, load_file
from wartable.rules.inventory import readings


@click.group("rules")
def command() -> None:
    """List, show, compare and check rule books.

    Example: wartable rules diff maryland washington
    """


@command.command("list")
def list_() -> None:
    """The shipped rule books with version and digest.

    Example: wartable rules list
    """
    table = Table("book", "title", "version", "digest", "banker", "decks", "boxes")
    for name in NAMES:
        book = load(name)
        rules = book.rules
        decks = ", ".join(str(number) for number in rules.shoe.decks_allowed)
        table.add_row(
            name,
            rules.title,
            rules.version,
            book.digest[:12],
            rules.banker,
            decks,
            str(rules.table.boxes),
        )
    _console().print(table)


@command.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Every key with its value and sources.")
def show(name: str, as_json: bool) -> None:
    """A book's every value with its clauses and readings. NAME is a book or a .toml file.

    Example: wartable rules show maryland
    """
    book = _book(name)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(_as_json(book))))
        return
    console = _console()
    rules = book.rules
    console.print(f"[bold]{rules.name}[/] {rules.version}  {rules.title}  digest {book.digest}")
    for section, keys in _sections(book).items():
        table = Table(title=section, title_justify="left", show_edge=False, pad_edge=False)
        table.add_column("key", no_wrap=True)
        table.add_column("value")
        table.add_column("clauses")
        table.add_column("readings and notes")
        for key, value, source in keys:
            notes = " ".join([*source.readings, *([f"({source.note})"] if source.note else [])])
            table.add_row(key, value, ", ".join(source.clauses), notes)
        console.print(table, "")
    _show_readings(console, book)


def _show_readings(console: Console, book: Book) -> None:
    """The readings that the book refers to, in full."""
    used = {name for source in book.sources.values() for name in source.readings}
    table = Table("reading", "unclear place", "read as", title="readings", title_justify="left")
    for name, reading in readings().items():
        if name in used:
            table.add_row(name, f"{reading.where}: {reading.problem}", reading.reading)
    console.print(table)


@command.command()
@click.argument("a")
@click.argument("b")
def diff(a: str, b: str) -> None:
    """Where two books differ, key by key. A and B are books or .toml files.

    Example: wartable rules diff california washington
    """
    left, right = _book(a), _book(b)
    ours, theirs = _values(left), _values(right)
    table = Table("key", left.rules.name, right.rules.name)
    for key in [*ours, *(key for key in theirs if key not in ours)]:
        if key.partition(".")[0] not in ("name", "outcomes") and ours.get(key) != theirs.get(key):
            table.add_row(key, ours.get(key, "-"), theirs.get(key, "-"))
    _console().print(table if table.row_count else f"{a} and {b} have the same rules.")


@command.command()
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> None:
    """Check a book of your own; every problem at once, each with its key.

    Example: wartable rules check my-table.toml
    """
    try:
        book = load_file(file)
    except RulesError as error:
        for problem in error.problems:
            click.echo(problem, err=True)
        raise click.exceptions.Exit(1) from None
    click.echo(f"{file}: {book.rules.name} {book.rules.version} is sound, digest {book.digest}.")


def _book(name: str) -> Book:
    try:
        return load_any(name)
    except RulesError as error:
        raise Refused(str(error)) from None


def _console() -> Console:
    """A console that keeps its lines whole where nobody looks."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=160)


def _as_json(book: Book) -> dict[str, Any]:
    values = {
        key: {"value": value, **msgspec.to_builtins(book.sources.get(key, Source()))}
        for key, value in _values(book).items()
    }
    rules = book.rules
    head = {"name": rules.name, "version": rules.version, "title": rules.title}
    return {**head, "digest": book.digest, "values": values}


def _values(book: Book) -> dict[str, str]:
    """Every value of the book as text, by dotted key."""
    return dict(_flat(book.rules, ""))


def _flat(value: Any, key: str) -> list[tuple[str, str]]:
    if isinstance(value, msgspec.Struct):
        names = [field.name for field in msgspec.structs.fields(value)]
        parts = {name: getattr(value, name) for name in names}
    elif isinstance(value, dict):
        parts = value
    else:
        shown = ", ".join(str(v) for v in value) if isinstance(value, tuple) else str(value)
        return [] if value is None else [(key, shown)]
    return [
        pair for name, each in parts.items() for pair in _flat(each, f"{key}.{name}".strip("."))
    ]


def _sections(book: Book) -> dict[str, list[tuple[str, str, Source]]]:
    """The book's keys by section, each with its value and source."""
    sections: dict[str, list[tuple[str, str, Source]]] = {}
    for key, value in _values(book).items():
        section, _, name = key.rpartition(".")
        if key not in ("name", "version", "title"):
            source = book.sources.get(key, Source())
            sections.setdefault(section or "book", []).append((name, value, source))
    return sections
