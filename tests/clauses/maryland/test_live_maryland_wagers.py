"""Maryland's wagers at a live table: who may make which, when, and what leaving does to them."""

import logging

import pytest

from clauses import proves
from hosting import Client, Json
from live_tables import Stack
from staffed_tables import BUY_IN, House, SeatedTable, beats, ties

MD = "maryland"
BOOKS = (MD, "washington")
GUESTS = 4


def one_ties(cards: Stack) -> bool:
    """The only box ties."""
    return ties(cards[0], cards[1])


def two_of_three_tie(cards: Stack) -> bool:
    """Of three boxes the first two tie, the third does not."""
    return ties(cards[0], cards[3]) and ties(cards[1], cards[3]) and not ties(cards[2], cards[3])


def hands(table: SeatedTable) -> list[Json]:
    """The hands of the round as anybody sees them."""
    found: list[Json] = table.state()["round"]["hands"]
    return found


@proves("live", "MD-1-A-1", "MD-1-A-2", "MD-1-A-4", "MD-1-A-5", "MD-1-A-6", "MD-7-F-2")
@proves("live", "MD-9-E", "MD-9-E-2", "MD-9-G")
def test_live_MD_1_A_from_the_initial_wager_to_war(house: House) -> None:
    """Only Initial Wagers play; tied ones choose once, and War waits for every War Wager."""
    with house.table(MD, 1, 2, 3, 4) as table:
        ann, bob, cat, dan = table.players
        table.open(two_of_three_tie)
        table.start()
        assert table.code(dan, "bet", box=4, wager="tie", amount=60) == "primary_required"
        table.place({"primary": 1_235, "tie": 60}, {"primary": 500}, {"primary": 500})
        table.dealt()
        assert table.code(dan, "bet", box=4, wager="primary", amount=500) == "bets_closed"
        assert [(e["deal"], e["box"]) for e in table.told("dealt")] == [
            ("original", 1), ("original", 2), ("original", 3), ("original", 0),
        ]  # fmt: skip  # the deal in one line
        assert [box for box, *_ in table.settled("primary")] == [3]
        assert [(due["what"], due["player"]) for due in table.due()] == [
            ("choice", ann.name),
            ("choice", bob.name),
        ]
        assert table.code(cat, "choose", box=3, choice="war") == "no_choice_due"
        assert table.code(ann, "bet", box=1, wager="war", amount=1_000) == "bets_closed"
        before = table.held()
        table.choose(ann, 1, "war", war_tie=77)
        assert table.held() == before - 1_235 - 77
        assert table.code(ann, "choose", box=1, choice="surrender") == "no_choice_due"
        assert table.code(table.dealer, "proceed") == "nothing_due"
        assert not table.told("burned")
        table.choose(bob, 2, "war")
        wagers = [(e["box"], e["wager"], e["amount"]) for e in table.told("placed")][-3:]
        assert wagers == [(1, "war", 1_235), (1, "war_tie", 77), (2, "war", 500)]
        told = table.proceed()
        kinds = [event["type"] for event in told]
        assert kinds.index("burned") < kinds.index("dealt")
        assert [(e["deal"], e["box"]) for e in told if e["type"] == "dealt"] == [
            ("war", 1), ("war", 2), ("war", 0),
        ]  # fmt: skip  # the deal in one line
        war_tie = table.settled("war_tie")
        assert [(box, outcome in ("won", "lost")) for box, _, outcome, _ in war_tie] == [(1, True)]
        assert table.held(3) == BUY_IN


@proves("live", "MD-1-A-5")
def test_live_MD_1_A_5_no_war_without_a_war_wager(house: House) -> None:
    """Where nobody goes to War no card is burned and no further card is dealt."""
    with house.table(MD, 1) as table:
        table.play(one_ties, {"primary": 100})
        table.choose(table.players[0], 1, "surrender")
        assert table.state()["round"]["closed"]
        assert not table.told("burned")
        assert len(table.told("dealt")) == 2


@proves("live", "MD-2-A")
def test_live_MD_2_A_nine_positions(house: House) -> None:
    """A table has one to nine boxes; a tenth box or seat is refused wherever it is asked for."""
    assert "at most 9" in house.refused(book=MD, settings={"table.boxes": 10})
    assert house.refused(book=MD, settings={"table.boxes": 0})
    with house.table(MD, 9) as table:
        table.open()
        table.start()
        table.bet(table.players[0], 9, 100)
        assert (
            table.code(table.players[0], "bet", box=10, wager="primary", amount=100) == "malformed"
        )
        assert table.code(house.guests[1], "join", amount=100, seat=10) == "malformed"
    with house.table(MD, 1, settings={"table.boxes": 1}) as table:
        table.open()
        table.start()
        assert (
            table.code(table.players[0], "bet", box=2, wager="primary", amount=100) == "no_such_box"
        )


