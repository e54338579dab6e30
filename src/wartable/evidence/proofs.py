"""Which tests prove which clause and promise, and which of these have lost their proof."""

import csv
import io
from collections.abc import Iterable, Iterator
from importlib import resources
from itertools import groupby
from typing import NamedTuple

import msgspec

from wartable.evidence.results import RunResult, RunResults
from wartable.rules import inventory
from wartable.rules.inventory import Clause

NONE = "not software"


class Promise(msgspec.Struct, frozen=True):
    """What a laboratory asks of such a system, and the tests that show it."""

    id: str
    promise: str
    tests: tuple[str, ...]
    drill: str
    """The command that runs the long variant."""


class ClauseLine(NamedTuple):
    """A clause on one surface, with the tests that prove it there."""

    clause: Clause
    surface: str
    tests: tuple[RunResult, ...]

    @property
    def proven(self) -> bool:
        """Whether a test passed that proves it, and none failed; software cannot do the rest."""
        ends = {each.end for each in self.tests}
        return self.surface == NONE or ("passed" in ends and "failed" not in ends)


class PromiseLine(NamedTuple):
    """A promise with the tests that show it."""

    promise: Promise
    tests: tuple[RunResult, ...]
    missing: tuple[str, ...]
    """The files among its tests of which none passed."""


def promises() -> list[Promise]:
    """R1 to R16, in their order."""
    text = resources.files("wartable.evidence").joinpath("promises.tsv").read_text("utf-8")
    rows = csv.DictReader(io.StringIO(text), delimiter="\t")
    return [
        Promise(row["id"], row["promise"], tuple(row["tests"].split(",")), row["drill"])
        for row in rows
    ]


def clause_lines(found: RunResults) -> list[ClauseLine]:
    """Every clause, once for each of its surfaces."""
    proving: dict[tuple[str, str], list[RunResult]] = {}
    for result in found.results:
        for surface, *ids in result.proves:
            for clause_id in ids:
                proving.setdefault((surface, clause_id), []).append(result)
    return [
        ClauseLine(clause, surface, tuple(proving.get((surface, clause.id), ())))
        for clause in inventory.clauses().values()
        for surface in clause.surfaces or (NONE,)
    ]


def promise_lines(found: RunResults) -> list[PromiseLine]:
    """Every promise with its tests."""
    lines = []
    for promise in promises():
        of_file = {
            file: [each for each in found.results if each.id.split("::")[0] == file]
            for file in promise.tests
        }
        missing = [
            file
            for file, tests in of_file.items()
            if not any(each.end == "passed" for each in tests)
            or any(each.end == "failed" for each in tests)
        ]
        tests = tuple(each for some in of_file.values() for each in some)
        lines.append(PromiseLine(promise, tests, tuple(missing)))
    return lines


def problems(clauses: Iterable[ClauseLine], kept: Iterable[PromiseLine]) -> Iterator[str]:
    """Each clause and each promise that has lost its proof, by its name."""
    for line in clauses:
        if not line.proven:
            failed = [each.id for each in line.tests if each.end == "failed"]
            why = f"{failed[0]} failed" if failed else "no test that passed proves it"
            yield f"{line.clause.id} on {line.surface}: {why}."
    for each in kept:
        for file in each.missing:
            yield f"{each.promise.id}: no test of {file} passed, or one failed."


def matrix_csv(lines: Iterable[ClauseLine]) -> str:
    """The matrix: one line for each clause, surface and test."""
    out = io.StringIO()
    writer = csv.writer(out)
    head = ["clause", "document", "line", "rule", "software", "readings", "surface", "test", "end"]
    writer.writerow(head)
    for line in lines:
        own = line.clause
        values = [own.id, own.document, own.line, own.rule, own.software, " ".join(own.readings)]
        for test in line.tests or (None,):
            end = ["", ""] if test is None else [test.id, test.end]
            writer.writerow([*values, line.surface, *end])
    return out.getvalue()


def counted(lines: Iterable[ClauseLine]) -> list[tuple[str, str, int, int]]:
    """For each document and surface: how many clauses there are, and how many tests prove them."""

    def place(line: ClauseLine) -> tuple[str, str]:
        return line.clause.document, line.surface

    found = []
    for (document, surface), some in groupby(sorted(lines, key=place), place):
        own = list(some)
        tests = {each.id for line in own for each in line.tests}
        found.append((document, surface, len(own), len(tests)))
    return found
