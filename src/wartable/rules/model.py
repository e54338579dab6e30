"""The value that a rule book's TOML decodes to: everything in which the documents differ."""

import re
from fractions import Fraction
from typing import Annotated, Literal, get_args

import msgspec

from wartable.validation import END

WEIGHTS_MAX = (1 << 53) - 1
"""The most that the weights of a choice may add up to: the pages' numbers are exact up to here."""
Count = Annotated[int, msgspec.Meta(ge=0)]
Positive = Annotated[int, msgspec.Meta(ge=1)]
Cents = Annotated[int, msgspec.Meta(ge=0)]
Direction = Literal["clockwise", "counterclockwise"]
WagerKind = Literal["primary", "tie", "war", "war_tie", "progressive", "bonus_spin"]
Shuffle = Literal["shoe", "batches", "every_round", "continuous"]

Line = Literal[
    "suited_four_of_a_kind",
    "suited_double_tie",
    "four_of_a_kind",
    "double_tie",
    "suited_tie",
    "tie",
]

WAGERS: tuple[WagerKind, ...] = get_args(WagerKind)


class BookPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A frozen section of a rule book; unknown keys are refused."""


class Ratio:
    """A ratio of whole numbers, written `10 to 1` for odds and `1/4` for shares."""

    __slots__ = ("over", "under")

    def __init__(self, over: int, under: int) -> None:
        self.over = over
        self.under = under

    @classmethod
    def parse(cls, text: object) -> "Ratio":
        """The ratio that the text describes."""
        match = re.fullmatch(r"([0-9]{1,9})(?: to |/)([1-9][0-9]{0,8})", str(text))
        if match is None:
            raise ValueError(f"expected a ratio such as `10 to 1` or `1/4`, not {text!r}")
        return cls(int(match[1]), int(match[2]))

    def of(self, amount: int) -> int:
        """This share of an amount, rounded down to the minor unit."""
        return amount * self.over // self.under

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ratio) and self.over * other.under == other.over * self.under

    def __hash__(self) -> int:
        return hash(Fraction(self.over, self.under))

    def __repr__(self) -> str:
        return f"Ratio({self.over}, {self.under})"

    def __str__(self) -> str:
        return f"{self.over} to {self.under}"


class Document(BookPart, frozen=True):
    """The published document that the book was read from."""

    title: str
    source: str
    version: str = ""
    date: str = ""
    notice: str = ""

    @property
    def edition(self) -> str:
        """Its version and date, as the record of a round names them; empty without a version."""
        dated = f" of {self.date}" if self.date else ""
        return f"version {self.version}{dated}" if self.version else ""


class BankRules(BookPart, frozen=True):
    """How many rounds a player/dealer banks, and which way the bank rotates."""

    rounds_max: Positive
    rotation: Direction


class TableRules(BookPart, frozen=True):
    """Boxes, seats, and the limits on who may wager where."""

    boxes: Positive
    seats: Positive
    players_min: Positive
    boxes_per_player: Positive
    adjacent: bool
    backline: bool
    players_per_box: Positive | None = None
    layout_approval: bool = False
    """Whether a table opens only with the reference under which its layout was approved."""


class ShoeRules(BookPart, frozen=True):
    """The cards in use and how they are shuffled, cut and burned between rounds."""

    decks: Positive
    decks_allowed: tuple[Positive, ...]
    methods: tuple[Shuffle, ...]
    cut_methods: tuple[Shuffle, ...]
    cutting_cards: Count
    cut_from_end_min: Count
    cover_from_bottom_min: Ratio
    cover_from_bottom: Ratio
    burn_first: Count
    burn_new_dealer: Count
    approval_methods: tuple[Shuffle, ...] = ()
    deck_hours_max: Positive | None = None
    first_player_cuts: bool = False
    """Whether the first player to arrive is offered the first cut, so that the shuffle waits."""


class Opening(BookPart, frozen=True):
    """What is done with new cards before their first shuffle.

    Cards that come inspected and shuffled need only one or more of `preshuffled_steps`. Where
    `exempt` is "either", cards that come shuffled need no more either, and cards that come
    inspected are not spread. Where it is "both", shuffled cards skip nothing, and inspected cards
    only the inspection.
    """

    inspected_by: Count
    spread: bool
    spread_for_shuffler: bool
    steps: tuple[Literal["turn", "wash", "stack", "riffle"], ...]
    preshuffled_steps: tuple[Literal["turn", "wash", "stack", "riffle"], ...]
    idle_spread: bool
    exempt: Literal["both", "either"] = "both"


class DealRules(BookPart, frozen=True):
    """The order of dealing and settling within a round; the dealer's card is always last.

    With `house_match` the house puts its own unit beside every war wager. `payment` is how the
    house's dealers pay, from the left: each box's chips are picked up and paid, or laid beside.
    It is only shown to people: the order and the money stay the same.
    """

    order: Direction
    settle: Direction
    surrender: Direction
    war_burn: Count
    house_match: bool = False
    payment: Literal["pick_and_pay", "lay_and_pay"] = "pick_and_pay"


class Primary(BookPart, frozen=True):
    """The wager that takes part in the round."""

    pays: Ratio


class Tie(BookPart, frozen=True):
    """The wager that wins if the original deal ties."""

    pays: Ratio
    with_primary: bool
    per_box: Positive | None = None


class WarRules(BookPart, frozen=True):
    """The second wager, always equal to the primary; `war_pays` decides what both get."""

    printed: str


class WarTie(BookPart, frozen=True):
    """The wager that wins if the war deal ties; `war_tie_wager` says whether and in what size."""

    pays: Ratio


class Meter(BookPart, frozen=True):
    """A progressive meter's amounts and the share of each wager that it takes."""

    initial: Cents
    reset: Cents
    reset_min: Cents
    contribution: Ratio


