"""Cards at a shared table: whose numbers are listed, when the list closes, what orders cards."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tables import FLOOR, Play, seed
from wartable import game, proof, table
from wartable import shoe as shoes
from wartable.cards import DECK
from wartable.croupier import Act, Timing, act
from wartable.links import Links
from wartable.proof import PlayerNumber
from wartable.server.records.keys import HouseKey
from wartable.server.tables.versions import TableChain, TableVersion
from wartable.shoe import ShoeError
from wartable.table import Due
from wartable.table import commands as c
from wartable.table import draws as table_draws
from wartable.table import events as e
from wartable.verify import Record, verify

CROWD = 200
"""How many people a table takes."""


def draws(play: Play) -> tuple[proof.Draw, ...]:
    """The draws of the shoe in use."""
    shoe = play.state.shoe
    assert shoe is not None
    assert shoe.proof is not None
    return shoe.proof.draws


def asked(*players: str, book: str = "new-zealand") -> Play:
    """A shared table with these players, who are asked for their numbers."""
    play = Play(book, shared="shoe").join(*players).ready("number")
    assert play.due == tuple(Due("number", player) for player in players)
    return play


def test_everybodys_number_orders_the_shoe() -> None:
    """The list has all numbers and the cuts; with the next link it gives the order of the shoe."""
    play = asked("ann", "bob")
    play.do(c.SendNumber("bob", seed("b")), c.SendNumber("ann", seed("a")))
    assert play.what == "list"
    (closed,) = play.do(c.CloseNumbers())
    assert isinstance(closed, e.NumbersClosed)
    assert closed.numbers == (PlayerNumber("bob", seed("b")), PlayerNumber("ann", seed("a")))
    assert closed.cuts == play.state.shoe.cuts  # type: ignore[union-attr]  # it waits
    assert play.what == "cards"
    link = play.links.next(play.state)
    key = proof.draw_key(bytes.fromhex(link), bytes.fromhex(closed.heard), 1)
    play.do(c.DecideCards(link))
    assert play.what == "load"
    play.do(c.LoadShoe("dan"))
    assert play.state.shoe is not None
    assert play.state.shoe.cards == tuple(proof.dealt(DECK * play.setup.decks, key))
    assert sorted(play.state.shoe.cards) == sorted(DECK * play.setup.decks)
    assert draws(play)[0].numbers == closed.numbers


@pytest.mark.finding(19)
def test_an_undecided_shoe_gives_nothing() -> None:
    """Before the link is known no shoe is loaded and nothing chosen; a cover has one place."""
    shoe = asked("ann").state.shoe
    assert shoe is not None
    tries: list[Callable[[], object]] = [
        lambda: shoes.load(shoe, (200, 200)),
        lambda: shoes.derived_choice(shoe, shoes.HouseChoice("wheel", 0, ("a", "b"), (1, 1), 0)),
        lambda: shoes.load(shoe, (200, 201)),
    ]
    codes = []
    for each in tries:
        with pytest.raises(ShoeError) as refused:
            each()
        codes.append(refused.value.code)
    assert codes == ["undecided", "undecided", "cover"]


@pytest.mark.finding(19)
def test_a_batch_needs_links_of_its_own() -> None:
    """With links for one batch the other is not shuffled before the house commits to its own."""
    play = Play("california", shared="shoe").join("ann", "bob").ready("bank")
    assert play.due[1] == Due("shuffle", batch="blue")
    assert play.refuses(c.ShuffleCards("", "dan")) == "no_chain"
    chain = play.chain()
    assert chain is not None
    play.do(chain, c.ShuffleCards("", "dan"))


def test_a_number_counts_once_and_in_time() -> None:
    """A second number, a stranger's, one with a command and one after the end are refused."""
    play = asked("ann", "bob")
    play.do(c.SendNumber("ann", seed("a")))
    assert play.refuses(c.SendNumber("ann", seed("another"))) == "no_number"
    assert play.refuses(c.SendNumber("eve", seed("mine"))) == "no_number"
    assert play.refuses(c.DecideCards(play.links.next(play.state))) == "numbers_open"
    assert play.refuses(c.LoadShoe("dan")) == "order_due"
    play.do(c.CloseNumbers())
    assert play.refuses(c.SendNumber("bob", seed("late"))) == "numbers_closed"
    assert play.refuses(c.CloseNumbers()) == "nothing_due"
    assert play.refuses(c.LoadShoe("dan")) == "order_due"
    play.ready("start").start().bet("ann", 1, primary=500)
    assert play.refuses(game.CloseBets(seed("with it"))) == "no_number"
    assert play.refuses(c.SendNumber("ann", seed("a"))) == "no_number"


