"""`make mutants`: change the code in thousands of small ways, and see that a test fails for each.

1. One run of the tests under coverage tells which tests run which line, and how long they take.
2. Each mutation is tried against the tests that run its line, because only they can notice it:
   those that killed a mutant nearby, then those that prove clauses and the rest in turn, the
   likely killers first. A mutant that outlives `SECONDS_MAX` of them is a survivor, though a slow
   test that was not tried might have noticed it: what is killed is certain.
3. A mutation is put into a fork of a process that has all tests collected. Only what is made once
   on import, such as a class, needs a fork of its own that imports the module anew.
4. A mutant that never ends is killed by its processor time, so that a slow machine gives the
   same answer.

What is killed is kept in `build/mutants` until the function or the killing test changes, so that
a run that was stopped goes on. A survivor must be in `tests/data/survivors.tsv` with its reason,
and is not tried again while it is.
`MODULE=game/settlement` tries one module.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from collections.abc import Iterator, Sequence

import msgspec

from mutant_tests import (
    BUILD,
    LEFT_OUT,
    ROOT,
    TESTS,
    Map,
    digest,
    places,
    record,
    text_of,
    unrecorded,
)
from mutant_trials import fresh, warm
from mutations import SOURCE, Mutation, mutations, path_of
from planted import planted

SURVIVORS = ROOT / "tests" / "data" / "survivors.tsv"
FOLDERS = ("game", "game/wagers", "table", "rules")
FILES = ("ledger", "shoe", "odds/sidebets")
FIRST = (
    "game/settlement", "game/bank", "game/betting", "game/play", "game/wagers/primary",
    "game/wagers/tie", "game/wagers/war", "game/wagers/war_tie", "game/wagers/progressive",
    "game/wagers/bonus_spin", "game/wagers/wheel", "ledger", "table/rounds", "table/people",
    "table/procedure", "table/irregularities", "table/folding", "rules/check", "rules/load", "shoe",
)  # fmt: skip  # the order of importance
PRELOADED = (
    "argon2", "click", "cryptography", "httpx", "litestar", "numpy", "playwright.sync_api",
    "rich", "sqlalchemy", "uvicorn", "websockets",
)  # fmt: skip  # what the tests import and nothing changes, so that a fork need not
KILLED_MIN = 0.97
SECONDS_MAX = (1.5, 12.0)
"""How much of the tests a mutant must outlive, in their own processor time under coverage.

What outlives the first of these is tried again at the end, when more killers are known.
"""
FILES_FRESH_MAX = 8
"""How many test files are tried where everything is imported anew, which takes long."""


class Verdict(msgspec.Struct):
    """How a mutant ended: the test that failed or never ended, another killer, or none.

    It holds while the texts of the mutated function and of the test are the same.
    """

    killer: str
    code_digest: str
    test_digest: str


def short(text: str) -> str:
    """A digest of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def modules() -> list[str]:
    """The modules to mutate, the most important first."""
    found = [
        f"{folder}/{path.stem}"
        for folder in FOLDERS
        for path in sorted((SOURCE / folder).glob("*.py"))
        if path.stem != "__init__"
    ]
    rest = sorted({"game/wagers/__init__", *found, *FILES} - set(FIRST))
    return [*FIRST, *rest]


