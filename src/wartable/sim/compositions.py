"""Expectations of whole arrays of compositions, compiled: the twin of `odds.expectation`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wartable.cards import RANKS
from wartable.odds import OddsError
from wartable.odds.composition import CARDS_MIN, DECKS_MAX
from wartable.odds.expectation import WAR_CARDS, Expectation
from wartable.sim.kernels import Counts, compiled

ValueRows = NDArray[np.float64]


def tie_counts(compositions: Any) -> Counts:
    """Row by row the exact `TieCounts` of compositions: deals, wars, tied, tied twice."""
    ranks = _checked(compositions, CARDS_MIN)
    counts = np.empty((len(ranks), 4), np.int64)
    count_compositions(ranks, counts)
    return counts


def seat_values(expectation: Expectation, compositions: Any) -> ValueRows:
    """Row by row a seat's expectation before the deal: by war, by surrender, by the best choice."""
    ranks = _checked(compositions, CARDS_MIN)
    values = np.empty((len(ranks), 3), np.float64)
    value_seats(ranks, _nets(expectation), values)
    return values


def choice_values(expectation: Expectation, compositions: Any) -> ValueRows:
    """Row by row what a tied seat nets if these cards are left: by war, by surrender."""
    ranks = _checked(compositions, WAR_CARDS)
    values = np.empty((len(ranks), 2), np.float64)
    value_choices(ranks, _nets(expectation), values)
    return values


def _nets(expectation: Expectation) -> ValueRows:
    """The nets of the six endings per unit of the wager."""
    return np.array([each.net / expectation.unit for each in expectation.endings])


def _checked(compositions: Any, least: int) -> Counts:
    ranks = np.ascontiguousarray(compositions, dtype=np.int64)
    whole = ranks.ndim == 2 and ranks.shape[1] == len(RANKS) and (ranks >= 0).all()
    sizes = ranks.sum(axis=1) if whole else ranks
    if not (whole and (sizes >= least).all() and (sizes <= 52 * DECKS_MAX).all()):
        raise OddsError(
            f"Compositions are rows of {len(RANKS)} numbers from two to ace, none below 0, of"
            f" {least} to {52 * DECKS_MAX} cards together; got an array of shape {ranks.shape}."
        )
    return ranks


@compiled
def count_ties(ranks: Counts) -> tuple[int, int, int, int]:
    """The deals, wars, tied and twice tied deals of one composition; whole up to 1,000 decks."""
    size, tied, twice = 0, 0, 0
    for place in range(13):
        size += ranks[place]
        tied += ranks[place] * (ranks[place] - 1)
    for place in range(13):
        number = ranks[place]
        twice += number * (number - 1) * (tied - 4 * number + 6)
    return size * (size - 1), (size - 2) * (size - 3), tied, twice


@compiled
def count_compositions(ranks: Counts, counts: Counts) -> None:
    """Count the ties of each row."""
    for row in range(len(ranks)):
        counts[row, 0], counts[row, 1], counts[row, 2], counts[row, 3] = count_ties(ranks[row])


@compiled
def value_seats(ranks: Counts, nets: ValueRows, values: ValueRows) -> None:
    """The expectation of each row by war, surrender and the best choice."""
    decided = (nets[0] + nets[1]) / 2
    fought = (nets[2] + nets[4]) / 2
    for row in range(len(ranks)):
        deals, wars, tied, twice = count_ties(ranks[row])
        ties, again = tied / deals, twice / deals / wars
        open_deal = decided * (1 - ties)
        values[row, 0] = open_deal + fought * (ties - again) + nets[3] * again
        values[row, 1] = open_deal + nets[5] * ties
        best = 0.0
        for place in range(13):
            number = ranks[row, place]
            if number > 1:
                even = (tied - 4 * number + 6) / wars
                war = fought * (1 - even) + nets[3] * even
                best += number * (number - 1) * max(war, nets[5])
        values[row, 2] = open_deal + best / deals


@compiled
def value_choices(ranks: Counts, nets: ValueRows, values: ValueRows) -> None:
    """The net of each choice of each row of cards left."""
    fought = (nets[2] + nets[4]) / 2
    for row in range(len(ranks)):
        size, tied = 0, 0
        for place in range(13):
            size += ranks[row, place]
            tied += ranks[row, place] * (ranks[row, place] - 1)
        even = tied / (size * (size - 1))
        values[row, 0] = fought * (1 - even) + nets[3] * even
        values[row, 1] = nets[5]
