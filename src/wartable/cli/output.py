"""What the commands print with: a plain console, tables and names."""

from collections.abc import Collection

from rich.console import Console
from rich.table import Table

WIDTH = 140


def console(width: int = WIDTH) -> Console:
    """A console that prints text unchanged, and does not wrap lines unless it is a terminal."""
    found = Console(highlight=False, markup=False, emoji=False)
    if found.is_terminal:
        return found
    return Console(highlight=False, markup=False, emoji=False, width=width)


def print_table(
    screen: Console, title: str, columns: list[str], rows: list[list[str]], left: Collection[int]
) -> None:
    """Print a table below an empty line; `left` are the columns of text."""
    table = Table(title=title, title_justify="left", title_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number in left else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(printable, row))
    screen.print("", table)


def printable(text: str) -> str:
    """The text on one line, with anything that would move a terminal's cursor written out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
