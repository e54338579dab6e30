"""The table page in a real browser: by keyboard, with undo, over a lost connection, on a phone."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from browser import PHONE, Visit, assert_accessible, assert_fits
from hosting import Client, Hosted
from live_tables import STACK, Cards, OwnTable, find_seed
from paths import ROOT
from wartable.rules import load
from wartable.table import new_setup

TABS_MAX = 60
SCRIPTS_MAX = 8

TRACED = """() => {
  Error.stackTraceLimit = 100;
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    if (JSON.parse(data).type === "bet") window.stack = new Error().stack;
    return send.call(this, data);
  };
}"""
"""Keeps the calls that lead from a click to the socket, when a bet is sent."""

WATCHED = """
const Socket = WebSocket;
window.sockets = [];
window.WebSocket = class extends Socket {
  constructor(address) {
    super(window.lost ? address.replace("/play", "/nowhere") : address);
    window.sockets.push(this);
  }
};
"""
"""A page whose connection can be cut: while `lost` is set, it comes back to no door."""


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house with a table of every book."""
    with Hosted(tmp_path_factory.mktemp("house")) as running:
        yield running


@pytest.fixture
def player(hosted: Hosted) -> Iterator[Client]:
    """A new guest, with $1,000."""
    with hosted.guest() as client:
        yield client


def open_own(player: Client, book: str, *rounds: Cards) -> str:
    """The address of the player's own table, where the rounds go as wanted."""
    name = f"{book}@{player.name}"
    if rounds:
        player.hosted.planted = find_seed(new_setup(load(book).rules, name), *rounds)[0]
    player.post("/tables/private", 201, book=book)
    return f"/table?name={name}"


def spot(page: Page, box: int, wager: str = "primary") -> Locator:
    """A spot on the felt."""
    return page.locator(f'wt-box[data-box="{box}"] [data-spot="{wager}"]')


def expect_amount(place: Locator, cents: int) -> None:
    """The place shows so much."""
    expect(place).to_have_attribute("data-amount", str(cents))


def betting(page: Page, hosted: Hosted) -> Locator:
    """The own first spot, once it takes a wager; later shoes are as chance has them."""
    own = page.locator("wt-box.mine [data-spot=primary].open")
    expect(own).to_be_visible()
    hosted.planted = None
    return own


def test_a_round_by_keyboard_alone(visit: Visit, player: Client) -> None:
    """Chip, spot, deal and war by keys; the choice has the focus and everything is told."""
    page = visit(open_own(player, "online", Cards("=", ">")), who=player)
    betting(page, player.hosted)
    page.keyboard.press("3")
    page.locator('[data-spot][tabindex="0"]').focus()
    page.keyboard.press("Enter")
    expect_amount(spot(page, 1), 2_500)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect_amount(spot(page, 1, "tie"), 100)
    page.keyboard.press("Backspace")
    expect_amount(spot(page, 1, "tie"), 0)
    page.keyboard.press("d")
    expect(page.locator("button[data-choice=war]")).to_be_focused()
    expect(page.locator("#alert")).to_contain_text("war or surrender?")
    expect(page.locator("button[data-choice=surrender]")).to_contain_text("You get $12.50 back")
    assert_accessible(page)
    page.keyboard.press("w")
    # War won: the raise is paid 1 to 1 and the main bet goes back.
    expect_amount(page.locator("#net"), 2_500)
    expect_amount(page.locator("#balance"), 22_500)
    expect_amount(page.locator("#at-stake"), 0)
    expect(page.locator("#record [data-event=result]")).to_have_text("You won $25 this round.")