def test_ten_thousand_numbers_at_once() -> None:
    """One of them is listed, the others change nothing, and the list closes as before."""
    play = asked("ann", "bob")
    play.do(c.SendNumber("ann", seed(0)))
    before = play.state
    for number in range(10_000):
        assert play.refuses(c.SendNumber("ann", seed(number))) == "no_number"
    assert play.state is before
    play.do(c.CloseNumbers())
    assert [each.player for each in play.state.numbers] == ["ann"]


def test_a_list_is_bounded() -> None:
    """A whole crowd is listed, which is as large as a table lets it be and no larger."""
    play = Play("new-zealand", shared="shoe").join("ann")
    crowd = [f"guest {number}" for number in range(CROWD - 1)]
    play.do(*(c.Join(name, 1_000) for name in crowd))
    assert play.refuses(c.Join("one more", 1_000)) == "table_full"
    play.ready("number")
    while play.what == "number":
        play.do(play.plain(play.due[0]))
    assert len(play.state.numbers) == CROWD < proof.LIST_MAX
    assert play.what == "list"


def test_the_shuffle_waits_for_somebody() -> None:
    """Nothing is shuffled or ordered while nobody is there, whose number could be in it."""
    play = Play("washington", shared="shoe").ready("shuffle")
    play.do(play.plain(play.due[0]))
    assert isinstance(play.commands[-1], c.StartChain)
    assert play.what == "players"
    assert play.refuses(c.ShuffleCards("", "dan")) == "no_player"
    play.join("ann").ready("number")
    play.do(game.Leave("ann"))
    assert play.what == "players"
    assert play.refuses(c.CloseNumbers()) == "no_player"
    play.join("bob")
    assert play.due == (Due("number", "bob"),)
    play.ready("start")
    assert [each.player for each in draws(play)[0].numbers] == ["bob"]


def test_whoever_vanishes_holds_up_nobody() -> None:
    """The list closes without a player who left, and with the number of one who left after it."""
    play = asked("ann", "bob", "eve")
    play.do(c.SendNumber("ann", seed("a")), game.Leave("bob"), c.SendNumber("eve", seed("e")))
    play.do(game.Leave("eve"))
    assert play.what == "list"
    play.ready("start")
    assert [each.player for each in draws(play)[0].numbers] == ["ann", "eve"]


@pytest.mark.parametrize("decided", [False, True])
def test_a_recut_makes_a_new_list_and_a_new_order(decided: bool) -> None:
    """Everybody is asked anew, the cuts are all in it, and the record tells of it."""
    play = asked("ann")
    play.do(c.SendNumber("ann", seed("first")), c.CloseNumbers())
    if decided:
        play.ready("load")
    play.do(c.OrderRecut(FLOOR, "next", "not cut well"))
    assert play.state.numbers == ()
    play.ready("number")
    play.do(c.SendNumber("ann", seed("second")), c.CloseNumbers())
    (closed,) = play.of(e.NumbersClosed)[1:]
    assert len(closed.cuts) == 2
    play.ready("start")
    made = draws(play)
    assert [draw.cuts for draw in made] == ([1, 2] if decided else [2])
    assert made[-1].numbers == (PlayerNumber("ann", seed("second")),)
    play.start().bet("ann", 1, primary=500).close().finish()
    play.do(c.OrderReshuffle(FLOOR, "worn"))
    steps = verify(Record((play.finished[0],)))
    assert [step for step in steps if not step.ok] == []
    (told,) = [step.sentence for step in steps if step.name == "incidents"]
    assert f"recut ordered once by {FLOOR}" in told


def test_after_bets_nothing_is_ordered_before() -> None:
    """No card is known while bets are open; each deal has its own list, link and order."""
    play = Play("washington", shared="after_bets").join("ann", "bob").ready("start")
    assert draws(play) == ()
    play.start().bet("ann", 1, primary=500)
    assert play.refuses(c.DrawInError("dan", True)) == "undecided"
    play.do(game.CloseBets())
    assert [due.what for due in play.due] == ["number", "number"]
    while play.state.rounds < 60:
        if play.what == "start":
            play.start().bet("ann", 1, primary=500).do(game.CloseBets())
        elif play.what == "choice":
            play.do(game.Choose("ann", 1, "war"))
            assert play.what == "number"
        else:
            play.do(play.plain(play.due[0]))
    play.ready("start").do(c.OrderReshuffle(FLOOR, "this is enough"))
    for shoe in play.finished:
        assert shoe.proof is not None
        uses = {(each.round_number, each.use) for each in shoe.drawn if each.box is not None}
        assert len(shoe.proof.draws) == len(uses)
        assert all(len(draw.numbers) == 2 for draw in shoe.proof.draws)
    wars = [each for shoe in play.finished for each in shoe.drawn if each.use == "war"]
    assert wars
    assert all(step.ok for step in verify(Record(tuple(play.finished))))


