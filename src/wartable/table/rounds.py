"""A round at the table: bets with money behind them, cards from the shoe, meters, incidents."""

from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec.structs import asdict, replace

from wartable import game
from wartable import shoe as shoes
from wartable.game import DueBurn, DueCard, DueChoice, DueMeter, DueWheel, Illegal
from wartable.game.messages import MeterName
from wartable.game.wagers import SIDE_BETS
from wartable.game.wagers.bonus_spin import NO_HOT_SPOT
from wartable.rules.model import WagerKind
from wartable.shoe import Shoe
from wartable.table.commands import (
    Approve,
    CountSideBets,
    DrawInError,
    FindFaceUp,
    Jam,
    MissBox,
    Proceed,
    StartRound,
)
from wartable.table.events import (
    AwardApproved,
    AwardPending,
    CardBurned,
    CardsCollected,
    CardSetAside,
    CountDiffered,
    CoverCardOut,
    DecksRemoved,
    DrawnInError,
    Event,
    HouseChose,
    Jammed,
    MeterFed,
    MeterReset,
    MetersShown,
    MeterUnfed,
    RoundStarted,
    SideBetsCounted,
)
from wartable.table.folding import apply
from wartable.table.people import (
    bank_needed,
    check_funds,
    check_place,
    decide_round,
    guest_of,
    lack,
    open_round,
    rules_for,
    too_few,
)
from wartable.table.procedure import DEVICE_METHODS, check_age, check_device, end_shoes, ended
from wartable.table.state import PLATFORM, MeterState, Setup, Table, meters_of


def start_round(setup: Setup, state: Table, command: StartRound) -> Iterator[Event]:
    """Betting opens if cards, people and bank are ready."""
    if state.in_round:
        raise Illegal("round_open", "A round is already open.")
    loaded(state)
    check_device(state)
    _check_decks(setup, state, command.at_ms)
    if too_few(setup, state):
        least = setup.rules.table.players_min
        raise Illegal("too_few_players", f"A round needs {least} or more players.")
    if bank_needed(setup, state):
        raise Illegal("no_banker", "A player must take the bank before a round is dealt.")
    yield RoundStarted(state.rounds + 1, command.at_ms)
    if state.dealer_burn_due:
        yield from _new_dealer_burns(setup, state)
    yield from game.decide(setup.rules, game.Round(), _opening(setup, state))


def _new_dealer_burns(setup: Setup, state: Table) -> Iterator[Event]:
    for _ in range(setup.rules.shoe.burn_new_dealer):
        for event in (*_cover_card(state, 0), CardBurned("new_dealer", _card_on_top(state))):
            yield event
            state = apply(state, event)


def _opening(setup: Setup, state: Table) -> game.Open:
    seats = {} if setup.rules.community else state.seats
    banker = state.bank.taken
    if banker is None:
        return game.Open(seats)
    posted = state.bank.posted
    return game.Open(seats, banker, posted, state.guests[banker].stack - posted)


def _check_decks(setup: Setup, state: Table, at_ms: int) -> None:
    """Refuse a round with cards that are over age."""
    if state.decks is not None:
        check_age(setup, state.decks.at_ms, at_ms)


def over_age(setup: Setup, state: Table, at_ms: int) -> bool:
    """Whether the cards at the table are over age."""
    try:
        _check_decks(setup, state, at_ms)
    except Illegal:
        return True
    return False


def loaded(state: Table) -> Shoe:
    """The shoe in use, or `Illegal`."""
    if state.shoe is None or not state.shoe.cards:
        raise Illegal("no_shoe", "There are no cards in the shoe; shuffle and load it.")
    return state.shoe


def bet(setup: Setup, state: Table, command: game.Bet) -> Iterator[Event]:
    """A player who may bet there and can pay makes a bet."""
    round_ = open_round(state)
    check_place(setup, state, command.player, command.box)
    events = game.decide(rules_for(setup, state, command.player), round_, command)
    check_funds(state, events)
    yield from events


def choose(setup: Setup, state: Table, command: game.Choose) -> Iterator[Event]:
    """A tied hand's choice; war needs the money for it."""
    guest_of(state, command.player)
    events = game.decide(setup.rules, open_round(state), command)
    check_funds(state, events)
    yield from events


def timeout(setup: Setup, state: Table, command: game.Timeout) -> Iterator[Event]:
    """The book's default for an absent player, or surrender if the stack cannot pay for war."""
    yield from decide_round(setup, state, command)


