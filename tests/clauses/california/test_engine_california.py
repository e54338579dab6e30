"""California's clauses on the engine: one round banked by a player/dealer, amounts by hand."""

import pytest

from clauses import proves
from rounds import Game, entry, play
from wartable.cards import DECK, RANKS
from wartable.game import (
    Bet,
    BetsClosed,
    Burn,
    Burned,
    Choose,
    Chosen,
    CloseBets,
    Closed,
    Deal,
    Dealt,
    DueBurn,
    DueCard,
    DueChoice,
    Matched,
    Open,
    Placed,
    Returned,
    Round,
    Settled,
    Withdraw,
    decide,
)
from wartable.game.messages import Illegal
from wartable.rules import load

CA = "california"


def one(cards: str, dealer: str, war_tie: int = 0) -> Game:
    """One box of Ann, who goes to war on a tie, with 1000 on the primary and 100 on the tie."""
    return play(CA, entry("Ann", 1, cards, primary=1000, tie=100, war_tie=war_tie), dealer)


@proves("engine", "CA-std-1", "CA-betting-3", "CA-def-primary")
def test_CA_std_1() -> None:
    """Only a box with a primary wager, made before the call, gets a card."""
    game = Game(CA)
    assert game.refuses(CloseBets()) == "no_wagers"
    game.bet("Ann", 2, primary=1000).close()
    assert game.due == (DueCard("original", 2),)
    assert game.refuses(Bet("Bob", 1, "primary", 1000)) == "bets_closed"
    game.deal("5c 9d")
    assert [event.box for event in game.of(Dealt)] == [2, 0]


@proves("engine", "CA-std-2", "CA-round-1b", "CA-odds-1")
def test_CA_std_2() -> None:
    """A higher card wins the primary 1 to 1 and loses the tie wager; an equal one wins nothing."""
    game = one("Kh", "9c")
    assert game.net("Ann", "primary") == 1000
    assert game.net("Ann", "tie") == -100
    assert game.banker == -900
    tied = Game(CA).bet("Ann", 1, primary=1000).close().deal("9h 9c")
    assert not tied.of(Settled)


@proves("engine", "CA-std-3", "CA-round-3", "CA-def-war")
def test_CA_std_3() -> None:
    """Every tied player, and nobody else, is offered war or surrender before any war card."""
    game = Game(CA).bet("Ann", 1, primary=1000).bet("Bob", 2, primary=1000)
    game.bet("Cat", 3, primary=1000).close().deal("8h 7h 8d 8c")
    assert set(game.due) == {DueChoice("Ann", 1), DueChoice("Cat", 3)}
    game.choose("Ann", 1, "war")
    assert game.due == (DueChoice("Cat", 3),)
    assert game.refuses(Burn()) == "no_burn_due"
    assert game.refuses(Deal("2c")) == "no_card_due"
    game.choose("Cat", 3, "surrender").deal("Kh Kd")
    assert game.state.closed, "a war that ties offers no second war"


@proves("engine", "CA-std-4", "CA-round-3b-1", "CA-def-warwager")
def test_CA_std_4() -> None:
    """War costs a second wager of exactly the primary, and there is no war without it."""
    game = Game(CA).bet("Ann", 1, primary=1234).close().deal("8h 8c")
    assert game.refuses(Bet("Ann", 1, "war", 1234)) == "bets_closed"
    events = game.do(Choose("Ann", 1, "war"))
    assert events[:2] == (Chosen("Ann", 1, "war"), Placed("Ann", 1, "war", 1234))
    part = Game(CA, bank=1000).bet("Ann", 1, primary=1234).close().deal("8h 8c")
    assert part.do(Choose("Ann", 1, "war"))[1] == Placed("Ann", 1, "war", 1000)


@proves("engine", "CA-std-5", "CA-round-3b-2")
def test_CA_std_5() -> None:
    """The match is new money from the stack, box by box; what it does not reach is returned."""
    ann, bob = entry("Ann", 1, "8h Kd", primary=1000), entry("Bob", 2, "8d Kc", primary=1000)
    game = play(CA, [ann, bob], "8c 4s", bank=2000, bank_stack=1300)
    assert game.of(Matched) == [
        Matched("Ann", 1, "war", 1000),
        Matched("Bob", 2, "war", 300),
    ]
    assert [event.amount for event in game.of(Returned)] == [700, 700]
    assert game.main("Ann") == 1000
    assert game.main("Bob") == 300
    assert game.banker == -1300


