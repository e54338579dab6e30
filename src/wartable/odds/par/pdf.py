"""A PAR sheet as PDF: pages with ruled tables and vector charts, every part tagged.

We write it ourselves. Of the libraries that tag a PDF and embed its fonts, each is many times as
large as this package or needs libraries of the system, and a sheet is text, tables and charts.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from wartable.odds.par.blocks import Block, Chart, Sheet, SheetTable, Text, text_of
from wartable.odds.par.drawing import Area, Drawing, Polyline, Word
from wartable.odds.par.fonts import BOLD, ENCODING, REGULAR, printable, text_width, wrapped
from wartable.odds.par.pdf_file import Bookmark, PdfTag, pdf_file

PAGE_WIDTH, PAGE_HEIGHT = 595.28, 841.89
MARGIN, FOOT = 48.0, 56.0
WIDTH = PAGE_WIDTH - 2 * MARGIN
BODY, SMALL, LEADING, GAP = 8.8, 7.4, 1.38, 9.0
INK, SOFT, RULE, HOUSE = "#1d2226", "#5a646c", "#cfd5da", "#1f5f8b"


def to_pdf(sheet: Sheet) -> bytes:
    """The sheet as a file."""
    pages = PdfPages(sheet)
    pages.head()
    for number, section in enumerate(sheet.sections, 1):
        with pages.tagged("Sect"):
            pages.title(f"{number}   {section.title}", pages.height(section.blocks[0]))
            for block in section.blocks:
                pages.block(block)
    pages.foot()
    contents = ["\n".join(page).encode(ENCODING) for page in pages.pages]
    size = (PAGE_WIDTH, PAGE_HEIGHT)
    return pdf_file(sheet.title, size, contents, pages.outline, pages.root)


class PdfPages:
    """Pages filled from the top; what does not fit goes to the next page."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.pages: list[list[str]] = [[]]
        self.marked = [0]
        """How many pieces of each page have a number, by which tags name them."""
        self.outline: list[Bookmark] = []
        self.root = PdfTag("Document")
        self.tag: PdfTag | None = None
        """What the next text belongs to; none for what only decorates or repeats."""
        self.y = PAGE_HEIGHT - MARGIN

    @contextmanager
    def tagged(self, kind: str, alt: str = "") -> Iterator[None]:
        """Put what is drawn meanwhile under a new tag."""
        outer, self.tag = self.tag, PdfTag(kind, alt)
        (outer or self.root).kids.append(self.tag)
        yield
        self.tag = outer

    @contextmanager
    def untagged(self) -> Iterator[None]:
        """Put what is drawn meanwhile under no tag."""
        outer, self.tag = self.tag, None
        yield
        self.tag = outer

    def head(self) -> None:
        """The sheet's title."""
        self.y -= 10
        with self.tagged("H1"):
            self.text(MARGIN, self.y, self.sheet.title, 19, BOLD)
        self.y -= 17
        with self.tagged("P"):
            self.text(MARGIN, self.y, self.sheet.subtitle, BODY, color=SOFT)
        self.y -= 8
        self.rule(self.y, HOUSE, 2.2)
        self.y -= 8

    def title(self, text: str, below: float) -> None:
        """A section's title, on one page with the block below it."""
        self.room(max(110.0, min(below + 40, PAGE_HEIGHT - MARGIN - FOOT)))
        self.y -= 24
        self.outline.append(Bookmark(text, len(self.pages) - 1, self.y + 30))
        with self.tagged("H2"):
            self.text(MARGIN, self.y, text, 12.5, BOLD, HOUSE)
        self.y -= 5
        self.rule(self.y, RULE, 0.7)
        self.y -= 6

    def block(self, block: Block) -> None:
        """A paragraph, table or chart."""
        if isinstance(block, Text):
            self.paragraph(block.text, BODY)
            self.y -= 3
        elif isinstance(block, Chart):
            self.chart(block)
        else:
            self.table(block)

    def height(self, block: Block) -> float:
        """The height of a block on the page; a table that needs several pages takes any."""
        if isinstance(block, Text):
            return len(wrapped(block.text, WIDTH, BODY)) * BODY * LEADING
        if isinstance(block, Chart):
            lines = len(wrapped(block.caption, WIDTH, SMALL))
            return block.drawing.height * WIDTH / block.drawing.width + 26 + lines * SMALL * LEADING
        columns = column_widths(block)
        rows = [[text_of(cell) for cell in row] for row in block.rows]
        rows += [block.columns] if any(block.columns) else []
        title = GAP + 2 * BODY * LEADING if block.title else GAP
        height = title + sum(
            max(
                len(wrapped(cell, width - 6, SMALL, BOLD))
                for cell, width in zip(row, columns, strict=True)
            )
            * SMALL
            * LEADING
            + 4
            for row in rows
        )
        return height if height <= PAGE_HEIGHT - MARGIN - FOOT else 0.0

    def paragraph(self, text: str, size: float, color: str = INK, kind: str = "P") -> None:
        """Lines of text."""
        with self.tagged(kind):
            for line in wrapped(text, WIDTH, size):
                self.room(size * LEADING)
                self.y -= size * LEADING
                self.text(MARGIN, self.y, line, size, color=color)

    def chart(self, chart: Chart) -> None:
        """A drawing across the whole width, with its caption."""
        scale = WIDTH / chart.drawing.width
        self.room(chart.drawing.height * scale + 26)
        self.y -= 6
        with self.tagged("Figure", chart.drawing.label):
            self.draw(chart.drawing, scale)
        self.y -= chart.drawing.height * scale
        self.paragraph(chart.caption, SMALL, SOFT, "Caption")
        self.y -= 6

    def draw(self, drawing: Drawing, scale: float) -> None:
        """The drawing with its upper edge at the current place."""

        def place(x: float, y: float) -> tuple[float, float]:
            return MARGIN + x * scale, self.y - y * scale

        operators = []
        for item in drawing.items:
            if isinstance(item, Word):
                font, size = BOLD if item.bold else REGULAR, item.size * scale
                shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[item.anchor]
                x, y = place(item.x, item.y)
                width = text_width(item.text, size, font)
                operators.append(_text(x - shift * width, y, item.text, size, font, item.color))
                continue
            points = [place(x, y) for x, y in item.points]
            path = " ".join(
                f"{x:.2f} {y:.2f} {'l' if number else 'm'}" for number, (x, y) in enumerate(points)
            )
            if isinstance(item, Area):
                operators.append(f"{_color(item.color)} rg {path} f")
            else:
                operators.append(_stroke(item, path, scale))
        self.put("\n".join(operators))

    def table(self, table: SheetTable) -> None:
        """A table on one page; if it is longer than a page, its head is repeated on each."""
        self.room(self.height(table))
        columns = column_widths(table)
        self.y -= GAP
        with self.tagged("Table", table.title):
            if table.title:
                self.room(54)
                self.y -= BODY * LEADING
                with self.tagged("Caption"):
                    self.text(MARGIN, self.y, table.title, BODY, BOLD)
                self.y -= 3
            if any(table.columns):
                self.row(table, table.columns, columns, BOLD)
            shown, continues = table.shown_rows(), table.continues()
            for row, brief, same in zip(table.rows, shown, continues, strict=True):
                # Repeat the first words at the top of a page.
                new = self.y - 3 * SMALL * LEADING < FOOT
                cells = row if new else brief
                self.row(table, [text_of(cell) for cell in cells], columns, REGULAR, same)
        self.y -= 4

    def row(
        self,
        table: SheetTable,
        cells: list[str],
        columns: list[float],
        font: str,
        continues: bool = False,
    ) -> None:
        """A row of a table with the rule below it; the rule skips words that span more rows."""
        lines = [
            wrapped(cell, width - 6, SMALL, font)
            for cell, width in zip(cells, columns, strict=True)
        ]
        height = max(map(len, lines)) * SMALL * LEADING + 4
        if self.room(height) and font == REGULAR and any(table.columns):
            with self.untagged():
                self.row(table, table.columns, columns, BOLD)
        x = MARGIN
        with self.tagged("TR") if self.tag else nullcontext():
            for number, (cell, width) in enumerate(zip(lines, columns, strict=True)):
                with self.tagged("TH" if font == BOLD else "TD") if self.tag else nullcontext():
                    for down, line in enumerate(cell, 1):
                        last = number == len(columns) - 1
                        end = x + width - (0 if last else 6) - text_width(line, SMALL, font)
                        y = self.y - down * SMALL * LEADING
                        self.text(x if number < table.words else end, y, line, SMALL, font)
                x += width
        self.y -= height
        spared = columns[0] if continues else 0.0
        self.rule(self.y, INK if font == BOLD else RULE, 0.8 if font == BOLD else 0.4, spared)

    def room(self, height: float) -> bool:
        """Start a new page if this height does not fit on this one; returns whether it did."""
        if self.y - height >= FOOT:
            return False
        self.pages.append([])
        self.marked.append(0)
        self.y = PAGE_HEIGHT - MARGIN
        return True

    def text(
        self, x: float, y: float, text: str, size: float, font: str = REGULAR, color: str = INK
    ) -> None:
        """A text at a point."""
        if text:
            self.put(_text(x, y, text, size, font, color))

    def rule(self, y: float, color: str, width: float, spared: float = 0.0) -> None:
        """A line across the whole width, except for `spared` at the left."""
        with self.untagged():
            self.put(
                f"{_color(color)} RG {width:.2f} w {MARGIN + spared:.2f} {y:.2f} m"
                f" {PAGE_WIDTH - MARGIN:.2f} {y:.2f} l S"
            )

    def put(self, operators: str) -> None:
        """Add to the page, as a piece of the tag or as something that no reader needs."""
        page = len(self.pages) - 1
        if self.tag is None:
            self.pages[page].append(f"/Artifact BMC\n{operators}\nEMC")
            return
        number = self.marked[page]
        self.marked[page] += 1
        self.tag.kids.append((page, number))
        begin = f"/{self.tag.kind} << /MCID {number} >> BDC"
        self.pages[page].append(f"{begin}\n{operators}\nEMC")

    def foot(self) -> None:
        """The foot of every page, with its number."""
        for number, page in enumerate(self.pages, 1):
            count = f"{number} / {len(self.pages)}"
            x = PAGE_WIDTH - MARGIN - text_width(count, SMALL)
            footer = wrapped(self.sheet.footer, WIDTH - 60, SMALL - 0.6)[0]
            for at, text, size in ((MARGIN, footer, SMALL - 0.6), (x, count, SMALL)):
                written = _text(at, 34.0, text, size, REGULAR, SOFT)
                page.append(f"/Artifact BMC\n{written}\nEMC")


