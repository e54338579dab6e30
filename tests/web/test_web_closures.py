"""What is disabled is told on the table's page and in the lobby, live and with its reason."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from browser import NARROW, Visit, assert_accessible, assert_fits
from hosting import Client, Hosted, Json
from live_tables import Cards, OwnTable
from table_pages import Felt, at


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house of two books."""
    books = ("online", "washington")
    with Hosted(tmp_path_factory.mktemp("house"), books=books) as running:
        yield running


@pytest.fixture(scope="module")
def floor(hosted: Hosted) -> Iterator[Client]:
    """Somebody who may disable."""
    with hosted.staff("floor") as client:
        yield client


def action(felt: Felt, name: str) -> Locator:
    """A button of the panel for bets."""
    return felt.page.locator(f'[data-action="{name}"]')


def test_a_table_closes_while_somebody_plays_there(
    visit: Visit, hosted: Hosted, floor: Client
) -> None:
    """Why, what becomes of the money on the felt, nothing more to bet; and all of it back again."""
    with hosted.guest() as player, OwnTable(hosted, player, "online", Cards(">")) as table:
        felt = at(visit, table.name, player, size=NARROW)
        banner = felt.page.locator("#closed")
        expect(banner).to_be_hidden()
        felt.bet(1, 2_500)
        closing: Json = {"scope": "table", "name": table.name}
        floor.post("/disable", **closing, reason="the lights went out")
        expect(banner).to_have_text(
            "No new wager is taken at this table: the lights went out. Your $25 on the felt stays "
            "in play until the round is over. You can take your money and leave at any time."
        )
        expect(felt.page.locator("#alert")).to_contain_text("the lights went out")
        expect(felt.status).to_have_text("Betting is closed.")
        expect(felt.felt.locator("[data-spot].open")).to_have_count(0)
        for name in ("double", "undo", "repeat"):
            expect(action(felt, name)).to_be_disabled()
        assert_fits(felt.page)
        assert_accessible(felt.page)
        # The round is played to its end, and what was won is there.
        felt.deal()
        felt.nets(2_500)
        expect(felt.felt.locator("[data-spot].open")).to_have_count(0)
        # Who comes now is told as well.
        late = at(visit, table.name, player)
        expect(late.page.locator("#closed")).to_contain_text("the lights went out")
        floor.post("/enable", **closing, reason="light again")
        expect(banner).to_be_hidden()
        expect(late.page.locator("#closed")).to_be_hidden()
        expect(felt.page.locator("#alert")).to_contain_text("New wagers are taken again.")
        felt.bet(1, 500)
        felt.page.locator('[data-action="clear"]').click()
        expect(felt.spot(1)).to_have_attribute("data-mine", "0")


def test_all_gaming_stops_while_somebody_looks_for_a_seat(
    visit: Visit, hosted: Hosted, floor: Client
) -> None:
    """No seat is given meanwhile, and the lobby says why; a player who is disabled is alone."""
    with hosted.guest() as player:
        felt = at(visit, "washington 1", player)
        sit = felt.page.locator('[data-action="sit"]')
        expect(sit).to_be_enabled()
        floor.post("/disable", scope="gaming", name="", reason="an audit of the house")
        expect(felt.page.locator("#closed")).to_have_text(
            "The house takes no new wager: an audit of the house."
        )
        expect(sit).to_be_disabled()
        expect(felt.felt.locator("[data-sit]:visible")).to_have_count(0)
        lobby = visit("/", who=player)
        row = lobby.locator('[data-table="washington 1"]')
        expect(row).to_contain_text("an audit of the house")
        floor.post("/enable", scope="gaming", name="", reason="done")
        expect(sit).to_be_enabled()
        expect(row).not_to_contain_text("an audit of the house")
        floor.post("/disable", scope="player", name=player.name, reason="your own wish")
        expect(felt.page.locator("#closed")).to_contain_text("No new wager is taken from you")
        expect(row).not_to_contain_text("your own wish")
        with hosted.guest() as other:
            beside = at(visit, "washington 1", other)
            expect(beside.page.locator('[data-action="sit"]')).to_be_enabled()
            expect(beside.page.locator("#closed")).to_be_hidden()
        floor.post("/enable", scope="player", name=player.name, reason="done")
        expect(sit).to_be_enabled()
