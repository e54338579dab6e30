"""The battery's measures: each looks at whole shoes of dealt cards and ends in chances.

Cards of one shoe depend on one another, so no measure takes them for independent. Either the
exact covariance of a shuffled shoe is known (`Places`), or one value is taken from each shoe
(`Collector`), or a shoe is one vector whose exact mean is known and whose covariance is
estimated from the shoes themselves (`Means`, Hotelling's T-squared).
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import accumulate, combinations, pairwise, product
from operator import mul
from typing import NamedTuple, Protocol

from wartable.battery.tails import (
    chi_square_tail,
    f_tail,
    normal_tail,
    poisson_two_sided,
    two_sided,
)
from wartable.cards import DECK, RANKS

TYPES = len(DECK)
TENTHS = 10
BOXES = 7  # and the dealer: a round's original deal is eight cards
SEATS = BOXES + 1
LAGS_MAX = 24
HAND = 5
RARE = 0.1  # times a shoe: too rare for a mean over some hundred shoes to be near normal
COLLECTOR_BINS = 10
OPENING_MAX = 10
SPREAD = sum((place - 6) ** 2 for place in range(len(RANKS)))  # of the ranks about their middle

_TYPE = {card: place for place, card in enumerate(DECK)}


class Dealt(NamedTuple):
    """A shoe's cards as dealt: types 0 to 51, ranks 0 to 12 and whether each is red."""

    types: list[int]
    ranks: list[int]
    reds: list[bool]


class Result(NamedTuple):
    """One statistic, its freedom (0 if it has none) and the chance of one as far out."""

    name: str
    statistic: float
    freedom: int
    chance: float


class Measure(Protocol):
    """Something that is shown every shoe and then tells its results."""

    def add(self, dealt: Dealt) -> None:
        """Take one shoe."""

    def results(self) -> Iterator[Result]:
        """What the shoes so far say."""


def dealt_from(cards: Sequence[str]) -> Dealt:
    """The shoe as numbers."""
    types = [_TYPE[card] for card in cards]
    ranks = [each % len(RANKS) for each in types]
    return Dealt(types, ranks, [13 <= each < 39 for each in types])


