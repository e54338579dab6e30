"""The table page in a real browser: by keyboard, with undo, over a lost connection, on a phone."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from browser import PHONE, Visit, assert_accessible, assert_fits
from hosting import Client, Hosted
from live_tables import STACK, Cards, OwnTable, Planted
from paths import ROOT
from table_pages import place
from waiting import until

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


TOURED = """
window.steps = [];
new MutationObserver((changes) => {
  for (const { target } of changes) if (target.dataset.tour) window.steps.push(target.dataset.tour);
}).observe(document, { subtree: true, attributeFilter: ["data-tour"] });
"""
"""Keeps every step that the tour tells."""


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
    player.post("/tables/private", 201, book=book)
    Planted(player.hosted, name, *rounds)
    return f"/table?name={name}"


def spot(page: Page, box: int, wager: str = "primary") -> Locator:
    """A spot on the felt."""
    return page.locator(f'wt-box[data-box="{box}"] [data-spot="{wager}"]')


def expect_amount(place: Locator, cents: int) -> None:
    """The place shows so much."""
    expect(place).to_have_attribute("data-amount", str(cents))


def betting(page: Page) -> Locator:
    """The own first spot, once it takes a wager."""
    own = page.locator("wt-box.mine [data-spot=primary].open")
    expect(own).to_be_visible()
    return own


def test_a_round_by_keyboard_alone(visit: Visit, player: Client) -> None:
    """Chip, spot, deal and war by keys; the choice has the focus and everything is told."""
    page = visit(open_own(player, "online", Cards("=", ">")), who=player)
    betting(page)
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
    table, _, _ = after.partition("\n\n")
    drawn = re.findall(r"^\| `web/js/([\w/-]+\.js)` \|", table, re.MULTILINE)
    page = visit(open_own(player, "online"), who=player)
    own = betting(page)
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
        page.keyboard.press("Escape")
        expect(page.locator('[data-action="sit"]')).to_be_focused()


def test_wagers_are_undone_doubled_cleared_and_repeated(visit: Visit, player: Client) -> None:
    """Each command changes the felt as it says, and undo brings back what was before."""
    page = visit(open_own(player, "online", Cards(">>")), who=player)
    betting(page).click()
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
    betting(page)
    page.locator("#amount").fill("250")
    spot(page, 2).click()
    refusal = page.locator('wt-box[data-box="2"] [data-refusal=insufficient]')
    expect(refusal).to_contain_text("You have $200 at the table")
    expect_amount(spot(page, 2), 0)


def test_what_was_missed_is_shown_after_a_lost_connection(
    visit: Visit, player: Client, allowed: list[str]
) -> None:
    """A war that is fought while the connection is away is told in money; nothing is sent later."""
    allowed.append("/nowhere")
    address = open_own(player, "online", Cards("=", "<"))
    page = visit(who=player)
    page.add_init_script(WATCHED)
    page.goto(address)
    betting(page).click()
    expect_amount(spot(page, 1), 500)
    page.locator("[data-action=deal]").click()
    expect(page.locator("button[data-choice=war]")).to_be_visible()
    before = place(page.locator("wt-felt"))
    page.evaluate("() => { window.lost = true; window.sockets.at(-1).close(); }")
    expect(page.locator("#connection")).to_be_visible()
    assert place(page.locator("wt-felt")) == before  # the notice moves nothing
    # Nothing can be pressed, and what a script asks for is refused now and never sent.
    expect(page.locator(".controls")).to_have_attribute("inert", "")
    page.keyboard.press("s")
    page.evaluate("() => document.querySelector('[data-choice=surrender]').click()")
    expect(page.locator("#complaint")).to_have_text("You are offline. Nothing was sent.")
    player.hello(f"online@{player.name}")
    player.must("choose", box=1, choice="war")
    player.until("bets")
    page.evaluate("() => { window.lost = false; }")
    expect(page.locator("#missed")).to_have_text("You were offline for one round: \u2212$10")
    expect(page.locator("#connection")).to_be_hidden()
    expect(page.locator(".controls")).not_to_have_attribute("inert", "")
    expect_amount(page.locator("#net"), -1_000)
    expect_amount(page.locator("#balance"), 19_000)


def test_a_choice_fits_a_phone(visit: Visit, player: Client) -> None:
    """The own box, the dealer's card and every option are in sight at once, none over another."""
    page = visit(open_own(player, "maryland", Cards("=")), who=player, size=PHONE)
    page.locator("[data-action=refuse_cut]").tap()
    betting(page).tap()
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
    aside = places["card"]["x"] + places["card"]["width"] <= places["spot"]["x"]
    assert aside or bottom["card"] <= bottom["spot"]
    assert bottom["spot"] <= places["controls"]["y"]
    assert bottom["surrender"] <= PHONE[1]
    for button in page.locator(".controls button:visible").all():
        place = button.bounding_box()
        assert place is not None
        assert min(place["width"], place["height"]) >= 44


