"""The servers of a house on PostgreSQL: each enters itself, and finds the one that has the house.

Nobody can enter a server without the house's key, so connections cannot be diverted.
"""

import hmac
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple

import msgspec
import sqlalchemy as sa

from wartable import __version__
from wartable.server import manifest
from wartable.server.logs import LOG
from wartable.server.records import schema
from wartable.server.records.database import METERS, brief, clock_ms
from wartable.server.records.keys import HouseKey

RENEW_S = 2
"""How often a server renews its entry."""
UNTIL_MS = 6_000
"""How long it counts as running after a renewal, by the database's clock."""
FORGET_MS = 60 * 60_000
"""How long after its last renewal an entry is deleted."""
END_S = 5
"""How long to wait for a statement that is under way when a server ends."""

_ENTER = (
    "INSERT INTO servers (name, address, code, version, connections, began_ms, until_ms)"
    " VALUES (:name, :address, :code, :version, :connections, :now_ms, :until_ms)"
    " ON CONFLICT (name) DO UPDATE SET address = excluded.address, code = excluded.code,"
    " version = excluded.version, connections = excluded.connections, until_ms = excluded.until_ms"
)

_SIGNED = (schema.servers.c.name, schema.servers.c.address, schema.servers.c.version)
"""What a server's authentication code covers; the version includes its program's digest."""


class Holder(msgspec.Struct, frozen=True):
    """The server that has the house: its fence, the address where others reach it, and its name.

    The address is empty while it is not known.
    """

    fence: int
    address: str = ""
    name: str = ""


class Seen(NamedTuple):
    """The server that has the house, and by name the address and connections of every running one.

    A server that no table may go to has no address.
    """

    holder: Holder | None
    running: Mapping[str, str]
    connections: Mapping[str, int] = MappingProxyType({})


class ServerShown(msgspec.Struct, frozen=True):
    """A server of the house as an administrator sees it."""

    name: str
    address: str
    version: str
    connections: int
    began_ms: int
    has_house: bool
    tables: int = 0
    """How many tables it has open."""
    program: str = ""
    """The digest of the program that it runs."""


def seen(engine: sa.Engine, key: HouseKey) -> Seen:
    """The server that has the house by the database's clock, and the servers that run.

    The holder is None if the house is free.
    """
    lease, servers = schema.lease.c, schema.servers.c
    with engine.connect() as connection:
        now_ms = clock_ms(connection)
        held = connection.execute(sa.select(lease.owner, lease.fence, lease.until_ms)).first()
        columns = (*_SIGNED, servers.code, servers.connections)
        found = connection.execute(sa.select(*columns).where(servers.until_ms >= now_ms)).all()
    running, counts = dict[str, str](), dict[str, int]()
    for name, address, version, code, count in found:
        if hmac.compare_digest(code, _code(key, name, address, version)):
            running[name], counts[name] = address, count
        else:
            LOG.error("server not ours", extra={"reason": "its authentication code does not fit"})
    if held is None or held.owner is None or held.until_ms < now_ms:
        return Seen(None, running, counts)
    return Seen(Holder(held.fence, running.get(held.owner, ""), held.owner), running, counts)


def running(engine: sa.Engine) -> list[ServerShown]:
    """The servers that run, by name."""
    lease, servers = schema.lease.c, schema.servers.c
    both = schema.servers.outerjoin(schema.lease, servers.name == lease.owner)
    with engine.connect() as connection:
        now_ms = clock_ms(connection)
        query = sa.select(*servers, lease.until_ms.label("lease_ms")).select_from(both)
        found = connection.execute(query.where(servers.until_ms >= now_ms).order_by(servers.name))
        tables = schema.tables.c
        held = sa.select(tables.owner, sa.func.count()).where(tables.setup != METERS)
        owned = connection.execute(held.group_by(tables.owner))
        counts = {str(each[0]): int(each[1]) for each in owned}
        return [
            ServerShown(
                each.name,
                each.address,
                each.version.partition("+")[0],
                each.connections,
                each.began_ms,
                each.lease_ms is not None and each.lease_ms >= now_ms,
                counts.get(each.name, 0),
                each.version.partition("+")[2],
            )
            for each in found
        ]


def gauges(engine: sa.Engine) -> dict[str, dict[str, int]]:
    """The metrics of each server; none on SQLite, which has one server without a name."""
    if engine.dialect.name == "sqlite":
        return {}
    found = running(engine)
    return {
        "server_connections": {each.name: each.connections for each in found},
        "server_has_house": {each.name: int(each.has_house) for each in found},
        "server_tables": {each.name: each.tables for each in found},
    }


def _code(key: HouseKey, name: str, address: str, version: str) -> str:
    return key.alias(f"server {name} at {address} runs {version}")


class Presence:
    """A server's entry among the servers, which a thread of its own keeps until it ends."""

    def __init__(
        self,
        engine: sa.Engine,
        key: HouseKey,
        name: str,
        address: str,
        connections: Callable[[], int],
        takes: Callable[[], bool] = lambda: True,
    ) -> None:
        """Enter a server, with this address while it takes tables."""
        self._engine, self._key, self._name = engine, key, name
        self._connections, self._takes = connections, takes
        self._address = address
        self._version = f"{__version__}+{manifest.running()}"
        self._ended = threading.Event()
        self._entered_s = time.monotonic()
        self._enter()
        self._thread = threading.Thread(target=self._keep, name="presence", daemon=True)
        self._thread.start()

    def _keep(self) -> None:
        while not self._ended.wait(RENEW_S):
            try:
                self._enter()
            except sa.exc.SQLAlchemyError as problem:
                LOG.warning("server not entered", extra={"error": type(problem).__name__})

    def _enter(self) -> None:
        servers, began_s = schema.servers, time.monotonic()
        signed = (self._name, self._address if self._takes() else "", self._version)
        with brief(self._engine) as connection:
            now_ms = clock_ms(connection)
            times = {"now_ms": now_ms, "until_ms": now_ms + UNTIL_MS}
            values = {
                "name": signed[0],
                "address": signed[1],
                "code": _code(self._key, *signed),
                "version": signed[2],
                "connections": self._connections(),
            }
            connection.execute(sa.text(_ENTER), values | times)
            gone = servers.c.until_ms < now_ms - FORGET_MS
            connection.execute(servers.delete().where(gone))
        self._entered_s = began_s

    @property
    def silent(self) -> bool:
        """Whether the entry was not renewed for so long that others may have its tables."""
        return time.monotonic() - self._entered_s > UNTIL_MS / 1000

    def end(self) -> None:
        """End the entry, so that others may take its tables; without a database it expires."""
        if self._ended.is_set():
            return
        self._ended.set()
        self._thread.join(END_S)
        servers = schema.servers
        with suppress(sa.exc.SQLAlchemyError), brief(self._engine) as connection:
            ours = servers.update().where(servers.c.name == self._name)
            connection.execute(ours.values(until_ms=0))
