"""Washington's clauses on the engine: dealt from the left, resolved from the right."""

import pytest

from clauses import proves
from rounds import Game, entry, play
from wartable.game import (
    Bet,
    Burned,
    Choose,
    CloseBets,
    Dealt,
    DueChoice,
    Matched,
    Open,
    Placed,
    Round,
    Settled,
    decide,
)
from wartable.game.messages import Illegal
from wartable.rules import load

WA = "washington"


def one(cards: str, dealer: str) -> Game:
    """One seat with a primary bet of $5 and a Tie wager of $2, to war on a tie."""
    return play(WA, entry("Ann", 1, cards, primary=500, tie=200), dealer)


@proves("engine", "WA-1")
def test_WA_1() -> None:
    """The house banks: it pays and collects from each seat for itself, and no player may."""
    entries = [entry("Ann", 1, "Ks", primary=500), entry("Bob", 2, "2s", primary=900)]
    game = play(WA, entries, "8d")
    assert game.net("Ann") == 500
    assert game.net("Bob") == -900
    assert game.banker == 400
    with pytest.raises(Illegal) as caught:
        decide(load(WA).rules, Round(), Open(banker="Bob"))
    assert caught.value.code == "house_banks"


@proves("engine", "WA-2a")
def test_WA_2a() -> None:
    """Without a primary bet there is no card and no Tie wager."""
    game = Game(WA)
    assert game.refuses(Bet("Ann", 1, "tie", 500)) == "primary_required"
    assert game.refuses(CloseBets()) == "no_wagers"
    game.bet("Ann", 3, primary=500).close().deal("2c 9d")
    assert [event.box for event in game.of(Dealt)] == [3, 0]


@proves("engine", "WA-2b")
def test_WA_2b() -> None:
    """The Tie wager is optional beside the primary bet, and none is made at war."""
    assert play(WA, entry("Ann", 1, "9s", primary=500), "8d").net("Ann") == 500
    game = Game(WA).bet("Ann", 1, primary=500, tie=200).close().deal("9s 9d")
    assert game.refuses(Choose("Ann", 1, "war", 500)) == "not_offered"


@proves("engine", "WA-3")
def test_WA_3() -> None:
    """Cards go from left to right, the dealer's last."""
    game = Game(WA)
    for name, box in (("Cat", 6), ("Ann", 1), ("Bob", 3)):
        game.bet(name, box, primary=500)
    game.close().deal("2c 3c 4c 9d")
    assert game.of(Dealt) == [
        Dealt("original", 1, "2c"),
        Dealt("original", 3, "3c"),
        Dealt("original", 6, "4c"),
        Dealt("original", 0, "9d"),
    ]


@proves("engine", "WA-4")
def test_WA_4() -> None:
    """The action is resolved from right to left: first cards, surrenders and wars."""
    boxes = (1, 3, 6)
    lost = play(WA, [entry("Ann", box, "2c", primary=500, tie=1) for box in boxes], "9d")
    assert lost.order("primary") == lost.order("tie") == [6, 3, 1]
    given = [entry("Ann", box, "9c", primary=500, choice="surrender") for box in boxes]
    assert play(WA, given, "9d").order("primary") == [6, 3, 1]
    wars = play(WA, [entry("Ann", box, "9c 2c", primary=500) for box in boxes], "9d Kd")
    assert wars.order("war") == [6, 3, 1]


@proves("engine", "WA-4a-1", "WA-pay-beat")
def test_WA_4a_1() -> None:
    """A higher card wins even money on the primary bet."""
    game = one("9s", "8d")
    assert game.net("Ann", "primary") == 500
    assert Settled("Ann", 1, "primary", "won", 1000) in game.events


@proves("engine", "WA-4a-2")
def test_WA_4a_2() -> None:
    """The Tie wager loses when the player's card is higher."""
    assert one("9s", "8d").net("Ann", "tie") == -200


