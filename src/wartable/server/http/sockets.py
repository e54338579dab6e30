"""The connections of clients: HTTP, which closes when a client is late, and WebSockets."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request
from websockets.protocol import State

from wartable.server.http.access import WAY
from wartable.server.http.connection import OUTLET
from wartable.server.logs import Way

HEAD_S = 30
BODY_S = 30
READ_S = 30
"""How long a client may take to read a part of its answer."""
GOODBYE_S = 2
FRAME_BYTES_MAX = 65_536
TEXT_FRAME = 0x81
"""The first byte of a frame that is a whole text."""
SWITCHING = 101
"""The status of a connection that becomes a WebSocket."""


class HttpConnection(H11Protocol):
    """An HTTP connection that closes when the client is late: with a head, a body, or reading.

    A body that still arrives after its answer has only a moment, however slow it is.
    """

    _timer: asyncio.TimerHandle | None = None
    _expected = ""
    """What the timer is for."""
    _reading: asyncio.TimerHandle | None = None
    """The timer for a client that does not read its answer."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a stream's
        """Start the timer for the first head."""
        super().connection_made(transport)
        self.go(Way())
        self._watch()

    def go(self, way: Way) -> None:
        """Log everything that comes over this connection under the id of its way."""
        self.way = way
        self.app_state = {**self.app_state, WAY: way}

    def data_received(self, data: bytes) -> None:
        """Process the data, with a timer for the part that has started."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Continue, with a timer for the rest of a body that is no longer needed."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """Wait until the client has read what it was sent, but only for a limited time."""
        super().pause_writing()
        self._reading = self._reading or self.loop.call_later(READ_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Resume writing to a client that has read."""
        super().resume_writing()
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers."""
        self.stop_timers()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Run the timer for what is expected now; partial data does not restart it."""
        expected = ""
        if self.transport.get_protocol() is not self:
            pass  # a WebSocket has its own protocol now
        elif self.conn.their_state is h11.IDLE:
            expected = "head"
        elif self.conn.their_state is h11.SEND_BODY:
            expected = "rest" if self.conn.our_state is h11.DONE else "body"
        if expected != self._expected:
            self._expected = expected
            if self._timer is not None:
                self._timer.cancel()
            late_s = {"head": HEAD_S, "body": BODY_S + GOODBYE_S, "rest": GOODBYE_S}
            if expected:
                self._timer = self.loop.call_later(late_s[expected], self._end)

    def stop_timers(self) -> None:
        """Expect nothing more: the connection has another protocol now."""
        for timer in (self._timer, self._reading):
            if timer is not None:
                timer.cancel()

    def _end(self) -> None:
        """Close the connection, even if the client does not read what is left."""
        self.transport.close()
        self.loop.call_later(GOODBYE_S, self.transport.abort)


class Socket(WebSocketsSansIOProtocol):
    """A WebSocket that stops reading pings while its client does not read the answers.

    Its connection sends through it directly, past layers that would only pass a message on.
    """

    def handle_connect(self, event: Request) -> None:
        """Begin to serve the connection, which finds this socket as its `OUTLET`."""
        self._told: list[bytes] = []
        self._told_bytes = 0
        super().handle_connect(event)
        if self.response.status_code == SWITCHING:
            extensions: Any = self.scope["extensions"]
            extensions[OUTLET] = self

    def arrived(self) -> bool:
        """Whether the client has sent something that is not read yet."""
        return not self.queue.empty()

    def tell(self, data: bytes) -> None:
        """Queue a text, to be sent with all others of this turn of the event loop."""
        if self.transport.is_closing() or self.conn.state is not State.OPEN:
            raise ConnectionError("the client is gone")
        if not self._told:
            self.loop.call_soon(self.send_told)
        self._told += (_frame_head(len(data)), data)
        self._told_bytes += len(data)
        if self._told_bytes > FRAME_BYTES_MAX:  # otherwise a slow client would go unnoticed
            self.send_told()

    def send_told(self) -> None:
        """Send the queued texts, unless the client is gone."""
        if self._told and not self.transport.is_closing() and self.conn.state is State.OPEN:
            self.transport.write(b"".join(self._told))
        self._told.clear()
        self._told_bytes = 0

    def handle_ping(self) -> None:
        """Answer, and stop reading until the client has read what it was sent."""
        super().handle_ping()
        if not self.writable.is_set():
            self.transport.pause_reading()

    async def run_asgi(self) -> None:
        """Serve the connection, and abort it at the end if the client has stopped reading."""
        await super().run_asgi()
        if not self.writable.is_set():
            self.transport.abort()

    def resume_writing(self) -> None:
        """Resume writing, and reading too unless a message waits to be read."""
        super().resume_writing()
        if not self.read_paused:
            self.transport.resume_reading()


def _frame_head(length: int) -> bytes:
    """The head of a whole text frame of a server (RFC 6455, section 5.2)."""
    if length < 126:
        return bytes((TEXT_FRAME, length))
    if length < 1 << 16:
        return bytes((TEXT_FRAME, 126)) + length.to_bytes(2)
    return bytes((TEXT_FRAME, 127)) + length.to_bytes(8)
