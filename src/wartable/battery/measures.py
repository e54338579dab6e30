"""What a measure is: something that is shown whole shoes of dealt cards and ends in chances."""

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
    """One statistic, its freedom (0 if it has none) and the chance of one as far out."""

    name: str
    statistic: float
    freedom: int
    chance: float


class Measure(Protocol):
    """Something that is shown every shoe and then tells its results."""

    def add(self, dealt: DealtShoe) -> None:
        """Take one shoe."""

    def results(self) -> Iterator[Statistic]:
        """What the shoes so far say."""


def dealt_from(cards: Sequence[str]) -> DealtShoe:
    """The shoe as numbers."""
    types = [_TYPE[card] for card in cards]
    ranks = [each % len(RANKS) for each in types]
    return DealtShoe(types, ranks, [13 <= each < 39 for each in types])
