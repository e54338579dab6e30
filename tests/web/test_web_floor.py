"""The floor page in a real browser: a dealer deals a round, the floor and the house at work."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser import PHONE, Visit, assert_accessible, assert_fits
from clauses import proves
from hosting import Client, Hosted
from wartable.croupier import PRIVATE

TABLE = "washington 2"


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house with a table that has a dealer, where nobody is hurried."""
    folder = tmp_path_factory.mktemp("house")
    books = ("washington", "new-zealand", "maryland")
    with Hosted(folder, books=books, layout="MLGCA 2026-114", shared=PRIVATE) as running:
        with running.admin() as admin:
            admin.post("/tables", 201, name=TABLE, book="washington", staffed=True)
        yield running


@pytest.fixture
def dealer(hosted: Hosted) -> Iterator[Client]:
    """A dealer."""
    with hosted.staff("dealer") as staff:
        yield staff


@pytest.fixture
def boss(hosted: Hosted) -> Iterator[Client]:
    """A floorperson."""
    with hosted.staff("floor") as staff:
        yield staff


def step(page: Page, command: str) -> None:
    """Do the step that the page offers next."""
    page.locator(f'[data-step-command="{command}"]').click()


def test_a_dealer_deals_a_round(visit: Visit, hosted: Hosted, dealer: Client) -> None:
    """From the shuffle to the cards on the felt, each step as the table awaits it."""
    page = visit(who=dealer, size=PHONE)
    page.goto(f"/floor?table={TABLE}")
    expect(page.locator("[data-role]")).to_have_attribute("data-role", "dealer")
    with hosted.guest() as player:
        player.hello(TABLE)
        player.must("join", amount=20_000, seat=1)
        step(page, "shuffle_cards")
        expect(page.locator("[data-due]")).to_have_attribute("data-due", "cut")
        player.must("refuse_cut")
        step(page, "load_shoe")
        step(page, "start_round")
        expect(page.locator("[data-due]")).to_have_attribute("data-due", "bets")
        player.must("bet", box=1, wager="primary", amount=500)
        step(page, "close_bets")
        step(page, "proceed")
        expect(page.locator('[data-event="dealt"]')).to_have_count(2)
        assert_fits(page)
        assert_accessible(page)
    floor_only = page.locator('[data-command="void_round"], [data-command="order_reshuffle"]')
    expect(floor_only).to_have_count(0)
    expect(page.locator("[data-open-table], [data-disable], [data-accounts]")).to_have_count(0)


def test_the_floor_disables_and_enables(
    visit: Visit, boss: Client, hosted: Hosted, allowed: list[str]
) -> None:
    """A table is disabled with its reason and enabled again; what is not there is refused."""
    page = visit(who=boss)
    page.goto("/floor")
    page.locator("[data-closures] summary").click()
    stop = page.locator("form[data-disable]")
    stop.locator("[name=closing-name]").fill("washington 1")
    stop.locator("[name=closing-reason]").fill("felt is torn")
    stop.get_by_role("button").click()
    closed = page.locator("[data-closures] tbody tr")
    expect(closed).to_contain_text("felt is torn")
    assert ("table", "washington 1") in hosted.house.protection.closures
    again = closed.locator("form")
    again.locator("input").fill("felt is new")
    again.get_by_role("button").click()
    expect(page.locator("[data-closures]")).to_contain_text("Nothing is disabled.")
    assert not hosted.house.protection.closures
    allowed.append("refused: 404 /disable")
    page.locator("[data-closures] summary").click()
    stop.locator("[name=closing-name]").fill("nowhere 1")
    stop.locator("[name=closing-reason]").fill("none")
    stop.get_by_role("button").click()
    expect(stop.locator("[data-notice=bad]")).to_contain_text("There is no such table")


