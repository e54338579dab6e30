"""Tail probabilities of the distributions that the battery's statistics follow."""

import math
from collections.abc import Callable

ITERATIONS_MAX = 100_000
PRECISION = 1e-15
TINY = 1e-300


def normal_tail(z: float) -> float:
    """The chance that a standard normal value is above z."""
    return math.erfc(z / math.sqrt(2)) / 2


def chi_square_tail(value: float, freedom: int) -> float:
    """The chance that a chi-square value is above this one."""
    return gamma_tail(freedom / 2, value / 2)


def gamma_tail(shape: float, value: float) -> float:
    """The regularized upper incomplete gamma function Q(shape, value)."""
    if value <= 0:
        return 1.0
    scale = math.exp(shape * math.log(value) - value - math.lgamma(shape))
    # The series converges fast below the mean, the continued fraction above it.
    if value < shape + 1:
        term = total = 1 / shape
        for step in range(1, ITERATIONS_MAX):
            term *= value / (shape + step)
            total += term
            if term < total * PRECISION:
                return 1 - scale * total
        raise ArithmeticError("the gamma series does not converge")
    first = value + 1 - shape
    return scale / _fraction(first, lambda step: (-step * (step - shape), first + 2 * step))


def f_tail(value: float, above: int, below: int) -> float:
    """The chance that an F value with these degrees of freedom is above this one."""
    if value <= 0:
        return 1.0
    return beta_share(below / (below + above * value), below / 2, above / 2)


def beta_share(value: float, left: float, right: float) -> float:
    """The regularized incomplete beta function I(left, right) up to the value."""
    if value <= 0 or value >= 1:
        return float(value >= 1)
    if value > (left + 1) / (left + right + 2):
        return 1 - beta_share(1 - value, right, left)
    log_scale = math.lgamma(left + right) - math.lgamma(left) - math.lgamma(right)
    log_scale += left * math.log(value) + right * math.log1p(-value)

    def step_of(step: int) -> tuple[float, float]:
        half = step // 2
        top = -(left + half) * (left + right + half) if step % 2 else half * (right - half)
        return top * value / ((left + step - 1) * (left + step)), 1.0

    return math.exp(log_scale) / left / _fraction(1.0, step_of)


def poisson_two_sided(count: int, mean: float) -> float:
    """Twice the smaller tail of a Poisson count, at most 1."""
    at_most = gamma_tail(count + 1, mean)
    at_least = 1 - gamma_tail(count, mean) if count else 1.0
    return min(1.0, 2 * min(at_most, at_least))


def two_sided(tail: float) -> float:
    """The chance of a value at least as extreme on either side, from its upper tail."""
    return min(1.0, 2 * min(tail, 1 - tail))


def _fraction(first: float, step_of: Callable[[int], tuple[float, float]]) -> float:
    """A continued fraction by Lentz's method; a step gives its numerator and denominator."""
    total = above = first
    below = 0.0
    for step in range(1, ITERATIONS_MAX):
        top, bottom = step_of(step)
        below = 1 / (bottom + top * below or TINY)
        above = bottom + top / above or TINY
        total *= above * below
        if abs(above * below - 1) < PRECISION:
            return total
    raise ArithmeticError("the continued fraction does not converge")
