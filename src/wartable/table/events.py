"""The events of a table beyond those of the round."""

from typing import Annotated, Literal

import msgspec

from wartable import game
from wartable.cards import HIDDEN, Card
from wartable.game.messages import Irregularity, Message, MeterName, Player
from wartable.money import Amount
from wartable.proof import Bound, Digest, DigestIfAny, Draw, NumberText, PlayerNumber, When
from wartable.rules.model import Shuffle, WagerKind
from wartable.shoe import CutRecord, Seal, Terms
from wartable.table.commands import (
    BatchName,
    CardSetName,
    Condition,
    CountSideBets,
    DeviceMark,
    Milliseconds,
    NameOrNone,
    Person,
    Preparation,
    Reason,
    Restriction,
    SeatNumber,
)
from wartable.table.older import SeedOpened, SeedSealed
from wartable.table.state import MeterState


class Joined(Message, frozen=True):
    """A player came to the table."""

    words = "{Player:join/joins} [at seat {seat}|the table] with {amount}."

    player: Player
    amount: Amount
    seat: SeatNumber | None = None


class BoughtIn(Message, frozen=True):
    """A player brought more money."""

    words = "{Player:buy in/buys in} for {amount} more."

    player: Player
    amount: Amount


class CashedOut(Message, frozen=True):
    """A player took money off the table."""

    words = "{Player:take/takes} {amount} off the table."

    player: Player
    amount: Amount


class Departed(Message, frozen=True):
    """A player left the table with the stack."""

    words = "{Player:leave/leaves} the table with {amount}."

    player: Player
    amount: Amount


class DecksReceived(Message, frozen=True):
    """New cards are at the table; their age counts from when the first set was opened for use."""

    words = "New cards are brought to the table."

    by: Person
    at_ms: Milliseconds
    condition: Condition
    sets: tuple[CardSetName, ...] = ()
    opened_ms: Milliseconds | None = None


class DecksRemoved(Message, frozen=True):
    """The cards left the table, which needs others before the next round."""

    words = "The cards are taken away: {reason}."

    reason: Reason


class Prepared(Message, frozen=True):
    """A step of the cards' preparation is done."""

    words = "{step}"

    by: Person
    step: Preparation
    batch: BatchName = ""


class ShoeStarted(Message, frozen=True):
    """The cards are shuffled and the house committed to the seed, which stays its secret."""

    words = "The cards are shuffled: shoe {terms.number}."

    terms: Terms
    commitment: Digest
    seals: tuple[Seal, ...] = ()
    seed: DigestIfAny = ""
    bound: Bound | None = None


class ChainStarted(Message, frozen=True):
    """The house committed to links for the coming shoes of a batch; the root stays its secret."""

    words = "The house commits to the links that will decide the cards."

    end: Digest
    links: Amount
    book: NameOrNone
    owner: NameOrNone
    order: When
    iterations: Amount
    batch: BatchName = ""
    root: DigestIfAny = ""


class NumberGiven(Message, frozen=True):
    """A player gave a number for the cards that are decided next."""

    player: Player
    number: NumberText


class NumbersClosed(Message, frozen=True):
    """The list of numbers that orders the cards, together with the next link, is closed.

    `heard` is the hash of the commitment, the draw, the cuts and the numbers.
    """

    words = "The list of numbers is closed. The order of the cards is being calculated."

    numbers: tuple[PlayerNumber, ...]
    cuts: tuple[CutRecord, ...]
    heard: Digest


class CardsDecided(Message, frozen=True):
    """A link and the players' numbers decided the next cards; link and key stay secret."""

    draw: Draw
    link: DigestIfAny = ""
    key: DigestIfAny = ""


class CutOffered(Message, frozen=True):
    """The cut is offered to a player."""

    words = "The cut is offered to {player}."

    player: Player


class CutRefused(Message, frozen=True):
    """A player refused the cut."""

    words = "{Player:refuse/refuses} the cut."

    player: Player


class CutMade(Message, frozen=True):
    """The cards are cut; without a player, the dealer cut where the seed says."""

    words = "[{Player:cut/cuts}|The dealer cuts the cards][: {position} cards go to the bottom]."

    player: Player | None = None
    position: int | None = None


class RecutOrdered(Irregularity, frozen=True):
    """The floor ordered another cut, by the last cutter or by the next one entitled."""

    words = "The floor orders another cut: {reason}."

    by: Person
    reason: Reason
    who: Literal["last", "next"]


class ShoeLoaded(Message, frozen=True):
    """The stack is in the shoe; the cover card is from `low` to `high` cards deep."""

    words = "The cards are in the shoe."

    by: Person
    low: int | None = None
    high: int | None = None


class CardBurned(Message, frozen=True):
    """A card was burned unseen before a round, for a new shoe or a new dealer."""

    words = "A card is burned unseen."

    why: Literal["first", "new_dealer"]
    card: Card = HIDDEN


class BankOffered(Message, frozen=True):
    """The bank is offered to a player."""

    words = "The bank is offered to {player}."

    player: Player


class BankTaken(Message, frozen=True):
    """A player took the bank of the next round and posted an amount."""

    words = "{Player:take the bank and post/takes the bank and posts} {amount}."

    player: Player
    amount: Amount


class BankPassed(Message, frozen=True):
    """A player declined the bank."""

    words = "{Player:pass/passes} the bank."

    player: Player


class BankUntaken(Message, frozen=True):
    """Everybody declined the bank, so no round is dealt."""

    words = "Nobody takes the bank, so no round is dealt."
    aloud = True


