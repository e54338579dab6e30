"""The events of a table beyond those of the round."""

from typing import Annotated, Literal

import msgspec

from wartable import game
from wartable.cards import HIDDEN, Card
from wartable.game.messages import Amount, Message, MeterName, Player
from wartable.rules.model import Shuffle, WagerKind
from wartable.shoe import Hash, PlayerSeedText, Seal, SeedText, Terms
from wartable.table.commands import (
    Batch,
    CardSet,
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
    """A player left the table with the stack."""

    player: Player
    amount: Amount


class DecksReceived(Message, frozen=True):
    """New cards are at the table; their age counts from when the first set was opened for use."""

    by: Person
    at_ms: Milliseconds
    condition: Condition
    sets: tuple[CardSet, ...] = ()
    opened_ms: Milliseconds | None = None


class DecksRemoved(Message, frozen=True):
    """The cards left the table, which needs others before the next round."""

    reason: Reason


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
    """The cards are shuffled and the house committed to the seed, which stays its secret."""

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
    """The cards are cut; without a player, the dealer cut where the seed says."""

    player: Player | None = None
    position: int | None = None


class RecutOrdered(Message, frozen=True):
    """The floor ordered another cut, by the last cutter or by the next one entitled."""

    by: Person
    reason: Reason
    who: Literal["last", "next"]


class SeedOpened(Message, frozen=True):
    """A player opened the sealed seed."""

    player: Player
    seed: PlayerSeedText


class ShoeLoaded(Message, frozen=True):
    """The stack is in the shoe; the cover card is from `low` to `high` cards deep."""

    by: Person
    low: int | None = None
    high: int | None = None


class CardBurned(Message, frozen=True):
    """A card was burned unseen before a round, for a new shoe or a new dealer."""

    why: Literal["first", "new_dealer"]
    card: Card = HIDDEN


class BankOffered(Message, frozen=True):
    """The bank is offered to a player."""

    player: Player


class BankTaken(Message, frozen=True):
    """A player took the bank of the next round and posted an amount."""

    player: Player
    amount: Amount


class BankPassed(Message, frozen=True):
    """A player declined the bank."""

    player: Player


class BankUntaken(Message, frozen=True):
    """Everybody declined the bank, so no round is dealt."""


class RoundStarted(Message, frozen=True):
    """Betting for a round is open."""

    number: int
    at_ms: Milliseconds


class SideBetsCounted(CountSideBets, frozen=True):
    """The side bets' chips match what the devices accepted and are in the inventory."""


class CountDiffered(CountSideBets, frozen=True):
    """The dealer's count is not what the devices accepted; dealing waits for another one."""

    accepted: dict[WagerKind, Amount] = msgspec.field(default_factory=dict)


class MeterFed(Message, frozen=True):
    """A meter took its share of the wagers; `carry` is the remainder below a minor unit."""

    meter: MeterName
    amount: Amount
    carry: Amount


class MeterUnfed(Message, frozen=True):
    """A meter gave back its share of void wagers; `carry` is the remainder below a minor unit."""

    meter: MeterName
    amount: Amount
    carry: Amount


class AwardPending(Message, frozen=True):
    """A meter's award waits for a floorperson."""

    meter: MeterName


class AwardApproved(Message, frozen=True):
    """A meter's award is approved."""

    meter: MeterName
    by: Person


class MeterReset(Message, frozen=True):
    """The house put the reset amount on a won meter."""

    meter: MeterName
    amount: Amount


class MetersShown(Message, frozen=True):
    """The shared meters after their row of that number; `before` holds if the round is void."""

    number: Amount
    meters: dict[MeterName, MeterState]
    before: dict[MeterName, MeterState]


class CoverCardOut(Message, frozen=True):
    """The cover card appeared at a box, or at the dealer (0), and was set aside."""

    box: Annotated[int, msgspec.Meta(ge=0, le=9)]


class CardsCollected(Message, frozen=True):
    """These boxes' cards went to the discard rack, in this order."""

    boxes: tuple[int, ...]


class HouseChose(Message, frozen=True):
    """A choice derived from the committed seeds: the wheel's stop or the hot spot."""

    label: str
    options: tuple[str, ...]
    weights: tuple[int, ...] = ()
    result: Amount = 0


class ShoeEnded(Message, frozen=True):
    """The shoe of that number ended; its seed is now public."""

    reason: str
    number: Amount
    seed: SeedText = ""


class CardSetAside(Message, frozen=True):
    """The next card was visible before its turn and went to the discard rack."""

    by: Person
    why: Literal["face_up", "exposed"]
    card: Card


class DrawnInError(Message, frozen=True):
    """A card was drawn in error but not exposed; it is the next card dealt."""

    by: Person


class DealerChanged(Message, frozen=True):
    """Another dealer is at the table."""

    dealer: Person


class ReshuffleOrdered(Message, frozen=True):
    """The cards will be reshuffled after the round."""

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
    """The device is covered or carries an out-of-order sign."""

    by: Person
    mark: Mark


class DeviceRepaired(Message, frozen=True):
    """The device can be used again."""

    by: Person


class MethodChanged(Message, frozen=True):
    """The next shoe is shuffled by another method."""

    by: Person
    method: Shuffle
    approval: str = ""


class Restricted(Message, frozen=True):
    """A limit of the table, or of one player on a box, holds for new wagers; 0 lifts it."""

    by: Person
    limit: Restriction
    value: Amount
    whom: Named = ""


class Jammed(Message, frozen=True):
    """The shuffling device jammed."""

    by: Person


OwnEvent = (
    Joined | BoughtIn | CashedOut | Departed | DecksReceived | DecksRemoved | Prepared | SeedSealed
    | ShoeStarted | CutOffered | CutRefused | CutMade | RecutOrdered | SeedOpened | ShoeLoaded
    | CardBurned | BankOffered | BankTaken | BankPassed | BankUntaken | RoundStarted
    | SideBetsCounted | CountDiffered
    | MeterFed | MeterUnfed | HouseChose | AwardPending | AwardApproved | MeterReset | MetersShown
    | CoverCardOut | CardsCollected | ShoeEnded | CardSetAside | DrawnInError | DealerChanged
    | ReshuffleOrdered | TableIdle | SpreadTurnedUp | DeviceFailed | DeviceMarked | DeviceRepaired
    | MethodChanged | Restricted | Jammed
)  # fmt: skip  # likewise a list
Event = OwnEvent | game.Event
