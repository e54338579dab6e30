"""Hand connections over to another server of this house on the same machine.

A connection that was handed over costs its first server nothing more, and does not end with that
server. A message on a socket in a folder that only the house can open has the connection, the same
first line as a carried one, and what its client has sent already.
"""

import asyncio
import os
import socket
from array import array
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from wartable.server.carrying import LINE_BYTES_MAX, Carrier, first_line, read_first_line
from wartable.server.logs import LOG

EARLY_BYTES_MAX = 32_768
"""How much a client may have sent before it is handed over; one that sent more is carried."""
FULL_S = 0.5
"""How long to wait for a server that must accept other connections first."""
AGAIN_S = 0.005

Take = Callable[[bytes, str], asyncio.Protocol]
"""A function that makes the protocol of a connection that comes with these bytes and this trace."""


class Transport(Protocol):
    """The parts of a client's connection that handing it over uses."""

    def get_extra_info(self, name: str) -> Any:
        """The socket, or the client's address."""

    def is_closing(self) -> bool:
        """Whether the client is gone."""

    def pause_reading(self) -> None:
        """Stop reading here."""

    def abort(self) -> None:
        """Drop the connection here."""


class Neighbors:
    """The other servers of this house on this machine, to and from which connections are handed."""

    def __init__(self, folder: Path, carrier: Carrier, name: str, ours: Collection[str]) -> None:
        """`name` is this server's, and `ours` are all the names that it answers to."""
        folder.mkdir(exist_ok=True, mode=0o700)
        # Sockets are named through the open folder, as a path may have only about a hundred bytes.
        self._folder = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        self._carrier, self._name, self._ours = carrier, name, ours
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._taking: set[asyncio.Task[Any]] = set()

    def _path(self, name: str) -> str:
        return f"/proc/self/fd/{self._folder}/{name}"

    def begin(self, take: Take) -> None:
        """Accept what the others hand over."""
        with suppress(FileNotFoundError):  # left by a process that was killed
            os.unlink(self._name, dir_fd=self._folder)
        self._socket.bind(self._path(self._name))
        asyncio.get_running_loop().add_reader(self._socket, self._come, take)

    def close(self) -> None:
        """Accept no more; from now on the others carry their connections to this server."""
        asyncio.get_running_loop().remove_reader(self._socket)
        with suppress(FileNotFoundError):
            os.unlink(self._name, dir_fd=self._folder)
        self._socket.close()
        os.close(self._folder)

    async def wait_closed(self) -> None:
        """Wait for the connections that are being accepted, as a closed server does."""
        await asyncio.gather(*self._taking, return_exceptions=True)

    async def hand(self, transport: Transport, to: str, early: bytes, trace: str) -> bool:
        """Hand a connection over to that server; False if it must be carried there instead."""
        way, client = self._carrier.way(to), transport.get_extra_info("peername")
        if way is None or client is None or len(early) > EARLY_BYTES_MAX:
            return False
        transport.pause_reading()
        name, loop = self._carrier.name_of(to), asyncio.get_running_loop()
        said = first_line(self._carrier.key, way[0], client[:2], trace) + early
        until_s = loop.time() + FULL_S
        while not transport.is_closing():
            try:
                handle = transport.get_extra_info("socket").fileno()
                with_it = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [handle]))]
                # Not by socket.send_fds, which forgets the address before Python 3.12.
                self._socket.sendmsg([said], with_it, 0, self._path(name))
            except BlockingIOError:
                if loop.time() >= until_s:
                    return False
                await asyncio.sleep(AGAIN_S)
                continue
            except OSError:  # it has ended, or takes nothing handed over
                return False
            LOG.info("handed over", extra={"trace": trace, "to": name})
            transport.abort()
            break
        return True

    def _come(self, take: Take) -> None:
        """Accept a connection that another server has handed over."""
        most = LINE_BYTES_MAX + 1 + EARLY_BYTES_MAX
        try:
            message, handles, _, _ = socket.recv_fds(self._socket, most, 1)
        except BlockingIOError:
            return
        line, _, early = message.partition(b"\n")
        said = read_first_line(self._carrier.key, self._ours, line)
        if said is None or not handles:
            LOG.warning("connection refused", extra={"code": "not_ours"})
            for handle in handles:
                os.close(handle)
            return
        client = socket.socket(fileno=handles[0])
        client.setblocking(False)
        loop = asyncio.get_running_loop()
        making = loop.connect_accepted_socket(lambda: take(early, said.trace), client)
        task = asyncio.ensure_future(making)
        self._taking.add(task)
        task.add_done_callback(self._taken)

    def _taken(self, task: asyncio.Task[Any]) -> None:
        """Log that a connection was accepted, or that its client left meanwhile."""
        self._taking.discard(task)
        if not task.cancelled() and (problem := task.exception()) is not None:
            LOG.warning("connection lost", extra={"error": type(problem).__name__})
