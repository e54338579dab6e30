"""California's clauses in a real browser: the layout, the wagers, the deal and its settling."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from browser import Visit
from clauses import proves
from live_tables import STACK, Cards, People, of, people
from table_pages import at, place

CA = "california"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    """One house for all tests of this file."""
    with people(tmp_path_factory.mktemp("house"), CA, 9) as running:
        yield running


@proves("web", "CA-table-1", "CA-table-2", "CA-table-3", "CA-deal-1b")
def test_web_CA_table_1_the_layout(house: People, visit: Visit) -> None:
    """Eight places with a circle each for the tie bet, the dealer opposite, the rack at the right.

    The page looks from the players' side, so the dealer's right is the left of the screen.
    """
    with house.banked("layout") as table:
        felt = at(visit, table.name, house.players[1])
        boxes = felt.felt.locator("wt-box")
        expect(boxes).to_have_count(8)
        expect(felt.felt.locator("wt-box.bank")).to_have_count(1)
        dealer = place(felt.dealer.locator(".dealer-name"))
        for box in range(1, 9):
            primary, tie = place(felt.spot(box)), place(felt.spot(box, "tie"))
            assert min(primary.top, tie.top) > dealer.bottom, "the dealer is opposite"
            apart = (tie.left >= primary.right, primary.left >= tie.right)
            assert any(apart) or tie.top >= primary.bottom or primary.top >= tie.bottom
            expect(felt.spot(box, "tie").locator(".print")).to_have_text("Tie")
        lefts = [place(felt.box(box)).left for box in range(1, 9)]
        assert all(one > next_ for one, next_ in pairwise(lefts)), "box 1 is at the dealer's left"
        expect(felt.dealer.locator("[data-spot], wt-stack")).to_have_count(0)
        assert place(felt.felt.locator("[data-rack]")).right < dealer.left
        assert place(felt.felt.locator("[data-shoe]")).left > dealer.right
        expect(felt.status).to_have_text("Place your bets.")


@proves("web", "CA-players-1", "CA-table-1")
def test_web_CA_players_1_two_to_eight(house: People, visit: Visit) -> None:
    """One alone is dealt nothing; eight sit, and a ninth finds no seat to click on."""
    first, *others = house.players
    with house.table("seats") as table:
        table.join(first).load(Cards("<"))
        felt = at(visit, table.name, others[0])
        expect(felt.status).to_contain_text("at least 2 are needed")
        felt.box(5).locator("[data-sit]").click()
        expect(felt.box(5)).to_have_attribute("data-seated", others[0].name)
        expect(felt.felt.locator("wt-box.mine")).to_have_attribute("data-box", "5")
        expect(felt.status).not_to_contain_text("needed")
        table.join(*others[1:7])
        ninth = at(visit, table.name, others[7])
        expect(ninth.felt.locator("wt-box[data-seated]")).to_have_count(8)
        expect(ninth.dock).to_contain_text("Every seat is taken")
        expect(ninth.felt.locator("[data-sit]:visible")).to_have_count(0)
        expect(ninth.dock.locator('[data-action="sit"]')).to_be_hidden()
        expect(ninth.dock.locator('[data-action="stand"]')).to_be_visible()
        table.must(others[0], "leave")


@proves("web", "CA-players-2")
def test_web_CA_players_2_backline(house: People, visit: Visit) -> None:
    """Who stands behind bets on another's seat, is covered after it, and decides alone."""
    ann, bob, eve = house.players[0], house.players[1], house.players[8]
    with house.table("backline") as table:
        table.join(ann, bob).load(Cards("=", ">"))
        table.must(ann, "take_bank", amount=1_500)
        felt = at(visit, table.name, eve)
        felt.page.locator("#buy-in").fill("100")
        felt.dock.locator('[data-action="stand"]').click()
        expect(felt.dock).to_have_attribute("data-panel", "bets")
        expect(felt.felt.locator(f'wt-box[data-seated="{eve.name}"]')).to_have_count(0)
        table.start()
        felt.refuses(5, 1_000, "primary", "no_seat_there")
        felt.bet(2, 1_000)
        table.bet(bob, 2, 1_000)
        felt.lies(2, "primary", 1_000, bob)
        table.deal()
        own = felt.stack(2, "primary", eve)
        expect(felt.slip(2, "primary")).to_have_text("Primary $5, $5 returned")
        expect(own).to_have_attribute("data-amount", "500")
        expect(felt.stack(2, "primary", bob)).to_have_attribute("data-amount", "1000")
        expect(felt.felt.locator("wt-box .cards wt-card")).to_have_count(1)
        expect(felt.option(2, "surrender")).to_contain_text("You get $2.50 back")
        table.choose(bob, 2, "war")
        expect(felt.option(2, "surrender")).to_be_enabled()
        felt.choose(2, "surrender")
        table.proceed()
        felt.nets(-250)
        expect(felt.stack(2, "war", bob)).to_have_attribute("data-returned", "2000")
        table.must(eve, "leave")


