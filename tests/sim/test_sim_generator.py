"""The generator: its clear twin, its leaps, and that its streams do not overlap."""

import numpy as np
import pytest

from sim_twin import Stream, gf_product, leapt
from wartable.sim import generator, kernels
from wartable.sim.counters import SPARE_STREAM, STREAMS_PER_CHUNK, lanes, streams

JUMP = 0x39ABDC4529B1661CA9582618E03FC9AAD5A61266F0C9392C180EC6D33CFD0ABA
LONG_JUMP = 0x39109BB02ACBE63577710069854EE241C5004E441C522FB376E15D3EFEFDCBBF


def shortest_recurrence(bits: list[int]) -> int:
    """The shortest linear recurrence of a bit sequence, by Berlekamp and Massey."""
    found, before, length, gap = 1, 1, 0, 1
    for at, bit in enumerate(bits):
        wrong = bit
        for back in range(1, length + 1):
            wrong ^= found >> back & 1 & bits[at - back]
        if not wrong:
            gap += 1
        elif 2 * length <= at:
            found, before, length, gap = found ^ before << gap, found, at + 1 - length, 1
        else:
            found, gap = found ^ before << gap, gap + 1
    return sum((found >> power & 1) << (length - power) for power in range(length + 1))


@pytest.mark.parametrize("seed", [1, 2])
def test_characteristic_polynomial(seed: int) -> None:
    """The generator's bits satisfy exactly the recurrence that the leaps are computed with."""
    state = generator.seed_state(seed)
    bits = []
    for _ in range(600):
        bits.append(state[0] & 1)
        _, state = generator.step(state)
    assert shortest_recurrence(bits) == generator.CHARACTERISTIC


def test_leaps_are_the_published_ones() -> None:
    """Squaring one step 128 times gives the published leap, 64 times more the long one."""
    polynomial = 2
    for _ in range(128):
        polynomial = gf_product(polynomial, polynomial)
    assert polynomial == generator.LEAP == JUMP
    assert generator.leaps()[0] == JUMP
    assert gf_product(generator.leaps()[63], generator.leaps()[63]) == LONG_JUMP


def test_leaps_move_by_steps() -> None:
    """A polynomial x^n moves a state on by n steps."""
    state = generator.seed_state(3)
    moved = leapt(state, 1 << 200)
    for _ in range(200):
        _, state = generator.step(state)
    assert moved == state


def test_streams_start_one_leap_apart() -> None:
    """The compiled placement puts stream k of chunk c at piece 64 c + k, whatever the chunk."""
    for chunk in (0, 1, 5, 2**30 + 12345):
        placed = streams(99, chunk)
        for column in (0, 1, 16, SPARE_STREAM):
            piece = Stream(99, chunk * STREAMS_PER_CHUNK + column)
            assert tuple(placed[:, column].tolist()) == piece.state


def test_compiled_words_are_the_twins() -> None:
    """Sixteen lanes give, step by step, what sixteen plain sequences give."""
    placed = lanes(streams(4, 7), 0)
    words = np.empty(256, np.uint64)
    kernels.fill(placed, words, 4)
    pieces = [Stream(4, 7 * STREAMS_PER_CHUNK + lane) for lane in range(16)]
    assert words.tolist() == [piece.word() for _ in range(16) for piece in pieces]


def test_seeds_differ() -> None:
    """Different seeds start in different states, and none in the state that never moves."""
    states = {generator.seed_state(seed) for seed in range(1000)}
    assert len(states) == 1000
    assert all(any(state) for state in states)
