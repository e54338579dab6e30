"""What a player may do now, by the same checks that decide a command."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from wartable.game.amounts import Amounts
from wartable.game.betting import amounts_there, check_box, declinable, withdrawable
from wartable.game.messages import (
    Bet,
    Choice,
    Choose,
    Decline,
    GameCommand,
    Illegal,
    Leave,
    Withdraw,
)
from wartable.game.play import DueChoice, awaits
from wartable.game.settlement import abandoned
from wartable.game.state import Round
from wartable.game.wagers import BEFORE_DEAL
from wartable.game.wagers.war_tie import war_tie_amounts
from wartable.rules.model import RuleBook, WagerKind


class MayBet(Struct, frozen=True, tag="may_bet"):
    """A wager may be made or increased by these amounts."""

    player: str
    box: int
    wager: WagerKind
    amounts: Amounts

    def permits(self, command: GameCommand) -> bool:
        """Whether the command is this move."""
        return (
            isinstance(command, Bet)
            and (command.player, command.box, command.wager) == (self.player, self.box, self.wager)
            and self.amounts.permits(command.amount)
        )


class MayWithdraw(Struct, frozen=True, tag="may_withdraw"):
    """A wager may be taken back."""

    player: str
    box: int
    wager: WagerKind

    def permits(self, command: GameCommand) -> bool:
        """Whether the command is this move."""
        return command == Withdraw(self.player, self.box, self.wager)


class MayDecline(Struct, frozen=True, tag="may_decline"):
    """The box's tie spot may be left to others."""

    player: str
    box: int

    def permits(self, command: GameCommand) -> bool:
        """Whether the command is this move."""
        return command == Decline(self.player, self.box)


class MayChoose(Struct, frozen=True, tag="may_choose"):
    """A tied hand may surrender, or go to war with one of these tie wagers or none."""

    player: str
    box: int
    choice: Choice
    war_tie: Amounts | None = None

    def permits(self, command: GameCommand) -> bool:
        """Whether the command is this move."""
        if not isinstance(command, Choose):
            return False
        if (command.player, command.box, command.choice) != (self.player, self.box, self.choice):
            return False
        if command.war_tie == 0:
            return True
        return self.war_tie is not None and self.war_tie.permits(command.war_tie)


class MayLeave(Struct, frozen=True, tag="may_leave"):
    """The player may leave, but at once loses this much in wagers that are not decided yet."""

    player: str
    forfeits: int = 0

    def permits(self, command: GameCommand) -> bool:
        """Whether the command is this move."""
        return command == Leave(self.player)


Move = MayBet | MayWithdraw | MayDecline | MayChoose | MayLeave


def legal(rules: RuleBook, state: Round, player: str) -> tuple[Move, ...]:
    """Everything that the player may do now."""
    if not state.opened or state.closed:
        return ()
    moves: list[Move] = []
    if not state.bets_closed:
        moves.extend(_betting(rules, state, player))
    for due in awaits(rules, state):
        if isinstance(due, DueChoice) and due.player == player:
            moves.append(MayChoose(player, due.box, "war", _war_tie(rules, state, due)))
            moves.append(MayChoose(player, due.box, "surrender"))
    hands = [hand for hand in state.hands if hand.player == player]
    if hands and not any(hand.absent for hand in hands):
        lost = [wager for hand in hands for wager in abandoned(rules, state, hand)]
        moves.append(MayLeave(player, sum(wager.at_risk for wager in lost)))
    return tuple(moves)


def _betting(rules: RuleBook, state: Round, player: str) -> Iterator[Move]:
    # Each check is made once for all wagers of a box, because refusals are what costs time here.
    offered = [each for each in BEFORE_DEAL if each.offered(rules)]
    for box in range(1, (rules.community or rules.table.boxes) + 1):
        hand = state.hand(player, box)
        takes = _allowed(check_box, rules, state, hand, player, box)
        for each in offered:
            if takes:
                try:
                    amounts = amounts_there(rules, state, hand, player, box, each)
                except Illegal:
                    pass
                else:
                    yield MayBet(player, box, each.kind, amounts)
            made = None if hand is None else hand.wager(each.kind)
            if made is not None and _allowed(withdrawable, rules, state, player, box, each.kind):
                yield MayWithdraw(player, box, each.kind)
        if hand is not None and _allowed(declinable, rules, state, player, box):
            yield MayDecline(player, box)


def _allowed(check: Callable[..., object], *asked: object) -> bool:
    try:
        check(*asked)
    except Illegal:
        return False
    return True


def _war_tie(rules: RuleBook, state: Round, due: DueChoice) -> Amounts | None:
    hand = state.hand(due.player, due.box)
    try:
        return None if hand is None else war_tie_amounts(rules, hand)
    except Illegal:
        return None
