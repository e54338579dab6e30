"""What the workers of a run share, so that it is made once.

Every worker imports every test file, in the same order at the same time. In a clean clone each of
them would compile all the files, because none is there yet when the others come to it: so each
begins with files of its own.
"""

import fcntl
import importlib
import os
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from paths import TESTS
from waiting import LIFE_S

KERNELS = "NUMBA_CACHE_DIR"
"""The environment variable with the folder of compiled kernels."""


def pytest_sessionstart(session: pytest.Session) -> None:
    """Import this worker's share of the test files first, if the run is of all tests."""
    worker: dict[str, str | int] | None = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args_source != pytest.Config.ArgsSource.TESTPATHS:
        return
    number, count = int(str(worker["workerid"]).removeprefix("gw")), int(worker["workercount"])
    for file in share(TESTS, number, count) if count > 1 else ():
        if str(file.parent) not in sys.path:
            sys.path.insert(0, str(file.parent))  # as pytest does for folders that are no packages
        # Whatever is wrong with the file, its collection tells it.
        with suppress(Exception, pytest.skip.Exception, pytest.fail.Exception):
            importlib.import_module(file.stem)


def share(folder: Path, number: int, count: int) -> list[Path]:
    """One worker's part of the test files: together the workers have each file once."""
    return sorted(folder.rglob("test_*.py"))[number::count]


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder for all workers of the run, only to be read; the first who needs it makes it."""
    own = factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder, done = shared / name, shared / f"{name}.made"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            make(folder)
            done.touch()
    return folder


class OneCompiles:
    """A lock for all threads of all workers: whoever waits finds the kernel that another made."""

    def __init__(self, path: Path) -> None:
        self._threads, self._path = threading.RLock(), path
        self._times, self._held = 0, ExitStack()

    def acquire(self, timeout: float = LIFE_S) -> None:
        """Take it; a thread that has it may take it again."""
        assert self._threads.acquire(timeout=timeout), "another thread compiles for ever"
        self._times += 1
        if self._times == 1:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            fcntl.flock(self._held.enter_context(self._path.open("w")), fcntl.LOCK_EX)

    def release(self) -> None:
        """Give it back, as often as it was taken."""
        self._times -= 1
        if not self._times:
            self._held.close()
        self._threads.release()

    def _is_owned(self) -> bool:
        """Whether this thread has it, as Numba asks."""
        return bool(self._times) and self._threads._is_owned()  # type: ignore[attr-defined]  # of CPython


def pytest_collection_finish() -> None:
    """Let one worker compile a kernel, where any test needs one."""
    if "numba" in sys.modules and KERNELS in os.environ:
        compiler = importlib.import_module("numba.core.compiler_lock").global_compiler_lock
        compiler._lock = OneCompiles(Path(os.environ[KERNELS]) / "lock")
