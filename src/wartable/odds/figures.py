"""Exact figures: a distribution of net results and what follows from it."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import Any


class Distribution:
    """The exact distribution of a net result in units of the wager."""

    def __init__(
        self,
        pmf: Mapping[Fraction, Fraction],
        staked: Fraction = Fraction(1),
        outcomes: Mapping[str, Fraction] | None = None,
        contributions: Mapping[str, Fraction] | None = None,
    ) -> None:
        self.pmf = {net: pmf[net] for net in sorted(pmf) if pmf[net]}
        self.staked = staked
        """The mean amount put down, in units of the wager: above 1 if wars are fought."""
        self.outcomes = dict(outcomes or {})
        """The probability of each outcome by the engine's name for it."""
        self.contributions = dict(contributions or {})
        """What each outcome adds to the expectation."""

    @cached_property
    def ev(self) -> Fraction:
        """The player's expectation per unit of the wager."""
        return self.moment(1)

    @property
    def edge(self) -> Fraction:
        """The house's expectation per unit of the wager."""
        return -self.ev

    @property
    def player_return(self) -> Fraction:
        """The mean amount returned per unit of the wager."""
        return 1 + self.ev

    @cached_property
    def variance(self) -> Fraction:
        """The variance of the net result."""
        return self.moment(2) - self.ev**2

    @property
    def sd(self) -> float:
        """The standard deviation of the net result."""
        return sqrt(self.variance)

    @cached_property
    def skewness(self) -> float:
        """The third standardised moment; 0 if nothing varies."""
        if not self.variance:
            return 0.0
        third = self.moment(3) - 3 * self.ev * self.variance - self.ev**3
        return float(third) / self.sd**3

    @cached_property
    def hit_frequency(self) -> Fraction:
        """The probability of a result above 0."""
        return sum((chance for net, chance in self.pmf.items() if net > 0), Fraction(0))

    @property
    def element_of_risk(self) -> Fraction:
        """The house's expectation per unit of all money put down."""
        return self.edge / self.staked if self.staked else Fraction(0)

    def moment(self, power: int) -> Fraction:
        """The mean of the net result raised to that power."""
        return sum((net**power * chance for net, chance in self.pmf.items()), Fraction(0))

    def as_json(self) -> dict[str, Any]:
        """The figures for JSON; `exact` writes the exact ones."""
        return {
            "ev": exact(self.ev),
            "edge": exact(self.edge),
            "return": exact(self.player_return),
            "variance": exact(self.variance),
            "sd": self.sd,
            "skewness": self.skewness,
            "hit_frequency": exact(self.hit_frequency),
            "element_of_risk": exact(self.element_of_risk),
            "mean_staked": exact(self.staked),
            "pmf": {str(net): exact(chance) for net, chance in self.pmf.items()},
            "outcomes": {name: exact(chance) for name, chance in self.outcomes.items()},
            "contributions": {name: exact(each) for name, each in self.contributions.items()},
        }


def exact(figure: Fraction | int | None) -> dict[str, Any] | None:
    """A figure for JSON: the fraction and its value; None for None."""
    return None if figure is None else {"exact": str(figure), "value": float(figure)}


class Tally:
    """Weighted results that become a distribution."""

    def __init__(self) -> None:
        self.nets: dict[Fraction, int | Fraction] = {}
        self.outcomes: dict[str, int | Fraction] = {}
        self.contributions: dict[str, int | Fraction] = {}
        self.staked: int | Fraction = 0
        self.total: int | Fraction = 0

    def add(self, weight: int | Fraction, net: Fraction, staked: Fraction, outcome: str) -> None:
        """Count one result."""
        self.nets[net] = self.nets.get(net, 0) + weight
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + weight
        self.contributions[outcome] = self.contributions.get(outcome, 0) + weight * net
        self.staked += weight * staked
        self.total += weight

    def distribution(self) -> Distribution:
        """The distribution of what was counted."""
        total = Fraction(self.total)
        return Distribution(
            {net: weight / total for net, weight in self.nets.items()},
            self.staked / total,
            {name: weight / total for name, weight in self.outcomes.items()},
            {name: each / total for name, each in self.contributions.items()},
        )
