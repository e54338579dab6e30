"""Identify the caller: sessions by cookie or token, operators' keys, origins and rate limits."""

import asyncio
import time
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any, NamedTuple

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie
from litestar.params import FromPath

from wartable.server.config import Config
from wartable.server.denied import Denied, not_your_part
from wartable.server.house.accounts import Account
from wartable.server.house.cage import KEYS
from wartable.server.house.roles import Right, may
from wartable.server.house.sessions import Session, signed_out
from wartable.server.logs import Way
from wartable.server.running import House

COOKIE = "wartable"
DEVICE = "wartable-device"
DEVICE_S = 400 * 24 * 3_600
"""How long a device is remembered; browsers allow no longer."""
ADDRESSES_MAX = 10_000
SUBSCRIBER_BITS = 64
"""The prefix length that identifies a subscriber; the subscriber picks the remaining bits."""
SAFE = {"GET", "HEAD", "OPTIONS"}

Asked = Request[Any, Any, Any]
PathName = FromPath[str]
AnyConnection = ASGIConnection[Any, Any, Any, Any]


class Attempts:
    """A limit on how often one address or account may do something in a period."""

    def __init__(self, most: int, every_s: int) -> None:
        self._most, self._every_s = most, every_s
        self._since = 0
        self._counts: dict[str, int] = {}

    def take(self, who: str) -> None:
        """Count one more attempt, or deny it."""
        since = int(time.monotonic() // self._every_s)
        if since != self._since or len(self._counts) > ADDRESSES_MAX:
            self._since, self._counts = since, {}
        self._counts[who] = self._counts.get(who, 0) + 1
        if self._counts[who] > self._most:
            sentence = f"Too many requests; wait {self._every_s} seconds."
            raise Denied("too_many", sentence)


class Served(NamedTuple):
    """The house that an application serves, and the limits on its clients' requests."""

    house: House
    guests: Attempts
    attempts: Attempts
    commands: Attempts
    requests: Attempts


WAY = "way"
"""The key in a request's state for the way of its connection."""
SERVED = "served"
"""The key in a request's state for the house it is for, as all houses share the routes."""


def served(connection: AnyConnection) -> Served:
    """What the application of this request serves."""
    found: Served = connection.scope["state"][SERVED]
    return found


def way_of(connection: AnyConnection) -> Way:
    """The way of a connection; everything that comes over the connection is logged under its id."""
    found: Way = connection.scope["state"].setdefault(WAY, Way())
    return found


def house_of(connection: AnyConnection) -> House:
    """The house that serves the request."""
    return served(connection).house


def address_of(connection: AnyConnection) -> str:
    """The address or subscriber's IPv6 network under which a client is counted."""
    host = "" if connection.client is None else connection.client.host
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(IPv6Network((address.packed, SUBSCRIBER_BITS), strict=False))


def bearer(connection: AnyConnection) -> str | None:
    """The token in the header, if there is one."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token else None


def check_origin(connection: AnyConnection) -> None:
    """Deny a page of another site; programs send neither an origin nor a fetch site."""
    headers, config = connection.headers, house_of(connection).config
    origin = headers.get("origin")
    if origin is None:
        own = headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    else:
        own = origin in _own_sites(headers.get("host"), config) or origin in config.origins
    if not own:
        raise Denied("origin", "Pages of other sites may not use this server.")


def _own_sites(host: str | None, config: Config) -> set[str]:
    """The origins of the house's own pages; without a public address, the requested host."""
    if config.public:
        return {config.public}
    schemes = ("https",) if config.secure else ("http", "https")
    return {f"{scheme}://{host}" for scheme in schemes}


async def admit(request: Asked) -> None:
    """Deny requests over the address's rate limit and changes from another site's page."""
    served(request).requests.take(address_of(request))
    if request.method not in SAFE:
        check_origin(request)


async def session_if_any(connection: AnyConnection) -> Session | None:
    """The connection's session, if it has a valid one; this does not keep the session alive."""
    token = bearer(connection) or connection.cookies.get(COOKIE)
    if token is None:
        return None
    try:
        return await house_of(connection).sessions.session(token)
    except Denied:
        return None


async def looking_on(request: Asked) -> Session:
    """The session of a request that a page makes automatically; it does not keep it alive."""
    token = bearer(request) or request.cookies.get(COOKIE)
    if token is None:
        raise signed_out()
    return await house_of(request).sessions.session(token)


async def signed_in(request: Asked) -> Session:
    """The session of a request that needs one; the request keeps it alive."""
    session = await looking_on(request)
    house_of(request).sessions.touch(session)
    return session


async def with_right(request: Asked, *rights: Right) -> Account:
    """The account that makes a request, if its role has one of the rights."""
    return _entitled((await signed_in(request)).account, rights)


async def looking_with_right(request: Asked, *rights: Right) -> Account:
    """The same for a request that a page makes automatically; the session is not kept alive."""
    return _entitled((await looking_on(request)).account, rights)


def _entitled(account: Account, rights: tuple[Right, ...]) -> Account:
    if not any(may(account.role, right) for right in rights):
        raise not_your_part(account.role)
    return account


async def operator(request: Asked) -> str:
    """The name under which an operator's key acts."""
    token = bearer(request)
    if token is None:
        raise Denied("wrong_credentials", "This needs an operator's key.")
    return f"{KEYS}:{await asyncio.to_thread(house_of(request).operator_keys.name_of, token)}"


def device_of(request: Asked) -> str:
    """The browser's proof of having signed in before."""
    return request.cookies.get(DEVICE, "")


def device_cookie(house: House, name: str) -> Cookie:
    """The cookie that identifies a device at its next sign-in, and is sent nowhere else."""
    return Cookie(
        DEVICE,
        path="/sign-in",
        value=house.sessions.new_device(name),
        max_age=DEVICE_S,
        httponly=True,
        samesite="strict",
        secure=house.config.secure,
    )


def cookie(house: House, token: str) -> Cookie:
    """The cookie of a session; no script can read it and no other site can send it."""
    return Cookie(COOKIE, value=token, httponly=True, samesite="strict", secure=house.config.secure)
