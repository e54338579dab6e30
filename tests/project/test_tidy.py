"""The project keeps its own style, and each rule of it catches a planted violation."""

import gc
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import tidy
from chances import check_chances
from paths import ROOT
from tidy import Module
from waiting import ran
from waits import check_waits

pytestmark = pytest.mark.slow("make check runs it")

FILES = tidy.tracked_files()


def expect_none(sentences: Iterable[str]) -> None:
    """Fail with all the sentences, if there are any, and nothing else."""
    if found := list(sentences):
        pytest.fail("\n".join(found), pytrace=False)


@pytest.fixture
def _trees_kept() -> Iterator[None]:
    """Look for no garbage among millions of nodes that all stay: that is half of the time."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("_trees_kept")
def test_every_module_is_tidy() -> None:
    """No Python file breaks a rule; one test for all rules, so that one worker reads the files."""
    modules = [
        Module(name, (ROOT / name).read_text(encoding="utf-8"))
        for name in FILES
        if name.endswith(".py")
    ]
    for check in (*tidy.MODULE_CHECKS, check_waits, check_chances):
        expect_none(sentence for module in modules for sentence in check(module))
    for check_all in tidy.PROJECT_CHECKS:
        expect_none(check_all(modules))


@pytest.mark.parametrize(
    "source",
    [
        "try: f()\nexcept Refusal: pass",
        "try: f()\nexcept (OSError, games.Illegal) as error: pass",
        "with suppress(Illegal): f()",
        "with contextlib.suppress(KeyError, Illegal): f()",
    ],
)
def test_a_refusal_caught_elsewhere_is_found(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal of any class is found where nothing allows it, and an idle reason too."""
    monkeypatch.setattr(tidy, "REFUSALS_CAUGHT", {"settle.py": "a reason", "odds.py": "a reason"})
    family = "class Refusal(ValueError): pass\nclass Illegal(Refusal): pass"
    modules = [Module("src/wartable/refusal.py", family)]
    modules += [
        Module(f"src/wartable/{name}.py", source)
        for name in ("ledger", "settle", "cli/play", "server/http/app")
    ]
    modules += [Module("src/wartable/odds.py", "try: f()\nexcept OSError: pass")]
    first, idle = tidy.check_refusals(modules)
    assert first.startswith("src/wartable/ledger.py:")
    assert "let it pass to the edges" in first
    assert idle == "REFUSALS_CAUGHT has odds.py, which catches none."


def test_a_cycle_of_imports_is_caught() -> None:
    """Modules that import each other are named, also where one does so in a function."""
    modules = [
        Module("src/wartable/cards.py", "import enum"),
        Module("src/wartable/game/a.py", "from wartable.game.b import x\nimport wartable.cards"),
        Module("src/wartable/game/b.py", "def f():\n  from wartable.game import a"),
        Module("tests/test_a.py", "import test_a"),
    ]
    assert list(tidy.check_cycles(modules)) == [
        "src/wartable/game/a.py is in a cycle of imports or above one: it imports wartable.game.b.",
        "src/wartable/game/b.py is in a cycle of imports or above one: it imports wartable.game.a.",
    ]


@pytest.mark.parametrize(
    "second",
    [
        "class Card: pass",
        "Card = int | str",
        "Card = Annotated[str, Meta()]",
        "Card = Literal['9s']",
        "Card: TypeAlias = str",
        "Card = NewType('Card', str)",
        "Card = TypeVar('Card')",
        "def f():\n\n  class Card: pass",
    ],
)
def test_a_type_name_used_twice_is_caught(second: str) -> None:
    """The second type of a name is named with the first; tests may name theirs as they like."""
    modules = [
        Module("src/wartable/cards.py", "class Card: pass\nCARD = 1\ncard = 2"),
        Module("src/wartable/shoe.py", f"CARD = 1\ncard = 2\n{second}"),
        Module("tests/test_cards.py", "class Card: pass"),
    ]
    (found,) = tidy.check_type_names(modules)
    assert "names a type Card, as src/wartable/cards.py does." in found
    assert found.startswith("src/wartable/shoe.py:")


def test_no_machine_or_registry_is_named() -> None:
    """No file names a path of one machine or a registry's host."""
    texts = {name: (ROOT / name).read_text(encoding="utf-8", errors="replace") for name in FILES}
    expect_none(line for name, text in texts.items() for line in tidy.check_text(name, text))


