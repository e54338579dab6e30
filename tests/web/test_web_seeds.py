"""A player's own seed in the shuffle, from the table's page to the check on the fairness page."""

import json
from collections.abc import Iterator
from urllib.parse import quote

import msgspec
import pytest
from playwright.sync_api import Page, expect

from browser import NARROW, Visit, assert_accessible, assert_fits
from hosting import Client, Hosted, Json
from live_tables import Cards, OwnTable
from wartable import shoe as shoes
from wartable.croupier import PRIVATE

TYPED = "00112233445566778899aabbccddeeff"


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house that gives a busy browser all the time that it needs to open a seed."""
    patient = msgspec.structs.replace(PRIVATE, seed_ms=600_000)
    with Hosted(tmp_path_factory.mktemp("house"), books=("online",), private=patient) as running:
        yield running


@pytest.fixture
def player(hosted: Hosted) -> Iterator[Client]:
    """A new guest."""
    with hosted.guest() as client:
        yield client


def told(page: Page) -> str:
    """Where the own seed stands."""
    return page.locator(".seed-panel [data-own-seed]").get_attribute("data-own-seed") or ""


def play(table: OwnTable) -> None:
    """A round to its end, whatever the cards are."""
    last = table.bet(1, 500).deal()
    if not any(event["type"] == "closed" for event in last):
        table.choose(1, "surrender")


def record_of(player: Client, table: OwnTable) -> Json:
    """The table's finished shoes, as anybody gets them."""
    record: Json = player.get(f"/tables/{table.name}/shoes")["record"]
    return record


def checked(page: Page, record: Json, verdict: str) -> None:
    """Have the page check a record."""
    page.locator("#record").fill(json.dumps(record))
    page.locator("[data-check-pasted]").click()
    expect(page.locator("[data-verdict]")).to_have_attribute("data-verdict", verdict)


def forged(shoe: Json, player: str, own: bytes | None) -> Json:
    """A shoe without a flaw in itself, in which the player's seed is another one, or none."""
    real = msgspec.convert(shoe, shoes.Shoe)
    seals = [] if own is None else [shoes.seal_for(real.terms, player, own)]
    made = shoes.start(real.terms, bytes.fromhex(real.seed), seals)
    if own is not None:
        made = shoes.open_seal(made, player, own)
    made = shoes.load(made)
    for dealt in real.drawn:
        _, made = shoes.draw(made, dealt.use, dealt.round_number, dealt.box)
    forgery: Json = msgspec.to_builtins(shoes.end(shoes.collect(made), real.ended))
    return forgery


def test_an_own_seed_enters_the_shuffle_and_is_found_there(visit: Visit, player: Client) -> None:
    """Sealed by a button, opened by the page, and checked against what this device has kept."""
    with OwnTable(player.hosted, player, "online", Cards("<")) as table:
        page = visit(f"/table?name={quote(table.name)}", who=player, size=NARROW)
        page.locator("#seed").evaluate("(field) => { field.closest('details').open = true; }")
        page.locator("#seed").fill("my birthday")
        page.locator('[data-action="seal"]').click()
        expect(page.locator("#complaint")).to_contain_text("hexadecimal digits, from 32 to 128")
        assert told(page) == "none"
        page.locator("#seed").fill(TYPED.upper())
        page.locator("#seed-always").check()
        page.locator('[data-action="seal"]').click()
        sealed = page.locator('.seed-panel [data-own-seed="sealed"]')
        expect(sealed).to_contain_text("is ready for shoe 2")
        assert_fits(page)
        assert_accessible(page)
        for number in (3, 4, 5):
            play(table)
            expect(sealed).to_contain_text(f"is ready for shoe {number}")
        record = record_of(player, table)
        seeds = [[each["seed"] for each in shoe["player_seeds"]] for shoe in record["shoes"]]
        assert [len(each) for each in seeds] == [0, 1, 1]
        assert seeds[1] == [TYPED]
        assert seeds[2] != seeds[1]
        page.goto(f"/fairness?table={quote(table.name)}")
        expect(page.locator("[data-verdict]")).to_have_attribute("data-verdict", "right")
        for number, (seed,) in enumerate(seeds[1:], 2):
            own = page.locator(f'[data-shoe-check="{number}"] [data-own-seed="yes"]')
            expect(own).to_contain_text(seed)
        expect(page.locator('[data-shoe-check="1"] [data-own-seed]')).to_have_count(0)
        assert_accessible(page)


def test_a_record_with_another_seed_is_found_out(visit: Visit, player: Client) -> None:
    """A changed seed, a record forged around another one, and one without the player's seal."""
    with OwnTable(player.hosted, player, "online", Cards("<")) as table:
        page = visit(f"/table?name={quote(table.name)}", who=player)
        page.locator('[data-action="seal"]').click()
        expect(page.locator('.seed-panel [data-own-seed="sealed"]')).to_be_visible()
        play(table)
        expect(page.locator('.seed-panel [data-own-seed="opened"]')).to_be_visible()
        play(table)
        real = record_of(player, table)
        page.goto(f"/fairness?table={quote(table.name)}")
        expect(page.locator('[data-own-seed="yes"]')).to_have_count(1)
        page.locator("summary", has_text="Check a record of your own").click()
        # Only the seed: it does not fit its seal.
        changed = json.loads(json.dumps(real))
        changed["shoes"][1]["player_seeds"][0]["seed"] = TYPED
        checked(page, changed, "wrong")
        expect(page.locator('[data-check="players\' seeds"][data-ok="false"]')).to_have_count(1)
        # Seal, commitment and cards as well: every step holds, but it is not what was sealed here.
        for own, sentence in (
            (bytes.fromhex(TYPED), "The record's seed for you is not the one"),
            (None, "the record does not have your seal"),
        ):
            shoe = forged(real["shoes"][1], player.name, own)
            checked(page, {**real, "shoes": [real["shoes"][0], shoe]}, "wrong")
            expect(page.locator('[data-check][data-ok="false"]')).to_have_count(0)
            expect(page.locator('[data-own-seed="no"]')).to_contain_text(sentence)
        checked(page, real, "right")
