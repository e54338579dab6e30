"""A client's connection to this server, which may belong to another server of this house."""

import asyncio
from typing import Any
from urllib.parse import parse_qs

from wartable.server.carrying import HOUSE, Carrier, Near
from wartable.server.handing import Neighbors
from wartable.server.http.app import OWN_METRICS
from wartable.server.http.sockets import HttpConnection
from wartable.server.logs import LOG
from wartable.server.running import House

LINE_BYTES_MAX = 8_192
PLAY = b"/play?"
OWN = f"GET {OWN_METRICS} ".encode()


class RoutedConnection(HttpConnection):
    """An HTTP connection until its first line shows that another server must answer it."""

    def __init__(
        self, house: House, carrier: Carrier, neighbors: Neighbors | None, **settings: Any
    ) -> None:
        """`neighbors` are the other servers on this machine, if there may be any."""
        super().__init__(**settings)
        self._house, self._carrier, self._neighbors = house, carrier, neighbors
        self._stays = False
        """Whether it is known to belong here."""
        self._early = b""
        self._asking: asyncio.Task[None] | None = None

    def data_received(self, data: bytes) -> None:
        """Pass data on once the first line has shown that the connection belongs here."""
        if self._stays:
            super().data_received(data)
            return
        self._early += data
        if self._asking is not None:
            self.transport.pause_reading()
            return
        line, ended, _ = self._early.partition(b"\n")
        if not ended and len(line) <= LINE_BYTES_MAX:
            return
        table = table_of(line)
        if table:
            self._asking = asyncio.ensure_future(self._ask(table))
        else:
            here = self._house.leads or line.startswith(OWN)
            self._go(None if here else HOUSE)

    async def _ask(self, table: str) -> None:
        """Find out which server the table belongs to, and send the connection there."""
        try:
            to = await self._house.pulse.in_time(self._house.placing.of(table))
        except Exception as problem:
            LOG.warning("database not reached", extra={"error": type(problem).__name__})
            self.transport.abort()
            return
        if to is not None and self._neighbors is not None:
            handing = self._neighbors.hand(self.transport, to, self._early, self.way.id)
            if await handing:
                return
        if not self.transport.is_closing():
            self._go(to)

    def _go(self, to: str | None) -> None:
        """Serve the connection here, or start carrying it to another server."""
        early, self._early = self._early, b""
        if to is None:
            self._stays = True
            super().data_received(early)
            if self._asking is not None:
                self.transport.resume_reading()
            return
        self.connections.discard(self)
        self.stop_timers()
        near = Near(self._carrier, to, early, self.way.id)
        self.transport.set_protocol(near)
        near.connection_made(self.transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop asking."""
        if self._asking is not None:
            self._asking.cancel()
        super().connection_lost(exc)


def table_of(line: bytes) -> str:
    """The table that the first line of a WebSocket names; empty for everything else."""
    words = line.split(b" ")
    if len(words) < 2 or words[0] != b"GET" or not words[1].startswith(PLAY):
        return ""
    query = words[1].removeprefix(PLAY).decode("ascii", "replace")
    return parse_qs(query).get("table", [""])[0]
