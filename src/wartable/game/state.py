"""The state of one round."""

from msgspec import Struct

from wartable.cards import RANK, Card
from wartable.game.messages import Box, Choice, DealName, MeterRead, Player, Spun
from wartable.money import Amount
from wartable.rules.model import Direction, WagerKind


class Wager(Struct, frozen=True, gc=False):
    """Money on a spot: the stake, what has come back, and the outcome."""

    kind: WagerKind
    staked: Amount
    uncovered: Amount = 0
    matched: Amount = 0
    returned: Amount = 0
    outcome: str = ""

    @property
    def at_risk(self) -> int:
        """The part that the bank covers."""
        return self.staked - self.uncovered

    @property
    def net(self) -> int:
        """The player's gain, negative for a loss; 0 while the wager is open."""
        return self.returned - self.staked if self.outcome else 0


class Hand(Struct, frozen=True, gc=False):
    """One player's wagers on one box."""

    box: Box
    player: Player
    wagers: tuple[Wager, ...] = ()
    choice: Choice | None = None
    envy: Amount = 0
    tie_declined: bool = False
    absent: bool = False

    def wager(self, kind: WagerKind) -> Wager | None:
        """The wager of that kind, if there is one."""
        for wager in self.wagers:
            if wager.kind == kind:
                return wager
        return None

    def open(self, kind: WagerKind) -> Wager | None:
        """The wager of that kind, if it is not settled yet."""
        for wager in self.wagers:
            if wager.kind == kind:
                return None if wager.outcome else wager
        return None

    @property
    def settled(self) -> bool:
        """Whether every wager of the hand has its outcome."""
        for wager in self.wagers:  # noqa: SIM110  # checked at every event, and faster than `all`
            if not wager.outcome:
                return False
        return True

    @property
    def net(self) -> int:
        """The player's gain on this hand, envy included."""
        return sum([wager.net for wager in self.wagers]) + self.envy


class Round(Struct, frozen=True, gc=False):
    """One round from open betting to the last settlement; boxes in ascending order."""

    opened: bool = False
    seats: dict[Box, Player] = {}
    banker: Player | None = None
    bank: Amount | None = None
    bank_stack: Amount | None = None
    hands: tuple[Hand, ...] = ()
    bets_closed: bool = False
    cards: dict[int, Card] = {}
    war_cards: dict[int, Card] = {}
    burned: tuple[Card, ...] = ()
    void_boxes: tuple[Box, ...] = ()
    spun: Spun | None = None
    reading: MeterRead | None = None
    void: str | None = None
    closed: bool = False

    def hand(self, player: Player, box: Box) -> Hand | None:
        """The player's hand on that box, if there is one."""
        for hand in self.hands:
            if hand.box == box and hand.player == player:
                return hand
        return None

    def compare(self, box: Box, deal: DealName) -> int:
        """Above 0 if the box's card is higher than the dealer's, below 0 if lower, 0 on a tie."""
        cards = self.cards if deal == "original" else self.war_cards
        return RANK[cards[box]] - RANK[cards[0]]

    def in_order(self, direction: Direction) -> tuple[Hand, ...]:
        """The hands box by box around the table, a box's seated player always first."""
        if direction == "clockwise":
            return self.hands
        return tuple(sorted(self.hands, key=lambda hand: -hand.box))

    @property
    def settled(self) -> bool:
        """Whether every wager of the round has its outcome."""
        for hand in self.hands:  # noqa: SIM110  # likewise checked at every event
            if not hand.settled:
                return False
        return True

    @property
    def banker_net(self) -> int:
        """The banker's gain, meters counted as the banker's: minus the sum of the hands."""
        return -sum([hand.net for hand in self.hands])
