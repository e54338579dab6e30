"""The course of a command: each event is applied to the table once, when it happens."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wartable.table.events import Event, ShoeEnded
from wartable.table.folding import apply
from wartable.table.folding_cards import recorded
from wartable.table.state import Setup, Table


class TableCourse:
    """A table during a command, whose events are added, and thereby applied, one by one."""

    __slots__ = ("state", "steps")

    def __init__(self, state: Table) -> None:
        self.state = state
        self.steps: list[tuple[Event, Table]] = []
        """Each event with the table after it."""

    def add(self, event: Event) -> None:
        """Let the event happen; the end of a shoe gets the hash of its record."""
        if type(event) is ShoeEnded:
            event = recorded(self.state, event)
        self.state = apply(self.state, event)
        self.steps.append((event, self.state))

    def add_all(self, events: Iterable[Event]) -> None:
        """Let the events happen; all of them were decided before the first."""
        for event in events:
            self.add(event)

    def drop(self, before: Table, count: int) -> None:
        """Undo this many steps, as if they had not been tried."""
        self.state = before
        del self.steps[len(self.steps) - count :]


Decides = dict[type[Any], Callable[[Setup, Table, Any], Iterator[Event]]]
"""The events of commands that a table decides by itself, from its state alone."""

Plays = dict[type[Any], Callable[[Setup, TableCourse, Any], None]]
"""What commands do if their events depend on one another."""
