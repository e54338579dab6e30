"""Washington's clauses in a real browser: settled from the right, three units at war, own burns."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser import Visit
from clauses import proves
from live_tables import STACK, Cards, People, of, people
from table_pages import Felt, at, place

WA = "washington"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    """One house for all tests of this file."""
    with people(tmp_path_factory.mktemp("house"), WA, 3) as running:
        yield running


@proves("web", "WA-1", "WA-2a", "WA-2b", "WA-3", "WA-4", "WA-4a-1", "WA-4b-1")
def test_web_WA_1_a_round_against_the_dealer(house: People, visit: Visit) -> None:
    """Cards face up from the dealer's left; the house settles each seat alone, from the right."""
    ann, bob, cat = house.players
    with house.opened("house", Cards("<>=")) as table:
        felt = at(visit, table.name, ann)
        expect(felt.felt.locator(".banker")).to_contain_text("banks and pays")
        felt.refuses(1, 100, "tie", "primary_required")
        felt.bet(1, 100)
        felt.bet(1, 50, "tie")
        table.bet(bob, 2, 200).bet(cat, 3, 300)
        felt.lies(2, "primary", 200, bob)
        dealt = of(table.deal(), "dealt")
        for event in dealt:
            felt.shows(event["box"], event["card"])
        assert set(felt.cards()) == {"0", "1", "2", "3"}, "no card without a primary bet"
        lefts = [place(felt.box(box)).left for box in (1, 2, 3)]
        assert lefts == sorted(lefts, reverse=True), "the dealer's left is on the right"
        told = [text.split(":")[0] for _, text in felt.happened("dealt")]
        assert told == ["Box 1", "Box 2", "Box 3", "The Dealer"]
        felt.settles(1, "primary", "lost", 0)
        felt.settles(1, "tie", "lost", 0)
        felt.settles(2, "primary", "won", 400)
        felt.lies(3, "primary", 300)
        settled = [text.split(":")[0] for _, text in felt.happened("settled")]
        assert settled == ["Box 2", "Box 1", "Box 1"]
        felt.nets(-150)
        table.choose(cat, 3, "surrender")
        felt.settles(3, "primary", "surrendered", 150)
        assert felt.balance() == STACK - 150


@proves("web", "WA-4c-1", "WA-4c-2", "WA-4c-i", "WA-pay-surrender", "WA-pay-tie")
def test_web_WA_4c_i_surrender(house: People, visit: Visit) -> None:
    """A tie pays its wager 10 to 1 and asks the tied seat alone; a surrender loses half."""
    ann, bob, _ = house.players
    with house.opened("surrender", Cards("=>")) as table:
        felt, other = at(visit, table.name, ann), at(visit, table.name, bob)
        felt.bet(1, 1_001)
        felt.bet(1, 60, "tie")
        other.bet(2, 500)
        table.deal()
        felt.settles(1, "tie", "won", 660)
        felt.lies(1, "primary", 1_001)
        expect(felt.dock.locator("button[data-choice]")).to_have_count(2)
        expect(felt.option(1, "war")).to_be_enabled()
        surrender = felt.option(1, "surrender")
        expect(surrender).to_contain_text("You get $5.01 back and lose $5 (surrendered, half")
        expect(other.status).to_contain_text("has a tie and is choosing")
        expect(other.dock.locator("button[data-choice]:visible")).to_have_count(0)
        felt.choose(1, "surrender")
        felt.nets(600 - 500)
        assert felt.paid(1) == [
            ("Primary Bet", "surrendered, half returned", "$5.01", "-$5"),
            ("Tie Wager", "tie, paid 10 to 1", "$6.60", "+$6"),
        ]
        other.nets(500)


@proves("web", "WA-4c-ii", "WA-4c-ii-eg", "WA-4c-ii-1-player", "WA-4c-ii-1-dealer")
@proves("web", "WA-4c-ii-1a", "WA-4c-ii-1b", "WA-pay-warwin", "WA-pay-wartie", "WA-2b")
def test_web_WA_4c_ii_three_units(house: People, visit: Visit) -> None:
    """A $5 bet makes a pot of $15; burns before the players' cards and the dealer's; won, tied."""
    ann, bob, _ = house.players
    with house.opened("units", Cards("==", ">=")) as table:
        felt, other = at(visit, table.name, ann), at(visit, table.name, bob)
        felt.bet(1, 500)
        other.bet(2, 800)
        table.deal()
        expect(felt.option(1, "war")).to_contain_text("Puts $5 more at stake (War Wager)")
        expect(felt.option(1, "war")).to_contain_text("Win +$5, tie +$10")
        expect(felt.dock.locator(".choice input, [data-choice=war_tie]")).to_have_count(0)
        original = felt.cards()
        felt.choose(1, "war")
        felt.lies(1, "primary", 500)
        felt.lies(1, "war", 500)
        assert felt.balance() == STACK - 1_000
        other.choose(2, "war")
        expect(felt.box(1).locator("[data-matched]")).to_have_attribute("data-matched", "500")
        expect(felt.box(1).locator("[data-pot]")).to_have_text("Pot $15")
        expect(felt.box(2).locator("[data-pot]")).to_have_attribute("data-pot", "2400")
        burned = felt.felt.locator("[data-burned]")
        for cards, war in ((3, []), (3, ["1"]), (3, ["1", "2"]), (6, ["1", "2"])):
            while len(table.state()["round"]["burned"]) < cards or (
                len(table.state()["round"]["war_cards"]) < len(war)
            ):
                table.must(table.dealer, "proceed", steps=1)
            expect(burned).to_have_attribute("data-burned", str(cards))
            expect(felt.felt.locator(".cards [data-deal=war]")).to_have_count(len(war))
            assert sorted(felt.cards("war")) == war
            assert felt.cards() == original
        expect(burned.locator('wt-card[data-card="??"]')).to_have_count(6)
        last = of(table.proceed(), "dealt")
        assert [event["box"] for event in last] == [0]
        felt.shows(0, last[0]["card"], "war")
        felt.settles(1, "primary", "war_won", 500)
        felt.settles(1, "war", "war_won", 1_000)
        felt.nets(500)
        other.nets(1_600)
        three = "war won: the three units available"
        assert felt.paid(1) == [
            ("Primary Bet", three, "$5", "$0"),
            ("War Wager", three, "$10", "+$5"),
        ]
        four = "war tied: the three units and one more"
        assert other.paid(2) == [
            ("Primary Bet", four, "$8", "$0"),
            ("War Wager", four, "$24", "+$16"),
        ]


