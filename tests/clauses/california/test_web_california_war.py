"""California's clauses in a real browser: the choice at a tie, the war, and burned cards."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from browser import Visit
from clauses import proves
from live_tables import STACK, Cards, People, of, people
from table_pages import Felt, at, place
from wartable import game

CA = "california"
COVER = 234
"""Six decks less the quarter below the cover card."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    """One house for all tests of this file."""
    with people(tmp_path_factory.mktemp("house"), CA, 4) as running:
        yield running


@proves("web", "CA-std-3", "CA-round-3", "CA-round-3a-1", "CA-round-4a", "CA-round-5a")
@proves("web", "CA-round-3b-1", "CA-def-pd-1", "CA-std-11", "CA-round-3a-2")
def test_web_CA_round_3_the_choice(house: People, visit: Visit) -> None:
    """Only the tied are asked, no war card comes before all have chosen, settled cards go."""
    ann, bob, cat, dan = house.players
    with house.banked("choice", Cards("=<=", "<")) as table:
        felt, bank, lost, last = (at(visit, table.name, who) for who in (bob, ann, cat, dan))
        table.bet(bob, 2, 1_001).bet(cat, 3, 500).bet(dan, 4, 600)
        table.deal()
        for page, box in ((felt, 2), (last, 4)):
            expect(page.dock.locator("button[data-choice]")).to_have_count(2)
            expect(page.option(box, "war")).to_be_enabled()
            expect(page.option(box, "surrender")).to_be_enabled()
        expect(last.option(4, "war")).to_contain_text("Puts $6 more at stake (War Wager)")
        for page in (bank, lost):
            expect(page.status).to_contain_text("has a tie and is choosing")
            expect(page.dock.locator("button[data-choice]:visible")).to_have_count(0)
        first = felt.cards()
        assert sorted(first) == ["0", "2", "3", "4"]
        last.choose(4, "war")
        felt.lies(4, "war", 600, dan)
        assert last.balance() == STACK - 1_200
        assert table.code(table.dealer, "proceed") == "nothing_due"
        assert felt.cards() == first
        assert felt.cards("war") == {}
        felt.choose(2, "surrender")
        felt.settles(2, "primary", "surrendered", 501)
        expect(felt.card(2)).to_have_count(0)
        assert felt.cards() == {box: first[box] for box in ("0", "4")}
        # The first burn of the shoe, and the two cards that were collected.
        expect(felt.felt.locator("[data-rack]")).to_have_attribute("data-rack", "3")
        war = of(table.proceed(), "dealt")
        assert [event["box"] for event in war] == [4, 0]
        felt.nets(-500)
        last.nets(-1_200)
        bank.nets(500 + 500 + 1_200)
        assert bank.balance() == STACK + 2_200


@proves("web", "CA-std-4", "CA-std-5", "CA-std-6", "CA-round-3b-1", "CA-round-3b-2")
@proves("web", "CA-round-5a", "CA-round-5b", "CA-round-5c", "CA-round-6a", "CA-round-6b")
@proves("web", "CA-round-6c", "CA-round-8b", "CA-odds-1", "CA-odds-3", "CA-odds-4")
@proves("web", "CA-def-warwager", "CA-def-burn")
def test_web_CA_round_6_the_war_deal(house: People, visit: Visit) -> None:
    """The bank's match beside each war wager, three hidden burns, war cards beside the first."""
    ann, bob, cat, dan = house.players
    with house.banked("war", Cards("===", "><<")) as table:
        felt, bank = at(visit, table.name, bob), at(visit, table.name, ann)
        felt.bet(2, 1_000)
        table.bet(cat, 3, 2_000).bet(dan, 4, 3_000)
        table.deal()
        first = felt.cards()
        felt.choose(2, "war")
        felt.lies(2, "primary", 1_000)
        felt.lies(2, "war", 1_000)
        assert felt.balance() == STACK - 2_000
        table.choose(cat, 3, "war")
        table.choose(dan, 4, "war")
        for box, unit in ((2, 1_000), (3, 2_000), (4, 3_000)):
            match = felt.box(box).locator("[data-matched]")
            expect(match).to_have_attribute("data-matched", str(unit))
            expect(match).to_be_visible()
            expect(felt.box(box).locator("[data-pot]")).to_have_attribute("data-pot", str(3 * unit))
        expect(bank.page.locator("#balance")).to_have_attribute(
            "data-amount", str(STACK - 30_000 - 6_000)
        )
        burned = felt.felt.locator("[data-burned]")
        for turned in range(1, 7):
            table.must(table.dealer, "proceed", steps=1)
            expect(burned).to_have_attribute("data-burned", str(min(turned, 3)))
            expect(felt.felt.locator("[data-deal=war]")).to_have_count(max(turned - 3, 0))
            assert sorted(felt.cards("war")) == ["2", "3", "4"][: max(turned - 3, 0)]
            assert felt.cards() == first, "the first cards stay"
        expect(burned.locator('wt-card[data-card="??"]')).to_have_count(3)
        expect(burned.locator("svg.face")).to_have_count(0)
        table.proceed()
        for box in (2, 3, 4, 0):
            beside(felt, box)
        for box, outcome, primary, war in (
            (2, "war_won", 1_000, 2_000),
            (3, "war_lost", 0, 0),
            (4, "war_lost", 0, 0),
        ):
            felt.settles(box, "primary", outcome, primary)
            felt.settles(box, "war", outcome, war)
        felt.nets(1_000)
        bank.nets(-1_000 + 4_000 + 6_000)
        assert felt.paid(2) == [
            ("Primary Wager", "war won, primary returned", "$10", "$0"),
            ("War Wager", "war won, paid 1 to 1", "$20", "+$10"),
        ]
        assert felt.paid(3) == [
            ("Primary Wager", "war lost", "$0", "-$20"),
            ("War Wager", "war lost", "$0", "-$20"),
        ]
    # In one round with the others, a tie at war would be looked for much longer.
    with house.banked("war tied", Cards("=", "=")) as table:
        bank = at(visit, table.name, ann)
        table.bet(bob, 2, 3_000).deal()
        table.choose(bob, 2, "war")
        table.proceed()
        bank.settles(2, "primary", "war_tied", 3_000)
        bank.settles(2, "war", "war_tied", 9_000)
        bank.nets(-6_000)
        assert bank.paid(2) == [
            ("Primary Wager", "war tied, primary returned", "$30", "$0"),
            ("War Wager", "war tied, paid 2 to 1", "$90", "+$60"),
        ]


