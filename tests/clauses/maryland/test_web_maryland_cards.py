"""Maryland's cards in the browser: opening, cut, batches, the idle table, irregularities."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from browser import Visit
from clauses import proves
from live_tables import Stack, listing
from staffed_pages import amount, box, card, choose, ended, put, sit, spot, told, wager
from staffed_tables import BUY_IN, House, SeatedTable, ties
from table_pages import catch_up

MD = "maryland"
BOOKS = (MD,)
BET = {"primary": 10}
SIDE = {"primary": 100, "tie": 50, "progressive": 500}


def no_ties(cards: Stack) -> bool:
    """Three rounds of three boxes end without a tie."""
    rounds = (cards[0:4], cards[4:8], cards[8:12])
    return not any(ties(each, dealer) for *boxes, dealer in rounds for each in boxes)


def no_tie(cards: Stack) -> bool:
    """No card among the next five is like another, and none starts the wheel."""
    return len({each[0] for each in cards[:5]}) == 5 and "7" not in {each[0] for each in cards[:5]}


def spread(page: Page) -> list[str]:
    """The cards that lie face up, in their order."""
    catch_up(page)
    found: list[str] = page.locator("[data-spread]").evaluate_all(
        "(all) => all.map((each) => each.dataset.spread)"
    )
    return found


def prepare(table: SeatedTable, *steps: str, batch: str = "") -> None:
    """Steps of the preparation by dealer and floor."""
    for step in steps:
        by = table.floor if step == "verify" else table.dealer
        table.must(by, "prepare", step=step, batch=batch)


def offered(page: Page) -> None:
    """The page offers the cut."""
    expect(page.locator("#dock")).to_have_attribute("data-panel", "offer")
    expect(page.locator("#status")).to_have_text("Cut the cards, or refuse.")


@proves("web", "MD-4-B", "MD-4-C", "MD-4-C-1", "MD-4-C-2", "MD-4-C-3", "MD-5-B-2", "MD-5-C")
@proves("web", "MD-5-E-1", "MD-5-F", "MD-3-A-2")
def test_web_MD_4_B_the_opening(house: House, visit: Visit) -> None:
    """The first player sees every card in order and says so; then all is mixed, cut and loaded."""
    with house.table(MD, 3, 1) as table:
        first, second = sit(visit, table), sit(visit, table, index=1)
        table.receive()
        prepare(table, "inspect", "verify")
        expect(first.locator("[data-spread]")).to_have_count(0)
        prepare(table, "spread")
        # Deck by deck, suit by suit, in sequence.
        deck = [rank + suit for suit in "cdhs" for rank in "23456789TJQKA"]
        expect(first.locator("[data-spread]")).to_have_count(312)
        assert spread(first) == deck * 6
        expect(first.locator(".spread-rows > li")).to_have_count(6 * 4)
        assert table.code(table.dealer, "prepare", step="turn") == "wrong_step"
        expect(second.locator("[data-viewer]")).to_contain_text("is asked to look at the cards")
        expect(second.locator('[data-action="view"]')).to_have_count(0)
        first.locator('[data-action="view"]').click()
        expect(first.locator('[data-action="view"]')).to_have_count(0)
        prepare(table, "turn")
        expect(first.locator(".spread")).to_be_hidden()
        prepare(table, "wash", "stack")
        expect(first.locator("#status")).to_have_text("The cards are being shuffled.")
        assert told(first, "prepared")[-3:] == [
            "The cards are turned face down.",
            "The cards are washed.",
            "The cards are stacked.",
        ]
        table.shuffle()
        # Who came first is asked first, wherever the seat is.
        offered(first)
        expect(second.locator("#dock")).not_to_have_attribute("data-panel", "offer")
        expect(second.locator("#status")).to_contain_text("is asked to cut the cards")
        assert table.code(table.dealer, "load_shoe") == "cut_due"
        expect(first.locator("[data-shoe]")).to_have_attribute("data-shoe", "0")
        cut = first.locator("#cut")
        cut.press("Home")
        expect(cut).to_have_value("10")
        cut.press("End")
        expect(cut).to_have_value("302")
        # A place too near to the end is refused, and the player is asked again.
        cut.evaluate("(slider) => { slider.max = '312'; slider.value = '303'; }")
        first.locator('[data-action="cut"]').click()
        expect(first.locator("#complaint")).to_have_attribute("data-code", "cut")
        offered(first)
        cut.evaluate("(slider) => { slider.value = '302'; }")
        first.locator('[data-action="cut"]').click()
        expect(first.locator("#dock")).not_to_have_attribute("data-panel", "offer")
        assert told(first, "cut_made") == ["You cut: 302 cards go to the bottom."]
        table.must(table.dealer, "load_shoe")
        # Six decks are 312 cards; the first is burned.
        expect(first.locator("[data-shoe]")).to_have_attribute("data-shoe", "311")
        expect(first.locator("[data-rack]")).to_have_attribute("data-rack", "1")


@proves("web", "MD-5-B-2")
def test_web_MD_5_B_2_preshuffled_cards_are_cut(house: House, visit: Visit) -> None:
    """Preshuffled cards are offered for the cut like those shuffled by hand."""
    with house.table(MD, 1) as table:
        page = sit(visit, table)
        table.prepare("inspected_and_shuffled")
        table.shuffle()
        offered(page)
        assert table.code(table.dealer, "load_shoe") == "cut_due"
        page.locator('[data-action="refuse_cut"]').click()
        expect(page.locator("#status")).to_have_text("The cards are going into the shoe.")


@proves("web", "MD-5-E-2", "MD-5-E-3")
@pytest.mark.parametrize(("cover", "at", "seat"), [("302/312", 2, 2), ("300/312", 0, 3)])
def test_web_MD_5_E_2_the_cover_card_says_who_cuts(
    house: House, visit: Visit, cover: str, at: int, seat: int
) -> None:
    """The cut is offered where the cover card lay, or at the far right if at the dealer's hand."""
    with house.table(MD, 1, 2, 3, settings={"shoe.cover_from_bottom": cover}) as table:
        page = sit(visit, table, index=seat - 1)
        for _ in range(3):
            table.play(no_ties, BET, BET, BET)
        expect(page.locator(".cover-card")).to_have_attribute("data-cover", str(at))
        table.shuffle()
        offered(page)
        assert told(page, "cut_offered")[-1] == "The cut is offered to you."


