"""A PostgreSQL cluster of the tests' own, in a temporary folder, on a free loopback port."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = "postgres"


def binaries() -> Path | None:
    """The folder of the server's programs, None where there is no PostgreSQL."""
    found = shutil.which("pg_ctl")
    if found:
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    return folders[-1].parent if folders else None


def free_port() -> int:
    """A port on loopback that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def cluster() -> Iterator[str]:
    """The address of a running cluster, which is stopped and removed afterwards."""
    programs = binaries()
    assert programs is not None
    # PostgreSQL refuses to run as root: then it runs as its own system user.
    user = USER if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="wartable-postgres-") as folder:
        if user:
            owner = pwd.getpwnam(user)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        data, port = f"{folder}/data", free_port()

        def run(*words: str) -> None:
            subprocess.run(
                [str(programs / words[0]), *words[1:]],
                check=True,
                user=user,
                cwd=folder,
                stdout=subprocess.DEVNULL,
            )

        run("initdb", "-D", data, "-U", USER, "--auth=trust", "--no-sync", "-E", "UTF8")
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1"
        run("pg_ctl", "-D", data, "-l", f"{folder}/log", "-w", "-o", options, "start")
        try:
            yield f"postgresql://{USER}@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