class Envy(BookPart, frozen=True):
    """What a progressive wager gets for another player's qualifying hand."""

    line: Line
    pays: Cents
    per: Positive


class SideBetOffer(BookPart, frozen=True):
    """A side bet that the operator may offer, and its accepted sizes."""

    offered: bool
    denominations: tuple[Positive, ...]


class Progressive(SideBetOffer, frozen=True):
    """The wager on the four cards of player and dealer; the highest line pays."""

    lines: dict[Line, Ratio]
    meter_line: Line
    meter: Meter
    envy: Envy


class Trigger(BookPart, frozen=True):
    """The dealer's original card that starts the bonus spin."""

    rank: Literal["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]
    color: Literal["red", "black"]


class WheelWeights(BookPart, frozen=True):
    """The weights of the wheel's stops; `none` is a stop without a hot spot."""

    hot_spot: dict[str, Count]
    community: dict[str, Count]


class BonusSpin(SideBetOffer, frozen=True):
    """The wager on the trigger card, paid by the wheel."""

    per: Positive
    trigger: Trigger
    hot_spot: dict[str, Cents]
    community: dict[str, Cents]
    meters: dict[str, Meter]
    wheel: WheelWeights


class Wagers(BookPart, frozen=True):
    """Which wagers exist and what they pay."""

    primary: Primary
    tie: Tie
    war: WarRules
    war_tie: WarTie
    progressive: Progressive | None = None
    bonus_spin: BonusSpin | None = None


class Limit(BookPart, frozen=True):
    """The minimum and the maximum of one wager."""

    min: Positive = 1
    max: Positive | None = None


class Limits(BookPart, frozen=True):
    """What the operator permits by wager, box and payout; a running table has all of them.

    `ceiling` is the maximum of any single wager, set by the house; no other limit exceeds it. With
    `ceiling_required` the law behind the document sets one, and no table opens without it.
    """

    primary: Limit = Limit()
    tie: Limit = Limit()
    war_tie: Limit = Limit()
    box_max: Positive | None = None
    player_box_max: Positive | None = None
    payout_max: Positive | None = None
    ceiling: Positive | None = None
    ceiling_required: bool = False


class Options(BookPart, frozen=True):
    """The named options: readings that change money, and choices of the operator."""

    war_pays: Literal["both_units", "no_bonus", "each_wager", "war_only", "primary_lost"]
    war_burn: Literal["once", "before_dealer", "each_card"]
    war_tie_wager: Literal["none", "equal_primary", "free"]
    odd_half: Literal["down", "up", "refuse"]
    bank_cover: Literal["matched", "running", "payoffs_only", "ties_last"]
    box_choice: Literal["each_player", "seated_player"]
    progressive_odds: Literal["to_1", "for_1"]
    progressive_suited: Literal["pairwise", "one_suit"]
    envy_holder: Literal["any", "must_wager"]
    community_pays: Literal["stated", "face"]
    abandoned: Literal["lose", "surrender", "hold", "play_on"]
    timeout: Literal["surrender", "war", "hold"]
    shuffle: Shuffle
    electronic: Literal["off", "3", "5", "7"]


class Edges(BookPart, frozen=True):
    """The house edges that the document prints, as it prints them."""

    primary: str
    tie: str


class RuleBook(BookPart, frozen=True):
    """One document's rules as one value."""

    name: Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9-]{0,39}" + END)]
    version: Annotated[str, msgspec.Meta(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+" + END)]
    title: str
    document: Document
    banker: Literal["house", "player"]
    table: TableRules
    shoe: ShoeRules
    opening: Opening
    deal: DealRules
    wagers: Wagers
    options: Options
    labels: dict[str, str]
    outcomes: dict[str, dict[str, str]]
    limits: Limits = Limits()
    bank: BankRules | None = None
    edges: Edges | None = None
    extends: str = ""
    """The shipped book that an operator's own book extends."""

    def label(self, kind: str) -> str:
        """The book's own name for a wager or a person."""
        return self.labels.get(kind, kind.replace("_", " "))

    @property
    def document_book(self) -> str:
        """The shipped book of the document behind this one; for a book without one, its name."""
        return self.extends or self.name

    @property
    def boxes_in_play(self) -> int:
        """The number of boxes against one dealer's card; a banker's own box does not count."""
        return self.community or self.table.boxes - (self.banker == "player")

    @property
    def edge_holder(self) -> Literal["house", "bank"]:
        """Whose expectation the edge is; where players bank, the house takes nothing."""
        return "bank" if self.banker == "player" else "house"

    @property
    def community(self) -> int:
        """The number of community cards; 0 if each box has its own card."""
        return 0 if self.options.electronic == "off" else int(self.options.electronic)

    @property
    def adjacent(self) -> bool:
        """Whether a player's boxes must be next to each other; a community card is everybody's."""
        return self.table.adjacent and not self.community
