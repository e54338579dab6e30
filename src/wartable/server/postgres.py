"""The journal's writing connection on PostgreSQL."""

from collections.abc import Sequence
from typing import Any

import psycopg


class Postgres:
    """A PostgreSQL connection with synchronous commit."""

    conflicts: type[Exception] = psycopg.errors.IntegrityError
    fence = "SELECT fence FROM tables WHERE name = ? FOR SHARE"

    def __init__(self, address: str) -> None:
        self.raw = psycopg.connect(address, autocommit=True)
        self.raw.execute("SET synchronous_commit = on")

    def run(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Run the statement for every row, in one round trip."""
        with self.raw.cursor() as cursor:
            cursor.executemany(statement.replace("?", "%s"), rows)

    def one(self, statement: str, row: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The first row of the statement's answer."""
        found: tuple[Any, ...] | None = self.raw.execute(
            statement.replace("?", "%s"), row
        ).fetchone()
        return found

    def begin(self) -> None:
        """Begin a transaction."""
        self.raw.execute("BEGIN")

    def commit(self) -> None:
        """Commit; the server has flushed when it answers."""
        self.raw.execute("COMMIT")

    def rollback(self) -> None:
        """Undo the transaction, if the connection still stands."""
        if not self.raw.closed:
            self.raw.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connection."""
        self.raw.close()
