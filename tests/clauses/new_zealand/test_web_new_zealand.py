"""New Zealand's clauses in a real browser: the layout, the wagers, the ties and what they pay."""

import pytest
from playwright.sync_api import Page, expect

from browser import Visit
from clauses import proves
from live_tables import Stack
from staffed_tables import BUY_IN, House, beats, ties
from table_pages import at, place

NZ = "new-zealand"
BOOKS = (NZ,)


def one_ties(cards: Stack) -> bool:
    """The first box ties with the dealer."""
    return ties(cards[0], cards[1])


def one_wins_a_war(cards: Stack) -> bool:
    """Of three boxes the first two tie and the third does not; the first wins the war."""
    first = ties(cards[0], cards[3]) and ties(cards[1], cards[3]) and not ties(cards[2], cards[3])
    return first and beats(cards[7], cards[8])


def tied_war_and_a_win(cards: Stack) -> bool:
    """The first box ties and its war ties; the second beats the dealer."""
    return ties(cards[0], cards[2]) and beats(cards[1], cards[2]) and ties(cards[6], cards[7])


def lost_war(cards: Stack) -> bool:
    """The only box ties and loses the war."""
    return one_ties(cards) and beats(cards[6], cards[5])


@proves("web", "NZ-3.1-1", "NZ-3.2", "NZ-3.3a", "NZ-3.3b")
@pytest.mark.parametrize("boxes", [7, 3])
def test_web_NZ_3_the_layout(house: House, visit: Visit, boxes: int) -> None:
    """One to seven boxes opposite the dealer, each with its two areas marked in words."""
    with house.table(NZ, 1, settings={"table.boxes": boxes}) as table:
        felt = at(visit, table.name, table.players[0])
        expect(felt.felt.locator("wt-box")).to_have_count(boxes)
        dealer = place(felt.dealer.locator(".dealer-name"))
        for box in range(1, boxes + 1):
            for kind, words in (("primary", "Casino War"), ("tie", "Tie")):
                print_ = felt.spot(box, kind).locator(".print")
                expect(print_).to_have_text(words)
                expect(print_).to_be_visible()
                assert place(print_).top > dealer.bottom
                size = print_.evaluate("(print) => parseFloat(getComputedStyle(print).fontSize)")
                assert size >= 9, "a label is large enough to be read"


@proves("web", "NZ-1-casino-war-wager", "NZ-5.1", "NZ-5.1c", "NZ-5.12", "NZ-5.14a", "NZ-5.14b")
@proves("web", "NZ-1-go-to-war-wager")
def test_web_NZ_5_14_wagers_precede_the_cards(house: House, visit: Visit) -> None:
    """A wager needs its money and lies there before the call; then only the war is added."""
    with house.table(NZ, 1) as table:
        felt = at(visit, table.name, table.players[0])
        table.open(lost_war)
        table.start()
        expect(felt.spot(1)).to_have_attribute("aria-label", "Box 1, Casino War Wager; empty")
        felt.refuses(1, BUY_IN + 1, "primary", "insufficient")
        felt.bet(1, 1_000)
        felt.bet(1, 60, "tie")
        table.must(table.dealer, "close_bets")
        expect(felt.status).to_have_text("No more bets. The cards are being dealt.")
        for dealt in range(3):
            expect(felt.felt.locator(".cards:not(.old) wt-card")).to_have_count(dealt)
            expect(felt.felt.locator("[data-spot].open")).to_have_count(0)
            for action in ("clear", "undo", "double", "repeat"):
                button = felt.page.locator(f'[data-action="{action}"]')
                assert button.is_hidden() or button.is_disabled()
            felt.spot(1).press("Backspace")
            felt.click(2)
            expect(felt.page.locator('[data-dialog="receipt"]')).to_be_visible()
            felt.page.keyboard.press("Escape")
            felt.lies(1, "primary", 1_000)
            if dealt < 2:
                table.must(table.dealer, "proceed", steps=1)
        felt.choose(1, "war")
        felt.lies(1, "war", 1_000)
        assert felt.balance() == BUY_IN - 1_060 + 660 - 1_000
        table.proceed()
        felt.nets(600 - 2_000)
        said = [text for _, text in felt.happened("bets_closed", "placed", "dealt")]
        assert [text.split(":")[0] for text in said[2:]] == [
            "No more bets.",
            "Box 1",
            "The Dealer",
            "You bet $10 on box 1, Go to War Wager.",
            "Box 1",
            "The Dealer",
        ]


