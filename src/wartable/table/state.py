"""The state of one table: people, cards, bank, meters and the current round."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from wartable import shoe as shoes
from wartable.cards import DECK
from wartable.game import Round
from wartable.game.messages import MeterName, Player
from wartable.game.wagers import WAGERS
from wartable.money import Amount
from wartable.proof import NO_RECORD, Digest, DigestIfAny, PlayerNumber, When
from wartable.rules import RulesError
from wartable.rules.model import Meter, RuleBook, Shuffle
from wartable.shoe import Seal, Shoe
from wartable.table.commands import (
    CardSetName,
    Condition,
    DeviceMark,
    Milliseconds,
    Person,
    Preparation,
    Reason,
    Restriction,
    SeatNumber,
)

NAME_LENGTH_MAX = 64
BATCH_LENGTH_MAX = 32
PLATFORM = "platform"
"""The actor that decides, counts and approves at tables without staff, and for absent players."""


class Setup(Struct, frozen=True):
    """What a table is opened with."""

    rules: RuleBook
    name: str
    decks: int
    staffed: bool = False
    batches: tuple[str, str] = ("red", "blue")
    approval: str = ""
    meters: str = ""
    """The name of the meters that the table shares with others; empty for its own."""
    layout: str = ""
    """The reference under which the layout was approved; empty where no approval is needed."""
    order: Literal["", "shoe", "after_bets"] = ""
    """When the cards of a shared table are ordered; empty for the house's own setting."""
    iterations: int = 0
    """How long that calculation is; 0 for the house's own setting."""


def new_setup(rules: RuleBook, name: str, staffed: bool = False, approval: str = "") -> Setup:
    """The setup of a table with the book's default number of decks."""
    return Setup(rules, name, rules.shoe.decks, staffed, approval=approval)


class Guest(Struct, frozen=True, gc=False):
    """A player at the table: the seat, the stack, and whether they are leaving."""

    player: Player
    stack: Amount
    seat: SeatNumber | None
    arrival: int
    leaving: bool = False


class MeterState(Struct, frozen=True, gc=False):
    """A meter's display and the totals that account for every cent of it."""

    shown: Amount
    carry: Amount = 0
    fed: Amount = 0
    seeded: Amount = 0
    paid: Amount = 0


class BankTurn(Struct, frozen=True, gc=False):
    """Who banked last, at which seat, and how many rounds in a row."""

    button: Player | None = None
    seat: SeatNumber | None = None
    rounds: int = 0


class Bank(BankTurn, frozen=True, gc=False):
    """The banker's turn, the current offer, and who took it.

    `before` is the turn before the open round, which holds again if that round is void.
    """

    before: BankTurn = BankTurn()
    offered: Player | None = None
    passed: tuple[Player, ...] = ()
    taken: Player | None = None
    posted: Amount = 0
    untaken: bool = False


class Decks(Struct, frozen=True, gc=False):
    """The cards at the table, when their use began, and the steps done with each batch.

    `ready` are the batches shuffled since then, `spread` the batches that lie spread, `sets` the
    names of the cards in the house's inventory.
    """

    at_ms: Milliseconds
    condition: Condition
    done: dict[str, tuple[Preparation, ...]] = {}
    inspectors: dict[str, Person] = {}
    ready: tuple[str, ...] = ()
    spread: tuple[str, ...] = ()
    sets: tuple[CardSetName, ...] = ()


class CutOffer(Struct, frozen=True, gc=False):
    """The player offered the cut, those asked before, and the last cutter."""

    offered: Player | None = None
    asked: tuple[Player, ...] = ()
    last: Player | None = None
    made: bool = False


class LinkChain(Struct, frozen=True, gc=False):
    """The links of a batch's shoes: the published end, how many were used, the last one revealed.

    `record` is the hash of the last finished record. Only the house knows the root.
    """

    end: Digest
    links: int
    book: str
    owner: str
    order: When
    iterations: int
    used: int
    link: Digest
    record: Digest = NO_RECORD
    root: DigestIfAny = ""

    # Logs and tracebacks print values; they must not show the root.
    def __repr__(self) -> str:
        return f"<LinkChain {self.end}: {self.used} of {self.links} used>"


