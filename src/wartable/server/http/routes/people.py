"""HTTP for people: registering, signing in and out, limits and money."""

import asyncio
from typing import Annotated, Any

import msgspec
from litestar import Response, Router, get, post, put
from litestar.params import JSONBody, QueryParameter
from litestar.status_codes import (
    HTTP_200_OK,
    HTTP_201_CREATED,
    HTTP_409_CONFLICT,
    HTTP_503_SERVICE_UNAVAILABLE,
)

from wartable.server.denied import Denied, not_your_part
from wartable.server.house import counted
from wartable.server.house.accounts import Account
from wartable.server.house.limits import LIMIT_KINDS
from wartable.server.house.sessions import Session
from wartable.server.http import requests as r
from wartable.server.http.access import (
    COOKIE,
    Asked,
    address_of,
    bearer,
    cookie,
    device_cookie,
    device_of,
    house_of,
    served,
    session_if_any,
    signed_in,
)
from wartable.server.records.answers import NO_ANSWER, Accepted, Answer
from wartable.server.records.counting import DAY_MS, MINUTE_MS
from wartable.server.running import House

NAMES_MAX = 100
PlayerNames = Annotated[list[str] | None, QueryParameter(max_items=NAMES_MAX)]


def _signed(
    house: House, account: Account, token: str, password: str | None = None
) -> Response[r.Signed]:
    signed = r.Signed(account.name, account.role, token, password)
    return Response(signed, cookies=[cookie(house, token), device_cookie(house, account.name)])


def answered(request: Asked, answer: Answer) -> Response[Answer]:
    """An answer of the cage with the status that fits it."""
    if isinstance(answer, Accepted):
        return Response(answer, status_code=HTTP_200_OK)
    now_ms = house_of(request).clock.now_ms()
    refused = msgspec.structs.replace(answer, at_ms=answer.at_ms or now_ms)
    unanswered = answer.code == NO_ANSWER[0]
    status = HTTP_503_SERVICE_UNAVAILABLE if unanswered else HTTP_409_CONFLICT
    return Response(refused, status_code=status)


@post("/guest", status_code=HTTP_201_CREATED)
async def guest(request: Asked) -> Response[r.Signed]:
    """Become a guest with play money; the password is for signing in again."""
    house = house_of(request)
    served(request).guests.take(address_of(request))
    if house.config.money != "play":
        sentence = "This house plays for deposited money; sign in or register first."
        raise Denied("no_guests", sentence)
    account, password, token = await house.new_guest(address_of(request))
    return _signed(house, account, token, password)


@post("/register", status_code=HTTP_201_CREATED)
async def register(request: Asked, data: JSONBody[r.Credentials]) -> Response[r.Signed]:
    """Register an account, with play money if the house plays for it; a guest's stays a guest's."""
    house = house_of(request)
    served(request).attempts.take(address_of(request))
    session = await session_if_any(request)
    if session is not None and house.accounts.is_guest(session.account.name):
        return await _keep_guest(house, session, data, bearer(request) or request.cookies[COOKIE])
    account = await house.accounts.open(None, data.name, data.password)
    if account.money == "play":
        await house.cage.welcome(account)
    return _signed(house, account, await house.sessions.begin(account, address_of(request)))


async def _keep_guest(
    house: House, session: Session, data: r.Credentials, token: str
) -> Response[r.Signed]:
    """Register the guest who is signed in, who keeps money, rounds and this session."""
    await house.accounts.register_guest(session.account.name, data.name, data.password)
    await house.sessions.registered(session)
    return _signed(house, session.account, token)


@post("/recover", status_code=HTTP_200_OK)
async def recover(request: Asked, data: JSONBody[r.Recovering]) -> Response[r.Signed]:
    """Set a new password with a recovery code, which cannot be used again; all sessions end."""
    house, address = house_of(request), address_of(request)
    served(request).attempts.take(address)
    account, token = await house.recovery.recover(data.name, data.code, data.password, address)
    return _signed(house, account, token)


@post("/sign-in", status_code=HTTP_200_OK)
async def sign_in(request: Asked, data: JSONBody[r.Credentials]) -> Response[r.Signed]:
    """Sign in; the answer to a failure is the same whatever was wrong."""
    house = house_of(request)
    address, device = address_of(request), device_of(request)
    name = house.accounts.named(data.name)
    served(request).attempts.take(house.sessions.place_of(name, address, device))
    account, token = await house.sessions.sign_in(name, data.password, address, device)
    return _signed(house, account, token)


@post("/sign-out", status_code=HTTP_200_OK)
async def sign_out(request: Asked) -> Response[None]:
    """End this session."""
    await house_of(request).sessions.sign_out(await signed_in(request))
    response: Response[None] = Response(None)
    response.delete_cookie(COOKIE)
    return response