@proves("web", "NZ-1-go-to-war", "NZ-1-go-to-war-wager", "NZ-1-tie-wager", "NZ-5.1a", "NZ-5.1b")
@proves("web", "NZ-5.1c", "NZ-5.2", "NZ-5.2a", "NZ-5.5", "NZ-5.13-tie", "NZ-5.13-war-win")
def test_web_NZ_5_2_only_a_tied_casino_war_wager_has_the_choice(house: House, visit: Visit) -> None:
    """Either wager alone, or both; only a tied Casino War Wager may go to war, beside itself."""
    with house.table(NZ, 1, 2, 3) as table:
        table.open(one_wins_a_war)
        felt, tie_only, alone = (at(visit, table.name, who) for who in table.players)
        table.start()
        felt.bet(1, 1_230)
        felt.bet(1, 60, "tie")
        tie_only.bet(2, 500, "tie")
        alone.bet(3, 1_000)
        table.dealt()
        expect(felt.option(1, "war")).to_contain_text("Puts $12.30 more at stake (Go to War Wager)")
        expect(felt.dock.locator("button[data-choice]")).to_have_count(2)
        expect(felt.dock.locator(".choice input")).to_have_count(0)
        assert sorted(felt.cards()) == ["0", "1", "2", "3"]
        for other in (tie_only, alone):
            expect(other.status).to_contain_text("has a tie and is choosing")
            expect(other.dock.locator("button[data-choice]:visible")).to_have_count(0)
        felt.settles(1, "tie", "won", 660)
        felt.settles(2, "tie", "won", 5_500)
        tie_only.nets(5_000)
        assert tie_only.paid(2) == [("Tie Wager", "tie, paid 10 to 1", "$55", "+$50")]
        before = felt.balance()
        felt.choose(1, "war")
        felt.lies(1, "war", 1_230)
        felt.lies(1, "primary", 1_230)
        assert felt.balance() == before - 1_230
        first, war = place(felt.stack(1, "primary")), place(felt.stack(1, "war"))
        assert war.left > first.left + (first.right - first.left) / 2, "beside the first"
        assert abs(war.bottom - first.bottom) < first.bottom - first.top
        table.proceed()
        felt.nets(600 + 1_230)
        assert felt.paid(1) == [
            (
                "Casino War Wager",
                "war won, returned; both wagers together are paid 1 to 2",
                "$12.30",
                "$0",
            ),
            ("Tie Wager", "tie, paid 10 to 1", "$6.60", "+$6"),
            (
                "Go to War Wager",
                "war won, both wagers together paid 1 to 2",
                "$24.60",
                "+$12.30",
            ),
        ]


@proves("web", "NZ-1-surrender", "NZ-5.2b", "NZ-5.13-surrender")
def test_web_NZ_1_surrender(house: House, visit: Visit) -> None:
    """Surrender forfeits half and returns the rest, an odd cent to the player."""
    with house.table(NZ, 1) as table:
        felt = at(visit, table.name, table.players[0])
        table.open(one_ties)
        table.start()
        felt.bet(1, 1_001)
        table.dealt()
        expect(felt.option(1, "surrender")).to_contain_text("You get $5.01 back and lose $5")
        felt.choose(1, "surrender")
        felt.nets(-500)
        assert felt.paid(1) == [("Casino War Wager", "surrendered, half returned", "$5.01", "-$5")]
        assert felt.balance() == BUY_IN - 500


