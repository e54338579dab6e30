"""Live tables that tests play over the protocol: known cards, everybody's commands, the records."""

import operator
from asyncio import Future, get_running_loop
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple, Self, overload

import sqlalchemy as sa
from msgspec.structs import replace

from hosting import Client, Hosted, Json
from wartable import game, proof, provable
from wartable.cards import DECK, rank
from wartable.croupier import Timing
from wartable.money import Transfer
from wartable.rules.model import RuleBook
from wartable.server.audit import recall, significant, verify
from wartable.server.period import Period
from wartable.server.records import database, journal, messages, schema
from wartable.server.records.answers import Answer, RefusedCommand
from wartable.server.tables.live import LiveTable
from wartable.table import Command, Setup
from wartable.table.commands import SendNumber

PATIENT = Timing(
    bets_ms=None, choice_ms=None, cut_ms=None, bank_ms=None, seed_ms=0, number_ms=0, pause_ms=0
)
"""Nobody is hurried: at a table with staff only commands make anything happen."""

SEEDS_MAX = 20_000_000
"""Every run has other numbers to try: enough for the rarest cards, one try in 300,000."""
STACK = 40_000
PLANTED = "0" * 32
"""How the numbers begin that a test chooses."""
SETS = count(1)
"""The numbers of the sets of cards that tests bring to tables."""


class Cards(NamedTuple):
    """How a round's cards compare with the dealer's, one mark for each card in deal order.

    `<` is lower, `>` higher, `=` equal and `.` anything; `war` has a mark for each box at war.
    At an own table the cards themselves may stand there, the dealer's last: `7h 7h`.
    """

    original: str
    war: str = ""


def _burned(rules: RuleBook, boxes: int) -> list[int]:
    """How many cards are burned before each war card, the dealer's last."""
    burn = rules.deal.war_burn
    match rules.options.war_burn:
        case "once":
            return [burn] + [0] * boxes
        case "before_dealer":
            return [burn] + [0] * (boxes - 1) + [burn]
        case _:
            return [burn] * (boxes + 1)


UNLIKE = {"<": operator.ge, ">": operator.le, "=": operator.ne, ".": lambda *_: False}
"""Whether a rank is not to the dealer's as the mark says."""


def _compares(ranks: Sequence[int], marks: str) -> bool:
    """Whether the ranks compare as marked with the last of them, the dealer's."""
    dealer = ranks[-1]
    return not any(UNLIKE[mark](ranks[place], dealer) for place, mark in enumerate(marks))


def fits(rules: RuleBook, cards: "Stack", rounds: tuple[Cards, ...]) -> bool:
    """Whether rounds that are dealt from the first card on go as wanted."""
    at = 0
    for wanted in rounds:
        boxes = len(wanted.original)
        if not _compares([*map(rank, cards[at : at + boxes + 1])], wanted.original):
            return False
        at += boxes + 1
        if wanted.war:
            dealt = []
            for burned in _burned(rules, len(wanted.war)):
                dealt.append(rank(cards[at + burned]))
                at += burned + 1
            if not _compares(dealt, wanted.war):
                return False
    return True


@contextmanager
def listing(live: LiveTable) -> Iterator[None]:
    """Wait for everybody's number at a shared table, and take those of a test, not of pages."""
    before, submit = live.timing, live.submit

    def chosen(
        actor: str,
        command_id: str,
        command: Command,
        deals: bool = False,
        meant: int | None = None,
    ) -> Future[Answer]:
        if isinstance(command, SendNumber) and not command.number.startswith(PLANTED):
            answer: Future[Answer] = get_running_loop().create_future()
            answer.set_result(RefusedCommand(command_id, "no_number", "The test sends them."))
            return answer
        return submit(actor, command_id, command, deals, meant)

    live.timing = replace(before, number_ms=10**9)
    live.submit = chosen  # type: ignore[method-assign]  # numbers of pages are left out
    yield
    live.timing = before
    live.submit = submit  # type: ignore[method-assign]  # as it was


class Stack:
    """The cards of a try, the top one first; each is decided when it is asked for."""

    def __init__(self, cards: Iterator[str], skipped: int) -> None:
        self._cards, self._known = cards, [*islice(cards, skipped)]
        self._skipped = skipped

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, int):
            return self[at : at + 1][0]
        start, stop = (at.start or 0) + self._skipped, at.stop + self._skipped
        self._known += islice(self._cards, max(0, stop - len(self._known)))
        return self._known[start:stop]


