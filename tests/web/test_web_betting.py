"""Betting on the page: every button in reach, refusals that go, a tour that ends."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from browser import NARROW, PHONE, Visit
from hosting import FAST, Client, Hosted
from live_tables import Cards, OwnTable
from table_pages import Felt, at, place

PATIENT = """() => {
  const later = window.setTimeout;
  window.setTimeout = (act, ms, ...more) => (ms === 6000 ? 0 : later(act, ms, ...more));
}"""
"""A refusal goes by itself after a while; in this page it does not."""

SLOW = """() => {
  const later = window.setTimeout;
  window.setTimeout = (act, ms, ...more) => (ms === 330 ? 0 : later(act, ms, ...more));
}"""
"""After a dealt card, this page shows more only when something is pressed."""
UNDER = "([x, y]) => document.elementFromPoint(x, y).closest('[data-choice]') !== null"
"""Whether a choice lies at a place."""


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house whose shared tables take bets until everybody is ready."""
    folder = tmp_path_factory.mktemp("house")
    books = ("new-zealand", "online", "washington")
    with Hosted(folder, books=books, shared=replace(FAST, bets_ms=600_000)) as running:
        yield running


@pytest.fixture
def player(hosted: Hosted) -> Iterator[Client]:
    """A new guest."""
    with hosted.guest() as client:
        yield client


def in_reach(page: Page, *actions: str) -> None:
    """Each of these buttons lies within the width of the window."""
    for action in actions:
        button = page.locator(f'[data-action="{action}"]')
        expect(button).to_be_visible()
        where = place(button)
        assert 0 <= where.left < where.right <= PHONE[0], f"{action} is at {where}"


def test_deal_is_in_reach_beside_every_other_button(
    visit: Visit, hosted: Hosted, player: Client
) -> None:
    """Where the tie can be left to others, a phone shows that offer and *Deal* as well."""
    with OwnTable(hosted, player, "new-zealand") as table:
        felt = at(visit, table.name, who=player, size=PHONE)
        felt.bet(1, 500)
        # Nobody else is at the table who could bet on the tie.
        expect(felt.page.locator('[data-action="decline"]')).to_be_hidden()
        player.post(f"/tables/{table.name}/bots", 200, count=1)
        expect(felt.page.locator("#company [data-guest]")).to_have_count(2)
        in_reach(felt.page, "undo", "clear", "double", "decline", "deal")


def test_a_refusal_goes_with_the_next_step(visit: Visit, hosted: Hosted, player: Client) -> None:
    """The next refusal, an accepted wager and the deal each take away what was said before."""
    with OwnTable(hosted, player, "online", Cards("=", ">")) as table:
        page = visit(who=player)
        page.add_init_script(f"({PATIENT})()")
        page.goto(f"/table?name={table.name}")
        felt, refusals = Felt(page), page.locator(".refusal")
        felt.refuses(1, 500_000, "primary", "insufficient")
        felt.refuses(2, 500_000, "primary", "insufficient")
        expect(refusals).to_have_count(1)
        felt.bet(1, 500)
        expect(refusals).to_have_count(0)
        felt.refuses(3, 500_000, "primary", "insufficient")
        felt.deal()
        expect(felt.option(1, "war")).to_be_visible()
        expect(refusals).to_have_count(0)


def test_a_refusal_stays_inside_a_small_felt(visit: Visit, hosted: Hosted, player: Client) -> None:
    """Where three boxes make the felt smaller, all of the sentence can be read at each of them."""
    with OwnTable(hosted, player, "new-zealand") as table:
        for box in (1, 2, 3):
            table.bet(box, 500)
        felt = at(visit, table.name, who=player, size=NARROW)
        for box in (1, 2, 3):
            where = place(felt.refuses(box, 500_000, "primary", "insufficient"))
            assert 0 <= where.left < where.right <= NARROW[0], f"box {box}: {where}"


def test_the_last_wagers_outlast_a_reload(visit: Visit, hosted: Hosted, player: Client) -> None:
    """After a reload one button repeats them and deals."""
    with OwnTable(hosted, player, "online", Cards("<"), Cards(">")) as table:
        felt = at(visit, table.name, who=player)
        felt.bet(1, 500)
        felt.deal()
        felt.nets(-500)
        felt.page.reload()
        again = felt.page.locator('[data-action="deal"]')
        expect(again).to_have_text("Repeat $5 and deal")
        again.click()
        felt.nets(500)


def test_a_chip_stays_below_the_pointer(visit: Visit, hosted: Hosted, player: Client) -> None:
    """Its button does not move away from a pointer at its edge, where it would flicker."""
    with OwnTable(hosted, player, "online") as table:
        page = at(visit, table.name, who=player).page
        chip = page.locator('[data-chip="2500"]')
        before = place(chip)
        page.mouse.move((before.left + before.right) / 2, before.bottom - 2)
        expect(page.locator('[data-chip="2500"]:hover')).to_have_count(1)
        assert place(chip) == before


