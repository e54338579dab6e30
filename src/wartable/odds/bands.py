"""The expected hold of many rounds."""

from math import sqrt
from statistics import NormalDist

from wartable.odds.figures import Distribution

LEVELS = ("90 %", "95 %", "99 %")
ROUNDS = tuple(10**power for power in range(3, 8))
FINE = tuple(round(10 ** (power / 4)) for power in range(12, 29))


def half_width(odds: Distribution, rounds: int, level: str) -> float:
    """How far the hold of this many rounds may stray from the edge at that level."""
    share = float(level.removesuffix(" %")) / 100
    return NormalDist().inv_cdf((1 + share) / 2) * odds.sd / sqrt(rounds)


def band(odds: Distribution, rounds: int, level: str) -> tuple[float, float]:
    """The lower and upper ends of the hold per unit of the wager."""
    edge, width = float(odds.edge), half_width(odds, rounds, level)
    return edge - width, edge + width
