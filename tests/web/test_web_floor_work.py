"""Dealer and floor at work in their browsers while a player's page follows every step."""

import pytest
from playwright.sync_api import expect

from browser import PHONE, Visit, assert_accessible, assert_fits
from clauses import proves
from console_pages import done, duty, office, step
from staffed_tables import House, bring, shoe_of, spare, ties
from table_pages import Felt, at
from wartable.cards import DECK
from wartable.server.tables.place import ABSENT_MS

BOOK = "maryland"
BOOKS = (BOOK,)
GUESTS = 2


def heard(felt: Felt, kind: str, words: str) -> None:
    """The player's list has a sentence about it."""
    expect(felt.record.locator(f'[data-event="{kind}"]').first).to_contain_text(words)


@pytest.mark.finding(14)
@proves("console", "MD-8-D-1b")
def test_a_dealer_counts_the_side_bets(visit: Visit, house: House) -> None:
    """From closed cards to a settled round, each step as it is due, side bets counted by number."""
    with house.table(BOOK, 1, name="dealt by page") as table:
        player = table.players[0]
        dealer = office(visit, house.staff.dealer, table.name, size=PHONE)
        felt = at(visit, table.name, player)
        table.issue("inspected_and_shuffled", 6, "red")
        step(dealer, "receive_decks")
        step(dealer, "shuffle_cards")
        felt.page.locator("[data-action=cut]").click()
        step(dealer, "load_shoe")
        step(dealer, "start_round")
        felt.bet(1, 2_500)
        felt.bet(1, 500, "progressive")
        felt.bet(1, 500, "bonus_spin")
        step(dealer, "close_bets")
        count = dealer.locator('form[data-command="count_side_bets"]')
        for wager in ("progressive", "bonus_spin"):
            expect(count.locator(f"[name=count_side_bets-{wager}]")).to_have_value("")
        count.get_by_role("button").click()
        assert table.commands("count_side_bets") == [], "nothing is counted by the page itself"
        duty(dealer, "count_side_bets", progressive="2", bonus_spin="1")
        differs = dealer.locator("[data-notice=bad]")
        expect(differs).to_contain_text("counted again (progressive: 2 counted, 1 accepted)")
        expect(dealer.locator("[data-miscounted]").first).to_be_visible()
        heard(felt, "count_differed", "2 counted, 1 accepted")
        duty(dealer, "count_side_bets", progressive="1", bonus_spin="1")
        heard(felt, "side_bets_counted", "The side bets are counted.")
        step(dealer, "proceed")
        expect(felt.card(0)).to_be_visible()
        counted = table.commands("count_side_bets")
        assert [(each["progressive"], each["bonus_spin"]) for each in counted] == [(2, 1), (1, 1)]
        expect(dealer.locator("[data-miscounted]")).to_have_count(0)
        expect(count).to_have_count(0)
        assert_fits(dealer)


@pytest.mark.finding(11)
@proves("console", "MD-4-A-1", "MD-4-A-2")
def test_cards_come_from_the_inventory(visit: Visit, house: House) -> None:
    """The floor issues a set by its page; dealer and floor are each asked for their own step."""
    with house.table(BOOK, name="from the inventory") as table:
        floor = office(visit, house.staff.floor, table.name)
        dealer = office(visit, house.staff.dealer, table.name)
        vault = visit("/decks", who=house.staff.floor)
        cards = vault.locator("[data-cards]")
        receive = vault.locator("[data-receive-cards]")
        receive.locator("[name=cards-name]").fill("page-1")
        receive.get_by_role("button").click()
        row = cards.get_by_role("row", name="page-1")
        expect(row).to_contain_text("6 decks, red")
        expect(row).to_contain_text("new")
        for what, place, shown in (
            ("secured", "vault 7", "secured in vault 7"),
            ("issued", table.name, f"issued to {table.name}"),
        ):
            move = vault.locator("[data-move-cards]")
            move.locator("[name=moved-name]").select_option("page-1")
            move.locator("[name=moved-what]").select_option(what)
            move.locator("[name=moved-place]").fill(place)
            move.get_by_role("button").click()
            expect(row).to_contain_text(shown)
        step(dealer, "receive_decks")
        inspect = dealer.locator('[data-step-command="prepare"]')
        expect(inspect).to_contain_text("inspect")
        expect(floor.locator("[data-due]")).to_contain_text("inspect")
        expect(floor.locator('[data-step-command="prepare"]')).to_have_count(0)
        inspect.click()
        expect(floor.locator('[data-step-command="prepare"]')).to_contain_text("verify")
        expect(dealer.locator("[data-due]")).to_contain_text("verify")
        expect(dealer.locator('[data-step-command="prepare"]')).to_have_count(0)
        step(floor, "prepare")
        expect(dealer.locator('[data-step-command="prepare"]')).to_contain_text("spread")
        assert_accessible(vault)
        assert table.commands("receive_decks")[0]["sets"] == ["page-1"]


