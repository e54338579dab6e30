"""Everything that must be read or pressed lies free, on a small phone and on a wide screen.

The fullest table is looked at in every font family, each the only one of its browser; one round of
each other book in the widest family, and in the deep form in every one. The bank's and the replay's
pages, which have the same felt, are in the widest. A page changes its size at every moment, as a
phone that is turned does.
"""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from browser import NARROW, Visit, looked_at, resize, sized, with_fonts
from fonts import FAMILIES, only
from live_tables import Cards, OwnTable, Stack
from staffed_tables import House, ties
from table_pages import catch_up
from wartable.rules import NAMES

BOOKS = NAMES
GUESTS = 4
SIZES = (NARROW, (1280, 800))
LEGIBLE = (Path(__file__).parent / "legible.js").read_text("utf-8")


FULLEST = "maryland"
"""The book of the most that lies on a table: side bets, their badges and a wheel."""

Fonts = dict[str, Browser]


@pytest.fixture(scope="module")
def fonts(module_chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fonts]:
    """A browser for each font family, by its name."""
    folder = tmp_path_factory.mktemp("fonts")
    found = {family.name: with_fonts(module_chromium, only(family, folder)) for family in FAMILIES}
    for family, browser in found.items():
        page = browser.new_page()
        page.set_content("<p style='font-family: sans-serif'>Progressive</p>")
        assert used(page) == {family}, "the browser has this font alone"
        page.close()
    yield found
    for browser in found.values():
        browser.close()


@pytest.fixture
def widest(fonts: Fonts) -> Fonts:
    """The browser whose font needs the most room."""
    return {FAMILIES[0].name: fonts[FAMILIES[0].name]}


def used(page: Page) -> set[str]:
    """The families that a page's words are painted in."""
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    body = session.send("DOM.querySelector", {"nodeId": root, "selector": "body"})["nodeId"]
    found = session.send("CSS.getPlatformFontsForNode", {"nodeId": body})["fonts"]
    return {each["familyName"] for each in found}


def legible(moment: str, pages: list[Page], seen: str) -> list[str]:
    """Once that can be seen: what lies on another thing, is cut off, covered or too small."""
    told = []
    for page in pages:
        expect(page.locator(seen).first).to_be_visible()
        catch_up(page)
        for size in sorted(SIZES, key=lambda each: each != sized(page)):
            resize(page, size)
            expect(page.locator(seen).first).to_be_visible()
            where = f"{moment}, {page.evaluate('window.family')}, {size[0]} px"
            told += [f"{where}: {each}" for each in looked_at(page, LEGIBLE)]
    return told


def pages_of(visit: Visit, fonts: Fonts, path: str, who: object, **query: object) -> list[Page]:
    """A page in each font."""
    pages = []
    for family, browser in fonts.items():
        page = visit(f"{path}?{urlencode(query)}", who=who, size=SIZES[0], browser=browser)
        page.evaluate("(family) => { window.family = family; }", family)
        pages.append(page)
    return pages


def two_tie(cards: Stack, hands: int) -> bool:
    """The first and the last hand tie a dealer whose red seven starts a wheel."""
    first, *others, last, dealer = cards[: hands + 1]
    fits = ties(first, dealer) and ties(last, dealer) and dealer in ("7h", "7d")
    return fits and not any(ties(each, dealer) for each in others)


@pytest.mark.parametrize("book", [name for name in NAMES if name != "online"])
def test_a_staffed_table_can_be_read(
    visit: Visit, fonts: Fonts, widest: Fonts, house: House, book: str, deep: bool
) -> None:
    """Chips, two ties, a war, results and the replay of a round of four players."""
    boxes = (2, 3, 4) if book == "california" else (1, 2, 3, 4)
    own, last = boxes[0], boxes[-1]
    looked = fonts if deep or book == FULLEST else widest
    with house.table(book, 1, 2, 3, 4, name=f"{book} room") as table:
        told: list[str] = []
        pages = pages_of(visit, looked, "/table", table.players[own - 1], name=table.name)
        told += legible("no cards yet", pages, "#balance")
        table.open(lambda cards: two_tie(cards, len(boxes)))
        banker = []
        if book == "california":
            banker = pages_of(visit, widest, "/table", table.players[0], name=table.name)
            told += legible("the bank is offered", banker, '[data-action="take_bank"]')
            table.bank(table.players[0], 7_500)
        else:
            table.start()
        for box in boxes:
            table.bet(table.players[box - 1], box, 1_000)
            table.bet(table.players[box - 1], box, 100, "tie")
            if book == "maryland":
                table.bet(table.players[box - 1], box, 500, "bonus_spin")
        told += legible("bets", pages + banker, "[data-spot=tie][data-amount='100']")
        table.dealt()
        told += legible("a tie", pages, "[data-choice=war]")
        for box in (own, last):
            table.choose(table.players[box - 1], box, "war")
        at_war = f'wt-box[data-box="{last}"][data-choice-made=war]'
        told += legible("war", pages + banker, at_war)
        table.proceed()
        told += legible("results", pages + banker, ".result:not([hidden])")
        if book == "maryland":
            told += legible("the wheel", pages, "wt-wheel[data-community]")
        replays = pages_of(
            visit, widest, "/replay", table.players[own - 1], table=table.name, round=1
        )
        for page in replays:
            page.locator('[data-jump="last"]').click()
        told += legible("replay", replays, ".result:not([hidden])")
        assert not told, "\n".join(told)


def test_an_own_table_can_be_read(
    visit: Visit, fonts: Fonts, widest: Fonts, house: House, deep: bool
) -> None:
    """Wagers on every box of a third of the width, a tie on each, results and their replay."""
    with (
        house.hosted.guest() as player,
        OwnTable(house.hosted, player, "online", Cards("===", ">>>")) as table,
    ):
        told: list[str] = []
        pages = pages_of(visit, fonts if deep else widest, "/table", player, name=table.name)
        for box in (1, 2, 3):
            table.bet(box, 2_500).bet(box, 500, "tie")
        told += legible("bets", pages, "wt-box.mine [data-spot=tie]:not([data-amount='0'])")
        table.deal()
        told += legible("ties", pages, "[data-choice=war]")
        for box in (1, 2, 3):
            table.choose(box, "war")
        told += legible("results", pages, ".result:not([hidden])")
        replays = pages_of(visit, widest, "/replay", player, table=table.name, round=1)
        for page in replays:
            page.locator('[data-jump="last"]').click()
        told += legible("replay", replays, ".result:not([hidden])")
        assert not told, "\n".join(told)
