"""A picture as pixels, with a small font of its own, so that no graphics library is needed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wartable.cards import Card, color
from wartable.picture import Picture

HEIGHT, WIDTH = 240, 320
FELT, FACE, LIGHT = (20, 83, 45), (253, 253, 248), (255, 255, 255)
INK = {"red": (179, 38, 30), "black": (28, 28, 28)}
CARD_HEIGHT, CARD_WIDTH, GAP = 56, 40, 8

GLYPHS = {
    "2": "01110 10001 00001 00110 01000 10000 11111",
    "3": "11110 00001 00001 01110 00001 00001 11110",
    "4": "00010 00110 01010 10010 11111 00010 00010",
    "5": "11111 10000 11110 00001 00001 10001 01110",
    "6": "00110 01000 10000 11110 10001 10001 01110",
    "7": "11111 00001 00010 00100 01000 01000 01000",
    "8": "01110 10001 10001 01110 10001 10001 01110",
    "9": "01110 10001 10001 01111 00001 00010 01100",
    "0": "01110 10001 10011 10101 11001 10001 01110",
    "1": "00100 01100 00100 00100 00100 00100 01110",
    "T": "10111 10101 10101 10101 10101 10101 10111",
    "J": "00111 00010 00010 00010 00010 10010 01100",
    "Q": "01110 10001 10001 10001 10101 10010 01101",
    "K": "10001 10010 10100 11000 10100 10010 10001",
    "A": "01110 10001 10001 11111 10001 10001 10001",
    "♣": "00100 01110 01110 11011 11111 00100 01110",
    "♦": "00100 01110 11111 11111 01110 00100 00000",
    "♥": "01010 11111 11111 11111 01110 00100 00000",
    "♠": "00100 01110 11111 11111 11011 00100 01110",
    "$": "00100 01111 10100 01110 00101 11110 00100",
    "+": "00000 00100 00100 11111 00100 00100 00000",
    "-": "00000 00000 00000 11111 00000 00000 00000",
    ",": "00000 00000 00000 00000 00100 00100 01000",
    ".": "00000 00000 00000 00000 00000 01100 01100",
}
SIGNS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}

Pixels = NDArray[np.uint8]


def pixels(picture: Picture) -> Pixels:
    """The dealer's cards above, the first hand's below them, its net and the first note."""
    found = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    found[:] = FELT
    spot = picture.spots[0] if picture.spots else None
    _cards(found, 16, picture.dealer)
    if spot is not None:
        _cards(found, 104, spot.cards)
        _words(found, 176, 16, spot.net, 3, LIGHT)
    for note in picture.notes[:1]:
        _words(found, 208, 16, note, 2, LIGHT)
    return found


def _cards(found: Pixels, top: int, cards: tuple[Card, ...]) -> None:
    for place, card in enumerate(cards):
        left = 16 + place * (CARD_WIDTH + GAP)
        found[top : top + CARD_HEIGHT, left : left + CARD_WIDTH] = FACE
        ink = INK[color(card)]
        _words(found, top + 8, left + 6, card[0], 3, ink)
        _words(found, top + 34, left + 14, SIGNS[card[1]], 2, ink)


def _words(found: Pixels, top: int, left: int, text: str, scale: int, ink: Any) -> None:
    """Write what the font has of the text."""
    for letter in text:
        rows = GLYPHS.get(letter, "").split()
        for down, row in enumerate(rows):
            for across, dot in enumerate(row):
                if dot == "1":
                    y, x = top + down * scale, left + across * scale
                    found[y : y + scale, x : x + scale] = ink
        left += 6 * scale
