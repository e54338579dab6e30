"""Bets before the deal: what goes back with a primary wager, and that they never open again."""

import pytest
from hypothesis import given

from rounds import Game
from strategies import Transcript, rounds
from tables import BUY_IN, DEALER, FLOOR, Play
from wartable import game as engine
from wartable.game import (
    Bet,
    BetsClosed,
    CloseBets,
    Decline,
    DueBets,
    Illegal,
    Open,
    Placed,
    Withdraw,
    Withdrawn,
    awaits,
    decide,
    legal,
)
from wartable.game.moves import MayBet, MayDecline, MayWithdraw
from wartable.rules import NAMES, load
from wartable.table import commands as c

LATE: list[engine.Command] = [
    Bet("Ann", 1, "primary", 100),
    Bet("Ann", 1, "tie", 100),
    Bet("Zoe", 2, "primary", 100),
    Withdraw("Ann", 1, "primary"),
    Withdraw("Ann", 1, "tie"),
    Decline("Ann", 1),
    CloseBets(),
]


@pytest.mark.finding(8)
@pytest.mark.parametrize("name", NAMES)
def test_a_withdrawn_primary_takes_what_needs_it(name: str) -> None:
    """Where the book takes no tie wager alone, it goes back with the primary; so do side bets."""
    needs = load(name).rules.wagers.tie.with_primary
    game = Game(name).bet("Ann", 1, primary=1000, tie=100).bet("Bob", 2, primary=500, tie=50)
    game.do(Withdraw("Ann", 1, "primary"))
    gone = [(event.wager, event.amount) for event in game.of(Withdrawn)]
    assert gone == [("primary", 1000), ("tie", 100)][: 1 + needs]
    left = game.state.hand("Ann", 1)
    assert (left is None) == needs
    assert game.state.hand("Bob", 2) == Game(name).bet("Bob", 2, primary=500, tie=50).state.hands[0]
    game.close().deal("9d 9s" if needs else "9d 8s 9s")
    assert game.net("Ann") == (0 if needs else 1000)


@pytest.mark.finding(8)
def test_the_tie_wager_goes_back_alone_and_side_bets_only_with_the_primary() -> None:
    """A tie wager taken back leaves the primary and its side bets; the primary takes them all."""
    wagers = {"primary": 1000, "tie": 100, "progressive": 500, "bonus_spin": 500}
    game = Game("maryland").bet("Ann", 1, **wagers)
    assert game.do(Withdraw("Ann", 1, "tie")) == (Withdrawn("Ann", 1, "tie", 100),)
    game.do(Withdraw("Ann", 1, "primary"))
    gone = [event.wager for event in game.of(Withdrawn)]
    assert gone == ["tie", "primary", "progressive", "bonus_spin"]
    assert game.refuses(Withdraw("Ann", 1, "tie")) == "no_wager"
    assert game.state.hands == ()


@pytest.mark.finding(8)
def test_at_the_table_everything_that_goes_back_is_in_the_stack() -> None:
    """The stack has primary and tie wager again, and another's hand on the box stays."""
    play = Play("california").join("ann", "bob").ready("start")
    play.do(c.Join("eve", BUY_IN))
    play.start().bet("bob", 2, primary=1000, tie=100).bet("eve", 2, primary=300, tie=30)
    play.do(Withdraw("bob", 2, "primary"))
    assert (play.stack("bob"), play.stack("eve")) == (BUY_IN, BUY_IN - 330)
    assert play.refuses(Bet("bob", 2, "tie", 100)) == "primary_required"


@pytest.mark.finding(8)
@given(rounds())
def test_betting_never_opens_again(transcript: Transcript) -> None:
    """From "no more bets" on, in every state, no wager is made, changed or taken back by a bet."""
    rules, states = transcript.rules, transcript.states
    closed = next(place for place, state in enumerate(states) if state.bets_closed or state.closed)
    for state in states[closed:]:
        assert state.bets_closed or state.void is not None
        assert DueBets() not in awaits(rules, state)
        players = {hand.player for hand in state.hands} | {"Zoe"}
        moves = [move for player in players for move in legal(rules, state, player)]
        assert not [m for m in moves if isinstance(m, MayBet | MayWithdraw | MayDecline)]
        for command in (*LATE, Open()):
            with pytest.raises(Illegal):
                decide(rules, state, command)
    kinds = [type(event) for event in transcript.events]
    if BetsClosed in kinds:
        late = transcript.events[kinds.index(BetsClosed) :]
        assert not [event for event in late if isinstance(event, Withdrawn | engine.Declined)]
        made = {event.wager for event in late if isinstance(event, Placed)}
        assert made <= {"war", "war_tie"}


INCIDENTS: list[c.Command] = [
    c.FindFaceUp(DEALER),
    c.DrawInError(DEALER, exposed=False),
    c.DrawInError(DEALER, exposed=True),
    c.OrderReshuffle(FLOOR, "asked"),
    c.FailDevice(DEALER, "stuck"),
    c.Restrict(FLOOR, "box_max", 0),
    c.BuyIn("bob", 500),
    c.Join("eve", BUY_IN, 5),
]


@pytest.mark.finding(8)
@pytest.mark.parametrize("cards", [1, 3, 4, 5])
def test_no_incident_opens_betting_again(cards: int) -> None:
    """Errors, devices, people who come and a dealer who wants to go: no bet is taken after any."""
    play = Play("maryland", staffed=True).join("ann", "bob").start()
    play.bet("ann", 1, primary=1000).bet("bob", 2, primary=1000).close()
    play.rig("9s 9h 9d 2c 3c 4c Ks Qd Jc").proceed(min(cards, 3))
    if cards > 3:
        play.do(engine.Choose("ann", 1, "war"), engine.Choose("bob", 2, "war"))
        play.proceed(cards)
    for incident in INCIDENTS:
        play.do(incident)
        assert play.refuses(Bet("bob", 2, "primary", 100)) == "bets_closed"
        assert play.refuses(Bet("bob", 3, "primary", 100)) == "bets_closed"
        assert play.refuses(Withdraw("bob", 2, "primary")) == "bets_closed"
        assert play.refuses(play.start_command()) == "round_open"
        assert play.refuses(c.ChangeDealer("dora")) == "round_open"
    assert play.refuses(Bet("eve", 5, "primary", 100)) == "bets_closed"


@pytest.mark.finding(8)
def test_a_void_round_takes_no_bets_before_the_next_one() -> None:
    """After a jam or a void with cards out, bets wait for the next round's opening."""
    for ends in (c.Jam(DEALER), engine.VoidRound("a misdeal")):
        play = Play("maryland", staffed=True, shuffle="every_round").join("ann", "bob").start()
        play.bet("ann", 1, primary=1000).close().proceed(1)
        play.do(ends)
        assert play.stack("ann") == BUY_IN
        assert play.refuses(Bet("ann", 1, "primary", 100)) == "no_round"
        assert play.refuses(Withdraw("ann", 1, "primary")) == "no_round"
