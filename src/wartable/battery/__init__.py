"""A laboratory's battery of statistics on dealt cards, and the faults it would have found."""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import NamedTuple

from wartable.battery import means
from wartable.battery.counts import TENTHS, Collector, Duplicates, Places
from wartable.battery.means import BOXES, LAGS_MAX, SEATS
from wartable.battery.measures import TYPES, Measure, Statistic, dealt_from
from wartable.battery.tails import chi_square_tail, normal_tail

CONFIDENCE = 0.99
POWER = 0.95
SHOES_MIN = 200  # with fewer, the statistics do not follow their distributions well enough


class BatteryReport(NamedTuple):
    """The battery's results for a number of shoes."""

    shoes: int
    decks: int
    results: tuple[Statistic, ...]

    @property
    def threshold(self) -> float:
        """The chance below which a result is a finding: 1 % divided by the number of results."""
        return (1 - CONFIDENCE) / len(self.results)

    @property
    def findings(self) -> list[Statistic]:
        """The results that would appear by accident in at most 1 % of such reports."""
        return [result for result in self.results if result.chance < self.threshold]


def all_measures(decks: int) -> list[Measure]:
    """Every measure of the battery, for shoes of this many decks."""
    return [
        Places(decks),
        means.overlaps(decks),
        means.hands(decks),
        Collector(decks),
        means.rising_runs(decks),
        means.color_runs(decks),
        means.serial(decks),
        means.boxes(decks),
        means.interplay(decks),
        means.trend(decks),
        means.Successive(decks),
        Duplicates(decks),
    ]


def run(shoes: Iterable[Sequence[str]], decks: int) -> BatteryReport:
    """The battery's report on shoes of dealt cards, each a whole shoe in the order dealt."""
    measures = all_measures(decks)
    count = 0
    for cards in shoes:
        dealt = dealt_from(cards)
        for measure in measures:
            measure.add(dealt)
        count += 1
    if count < SHOES_MIN:
        raise ValueError(f"the battery needs at least {SHOES_MIN} shoes, not {count}")
    return BatteryReport(count, decks, tuple(each for made in measures for each in made.results()))


def sensitivity(report: BatteryReport) -> list[str]:
    """What a report without findings would have found with 95 % certainty, in sentences."""
    size = TYPES * report.decks
    due = report.shoes * report.decks / TENTHS
    cells = TYPES * TENTHS
    edge = _solve(lambda z: 2 * cells * normal_tail(z), report.threshold, 40)
    away = edge + _solve(normal_tail, 1 - POWER, 40)
    share = away * math.sqrt(due * (1 - 1 / TYPES) * (1 - 1 / TENTHS)) / due
    rounds = report.shoes * (size * 3 // 4 // SEATS)
    far = math.sqrt(_distance(2 * BOXES, report.threshold) / rounds) / 2
    near = math.sqrt(_distance(LAGS_MAX, report.threshold) / (report.shoes * size))
    return [
        f"A card that is {share:.1%} too frequent or too rare in one tenth of the shoe.",
        f"A box that beats the dealer {100 * far:.2f} percentage points too often or too rarely.",
        f"A correlation of {near:.4f} between cards at any one distance up to {LAGS_MAX}.",
        "A single order that appears twice.",
    ]


def _distance(freedom: int, threshold: float) -> float:
    """The noncentrality that a chi-square test of this threshold finds with the power POWER."""
    edge = _solve(lambda value: chi_square_tail(value, freedom), threshold, 1000)
    z = _solve(normal_tail, 1 - POWER, 40)
    # A noncentral chi-square is close to normal with mean k + d and variance 2 (k + 2 d).
    distance = 0.0
    for _ in repeat(None, 100):
        distance = edge - freedom + z * math.sqrt(2 * (freedom + 2 * distance))
    return distance


def _solve(tail: Callable[[float], float], chance: float, high: float) -> float:
    """The value whose upper tail equals the chance."""
    low = 0.0
    for _ in repeat(None, 100):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) > chance else (low, middle)
    return low
