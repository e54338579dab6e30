"""HTTP for the house: lobby, tables, staff, operators' wallets, records."""

import asyncio
from typing import Annotated, Any

import msgspec
from litestar import Response, Router, get, post, put
from litestar.params import HeaderParameter, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED

from wartable.server.audit import selfcheck
from wartable.server.denied import Denied
from wartable.server.house.closures import Closure
from wartable.server.http import requests as r
from wartable.server.http.access import (
    Asked,
    PathName,
    address_of,
    house_of,
    operator,
    served,
    session_if_any,
    signed_in,
    with_right,
)
from wartable.server.http.routes import console, disputes, records, staff, upkeep
from wartable.server.http.routes.people import answered
from wartable.server.http.wire import NO_ZERO, ZERO, CommandForm, to_command
from wartable.server.opening import SharedTable
from wartable.server.period import read_moment
from wartable.server.records import database, table_leases
from wartable.server.records.answers import Answer
from wartable.server.records.messages import Note, PayIn, PayOut, without_fingerprint
from wartable.server.records.rows import OFFICE
from wartable.server.running import House
from wartable.server.tables.bots import Bots, check_asker
from wartable.server.tables.listeners import Snapshot
from wartable.server.tables.lobby import Lobby
from wartable.table import view

EVENTS_MAX = 500
IdempotencyKey = Annotated[
    str, HeaderParameter(name="Idempotency-Key", min_length=1, max_length=64)
]


@get("/lobby")
async def lobby(request: Asked) -> Lobby:
    """The shared tables with live counts, limits, books and meters."""
    return house_of(request).lobby()


@post("/tables/private", status_code=HTTP_201_CREATED)
async def private_table(request: Asked, data: JSONBody[r.PrivateTable]) -> r.OpenedTable:
    """Open your private table of that book, where you deal on demand."""
    account, pit = (await signed_in(request)).account, house_of(request).pit
    place = await pit.open_private(account, data.book, address_of(request))
    return r.OpenedTable(place.live.setup.name, data.book, place.digest)


@post("/tables", status_code=HTTP_201_CREATED)
async def shared_table(request: Asked, data: JSONBody[SharedTable]) -> r.OpenedTable:
    """Open another shared table; a book below the return floor is refused."""
    by = await with_right(request, "open_tables")
    place = await house_of(request).pit.open_shared(by, data)
    return r.OpenedTable(data.name, data.book, place.digest)


@get("/tables/{name:str}")
async def table_now(request: Asked, name: PathName) -> Snapshot:
    """A table as anybody may see it."""
    session = await session_if_any(request)
    account = None if session is None else session.account
    place = await house_of(request).pit.find(name, account, address_of(request))
    return Snapshot(name, place.live.head[0], view(place.live.state))


@post("/tables/{name:str}/commands", status_code=HTTP_200_OK)
async def command(request: Asked, name: PathName, data: JSONBody[CommandForm]) -> Response[Answer]:
    """Give a command at a table, as over the WebSocket."""
    house, session = house_of(request), await signed_in(request)
    served(request).commands.take(session.account.name)
    if ZERO in await request.body():
        raise Denied("malformed", NO_ZERO)
    house.reality.due(session)
    account = session.account
    asked = to_command(data, account.name, house.clock.now_ms(), house.new_seed)
    address, meant = address_of(request), getattr(data, "round", None)
    return answered(
        request, await house.dispatch.command(account, name, data.id, asked, address, meant)
    )


@post("/tables/{name:str}/bots", status_code=HTTP_200_OK)
async def bring_bots(request: Asked, name: PathName, data: JSONBody[r.BotsWanted]) -> r.Named:
    """Have bots sit down, up to the number of free seats."""
    return r.Named(await (await _bots(request, name)).come(data.count))


@post("/tables/{name:str}/bots/leave", status_code=HTTP_200_OK)
async def dismiss_bots(request: Asked, name: PathName, data: JSONBody[r.BotsUnwanted]) -> r.Named:
    """Have bots leave, once they have nothing at stake."""
    return r.Named((await _bots(request, name)).dismiss(data.count))


