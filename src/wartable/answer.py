"""An answer of one call: readable in a terminal and a notebook, as JSON and as data frames."""

import csv
import importlib
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from wartable.refusal import Unusable

__all__ = ["AnswerError", "CallAnswer"]

Columns = Mapping[str, Sequence[Any]]
"""A table: the values of each column by its name; an array is passed on unchanged."""
ROWS_SHOWN = 12
SAVED = (".csv", ".json", ".parquet")
"""The suffixes that a table's file may have."""


class AnswerError(Unusable):
    """A table or a format that an answer does not have."""

    kind = "answer"


class CallAnswer:
    """A document of plain values, and the tables in it; the first is the main one."""

    def __init__(self, title: str, document: dict[str, Any], tables: Mapping[str, Columns]) -> None:
        self.title = title
        self.document = document
        self.tables = dict(tables)

    def table(self, name: str = "") -> Columns:
        """The columns of a table, the main one without a name."""
        if name and name not in self.tables:
            raise AnswerError(f"There is no table {name!r}; there are {', '.join(self.tables)}.")
        return self.tables[name or next(iter(self.tables))]

    def to_json(self) -> str:
        """The whole document as JSON."""
        return json.dumps(self.document, ensure_ascii=False, indent=1, default=str)

    def to_pandas(self, name: str = "") -> Any:
        """A table as a pandas DataFrame."""
        return _library("pandas").DataFrame(dict(self.table(name)), copy=False)

    def to_polars(self, name: str = "") -> Any:
        """A table as a Polars DataFrame."""
        return _library("polars").DataFrame(dict(self.table(name)))

    def to_arrow(self, name: str = "") -> Any:
        """A table as an Arrow table; an array of numbers is not copied."""
        return _library("pyarrow").table(dict(self.table(name)))

    def save(self, file: str | Path, name: str = "") -> None:
        """Write a table as .csv or .parquet (with pyarrow), or the whole document as .json."""
        path = Path(file)
        check_saved(path)
        try:
            if path.suffix == ".json":
                path.write_text(self.to_json() + "\n", "utf-8")
            elif path.suffix == ".parquet":
                parquet, table = _library("pyarrow.parquet"), self.to_arrow(name)
                parquet.write_table(table, path)
            else:
                with path.open("w", encoding="utf-8", newline="") as text:
                    writer = csv.writer(text, lineterminator="\n")
                    writer.writerow(self.table(name))
                    writer.writerows(zip(*map(_plain, self.table(name).values()), strict=True))
        except OSError as error:
            raise AnswerError(f"{path} cannot be written: {error.strerror}.") from None

    def __getitem__(self, key: str) -> Any:
        return self.document[key]

    def __repr__(self) -> str:
        shown = [self.title]
        for name in self.tables:
            shown += ["", f"{name}:", *_lines(self.table(name))]
        return "\n".join(shown)

    def _repr_html_(self) -> str:
        parts = [f"<h4>{escape(self.title)}</h4>"]
        for name, columns in self.tables.items():
            heads = "".join(f"<th>{escape(head)}</th>" for head in columns)
            rows = "".join(
                "<tr>" + "".join(f"<td>{escape(shown(value))}</td>" for value in row) + "</tr>"
                for row in _rows(columns)
            )
            parts.append(
                f"<table><caption>{escape(name)}</caption><thead><tr>{heads}</tr></thead>"
                f"<tbody>{rows}</tbody></table>{_rest(columns)}"
            )
        return "".join(parts)


def check_saved(path: Path) -> None:
    """Refuse a file that no table can be written to."""
    if path.suffix not in SAVED:
        raise AnswerError(f"A table's file ends in .csv, .json or .parquet, unlike {path.name}.")
    if not path.absolute().parent.is_dir():
        raise AnswerError(f"There is no directory {path.parent} to write {path.name} to.")
    if path.suffix == ".parquet":
        _library("pyarrow")


def _plain(values: Sequence[Any]) -> Sequence[Any]:
    """A column's values; an array's as Python's own numbers."""
    return values.tolist() if hasattr(values, "tolist") else values


def shown(value: Any) -> str:
    """A value in a table: up to six digits of a number that is not whole."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.6g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _rows(columns: Columns) -> list[tuple[Any, ...]]:
    """The first rows, with plain values."""
    parts = [list(values[:ROWS_SHOWN]) for values in columns.values()]
    plain = [[getattr(value, "item", lambda v=value: v)() for value in part] for part in parts]
    return list(zip(*plain, strict=True))


def _rest(columns: Columns) -> str:
    more = len(next(iter(columns.values()), ())) - ROWS_SHOWN
    return f"... {more:,} rows more" if more > 0 else ""


def _lines(columns: Columns) -> list[str]:
    """A table as lines, its columns aligned."""
    table = [tuple(columns), *(tuple(map(shown, row)) for row in _rows(columns))]
    widths = [max(len(row[place]) for row in table) for place in range(len(columns))]
    lines = [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
    return [*lines, *filter(None, [_rest(columns)])]


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise AnswerError(f"This needs {name}: pip install {name}.") from None
