"""A house that cheats, with bots at the table: it knows every secret and has any number of them.

It meets one honest page. A round is one box for the honest player, boxes of bots before it, and the
dealer; a tie goes to war, with three cards burned. The house may try whatever the protocol lets it
try without stopping, voiding or skipping. Its gain is compared with a house that tries nothing. A
calculation is counted, not timed: a list that closes after one was made closes too late.
"""

import hashlib
import math
import random
from collections.abc import Iterator
from itertools import count, islice

import pytest
from msgspec.structs import replace

from wartable import proof, provable
from wartable import shoe as shoes
from wartable.cards import DECK, rank
from wartable.proof import Bound, PlayerNumber, When
from wartable.shoe import Shoe, Terms, Use

QUICK, DEEP = 2_500, 20_000
ERRORS = 4
BOTS_MAX = 2
TRIES = 3
"""How many roots the house tries for each shoe that it publishes."""
BURNED = 3
CARDS_MAX = BOTS_MAX + 2 + BURNED + 2
"""The most cards that a round takes here."""
STEERED = 1.00
"""What two bots win over chance for each unit that the honest player stakes; docs/fairness.md."""
WARNS_AFTER = 0
"""A page warns if closing took a tenth of a calculation: if even one was made before."""
BOUND = Bound(
    book="book",
    order="on_deal",
    owner="ann",
    iterations=1,
    cut_min=10,
    deal_order="clockwise",
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


def net(cards: tuple[str, ...], at: int, bots: int) -> int:
    """What the house wins from the honest player by the cards from that place on."""
    player, dealer = rank(cards[at + bots]), rank(cards[at + bots + 1])
    if player != dealer:
        return 1 if dealer > player else -1
    return _war(cards[at + bots + 2 :], 0)


class House:
    """A house with its links, and the shoe that it has published."""

    def __init__(self, name: str, order: When) -> None:
        self.secrets, self.order = secrets(name), order
        self.evaluated = 0

    def shoe(self) -> tuple[Shoe, bytes, bytes]:
        """A published shoe at the house's own cut, and the two links that come next."""
        root = next(self.secrets)
        link = proof.link_before(root)
        end = proof.link_before(link).hex()
        owner = "player 0" if self.order == "on_deal" else ""
        bound = replace(BOUND, owner=owner, order=self.order, chain=end, anchor=end, links=2)
        shoe = shoes.cut(provable.start(Terms("t", 1, "shoe", 6), bound), "bot", 150)
        return (shoe if self.order == "shoe" else shoes.load(shoe, (234, 234))), link, root

    def listed(self, *numbers: str) -> tuple[PlayerNumber, ...]:
        """The numbers that decide cards, the honest player's first; at own tables alone."""
        counted = numbers[:1] if self.order == "on_deal" else numbers
        return tuple(PlayerNumber(f"player {at}", each) for at, each in enumerate(counted))

    def key(self, shoe: Shoe, link: bytes, *numbers: str) -> bytes:
        """One calculation."""
        self.evaluated += 1
        return proof.draw_key(link, provable.heard(shoe, self.listed(*numbers)), 1)

    def ordered(self, shoe: Shoe, link: bytes, *numbers: str) -> tuple[str, ...]:
        """The order of a whole shoe by a list of numbers."""
        return tuple(proof.dealt(DECK * 6, self.key(shoe, link, *numbers)))

    def coming(self, shoe: Shoe, link: bytes, count: int, *numbers: str) -> tuple[str, ...]:
        """The next cards of a shoe whose cards are decided deal by deal, if these numbers come."""
        key = self.key(shoe, link, *numbers)
        return tuple(islice(proof.dealt(shoe.cards, key, len(shoe.drawn)), count))

    def deals(self, shoe: Shoe, link: bytes, uses: str, *numbers: str) -> Shoe:
        """The shoe after a draw and a deal by it: `o` an original card, `b` a burn, `w` for war."""
        key = self.key(shoe, link, *numbers)
        draw = provable.next_draw(shoe, self.listed(*numbers), 1)
        shoe = provable.decide(shoe, link, key, draw)
        for use in uses:
            kind: Use = "original" if use == "o" else "war" if use == "w" else "burn"
            _, shoe = shoes.draw(shoe, kind, 1, None if use == "b" else 1)
        return shoe


def plain_shoe(rounds: int, tries: int, *, steers: bool, name: str) -> tuple[list[int], int]:
    """What a house wins with a plain shoe, and how many lists the honest page warned of.

    It tries so many numbers of its bots before it closes the list. Once the shoe is loaded it knows
    every card; if it steers, its bots sit out where that suits it.
    """
    house, page = House(name, "shoe"), random.Random(name)
    nets: list[int] = []
    warned = 0
    while len(nets) < rounds:
        shoe, link, _ = house.shoe()
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


def by_deals(
    order: When, rounds: int, *, steers: bool, name: str, knows: bool = False
) -> list[int]:
    """What a house wins where cards are decided after the bets, and again after the last choice.

    It chooses its root and its bots' bets by the numbers that it expects, the honest page's last
    one among them; and by those again which of its tied bots go to war. If it `knows`, it sees the
    page's numbers before they are sent, as no house can: then it must win.
    """
    house, page = House(name, order), random.Random(name)
    nets: list[int] = []
    expected = "00" * 32
    for _ in range(rounds):
        number, war_number = page.randbytes(32).hex(), page.randbytes(32).hex()
        bot = next(house.secrets).hex()
        shoe, bots = house.shoe(), 1
        if steers:
            guess = number if knows else expected
            tried = [(house.shoe(), many) for _ in range(TRIES) for many in range(BOTS_MAX + 1)]

            def hoped(option: tuple[tuple[Shoe, bytes, bytes], int]) -> int:
                (one, link, _), many = option
                return net(house.coming(one, link, CARDS_MAX, guess, bot), 0, many)  # noqa: B023  # used at once

            shoe, bots = max(tried, key=hoped)
        nets.append(_dealt(house, shoe, bots, (number, bot), (war_number, bot), steers, knows))
        expected = number
    return nets


def _dealt(
    house: House,
    published: tuple[Shoe, bytes, bytes],
    bots: int,
    numbers: tuple[str, str],
    war_numbers: tuple[str, str],
    steers: bool,
    knows: bool,
) -> int:
    """What the house wins in one round, whose numbers come when the bets are closed."""
    shoe, link, root = published
    shoe = house.deals(shoe, link, "o" * (bots + 2), *numbers)
    ranks = [rank(each.card) for each in shoe.drawn]
    player, dealer = ranks[bots], ranks[bots + 1]
    if player != dealer:
        return 1 if dealer > player else -1
    tied = ranks[:bots].count(dealer)
    # The bots have chosen before the page sends the number with which the war is dealt.
    guess = war_numbers if knows else numbers
    going = tied
    if steers and tied:
        options = [
            (_war(house.coming(shoe, root, BURNED + many + 2, *guess), many), many)
            for many in range(tied + 1)
        ]
        going = max(options)[1]
    shoe = house.deals(shoe, root, "b" * BURNED + "w" * (going + 2), *war_numbers)
    return _war(tuple(each.card for each in shoe.drawn[bots + 2 :]), going)


def _war(cards: tuple[str, ...], bots: int) -> int:
    """What the house wins from a war, in which so many bots get a card before the player."""
    player, dealer = cards[BURNED + bots], cards[BURNED + bots + 1]
    return -1 if rank(player) >= rank(dealer) else 2


def sealed_seeds(rounds: int, name: str) -> tuple[list[int], int]:
    """The older way: a house in disguise refuses to open its sealed seed when that suits it."""
    page, fresh = random.Random(name), secrets(name)
    nets: list[int] = []
    refused = 0
    while len(nets) < rounds:
        terms = Terms("t", len(nets) + refused + 1, "shoe", 6)
        honest, own = page.randbytes(32), next(fresh)
        seals = [shoes.seal_for(terms, "ann", honest), shoes.seal_for(terms, "bot", own)]
        shoe = shoes.cut(shoes.start(terms, next(fresh), seals), "ann", 150)
        shoe = shoes.open_seal(shoe, "ann", honest)
        won = net(shoes.load(shoes.open_seal(shoe, "bot", own), (234, 234)).cards, 0, 0)
        if won < 0:
            refused += 1  # the shoe ends before a card is dealt, and the next one is made
        else:
            nets.append(won)
    return nets, refused


@pytest.fixture(scope="module")
def by_chance(request: pytest.FixtureRequest) -> list[int]:
    """What a house wins that tries nothing."""
    rounds = DEEP if request.config.getoption("--deep") else QUICK
    nets, warned = plain_shoe(4 * rounds, 0, steers=False, name="honest")
    assert warned == 0
    return nets


@pytest.mark.parametrize("order", ["on_deal", "after_bets"])
def test_nothing_is_gained(by_chance: list[int], deep: bool, order: When) -> None:
    """Roots, bets and wars of bots by what the house can expect gain nothing over chance."""
    rounds = DEEP if deep else QUICK
    gained, error = compared(by_deals(order, rounds, steers=True, name=order), by_chance)
    assert abs(gained) < ERRORS * error


@pytest.mark.parametrize("order", ["on_deal", "after_bets"])
def test_the_house_would_win_if_it_knew_the_numbers(by_chance: list[int], order: When) -> None:
    """The same tries win nearly every round from a page whose numbers are known beforehand."""
    nets = by_deals(order, 300, steers=True, name=f"{order} known", knows=True)
    gained, error = compared(nets, by_chance)
    assert gained > 0.7
    assert gained > 10 * error


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


def test_the_same_house_beats_sealed_seeds(by_chance: list[int]) -> None:
    """Refusing to open wins every first round, and verify cannot tell."""
    nets, refused = sealed_seeds(300, "sealed")
    gained, error = compared(nets, by_chance)
    assert gained > 0.8
    assert gained > 10 * error
    assert refused > 50
