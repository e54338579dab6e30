"""HTTP for reports: any period as JSON and CSV, the returns, rounds found by player and table."""

from functools import partial
from io import StringIO
from typing import Annotated, Any

import msgspec
from litestar import get
from litestar.params import QueryParameter
from litestar.response import Stream

from wartable.server.audit import history, reports
from wartable.server.audit.export import write_lines
from wartable.server.audit.history import Rounds
from wartable.server.audit.reports import HouseReport
from wartable.server.audit.returns import ReturnLine, returns
from wartable.server.audit.significant import LARGE_WIN
from wartable.server.denied import Denied
from wartable.server.house.accounts import Account
from wartable.server.http.access import Asked, house_of, with_right
from wartable.server.http.routes.history import in_parts
from wartable.server.period import Period, read_moment
from wartable.server.running import House

EVENTS_MAX = 100
"""How many significant events a report has as JSON; the CSV has all."""
ROUNDS_MAX = 200

QueryMoment = Annotated[str, QueryParameter(max_length=40)]
QueryPlayer = Annotated[str, QueryParameter(max_length=64)]
QueryTable = Annotated[str, QueryParameter(max_length=80)]
QueryCents = Annotated[int, QueryParameter(ge=1, le=10**12)]


def _period(since: str, until: str) -> Period:
    """The period between two dates; empty is unbounded."""
    found = Period(read_moment(since) if since else 0, read_moment(until) if until else None)
    if found.until_ms is not None and found.until_ms <= found.from_ms:
        raise Denied("bad_time", "The period must end after it begins.")
    return found


async def _report(by: Account, house: House, since: str, until: str, large: int) -> HouseReport:
    period = _period(since, until)
    reading = partial(reports.report, house.engine, house.key, period, large)
    return await house.turns.read(by.name, reading)


@get("/records/report")
async def report(
    request: Asked, since: QueryMoment = "", until: QueryMoment = "", large: QueryCents = LARGE_WIN
) -> HouseReport:
    """A report on any period: returns, money owed, large wins, meters, banked rounds, events."""
    by = await with_right(request, "records")
    found = await _report(by, house_of(request), since, until, large)
    return msgspec.structs.replace(found, significant=found.significant[-EVENTS_MAX:])


@get("/records/report.csv", media_type="text/csv; charset=utf-8")
async def report_csv(
    request: Asked,
    part: Annotated[str, QueryParameter(max_length=20)] = "returns",
    since: QueryMoment = "",
    until: QueryMoment = "",
    large: QueryCents = LARGE_WIN,
) -> Stream:
    """One table of a report as CSV, amounts in cents."""
    by = await with_right(request, "records")
    tables = reports.csv_tables(await _report(by, house_of(request), since, until, large))
    if part not in tables:
        raise Denied("malformed", f"A report has the parts {', '.join(tables)}, not {part}.")
    text = StringIO()
    write_lines(text, *tables[part])
    headers = {"Content-Disposition": f'attachment; filename="wartable-{part}.csv"'}
    return Stream(in_parts(text.getvalue().encode()), headers=headers)


@get("/records/returns")
async def all_returns(
    request: Asked, since: QueryMoment = "", until: QueryMoment = ""
) -> list[ReturnLine]:
    """The return of each wager against theory; without a period, new doubts go to the office."""
    by, house = await with_right(request, "records"), house_of(request)
    if not since and not until:
        return list(await house.returns.look(by.name))
    reading = partial(returns, house.engine, house.key, _period(since, until))
    return list(await house.turns.read(by.name, reading))


@get("/records/rounds")
async def rounds_of(
    request: Asked,
    player: QueryPlayer = "",
    table: QueryTable = "",
    since: QueryMoment = "",
    until: QueryMoment = "",
    after: Annotated[str, QueryParameter(max_length=160)] = "",
) -> Rounds:
    """The rounds of a player or of everybody, newest first; for the floor and above."""
    account, house = await _round_reader(request, player), house_of(request)
    period = _period(since, until)
    wanted = history.Wanted("", table, None, period.from_ms, period.until_ms)
    reading = partial(history.rounds, house.engine, player, wanted, after, ROUNDS_MAX)
    return await house.turns.read(account.name, reading)


@get("/records/statement.csv", media_type="text/csv; charset=utf-8")
async def statement(
    request: Asked,
    player: Annotated[str, QueryParameter(min_length=1, max_length=64)],
    since: QueryMoment = "",
    until: QueryMoment = "",
) -> Stream:
    """The statement that a player gets of a period: every round, amounts in cents."""
    account, house = await _round_reader(request, player), house_of(request)
    period = _period(since, until)
    wanted = history.Wanted("", "", None, period.from_ms, period.until_ms)
    reading = partial(history.as_csv, house.engine, player, wanted)
    text = await house.turns.read(account.name, reading)
    headers = {"Content-Disposition": f'attachment; filename="statement-{player}.csv"'}
    return Stream(in_parts(text.encode()), headers=headers)


async def _round_reader(request: Asked, player: str) -> Account:
    """The caller, who must be floor, auditor or administrator; the player must exist."""
    account = await with_right(request, "disable", "records")
    if player:
        await house_of(request).accounts.find(player)
    return account


HANDLERS: list[Any] = [report, report_csv, all_returns, rounds_of, statement]
