"""Restore tables from their journals, starting at a checkpoint if there is one."""

import asyncio
from collections.abc import Iterable
from functools import partial

import sqlalchemy as sa

from wartable.rules import Book
from wartable.server.records import checkpoints, database, journal, keyed, messages
from wartable.server.records.journal import Broken
from wartable.server.records.keys import HouseKey
from wartable.server.tables.live import LiveTable
from wartable.table import Setup


async def keep_up(engine: sa.Engine, key: HouseKey, tables: Iterable[LiveTable]) -> None:
    """Save a checkpoint of every table whose next one is due."""
    for live in tables:
        if live.head[0] - live.checkpointed >= checkpoints.ROWS:
            checkpoint = live.checkpoint()
            await asyncio.to_thread(checkpoints.keep, engine, key, live.setup.name, checkpoint)
            live.checkpointed = checkpoint.number


def opened(engine: sa.Engine, key: HouseKey, name: str) -> tuple[Book, Setup]:
    """The book and the setup of a table; `Broken` unless its first row opened it with these."""
    with database.reading(engine) as connection:
        first = next(database.rows_of(connection, name), None)
        if first is None or not keyed.genuine(connection, key, first):
            raise Broken(first, "this house did not write it, and it opens the table")
        book, _ = database.opened_with(connection, name)
        setup = database.setup_of(connection, name)
    command = journal.read_command(first.command)
    made = messages.opening(book.digest, setup)
    if (
        not isinstance(command, messages.OpenTable)
        or messages.as_recorded(made, command) != command
    ):
        raise Broken(first, "the table was opened with another book or setup than is stored")
    return book, setup


def restore(engine: sa.Engine, key: HouseKey, live: LiveTable) -> None:
    """Fold the table's journal, starting at its last checkpoint if there is one.

    Missing checkpoints are saved on the way, so that a page of old shoes need not fold all rows.
    """
    name = live.setup.name
    checkpoint = checkpoints.latest(engine, key, name)
    after = 0 if checkpoint is None else max(0, checkpoint.number - checkpoints.IDS_MAX)
    rows, head = database.chain_of(engine, name, after)
    keep = partial(checkpoints.keep, engine, key, name)
    live.restore(keyed.coded(engine, key, rows), head, checkpoint, keep)
