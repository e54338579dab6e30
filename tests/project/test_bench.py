"""The benchmarks can still be started: what they import is there."""

import runpy
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.mark.parametrize("name", sorted(path.stem for path in BENCH.glob("*.py")))
def test_a_benchmark_finds_what_it_imports(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name that it takes from the program is still there; nothing is measured."""
    monkeypatch.setattr(sys, "path", [str(BENCH), *sys.path])
    assert callable(runpy.run_path(str(BENCH / f"{name}.py"))["main"])
