"""Maryland's layout in the browser: the felt, its print, the sign, the rules page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser import PHONE, Visit, assert_accessible, assert_fits
from clauses import proves
from staffed_pages import box, choose, middle, place, sit, spot
from staffed_tables import House, house_of

MD = "maryland"
HALL = "Chesapeake Hall"
BACK = "the Initial Wager back"

# The lines of Chapter 10 of the document, in its order.
WAGERS = [
    ("primary", "", "1 to 1"),
    ("tie", "", "10 to 1"),
    ("war", "", f"Won: 1 to 1 on the War Wager, {BACK}; tied: 2 to 1, {BACK}"),
    ("war_tie", "", "10 to 1"),
]
PROGRESSIVE = [
    ("progressive", "suited four of a kind", "1000 to 1 and the meter"),
    ("progressive", "suited double tie", "200 to 1"),
    ("progressive", "four of a kind", "150 to 1"),
    ("progressive", "double tie", "30 to 1"),
    ("progressive", "suited tie", "15 to 1"),
    ("progressive", "tie", "5 to 1"),
    ("envy", "suited four of a kind", "$5,000 for each $5 wagered"),
]
HOT_SPOT = [
    ("bonus_spin", "hot spot jackpot primary", "the primary meter"),
    ("bonus_spin", "hot spot jackpot secondary", "the secondary meter"),
    ("bonus_spin", "hot spot $1,000", "$1,000 for $5"),
    ("bonus_spin", "hot spot $600", "$600 for $5"),
    ("bonus_spin", "hot spot $500", "$500 for $5"),
    ("bonus_spin", "hot spot $400", "$400 for $5"),
    ("bonus_spin", "hot spot $350", "$350 for $5"),
    ("bonus_spin", "hot spot $300", "$300 for $5"),
    ("bonus_spin", "hot spot $250", "$250 for $5"),
    ("bonus_spin", "hot spot $200", "$200 for $5"),
]
COMMUNITY = [
    ("bonus_spin", "community $150", "$150 for $5"),
    ("bonus_spin", "community $100", "$125 for $5"),
    ("bonus_spin", "community $75", "$100 for $5"),
    ("bonus_spin", "community $50", "$75 for $5"),
    ("bonus_spin", "community $40", "$50 for $5"),
    ("bonus_spin", "community $35", "$40 for $5"),
    ("bonus_spin", "community $30", "$30 for $5"),
    ("bonus_spin", "community $25", "$25 for $5"),
]
WEDGES = ["$150", "$100→125", "$75→100", "$50→75", "$40→50", "$35→40", "$30", "$25"]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One house for all tests of this file; its records are verified at the end."""
    with house_of(tmp_path_factory.mktemp("house"), MD, operator=HALL) as running:
        yield running


def sign(page: Page) -> list[tuple[str, str, str]]:
    """The payout sign, line by line: wager, line, what it pays."""
    rows: list[list[str]] = page.locator("[data-pay]").evaluate_all(
        "(all) => all.map((e) => [e.dataset.pay, e.dataset.line ?? '', e.lastChild.textContent])"
    )
    return [(wager, line, pays) for wager, line, pays in rows]


@proves("web", "MD-2-A", "MD-2-B-1", "MD-2-B-2", "MD-2-B-3", "MD-2-B-4", "MD-2-F", "MD-8-A")
def test_web_MD_2_B_the_layout(house: House, visit: Visit) -> None:
    """Nine boxes face the dealer, each with its own spots; rack, shoe and operator are there."""
    with house.table(MD, 1) as table:
        table.open()
        page = sit(visit, table)
        expect(page.locator("wt-box")).to_have_count(9)
        expect(box(page, 10)).to_have_count(0)
        for kind in ("primary", "tie", "progressive", "bonus_spin"):
            expect(page.locator(f'wt-box [data-spot="{kind}"]')).to_have_count(9)
        dealer = place(box(page, 0))
        boxes = [place(box(page, number)) for number in range(1, 10)]
        assert all(each["y"] > dealer["y"] + dealer["height"] for each in boxes)
        # The dealer's left is on the player's right.
        middles = [middle(box(page, number)) for number in range(1, 10)]
        assert middles == sorted(middles, reverse=True)
        rack, shoe = page.locator("[data-rack]"), page.locator("[data-shoe]")
        expect(rack).to_be_visible()
        expect(shoe).to_be_visible()
        assert middle(rack) < middle(box(page, 0)) < middle(shoe)
        for holder in (place(rack), place(shoe)):
            assert holder["y"] + holder["height"] < min(each["y"] for each in boxes)
        expect(page.locator(".inscription .operator")).to_have_text(HALL)
        expect(page.locator(".inscription .operator")).to_be_visible()
        assert_accessible(page)


@proves("web", "MD-2-A")
def test_web_MD_2_A_fewer_boxes(house: House, visit: Visit) -> None:
    """A table of one box has one box, and only that."""
    with house.table(MD, 1, settings={"table.boxes": 1}) as table:
        page = sit(visit, table)
        expect(page.locator("wt-box")).to_have_count(1)


