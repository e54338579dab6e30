"""Cards and their notation: `9s`, `Td`, `Ah`; an unseen card is `??`."""

from typing import Annotated, Literal

import msgspec

from wartable.validation import END

RANKS = "23456789TJQKA"
SUITS = "cdhs"
HIDDEN = "??"

Card = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^(?:[2-9TJQKA][cdhs]|\?\?)" + END,
        extra_json_schema={"description": "a card such as 9s"},
    ),
]
Color = Literal["red", "black"]

DECK: tuple[Card, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)

RANK: dict[Card, int] = {card: RANKS.index(card[0]) + 2 for card in DECK}
"""The rank of each card from 2 to 14, the ace high; suits have no rank."""


def is_card(text: str) -> bool:
    """Whether the text names one of the 52 cards."""
    return text in RANK


def rank(card: Card) -> int:
    """The rank from 2 to 14, the ace high; suits have no rank."""
    return RANK[card]


def color(card: Card) -> Color:
    """Red for diamonds and hearts, black for clubs and spades."""
    return "red" if card[1] in "dh" else "black"
