"""Maryland's side bets in the browser: progressive hands, meters, envy, the wheel."""

import pytest
from playwright.sync_api import Page, expect

from browser import Visit
from clauses import proves
from live_tables import Stack
from staffed_pages import amount, box, card, choose, ended, put, sit, spot, told, wager, watch
from staffed_tables import House, Wanted, beats, bring, depth, shoe_of, spare, stops, ties
from table_pages import called
from wartable.cards import DECK

MD = "maryland"
BOOKS = (MD,)
SPIN = {"primary": 100, "bonus_spin": 500}

# Symbols and payouts for $5 as the document's tables have them, in cents.
HOT_SPOT = {
    "$1,000": 100_000, "$600": 60_000, "$500": 50_000, "$400": 40_000,
    "$350": 35_000, "$300": 30_000, "$250": 25_000, "$200": 20_000,
}  # fmt: skip  # a table
COMMUNITY = {
    "$150": 15_000, "$100": 12_500, "$75": 10_000, "$50": 7_500,
    "$40": 5_000, "$35": 4_000, "$30": 3_000, "$25": 2_500,
}  # fmt: skip  # a table
GIFT = ["bonus_spin"]
"""A wheel that always pays returns far above 100 %, which an operator confirms by name."""


RANKS = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "T", "jack": "J", "queen": "Q", "king": "K", "ace": "A",
}  # fmt: skip  # words and notation


def tie(cards: Stack) -> bool:
    """One box ties unsuited, and the War does not tie."""
    return ties(cards[0], cards[1]) and cards[0] != cards[1] and not ties(cards[5], cards[6])


def suited_tie(cards: Stack) -> bool:
    """One box has the dealer's very card, and the War does not tie."""
    return cards[0] == cards[1] and not ties(cards[5], cards[6])


def double_tie(cards: Stack) -> bool:
    """Both deals tie, unsuited, with two ranks."""
    return two_ties(cards) and cards[0] != cards[1]


def suited_double_tie(cards: Stack) -> bool:
    """Both deals tie suited, with two ranks."""
    return two_ties(cards) and cards[0] == cards[1] and cards[5] == cards[6]


def two_ties(cards: Stack) -> bool:
    """Both deals tie, with two ranks."""
    return ties(cards[0], cards[1]) and ties(cards[5], cards[6]) and not ties(cards[0], cards[5])


def four_of_a_kind(cards: Stack) -> bool:
    """All four cards have one rank, and the first tie is not suited."""
    return all(ties(cards[0], cards[place]) for place in (1, 5, 6)) and cards[0] != cards[1]


@proves("web", "MD-10-B", "MD-10-B-2", "MD-10-B-3", "MD-10-B-4", "MD-10-B-5", "MD-10-B-6")
@proves("web", "MD-7-F-3")
@pytest.mark.parametrize(
    ("wanted", "odds", "words"),
    [
        (tie, 5, "tie, 5 to 1"),
        (suited_tie, 15, "suited tie, 15 to 1"),
        (double_tie, 30, "two ties, 30 to 1"),
        (four_of_a_kind, 150, "four of a kind, 150 to 1"),
        (suited_double_tie, 200, "two suited ties, 200 to 1"),
    ],
)
def test_web_MD_10_B_progressive_hands(
    house: House, visit: Visit, wanted: Wanted, odds: int, words: str
) -> None:
    """A progressive hand is paid by its highest line alone, as the felt and the receipt show."""
    with house.table(MD, 1) as table:
        table.open(wanted)
        table.start()
        page = sit(visit, table)
        put(page, 1, 1_000)
        put(page, 1, 500, "progressive")
        table.dealt()
        choose(page, 1, "war")
        table.proceed()
        ended(page, 1, "progressive", wanted.__name__, 500 + odds * 500)
        expect(wager(page, 1, "progressive")).to_have_attribute("data-net", str(odds * 500))
        page.locator("#net").click()
        lines = page.locator('[data-receipt="1"] [data-wager="progressive"]')
        expect(lines).to_have_count(1)
        expect(lines).to_contain_text(words)
        expect(lines).to_contain_text("MD-10-B-")


