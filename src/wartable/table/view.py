"""What anybody may see of a table: no seed, and no burned or undealt card before the reveal."""

from msgspec.structs import replace

from wartable import game
from wartable import shoe as shoes
from wartable.cards import HIDDEN
from wartable.table.events import CardBurned, CardsDecided, ChainStarted, Event, ShoeStarted
from wartable.table.state import Table

SECRETIVE = frozenset({game.Burned, CardBurned, ShoeStarted, ChainStarted, CardsDecided})
"""The events that hold a secret."""


def view(state: Table) -> Table:
    """The table without its secrets."""
    round_ = state.round
    if round_ is not None:
        round_ = replace(round_, burned=(HIDDEN,) * len(round_.burned))
    return replace(
        state,
        chains={batch: replace(chain, root="") for batch, chain in state.chains.items()},
        round=round_,
        shoe=None if state.shoe is None else shoes.public(state.shoe),
        stored=None if state.stored is None else shoes.public(state.stored),
    )


def view_events(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The events without their secrets."""
    # Most rows hold no secret, and checking every event would slow a live table down.
    if SECRETIVE.isdisjoint(map(type, events)):
        return events
    return tuple(map(view_event, events))


def view_event(event: Event) -> Event:
    """The event without its secret."""
    if isinstance(event, (game.Burned, CardBurned)):
        return replace(event, card=HIDDEN)
    if isinstance(event, ShoeStarted):
        return replace(event, seed="")
    if isinstance(event, ChainStarted):
        return replace(event, root="")
    if isinstance(event, CardsDecided):
        return replace(event, link="", key="")
    return event
