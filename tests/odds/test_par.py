"""PAR sheets: every figure is that of the odds, and the files stand on their own."""

import csv
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from html.parser import HTMLParser
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]  # fontTools ships no types

from wartable import __version__
from wartable.cli import wartable
from wartable.odds import Distribution, Odds, joint
from wartable.odds.bank import Participant, bank, rotation
from wartable.odds.floor import floor_problems, floors
from wartable.odds.par import FORMATS, encode, make_sheet, to_html, to_pdf
from wartable.odds.par.blocks import Chart, Figure, Sheet, SheetTable, Text
from wartable.odds.par.drawing import Word
from wartable.odds.par.fonts import ENCODING, FIRST_CODE, FONTS, WIDTHS, font_file, printable
from wartable.odds.par.pdf import PAGE_HEIGHT, PdfPages
from wartable.odds.readings import decks_table, readings
from wartable.odds.report import plans
from wartable.odds.shoe import favourable_chance, war_gain
from wartable.odds.sidebets import bonus_spin, progressive
from wartable.odds.slices import Seat
from wartable.rules import NAMES, load, option_values, with_options

pytestmark = pytest.mark.slow("computes every book's odds")

DATE = "2026-01-31"
NORMAL = {90: 1.6448536269514722, 95: 1.959963984540054, 99: 2.5758293035489004}
"""How many deviations hold so many results in a hundred of a normal distribution."""

Expected = Iterator[tuple[str, Fraction | float | int | None]]


@cache
def sheet(name: str, decks: int | None = None, options: tuple[tuple[str, str], ...] = ()) -> Sheet:
    """The sheet of a book."""
    return make_sheet(with_options(load(name), dict(options)), DATE, decks)


def expected_wagers(odds: Odds) -> Expected:
    """The figures of the wagers alone."""
    found: dict[str, Distribution] = {}
    for kind in odds.offered:
        if kind in ("primary", "progressive"):
            found[f"{kind}.war"] = odds.wager(kind, "war")
            found[f"{kind}.surrender"] = odds.wager(kind, "surrender")
        else:
            found[kind] = odds.wager(kind)
    for name, each in found.items():
        key = f"wagers.{name}"
        yield f"{key}.ev", each.ev
        yield f"{key}.edge", -each.ev
        yield f"{key}.return", 1 + each.ev
        yield f"{key}.hit_frequency", sum(p for net, p in each.pmf.items() if net > 0)
        yield f"{key}.element_of_risk", -each.ev / each.staked
        yield f"{key}.variance", each.moment(2) - each.ev**2
        yield f"{key}.sd", sqrt(each.variance)
        yield f"{key}.skewness", each.skewness
        yield f"{key}.volatility_index", NORMAL[90] * each.sd
        for outcome, chance in each.outcomes.items():
            yield f"{key}.outcomes.{outcome}", chance
            yield f"{key}.outcomes.{outcome}.one_in", 1 / chance
        for net, chance in each.pmf.items() if len(each.pmf) <= 12 else ():
            yield f"{key}.pmf.{net}", chance
            yield f"{key}.pmf.{net}.contribution", net * chance
            size, given = 52 * odds.decks, 1 if name != "war_tie" else odds.tie_probability()
            deals = chance * given * size * (size - 1) * (size - 2) * (size - 3)
            yield f"{key}.pmf.{net}.combinations", deals
    for name in ("primary.war", "tie"):
        for rounds in (10**3, 10**4, 10**5, 10**6, 10**7):
            for level, z in (
                (90, 1.6448536269514722),
                (95, 1.959963984540054),
                (99, 2.5758293035489004),
            ):
                width = z * found[name].sd / sqrt(rounds)
                yield f"hold.{name}.{rounds}.{level}.low", float(found[name].edge) - width
                yield f"hold.{name}.{rounds}.{level}.high", float(found[name].edge) + width


