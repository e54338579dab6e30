"""Cards at a table of one's own: whose numbers count, when they are asked for, and what is kept."""

from itertools import islice

from msgspec.structs import replace

from tables import FLOOR, Play, seed
from wartable import game, proof, table
from wartable.cards import HIDDEN
from wartable.croupier import PRIVATE, Act, act
from wartable.links import Links
from wartable.table import Due
from wartable.table import commands as c
from wartable.table import events as e
from wartable.table.draws import links_needed
from wartable.verify import Record, verify


def draws(play: Play) -> tuple[proof.Draw, ...]:
    """The draws of the shoe in use."""
    shoe = play.state.shoe
    assert shoe is not None
    assert shoe.proof is not None
    return shoe.proof.draws


def tied(boxes: int = 1, *others: str) -> Play:
    """Ann's own table, where her boxes, and those of others, tie."""
    play = Play("washington", own="ann").join("ann", *others).start()
    for box in range(1, boxes + 1):
        play.bet("ann" if box == 1 or not others else others[box - 2], box, primary=500)
    play.do(game.CloseBets(seed("deal")))
    for tried in range(10**6):  # a key that makes ties, as no number could be foreseen to do
        key = seed(f"tie {tried}")
        shoe = play.state.shoe
        assert shoe is not None
        # The card that was burned before the round is decided first.
        coming = proof.dealt(shoe.cards, bytes.fromhex(key), len(shoe.drawn) - 1)
        if len({card[0] for card in [*islice(coming, boxes + 2)][1:]}) == 1:
            break
    play.do(c.DecideCards(play.links.next(play.state), key), c.Proceed())
    assert {due.what for due in play.due} == {"choice"}
    return play


def test_the_number_with_the_last_choice_decides_the_war_cards() -> None:
    """The next link and the number of the choice decide the war, not those of the deal."""
    play = tied()
    play.do(game.Choose("ann", 1, "war", number=seed("war")))
    assert play.what == "cards"
    assert play.refuses(c.Proceed()) == "undecided"
    play.do(c.DecideCards(play.links.next(play.state)))
    first, second = draws(play)
    assert [each.number for each in first.numbers] == [seed("deal")]
    assert [each.number for each in second.numbers] == [seed("war")]
    assert second.first == 3  # the first burn, her card and the dealer's
    play.do(c.Proceed())
    assert not play.state.in_round


def test_the_platform_decides_and_deals_in_one_command() -> None:
    """It is what deciding and going on would be; where a dealer deals, the cards are only decided.

    Cards that have become too old are removed, and nobody gets one.
    """
    play = Play("maryland", own="ann").join("ann").start().bet("ann", 1, primary=500)
    play.do(game.CloseBets(seed("deal")))
    before, link = play.state, play.links.next(play.state)
    (due,) = play.due
    found = act(play.setup, before, due, PRIVATE, 0, play.clock, link).command
    assert found == c.DecideCards(link, deal=True, at_ms=play.clock)
    after, events = table.step(play.setup, before, found)
    only, decided = table.step(play.setup, before, c.DecideCards(link))
    then, dealt = table.step(play.setup, only, c.Proceed(at_ms=play.clock))
    assert (after, events) == (then, (*decided, *dealt))
    assert [type(event) for event in decided] == [e.CardsDecided]
    staffed = replace(play.setup, staffed=True)
    assert act(staffed, before, due, PRIVATE, 0, 0, link).command == c.DecideCards(link)
    old, events = table.step(play.setup, before, replace(found, at_ms=play.clock + 10**9))
    assert old.decks is None
    assert not [event for event in events if isinstance(event, game.Dealt)]


def test_a_number_before_the_last_choice_does_not_count() -> None:
    """While another choice is due nobody's number is taken; after it the owner is asked."""
    play = tied(2, "bob")
    play.do(game.Choose("ann", 1, "war", number=seed("early")))
    assert play.state.numbers == ()
    assert play.refuses(c.SendNumber("ann", seed("early"))) == "no_number"
    play.do(game.Choose("bob", 2, "war"))
    assert play.due == (Due("number", "ann"),)
    assert play.refuses(c.SendNumber("bob", seed("mine"))) == "no_number"
    play.do(c.SendNumber("ann", seed("late")))
    assert play.what == "cards"
    assert play.refuses(c.SendNumber("ann", seed("again"))) == "no_number"
    play.do(c.DecideCards(play.links.next(play.state)))
    assert [each.number for each in draws(play)[-1].numbers] == [seed("late")]


def test_only_the_owner_gives_numbers() -> None:
    """A number with somebody else's choice is refused, and so is one at a shared table."""
    play = tied(2, "bob")
    assert play.refuses(game.Choose("bob", 2, "war", number=seed("bob"))) == "no_number"
    shared = Play("washington").join("ann").start().bet("ann", 1, primary=500)
    assert shared.refuses(game.CloseBets(seed("ann"))) == "no_number"


