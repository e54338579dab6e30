"""The player/dealer: who is offered the bank and how often, and whose money it is."""

import pytest
from msgspec.structs import replace

from clauses import proves
from tables import BUY_IN, Play, limited, refold, rules_of
from wartable import game, ledger, table
from wartable.game.amounts import Amounts
from wartable.table import commands as c
from wartable.table import events as e
from wartable.table import people
from wartable.table.people import MayBank


def bankers(play: Play) -> list[str]:
    """Who banked the rounds that were opened, in order."""
    return [event.banker for event in play.of(game.Opened)]


def banked(play: Play) -> Play:
    """One round with a wager of each player who does not bank, banked by who is offered it."""
    play.start()
    assert play.state.round is not None
    for player, guest in play.state.guests.items():
        if player != play.state.round.banker and guest.seat is not None:
            play.bet(player, guest.seat, primary=100)
    return play.close().finish()


def offered(play: Play, player: str) -> MayBank:
    """The bank as it is offered to the player."""
    (offer,) = table.legal(play.setup, play.state, player)
    assert isinstance(offer, MayBank)
    return offer


@proves("engine", "CA-std-14")
def test_CA_std_14() -> None:
    """A player/dealer banks two rounds running, covers tie wagers too, then the bank moves on."""
    play = Play("california").join("ann", "bob", "cat")
    for _ in range(5):
        banked(play)
    assert bankers(play) == ["ann", "ann", "bob", "bob", "cat"]
    play.start().bet("ann", 1, primary=100, tie=100).close()
    play.rig("9s 9d").proceed()
    assert play.account.bank == 50_000 - 1000
    assert bankers(play)[-1] == "cat"


@proves("engine", "CA-round-10a")
def test_CA_round_10a() -> None:
    """The bank is offered clockwise to the seated, past empty seats, decliners and the backline."""
    play = Play("california").join("ann", "bob", "cat")
    play.do(c.Join("eve", BUY_IN), c.Join("fay", BUY_IN, 7))
    play.ready("bank").do(c.PassBank("ann"))
    assert play.due[0].player == "bob"
    banked(play)
    play.ready("bank").do(c.PassBank("bob"))
    assert play.due[0].player == "cat"
    play.do(c.PassBank("cat"))
    assert play.due[0].player == "fay"
    play.do(c.PassBank("fay"))
    assert play.due[0].player == "ann"
    play.do(c.PassBank("ann"))
    assert play.what == "taker"
    assert "eve" not in [event.player for event in play.of(e.BankOffered)]


def test_the_rotation_goes_on_from_the_seat_of_a_banker_who_left() -> None:
    """Who comes after a banker that left is the next seat clockwise, not the first."""
    play = Play("california").join("ann", "bob", "cat", "eve")
    play.ready("bank").do(c.PassBank("ann"))
    banked(play)
    assert bankers(play) == ["bob"]
    play.do(game.Leave("bob"))
    assert play.ready("bank").due[0].player == "cat"


@proves("engine", "CA-round-10b")
def test_CA_round_10b() -> None:
    """Nobody banks three hands running, by leaving and coming back or after one who left."""
    play = Play("california").join("ann", "bob", "cat")
    banked(play)
    banked(play)
    play.do(game.Leave("ann"), c.Join("ann", BUY_IN, 1))
    assert play.ready("bank").due[0].player == "bob"
    play.do(c.TakeBank("bob", 500), game.Leave("bob"))
    assert play.due[0].player == "cat"
    play.do(c.PassBank("cat"))
    assert play.what == "taker"
    play.do(c.OfferBank())
    assert play.due[0].player == "cat"
    assert play.refuses(c.TakeBank("ann", 500)) == "not_offered"


@proves("engine", "CA-round-10b", "CA-std-14")
@pytest.mark.finding(9)
def test_CA_round_10b_a_void_round_does_not_count() -> None:
    """A void round is no hand of its banker, voided in betting or with cards on the felt."""
    play = Play("california").join("ann", "bob", "cat")
    banked(play)
    play.start().do(game.VoidRound("a spill"))
    assert (play.state.bank.button, play.state.bank.rounds) == ("ann", 1)
    play.start().bet("bob", 2, primary=100).close().proceed(1)
    play.do(game.VoidRound("another spill"))
    banked(play)
    assert play.ready("bank").due[0].player == "bob"
    assert bankers(play) == ["ann"] * 4