@proves("live", "MD-2-B-5b")
def test_live_MD_2_B_5b_the_payout_limit(house: House) -> None:
    """A posted limit on a hand's payout is shown, and cuts what is paid."""
    limits = {
        "limits.payout_max": 1_500,
        "limits.primary.max": 1_000,
        "limits.tie.max": 100,
        "limits.war_tie.max": 100,
    }
    with house.table(MD, 1, settings=limits) as table:
        assert "$15" in table.book()["payout_limit"]
        table.play(
            lambda cards: one_ties(cards) and beats(cards[5], cards[6]),
            {"primary": 1_000, "tie": 100},
        )
        table.choose(table.players[0], 1, "war")
        table.proceed()
        assert (1, "tie", "won", 1_100) in table.settled()
        paid = [(each.wager, each.net) for each in table.recall().wagers]
        assert sum(net for _, net in paid) == 1_500
        assert table.held() == BUY_IN + 1_500
    with house.table(MD, 1) as table:
        assert table.book()["rules"]["limits"]["payout_max"] is None
        assert table.book()["payout_limit"] == ""


@proves("live", "MD-2-B-7", "MD-2-C", "MD-7-F-3")
def test_live_MD_2_C_side_bets_need_their_meters(house: House) -> None:
    """A side bet is taken only where the table was opened with it and with its meters."""
    with house.table(MD, 1) as table:
        meters = {name: each["shown"] for name, each in table.state()["meters"].items()}
        assert meters == {"progressive": 1_000_000, "primary": 1_000_000, "secondary": 500_000}
    off = {"wagers.progressive.offered": False, "wagers.bonus_spin.offered": False}
    for kind, left in (("progressive", {"primary", "secondary"}), ("bonus_spin", {"progressive"})):
        setting = {f"wagers.{kind}.offered": off[f"wagers.{kind}.offered"]}
        with house.table(MD, 1, settings=setting) as table:
            assert set(table.state()["meters"]) == left
            table.open()
            table.start()
            table.bet(table.players[0], 1, 100)
            assert (
                table.code(table.players[0], "bet", box=1, wager=kind, amount=500) == "not_offered"
            )
    no_meters = {"wagers.bonus_spin.offered": True}
    assert "cannot set this" in house.refused(book="washington", settings=no_meters)


@proves("live", "MD-2-B-7a", "MD-2-B-7b", "MD-2-C-1", "MD-2-C-2", "MD-7-F-3a", "MD-8-D")
@proves("live", "MD-8-D-1a", "MD-8-D-1c")
def test_live_MD_8_D_the_side_bets_way(house: House, caplog: pytest.LogCaptureFixture) -> None:
    """Side bets are acknowledged box by box, locked at no more bets, counted and put away."""
    caplog.set_level(logging.INFO, "wartable")
    with house.table(MD, 1, 2) as table:
        ann, bob = table.players
        table.open(lambda cards: cards[2] not in ("7h", "7d") and not ties(cards[0], cards[2]))
        table.start()
        for kind in ("progressive", "bonus_spin"):
            assert table.code(ann, "bet", box=1, wager=kind, amount=500) == "primary_required"
        table.place({"primary": 100}, {"primary": 100})
        for kind in ("progressive", "bonus_spin"):
            assert table.code(ann, "bet", box=1, wager=kind, amount=200) == "wrong_size"
            table.bet(ann, 1, 500, kind)
            assert table.code(ann, "bet", box=1, wager=kind, amount=500) == "already_placed"
        lamps = [{w["kind"]: w["staked"] for w in hand["wagers"]} for hand in hands(table)]
        assert lamps == [{"primary": 100, "progressive": 500, "bonus_spin": 500}, {"primary": 100}]
        table.must(table.dealer, "close_bets")
        for kind in ("progressive", "bonus_spin"):
            assert table.code(bob, "bet", box=2, wager=kind, amount=500) == "bets_closed"
        logged = [vars(each) for each in caplog.records if each.message == "command refused"]
        late = [
            (each["account"], each["table"]) for each in logged if each["code"] == "bets_closed"
        ]
        assert late == [(bob.name, table.name)] * 2
        assert table.held(1) == BUY_IN - 100
        assert table.code(table.dealer, "proceed") == "count_due"
        table.must(table.dealer, "count_side_bets", progressive=1, bonus_spin=1)
        assert table.held() == BUY_IN - 1_100
        assert table.moved("felt", "house") == [1_000]
        assert table.moved("house", "meter:progressive") == [15]
        assert table.moved("house", "meter:primary") == [5]
        assert table.moved("house", "meter:secondary") == [5]
        shown = {name: each["shown"] for name, each in table.state()["meters"].items()}
        assert shown == {"progressive": 1_000_015, "primary": 1_000_005, "secondary": 500_005}
        table.proceed()
        order = table.kinds("bets_closed", "side_bets_counted", "dealt")
        assert order == ["bets_closed", "side_bets_counted", "dealt", "dealt", "dealt"]


