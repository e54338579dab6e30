"""Pages that cannot lie: every program and every command printed on them is run."""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from paths import ROOT
from waiting import WAIT_S
from wartable.cli import COMMANDS, wartable
from wartable.rules.model import Options

pytestmark = pytest.mark.slow("runs the pages' commands")

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
DESIGN = (ROOT / "docs" / "design.md").read_text("utf-8")
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANYTHING = "..."
"""A line of shown output that stands for any lines."""


def blocks(page: Path) -> list[tuple[str, str]]:
    """The fenced blocks of a page: what stands after the fence, and the text."""
    return FENCE.findall(page.read_text("utf-8"))


def page_name(page: Path) -> str:
    """The page's path in the project."""
    return str(page.relative_to(ROOT))


def headings(page: Path) -> set[str]:
    """The page's headings as links name them: lower case, hyphens for spaces, no punctuation."""
    found = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w-]", "", each.lower().replace(" ", "-")) for each in found}


def assert_shown(shown: str, printed: str, what: str) -> None:
    """What a page shows is what was printed, trailing white space aside."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == ANYTHING else re.escape(line.rstrip()) + r"\n"
        for line in shown.strip("\n").splitlines()
    )
    lines = "\n".join(line.rstrip() for line in printed.splitlines()).strip("\n")
    text = f"{lines}\n" if lines else ""
    assert re.fullmatch(pattern, text), f"{what} printed:\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_python_blocks_run(page: Path) -> None:
    """Each Python block runs by itself and prints the block of text that follows it."""
    found = blocks(page)
    for (kind, code), (next_kind, shown) in pairwise([*found, ("", "")]):
        if kind == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(code, page_name(page), "exec"), {"__name__": "page"})
            if next_kind == "text" and printed.getvalue():
                assert_shown(shown, printed.getvalue(), page_name(page))


def assert_options_exist(arguments: list[str]) -> None:
    """The command's help knows every option that the page gives it."""
    words = [word for word in arguments if re.fullmatch("[a-z]+", word)][:1]
    shown = CliRunner().invoke(wartable, [*words, "--help"]).stdout
    for option in (word for word in arguments if word.startswith("-")):
        assert re.search(rf"(^|[ ,]){option}\b", shown, re.MULTILINE), f"{words} has no {option}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_print_what_is_shown(page: Path, tmp_path: Path) -> None:
    """Each `$ wartable` prints what stands below it, with the files that the page shows.

    Where a page shows no output, the command is not run, but it and its options must exist.
    """
    command = [sys.executable, "-c", "from wartable.cli import main; main()"]
    environment = {**os.environ, "COLUMNS": "80"}
    for kind, text in blocks(page):
        _, _, file = kind.partition(" ")
        if file:
            (tmp_path / file).write_text(text, "utf-8")
        if kind != "console":
            continue
        for example in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            line, _, shown = example.partition("\n")
            name, *arguments = line.split()
            assert name == "wartable", f"{page_name(page)} shows {line}, which nobody checks"
            if not shown.strip():
                assert_options_exist(arguments)
                continue
            ran = subprocess.run(
                [*command, *arguments],
                cwd=tmp_path,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                timeout=WAIT_S,
            )
            assert_shown(shown, ran.stdout, line)


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_data_blocks_are_sound(page: Path) -> None:
    """JSON and TOML on a page read as such."""
    for kind, text in blocks(page):
        if kind.startswith("json"):
            json.loads(text)
        if kind.startswith("toml"):
            tomllib.loads(text)


def test_the_answer_on_the_page_of_settle() -> None:
    """The JSON answer in docs/settle.md is what its example gives."""
    found = blocks(ROOT / "docs" / "settle.md")
    (example,) = [text for kind, text in found if kind == "json tuesday.json"]
    (answer,) = [text for kind, text in found if kind == "json"]
    ran = CliRunner().invoke(wartable, ["settle", "--json"], input=example)
    assert json.loads(ran.stdout) == json.loads(answer)


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_somewhere(page: Path) -> None:
    """A link into the project names a file that is there, and a heading that it has."""
    prose = FENCE.sub("", page.read_text("utf-8"))
    for target, heading in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", prose):
        if "://" not in target:
            linked = page.parent / target if target else page
            assert linked.exists(), f"{page_name(page)} links to {target}"
            assert not heading or heading in headings(linked), f"{target} has no #{heading}"


def test_every_command_is_in_the_readme() -> None:
    """The README's table has each command of the command line, and no other."""
    text = (ROOT / "README.md").read_text("utf-8")
    assert set(re.findall(r"^\| `wartable (\w+)", text, re.MULTILINE)) == set(COMMANDS)


def test_every_page_is_in_the_index() -> None:
    """The README leads to the index of docs/, and the index to each page."""
    index = ROOT / "docs" / "README.md"
    assert "(docs/README.md)" in (ROOT / "README.md").read_text("utf-8")
    text = index.read_text("utf-8")
    pages = [page for page in PAGES if page.parent == index.parent and page != index]
    assert [page for page in pages if f"({page.name})" not in text] == []


def test_every_option_is_documented() -> None:
    """The page on rule books has each named option."""
    text = (ROOT / "docs" / "rules.md").read_text("utf-8")
    _, _, options = text.partition("\n## Named options\n")
    named = re.findall(r"^\| `(\w+)` \|", options, re.MULTILINE)
    assert named == list(Options.__struct_fields__)


def test_the_layout_is_the_code() -> None:
    """The layout in docs/design.md names every module, and no other.

    A folder has a line with its modules, or is one word in the line of the folder above it.
    """
    (layout,) = [text for _, text in blocks(ROOT / "docs" / "design.md") if "cards.py" in text]
    shown, folders, above = set(), {""}, ""
    for indent, name, words in re.findall(r"^( {2}| {4})(\S+) +(.*)$", layout, re.MULTILINE):
        above = above if indent == "    " else ""
        if name.endswith("/"):
            folders.add(above + name)
            shown |= {above + name + each for each in words.rpartition(": ")[2].split()}
            above = above or name
        else:
            shown.add(above + name.removesuffix(".py"))
    source = ROOT / "src" / "wartable"
    real = set()
    for path in source.rglob("*.py"):
        parts = path.relative_to(source).with_suffix("").parts
        places = ["".join(f"{part}/" for part in parts[:depth]) for depth in range(len(parts))]
        unlisted = next((place for place in places if place not in folders), None)
        if unlisted is not None:
            real.add(unlisted)
        elif parts[-1] != "__init__":
            real.add("/".join(parts))
    assert shown == real, f"too much: {shown - real}; missing: {real - shown}"


def test_the_words_of_the_design_are_whole() -> None:
    """The table of words in docs/design.md has the words that the project is written in."""
    for word in ("rule book", "clause", "box", "wager", "staked", "round", "event", "edge"):
        assert re.search(rf"^\| [^|]*\b{word}\b", DESIGN, re.MULTILINE), word
