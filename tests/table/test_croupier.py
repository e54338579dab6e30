"""The automatic dealer: what the platform does at a table that its players have left."""

import pytest

from clauses import proves
from tables import BUY_IN, Play, seed
from wartable import game, table
from wartable.croupier import PRIVATE, Timing, act
from wartable.table import commands as c
from wartable.table import events as e

TIMING = Timing(idle_ms=60_000)


def given(play: Play, now_ms: int, timing: Timing = TIMING) -> c.Command | None:
    """What the platform does at that time, having waited since 0."""
    due = table.awaits(play.setup, play.state)[0]
    return act(play.setup, play.state, due, timing, 0, now_ms, seed(0)).command


@proves("engine", "MD-5-I-1")
@pytest.mark.finding(12)
@pytest.mark.parametrize("staffed", [False, True])
@pytest.mark.parametrize("timing", [TIMING, PRIVATE], ids=["shared", "private"])
def test_MD_5_I_1_a_round_that_everybody_left_ends_at_once(staffed: bool, timing: Timing) -> None:
    """The last bettor's leaving ends the empty round, with staff and without."""
    play = Play("maryland", staffed=staffed).join("ann", "bob").start().bet("ann", 1, primary=100)
    play.do(game.Leave("ann"))
    assert given(play, 0, timing) is None
    play.do(game.Leave("bob"))
    command = given(play, 0, timing)
    assert command == game.VoidRound("nobody is left at the table")
    play.do(command)
    assert not play.state.in_round
    assert play.what == "players"


@proves("engine", "MD-5-I-1")
@pytest.mark.finding(12)
def test_MD_5_I_1_the_cards_are_spread_after_the_empty_round() -> None:
    """A table that was left during betting is idle after its time, and its cards are spread."""
    play = Play("maryland").join("ann").start()
    play.do(game.Leave("ann"))
    command = given(play, 0)
    assert command is not None
    play.do(command)
    assert given(play, 59_999) is None
    command = given(play, 60_000)
    assert command == c.GoIdle("platform")
    play.do(command)
    assert play.state.idle
    assert [event.reason for event in play.of(e.ShoeEnded)] == ["idle table"]


@pytest.mark.finding(12)
def test_a_round_with_wagers_or_players_goes_on() -> None:
    """A player without a wager keeps betting open; a wager in play is never void for lack."""
    play = Play("maryland").join("ann", "bob").start()
    assert given(play, 0) is None
    play.bet("ann", 1, primary=100).close()
    play.do(game.Leave("bob"), game.Leave("ann"))
    assert play.of(game.RoundVoided) == []


@pytest.mark.finding(9)
def test_a_banker_who_is_left_alone_gets_the_bank_back() -> None:
    """Without a wager the round ends at once; with one from behind, at "no more bets"."""
    play = Play("california").join("ann", "bob").start()
    play.do(game.Leave("bob"))
    command = given(play, 0)
    assert command == game.VoidRound("fewer than 2 are seated")
    play.do(command)
    assert play.account.stacks == {"ann": BUY_IN}
    play.join("bob")
    play.do(c.Join("eve", BUY_IN))
    play.start().bet("eve", 2, primary=100)
    play.do(game.Leave("bob"))
    assert given(play, 0) is None
    command = given(play, TIMING.bets_ms or 0)
    assert command == game.CloseBets()
    play.do(command)
    assert play.of(game.BetsClosed) == []
    assert play.account.stacks == {"ann": BUY_IN, "eve": BUY_IN}
