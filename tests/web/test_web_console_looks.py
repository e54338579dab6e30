"""How the console's pages look and weigh: on a tablet and a desk, light and dark, panels open."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Response, expect

from browser import WIDE, Visit, assert_accessible, assert_fits, looked_at
from hosting import Client
from staffed_tables import House
from working_houses import BOOKS, CONSOLE, GUESTS, four_alike, played

__all__ = ["BOOKS", "GUESTS"]  # of the house
LEGIBLE = (Path(__file__).parent / "legible.js").read_text("utf-8")
TABLET = (820, 1180)
BYTES_MAX = 150_000
ASKED_MAX = 6
"""How many questions a page may ask the server before it can be used."""

OPEN_ALL = """() => {
  for (const each of document.querySelectorAll("main details")) each.open = true;
}"""
PAGES = CONSOLE | {"/floor?table=ca+bank": "[data-sheet]"}


@pytest.fixture(scope="module")
def admin(house: House) -> Iterator[Client]:
    """An administrator of a house where an award waits, a player banks, and much has happened."""
    with ExitStack() as open_:
        played(house)
        table = open_.enter_context(house.table("maryland", 1, 2, name="md award"))
        table.open()
        four_alike(table)
        bank = open_.enter_context(house.table("california", 1, 2, 3, 4, name="ca bank"))
        bank.open()
        bank.bank(bank.players[0], 7_500)
        for box in (2, 3):
            bank.bet(bank.players[box - 1], box, 2_500)
        bank.must(bank.floor, "restrict", limit="primary_max", value=30_000)
        yield open_.enter_context(house.hosted.admin())


def loaded(page: Page, seen: str) -> None:
    """The page has everything that it loads by itself."""
    expect(page.locator(seen).first).to_be_visible()
    expect(page.locator("main .loading")).to_have_count(0)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_can_be_read_and_used(visit: Visit, admin: Client, path: str) -> None:
    """Nothing lies on another, is cut off or too small; axe finds nothing, light and dark."""
    page = visit(path, who=admin, size=TABLET)
    loaded(page, PAGES[path])
    page.evaluate(OPEN_ALL)
    page.wait_for_load_state("networkidle")
    for size in (TABLET, WIDE):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.wait_for_function("(width) => innerWidth === width", arg=size[0])
        assert_fits(page)
        assert not looked_at(page, LEGIBLE), f"{path} at {size[0]} px"
    assert_accessible(page)
    for words in ("null", "undefined", "NaN", "[object"):
        assert words not in page.locator("main").inner_text(), path


@pytest.mark.parametrize("path", PAGES)
def test_a_page_waits_for_little(visit: Visit, admin: Client, path: str) -> None:
    """A first visit takes under 150 kB, and few questions; no script is found only by another."""
    page = visit(who=admin, size=TABLET, first=True)
    answers: dict[str, Response] = {}

    def note(response: Response) -> None:
        # The pit looks again when something happens; the first look is the one that is waited for.
        answers.setdefault(response.url, response)

    page.on("response", note)
    page.goto(path)
    loaded(page, PAGES[path])
    page.wait_for_load_state("networkidle")
    document = page.request.get(path).text()
    paths = {urlsplit(url).path: each for url, each in answers.items()}
    static = {each for each in paths if each.startswith("/web/")}
    assert {each for each in static if f'"{each}"' not in document} <= {"/web/icon.svg"}
    asked = set(paths) - static - {urlsplit(path).path}
    assert len(asked) <= ASKED_MAX, asked
    total = sum(each.request.sizes()["responseBodySize"] for each in paths.values())
    assert 10_000 < total < BYTES_MAX, f"{path} takes {total} bytes"
