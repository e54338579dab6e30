"""Sealed files in a house's folder, which save work the next time and can be deleted."""

import threading
import zlib
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidTag

from wartable.server.records.keys import HouseKey, write_secret

_TURN = threading.Lock()
"""Held while a file is replaced, as two threads would use the same temporary file."""


def keep(path: Path, key: HouseKey, data: bytes, place: str) -> None:
    """Replace a file with one that only this key opens, and only for this place."""
    new = path.with_name(path.name + ".new")
    with _TURN:
        new.unlink(missing_ok=True)
        write_secret(new, key.seal(zlib.compress(data), place))
        new.rename(path)


def recall(path: Path, key: HouseKey, place: str) -> bytes | None:
    """What was saved; None if nothing was saved with this key for this place."""
    with suppress(OSError, InvalidTag, ValueError, zlib.error):
        return zlib.decompress(key.unseal(path.read_text(), place))
    return None
