"""The cards' way: opening, shuffle, cut, load, cover card, burns, batches, methods, decks."""

from typing import Literal, get_args

import pytest
from msgspec.structs import replace

from clauses import proves
from tables import APPROVAL, BUY_IN, DEALER, FLOOR, Play, problems, rules_of, seed
from wartable import game, table
from wartable import shoe as shoes
from wartable.game import Illegal
from wartable.rules import RulesError
from wartable.shoe import seal_for
from wartable.table import Due
from wartable.table import commands as c
from wartable.table import events as e
from wartable.table.older import OpenSeed, SealSeed
from wartable.table.procedure import may_go_idle

DAY_MS = 24 * 3_600_000


def steps(play: Play, batch: str = "") -> list[str]:
    """What was done with a batch."""
    return [event.step for event in play.of(e.Prepared) if event.batch == batch]


def offers(play: Play) -> list[str]:
    """To whom the cut was offered since the last shuffle."""
    last = max(n for n, event in enumerate(play.events) if isinstance(event, e.ShoeStarted))
    return [event.player for event in play.events[last:] if isinstance(event, e.CutOffered)]


def to_cover_card(play: Play, before: int) -> Play:
    """Go to the start of a round, so many cards before the cover card."""
    return play.ready().cover(before)


def finished_shoe(box: int, *players: str) -> Play:
    """A Maryland table after the round in which the cover card came out before that box's card."""
    play = to_cover_card(Play("maryland").join(*players), len(players) if box == 0 else box - 1)
    play.start()
    for player in players:
        play.bet(player, play.state.guests[player].seat or 0, primary=100)
    play.close().rig(" ".join([*["As"] * len(players), "2c"])).finish()
    assert [event.box for event in play.of(e.CoverCardOut)] == [box]
    return play.ready("cut")


# The opening


@proves("engine", "MD-4-D", "MD-5-A-1")
def test_MD_4_D() -> None:
    """New cards are prepared in order and shuffled before the first round, and not dealt before."""
    play = Play("maryland").join("ann")
    assert play.refuses(c.ShuffleCards(seed(1))) == "no_decks"
    play.do(c.ReceiveDecks(DEALER, 0))
    for step in ("inspect", "verify", "spread", "view", "turn", "wash", "stack"):
        assert play.refuses(c.ShuffleCards(seed(1))) == "not_prepared"
        assert play.refuses(c.StartRound(1)) == "no_shoe"
        assert play.due[0].step == step
        play.do(play.plain(play.due[0]))
    assert play.refuses(c.StartRound(1)) == "no_shoe"
    assert play.what == "shuffle"
    play.start()
    assert len(play.of(e.ShoeStarted)) == 1


def test_MD_4_A() -> None:
    """The floorperson who verifies is another person than the dealer who inspected that batch."""
    play = Play("maryland", shuffle="batches").join("ann")
    play.do(c.ReceiveDecks(DEALER, 0), c.Prepare(DEALER, "inspect", "red"))
    play.do(c.Prepare(FLOOR, "inspect", "blue"))
    assert play.refuses(c.Prepare(DEALER, "verify", "red")) == "same_person"
    assert play.refuses(c.Prepare(FLOOR, "verify", "blue")) == "same_person"
    play.do(c.Prepare(FLOOR, "verify", "red"), c.Prepare(DEALER, "verify", "blue"))


def test_MD_4_B() -> None:
    """The spread waits for the first player to arrive, and the platform may let the time pass."""
    play = Play("maryland")
    play.do(c.ReceiveDecks(DEALER, 0), c.Prepare(DEALER, "inspect"), c.Prepare(FLOOR, "verify"))
    play.do(c.Prepare(DEALER, "spread"))
    assert play.what == "players"
    assert play.refuses(c.Prepare("ann", "view")) == "no_player"
    play.join("ann", "bob")
    assert play.refuses(c.Prepare("bob", "view")) == "not_first"
    assert play.refuses(c.Prepare(DEALER, "turn")) == "wrong_step"
    play.do(c.Prepare("platform", "view"))


def test_MD_4_E() -> None:
    """With two batches each goes through the whole opening before the first shuffle."""
    play = Play("maryland", shuffle="batches").join("ann")
    play.ready("shuffle")
    assert steps(play, "red") == ["inspect", "verify", "spread", "view", "turn", "wash", "stack"]
    assert steps(play, "blue") == steps(play, "red")


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("inspected_and_shuffled", []),
        ("inspected", ["spread", "view", "turn", "wash", "stack"]),
        ("shuffled", ["inspect", "verify", "spread", "view", "turn", "wash", "stack"]),
        ("preinspected", ["wash", "stack"]),
        ("preshuffled", []),
    ],
)
@pytest.mark.finding(11)
def test_MD_4_F(condition: c.Condition, expected: list[str]) -> None:
    """Only cards both inspected and shuffled go straight to the cut (A18); older rows keep theirs.

    Inspected alone skips the inspection, shuffled alone skips nothing.
    """
    play = Play("maryland").join("ann")
    play.do(c.ReceiveDecks(DEALER, 0, condition))
    play.ready("cut")
    assert steps(play) == expected


@proves("engine", "NZ-6.3a-c")
def test_NZ_6_3a_c() -> None:
    """After the players' look the cards are turned, washed, stacked and riffled, in that order."""
    play = Play("new-zealand").join("ann").ready()
    assert steps(play)[-4:] == ["turn", "wash", "stack", "riffle"]
    play = Play("new-zealand").join("ann").ready("prepare")
    while play.due[0].step != "stack":
        play.do(play.plain(play.due[0]))
    assert play.refuses(c.Prepare(DEALER, "riffle")) == "wrong_step"
    assert play.refuses(c.ShuffleCards(seed(1))) == "not_prepared"


@proves("engine", "NZ-6.4")
def test_NZ_6_4() -> None:
    """A shuffler is loaded without the spread, once each set is washed, stacked and riffled."""
    play = Play("new-zealand", shuffle="batches").join("ann").ready()
    play.do(c.OrderReshuffle(FLOOR, "worn"))
    play.ready()
    for batch in ("red", "blue"):
        assert steps(play, batch) == ["inspect", "verify", "wash", "stack", "riffle"]


