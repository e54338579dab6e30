"""People at the table: seats, places to bet, limits, money brought, leaving and coming back."""

from typing import Any

import pytest
from msgspec.structs import replace

from clauses import proves
from tables import BUY_IN, DEALER, FLOOR, Play, limited, problems, rules_of
from wartable import game, table
from wartable.game import Illegal
from wartable.game.moves import MayBet, MayChoose
from wartable.rules.load import build, shipped_raw
from wartable.rules.model import Limits
from wartable.rules.settings import configured
from wartable.table import commands as c
from wartable.table.people import GUESTS_MAX, STACK_MAX


@proves("engine", "MD-7-B-1")
def test_MD_7_B_1() -> None:
    """Only who sits at the table may wager; nobody stands behind."""
    play = Play("maryland").join("ann")
    assert play.refuses(c.Join("bob", BUY_IN)) == "not_seated"
    play.start()
    assert play.refuses(game.Bet("bob", 2, "primary", 100)) == "not_here"


@proves("engine", "MD-7-E")
def test_MD_7_E() -> None:
    """A player bets on the own seat and boxes next to it, as many as the book says, not others'."""
    play = Play("maryland").join("ann")
    play.do(c.Join("bob", BUY_IN, 5))
    play.start()
    assert play.refuses(game.Bet("ann", 3, "primary", 100)) == "not_adjacent"
    assert play.refuses(game.Bet("bob", 1, "primary", 100)) == "seat_taken"
    play.bet("ann", 2, primary=100).bet("ann", 3, primary=100)
    assert play.refuses(game.Bet("bob", 3, "primary", 100)) == "not_adjacent"
    play.bet("ann", 1, primary=100)
    assert play.refuses(game.Bet("ann", 4, "primary", 100)) == "too_many_boxes"
    assert play.refuses(game.Bet("bob", 2, "primary", 100)) in ("box_full", "not_adjacent")
    play.bet("bob", 4, primary=100)


@proves("engine", "NZ-5.8")
def test_NZ_5_8() -> None:
    """The operator says how many boxes one player may play."""
    assert problems("new-zealand", table__boxes_per_player=2) == []
    assert problems("new-zealand", table__boxes_per_player=8)
    rules = rules_of("new-zealand")
    for most in (1, 2, 7):
        play = Play(replace(rules, table=replace(rules.table, boxes_per_player=most)))
        play.join("ann").start()
        for box in range(1, most + 1):
            play.bet("ann", box, primary=100)
        if most < 7:
            assert play.refuses(game.Bet("ann", 7, "primary", 100)) == "too_many_boxes"


@proves("engine", "NZ-5.9-1")
def test_NZ_5_9_1() -> None:
    """Up to three players wager on one box, seated there or not; a fourth is refused."""
    play = Play("new-zealand").join("ann")
    for name in ("bob", "cat", "eve"):
        play.do(c.Join(name, BUY_IN))
    play.start()
    for name in ("bob", "cat", "ann"):
        play.bet(name, 1, primary=100)
    assert play.refuses(game.Bet("eve", 1, "primary", 100)) == "box_full"
    play.bet("eve", 2, primary=100)
    assert play.state.round is not None
    assert [hand.player for hand in play.state.round.hands] == ["ann", "bob", "cat", "eve"]


@proves("engine", "WA-limits")
def test_WA_limits() -> None:
    """No limit is above the law's ceiling, no wager exceeds it, and a war wager counts alone."""
    assert problems("washington", limits={"ceiling": 30_000, "primary": {"max": 30_000}}) == []
    for wager in ("primary", "tie", "war_tie"):
        (told,) = problems("washington", limits={"ceiling": 30_000, wager: {"max": 30_001}})
        assert told == f"limits.{wager}: the legal ceiling is 30000 for one wager."
        assert problems("washington", limits={"ceiling": 300, wager: {"min": 301}})
    play = Play(limited(rules_of("washington"), ceiling=30_000)).join("ann").start()
    assert play.refuses(game.Bet("ann", 1, "primary", 30_001)) == "limit"
    play.bet("ann", 1, primary=20_000)
    assert play.refuses(game.Bet("ann", 1, "primary", 10_001)) == "limit"
    play.bet("ann", 1, primary=10_000, tie=30_000).close().rig("9s 9d").proceed()
    play.do(game.Choose("ann", 1, "war"))
    assert play.account.felt[("ann", 1, "war")] == 30_000


