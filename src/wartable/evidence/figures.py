"""The figures of the pack: agreement with the exact odds, the shuffle, digests, dependencies."""

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator
from importlib import metadata, resources
from pathlib import Path
from typing import Any, NamedTuple

from wartable import battery, calls, rng
from wartable.evidence.results import RunResults
from wartable.rules import NAMES, load_any
from wartable.rules.differences import WORDS, values

SHOES = 600
DECKS = 6
SEED = 2026
ROUNDS = 20_000_000
FAR = 5.0
"""How many standard errors a simulated return may differ from the exact one."""
PARITY = "tests/sim/test_sim_parity.py"
"""The tests in which engine and kernels play the same cards, round by round."""
LICENCES = ("License-Expression", "License")
LICENCE_CHARACTERS_MAX = 60
LOCKED = re.compile(r"^([A-Za-z0-9_.-]+)==([^ \\;]+)", re.MULTILINE)


class AgreementLine(NamedTuple):
    """The simulated and the exact return of a wager, and their distance in standard errors."""

    book: str
    wager: str
    rounds: int
    simulated: float
    exact: float
    away: float
    same_cards: int
    """In how many tests engine and kernels played the same cards to the same cent."""


class Dependency(NamedTuple):
    """A package that the program or its tests need, as it is locked."""

    name: str
    version: str
    installed: str
    licence: str
    use: str


def agreement(found: RunResults, rounds: int = ROUNDS) -> Iterator[AgreementLine]:
    """Kernels against exact odds, which come from the engine's own payments, for every book."""
    for book in NAMES:
        same = sum(
            each.end == "passed" and each.id.startswith(f"{PARITY}::") and f"[{book}-" in each.id
            for each in found.results
        )
        counted = calls.simulate(book, rounds, seed=SEED).document
        for wager, each in counted["wagers"].items():
            if each["exact"] is not None:
                edges = (float(each["edge"]), float(each["exact"]))
                yield AgreementLine(book, wager, counted["rounds"], *edges, float(each["z"]), same)


def agreement_problems(lines: list[AgreementLine]) -> Iterator[str]:
    """The wagers whose kernels do not count what the engine pays."""
    for line in lines:
        if abs(line.away) > FAR:
            yield (
                f"{line.book}, {line.wager}: the kernels' edge {line.simulated:.6f} is"
                f" {abs(line.away):.1f} standard errors from the exact {line.exact:.6f}."
            )
    for book in NAMES:
        if not any(line.book == book and line.same_cards for line in lines):
            yield f"{book}: no test passed in which engine and kernels play the same cards."


def shuffle() -> battery.BatteryReport:
    """The laboratory's statistics on dealt cards, which anybody can repeat exactly."""
    seeds = rng.repeatable_seeds(hashlib.sha256(f"wartable rng {SEED}".encode()).digest())
    return battery.run(rng.dealt_shoes(seeds, DECKS, SHOES), DECKS)


def shuffle_problems(report: battery.BatteryReport) -> Iterator[str]:
    """What the statistics found."""
    for each in report.findings:
        yield f"The shuffle: {each.name} has a chance of {each.chance:.6f} only."


def book_digests() -> dict[str, str]:
    """The digest of each book."""
    return {name: load_any(name).digest for name in NAMES}


def book_problems() -> Iterator[str]:
    """The books that are not a released version of themselves."""
    archive = resources.files("wartable.rules").joinpath("archive")
    kept = {entry.name for entry in archive.iterdir()}
    for name, digest in book_digests().items():
        if f"{name}@{digest}.toml" not in kept:
            yield f"The book {name} was changed: {digest[:12]} is no released version of it."


def differences_csv() -> str:
    """Every value in which the books differ, one column for each book."""
    books = {name: values(load_any(name).rules) for name in NAMES}
    keys = sorted({key for book in books.values() for key in book})
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["value", *books])
    for key in keys:
        row = [_text(book.get(key)) for book in books.values()]
        if key.partition(".")[0] not in WORDS and len(set(row)) > 1:
            writer.writerow([key, *row])
    return out.getvalue()


def _text(value: Any) -> str:
    return "" if value is None else json.dumps(value, default=str)


def dependencies(root: Path) -> list[Dependency]:
    """Every locked package, with its licence by what is installed here."""
    running = _locked(root / "requirements" / "run.txt")
    found = []
    for name, version in sorted(_locked(root / "requirements" / "dev.txt").items()):
        use = "running" if name in running else "development"
        try:
            own = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            found.append(Dependency(name, version, "not on this system", "", use))
            continue
        found.append(Dependency(name, version, own["Version"], _licence(own), use))
    return found + _scripts(root)


def dependency_problems(found: list[Dependency]) -> Iterator[str]:
    """The packages that are not the locked ones, or whose licence is unknown."""
    for each in found:
        if each.installed == "not on this system":
            continue
        if each.installed != each.version:
            yield f"{each.name} {each.version} is locked, and {each.installed} is installed."
        elif not each.licence:
            yield f"{each.name} {each.version} does not say its licence."


def _locked(path: Path) -> dict[str, str]:
    return dict(LOCKED.findall(path.read_text("utf-8")))


def _licence(own: Any) -> str:
    """The licence in a few words, by the field that the package uses for it."""
    for field in LICENCES:
        text = (own.get(field) or "").strip()
        if text and text != "UNKNOWN" and len(text) <= LICENCE_CHARACTERS_MAX:
            return str(text)
    classified = [
        each.rpartition(" :: ")[2]
        for each in own.get_all("Classifier") or ()
        if each.startswith("License ::")
    ]
    files = ", ".join(own.get_all("License-File") or ())
    return ", ".join(classified) or (f"see {files}" if files else "")


def _scripts(root: Path) -> list[Dependency]:
    """The packages that only check the pages' scripts."""
    lock = json.loads((root / "requirements" / "package-lock.json").read_text("utf-8"))
    return [
        Dependency(
            name.rpartition("node_modules/")[2],
            each["version"],
            each["version"],
            each.get("license", ""),
            "development",
        )
        for name, each in lock["packages"].items()
        if name
    ]