def in_round(
    setup: Setup, state: Table, command: game.Withdraw | game.Decline | game.VoidRound
) -> Iterator[Event]:
    """A command that only the round decides."""
    yield from game.decide(setup.rules, open_round(state), command)


def close_bets(setup: Setup, state: Table, command: game.CloseBets) -> Iterator[Event]:
    """No more bets, or a void round if too few are seated; the platform counts without staff."""
    round_ = open_round(state)
    if not round_.bets_closed and too_few(setup, state):
        yield from game.decide(setup.rules, round_, game.VoidRound(lack(setup)))
        return
    yield from game.decide(setup.rules, round_, command)
    if not setup.staffed or not any(side_bets(state).values()):
        yield from _counted(setup, state, PLATFORM)


def side_bets(state: Table) -> dict[WagerKind, int]:
    """The number of side bets of each kind that the devices accepted and that are in play."""
    hands = () if state.round is None else state.round.hands
    kinds = [each.kind for each in SIDE_BETS]
    return {kind: sum(hand.open(kind) is not None for hand in hands) for kind in kinds}


def count_side_bets(setup: Setup, state: Table, command: CountSideBets) -> Iterator[Event]:
    """The dealer's count; one that does not match the devices' is recorded and made again."""
    round_ = open_round(state)
    if not round_.bets_closed or state.counted:
        raise Illegal("no_count_due", "Side bets are counted once, after betting closes.")
    accepted = side_bets(state)
    if any(getattr(command, kind) != number for kind, number in accepted.items()):
        yield CountDiffered(**asdict(command), accepted=accepted)
    else:
        yield from _counted(setup, state, command.by)


def _counted(setup: Setup, state: Table, by: str) -> Iterator[Event]:
    """The count, and each meter's share of the stakes; the remainder is carried over."""
    accepted = side_bets(state)
    yield SideBetsCounted(by, **accepted)
    hands = () if state.round is None else state.round.hands
    for name, change, carry in _shares(setup, state, hands, 1):
        yield MeterFed(name, change, carry)


def _shares(
    setup: Setup, state: Table, hands: Iterable[game.Hand], sign: int
) -> Iterator[tuple[MeterName, int, int]]:
    """Each meter with its gain for the open wagers (a loss with sign -1), and its carry."""
    for each in SIDE_BETS:
        wagers = [wager for hand in hands if (wager := hand.open(each.kind)) is not None]
        staked = sum(wager.staked for wager in wagers)
        for name, meter in each.meters(setup.rules).items() if wagers else ():
            share = meter.contribution
            total = state.meters[name].carry + sign * staked * share.over
            yield name, total // share.under, total % share.under


def proceed(setup: Setup, state: Table, command: Proceed) -> Iterator[Event]:
    """Chance gives the round what it awaits, until people must act or the steps are done."""
    round_ = open_round(state)
    first = round_.bets_closed and state.counted and not round_.cards
    if first and over_age(setup, state, command.at_ms):
        yield from _remove_decks(setup, state)
        return
    taken = 0
    while not command.steps or taken < command.steps:
        events = tuple(_draw(setup, state))
        if not events:
            break
        for event in events:
            yield event
            state = apply(state, event)
        taken += 1
    if not taken:
        raise Illegal("nothing_due", "The round needs nothing from the shoe now.")


def _remove_decks(setup: Setup, state: Table) -> Iterator[Event]:
    """The end of a round before its first card, and of its cards, which are over age."""
    reason = f"the cards are {setup.rules.shoe.deck_hours_max} hours old"
    yield from game.decide(setup.rules, open_round(state), game.VoidRound(reason))
    yield from end_shoes(state, reason)
    yield DecksRemoved(reason)


def _draw(setup: Setup, state: Table) -> Iterator[Event]:
    """The events of the next thing that chance, or a meter, gives the round."""
    rules, round_ = setup.rules, state.round
    if round_ is None or round_.closed or not round_.bets_closed:
        return
    if not state.counted:
        raise Illegal("count_due", "The side bets must be counted before any card is dealt.")
    match game.awaits(rules, round_)[0]:
        case DueCard(box=box):
            yield from _cover_card(state, box)
            yield from decide_round(setup, state, game.Deal(_card_on_top(state)))
        case DueBurn():
            yield from _cover_card(state, 0)
            yield from decide_round(setup, state, game.Burn(_card_on_top(state)))
        case DueWheel(boxes=boxes):
            yield from _spin(setup, state, boxes)
        case DueMeter(meter=meter):
            yield from _award(setup, state, meter)
        case _:
            return


