"""Which bets a player may make, and what the commands before "no more bets" do."""

from collections.abc import Iterator

from msgspec import Struct

from wartable.game.messages import (
    STAKE_MAX,
    Bet,
    Decline,
    Declined,
    Event,
    Illegal,
    Placed,
    Player,
    Withdraw,
    Withdrawn,
    money,
)
from wartable.game.state import Hand, Round
from wartable.rules.model import Limit, RuleBook, WagerKind

SPOTS: tuple[WagerKind, ...] = ("primary", "tie", "progressive", "bonus_spin")
"""The wagers that are bet before the deal; war wagers come with the choice."""

SIDE_BETS: tuple[WagerKind, ...] = ("progressive", "bonus_spin")


class Amounts(Struct, frozen=True):
    """The amounts that a wager may have: single ones, or a range in steps."""

    min: int = 1
    max: int = STAKE_MAX
    step: int = 1
    only: tuple[int, ...] = ()

    def permits(self, amount: int) -> bool:
        """Whether the amount is one of these."""
        if self.only:
            return amount in self.only
        return self.min <= amount <= self.max and amount % self.step == 0

    def up_to(self, most: int) -> "Amounts | None":
        """Those of the amounts that are not above the most, None where there are none."""
        if self.only:
            only = tuple(value for value in self.only if value <= most)
            return Amounts(only=only) if only else None
        top = min(self.max, most)
        top -= top % self.step
        return Amounts(self.min, top, self.step) if top >= self.min else None

    def check(self, what: str, amount: int) -> None:
        """Refuse another amount."""
        if self.permits(amount):
            return
        if self.only:
            accepted = " or ".join(money(value) for value in self.only)
            raise Illegal("wrong_size", f"The {what} must be {accepted}, not {money(amount)}.")
        if self.min <= amount <= self.max:
            told = f"The {what} must be an even number of cents, not {money(amount)}."
            raise Illegal("odd_amount", told)
        bounds = f"at least {money(self.min)} and at most {money(self.max)}"
        raise Illegal("limit", f"The {what} must be {bounds}, not {money(amount)}.")


def bet(rules: RuleBook, state: Round, command: Bet) -> Iterator[Event]:
    """Add to a wager, or refuse."""
    amounts = bet_amounts(rules, state, command.player, command.box, command.wager)
    amounts.check(f"{command.wager} wager", command.amount)
    yield Placed(command.player, command.box, command.wager, command.amount)


def withdraw(rules: RuleBook, state: Round, command: Withdraw) -> Iterator[Event]:
    """Take a wager back and, with the primary, all that needs it; or refuse."""
    hand = withdrawable(rules, state, command.player, command.box, command.wager)
    for wager in hand.wagers:
        if wager.kind == command.wager or (
            command.wager == "primary" and needs_primary(rules, wager.kind)
        ):
            yield Withdrawn(hand.player, hand.box, wager.kind, wager.staked)


def decline(rules: RuleBook, state: Round, command: Decline) -> Iterator[Event]:
    """Leave the box's tie spot to others, or refuse."""
    declinable(rules, state, command.player, command.box)
    yield Declined(command.player, command.box)


def bet_amounts(
    rules: RuleBook, state: Round, player: Player, box: int, kind: WagerKind
) -> Amounts:
    """The amounts that the player may add to the wager now, or `Illegal`."""
    check_box(rules, state, player, box)
    hand = state.hand(player, box)
    _check_offered(rules, hand, kind)
    if kind == "tie":
        _check_tie_spot(rules, state, hand, player, box)
    wager = hand.wager(kind) if hand else None
    staked = wager.staked if wager else 0
    if kind in SIDE_BETS:
        if staked:
            raise Illegal("already_placed", f"The {kind} wager is made already.")
        return Amounts(only=_denominations(rules, kind))
    limit = rules.limits.primary if kind == "primary" else rules.limits.tie
    step = 2 if kind == "primary" and rules.options.odd_half == "refuse" else 1
    return _within(rules, state, player, box, limit, staked, step)


def _within(
    rules: RuleBook, state: Round, player: Player, box: int, limit: Limit, staked: int, step: int
) -> Amounts:
    """What the limits of wager, box and player leave to add."""
    on_box = [
        (hand.player, w.staked)
        for hand in state.hands
        if hand.box == box
        for w in hand.wagers
        if w.kind in ("primary", "tie")
    ]
    top = min(
        _room(limit.max, [staked]),
        _room(rules.limits.ceiling, [staked]),
        _room(rules.limits.box_max, [amount for _, amount in on_box]),
        _room(rules.limits.player_box_max, [amount for name, amount in on_box if name == player]),
        STAKE_MAX - staked,
    )
    top -= top % step
    least = max(1, limit.min - staked)
    least += -least % step
    if top < least:
        raise Illegal("limit", f"Box {box} takes no more: the limit is reached.")
    return Amounts(least, top, step)


def _room(limit: int | None, amounts: list[int]) -> int:
    return STAKE_MAX if limit is None else limit - sum(amounts)