@proves("live", "MD-7-F-4")
def test_live_MD_7_F_4_the_trigger(house: House) -> None:
    """The bonus spin is $1 or $5 and triggers on the dealer's original card as designated."""
    trigger = {"wagers.bonus_spin.trigger.rank": "9", "wagers.bonus_spin.trigger.color": "black"}

    def wanted(cards: Stack) -> bool:
        """The box has the trigger first, then the dealer has it in the war."""
        return cards[0] in ("9s", "9c") and cards[1] in ("9h", "9d") and cards[6] in ("9s", "9c")

    def at_the_start(cards: Stack) -> bool:
        """The dealer has it in the original deal."""
        return cards[1] in ("9s", "9c") and cards[0][0] != "9"

    with house.table(MD, 1, settings=trigger) as table:
        table.open(wanted)
        table.start()
        table.bet(table.players[0], 1, 100)
        for amount in (99, 101, 499, 501):
            code = table.code(table.players[0], "bet", box=1, wager="bonus_spin", amount=amount)
            assert code == "wrong_size"
        table.bet(table.players[0], 1, 100, "bonus_spin")
        table.dealt()
        table.choose(table.players[0], 1, "war")
        table.proceed()
        assert table.settled("bonus_spin") == [(1, "bonus_spin", "lost", 0)]
        assert not table.told("spun")
        table.must(table.floor, "order_reshuffle", reason="other cards are wanted")
        table.play(at_the_start, {"primary": 100, "bonus_spin": 500})
        assert len(table.told("spun")) == 1
        assert table.settled("bonus_spin")[1][3] > 0


@proves("live", "MD-7-B-2")
def test_live_MD_7_B_2_no_verbal_wagers(house: House) -> None:
    """Only a funded wager on a spot of the layout counts; words and cash do not."""
    with house.table(MD, 1) as table:
        ann = table.players[0]
        table.open()
        table.start()
        assert table.code(ann, "say", text="twenty on box 1") == "malformed"
        assert table.code(ann, "bet", box=1, wager="cash", amount=100) == "malformed"
        assert table.code(ann, "bet", box=1, amount=100) == "malformed"
        assert table.code(ann, "bet", box=1, wager="primary", amount=BUY_IN + 1) == "insufficient"
        assert hands(table) == []
        assert table.held() == BUY_IN


@proves("live", "MD-7-B-3")
def test_live_MD_7_B_3_to_leave_waits_for_the_rounds_end(house: House) -> None:
    """Who has cards stays until the round is over, and is told before what leaving would lose."""
    for options, forfeits in (({"abandoned": "play_on"}, 0), ({}, 160)):
        with house.table(MD, 1, 2, options=options) as table:
            ann, bob = table.players
            table.open(lambda cards: ties(cards[0], cards[2]) and not ties(cards[1], cards[2]))
            table.start()
            table.place({"primary": 100}, {"primary": 100, "tie": 60})
            table.must(table.dealer, "close_bets")
            leaving = {"type": "may_leave", "player": bob.name, "forfeits": forfeits}
            assert table.moves(bob) == [leaving]
            assert table.code(bob, "cash_out", amount=1) == "in_round"
            assert table.code(bob, "join", amount=1, seat=3) == "here_already"
            table.must(bob, "leave")
            assert table.state()["guests"][bob.name]["leaving"]
            assert not table.told("departed")
            assert table.code(bob, "leave") == "left"
            table.proceed()
            if table.what() == "choice":
                table.choose(ann, 1, "surrender")
            assert table.kinds("left", "closed", "departed") == ["left", "closed", "departed"]


