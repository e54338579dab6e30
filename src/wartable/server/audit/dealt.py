"""The cards of single rounds, found in the journal by the times of their results."""

from collections.abc import Iterator

import sqlalchemy as sa

from wartable import game
from wartable.server.records import schema
from wartable.server.records.journal import EVENTS
from wartable.server.records.results import RoundResult
from wartable.table import events as e

DEALER = 0

Cards = dict[int, tuple[str, ...]]
"""The first card of each box and its card at war, by the number of the box."""


def cards_of(connection: sa.Connection, result: RoundResult) -> Cards:
    """The cards of a player's boxes and of the dealer in that round."""
    found: Cards = {}
    cards: Cards = {}
    own: set[int] = set()
    current = None
    for event in _events(connection, result):
        match event:
            case e.RoundStarted(number=number):
                current, cards, own = number, {}, set()
            case game.Placed(player=player, box=box) if player == result.player:
                own.add(box)
            case game.Dealt(box=box, card=card):
                cards[box] = (*cards.get(box, ()), card)
            case game.Closed() if current in (None, result.round):
                found = {box: cards[box] for box in sorted({DEALER, *own}) if box in cards}
            case _:
                pass
    return found


def _events(connection: sa.Connection, result: RoundResult) -> Iterator[object]:
    """The events from a round's first wager to its end."""
    journal = schema.journal.c
    rows = (
        sa.select(journal.events)
        .where(
            journal.table_name == result.table_name,
            journal.number >= _first(connection, result.table_name, result.began_ms),
            journal.at_ms <= result.at_ms,
        )
        .order_by(journal.number)
    )
    last = _first(connection, result.table_name, result.at_ms + 1)
    for text in connection.execute(rows.where(journal.number < last)).scalars():
        yield from EVENTS.decode(text)


def _first(connection: sa.Connection, table: str, since_ms: int) -> int:
    """The number of a table's first row since that time; one after its last if there is none.

    Rows are in the order of their times, so this is a binary search.
    """
    journal = schema.journal.c
    times = sa.select(journal.at_ms).where(journal.table_name == table)
    last = sa.select(sa.func.max(journal.number)).where(journal.table_name == table)
    low, high = 1, (connection.execute(last).scalar() or 0) + 1
    while low < high:
        middle = (low + high) // 2
        at_ms = connection.execute(times.where(journal.number == middle)).scalar()
        if at_ms is not None and at_ms < since_ms:
            low = middle + 1
        else:
            high = middle
    return low