def ordering(live: LiveTable, wanted: Callable[[Stack], bool], skipped: int = 0) -> dict[str, str]:
    """Numbers of all who are asked for one, in order, with which the cards come as wanted.

    Only the cards at which `wanted` looks are decided in each try; it sees those after the skipped.
    """
    state, links = live.state, live.platform.links
    asked = [due.player or "" for due in live.due if due.what == "number"]
    assert asked, f"no number is awaited, but {live.due}"
    assert state.shoe is not None
    assert links is not None
    link, deck = bytes.fromhex(links.next(state)), DECK * live.setup.decks
    for tried in range(SEEDS_MAX):
        numbers = dict.fromkeys(asked, f"{tried:064x}")
        listed = tuple(proof.PlayerNumber(player, numbers[player]) for player in asked)
        key = proof.draw_key(link, provable.heard(state.shoe, (*state.numbers, *listed)), 1)
        if wanted(Stack(proof.dealt(deck, key), skipped)):
            return numbers
    raise AssertionError(f"no number of {SEEDS_MAX} gives the cards")


def _count(marks: str) -> int:
    """How many cards the marks are about, the dealer's included."""
    return len(marks.split()) if " " in marks else len(marks) + 1


class Planted:
    """Known cards at a player's own table: the house gets numbers with which rounds go as wanted.

    Nothing else is changed, so that the table's records hold.
    """

    def __init__(self, hosted: Hosted, name: str, *rounds: Cards) -> None:
        self.live = hosted.house.floor.places[name].live
        self.rounds = [*rounds]
        self.round: Cards | None = None
        self._submit = self.live.submit
        self.live.submit = self.submit  # type: ignore[method-assign]  # what comes is changed

    def submit(
        self,
        actor: str,
        command_id: str,
        command: Command,
        deals: bool = False,
        meant: int | None = None,
    ) -> Future[Answer]:
        """Give the table a command, with another number if its cards are known."""
        round_ = self.live.state.round
        if isinstance(command, game.CloseBets) and round_ is not None and round_.hands:
            self.round = self.rounds.pop(0) if self.rounds else None
            if self.round is not None:
                marks = self.round.original
                command = replace(command, number=self.number(marks, [0] * _count(marks)))
        elif isinstance(command, game.Choose) and self.round is not None:
            marks = self.round.war
            burned = _burned(self.live.setup.rules, _count(marks) - 1) if marks else []
            command = replace(command, number=self.number(marks, burned))
        return self._submit(actor, command_id, command, deals, meant)

    def number(self, marks: str, burned: list[int]) -> str:
        """A number with which the next cards compare as marked."""
        state, links = self.live.state, self.live.platform.links
        assert state.shoe is not None
        assert state.shoe.proof is not None
        assert links is not None
        owner, link = state.shoe.proof.bound.owner, bytes.fromhex(links.next(state))
        for tried in range(SEEDS_MAX):
            numbers = (proof.PlayerNumber(owner, f"{tried:064x}"),)
            key = proof.draw_key(link, provable.heard(state.shoe, numbers), 1)
            first = provable.next_draw(state.shoe, numbers, state.rounds).first
            coming = proof.dealt(state.shoe.cards, key, first)
            unseen = len(state.shoe.drawn) - first  # burned since the last deal
            cards = [*islice(coming, unseen + sum(burned) + len(burned))][unseen:]
            dealt = [cards[at + sum(burned[: at + 1])] for at in range(len(burned))]
            exact = " " in marks and dealt == marks.split()
            if not marks or exact or (" " not in marks and _compares([*map(rank, dealt)], marks)):
                return numbers[0].number
        raise AssertionError(f"no number of {SEEDS_MAX} gives {marks}")


class Staff(NamedTuple):
    """Who works at tables."""

    dealer: Client
    floor: Client


