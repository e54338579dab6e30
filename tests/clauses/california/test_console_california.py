"""California's clauses in the console: the form, the bank, the batches, rounds again."""

from playwright.sync_api import Page, expect

from browser import Visit
from clauses import proves
from console_pages import (
    batch,
    clauses,
    done,
    duty,
    office,
    opens,
    put,
    refused,
    setting,
    setup_page,
    where,
)
from hosting import Client
from live_tables import Stack
from staffed_tables import House, SeatedTable, beats, ties

CA = "california"
BOOKS = (CA,)
GUESTS = 4


def says(page: Page, hook: str, words: str) -> None:
    """A part of the table's detail has these words."""
    expect(page.locator(f"[data-{hook}]").first).to_contain_text(words)


def bank(table: SeatedTable, player: Client, amount: int) -> None:
    """Somebody takes the bank, and betting opens."""
    table.must(player, "take_bank", amount=amount)
    table.start()


def again(page: Page, table: SeatedTable, number: int = 0) -> None:
    """The table's last round, or another one, as the console leads there."""
    if number:
        page.goto(f"/replay?table={table.name}&round={number}")
    else:
        page.locator(f'[data-last-round="{table.state()["rounds"]}"]').click()
    expect(page.locator("[data-replay]")).to_be_visible()


@proves(
    "console", "CA-notice-1", "CA-notice-2", "CA-notice-3", "CA-def-0", "CA-std-7", "CA-decks-1"
)
@proves("console", "CA-decks-3", "CA-decks-3a", "CA-betting-1b")
def test_the_form(visit: Visit, house: House) -> None:
    """Notices, glossary and the owner's agreement; machine shuffle, decks, war burn and limits."""
    page = setup_page(visit, house.staff.floor, CA)
    page.locator("[data-notices] summary").click()
    expect(page.locator('[data-clause="CA-notice-1"]')).to_contain_text("SHFL Entertainment")
    expect(page.locator('[data-clause="CA-notice-3"]')).to_contain_text("19826(g)")
    page.locator("[data-glossary] summary").click()
    expect(page.locator("[data-glossary]")).to_contain_text("burn card")
    expect(page.locator("[data-no-agreement]")).to_contain_text("CA-notice-2")
    page.locator("[data-filing] summary").click()
    page.locator("[name=filing-agreement]").fill("SHFL licence 14")
    page.locator("[name=filing-agreed]").fill("2026-03-01")
    page.locator("[data-file] button").click()
    expect(page.locator("[data-no-agreement]")).to_have_count(0)
    expect(page.locator("[data-filing]")).to_contain_text("SHFL licence 14, 2026-03-01")
    # One batch of at least six decks is dealt while the other waits: twelve or more in all.
    decks = setting(page, "decks").locator("option").all_text_contents()
    assert decks == ["6", "7", "8", "9", "10", "11", "12"]
    assert {"CA-decks-3", "CA-decks-3a"} <= clauses(page, "decks")
    assert setting(page, "shuffle").locator("option").all_text_contents() == ["batches"]
    assert "CA-decks-1" in clauses(page, "shuffle")
    assert "CA-std-7" in clauses(page, "war_burn")
    assert clauses(page, "limits.primary.min") == {"CA-betting-1b"}
    refused(page, "table.boxes", "9", "at most 8")
    put(page, war_burn="before_dealer", decks="8", limits__primary__min="25")
    put(page, limits__primary__max="20")
    expect(page.locator("[data-edges] [data-problem]").first).to_contain_text("limits.primary")
    put(page, limits__primary__max="100")
    opens(page, "ca burn")
    made = house.hosted.house.floor.places["ca burn"].live.setup
    assert (made.decks, made.rules.options.war_burn) == (8, "before_dealer")
    assert (made.rules.limits.primary.min, made.rules.limits.primary.max) == (2_500, 10_000)
    pit = office(visit, house.staff.floor, "ca burn")
    says(pit, "limits", "wager $25 to $100")
    says(pit, "bank", "nobody")
    methods = pit.locator('form[data-command="change_method"] option')
    expect(methods).to_have_count(1)
    expect(pit.locator("dd", has_text="16 decks in two batches of eight")).to_be_visible()