@proves("engine", "CA-round-10b")
@pytest.mark.finding(9)
def test_CA_round_10b_a_void_round_does_not_reset() -> None:
    """A round of another banker that is void leaves the two hands of the last one as they were."""
    play = Play("california").join("ann", "bob", "cat")
    banked(play)
    banked(play)
    play.start().bet("cat", 3, primary=100).close().proceed(1)
    assert bankers(play)[-1] == "bob"
    play.do(game.VoidRound("a spill"))
    assert play.ready("bank").due[0].player == "bob"
    play.do(c.PassBank("bob"), c.PassBank("cat"))
    assert play.what == "taker"
    play.do(c.OfferBank(), c.PassBank("bob"))
    banked(play)
    assert bankers(play)[-1] == "cat"
    play.ready("bank").do(c.PassBank("cat"))
    assert play.due[0].player == "ann"


@proves("engine", "CA-round-10b")
@pytest.mark.finding(9)
def test_CA_round_10b_counts_a_person_not_a_seat() -> None:
    """Who changes seats keeps the hands banked; who takes that seat has banked none of them."""
    play = Play("california").join("ann", "bob", "cat")
    banked(play)
    play.do(game.Leave("ann"), c.Join("eve", BUY_IN, 1), c.Join("ann", BUY_IN, 5))
    play.ready("bank").do(c.PassBank("bob"))
    assert play.due[0].player == "ann"
    banked(play)
    play.do(game.Leave("ann"), c.Join("ann", BUY_IN, 6))
    assert play.ready("bank").due[0].player == "eve"
    banked(play)
    banked(play)
    assert bankers(play) == ["ann", "ann", "eve", "eve"]
    assert play.ready("bank").due[0].player == "bob"


@proves("engine", "CA-round-9e")
def test_CA_round_9e() -> None:
    """The posted wager has no maximum but the player's own money."""
    limits = {"primary": {"min": 100, "max": 500}, "box_max": 1000}
    play = Play(limited(rules_of("california"), **limits)).join("ann", "bob").ready("bank")
    assert play.refuses(c.TakeBank("ann", BUY_IN + 1)) == "insufficient"
    assert play.refuses(c.TakeBank("ann", 0)) == "insufficient"
    play.do(c.TakeBank("ann", BUY_IN))
    play.start()
    assert play.account.bank == BUY_IN


@proves("engine", "CA-players-1")
def test_CA_players_1() -> None:
    """No round is dealt to fewer than two seated, the bank included, and none to a ninth."""
    play = Play("california").join("ann")
    play.do(c.Join("eve", BUY_IN))
    assert play.ready("players").refuses(c.StartRound(1)) == "too_few_players"
    play.join("bob").start()
    play.finish()
    play.ready().do(game.Leave("bob"))
    assert play.refuses(c.StartRound(2)) == "too_few_players"
    play = Play("california").join(*(f"p{number}" for number in range(1, 9)))
    assert play.refuses(c.Join("ninth", BUY_IN, 9)) == "no_such_seat"
    assert play.refuses(c.Join("ninth", BUY_IN, 8)) == "seat_taken"


@proves("engine", "CA-players-1")
@pytest.mark.finding(9)
def test_CA_players_1_is_counted_again_at_no_more_bets() -> None:
    """Who is seated at "no more bets" counts: with the banker alone, standing wagers go back."""
    play = Play("california").join("ann", "bob")
    play.do(c.Join("eve", BUY_IN))
    play.start().bet("bob", 2, primary=500).bet("eve", 2, primary=300)
    play.do(game.Leave("bob"))
    assert play.state.in_round
    play.do(game.CloseBets())
    assert play.of(game.BetsClosed) == play.of(game.Dealt) == []
    assert play.of(game.RoundVoided) == [game.RoundVoided("fewer than 2 are seated")]
    assert play.account.stacks == {"ann": BUY_IN, "eve": BUY_IN}
    assert play.state.bank.rounds == 0
    assert play.what == "players"


