"""Which tests can notice a mutation: those that run its line in one recorded run."""

from __future__ import annotations

import ast
import functools
import hashlib
import keyword
import re
import time
import types
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import Any

import coverage
import msgspec
import pytest

from mutations import SOURCE, Mutation, path_of

ROOT = SOURCE.parents[1]
BUILD = ROOT / "build" / "mutants"
TESTS = tuple(f"tests/{name}" for name in ("game", "clauses", "rules", "table", "odds"))
SLOW = "tests/odds/"
QUIET = (
    "-q", "-p", "no:cacheprovider",
    "-W", "ignore::pytest.PytestAssertRewriteWarning",  # some packages are imported beforehand
)  # fmt: skip  # an option and its value side by side
LEFT_OUT = "not browser and not postgres and not house and not slow"
WORD = re.compile(r"[A-Za-z_]\w+")
WAITING = "test_live_"
"""What asks a house that runs might wait for ever for a mutant; a table's own tests do not."""
FIRST_TESTS = 20
"""How many tests of clauses are tried before the first of the others."""
MUTANTS = 19
"""The finding whose tests were written for mutants that survived."""


class Recorded(msgspec.Struct):
    """What the tests of one file run: each test's time and clauses, each line's tests."""

    digest: str
    sources: str
    seconds: dict[str, float] = {}
    proves: list[str] = []
    hunts: list[str] = []
    """The tests that were written because a mutant survived."""
    lines: dict[str, dict[int, list[str]]] = {}
    """By module and line: ids of tests, the file for its shared fixtures, "" for imports."""


def digest(paths: Iterable[Path]) -> str:
    """A digest of files."""
    total = hashlib.sha256()
    for path in sorted(paths):
        total.update(path.read_bytes())
    return total.hexdigest()[:16]


