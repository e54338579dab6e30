"""The commands of a table."""

from typing import Annotated, ClassVar, Literal

import msgspec

from wartable import game
from wartable.game.messages import Box, Message, Player
from wartable.money import Amount
from wartable.proof import DigestIfAny, NumberText, When
from wartable.rules.model import Shuffle

SeatNumber = Box
Milliseconds = Annotated[int, msgspec.Meta(ge=0)]
Person = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Reason = Annotated[str, msgspec.Meta(min_length=1, max_length=160)]
Condition = Literal[
    "new", "inspected", "shuffled", "inspected_and_shuffled", "preinspected", "preshuffled"
]
"""How cards come to a table; the last two occur only in rows of older versions.

They skipped more steps than the documents allow.
"""
CardSetName = Annotated[str, msgspec.Meta(min_length=1, max_length=32)]
Preparation = Literal["inspect", "verify", "spread", "view", "turn", "wash", "stack", "riffle"]
DeviceMark = Literal["covered", "signed"]
NameOrNone = Annotated[str, msgspec.Meta(max_length=64)]
Restriction = Literal[
    "boxes_per_player", "players_per_box", "box_max", "player_box_max",
    "primary_min", "primary_max", "tie_min", "tie_max", "wager_max",
]  # fmt: skip  # a list of words
BatchName = Annotated[str, msgspec.Meta(max_length=32)]


class Join(Message, frozen=True):
    """Come to the table with money, and take a seat or stand behind one."""

    player: Player
    amount: Amount
    seat: SeatNumber | None = None


class BuyIn(Message, frozen=True):
    """Bring more money to the table."""

    player: Player
    amount: Amount


class CashOut(Message, frozen=True):
    """Take money off the table between rounds."""

    player: Player
    amount: Amount


class ReceiveDecks(Message, frozen=True):
    """Bring new cards to the table between rounds.

    `sets` are their names in the house's inventory, `opened_ms` is when the first of them was
    opened for use.
    """

    by: Person
    at_ms: Milliseconds
    condition: Condition = "new"
    sets: tuple[CardSetName, ...] = ()
    opened_ms: Milliseconds | None = None


class Prepare(Message, frozen=True):
    """Do the next step of preparing new cards for their first shuffle."""

    by: Person
    step: Preparation
    batch: BatchName = ""


class ShuffleCards(Message, frozen=True):
    """Shuffle: commit to a seed from the operating system; older rows do not say by whom.

    Where the platform deals, `play_on` has the stack loaded and the next round started at once,
    unless people must act first.
    """

    seed: DigestIfAny
    by: NameOrNone = ""
    play_on: bool = False
    at_ms: Milliseconds = 0


class StartChain(Message, frozen=True):
    """Commit to links for the coming shoes of a batch, by a secret root from the operating system.

    `owner` is the player whose numbers decide the cards at a private table.
    """

    book: NameOrNone
    owner: NameOrNone
    order: When = "on_deal"
    iterations: Annotated[int, msgspec.Meta(ge=1)] = 1
    links: Annotated[int, msgspec.Meta(ge=1)] = 4_096
    batch: BatchName = ""
    root: DigestIfAny = ""


class SendNumber(Message, frozen=True):
    """Send your number for the cards that are decided next."""

    player: Player
    number: NumberText


class CloseNumbers(Message, frozen=True):
    """Close the list of players' numbers: the cards' order is now fixed, and still unknown."""


class DecideCards(Message, frozen=True):
    """Use the next link: it decides the cards, together with the players' numbers.

    `key` is the result of a long calculation; a short one is made here. Where the platform deals,
    `deal` has them dealt at once, as `proceed` would.
    """

    link: DigestIfAny = ""
    key: DigestIfAny = ""
    deal: bool = False
    at_ms: Milliseconds = 0


class Cut(Message, frozen=True):
    """Accept the offered cut and lift this many cards."""

    player: Player
    position: int


class RefuseCut(Message, frozen=True):
    """Refuse the offered cut."""

    player: Player


class OrderRecut(Message, frozen=True):
    """Order another cut before the cards are loaded, by the last cutter or the next."""

    by: Person
    who: Literal["last", "next"]
    reason: Reason


