"""What counts towards limits, kept beside the key so that a house reads only newer rows again."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
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

CHAINS_AT_ONCE = 100
"""How many chains are read together."""

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


class NewSum(msgspec.Struct, frozen=True):
    """What the rows of a chain after a known one moved by day, and who acted in which minutes."""

    table: str
    after: Head
    head: Head
    moved: list[tuple[int, Transfer]]
    acted: list[tuple[str, int]]


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
    rows, transfers = schema.journal.c, schema.transfers.c
    for some in later_in(heads, kept.heads):
        moved: dict[tuple[str, int], list[Transfer]] = {}
        for each in source.execute(sa.select(schema.transfers).where(some(transfers))):
            one = Transfer(each.source, each.target, each.amount)
            moved.setdefault((each.table_name, each.number), []).append(one)
        query = sa.select(rows.table_name, rows.number, rows.hash, rows.at_ms, rows.actor)
        found: Any = source.execute(query.where(some(rows)).order_by(rows.table_name, rows.number))
        for each in found:
            name, number = each.table_name, each.number
            sums = tuple(moved.get((name, number), ()))
            yield NewRow(name, number, each.hash, each.at_ms, each.actor, sums)


def sums(
    source: sa.Connection,
    heads: dict[str, Head],
    known: dict[str, Head],
    day_ms: int,
    minute_ms: int,
) -> list[NewSum]:
    """The sums of all rows after the known ones, which the database adds up chain by chain."""
    rows, transfers = schema.journal.c, schema.transfers.c
    found = {
        name: NewSum(name, known.get(name, START), head, [], [])
        for name, head in heads.items()
        if head[0] > known.get(name, START)[0]
    }
    row_of = sa.and_(rows.table_name == transfers.table_name, rows.number == transfers.number)
    day, minute = rows.at_ms // day_ms, rows.at_ms // minute_ms
    what = (transfers.table_name, day, transfers.source, transfers.target)
    both = schema.transfers.join(schema.journal, row_of)
    for some in later_in(heads, known):
        query = sa.select(*what, sa.func.sum(transfers.amount)).select_from(both)
        for name, on, from_, to, amount in source.execute(
            query.where(some(transfers)).group_by(*what)
        ):
            found[name].moved.append((int(on), Transfer(from_, to, int(amount))))
        acted = sa.select(rows.table_name, rows.actor, minute).where(some(rows)).distinct()
        for name, actor, at in source.execute(acted):
            found[name].acted.append((actor, int(at)))
    return list(found.values())


Later = Callable[[Any], sa.ColumnElement[bool]]
"""A condition on the columns of a table: rows of some chains after the known ones."""


def later_in(heads: dict[str, Head], known: dict[str, Head]) -> Iterator[Later]:
    """Conditions for the rows after the known ones of all chains that have any, some at a time."""
    changed = [
        (name, known.get(name, START)[0])
        for name, head in heads.items()
        if head[0] > known.get(name, START)[0]
    ]
    for begin in range(0, len(changed), CHAINS_AT_ONCE):
        yield partial(_after, changed[begin : begin + CHAINS_AT_ONCE])


def _after(chains: list[tuple[str, int]], columns: Any) -> sa.ColumnElement[bool]:
    return sa.or_(
        *(sa.and_(columns.table_name == name, columns.number > after) for name, after in chains)
    )
