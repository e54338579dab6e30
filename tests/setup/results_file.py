"""The results of a run as a file, `pytest --results`: what `wartable evidence` shows."""

from __future__ import annotations

import pytest

from paths import ROOT
from wartable.evidence import results
from wartable.evidence.results import RunEnd, RunResult


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--results`."""
    help_ = f"write how every test ended to {results.FILE}"
    parser.addoption("--results", action="store_true", help=help_)


def pytest_configure(config: pytest.Config) -> None:
    """Write the file, in the process that hears of all tests."""
    if config.getoption("--results") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(ResultsFile(config))


class ResultsFile:
    """Notes how each test ends, and writes the file at the end."""

    def __init__(self, config: pytest.Config) -> None:
        chosen = config.getoption("keyword") or config.getoption("markexpr")
        named = config.args_source is not pytest.Config.ArgsSource.TESTPATHS
        self.whole = not chosen and not named
        self.ended: dict[str, RunResult] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test that failed at any time failed; one that passed was called."""
        proves = tuple(
            tuple(str(each) for each in mark)
            for name, mark in report.user_properties
            if name == "proves" and isinstance(mark, list)
        )
        end: RunEnd
        if report.failed or hasattr(report, "wasxfail"):
            end = "failed"
        elif report.skipped:
            end = "skipped"
        elif report.when == "call":
            end = "passed"
        else:
            return
        before = self.ended.get(report.nodeid)
        if before is None or before.end != "failed":
            self.ended[report.nodeid] = RunResult(report.nodeid, end, proves)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the file, also after failures: the pack names them."""
        if session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            results.written(ROOT, self.ended, self.whole)
