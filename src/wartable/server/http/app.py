"""The application: HTTP, WebSocket, OpenAPI, security headers, errors as codes and sentences."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import h11
import uvicorn
from litestar import Litestar, Response, WebSocket, get, websocket
from litestar.config.compression import CompressionConfig
from litestar.datastructures import State
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.types import Message, Receive, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from wartable import __version__
from wartable.server.denied import Denied
from wartable.server.http import reading, refusals, routes
from wartable.server.http import requests as r
from wartable.server.http.access import (
    Asked,
    Attempts,
    address_of,
    admit,
    check_origin,
    house_of,
    session_if_any,
)
from wartable.server.http.connection import Connection
from wartable.server.http.pages import Answer, Header, Pages
from wartable.server.logs import LOG
from wartable.server.running import House

COMPRESSED_BYTES_MIN = 4_096
"""Only books, lists and tables are this long, so no answer with a token is compressed."""
COMPRESSED_LEVEL = 4
"""Nearly the best compression in a third of the time, so tables do not wait for it."""
FRAME_BYTES_MAX = 65_536
HEAD_S = 30
BODY_S = 30
MINUTE_S = 60
BURST_S = 2
"""The period over which an address may spend its requests in one burst."""
GOODBYE_S = 2
PROXIES = ["127.0.0.1", "::1"]
"""The proxies whose forwarded client address is trusted: those on this machine."""
PART_HEADERS: list[Header] = [
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
HEADERS: list[Header] = [
    *PART_HEADERS,
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=()"),
]
API_HEADERS: list[Header] = [
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'"),
    (b"cache-control", b"no-store"),
]
STRICT_TRANSPORT = (b"strict-transport-security", b"max-age=31536000")


@get("/health")
async def health() -> r.State:
    """Whether the process answers."""
    return r.State("ok")


@get("/ready", responses={503: ResponseSpec(r.State, description="The server is not ready.")})
async def ready(request: Asked) -> Response[r.State]:
    """Whether tables are open, their tasks are running and the database answers."""
    well = await house_of(request).well()
    return Response(r.State("ok" if well else "not ready"), status_code=200 if well else 503)


@get("/metrics", media_type="text/plain; version=0.0.4")
async def metrics(request: Asked) -> str:
    """The house's metrics, for Prometheus."""
    house = house_of(request)
    return house.metrics.text(house.gauges())


@websocket("/play")
async def play(socket: WebSocket[Any, Any, Any]) -> None:
    """Follow and play a table; docs/protocol.md has the messages."""
    try:
        check_origin(socket)
    except Denied as error:
        LOG.warning("connection refused", extra={"code": error.code})
        await socket.close(4403, error.code)
        return
    session = await session_if_any(socket)
    await socket.accept()
    await Connection(house_of(socket), socket, session, address_of(socket)).run()


def in_time(receive: Receive) -> Receive:
    """The next part of the request, if the body arrives in time."""
    until, whole = asyncio.get_running_loop().time() + BODY_S, False

    async def received() -> Any:
        nonlocal whole
        if whole:
            return await receive()
        try:
            async with asyncio.timeout_at(until):
                message: Any = await receive()
        except TimeoutError:
            sentence = f"The body of a request must arrive within {BODY_S} seconds."
            raise Denied("too_slow", sentence) from None
        whole = not message.get("more_body", False)
        return message

    return received


class HttpConnection(H11Protocol):
    """An HTTP connection that closes when the head of a request is late."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a stream's
        """Start the timer for the first head."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Read on, with a timer for a head that has begun."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Run the timer from when a head is expected until it has arrived."""
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEAD_S, self.transport.close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Socket(WebSocketsSansIOProtocol):
    """A WebSocket that stops reading pings while its client does not read the answers."""

    def handle_ping(self) -> None:
        """Answer, and read on once the client has read what it was sent."""
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


class Application:
    """The ASGI application of a house: it counts and logs answers and adds strict headers."""

    def __init__(self, house: House) -> None:
        self.house = house

        @asynccontextmanager
        async def open_house(_: Litestar) -> AsyncIterator[None]:
            await house.start()
            try:
                yield
            finally:
                await house.stop()

        self.litestar = Litestar(
            [
                health,
                ready,
                metrics,
                play,
                routes.people.ROUTER,
                *routes.house.ROUTERS,
                routes.books.ROUTER,
                routes.history.ROUTER,
            ],
            state=State(
                {
                    "house": house,
                    "guests": Attempts(house.config.guests_per_minute, MINUTE_S),
                    "attempts": Attempts(house.config.attempts_per_minute, MINUTE_S),
                    "commands": Attempts(house.config.messages_per_s * MINUTE_S, MINUTE_S),
                    "requests": Attempts(house.config.requests_per_s * BURST_S, BURST_S),
                }
            ),
            lifespan=[open_house],
            before_request=admit,
            request_class=reading.StrictRequest,
            request_max_body_size=reading.BODY_BYTES_MAX,
            compression_config=CompressionConfig(
                "gzip", minimum_size=COMPRESSED_BYTES_MIN, gzip_compress_level=COMPRESSED_LEVEL
            ),
            exception_handlers=refusals.HANDLERS,
            openapi_config=OpenAPIConfig(
                title="Wartable",
                version=__version__,
                description="Casino War by the book. Amounts are cents. See docs/protocol.md.",
                path="/schema",
                render_plugins=[JsonRenderPlugin()],
            ),
            logging_config=None,
        )
        refusals.declare(self.litestar)
        self._headers = [*HEADERS, *([STRICT_TRANSPORT] if house.config.secure else [])]
        self.pages = Pages(house.config.money)

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer one request or connection."""
        if scope["type"] != "http":
            await self.litestar(scope, receive, send)
            return
        began = time.perf_counter()
        page = self.pages.answer(scope["method"], scope["path"], scope["headers"])
        if page is None:
            status = await self._ask(scope, receive, send)
        else:
            status = page.status
            await self._send_page(page, send)
        self.house.metrics.requests[status] += 1
        spent_ms = round((time.perf_counter() - began) * 1000, 1)
        line = {"method": scope["method"], "path": scope["path"], "status": status, "ms": spent_ms}
        LOG.info("request", extra=line)

    async def _ask(self, scope: Any, receive: Receive, send: Send) -> int:
        """Let the API answer, and return the status; a browser gets a page for a wrong path."""
        status, page = 500, None

        async def with_headers(message: Message) -> None:
            nonlocal status, page
            if message["type"] == "http.response.start":
                status = message["status"]
                if status == 404:
                    page = self.pages.missing(scope["method"], scope["headers"])
                message["headers"] = [*message.get("headers", []), *API_HEADERS, *self._headers]
            if page is None:
                await send(message)

        await self.litestar(scope, in_time(receive), with_headers)
        if page is not None:
            await self._send_page(page, send)
        return status

    async def _send_page(self, page: Answer, send: Send) -> None:
        headers = [*page.headers, *(self._headers if page.document else PART_HEADERS)]
        await send({"type": "http.response.start", "status": page.status, "headers": headers})
        await send({"type": "http.response.body", "body": page.body, "more_body": False})


def settings_for(application: Application) -> uvicorn.Config:
    """The server of the application."""
    return uvicorn.Config(
        application,
        http=HttpConnection,
        ws=Socket,
        ws_max_size=FRAME_BYTES_MAX,
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=True,
        forwarded_allow_ips=PROXIES,
        timeout_graceful_shutdown=GOODBYE_S,
    )
