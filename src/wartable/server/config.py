"""The configuration of a house, and the lock that keeps other processes out."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from wartable.croupier import PRIVATE, Timing
from wartable.proof import ITERATIONS_MAX
from wartable.refusal import Unusable
from wartable.rules import NAMES
from wartable.rules.load import shipped_raw
from wartable.rules.model import Limits
from wartable.rules.raw import Raw
from wartable.rules.settings import HOUSE_LIMITS

STOP_S = 10
ANSWER_S = 2
"""How long a client waits for an answer while the database does not respond."""
ITERATIONS = 5_000_000
"""About three seconds of one core, so that nobody can try another list in a tenth of that time."""
SELFCHECK_S = 24 * 60 * 60
"""How often a running house checks itself."""


OWNER = "owner"
"""The name of the file in the house's folder that names the owner of its leases."""

Money = Literal["play", "deposited"]
"""The house's money: play money that it gives away, or deposits that can be withdrawn."""

LANGUAGES = ("en", "es")
"""The languages that the players' pages have texts in."""
LOCALE = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?")
CURRENCY = re.compile(r"[A-Z]{3}")
NO_HUNDREDTHS = {
    "BHD", "BIF", "CLP", "DJF", "GNF", "IQD", "ISK", "JOD", "JPY", "KMF", "KRW", "KWD", "LYD",
    "OMR", "PYG", "RWF", "TND", "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF",
}  # fmt: skip  # a list of codes
"""Currencies without hundredths, in which the records' amounts would mean something else."""


class Config(msgspec.Struct, frozen=True):
    """The configuration of a house."""

    folder: Path
    database: str = ""
    books: tuple[str, ...] = NAMES
    own: dict[str, Raw] = {}
    """The content of the house's own books, by their names, which are among `books` too."""
    limits: Limits = HOUSE_LIMITS
    """The limits of a table whose operator sets no others, and the ceiling of every wager."""
    money: Money = "play"
    """The house's one kind of money; play money must never become deposited money."""
    operator: str = "Wartable"
    locale: str = "en-US"
    """How the pages write figures, and their language if there are texts in it."""
    currency: str = "USD"
    """The currency whose sign the pages show; it must have hundredths."""
    layout: str = ""
    """The reference under which the layout of this house's tables was approved."""
    inscribed: bool = True
    """Whether the felt states what wagers pay; otherwise a sign beside it must."""
    shared: Timing = Timing()
    private: Timing = PRIVATE
    stop_s: float = STOP_S
    answer_s: float = ANSWER_S
    public: str = ""
    """The address that people open, such as https://table.example; empty to accept any."""
    origins: tuple[str, ...] = ()
    secure: bool = False
    proxies: tuple[str, ...] = ()
    """The proxies on other machines that are trusted to state where a request comes from."""
    reality_minutes: int = 60
    messages_per_s: int = 50
    guests_per_minute: int = 120
    attempts_per_minute: int = 60
    requests_per_s: int = 50
    connections_per_address: int = 200
    second_approval: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """The amount from which on two people must approve a meter's award."""
    bots: bool = True
    shared_meters: bool = True
    order: Literal["shoe", "after_bets"] = "shoe"
    """When the cards of shared tables are ordered: once a shoe, or after every "no more bets"."""
    iterations: Annotated[int, msgspec.Meta(ge=1, le=ITERATIONS_MAX)] = ITERATIONS
    """How long the order of a shared table's cards is calculated, in iterations."""
    approve: str = ""
    """The reason for approving the program at this start; empty to check the last approval."""
    selfcheck_s: float = SELFCHECK_S

    def content(self, book: str) -> Raw:
        """The content of a book that is played here."""
        return self.own[book] if book in self.own else shipped_raw(book)


class HouseProblem(Unusable):
    """The house cannot open; the sentence says why."""

    kind = "house"


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Name the file that cannot be written; the system names it only when it is opened."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def lock(path: Path) -> int:
    """Lock this file of a house, so that no second process opens the same one."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise HouseProblem(
            f"the house in {path.parent} is open in another process; close it first."
        ) from None
    return handle


def owner_id(folder: Path, lock: int) -> str:
    """The owner of this house's leases, the same after a restart so that they need not expire.

    A copy of the folder is another owner: its lock is another file, made at another time.
    """
    path, of = folder / OWNER, os.fstat(lock)
    here = f"{of.st_ino}-{of.st_ctime_ns}"
    known, _, made_for = path.read_text().strip().partition(" ") if path.exists() else ("", "", "")
    if made_for != here:
        # A file of an earlier version does not say which folder it was made for.
        known = known if known and not made_for else os.urandom(8).hex()
        with writing(path):
            path.write_text(f"{known} {here}")
    return known
