"""California's clauses at live tables: wagers, the deal, the settling and the war of a round."""

from collections.abc import Iterator

import pytest

from clauses import proves
from hosting import Client, Json
from live_tables import STACK, Cards, People, StaffedTable, of, people, settled
from wartable.money import Transfer

CA = "california"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    """One house for all tests of this file."""
    with people(tmp_path_factory.mktemp("house"), CA, 4) as running:
        yield running


def nets(table: StaffedTable, *players: Client) -> list[int]:
    """What the players have more than they came with."""
    return [table.stack(player) - STACK for player in players]


@proves("live", "CA-std-1", "CA-betting-3", "CA-def-primary", "CA-deal-5a")
def test_live_CA_std_1_only_a_primary_wager_admits(house: People) -> None:
    """A seat has one card in a round if it staked a primary wager before the call, else none."""
    _, bob, cat, dan = house.players
    with house.banked("admission", Cards("<>")) as table:
        assert table.code(table.dealer, "close_bets") == "no_wagers"
        table.bet(bob, 2, 100).bet(cat, 3, 100).bet(dan, 4, 100)
        table.must(dan, "withdraw", box=4, wager="primary")
        events = table.deal()
        assert table.code(dan, "bet", box=4, wager="primary", amount=100) == "no_round"
        assert [event["box"] for event in of(events, "dealt")] == [2, 3, 0]
        recalled = table.recall()
        assert {paid.player for paid in recalled.wagers} == {bob.name, cat.name}
        assert set(recalled.cards) == {0, 2, 3}
        assert nets(table, dan) == [0]


@proves("live", "CA-std-12", "CA-betting-4", "CA-betting-1a")
def test_live_CA_std_12_the_tie_wager(house: People) -> None:
    """A wager names box, spot and amount; a tie wager needs the primary and goes with it."""
    _, bob, cat, _ = house.players
    with house.banked("tie", Cards("<<")) as table:
        assert table.code(bob, "bet", box=2, wager="tie", amount=10) == "primary_required"
        for wrong in ({"amount": 10.5}, {"amount": -1}, {"wager": "other"}, {"box": 0}):
            fields = {"box": 2, "wager": "primary", "amount": 10} | wrong
            assert table.does(bob, "bet", **fields)["code"] == "malformed"
        table.bet(bob, 2, 1_000).bet(bob, 2, 10, "tie").bet(cat, 3, 500)
        assert of(table.told(), "placed")[:2] == [
            {"type": "placed", "player": bob.name, "box": 2, "wager": "primary", "amount": 1_000},
            {"type": "placed", "player": bob.name, "box": 2, "wager": "tie", "amount": 10},
        ]
        hand = table.state()["round"]["hands"][0]
        assert [(each["kind"], each["staked"]) for each in hand["wagers"]] == [
            ("primary", 1_000),
            ("tie", 10),
        ]
        gone = table.must(bob, "withdraw", box=2, wager="primary")
        assert [event["wager"] for event in gone] == ["primary", "tie"]
        assert table.stack(bob) == STACK
        table.bet(bob, 2, 200)
        table.must(table.dealer, "close_bets")
        assert table.code(bob, "bet", box=2, wager="tie", amount=10) == "bets_closed"
        table.proceed()


@proves("live", "CA-betting-1b")
def test_live_CA_betting_1b_the_tables_limits(house: People) -> None:
    """A table opened with limits shows them and refuses every wager outside of them."""
    ann, bob, *_ = house.players
    limits = {"limits.primary.min": 500, "limits.primary.max": 2_000}
    limits |= {"limits.tie.min": 100, "limits.tie.max": 300, "limits.war_tie.max": 50}
    with house.table("limits", settings=limits) as table:
        table.join(ann, bob).load(Cards("=", "<")).bank(ann, 30_000)
        card = next(c for c in bob.get("/lobby")["tables"] if c["name"] == "limits")
        assert (card["minimum"], card["maximum"]) == (500, 2_000)
        may = {move["wager"]: move["amounts"] for move in table.moves(bob) if "wager" in move}
        assert (may["primary"]["min"], may["primary"]["max"]) == (500, 2_000)
        for amount in (499, 2_001):
            refused = table.does(bob, "bet", box=2, wager="primary", amount=amount)
            assert refused["code"] == "limit"
            assert "at least $5 and at most $20" in refused["sentence"]
        table.bet(bob, 2, 1_500)
        assert table.code(bob, "bet", box=2, wager="primary", amount=501) == "limit"
        for amount in (99, 301):
            assert table.code(bob, "bet", box=2, wager="tie", amount=amount) == "limit"
        table.bet(bob, 2, 500).bet(bob, 2, 300, "tie")
        table.deal()
        assert table.code(bob, "choose", box=2, choice="war", war_tie=51) == "limit"
        table.choose(bob, 2, "war", war_tie=50)
        table.proceed()


