"""How a house is run, and that no other process opens it."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec

from wartable.croupier import PRIVATE, Timing
from wartable.refusal import Unusable
from wartable.rules import NAMES

STOP_S = 10
SELFCHECK_S = 24 * 60 * 60
"""How often a running house checks itself."""


Money = Literal["play", "deposited"]
"""What is played for: money that the house gives away, or that was paid in and can be paid out."""


class Config(msgspec.Struct, frozen=True):
    """How a house is run."""

    folder: Path
    database: str = ""
    books: tuple[str, ...] = NAMES
    money: Money = "play"
    """The one kind of money that is played with: play money must never become any other."""
    operator: str = "Wartable"
    inscribed: bool = True
    """Whether the felt says what wagers pay; where it does not, a sign beside it must."""
    shared: Timing = Timing()
    private: Timing = PRIVATE
    stop_s: float = STOP_S
    origins: tuple[str, ...] = ()
    secure: bool = False
    reality_minutes: int = 60
    messages_per_s: int = 50
    guests_per_minute: int = 120
    attempts_per_minute: int = 60
    requests_per_s: int = 50
    connections_per_address: int = 200
    bots: bool = True
    shared_meters: bool = True
    approve: str = ""
    """Why the program is approved as it is at this start; empty to compare it with what was."""
    selfcheck_s: float = SELFCHECK_S


class HouseProblem(Unusable):
    """Why the house cannot open, as a sentence."""

    kind = "house"


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say which file it is that cannot be written: the system names only one that is opened."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def lock(folder: Path) -> int:
    """Hold the folder, so that no second process opens the same house."""
    handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise HouseProblem(
            f"the house in {folder} is open in another process; close it first."
        ) from None
    return handle


def owner_id(folder: Path) -> str:
    """Whose leases this house's are: the same after every restart, so that none must run out."""
    path = folder / "owner"
    if not path.exists():
        with writing(path):
            path.write_text(os.urandom(8).hex())
    return path.read_text().strip()
