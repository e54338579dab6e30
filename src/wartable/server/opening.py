"""Which tables may be opened, and whose they are."""

import asyncio

from wartable.odds.floor import floor_problems
from wartable.rules import Book
from wartable.server.accounts import Denied

FLOORS_MAX = 1_000

_FLOORS: dict[tuple[str, int], tuple[str, ...]] = {}
"""What was found of a book by its digest and decks: it is the same every time."""


def floor_of(book: Book, decks: int) -> tuple[str, ...]:
    """Why no table of this book and so many decks may open, if it returns too little."""
    found = _FLOORS.get((book.digest, decks))
    if found is None:
        while len(_FLOORS) >= FLOORS_MAX:
            _FLOORS.pop(next(iter(_FLOORS)))
        found = _FLOORS[book.digest, decks] = tuple(floor_problems(book, decks))
    return found


async def check_floor(book: Book, decks: int) -> None:
    """Deny a table that returns too little."""
    if problems := await asyncio.to_thread(floor_of, book, decks):
        raise Denied(409, "return_floor", " ".join(problems))


def owner_of(name: str) -> str | None:
    """The player whose private table this is."""
    return name.partition("@")[2] or None


def no_table() -> Denied:
    """The answer to who asks for a table that is not there, or not theirs to see."""
    return Denied(404, "no_table", "There is no such table.")
