"""The table page in its main states: every rule of axe holds in each, light and dark."""

import pytest
from playwright.sync_api import expect

from browser import NARROW, Visit, assert_accessible, assert_fits
from live_tables import STACK, Cards, OwnTable, StaffedTable
from staffed_tables import House
from table_pages import Felt, at, place
from wartable.rules import NAMES

BOOKS = NAMES
GUESTS = 2
MINUTE_MS = 60_000


def sound(felt: Felt) -> None:
    """What is shown now fits the window and is accessible."""
    assert_fits(felt.page)
    assert_accessible(felt.page)


def test_an_own_table_from_bets_to_receipt(visit: Visit, house: House) -> None:
    """Betting with a refusal, a tie's choice, the result, and each dialog on top of it."""
    with (
        house.hosted.guest() as player,
        OwnTable(house.hosted, player, "online", Cards("=", ">")) as table,
    ):
        felt = at(visit, table.name, player, size=NARROW)
        felt.bet(1, 2_500)
        felt.refuses(2, 5_000_000, "primary", "insufficient")
        for box in (1, 3):  # at the edges of the felt
            told = felt.refuses(box, 5_000_000, "primary", "insufficient")
            inside, own = place(felt.felt), place(told)
            assert inside.left <= own.left < own.right <= inside.right
        first = felt.refuses(2, 500, "tie", "primary_required")
        expect(first).to_have_text("Place your Main Bet first, then the Tie Bet.")
        sound(felt)
        felt.deal()
        expect(felt.option(1, "war")).to_be_visible()
        sound(felt)
        felt.choose(1, "war")
        felt.nets(2_500)
        sound(felt)
        for opener, dialog in (
            ("#net", "receipt"),
            ('[data-action="cashier"]', ""),
            ('[data-action="leave"]', ""),
        ):
            felt.page.locator(opener).click()
            shown = felt.page.locator(f'[data-dialog="{dialog}"]' if dialog else "dialog[open]")
            expect(shown).to_be_visible()
            if dialog == "receipt":
                edition = "Rule document: Online operator, version 1.0 of 2021-02-17."
                expect(shown.locator("[data-edition]")).to_have_text(edition)
            sound(felt)
            felt.page.keyboard.press("Escape")
            expect(felt.page.locator("dialog[open]")).to_have_count(0)
        felt.page.locator("#net").focus()
        felt.page.keyboard.press("?")
        expect(felt.page.locator('[data-dialog="help"]')).to_be_visible()
        sound(felt)


def prepare(table: StaffedTable, until: str) -> None:
    """The staff's steps with new cards until this one, or all."""
    while True:
        table.number = table.spectator.get(f"/tables/{table.name}")["number"]
        due = table.due()[0]
        if due["what"] != "prepare" or due["step"] == until:
            return
        by = table.floor if due["step"] == "verify" else table.dealer
        table.must(by, "prepare", step=due["step"], batch=due["batch"])


def test_a_seat_and_the_cards(visit: Visit, house: House) -> None:
    """Where to sit, the new cards spread face up to look at, and the cut."""
    guest = house.guests[0]
    with StaffedTable(house.hosted, house.staff, "seat and cards", "maryland") as table:
        felt = at(visit, table.name, guest, size=NARROW)
        expect(felt.dock).to_have_attribute("data-panel", "seat")
        sound(felt)
        felt.page.locator('[data-action="sit"]').click()
        expect(felt.page.locator("wt-box.mine")).to_have_count(1)
        table.receive()
        prepare(table, until="view")
        # Six decks of fifty-two cards.
        expect(felt.page.locator("[data-spread]")).to_have_count(312)
        sound(felt)
        felt.page.locator('[data-action="view"]').click()
        expect(felt.page.locator('[data-action="view"]')).to_have_count(0)
        prepare(table, until="")
        table.must(table.dealer, "shuffle_cards")
        expect(felt.page.locator("#cut")).to_be_visible()
        sound(felt)
        felt.page.locator('[data-action="refuse_cut"]').click()
        expect(felt.page.locator("#cut")).to_be_hidden()
        felt.page.locator('[data-action="leave"]').click()
        felt.page.locator('[data-answer="leave"]').click()
        expect(felt.dock).to_have_attribute("data-panel", "seat")


