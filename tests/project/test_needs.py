"""What a test needs is found by its fixtures, so that `make quick` leaves out the right ones."""

import pytest

import hosting
import needs
import recorded_houses
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
HOUSES = """
    class Hosted: pass
"""
LIVE = """
    from houses import Hosted

    def test_live(): pass
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with such tests, and without the plugins that would be loaded for each run."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini(f"[pytest]\npythonpath = {TESTS / 'setup'}")
    pytester.makeconftest("pytest_plugins = ['needs']")
    pytester.makepyfile(test_mixed=MIXED, test_live=LIVE, houses=HOUSES)
    return pytester


def listed(project: pytest.Pytester, mark: str) -> list[str]:
    """The tests that a run with this choice has, in its order."""
    lines = project.runpytest("--collect-only", "-q", "-m", mark).outlines
    return [line.partition("::")[2] for line in lines if "::" in line]


@pytest.mark.parametrize(
    ("mark", "names"),
    [
        ("browser", ["test_page"]),
        ("postgres", ["test_server", "test_either[postgres]"]),
        ("house", ["test_live"]),
        ("not browser and not postgres and not house", ["test_plain", "test_either[sqlite]"]),
    ],
)
def test_needs_are_found(project: pytest.Pytester, mark: str, names: list[str]) -> None:
    """A fixture behind another counts, a variant counts alone, and a file that runs houses."""
    assert listed(project, mark) == names


def test_houses_have_their_names() -> None:
    """What a file imports to run a house, or to look at one's records, is called so."""
    assert (hosting.Hosted.__name__, recorded_houses.RecordedHouse.__name__) == needs.HOUSES
