"""A house that cheats: it knows every secret, has any number of players, and meets one honest page.

It plays the simplest game: one card for the honest player and one for the dealer, the higher wins,
and nothing is paid for a tie. By chance nobody gains. The house tries whatever the protocol lets
it try without stopping, voiding or skipping; what it gains over chance is measured.
"""

import hashlib
import math
import random
from collections.abc import Callable, Iterator
from itertools import count

import pytest
from msgspec.structs import replace

from tables import FLOOR, Play, seed
from wartable import game, proof, provable
from wartable import shoe as shoes
from wartable.cards import rank
from wartable.proof import Bound, PlayerNumber
from wartable.shoe import Shoe, Terms
from wartable.table import commands as c

ROUNDS = 20_000
TRIES = 4
"""How many roots, cuts or names the house tries before each thing that it publishes."""
ERRORS = 4
BOUND = Bound(
    book="book",
    order="on_deal",
    owner="ann",
    iterations=1,
    cut_min=10,
    burn_first=0,
    burn_new_dealer=0,
    burn_war=3,
    burn_war_when="once",
    cover_low=234,
    cover_high=234,
    labels=(),
    chain="0" * 64,
    links=1,
    used=0,
    anchor="0" * 64,
    before=proof.NO_RECORD,
)


def gain(nets: list[int]) -> tuple[float, float]:
    """The house's mean gain per round, and its standard error."""
    mean = sum(nets) / len(nets)
    spread = sum((net - mean) ** 2 for net in nets) / (len(nets) - 1)
    return mean, math.sqrt(spread / len(nets))


def compared(cards: tuple[str, ...], place: int) -> int:
    """What the house gets from a round: the player's card first, then the dealer's."""
    player, dealer = rank(cards[place]), rank(cards[place + 1])
    return (dealer > player) - (dealer < player)


class Page:
    """The honest page: a fresh random number for each draw, sent with Deal."""

    def __init__(self, number: int) -> None:
        self.random = random.Random(number)

    def number(self) -> str:
        """The number for the next draw."""
        return self.random.randbytes(32).hex()


def shoe_of(root: bytes, cut: int) -> tuple[Shoe, bytes]:
    """A shoe at the house's choice of root and of its own player's cut, and its only link."""
    end = proof.link_before(root).hex()
    bound = replace(BOUND, chain=end, anchor=end)
    shoe = provable.start(Terms("t", 1, "shoe", 6), bound)
    return shoes.load(shoes.cut(shoe, "bot", cut), (234, 234)), root


def dealt(shoe: Shoe, link: bytes, number: str) -> int:
    """What the house gets with this number of the honest player."""
    numbers = (PlayerNumber("ann", number),)
    key = proof.draw_key(link, provable.heard(shoe, numbers), 1)
    shoe = provable.decide(shoe, link, key, provable.next_draw(shoe, numbers, 1))
    cards = proof.decided(proof.decided(shoe.cards, key, 0), key, 1)
    return compared(cards, 0)


def roots(name: str) -> Iterator[bytes]:
    """Roots without end."""
    for number in count():
        yield hashlib.sha256(f"{name} {number}".encode()).digest()


def own_table(rounds: int, page: Page, known: Callable[[str], str]) -> list[int]:
    """A house that tries roots and cuts for the number that it expects, at a table of ann's own.

    `known` is what it knows of a number before it is sent: nothing, or for comparison all of it.
    """
    nets, fresh, guess = [], roots("own"), "00" * 32
    for at in range(rounds):
        number = page.number()
        guess = known(number) or guess
        tried = [shoe_of(next(fresh), 100 + turn) for turn in range(TRIES)]
        # The best of all by what it expects; only then the page presses Deal.
        best = max(tried, key=lambda each: dealt(each[0], each[1], guess))  # used at once
        nets.append(dealt(best[0], best[1], number))
        guess = number if at % 2 else guess
    return nets


def test_at_an_own_table_nothing_is_gained() -> None:
    """In 20,000 rounds the gain over chance is zero within four standard errors."""
    mean, error = gain(own_table(ROUNDS, Page(1), lambda _: ""))
    assert abs(mean) < ERRORS * error


def test_the_house_would_win_if_it_knew_the_number() -> None:
    """The same tries beat a page whose number is known before the shoe is published."""
    mean, error = gain(own_table(500, Page(2), lambda number: number))
    assert mean > 0.7
    assert mean > 10 * error


def sealed_seeds(rounds: int, page: Page) -> tuple[list[int], int]:
    """The older way: a house in disguise refuses to open its sealed seed when that suits it."""
    nets: list[int] = []
    refused = number = 0
    fresh = roots("sealed")
    while len(nets) < rounds:
        number += 1
        terms = Terms("t", number, "shoe", 6)
        honest, own = bytes.fromhex(page.number()), next(fresh)
        seals = [shoes.seal_for(terms, "ann", honest), shoes.seal_for(terms, "bot", own)]
        shoe = shoes.cut(shoes.start(terms, next(fresh), seals), "ann", 150)
        shoe = shoes.open_seal(shoe, "ann", honest)
        net = compared(shoes.load(shoes.open_seal(shoe, "bot", own), (234, 234)).cards, 0)
        if net < 0:
            refused += 1  # the shoe ends before a card is dealt, and the next one is made
            continue
        nets.append(net)
    return nets, refused


def test_the_same_house_beats_sealed_seeds() -> None:
    """Refusing to open wins nearly every first round that is not a tie, and verify cannot tell."""
    nets, refused = sealed_seeds(300, Page(3))
    mean, error = gain(nets)
    assert mean > 0.8
    assert mean > 10 * error
    assert refused > 50


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
