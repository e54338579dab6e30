"""HTTP for rule books: those played here, their text, and the book in force at a table."""

import asyncio
import threading
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import msgspec
from litestar import Router, get
from litestar.params import FromPath

from wartable.game.wagers import WAGERS
from wartable.game.wagers.war import printed_odds
from wartable.inscription import Pay, burns, decks_in_use, inscription, payout_limit, paytable
from wartable.odds.report import Question, study
from wartable.odds.wheel import wheel_chances, wheel_words
from wartable.rules import Book, RuleBook, load
from wartable.rules import inventory as inv
from wartable.rules.load import shipped_raw
from wartable.server.denied import Denied
from wartable.server.http.access import Asked, house_of, session_if_any
from wartable.server.records import database

PathName = FromPath[str]
RANKS = ("A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2")
_STUDYING = threading.Lock()


class BookShown(msgspec.Struct, frozen=True):
    """A summary of a rule book."""

    name: str
    title: str
    version: str
    digest: str
    decks: int
    boxes: int
    labels: dict[str, str]


class Ending(msgspec.Struct, frozen=True):
    """A way that a wager can end, in the book's words."""

    wager: str
    label: str
    outcome: str
    words: str
    clauses: tuple[str, ...]


class ClauseShown(msgspec.Struct, frozen=True):
    """A clause in our words, with the readings it rests on."""

    id: str
    rule: str
    readings: tuple[str, ...]


class DocumentPart(msgspec.Struct, frozen=True):
    """A section of the document with its clauses."""

    id: str
    title: str
    clauses: tuple[ClauseShown, ...]


class Meaning(msgspec.Struct, frozen=True):
    """A word of the glossary (`*`: all of them), its meaning, and the clauses behind it."""

    term: str
    meaning: str
    source: str


class WagerShown(msgspec.Struct, frozen=True):
    """A wager that the book offers, as a page needs it: its spot, sizes and meters."""

    kind: str
    label: str
    label_words: int
    before_deal: bool
    side_bet: bool
    by_wheel: bool
    denominations: tuple[int, ...]
    meters: dict[str, Any]


class Chance(msgspec.Struct, frozen=True):
    """A chance: the fraction and its value."""

    exact: str
    value: float


class WheelShown(msgspec.Struct, frozen=True):
    """The wheel of a book: the card that turns it in words, and every stop's exact chance."""

    words: tuple[str, ...]
    trigger: Chance
    hot_spot: dict[str, Chance]
    community: dict[str, Chance]


class BookPage(msgspec.Struct, frozen=True):
    """A rule book as its page shows it."""

    name: str
    title: str
    version: str
    digest: str
    document: dict[str, str]
    decks_in_use: str
    burns: tuple[str, ...]
    notices: tuple[ClauseShown, ...]
    ranks: tuple[str, ...]
    glossary: tuple[Meaning, ...]
    rules: dict[str, Any]
    wagers: tuple[WagerShown, ...]
    wheel: WheelShown | None
    paytable: tuple[Pay, ...]
    outcomes: tuple[Ending, ...]
    payout_limit: str
    printed_edges: dict[str, str]
    sections: tuple[DocumentPart, ...]
    readings: dict[str, inv.Reading]


class TableBook(msgspec.Struct, frozen=True):
    """The book in force at a table: its plain values, and what the felt says about it."""

    table: str
    operator: str
    inscribed: bool
    digest: str
    decks: int
    decks_in_use: str
    batches: tuple[str, ...]
    staffed: bool
    community: int
    boxes_in_play: int
    rules: dict[str, Any]
    wagers: tuple[WagerShown, ...]
    wheel: WheelShown | None
    paytable: tuple[Pay, ...]
    inscription: tuple[str, ...]
    war_printed: str
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


def _known(request: Asked, name: str) -> str:
    """The name of a book that is played here; `Denied` for any other."""
    if name not in house_of(request).config.books:
        raise Denied("no_book", "There is no such rule book here.")
    return name


@get("/books/{name:str}")
async def book(request: Asked, name: PathName) -> dict[str, Any]:
    """A whole rule book: every value with the clauses and readings behind it."""
    return _raw(_known(request, name))


@get("/books/{name:str}/page", sync_to_thread=True)
def book_page(request: Asked, name: PathName) -> BookPage:
    """A rule book for readers: sections, clauses, readings, glossary, notices, paytable."""
    return page_of(load(_known(request, name)))


@get("/books/{name:str}/odds", sync_to_thread=True)
def book_odds(request: Asked, name: PathName) -> dict[str, Any]:
    """The exact odds of every wager from a fresh shoe, with their distributions."""
    with _STUDYING:  # so that the same figures are not computed twice
        return _studied(_known(request, name))


