"""New Zealand's clauses in a real browser: boxes and who shares them, the opening of the cards."""

import pytest
from playwright.sync_api import expect

from browser import Visit
from clauses import proves
from staffed_tables import House
from table_pages import at, called, place

NZ = "new-zealand"
BOOKS = (NZ,)
GUESTS = 4


@proves("web", "NZ-5.7")
def test_web_NZ_5_7_one_box_only(house: House, visit: Visit) -> None:
    """Where the operator allows one box, a second is not open and is refused."""
    with house.table(NZ, 1, settings={"table.boxes_per_player": 1}) as table:
        felt = at(visit, table.name, table.players[0])
        table.open()
        table.start()
        felt.bet(1, 100)
        expect(felt.felt.locator('wt-box:not([data-box="1"]) .open')).to_have_count(0)
        felt.refuses(2, 100, "primary", "too_many_boxes")


@proves("web", "NZ-5.7", "NZ-5.7b", "NZ-5.8")
def test_web_NZ_5_8_how_many_boxes(house: House, visit: Visit) -> None:
    """More boxes each need the minimum; the floor's number stands on the sign and holds at once."""
    with house.table(NZ, 1, settings={"limits.primary.min": 500}) as table:
        felt = at(visit, table.name, table.players[0])
        table.open()
        table.start()
        felt.bet(1, 5_000)
        felt.refuses(2, 400, "primary", "limit")
        felt.bet(2, 500)
        sign = felt.felt.locator('[data-limit="boxes_per_player"]')
        expect(sign).to_have_count(0)
        table.must(table.floor, "restrict", limit="boxes_per_player", value=2)
        expect(sign).to_have_text("Boxes per player 2")
        expect(felt.spot(3)).not_to_contain_class("open")
        felt.refuses(3, 500, "primary", "too_many_boxes")
        table.must(table.floor, "restrict", limit="boxes_per_player", value=3)
        expect(sign).to_have_text("Boxes per player 3")
        felt.bet(3, 500)


@proves("web", "NZ-5.9-1", "NZ-5.11a")
def test_web_NZ_5_9_three_on_one_box(house: House, visit: Visit) -> None:
    """Up to three wager on a box, the seated one's chips nearest the dealer; no fourth."""
    with house.table(NZ, None, 1, None, None) as table:
        standing, seated, third, fourth = table.players
        table.open()
        pages = {who.name: at(visit, table.name, who) for who in table.players}
        table.start()
        for who in (standing, third, seated):
            pages[who.name].bet(1, 100)
        for page in pages.values():
            lying = page.box(1).locator('wt-stack[data-wager="primary"]')
            expect(lying).to_have_count(3)
            line = [(place(each).top, each.get_attribute("data-player")) for each in lying.all()]
            assert [name for _, name in sorted(line)] == [
                seated.name,
                standing.name,
                third.name,
            ], "from the dealer's side down"
        pages[fourth.name].refuses(1, 100, "primary", "box_full")
        expect(pages[fourth.name].spot(1)).to_have_attribute("data-amount", "300")


@proves("web", "NZ-5.10-1", "NZ-5.10-2", "NZ-5.10-3")
def test_web_NZ_5_10_maxima_are_on_the_sign(house: House, visit: Visit) -> None:
    """A maximum for a box or a named player stands at the table for all, and binds."""
    with house.table(NZ, 1, None) as table:
        ann, bob = table.players
        felt, other, visitor = (at(visit, table.name, who) for who in (ann, bob, None))
        table.open()
        table.start()
        for page in (felt, other, visitor):
            expect(page.felt.locator("[data-limit$=box_max]")).to_have_count(0)
        table.must(table.floor, "restrict", limit="box_max", value=1_500)
        table.must(table.floor, "restrict", limit="player_box_max", value=300, whom=bob.name)
        for page in (felt, other, visitor):
            signs = page.felt.locator("[data-limit$=box_max]")
            expect(signs).to_have_text(["Box maximum $15", f"Box maximum for {called(bob)} $3"])
            for sign in signs.all():
                expect(sign).to_be_visible()
        felt.bet(1, 1_300)
        other.refuses(1, 201, "primary", "limit")
        other.refuses(2, 301, "primary", "limit")
        other.bet(2, 300)
        felt.bet(3, 1_500)
        felt.refuses(3, 100, "primary", "limit")


