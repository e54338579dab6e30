"""Carry connections to the server of this house that they belong to, byte by byte.

A client may connect to any server. What belongs to another server is carried there over a
connection of its own. Its first line names that server and the client's address, and has the
house's authentication code.
"""

import asyncio
import hmac
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import sqlalchemy as sa

from wartable.server.logs import LOG, TRACE, Way
from wartable.server.records import servers
from wartable.server.records.keys import HouseKey
from wartable.server.records.servers import Holder, Seen

LOOK_S = 0.25
"""How often a server checks which server has the house, and which servers run."""
CARRIED_MAX = 10_000
"""How many connections a server carries at a time."""
CONNECT_S = 2
REACH_S = 10
"""How long a client waits for the server that it is carried to."""
GOODBYE_S = 2
LINE_BYTES_MAX = 300

HOUSE = ""
"""The destination of connections for the server that has the house, whatever its name."""

ClientAddress = tuple[str, int]


class FirstLine(NamedTuple):
    """What the first line of a carried connection states: its client's address, and its trace."""

    client: ClientAddress
    trace: str


def first_line(key: HouseKey, to: str, client: ClientAddress, trace: str) -> bytes:
    """The first line of a carried connection: server, client's address, trace and code.

    A later version may add more before the code, which this version does not read.
    """
    said = f"{to} {client[0]} {client[1]} {trace}"
    return f"{said} {_code(key, said)}\n".encode()


def read_first_line(key: HouseKey, ours: Collection[str], line: bytes) -> FirstLine | None:
    """What a first line states; None if this house did not write it, or not for this server.

    `ours` are the names of this server: its own, and its fence if it has the house.
    """
    said, _, code = line.decode("ascii", "replace").rpartition(" ")
    if not hmac.compare_digest(code.encode(), _code(key, said).encode()):
        return None
    to, host, port, trace, *_ = said.split(" ")
    if to not in ours or not TRACE.fullmatch(trace):
        return None
    return FirstLine((host, int(port)), trace)


def _code(key: HouseKey, said: str) -> str:
    return key.alias(f"carried {said}")


class Carrier:
    """Knows where the servers of the house are, and carries connections to them."""

    def __init__(
        self, engine: sa.Engine, key: HouseKey, free: Callable[[], None] = lambda: None
    ) -> None:
        """A thread calls `free` repeatedly while no server has the house."""
        self._engine, self.key, self._free = engine, key, free
        self.holder: Holder | None = None
        self.servers: Mapping[str, str] = {}
        """The address of every server that runs, by its name."""
        self.connections: Mapping[str, int] = {}
        """How many connections each of those servers has."""
        self.carried: set[Near] = set()
        self._ended = threading.Event()

    def begin(self) -> None:
        """Begin to look in a thread, so that a database that hangs stops nothing else."""
        loop = asyncio.get_running_loop()
        looking = threading.Thread(target=self._look, args=(loop,), name="look", daemon=True)
        looking.start()

    def end(self) -> None:
        """Stop looking, and cut the carried connections."""
        self._ended.set()
        for each in list(self.carried):
            each.cut()

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        while not self._ended.is_set():
            try:
                found = servers.seen(self._engine, self.key)
                if found.holder is None:
                    self._free()
            except sa.exc.SQLAlchemyError as problem:
                LOG.warning("database not reached", extra={"error": type(problem).__name__})
            else:
                with suppress(RuntimeError):  # the loop may have ended meanwhile
                    loop.call_soon_threadsafe(self._saw, found)
            self._ended.wait(LOOK_S)

    def _saw(self, found: Seen) -> None:
        """Use what was seen from now on, and cut connections carried to a server that is gone."""
        holder, running, self.connections = found
        before = None if self.holder is None else self.holder.fence
        changed = holder is not None and holder.fence != before
        for each in list(self.carried):
            if changed if each.to == HOUSE else each.to not in running:
                each.cut(reached=True)
        self.holder, self.servers = holder, running

    def way(self, to: str) -> tuple[str, str] | None:
        """The name to send to that server first, and its address; None if it cannot be reached."""
        if to != HOUSE:
            address = self.servers.get(to)
            return (to, address) if address else None
        if self.holder is None or not self.holder.address:
            return None
        return str(self.holder.fence), self.holder.address

    def name_of(self, to: str) -> str:
        """The name of that server; for `HOUSE`, of the one that has the house, if it is known."""
        return to if to != HOUSE or self.holder is None else self.holder.name