def beside(felt: Felt, box: int) -> None:
    """The war card of a box lies beside its first card, which can still be read."""
    expect(felt.card(box, "war")).to_be_visible()
    first, war = place(felt.card(box)), place(felt.card(box, "war"))
    assert war.left - first.left > (first.right - first.left) * 0.3
    assert abs(war.top - first.top) < (first.bottom - first.top) * 0.3


@pytest.mark.finding(1)
@proves("web", "CA-std-4", "CA-round-3b-2", "CA-def-warwager")
def test_web_CA_round_3b_2_a_bank_that_cannot_match(house: People, visit: Visit) -> None:
    """Where the bank is short the war is for what it matches; the rest goes back, itemised."""
    _, bob, cat, dan = house.players
    with house.banked("short", Cards("===", "><"), bank=38_500) as table:
        felt, other = at(visit, table.name, bob), at(visit, table.name, cat)
        last = at(visit, table.name, dan)
        felt.bet(2, 1_000)
        other.bet(3, 1_000)
        last.bet(4, 1_000)
        table.deal()
        expect(felt.option(2, "war")).to_contain_text("The bank can match all of it.")
        expect(felt.option(2, "war")).not_to_contain_text("Boxes before yours")
        expect(other.option(3, "war")).to_contain_text("Win +$10, tie +$20, lose \u2212$20.")
        expect(other.option(3, "war")).to_contain_text(
            "Boxes before yours are matched first if they go to war, so less may be left."
        )
        felt.choose(2, "war")
        expect(other.option(3, "war")).to_contain_text("Win +$5, tie +$10, lose \u2212$10.")
        expect(other.option(3, "war")).to_contain_text(
            "The bank can match $5 of the War Wager; $10 is returned at once."
        )
        other.choose(3, "war")
        expect(last.option(4, "war")).to_contain_text(
            "The bank has nothing left to match it with: no war is dealt, and $20 goes back to you."
        )
        expect(last.option(4, "war")).not_to_contain_text("Win")
        last.choose(4, "war")
        assert last.balance() == STACK
        match = other.box(3).locator("[data-matched]")
        expect(match).to_have_attribute("data-matched", "500")
        for wager, name in (("primary", "Primary"), ("war", "War")):
            expect(other.stack(3, wager)).to_have_attribute("data-amount", "500")
            expect(other.slip(3, wager)).to_have_text(f"{name} $5, $5 returned")
        expect(other.box(3).locator("[data-pot]")).to_have_attribute("data-pot", "1500")
        table.proceed()
        felt.nets(1_000)
        other.nets(-1_000)
        lines = other.receipt(3)
        assert [(line.wager, line.returned, line.net) for line in lines] == [
            ("Primary Wager", "$5", "-$5"),
            ("War Wager", "$5", "-$5"),
        ]
        assert all("$5 was not covered and was returned" in line.outcome for line in lines)


