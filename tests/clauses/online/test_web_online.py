"""The online operator's clauses in a real browser: one's own table, three hands, war."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser import Visit
from clauses import proves
from hosting import Hosted
from live_tables import STACK, Cards, OwnTable
from table_pages import Felt, at

ON = "online"


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file."""
    with Hosted(tmp_path_factory.mktemp("house"), books=(ON,)) as running:
        yield running


@proves("web", "ON-overview-3", "ON-overview-5", "ON-overview-6", "ON-bet-1", "ON-bet-2")
@proves("web", "ON-deal-1", "ON-deal-2", "ON-eval-win", "ON-eval-lose", "ON-tie-pay")
@proves("web", "ON-surrender", "ON-pay-first-main-tie", "ON-pay-first-tie", "ON-pay-first-main")
def test_web_ON_eval_three_hands(hosted: Hosted, visit: Visit) -> None:
    """Three hands with their bets meet one card of the House: won, lost, and tied."""
    with OwnTable(hosted, hosted.guest(), ON, Cards("<>=")) as table:
        felt = at(visit, table.name, table.player)
        expect(felt.felt.locator("wt-box")).to_have_count(3)
        deal = felt.page.locator('[data-action="deal"]')
        expect(deal).to_be_disabled()
        felt.refuses(1, 50, "tie", "primary_required")
        felt.bet(1, 100)
        felt.bet(1, 50, "tie")
        felt.bet(2, 200)
        felt.bet(2, 50, "tie")
        felt.bet(3, 501)
        felt.refuses(3, 60_000, "tie", "insufficient")
        felt.bet(3, 100, "tie")
        expect(felt.felt.locator("wt-card")).to_have_count(0)
        expect(felt.felt.locator("[data-shoe]")).to_have_attribute("data-shoe", str(6 * 52))
        felt.deal()

        expect(felt.option(3, "surrender")).to_be_visible()
        cards = table.state()["round"]["cards"]
        assert felt.cards() == cards
        assert sorted(cards) == ["0", "1", "2", "3"]
        expect(felt.felt.locator("[data-spot].open")).to_have_count(0)
        felt.settles(1, "primary", "lost", 0)
        felt.settles(1, "tie", "lost", 0)
        felt.settles(2, "primary", "won", 400)
        felt.settles(2, "tie", "lost", 0)
        felt.settles(3, "tie", "won", 1_100)
        felt.lies(3, "primary", 501)
        expect(felt.page.locator("#net")).to_be_disabled()
        for choice in ("surrender", "war"):
            expect(felt.dock.locator(f"button[data-choice={choice}]")).to_have_count(1)
            expect(felt.option(3, choice)).to_be_enabled()
        expect(felt.option(3, "surrender")).to_contain_text("You get $2.51 back and lose $2.50")
        felt.choose(3, "surrender")
        felt.nets(-150 + 150 + 1_000 - 250)
        assert felt.paid(1) == [
            ("Main Bet", "Lost: the House's card was higher.", "$0", "-$1"),
            ("Tie Bet", "no tie", "$0", "-$0.50"),
        ]
        assert felt.paid(2) == [
            ("Main Bet", "higher card, paid 1:1", "$4", "+$2"),
            ("Tie Bet", "no tie", "$0", "-$0.50"),
        ]
        assert felt.paid(3) == [
            ("Main Bet", "surrendered, half returned", "$2.51", "-$2.50"),
            ("Tie Bet", "tie, paid 10:1", "$11", "+$10"),
        ]
        assert felt.balance() == STACK + 750


@proves("web", "ON-deal-1", "ON-bet-1")
def test_web_ON_deal_1_the_deal_locks_the_bets(hosted: Hosted, visit: Visit) -> None:
    """Between the deal and the choice a click on a spot bets nothing: it shows the receipt."""
    with OwnTable(hosted, hosted.guest(), ON, Cards("=")) as table:
        felt = at(visit, table.name, table.player)
        felt.bet(2, 300)
        felt.deal()
        expect(felt.option(2, "war")).to_be_visible()
        for box, kind in ((2, "primary"), (2, "tie"), (1, "primary")):
            felt.click(box, kind)
            expect(felt.page.locator('[data-dialog="receipt"]')).to_be_visible()
            felt.page.keyboard.press("Escape")
        assert table.state()["round"]["hands"][0]["wagers"][0]["staked"] == 300
        assert felt.balance() == STACK - 300
        assert [kind for kind, _ in felt.happened("bets_closed", "dealt")] == [
            "bets_closed", "dealt", "dealt",
        ]  # fmt: skip  # a list of kinds
        felt.choose(2, "surrender")
        felt.nets(-150)