def test_a_click_goes_the_way_that_is_drawn(visit: Visit, player: Client) -> None:
    """A bet passes the scripts that docs/design.md draws, in that order, and no more than 8."""
    design = (ROOT / "docs" / "design.md").read_text("utf-8")
    _, _, after = design.partition("| script | hands the bet on as |")
    drawn = re.findall(r"^   \| `web/js/([\w/-]+\.js)` \|", after, re.MULTILINE)
    page = visit(open_own(player, "online"), who=player)
    own = betting(page, player.hosted)
    page.evaluate(TRACED)
    own.click()
    expect_amount(own, 500)
    calls = re.findall(r"/js/([\w/-]+\.js)", page.evaluate("() => window.stack"))
    assert list(dict.fromkeys(reversed(calls))) == drawn
    assert len(drawn) <= SCRIPTS_MAX


def tab_to(page: Page, selector: str) -> Locator:
    """Press Tab until that has the focus; what can be reached so needs no mouse."""
    wanted = page.locator(selector)
    expect(wanted).to_be_enabled()
    for _ in range(TABS_MAX):
        if wanted.evaluate("(element) => element === document.activeElement"):
            return wanted
        page.keyboard.press("Tab")
    pytest.fail(f"{selector} cannot be reached with the Tab key.")


def test_two_rounds_and_their_receipt_by_keyboard_alone(visit: Visit, player: Client) -> None:
    """From the first bet over the receipt with its clauses and a repeated bet to the way out."""
    with OwnTable(player.hosted, player, "online", Cards("=", ">"), Cards("<")) as table:
        page = visit(f"/table?name={table.name}", who=player)
        expect(page.locator("wt-box.mine [data-spot=primary].open")).to_be_visible()
        page.keyboard.press("3")
        tab_to(page, '[data-spot][tabindex="0"]')
        page.keyboard.press("Enter")
        expect_amount(spot(page, 1), 2_500)
        page.keyboard.press("d")
        expect(page.locator("button[data-choice=war]")).to_be_focused()
        page.keyboard.press("Enter")
        expect_amount(page.locator("#net"), 2_500)
        opener = tab_to(page, "#net")
        page.keyboard.press("Enter")
        receipt = page.locator('[data-dialog="receipt"]')
        expect(receipt.locator("caption")).to_contain_text("net +$25")
        main = receipt.locator('[data-wager="primary"] .clauses')
        expect(main).to_have_text("ON-war-eval-win-main, ON-pay-war-main")
        assert receipt.evaluate("(dialog) => dialog.contains(document.activeElement)")
        tab_to(page, '[data-dialog="receipt"] a[href$="#ON-war-eval-win-main"]')
        with page.context.expect_page() as opened:
            page.keyboard.press("Enter")
        clause = opened.value.locator('[data-clause="ON-war-eval-win-main"]')
        expect(clause).to_be_in_viewport()
        opened.value.close()
        page.keyboard.press("Escape")
        expect(receipt).to_have_count(0)
        expect(opener).to_be_focused()
        page.keyboard.press("r")
        expect_amount(spot(page, 1), 2_500)
        page.keyboard.press("d")
        expect_amount(page.locator("#net"), -2_500)
        expect_amount(page.locator("#balance"), STACK)
        tab_to(page, '[data-action="leave"]')
        page.keyboard.press("Enter")
        tab_to(page, '[data-answer="leave"]')
        page.keyboard.press("Enter")
        expect(page.locator("#dock")).to_have_attribute("data-panel", "seat")
        # The way back in has the focus, which was on a button that is gone.
        expect(page.locator('[data-action="sit"]')).to_be_focused()


def test_wagers_are_undone_doubled_cleared_and_repeated(visit: Visit, player: Client) -> None:
    """Each command changes the felt as it says, and undo brings back what was before."""
    page = visit(open_own(player, "online", Cards(">>")), who=player)
    betting(page, player.hosted).click()
    spot(page, 2).click()
    spot(page, 2, "tie").click()
    expect_amount(spot(page, 2, "tie"), 500)
    page.locator("[data-action=undo]").click()
    expect_amount(spot(page, 2, "tie"), 0)
    expect_amount(spot(page, 2), 500)
    page.locator("[data-action=double]").click()
    expect_amount(spot(page, 1), 1_000)
    expect_amount(spot(page, 2), 1_000)
    page.locator("[data-action=undo]").click()
    expect_amount(spot(page, 2), 500)
    expect_amount(spot(page, 1), 500)
    page.locator("[data-action=clear]").click()
    expect_amount(page.locator("#at-stake"), 0)
    page.locator("[data-action=undo]").click()
    expect_amount(page.locator("#at-stake"), 1_000)
    page.locator("[data-action=deal]").click()
    expect_amount(page.locator("#net"), 1_000)
    expect(page.locator("[data-action=repeat]")).to_have_text("Repeat $10")
    page.locator("[data-action=repeat]").click()
    expect_amount(spot(page, 1), 500)
    expect_amount(spot(page, 2), 500)


