"""Bets before the deal: what goes back with a primary wager, and that they never open again."""

import pytest
from hypothesis import given
from msgspec.structs import replace

from clauses import proves
from rounds import Game, book, limited
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

LATE: list[engine.GameCommand] = [
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
    c.ChangeDealer("dora"),
]


@pytest.mark.finding(8)
@pytest.mark.parametrize("cards", [1, 3, 4, 5])
def test_no_incident_opens_betting_again(cards: int) -> None:
    """Errors, devices, people and another dealer who come: no bet is taken after any."""
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


@pytest.mark.finding(19)
@proves("engine", "MD-7-E")
def test_MD_7_E_boxes_on_either_side() -> None:
    """The next box may be lower or higher, but not two away; a tie wager between them may go."""
    game = Game("maryland").bet("Ann", 4, primary=1000)
    for box in (2, 6, 7):
        assert game.refuses(Bet("Ann", box, "primary", 1000)) == "not_adjacent"
    game.bet("Ann", 3, primary=1000, tie=100).bet("Ann", 2, primary=1000)
    assert game.refuses(Withdraw("Ann", 3, "primary")) == "not_adjacent"
    game.do(Withdraw("Ann", 3, "tie"))
    game.do(Withdraw("Ann", 4, "primary"))


@pytest.mark.finding(19)
def test_a_side_bet_takes_nothing_from_the_limit_of_its_box() -> None:
    """$10 and $5 fill a box of $15, with $5 on the progressive meter beside them."""
    rules = limited(book("maryland"), box_max=1_500, player_box_max=1_500)
    game = Game(rules).bet("Ann", 1, primary=1_000, progressive=500, tie=500)
    assert game.refuses(Bet("Ann", 1, "tie", 1)) == "limit"


@pytest.mark.finding(19)
@pytest.mark.parametrize("name", NAMES)
def test_war_wagers_are_no_bets(name: str) -> None:
    """Nobody makes a war wager, or its tie wager, before the deal."""
    game = Game(name).bet("Ann", 1, primary=1000)
    for kind in ("war", "war_tie"):
        assert game.refuses(Bet("Ann", 1, kind, 1000)) == "not_a_bet"


@pytest.mark.finding(19)
@proves("engine", "NZ-5.11b")
def test_NZ_5_11b_a_claim_is_used_once() -> None:
    """Who has the tie wager has no claim left: nothing to decline, and nobody else gives way."""
    rules = book("new-zealand")
    game = Game(rules).bet("Ann", 1, primary=1000, tie=100)
    assert game.refuses(Decline("Ann", 1)) == "nothing_to_decline"
    two = replace(rules, wagers=replace(rules.wagers, tie=replace(rules.wagers.tie, per_box=2)))
    game = Game(two).bet("Ann", 1, primary=1000, tie=100).bet("Eve", 1, tie=50)
    game.bet("Ann", 1, tie=100)
    assert not game.of(Withdrawn)
    assert game.refuses(Bet("Fay", 1, "tie", 50)) == "tie_spot_taken"


@pytest.mark.finding(19)
def test_where_odd_wagers_are_refused_the_bounds_are_even() -> None:
    """Of limits of 101 to 303 cents an offer has 102 to 302, and the last even amount is taken."""
    rules = limited(book("washington", odd_half="refuse"), primary={"min": 101, "max": 303})
    game = Game(rules)

    def offered() -> list[tuple[int, int]]:
        moves = [move for move in legal(rules, game.state, "Ann") if isinstance(move, MayBet)]
        primary = [move.amounts for move in moves if (move.box, move.wager) == (1, "primary")]
        return [(amounts.min, amounts.max) for amounts in primary]

    assert offered() == [(102, 302)]
    game.bet("Ann", 1, primary=300)
    assert offered() == [(2, 2)]
    game.bet("Ann", 1, primary=2)
    assert offered() == []
    with pytest.raises(Illegal, match="Box 1 is at its limit and takes no more"):
        decide(rules, game.state, Bet("Ann", 1, "primary", 2))


@pytest.mark.finding(19)
def test_the_legal_ceiling_holds_beside_a_books_own_maximum() -> None:
    """Of a maximum and the law's ceiling the lower holds, counting what lies there already."""
    for most, ceiling in ((None, 30_000), (40_000, 30_000), (30_000, 40_000), (30_000, None)):
        rules = limited(book("washington"), primary={"min": 100, "max": most}, ceiling=ceiling)
        game = Game(rules)
        assert game.refuses(Bet("Ann", 1, "primary", 30_001)) == "limit"
        game.bet("Ann", 1, primary=20_000)
        assert game.refuses(Bet("Ann", 1, "primary", 10_001)) == "limit"
        game.bet("Ann", 1, primary=10_000)
