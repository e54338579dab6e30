"""A player's own rounds, or everybody's: newest first in pages, as CSV, and as totals."""

from collections.abc import Iterator
from io import StringIO
from typing import Any, Literal

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace

from wartable.refusal import Unusable
from wartable.server.audit.dealt import Cards, cards_of
from wartable.server.audit.export import write_lines
from wartable.server.period import utc
from wartable.server.records import database, schema
from wartable.server.records.results import BANKED, RoundResult

LINES_MAX = 100_000
"""The most rounds in one CSV."""

Ended = Literal["won", "lost", "war", "surrendered", "tie", "banked", "void"]
PATTERNS: dict[Ended, str] = {
    "won": "% primary:won %",
    "lost": "% primary:lost %",
    "war": "% primary:war!_%",
    "surrendered": "% primary:surrendered %",
    "tie": "% tie:won %",
    "banked": "% banked %",
    "void": "%:void %",
}
COLUMNS = (
    "ended", "table", "round", "book", "staked", "returned", "net", "outcomes", "edition",
)  # fmt: skip  # a list of words


class Wanted(msgspec.Struct, frozen=True):
    """A filter for a player's rounds; an empty field matches everything."""

    book: str = ""
    table: str = ""
    outcome: Ended | None = None
    from_ms: int = 0
    until_ms: int | None = None


class OwnRound(RoundResult, frozen=True):
    """A player's round with the edition of the document that it was played by, and its cards.

    `cards` has the player's boxes and the dealer, who is box 0: the first card and the one at war.
    """

    edition: str
    cards: Cards = msgspec.field(default_factory=dict)


class Rounds(msgspec.Struct, frozen=True):
    """A page of rounds, newest first, and where the next page begins, if there is one."""

    rounds: tuple[OwnRound, ...]
    after: str | None


class Total(msgspec.Struct, frozen=True):
    """The totals of rounds; the time counts from each round's first wager to its end.

    `banked` is what a player/dealer's rounds won or lost. It is part of `net`; nothing is staked
    or returned in them.
    """

    book: str
    rounds: int
    played_ms: int
    staked: int
    returned: int
    banked: int
    net: int
    best: int
    worst: int


class BadCursor(Unusable):
    """A cursor that no answer contained."""

    kind = "malformed"


def _query(player: str, wanted: Wanted) -> sa.Select[Any]:
    rows = schema.results
    query = sa.select(rows).where(rows.c.at_ms >= wanted.from_ms)
    if player:
        query = query.where(rows.c.player == player)
    if wanted.until_ms is not None:
        query = query.where(rows.c.at_ms < wanted.until_ms)
    if wanted.book:
        query = query.where(rows.c.book == wanted.book)
    if wanted.table:
        query = query.where(rows.c.table_name == wanted.table)
    if wanted.outcome is not None:
        query = query.where(rows.c.outcomes.like(PATTERNS[wanted.outcome], escape="!"))
    return query.order_by(rows.c.at_ms.desc(), rows.c.table_name.desc(), rows.c.round.desc())


def rounds(
    source: database.Queryable, player: str, wanted: Wanted, after: str, limit: int
) -> Rounds:
    """The newest matching rounds of a player, or of everybody, after that place."""
    rows = schema.results.c
    query = _query(player, wanted).limit(limit + 1)
    if after:
        here = sa.tuple_(rows.at_ms, rows.table_name, rows.round)
        query = query.where(here < sa.tuple_(*map(sa.literal, _read(after))))
    with database.reading(source) as connection:
        found = list(_own(connection, query))
        more = len(found) > limit
        shown = tuple(replace(each, cards=cards_of(connection, each)) for each in found[:limit])
    return Rounds(shown, _cursor(shown[-1]) if more else None)


def _own(connection: sa.Connection, query: sa.Select[Any]) -> Iterator[OwnRound]:
    """The rounds, each with the edition of its table's document."""
    editions: dict[str, str] = {}
    for row in connection.execute(query).all():
        name = row.table_name
        if name not in editions:
            editions[name] = database.opened_with(connection, name)[0].rules.document.edition
        yield OwnRound(**row._asdict(), edition=editions[name])


def _cursor(last: RoundResult) -> str:
    return f"{last.at_ms} {last.round} {last.table_name}"


def _read(cursor: str) -> tuple[int, str, int]:
    at_ms, _, rest = cursor.partition(" ")
    number, _, table = rest.partition(" ")
    if not (at_ms.isdecimal() and number.isdecimal() and table) or len(cursor) > 160:
        raise BadCursor("after: expected the `after` of an earlier answer.")
    return min(int(at_ms), 2**62), table, min(int(number), 2**62)


def took_part(source: database.Queryable, player: str, table: str, number: int) -> bool:
    """Whether the player wagered or banked in that closed round."""
    rows = schema.results.c
    query = sa.select(rows.player).where(
        rows.table_name == table, rows.round == min(number, 2**62), rows.player == player
    )
    with database.reading(source) as connection:
        return connection.execute(query).first() is not None


def as_csv(source: database.Queryable, player: str, wanted: Wanted) -> str:
    """The matching rounds as CSV; amounts are in cents, and a banker's is the net alone."""
    with database.reading(source) as connection:
        found = _own(connection, _query(player, wanted).limit(LINES_MAX))
        file = StringIO()
        write_lines(file, COLUMNS, map(_line, found))
    return file.getvalue()


def _line(each: OwnRound) -> tuple[Any, ...]:
    where = (utc(each.at_ms), each.table_name, each.round, each.book)
    wagered = ("", "") if each.outcomes == BANKED else (each.staked, each.returned)
    return (*where, *wagered, each.net, each.outcomes.strip(), each.edition)


def totals(source: database.Queryable, player: str) -> list[Total]:
    """The totals of all of a player's rounds, book by book."""
    return list(_totals(source, player))


def _totals(source: database.Queryable, player: str) -> Iterator[Total]:
    rows = schema.results.c
    query = (
        sa.select(
            rows.book,
            sa.func.count(),
            sa.func.sum(rows.at_ms - rows.began_ms),
            sa.func.sum(rows.staked),
            sa.func.sum(sa.case((rows.outcomes == BANKED, 0), else_=rows.returned)),
            sa.func.sum(sa.case((rows.outcomes == BANKED, rows.net), else_=0)),
            sa.func.sum(rows.net),
            sa.func.max(rows.net),
            sa.func.min(rows.net),
        )
        .where(rows.player == player)
        .group_by(rows.book)
        .order_by(rows.book)
    )
    with database.reading(source) as connection:
        for book, *figures in connection.execute(query):
            yield Total(book, *map(int, figures))
