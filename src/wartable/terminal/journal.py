"""The file of one sitting: written and synced before anything is shown, folded again later.

The first line is the header, every other line one command with the events that it caused. A
line that a crash cut short was never shown, so it is dropped when the sitting resumes.
"""

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

if sys.platform != "win32":
    import fcntl

from wartable.proof import Digest
from wartable.refusal import Unusable
from wartable.table import Command, Event
from wartable.table.older import OlderCommand

FILE_BYTES_MAX = 256 * 2**20
OPEN = "open"
ENDED = "ended"
SUFFIX = ".jsonl"


class SittingHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The start of a sitting; `master` seeds bots, own seeds and repeatable shuffles."""

    book: str
    digest: str
    options: dict[str, str]
    limits: tuple[int, int] | None
    table: str
    visitor: str
    boxes: tuple[int, ...]
    bots: int
    bankroll: int
    master: Digest
    repeatable: bool
    started_ms: int
    format: Literal["wartable-sitting-1"] = "wartable-sitting-1"


class JournalLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command, its time, and the events that it caused."""

    at_ms: int
    command: Command | OlderCommand
    events: tuple[Event, ...]


class JournalError(Unusable):
    """A sitting that cannot be read or saved; the sentence says why."""

    kind = "journal"


_entry = msgspec.json.Decoder(JournalLine)
_header = msgspec.json.Decoder(SittingHeader)


def folder() -> Path:
    """The user's state directory, where sittings and shoes are kept."""
    base = os.environ.get("XDG_STATE_HOME", "")
    # A relative path would scatter sittings over the user's working directories.
    root = Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "state"
    return root / "wartable"


class Journal:
    """One sitting's file, locked by this process; without a path nothing is kept."""

    def __init__(self, path: Path | None, descriptor: int = -1, size: int = 0) -> None:
        self.path = path
        self._descriptor = descriptor
        self._size = size

    def append(self, entries: Sequence[JournalLine]) -> None:
        """Write the entries and wait until they are on the disk; all of them or `JournalError`."""
        if self.path is None or not entries:
            return
        data = b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries)
        try:
            _write_all(self._descriptor, data)
            os.fsync(self._descriptor)
        except OSError as error:
            with contextlib.suppress(OSError):  # a partial line was never shown
                os.ftruncate(self._descriptor, self._size)
            raise JournalError(f"{self.path} cannot be written: {error.strerror}.") from None
        self._size += len(data)

    def finish(self) -> None:
        """Move the file of a finished sitting to where it is not offered again."""
        if self.path is None:
            return
        target = self.path.parent.parent / ENDED / self.path.name
        make_folder(target.parent)
        self.path.rename(target)
        sync_folder(target.parent)
        sync_folder(self.path.parent)
        self.path = target

    def close(self) -> None:
        """Release the file for other processes."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def make_folder(path: Path) -> None:
    """Make a folder that only its user can read, since it holds an open shoe's seed."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def sync_folder(path: Path) -> None:
    """Wait until the folder's names are on the disk, if the system can sync a folder."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_file(path: Path, data: bytes) -> None:
    """Replace a whole file: write beside it, sync, rename; only its user can read it."""
    make_folder(path.parent)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        _write_all(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    beside.replace(path)
    sync_folder(path.parent)


def create(header: SittingHeader, root: Path) -> Journal:
    """The file of a new sitting, under a new name."""
    data = msgspec.json.encode(header) + b"\n"
    place = root / OPEN
    try:
        make_folder(place)
        path = _free_name(root, f"{header.started_ms // 1000}-{header.table}")
        write_file(path, data)
        return Journal(path, _hold(path), len(data))
    except OSError as error:
        raise JournalError(f"{place} cannot be written: {error.strerror}.") from None


def _free_name(root: Path, name: str) -> Path:
    number = 1
    while True:
        path = root / OPEN / (name + (f"-{number}" if number > 1 else "") + SUFFIX)
        if not path.exists() and not (root / ENDED / path.name).exists():
            return path
        number += 1


def _hold(path: Path) -> int:
    """The file, opened for appending and locked against other processes."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        if sys.platform != "win32":
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise JournalError("This sitting is open in another terminal.") from None
    return descriptor


def unfinished(root: Path) -> list[Path]:
    """The files of unfinished sittings, newest first."""
    return sorted((root / OPEN).glob(f"*{SUFFIX}"), reverse=True)


def read_header(path: Path) -> SittingHeader:
    """The header of a sitting's file."""
    try:
        with path.open("rb") as file:
            return _header.decode(file.readline())
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error.strerror}.") from None
    except msgspec.DecodeError:
        raise JournalError(f"{path} is not the file of a sitting.") from None


def resume(path: Path) -> tuple[Journal, SittingHeader, list[JournalLine]]:
    """A sitting's file, locked again, and its content; an unfinished last line is cut off."""
    header = read_header(path)
    descriptor = _hold(path)
    try:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise JournalError(f"{path} is larger than {FILE_BYTES_MAX} bytes.")
        data = path.read_bytes()
        entries, good = _entries(path, data)
        if good < len(data):
            os.ftruncate(descriptor, good)
            os.fsync(descriptor)
    except OSError as error:
        os.close(descriptor)
        raise JournalError(f"{path} cannot be read: {error.strerror}.") from None
    except JournalError:
        os.close(descriptor)
        raise
    return Journal(path, descriptor, good), header, entries


def _entries(path: Path, data: bytes) -> tuple[list[JournalLine], int]:
    """The entries, and how many bytes of the file are complete."""
    entries: list[JournalLine] = []
    good = data.index(b"\n") + 1
    lines = data[good:].splitlines(keepends=True)
    for number, line in enumerate(lines, 2):
        try:
            if not line.endswith(b"\n"):
                break
            entries.append(_entry.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError):
            if number <= len(lines):
                raise JournalError(f"{path} is damaged in line {number}.") from None
            break
        good += len(line)
    return entries, good