def test_again_with_one_key_then_leave_with_a_summary(visit: Visit, player: Client) -> None:
    """Repeat and deal is one key and one button; leaving tells what the stay brought."""
    page = visit(open_own(player, "online", Cards(">"), Cards("<"), Cards(">")), who=player)
    deal = page.locator("[data-action=deal]")
    betting(page).click()
    expect(deal).to_have_text("Deal")
    deal.click()
    expect_amount(page.locator("#net"), 500)
    expect(deal).to_have_text("Repeat $5 and deal")
    page.keyboard.press("d")
    expect_amount(page.locator("#net"), -500)
    deal.click()
    expect_amount(page.locator("#net"), 500)
    page.reload()
    # What happened, and the count of the stay, outlast a reload.
    expect(page.locator("#record [data-event=result]")).to_have_count(3)
    page.locator("[data-action=leave]").click()
    page.locator("[data-answer=leave]").click()
    summary = page.locator("[data-dialog=summary]")
    expect(summary).to_contain_text("You left with $205")
    facts = summary.locator("[data-summary]")
    expect(facts).to_have_attribute("data-summary", "3")
    expect(facts).to_have_attribute("data-staked", "1500")
    expect(facts).to_have_attribute("data-net", "500")
    assert_accessible(page)
    summary.locator("[data-answer=lobby]").click()
    expect(page.locator("[data-play-now]")).to_be_visible()


def take_the_bank(page: Page) -> None:
    """Play, and leave every cut, until the bank is offered; then take it."""
    ways = ("take_bank", "refuse_cut", "surrender", "deal")
    pressed = """(ways) => {
      for (const way of ways) {
        const found = document.querySelector(`[data-action=${way}], button[data-choice=${way}]`);
        if (found === null || found.disabled || !found.checkVisibility()) continue;
        found.click();
        return way;
      }
      document.querySelector("wt-box.mine [data-spot=primary].open")?.click();
      return "";
    }"""
    until(
        lambda: page.evaluate(pressed, ways) == "take_bank",
        "the bank is not offered",
        pause=lambda: page.wait_for_timeout(50),
    )


def test_a_round_that_ended_unseen_counts(visit: Visit, hosted: Hosted, player: Client) -> None:
    """What a stay brought includes a round that was over before the page could show its end."""
    with OwnTable(hosted, player, "online", Cards(">"), Cards("<"), Cards("<")) as table:
        page = visit(f"/table?name={table.name}", who=player)
        betting(page).click()
        page.locator("[data-action=deal]").click()
        expect_amount(page.locator("#net"), 500)
        page.goto("/history")
        table.over(1)
        table.bet(1, 2_000).deal()
        page.goto(f"/table?name={table.name}")
        expect(page.locator("[data-recent] .mark")).to_have_count(2)
        page.locator("[data-action=deal]").click()
        expect_amount(page.locator("#net"), -500)
        page.locator("[data-action=leave]").click()
        page.locator("[data-answer=leave]").click()
        facts = page.locator("[data-dialog=summary] [data-summary]")
        expect(facts).to_have_attribute("data-summary", "3")
        expect(facts).to_have_attribute("data-net", "-2000")
        expect(facts).to_have_attribute("data-staked", "3000")