@proves("web", "WA-4c-ii-1c")
def test_web_WA_4c_ii_1c_a_lost_war(house: People, visit: Visit) -> None:
    """The house takes the units of a lost war: two of them are the player's."""
    ann, *_ = house.players
    with house.opened("lost", Cards("=", "<")) as table:
        felt = at(visit, table.name, ann)
        felt.bet(1, 725)
        table.deal()
        felt.choose(1, "war")
        expect(felt.box(1).locator("[data-pot]")).to_have_attribute("data-pot", "2175")
        table.proceed()
        felt.nets(-1_450)
        assert felt.paid(1) == [
            ("Primary Bet", "war lost", "$0", "-$7.25"),
            ("War Wager", "war lost", "$0", "-$7.25"),
        ]
        expect(felt.box(1).locator(".pot")).to_be_hidden()
        assert felt.balance() == STACK - 1_450


@proves("web", "WA-pay-beat", "WA-pay-surrender", "WA-pay-warwin", "WA-pay-wartie", "WA-pay-tie")
def test_web_WA_pay_the_paytable(house: People, visit: Visit, page: Page) -> None:
    """The felt prints what each wager pays, and the rules have the document's own rows."""
    with house.opened("paytable") as table:
        felt = at(visit, table.name, house.players[0])
        felt.felt.locator(".payouts summary").click()
        pays = felt.felt.locator("[data-pay]")
        expect(pays.nth(0)).to_have_text("Primary Bet1 to 1")
        expect(pays.nth(1)).to_have_text("Tie Wager10 to 1")
        expect(pays.nth(2)).to_contain_text("Won: 1 to 1 on the War Wager, the Primary Bet back")
        expect(pays.nth(2)).to_contain_text("tied: 2 to 1, the Primary Bet back")
        arcs = felt.felt.locator("[data-inscription] textPath")
        expect(arcs.nth(1)).to_have_text("PRIMARY BET PAYS 1 TO 1  ♦  TIE WAGER PAYS 10 TO 1")
        expect(arcs.nth(2)).to_contain_text("1 to 2")
    page.goto("/rules?book=washington")
    for clause, words in (
        ("WA-pay-beat", "1 to 1"),
        ("WA-pay-surrender", "half"),
        ("WA-pay-warwin", "1 to 2"),
        ("WA-pay-wartie", "1 to 1"),
        ("WA-pay-tie", "10 to 1"),
    ):
        expect(page.locator(f'[data-clause="{clause}"]')).to_contain_text(words)


MOVES = """
const animate = Element.prototype.animate;
window.moves = [];
Element.prototype.animate = function (frames, ...rest) {
  if (this.matches(".pile")) {
    const names = { none: "box", "translateX(120%)": "beside" };
    const way = frames.map(({ transform }) => names[transform] ?? "dealer");
    window.moves.push([Number(this.closest("wt-box").dataset.box), way.join(" ")]);
  }
  return animate.call(this, frames, ...rest);
};
"""
"""Keeps where the chips of every box go, whenever they are moved."""


@proves("web", "WA-4c-iii")
@pytest.mark.parametrize(
    ("payment", "way"), [("pick_and_pay", "dealer box"), ("lay_and_pay", "beside box")]
)
def test_web_WA_4c_iii_pick_or_lay(house: People, visit: Visit, payment: str, way: str) -> None:
    """Paid bets come from the dealer or are paid beside, as the house likes; the rest stays."""
    with house.opened(
        payment.replace("_", " "), Cards("><>"), settings={"deal.payment": payment}
    ) as table:
        page = visit(still=False)
        page.add_init_script(MOVES)
        page.goto(f"/table?name={table.name}")
        felt = Felt(page)
        for box, player in enumerate(house.players, 1):
            table.bet(player, box, 100)
            felt.lies(box, "primary", 100, player)
        table.deal()
        for box, outcome, returned in ((3, "won", 200), (2, "lost", 0), (1, "won", 200)):
            felt.settles(box, "primary", outcome, returned)
        assert page.evaluate("() => window.moves") == [[3, way], [2, "box dealer"], [1, way]]
