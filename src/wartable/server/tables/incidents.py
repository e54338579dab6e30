"""The irregular events at a table, for the floor."""

import msgspec

from wartable.game import RoundVoided
from wartable.server.records.results import wagered
from wartable.server.records.rows import Row
from wartable.table import Table
from wartable.table.events import Event

INCIDENTS_MAX = 20
"""How many incidents of a table are remembered."""


class TableIncident(msgspec.Struct, frozen=True):
    """Something irregular at a table: when, in which round, and what."""

    at_ms: int
    round: int
    event: Event


def incidents_of(row: Row, before: Table, events: tuple[Event, ...]) -> tuple[TableIncident, ...]:
    """The irregularities in a row; voiding a round without wagers is not one."""
    return tuple(
        [
            TableIncident(row.at_ms, before.rounds, event)
            for event in events
            if event.irregular and (wagered(before) or not isinstance(event, RoundVoided))
        ]
    )
