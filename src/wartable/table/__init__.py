"""One table, pure like the round: seats, boxes, bank, meters, shoes and irregularities."""

from wartable.table.commands import Command
from wartable.table.events import Event
from wartable.table.folding import apply, fold
from wartable.table.play import Due, TableMove, awaits, decide, legal, price, prices, step, steps
from wartable.table.state import PLATFORM, Guest, MeterState, Setup, Table, new_setup, start
from wartable.table.view import view, view_event, view_events

__all__ = [
    "PLATFORM",
    "Command",
    "Due",
    "Event",
    "Guest",
    "MeterState",
    "Setup",
    "Table",
    "TableMove",
    "apply",
    "awaits",
    "decide",
    "fold",
    "legal",
    "new_setup",
    "price",
    "prices",
    "start",
    "step",
    "steps",
    "view",
    "view_event",
    "view_events",
]