@pytest.mark.finding(16)
def test_a_banker_deals_and_leaves(visit: Visit, player: Client) -> None:
    """A banker deals when the bots have bet, can go after it, and reads what the bank won."""
    page = visit(open_own(player, "california"), who=player)
    status, deal = page.locator("#status"), page.locator("[data-action=deal]")
    take_the_bank(page)
    expect(status).to_have_text("You bank this round. Press Deal when the others have bet.")
    deal.click()
    expect(page.locator("#record [data-event=closed]")).not_to_have_count(0)
    take_the_bank(page)
    expect(status).to_have_text("You bank this round. Press Deal when the others have bet.")
    page.locator("[data-action=leave]").click()
    expect(page.locator("dialog")).to_contain_text("You can leave when the round is over.")
    page.locator("[data-answer=after]").click()
    expect(page.locator("[data-dialog=summary]")).to_be_visible()
    assert player.get("/me")["holds"].keys() == {"wallet"}
    page.goto("/history")
    banked = player.get("/me/rounds?outcome=banked")["rounds"]
    assert len(banked) >= 2
    for each in banked:
        line = page.locator(f'[data-round="{each["table_name"]} {each["round"]}"]')
        amount = f"${abs(each['net']) / 100:,.2f}".removesuffix(".00")
        words = f"{'won' if each['net'] > 0 else 'lost'} {amount}" if each["net"] else "broke even"
        expect(line).to_contain_text(f"Your bank {words}")
        expect(line).not_to_contain_text("Staked")


def test_a_tie_at_war_by_keyboard(visit: Visit, player: Client) -> None:
    """Where the tie wager at war has any size, T leads to its field and Enter goes to war."""
    page = visit(open_own(player, "maryland", Cards("=", ">")), who=player)
    page.locator("[data-action=refuse_cut]").click()
    betting(page).click()
    expect_amount(page.locator("wt-box.mine [data-spot=primary]"), 500)
    page.keyboard.press("d")
    expect(page.locator("button[data-choice=war]")).to_be_focused()
    page.keyboard.press("t")
    expect(page.locator("[data-war-tie]")).to_be_focused()
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    expect(page.locator("button[data-choice]:visible")).to_have_count(0)
    # The raise wins 1 to 1, the tie wager of $2 on the war loses.
    expect_amount(page.locator("#net"), 300)


def test_money_by_presets_and_enter(visit: Visit, player: Client) -> None:
    """A preset fills the amount in, and Enter brings it to the table."""
    page = visit(open_own(player, "online"), who=player)
    betting(page)
    page.locator("[data-action=cashier]").click()
    page.locator("[data-preset='5000']").click()
    expect(page.locator("#cash")).to_be_focused()
    page.keyboard.press("Enter")
    expect_amount(page.locator("#balance"), 25_000)


def test_the_first_round_is_guided(visit: Visit, player: Client) -> None:
    """The tour says what is next until the round is over, and does not come back."""
    address = open_own(player, "online", Cards(">"), Cards("<"), Cards("<"))
    page = visit(f"{address}&tour=1", who=player)
    tour = page.locator("[data-tour]")
    betting(page)
    expect(tour).to_have_attribute("data-tour", "tour.chip")
    expect(page.locator("wt-box.mine [data-spot=primary]")).to_contain_class("guided")
    assert_accessible(page)
    betting(page).click()
    expect(tour).to_have_attribute("data-tour", "tour.deal")
    page.locator("[data-action=deal]").click()
    expect(tour).to_have_attribute("data-tour", "tour.end")
    page.locator("[data-action=skip]").click()
    expect(tour).to_be_hidden()
    assert page.evaluate("() => localStorage.getItem('wartable-toured')") == "yes"
    # The last results and a streak stand above what happened.
    for _ in range(2):
        page.locator("[data-action=deal]").click()
        expect_amount(page.locator("#net"), -500)
        expect(page.locator("[data-action=deal]")).to_be_enabled()
    expect(page.locator("[data-recent] .mark")).to_have_count(3)
    expect(page.locator("[data-streak]")).to_have_attribute("data-streak", "-2")


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_tour_covers_no_spot(visit: Visit, player: Client, language: str) -> None:
    """On a phone the tour's words are below the spot that they speak of, all of it in sight."""
    address = open_own(player, "california")
    player.post("/tables/private", 201, book="online")
    page = visit("/history", who=player, size=PHONE)
    page.evaluate("(to) => localStorage.setItem('wartable-language', to)", language)
    for name in (address, f"/table?name=online@{player.name}"):
        page.goto(f"{name}&tour=1")
        if "california" in name:
            page.locator("[data-action=pass_bank]").click()
        tour = page.locator("[data-tour]")
        own = betting(page)
        expect(tour).to_have_attribute("data-tour", "tour.chip")
        assert place(own).bottom <= place(tour).top
        own.click()
        expect(tour).to_have_attribute("data-tour", "tour.deal")
        assert place(page.locator("wt-box.mine [data-spot=primary]")).bottom <= place(tour).top


