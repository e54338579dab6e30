"""What anybody may see of a table: nothing that only the seed gives, and all the rest."""

import pytest
from msgspec.structs import replace

from tables import APPROVAL, DEALER, Play, rules_of, seed
from wartable import game, table
from wartable import shoe as shoes
from wartable.cards import HIDDEN
from wartable.proof import Draw
from wartable.rules import RulesError
from wartable.rules.model import Ratio
from wartable.table import commands as c
from wartable.table import events as e

pytestmark = pytest.mark.finding(19)

CHAIN = e.ChainStarted("0" * 64, 9, "digest", "", "shoe", 1, root="1" * 64)
DECIDED = e.CardsDecided(Draw(1, 0, 1, 0), "1" * 64, "2" * 64)
STARTED = e.ShoeStarted(shoes.Terms("t1", 1, "shoe", 6), "0" * 64, (), "1" * 64)
SECRETS: list[tuple[table.Event, table.Event]] = [
    (game.Burned("9s"), game.Burned(HIDDEN)),
    (e.CardBurned("first", "9s"), e.CardBurned("first", HIDDEN)),
    (STARTED, replace(STARTED, seed="")),
    (CHAIN, replace(CHAIN, root="")),
    (DECIDED, replace(DECIDED, link="", key="")),
]
"""Events that hold a secret, and as they are told."""


def test_an_event_is_told_without_its_secret() -> None:
    """Burned cards and seeds are left out, and nothing else is changed."""
    dealt = game.Dealt("original", 1, "9s")
    for event, told in SECRETS:
        assert table.view_event(event) == told
        assert table.view_events((dealt, event)) == (dealt, told)
    assert table.view_event(dealt) is dealt
    assert table.view_events((dealt,)) == (dealt,)


def test_a_table_is_seen_without_its_secrets() -> None:
    """The round's burned cards and both shoes are hidden as far as the seed gives them."""
    play = Play("california").join("ann", "bob").ready()
    play.do(c.ShuffleCards(seed("other"), DEALER))
    play.start().bet("bob", 2, primary=1000).close().rig("9s 9d").proceed()
    play.do(game.Choose("bob", 2, "war"), c.Proceed(1))
    state = play.state
    assert state.shoe is not None
    assert state.stored is not None
    assert state.round is not None
    assert len(state.round.burned) == 1
    assert table.view(state) == replace(
        state,
        round=replace(state.round, burned=(HIDDEN,)),
        shoe=shoes.public(state.shoe),
        stored=shoes.public(state.stored),
    )
    assert table.view(table.Table()) == table.Table()


def test_nobody_sees_the_root_of_a_chain() -> None:
    """Whoever knew it would know every link, and with the numbers every card."""
    play = Play("washington", shared="shoe").join("ann").ready()
    roots = [chain.root for chain in play.state.chains.values()]
    assert roots
    assert all(roots)
    seen = table.view(play.state).chains
    assert seen == {name: replace(each, root="") for name, each in play.state.chains.items()}


def problems_of(setup: table.Setup) -> list[str]:
    """Why a table cannot be opened."""
    try:
        table.start(setup)
    except RulesError as error:
        return list(error.problems)
    return []


def test_a_setup_at_its_edges() -> None:
    """Names and colours have their longest, and the cover card its highest and lowest place."""
    rules = rules_of("maryland")
    setup = table.new_setup(rules, "t1", approval=APPROVAL)
    assert problems_of(replace(setup, name="a" * 64)) == []
    assert problems_of(replace(setup, name="a" * 65)) == ["A table's name has 1 to 64 characters."]
    assert problems_of(replace(setup, name="")) == ["A table's name has 1 to 64 characters."]
    assert problems_of(replace(setup, batches=("a" * 32, "b"))) == []
    long = ["The colour of a batch has at most 32 characters."]
    assert problems_of(replace(setup, batches=("a", "b" * 33))) == long
    for share, told in (
        (Ratio(302, 312), []),
        (Ratio(303, 312), ["The cover card goes under 10 to 234 of 312 cards."]),
        (Ratio(78, 312), []),
        (Ratio(77, 312), ["The cover card goes under 10 to 234 of 312 cards."]),
    ):
        shoe = replace(rules.shoe, cover_from_bottom=share)
        assert problems_of(replace(setup, rules=replace(rules, shoe=shoe))) == told
    one = rules_of("online")
    anywhere = replace(one, shoe=replace(one.shoe, cover_from_bottom=Ratio(1, 312)))
    assert problems_of(table.new_setup(anywhere, "t1", approval=APPROVAL)) == []
