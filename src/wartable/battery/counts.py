"""Measures that count: cards by place, cards until every rank has come, equal shoes.

Cards of one shoe depend on one another, so no measure treats them as independent: it uses the
exact covariance of a shuffled shoe, or one value from each shoe.
"""

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise

from wartable.battery.measures import TYPES, DealtShoe, Statistic
from wartable.battery.tails import beta_share, chi_square_tail, poisson_two_sided, two_sided

TENTHS = 10
COLLECTOR_BINS = 10
OPENING_MAX = 10


class Places:
    """Total distribution: which card comes at which place, and in which tenth of the shoe."""

    def __init__(self, decks: int) -> None:
        self.size = TYPES * decks
        self.shoes = 0
        self.counts = [0] * (self.size * TYPES)
        self.starts = range(0, self.size * TYPES, TYPES)

    def add(self, dealt: DealtShoe) -> None:
        """Take one shoe."""
        self.shoes += 1
        counts = self.counts
        for start, each in zip(self.starts, dealt.types, strict=True):
            counts[start + each] += 1

    def results(self) -> Iterator[Statistic]:
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

    def _chi_square(self, name: str, widths: list[int], counts: list[int]) -> Statistic:
        total = 0.0
        for row, width in enumerate(widths):
            due = self.shoes * width / TYPES
            cells = counts[row * TYPES : (row + 1) * TYPES]
            total += sum((count - due) ** 2 for count in cells) / due
        # A shuffled shoe has no card twice: the covariance is a multinomial's times N / (N - 1).
        total *= (self.size - 1) / self.size
        freedom = (len(widths) - 1) * (TYPES - 1)
        return Statistic(name, total, freedom, two_sided(chi_square_tail(total, freedom)))

    def _largest(self, widths: list[int], counts: list[int]) -> Statistic:
        copies = self.shoes * self.size // TYPES
        ends: list[tuple[float, int, float]] = []
        for cell, count in enumerate(counts):
            share = widths[cell // TYPES] / self.size
            away = (count - copies * share) / math.sqrt(copies * share * (1 - share))
            ends.append((away, count, share))
        # A normal tail is too thin this far out. The binomial is exact for one deck; for several,
        # whose copies cannot share a place, it is slightly too wide.
        chance = 1.0
        for _, count, share in (min(ends), max(ends)):
            above = beta_share(share, count, copies - count + 1) if count else 1.0
            below = 1 - beta_share(share, count + 1, copies - count) if count < copies else 1.0
            chance = min(chance, 2 * min(above, below) * len(counts))
        largest = max(abs(min(ends)[0]), max(ends)[0])
        return Statistic("largest deviation by tenth", largest, 0, chance)


class Collector:
    """Coupon collector: how many cards until every rank has come, from the top and the middle."""

    def __init__(self, decks: int) -> None:
        size, copies = TYPES * decks, 4 * decks
        self.starts = {"top": 0, "middle": size // 2}
        reach = size - size // 2
        # The chance that m cards hold all ranks, by inclusion-exclusion.
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
        self.dues[-1] += 1 - low  # shoes whose rest does not hold every rank
        self.counts = {name: [0] * len(self.dues) for name in self.starts}
        self.shoes = 0

    def add(self, dealt: DealtShoe) -> None:
        """Take one shoe."""
        self.shoes += 1
        for name, start in self.starts.items():
            rest = dealt.ranks[start : start + len(self.bins) - 1]
            # All ranks have come once the last new one comes; a missing rank counts as late.
            drawn = max(rest.index(each) + 1 if each in rest else len(rest) for each in range(13))
            self.counts[name][self.bins[drawn]] += 1

    def results(self) -> Iterator[Statistic]:
        """Chi-square over bins of about the same chance."""
        for name, counts in self.counts.items():
            total = sum(
                (count - self.shoes * due) ** 2 / (self.shoes * due)
                for count, due in zip(counts, self.dues, strict=True)
            )
            freedom = len(counts) - 1
            chance = two_sided(chi_square_tail(total, freedom))
            yield Statistic(f"coupon collector, {name}", total, freedom, chance)


class Duplicates:
    """Shoes in the same order, and pairs of shoes that open with the same cards."""

    def __init__(self, decks: int) -> None:
        self.decks = decks
        self.orders: Counter[bytes] = Counter()
        self.openings: Counter[bytes] = Counter()

    def add(self, dealt: DealtShoe) -> None:
        """Take one shoe."""
        order = bytes(dealt.types)
        self.orders[order] += 1
        self.openings[order[:OPENING_MAX]] += 1

    def results(self) -> Iterator[Statistic]:
        """The number of repeated orders, and a Poisson count of pairs with equal openings."""
        shoes = self.orders.total()
        twice = shoes - len(self.orders)
        yield Statistic("duplicate orders", float(twice), 0, float(not twice))
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
        yield Statistic(f"equal openings of {length} cards", float(same), 0, chance)


@cache
def same_opening(decks: int, length: int) -> float:
    """The chance that two shoes start with the same cards."""
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
