"""What was irregular at a table, for the floor."""

import msgspec

from wartable.game import BoxVoided, RoundVoided
from wartable.server.records.results import wagered
from wartable.server.records.rows import Row
from wartable.table import Table
from wartable.table.events import (
    CardSetAside,
    CountDiffered,
    DeviceFailed,
    DrawnInError,
    Event,
    Jammed,
    RecutOrdered,
    ReshuffleOrdered,
)

INCIDENTS_MAX = 20
"""How many incidents of a table are remembered."""

IRREGULAR = frozenset(
    {
        BoxVoided, CardSetAside, CountDiffered, DeviceFailed, DrawnInError, Jammed, RecutOrdered,
        ReshuffleOrdered, RoundVoided,
    }
)  # fmt: skip  # a list of names


class TableIncident(msgspec.Struct, frozen=True):
    """Something irregular at a table: when, in which round, and what."""

    at_ms: int
    round: int
    event: Event


def incidents_of(row: Row, before: Table, events: tuple[Event, ...]) -> tuple[TableIncident, ...]:
    """What a row says of irregularities; a round without wagers is voided in good order."""
    if IRREGULAR.isdisjoint(map(type, events)):
        return ()
    return tuple(
        TableIncident(row.at_ms, before.rounds, event)
        for event in events
        if type(event) in IRREGULAR and (wagered(before) or not isinstance(event, RoundVoided))
    )
