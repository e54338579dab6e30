"""Irregularities: face-up cards, cards drawn in error, boxes not dealt, jams, devices, leaving."""

import pytest
from msgspec.structs import replace

from clauses import proves
from tables import APPROVAL, BUY_IN, DEALER, FLOOR, Play, rules_of, seed
from wartable import game, ledger
from wartable import shoe as shoes
from wartable.table import commands as c
from wartable.table import events as e

METHODS = ("batches", "every_round", "continuous")


def started(method: str = "shoe", *players: str) -> Play:
    """A Maryland table whose players' bets are closed."""
    play = Play("maryland", shuffle=method).join(*(players or ("ann", "bob"))).start()
    for player, guest in play.state.guests.items():
        play.bet(player, guest.seat or 0, primary=100, tie=50, progressive=500)
    return play.close()


@proves("engine", "MD-11-A")
def test_MD_11_A() -> None:
    """A card found face up goes to the rack before everyone's eyes and the next takes its place."""
    play = started().rig("Qs 5d 3c 2h")
    play.do(c.FindFaceUp(DEALER))
    assert play.of(e.CardSetAside) == [e.CardSetAside(DEALER, "face_up", "Qs")]
    play.proceed()
    assert [event.card for event in play.of(game.Dealt)] == ["5d", "3c", "2h"]
    assert play.state.shoe is not None
    assert [d.card for d in shoes.rack(play.state.shoe)][1] == "Qs"


@pytest.mark.parametrize("moment", ["bets", "deal", "choice", "war", "between"])
def test_MD_11_A_at_any_moment(moment: str) -> None:
    """A face-up card may be found whenever cards are in the shoe."""
    play = Play("maryland").join("ann").start().bet("ann", 1, primary=100)
    if moment != "bets":
        play.close()
    if moment in ("choice", "war"):
        play.rig("9s 9d").proceed()
    if moment == "war":
        play.do(game.Choose("ann", 1, "war"), c.Proceed(2))
    if moment == "between":
        play.finish()
    play.do(c.FindFaceUp(DEALER))
    play.finish()
    assert len(play.of(e.CardSetAside)) == 1
    assert len(play.of(game.Burned)) == (3 if moment == "war" else 0)


@proves("engine", "MD-11-B")
def test_MD_11_B() -> None:
    """A card drawn in error unseen is the next card; one that was seen is burned (M23)."""
    play = started().rig("Qs 5d 3c 2h")
    play.do(c.DrawInError(DEALER, False), c.Proceed(1))
    assert [event.card for event in play.of(game.Dealt)] == ["Qs"]
    play.do(c.DrawInError(DEALER, True), c.Proceed())
    assert play.of(e.CardSetAside) == [e.CardSetAside(DEALER, "exposed", "5d")]
    assert [event.card for event in play.of(game.Dealt)] == ["Qs", "3c", "2h"]


@proves("engine", "MD-11-C")
def test_MD_11_C() -> None:
    """A box that got no card has all its wagers back, side bets too; the others play on."""
    play = started("shoe", "ann", "bob", "cat").rig("As 2c 3d")
    play.do(c.Proceed(1))
    assert play.refuses(c.MissBox(DEALER, 1)) == "box_done"
    assert play.refuses(c.MissBox(DEALER, 9)) == "no_such_box"
    play.do(c.MissBox(DEALER, 2))
    assert play.stack("bob") == BUY_IN
    assert play.refuses(c.MissBox(DEALER, 2)) == "box_done"
    play.proceed()
    assert [(event.box, event.card) for event in play.of(game.Dealt)] == [
        (1, "As"),
        (3, "2c"),
        (0, "3d"),
    ]
    assert play.stack("ann") == BUY_IN + 100 - 50 - 500
    assert play.stack("bob") == BUY_IN


def test_M22_a_war_deal_is_completed() -> None:
    """After the original deal no box can have been missed."""
    play = started().rig("9s 9d 9c").proceed()
    assert play.refuses(c.MissBox(DEALER, 1)) == "deal_completed"


