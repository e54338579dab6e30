"""The results of rounds: a row for each player beside the journal, a summary for the lobby."""

from collections import deque
from collections.abc import Iterator

import msgspec
import sqlalchemy as sa

from wartable import game
from wartable.game import Hand, Round
from wartable.server.records import database, schema
from wartable.server.records.journal import EVENTS
from wartable.shoe import Shoe
from wartable.table import Table
from wartable.table import events as e

SHOES_MAX = 5
"""How many finished shoes are kept for anyone who wants to check them."""
BANKED = " banked "
"""The outcomes of a player/dealer's round."""
LAST_MAX = 10
"""How many rounds the lobby shows of a table."""


class RoundResult(msgspec.Struct, frozen=True):
    """A player's round: the times of its first wager and its end, the stake and the return.

    `outcomes` has each hand's wagers with their outcomes, or `banked` for the banker.
    """

    table_name: str
    round: int
    player: str
    at_ms: int
    began_ms: int
    book: str
    staked: int
    returned: int
    net: int
    outcomes: str


def result_of(
    source: database.Queryable, table: str, number: int, player: str
) -> RoundResult | None:
    """What a player's closed round cost and returned; None if they took no part in it."""
    rows = schema.results
    query = sa.select(rows).where(
        rows.c.table_name == table, rows.c.round == min(number, 2**62), rows.c.player == player
    )
    with database.reading(source) as connection:
        found = connection.execute(query).first()
    return None if found is None else RoundResult(*found)


class LastRound(msgspec.Struct, frozen=True):
    """A summary of a round: the dealer's card, and how many hands won, lost or tied."""

    number: int
    dealer: str
    won: int
    lost: int
    tied: int


def last_round(state: Table) -> LastRound | None:
    """A summary of the round that a table has just closed; None if no card was dealt."""
    round_ = state.round
    if round_ is None or 0 not in round_.cards:
        return None
    ended = [hand.wager("primary") for hand in round_.hands]
    outcomes = [wager.outcome for wager in ended if wager is not None]
    won, lost = (outcomes.count(outcome) for outcome in ("won", "lost"))
    tied = sum(outcome.startswith(("war", "surrendered")) for outcome in outcomes)
    return LastRound(state.rounds, round_.cards[0], won, lost, tied)


def remember(before: Table, after: Table, finished: deque[Shoe], last: deque[LastRound]) -> None:
    """Add the shoe or round that a row finished to those shown for the table."""
    if after.finished is not None and after.finished is not before.finished:
        finished.append(after.finished)
    if before.in_round and not after.in_round:
        closed = last_round(after)
        last.extend(() if closed is None else (closed,))


def wagered(state: Table) -> bool:
    """Whether there is an open round with a wager."""
    return state.in_round and state.round is not None and bool(state.round.hands)


def results_of(
    name: str, book: str, number: int, began_ms: int, at_ms: int, round_: Round
) -> Iterator[RoundResult]:
    """The results of a closed round for each player, in order of the boxes, the banker last."""
    ended: dict[str, list[Hand]] = {}
    for hand in round_.hands:
        ended.setdefault(hand.player, []).append(hand)
    for player, hands in ended.items():
        staked, net, envy = 0, 0, 0
        words: dict[str, None] = {}
        for hand in hands:
            net += hand.net
            envy += hand.envy
            for wager in hand.wagers:
                staked += wager.staked
                words[f"{wager.kind}:{wager.outcome}"] = None
        if envy:
            words["envy:won"] = None
        outcomes = f" {' '.join(words)} "
        yield RoundResult(
            name, number, player, at_ms, began_ms, book, staked, staked + net, net, outcomes
        )
    banker = round_.banker
    if banker is not None and banker not in ended:
        net = round_.banker_net
        yield RoundResult(name, number, banker, at_ms, began_ms, book, 0, net, net, BANKED)


def fill(connection: sa.Connection) -> None:
    """Write the results of every round in the journal, from the events alone."""
    tables, journal = schema.tables.c, schema.journal.c
    for name in (
        connection.execute(sa.select(tables.name).where(tables.setup != database.METERS))
        .scalars()
        .all()
    ):
        book = database.opened_with(connection, name)[0].rules.name
        query = sa.select(journal.at_ms, journal.events).where(journal.table_name == name)
        rows = connection.execute(query.order_by(journal.number)).all()
        found = list(_folded(name, book, ((row.at_ms, row.events) for row in rows)))
        if found:
            values = [msgspec.structs.asdict(each) for each in found]
            connection.execute(schema.results.insert(), values)


def _folded(name: str, book: str, rows: Iterator[tuple[int, str]]) -> Iterator[RoundResult]:
    """The results of a table's rounds from its rows: times and events."""
    round_, number, began_ms = Round(closed=True), 0, 0
    for at_ms, text in rows:
        before = round_
        for event in EVENTS.decode(text):
            if isinstance(event, e.RoundStarted):
                round_, number = Round(), event.number
            elif isinstance(event, game.GameEvent):
                round_ = game.apply(round_, event)
        if round_.hands and not round_.closed and not (before.hands and not before.closed):
            began_ms = at_ms
        if round_.closed and not before.closed:
            yield from results_of(name, book, number, began_ms, at_ms, round_)


def stored(source: sa.Connection, name: str, after: int = 0) -> dict[int, tuple[RoundResult, ...]]:
    """A table's results by round, after that one."""
    results = schema.results
    found: dict[int, tuple[RoundResult, ...]] = {}
    later = sa.and_(results.c.table_name == name, results.c.round > after)
    for row in source.execute(sa.select(results).where(later)):
        found[row.round] = (*found.get(row.round, ()), RoundResult(*row))
    return found
