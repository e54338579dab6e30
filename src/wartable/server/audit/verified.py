"""The verified mark: the state of the records when they were last verified, to continue from.

It is kept outside of the database and sealed with the house's key, so somebody who can only write
to the database can neither read nor forge it. It is bound to the heads of all chains, and to the
tables, balances, meters and rights after those rows.
"""

import zlib
from contextlib import suppress
from pathlib import Path

import msgspec

from wartable.server import manifest
from wartable.server.house.rights import Rights
from wartable.server.records import sealed
from wartable.server.records.checkpoints import Checkpoint
from wartable.server.records.journal import Head
from wartable.server.records.keys import HouseKey
from wartable.server.tables.meters import Values

FILE = "verified"
"""The name of the file in the house's folder."""


class VerifiedMark(msgspec.Struct):
    """What was verified up to the heads of all chains, with the time of each chain's last row.

    Tables and rights are packed, because there may be thousands.
    """

    at_ms: int = 0
    heads: dict[str, Head] = {}
    times: dict[str, int] = {}
    tables: dict[str, bytes] = {}
    balances: dict[str, int] = {}
    meters: dict[str, tuple[int, Values]] = {}
    """The number of the last row of shared meters, and what they show."""
    rights: bytes = b""
    setups: dict[str, str] = {}
    """A digest of how each table's book and setup are stored."""
    rounds: dict[str, int] = {}
    """How many rounds each table has closed."""
    exposed: dict[str, dict[str, int]] = {}
    """What others may still stake for players, for each table where that is not zero."""
    sets: dict[str, tuple[str, ...]] = {}
    """The sets of cards that each table uses, where there are any."""

    def table(self, name: str) -> Checkpoint:
        """A table at the mark."""
        return _CHECKPOINT.decode(zlib.decompress(self.tables[name]))

    def keep_table(self, name: str, checkpoint: Checkpoint) -> None:
        """Keep the state of a table."""
        self.tables[name] = zlib.compress(msgspec.json.encode(checkpoint))

    def known_rights(self) -> Rights:
        """The rights, closures and cards by the office's rows."""
        return _RIGHTS.decode(self.rights) if self.rights else Rights()

    def keep_rights(self, rights: Rights) -> None:
        """Keep the rights by the office's rows."""
        self.rights = msgspec.msgpack.encode(rights)


_RIGHTS = msgspec.msgpack.Decoder(Rights)
_CHECKPOINT = msgspec.json.Decoder(Checkpoint)


def read(folder: Path, key: HouseKey) -> VerifiedMark | None:
    """The house's verified mark; None if there is none of this house and this code."""
    data = sealed.recall(folder / FILE, key, _place())
    with suppress(msgspec.DecodeError):
        return None if data is None else msgspec.json.decode(data, type=VerifiedMark)
    return None


def write(folder: Path, key: HouseKey, mark: VerifiedMark) -> None:
    """Replace the saved mark with this one."""
    sealed.keep(folder / FILE, key, msgspec.json.encode(mark), _place())


def _place() -> str:
    """The place that the seal is bound to; under other code, every row is decided again."""
    return f"{FILE} {manifest.running()}"
