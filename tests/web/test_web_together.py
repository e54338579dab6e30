"""People at one table, each in a browser of their own: everybody sees the same, told once."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser import PHONE, Network, Visit
from hosting import Client
from live_tables import Cards, StaffedTable
from staffed_tables import House
from table_pages import Felt, at, called, catch_up

BOOKS = ("washington", "california")
BALANCE = 40_000


@pytest.fixture
def table(house: House, request: pytest.FixtureRequest) -> Iterator[StaffedTable]:
    """A table for one test, empty."""
    name = f"room {request.node.name.removeprefix('test_').replace('_', ' ')}"
    with StaffedTable(house.hosted, house.staff, name, "washington") as opened:
        yield opened


def seen(felt: Felt) -> list[object]:
    """What a felt shows of cards, chips and results."""
    catch_up(felt.page)
    found: list[object] = felt.felt.evaluate(
        """(felt) => [...felt.querySelectorAll("wt-box, .dealer")].map((box) => [
          box.dataset.box,
          [...box.querySelectorAll(".cards [data-deal]")].map((card) => card.dataset.card),
          [...box.querySelectorAll("wt-stack[data-wager]")].map(({ dataset }) =>
            [dataset.player, dataset.wager, dataset.staked, dataset.outcome, dataset.returned]),
          box.querySelector(".result")?.dataset.net ?? null,
        ])"""
    )
    return found


def count(table: StaffedTable) -> int:
    """How many events everybody was told of until now."""
    table.number = table.spectator.get(f"/tables/{table.name}")["number"]
    return len(table.told())


def amount(page: Page, place: str, cents: int) -> None:
    """A figure of the bar."""
    expect(page.locator(f"#{place}")).to_have_attribute("data-amount", str(cents))


def test_chips_that_can_be_bet(visit: Visit, house: House, table: StaffedTable) -> None:
    """Where a wager is at most $300, no chip is above; keys, arrows and help know the same."""
    ann, *_ = house.guests
    table.join(ann).load(Cards(">"))
    table.start()
    page = at(visit, table.name, ann).page
    chips = page.locator("[data-chip]:visible")
    for most, best, count in ((30_000, 10_000, 4), (0, 100_000, 6), (500, 500, 2)):
        table.must(table.floor, "restrict", limit="wager_max", value=most)
        expect(chips).to_have_count(count)
        expect(chips.last).to_have_attribute("data-chip", str(best))
        page.keyboard.press(str(count))
        expect(chips.last).to_have_attribute("aria-checked", "true")
        page.keyboard.press("6")
        chips.last.focus()
        page.keyboard.press("ArrowRight")
        expect(chips.last).to_have_attribute("aria-checked", "true")
        page.locator("[data-action=help]").first.click()
        expect(page.locator("dialog kbd").first).to_have_text(f"1 to {count}")
        page.keyboard.press("Escape")


def test_two_browsers(visit: Visit, house: House, table: StaffedTable) -> None:
    """What one bets and chooses the other sees, each with their own money and their own result."""
    ann, bob, _ = house.guests
    table.join(ann, bob).load(Cards("=<", ">"))
    table.start()
    one, two = at(visit, table.name, ann), at(visit, table.name, bob, size=PHONE)
    watcher = at(visit, table.name)
    one.bet(1, 2_500)
    two.lies(1, "primary", 2_500, ann)
    expect(two.spot(1)).to_have_attribute("data-mine", "0")
    two.bet(2, 1_000)
    one.lies(2, "primary", 1_000, bob)
    amount(one.page, "at-stake", 2_500)
    amount(two.page, "at-stake", 1_000)
    table.deal()
    expect(one.dock).to_have_attribute("data-panel", "choice")
    expect(two.dock).to_have_attribute("data-panel", "bets")
    expect(two.status).to_have_text(f"{called(ann)} has a tie and is choosing.")
    one.choose(1, "war")
    two.lies(1, "war", 2_500, ann)
    expect(two.box(1)).to_have_attribute("data-choice-made", "war")
    table.proceed()
    # Ann's war is won: one unit. Bob's card was lower.
    one.nets(2_500)
    two.nets(-1_000)
    amount(one.page, "balance", BALANCE + 2_500)
    amount(two.page, "balance", BALANCE - 1_000)
    for felt in (two, watcher):
        felt.settles(1, "war", "war_won", 5_000)
        felt.settles(2, "primary", "lost", 0)
        assert seen(felt) == seen(one)
    expect(watcher.page.locator("#net")).to_have_text("\N{EN DASH}")
    expect(watcher.page.locator("#dock")).to_have_attribute("data-panel", "seat")


def watched(visit: Visit, table: StaffedTable, who: Client) -> tuple[Felt, Network]:
    """A player's page with a connection that can be cut."""
    page = visit(who=who, routed=True)
    network = Network.of(page)
    page.goto(f"/table?name={table.name}")
    felt = Felt(page)
    expect(felt.status).not_to_be_empty()
    return felt, network


