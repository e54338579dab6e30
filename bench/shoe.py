"""How long a six-deck shoe takes to shuffle, beside `random.shuffle` in the same run."""

import platform
import random
import statistics
import time
from collections.abc import Callable
from itertools import islice

from wartable import proof, rng, stream
from wartable import shoe as shoes
from wartable.cards import DECK

REPEATS = 500
DECKS = 6
SEEDS = list(islice(rng.system_seeds(), REPEATS))
HEARD = bytes(32)


def by_stream(seed: bytes) -> object:
    """The order alone, from seed and transcript."""
    return stream.order(seed, HEARD, DECKS)


def whole_shoe(seed: bytes) -> object:
    """Commitment, dealer's cut, order, cover card and composition check."""
    stack = shoes.cut(shoes.start(shoes.Terms("bench", 1, "shoe", DECKS), seed), None)
    return shoes.load(stack, (156, 234))


CARDS = DECK * DECKS
ROUND_CARDS = 8
"""The cards of a round with a war: one box and the dealer twice, three of them burned."""


def one_round(seed: bytes) -> object:
    """The cards of one round at a table of one's own: a draw's key, then card by card."""
    key = proof.draw_key(seed, HEARD, 1)
    cards: tuple[str, ...] = CARDS
    for place in range(ROUND_CARDS):
        cards = proof.decided(cards, key, place)
    return cards


def by_random(_: bytes) -> object:
    """The standard library's shuffle, which nobody could verify."""
    cards = list(DECK * DECKS)
    random.shuffle(cards)
    return cards


def median_ms(make: Callable[[bytes], object]) -> float:
    """The median time of one call, in milliseconds."""
    times = []
    for seed in SEEDS:
        start = time.perf_counter()
        make(seed)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000


def main() -> None:
    """Print the times and their ratios."""
    print(f"six decks, median of {REPEATS}, Python {platform.python_version()}")
    base = median_ms(by_random)
    for name, make in (
        ("random.shuffle", by_random),
        ("stream.order", by_stream),
        ("whole shoe (start, cut, load)", whole_shoe),
        ("a round's cards, own table", one_round),
    ):
        taken = median_ms(make)
        print(f"{name:30} {taken:7.3f} ms  {taken / base:5.2f} x random.shuffle")


if __name__ == "__main__":
    main()