@post("/me/password", status_code=HTTP_200_OK)
async def change_password(request: Asked, data: JSONBody[r.NewPassword]) -> None:
    """Change your password; your other sessions end."""
    house = house_of(request)
    served(request).attempts.take(address_of(request))
    await house.sessions.change_password(await signed_in(request), data.old, data.new)


@post("/me/codes", status_code=HTTP_201_CREATED)
async def new_codes(request: Asked, data: JSONBody[r.OwnPassword]) -> r.RecoveryCodes:
    """Make new recovery codes, which are shown only now; the old ones are worth nothing."""
    house = house_of(request)
    served(request).attempts.take(address_of(request))
    return r.RecoveryCodes(await house.recovery.new_codes(await signed_in(request), data.password))


@put("/me/name")
async def set_display(request: Asked, data: JSONBody[r.NewDisplay]) -> None:
    """Choose what you are called at tables."""
    account = (await signed_in(request)).account
    if account.role != "player":
        raise not_your_part(account.role)
    served(request).attempts.take(address_of(request))
    await house_of(request).accounts.set_display(account.name, data.display)


@get("/names")
async def names(request: Asked, player: PlayerNames = None) -> dict[str, str]:
    """What these players are called at tables, if it is not their names."""
    called = {name: house_of(request).accounts.display(name) for name in player or ()}
    return {name: display for name, display in called.items() if display}


@get("/session")
async def session_now(request: Asked) -> r.Me | None:
    """Your account, or null if you are not signed in; a page asks for this first."""
    session = await session_if_any(request)
    if session is None:
        return None
    return await asyncio.to_thread(_shown, house_of(request), session)


@get("/me")
async def me(request: Asked) -> r.Me:
    """Your account: money, session time, net result and limits."""
    return await asyncio.to_thread(_shown, house_of(request), await signed_in(request))


def _shown(house: House, session: Session) -> r.Me:
    account, protection = session.account, house.protection
    now_ms, lost = house.clock.now_ms(), house.reality.lost(account.name)
    before = session.lost_before
    if before is None:
        before = lost + session.won_earlier
    limits, everywhere = [], counted.stored_of(house.engine, account.name)
    for kind in LIMIT_KINDS:
        own = protection.limits.held.get((account.name, kind, "player"))
        waits = own is not None and own.next_from_ms is not None and own.next_from_ms > now_ms
        limits.append(
            r.LimitShown(
                kind,
                protection.limits.limit(account.name, kind),
                protection.limits.used(account.name, kind, everywhere),
                own.next_amount if own is not None and waits else None,
                own.next_from_ms if own is not None and waits else None,
            )
        )
    return r.Me(
        account.name,
        account.role,
        account.money,
        house.cage.money(account.name),
        (now_ms - session.opened_ms) // MINUTE_MS,
        before - lost,
        protection.excluded.get(account.name, 0),
        tuple(limits),
        house.accounts.display(account.name),
        house.accounts.is_guest(account.name),
        house.recovery.left(account.name),
        account.name in protection.unread,
    )


@put("/me/limits")
async def set_limit(request: Asked, data: JSONBody[r.NewLimit]) -> None:
    """Set your own limit: a stricter one applies at once, a looser one after 24 hours."""
    account = (await signed_in(request)).account
    if account.role != "player":
        raise not_your_part(account.role)
    house = house_of(request)
    await house.set_limit(account.name, account.name, data.kind, "player", data.amount)


@post("/me/exclude", status_code=HTTP_200_OK)
async def exclude(request: Asked, data: JSONBody[r.Exclusion]) -> None:
    """Exclude yourself from play and deposits at once; this cannot be undone."""
    account, house = (await signed_in(request)).account, house_of(request)
    until_ms = house.clock.now_ms() + data.days * DAY_MS
    await house.exclude(account, until_ms, data.reason)


@post("/me/acknowledge", status_code=HTTP_200_OK)
async def acknowledge(request: Asked) -> None:
    """Acknowledge the reality check."""
    house_of(request).protection.unread.discard((await signed_in(request)).account.name)


@post("/me/refill", status_code=HTTP_200_OK)
async def refill(request: Asked, data: JSONBody[r.Refill]) -> Response[Answer]:
    """Get new play money when you have none left."""
    account = (await signed_in(request)).account
    return answered(request, await house_of(request).cage.refill(account, data.id))


HANDLERS: list[Any] = [
    guest, register, sign_in, recover, sign_out, change_password, new_codes, set_display, names,
    session_now, me, set_limit,
    exclude, acknowledge, refill,
]  # fmt: skip  # a list of names
ROUTER = Router("/", route_handlers=HANDLERS, tags=["people"])