@proves("live", "CA-betting-2a", "CA-betting-2b", "CA-deal-2a", "CA-deal-2c", "CA-deal-5")
@proves("live", "CA-deal-5b", "CA-def-original")
def test_live_CA_deal_the_original_deal(house: People) -> None:
    """After the call nothing changes; face-up cards go clockwise from the left, the bank last."""
    _, bob, cat, dan = house.players
    with house.banked("deal", Cards("<=>")) as table:
        table.bet(dan, 4, 100).bet(bob, 2, 100).bet(cat, 3, 100).bet(cat, 3, 5, "tie")
        call = table.must(table.dealer, "close_bets")
        assert call[0] == {"type": "bets_closed"}
        assert not of(table.told(), "dealt")
        for moment in ("call", "cards"):
            late = table.does(bob, "bet", box=2, wager="primary", amount=50)
            assert (late["code"], moment) == ("bets_closed", moment)
            assert "No more bets" in late["sentence"]
            assert late["at_ms"] >= table.told_ms(), "the refusal says when"
            assert table.code(bob, "bet", box=2, wager="tie", amount=5) == "bets_closed"
            assert table.code(cat, "withdraw", box=3, wager="tie") == "bets_closed"
            if moment == "call":
                cards = of(table.proceed(), "dealt")
        assert [(event["deal"], event["box"]) for event in cards] == [
            ("original", 2), ("original", 3), ("original", 4), ("original", 0),
        ]  # fmt: skip  # a list of pairs
        shown = table.state()["round"]["cards"]
        assert shown == {str(event["box"]): event["card"] for event in cards}
        assert "??" not in shown.values()
        war = table.choose(cat, 3, "war", war_tie=7)
        assert [event["wager"] for event in of(war, "placed")] == ["war", "war_tie"]
        staked = {(paid.box, paid.wager): paid.staked for paid in table.recall().wagers}
        assert (staked[2, "primary"], staked[3, "tie"]) == (100, 5)
        table.proceed()


@proves("live", "CA-round-1", "CA-round-1c", "CA-round-2a", "CA-round-2b")
def test_live_CA_round_1_settling(house: People) -> None:
    """Boxes are settled clockwise from the bank's stack; a tie is paid at once, 10 to 1."""
    ann, bob, cat, dan = house.players
    with house.banked("settling", Cards(">=<")) as table:
        for player, box in ((bob, 2), (cat, 3), (dan, 4)):
            table.bet(player, box, 1_000).bet(player, box, 100, "tie")
        events = table.deal()
        assert settled(events) == [
            (2, "primary", "won", 2_000),
            (2, "tie", "lost", 0),
            (3, "tie", "won", 1_100),
            (4, "primary", "lost", 0),
            (4, "tie", "lost", 0),
        ]
        assert [(each["what"], each["box"]) for each in table.due()] == [("choice", 3)]
        bank, felt = "bank", "felt"
        stack = [f"stack:{player.name}" for player in (bob, cat)]
        assert table.transfers()[7:] == [
            Transfer(felt, stack[0], 1_000),
            Transfer(bank, stack[0], 1_000),
            Transfer(felt, bank, 100),
            Transfer(felt, stack[1], 100),
            Transfer(bank, stack[1], 1_000),
            Transfer(felt, bank, 1_000),
            Transfer(felt, bank, 100),
        ]
        table.choose(cat, 3, "surrender")
        assert nets(table, ann, bob, cat, dan) == [-300, 900, 500, -1_100]
        assert table.recall().house == 0
        paid = {(each.box, each.wager): each for each in table.recall().wagers}
        assert paid[3, "tie"].words == "tie, paid 10 to 1"
        assert "CA-odds-2" in paid[3, "tie"].clauses
        shown = {
            each["wager"]: each["pays"] for each in cat.get("/tables/settling/book")["paytable"]
        }
        assert (shown["primary"], shown["tie"]) == ("1 to 1", "10 to 1")