def test_the_ceiling_holds_for_a_free_tie_wager_at_war() -> None:
    """A tie wager on the war deal is a single wager too."""
    play = Play(limited(rules_of("maryland"), ceiling=500)).join("ann").start()
    play.bet("ann", 1, primary=500).close().rig("9s 9d").proceed()
    assert play.refuses(game.Choose("ann", 1, "war", 501)) == "limit"
    play.do(game.Choose("ann", 1, "war", 500))


def test_seats() -> None:
    """A seat has one person, a person one place, and nobody plays as the platform."""
    play = Play("washington").join("ann")
    assert play.refuses(c.Join("ann", 1, 2)) == "here_already"
    assert play.refuses(c.Join("bob", 1, 1)) == "seat_taken"
    assert play.refuses(c.Join("bob", 1, 8)) == "no_such_seat"
    assert play.refuses(c.Join("platform", 1, 2)) == "reserved_name"
    play = Play("new-zealand")
    for number in range(GUESTS_MAX):
        play.do(c.Join(f"p{number}", 0))
    assert play.refuses(c.Join("one more", 0)) == "table_full"
    assert GUESTS_MAX == 200


def test_money_at_the_table() -> None:
    """Money comes at any time, within a bound, and goes only when none of it is at stake."""
    play = Play("washington").join("ann", amount=1000).start()
    assert play.refuses(game.Bet("ann", 1, "primary", 1001)) == "insufficient"
    play.bet("ann", 1, primary=1000)
    assert play.refuses(game.Bet("ann", 1, "tie", 1)) == "insufficient"
    assert table.legal(play.setup, play.state, "ann")
    play.do(c.BuyIn("ann", 50))
    play.bet("ann", 1, tie=50)
    assert play.refuses(c.CashOut("ann", 1)) == "in_round"
    assert play.refuses(c.BuyIn("ann", STACK_MAX + 1)) == "too_much"
    assert play.refuses(c.Join("bob", STACK_MAX + 1, 2)) == "too_much"
    play.close().rig("As 2c").finish()
    assert play.refuses(c.CashOut("ann", 2001)) == "insufficient"
    play.do(c.CashOut("ann", 2000), game.Leave("ann"))
    assert play.account.wallets["ann"] == 2000 - 1050
    assert play.refuses(c.BuyIn("ann", 1)) == "not_here"


def test_a_war_needs_the_money_for_it() -> None:
    """A tied player without it may only surrender, or bring more."""
    play = Play("maryland").join("ann", amount=1500).start().bet("ann", 1, primary=1000).close()
    play.rig("9s 9d").proceed()
    moves = table.legal(play.setup, play.state, "ann")
    assert [getattr(move, "choice", "leave") for move in moves] == ["surrender", "leave"]
    assert play.refuses(game.Choose("ann", 1, "war")) == "insufficient"
    play.do(c.BuyIn("ann", 500))
    assert play.refuses(game.Choose("ann", 1, "war", 1)) == "insufficient"
    play.do(game.Choose("ann", 1, "war"))
    assert play.stack("ann") == 0


def test_leaving_while_betting_takes_the_wagers_back() -> None:
    """Before no more bets a player goes with everything and may come back and bet again."""
    play = Play("maryland").join("ann", "bob").start().bet("ann", 1, primary=100, tie=10)
    play.do(game.Leave("ann"))
    assert play.account.wallets["ann"] == 0
    play.do(c.Join("ann", BUY_IN, 1))
    play.bet("ann", 1, primary=200).close().rig("As 2c").finish()
    assert play.stack("ann") == BUY_IN + 200


def test_leaving_without_a_wager_is_at_once() -> None:
    """Who has nothing in the round goes in the middle of it."""
    play = Play("maryland").join("ann", "bob").start().bet("ann", 1, primary=100).close()
    play.do(game.Leave("bob"))
    assert list(play.state.guests) == ["ann"]
    play.do(c.Join("cat", BUY_IN, 2))
    assert play.refuses(game.Bet("cat", 2, "primary", 100)) == "bets_closed"
    play.finish()