@proves("web", "MD-2-B-5a", "MD-10-A-1", "MD-10-A-2", "MD-10-A-3", "MD-10-A-4", "MD-10-B")
@proves("web", "MD-10-D", "MD-10-E")
def test_web_MD_2_B_5a_what_is_printed(house: House, visit: Visit) -> None:
    """The felt and the sign state every line of Chapter 10; the wheel shows what wedges pay."""
    with house.table(MD, 1) as table:
        page = sit(visit, table, size=(1920, 1080))
        lines = [*WAGERS, *PROGRESSIVE, *HOT_SPOT, *COMMUNITY]
        assert sign(page) == lines
        arc = page.locator(".inscription .pays")
        expect(arc).to_have_text("INITIAL WAGER PAYS 1 TO 1  ♦  TIE WAGER PAYS 10 TO 1")
        war = page.locator(".inscription .war")
        expect(war).to_contain_text("1 to 1; 2 to 1 when the War deal ties")
        small = page.locator(".left .micro li")
        expect(small).to_have_count(len(PROGRESSIVE))
        for row, (_, line, pays) in enumerate(PROGRESSIVE):
            expect(small.nth(row)).to_contain_text(pays)
            if row < 6:
                expect(small.nth(row)).to_contain_text(line)
            expect(small.nth(row)).to_be_visible()
        wheel = page.locator("wt-wheel")
        expect(wheel.locator(".ring.community .stop")).to_have_text(WEDGES)
        symbols = [line.removeprefix("hot spot ") for _, line, _ in HOT_SPOT[2:]]
        wedges = ["no hot spot", "★ primary", "★ secondary", *symbols]
        expect(wheel.locator(".ring.hot .stop")).to_have_text(wedges)
        spin = page.locator(".right .micro")
        expect(spin).to_contain_text("$100 pays $125, $75 pays $100, $50 pays $75, $40 pays $50")
        expect(spin).to_contain_text("All for $5.")
        spoken = page.locator("[data-inscription] .visually-hidden")
        for words in (
            "Tie Wager pays 10 to 1",
            "suited tie pays 15 to 1",
            "community $35 pays $40",
        ):
            expect(spoken).to_contain_text(words)


@pytest.mark.finding(15)
@proves("web", "MD-7-F-4")
def test_web_MD_7_F_4_the_trigger_card_and_the_chances(house: House, visit: Visit) -> None:
    """The felt names the designated card, its chance and that of every stop of this wheel."""
    settings = {
        "wagers.bonus_spin.trigger.rank": "K",
        "wagers.bonus_spin.trigger.color": "black",
        "wagers.bonus_spin.wheel.hot_spot.none": 9_615,
        "wagers.bonus_spin.wheel.hot_spot.jackpot_secondary": 4,
    }
    with house.table(MD, 1, settings=settings) as table:
        page = sit(visit, table, size=(1440, 900))
        card = "The wheel turns when the dealer's first card is a black king: 1 in 26 rounds."
        expect(page.locator(".right .micro")).to_contain_text(card)
        expect(page.locator(".right .micro")).to_be_visible()
        words = page.locator(".payouts [data-trigger]")
        expect(words).to_have_text(
            f"{card} Of its turns, 1 in 26 has a hot spot, 1 in 10,000 wins the primary jackpot,"
            " 1 in 2,500 wins the secondary jackpot."
        )
        expect(words).to_be_visible()
        chances = page.locator("wt-wheel .ring.hot .chance")
        shares = ["96.15%", "0.01%", "0.04%", "0.1%", "0.1%", "0.2%", "0.4%", "0.5%", "0.7%"]
        expect(chances).to_have_text([*shares, "0.8%", "1%"])
        expect(page.locator("[data-stops]")).to_contain_text(
            "Of the wheel's turns: no hot spot 96.15%, jackpot primary 0.01%, jackpot secondary"
        )
        expect(page.locator("[data-stops]")).to_contain_text("Community: $150 20%, $100 25%")
        page.set_viewport_size({"width": 390, "height": 844})
        expect(words).to_be_visible()


