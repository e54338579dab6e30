"""The course of a command: each event is applied to the table once, when it happens."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wartable.table.events import Event, ShoeEnded
from wartable.table.folding import apply
from wartable.table.folding_cards import recorded
from wartable.table.state import Setup, Table


class TableCourse:
    """A table during a command; each event is applied as soon as it is added."""

    __slots__ = ("state", "steps")

    def __init__(self, state: Table) -> None:
        self.state = state
        self.steps: list[tuple[Event, Table]] = []
        """Each event with the table after it."""

    def add(self, event: Event) -> None:
        """Add the event and apply it; the end of a shoe gets the hash of its record."""
        if type(event) is ShoeEnded:
            event = recorded(self.state, event)
        self.state = apply(self.state, event)
        self.steps.append((event, self.state))

    def add_all(self, events: Iterable[Event]) -> None:
        """Add and apply the events, which were all decided before the first was applied."""
        for event in events:
            self.add(event)

    def drop(self, before: Table, count: int) -> None:
        """Undo this many steps, as if they had not been tried."""
        self.state = before
        del self.steps[len(self.steps) - count :]


Decides = dict[type[Any], Callable[[Setup, Table, Any], Iterator[Event]]]
"""For each command whose events follow from the state alone, the function that yields them."""

Plays = dict[type[Any], Callable[[Setup, TableCourse, Any], None]]
"""For each command whose events depend on one another, the function that adds them."""