@proves("web", "MD-5-G-1")
@pytest.mark.parametrize(("who", "seat"), [("last", 1), ("next", 3)])
def test_web_MD_5_G_1_a_recut(house: House, visit: Visit, who: str, seat: int) -> None:
    """The floor chooses on its page who cuts again, and that player's page offers it."""
    with house.table(MD, 1, 2, 3) as table:
        table.prepare()
        table.shuffle()
        table.must(table.players[0], "cut", position=100)
        page = sit(visit, table, index=seat - 1)
        floor = visit(f"/floor?{urlencode({'table': table.name})}", who=house.staff.floor)
        floor.locator('[data-group="irregular"] summary').click()
        order = floor.locator('form[data-command="order_recut"]')
        order.locator("select").select_option(who)
        order.locator("input").fill("not cut well")
        order.get_by_role("button").click()
        offered(page)
        assert "The floor orders another cut: not cut well." in told(page, "recut_ordered")
        page.locator('[data-action="refuse_cut"]').click()
        expect(page.locator("#dock")).not_to_have_attribute("data-panel", "offer")


@proves("web", "MD-3-B-2", "MD-4-E")
def test_web_MD_4_E_two_batches(house: House, visit: Visit) -> None:
    """Both batches are opened step by step, and each shows its own colour on its backs."""
    with house.table(MD, 1, options={"shuffle": "batches"}) as table:
        page = sit(visit, table)
        table.receive()
        for batch in ("red", "blue"):
            prepare(table, "inspect", "verify", "spread", batch=batch)
            expect(page.locator("[data-spread]")).to_have_count(312)
            expect(page.locator(".spread")).to_contain_text(f"with {batch} backs")
            page.locator('[data-action="view"]').click()
            expect(page.locator('[data-action="view"]')).to_have_count(0)
            prepare(table, "turn", "wash", "stack", batch=batch)
            expect(page.locator(".spread")).to_be_hidden()
            with listing(table.live):
                table.shuffle()
                table.order(lambda cards: ties(cards[0], cards[1]))
            table.must(table.dealer, "load_shoe")
            expect(page.locator("[data-shoe]")).to_have_attribute("data-back", batch)
            table.start()
            table.bet(table.players[0], 1, 10)
            table.dealt()
            choose(page, 1, "war")
            table.must(table.dealer, "proceed", steps=3)
            hidden = page.locator('[data-burned] [data-card="??"]')
            expect(hidden).to_have_count(3)
            for each in hidden.all():
                expect(each).to_have_attribute("data-back", batch)
            table.proceed()
            table.must(table.floor, "order_reshuffle", reason="the other batch")
        # Seven steps for each of the two batches.
        assert len(told(page, "prepared")) == 14


@proves("web", "MD-5-I-2", "MD-5-I-3")
def test_web_MD_5_I_the_idle_table(house: House, visit: Visit) -> None:
    """An idle table's cards lie face down until a player asks; then all begins anew."""
    with house.table(MD, 1) as table:
        ann = house.guests[0]
        table.open()
        table.must(ann, "leave")
        table.must(table.dealer, "go_idle")
        table.must(ann, "join", amount=1_000, seat=4)
        table.players = [ann]
        page = sit(visit, table)
        expect(page.locator(".spread-down")).to_be_visible()
        expect(page.locator("[data-spread]")).to_have_count(0)
        page.locator('[data-action="turn_up"]').click()
        expect(page.locator("[data-spread]")).to_have_count(312)
        assert table.code(table.dealer, "start_round") == "no_shoe"
        page.locator('[data-action="view"]').click()
        expect(page.locator('[data-action="view"]')).to_have_count(0)
        prepare(table, "turn")
        expect(page.locator(".spread")).to_be_hidden()
        prepare(table, "wash", "stack")
        table.shuffle()
        offered(page)
        page.locator('[data-action="cut"]').click()
        expect(page.locator("#status")).to_have_text("The cards are going into the shoe.")
        table.must(table.dealer, "load_shoe")
        table.start()
        put(page, 4, 100)


