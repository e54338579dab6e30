"""Leaving after "no more bets": what stays in play, what is surrendered, what is held or lost."""

import pytest

from clauses import proves
from tables import BUY_IN, Play
from wartable import game, table
from wartable.game.moves import MayChoose, MayLeave
from wartable.rules import NAMES, load
from wartable.table import commands as c

pytestmark = pytest.mark.finding(4)

STAYS = ("california", "new-zealand", "washington")
STAFF = pytest.mark.parametrize("staffed", [False, True])


def opened(name: str, staffed: bool) -> tuple[Play, str, int]:
    """A round with one wager of 1000 and a tie wager of 100, and whose and where they are."""
    play = Play(name, staffed=staffed)
    alone = load(name).rules.table.seats == 1
    play.join(*(["ann"] if alone else ["ann", "bob"])).start()
    player, box = ("ann", 1) if alone else ("bob", 2)
    return play.bet(player, box, primary=1000, tie=100).close(), player, box


@STAFF
@pytest.mark.parametrize("name", [*STAYS, "online"])
@pytest.mark.parametrize(("cards", "gained"), [("Ks 9d", 900), ("2s 9d", -1100)])
def test_the_wagers_stay_and_are_settled(name: str, staffed: bool, cards: str, gained: int) -> None:
    """Who leaves before the cards wins or loses as if present, and the wallet has it."""
    play, player, _ = opened(name, staffed)
    play.rig(cards)
    leaving = table.legal(play.setup, play.state, player)
    assert leaving == (MayLeave(player, forfeits=0),)
    play.do(game.Leave(player))
    assert not play.of(game.Settled)
    assert play.refuses(game.Leave(player)) == "left"
    play.finish()
    assert player not in play.state.guests
    assert play.account.wallets[player] == gained


@STAFF
@pytest.mark.parametrize("name", STAYS)
@pytest.mark.parametrize("at", ["bets", "choice"])
def test_a_tie_is_surrendered_as_the_platforms_choice(name: str, staffed: bool, at: str) -> None:
    """The tied primary is surrendered by the platform, whenever its player left; the tie is won."""
    play, player, box = opened(name, staffed)
    play.rig("9s 9d")
    if at == "bets":
        play.do(game.Leave(player))
    play.proceed()
    if at == "choice":
        assert [due.player for due in play.due] == [player]
        play.do(game.Leave(player))
    assert play.of(game.Chosen) == [game.Chosen(player, box, "surrender", "platform")]
    assert not play.state.in_round
    assert play.account.wallets[player] == 1000 - 500


@STAFF
@pytest.mark.parametrize("name", [*STAYS, "online"])
def test_a_war_that_was_chosen_is_played(name: str, staffed: bool) -> None:
    """Who goes to war and leaves before its cards has the war dealt, settled and paid."""
    play, player, box = opened(name, staffed)
    play.rig("9s 9d").proceed()
    play.do(game.Choose(player, box, "war"), game.Leave(player))
    burns = " ".join(["2c"] * 3)
    again = burns if load(name).rules.options.war_burn == "before_dealer" else ""
    play.rig(f"{burns} Ks {again} 8d").finish()
    assert "abandoned" not in [event.outcome for event in play.of(game.Settled)]
    assert play.account.wallets[player] == 1000 + 1000


@STAFF
@pytest.mark.parametrize("at", ["bets", "choice"])
@proves("engine", "ON-tie-choice")
def test_online_the_hand_stays_open_and_is_resumed(staffed: bool, at: str) -> None:
    """Nobody chooses for who left; the player comes back, chooses war, and gets the stack after."""
    play, player, box = opened("online", staffed)
    play.rig("9s 9d")
    if at == "bets":
        play.do(game.Leave(player))
    play.proceed()
    if at == "choice":
        play.do(game.Leave(player))
    assert [(due.what, due.player) for due in play.due] == [("choice", player)]
    assert play.refuses(game.Timeout(player, box)) == "held"
    assert play.refuses(c.Proceed()) == "nothing_due"
    assert play.refuses(c.CashOut(player, 1)) == "in_round"
    moves = table.legal(play.setup, play.state, player)
    assert [move.choice for move in moves if isinstance(move, MayChoose)] == ["war", "surrender"]
    assert len(table.prices(play.setup, play.state, player)) == 3
    play.do(game.Choose(player, box, "war"))
    play.rig("2c 3c 4c Ks 8d").finish()
    assert player not in play.state.guests
    assert play.account.wallets[player] == 1000 + 1000
    play.do(c.Join(player, BUY_IN, 1))


@STAFF
def test_maryland_as_before(staffed: bool) -> None:
    """What is not decided is lost, before the cards and at the tie; the tie wager stays won."""
    play, player, _ = opened("maryland", staffed)
    assert table.legal(play.setup, play.state, player) == (MayLeave(player, forfeits=1100),)
    play.do(game.Leave(player))
    assert play.account.wallets[player] == -1100
    play, player, _ = opened("maryland", staffed)
    play.rig("9s 9d").proceed().do(game.Leave(player))
    assert play.account.wallets[player] == 1000 - 1000


@pytest.mark.parametrize("name", NAMES)
def test_before_no_more_bets_the_wagers_go_along(name: str) -> None:
    """While bets are open, who leaves has every wager back at once, in every book."""
    play = Play(name)
    play.join("ann").ready("players" if name == "california" else "start")
    if name == "california":
        play.join("bob")
    play.start()
    player, box = ("bob", 2) if name == "california" else ("ann", 1)
    play.bet(player, box, primary=1000, tie=100).do(game.Leave(player))
    assert play.account.wallets[player] == 0
    assert player not in play.state.guests


def test_who_surrendered_before_leaving_keeps_the_half() -> None:
    """In Maryland a surrender that waits for another's choice is settled, not lost."""
    play = Play("maryland").join("ann", "bob").start()
    play.bet("ann", 1, primary=1000).bet("bob", 2, primary=1000).close().rig("9s 9h 9d").proceed()
    play.do(game.Choose("ann", 1, "surrender"), game.Leave("ann"))
    play.do(game.Choose("bob", 2, "surrender"))
    assert play.account.wallets["ann"] == -500


def test_others_choose_while_one_who_left_is_held() -> None:
    """At a shared table of a book that holds, the others choose and the war waits for all."""
    play = Play("maryland", abandoned="hold").join("ann", "bob").start()
    play.bet("ann", 1, primary=1000).bet("bob", 2, primary=1000).close().rig("9s 9h 9d").proceed()
    play.do(game.Leave("ann"), game.Choose("bob", 2, "war"))
    assert [due.player for due in play.due] == ["ann"]
    play.do(game.Timeout("ann", 1))
    assert play.of(game.Chosen)[-1].by == "platform"