def test_legal_names_only_places_and_amounts_that_are_accepted() -> None:
    """What a player may bet is what the place and the stack allow."""
    play = Play("maryland").join("ann", "bob", amount=700).start()
    bets = [move for move in table.legal(play.setup, play.state, "ann") if isinstance(move, MayBet)]
    assert [(move.box, move.wager, move.amounts.max) for move in bets] == [(1, "primary", 700)]
    assert table.legal(play.setup, play.state, "nobody") == ()
    play.bet("ann", 1, primary=300)
    sides = [m for m in table.legal(play.setup, play.state, "ann") if isinstance(m, MayBet)]
    assert {m.wager: m.amounts.only for m in sides if m.amounts.only} == {
        "progressive": (100,),
        "bonus_spin": (100,),
    }


@pytest.mark.parametrize("boxes", ["3", "5", "7"])
def test_community_cards(boxes: str) -> None:
    """In the electronic version anybody seated bets on any community card, many on one."""
    play = Play("maryland", electronic=boxes).join("ann", "bob").start()
    top = int(boxes)
    play.bet("ann", top, primary=100).bet("bob", top, primary=100).bet("ann", 1, primary=100)
    assert play.refuses(game.Bet("bob", top + 1, "primary", 100)) == "no_such_box"
    play.close().finish()
    assert len(play.of(game.Dealt)) >= top + 1
    assert play.refuses(c.MissBox(DEALER, 1)) == "no_round"


@pytest.mark.finding(12)
@proves("engine", "MD-7-E", "MD-9-L-2")
def test_MD_9_L_the_number_of_boxes_holds_for_community_cards() -> None:
    """All community cards by default, fewer where the operator or the floor says so."""
    play = Play("maryland", electronic="5").join("ann").start()
    for box in range(1, 6):
        play.bet("ann", box, primary=100)
    play.close().finish()
    play.do(c.Restrict(FLOOR, "boxes_per_player", 2))
    play.start().bet("ann", 1, primary=100).bet("ann", 4, primary=100)
    assert play.refuses(game.Bet("ann", 5, "primary", 100)) == "too_many_boxes"
    assert play.refuses(c.Restrict(FLOOR, "boxes_per_player", 6)) == "restriction"
    play.bet("ann", 4, primary=100)
    book, seven = shipped_raw("maryland"), {"electronic": "7"}
    content, _ = configured(book, seven, {"table.boxes_per_player": 1}, Limits())
    play = Play(build(content).rules).join("ann").start().bet("ann", 7, primary=100)
    assert play.refuses(game.Bet("ann", 6, "primary", 100)) == "too_many_boxes"
    content, _ = configured(book, seven, {}, Limits())
    assert build(content).rules.table.boxes_per_player == 7


@pytest.mark.finding(12)
def test_a_community_cards_box_needs_no_neighbour() -> None:
    """A community card is everybody's, so a player's boxes may be apart."""
    play = Play("maryland", electronic="5").join("ann").start()
    for box in (1, 2, 5):
        play.bet("ann", box, primary=100)
    play.do(game.Withdraw("ann", 2, "primary"))
    assert play.state.round is not None
    assert [hand.box for hand in play.state.round.hands] == [1, 5]


@pytest.mark.finding(12)
@proves("engine", "MD-7-E")
def test_MD_7_E_the_floor_lowers_the_number_of_boxes_and_never_raises_it() -> None:
    """A restriction stays within the table's own number; lifted, that number holds again."""
    play = Play("maryland").join("ann").start()
    assert play.refuses(c.Restrict(FLOOR, "boxes_per_player", 4)) == "restriction"
    play.do(c.Restrict(FLOOR, "boxes_per_player", 2))
    play.bet("ann", 1, primary=100).bet("ann", 2, primary=100)
    assert play.refuses(game.Bet("ann", 3, "primary", 100)) == "too_many_boxes"
    play.do(c.Restrict(FLOOR, "boxes_per_player", 0))
    play.bet("ann", 3, primary=100)
    assert play.refuses(game.Bet("ann", 4, "primary", 100)) == "too_many_boxes"


