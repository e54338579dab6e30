"""Which bets a player may make, and what the commands before "no more bets" do."""

from collections.abc import Iterable, Iterator

from wartable.game.amounts import Amounts
from wartable.game.messages import (
    STAKE_MAX,
    Bet,
    Decline,
    Declined,
    GameEvent,
    Illegal,
    Placed,
    Player,
    Withdraw,
    Withdrawn,
)
from wartable.game.state import Hand, Round, Wager
from wartable.game.wagers import WAGER
from wartable.game.wagers.shape import WagerType
from wartable.game.wagers.tie import check_decline
from wartable.rules.model import RuleBook, WagerKind


def bet(rules: RuleBook, state: Round, command: Bet) -> Iterable[GameEvent]:
    """Add to a wager, or refuse; the player with the first claim to a spot displaces another."""
    player, box, kind = command.player, command.box, command.wager
    hand = state.hand(player, box)
    each = WAGER[kind]
    check_box(rules, state, hand, player, box)
    amounts_there(rules, state, hand, player, box, each).check(kind, command.amount)
    placed = Placed(player, box, kind, command.amount)
    other = each.gives_way(rules, state, hand, box)
    held = None if other is None else other.wager(kind)
    if other is None or held is None:
        return (placed,)
    return (Withdrawn(other.player, box, kind, held.staked, player), placed)


def withdraw(rules: RuleBook, state: Round, command: Withdraw) -> Iterator[GameEvent]:
    """Take a wager back with every wager that needs it, or refuse."""
    hand = withdrawable(rules, state, command.player, command.box, command.wager)
    for wager in hand.wagers:
        if _goes(rules, wager, command.wager):
            yield Withdrawn(hand.player, hand.box, wager.kind, wager.staked)


def _goes(rules: RuleBook, wager: Wager, kind: WagerKind) -> bool:
    """Whether withdrawing that kind takes this wager back: it is of that kind or depends on it."""
    return kind in (wager.kind, WAGER[wager.kind].beside(rules))


def decline(rules: RuleBook, state: Round, command: Decline) -> Iterator[GameEvent]:
    """Leave the box's tie spot to others, or refuse."""
    declinable(rules, state, command.player, command.box)
    yield Declined(command.player, command.box)


def amounts_there(
    rules: RuleBook, state: Round, hand: Hand | None, player: Player, box: int, each: WagerType
) -> Amounts:
    """The amounts allowed for a wager on a box where the player may bet, or `Illegal`."""
    _check_offered(rules, hand, each)
    each.check_claim(rules, state, hand, player, box)
    if denominations := each.denominations(rules):
        return Amounts(only=denominations)
    return _within(rules, state, hand, box, each)


def _within(rules: RuleBook, state: Round, hand: Hand | None, box: int, each: WagerType) -> Amounts:
    """The amounts that the limits of wager, box and player still allow."""
    limit, limits, step = each.limit(rules), rules.limits, each.step(rules)
    own = () if hand is None else hand.wagers
    made = None if hand is None else hand.wager(each.kind)
    staked = 0 if made is None else made.staked
    top = min(limit.max or STAKE_MAX, STAKE_MAX)
    if limits.ceiling is not None:
        top = min(top, limits.ceiling)
    top -= staked
    if limits.box_max is not None:
        leaving = each.gives_way(rules, state, hand, box)
        staying = [other for other in state.hands if other.box == box and other is not leaving]
        there = [wager for other in staying for wager in other.wagers]
        top = min(top, limits.box_max - _limited(there))
    if limits.player_box_max is not None:
        top = min(top, limits.player_box_max - _limited(own))
    top -= top % step
    least = max(1, limit.min - staked)
    least += -least % step
    if top < least:
        raise Illegal("limit", f"Box {box} is at its limit and takes no more.")
    return Amounts(least, top, step)


def _limited(wagers: Iterable[Wager]) -> int:
    """The part of the wagers that counts towards the limits of a box."""
    return sum(wager.staked for wager in wagers if not WAGER[wager.kind].side_bet)


def withdrawable(rules: RuleBook, state: Round, player: Player, box: int, kind: WagerKind) -> Hand:
    """The hand whose wager may be taken back now, or `Illegal`."""
    _check_open(state)
    hand = state.hand(player, box)
    if hand is None or hand.wager(kind) is None:
        raise Illegal("no_wager", f"{player} has no {kind} wager on box {box}.")
    left = {h.box for h in state.hands if h.player == player and h is not hand}
    stays = any(not _goes(rules, wager, kind) for wager in hand.wagers)
    if not stays and rules.adjacent and left and max(left) - min(left) >= len(left):
        raise Illegal("not_adjacent", "A player's boxes must stay next to each other.")
    return hand


def declinable(rules: RuleBook, state: Round, player: Player, box: int) -> None:
    """Refuse a decline that would have no effect."""
    _check_open(state)
    check_decline(rules, state.hand(player, box), player, box)


def _check_open(state: Round) -> None:
    if state.bets_closed:
        raise Illegal("bets_closed", "No more bets: wagers cannot be made or changed now.")


def check_box(rules: RuleBook, state: Round, hand: Hand | None, player: Player, box: int) -> None:
    """Refuse if the player may make no bet at all on the box."""
    _check_open(state)
    if player == state.banker:
        raise Illegal("banker_wager", "The player/dealer banks this round and may not bet.")
    _check_layout(rules, state, hand, player, box)
    if state.banker is not None and state.seats.get(box) == state.banker:
        raise Illegal("bank_box", f"Box {box} is the bank's and gets no card of its own.")


def _check_layout(
    rules: RuleBook, state: Round, hand: Hand | None, player: Player, box: int
) -> None:
    """Refuse a box that does not exist, is full, or is one too many for the player."""
    community = rules.community
    boxes = community or rules.table.boxes
    if box > boxes:
        raise Illegal("no_such_box", f"This table has boxes 1 to {boxes}, not {box}.")
    if hand is not None:
        return
    if not community and rules.table.players_per_box is not None:
        _check_places(state, player, box, rules.table.players_per_box)
    own = [hand.box for hand in state.hands if hand.player == player]
    if len(own) >= rules.table.boxes_per_player:
        raise Illegal(
            "too_many_boxes", f"A player may play at most {rules.table.boxes_per_player} boxes."
        )
    if own and rules.adjacent and not {box - 1, box + 1}.intersection(own):
        raise Illegal("not_adjacent", "A player's boxes must be next to each other.")


def _check_places(state: Round, player: Player, box: int, places: int) -> None:
    """Refuse a full box; its last place is kept for the player seated there."""
    there = {hand.player for hand in state.hands if hand.box == box}
    if len(there) >= places:
        raise Illegal("box_full", f"Box {box} already has its {places} players.")
    owner = state.seats.get(box, player)
    if owner != player and owner not in there and len(there) == places - 1:
        sentence = f"The last place on box {box} is kept for {owner}, who is seated there."
        raise Illegal("place_kept", sentence)


def _check_offered(rules: RuleBook, hand: Hand | None, each: WagerType) -> None:
    if not each.before_deal:
        raise Illegal("not_a_bet", f"The {each.kind} wager is made with the choice to go to war.")
    if not each.offered(rules):
        raise Illegal("not_offered", f"This book does not offer the {each.kind} wager.")
    beside = each.beside(rules)
    if beside is not None and (hand is None or hand.wager(beside) is None):
        sentence = f"The {each.kind} wager needs a {beside} wager on its box."
        raise Illegal("primary_required", sentence)