@proves("web", "CA-std-4", "CA-def-warwager")
def test_web_CA_std_4_no_free_war(house: People, visit: Visit) -> None:
    """Who cannot pay the war wager can only surrender, and reads what is missing."""
    bob = house.players[1]
    with house.banked("poor", Cards("=")) as table:
        felt = at(visit, table.name, bob)
        felt.bet(2, 30_000)
        table.deal()
        expect(felt.option(2, "surrender")).to_be_enabled()
        expect(felt.option(2, "war")).to_be_disabled()
        expect(felt.dock).to_contain_text("You need $300 at the table to go to war")
        felt.choose(2, "surrender")
        felt.nets(-15_000)


@proves("web", "CA-def-tiewager", "CA-betting-2b")
def test_web_CA_def_tiewager_on_the_war_deal(house: People, visit: Visit) -> None:
    """With the war a tie wager of any size is written into its field and paid 10 to 1."""
    _, bob, cat, _ = house.players
    with house.banked("wartie", Cards("==", "=<")) as table:
        felt, other = at(visit, table.name, bob), at(visit, table.name, cat)
        felt.bet(2, 1_000)
        other.bet(3, 1_000)
        table.deal()
        for page, box, amount in ((felt, 2, "0.37"), (other, 3, "2")):
            field = page.dock.locator(f'[data-war-tie="{box}"]')
            expect(page.dock.locator(".war-tie label")).to_have_text(
                "Add a tie bet on the war (10 to 1) $"
            )
            field.fill(amount)
            page.choose(box, "war")
        felt.lies(2, "war_tie", 37)
        felt.lies(3, "war_tie", 200)
        expect(felt.spot(2, "tie").locator("wt-stack")).to_have_attribute("data-wager", "war_tie")
        table.proceed()
        felt.settles(2, "war_tie", "won", 407)
        felt.settles(3, "war_tie", "lost", 0)
        felt.nets(2_000 + 370)
        assert felt.paid(2)[2] == (
            "Tie Wager on the war deal", "war tied, paid 10 to 1", "$4.07", "+$3.70",
        )  # fmt: skip  # a line of the receipt
        other.nets(-2_200)


