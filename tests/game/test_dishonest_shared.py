"""A house that cheats at shared tables: it knows every secret and has any number of bots.

It meets one honest page. A round is one box for the honest player, boxes of bots before it, and the
dealer; a tie goes to war, with three cards burned. The house may try whatever the protocol lets it
try without stopping, voiding or skipping. Its gain is compared with a house that tries nothing. A
calculation is counted, not timed: a list that closes after one was made closes too late.
"""

import hashlib
import math
import random
from collections.abc import Iterator
from itertools import count

import pytest
from msgspec.structs import replace

from test_dishonest_house import BOUND
from wartable import proof, provable
from wartable import shoe as shoes
from wartable.cards import DECK, rank
from wartable.proof import PlayerNumber, When
from wartable.shoe import Shoe, Terms

QUICK, DEEP = 2_500, 20_000
ERRORS = 4
BOTS_MAX = 2
BURNED = 3
CARDS_MAX = BOTS_MAX + 2 + BURNED + 2
"""The most cards that a round takes here."""
STEERED = 1.00
"""What two bots win over chance for each unit that the honest player stakes; docs/fairness.md."""
WARNS_AFTER = 0
"""A page warns if closing took a tenth of a calculation: if even one was made before."""


def secrets(name: str) -> Iterator[bytes]:
    """Secrets of the house without end."""
    for number in count():
        yield hashlib.sha256(f"{name} {number}".encode()).digest()


def compared(gain: list[int], other: list[int]) -> tuple[float, float]:
    """The difference of two means, and its standard error."""

    def mean(values: list[int]) -> float:
        return sum(values) / len(values)

    def variance(values: list[int]) -> float:
        middle = mean(values)
        return sum((each - middle) ** 2 for each in values) / (len(values) - 1) / len(values)

    return mean(gain) - mean(other), math.sqrt(variance(gain) + variance(other))


def net(cards: tuple[str, ...], at: int, bots: int, war: tuple[str, ...] | None = None) -> int:
    """What the house wins from the honest player by the cards from that place on.

    `war` are the cards from the war's first burn on, if they were ordered again.
    """
    player, dealer = rank(cards[at + bots]), rank(cards[at + bots + 1])
    if player != dealer:
        return 1 if dealer > player else -1
    after = cards[at + bots + 2 :] if war is None else war
    return -1 if rank(after[BURNED]) >= rank(after[BURNED + 1]) else 2


class House:
    """A house with its links, and the shoe that it has published."""

    def __init__(self, name: str, order: When) -> None:
        self.secrets, self.order = secrets(name), order
        self.evaluated = 0

    def shoe(self) -> tuple[Shoe, bytes]:
        """A published shoe at the house's own cut, and the link that comes next."""
        link = next(self.secrets)
        end = proof.link_before(link).hex()
        bound = replace(BOUND, owner="", order=self.order, chain=end, anchor=end)
        return shoes.cut(provable.start(Terms("t", 1, "shoe", 6), bound), "bot", 150), link

    def ordered(self, shoe: Shoe, link: bytes, *numbers: str) -> tuple[str, ...]:
        """One calculation: the cards by a list of numbers, the honest player's and bots'."""
        self.evaluated += 1
        listed = tuple(PlayerNumber(f"player {at}", each) for at, each in enumerate(numbers))
        key = proof.draw_key(link, provable.heard(shoe, listed), 1)
        if self.order == "shoe":
            return tuple(proof.order(6, key))
        cards: tuple[str, ...] = DECK * 6
        for place in range(CARDS_MAX):
            cards = proof.decided(cards, key, place)
        return cards[:CARDS_MAX]


def plain_shoe(rounds: int, tries: int, *, steers: bool, name: str) -> tuple[list[int], int]:
    """What a house wins with a plain shoe, and how many lists the honest page warned of.

    It tries so many numbers of its bots before it closes the list. Once the shoe is loaded it knows
    every card; if it steers, its bots sit out where that suits it.
    """
    house, page = House(name, "shoe"), random.Random(name)
    nets: list[int] = []
    warned = 0
    while len(nets) < rounds:
        shoe, link = house.shoe()
        honest = page.randbytes(32).hex()
        before = house.evaluated
        bots = [next(house.secrets).hex() for _ in range(max(1, tries))]
        if tries:
            bots.sort(key=lambda bot: -net(house.ordered(shoe, link, honest, bot), 0, 1))
        warned += house.evaluated - before > WARNS_AFTER
        cards, at = house.ordered(shoe, link, honest, bots[0]), 0
        while at + CARDS_MAX < 234 and len(nets) < rounds:
            options = range(BOTS_MAX + 1) if steers else (1,)
            won, best = max((net(cards, at, many), many) for many in options)
            nets.append(won)
            tied = rank(cards[at + best]) == rank(cards[at + best + 1])
            at += best + 2 + (BURNED + 2) * tied
            if tries:
                break  # only the first round was chosen
    return nets, warned


def after_bets(rounds: int, *, steers: bool, name: str) -> list[int]:
    """What a house wins where the cards are ordered after the bets, and again before the war.

    It chooses its bots' bets by the order that it expects, with the honest page's last number.
    """
    house, page = House(name, "after_bets"), random.Random(name)
    nets, expected = [], "00" * 32
    for _ in range(rounds):
        shoe, link = house.shoe()
        bot = next(house.secrets).hex()
        bots = 1
        if steers:
            guess = house.ordered(shoe, link, expected, bot)
            _, bots = max((net(guess, 0, many), many) for many in range(BOTS_MAX + 1))
        expected = page.randbytes(32).hex()  # only now the page is asked, and the list closes
        cards = house.ordered(shoe, link, expected, bot)
        war = house.ordered(shoe, next(house.secrets), page.randbytes(32).hex(), bot)
        nets.append(net(cards, 0, bots, war))
    return nets


@pytest.fixture(scope="module")
def by_chance(request: pytest.FixtureRequest) -> list[int]:
    """What a house wins that tries nothing."""
    rounds = DEEP if request.config.getoption("--deep") else QUICK
    nets, warned = plain_shoe(4 * rounds, 0, steers=False, name="honest")
    assert warned == 0
    return nets


def test_after_bets_nothing_is_gained(by_chance: list[int], deep: bool) -> None:
    """Bots that bet or sit out by what the house can expect gain nothing over chance."""
    gained, error = compared(
        after_bets(DEEP if deep else QUICK, steers=True, name="bets"), by_chance
    )
    assert abs(gained) < ERRORS * error


def test_a_plain_shoe_cannot_be_chosen_unseen(by_chance: list[int], deep: bool) -> None:
    """Without a calculation before the list closes nothing is gained; with some it is seen."""
    rounds = DEEP if deep else QUICK
    nets, warned = plain_shoe(rounds, 0, steers=False, name="blind")
    gained, error = compared(nets, by_chance)
    assert (warned, abs(gained) < ERRORS * error) == (0, True)
    nets, warned = plain_shoe(200, 4, steers=False, name="tries")
    gained, error = compared(nets, by_chance)
    assert gained > 10 * error
    assert warned == len(nets)


def test_a_plain_shoe_can_be_steered_by_whoever_knows_it(by_chance: list[int], deep: bool) -> None:
    """Two bots that bet or sit out by the known order win what docs/fairness.md says they win."""
    nets, warned = plain_shoe(DEEP if deep else QUICK, 0, steers=True, name="steers")
    gained, error = compared(nets, by_chance)
    assert warned == 0
    assert abs(gained - STEERED) < ERRORS * error
