"""The state of one table: people, cards, bank, meters and the round that is played."""

from msgspec import Struct

from wartable.game import Round
from wartable.game.messages import Amount, Player
from wartable.rules.model import Meter, RuleBook, Shuffle
from wartable.shoe import Seal, Shoe
from wartable.table.commands import Condition, Mark, Milliseconds, Person, Preparation, Reason, Seat

PLATFORM = "platform"
"""Who decides, counts and approves at a table without staff, and for absent players."""


class Setup(Struct, frozen=True):
    """What a table is opened with."""

    rules: RuleBook
    name: str
    decks: int
    staffed: bool = False
    batches: tuple[str, str] = ("red", "blue")


def new_setup(rules: RuleBook, name: str, staffed: bool = False) -> Setup:
    """A table of the book's default number of decks."""
    return Setup(rules, name, rules.shoe.decks, staffed)


class Guest(Struct, frozen=True):
    """A person at the table: where, with how much money, and how far the bank has asked them."""

    player: Player
    stack: Amount
    seat: Seat | None
    arrival: int
    leaving: bool = False


class MeterState(Struct, frozen=True):
    """A meter's display and the totals that account for every cent of it."""

    shown: Amount
    carry: Amount = 0
    fed: Amount = 0
    seeded: Amount = 0
    paid: Amount = 0


class Bank(Struct, frozen=True):
    """Whose turn the bank is: the button, the rounds banked in a row, the offer under way."""

    button: Player | None = None
    rounds: int = 0
    offered: Player | None = None
    passed: tuple[Player, ...] = ()
    taken: Player | None = None
    posted: Amount = 0
    untaken: bool = False


class Decks(Struct, frozen=True):
    """The cards at the table since they were received, and what was done with each batch."""

    at_ms: Milliseconds
    condition: Condition
    done: dict[str, tuple[Preparation, ...]] = {}
    inspector: Person | None = None


class CutOffer(Struct, frozen=True):
    """Who is asked to cut now, who refused, and who cut last."""

    offered: Player | None = None
    refused: tuple[Player, ...] = ()
    last: Player | None = None
    made: bool = False


class Table(Struct, frozen=True):
    """Everything about one table after the events so far."""

    guests: dict[Player, Guest] = {}
    arrivals: int = 0
    method: Shuffle = "shoe"
    decks: Decks | None = None
    idle: bool = False
    spread_up: bool = False
    shoes: int = 0
    seals: tuple[Seal, ...] = ()
    shoe: Shoe | None = None
    stored: Shoe | None = None
    shoe_rounds: int = 0
    last_batch: str = ""
    finished: Shoe | None = None
    cut: CutOffer = CutOffer()
    cover_box: int | None = None
    reshuffle: Reason | None = None
    reshuffled_by_floor: bool = False
    dealer: Person | None = None
    dealer_burn_due: bool = False
    device_failed: Reason | None = None
    device_mark: Mark | None = None
    bank: Bank = Bank()
    meters: dict[str, MeterState] = {}
    meters_before: dict[str, MeterState] = {}
    award: str | None = None
    award_approved: bool = False
    counted: bool = False
    rounds: int = 0
    round: Round | None = None

    @property
    def in_round(self) -> bool:
        """Whether a round is open."""
        return self.round is not None and not self.round.closed

    @property
    def seats(self) -> dict[Seat, Player]:
        """Who sits where, in the order of the seats."""
        taken = [(guest.seat, guest.player) for guest in self.guests.values()]
        return dict(sorted((seat, player) for seat, player in taken if seat is not None))


def start(setup: Setup) -> Table:
    """A table that nobody has come to, with its meters at their initial amounts."""
    meters = {
        name: MeterState(shown=meter.initial, seeded=meter.initial)
        for name, meter in meters_of(setup.rules).items()
    }
    return Table(method=setup.rules.options.shuffle, meters=meters)


def meters_of(rules: RuleBook) -> dict[str, Meter]:
    """The meters that the book's offered wagers have."""
    meters: dict[str, Meter] = {}
    progressive, spin = rules.wagers.progressive, rules.wagers.bonus_spin
    if progressive is not None and progressive.offered:
        meters["progressive"] = progressive.meter
    if spin is not None and spin.offered:
        meters |= spin.meters
    return meters