@pytest.mark.finding(10)
def test_the_page_asks_for_the_other_batch(visit: Visit, house: House) -> None:
    """While one batch is in play the dealer's page asks for the other, until it is stored."""
    with house.table(BOOK, 1, name="two batches", options={"shuffle": "batches"}) as table:
        table.open()
        dealer = office(visit, house.staff.dealer, table.name)
        other = dealer.locator('[data-step-command="shuffle_cards"]')
        expect(other).to_contain_text("blue batch")
        expect(dealer.locator('[data-step-command="start_round"]')).to_be_visible()
        other.click()
        expect(other).to_have_count(0)
        assert table.state()["stored"]["terms"]["batch"] == "blue"


@pytest.mark.finding(9)
@proves("console", "MD-5-G", "MD-5-H-2", "MD-5-A-3")
def test_the_floor_cuts_again_shuffles_again_and_changes_the_dealer(
    visit: Visit, house: House, allowed: list[str]
) -> None:
    """Each order has its reason, the player is told of it, and the table does as ordered."""
    with house.table(BOOK, 1, name="orders") as table:
        floor = office(visit, house.staff.floor, table.name)
        felt = at(visit, table.name, table.players[0])
        table.prepare()
        table.shuffle()
        felt.page.locator("[data-action=cut]").click()
        expect(floor.locator("[data-due]")).to_have_attribute("data-due", "load")
        done(duty(floor, "order_recut", who="last", reason="the card fell"))
        heard(felt, "recut_ordered", "another cut: the card fell")
        felt.page.locator("[data-action=refuse_cut]").click()
        expect(floor.locator("[data-due]")).to_have_attribute("data-due", "load")
        table.must(table.dealer, "load_shoe")
        dora = house.hosted.staff("dealer")
        allowed.append("refused: 409 /tables/orders/commands")
        told = duty(floor, "change_dealer", dealer="nobody")
        expect(told).to_have_text("nobody is not a dealer; name an account with the role dealer.")
        done(duty(floor, "change_dealer", dealer=dora.name))
        heard(felt, "dealer_changed", f"{dora.name} is now dealing")
        table.must(dora, "start_round")
        allowed.append("refused: 409 /tables/orders/commands")
        told = duty(floor, "change_dealer", dealer=table.dealer.name)
        expect(told).to_have_attribute("data-notice", "bad")
        felt.bet(1, 2_500)
        done(duty(floor, "order_reshuffle", reason="a stain on a card"))
        heard(felt, "reshuffle_ordered", "a stain on a card")
        done(duty(floor, "void_round", reason="a stain on a card"))
        heard(felt, "round_voided", "all wagers are returned")
        expect(felt.page.locator("#balance")).to_have_attribute("data-amount", "10000")
        expect(felt.page.locator("#at-stake")).to_have_attribute("data-amount", "0")
        expect(floor.locator("[data-due]")).to_have_attribute("data-due", "shuffle")
        assert_accessible(floor)
        assert table.state()["shoes"] == 1
        who = {
            each["actor"] for kind in ("order_recut", "void_round") for each in table.commands(kind)
        }
        assert who == {house.staff.floor.name}


@proves("console", "MD-11-A", "MD-11-B", "MD-11-C")
def test_irregularities(visit: Visit, house: House) -> None:
    """A card face up is set aside, a box that was missed gets its wagers back, the rest play."""
    with house.table(BOOK, 1, 2, name="odd things") as table:
        table.open()
        table.start()
        felt = at(visit, table.name, table.players[0])
        felt.bet(1, 2_500)
        table.bet(table.players[1], 2, 1_000)
        table.must(table.dealer, "close_bets")
        dealer = office(visit, house.staff.dealer, table.name)
        first = shoe_of(table).cards[1]
        duty(dealer, "find_face_up")
        heard(felt, "card_set_aside", "set aside")
        expect(felt.felt.locator("[data-rack]")).to_have_attribute("data-rack", "2")
        duty(dealer, "draw_in_error", exposed="no")
        heard(felt, "drawn_in_error", "not exposed")
        table.must(table.dealer, "proceed", steps=1)
        expect(felt.card(1)).to_be_visible()
        assert felt.cards()["1"] == shoe_of(table).cards[2], f"{first} was set aside"
        done(duty(dealer, "miss_box", box="2"))
        heard(felt, "box_voided", "Box 2 was not dealt a card")
        expect(felt.box(2)).to_contain_class("void")
        felt.settles(2, "primary", "not_dealt", 1_000)
        assert table.held(1) == 10_000
        step(dealer, "proceed")
        expect(felt.card(0)).to_be_visible()