def test_every_box_void() -> None:
    """A round without a box in play is over, everything is back and no meter has moved."""
    play = started()
    play.do(c.MissBox(DEALER, 1), c.MissBox(DEALER, 2))
    assert not play.state.in_round
    assert (play.stack("ann"), play.stack("bob")) == (BUY_IN, BUY_IN)
    assert [meter.fed for meter in play.state.meters.values()] == [0, 0, 0]
    play.start()


def test_a_void_box_whose_player_left() -> None:
    """What was abandoned before the box was missed stays lost; it is not paid twice or back."""
    play = Play("new-zealand", abandoned="lose").join("ann").ready()
    play.do(c.Join("eve", BUY_IN))
    play.start().bet("ann", 1, primary=100).bet("eve", 1, primary=700).close()
    play.do(game.Leave("ann"), c.MissBox(DEALER, 1))
    assert not play.state.in_round
    assert play.stack("eve") == BUY_IN
    assert play.account.wallets["ann"] == -100


def test_a_void_box_in_a_round_that_a_player_banks() -> None:
    """The bank neither gains nor pays for a box that got no card, nor for who left it."""
    play = Play("california", abandoned="lose").join("ann", "bob", "cat").start()
    play.do(c.Join("eve", BUY_IN))
    play.bet("bob", 2, primary=1000).bet("eve", 2, primary=300).bet("cat", 3, primary=100).close()
    play.do(game.Leave("bob"), c.MissBox(DEALER, 2))
    play.rig("As 2c").finish()
    assert play.stack("eve") == BUY_IN
    assert play.stack("ann") == BUY_IN + 1000 - 100


@proves("engine", "MD-11-D", "MD-11-D-2")
@pytest.mark.parametrize("method", METHODS)
def test_MD_11_D(method: str) -> None:
    """A jam voids the round, gives every wager back and has the device's cards shuffled again."""
    play = Play("maryland", shuffle=method).join("ann", "bob").ready()
    play.start().bet("ann", 1, primary=100, progressive=500).bet("bob", 2, primary=300).close()
    if method == "batches":
        play.do(c.ShuffleCards(seed("blue")))
    play.rig("9s 9d As").proceed(2)
    play.do(c.Jam(DEALER))
    assert not play.state.in_round
    assert (play.stack("ann"), play.stack("bob")) == (BUY_IN, BUY_IN)
    assert [event.reason for event in play.of(game.RoundVoided)] == ["the shuffler jammed"]
    assert [event.reason for event in play.of(e.ShoeEnded)] == ["the shuffler jammed"]
    if method == "batches":
        assert play.finished[0].terms.batch == "blue"
        assert play.state.shoe is not None
        assert shoes.felt(play.state.shoe) == ()
        play.do(c.ShuffleCards(seed("blue again")))
        assert play.state.stored is not None
        assert play.state.stored.terms.batch == "blue"
    else:
        assert play.what == "shuffle"
    again = play.ready().state.shoe
    assert again is not None
    assert shoes.composition_problems(again.cards, 6) == []


def test_a_jam_before_the_first_load() -> None:
    """The stack that waits in the device is shuffled again, of the same batch."""
    play = Play("maryland", shuffle="batches").join("ann").ready("load")
    play.do(c.Jam(DEALER))
    assert play.what == "shuffle"
    play.ready()
    assert [event.terms.batch for event in play.of(e.ShoeStarted)] == ["red", "red"]


def test_A11_a_jam_after_settlements() -> None:
    """Wagers already won or lost are undone, envy, awards and matches too."""
    play = started("every_round").rig("As 9d 9c").proceed()
    assert play.stack("ann") == BUY_IN + 100 - 50 - 500
    assert play.stack("bob") == BUY_IN - 600 + 500
    play.do(c.Jam(DEALER))
    assert (play.stack("ann"), play.stack("bob")) == (BUY_IN, BUY_IN)


def test_a_hand_shuffled_table_has_no_jam() -> None:
    """A jam is said of a device only."""
    assert started().refuses(c.Jam(DEALER)) == "no_device"


def test_A11_a_void_reaches_who_left() -> None:
    """A player who left with wagers abandoned has them back when the round is void, once."""
    play = started()
    play.do(game.Leave("ann"))
    assert play.refuses(c.Join("ann", BUY_IN, 5)) == "here_already"
    assert play.refuses(c.CashOut("ann", 1)) == "in_round"
    play.do(game.VoidRound("an order"))
    assert "ann" not in play.state.guests
    assert play.account.wallets["ann"] == 0
    play.do(c.Join("ann", BUY_IN, 1))


