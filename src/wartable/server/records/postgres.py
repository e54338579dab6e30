"""The journal's writing connection on PostgreSQL."""

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from wartable.server.records.connections import CHANNEL, COUNTING, Bulk, alive

RESTRICTING = (
    '^\\{"type":"note","kind":'
    '"(disabled|enabled|clock_confirmed|excluded|limit_set|role_changed|code_approved|cards_[a-z]+)"'
)
"""The pattern for the office's rows that change who may wager, or where cards are."""
_BEGIN = f"BEGIN; SELECT pg_advisory_xact_lock_shared({COUNTING})".encode()
SILENT_MS = 3_000
"""How long a transaction may wait for its next statement before PostgreSQL undoes it."""


def connected(address: str) -> psycopg.Connection:
    """A new connection, which commits each statement outside of a transaction at once."""
    settings: dict[str, Any] = dict(alive(conninfo_to_dict(address)))
    return psycopg.connect(address, autocommit=True, **settings)


class Postgres:
    """A PostgreSQL connection with synchronous commit."""

    conflicts: tuple[type[Exception], ...] = (psycopg.IntegrityError, psycopg.DataError)
    failures: tuple[type[Exception], ...] = (
        psycopg.OperationalError,
        psycopg.errors.ReadOnlySqlTransaction,
    )

    def __init__(self, address: str, house: int | None) -> None:
        """`house` is the fence of the server that has the house; a closed house has none."""
        self._house = house
        self.raw = connected(address)
        self.raw.execute("SET synchronous_commit = on")
        # A server that is cut off in a transaction must not keep its locks and block a successor.
        self.raw.execute(f"SET idle_in_transaction_session_timeout = {SILENT_MS}".encode())

    def run(self, bulk: Bulk, rows: Sequence[tuple[Any, ...]]) -> None:
        """Run the statement once, with an array for every column."""
        columns = [list(column) for column in zip(*rows, strict=True)]
        self.raw.execute(bulk.postgres.encode(), columns)

    def execute(self, statement: str, values: tuple[Any, ...]) -> None:
        """Run one statement."""
        self.raw.execute(_placed(statement), values)

    def one(self, statement: str, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The first row of the statement's answer."""
        found: tuple[Any, ...] | None = self.raw.execute(_placed(statement), values).fetchone()
        return found

    def fences(self, names: Sequence[str]) -> dict[str, int]:
        """The fences of these tables, locked against another owner until the commit."""
        statement = "SELECT name, fence FROM tables WHERE name = ANY(%s) ORDER BY name FOR SHARE"
        return dict(self.raw.execute(statement, (list(names),)).fetchall())

    def has_house(self) -> bool:
        """Whether the server still has the house, which nobody can take until the commit."""
        if self._house is None:
            return True
        return self.raw.execute("SELECT fence FROM lease FOR SHARE").fetchone() == (self._house,)

    def hold_office(self) -> None:
        """Hold the office's head, before any balance: all servers lock in this order.

        The commit notifies the other servers.
        """
        self.raw.execute(b"SELECT FROM heads WHERE table_name = 'office' FOR UPDATE")
        self.raw.execute(f"NOTIFY {CHANNEL}".encode())

    def restricted(self, since: int) -> int:
        """The last row of the office after this one that restricts somebody; 0 if there is none."""
        head = "SELECT number FROM heads WHERE table_name = 'office' FOR SHARE"
        last = self.raw.execute(head.encode()).fetchone()
        if last is None or last[0] <= since:
            return 0
        newer = (
            "SELECT max(number) FROM journal"
            " WHERE table_name = 'office' AND number > %s AND command ~ %s"
        )
        found = self.raw.execute(newer.encode(), (since, RESTRICTING)).fetchone()
        return 0 if found is None else found[0] or 0

    def heads(self, names: Sequence[str]) -> dict[str, int]:
        """The numbers of these chains' last rows, locked in the order of names."""
        statement = (
            "SELECT table_name, number FROM heads"
            " WHERE table_name = ANY(%s) ORDER BY table_name FOR UPDATE"
        )
        return dict(self.raw.execute(statement.encode(), (list(names),)).fetchall())

    def counts(self) -> bool:
        """Whether any account is counted; counting begins for none during the transaction."""
        return self.raw.execute(b"SELECT EXISTS (SELECT FROM counted)").fetchone() == (True,)

    def counted(self, accounts: Sequence[str]) -> dict[str, str]:
        """The stored play of those accounts that are counted, locked in the order of names."""
        statement = (
            "SELECT account, play FROM counted WHERE account = ANY(%s) ORDER BY account FOR UPDATE"
        )
        return dict(self.raw.execute(statement.encode(), (list(accounts),)).fetchall())

    def exposed(self, accounts: Sequence[str]) -> list[tuple[str, str, int]]:
        """What others may still stake for these accounts."""
        statement = "SELECT account, table_name, amount FROM exposed WHERE account = ANY(%s)"
        return self.raw.execute(statement.encode(), (list(accounts),)).fetchall()

    def users(self, sets: Sequence[str]) -> dict[str, str]:
        """The tables that use these sets of cards, by set.

        The transaction holds the office if it moves a set, or takes one at a server without the
        house.
        """
        statement = "SELECT card_set, table_name FROM in_use WHERE card_set = ANY(%s)"
        return dict(self.raw.execute(statement.encode(), (list(sets),)).fetchall())

    def begin(self) -> None:
        """Begin a transaction during which no server begins to count an account.

        The lock is fair: a server that begins to count does not wait for later transactions.
        """
        self.raw.execute(_BEGIN)

    def commit(self) -> None:
        """Commit; the server has flushed when it answers."""
        self.raw.execute("COMMIT")

    def rollback(self) -> None:
        """Undo the transaction, if the connection still exists."""
        if not self.raw.closed:
            self.raw.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connection."""
        self.raw.close()


def _placed(statement: str) -> bytes:
    """The statement with this driver's placeholders."""
    return statement.replace("?", "%s").encode()