@proves("engine", "NZ-6.5-2")
@pytest.mark.finding(11)
@pytest.mark.parametrize("condition", ["shuffled", "inspected_and_shuffled"])
@pytest.mark.parametrize("mixed", [["wash"], ["riffle"], ["wash", "riffle"], ["riffle", "wash"]])
def test_NZ_6_5_2(condition: c.Condition, mixed: list[c.Preparation]) -> None:
    """Preshuffled cards are washed, riffled or both before the cut; neither is not enough."""
    play = Play("new-zealand").join("ann")
    play.do(c.ReceiveDecks(DEALER, 0, condition))
    assert play.refuses(c.ShuffleCards(seed(1), DEALER)) == "not_prepared"
    assert [due.step for due in play.due] == ["riffle", "wash"]
    for step in ("inspect", "stack", "view", "turn"):
        assert play.refuses(c.Prepare(DEALER, step)) == "wrong_step"
    for step in mixed:
        play.do(c.Prepare(DEALER, step))
        assert play.refuses(c.Prepare(DEALER, step)) == "wrong_step"
    assert play.what == "shuffle"
    play.ready("cut")
    assert steps(play) == mixed
    assert play.refuses(c.Prepare(DEALER, "wash")) == "wrong_step"


@proves("engine", "NZ-6.5-3")
@pytest.mark.parametrize("condition", ["inspected", "preinspected"])
def test_NZ_6_5_3(condition: c.Condition) -> None:
    """Prechecked cards are washed, stacked and riffled before the cut."""
    play = Play("new-zealand").join("ann")
    play.do(c.ReceiveDecks(DEALER, 0, condition))
    play.ready("cut")
    assert steps(play) == ["wash", "stack", "riffle"]


def test_cards_once_prepared_stay_so() -> None:
    """Neither another shoe nor another method makes the same cards go through the opening again."""
    play = Play("maryland").join("ann").ready()
    before = len(play.of(e.Prepared))
    play.do(c.OrderReshuffle(FLOOR, "worn"))
    play.ready().do(c.ChangeMethod(FLOOR, "every_round"))
    play.ready()
    assert len(play.of(e.Prepared)) == before


# Decks and methods


@proves("engine", "MD-3-A")
@pytest.mark.parametrize(("decks", "sound"), [(5, False), (6, True), (7, False), (8, True)])
def test_MD_3_A(decks: int, sound: bool) -> None:
    """A table is opened with six or eight decks, and its shoe holds just those."""
    if not sound:
        with pytest.raises(RulesError, match="6, 8 decks"):
            Play("maryland", decks=decks)
        return
    play = Play("maryland", decks=decks).join("ann").ready()
    assert play.state.shoe is not None
    assert len(play.state.shoe.cards) == decks * 52


@proves("engine", "MD-3-A-2")
def test_MD_3_A_2() -> None:
    """Of the two cover cards one cuts the stack and the other marks where the shoe ends."""
    assert rules_of("maryland").shoe.cutting_cards == 2
    play = Play("maryland").join("ann").ready("cut")
    play.do(c.Cut("ann", 100), c.LoadShoe(DEALER))
    shoe = play.state.shoe
    assert shoe is not None
    assert [(cut.player, cut.position) for cut in shoe.cuts] == [("ann", 100)]
    assert shoe.cover == shoes.Cover(234, 234, 234)
    assert problems("maryland", shoe__cutting_cards=0)


@proves("engine", "MD-3-B")
@pytest.mark.parametrize("decks", [6, 8])
def test_MD_3_B(decks: int) -> None:
    """With a shuffler each batch has six or eight decks; a continuous one has a single set."""
    play = Play("maryland", decks=decks, shuffle="batches").join("ann").ready()
    assert play.state.shoe is not None
    assert len(play.state.shoe.cards) == decks * 52
    assert play.state.shoe.terms.batch == "red"
    with pytest.raises(RulesError):
        Play("maryland", decks=3, shuffle="batches")
    play = Play("maryland", decks=decks, shuffle="continuous").join("ann").ready()
    assert play.state.shoe is not None
    assert play.state.shoe.terms.batch == ""


@proves("engine", "MD-3-B-1", "CA-decks-3a")
@pytest.mark.parametrize("book", ["maryland", "california"])
def test_two_equal_batches(book: str) -> None:
    """Both batches have the same number of decks, six or more, and different backs."""
    play = Play(book, shuffle="batches").join("ann", "bob").ready()
    first = play.state.shoe
    play.do(c.OrderReshuffle(FLOOR, "worn"))
    second = play.ready().state.shoe
    assert first is not None
    assert second is not None
    assert len(first.cards) == len(second.cards) >= 6 * 52
    assert sorted(first.cards) == sorted(second.cards)
    assert first.terms.batch != second.terms.batch
    with pytest.raises(RulesError, match="two different colours"):
        table.start(replace(play.setup, batches=("red", "red")))


@proves("engine", "CA-decks-3")
def test_CA_decks_3() -> None:
    """The two batches together have at least twelve decks."""
    for decks in rules_of("california").shoe.decks_allowed:
        assert 2 * decks >= 12
    with pytest.raises(RulesError):
        Play("california", decks=5)


@proves("engine", "CA-decks-1")
def test_CA_decks_1() -> None:
    """Cards come from a shuffling machine: no table is opened by hand and none changes to it."""
    with pytest.raises(RulesError, match="allows the methods batches"):
        Play("california", shuffle="shoe")
    play = Play("california").join("ann", "bob").ready()
    assert play.refuses(c.ChangeMethod(FLOOR, "shoe")) == "no_such_method"
    play.do(c.FailDevice(DEALER, "smoke"), c.MarkDevice(FLOOR, "covered"))
    assert play.refuses(c.ChangeMethod(FLOOR, "shoe")) == "no_such_method"
    assert play.refuses(c.StartRound(9)) == "device_failed"
    play.do(c.RepairDevice(FLOOR))
    play.start()


