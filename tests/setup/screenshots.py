"""Pictures of every page and moment of play, wide, on a phone or tablet, light and dark.

`make screenshots` writes them to build/screenshots, and those that the README shows to docs/images;
MOMENT=wheel makes the pictures of one moment, MOMENT=screens those of every book in every size.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, expect

from browser import PHONE, SCHEMES, TOUCH_PX, WIDE, new_page, resize, running
from hosting import Client
from live_tables import Cards, OwnTable, Stack
from paths import DOCS, ROOT
from screens import SIZES, play
from staffed_tables import House, house_of, ties
from table_pages import catch_up
from wartable.evidence.pack import SHOWN
from wartable.rules import NAMES
from wartable.rules.settings import HOUSE_LIMITS
from wartable.server import manifest
from working_houses import four_alike, played

FOLDER = ROOT / "build" / "screenshots"
IMAGES = DOCS / "images"
README = {"war-wide-light", "war-phone-light", "wheel-wide-light"}
JPEG_QUALITY = 72
Schemes = Sequence[Literal["light", "dark"]]
KINDS = {"wide": WIDE, "phone": PHONE}
AT_WORK = {"wide": WIDE, "tablet": (820, 1180)}
"""The sizes in which players and staff see their pages."""


class Studio:
    """A house with people in it, and a camera for each size and colour."""

    def __init__(
        self, browser: Browser, house: House, folder: Path, schemes: Schemes = SCHEMES
    ) -> None:
        self.browser, self.house, self.folder, self.schemes = browser, house, folder, schemes
        self.me = house.guests[0]
        self._pages: dict[tuple[str, bool], Page] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def _page(self, who: Client, size: tuple[int, int]) -> Page:
        """A page of somebody's in that size; one that is not touched takes on any."""
        key = (who.name, size[0] < TOUCH_PX)
        if key not in self._pages:
            self._pages[key] = new_page(self.browser, self.house.hosted, who, size)
        return self._pages[key]

    @contextmanager
    def cameras(self, path: str, who: Client | None = None) -> Iterator["Cameras"]:
        """The page at that address, in both sizes."""
        sizes = KINDS if who is None else AT_WORK
        pages = {name: self._page(who or self.me, size) for name, size in sizes.items()}
        for page in dict.fromkeys(pages.values()):
            page.goto(path)
        yield Cameras(pages, sizes, self)
        for page in dict.fromkeys(pages.values()):
            page.goto("about:blank")

    def picture(self, moment: str, path: str, seen: str, who: Client | None = None) -> None:
        """A page as it is when that can be seen in it."""
        with self.cameras(path, who) as cameras:
            cameras.take(moment, seen)

    def close(self) -> None:
        """Close every page."""
        for page in self._pages.values():
            page.context.close()
        self._pages.clear()


class Cameras:
    """The same page in every size, for pictures in every colour."""

    def __init__(
        self, pages: dict[str, Page], sizes: dict[str, tuple[int, int]], studio: Studio
    ) -> None:
        self._pages, self._sizes, self._studio = pages, sizes, studio

    def take(self, moment: str, seen: str) -> None:
        """A picture from each when that can be seen in it."""
        folder = self._studio.folder
        for (size, page), scheme in product(self._pages.items(), self._studio.schemes):
            name = f"{moment}-{size}-{scheme}"
            page.emulate_media(color_scheme=scheme)
            expect(page.locator(seen).first).to_be_visible()
            page.wait_for_load_state("networkidle")
            resize(page, self._sizes[size])
            page.screenshot(path=folder / f"{name}.png")
            if folder == FOLDER and name in README:
                page.screenshot(path=IMAGES / f"{name}.jpg", type="jpeg", quality=JPEG_QUALITY)


def at(table: str, path: str = "/table", **more: object) -> str:
    """The address of a table's page."""
    key = "name" if path == "/table" else "table"
    return f"{path}?{urlencode({key: table, **more})}"


def lobby(studio: Studio) -> None:
    """The lobby."""
    studio.picture("lobby", "/", "[data-table]")


def own_table(studio: Studio) -> None:
    """The own table: betting, a tie's choice, the war's end; then history, replay, fairness."""
    with OwnTable(studio.house.hosted, studio.me, "online", Cards("=", ">")) as table:
        with studio.cameras(at(table.name)) as cameras:
            cameras.take("betting", "[data-chip]")
            table.bet(1, 2_500).bet(1, 500, "tie")
            cameras.take("wagers", "[data-spot=tie] [data-amount], [data-spot=tie][data-amount]")
            table.deal()
            cameras.take("choice", "[data-choice=war]")
            table.choose(1, "war")
            cameras.take("settlement", "#net")
        studio.picture("history", "/history", "[data-round]")
        studio.picture("replay", at(table.name, "/replay", round=1), "[data-step]")
        studio.picture("fairness", at(table.name, "/fairness"), "[data-commitment], [data-verdict]")


