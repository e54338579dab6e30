"""California's clauses in a real browser: who banks, what the bank covers, how it goes round."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from browser import Visit
from clauses import proves
from live_tables import STACK, Cards, People, StaffedTable, of, people
from table_pages import Felt, at, called
from waiting import until

CA = "california"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    """One house for all tests of this file."""
    with people(tmp_path_factory.mktemp("house"), CA, 4) as running:
        yield running


def take(felt: Felt, amount: str) -> None:
    """Take the bank that is offered, by clicks."""
    expect(felt.dock).to_have_attribute("data-panel", "offer")
    felt.page.locator("#post").fill(amount)
    felt.dock.locator('[data-action="take_bank"]').click()


@proves("web", "CA-round-9a", "CA-round-9e", "CA-betting-5b", "CA-deal-5a", "CA-std-14")
def test_web_CA_betting_5_the_cover(house: People, visit: Visit) -> None:
    """Any bank is taken; what it does not cover goes back before a card, in sight of all."""
    ann, bob, cat, dan = house.players
    with house.table("cover") as table:
        table.join(ann, bob, cat, dan).load(Cards("="))
        bank, felt, other = (at(visit, table.name, who) for who in (ann, bob, cat))
        take(bank, "15")
        expect(felt.felt.locator("[data-banker]")).to_have_attribute("data-posted", "1500")
        table.start()
        felt.bet(2, 1_000)
        felt.bet(2, 60, "tie")
        other.bet(3, 1_000)
        table.bet(dan, 4, 700)
        table.must(table.dealer, "close_bets")
        # The bank of $15 covers $10, then $5 of ten times a tie wager: $0.50 of $0.60.
        expect(felt.stack(2, "primary")).to_have_attribute("data-amount", "1000")
        expect(felt.stack(2, "tie")).to_have_attribute("data-amount", "50")
        expect(felt.slip(2, "tie")).to_have_text("Tie $0.50, $0.10 returned")
        felt.settles(3, "primary", "uncovered", 1_000)
        felt.settles(4, "primary", "uncovered", 700)
        expect(felt.felt.locator("wt-card")).to_have_count(0)
        assert other.balance() == STACK
        told = [text for _, text in other.happened("returned")]
        assert told[-2:] == [
            "Box 3, your Primary Wager: $10 not covered by the bank, returned.",
            f"Box 4, {called(dan)}'s Primary Wager: $7 not covered by the bank, returned.",
        ]
        assert [event["box"] for event in of(table.proceed(), "dealt")] == [2, 0]
        assert sorted(other.cards()) == ["0", "2"], "what is not covered gets no card"
        felt.choose(2, "surrender")
        felt.nets(500 - 500)
        bank.nets(0)
        assert other.paid(3) == [
            (
                "Primary Wager",
                "not covered by the bank, returned; $10 was not covered and was returned",
                "$10",
                "$0",
            )
        ]
        tie = felt.receipt(2)[1]
        assert (tie.staked, tie.returned, tie.net) == ("$0.60", "$5.60", "+$5")
        assert "$0.10 was not covered and was returned" in tie.outcome


@proves("web", "CA-round-9e", "CA-def-pd-2", "CA-round-2a")
def test_web_CA_round_9e_no_maximum(house: People, visit: Visit) -> None:
    """The bank may be all that its player has, above any wager's maximum, and not more."""
    ann, bob, *_ = house.players
    with house.table("unlimited", settings={"limits.primary.max": 2_000}) as table:
        table.join(ann, bob).load(Cards("<"))
        bank = at(visit, table.name, ann)
        take(bank, "400.01")
        expect(bank.page.locator("#complaint")).to_have_attribute("data-code", "insufficient")
        take(bank, "400")
        expect(bank.felt.locator("[data-banker]")).to_have_attribute("data-posted", str(STACK))
        expect(bank.felt.locator("[data-banker]")).to_have_text("You bank with $400")
        table.start()
        table.bet(bob, 2, 2_000)
        table.deal()
        bank.nets(2_000)
        assert bank.balance() == STACK + 2_000


def start(table: StaffedTable, felt: Felt) -> None:
    """Betting opens, once the click that takes the bank has arrived."""
    until(
        lambda: table.state()["bank"]["taken"],
        "nobody takes the bank",
        pause=lambda: felt.page.wait_for_timeout(20),
    )
    table.start()


def play(table: StaffedTable, other: Felt, box: int) -> None:
    """A round of one hand against whoever took the bank, which surrenders a tie."""
    number = table.state()["rounds"] + 1
    start(table, other)
    other.bet(box, 100)
    table.deal()
    if table.due()[0]["what"] == "choice":
        other.choose(box, "surrender")
    expect(other.record.locator('[data-event="closed"]')).to_have_count(number)


@proves("web", "CA-std-14", "CA-round-10a", "CA-round-10b", "CA-round-10c", "CA-def-pd-1")
@proves("web", "CA-def-pd-2", "CA-table-1")
def test_web_CA_round_10_the_bank_goes_round(house: People, visit: Visit) -> None:
    """Two rounds at most, then the button moves clockwise; who passes is skipped at no cost."""
    ann, bob, cat, eve = house.players
    with house.table("rotation") as table:
        for player, seat in ((ann, 2), (bob, 5), (cat, 7)):
            table.sit(player, seat)
        table.stand(eve).load()
        one, two, three, behind = (at(visit, table.name, who) for who in (ann, bob, cat, eve))
        button = two.felt.locator("wt-box.bank")
        for number in (1, 2):
            expect(two.status).to_have_text(f"The bank is offered to {called(ann)}.")
            expect(two.dock.locator('[data-action="take_bank"]:visible')).to_have_count(0)
            take(one, "10")
            play(table, two, 5)
            expect(button).to_have_attribute("data-box", "2")
            expect(button.locator(".button-mark")).to_be_visible()
            # Two cards in each round without a war, the bank's the last of them.
            dealt = [text.split(":")[0] for _, text in two.happened("dealt")]
            assert dealt == ["Box 5", "The player/dealer"] * number
            expect(one.dock.locator("button[data-choice]:visible")).to_have_count(0)
        expect(two.status).to_have_text("The bank is offered to you.")
        expect(one.dock.locator('[data-action="take_bank"]:visible')).to_have_count(0)
        one.page.reload()
        expect(one.status).to_have_text(f"The bank is offered to {called(bob)}.")
        before = two.balance()
        two.dock.locator('[data-action="pass_bank"]').click()
        expect(three.dock).to_have_attribute("data-panel", "offer")
        assert two.balance() == before
        take(three, "20")
        expect(button).to_have_attribute("data-box", "7")
        expect(behind.dock.locator('[data-action="take_bank"]:visible')).to_have_count(0)
        start(table, three)
        expect(three.status).to_have_text("You bank this round. Waiting for the others to bet.")
        expect(three.box(7).locator("[data-spot].open")).to_have_count(0)
        three.refuses(7, 100, "primary", "banker_wager")
        expect(one.box(2).locator("[data-spot].open")).not_to_have_count(0)
