"""Maryland's side bets at a live table: progressive hands, meters, envy, the wheel."""

import pytest

from clauses import proves
from hosting import Client
from live_tables import Cards, Planted, Playing
from staffed_tables import (
    BUY_IN,
    House,
    bring,
    depth,
    shoe_of,
    spare,
    stops,
    ties,
)
from wartable import shoe as shoes
from wartable.cards import DECK

MD = "maryland"
BOOKS = (MD,)
PROGRESSIVE = {"primary": 100, "progressive": 500}
GIFT = ["bonus_spin"]
"""A wheel that always pays returns far above 100 %, which an operator confirms by name."""


@pytest.mark.finding(4)
@proves("live", "MD-9-J-4a", "MD-9-J-4c", "MD-9-J-4d", "MD-9-J-4e", "MD-9-J-4e-i", "MD-10-B-1")
@proves("live", "MD-10-D-4", "MD-7-B-4")
def test_live_MD_10_B_1_two_suited_fours(house: House) -> None:
    """The top hand waits for the floor and gets the meter; a second one in the round the reset.

    The first winner leaves before the approval: the award and the envy bonuses are paid all the
    same, and the wallet has them.
    """
    with house.table(MD, 1, 2, 3, name="suited fours", decks=8) as table:
        ann, bob, cat = table.players
        table.open()
        left = shoe_of(table).cards[len(shoe_of(table).drawn) :]
        card = min(DECK, key=lambda each: depth(left, each, "bbsbsssbbb"))
        table.start()
        table.place(PROGRESSIVE, PROGRESSIVE, PROGRESSIVE)
        table.must(table.dealer, "close_bets")
        table.must(table.dealer, "count_side_bets", progressive=3)
        bring(table, card, 2)
        spare(table, card)
        bring(table, card)
        table.choose(ann, 1, "war")
        table.choose(bob, 2, "war")
        for _ in range(3):
            spare(table, card)
        bring(table, card, 3)
        if table.what() == "proceed":
            table.proceed()
        assert table.what() == "approval"
        assert not table.told("meter_read", "envy_paid")
        assert table.code(table.dealer, "proceed") == "nothing_due"
        assert table.code(table.dealer, "approve") == "not_your_part"
        assert table.code(bob, "approve") == "not_your_part"
        before = [table.held(index) for index in range(3)]
        wallet = bob.get("/me")["holds"]["wallet"]
        table.must(bob, "leave")
        assert table.what() == "approval"
        table.must(table.floor, "approve")
        meter = 1_000_045
        paid = meter + 1_001 * 500
        assert table.held(1) >= before[1] + paid
        while table.what() == "proceed":
            table.proceed()
        assert table.what() == "approval"
        table.must(table.floor, "approve")
        while table.what() == "proceed":
            table.proceed()
        read = [(each["meter"], each["amount"]) for each in table.told("meter_read")]
        assert read == [("progressive", meter), ("progressive", 1_000_000)]
        assert [each["by"] for each in table.told("award_approved")] == [table.floor.name] * 2
        lines = table.settled("progressive")
        assert lines == [
            (3, "progressive", "lost", 0),
            (2, "progressive", "suited_four_of_a_kind", paid),
            (1, "progressive", "suited_four_of_a_kind", 1_000_000 + 1_001 * 500),
        ]
        assert table.state()["meters"]["progressive"]["shown"] == 1_000_000
        assert table.moved("meter:progressive", "felt") == [meter, 1_000_000]
        envy = {(e["player"], e["holder"]): e["amount"] for e in table.told("envy_paid")}
        assert envy == {
            (ann.name, bob.name): 500_000, (bob.name, ann.name): 500_000,
            (cat.name, ann.name): 500_000, (cat.name, bob.name): 500_000,
        }  # fmt: skip  # who gets it for whose hand
        (gone,) = table.told("departed")
        stakes = sum(PROGRESSIVE.values()) + PROGRESSIVE["primary"]
        assert gone["amount"] == BUY_IN - stakes + 4 * PROGRESSIVE["primary"] + paid + 500_000
        assert bob.get("/me")["holds"]["wallet"] == wallet + gone["amount"]
        recalled = table.recall()
        assert recalled.cards[1] == recalled.cards[2] == recalled.cards[0] == (card, card)
        words = {each.words for each in recalled.wagers if each.outcome.startswith("suited_four")}
        assert words == {"four identical cards, the meter and 1000 to 1"}


@proves("live", "MD-9-J-4c")
def test_live_MD_9_J_4c_without_staff_the_platform_approves(house: House) -> None:
    """At a player's own table the platform approves the award at once, and the journal says so."""
    guest = house.guests[0]
    name = f"{MD}@{guest.name}"
    guest.post("/tables/private", 201, book=MD)
    with Playing(house.hosted, name, Client(house.hosted, guest.name, guest.token)) as own:
        own.must(guest, "join", amount=BUY_IN, seat=1)
        wait(own, "cut")
        own.must(guest, "refuse_cut")
        wait(own, "bets")
        Planted(house.hosted, name, Cards("7h 7h", "7h 7h"))
        own.must(guest, "bet", box=1, wager="primary", amount=10)
        own.must(guest, "bet", box=1, wager="progressive", amount=500)
        own.must(guest, "close_bets")
        wait(own, "choice")
        own.must(guest, "choose", box=1, choice="war")
        wait(own, "bets")
        approved = own.told("award_approved")
        assert [(each["meter"], each["by"]) for each in approved] == [("progressive", "platform")]
        kept = [
            (who, event) for who, event in own.stored() if type(event).__name__ == "AwardApproved"
        ]
        assert [who for who, _ in kept] == ["platform"]
        assert own.told("meter_read")[0]["amount"] == 1_000_015
        own.must(guest, "leave")


