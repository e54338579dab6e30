"""The inventory is whole, and the tool that counts proofs counts rightly."""

import pytest

from clauses import SURFACES
from paths import TESTS
from wartable.rules import inventory

pytestmark = pytest.mark.slow("runs pytest with workers")

DOCUMENTS = {"california", "online", "new-zealand", "washington", "maryland"}


def test_inventory_is_whole() -> None:
    """All 434 clauses are there once, each of a known document and known surfaces."""
    clauses = inventory.clauses()
    assert len(clauses) == 434
    assert {clause.document for clause in clauses.values()} == DOCUMENTS
    assert {name for clause in clauses.values() for name in clause.surfaces} == set(SURFACES)


def test_every_reading_is_registered() -> None:
    """Each reading that a clause refers to stands once in the register."""
    ids = set(inventory.readings())
    assert len(ids) == 106
    referred = {reading for clause in inventory.clauses().values() for reading in clause.readings}
    assert referred <= ids


def test_readings_belong_to_documents() -> None:
    """A reading is of known documents, or of all, and says whether it moves money."""
    for row in inventory.readings().values():
        assert set(row.document.split(",")) <= DOCUMENTS | {"all"}
        assert row.problem
        assert row.effect[0] in "$VP-"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """An empty project that uses the clause marks, and of all plugins the one for workers alone."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeini(f"[pytest]\naddopts = -p xdist\npythonpath = {TESTS / 'setup'}")
    pytester.makeconftest("pytest_plugins = ['clauses']")
    return pytester


WRONG = {
    "'engine', 'XX-1'": "proves XX-1, which is no clause of the inventory.",
    "'odds', 'CA-notice-1'": "proves CA-notice-1 on odds, which it does not concern.",
    "'kitchen', 'CA-std-8'": "proves on 'kitchen', which is none of engine, *",
    "'engine'": "names no clause that it proves on engine.",
    "": "proves on '', which is none of engine, *",
}
"""Marks, and what is said of each."""


@pytest.mark.parametrize("mark", WRONG)
def test_wrong_marks_fail(project: pytest.Pytester, mark: str) -> None:
    """A mark that the inventory does not know fails the run with a sentence."""
    project.makepyfile(f"from clauses import proves\n@proves({mark})\ndef test_it(): pass")
    result = project.runpytest("-n", "0")
    result.stdout.fnmatch_lines([f"*::test_it {WRONG[mark]}"])
    assert result.ret != pytest.ExitCode.OK


def test_wrong_marks_fail_with_workers(project: pytest.Pytester) -> None:
    """Every sentence is told by a worker, too, and the run fails."""
    tests = [f"@proves({mark})\ndef test_{at}(): pass" for at, mark in enumerate(WRONG)]
    project.makepyfile("\n".join(["from clauses import proves", *tests]))
    result = project.runpytest("-n", "2")
    told = [f"*::test_{at} {sentence}" for at, sentence in enumerate(WRONG.values())]
    result.stdout.fnmatch_lines_random(told)
    assert result.ret != pytest.ExitCode.OK


MIXED = """
    import pytest
    from clauses import proves

    @proves("engine", "CA-std-8", "MD-9-E-1a")
    @proves("odds", "CA-std-8")
    def test_passes(): pass

    @proves("engine", "CA-std-9")
    def test_fails(): assert False

    @proves("engine", "CA-std-10")
    def test_skips(): pytest.skip()

    @proves("engine", "CA-std-11")
    @pytest.mark.xfail
    def test_xfails(): assert False

    @proves("engine", "CA-std-12")
    @pytest.mark.xfail
    def test_xpasses(): pass

    @proves("engine", "CA-std-13")
    @pytest.mark.parametrize("good", [True, False])
    def test_half_passes(good): assert good

    @pytest.fixture
    def broken():
        yield
        assert False

    @proves("engine", "CA-std-6")
    def test_fails_at_teardown(broken): pass

    def test_unmarked(): pass
"""


@pytest.mark.parametrize("workers", ["0", "2"])
def test_only_passing_tests_prove(project: pytest.Pytester, workers: str) -> None:
    """Counts and lists follow what passed: nothing failed, skipped or expected to fail proves."""
    project.makepyfile(MIXED)
    result = project.runpytest("--clauses", "-n", workers)
    result.stdout.fnmatch_lines(
        [
            "proven / total *engine *odds *sim *live *web *console",
            "california * 1 / * 1 / * 0 / *",
            "maryland * 1 / * 0 / *",
            "all * 2 / 348 * 1 / 146 * 0 / 147 * 0 / 271 * 0 / 286 * 0 / 126",
            "not proven on engine:",
            "not proven on odds:",
        ]
    )
    result.stdout.no_fnmatch_line("*not proven on sim*")
    listed = result.stdout.str().split("not proven on engine:")[1].split("not proven on odds:")[0]
    for clause in ("CA-std-6", "CA-std-9", "CA-std-10", "CA-std-11", "CA-std-12", "CA-std-13"):
        assert clause in listed.split()
    assert not {"CA-std-8", "MD-9-E-1a"} & set(listed.split())
    result.assert_outcomes(
        passed=3, failed=2, skipped=1, xfailed=1, xpassed=1, errors=1, deselected=workers == "0"
    )


def test_one_surface(project: pytest.Pytester) -> None:
    """Asked for one surface, the tool runs its tests and shows it alone."""
    project.makepyfile(MIXED)
    result = project.runpytest("--clauses", "--surface=odds")
    result.assert_outcomes(passed=1, deselected=8)
    result.stdout.re_match_lines(["proven / total +odds$", "all +1 / 146$", "not proven on odds:"])
    result.stdout.no_fnmatch_line("*not proven on engine*")


def test_a_surface_can_be_finished(project: pytest.Pytester) -> None:
    """Once nothing is missing the tool says so."""
    ids = [clause.id for clause in inventory.clauses().values() if "odds" in clause.surfaces]
    project.makepyfile(f"from clauses import proves\n@proves('odds', *{ids})\ndef test_it(): pass")
    result = project.runpytest("--clauses")
    result.stdout.fnmatch_lines(["everything is proven on odds"])


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_surface_that_nobody_has_begun(project: pytest.Pytester, workers: str) -> None:
    """Nothing proven is a result, not a failure."""
    project.makepyfile(MIXED)
    result = project.runpytest("--clauses", "--surface=console", "-n", workers)
    result.stdout.re_match_lines(["all +0 / 126$", "not proven on console:"])
    assert result.ret == pytest.ExitCode.OK
