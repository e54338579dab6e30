"""A house whose felt states no payouts: the sign takes their place."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser import assert_accessible, assert_fits
from clauses import proves
from hosting import Hosted


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house with a plain felt."""
    folder = tmp_path_factory.mktemp("house")
    with Hosted(
        folder, books=("maryland",), operator="Chesapeake Hall", inscribed=False
    ) as running:
        yield running


@proves("web", "MD-2-B-6")
def test_web_MD_2_B_6_the_sign(hosted: Hosted, page: Page) -> None:
    """Where the felt omits them, a sign in sight states every payout and the payout limit."""
    with hosted.staff("floor") as floor:
        limits = dict.fromkeys(("primary", "tie", "war_tie"), 10_000)
        settings = {f"limits.{wager}.max": most for wager, most in limits.items()}
        settings["limits.payout_max"] = 5_000_000
        floor.post("/tables", 201, name="signed", book="maryland", settings=settings)
    page.goto("/table?name=signed")
    expect(page.locator(".inscription .operator")).to_have_text("Chesapeake Hall")
    expect(page.locator(".inscription .pays, .inscription .war, .micro")).to_have_count(0)
    expect(page.locator("[data-inscription]")).not_to_contain_text("pays")
    sign = page.locator("[data-sign]")
    expect(sign.get_by_role("heading")).to_have_text("What every wager pays")
    rows = sign.locator("[data-pay]")
    # Four wagers, six progressive hands and envy, ten hot spots, eight community symbols.
    expect(rows).to_have_count(4 + 7 + 10 + 8)
    for row in rows.all():
        expect(row).to_be_visible()
    expect(sign.locator('[data-pay="tie"]')).to_have_text("Tie Wager10 to 1")
    expect(sign.locator('[data-line="community $40"] b')).to_have_text("$50 for $5")
    limit = page.locator("[data-payout-limit]")
    expect(limit).to_have_text("Payout limit for each hand: $50,000.")
    expect(limit).to_be_visible()
    expect(page.locator("[data-trigger]")).to_be_visible()
    assert_fits(page)
    assert_accessible(page)
