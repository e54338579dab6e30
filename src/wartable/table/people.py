"""Players who come, sit, bet and leave, and whose turn it is to bank."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from wartable import game
from wartable.game import Illegal
from wartable.game.amounts import Amounts
from wartable.game.messages import Player, money
from wartable.money import Amount
from wartable.rules.model import Limit, Limits, RuleBook
from wartable.table.commands import BuyIn, CashOut, Join, OfferBank, PassBank, Restrict, TakeBank
from wartable.table.course import Decides
from wartable.table.events import (
    BankOffered,
    BankPassed,
    BankTaken,
    BankUntaken,
    BoughtIn,
    CashedOut,
    Departed,
    Event,
    Joined,
    Restricted,
)
from wartable.table.state import PLATFORM, Guest, Setup, Table

GUESTS_MAX = 200
STACK_MAX = 10**12
DOLLAR = 100


def join(setup: Setup, state: Table, command: Join) -> Iterator[Event]:
    """A player comes to a free seat or, if the book allows it, stands behind one."""
    rules = setup.rules.table
    if command.player in state.guests:
        raise Illegal("here_already", f"{command.player} is already at this table.")
    if command.player == PLATFORM:
        raise Illegal("reserved_name", f"Nobody may play under the name {PLATFORM}.")
    _check_stack(command.amount)
    if len(state.guests) >= GUESTS_MAX:
        raise Illegal("table_full", f"This table is full: it has {GUESTS_MAX} guests.")
    if command.seat is None and not rules.backline:
        raise Illegal("not_seated", "Only seated players may play at this table; take a seat.")
    if command.seat is not None:
        if command.seat > rules.seats:
            raise Illegal("no_such_seat", f"This table has seats 1 to {rules.seats}.")
        if command.seat in state.seats:
            raise Illegal("seat_taken", f"Seat {command.seat} is taken.")
    yield Joined(command.player, command.amount, command.seat)


def buy_in(setup: Setup, state: Table, command: BuyIn) -> Iterator[Event]:
    """A player brings more money to the table."""
    _check_stack(guest_of(state, command.player).stack + command.amount)
    yield BoughtIn(command.player, command.amount)


def _check_stack(stack: int) -> None:
    if stack > STACK_MAX:
        raise Illegal("too_much", f"A player can have at most {money(STACK_MAX)} on the table.")


def cash_out(setup: Setup, state: Table, command: CashOut) -> Iterator[Event]:
    """A player takes money off the table while none of it is at stake."""
    guest = guest_of(state, command.player)
    if involved(state, command.player):
        raise Illegal("in_round", "Money can leave the table only when the round is over.")
    free = guest.stack
    if state.bank.taken == guest.player:
        free -= state.bank.posted
    if command.amount > free:
        raise Illegal(
            "insufficient", f"{guest.player} can take at most {money(free)} off the table."
        )
    yield CashedOut(command.player, command.amount)


def departures(state: Table) -> Event | None:
    """The departure of the next player who has left and has nothing at stake any more."""
    for guest in state.guests.values():
        if guest.leaving and not involved(state, guest.player):
            return Departed(guest.player, guest.stack)
    return None


def involved(state: Table, player: str) -> bool:
    """Whether the player has a hand or the bank in the open round."""
    if state.round is None or state.round.closed:
        return False
    hands = any(hand.player == player for hand in state.round.hands)
    return hands or state.round.banker == player


def guest_of(state: Table, player: str) -> Guest:
    """The player at this table, or `Illegal`."""
    if player not in state.guests:
        raise Illegal("not_here", f"{player} is not at this table.")
    return state.guests[player]


def restrict(setup: Setup, state: Table, command: Restrict) -> Iterator[Event]:
    """A limit within the book's own and the ceiling; wagers already placed stay."""
    rules, now = setup.rules, rules_for(setup, state, "").limits
    if command.whom:
        guest_of(state, command.whom)
        if command.limit != "player_box_max":
            raise Illegal("restriction", "Only player_box_max can be set for one player.")
    tops = {
        "boxes_per_player": (1, rules.table.boxes_per_player),
        "players_per_box": (1, rules.table.players_per_box),
        "box_max": (rules.limits.primary.min, rules.limits.box_max),
        "player_box_max": (rules.limits.primary.min, rules.limits.player_box_max),
        "primary_min": (1, _top(now.primary, now)),
        "primary_max": (now.primary.min, _highest(rules, rules.limits.primary)),
        "tie_min": (1, _top(now.tie, now)),
        "tie_max": (now.tie.min, _highest(rules, rules.limits.tie)),
        "wager_max": (max(now.primary.min, now.tie.min, now.war_tie.min), rules.limits.ceiling),
    }
    least, most = tops[command.limit]
    if command.value and not least <= command.value <= (most or STACK_MAX):
        text = money if command.limit.endswith(("_min", "_max")) else str
        bounds = f"at least {text(least)}" + (f" and at most {text(most)}" if most else "")
        sentence = f"The limit {command.limit} must be {bounds}, or 0 for the book's limit."
        raise Illegal("restriction", sentence)
    _check_lifted(rules.limits, now, command)
    yield Restricted(command.by, command.limit, command.value, command.whom)


