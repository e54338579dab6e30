"""The pack itself: every part as files, an index in HTML and PDF, a manifest of hashes."""

import csv
import hashlib
import io
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

import wartable
from wartable import battery
from wartable.evidence import figures, proofs, results
from wartable.evidence.proofs import ClauseLine, PromiseLine
from wartable.evidence.results import RunResults
from wartable.odds.par import encode, make_sheet
from wartable.odds.par.blocks import Cell, Sheet, SheetSection, SheetTable, Text
from wartable.refusal import Unusable
from wartable.rules import NAMES, inventory, load_any
from wartable.server.manifest import digest_of, manifest

SCREENSHOTS = Path("build") / "screenshots"
SHOWN = "program"
"""The file beside the screenshots with the digest of the program that they show."""

PackTeller = Callable[[str], None]
"""A function that is called with the name of the part being made."""


class LostProof(Unusable):
    """Something that the pack shows has lost its proof; the sentence names every line."""

    kind = "lost_proof"


class PackPart(NamedTuple):
    """A part of the pack: its files, what it shows, the command that prints its figures."""

    title: str
    files: list[str]
    shows: str
    command: str
    tables: list[SheetTable]


class Pack:
    """A folder that is filled part by part."""

    def __init__(self, folder: Path, root: Path, day: str) -> None:
        self.folder, self.root, self.day = folder, root, day
        self.parts: list[PackPart] = []
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, name: str, content: str | bytes) -> str:
        """Write a file, and return its name."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    def add(
        self, title: str, files: list[str], shows: str, command: str, *tables: SheetTable
    ) -> None:
        """Add a part to the index."""
        self.parts.append(PackPart(title, files, shows, command, list(tables)))

    def index(self) -> Sheet:
        """The index as a sheet."""
        sections = [
            SheetSection(
                part.title,
                [
                    Text(part.shows),
                    Text(f"Printed by: {part.command}"),
                    Text(f"Files: {', '.join(part.files)}", tuple(part.files)),
                    *part.tables,
                ],
            )
            for part in self.parts
        ]
        program = digest_of(manifest())
        subtitle = f"Wartable {wartable.__version__}, {self.day}; program {program}"
        return Sheet("Evidence pack", subtitle, f"Program {program}", sections)

    def close(self) -> None:
        """Write the index, and the hashes of everything."""
        sheet = self.index()
        self.write("index.html", encode(sheet, ".html"))
        self.write("index.pdf", encode(sheet, ".pdf"))
        files = sorted(path for path in self.folder.rglob("*") if path.is_file())
        lines = [
            f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(self.folder)}\n"
            for path in files
            if path.name != "SHA256SUMS"
        ]
        self.write("SHA256SUMS", "".join(lines))


def _refuse(problems: Iterable[str]) -> None:
    """End with every line that has lost its proof."""
    if found := list(problems):
        many = "1 line has lost its" if len(found) == 1 else f"{len(found)} lines have lost their"
        raise LostProof("\n".join([f"{many} proof:", *found]))


def make_pack(
    folder: Path, root: Path, day: str, told: PackTeller, rounds: int = figures.ROUNDS
) -> list[PackPart]:
    """Make the pack from the project's folder; `LostProof` names everything without its proof.

    Quick checks come first.
    """
    told("results of the tests")
    found = results.read(root / results.FILE)
    clauses, kept = proofs.clause_lines(found), proofs.promise_lines(found)
    packages = figures.dependencies(root)
    _refuse(
        [
            *results.problems(found, root),
            *proofs.problems(clauses, kept),
            *figures.book_problems(),
            *figures.dependency_problems(packages),
            *screenshot_problems(root),
        ]
    )
    told("agreement of engine, kernels and exact odds")
    agreed = list(figures.agreement(found, rounds))
    _refuse(figures.agreement_problems(agreed))
    told("statistics of the shuffle")
    shuffled = figures.shuffle()
    _refuse(figures.shuffle_problems(shuffled))
    pack = Pack(folder, root, day)
    _add_proofs(pack, found, clauses, kept)
    _add_agreement(pack, agreed)
    _add_shuffle(pack, shuffled)
    for name in NAMES:
        told(f"PAR sheet of {name}")
        sheet = make_sheet(load_any(name), day, None, None)
        files = [
            pack.write(f"par/{name}{suffix}", encode(sheet, suffix)) for suffix in (".html", ".pdf")
        ]
        pack.add(f"PAR sheet: {name}", files, sheet.title, f"wartable par {name} -o {name}.html")
    _add_digests(pack)
    _add_dependencies(pack, packages)
    _add_screenshots(pack)
    pack.close()
    return pack.parts


def screenshot_problems(root: Path) -> list[str]:
    """Why the screenshots do not show this program."""
    try:
        shown = (root / SCREENSHOTS / SHOWN).read_text("utf-8").strip()
    except OSError:
        return ["There are no screenshots; run make screenshots."]
    if shown != digest_of(manifest()):
        return ["The screenshots show another version of the program; run make screenshots."]
    return []


def _csv(head: list[str], rows: Iterable[Iterable[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(head)
    writer.writerows(rows)
    return out.getvalue()


def _add_proofs(
    pack: Pack, found: RunResults, clauses: list[ClauseLine], kept: list[PromiseLine]
) -> None:
    rows: list[list[Cell]] = [
        [document, surface, str(count), str(tests)]
        for document, surface, count, tests in proofs.counted(clauses)
    ]
    table = SheetTable("", ["Document", "Surface", "Clauses", "Tests"], rows, 2)
    shows = f"{len(inventory.clauses())} clauses of the five documents, each with its readings, "
    shows += f"surfaces, tests and their results; {len(found.results)} tests ran."
    files = [pack.write("clauses.csv", proofs.matrix_csv(clauses))]
    files.append(pack.write("results.json", msgspec.json.encode(found)))
    pack.add("Clause matrix", files, shows, results.COMMAND, table)
    lines: list[list[Cell]] = [
        [line.promise.id, line.promise.promise, _drill(line), str(len(line.tests))] for line in kept
    ]
    content = _csv(
        ["promise", "words", "drill", "test", "end"],
        (
            (line.promise.id, line.promise.promise, line.promise.drill, each.id, each.end)
            for line in kept
            for each in line.tests
        ),
    )
    table = SheetTable("", ["Promise", "What", "Drill", "Tests"], lines, 3)
    shows = "What a laboratory asks of such a system, each with the tests that show it."
    pack.add("R1 to R16", [pack.write("promises.csv", content)], shows, results.COMMAND, table)


def _drill(line: PromiseLine) -> str:
    """The files of tests that show a promise, and the command of the long variant."""
    long = f"; longer: {line.promise.drill}" if line.promise.drill else ""
    return ", ".join(file.removeprefix("tests/") for file in line.promise.tests) + long


def _add_agreement(pack: Pack, agreed: list[figures.AgreementLine]) -> None:
    head = ["Book", "Wager", "Rounds", "Simulated edge", "Exact edge", "Standard errors"]
    rows: list[list[Cell]] = [
        [
            line.book,
            line.wager,
            f"{line.rounds:,}",
            f"{line.simulated:.6f}",
            f"{line.exact:.6f}",
            f"{line.away:+.2f}",
        ]
        for line in agreed
    ]
    tests = {line.book: line.same_cards for line in agreed}
    same = ", ".join(f"{book} {count}" for book, count in tests.items())
    shows = (
        "The kernels' counts, paid by the engine, beside the exact odds, which ask the engine."
        f" Engine and kernels played the same cards to the same cent in these numbers of tests:"
        f" {same}."
    )
    name = pack.write("agreement.csv", _csv(list(figures.AgreementLine._fields), agreed))
    command = f"wartable simulate BOOK --rounds {agreed[0].rounds} --seed {figures.SEED}"
    pack.add(
        "Engine, kernels and exact odds", [name], shows, command, SheetTable("", head, rows, 2)
    )


def _add_shuffle(pack: Pack, shuffled: battery.BatteryReport) -> None:
    rows: list[list[Cell]] = [
        [each.name, f"{each.statistic:.2f}", str(each.freedom), f"{each.chance:.4f}"]
        for each in shuffled.results
    ]
    table = SheetTable("", ["Measure", "Statistic", "Freedom", "Chance"], rows)
    found = " ".join(battery.sensitivity(shuffled))
    shows = (
        f"{shuffled.shoes} shoes of {shuffled.decks} decks, no finding at 99 % collectively."
        f" With 95 % certainty it would have found: {found}"
    )
    content = _csv(["measure", "statistic", "freedom", "chance"], rows)
    command = f"wartable rng test --shoes {shuffled.shoes} --decks {shuffled.decks}"
    pack.add(
        "The shuffle",
        [pack.write("shuffle.csv", content)],
        shows,
        f"{command} --seed {figures.SEED}",
        table,
    )


def _add_digests(pack: Pack) -> None:
    books = figures.book_digests()
    program = manifest()
    files = [
        pack.write("program.csv", _csv(["file", "sha256"], program.items())),
        pack.write("books.csv", _csv(["book", "digest"], books.items())),
    ]
    rows: list[list[Cell]] = [["program", digest_of(program)]]
    rows += [[name, digest] for name, digest in books.items()]
    pack.add(
        "Digests",
        files,
        f"{len(program)} files of the program, and the five books.",
        "wartable audit selfcheck; wartable rules list",
        SheetTable("", ["What", "SHA-256"], rows, 2),
    )
    name = pack.write("differences.csv", figures.differences_csv())
    shows = "Every value in which the books differ, a column for each book."
    pack.add("Differences between the books", [name], shows, "wartable rules diff BOOK BOOK")


def _add_dependencies(pack: Pack, packages: list[figures.Dependency]) -> None:
    rows: list[list[Cell]] = [
        [each.name, each.version, each.licence or "-", each.use] for each in packages
    ]
    name = pack.write("dependencies.csv", _csv(list(figures.Dependency._fields), packages))
    table = SheetTable("", ["Package", "Version", "Licence", "For"], rows, 4)
    shows = f"{len(packages)} packages, locked with hashes in requirements/."
    pack.add("Dependencies", [name], shows, "make lock", table)


def _add_screenshots(pack: Pack) -> None:
    source = pack.root / SCREENSHOTS
    pictures = sorted([*source.glob("*.png"), *source.glob("*.jpg")])
    for picture in pictures:
        (pack.folder / "screenshots").mkdir(exist_ok=True)
        shutil.copyfile(picture, pack.folder / "screenshots" / picture.name)
    shows = f"{len(pictures)} pictures of the pages and the main moments of play."
    pack.add("Screenshots", ["screenshots/"], shows, "make screenshots")