@proves("live", "CA-std-3", "CA-round-3", "CA-def-war", "CA-def-wardeal", "CA-round-5a")
def test_live_CA_round_3_the_choice(house: People) -> None:
    """Each tied player is asked for war or surrender, and no war card comes before all have."""
    ann, bob, cat, dan = house.players
    with house.banked("choice", Cards("=<=", "=")) as table:
        for player, box in ((bob, 2), (cat, 3), (dan, 4)):
            table.bet(player, box, 500)
        table.deal()
        due = [(each["what"], each["player"], each["box"]) for each in table.due()]
        assert due == [("choice", bob.name, 2), ("choice", dan.name, 4)]
        offered = [move["choice"] for move in table.moves(bob) if move["type"] == "may_choose"]
        assert sorted(offered) == ["surrender", "war"]
        assert not [move for move in table.moves(cat) if move["type"] == "may_choose"]
        assert table.code(cat, "choose", box=3, choice="war") == "no_choice_due"
        assert table.code(ann, "choose", box=2, choice="war") == "no_choice_due"
        table.choose(bob, 2, "war")
        assert table.balances()["felt"] == 1_500
        assert table.code(table.dealer, "proceed") == "nothing_due"
        table.choose(dan, 4, "surrender")
        events = table.proceed()
        assert [event["box"] for event in of(events, "dealt")] == [2, 0]
        assert of(events, "closed"), "a war that ties is over: nobody is asked again"
        assert table.code(bob, "choose", box=2, choice="war") == "no_round"


@proves("live", "CA-def-wardeal")
def test_live_CA_def_wardeal_no_war_no_war_deal(house: People) -> None:
    """Where every tied player surrenders no card is burned or dealt for a war."""
    _, bob, *_ = house.players
    with house.banked("peace", Cards("=")) as table:
        table.bet(bob, 2, 500)
        table.deal()
        events = table.choose(bob, 2, "surrender")
        assert of(events, "closed")
        assert not of(table.told(), "burned")
        assert {event["deal"] for event in of(table.told(), "dealt")} == {"original"}


@proves("live", "CA-std-11", "CA-round-3a-1", "CA-round-3a-2", "CA-round-3a-3")
def test_live_CA_round_3a_surrenders(house: People) -> None:
    """A surrender gives half to the bank, odd cents to the player, clockwise before the war."""
    ann, bob, cat, dan = house.players
    with house.banked("surrender", Cards("===", ">")) as table:
        table.bet(bob, 2, 1_001).bet(cat, 3, 400).bet(dan, 4, 600)
        table.deal()
        assert not of(table.choose(dan, 4, "surrender"), "settled")
        assert not of(table.choose(cat, 3, "war"), "settled")
        last = table.choose(bob, 2, "surrender")
        assert settled(last) == [
            (2, "primary", "surrendered", 501),
            (4, "primary", "surrendered", 300),
        ]
        moved = [each for each in table.transfers() if each.source == "felt"]
        assert moved == [
            Transfer("felt", f"stack:{bob.name}", 501),
            Transfer("felt", "bank", 500),
            Transfer("felt", f"stack:{dan.name}", 300),
            Transfer("felt", "bank", 300),
        ]
        events = table.proceed()
        assert [event["box"] for event in of(events, "dealt")] == [3, 0]
        assert nets(table, ann, bob, cat, dan) == [400, -500, 400, -300]


@proves("live", "CA-std-4", "CA-std-5", "CA-round-3b-1", "CA-def-warwager")
def test_live_CA_std_4_what_a_war_costs(house: People) -> None:
    """War costs exactly the primary once more, which the bank matches with new money beside it."""
    ann, bob, cat, _ = house.players
    with house.banked("cost", Cards("==", "<<"), bank=1_500) as table:
        table.bet(bob, 2, 1_234).bet(cat, 3, STACK - 1_000)
        returned = of(table.deal(), "returned")
        assert [(each["box"], each["amount"]) for each in returned] == [(3, STACK - 1_266)]
        fields = {"box": 2, "choice": "war", "amount": 1_000}
        assert table.does(bob, "choose", **fields)["code"] == "malformed"
        assert table.code(bob, "bet", box=2, wager="war", amount=1_000) == "bets_closed"
        events = table.choose(bob, 2, "war")
        war = {"player": bob.name, "box": 2, "wager": "war", "amount": 1_234}
        assert events[1] == {"type": "placed", **war}
        assert table.stack(ann) == STACK - 1_500
        events = table.choose(cat, 3, "war")
        assert of(events, "placed")[0]["amount"] == 266, "a war is for what the bank covers"
        assert of(events, "matched") == [
            {"type": "matched", **war},
            {"type": "matched", "player": cat.name, "box": 3, "wager": "war", "amount": 266},
        ]
        hand = table.state()["round"]["hands"][0]
        assert {each["kind"]: each["matched"] for each in hand["wagers"]}["war"] == 1_234
        assert table.stack(ann) == STACK - 1_500 - 1_234 - 266
        assert table.balances()["bank"] == 1_500 + 1_234 + 266
        table.proceed()
        assert nets(table, ann, bob, cat) == [3_000, -2_468, -532]


