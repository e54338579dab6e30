"""What a test needs beside Python, as marks found by its fixtures and by what its file imports.

A test that needs none of it and still takes long is marked where it stands, with the reason::

    pytestmark = pytest.mark.slow("deals thousands of shoes")

`make quick` runs the rest.
"""

import pytest

FIXTURES = {
    "chromium": "browser",
    "postgres_server": "postgres",
    "postgres_cluster": "postgres",
    "house": "house",
}
"""The mark of who takes a fixture, itself or through another."""

HOUSES = ("Hosted", "RecordedHouse")
"""What a file imports that runs a house or looks at one's records."""

MARKS = (
    "browser: the test needs a browser",
    "postgres: the test needs PostgreSQL",
    "house: the test's file runs a house or looks at one's records",
    "slow(reason): the test takes long for another reason",
)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks."""
    for mark in MARKS:
        config.addinivalue_line("markers", mark)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests."""
    for item in items:
        for mark in _needs(item):
            item.add_marker(mark)


def _needs(item: pytest.Item) -> set[str]:
    """The marks of what a test needs."""
    found = {mark for name, mark in FIXTURES.items() if name in getattr(item, "fixturenames", ())}
    call = getattr(item, "callspec", None)
    if call is not None and "postgres" in map(str, call.params.values()):
        found.add("postgres")
    if any(hasattr(getattr(item, "module", None), name) for name in HOUSES):
        found.add("house")
    return found
