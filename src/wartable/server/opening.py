"""Checks when a house or a table opens: key, money, return floor, ownership."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec
import sqlalchemy as sa
from cryptography.exceptions import InvalidTag
from msgspec.structs import replace

from wartable.odds.floor import floor_problems, gifts
from wartable.proof import ITERATIONS_MAX
from wartable.rules import NAMES, Book, RuleBook, WagerKind
from wartable.rules.model import Limits
from wartable.rules.settings import within
from wartable.server.config import HouseProblem, Money
from wartable.server.denied import Denied
from wartable.server.house.accounts import Accounts
from wartable.server.house.cage import KEYS, Cage
from wartable.server.house.closures import CLOCK, Closure
from wartable.server.house.guard import Guard
from wartable.server.records import database, keyed, keys, schema
from wartable.server.records.journal import Broken, Newer, place
from wartable.server.records.keys import HouseKey
from wartable.server.records.lease import HouseLease, HouseTaken
from wartable.server.records.rows import CASHIER, OFFICE
from wartable.server.tables.restoring import opened
from wartable.table import Setup
from wartable.validation import END

ELSEWHERE = "elsewhere"
"""The code of the refusal if another server of this house has the table, or must open it."""
PASSWORD_OF = "-password"
"""The end of the name of the file with a first administrator's password, after their name."""
RETURNS_MAX = 1_000
LOOK_S = 0.25
"""How often to check whether another server has written the first row of a new house."""
ROWS_TRIED = 10
"""How many rows to try the key on, since one of them may be damaged."""

TableTitle = Annotated[
    str,
    msgspec.Meta(
        pattern=f"^[a-z][a-z0-9-]*( [a-z0-9]+)*{END}",
        max_length=40,
        description="words of a-z and 0-9, beginning with a letter, at most 40 characters",
    ),
]
BookName = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
SettingName = Annotated[str, msgspec.Meta(max_length=60)]
SettingText = Annotated[str, msgspec.Meta(max_length=40)]
SettingValue = bool | Annotated[int, msgspec.Meta(ge=0, le=10**12)] | SettingText

PRACTICE = "practice layout, for play money only"
"""The layout of a table that needs an approval, in a house of play money, which nobody approves."""

ReturnsKey = tuple[str, Limits, int]
"""What decides a table's returns: its book's digest, its limits and its decks."""
Computed = TypeVar("Computed")
_FLOORS: dict[ReturnsKey, list[str]] = {}
_GIFTS: dict[ReturnsKey, dict[WagerKind, str]] = {}
"""Cached results by book digest, limits and decks, since they never change."""


class SharedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another shared table, with the options and settings that differ from the book's own.

    `approval` is the reference of the approval that a method of shuffling needs, `layout` the one
    of this table's layout, if it is not the house's. `confirmed` names the wagers that the operator
    offers although they return above 100 %. `order` says when the cards are ordered, once a shoe or
    after every "no more bets", and `iterations` how long that is calculated, where this differs
    from the house's setting.
    """

    name: TableTitle
    book: BookName
    decks: Annotated[int, msgspec.Meta(ge=1, le=12)] | None = None
    staffed: bool = False
    options: Annotated[dict[SettingName, SettingText], msgspec.Meta(max_length=20)] = {}
    settings: Annotated[dict[SettingName, SettingValue], msgspec.Meta(max_length=60)] = {}
    approval: Annotated[str, msgspec.Meta(max_length=80)] = ""
    layout: Annotated[str, msgspec.Meta(max_length=80)] = ""
    confirmed: Annotated[tuple[WagerKind, ...], msgspec.Meta(max_length=6)] = ()
    order: Literal["shoe", "after_bets"] | None = None
    iterations: Annotated[int, msgspec.Meta(ge=1, le=ITERATIONS_MAX)] | None = None


def take_house(engine: sa.Engine, owner: str, key_file: Path) -> HouseLease | None:
    """The lease of the house; None on SQLite, whose file has a lock.

    A server that has to wait reports at once if its key is not the house's.
    """
    if engine.dialect.name == "sqlite":
        return None
    try:
        return HouseLease(engine, owner)
    except HouseTaken:
        if database.head_of(engine, OFFICE) is not None:
            key_for(engine, key_file)
        raise


def key_of_house(engine: sa.Engine, path: Path) -> HouseKey:
    """The key of a house that another server has open, once that server has written with it."""
    while database.head_of(engine, OFFICE) is None:
        time.sleep(LOOK_S)
    return key_for(engine, path)


def key_for(engine: sa.Engine, path: Path) -> HouseKey:
    """The key that wrote the records; it is made only if nothing needs it yet."""
    rows = schema.journal.c
    sealed = sa.select(rows.table_name, rows.number, rows.secret).where(rows.secret.is_not(None))
    keyed = sa.select(rows.hash, rows.mac).order_by(rows.at_ms.desc())
    with engine.connect() as connection:
        seeds = connection.execute(sealed.limit(ROWS_TRIED)).all()
        written = [each for each in connection.execute(keyed.limit(ROWS_TRIED)) if each.mac]
    if not seeds and not written:
        return keys.from_environment() or keys.load_key(path)
    if (key := keys.from_environment()) is None and not path.exists():
        sentence = f"the key file {path}, which sealed the records, is missing"
        raise keys.KeyProblem(f"{sentence}; put your copy of it there.")
    key = key or keys.read_key(path)
    if any(_opens(key, *seed) for seed in seeds) or any(key.wrote(*row) for row in written):
        return key
    sentence = f"{path} is not the key that the records are sealed with"
    raise keys.KeyProblem(f"{sentence}; put your copy of that one there.")


def check_keyed(engine: sa.Engine, key: HouseKey) -> None:
    """Refuse to open a house with rows that it did not write."""
    try:
        keyed.check(engine, key)
    except Broken as error:
        raise _not_whole(error) from None


def last_ms(engine: sa.Engine, key: HouseKey) -> int:
    """The time of the newest row, from which the clock continues, if this house wrote it."""
    try:
        return keyed.last_ms(engine, key)
    except Broken as error:
        raise _not_whole(error) from None


def guard_for(engine: sa.Engine, key: HouseKey, folder: Path) -> Guard:
    """The guard of a house's rights; refuse to open with rows of the office that do not fit."""
    try:
        return Guard(engine, key, folder)
    except Broken as error:
        raise _not_whole(error) from None


def _not_whole(error: Broken) -> HouseProblem:
    if isinstance(error, Newer):
        return HouseProblem(f"{error}.")
    return HouseProblem(f"the records are not whole: {error}; run: wartable audit verify")


def _opens(key: HouseKey, table_name: str, number: int, secret: str) -> bool:
    try:
        key.unseal(secret, place(table_name, number))
    except InvalidTag:
        return False
    return True


async def first_admin(accounts: Accounts, folder: Path) -> None:
    """Make an administrator for a house without one; write the password to its own file."""
    made = await accounts.open_admin()
    if made is not None:
        name, password = made
        path = folder / f"{name}{PASSWORD_OF}"
        path.unlink(missing_ok=True)  # an old one might be readable by others
        keys.write_secret(path, password + "\n")


def notices(folder: Path, closure: Closure | None, unmarked: bool = False) -> list[str]:
    """What the operator should know once the house is open."""
    found = []
    if unmarked:
        found.append(
            "This folder had no marks of the records, so this house cannot tell whether they are"
            " the newest; if you did not move or restore it, run: wartable audit verify --all"
        )
    for path in sorted(folder.glob(f"admin*{PASSWORD_OF}")):
        name = path.name.removesuffix(PASSWORD_OF)
        found.append(f"The password of {name} is in {path}; change it and delete the file.")
    if closure is not None:
        found.append(f"No wager is taken: {closure.reason}")
        if (closure.scope, closure.name) == CLOCK:
            found.append("An administrator confirms the time on the page /floor.")
    return found


def check_money(engine: sa.Engine, kind: Money) -> None:
    """Refuse to open a house with another kind of money than before."""
    known = _money_of(engine)
    if kind == "deposited" and known == "play":
        raise HouseProblem(
            "this house has players with play money; deposited money needs its own house:"
            " choose another --data or --database."
        )
    if kind == "play" and known == "deposited":
        raise HouseProblem("this house plays for deposited money; open it with --money deposited.")