@proves("engine", "CA-std-6", "CA-round-6a")
def test_CA_std_6() -> None:
    """Three unseen burns open the war deal, then the leftmost player at war gets a card."""
    game = Game(CA).bet("Bob", 5, primary=1000).bet("Ann", 2, primary=1000).close()
    game.deal("8h 8d 8c").choose("Ann", 2, "war").choose("Bob", 5, "war")
    for _ in range(3):
        assert game.due == (DueBurn(),)
        assert game.refuses(Deal("2c")) == "no_card_due"
        assert game.do(Burn()) == (Burned("??"),)
    assert game.due == (DueCard("war", 2),)
    assert game.refuses(Burn()) == "no_burn_due"


@proves("engine", "CA-std-7", "CA-round-6c")
def test_CA_std_7() -> None:
    """One card to each war player clockwise and one to the player/dealer, no burns between."""
    game = play(
        CA,
        [entry("Ann", 1, "8h Kd", primary=500), entry("Bob", 4, "8d 3c", primary=500)],
        "8c 4s",
    )
    war = [e for e in game.events if isinstance(e, Burned | Dealt)][3:]
    assert war == [Burned()] * 3 + [
        Dealt("war", 1, "Kd"),
        Dealt("war", 4, "3c"),
        Dealt("war", 0, "4s"),
    ]


@proves("engine", "CA-std-8", "CA-round-7a")
def test_CA_std_8() -> None:
    """A lower war card loses both wagers, a higher one wins the war."""
    assert one("8h 3d", "8c Tc").main("Ann") == -2000
    assert one("8h Td", "8c 3c").main("Ann") == 1000


@proves("engine", "CA-std-9", "CA-round-5b", "CA-round-7b", "CA-odds-3", "CA-round-8b")
def test_CA_std_9() -> None:
    """A won war gives the player the three units: both stakes and the bank's match, net +1."""
    game = play(CA, entry("Ann", 1, "8h Qd", primary=1000), "8c 7s")
    assert sum(event.returned for event in game.of(Settled)) == 3000
    assert game.net("Ann", "primary") == 0
    assert game.net("Ann", "war") == 1000
    assert game.banker == -1000
    assert game.events[-1] == Closed()


@proves("engine", "CA-std-10", "CA-round-7c", "CA-odds-4")
def test_CA_std_10() -> None:
    """Equal war cards give the three units and one more: the war wager 2 to 1, net +2."""
    game = play(CA, entry("Ann", 1, "8h Qd", primary=1000), "8c Qs", bank=1000)
    assert sum(event.returned for event in game.of(Settled)) == 4000
    assert game.net("Ann", "war") == 2000
    assert game.net("Ann", "primary") == 0
    assert game.banker == -2000


@proves("engine", "CA-std-11", "CA-round-3a-1", "CA-round-3a-2")
def test_CA_std_11() -> None:
    """A surrender gives half of the primary to the bank and half back, and ends the round."""
    game = play(CA, entry("Ann", 1, "8h", primary=2500, choice="surrender"), "8c")
    assert game.net("Ann") == -1250
    assert game.banker == 1250
    assert game.of(Settled) == [Settled("Ann", 1, "primary", "surrendered", 1250)]
    assert not [event for event in game.of(Dealt) if event.deal == "war"]
    odd = play(CA, entry("Ann", 1, "8h", primary=1001, choice="surrender"), "8c")
    assert odd.net("Ann") == -500


@proves("engine", "CA-std-12", "CA-betting-4")
def test_CA_std_12() -> None:
    """A tie wager needs the primary, comes before the cards, and goes when the primary goes."""
    game = Game(CA)
    assert game.refuses(Bet("Ann", 1, "tie", 100)) == "primary_required"
    game.bet("Ann", 1, primary=1000, tie=100)
    game.do(Withdraw("Ann", 1, "primary"))
    assert not game.state.hands
    game.bet("Ann", 1, primary=1000).close()
    assert game.refuses(Bet("Ann", 1, "tie", 100)) == "bets_closed"


@proves("engine", "CA-std-13", "CA-round-1c", "CA-odds-2")
def test_CA_std_13() -> None:
    """Equal ranks pay the tie wager 10 to 1 at once and leave the primary to the choice."""
    game = Game(CA).bet("Ann", 1, primary=1000, tie=100).close().deal("Td")
    assert game.do(Deal("Tc")) == (
        Dealt("original", 0, "Tc"),
        Settled("Ann", 1, "tie", "won", 1100),
    )
    assert game.outcome("Ann", "primary") == ""
    lost = one("Td 9s", "Tc Ah")
    assert lost.net("Ann", "tie") == 1000
    assert lost.main("Ann") == -2000


