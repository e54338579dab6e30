"""Rule books by digest: nothing that was released is lost, and nothing changes unnoticed."""

from collections import Counter
from pathlib import Path

import pytest

from archive import ARCHIVE, archive, archived
from wartable.rules import NAMES, RulesError, load

FILES = sorted(ARCHIVE.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_the_current_book_is_archived(name: str) -> None:
    """A book as it ships is in the archive; whoever changes it raises its version."""
    book = load(name)
    assert (ARCHIVE / f"{name}@{book.digest}.toml").is_file(), (
        f"{name} has changed: raise its version and run `make archive`."
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem[:24])
def test_an_archived_book_loads_by_its_digest(path: Path) -> None:
    """Each archived book is what its name says, and loads by the whole digest or its beginning."""
    assert path.suffix == ".toml"
    name, _, digest = path.stem.partition("@")
    for part in (digest, digest[:8], digest[:12]):
        book = load(f"{name}@{part}")
        assert (book.rules.name, book.digest) == (name, digest)
    assert "\nextends" not in path.read_text("utf-8"), "a kept book stands by itself"


def test_a_version_has_one_digest() -> None:
    """No two archived books share name and version."""
    versions = Counter((name, version) for name, version, _ in archived())
    assert [each for each, count in versions.items() if count > 1] == []
    assert {name for name, _ in versions} == set(NAMES)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("maryland@", "A digest is 8 to 64 hexadecimal digits (0-9, a-f), not ''."),
        ("maryland@1234567", "A digest is 8 to 64 hexadecimal digits (0-9, a-f), not '1234567'."),
        ("maryland@../books", "A digest is 8 to 64 hexadecimal digits (0-9, a-f), not '../books'."),
        ("maryland@00000000", "The archive has no version of maryland with the digest 00000000."),
        ("nevada@00000000", "The archive has no version of nevada with the digest 00000000."),
    ],
)
def test_a_digest_that_is_not_kept(name: str, reason: str) -> None:
    """An unknown digest is refused with a sentence."""
    with pytest.raises(RulesError) as error:
        load(name)
    assert str(error.value) == reason


def test_a_digest_of_another_book() -> None:
    """A book's digest finds that book only."""
    with pytest.raises(RulesError, match="no version of online"):
        load(f"online@{load('maryland').digest}")


def test_archiving(tmp_path: Path) -> None:
    """Archiving keeps each book once, and refuses other content under a version that is kept."""
    assert list(archive(tmp_path)) == []
    first = sorted(tmp_path.iterdir())
    assert len(first) == len(NAMES)
    assert list(archive(tmp_path)) == []
    assert sorted(tmp_path.iterdir()) == first
    path = next(path for path in first if path.name.startswith("online@"))
    text = path.read_text("utf-8").replace('title = "Online operator"', 'title = "Another"')
    path.write_text(text, "utf-8")
    (sentence,) = archive(tmp_path)
    version = load("online").rules.version
    assert sentence.startswith(f"online {version} is archived with other content")
    path.unlink()
    older = text.replace(f'version = "{version}"', 'version = "0.9.0"')
    (tmp_path / "online@older.toml").write_text(older, "utf-8")
    assert list(archive(tmp_path)) == []
    assert len(list(tmp_path.iterdir())) == len(NAMES) + 1