@pytest.mark.finding(13)
@proves("engine", "NZ-5.9-1")
def test_NZ_5_9_the_last_place_is_kept_for_the_player_seated_there() -> None:
    """Others fill a box but for its seated player's place, until that player has it or is gone."""
    play = Play("new-zealand").join("ann")
    play.do(*(c.Join(name, BUY_IN) for name in ("bob", "cat", "dot", "eve")))
    play.start().bet("bob", 1, primary=100).bet("cat", 1, primary=100)
    for kind in ("primary", "tie"):
        assert play.refuses(game.Bet("dot", 1, kind, 100)) == "place_kept"
    dots = [m.box for m in table.legal(play.setup, play.state, "dot") if isinstance(m, MayBet)]
    assert 1 not in dots
    play.bet("dot", 2, primary=100).bet("eve", 2, primary=100).bet("bob", 2, primary=100)
    play.bet("ann", 1, primary=100)
    assert play.refuses(game.Bet("dot", 1, "primary", 100)) == "box_full"
    play.do(game.Withdraw("ann", 1, "primary"))
    assert play.refuses(game.Bet("dot", 1, "primary", 100)) == "place_kept"
    play.do(game.Leave("ann"))
    play.bet("dot", 1, primary=100)
    assert play.refuses(game.Bet("eve", 1, "primary", 100)) == "box_full"


@pytest.mark.finding(13)
def test_NZ_5_9_a_place_is_kept_for_somebody_who_sat_down_in_betting() -> None:
    """The place is kept from the moment the player sits down, within the floor's number too."""
    play = Play("new-zealand").join("ann")
    play.do(*(c.Join(name, BUY_IN) for name in ("bob", "cat", "dot")))
    play.start().bet("bob", 3, primary=100).bet("cat", 3, primary=100)
    play.do(c.Join("eve", BUY_IN, 3))
    assert play.refuses(game.Bet("dot", 3, "primary", 100)) == "place_kept"
    play.bet("eve", 3, primary=100)
    play.do(c.Restrict(FLOOR, "players_per_box", 2))
    play.bet("bob", 1, primary=100)
    assert play.refuses(game.Bet("cat", 1, "primary", 100)) == "place_kept"
    play.bet("ann", 1, primary=100)


@pytest.mark.finding(13)
@pytest.mark.parametrize("returned", [False, True])
def test_NZ_5_11a_who_sat_down_in_betting_is_nearest_the_dealer(returned: bool) -> None:
    """The seated player's wager lies first on the box, also after another had that seat."""
    play = Play("new-zealand", box_choice="seated_player").join("ann")
    play.do(c.Join("bob", BUY_IN), c.Join("cat", BUY_IN))
    play.start().bet("bob", 2, primary=100)
    if returned:
        play.do(c.Join("dot", BUY_IN, 2), game.Leave("dot"))
    play.do(c.Join("eve", BUY_IN, 2))
    play.bet("cat", 2, primary=100).bet("eve", 2, primary=100)
    assert play.state.round is not None
    assert [hand.player for hand in play.state.round.hands] == ["eve", "bob", "cat"]
    assert play.state.round.seats == {1: "ann", 2: "eve"}
    play.close().rig("9s 9d").proceed()
    assert [due.player for due in play.due] == ["eve"]


@pytest.mark.finding(13)
def test_seats_are_settled_at_no_more_bets() -> None:
    """Who sits down after "no more bets" is not the box's player in that round."""
    play = Play("new-zealand").join("ann")
    play.do(c.Join("bob", BUY_IN))
    play.start().bet("bob", 2, primary=100).close()
    play.do(c.Join("eve", BUY_IN, 2))
    assert play.state.round is not None
    assert play.state.round.seats == {1: "ann"}
    play = Play("maryland", electronic="3").join("ann").start()
    play.do(c.Join("bob", BUY_IN, 2))
    assert play.state.round is not None
    assert play.state.round.seats == {}


