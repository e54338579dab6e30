"""The cards that a round may be dealt from: a fresh shoe, or what is left of one."""

from collections import Counter
from collections.abc import Iterable
from functools import cached_property

from wartable.cards import DECK, RANKS, SUITS, Card, is_card
from wartable.refusal import Unusable

DECKS_MAX = 1_000
CARDS_MIN = 4


class OddsError(Unusable):
    """A question that has no answer, as a sentence that says what would be accepted."""

    kind = "odds"


class Composition:
    """How many of each of the 52 cards are left."""

    def __init__(self, counts: dict[Card, int]) -> None:
        self.counts = {card: counts.get(card, 0) for card in DECK}
        if self.size < CARDS_MIN:
            raise OddsError(
                f"A round with its war needs at least {CARDS_MIN} cards; {self.size} are left."
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Composition) and self.counts == other.counts

    def __hash__(self) -> int:
        return hash(tuple(self.counts.values()))

    @classmethod
    def fresh(cls, decks: int) -> "Composition":
        """Whole decks."""
        if type(decks) is not int or not 1 <= decks <= DECKS_MAX:
            raise OddsError(f"The number of decks may be 1 to {DECKS_MAX}, not {decks}.")
        return cls(dict.fromkeys(DECK, decks))

    def without(self, seen: Iterable[Card]) -> "Composition":
        """The composition without the seen cards."""
        left = dict(self.counts)
        for card, number in Counter(seen).items():
            if not is_card(card):
                raise OddsError(
                    f"There is no card {card!r}; a card is one of {RANKS} followed by one of"
                    f" {SUITS}, such as 9s or Td."
                )
            if number > left[card]:
                raise OddsError(
                    f"{card} was seen {number} times; it can be seen at most {left[card]} times."
                )
            left[card] -= number
        return Composition(left)

    @cached_property
    def size(self) -> int:
        """The number of cards."""
        return sum(self.counts.values())

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """The number of cards of each rank, from two to ace."""
        return tuple(sum(self.counts[rank + suit] for suit in SUITS) for rank in RANKS)
