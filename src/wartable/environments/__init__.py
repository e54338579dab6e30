"""Environments for learning agents: a seat (Gymnasium) and a whole table (PettingZoo)."""

import gymnasium

from wartable.environments.seat import SeatEnv, SeatVectorEnv
from wartable.environments.setup import SeatSetup, set_up_seat

__all__ = ["NAME", "SeatEnv", "SeatSetup", "SeatVectorEnv", "set_up_seat"]

NAME = "Wartable-v0"
"""The name by which Gymnasium makes a seat."""

if NAME not in gymnasium.registry:
    gymnasium.register(
        NAME,
        entry_point="wartable.environments.seat:SeatEnv",
        vector_entry_point="wartable.environments.seat:SeatVectorEnv",
        disable_env_checker=True,  # the tests run it; it would cost more than a step
    )