def test_restrictions_hold_for_wagers_from_now_on() -> None:
    """The floor's limits bind new wagers, leave those that lie, and are lifted with 0."""
    play = Play("new-zealand").join("ann").join("bob")
    play.start().bet("ann", 1, primary=900).bet("ann", 2, primary=100)
    play.do(c.Restrict(FLOOR, "boxes_per_player", 1))
    assert play.refuses(game.Bet("ann", 3, "primary", 100)) == "too_many_boxes"
    play.bet("ann", 1, primary=100)
    play.do(c.Restrict(FLOOR, "boxes_per_player", 0))
    play.bet("ann", 3, primary=100)
    play.do(c.Restrict(FLOOR, "box_max", 1_050))
    assert play.refuses(game.Bet("bob", 1, "primary", 51)) == "limit"
    play.bet("bob", 1, primary=50)
    play.do(c.Restrict(FLOOR, "players_per_box", 1))
    assert play.refuses(game.Bet("bob", 3, "primary", 50)) == "box_full"
    play.do(c.Restrict(FLOOR, "player_box_max", 70, "bob"))
    assert play.refuses(game.Bet("bob", 4, "primary", 71)) == "limit"
    play.bet("ann", 5, primary=71)


@pytest.mark.parametrize(
    ("limit", "value", "whom"),
    [
        ("boxes_per_player", 8, ""),
        ("players_per_box", 4, ""),
        ("players_per_box", 1, "ann"),
        ("player_box_max", 10, "nobody"),
    ],
)
def test_restrictions_stay_within_the_book(limit: c.Restriction, value: int, whom: str) -> None:
    """No limit goes beyond the book, and only a guest's maximum is for one player."""
    play = Play("new-zealand").join("ann")
    assert play.refuses(c.Restrict(FLOOR, limit, value, whom)) in ("restriction", "not_here")


def test_a_restriction_that_is_refused_says_what_is_accepted() -> None:
    """Counts are told as numbers and amounts as money."""
    rules = limited(rules_of("new-zealand"), primary={"min": 500}, box_max=10_000)
    play = Play(rules).join("ann")
    for limit, value, told in (
        ("players_per_box", 4, "must be at least 1 and at most 3, or 0"),
        ("box_max", 499, "must be at least $5 and at most $100, or 0"),
        ("player_box_max", 499, "must be at least $5, or 0"),
        ("primary_max", 499, "must be at least $5, or 0"),
    ):
        with pytest.raises(game.Illegal) as refused:
            play.do(c.Restrict(FLOOR, limit, value))  # type: ignore[arg-type]  # one of the limits
        assert told in refused.value.sentence


@pytest.mark.finding(19)
@pytest.mark.parametrize("kind", ["primary", "tie"])
def test_the_least_minimum_is_a_cent(kind: str) -> None:
    """A floorperson may lower a minimum to one cent, and raise it up to the maximum."""
    limits: dict[str, Any] = {kind: {"min": 500, "max": 1_000}}
    play = Play(limited(rules_of("washington"), ceiling=30_000, **limits)).join("ann")
    play.do(c.Restrict(FLOOR, f"{kind}_min", 1))  # type: ignore[arg-type]  # one of the limits
    refused = play.refusal(c.Restrict(FLOOR, f"{kind}_min", 1_001))  # type: ignore[arg-type]  # another of the limits
    assert refused is not None
    assert f"{kind}_min must be at least $0.01 and at most $10, or 0" in refused.sentence


@pytest.mark.finding(19)
def test_a_stack_may_be_as_large_as_its_limit() -> None:
    """The largest stack is taken, and one cent more is not, at once or later."""
    play = Play("washington")
    refused = play.refusal(c.Join("ann", STACK_MAX + 1, 1))
    assert refused is not None
    assert refused.sentence == "A player can have at most $10,000,000,000 on the table."
    play.do(c.Join("ann", STACK_MAX, 1), c.Join("bob", STACK_MAX - 1, 2))
    assert play.refuses(c.BuyIn("ann", 1)) == "too_much"
    play.do(c.BuyIn("bob", 1))
    assert play.refuses(c.BuyIn("bob", 1)) == "too_much"


