"""HTTP for rule books: which are played, what one says, and the book in force at a table."""

import asyncio
from typing import Any

import msgspec
from litestar import Router, get
from litestar.params import FromPath

from wartable.inscription import Pay, inscription, payout_limit, paytable
from wartable.rules import load
from wartable.rules.load import shipped_raw
from wartable.server import database
from wartable.server.access import Asked, house_of, session_if_any
from wartable.server.accounts import Denied

PathName = FromPath[str]


class BookShown(msgspec.Struct, frozen=True):
    """A rule book in short."""

    name: str
    title: str
    version: str
    digest: str
    decks: int
    boxes: int
    labels: dict[str, str]


class TableBook(msgspec.Struct, frozen=True):
    """The book in force at a table: its plain values, and what the felt says of it."""

    table: str
    operator: str
    digest: str
    decks: int
    batches: tuple[str, ...]
    staffed: bool
    community: int
    boxes_in_play: int
    rules: dict[str, Any]
    paytable: tuple[Pay, ...]
    inscription: tuple[str, ...]
    payout_limit: str
    clauses: dict[str, tuple[str, ...]]


@get("/books")
async def books(request: Asked) -> list[BookShown]:
    """The rule books that are played here."""
    shown = []
    for name in house_of(request).config.books:
        book = load(name)
        rules = book.rules
        size = (rules.shoe.decks, rules.table.boxes)
        shown.append(BookShown(name, rules.title, rules.version, book.digest, *size, rules.labels))
    return shown


@get("/books/{name:str}")
async def book(request: Asked, name: PathName) -> dict[str, Any]:
    """A whole rule book: every value with the clauses and readings it stands on."""
    if name not in house_of(request).config.books:
        raise Denied(404, "no_book", "There is no such rule book here.")
    return dict(shipped_raw(name))


@get("/tables/{name:str}/book")
async def table_book(request: Asked, name: PathName) -> TableBook:
    """The very book that the table was opened with, for who may see the table."""
    session, house = session_if_any(request), house_of(request)
    place = await house.find(name, None if session is None else session.account)
    setup = place.live.setup
    in_force, _ = await asyncio.to_thread(database.opened_with, house.engine, name)
    return TableBook(
        table=name,
        operator=house.config.operator,
        digest=in_force.digest,
        decks=setup.decks,
        batches=setup.batches,
        staffed=setup.staffed,
        community=setup.rules.community,
        boxes_in_play=setup.rules.boxes_in_play,
        rules=msgspec.to_builtins(in_force.rules, enc_hook=str),
        paytable=paytable(in_force),
        inscription=inscription(in_force),
        payout_limit=payout_limit(in_force.rules),
        clauses={
            f"{wager}.{outcome}": in_force.clauses(wager, outcome)
            for wager, outcomes in in_force.rules.outcomes.items()
            for outcome in outcomes
        },
    )


HANDLERS: list[Any] = [books, book, table_book]
ROUTER = Router("/", route_handlers=HANDLERS, tags=["books"])
