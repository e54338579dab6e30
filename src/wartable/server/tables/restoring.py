"""Restore tables from their journals, starting at a checkpoint if there is one."""

import asyncio
from collections.abc import Iterable

import sqlalchemy as sa

from wartable.server.records import checkpoints, database
from wartable.server.records.keys import HouseKey
from wartable.server.tables.live import LiveTable


async def keep_up(engine: sa.Engine, key: HouseKey, tables: Iterable[LiveTable]) -> None:
    """Save a checkpoint of every table whose next one is due."""
    for live in tables:
        if live.head[0] - live.checkpointed >= checkpoints.ROWS:
            checkpoint = live.checkpoint()
            await asyncio.to_thread(checkpoints.keep, engine, key, live.setup.name, checkpoint)
            live.checkpointed = checkpoint.number


def restore(engine: sa.Engine, key: HouseKey, live: LiveTable) -> None:
    """Fold the table's journal, starting at its last checkpoint if there is one."""
    name = live.setup.name
    checkpoint = checkpoints.latest(engine, key, name)
    after = 0 if checkpoint is None else max(0, checkpoint.number - checkpoints.IDS_MAX)
    live.restore(*database.chain_of(engine, name, after), checkpoint)
