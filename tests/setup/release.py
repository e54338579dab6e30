"""A release: checked, built, and played from an empty virtual environment.

`make release` runs this. It publishes nothing.
"""

import re
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

from paths import ROOT
from waiting import ran

RELEASE = re.compile(r"^## (\d+\.\d+\.\d+) - \d{4}-\d{2}-\d{2}\n(.*?)(?=^## |\Z)", re.M | re.S)

ROUND = re.compile(r"^```python\n(.*?)^```\n+^```text\n(.*?)^```$", re.M | re.S)
"""A program on a page, and what it prints."""


class Unfit(Exception):
    """The project cannot be released as it is; the sentence says why."""


def run(*words: str | Path, cwd: Path | None = None) -> str:
    """What a program prints, once it has ended well."""
    done = ran(words, cwd=cwd)
    if done.returncode:
        told = (done.stderr or done.stdout).strip().rpartition("\n")[2]
        raise Unfit(f"{Path(words[0]).name} {words[1]} failed: {told}")
    return done.stdout


def check(root: Path) -> str:
    """The version to release; Unfit unless the files agree on it and the tree is clean."""
    version: str = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    code = (root / "src" / "wartable" / "__init__.py").read_text("utf-8")
    if f'\n__version__ = "{version}"\n' not in code:
        raise Unfit(f"pyproject.toml has version {version}, and wartable.__version__ another.")
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    releases = RELEASE.findall(changelog)
    if not releases or releases[0][0] != version:
        newest = releases[0][0] if releases else "none"
        raise Unfit(f"the newest release in CHANGELOG.md is {newest}, not {version}.")
    if re.search(r"^## Unreleased\n((?!^## ).*\n)*?- ", changelog, re.MULTILINE):
        raise Unfit("CHANGELOG.md lists changes as Unreleased; give them a version.")
    for name, text in releases:
        if not re.search(r"^- ", text, re.MULTILINE):
            raise Unfit(f"CHANGELOG.md lists no change for {name}.")
    if changed := run("git", "status", "--porcelain", cwd=root):
        files = ", ".join(line[3:] for line in changed.splitlines())
        raise Unfit(f"the tree is not clean; commit or remove: {files}.")
    return version


def build(root: Path, into: Path) -> Path:
    """The wheel, written with the source archive into a folder."""
    run(sys.executable, "-m", "hatchling", "build", "-d", into, cwd=root)
    (wheel,) = into.glob("*.whl")
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """The Python of a new virtual environment that has only the wheel and what it needs."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", wheel)
    return python


def play(python: Path, version: str, folder: Path) -> None:
    """Ask the program for its version, and play the README's round in a folder."""
    told = run(python, "-I", "-m", "wartable", "--version", cwd=folder)
    if told != f"wartable, version {version}\n":
        raise Unfit(f"the wheel was to print version {version}, and printed {told.strip()!r}.")
    ((code, shown),) = ROUND.findall((ROOT / "README.md").read_text("utf-8"))
    told = run(python, "-I", "-c", code, cwd=folder)
    if told != shown:
        raise Unfit(f"the README's round was to print {shown!r}, and printed {told!r}.")


def main() -> None:
    """Check, build into dist/, install and play; one sentence says how it went."""
    try:
        version = check(ROOT)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            built = build(ROOT, folder / "dist")
            play(install(built, folder / "environment"), version, folder)
            (ROOT / "dist").mkdir(exist_ok=True)
            for file in built.parent.iterdir():
                (ROOT / "dist" / file.name).write_bytes(file.read_bytes())
    except Unfit as refused:
        sys.exit(f"No release: {refused}")
    print(f"dist/ has wartable {version}; the wheel was installed and played.")


if __name__ == "__main__":
    main()