def expected_rest(odds: Odds) -> Expected:
    """The figures of plans, boxes, decks, floor, readings and shoe."""
    for wagers, plan, found in plans(odds):
        key = f"plans.{'+'.join(wagers)}.{plan.choice}"
        seat = odds.plan(plan)
        assert seat.pmf == found.pmf
        yield f"{key}.edge", seat.edge
        yield f"{key}.sd", seat.sd
        yield f"{key}.hit_frequency", seat.hit_frequency
        yield f"{key}.element_of_risk", seat.element_of_risk
    boxes = odds.rules.boxes_in_play
    whole = joint(odds, boxes)
    yield "boxes.one.ev", odds.wager("primary").ev
    yield "boxes.covariance", whole.covariance
    yield "boxes.correlation", whole.correlation
    yield "boxes.ev", whole.total.ev
    yield "boxes.sd", whole.total.sd
    for decks, row in decks_table(odds).items():
        for name, edge in row.items():
            yield f"decks.{decks}.{name}", edge
    for each in floors(odds.book, odds.decks):
        yield f"floor.{each.wager}", each.worst
    for reading in readings(odds):
        for one in reading.alternatives:
            yield f"readings.{reading.option}.{one.value}", one.edge
    for share in (Fraction(2, 3), Fraction(3, 4), Fraction(4, 5), Fraction(9, 10)):
        dealt = int(52 * odds.decks * share)
        chance = favourable_chance(odds, dealt)
        yield f"shoe.favourable.{dealt}", chance
        yield f"shoe.favourable.{dealt}.one_in", 1 / chance
    yield from zip(("shoe.war.least", "shoe.war.rise"), war_gain(odds), strict=True)


def expected_side_bets(odds: Odds) -> Expected:
    """The figures of the progressive and the bonus spin."""
    found = progressive(odds)
    for line, chance in found.lines.items():
        yield f"progressive.lines.{line}", chance
        yield f"progressive.lines.{line}.one_in", 1 / chance if chance else None
    meters = {
        "reset": Fraction(odds.meters["progressive"]),
        "typical": found.typical_meter,
        "break_even": found.break_even_meter,
    }
    for name, meter in meters.items():
        if meter is not None:
            yield f"progressive.meter.{name}", meter
            fixed = odds.showing(0).wager("progressive").player_return
            top = found.lines["suited_four_of_a_kind"]
            yield f"progressive.return.{name}", fixed + top * meter / found.stake
    yield "progressive.envy", found.envy_each
    for others in (1, 3, 8) if found.break_even_meter is not None else ():
        yield f"progressive.break_even.{others}", found.break_even_with(others)
    spin = bonus_spin(odds)
    for key, run in (("progressive", found.long_run), ("spin", spin.long_run)):
        yield f"{key}.long_run.fixed", run.fixed
        yield f"{key}.long_run.reseeded", run.reseeded
        yield f"{key}.long_run.contributed", run.contributed
        yield f"{key}.long_run.return", run.fixed + run.reseeded + run.contributed
    yield "spin.trigger", spin.trigger
    yield "spin.mean_payment", spin.mean_payment
    yield "spin.break_even_payment", spin.break_even_payment
    for bettors in (1, 3, odds.rules.boxes_in_play):
        other = Odds(odds.book, odds.decks, bettors=bettors)
        yield f"spin.return.{bettors}", other.wager("bonus_spin").player_return
    for name, typical in spin.typical_meters.items():
        yield f"spin.typical.{name}", typical
    wheel = odds.rules.wagers.bonus_spin.wheel  # type: ignore[union-attr]  # the book has one
    for name, weights in (("hot spot", wheel.hot_spot), ("community", wheel.community)):
        for symbol, weight in weights.items():
            yield f"spin.wheel.{name}.{symbol}", Fraction(weight, sum(weights.values()))


