"""Maryland's wagers in the browser: who may make which, when, and what leaving does to them."""

from playwright.sync_api import Page, expect

from browser import Visit
from clauses import proves
from live_tables import Stack
from staffed_pages import (
    amount,
    box,
    card,
    choose,
    choose_amount,
    ended,
    put,
    sit,
    spot,
    told,
    wager,
    watch,
)
from staffed_tables import BUY_IN, House, beats, ties
from table_pages import called, catch_up

MD = "maryland"
BOOKS = (MD,)


def first_ties(cards: Stack) -> bool:
    """Of two boxes only the first ties."""
    return ties(cards[0], cards[2]) and not ties(cards[1], cards[2])


def none_ties(cards: Stack) -> bool:
    """Two boxes lose, and the dealer's card does not start the wheel."""
    return beats(cards[2], cards[0]) and beats(cards[2], cards[1]) and cards[2][0] != "7"


def refused(page: Page, number: int, code: str) -> None:
    """A box shows why its wager was refused."""
    expect(box(page, number).locator(".refusal")).to_have_attribute("data-refusal", code)


@proves("web", "MD-1-A-1", "MD-7-A", "MD-7-F-1", "MD-7-F-3a", "MD-7-B-2")
def test_web_MD_7_A_wagers_on_their_spots(house: House, visit: Visit) -> None:
    """Chips go on spots of the layout, the Initial Wager first, and never beyond one's money."""
    with house.table(MD, 1, 2) as table:
        table.open(lambda cards: beats(cards[0], cards[1]))
        table.start()
        page = sit(visit, table)
        for kind in ("tie", "progressive", "bonus_spin"):
            choose_amount(page, 500)
            spot(page, 1, kind).click()
            refused(page, 1, "primary_required")
            expect(spot(page, 1, kind)).to_have_attribute("data-amount", "0")
        choose_amount(page, BUY_IN + 100)
        spot(page, 1).click()
        refused(page, 1, "insufficient")
        amount(page, "balance", BUY_IN)
        # Nothing can be said: the only field to write in takes an amount.
        expect(page.locator("textarea, [contenteditable], form")).to_have_count(0)
        expect(page.locator('input:not([type="checkbox"]):visible')).to_have_count(1)
        page.locator("#amount").fill("twenty")
        expect(page.locator("#amount")).to_have_attribute("aria-invalid", "true")
        page.locator('[data-chip="2500"]').click()
        spot(page, 1).click()
        expect(wager(page, 1)).to_have_attribute("data-staked", "2500")
        expect(spot(page, 1)).to_have_accessible_name("Box 1, Initial Wager; you $25")
        put(page, 1, 60, "tie")
        put(page, 1, 500, "progressive")
        amount(page, "balance", BUY_IN - 2_500 - 60 - 500)
        amount(page, "at-stake", 3_060)
        table.dealt()
        # Who made no Initial Wager has no card and no part in the round.
        expect(card(page, 1)).to_be_visible()
        expect(box(page, 2).locator("[data-card]")).to_have_count(0)
        expect(box(page, 2).locator(".result")).to_be_hidden()


@proves("web", "MD-7-B-1")
def test_web_MD_7_B_1_only_who_is_seated(house: House, visit: Visit) -> None:
    """Who looks on can bet nowhere and is offered a seat, but no place behind one."""
    with house.table(MD, 1) as table:
        table.open()
        table.start()
        page = visit(who=house.guests[1])
        watch(page, table)
        expect(page.locator("#dock")).to_have_attribute("data-panel", "seat")
        expect(page.locator('[data-action="stand"]')).to_be_hidden()
        expect(page.locator('[data-action="sit"]')).to_be_visible()
        expect(page.locator(".spot.open")).to_have_count(0)
        expect(page.locator("[data-chip]:visible")).to_have_count(0)
        spot(page, 1).click()
        expect(page.locator('[data-dialog="receipt"]')).to_contain_text("There is no wager here.")
        page.keyboard.press("Escape")
        assert table.state()["round"]["hands"] == []
        box(page, 2).locator("[data-sit]").click()
        expect(box(page, 2)).to_have_attribute("data-seated", house.guests[1].name)
        put(page, 2, 500)
        hands = table.state()["round"]["hands"]
        assert [(each["player"], each["box"]) for each in hands] == [(house.guests[1].name, 2)]