@proves("web", "MD-10-B-1", "MD-9-J-4e-i", "MD-10-C-3c-i", "MD-9-J-4b", "MD-9-J-2")
def test_web_MD_10_B_1_suited_four_and_envy(house: House, visit: Visit) -> None:
    """The top hand gets meter and 1000 to 1; the other progressive bettors are paid their envy."""
    with house.table(MD, 1, 2, 3, name="suited fours", decks=8) as table:
        ann, bob, _ = table.players
        table.open()
        left = shoe_of(table).cards[len(shoe_of(table).drawn) :]
        wanted = min(DECK, key=lambda each: depth(left, each, "bbsbsssbbb"))
        table.start()
        page = sit(visit, table, index=2)
        put(page, 3, 200)
        put(page, 3, 100, "progressive")
        table.bet(ann, 1, 100).bet(ann, 1, 500, "progressive").bet(bob, 2, 100)
        lamps = [spot(page, number, "progressive") for number in (1, 2, 3)]
        for lamp, light in zip(lamps, ("on", "off", "on"), strict=True):
            expect(lamp).to_have_attribute("data-lamp", light)
        table.must(table.dealer, "close_bets")
        table.must(table.dealer, "count_side_bets", progressive=2)
        meter = page.locator('wt-meter[data-meter="progressive"]')
        # Three percent of $5 and of $1.
        expect(meter).to_have_attribute("data-amount", "1000018")
        bring(table, wanted, 2)
        spare(table, wanted)
        bring(table, wanted)
        table.choose(ann, 1, "war")
        table.choose(bob, 2, "war")
        for _ in range(3):
            spare(table, wanted)
        bring(table, wanted, 3)
        if table.what() == "proceed":
            table.proceed()
        expect(page.locator("#status")).to_have_text(
            "Waiting for a floorperson to approve the award."
        )
        for number in (0, 1, 2):
            expect(card(page, number)).to_have_attribute("data-card", wanted)
            expect(card(page, number, "war")).to_have_attribute("data-card", wanted)
        # Whom the award waits for has the cards on the layout, and the lamp is lit.
        expect(lamps[0]).to_have_attribute("data-lamp", "on")
        expect(wager(page, 1, "progressive")).not_to_have_attribute("data-outcome", "lost")
        table.must(table.floor, "approve")
        while table.what() == "proceed":
            table.proceed()
        ended(page, 1, "progressive", "suited_four_of_a_kind", 1_000_018 + 1_000 * 500 + 500)
        expect(wager(page, 2, "progressive")).to_have_count(0)
        expect(meter).to_have_attribute("data-amount", "1000000")
        # $5,000 for $5 and a fifth of it for $1, for each holder, who need not have wagered.
        paid = told(page, "envy_paid")
        assert sorted(paid) == sorted([
            f"{called(ann)} gets $5,000 for {called(bob)}'s hand (Envy Bonus).",
            f"You get $1,000 for {called(ann)}'s hand (Envy Bonus).",
            f"You get $1,000 for {called(bob)}'s hand (Envy Bonus).",
        ])  # fmt: skip  # line by line
        own = card_of(page, 3)
        primary = 200 if beats(own, wanted) else -200
        amount(page, "net", primary - 100 + 2 * 100_000)
        page.locator("#net").click()
        envy = page.locator('[data-receipt="3"] [data-wager="envy"]')
        expect(envy).to_contain_text("+$2,000")
        expect(envy).to_contain_text("MD-10-C-3c-i")
        page.keyboard.press("Escape")
        box(page, 1).locator(".result").click()
        expect(page.locator('[data-receipt="1"] [data-wager="envy"]')).to_contain_text("+$5,000")
        expect(page.locator('[data-receipt="1"]')).to_contain_text(
            "four identical cards, the meter and 1000 to 1"
        )


def card_of(page: Page, number: int) -> str:
    """The card of a box by the list of what happened, where its place on the felt is cleared."""
    line = next(each for each in told(page, "dealt") if each.startswith(f"Box {number}: "))
    rank, _, suit = line.removeprefix(f"Box {number}: ").rstrip(".").split(" ")
    return RANKS[rank] + suit[0]


@proves("web", "MD-9-J-4b", "MD-10-B-6")
def test_web_MD_9_J_4b_the_lamp_decides(house: House, visit: Visit) -> None:
    """Of two like hands only the one whose lamp is lit is paid for it."""
    with house.table(MD, 1, 2) as table:
        page = sit(visit, table)
        table.play(
            lambda cards: ties(cards[0], cards[2]) and ties(cards[1], cards[2])
            and cards[2] not in cards[:2],
            {"primary": 100, "progressive": 500},
            {"primary": 100},
        )  # fmt: skip  # the cards in one piece
        expect(spot(page, 1, "progressive")).to_have_attribute("data-lamp", "on")
        expect(spot(page, 2, "progressive")).to_have_attribute("data-lamp", "off")
        table.choose(table.players[1], 2, "surrender")
        choose(page, 1, "surrender")
        ended(page, 1, "progressive", "tie", 3_000)
        expect(wager(page, 2, "progressive")).to_have_count(0)
        expect(box(page, 1).locator(".result")).to_have_attribute("data-net", str(2_500 - 50))
        expect(box(page, 2).locator(".result")).to_have_attribute("data-net", "-50")