class Recorder:
    """A pytest plugin that notes the lines that each test runs."""

    def __init__(self, measured: coverage.Coverage, sources: str) -> None:
        self.coverage = measured
        self.sources = sources
        self.files: dict[str, Recorded] = {}
        self.item: pytest.Item | None = None

    def of(self, item: pytest.Item) -> Recorded:
        """The record of the test's file."""
        name = item.nodeid.split("::")[0]
        return self.files.setdefault(name, Recorded(digest([ROOT / name]), self.sources))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Count what a test runs as its own."""
        record, began = self.of(item), time.process_time()
        self.coverage.switch_context(item.nodeid)
        self.item = item
        result = yield
        self.coverage.switch_context("")
        record.seconds[item.nodeid] = round(time.process_time() - began, 4)
        if item.get_closest_marker("proves"):
            record.proves.append(item.nodeid)
        if any(mark.args == (MUTANTS,) for mark in item.iter_markers("finding")):
            record.hunts.append(item.nodeid)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """Count what a shared fixture runs for every test of the file."""
        if fixturedef.scope == "function" or self.item is None:
            return (yield)
        self.coverage.switch_context(self.item.nodeid.split("::")[0])
        result = yield
        self.coverage.switch_context(self.item.nodeid)
        return result


def unrecorded(modules: Sequence[str]) -> list[str]:
    """The test files that must be run to know what they run."""
    sources = _sources(modules)
    stale = []
    paths = {path for folder in TESTS for path in (ROOT / folder).rglob("test_*.py")}
    for path in sorted(path for path in paths if not path.name.startswith(WAITING)):
        name = str(path.relative_to(ROOT))
        kept = _kept(name)
        if kept.exists():
            recorded = msgspec.json.decode(kept.read_bytes(), type=Recorded)
            if (recorded.digest, recorded.sources) == (digest([path]), sources):
                continue
        stale.append(name)
    return stale


def _sources(modules: Sequence[str]) -> str:
    return digest(path_of(module) for module in modules)


def _kept(name: str) -> Path:
    return BUILD / "tests" / f"{name.replace('/', '.')}.json"


def record(files: Sequence[str], modules: Sequence[str]) -> None:
    """Run the tests of these files once and keep what they run; in a process of its own."""
    targets = {str(path_of(module)): module for module in modules}
    measured = coverage.Coverage(data_file=None, include=list(targets), config_file=False)
    measured.start()
    recorder = Recorder(measured, _sources(modules))
    code = pytest.main([*QUIET, "-m", LEFT_OUT, *files], plugins=[recorder])
    measured.stop()
    if code != pytest.ExitCode.OK:  # a test that fails anyway would kill every mutant
        raise SystemExit("Every test must pass before mutants are tried.")
    for name in files:  # a file may have no test that is run here
        recorder.files.setdefault(name, Recorded(digest([ROOT / name]), recorder.sources))
    data = measured.get_data()
    for path, module in targets.items():
        for line, contexts in data.contexts_by_lineno(path).items():
            for context in contexts:
                name = context.split("::")[0]
                for file in [name] if name else recorder.files:
                    lines = recorder.files[file].lines.setdefault(module, {})
                    lines.setdefault(line, []).append(context)
    for name, each in recorder.files.items():
        _kept(name).parent.mkdir(parents=True, exist_ok=True)
        _kept(name).write_bytes(msgspec.json.encode(each))


class Map:
    """Which tests can notice a mutation, in the order in which they are tried."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.proves: set[str] = set()
        self.hunts: set[str] = set()
        self.lines: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        self.weighed: dict[str, dict[str, float]] = {}
        self.spoken: dict[str, set[str]] = defaultdict(set)
        self.killers: dict[str, Counter[str]] = defaultdict(Counter)
        for path in sorted((BUILD / "tests").glob("*.json")):
            each = msgspec.json.decode(path.read_bytes(), type=Recorded)
            self.seconds |= each.seconds
            self.proves |= set(each.proves)
            self.hunts |= set(each.hunts)
            for module, lines in each.lines.items():
                for line, tests in lines.items():
                    found = self.lines[module][line]
                    for test in tests:
                        whole_file = test.endswith(".py")
                        found |= set(each.seconds) if whole_file else {test}
        files = sorted({test.split("::")[0] for test in self.seconds})
        self.slow = tuple(file for file in files if file.startswith(SLOW))
        self.fast = tuple(file for file in files if not file.startswith(SLOW))

    def runs(self, module: str, first: int, last: int) -> set[str]:
        """The tests that run any of these lines."""
        lines = self.lines[module]
        return set().union(*(lines.get(number, ()) for number in range(first, last + 1)))

    def on_import(self, mutation: Mutation) -> bool:
        """Whether the mutated code runs before any test does."""
        return not mutation.function or "" in self.runs(mutation.module, *mutation.lines)

    def tests(self, mutation: Mutation) -> list[str]:
        """The tests to try, those first that are likely to notice."""
        found = self.runs(mutation.module, *mutation.lines) - {""}
        if not found or self.on_import(mutation):
            found |= self.mentioning(mutation) | self.proves | self.hunts
        files = set(self.files(mutation.module))
        return self.ordered(mutation, {test for test in found if test.split("::")[0] in files})

    def files(self, module: str) -> tuple[str, ...]:
        """The test files to try with a module: those of the odds are slow, and for these alone."""
        return self.fast if not module.startswith("odds/") else (*self.fast, *self.slow)

    def mentioning(self, mutation: Mutation) -> set[str]:
        """The tests of the functions that a statement of the module names, and that name it."""
        wanted = set(mutation.names)
        found: set[str] = set()
        for name, (first, last), words in functions(mutation.module):
            if name.split(".")[-1] in wanted or wanted & words:
                found |= self.runs(mutation.module, first + 1, last)
        for name in wanted:
            found |= self.speaking(name) if len(self.speaking(name)) <= FIRST_TESTS * 10 else set()
        whole = self.runs(mutation.module, 1, 10_000)
        return (found or whole) - {""}

    def ordered(self, mutation: Mutation, found: set[str]) -> list[str]:
        """Tests in order: known killers, of clauses, written for mutants, then the rest.

        First come those that run much of the module that few others run and use words of the
        mutated code that few others use, for their time. Where everything is imported anew only
        a few files are tried: those first that were written for mutants and use such words.
        """
        weights, cost = self.weights(mutation.module), self.cost
        spoken = {*mutation.names, *mutation.function.split(".")} - set(keyword.kwlist)
        words = {name: 1 / len(tests) for name in spoken if (tests := self.speaking(name))}
        named = {
            test: sum(each for name, each in words.items() if test in self.speaking(name))
            for test in found
        }
        worth = {
            test: (weights.get(test, 0) + 5 * each) / cost(test) for test, each in named.items()
        }
        first: dict[str, None] = {}
        for place in places(mutation):
            kills = self.killers[place]
            known = sorted(found & kills.keys(), key=lambda test: -kills[test] / cost(test))
            first |= dict.fromkeys(known[:10])
        rest = sorted(found - first.keys(), key=lambda test: (-worth[test], test))
        of_clauses = [test for test in rest if test in self.proves]
        hunting = [test for test in rest if test in self.hunts]
        taken = [*of_clauses[:FIRST_TESTS], *hunting, *rest[:FIRST_TESTS], *of_clauses, *rest]
        if mutation.made_once or self.on_import(mutation):
            speaking = sorted(self.hunts & found, key=lambda test: (-named[test], test))
            return list(dict.fromkeys([*speaking[: 2 * FIRST_TESTS], *first, *taken]))
        return list(dict.fromkeys([*first, *taken]))

    def speaking(self, word: str) -> set[str]:
        """The tests whose text has the word."""
        if not self.spoken:
            for test in self.seconds:
                for each in _words(text_of(test)):
                    self.spoken[each].add(test)
        return self.spoken.get(word, set())

    def cost(self, test: str) -> float:
        """The seconds that trying a test takes."""
        return self.seconds.get(test, 0) + 0.02

    def weights(self, module: str) -> dict[str, float]:
        """How much of a module each test runs, a line for less the more tests run it."""
        if module not in self.weighed:
            weights: dict[str, float] = defaultdict(float)
            for tests in self.lines[module].values():
                for test in tests:
                    weights[test] += 1 / len(tests)
            self.weighed[module] = dict(weights)
        return self.weighed[module]


