"""Sealed seeds of older versions: nobody can send them, but old journals are decided again."""

from collections.abc import Iterator

from wartable import shoe as shoes
from wartable.game import Illegal
from wartable.shoe import ShoeError
from wartable.table.course import Decides
from wartable.table.draws import cut_due
from wartable.table.events import Event
from wartable.table.older import OpenSeed, SealSeed, SeedOpened, SeedSealed
from wartable.table.people import guest_of
from wartable.table.state import Setup, Table


def seal_seed(setup: Setup, state: Table, command: SealSeed) -> Iterator[Event]:
    """A player's seal for the next shuffle."""
    guest_of(state, command.player)
    yield SeedSealed(command.player, command.seal)


def open_seed(setup: Setup, state: Table, command: OpenSeed) -> Iterator[Event]:
    """A player opens a sealed seed after the cut."""
    if state.shoe is None or cut_due(setup, state):
        raise Illegal("no_opening", "Seeds can be opened only between the cut and the load.")
    try:
        shoes.open_seal(state.shoe, command.player, bytes.fromhex(command.seed))
    except ShoeError as error:
        raise Illegal(error.code, error.sentence) from None
    yield SeedOpened(command.player, command.seed)


DECIDES: Decides = {SealSeed: seal_seed, OpenSeed: open_seed}
