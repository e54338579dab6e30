"""What all tests share: clause marks, and the quick and the deep variant of a run."""

import signal
from collections.abc import Iterator

import hypothesis
import pytest
from argon2 import PasswordHasher

from memory import keep_files_in_memory
from wartable.server.house import passwords

pytest_plugins = [
    "browser",
    "clauses",
    "findings",
    "needs",
    "pytester",
    "recorded_houses",
    "staffed_tables",
]

# Time is the benchmarks' matter: here a machine may be as slow as it is.
hypothesis.settings.register_profile(
    "any speed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
ANY_SPEED = hypothesis.settings.get_profile("any speed")
# Quick repeats itself exactly, deep looks elsewhere each time.
hypothesis.settings.register_profile("quick", ANY_SPEED, derandomize=True)
hypothesis.settings.register_profile("deep", ANY_SPEED, max_examples=5_000)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--deep`."""
    parser.addoption("--deep", action="store_true", help="run the long variants of the tests")


def pytest_configure(config: pytest.Config) -> None:
    """Load the Hypothesis profile of the variant, and choose where files are made."""
    # A shell's background job ignores Ctrl-C, and so would every program that the tests start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    keep_files_in_memory()
    hypothesis.settings.load_profile("deep" if config.getoption("deep") else "quick")


@pytest.fixture(scope="session", autouse=True)
def _cheap_passwords() -> Iterator[None]:
    """Let the houses of this process hash passwords quickly; one test sees the slow hash."""
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_HASHER", cheap)
        patch.setattr(passwords, "NOBODY", cheap.hash("nobody's"))
        yield


@pytest.fixture(scope="session")
def deep(pytestconfig: pytest.Config) -> bool:
    """Whether this run is a deep one."""
    return bool(pytestconfig.getoption("deep"))