@proves("engine", "CA-betting-2a", "CA-deal-2a")
def test_CA_betting_2a() -> None:
    """The call of no more bets precedes every card, and no wager follows it."""
    game = Game(CA).bet("Ann", 1, primary=1000)
    assert game.refuses(Deal("9c")) == "no_card_due"
    game.close()
    assert game.refuses(Bet("Bob", 2, "primary", 1000)) == "bets_closed"
    assert game.refuses(CloseBets()) == "bets_closed"
    game.deal("9c Td")
    kinds = [type(event) for event in game.events]
    assert kinds.index(BetsClosed) < kinds.index(Dealt)


@proves("engine", "CA-betting-2b")
def test_CA_betting_2b() -> None:
    """After the call nothing is placed, raised or taken back, the war's own wagers excepted."""
    game = Game(CA).bet("Ann", 1, primary=1000).close()
    for moment in ("", "8h", "8c"):
        if moment:
            game.deal(moment)
        assert game.refuses(Bet("Ann", 1, "primary", 1)) == "bets_closed"
        assert game.refuses(Bet("Ann", 1, "tie", 1)) == "bets_closed"
        assert game.refuses(Withdraw("Ann", 1, "primary")) == "bets_closed"
    game.choose("Ann", 1, "war", war_tie=50)
    assert [e.wager for e in game.of(Placed)] == ["primary", "war", "war_tie"]
    assert game.refuses(Bet("Ann", 1, "war_tie", 50)) == "bets_closed"


@proves("engine", "CA-betting-5a", "CA-round-9b")
def test_CA_betting_5a() -> None:
    """The bank pays only as far as its wager reaches: 1500 against two primaries and a tie."""
    entries = [
        entry("Ann", 1, "9s Kd", primary=1000, tie=100),
        entry("Bob", 2, "Kc", primary=1000),
    ]
    game = play(CA, entries, "9h 9d", bank=1500)
    assert game.net("Ann", "tie") == 500
    assert game.main("Ann") == 1000, "the match is new money"
    assert game.net("Bob") == 0
    assert game.banker == -1500
    worst = play(CA, [entry("Ann", 1, "As", primary=9000)], "2d", bank=1500)
    assert worst.banker == -1500


@proves("engine", "CA-betting-5b", "CA-round-9a")
def test_CA_betting_5b() -> None:
    """What the bank does not cover is returned before any card, to the last cent."""
    game = Game(CA, bank=1500).bet("Ann", 1, primary=1000, tie=100).bet("Bob", 2, primary=1000)
    assert game.do(CloseBets()) == (
        BetsClosed(),
        Returned("Ann", 1, "tie", "uncovered", 50),
        Returned("Bob", 2, "primary", "uncovered", 1000),
    )
    assert game.due == (DueCard("original", 1),)
    game.deal("2c Kd")
    assert game.net("Ann") == -1050
    assert game.net("Bob") == 0
    assert game.banker == 1050
    none = Game(CA, bank=0).bet("Ann", 1, primary=1000).close()
    assert none.state.closed
    assert none.net("Ann") == 0


@proves("engine", "CA-round-9b")
def test_CA_round_9b() -> None:
    """Even when everything ties twice, the bank loses its wager and its matches and no more."""
    ann = entry("Ann", 1, "9s Kd", primary=1000, tie=100, war_tie=50)
    bob = entry("Bob", 2, "9c Kh", primary=1000, tie=100, war_tie=50)
    game = play(CA, [ann, bob], "9h Kc", bank=4000, bank_stack=3000)
    assert sum(event.amount for event in game.of(Matched)) == 3000
    assert game.net("Ann") == game.net("Bob") == 1000 + 2000 + 500
    assert game.banker == -7000
    short = play(CA, [ann, bob], "9h Kc", bank=2500, bank_stack=1700)
    assert short.net("Ann") == 3500
    assert short.net("Bob") == 400, "500 of the primary is covered and 200 of that matched"
    assert -short.banker == 3900 < 2500 + 1700
    ties = play(CA, entry("Ann", 1, "9s 9c", primary=100, tie=100), "9h 9d", bank=500)
    assert ties.net("Ann", "tie") == 400, "40 of the tie wager are covered"
    assert -ties.banker == 400 + 200 == 500 + 100