@proves("engine", "MD-11-E")
@pytest.mark.parametrize("mark", ["covered", "signed"])
def test_MD_11_E(mark: c.DeviceMark) -> None:
    """A device that cannot be used is covered or signed before another method is taken."""
    play = Play("maryland", shuffle="every_round").join("ann").ready()
    play.do(c.FailDevice(DEALER, "no light"))
    assert play.due[0].what == "device"
    assert play.refuses(c.StartRound(1)) == "device_failed"
    assert play.refuses(c.ChangeMethod(FLOOR, "shoe")) == "device_not_marked"
    play.do(c.MarkDevice(FLOOR, mark))
    assert play.refuses(c.ChangeMethod(FLOOR, "batches")) == "device_failed"
    play.do(c.ChangeMethod(FLOOR, "shoe"))
    play.ready().round(ann=100)
    assert play.state.device_mark == mark
    play.do(c.RepairDevice(FLOOR))
    play.do(c.ChangeMethod(FLOOR, "continuous", APPROVAL))
    assert play.ready().state.method == "continuous"


def test_only_a_failed_device_is_marked_or_repaired() -> None:
    """Marks and repairs need something that is out of order."""
    play = Play("maryland").join("ann").ready()
    assert play.refuses(c.MarkDevice(FLOOR, "covered")) == "device_works"
    assert play.refuses(c.RepairDevice(FLOOR)) == "device_works"


@proves("engine", "MD-7-B-4")
@pytest.mark.parametrize(("option", "lost"), [("lose", 150), ("surrender", 50), ("play_on", 50)])
def test_MD_7_B_4(option: str, lost: int) -> None:
    """Wagers of a player who leaves in the round are lost, surrendered or played on, as set."""
    play = Play(rules_of("maryland", abandoned=option)).join("ann", "bob").start()
    play.bet("ann", 1, primary=100, tie=50).bet("bob", 2, primary=100).close().rig("9s As 9d")
    play.do(c.Proceed(1), game.Leave("ann"))
    assert play.refuses(game.Leave("ann")) == "left"
    play.finish()
    assert "ann" not in play.state.guests
    gained = 500 if option != "lose" else 0
    assert play.account.wallets["ann"] == gained - (lost if option == "lose" else 50)
    assert play.stack("bob") == BUY_IN + 100


@pytest.mark.parametrize(("stack", "choice"), [(1200, "war"), (1199, "surrender")])
def test_an_absent_player_goes_to_war_only_with_money(stack: int, choice: str) -> None:
    """Where absent players play on, one who cannot pay the war surrenders rather than to owe."""
    rules = rules_of("maryland", abandoned="play_on", timeout="war")
    play = Play(rules)
    play.do(c.Join("ann", stack, 1))
    play.start().bet("ann", 1, primary=600).close().rig("9s 9d 2c 3c 4c Ks Kd")
    play.do(game.Leave("ann"), c.Proceed())
    assert [(event.choice, event.by) for event in play.of(game.Chosen)] == [(choice, "platform")]
    assert "ann" not in play.state.guests


@pytest.mark.parametrize(("stack", "choice"), [(1200, "war"), (1199, "surrender")])
def test_R5(stack: int, choice: str) -> None:
    """For a player who does not decide in time the platform does, and the record says so."""
    play = Play(rules_of("maryland", timeout="war"))
    play.do(c.Join("ann", stack, 1), c.Join("bob", BUY_IN, 2))
    play.start().bet("ann", 1, primary=600).bet("bob", 2, primary=100).close()
    play.rig("9s 9h 9d").proceed()
    play.do(game.Timeout("ann", 1), game.Choose("bob", 2, "surrender"))
    first = play.of(game.Chosen)[0]
    assert (first.choice, first.by) == (choice, "platform")


