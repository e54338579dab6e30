"""A worker's input and output: a job of plain numbers, its chunks, and their tallies."""

from collections import Counter
from typing import Literal

import msgspec

Kernel = Literal["pairs", "shoes", "general"]

CHUNK_ROUNDS: dict[Kernel, int] = {"pairs": 1 << 26, "shoes": 1 << 22, "general": 1 << 21}
"""Rounds of a chunk, which has its own streams; few enough to stop soon after Ctrl-C."""
ROUNDS_MAX = 10**15
GENERATION = 1
"""Raised when a kernel counts other rounds from the same seed, so that counts do not mix."""

Ranges = list[tuple[int, int]]
"""Chunks as ranges: the first of each, and the first after it; in order and not touching."""


class Job(msgspec.Struct, frozen=True):
    """Everything that determines the counts, as plain numbers: no rules and no money."""

    seed: int
    kernel: Kernel = "pairs"
    decks: int = 6
    boxes: int = 1
    length: int = 8
    start: int = 0
    cover: int = 0
    burns: int = 0
    burn_mode: int = 0
    war: bool = True
    suits: bool = False
    ordered: bool = False
    tags: tuple[int, ...] = (0,) * 13
    count_least: int = 0
    policy: tuple[bool, ...] = (True,)
    trigger_rank: int = -1
    trigger_suits: int = 0
    hot_spots: tuple[int, ...] = (1,)
    community: tuple[int, ...] = (1,)
    faced_up: int = 0
    bet_least: int = 0
    levels: tuple[int, ...] = (0,)
    per_deck: bool = False
    generation: int = GENERATION


class SimulationTally(msgspec.Struct):
    """What was counted: rounds by key, stops of the wheel, shoes."""

    rounds: int = 0
    keys: Counter[int] = msgspec.field(default_factory=Counter)
    spins: Counter[int] = msgspec.field(default_factory=Counter)
    shoes: int = 0

    def add(self, other: "SimulationTally") -> None:
        """Add another tally's counts."""
        self.rounds += other.rounds
        self.keys.update(other.keys)
        self.spins.update(other.spins)
        self.shoes += other.shoes


def chunk_count(job: Job, rounds: int) -> int:
    """The number of chunks for the rounds."""
    return -(-rounds // CHUNK_ROUNDS[job.kernel])


def chunk_rounds(job: Job, rounds: int, index: int) -> int:
    """The number of rounds in that chunk."""
    size = CHUNK_ROUNDS[job.kernel]
    return min(size, rounds - index * size)


def joined(ranges: Ranges) -> Ranges:
    """The same chunks in order, with ranges that touch or overlap made one."""
    found: Ranges = []
    for first, end in sorted(ranges):
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif first < end:
            found.append((first, end))
    return found


def missing(done: Ranges, first: int, end: int) -> Ranges:
    """The chunks from the first up to the end that are not done."""
    found: Ranges = []
    for start, after in done:
        if after > first and start < end:
            if start > first:
                found.append((first, start))
            first = after
    return [*found, (first, end)] if first < end else found
