"""The online operator's clauses on the engine: one player, up to three hands."""

from clauses import proves
from rounds import Game, entry, play
from wartable.cards import DECK, RANKS
from wartable.game import (
    Bet,
    Burned,
    Choose,
    CloseBets,
    Deal,
    Dealt,
    DueBurn,
    DueCard,
    DueChoice,
    Placed,
    Settled,
    Timeout,
    Withdraw,
)

ON = "online"


def one(cards: str, dealer: str, war_tie: int = 0) -> Game:
    """One hand with 200 on the main bet and 50 on the tie bet, to war on a tie."""
    return play(ON, entry("Ann", 1, cards, primary=200, tie=50, war_tie=war_tie), dealer)


def tied(**wagers: int) -> Game:
    """A hand that ties and awaits its choice."""
    return Game(ON).bet("Ann", 1, **wagers).close().deal("7s 7d")


@proves("engine", "ON-overview-3", "ON-deal-2")
def test_ON_overview_3() -> None:
    """Each hand gets one card, then the house one that all are compared with."""
    game = Game(ON).bet("Ann", 1, primary=100).bet("Ann", 2, primary=100).bet("Ann", 3, primary=100)
    game.close().deal("As 5c 2d Th")
    assert [event.box for event in game.of(Dealt)] == [1, 2, 3, 0]
    assert [game.net("Ann", box=box) for box in (1, 2, 3)] == [100, -100, -100]


@proves("engine", "ON-overview-4")
def test_ON_overview_4() -> None:
    """The higher rank wins, by however little."""
    assert one("8s", "7d").net("Ann", "primary") == 200
    assert one("7s", "8d").net("Ann", "primary") == -200


@proves("engine", "ON-overview-5")
def test_ON_overview_5() -> None:
    """A tied hand may surrender or go to war, each for itself."""
    game = Game(ON).bet("Ann", 1, primary=100).bet("Ann", 3, primary=100).close().deal("7s 7c 7d")
    assert set(game.due) == {DueChoice("Ann", 1), DueChoice("Ann", 3)}
    game.choose("Ann", 3, "war").choose("Ann", 1, "surrender").deal("Kd 4d")
    assert game.net("Ann", box=1) == -50
    assert game.net("Ann", box=3) == 100


@proves("engine", "ON-bet-1")
def test_ON_bet_1() -> None:
    """One to three hands, each with its own main bet, and at least one."""
    game = Game(ON)
    assert game.refuses(CloseBets()) == "no_wagers"
    game.bet("Ann", 1, primary=100).bet("Ann", 2, primary=250).bet("Ann", 3, primary=7)
    assert game.refuses(Bet("Ann", 4, "primary", 100)) == "no_such_box"
    game.close().deal("Ks Kc Kd 4c")
    assert [game.net("Ann", box=box) for box in (1, 2, 3)] == [100, 250, 7]


@proves("engine", "ON-overview-6")
def test_ON_overview_6() -> None:
    """Three hands may be played and a fourth is refused."""
    game = Game(ON).bet("Ann", 3, primary=100).bet("Ann", 1, primary=100).bet("Ann", 2, primary=100)
    assert len(game.state.hands) == 3
    assert game.refuses(Bet("Ann", 4, "primary", 100)) == "no_such_box"


@proves("engine", "ON-bet-2")
def test_ON_bet_2() -> None:
    """A tie bet is optional, before the deal, beside that hand's main bet."""
    game = Game(ON).bet("Ann", 1, primary=100)
    assert game.refuses(Bet("Ann", 2, "tie", 50)) == "primary_required"
    game.bet("Ann", 1, tie=50)
    assert [wager.kind for wager in game.state.hands[0].wagers] == ["primary", "tie"]
    game.close()
    assert game.refuses(Bet("Ann", 1, "tie", 50)) == "bets_closed"