def test_a_tour_that_ended_does_not_come_with_a_reload(
    visit: Visit, hosted: Hosted, player: Client
) -> None:
    """The address still asks for the tour; who skipped it is left alone."""
    with OwnTable(hosted, player, "online") as table:
        page = visit(f"/table?name={table.name}&tour=1", who=player)
        tour = page.locator("[data-tour]")
        expect(tour).to_have_attribute("data-tour", "tour.chip")
        page.locator("[data-action=skip]").click()
        page.reload()
        expect(page.locator("wt-box.mine [data-spot=primary].open")).to_be_visible()
        expect(page.locator("[data-tour]")).to_be_hidden()


def test_the_tour_at_a_shared_table(visit: Visit, player: Client) -> None:
    """From the lobby to a shared table: the tour speaks of *Ready*, the button that is there."""
    page = visit("/", who=player)
    page.locator('[data-sit="washington 1"]').click()
    page.locator("[data-action=sit]").click()
    own = page.locator("wt-box.mine [data-spot=primary].open")
    tour = page.locator("[data-tour]")
    expect(own).to_be_visible()
    expect(tour).to_have_attribute("data-tour", "tour.chip")
    own.click()
    expect(tour).to_have_attribute("data-tour", "tour.ready")
    expect(page.locator("[data-action=ready]")).to_contain_class("guided")


def test_a_phone_shows_a_spot_to_a_player_without_a_seat(
    visit: Visit, hosted: Hosted, player: Client
) -> None:
    """At another player's box, which is enlarged for whoever has none; later they choose it."""
    name = "new-zealand 1"
    with hosted.guest() as other:
        other.hello(name)
        other.must("join", amount=10_000, seat=3)
        felt = at(visit, name, who=player, size=PHONE)
        felt.page.locator("[data-action=stand]").tap()
        expect(felt.status).to_have_text("Choose a box on the felt and place your bets.")
        large = felt.felt.locator("wt-box.large")
        expect(large).to_have_count(1)
        spot = large.locator("[data-spot=primary]")
        spot.tap()
        expect(spot).to_have_attribute("data-mine", "500")
        for client in (other, player):
            client.hello(name)
            client.must("leave")


def test_a_press_counts_for_what_was_seen(visit: Visit, hosted: Hosted, player: Client) -> None:
    """A press that hurries the cards, a double click or a held key chooses and deals nothing."""
    rounds = (Cards("=", ">"), Cards(">"))
    with OwnTable(hosted, player, "washington", *rounds) as table:
        page = visit(who=player, size=PHONE, still=False)
        page.add_init_script(f"({SLOW})()")
        page.goto(f"/table?name={table.name}")
        felt = Felt(page)
        felt.bet(1, 500)
        deal = page.locator('[data-action="deal"]')
        where = place(deal)
        middle = ((where.left + where.right) / 2, (where.top + where.bottom) / 2)
        page.touchscreen.tap(*middle)
        expect(felt.card(1)).to_be_visible()
        page.touchscreen.tap(*middle)  # shows the other card, and a choice where Deal was
        expect(felt.option(1, "war")).to_be_enabled()
        assert page.evaluate(UNDER, middle)
        page.mouse.move(*middle)
        page.mouse.down(click_count=2)
        page.mouse.up(click_count=2)
        felt.choose(1, "war")
        expect(felt.card(1, "war")).to_be_visible()
        page.keyboard.press("Shift")
        felt.nets(500)
        expect(deal).to_be_enabled()
        page.keyboard.press("d")  # the same again
        expect(felt.card(1)).to_be_visible()
        page.keyboard.press("d")
        felt.nets(500)
        page.keyboard.press("r")
        expect(felt.spot(1)).to_have_attribute("data-mine", "500")
        for _ in range(3):
            page.keyboard.down("x")
        expect(felt.spot(1)).to_have_attribute("data-mine", "1000")
        page.keyboard.press("u")
        expect(felt.spot(1)).to_have_attribute("data-mine", "500")
        assert hosted.house.floor.places[table.name].live.state.rounds == 3


def test_a_late_bet_opens_no_receipt(visit: Visit, hosted: Hosted, player: Client) -> None:
    """A press on a spot while the cards come only shows them; the next one tells of the wager."""
    with OwnTable(hosted, player, "washington", Cards("=", ">")) as table:
        page = visit(who=player, still=False)
        page.add_init_script(f"({SLOW})()")
        page.goto(f"/table?name={table.name}")
        felt, receipt = Felt(page), page.locator('[data-dialog="receipt"]')
        felt.bet(1, 500)
        felt.deal()
        expect(felt.card(1)).to_be_visible()
        felt.click(1)
        expect(felt.option(1, "war")).to_be_enabled()
        expect(receipt).to_have_count(0)
        felt.click(1)
        expect(receipt).to_be_visible()
        page.keyboard.press("Escape")