@pytest.mark.parametrize("size", [(844, 390), (667, 375)], ids=["phone", "small phone"])
def test_the_tour_covers_no_box_of_a_phone_on_its_side(
    visit: Visit, player: Client, size: tuple[int, int]
) -> None:
    """There the tour's words are beside the felt, and cover neither the own box nor a button."""
    address = open_own(player, "washington", Cards("=", ">"))
    page = visit(f"{address}&tour=1", who=player, size=size)
    tour, felt = page.locator("[data-tour]"), page.locator("wt-felt")

    def beside(step: str, selector: str) -> None:
        expect(tour).to_have_attribute("data-tour", step)
        assert place(felt).right <= place(tour).left
        for each in page.locator(selector).all():
            assert place(tour).bottom <= place(each).top < place(each).bottom <= size[1]

    own = betting(page)
    beside("tour.chip", "[data-chip]")
    own.click()
    beside("tour.deal", "[data-action=deal]")
    page.locator("[data-action=deal]").click()
    beside("tour.tie", "[data-choice]")


def test_the_tour_does_not_begin_again(visit: Visit, player: Client) -> None:
    """While the cards of the first deal come, one by one, no step is told a second time."""
    address = open_own(player, "online", Cards(">"))
    page = visit(who=player, still=False)
    page.add_init_script(TOURED)
    page.goto(f"{address}&tour=1")
    betting(page).click()
    expect(page.locator("[data-tour]")).to_have_attribute("data-tour", "tour.deal")
    page.locator("[data-action=deal]").click()
    expect(page.locator("[data-tour]")).to_have_attribute("data-tour", "tour.end")
    assert page.evaluate("() => window.steps") == ["tour.chip", "tour.deal", "tour.end"]


def test_a_bot_gives_up_its_seat(visit: Visit, hosted: Hosted, player: Client) -> None:
    """Where bots have every seat, lobby and table offer one, and a person gets it by asking."""
    name = "washington 1"
    with hosted.guest() as caller:
        caller.hello(name)
        caller.must("join", amount=20_000, seat=1)
        caller.post(f"/tables/{name}/bots", count=7)
        caller.must("leave")
        until(lambda: caller.name not in caller.get(f"/tables/{name}")["state"]["guests"])
        with hosted.guest() as other:  # the seat that became free
            other.hello(name)
            other.must("join", amount=20_000, seat=1)
            lobby = visit("/", who=player)
            row = lobby.locator(f'[data-table="{name}"]')
            expect(row).to_contain_text("7 of 7 taken")
            expect(row.locator(f'[data-sit="{name}"]')).to_have_text("Sit down")
            page = visit(f"/table?name={name}", who=player)
            expect(page.locator(".seat-words")).to_contain_text("a bot will give up its seat")
            sit = page.locator('[data-action="sit"]')

            def seated() -> bool:
                # A bot that plays leaves after the round.
                if sit.is_visible() and sit.is_enabled():
                    sit.click()
                return page.locator("wt-box.mine").count() > 0

            until(seated, pause=lambda: page.wait_for_timeout(50))
            other.must("leave")
            player.post(f"/tables/{name}/bots/leave")


