"""What counts towards limits, kept beside the key so that a house reads only newer rows again."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sa

from wartable.money import Transfer
from wartable.server.records import schema, sealed
from wartable.server.records.chain import START, Head
from wartable.server.records.keys import HouseKey

FILE = "counted"
"""The name of the file in the house's folder; it is sealed, and proves nothing."""

KEEP_S = 300
"""How often an open house saves it: after a kill it reads what was written since."""

ByDay = dict[int, int]


class CountedPlay(msgspec.Struct, frozen=True):
    """What was counted for each player by day, up to these heads of all chains.

    For each player: losses, deposits and minutes, and the last minute that was counted.
    """

    heads: dict[str, Head]
    players: dict[str, tuple[ByDay, ByDay, ByDay, int]]


class NewRow(msgspec.Struct, frozen=True):
    """A row that is not counted yet, with its transfers."""

    table: str
    number: int
    hash: str
    at_ms: int
    actor: str
    transfers: tuple[Transfer, ...]


def read(folder: Path, key: HouseKey) -> CountedPlay | None:
    """What the house saved; None if there is nothing of this house."""
    data = sealed.recall(folder / FILE, key, FILE)
    with suppress(msgspec.DecodeError):
        return None if data is None else msgspec.json.decode(data, type=CountedPlay)
    return None


def write(folder: Path, key: HouseKey, counted: CountedPlay) -> None:
    """Save what was counted, in place of what was saved before."""
    sealed.keep(folder / FILE, key, msgspec.json.encode(counted), FILE)


def continues(source: sa.Connection, heads: dict[str, Head], kept: CountedPlay) -> bool:
    """Whether the journal still has every row that was counted."""
    rows = schema.journal.c
    for name, (number, hash_) in kept.heads.items():
        if heads.get(name) != (number, hash_):
            query = sa.select(rows.hash).where(rows.table_name == name, rows.number == number)
            if source.execute(query).scalar() != hash_:
                return False
    return True


def newer(source: sa.Connection, heads: dict[str, Head], kept: CountedPlay) -> Iterator[NewRow]:
    """The rows after those that were counted, chain by chain."""
    rows, transfers = schema.journal.c, schema.transfers
    for name in heads:
        after = kept.heads.get(name, START)[0]
        if heads[name][0] == after:
            continue
        moved: dict[int, list[Transfer]] = {}
        after_it = sa.and_(transfers.c.table_name == name, transfers.c.number > after)
        for each in source.execute(sa.select(transfers).where(after_it)):
            moved.setdefault(each.number, []).append(
                Transfer(each.source, each.target, each.amount)
            )
        query = sa.select(rows.number, rows.hash, rows.at_ms, rows.actor)
        later = query.where(rows.table_name == name, rows.number > after).order_by(rows.number)
        found: Any = source.execute(later)
        for each in found:
            sums = tuple(moved.get(each.number, ()))
            yield NewRow(name, each.number, each.hash, each.at_ms, each.actor, sums)