def _check_lifted(own: Limits, now: Limits, command: Restrict) -> None:
    """Refuse to lift one end of a wager's limits beyond the other end, which the floor has set."""
    kind, _, end = command.limit.rpartition("_")
    if command.value or kind not in ("primary", "tie"):
        return
    back, held = getattr(own, kind), getattr(now, kind)
    least, most = (back.min, held.max) if end == "min" else (held.min, back.max)
    if most is not None and least > most:
        other = "maximum" if end == "min" else "minimum"
        sentence = f"The {kind} {other} of {money(getattr(held, other[:3]))} must be lifted first."
        raise Illegal("restriction", sentence)
    if now.ceiling is not None and least > now.ceiling:
        sentence = f"The maximum of any wager, {money(now.ceiling)}, must be lifted first."
        raise Illegal("restriction", sentence)


def _top(limit: Limit, limits: Limits) -> int | None:
    """The most that a wager can be now: the lower of its own maximum and the ceiling."""
    return min((each for each in (limit.max, limits.ceiling) if each is not None), default=None)


def _highest(rules: RuleBook, own: Limit) -> int | None:
    """The highest maximum of a wager: the ceiling, or what it was opened with.

    Where payouts are limited, a higher wager would return less than was checked at the opening.
    """
    return own.max if rules.limits.payout_max is not None else rules.limits.ceiling


def rules_for(setup: Setup, state: Table, player: str) -> RuleBook:
    """The rules by which a player may bet now: the table's, with its restrictions."""
    rules, held = setup.rules, state.restrictions
    named = state.player_box_maximums.get(player)
    if not held and named is None:
        return rules
    table, limits = rules.table, rules.limits
    own = [each for each in (held.get("player_box_max"), named) if each is not None]
    return replace(
        rules,
        table=replace(
            table,
            boxes_per_player=held.get("boxes_per_player", table.boxes_per_player),
            players_per_box=held.get("players_per_box", table.players_per_box),
        ),
        limits=replace(
            limits,
            box_max=held.get("box_max", limits.box_max),
            player_box_max=min(own, default=limits.player_box_max),
            ceiling=held.get("wager_max", limits.ceiling),
            primary=Limit(
                held.get("primary_min", limits.primary.min),
                held.get("primary_max", limits.primary.max),
            ),
            tie=Limit(
                held.get("tie_min", limits.tie.min),
                held.get("tie_max", limits.tie.max),
            ),
        ),
    )


def check_place(setup: Setup, state: Table, player: str, box: int) -> None:
    """Refuse a bet where the player has no right to bet."""
    guest = guest_of(state, player)
    if guest.leaving:
        raise Illegal("left", f"{player} has left.")
    rules = rules_for(setup, state, player)
    if rules.community:
        return
    owner = state.seats.get(box)
    if owner not in (None, player) and rules.table.players_per_box == 1:
        raise Illegal("seat_taken", f"Box {box} is {owner}'s.")
    if rules.banker == "player":
        if guest.seat not in (None, box):
            raise Illegal(
                "own_seat", f"A seated player bets only on the box of the seat, {guest.seat}."
            )
        if owner is None:
            raise Illegal(
                "no_seat_there", f"Nobody is seated at box {box}, so nobody can bet behind it."
            )
    if rules.table.adjacent and guest.seat is not None:
        hands = () if state.round is None else state.round.hands
        own = {guest.seat} | {hand.box for hand in hands if hand.player == player}
        if not {box - 1, box, box + 1} & own:
            sentence = f"{player} can bet only on box {guest.seat} and next to their own boxes."
            raise Illegal("not_adjacent", sentence)


def check_funds(state: Table, events: Sequence[Event]) -> None:
    """Refuse wagers that a stack cannot pay, counting what it gets before them."""
    if game.Placed not in map(type, events):
        return
    stacks: dict[str, int] = {}
    for event in events:
        match event:
            case game.Placed(player=player, amount=amount):
                gained = -amount
            case game.Settled(player=player, returned=gained):
                pass
            case game.Returned(player=player, amount=gained):
                pass
            case _:
                continue
        stack = stacks.get(player, guest_of(state, player).stack)
        stacks[player] = stack + gained
        if stacks[player] < 0:
            sentence = f"{player} has {money(stack)} on the table, not {money(-gained)}."
            raise Illegal("insufficient", sentence)


