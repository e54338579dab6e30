"""The project's style as rules: each takes what it judges and yields a sentence per violation."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TypeGuard

from paths import ROOT
from waiting import ran

# Imports may only point from a later line to an earlier one.
LAYERS = (
    {"__init__"},
    {"money", "refusal", "validation"},
    {"cards"},
    {"rules", "stream"},
    {"proof"},
    {"shoe"},
    {"provable"},
    {"game", "verify"},
    {"inscription", "notation"},
    {"table", "telling", "worked"},
    {"ledger", "settle", "odds", "players", "croupier", "links", "rng", "battery", "picture"},
    {"sim", "terminal"},
    {"environments", "answer"},
    {"calls"},
    {"server"},
    {"evidence"},
    {"cli"},
    {"__main__"},
)
SERVER_LAYERS = (
    {"__init__", "clock", "config", "denied", "logs", "manifest", "metrics", "period"},
    {"upkeep"},
    {"records"},
    {"carrying", "house"},
    {"handing"},
    {"tables"},
    {"audit", "watch"},
    {"opening"},
    {"pit", "placing"},
    {"dispatch", "spreading"},
    {"running"},
    {"wing"},
    {"http"},
)
"""The same within the server."""
IMPURE = {
    "__init__", "answer", "calls", "settle", "odds", "sim", "players", "rng", "battery", "terminal",
    "environments", "server", "evidence", "cli", "__main__",
}  # fmt: skip  # a list of names
CORE = set().union(*LAYERS) - IMPURE
ENTRY_POINTS = {"wartable", "wartable.cli", "wartable.__main__"}

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 500

BOOKS = {"california", "maryland", "new-zealand", "online", "washington"}
SIDE_BETS = {"progressive", "bonus_spin"}
SIDE_BETS_PLAIN = {name.replace("_", "") for name in SIDE_BETS}
SIDE_BETS_MADE = ("game/wagers/", "rules/")
SIDE_BETS_NAMED = {
    "game/messages.py": "a meter's name stands in journals",
    "table/commands.py": "the dealer's count has a field for each, which stands in journals",
    "worked.py": "the format has a stake for each and a setting for each meter",
    "odds/sidebets.py": "the mathematics of each",
    "odds/par/sidebets.py": "the sheet's section on each",
    "web/js/elements/wt-meter.js": "a meter's name has words",
    "web/js/texts/en.js": "a meter's name has words",
    "web/js/texts/es.js": "a meter's name has words",
}
"""Other files that may name a side bet, with the reason."""
REFUSAL = "Refusal"
EDGES = ("cli/", "server/http/", "terminal/host.py", "terminal/plain.py", "terminal/screen.py")
"""Where a refusal ends: as a command's message, an HTTP answer or a line of the terminal."""
REFUSALS_CAUGHT = {
    "game/moves.py": "what is allowed is what is not refused when it is tried",
    "game/prices.py": "likewise: a choice that is refused has no price",
    "table/play.py": "what is allowed is what is not refused when it is tried",
    "table/procedure.py": "a shoe's refusal is the table's",
    "table/sealed.py": "a shoe's refusal is the table's",
    "table/rounds.py": "cards are over age if refused; who cannot pay for war surrenders",
    "table/playthrough.py": "a refusal is a line of a playthrough",
    "notation.py": "a refusal is a line of a playthrough, and an error has the number of its line",
    "settle.py": "a refused hand is part of a settlement",
    "verify/steps.py": "a failed step is part of the result",
    "odds/expectation.py": "a wager that the book refuses has no odds",
    "odds/readings.py": "a wager that the book refuses has no odds",
    "odds/report.py": "a wager that the book refuses has no odds",
    "odds/wagers.py": "a wager that the book refuses has no odds",
    "odds/walk.py": "a wager that the book refuses has no odds",
    "sim/session.py": "a wager that the book refuses cannot be simulated",
    "terminal/journal.py": "the file is closed before the refusal goes on",
    "terminal/pages.py": "a page without odds is shown without them",
    "terminal/sitting.py": "several commands are taken back if one is refused",
    "server/audit/marks.py": "bad marks keep the house closed; those not kept are tried again",
    "server/records/chain.py": "a row that is refused is told, and the others are written",
    "server/audit/reports.py": "a paytable without odds is reported without them",
    "server/audit/returns.py": "boxes of a game of one box do not vary together",
    "server/house/accounts.py": "a name that is taken is found by the commit",
    "server/house/cage.py": "a movement is answered by its id, refused or not",
    "server/house/cashier.py": "a movement is answered by its id, refused or not",
    "server/house/operators.py": "a name that is taken is found by the commit",
    "server/house/sessions.py": "an address that signs in twice at once is new only once",
    "server/dispatch.py": "a command is answered by its id, refused or not, and counted",
    "server/opening.py": "a server that has to wait checks its key meanwhile",
    "server/pit.py": "a table whose records do not fit stays closed, and the others open",
    "server/spreading.py": "a table that cannot open must not keep the others closed",
    "server/records/table_leases.py": "a refused first row means that another process was first",
    "server/records/store.py": "one refused row keeps no other of its batch from being written",
    "server/running.py": "a table that does not open keeps nobody from a new role",
    "server/tables/bots.py": "a bot that is refused waits and tries another time",
    "server/tables/live.py": "a command that waited in the queue is answered by its id",
    "server/tables/together.py": "a command that is refused here waits for its own turn",
    "server/audit/recall.py": "a round that was never played brought nobody anything",
    "server/wing.py": "what a server refuses that has another's word is decided again",
}
"""Other files that may catch a refusal, with the reason."""
VAGUE_NAMES = {"utils", "helpers", "common", "manager", "service", "models"}
BANNED_IN_CORE = {
    **dict.fromkeys(("time", "sched", "calendar", "zoneinfo"), "a clock"),
    **dict.fromkeys(("random", "secrets", "uuid"), "randomness"),
    **dict.fromkeys(("os", "shutil", "socket", "subprocess", "sys", "tempfile"), "the system"),
    **dict.fromkeys(("asyncio", "concurrent", "threading", "multiprocessing"), "concurrency"),
    **dict.fromkeys(("cmath", "statistics"), "floats"),
}
READS_FILES = {"importlib", "io", "pathlib"}
CLOCK_CALLS = {"now", "utcnow", "today"}
WRITING_CALLS = {"write", "write_text", "write_bytes"}