@proves("web", "CA-std-1", "CA-std-12", "CA-betting-1a", "CA-betting-1b", "CA-betting-4")
@proves("web", "CA-deal-5a")
def test_web_CA_betting_chips_on_spots(house: People, visit: Visit) -> None:
    """Chips lie on the spot that was clicked, within limits that the table shows; ties with it."""
    _, bob, cat, dan = house.players[:4]
    limits = {"limits.primary.min": 500, "limits.primary.max": 2_000}
    limits |= {"limits.tie.min": 100, "limits.tie.max": 300}
    with house.banked("limits", Cards("<>"), settings=limits) as table:
        felt, last = at(visit, table.name, bob), at(visit, table.name, dan)
        expect(felt.felt.locator('[data-limit="primary"]')).to_have_text("Primary Wager $5 to $20")
        expect(felt.felt.locator('[data-limit="tie"]')).to_have_text("Tie Wager $1 to $3")
        felt.refuses(2, 100, "tie", "primary_required")
        felt.refuses(2, 400, "primary", "limit")
        told = felt.refuses(2, 2_100, "primary", "limit")
        expect(told).to_contain_text("$5 to $20")
        felt.page.locator('[data-chip="500"]').click()
        felt.click(2)
        felt.page.locator('[data-chip="100"]').click()
        felt.click(2)
        expect(felt.spot(2)).to_have_attribute("data-mine", "600")
        expect(felt.stack(2, "primary").locator("svg.pile")).to_be_visible()
        figure = felt.stack(2, "primary").locator(".figure")
        expect(figure).to_have_attribute("data-text", "$6")
        felt.bet(2, 200, "tie")
        felt.refuses(2, 200, "tie", "limit")
        expect(felt.spot(2, "tie").locator("wt-stack")).to_have_attribute("data-wager", "tie")
        expect(felt.spot(2).locator("wt-stack")).to_have_attribute("data-wager", "primary")
        felt.spot(2).press("Backspace")
        expect(felt.spot(2)).to_have_attribute("data-amount", "0")
        expect(felt.spot(2, "tie")).to_have_attribute("data-amount", "0")
        felt.bet(2, 500)
        table.bet(cat, 3, 500)
        last.bet(4, 500)
        last.page.locator('[data-action="clear"]').click()
        expect(last.spot(4)).to_have_attribute("data-mine", "0")
        table.deal()
        felt.settles(2, "primary", "lost", 0)
        assert sorted(felt.cards()) == ["0", "2", "3"], "a card for each primary wager, no other"
        last.page.locator("#net").wait_for()
        expect(last.page.locator("#net")).to_be_disabled()
        assert last.balance() == STACK