@proves("engine", "ON-deal-1")
def test_ON_deal_1() -> None:
    """No card is dealt before the bets are closed, and no bet changes after."""
    game = Game(ON).bet("Ann", 1, primary=100)
    assert game.refuses(Deal("9c")) == "no_card_due"
    game.close()
    assert game.due == (DueCard("original", 1),)
    assert game.refuses(Bet("Ann", 2, "primary", 100)) == "bets_closed"
    assert game.refuses(Withdraw("Ann", 1, "primary")) == "bets_closed"


@proves("engine", "ON-eval-win", "ON-pay-first-main")
def test_ON_eval_win() -> None:
    """A higher card wins the main bet 1:1 and loses the tie bet."""
    game = one("Ks", "Qd")
    assert game.net("Ann", "primary") == 200
    assert game.net("Ann", "tie") == -50
    assert game.banker == -150


@proves("engine", "ON-eval-lose")
def test_ON_eval_lose() -> None:
    """A higher house card loses main bet and tie bet."""
    game = one("2s", "Qd")
    assert game.net("Ann", "primary") == -200
    assert game.net("Ann", "tie") == -50


@proves("engine", "ON-tie-choice")
def test_ON_tie_choice() -> None:
    """A tied hand waits for its player: time running out decides nothing."""
    game = tied(primary=100)
    assert game.refuses(Timeout("Ann", 1)) == "held"
    assert game.refuses(Deal("9c")) == "no_card_due"
    assert game.due == (DueChoice("Ann", 1),)


@proves("engine", "ON-tie-pay", "ON-pay-first-tie")
def test_ON_tie_pay() -> None:
    """The tie bet wins 10:1 on a tie, at once and whatever follows, and loses otherwise."""
    game = tied(primary=200, tie=50)
    assert game.of(Settled) == [Settled("Ann", 1, "tie", "won", 550)]
    assert game.choose("Ann", 1, "surrender").net("Ann") == 500 - 100
    assert one("3s 4c", "3d 5h").net("Ann") == 500 - 400
    assert one("Ks", "Qd").net("Ann", "tie") == -50
    assert one("2s", "Qd").net("Ann", "tie") == -50


@proves("engine", "ON-surrender")
def test_ON_surrender() -> None:
    """Surrender forfeits half of the main bet, an odd cent staying with the player."""
    assert tied(primary=100).choose("Ann", 1, "surrender").net("Ann") == -50
    odd = tied(primary=101).choose("Ann", 1, "surrender")
    assert odd.net("Ann") == -50
    assert odd.of(Settled) == [Settled("Ann", 1, "primary", "surrendered", 51)]


@proves("engine", "ON-war-raise")
def test_ON_war_raise() -> None:
    """Going to war raises by exactly the initial main bet."""
    game = tied(primary=175, tie=50)
    game.choose("Ann", 1, "war")
    assert game.of(Placed)[-1] == Placed("Ann", 1, "war", 175)


@proves("engine", "ON-war-tiebet")
def test_ON_war_tiebet() -> None:
    """A tie bet may be made at war, with or without one at the start, and need not be."""
    for first in ({}, {"tie": 50}):
        with_bet = tied(primary=200, **first).choose("Ann", 1, "war", war_tie=200)
        assert with_bet.of(Placed)[-1] == Placed("Ann", 1, "war_tie", 200)
        without = tied(primary=200, **first).choose("Ann", 1, "war")
        assert without.of(Placed)[-1] == Placed("Ann", 1, "war", 200)


@proves("engine", "ON-war-tiebet-size")
def test_ON_war_tiebet_size() -> None:
    """The tie bet at war is the initial main bet, neither less nor more."""
    game = tied(primary=200, tie=50)
    for amount in (1, 50, 199, 201, 400):
        assert game.refuses(Choose("Ann", 1, "war", amount)) == "wrong_size"
    assert game.choose("Ann", 1, "war", war_tie=200).due == (DueBurn(),)