def expected_bank(odds: Odds) -> Expected:
    """The figures of the bank."""
    stake = 1000
    for cover in option_values("bank_cover"):
        other = Odds(with_options(odds.book, {"bank_cover": cover}), odds.decks)
        for posted in (stake, 2 * stake, 4 * stake):
            found = bank(other, [Seat(n, f"player {n}", stake) for n in range(1, 5)], posted)
            key = f"bank.{cover}.{posted}"
            yield f"{key}.ev", found.net.ev / stake
            yield f"{key}.sd", found.net.sd / stake
            yield f"{key}.action", found.action / stake
            yield f"{key}.edge", found.net.ev / found.action
    for case in ("all", "declines"):
        people = [Participant(f"player {n}", stake) for n in range(1, 5)]
        if case == "declines":
            people[-1] = people[-1]._replace(declines=True)
        for name, turn in rotation(odds, people).items():
            yield f"rotation.{case}.{name}.as_banker", turn.as_banker / stake
            yield f"rotation.{case}.{name}.as_player", turn.as_player / stake
            yield f"rotation.{case}.{name}.ev", (turn.as_banker + turn.as_player) / stake


def expected(odds: Odds) -> Expected:
    """Every figure that a book's sheet has, asked of the odds."""
    yield from expected_wagers(odds)
    yield from expected_rest(odds)
    if "progressive" in odds.offered:
        yield from expected_side_bets(odds)
    if odds.rules.banker == "player":
        yield from expected_bank(odds)


CASES: list[tuple[str, int | None, tuple[tuple[str, str], ...]]] = [
    *((name, None, ()) for name in NAMES),
    ("maryland", 3, ()),
    ("maryland", None, (("progressive_odds", "for_1"), ("electronic", "5"))),
]


@pytest.mark.parametrize(("name", "decks", "options"), CASES)
def test_every_figure_is_the_odds(
    name: str, decks: int | None, options: tuple[tuple[str, str], ...]
) -> None:
    """The sheet has exactly the figures that the odds give, each with its exact value."""
    found = {key: figure.value for key, figure in sheet(name, decks, options).figures().items()}
    odds = Odds(with_options(load(name), dict(options)), decks)
    wanted = dict(expected(odds))
    assert found.keys() == wanted.keys()
    for key, value in wanted.items():
        if isinstance(value, float):
            assert found[key] == pytest.approx(value, rel=1e-12), key
        else:
            assert found[key] == value, key


def written(figure: Figure) -> str:
    """A figure as the sheet should print it."""
    value = figure.value
    if value is None:
        return "-"
    return {
        "exact": str(value),
        "percent": f"{float(value) * 100:.4f} %",
        "number": f"{float(value):,.4f}",
        "money": f"${float(value) / 100:,.2f}",
        "one_in": f"{float(value):,.1f}",
        "tiny": f"{float(value):.3g}",
        "count": f"{int(value):,}",
    }[figure.form]


def test_combinations_and_contributions() -> None:
    """Combinations are counted deals, and a wager's contributions add up to its expectation."""
    found = {key: figure.value for key, figure in sheet("online").figures().items()}
    # Ties of 24 cards of a rank, and any two cards after them.
    assert found["wagers.tie.pmf.10.combinations"] == 13 * 24 * 23 * 310 * 309
    for name in ("primary.war", "primary.surrender", "tie", "war_tie"):
        key = f"wagers.{name}."
        shares = [
            Fraction(value or 0)
            for each, value in found.items()
            if each.startswith(f"{key}pmf") and each.endswith("contribution")
        ]
        assert len(shares) > 1
        assert sum(shares) == found[f"{key}ev"]


def test_no_table_is_split() -> None:
    """Every table that fits a page is on one, and a heading is with what follows it."""
    for name in NAMES:
        pages = PdfPages(sheet(name))
        pages.head()
        for section in sheet(name).sections:
            first = section.blocks[0]
            pages.title(section.title, pages.height(first))
            titled = len(pages.pages)
            for block in section.blocks:
                height, before = pages.height(block), len(pages.pages)
                pages.block(block)
                if isinstance(block, Chart) or (isinstance(block, SheetTable) and height):
                    started = [page for page in pages.pages[before:] if page]
                    assert len(started) <= 1, (name, section.title)
                    if len(started) == 1 and before:
                        # All of it is on the new page: the old one got nothing more.
                        assert pages.y <= PAGE_HEIGHT - height * 0.8
                if block is first and height:
                    assert len(pages.pages) == titled, (name, section.title)


