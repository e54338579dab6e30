"""Checkpoints: a table's sealed state after a row, so that a long journal need not be folded.

The journal alone is the record. Only the code that saved a checkpoint uses it, and only if its row
is in the journal. `audit verify` compares each checkpoint with the folded journal.
"""

import zlib
from contextlib import suppress

import msgspec
import sqlalchemy as sa
from cryptography.exceptions import InvalidTag

from wartable.server import manifest
from wartable.server.records import database, schema
from wartable.server.records.keys import HouseKey
from wartable.server.records.results import LastRound
from wartable.shoe import Shoe
from wartable.table import Table

ROWS = 5_000
"""The number of rows between checkpoints of a table."""


IDS_MAX = 1_024
"""How many of its latest ids a table can answer again, even after a restart."""


class Checkpoint(msgspec.Struct, frozen=True):
    """A table after a row, the time of its round's first wager, and its past for display."""

    number: int
    hash: str
    began_ms: int
    state: Table
    finished: tuple[Shoe, ...]
    last: tuple[LastRound, ...]


_ENCODE = msgspec.json.Encoder().encode
_CHECKPOINT = msgspec.json.Decoder(Checkpoint)


def keep(engine: sa.Engine, key: HouseKey, name: str, checkpoint: Checkpoint) -> None:
    """Save a checkpoint of a row in the journal, and delete those of other code."""
    code = manifest.running()
    kept = schema.checkpoints
    data = zlib.compress(_ENCODE(checkpoint))
    values = {
        "table_name": name,
        "number": checkpoint.number,
        "hash": checkpoint.hash,
        "rounds": checkpoint.state.rounds,
        "code": code,
        "sealed": key.seal(data, _place(name, checkpoint.number, code)),
    }
    with engine.begin() as connection:
        old = sa.or_(kept.c.code != code, kept.c.number == checkpoint.number)
        connection.execute(kept.delete().where(kept.c.table_name == name, old))
        connection.execute(kept.insert().values(values))


def latest(
    source: database.Queryable,
    key: HouseKey,
    name: str,
    before_round: int | None = None,
    before_row: int | None = None,
) -> Checkpoint | None:
    """The last valid checkpoint; None if there is none.

    With `before_round` it is from before that round began, with `before_row` at least two rows
    earlier.
    """
    kept, rows = schema.checkpoints, schema.journal
    same_row = [kept.c[each] == rows.c[each] for each in ("table_name", "number", "hash")]
    query = sa.select(kept).join_from(kept, rows, sa.and_(*same_row))
    query = query.where(kept.c.table_name == name, kept.c.code == manifest.running())
    if before_round is not None:
        query = query.where(kept.c.rounds < before_round)
    if before_row is not None:
        query = query.where(kept.c.number < before_row - 1)
    with database.reading(source) as connection:
        found = connection.execute(query.order_by(kept.c.number.desc()).limit(1)).first()
    return None if found is None else opened(key, found)


def stored(
    source: database.Queryable, name: str, after: int = 0
) -> dict[int, sa.Row[tuple[object, ...]]]:
    """A table's checkpoints after that row that this code would use, still sealed, by row."""
    kept = schema.checkpoints
    later = sa.and_(kept.c.table_name == name, kept.c.number > after)
    query = sa.select(kept).where(later, kept.c.code == manifest.running())
    with database.reading(source) as connection:
        return {each.number: each for each in connection.execute(query)}


def opened(key: HouseKey, kept: sa.Row[tuple[object, ...]]) -> Checkpoint | None:
    """The unsealed checkpoint; None if it is not the one that was saved there."""
    with suppress(InvalidTag, TypeError, ValueError, zlib.error, msgspec.DecodeError):
        place = _place(kept.table_name, kept.number, kept.code)
        found: Checkpoint = _CHECKPOINT.decode(zlib.decompress(key.unseal(kept.sealed, place)))
        if (found.number, found.hash, found.state.rounds) == (kept.number, kept.hash, kept.rounds):
            return found
    return None


def _place(name: str, number: int, code: str) -> str:
    """The place that a sealed checkpoint is bound to."""
    return f"checkpoint {code} {number} {name}"