@proves("web", "MD-10-D", "MD-10-D-2", "MD-10-E", "MD-7-F-4")
@proves("web", "MD-10-D-1c", "MD-10-D-1d", "MD-10-D-1e", "MD-10-D-1f", "MD-10-D-1g")
@proves("web", "MD-10-D-1h", "MD-10-D-1i", "MD-10-D-1j")
@proves("web", "MD-10-E-1a", "MD-10-E-1b", "MD-10-E-1c", "MD-10-E-1d", "MD-10-E-1e")
@proves("web", "MD-10-E-1f", "MD-10-E-1g", "MD-10-E-1h")
def test_web_MD_10_D_1_every_stop_of_the_wheel(house: House, visit: Visit) -> None:
    """At each stop the hot spot's box is paid its symbol and the other the community's payout."""
    page = visit(who=house.guests[0])
    for (hot, hot_pays), (community, community_pays) in zip(
        HOT_SPOT.items(), COMMUNITY.items(), strict=True
    ):
        settings = {"table.boxes": 2, **stops(hot, community)}
        with house.table(MD, 1, 2, settings=settings, confirmed=GIFT) as table:
            table.play(lambda cards: cards[2] in ("7h", "7d"), SPIN, SPIN)
            watch(page, table)
            wheel = page.locator("wt-wheel")
            expect(wheel).to_have_attribute("data-hot-spot", hot)
            expect(wheel).to_have_attribute("data-community", community)
            hit = wheel.locator(".hit")
            expect(hit).to_have_count(2)
            assert {hit.nth(each).get_attribute("data-stop") for each in (0, 1)} == {hot, community}
            assert [pointed(page, ring) for ring in ("hot", "community")] == [hot, community]
            lucky = int(wheel.get_attribute("data-hot-spot-box") or "")
            ended(page, lucky, "bonus_spin", "hot_spot", hot_pays)
            ended(page, 3 - lucky, "bonus_spin", "community", community_pays)
            words = f"Community pay: ${community_pays // 100} per $5. Hot spot on box {lucky}: "
            expect(page.locator(".stop-words")).to_have_text(f"{words}${hot_pays // 100:,}")


def pointed(page: Page, ring: str) -> str | None:
    """The stop of the ring that is uppermost, where the pointer is."""
    highest: str | None = page.locator(f"wt-wheel .ring.{ring}").evaluate(
        """(ring) => [...ring.querySelectorAll("[data-stop]")]
          .map((stop) => [stop.getBoundingClientRect(), stop.dataset.stop])
          .map(([at, name]) => [at.y + at.height / 2, name])
          .sort(([one], [other]) => one - other)[0][1]"""
    )
    return highest


@pytest.mark.finding(15)
@proves("web", "MD-10-D-2", "MD-10-E")
def test_web_MD_10_D_2_a_stop_without_hot_spot(house: House, visit: Visit) -> None:
    """It has its own place; the pointer is there, and before the first turn there is none."""
    settings = {"table.boxes": 2, **stops("none", "$100")}
    with house.table(MD, 1, 2, settings=settings, confirmed=GIFT) as table:
        page = sit(visit, table)
        wheel = page.locator("wt-wheel")
        expect(wheel).to_be_visible()
        expect(wheel.locator(".pointer")).to_be_hidden()
        table.play(lambda cards: cards[2] in ("7h", "7d"), SPIN, SPIN)
        expect(wheel).to_have_attribute("data-hot-spot", "none")
        expect(wheel.locator(".pointer")).to_be_visible()
        expect(page.locator(".stop-words")).to_have_text("Community pay: $125 per $5. No hot spot")
        assert [pointed(page, ring) for ring in ("hot", "community")] == ["none", "$100"]
        hit = wheel.locator(".hit")
        assert [hit.nth(each).get_attribute("data-stop") for each in (0, 1)] == ["none", "$100"]
        for number in (1, 2):
            ended(page, number, "bonus_spin", "community", 12_500)