@proves("web", "NZ-5.11b")
def test_web_NZ_5_11b_the_tie_spot(house: House, visit: Visit) -> None:
    """The tie area is first for who has the Casino War Wager there; others after a decline."""
    with house.table(NZ, 1, None) as table:
        felt, other = (at(visit, table.name, who) for who in table.players)
        table.open()
        table.start()
        felt.bet(1, 1_000)
        expect(felt.spot(1, "tie")).to_contain_class("open")
        expect(other.spot(1)).to_have_attribute("data-amount", "1000")
        expect(other.spot(1, "tie")).not_to_contain_class("open")
        other.refuses(1, 60, "tie", "tie_entitlement")
        felt.page.locator('[data-action="decline"]').click()
        expect(other.record).to_contain_text("lets others bet the tie on box 1")
        felt.refuses(1, 60, "tie", "tie_declined")
        other.bet(1, 60, "tie")


@pytest.mark.finding(2)
@proves("web", "NZ-5.11b")
def test_web_NZ_5_11b_the_tie_spot_is_claimed(house: House, visit: Visit) -> None:
    """Who bet on the tie alone gets it back and reads why."""
    with house.table(NZ, 1, None) as table:
        felt, other = (at(visit, table.name, who) for who in table.players)
        table.open()
        table.start()
        other.bet(1, 60, "tie")
        felt.bet(1, 1_000)
        expect(felt.spot(1, "tie")).to_contain_class("open")
        felt.bet(1, 50, "tie")
        why = "a Casino War Wager there and the first claim to the spot."
        ann = called(table.players[0])
        words = f"Your Tie Wager of $0.60 on box 1 goes back: {ann} has {why}"
        expect(other.page.locator("#message")).to_have_text(words)
        expect(other.record).to_contain_text(words)
        expect(felt.page.locator("#message")).to_be_hidden()
        expect(felt.record).to_contain_text(f"on box 1 goes back: you have {why}")


@proves("web", "NZ-6.2-1", "NZ-6.2-2", "NZ-6.3", "NZ-6.3a-c")
def test_web_NZ_6_the_opening(house: House, visit: Visit) -> None:
    """All cards face up in rows for the first player, then face down, washed, stacked, riffled."""
    with house.table(NZ, 1, 2) as table:
        felt, second = (at(visit, table.name, who) for who in table.players)
        table.receive()
        table.must(table.dealer, "prepare", step="inspect")
        table.must(table.floor, "prepare", step="verify")
        spread = felt.page.locator("[data-spread]")
        expect(spread).to_have_count(0)
        table.must(table.dealer, "prepare", step="spread")
        expect(spread).to_have_count(6 * 52)
        cards = spread.evaluate_all("all => all.map((each) => each.dataset.spread)")
        fans = [[rank + suit for rank in "23456789TJQKA"] for suit in "cdhs"] * 6
        assert cards == [card for fan in fans for card in fan], "by deck, suit and sequence"
        rows = felt.page.locator(".spread-rows li")
        expect(rows).to_have_count(24)
        tops = {round(place(each).top) for each in rows.nth(3).locator("[data-spread]").all()}
        assert len(tops) == 1, "a fan is one horizontal row"
        expect(second.page.locator('[data-action="view"]')).to_have_count(0)
        assert table.code(table.dealer, "prepare", step="turn") == "wrong_step"
        felt.page.locator('[data-action="view"]').click()
        expect(felt.page.locator('[data-action="view"]')).to_have_count(0)
        for step in ("turn", "wash", "stack", "riffle"):
            table.must(table.dealer, "prepare", step=step)
            expect(felt.page.locator(".spread")).to_be_hidden()
        expect(felt.record).to_contain_text("The cards are riffled.")
        assert [text for _, text in felt.happened("prepared")] == [
            "The new cards are inspected.",
            "A floorperson verifies the cards.",
            "The cards are spread face up.",
            "The players may look at the cards.",
            "The cards are turned face down.",
            "The cards are washed.",
            "The cards are stacked.",
            "The cards are riffled.",
        ]


@proves("web", "NZ-3.5-1")
def test_web_NZ_3_5_1_two_coloured_sets(house: House, visit: Visit) -> None:
    """With a shuffler two sets take turns, and the back that everybody sees is the set's."""
    with house.table(NZ, 1, options={"shuffle": "batches"}) as table:
        felt = at(visit, table.name, table.players[0])
        colours = set()
        for back in ("red", "blue", "red"):
            table.open()
            shoe = felt.felt.locator("[data-shoe]")
            expect(shoe).to_have_attribute("data-shoe", "311")
            expect(shoe).to_have_attribute("data-back", back)
            expect(shoe).to_have_attribute("aria-label", f"311 cards in the shoe, {back} backs")
            colours.add(
                felt.felt.locator("[data-rack] .fill").evaluate(
                    "(e) => getComputedStyle(e).borderRightColor"
                )
            )
            table.must(table.floor, "order_reshuffle", reason="the next set")
        assert len(colours) == 2
