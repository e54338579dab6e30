"""Closures: what is disabled (all gaming, a book, a table or a player) and why."""

from typing import Literal

import msgspec

from wartable.server.records.rows import Statement

Scope = Literal["gaming", "book", "table", "player"]

_CLOSE = (
    "INSERT INTO closures (scope, name, actor, at_ms, reason) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (scope, name) DO UPDATE SET actor = excluded.actor, at_ms = excluded.at_ms,"
    " reason = excluded.reason"
)
_REOPEN = "DELETE FROM closures WHERE scope = ? AND name = ?"


class Closure(msgspec.Struct, frozen=True):
    """Something that somebody disabled, when and why."""

    scope: Scope
    name: str
    actor: str
    at_ms: int
    reason: str


CLOCK: tuple[Scope, str] = ("gaming", "clock")
"""The closure of all gaming while the machine's clock is doubted; only a confirmed time ends it."""

CLOCK_CHECKED = (
    "The house's clock is being checked; all rounds wait until an administrator has confirmed"
    " the time."
)

REFUSED: dict[Scope, str] = {
    "gaming": "The house takes no new wager",
    "book": "No new wager is taken at the tables of this rule book",
    "table": "No new wager is taken at this table",
    "player": "No new wager is taken from you",
}


def why(closure: Closure) -> str:
    """The sentence for a player who wants to wager: what is disabled, and why."""
    if (closure.scope, closure.name) == CLOCK:
        return CLOCK_CHECKED
    return f"{REFUSED[closure.scope]}: {closure.reason.strip().rstrip('.')}."


class Closures(dict[tuple[str, str], Closure]):
    """The closures in force, by scope and name."""

    def of(self, book: str, table: str, player: str) -> Closure | None:
        """The closure that stops this player's wagers at this table, if there is one."""
        if not self:
            return None
        keys = (CLOCK, ("gaming", ""), ("book", book), ("table", table), ("player", player))
        return next((self[key] for key in keys if key in self), None)


def close(closure: Closure) -> Statement:
    """The statement that writes a closure."""
    return (_CLOSE, msgspec.structs.astuple(closure))


def reopen(scope: Scope, name: str) -> Statement:
    """The statement that ends a closure."""
    return (_REOPEN, (scope, name))