@proves("engine", "ON-war-burn")
def test_ON_war_burn() -> None:
    """Three cards are burned once, however many hands are at war."""
    for boxes in (1, 2, 3):
        entries = [entry("Ann", box, "7s 9c", primary=100) for box in range(1, boxes + 1)]
        game = play(ON, entries, "7d 8c")
        assert len(game.of(Burned)) == 3
        dealt = [event for event in game.events if isinstance(event, Burned | Dealt)]
        assert dealt[boxes + 1 : boxes + 4] == [Burned()] * 3


@proves("engine", "ON-war-deal")
def test_ON_war_deal() -> None:
    """One new card to each hand at war and one to the house; a surrendered hand gets none."""
    entries = [
        entry("Ann", 1, "7s 9c", primary=100),
        entry("Ann", 2, "7c", primary=100, choice="surrender"),
        entry("Ann", 3, "7h 2c", primary=100),
    ]
    game = play(ON, entries, "7d 8c")
    assert [event.box for event in game.of(Dealt) if event.deal == "war"] == [1, 3, 0]
    assert [game.net("Ann", box=box) for box in (1, 2, 3)] == [100, -50, -200]


@proves("engine", "ON-war-eval-win", "ON-war-eval-win-main", "ON-push")
def test_ON_war_eval_win() -> None:
    """A won war pays the raise 1:1 and returns the main bet without winnings."""
    game = one("7s 9c", "7d 3h")
    assert game.net("Ann", "war") == 200
    assert Settled("Ann", 1, "primary", "war_won", 200) in game.events
    assert Settled("Ann", 1, "war", "war_won", 400) in game.events


@proves("engine", "ON-war-eval-lose")
def test_ON_war_eval_lose() -> None:
    """A lost war loses main bet, raise and the tie bet of the war."""
    game = one("7s 4c", "7d 9h", war_tie=200)
    assert game.net("Ann", "primary") == game.net("Ann", "war") == -200
    assert game.net("Ann", "war_tie") == -200


@proves("engine", "ON-war-eval-tie", "ON-pay-war-raise", "ON-pay-war-main")
def test_ON_war_eval_tie() -> None:
    """A tied war returns the main bet and pays the raise 2:1; a won one pays it 1:1."""
    game = one("7s 9c", "7d 9h")
    assert game.net("Ann", "primary") == 0
    assert game.net("Ann", "war") == 400
    assert game.state.closed, "there is no third deal"
    won = one("7s 9c", "7d 8h")
    assert won.net("Ann", "primary") == 0
    assert won.net("Ann", "war") == 200


@proves("engine", "ON-war-eval-tiebet", "ON-pay-war-tie")
def test_ON_war_eval_tiebet() -> None:
    """The tie bet of the war pays 10:1 when the war ties and loses otherwise."""
    assert one("7s 9c", "7d 9h", war_tie=200).net("Ann", "war_tie") == 2000
    assert one("7s 9c", "7d 8h", war_tie=200).net("Ann", "war_tie") == -200
    assert one("7s 8c", "7d 9h", war_tie=200).net("Ann", "war_tie") == -200


@proves("engine", "ON-pay-first-main-tie")
def test_ON_pay_first_main_tie() -> None:
    """A tied main bet is not given back but waits for the choice."""
    game = tied(primary=200)
    assert not game.of(Settled)
    assert game.outcome("Ann", "primary") == ""


@proves("engine", "ON-rank-1", "ON-rank-2")
def test_ON_rank_1() -> None:
    """A, K, Q, J, 10 down to 2, and the suit changes nothing."""
    assert RANKS == "23456789TJQKA"
    for mine in DECK:
        for theirs in ("2c", "8h", "Td", "As"):
            game = Game(ON).bet("Ann", 1, primary=100).close().deal(f"{mine} {theirs}")
            above = "AKQJT98765432".index(theirs[0]) - "AKQJT98765432".index(mine[0])
            assert game.net("Ann") == (100 if above > 0 else -100 if above < 0 else 0)
