"""HTTP for the floor page: the rights of a member of staff, the open tables, the accounts."""

import asyncio
from typing import Annotated, Any, get_args

import msgspec
import sqlalchemy as sa
from litestar import get, post
from litestar.params import JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED

from wartable.server.denied import Denied, not_your_part
from wartable.server.house.closures import Closure
from wartable.server.house.custody import CardSet
from wartable.server.house.roles import (
    ATTENDED,
    CARD_MOVES,
    COMMANDS,
    RIGHTS,
    ROLES,
    Role,
    may,
    roles_for,
)
from wartable.server.http import requests as r
from wartable.server.http.access import (
    Asked,
    PathName,
    house_of,
    looking_with_right,
    with_right,
)
from wartable.server.http.between import shown
from wartable.server.http.pages import PAGES
from wartable.server.records import schema, spread
from wartable.server.running import House
from wartable.server.tables.overview import FloorTable
from wartable.server.watch import Watched
from wartable.table.commands import Preparation, Prepare

ACCOUNTS_MAX = 100
PROTECTED_MAX = 500
"""How many exclusions, and how many limits, are shown at once."""


class PageLink(msgspec.Struct, frozen=True):
    """A page of the console."""

    path: str
    title: str


class FloorView(msgspec.Struct, frozen=True):
    """What a member of staff may do, at tables and in the house, and the open tables.

    `attended` lists the commands that exist only at a table with staff, `steps` those of the
    cards' preparation, and `card_moves` what may be done with sets of the inventory.
    """

    name: str
    role: Role
    roles: tuple[Role, ...]
    books: tuple[str, ...]
    rights: tuple[str, ...]
    commands: tuple[str, ...]
    attended: tuple[str, ...]
    tables: tuple[FloorTable, ...]
    closures: tuple[Closure, ...]
    steps: tuple[str, ...]
    card_moves: tuple[str, ...]
    disputes: int
    """How many disputes wait for an answer."""
    at_ms: int
    pages: tuple[PageLink, ...]


class AccountShown(msgspec.Struct, frozen=True):
    """An account as an administrator sees it."""

    name: str
    role: Role
    money: str
    opened_ms: int
    excluded_until_ms: int
    locked_until_ms: int


class CardsShown(msgspec.Struct, frozen=True):
    """A set of cards, and the table at which it is in use."""

    cards: CardSet
    in_use: str | None


class LimitInForce(msgspec.Struct, frozen=True):
    """A limit in force, and who set it; `*` is everybody. Money is in cents."""

    account: str
    kind: str
    setter: str
    amount: int


class ExclusionShown(msgspec.Struct, frozen=True):
    """A player who may not play until then, by their own wish."""

    account: str
    until_ms: int


class Protected(msgspec.Struct, frozen=True):
    """Who is excluded now, and the limits in force."""

    excluded: tuple[ExclusionShown, ...]
    limits: tuple[LimitInForce, ...]


async def _shown(house: House, *cards: CardSet) -> list[CardsShown]:
    users = await house.inventory.users()
    return [CardsShown(each, users.get(each.name)) for each in cards]


def _tag(kind: type[Any]) -> str:
    return str(kind.__struct_config__.tag)


@get("/staff")
async def floor_view(request: Asked) -> FloorView:
    """What your role may do, and every open table; for staff."""
    account, house = await looking_with_right(request, "look"), house_of(request)
    role = account.role
    sees = may(role, "disable") or may(role, "records")
    elsewhere = await house.floor.shown_elsewhere()
    return FloorView(
        account.name,
        role,
        ROLES,
        house.config.books,
        tuple(right for right, roles in RIGHTS.items() if role in roles),
        tuple(_tag(kind) for kind, roles in COMMANDS.items() if role in roles),
        tuple(sorted(_tag(kind) for kind in ATTENDED)),
        (*(shown(house, place) for place in house.floor.places.values()), *elsewhere),
        tuple(house.protection.closures.values()) if sees else (),
        tuple(step for step in get_args(Preparation) if role in roles_for(Prepare(role, step))),
        tuple(what for what, roles in CARD_MOVES.items() if role in roles),
        len(house.disputes.known.open()) if sees else 0,
        house.clock.now_ms(),
        tuple(
            PageLink(page.path, page.title["en"])
            for page in PAGES
            if any(may(role, right) for right in page.rights)
        ),
    )


