"""What a test needs beside Python, as marks found by its fixtures: a browser, or PostgreSQL.

A test that needs neither and still takes long is marked where it stands, with the reason::

    pytestmark = pytest.mark.slow("500,000 shoes a planted bias")

`make quick` runs the rest.
"""

import pytest

FIXTURES = {"browser": "chromium", "postgres": "postgres_server"}
"""The fixture that gives what a mark is about."""


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks."""
    config.addinivalue_line("markers", "browser: the test needs a browser; set by its fixtures")
    config.addinivalue_line("markers", "postgres: the test needs PostgreSQL; set by its fixtures")
    config.addinivalue_line("markers", "slow(reason): the test is left out of make quick")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests, and let those in the browser come first: they are the longest."""
    for item in items:
        for mark, fixture in FIXTURES.items():
            if fixture in getattr(item, "fixturenames", ()) or mark in _variants(item):
                item.add_marker(mark)
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)


def _variants(item: pytest.Item) -> list[str]:
    """The words by which the test's fixtures are chosen, such as `sqlite`."""
    call = getattr(item, "callspec", None)
    return [] if call is None else [each for each in call.params.values() if isinstance(each, str)]