@pytest.mark.finding(16)
@proves("web", "NZ-5.13-beat", "NZ-5.13-war-tie", "NZ-5.13-0", "NZ-5.1a")
def test_web_NZ_5_13_a_win_and_a_tied_war(house: House, visit: Visit) -> None:
    """Beating the dealer pays 1 to 1; a tied war pays both wagers together 1 to 1."""
    with house.table(NZ, 1, 2) as table:
        felt, winner = (at(visit, table.name, who) for who in table.players)
        table.open(tied_war_and_a_win)
        table.start()
        felt.bet(1, 700)
        winner.bet(2, 300)
        table.dealt()
        winner.nets(300)
        assert winner.paid(2) == [("Casino War Wager", "higher card, paid 1 to 1", "$6", "+$3")]
        felt.choose(1, "war")
        felt.lies(1, "war", 700)
        expect(felt.box(1).locator(".pot")).to_be_hidden()  # the document has none
        table.proceed()
        felt.nets(1_400)
        words = "both wagers together"
        assert felt.paid(1) == [
            ("Casino War Wager", f"war tied, returned; {words} are paid 1 to 1", "$7", "$0"),
            ("Go to War Wager", f"war tied, {words} paid 1 to 1", "$21", "+$14"),
        ]


@proves("web", "NZ-3.4d")
def test_web_NZ_3_4d_all_cards_are_somewhere(house: House, visit: Visit) -> None:
    """Shoe, felt and rack together always show the full set."""
    with house.table(NZ, 1) as table:
        felt = at(visit, table.name, table.players[0])
        table.open(lost_war)
        table.start()
        felt.bet(1, 100)
        shoe, rack = felt.felt.locator("[data-shoe]"), felt.felt.locator("[data-rack]")

        def counts(in_shoe: int, on_felt: int, racked: int) -> None:
            assert in_shoe + on_felt + racked == 6 * 52
            expect(shoe).to_have_attribute("data-shoe", str(in_shoe))
            expect(rack).to_have_attribute("data-rack", str(racked))

        counts(311, 0, 1)
        table.dealt()
        expect(felt.felt.locator(".cards:not(.old) wt-card")).to_have_count(2)
        counts(309, 2, 1)
        felt.choose(1, "war")
        felt.lies(1, "war", 100)
        table.proceed()
        felt.nets(-200)
        counts(304, 0, 8)


@proves("web", "NZ-4.2", "NZ-5.13-0", "NZ-5.13-beat", "NZ-5.13-war-win", "NZ-5.13-war-tie")
@proves("web", "NZ-5.13-tie")
def test_web_NZ_5_13_the_paytable(house: House, visit: Visit, page: Page) -> None:
    """The felt and the rules card say what is paid, and how cards rank."""
    with house.table(NZ, 1) as table:
        felt = at(visit, table.name, table.players[0])
        arcs = felt.felt.locator("[data-inscription] textPath")
        expect(arcs.nth(1)).to_have_text("CASINO WAR WAGER PAYS 1 TO 1  ♦  TIE WAGER PAYS 10 TO 1")
        printed = "1 to 2 on a win, 1 to 1 on a tie, on both wagers together"
        expect(arcs.nth(2)).to_contain_text(printed)
    page.goto("/rules?book=new-zealand")
    ranks = page.locator("[data-ranks] .mini")
    expect(ranks).to_have_text(["A", "K", "Q", "J", *map(str, range(10, 1, -1))])
    rows = page.locator("[data-results] tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.nth(0)).to_contain_text("paid 1 to 1")
    expect(rows.nth(1)).to_contain_text("paid 10 to 1")
    expect(rows.nth(3)).to_contain_text("both wagers together paid 1 to 2")
    expect(rows.nth(3)).to_contain_text("both wagers together paid 1 to 1")
