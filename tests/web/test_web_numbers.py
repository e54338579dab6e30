"""A player's own number in the cards of their table, from Deal to the check of the record."""

import json
from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, Route, expect

from browser import NARROW, Visit, assert_accessible, assert_fits
from hosting import Client, Hosted, Json
from table_pages import Felt, catch_up


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house whose bets have no clock at own tables."""
    with Hosted(tmp_path_factory.mktemp("house"), books=("online",)) as running:
        yield running


@pytest.fixture
def player(hosted: Hosted) -> Iterator[Client]:
    """A new guest, at the own table."""
    with hosted.guest() as client:
        client.private("online")
        yield client


def kept(page: Page) -> dict[str, str]:
    """The numbers that this device has sent."""
    found: dict[str, str] = page.evaluate(
        "JSON.parse(localStorage.getItem('wartable-numbers') ?? '{}')"
    )
    return found


def rounds(felt: Felt, count: int) -> None:
    """Rounds that the page's visitor deals; a tie is surrendered."""
    sign = felt.page.locator('[data-own-number="yes"]')
    for _ in range(count):
        before = len(kept(felt.page))
        felt.bet(1, 500)
        felt.deal()
        expect(sign).to_have_text("Your number is in these cards")
        assert len(kept(felt.page)) > before
        catch_up(felt.page)
        if felt.option(1, "surrender").is_visible():  # one of the round before may be hidden there
            felt.choose(1, "surrender")
        expect(felt.page.locator("wt-box.mine [data-spot=primary].open")).to_be_visible()


def record_of(player: Client, name: str) -> Json:
    """The table's finished shoes, as anybody gets them."""
    record: Json = player.get(f"/tables/{name}/shoes")["record"]
    return record


def checked(page: Page, record: Json, verdict: str) -> None:
    """Have the page check a record."""
    page.locator("#record").fill(json.dumps(record))
    page.locator("[data-check-pasted]").click()
    expect(page.locator("[data-verdict]")).to_have_attribute("data-verdict", verdict)


def test_the_page_sends_a_number_and_finds_it_in_the_record(visit: Visit, player: Client) -> None:
    """A sign on the table leads to the proof; no panel for seeds; each number is in the record."""
    name = f"online@{player.name}"
    page = visit(f"/table?name={quote(name)}", who=player, size=NARROW)
    expect(page.locator(".seed-panel")).to_have_count(0)
    expect(page.locator("[data-own-number]")).to_have_text("Your number will be in these cards")
    rounds(Felt(page), 2)
    assert_fits(page)
    assert_accessible(page)
    sent = kept(page)
    record = record_of(player, name)
    for shoe in record["shoes"]:
        for at, draw in enumerate(shoe["proof"]["draws"]):
            about = [name, shoe["terms"]["number"], at, len(shoe["cuts"])]
            key = json.dumps(about, separators=(",", ":"))
            assert [each["number"] for each in draw["numbers"]] == [sent[key]]
    assert len(set(sent.values())) == len(sent)
    page.locator("[data-own-number]").click()
    expect(page.locator("[data-verdict]")).to_have_attribute("data-verdict", "right")
    expect(page.locator('[data-own-seed="yes"]')).to_have_count(2)
    draws = sum(len(shoe["proof"]["draws"]) for shoe in record["shoes"])
    whole_chain(page, draws, len(record["shoes"]))
    assert_accessible(page)
    assert_fits(page)
    page.locator("summary", has_text="Check a record of your own").click()
    changed = json.loads(json.dumps(record))
    changed["shoes"][0]["proof"]["draws"][0]["numbers"] = []
    checked(page, changed, "wrong")
    expect(page.locator('[data-own-seed="no"]')).to_contain_text("but the record does not have it")


def whole_chain(page: Page, sent: int, shoes: int) -> None:
    """Have the page check every shoe; what was dropped or changed on the way is found."""
    chain, told = page.locator("[data-chain]"), page.locator("[data-chain] [data-notice]")
    again = page.locator("[data-check-all]")
    again.click()
    expect(chain).to_have_attribute("data-chain", "right")
    expect(told).to_contain_text(f"all {shoes} shoes of this table follow each other")
    expect(page.locator("[data-own-numbers]")).to_have_attribute("data-own-numbers", str(sent))
    expect(chain.locator("tbody tr")).to_have_count(shoes)
    expect(chain.locator("tbody tr").first).to_contain_text("nothing")

    def answering(change: Callable[[list[Json]], object]) -> Callable[[Route], None]:
        def answer(route: Route) -> None:
            content = route.fetch().json()
            change(content["record"]["shoes"])
            route.fulfill(json=content)

        return answer

    def other_number(found: list[Json]) -> None:
        found[1]["proof"]["draws"][0]["numbers"][0]["number"] = "ab" * 32

    def void(found: list[Json]) -> None:
        about = {"what": "round_voided", "by": "flo", "reason": "-", "place": 0, "round_number": 1}
        found[-1]["proof"]["incidents"].append(about)

    changes: list[tuple[Callable[[list[Json]], object], str]] = [
        (lambda found: found.pop(0), "Shoe 1 is missing"),
        (other_number, "shoe 2 fails the check"),
        (void, f"Shoe {shoes} was changed"),
    ]
    for change, words in changes:
        page.route("**/shoes?limit=50*", answering(change))
        again.click()
        expect(told).to_contain_text(words)
        expect(chain).to_have_attribute("data-chain", "wrong")
        page.unroute("**/shoes?limit=50*")
    # The newest shoe's incidents are shown, even where nothing follows that could name a change.
    expect(chain.locator("tbody tr").last).to_contain_text("round voided once by flo")


def test_a_page_sends_the_same_number_again(visit: Visit, player: Client) -> None:
    """One draw has one number on this device, however often the page is loaded."""
    page = visit(f"/table?name={quote(f'online@{player.name}')}", who=player)
    expect(page.locator("[data-own-number]")).to_be_visible()
    ask = "() => import('/web/js/numbers.js').then((m) => m.numberFor('t', 1, 0))"
    first = page.evaluate(ask)
    assert len(first) == 64
    page.reload()
    assert page.evaluate(ask) == first
    assert page.evaluate(ask.replace("'t', 1, 0", "'t', 1, 1")) != first
