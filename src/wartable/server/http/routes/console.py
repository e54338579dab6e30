"""HTTP for the console: a table in detail, awards, the form of a new table, what is on file."""

import asyncio
from functools import partial
from typing import Annotated, Any, NamedTuple

import msgspec
from litestar import get, post, put
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK
from msgspec.structs import replace

from wartable.inscription import inscription, payout_limit
from wartable.odds.floor import floor_problems, floors, gifts
from wartable.rules import Book, RulesError
from wartable.rules import inventory as inv
from wartable.rules.forms import FormField, form_of
from wartable.rules.load import build
from wartable.rules.settings import NOTE
from wartable.server.denied import Denied
from wartable.server.house import submissions
from wartable.server.house.submissions import Filed
from wartable.server.http import requests as r
from wartable.server.http.access import (
    Asked,
    PathName,
    house_of,
    looking_with_right,
    with_right,
)
from wartable.server.http.between import waiting
from wartable.server.http.routes.books import ClauseShown
from wartable.server.opening import SharedTable
from wartable.server.records import database
from wartable.server.running import House
from wartable.server.tables.overview import AwardShown
from wartable.server.tables.place import RunningTable

JUDGED_MAX = 200
"""How many judgements of books are kept, since one is asked for at every change of the form."""
_JUDGED: dict[tuple[str, Any, int], "Judged"] = {}

Reference = Annotated[str, msgspec.Meta(max_length=80)]


class TableSheet(msgspec.Struct, frozen=True):
    """What stands behind a table: approvals, what its operator set, and each action's clauses."""

    name: str
    book: str
    title: str
    digest: str
    operator: str
    inscribed: bool
    """Whether the felt states what wagers pay; otherwise a sign must."""
    layout: str
    approval: str
    own: dict[str, str]
    """The settings and options in which the table differs from its book."""
    inscription: tuple[str, ...]
    payout_limit: str
    actions: dict[str, tuple[ClauseShown, ...]]
    filed: Filed


class TableForm(msgspec.Struct, frozen=True):
    """The form of a new table: its fields, what is on file for the book, and what must be shown."""

    fields: tuple[FormField, ...]
    layout_approval: bool
    approval_methods: tuple[str, ...]
    agreement: str
    """The clause that asks for the owner's agreement; empty if none does."""
    filed: Filed
    clauses: dict[str, str]
    """The clauses behind the fields, in our words."""


class Preview(msgspec.Struct, frozen=True):
    """What a table would be: the edge of each wager, its felt, and why it may not open yet.

    `gifts` are the wagers that return above 100 %, which the operator may confirm by name.
    """

    edges: dict[str, float]
    book_edges: dict[str, float]
    inscription: tuple[str, ...]
    payout_limit: str
    problems: tuple[str, ...]
    gifts: dict[str, str]


class Judged(NamedTuple):
    """The edge of each wager at its lowest return, what is too low, and what is above 100 %."""

    edges: dict[str, float]
    problems: tuple[str, ...]
    gifts: dict[str, str]


class NewFiling(r.RequestBody, frozen=True):
    """The references on file for a rule book, and their dates."""

    submission: Reference = ""
    submitted: Reference = ""
    agreement: Reference = ""
    agreed: Reference = ""


async def _open_table(request: Asked, name: str) -> RunningTable:
    place = house_of(request).floor.places.get(name)
    if place is None:
        raise Denied("no_table", "There is no such table.")
    return place


def _book_of(house: House, place: RunningTable) -> Book:
    """The book that a table was opened with, with its limits."""
    opened, _ = database.opened_with(house.engine, place.live.setup.name)
    return replace(opened, rules=place.live.setup.rules)


@get("/staff/tables/{name:str}")
async def table_sheet(request: Asked, name: PathName) -> TableSheet:
    """What stands behind a table; for staff."""
    await looking_with_right(request, "look")
    place = await _open_table(request, name)
    return await asyncio.to_thread(_sheet, house_of(request), place)