@pytest.mark.finding(19)
def test_limits_of_a_running_table() -> None:
    """New limits hold for wagers from then on, up to the ceiling; wagers that lie there stay."""
    rules = limited(rules_of("washington"), ceiling=30_000, primary={"min": 500, "max": 10_000})
    play = Play(rules).join("ann", "bob").start()
    play.bet("ann", 1, primary=500)
    play.do(c.Restrict(FLOOR, "primary_max", 30_000), c.Restrict(FLOOR, "primary_min", 15_000))
    assert play.refuses(game.Bet("bob", 2, "primary", 14_999)) == "limit"
    play.bet("bob", 2, primary=20_000)
    assert play.state.round is not None
    assert [hand.wagers[0].staked for hand in play.state.round.hands] == [500, 20_000]
    assert play.refuses(c.Restrict(FLOOR, "primary_max", 30_001)) == "restriction"
    assert play.refuses(c.Restrict(FLOOR, "primary_max", 14_999)) == "restriction"
    refused = play.refusal(c.Restrict(FLOOR, "primary_max", 0))
    assert refused is not None
    assert refused.code == "restriction"
    assert refused.sentence == "The primary minimum of $150 must be lifted first."
    play.do(c.Restrict(FLOOR, "primary_min", 0), c.Restrict(FLOOR, "primary_max", 0))
    assert play.state.restrictions == {}
    play.do(c.Restrict(FLOOR, "primary_min", 400), c.Restrict(FLOOR, "primary_max", 450))
    refused = play.refusal(c.Restrict(FLOOR, "primary_min", 0))
    assert refused is not None
    assert refused.sentence == "The primary maximum of $4.50 must be lifted first."
    play.do(c.Restrict(FLOOR, "primary_max", 500), c.Restrict(FLOOR, "primary_min", 0))
    play.do(c.Restrict(FLOOR, "tie_min", 50), c.Restrict(FLOOR, "tie_max", 60))
    assert play.refuses(c.Restrict(FLOOR, "tie_min", 61)) == "restriction"


@pytest.mark.finding(19)
def test_the_maximum_of_any_wager_at_a_running_table() -> None:
    """It holds for every wager, is no higher than the ceiling, and leaves the minimums possible."""
    limits: dict[str, Any] = {"primary": {"min": 500, "max": 10_000}, "tie": {"min": 100}}
    play = Play(limited(rules_of("washington"), ceiling=30_000, **limits)).join("ann").start()
    for value in (30_001, 499):
        assert play.refuses(c.Restrict(FLOOR, "wager_max", value)) == "restriction"
    play.do(c.Restrict(FLOOR, "wager_max", 2_000))
    assert play.refuses(game.Bet("ann", 1, "primary", 2_001)) == "limit"
    play.bet("ann", 1, primary=2_000)
    assert play.refuses(game.Bet("ann", 1, "tie", 2_001)) == "limit"
    play.bet("ann", 1, tie=2_000)
    assert play.refuses(c.Restrict(FLOOR, "primary_min", 2_001)) == "restriction"
    assert play.refuses(c.Restrict(FLOOR, "tie_min", 2_001)) == "restriction"
    # A minimum that was lowered for it is not lifted while no wager could then be made.
    play.do(c.Restrict(FLOOR, "primary_min", 300), c.Restrict(FLOOR, "wager_max", 300))
    refused = play.refusal(c.Restrict(FLOOR, "primary_min", 0))
    assert refused is not None
    assert refused.sentence == "The maximum of any wager, $3, must be lifted first."
    assert refused.code == "restriction"
    play.do(c.Restrict(FLOOR, "wager_max", 500), c.Restrict(FLOOR, "primary_min", 0))
    assert play.state.restrictions == {"wager_max": 500}, "one wager is still possible"
    play.do(c.Restrict(FLOOR, "wager_max", 0))
    assert play.state.restrictions == {}