@proves("web", "MD-2-B-7a", "MD-2-B-7b", "MD-2-C", "MD-2-C-1", "MD-2-C-2", "MD-7-C", "MD-7-D")
@proves("web", "MD-7-F-3b", "MD-8-C", "MD-8-D", "MD-8-D-1a", "MD-1-A-1")
def test_web_MD_8_D_no_more_bets(house: House, visit: Visit) -> None:
    """Lamps show what was accepted; at no more bets nothing is made, increased or withdrawn."""
    with house.table(MD, 1, 2) as table:
        table.open(none_ties)
        table.start()
        page = sit(visit, table)
        put(page, 1, 1_000)
        for kind in ("progressive", "bonus_spin"):
            device = spot(page, 1, kind)
            expect(device).to_have_attribute("data-lamp", "off")
            name = device.get_attribute("aria-label") or ""
            assert name.endswith("empty; not accepted")
            put(page, 1, 500, kind)
            expect(device).to_have_attribute("data-lamp", "on")
            assert (device.get_attribute("aria-label") or "").endswith("you $5; accepted")
        lit = page.locator('[data-lamp="on"]')
        expect(lit).to_have_count(2)
        # Until no more bets a side bet may be taken back.
        spot(page, 1, "progressive").focus()
        page.keyboard.press("Backspace")
        expect(spot(page, 1, "progressive")).to_have_attribute("data-lamp", "off")
        amount(page, "balance", BUY_IN - 1_500)
        put(page, 1, 500, "progressive")
        table.bet(table.players[1], 2, 300)
        expect(page.locator(".spot.open")).not_to_have_count(0)
        meters = page.locator("wt-meter")
        expect(meters).to_have_text(["Progressive$10,000", "Primary jackpot$10,000",
                                     "Secondary jackpot$5,000"])  # fmt: skip  # the meters
        table.must(table.dealer, "close_bets")
        expect(page.locator("#status")).to_have_text(
            "No more bets. The side bets are being counted."
        )
        assert told(page, "bets_closed", "dealt") == ["No more bets."]
        expect(page.locator("#announcement")).to_contain_text("No more bets.")
        expect(page.locator(".spot.open")).to_have_count(0)
        for number, kind in ((1, "primary"), (1, "tie"), (1, "progressive"), (2, "bonus_spin")):
            spot(page, number, kind).click()
            page.locator('[data-dialog="receipt"]').wait_for()
            page.keyboard.press("Escape")
            spot(page, number, kind).focus()
            page.keyboard.press("Backspace")
        amount(page, "balance", BUY_IN - 2_000)
        table.must(table.dealer, "count_side_bets", progressive=1, bonus_spin=1)
        # Three percent of $5, and one percent for each jackpot.
        expect(meters).to_have_text(["Progressive$10,000.15", "Primary jackpot$10,000.05",
                                     "Secondary jackpot$5,000.05"])  # fmt: skip  # the meters
        table.proceed()
        amount(page, "net", -2_000)
        amount(page, "balance", BUY_IN - 2_000)
        assert [each["amount"] for each in table.told("placed")] == [1_000, 500, 500, 500, 300]
        kinds = ("bets_closed", "side_bets_counted", "dealt")
        assert told(page, *kinds)[:2] == ["No more bets.", "The side bets are counted."]
        assert len(told(page, *kinds)) == 5


@proves("web", "MD-2-B-7b", "MD-2-C-2", "MD-7-D")
def test_web_MD_2_C_2_a_late_wager(house: House, visit: Visit) -> None:
    """A wager that the page sends too late is not recognised: it says so and charges nothing."""
    with house.table(MD, 1) as table:
        table.open(lambda cards: not ties(cards[0], cards[1]))
        table.start()
        page = visit(who=table.players[0])
        late = page.evaluate_handle  # the page's word for its held-back messages, below
        page.add_init_script(HOLD_BACK)
        watch(page, table)
        put(page, 1, 1_000)
        late("window.holdBack = true")
        for kind in ("progressive", "bonus_spin"):
            spot(page, 1, kind).click()
        page.wait_for_function("window.heldBack.length === 2")
        table.must(table.dealer, "close_bets")
        expect(page.locator("#status")).to_contain_text("No more bets.")
        late("window.letGo()")
        refused(page, 1, "bets_closed")
        for kind in ("progressive", "bonus_spin"):
            expect(spot(page, 1, kind)).to_have_attribute("data-lamp", "off")
        amount(page, "balance", BUY_IN - 1_000)


HOLD_BACK = """
  window.heldBack = [];
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (message) {
    if (window.holdBack) window.heldBack.push(() => send.call(this, message));
    else send.call(this, message);
  };
  window.letGo = () => {
    window.holdBack = false;
    for (const each of window.heldBack) each();
  };
"""


