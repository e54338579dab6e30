"""A house with its staff and guests for tests of clauses, and staffed tables of any known cards."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hosting import Client, Hosted, Json
from live_tables import PATIENT, Stack, Staff, StaffedTable, listing, ordering
from wartable import shoe as shoes
from wartable.croupier import Timing
from wartable.server.audit import verify
from wartable.server.records import database
from wartable.server.tables.live import LiveTable

Wanted = Callable[[Stack], bool]
"""Whether the cards that follow the first burn are those that a test is about."""

BUY_IN = 10_000


def ties(one: str, other: str) -> bool:
    """Whether two cards have the same rank."""
    return one[0] == other[0]


def beats(one: str, other: str) -> bool:
    """Whether a card is higher than another, ace high."""
    order = "23456789TJQKA"
    return order.index(one[0]) > order.index(other[0])


def win_lose_win(cards: Stack) -> bool:
    """Of three boxes the middle one is lower than the dealer, the others are higher."""
    first, second, third, dealer = cards[:4]
    return beats(first, dealer) and beats(dealer, second) and beats(third, dealer)


def all_tie(cards: Stack) -> bool:
    """Three boxes tie."""
    return all(ties(card, cards[3]) for card in cards[:3])


def war_of_two(cards: Stack) -> bool:
    """Boxes 1 and 3 tie unsuited, box 2 loses at once; box 1 wins its war and box 3 loses."""
    one, two, three, dealer = cards[:4]
    tied = ties(one, dealer) and ties(three, dealer) and dealer not in (one, three)
    box_one, box_three, last = cards[7:10]
    return tied and beats(dealer, two) and beats(box_one, last) and beats(last, box_three)


class House:
    """A running house with one dealer, one floorperson and some guests."""

    def __init__(self, hosted: Hosted, open_: ExitStack, guests: int) -> None:
        self.hosted = hosted
        dealer, floor = hosted.staff("dealer"), hosted.staff("floor")
        self.staff = Staff(open_.enter_context(dealer), open_.enter_context(floor))
        self.guests = [open_.enter_context(hosted.guest()) for _ in range(guests)]
        self._names = count(1)

    def refused(self, **body: Any) -> str:
        """The sentence with which the floorperson's request for a table is refused."""
        answer = self.staff.floor.http.post("/tables", json={"name": "refused", **body})
        assert answer.status_code in (400, 409), answer.text
        return str(answer.json()["sentence"])

    def table(self, book: str, *seats: int | None, **body: Any) -> "SeatedTable":
        """A new table with staff, and guests on these seats or standing."""
        name = body.pop("name", f"table {next(self._names)}")
        return SeatedTable(self, name, book, seats, **body)


@contextmanager
def house_of(
    folder: Path, *books: str, guests: int = 3, shared: Timing = PATIENT, **config: Any
) -> Iterator[House]:
    """A running house; every record of it is verified at the end."""
    # Each table has its own meters, so that no test feeds another's.
    own: dict[str, Any] = {"shared_meters": False, **config}
    with Hosted(folder, books=books, shared=shared, **own) as hosted:
        with ExitStack() as open_:
            yield House(hosted, open_, guests)
        verify.verify(hosted.house.engine, hosted.house.key)