def test_every_script_is_tidy() -> None:
    """No script of the web table breaks its rules."""
    ours = [name for name in FILES if name.endswith((".js", ".css"))]
    texts = {name: (ROOT / name).read_text("utf-8") for name in ours}
    for check in (tidy.check_script, tidy.check_script_side_bets):
        expect_none(line for name, text in texts.items() for line in check(name, text))


def test_untidy_scripts_are_caught() -> None:
    """A script that is long, or that makes markup of text, is named; a made one may be long."""
    path = "src/wartable/web/js/x.js"
    assert list(tidy.check_script(path, "fine\nplace.innerHTML = name")) == [
        f"{path}:2 uses innerHTML: text from a server is never markup or code."
    ]
    (long,) = tidy.check_script(path, "x\n" * 501)
    assert "501 lines" in long
    assert list(tidy.check_script(tidy.MADE_SCRIPT, "x\n" * 501)) == []
    assert list(tidy.check_script("tests/js/x.js", "eval(x)\n" * 501)) == []
    for line in ("odds.wagers.progressive", "wt-box .bonus_spin {", 'kind === "progressive"'):
        (named,) = tidy.check_script_side_bets(path, line)
        assert "names the wager" in named
    assert list(tidy.check_script_side_bets(path, "Progressive meters; progressively")) == []
    assert list(tidy.check_script_side_bets(tidy.MADE_SCRIPT, '"progressive"')) == []


def test_checks_are_all_run() -> None:
    """A rule for modules that is written is also applied."""
    named = {function for name, function in vars(tidy).items() if name.startswith("check_")}
    others = {tidy.check_type_names, tidy.check_dead_files, tidy.check_text, tidy.check_script}
    others |= {tidy.check_cycles, tidy.check_refusals, tidy.check_script_side_bets}
    assert named == {*tidy.MODULE_CHECKS, *others}


LONG_FUNCTION = "def f():\n" + "    x = 1\n" * 70
CORE = "src/wartable/game.py"
RULES = "src/wartable/rules/load.py"


