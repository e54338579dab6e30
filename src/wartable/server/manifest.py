"""The running program, by the digests of its files."""

import hashlib
from functools import cache
from pathlib import Path

import msgspec

import wartable

Manifest = dict[str, str]
"""The digest of every file by its path in the package."""


def package() -> Path:
    """The folder of the running program."""
    return Path(wartable.__file__).parent


def manifest(folder: Path | None = None) -> Manifest:
    """The digests of the program's files now: code, rule books, clauses."""
    root = package() if folder is None else folder
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if "__pycache__" not in path.parts
    }


def digest_of(found: Manifest) -> str:
    """The digest of a manifest."""
    return hashlib.sha256(msgspec.json.encode(found, order="deterministic")).hexdigest()


@cache
def running() -> str:
    """The digest of the running program, as of the first call."""
    return digest_of(manifest())