@proves("engine", "CA-decks-3c", "MD-3-B-3")
@pytest.mark.parametrize("book", ["maryland", "california"])
def test_one_batch_waits_in_the_device(book: str) -> None:
    """While one batch is played the other is shuffled and stored, and comes in only so."""
    play = Play(book, shuffle="batches").join("ann", "bob").ready()
    play.start()
    play.do(c.ShuffleCards(seed("other")))
    assert play.state.stored is not None
    assert play.state.stored.terms.batch == "blue"
    assert play.refuses(c.ShuffleCards(seed("third"))) == "shoe_in_use"
    play.finish().do(c.OrderReshuffle(FLOOR, "worn"))
    assert play.state.shoe is not None
    assert play.state.shoe.terms.batch == "blue"
    assert play.state.stored is None
    play.ready().do(c.OrderReshuffle(FLOOR, "worn"))
    assert play.state.shoe is None
    assert play.what == "shuffle"


@proves("engine", "CA-decks-3d", "MD-3-B-4")
@pytest.mark.parametrize("book", ["maryland", "california"])
def test_batches_alternate(book: str) -> None:
    """Each batch is used for every other shoe, also after new cards or an unused stack."""
    play = Play(book, shuffle="batches").join("ann", "bob").ready()
    for _ in range(3):
        play.do(c.OrderReshuffle(FLOOR, "worn"))
        play.ready()
    play.do(c.ReceiveDecks(DEALER, 5))
    play.ready()
    loaded, last = [], ""
    for event in play.events:
        last = event.terms.batch if isinstance(event, e.ShoeStarted) else last
        if isinstance(event, e.ShoeLoaded):
            loaded.append(last)
    assert loaded == ["red", "blue", "red", "blue", "red"]
    assert play.refuses(c.ChangeMethod(FLOOR, "batches")) == "same_method"


@proves("engine", "CA-decks-3e", "MD-3-B-5")
@pytest.mark.parametrize("book", ["maryland", "california"])
def test_one_batch_in_the_rack(book: str) -> None:
    """The discard rack has only cards of the shoe in play; it is empty when the next begins."""
    play = Play(book, shuffle="batches").join("ann", "bob").round(bob=100)
    assert play.state.shoe is not None
    racked = shoes.rack(play.state.shoe)
    assert [dealt.card for dealt in racked] == [
        *play.state.shoe.cards[:1],
        *(event.card for event in play.of(game.Dealt)),
    ]
    play.do(c.OrderReshuffle(FLOOR, "worn"))
    play.ready()
    assert play.state.shoe is not None
    assert [dealt.use for dealt in shoes.rack(play.state.shoe)] == ["burn"]


@proves("engine", "NZ-3.4a")
@pytest.mark.parametrize("decks", range(3, 10))
def test_NZ_3_4a(decks: int) -> None:
    """Four to eight decks are used."""
    if 4 <= decks <= 8:
        play = Play("new-zealand", decks=decks).join("ann").ready()
        assert play.state.shoe is not None
        assert len(play.state.shoe.cards) == 52 * decks
    else:
        with pytest.raises(RulesError):
            Play("new-zealand", decks=decks)


@proves("engine", "NZ-3.4b")
def test_NZ_3_4b() -> None:
    """One or two cutting cards are used, and one always marks the end of the shoe."""
    for number in (1, 2):
        assert problems("new-zealand", shoe__cutting_cards=number) == []
    for number in (0, 3):
        assert "cutting_cards" in problems("new-zealand", shoe__cutting_cards=number)[0]
    play = Play("new-zealand").join("ann").ready()
    assert play.state.shoe is not None
    assert play.state.shoe.cover is not None


@proves("engine", "NZ-3.4e")
def test_NZ_3_4e() -> None:
    """Cards are shuffled by hand, in batches or continuously, and by no other method."""
    for method in ("shoe", "batches", "continuous"):
        play = Play("new-zealand", shuffle=method).join("ann").ready()
        assert play.state.method == method
    with pytest.raises(RulesError):
        Play("new-zealand", shuffle="every_round")
    play = Play("new-zealand").join("ann").ready()
    assert play.refuses(c.ChangeMethod(FLOOR, "every_round")) == "no_such_method"
    play.do(c.ChangeMethod(FLOOR, "continuous"))
    assert play.ready().state.method == "continuous"


@proves("engine", "NZ-3.5-1")
def test_NZ_3_5_1() -> None:
    """A shuffler works with two sets of different colour that alternate."""
    play = Play("new-zealand", shuffle="batches").join("ann").ready()
    play.do(c.OrderReshuffle(FLOOR, "worn"))
    play.ready()
    assert [event.terms.batch for event in play.of(e.ShoeStarted)] == ["red", "blue"]


@proves("engine", "NZ-3.5-2")
def test_NZ_3_5_2() -> None:
    """A continuous shuffler has one set, takes the cards back after each round, and no cut card."""
    play = Play("new-zealand", shuffle="continuous").join("ann").round(ann=100)
    assert len(play.finished) == 1
    play.ready()
    assert play.state.shoe is not None
    assert {event.terms.batch for event in play.of(e.ShoeStarted)} == {""}
    assert [shoe.cover for shoe in play.finished] == [None]
    assert play.of(e.CutMade) == []
    assert shoes.left(play.state.shoe) == 6 * 52 - 1


@proves("engine", "ON-overview-2")
def test_ON_overview_2() -> None:
    """Each round is dealt from six fresh decks; nothing of the last round stays in them."""
    play = Play("online").join("ann")
    for _ in range(3):
        play.round(ann=100)
    assert [event.reason for event in play.of(e.ShoeEnded)] == ["one round"] * 3
    assert len({shoe.cards for shoe in play.finished}) == 3
    for shoe in play.finished:
        assert shoes.composition_problems(shoe.cards, 6) == []
        assert shoe.drawn[0].card == shoe.cards[0]
        assert {dealt.round_number for dealt in shoe.drawn} == {shoe.terms.number}


@proves("engine", "MD-5-A-2")
def test_MD_5_A_2() -> None:
    """Where a device shuffles after each round, every round has its own shuffle; else the shoe."""
    play = Play("maryland", shuffle="every_round").join("ann").round(ann=100).round(ann=100)
    assert [event.reason for event in play.of(e.ShoeEnded)] == ["one round"] * 2
    play = Play("maryland").join("ann").round(ann=100).round(ann=100)
    assert play.of(e.ShoeEnded) == []


