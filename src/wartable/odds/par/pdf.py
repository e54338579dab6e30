"""A PAR sheet as PDF: pages in the standard fonts, ruled tables and vector charts."""

import zlib

from wartable.odds.par.blocks import Block, Chart, Sheet, SheetTable, Text, text_of
from wartable.odds.par.drawing import Area, Drawing, Polyline, Word
from wartable.odds.par.fonts import BOLD, FONTS, REGULAR, text_width, wrapped

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
        pages.title(f"{number}   {section.title}", pages.height(section.blocks[0]))
        for block in section.blocks:
            pages.block(block)
    return _file(sheet, pages.finished())


class PdfPages:
    """Pages filled from the top; what does not fit goes to the next page."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.pages: list[list[str]] = [[]]
        self.outline: list[tuple[str, int, float]] = []
        self.y = PAGE_HEIGHT - MARGIN

    def head(self) -> None:
        """The sheet's title."""
        self.y -= 10
        self.text(MARGIN, self.y, self.sheet.title, 19, BOLD)
        self.y -= 17
        self.text(MARGIN, self.y, self.sheet.subtitle, BODY, color=SOFT)
        self.y -= 8
        self.rule(self.y, HOUSE, 2.2)
        self.y -= 8

    def title(self, text: str, below: float) -> None:
        """A section's title, on one page with the block below it."""
        self.room(max(110.0, min(below + 40, PAGE_HEIGHT - MARGIN - FOOT)))
        self.y -= 24
        self.outline.append((text, len(self.pages) - 1, self.y + 16))
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

    def paragraph(self, text: str, size: float, color: str = INK) -> None:
        """Lines of text."""
        for line in wrapped(text, WIDTH, size):
            self.room(size * LEADING)
            self.y -= size * LEADING
            self.text(MARGIN, self.y, line, size, color=color)

    def chart(self, chart: Chart) -> None:
        """A drawing across the whole width, with its caption."""
        scale = WIDTH / chart.drawing.width
        self.room(chart.drawing.height * scale + 26)
        self.y -= 6
        self.draw(chart.drawing, scale)
        self.y -= chart.drawing.height * scale
        self.paragraph(chart.caption, SMALL, SOFT)
        self.y -= 6

    def draw(self, drawing: Drawing, scale: float) -> None:
        """The drawing with its upper edge at the current place."""

        def place(x: float, y: float) -> tuple[float, float]:
            return MARGIN + x * scale, self.y - y * scale

        for item in drawing.items:
            if isinstance(item, Word):
                font, size = BOLD if item.bold else REGULAR, item.size * scale
                shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[item.anchor]
                x, y = place(item.x, item.y)
                width = text_width(item.text, size, font)
                self.text(x - shift * width, y, item.text, size, font, item.color)
                continue
            points = [place(x, y) for x, y in item.points]
            path = " ".join(
                f"{x:.2f} {y:.2f} {'l' if number else 'm'}" for number, (x, y) in enumerate(points)
            )
            if isinstance(item, Area):
                self.put(f"{_color(item.color)} rg {path} f")
            else:
                self.put(_stroke(item, path, scale))

    def table(self, table: SheetTable) -> None:
        """A table on one page; if it is longer than a page, its head is repeated on each."""
        self.room(self.height(table))
        columns = column_widths(table)
        self.y -= GAP
        if table.title:
            self.room(54)
            self.y -= BODY * LEADING
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
            self.row(table, table.columns, columns, BOLD)
        x = MARGIN
        for number, (cell, width) in enumerate(zip(lines, columns, strict=True)):
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
        self.y = PAGE_HEIGHT - MARGIN
        return True

    def text(
        self, x: float, y: float, text: str, size: float, font: str = REGULAR, color: str = INK
    ) -> None:
        """A text at a point."""
        written = _escaped(text)
        self.put(
            f"BT {_color(color)} rg /{font} {size:.2f} Tf {x:.2f} {y:.2f} Td ({written}) Tj ET"
        )

    def rule(self, y: float, color: str, width: float, spared: float = 0.0) -> None:
        """A line across the whole width, except for `spared` at the left."""
        self.put(
            f"{_color(color)} RG {width:.2f} w {MARGIN + spared:.2f} {y:.2f} m"
            f" {PAGE_WIDTH - MARGIN:.2f} {y:.2f} l S"
        )

    def put(self, operators: str) -> None:
        """Add to the page."""
        self.pages[-1].append(operators)

    def finished(self) -> "PdfPages":
        """The pages with their numbers."""
        for number, page in enumerate(self.pages, 1):
            count = f"{number} / {len(self.pages)}"
            x = PAGE_WIDTH - MARGIN - text_width(count, SMALL)
            footer = wrapped(self.sheet.footer, WIDTH - 60, SMALL - 0.6)[0]
            for at, text, size in ((MARGIN, footer, SMALL - 0.6), (x, count, SMALL)):
                page.append(
                    f"BT {_color(SOFT)} rg /{REGULAR} {size:.2f} Tf {at:.2f} 34.00 Td"
                    f" ({_escaped(text)}) Tj ET"
                )
        return self


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


def _escaped(text: str) -> str:
    """The text as a PDF string, in the fonts' encoding."""
    safe = text.encode("cp1252", "replace").decode("cp1252")
    return safe.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _file(sheet: Sheet, pages: PdfPages) -> bytes:
    """The file: its numbered objects, then their table."""
    count = len(pages.pages)
    first, marks = 5, 5 + 2 * count
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(count))
    fonts = " ".join(f"/{key} {3 + number} 0 R" for number, key in enumerate(FONTS))
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R /Outlines {marks} 0 R /Lang (en) >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
    ]
    objects += [
        f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode()
        for name in FONTS.values()
    ]
    for number, page in enumerate(pages.pages):
        content = zlib.compress("\n".join(page).encode("cp1252", "replace"), 9)
        box = f"/MediaBox [0 0 {PAGE_WIDTH} {PAGE_HEIGHT}]"
        uses = f"/Resources << /Font << {fonts} >> >> /Contents {first + 2 * number + 1} 0 R"
        objects.append(f"<< /Type /Page /Parent 2 0 R {box} {uses} >>".encode())
        head = f"<< /Length {len(content)} /Filter /FlateDecode >>\nstream\n".encode()
        objects.append(head + content + b"\nendstream")
    objects += _outline(pages, marks, first)
    info = len(objects) + 1
    objects.append(f"<< /Title ({_escaped(sheet.title)}) /Producer (wartable) >>".encode("cp1252"))
    body = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    start = len(body)
    body += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    body += b"".join(f"{offset:010d} 00000 n \n".encode() for offset in offsets)
    trailer = f"<< /Size {len(objects) + 1} /Root 1 0 R /Info {info} 0 R >>"
    body += f"trailer\n{trailer}\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(body)


def _outline(pages: PdfPages, root: int, first: int) -> list[bytes]:
    """The bookmarks, one for each section."""
    count = len(pages.outline)
    objects = [
        f"<< /Type /Outlines /First {root + 1} 0 R /Last {root + count} 0 R /Count {count} >>"
    ]
    for number, (title, page, y) in enumerate(pages.outline, 1):
        near = f" /Prev {root + number - 1} 0 R" if number > 1 else ""
        near += f" /Next {root + number + 1} 0 R" if number < count else ""
        objects.append(
            f"<< /Title ({_escaped(title)}) /Parent {root} 0 R{near}"
            f" /Dest [{first + 2 * page} 0 R /XYZ 0 {y + 14:.2f} 0] >>"
        )
    return [text.encode("cp1252") for text in objects]
