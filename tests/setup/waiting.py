"""How tests wait: for a condition, and with more patience than the slowest machine needs."""

import time
from collections.abc import Callable
from typing import TypeVar

WAIT_S = 180
"""How long anything may take before a test gives up; nothing waits that long where all is well."""

LOOK_S = 0.01

Found = TypeVar("Found")


def until(
    holds: Callable[[], Found],
    what: str = "it does not come to be",
    pause: Callable[[], object] = lambda: time.sleep(LOOK_S),
) -> Found:
    """What holds, once it does; or an error with these words."""
    deadline = time.monotonic() + WAIT_S
    while not (found := holds()):
        assert time.monotonic() < deadline, what
        pause()
    return found
