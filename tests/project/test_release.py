"""The release script refuses what is not ready, and the wheel it builds plays."""

import sys
import zipfile
from pathlib import Path

import pytest

import release
from paths import ROOT
from release import Unfit
from waiting import ran
from wartable import __version__

FILES = {
    "pyproject.toml": '[project]\nversion = "1.2.0"\n',
    "src/wartable/__init__.py": '"""A package."""\n\n__version__ = "1.2.0"\n',
    "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2027-01-31\n\n- More.\n\n"
    "## 1.1.0 - 2026-12-31\n\n- Less.\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that is ready, committed to git."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    commit(tmp_path)
    return tmp_path


def commit(folder: Path) -> None:
    """Commit everything in a folder."""
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "All"]):
        ran(["git", *words], cwd=folder, check=True)


def test_a_project_that_is_ready(project: Path) -> None:
    """The version is the one that all three files have."""
    assert release.check(project) == "1.2.0"


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("pyproject.toml", "1.2.0", "1.3.0", "and wartable.__version__ another"),
        ("src/wartable/__init__.py", "1.2.0", "1.2.0rc1", "and wartable.__version__ another"),
        ("CHANGELOG.md", "## 1.2.0 - 2027-01-31", "##", "is 1.1.0, not 1.2.0"),
        ("CHANGELOG.md", "## 1.2.0 - 2027-01-31", "## 1.2.0", "is 1.1.0, not 1.2.0"),
        ("CHANGELOG.md", "## 1", "## v1", "is none, not 1.2.0"),
        ("CHANGELOG.md", "- More.", "", "lists no change for 1.2.0"),
        ("CHANGELOG.md", "Unreleased\n", "Unreleased\n\n### Fixed\n\n- Bug.\n", "as Unreleased"),
        ("CHANGELOG.md", "- Less.", "", "lists no change for 1.1.0"),
    ],
)
def test_files_that_do_not_agree(project: Path, file: str, old: str, new: str, told: str) -> None:
    """Another version, or a release without a change, is refused in a sentence."""
    path = project / file
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    commit(project)
    with pytest.raises(Unfit, match=told):
        release.check(project)


@pytest.mark.parametrize("file", ["CHANGELOG.md", "new.py"])
def test_a_tree_that_is_not_clean(project: Path, file: str) -> None:
    """A changed or an unknown file is refused by its name."""
    with (project / file).open("a") as changed:
        changed.write("\n- Something.\n")
    with pytest.raises(Unfit, match=f"not clean; commit or remove: {file}"):
        release.check(project)


def test_the_changelog_has_this_version() -> None:
    """The newest release in the changelog is the version of the program."""
    releases = release.RELEASE.findall((ROOT / "CHANGELOG.md").read_text("utf-8"))
    assert releases[0][0] == __version__


def test_the_wheel_is_whole(tmp_path: Path) -> None:
    """The wheel has every file of the package, and the source archive stands beside it."""
    wheel = release.build(ROOT, tmp_path)
    assert (tmp_path / f"wartable-{__version__}.tar.gz").exists()
    listed = ran(["git", "ls-files", "wartable"], cwd=ROOT / "src", check=True).stdout
    assert set(listed.splitlines()) <= set(zipfile.ZipFile(wheel).namelist())


def test_the_round_of_the_readme_is_played(tmp_path: Path) -> None:
    """The program says its version and plays; another version is refused."""
    release.play(Path(sys.executable), __version__, tmp_path)
    with pytest.raises(Unfit, match=r"was to print version 0\.0\.0, and printed"):
        release.play(Path(sys.executable), "0.0.0", tmp_path)


def test_a_program_that_fails_is_named() -> None:
    """The sentence has the program and its last line."""
    with pytest.raises(Unfit, match=r"^python\S* -c failed: broken$"):
        release.run(sys.executable, "-c", "import sys; sys.exit('first\\nbroken')")
