"""PostgreSQL with a synchronous replica, and a failover, by the steps of docs/operate.md."""

import random
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from operate_page import blocks
from postgres import Cluster
from several_servers import (
    OPEN,
    SECRET,
    WAITS,
    Json,
    Player,
    Server,
    SharedPlayer,
    all_play_on,
    check,
)
from waiting import WAIT_S, until
from wartable.server.audit import verify
from wartable.server.records import database
from wartable.server.records.keys import HouseKey
from wartable.server.records.servers import running

pytestmark = pytest.mark.slow("starts a database with a replica, and kills it")

SECTION = "PostgreSQL with a replica and a failover"
PAUSE_S = 0.2
SHARED = "online 1"
FAILOVERS, FAILOVERS_DEEP = 1, 5
LAG = "wartable_replica_lag_seconds"
BEHIND = "wartable_replica_behind_bytes"


class Databases:
    """A primary and its replica; who is lost comes back as the replica of the other."""

    def __init__(self, folder: Path) -> None:
        places = [folder / "first", folder / "second"]
        for place in places:
            place.mkdir()
        folder.chmod(0o755)  # for the user who runs PostgreSQL
        self.primary, self.replica = Cluster(places[0]), Cluster(places[1], made=False)
        self._steps = iter(blocks(SECTION, "sh"))
        next(self._steps)  # where the machines are, which is said below
        self._copy, self._wait, address, self._promote = self._steps
        self.primary.start()
        hosts = f"127.0.0.1:{self.primary.port},127.0.0.1:{self.replica.port}"
        written = address.partition("'")[2].partition("'")[0]
        assert "wartable@192.0.2.10,192.0.2.14/wartable" in written
        self.address = written.replace("192.0.2.10,192.0.2.14", hosts)
        with psycopg.connect(self.primary.address, autocommit=True) as connection:
            connection.execute("CREATE ROLE wartable LOGIN IN ROLE pg_monitor")
            connection.execute("CREATE DATABASE wartable OWNER wartable")

    def _run(self, step: str) -> None:
        """Run a step of the page as it is written, at these machines."""
        # Of several on one machine, each has a port of its own.
        options = self.replica.options.replace("''", '""')
        started = f"--options '{options}' --log log --wait start"
        step = step.replace("--wait start", started)
        self.replica.script(
            step,
            primary=f"127.0.0.1 port={self.primary.port}",
            replica=f"127.0.0.1 port={self.replica.port}",
            data=self.replica.data,
        )

    def replicate(self) -> None:
        """Make the replica, and have commits wait for it."""
        copying = self._copy
        if self.ask(self.primary, "SELECT 1 FROM pg_roles WHERE rolname = 'replicator'"):
            copying = copying.partition("\n")[2]  # it was copied, too
            shutil.rmtree(self.replica.data)
        self._run(copying)
        self._run(self._wait)

    def fail_over(self) -> None:
        """Lose the primary, and promote the replica."""
        self.primary.kill()
        self._run(self._promote)
        self.primary, self.replica = self.replica, self.primary

    def stop(self) -> None:
        """Stop whatever runs."""
        for each in (self.primary, self.replica):
            if each.lives():
                each.stop()

    def ask(self, cluster: Cluster, query: str) -> Any:
        """The answer of a cluster to a question."""
        with psycopg.connect(cluster.address, autocommit=True) as connection:
            row = connection.execute(query.encode()).fetchone()
        return None if row is None else row[0]


@pytest.fixture
def databases() -> Iterator[Databases]:
    """A primary with a synchronous replica."""
    with tempfile.TemporaryDirectory(prefix="wartable-failover-") as folder, ExitStack() as ending:
        found = Databases(Path(folder))
        ending.callback(found.stop)
        found.replicate()
        until(lambda: _synchronous(found), "the replica is not synchronous")
        yield found


def _synchronous(found: Databases) -> bool:
    state = "SELECT sync_state FROM pg_stat_replication WHERE application_name = 'replica'"
    return bool(found.ask(found.primary, state) == "sync")