def _cover_card(state: Table, box: int) -> Iterator[Event]:
    """The cover card, if it comes before the card for this box or for the dealer."""
    if shoes.cover_card_next(loaded(state)) and state.cover_box is None:
        yield CoverCardOut(box)


def _spin(setup: Setup, state: Table, boxes: tuple[int, ...]) -> Iterator[Event]:
    """The wheel's stop and the hot spot, derived from the committed seeds."""
    spin = setup.rules.wagers.bonus_spin
    assert spin is not None
    shoe = loaded(state)
    hot_spot, shoe = _house_choice(shoe, "wheel", *_weights(spin.wheel.hot_spot))
    yield hot_spot
    symbol = hot_spot.options[hot_spot.result]
    box = None
    if symbol != NO_HOT_SPOT:
        where, shoe = _house_choice(shoe, "hot-spot", tuple(str(each) for each in boxes), ())
        yield where
        box = boxes[where.result]
    community, shoe = _house_choice(shoe, "community", *_weights(spin.wheel.community))
    yield community
    stop = game.Spin(box, symbol if box is not None else None, community.options[community.result])
    yield from decide_round(setup, state, stop)


def _weights(weights: dict[str, int]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    return tuple(weights), tuple(weights.values())


def _house_choice(
    shoe: Shoe, label: str, options: tuple[str, ...], weights: tuple[int, ...]
) -> tuple[HouseChose, Shoe]:
    choice, shoe = shoes.choose(shoe, label, options, weights)
    return HouseChose(label, options, weights, choice.result), shoe


def _award(setup: Setup, state: Table, meter: MeterName) -> Iterator[Event]:
    """A meter's award: pending until a floorperson approves it, at once without staff."""
    if state.award is not None:
        return
    yield AwardPending(meter)
    if not setup.staffed:
        yield AwardApproved(meter, PLATFORM)
        yield from _read_meter(setup, state, meter)


def approve(setup: Setup, state: Table, command: Approve) -> Iterator[Event]:
    """A floorperson approves an award; the meter is read and paid."""
    if state.award is None:
        raise Illegal("no_award", "No meter's award is waiting.")
    if command.by in (PLATFORM, state.dealer):
        raise Illegal("not_floor", f"A floorperson must approve an award, not {command.by}.")
    yield AwardApproved(state.award, command.by)
    yield from _read_meter(setup, state, state.award)


def _read_meter(setup: Setup, state: Table, meter: MeterName) -> Iterator[Event]:
    """The winner gets all that the meter shows; then the house seeds it again."""
    command = game.ReadMeter(meter, state.meters[meter].shown)
    read, *events = decide_round(setup, state, command)
    yield read
    yield MeterReset(meter, meters_of(setup.rules)[meter].reset)
    yield from events


def show_meters(
    setup: Setup, state: Table, number: int, meters: dict[MeterName, MeterState]
) -> MetersShown:
    """The reading of shared meters; a void round keeps what other tables did to them."""
    if not setup.meters:
        raise Illegal("own_meters", "This table has its own meters.")
    before = meters
    if state.in_round:
        parts = {name: each.contribution.under for name, each in meters_of(setup.rules).items()}
        before = {
            name: _moved(parts[name], old, state.meters[name], meters[name])
            for name, old in state.meters_before.items()
        }
    return MetersShown(number, meters, before)


def _moved(parts: int, before: MeterState, old: MeterState, new: MeterState) -> MeterState:
    """A meter before the round, moved by what other tables did between two readings of it.

    If they won what the round had put in, the house puts in what is missing.
    """
    shown = before.shown + new.shown - old.shown
    whole, carry = divmod(before.carry + new.carry - old.carry, parts)
    moved = MeterState(
        shown=shown + whole,
        carry=carry,
        fed=before.fed + new.fed - old.fed + whole,
        seeded=before.seeded + new.seeded - old.seeded,
        paid=before.paid + new.paid - old.paid,
    )
    if moved.shown >= 0:
        return moved
    return replace(moved, shown=0, carry=0, seeded=moved.seeded - moved.shown)


def find_face_up(setup: Setup, state: Table, command: FindFaceUp) -> Iterator[Event]:
    """A card found face up is not used in the round."""
    yield from _set_aside(setup, state, command.by, "face_up")


def _set_aside(
    setup: Setup, state: Table, by: str, why: Literal["face_up", "exposed"]
) -> Iterator[Event]:
    """The next card goes to the discard rack, after a cover card that lies before it."""
    card, box = _card_on_top(state), 0
    if state.round is not None and state.in_round:
        due = game.awaits(setup.rules, state.round)[0]
        box = due.box if isinstance(due, DueCard) else 0
    yield from _cover_card(state, box)
    yield CardSetAside(by, why, card)


def draw_in_error(setup: Setup, state: Table, command: DrawInError) -> Iterator[Event]:
    """A card drawn in error is the next card dealt, unless somebody saw it."""
    _card_on_top(state)
    if command.exposed:
        yield from _set_aside(setup, state, command.by, "exposed")
    else:
        yield DrawnInError(command.by)


def _card_on_top(state: Table) -> str:
    shoe = loaded(state)
    if len(shoe.drawn) == len(shoe.cards):
        raise Illegal("shoe_empty", "The shoe is empty; the round must be voided.")
    return shoe.cards[len(shoe.drawn)]


def miss_box(setup: Setup, state: Table, command: MissBox) -> Iterator[Event]:
    """A box that got no card in the original deal is void; the meters return its shares."""
    voided, *events = decide_round(setup, state, game.VoidBox(command.box))
    yield voided
    if state.counted:
        hands = [hand for hand in open_round(state).hands if hand.box == command.box]
        for name, change, carry in _shares(setup, state, hands, -1):
            yield MeterUnfed(name, -change, carry)
    yield from events


def jam(setup: Setup, state: Table, command: Jam) -> Iterator[Event]:
    """The round is void and the cards in the device are shuffled again."""
    if state.method not in DEVICE_METHODS:
        raise Illegal("no_device", "The cards are shuffled by hand at this table.")
    events: list[Event] = [Jammed(command.by)]
    if state.in_round:
        void = game.VoidRound("the shuffler jammed")
        events += game.decide(setup.rules, open_round(state), void)
    yield from events
    in_device = state.shoe
    if state.method == "batches" and (state.shoe is None or state.shoe.cards):
        in_device = state.stored
    if in_device is not None:
        yield ended(in_device, "the shuffler jammed")


def collection(setup: Setup, state: Table) -> Event | None:
    """The cards that go to the discard rack before a war deal: those of settled boxes."""
    round_ = state.round
    if round_ is None or round_.closed or 0 not in round_.cards:
        return None
    at_war = {hand.box for hand in round_.hands if hand.choice == "war"}
    if not at_war or state.shoe is None or not (lying := _lying(state.shoe) - at_war - {0}):
        return None
    if any(isinstance(due, (DueChoice, DueWheel)) for due in game.awaits(setup.rules, round_)):
        return None
    return _collected(setup, lying)


def last_cards(setup: Setup, state: Table) -> Event | None:
    """The cards that go to the discard rack at the end of the round: all that lie on the felt."""
    lying = set() if state.shoe is None else _lying(state.shoe)
    return _collected(setup, lying) if lying else None


def _lying(shoe: Shoe) -> set[int]:
    """The boxes with cards on the felt, and the dealer, who is 0."""
    return {dealt.box for dealt in shoes.felt(shoe) if dealt.box is not None}


def _collected(setup: Setup, lying: set[int]) -> CardsCollected:
    """The cards of these boxes, in the order of settling, the dealer's last."""
    counterclockwise = setup.rules.deal.settle == "counterclockwise"
    boxes = sorted((box for box in lying if box), reverse=counterclockwise)
    return CardsCollected((*boxes, *([0] if 0 in lying else [])))


def shoe_over(state: Table) -> Event | None:
    """The end of the shoe once its last round is over."""
    shoe = state.shoe
    if shoe is None or not shoe.cards or state.in_round:
        return None
    if state.reshuffle is not None:
        return ended(shoe, f"reshuffle ordered: {state.reshuffle}")
    if state.cover_box is not None:
        return ended(shoe, "cover card")
    if state.method in shoes.ONE_ROUND and state.shoe_rounds:
        return ended(shoe, "one round")
    return None
