"""A PostgreSQL cluster of the tests' own, in a temporary folder, on a free loopback port."""

import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from waiting import LIFE_S, WAIT_S, until

USER = "postgres"
LOCK_S = WAIT_S // 2
"""How long a statement waits for a lock: a test that holds one itself fails instead of hanging."""
PORTS = (20_000, 32_000)
"""Below those that the system hands out, so that a cluster that was killed finds its own again."""


def binaries() -> Path | None:
    """The folder of the server's programs, None where there is no PostgreSQL."""
    found = shutil.which("pg_ctl")
    if found:
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    return folders[-1].parent if folders else None


def free_port() -> int:
    """A port on loopback that nobody uses now, and that no connection will be given meanwhile."""
    while True:
        port = random.SystemRandom().randrange(*PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Cluster:
    """A cluster of its own in a folder, which can be killed and started again."""

    def __init__(self, folder: Path, made: bool = True) -> None:
        """`made` is False for a replica, whose data are a copy that somebody makes."""
        programs = binaries()
        assert programs is not None
        self._folder, self._programs, self.port = folder, programs, free_port()
        # PostgreSQL refuses to run as root: then it runs as its own system user.
        self._user = USER if os.geteuid() == 0 else None
        if self._user:
            owner = pwd.getpwnam(self._user)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        self.data = f"{folder}/data"
        self.address = f"postgresql://{USER}@127.0.0.1:{self.port}/postgres"
        if made:
            self._run(
                "initdb", "-D", self.data, "-U", USER, "--auth=trust", "--no-sync", "-E", "UTF8"
            )

    def _run(self, *words: str) -> None:
        subprocess.run(
            [str(self._programs / words[0]), *words[1:]],
            check=True,
            user=self._user,
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            timeout=LIFE_S,
        )

    def start(self) -> None:
        """Start it, recovering from whatever happened before."""
        options = self.options
        log = f"{self._folder}/log"
        wait = ("-w", "-t", str(WAIT_S))
        self._run("pg_ctl", "-D", self.data, "-l", log, *wait, "-o", options, "start")

    @property
    def options(self) -> str:
        """How its programs are started."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''"
        # Its machine never stops, only its processes do: what they wrote lasts without a sync.
        # And each of a hundred small databases would be vacuumed in turn.
        lasting = "-c fsync=off -c full_page_writes=off -c autovacuum=off"
        return f"{options} -c lock_timeout={LOCK_S}s {lasting}"

    def script(self, text: str, **values: str) -> None:
        """Run lines of a shell as the cluster's user, with its programs and these variables."""
        path = f"{self._programs}:{os.environ['PATH']}"
        environment = os.environ | {"PATH": path, "PGUSER": USER, "PGDATABASE": USER, **values}
        subprocess.run(
            ["sh", "-e", "-c", text],
            check=True,
            user=self._user,
            cwd=self._folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            timeout=LIFE_S,
        )

    def lives(self) -> bool:
        """Whether its first process runs."""
        lock = Path(self.data, "postmaster.pid")
        return lock.exists() and _lives(int(lock.read_text().split()[0]))

    def stop(self) -> None:
        """Stop it at once."""
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop")

    @contextmanager
    def stalled(self) -> Iterator[None]:
        """Stop all its processes where they are, and let them go on afterwards."""
        first = int(Path(self.data, "postmaster.pid").read_text().split()[0])
        os.kill(first, signal.SIGSTOP)  # so that it has no more children meanwhile
        family = [first, *_children(first)]
        try:
            for process in family[1:]:
                os.kill(process, signal.SIGSTOP)
            yield
        finally:
            for process in family:
                with suppress(ProcessLookupError):  # one that had ended is buried by the first
                    os.kill(process, signal.SIGCONT)

    def kill(self) -> None:
        """Kill its first process and all that this one started, without warning."""
        lock = Path(self.data, "postmaster.pid")
        first = int(lock.read_text().split()[0])
        os.kill(first, signal.SIGSTOP)  # so that it has no more children meanwhile
        family = [first, *_children(first)]
        for process in family:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        until(lambda: not any(map(_lives, family)), "the cluster does not die")
        # It holds nothing any more, but until it is buried the next start would think so.
        lock.unlink()


def _children(process: int) -> list[int]:
    return [
        int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()
    ]


def _lives(process: int) -> bool:
    """Whether the process runs; one that only waits to be buried does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@contextmanager
def running() -> Iterator[Cluster]:
    """A running cluster, which is stopped and removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="wartable-postgres-") as folder:
        found = Cluster(Path(folder))
        found.start()
        try:
            yield found
        finally:
            found.stop()


@contextmanager
def cluster() -> Iterator[str]:
    """The address of a running cluster."""
    with running() as found:
        yield found.address