@pytest.mark.finding(5)
@pytest.mark.parametrize("when", ["before the bets", "at the tie"])
def test_the_maximum_of_any_wager_holds_for_the_tie_wager_at_war(when: str) -> None:
    """What is offered at war is what is taken, whenever the floor has set the maximum."""
    limits: dict[str, Any] = {"primary": {"min": 500, "max": 10_000}, "war_tie": {"min": 100}}
    play = Play(limited(rules_of("maryland"), ceiling=30_000, **limits)).join("ann").start()
    restrict = c.Restrict(FLOOR, "wager_max", 2_000)
    if when == "before the bets":
        play.do(restrict)
    play.bet("ann", 1, primary=1_000).close().rig("9s 9d").proceed()
    if when == "at the tie":
        play.do(restrict)
    war = table.legal(play.setup, play.state, "ann")[0]
    assert isinstance(war, MayChoose)
    assert war.war_tie is not None
    assert war.war_tie.max == 2_000
    above = game.Choose("ann", 1, "war", 2_001)
    assert play.refuses(above) == "limit"
    with pytest.raises(Illegal):
        table.price(play.setup, play.state, above)
    play.do(game.Choose("ann", 1, "war", 2_000))


def test_limits_of_tie_wagers_and_of_payouts() -> None:
    """Tie wagers have limits of their own; where payouts are limited, no maximum is raised."""
    rules = limited(rules_of("washington"), ceiling=30_000, tie={"min": 100, "max": 1_000})
    play = Play(rules).join("ann").start()
    play.do(c.Restrict(FLOOR, "tie_max", 2_000), c.Restrict(FLOOR, "tie_min", 1_500))
    assert play.refuses(c.Restrict(FLOOR, "tie_max", 0)) == "restriction"
    play.bet("ann", 1, primary=500)
    assert play.refuses(game.Bet("ann", 1, "tie", 1_499)) == "limit"
    play.bet("ann", 1, tie=2_000)
    limits = {"payout_max": 50_000, "primary": {"min": 500, "max": 10_000}}
    play = Play(limited(rules_of("washington"), ceiling=30_000, **limits)).join("ann")
    assert play.refuses(c.Restrict(FLOOR, "primary_max", 10_001)) == "restriction"
    play.do(c.Restrict(FLOOR, "primary_max", 9_000))


@pytest.mark.parametrize("everybody", [0, 300, 700])
@pytest.mark.parametrize("named", [0, 500])
def test_the_lower_of_two_limits_holds(everybody: int, named: int) -> None:
    """A limit for all and one for a player: each alone holds, of both the lower."""
    play = Play("new-zealand").join("ann", "bob")
    play.do(c.Restrict(FLOOR, "player_box_max", everybody))
    play.do(c.Restrict(FLOOR, "player_box_max", named, "ann"))
    play.start()
    for player, box, limits in (("ann", 1, (everybody, named)), ("bob", 2, (everybody,))):
        most = min((limit for limit in limits if limit), default=1000)
        if most < 1000:
            assert play.refuses(game.Bet(player, box, "primary", most + 100)) == "limit"
        play.bet(player, box, primary=most)


@pytest.mark.finding(19)
@pytest.mark.parametrize(
    ("limit", "most"), [("boxes_per_player", 3), ("players_per_box", 3), ("box_max", 9_000)]
)
def test_a_restriction_may_be_the_books_own_limit(limit: c.Restriction, most: int) -> None:
    """The book's own figure may be set, and nothing above it."""
    rules = rules_of("new-zealand")
    layout = replace(rules.table, boxes_per_player=3, players_per_box=3)
    rules = replace(rules, table=layout, limits=replace(rules.limits, box_max=9_000))
    play = Play(rules).join("ann")
    assert play.refuses(c.Restrict(FLOOR, limit, most + 1)) == "restriction"
    play.do(c.Restrict(FLOOR, limit, most))
    assert play.state.restrictions == {limit: most}


@pytest.mark.finding(19)
def test_who_has_left_does_nothing_more() -> None:
    """Who left a dealt round stays until it is over: no bet, and no leaving again."""
    play = Play("new-zealand").join("ann", "bob").start()
    play.bet("ann", 1, primary=1000).bet("bob", 2, primary=1000).close()
    play.do(game.Leave("ann"))
    assert "ann" in play.state.guests
    assert play.refuses(game.Bet("ann", 1, "primary", 100)) == "left"
    assert play.refuses(game.Leave("ann")) == "left"
    assert play.refuses(game.Choose("zoe", 1, "war")) == "not_here"
    play.finish()
    assert "ann" not in play.state.guests
