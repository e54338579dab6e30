"""Maryland's round in the browser: the deal, its settlement, surrender, War, cards and money."""

import pytest
from playwright.sync_api import Page, expect

from browser import Visit
from clauses import proves
from live_tables import Stack
from staffed_pages import amount, box, card, choose, ended, middle, place, put, sit, told, wager
from staffed_tables import BUY_IN, House, all_tie, ties, war_of_two, win_lose_win

MD = "maryland"
BOOKS = (MD,)


def held(page: Page, holder: str) -> int:
    """How many cards the `shoe` or the `rack` shows."""
    return int(page.locator(f"[data-{holder}]").get_attribute(f"data-{holder}") or "")


def over(page: Page) -> None:
    """Wait until the list says that the round is over."""
    expect(page.locator('#record [data-event="closed"]')).to_have_count(1)


def settled_boxes(page: Page) -> list[str]:
    """The boxes of the list's settlements, in their order, each once for its run of lines."""
    boxes = [line.split(":")[0] for line in told(page, "settled")]
    return [each for place, each in enumerate(boxes) if place == 0 or boxes[place - 1] != each]


@proves("web", "MD-8-A", "MD-8-C", "MD-8-E-1", "MD-8-F", "MD-8-F-1", "MD-8-F-2", "MD-3-A-1")
@proves("web", "MD-9-A", "MD-9-D", "MD-10-A-1")
def test_web_MD_8_F_the_original_deal(house: House, visit: Visit) -> None:
    """Cards come from the shoe, clockwise and face up; settled counterclockwise, 1 to 1."""
    with house.table(MD, 1, 2, 3) as table:
        page = sit(visit, table)
        table.open(win_lose_win)
        # A new shoe of 312 cards has its first card burned unseen.
        expect(page.locator("[data-rack]")).to_have_attribute("data-rack", "1")
        assert held(page, "shoe") == 311
        assert told(page, "card_burned") == ["A card is burned unseen."]
        assert "??" not in page.locator("wt-felt").inner_text()
        table.start()
        put(page, 1, 1_000)
        table.bet(table.players[1], 2, 2_000).bet(table.players[2], 3, 500)
        table.must(table.dealer, "close_bets")
        expect(page.locator("#status")).to_have_text("No more bets. The cards are being dealt.")
        expect(page.locator('[data-round="current"] [data-card]')).to_have_count(0)
        for number, left in ((1, 310), (2, 309), (3, 308), (0, 307)):
            expect(card(page, number)).to_have_count(0)
            table.must(table.dealer, "proceed", steps=1)
            expect(card(page, number)).to_be_visible()
            expect(card(page, number)).not_to_have_attribute("data-card", "??")
            expect(page.locator("[data-shoe]")).to_have_attribute("data-shoe", str(left))
        dealt = told(page, "bets_closed", "dealt")
        assert [line.partition(":")[0] for line in dealt] == [
            "No more bets.", "Box 1", "Box 2", "Box 3", "The dealer",
        ]  # fmt: skip  # the deal in one line
        assert middle(card(page, 1)) > middle(card(page, 2)) > middle(card(page, 3))
        expect(page.locator('wt-felt [data-deal="original"]')).to_have_count(4)
        expect(page.locator('wt-felt [data-deal="war"]')).to_have_count(0)
        for number in range(4, 10):
            expect(box(page, number).locator("[data-card]")).to_have_count(0)
        if table.what() == "proceed":
            table.proceed()
        over(page)
        assert settled_boxes(page) == ["Box 3", "Box 2", "Box 1"]
        ended(page, 1, "primary", "won", 2_000)
        ended(page, 2, "primary", "lost", 0)
        ended(page, 3, "primary", "won", 1_000)
        amount(page, "net", 1_000)
        amount(page, "balance", BUY_IN + 1_000)
        expect(page.locator("[data-rack]")).to_have_attribute("data-rack", "5")
        backs = page.locator("[data-back]").evaluate_all("(all) => all.map((e) => e.dataset.back)")
        assert set(backs) == {"red"}


