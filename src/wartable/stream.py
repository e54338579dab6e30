"""From seed to chance: seals, commitment and streams; docs/sealed.md describes every byte."""

import hashlib
import hmac
import itertools
import struct
from collections.abc import Iterable, Iterator, Sequence

from wartable.cards import DECK, Card

SEED_BYTES = 32
PLAYER_SEED_BYTES_MIN = 16  # fewer could be guessed from the seal
PLAYER_SEED_BYTES_MAX = 64

ORDER_WORD_BYTES = 2
CHOICE_WORD_BYTES = 8  # enough for any weights that a real wheel has
_WORDS = {
    ORDER_WORD_BYTES: struct.Struct(">16H"),
    CHOICE_WORD_BYTES: struct.Struct(">4Q"),
}


def pack(*fields: bytes | str | int) -> bytes:
    """The fields as bytes, each after its length, so that no two lists give the same bytes."""
    parts = []
    for field in fields:
        data = field if isinstance(field, bytes) else str(field).encode()
        parts += [len(data).to_bytes(4, "big"), data]
    return b"".join(parts)


def seal(table: str, number: int, player: str, player_seed: bytes) -> bytes:
    """The hash of a player's seed, which the player gives before the commitment."""
    return _sha256("wartable-1 seal", table, number, player, player_seed)


def commitment(
    terms: tuple[str, int, str, int, str], seed: bytes, seals: Iterable[tuple[str, bytes]]
) -> bytes:
    """The hash that binds the house to its seed, the terms and the players' seals.

    The terms are the table, the shoe's number, the method, the decks and the batch.
    """
    pairs = [field for pair in seals for field in pair]
    return _sha256("wartable-1 commitment", *terms, seed, *pairs)


def transcript(committed: bytes, player_seeds: Iterable[tuple[str, bytes]]) -> bytes:
    """The hash of everything but the house's seed that chance depends on."""
    pairs = [field for pair in player_seeds for field in pair]
    return _sha256("wartable-1 transcript", committed, *pairs)


def blocks(seed: bytes, heard: bytes, label: str, index: int) -> Iterator[bytes]:
    """The endless 32-byte blocks of one stream; `heard` is the transcript."""
    key = hmac.digest(seed, pack("wartable-1 stream", heard, label, index), "sha256")
    for counter in itertools.count():
        yield hmac.digest(key, counter.to_bytes(8, "big"), "sha256")


def words(stream: Iterator[bytes], width: int) -> Iterator[int]:
    """The stream read as big-endian numbers of `width` bytes."""
    unpack = _WORDS[width].unpack
    for block in stream:
        yield from unpack(block)


def below(numbers: Iterator[int], width: int, count: int) -> int:
    """A number from 0 to count - 1, all equally likely."""
    # A remainder is fair only below the last whole multiple of `count`, so skip words above it.
    size = 1 << 8 * width
    if not 0 < count <= size:
        raise ValueError(f"words of {width} bytes give no number below {count}")
    limit = size - size % count
    for number in numbers:
        if number < limit:
            return number % count
    raise ValueError("the stream has ended")


def order(seed: bytes, heard: bytes, decks: int) -> tuple[Card, ...]:
    """The shuffled stack before any cut, its top card first."""
    return shuffle(words(blocks(seed, heard, "order", 0), ORDER_WORD_BYTES), DECK * decks)


def shuffle(numbers: Iterator[int], cards: Sequence[Card]) -> tuple[Card, ...]:
    """The cards after a Fisher-Yates shuffle driven by 16-bit words."""
    stack = list(cards)
    for last in range(len(stack) - 1, 0, -1):
        other = below(numbers, ORDER_WORD_BYTES, last + 1)
        stack[last], stack[other] = stack[other], stack[last]
    return tuple(stack)


def choose(seed: bytes, heard: bytes, label: str, index: int, count: int) -> int:
    """A derived choice from 0 to count - 1: number `index` of its label."""
    numbers = words(blocks(seed, heard, label, index), CHOICE_WORD_BYTES)
    return below(numbers, CHOICE_WORD_BYTES, count)


def choose_weighted(
    seed: bytes, heard: bytes, label: str, index: int, weights: Sequence[int]
) -> int:
    """A derived choice among options with whole weights."""
    return option_at(choose(seed, heard, label, index, sum(weights)), weights)


def option_at(rest: int, weights: Sequence[int]) -> int:
    """The option in whose weight a number lies, if the weights lie one after the other."""
    for option, weight in enumerate(weights):
        if rest < weight:
            return option
        rest -= weight
    raise ValueError("a weight cannot be negative")


def _sha256(*fields: bytes | str | int) -> bytes:
    return hashlib.sha256(pack(*fields)).digest()
