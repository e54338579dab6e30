"""Carry connections to the server that has the house, byte by byte.

A server without the house takes connections all the same. Each is carried over a connection of its
own, whose first line says where the client is, and carries the house's authentication code.
"""

import asyncio
import hmac
import signal
import socket
import threading
from contextlib import suppress
from functools import partial

import sqlalchemy as sa

from wartable.server.logs import LOG
from wartable.server.records import servers
from wartable.server.records.keys import HouseKey
from wartable.server.records.servers import Holder

LOOK_S = 0.25
"""How often a server without the house looks who has it."""
CARRIED_MAX = 10_000
"""How many connections a server carries at a time."""
CONNECT_S = 2
REACH_S = 10
"""How long a client waits for a server that has the house."""
GOODBYE_S = 2
LINE_BYTES_MAX = 200
BACKLOG = 2_048
ENDING = (signal.SIGTERM, signal.SIGINT)
"""The signals that end a server."""

ClientAddress = tuple[str, int]


def first_line(key: HouseKey, fence: int, client: ClientAddress) -> bytes:
    """The first line of a carried connection: for whom, from where, and the code of that."""
    said = f"{fence} {client[0]} {client[1]}"
    return f"{said} {_code(key, said)}\n".encode()


def client_of(key: HouseKey, fence: int, line: bytes) -> ClientAddress | None:
    """Where the client of a carried connection is; None if this house did not write the line."""
    said, _, code = line.decode("ascii", "replace").rpartition(" ")
    if not hmac.compare_digest(code.encode(), _code(key, said).encode()):
        return None
    shown, host, port = said.split(" ")
    return (host, int(port)) if int(shown) == fence else None


def _code(key: HouseKey, said: str) -> str:
    return key.alias(f"carried {said}")


class Carrier:
    """Takes connections, and carries them to the server that has the house."""

    def __init__(self, engine: sa.Engine, key: HouseKey, listening: socket.socket) -> None:
        self._engine, self.key, self._listening = engine, key, listening
        self.holder: Holder | None = None
        self.carried: set[Near] = set()
        self._found = asyncio.Event()
        self._free = self._told = False

    async def run(self) -> bool:
        """Carry until the house is free, or a signal; return whether it is free."""
        loop, ended = asyncio.get_running_loop(), threading.Event()
        looking = threading.Thread(target=self._look, args=(loop, ended), name="look", daemon=True)
        for kind in ENDING:
            loop.add_signal_handler(kind, self._end)
        looking.start()
        taking: asyncio.Server | None = None
        try:
            while not self._free and not self._told:
                await self._found.wait()
                self._found.clear()
                # Until somebody has the house, connections wait to be taken.
                if taking is None and self.holder is not None and self.holder.address:
                    taking = await loop.create_server(
                        partial(Near, self), sock=self._listening.dup(), backlog=BACKLOG
                    )
        finally:
            ended.set()
            if taking is not None:
                taking.close()
            for each in list(self.carried):
                each.cut()
            for kind in ENDING:
                loop.remove_signal_handler(kind)
        return self._free and not self._told

    def _look(self, loop: asyncio.AbstractEventLoop, ended: threading.Event) -> None:
        """Look who has the house, in a thread: a database that hangs stops nothing else."""
        while not ended.wait(LOOK_S):
            try:
                found = servers.holder(self._engine, self.key)
            except sa.exc.SQLAlchemyError as problem:
                LOG.warning("database not reached", extra={"error": type(problem).__name__})
                continue
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(self._saw, found)

    def _saw(self, found: Holder | None) -> None:
        """Go on with what was seen; what was carried under another fence is over."""
        if found is None:
            self._free = True
        elif self.holder is None or found.fence != self.holder.fence:
            for each in list(self.carried):
                each.cut(reached=True)
        self.holder = found
        self._found.set()

    def _end(self) -> None:
        self._told = True
        self._found.set()


class Near(asyncio.Protocol):
    """A client's connection to this server."""

    def __init__(self, carrier: Carrier) -> None:
        self._carrier = carrier
        self._early = b""
        """What the client said before the other server was reached."""
        self.far: Far | None = None
        self._reaching: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a stream's
        """Reach the server that has the house."""
        self.transport = transport
        if len(self._carrier.carried) >= CARRIED_MAX:
            transport.abort()
            return
        self._carrier.carried.add(self)
        self._reaching = asyncio.ensure_future(self._reach())

    async def _reach(self) -> None:
        """Connect to the server that has the house, whichever that is by then."""
        loop = asyncio.get_running_loop()
        until_s, far = loop.time() + REACH_S, None
        while far is None:
            holder = self._carrier.holder
            with suppress(OSError, TimeoutError):
                if holder is not None and holder.address:
                    host, _, port = holder.address.rpartition(":")
                    async with asyncio.timeout(CONNECT_S):
                        connecting = loop.create_connection(partial(Far, self), host, int(port))
                        _, far = await connecting
                    continue
            if loop.time() >= until_s:
                self.transport.abort()
                return
            await asyncio.sleep(LOOK_S)
        client = self.transport.get_extra_info("peername")
        if holder is None or client is None or self.transport.is_closing():
            far.transport.abort()
            return
        line = first_line(self._carrier.key, holder.fence, client[:2])
        far.transport.write(line + self._early)
        self._early, self.far = b"", far
        self.transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        """Hand on what the client sends; before there is a way, take one piece and no more."""
        if self.far is not None:
            self.far.transport.write(data)
        else:
            # Not sooner: uvloop begins to read only after the connection is made.
            self.transport.pause_reading()
            self._early += data

    def pause_writing(self) -> None:
        """Read no more for a client that does not read."""
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
        """Send the client what is left for it, and close."""
        self.transport.close()
        asyncio.get_running_loop().call_later(GOODBYE_S, self.transport.abort)

    def cut(self, reached: bool = False) -> None:
        """End the connection at once; with `reached` only one that has reached a server."""
        if self.far is not None:
            self.far.transport.abort()
        if self.far is not None or not reached:
            self.transport.abort()


class Far(asyncio.Protocol):
    """The other half of a carried connection, to the server that has the house."""

    def __init__(self, near: Near) -> None:
        self._near = near

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a stream's
        """Keep the way there."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Hand on what the house says."""
        self._near.transport.write(data)

    def pause_writing(self) -> None:
        """Read no more from a client while the house does not read."""
        if not self._near.transport.is_closing():
            self._near.transport.pause_reading()

    def resume_writing(self) -> None:
        """Read on."""
        if not self._near.transport.is_closing():
            self._near.transport.resume_reading()

    def connection_lost(self, _: Exception | None) -> None:
        """End the other half."""
        self._near.leave()
