"""`make mutants`: change the code in thousands of small ways, and see that a test fails for each.

1. One run of the tests under coverage tells which tests run which line, and how long they take.
2. Each mutation is tried against the tests that run its line, because only they can notice it:
   first the tests that prove clauses, which makes these the clauses of that code, then the rest.
   Among them those that killed a mutant of the same function come first, then those that run
   what few others run. A survivor has been tried against all of them.
3. A mutation inside a function is put into a fork of a process that has all tests collected; one
   of what is computed on import needs a fork of its own that imports the module anew.
4. A mutant that never ends is killed by its processor time, so that a slow machine gives the
   same answer.

What is killed is kept in `build/mutants` until the module or the killing test changes, so that a
run that was stopped goes on. A survivor must be in `tests/data/survivors.tsv` with its reason, and
is not tried again while it is.
`MODULE=game/settlement` tries one module.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Sequence

import msgspec

from mutant_tests import BUILD, LEFT_OUT, ROOT, Map, digest, record, unrecorded
from mutant_trials import fresh, warm
from mutations import SOURCE, Mutation, mutations, path_of
from planted import planted

SURVIVORS = ROOT / "tests" / "data" / "survivors.tsv"
FOLDERS = ("game", "game/wagers", "table", "rules")
FILES = ("ledger", "shoe", "odds/sidebets")
FIRST = (
    "game/settlement", "game/bank", "game/betting", "game/play", "game/wagers/primary",
    "game/wagers/tie", "game/wagers/war", "game/wagers/war_tie", "game/wagers/progressive",
    "game/wagers/bonus_spin", "ledger", "table/rounds", "table/people", "table/procedure",
    "table/folding", "rules/check", "rules/load", "shoe",
)  # fmt: skip  # the order of importance
PRELOADED = (
    "argon2", "click", "cryptography", "httpx", "litestar", "numpy", "playwright.sync_api",
    "rich", "sqlalchemy", "uvicorn", "websockets",
)  # fmt: skip  # what the tests import and nothing changes, so that a fork need not
KILLED_MIN = 0.97
TESTS_FRESH_MAX = 300
"""How many tests are tried where everything is imported anew."""


class Verdict(msgspec.Struct):
    """How a mutant ended: the test that killed it, `work` if it ran too long, or none."""

    killer: str
    module_digest: str
    test_digest: str


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
        self.digests = {module: digest([path_of(module)]) for module in modules()}
        self.all_tests = digest([*ROOT.glob("tests/**/test_*.py"), *SOURCE.rglob("*.py")])
        self.done = 0
        self.killed = 0

    def known(self, mutation: Mutation) -> bool:
        """Whether an earlier run's verdict still holds."""
        verdict = self.verdicts.get(mutation.name)
        if verdict is None or verdict.module_digest != self.digests[mutation.module]:
            return False
        return verdict.test_digest == self.of_killer(verdict.killer)

    def of_killer(self, killer: str) -> str:
        """The digest of what a verdict rests on: the killer's file, or all files."""
        path = ROOT / killer.split("::", maxsplit=1)[0]
        return digest([path]) if killer and path.is_file() else self.all_tests

    def judge(self, mutation: Mutation, killer: str) -> None:
        """Note and show what became of a mutant."""
        self.verdicts[mutation.name] = Verdict(
            killer, self.digests[mutation.module], self.of_killer(killer)
        )
        if "::" in killer:
            self.map.killers[mutation.function][killer] += 1
            self.map.killers[""][killer] += 1
        self.done += 1
        self.killed += bool(killer)
        line = f"{self.done} tried, {self.done - self.killed} survived   {mutation.module}"
        print(f"\r{line:<72}", end="" if killer else f"\n  survived: {mutation.name}\n", flush=True)
        with self.kept.open("ab") as kept:
            row = msgspec.json.encode((mutation.name, self.verdicts[mutation.name]))
            kept.write(row + b"\n")

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
        inside = [each for each in left if not self.map.on_import(each)]
        outside = [each for each in left if self.map.on_import(each)]
        if inside:
            files = sorted({test.split("::")[0] for each in inside for test in self.order(each)[0]})
            warm(files, LEFT_OUT, inside, self.order, self.judge)
            self.load()
        for each in outside:
            tests, seconds = self.order(each)
            tests = tests[:TESTS_FRESH_MAX]
            self.judge(each, fresh(each.module, each.source(), tests, seconds) if tests else "")

    def order(self, mutation: Mutation) -> tuple[list[str], float]:
        """The tests to try with a mutant, and their processor time."""
        tests = self.map.tests(mutation)
        return tests, sum(self.map.seconds.get(test, 0) for test in tests)

    def survivors(self) -> Iterator[Mutation]:
        """The mutants that no test killed."""
        for each in self.chosen:
            verdict = self.verdicts.get(each.name)
            if verdict is None or not verdict.killer:
                yield each


def reasons() -> dict[str, str]:
    """Why each known survivor may live, by its name."""
    rows = [line.split("\t") for line in SURVIVORS.read_text().splitlines()[1:]]
    return {"\t".join(row[:3]): row[3] for row in rows}


def report(run: Run) -> bool:
    """Print what survived; whether enough was killed, and the rest has its reason."""
    known = reasons()
    alive = list(run.survivors())
    unknown = [each for each in alive if each.name not in known]
    names = {each.name for each in run.chosen}
    tried = {each.module for each in run.chosen}
    gone = [name for name in known if name.split("\t")[0] in tried and name not in names]
    verdicts = [run.verdicts[each.name] for each in run.chosen if each.name in run.verdicts]
    by_clause = sum(verdict.killer in run.map.proves for verdict in verdicts)
    killed = len(names) - len(alive)
    print(f"\n{killed} of {len(names)} mutants killed, {by_clause} of them by tests of clauses.")
    for each in unknown:
        print(f"survived without a reason: {each.name}")
    for name in gone:
        print(f"no longer there, take its reason away: {name}")
    return killed >= KILLED_MIN * len(names) and not unknown and not gone


def plant(names: Sequence[str]) -> bool:
    """Plant every known fault; whether its tests notice all of them."""
    noticed = True
    for fault in planted():
        if names and fault.module not in names:
            continue
        killer = fresh(fault.module, fault.source(), fault.tests, 60)
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
    if stale := unrecorded(every):
        print(f"Recording which tests run which line: {len(stale)} files ...", flush=True)
        child = os.fork()
        if not child:
            record(stale, every)
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