@proves("engine", "MD-5-J")
def test_MD_5_J() -> None:
    """A continuous shuffler is used only with the reference of its approval."""
    with pytest.raises(RulesError, match="approval"):
        table.start(table.new_setup(rules_of("maryland", shuffle="continuous"), "t1"))
    play = Play("maryland").join("ann").ready()
    assert play.refuses(c.ChangeMethod(FLOOR, "continuous")) == "no_approval"
    play.do(c.ChangeMethod(FLOOR, "continuous", APPROVAL))
    assert play.ready().state.method == "continuous"


def test_MD_3_C() -> None:
    """No round starts on cards of 24 hours; a round under way is finished on them (A5)."""
    play = Play("maryland").join("ann").ready()
    play.do(c.StartRound(DAY_MS - 1))
    play.bet("ann", 1, primary=100).close().finish()
    assert play.refuses(c.StartRound(DAY_MS)) == "deck_age"
    play.start().finish()
    play.do(c.ReceiveDecks(DEALER, DAY_MS))
    assert [shoe.ended for shoe in play.finished] == ["new cards"]
    play.ready().do(c.StartRound(2 * DAY_MS - 1))
    assert play.refuses(c.ReceiveDecks(DEALER, 2 * DAY_MS)) == "round_open"


# The shuffle and the cut


@proves("engine", "MD-5-A-3")
def test_MD_5_A_3() -> None:
    """A reshuffle that the floor orders is done at once between rounds, else after the round."""
    play = Play("maryland").join("ann").ready()
    play.do(c.OrderReshuffle(FLOOR, "worn"))
    assert play.state.shoe is None
    play.start().bet("ann", 1, primary=100).close()
    play.do(c.OrderReshuffle(FLOOR, "worn"))
    assert play.state.shoe is not None
    play.finish()
    assert [event.reason for event in play.of(e.ShoeEnded)] == ["reshuffle ordered: worn"] * 2
    assert play.refuses(c.OrderReshuffle(FLOOR, "again")) == "no_shoe"


@proves("engine", "MD-5-B-1")
@pytest.mark.parametrize("method", ["batches", "every_round", "continuous"])
def test_MD_5_B_1(method: str) -> None:
    """Cards that a machine shuffled are dealt without a cut."""
    play = Play("maryland", shuffle=method).join("ann").ready()
    assert play.of(e.CutOffered) == play.of(e.CutMade) == []


@proves("engine", "MD-5-B-2")
@pytest.mark.parametrize("condition", ["new", "preshuffled"])
def test_MD_5_B_2(condition: c.Condition) -> None:
    """Cards shuffled by hand or before are cut before they are loaded."""
    play = Play("maryland").join("ann")
    play.do(c.ReceiveDecks(DEALER, 0, condition))
    play.ready("cut")
    assert play.refuses(c.LoadShoe(DEALER)) == "cut_due"
    play.do(c.Cut("ann", 10), c.LoadShoe(DEALER))


@proves("engine", "MD-5-D")
def test_MD_5_D() -> None:
    """When every player refuses, the dealer cuts where the committed seed says."""
    play = Play("maryland").join("ann", "bob").ready("cut")
    play.do(c.RefuseCut("ann"), c.RefuseCut("bob"))
    assert play.of(e.CutMade) == [e.CutMade(None, None)]
    play.do(c.LoadShoe(DEALER))
    assert play.state.shoe is not None
    (cut,) = play.state.shoe.cuts
    assert cut.position is not None
    assert 10 <= cut.position <= 302


def test_MD_5_E_1() -> None:
    """At the start the first player to arrive is asked, wherever the seat is, then (A4) around."""
    play = Play("maryland")
    for player, seat in (("cat", 5), ("ann", 2), ("bob", 8)):
        play.do(c.Join(player, BUY_IN, seat))
    play.ready("load")
    assert offers(play) == ["cat", "ann", "bob"]


@proves("engine", "MD-5-E-2")
def test_MD_5_E_2() -> None:
    """The cut goes first to the player on whose box the cover card came, then counterclockwise."""
    play = finished_shoe(2, "ann", "bob", "cat")
    assert play.ready("load").state.cut.asked == ("bob", "ann", "cat")


def test_MD_5_E_2_who_plays_a_box_without_sitting_there() -> None:
    """The box's bettor is asked, not the neighbour who sits nearer to it."""
    play = Play("maryland")
    play.do(c.Join("bob", BUY_IN, 1), c.Join("ann", BUY_IN, 3))
    to_cover_card(play, 1).start()
    play.bet("bob", 1, primary=100).bet("ann", 2, primary=100).close().finish()
    assert play.of(e.CoverCardOut) == [e.CoverCardOut(2)]
    assert play.ready("cut").due[0].player == "ann"


@proves("engine", "MD-5-E-3", "MD-5-E-4")
def test_MD_5_E_3() -> None:
    """Where it came on the dealer's hand, the farthest right is asked, then counterclockwise."""
    play = finished_shoe(0, "ann", "bob", "cat")
    assert play.ready("load").state.cut.asked == ("cat", "bob", "ann")


@proves("engine", "MD-5-E-5", "MD-5-E-6")
def test_MD_5_E_5() -> None:
    """After a reshuffle by order the farthest right is asked, then counterclockwise."""
    play = Play("maryland").join("ann", "bob", "cat").ready()
    play.do(c.OrderReshuffle(FLOOR, "worn"))
    play.ready("load")
    assert offers(play) == ["cat", "bob", "ann"]


def test_a_cutter_who_leaves_is_not_waited_for() -> None:
    """The offer of the cut moves on when the one who is asked goes."""
    play = Play("maryland").join("ann", "bob").ready("cut")
    play.do(game.Leave("ann"))
    assert play.due[0].player == "bob"
    play.do(game.Leave("bob"))
    assert play.what == "load"