class Table(Struct, frozen=True, gc=False):
    """Everything about one table after the events so far."""

    guests: dict[Player, Guest] = {}
    arrivals: int = 0
    method: Shuffle = "shoe"
    decks: Decks | None = None
    idle: bool = False
    spread_up: bool = False
    shoes: int = 0
    seals: tuple[Seal, ...] = ()
    chains: dict[str, LinkChain] = {}
    undecided: bool = False
    """Whether the next cards wait for a link and for numbers."""
    numbers: tuple[PlayerNumber, ...] = ()
    numbered: bool = False
    """Whether the owner of the table gave a number in this round."""
    numbers_closed: bool = False
    """Whether the list of numbers at a shared table is closed."""
    shoe: Shoe | None = None
    stored: Shoe | None = None
    shoe_rounds: int = 0
    last_batch: str = ""
    finished: Shoe | None = None
    cut: CutOffer = CutOffer()
    cover_box: int | None = None
    cover_player: Player | None = None
    reshuffle: Reason | None = None
    reshuffled_by_floor: bool = False
    dealer: Person | None = None
    dealer_burn_due: bool = False
    device_failed: Reason | None = None
    device_mark: DeviceMark | None = None
    restrictions: dict[Restriction, Amount] = {}
    player_box_maximums: dict[Player, Amount] = {}
    bank: Bank = Bank()
    meters: dict[MeterName, MeterState] = {}
    meters_before: dict[MeterName, MeterState] = {}
    award: MeterName | None = None
    counted: bool = False
    miscounted: bool = False
    rounds: int = 0
    round: Round | None = None

    @property
    def in_round(self) -> bool:
        """Whether a round is open."""
        return self.round is not None and not self.round.closed

    @property
    def sets(self) -> tuple[CardSetName, ...]:
        """The sets of the house's inventory that the table uses."""
        return () if self.decks is None else self.decks.sets

    @property
    def seats(self) -> dict[SeatNumber, Player]:
        """The player at each seat, in the order of the seats."""
        guests = self.guests.values()
        taken = [(guest.seat, guest.player) for guest in guests if guest.seat is not None]
        return dict(sorted(taken))


def start(setup: Setup) -> Table:
    """An empty table, its meters at their initial amounts.

    Raises `RulesError` with every problem of a setup that cannot be opened.
    """
    if problems := list(_problems(setup)):
        raise RulesError(problems)
    meters = {
        name: MeterState(shown=meter.initial, seeded=meter.initial)
        for name, meter in meters_of(setup.rules).items()
    }
    return Table(method=setup.rules.options.shuffle, meters=meters)


def _problems(setup: Setup) -> Iterator[str]:
    """Why the table cannot be opened, in sentences."""
    rules, shoe, method = setup.rules, setup.rules.shoe, setup.rules.options.shuffle
    if not 1 <= len(setup.name) <= NAME_LENGTH_MAX:
        yield f"A table's name has 1 to {NAME_LENGTH_MAX} characters."
    if setup.decks not in shoe.decks_allowed:
        allowed = ", ".join(str(number) for number in shoe.decks_allowed)
        yield f"The book {rules.name} is played with {allowed} decks, not {setup.decks}."
    if method not in shoe.methods:
        yield f"The book {rules.name} allows the methods {', '.join(shoe.methods)}, not {method}."
    if method in shoe.approval_methods and not setup.approval:
        yield f"The method {method} needs the reference of its approval."
    first, second = setup.batches
    if first == second or not (first and second):
        yield "The two batches need backs of two different colours."
    elif max(len(first), len(second)) > BATCH_LENGTH_MAX:
        yield f"The colour of a batch has at most {BATCH_LENGTH_MAX} characters."
    if shoes.ONE_ROUND & set(shoe.cut_methods):
        yield "Cards that a device shuffles for every round are not cut."
    if set(shoe.methods) - shoes.ONE_ROUND:
        count = setup.decks * len(DECK)
        lowest = shoes.cover_limits(count)[1]
        if not shoes.CUT_MARGIN <= cover_place(setup) <= lowest:
            yield f"The cover card goes under {shoes.CUT_MARGIN} to {lowest} of {count} cards."


def cover_place(setup: Setup) -> int:
    """The number of cards above the cover card in a full shoe."""
    count = setup.decks * len(DECK)
    share = setup.rules.shoe.cover_from_bottom
    return count - -(-count * share.over // share.under)


def meters_of(rules: RuleBook) -> dict[MeterName, Meter]:
    """The meters of the book's offered wagers."""
    return {name: meter for each in WAGERS for name, meter in each.meters(rules).items()}