@proves("web", "CA-deal-1a", "CA-deal-4", "CA-decks-3b", "CA-def-burn")
def test_web_CA_deal_1a_cut_and_first_burn(house: People, visit: Visit) -> None:
    """The cut is the only touch of a card that is offered; then one card is burned unseen."""
    ann, bob, *_ = house.players
    with house.table("cut").join(ann, bob) as table:
        felt, other = at(visit, table.name, ann), at(visit, table.name, bob)
        table.must(table.dealer, "shuffle_cards")
        expect(felt.dock).to_have_attribute("data-panel", "offer")
        offered = felt.dock.locator("[data-action]:visible")
        assert [each.get_attribute("data-action") for each in offered.all()] == [
            "cut",
            "refuse_cut",
        ]
        expect(felt.page.locator("#cut")).to_have_attribute("min", "10")
        expect(felt.page.locator("#cut")).to_have_attribute("max", "302")
        expect(other.dock.locator('[data-action="cut"]:visible')).to_have_count(0)
        expect(other.status).to_contain_text("is asked to cut the cards")
        felt.page.locator("#cut").fill("77")
        expect(felt.dock).to_contain_text("77 of 312 cards go to the bottom")
        felt.dock.locator('[data-action="cut"]').click()
        expect(other.record).to_contain_text("77 cards go to the bottom")
        table.must(table.dealer, "load_shoe")
        expect(felt.record).to_contain_text("A card is burned unseen.")
        for back, rack in (("red", "1"), ("blue", "1")):
            expect(felt.felt.locator("[data-rack]")).to_have_attribute("data-rack", rack)
            for part in ("[data-rack]", "[data-shoe]"):
                expect(felt.felt.locator(part)).to_have_attribute("data-back", back)
            expect(felt.felt.locator("[data-shoe]")).to_have_attribute("data-shoe", "311")
            if back == "red":
                table.must(table.floor, "order_reshuffle", reason="a test")
                table.load()
        expect(felt.felt.locator("svg.face")).to_have_count(0)


@proves("web", "CA-deal-3", "CA-def-burn", "CA-decks-3b")
def test_web_CA_deal_3_the_cutting_card(house: People, visit: Visit) -> None:
    """The cutting card lies on the felt, the round and its war end, then the cards are shuffled."""
    ann, bob, *_ = house.players
    auditor = house.hosted.staff("auditor")
    with house.table("cover").join(ann, bob) as table:
        skipped = COVER - 2
        table.load(Cards("=", "<"), skipped=skipped)
        for _ in range(skipped):
            table.does(table.dealer, "draw_in_error", exposed=True)
        felt = at(visit, table.name, bob)
        table.bank(ann, 1_000)
        felt.bet(2, 100)
        expect(felt.felt.locator(".cover-card")).to_be_hidden()
        table.deal()
        expect(felt.felt.locator(".cover-card")).to_be_visible()
        felt.choose(2, "war")
        expect(felt.felt.locator("[data-matched]")).to_be_visible()
        table.must(table.dealer, "proceed", steps=3)
        backs = felt.felt.locator('.burned wt-card[data-card="??"][data-back="red"]')
        expect(backs).to_have_count(3)
        table.proceed()
        felt.nets(-200)
        expect(felt.status).to_have_text("The cards are being shuffled.")
        ended = [kind for kind, _ in felt.happened("closed", "shoe_ended")]
        assert ended == ["closed", "shoe_ended"]
        address = f"/replay?table={table.name}&round=1"
        again = Felt(visit(address, who=bob))
        again.page.locator('[data-jump="last"]').click()
        expect(again.felt.locator('.burned wt-card[data-card="??"]')).to_have_count(3)
        expect(again.page.locator("[data-burned-cards]")).to_have_count(0)
        true = [e.card for _, e in table.stored() if isinstance(e, game.Burned)]
        signs = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
        shown = visit(address, who=auditor).locator("[data-burned-cards] .mini")
        expect(shown).to_have_text([card[0].replace("T", "10") + signs[card[1]] for card in true])
