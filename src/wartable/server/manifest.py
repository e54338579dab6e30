"""The running program, by the digests of its files."""

import hashlib
import importlib.util
import marshal
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec

import wartable

Manifest = dict[str, str]
"""The digest of every file by its path in the package."""


HEADER_BYTES = 16
HASHED, CHECKED = 1, 2
"""The flags of cached bytecode that has its source's hash, and of a hash that Python compares."""


def package() -> Path:
    """The folder of the running program."""
    return Path(wartable.__file__).parent


def manifest(folder: Path | None = None) -> Manifest:
    """The digests of the program's files now: code, rule books, clauses."""
    root = package() if folder is None else folder
    inside = len(f"{root}/")
    return {
        path[inside:]: hashlib.sha256(Path(path).read_bytes()).hexdigest()
        for path in sorted(_files(root))
        if "/__pycache__/" not in path[inside - 1 :]
    }


def foreign_bytecode(folder: Path | None = None) -> Iterator[str]:
    """The cached files that Python would load instead of a source they were not made from."""
    root = package() if folder is None else folder
    for path in sorted(_files(root)):
        if path.endswith(".py"):
            cached = Path(importlib.util.cache_from_source(path))
            if cached.is_file() and not _made_from(cached.read_bytes(), Path(path)):
                yield cached.relative_to(root).as_posix()


def _files(folder: str | Path) -> Iterator[str]:
    """The paths of all files in a folder and below, as text: a house asks for hundreds."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path)
            elif entry.is_file():
                yield entry.path


def _made_from(cached: bytes, source: Path) -> bool:
    """Whether cached bytecode is the source's; what Python would not load does not count."""
    content, stat = source.read_bytes(), source.stat()
    magic, flags, check = cached[:4], int.from_bytes(cached[4:8], "little"), cached[8:HEADER_BYTES]
    if magic != importlib.util.MAGIC_NUMBER:
        return True
    if flags & HASHED:
        current = importlib.util.source_hash(content)
    else:
        times = (int(stat.st_mtime) & 0xFFFFFFFF, stat.st_size & 0xFFFFFFFF)
        current = b"".join(each.to_bytes(4, "little") for each in times)
    if check != current and (not flags & HASHED or flags & CHECKED):
        return True
    try:
        found = marshal.loads(cached[HEADER_BYTES:])
    except (EOFError, ValueError, TypeError):
        return False
    return bool(found == compile(content, str(source), "exec", dont_inherit=True))


def digest_of(found: Manifest) -> str:
    """The digest of a manifest."""
    return hashlib.sha256(msgspec.json.encode(found, order="deterministic")).hexdigest()


@cache
def running() -> str:
    """The digest of the running program, as of the first call."""
    return digest_of(manifest())
