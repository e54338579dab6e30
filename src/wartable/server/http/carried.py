"""Connections that another server hands over, or carries here with a first line before them."""

import asyncio
from collections.abc import Collection
from functools import partial
from typing import Any

from wartable.server.carrying import LINE_BYTES_MAX, ClientAddress, read_first_line
from wartable.server.http.sockets import HttpConnection, Socket
from wartable.server.logs import LOG, Way
from wartable.server.records.keys import HouseKey


class CarriedConnection(HttpConnection):
    """An HTTP connection that another server of this house carries."""

    def __init__(self, key: HouseKey, ours: Collection[str], **settings: Any) -> None:
        """`ours` are the names of this server: its own, and its fence if it has the house."""
        super().__init__(**settings)
        self._key, self._ours = key, ours
        self._line: bytes | None = b""
        """The part of the first line received so far; None after it."""

    def data_received(self, data: bytes) -> None:
        """Pass data on once the first line has proved that a server of the house carries it."""
        if self._line is None:
            super().data_received(data)
            return
        self._line += data
        line, ended, rest = self._line.partition(b"\n")
        if not ended and len(line) <= LINE_BYTES_MAX:
            return
        said = read_first_line(self._key, self._ours, line) if ended else None
        if said is None:
            LOG.warning("connection refused", extra={"code": "not_ours"})
            self.transport.abort()
            return
        self._line, self.client = None, said.client
        self.go(Way(said.trace, carried=True))
        self.ws_protocol_class: Any = partial(CarriedSocket, said.client)
        if rest:
            super().data_received(rest)


class CarriedSocket(Socket):
    """A WebSocket that another server of this house carries."""

    def __init__(self, client: ClientAddress, **settings: Any) -> None:
        super().__init__(**settings)
        self._carried = client

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Record the client's address rather than that of the server between."""
        super().connection_made(transport)
        self.client = self._carried


class HandedConnection(HttpConnection):
    """An HTTP connection that another server on this machine has handed over."""

    def __init__(self, early: bytes, trace: str, **settings: Any) -> None:
        """`early` is what the client has sent already."""
        super().__init__(**settings)
        self._early, self._trace = early, trace

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a stream's
        """Process what the client has sent already before reading anything else."""
        super().connection_made(transport)
        self.go(Way(self._trace))
        self.data_received(self._early)