def war_tie_amounts(rules: RuleBook, hand: Hand) -> Amounts:
    """The amounts that a tie wager on the war deal may have, or `Illegal`."""
    offered = rules.options.war_tie_wager
    primary = hand.open("primary")
    if offered == "none" or primary is None:
        raise Illegal("not_offered", "This book offers no tie wager on the war deal.")
    if offered == "equal_primary":
        return Amounts(only=(primary.at_risk,))
    limit = rules.limits.war_tie
    return Amounts(limit.min, min(_room(limit.max, []), _room(rules.limits.ceiling, [])))


def withdrawable(rules: RuleBook, state: Round, player: Player, box: int, kind: WagerKind) -> Hand:
    """The hand whose wager may be taken back now, or `Illegal`."""
    _check_open(state)
    hand = state.hand(player, box)
    if hand is None or hand.wager(kind) is None:
        raise Illegal("no_wager", f"{player} has no {kind} wager on box {box}.")
    left = {h.box for h in state.hands if h.player == player and h is not hand}
    stays = any(
        wager.kind != kind and not (kind == "primary" and needs_primary(rules, wager.kind))
        for wager in hand.wagers
    )
    if not stays and rules.table.adjacent and left and max(left) - min(left) >= len(left):
        raise Illegal("not_adjacent", "A player's boxes must stay next to each other.")
    return hand


def declinable(rules: RuleBook, state: Round, player: Player, box: int) -> None:
    """Refuse a decline that would mean nothing."""
    _check_open(state)
    hand = state.hand(player, box)
    if rules.wagers.tie.per_box is None:
        raise Illegal("nothing_to_decline", "Every player may make a tie wager in this book.")
    if hand is None or not hand.wager("primary") or hand.wager("tie") or hand.tie_declined:
        raise Illegal(
            "nothing_to_decline", f"{player} has no entitlement to the tie spot of box {box}."
        )


def needs_primary(rules: RuleBook, kind: WagerKind) -> bool:
    """Whether the wager may only stand beside a primary wager."""
    return kind in SIDE_BETS or (kind == "tie" and rules.wagers.tie.with_primary)


def _check_open(state: Round) -> None:
    if state.bets_closed:
        raise Illegal("bets_closed", "No more bets: wagers cannot be made or changed now.")


def check_box(rules: RuleBook, state: Round, player: Player, box: int) -> None:
    """Refuse any bet of the player on the box."""
    _check_open(state)
    if player == state.banker:
        raise Illegal("banker_wager", "The player/dealer banks this round and may not bet in it.")
    _check_layout(rules, state, player, box)
    if state.banker is not None and state.seats.get(box) == state.banker:
        raise Illegal("bank_box", f"Box {box} is the bank's and gets no card of its own.")


def _check_layout(rules: RuleBook, state: Round, player: Player, box: int) -> None:
    """Refuse a box that the table does not have, or not for one player more or one box more."""
    boxes = rules.community or rules.table.boxes
    if box > boxes:
        raise Illegal("no_such_box", f"This table has boxes 1 to {boxes}, not {box}.")
    if rules.community or state.hand(player, box):
        return
    per_box = rules.table.players_per_box
    if per_box is not None and sum(hand.box == box for hand in state.hands) >= per_box:
        raise Illegal("box_full", f"Box {box} has its {per_box} players already.")
    own = {hand.box for hand in state.hands if hand.player == player}
    if len(own) >= rules.table.boxes_per_player:
        raise Illegal(
            "too_many_boxes", f"A player may play {rules.table.boxes_per_player} boxes at most."
        )
    if rules.table.adjacent and own and not {box - 1, box + 1} & own:
        raise Illegal("not_adjacent", "A player's boxes must be next to each other.")


def _check_offered(rules: RuleBook, hand: Hand | None, kind: WagerKind) -> None:
    if kind not in SPOTS:
        raise Illegal("not_a_bet", f"The {kind} wager is made with the choice to go to war.")
    if kind in SIDE_BETS and not _denominations(rules, kind):
        raise Illegal("not_offered", f"This book does not offer the {kind} wager.")
    if needs_primary(rules, kind) and (hand is None or hand.wager("primary") is None):
        raise Illegal("primary_required", f"The {kind} wager needs a primary wager on its box.")


def _denominations(rules: RuleBook, kind: WagerKind) -> tuple[int, ...]:
    """The sizes that a side bet is taken in, none where it is not offered."""
    offer = rules.wagers.progressive if kind == "progressive" else rules.wagers.bonus_spin
    return offer.denominations if offer is not None and offer.offered else ()


def _check_tie_spot(
    rules: RuleBook, state: Round, hand: Hand | None, player: Player, box: int
) -> None:
    """One tie wager per box goes first to those who have a primary wager there."""
    per_box = rules.wagers.tie.per_box
    if per_box is None:
        return
    others = [other for other in state.hands if other.box == box and other.player != player]
    if sum(other.wager("tie") is not None for other in others) >= per_box:
        raise Illegal("tie_spot_taken", f"The tie spot of box {box} is taken.")
    if hand is not None and hand.tie_declined:
        raise Illegal("tie_declined", f"{player} has declined the tie spot of box {box}.")
    if hand is None or hand.wager("primary") is None:
        for other in others:
            if other.wager("primary") and not other.wager("tie") and not other.tie_declined:
                raise Illegal(
                    "tie_entitlement",
                    f"{other.player} has a primary wager on box {box} and the first claim to its"
                    " tie spot.",
                )
