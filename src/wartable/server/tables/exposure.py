"""What others may still stake for a player at a table: a bank that must match, wars they choose."""

from wartable.game import Bet, Choose, Hand, Round
from wartable.players import is_bot
from wartable.rules.model import RuleBook
from wartable.table import Setup, Table
from wartable.table.commands import BuyIn, Command, TakeBank


def exposes(rules: RuleBook) -> bool:
    """Whether others may ever stake for somebody under these rules."""
    options = rules.options
    chosen = options.timeout == "war" or options.box_choice == "seated_player"
    return rules.banker == "player" or chosen


def exposures(setup: Setup, state: Table) -> dict[str, int]:
    """What others may still stake for each player, if anything; bots are left out: no limits."""
    if not exposes(setup.rules):
        return {}
    found = {name: exposure(setup, state, name) for name in state.guests if not is_bot(name)}
    return {name: amount for name, amount in found.items() if amount}


def changed(setup: Setup, before: Table, after: Table) -> tuple[tuple[str, int], ...]:
    """The players for whom others may stake another amount than before, each with the amount."""
    was, is_ = exposures(setup, before), exposures(setup, after)
    if was == is_:
        return ()
    names = sorted({*was, *is_})
    return tuple((each, is_.get(each, 0)) for each in names if was.get(each) != is_.get(each))


def exposure(setup: Setup, state: Table, name: str) -> int:
    """A banker's stack, which may go into matches, or the wars that others may choose for a player.

    A banker has no hand in the round that they bank.
    """
    if state.bank.taken == name:
        return state.guests[name].stack
    round_ = state.round
    if round_ is None or not state.in_round:
        return 0
    if round_.banker == name:
        return state.guests[name].stack
    hands = (hand for hand in round_.hands if hand.player == name)
    return sum(_war_exposure(setup.rules, round_, hand) for hand in hands)


def added(setup: Setup, state: Table, command: Command) -> int:
    """What a command adds to the exposure; a bank may match with all that its owner has there."""
    match command:
        case TakeBank(player):
            return state.guests[player].stack
        case BuyIn(player, amount) if player in (state.bank.taken, _banker(state)):
            return amount
        case Bet(player, box, "primary", amount) if state.round is not None:
            return amount if _others_choose(setup.rules, state.round, player, box) else 0
        case Choose(player, box) if state.round is not None:
            hand = state.round.hand(player, box)
            return 0 if hand is None else -_war_exposure(setup.rules, state.round, hand)
        case _:
            return 0


def _banker(state: Table) -> str | None:
    """The player who banks the open round."""
    return state.round.banker if state.round is not None and state.in_round else None


def _war_exposure(rules: RuleBook, round_: Round, hand: Hand) -> int:
    """The war wager that another person may choose for a hand."""
    primary = hand.open("primary")
    if primary is None or hand.choice is not None:
        return 0
    return primary.at_risk if _others_choose(rules, round_, hand.player, hand.box) else 0


def _others_choose(rules: RuleBook, round_: Round, player: str, box: int) -> bool:
    """Whether the platform or the box's seated player may go to war with a player's money."""
    options = rules.options
    seated_chooses = options.box_choice == "seated_player" and round_.seats.get(box) != player
    return options.timeout == "war" or seated_chooses
