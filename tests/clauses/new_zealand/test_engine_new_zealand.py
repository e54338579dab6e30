"""New Zealand's clauses on the engine: shared boxes, tie-only boxes, war on both units."""

from contextlib import suppress

import pytest

from clauses import proves
from rounds import Game, book, entry, limited, play
from wartable.cards import DECK
from wartable.game import (
    Bet,
    BetsClosed,
    Burn,
    Choose,
    Closed,
    Dealt,
    Decline,
    DueCard,
    DueChoice,
    Illegal,
    Placed,
    Settled,
    Withdraw,
    Withdrawn,
    legal,
)
from wartable.game.moves import MayBet
from wartable.settle import settle
from wartable.worked import read_round

NZ = "new-zealand"


def one(cards: str, dealer: str) -> Game:
    """One box with a Casino War Wager of 1000 and a Tie Wager of 60, to war on a tie."""
    return play(NZ, entry("Ann", 1, cards, primary=1000, tie=60), dealer)


def tied(**wagers: int) -> Game:
    """A box that ties."""
    return Game(NZ).bet("Ann", 1, **wagers).close().deal("5s 5d")


@proves("engine", "NZ-1-casino-war-wager", "NZ-5.1", "NZ-5.12")
def test_NZ_1_casino_war_wager() -> None:
    """A wager counts only if it lies on the layout before no more bets and the first card."""
    game = Game(NZ).bet("Ann", 1, primary=1000).close()
    for late in ("primary", "tie"):
        assert game.refuses(Bet("Bob", 2, late, 1000)) == "bets_closed"
    game.deal("Ks")
    assert game.refuses(Bet("Bob", 2, "primary", 1000)) == "bets_closed"
    game.deal("9d")
    assert game.net("Ann") == 1000
    assert not game.net("Bob")


@proves("engine", "NZ-1-go-to-war", "NZ-5.2")
def test_NZ_1_go_to_war() -> None:
    """Only a tied Casino War Wager has the choice, and war comes only by that choice."""
    game = Game(NZ).bet("Ann", 1, primary=1000).bet("Bob", 2, tie=60).bet("Cat", 3, primary=1000)
    game.close().deal("5s 5c 6h 5d")
    assert game.due == (DueChoice("Ann", 1),)
    assert game.refuses(Choose("Bob", 2, "war")) == "no_choice_due"
    assert game.refuses(Choose("Cat", 3, "war")) == "no_choice_due"
    game.choose("Ann", 1, "war")
    assert game.do(Burn())


@proves("engine", "NZ-1-go-to-war-wager", "NZ-5.2a")
def test_NZ_1_go_to_war_wager() -> None:
    """Going to war places a second wager of exactly the Casino War Wager."""
    game = tied(primary=1230, tie=60).choose("Ann", 1, "war")
    assert game.of(Placed)[-1] == Placed("Ann", 1, "war", 1230)
    assert game.refuses(Bet("Ann", 1, "war", 1)) == "bets_closed"


@proves("engine", "NZ-1-round")
def test_NZ_1_round() -> None:
    """The first card opens the round's play and nothing follows its close."""
    game = one("Ks", "9d")
    kinds = [type(event) for event in game.events]
    assert kinds.index(BetsClosed) + 1 == kinds.index(Dealt)
    assert kinds[-1] is Closed
    assert game.refuses(Bet("Ann", 1, "primary", 1)) == "round_closed"


@proves("engine", "NZ-1-surrender", "NZ-5.2b", "NZ-5.13-surrender")
def test_NZ_1_surrender() -> None:
    """Surrender loses half of the Casino War Wager, an odd cent staying with the player."""
    game = tied(primary=1000).choose("Ann", 1, "surrender")
    assert game.net("Ann") == -500
    assert game.banker == 500
    assert game.state.closed
    assert tied(primary=1001).choose("Ann", 1, "surrender").net("Ann") == -500


@proves("engine", "NZ-1-tie-wager")
def test_NZ_1_tie_wager() -> None:
    """Tie wagers are made before the cards and none is offered at war."""
    game = tied(primary=1000)
    assert game.refuses(Bet("Ann", 1, "tie", 60)) == "bets_closed"
    assert game.refuses(Choose("Ann", 1, "war", 60)) == "not_offered"
    assert one("5s Kc", "5d 4h").net("Ann", "tie") == 600


