"""HTTP for rule books: those played here, their text, and the book in force at a table."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

import msgspec
from litestar import Router, get
from msgspec.structs import replace

from wartable.game.wagers import WAGERS
from wartable.game.wagers.wheel import stop_pays, wheel_of
from wartable.inscription import (
    Pay,
    burns,
    decks_in_use,
    inscription,
    outcomes,
    payout_limit,
    paytable,
    printed_war,
)
from wartable.odds.report import Question, study
from wartable.odds.wheel import wheel_chances, wheel_words
from wartable.rules import Book, RuleBook, RulesError, load
from wartable.rules import inventory as inv
from wartable.rules.differences import differs
from wartable.rules.load import build
from wartable.rules.model import WagerKind
from wartable.rules.settings import within
from wartable.server.denied import Denied
from wartable.server.http.access import Asked, PathName, house_of, session_if_any
from wartable.server.records import database

RANKS = ("A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2")
_STUDYING = threading.Lock()
_STUDIES: dict[str, dict[str, Any]] = {}
"""The exact odds of each book played here, by its digest."""


class BookShown(msgspec.Struct, frozen=True):
    """A summary of a rule book."""

    name: str
    title: str
    differs: str
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

    title: str
    clauses: tuple[ClauseShown, ...]


class WagerShown(msgspec.Struct, frozen=True):
    """A wager that the book offers, as a page needs it: its spot, sizes and meters."""

    kind: WagerKind
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
    """The wheel of a book: the card that turns it in words, and every stop's exact chance.

    `community_pays` is what a community stop pays for the printed stake, in cents.
    """

    words: tuple[str, ...]
    trigger: Chance
    hot_spot: dict[str, Chance]
    community: dict[str, Chance]
    community_pays: dict[str, int]


class BookPage(msgspec.Struct, frozen=True):
    """A rule book as its page shows it, with the limits of the house's tables."""

    name: str
    title: str
    differs: str
    version: str
    digest: str
    document: dict[str, str]
    decks_in_use: str
    burns: tuple[str, ...]
    notices: tuple[ClauseShown, ...]
    ranks: tuple[str, ...]
    glossary: tuple[inv.Term, ...]
    rules: dict[str, Any]
    wagers: tuple[WagerShown, ...]
    wheel: WheelShown | None
    paytable: tuple[Pay, ...]
    outcomes: tuple[Ending, ...]
    payout_limit: str
    printed_edges: dict[str, str]
    sections: tuple[DocumentPart, ...]
    readings: dict[str, inv.Reading]


class Assumption(msgspec.Struct, frozen=True):
    """A value that no clause of the document supports: its key, and the readings it rests on."""

    key: str
    value: str
    note: str
    readings: tuple[str, ...]


class TableBook(msgspec.Struct, frozen=True):
    """The book in force at a table: its plain values, and what the felt says about it."""

    table: str
    differs: str
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
    layout: str
    assumptions: tuple[Assumption, ...]


@get("/books")
async def books(request: Asked) -> list[BookShown]:
    """The rule books that are played here."""
    shown = []
    for name in house_of(request).config.books:
        book = played_book(request, name)
        rules = book.rules
        size = (rules.shoe.decks, rules.table.boxes)
        about = (rules.title, differs(rules), rules.version, book.digest)
        shown.append(BookShown(name, *about, *size, rules.labels))
    return shown


def played_book(request: Asked, name: str) -> Book:
    """A book that is played here; `Denied` for any other."""
    own = house_of(request).config.own
    return build(own[name]) if name in own else load(_known(request, name))


def _known(request: Asked, name: str) -> str:
    """The name of a book that is played here; `Denied` for any other."""
    if name not in house_of(request).config.books:
        raise Denied("no_book", "There is no such rule book here.")
    return name


@get("/books/{name:str}")
async def book(request: Asked, name: PathName) -> dict[str, Any]:
    """A whole rule book: every value with the clauses and readings behind it."""
    return dict(house_of(request).config.content(_known(request, name)))


@get("/books/{name:str}/page", sync_to_thread=True)
def book_page(request: Asked, name: PathName) -> BookPage:
    """A rule book for readers: sections, clauses, readings, glossary, notices, paytable."""
    book, limits = played_book(request, name), house_of(request).config.limits
    with suppress(RulesError):  # no table of this book can open, but it can be read
        book = replace(book, rules=within(book.rules, limits))
    return page_of(book)


@get("/books/{name:str}/odds", sync_to_thread=True)
def book_odds(request: Asked, name: PathName) -> dict[str, Any]:
    """The exact odds of every wager from a fresh shoe, with their distributions."""
    with _STUDYING:  # so that the same figures are not computed twice
        return _studied(played_book(request, name))


def _studied(book: Book) -> dict[str, Any]:
    """The study of a book, kept since it never changes."""
    if book.digest not in _STUDIES:
        _STUDIES[book.digest] = study(book, Question())
    return _STUDIES[book.digest]


