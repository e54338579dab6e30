"""What the commands print with: a plain console, amounts and names."""

from rich.console import Console

WIDTH = 140


def console(width: int = WIDTH) -> Console:
    """A console that takes text as it is, and keeps its lines whole where nobody looks."""
    found = Console(highlight=False, markup=False, emoji=False)
    if found.is_terminal:
        return found
    return Console(highlight=False, markup=False, emoji=False, width=width)


def money(cents: int, sign: str = "") -> str:
    """Cents as an amount with two places: 1250 is 12.50."""
    whole, part = divmod(abs(cents), 100)
    mark = "-" if cents < 0 else sign if cents else ""
    return f"{mark}{whole:,}.{part:02}"


def printable(text: str) -> str:
    """The text on one line, with anything that would move a terminal's cursor written out."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