class Page(HTMLParser):
    """What a page holds: figures, the text of cells, and what it would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.figures: list[tuple[str, str]] = []
        self.cells: list[str] = []
        self.fetched: list[str] = []
        self.tags: list[str] = []
        self.key = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note figures and anything that comes from elsewhere."""
        self.tags.append(tag)
        given = dict(attrs)
        self.key = given.get("data-figure") or ""
        if tag == "td":
            self.cells.append("")
        self.fetched += [
            value
            for name, value in attrs
            if value and name in ("src", "href", "srcset", "data") and not value.startswith("#")
        ]

    def handle_endtag(self, tag: str) -> None:
        """Leave a figure."""
        self.key = ""
        if tag == "table":
            self.tags.append("/table")

    def handle_data(self, data: str) -> None:
        """Note a figure's text, or a cell's."""
        if self.key:
            self.figures.append((self.key, data))
        elif self.cells and self.tags[-1] == "td":
            self.cells[-1] += data


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_every_figure_as_written(name: str) -> None:
    """Each figure of the HTML carries its key and stands as its value is written."""
    page = Page()
    page.feed(to_html(sheet(name)))
    shown: dict[tuple[str, str], str] = {}
    for section in sheet(name).sections:
        for block in section.blocks:
            for row in block.rows if isinstance(block, SheetTable) else []:
                for cell in row:
                    for figure in [cell] if isinstance(cell, Figure) else []:
                        shown[figure.key, written(figure)] = figure.form
                    if isinstance(cell, tuple) and not isinstance(cell, Figure):
                        for figure in cell:
                            shown[figure.key, written(figure)] = figure.form
    assert set(page.figures) == set(shown)
    assert {key for key, _ in page.figures} == set(sheet(name).figures())


@pytest.mark.parametrize("name", NAMES)
def test_the_page_stands_alone(name: str) -> None:
    """The HTML has no script and asks nothing of the network."""
    text = to_html(sheet(name))
    page = Page()
    page.feed(text)
    assert page.fetched == []
    assert not {"script", "link", "iframe", "img", "object"} & set(page.tags)
    assert "http" not in text
    assert "url(" not in text
    assert "@import" not in text
    assert page.tags.count("svg") == sum(
        isinstance(block, Chart) for section in sheet(name).sections for block in section.blocks
    )


@pytest.mark.parametrize("form", FORMATS)
def test_a_sheet_of_more_decks_than_any_table_has(form: str) -> None:
    """A table without rows, as that of the return floor is then, is a table too."""
    sheet = make_sheet(load("washington"), DATE, 100)
    assert any(
        isinstance(block, SheetTable) and not block.rows
        for section in sheet.sections
        for block in section.blocks
    )
    assert encode(sheet, form)


def test_the_sheet_is_identified() -> None:
    """Book, version, digest, program and date stand on the sheet, and in its footer."""
    book = load("maryland")
    shown = sheet("maryland")
    text = to_html(shown)
    for part in (book.digest, book.rules.version, f"wartable {__version__}", DATE):
        assert part in text
        assert part in shown.footer
    assert "6 decks" in shown.subtitle


@pytest.mark.parametrize("name", NAMES)
def test_the_sections_are_complete(name: str) -> None:
    """Every section that a laboratory looks for is there."""
    titles = [section.title for section in sheet(name).sections]
    side_bets = ["Progressive", "Bonus spin"] if "progressive" in Odds(load(name)).offered else []
    banked = ["The bank"] if load(name).rules.banker == "player" else []
    assert titles == [
        "Identification",
        "Rules as offered",
        "Paytable",
        "Probabilities",
        "Return by wager and plan",
        "The distribution of a round",
        "Volatility and expected hold",
        "Edge by number of decks",
        *side_bets,
        *banked,
        "Return floor",
        "Readings and their alternatives",
        "Composition of the shoe",
        "Method",
        "Revision and sign-off",
    ]


