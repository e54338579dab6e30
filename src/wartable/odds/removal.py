"""What removing cards from a shoe does to each wager, exactly."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from wartable.cards import RANKS, Card
from wartable.odds.wagers import Odds
from wartable.rules import Book
from wartable.rules.model import WagerKind


class Removal(NamedTuple):
    """The change of a wager's expectation, per unit, if cards are missing from a fresh shoe."""

    one: dict[str, Fraction]
    """By rank of the one card: the mean of a black and a red one."""
    same_card: Fraction | None
    """Two equal cards; None where a single deck has only one."""
    same_rank: Fraction
    """Two cards of one rank and of two suits."""
    two_ranks: Fraction
    """Two cards of two ranks."""


def removal(book: Book, decks: int, kind: WagerKind, meter: int | None = None) -> Removal:
    """The effects of removal on one wager.

    Before any card is seen, an unseen card taken away changes nothing. So the effects of all cards
    have the mean 0. Where all ranks play alike, every one of them is therefore exactly 0.
    """
    whole = expectation(book, decks, kind, (), meter)

    def effect(*cards: Card) -> Fraction:
        return expectation(book, decks, kind, cards, meter) - whole

    return Removal(
        {rank: (effect(rank + "c") + effect(rank + "h")) / 2 for rank in RANKS},
        effect("7c", "7c") if decks > 1 else None,
        effect("7c", "7d"),
        effect("7c", "8d"),
    )


def expectation(
    book: Book, decks: int, kind: WagerKind, seen: Sequence[Card], meter: int | None = None
) -> Fraction:
    """A wager's expectation per unit without the seen cards."""
    return Odds(book, decks, seen, meter=meter).wager(kind).ev
