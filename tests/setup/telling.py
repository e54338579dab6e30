"""What a journal lets be told: each row of a table as its listeners may see it."""

import sqlalchemy as sa

from wartable.server.records import database, journal, messages
from wartable.server.records.keys import HouseKey
from wartable.server.tables.listeners import Happened
from wartable.table import view_event


def tellable(engine: sa.Engine, key: HouseKey, name: str) -> dict[int, Happened]:
    """Every row of the table by its number."""
    found = {}
    for row in database.rows_of(engine, name):
        events = messages.at_table(journal.read_row(row, key)[1])
        shown = tuple(view_event(event) for event in events)
        found[row.number] = Happened(name, row.number, row.at_ms, shown)
    return found