class RoundStarted(Message, frozen=True):
    """Betting for a round is open."""

    words = "Round {number}. Place your bets."
    aloud = True

    number: int
    at_ms: Milliseconds


class SideBetsCounted(CountSideBets, frozen=True):
    """The side bets' chips match what the devices accepted and are in the inventory."""

    words = "The side bets are counted."


class CountDiffered(CountSideBets, frozen=True):
    """The dealer's count is not what the devices accepted; dealing waits for another one."""

    words = "The side bets do not agree and are counted again ({accepted})."
    aloud = True
    significant = True
    irregular = True

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
    """A meter's award needs approval: by a floorperson or, without staff, by the platform."""

    words = "The {meter} meter award needs approval."
    aloud = True
    significant = True

    meter: MeterName


class AwardApproved(Message, frozen=True):
    """A meter's award is approved."""

    words = "The {meter} meter award is approved."
    significant = True

    meter: MeterName
    by: Person


class MeterReset(Message, frozen=True):
    """The house put the reset amount on a won meter."""

    words = "The house adds {amount} to the {meter} meter."
    significant = True

    meter: MeterName
    amount: Amount


class MetersShown(Message, frozen=True):
    """The shared meters after their row `number`; `before` is restored if the round is void."""

    number: Amount
    meters: dict[MeterName, MeterState]
    before: dict[MeterName, MeterState]


class CoverCardOut(Message, frozen=True):
    """The cover card appeared at a box, or at the dealer (0), and was set aside."""

    words = "The cover card is out: this is the last round of the shoe."
    aloud = True

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
    """The shoe of that number ended; its seed, or its last link, is now public.

    `by` is the person who ended it early, `record` the hash of a provable shoe's record.
    """

    words = "The shoe has ended: {reason}. Its secret is now public."

    reason: str
    number: Amount
    seed: DigestIfAny = ""
    by: NameOrNone = ""
    record: DigestIfAny = ""


class CardSetAside(Irregularity, frozen=True):
    """The next card was visible before its turn and went to the discard rack."""

    words = "A card was exposed early and is set aside: {card}."

    by: Person
    why: Literal["face_up", "exposed"]
    card: Card


class DrawnInError(Irregularity, frozen=True):
    """A card was drawn in error but not exposed; it is the next card dealt."""

    words = "A card was drawn in error but not exposed. It will be the next card dealt."

    by: Person


class DealerChanged(Message, frozen=True):
    """Another dealer is at the table."""

    words = "{dealer} is now dealing."
    aloud = True
    significant = True

    dealer: Person


class ReshuffleOrdered(Irregularity, frozen=True):
    """The cards will be reshuffled after the round."""

    words = "The cards will be reshuffled after this round: {reason}."

    by: Person
    reason: Reason


class TableIdle(Message, frozen=True):
    """Nobody plays: the cards are out of the shoe and spread face down."""

    words = "The table is idle; the cards are spread face down."
    aloud = True

    by: Person


class SpreadTurnedUp(Message, frozen=True):
    """The spread cards of the idle table lie face up."""

    words = "The spread cards are turned face up."

    player: Player


class DeviceFailed(Irregularity, frozen=True):
    """The device cannot be used."""

    words = "The shuffling device is out of order: {reason}."

    by: Person
    reason: Reason


class DeviceMarked(Message, frozen=True):
    """The device is covered or carries an out-of-order sign."""

    words = "[mark=covered?The device is covered.|The device has an out-of-order sign.]"
    aloud = True
    significant = True

    by: Person
    mark: DeviceMark


class DeviceRepaired(Message, frozen=True):
    """The device can be used again."""

    words = "The device can be used again."
    significant = True

    by: Person


class MethodChanged(Message, frozen=True):
    """The next shoe is shuffled by another method."""

    words = "The shuffling method of the next shoe is {method}."
    significant = True

    by: Person
    method: Shuffle
    approval: str = ""


class Restricted(Message, frozen=True):
    """A limit of the table, or of one player on a box, holds for new wagers; 0 lifts it."""

    words = "[New limit: {limit}[ for {whom}] {value}.|Limit lifted: {limit}[ for {whom}].]"
    significant = True

    by: Person
    limit: Restriction
    value: Amount
    whom: NameOrNone = ""


class Jammed(Irregularity, frozen=True):
    """The shuffling device jammed."""

    words = "The shuffling device jammed."

    by: Person


OwnEvent = (
    Joined | BoughtIn | CashedOut | Departed | DecksReceived | DecksRemoved | Prepared | SeedSealed
    | ChainStarted | NumberGiven | NumbersClosed | CardsDecided
    | ShoeStarted | CutOffered | CutRefused | CutMade | RecutOrdered | SeedOpened | ShoeLoaded
    | CardBurned | BankOffered | BankTaken | BankPassed | BankUntaken | RoundStarted
    | SideBetsCounted | CountDiffered
    | MeterFed | MeterUnfed | HouseChose | AwardPending | AwardApproved | MeterReset | MetersShown
    | CoverCardOut | CardsCollected | ShoeEnded | CardSetAside | DrawnInError | DealerChanged
    | ReshuffleOrdered | TableIdle | SpreadTurnedUp | DeviceFailed | DeviceMarked | DeviceRepaired
    | MethodChanged | Restricted | Jammed
)  # fmt: skip  # likewise a list
Event = OwnEvent | game.GameEvent