@proves("engine", "CA-players-1")
@pytest.mark.finding(9)
def test_CA_players_1_a_seat_taken_again_in_time_counts() -> None:
    """Somebody who sits down before "no more bets" makes two, and the round is dealt."""
    play = Play("california").join("ann", "bob")
    play.do(c.Join("eve", BUY_IN))
    play.start().bet("bob", 2, primary=500).bet("eve", 2, primary=300)
    play.do(game.Leave("bob"), c.Join("cat", BUY_IN, 3))
    play.close().finish()
    assert play.of(game.RoundVoided) == []
    assert play.state.bank.rounds == 1


@proves("engine", "CA-betting-1b")
def test_CA_betting_1b() -> None:
    """Every wager stays within the table's minimum and maximum."""
    limits = {"primary": {"min": 500, "max": 2000}, "tie": {"min": 100, "max": 300}}
    play = Play(limited(rules_of("california"), **limits)).join("ann", "bob").start()
    assert play.refuses(game.Bet("bob", 2, "primary", 499)) == "limit"
    assert play.refuses(game.Bet("bob", 2, "primary", 2001)) == "limit"
    play.bet("bob", 2, primary=500)
    assert play.refuses(game.Bet("bob", 2, "primary", 1501)) == "limit"
    assert play.refuses(game.Bet("bob", 2, "tie", 99)) == "limit"
    assert play.refuses(game.Bet("bob", 2, "tie", 301)) == "limit"
    play.bet("bob", 2, primary=1500, tie=300)


@proves("engine", "CA-round-9d", "CA-round-9c")
def test_CA_round_9d() -> None:
    """The house has not a cent more or less after any event, and never banks."""
    play = Play("california").join("ann", "bob", "cat")
    play.do(c.Join("eve", BUY_IN))
    for cards in ("9s 9d 9c", "As 2d 3c", "2s 2d 9c"):
        play.start()
        assert play.state.round is not None
        banker = play.state.round.banker
        assert banker is not None
        for player, guest in play.state.guests.items():
            if player != banker and guest.seat:
                play.bet(player, guest.seat, primary=1001, tie=33)
        behind = next(seat for seat, name in play.state.seats.items() if name != banker)
        play.bet("eve", behind, primary=77).close().rig(cards).finish()
        assert play.account.house == play.accounts[ledger.HOUSE] == 0
        assert sum(play.account.stacks.values()) == 4 * BUY_IN


@proves("engine", "CA-players-2")
def test_CA_players_2() -> None:
    """A standing player bets behind an occupied seat, not the bank's, and the seated only there."""
    play = Play("california").join("ann", "bob", "cat")
    play.do(c.Join("eve", BUY_IN))
    play.start()
    assert play.refuses(game.Bet("eve", 1, "primary", 100)) == "bank_box"
    assert play.refuses(game.Bet("eve", 5, "primary", 100)) == "no_seat_there"
    assert play.refuses(game.Bet("bob", 3, "primary", 100)) == "own_seat"
    assert play.refuses(game.Bet("bob", 5, "primary", 100)) == "own_seat"
    assert play.refuses(game.Bet("ann", 1, "primary", 100)) == "banker_wager"
    play.bet("eve", 2, primary=100).bet("bob", 2, primary=300)
    assert play.state.round is not None
    assert [hand.player for hand in play.state.round.hands] == ["bob", "eve"]


def test_the_banker_cannot_take_the_posted_money_away() -> None:
    """Money that a banker has posted leaves the table neither before nor in the round."""
    play = Play("california").join("ann", "bob").ready("bank")
    play.do(c.TakeBank("ann", 60_000))
    assert play.refuses(c.CashOut("ann", 40_001)) == "insufficient"
    play.do(c.CashOut("ann", 40_000))
    play.start()
    assert play.stack("ann") == 0
    assert play.refuses(c.CashOut("ann", 1)) == "in_round"
    play.bet("bob", 2, primary=100)
    assert play.refuses(game.Leave("ann")) == "banking"
    play.do(game.VoidRound("nobody bets"))
    assert play.stack("ann") == 60_000


