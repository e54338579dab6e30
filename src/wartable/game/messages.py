"""Commands (requests to a round), events (what happened) and the one refusal."""

from typing import Annotated, ClassVar, Literal

import msgspec

from wartable.cards import HIDDEN, Card
from wartable.money import Amount
from wartable.proof import NumberIfAny
from wartable.refusal import Refusal
from wartable.rules.model import WagerKind

Box = Annotated[int, msgspec.Meta(ge=1, le=9)]
STAKE_MAX = 10**12
"""The largest wager in cents, chosen so that its payment is a valid amount too."""

Player = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Choice = Literal["war", "surrender"]
DealName = Literal["original", "war"]
MeterName = Literal["progressive", "primary", "secondary"]
Decider = Literal["player", "seated", "platform"]
Code = Literal[
    "already_open",
    "already_placed",
    "bank_box",
    "banker_wager",
    "bets_closed",
    "box_done",
    "box_full",
    "community",
    "deal_completed",
    "held",
    "hot_spot",
    "hot_spot_box",
    "house_banks",
    "left",
    "limit",
    "malformed",
    "no_banker",
    "no_burn_due",
    "no_card_due",
    "no_choice_due",
    "no_meter_due",
    "no_such_box",
    "no_wager",
    "no_wagers",
    "no_war",
    "no_wheel_due",
    "not_a_bet",
    "not_adjacent",
    "not_offered",
    "not_open",
    "not_playing",
    "nothing_to_decline",
    "odd_amount",
    "place_kept",
    "primary_required",
    "round_closed",
    "tie_declined",
    "tie_entitlement",
    "tie_spot_taken",
    "too_many_boxes",
    "unknown_card",
    "wrong_size",
]
"""The codes of a round's refusals; a code never changes its meaning."""


def money(cents: int) -> str:
    """An amount in print: $25, $12.50, $1,000."""
    whole, part = divmod(cents, 100)
    return f"${whole:,}.{part:02}" if part else f"${whole:,}"


class Illegal(Refusal):
    """A command that the rules do not allow now; it changed nothing."""


def _tag(name: str) -> str:
    """The snake-case tag of a message class: `CloseBets` is `close_bets` on the wire."""
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


class Message(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag=_tag):
    """A frozen, tagged value that is sent and stored as JSON."""

    words: ClassVar[str] = ""
    """The sentence that people are told, with slots for `telling` to fill; may be empty."""
    aloud: ClassVar[bool] = False
    """Whether the event is announced to everybody, not only to the player concerned."""
    significant: ClassVar[bool] = False
    """Whether an auditor must see the event."""
    irregular: ClassVar[bool] = False
    """Whether the floor's list of incidents shows the event."""


class Irregularity(Message, frozen=True):
    """An event outside of the ordinary game: everybody hears it, floor and auditor see it."""

    aloud = True
    significant = True
    irregular = True


class Open(Message, frozen=True):
    """Open betting; if a player banks, with the banker, the posted wager and the stack."""

    seats: dict[Box, Player] = {}
    banker: Player | None = None
    bank: Amount | None = None
    bank_stack: Amount | None = None


class Bet(Message, frozen=True):
    """Add chips to a wager on a box."""

    player: Player
    box: Box
    wager: WagerKind
    amount: Amount


class Withdraw(Message, frozen=True):
    """Take a whole wager back before bets close."""

    player: Player
    box: Box
    wager: WagerKind


class Decline(Message, frozen=True):
    """Leave the box's tie spot to others, if a box takes only one tie wager."""

    player: Player
    box: Box


class CloseBets(Message, frozen=True):
    """Announce "no more bets"; at a private table, with the player's number for the cards."""

    number: NumberIfAny = ""


class Deal(Message, frozen=True):
    """Deal the next card."""

    card: Card


class Burn(Message, frozen=True):
    """Remove the next card unseen."""

    card: Card = HIDDEN


class Choose(Message, frozen=True):
    """Go to war, with a tie wager on the war deal if offered, or surrender.

    At a private table the last choice carries the player's number for the war cards.
    """

    player: Player
    box: Box
    choice: Choice
    war_tie: Amount = 0
    number: NumberIfAny = ""


class Timeout(Message, frozen=True):
    """Call time on a choice: the book's default decides. The platform leaves `by` empty."""

    player: Player
    box: Box
    by: Player | None = None


class Spin(Message, frozen=True):
    """Report where the wheel stopped."""

    hot_spot_box: Box | None = None
    hot_spot: str | None = None
    community: str | None = None


class ReadMeter(Message, frozen=True):
    """Report a meter's reading when its winner is due to be paid."""

    meter: MeterName
    amount: Amount


class Leave(Message, frozen=True):
    """Leave the table; the book says what happens to wagers in play, and wins are paid."""

    player: Player


class VoidBox(Message, frozen=True):
    """Report that a box was not dealt a card in the original deal."""

    box: Box
    by: Player | None = None


class VoidRound(Message, frozen=True):
    """Void the whole round: every wager goes back. The platform leaves `by` empty."""

    reason: str
    by: Player | None = None


