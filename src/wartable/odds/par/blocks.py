"""The parts of a PAR sheet: sections of text, tables and charts; each figure has a key."""

from fractions import Fraction
from typing import Literal, NamedTuple

from wartable.odds.par.drawing import Drawing

Form = Literal["exact", "percent", "number", "money", "one_in", "tiny", "count"]


class Figure(NamedTuple):
    """A number of the sheet: its key, its value, and its format."""

    key: str
    value: Fraction | float | int | None
    form: Form = "number"

    @property
    def text(self) -> str:
        """The figure as it is printed."""
        if self.value is None:
            return "-"
        value = float(self.value)
        match self.form:
            case "exact":
                return str(self.value)
            case "percent":
                return f"{100 * value:.4f} %"
            case "money":
                return f"${value / 100:,.2f}"
            case "one_in":
                return f"{value:,.1f}"
            case "tiny":
                return f"{value:.3g}"
            case "count":
                return f"{int(self.value):,}"
        return f"{value:,.4f}"


class Span(NamedTuple):
    """A range from one figure to another."""

    low: Figure
    high: Figure

    @property
    def text(self) -> str:
        """The range as it is printed."""
        return f"{self.low.text} to {self.high.text}"


Cell = str | Figure | Span


class Text(NamedTuple):
    """A paragraph; the names of files in it that HTML links to."""

    text: str
    files: tuple[str, ...] = ()


class SheetTable(NamedTuple):
    """Columns and rows; the first `words` columns are text, the others are figures."""

    title: str
    columns: list[str]
    rows: list[list[Cell]]
    words: int = 1
    """The number of columns, from the left, that hold words and are left-aligned."""

    def continues(self) -> list[bool]:
        """For each row, whether the next one begins with the same words."""
        firsts = [row[0] for row in self.rows]
        return [
            isinstance(one, str) and one == other
            for one, other in zip(firsts, [*firsts[1:], None], strict=False)
        ]

    def shown_rows(self) -> list[list[Cell]]:
        """The rows, without first words that only repeat the row above."""
        again = [False, *self.continues()]
        return [
            ["", *row[1:]] if same else row for row, same in zip(self.rows, again, strict=False)
        ]


class Chart(NamedTuple):
    """A drawing with its caption."""

    caption: str
    drawing: Drawing


Block = Text | SheetTable | Chart


class SheetSection(NamedTuple):
    """A numbered part of the sheet."""

    title: str
    blocks: list[Block]


class Sheet(NamedTuple):
    """The whole sheet."""

    title: str
    subtitle: str
    footer: str
    sections: list[SheetSection]

    def figures(self) -> dict[str, Figure]:
        """Every figure of the tables by its key; a repeated key must have one value."""
        found: dict[str, Figure] = {}
        for section in self.sections:
            for block in section.blocks:
                for row in block.rows if isinstance(block, SheetTable) else []:
                    for cell in row:
                        for figure in figures_of(cell):
                            known = found.setdefault(figure.key, figure)
                            if known.value != figure.value:
                                raise ValueError(f"{figure.key} has two values")
        return found


def figures_of(cell: Cell) -> tuple[Figure, ...]:
    """The figures in a cell."""
    if isinstance(cell, Figure):
        return (cell,)
    return (cell.low, cell.high) if isinstance(cell, Span) else ()


def text_of(cell: Cell) -> str:
    """The printed text of a cell."""
    return cell if isinstance(cell, str) else cell.text
