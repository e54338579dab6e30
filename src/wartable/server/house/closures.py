"""What is disabled: all gaming, a book, a table or a player; and why."""

from typing import Literal

import msgspec
import sqlalchemy as sa

from wartable.server.records import schema
from wartable.server.records.journal import Statement

Scope = Literal["gaming", "book", "table", "player"]

_CLOSE = (
    "INSERT INTO closures (scope, name, actor, at_ms, reason) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (scope, name) DO UPDATE SET actor = excluded.actor, at_ms = excluded.at_ms,"
    " reason = excluded.reason"
)
_REOPEN = "DELETE FROM closures WHERE scope = ? AND name = ?"


class Closure(msgspec.Struct, frozen=True):
    """Something that is disabled, by whom, when and why."""

    scope: Scope
    name: str
    actor: str
    at_ms: int
    reason: str


REFUSED: dict[Scope, str] = {
    "gaming": "The house takes no new wager",
    "book": "No new wager is taken at the tables of this rule book",
    "table": "No new wager is taken at this table",
    "player": "No new wager of yours is taken",
}


def why(closure: Closure) -> str:
    """The sentence for who would like to wager: what is disabled, and why."""
    return f"{REFUSED[closure.scope]}: {closure.reason.strip().rstrip('.')}."


class Closures(dict[tuple[str, str], Closure]):
    """The closures that hold, by scope and name."""

    def __init__(self, engine: sa.Engine) -> None:
        with engine.connect() as connection:
            for each in connection.execute(sa.select(schema.closures)):
                self[each.scope, each.name] = Closure(*each)

    def of(self, book: str, table: str, player: str) -> Closure | None:
        """What disables this player's wagers at this table, if anything does."""
        keys = (("gaming", ""), ("book", book), ("table", table), ("player", player))
        return next((self[key] for key in keys if key in self), None)


def close(closure: Closure) -> Statement:
    """What writes a closure."""
    return (_CLOSE, msgspec.structs.astuple(closure))


def reopen(scope: Scope, name: str) -> Statement:
    """What ends a closure."""
    return (_REOPEN, (scope, name))