class Run:
    """The mutants of some modules, and what became of them."""

    def __init__(self, chosen: Sequence[Mutation]) -> None:
        self.map = Map()
        self.chosen = chosen
        self.kept = BUILD / "verdicts.jsonl"
        self.verdicts: dict[str, Verdict] = {}
        self.load()
        self.digests = {
            each.name: short(each.statement(path_of(each.module).read_bytes())) for each in chosen
        }
        self.all_tests = digest([*ROOT.glob("tests/**/test_*.py"), *SOURCE.rglob("*.py")])
        self.relearn()
        self.done = 0
        self.killed = 0
        self.seconds_max = SECONDS_MAX[-1]
        self.whole = False
        """Whether the tests tried last were all there are for the mutant."""

    def known(self, mutation: Mutation) -> bool:
        """Whether an earlier run's verdict still holds."""
        verdict = self.verdicts.get(mutation.name)
        if verdict is None or verdict.code_digest != self.digests[mutation.name]:
            return False
        return verdict.test_digest == self.of_killer(verdict.killer)

    def of_killer(self, killer: str) -> str:
        """The digest of what a verdict rests on: the killer's text, or all files."""
        if killer in self.map.seconds or (killer and (ROOT / killer).is_file()):
            return short(text_of(killer))
        return self.all_tests

    def judge(self, mutation: Mutation, killer: str) -> None:
        """Note and show what became of a mutant."""
        self.verdicts[mutation.name] = Verdict(
            killer, self.digests[mutation.name], self.of_killer(killer)
        )
        self.learn(mutation, killer)
        self.done += 1
        self.killed += bool(killer)
        line = f"{self.done} tried, {self.done - self.killed} survived   {mutation.module}"
        print(f"\r{line:<72}", end="" if killer else f"\n  survived: {mutation.name}\n", flush=True)
        with self.kept.open("ab") as kept:
            row = msgspec.json.encode((mutation.name, self.verdicts[mutation.name]))
            kept.write(row + b"\n")

    def learn(self, mutation: Mutation, killer: str) -> None:
        """Try a killer early with mutants that are near."""
        for place in places(mutation) if "::" in killer else ():
            self.map.killers[place][killer] += 1

    def relearn(self) -> None:
        """Know the killers of all verdicts, and only these."""
        self.map.killers.clear()
        for each in self.chosen:
            if each.name in self.verdicts:
                self.learn(each, self.verdicts[each.name].killer)

    def load(self) -> None:
        """Read the verdicts of earlier runs; a later one takes the place of an earlier."""
        rows = self.kept.read_bytes().splitlines() if self.kept.exists() else []
        for row in rows:
            name, verdict = msgspec.json.decode(row, type=tuple[str, Verdict])
            self.verdicts[name] = verdict

    def go(self) -> None:
        """Try every mutant without a verdict."""
        given = reasons()
        tried = [each for each in self.chosen if each.name not in given]
        left = [each for each in tried if not self.known(each)]
        print(f"{len(self.chosen)} mutants, {len(left)} to try")
        inside = [each for each in left if not each.made_once]
        for self.seconds_max in SECONDS_MAX:
            for files in dict.fromkeys(self.map.files(each.module) for each in inside):
                mine = [each for each in inside if self.map.files(each.module) == files]
                mine = [each for each in mine if not self.known(each)]
                if mine and not warm(files, LEFT_OUT, mine, self.order, self.judge_warm):
                    raise SystemExit("Every test that kills a mutant must pass without one.")
                self.load()
                self.relearn()
        for each in left:
            if not self.known(each):
                tests = of_few_files(self.order(each))
                self.judge(each, fresh(each.module, each.source(), tests) if tests else "")

    def judge_warm(self, mutation: Mutation, killer: str) -> None:
        """Note what became of a mutant, unless only an import or more tests can tell."""
        last = self.seconds_max == SECONDS_MAX[-1] or self.whole
        if killer or (last and not self.map.on_import(mutation)):
            self.judge(mutation, killer)

    def order(self, mutation: Mutation) -> dict[str, float]:
        """The tests to try with a mutant, each with its processor time."""
        tests, left, found = {}, self.seconds_max, self.map.tests(mutation)
        for test in found:
            seconds = self.map.seconds.get(test, 0)
            if seconds <= left:
                tests[test] = seconds
                left -= seconds
        self.whole = len(tests) == len(found)
        return tests

    def survivors(self) -> Iterator[Mutation]:
        """The mutants that no test killed."""
        for each in self.chosen:
            verdict = self.verdicts.get(each.name)
            if verdict is None or not verdict.killer:
                yield each


def of_few_files(tests: dict[str, float]) -> dict[str, float]:
    """The tests that stand in the files of the first of them."""
    files = list(dict.fromkeys(test.split("::")[0] for test in tests))[:FILES_FRESH_MAX]
    return {test: each for test, each in tests.items() if test.split("::")[0] in files}


def reasons() -> dict[str, str]:
    """Why each known survivor may live, by its name."""
    rows = [line.split("\t") for line in SURVIVORS.read_text().splitlines()[1:]]
    return {"\t".join(row[:3]): row[3] for row in rows}


def report(run: Run) -> bool:
    """Print what was killed by module and what survived; whether that is enough."""
    known, alive = reasons(), {each.name for each in run.survivors()}
    names = {each.name for each in run.chosen}
    tried = dict.fromkeys(each.module for each in run.chosen)
    print()
    for module in tried:
        mine = {each.name for each in run.chosen if each.module == module}
        print(_rate(len(mine - alive), len(mine)), module)
    verdicts = [run.verdicts[name] for name in names - alive]
    by_clause = sum(verdict.killer in run.map.proves for verdict in verdicts)
    print(_rate(len(verdicts), len(names)), f"killed, {by_clause} of them by tests of clauses")
    unknown = sorted(alive - known.keys())
    gone = sorted(name for name in known if name.split("\t")[0] in tried and name not in names)
    for name in unknown:
        print(f"survived without a reason: {name}")
    for name in gone:
        print(f"no longer there, take its reason away: {name}")
    return len(verdicts) >= KILLED_MIN * len(names) and not unknown and not gone


def _rate(killed: int, tried: int) -> str:
    """How many of the mutants were killed, and the share of them, rounded down."""
    return f"{killed:>5} of {tried:>5}  {killed * 1000 // max(tried, 1) / 10:>5} %"


def plant(names: Sequence[str]) -> bool:
    """Plant every known fault; whether its tests notice all of them."""
    noticed = True
    for fault in planted():
        if names and fault.module not in names:
            continue
        killer = fresh(fault.module, fault.source(), dict.fromkeys(fault.tests, 1.0))
        noticed &= "::" in killer
        print(f"{'killed  ' if '::' in killer else 'SURVIVED'}  {fault.name}")
    return noticed


def main(names: Sequence[str]) -> int:
    """Try the planted faults and the mutants of all modules, or of these."""
    every = modules()
    if unknown := [name for name in names if not path_of(name).is_file()]:
        print(f"There is no module {', '.join(unknown)}; name one such as {every[0]}.")
        return 2
    for name in PRELOADED:
        importlib.import_module(name)
    stale = unrecorded(every)
    for folder in TESTS:
        files = [file for file in stale if file.startswith(folder)]
        if not files:
            continue
        print(f"Recording which tests run which line: {len(files)} files of {folder}", flush=True)
        child = os.fork()
        if not child:
            record(files, every)
            sys.exit()
        if os.waitpid(child, 0)[1]:
            return 1
    noticed = plant(names)
    run = Run([each for name in names or every for each in mutations(name)])
    run.go()
    return 0 if report(run) and noticed else 1


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main([name.removesuffix(".py") for name in sys.argv[1:]]))