class People(NamedTuple):
    """A house with staff and players, for all tests of a file."""

    hosted: Hosted
    book: str
    staff: Staff
    players: list[Client]

    def table(self, name: str, **options: object) -> "StaffedTable":
        """A new table with this staff."""
        return StaffedTable(self.hosted, self.staff, name, self.book, **options)

    def opened(self, name: str, *rounds: Cards, **options: object) -> "StaffedTable":
        """A new table with all players, where betting is open."""
        return self.table(name, **options).join(*self.players).load(*rounds).start()

    def banked(
        self, name: str, *rounds: Cards, bank: int = 30_000, **options: object
    ) -> "StaffedTable":
        """A new table with four players, the first with the bank, where betting is open."""
        table = self.table(name, **options).join(*self.players[:4]).load(*rounds)
        return table.bank(self.players[0], bank)


@contextmanager
def people(folder: Path, book: str, count_: int) -> Iterator[People]:
    """A running house of that book with so many players; its records are verified at the end."""
    # Each table has its own meters, so that no test feeds another's.
    with Hosted(folder, books=(book,), shared=PATIENT, shared_meters=False) as hosted:
        staff = Staff(hosted.staff("dealer"), hosted.staff("floor"))
        yield People(hosted, book, staff, [hosted.guest() for _ in range(count_)])
        verify.verify(hosted.house.engine, hosted.house.key)


def of(events: list[Json], *kinds: str) -> list[Json]:
    """Those of the events that are of these kinds."""
    return [event for event in events if event["type"] in kinds]


def settled(events: list[Json]) -> list[tuple[int, str, str, int]]:
    """Box, wager, outcome and what was returned, of each settlement in its order."""
    return [
        (event["box"], event["wager"], event["outcome"], event["returned"])
        for event in of(events, "settled")
    ]