@pytest.fixture(scope="module")
def house(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    """A house for all tests of a module: of its BOOKS, with as many GUESTS as it says, or three."""
    guests = getattr(request.module, "GUESTS", 3)
    with house_of(tmp_path_factory.mktemp("house"), *request.module.BOOKS, guests=guests) as found:
        yield found


@pytest.fixture(scope="module")
def hosted(house: House) -> Hosted:
    """The server of a module's house, to which its pages belong."""
    return house.hosted


class SeatedTable(StaffedTable):
    """A staffed table with the house's guests."""

    def __init__(
        self, house: House, name: str, book: str, seats: tuple[int | None, ...], **body: Any
    ) -> None:
        super().__init__(house.hosted, house.staff, name, book, **body)
        self.house = house
        self.players = house.guests[: len(seats)]
        for player, seat in zip(self.players, seats, strict=True):
            self.must(player, "join", amount=BUY_IN, seat=seat)

    def __exit__(self, *_: object) -> None:
        """Everybody takes the money home, so that the next table can be played at."""
        if (round_ := self.state()["round"]) is not None and not round_["closed"]:
            self.must(self.floor, "void_round", reason="the test is over")
        for name in self.state()["guests"]:
            guest = next(each for each in self.house.guests if each.name == name)
            answer = self.does(guest, "leave")
            # The platform may have stood up somebody who was long away.
            assert answer["type"] == "accepted" or answer["code"] == "not_here", answer
        super().__exit__()

    def book(self) -> Json:
        """The book in force at the table, as anybody sees it."""
        book: Json = self.spectator.get(f"/tables/{self.name}/book")
        return book

    def what(self) -> str:
        """What everybody is told that the table awaits, with the step."""
        due = self.due()[0]
        return f"{due['what']} {due['step']}".strip()

    def held(self, index: int = 0) -> int:
        """A guest's money at the table."""
        return self.stack(self.players[index])

    def kinds(self, *kinds: str) -> list[str]:
        """The kinds of events, of these, in the order in which everybody was told."""
        return [event["type"] for event in self.told(*kinds)]

    def settled(self, wager: str | None = None) -> list[tuple[int, str, str, int]]:
        """Box, wager, outcome and what was returned, in the order of settling."""
        return [
            (event["box"], event["wager"], event["outcome"], event["returned"])
            for event in self.told("settled")
            if wager in (None, event["wager"])
        ]

    def moved(self, source: str, target: str, number: int = 1) -> list[int]:
        """The amounts that a round moved between two accounts; a guest's stack by its number."""
        names = [
            f"stack:{self.players[int(name)].name}" if name.isdecimal() else name
            for name in (source, target)
        ]
        return [t.amount for t in self.transfers(number) if [t.source, t.target] == names]

    def commands(self, type_: str) -> list[Json]:
        """The commands of a type that the journal has, with who gave them."""
        rows = database.rows_of(self.hosted.house.engine, self.name)
        found = [{"actor": row.actor, **msgspec.json.decode(row.command)} for row in rows]
        return [each for each in found if each["type"] == type_]

    def prepare(self, condition: str = "inspected_and_shuffled", batch: str = "") -> list[str]:
        """Cards brought to the table, and every step that they need until they are shuffled."""
        if self.what() == "decks":
            self.receive(condition)
        steps = []
        while (due := self.due()[0])["what"] == "prepare" and due["batch"] == (
            batch or due["batch"]
        ):
            by = {"view": self.players[0], "verify": self.floor}.get(due["step"], self.dealer)
            self.must(by, "prepare", step=due["step"], batch=due["batch"])
            steps.append(due["step"])
        return steps

    def guest(self, name: str) -> Client:
        """The guest of that name."""
        return next(each for each in self.house.guests if each.name == name)

    @property
    def live(self) -> LiveTable:
        """The table itself."""
        return self.hosted.house.floor.places[self.name].live

    def shuffle(self) -> None:
        """The next shoe, with its commitment."""
        self.must(self.dealer, "shuffle_cards")

    def open(self, wanted: Wanted = lambda _: True) -> None:
        """Cards up to a loaded shoe, with the wanted cards in it."""
        self.prepare()
        with listing(self.live):
            self.shuffle()
            if self.state()["method"] in self.setup.rules.shoe.cut_methods:
                self.must(self.guest(self.due()[0]["player"]), "cut", position=100)
            self.order(wanted)
        self.must(self.dealer, "load_shoe")

    def order(self, wanted: Wanted) -> None:
        """Everybody's number, with which the wanted cards come."""
        found = ordering(self.live, wanted, skipped=1)
        for player, number in found.items():
            self.must(self.guest(player), "send_number", number=number)

    def play(self, wanted: Wanted, *wagers: dict[str, int]) -> list[Json]:
        """A round up to its choices: each guest's wagers on the own box; what is told of it."""
        if self.what() != "start":
            self.open(wanted)
        self.start()
        self.place(*wagers)
        return self.dealt()

    def place(self, *wagers: dict[str, int]) -> None:
        """Each guest's wagers on the box of the same number as the guest's."""
        for number, (player, spots) in enumerate(zip(self.players, wagers, strict=False), 1):
            for wager, amount in spots.items():
                self.bet(player, number, amount, wager)

    def ready(self, wanted: Wanted, *wagers: dict[str, int]) -> None:
        """A round with these wagers, up to its first card."""
        self.open(wanted)
        self.start()
        self.place(*wagers)
        self.close_bets()

    def dealt(self) -> list[Json]:
        """No more bets, and cards until people are due; what is told of it."""
        return self.close_bets() + self.proceed()

    def close_bets(self) -> list[Json]:
        """No more bets, and the count of the side bets; what is told of it."""
        told = self.must(self.dealer, "close_bets")
        if self.what() == "count":
            kinds = [w["kind"] for hand in self.state()["round"]["hands"] for w in hand["wagers"]]
            counts = {kind: kinds.count(kind) for kind in ("progressive", "bonus_spin")}
            told += self.must(self.dealer, "count_side_bets", **counts)
        return told


WHEEL = {
    "hot_spot": ("none", "jackpot_primary", "jackpot_secondary", "$1,000", "$600", "$500", "$400",
                 "$350", "$300", "$250", "$200"),
    "community": ("$150", "$100", "$75", "$50", "$40", "$35", "$30", "$25"),
}  # fmt: skip  # the symbols of Maryland's wheel


def stops(hot_spot: str, community: str | None = None) -> dict[str, int]:
    """The settings of a wheel that always stops at this symbol of the hot spot, or at both."""
    wanted = {"hot_spot": hot_spot, "community": community}
    return {
        f"wagers.bonus_spin.wheel.{ring}.{symbol}": int(symbol == wanted[ring])
        for ring, symbols in WHEEL.items()
        for symbol in symbols
        if wanted[ring] is not None
    }


def shoe_of(table: SeatedTable) -> shoes.Shoe:
    """The shoe in use with all its cards, which only the house knows."""
    shoe = table.hosted.house.floor.places[table.name].live.state.shoe
    assert shoe is not None
    return shoe


def bring(table: SeatedTable, wanted: str, times: int = 1) -> None:
    """Deal cards of this kind: the dealer finds all those before them face up."""
    for _ in range(times):
        while shoe_of(table).cards[len(shoe_of(table).drawn)] != wanted:
            table.must(table.dealer, "find_face_up")
        table.must(table.dealer, "proceed", steps=1)


def spare(table: SeatedTable, wanted: str) -> None:
    """Deal a card that is of another rank."""
    while ties(shoe_of(table).cards[len(shoe_of(table).drawn)], wanted):
        table.must(table.dealer, "find_face_up")
    table.must(table.dealer, "proceed", steps=1)


def depth(cards: Iterable[str], wanted: str, steps: str) -> int:
    """How many cards it takes to bring (`b`) and spare (`s`) in these steps; 10,000 if too few."""
    due = list(steps)
    for number, card in enumerate(cards, 1):
        if due and (card == wanted if due[0] == "b" else not ties(card, wanted)):
            due.pop(0)
        if not due:
            return number
    return 10_000
