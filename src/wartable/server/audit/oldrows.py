"""The rows of version 0.1.0, in the order in which their events are written now.

Those rows are chained and can never be rewritten.
"""

from itertools import pairwise

from wartable.game import Closed
from wartable.server.records.messages import Event
from wartable.table.events import CardsCollected


def in_order(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The events with the last cards racked before the round is closed, as they are now."""
    for place, (event, after) in enumerate(pairwise(events)):
        if isinstance(event, Closed) and isinstance(after, CardsCollected):
            return (*events[:place], after, event, *events[place + 2 :])
    return events
