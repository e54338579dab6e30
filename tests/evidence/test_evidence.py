"""The evidence pack: it has everything, and what has lost its proof is named."""

import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

import click
import msgspec
import numba
import pytest
from click.testing import CliRunner

from paths import ROOT
from results_file import ResultsFile
from wartable.cli import wartable
from wartable.evidence import figures, pack, proofs, results
from wartable.evidence.results import RunResult, RunResults
from wartable.rules import NAMES, inventory, load_any
from wartable.server.manifest import digest_of, manifest
from wartable.sim import run as running
from wartable.sim.classes import hands_of
from wartable.sim.counters import count_chunk
from wartable.sim.job import SimulationTally

ROUNDS = 40_000


def all_passed() -> list[RunResult]:
    """A test for every clause on each of its surfaces, for every promise, and for the kernels."""
    clauses = [
        RunResult(f"tests/x.py::test_{clause.id}[{surface}]", "passed", ((surface, clause.id),))
        for clause in inventory.clauses().values()
        for surface in clause.surfaces
    ]
    kept = [
        RunResult(f"{file}::test_it", "passed")
        for promise in proofs.promises()
        for file in promise.tests
    ]
    same = [
        RunResult(f"{figures.PARITY}::test_kernel_and_engine[{book}-1-war-shoe]", "passed")
        for book in NAMES
    ]
    return [*clauses, *kept, *same]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose tests ran, with one file of them and one picture."""
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (root / "tests" / "x.py").write_text("def test_it(): ...\n")
    (root / "requirements").symlink_to(ROOT / "requirements")
    results.written(root, {each.id: each for each in all_passed()}, whole=True)
    pictures = root / pack.SCREENSHOTS
    pictures.mkdir(parents=True)
    (pictures / "lobby.png").write_bytes(b"a picture")
    (pictures / pack.SHOWN).write_text(digest_of(manifest()))
    return root


@pytest.fixture
def one_book(monkeypatch: pytest.MonkeyPatch) -> None:
    """One book only, whose sheet is quick."""
    for module in (figures, pack):
        monkeypatch.setattr(module, "NAMES", ("new-zealand",))


def lost(project: Path, rounds: int = ROUNDS) -> list[str]:
    """The lines that have lost their proof."""
    with pytest.raises(pack.LostProof) as error:
        pack.make_pack(project / "out", project, "2026-11-17", lambda _: None, rounds)
    assert not (project / "out").exists()
    return error.value.sentence.splitlines()[1:]


def rewritten(project: Path, *changed: RunResult, without: str = "") -> None:
    """The results again, with some tests changed or left out."""
    found = {each.id: each for each in all_passed() if each.id != without}
    results.written(project, found | {each.id: each for each in changed}, whole=True)


@pytest.mark.usefixtures("one_book")
def test_the_pack_is_whole(project: Path) -> None:
    """Index, manifest of hashes, and every part with the command that printed it."""
    folder = project / "out"
    parts = pack.make_pack(folder, project, "2026-11-17", lambda _: None, ROUNDS)
    titles = [part.title for part in parts]
    assert titles == [
        "Clause matrix", "R1 to R16", "Engine, kernels and exact odds", "The shuffle",
        "PAR sheet: new-zealand", "Digests", "Differences between the books", "Dependencies",
        "Screenshots",
    ]  # fmt: skip  # a list of words
    assert all(part.command for part in parts)
    html = (folder / "index.html").read_text("utf-8")
    for part in parts:
        assert f"Printed by: {part.command}" in html
        for name in part.files:
            assert (folder / name).exists(), name
            assert f'<a href="{name}">' in html
    for promise in proofs.promises():  # each with its drill
        assert all(file.removeprefix("tests/") in html for file in promise.tests)
    for command in {command for part in parts for command in part.command.split("; ")}:
        assert known(command), command
    assert (folder / "index.pdf").read_bytes().startswith(b"%PDF")
    assert (folder / "screenshots" / "lobby.png").read_bytes() == b"a picture"
    sums = dict(line.split("  ")[::-1] for line in _lines(folder / "SHA256SUMS"))
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "SHA256SUMS"]
    assert set(sums) == {path.relative_to(folder).as_posix() for path in files}
    for path in files:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert sums[path.relative_to(folder).as_posix()] == digest
    matrix = _lines(folder / "clauses.csv")
    assert len({line.split(",")[0] for line in matrix[1:]}) >= len(inventory.clauses()) == 434


def known(command: str) -> bool:
    """Whether there is such a command, of the program or of the Makefile."""
    first, *words = command.split()
    if first == "make":
        return f"\n{words[0]}: " in (ROOT / "Makefile").read_text("utf-8")
    found: Any = wartable
    while isinstance(found, click.Group):
        found = found.get_command(click.Context(found), words.pop(0))
    options = {name for each in found.params for name in each.opts}
    return all(word in options for word in words if word.startswith("-"))


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def test_a_removed_test_is_named(project: Path) -> None:
    """Without its test a clause is named, and so are a file that is gone and a test that failed."""
    test = RunResult("tests/x.py::test_MD-9-E-1a[engine]", "failed", (("engine", "MD-9-E-1a"),))
    rewritten(project, without=test.id)
    assert lost(project) == ["MD-9-E-1a on engine: no test that passed proves it."]
    rewritten(project, test)
    assert lost(project) == [
        "tests/x.py::test_MD-9-E-1a[engine] failed.",
        "MD-9-E-1a on engine: tests/x.py::test_MD-9-E-1a[engine] failed.",
    ]
    rewritten(project, msgspec.structs.replace(test, end="skipped"))
    assert lost(project) == ["MD-9-E-1a on engine: no test that passed proves it."]
    rewritten(project, without="tests/server/test_drill.py::test_it")
    assert lost(project) == ["R4: no test of tests/server/test_drill.py passed, or one failed."]
    rewritten(project)
    (project / "tests" / "x.py").unlink()
    assert lost(project) == ["tests/x.py is gone since the tests ran; run make test."]


def test_results_of_another_program_prove_nothing(project: Path) -> None:
    """A file that was changed after the tests ran is named, and so are results of some tests."""
    found = results.read(project / results.FILE)
    name = "rules/books/maryland.toml"
    old = msgspec.structs.replace(found, program=found.program | {name: "0"})
    (project / results.FILE).write_bytes(msgspec.json.encode(old))
    assert lost(project) == [f"src/wartable/{name} was changed since the tests ran; run make test."]
    some = msgspec.structs.replace(found, whole=False)
    (project / results.FILE).write_bytes(msgspec.json.encode(some))
    assert lost(project)[0].startswith("The results are of some tests only;")


def test_a_changed_book_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A book that is no released version of itself is named, with its digest."""

    def changed(name: str) -> Any:
        book = load_any(name)
        return msgspec.structs.replace(book, digest="f" * 64) if name == "maryland" else book

    monkeypatch.setattr(figures, "load_any", changed)
    assert lost(project) == [
        "The book maryland was changed: ffffffffffff is no released version of it."
    ]