class Places:
    """Total distribution: which card comes at which place, and in which tenth of the shoe."""

    def __init__(self, decks: int) -> None:
        self.size = TYPES * decks
        self.shoes = 0
        self.counts = [0] * (self.size * TYPES)
        self.starts = range(0, self.size * TYPES, TYPES)

    def add(self, dealt: Dealt) -> None:
        """Take one shoe."""
        self.shoes += 1
        counts = self.counts
        for start, each in zip(self.starts, dealt.types, strict=True):
            counts[start + each] += 1

    def results(self) -> Iterator[Result]:
        """Chi-square of card by place and by tenth, and the largest deviation by tenth."""
        yield self._chi_square("card by place", [1] * self.size, self.counts)
        edges = [self.size * tenth // TENTHS for tenth in range(TENTHS + 1)]
        widths = [high - low for low, high in pairwise(edges)]
        tenths = [
            sum(self.counts[place * TYPES + each] for place in range(low, high))
            for low, high in pairwise(edges)
            for each in range(TYPES)
        ]
        yield self._chi_square("card by tenth", widths, tenths)
        yield self._largest(widths, tenths)

    def _chi_square(self, name: str, widths: list[int], counts: list[int]) -> Result:
        total = 0.0
        for row, width in enumerate(widths):
            due = self.shoes * width / TYPES
            cells = counts[row * TYPES : (row + 1) * TYPES]
            total += sum((count - due) ** 2 for count in cells) / due
        # A shuffled shoe has no card twice: the covariance is a multinomial's times N / (N - 1).
        total *= (self.size - 1) / self.size
        freedom = (len(widths) - 1) * (TYPES - 1)
        return Result(name, total, freedom, two_sided(chi_square_tail(total, freedom)))

    def _largest(self, widths: list[int], counts: list[int]) -> Result:
        largest = 0.0
        for cell, count in enumerate(counts):
            share = widths[cell // TYPES] / self.size
            due = self.shoes * share * self.size / TYPES
            each = 1 / TYPES
            spread = due * (1 - each) * (1 - share) * self.size / (self.size - 1)
            largest = max(largest, abs(count - due) / math.sqrt(spread))
        chance = min(1.0, 2 * normal_tail(largest) * len(counts))
        return Result("largest deviation by tenth", largest, 0, chance)


class Means:
    """A vector from each shoe against its exact mean."""

    def __init__(
        self, name: str, means: Sequence[float], vector: Callable[[Dealt], Sequence[float]]
    ) -> None:
        self.name = name
        self.means = means
        self.vector = vector
        self.shoes = 0
        self.sums = [0.0] * len(means)
        self.products = [[0.0] * (row + 1) for row in range(len(means))]

    def add(self, dealt: Dealt) -> None:
        """Take one shoe."""
        self.add_vector(self.vector(dealt))

    def add_vector(self, vector: Sequence[float]) -> None:
        """Take one shoe's vector."""
        self.shoes += 1
        away = [value - mean for value, mean in zip(vector, self.means, strict=True)]
        for row, value in enumerate(away):
            self.sums[row] += value
            products = self.products[row]
            for column in range(row + 1):
                products[column] += value * away[column]

    def results(self) -> Iterator[Result]:
        """Hotelling's T-squared."""
        size, shoes = len(self.means), self.shoes
        mean = [total / shoes for total in self.sums]
        covariance = [
            [
                (self.products[row][column] - shoes * mean[row] * mean[column]) / (shoes - 1)
                for column in range(row + 1)
            ]
            for row in range(size)
        ]
        distance = squared_distance(covariance, mean)
        if math.isinf(distance):
            yield Result(self.name, distance, size, 0.0)
            return
        value = shoes * distance * (shoes - size) / (size * (shoes - 1))
        yield Result(self.name, shoes * distance, size, f_tail(value, size, shoes - size))


def squared_distance(covariance: list[list[float]], vector: list[float]) -> float:
    """The vector's squared length by the covariance (lower triangle); infinite if it is flat."""
    root: list[list[float]] = []
    solved: list[float] = []
    for row, line in enumerate(covariance):
        made: list[float] = []
        for column in range(row):
            done = sum(map(mul, made, root[column]))
            made.append((line[column] - done) / root[column][column])
        left = line[row] - sum(map(mul, made, made))
        if left <= 1e-9 * line[row]:
            return math.inf
        solved.append((vector[row] - sum(map(mul, made, solved))) / math.sqrt(left))
        root.append([*made, math.sqrt(left)])
    return sum(each * each for each in solved)


def overlaps(decks: int) -> Means:
    """Overlapping triples of neighbours by how their ranks compare (13 ways)."""
    size, copies = TYPES * decks, 4 * decks
    ways: dict[tuple[int, ...], int] = {}
    table, weights = [], Counter[int]()
    for triple in product(range(len(RANKS)), repeat=3):
        levels = sorted(set(triple))
        way = ways.setdefault(tuple(levels.index(each) for each in triple), len(ways))
        table.append(way)
        first, second, third = triple
        weight = copies * (copies - (first == second))
        weights[way] += weight * (copies - (first == third) - (second == third))
    orders = size * (size - 1) * (size - 2)
    # The last way is what is left over, and would make the covariance flat.
    kept = range(len(ways) - 1)
    means = [float(Fraction(weights[way] * (size - 2), orders)) for way in kept]

    def vector(dealt: Dealt) -> Sequence[float]:
        ranks = dealt.ranks
        triples = zip(ranks, ranks[1:], ranks[2:], strict=False)
        counts = Counter(table[169 * a + 13 * b + c] for a, b, c in triples)
        return [counts[way] for way in kept]

    return Means("overlapping triples", means, vector)


def hands(decks: int) -> Means:
    """Hands of five neighbours by their poker pattern: one pair, two pairs, three, better."""
    size, copies = TYPES * decks, 4 * decks
    pairs, ranks = math.comb(copies, 2), len(RANKS)
    ways = [
        math.comb(ranks, 5) * copies**5,
        ranks * pairs * math.comb(ranks - 1, 3) * copies**3,
        math.comb(ranks, 2) * pairs**2 * (ranks - 2) * copies,
        ranks * math.comb(copies, 3) * math.comb(ranks - 1, 2) * copies**2,
    ]
    every = math.comb(size, HAND)
    ways.append(every - sum(ways))
    means = [float(Fraction(way * (size // HAND), every)) for way in ways]
    # With one deck the better hands are so rare that they are counted with three of a kind.
    rare = means[-1] < RARE
    if rare:
        means[3] += means[4]

    def vector(dealt: Dealt) -> Sequence[float]:
        counts = [0] * 5
        for start in range(0, size - HAND + 1, HAND):
            hand = dealt.ranks[start : start + HAND]
            unlike = len(set(hand))
            if unlike >= 4:
                counts[5 - unlike] += 1
            elif unlike == 3:
                counts[3 if max(map(hand.count, hand)) == 3 else 2] += 1
            else:
                counts[3 if rare else 4] += 1
        return counts[1 : 4 if rare else 5]

    return Means("hands of five", means[1 : 4 if rare else 5], vector)


def rising_runs(decks: int) -> Means:
    """Runs of strictly rising ranks, by length."""
    size, copies = TYPES * decks, 4 * decks
    chains = [
        Fraction(math.comb(len(RANKS), length) * copies**length, math.perm(size, length))
        for length in range(6)
    ]

    def vector(dealt: Dealt) -> Sequence[float]:
        return _run_counts([low < high for low, high in pairwise(dealt.ranks)], 4)

    return Means("rising runs", _run_means(chains, size, 4), vector)


def color_runs(decks: int) -> Means:
    """Runs of one colour, by length."""
    size, reds = TYPES * decks, TYPES * decks // 2
    chains = [Fraction(2 * math.perm(reds, length), math.perm(size, length)) for length in range(8)]

    def vector(dealt: Dealt) -> Sequence[float]:
        return _run_counts([first == second for first, second in pairwise(dealt.reds)], 6)

    return Means("colour runs", _run_means(chains, size, 6), vector)


def _run_means(chains: list[Fraction], size: int, longest: int) -> list[float]:
    """How many runs of at least 1, 2, ... cards a shoe has, from the chance that m cards chain."""
    # All lengths together are the shoe's cards, so longer runs are counted by what is left over;
    # one length more and what is left over would be too rare to be near normal.
    return [
        float(chains[length] + (size - length) * (chains[length] - chains[length + 1]))
        for length in range(1, longest + 1)
    ]


def _run_counts(links: list[bool], longest: int) -> list[int]:
    exact = [0] * (longest + 1)
    length = 1
    for link in [*links, False]:
        if link:
            length += 1
        else:
            exact[min(length, longest)] += 1
            length = 1
    return list(accumulate(reversed(exact[1:])))[::-1]


def serial(decks: int) -> Means:
    """Serial correlation of ranks, at the distances 1 to 24."""
    size = TYPES * decks
    lags = range(1, min(LAGS_MAX, size // 2 - 2) + 1)

    def vector(dealt: Dealt) -> Sequence[float]:
        values = [each - 6 for each in dealt.ranks]
        return [sum(map(mul, values, values[lag:] + values[:lag])) for lag in lags]

    return Means("serial correlation", [-4 * decks * SPREAD / (size - 1)] * len(lags), vector)


def boxes(decks: int) -> Means:
    """Each of seven boxes against the dealer: how often it is higher, and how often it ties."""
    size = TYPES * decks
    rounds = size * 3 // 4 // SEATS
    tie = (4 * decks - 1) / (size - 1)

    def vector(dealt: Dealt) -> Sequence[float]:
        ranks = dealt.ranks[: rounds * SEATS]
        dealer = ranks[BOXES::SEATS]
        counts: list[float] = []
        for box in range(BOXES):
            signs = [mine - theirs for mine, theirs in zip(ranks[box::SEATS], dealer, strict=True)]
            counts += [sum(sign > 0 for sign in signs), signs.count(0)]
        return counts

    return Means("boxes against the dealer", [rounds * (1 - tie) / 2, rounds * tie] * BOXES, vector)


def interplay(decks: int) -> Means:
    """The correlation between every two of the eight hands of a round."""
    size = TYPES * decks
    rounds = size * 3 // 4 // SEATS
    pairs = list(combinations(range(SEATS), 2))
    mean = -rounds * 4 * decks * SPREAD / (size * (size - 1))

    def vector(dealt: Dealt) -> Sequence[float]:
        values = [each - 6 for each in dealt.ranks[: rounds * SEATS]]
        seats = [values[seat::SEATS] for seat in range(SEATS)]
        return [sum(map(mul, seats[one], seats[other])) for one, other in pairs]

    return Means("interplay of hands", [mean] * len(pairs), vector)


def trend(decks: int) -> Means:
    """Whether cards early in a new deck drift to the top or the bottom, the middle or the ends."""
    places = _waves(TYPES * decks)
    kinds = _waves(TYPES)

    def vector(dealt: Dealt) -> Sequence[float]:
        shapes = [[kind[each] for each in dealt.types] for kind in kinds]
        return [sum(map(mul, place, shape)) for place in places for shape in shapes]

    return Means("trend", [0.0] * (len(places) * len(kinds)), vector)


def _waves(size: int) -> list[list[float]]:
    """A slope and an arch over so many places, each of them adding up to nothing."""
    return [
        [math.cos(math.pi * wave * (place + 0.5) / size) for place in range(size)]
        for wave in (1, 2)
    ]


class Successive:
    """A shoe against the next: correlation place by place, and equal cards at one place."""

    def __init__(self, decks: int) -> None:
        self.means = Means("successive shoes", [0.0, float(decks)], lambda _: [])
        self.waiting: Dealt | None = None

    def add(self, dealt: Dealt) -> None:
        """Take one shoe; every second one closes a pair."""
        if self.waiting is None:
            self.waiting = dealt
            return
        pairs = zip(self.waiting.ranks, dealt.ranks, strict=True)
        together = sum((one - 6) * (other - 6) for one, other in pairs)
        same = sum(map(int.__eq__, self.waiting.types, dealt.types))
        self.means.add_vector([together, same])
        self.waiting = None

    def results(self) -> Iterator[Result]:
        """Hotelling's T-squared over the pairs."""
        return self.means.results()


class Collector:
    """Coupon collector: how many cards until every rank has come, from the top and the middle."""

    def __init__(self, decks: int) -> None:
        size, copies = TYPES * decks, 4 * decks
        self.starts = {"top": 0, "middle": size // 2}
        reach = size - size // 2
        # The chance that m cards hold all ranks, by inclusion and exclusion.
        shares = [
            float(
                Fraction(
                    sum(
                        (-1) ** lost * math.comb(13, lost) * math.comb(size - copies * lost, drawn)
                        for lost in range(14)
                    ),
                    math.comb(size, drawn),
                )
            )
            for drawn in range(reach + 1)
        ]
        self.bins, self.dues, low = [0], [0.0], 0.0
        for drawn, share in enumerate(shares):
            if drawn and self.dues[-1] >= 1 / COLLECTOR_BINS and 1 - low >= 0.6 / COLLECTOR_BINS:
                self.dues.append(0.0)
            if drawn:
                self.dues[-1] += share - low
                low = share
                self.bins.append(len(self.dues) - 1)
        self.dues[-1] += 1 - low  # and those that the rest of the shoe does not complete
        self.counts = {name: [0] * len(self.dues) for name in self.starts}
        self.shoes = 0

    def add(self, dealt: Dealt) -> None:
        """Take one shoe."""
        self.shoes += 1
        for name, start in self.starts.items():
            rest = dealt.ranks[start : start + len(self.bins) - 1]
            # All ranks have come when the last of them comes first; a missing one counts as late.
            drawn = max(rest.index(each) + 1 if each in rest else len(rest) for each in range(13))
            self.counts[name][self.bins[drawn]] += 1

    def results(self) -> Iterator[Result]:
        """Chi-square over bins of about the same chance."""
        for name, counts in self.counts.items():
            total = sum(
                (count - self.shoes * due) ** 2 / (self.shoes * due)
                for count, due in zip(counts, self.dues, strict=True)
            )
            freedom = len(counts) - 1
            chance = two_sided(chi_square_tail(total, freedom))
            yield Result(f"coupon collector, {name}", total, freedom, chance)


class Duplicates:
    """Shoes that are the same order, and pairs of shoes that open with the same cards."""

    def __init__(self, decks: int) -> None:
        self.decks = decks
        self.orders: Counter[bytes] = Counter()
        self.openings: Counter[bytes] = Counter()

    def add(self, dealt: Dealt) -> None:
        """Take one shoe."""
        order = bytes(dealt.types)
        self.orders[order] += 1
        self.openings[order[:OPENING_MAX]] += 1

    def results(self) -> Iterator[Result]:
        """No order comes twice; equal openings are a Poisson count of pairs."""
        shoes = self.orders.total()
        twice = shoes - len(self.orders)
        yield Result("duplicate orders", float(twice), 0, float(not twice))
        pairs = math.comb(shoes, 2)
        length = 1
        while length < OPENING_MAX and pairs * same_opening(self.decks, length + 1) >= 2:
            length += 1
        openings: Counter[bytes] = Counter()
        for opening, count in self.openings.items():
            openings[opening[:length]] += count
        same = sum(math.comb(count, 2) for count in openings.values())
        due = pairs * same_opening(self.decks, length)
        chance = poisson_two_sided(same, due)
        yield Result(f"equal openings of {length} cards", float(same), 0, chance)


@cache
def same_opening(decks: int, length: int) -> float:
    """The chance that two shoes open with the same cards."""
    # Sequences with c_k cards of type k have the chance prod(decks! / (decks - c_k)!) / perm.
    one = [
        Fraction(math.perm(decks, count) ** 2, math.factorial(count)) for count in range(length + 1)
    ]
    power = [Fraction(1)] + [Fraction(0)] * length
    for _ in range(TYPES):
        power = [
            sum((power[low] * one[total - low] for low in range(total + 1)), Fraction(0))
            for total in range(length + 1)
        ]
    ways = math.factorial(length) * power[length]
    return float(ways / math.perm(TYPES * decks, length) ** 2)


def all_measures(decks: int) -> list[Measure]:
    """Every measure of the battery, for shoes of so many decks."""
    return [
        Places(decks),
        overlaps(decks),
        hands(decks),
        Collector(decks),
        rising_runs(decks),
        color_runs(decks),
        serial(decks),
        boxes(decks),
        interplay(decks),
        trend(decks),
        Successive(decks),
        Duplicates(decks),
    ]
