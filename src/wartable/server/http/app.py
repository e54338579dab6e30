"""The application: HTTP, WebSocket, OpenAPI, security headers, errors as codes and sentences."""

import asyncio
import time
from functools import cache
from traceback import format_exc
from typing import Any

import h11
import uvicorn
from litestar import Litestar, Response, WebSocket, get, websocket
from litestar.config.compression import CompressionConfig
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.types import LifeSpanReceive, LifeSpanSend, Message, Receive, Send

from wartable import __version__
from wartable.refusal import Refusal
from wartable.server.denied import Denied
from wartable.server.http import reading, refusals, routes
from wartable.server.http import requests as r
from wartable.server.http.access import (
    SERVED,
    WAY,
    Asked,
    Attempts,
    Served,
    address_of,
    admit,
    check_origin,
    house_of,
    session_if_any,
    way_of,
)
from wartable.server.http.between import ASK_S, Between
from wartable.server.http.connection import CLOSE_FULL, CLOSE_TABLE, Connection
from wartable.server.http.forwarding import TRACE_HEADER, Forwarding, again, whole_body
from wartable.server.http.pages import Header, PageAnswer, Pages
from wartable.server.http.sockets import (
    BODY_S,
    FRAME_BYTES_MAX,
    GOODBYE_S,
    HttpConnection,
    Socket,
)
from wartable.server.logs import LOG, TRACED, Trace, Way
from wartable.server.opening import elsewhere
from wartable.server.records.pulse import UNREACHED
from wartable.server.running import House
from wartable.server.tables.listeners import encode
from wartable.server.upkeep import regularly

OWN_METRICS = "/metrics/server"
"""The path of the metrics that every server answers itself, with or without the house."""
COMPRESSED_BYTES_MIN = 4_096
"""Only books, lists and tables are this long, so no answer with a token is compressed."""
COMPRESSED_LEVEL = 4
"""Nearly the best compression in a third of the time, so that tables do not wait for it."""
MINUTE_S = 60
BURST_S = 2
"""The period over which an address may spend its requests in one burst."""
LATE_MAX = 1_000
"""How many answered requests may continue while the database stalls; further ones are refused."""
PATH_LOGGED_MAX = 200
"""How much of a path is logged: clients choose it."""
PROXIES = ["127.0.0.1", "::1"]
"""The proxies whose forwarded client address is always trusted: those on this machine."""
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
JSON: list[Header] = [(b"content-type", b"application/json")]
STRICT_TRANSPORT = (b"strict-transport-security", b"max-age=31536000")


@get("/health")
async def health() -> r.State:
    """Whether the process answers."""
    return r.State("ok")


@get("/ready", responses={503: ResponseSpec(r.State, description="The server is not ready.")})
async def ready(request: Asked) -> Response[r.State]:
    """Whether tables are open, their tasks are running and the database answers."""
    well = house_of(request).well()
    return Response(r.State("ok" if well else "not ready"), status_code=200 if well else 503)


@get("/metrics", media_type="text/plain; version=0.0.4")
async def metrics(request: Asked) -> str:
    """The metrics of the house and of each of its servers, for Prometheus."""
    house = house_of(request)
    return house.metrics.text(house.floor.gauges() | house.returns.gauges(), house.watch.of_each)


@get(OWN_METRICS, media_type="text/plain; version=0.0.4")
async def own_metrics(request: Asked) -> str:
    """The metrics of this server alone, for Prometheus; it answers them without the house."""
    house = house_of(request)
    return house.metrics.text(house.floor.gauges(), {})


@websocket("/play")
async def play(socket: WebSocket[Any, Any, Any]) -> None:
    """Follow and play a table; docs/protocol.md has the messages."""
    try:
        check_origin(socket)
    except Denied as error:
        LOG.warning("connection refused", extra={"code": error.code})
        await socket.close(4403, error.code)
        return
    house = house_of(socket)
    TRACED.set(Trace(way_of(socket).id))
    try:
        session = await house.pulse.in_time(session_if_any(socket))
    except Denied as error:
        await socket.accept()
        await socket.close(CLOSE_TABLE if house.cut_off else CLOSE_FULL, error.sentence)
        return
    await socket.accept()
    await Connection(house, socket, session, address_of(socket)).run()


