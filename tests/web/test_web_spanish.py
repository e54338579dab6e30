"""The players' pages in Spanish: nothing that a visitor reads there is left in English.

A page is walked text by text. What stands in English must say so (`lang="en"`): the documents' own
words, and ours about them. Everything else has no word that only the English catalogue has, apart
from names.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser import Visit
from hosting import Client, Hosted
from live_tables import Cards, OwnTable
from node import FOLDER, node
from screens import play
from staffed_tables import House
from table_pages import catch_up
from wartable.inscription import burns, decks_in_use, paytable, payout_limit
from wartable.odds.readings import MEASURES
from wartable.odds.report import NOTES
from wartable.odds.wheel import wheel_words
from wartable.proof import INCIDENTS
from wartable.rules import NAMES, load, option_values, with_options
from wartable.rules.model import Options
from wartable.server.house.closures import CLOCK, CLOCK_CHECKED, REFUSED, Closure, why
from wartable.server.tables.listeners import TAKEN

BOOKS = NAMES
GUESTS = 4
EXCEPTIONS = {
    "Wartable": "our own name",
    "Casino War": "the game's name",
    "guest": "the name of an account, in the address of its own table",
    "bot": "said in Spanish, too",
    "wartable verify": "a command",
    "wartable-shoes-2": "the name of a format",
}
"""What stays as it is beside the names that a rule book gives, and why."""

LANGUAGE = "() => localStorage.setItem('wartable-language', 'es')"
READ = """() => {
  const told = [];
  const foreign = (element) => element.closest("[lang]")?.lang === "en";
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


def server_texts() -> Iterator[str]:
    """What the server says of every book's payments, cards and wheel, in every configuration."""
    for name in NAMES:
        for option in Options.__struct_fields__:
            for value in option_values(option):
                book = with_options(load(name), {option: value})
                rules = book.rules
                for pay in paytable(book):
                    yield pay.pays
                    yield pay.line
                yield from burns(rules)
                yield from wheel_words(rules, rules.shoe.decks)
                yield payout_limit(rules)
                yield decks_in_use(rules.shoe.decks, rules.options.shuffle)
    yield "1 deck"
    for scope in REFUSED:
        yield why(Closure(scope, "", "flo", 0, "a drill"))
    yield from (CLOCK_CHECKED, why(Closure(*CLOCK, "", 0, "")), TAKEN.sentence)


def said_by_name() -> Iterator[tuple[str, str]]:
    """What the server says by a name: of options, their values and measures, and of shoes."""
    for option in Options.__struct_fields__:
        yield "option", option
        yield "measure", option
        yield from (("value", value) for value in option_values(option))
    yield from (("note", name) for name in NOTES)
    yield from (("incident", name) for name in INCIDENTS)
    yield from (("way", name) for name in ("war", "no_bonus", "surrender", "tie"))


@cache
def in_spanish(folder: Path) -> dict[str, Any]:
    """What Spanish pages say of all that, and the words that only English has."""
    told = sorted(filter(None, set(server_texts())))
    said = sorted(set(said_by_name()))
    file = folder / "asked.json"
    file.write_text(json.dumps({"said": said, "told": told}), "utf-8")
    found: dict[str, Any] = json.loads(node(FOLDER / "in-spanish.js", file))
    return {
        "said": dict(zip(said, found["said"], strict=True)),
        "told": dict(zip(told, found["told"], strict=True)),
        "english": frozenset(found["english"]),
    }


def test_the_servers_words_have_words_in_spanish(tmp_path: Path) -> None:
    """Every option, value, measure, note, incident, payment, burn, wheel and closure has them."""
    found = in_spanish(tmp_path)
    assert set(MEASURES) <= set(Options.__struct_fields__)
    assert not [key for key, words in found["said"].items() if words is None]
    lost = [text for text, words in found["told"].items() if words is None]
    assert not [text for text in lost if re.search(r"[a-z]{2}", text)]
    names = left_in_english(found["told"].values(), found["english"])
    assert not names


def names_of_books() -> set[str]:
    """What the rule documents call their wagers and themselves."""
    found = set(EXCEPTIONS)
    for name in NAMES:
        rules = load(name).rules
        found |= {*rules.labels.values(), rules.title, name, name.replace("-", " ").title()}
        # A spot has the label without the word for a wager, or its first words.
        found |= {re.sub(r" (Wager|Bet)$", "", label) for label in rules.labels.values()}
        found |= {" ".join(label.split()[:2]) for label in rules.labels.values()}
    return found


def left_in_english(texts: Any, english: frozenset[str]) -> list[str]:
    """The texts with a word that only English has, names left out; a word alone is enough."""
    names = sorted(names_of_books(), key=len, reverse=True)
    form = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in names), re.IGNORECASE)
    told = []
    for text in filter(None, texts):
        rest = form.sub(" ", re.sub(r"\b(guest|bot)-\w+|[0-9a-f]{16,}", " ", text))
        if left := {word.lower() for word in re.findall(r"[^\W\d_]+", rest)} & english:
            told.append(f"{text!r}: {', '.join(sorted(left))}")
    return told


def test_a_word_of_english_is_found(tmp_path: Path) -> None:
    """The search knows English from Spanish and from names, which may stand in either."""
    english = in_spanish(tmp_path)["english"]
    wrong = ["The cards are being dealt.", "Apuesta 10 to 1", "Tie Wager lost", "Cards"]
    assert len(left_in_english(wrong, english)) == len(wrong)
    right = ["Las cartas se reparten.", "Tie Wager: empate", "guest-1ad30a728d", "$25", "Wartable"]
    assert left_in_english(right, english) == []
    assert len(english) > 700


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


@pytest.fixture
def english(tmp_path: Path) -> frozenset[str]:
    """The words that only English has."""
    found: frozenset[str] = in_spanish(tmp_path)["english"]
    return found


@pytest.fixture
def allowed() -> list[str]:
    """A page that does not exist is read, too."""
    return ["404 GET /missing-page"]


@pytest.mark.parametrize("book", NAMES)
def test_a_round_in_spanish(
    visit: Visit, house: House, english: frozenset[str], book: str
) -> None:
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


def test_the_house_speaks_spanish(tmp_path: Path) -> None:
    """A house whose locale is Spanish sends its pages so, the lab and the check among them."""
    with Hosted(tmp_path, books=("online",), locale="es-MX") as hosted, hosted.http() as http:
        for path in ("/", "/lab", "/fairness", "/rules", "/history", "/account", "/replay"):
            sent = http.get(path).text
            assert '<html lang="es"' in sent, path
            assert 'data-locale="es-MX"' in sent, path
