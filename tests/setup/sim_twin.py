"""The simulator's clear twin: the same words, shuffles and cards in plain Python."""

from collections.abc import Iterator, Sequence
from math import prod

from wartable.cards import DECK, RANKS, SUITS, Card
from wartable.game import (
    Burn,
    Choose,
    Deal,
    DueBurn,
    DueCard,
    DueChoice,
    DueMeter,
    DueWheel,
    ReadMeter,
    Round,
    Spin,
    awaits,
    step,
)
from wartable.odds.wagers import meters_of
from wartable.sim import generator
from wartable.sim.job import Job
from wartable.sim.setup import SimulationSetup

State = tuple[int, int, int, int]


def gf_product(left: int, right: int) -> int:
    """The product of two polynomials over two elements, reduced."""
    total = 0
    for place in range(right.bit_length()):
        if right >> place & 1:
            total ^= left << place
    while total >> 256:
        total ^= generator.CHARACTERISTIC << (total.bit_length() - 257)
    return total


def leapt(state: State, polynomial: int) -> State:
    """The state moved on by the steps that a polynomial stands for."""
    sums = [0, 0, 0, 0]
    for place in range(256):
        if polynomial >> place & 1:
            sums = [a ^ b for a, b in zip(sums, state, strict=True)]
        _, state = generator.step(state)
    return sums[0], sums[1], sums[2], sums[3]


class Stream:
    """One piece of the seed's sequence."""

    def __init__(self, seed: int, piece: int) -> None:
        polynomial = 1
        for bit, leap in enumerate(generator.leaps()):
            if piece >> bit & 1:
                polynomial = gf_product(polynomial, leap)
        self.state = leapt(generator.seed_state(seed), polynomial)

    def word(self) -> int:
        """The next number."""
        number, self.state = generator.step(self.state)
        return number

    def below(self, bound: int) -> int:
        """A number below the bound, from the upper half of a word."""
        while True:
            product = (self.word() >> 32) * bound
            if product % 2**32 >= 2**32 % bound:
                return product >> 32

    def weighted(self, weights: Sequence[int]) -> int:
        """An index with these weights."""
        stop = self.below(sum(weights))
        for index, weight in enumerate(weights):
            stop -= weight
            if stop < 0:
                return index
        raise AssertionError("a stop is below the sum of the weights")


def parts(streams: list[Stream], bits: int) -> Iterator[int]:
    """The words of sixteen streams step by step, cut into parts, the low ones first."""
    while True:
        for stream in streams:
            word = stream.word()
            for shift in range(0, 64, bits):
                yield word >> shift & (1 << bits) - 1


def mixed(word: int, bits: int, bounds: Sequence[int]) -> list[int] | None:
    """Numbers below the bounds from one word, or None for a word to be rejected."""
    found = []
    for bound in bounds:
        product = word * bound
        found.append(product >> bits)
        word = product % (1 << bits)
    return found if word >= (1 << bits) % prod(bounds) else None


Dealt = tuple[Card, Card, tuple[Card, Card] | None]


def war_pairs(job: Job, lanes: list[Stream]) -> Iterator[tuple[int, int]]:
    """The numbers of the war deals: of each 256 words the first half with the second."""
    words = parts(lanes, 16)
    bounds = (52 * job.decks - 2, 52 * job.decks - 3)
    while True:
        block = [next(words) for _ in range(256)]
        for at in range(128):
            own = mixed(block[at], 16, bounds[:1])
            other = mixed(block[at + 128], 16, bounds[1:])
            if own is not None and other is not None:
                yield own[0], other[0]


def pair_rounds(job: Job, chunk: int) -> Iterator[Dealt]:
    """The cards of the rounds of the pairs kernel: the player's, the dealer's, those of the war."""
    lanes = [Stream(job.seed, chunk * 64 + lane) for lane in range(32)]
    words, wars = parts(lanes[:16], 16), war_pairs(job, lanes[16:])
    copies = 4 * job.decks
    while True:
        drawn = mixed(next(words), 16, (13, 52 * job.decks - 1))
        if drawn is None:
            continue
        rank, card = drawn
        others = [r for r in range(13) for _ in range(copies - (r == rank))]
        first, dealers = f"{RANKS[rank]}s", f"{RANKS[others[card]]}h"
        war = None
        if others[card] == rank and job.war:
            own, other = next(wars)
            # The tied rank counts as the lowest: its two missing cards are twos.
            left = [r for r in range(13) for _ in range(copies - 2 * (r == 0))]
            war = (f"{RANKS[left.pop(own)]}s", f"{RANKS[left[other]]}h")
        yield first, dealers, war


