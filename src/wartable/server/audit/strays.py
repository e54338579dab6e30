"""Strays: stored data that belongs to no chain, no table and no approval.

The chains are read through the database's indices. Somebody with access to the database could
install a false index, so a full run also counts without one.
"""

import hashlib
from collections.abc import Mapping

import msgspec
import sqlalchemy as sa

from wartable.rules.load import build
from wartable.server.audit.selfcheck import approved
from wartable.server.manifest import Manifest, digest_of
from wartable.server.records import database, schema, table_leases
from wartable.server.records.journal import Broken
from wartable.server.records.lease import LEASE_MS

_NUMBERED = (
    (schema.journal, schema.journal.c.number, "row"),
    (schema.transfers, schema.transfers.c.number, "transfers of row"),
    (schema.results, schema.results.c.round, "results of round"),
    (schema.checkpoints, schema.checkpoints.c.number, "a checkpoint of row"),
    (schema.heads, schema.heads.c.number, "a head of row"),
)
_OF_TABLES = (schema.results, schema.checkpoints)
"""The data that only tables have, not meters, the cashier or the office."""
_SCANS = ("enable_indexscan", "enable_indexonlyscan", "enable_bitmapscan")
SKEW_MS = 24 * 3_600_000
"""How far an auditor's clock may be behind the house's."""


def check(source: sa.Connection, tables: list[str], others: list[str]) -> None:
    """Check that everything with a number belongs to an existing chain, and counts from 1."""
    for table, number, what in _NUMBERED:
        known = {*tables} if table in _OF_TABLES else {*tables, *others}
        column = table.c.table_name
        first = sa.select(column, number).order_by(column, number).limit(1)
        found = source.execute(first).first()
        while found is not None:
            name, least = found
            if name not in known:
                raise Broken(None, f"{name} has rows, but there is no such table")
            if not isinstance(least, int) or least < 1:
                raise Broken(None, f"{name} has {what} {least}, which is not there")
            found = source.execute(first.where(column > name)).first()


def check_ends(source: sa.Connection, closed: Mapping[str, int]) -> None:
    """Check that nothing is behind the end of a chain, or behind a table's last closed round.

    A run that continues from a mark does not read chains without new rows, so this checks them all.
    """
    heads = schema.heads.c
    for table, number, what in _NUMBERED[:-1]:
        last = sa.select(sa.func.max(number)).where(table.c.table_name == heads.table_name)
        query = sa.select(heads.table_name, heads.number, last.scalar_subquery())
        for name, end, found in source.execute(query.order_by(heads.table_name)):
            most = closed.get(name, 0) if table is schema.results else end
            if found is not None and (not isinstance(found, int) or found > most):
                raise Broken(None, f"{name} has {what} {found}, which is not there")


def setups(source: sa.Connection) -> dict[str, str]:
    """A digest of each table's book and setup as they are stored."""
    tables = schema.tables.c
    stored = sa.select(tables.name, tables.book, tables.setup).order_by(tables.name)
    return {
        each.name: hashlib.sha256(msgspec.json.encode((each.book, each.setup))).hexdigest()
        for each in source.execute(stored)
    }


def check_kept(source: sa.Connection) -> None:
    """Check that every rule book and manifest matches its digest, and the approved one exists.

    Nothing else in them is used, so one that is not needed does no harm.
    """
    for each in source.execute(sa.select(schema.books).order_by(schema.books.c.digest)):
        if _digest_of_book(each.content) != each.digest:
            raise Broken(None, f"the rule book {each.digest[:12]} was changed")
    kept = set()
    for each in source.execute(sa.select(schema.manifests).order_by(schema.manifests.c.digest)):
        try:
            content = msgspec.json.decode(each.content, type=Manifest)
        except msgspec.DecodeError:
            content = {}
        if digest_of(content) != each.digest:
            raise Broken(None, f"the manifest {each.digest[:12]} was changed")
        kept.add(each.digest)
    for digest in approved(source):
        if digest not in kept:
            raise Broken(None, f"the manifest {digest[:12]}, which was approved, is missing")


def _digest_of_book(content: str) -> str | None:
    try:
        return build(msgspec.json.decode(content)).digest
    except (ValueError, KeyError, TypeError):  # not a book at all
        return None


def check_leases(source: sa.Connection) -> None:
    """Check that servers could have taken the leases: a forged one could keep the house closed."""
    now_ms, tables, lease = database.clock_ms(source), schema.tables.c, schema.lease.c
    of_tables = sa.select(tables.name, tables.fence, tables.lease_until_ms)
    leases = (
        (sa.select(sa.literal("the house"), lease.fence, lease.until_ms), LEASE_MS),
        (of_tables.order_by(tables.name), table_leases.LEASE_MS),
    )
    for query, most_ms in leases:
        for name, fence, until_ms in source.execute(query):
            if not isinstance(until_ms, int) or until_ms > now_ms + most_ms + SKEW_MS:
                late = f"the lease of {name} ends at {until_ms}, later than any server takes it"
                raise Broken(None, late)
            if not isinstance(fence, int) or not 0 <= fence < table_leases.FENCES_MAX:
                raise Broken(
                    None, f"the lease of {name} has the fence {fence}, which no server takes"
                )


def check_counts(source: sa.Connection, rows: int, transfers: int) -> None:
    """Check that there are exactly this many rows and transfers, without relying on an index."""
    sqlite = source.dialect.name == "sqlite"
    if not sqlite:
        for each in _SCANS:
            source.exec_driver_sql(f"SET LOCAL {each} = off")
    scan = "NOT INDEXED" if sqlite else ""
    for table, count in (("journal", rows), ("transfers", transfers)):
        query = sa.text(f"SELECT count(*) FROM {table} {scan}")
        found = source.execute(query).scalar_one()
        if found != count:
            raise Broken(None, f"the {table} has {found} rows, and the chains have {count}")
    twice = source.execute(
        sa.text(
            f"SELECT table_name, command_id FROM journal {scan}"
            " GROUP BY table_name, command_id HAVING count(*) > 1 LIMIT 1"
        )
    ).first()
    if twice is not None:
        raise Broken(None, f"{twice.table_name} has the id {twice.command_id} twice")
    if sqlite:
        problem = source.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one()
        if problem != "ok":
            raise Broken(None, f"the database's file is not sound: {problem}")
    else:
        for each in _SCANS:
            source.exec_driver_sql(f"SET LOCAL {each} = on")