def text_of(test: str) -> str:
    """The text that a test depends on: its function's, and what its parameters are made of."""
    file, _, name = test.partition("::")
    text = _functions(file).get(name.split("::")[-1].split("[")[0], "")
    return text + _shared(file) if "[" in name or not text else text


@functools.lru_cache(maxsize=4)
def _words(text: str) -> set[str]:
    return set(WORD.findall(text))


@functools.cache
def _functions(file: str) -> dict[str, str]:
    """The functions of a test file, each with its text."""
    text = (ROOT / file).read_text()
    found = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found[node.name] = "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    return found


@functools.cache
def _shared(file: str) -> str:
    """A test file without its tests."""
    statements = ast.parse((ROOT / file).read_text()).body
    return "\n".join(ast.unparse(each) for each in statements if not _is_test(each))


def _is_test(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef) and statement.name.startswith("test_")


def places(mutation: Mutation) -> tuple[str, str, str]:
    """Where a killer is likely to kill again: in the function, in the module, anywhere."""
    return f"{mutation.module} {mutation.function}", mutation.module, ""


@functools.cache
def functions(module: str) -> list[tuple[str, tuple[int, int], set[str]]]:
    """The functions of a module: name, lines, and the names they mention."""
    found = []

    def walk(code: types.CodeType) -> None:
        for each in code.co_consts:
            if isinstance(each, types.CodeType):
                lines = [line for *_, line in each.co_lines() if line]
                words = set(each.co_names)
                for inner in each.co_consts:
                    words |= set(inner.co_names) if isinstance(inner, types.CodeType) else set()
                found.append((each.co_qualname, (min(lines), max(lines)), words))
                walk(each)

    walk(compile(path_of(module).read_bytes(), module, "exec"))
    return found
