"""The counters: each runs one kernel over one chunk and returns a tally."""

from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from wartable.sim import general, generator, kernels
from wartable.sim.job import Job, Kernel, SimulationTally, chunk_rounds

STREAMS_PER_CHUNK = 64
WAR_STREAM = 16
SPARE_STREAM = 32
TABLE_SIZE = 1 << 12
"""The initial size of a table of joint classes; it doubles until the classes fit."""


def count_chunks(job: Job, rounds: int, first: int, count: int) -> SimulationTally:
    """The tally of some chunks of the rounds."""
    total = SimulationTally()
    for index in range(first, first + count):
        total.add(count_chunk(job, index, chunk_rounds(job, rounds, index)))
    return total


def count_chunk(job: Job, index: int, rounds: int) -> SimulationTally:
    """The tally of one chunk, the same on every machine and thread."""
    return COUNTERS[job.kernel](job, index, rounds)


def streams(seed: int, chunk: int) -> Any:
    """The states of a chunk's streams, one to a column."""
    placed = np.empty((4, SPARE_STREAM + 1), np.uint64)
    state = np.array(generator.seed_state(seed), np.uint64)
    kernels.place_streams(state, _leaps(), chunk * STREAMS_PER_CHUNK, placed)
    return placed


@cache
def _leaps() -> Any:
    words = [
        [(leap >> shift) & generator.WORD for shift in range(0, 256, 64)]
        for leap in generator.leaps()
    ]
    return np.array(words, np.uint64)


def lanes(placed: Any, first: int) -> Any:
    """Sixteen streams for the kernels to step together."""
    return np.ascontiguousarray(placed[:, first : first + 16])


def count_pairs(job: Job, index: int, rounds: int) -> SimulationTally:
    """One box and a fresh shoe every round, by ranks alone."""
    placed = streams(job.seed, index)
    out = np.zeros(5, np.int64)
    kernels.count_pairs(lanes(placed, 0), lanes(placed, WAR_STREAM), job.decks, rounds, out)
    return SimulationTally(rounds, _five_keys(job, out), shoes=rounds)


def count_shoes(job: Job, index: int, rounds: int) -> SimulationTally:
    """Boxes dealt from shuffled shoes, by ranks alone."""
    placed = streams(job.seed, index)
    out = np.zeros(10_000, np.int64)
    settings = (job.decks, job.boxes, job.length, job.start, job.cover, job.burns, job.burn_mode)
    shoes = kernels.count_shoes(
        lanes(placed, 0), placed[:, SPARE_STREAM].copy(), *settings, job.war, rounds, out
    )
    if job.boxes == 1 and job.burn_mode == 0:
        return SimulationTally(rounds, _five_keys(job, out), shoes=shoes)
    keys = Counter({_key(job, int(place)): int(out[place]) for place in np.flatnonzero(out)})
    return SimulationTally(rounds, keys, shoes=shoes)


def _five_keys(job: Job, out: Any) -> Counter[int]:
    """The keys of one box's won, lost, war won, war tied and war lost."""
    won, lost, war_won, war_tied, war_lost = (int(count) for count in out[:5])
    if not job.war:
        return Counter({1: won, 0: lost, _key(job, 1000): war_won + war_tied + war_lost})
    return Counter({1: won, 0: lost, 1 << 8: war_won, 1 << 12: war_tied, 1 << 4: war_lost})


def _key(job: Job, place: int) -> int:
    """The key for a place in the table of `count_shoes`."""
    won, war_won, war_tied, war_lost = (int(digit) for digit in reversed(f"{place:04}"))
    key = won | war_lost << 4 | war_won << 8 | war_tied << 12
    return key if job.war or not war_lost else key | 1 << 60


def count_general(job: Job, index: int, rounds: int) -> SimulationTally:
    """Boxes dealt from shuffled shoes, with suits, a policy by count and the wheel."""
    settings = np.zeros(general.SETTINGS, np.int64)
    settings[: general.SUITS] = (
        job.decks,
        job.boxes,
        job.length,
        job.start,
        job.cover,
        job.burns,
        job.burn_mode,
    )
    settings[general.SUITS :] = (
        job.suits,
        job.ordered,
        job.count_least,
        job.trigger_rank,
        job.trigger_suits,
        job.faced_up,
        job.bet_least,
        job.per_deck,
    )
    size, shoes = TABLE_SIZE, -1
    while shoes < 0:
        placed = streams(job.seed, index)
        keys, counts = np.zeros(size, np.uint64), np.zeros(size, np.int64)
        plain = np.zeros(10, np.int64)
        spins = np.zeros(len(job.hot_spots) * len(job.community), np.int64)
        shoes = general.count_general(
            lanes(placed, 0),
            placed[:, SPARE_STREAM].copy(),
            settings,
            np.array(job.tags, np.int64),
            np.array(job.policy, np.bool_),
            np.array(job.levels, np.int64),
            np.array(job.hot_spots, np.int64),
            np.array(job.community, np.int64),
            rounds,
            keys,
            counts,
            plain,
            spins,
        )
        size *= 2
    found = np.flatnonzero(counts)
    tally = Counter(dict(zip(keys[found].tolist(), counts[found].tolist(), strict=True)))
    tally.update({won: int(plain[won]) for won in range(10)})
    stops = Counter({int(stop): int(spins[stop]) for stop in np.flatnonzero(spins)})
    return SimulationTally(rounds, tally, stops, shoes)


COUNTERS: dict[Kernel, Callable[[Job, int, int], SimulationTally]] = {
    "pairs": count_pairs,
    "shoes": count_shoes,
    "general": count_general,
}
"""The counter of each kernel; tests replace them with faulty ones that must be caught."""