def test_a_banker_against_whom_nobody_wagers_may_leave() -> None:
    """The round is void, the banker goes with all the money, and the bank is offered on."""
    play = Play("california").join("ann", "bob", "cat").ready("bank")
    play.do(c.TakeBank("ann", 60_000))
    play.start().bet("bob", 2, primary=100)
    play.do(game.Withdraw("bob", 2, "primary"), game.Leave("ann"))
    assert play.account.wallets["ann"] == 0
    assert play.state.round is not None
    assert (play.state.round.void, play.state.round.closed) == (
        "the player/dealer left before any wager", True,
    )  # fmt: skip  # what was said and what came of it
    assert (play.what, play.due[0].player) == ("bank", "bob")


def test_a_banker_who_leaves_before_the_round_takes_everything_along() -> None:
    """The bank is offered on, and nothing of the posted wager stays behind."""
    play = Play("california").join("ann", "bob", "cat").ready("bank")
    play.do(c.TakeBank("ann", BUY_IN), game.Leave("ann"))
    assert play.account.wallets["ann"] == 0
    assert play.ready("bank").due[0].player == "bob"


def test_nobody_takes_the_bank() -> None:
    """Without a taker no round is dealt, until somebody comes or it is offered again."""
    play = Play("california").join("ann", "bob").ready("bank")
    play.do(c.PassBank("ann"), c.PassBank("bob"))
    assert play.what == "taker"
    assert play.refuses(c.StartRound(1)) == "no_banker"
    play.join("cat")
    assert play.due[0].player == "ann"
    play.do(c.PassBank("ann"), c.PassBank("bob"), c.PassBank("cat"), c.OfferBank())
    assert play.due[0].player == "ann"
    assert play.refuses(c.OfferBank()) == "bank_offered"
    play.do(c.PassBank("ann"), c.PassBank("bob"), c.PassBank("cat"), game.Leave("cat"))
    play.do(game.Leave("bob"))
    assert play.what == "players"
    assert play.refuses(c.OfferBank()) == "no_taker"


@pytest.mark.parametrize(("posted", "covered"), [(1500, [1000, 50, 0]), (5000, [1000, 100, 1000])])
def test_A2_cover(posted: int, covered: list[int]) -> None:
    """The posted wager covers box by box, the primary and then ten times the tie wager."""
    play = Play("california").join("ann", "bob", "cat").ready("bank")
    play.do(c.TakeBank("ann", posted))
    play.start().bet("bob", 2, primary=1000, tie=100).bet("cat", 3, primary=1000).close()
    assert play.state.round is not None
    at_risk = [w.at_risk for hand in play.state.round.hands for w in hand.wagers]
    assert at_risk == covered


def test_a_match_at_war_is_new_money() -> None:
    """A war takes the match from the banker's stack, and the bank loses no more than it put up."""
    play = Play("california").join("ann", "bob").ready("bank")
    play.do(c.TakeBank("ann", 1000))
    play.start().bet("bob", 2, primary=1000).close().rig("9s 9d 2c 3c 4c Ks Kd").proceed()
    play.do(game.Choose("bob", 2, "war"))
    assert play.account.bank_put == 2000
    assert play.stack("ann") == BUY_IN - 2000
    play.finish()
    assert play.stack("ann") == BUY_IN - 2000
    assert play.stack("bob") == BUY_IN + 2000


def test_a_banker_without_money_cannot_be_made_to_owe() -> None:
    """What the banker cannot match is returned, and no stack goes below zero."""
    play = Play("california").join("ann", "bob").ready("bank")
    play.do(c.TakeBank("ann", BUY_IN))
    play.start().bet("bob", 2, primary=1000).close().rig("9s 9d 2c 3c 4c Ks Kd").proceed()
    play.do(game.Choose("bob", 2, "war"))
    assert [event.outcome for event in play.of(game.Returned)] == ["unmatched", "unmatched"]
    assert play.stack("ann") == BUY_IN
    assert play.stack("bob") == BUY_IN


