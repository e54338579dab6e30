"""Clients that cost little, so that a benchmark measures the server: frames and heads by hand."""

import asyncio
import base64
import os
from collections.abc import Callable
from typing import Any

import msgspec

TEXT, CLOSE, PING, PONG = 0x81, 0x88, 0x89, 0x8A
MASKED = 0x80
NO_MASK = bytes(4)
"""A mask of zeros, which changes nothing."""

Json = dict[str, Any]
_decode = msgspec.json.Decoder().decode
encode = msgspec.json.Encoder().encode


class Socket(asyncio.Protocol):
    """A WebSocket of a client; what it hears goes to a function, without a task."""

    def __init__(self, host: str, token: str, hear: Callable[[bytes], None]) -> None:
        self._host, self._token, self._hear = host, token, hear
        self._data = b""
        self._open = False
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.lost = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a stream's
        """Ask for a WebSocket."""
        self._transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        bearer = f"Authorization: Bearer {self._token}\r\n" if self._token else ""
        transport.write(
            f"GET /play HTTP/1.1\r\nHost: {self._host}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            f"{bearer}\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Take whole frames."""
        data = self._data + data
        if not self._open:
            head, found, rest = data.partition(b"\r\n\r\n")
            if not found:
                self._data = data
                return
            self._open = head.startswith(b"HTTP/1.1 101")
            if not self._open:
                self._transport.abort()
                return
            self.ready.set_result(None)
            data = rest
        at = 0
        while (end := _end(data, at)) is not None:
            start, stop = end
            kind, payload = data[at], data[start:stop]
            at = stop
            if kind == TEXT:
                self._hear(payload)
            elif kind == PING:
                self._transport.write(bytes((PONG, MASKED | len(payload))) + NO_MASK + payload)
            elif kind == CLOSE:
                self._transport.close()
        self._data = data[at:]

    def connection_lost(self, exc: Exception | None) -> None:
        """Remember that the connection is gone."""
        self.lost = True
        if not self.ready.done():
            self.ready.set_exception(exc or ConnectionError("the server took no WebSocket"))

    def say(self, **fields: Any) -> None:
        """Send a message."""
        data = encode(fields)
        size = len(data)
        head = bytes((TEXT, MASKED | size)) if size < 126 else bytes((TEXT, MASKED | 126))
        long = b"" if size < 126 else size.to_bytes(2)
        self._transport.write(head + long + NO_MASK + data)

    def close(self) -> None:
        """Go without a word."""
        self._transport.abort()


def _end(data: bytes, at: int) -> tuple[int, int] | None:
    """Where the payload of the frame begins and ends; None if it is not whole."""
    if len(data) < at + 2:
        return None
    size, start = data[at + 1], at + 2
    if size == 126:
        size, start = int.from_bytes(data[at + 2 : at + 4]), at + 4
    elif size == 127:
        size, start = int.from_bytes(data[at + 2 : at + 10]), at + 10
    return (start, start + size) if len(data) >= start + size else None


async def connected(host: str, token: str, hear: Callable[[bytes], None]) -> Socket:
    """A WebSocket to a server."""
    address, _, port = host.partition(":")
    loop = asyncio.get_running_loop()
    _, socket = await loop.create_connection(lambda: Socket(host, token, hear), address, int(port))
    await socket.ready
    return socket


class Http:
    """One connection that is kept, with one request at a time."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: Json, token: str = "") -> tuple[int, Any]:
        """The status and the answer of a request."""
        if self._streams is None:
            address, _, port = self._host.partition(":")
            self._streams = await asyncio.open_connection(address, int(port))
        reader, writer = self._streams
        data = encode(body)
        bearer = f"Authorization: Bearer {token}\r\n" if token else ""
        writer.write(
            f"POST {path} HTTP/1.1\r\nHost: {self._host}\r\nContent-Type: application/json\r\n"
            f"{bearer}Content-Length: {len(data)}\r\n\r\n".encode()
            + data
        )
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        _, found, rest = head.partition(b"content-length:")
        answer = await reader.readexactly(int(rest.split(b"\r\n", 1)[0])) if found else b""
        return int(head.split(b" ", 2)[1]), _decode(answer) if answer else None

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
