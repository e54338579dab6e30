"""The archive of rule books: every version that was released stays loadable by its digest.

`make archive` keeps the current books. A version whose content has changed since it was archived
is refused: raise the version in the book. One that was never released may be removed by hand.
"""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from wartable.rules import NAMES, load
from wartable.rules.load import build, checked

RULES = Path(__file__).parents[2] / "src" / "wartable" / "rules"
ARCHIVE = RULES / "archive"


def archived(folder: Path = ARCHIVE) -> Iterator[tuple[str, str, str]]:
    """The name, version and digest of every archived book, the digest as its content gives it."""
    for path in sorted(folder.glob("*.toml")):
        book = build(checked(tomllib.loads(path.read_text("utf-8"))))
        yield book.rules.name, book.rules.version, book.digest


def archive(folder: Path = ARCHIVE) -> Iterator[str]:
    """Keep each current book that is not kept yet; yields a sentence for one that cannot be."""
    kept = {(name, version): digest for name, version, digest in archived(folder)}
    for name in NAMES:
        book = load(name)
        digest = kept.get((name, book.rules.version))
        if digest is None:
            content = (RULES / "books" / f"{name}.toml").read_bytes()
            (folder / f"{name}@{book.digest}.toml").write_bytes(content)
        elif digest != book.digest:
            yield (
                f"{name} {book.rules.version} is archived with other content ({digest[:8]}): "
                f"raise the version in {name}.toml."
            )


if __name__ == "__main__":
    sys.exit("\n".join(archive()) or None)