def _money_of(engine: sa.Engine) -> Money | None:
    """The house's kind of money: of its first payment, or else of all its players.

    Only an operator's key pays deposited money in, and only the house gives play money. A house of
    an earlier version may have a few accounts of the other kind, which never had any money.
    """
    rows, accounts = schema.journal.c, schema.accounts.c
    first = sa.select(rows.actor).where(rows.table_name == CASHIER, rows.number == 1)
    kinds = sa.select(accounts.money).where(accounts.role == "player").distinct()
    with engine.connect() as connection:
        payer = connection.execute(first).scalar()
        if payer is not None:
            return "deposited" if payer.startswith(f"{KEYS}:") else "play"
        known: list[Money] = list(connection.execute(kinds).scalars())
    return known[0] if len(known) == 1 else None


def _remembered(
    kept: dict[ReturnsKey, Computed],
    compute: Callable[[Book, int], Computed],
    book: Book,
    decks: int,
) -> Computed:
    """What is computed once for all tables of the same book, limits and decks."""
    key = (book.digest, book.rules.limits, decks)
    found = kept.get(key)
    if found is None:
        while len(kept) >= RETURNS_MAX:
            kept.pop(next(iter(kept)))
        found = kept[key] = compute(book, decks)
    return found


async def check_floor(book: Book, decks: int) -> None:
    """Deny a table that returns too little."""
    if problems := await asyncio.to_thread(_remembered, _FLOORS, floor_problems, book, decks):
        raise Denied("return_floor", " ".join(problems))


def stored(engine: sa.Engine, key: HouseKey, name: str, most: Limits) -> tuple[Book, Setup]:
    """The book and the setup of a table, with limits no higher than the house's now.

    Tables from before they had limits take the house's.
    """
    book, found = opened(engine, key, name)
    setup = replace(found, rules=within(found.rules, most))
    return replace(book, rules=setup.rules), setup


def know_floor(engine: sa.Engine, key: HouseKey, name: str, most: Limits) -> None:
    """Compute beforehand what a table returns, so that it opens at once."""
    book, setup = stored(engine, key, name, most)
    _remembered(_FLOORS, floor_problems, book, setup.decks)


def check_name(asked: SharedTable) -> None:
    """Deny a table the name of a document whose rules it does not play."""
    for name in asked.name.split(" "):
        if name in NAMES and name != asked.book:
            sentence = f"A table named {name} plays by that book; give this one another name."
            raise Denied("name_of_book", sentence)


def layout_of(rules: RuleBook, layout: str, money: Money) -> str:
    """The reference of a new table's layout; deny a table that needs one and has none.

    Nobody approves a table of play money, so its reference states that it is one.
    """
    if not rules.table.layout_approval:
        return ""
    if not layout.strip() and money == "deposited":
        raise Denied(
            "layout_not_approved",
            "The layout of this table must be approved before it opens; record the reference of"
            " its approval as the layout.",
        )
    return layout.strip() or PRACTICE


async def check_gifts(book: Book, decks: int, confirmed: tuple[str, ...]) -> None:
    """Deny a new table that returns above 100 %, unless the operator confirms it by name."""
    found = await asyncio.to_thread(_remembered, _GIFTS, gifts, book, decks)
    if problems := [sentence for kind, sentence in found.items() if kind not in confirmed]:
        raise Denied("return_above_100", " ".join(problems))


def check_company(rules: RuleBook, bots: bool) -> None:
    """Deny a private table of a game that needs several players, in a house without bots."""
    if not bots and rules.table.players_min > 1:
        raise Denied(
            "no_company",
            "You cannot play this game alone, and this house has no bots; sit at a shared table.",
        )


def check_means(engine: sa.Engine, cage: Cage, name: str) -> None:
    """Deny a first private table to a player without money: the house would fund its meters."""
    if not any(cage.money(owner_of(name) or "").values()) and not database.is_table(engine, name):
        raise Denied("no_money", "Make a deposit before you open a private table.")


def owner_of(name: str) -> str | None:
    """The owner of a private table."""
    return name.partition("@")[2] or None


def no_table() -> Denied:
    """The answer when a table does not exist or the caller may not see it."""
    return Denied("no_table", "There is no such table.")


def elsewhere() -> Denied:
    """The answer when another server of this house has the table, or must open it."""
    sentence = "This table is at another server of this house; connect to /play?table=NAME."
    return Denied(ELSEWHERE, sentence)
