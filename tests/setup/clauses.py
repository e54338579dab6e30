"""Which clauses the tests prove: the marker `proves`, and the report of `pytest --clauses`.

A test names a surface, then the clauses that it would catch broken on that surface::

    @proves("engine", "MD-9-E-1a", "MD-9-E-1b")
    def test_MD_9_E_1() -> None: ...
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Collection, Generator, Iterator

import pytest

from wartable.rules import inventory

proves = pytest.mark.proves

SURFACES = ("engine", "odds", "sim", "live", "web", "console")


def mark_problems(item: pytest.Item) -> Iterator[str]:
    """Yield a sentence for each thing that is wrong with a test's `proves` marks."""
    for mark in item.iter_markers("proves"):
        surface, *ids = mark.args or [""]
        if surface not in SURFACES:
            yield f"{item.nodeid} proves on {surface!r}, which is none of {', '.join(SURFACES)}."
            continue
        if not ids:
            yield f"{item.nodeid} names no clause that it proves on {surface}."
        for clause_id in ids:
            clause = inventory.clauses().get(clause_id)
            if clause is None:
                yield f"{item.nodeid} proves {clause_id}, which is no clause of the inventory."
            elif surface not in clause.surfaces:
                yield f"{item.nodeid} proves {clause_id} on {surface}, which it does not concern."


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--clauses` and `--surface`."""
    group = parser.getgroup("clauses")
    group.addoption(
        "--clauses",
        action="store_true",
        help="run only the tests that prove clauses, then print what is proven",
    )
    group.addoption(
        "--surface",
        action="append",
        choices=SURFACES,
        help="with --clauses: only this surface (may be given again for another)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and, on request, the report."""
    config.addinivalue_line(
        "markers", "proves(surface, *clauses): the clauses this test proves on that surface"
    )
    if config.getoption("clauses"):
        config.pluginmanager.register(ClauseReport(config.getoption("surface")))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Fail the collection of a file whose tests name clauses or surfaces that are not there."""
    report = yield
    items = [node for node in report.result or [] if isinstance(node, pytest.Item)]
    problems = list(dict.fromkeys(line for item in items for line in mark_problems(item)))
    if problems:
        report.outcome = "failed"
        report.longrepr = "\n".join(problems)
        report.result = []
    return report


def pytest_itemcollected(item: pytest.Item) -> None:
    """Hand a test's marks on to its reports, which is how they come back from workers."""
    item.user_properties += [("proves", list(mark.args)) for mark in item.iter_markers("proves")]


class ClauseReport:
    """Selects the marked tests and tells which clauses they proved."""

    def __init__(self, surfaces: list[str] | None) -> None:
        self.asked = surfaces
        self.passed: set[tuple[str, str]] = set()
        self.failed: set[tuple[str, str]] = set()

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Deselect every test that proves nothing on the surfaces asked for."""
        surfaces = self.asked or SURFACES
        kept = [
            item
            for item in items
            if any(mark.args[0] in surfaces for mark in item.iter_markers("proves"))
        ]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what a test proves if it passed, and does not prove if it failed or had to."""
        claims = {
            (mark[0], clause_id)
            for name, mark in report.user_properties
            if name == "proves" and isinstance(mark, list)
            for clause_id in mark[1:]
        }
        if report.failed or hasattr(report, "wasxfail"):
            self.failed |= claims
        elif report.passed and report.when == "call":
            self.passed |= claims

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Take a surface that nobody has begun for what it is: no failure."""
        if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the table and the unproven clauses."""
        for line in report_lines(self.passed - self.failed, self.asked):
            terminalreporter.write_line(line)


def report_lines(proven: set[tuple[str, str]], asked: Collection[str] | None) -> Iterator[str]:
    """Yield the table of proven / total and the unproven clauses of surfaces asked for or begun."""
    clauses = inventory.clauses().values()
    surfaces = [name for name in SURFACES if not asked or name in asked]
    documents = list(dict.fromkeys(clause.document for clause in clauses))
    yield ""
    yield "proven / total".ljust(16) + "".join(name.rjust(11) for name in surfaces)
    for document in [*documents, "all"]:
        line = document.ljust(16)
        for surface in surfaces:
            due = [
                clause.id
                for clause in clauses
                if surface in clause.surfaces and document in (clause.document, "all")
            ]
            done = sum((surface, clause_id) in proven for clause_id in due)
            line += f"{done} / {len(due)}".rjust(11)
        yield line
    begun = {surface for surface, _ in proven}
    for surface in surfaces:
        if asked or surface in begun:
            yield from unproven_lines(proven, surface)


def unproven_lines(proven: set[tuple[str, str]], surface: str) -> Iterator[str]:
    """Yield the clauses not proven on a surface, grouped by document and kind."""
    groups: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for clause in inventory.clauses().values():
        if surface in clause.surfaces and (surface, clause.id) not in proven:
            groups[clause.document, clause.kind].append(clause.id)
    yield ""
    yield f"not proven on {surface}:" if groups else f"everything is proven on {surface}"
    for (document, kind), ids in groups.items():
        yield from textwrap.wrap(
            " ".join(ids),
            width=100,
            initial_indent=f"  {document} {kind} ({len(ids)}): ",
            subsequent_indent="    ",
            break_on_hyphens=False,
        )