def test_R5_other_players_are_not_held_up() -> None:
    """One player's silence lets the others choose, and only the book that says so holds on."""
    play = Play("maryland").join("ann", "bob").start()
    play.bet("ann", 1, primary=100).bet("bob", 2, primary=100).close().rig("9s 9h 9d").proceed()
    play.do(game.Choose("bob", 2, "surrender"))
    assert [due.player for due in play.due] == ["ann"]
    play.do(game.Timeout("ann", 1))
    assert not play.state.in_round
    play = Play("online").join("ann").start().bet("ann", 1, primary=100).close()
    play.rig("9s 9d").proceed()
    assert play.refuses(game.Timeout("ann", 1)) == "held"
    assert play.due[0].what == "choice"


def test_an_empty_shoe_ends_in_a_void() -> None:
    """A shoe without cards deals nothing; the round is void and everything is back."""
    play = started("every_round")
    while play.refusal(c.FindFaceUp(DEALER)) is None:
        play.do(c.FindFaceUp(DEALER))
    assert play.refuses(c.Proceed()) == "shoe_empty"
    assert play.refuses(c.FindFaceUp(DEALER)) == "shoe_empty"
    play.do(game.VoidRound("the shoe is empty"))
    assert play.stack("ann") == BUY_IN
    assert play.what == "shuffle"


def test_the_felt_is_empty_after_each_of_them() -> None:
    """Whatever goes wrong, nothing stays on the felt."""
    play = started()
    play.do(c.DrawInError(DEALER, True), c.MissBox(DEALER, 1), game.Leave("bob"))
    assert not play.state.in_round
    assert play.accounts[ledger.FELT] == 0


@pytest.mark.finding(19)
def test_a_cover_card_before_a_card_set_aside_is_nobodys() -> None:
    """It names the box whose card was due, and the dealer while none is."""
    play = Play("maryland").join("ann", "bob").ready().cover(0)
    play.do(c.FindFaceUp(DEALER))
    assert play.of(e.CoverCardOut) == [e.CoverCardOut(0)]
    play = Play("maryland").join("ann", "bob").start()
    play.bet("ann", 1, primary=100).bet("bob", 2, primary=100).close().rig("9s 2s 9d")
    play.proceed(1).cover(0).do(c.DrawInError(DEALER, exposed=True))
    assert play.of(e.CoverCardOut) == [e.CoverCardOut(2)]
    play = Play("maryland").join("ann").start().bet("ann", 1, primary=100).close()
    play.rig("9s 9d").proceed().cover(0).do(c.FindFaceUp(DEALER))
    assert play.what == "choice"
    assert play.of(e.CoverCardOut) == [e.CoverCardOut(0)]


@pytest.mark.finding(19)
def test_an_empty_shoe_has_no_card_to_draw() -> None:
    """With its last card drawn a shoe gives none, by error or by order."""
    play = Play("maryland").join("ann").ready()
    shoe = play.state.shoe
    assert shoe is not None
    cards = shoe.cards[: len(shoe.drawn)]
    play.state = replace(play.state, shoe=replace(shoe, cards=cards, cover=None))
    for command in (c.DrawInError(DEALER, exposed=False), c.FindFaceUp(DEALER)):
        assert play.refuses(command) == "shoe_empty"


@pytest.mark.finding(19)
def test_a_broken_device_shuffles_nothing() -> None:
    """Cards that a device shuffles wait until it is repaired; by hand they need none."""
    play = Play("california", staffed=True).join("ann", "bob").ready("shuffle")
    play.do(c.FailDevice(DEALER, "no light"))
    assert play.refuses(c.ShuffleCards(seed(1), DEALER)) == "device_failed"
    play.do(c.RepairDevice(FLOOR), c.ShuffleCards(seed(1), DEALER))
    by_hand = Play("maryland", staffed=True).join("ann").ready("shuffle")
    by_hand.do(c.FailDevice(DEALER, "no light"), c.ShuffleCards(seed(1), DEALER))


@pytest.mark.finding(19)
def test_who_reported_a_jam_voids_a_provable_round() -> None:
    """The record of a shoe that links decide names who ended the round."""
    play = Play("california", shared="shoe").join("ann", "bob").start()
    play.do(c.Jam("dora"))
    assert [event.by for event in play.of(game.RoundVoided)] == ["dora"]