def test_the_platform_waits_a_little_and_closes() -> None:
    """At once when all numbers are there; else when the time is over, at a staffed table too."""
    play = asked("ann", "bob")
    timing = Timing(number_ms=200)
    for staffed in (False, True):
        setup = replace(play.setup, staffed=staffed)
        waiting = act(setup, play.state, play.due[0], timing, 1_000, 1_199, "")
        assert waiting == Act(wake_ms=1_200)
        over = act(setup, play.state, play.due[0], timing, 1_000, 1_200, "")
        assert over == Act(c.CloseNumbers())
    assert act(play.setup, play.state, Due("list"), timing, 0, 0, "") == Act(c.CloseNumbers())


def test_numbers_that_trickle_in_prolong_nothing() -> None:
    """The time for a list counts from when it was opened, however many numbers come."""
    play = asked("ann", "bob", "eve")
    chain = TableChain(play.setup, Timing(), HouseKey(bytes(32)), 1)
    at = TableVersion((1, "0" * 64), play.state, play.due, 1_000, 0)
    for now_ms, player in enumerate(("ann", "bob"), 1_100):
        row = chain.row(at, now_ms, player, player, c.SendNumber(player, seed(player)))
        at = row.after
        assert at.since_ms == 1_000
    crowd: list[c.Command] = [c.Join("tom", 1_000), game.Leave("tom"), game.Leave("bob")]
    for now_ms, command in enumerate(crowd):
        at = chain.row(at, 1_110 + now_ms, f"{now_ms}", "tom", command).after
        assert at.since_ms == 1_000, "nor whoever comes and goes"
    last = chain.row(at, 1_150, "eve", "eve", c.SendNumber("eve", seed("eve")))
    assert last.after.due == (Due("list"),)


def test_another_setting_needs_another_chain() -> None:
    """Another order or number of iterations holds from the next shuffle on, after a new end."""
    play = Play("washington", shared="shoe").join("ann").ready("start")
    play.links = Links("digest", "", lambda: seed("another root"), "after_bets", 7)
    play.do(c.OrderReshuffle(FLOOR, "another setting"))
    assert play.what == "shuffle"
    play.ready("start")
    assert play.state.shoe is not None
    assert play.state.shoe.proof is not None
    bound = play.state.shoe.proof.bound
    assert (bound.order, bound.iterations, bound.used) == ("after_bets", 7, 0)
    assert bound.before == play.of(e.ShoeEnded)[0].record
    assert len(play.of(e.ChainStarted)) == 2


@pytest.mark.finding(19)
def test_a_chain_has_enough_links_for_a_shoe() -> None:
    """Two for each round of two cards, and some to spare; not one more than a chain may have."""
    play = Play("washington", shared="shoe").join("ann").ready("shuffle")
    needed = 6 * 52 + 32
    chain = play.chain()
    assert isinstance(chain, c.StartChain)
    for links in (needed - 1, proof.LINKS_MAX + 1):
        assert play.refuses(replace(chain, links=links)) == "links"
    assert play.refusal(replace(chain, links=proof.LINKS_MAX)) is None
    play.do(replace(chain, links=needed))
    assert not table_draws.chain_needed(play.setup, play.state, "")
    used = replace(play.state.chains[""], used=1)
    assert table_draws.chain_needed(play.setup, replace(play.state, chains={"": used}), "")


@pytest.mark.finding(19)
def test_no_chain_begins_for_a_batch_that_is_shuffled() -> None:
    """Neither the batch in play nor the one that the device stores gets other links."""
    play = Play("california", shared="shoe").join("ann", "bob").ready("bank")
    chain = play.chain()
    assert isinstance(chain, c.StartChain)
    play.do(chain, c.ShuffleCards("", "dan"))
    assert play.state.stored is not None
    for batch in ("red", "blue"):
        other = replace(chain, batch=batch, root=seed(batch))
        assert play.refuses(other) == "shoe_in_use"


@pytest.mark.finding(9)
def test_a_change_of_dealer_is_in_the_record_of_the_shoe_that_is_burned() -> None:
    """Within a shoe it is noted at once; before the next one, in that one's record, and once."""
    play = Play("maryland", shared="shoe").join("ann").ready()

    def changes() -> list[tuple[str, str]]:
        shoe = play.state.shoe
        assert shoe is not None
        assert shoe.proof is not None
        return [(each.what, each.by) for each in shoe.proof.incidents]

    play.do(c.ChangeDealer("dan"))
    play.start()
    assert changes() == [("dealer_changed", "dan")]
    play.finish().start()
    assert len([each for each in changes() if each[0] == "dealer_changed"]) == 1
    play.finish()
    play.do(c.OrderReshuffle(FLOOR, "worn"), c.ChangeDealer("dora"))
    play.start()
    assert changes() == [("dealer_changed", "dora")]
    play.finish().start()
    assert [by for what, by in changes() if what == "dealer_changed"] == ["dora"]


