"""HTTP for past play: a player's rounds, the replay of a round, finished shoes."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any

import msgspec
from litestar import Router, get
from litestar.di import NamedDependency, Provide
from litestar.params import FromQuery, PathParameter, QueryParameter
from litestar.response import Stream

from wartable.server.audit import finished, history, recall
from wartable.server.audit.finished import Shoes
from wartable.server.audit.history import Ended, Rounds, Total, Wanted
from wartable.server.audit.recall import Replay
from wartable.server.denied import Denied
from wartable.server.house.roles import may
from wartable.server.http.access import (
    Asked,
    PathName,
    address_of,
    house_of,
    session_if_any,
    signed_in,
)

PAGE_MAX = 200
SHOES_PAGE_MAX = 50
PART_BYTES = 65_536

RoundNumber = Annotated[int, PathParameter(ge=0, le=2**53)]
QueryMs = Annotated[int, QueryParameter(ge=0, le=2**53)]
QueryMsIfAny = Annotated[int | None, QueryParameter(ge=0, le=2**53)]
QueryRowIfAny = Annotated[int | None, QueryParameter(ge=1, le=2**53)]
EndedIfAny = FromQuery[Ended | None]
QueryText = Annotated[str, QueryParameter(max_length=160)]


async def read_wanted(
    book: QueryText = "",
    table: QueryText = "",
    outcome: EndedIfAny = None,
    from_ms: QueryMs = 0,
    until_ms: QueryMsIfAny = None,
) -> Wanted:
    """Which rounds a request asks for."""
    return Wanted(book, table, outcome, from_ms, until_ms)


@get("/me/rounds")
async def my_rounds(
    request: Asked,
    wanted: NamedDependency[Wanted],
    after: QueryText = "",
    limit: Annotated[int, QueryParameter(ge=1, le=PAGE_MAX)] = 50,
) -> Rounds:
    """Your rounds, newest first; `after` is where the previous answer ended."""
    name, house = (await signed_in(request)).account.name, house_of(request)
    reading = partial(history.rounds, house.engine, name, wanted, after, limit)
    return await house.turns.read(name, reading)


@get("/me/rounds.csv", media_type="text/csv; charset=utf-8")
async def my_rounds_csv(request: Asked, wanted: NamedDependency[Wanted]) -> Stream:
    """Your rounds as CSV, amounts in cents."""
    name, house = (await signed_in(request)).account.name, house_of(request)
    text = await house.turns.read(name, partial(history.as_csv, house.engine, name, wanted))
    headers = {"Content-Disposition": 'attachment; filename="wartable-rounds.csv"'}
    return Stream(in_parts(text.encode()), headers=headers)


async def in_parts(data: bytes) -> AsyncIterator[bytes]:
    """A long answer in parts, so that others are answered while it is compressed and sent."""
    for start in range(0, len(data), PART_BYTES):
        yield data[start : start + PART_BYTES]
        await asyncio.sleep(0)


@get("/me/totals")
async def my_totals(request: Asked) -> list[Total]:
    """The totals of your rounds, book by book: time, staked, returned, net."""
    name, house = (await signed_in(request)).account.name, house_of(request)
    return await house.turns.read(name, partial(history.totals, house.engine, name))


@get("/rounds/{table:str}/{number:int}")
async def round_again(request: Asked, table: PathName, number: RoundNumber) -> Replay:
    """A round exactly as it was played, for its players, staff and auditors.

    A dealer sees only the rounds of tables with staff.
    """
    account, house = (await signed_in(request)).account, house_of(request)
    if not may(account.role, "look"):
        own = await asyncio.to_thread(history.took_part, house.engine, account.name, table, number)
        if not own:
            raise Denied("no_round", "You have no such round.")
    place = await house.pit.find(table, account, address_of(request))  # it may sleep
    if account.role == "dealer" and not place.live.setup.staffed:
        raise Denied("not_your_part", "A dealer may see only the rounds of tables with staff.")
    whole = may(account.role, "records")
    reading = partial(recall.replay, house.engine, house.key, table, number, whole)
    found = await house.turns.read(account.name, reading)
    shoe = place.live.state.shoe  # only now, as the table may have begun another shoe meanwhile
    if shoe is not None and shoe.commitment == found.round.commitment:
        return msgspec.structs.replace(found, burned=())
    return found


@get("/tables/{name:str}/shoes")
async def shoes(
    request: Asked,
    name: PathName,
    after: QueryRowIfAny = None,
    limit: Annotated[int, QueryParameter(ge=1, le=SHOES_PAGE_MAX)] = 5,
) -> Shoes:
    """The current commitment, and finished shoes with all that their check needs.

    The newest come first; `after` is where the previous answer ended.
    """
    session, house = await session_if_any(request), house_of(request)
    account, address = None if session is None else session.account, address_of(request)
    await house.pit.find(name, account, address)
    reading = partial(finished.page, house.engine, house.key, name, after, limit)
    return await house.turns.read(address if account is None else account.name, reading)


HANDLERS: list[Any] = [my_rounds, my_rounds_csv, my_totals, round_again, shoes]
ROUTER = Router(
    "/", route_handlers=HANDLERS, tags=["history"], dependencies={"wanted": Provide(read_wanted)}
)
