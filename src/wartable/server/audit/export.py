"""The records as CSV: rounds, wagers, transfers and significant events."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sa

from wartable.server.audit import recall, significant
from wartable.server.audit.recall import PlayedRound
from wartable.server.config import writing
from wartable.server.period import Period, utc
from wartable.server.records import database, schema
from wartable.server.records.keys import HouseKey

COLUMNS = {
    "rounds": (
        "table", "round", "book", "digest", "decks", "first_row", "last_row", "started", "ended",
        "banker", "void", "dealer", "staked", "returned", "net", "edition",
    ),
    "wagers": (
        "table", "round", "ended", "box", "player", "cards", "wager", "staked", "returned", "net",
        "outcome", "clauses",
    ),
    "transfers": ("table", "row", "place", "at", "source", "target", "amount"),
}  # fmt: skip  # lists of words
"""The exported files that this module fills, and their columns; amounts are in cents."""

Cells = Sequence[Any]
CsvTable = tuple[tuple[str, ...], Iterable[Cells]]
"""The columns of a table and its lines."""


def safe(value: Any) -> Any:
    """The value of a cell; text that a spreadsheet would evaluate is marked as text."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return f"'{value}"
    return value


def as_table(kind: type[msgspec.Struct], found: Iterable[msgspec.Struct]) -> CsvTable:
    """Values of one kind as a table: each field is a column, and `at_ms` is the time `at`."""
    names = kind.__struct_fields__
    lines = (
        [utc(getattr(each, name)) if name == "at_ms" else getattr(each, name) for name in names]
        for each in found
    )
    return tuple("at" if name == "at_ms" else name for name in names), lines


def write_lines(file: Any, columns: Sequence[str], lines: Iterable[Cells]) -> int:
    """Write a table as CSV; return the number of lines below the header.

    A line with more or fewer values than there are columns is a `ValueError`.
    """
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    count = 0
    for line in lines:
        writer.writerow([safe(value) for _, value in zip(columns, line, strict=True)])
        count += 1
    return count


def write_file(path: Path, columns: Sequence[str], lines: Iterable[Cells]) -> int:
    """Write a table as CSV into a file; return the number of lines below the header."""
    with writing(path), path.open("w", encoding="utf-8") as file:
        return write_lines(file, columns, lines)


def export(
    engine: sa.Engine, key: HouseKey, folder: Path, period: Period, large: int
) -> dict[str, int]:
    """Write the four files into the folder; return the number of lines of each."""
    folder.mkdir(parents=True, exist_ok=True)
    with database.snapshot(engine) as source:
        events = list(significant.of_house(source, key, period))
        rounds: list[Cells] = []
        wagers: list[Cells] = []
        for name in database.table_names(source):
            book, options = database.opened_with(source, name)
            steps = significant.noting(recall.steps(source, key, name), events, period)
            for played in recall.rounds(steps):
                if period.holds(played.steps[-1].row.at_ms):
                    events += significant.large_wins(played, period, large)
                    paid = list(recall.paid(book, played.state))
                    rounds.append(_round(name, book, options["decks"], played, paid))
                    wagers += _wagers(name, played, paid)
        events.sort(key=lambda each: (each.at_ms, each.row))
        tables: dict[str, CsvTable] = {
            "rounds": (COLUMNS["rounds"], rounds),
            "wagers": (COLUMNS["wagers"], wagers),
            "transfers": (COLUMNS["transfers"], _transfers(source, period)),
            "events": as_table(significant.Significant, events),
        }
        return {name: write_file(folder / f"{name}.csv", *table) for name, table in tables.items()}


def _round(
    name: str, book: Any, decks: int, played: PlayedRound, paid: list[recall.PaidWager]
) -> Cells:
    first, last, state = played.steps[0].row, played.steps[-1].row, played.state
    staked, returned = sum(each.staked for each in paid), sum(each.returned for each in paid)
    return (
        name, played.number, book.rules.name, book.digest, decks, first.number, last.number,
        utc(first.at_ms), utc(last.at_ms) if played.closed else "", state.banker or "house",
        state.void or "", _cards(state, 0), staked, returned, sum(each.net for each in paid),
        book.rules.document.edition,
    )  # fmt: skip  # one line of the file


def _wagers(name: str, played: PlayedRound, paid: list[recall.PaidWager]) -> Iterator[Cells]:
    ended = utc(played.steps[-1].row.at_ms) if played.closed else ""
    for each in paid:
        yield (
            name, played.number, ended, each.box, each.player, _cards(played.state, each.box),
            each.wager, each.staked, each.returned, each.net, each.outcome or "open",
            " ".join(each.clauses),
        )  # fmt: skip  # one line of the file


def _cards(state: Any, box: int) -> str:
    return " ".join(deal[box] for deal in (state.cards, state.war_cards) if box in deal)


def _transfers(source: sa.Connection, period: Period) -> Iterator[Cells]:
    moved, rows = schema.transfers, schema.journal
    at_row = sa.and_(rows.c.table_name == moved.c.table_name, rows.c.number == moved.c.number)
    query = (
        sa.select(moved, rows.c.at_ms)
        .join(rows, at_row)
        .where(rows.c.at_ms >= period.from_ms)
        .order_by(moved.c.table_name, moved.c.number, moved.c.place)
    )
    if period.until_ms is not None:
        query = query.where(rows.c.at_ms < period.until_ms)
    with source.execute(query.execution_options(yield_per=database.ROWS_AT_ONCE)) as found:
        for each in found:
            yield (
                each.table_name, each.number, each.place, utc(each.at_ms),
                each.source, each.target, each.amount,
            )  # fmt: skip  # one line of the file