def _sheet(house: House, place: RunningTable) -> TableSheet:
    setup, book = place.live.setup, _book_of(house, place)
    values = msgspec.to_builtins(book.rules, enc_hook=str)
    own = {}
    for key, source in book.sources.items():
        if source.note == NOTE:
            found: Any = values
            for part in key.split("."):
                found = found[part]
            own[key] = str(found)
    return TableSheet(
        name=setup.name,
        book=setup.rules.name,
        title=setup.rules.title,
        digest=place.digest,
        operator=house.config.operator,
        inscribed=house.config.inscribed,
        layout=setup.layout,
        approval=setup.approval,
        own=own,
        inscription=inscription(book),
        payout_limit=payout_limit(setup.rules),
        actions=_actions(setup.rules.document_book),
        filed=submissions.on_file(house.engine, setup.rules.name),
    )


def _actions(document: str) -> dict[str, tuple[ClauseShown, ...]]:
    """The clauses behind each action of staff, by this document."""
    known = inv.clauses()
    return {
        each.action: tuple(
            ClauseShown(id_, known[id_].rule, known[id_].readings) for id_ in each.clauses
        )
        for each in inv.staff_actions().values()
        if each.document == document
    }


@get("/awards")
async def awards(request: Asked) -> list[AwardShown]:
    """Every award that waits for approval, with its evidence; for staff."""
    await looking_with_right(request, "look")
    house = house_of(request)
    return [*await waiting(house), *await house.floor.awards_elsewhere()]


@get("/books/{name:str}/form")
async def table_form(request: Asked, name: PathName) -> TableForm:
    """Everything that the operator of a table of this book may set; for staff."""
    await looking_with_right(request, "look")
    house = house_of(request)
    if name not in house.config.books:
        raise Denied("no_book", "There is no such rule book here.")

    def read() -> TableForm:
        content = house.config.content(name)
        fields = tuple(form_of(content, house.config.limits))
        rules = build(content).rules
        used = {id_ for field in fields for id_ in field.clauses}
        known, own = inv.clauses(), inv.staff_actions()
        asking = own.get(f"{rules.document_book}-agreement")
        return TableForm(
            fields=fields,
            layout_approval=rules.table.layout_approval,
            approval_methods=rules.shoe.approval_methods,
            agreement="" if asking is None else ",".join(asking.clauses),
            filed=submissions.on_file(house.engine, name),
            clauses={id_: known[id_].rule for id_ in sorted(used)},
        )

    return await asyncio.to_thread(read)


@post("/tables/preview", status_code=HTTP_200_OK)
async def preview(request: Asked, data: JSONBody[SharedTable]) -> Preview:
    """What a table with these settings would be, without opening it."""
    by, house = await with_right(request, "open_tables"), house_of(request)
    try:
        return await house.turns.read(by.name, partial(_preview, house, data))
    except RulesError as error:  # the form shows the problems while somebody fills it in
        return Preview({}, {}, (), "", tuple(error.problems), {})


def _preview(house: House, asked: SharedTable) -> Preview:
    setup, _, book = house.pit.planned(asked)
    plain = replace(asked, options={}, settings={}, decks=None, approval="any", staffed=False)
    own_setup, _, own_book = house.pit.planned(plain)
    judged = _judged(book, setup.decks)
    return Preview(
        edges=judged.edges,
        book_edges=_judged(own_book, own_setup.decks).edges,
        inscription=inscription(book),
        payout_limit=payout_limit(book.rules),
        problems=judged.problems,
        gifts=judged.gifts,
    )


def _judged(book: Book, decks: int) -> Judged:
    """A book's returns by its exact odds, computed once."""
    key = (book.digest, book.rules.limits, decks)
    if key not in _JUDGED:
        while len(_JUDGED) >= JUDGED_MAX:
            _JUDGED.pop(next(iter(_JUDGED)))
        _JUDGED[key] = Judged(
            {book.rules.label(each.wager): float(1 - each.worst) for each in floors(book, decks)},
            tuple(floor_problems(book, decks)),
            {str(kind): said for kind, said in gifts(book, decks).items()},
        )
    return _JUDGED[key]


@put("/books/{name:str}/filing")
async def file_submission(request: Asked, name: PathName, data: JSONBody[NewFiling]) -> None:
    """Record the submission and the owner's agreement that are on file for a book."""
    by, house = await with_right(request, "open_tables"), house_of(request)
    if name not in house.config.books:
        raise Denied("no_book", "There is no such rule book here.")
    before = await asyncio.to_thread(submissions.on_file, house.engine, name)
    filing = submissions.Filing(**msgspec.structs.asdict(data))
    await submissions.record(house.office, by.name, name, filing, before)


HANDLERS: list[Any] = [table_sheet, awards, table_form, preview, file_submission]