class LoadShoe(Message, frozen=True):
    """Put the stack into the shoe."""

    by: Person


class TakeBank(Message, frozen=True):
    """Take the offered bank and post this amount."""

    player: Player
    amount: Amount


class PassBank(Message, frozen=True):
    """Decline the offered bank."""

    player: Player


class OfferBank(Message, frozen=True):
    """Offer the bank to everybody again after all declined it."""


class StartRound(Message, frozen=True):
    """Open betting for the next round."""

    at_ms: Milliseconds


class CountSideBets(Message, frozen=True):
    """Compare the side bets' chips with what the devices accepted, before any card is dealt."""

    by: Person
    progressive: Amount = 0
    bonus_spin: Amount = 0


class Proceed(Message, frozen=True):
    """Draw what the round awaits from the shoe: this many steps, or until people must act.

    `at_ms` is the time by which the cards' age is checked before the first card; older rows have
    none.
    """

    steps: Amount = 0
    at_ms: Milliseconds = 0


class Approve(Message, frozen=True):
    """Approve a meter's award."""

    by: Person


class ChangeDealer(Message, frozen=True):
    """Change the dealer between rounds."""

    dealer: Person


class OrderReshuffle(Message, frozen=True):
    """Order a reshuffle once the round is over."""

    by: Person
    reason: Reason


class GoIdle(Message, frozen=True):
    """Take the cards out of the shoe and spread them while nobody plays."""

    by: Person


class TurnUp(Message, frozen=True):
    """Ask the dealer to turn an idle table's spread cards face up."""

    player: Player


class FailDevice(Message, frozen=True):
    """Report that the shuffling device or dealing shoe cannot be used."""

    by: Person
    reason: Reason


class MarkDevice(Message, frozen=True):
    """Cover the device, or put an out-of-order sign on it."""

    by: Person
    mark: DeviceMark


class RepairDevice(Message, frozen=True):
    """Report that the device can be used again."""

    by: Person


class ChangeMethod(Message, frozen=True):
    """Use another of the book's methods from the next shoe on."""

    by: Person
    method: Shuffle
    approval: str = ""


class Restrict(Message, frozen=True):
    """Set a limit of the table, or of one player on a box, for new wagers; 0 lifts it."""

    by: Person
    limit: Restriction
    value: Amount
    whom: NameOrNone = ""


class IrregularityReport(Message, frozen=True):
    """Something irregular that staff report; the class names the button for it on their page."""

    title: ClassVar[str]
    """What the button says."""
    labels: ClassVar[dict[str, str]] = {}
    """What the page calls the other fields, where it does not use their names."""

    by: Person


class FindFaceUp(IrregularityReport, frozen=True):
    """Report that the next card lies face up in the shoe."""

    title = "The next card is face up"


class DrawInError(IrregularityReport, frozen=True):
    """Report that the next card was drawn in error, and whether it was exposed."""

    title = "A card was drawn in error"
    labels: ClassVar[dict[str, str]] = {"exposed": "It was exposed"}

    exposed: bool


class MissBox(IrregularityReport, frozen=True):
    """Report that a box was not dealt its card in the original deal."""

    title = "A box was not dealt a card"

    box: Box


class Jam(IrregularityReport, frozen=True):
    """Report that the shuffling device jammed."""

    title = "The shuffler jammed"


OwnCommand = (
    Join | BuyIn | CashOut | ReceiveDecks | Prepare | ShuffleCards | Cut | RefuseCut
    | StartChain | SendNumber | CloseNumbers | DecideCards | OrderRecut | LoadShoe
    | TakeBank | PassBank | OfferBank | StartRound
    | CountSideBets | Proceed | Approve | ChangeDealer | OrderReshuffle | GoIdle | TurnUp
    | FailDevice | MarkDevice | RepairDevice | ChangeMethod | Restrict | FindFaceUp | DrawInError
    | MissBox | Jam
)  # fmt: skip  # a list reads better in lines than in a column of sixty
RoundCommand = (
    game.Bet | game.Withdraw | game.Decline | game.CloseBets | game.Choose | game.Timeout
    | game.Leave | game.VoidRound
)  # fmt: skip  # likewise a list
Command = OwnCommand | RoundCommand