@proves("engine", "MD-5-F-3", "MD-8-B")
def test_MD_5_F_3() -> None:
    """The stack is loaded once it is cut, the record says by whom; the cover card lies as due."""
    play = Play("maryland").join("ann").ready("cut")
    assert play.refuses(c.StartRound(1)) == "no_shoe"
    play.do(c.Cut("ann", 150), c.LoadShoe(DEALER))
    assert play.of(e.ShoeLoaded) == [e.ShoeLoaded(DEALER, 234, 234)]
    assert play.refuses(c.LoadShoe(DEALER)) == "no_stack"
    play = Play("maryland", shuffle="every_round").join("ann").ready("load")
    play.do(c.LoadShoe("shuffler"))
    assert play.of(e.ShoeLoaded) == [e.ShoeLoaded("shuffler")]


@pytest.mark.parametrize("position", [-1, 0, 9, 303, 312, 10**9])
def test_MD_5_F(position: int) -> None:
    """A cut less than ten cards from either end is asked for again."""
    play = Play("maryland").join("ann").ready("cut")
    assert play.refuses(c.Cut("ann", position)) == "cut"
    assert play.due[0].player == "ann"


@proves("engine", "MD-5-G")
def test_MD_5_G() -> None:
    """The floor may have the cards cut again between the cut and the load, and not after it."""
    play = Play("maryland").join("ann", "bob", "cat").ready("cut")
    order = c.OrderRecut(FLOOR, "last", "the cut was slipped")
    assert play.refuses(order) == "no_recut"
    play.do(c.Cut("ann", 100), order)
    assert play.due[0].player == "ann"
    play.do(c.Cut("ann", 30), c.OrderRecut(FLOOR, "next", "again"))
    assert play.due[0].player == "cat"
    play.do(c.RefuseCut("cat"), c.Cut("bob", 40))
    assert play.of(e.RecutOrdered)[0].reason == "the cut was slipped"
    play.do(c.LoadShoe(DEALER))
    assert play.refuses(order) == "no_recut"
    assert play.state.shoe is not None
    assert [cut.position for cut in play.state.shoe.cuts] == [100, 30, 40]


@pytest.mark.finding(19)
@pytest.mark.parametrize("position", [10, 302])
def test_MD_5_F_ten_cards_are_enough(position: int) -> None:
    """A cut ten cards from either end is made; a book cannot allow less than the shoe does."""
    play = Play("maryland").join("ann").ready("cut")
    rules = play.setup.rules
    lax = replace(play.setup, rules=replace(rules, shoe=replace(rules.shoe, cut_from_end_min=1)))
    with pytest.raises(Illegal, match="The cut lifts 10 to 302 cards, not 9") as refused:
        table.decide(lax, play.state, c.Cut("ann", 9))
    assert refused.value.code == "cut"
    play.do(c.Cut("ann", position))
    assert play.what == "load"


@pytest.mark.finding(19)
def test_a_book_may_want_more_cards_at_either_end() -> None:
    """Where a book wants thirty cards below and above the cut, the shoe's ten are not enough."""
    rules = rules_of("maryland")
    strict = replace(rules, shoe=replace(rules.shoe, cut_from_end_min=30))
    play = Play(strict).join("ann").ready("cut")
    for position in (29, 283):
        refused = play.refusal(c.Cut("ann", position))
        assert refused is not None
        assert (refused.code, refused.sentence) == ("cut", "A cut lifts 30 to 282 cards.")
    for position in (30, 282):
        assert play.refusal(c.Cut("ann", position)) is None


@pytest.mark.finding(19)
@proves("engine", "MD-5-E-2")
def test_MD_5_E_2_the_player_of_the_cover_card_is_at_another_seat() -> None:
    """Ann sits at box 2 and plays box 1 too, where the cover card comes; she is asked first."""
    play = Play("maryland")
    play.do(c.Join("bob", BUY_IN, 3), c.Join("ann", BUY_IN, 2))
    to_cover_card(play, 0).start().bet("ann", 2, primary=100).bet("ann", 1, primary=100)
    play.close().rig("As As 2c").finish()
    assert play.of(e.CoverCardOut) == [e.CoverCardOut(1)]
    play.ready("cut")
    assert play.due[0].player == "ann"


@pytest.mark.finding(19)
@proves("engine", "MD-5-E-4")
def test_MD_5_E_4_from_the_first_to_arrive() -> None:
    """The first to arrive is asked for the cut, then the others counterclockwise."""
    play = Play("maryland")
    play.do(c.Join("ann", BUY_IN, 2), c.Join("bob", BUY_IN, 1), c.Join("cat", BUY_IN, 3))
    assert [guest.arrival for guest in play.state.guests.values()] == [1, 2, 3]
    play.ready("cut")
    asked = []
    while play.what == "cut":
        asked.append(play.due[0].player)
        play.do(c.RefuseCut(asked[-1] or ""))
    assert asked == ["ann", "bob", "cat"]


@pytest.mark.finding(19)
def test_the_last_cutter_cuts_again() -> None:
    """Ann refused and Bob cut: a recut by the last one is Bob's, not offered around again."""
    play = Play("maryland").join("ann", "bob").ready("cut")
    play.do(c.RefuseCut("ann"), c.Cut("bob", 100), c.OrderRecut(FLOOR, "last", "slipped"))
    assert play.due == (Due("cut", "bob"),)


@pytest.mark.finding(19)
def test_new_cards_end_both_batches() -> None:
    """The batch in use and the one in the device both end when other cards come."""
    play = Play("california", staffed=True).join("ann", "bob").ready("bank")
    play.do(c.ShuffleCards(seed("the other batch"), DEALER))
    assert play.state.stored is not None
    play.do(c.ReceiveDecks(DEALER, play.clock))
    assert [event.number for event in play.of(e.ShoeEnded)] == [1, 2]


@pytest.mark.finding(19)
def test_cards_are_spread_only_where_the_book_says_so() -> None:
    """Neither without the rule nor from a device that shuffles all the time."""
    assert may_go_idle(*at_rest("maryland", "shoe"))
    assert not may_go_idle(*at_rest("maryland", "continuous"))
    assert not may_go_idle(*at_rest("california", "batches"))


