"""HTTP for the lab: exact odds of any configuration of a book, for anybody."""

import json
from collections import OrderedDict
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from litestar import Response, Router, get
from litestar.params import QueryParameter

from wartable.odds.par import encode, make_sheet
from wartable.odds.report import Question, as_lines, study
from wartable.odds.seat import stakes_of
from wartable.odds.wagers import offered_wagers
from wartable.odds.walk import unit
from wartable.rules import Book, option_values, with_options
from wartable.rules.model import Options
from wartable.server.denied import Denied
from wartable.server.http.access import Asked, PathName, address_of, house_of
from wartable.server.http.routes.books import WagerShown, played_book, wagers_shown

DECKS_MAX = 100
BOXES_MAX = 9
"""More boxes than any table has would only take time."""
KEPT = 200
"""How many answers are kept, for pages that go back and forth."""
CENTS_MAX = 10**12
SEEN_CHARACTERS_MAX = 16_000
"""Enough for every card of a hundred decks."""

QueryWord = Annotated[str, QueryParameter(min_length=1, max_length=40)]
QueryCount = Annotated[int | None, QueryParameter(ge=1, le=DECKS_MAX)]
QueryBoxes = Annotated[int | None, QueryParameter(ge=1, le=BOXES_MAX)]
QueryCentsIfAny = Annotated[int | None, QueryParameter(ge=0, le=CENTS_MAX)]
QuerySeen = Annotated[str, QueryParameter(max_length=SEEN_CHARACTERS_MAX)]
QueryPairs = Annotated[str, QueryParameter(max_length=1_000)]
"""`key=value` pairs with commas between them."""

QueryYes = Annotated[bool, QueryParameter()]
SheetFormat = Literal["html", "pdf", "json", "csv"]
QuerySheet = Annotated[SheetFormat, QueryParameter()]
KINDS: dict[SheetFormat, str] = {
    "html": "text/html; charset=utf-8",
    "pdf": "application/pdf",
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
}

_kept: OrderedDict[Any, dict[str, Any]] = OrderedDict()


class LabOption(msgspec.Struct, frozen=True):
    """A named option: its value in the book, and all that it can be."""

    name: str
    value: str
    values: tuple[str, ...]


class LabWager(msgspec.Struct, frozen=True):
    """A wager that a seat can make in the lab, with the stake that its page starts with."""

    shown: WagerShown
    stake: int


class LabForm(msgspec.Struct, frozen=True):
    """What the lab's page asks about a book."""

    name: str
    title: str
    decks: int
    edge_holder: str
    meter: int | None
    options: tuple[LabOption, ...]
    wagers: tuple[LabWager, ...]


@get("/lab/books/{name:str}")
async def lab_form(request: Asked, name: PathName) -> LabForm:
    """The options and wagers of a book, all of them for study."""
    book = played_book(request, name)
    rules = book.rules
    offered = offered_wagers(rules)
    wagers = [each for each in wagers_shown(rules) if each.kind in offered]
    meters = [meter for each in wagers for meter in each.meters.values()]
    return LabForm(
        name=name,
        title=rules.title,
        decks=rules.shoe.decks,
        edge_holder=rules.edge_holder,
        meter=meters[0]["reset"] if meters else None,
        options=tuple(
            LabOption(option, str(getattr(rules.options, option)), option_values(option))
            for option in Options.__struct_fields__
        ),
        wagers=tuple(LabWager(each, _stake(book, each.kind)) for each in wagers),
    )


def _stake(book: Book, kind: Any) -> int:
    """The stake that the page starts with: the least even one, but about $10 below a dollar."""
    least = unit(book.rules, kind)
    return least if least >= 100 else least * -(-1_000 // least)


@get("/lab/odds")
async def lab_odds(
    request: Asked,
    book: QueryWord,
    options: QueryPairs = "",
    decks: QueryCount = None,
    seen: QuerySeen = "",
    meter: QueryCentsIfAny = None,
    stake: QueryCentsIfAny = None,
    boxes: QueryBoxes = None,
    bank: QueryCentsIfAny = None,
    bets: QueryPairs = "",
    strategy: QueryWord = "war",
    whole: QueryYes = False,
    lines: QueryYes = False,
) -> Response[bytes]:
    """What `wartable odds --json` prints; without `whole` only the wagers and the seat.

    With `lines` it is CSV, as `wartable odds --csv` prints it.
    """
    chosen = with_options(played_book(request, book), pairs_of(options))
    wagers = () if whole else offered_wagers(chosen.rules)
    stakes = stakes_of(pairs_of(bets))
    cards = tuple(seen.replace(",", " ").split())
    asked = (decks, cards, meter, stake, boxes, bank, wagers)
    key = (chosen.digest, options, *asked, bets, strategy)
    reading = partial(_answer, key, chosen, Question(*asked, stakes, strategy))
    document = await house_of(request).turns.read(address_of(request), reading)
    if lines:
        return _file(as_lines(document).encode(), f"{book}-odds", "csv")
    text = json.dumps(document, ensure_ascii=False)
    return Response(text.encode(), media_type=KINDS["json"])


def _answer(key: Any, book: Book, question: Question) -> dict[str, Any]:
    """The study, cached for the next request with the same question."""
    found = _kept.get(key)
    if found is None:
        found = _kept[key] = study(book, question)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return found


@get("/lab/par")
async def lab_par(
    request: Asked,
    book: QueryWord,
    options: QueryPairs = "",
    decks: QueryCount = None,
    stake: QueryCentsIfAny = None,
    sheet: QuerySheet = "html",
) -> Response[bytes]:
    """The PAR sheet of a configuration, as `wartable par` writes it."""
    chosen = with_options(played_book(request, book), pairs_of(options))
    day = datetime.now(UTC).date().isoformat()

    def written() -> bytes:
        return encode(make_sheet(chosen, day, decks, stake), f".{sheet}")

    content = await house_of(request).turns.read(address_of(request), written)
    return _file(content, f"{book}-par", sheet)


def _file(content: bytes, name: str, kind: SheetFormat) -> Response[bytes]:
    """An answer that the browser saves as a file."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.{kind}"'}
    return Response(content, media_type=KINDS[kind], headers=headers)


def pairs_of(text: str) -> dict[str, str]:
    """The pairs in a text like `decks=6,shuffle=shoe`."""
    pairs = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise Denied("malformed", f"Write pairs as key=value, not {part!r}.")
        pairs[key.strip()] = value.strip()
    return pairs


ROUTER = Router("/", route_handlers=[lab_form, lab_odds, lab_par], tags=["lab"])