@contextmanager
def signed_in(server: Server, first: Server) -> Iterator[httpx.Client]:
    """An administrator."""
    password = (first.folder / "data" / "admin-password").read_text().strip()
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=WAIT_S) as http:
        signing = {"name": "admin", "password": password}
        token = http.post("/sign-in", json=signing).raise_for_status().json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        yield http


def replicas(http: httpx.Client) -> list[Json]:
    """The replicas as an administrator sees them."""
    found: list[Json] = http.get("/staff/servers").raise_for_status().json()["database"]["replicas"]
    return found


def metric(http: httpx.Client, name: str) -> float | None:
    """A metric of the replica; None if there is none."""
    for line in http.get("/metrics").raise_for_status().text.splitlines():
        if line.startswith(f'{name}{{replica="replica"}} '):
            return float(line.rpartition(" ")[2])
    return None


def pause() -> None:
    """Wait before the same address asks again: it may not ask without end."""
    time.sleep(0.2)


def the_lag_is_shown(databases: Databases, http: httpx.Client, player: Player) -> None:
    """It grows while the replica does not replay, and is gone once it has caught up."""
    (found,) = replicas(http)
    assert (found["name"], found["state"]) == ("replica", "streaming")
    databases.ask(databases.replica, "SELECT pg_wal_replay_pause()")
    until(
        lambda: (
            databases.ask(databases.replica, "SELECT pg_get_wal_replay_pause_state()") == "paused"
        ),
        "it does not pause",
    )
    player.wait_rounds(1)
    until(lambda: (metric(http, BEHIND) or 0) > 0, "no bytes behind", pause)
    until(lambda: (metric(http, LAG) or 0) > 0, "no lag", pause)
    (found,) = replicas(http)
    assert found["behind_bytes"] > 0
    assert found["lag_ms"] > 0
    told_ms, behind = found["lag_ms"], found["behind_bytes"]
    player.wait_rounds(1)
    until(lambda: replicas(http)[0]["lag_ms"] > told_ms, "the lag does not grow", pause)
    assert replicas(http)[0]["behind_bytes"] > behind
    databases.ask(databases.replica, "SELECT pg_wal_replay_resume()")
    until(lambda: replicas(http)[0]["behind_bytes"] <= behind, "it does not catch up", pause)


def test_a_failover_loses_nothing_that_was_told(
    tmp_path: Path, databases: Databases, deep: bool
) -> None:
    """Players play, the primary dies, the replica is promoted, and they play on."""
    with ExitStack() as ending:
        engine = database.engine_for(databases.address)
        ending.callback(engine.dispose)
        servers = [Server(tmp_path / name, databases.address, False) for name in ("one", "two")]
        for server in servers:
            ending.callback(server.end)
            server.start()
            server.wait_said(OPEN if server is servers[0] else WAITS)
        until(lambda: len(running(engine)) == len(servers), "not all servers are entered")
        players = [Player(servers, random.Random(1)), SharedPlayer(servers, random.Random(2))]
        for player, book in zip(players, ("online", SHARED), strict=True):
            ending.callback(player.leave)
            player.pause_s = PAUSE_S
            player.come(servers[0], book)
        threads = [threading.Thread(target=each.play_on, daemon=True) for each in players]
        for thread in threads:
            thread.start()
        with signed_in(servers[1], servers[0]) as http:
            the_lag_is_shown(databases, http, players[0])
        failovers = FAILOVERS_DEEP if deep else FAILOVERS
        for number in range(failovers):
            all_play_on(players)
            databases.fail_over()
            engine.dispose()  # its connections were to the other one
            all_play_on(players)
            for player in players:
                player.tell_longest(f"failover {number}")
            if number + 1 < failovers:
                databases.replicate()
                until(lambda: _synchronous(databases), "the replica is not synchronous")
        for player, thread in zip(players, threads, strict=True):
            player.enough.set()
            thread.join(WAIT_S)
            assert player.failure is None
            check(engine, player)
        with signed_in(servers[0], servers[0]) as http:
            assert replicas(http) == [], "the one that is lost"
            assert metric(http, LAG) is None
        verify.verify(engine, HouseKey(SECRET))
        assert sum(database.balances(engine).values()) == 0
