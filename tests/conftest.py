"""What all tests share: clause marks, and the quick and the deep variant of a run."""

import signal

import hypothesis
import pytest

pytest_plugins = ["browser", "clauses", "pytester", "recorded_houses", "staffed_tables"]

HEAVY = {"chromium", "postgres_server", "postgres_cluster"}
"""The fixtures that start a browser or PostgreSQL."""

# Quick repeats itself exactly, deep looks elsewhere each time; time is the benchmarks' matter.
hypothesis.settings.register_profile("quick", deadline=None, derandomize=True)
hypothesis.settings.register_profile("deep", deadline=None, max_examples=5_000)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--deep` and `--light`."""
    parser.addoption("--deep", action="store_true", help="run the long variants of the tests")
    parser.addoption("--light", action="store_true", help="leave out browser and PostgreSQL")


def pytest_configure(config: pytest.Config) -> None:
    """Load the Hypothesis profile of the variant."""
    # A shell's background job ignores Ctrl-C, and so would every program that the tests start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    hypothesis.settings.load_profile("deep" if config.getoption("deep") else "quick")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out of a light run what needs a browser or PostgreSQL."""
    if not config.getoption("light"):
        return
    heavy = [
        item
        for item in items
        if isinstance(item, pytest.Function)
        and (
            HEAVY & set(item.fixturenames)
            or (hasattr(item, "callspec") and "postgres" in item.callspec.params.values())
        )
    ]
    config.hook.pytest_deselected(items=heavy)
    items[:] = [item for item in items if item not in heavy]


@pytest.fixture(scope="session")
def deep(pytestconfig: pytest.Config) -> bool:
    """Whether this run is a deep one."""
    return bool(pytestconfig.getoption("deep"))