def at_rest(book: str, shuffle: str) -> tuple[table.Setup, table.Table]:
    """A table between two rounds."""
    play = Play(book, staffed=True, shuffle=shuffle).join("ann", "bob").ready()
    return play.setup, play.state


@pytest.mark.finding(19)
def test_the_first_reason_is_told() -> None:
    """Without a round nobody bets, whoever it is; without a bank none is dealt."""
    play = Play("washington").join("ann")
    assert play.refuses(game.Bet("zoe", 1, "primary", 100)) == "no_round"
    play = Play("california", staffed=True).join("ann", "bob").ready("bank")
    refused = play.refusal(c.StartRound(0))
    assert refused is not None
    assert refused.sentence == "A player must take the bank before a round is dealt."


@pytest.mark.finding(19)
def test_MD_5_G_a_dealers_cut_is_made_again() -> None:
    """Where everybody refused, the dealer cut last and cuts again."""
    play = Play("maryland").join("ann").ready("cut")
    play.do(c.RefuseCut("ann"), c.OrderRecut(FLOOR, "last", "slipped"))
    assert play.of(e.CutMade) == [e.CutMade(), e.CutMade()]
    assert play.what == "load"


@pytest.mark.finding(19)
def test_a_seal_goes_with_its_player() -> None:
    """A shuffle waits for no seed of somebody who sealed one and left."""
    play = Play("maryland").join("ann", "bob").ready("shuffle")
    play.again(SealSeed("ann", "0" * 64), SealSeed("bob", "1" * 64))
    play.do(game.Leave("ann"), c.ShuffleCards(seed(1)))
    (started,) = play.of(e.ShoeStarted)
    assert [seal.player for seal in started.seals] == ["bob"]


def test_a_recut_by_one_who_left() -> None:
    """The last cutter who is gone is not asked again; the next one entitled is."""
    play = Play("maryland").join("ann", "bob").ready("cut")
    play.do(c.Cut("ann", 100), game.Leave("ann"))
    assert play.refuses(c.OrderRecut(FLOOR, "last", "slipped")) == "not_here"
    play.do(c.OrderRecut(FLOOR, "next", "slipped"))
    assert play.due[0].player == "bob"


# The cover card, burns, dealers


@proves("engine", "MD-5-H-1", "CA-deal-3")
@pytest.mark.parametrize("book", ["maryland", "california"])
def test_cover_card_ends_the_shoe(book: str) -> None:
    """The round in which the cover card appears is finished, wars too; then comes another shoe."""
    play = to_cover_card(Play(book).join("ann", "bob"), 2).start()
    play.bet("bob", 2, primary=100).close().rig("9s 9d 2c 3c 4c Ks Kd").proceed()
    assert play.of(e.CoverCardOut) == []
    play.do(game.Choose("bob", 2, "war"), c.Proceed())
    assert play.of(e.CoverCardOut) == [e.CoverCardOut(0)]
    assert len(play.of(game.Dealt)) == 4
    assert [event.reason for event in play.of(e.ShoeEnded)] == ["cover card"]
    assert play.state.shoe is None


@proves("engine", "MD-8-G")
@pytest.mark.parametrize(("before", "box"), [(0, 1), (1, 2), (2, 0)])
def test_MD_8_G(before: int, box: int) -> None:
    """A cover card at the first card or later is set aside and counts as none; the hand goes on."""
    play = to_cover_card(Play("maryland").join("ann", "bob"), before).start()
    play.bet("ann", 1, primary=100).bet("bob", 2, primary=100).close().rig("As Kd 2c").finish()
    assert play.of(e.CoverCardOut) == [e.CoverCardOut(box)]
    assert [event.card for event in play.of(game.Dealt)] == ["As", "Kd", "2c"]
    assert len(play.of(e.ShoeEnded)) == 1


@pytest.mark.parametrize("way", ["face_up", "exposed", "new_dealer"])
def test_the_cover_card_is_seen_whatever_lies_below_it(way: str) -> None:
    """A card set aside or a new dealer's burn does not hide the cover card that lies on it."""
    play = to_cover_card(Play("maryland").join("ann"), 0)
    if way == "new_dealer":
        play.do(c.ChangeDealer("dora"))
        play.start()
        assert play.of(e.CoverCardOut) == [e.CoverCardOut(0)]
        play.bet("ann", 1, primary=100).close().finish()
    else:
        play.start().bet("ann", 1, primary=100).close()
        play.do(c.FindFaceUp(DEALER) if way == "face_up" else c.DrawInError(DEALER, True))
        assert play.of(e.CoverCardOut) == [e.CoverCardOut(1)]
        play.finish()
    assert [event.reason for event in play.of(e.ShoeEnded)] == ["cover card"]
    assert play.ready("cut").due[0].player == "ann"


def test_a_cover_card_seen_between_rounds_ends_the_shoe() -> None:
    """No round is begun on a shoe whose cover card is out."""
    play = to_cover_card(Play("maryland").join("ann"), 0)
    play.do(c.FindFaceUp(DEALER))
    assert [event.reason for event in play.of(e.ShoeEnded)] == ["cover card"]


@proves("engine", "MD-8-E-1", "CA-deal-1a")
@pytest.mark.parametrize("book", ["maryland", "california"])
def test_first_card_burn(book: str) -> None:
    """The first card of each shoe goes to the rack unseen, after the cut and before any round."""
    play = Play(book).join("ann", "bob").ready()
    names = [type(event).__name__ for event in play.events]
    assert names.index("CutMade") < names.index("ShoeLoaded") < names.index("CardBurned")
    assert [event.why for event in play.of(e.CardBurned)] == ["first"]
    assert play.state.shoe is not None
    assert [dealt.use for dealt in shoes.rack(play.state.shoe)] == ["burn"]
    shown = table.view(play.state).shoe
    assert shown is not None
    assert [dealt.card for dealt in shown.drawn] == ["??"]
    play.do(c.OrderReshuffle(FLOOR, "worn"))
    play.ready()
    assert [event.why for event in play.of(e.CardBurned)] == ["first", "first"]


