"""A PAR sheet as one HTML file that needs no network and prints well."""

from html import escape

from wartable.odds.par.blocks import (
    Block,
    Cell,
    Chart,
    Figure,
    Sheet,
    SheetSection,
    SheetTable,
    Span,
    Text,
    text_of,
)
from wartable.odds.par.drawing import svg

STYLE = """
:root { --ink: #1d2226; --soft: #5a646c; --line: #d5dade; --house: #1f5f8b; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: #eef1f3; color: var(--ink);
  font: 15px/1.5 "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 3rem 3rem; background: #fff; }
header { border-bottom: 3px solid var(--house); padding-bottom: 1rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; }
header p { margin: 0; color: var(--soft); }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .6rem; padding-bottom: .25rem;
  border-bottom: 1px solid var(--line); }
h2 span { color: var(--house); margin-right: .6rem; }
h3 { font-size: .95rem; margin: 1.5rem 0 .4rem; }
p { max-width: 46rem; margin: .5rem 0; }
nav ol { columns: 2; column-gap: 2rem; margin: 1rem 0 0; padding-left: 1.9rem; }
nav a { color: var(--house); text-decoration: none; }
.wide { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: .86rem; width: 100%; }
th, td { padding: .28rem .7rem .28rem 0; text-align: right; vertical-align: top;
  border-bottom: 1px solid var(--line); }
td { font-variant-numeric: tabular-nums; white-space: nowrap; }
th { border-bottom: 1.5px solid var(--ink); font-weight: 600; vertical-align: bottom; }
th:last-child, td:last-child { padding-right: 0; }
.word { text-align: left; font-variant-numeric: normal; white-space: normal;
  overflow-wrap: anywhere; }
.words-2 th:first-child, .words-3 th:first-child { width: 22%; }
figure { margin: 1.2rem 0; }
svg { width: 100%; height: auto; display: block;
  font-family: "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; }
figcaption { font-size: .86rem; color: var(--soft); }
footer { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: .6rem;
  font-size: .8rem; color: var(--soft); overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  main { padding: 1.2rem 1rem 2rem; }
  h1 { font-size: 1.45rem; }
  nav ol { columns: 1; }
  .wide.broad table { min-width: 38rem; }
  figure { overflow-x: auto; }
  figure svg { min-width: 29rem; }
}
@media print {
  @page { size: A4; margin: 16mm 15mm 18mm; }
  body { background: none; font-size: 9.5pt; }
  main { max-width: none; padding: 0; }
  nav { display: none; }
  h2 { break-after: avoid; margin-top: 1.4rem; }
  h3 { break-after: avoid; }
  tr, table, figure, .wide { break-inside: avoid; }
  thead { display: table-header-group; }
  .wide { overflow: visible; }
  table { font-size: 8.2pt; }
  th, td { padding: .18rem .5rem .18rem 0; }
}
"""


def to_html(sheet: Sheet) -> str:
    """The sheet as a page."""
    sections = list(enumerate(sheet.sections, 1))
    contents = "".join(
        f'<li><a href="#s{number}">{escape(section.title)}</a></li>' for number, section in sections
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(sheet.title)}</title><style>{STYLE}</style></head>\n<body><main>"
        f"<header><h1>{escape(sheet.title)}</h1><p>{escape(sheet.subtitle)}</p></header>\n"
        f'<nav aria-label="Contents"><ol>{contents}</ol></nav>\n'
        + "".join(_section(number, section) for number, section in sections)
        + f"<footer>{escape(sheet.footer)}</footer></main></body></html>\n"
    )


def _section(number: int, section: SheetSection) -> str:
    head = f'<section id="s{number}"><h2><span>{number}</span>{escape(section.title)}</h2>\n'
    return head + "".join(map(_block, section.blocks)) + "</section>\n"


def _block(block: Block) -> str:
    if isinstance(block, Text):
        text = escape(block.text)
        for name in map(escape, block.files):
            text = text.replace(name, f'<a href="{name}">{name}</a>', 1)
        return f"<p>{text}</p>\n"
    if isinstance(block, Chart):
        caption = f"<figcaption>{escape(block.caption)}</figcaption>"
        return f"<figure>{svg(block.drawing)}{caption}</figure>\n"
    return _table(block)


def _table(table: SheetTable) -> str:
    title = f"<h3>{escape(table.title)}</h3>\n" if table.title else ""
    names = "".join(
        f'<th scope="col"{_class(number, table)}>{escape(name)}</th>'
        for number, name in enumerate(table.columns)
    )
    rows = "".join(
        "<tr>"
        + "".join(_cell(cell, at, table, spans[at]) for at, cell in enumerate(row))
        + "</tr>\n"
        for row, spans in zip(table.rows, _spans(table), strict=True)
    )
    head = f"<thead><tr>{names}</tr></thead>\n" if any(table.columns) else ""
    broad = " broad" if len(table.columns) > 3 else ""
    return (
        f'{title}<div class="wide{broad}"><table class="words-{table.words}">'
        f"{head}<tbody>{rows}</tbody></table></div>\n"
    )


def _class(number: int, table: SheetTable) -> str:
    return ' class="word"' if number < table.words else ""


def _spans(table: SheetTable) -> list[list[int]]:
    """The number of rows that each cell spans; equal words in the first column share one cell."""
    spans = [[1] * len(table.columns) for _ in table.rows]
    continues = table.continues()
    for number in reversed(range(len(table.rows))):
        if continues[number]:
            spans[number][0] += spans[number + 1][0]
            spans[number + 1][0] = 0
    return spans


def _cell(cell: Cell, number: int, table: SheetTable, span: int) -> str:
    if not span:
        return ""
    rows = f' rowspan="{span}"' if span > 1 else ""
    return f"<td{_class(number, table)}{rows}>{_content(cell)}</td>"


def _content(cell: Cell) -> str:
    if isinstance(cell, Figure):
        return f'<span data-figure="{escape(cell.key)}">{escape(cell.text)}</span>'
    if isinstance(cell, Span):
        return f"{_content(cell.low)} to {_content(cell.high)}"
    return escape(text_of(cell))
