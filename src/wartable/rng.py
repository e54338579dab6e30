"""Seeds from the operating system, and the shuffle's output for batteries of tests."""

import hashlib
import secrets
from collections.abc import Iterator
from itertools import count, islice

from wartable import shoe as shoes
from wartable import stream
from wartable.cards import Card

BLOCKS_PER_SHOE = 20  # about as many as ordering six decks reads


def system_seeds() -> Iterator[bytes]:
    """Seeds from the operating system, as live tables use them."""
    while True:
        yield secrets.token_bytes(stream.SEED_BYTES)


def repeatable_seeds(master: bytes) -> Iterator[bytes]:
    """Seeds that a master seed reproduces, for tests and demonstrations."""
    for number in count(1):
        yield hashlib.sha256(stream.pack("wartable-1 repeatable", master, number)).digest()


def dealt_shoes(
    seeds: Iterator[bytes], decks: int, wanted: int, *, cut: bool = False
) -> Iterator[tuple[Card, ...]]:
    """Whole shoes in the order dealt, made as at a live table, cut by the dealer or uncut."""
    deepest = shoes.cover_limits(52 * decks)[1]
    for number, seed in enumerate(islice(seeds, wanted), start=1):
        if cut:
            stack = shoes.start(shoes.Terms("rng", number, "shoe", decks), seed)
            yield shoes.load(shoes.cut(stack, None), (deepest, deepest)).cards
        else:
            yield shoes.load(
                shoes.start(shoes.Terms("rng", number, "every_round", decks), seed)
            ).cards


def raw_blocks(seeds: Iterator[bytes]) -> Iterator[bytes]:
    """The blocks that orders are read from: the first ones of each shoe's stream, in turn."""
    for number, seed in enumerate(seeds, start=1):
        shoe = shoes.start(shoes.Terms("rng", number, "every_round", 6), seed)
        yield from islice(stream.blocks(seed, shoes.heard(shoe), "order", 0), BLOCKS_PER_SHOE)