@proves("engine", "MD-8-E-4", "CA-deal-1c")
@pytest.mark.parametrize("book", ["maryland", "california"])
def test_new_dealer_burn(book: str) -> None:
    """A new dealer burns one card unseen before the next round, once."""
    play = Play(book).join("ann", "bob").round(bob=100)
    play.do(c.ChangeDealer("dora"))
    assert len(play.of(e.CardBurned)) == 1
    play.round(bob=100) if book == "maryland" else play.start().finish()
    assert [event.why for event in play.of(e.CardBurned)] == ["first", "new_dealer"]
    started = max(n for n, event in enumerate(play.events) if isinstance(event, e.RoundStarted))
    assert isinstance(play.events[started + 1], e.CardBurned)
    assert table.view_event(play.events[started + 1]) == e.CardBurned("new_dealer")
    play.start()
    assert len(play.of(e.CardBurned)) == 2
    assert play.refuses(c.ChangeDealer("dan")) == "round_open"


@pytest.mark.finding(9)
@proves("engine", "MD-8-E-4", "CA-deal-1c")
@pytest.mark.parametrize("book", ["maryland", "california"])
def test_another_dealer_finishes_a_round(book: str) -> None:
    """With cards out another dealer deals the war without a burn, and burns before the next one."""
    play = Play(book, staffed=True).join("ann", "bob").ready()
    play.do(c.ChangeDealer(DEALER))
    play.start().bet("bob", 2, primary=100)
    before = [event.why for event in play.of(e.CardBurned)]
    assert play.refuses(c.ChangeDealer("dora")) == "round_open"
    play.close().rig("9s 9d 2c 3c 4c Ks Qd")
    assert play.refuses(c.ChangeDealer("dora")) == "round_open"
    play.proceed()
    play.do(c.ChangeDealer("dora"))
    assert play.state.dealer == "dora"
    assert play.refuses(c.ChangeDealer("dora")) == "same_dealer"
    play.do(game.Choose("bob", 2, "war"), c.Proceed())
    assert not play.state.in_round
    assert [event.card for event in play.of(game.Dealt)] == ["9s", "9d", "Ks", "Qd"]
    assert [event.why for event in play.of(e.CardBurned)] == before
    play.start()
    assert [event.why for event in play.of(e.CardBurned)] == [*before, "new_dealer"]


@proves("engine", "MD-8-A")
def test_MD_8_A() -> None:
    """Every card of a round, dealt or burned, is the next one of the shoe."""
    play = Play("maryland").join("ann", "bob").start()
    play.bet("ann", 1, primary=100).bet("bob", 2, primary=100).close()
    play.rig("9s 9d 9c 2c 3c 4c Ks Kd Kh").proceed()
    play.do(game.Choose("ann", 1, "war"), game.Choose("bob", 2, "war"), c.Proceed())
    came = [event.card for event in play.events if isinstance(event, (game.Dealt, game.Burned))]
    assert play.state.shoe is not None
    assert tuple(came) == play.state.shoe.cards[1:10]
    assert play.refuses(c.Proceed()) == "no_round"


@proves("engine", "MD-9-F", "CA-round-4a")
@pytest.mark.parametrize("book", ["maryland", "california"])
def test_cards_collected_before_the_war(book: str) -> None:
    """Settled boxes' cards are racked before the war deal; those at war and the dealer's stay."""
    play = Play(book).join("ann", "bob", "cat", "eve").start()
    for player, box in (("bob", 2), ("cat", 3), ("eve", 4)):
        play.bet(player, box, primary=100)
    play.close().rig("9s Ad 9h 9c").proceed()
    assert play.of(e.CardsCollected) == []
    play.do(game.Choose("bob", 2, "war"), game.Choose("eve", 4, "surrender"))
    boxes = (3, 4) if book == "california" else (4, 3)
    assert play.of(e.CardsCollected) == [e.CardsCollected(boxes)]
    assert play.state.shoe is not None
    assert [dealt.box for dealt in shoes.felt(play.state.shoe)] == [2, 0]
    play.proceed()
    assert play.of(e.CardsCollected)[1:] == [e.CardsCollected((2, 0))]


@proves("engine", "NZ-1-round")
@pytest.mark.finding(13)
@pytest.mark.parametrize("end", ["settled", "war", "void", "left", "jammed"])
def test_NZ_1_round_is_closed_after_its_last_card_is_racked(end: str) -> None:
    """However a round ends, all its cards are in the rack when it is closed, and nothing lies."""
    play = Play("new-zealand", shuffle="batches" if end == "jammed" else "shoe")
    play.join("ann", "bob").start()
    play.bet("ann", 1, primary=100).bet("bob", 2, primary=100).close()
    play.rig("9s 9d 9c" if end == "war" else "9s 2d 8c")
    match end:
        case "settled":
            play.proceed()
        case "war":
            play.proceed().do(game.Choose("ann", 1, "war"), game.Choose("bob", 2, "surrender"))
            assert play.of(e.CardsCollected) == [e.CardsCollected((2,))]
            play.proceed()
        case "void":
            play.proceed(2).do(game.VoidRound("a spill"))
        case "left":
            play.do(game.Leave("ann"), c.Proceed())
        case _:
            play.proceed(1).do(c.Jam(DEALER))
    kinds = [type(event) for event in play.events]
    closed = kinds.index(game.Closed)
    assert kinds[closed - 1] is e.CardsCollected
    assert e.CardsCollected not in kinds[closed:]
    dealt = {event.box for event in play.of(game.Dealt)}
    assert {box for event in play.of(e.CardsCollected) for box in event.boxes} == dealt
    assert not play.state.in_round


@proves("engine", "NZ-1-round")
@pytest.mark.finding(13)
def test_NZ_1_round_without_a_card_has_none_to_rack() -> None:
    """A round that is void before its first card is closed at once."""
    play = Play("new-zealand").join("ann").start().bet("ann", 1, primary=100)
    play.do(game.VoidRound("a spill"))
    assert play.of(e.CardsCollected) == []
    assert len(play.of(game.Closed)) == 1