@proves("web", "MD-8-I")
def test_web_MD_8_I_cards_are_off_limits(house: House, visit: Visit) -> None:
    """Nothing that a player does to a card is a command, and no card can be moved or focused."""
    with house.table(MD, 1) as table:
        page = visit(who=table.players[0])
        sent: list[str] = []
        page.on("websocket", lambda line: line.on("framesent", lambda text: sent.append(str(text))))
        page.goto(f"/table?name={table.name}")
        table.open(lambda cards: ties(cards[0], cards[1]))
        table.start()
        table.bet(table.players[0], 1, 1_000)
        table.dealt()
        expect(page.locator("#dock")).to_have_attribute("data-panel", "choice")
        before = len(sent)
        assert before
        shown = {each: card(page, each).get_attribute("data-card") for each in (0, 1)}
        for each in (card(page, 1), card(page, 0)):
            each.click()
            each.dblclick()
            each.click(button="right")
        card(page, 1).drag_to(card(page, 0))
        touchable = "button, a, input, [tabindex], [draggable=true], [contenteditable]"
        inside = page.locator("wt-card").locator(touchable)
        expect(inside).to_have_count(0)
        around = page.locator("wt-felt :is(button, a, [tabindex], [draggable=true]) wt-card")
        expect(around).to_have_count(0)
        choose(page, 1, "surrender")
        # After all of that only the choice went up.
        commands = [text for text in sent[before:] if '"choose"' in text]
        assert len(commands) == 1
        assert not [text for text in sent[before:] if "card" in text]
        assert shown == {each: card(page, each).get_attribute("data-card") for each in (0, 1)}


@proves("web", "MD-9-B-3", "MD-9-E", "MD-9-E-1", "MD-9-E-1a", "MD-9-E-1b", "MD-9-F", "MD-9-G")
@proves("web", "MD-9-G-1", "MD-10-A-2", "MD-9-D")
def test_web_MD_9_E_ties_and_surrenders(house: House, visit: Visit) -> None:
    """Ties choose; a surrender takes half, rounded down, and its card; who wars keeps the cards."""
    with house.table(MD, 1, 2, 3) as table:
        ann, _, cat = table.players
        table.open(all_tie)
        table.start()
        page = sit(visit, table, index=1)
        put(page, 2, 1_001)
        put(page, 2, 60, "tie")
        table.bet(ann, 1, 1_000).bet(cat, 3, 500)
        table.dealt()
        # 10 to 1 on 60 cents, while the Initial Wager waits for the choice.
        ended(page, 2, "tie", "won", 660)
        expect(wager(page, 2)).not_to_have_attribute("data-outcome", "")
        expect(wager(page, 2)).to_have_attribute("data-staked", "1001")
        expect(page.locator("#dock")).to_have_attribute("data-panel", "choice")
        expect(page.locator("#status")).to_contain_text("ties the dealer: war or surrender?")
        expect(page.locator('[data-choice="surrender"]')).to_contain_text(
            "You get $5.01 back and lose $5"
        )
        amount(page, "balance", BUY_IN - 1_061 + 660)
        table.choose(cat, 3, "surrender")
        table.choose(ann, 1, "war")
        # The round waits for every tied box.
        expect(box(page, 3)).to_have_attribute("data-choice-made", "surrender")
        expect(page.locator("[data-burned]")).to_have_attribute("data-burned", "0")
        expect(card(page, 1, "war")).to_have_count(0)
        expect(page.locator("button[data-choice]:visible")).to_have_count(2)
        choose(page, 2, "surrender")
        ended(page, 2, "primary", "surrendered", 501)
        ended(page, 3, "primary", "surrendered", 250)
        amount(page, "balance", BUY_IN - 1_061 + 660 + 501)
        # $6 of the tie wager less half of the Initial Wager, rounded down.
        amount(page, "net", 600 - 500)
        for number in (2, 3):
            expect(card(page, number)).to_have_count(0)
        expect(page.locator("[data-rack]")).to_have_attribute("data-rack", "3")
        originals = [card(page, number).get_attribute("data-card") for number in (0, 1)]
        table.must(table.dealer, "proceed", steps=4)
        expect(card(page, 1, "war")).to_be_visible()
        for number, original in zip((0, 1), originals, strict=True):
            expect(card(page, number)).to_be_visible()
            expect(card(page, number)).to_have_attribute("data-card", original or "")
        expect(box(page, 2).locator("wt-stack[data-wager=war]")).to_have_count(0)
        table.proceed()
        expect(card(page, 2, "war")).to_have_count(0)
        amount(page, "net", 100)
        page.locator("#net").click()
        receipt = page.locator('[data-receipt="2"]')
        expect(receipt).to_contain_text("surrendered, half returned")
        expect(receipt).to_contain_text("MD-9-E-1a")
        expect(receipt.locator("[data-wager=primary]")).to_have_attribute("data-returned", "501")


