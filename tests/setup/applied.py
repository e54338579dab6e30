"""Which events are applied to rounds and tables, one after the other, while something happens."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest import mock

from wartable import game, table
from wartable.game import folding as round_folding
from wartable.table import folding as table_folding


class Applied(NamedTuple):
    """The events in the order in which they were applied."""

    to_rounds: list[game.GameEvent]
    to_tables: list[table.Event]

    def check(self, events: tuple[Any, ...]) -> None:
        """Exactly these events were applied to the table, and those of the round to the round."""
        assert self.to_tables == list(events)
        assert self.to_rounds == [event for event in events if isinstance(event, game.GameEvent)]


@contextmanager
def applied() -> Iterator[Applied]:
    """Watch what is applied meanwhile."""
    seen = Applied([], [])

    def watched(folding: Any, events: list[Any]) -> Any:
        def watch(change: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
            def watching(state: Any, event: Any) -> Any:
                events.append(event)
                return change(state, event)

            return watching

        changes = {kind: watch(change) for kind, change in folding._APPLY.items()}
        return mock.patch.object(folding, "_APPLY", changes)

    with watched(round_folding, seen.to_rounds), watched(table_folding, seen.to_tables):
        yield seen
