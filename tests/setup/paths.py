"""Where the project's files lie, for the tests that read them."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TESTS = ROOT / "tests"
DATA = TESTS / "data"