def test_a_refusal_is_told_at_its_box_in_dollars(visit: Visit, player: Client) -> None:
    """More than there is at the table: the box says how much there is, and nothing is bet."""
    page = visit(open_own(player, "online"), who=player)
    betting(page, player.hosted)
    page.locator("#amount").fill("250")
    spot(page, 2).click()
    refusal = page.locator('wt-box[data-box="2"] [data-refusal=insufficient]')
    expect(refusal).to_contain_text("You have $200 at the table")
    expect_amount(spot(page, 2), 0)


def test_what_was_missed_is_shown_after_a_lost_connection(
    visit: Visit, player: Client, allowed: list[str]
) -> None:
    """A war that is fought while the connection is away is shown, and exactly counted."""
    allowed.append("/nowhere")
    address = open_own(player, "online", Cards("=", "<"))
    page = visit(who=player)
    page.add_init_script(WATCHED)
    page.goto(address)
    betting(page, player.hosted).click()
    expect_amount(spot(page, 1), 500)
    page.locator("[data-action=deal]").click()
    expect(page.locator("button[data-choice=war]")).to_be_visible()
    page.evaluate("() => { window.lost = true; window.sockets.at(-1).close(); }")
    expect(page.locator("#connection")).to_be_visible()
    player.hello(f"online@{player.name}")
    told = len(player.events())
    player.must("choose", box=1, choice="war")
    player.until("bets")
    missed = len(player.events()) - told
    page.evaluate("() => { window.lost = false; }")
    expect(page.locator("#missed")).to_contain_text(f"You missed {missed} events")
    expect(page.locator("#connection")).to_be_hidden()
    expect_amount(page.locator("#net"), -1_000)
    expect_amount(page.locator("#balance"), 19_000)


def test_a_choice_fits_a_phone(visit: Visit, player: Client) -> None:
    """The own box, the dealer's card and every option are in sight at once, none over another."""
    page = visit(open_own(player, "maryland", Cards("=")), who=player, size=PHONE)
    page.locator("[data-action=refuse_cut]").tap()
    betting(page, player.hosted).tap()
    expect_amount(page.locator("wt-box.mine [data-spot=primary]"), 500)
    page.locator("[data-action=deal]").tap()
    expect(page.locator("button[data-choice=war]")).to_be_visible()
    page.evaluate("() => window.scrollTo(0, 0)")
    assert_fits(page)
    bounds = {
        name: page.locator(selector).bounding_box()
        for name, selector in {
            "card": "wt-box.mine wt-card",
            "spot": "wt-box.mine [data-spot=primary]",
            "dealer": ".dealer wt-card",
            "controls": ".controls",
            "surrender": "button[data-choice=surrender]",
        }.items()
    }
    places = {name: place for name, place in bounds.items() if place is not None}
    assert places.keys() == bounds.keys()
    bottom = {name: place["y"] + place["height"] for name, place in places.items()}
    assert bottom["dealer"] <= places["card"]["y"]
    assert bottom["card"] <= places["spot"]["y"] + places["spot"]["height"]
    assert bottom["spot"] <= places["controls"]["y"]
    assert bottom["surrender"] <= PHONE[1]
    for button in page.locator(".controls button:visible").all():
        place = button.bounding_box()
        assert place is not None
        assert min(place["width"], place["height"]) >= 44