@get("/accounts")
async def accounts(
    request: Asked, begins: Annotated[str, QueryParameter(max_length=32)] = ""
) -> list[AccountShown]:
    """The accounts whose names begin with this, sorted, at most 100; for an administrator."""
    await with_right(request, "accounts")
    engine, rows = house_of(request).engine, schema.accounts.c
    query = sa.select(
        rows.name,
        rows.role,
        rows.money,
        rows.opened_ms,
        rows.excluded_until_ms,
        rows.locked_until_ms,
    ).where(rows.name.startswith(begins, autoescape=True))

    def read() -> list[AccountShown]:
        with engine.connect() as connection:
            found = connection.execute(query.order_by(rows.name).limit(ACCOUNTS_MAX))
            return [AccountShown(*row) for row in found]

    return await asyncio.to_thread(read)


@get("/protected")
async def protected(request: Asked) -> Protected:
    """Who is excluded now and which limits are in force; for the floor and above."""
    await looking_with_right(request, "disable", "records")
    house = house_of(request)
    now_ms, rows = house.clock.now_ms(), schema.accounts.c
    query = sa.select(rows.name, rows.excluded_until_ms).where(rows.excluded_until_ms > now_ms)

    def read() -> tuple[ExclusionShown, ...]:
        with house.engine.connect() as connection:
            found = connection.execute(query.order_by(rows.name).limit(PROTECTED_MAX))
            return tuple(ExclusionShown(*row) for row in found)

    limits: list[LimitInForce] = []
    for (name, kind, setter), held in sorted(house.protection.limits.held.items()):
        if (amount := held.at(now_ms)) is not None and len(limits) < PROTECTED_MAX:
            limits.append(LimitInForce(name, kind, setter, amount))
    return Protected(await asyncio.to_thread(read), tuple(limits))


@get("/cards")
async def cards(request: Asked) -> list[CardsShown]:
    """Every set of cards that is not destroyed, with its log; for staff."""
    await looking_with_right(request, "look")
    house = house_of(request)
    return await _shown(house, *house.inventory.shown())


@get("/cards/{name:str}")
async def card_set(request: Asked, name: PathName) -> CardsShown:
    """One set of cards, also a destroyed one; for staff."""
    await looking_with_right(request, "look")
    house = house_of(request)
    return (await _shown(house, house.inventory.find(name)))[0]


@post("/cards", status_code=HTTP_201_CREATED)
async def receive_cards(request: Asked, data: JSONBody[r.NewCards]) -> CardsShown:
    """Take a new set of cards into the inventory."""
    by, house = await with_right(request, "cards"), house_of(request)
    received = await house.inventory.receive(by, data.name, data.decks, data.back)
    return (await _shown(house, received))[0]


@post("/cards/{name:str}/moves", status_code=HTTP_200_OK)
async def move_cards(request: Asked, name: PathName, data: JSONBody[r.CardsMoved]) -> CardsShown:
    """Record the next step of a set's life: prepared, secured, issued or destroyed."""
    by, house = await with_right(request, "cards"), house_of(request)
    if by.role not in CARD_MOVES[data.what]:
        raise not_your_part(by.role)
    issued = data.what == "issued"
    if issued and not await asyncio.to_thread(spread.staffed, house.engine, data.place):
        raise Denied("no_table", "Cards are issued to a table with staff; name one.")
    moved = await house.inventory.move(by, name, data.what, data.place, data.seal)
    return (await _shown(house, moved))[0]


@get("/staff/servers")
async def watched(request: Asked) -> Watched:
    """Servers, tables and where they are, rates, latencies, the database; for administrators."""
    await looking_with_right(request, "accounts")
    return await house_of(request).watched()


HANDLERS: list[Any] = [
    floor_view, watched, accounts, protected, cards, card_set, receive_cards, move_cards,
]  # fmt: skip  # a list of names