@pytest.mark.usefixtures("one_book")
def test_a_broken_kernel_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that takes a fifth of the lost hands for won ones is named by book and wager."""

    def broken(job: Any, chunk: int, rounds: int) -> SimulationTally:
        tally = count_chunk(job, chunk, rounds)
        keys: Counter[int] = Counter(tally.keys)
        by_hands = {hands_of(key, job.boxes, job.ordered): key for key in keys}
        if rounds > 1:
            moved = keys[by_hands["lost",]] // 5
            keys[by_hands["won",]] += moved
            keys[by_hands["lost",]] -= moved
        return SimulationTally(tally.rounds, keys, tally.spins, tally.shoes)

    monkeypatch.setattr(running, "count_chunk", broken)
    (line,) = lost(project)
    assert line.startswith("new-zealand, primary: the kernels' edge ")
    assert "standard errors from the exact" in line


def test_pictures_of_another_program_are_named(project: Path) -> None:
    """Screenshots belong to the program that they show."""
    (project / pack.SCREENSHOTS / pack.SHOWN).write_text("0" * 64)
    (line,) = lost(project)
    assert line == "The screenshots show another version of the program; run make screenshots."
    (project / pack.SCREENSHOTS / pack.SHOWN).unlink()
    assert lost(project) == ["There are no screenshots; run make screenshots."]


def test_the_command_says_what_is_missing(project: Path) -> None:
    """Exit 1 with the lines that have lost their proof, 2 if there are no results at all."""
    rewritten(project, without="tests/server/test_drill.py::test_it")
    words = ["evidence", "--out", str(project / "out"), "--project", str(project)]
    failed = CliRunner().invoke(wartable, words)
    assert failed.exit_code == 1
    assert failed.stdout.splitlines()[0] == "1 line has lost its proof:"
    assert failed.stdout.splitlines()[1].startswith("R4: ")
    (project / results.FILE).unlink()
    refused = CliRunner().invoke(wartable, words)
    assert refused.exit_code == 2
    assert "run make test first." in refused.stderr


def test_the_kernels_are_compiled_for_the_pack(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No kernel is taken from an earlier run, which may be of other code; then they are kept."""
    compiling: Any = numba.config
    before, seen = compiling.CACHE_DIR, []

    def looked(*_: Any) -> list[pack.PackPart]:
        folder = Path(compiling.CACHE_DIR)
        seen.append((str(folder) == before, list(folder.iterdir())))
        return []

    monkeypatch.setattr(pack, "make_pack", looked)
    words = ["evidence", "--out", str(project / "out"), "--project", str(project)]
    assert CliRunner().invoke(wartable, words).exit_code == 0
    assert seen == [(False, [])]
    assert before == compiling.CACHE_DIR


