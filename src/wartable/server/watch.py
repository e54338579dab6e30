"""What an administrator watches: servers, tables, rates, latencies, the database and replicas."""

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from typing import Literal

import msgspec
import sqlalchemy as sa

from wartable.server.metrics import BOUNDS_S, Metrics, MetricTotals
from wartable.server.records import servers
from wartable.server.records.pulse import Pulse
from wartable.server.records.servers import ServerShown
from wartable.server.tables.floor import Floor
from wartable.table.commands import Milliseconds

LOOK_S = 1
"""How often the counters are read."""
LOOKS_MAX = 60
"""How many readings are kept: rates and latencies cover the last minute."""

_REPLICAS = (
    "SELECT coalesce(nullif(application_name, ''), host(client_addr), '') AS name,"
    " coalesce(state, 'hidden from this role') AS state,"
    " CAST(extract(epoch FROM replay_lag) * 1000 AS bigint) AS lag_ms,"
    " CAST(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) AS bigint) AS behind_bytes"
    " FROM pg_stat_replication ORDER BY 1"
)
_POSTGRES_BYTES = "SELECT pg_database_size(current_database())"
_SQLITE_BYTES = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"


class Rates(msgspec.Struct, frozen=True):
    """What happened in each second of the last minute, and how long a commit took at most.

    `commit_p50_ms` is the time within which half of the commits ended; None if there were none, or
    if it is above the longest time that the counters distinguish.
    """

    commands: float
    refused: float
    requests: float
    commits: float
    commit_p50_ms: float | None
    commit_p99_ms: float | None


class ReplicaShown(msgspec.Struct, frozen=True):
    """A replica of the database, and how far it is behind."""

    name: str
    state: str
    lag_ms: int | None
    behind_bytes: int | None


class DatabaseShown(msgspec.Struct, frozen=True):
    """The database: whether it answers, its size, and its replicas."""

    kind: Literal["sqlite", "postgresql"]
    answers: bool
    bytes: int
    replicas: tuple[ReplicaShown, ...] = ()


class TableShown(msgspec.Struct, frozen=True):
    """A shared table, and the server that has it."""

    name: str
    server: str
    guests: int
    watching: int
    rounds: int


class Watched(msgspec.Struct, frozen=True):
    """The house as an administrator watches it; `private` counts the open private tables."""

    at_ms: Milliseconds
    server: str
    """The server that has the house."""
    servers: tuple[ServerShown, ...]
    tables: tuple[TableShown, ...]
    private: int
    connections: int
    rates: Rates
    database: DatabaseShown


class Watch:
    """Looks at the counters every second, and at the database when somebody asks."""

    def __init__(self, engine: sa.Engine, metrics: Metrics, pulse: Pulse) -> None:
        self._engine, self._metrics, self._pulse = engine, metrics, pulse
        self.of_each: dict[str, Mapping[str, float]] = {}
        """The metrics of each server and replica, as of the last look."""
        self._looks: deque[tuple[float, MetricTotals]] = deque(maxlen=LOOKS_MAX + 1)

    async def look(self) -> None:
        """Remember the totals counted until now."""
        self._looks.append((time.monotonic(), self._metrics.totals()))

    async def look_at_servers(self) -> None:
        """Remember what the servers report, so that metrics do not wait for the database."""
        self.of_each = await asyncio.to_thread(self._gauges)

    def _gauges(self) -> dict[str, Mapping[str, float]]:
        found: dict[str, Mapping[str, float]] = {**servers.gauges(self._engine)}
        if not found:  # a SQLite file has neither other servers nor replicas
            return {}
        with self._engine.connect() as connection:
            known = [each for each in _replicas(connection) if each.behind_bytes is not None]
        found["replica_lag_seconds"] = {each.name: (each.lag_ms or 0) / 1000 for each in known}
        found["replica_behind_bytes"] = {each.name: each.behind_bytes or 0 for each in known}
        return found

    def rates(self) -> Rates:
        """The rates of the last minute, or since the house opened."""
        now = (time.monotonic(), self._metrics.totals())
        before = self._looks[0] if self._looks else now
        passed_s = max(now[0] - before[0], LOOK_S)
        earlier, later = before[1], now[1]
        commits = [n - m for n, m in zip(later.commits, earlier.commits, strict=True)]
        return Rates(
            (later.accepted - earlier.accepted) / passed_s,
            (later.refused - earlier.refused) / passed_s,
            (later.requests - earlier.requests) / passed_s,
            sum(commits) / passed_s,
            _within_ms(commits, 0.5),
            _within_ms(commits, 0.99),
        )

    async def now(self, at_ms: int, server: str, floor: Floor) -> Watched:
        """The house now, with its tables, of which this server has those on its floor."""
        places = list(floor.places.values())
        shown = [
            TableShown(
                place.live.setup.name,
                server,
                len(place.live.state.guests),
                len(place.live.listeners),
                place.live.state.rounds,
            )
            for place in places
            if place.owner is None
        ]
        for listed, where, _ in floor.seen_elsewhere():
            card = listed.card
            guests = card.guests + card.bots
            shown.append(TableShown(card.name, where, guests, card.watching, card.rounds))
        database, running = await asyncio.to_thread(self._read)
        private = len(places) - len(shown)
        connections = sum(len(place.live.listeners) for place in places)
        rest = (private, connections, self.rates(), database)
        return Watched(at_ms, server, tuple(running), tuple(shown), *rest)

    def _read(self) -> tuple[DatabaseShown, list[ServerShown]]:
        answers = self._pulse.beats and not self._pulse.stalls
        with self._engine.connect() as connection:
            if connection.dialect.name == "sqlite":
                size = connection.exec_driver_sql(_SQLITE_BYTES).scalar_one()
                return DatabaseShown("sqlite", answers, size), []
            size = connection.exec_driver_sql(_POSTGRES_BYTES).scalar_one()
            replicas = _replicas(connection)
        running = servers.running(self._engine)
        return DatabaseShown("postgresql", answers, size, replicas), running


def _replicas(connection: sa.Connection) -> tuple[ReplicaShown, ...]:
    """The replicas of the database that are connected."""
    return tuple(ReplicaShown(*each) for each in connection.exec_driver_sql(_REPLICAS))


def _within_ms(commits: list[int], part: float) -> float | None:
    """The time within which this part of the commits ended."""
    total, counted = sum(commits), 0
    for bound_s, count in zip(BOUNDS_S, commits, strict=False):
        counted += count
        if total and counted >= total * part:
            return bound_s * 1000
    return None