@proves("engine", "CA-deal-5", "CA-deal-5a", "CA-deal-5b", "CA-def-original", "CA-def-pd-1")
def test_CA_deal_5() -> None:
    """One card to each wagered box from the dealer's left, then one to the player/dealer."""
    game = Game(CA, bank=2500)
    game.bet("Cat", 7, primary=1000).bet("Ann", 1, primary=1000).bet("Bob", 4, primary=500)
    game.bet("Dan", 8, primary=1000).close().deal("2c 3c 4c 9d")
    assert game.of(Dealt) == [
        Dealt("original", 1, "2c"),
        Dealt("original", 4, "3c"),
        Dealt("original", 7, "4c"),
        Dealt("original", 0, "9d"),
    ], "box 8 is not covered and gets no card"
    assert game.refuses(Choose("bank", 1, "war")) == "round_closed"
    assert Game(CA).refuses(Bet("bank", 1, "primary", 100)) == "banker_wager"


@proves("engine", "CA-round-1")
def test_CA_round_1() -> None:
    """Primary and tie wagers are settled clockwise from the dealer's left."""
    entries = [entry(name, box, "5c", primary=100, tie=10) for name, box in ABC]
    game = play(CA, entries, "9d")
    assert game.order("primary") == game.order("tie") == [1, 3, 6]
    assert [event.wager for event in game.of(Settled)] == ["primary", "tie"] * 3


ABC = (("Ann", 6), ("Bob", 1), ("Cat", 3))


@proves("engine", "CA-round-1a", "CA-round-2a")
def test_CA_round_1a() -> None:
    """A lower card loses primary and tie wager to the player/dealer, whole."""
    game = one("4s", "Jd")
    assert game.net("Ann", "primary") == -1000
    assert game.net("Ann", "tie") == -100
    assert game.banker == 1100


@proves("engine", "CA-round-2b")
def test_CA_round_2b() -> None:
    """The player/dealer pays what the table of payouts says: 1 to 1 and 10 to 1."""
    wins = play(CA, [entry("Ann", 1, "Kd", primary=700)], "9h")
    assert wins.banker == -700
    ties = play(CA, [entry("Ann", 1, "9d", primary=700, tie=70, choice="surrender")], "9h")
    assert ties.banker == -700 + 350


@proves("engine", "CA-round-3a-3")
def test_CA_round_3a_3() -> None:
    """Surrenders are settled clockwise, whoever chose first, before the war deal."""
    game = Game(CA)
    for name, box in ABC:
        game.bet(name, box, primary=100)
    game.bet("Dan", 4, primary=100).close().deal("9c 9d 9h 9s 9c")
    game.choose("Ann", 6, "surrender").choose("Dan", 4, "war").choose("Cat", 3, "surrender")
    game.choose("Bob", 1, "surrender")
    assert game.order("primary") == [1, 3, 6]
    assert game.due == (DueBurn(),)


@proves("engine", "CA-round-5a", "CA-def-wardeal")
def test_CA_round_5a() -> None:
    """The war deal follows the war wager, and there is none where nobody makes one."""
    game = play(CA, entry("Ann", 1, "8h Kd", primary=1000), "8c 4s")
    placed = game.events.index(Placed("Ann", 1, "war", 1000))
    assert placed < game.events.index(Burned())
    quiet = play(CA, entry("Ann", 1, "8h", primary=1000, choice="surrender"), "8c")
    assert not quiet.of(Burned)


@proves("engine", "CA-round-7")
def test_CA_round_7() -> None:
    """War hands are settled clockwise from the dealer's left."""
    entries = [entry(name, box, "9c 5c", primary=100) for name, box in ABC]
    assert play(CA, entries, "9d Kh").order("war") == [1, 3, 6]


@proves("engine", "CA-round-8a", "CA-round-9d")
def test_CA_round_8a() -> None:
    """Lost war wagers are the player/dealer's and nobody else takes a cent."""
    entries = [
        entry("Ann", 1, "8h 3d", primary=1000, war_tie=50),
        entry("Bob", 2, "8d Kd", primary=300),
        entry("Cat", 3, "Ad", primary=70),
    ]
    game = play(CA, entries, "8c Tc")
    assert game.net("Ann", "war") == -1000
    assert game.net("Ann", "war_tie") == -50
    assert game.banker == 2050 - 300 - 70
    assert game.banker == game.state.banker_net
    assert game.banker + sum(game.net(name) for name in ("Ann", "Bob", "Cat")) == 0


