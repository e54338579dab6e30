"""Maryland's tables in the console: what the operator sets, what is refused, what the felt says."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from browser import WIDE, Visit, assert_accessible, assert_fits
from clauses import proves
from console_pages import clauses, edge, felt_says, opens, put, refused, setting, setup_page
from staffed_tables import House, house_of
from wartable.rules.model import Limit, Limits
from wartable.server.config import Config

MD = "maryland"
LIMITS = Limits(Limit(500, 30_000), Limit(100, 10_000), Limit(100, 10_000), ceiling=30_000)
TABLET = (820, 1180)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house with limits as a casino has them, whose felt bears its name."""
    folder = tmp_path_factory.mktemp("house")
    with house_of(folder, MD, guests=0, limits=LIMITS, operator="Harbour House") as found:
        yield found


@pytest.fixture
def page(visit: Visit, house: House) -> Page:
    """The form of a new table."""
    return setup_page(visit, house.staff.floor, MD)


def plain_felt(house: House) -> Config:
    """The house as `serve --plain-felt` opens it."""
    return replace(house.hosted.house.config, inscribed=False)


@proves("console", "MD-2-A", "MD-3-A", "MD-3-B", "MD-5-A-2", "MD-5-F-2", "MD-7-E", "MD-7-B-4")
def test_cards_layout_and_play(page: Page, house: House) -> None:
    """Boxes, decks, method, cover card, boxes per player and abandoned wagers, each as allowed."""
    assert setting(page, "decks").locator("option").all_text_contents() == ["6", "8"]
    assert {"MD-3-A", "MD-3-B"} <= clauses(page, "decks")
    refused(page, "table.boxes", "10", "table.boxes: at most 9, the book's own value, not 10.")
    refused(page, "table.boxes_per_player", "10", "table.boxes_per_player: the table has 9 boxes")
    refused(page, "shoe.cover_from_bottom", "1/5", "at least 1/4 from the bottom")
    initial = edge(page, "Initial Wager")
    put(page, decks="8")
    assert edge(page, "Initial Wager") > initial
    put(page, shuffle="every_round", table__boxes="5", table__boxes_per_player="2")
    put(page, abandoned="play_on")
    assert clauses(page, "table.boxes_per_player") == {"MD-7-E"}
    assert clauses(page, "abandoned") == {"MD-7-B-4"}
    opens(page, "md small")
    made = house.hosted.house.floor.places["md small"].live.setup
    assert (made.decks, made.rules.table.boxes, made.rules.table.boxes_per_player) == (8, 5, 2)
    assert made.rules.options.shuffle == "every_round"
    assert made.rules.options.abandoned == "play_on"
    assert made.staffed


@proves("console", "MD-3-B-1", "MD-5-J", "MD-9-L", "MD-9-L-2")
def test_methods_and_community_cards(page: Page, visit: Visit, house: House) -> None:
    """A continuous shuffler needs its approval; two equal batches; 3, 5 or 7 community cards."""
    options = setting(page, "electronic").locator("option").all_text_contents()
    assert options == ["off", "3", "5", "7"]
    put(page, shuffle="continuous")
    shown = page.locator("[data-edges] [data-problem]")
    expect(shown).to_have_text("The method continuous needs the reference of its approval.")
    before = page.locator("[data-edges]").get_attribute("data-edges") or ""
    page.locator("[name=table-approval]").fill("MLGCA device 7")
    expect(page.locator("[data-edges]")).not_to_have_attribute("data-edges", before)
    expect(shown).to_have_count(0)
    put(page, electronic="5")
    opens(page, "md electronic")
    made = house.hosted.house.floor.places["md electronic"].live.setup
    assert (made.approval, made.rules.community) == ("MLGCA device 7", 5)
    put(page, electronic="off", shuffle="batches")
    opens(page, "md batches")
    pit = visit(f"/floor?table={quote('md batches')}", who=house.staff.floor)
    expect(pit.locator("[data-batch]")).to_have_count(2)
    for name in ("red", "blue"):
        expect(pit.locator(f'[data-batch="{name}"]')).to_be_visible()
    expect(pit.locator("[data-due]")).to_be_visible()


