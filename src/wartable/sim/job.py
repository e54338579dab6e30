"""A worker's input and output: a job of plain numbers, its chunks, and their tallies."""

from collections import Counter
from typing import Literal

import msgspec

Kernel = Literal["pairs", "shoes", "general"]

CHUNK_ROUNDS: dict[Kernel, int] = {"pairs": 1 << 26, "shoes": 1 << 22, "general": 1 << 21}
"""Rounds of a chunk, which has its own streams; few enough to stop soon after Ctrl-C."""
ROUNDS_MAX = 10**15


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
