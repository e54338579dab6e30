"""What happens at a table, beyond the round itself."""

from typing import Annotated, Literal

import msgspec

from wartable import game
from wartable.cards import HIDDEN, Card
from wartable.game.messages import Amount, Message, MeterName, Player
from wartable.rules.model import Shuffle
from wartable.shoe import Hash, PlayerSeedText, Seal, SeedText, Terms
from wartable.table.commands import (
    Batch,
    Condition,
    CountSideBets,
    Mark,
    Milliseconds,
    Named,
    Person,
    Preparation,
    Reason,
    Restriction,
    Seat,
)
from wartable.table.state import MeterState


class Joined(Message, frozen=True):
    """A player came to the table."""

    player: Player
    amount: Amount
    seat: Seat | None = None


class BoughtIn(Message, frozen=True):
    """A player brought more money."""

    player: Player
    amount: Amount


class CashedOut(Message, frozen=True):
    """A player took money off the table."""

    player: Player
    amount: Amount


class Departed(Message, frozen=True):
    """A player is gone, with the stack."""

    player: Player
    amount: Amount


class DecksReceived(Message, frozen=True):
    """New cards are at the table."""

    by: Person
    at_ms: Milliseconds
    condition: Condition


class Prepared(Message, frozen=True):
    """A step of the cards' preparation is done."""

    by: Person
    step: Preparation
    batch: Batch = ""


class SeedSealed(Message, frozen=True):
    """A player sealed a seed for the next shuffle."""

    player: Player
    seal: Hash


class ShoeStarted(Message, frozen=True):
    """The cards are shuffled and the seed is committed to; the seed is the house's secret."""

    terms: Terms
    commitment: Hash
    seals: tuple[Seal, ...] = ()
    seed: SeedText = ""


class CutOffered(Message, frozen=True):
    """The cut is offered to a player."""

    player: Player


class CutRefused(Message, frozen=True):
    """A player refused the cut."""

    player: Player


class CutMade(Message, frozen=True):
    """The cards are cut; without a player by the dealer, where the seed says."""

    player: Player | None = None
    position: int | None = None


class RecutOrdered(Message, frozen=True):
    """The floor ordered another cut, by who cut last or by the next one entitled."""

    by: Person
    reason: Reason
    who: Literal["last", "next"]


class SeedOpened(Message, frozen=True):
    """A player opened the sealed seed."""

    player: Player
    seed: PlayerSeedText


class ShoeLoaded(Message, frozen=True):
    """The stack is in the shoe; low and high are the cover card's allowed places."""

    by: Person
    low: int | None = None
    high: int | None = None


class CardBurned(Message, frozen=True):
    """A card left the shoe unseen before a round: the first of a shoe or a new dealer's."""

    why: Literal["first", "new_dealer"]
    card: Card = HIDDEN


class BankOffered(Message, frozen=True):
    """The bank is offered to a player."""

    player: Player


class BankTaken(Message, frozen=True):
    """A player banks the next round and posted a wager."""

    player: Player
    amount: Amount


class BankPassed(Message, frozen=True):
    """A player declined the bank."""

    player: Player


class BankUntaken(Message, frozen=True):
    """Everybody declined the bank: no round is dealt."""


class RoundStarted(Message, frozen=True):
    """Betting for a round is open."""

    number: int
    at_ms: Milliseconds


class SideBetsCounted(CountSideBets, frozen=True):
    """The side bets' chips are as many as the devices accepted, and in the inventory."""


class MeterFed(Message, frozen=True):
    """A meter took its share of the wagers; `carry` is the part below a minor unit that is left."""

    meter: MeterName
    amount: Amount
    carry: Amount


class MeterUnfed(Message, frozen=True):
    """A meter gave back its share of wagers that are void; `carry` is what is left of a unit."""

    meter: MeterName
    amount: Amount
    carry: Amount


class AwardPending(Message, frozen=True):
    """The award of a meter waits for a floorperson."""

    meter: MeterName


class AwardApproved(Message, frozen=True):
    """The award of a meter is approved."""

    meter: MeterName
    by: Person


class MeterReset(Message, frozen=True):
    """The house put the reset amount on a meter that was won."""

    meter: MeterName
    amount: Amount


class MetersShown(Message, frozen=True):
    """Shared meters are as after that row of theirs; a void round leaves `before`."""

    number: Amount
    meters: dict[MeterName, MeterState]
    before: dict[MeterName, MeterState]


class CoverCardOut(Message, frozen=True):
    """The cover card appeared on a box, or at the dealer, who is 0; it was set aside."""

    box: Annotated[int, msgspec.Meta(ge=0, le=9)]


class CardsCollected(Message, frozen=True):
    """These boxes' cards went to the discard rack, in this order."""

    boxes: tuple[int, ...]


class HouseChose(Message, frozen=True):
    """A choice of the house, derived from the committed seeds: the wheel's stop, the hot spot."""

    label: str
    options: tuple[str, ...]
    weights: tuple[int, ...] = ()
    result: Amount = 0


class ShoeEnded(Message, frozen=True):
    """The shoe of that number is over; its seed is public now."""

    reason: str
    number: Amount
    seed: SeedText = ""


class CardSetAside(Message, frozen=True):
    """The next card was visible before its turn and went to the discard rack."""

    by: Person
    why: Literal["face_up", "exposed"]
    card: Card


class DrawnInError(Message, frozen=True):
    """A card was drawn in error unexposed; it is used as the next card."""

    by: Person


class DealerChanged(Message, frozen=True):
    """Another dealer is at the table."""

    dealer: Person


class ReshuffleOrdered(Message, frozen=True):
    """The cards are to be reshuffled after the round."""

    by: Person
    reason: Reason


class TableIdle(Message, frozen=True):
    """Nobody plays: the cards are out of the shoe and spread face down."""

    by: Person


class SpreadTurnedUp(Message, frozen=True):
    """The spread cards of the idle table lie face up."""

    player: Player


class DeviceFailed(Message, frozen=True):
    """The device cannot be used."""

    by: Person
    reason: Reason


class DeviceMarked(Message, frozen=True):
    """The device is covered or carries the sign."""

    by: Person
    mark: Mark


class DeviceRepaired(Message, frozen=True):
    """The device can be used."""

    by: Person


class MethodChanged(Message, frozen=True):
    """The next shoe is shuffled by another method."""

    by: Person
    method: Shuffle
    approval: str = ""


class Restricted(Message, frozen=True):
    """A limit of the table, or one player's on a box, holds for wagers from now on; 0 is none."""

    by: Person
    limit: Restriction
    value: Amount
    whom: Named = ""


class Jammed(Message, frozen=True):
    """The shuffling device jammed."""

    by: Person


OwnEvent = (
    Joined | BoughtIn | CashedOut | Departed | DecksReceived | Prepared | SeedSealed | ShoeStarted
    | CutOffered | CutRefused | CutMade | RecutOrdered | SeedOpened | ShoeLoaded | CardBurned
    | BankOffered | BankTaken | BankPassed | BankUntaken | RoundStarted | SideBetsCounted
    | MeterFed | MeterUnfed | HouseChose | AwardPending | AwardApproved | MeterReset | MetersShown
    | CoverCardOut | CardsCollected | ShoeEnded | CardSetAside | DrawnInError | DealerChanged
    | ReshuffleOrdered | TableIdle | SpreadTurnedUp | DeviceFailed | DeviceMarked | DeviceRepaired
    | MethodChanged | Restricted | Jammed
)  # fmt: skip  # likewise a list
Event = OwnEvent | game.Event