@pytest.mark.finding(17)
def test_an_eight_deck_spread_fits(visit: Visit, house: House) -> None:
    """At 1440 pixels every card is in sight without scrolling, in a wide font as well."""
    guest = house.guests[0]
    with house.table("maryland", 1, decks=8, name="eight decks") as table:
        table.receive("new")
        prepare(table, until="view")
        felt = at(visit, table.name, guest, size=(1440, 900))
        cards = felt.page.locator("[data-spread]")
        expect(cards).to_have_count(8 * 52)
        expect(cards.last).to_be_in_viewport()
        for font in ("", "DejaVu Sans"):
            cards.evaluate_all(
                "(all, font) => all.forEach((e) => (e.style.fontFamily = font))", font
            )
            rows = felt.page.locator(".spread-rows")
            hidden = "(e) => [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight]"
            assert rows.evaluate(hidden) == [0, 0]
            cut = "(all) => all.filter((e) => e.scrollWidth > e.clientWidth).length"
            assert cards.evaluate_all(cut) == 0


@pytest.mark.finding(17)
@pytest.mark.parametrize(
    ("book", "invites", "words"),
    [
        ("new-zealand", "Bet without a seat", "You can bet on other players' boxes."),
        ("maryland", "Watch", "You can watch."),
    ],
)
def test_a_full_table(visit: Visit, house: House, book: str, invites: str, words: str) -> None:
    """Lobby and table offer a bet without a seat where the book has it, else a look."""
    guest = house.guests[1]
    with house.table(book, 1, settings={"table.boxes": 1}) as table:
        lobby = visit("/", who=guest)
        link = lobby.locator(f'[data-sit="{table.name}"]')
        expect(link).to_have_text(invites)
        felt = at(visit, table.name, guest)
        expect(felt.page.locator(".seat-words")).to_have_text(f"Every seat is taken. {words}")
        stand = felt.page.get_by_role("button", name="Bet without a seat")
        expect(stand).to_have_count(int(invites == "Bet without a seat"))
        expect(felt.page.locator('[data-action="sit"]')).to_be_hidden()


def test_a_war_before_its_cards(visit: Visit, house: House) -> None:
    """The war wager beside the primary, the pot, and nothing to choose any more."""
    guest = house.guests[0]
    with StaffedTable(house.hosted, house.staff, "war", "washington") as table:
        table.join(guest).load(Cards("=", ">"))
        table.start()
        felt = at(visit, table.name, guest, size=NARROW)
        felt.bet(1, 2_500)
        table.deal()
        felt.choose(1, "war")
        felt.lies(1, "war", 2_500)
        # Two units of the player's and the house's one.
        expect(felt.box(1).locator("[data-pot]")).to_have_attribute("data-pot", "7500")
        sound(felt)