@proves("console", "MD-9-J-4a", "MD-9-J-4b", "MD-9-J-4c")
def test_the_floor_approves_an_award(
    visit: Visit, house: House, monkeypatch: pytest.MonkeyPatch, allowed: list[str]
) -> None:
    """Four suited equal cards wait for the floor, which sees the evidence, approves, and pays."""
    # The name is part of what the cards depend on.
    with house.table(BOOK, 1, name="suited fours", decks=8) as table:
        table.open()
        cards = shoe_of(table).cards
        card = min(DECK, key=lambda each: [n for n, c in enumerate(cards) if c == each][3])
        table.start()
        felt = at(visit, table.name, table.players[0])
        felt.bet(1, 2_500)
        felt.bet(1, 500, "progressive")
        table.must(table.dealer, "close_bets")
        table.must(table.dealer, "count_side_bets", progressive=1)
        bring(table, card, 2)
        felt.choose(1, "war")
        felt.lies(1, "war", 2_500)
        for _ in range(3):
            spare(table, card)
        bring(table, card, 2)
        while table.what() == "proceed":
            table.proceed()
        expect(felt.status).to_have_text("Waiting for a floorperson to approve the award.")
        before = table.held()
        dealer = office(visit, house.staff.dealer, table.name)
        expect(dealer.locator("[data-award]").first).to_be_visible()
        expect(dealer.locator('[data-step-command="approve"]')).to_have_count(0)
        expect(dealer.locator("[data-award-at] [data-approve]")).to_have_count(0)
        floor = office(visit, house.staff.floor, table.name)
        award = floor.locator(f'[data-award-at="{table.name}"]')
        expect(award.locator('[data-award-cards="1"] .mini')).to_have_count(2)
        expect(award.locator('[data-award-cards="0"] .mini')).to_have_count(2)
        expect(award.locator("[data-lamps]")).to_have_attribute("data-lamps", "1")
        expect(award.locator("[data-before]")).to_have_attribute("data-before", "1000015")
        expect(award.locator("[data-before]")).to_have_attribute("data-after", "1000000")
        share = award.locator(f'[data-share="{table.players[0].name}"]')
        expect(share).to_have_attribute("data-amount", str(1_000_015 + 500_000 + 500))
        expect(award).to_contain_text("MD-10-B-1")
        # It is so large that this house asks for two people.
        monkeypatch.setattr(house.hosted.house.approvals, "least", 1_000_000)
        allowed.append("refused: 409 /tables/.*/commands")
        for _ in range(2):
            award.locator("[data-approve]").click()
            expect(award.locator("[data-notice=bad]")).to_contain_text("another person must")
        floor.reload()
        name = house.staff.floor.name
        expect(award.locator("[data-approved-by]")).to_have_attribute("data-approved-by", name)
        assert table.held() == before
        (noted,) = house.hosted.significant("award_approved", table.name)
        assert (noted["actor"], noted["after"]) == (name, "$15,005.15 in round 1")
        with house.hosted.admin() as admin:
            table.must(admin, "approve")
        expect(award).to_have_count(0)
        # The meter of $10,000 was fed 3% of this wager, 1,000 to 1 on $5 are $5,000, and the $5
        # go back.
        felt.settles(1, "progressive", "suited_four_of_a_kind", 1_000_015 + 500_000 + 500)
        assert table.held() == before + 1_500_515
        expect(felt.page.locator("#balance")).to_have_attribute("data-amount", str(table.held()))


@pytest.mark.finding(3)
def test_time_is_called_only_when_it_is_over(visit: Visit, house: House) -> None:
    """The dealer's page has no way to call time before, and the player reads who called it."""
    with house.table(BOOK, 1, name="called") as table:
        table.play(lambda cards: ties(cards[0], cards[1]), {"primary": 100})
        dealer = office(visit, house.staff.dealer, table.name)
        expect(dealer.locator("[data-due]")).to_have_attribute("data-due", "choice")
        call = dealer.locator('[data-step-command="timeout"]')
        expect(call).to_have_count(0)
        expect(dealer.locator('form[data-command="timeout"]')).to_have_count(0)
        expect(dealer.locator('form[data-command="miss_box"]')).to_have_count(1)
        # This table sets no time, so it takes a player who has long been away.
        house.hosted.clock.ahead_ms += ABSENT_MS
        dealer.reload()
        expect(call).to_have_text(f"Time is up for a choice: {table.players[0].name}, box 1")
        call.click()
        words = f"(decided by the platform; {house.staff.dealer.name} called time)"
        expect(dealer.locator('[data-event="chosen"]')).to_contain_text(words)
        expect(call).to_have_count(0)
