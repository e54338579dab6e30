"""What all tests share: clause marks, and the quick and the deep variant of a run."""

import faulthandler
import gc
import hashlib
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path

import hypothesis
import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher

import wartable
from memory import keep_files_in_memory
from paths import ROOT
from waiting import DEEP_S
from wartable.server import manifest
from wartable.server.house import passwords
from wartable.server.records import database

pytest_plugins = [
    "browser",
    "clauses",
    "findings",
    "forked_writers",
    "needs",
    "ordering",
    "pytester",
    "recorded_houses",
    "results_file",
    "sharing",
    "staffed_tables",
]

# What starts a hundred times must not be compiled a hundred times, nor a test once a worker.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Numba looks only at a kernel's own file to see whether it must be compiled again: a change of what
# the kernels are made of needs another folder.
SIMULATOR = sorted(Path(wartable.__file__).parent.joinpath("sim").glob("*.py"))
DIGEST = hashlib.sha256(b"".join(path.read_bytes() for path in SIMULATOR)).hexdigest()[:16]
os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / "build" / "kernels" / DIGEST))

# What is imported and collected stays to the end: no collection of garbage looks through it.
gc.disable()

# Time is the benchmarks' matter: here a machine may be as slow as it is.
hypothesis.settings.register_profile(
    "any speed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
ANY_SPEED = hypothesis.settings.get_profile("any speed")
# Quick repeats itself exactly, deep looks elsewhere each time.
hypothesis.settings.register_profile("quick", ANY_SPEED, derandomize=True)
hypothesis.settings.register_profile("deep", ANY_SPEED, max_examples=5_000)


STDERR = pytest.StashKey[int]()
WAITED_ANEW = pytest.StashKey[float]()
STUCK_S = 900
"""When a test that did not end by the timeout of pyproject.toml is ended together with its process.

A thread may be stuck where no exception reaches it.
"""
AGAIN_S = 60
"""How much sooner it may be: a thread waits for it, which is not started anew for every test."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--deep`."""
    parser.addoption("--deep", action="store_true", help="run the long variants of the tests")


def pytest_configure(config: pytest.Config) -> None:
    """Load the Hypothesis profile of the variant, and choose where files are made."""
    # A shell's background job ignores Ctrl-C, and so would every program that the tests start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.stash[STDERR] = os.dup(2)  # tests have their own
    keep_files_in_memory()
    hypothesis.settings.load_profile("deep" if config.getoption("deep") else "quick")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give the long variants their time."""
    if config.getoption("deep"):
        for item in items:
            item.add_marker(pytest.mark.timeout(DEEP_S))


def pytest_collection_finish() -> None:
    """Collect garbage from here on, among what the tests make."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """End this process, and show where every thread is, if the test cannot be ended otherwise."""
    stash = item.config.stash
    if time.monotonic() >= stash.get(WAITED_ANEW, 0):
        stuck_s = DEEP_S + STUCK_S if item.config.getoption("deep") else STUCK_S
        faulthandler.dump_traceback_later(stuck_s, exit=True, file=stash[STDERR])
        stash[WAITED_ANEW] = time.monotonic() + AGAIN_S
    return (yield)


def pytest_sessionfinish() -> None:
    """Let this process end when it likes."""
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="session", autouse=True)
def _cheap_passwords() -> Iterator[None]:
    """Let the houses of this process hash passwords quickly; one test sees the slow hash."""
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_HASHER", cheap)
        patch.setattr(passwords, "NOBODY", cheap.hash("nobody's"))
        yield


@pytest.fixture(scope="session", autouse=True)
def _bytecode_compared_once() -> Iterator[None]:
    """Let the houses of this process compile a source once to compare it, while it is the same."""
    made_from, known = manifest._made_from, dict[tuple[bytes, str, int, int, int], bool]()

    def remembered(cached: bytes, source: Path) -> bool:
        stat = source.stat()  # nobody can set when it was changed
        key = (cached, str(source), stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns)
        if key not in known:
            known[key] = made_from(cached, source)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest, "_made_from", remembered)
        yield


@pytest.fixture(scope="session", autouse=True)
def _databases_copied() -> Iterator[None]:
    """Let the houses of this process begin with copies of the first SQLite file that one made."""
    create, first = database.create, list[bytes]()

    def made(engine: sa.Engine) -> None:
        file, path = engine.dialect.name == "sqlite", Path(engine.url.database or "")
        if not file or path.name in ("", ":memory:") or (path.exists() and path.stat().st_size):
            create(engine)
        elif first:
            path.touch(mode=0o600)
            path.write_bytes(first[0])
        else:
            create(engine)
            with closing(sqlite3.connect(path)) as connection:
                first.append(connection.serialize())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "create", made)
        yield


@pytest.fixture(scope="session")
def deep(pytestconfig: pytest.Config) -> bool:
    """Whether this run is a deep one."""
    return bool(pytestconfig.getoption("deep"))