@pytest.mark.finding(1)
@proves("engine", "CA-round-3b-2")
def test_a_banker_who_buys_in_during_the_round_matches_with_it() -> None:
    """Of 4 brought after the deal, 4 of a war of 10 are matched; the price says so before."""
    play = Play("california").join("ann", "bob").ready("bank")
    play.do(c.TakeBank("ann", BUY_IN))
    play.start().bet("bob", 2, primary=1000).close().rig("9s 9d 2c 3c 4c 2h Kd").proceed()
    assert table.prices(play.setup, play.state, "bob")[0].matched == 0
    play.do(c.BuyIn("ann", 300), c.BuyIn("ann", 100))
    war = table.prices(play.setup, play.state, "bob")[0]
    assert (war.matched, war.back, war.won, war.tied, war.lost) == (400, 1200, 400, 800, -800)
    play.do(game.Choose("bob", 2, "war"))
    assert [(event.wager, event.amount) for event in play.of(game.Matched)] == [("war", 400)]
    play.finish()
    assert play.stack("bob") == BUY_IN - 800
    assert play.stack("ann") == BUY_IN + 400 + 800


@pytest.mark.finding(1)
def test_a_buy_in_of_anybody_else_matches_nothing() -> None:
    """What another player brings is not the bank's, and a second match has what the first left."""
    play = Play("california").join("ann", "bob", "cat").ready("bank")
    play.do(c.TakeBank("ann", BUY_IN))
    play.start().bet("bob", 2, primary=1000).bet("cat", 3, primary=1000).close()
    play.rig("9s 9h 9d 2c 3c 4c 2h 2d Kd").proceed()
    play.do(c.BuyIn("cat", 5000), c.BuyIn("ann", 1400))
    play.do(game.Choose("bob", 2, "war"), game.Choose("cat", 3, "war"))
    assert [(event.box, event.amount) for event in play.of(game.Matched)] == [(2, 1000), (3, 400)]


@pytest.mark.finding(1)
@proves("engine", "CA-players-2")
def test_a_player_who_sat_down_after_the_opening_is_covered_first() -> None:
    """Whoever sits at the box at "no more bets" is covered before who bet behind it earlier."""
    play = Play("california").join("ann", "bob").ready("bank")
    play.do(c.Join("eve", BUY_IN), c.TakeBank("ann", 1200))
    play.start().do(c.Join("cat", BUY_IN, 3))
    play.bet("eve", 3, primary=1000).bet("cat", 3, primary=1000)
    play.close()
    assert play.state.round is not None
    at_risk = {hand.player: hand.wagers[0].at_risk for hand in play.state.round.hands}
    assert at_risk == {"cat": 1000, "eve": 200}
    play.rig("9s 9d 2c 3c 4c Ks 2d").proceed()
    assert [due.player for due in play.due] == ["cat", "eve"]


@pytest.mark.finding(1)
def test_the_seat_at_no_more_bets_decides_who_is_covered_first() -> None:
    """Who gave the seat up and stands behind it is covered after the one who took it."""
    play = Play("california").join("ann", "bob", "cat").ready("bank")
    play.do(c.TakeBank("ann", 1500))
    play.start().bet("cat", 3, primary=1000).bet("bob", 2, primary=100)
    play.do(game.Leave("cat"), c.Join("cat", BUY_IN), c.Join("eve", BUY_IN, 3))
    play.bet("cat", 3, primary=1000).bet("eve", 3, primary=1000).close()
    assert play.state.round is not None
    at_risk = [(hand.player, hand.wagers[0].at_risk) for hand in play.state.round.hands]
    assert at_risk == [("bob", 100), ("eve", 1000), ("cat", 400)]
    play.do(c.Join("fay", BUY_IN, 4))
    assert refold(play).round == play.state.round