def open_round(state: Table) -> game.Round:
    """The open round with what a player/dealer has for matches by now, or `Illegal`."""
    if state.round is None or state.round.closed:
        raise Illegal("no_round", "No round is open.")
    return with_bank_stack(state, state.round)


def with_bank_stack(state: Table, round_: game.Round) -> game.Round:
    """The round with what a player/dealer has for matches by now, later buy-ins included."""
    if round_.bank_stack is None:
        return round_
    banker = state.guests.get(round_.banker or "")
    if banker is None:
        return round_
    matched = sum(wager.matched for hand in round_.hands for wager in hand.wagers)
    return replace(round_, bank_stack=banker.stack + matched)


def too_few(setup: Setup, state: Table) -> bool:
    """Whether the book needs more players; only seated ones count if a player banks."""
    counted = state.seats if setup.rules.banker == "player" else state.guests
    return len(counted) < setup.rules.table.players_min


def deserted(setup: Setup, state: Table) -> bool:
    """Whether the open round has no wager and too few players are left for one."""
    empty = state.round is not None and state.in_round and not state.round.hands
    return empty and too_few(setup, state)


def lack(setup: Setup) -> str:
    """Why a round with too few players is void."""
    least = setup.rules.table.players_min
    return "nobody is left at the table" if least == 1 else f"fewer than {least} are seated"


def bank_needed(setup: Setup, state: Table) -> bool:
    """Whether the next round still needs a banker."""
    return setup.rules.banker == "player" and not state.in_round and state.bank.taken is None


def bankers(setup: Setup, state: Table) -> tuple[str, ...]:
    """The players to offer the bank to: the button's holder during the turn, then the rest."""
    bank, limits = state.bank, setup.rules.bank
    button = bank.seat or 0
    around = sorted(state.seats, key=lambda seat: (seat <= button, seat))
    if limits is not None and limits.rotation == "counterclockwise":
        around = sorted(state.seats, key=lambda seat: (seat >= button, -seat))
    order = [state.seats[seat] for seat in around]
    if bank.button in order:
        order.remove(bank.button)
        if limits is not None and bank.rounds < limits.rounds_max:
            order.insert(0, bank.button)
    return tuple(player for player in order if not state.guests[player].leaving)


def offer_bank(setup: Setup, state: Table) -> Event | None:
    """The next offer of the bank, or the event that nobody took it."""
    bank = state.bank
    if not bank_needed(setup, state) or bank.offered is not None or bank.untaken:
        return None
    if too_few(setup, state):
        return None
    for player in bankers(setup, state):
        if player not in bank.passed:
            return BankOffered(player)
    return BankUntaken()


class MayBank(Struct, frozen=True, tag="may_bank"):
    """The offered bank may be taken: the amounts to post, and one that leaves enough to match.

    All the wagers that the suggested amount covers could go to war and be matched from the rest.
    """

    player: Player
    amounts: Amounts
    suggested: Amount


def may_bank(state: Table, player: str) -> MayBank | None:
    """The offer of the bank that the player may take now."""
    if state.bank.offered != player or not (stack := guest_of(state, player).stack):
        return None
    half = stack // 2
    return MayBank(player, Amounts(1, stack), half - half % DOLLAR or half or stack)


def take_bank(setup: Setup, state: Table, command: TakeBank) -> Iterator[Event]:
    """A player takes the offered bank and posts any amount up to the stack."""
    _need_bank_offer(state, command.player)
    stack = guest_of(state, command.player).stack
    if not 0 < command.amount <= stack:
        raise Illegal("insufficient", f"The posted amount must be {money(1)} to {money(stack)}.")
    yield BankTaken(command.player, command.amount)


def pass_bank(setup: Setup, state: Table, command: PassBank) -> Iterator[Event]:
    """A player declines the offered bank, without penalty."""
    _need_bank_offer(state, command.player)
    yield BankPassed(command.player)


def offer_again(setup: Setup, state: Table, command: OfferBank) -> Iterator[Event]:
    """The bank is offered to everybody again after all declined it."""
    if not state.bank.untaken:
        raise Illegal("bank_offered", "The bank is already offered or taken.")
    order = bankers(setup, state)
    if not order or too_few(setup, state):
        raise Illegal("no_taker", "Too few players are seated to offer the bank.")
    yield BankOffered(order[0])


def _need_bank_offer(state: Table, player: str) -> None:
    if state.bank.offered != player:
        raise Illegal("not_offered", f"The bank is not offered to {player} now.")


DECIDES: Decides = {
    Join: join,
    BuyIn: buy_in,
    CashOut: cash_out,
    TakeBank: take_bank,
    PassBank: pass_bank,
    OfferBank: offer_again,
    Restrict: restrict,
}
