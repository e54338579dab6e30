"""Significant events written while the house is closed."""

from contextlib import closing

from wartable.server.records import database, store
from wartable.server.records.decisions import of_house
from wartable.server.records.journal import START, Chain
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Note
from wartable.server.records.rows import OFFICE, Statement


def write_note(
    address: str, key: HouseKey, actor: str, note: Note, now_ms: int, *statements: Statement
) -> None:
    """Add the event to the office's rows and run the statements, both or neither."""
    engine = database.engine_for(address)
    head = database.head_of(engine, OFFICE) or START
    rows = database.rows_of(engine, OFFICE, head[0] - 1)
    at_ms = max([now_ms, *(row.at_ms for row in rows)])
    engine.dispose()
    decision, id_ = of_house(OFFICE, note), f"note-{head[0] + 1}"
    entry = Chain(OFFICE, key).entry(head, at_ms, actor, id_, decision, statements=statements)
    with closing(store.writing_connection(address)) as connection:
        store.write_batch(connection, [entry])