def page_of(book: Book) -> BookPage:
    """What the page of a book shows."""
    rules = book.rules
    document = rules.document_book
    clauses = [each for each in inv.clauses().values() if each.document == document]
    named = (name for source in book.sources.values() for name in source.readings)
    return BookPage(
        name=rules.name,
        title=rules.title,
        differs=differs(rules),
        version=rules.version,
        digest=book.digest,
        document=msgspec.structs.asdict(rules.document),
        decks_in_use=decks_in_use(rules.shoe.decks, rules.options.shuffle),
        burns=burns(rules),
        notices=tuple(_shown(each) for each in clauses if each.kind == "disclosure"),
        ranks=RANKS,
        glossary=tuple(inv.glossary(document)),
        rules=_plain(book),
        wagers=tuple(wagers_shown(rules)),
        wheel=_wheel(rules, rules.shoe.decks),
        paytable=paytable(book),
        outcomes=tuple(_endings(book)),
        payout_limit=payout_limit(rules),
        printed_edges={} if rules.edges is None else msgspec.structs.asdict(rules.edges),
        sections=tuple(_parts(rules, clauses)),
        readings=inv.readings_of(document, named),
    )


def _parts(rules: RuleBook, clauses: list[inv.Clause]) -> Iterator[DocumentPart]:
    """The parts of the document; clauses without a part come last, under the document's title."""
    titles = dict.fromkeys(each.section for each in clauses)
    for title in sorted(titles, key=lambda title: title == ""):
        held = tuple(_shown(each) for each in clauses if each.section == title)
        yield DocumentPart(title or rules.document.title, held)


def _plain(book: Book) -> dict[str, Any]:
    """The book's plain values, its words for outcomes by the odds in force."""
    found: dict[str, Any] = msgspec.to_builtins(book.rules, enc_hook=str)
    return {**found, "outcomes": outcomes(book)}


def wagers_shown(rules: RuleBook) -> Iterator[WagerShown]:
    """The wagers that the book offers, in order."""
    for each in WAGERS:
        if each.offered(rules):
            yield WagerShown(
                kind=each.kind,
                label=rules.label(each.kind),
                label_words=each.label_words,
                before_deal=each.before_deal,
                side_bet=each.side_bet,
                by_wheel=each.by_wheel,
                denominations=each.denominations(rules),
                meters=msgspec.to_builtins(each.meters(rules), enc_hook=str),
            )


def _wheel(rules: RuleBook, decks: int) -> WheelShown | None:
    """The wheel that the book offers."""
    chances, spin = wheel_chances(rules, decks), wheel_of(rules)
    if chances is None or spin is None:
        return None
    return WheelShown(
        words=wheel_words(rules, decks),
        trigger=_chance(chances.trigger),
        hot_spot={stop: _chance(each) for stop, each in chances.hot_spot.items()},
        community={stop: _chance(each) for stop, each in chances.community.items()},
        community_pays={
            stop: stop_pays(rules, spin, stop, False, spin.per) for stop in chances.community
        },
    )


def _chance(chance: Fraction) -> Chance:
    return Chance(str(chance), float(chance))


def _shown(clause: inv.Clause) -> ClauseShown:
    return ClauseShown(clause.id, clause.rule, clause.readings)


def _endings(book: Book) -> Iterator[Ending]:
    for wager, found in outcomes(book).items():
        label = book.rules.label(wager)
        for outcome, words in found.items():
            yield Ending(wager, label, outcome, words, book.clauses(wager, outcome))


@get("/tables/{name:str}/book")
async def table_book(request: Asked, name: PathName) -> TableBook:
    """The book that the table was opened with, for anyone who may see the table."""
    session, house = await session_if_any(request), house_of(request)
    place = await house.pit.find(name, None if session is None else session.account)
    setup = place.live.setup
    opened, _ = await asyncio.to_thread(database.opened_with, house.engine, name)
    in_force = replace(opened, rules=setup.rules)
    return TableBook(
        table=name,
        differs=differs(setup.rules),
        operator=house.config.operator,
        inscribed=house.config.inscribed,
        digest=in_force.digest,
        decks=setup.decks,
        decks_in_use=decks_in_use(setup.decks, place.live.state.method),
        batches=setup.batches,
        staffed=setup.staffed,
        community=setup.rules.community,
        boxes_in_play=setup.rules.boxes_in_play,
        rules=_plain(in_force),
        wagers=tuple(wagers_shown(in_force.rules)),
        wheel=_wheel(in_force.rules, setup.decks),
        paytable=paytable(in_force),
        inscription=inscription(in_force),
        war_printed=printed_war(in_force),
        payout_limit=payout_limit(in_force.rules),
        clauses={
            f"{wager}.{outcome}": in_force.clauses(wager, outcome)
            for wager, found in in_force.rules.outcomes.items()
            for outcome in found
        },
        layout=setup.layout,
        assumptions=tuple(assumptions(in_force)),
    )


def assumptions(book: Book) -> Iterator[Assumption]:
    """The values that come from our own defaults because the document gives none."""
    values = msgspec.to_builtins(book.rules, enc_hook=str)
    for key, source in book.sources.items():
        if source.clauses or not source.readings or key.startswith("outcomes."):
            continue
        value: Any = values
        for part in key.split("."):
            value = value[part]
        said = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        yield Assumption(key, said, source.note, source.readings)


HANDLERS: list[Any] = [books, book, book_page, book_odds, table_book]
ROUTER = Router("/", route_handlers=HANDLERS, tags=["books"])