def test_the_paytable_is_the_book() -> None:
    """Each outcome's words and clauses are the book's."""
    book = load("maryland")
    (paytable,) = (s for s in sheet("maryland").sections if s.title == "Paytable")
    outcomes = next(
        b for b in paytable.blocks if isinstance(b, SheetTable) and b.title == "Outcomes"
    )
    rows = {(str(row[0]), str(row[1]), str(row[2])) for row in outcomes.rows}
    for wager, ends in book.rules.outcomes.items():
        for outcome, words in ends.items():
            clauses = ", ".join(book.clauses(wager, outcome))
            assert (book.rules.labels[wager], words, clauses) in rows


def words(drawing: Any) -> list[str]:
    """The texts of a drawing."""
    return [item.text for item in drawing.items if isinstance(item, Word)]


def charts(name: str) -> dict[str, list[str]]:
    """The texts of each chart of a sheet by its label."""
    return {
        block.drawing.label: words(block.drawing)
        for section in sheet(name).sections
        for block in section.blocks
        if isinstance(block, Chart)
    }


def test_the_charts_show_the_figures() -> None:
    """Numbers written into the charts are those of the odds."""
    odds = Odds(load("maryland"))
    found = charts("maryland")
    bars = [text for text in found["Net result of one box"] if re.fullmatch(r"\d+\.\d\d %", text)]
    assert bars == [f"{100 * float(chance):.2f} %" for chance in odds.wager("primary").pmf.values()]
    assert (
        f"edge {100 * float(odds.wager('primary').edge):.2f} %" in found["Hold by number of rounds"]
    )
    shown = progressive(odds)
    assert (
        f"break-even ${float(shown.break_even_meter or 0) / 100:,.0f}" in found["Return by meter"]
    )
    assert f"typical ${float(shown.typical_meter or 0) / 100:,.0f}" in found["Return by meter"]
    assert set(found) >= {"Net result of 9 boxes", "Edge by decks", "Tie edge by decks"}


def test_the_floor_is_said() -> None:
    """A configuration below the floor says that no table may open with it."""
    low = sheet("maryland", None, (("progressive_odds", "for_1"),))
    texts = [
        block.text
        for section in low.sections
        if section.title == "Return floor"
        for block in section.blocks
        if isinstance(block, Text)
    ]
    (problem,) = floor_problems(with_options(load("maryland"), {"progressive_odds": "for_1"}))
    assert texts[-1] == f"No table may open with this configuration. {problem}"
    few = make_sheet(load("new-zealand"), DATE, 2)
    assert any(
        isinstance(block, Text) and "The tie wager returns 74.76 % with 2 decks" in block.text
        for section in few.sections
        for block in section.blocks
    )
    assert any("For study only" in b.text for b in few.sections[0].blocks if isinstance(b, Text))


def pdf_texts(content: bytes) -> tuple[int, str]:
    """The number of pages and all text of a PDF of ours."""
    streams = re.findall(rb"/FlateDecode >>\nstream\n(.*?)\nendstream", content, re.DOTALL)
    pages = [zlib.decompress(stream).decode("cp1252") for stream in streams]
    texts = [text for page in pages for text in re.findall(r"\((.*?)(?<!\\)\) Tj", page)]
    plain = " ".join(texts).replace(r"\(", "(").replace(r"\)", ")")
    return len(pages), plain