@proves("engine", "MD-9-K")
def test_MD_9_K() -> None:
    """After a war the rack has its cards box by box, with round, deal and box of each."""
    play = Play("maryland").join("ann", "bob").start()
    play.bet("ann", 1, primary=100).bet("bob", 2, primary=100).close()
    play.rig("9s 9d 9c 2c 3c 4c Ks Qd Kh").proceed()
    play.do(game.Choose("ann", 1, "war"), game.Choose("bob", 2, "war"), c.Proceed())
    assert play.state.shoe is not None
    rack = [(d.box, d.use, d.card) for d in shoes.rack(play.state.shoe) if d.box is not None]
    assert rack == [
        (2, "original", "9d"),
        (2, "war", "Qd"),
        (1, "original", "9s"),
        (1, "war", "Ks"),
        (0, "original", "9c"),
        (0, "war", "Kh"),
    ]


# The idle table


@proves("engine", "MD-5-I-1")
def test_MD_5_I_1() -> None:
    """An idle table's cards leave shoe and rack, and come back through look, wash and shuffle."""
    play = Play("maryland").join("ann").round(ann=100)
    play.do(game.Leave("ann"), c.GoIdle(DEALER))
    assert play.state.shoe is None
    assert [shoe.ended for shoe in play.finished] == ["idle table"]
    assert play.what == "players"
    play.join("bob")
    play.do(c.TurnUp("bob"))
    assert play.state.spread_up
    before = len(steps(play))
    play.ready()
    assert steps(play)[before:] == ["view", "turn", "wash", "stack"]
    assert offers(play) == ["bob"]
    assert not play.state.idle
    play.do(c.OrderReshuffle(FLOOR, "worn"))
    play.ready()
    assert len(steps(play)) == before + 4


def test_idle_is_no_way_around_the_inspection() -> None:
    """Cards that were never in use cannot be spread as an idle table's, nor a continuous one's."""
    play = Play("maryland").join("ann")
    assert play.refuses(c.GoIdle(DEALER)) == "no_cards_in_use"
    play.do(c.ReceiveDecks(DEALER, 0))
    assert play.refuses(c.GoIdle(DEALER)) == "no_cards_in_use"
    assert play.refuses(c.TurnUp("ann")) == "not_idle"
    play = Play("maryland", shuffle="continuous").join("ann").ready()
    assert play.refuses(c.GoIdle(DEALER)) == "no_idle_spread"


# Sealed seeds of older versions


@pytest.mark.finding(19)
def test_a_seal_of_somebody_else_is_not_decided_again() -> None:
    """A journal in which somebody seals who is not at the table, or has left it, does not hold."""
    play = Play("maryland").join("ann", "bob").ready("shuffle")
    play.do(game.Leave("bob"))
    for player in ("carol", "bob"):
        with pytest.raises(Illegal, match=f"{player} is not at this table"):
            play.again(SealSeed(player, "0" * 64))
    play.again(SealSeed("ann", "0" * 64))


def test_a_sealed_seed_must_be_opened() -> None:
    """The load of a shoe whose seal stays shut ends it, with its seed revealed; another follows."""
    play = Play("maryland").join("ann").ready("shuffle")
    terms = shoes.Terms("t1", 1, "shoe", 6)
    play.again(SealSeed("ann", seal_for(terms, "ann", b"a" * 32).seal))
    play.do(c.ShuffleCards(seed(1)))
    with pytest.raises(Illegal, match="between the cut and the load"):
        play.again(OpenSeed("ann", (b"a" * 32).hex()))
    play.do(c.Cut("ann", 100))
    with pytest.raises(Illegal, match="did not seal this seed"):
        play.again(OpenSeed("ann", (b"b" * 32).hex()))
    assert play.what == "load"
    play.do(c.LoadShoe(DEALER))
    assert [shoe.ended for shoe in play.finished] == ["a sealed seed was not opened"]
    assert play.what == "shuffle"


@pytest.mark.finding(12)
@pytest.mark.parametrize(("who", "cutter"), [("last", "ann"), ("next", "bob")])
def test_an_opened_seed_leaves_the_recut(who: Literal["last", "next"], cutter: str) -> None:
    """The floor may order a recut until the load, whatever seeds are open; then not any more."""
    play = Play("maryland").join("ann", "bob").ready("shuffle")
    terms = shoes.Terms("t1", 1, "shoe", 6)
    play.again(SealSeed("ann", seal_for(terms, "ann", b"a" * 32).seal))
    play.do(c.ShuffleCards(seed(1)), c.Cut("ann", 100))
    play.again(OpenSeed("ann", (b"a" * 32).hex()))
    play.do(c.OrderRecut(FLOOR, who, "slipped"))
    assert play.due == (Due("cut", cutter),)
    assert play.refuses(c.LoadShoe(DEALER)) == "cut_due"
    play.do(c.Cut(cutter, 30), c.LoadShoe(DEALER))
    shoe = play.state.shoe
    assert shoe is not None
    assert [(cut.player, cut.position) for cut in shoe.cuts] == [("ann", 100), (cutter, 30)]
    assert play.refuses(c.OrderRecut(FLOOR, who, "slipped")) == "no_recut"
    with pytest.raises(Illegal, match="already in the shoe"):
        play.again(OpenSeed("ann", (b"a" * 32).hex()))


def test_a_seed_is_used_once() -> None:
    """The seed of the shoe before is refused for the next."""
    play = Play("maryland").join("ann").ready("shuffle")
    play.do(c.ShuffleCards(seed(1)))
    play.ready().do(c.OrderReshuffle(FLOOR, "worn"))
    assert play.refuses(c.ShuffleCards(seed(1))) == "seed_used"
    assert play.refuses(c.ShuffleCards("")) == "seed"


def test_setups_that_open_no_table() -> None:
    """Every problem of a setup is told, and no table opens with it."""
    setup = table.new_setup(rules_of("maryland"), "t1")
    shoe = replace(setup.rules.shoe, cut_methods=("continuous",))
    wrong = [
        replace(setup, name=""),
        replace(setup, name="x" * 65),
        replace(setup, batches=("red", "b" * 33)),
        replace(setup, rules=replace(setup.rules, shoe=shoe)),
    ]
    for each in wrong:
        with pytest.raises(RulesError) as problem:
            table.start(each)
        assert len(problem.value.problems) == 1
    assert set(get_args(c.DeviceMark)) == {"covered", "signed"}
