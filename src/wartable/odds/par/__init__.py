"""PAR sheets: the odds of a book as a document to file, in HTML, PDF, JSON or CSV."""

import csv
import io
import json
from typing import Any

from wartable.odds.figures import exact
from wartable.odds.par.blocks import (
    Cell,
    Chart,
    Figure,
    Sheet,
    SheetTable,
    Span,
    figures_of,
    text_of,
)
from wartable.odds.par.html import to_html
from wartable.odds.par.pdf import to_pdf
from wartable.odds.par.sheet import make_sheet

__all__ = ["FORMATS", "Figure", "Sheet", "encode", "make_sheet", "to_html", "to_pdf"]

FORMATS = (".html", ".pdf", ".json", ".csv")


def encode(sheet: Sheet, suffix: str) -> bytes:
    """The sheet in the format of a file's suffix."""
    if suffix == ".pdf":
        return to_pdf(sheet)
    text = {".html": to_html, ".json": to_json, ".csv": to_csv}[suffix](sheet)
    return text.encode()


def to_json(sheet: Sheet) -> str:
    """The sheet's sections with every figure, exact if it is a fraction."""
    sections = [
        {
            "title": section.title,
            "blocks": [
                _table(block) if isinstance(block, SheetTable) else _words(block)
                for block in section.blocks
            ],
        }
        for section in sheet.sections
    ]
    document = {
        "title": sheet.title,
        "subtitle": sheet.subtitle,
        "figures": {key: _value(figure) for key, figure in sheet.figures().items()},
        "sections": sections,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _words(block: Any) -> dict[str, str]:
    return {"chart": block.caption} if isinstance(block, Chart) else {"text": block.text}


def _table(table: SheetTable) -> dict[str, Any]:
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    return {"table": table.title, "columns": table.columns, "rows": rows}


def _cell(cell: Cell) -> Any:
    if isinstance(cell, Span):
        return {"figures": [cell.low.key, cell.high.key], "text": cell.text}
    return {"figure": cell.key, "text": cell.text} if isinstance(cell, Figure) else cell


def _value(figure: Figure) -> Any:
    return figure.value if isinstance(figure.value, float) else exact(figure.value)


def to_csv(sheet: Sheet) -> str:
    """One row for each figure: its section and table, key, exact value, value and text."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["section", "table", "row", "figure", "exact", "value", "text"])
    for section in sheet.sections:
        for block in section.blocks:
            for row in block.rows if isinstance(block, SheetTable) else []:
                words = "; ".join(text_of(cell) for cell in row if isinstance(cell, str))
                for figure in (each for cell in row for each in figures_of(cell)):
                    value = figure.value
                    whole = "" if value is None or isinstance(value, float) else str(value)
                    number = "" if value is None else repr(float(value))
                    writer.writerow(
                        [section.title, block.title, words, figure.key, whole, number, figure.text]
                        if isinstance(block, SheetTable)
                        else []
                    )
    return out.getvalue()