def test_promises_name_tests_that_exist() -> None:
    """R1 to R16 are all there, each with files of tests of this project."""
    found = proofs.promises()
    assert [each.id for each in found] == [f"R{number}" for number in range(1, 17)]
    for each in found:
        assert each.tests
        for file in each.tests:
            assert (ROOT / file).is_file(), file


def test_books_and_packages_are_the_projects(project: Path) -> None:
    """The books of this project are released, and every package is the locked one."""
    assert not list(figures.book_problems())
    assert not list(figures.dependency_problems(figures.dependencies(project)))
    lines = figures.differences_csv().splitlines()
    assert lines[0] == "value," + ",".join(NAMES)
    assert len(lines) > 20


def test_a_run_writes_its_results(pytester: pytest.Pytester) -> None:
    """A test that fails in its set-up failed; one that is skipped proves nothing."""
    made = ResultsFile.__new__(ResultsFile)
    made.ended = {}
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def broken():
            raise ValueError

        def test_good(): pass
        def test_bad(): assert False
        def test_error(broken): pass
        @pytest.mark.skip
        def test_left(): pass
        """
    )
    pytester.inline_run("-p", "no:cacheprovider", plugins=[_Reports(made)])
    ends = {each.id.rpartition("::")[2]: each.end for each in made.ended.values()}
    assert ends == {
        "test_good": "passed",
        "test_bad": "failed",
        "test_error": "failed",
        "test_left": "skipped",
    }


class _Reports:
    """Hands the reports of a run on."""

    def __init__(self, made: Any) -> None:
        self.made = made

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Hand a report on."""
        self.made.pytest_runtest_logreport(report)


def test_results_are_read(tmp_path: Path) -> None:
    """A file of something else is refused in a sentence."""
    (tmp_path / "results.json").write_text("{}")
    with pytest.raises(results.NoResults, match="has no results of tests"):
        results.read(tmp_path / "results.json")
    found = RunResults(True, {}, {}, (RunResult("a", "passed"),))
    assert msgspec.json.decode(msgspec.json.encode(found), type=RunResults) == found
