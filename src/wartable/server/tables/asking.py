"""Asking a table: its answer within a time, also to an id that it has forgotten."""

import asyncio

import sqlalchemy as sa

from wartable.server.records import database
from wartable.server.records.answers import Accepted, Answer, RefusedCommand, repeated
from wartable.server.tables.live import NO_ANSWER, PASSING, LiveTable
from wartable.table.commands import Command

ANSWER_S = 30


async def ask(engine: sa.Engine, live: LiveTable, actor: str, id_: str, command: Command) -> Answer:
    """The table's answer; what it refuses may be what the journal has under that id for long."""
    try:
        answer = await asyncio.wait_for(live.submit(actor, id_, command), ANSWER_S)
        if isinstance(answer, Accepted) or answer.code in PASSING:
            return answer
        old = await asyncio.to_thread(database.carried_out, engine, live.setup.name, id_)
    except (TimeoutError, sa.exc.SQLAlchemyError):
        return RefusedCommand(id_, *NO_ANSWER)
    return answer if old is None else repeated(id_, command, *old)