@proves("web", "ON-war-raise", "ON-war-tiebet", "ON-war-tiebet-size", "ON-war-options")
@proves("web", "ON-war-eval-win", "ON-war-eval-win-main", "ON-war-eval-tie", "ON-push")
@proves("web", "ON-war-eval-tiebet", "ON-pay-war-main", "ON-pay-war-raise", "ON-pay-war-tie")
def test_web_ON_war_won_and_tied(hosted: Hosted, visit: Visit) -> None:
    """One hand raises and wins, one raises with the tie bet and ties: pushed, 1:1, 2:1, 10:1."""
    with OwnTable(hosted, hosted.guest(), ON, Cards("=", ">"), Cards("=", "=")) as table:
        felt = at(visit, table.name, table.player)
        felt.bet(1, 700)
        felt.deal()
        expect(felt.option(1, "war")).to_contain_text("Puts $7 more at stake (Raise)")
        expect(felt.option(1, "war_tie")).to_contain_text("Puts $14 more at stake")
        expect(felt.option(1, "war_tie")).to_contain_text("Win $0, tie +$84, lose \u2212$21")
        expect(felt.option(1, "war_tie")).to_contain_text("pays 10 to 1")
        expect(felt.dock.locator(".choice input")).to_have_count(0)
        felt.choose(1, "war")
        felt.nets(700)
        assert felt.paid(1) == [
            ("Main Bet", "war won, main bet pushed", "$7", "$0"),
            ("Raise", "war won, raise paid 1:1", "$14", "+$7"),
        ]
        table.over(1)
        felt.bet(1, 400)
        felt.deal()
        felt.choose(1, "war_tie")
        felt.nets(800 + 4_000)
        assert felt.paid(1) == [
            ("Main Bet", "war tied, main bet pushed", "$4", "$0"),
            ("Raise", "war tied, raise paid 2:1", "$12", "+$8"),
            ("Tie Bet at war", "war tied, paid 10:1", "$44", "+$40"),
        ]
        assert felt.balance() == STACK + 700 + 4_800


@proves("web", "ON-war-eval-lose", "ON-war-deal", "ON-war-burn", "ON-war-tiebet")
@proves("web", "ON-war-eval-tiebet", "ON-war-raise")
def test_web_ON_war_lost(hosted: Hosted, visit: Visit) -> None:
    """A lost war costs main bet, raise and tie bet; three cards are burned once for all hands."""
    with OwnTable(hosted, hosted.guest(), ON, Cards("==", "<."), Cards("==<", "<")) as table:
        felt = at(visit, table.name, table.player)
        felt.bet(1, 300)
        felt.bet(1, 20, "tie")
        felt.bet(2, 600)
        felt.deal()
        felt.settles(1, "tie", "won", 220)
        felt.choose(2, "war")
        felt.lies(2, "war", 600)
        expect(felt.stack(2, "war_tie")).to_have_count(0)
        assert felt.balance() == STACK - 920 + 220 - 600
        felt.choose(1, "war_tie")
        expect(felt.record.locator('[data-event="closed"]')).to_have_count(1)
        assert felt.paid(1) == [
            ("Main Bet", "war lost", "$0", "-$3"),
            ("Tie Bet", "tie, paid 10:1", "$2.20", "+$2"),
            ("Raise", "war lost", "$0", "-$3"),
            ("Tie Bet at war", "the war did not tie", "$0", "-$3"),
        ]
        told = felt.happened("burned", "dealt")[3:]
        assert [kind for kind, _ in told] == ["burned"] * 3 + ["dealt"] * 3
        assert {text for kind, text in told if kind == "burned"} == {"A card is burned."}
        assert [text.split(":")[0] for _, text in told[3:]] == ["Box 1", "Box 2", "The House"]
        table.over(1)
        for box in (1, 2, 3):
            felt.bet(box, 100)
        felt.deal()
        felt.choose(2, "surrender")
        felt.choose(1, "war")
        felt.nets(-200 - 50 - 100)
        felt.page.goto(f"/replay?table={table.name}&round=2")
        felt.page.locator('[data-jump="last"]').click()
        again = Felt(felt.page)
        expect(again.card(1, "war")).to_be_visible()
        assert sorted(again.cards("war")) == ["0", "1"]
        expect(again.felt.locator("[data-burned]")).to_have_attribute("data-burned", "3")
        expect(again.felt.locator('.burned wt-card[data-card="??"]')).to_have_count(3)


