"""The players' pages in Spanish: nothing that a visitor reads there is left in English.

A page is walked text by text. What stands in English must say so (`lang="en"`): the documents' own
words, and ours about them. Everything else has no word that only the English catalogue has, apart
from names.
"""

from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from browser import Visit
from hosting import Client
from live_tables import Cards, OwnTable
from screens import play
from spanish import in_spanish, left_in_english
from staffed_tables import House
from table_pages import catch_up
from wartable.rules import NAMES

BOOKS = NAMES
GUESTS = 4
SOON_MS = 1_000
"""How long a button may take to be pressed before one looks again."""
LANGUAGE = "() => localStorage.setItem('wartable-language', 'es')"
READ = """() => {
  const told = [];
  const foreign = (element) => element.closest("[lang]")?.getAttribute("lang") === "en";
  const walk = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const parent = node.parentElement;
    if (parent.closest("script, style") || foreign(parent)) continue;
    if (node.data.trim()) told.push(node.data.trim());
  }
  const said = ["aria-label", "title", "placeholder", "alt", "data-name", "aria-valuetext"];
  for (const element of document.querySelectorAll(said.map((each) => `[${each}]`).join(","))) {
    if (foreign(element) || element.matches("h1[data-name]")) continue;
    told.push(...said.map((each) => element.getAttribute(each)).filter(Boolean));
  }
  return [...new Set(told)];
}"""
BROKEN = """() => {
  const lines = (button) => {
    const range = document.createRange();
    range.selectNodeContents(button);
    return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 9))).size;
  };
  const buttons = [...document.querySelectorAll(".button:not(.option), #head a, wt-header nav a")];
  const shown = buttons.filter((each) => each.checkVisibility() && !each.querySelector("svg"));
  return shown.filter((each) => lines(each) > 1).map((each) => each.textContent);
}"""
"""The buttons whose text takes more than one line."""


class Reader:
    """Somebody who reads pages in Spanish."""

    def __init__(self, visit: Visit, who: Client | None, english: frozenset[str]) -> None:
        self.page: Page = visit("/missing-page", who=who)
        self.page.evaluate(LANGUAGE)
        self._english = english
        self.told: list[str] = []

    def go(self, path: str, seen: str) -> None:
        """Open a page, wait until that can be seen, unfold everything, and read."""
        self.page.goto(path)
        self.read(path, seen)

    def read(self, where: str, seen: str) -> None:
        """Read all that is there when that can be seen."""
        expect(self.page.locator(seen).first).to_be_visible()
        expect(self.page.locator("html")).to_have_attribute("lang", "es")
        texts = self.page.evaluate(READ)
        assert texts
        self.told += [f"{where}: {each}" for each in left_in_english(texts, self._english)]
        self.told += [f"{where} breaks {each!r}" for each in self.page.evaluate(BROKEN)]


@pytest.fixture
def english(tmp_path: Path) -> frozenset[str]:
    """The words that only English has."""
    return in_spanish(tmp_path).english


@pytest.fixture
def allowed() -> list[str]:
    """A page that does not exist is read, too, and figures that nobody can work out."""
    return ["404 /missing-page", "400 /lab/odds"]


@pytest.mark.parametrize("book", NAMES)
def test_a_round_in_spanish(visit: Visit, house: House, english: frozenset[str], book: str) -> None:
    """Betting, a tie, the war, the result; the receipt, the help, money and leaving."""
    with play(house, book) as played:
        reader = Reader(visit, played.who, english)
        page = reader.page
        page.goto(played.path)
        for moment in played.moments:
            expect(page.locator(moment.seen).first).to_be_visible()
            catch_up(page)
            reader.read(f"{book} {moment.name}", "wt-felt")
            if moment.name == "bets":
                page.locator("wt-box.mine [data-spot]").last.hover()
                reader.read(f"{book} tip", "#spot-tip")
        for action in ('[data-action="help"]', "#net", '[data-action="cashier"]'):
            page.locator(action).first.click()
            reader.read(f"{book} {action}", "dialog[open]")
            page.keyboard.press("Escape")
            expect(page.locator("dialog[open]")).to_have_count(0)
        page.locator('[data-action="leave"]').first.click()
        reader.read(f"{book} leave", "dialog[open]")
    assert not reader.told, "\n".join(reader.told)


