"""A PostgreSQL whose machine is gone without a goodbye is given up within the time of a lease."""

import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from queue import SimpleQueue

import psycopg
import pytest
import sqlalchemy as sa

from postgres import Cluster
from waiting import WAIT_S, ran
from wartable.server.records import database, postgres
from wartable.server.records.lease import LEASE_MS
from wartable.server.records.listening import OfficeListener
from wartable.server.records.postgres import Postgres, connected

NETWORK = f"wartable-{os.getpid()}"
OURS, THEIRS = "10.231.7.1", "10.231.7.2"


def patience_ms(handle: int) -> tuple[int, int]:
    """How long what was sent, and what is waited for, may have no sign of life; 0 for ever."""
    with socket.socket(fileno=os.dup(handle)) as found:

        def option(name: int) -> int:
            return found.getsockopt(socket.IPPROTO_TCP, name)

        silent_s = option(socket.TCP_KEEPINTVL) * option(socket.TCP_KEEPCNT)
        kept = found.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        waited_ms = (option(socket.TCP_KEEPIDLE) + silent_s) * 1_000 if kept else 0
        return option(socket.TCP_USER_TIMEOUT), waited_ms


def test_every_connection_is_given_up_in_time(
    postgres_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that write, read and listen: the system itself would wait for a quarter of an hour."""
    listening = SimpleQueue[psycopg.Connection]()

    def watched(address: str) -> psycopg.Connection:
        made = connected(address)
        listening.put(made)
        return made

    engine = database.engine_for(postgres_server)
    with ExitStack() as ending:
        ending.callback(engine.dispose)
        writing = ending.enter_context(closing(Postgres(postgres_server, None)))
        reading = ending.enter_context(closing(engine.raw_connection()))
        monkeypatch.setattr(postgres, "connected", watched)
        ending.callback(OfficeListener(postgres_server, lambda: None).end)
        heard = listening.get(timeout=WAIT_S)
        assert reading.driver_connection is not None
        for each in (writing.raw, reading.driver_connection, heard):
            assert all(0 < patience < LEASE_MS for patience in patience_ms(each.fileno()))


def test_an_address_may_say_it_itself(postgres_server: str) -> None:
    """What the operator sets holds, and the rest is as everywhere."""
    address = f"{postgres_server}?tcp_user_timeout=9000&keepalives_idle=7"
    engine = database.engine_for(address)
    with ExitStack() as ending:
        ending.callback(engine.dispose)
        writing = ending.enter_context(closing(Postgres(address, None)))
        reading = ending.enter_context(closing(engine.raw_connection()))
        assert reading.driver_connection is not None
        for each in (writing.raw, reading.driver_connection):
            assert patience_ms(each.fileno()) == (9_000, 10_000)


class FarCluster(Cluster):
    """A cluster on a machine of its own: in a network that a cable leads to."""

    def _run(self, *words: str) -> None:
        if words[0] == "initdb":
            super()._run(*words)
            Path(self.data, "pg_hba.conf").write_text("host all all 0.0.0.0/0 trust\n")
            return
        program = str(self._programs / words[0])
        user = ["setpriv", "--reuid", str(self._user), "--clear-groups"]
        within(*user, program, *words[1:], cwd=self._folder)

    @property
    def options(self) -> str:
        """How its programs are started."""
        return super().options.replace("127.0.0.1", THEIRS)


def within(*words: str, cwd: Path | None = None) -> None:
    """Run a command on the other machine; what it prints is not for us, as it may run on."""
    subprocess.run(
        ["ip", "netns", "exec", NETWORK, *words],
        check=True,
        cwd=cwd,
        stdout=subprocess.DEVNULL,
        timeout=WAIT_S,
    )


@contextmanager
def other_machine() -> Iterator[Callable[[], None]]:
    """A cable to a network of its own, and what cuts it."""
    ends = (f"ours{os.getpid()}", f"theirs{os.getpid()}")
    with ExitStack() as ending:
        if shutil.which("ip") is None or ran(["ip", "netns", "add", NETWORK]).returncode:
            pytest.skip("makes a network, which takes iproute2 and its rights")
        ending.callback(ran, ["ip", "netns", "del", NETWORK])
        made = ["ip", "link", "add", ends[0], "type", "veth", "peer", "name", ends[1]]
        ran([*made, "netns", NETWORK], check=True)
        ending.callback(ran, ["ip", "link", "del", ends[0]])
        ran(["ip", "addr", "add", f"{OURS}/30", "dev", ends[0]], check=True)
        ran(["ip", "link", "set", ends[0], "up"], check=True)
        within("ip", "addr", "add", f"{THEIRS}/30", "dev", ends[1])
        within("ip", "link", "set", ends[1], "up")
        yield lambda: within("ip", "link", "set", ends[1], "down")


def test_a_database_that_loses_its_power_is_given_up(deep: bool) -> None:
    """A statement that was sent, one that is waited for, and a new connection: each fails."""
    if not deep:
        pytest.skip("waits for five seconds; `make drill` runs it")
    with ExitStack() as ending:
        cut = ending.enter_context(other_machine())
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="wartable-gone-")))
        folder.chmod(0o755)  # for the user who runs PostgreSQL
        cluster = FarCluster(folder)
        cluster.start()
        ending.callback(cluster.kill)
        address = cluster.address.replace("127.0.0.1", THEIRS)
        engine = database.engine_for(address)
        ending.callback(engine.dispose)
        sent, waited = connected(address), connected(address)
        with engine.connect() as connection:
            connection.execute(sa.select(1))
        failed = SimpleQueue[type[Exception] | None]()

        def told(work: Callable[[], object]) -> None:
            try:
                work()
            except (psycopg.OperationalError, sa.exc.OperationalError) as problem:
                failed.put(type(problem))
            else:
                failed.put(None)

        def read() -> None:
            with engine.connect() as connection:
                connection.execute(sa.select(1))

        begun = threading.Thread(target=told, args=[lambda: waited.execute("SELECT pg_sleep(900)")])
        begun.start()
        asleep = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
        while sent.execute(asleep).fetchone() != (1,):
            pass
        cut()
        works = (lambda: sent.execute("SELECT 1"), read, lambda: connected(address))
        threads = [begun, *(threading.Thread(target=told, args=[work]) for work in works)]
        for thread in threads[1:]:
            thread.start()
        assert None not in [failed.get(timeout=WAIT_S) for _ in threads]