async def _bots(request: Asked, name: str) -> Bots:
    """The bots of a table, if the caller may call and dismiss them."""
    account = (await signed_in(request)).account
    house = house_of(request)
    check_asker(await house.pit.find(name, account, address_of(request)), account)
    return house.floor.company[name]


@get("/closures")
async def closures(request: Asked) -> list[Closure]:
    """What is disabled now."""
    await with_right(request, "disable", "records")
    return list(house_of(request).protection.closures.values())


async def _is_elsewhere(house: House, name: str) -> bool:
    """Whether another server of this house has that table open, or may open it now."""
    if house.placing.carrier is None or name in house.placing.shared:
        return name in house.placing.shared
    return await asyncio.to_thread(table_leases.server_of, house.engine, name) is not None


async def _check_closing(house: House, data: r.Closing) -> None:
    """Deny disabling something that does not exist."""
    known = {
        "gaming": data.name == "",
        "book": data.name in house.config.books,
        "table": data.name in house.floor.places or await _is_elsewhere(house, data.name),
    }
    if data.scope == "player":
        await house.accounts.find(data.name)
    elif not known[data.scope]:
        raise Denied("nothing_there", f"There is no such {data.scope}.")


@post("/disable", status_code=HTTP_200_OK)
async def disable(request: Asked, data: JSONBody[r.Closing]) -> None:
    """Stop taking new wagers: everywhere, by a book, at a table, or from a player."""
    by, house = await with_right(request, "disable"), house_of(request)
    await _check_closing(house, data)
    await house.disable(by.name, data.scope, data.name, data.reason)


@post("/enable", status_code=HTTP_200_OK)
async def enable(request: Asked, data: JSONBody[r.Closing]) -> None:
    """Take wagers again."""
    by, house = await with_right(request, "disable"), house_of(request)
    await house.enable(by.name, data.scope, data.name, data.reason)


@post("/clock", status_code=HTTP_200_OK)
async def confirm_time(request: Asked, data: JSONBody[r.TimeConfirmed]) -> None:
    """Confirm the time by a trusted clock: rounds continue if the machine shows the same."""
    by, house = await with_right(request, "clock"), house_of(request)
    await house.confirm_time(by.name, read_moment(data.time), data.reason)


@put("/limits")
async def operator_limit(request: Asked, data: JSONBody[r.OperatorLimit]) -> None:
    """Set the operator's limit for an account or for everybody."""
    by = await with_right(request, "set_limits")
    house = house_of(request)
    if data.account != "*":
        await house.accounts.find(data.account)
    await house.set_limit(by.name, data.account, data.kind, "operator", data.amount)


@post("/accounts", status_code=HTTP_201_CREATED)
async def open_account(request: Asked, data: JSONBody[r.NewAccount]) -> r.Wallet:
    """Open an account for somebody, with any role."""
    by = await with_right(request, "accounts")
    house = house_of(request)
    await house.accounts.open(by.name, data.name, data.password, data.role, data.money)
    return r.Wallet(data.name, {"wallet": 0})


@put("/accounts/{name:str}/role")
async def change_role(request: Asked, name: PathName, data: JSONBody[r.NewRole]) -> None:
    """Give an account another role; its sessions end."""
    by = await with_right(request, "accounts")
    await house_of(request).change_role(by.name, name, data.role, data.reason)


@post("/accounts/{name:str}/password", status_code=HTTP_200_OK)
async def new_password(request: Asked, name: PathName, data: JSONBody[r.Reasoned]) -> r.Made:
    """Make a password for somebody who lost theirs; their sessions end, and a lock is lifted."""
    by = await with_right(request, "accounts")
    made = await house_of(request).sessions.new_password(by.name, name, data.reason)
    return r.Made(name, made)