@pytest.mark.parametrize("name", NAMES)
def test_the_pdf_has_every_figure(name: str) -> None:
    """The PDF is sound in its tables and prints every figure of the sheet."""
    content = to_pdf(sheet(name))
    assert content.startswith(b"%PDF-1.7")
    start = int(re.findall(rb"startxref\n(\d+)\n%%EOF", content)[0])
    entries = re.findall(rb"(\d{10}) 00000 n ", content[start:])
    for number, offset in enumerate(entries, 1):
        assert content[int(offset) :].startswith(b"%d 0 obj" % number)
    pages, text = pdf_texts(content)
    assert pages == content.count(b"/Type /Page /Parent")
    assert f"{pages} / {pages}" in text
    for figure in sheet(name).figures().values():
        assert figure.text in text, figure.key
    for section in sheet(name).sections:
        assert section.title in text


def test_the_pdf_keeps_within_its_page() -> None:
    """Nothing is written beyond the right or lower margin."""
    content = to_pdf(sheet("maryland"))
    for stream in re.findall(rb"/FlateDecode >>\nstream\n(.*?)\nendstream", content, re.DOTALL):
        for x, y in re.findall(rb"([\d.-]+) ([\d.-]+) Td", zlib.decompress(stream)):
            assert 40 <= float(x) <= 560
            assert 30 <= float(y) <= 810


class Structure:
    """The tags of a PDF of ours, read from its objects."""

    def __init__(self, content: bytes) -> None:
        found = re.findall(rb"\n(\d+) 0 obj\n(.*?)\nendobj", content, re.DOTALL)
        self.objects = {int(number): body for number, body in found}
        catalog = next(body for body in self.objects.values() if b"/Type /Catalog" in body)
        assert b"/MarkInfo << /Marked true >>" in catalog
        assert b"/Lang (en)" in catalog
        self.tree = self.objects[self.one(rb"/StructTreeRoot (\d+) 0 R", catalog)]
        self.parents = self.objects[self.one(rb"/ParentTree (\d+) 0 R", self.tree)]
        self.root = self.one(rb"/K \[(\d+) 0 R\]", self.tree)

    @staticmethod
    def one(pattern: bytes, body: bytes) -> int:
        """The number that the pattern finds."""
        found = re.search(pattern, body)
        assert found is not None, body
        return int(found[1])

    def tags(self, number: int, under: str = "") -> Iterator[tuple[str, bytes]]:
        """Every tag under this one with the kinds above it, and its object."""
        body = self.objects[number]
        kind = re.findall(rb"/S /(\w+) ", body)[0].decode()
        yield f"{under}/{kind}", body
        kids = re.findall(rb"/K \[(.*?)\]", body)[0]
        for kid in re.findall(rb"(\d+) 0 R", re.sub(rb"<<.*?>>", b"", kids)):
            assert self.one(rb"/P (\d+) 0 R", self.objects[int(kid)]) == number
            yield from self.tags(int(kid), f"{under}/{kind}")


@pytest.mark.parametrize("name", NAMES)
def test_the_pdf_is_tagged(name: str) -> None:
    """Headings, paragraphs, tables with their cells and charts with a text are tagged as such."""
    content = to_pdf(sheet(name))
    structure = Structure(content)
    found = list(structure.tags(structure.root))
    kinds = Counter(path.rpartition("/")[2] for path, _ in found)
    blocks = [block for section in sheet(name).sections for block in section.blocks]
    tables = [block for block in blocks if isinstance(block, SheetTable)]
    charts = [block for block in blocks if isinstance(block, Chart)]
    headed = [table for table in tables if any(table.columns)]
    assert kinds["H1"] == 1
    assert kinds["H2"] == kinds["Sect"] == len(sheet(name).sections)
    assert kinds["Table"] == len(tables)
    assert kinds["TR"] == sum(len(table.rows) for table in tables) + len(headed)
    assert kinds["TH"] == sum(len(table.columns) for table in headed)
    assert kinds["TD"] == sum(len(row) for table in tables for row in table.rows)
    assert kinds["P"] == sum(isinstance(block, Text) for block in blocks) + 1
    assert all("/Table/TR/T" in path for path, _ in found if path.endswith(("/TH", "/TD")))
    texts = [
        bytes.fromhex(each.decode()).decode("utf-16-be")
        for path, body in found
        if path.endswith("/Figure")
        for each in re.findall(rb"/Alt <FEFF([0-9a-f]+)>", body)
    ]
    assert texts == [chart.drawing.label for chart in charts]


