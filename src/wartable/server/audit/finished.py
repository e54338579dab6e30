"""The finished shoes of a table in pages, newest first, from its rows alone."""

from collections import deque
from collections.abc import Iterator

import msgspec
import sqlalchemy as sa

from wartable import table
from wartable.server.audit.recall import RecalledRow, steps
from wartable.server.records import checkpoints, database, messages
from wartable.server.records.keys import HouseKey
from wartable.shoe import Shoe
from wartable.table import events as e
from wartable.table import view
from wartable.verify import Record

CHECKPOINTS_MAX = 4
"""How far back a page searches for its shoes."""


class Shoes(msgspec.Struct, frozen=True):
    """A page of finished shoes, oldest first, and where the next page, of older ones, begins.

    `wartable verify` and the page's own check read `record`. Only the newest page has the public
    part of the shoe in use. A page may have no shoes although older ones follow.
    """

    table: str
    current: Shoe | None
    record: Record
    after: int | None


def page(engine: sa.Engine, key: HouseKey, name: str, after: int | None, limit: int) -> Shoes:
    """The last shoes that ended before the row `after`, or before now.

    Rows are folded from one checkpoint to the next, backwards until there are enough shoes.
    """
    kept: list[tuple[int, Shoe]] = []
    older, current = after, None
    with database.snapshot(engine) as source:
        for _ in range(CHECKPOINTS_MAX):
            checkpoint = checkpoints.latest(source, key, name, before_row=older)
            state = None if checkpoint is None else checkpoint.state
            ended: deque[tuple[int, Shoe]] = deque(maxlen=limit + 1)
            for step in steps(source, key, name, checkpoint):
                if older is not None and step.row.number >= older:
                    break
                ended.extend((step.row.number, shoe) for shoe in _ended(step))
                state = step.after
            if older is None and state is not None:
                current = view(state).shoe
            kept = [*ended, *kept]
            older = None if checkpoint is None else checkpoint.number + 1
            if older is None or len(kept) >= limit:
                break
    if len(kept) > limit:
        # Shoes that one row ended stay together, because the next page begins before a row.
        older = kept[-limit][0]
        kept = [each for each in kept if each[0] >= older]
    shoes = sorted((shoe for _, shoe in kept), key=lambda shoe: shoe.terms.number)
    return Shoes(name, current, Record(tuple(shoes), current=current), older)


def _ended(step: RecalledRow) -> Iterator[Shoe]:
    """The shoes that a row ended; one command may end two."""
    if not any(isinstance(event, e.ShoeEnded) for event in step.events):
        return
    state = step.before
    for event in messages.at_table(step.events):
        state = table.fold((event,), state)
        if isinstance(event, e.ShoeEnded):
            assert state.finished is not None
            yield state.finished