@pytest.mark.finding(16)
@proves("web", "MD-9-H", "MD-9-H-1", "MD-9-H-2", "MD-9-I", "MD-9-J-1", "MD-10-A-3", "MD-10-A-2")
@proves("web", "MD-9-E-2", "MD-9-F", "MD-9-J-2", "MD-9-G-1", "MD-10-B-6", "MD-7-F-2")
def test_web_MD_9_H_the_war(house: House, visit: Visit) -> None:
    """Three hidden burns, war cards beside the first ones clockwise, settled the other way."""
    with house.table(MD, 1, 2, 3) as table:
        _, bob, cat = table.players
        table.open(war_of_two)
        table.start()
        page = sit(visit, table)
        put(page, 1, 1_000)
        put(page, 1, 500, "progressive")
        for player, number in ((bob, 2), (cat, 3)):
            table.bet(player, number, 1_000).bet(player, number, 500, "progressive")
        table.dealt()
        # Box 2 lost outright; as a progressive bettor's its card stays until the choices are made.
        ended(page, 2, "primary", "lost", 0)
        ended(page, 2, "progressive", "lost", 0)
        expect(card(page, 2)).to_be_visible()
        choose(page, 1, "war", war_tie=40)
        expect(wager(page, 1, "war")).to_have_attribute("data-staked", "1000")
        expect(box(page, 1).locator(".pot")).to_be_hidden()  # the document has none
        table.choose(cat, 3, "war", war_tie=40)
        expect(card(page, 2)).to_have_count(0)
        burned = page.locator("[data-burned]")
        for count in (1, 2, 3):
            table.must(table.dealer, "proceed", steps=1)
            expect(burned).to_have_attribute("data-burned", str(count))
        expect(burned.locator('[data-card="??"]')).to_have_count(3)
        expect(page.locator('[data-deal="war"]')).to_have_count(0)
        for number in (1, 3, 0):
            table.must(table.dealer, "proceed", steps=1)
            expect(card(page, number, "war")).to_be_visible()
            if number:
                expect(card(page, 0, "war")).to_have_count(0)
        expect(card(page, 2, "war")).to_have_count(0)
        for number in (0, 1, 3):
            beside(page, number)
        if table.what() == "proceed":
            table.proceed()
        over(page)
        dealt = [line.partition(":")[0] for line in told(page, "burned", "dealt")]
        assert dealt == ["Box 1", "Box 2", "Box 3", "The dealer", *["A card is burned."] * 3,
                         "Box 1", "Box 3", "The dealer"]  # fmt: skip  # the deals in order
        assert settled_boxes(page) == ["Box 2", "Box 3", "Box 1"]
        # War won: 1 to 1 on the War Wager, the Initial Wager back; the progressive tie 5 to 1.
        ended(page, 1, "primary", "war_won", 1_000)
        ended(page, 1, "war", "war_won", 2_000)
        ended(page, 1, "war_tie", "lost", 0)
        ended(page, 1, "progressive", "tie", 3_000)
        ended(page, 3, "primary", "war_lost", 0)
        ended(page, 3, "war", "war_lost", 0)
        ended(page, 3, "progressive", "tie", 3_000)
        amount(page, "net", 1_000 - 40 + 2_500)
        amount(page, "balance", BUY_IN + 3_460)


def beside(page: Page, number: int) -> None:
    """The war card lies next to the first one: on the same line, neither above nor far off."""
    first, war = place(card(page, number)), place(card(page, number, "war"))
    assert abs(first["y"] - war["y"]) < first["height"] / 2
    apart = abs(first["x"] - war["x"])
    assert first["width"] / 4 < apart < 2 * first["width"]


