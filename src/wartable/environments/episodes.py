"""Episodes of a seat in rows: the arrays that the compiled step works on, and their seeds."""

from typing import Any

import numpy as np

from wartable.environments import stepping
from wartable.environments.setup import SeatSetup, seat_table
from wartable.sim.generator import seed_state


class Episodes:
    """A batch of episodes of one setup, stepped together, with or without the actions' values."""

    def __init__(self, setup: SeatSetup, number: int, values: bool = True) -> None:
        self.setup = setup
        self.number = number
        self.actions = len(setup.actions)
        self.valued = self.actions if values else 0
        self.table = seat_table(setup)
        self.numbers = np.zeros((number, stepping.NUMBERS), np.int64)
        self._fresh = (np.arange(52 * setup.decks) % 52).astype(np.uint8)
        self.shoes = np.tile(self._fresh, (number, 1))

    def seed(self, seed: int) -> None:
        """Give each row its own stream: the first that of the seed, the next that of seed + 1."""
        streams = np.array([seed_state(seed + row) for row in range(self.number)], np.uint64)
        self.numbers[:, stepping.STREAM :] = streams.view(np.int64)
        self.shoes[:] = self._fresh

    def start(self) -> tuple[Any, Any, Any]:
        """Start an episode in every row; the observations, marks and values."""
        observations, marks, values = self._empty()
        marks[:] = 0
        stepping.start(self.numbers, self.shoes, self.table, observations, marks, values)
        return observations, marks, values

    def step(self, actions: Any) -> tuple[Any, Any, Any]:
        """Take an action in every row; the observations, marks and values."""
        observations, marks, values = self._empty()
        stepping.advance(self.numbers, self.shoes, self.table, actions, observations, marks, values)
        return observations, marks, values

    def _empty(self) -> tuple[Any, Any, Any]:
        """New arrays, because what a caller was given must stay as it is."""
        return (
            np.empty((self.number, stepping.OBSERVATION_SIZE), np.int32),
            np.empty((self.number, stepping.MASK + self.actions), np.int8),
            np.empty((self.number, self.valued), np.float64),
        )