def test_every_piece_of_a_page_has_its_tag() -> None:
    """What is drawn is a numbered piece that a tag names, or said to be decoration."""
    content = to_pdf(sheet("maryland"))
    structure = Structure(content)
    streams = re.findall(rb"/FlateDecode >>\nstream\n(.*?)\nendstream", content, re.DOTALL)
    lists = re.findall(rb"(\d+) \[([^\]]*)\]", structure.parents)
    assert len(lists) == len(streams)
    for stream, (_, owners) in zip(streams, lists, strict=True):
        drawn = zlib.decompress(stream).decode("cp1252")
        pieces = r"/(?:Artifact BMC|(\w+) << /MCID (\d+) >> BDC)\n.*?\nEMC"
        assert re.sub(pieces, "", drawn, flags=re.DOTALL).strip() == ""
        marked = [
            (kind, int(number)) for kind, number in re.findall(pieces, drawn, re.DOTALL) if kind
        ]
        assert [number for _, number in marked] == list(range(len(marked)))
        tags = [structure.objects[int(tag)] for tag in re.findall(rb"(\d+) 0 R", owners)]
        for (kind, number), tag in zip(marked, tags, strict=True):
            assert f"/S /{kind} ".encode() in tag
            kids = re.findall(rb"/K \[(.*?)\]", tag)[0]
            named = re.findall(rb"/MCID (\d+)", kids) + re.sub(rb"<<.*?>>", b"", kids).split()
            assert str(number).encode() in named


@pytest.mark.parametrize("font", FONTS)
def test_the_fonts_are_in_the_pdf(font: str) -> None:
    """A file has its fonts in it, and the widths by which lines are broken are theirs."""
    content = to_pdf(sheet("online"))
    assert f"/BaseFont /{FONTS[font]} ".encode() in content
    files = re.findall(rb"/Length1 \d+ >>\nstream\n(.*?)\nendstream", content, re.DOTALL)
    assert font_file(font) in [zlib.decompress(each) for each in files]
    read = TTFont(io.BytesIO(font_file(font)))
    glyphs, em = read.getBestCmap(), read["head"].unitsPerEm
    for code, width in enumerate(WIDTHS[font], FIRST_CODE):
        character = bytes([code]).decode(ENCODING, "replace")
        glyph = glyphs.get(ord(character))
        assert width == (round(read["hmtx"][glyph][0] * 1000 / em) if glyph else 0), character
    assert printable("£5 \N{SNOWMAN}", font) == "£5 ?".encode(ENCODING)


def test_json_and_csv_hold_the_same_figures() -> None:
    """JSON and CSV have every figure by its key, exact where it is."""
    figures = sheet("maryland").figures()
    document = json.loads(encode(sheet("maryland"), ".json"))
    assert document["figures"].keys() == figures.keys()
    rows = list(csv.DictReader(io.StringIO(encode(sheet("maryland"), ".csv").decode())))
    by_key = {row["figure"]: row for row in rows}
    assert by_key.keys() == figures.keys()
    for key, figure in figures.items():
        shown = document["figures"][key]
        if figure.value is None:
            assert shown is None
        elif isinstance(figure.value, float):
            assert shown == figure.value == float(by_key[key]["value"])
        else:
            assert shown["exact"] == by_key[key]["exact"] == str(figure.value)
            assert shown["value"] == float(figure.value)


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_command_writes_each_format(suffix: str, tmp_path: Path) -> None:
    """`wartable par` writes what the file's suffix asks for."""
    file = tmp_path / f"sheet{suffix}"
    arguments = ["par", "washington", "-o", str(file), "--date", DATE]
    result = CliRunner().invoke(wartable, arguments)
    assert result.exit_code == 0, result.output
    assert file.read_bytes() == encode(sheet("washington"), suffix)