@proves("web", "MD-10-A-4", "MD-10-A-2", "MD-9-J-1", "MD-7-F-2")
def test_web_MD_10_A_4_a_war_that_ties(house: House, visit: Visit) -> None:
    """A War deal that ties pays 2 to 1 on the War Wager and 10 to 1 on the tie wager."""
    with house.table(MD, 1) as table:
        table.open(lambda cards: ties(cards[0], cards[1]) and ties(cards[5], cards[6]))
        table.start()
        page = sit(visit, table)
        put(page, 1, 1_000)
        put(page, 1, 200, "tie")
        table.dealt()
        expect(page.locator('[data-choice="war"]')).to_contain_text("Win +$10, tie +$20, lose")
        choose(page, 1, "war", war_tie=300)
        table.proceed()
        ended(page, 1, "primary", "war_tied", 1_000)
        ended(page, 1, "war", "war_tied", 3_000)
        ended(page, 1, "tie", "won", 2_200)
        ended(page, 1, "war_tie", "won", 3_300)
        amount(page, "net", 2_000 + 2_000 + 3_000)
        page.locator("#net").click()
        receipt = page.locator('[data-receipt="1"]')
        expect(receipt).to_contain_text("war tied, paid 2 to 1")
        expect(receipt).to_contain_text("MD-10-A-4")
        expect(receipt.locator("caption")).to_contain_text("net +$70")


@proves("web", "MD-9-H", "MD-9-H-2")
def test_web_MD_9_H_2_burns_before_each_card_by_setting(house: House, visit: Visit) -> None:
    """Three cards are burned before every war card only where the table is so set."""
    with house.table(MD, 1, options={"war_burn": "each_card"}) as table:
        page = sit(visit, table)
        table.play(lambda cards: ties(cards[0], cards[1]), {"primary": 100})
        choose(page, 1, "war")
        table.proceed()
        expect(page.locator('[data-deal="war"]')).to_have_count(2)
        lines = [line.partition(":")[0] for line in told(page, "burned", "dealt")]
        burns = ["A card is burned."] * 3
        assert lines == ["Box 1", "The dealer", *burns, "Box 1", *burns, "The dealer"]


@proves("web", "MD-9-E-1")
def test_web_MD_9_E_1_a_surrender_keeps_the_progressive(house: House, visit: Visit) -> None:
    """Who surrenders has no part in the War, but the progressive hand that was made pays."""
    with house.table(MD, 1, 2) as table:
        page = sit(visit, table)
        table.play(
            lambda cards: ties(cards[0], cards[2]) and ties(cards[1], cards[2])
            and cards[2] != cards[0],
            {"primary": 1_000, "progressive": 500},
            {"primary": 1_000},
        )  # fmt: skip  # the cards in one piece
        choose(page, 1, "surrender")
        table.choose(table.players[1], 2, "war")
        table.proceed()
        ended(page, 1, "primary", "surrendered", 500)
        expect(card(page, 2, "war")).to_be_visible()
        expect(card(page, 1, "war")).to_have_count(0)
        ended(page, 1, "progressive", "tie", 3_000)
        amount(page, "net", -500 + 2_500)


@proves("web", "MD-8-G", "MD-3-A-2", "MD-2-F")
def test_web_MD_8_G_the_cover_card(house: House, visit: Visit) -> None:
    """The cover card is set aside in sight, the hand is completed, then the shoe is over."""
    with house.table(MD, 1, 2, 3, settings={"shoe.cover_from_bottom": "302/312"}) as table:
        page = sit(visit, table)
        bets = [{"primary": 100}] * 3

        def no_ties(cards: Stack) -> bool:
            """Three rounds of three boxes end without a tie."""
            rounds = (cards[0:4], cards[4:8], cards[8:12])
            return not any(ties(each, dealer) for *boxes, dealer in rounds for each in boxes)

        for _ in range(2):
            table.play(no_ties, *bets)
        expect(page.locator("[data-rack]")).to_have_attribute("data-rack", str(1 + 8))
        cover = page.locator(".cover-card")
        expect(cover).to_be_hidden()
        table.start()
        table.place(*bets)
        table.must(table.dealer, "close_bets")
        table.must(table.dealer, "proceed", steps=2)
        # It lies where the second box's card came: ten cards are before it in the shoe.
        expect(cover).to_be_visible()
        expect(cover).to_have_attribute("data-cover", "2")
        table.proceed()
        events = told(page, "cover_card_out", "dealt", "closed", "shoe_ended")[-7:]
        assert [line.partition(":")[0] for line in events] == [
            "Box 1", "The cover card is out", "Box 2", "Box 3", "The dealer",
            "The round is over.", "The shoe has ended",
        ]  # fmt: skip  # the round in order
        # It never counts as a card.
        expect(page.locator('[data-deal="original"]')).to_have_count(4)
        expect(page.locator("[data-shoe]")).to_have_attribute("data-shoe", "0")