def test_the_tour_waits_for_an_own_round(visit: Visit, house: House, table: StaffedTable) -> None:
    """Who sits down at a table where others play is shown how to bet, not told that it is done."""
    ann, bob, _ = house.guests
    table.join(ann, bob).load(Cards(">"), Cards(">"))
    table.start()
    page = visit(f"/table?name={table.name}&tour=1", who=ann)
    tour = page.locator("[data-tour]")
    expect(tour).to_have_attribute("data-tour", "tour.chip")
    table.bet(bob, 2, 1_000).deal()
    table.start()
    expect(page.locator("[data-round=previous]").first).to_be_visible()
    catch_up(page)
    expect(tour).to_be_visible()
    expect(tour).to_have_attribute("data-tour", "tour.chip")
    Felt(page).bet(1, 1_000)
    table.deal()
    table.start()
    expect(tour).to_have_attribute("data-tour", "tour.end")


def test_tab_leads_to_the_own_box(visit: Visit, house: House, table: StaffedTable) -> None:
    """Who sits down finds their own spot by the Tab key, and no other player's."""
    ann, bob, _ = house.guests
    table.join(bob)
    felt = at(visit, table.name, ann)
    stop = felt.felt.locator('[data-spot][tabindex="0"]')
    expect(stop).to_have_count(1)
    table.sit(ann, 4)
    own = felt.felt.locator('wt-box.mine [data-spot="primary"]')
    expect(own).to_have_attribute("tabindex", "0")
    expect(stop).to_have_count(1)


def test_a_refusal_names_a_guest(visit: Visit, house: House, table: StaffedTable) -> None:
    """The box of a guest is refused by the name that is read there, not by the account."""
    ann, bob, _ = house.guests
    table.join(ann, bob).load(Cards(">"))
    table.start()
    told = at(visit, table.name, ann).refuses(2, 500, "primary", "seat_taken")
    expect(told).to_have_text(f"Box 2 is {called(bob)}'s.")


def test_away_in_the_middle_of_a_war(visit: Visit, house: House, table: StaffedTable) -> None:
    """Both tie and go to war, one loses the connection: the missed rows are shown, each once."""
    ann, bob, _ = house.guests
    table.join(ann, bob).load(Cards("==", "<>"))
    table.start()
    (one, network), two = watched(visit, table, ann), at(visit, table.name, bob)
    one.bet(1, 2_500)
    two.bet(2, 1_000)
    table.deal()
    one.choose(1, "war")
    one.lies(1, "war", 2_500)
    network.down = True
    network.cut()
    notice = one.page.locator("#connection")
    expect(notice).to_be_visible()
    expect(notice).to_contain_text("Your wagers are safe")
    before = one.happened()
    two.choose(2, "war")
    expect(two.box(2)).to_have_attribute("data-choice-made", "war")
    table.proceed()
    two.nets(1_000)
    assert one.card(1, "war").count() == 0, "a page without a connection knows nothing new"
    network.down = False
    expect(one.page.locator("#missed")).to_have_text("You were offline for one round: \u2212$50")
    expect(notice).to_be_hidden()
    one.nets(-5_000)
    amount(one.page, "balance", BALANCE - 5_000)
    amount(one.page, "at-stake", 0)
    one.settles(1, "war", "war_lost", 0)
    assert seen(one) == seen(two)
    everything = one.happened()
    assert everything[: len(before)] == before
    added = [kind for kind, _ in everything[len(before) :]]
    assert added == [kind for kind, _ in two.happened()][-len(added) :]
    assert added.count("settled") == 4
    assert added[:1] == ["chosen"]
    assert added[-1:] == ["result"]


