"""Measures that turn each shoe into a vector and compare the mean with its exact value.

Cards of one shoe depend on one another, but shoes do not. The covariance is therefore estimated
from the shoes: Hotelling's T-squared.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, combinations, pairwise, product
from operator import mul

from wartable.battery.measures import TYPES, DealtShoe, Statistic
from wartable.battery.tails import f_tail
from wartable.cards import RANKS

BOXES = 7  # and the dealer: a round's original deal is eight cards
SEATS = BOXES + 1
LAGS_MAX = 24
HAND = 5
RARE = 0.1  # times a shoe: too rare for a mean over a few hundred shoes to be nearly normal
SPREAD = sum((place - 6) ** 2 for place in range(len(RANKS)))  # of the ranks around their middle


class Means:
    """A vector from each shoe against its exact mean."""

    def __init__(
        self, name: str, means: Sequence[float], vector: Callable[[DealtShoe], Sequence[float]]
    ) -> None:
        self.name = name
        self.means = means
        self.vector = vector
        self.shoes = 0
        self.sums = [0.0] * len(means)
        self.products = [[0.0] * (row + 1) for row in range(len(means))]

    def add(self, dealt: DealtShoe) -> None:
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

    def results(self) -> Iterator[Statistic]:
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
            yield Statistic(self.name, distance, size, 0.0)
            return
        value = shoes * distance * (shoes - size) / (size * (shoes - 1))
        yield Statistic(self.name, shoes * distance, size, f_tail(value, size, shoes - size))


def squared_distance(covariance: list[list[float]], vector: list[float]) -> float:
    """The vector's squared length by the covariance's lower triangle; infinite if singular."""
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
    # The other ways determine the last, which would make the covariance singular.
    kept = range(len(ways) - 1)
    means = [float(Fraction(weights[way] * (size - 2), orders)) for way in kept]

    def vector(dealt: DealtShoe) -> Sequence[float]:
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
    # With one deck, better hands are so rare that they count with three of a kind.
    rare = means[-1] < RARE
    if rare:
        means[3] += means[4]

    def vector(dealt: DealtShoe) -> Sequence[float]:
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

    def vector(dealt: DealtShoe) -> Sequence[float]:
        return _run_counts([low < high for low, high in pairwise(dealt.ranks)], 4)

    return Means("rising runs", _run_means(chains, size, 4), vector)


def color_runs(decks: int) -> Means:
    """Runs of one colour, by length."""
    size, reds = TYPES * decks, TYPES * decks // 2
    chains = [Fraction(2 * math.perm(reds, length), math.perm(size, length)) for length in range(8)]

    def vector(dealt: DealtShoe) -> Sequence[float]:
        return _run_counts([first == second for first, second in pairwise(dealt.reds)], 6)

    return Means("colour runs", _run_means(chains, size, 6), vector)


def _run_means(chains: list[Fraction], size: int, longest: int) -> list[float]:
    """The mean numbers of runs of 1, 2, ... cards, from the chance that m cards form a run."""
    # All lengths add up to the shoe's cards, so the remainder stands for longer runs; with one
    # more length the remainder would be too rare to be nearly normal.
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

    def vector(dealt: DealtShoe) -> Sequence[float]:
        values = [each - 6 for each in dealt.ranks]
        return [sum(map(mul, values, values[lag:] + values[:lag])) for lag in lags]

    return Means("serial correlation", [-4 * decks * SPREAD / (size - 1)] * len(lags), vector)


def boxes(decks: int) -> Means:
    """Each of seven boxes against the dealer: how often it is higher, and how often it ties."""
    size = TYPES * decks
    rounds = size * 3 // 4 // SEATS
    tie = (4 * decks - 1) / (size - 1)

    def vector(dealt: DealtShoe) -> Sequence[float]:
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

    def vector(dealt: DealtShoe) -> Sequence[float]:
        values = [each - 6 for each in dealt.ranks[: rounds * SEATS]]
        seats = [values[seat::SEATS] for seat in range(SEATS)]
        return [sum(map(mul, seats[one], seats[other])) for one, other in pairs]

    return Means("interplay of hands", [mean] * len(pairs), vector)


def trend(decks: int) -> Means:
    """Whether the first cards of a new deck drift to the top or bottom, or the middle or ends."""
    places = _waves(TYPES * decks)
    kinds = _waves(TYPES)

    def vector(dealt: DealtShoe) -> Sequence[float]:
        shapes = [[kind[each] for each in dealt.types] for kind in kinds]
        return [sum(map(mul, place, shape)) for place in places for shape in shapes]

    return Means("trend", [0.0] * (len(places) * len(kinds)), vector)


def _waves(size: int) -> list[list[float]]:
    """A slope and an arch over `size` places; each sums to zero."""
    return [
        [math.cos(math.pi * wave * (place + 0.5) / size) for place in range(size)]
        for wave in (1, 2)
    ]


class Successive:
    """A shoe against the next: correlation place by place, and equal cards at a place."""

    def __init__(self, decks: int) -> None:
        self.means = Means("successive shoes", [0.0, float(decks)], lambda _: [])
        self.waiting: DealtShoe | None = None

    def add(self, dealt: DealtShoe) -> None:
        """Take one shoe; every second one closes a pair."""
        if self.waiting is None:
            self.waiting = dealt
            return
        pairs = zip(self.waiting.ranks, dealt.ranks, strict=True)
        together = sum((one - 6) * (other - 6) for one, other in pairs)
        same = sum(map(int.__eq__, self.waiting.types, dealt.types))
        self.means.add_vector([together, same])
        self.waiting = None

    def results(self) -> Iterator[Statistic]:
        """Hotelling's T-squared over the pairs."""
        return self.means.results()
