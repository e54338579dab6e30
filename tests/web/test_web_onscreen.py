"""One screen: the dealer's cards, the own boxes and the controls are in sight together, all free.

One page of each book goes through a round with a war and changes its size at every moment. The
deep form looks at every size in every font, the quick one at the sizes with the least room in the
font that needs the most.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser import NARROW, PHONE, Visit, looked_at, with_fonts
from fonts import FAMILIES, only
from live_tables import Cards, OwnTable
from screens import LEAST, SIZES, Moment, Size, play
from staffed_tables import House
from table_pages import catch_up
from wartable.rules import NAMES

BOOKS = NAMES
GUESTS = 4
ONSCREEN = (Path(__file__).parent / "onscreen.js").read_text("utf-8")
PHONE_CARD, CARD = 64, 80
OVER = ["#toasts", ".result", ".pot", ".lamp"]
"""What may lie over the rest of a card or a spot, never over what is read there."""
NOTHING = {"over": OVER, "dealt": 0, "stakes": 0, "results": 0, "wheel": 0, "controls": 1}

FRAMES = """() => new Promise((done) => {
  let left = 4; // a size is told within a frame, and fitted in the next
  const next = () => (left-- ? requestAnimationFrame(next) : done());
  next();
})"""


HOT = "Community pay: $125 per $5. Hot spot on box 9: the secondary meter"
"""The most that the wheel says, once in thousands of turns: there is room for it."""

CARD_NAME = "queen of diamonds"
"""The longest name of a card, by which a choice is called."""
NAMED = """(place, name) => {
  place.textContent = place.textContent.replace(/[a-z]+ of [a-z]+/, name);
}"""


def unseen(page: Page, moment: Moment, sizes: tuple[Size, ...]) -> list[str]:
    """What of a moment is not in sight, in any of the sizes."""
    expect(page.locator(moment.seen).first).to_be_visible()
    catch_up(page)
    if moment.wanted.get("wheel"):
        words = page.locator("wt-felt .stop-words")
        words.evaluate("(place, hot) => place.replaceChildren(hot)", HOT)
    for legend in page.locator(".choice legend").all():
        legend.evaluate(NAMED, CARD_NAME)
    told = []
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("(width) => innerWidth === width", arg=width)
        page.evaluate(FRAMES)
        card = CARD if width >= 1440 else PHONE_CARD if min(width, height) < 600 else 0
        found = looked_at(page, ONSCREEN, {**NOTHING, "card": card, **moment.wanted})
        told += [f"{moment.name}, {width} x {height}: {each}" for each in found]
    return told


@pytest.fixture(scope="module")
def browsers(
    module_chromium: Browser,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Iterator[dict[str, Browser]]:
    """A browser for each font that is looked at, which finds no other."""
    families = FAMILIES if request.config.getoption("deep") else FAMILIES[:1]
    folder = tmp_path_factory.mktemp("fonts")
    found = {family.name: with_fonts(module_chromium, only(family, folder)) for family in families}
    yield found
    for browser in found.values():
        browser.close()


@pytest.mark.parametrize("book", NAMES)
def test_a_round_on_one_screen(
    visit: Visit, house: House, browsers: dict[str, Browser], book: str, deep: bool
) -> None:
    """Bets, a tie, the war, the wheel and the result are in sight as they come."""
    with play(house, book) as played:
        pages = {
            font: visit(played.path, who=played.who, browser=browser)
            for font, browser in browsers.items()
        }
        sizes = SIZES if deep else LEAST
        told = [
            f"{font}: {each}"
            for moment in played.moments
            for font, page in pages.items()
            for each in unseen(page, moment, sizes)
        ]
        assert not told, "\n".join(told)


def test_three_own_boxes_on_a_phone(visit: Visit, house: House) -> None:
    """Three tied boxes take one row, and their cards are as large as the room allows."""
    with (
        house.hosted.guest() as player,
        OwnTable(house.hosted, player, "new-zealand", Cards("===")) as table,
    ):
        for box in (1, 2, 3):
            table.bet(box, 500).bet(box, 100, "tie")
        page = visit(f"/table?name={table.name}", who=player, size=NARROW)
        table.deal()
        tied = {"dealt": 1, "controls": 4, "stakes": 3}
        assert not unseen(page, Moment("tie", "[data-choice=war]", tied), (NARROW, PHONE))