@proves("live", "CA-std-4", "CA-def-warwager")
def test_live_CA_std_4_no_free_war(house: People) -> None:
    """Who cannot pay the war wager is not offered war, and asking for it changes nothing."""
    _, bob, *_ = house.players
    with house.banked("poor", Cards("=")) as table:
        table.bet(bob, 2, 30_000)
        table.deal()
        offered = [move["choice"] for move in table.moves(bob) if move["type"] == "may_choose"]
        assert offered == ["surrender"]
        assert table.code(bob, "choose", box=2, choice="war") == "insufficient"
        assert table.stack(bob) == 10_000
        table.choose(bob, 2, "surrender")


@proves("live", "CA-round-3b-2")
def test_live_CA_round_3b_2_a_bank_that_cannot_match(house: People) -> None:
    """Where the bank's stack is short the war is for what it matches, and the rest goes back."""
    ann, bob, cat, dan = house.players
    with house.banked("short", Cards("===", ">>"), bank=38_500) as table:
        table.bet(bob, 2, 1_000).bet(cat, 3, 1_000).bet(dan, 4, 1_000)
        table.deal()
        table.choose(cat, 3, "war")
        table.choose(dan, 4, "war")
        events = table.choose(bob, 2, "war")
        matched = [(event["box"], event["amount"]) for event in of(events, "matched")]
        assert matched == [(2, 1_000), (3, 500)]
        back = [(e["box"], e["wager"], e["outcome"], e["amount"]) for e in of(events, "returned")]
        assert back == [
            (3, "war", "unmatched", 500),
            (3, "primary", "unmatched", 500),
            (4, "war", "unmatched", 1_000),
            (4, "primary", "unmatched", 1_000),
        ]
        assert [event["box"] for event in of(table.proceed(), "dealt")] == [2, 3, 0]
        assert nets(table, ann, bob, cat, dan) == [-1_500, 1_000, 500, 0]


@proves("live", "CA-std-6", "CA-round-5c", "CA-round-6a", "CA-round-6c", "CA-round-7")
@proves("live", "CA-std-9", "CA-round-8a", "CA-round-8b")
def test_live_CA_round_6_the_war_deal(house: People) -> None:
    """Three hidden burns, a card to each at war and one to the bank; the winner takes the pot."""
    ann, bob, cat, dan = house.players
    with house.banked("war", Cards("===", "><<")) as table:
        table.bet(bob, 2, 100).bet(cat, 3, 200).bet(dan, 4, 300)
        table.deal()
        first = table.state()["round"]["cards"]
        table.choose(dan, 4, "war")
        table.choose(cat, 3, "war")
        table.choose(bob, 2, "war")
        events: list[Json] = []
        for _ in range(7):
            events += table.must(table.dealer, "proceed", steps=1)
            if not of(events, "closed"):
                felt = [card["box"] for card in lying(table)]
                assert {0, 2, 3, 4} <= set(felt)
                assert table.state()["round"]["cards"] == first
        turned = of(events, "burned", "dealt")
        assert [event["type"] for event in turned] == ["burned"] * 3 + ["dealt"] * 4
        assert [event["box"] for event in turned[3:]] == [2, 3, 4, 0]
        assert {event["card"] for event in turned[:3]} == {"??"}
        assert settled(events) == [
            (2, "primary", "war_won", 100),
            (2, "war", "war_won", 200),
            (3, "primary", "war_lost", 0),
            (3, "war", "war_lost", 0),
            (4, "primary", "war_lost", 0),
            (4, "war", "war_lost", 0),
        ]
        moved = table.transfers()
        assert moved.count(Transfer("felt", "bank", 200)) == 2
        assert moved.count(Transfer("felt", "bank", 300)) == 2
        assert Transfer("bank", f"stack:{bob.name}", 100) in moved
        assert nets(table, ann, bob, cat, dan) == [900, 100, -400, -600]
        told = {(each.box, each.wager): each.words for each in table.recall().wagers}
        assert told[2, "war"] == "war won, paid 1 to 1"
        assert told[4, "war"] == "war lost"
        assert table.due()[0]["what"] == "bank"
        table.bank(ann, 100)
        assert table.state()["rounds"] == 2
    # In one round with the others, a tie at war would be looked for much longer.
    with house.banked("war tied", Cards("=", "=")) as table:
        table.bet(bob, 2, 300)
        table.deal()
        table.choose(bob, 2, "war")
        events = table.proceed()
        assert settled(events) == [
            (2, "primary", "war_tied", 300),
            (2, "war", "war_tied", 900),
        ]
        assert nets(table, ann, bob, cat, dan) == [-600, 600, 0, 0]
        told = {(each.box, each.wager): each.words for each in table.recall().wagers}
        assert told[2, "war"] == "war tied, paid 2 to 1"