@proves("web", "MD-7-F-4", "MD-7-F-3a")
def test_web_MD_7_F_4_what_side_bets_take(house: House, visit: Visit) -> None:
    """A side bet is $1 or $5 and nothing else, whatever chip is chosen."""
    with house.table(MD, 1) as table:
        table.open()
        table.start()
        page = sit(visit, table)
        put(page, 1, 1_000)
        for chip, taken in (("100", "100"), ("500", "500"), ("2500", "500"), ("10000", "500")):
            for kind in ("progressive", "bonus_spin"):
                page.locator(f'[data-chip="{chip}"]').click()
                spot(page, 1, kind).click()
                expect(wager(page, 1, kind)).to_have_attribute("data-staked", taken)
                spot(page, 1, kind).focus()
                page.keyboard.press("Backspace")
                expect(wager(page, 1, kind)).to_have_count(0)
        put(page, 1, 100, "bonus_spin")
        choose_amount(page, 500)
        spot(page, 1, "bonus_spin").click()
        refused(page, 1, "already_placed")
        expect(wager(page, 1, "bonus_spin")).to_have_attribute("data-staked", "100")


@proves("web", "MD-7-E")
def test_web_MD_7_E_adjacent_boxes(house: House, visit: Visit) -> None:
    """As many boxes as the operator allows take a player's wagers, and they lie side by side."""
    with house.table(MD, 3, settings={"table.boxes_per_player": 2}) as table:
        table.open()
        table.start()
        page = sit(visit, table)
        put(page, 3, 500)
        expect(spot(page, 4)).to_have_class("spot primary open")
        expect(spot(page, 5)).to_have_class("spot primary")
        spot(page, 5).click()
        refused(page, 5, "not_adjacent")
        put(page, 4, 500)
        expect(spot(page, 2)).to_have_class("spot primary")
        spot(page, 2).click()
        refused(page, 2, "too_many_boxes")
        amount(page, "at-stake", 1_000)


@proves("web", "MD-1-A-4", "MD-1-A-6", "MD-7-D", "MD-7-F-2", "MD-9-E", "MD-9-E-2", "MD-9-G")
def test_web_MD_1_A_6_the_war_wager(house: House, visit: Visit) -> None:
    """A tie asks once for War or surrender; War puts the very same amount, and a tie wager."""
    with house.table(MD, 1, 2) as table:
        table.open(lambda c: ties(c[0], c[2]) and ties(c[1], c[2]) and not ties(c[6], c[8]))
        table.start()
        page = sit(visit, table)
        put(page, 1, 1_235)
        table.bet(table.players[1], 2, 500)
        expect(page.locator("button[data-choice]")).to_have_count(0)
        table.dealt()
        expect(page.locator("#dock")).to_have_attribute("data-panel", "choice")
        options = page.locator("button[data-choice]")
        expect(options).to_have_count(2)
        expect(options.nth(0)).to_contain_text("Puts $12.35 more at stake (War Wager)")
        # Only the tie wager of the War deal has a size to choose.
        expect(page.locator("#dock input:visible")).to_have_count(1)
        expect(page.locator("[data-war-tie]")).to_be_visible()
        # The price follows what is typed: at a tie 2 x 12.35 and 10 x 0.77.
        page.locator("[data-war-tie]").fill("0.77")
        expect(options.nth(0)).to_contain_text("Puts $13.12 more at stake: War Wager and")
        expect(options.nth(0)).to_contain_text("Win +$11.58, tie +$32.40, lose \u2212$25.47.")
        page.locator("[data-war-tie]").fill("")
        expect(options.nth(0)).to_contain_text("Win +$12.35, tie +$24.70, lose \u2212$24.70.")
        choose(page, 1, "war", war_tie=77)
        expect(wager(page, 1, "war")).to_have_attribute("data-staked", "1235")
        expect(wager(page, 1, "war_tie")).to_have_attribute("data-staked", "77")
        amount(page, "balance", BUY_IN - 1_235 - 1_235 - 77)
        # One answer, and then the others': no card before every War Wager is there.
        expect(page.locator("button[data-choice]:visible")).to_have_count(0)
        expect(page.locator("#status")).to_contain_text(f"{called(table.players[1])} has a tie")
        expect(page.locator("[data-burned]")).to_have_attribute("data-burned", "0")
        expect(page.locator('[data-deal="war"]')).to_have_count(0)
        table.choose(table.players[1], 2, "war")
        expect(page.locator('[data-deal="war"]')).to_have_count(0)
        table.proceed()
        expect(page.locator('[data-deal="war"]')).to_have_count(3)
        ended(page, 1, "war_tie", "lost", 0)
        # The original deal asked once; the War deal asks nobody.
        assert len(told(page, "chosen")) == 2