@cache
def _raw(name: str) -> dict[str, Any]:
    return dict(shipped_raw(name))


@cache
def _studied(name: str) -> dict[str, Any]:
    return study(load(name), Question())


def page_of(book: Book) -> BookPage:
    """What the page of a book shows."""
    rules = book.rules
    clauses = [each for each in inv.clauses().values() if each.document == rules.name]
    sections = [each for each in inv.sections().values() if each.document == rules.name]
    parts = [
        DocumentPart(
            each.id, each.title, tuple(_shown(one) for one in clauses if each.holds(one.id))
        )
        for each in sections
    ]
    named = (name for source in book.sources.values() for name in source.readings)
    return BookPage(
        name=rules.name,
        title=rules.title,
        version=rules.version,
        digest=book.digest,
        document=msgspec.structs.asdict(rules.document),
        decks_in_use=decks_in_use(rules.shoe.decks, rules.options.shuffle),
        burns=burns(rules),
        notices=tuple(_shown(each) for each in clauses if each.kind == "disclosure"),
        ranks=RANKS,
        glossary=tuple(_meanings(rules.name)),
        rules=msgspec.to_builtins(rules, enc_hook=str),
        wagers=tuple(_wagers(rules)),
        wheel=_wheel(rules, rules.shoe.decks),
        paytable=paytable(book),
        outcomes=tuple(_endings(book)),
        payout_limit=payout_limit(rules),
        printed_edges={} if rules.edges is None else msgspec.structs.asdict(rules.edges),
        sections=tuple(parts),
        readings=inv.readings_of(rules.name, named),
    )


def _wagers(rules: RuleBook) -> Iterator[WagerShown]:
    """The wagers that the book offers, in order."""
    for each in WAGERS:
        if each.offered(rules):
            yield WagerShown(
                kind=each.kind,
                label=rules.labels.get(each.kind, each.kind),
                label_words=each.label_words,
                before_deal=each.before_deal,
                side_bet=each.side_bet,
                by_wheel=each.by_wheel,
                denominations=each.denominations(rules),
                meters=msgspec.to_builtins(each.meters(rules), enc_hook=str),
            )


def _wheel(rules: RuleBook, decks: int) -> WheelShown | None:
    """The wheel that the book offers."""
    chances = wheel_chances(rules, decks)
    if chances is None:
        return None
    rings = (chances.hot_spot, chances.community)
    shown = ({symbol: _chance(each) for symbol, each in ring.items()} for ring in rings)
    return WheelShown(wheel_words(rules, decks), _chance(chances.trigger), *shown)


def _chance(chance: Fraction) -> Chance:
    return Chance(str(chance), float(chance))


def _shown(clause: inv.Clause) -> ClauseShown:
    return ClauseShown(clause.id, clause.rule, clause.readings)


def _meanings(document: str) -> Iterator[Meaning]:
    for each in inv.terms().values():
        if each.document == document:
            said = each.meaning or inv.clauses()[each.source].rule
            yield Meaning(each.term, said, each.source)


def _endings(book: Book) -> Iterator[Ending]:
    for wager, outcomes in book.rules.outcomes.items():
        label = book.rules.labels.get(wager, wager)
        for outcome, words in outcomes.items():
            yield Ending(wager, label, outcome, words, book.clauses(wager, outcome))


@get("/tables/{name:str}/book")
async def table_book(request: Asked, name: PathName) -> TableBook:
    """The book that the table was opened with, for anyone who may see the table."""
    session, house = await session_if_any(request), house_of(request)
    place = await house.pit.find(name, None if session is None else session.account)
    setup = place.live.setup
    in_force, _ = await asyncio.to_thread(database.opened_with, house.engine, name)
    return TableBook(
        table=name,
        operator=house.config.operator,
        inscribed=house.config.inscribed,
        digest=in_force.digest,
        decks=setup.decks,
        decks_in_use=decks_in_use(setup.decks, place.live.state.method),
        batches=setup.batches,
        staffed=setup.staffed,
        community=setup.rules.community,
        boxes_in_play=setup.rules.boxes_in_play,
        rules=msgspec.to_builtins(in_force.rules, enc_hook=str),
        wagers=tuple(_wagers(in_force.rules)),
        wheel=_wheel(in_force.rules, setup.decks),
        paytable=paytable(in_force),
        inscription=inscription(in_force),
        war_printed=printed_odds(in_force.rules),
        payout_limit=payout_limit(in_force.rules),
        clauses={
            f"{wager}.{outcome}": in_force.clauses(wager, outcome)
            for wager, outcomes in in_force.rules.outcomes.items()
            for outcome in outcomes
        },
    )


HANDLERS: list[Any] = [books, book, book_page, book_odds, table_book]
ROUTER = Router("/", route_handlers=HANDLERS, tags=["books"])
