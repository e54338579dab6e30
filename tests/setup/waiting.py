"""How tests wait: for a condition, with more patience than the slowest machine needs, never longer.

Whatever a test waits for has its end here. `tests/project/tidy.py` finds a wait that has none.
"""

import asyncio
import subprocess
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

WAIT_S = 180
"""How long anything may take before a test gives up; nothing waits that long where all is well."""

LIFE_S = 3 * WAIT_S
"""How long the whole of a test, or a program that it has started, may take."""

DEEP_S = 4 * 3_600
"""The same of a test in its long variant."""

RUN_S = 24 * 60 * 60
"""Longer than any run of all tests."""

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


def in_time(
    work: Coroutine[Any, Any, Found],
    limit_s: float = LIFE_S,
    new_loop: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> Found:
    """The result of asynchronous work, which is cancelled if it does not end."""

    async def limited() -> Found:
        async with asyncio.timeout(limit_s):
            return await work

    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(limited())


@contextmanager
def living(process: "subprocess.Popen[Any]", life_s: float = LIFE_S) -> Iterator[None]:
    """Have a program end with the block, or when it has lived too long: then its pipes end too."""
    watch = threading.Timer(life_s, process.kill)
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()
        process.kill()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
        process.wait(WAIT_S)


def ran(
    words: Sequence[str | Path], check: bool = False, **options: Any
) -> "subprocess.CompletedProcess[str]":
    """What a program printed, as text, and how it ended."""
    told: subprocess.CompletedProcess[str] = subprocess.run(
        words, capture_output=True, text=True, check=check, timeout=LIFE_S, **options
    )
    return told