class Near(asyncio.Protocol):
    """A client's connection to this server."""

    def __init__(
        self, carrier: Carrier, to: str = HOUSE, early: bytes = b"", trace: str = ""
    ) -> None:
        """`early` is what the client has sent already."""
        self._carrier, self.to = carrier, to
        self._trace = trace or Way().id
        self._early = early
        self.far: Far | None = None
        self._reaching: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a stream's
        """Start to connect to the other server."""
        self.transport = transport
        if len(self._carrier.carried) >= CARRIED_MAX:
            transport.abort()
            return
        self._carrier.carried.add(self)
        self._reaching = asyncio.ensure_future(self._reach())

    async def _reach(self) -> None:
        """Connect to the other server, wherever it runs by now."""
        loop = asyncio.get_running_loop()
        until_s, far, way = loop.time() + REACH_S, None, None
        while far is None:
            way = self._carrier.way(self.to)
            with suppress(OSError, TimeoutError):
                if way is not None:
                    host, _, port = way[1].rpartition(":")
                    async with asyncio.timeout(CONNECT_S):
                        connecting = loop.create_connection(partial(Far, self), host, int(port))
                        _, far = await connecting
                    continue
            if loop.time() >= until_s or (way is None and self.to != HOUSE):
                LOG.warning("not carried", extra={"trace": self._trace})
                self.transport.abort()
                return
            await asyncio.sleep(LOOK_S)
        client = self.transport.get_extra_info("peername")
        if way is None or client is None or self.transport.is_closing():
            far.transport.abort()
            return
        line = first_line(self._carrier.key, way[0], client[:2], self._trace)
        LOG.info("carried", extra={"trace": self._trace, "to": self._carrier.name_of(self.to)})
        far.transport.write(line + self._early)
        self._early, self.far = b"", far
        self.transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        """Pass on what the client sends; before the way is open, take one piece and no more."""
        if self.far is not None:
            self.far.transport.write(data)
        else:
            # Not sooner: uvloop begins to read only after the connection is made.
            self.transport.pause_reading()
            self._early += data

    def pause_writing(self) -> None:
        """Stop reading from the server while the client does not read."""
        if self.far is not None and not self.far.transport.is_closing():
            self.far.transport.pause_reading()

    def resume_writing(self) -> None:
        """Read on."""
        if self.far is not None and not self.far.transport.is_closing():
            self.far.transport.resume_reading()

    def connection_lost(self, _: Exception | None) -> None:
        """End the other half."""
        self._carrier.carried.discard(self)
        if self._reaching is not None:
            self._reaching.cancel()
        if self.far is not None:
            self.far.transport.close()

    def leave(self) -> None:
        """Send the client what is still waiting for it, and close."""
        self.transport.close()
        asyncio.get_running_loop().call_later(GOODBYE_S, self.transport.abort)

    def cut(self, reached: bool = False) -> None:
        """End the connection at once; with `reached` only one that has reached a server."""
        if self.far is not None:
            self.far.transport.abort()
        if self.far is not None or not reached:
            self.transport.abort()


class Far(asyncio.Protocol):
    """The other half of a carried connection, to the server that it belongs to."""

    def __init__(self, near: Near) -> None:
        self._near = near

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a stream's
        """Keep the connection to the other server."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Pass on what the other server sends."""
        self._near.transport.write(data)

    def pause_writing(self) -> None:
        """Stop reading from the client while the other server does not read."""
        if not self._near.transport.is_closing():
            self._near.transport.pause_reading()

    def resume_writing(self) -> None:
        """Read on."""
        if not self._near.transport.is_closing():
            self._near.transport.resume_reading()

    def connection_lost(self, _: Exception | None) -> None:
        """End the other half."""
        self._near.leave()
