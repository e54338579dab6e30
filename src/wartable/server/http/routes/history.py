"""HTTP for what was played: one's own rounds, the replay of a round, finished shoes."""

import asyncio
from typing import Annotated, Any

import msgspec
from litestar import Response, Router, get
from litestar.di import NamedDependency, Provide
from litestar.params import FromPath, FromQuery, PathParameter, QueryParameter

from wartable.server.audit import history, recall
from wartable.server.audit.history import Ended, Rounds, Total, Wanted
from wartable.server.audit.recall import Replay
from wartable.server.denied import Denied
from wartable.server.house.roles import may
from wartable.server.http.access import Asked, house_of, session_if_any, signed_in
from wartable.shoe import Shoe
from wartable.table import view
from wartable.verify import Record

PAGE_MAX = 200

PathName = FromPath[str]
RoundNumber = Annotated[int, PathParameter(ge=0, le=2**53)]
Moment = Annotated[int, QueryParameter(ge=0, le=2**53)]
MomentIfAny = Annotated[int | None, QueryParameter(ge=0, le=2**53)]
EndedIfAny = FromQuery[Ended | None]
Words = Annotated[str, QueryParameter(max_length=160)]


class Shoes(msgspec.Struct, frozen=True):
    """The public part of the shoe in use, and the last finished shoes, oldest first.

    `wartable verify` and the page's own check read `record`.
    """

    table: str
    current: Shoe | None
    record: Record


async def read_wanted(
    book: Words = "",
    table: Words = "",
    outcome: EndedIfAny = None,
    from_ms: Moment = 0,
    until_ms: MomentIfAny = None,
) -> Wanted:
    """Which rounds a request asks for."""
    return Wanted(book, table, outcome, from_ms, until_ms)


@get("/me/rounds")
async def my_rounds(
    request: Asked,
    wanted: NamedDependency[Wanted],
    after: Words = "",
    limit: Annotated[int, QueryParameter(ge=1, le=PAGE_MAX)] = 50,
) -> Rounds:
    """Your rounds, newest first; `after` is where the previous answer ended."""
    name, engine = (await signed_in(request)).account.name, house_of(request).engine
    return await asyncio.to_thread(history.rounds, engine, name, wanted, after, limit)


@get("/me/rounds.csv", media_type="text/csv; charset=utf-8")
async def my_rounds_csv(request: Asked, wanted: NamedDependency[Wanted]) -> Response[str]:
    """Your rounds as CSV, amounts in cents."""
    name, engine = (await signed_in(request)).account.name, house_of(request).engine
    text = await asyncio.to_thread(history.as_csv, engine, name, wanted)
    headers = {"Content-Disposition": 'attachment; filename="wartable-rounds.csv"'}
    return Response(text, headers=headers)


@get("/me/totals")
async def my_totals(request: Asked) -> list[Total]:
    """The totals of your rounds, book by book: time, staked, returned, net."""
    name = (await signed_in(request)).account.name
    return await asyncio.to_thread(history.totals, house_of(request).engine, name)


@get("/rounds/{table:str}/{number:int}")
async def round_again(request: Asked, table: PathName, number: RoundNumber) -> Replay:
    """A round exactly as it was played, for its players, staff and auditors.

    A dealer sees only the rounds of tables with staff.
    """
    account, house = (await signed_in(request)).account, house_of(request)
    if account.role == "player":
        own = await asyncio.to_thread(history.took_part, house.engine, account.name, table, number)
        if not own:
            raise Denied("no_round", "You have no such round.")
    place = await house.pit.find(table, account)  # also a table at rest
    if account.role == "dealer" and not place.live.setup.staffed:
        raise Denied("not_your_part", "A dealer may see only the rounds of tables with staff.")
    async with house.recalling:
        found = await asyncio.to_thread(
            recall.replay, house.engine, house.key, table, number, may(account.role, "records")
        )
    shoe = place.live.state.shoe  # not before: another may have been taken while others recalled
    if shoe is not None and shoe.commitment == found.round.commitment:
        return msgspec.structs.replace(found, burned=())
    return found


@get("/tables/{name:str}/shoes")
async def shoes(request: Asked, name: PathName) -> Shoes:
    """The current commitment, and the last finished shoes with all that their check needs."""
    session = await session_if_any(request)
    place = await house_of(request).pit.find(name, None if session is None else session.account)
    return Shoes(name, view(place.live.state).shoe, Record(tuple(place.live.finished)))


HANDLERS: list[Any] = [my_rounds, my_rounds_csv, my_totals, round_again, shoes]
ROUTER = Router(
    "/", route_handlers=HANDLERS, tags=["history"], dependencies={"wanted": Provide(read_wanted)}
)
