"""The writing processes of the tests' houses, forked from one that has everything imported.

A house starts a process that commits. It does little but import, and hundreds of houses are opened:
a third of the processor time of a house was for that. A test of the program itself starts its own.
"""

import gc
import os
import select
import signal
import socket
import subprocess
import sys
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import pytest

from waiting import RUN_S, living
from wartable.server.records import committing, writer

NUMBER_BYTES = 4
started_as_program = writer.started
"""Starts a writing process as a house does outside of the tests."""


class ForkedProcess:
    """A process that is not our child, with what a server asks of its writing process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._ends = os.pidfd_open(pid)
        self._closed = weakref.finalize(self, os.close, self._ends)

    def poll(self) -> int | None:
        """0 once it has ended; None before."""
        return 0 if select.select([self._ends], [], [], 0)[0] else None

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended."""
        if not select.select([self._ends], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("writing process", timeout or 0)
        return 0

    def send_signal(self, which: int) -> None:
        """Send a signal, unless it has ended."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._ends, which)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


class Forks:
    """The process that writing processes are forked from, started when the first is needed."""

    def __init__(self) -> None:
        self._side: socket.socket | None = None
        self._open = ExitStack()

    def started(self, theirs: socket.socket) -> ForkedProcess:
        """A new writing process at the other end of this socket."""
        if self._side is None:
            self._side, end = socket.socketpair()
            with end:
                forking = subprocess.Popen(
                    [sys.executable, __file__, str(end.fileno())],
                    pass_fds=[end.fileno()],
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,
                )
            self._open.enter_context(living(forking, RUN_S))
            self._open.enter_context(self._side)
        socket.send_fds(self._side, [b"."], [theirs.fileno()])
        return ForkedProcess(int.from_bytes(self._side.recv(NUMBER_BYTES)))

    def close(self) -> None:
        """Let the process end, once nobody forks from it any more."""
        self._open.close()


@contextmanager
def forked() -> Iterator[None]:
    """Fork the writing processes of houses that are opened here."""
    forks = Forks()
    writer.started = forks.started
    try:
        yield
    finally:
        writer.started = started_as_program
        forks.close()


@pytest.fixture(scope="session", autouse=True)
def _forked_writers() -> Iterator[None]:
    """Fork all writing processes of this worker."""
    with forked():
        yield


def fork(side: socket.socket) -> None:
    """Fork a writing process for each socket that comes, until nobody is there to send one."""
    with suppress(ImportError):
        from wartable.server.records import postgres  # noqa: F401, PLC0415  # needs an extra

    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever asked waits for the process itself
    while (found := socket.recv_fds(side, 1, 1))[0]:
        pid = os.fork()
        if pid == 0:
            side.close()
            _write(found[1][0])
        os.close(found[1][0])
        side.sendall(pid.to_bytes(NUMBER_BYTES))


def _write(number: int) -> None:
    """Be a writing process, as if it had been started as a program; end with it."""
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        with suppress(OSError), socket.socket(fileno=number) as server_side:
            committing.serve(server_side)
    finally:
        os._exit(0)


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as asking:
        fork(asking)