@pytest.mark.finding(1)
def test_the_bank_is_offered(visit: Visit, house: House) -> None:
    """The offer of the bank, and the table of who took it."""
    ann, bob = house.guests
    with StaffedTable(house.hosted, house.staff, "bank", "california") as table:
        table.join(ann, bob).load()
        felt = at(visit, table.name, ann, size=NARROW)
        expect(felt.page.locator("#post")).to_have_value(str(STACK // 200))
        half = f"${STACK // 200}"
        expect(felt.page.locator("[data-suggested]")).to_have_text(
            f"Suggested: {half}. The other {half} stays in your stack, because you must match every"
            " war against you from it. A war wager that you cannot match goes back to the player."
        )
        sound(felt)
        felt.page.locator("#post").fill("75")
        felt.page.locator('[data-action="take_bank"]').click()
        expect(felt.page.locator("[data-banker]")).to_have_attribute("data-posted", "7500")
        sound(felt)


def test_a_later_offer_begins_anew(visit: Visit, house: House) -> None:
    """What was typed into an offer of the bank is not in the next one, though it looks alike."""
    ann, bob = house.guests
    with StaffedTable(house.hosted, house.staff, "again", "california") as table:
        table.join(ann, bob).load()
        felt = at(visit, table.name, ann)
        post, suggested = felt.page.locator("#post"), str(STACK // 200)
        expect(post).to_have_value(suggested)
        post.fill("75")
        felt.page.locator('[data-action="pass_bank"]').click()
        expect(post).to_be_hidden()
        table.must(bob, "pass_bank")
        table.must(table.dealer, "offer_bank")
        expect(post).to_be_visible()
        expect(post).to_have_value(suggested)


def test_the_wheel_at_its_stop(visit: Visit, house: House) -> None:
    """Lamps of the side bets, meters, the wheel and what it pays."""
    with house.table("maryland", 1, name="wheel") as table:
        table.open(lambda cards: cards[1] in ("7h", "7d") and cards[0][0] != "7")
        table.start()
        felt = at(visit, table.name, table.players[0])
        felt.bet(1, 2_500)
        felt.bet(1, 500, "bonus_spin")
        expect(felt.spot(1, "bonus_spin")).to_have_attribute("data-lamp", "on")
        table.dealt()
        expect(felt.page.locator("wt-wheel[data-community]")).to_be_visible()
        sound(felt)


def test_a_reality_check_must_be_read(visit: Visit, house: House) -> None:
    """After an hour of play the page asks to be read, and bets go on after that."""
    hosted = house.hosted
    with hosted.guest() as player, OwnTable(hosted, player, "online") as table:
        felt = at(visit, table.name, player, size=NARROW)
        for amount in (100, 200, 300):
            felt.bet(1, amount)
            # A session ends after half an hour without a command.
            hosted.clock.ahead_ms += 21 * MINUTE_MS
        felt.amount(500)
        felt.click(2)
        dialog = felt.page.locator('[data-dialog="reality"]')
        expect(dialog).to_contain_text("You have been playing for 63 minutes")
        account = visit("/account", who=player)
        expect(account.locator("[data-acknowledge]")).to_be_visible()
        sound(felt)
        for _ in range(3):
            felt.page.keyboard.press("Escape")
            expect(dialog).to_be_visible()
        expect(account.locator("[data-acknowledge]")).to_be_visible()
        dialog.locator('[data-answer="on"]').click()
        expect(dialog).to_have_count(0)
        felt.bet(2, 500)
        # What was read waits no longer, on the account's page neither.
        account.reload()
        expect(account.locator("[data-sign-out]")).to_be_visible()
        expect(account.locator("[data-acknowledge]")).to_have_count(0)


def test_leaving_at_a_reality_check_has_its_warning(visit: Visit, house: House) -> None:
    """Who wants to leave by the check's own button, with a tie on the felt, reads what it costs."""
    hosted = house.hosted
    with (
        hosted.guest() as player,
        OwnTable(hosted, player, "maryland", Cards("=", ">")) as table,
    ):
        felt = at(visit, table.name, player)
        for _ in range(3):
            felt.bet(1, 500)
            hosted.clock.ahead_ms += 21 * MINUTE_MS
        felt.deal()
        page = felt.page
        page.locator('[data-dialog="reality"] [data-answer="leave"]').click()
        dialog = page.locator("dialog[open]")
        expect(dialog).to_contain_text("You have $15 at stake in this round.")
        expect(dialog).to_contain_text("Wagers that are not decided yet are lost.")
        page.keyboard.press("Escape")
        felt.choose(1, "war")
        felt.nets(1_500)
        # While bets are open, leaving costs nothing, and no more is asked.
        for _ in range(2):
            hosted.clock.ahead_ms += 21 * MINUTE_MS
            felt.bet(1, 500)
        hosted.clock.ahead_ms += 21 * MINUTE_MS
        felt.click(1)
        page.locator('[data-dialog="reality"] [data-answer="leave"]').click()
        expect(page.locator("[data-dialog=summary]")).to_contain_text("You left with $415")
