"""Which server has each shared table of a house, by the leases; and handing a table over."""

from collections.abc import Collection

import msgspec
import sqlalchemy as sa

from wartable.server.records import schema
from wartable.server.records.database import METERS, brief, clock_ms
from wartable.server.records.table_leases import LEASE_MS, left

Owners = dict[str, str | None]
"""The server that has each shared table; None if any may open it."""


class _Setup(msgspec.Struct):
    """The part of a setup that tells who deals at a table."""

    staffed: bool


def shared(engine: sa.Engine) -> list[str]:
    """Every shared table."""
    tables, heads = schema.tables.c, schema.heads.c
    opened = sa.exists().where(heads.table_name == tables.name)
    which = sa.and_(~tables.name.contains("@"), tables.setup != METERS, opened)
    with engine.connect() as connection:
        return sorted(connection.execute(sa.select(tables.name).where(which)).scalars())


def staffed(engine: sa.Engine, name: str) -> bool:
    """Whether there is a shared table of that name with staff."""
    tables = schema.tables.c
    which = sa.and_(tables.name == name, tables.setup != METERS)
    with engine.connect() as connection:
        found = connection.execute(sa.select(tables.setup).where(which)).scalar()
    return found is not None and msgspec.json.decode(found, type=_Setup).staffed


def owners(engine: sa.Engine, names: Collection[str]) -> Owners:
    """The server that has each of these tables now."""
    tables = schema.tables.c
    with engine.connect() as connection:
        held = sa.and_(tables.name.in_(names), sa.not_(left(connection, clock_ms(connection))))
        found = connection.execute(sa.select(tables.name, tables.owner).where(held))
        return dict.fromkeys(names) | {each.name: each.owner for each in found}


def hand_over(engine: sa.Engine, owner: str, name: str, to: str, fence: int | None = None) -> bool:
    """Give the lease of a table to another server, if that one runs; return whether it has it.

    If `fence` is given, the lease must have it. It changes only when the other server opens the
    table.
    """
    tables, servers = schema.tables.c, schema.servers.c
    with brief(engine) as connection:
        now_ms = clock_ms(connection)
        runs = sa.exists().where(servers.name == to, servers.until_ms >= now_ms)
        ours = sa.and_(tables.name == name, tables.owner == owner, runs)
        if fence is not None:
            ours = sa.and_(ours, tables.fence == fence)
        values = {"owner": to, "lease_until_ms": now_ms + LEASE_MS}
        given = connection.execute(schema.tables.update().where(ours).values(values))
        return given.rowcount == 1