@proves("engine", "WA-4b-1")
def test_WA_4b_1() -> None:
    """A higher dealer's card loses the primary bet."""
    assert one("7s", "8d").net("Ann", "primary") == -500


@proves("engine", "WA-4b-2")
def test_WA_4b_2() -> None:
    """The Tie wager loses too when the dealer's card is higher."""
    assert one("7s", "8d").net("Ann", "tie") == -200


@proves("engine", "WA-4c-1", "WA-pay-tie")
def test_WA_4c_1() -> None:
    """A tie pays the Tie wager 10 to 1 even if the war is lost."""
    assert one("7s 2c", "7d Ah").net("Ann", "tie") == 2000


@proves("engine", "WA-4c-2")
def test_WA_4c_2() -> None:
    """A tie leaves the primary wager to the player's choice."""
    game = Game(WA).bet("Ann", 1, primary=500).bet("Bob", 2, primary=500).close().deal("9s 8s 9d")
    assert game.due == (DueChoice("Ann", 1),)
    assert game.outcome("Ann", "primary") == ""


@proves("engine", "WA-4c-i", "WA-pay-surrender")
def test_WA_4c_i() -> None:
    """Surrender loses half the primary wager, of an odd amount the smaller half."""
    given = play(WA, entry("Ann", 1, "9s", primary=500, choice="surrender"), "9d")
    assert given.net("Ann") == -250
    odd = play(WA, entry("Ann", 1, "9s", primary=501, choice="surrender"), "9d")
    assert odd.net("Ann") == -250


@proves("engine", "WA-4c-ii")
def test_WA_4c_ii() -> None:
    """Going to war places the original wager once more, and the house puts as much beside it."""
    game = Game(WA).bet("Ann", 1, primary=725).close().deal("9s 9d").choose("Ann", 1, "war")
    assert game.of(Placed)[-1] == Placed("Ann", 1, "war", 725)
    assert game.of(Matched) == [Matched("Ann", 1, "war", 725)]


@proves("engine", "WA-4c-ii-eg", "WA-4c-ii-1a", "WA-pay-warwin")
def test_WA_4c_ii_eg() -> None:
    """The document's example: $5, $5 more and the dealer's $5 are $15, and the winner has them."""
    game = play(WA, entry("Ann", 1, "9s Qc", primary=500), "9d 4h")
    assert sum(event.amount for event in game.of(Placed)) == 1000
    assert sum(event.returned for event in game.of(Settled)) == 1500
    assert game.net("Ann") == 500


@proves("engine", "WA-4c-ii-1-player", "WA-4c-ii-1-dealer")
def test_WA_4c_ii_1() -> None:
    """Three burns before the players' war cards and three more before the dealer's."""
    entries = [entry("Ann", 1, "9s Qc", primary=500), entry("Bob", 2, "9h 2c", primary=500)]
    game = play(WA, entries, "9d 4h")
    war = [event for event in game.events if isinstance(event, Burned | Dealt)][3:]
    assert war == [
        *[Burned()] * 3,
        Dealt("war", 1, "Qc"),
        Dealt("war", 2, "2c"),
        *[Burned()] * 3,
        Dealt("war", 0, "4h"),
    ]


@proves("engine", "WA-4c-ii-1b", "WA-pay-wartie")
def test_WA_4c_ii_1b() -> None:
    """A tied war gives the three units and one more: $20 back for $10, net $10."""
    game = play(WA, entry("Ann", 1, "9s Qc", primary=500), "9d Qh")
    assert sum(event.returned for event in game.of(Settled)) == 2000
    assert game.net("Ann") == 1000


@proves("engine", "WA-4c-ii-1c")
def test_WA_4c_ii_1c() -> None:
    """A lost war gives the house the three units, two of them the player's."""
    game = play(WA, entry("Ann", 1, "9s 3c", primary=500), "9d Qh")
    assert game.net("Ann") == -1000
    assert game.banker == 1000
