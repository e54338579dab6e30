"""The random streams: one xoshiro256++ sequence, cut into pieces that cannot overlap.

A piece is 2^128 numbers long. Piece `n` starts `n` leaps of 2^128 steps after the seed's state,
so two different pieces of one seed never share a number.
"""

import hashlib
from functools import cache

WORD = (1 << 64) - 1
STATE_BITS = 256

# The published jump of 2^128 steps, as a polynomial in the step: bit k is the coefficient of x^k.
LEAP = 0x39ABDC4529B1661CA9582618E03FC9AAD5A61266F0C9392C180EC6D33CFD0ABA
# The characteristic polynomial of the generator's linear part.
CHARACTERISTIC = 0x10003C03C3F3ECB1904B4EDCF26259F850280002BCEFD1A5E9D116F2BB0F0F001
LEAPS_MAX = 64
"""Piece numbers are below 2^64, far more than any run can use."""


def seed_state(seed: int | str) -> tuple[int, int, int, int]:
    """The first state of a seed; a seed is any whole number or any text."""
    digest = hashlib.sha256(f"wartable sim {seed}".encode()).digest()
    first, second, third, fourth = (
        int.from_bytes(digest[at : at + 8], "little") for at in range(0, 32, 8)
    )
    return first, second, third, fourth


def step(state: tuple[int, int, int, int]) -> tuple[int, tuple[int, int, int, int]]:
    """The next number and the next state: the readable twin of the compiled generator."""
    s0, s1, s2, s3 = state
    number = (_rotated((s0 + s3) & WORD, 23) + s0) & WORD
    shifted = (s1 << 17) & WORD
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = _rotated(s3, 45)
    return number, (s0, s1, s2, s3)


def _rotated(word: int, by: int) -> int:
    return ((word << by) | (word >> (64 - by))) & WORD


@cache
def leaps() -> tuple[int, ...]:
    """The polynomials of 2^128, 2^129, 2^130 ... steps: each is the square of the one before."""
    found = [LEAP]
    while len(found) < LEAPS_MAX:
        found.append(_reduced(_squared(found[-1])))
    return tuple(found)


def _squared(polynomial: int) -> int:
    """The square over GF(2): every coefficient moves to twice its place."""
    return int(bin(polynomial)[2:], 4)


def _reduced(polynomial: int) -> int:
    """The remainder after division by the characteristic polynomial."""
    while polynomial >> STATE_BITS:
        polynomial ^= CHARACTERISTIC << (polynomial.bit_length() - 1 - STATE_BITS)
    return polynomial