class Opened(Message, frozen=True):
    """Betting is open."""

    seats: dict[Box, Player] = {}
    banker: Player | None = None
    bank: Amount | None = None
    bank_stack: Amount | None = None


class Placed(Message, frozen=True):
    """Chips went from a player to a wager."""

    words = "{Player:bet/bets} {amount} on box {box}, {wager}."

    player: Player
    box: Box
    wager: WagerKind
    amount: Amount


class Withdrawn(Message, frozen=True):
    """A wager went back before bets closed: withdrawn, or displaced by one with the first claim."""

    words = (
        "[{Player's} {wager} of {amount} on box {box} goes back: {gives_way_to:have/has} a"
        " {label:primary} there and the first claim to the spot."
        "|{Player:take back/takes back} {amount} from box {box}, {wager}.]"
    )

    player: Player
    box: Box
    wager: WagerKind
    amount: Amount
    gives_way_to: Player | None = None


class Declined(Message, frozen=True):
    """A player left the box's tie spot to others."""

    words = "{Player:let/lets} others bet the tie on box {box}."

    player: Player
    box: Box


class BetsClosed(Message, frozen=True):
    """No more bets."""

    words = "No more bets."
    aloud = True


class Returned(Message, frozen=True):
    """The part of a wager that the bank does not cover or match went back."""

    words = "Box {box}, {player's} {wager}: {amount} {outcome}."

    player: Player
    box: Box
    wager: WagerKind
    outcome: Literal["uncovered", "unmatched"]
    amount: Amount


class Dealt(Message, frozen=True):
    """A card was dealt face up to a box, or to the dealer, who is 0."""

    words = "[Box {box}|The {label:dealer}]: {card}."

    deal: DealName
    box: Annotated[int, msgspec.Meta(ge=0, le=9)]
    card: Card


class Burned(Message, frozen=True):
    """A card left the shoe unseen."""

    words = "A card is burned."

    card: Card = HIDDEN


class Chosen(Message, frozen=True):
    """A tied hand goes to war or surrenders; `by` says who decided, `called_by` who called time."""

    words = (
        "[choice=war?{Player:go to war/goes to war}|{Player:surrender/surrenders}] on box {box}"
        "[by=player?| (decided by the {by}[; {called_by} called time])]."
    )

    player: Player
    box: Box
    choice: Choice
    by: Decider = "player"
    called_by: Player | None = None


class Matched(Message, frozen=True):
    """The banker matched a war or war-tie wager with new money."""

    words = "The {banker} matches box {box} with {amount}."

    player: Player
    box: Box
    wager: WagerKind
    amount: Amount


class Spun(Message, frozen=True):
    """The wheel stopped."""

    words = (
        "The wheel stops.[ Community symbol: {community}.]"
        "[ Hot spot on box {hot_spot_box}: {hot_spot}.]"
    )
    aloud = True

    hot_spot_box: Box | None = None
    hot_spot: str | None = None
    community: str | None = None


class MeterRead(Message, frozen=True):
    """A meter was read for the winner whose turn it is."""

    words = "The {meter} meter stands at {amount} and is paid."

    meter: MeterName
    amount: Amount


class Settled(Message, frozen=True):
    """A wager is decided: its outcome, and everything that goes back to the player."""

    words = "Box {box}: {player's} {wager} [returned {returned}|lost] ({outcome})."

    player: Player
    box: Box
    wager: WagerKind
    outcome: str
    returned: Amount


class EnvyPaid(Message, frozen=True):
    """A progressive wager was paid for another player's qualifying hand."""

    words = "{Player:get/gets} {amount} for {holder's} hand ({label:envy})."

    player: Player
    box: Box
    holder: Player
    holder_box: Box
    amount: Amount


class Left(Message, frozen=True):
    """A player left the table."""

    words = "{Player:leave/leaves} during the round."

    player: Player


class BoxVoided(Irregularity, frozen=True):
    """A box got no card, and its wagers went back."""

    words = "Box {box} was not dealt a card: its wagers are returned."

    box: Box
    by: Player | None = None


class RoundVoided(Irregularity, frozen=True):
    """The round does not count: every wager went back and every payment was reversed."""

    words = "The round is void ({reason}): all wagers are returned."

    reason: str
    by: Player | None = None


class Closed(Message, frozen=True):
    """The last settlement is done."""

    words = "The round is over."


GameCommand = (
    Open
    | Bet
    | Withdraw
    | Decline
    | CloseBets
    | Deal
    | Burn
    | Choose
    | Timeout
    | Spin
    | ReadMeter
    | Leave
    | VoidBox
    | VoidRound
)
GameEvent = (
    Opened
    | Placed
    | Withdrawn
    | Declined
    | BetsClosed
    | Returned
    | Dealt
    | Burned
    | Chosen
    | Matched
    | Spun
    | MeterRead
    | Settled
    | EnvyPaid
    | Left
    | BoxVoided
    | RoundVoided
    | Closed
)