@proves("engine", "NZ-4.1", "NZ-4.2")
def test_NZ_4_2() -> None:
    """2 is lowest, then up to 10, Jack, Queen, King and Ace, all suits alike."""
    low_to_high = "23456789TJQKA"
    for mine in DECK:
        for theirs in ("2h", "6c", "Jd", "As"):
            game = Game(NZ).bet("Ann", 1, primary=100).close().deal(f"{mine} {theirs}")
            above = low_to_high.index(mine[0]) - low_to_high.index(theirs[0])
            assert game.net("Ann") == (100 if above > 0 else -100 if above < 0 else 0)


@proves("engine", "NZ-5.1a")
def test_NZ_5_1a() -> None:
    """A Casino War Wager may stand alone."""
    game = play(NZ, entry("Ann", 1, "Ks", primary=1000), "9d")
    assert game.net("Ann") == 1000


@proves("engine", "NZ-5.1b")
def test_NZ_5_1b() -> None:
    """A Tie Wager may stand alone: it gets a card, and a tie pays it without any choice."""
    game = Game(NZ).bet("Ann", 1, tie=500).close()
    assert game.due == (DueCard("original", 1),)
    game.deal("9s 9d")
    assert game.state.closed
    assert game.net("Ann") == 5000
    assert play(NZ, entry("Ann", 1, "Ks", tie=500), "9d").net("Ann") == -500


@proves("engine", "NZ-5.1c")
def test_NZ_5_1c() -> None:
    """Both wagers may stand together in sizes of their own, each settled for itself."""
    game = play(NZ, entry("Ann", 1, "5s 3c", primary=100, tie=700), "5d 4h")
    assert game.net("Ann", "tie") == 7000
    assert game.main("Ann") == -200


@proves("engine", "NZ-5.3a", "NZ-5.13-beat", "NZ-5.13-0")
def test_NZ_5_3a() -> None:
    """A higher first card wins the Casino War Wager 1 to 1; the tie wager is paid 10 to 1."""
    assert one("Ks", "Td").net("Ann", "primary") == 1000
    assert one("5s Kc", "5d 4h").net("Ann", "tie") == 600


@proves("engine", "NZ-5.3a-bis")
def test_NZ_5_3a_bis() -> None:
    """A lower first card loses the Casino War Wager."""
    game = one("9s", "Td")
    assert game.net("Ann", "primary") == -1000
    assert game.banker == 1060


@proves("engine", "NZ-5.3b", "NZ-5.4a", "NZ-5.13-war-win")
def test_NZ_5_3b() -> None:
    """A won war pays 1 to 2 on the two wagers together: 2000 at stake win 1000."""
    game = one("5s Kc", "5d 4h")
    assert game.main("Ann") == 1000
    assert sum(e.returned for e in game.of(Settled) if e.wager in ("primary", "war")) == 3000


@proves("engine", "NZ-5.3c", "NZ-5.4c")
def test_NZ_5_3c() -> None:
    """A lost war loses the Casino War Wager and the Go to War Wager."""
    game = one("5s 3c", "5d 4h")
    assert game.net("Ann", "primary") == -1000
    assert game.net("Ann", "war") == -1000


@proves("engine", "NZ-5.4b", "NZ-5.13-war-tie")
def test_NZ_5_4b() -> None:
    """A tied war pays 1 to 1 on the two wagers together, and no further card is dealt."""
    game = one("5s 4c", "5d 4h")
    assert game.main("Ann") == 2000
    assert sum(e.returned for e in game.of(Settled) if e.wager in ("primary", "war")) == 4000
    assert game.state.closed


@proves("engine", "NZ-5.5", "NZ-5.13-tie")
def test_NZ_5_5() -> None:
    """The Tie Wager pays 10 to 1 on equal first cards, whatever the war brings, and loses else."""
    for second in ("Kc", "4c", "3c"):
        assert one(f"5s {second}", "5d 4h").net("Ann", "tie") == 600
    assert one("5s", "6d").net("Ann", "tie") == -60
    assert one("7s", "6d").net("Ann", "tie") == -60


@proves("engine", "NZ-5.7")
def test_NZ_5_7() -> None:
    """A player may wager on more than one box, each playing its own card."""
    game = play(NZ, [entry("Ann", 1, "Ks", primary=100), entry("Ann", 4, "2s", primary=30)], "9d")
    assert game.net("Ann", box=1) == 100
    assert game.net("Ann", box=4) == -30


@proves("engine", "NZ-5.7b")
def test_NZ_5_7b() -> None:
    """Each box that a player plays needs the minimum for itself."""
    game = Game(limited(book(NZ), primary={"min": 500}, tie={"min": 100}))
    game.bet("Ann", 1, primary=5000)
    assert game.refuses(Bet("Ann", 2, "primary", 499)) == "limit"
    assert game.refuses(Bet("Ann", 2, "tie", 99)) == "limit"
    game.bet("Ann", 2, primary=500).bet("Ann", 3, tie=100)


