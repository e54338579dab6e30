"""Few workers begin with tests in the browser, the others with long ones; files stay together."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ordering import dealt, filled, ordered
from paths import TESTS

MARKED = """
    import pytest

    def test_short(): pass

    @pytest.mark.house
    def test_long(): pass

    @pytest.mark.browser
    def test_longest(): pass
"""


def made(**files: int) -> list[Any]:
    """So many tests of each file."""
    return [SimpleNamespace(path=Path(name)) for name, count in files.items() for _ in range(count)]


def files_of(items: list[Any]) -> str:
    """The file of each test, one letter after another."""
    return "".join(item.path.name for item in items)


def test_files_are_dealt_whole() -> None:
    """The shares are about equal, no file is in two of them, and few tests come before many."""
    shares = dealt(made(a=1, b=5, c=2, d=3), 2)
    assert [files_of(share) for share in shares] == ["abbbbb", "ccddd"]


def test_shares_are_filled_up() -> None:
    """Short tests make the shares as long as xdist deals them; none is lost where there are few."""
    shares = [made(a=1), made(b=2), made(c=0)]
    assert files_of(filled(shares, made(x=7))) == "axx" + "bbx" + "xxxx"
    assert files_of(filled([made(a=5), made(b=1)], made(x=1))) == "aaaaabx"


def test_two_workers_begin_with_the_browser() -> None:
    """The others begin with long tests; where there are no others, those come after the browser."""
    browser, long, short = made(b=2, c=2), made(h=2, i=2), made(x=8)
    assert files_of(ordered(browser, long, short, 4)) == "bbxx" + "ccxx" + "hhxx" + "iixx"
    assert files_of(ordered(browser, long, short, 2)) == "bbhhiixx" + "ccxxxxxx"
    assert files_of(ordered(browser, long, short, 1)) == "bbcchhiixxxxxxxx"


def test_the_longest_come_first(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests in the browser run before those of a house, and these before all others."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini(
        f"[pytest]\npythonpath = {TESTS / 'setup'}\nmarkers =\n  house\n  browser\n  slow"
    )
    pytester.makeconftest("pytest_plugins = ['ordering']")
    pytester.makepyfile(test_marked=MARKED)
    lines = pytester.runpytest("--collect-only", "-q").outlines
    names = [line.partition("::")[2] for line in lines if "::" in line]
    assert names == ["test_longest", "test_long", "test_short"]