def war(studio: Studio) -> None:
    """Four players, two ties, and the war before its cards."""

    def two_tie(cards: Stack) -> bool:
        dealer = cards[4]
        return [ties(card, dealer) for card in cards[:4]] == [True, False, False, True]

    with studio.house.table("washington", 1, 2, 3, 4, name="war room") as table:
        table.open(two_tie)
        table.start()
        table.place(*[{"primary": 2_500}] * 4)
        with studio.cameras(at(table.name)) as cameras:
            table.dealt()
            cameras.take("tie", "[data-choice=war]")
            for box in (1, 4):
                table.choose(table.players[box - 1], box, "war")
            cameras.take("war", "[data-choice-made=war]")
            table.proceed()
            cameras.take("war-over", "#net")


def wheel(studio: Studio) -> None:
    """Side bets with their lamps, and the wheel at its stop."""
    with studio.house.table("maryland", 1, 2, 3, 4, name="wheel room") as table:
        table.open(lambda cards: cards[4] in ("7h", "7d"))
        table.start()
        table.place(*[{"primary": 2_500, "bonus_spin": 500}] * 4)
        with studio.cameras(at(table.name)) as cameras:
            cameras.take("side-bets", "[data-spot=bonus_spin]")
            table.dealt()
            cameras.take("wheel", "wt-wheel[data-community]")


def spread(studio: Studio) -> None:
    """Eight new decks face up, before they are washed."""
    with studio.house.table("maryland", 1, decks=8, name="spread room") as table:
        table.receive("new")
        for step, by in (("inspect", table.dealer), ("verify", table.floor)):
            table.must(by, "prepare", step=step)
        table.must(table.dealer, "prepare", step="spread")
        studio.picture("spread", at(table.name), "[data-spread]")


def bank(studio: Studio) -> None:
    """California's bank with wagers against it."""
    with studio.house.table("california", 1, 2, 3, 4, name="bank room") as table:
        table.open()
        table.bank(studio.me, 7_500)
        for box in (2, 3, 4):
            table.bet(table.players[box - 1], box, 2_500)
        studio.picture("bank", at(table.name), "[data-posted]")


def screens(studio: Studio) -> None:
    """Every book in every size, at every moment of a round."""
    for book in NAMES:
        with play(studio.house, book) as played:
            page = new_page(studio.browser, studio.house.hosted, played.who)
            page.goto(played.path)
            for moment in played.moments:
                expect(page.locator(moment.seen).first).to_be_visible()
                catch_up(page)
                for width, height in SIZES:
                    resize(page, (width, height))
                    name = f"screen-{book}-{moment.name}-{width}x{height}.png"
                    page.screenshot(path=studio.folder / name)
            page.context.close()


def readable(studio: Studio) -> None:
    """The pages to read: rules, account."""
    studio.picture("rules", "/rules?book=maryland", "[data-ranks]")
    studio.picture("account", "/account", "[data-money]")


def floor(studio: Studio) -> None:
    """The console of a house at work, with an award that waits."""
    house, floor = studio.house, studio.house.staff.floor
    played(house)
    with house.table("maryland", 1, 2, name="award room") as table, house.hosted.admin() as admin:
        table.open()
        four_alike(table)
        studio.picture("floor", "/floor?table=award+room", "[data-share]", who=floor)
        studio.picture("setup", "/setup?book=maryland", "[data-edge]", who=floor)
        studio.picture("decks", "/decks", "[data-log]", who=floor)
        studio.picture("people", "/people", "[data-limited]", who=admin)
        studio.picture("cashier", "/cashier", "[data-console]", who=admin)
        studio.picture("reports", "/reports", "[data-report]", who=admin)
        studio.picture("returns", "/returns", "[data-return]", who=admin)
        studio.picture("house", "/house", "[data-closures]", who=admin)
        studio.picture("servers", "/servers", "[data-open-table]", who=admin)


MOMENTS: dict[str, Callable[[Studio], None]] = {
    each.__name__: each
    for each in (lobby, own_table, war, wheel, spread, bank, readable, floor, screens)
}


def main(wanted: list[str], folder: Path = FOLDER) -> None:
    """Open a house and make the pictures."""
    if unknown := set(wanted) - set(MOMENTS):
        sys.exit(f"There is no {', '.join(unknown)}; there is {', '.join(MOMENTS)}.")
    with (
        tempfile.TemporaryDirectory() as data,
        house_of(Path(data), *NAMES, guests=4, limits=HOUSE_LIMITS) as house,
        running() as browser,
    ):
        make(Studio(browser, house, folder), wanted)
    if not wanted:
        (folder / SHOWN).write_text(manifest.running(), "utf-8")


def make(studio: Studio, wanted: list[str]) -> None:
    """Make the pictures of these moments, or of all."""
    try:
        for name in wanted or MOMENTS:
            MOMENTS[name](studio)
            print(name)
    finally:
        studio.close()


if __name__ == "__main__":
    main(sys.argv[1:])