@proves("engine", "NZ-5.9-1")
def test_NZ_5_9_1() -> None:
    """Three players share a box and its card, each choosing alone; a fourth is refused."""
    game = Game(NZ)
    for name in ("Ann", "Bob", "Cat"):
        game.bet(name, 1, primary=1000)
    assert game.refuses(Bet("Dan", 1, "primary", 1000)) == "box_full"
    game.close().deal("5s 5d").choose("Bob", 1, "surrender").choose("Ann", 1, "war")
    game.choose("Cat", 1, "war").deal("Kc 4h")
    assert [game.net(name) for name in ("Ann", "Bob", "Cat")] == [1000, -500, 1000]
    assert [event.box for event in game.of(Dealt)] == [1, 0, 1, 0]


@proves("engine", "NZ-5.10-1")
def test_NZ_5_10_1() -> None:
    """A box maximum holds for all players' first wagers together, war wagers apart."""
    game = Game(limited(book(NZ), box_max=1500)).bet("Ann", 1, primary=1000)
    assert game.refuses(Bet("Bob", 1, "primary", 501)) == "limit"
    game.bet("Bob", 1, primary=450).bet("Ann", 1, tie=50)
    assert game.refuses(Bet("Bob", 1, "primary", 1)) == "limit"
    game.bet("Bob", 2, primary=1500).close().deal("5s 4s 5d")
    game.choose("Ann", 1, "war").choose("Bob", 1, "war")
    assert [e.amount for e in game.of(Placed) if e.wager == "war"] == [1000, 450]


@proves("engine", "NZ-5.10-2")
def test_NZ_5_10_2() -> None:
    """A player maximum holds for one player's first wagers on one box."""
    game = Game(limited(book(NZ), player_box_max=1000)).bet("Ann", 1, primary=900)
    assert game.refuses(Bet("Ann", 1, "primary", 101)) == "limit"
    assert game.refuses(Bet("Ann", 1, "tie", 101)) == "limit"
    game.bet("Ann", 1, tie=100).bet("Bob", 1, primary=1000).bet("Ann", 2, primary=1000)


@proves("engine", "NZ-5.11b")
def test_NZ_5_11b() -> None:
    """The one tie spot of a box is first for who has a Casino War Wager there."""
    game = Game(NZ).bet("Ann", 1, primary=1000)
    assert game.refuses(Bet("Bob", 1, "tie", 60)) == "tie_entitlement"
    game.do(Decline("Ann", 1))
    assert game.refuses(Bet("Ann", 1, "tie", 60)) == "tie_declined"
    game.bet("Bob", 1, tie=60)
    first = Game(NZ).bet("Ann", 1, primary=1000, tie=60)
    assert first.refuses(Bet("Bob", 1, "tie", 60)) == "tie_spot_taken"


@pytest.mark.finding(2)
@proves("engine", "NZ-5.11b")
def test_who_bets_on_the_tie_alone_gives_way() -> None:
    """A tie-only wager goes back when one with a Casino War Wager there claims the spot."""
    game = Game(NZ).bet("Bob", 1, tie=60).bet("Ann", 1, primary=1000)
    assert game.refuses(Bet("Bob", 1, "tie", 10)) == "tie_entitlement"
    assert game.do(Bet("Ann", 1, "tie", 50)) == (
        Withdrawn("Bob", 1, "tie", 60, gives_way_to="Ann"),
        Placed("Ann", 1, "tie", 50),
    )
    assert game.state.hand("Bob", 1) is None
    assert game.refuses(Bet("Bob", 1, "tie", 60)) == "tie_spot_taken"
    game.bet("Bob", 1, primary=500)
    assert game.refuses(Bet("Bob", 1, "tie", 60)) == "tie_spot_taken"
    game.bet("Ann", 1, tie=10)
    assert [(hand.player, len(hand.wagers)) for hand in game.state.hands] == [
        ("Ann", 2),
        ("Bob", 1),
    ]


@pytest.mark.finding(2)
@proves("engine", "NZ-5.11b")
def test_who_takes_the_primary_wager_back_loses_the_claim() -> None:
    """Of two with a Casino War Wager the first has the spot, until that wager is taken back."""
    game = Game(NZ).bet("Ann", 1, primary=1000, tie=60).bet("Bob", 1, primary=1000)
    assert game.refuses(Bet("Bob", 1, "tie", 60)) == "tie_spot_taken"
    game.do(Withdraw("Ann", 1, "primary"))
    assert game.refuses(Bet("Cat", 1, "tie", 60)) == "tie_spot_taken"
    game.bet("Bob", 1, tie=70)
    assert [event.gives_way_to for event in game.of(Withdrawn)] == [None, "Bob"]
    assert game.state.hand("Ann", 1) is None
    game.do(Withdraw("Bob", 1, "primary"))
    game.bet("Ann", 1, primary=1000).do(Bet("Ann", 1, "tie", 60))
    assert game.state.hand("Bob", 1) is None