def with_trace(send: Send, trace: str) -> Send:
    """A `send` that adds the id under which the request is logged to the answer."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), (TRACE_HEADER, trace.encode())]
        await send(message)

    return sent


def in_time(receive: Receive) -> Receive:
    """A `receive` that refuses a request whose body does not arrive in time."""
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


@cache
def api() -> Litestar:
    """The routes, which are registered once, because each request's state has its house."""
    litestar = Litestar(
        [
            health,
            ready,
            metrics,
            own_metrics,
            play,
            routes.people.ROUTER,
            *routes.house.ROUTERS,
            routes.books.ROUTER,
            routes.lab.ROUTER,
            routes.history.ROUTER,
        ],
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
    refusals.declare(litestar)
    return litestar


class Application:
    """The ASGI application of a house: it counts and logs answers and adds strict headers."""

    def __init__(self, house: House) -> None:
        self.house, self._api = house, api()
        self._served = Served(
            house,
            guests=Attempts(house.config.guests_per_minute, MINUTE_S),
            attempts=Attempts(house.config.attempts_per_minute, MINUTE_S),
            commands=Attempts(house.config.messages_per_s * MINUTE_S, MINUTE_S),
            requests=Attempts(house.config.requests_per_s * BURST_S, BURST_S),
        )
        self._forwarding = Forwarding(house)
        self._between = Between(house, self._forwarding)
        self._between.lead_here()
        self._headers = [*HEADERS, *([STRICT_TRANSPORT] if house.config.secure else [])]
        config = house.config
        self.pages = Pages(config.money, locale=config.locale, currency=config.currency)
        self._late: set[asyncio.Future[None]] = set()
        """The requests that continue although their callers had the answer that it stalls."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request or connection, or open and close the house with its server."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        scope.setdefault("state", {})[SERVED] = self._served
        if scope["type"] != "http":
            await self._api(scope, receive, send)
            return
        began = time.perf_counter()
        trace = scope["state"].get(WAY, Way()).next()
        TRACED.set(trace)
        send = with_trace(send, trace.id)
        page = self.pages.answer(scope["method"], scope["path"], scope["headers"])
        here = self.house.leads or scope["path"] == OWN_METRICS
        if (told := await self._between.answer(scope)) is not None:
            status = await self._hand_on(send, 200, JSON, told)
        elif page is None and (self._forwarding.concerns(scope) or not here):
            status = await self._find(scope, receive, send)
        elif page is None:
            status = await self._ask(scope, receive, send)
        else:
            status = page.status
            await self._send_page(page, send)
        self.house.metrics.requests[status] += 1
        spent_ms = round((time.perf_counter() - began) * 1000, 1)
        path = scope["path"][:PATH_LOGGED_MAX]
        line = {"method": scope["method"], "path": path, "status": status, "ms": spent_ms}
        LOG.info("request", extra=line)

    async def _live(self, receive: LifeSpanReceive, send: LifeSpanSend) -> None:
        """Open the house when the server starts, and close it when the server stops."""
        await receive()
        moment = "startup"
        try:
            await self.house.start()
            looking = asyncio.create_task(regularly(ASK_S, "other servers", self._between.look))
            try:
                await send({"type": "lifespan.startup.complete"})
                moment = "shutdown"
                await receive()
            finally:
                looking.cancel()
                await self.house.stop()
        except BaseException:
            failed: Any = {"type": f"lifespan.{moment}.failed", "message": format_exc()}
            await send(failed)
            raise
        await send({"type": "lifespan.shutdown.complete"})

    async def _find(self, scope: Any, receive: Receive, send: Send) -> int:
        """Answer a request about a table here, or have the server that has the table answer it."""
        try:
            if not self._forwarding.concerns(scope):  # only the server that has the house answers
                raise elsewhere()
            body, tried = await whole_body(in_time(receive)), set[str]()
            while True:
                asking = self._forwarding.server_for(scope, body, tried)
                to = await self.house.pulse.in_time(asking)
                if to is None:
                    return await self._ask(scope, again(body, receive), send)
                if not self.house.leads or to in tried:
                    raise elsewhere()
                answer = await self._forwarding.forward(to, scope, body)
                if answer is not None:
                    return await self._hand_on(send, *answer)
                tried.add(to)
        except Refusal as error:
            return await self._refuse(send, refusals.STATUSES.get(error.code, 409), error)
        except (OSError, TimeoutError, h11.RemoteProtocolError):
            return await self._refuse(send, 503, elsewhere())

    async def _hand_on(self, send: Send, status: int, headers: list[Header], body: bytes) -> int:
        """Send what another server answers."""
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})
        return status

    async def _ask(self, scope: Any, receive: Receive, send: Send) -> int:
        """Let the API answer, and return the status; a browser gets a page for a wrong path."""
        status, page, begun, late = 500, None, False, False

        async def with_headers(message: Message) -> None:
            nonlocal status, page, begun
            if late:
                return
            begun = True
            if message["type"] == "http.response.start":
                status = message["status"]
                if status == 404:
                    page = self.pages.missing(scope["method"], scope["headers"])
                message["headers"] = [*message.get("headers", []), *API_HEADERS, *self._headers]
            if page is None:
                await send(message)

        if len(self._late) >= LATE_MAX:
            return await self._send_late(send)
        task = asyncio.ensure_future(self._api(scope, in_time(receive), with_headers))
        while not await self.house.pulse.outlasts(task):
            if not begun:
                late = True
                self._leave(task)
                return await self._send_late(send)
        await task
        if page is not None:
            await self._send_page(page, send)
        return status

    def _leave(self, task: "asyncio.Future[None]") -> None:
        """Let a request continue after its caller got an answer, as half of it may be written."""
        self._late.add(task)
        task.add_done_callback(self._late.discard)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _send_late(self, send: Send) -> int:
        """Answer that the database does not respond."""
        return await self._refuse(send, 503, Denied("database", UNREACHED))

    async def _refuse(self, send: Send, status: int, refusal: Refusal) -> int:
        headers = [*JSON, *API_HEADERS, *self._headers]
        body = encode(r.Problem(refusal.code, refusal.sentence))
        return await self._hand_on(send, status, headers, body)

    async def _send_page(self, page: PageAnswer, send: Send) -> None:
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
        forwarded_allow_ips=[*PROXIES, *application.house.config.proxies],
        timeout_graceful_shutdown=GOODBYE_S,
    )