@pytest.mark.finding(1)
def test_the_bank_is_offered_with_an_amount_that_leaves_as_much_for_matches() -> None:
    """The suggestion is half of the stack in whole dollars, for the one who is offered the bank."""
    play = Play("california").join("ann", "bob").ready("bank")
    offer = offered(play, "ann")
    assert (offer.suggested, offer.amounts.max) == (50_000, BUY_IN)
    assert table.legal(play.setup, play.state, "bob") == ()
    play.do(c.CashOut("ann", BUY_IN - 555))
    offer = offered(play, "ann")
    assert offer.suggested == 200
    play.do(c.CashOut("ann", 554))
    offer = offered(play, "ann")
    assert offer.suggested == 1
    play.do(c.TakeBank("ann", offer.suggested))
    assert table.legal(play.setup, play.state, "ann") == ()


@pytest.mark.finding(1)
def test_a_suggested_bank_can_match_every_war_it_covers() -> None:
    """With the suggested amount posted, seven tied boxes all go to war and all are matched."""
    play = Play("california").join(*(f"p{number}" for number in range(1, 9))).ready("bank")
    offer = offered(play, "p1")
    play.do(c.TakeBank("p1", offer.suggested))
    play.start()
    for seat in range(2, 9):
        play.bet(f"p{seat}", seat, primary=9000)
    play.close().rig("9s 9s 9s 9s 9s 9s 9h 9d").proceed()
    covered = [event.amount for event in play.of(game.Returned)]
    play.do(*(game.Choose(f"p{seat}", seat, "war") for seat in range(2, 8)))
    assert [event.amount for event in play.of(game.Returned)] == covered
    assert sum(event.amount for event in play.of(game.Matched)) == offer.suggested


ROTATION = [
    # rotation, the button's seat, who has it, rounds banked: the order of offers
    ("clockwise", None, None, 0, "ann cat eve fay"),
    ("clockwise", 3, "cat", 1, "cat eve fay ann"),
    ("clockwise", 3, "cat", 2, "eve fay ann"),
    ("clockwise", 6, "fay", 2, "ann cat eve"),
    ("clockwise", 3, "gone", 1, "eve fay ann cat"),
    ("counterclockwise", None, None, 0, "fay eve cat ann"),
    ("counterclockwise", 3, "cat", 1, "cat ann fay eve"),
    ("counterclockwise", 3, "cat", 2, "ann fay eve"),
    ("counterclockwise", 1, "ann", 2, "fay eve cat"),
    ("counterclockwise", 3, "gone", 1, "ann fay eve cat"),
]


@pytest.mark.finding(19)
@proves("engine", "CA-round-10a", "CA-round-10b")
@pytest.mark.parametrize(("rotation", "seat", "button", "rounds", "order"), ROTATION)
def test_CA_round_10_the_bank_goes_around(
    rotation: str, seat: int | None, button: str | None, rounds: int, order: str
) -> None:
    """The bank goes around from the button in the book's direction; two hands are a turn."""
    rules = rules_of("california")
    assert rules.bank is not None
    play = Play(replace(rules, bank=replace(rules.bank, rotation=rotation)))
    for player, place in (("ann", 1), ("cat", 3), ("eve", 5), ("fay", 6)):
        play.do(c.Join(player, BUY_IN, place))
    bank = replace(play.state.bank, button=button, seat=seat, rounds=rounds)
    assert " ".join(people.bankers(play.setup, replace(play.state, bank=bank))) == order
    leaving = replace(play.state.guests["eve"], leaving=True)
    left = replace(play.state, bank=bank, guests={**play.state.guests, "eve": leaving})
    assert people.bankers(play.setup, left) == tuple(
        player for player in order.split() if player != "eve"
    )


@pytest.mark.finding(19)
def test_only_who_is_offered_the_bank_answers() -> None:
    """Another can neither take nor pass it; one cent is enough for who is asked."""
    play = Play("california").join("ann", "bob").ready("bank")
    assert play.due[0].player == "ann"
    for command in (c.PassBank("bob"), c.TakeBank("bob", 100)):
        assert play.refuses(command) == "not_offered"
    assert offered(play, "ann").amounts == Amounts(1, BUY_IN)
    assert play.refuses(c.TakeBank("ann", BUY_IN + 1)) == "insufficient"
    assert play.refuses(play.start_command()) == "no_banker"
    play.do(c.TakeBank("ann", 1))
    assert play.refuses(c.PassBank("ann")) == "not_offered"