@proves("live", "MD-7-B-4")
def test_live_MD_7_B_4_abandoned_wagers(house: House) -> None:
    """Abandoned wagers lose or are played on, as set; settled ones stay; a lost line does none."""
    for option, primary in (("lose", ("abandoned", 0)), ("play_on", ("surrendered", 500))):
        with house.table(MD, 1, 2, options={"abandoned": option}) as table:
            ann, bob = table.players
            table.play(
                lambda cards: ties(cards[0], cards[2]) and ties(cards[1], cards[2]),
                {"primary": 1_000, "tie": 60},
                {"primary": 100},
            )
            bob.hello(table.name)
            bob.close()
            assert not table.told("left")
            assert len(table.due()) == 2
            with Client(table.hosted, bob.name, bob.token) as again:
                again.hello(table.name)
                due = again.hear("awaited")["due"]
                assert bob.name in [each["player"] for each in due]
                table.players[1] = table.house.guests[1] = Client(table.hosted, bob.name, bob.token)
            table.must(ann, "leave")
            if table.what() == "choice":
                table.choose(table.players[1], 2, "surrender")
            outcomes = {(box, wager): rest for box, wager, *rest in table.settled()}
            assert outcomes[1, "tie"] == ["won", 660]
            assert tuple(outcomes[1, "primary"]) == primary
            assert outcomes[2, "primary"] == ["surrendered", 50]


@proves("live", "MD-7-E")
@pytest.mark.finding(12)
def test_live_MD_7_E_adjacent_boxes(house: House) -> None:
    """How many boxes one player may play is set by the operator, and they lie side by side."""
    with house.table(MD, 3, settings={"table.boxes_per_player": 2}) as table:
        ann = table.players[0]
        table.open()
        table.start()
        table.bet(ann, 3, 100)
        assert table.code(ann, "bet", box=5, wager="primary", amount=100) == "not_adjacent"
        table.must(table.floor, "restrict", limit="boxes_per_player", value=1)
        assert table.code(ann, "bet", box=4, wager="primary", amount=100) == "too_many_boxes"
        told = table.does(table.floor, "restrict", limit="boxes_per_player", value=3)
        assert told["code"] == "restriction"
        assert "at most 2, or 0" in told["sentence"]
        table.must(table.floor, "restrict", limit="boxes_per_player", value=0)
        table.bet(ann, 4, 100)
        assert table.code(ann, "bet", box=5, wager="primary", amount=100) == "too_many_boxes"


@proves("live", "MD-9-L-2", "MD-7-E")
@pytest.mark.finding(12)
def test_live_MD_9_L_boxes_of_the_electronic_version(house: House) -> None:
    """A player may take any of the community cards, side by side or not, up to the number set."""
    with house.table(MD, 3, options={"electronic": "5"}) as table:
        ann = table.players[0]
        table.open()
        table.start()
        for box in (1, 2, 4):
            table.bet(ann, box, 100)
        table.must(table.floor, "restrict", limit="boxes_per_player", value=3)
        assert table.code(ann, "bet", box=5, wager="primary", amount=100) == "too_many_boxes"
        table.must(ann, "withdraw", box=2, wager="primary")
        table.bet(ann, 5, 100)
        assert [hand["box"] for hand in hands(table)] == [1, 4, 5]
    settings = {"table.boxes_per_player": 2}
    with house.table(MD, 3, options={"electronic": "5"}, settings=settings) as table:
        ann = table.players[0]
        table.open()
        table.start()
        table.bet(ann, 1, 100).bet(ann, 5, 100)
        assert table.code(ann, "bet", box=3, wager="primary", amount=100) == "too_many_boxes"


@proves("live", "MD-5-I")
@pytest.mark.finding(12)
def test_live_MD_5_I_an_empty_round_ends_when_the_last_bettor_leaves(house: House) -> None:
    """Nobody keeps a round open by leaving: wagers go back, and the cards can be spread."""
    with house.table(MD, 1, 2) as table:
        ann, bob = table.players
        table.open()
        table.start()
        table.bet(ann, 1, 100)
        assert table.code(table.dealer, "go_idle") == "round_open"
        table.must(ann, "leave")
        assert table.state()["round"]["closed"] is False
        table.must(bob, "leave")
        while not table.told("round_voided"):
            table.spectator.read()
        assert table.state()["round"]["void"] == "nobody is left at the table"
        table.must(table.dealer, "go_idle")
        assert table.state()["idle"]
        assert [each.kind for each in table.significant()] == ["table_opened", "dealer_changed"]