@post("/keys", status_code=HTTP_201_CREATED)
async def make_key(request: Asked, data: JSONBody[r.NewKey]) -> r.Key:
    """Make a key for an operator's own cashier."""
    by = await with_right(request, "keys")
    return r.Key(data.name, await house_of(request).operator_keys.make(by.name, data.name))


@post("/keys/{name:str}/revoke", status_code=HTTP_200_OK)
async def revoke_key(request: Asked, name: PathName, data: JSONBody[r.Reasoned]) -> None:
    """Revoke a key."""
    by = await with_right(request, "keys")
    await house_of(request).operator_keys.revoke(by.name, name, data.reason)


@post("/wallets/{name:str}/deposit", status_code=HTTP_200_OK)
async def deposit(
    request: Asked, name: PathName, data: JSONBody[r.Movement], key: IdempotencyKey
) -> Response[Answer]:
    """Pay into a wallet, once for each idempotency key."""
    by, house = await operator(request), house_of(request)
    await _deposited(house, name)
    return answered(request, await house.cage.pay(by, key, PayIn(name, data.amount)))


@post("/wallets/{name:str}/withdraw", status_code=HTTP_200_OK)
async def withdraw(
    request: Asked, name: PathName, data: JSONBody[r.Movement], key: IdempotencyKey
) -> Response[Answer]:
    """Pay out of a wallet, once for each idempotency key."""
    by, house = await operator(request), house_of(request)
    await _deposited(house, name)
    return answered(request, await house.cage.pay(by, key, PayOut(name, data.amount)))


async def _deposited(house: House, name: str) -> None:
    """Deny mixing play money with deposited money."""
    if (await house.accounts.find(name)).money != "deposited":
        raise Denied("play_money", "This account has play money, which cannot be paid in or out.")


@get("/wallets/{name:str}")
async def wallet(request: Asked, name: PathName) -> r.Wallet:
    """What a player holds."""
    await operator(request)
    house = house_of(request)
    await house.accounts.find(name)
    return r.Wallet(name, await asyncio.to_thread(house.cage.money, name))


@get("/records/significant")
async def significant(
    request: Asked, after: Annotated[int, QueryParameter(ge=0, le=2**53)] = 0
) -> list[r.SignificantEvent]:
    """The significant events after that number, at most 500 at a time."""
    by, house = await with_right(request, "records"), house_of(request)

    def read() -> list[r.SignificantEvent]:
        found = []
        for row in database.rows_of(house.engine, OFFICE, after):
            note = msgspec.json.decode(row.command, type=Note)
            values = (note.kind, note.subject, note.reason, note.before)
            told = (row.number, row.at_ms, row.actor, *values, without_fingerprint(note.after))
            found.append(r.SignificantEvent(*told))
            if len(found) == EVENTS_MAX:
                break
        return found

    return await house.turns.read(by.name, read)


@post("/selfcheck", status_code=HTTP_200_OK)
async def self_check(request: Asked) -> r.SelfCheck:
    """Check code, rule books and tables now; a difference from the approved disables all gaming."""
    await with_right(request, "records")
    house = house_of(request)
    wrong = await selfcheck.check_house(house.engine, house.office, house.stop_gaming)
    return r.SelfCheck(not wrong, wrong)


TABLES: list[Any] = [
    lobby, private_table, shared_table, table_now, command, bring_bots, dismiss_bots,
]  # fmt: skip  # a list of names
STAFF: list[Any] = [
    closures, disable, enable, confirm_time, operator_limit, open_account, change_role,
    new_password, make_key, revoke_key, significant, self_check,
]  # fmt: skip  # a list of names
WALLETS: list[Any] = [deposit, withdraw, wallet]
ROUTERS = [
    Router("/", route_handlers=TABLES, tags=["tables"]),
    Router(
        "/",
        route_handlers=[
            *STAFF,
            *staff.HANDLERS,
            *console.HANDLERS,
            *records.HANDLERS,
            *disputes.HANDLERS,
            *upkeep.HANDLERS,
        ],
        tags=["staff"],
    ),
    Router("/", route_handlers=WALLETS, tags=["wallets"]),
]
