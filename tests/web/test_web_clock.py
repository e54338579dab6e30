"""A clock that jumped, in a real browser: the player is told, and an administrator confirms it."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from browser import NARROW, Visit, assert_accessible, assert_fits
from hosting import Hosted
from live_tables import Cards, OwnTable
from machines import SetMachine
from table_pages import at
from waiting import until
from wartable.server.audit import verify
from wartable.server.house.closures import CLOCK_CHECKED

MACHINE = SetMachine()
DAYS_S = 2 * 24 * 3_600


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house on a machine whose clock a test sets."""
    with Hosted(tmp_path_factory.mktemp("house"), MACHINE, books=("online",)) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


@pytest.fixture
def allowed() -> list[str]:
    """The refusal that the administrator reads."""
    return ["409"]


def confirm(page: Page, ahead_s: float, reason: str) -> None:
    """Type what another clock shows, in UTC, and send it."""
    shown = datetime.fromtimestamp(MACHINE.shows_ns() / 10**9 + ahead_s, UTC)
    form = page.locator("[data-confirm-time]")
    form.locator('[name="time"]').fill(shown.strftime("%Y-%m-%dT%H:%M"))
    form.locator('[name="reason"]').fill(reason)
    form.get_by_role("button", name="Confirm the time (UTC)").click()


def test_an_administrator_confirms_the_clock(visit: Visit, hosted: Hosted) -> None:
    """Gaming stops while somebody plays; only an administrator ends it, with the right time."""
    with (
        hosted.guest() as player,
        OwnTable(hosted, player, "online", Cards(">")) as table,
        hosted.staff("floor") as floor,
        hosted.admin() as admin,
    ):
        felt = at(visit, table.name, player, size=NARROW)
        felt.bet(1, 2_500)
        MACHINE.set_by(DAYS_S)
        banner = felt.page.locator("#closed")
        expect(banner).to_contain_text(CLOCK_CHECKED.rstrip("."))
        expect(felt.felt.locator("[data-spot].open")).to_have_count(0)
        assert_fits(felt.page)
        assert_accessible(felt.page)
        MACHINE.set_by(-DAYS_S)

        closures = visit("/floor", who=floor).locator("[data-closures]")
        expect(closures).to_contain_text("the house's clock")
        expect(closures.locator("[data-confirm-time]")).to_have_count(0)
        page = visit("/floor", who=admin, size=NARROW)
        form = page.locator("[data-confirm-time]")
        expect(form).to_be_visible()
        expect(page.locator('[data-enable="gaming clock"]')).to_have_count(0)
        assert_fits(page)
        assert_accessible(page)
        confirm(page, -DAYS_S, "a calendar of last year")
        expect(form).to_contain_text("set the machine's clock right, then confirm the time")
        assert hosted.house.clock.doubted
        expect(banner).to_be_visible()
        confirm(page, 0, "the station clock")
        expect(page.locator("[data-closures]")).to_contain_text("Nothing is disabled.")
        expect(banner).to_be_hidden()
        felt.deal()
        felt.nets(2_500)
        (event,) = hosted.significant("clock_confirmed")
        assert (event["actor"], event["reason"]) == ("admin", "the station clock")
        until(lambda: not hosted.house.clock.doubted, "the clock is still doubted")