def test_a_spot_says_what_its_wager_wins(visit: Visit, player: Client) -> None:
    """Pointing at a spot tells condition, payment and edge; a long touch too, and bets nothing."""
    page = visit(open_own(player, "maryland"), who=player)
    page.locator("[data-action=refuse_cut]").click()
    betting(page)
    tip = page.locator("#spot-tip")
    page.locator("wt-box.mine [data-spot=tie]").hover()
    expect(tip).to_have_attribute("data-tip", "tie")
    expect(tip).to_contain_text("Wins if your card and the dealer's are equal.")
    expect(tip).to_contain_text("10 to 1")
    # 10 to 1 on a tie: 1 - 11 * 23/311.
    expect(tip).to_contain_text("House edge 18.65%")
    page.locator("wt-box.mine [data-spot=bonus_spin]").hover()
    expect(tip).to_contain_text("The wheel turns when the dealer's first card is a red 7")
    page.mouse.move(1, 1)
    expect(tip).to_be_hidden()
    own = page.locator("wt-box.mine [data-spot=primary]")
    own.dispatch_event("pointerdown", {"pointerType": "touch", "bubbles": True})
    expect(tip).to_have_attribute("data-tip", "primary")
    expect(tip).to_be_visible()
    own.dispatch_event("click")
    expect_amount(own, 0)


def test_a_tip_lies_over_no_card(visit: Visit, player: Client) -> None:
    """Reached by keys, a spot says what it wins until it is bet on or the cards come."""
    page = visit(open_own(player, "maryland"), who=player)
    page.locator("[data-action=refuse_cut]").click()
    own, tip = betting(page), page.locator("#spot-tip")
    page.keyboard.press("Tab")
    own.focus()
    expect(tip).to_have_attribute("data-tip", "primary")
    expect(tip).to_be_visible()
    page.keyboard.press("Enter")
    expect_amount(own, 500)
    expect(tip).to_be_hidden()
    page.keyboard.press("ArrowDown")
    expect(tip).to_have_attribute("data-tip", "tie")
    expect(tip).to_be_visible()
    page.keyboard.press("d")
    expect(page.locator("#record [data-event=bets_closed]")).not_to_have_count(0)
    expect(tip).to_be_hidden()


def test_only_what_the_stack_holds_is_repeated(
    visit: Visit, hosted: Hosted, player: Client
) -> None:
    """After a loss that leaves too little, no button offers the same wagers again."""
    with OwnTable(hosted, player, "online", Cards("<"), Cards(">")) as table:
        page = visit(f"/table?name={table.name}", who=player)
        # A page that opens after the round knows nothing of it.
        expect(page.locator("#dock")).to_have_attribute("data-panel", "bets")
        table.bet(1, 30_000).deal()
        deal, repeat = page.locator("[data-action=deal]"), page.locator("[data-action=repeat]")
        expect_amount(page.locator("#net"), -30_000)
        expect(repeat).to_have_text("Repeat $300")
        expect(repeat).to_be_disabled()
        expect(deal).to_have_text("Deal")
        expect(deal).to_be_disabled()
        table.must(player, "buy_in", amount=20_000)
        expect(repeat).to_be_enabled()
        expect(deal).to_have_text("Repeat $300 and deal")
        deal.click()
        expect_amount(page.locator("#net"), 30_000)


def test_a_full_table_asks_for_no_money(visit: Visit, hosted: Hosted, player: Client) -> None:
    """Where every seat is a person's, a visitor can watch, and can bring money once one is free."""
    with hosted.guest() as other:
        other.hello("online 1")
        other.must("join", amount=20_000, seat=1)
        page = visit("/table?name=online 1", who=player)
        expect(page.locator(".seat-words")).to_have_text("Every seat is taken. You can watch.")
        expect(page.locator("#buy-in")).to_be_hidden()
        expect(page.locator("[data-buy-in]:visible")).to_have_count(0)
        other.must("leave")
        expect(page.locator("#buy-in")).to_be_visible()
        expect(page.locator('[data-action="sit"]')).to_be_enabled()