@proves(
    "console", "MD-2-B-4", "MD-2-B-5a", "MD-2-B-7", "MD-2-C", "MD-7-F-3", "MD-10-B", "MD-10-C-1"
)
@proves("console", "MD-10-C-2", "MD-10-C-3b", "MD-10-D-3b-i", "MD-10-D-3a", "MD-10-D", "MD-10-E")
@proves("console", "MD-10-D-1a", "MD-10-D-1b", "MD-10-D-5b", "MD-7-F-4")
def test_side_bets(page: Page, visit: Visit, house: House) -> None:
    """Rates, resets, trigger and offer of the side bets; the felt states every line they pay."""
    says = felt_says(page)
    # Six lines of the progressive, the designated envy and community tables, both jackpots.
    for line in (
        "suited four of a kind pays 1000 to 1 and the meter",
        "suited double tie pays 200 to 1",
        "four of a kind pays 150 to 1",
        "double tie pays 30 to 1",
        "suited tie pays 15 to 1",
        "Progressive Payout Wager tie pays 5 to 1",
        "Envy Bonus suited four of a kind pays $5,000 for each $5 wagered",
        "jackpot primary pays the primary meter",
        "jackpot secondary pays the secondary meter",
        "hot spot $1,000 pays $1,000 for $5",
        "community $150 pays $150 for $5",
        "Tie Wager pays 10 to 1",
        "Initial Wager pays 1 to 1",
    ):
        assert line in says, line
    refused(page, "wagers.progressive.meter.reset", "9999.99", "wagers.progressive.meter")
    refused(page, "wagers.bonus_spin.meters.primary.reset", "9999", "bonus_spin.meters.primary")
    refused(page, "wagers.bonus_spin.meters.secondary.initial", "4999", "meters.secondary")
    # A side bet without a controller that feeds its meter is refused.
    for meter in ("progressive.meter", "bonus_spin.meters.primary"):
        refused(page, f"wagers.{meter}.contribution", "0/100", "above 0")
    progressive = edge(page, "Progressive Payout Wager")
    put(page, wagers__progressive__meter__contribution="5/100")
    put(page, wagers__bonus_spin__trigger__rank="K", wagers__bonus_spin__trigger__color="black")
    assert edge(page, "Progressive Payout Wager") == progressive, "the meter is at its reset"
    opens(page, "md spin")
    spin = house.hosted.house.floor.places["md spin"].live.setup.rules.wagers
    assert spin.bonus_spin is not None
    assert (spin.bonus_spin.trigger.rank, spin.bonus_spin.trigger.color) == ("K", "black")
    put(page, wagers__progressive__offered="false", wagers__bonus_spin__offered="false")
    expect(page.locator('[data-edge="Progressive Payout Wager"]')).to_have_count(0)
    assert "Progressive" not in felt_says(page)
    opens(page, "md plain")
    pit = visit(f"/floor?table={quote('md spin')}", who=house.staff.floor)
    meters = pit.locator("[data-meters]")
    expect(meters).to_have_text("progressive $10,000, primary $10,000, secondary $5,000")
    pit.locator("[data-sheet] summary").first.click()
    own = pit.locator("[data-own-settings]")
    expect(own).to_contain_text("wagers.progressive.meter.contribution: 5 to 100")
    expect(own).to_contain_text("wagers.bonus spin.trigger.rank: K")
    inscribed = pit.locator("[data-inscribed]")
    expect(inscribed).to_contain_text("Envy Bonus suited four of a kind pays $5,000")
    expect(inscribed).to_contain_text("community $150 pays $150")
    pit.locator('[data-floor-table="md plain"]').click()
    expect(meters).to_have_count(0)
    expect(pit.locator('[data-floor-table="md plain"] [data-glance-meters]')).to_have_count(0)


@proves("console", "MD-1-A-0", "MD-2-B-1", "MD-2-B-5b", "MD-2-B-6")
def test_papers_and_the_payout_limit(
    page: Page, visit: Visit, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The glossary, the operator's name, and the payout limit as felt or sign must state it."""
    page.locator("[data-glossary] summary").click()
    glossary = page.locator("[data-glossary]")
    expect(glossary).to_contain_text("War deal")
    expect(glossary).to_contain_text("MD-1-A-1")
    put(page, limits__payout_max="5000")
    assert clauses(page, "limits.payout_max") == {"MD-2-B-5b", "MD-2-B-6"}
    page.locator("details", has=page.locator("[data-felt-says]")).locator("summary").click()
    expect(page.locator("[data-felt-payout-limit]")).to_contain_text("$5,000")
    opens(page, "md limited")
    pit = visit(f"/floor?table={quote('md limited')}", who=house.staff.floor, size=TABLET)
    pit.locator("[data-sheet] > summary").click()
    expect(pit.locator("[data-operator]")).to_have_text("Harbour House")
    expect(pit.locator("[data-stated]")).to_have_attribute("data-stated", "felt")
    expect(pit.locator("[data-sheet]")).to_contain_text("$5,000")
    monkeypatch.setattr(house.hosted.house, "config", plain_felt(house))
    pit.reload()
    pit.locator("[data-sheet] > summary").click()
    expect(pit.locator("[data-stated]")).to_have_text(
        "on the payout sign, because the felt has none"
    )
    expect(pit.locator("[data-inscribed] li").first).to_contain_text("pays")
    for size in (TABLET, WIDE):
        for each in (pit, page):
            each.set_viewport_size({"width": size[0], "height": size[1]})
            assert_fits(each)
    assert_accessible(pit)
    assert_accessible(page)