@pytest.mark.parametrize(
    ("check", "path", "source", "sentence"),
    [
        (tidy.check_layers, "src/wartable/new.py", "", "add new to LAYERS"),
        (
            tidy.check_layers,
            "src/wartable/cards.py",
            "import wartable.rules",
            "does not stand below",
        ),
        (
            tidy.check_layers,
            "src/wartable/cards.py",
            "from wartable import game",
            "does not stand below",
        ),
        (
            tidy.check_layers,
            "src/wartable/odds/a.py",
            "from ..sim.b import c",
            "does not stand below",
        ),
        (tidy.check_layers, "src/wartable/server/new.py", "", "add new to SERVER_LAYERS"),
        (
            tidy.check_layers,
            "src/wartable/server/records/a.py",
            "from wartable.server import house",
            "does not stand below it in SERVER_LAYERS",
        ),
        (
            tidy.check_layers,
            CORE,
            "def f():\n  from wartable.cli import main",
            "does not stand below",
        ),
        (tidy.check_core_imports, CORE, "import click", "not the standard library"),
        (tidy.check_core_imports, CORE, "from wartable.settle import x", "settle.x, which is not"),
        (tidy.check_core_imports, CORE, "from time import monotonic", "a clock"),
        (tidy.check_core_imports, CORE, "import random", "randomness"),
        (tidy.check_core_imports, CORE, "from secrets import token_bytes", "randomness"),
        (tidy.check_core_imports, CORE, "from os import urandom", "the system"),
        (tidy.check_core_imports, RULES, "import os.path", "the system"),
        (tidy.check_core_imports, CORE, "import asyncio", "concurrency"),
        (tidy.check_core_imports, CORE, "from pathlib import Path", "only rules may read"),
        (tidy.check_core_purity, CORE, "x = 0.5", "has a float"),
        (tidy.check_core_purity, CORE, "x = y / 2", "divides with /"),
        (tidy.check_core_purity, CORE, "x /= 2", "divides with /"),
        (tidy.check_core_purity, CORE, "x = float(y)", "uses float"),
        (tidy.check_core_purity, CORE, "x: float", "uses float"),
        (tidy.check_core_purity, CORE, "x = datetime.now()", "reads a clock with now"),
        (tidy.check_core_purity, CORE, "open('f')", "opens a file"),
        (tidy.check_core_purity, CORE, "print(1)", "calls print"),
        (tidy.check_core_purity, RULES, "path.write_text('')", "writes with write_text"),
        (tidy.check_core_purity, CORE, "async def f(): pass", "asynchronous"),
        (tidy.check_no_jurisdiction, CORE, "if name == 'maryland': pass", "asks for 'maryland'"),
        (tidy.check_no_jurisdiction, CORE, "x in ('online',)", "asks for 'online'"),
        (tidy.check_no_jurisdiction, CORE, "match x:\n  case 'online': pass", "asks for 'online'"),
        (tidy.check_side_bets, "src/wartable/ledger.py", "x = 'progressive'", "names the wager"),
        (tidy.check_side_bets, CORE, "x in ('tie', 'bonus_spin')", "'bonus_spin'"),
        (tidy.check_side_bets, CORE, "x = rules.wagers.progressive", "'progressive'"),
        (tidy.check_side_bets, CORE, "play(bonus_spin=5)", "'bonus_spin'"),
        (tidy.check_side_bets, CORE, "class Plan:\n  progressive: int = 0", "'progressive'"),
        (tidy.check_side_bets, CORE, "def f(progressive): pass", "'progressive'"),
        (tidy.check_side_bets, CORE, "def progressive_json(): pass", "'progressive_json'"),
        (tidy.check_side_bets, CORE, "class BonusSpinOdds: pass", "'BonusSpinOdds'"),
        (tidy.check_side_bets, CORE, "import wagers as PROGRESSIVE", "'PROGRESSIVE'"),
        (tidy.check_side_bets, CORE, "from a.bonus_spin import x", "'a.bonus_spin'"),
        (tidy.check_side_bets, CORE, "def f(*, x):\n  global PROGRESSIVE", "'PROGRESSIVE'"),
        (tidy.check_side_bets, CORE, "match x:\n  case A(progressive=0): pass", "'progressive'"),
        (tidy.check_names, "src/wartable/utils.py", "", "named utils"),
        (tidy.check_names, "tests/helpers/a.py", "", "named helpers"),
        (tidy.check_lengths, CORE, LONG_FUNCTION, "f has 71 lines"),
        (tidy.check_lengths, CORE, "x = 1\n" * 501, "has 501 lines"),
        (tidy.check_exceptions, CORE, "x = 1  # noqa", "without rule and reason"),
        (tidy.check_exceptions, CORE, "x = 1  # noqa: E501", "without rule and reason"),
        (tidy.check_exceptions, CORE, "x = 1  # type: ignore[misc]", "without rule and reason"),
        (tidy.check_exceptions, CORE, "x = 1  # type: ignore  # a reason", "without rule"),
    ],
)
def test_rule_catches(check: tidy.ModuleCheck, path: str, source: str, sentence: str) -> None:
    """A planted violation yields exactly one sentence, which names the file."""
    (found,) = check(Module(path, source))
    assert sentence in found
    assert found.startswith(path)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (CORE, "import hashlib\nimport msgspec\nfrom wartable.cards import Card\nx = 7 // 2\n"),
        (CORE, "x = 1  # noqa: E501  # the reason stands here\n"),
        (CORE, "x = '# noqa'\n"),
        (RULES, "from importlib.resources import files\nbook = files('a') / 'b' / f'{c}.toml'\n"),
        (RULES, "from . import model\nfrom .model import Book\nfrom ..cards import Card\n"),
        ("src/wartable/cli.py", "import time\nimport click\nx = 1 / 2\n"),
        ("src/wartable/game/wagers/progressive.py", "kind = 'progressive'\n"),
        ("src/wartable/worked.py", "x = 'progressive'\n"),
        ("src/wartable/odds/sidebets.py", "def progressive(x): return x.progressive\n"),
        (CORE, "x = 'The progressive meter.'  # the progressive\n"),
        ("tests/test_x.py", "import random\nfrom wartable.cli import main\nx = 0.5\n"),
    ],
)
def test_rules_let_pass(path: str, source: str) -> None:
    """What is allowed yields no sentence."""
    expect_none(line for check in tidy.MODULE_CHECKS for line in check(Module(path, source)))


