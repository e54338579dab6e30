"""A player's number in the shuffles of a shared table, from the sign to the check of the record."""

import json
from collections.abc import Iterator
from urllib.parse import quote

import msgspec
import pytest
from playwright.sync_api import Page, Route, expect

from browser import NARROW, Visit, assert_accessible, assert_fits
from hosting import FAST, Client, Hosted, Json
from live_tables import listing
from provable_records import long_calculated

MANY = 200_000
"""So many iterations that the page in itself would need much longer than the browser."""
PAUSED = 2_500
"""So many that the page in itself pauses."""
LONG = "Checking takes long here"
TYPED = "00112233445566778899aabbccddeeff"
NAME = "online 1"


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house that gives a busy browser all the time that it needs to send a number."""
    patient = msgspec.structs.replace(FAST, number_ms=600_000)
    with Hosted(tmp_path_factory.mktemp("house"), books=("online",), shared=patient) as running:
        yield running


@pytest.fixture
def player(hosted: Hosted) -> Iterator[Client]:
    """A new guest, who sits at the shared table."""
    with hosted.guest() as client:
        client.hello(NAME)
        client.must("join", amount=20_000, seat=1)
        yield client
        client.must("leave")


def record_of(player: Client) -> Json:
    """The table's finished shoes, as anybody gets them."""
    record: Json = player.get(f"/tables/{NAME}/shoes")["record"]
    return record


def checked(page: Page, record: Json, verdict: str) -> None:
    """Have the page check a record."""
    page.locator("#record").fill(json.dumps(record))
    page.locator("[data-check-pasted]").click()
    expect(page.locator("[data-verdict]")).to_have_attribute("data-verdict", verdict)


def test_the_page_sends_a_number_for_each_shuffle(visit: Visit, player: Client) -> None:
    """By itself, random or typed; it is in the record, and the check finds it or misses it."""
    page = visit(f"/table?name={quote(NAME)}", who=player, size=NARROW)
    sign = page.locator(".number-sign")
    expect(sign.locator('[data-own-number="yes"]')).to_have_text("Your number is in this shuffle")
    page.locator("#own-number").evaluate("(field) => { field.closest('details').open = true; }")
    page.locator("#own-number").fill("my birthday")
    page.locator('[data-action="type-number"]').click()
    expect(page.locator("#complaint")).to_contain_text("hexadecimal digits, from 32 to 128")
    page.locator("#own-number").fill(TYPED.upper())
    page.locator('[data-action="type-number"]').click()
    expect(page.locator("#own-number")).to_have_value("")
    assert_fits(page)
    assert_accessible(page)
    player.play(3)
    record = record_of(player)
    numbers = [
        each["number"]
        for shoe in record["shoes"]
        for draw in shoe["proof"]["draws"]
        for each in draw["numbers"]
    ]
    assert TYPED in numbers
    assert len(numbers) == len(set(numbers)) >= 3
    sign.locator("a").click()
    expect(page.locator("[data-verdict]")).to_have_attribute("data-verdict", "right")
    expect(page.locator('[data-own-seed="yes"]')).to_have_count(len(record["shoes"]))
    page.locator("summary", has_text="Check a record of your own").click()
    # A list without this device's number holds in itself, but this device knows what it sent.
    changed = json.loads(json.dumps(record))
    changed["shoes"] = [changed["shoes"][0]]
    changed["current"] = None
    changed["shoes"][0]["proof"]["draws"][0]["numbers"][0]["number"] = "ab" * 16
    checked(page, changed, "wrong")
    expect(page.locator('[data-own-seed="no"]')).to_contain_text("the record does not have it")


def test_a_number_that_is_left_out_is_a_warning(
    visit: Visit, hosted: Hosted, player: Client
) -> None:
    """The page says so before its player bets, if the house closes the list without it."""
    live = hosted.house.floor.places[NAME].live
    page = visit(f"/table?name={quote(NAME)}", who=player, size=NARROW)
    expect(page.locator('[data-own-number="yes"]')).to_have_count(1)
    with listing(live):
        live.timing = msgspec.structs.replace(live.timing, number_ms=0)
        player.play(2)
        bad = page.locator('.number-sign.bad [data-own-number="no"]')
        expect(bad).to_contain_text("shuffle")


def test_a_long_calculation_is_checked(visit: Visit) -> None:
    """The browser's own calculation finds the same cards, and another number's are other ones."""
    record = long_calculated(MANY)
    (shoe,) = record["shoes"]
    assert shoe["proof"]["bound"]["iterations"] == MANY
    assert len(shoe["drawn"]) > 1
    page = visit("/fairness")
    page.locator("summary", has_text="Check a record of your own").click()
    checked(page, record, "right")
    expect(page.locator("[data-shoe-check]")).to_have_count(1)
    expect(page.locator("section", has_text=LONG)).to_have_count(0)
    shoe["proof"]["draws"][0]["numbers"][0]["number"] = TYPED
    checked(page, record, "wrong")
    bad = page.locator('[data-check][data-ok="false"]')
    expect(bad).to_have_attribute("data-check", "cards")


def test_a_record_of_the_visitor_stays_when_the_table_comes_late(visit: Visit) -> None:
    """The page's own record is neither written over the visitor's nor checked in its stead."""
    asked: list[Route] = []

    def hold(route: Route) -> None:
        asked.append(route)

    page = visit("/lobby")
    page.route("**/shoes", hold)
    page.goto(page.url.replace("/lobby", "/fairness"))
    page.locator("summary", has_text="Check a record of your own").click()
    record = long_calculated(PAUSED)
    checked(page, record, "right")
    (late,) = asked
    late.continue_()
    expect(page.locator("section .loading")).to_have_count(0)
    expect(page.locator("[data-shoe-check]")).to_have_count(1)
    expect(page.locator("#record")).to_have_value(json.dumps(record))


def test_a_browser_without_a_fast_calculation_says_so(visit: Visit) -> None:
    """The page then calculates in itself, and says meanwhile that it takes long."""
    page = visit("/fairness")
    page.evaluate("Object.defineProperty(crypto, 'subtle', { value: undefined })")
    page.locator("summary", has_text="Check a record of your own").click()
    page.locator("#record").fill(json.dumps(long_calculated(PAUSED)))
    page.evaluate(  # the page pauses only when the test has seen what it says
        "() => { globalThis.later = globalThis.setTimeout; globalThis.waiting = [];"
        "globalThis.setTimeout = (go, ms) => (ms ? later(go, ms) : waiting.push(go)); }"
    )
    page.locator("[data-check-pasted]").click()
    expect(page.locator("[data-checking]")).to_have_text("Checking: 0 of 1 shoe done...")
    expect(page.locator("section", has_text=LONG)).to_have_count(1)
    expect(page.locator("[data-verdict]")).to_have_count(0)
    page.evaluate("() => { globalThis.setTimeout = later; waiting.forEach((go) => go()); }")
    expect(page.locator("[data-verdict]")).to_have_attribute("data-verdict", "right")
    expect(page.locator("section", has_text=LONG)).to_have_count(0)