@proves("web", "MD-2-B-4", "MD-2-B-5a", "MD-2-C", "MD-7-F-3")
def test_web_MD_2_B_4_only_what_is_offered(house: House, visit: Visit) -> None:
    """A side bet's spots, lines and meters are there exactly where the table offers it."""
    off = {"wagers.progressive.offered": False}
    with house.table(MD, 1, settings=off) as table:
        page = sit(visit, table)
        expect(page.locator('[data-spot="progressive"]')).to_have_count(0)
        assert sign(page) == [*WAGERS, *HOT_SPOT, *COMMUNITY]
        expect(page.locator("wt-meter")).to_have_count(2)
        expect(page.locator('wt-meter[data-meter="progressive"]')).to_have_count(0)
    with house.table(MD, 1, settings={"wagers.bonus_spin.offered": False}) as table:
        page = sit(visit, table)
        expect(page.locator('[data-spot="bonus_spin"], wt-wheel, [data-trigger]')).to_have_count(0)
        assert sign(page) == [*WAGERS, *PROGRESSIVE]
        meter = page.locator("wt-meter")
        expect(meter).to_have_attribute("data-amount", "1000000")
        expect(meter).to_have_text("Progressive$10,000")
        table.open(lambda cards: cards[0][0] != cards[1][0])
        table.start()
        table.bet(table.players[0], 1, 100).bet(table.players[0], 1, 500, "progressive")
        table.dealt()
        # Three percent of $5.
        expect(meter).to_have_attribute("data-amount", "1000015")
        expect(meter).to_have_text("Progressive$10,000.15")


@pytest.mark.finding(16)
@proves("web", "MD-2-B-5b")
def test_web_MD_2_B_5b_the_payout_limit(house: House, visit: Visit) -> None:
    """The felt shows the posted limit on a hand's payout and pays by it; without one, nothing."""
    limits = {
        "limits.payout_max": 1_500,
        "limits.primary.max": 1_000,
        "limits.tie.max": 100,
        "limits.war_tie.max": 100,
    }
    with house.table(MD, 1, settings=limits) as table:
        page = sit(visit, table)
        shown = page.locator("[data-payout-limit]")
        expect(shown).to_have_text("Payout limit for each hand: $15.")
        expect(shown).to_be_visible()
        # A tie, then a war that is won: 10 to 1 on $1 and 1 to 1 on $10 would be $20.
        table.play(
            lambda c: c[0][0] == c[1][0] and c[0][0] == "2" and c[5][0] == "A" and c[6][0] == "2",
            {"primary": 1_000, "tie": 100},
        )
        choose(page, 1, "war")
        table.proceed()
        expect(page.locator("#net")).to_have_attribute("data-amount", "1500")
    with house.table(MD, 1) as table:
        page = sit(visit, table, size=PHONE)
        expect(page.locator(".payouts [data-payment]")).to_have_count(1)
        expect(page.locator("[data-payout-limit]")).to_have_count(0)
        expect(page.locator("wt-felt")).not_to_contain_text("ayout limit")


@proves("web", "MD-9-L", "MD-9-L-1", "MD-9-L-2")
@pytest.mark.parametrize("number", [3, 5, 7])
def test_web_MD_9_L_community_cards(house: House, visit: Visit, number: int) -> None:
    """The electronic version has so many cards that anybody bets on, against one dealer card."""
    with house.table(MD, 1, 2, options={"electronic": str(number)}) as table:
        table.open(lambda cards: not any(each[0] == cards[number][0] for each in cards[:number]))
        table.start()
        page = sit(visit, table)
        expect(page.locator("wt-box")).to_have_count(number)
        page.locator('[data-chip="500"]').click()
        spot(page, number).click()
        expect(spot(page, number)).to_have_attribute("data-mine", "500")
        table.bet(table.players[1], number, 300).bet(table.players[1], 1, 100)
        expect(spot(page, number)).to_have_attribute("data-amount", "800")
        table.dealt()
        expect(page.locator("wt-felt [data-deal=original]")).to_have_count(number + 1)
        expect(box(page, 0).locator("[data-card]")).to_have_count(1)
        ends = box(page, number).locator("wt-stack[data-outcome]")
        expect(ends).to_have_count(2)
        assert ends.nth(0).get_attribute("data-outcome") == ends.nth(1).get_attribute(
            "data-outcome"
        )


@proves("web", "MD-6-A", "MD-1-A-0")
def test_web_MD_6_A_the_rules_page(visit: Visit) -> None:
    """Ranks from the ace down, and the words of Chapter 1 with those that readings supply."""
    page = visit("/rules?book=maryland", size=PHONE)
    ranks = page.locator("[data-ranks] .mini")
    expect(ranks).to_have_text(["A", "K", "Q", "J", "10", *"98765432"])
    glossary = page.locator("[data-glossary]")
    terms = glossary.locator("dt").all_inner_texts()
    defined = ["Initial Wager", "original deal", "tie hand", "War", "War deal", "War Wager"]
    assert terms[:6] == defined
    for term in ("Tie Wager", "burn", "round", "suited", "double tie", "four of a kind"):
        meaning = glossary.locator(f'dt:text-is("{term}") + dd')
        expect(meaning.locator('a[href^="#M"]')).to_be_visible()
    meaning = glossary.locator('dt:text-is("War Wager") + dd')
    expect(meaning).to_contain_text("equals the Initial Wager")
    expect(glossary.locator('a[href="#MD-1-A-0"]')).to_have_count(1)
    glossary.locator('a[href="#M29"]').first.click()
    expect(page.locator('[data-reading="M29"]')).to_be_visible()
    assert_fits(page)