class Shoes:
    """The shoes of the other kernels, eight shuffled at a time."""

    def __init__(self, job: Job, chunk: int, suits: bool) -> None:
        self.job = job
        self.lanes = [Stream(job.seed, chunk * 64 + lane) for lane in range(16)]
        self.spare = Stream(job.seed, chunk * 64 + 32)
        ordered = [rank + suit for rank in RANKS for suit in SUITS for _ in range(job.decks)]
        self.stacks = [list(ordered) for _ in range(8)]
        assert sorted(set(ordered)) == sorted(DECK)
        self.suits = suits

    def eight(self) -> list[list[Card]]:
        """The next eight shoes, shuffled as far as the job's length."""
        count, length = 52 * self.job.decks, self.job.length
        words = []
        steps = -(-length * 8 // 128) * 4
        for _ in range(steps):
            for lane in self.lanes:
                word = lane.word()
                words += [word % 2**32, word >> 32]
        swaps = []
        for place in range(length * 8):
            bound = count - place // 8
            product = words[place] * bound
            if product % 2**32 < 2**32 % bound:
                swaps.append(self.spare.below(bound) + place // 8)
            else:
                swaps.append((product >> 32) + place // 8)
        for place in range(length * 8):
            stack = self.stacks[place % 8]
            here, there = place // 8, swaps[place]
            stack[here], stack[there] = stack[there], stack[here]
        return self.stacks

    def without_faced_up(self, stack: list[Card]) -> int:
        """Put the cards found face up behind the others; return the cards above the cover card."""
        kept, above = 0, self.job.cover
        if not self.job.faced_up:
            return above
        for place in range(self.job.length):
            if self.spare.below(2**32 - 1) < self.job.faced_up:
                above -= place < self.job.cover
            else:
                stack[kept], stack[place] = stack[place], stack[kept]
                kept += 1
        return above


class Deck:
    """Cards that a round takes from a shoe, one by one."""

    def __init__(self, cards: Sequence[Card], at: int, burned: bool) -> None:
        self.cards = cards
        self.at = at
        self.burned = burned

    def next(self) -> Card:
        """The next card."""
        self.at += 1
        return self.cards[self.at - 1]

    def burn(self) -> Burn:
        """The next card unseen; a fresh shoe's rounds do not draw it."""
        return Burn(self.next()) if self.burned else Burn()


def engine_round(
    setup: SimulationSetup, start: Round, deck: Deck, count: int, spins: Stream | None
) -> tuple[Round, Spin | None, int]:
    """A round dealt by the engine from a shoe; the count of the cards seen decides at a tie."""
    state, stop, read, rules = start, None, 0, setup.rules
    tags = dict(zip(RANKS, setup.policy.tags, strict=True))
    while not state.closed:
        match awaits(rules, state)[0]:
            case DueCard():
                card = deck.next()
                count += tags[card[0]]
                state, _ = step(rules, state, Deal(card))
            case DueBurn():
                state, _ = step(rules, state, deck.burn())
            case DueChoice(player=player, box=box):
                # All original cards are seen before anybody chooses, and all choose alike.
                left = len(deck.cards) - deck.at
                war = setup.policy.goes_to_war(setup.policy.counted(count, left))
                bonus = setup.plan.war_tie if war else 0
                choice = Choose(player, box, "war" if war else "surrender", bonus)
                state, _ = step(rules, state, choice)
            case DueMeter(meter=meter):
                read += 1
                shown = meters_of(setup.book, setup.meter if read == 1 else None)
                state, _ = step(rules, state, ReadMeter(meter, getattr(shown, meter)))
            case DueWheel(boxes=boxes):
                assert spins is not None
                assert rules.wagers.bonus_spin is not None
                wheel = rules.wagers.bonus_spin.wheel
                hot = list(wheel.hot_spot)[spins.weighted(list(wheel.hot_spot.values()))]
                near = list(wheel.community)[spins.weighted(list(wheel.community.values()))]
                stop = Spin(community=near) if hot == "none" else Spin(boxes[0], hot, near)
                state, _ = step(rules, state, stop)
    return state, stop, count