def lying(table: StaffedTable) -> list[Json]:
    """The cards that lie on the layout, as anybody sees the table."""
    shoe = table.state()["shoe"]
    racked = set(shoe["discards"])
    return [card for place, card in enumerate(shoe["drawn"]) if place not in racked]


@proves("live", "CA-round-4a", "CA-round-4b", "CA-round-8c")
def test_live_CA_round_4_the_rack(house: People) -> None:
    """Settled boxes' cards are racked in order, those at war after it, and any deal replays."""
    _, bob, cat, dan = house.players
    with house.banked("rack", Cards("<=>", "<")) as table:
        table.bet(bob, 2, 100).bet(cat, 3, 100).bet(dan, 4, 100)
        dealt = {event["box"]: event["card"] for event in of(table.deal(), "dealt")}
        assert not of(table.told(), "cards_collected")
        chosen = table.choose(cat, 3, "war")
        assert of(chosen, "cards_collected") == [{"type": "cards_collected", "boxes": [2, 4]}]
        assert {(card["box"], card["card"]) for card in lying(table)} == {
            (3, dealt[3]),
            (0, dealt[0]),
        }
        war = {event["box"]: event["card"] for event in of(table.proceed(), "dealt")}
        assert not lying(table)
        shoe = table.state()["shoe"]
        rack = [shoe["drawn"][place] for place in shoe["discards"]]
        assert [(card["use"], card["box"]) for card in rack] == [
            ("burn", None), ("original", 2), ("original", 4), ("burn", None), ("burn", None),
            ("burn", None), ("original", 3), ("war", 3), ("original", 0), ("war", 0),
        ]  # fmt: skip  # the rack from the bottom up
        assert {card["round_number"] for card in rack[1:]} == {1}
        assert table.recall().cards == {
            0: (dealt[0], war[0]),
            2: (dealt[2],),
            3: (dealt[3], war[3]),
            4: (dealt[4],),
        }


@proves("live", "CA-def-tiewager")
def test_live_CA_def_tiewager_on_the_war_deal(house: People) -> None:
    """At war a tie wager of any size stands on the war deal, covered ten times and paid 10 to 1."""
    ann, bob, cat, _ = house.players
    with house.banked("war tie", Cards("==", "=<")) as table:
        table.bet(bob, 2, 1_000).bet(cat, 3, 1_000)
        table.deal()
        table.choose(bob, 2, "war", war_tie=37)
        events = table.choose(cat, 3, "war", war_tie=9)
        assert [(e["box"], e["wager"], e["amount"]) for e in of(events, "matched")] == [
            (2, "war", 1_000), (2, "war_tie", 370), (3, "war", 1_000), (3, "war_tie", 90),
        ]  # fmt: skip  # the matches in their order
        ended = settled(table.proceed())
        assert (2, "war_tie", "won", 407) in ended
        assert (3, "war_tie", "lost", 0) in ended
        assert nets(table, ann, bob, cat) == [-2_000 - 370 + 2_009, 2_370, -2_009]


@proves("live", "CA-def-round")
def test_live_CA_def_round_closes_with_the_last_settlement(house: People) -> None:
    """A round's record is open until every wager has its settlement, and closes with the last."""
    _, bob, cat, _ = house.players
    with house.banked("whole", Cards("=<", "<")) as table:
        table.bet(bob, 2, 100).bet(bob, 2, 10, "tie").bet(cat, 3, 100)
        table.deal()
        assert table.recall().ended_ms is None
        assert [paid.outcome for paid in table.recall().wagers] == ["", "won", "lost"]
        assert table.code(table.dealer, "start_round") == "round_open"
        table.choose(bob, 2, "war")
        assert table.recall().ended_ms is None
        kinds = [event["type"] for event in table.proceed()]
        last = max(place for place, kind in enumerate(kinds) if kind == "settled")
        assert kinds[last : last + 3] == ["settled", "cards_collected", "closed"]
        recalled = table.recall()
        assert recalled.ended_ms is not None
        assert all(paid.outcome for paid in recalled.wagers)
        assert table.balances()["felt"] == table.balances()["bank"] == 0
