"""HTTP for disputes: a player says that a round is wrong, staff read it and the floor answers."""

import asyncio
from typing import Annotated, Any

import msgspec
from litestar import get, post
from litestar.params import JSONBody, PathParameter
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED

from wartable.server.house.complaints import Dispute
from wartable.server.http import requests as r
from wartable.server.http.access import (
    Asked,
    house_of,
    looking_on,
    looking_with_right,
    signed_in,
    with_right,
)
from wartable.server.records import database
from wartable.server.records.facts import DisputeEnd
from wartable.server.records.results import RoundResult

SHOWN_MAX = 200
"""How many disputes a list shows."""

DisputeNumber = Annotated[int, PathParameter(ge=1, le=2**53)]
Words = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]


class NewDispute(r.RequestBody, frozen=True):
    """A closed round of yours, and what is wrong with it."""

    table: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
    round: Annotated[int, msgspec.Meta(ge=1, le=2**53)]
    words: Words


class NewAnswer(r.RequestBody, frozen=True):
    """How a dispute ends, what the house pays if it corrects the round, and why."""

    end: DisputeEnd
    words: Words
    amount: Annotated[int, msgspec.Meta(ge=0, le=10**12)] = 0


class DisputeShown(msgspec.Struct, frozen=True):
    """A dispute with what the round cost and returned, as staff see it."""

    dispute: Dispute
    result: RoundResult | None


@post("/me/disputes", status_code=HTTP_201_CREATED)
async def raise_dispute(request: Asked, data: JSONBody[NewDispute]) -> Dispute:
    """Say that something is wrong with a round of yours; the floor answers."""
    account, house = (await signed_in(request)).account, house_of(request)
    return await house.disputes.dispute(account, data.table, data.round, data.words)


@get("/me/disputes")
async def my_disputes(request: Asked) -> list[Dispute]:
    """Your disputes with their answers, the newest first, at most 200."""
    name = (await looking_on(request)).account.name
    known = house_of(request).disputes.known.all.values()
    return [each for each in reversed(list(known)) if each.player == name][:SHOWN_MAX]


@get("/disputes")
async def disputes(request: Asked) -> list[DisputeShown]:
    """The open disputes, the oldest first, then the answered ones, the newest first.

    At most 200 of each, for the floor, auditors and administrators.
    """
    await looking_with_right(request, "disputes", "records")
    house = house_of(request)
    known = house.disputes.known
    answered = [each for each in reversed(list(known.all.values())) if each.answer is not None]
    shown = [*known.open()[:SHOWN_MAX], *answered[:SHOWN_MAX]]

    def read() -> list[DisputeShown]:
        return [DisputeShown(each, house.disputes.result(each)) for each in shown]

    return await asyncio.to_thread(read)


@post("/disputes/{number:int}/answer", status_code=HTTP_200_OK)
async def answer_dispute(
    request: Asked, number: DisputeNumber, data: JSONBody[NewAnswer]
) -> Dispute:
    """Answer a dispute: the round stands, or the house pays back what it cost, or an amount."""
    by, house = await with_right(request, "disputes"), house_of(request)
    table = house.disputes.find(number).table
    setup = await asyncio.to_thread(database.setup_of, house.engine, table)
    banked = setup.rules.bank is not None
    return await house.disputes.answer(by, number, data.end, data.amount, data.words, banked)


HANDLERS: list[Any] = [raise_dispute, my_disputes, disputes, answer_dispute]
