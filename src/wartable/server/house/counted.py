"""What counts towards limits, kept beside the key so that a house reads only newer rows again."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sa

from wartable.money import Transfer
from wartable.server.records import database, schema, sealed
from wartable.server.records.connections import COUNTING
from wartable.server.records.counting import DAY_MS, MINUTE_MS, Play, moved, read_play, stored_play
from wartable.server.records.journal import START, Head
from wartable.server.records.keys import HouseKey
from wartable.table import PLATFORM

FILE = "counted"
"""The name of the file in the house's folder; it is sealed, and proves nothing."""

KEEP_S = 300
"""How often an open house saves it; after a kill, it reads what was written since."""

NOBODY = ""
"""The account under which tables are stored that were not opened since the upgrade."""
CHAINS_AT_ONCE = 100
"""How many chains are read together."""


class CountedPlay(msgspec.Struct, frozen=True):
    """What was counted for each player, up to these heads of all chains."""

    heads: dict[str, Head]
    players: dict[str, Play]


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
) -> list[NewSum]:
    """The sums of all rows after the known ones, which the database adds up chain by chain."""
    rows, transfers = schema.journal.c, schema.transfers.c
    found = {
        name: NewSum(name, known.get(name, START), head, [], [])
        for name, head in heads.items()
        if head[0] > known.get(name, START)[0]
    }
    row_of = sa.and_(rows.table_name == transfers.table_name, rows.number == transfers.number)
    day, minute = rows.at_ms // DAY_MS, rows.at_ms // MINUTE_MS
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


def moved_by_day(source: sa.Connection, since_ms: int) -> Iterator[tuple[str, int, Transfer]]:
    """What all rows since then moved between two accounts, by chain and day."""
    rows, transfers = schema.journal.c, schema.transfers.c
    row_of = sa.and_(rows.table_name == transfers.table_name, rows.number == transfers.number)
    day = (rows.at_ms // DAY_MS).label("day")
    what = (transfers.table_name, day, transfers.source, transfers.target)
    query = sa.select(*what, sa.func.sum(transfers.amount))
    query = query.select_from(schema.transfers.join(schema.journal, row_of))
    for name, on, from_, to, amount in source.execute(
        query.where(rows.at_ms >= since_ms).group_by(transfers.table_name, "day", *what[2:])
    ):
        yield name, int(on), Transfer(from_, to, int(amount))


def minutes_of(source: sa.Connection, since_ms: int) -> Iterator[tuple[str, int]]:
    """The people who acted in each minute since then, without the platform."""
    rows = schema.journal.c
    acted = sa.select(rows.actor, (rows.at_ms // MINUTE_MS).label("minute")).distinct()
    for actor, minute in source.execute(
        acted.where(rows.at_ms >= since_ms, rows.actor != PLATFORM)
    ):
        yield actor, int(minute)


def begin(engine: sa.Engine, account: str, known: CountedPlay) -> None:
    """Begin to count an account in every transaction, unless that has begun.

    The initial value is what was counted here up to the known heads, plus the rows after them. No
    row is written meanwhile.
    """
    play = known.players[account]
    with database.brief(engine) as connection:
        _hold(connection)
        stored = schema.counted
        if connection.execute(sa.select(stored).where(stored.c.account == account)).first():
            return
        chains = schema.heads.c.table_name
        concerned = sa.or_(~chains.contains("@"), chains.endswith(f"@{account}", autoescape=True))
        found = connection.execute(sa.select(schema.heads).where(concerned))
        heads = {each.table_name: (each.number, each.hash) for each in found}
        for row in newer(connection, heads, known):
            if row.actor == account:
                play.act(row.at_ms // MINUTE_MS)
            for player, lost, deposited in moved(row.table, row.transfers):
                if player == account:
                    play.move(row.at_ms // DAY_MS, lost, deposited)
        play.forget(max((*play.lost, *play.deposited), default=0))
        connection.execute(stored.insert().values(account=account, play=stored_play(play)))


def _hold(connection: sa.Connection) -> None:
    """Keep every server from writing a row until the end of this transaction."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(COUNTING)))


def concerns(chain: str, account: str) -> bool:
    """Whether an account's money may move in a chain: not at another player's private table."""
    return "@" not in chain or chain.endswith(f"@{account}")


def stored_of(engine: sa.Engine, account: str) -> Play | None:
    """What all servers together have counted for an account; None if it is not counted."""
    play, of = schema.counted.c.play, schema.counted.c.account
    with engine.connect() as connection:
        found = connection.execute(sa.select(play).where(of == account)).scalar()
    return None if found is None else read_play(found)


def expose(engine: sa.Engine, table: str, fence: int, amounts: dict[str, int]) -> None:
    """Store what others may stake for players at a table that opens, if it is not stored already.

    The rows of the table keep it up to date from then on. Older versions stored nothing.
    """
    exposed, tables = schema.exposed, schema.tables.c
    here = exposed.c.table_name == table
    with database.brief(engine) as connection:
        ours = sa.select(tables.fence).where(tables.name == table).with_for_update(read=True)
        found = connection.execute(sa.select(exposed).where(here, exposed.c.amount > 0))
        if {each.account: each.amount for each in found} == amounts:
            return
        if connection.execute(ours).scalar() == fence:
            connection.execute(exposed.delete().where(here))
            rows = [
                {"account": account, "table_name": table, "amount": amount}
                for account, amount in amounts.items()
            ]
            if rows:
                connection.execute(exposed.insert(), rows)


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