def test_the_floor_opens_a_table_and_sets_a_limit(
    visit: Visit, boss: Client, hosted: Hosted
) -> None:
    """A new table is there for everybody; a limit that is set holds at its table."""
    page = visit(who=boss)
    page.goto("/setup?book=washington")
    opening = page.locator("[data-open-table]")
    expect(opening.locator("[data-setting]").first).to_be_visible()
    opening.locator("[name=table-name]").fill("washington 7")
    opening.locator("[name=table-staffed]").select_option("no")
    opening.get_by_role("button").click()
    expect(opening.locator("[data-notice=good]")).to_have_text("washington 7 is open.")
    page.goto("/floor?table=washington 1")
    expect(page.locator('[data-floor-table="washington 7"]')).to_be_visible()
    assert "washington 7" in hosted.house.floor.places
    page.locator('[data-group="limits"] summary').click()
    limit = page.locator('form[data-command="restrict"]')
    limit.locator("select").select_option("boxes_per_player")
    limit.locator("[name=restrict-value]").fill("2.5")
    limit.get_by_role("button").click()
    said = limit.locator("[data-notice=bad]")
    expect(said).to_have_text("New value: enter a whole number.")
    limit.locator("[name=restrict-value]").fill("2")
    limit.get_by_role("button").click()
    expect(limit.locator("[data-notice=good]")).to_be_visible()
    state = hosted.house.floor.places["washington 1"].live.state
    assert state.restrictions == {"boxes_per_player": 2}


def test_an_administrator_has_the_house(visit: Visit, hosted: Hosted) -> None:
    """Accounts are found and opened, a lost password made anew, significant events read."""
    with hosted.admin() as admin:
        page = visit(who=admin)
        page.goto("/house")
        page.locator("summary", has_text="Accounts").click()
        opening = page.locator("[data-open-account]")
        opening.locator("[name=account-name]").fill("sam")
        opening.locator("[name=account-password]").fill("a long one here")
        opening.locator("[name=account-role]").select_option("auditor")
        opening.get_by_role("button").click()
        expect(opening.locator("[data-notice=good]")).to_be_visible()
        look = page.locator("[data-accounts]")
        look.locator("input").fill("sa")
        look.get_by_role("button").click()
        expect(page.locator("table", has_text="Accounts")).to_contain_text("auditor")
        lost = page.locator("[data-new-password]")
        lost.locator("[name=password-name]").fill("sam")
        lost.locator("[name=password-reason]").fill("lost it")
        lost.get_by_role("button").click()
        expect(lost.locator("[data-notice=good]")).to_be_visible()
        made = page.locator("p", has_text="The new password for sam").locator("code").inner_text()
        hosted.sign_in("sam", made).close()
        page.locator("summary", has_text="Significant events").click()
        expect(page.locator("[data-records] tbody tr", has_text="sam").first).to_be_visible()
        assert_accessible(page)


def test_a_player_is_told_whose_page_it_is(visit: Visit, hosted: Hosted) -> None:
    """No table is shown and nothing is asked of the server."""
    with hosted.guest() as guest:
        page = visit(who=guest)
        page.goto("/floor")
        expect(page.locator("[data-empty]")).to_contain_text("for the house's staff")
        expect(page.locator("[data-floor-table]")).to_have_count(0)


@pytest.mark.finding(20)
@proves("console", "NZ-2.0", "MD-2-B")
def test_staff_see_assumptions_and_layout(visit: Visit, boss: Client) -> None:
    """The floor page lists what Division 1 would say, and the layout of a table that needs one."""
    page = visit(who=boss)
    page.goto("/floor?table=new-zealand 1")
    shown = page.locator("[data-assumptions]")
    shown.locator("summary").click()
    expect(shown).to_contain_text("Division 1")
    expect(shown.locator('[data-assumption="shoe.burn_first"]')).to_contain_text("N9")
    page.locator('[data-floor-table="maryland 1"]').click()
    expect(page.locator("[data-layout]")).to_have_text("Layout: MLGCA 2026-114")