def test_nobody_holds_up_the_cards() -> None:
    """After a while the platform decides without the number, and the record says so."""
    play = tied(2, "bob")
    play.do(game.Choose("ann", 1, "war"), game.Choose("bob", 2, "war"))
    (due,) = play.due
    link = play.links.next(play.state)
    wait_ms = PRIVATE.seed_ms
    early = act(play.setup, play.state, due, PRIVATE, 0, wait_ms - 1, link)
    assert early == Act(wake_ms=wait_ms)
    late = act(play.setup, play.state, due, PRIVATE, 0, wait_ms, link)
    assert late == Act(c.DecideCards(link, deal=True, at_ms=wait_ms))
    play.do(c.DecideCards(link))
    assert draws(play)[-1].numbers == ()
    play.finish().ready("start").do(c.OrderReshuffle(FLOOR, "enough"))
    steps = verify(Record((replace(play.finished[0]),)))
    (told,) = [step.sentence for step in steps if step.name == "incidents"]
    assert told.startswith("1 of 2 draws without a player's number; reshuffle ordered once by")


def test_who_left_is_not_asked() -> None:
    """An owner who leaves during the round is not waited for."""
    play = tied(2, "bob")
    play.do(game.Leave("ann"))
    play.do(game.Choose("bob", 2, "war"))
    assert play.what == "cards"


def test_who_sends_none_is_not_asked() -> None:
    """A program without numbers plays on; its draws are counted as those without one."""
    play = Play("online", own="ann").join("ann").round(ann=500)
    (shoe,) = play.finished
    assert shoe.proof is not None
    assert [draw.numbers for draw in shoe.proof.draws] == [()] * len(shoe.proof.draws)


def test_a_burned_card_is_decided_with_the_next_deal() -> None:
    """Nobody can have seen it before, so it cannot be found face up either."""
    play = Play("washington", own="ann").join("ann").start()
    shoe = play.state.shoe
    assert shoe is not None
    assert [dealt.card for dealt in shoe.drawn] == [HIDDEN]
    assert play.of(e.CardBurned)[0].card == HIDDEN
    assert play.refuses(c.FindFaceUp("dora")) == "undecided"
    assert play.refuses(c.DrawInError("dora", True)) == "undecided"
    play.bet("ann", 1, primary=500).do(game.CloseBets(seed("deal")))
    play.do(c.DecideCards(play.links.next(play.state)))
    shoe = play.state.shoe
    assert shoe is not None
    assert shoe.drawn[0].card in shoe.cards[:1]
    assert table.view(play.state).shoe.drawn[0].card == HIDDEN  # type: ignore[union-attr]  # in use


def test_a_table_of_the_older_kind_goes_on_with_links() -> None:
    """A shoe that an older version shuffled is played to its end; the next one is provable."""
    play = Play("washington").join("ann").start().bet("ann", 1, primary=500)
    play.own = "ann"
    play.links = Links("digest", "ann", lambda: seed("root"))
    play.do(game.CloseBets())
    assert play.what == "proceed"
    play.finish().do(c.OrderReshuffle(FLOOR, "new way"))
    play.ready("start")
    assert play.finished[0].proof is None
    shoe = play.state.shoe
    assert shoe is not None
    assert shoe.proof is not None
    assert shoe.proof.bound.before == proof.NO_RECORD
    play.round(ann=500).ready("start").do(c.OrderReshuffle(FLOOR, "enough"))
    assert [step for step in verify(Record(tuple(play.finished))) if not step.ok] == []


def test_a_chain_that_is_used_up_is_followed_by_another() -> None:
    """Before links run out a new end is published, and the records go on across the chains."""
    play = Play("online", own="ann").join("ann")
    least = links_needed(play.setup)
    play.ready("shuffle")
    assert play.refuses(c.StartChain("digest", "ann", links=least - 1, root=seed(1))) == "links"
    play.do(c.StartChain("digest", "ann", links=least, root=seed(1)))
    assert play.refuses(c.StartChain("digest", "ann", links=least, root=seed(1))) == "seed_used"
    play.round(ann=500).round(ann=500)
    chains = [event.end for event in play.of(e.ChainStarted)]
    assert len(set(chains)) == len(chains) >= 2
    assert [step for step in verify(Record(tuple(play.finished))) if not step.ok] == []


def test_every_link_follows_from_the_next() -> None:
    """The links of a chain are given one by one, each the hash of the one after it."""
    play = Play("online", own="ann").join("ann").ready()
    chain = play.state.chains[""]
    links = Links("digest", "ann", lambda: seed(1))
    last = chain.end
    for used in range(chain.links):
        state = replace(play.state, chains={"": replace(chain, used=used)})
        link = links.next(state)
        assert proof.link_before(bytes.fromhex(link)).hex() == last
        last = link
    assert last == chain.root
