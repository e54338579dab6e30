"""A table of one's own gives a house that cheats no way in: links, numbers, cards and records."""

import pytest

from tables import FLOOR, Play, seed
from wartable import game, proof
from wartable.proof import PlayerNumber
from wartable.table import commands as c


@pytest.fixture
def table() -> Play:
    """Ann's own table, where she has bet and pressed Deal."""
    play = Play("online", own="ann").join("ann").start().bet("ann", 1, primary=500)
    play.do(game.CloseBets(seed("ann")))
    return play


def test_the_table_takes_no_other_link(table: Play) -> None:
    """A link that is not the next one, an old one and one that is made up are refused."""
    chain = table.state.chains[""]
    later = proof.chain_end(bytes.fromhex(chain.root), chain.links - 2).hex()
    for link in (later, chain.end, chain.root, seed("mine")):
        assert table.refuses(c.DecideCards(link)) == "wrong_link"
    table.do(c.DecideCards(table.links.next(table.state)))
    assert table.refuses(c.DecideCards(later)) == "nothing_due"


def test_the_number_cannot_be_replaced(table: Play) -> None:
    """Once Deal brought a number, no other is taken for the same link, by anybody."""
    assert table.state.numbers == (PlayerNumber("ann", seed("ann")),)
    assert table.refuses(c.SendNumber("ann", seed("another"))) == "no_number"
    assert table.refuses(c.SendNumber("bob", seed("another"))) == "no_number"
    assert table.refuses(game.CloseBets(seed("another"))) == "bets_closed"
    table.do(c.DecideCards(table.links.next(table.state)))
    (draw,) = table.state.shoe.proof.draws  # type: ignore[union-attr]  # it is dealt from
    assert draw.numbers == (PlayerNumber("ann", seed("ann")),)


def test_no_card_is_dealt_before_its_link(table: Play) -> None:
    """Cards wait for the link, bets are closed by then, and no chain can be begun in between."""
    assert table.what == "cards"
    assert table.refuses(c.Proceed()) == "undecided"
    assert table.refuses(game.Bet("ann", 2, "primary", 500)) == "bets_closed"
    assert table.refuses(c.StartChain("digest", "ann", root=seed("new"))) == "shoe_in_use"


def test_stopping_is_counted(table: Play) -> None:
    """A void round and a shoe set aside stand in the record, with who ordered them and why."""
    table.do(c.DecideCards(table.links.next(table.state)))
    table.do(game.VoidRound("it does not suit", FLOOR))
    (shoe,) = table.finished
    assert shoe.proof is not None
    told = [(each.what, each.by, each.reason) for each in shoe.proof.incidents]
    assert told == [("round_voided", FLOOR, "it does not suit")]
    assert len(shoe.proof.draws) == 1