@proves("web", "MD-10-D", "MD-10-E", "MD-7-F-4")
def test_web_MD_10_D_one_fifth_for_a_dollar(house: House, visit: Visit) -> None:
    """A wager of $1 is paid one fifth of what $5 is paid."""
    small = {"primary": 100, "bonus_spin": 100}
    with house.table(MD, 1, 2, settings=stops("$1,000", "$100"), confirmed=GIFT) as table:
        table.open(lambda cards: cards[2] in ("7h", "7d"))
        page = sit(visit, table)
        table.play(lambda _: True, small, small)
        wheel = page.locator("wt-wheel")
        expect(wheel).to_have_attribute("data-hot-spot", "$1,000")
        lucky = int(wheel.get_attribute("data-hot-spot-box") or "")
        ended(page, lucky, "bonus_spin", "hot_spot", 20_000)
        ended(page, 3 - lucky, "bonus_spin", "community", 2_500)


@proves("web", "MD-10-D-1a", "MD-10-D-1b", "MD-10-D-2")
@pytest.mark.parametrize(("meter", "reset"), [("primary", 1_000_000), ("secondary", 500_000)])
def test_web_MD_10_D_1_jackpots(house: House, visit: Visit, meter: str, reset: int) -> None:
    """A jackpot pays the whole of its own meter, which is then reset, and not the other."""
    other = "secondary" if meter == "primary" else "primary"
    with house.table(MD, 1, settings=stops(f"jackpot_{meter}"), confirmed=GIFT) as table:
        table.open(lambda cards: cards[1] in ("7h", "7d") and not ties(cards[0], cards[1]))
        table.start()
        page = sit(visit, table)
        put(page, 1, 100)
        put(page, 1, 500, "bonus_spin")
        expect(page.locator("wt-wheel[data-community]")).to_have_count(0)
        table.dealt()
        wheel = page.locator("wt-wheel")
        expect(wheel).to_have_attribute("data-hot-spot", f"jackpot_{meter}")
        assert pointed(page, "hot") == f"jackpot_{meter}"
        expect(page.locator(".stop-words")).to_contain_text(f"Hot spot on box 1: the {meter} meter")
        shown, left = (page.locator(f'wt-meter[data-meter="{each}"]') for each in (meter, other))
        # One percent of $5 went on each meter.
        expect(shown).to_have_attribute("data-amount", str(reset + 5))
        table.must(table.floor, "approve")
        ended(page, 1, "bonus_spin", f"jackpot_{meter}", reset + 5)
        expect(shown).to_have_attribute("data-amount", str(reset))
        expect(left).to_have_attribute("data-amount", str(1_500_000 - reset + 5))
        expect(page.locator("#result")).to_have_attribute("data-result", "jackpot")
        expect(page.locator("wt-felt .jackpot")).to_contain_text("You win $")
        page.locator("wt-felt .jackpot").click()
        expect(page.locator("wt-felt .jackpot")).to_be_hidden()


@proves("web", "MD-10-D-2", "MD-7-F-4")
def test_web_MD_10_D_2_the_wheel_follows_the_server(house: House, visit: Visit) -> None:
    """The wheel turns only at the designated card, and to the stop that the server drew."""

    def wanted(cards: Stack) -> bool:
        """The box has the red seven, the dealer a black one and a red one only in the War."""
        first = cards[0] in ("7h", "7d") and cards[1] in ("7s", "7c")
        return first and cards[6] in ("7h", "7d")

    with house.table(MD, 1) as table:
        page = sit(visit, table, still=False)
        table.play(wanted, SPIN)
        choose(page, 1, "war")
        table.proceed()
        ended(page, 1, "bonus_spin", "lost", 0)
        assert told(page, "spun") == []
        expect(page.locator("wt-wheel[data-community]")).to_have_count(0)
    with house.table(MD, 1, settings=stops("$300"), confirmed=GIFT) as table:
        page = sit(visit, table, still=False)
        table.play(lambda cards: cards[1] in ("7h", "7d") and not ties(cards[0], cards[1]), SPIN)
        spun = table.told("spun")[0]
        wheel = page.locator("wt-wheel")
        expect(wheel).to_have_attribute("data-community", spun["community"])
        expect(wheel).to_have_attribute("data-hot-spot", "$300")
        # Whatever still moves, the stop at the top is the server's.
        ring = wheel.locator(".ring.community")
        turned = ring.evaluate("(ring) => ring.style.transform")
        place = list(COMMUNITY).index(spun["community"])
        assert turned == f"rotate({-45 * place}deg)"