def column_widths(table: SheetTable) -> list[float]:
    """Widths by content: figures get what they need, and words share the rest."""
    wanted = []
    for number, name in enumerate(table.columns):
        cells = [text_width(text_of(row[number]), SMALL) for row in table.rows]
        words = [text_width(word, SMALL, BOLD) for word in name.split()]
        head = max(words, default=0.0) if number >= table.words else text_width(name, SMALL, BOLD)
        wanted.append(max([head, *cells]) + 10)
    fixed = sum(wanted[table.words :])
    free = max(WIDTH - fixed, 0.3 * WIDTH)
    asked = sum(wanted[: table.words])
    if asked > free:
        least = free / table.words * 0.6
        small = [min(each, least) for each in wanted[: table.words]]
        rest = (free - sum(small)) / (asked - sum(small))
        for number, base in enumerate(small):
            wanted[number] = base + (wanted[number] - base) * rest
    spare = WIDTH - sum(wanted)
    if spare < 0:
        return [each * WIDTH / sum(wanted) for each in wanted]
    return [each + spare / len(wanted) for each in wanted]


def _color(color: str) -> str:
    red, green, blue = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return f"{red:.3f} {green:.3f} {blue:.3f}"


def _stroke(line: Polyline, path: str, scale: float) -> str:
    dash = "[4 3] 0 d" if line.dashed else "[] 0 d"
    return f"{_color(line.color)} RG {line.width * scale:.2f} w {dash} {path} S [] 0 d"


def _text(x: float, y: float, text: str, size: float, font: str, color: str) -> str:
    shown = printable(text, font).decode(ENCODING)
    written = shown.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT {_color(color)} rg /{font} {size:.2f} Tf {x:.2f} {y:.2f} Td ({written}) Tj ET"