@pytest.mark.finding(19)
def test_nobody_sees_what_orders_the_cards() -> None:
    """The key that gives the order of a shoe in use is the house's alone, and so is the stack."""
    shoe = Play("new-zealand", shared="shoe").join("ann").ready().state.shoe
    assert shoe is not None
    assert shoe.proof is not None
    assert shoe.proof.key
    seen = shoes.public(shoe)
    assert seen.proof == replace(shoe.proof, key="")
    assert (seen.seed, seen.cards) == ("", ())


@pytest.mark.finding(19)
def test_cards_that_are_decided_may_be_dealt_at_once() -> None:
    """With the word to deal, the link deals until people must act; without it, no card."""
    for deal, cards in ((True, 2), (False, 0)):
        play = Play("washington", shared="after_bets").join("ann").start()
        play.bet("ann", 1, primary=500).do(game.CloseBets(), c.CloseNumbers())
        play.do(c.DecideCards(play.links.next(play.state), deal=deal))
        assert play.state.round is not None
        assert len(play.of(game.Dealt)) == cards


@pytest.mark.finding(19)
def test_a_void_round_asks_for_no_cards_any_more() -> None:
    """Cards that nobody had decided are not decided afterwards, by a number or by a link."""
    play = Play("washington", shared="after_bets").join("ann").start()
    play.bet("ann", 1, primary=500).do(game.CloseBets())
    assert play.state.undecided
    link = play.links.next(play.state)
    play.do(game.VoidRound("an order"))
    assert not play.state.in_round
    assert not table_draws.chance_due(play.setup, play.state)
    assert play.refusal(c.DecideCards(link)) is not None
    assert play.refusal(c.CloseNumbers()) is not None


@pytest.mark.finding(19)
def test_a_record_has_every_choice_of_the_wheel() -> None:
    """Whoever checks a shoe finds the stops, the boxes and the symbols with their weights."""
    play = Play("maryland", shared="shoe").join("ann").ready()
    spin = play.setup.rules.wagers.bonus_spin
    shoe = play.state.shoe
    assert spin is not None
    assert shoe is not None
    assert shoe.proof is not None
    told = {each.name: (each.options, each.weights) for each in shoe.proof.bound.labels}
    wheel = spin.wheel
    assert told == {
        "wheel": (tuple(wheel.hot_spot), tuple(wheel.hot_spot.values())),
        "hot-spot": (tuple("123456789"), ()),
        "community": (tuple(wheel.community), tuple(wheel.community.values())),
    }


@pytest.mark.finding(19)
def test_nothing_is_decided_where_nothing_is_due() -> None:
    """Without a shoe, between rounds or at one's own table no list is closed, no card decided."""
    empty = Play("washington")
    assert not table_draws.order_due(empty.setup, empty.state)
    assert empty.refuses(c.DecideCards(seed(1))) == "nothing_due"
    between = Play("washington", shared="shoe").join("ann").ready()
    assert between.refuses(c.CloseNumbers()) == "nothing_due"
    idle = replace(between.state, undecided=True, round=None)
    assert not table_draws.chance_due(between.setup, idle)
    own = Play("washington", own="ann").join("ann").start().bet("ann", 1, primary=500)
    own.do(game.CloseBets())
    assert own.refuses(c.CloseNumbers()) == "nothing_due"


@pytest.mark.finding(19)
def test_who_leaves_is_not_asked_for_a_number() -> None:
    """After the bets only those who stay are asked; what was listed is used up with the cards."""
    play = Play("washington", shared="after_bets").join("ann", "bob").start()
    play.bet("ann", 1, primary=500).bet("bob", 2, primary=500)
    play.do(game.CloseBets(), game.Leave("ann"))
    assert table_draws.numbers_due(play.state) == ("bob",)
    play.do(c.SendNumber("bob", seed("b")), c.CloseNumbers())
    listed = play.state.numbers
    assert [each.player for each in listed] == ["bob"]
    told = e.NumbersClosed((*listed, PlayerNumber("eve", seed("e"))), (), "0" * 64)
    assert table.apply(play.state, told).numbers == told.numbers
    play.do(c.DecideCards(play.links.next(play.state)))
    assert (play.state.numbers, play.state.numbers_closed, play.state.undecided) == (
        (),
        False,
        False,
    )
