"""The interface of a measure, which takes whole shoes of dealt cards and returns statistics."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from wartable.cards import DECK, RANKS

TYPES = len(DECK)

_TYPE = {card: place for place, card in enumerate(DECK)}


class DealtShoe(NamedTuple):
    """A shoe's cards as dealt: types 0 to 51, ranks 0 to 12 and whether each is red."""

    types: list[int]
    ranks: list[int]
    reds: list[bool]


class Statistic(NamedTuple):
    """One statistic, its degrees of freedom (0 if none) and the chance of one as extreme."""

    name: str
    statistic: float
    freedom: int
    chance: float


class Measure(Protocol):
    """Something that takes every shoe and then returns its results."""

    def add(self, dealt: DealtShoe) -> None:
        """Take one shoe."""

    def results(self) -> Iterator[Statistic]:
        """The statistics of the shoes so far."""


def dealt_from(cards: Sequence[str]) -> DealtShoe:
    """The shoe as numbers."""
    types = [_TYPE[card] for card in cards]
    ranks = [each % len(RANKS) for each in types]
    return DealtShoe(types, ranks, [13 <= each < 39 for each in types])
