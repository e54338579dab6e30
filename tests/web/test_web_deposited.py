"""The pages of a house that is played with deposited money: no guest, no word of play money."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser import Visit, assert_accessible
from hosting import Hosted


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house of deposited money."""
    with Hosted(tmp_path_factory.mktemp("house"), money="deposited") as running:
        yield running


def test_a_stranger_is_asked_to_sign_in(page: Page) -> None:
    """Nobody becomes a guest, and nothing says that money here is play money."""
    page.goto("/")
    expect(page.locator("main")).to_contain_text("Sign in or register first.")
    assert not re.search("play money|guest", page.locator("body").inner_text(), re.IGNORECASE)
    page.locator("[data-play-now]").click()
    expect(page.locator(".hero")).to_contain_text("Sign in or register to play here.")
    assert_accessible(page)
    page.get_by_role("link", name="Sign in or register").click()
    expect(page.locator("[data-register]")).to_be_visible()
    expect(page.locator("[data-guest]")).to_have_count(0)
    assert not re.search("play money|guest", page.locator("body").inner_text(), re.IGNORECASE)
    assert_accessible(page)


def test_who_has_not_paid_in_is_told_so(visit: Visit, hosted: Hosted, allowed: list[str]) -> None:
    """Nobody who is signed in is asked to sign in; the own table comes with the money."""
    allowed.append("refused: 409 /tables/private")
    with hosted.register("newcomer") as player:
        page = visit("/", player)
        expect(page.locator(".hero")).to_contain_text("Deposit at the cashier to play.")
        expect(page.locator("body")).not_to_contain_text("register first")
        page.locator("[data-play-now]").click()
        expect(page.locator(".hero")).to_contain_text(
            "Make a deposit before you open a private table"
        )


def test_who_has_paid_in_plays(visit: Visit, hosted: Hosted) -> None:
    """The account says whose cashier pays; at the own table the money that was paid in is there."""
    with hosted.admin() as admin, hosted.register("depositor") as player:
        with hosted.http(admin.post("/keys", 201, name="desk")["token"]) as key:
            once = {"Idempotency-Key": "1"}
            paid = key.post("/wallets/depositor/deposit", json={"amount": 50_000}, headers=once)
            assert paid.status_code == 200
        player.private("online", 20_000)
        page = visit("/account", player)
        expect(page.locator("[data-money]").last).to_contain_text("Deposited money")
        expect(page.locator("main")).to_contain_text("$500")
