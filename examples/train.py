"""Train a tabular agent at one seat, and compare what it learned with the exact optimum.

Run it with `python examples/train.py`. It explores at random, remembers the mean reward of every
action in every state and where the action led, and takes the best. Every round is dealt from a
fresh shoe, so 27 states are all there is, and `info["ev"]` tells the exact worth of each action.
"""

import argparse
from typing import Any, NamedTuple

import gymnasium
import numpy as np

import wartable.environments

PHASE, TIED_RANK, TIE_STAKE = 13, 14, 16
"""Where an observation has what this agent looks at; see docs/environments.md."""
STATES = 27
"""Before the deal, and a tie of each of 13 ranks without or with a tie wager."""


class Trained(NamedTuple):
    """What was learned: in each visited state the best action's name, and its exact regret."""

    policy: dict[int, str]
    regret: dict[int, float]


def states_of(observations: Any) -> Any:
    """The number of each row's state: 0 before the deal, 1 to 26 at a tie."""
    tied = observations[:, TIED_RANK] + 13 * (observations[:, TIE_STAKE] > 0)
    return np.where(observations[:, PHASE] == 1, tied, 0)


def train(rules: str = "maryland", steps: int = 40_000_000, seed: int = 1, **seat: Any) -> Trained:
    """The policy after so many steps, and how much each of its actions gives away."""
    rows = 4096
    seats: Any = gymnasium.make_vec(
        wartable.environments.NAME,
        num_envs=rows,
        rules=rules,
        shuffle="every_round",
        may_leave=False,
        ev=True,
        **seat,
    )
    random = np.random.default_rng(seed)
    observations, info = seats.reset(seed=seed)
    actions = len(seats.unwrapped.actions)
    times, won = np.zeros(STATES * actions), np.zeros(STATES * actions)
    led_to_tie = np.zeros((STATES * actions, STATES))
    exact = np.full((STATES, actions), -np.inf)
    over = np.zeros(rows, bool)
    for _ in range(steps // rows):
        states, mask = states_of(observations), info["action_mask"]
        exact[states[~over]] = info["ev"][~over]
        taken = np.argmax(mask * random.random(mask.shape), axis=1)
        played = ~over  # the others only start their next episode
        observations, rewards, ended, cut_off, info = seats.step(taken)
        over = ended | cut_off
        pairs = (states * actions + taken)[played]
        after = states_of(observations)[played]
        times += np.bincount(pairs, minlength=times.size)
        won += np.bincount(pairs, rewards[played], times.size)
        led = np.bincount(pairs * STATES + after, minlength=led_to_tie.size)
        led_to_tie += led.reshape(led_to_tie.shape)
    return _learned(seats.unwrapped.actions, times, won, led_to_tie, exact)


def _learned(actions: Any, times: Any, won: Any, led_to_tie: Any, exact: Any) -> Trained:
    """The best action of each visited state: choices first, then bets that may lead to them."""
    tried = np.maximum(times, 1)
    shape = (STATES, len(actions))
    worth = np.where(times > 0, won / tried, -np.inf).reshape(shape)
    best = np.where(times.reshape(shape).any(axis=1), worth.max(axis=1), 0)
    best[0] = 0  # the round ends there
    worth += (led_to_tie / tried[:, None] @ best).reshape(shape)
    visited = [state for state in range(STATES) if times.reshape(shape)[state].any()]
    greedy = {state: int(worth[state].argmax()) for state in visited}
    return Trained(
        {state: actions[action] for state, action in greedy.items()},
        {state: float(exact[state].max() - exact[state, a]) for state, a in greedy.items()},
    )


def main() -> None:
    """Train and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default="maryland")
    parser.add_argument("--steps", type=int, default=40_000_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    trained = train(asked.rules, asked.steps, asked.seed)
    for state, action in trained.policy.items():
        print(f"state {state:2}: {action:20} regret {trained.regret[state]:.6f}")


if __name__ == "__main__":
    main()