@proves("web", "MD-1-A-4")
def test_web_MD_1_A_4_no_war_without_a_tie(house: House, visit: Visit) -> None:
    """Where the cards differ nobody is asked, and the round is over."""
    with house.table(MD, 1, 2) as table:
        table.open(lambda cards: beats(cards[1], cards[0]))
        table.start()
        page = sit(visit, table)
        put(page, 1, 500)
        table.dealt()
        amount(page, "net", -500)
        expect(page.locator("button[data-choice]:visible")).to_have_count(0)
        assert told(page, "chosen") == []


@proves("web", "MD-7-B-3", "MD-7-B-4")
def test_web_MD_7_B_3_leaving(house: House, visit: Visit) -> None:
    """Leaving during a round warns of what is lost, waits for its end, and loses what is open."""
    with house.table(MD, 1, 2) as table:
        table.open(lambda c: first_ties(c) and c[0] != c[2])
        table.start()
        page = sit(visit, table)
        put(page, 1, 1_000)
        put(page, 1, 60, "tie")
        table.bet(table.players[1], 2, 100)
        table.dealt()
        ended(page, 1, "tie", "won", 660)
        page.locator('[data-action="leave"]').click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("You have $10 at stake in this round.")
        expect(dialog).to_contain_text("Wagers that are not decided yet are lost.")
        expect(dialog).to_contain_text("You leave the table when the round is over")
        page.keyboard.press("Escape")
        expect(page.locator("#dock")).to_have_attribute("data-panel", "choice")
        assert not table.told("left")
        page.locator('[data-action="leave"]').click()
        page.locator('[data-answer="leave"]').click()
        # The tie wager was settled before and stays won: 10 to 1 on 60 cents.
        expect(page.locator("#dock")).to_have_attribute("data-panel", "seat")
        said = told(page, "left", "settled", "closed", "departed")
        assert said[-4:] == [
            "Box 1: your Initial Wager lost (abandoned).",
            "You leave during the round.",
            "The round is over.",
            f"You leave the table with ${(BUY_IN - 1_000 + 600) / 100:.0f}.",
        ]


@proves("web", "MD-7-B-3")
def test_web_MD_7_B_3_the_seat_is_kept_until_the_end(house: House, visit: Visit) -> None:
    """Who leaves while the others play on keeps the seat, marked, until the round is over."""
    with house.table(MD, 1, 2, options={"abandoned": "play_on"}) as table:
        table.open(lambda c: ties(c[1], c[2]) and not ties(c[0], c[2]))
        table.start()
        page = sit(visit, table)
        put(page, 1, 1_000)
        table.bet(table.players[1], 2, 100)
        table.must(table.dealer, "close_bets")
        catch_up(page)
        page.locator('[data-action="leave"]').click()
        expect(page.get_by_role("dialog")).to_contain_text("Your wagers stay in play without you")
        page.locator('[data-answer="leave"]').click()
        expect(box(page, 1)).to_contain_text("leaving")
        expect(page.locator('[data-action="leave"]')).to_be_disabled()
        expect(box(page, 1)).to_have_attribute("data-seated", table.players[0].name)
        table.proceed()
        expect(box(page, 1)).to_have_attribute("data-seated", table.players[0].name)
        table.choose(table.players[1], 2, "surrender")
        expect(box(page, 1)).not_to_have_attribute("data-seated", table.players[0].name)
        assert told(page, "closed", "departed")[0] == "The round is over."


@proves("web", "MD-7-B-4")
def test_web_MD_7_B_4_a_lost_line_loses_nothing(house: House, visit: Visit) -> None:
    """Who loses the connection in the middle of a tie comes back to the same choice."""
    with house.table(MD, 1) as table:
        table.open(lambda cards: ties(cards[0], cards[1]))
        table.start()
        page = sit(visit, table)
        put(page, 1, 1_000)
        table.dealt()
        expect(page.locator("#dock")).to_have_attribute("data-panel", "choice")
        page.context.close()
        page = sit(visit, table)
        choose(page, 1, "surrender")
        ended(page, 1, "primary", "surrendered", 500)
        amount(page, "net", -500)
