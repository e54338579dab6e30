"""Significant events of the whole house: who, when, why, and the value before and after."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from wartable import game
from wartable.server.audit.recall import PlayedRound, RecalledRow
from wartable.server.period import Period
from wartable.server.records import database, journal, messages
from wartable.server.records.keys import HouseKey
from wartable.server.records.results import wagered
from wartable.server.records.rows import CASHIER, OFFICE, Row
from wartable.table import PLATFORM

LARGE_WIN = 100_000
"""The smallest net of one round that is a large win, in cents."""


class Significant(msgspec.Struct, frozen=True):
    """One significant event, from any chain."""

    at_ms: int
    table: str
    row: int
    actor: str
    kind: str
    subject: str
    reason: str = ""
    before: str = ""
    after: str = ""


def of_house(source: database.Queryable, key: HouseKey, period: Period) -> Iterator[Significant]:
    """The events that the office noted and the cashier's payments."""
    for name in (OFFICE, CASHIER):
        for row in journal.check_chain(database.rows_of(source, name), None):
            if period.holds(row.at_ms):
                for event in journal.read_row(row, key)[1]:
                    yield _of_event(row, event)


def of_step(step: RecalledRow, period: Period) -> Iterator[Significant]:
    """The significant events in a row of a table."""
    if not period.holds(step.row.at_ms):
        return
    for event in step.events:
        by_platform = isinstance(event, game.Chosen) and event.by != "player"
        deserted = isinstance(event, game.RoundVoided) and not wagered(step.before)
        if by_platform or (event.significant and not deserted):
            yield _of_event(step.row, event)


def noting(
    steps: Iterable[RecalledRow], events: list[Significant], period: Period
) -> Iterator[RecalledRow]:
    """Pass the steps through, and collect their significant events."""
    for step in steps:
        events += of_step(step, period)
        yield step


def large_wins(played: PlayedRound, period: Period, large: int) -> Iterator[Significant]:
    """The players who won much in the round, with the stack before and after it."""
    first, last = played.steps[0], played.steps[-1]
    if not played.closed or not period.holds(last.row.at_ms):
        return
    nets: dict[str, int] = {}
    for hand in played.state.hands:
        nets[hand.player] = nets.get(hand.player, 0) + hand.net
    for player, net in nets.items():
        if net >= large:
            held = [
                str(state.guests[player].stack) if player in state.guests else "0"
                for state in (first.before, last.after)
            ]
            reason = f"won {net} in round {played.number}"
            row = last.row
            yield Significant(
                row.at_ms, row.table_name, row.number, PLATFORM, "large_win", player, reason, *held
            )


def _of_event(row: Row, event: messages.JournalEvent) -> Significant:
    kind = re.sub("(?<=[a-z])(?=[A-Z])", "_", type(event).__name__).lower()
    where = (row.at_ms, row.table_name, row.number, row.actor)
    match event:
        case messages.Noted():
            after = messages.without_fingerprint(event.after)
            return Significant(*where, event.kind, event.subject, event.reason, event.before, after)
        case messages.PaidIn() | messages.PaidOut() | messages.Corrected():
            return Significant(*where, kind, event.player, after=str(event.amount))
    reason = getattr(event, "reason", None) or ""
    after = msgspec.json.encode(event).decode()
    return Significant(*where, kind, row.table_name, str(reason), after=after)