def test_a_choice_that_waits_is_there_again(
    visit: Visit, house: House, table: StaffedTable
) -> None:
    """Who comes back, or loads the page anew, while a choice is due is asked it and can answer."""
    ann = house.guests[0]
    table.join(ann).load(Cards("=", "="))
    table.start()
    felt, network = watched(visit, table, ann)
    felt.bet(1, 2_500)
    table.deal()
    expect(felt.option(1, "war")).to_be_enabled()
    network.down = True
    network.cut()
    expect(felt.page.locator("#connection")).to_be_visible()
    network.down = False
    expect(felt.page.locator("#connection")).to_be_hidden()
    expect(felt.option(1, "surrender")).to_be_enabled()
    felt.page.reload()
    expect(felt.option(1, "war")).to_be_enabled()
    felt.lies(1, "primary", 2_500)
    amount(felt.page, "balance", BALANCE - 2_500)
    felt.choose(1, "war")
    felt.lies(1, "war", 2_500)
    table.proceed()
    # War tied: two units on the two at stake.
    felt.nets(5_000)
    amount(felt.page, "balance", BALANCE + 5_000)


def test_leaving_is_asked_with_its_price(visit: Visit, house: House, table: StaffedTable) -> None:
    """Who was told that they leave with all reads what it costs if bets have closed meanwhile."""
    ann = house.guests[0]
    table.join(ann).load(Cards("="))
    table.start()
    felt = at(visit, table.name, ann)
    felt.bet(1, 2_500)
    felt.page.locator("[data-action=leave]").click()
    dialog, leave = felt.page.locator("dialog[open]"), felt.page.locator("[data-answer=leave]")
    expect(dialog).to_contain_text("You leave with $400.")
    table.deal()
    catch_up(felt.page)
    leave.click()
    expect(dialog).to_contain_text("You have $25 at stake in this round.")
    expect(dialog).to_contain_text("A tied wager is surrendered")
    assert table.stack(ann) == BALANCE - 2_500
    leave.click()
    # Half of the wager comes back.
    expect(felt.page.locator("[data-dialog=summary]")).to_contain_text("You left with $387.50")


def test_a_bet_while_a_banker_is_asked(visit: Visit, house: House) -> None:
    """A wager against the bank while its banker is asked keeps them until the round ends."""
    ann, bob, _ = house.guests
    with StaffedTable(house.hosted, house.staff, "room asked", "california") as table:
        table.join(ann, bob).load(Cards("<"))
        table.bank(ann, 10_000)
        felt = at(visit, table.name, ann)
        felt.page.locator("[data-action=leave]").click()
        dialog = felt.page.locator("dialog[open]")
        expect(dialog).to_contain_text("You leave with $400.")
        table.bet(bob, 2, 1_000)
        catch_up(felt.page)
        felt.page.locator("[data-answer=leave]").click()
        expect(dialog).to_contain_text("You can leave when the round is over.")
        felt.page.locator("[data-answer=after]").click()
        expect(felt.page.locator("#status")).to_have_text("You leave when this round is over.")
        table.deal()
        expect(felt.page.locator("[data-dialog=summary]")).to_contain_text("You left with $410")