def test_offers_in_spanish(visit: Visit, house: House, english: frozenset[str]) -> None:
    """The cut in Maryland; in California the bank, the tour, and a bank of one's own."""
    with house.hosted.guest() as player:
        reader = Reader(visit, player, english)
        page = reader.page
        table = player.post("/tables/private", 201, book="maryland")["name"]
        page.goto(f"/table?name={table}")
        reader.read("the cut", '[data-action="refuse_cut"]')
        table = player.post("/tables/private", 201, book="california")["name"]
        page.goto(f"/table?name={table}&tour=1")
        reader.read("the bank", '[data-action="pass_bank"]')
        page.locator('[data-action="pass_bank"]').click()
        bank = page.locator('[data-action="take_bank"]:visible')
        deal = page.locator('[data-action="deal"]:enabled')
        spots = page.locator("wt-box.mine [data-spot=primary][data-mine='0'].open")
        gives_up = page.locator('[data-choice="surrender"]:visible')
        expect(bank).to_have_count(0)
        seen: set[Locator] = set()
        while not bank.count():  # bots hold it first, for as long as two rounds each
            for each in (gives_up, deal, spots):
                if each.count():
                    reader.read("a round of a bank", "wt-felt")
                    seen.add(each)
                    with suppress(PlaywrightTimeout):  # the table went on by itself
                        each.first.click(timeout=SOON_MS)
                    break
            expect(bank.or_(gives_up).or_(deal).or_(spots).first).to_be_visible()
        assert deal in seen
        bank.click()
        reader.read("a bank of one's own", f'[data-banker="{player.name}"]')
    assert not reader.told, "\n".join(reader.told)


@pytest.mark.parametrize("book", NAMES)
def test_a_book_in_spanish(visit: Visit, english: frozenset[str], book: str) -> None:
    """The rules with their odds, and the lab with every note that it can make."""
    reader = Reader(visit, None, english)
    reader.go(f"/rules?book={book}", "[data-edge]")
    reader.go(f"/lab?book={book}", "[data-session=shown]")
    reader.page.locator("[data-part=more] summary").first.click()
    reader.read("all odds", "[data-part=more] [data-edge]")
    odd = f"/lab?book={book}&decks=1&boxes=9&options=shuffle=continuous&gone=2=4,3=4,4=4,5=4,6=4"
    reader.go(odd, "[data-lab=shown], [data-lab=refused]")
    reader.go(f"/lab?book={book}&decks=0", "[data-lab=refused]")
    assert not reader.told, "\n".join(reader.told)


def test_pages_in_spanish(visit: Visit, house: House, english: frozenset[str]) -> None:
    """Lobby, account of a guest and of a stranger, history, replay, fairness, and no page."""
    stranger = Reader(visit, None, english)
    stranger.go("/", "[data-table]")
    stranger.go("/account", "[data-sign-in]")
    stranger.go("/history", "[data-empty]")
    stranger.go("/missing-page", "h1")
    with house.hosted.guest() as player:
        reader = Reader(visit, player, english)
        with OwnTable(house.hosted, player, "online", Cards("=", ">"), Cards("<")) as table:
            table.bet(1, 2_500).bet(1, 500, "tie").deal()
            table.choose(1, "war")
            table.bet(1, 2_500).deal()
            reader.go("/", "[data-back]")
            reader.go("/account", "[data-limits]")
            reader.go("/history", "[data-round]")
            reader.go(f"/replay?table={table.name}&round=1", "[data-step]")
            reader.go(f"/fairness?table={table.name}", "[data-verdict=right]")
            reader.page.locator("[data-check-all]").click()
            reader.read("every shoe", "[data-chain=right]")
            record = reader.page.locator("#record")
            reader.page.locator("details:has(#record) > summary").click()
            record.fill(record.input_value().replace('"9s"', '"8s"').replace('"Kh"', '"Qh"'))
            reader.page.locator("[data-check-pasted]").click()
            reader.read("a changed record", "[data-verdict]")
            record.fill("{")
            reader.page.locator("[data-check-pasted]").click()
            reader.read("no record", ".notice.bad")
    told = stranger.told + reader.told
    assert not told, "\n".join(told)
