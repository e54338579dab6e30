"""The file of a PDF: numbered objects for pages, fonts, bookmarks and the tree of tags."""

import zlib
from collections.abc import Sequence
from typing import NamedTuple

from wartable.odds.par.fonts import BOLD, FIRST_CODE, FONTS, REGULAR, WIDTHS, font_file

_STEM = {REGULAR: 80, BOLD: 140}
_BOX = {REGULAR: "[-204 -212 1000 877]", BOLD: "[-185 -223 1000 895]"}
_NOT_SYMBOLIC = 32


class PdfTag:
    """A part of the document, for people who use a screen reader: its kind, a text, its pieces."""

    def __init__(self, kind: str, alt: str = "") -> None:
        self.kind, self.alt = kind, alt
        self.kids: list[PdfTag | tuple[int, int]] = []
        """Further tags, or a page and the number of a piece on it."""


class Bookmark(NamedTuple):
    """A place that the reader's list of contents leads to."""

    title: str
    page: int
    y: float


class _Objects:
    """Objects that know each other by their numbers."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    def new(self, body: str | bytes = b"") -> int:
        """The number of a new object, whose body may come later."""
        self.bodies.append(body if isinstance(body, bytes) else body.encode("ascii"))
        return len(self.bodies)

    def fill(self, number: int, body: str) -> None:
        """Give an object its body."""
        self.bodies[number - 1] = body.encode("ascii")

    def stream(self, data: bytes, more: str = "") -> int:
        """A compressed stream."""
        packed = zlib.compress(data, 9)
        head = f"<< /Length {len(packed)} /Filter /FlateDecode{more} >>\nstream\n"
        return self.new(head.encode() + packed + b"\nendstream")


def pdf_file(
    title: str,
    size: tuple[float, float],
    contents: Sequence[bytes],
    bookmarks: Sequence[Bookmark],
    root: PdfTag,
) -> bytes:
    """The whole file."""
    objects = _Objects()
    catalog, tree = objects.new(), objects.new()
    fonts = " ".join(f"/{font} {_font(objects, font)} 0 R" for font in FONTS)
    pages = [objects.new() for _ in contents]
    for number, (page, content) in enumerate(zip(pages, contents, strict=True)):
        box = f"/MediaBox [0 0 {size[0]} {size[1]}] /Tabs /S /StructParents {number}"
        uses = f"/Resources << /Font << {fonts} >> >> /Contents {objects.stream(content)} 0 R"
        objects.fill(page, f"<< /Type /Page /Parent {tree} 0 R {box} {uses} >>")
    kids = " ".join(f"{page} 0 R" for page in pages)
    objects.fill(tree, f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>")
    parts = (
        f"/Pages {tree} 0 R /Outlines {_outline(objects, bookmarks, pages)} 0 R",
        f"/StructTreeRoot {_tags(objects, root, pages)} 0 R /MarkInfo << /Marked true >>",
        "/Lang (en) /ViewerPreferences << /DisplayDocTitle true >>",
    )
    objects.fill(catalog, f"<< /Type /Catalog {' '.join(parts)} >>")
    info = objects.new(f"<< /Title {_words(title)} /Producer (wartable) >>")
    return _written(objects.bodies, catalog, info)


def _font(objects: _Objects, font: str) -> int:
    """A font with its file."""
    data = font_file(font)
    file = objects.stream(data, f" /Length1 {len(data)}")
    shape = "/ItalicAngle 0 /Ascent 905 /Descent -212 /CapHeight 688"
    described = objects.new(
        f"<< /Type /FontDescriptor /FontName /{FONTS[font]} /Flags {_NOT_SYMBOLIC}"
        f" /FontBBox {_BOX[font]} {shape} /StemV {_STEM[font]} /FontFile2 {file} 0 R >>"
    )
    widths = " ".join(map(str, WIDTHS[font]))
    return objects.new(
        f"<< /Type /Font /Subtype /TrueType /BaseFont /{FONTS[font]} /Encoding /WinAnsiEncoding"
        f" /FirstChar {FIRST_CODE} /LastChar {FIRST_CODE + len(WIDTHS[font]) - 1}"
        f" /Widths [{widths}] /FontDescriptor {described} 0 R >>"
    )


def _outline(objects: _Objects, bookmarks: Sequence[Bookmark], pages: list[int]) -> int:
    """The bookmarks, one for each section."""
    root = objects.new()
    numbers = [objects.new() for _ in bookmarks]
    for place, (number, mark) in enumerate(zip(numbers, bookmarks, strict=True)):
        near = f" /Prev {numbers[place - 1]} 0 R" if place else ""
        near += f" /Next {numbers[place + 1]} 0 R" if place + 1 < len(numbers) else ""
        goal = f"/Dest [{pages[mark.page]} 0 R /XYZ 0 {mark.y:.2f} 0]"
        objects.fill(number, f"<< /Title {_words(mark.title)} /Parent {root} 0 R{near} {goal} >>")
    ends = f"/First {numbers[0]} 0 R /Last {numbers[-1]} 0 R " if numbers else ""
    objects.fill(root, f"<< /Type /Outlines {ends}/Count {len(numbers)} >>")
    return root


def _tags(objects: _Objects, root: PdfTag, pages: list[int]) -> int:
    """The tree of tags, and for every piece of a page the tag that it belongs to."""
    tree = objects.new()
    owners: list[dict[int, int]] = [{} for _ in pages]

    def put(tag: PdfTag, parent: int) -> int:
        own = objects.new()
        kids = []
        first = next((kid[0] for kid in tag.kids if not isinstance(kid, PdfTag)), None)
        for kid in tag.kids:
            if isinstance(kid, PdfTag):
                kids.append(f"{put(kid, own)} 0 R")
                continue
            page, piece = kid
            owners[page][piece] = own
            there = f"<< /Type /MCR /Pg {pages[page]} 0 R /MCID {piece} >>"
            kids.append(str(piece) if page == first else there)
        more = "" if first is None else f" /Pg {pages[first]} 0 R"
        more += f" /Alt {_words(tag.alt)}" if tag.alt else ""
        more += " /A << /O /Table /Scope /Column >>" if tag.kind == "TH" else ""
        body = f"/S /{tag.kind} /P {parent} 0 R /K [{' '.join(kids)}]{more}"
        objects.fill(own, f"<< /Type /StructElem {body} >>")
        return own

    top = put(root, tree)
    found = []
    for page, pieces in enumerate(owners):
        tags = " ".join(f"{pieces[piece]} 0 R" for piece in range(len(pieces)))
        found.append(f"{page} [{tags}]")
    parents = objects.new(f"<< /Nums [{' '.join(found)}] >>")
    body = f"/K [{top} 0 R] /ParentTree {parents} 0 R /ParentTreeNextKey {len(pages)}"
    objects.fill(tree, f"<< /Type /StructTreeRoot {body} >>")
    return tree


def _words(text: str) -> str:
    """A text outside of pages: UTF-16 as hexadecimal digits."""
    return f"<FEFF{text.encode('utf-16-be').hex()}>"


def _written(bodies: list[bytes], catalog: int, info: int) -> bytes:
    """The objects one after the other, and the table of their places."""
    file = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(bodies, 1):
        offsets.append(len(file))
        file += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(file)
    file += f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n".encode()
    file += b"".join(f"{offset:010d} 00000 n \n".encode() for offset in offsets)
    trailer = f"<< /Size {len(bodies) + 1} /Root {catalog} 0 R /Info {info} 0 R >>"
    file += f"trailer\n{trailer}\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(file)
