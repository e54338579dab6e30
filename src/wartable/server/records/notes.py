"""Significant events that are written while the house is closed."""

from contextlib import closing

from wartable.server.records import database, journal, messages, store
from wartable.server.records.journal import Entry, Statement
from wartable.server.records.messages import OFFICE, Note


def write_note(
    address: str, key: bytes, actor: str, note: Note, now_ms: int, *statements: Statement
) -> None:
    """Add the event to the office's rows and carry out the statements, both or neither."""
    engine = database.engine_for(address)
    head = database.head_of(engine, OFFICE) or (0, journal.GENESIS)
    at_ms = max(now_ms, database.last_ms(engine))
    engine.dispose()
    events = messages.decide(None, None, note)
    id_ = f"note-{head[0] + 1}"
    row = journal.new_row(head, OFFICE, at_ms, actor, id_, note, events, key)
    with closing(store.writing_connection(address)) as connection:
        store.write_batch(connection, [Entry(row, (), 0, statements)])