@pytest.mark.finding(2)
def test_nobody_gives_way_to_one_who_declined_or_after_no_more_bets() -> None:
    """A decline gives the claim up for this wager, and closed bets stay where they are."""
    game = Game(NZ).bet("Ann", 1, primary=1000)
    game.do(Decline("Ann", 1))
    game.bet("Bob", 1, tie=60)
    assert game.refuses(Bet("Ann", 1, "tie", 60)) == "tie_spot_taken"
    late = Game(NZ).bet("Bob", 1, tie=60).bet("Ann", 1, primary=1000).close()
    assert late.refuses(Bet("Ann", 1, "tie", 60)) == "bets_closed"
    late.deal("9s 9d").choose("Ann", 1, "surrender")
    assert (late.net("Bob"), late.net("Ann")) == (600, -500)


@pytest.mark.finding(2)
def test_a_wager_that_gives_way_leaves_its_room_below_the_box_maximum() -> None:
    """The spot's new holder may bet what the box then takes, and exactly that is offered."""
    game = Game(limited(book(NZ), box_max=1100)).bet("Bob", 1, tie=100).bet("Ann", 1, primary=1000)
    offered = [m for m in legal(game.rules, game.state, "Ann") if isinstance(m, MayBet)]
    assert [m.amounts.max for m in offered if (m.box, m.wager) == (1, "tie")] == [100]
    assert game.refuses(Bet("Ann", 1, "tie", 101)) == "limit"
    game.bet("Ann", 1, tie=100)
    assert game.state.hand("Bob", 1) is None


@pytest.mark.finding(2)
@pytest.mark.parametrize("bets", ["bob ann claim", "ann bob claim", "ann claim bob"])
@pytest.mark.parametrize("listed", [("Ann", "Bob"), ("Bob", "Ann")])
def test_the_table_and_settle_decide_alike_who_has_the_tie_spot(
    bets: str, listed: tuple[str, str]
) -> None:
    """In whatever order bets come or hands are listed, one with the primary has the tie wager."""
    game = Game(NZ)
    made = {"ann": Bet("Ann", 1, "primary", 1000), "bob": Bet("Bob", 1, "tie", 50)}
    for each in bets.split():
        with suppress(Illegal):
            game.do(made.get(each, Bet("Ann", 1, "tie", 60)))
    game.close().deal("9s 9d").choose("Ann", 1, "surrender")
    stakes = {"Ann": {"primary": 1000, "tie": 60}, "Bob": {"tie": 50}}
    hands = [
        {"box": 1, "player": name, "cards": ["9s"], "wagers": stakes[name], "choice": "surrender"}
        for name in listed
    ]
    settled = settle(read_round({"rules": NZ, "dealer": ["9d"], "hands": hands}))
    assert (game.net("Ann"), game.net("Bob")) == (-500 + 600, 0)
    for place, name in enumerate(listed):
        assert settled.nets(place)["net"] == game.net(name)
    assert set(settled.refusals) == {listed.index("Bob")}


@proves("engine", "NZ-5.14a")
def test_NZ_5_14a() -> None:
    """After no more bets only the Go to War Wager is made."""
    game = tied(primary=1000)
    assert game.refuses(Bet("Ann", 1, "primary", 1000)) == "bets_closed"
    assert game.refuses(Bet("Bob", 2, "primary", 1000)) == "bets_closed"
    game.choose("Ann", 1, "war")
    late = game.events[game.events.index(BetsClosed()) :]
    assert [event for event in late if isinstance(event, Placed)] == [Placed("Ann", 1, "war", 1000)]


@proves("engine", "NZ-5.14b")
def test_NZ_5_14b() -> None:
    """After no more bets no wager is taken back or changed until it is decided."""
    game = Game(NZ).bet("Ann", 1, primary=1000, tie=60).close()
    for cards in ("", "5s", "5d"):
        game.deal(cards)
        assert game.refuses(Withdraw("Ann", 1, "primary")) == "bets_closed"
        assert game.refuses(Withdraw("Ann", 1, "tie")) == "bets_closed"
        assert game.refuses(Bet("Ann", 1, "primary", 1)) == "bets_closed"
        assert game.refuses(Decline("Ann", 1)) == "bets_closed"