@pytest.mark.parametrize(
    "source",
    [
        "asyncio.run(main())",
        "subprocess.run(['ls'], check=True)",
        "with subprocess.Popen(['ls']) as process: pass",
        "living(subprocess.Popen(['ls'], preexec_fn=act))",
        "process.wait()",
        "process.communicate(b'')",
        "thread.join()",
        "queue.get()",
        "socket.create_connection(address)",
    ],
)
def test_a_wait_without_an_end_is_found(source: str) -> None:
    """Whatever a test may wait for as long as it takes is named, and only in tests."""
    (found,) = check_waits(Module("tests/test_x.py", source))
    assert found.startswith("tests/test_x.py:1 ")
    assert not list(check_waits(Module("src/wartable/cli/x.py", source)))


@pytest.mark.parametrize(
    "source",
    [
        "process.wait(WAIT_S)",
        "process.communicate(timeout=WAIT_S)",
        "','.join(words)",
        "async def run(): await event.wait()",
        "async def run(): await asyncio.gather(queue.get(), event.wait())",
        "subprocess.run(['ls'], check=True, timeout=WAIT_S)",
        "with living(subprocess.Popen(['ls'])): pass",
    ],
)
def test_a_wait_with_an_end_passes(source: str) -> None:
    """What has an end, or is ended by `in_time` or `living`, is allowed."""
    expect_none(check_waits(Module("tests/test_x.py", source)))


@pytest.mark.parametrize(
    "source",
    [
        'other = sealed[:-2] + "00"',
        'other = "f" + sealed[1:]',
        "key = os.urandom(32)",
        "name = secrets.token_hex(4)",
        "chance = random.Random()",
        "chance = np.random.default_rng()",
        "def test():\n    import random; random.shuffle(cards)",
        "today = date.today()",
        "now = datetime.now()",
        "now_s = time.time()",
    ],
)
def test_chance_is_found(source: str) -> None:
    """Whatever may be another in each run is named, and only in tests."""
    (found,) = check_chances(Module("tests/test_x.py", source))
    assert found.startswith("tests/test_x.py:")
    assert not list(check_chances(Module("src/wartable/cli/x.py", source)))


@pytest.mark.parametrize(
    "source",
    [
        "other = altered(sealed)",
        'words = cards[:2] + " and more"',
        "chance = random.Random(7)",
        "def test(random):\n    random.shuffle(cards)",
        "now = datetime.fromtimestamp(0, UTC)",
    ],
)
def test_what_has_a_seed_passes(source: str) -> None:
    """What is the same in each run is allowed."""
    expect_none(check_chances(Module("tests/test_x.py", source)))


def test_dead_files_are_caught() -> None:
    """A module that nothing imports is named, and one that is used is not."""
    modules = [
        Module("src/wartable/cli.py", "from wartable.game import decide"),
        Module("src/wartable/game/__init__.py", "from .round import decide"),
        Module("src/wartable/game/round.py", ""),
        Module("src/wartable/game/old.py", "import wartable.game.old"),
        Module("tests/conftest.py", "import strategies\npytest_plugins = ['marks']"),
        Module("tests/setup/marks.py", ""),
        Module("tests/strategies.py", ""),
        Module("tests/leftover.py", ""),
    ]
    assert list(tidy.check_dead_files(modules)) == [
        "src/wartable/game/old.py is dead: nothing imports it.",
        "tests/leftover.py is dead: no test uses it.",
    ]


@pytest.mark.parametrize("place", ["work", "root", "home"])
def test_machine_paths_are_caught(place: str) -> None:
    """An absolute path of somebody's machine is named with its line."""
    assert list(tidy.check_text("a.md", f"fine\nsee /{place}/somebody")) == [
        "a.md:2 names a path of one machine."
    ]
    assert list(tidy.check_text("a.md", f"a/{place}/b is a path in the project")) == []


@pytest.mark.parametrize("text", ["see pypi" + ".org", "--index-" + "url https://mirror"])
def test_registry_hosts_are_caught(text: str) -> None:
    """A registry's host is named with its line."""
    assert list(tidy.check_text("a.txt", text)) == ["a.txt:1 names the host of a package registry."]


def test_tracked_files_leave_out_what_git_ignores(tmp_path: Path) -> None:
    """Files are those that git keeps or would keep."""
    ran(["git", "init", "-q"], cwd=tmp_path, check=True)
    for name in (".gitignore", "kept", "dropped"):
        (tmp_path / name).write_text("dropped\n", encoding="utf-8")
    assert tidy.tracked_files(tmp_path) == [".gitignore", "kept"]