def wait(own: Playing, *whats: str) -> str:
    """Wait until the table awaits one of these of people."""
    while True:
        last = [each for each in own.spectator.heard if each["type"] in ("awaited", "happened")]
        if last and last[-1]["type"] == "awaited" and last[-1]["number"] >= own.number:
            what = str(last[-1]["due"][0]["what"])
            if what in whats:
                own.number = last[-1]["number"]
                return what
        own.spectator.read()


@proves("live", "MD-9-J-4b")
def test_live_MD_9_J_4b_only_accepted_wagers_are_paid(house: House) -> None:
    """Of two like hands only the box whose progressive wager was accepted is paid for it."""
    with house.table(MD, 1, 2) as table:
        ann, bob = table.players
        table.play(
            lambda cards: ties(cards[0], cards[2]) and ties(cards[1], cards[2])
            and cards[2] not in cards[:2],
            PROGRESSIVE,
            {"primary": 100},
        )  # fmt: skip  # the cards in one piece
        accepted = [[w["kind"] for w in hand["wagers"]] for hand in table.state()["round"]["hands"]]
        assert accepted == [["primary", "progressive"], ["primary"]]
        table.choose(ann, 1, "surrender")
        table.choose(bob, 2, "surrender")
        assert table.settled("progressive") == [(1, "progressive", "tie", 3_000)]
        assert (table.held(0), table.held(1)) == (BUY_IN - 50 + 2_500, BUY_IN - 50)


@proves("live", "MD-10-D-1a", "MD-10-D-1b")
@pytest.mark.parametrize(("meter", "reset"), [("primary", 1_000_000), ("secondary", 500_000)])
def test_live_MD_10_D_1_jackpots_of_the_wheel(house: House, meter: str, reset: int) -> None:
    """A jackpot pays the whole of its own meter, which is reset, and leaves the other alone."""
    other = "secondary" if meter == "primary" else "primary"
    with house.table(MD, 1, settings=stops(f"jackpot_{meter}"), confirmed=GIFT) as table:
        table.play(
            lambda cards: cards[1] in ("7h", "7d") and not ties(cards[0], cards[1]),
            {"primary": 100, "bonus_spin": 500},
        )
        assert table.told("spun")[0]["hot_spot"] == f"jackpot_{meter}"
        assert table.what() == "approval"
        shown = {name: each["shown"] for name, each in table.state()["meters"].items()}
        assert shown[meter] == reset + 5
        table.must(table.floor, "approve")
        assert table.settled("bonus_spin") == [(1, "bonus_spin", f"jackpot_{meter}", reset + 5)]
        after = {name: each["shown"] for name, each in table.state()["meters"].items()}
        assert after == {**shown, meter: reset}
        assert table.moved(f"meter:{meter}", "felt") == [reset + 5]
        assert table.moved(f"meter:{other}", "felt") == []


@proves("live", "MD-10-D-2")
def test_live_MD_10_D_2_the_wheel_is_the_servers(house: House) -> None:
    """The stop is drawn from the weights and the committed seed, told with them, and paid."""
    with house.table(MD, 1, 2, settings=stops("$600"), confirmed=GIFT) as table:
        spin = {"primary": 100, "bonus_spin": 500}
        table.play(
            lambda cards: cards[2] in ("7h", "7d"), spin, {"primary": 100, "bonus_spin": 100}
        )
        chosen = {each["label"]: each for each in table.told("house_chose")}
        assert set(chosen) == {"wheel", "hot-spot", "community"}
        rules = table.book()["rules"]["wagers"]["bonus_spin"]
        assert dict(
            zip(chosen["wheel"]["options"], chosen["wheel"]["weights"], strict=True)
        ) == rules["wheel"]["hot_spot"]  # fmt: skip  # one comparison
        symbol = chosen["community"]["options"][chosen["community"]["result"]]
        box = int(chosen["hot-spot"]["options"][chosen["hot-spot"]["result"]])
        spun = table.told("spun")[0]
        assert (spun["hot_spot_box"], spun["hot_spot"], spun["community"]) == (box, "$600", symbol)
        share = {1: 1, 2: 5}
        expected = {
            each: (rules["hot_spot"]["$600"] if each == box else rules["community"][symbol])
            // share[each]
            for each in (1, 2)
        }
        assert {each: paid for each, _, _, paid in table.settled("bonus_spin")} == expected
        assert table.code(table.players[0], "spin", hot_spot="$1,000") == "malformed"
        shoe = shoe_of(table)
        assert [shoes.derived_choice(shoe, each) for each in shoe.choices] == [
            each["result"] for each in table.told("house_chose")
        ]
