"""Steps per second of the environments, beside Gymnasium's Blackjack-v1 in the same run."""

import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from wartable.environments import NAME, stepping
from wartable.environments.table import TableEnv

TURNS = 7
CALLS = 20_000
ROWS = 4096
VECTOR_STEPS = 150
VECTOR_GOAL = 5_000_000
SINGLE_GOAL = 10


def single(env: Any, act: Callable[[Any, int], int]) -> float:
    """Calls of `step` and `reset` in a second of the processor."""
    seen, _ = env.reset(seed=1)
    start, calls = time.process_time(), 0
    while calls < CALLS:
        seen, _, ended, cut_off, _ = env.step(act(seen, calls))
        calls += 1
        if ended or cut_off:
            seen, _ = env.reset()
            calls += 1
    return calls / (time.process_time() - start)


def vector(seats: Any) -> float:
    """Steps of all rows, with observations and masks, in a second of the processor."""
    seen, _ = seats.reset(seed=1)
    random = np.random.default_rng(1)
    bets = [random.integers(1, 3, ROWS) for _ in range(8)]
    start = time.process_time()
    for number in range(VECTOR_STEPS):
        choosing = seen[:, stepping.OBSERVED_PHASE] == 1
        seen, *_ = seats.step(np.where(choosing, 4, bets[number % 8]))
    return VECTOR_STEPS * ROWS / (time.process_time() - start)


def table(env: TableEnv) -> float:
    """Agents' steps in a second of the processor, each through the engine."""
    random = np.random.default_rng(1)
    env.reset(seed=1)
    start, calls = time.process_time(), 0
    while calls < CALLS // 20:
        if env.table.over:
            env.reset()
        mask = env.infos[env.agent_selection]["action_mask"]
        env.step(int(random.choice(np.flatnonzero(mask))))
        calls += 1
    return calls / (time.process_time() - start)


def main() -> None:
    """Print the table: the median of turns in which all are measured one after the other."""
    blackjack = gymnasium.make("Blackjack-v1")
    seat = gymnasium.make(NAME, rules="maryland")
    seats = gymnasium.make_vec(NAME, num_envs=ROWS, rules="maryland")
    valued = gymnasium.make_vec(NAME, num_envs=ROWS, rules="maryland", ev=True)
    agents = TableEnv("california")

    def at_seat(seen: Any, call: int) -> int:
        return 4 if seen[stepping.OBSERVED_PHASE] else 1 + call % 2

    turns = [
        (
            single(blackjack, lambda _, call: call % 2),
            single(seat, at_seat),
            vector(seats),
            vector(valued),
            table(agents),
        )
        for _ in range(TURNS + 1)
    ]
    middle = TURNS // 2
    rates = [sorted(column)[middle] for column in zip(*turns[1:], strict=True)]
    ratios = [sorted(turn[n] / turn[0] for turn in turns[1:])[middle] for n in range(5)]
    lines = (
        ("Blackjack-v1", ""),
        ("one seat, with the value of every action", f"{SINGLE_GOAL} times Blackjack-v1"),
        (f"{ROWS} seats, with observations and masks", f"{VECTOR_GOAL:,} steps/s"),
        (f"{ROWS} seats, with the values too", ""),
        ("a table of three agents and their bank, through the engine", ""),
    )
    info = Path("/proc/cpuinfo")
    names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
    print(f"Python {platform.python_version()}, {names[0].partition(':')[2].strip()}\n")
    print("| environment | steps/s, one core | times Blackjack-v1 | goal |\n|---|---|---|---|")
    for (name, goal), rate, ratio in zip(lines, rates, ratios, strict=True):
        print(f"| {name} | {rate:,.0f} | {ratio:,.2f} | {goal} |")


if __name__ == "__main__":
    main()
