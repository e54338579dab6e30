"""A round of each book, moment by moment, and the sizes of screen on which it is looked at."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import urlencode

from hosting import Client
from live_tables import Cards, OwnTable, Stack
from staffed_tables import House, SeatedTable, ties

Size = tuple[int, int]
LEAST: tuple[Size, ...] = (
    (1280, 720), (1440, 900), (820, 1180), (390, 844), (360, 740), (844, 390),
)  # fmt: skip  # a list of sizes
"""The sizes with the least room, and the one that is taller than it is wide without a phone's."""
# A page of 1440 by 900 pixels that is enlarged twice has half of them each way.
SIZES: tuple[Size, ...] = (
    *LEAST, (1366, 768), (1920, 1080), (2560, 1440), (720, 450),
)  # fmt: skip  # a list of sizes


class Moment(NamedTuple):
    """A moment of a round: its name, what can be seen then, and how much of it."""

    name: str
    seen: str
    wanted: dict[str, int]


class Played(NamedTuple):
    """A round that goes on with every moment that is asked for."""

    who: Client
    path: str
    moments: Iterator[Moment]


def seven(cards: Stack, hands: int) -> bool:
    """The first hand ties a dealer whose red seven starts a wheel; the others do not."""
    first, *others, dealer = cards[: hands + 1]
    fits = dealer in ("7h", "7d") and ties(first, dealer)
    return fits and not any(ties(each, dealer) for each in others)


@contextmanager
def play(house: House, book: str) -> Iterator[Played]:
    """A round of the book: one of four players at a shared table, or online at one's own."""
    if book == "online":
        with (
            house.hosted.guest() as player,
            OwnTable(house.hosted, player, book, Cards("===", ">>>")) as own,
        ):
            yield Played(player, f"/table?{urlencode({'name': own.name})}", _own(own))
        return
    with house.table(book, 1, 2, 3, 4, name=f"{book} screen") as table:
        boxes = (2, 3, 4) if book == "california" else (1, 2, 3, 4)
        path = f"/table?{urlencode({'name': table.name})}"
        yield Played(table.players[boxes[0] - 1], path, _shared(table, book, boxes))


def _shared(table: SeatedTable, book: str, boxes: tuple[int, ...]) -> Iterator[Moment]:
    """Bets, a tie, the war, the wheel and the result of the first of the players."""
    own = boxes[0]
    table.open(lambda cards: seven(cards, len(boxes)))
    if book == "california":
        table.bank(table.players[0], 7_500)
    else:
        table.start()
    for box in boxes:
        table.bet(table.players[box - 1], box, 1_000)
        table.bet(table.players[box - 1], box, 100, "tie")
        if book == "maryland":
            table.bet(table.players[box - 1], box, 500, "bonus_spin")
    wheel = int(book == "maryland")
    yield Moment("bets", "wt-box.mine [data-spot=tie][data-amount='100']", {"stakes": 2})
    table.dealt()
    tied = {"dealt": 1, "controls": 4, "stakes": 1, "wheel": wheel}
    yield Moment("tie", "[data-choice=war]", tied)
    table.choose(table.players[own - 1], own, "war")
    at_war = {"dealt": 1, "stakes": 2, "wheel": wheel}
    yield Moment("war", "wt-box.mine[data-choice-made=war]", at_war)
    table.proceed()
    yield Moment("result", "wt-box.mine .result", {"dealt": 2, "results": 1, "wheel": wheel})


def _own(table: OwnTable) -> Iterator[Moment]:
    """Three own boxes that all tie, go to war, and end."""
    for box in (1, 2, 3):
        table.bet(box, 2_500).bet(box, 500, "tie")
    yield Moment("bets", "wt-box.mine [data-spot=tie]:not([data-amount='0'])", {"stakes": 6})
    table.deal()
    yield Moment("tie", "[data-choice=war]", {"dealt": 1, "controls": 4, "stakes": 3})
    for box in (1, 2, 3):
        table.choose(box, "war")
    yield Moment("result", "wt-box.mine .result", {"dealt": 2, "results": 3})