@pytest.mark.finding(4)
@proves("web", "ON-tie-choice", "ON-war-raise")
def test_web_ON_tie_choice_stays_open(hosted: Hosted, visit: Visit) -> None:
    """Nobody chooses for the player; without the money for the raise only surrender is offered."""
    with OwnTable(hosted, hosted.guest(), ON, Cards("=")) as table:
        felt = at(visit, table.name, table.player)
        felt.bet(1, 30_000)
        felt.deal()
        expect(felt.option(1, "surrender")).to_be_enabled()
        expect(felt.option(1, "war")).to_be_disabled()
        expect(felt.option(1, "war_tie")).to_be_disabled()
        expect(felt.dock).to_contain_text("You need $300 at the table to go to war")
        hosted.clock.ahead_ms += 600_000
        expect(felt.page.locator("wt-countdown")).to_be_hidden()
        felt.page.locator('[data-action="leave"]').click()
        dialog = felt.page.get_by_role("dialog")
        expect(dialog).to_contain_text("A tied hand stays open until you come back and choose.")
        felt.page.locator('[data-answer="leave"]').click()
        expect(felt.page.locator('[data-action="leave"]')).to_be_disabled()
        felt.page.reload()
        expect(felt.option(1, "surrender")).to_be_enabled()
        felt.lies(1, "primary", 30_000)
        felt.choose(1, "surrender")
        while not (gone := table.spectator.events("departed")):
            table.spectator.read()
        assert [event["amount"] for event in gone] == [STACK - 15_000]


@proves("web", "ON-rank-1", "ON-pay-first-main", "ON-pay-first-main-tie", "ON-pay-first-tie")
@proves("web", "ON-pay-war-main", "ON-pay-war-raise", "ON-pay-war-tie", "ON-push")
def test_web_ON_pay_the_payouts_to_be_read(page: Page) -> None:
    """The help lists the ranks, and what each bet pays when it wins and when it ties."""
    page.goto("/rules?book=online")
    ranks = page.locator("[data-ranks] .mini")
    expect(ranks).to_have_text(["A", "K", "Q", "J", *map(str, range(10, 1, -1))])
    rows = page.locator("[data-results] tbody tr")
    expect(rows).to_have_count(5)
    assert [row.locator("th, td").all_inner_texts() for row in rows.all()] == [
        ["First deal: Main Bet", "higher card, paid 1:1", "not decided yet: surrender or war"],
        ["First deal: Tie Bet", "\N{EN DASH}", "tie, paid 10:1"],
        ["War: Main Bet", "war won, main bet pushed", "war tied, main bet pushed"],
        ["War: Raise", "war won, raise paid 1:1", "war tied, raise paid 2:1"],
        ["War: Tie Bet at war", "\N{EN DASH}", "war tied, paid 10:1"],
    ]
    expect(page.locator('[data-reading="O4"]')).to_contain_text("not settled yet")


@proves("web", "ON-pay-first-main", "ON-pay-first-tie", "ON-pay-war-raise", "ON-pay-war-tie")
def test_web_ON_pay_the_felt_says_it(hosted: Hosted, visit: Visit) -> None:
    """The felt's own list has every payout that the help has."""
    with OwnTable(hosted, hosted.guest(), ON) as table:
        felt = at(visit, table.name, table.player)
        felt.felt.locator(".payouts summary").click()
        lines = felt.felt.locator("[data-pay]")
        assert [line.inner_text().replace("\n", " ") for line in lines.all()] == [
            "Main Bet 1 to 1",
            "Tie Bet 10 to 1",
            "Raise Won: 1 to 1 on the Raise, the Main Bet back; tied: 2 to 1, the Main Bet back",
            "Tie Bet at war 10 to 1",
        ]
