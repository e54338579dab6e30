"""Requests about tables that other servers of this house have, which those servers answer."""

import asyncio
import re
from collections.abc import Collection
from typing import Any
from urllib.parse import unquote

import h11
import msgspec
from litestar.types import Receive

from wartable.refusal import Refusal
from wartable.server.carrying import CONNECT_S, first_line
from wartable.server.denied import Denied
from wartable.server.http.access import COOKIE
from wartable.server.http.reading import BODY_BYTES_MAX
from wartable.server.logs import LOG, TRACED, Way
from wartable.server.running import House

TABLES = re.compile(r"/(?:staff/)?(?:tables|rounds)/([^/]+)(?:/.*)?")
PRIVATE = "/tables/private"
PREVIEW = "/tables/preview"
ANSWER_S = 35
"""How long another server may take to answer: longer than it waits for a table."""
READ_BYTES = 65_536
TRACE_HEADER = b"x-wartable-trace"
"""The header of an answer with the id under which servers log its request."""
OWN = {
    b"connection", b"content-length", b"forwarded", b"keep-alive", b"te", b"transfer-encoding",
    b"upgrade", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", TRACE_HEADER,
}  # fmt: skip  # a list of names
"""The headers that concern only the two servers, or give a client's address."""


REFUSED = 503
ELSEWHERE = b'"code":"elsewhere"'
"""The status of a server's answer about a table that it may not have."""

Forwarded = tuple[int, list[tuple[bytes, bytes]], bytes]
"""The status, the headers and the body that another server answers with."""


class PrivateAsked(msgspec.Struct):
    """The part of a request for a private table that decides which server opens it."""

    book: str


class Forwarding:
    """Finds the server that must answer a request, and has it answer."""

    def __init__(self, house: House) -> None:
        self._house = house

    async def server_for(self, scope: Any, body: bytes, without: Collection[str]) -> str | None:
        """The server that must answer a request; None if that is this one."""
        named = TABLES.fullmatch(unquote(scope["path"]))
        name = None if named is None else named[1]
        if (scope["method"], scope["path"]) == ("POST", PRIVATE):
            name = await self._private(scope, body)
        return None if name is None else await self._house.placing.of(name, without)

    def concerns(self, scope: Any) -> bool:
        """Whether a request is about a table, and there may be other servers."""
        path = scope["path"]
        if self._house.placing.carrier is None or path == PREVIEW:
            return False
        return TABLES.fullmatch(unquote(path)) is not None

    async def _private(self, scope: Any, body: bytes) -> str | None:
        """The private table that somebody asks for; None if the request is refused here."""
        token = _token(scope["headers"])
        try:
            if token is None:
                return None
            asked = msgspec.json.decode(body, type=PrivateAsked)
            session = await self._house.sessions.session(token)
        except (msgspec.DecodeError, Refusal):
            return None
        return f"{asked.book}@{session.account.name}"

    async def forward(self, to: str, scope: Any, body: bytes) -> Forwarded | None:
        """What another server answers; None if it is not reached, or does not have the table."""
        carrier = self._house.placing.carrier
        way = None if carrier is None else carrier.way(to)
        if way is None:
            return None
        host, _, port = way[1].rpartition(":")
        try:
            async with asyncio.timeout(CONNECT_S):
                reader, writer = await asyncio.open_connection(host, int(port))
        except (OSError, TimeoutError):
            return None
        try:
            client, trace = tuple(scope["client"] or ("", 0)), TRACED.get().id
            if trace:  # otherwise the house asks, not a client
                LOG.info("forwarded", extra={"to": to})
            writer.write(first_line(self._house.key, way[0], client, trace or Way().id))
            talk = h11.Connection(h11.CLIENT)
            for part in (_request(scope, body), h11.Data(data=body), h11.EndOfMessage()):
                writer.write(talk.send(part) or b"")
            async with asyncio.timeout(ANSWER_S):
                status, headers, answer = await _answer(talk, reader)
        finally:
            writer.close()
        if status == REFUSED and ELSEWHERE in answer:
            return None
        headers = [each for each in headers if each[0] not in OWN]
        return status, [*headers, (b"content-length", str(len(answer)).encode())], answer


async def whole_body(receive: Receive) -> bytes:
    """The body of a request, which has a limit."""
    body, more = b"", True
    while more:
        message: Any = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > BODY_BYTES_MAX:
            raise Denied("malformed", f"The body may have at most {BODY_BYTES_MAX} bytes.")
    return body


def again(body: bytes, receive: Receive) -> Receive:
    """A way to receive a body that was read before, and then what comes after it."""
    read = False

    async def received() -> Any:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return received


def _request(scope: Any, body: bytes) -> h11.Request:
    query = b"?" + scope["query_string"] if scope["query_string"] else b""
    headers = [each for each in scope["headers"] if each[0].lower() not in OWN]
    length = [(b"content-length", str(len(body)).encode()), (b"connection", b"close")]
    target = scope["raw_path"] + query
    return h11.Request(method=scope["method"], target=target, headers=headers + length)


async def _answer(talk: h11.Connection, reader: asyncio.StreamReader) -> Forwarded:
    status, headers, body = 502, list[tuple[bytes, bytes]](), b""
    while True:
        event = talk.next_event()
        if event is h11.NEED_DATA:
            talk.receive_data(await reader.read(READ_BYTES))
        elif isinstance(event, h11.Response):
            status, headers = event.status_code, [(name, value) for name, value in event.headers]
        elif isinstance(event, h11.Data):
            body += bytes(event.data)
        else:
            return status, headers, body


def _token(headers: list[tuple[bytes, bytes]]) -> str | None:
    """The token of a session in the headers of a request."""
    for name, value in headers:
        if name == b"authorization":
            scheme, _, token = value.decode("latin-1").partition(" ")
            if scheme.lower() == "bearer" and token:
                return token.strip()
    for name, value in headers:
        if name == b"cookie":
            for part in value.decode("latin-1").split(";"):
                key, _, token = part.strip().partition("=")
                if key == COOKIE:
                    return token
    return None
