"""The page's scripts by themselves, in Node: each file of tests/web/js runs as one test here."""

from pathlib import Path

import pytest

from node import FOLDER, node

SCRIPTS = sorted(FOLDER.glob("*.test.js"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_script(script: Path) -> None:
    """Every test of the file passes, and there is one."""
    printed = node("--test", "--test-reporter=tap", script)
    assert "# fail 0" in printed
    assert "# pass 0" not in printed
