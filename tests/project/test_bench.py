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


def test_live_tables_are_measured_beside_their_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What tables write can be written by the bare loop, and decided again by the pure path."""
    monkeypatch.setattr(sys, "path", [str(BENCH), *sys.path])
    bench = runpy.run_path(str(BENCH / "server.py"))
    run, bare, pure = bench["turn"](bench["sqlite"], 2, 0.1)
    assert min(run.rate, bare, pure) > 0