@proves("web", "MD-11-A")
def test_web_MD_11_A_a_card_face_up(house: House, visit: Visit) -> None:
    """A card found face up is told and goes to the rack; the next one takes its place."""
    with house.table(MD, 1) as table:
        page = sit(visit, table)
        table.ready(no_tie, {"primary": 100})
        table.must(table.dealer, "find_face_up")
        expect(page.locator("[data-rack]")).to_have_attribute("data-rack", "2")
        expect(page.locator('[data-round="current"] [data-card]')).to_have_count(0)
        aside = told(page, "card_set_aside")[0].rpartition(": ")[2].rstrip(".")
        table.proceed()
        expect(card(page, 1)).to_be_visible()
        for number in (0, 1):
            assert card(page, number).get_attribute("aria-label") != aside
        dealt = table.told("dealt")
        expect(card(page, 1)).to_have_attribute("data-card", dealt[0]["card"])


@proves("web", "MD-11-C")
def test_web_MD_11_C_a_missed_box(house: House, visit: Visit) -> None:
    """A box without a card has every wager back and no card, while the others play on."""
    with house.table(MD, 1, 2) as table:
        page = sit(visit, table, index=1)
        table.ready(no_tie, {"primary": 100}, SIDE)
        amount(page, "balance", BUY_IN - 650)
        table.must(table.dealer, "proceed", steps=1)
        table.must(table.dealer, "miss_box", box=2)
        for kind, staked in SIDE.items():
            ended(page, 2, kind, "not_dealt", staked)
        amount(page, "balance", BUY_IN)
        assert told(page, "box_voided") == ["Box 2 was not dealt a card: its wagers are returned."]
        table.proceed()
        expect(card(page, 2)).to_have_count(0)
        expect(card(page, 1)).to_be_visible()
        expect(wager(page, 1)).to_have_attribute("data-net", "100" if won(table) else "-100")
        expect(box(page, 2).locator(".result")).to_have_attribute("data-net", "0")


def won(table: SeatedTable) -> bool:
    """Whether box 1's card is higher than the dealer's."""
    cards = {event["box"]: event["card"] for event in table.told("dealt")}
    order = "23456789TJQKA"
    return order.index(cards[1][0]) > order.index(cards[0][0])


@proves("web", "MD-11-D")
def test_web_MD_11_D_a_jam(house: House, visit: Visit) -> None:
    """A jam voids the round: players are told, every wager goes back, meters are as before."""
    with house.table(MD, 1, options={"shuffle": "every_round"}) as table:
        page = sit(visit, table)
        table.ready(no_tie, SIDE)
        meter = page.locator('wt-meter[data-meter="progressive"]')
        expect(meter).to_have_attribute("data-amount", "1000015")
        table.must(table.dealer, "proceed", steps=1)
        table.must(table.dealer, "jam")
        words = "The round is void (the shuffler jammed): all wagers are returned."
        expect(page.locator('#record [data-event="round_voided"]')).to_have_text(words)
        expect(page.locator("#announcement")).to_contain_text(words)
        for kind, staked in SIDE.items():
            ended(page, 1, kind, "void", staked)
        amount(page, "balance", BUY_IN)
        expect(meter).to_have_attribute("data-amount", "1000000")


@proves("web", "MD-11-E-1", "MD-11-E-2")
@pytest.mark.parametrize(
    ("mark", "words"), [("covered", "Device covered"), ("signed", "Out of order")]
)
def test_web_MD_11_E_a_device_out_of_order(
    house: House, visit: Visit, mark: str, words: str
) -> None:
    """A device that failed is shown covered or with its sign until it is repaired."""
    with house.table(MD, 1, options={"shuffle": "batches"}) as table:
        page = sit(visit, table)
        table.open(no_tie)
        device = page.locator(".device-sign")
        expect(device).to_be_hidden()
        table.must(table.dealer, "fail_device", reason="no light")
        table.must(table.dealer, "mark_device", mark=mark)
        expect(device).to_have_attribute("data-device", mark)
        expect(device).to_have_text(f"{words}: no light")
        table.must(table.floor, "change_method", method="shoe")
        table.open(no_tie)
        table.play(no_tie, {"primary": 100})
        expect(device).to_be_visible()
        table.must(table.floor, "repair_device")
        expect(device).to_be_hidden()
        expect(spot(page, 1)).to_be_visible()