class Playing:
    """A table over the protocol: commands by HTTP, all that is told by WebSocket."""

    def __init__(self, hosted: Hosted, name: str, spectator: Client) -> None:
        self.hosted, self.name, self.spectator = hosted, name, spectator
        self.number = 0
        self._ids = count(1)
        spectator.hello(name, after=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.spectator.close()

    @property
    def setup(self) -> Setup:
        """The setup as the database keeps it."""
        return database.setup_of(self.hosted.house.engine, self.name)

    def does(self, who: Client, type_: str, /, **fields: object) -> Json:
        """Somebody's command, and its answer."""
        body = {"type": type_, "id": f"{self.name} {next(self._ids)}", **fields}
        answer: Json = who.http.post(f"/tables/{self.name}/commands", json=body).json()
        if answer.get("type") == "accepted":
            self.number = max(self.number, answer["number"])
        return answer

    def must(self, who: Client, type_: str, /, **fields: object) -> list[Json]:
        """The events that everybody is told of somebody's command, which is accepted."""
        answer = self.does(who, type_, **fields)
        assert answer.get("type") == "accepted", (type_, fields, answer)
        told: list[Json] = self._row(answer["number"])["events"]
        return told

    def code(self, who: Client, type_: str, /, **fields: object) -> str:
        """The code with which somebody's command is refused; it changes nothing."""
        answer = self.does(who, type_, **fields)
        assert answer.get("type") != "accepted", (type_, fields, answer)
        assert answer["sentence"].endswith(".")
        return str(answer["code"])

    def _row(self, number: int) -> Json:
        """A row as the spectator is told it."""
        while True:
            for message in reversed(self.spectator.heard):
                if message["type"] == "happened" and message["number"] == number:
                    return message
            self.spectator.read()

    def told(self, *kinds: str) -> list[Json]:
        """The events that everybody was told until now, of these kinds or all."""
        if self.number:
            self._row(self.number)
        return [each for each in self.spectator.events() if not kinds or each["type"] in kinds]

    def told_ms(self) -> int:
        """When the last command that was accepted happened, as everybody is told."""
        return int(self._row(self.number)["at_ms"])

    def due(self) -> list[Json]:
        """What everybody is told that the table awaits after the last command."""
        while True:
            for message in reversed(self.spectator.heard):
                if message["type"] == "awaited" and message["number"] >= self.number:
                    due: list[Json] = message["due"]
                    return due
            self.spectator.read()

    def state(self) -> Json:
        """The table as anybody sees it."""
        state: Json = self.spectator.get(f"/tables/{self.name}")["state"]
        return state

    def stack(self, who: Client) -> int:
        """Somebody's money at the table, as the ledger has it."""
        return self.balances().get(f"stack:{who.name}", 0)

    def balances(self) -> dict[str, int]:
        """What the table's accounts hold by the ledger."""
        all_ = database.balances(self.hosted.house.engine)
        start = f"{self.name}/"
        return {name.removeprefix(start): held for name, held in all_.items() if start in name}

    def moves(self, who: Client) -> list[Json]:
        """What somebody who says hello is told that they may do now."""
        who.hello(self.name)
        moves: list[Json] = who.hear("awaited")["moves"]
        return moves

    def recall(self, number: int = 1) -> recall.Recalled:
        """A round again, as `audit show` has it."""
        house = self.hosted.house
        return recall.recall(house.engine, house.key, self.name, number)

    def transfers(self, number: int = 1) -> list[Transfer]:
        """The money that a round moved, in its order, without the table's name."""
        start = f"{self.name}/"
        return [
            Transfer(each.source.removeprefix(start), each.target.removeprefix(start), each.amount)
            for row in self.recall(number).rows
            for each in row.transfers
        ]

    def stored(self) -> Iterator[tuple[str, messages.JournalEvent]]:
        """Who did it and what happened, for each event that the journal has, with the key."""
        house = self.hosted.house
        for row in database.rows_of(house.engine, self.name):
            _, events = journal.read_row(row, house.key)
            yield from ((row.actor, event) for event in events)

    def significant(self) -> list[significant.Significant]:
        """The significant events of the table, as the audit reports them."""
        house = self.hosted.house
        steps = recall.steps(house.engine, house.key, self.name)
        return [event for step in steps for event in significant.of_step(step, Period())]

    def written(self) -> str:
        """All that the journal has of the table as it lies in the database, without the key."""
        table = schema.journal
        query = sa.select(table).where(table.c.table_name == self.name)
        with self.hosted.house.engine.connect() as connection:
            return "\n".join(str(tuple(row)) for row in connection.execute(query))


class StaffedTable(Playing):
    """A table where a dealer deals: nothing happens but by somebody's command."""

    def __init__(
        self, hosted: Hosted, staff: Staff, name: str, book: str, **options: object
    ) -> None:
        self.dealer, self.floor = staff
        self.floor.post("/tables", 201, name=name, book=book, staffed=True, **options)
        super().__init__(hosted, name, Client(hosted, "", None))
        self._guests: list[Client] = []

    def __exit__(self, *_: object) -> None:
        self.does(self.floor, "void_round", reason="the table closes")
        for guest in self._guests:
            self.does(guest, "leave")
        self.told()
        super().__exit__()

    def join(self, *players: Client, amount: int = STACK) -> Self:
        """Players take the first seats, in this order."""
        taken = {guest["seat"] for guest in self.state()["guests"].values()}
        free = (seat for seat in count(1) if seat not in taken)
        for player, seat in zip(players, free, strict=False):
            self.sit(player, seat, amount)
        return self

    def guest(self, name: str) -> Client:
        """The guest of that name."""
        return next(each for each in self._guests if each.name == name)

    def sit(self, player: Client, seat: int, amount: int = STACK) -> Self:
        """A player takes that seat."""
        self.must(player, "join", amount=amount, seat=seat)
        self._guests.append(player)
        return self

    def stand(self, player: Client, amount: int = STACK) -> Self:
        """A player comes without a seat."""
        self.must(player, "join", amount=amount)
        self._guests.append(player)
        return self

    def receive(self, condition: str = "new") -> list[Json]:
        """Cards from the inventory in this condition, as many as the table takes."""
        method, setup = self.state()["method"], self.setup
        for back in setup.batches if method == "batches" else ("red",):
            self.issue(condition, setup.decks, back)
        return self.must(self.dealer, "receive_decks")

    def issue(self, condition: str, decks: int, back: str) -> str:
        """A new set of the inventory, prepared, secured and issued to the table; its name."""
        name = f"set-{next(SETS)}"
        self.floor.post("/cards", 201, name=name, decks=decks, back=back)
        moves = [(self.dealer, "inspected"), (self.floor, "verified")]
        moves = moves if "inspected" in condition else []
        moves += [(self.dealer, "shuffled")] if "shuffled" in condition else []
        for who, what in moves:
            who.post(f"/cards/{name}/moves", what=what)
        self.floor.post(f"/cards/{name}/moves", what="secured", place="vault")
        self.floor.post(f"/cards/{name}/moves", what="issued", place=self.name)
        return name

    def load(self, *rounds: Cards, skipped: int = 0) -> Self:
        """A new shoe, shuffled, cut and loaded; after the skipped cards rounds go as wanted."""
        while (due := self.due()[0])["what"] in ("decks", "prepare"):
            if due["what"] == "decks":
                self.receive("inspected_and_shuffled")
            else:
                self.must(self.dealer, "prepare", step=due["step"], batch=due["batch"])
        live, setup = self.hosted.house.floor.places[self.name].live, self.setup
        cut = live.state.method in setup.rules.shoe.cut_methods and bool(live.state.seats)
        first = setup.rules.shoe.burn_first + skipped

        def wanted(cards: Stack) -> bool:
            return fits(setup.rules, cards, rounds)

        with listing(live):
            self.must(self.dealer, "shuffle_cards")
            if cut:
                self.must(self.guest(self.due()[0]["player"]), "cut", position=100)
            for player, number in ordering(live, wanted, first).items():
                self.must(self.guest(player), "send_number", number=number)
        self.must(self.dealer, "load_shoe")
        return self

    def start(self) -> Self:
        """Betting opens."""
        self.must(self.dealer, "start_round")
        return self

    def bank(self, player: Client, amount: int) -> Self:
        """Betting opens, with this bank."""
        self.must(player, "take_bank", amount=amount)
        return self.start()

    def bet(self, player: Client, box: int, amount: int, wager: str = "primary") -> Self:
        """A wager."""
        self.must(player, "bet", box=box, wager=wager, amount=amount)
        return self

    def deal(self) -> list[Json]:
        """No more bets, and cards until people are due; what everybody is told of it."""
        closed = self.must(self.dealer, "close_bets")
        return closed + self.must(self.dealer, "proceed")

    def choose(self, player: Client, box: int, choice: str, war_tie: int = 0) -> list[Json]:
        """A tied player's choice, and what everybody is told of it."""
        return self.must(player, "choose", box=box, choice=choice, war_tie=war_tie)

    def proceed(self) -> list[Json]:
        """Cards until people are due, and what everybody is told of them."""
        return self.must(self.dealer, "proceed")


class OwnTable(Playing):
    """A player's own table, where the platform deals when the player says so."""

    def __init__(self, hosted: Hosted, player: Client, book: str, *rounds: Cards) -> None:
        self.player = player
        name = f"{book}@{player.name}"
        player.post("/tables/private", 201, book=book)
        Planted(hosted, name, *rounds)
        super().__init__(hosted, name, Client(hosted, player.name, player.token))
        self.must(player, "join", amount=STACK, seat=1)
        self._wait()

    def bet(self, box: int, amount: int, wager: str = "primary") -> Self:
        """A wager."""
        self.must(self.player, "bet", box=box, wager=wager, amount=amount)
        return self

    def deal(self) -> list[Json]:
        """No more bets; what everybody is told until people are due again."""
        return self._played("close_bets")

    def choose(self, box: int, choice: str, war_tie: int = 0) -> list[Json]:
        """A tied hand's choice; what everybody is told until people are due again."""
        return self._played("choose", box=box, choice=choice, war_tie=war_tie)

    def over(self, rounds: int) -> None:
        """Wait until so many rounds are over, whoever plays them, and the next takes bets."""
        while len(self.spectator.events("closed")) < rounds:
            self.spectator.read()
        self.number = self.spectator.last or 0
        self._wait()

    def _played(self, type_: str, /, **fields: object) -> list[Json]:
        """What is told from this command until people are due again."""
        known = len(self.told())
        self.must(self.player, type_, **fields)
        self._wait()
        return self.spectator.events()[known:]

    def _wait(self) -> None:
        """Wait until people are due."""
        while (due := self._due_last()) not in ("bets", "choice"):
            if due == "cut":  # the first player to arrive is offered it
                self.must(self.player, "refuse_cut")
            else:
                self.spectator.read()
        self.number = self.spectator.last or 0

    def _due_last(self) -> str:
        """What the last word after the last command says that the table awaits, if it does."""
        words = [each for each in self.spectator.heard if each["type"] in ("awaited", "happened")]
        if not words or words[-1]["type"] != "awaited" or words[-1]["number"] < self.number:
            return ""
        return str(words[-1]["due"][0]["what"])
