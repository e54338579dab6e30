"""Which table uses a set of cards is compared in the transaction, whoever writes at once."""

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from recorded_houses import new_database
from waiting import WAIT_S, until
from wartable.server.records import database, schema
from wartable.server.records.connections import WritingConnection
from wartable.server.records.rows import OFFICE, Entry, Row
from wartable.server.records.store import STALE, RowRefused, write_batch, writing_connection

MOVE = '{"type":"note","kind":"cards_secured","subject":"red"}'
WAITING = (
    "SELECT EXISTS (SELECT FROM pg_stat_activity"
    " WHERE wait_event_type = 'Lock' AND datname = current_database())"
)


def entry(name: str, number: int, *sets: str, **fields: Any) -> Entry:
    """A row of a table that uses these sets from then on, or of the office that moves them."""
    id_, command = f"{name} {number}", MOVE if name == OFFICE else "{}"
    row = Row(name, number, 1, "ann", id_, command, "[]", None, id_, None)
    return Entry(row, (), 0 if name == OFFICE else 1, sets=sets, **fields)


def made(address: str) -> sa.Engine:
    """A database with two tables."""
    engine = database.engine_for(address)
    database.create(engine)
    with engine.begin() as connection:
        connection.execute(schema.books.insert().values(digest="d", content="{}"))
        for name in ("one", "two"):
            values = {"name": name, "book": "d", "setup": "{}", "fence": 1}
            connection.execute(schema.tables.insert().values(values))
    return engine


def used(engine: sa.Engine) -> dict[str, str]:
    """The table that uses each set, as it is stored."""
    with engine.connect() as connection:
        return {
            each.card_set: each.table_name for each in connection.execute(schema.in_use.select())
        }


@contextmanager
def writing(address: str) -> Iterator[tuple[sa.Engine, WritingConnection]]:
    """A database with two tables, and a connection that writes to it."""
    engine = made(address)
    try:
        with closing(writing_connection(address)) as connection:
            yield engine, connection
    finally:
        engine.dispose()


def test_a_set_is_at_one_table(address: str) -> None:
    """Until that table uses others; what is in use is not moved, and what is moved not in use."""
    with writing(address) as (engine, connection):
        write_batch(connection, [entry("one", 1, "red", "blue")])
        assert used(engine) == {"red": "one", "blue": "one"}
        for refused in (entry("two", 1, "red"), entry(OFFICE, 1, "red")):
            with pytest.raises(RowRefused, match=r"The set red is in use at one\.") as problem:
                write_batch(connection, [entry("one", 2, "blue", "red"), refused])
            assert (problem.value.code, problem.value.row) == ("in_use", refused.row)
        write_batch(connection, [entry("one", 2, "blue"), entry("two", 1, "red")])
        assert used(engine) == {"blue": "one", "red": "two"}
        write_batch(connection, [entry("two", 2), entry(OFFICE, 1, "red")])
        assert used(engine) == {"blue": "one"}


class Held:
    """A connection that commits once another waits for it, or is done."""

    def __init__(self, connection: WritingConnection, ready: Callable[[], bool]) -> None:
        self._connection, self._ready = connection, ready

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def commit(self) -> None:
        """Commit when the other one cannot go on."""
        until(self._ready, "the other neither waits nor ends")
        self._connection.commit()


@pytest.mark.parametrize("first", ["table", OFFICE])
def test_who_moves_and_who_takes_a_set_at_once(postgres_server: str, first: str) -> None:
    """The second one waits for the first, and is refused: a set is never taken and moved."""
    address = new_database(postgres_server)
    with (
        writing(address) as (engine, one),
        closing(writing_connection(address)) as other,
        closing(writing_connection(address)) as looking,
    ):
        write_batch(one, [entry(OFFICE, 1)])
        both = [entry("one", 1, "red", office=1), entry(OFFICE, 2, "red")]
        mine, theirs = both if first == "table" else reversed(both)
        found: list[Exception | None] = []

        def write() -> None:
            try:
                write_batch(other, [theirs])
                found.append(None)
            except Exception as problem:
                found.append(problem)

        second = threading.Thread(target=write, daemon=True)

        def ready() -> bool:
            if second.ident is None:
                second.start()
            return bool(found) or looking.one(WAITING, ()) == (True,)

        held: Any = Held(one, ready)
        write_batch(held, [mine])
        second.join(WAIT_S)
        (problem,) = found
        assert getattr(problem, "code", None) == ("in_use" if first == "table" else STALE), problem
        assert used(engine) == ({"red": "one"} if first == "table" else {})