@proves("web", "CA-betting-2a", "CA-betting-2b", "CA-deal-2a", "CA-deal-2c", "CA-deal-5")
@proves("web", "CA-deal-5b", "CA-round-1", "CA-round-2a", "CA-round-2b", "CA-odds-1", "CA-odds-2")
@proves("web", "CA-round-3a-1", "CA-round-3a-2", "CA-std-11")
def test_web_CA_deal_and_settling(house: People, visit: Visit) -> None:
    """After the call nothing is bet; cards clockwise, the bank's last; the bank pays and takes."""
    ann, bob, cat, dan = house.players[:4]
    with house.banked("settling", Cards(">=<")) as table:
        felt, bank, tied = (at(visit, table.name, who) for who in (bob, ann, cat))
        felt.bet(2, 1_000)
        felt.bet(2, 100, "tie")
        tied.bet(3, 1_001)
        tied.bet(3, 100, "tie")
        table.bet(dan, 4, 1_000).bet(dan, 4, 100, "tie")
        table.must(table.dealer, "close_bets")
        expect(felt.status).to_have_text("No more bets. The cards are being dealt.")
        expect(felt.felt.locator("[data-spot].open")).to_have_count(0)
        expect(felt.page.locator('[data-action="clear"]')).to_be_disabled()
        expect(felt.page.locator('[data-action="undo"]')).to_be_disabled()
        felt.click(2)
        expect(felt.page.locator('[data-dialog="receipt"]')).to_be_visible()
        felt.page.keyboard.press("Escape")
        felt.spot(2).press("Backspace")
        expect(felt.felt.locator("wt-card")).to_have_count(0)
        dealt = of(table.proceed(), "dealt")
        for event in dealt:
            felt.shows(event["box"], event["card"])
            assert event["card"] != "??"
        told = [text.split(":")[0] for _, text in felt.happened("bets_closed", "dealt")]
        assert told == ["No more bets.", "Box 2", "Box 3", "Box 4", "The player/dealer"]
        felt.settles(2, "primary", "won", 2_000)
        felt.settles(2, "tie", "lost", 0)
        felt.settles(3, "tie", "won", 1_100)
        felt.lies(3, "primary", 1_001)
        felt.settles(4, "primary", "lost", 0)
        felt.settles(4, "tie", "lost", 0)
        order = [text.split(":")[0] for _, text in felt.happened("settled")]
        assert order == ["Box 2", "Box 2", "Box 3", "Box 4", "Box 4"]
        tied.choose(3, "surrender")
        felt.settles(3, "primary", "surrendered", 501)
        felt.nets(900)
        tied.nets(1_000 - 500)
        bank.nets(-1_000 + 100 - 1_000 + 500 + 1_100)
        assert felt.paid(2) == [
            ("Primary Wager", "higher card, paid 1 to 1", "$20", "+$10"),
            ("Tie Wager", "no tie", "$0", "-$1"),
        ]
        primary, tie = tied.receipt(3)
        assert (primary.outcome, primary.net) == ("surrendered, half returned", "-$5")
        assert (tie.outcome, tie.net) == ("tie, paid 10 to 1", "+$10")
        assert "CA-odds-2" in tie.clauses
        assert bank.balance() == STACK - 300


@proves("web", "CA-rank-1a", "CA-odds-1", "CA-odds-2", "CA-odds-3", "CA-odds-4")
def test_web_CA_rank_and_odds_to_be_read(house: People, visit: Visit, page: Page) -> None:
    """The rules card lists ranks and odds, and the felt prints the same odds."""
    page.goto("/rules?book=california")
    ranks = page.locator("[data-ranks] .mini")
    expect(ranks).to_have_text(["A", "K", "Q", "J", *map(str, range(10, 1, -1))])
    rows = page.locator("[data-results] tbody tr")
    expect(rows.nth(0)).to_contain_text("paid 1 to 1")
    expect(rows.nth(1)).to_contain_text("paid 10 to 1")
    expect(rows.nth(3)).to_contain_text("war won, paid 1 to 1")
    expect(rows.nth(3)).to_contain_text("war tied, paid 2 to 1")
    with house.banked("printed") as table:
        felt = at(visit, table.name, house.players[1])
        arcs = felt.felt.locator("[data-inscription] textPath")
        expect(arcs.nth(1)).to_have_text("PRIMARY WAGER PAYS 1 TO 1  ♦  TIE WAGER PAYS 10 TO 1")
        expect(arcs.nth(2)).to_contain_text("1 to 1; 2 to 1 when the war deal ties")


@proves("web", "CA-def-suit")
def test_web_CA_def_suit(house: People, visit: Visit) -> None:
    """Cards draw and name four suits, each with its own sign, two of them red."""
    with house.banked("suits") as table:
        felt = at(visit, table.name, house.players[1])
        felt.felt.evaluate(
            """async (felt) => {
              const { newCard } = await import("/web/js/elements/wt-card.js");
              for (const suit of "cdhs") felt.dealerCards.append(newCard("9" + suit));
            }"""
        )
        cards = felt.dealer.locator(".cards wt-card")
        signs = set()
        for number, suit in enumerate(("clubs", "diamonds", "hearts", "spades")):
            card = cards.nth(number)
            expect(card).to_have_attribute("aria-label", f"nine of {suit}")
            drawn = card.locator("svg.face path")
            expect(drawn).to_have_count(9 + 2)
            signs.add(drawn.first.get_attribute("d"))
            assert ("red" in (card.get_attribute("class") or "")) == (suit in "diamonds hearts")
        assert len(signs) == 4