@proves("console", "CA-table-1", "CA-def-pd-2", "CA-round-9c", "CA-round-9e", "CA-std-14")
@proves("console", "CA-betting-5b", "CA-round-9d", "CA-def-round")
def test_the_bank(visit: Visit, house: House) -> None:
    """The bank goes round among the seated; it covers what it can, and the house takes nothing."""
    settings = {"limits.primary.max": 2_000}
    with house.table(CA, 2, 5, 7, name="ca bank", settings=settings) as table:
        ann, bob, cat = table.players
        table.open()
        pit = office(visit, house.staff.floor, table.name)
        expect(pit.locator("[data-seats]")).to_have_attribute("data-seats", "8")
        says(pit, "seats", f"2 {ann.name}, 5 {bob.name}, 7 {cat.name}")
        dealer = office(visit, house.staff.dealer, table.name)
        # The house is never offered the bank, and nothing is dealt before a player takes it.
        says(pit, "bank", f"offered to {ann.name}")
        expect(dealer.locator('[data-step-command="start_round"]')).to_have_count(0)
        table.must(ann, "pass_bank")
        says(pit, "bank", f"offered to {bob.name}")
        says(pit, "bank", f"passed: {ann.name}")
        bank(table, bob, 2_500)  # above the maximum of a wager
        says(pit, "bank", f"{bob.name}, $25")
        table.bet(ann, 2, 2_000)
        table.bet(cat, 7, 2_000)
        table.must(table.dealer, "close_bets")
        table.proceed()
        while table.due()[0]["what"] == "choice":
            asked = table.due()[0]
            who = next(each for each in table.players if each.name == asked["player"])
            table.must(who, "choose", box=asked["box"], choice="surrender")
        says(pit, "bank", f"offered to {bob.name}")
        again(pit, table)
        # The bank of $25 covers box 2, the dealer's left, and $5 of box 7.
        returned = f"Box 7, {cat.name}'s Primary Wager: $15 not covered by the bank, returned."
        expect(pit.locator(".steps")).to_contain_text(returned)
        expect(pit.locator(".steps")).not_to_contain_text(f"{ann.name}'s Primary Wager: $")
        rows = pit.locator("section", has_text="How every wager ended").get_by_role("row")
        expect(rows).to_have_count(3)
        expect(pit.locator("td", has_text="open")).to_have_count(0)
        expect(pit.locator("[data-house-credit]")).to_have_attribute("data-house-credit", "0")
        pit = office(visit, house.staff.floor, table.name)
        bank(table, bob, 2_000)
        says(pit, "bank", "2 of 2 rounds")
        table.bet(ann, 2, 500)
        table.must(table.dealer, "close_bets")
        table.proceed()
        if table.due()[0]["what"] == "choice":
            table.must(ann, "choose", box=2, choice="surrender")
        # After two rounds the next seat clockwise is offered the bank.
        says(pit, "bank", f"offered to {cat.name}")


def war_for_one(cards: Stack) -> bool:
    """The only box ties and wins its war."""
    return ties(cards[0], cards[1]) and cards[0] != cards[1] and beats(cards[5], cards[6])


@proves("console", "CA-decks-3b", "CA-decks-3c", "CA-decks-3d", "CA-decks-3e", "CA-deal-1c")
@proves("console", "CA-deal-3", "CA-round-4b", "CA-round-8c", "CA-def-burn")
def test_cards(visit: Visit, house: House) -> None:
    """Two batches alternate; cover card and new dealer; both deals again, burns for the audit."""
    settings = {"shoe.cover_from_bottom": "29/30"}
    with house.table(CA, 1, 2, name="ca cards", settings=settings) as table:
        ann, bob = table.players
        table.open(war_for_one)
        pit = office(visit, house.staff.floor, table.name)
        where(pit, "red", "in play")
        expect(pit.locator("[data-batch]")).to_have_count(2)
        table.must(table.dealer, "shuffle_cards")
        where(pit, "blue", "in the device")
        bank(table, ann, 5_000)
        table.bet(bob, 2, 1_000)
        table.must(table.dealer, "close_bets")
        table.proceed()
        table.must(bob, "choose", box=2, choice="war")
        table.proceed()
        expect(pit.locator("[data-cover-out]")).to_have_count(0)
        racked = batch(pit, "red").locator("td").nth(2)
        expect(racked).to_have_text("8")  # the first burn, two deals of two, three burned
        expect(batch(pit, "blue").locator("td").nth(2)).to_have_text("0")
        with house.hosted.staff("dealer") as dora:
            done(duty(pit, "change_dealer", dealer=dora.name))
            expect(pit.locator("[data-burn-due]").first).to_be_visible()
            table.must(ann, "take_bank", amount=5_000)
            table.must(dora, "start_round")
            hidden = pit.locator('[data-event="card_burned"]').first
            expect(hidden).to_be_visible()
            table.bet(bob, 2, 1_000)
            table.must(dora, "close_bets")
            table.must(dora, "proceed")
            expect(pit.locator("[data-cover-out]").first).to_be_visible()
            if table.due()[0]["what"] == "choice":
                assert table.state()["round"]["closed"] is False, "the round is finished first"
                table.must(bob, "choose", box=2, choice="surrender")
        # Then the other batch comes, and the first goes to the device.
        expect(pit.locator("[data-due]")).to_contain_text("the cut")
        while table.due()[0]["what"] == "cut":
            asked = table.due()[0]["player"]
            who = next(each for each in table.players if each.name == asked)
            table.must(who, "refuse_cut")
        table.must(table.dealer, "load_shoe")
        where(pit, "blue", "in play")
        expect(pit.locator('[data-batch="red"]')).not_to_have_attribute("data-where", "in play")
        expect(batch(pit, "red").locator("td").nth(2)).to_have_text("0")
        again(pit, table, 1)
        for box in ("Box 2", "Dealer"):
            row = pit.locator("dt", has_text=box).locator("+ dd")
            expect(row.locator(".mini")).to_have_count(2)
        expect(pit.locator("[data-burned-cards]")).to_have_count(0)
        with house.hosted.staff("auditor") as auditor:
            audit = visit(f"/replay?table={table.name}&round=1", who=auditor)
            expect(audit.locator("[data-burned-cards] .mini")).to_have_count(3)