EXCEPTION = re.compile(r"#\s*(noqa|type:\s*ignore|fmt:|ruff:|mypy:|pragma:)", re.IGNORECASE)
EXCEPTION_WITH_REASON = re.compile(
    r"#\s*(noqa:|type: ignore\[|fmt:|ruff:|mypy:|pragma:)[^#]+# \w+ \w+"
)
SIDE_BET_IN_SCRIPT = re.compile(rf"\b({'|'.join(sorted(SIDE_BETS))})\b")
MADE_SCRIPT = "src/wartable/web/js/types.js"
CATALOGUES = "src/wartable/web/js/texts/"
"""Texts by key, one a line: as long as there is much to say."""
MARKUP = re.compile(
    r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function)"
)
TYPE_NAME = re.compile(r"_?[A-Z]\w*[a-z]\w*")
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(work|root|home)/")
REGISTRY = re.compile(r"(pypi|pythonhosted|npmjs|debian)\.(org|com)|(extra-)?index-url\b.*:/{2}")


class Module:
    """One Python file: its path in the project and its syntax."""

    def __init__(self, path: str, source: str) -> None:
        self.path = PurePosixPath(path)
        self.source = source

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the file's syntax tree."""
        return list(ast.walk(ast.parse(self.source, str(self.path))))

    @cached_property
    def name(self) -> str:
        """The name that the file is imported by; the folders of tests are no packages."""
        if self.path.parts[0] == "tests":
            return self.path.stem
        _, *parts = self.path.with_suffix("").parts
        return ".".join(parts).removesuffix(".__init__")

    @property
    def unit(self) -> str | None:
        """The module or package directly below wartable that a shipped file belongs to."""
        if self.path.parts[:2] != ("src", "wartable"):
            return None
        return PurePosixPath(self.path.parts[2]).stem

    @property
    def in_core(self) -> bool:
        """Whether the file belongs to the pure core."""
        return self.unit in CORE

    @cached_property
    def imports(self) -> list[str]:
        """The full names that the file imports, wherever the statement stands."""
        names = []
        for node in self.nodes:
            if isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names += [f"{self._origin(node)}.{alias.name}" for alias in node.names]
        return names

    def _origin(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        package = self.path.parent.parts[1:]
        above = package[: len(package) - node.level + 1]
        return ".".join([*above, *filter(None, [node.module])])

    def at(self, node: ast.AST) -> str:
        """Where a node stands, for a sentence."""
        return f"{self.path}:{getattr(node, 'lineno', 1)}"


def tracked_files(root: Path = ROOT) -> list[str]:
    """The files that git keeps or would keep, as paths in the project."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    output = ran(command, cwd=root, check=True).stdout
    return sorted(name for name in output.split("\0") if (root / name).is_file())


def layer(layers: Sequence[set[str]], unit: str) -> int | None:
    """The number of a module's layer, from the bottom."""
    return next((number for number, units in enumerate(layers) if unit in units), None)


def check_layers(module: Module) -> Iterator[str]:
    """Imports between wartable's modules, and between the server's own, point down."""
    if module.unit is not None:
        yield from _check_order(module, "wartable", "LAYERS", LAYERS)
    if module.unit == "server":
        yield from _check_order(module, "wartable.server", "SERVER_LAYERS", SERVER_LAYERS)


def _check_order(
    module: Module, package: str, list_name: str, layers: Sequence[set[str]]
) -> Iterator[str]:
    """The imports of a module that stay within the package, against the package's layers."""
    place = len(package.split(".")) + 1
    unit = PurePosixPath(module.path.parts[place]).stem
    own = layer(layers, unit)
    if own is None:
        yield f"{module.path} is in no layer: add {unit} to {list_name} in tests/project/tidy.py."
        return
    for name in module.imports:
        if not name.startswith(f"{package}."):
            continue
        other = name.split(".")[place - 1]
        number = layer(layers, other)
        if other != unit and number is not None and number >= own:
            yield f"{module.path} imports {name}, which does not stand below it in {list_name}."


def check_cycles(modules: Sequence[Module]) -> Iterator[str]:
    """No shipped module needs itself, be it through others, in a function or for its types."""
    shipped = {module.name: module for module in modules if module.unit is not None}
    left = {
        name: {
            found
            for each in module.imports
            for found in [each if each in shipped else each.rpartition(".")[0]]
            if found in shipped and found != name
        }
        for name, module in shipped.items()
    }
    while free := [name for name, needed in left.items() if not needed & left.keys()]:
        for name in free:
            del left[name]
    for name in sorted(left):
        needed = ", ".join(sorted(left[name] & left.keys()))
        yield f"{shipped[name].path} is in a cycle of imports or above one: it imports {needed}."


def check_core_imports(module: Module) -> Iterator[str]:
    """The core imports the standard library, msgspec and itself, and nothing that is impure."""
    if not module.in_core:
        return
    for name in module.imports:
        top, _, rest = name.partition(".")
        if top == "wartable":
            other = rest.partition(".")[0]
            if other in IMPURE:
                yield f"{module.path} is core and imports {name}, which is not."
        elif top not in sys.stdlib_module_names and top != "msgspec":
            yield f"{module.path} is core and imports {name}, which is not the standard library."
        elif top in BANNED_IN_CORE:
            yield f"{module.path} is core and imports {name}: {BANNED_IN_CORE[top]}."
        elif top in READS_FILES and module.unit != "rules":
            yield f"{module.path} is core and imports {name}: only rules may read files."


def check_core_purity(module: Module) -> Iterator[str]:
    """The core has no clock, float, input or output, and nothing asynchronous."""
    if not module.in_core:
        return
    for node in module.nodes:
        where = module.at(node)
        match node:
            case ast.Constant(value=float() | complex()):
                yield f"{where} has a float in the core."
            case ast.BinOp(op=ast.Div(), right=ast.Constant(value=str()) | ast.JoinedStr()):
                pass  # joins a path
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                yield f"{where} divides with / in the core: use //, Fraction or joinpath."
            case ast.Name(id="float" | "complex" as kind):
                yield f"{where} uses {kind} in the core."
            case ast.Call(func=ast.Attribute(attr=called)) if called in CLOCK_CALLS:
                yield f"{where} reads a clock with {called} in the core."
            case ast.Call(func=ast.Attribute(attr=called)) if called in WRITING_CALLS:
                yield f"{where} writes with {called} in the core."
            case ast.Call(func=ast.Name(id="print" | "input" as called)):
                yield f"{where} calls {called} in the core."
            case ast.Call(func=ast.Name(id="open")) if module.unit != "rules":
                yield f"{where} opens a file in the core: only rules may read files."
            case ast.AsyncFunctionDef() | ast.AsyncFor() | ast.AsyncWith() | ast.Await():
                yield f"{where} is asynchronous in the core."


def check_no_jurisdiction(module: Module) -> Iterator[str]:
    """No shipped decision asks for a rule book by its name."""
    if module.unit is None:
        return
    for node in module.nodes:
        if isinstance(node, ast.Compare | ast.MatchValue):
            for part in ast.walk(node):
                if isinstance(part, ast.Constant) and part.value in BOOKS:
                    yield f"{module.at(part)} asks for {part.value!r}: name an option instead."


def check_side_bets(module: Module) -> Iterator[str]:
    """A side bet is named where it is made, in game/wagers/ and rules/; the rest asks the wager."""
    path = str(module.path).removeprefix("src/wartable/")
    if module.unit is None or path in SIDE_BETS_NAMED or path.startswith(SIDE_BETS_MADE):
        return
    for node in module.nodes:
        for name in _names(node):
            if any(each in name.lower().replace("_", "") for each in SIDE_BETS_PLAIN):
                yield f"{module.at(node)} names the wager {name!r}: ask game.wagers instead."


def _names(node: ast.AST) -> Iterator[str]:
    """The names that a node gives or uses, and a text that could be one."""
    match node:
        case ast.Constant(value=str(text)) if text.isidentifier():
            yield text
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
            yield name
        case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ImportFrom(module=str(name)):
            yield name
        case ast.Global(names=names) | ast.MatchClass(kwd_attrs=names):
            yield from names
        case ast.alias(name=name, asname=other):
            yield from filter(None, (name, other))


def check_names(module: Module) -> Iterator[str]:
    """A module is named after its topic."""
    for part in module.path.with_suffix("").parts:
        if part in VAGUE_NAMES:
            yield f"{module.path} is named {part}, which says nothing about its topic."


def check_lengths(module: Module) -> Iterator[str]:
    """Functions and shipped files stay short."""
    lines = module.source.count("\n")
    if module.unit is not None and lines > FILE_LINES_MAX:
        yield f"{module.path} has {lines} lines, more than {FILE_LINES_MAX}: has it two topics?"
    for node in module.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES_MAX:
                yield (
                    f"{module.at(node)} {node.name} has {length} lines, "
                    f"more than {FUNCTION_LINES_MAX}: it is two functions."
                )


def check_exceptions(module: Module) -> Iterator[str]:
    """Every exception from lint or types names its rule and its reason on the same line."""
    if not EXCEPTION.search(module.source):
        return
    for token in tokenize.generate_tokens(io.StringIO(module.source).readline):
        if token.type != tokenize.COMMENT or not EXCEPTION.search(token.string):
            continue
        if not EXCEPTION_WITH_REASON.search(token.string):
            yield f"{module.path}:{token.start[0]} makes an exception without rule and reason."


def check_dead_files(modules: Sequence[Module]) -> Iterator[str]:
    """Every shipped module is imported or run, and every file of tests is a test or serves one."""
    used = set()
    started: set[str] = set()  # programs that a test starts are named, not imported
    for module in modules:
        if module.path.name.startswith("test_"):
            started |= {str(node.value) for node in module.nodes if isinstance(node, ast.Constant)}
        for name in module.imports:
            used |= {name, name.rpartition(".")[0]} - {module.name}
        # The modules of commands and of pytest's plugins are named in a list, not imported.
        if module.name in ("wartable.cli", "conftest"):
            used |= {str(node.value) for node in module.nodes if isinstance(node, ast.Constant)}
    for module in modules:
        if module.unit is not None:
            package = module.path.name == "__init__.py"
            inside = f"{module.name}."
            if module.name not in used | ENTRY_POINTS and not (
                package and any(name.startswith(inside) for name in used)
            ):
                yield f"{module.path} is dead: nothing imports it."
        elif module.path.parts[0] == "tests":
            stem = module.path.stem
            served = module.name in used or module.path.name in started
            if not stem.startswith("test_") and stem != "conftest" and not served:
                yield f"{module.path} is dead: no test uses it."


def check_type_names(modules: Sequence[Module]) -> Iterator[str]:
    """The name of a class or of a type means one thing in all shipped code."""
    first: dict[str, str] = {}
    for module in modules:
        if module.unit is None:
            continue
        for node in module.nodes:
            if name := _type_name(node):
                where = first.setdefault(name, str(module.path))
                if where != str(module.path):  # the type checker finds two in one file
                    yield f"{module.at(node)} names a type {name}, as {where} does."


def _type_name(node: ast.AST) -> str:
    """The class, alias or type variable that a node makes; aliases are written like classes."""
    match node:
        case ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name if TYPE_NAME.fullmatch(name) else ""
    return ""


def check_refusals(modules: Sequence[Module]) -> Iterator[str]:
    """A refusal is caught at the edges, and elsewhere only for a reason."""
    shipped = [module for module in modules if module.unit is not None]
    bases = {
        node.name: {part.id for base in node.bases for part in ast.walk(base) if _is_name(part)}
        for module in shipped
        for node in module.nodes
        if isinstance(node, ast.ClassDef)
    }
    family = {REFUSAL}
    while more := {name for name, above in bases.items() if above & family} - family:
        family |= more
    idle = set(REFUSALS_CAUGHT)
    for module in shipped:
        path = str(module.path).removeprefix("src/wartable/")
        for node in module.nodes:
            caught = [part for each in _caught(node) for part in ast.walk(each)]
            names = {part.id for part in caught if _is_name(part)}
            names |= {part.attr for part in caught if _is_attribute(part)}
            for name in sorted(names & family):
                idle.discard(path)
                if path not in REFUSALS_CAUGHT and not path.startswith(EDGES):
                    yield f"{module.at(node)} catches {name}: let it pass to the edges."
    for path in sorted(idle):
        yield f"REFUSALS_CAUGHT has {path}, which catches none."


def _is_name(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name)


def _is_attribute(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute)


def _caught(node: ast.AST) -> list[ast.expr]:
    """What an `except` or a `suppress` names; nothing in any other node."""
    match node:
        case ast.ExceptHandler(type=ast.expr() as caught):
            return [caught]
        case ast.Call(func=ast.Name(id="suppress") | ast.Attribute(attr="suppress"), args=caught):
            return caught
    return []


def check_text(path: str, text: str) -> Iterator[str]:
    """No file names a path of somebody's machine or the host of a package registry."""
    for number, line in enumerate(text.splitlines(), 1):
        if MACHINE_PATH.search(line):
            yield f"{path}:{number} names a path of one machine."
        if REGISTRY.search(line):
            yield f"{path}:{number} names the host of a package registry."


def check_script(path: str, text: str) -> Iterator[str]:
    """A script of the web table stays short and never makes markup or code out of text."""
    if not (path.startswith("src/wartable/web/") and path.endswith(".js")):
        return
    lines = text.count("\n")
    if lines > FILE_LINES_MAX and path != MADE_SCRIPT and not path.startswith(CATALOGUES):
        yield f"{path} has {lines} lines, more than {FILE_LINES_MAX}: has it two topics?"
    for number, line in enumerate(text.splitlines(), 1):
        if found := MARKUP.search(line):
            yield f"{path}:{number} uses {found[0]}: text from a server is never markup or code."


def check_script_side_bets(path: str, text: str) -> Iterator[str]:
    """A script or style of the pages names no side bet; the book says which there are."""
    name = path.removeprefix("src/wartable/")
    made = path == MADE_SCRIPT or name in SIDE_BETS_NAMED
    if made or not (name.startswith("web/") and name.endswith((".js", ".css"))):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if found := SIDE_BET_IN_SCRIPT.search(line):
            yield f"{path}:{number} names the wager {found[0]}: ask the book's wagers instead."


ModuleCheck = Callable[[Module], Iterator[str]]

MODULE_CHECKS: tuple[ModuleCheck, ...] = (
    check_layers,
    check_core_imports,
    check_core_purity,
    check_no_jurisdiction,
    check_side_bets,
    check_names,
    check_lengths,
    check_exceptions,
)

PROJECT_CHECKS: tuple[Callable[[Sequence[Module]], Iterator[str]], ...] = (
    check_dead_files,
    check_type_names,
    check_refusals,
    check_cycles,
)
"""The rules that look at all modules together."""
