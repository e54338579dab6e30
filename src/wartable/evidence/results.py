"""The results of the tests, as recorded by a run of all of them."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from wartable.refusal import Unusable
from wartable.server.manifest import Manifest, digest_of, manifest

FILE = Path("build") / "results.json"
"""Where `make test` writes the results."""
COMMAND = "make test"
NAMED_MAX = 5
"""How many changed files are named."""

RunEnd = Literal["passed", "failed", "skipped"]


class RunResult(msgspec.Struct, frozen=True):
    """How one test ended, and the clauses that it proves: the surface first."""

    id: str
    end: RunEnd
    proves: tuple[tuple[str, ...], ...] = ()


class RunResults(msgspec.Struct, frozen=True):
    """A run of the tests: of which program, with which test files, and how each test ended."""

    whole: bool
    """Whether the run included every test rather than a selection."""
    program: Manifest
    tests: Manifest
    results: tuple[RunResult, ...]


class NoResults(Unusable):
    """There are no results to show."""

    kind = "no_results"


def tests_of(root: Path) -> Manifest:
    """The digest of every file of the tests by its path in the project."""
    files = sorted(path for path in (root / "tests").rglob("*") if path.is_file())
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if "__pycache__" not in path.parts
    }


def written(root: Path, ended: dict[str, RunResult], whole: bool) -> None:
    """Record how the tests of a run ended."""
    found = RunResults(whole, manifest(), tests_of(root), tuple(ended.values()))
    (root / FILE).parent.mkdir(exist_ok=True)
    (root / FILE).write_bytes(msgspec.json.encode(found))


def read(path: Path) -> RunResults:
    """The results in a file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=RunResults)
    except FileNotFoundError:
        raise NoResults(f"There is no {path}; run {COMMAND} first.") from None
    except (OSError, msgspec.DecodeError) as error:
        raise NoResults(f"{path} has no results of tests: {error}.") from None


def problems(found: RunResults, root: Path) -> Iterator[str]:
    """Why the results are not those of this program and these tests."""
    if not found.whole:
        yield f"The results are of some tests only; run {COMMAND}, which runs them all."
    yield from _changed(found.program, manifest(), "src/wartable/")
    yield from _changed(found.tests, tests_of(root), "")
    for each in found.results:
        if each.end == "failed":
            yield f"{each.id} failed."


def _changed(old: Manifest, now: Manifest, prefix: str) -> Iterator[str]:
    """The files that are not as they were when the tests ran."""
    if digest_of(old) == digest_of(now):
        return
    changed = [name for name in sorted({*old, *now}) if old.get(name) != now.get(name)]
    for name in changed[:NAMED_MAX]:
        what = "is new" if name not in old else "is gone" if name not in now else "was changed"
        yield f"{prefix}{name} {what} since the tests ran; run {COMMAND}."
    if len(changed) > NAMED_MAX:
        yield f"{len(changed) - NAMED_MAX} more files are not as they were when the tests ran."
