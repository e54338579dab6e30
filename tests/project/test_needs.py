"""What a test needs is found by its fixtures, so that `make quick` leaves out the right ones."""

import pytest

from paths import TESTS

MIXED = """
    import pytest

    @pytest.fixture
    def chromium(): pass

    @pytest.fixture
    def page(chromium): pass

    @pytest.fixture
    def postgres_server(): pass

    @pytest.fixture(params=["sqlite", "postgres"])
    def address(): pass

    def test_plain(): pass
    def test_page(page): pass
    def test_server(postgres_server): pass
    def test_either(address): pass
"""
LIVE = """
    from hosting import Hosted

    def test_live(): pass
"""


@pytest.mark.parametrize(
    ("mark", "names"),
    [
        ("browser", ["test_page"]),
        ("postgres", ["test_either[postgres]", "test_server"]),
        ("house", ["test_live"]),
        ("not browser and not postgres and not house", ["test_either[sqlite]", "test_plain"]),
    ],
)
def test_needs_are_found(pytester: pytest.Pytester, mark: str, names: list[str]) -> None:
    """A fixture behind another counts, a variant counts alone, and a file that runs houses."""
    pytester.makeini(f"[pytest]\npythonpath = {TESTS / 'setup'}")
    pytester.makeconftest("pytest_plugins = ['needs']")
    pytester.makepyfile(test_mixed=MIXED, test_live=LIVE)
    ran, _ = pytester.inline_genitems("-m", mark)
    assert sorted(item.name for item in ran) == names


def test_the_browser_comes_first(pytester: pytest.Pytester) -> None:
    """The tests in the browser run before all others, so that they share it."""
    pytester.makeini(f"[pytest]\npythonpath = {TESTS / 'setup'}")
    pytester.makeconftest("pytest_plugins = ['needs']")
    pytester.makepyfile(test_mixed=MIXED)
    items, _ = pytester.inline_genitems()
    assert [item.name for item in items][:2] == ["test_page", "test_plain"]
