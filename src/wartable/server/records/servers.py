"""The servers of a house on PostgreSQL: each enters itself, and finds the one that has the house.

Nobody without the house's key can enter a server, so nobody leads connections elsewhere.
"""

import hmac
import threading
from collections.abc import Callable
from contextlib import suppress

import msgspec
import sqlalchemy as sa

from wartable import __version__
from wartable.server.logs import LOG
from wartable.server.records import schema
from wartable.server.records.database import clock_ms
from wartable.server.records.keys import HouseKey

RENEW_S = 2
"""How often a server says that it runs."""
UNTIL_MS = 6_000
"""How long it counts as running after that, by the database's clock."""
FORGET_MS = 60 * 60_000
"""After how long a server that said nothing more is forgotten."""
END_S = 5
"""How long to wait for a statement that is under way when a server ends."""

_ENTER = (
    "INSERT INTO servers (name, address, code, version, connections, began_ms, until_ms)"
    " VALUES (:name, :address, :code, :version, :connections, :now_ms, :until_ms)"
    " ON CONFLICT (name) DO UPDATE SET address = excluded.address, code = excluded.code,"
    " version = excluded.version, connections = excluded.connections, until_ms = excluded.until_ms"
)


class Holder(msgspec.Struct, frozen=True):
    """The server that has the house: under which fence, and where others reach it.

    The address is empty while that is not known.
    """

    fence: int
    address: str = ""


class ServerShown(msgspec.Struct, frozen=True):
    """A server of the house as an administrator sees it."""

    name: str
    address: str
    version: str
    connections: int
    began_ms: int
    has_house: bool


def holder(engine: sa.Engine, key: HouseKey) -> Holder | None:
    """Who has the house now, by the database's clock; None if it is free."""
    lease, servers = schema.lease.c, schema.servers.c
    columns = (lease.owner, lease.fence, lease.until_ms, servers.address, servers.code)
    both = schema.lease.outerjoin(schema.servers, servers.name == lease.owner)
    with engine.connect() as connection:
        found = connection.execute(sa.select(*columns).select_from(both)).first()
        now_ms = clock_ms(connection)
    if found is None or found.owner is None or found.until_ms < now_ms:
        return None
    if found.address is None:
        return Holder(found.fence)
    if not hmac.compare_digest(found.code, _code(key, found.owner, found.address)):
        LOG.error("server not ours", extra={"reason": "its authentication code does not fit"})
        return Holder(found.fence)
    return Holder(found.fence, found.address)


def running(engine: sa.Engine) -> list[ServerShown]:
    """The servers that run, by name."""
    lease, servers = schema.lease.c, schema.servers.c
    both = schema.servers.outerjoin(schema.lease, servers.name == lease.owner)
    with engine.connect() as connection:
        now_ms = clock_ms(connection)
        query = sa.select(*servers, lease.until_ms.label("lease_ms")).select_from(both)
        found = connection.execute(query.where(servers.until_ms >= now_ms).order_by(servers.name))
        return [
            ServerShown(
                each.name,
                each.address,
                each.version,
                each.connections,
                each.began_ms,
                each.lease_ms is not None and each.lease_ms >= now_ms,
            )
            for each in found
        ]


def gauges(engine: sa.Engine) -> dict[str, dict[str, int]]:
    """The metrics of each server; none on SQLite, which has one server without a name."""
    if engine.dialect.name == "sqlite":
        return {}
    found = running(engine)
    return {
        "connections": {each.name: each.connections for each in found},
        "has_house": {each.name: int(each.has_house) for each in found},
    }


def _code(key: HouseKey, name: str, address: str) -> str:
    return key.alias(f"server {name} at {address}")


class Presence:
    """A server's entry among the servers, which a thread of its own keeps until it ends."""

    def __init__(
        self,
        engine: sa.Engine,
        key: HouseKey,
        name: str,
        address: str,
        connections: Callable[[], int],
    ) -> None:
        """Enter a server that others reach at this address."""
        self._engine, self._name, self._connections = engine, name, connections
        self._fixed = {
            "name": name,
            "address": address,
            "code": _code(key, name, address),
            "version": __version__,
        }
        self._ended = threading.Event()
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
        servers = schema.servers
        with self._engine.begin() as connection:
            now_ms = clock_ms(connection)
            times = {"now_ms": now_ms, "until_ms": now_ms + UNTIL_MS}
            counted = {"connections": self._connections()}
            connection.execute(sa.text(_ENTER), self._fixed | times | counted)
            gone = servers.c.until_ms < now_ms - FORGET_MS
            connection.execute(servers.delete().where(gone))

    def end(self) -> None:
        """Leave the servers; without a database the entry runs out by itself."""
        self._ended.set()
        self._thread.join(END_S)
        servers = schema.servers
        with suppress(sa.exc.SQLAlchemyError), self._engine.begin() as connection:
            connection.execute(servers.delete().where(servers.c.name == self._name))
