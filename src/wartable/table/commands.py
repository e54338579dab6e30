"""What is asked of a table."""

from typing import Annotated, Literal

import msgspec

from wartable import game
from wartable.game.messages import Amount, Box, Message, Player
from wartable.rules.model import Shuffle
from wartable.shoe import Hash, PlayerSeedText, SeedText

Seat = Box
Milliseconds = Annotated[int, msgspec.Meta(ge=0)]
Person = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Reason = Annotated[str, msgspec.Meta(min_length=1, max_length=160)]
Condition = Literal["new", "preinspected", "preshuffled"]
Preparation = Literal["inspect", "verify", "spread", "view", "turn", "wash", "stack", "riffle"]
Mark = Literal["covered", "signed"]
Named = Annotated[str, msgspec.Meta(max_length=64)]
Restriction = Literal["boxes_per_player", "players_per_box", "box_max", "player_box_max"]
Batch = Annotated[str, msgspec.Meta(max_length=32)]


class Join(Message, frozen=True):
    """Come to the table with money, to a seat or standing behind."""

    player: Player
    amount: Amount
    seat: Seat | None = None


class BuyIn(Message, frozen=True):
    """Bring more money to the table."""

    player: Player
    amount: Amount


class CashOut(Message, frozen=True):
    """Take money off the table, between rounds."""

    player: Player
    amount: Amount


class ReceiveDecks(Message, frozen=True):
    """Bring new cards to the table, between rounds."""

    by: Person
    at_ms: Milliseconds
    condition: Condition = "new"


class Prepare(Message, frozen=True):
    """Do the next step that new cards need before their first shuffle."""

    by: Person
    step: Preparation
    batch: Batch = ""


class SealSeed(Message, frozen=True):
    """Give the seal of an own seed for the next shuffle."""

    player: Player
    seal: Hash


class ShuffleCards(Message, frozen=True):
    """Shuffle: commit to a seed from the operating system."""

    seed: SeedText


class Cut(Message, frozen=True):
    """Accept the offered cut and lift this many cards."""

    player: Player
    position: int


class RefuseCut(Message, frozen=True):
    """Refuse the offered cut."""

    player: Player


class OrderRecut(Message, frozen=True):
    """Have the cards cut again before they are loaded, by the last cutter or the next."""

    by: Person
    who: Literal["last", "next"]
    reason: Reason


class OpenSeed(Message, frozen=True):
    """Open the seed that was sealed."""

    player: Player
    seed: PlayerSeedText


class LoadShoe(Message, frozen=True):
    """Put the stack into the shoe."""

    by: Person


class TakeBank(Message, frozen=True):
    """Take the offered bank and post this wager."""

    player: Player
    amount: Amount


class PassBank(Message, frozen=True):
    """Decline the offered bank."""

    player: Player


class OfferBank(Message, frozen=True):
    """Offer the bank around again after everybody declined it."""


class StartRound(Message, frozen=True):
    """Open betting for the next round."""

    at_ms: Milliseconds


class CountSideBets(Message, frozen=True):
    """Count the side bets' chips against what the devices accepted, before any card."""

    by: Person
    progressive: Amount = 0
    bonus_spin: Amount = 0


class Proceed(Message, frozen=True):
    """Draw what the round awaits from the shoe: this many things, or all until people are due."""

    steps: Amount = 0


class Approve(Message, frozen=True):
    """Approve the award of a meter."""

    by: Person


class ChangeDealer(Message, frozen=True):
    """Have another dealer come to the table, between rounds."""

    dealer: Person


class OrderReshuffle(Message, frozen=True):
    """Have the cards reshuffled once the round is over."""

    by: Person
    reason: Reason


class GoIdle(Message, frozen=True):
    """Take the cards out of the shoe of a table where nobody plays, and spread them."""

    by: Person


class TurnUp(Message, frozen=True):
    """Ask that the spread cards of an idle table be turned face up."""

    player: Player


class FailDevice(Message, frozen=True):
    """Say that the shuffling device or dealing shoe cannot be used."""

    by: Person
    reason: Reason


class MarkDevice(Message, frozen=True):
    """Cover the device, or put the sign on it."""

    by: Person
    mark: Mark


class RepairDevice(Message, frozen=True):
    """Say that the device can be used again."""

    by: Person


class ChangeMethod(Message, frozen=True):
    """Shuffle and deal by another of the book's methods from the next shoe on."""

    by: Person
    method: Shuffle
    approval: str = ""


class Restrict(Message, frozen=True):
    """Set a limit of the table, or one player's on a box, for wagers from now on; 0 lifts it."""

    by: Person
    limit: Restriction
    value: Amount
    whom: Named = ""


class FindFaceUp(Message, frozen=True):
    """Say that the next card lies face up in the shoe."""

    by: Person


class DrawInError(Message, frozen=True):
    """Say that the next card was drawn in error, and whether it was exposed."""

    by: Person
    exposed: bool


class MissBox(Message, frozen=True):
    """Say that a box was not dealt its card in the original deal."""

    by: Person
    box: Box


class Jam(Message, frozen=True):
    """Say that the shuffling device jammed."""

    by: Person


OwnCommand = (
    Join | BuyIn | CashOut | ReceiveDecks | Prepare | SealSeed | ShuffleCards | Cut | RefuseCut
    | OrderRecut | OpenSeed | LoadShoe | TakeBank | PassBank | OfferBank | StartRound
    | CountSideBets | Proceed | Approve | ChangeDealer | OrderReshuffle | GoIdle | TurnUp
    | FailDevice | MarkDevice | RepairDevice | ChangeMethod | Restrict | FindFaceUp | DrawInError
    | MissBox | Jam
)  # fmt: skip  # a list reads better in lines than in a column of sixty
RoundCommand = (
    game.Bet | game.Withdraw | game.Decline | game.CloseBets | game.Choose | game.Timeout
    | game.Leave | game.VoidRound
)  # fmt: skip  # likewise a list
Command = OwnCommand | RoundCommand
