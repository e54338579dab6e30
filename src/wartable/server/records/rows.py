"""Rows as they are written, with what commits beside them; the writing process needs no more."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from wartable.money import Transfer

CASHIER = "cashier"
"""The name of the cashier's chain; no table may have it."""

OFFICE = "office"
"""The name of the office's chain; no table may have it either."""


METERS = "meters "
"""The prefix of shared meters' names, which no table's name has."""

OUTSIDE = "outside"
"""The account where deposits come from and withdrawals go."""


class Row(msgspec.Struct, frozen=True, gc=False):
    """One accepted command of one table with its events, as stored."""

    table_name: str
    number: int
    at_ms: int
    actor: str
    command_id: str
    command: str
    events: str
    secret: str | None
    hash: str
    mac: str | None
    """The house's authentication code of the hash; rows of older versions have none."""


Statement = tuple[str, tuple[Any, ...]]
"""An SQL statement with the values of its placeholders."""


class Ceiling(msgspec.Struct, frozen=True, gc=False):
    """A limit in force: its first day, what a row adds to it, and the sentence of the refusal."""

    what: str
    """`loss`, `deposit` or `minutes`."""
    first_day: int
    amount: int
    most: int
    sentence: str


class Claim(msgspec.Struct, frozen=True, gc=False):
    """A row's claim that an account stays within its limits, with the rows of all servers."""

    account: str
    ceilings: tuple[Ceiling, ...]


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A row to be written, with the transfers and results that commit with it, and the fence."""

    row: Row
    transfers: tuple[Transfer, ...]
    fence: int
    statements: tuple[Statement, ...] = ()
    results: tuple[tuple[Any, ...], ...] = ()
    office: int | None = None
    """The last row of the office that it was decided under; None where that does not matter."""
    claim: Claim | None = None
    exposed: tuple[tuple[str, int], ...] = ()
    """What others may still stake for players at this table, if the row changes that amount."""
    sets: tuple[str, ...] | None = None
    """The sets of cards that no other table may use: those that the row's table uses from now on,
    or that the office moves. None if the row changes no sets."""
    first: tuple["Entry", ...] = ()
    """What the same transaction writes before it."""

    then: tuple["Entry", ...] = ()
    """What the same transaction writes after it."""

    def together(self) -> tuple["Entry", ...]:
        """Everything that its transaction writes, in order."""
        return (*self.first, self, *self.then)


Commit = Callable[[Entry], Awaitable[None]]
"""A function that writes an entry and returns once it is durable."""