@proves("engine", "CA-round-9c")
def test_CA_round_9c() -> None:
    """No round opens without a player to bank it."""
    rules = load(CA).rules
    with pytest.raises(Illegal) as caught:
        decide(rules, Round(), Open())
    assert caught.value.code == "no_banker"


@proves("engine", "CA-players-2")
def test_CA_players_2() -> None:
    """A backline bettor plays the seat's card, decides alone and is covered after the seat."""
    game = Game(CA, seats={1: "Ann"}, bank=1500)
    game.bet("Bob", 1, primary=1000).bet("Ann", 1, primary=1000).close()
    assert game.of(Returned) == [Returned("Bob", 1, "primary", "uncovered", 500)]
    game.deal("9c 9d")
    assert set(game.due) == {DueChoice("Ann", 1), DueChoice("Bob", 1)}
    game.choose("Bob", 1, "surrender").choose("Ann", 1, "war").deal("Kc 4d")
    assert game.net("Ann") == 1000
    assert game.net("Bob") == -250
    assert [event.box for event in game.of(Dealt)] == [1, 0, 1, 0]


@proves("engine", "CA-rank-1a", "CA-def-tiehand", "CA-rank-1b")
def test_CA_rank_1a() -> None:
    """Ace, king, queen, jack, 10 and so on down to 2, whatever the suits."""
    high_to_low = "AKQJT98765432"
    assert sorted(RANKS, key=high_to_low.index) == list(high_to_low)
    for mine in DECK:
        for theirs in ("2d", "7s", "9h", "Kc", "Ad"):
            game = Game(CA).bet("Ann", 1, primary=1000).close().deal(f"{mine} {theirs}")
            above = high_to_low.index(theirs[0]) - high_to_low.index(mine[0])
            expected = 1000 if above > 0 else -1000 if above < 0 else 0
            assert game.net("Ann") == expected, (mine, theirs)
            assert game.state.closed == bool(above)


@proves("engine", "CA-def-burn")
def test_CA_def_burn() -> None:
    """A burned card decides nothing and need not be known."""
    game = Game(CA).bet("Ann", 1, primary=1000).close().deal("8h 8c").choose("Ann", 1, "war")
    assert game.do(Burn()) == (Burned("??"),)
    assert game.refuses(Deal("Kd")) == "no_card_due"


@proves("engine", "CA-def-round")
def test_CA_def_round() -> None:
    """A round closes when its last wager is settled and not before."""
    game = Game(CA).bet("Ann", 1, primary=1000, tie=10).bet("Bob", 2, primary=1000).close()
    game.deal("8h 9h 8c")
    assert not game.of(Closed)
    game.choose("Ann", 1, "war").deal("2c")
    assert not game.of(Closed)
    game.deal("3c")
    assert game.events[-1] == Closed()
    assert all(wager.outcome for hand in game.state.hands for wager in hand.wagers)


@proves("engine", "CA-def-tiewager")
def test_CA_def_tiewager() -> None:
    """A tie wager made with the war wager, of any size, is on the war deal and pays 10 to 1."""
    tied = play(CA, entry("Ann", 1, "8h Qd", primary=1000, war_tie=37), "8c Qs")
    assert tied.net("Ann", "war_tie") == 370
    won = one("8h Qd", "8c 2s", war_tie=5000)
    assert won.net("Ann", "war_tie") == -5000
    assert won.net("Ann", "tie") == 1000, "the first tie wager is on the first deal alone"
    lost = play(CA, entry("Ann", 1, "8h 2d", primary=1000, war_tie=37), "8c Qs")
    assert lost.net("Ann", "war_tie") == -37
    game = Game(CA).bet("Ann", 1, primary=1000).close().deal("8h 8c")
    assert game.refuses(Choose("Ann", 1, "surrender", 37)) == "no_war"


@proves("engine", "CA-def-suit")
def test_CA_def_suit() -> None:
    """There are clubs, diamonds, hearts and spades, and no other card is dealt."""
    game = Game(CA).bet("Ann", 1, primary=1000).close()
    for wrong in ("9x", "Joker", "1s"):
        assert game.refuses(Deal(wrong)) == "malformed"
    assert game.refuses(Deal("??")) == "unknown_card"
    assert {card[1] for card in DECK} == set("cdhs")
