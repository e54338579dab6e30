"""One round: what it awaits, what a command does, and what follows automatically."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from wartable.cards import is_card
from wartable.game import bank, settlement
from wartable.game.betting import bet, decline, withdraw
from wartable.game.folding import Course
from wartable.game.messages import (
    Bet,
    BetsClosed,
    BoxVoided,
    Burn,
    Burned,
    Choice,
    Choose,
    Chosen,
    CloseBets,
    Closed,
    Deal,
    DealName,
    Dealt,
    Decider,
    Decline,
    GameCommand,
    GameEvent,
    Illegal,
    Leave,
    Left,
    MeterName,
    MeterRead,
    Open,
    Opened,
    Placed,
    Player,
    ReadMeter,
    RoundVoided,
    Settled,
    Spin,
    Spun,
    Timeout,
    VoidBox,
    VoidRound,
    Withdraw,
    Withdrawn,
)
from wartable.game.state import Hand, Round
from wartable.game.wagers.war_tie import war_tie_amounts
from wartable.game.wagers.wheel import check_stop, spinning_boxes
from wartable.game.wellformed import check
from wartable.rules.model import RuleBook


class DueOpen(Struct, frozen=True, gc=False, tag="due_open"):
    """The opening of the round."""


class DueBets(Struct, frozen=True, gc=False, tag="due_bets"):
    """Bets, until they are closed."""


class DueCard(Struct, frozen=True, gc=False, tag="due_card"):
    """A card for a box, or for the dealer, who is box 0."""

    deal: DealName
    box: int


class DueBurn(Struct, frozen=True, gc=False, tag="due_burn"):
    """A card to be burned."""


class DueChoice(Struct, frozen=True, gc=False, tag="due_choice"):
    """A tied hand's choice between war and surrender."""

    player: Player
    box: int


class DueWheel(Struct, frozen=True, gc=False, tag="due_wheel"):
    """The stop of the wheel, with the boxes that may be the hot spot."""

    boxes: tuple[int, ...]


class DueMeter(Struct, frozen=True, gc=False, tag="due_meter"):
    """A meter's reading for the winner whose turn it is."""

    meter: MeterName


RoundDue = DueOpen | DueBets | DueCard | DueBurn | DueChoice | DueWheel | DueMeter


class _LastLook:
    """The last answer of `awaits`, kept because a command asks again what its caller just asked."""

    __slots__ = ("look",)

    def __init__(self) -> None:
        self.look: tuple[RuleBook | None, Round | None, tuple[RoundDue, ...]] = (None, None, ())


_LAST = _LastLook()


def awaits(rules: RuleBook, state: Round) -> tuple[RoundDue, ...]:
    """What the round awaits and from whom; nothing once it is closed."""
    last_rules, last_state, due = _LAST.look
    if state is not last_state or rules is not last_rules:  # both are immutable
        due = _awaits(rules, state)
        _LAST.look = (rules, state, due)
    return due


def _awaits(rules: RuleBook, state: Round) -> tuple[RoundDue, ...]:
    if state.closed:
        return ()
    if not state.opened:
        return (DueOpen(),)
    if not state.bets_closed:
        return (DueBets(),)
    if (card := _original_due(rules, state)) is not None:
        return (card,)
    if boxes := spinning_boxes(rules, state):
        return (DueWheel(boxes),)
    if (meter := settlement.meter_due(rules, state)) is not None:
        return (DueMeter(meter),)
    if choices := tuple(DueChoice(h.player, h.box) for h in _choosers(rules, state)):
        return choices
    war = _war_due(rules, state)
    return () if war is None else (war,)


def decide(rules: RuleBook, state: Round, command: GameCommand) -> tuple[GameEvent, ...]:
    """The events that the command causes, or `Illegal`, which changes nothing."""
    return step(rules, state, command)[1]


def step(
    rules: RuleBook, state: Round, command: GameCommand
) -> tuple[Round, tuple[GameEvent, ...]]:
    """The state after the command, with its events."""
    if type(rules) is not RuleBook:
        raise TypeError(
            f"A round is played by a RuleBook, such as book.rules, not by {rules!r:.40}"
        )
    if type(command) not in _DECIDE:
        raise TypeError(f"A round takes a command, such as CloseBets(), not {command!r:.40}")
    check(command)
    course = Course(state)
    carry_out(rules, course, command)
    return course.state, tuple(course.events)


def carry_out(rules: RuleBook, course: Course, command: GameCommand) -> None:
    """Add the events of a well-formed command to the course, and what follows automatically."""
    state = course.state
    if state.closed:
        raise Illegal("round_closed", "The round is closed; open a new one.")
    if not state.opened and type(command) is not Open:
        raise Illegal("not_open", "The round is not open yet; open it first.")
    for event in _DECIDE[type(command)](rules, state, command):
        course.add(event)
    state = course.state
    if not state.bets_closed or state.closed:
        return
    last = course.events[-1]
    if type(last) is Burned or (type(last) is Dealt and last.box):
        return  # only a card can follow a burn or a box's card, since the dealer's is last
    _go_on(rules, course)


def _go_on(rules: RuleBook, course: Course) -> None:
    """Everything that follows automatically, step by step."""
    dealt, last = 0 in course.state.cards, course.events[-1]
    if type(last) is Dealt and last.deal == "original":
        settlement.settle(rules, course, "original")
    if course.state.settled:
        course.add(Closed())
    elif dealt:
        wheel_done = settlement.settle(rules, course, "wheel")
        if not _choosers_present(rules, course) and wheel_done:
            _after_choices(rules, course)


def _choosers_present(rules: RuleBook, course: Course) -> list[Hand]:
    """The choices due, after the platform has chosen for players who left, if the book says so."""
    while choosers := _choosers(rules, course.state):
        absent = next((hand for hand in choosers if hand.absent), None)
        if absent is None or rules.options.abandoned == "hold":
            break
        for event in _chosen(rules, course.state, absent, _absent_choice(rules), "platform"):
            course.add(event)
    return choosers


def _absent_choice(rules: RuleBook) -> Choice:
    """The choice for a player who left: war would need new money."""
    play_on = rules.options.abandoned == "play_on" and rules.options.timeout == "war"
    return "war" if play_on else "surrender"


def _after_choices(rules: RuleBook, course: Course) -> None:
    """What follows after all tied hands have chosen: surrenders, matches, the war."""
    settlement.settle(rules, course, "surrender")
    while (match := _next_match(rules, course.state)) is not None:
        course.add(match)
        settlement.settle(rules, course, "surrender")  # a progressive is settled as without a war
    if _war_due(rules, course.state) is None:
        settlement.settle(rules, course, "war")
    if course.state.settled:
        course.add(Closed())


def _next_match(rules: RuleBook, state: Round) -> GameEvent | None:
    for hand in state.hands:
        if (match := bank.next_match(rules, state, hand)) is not None:
            return match
    return None


def _original_due(rules: RuleBook, state: Round) -> DueCard | None:
    """The next card of the original deal: the boxes in order, then the dealer."""
    cards = state.cards
    if 0 in cards or state.void is not None:
        return None
    boxes = [hand.box for hand in state.hands if hand.box not in cards and not hand.settled]
    if not boxes and state.settled:
        return None
    if community := rules.community:
        dealt = {*cards, *state.void_boxes}
        boxes = [box for box in range(1, community + 1) if box not in dealt]
    return DueCard("original", _next_box(rules, boxes))


def _war_due(rules: RuleBook, state: Round) -> DueBurn | DueCard | None:
    """The next burn or card of the war deal: the boxes in order, then the dealer."""
    if 0 in state.war_cards:
        return None
    boxes = [hand.box for hand in state.hands if hand.open("war")]
    if not boxes:
        return None
    box = _next_box(rules, [box for box in boxes if box not in state.war_cards])
    burns = rules.deal.war_burn
    if rules.options.war_burn == "each_card":
        burns *= len(state.war_cards) + 1
    elif rules.options.war_burn == "before_dealer" and box == 0:
        burns *= 2
    return DueBurn() if len(state.burned) < burns else DueCard("war", box)


def _next_box(rules: RuleBook, boxes: list[int]) -> int:
    """The next of the ascending boxes to be dealt to; after the last, the dealer, who is 0."""
    if not boxes:
        return 0
    return boxes[-1] if rules.deal.order == "counterclockwise" else boxes[0]


def _choosers(rules: RuleBook, state: Round) -> list[Hand]:
    """The tied hands that must still choose; if the seated player decides, one per box.

    The original deal has settled every other primary wager.
    """
    hands = [hand for hand in state.hands if hand.choice is None and hand.open("primary")]
    if rules.options.box_choice == "seated_player":
        hands = [hand for hand in hands if hand.absent or hand is _first(hands, hand.box)]
    return hands


def _first(hands: list[Hand], box: int) -> Hand | None:
    """The box's first hand whose player is present to decide."""
    return next((hand for hand in hands if hand.box == box and not hand.absent), None)


def _open(rules: RuleBook, state: Round, command: Open) -> Iterable[GameEvent]:
    if state.opened:
        raise Illegal("already_open", "The round is already open.")
    if rules.banker == "player" and command.banker is None:
        raise Illegal("no_banker", "A round needs a player/dealer to bank it.")
    banks = (command.banker, command.bank, command.bank_stack)
    if rules.banker == "house" and banks != (None, None, None):
        raise Illegal("house_banks", "The house banks this game; no player may.")
    return (Opened(command.seats, *banks),)


def _close_bets(rules: RuleBook, state: Round, command: CloseBets) -> Iterable[GameEvent]:
    if state.bets_closed:
        raise Illegal("bets_closed", "No more bets has already been called.")
    if not state.hands:
        raise Illegal("no_wagers", "Nobody has made a wager; there is nothing to deal.")
    return (BetsClosed(), *bank.cover(rules, state))


def _deal(rules: RuleBook, state: Round, command: Deal) -> Iterable[GameEvent]:
    due = awaits(rules, state)[0]
    if not isinstance(due, DueCard):
        raise Illegal("no_card_due", "No card is due now.")
    if not is_card(command.card) and _backed(state, due.box):
        raise Illegal("unknown_card", "A card that decides a wager must be known, such as 9s.")
    return (Dealt(due.deal, due.box, command.card),)


def _backed(state: Round, box: int) -> bool:
    """Whether a wager depends on the card of this box or of the dealer, who is 0."""
    return box == 0 or any(hand.box == box for hand in state.hands)


def _burn(rules: RuleBook, state: Round, command: Burn) -> Iterable[GameEvent]:
    if not isinstance(awaits(rules, state)[0], DueBurn):
        raise Illegal("no_burn_due", "No burn is due now.")
    return (Burned(command.card),)


def _choose(rules: RuleBook, state: Round, command: Choose) -> Iterator[GameEvent]:
    hand = _chooser(rules, state, command.player, command.box)
    if command.war_tie:
        if command.choice == "surrender":
            raise Illegal("no_war", "A war-deal tie wager needs a war wager; surrender has none.")
        war_tie_amounts(rules, hand).check("war-deal tie", command.war_tie)
    yield from _chosen(rules, state, hand, command.choice, "player")
    if command.war_tie:
        yield Placed(hand.player, hand.box, "war_tie", command.war_tie)


def _timeout(rules: RuleBook, state: Round, command: Timeout) -> Iterator[GameEvent]:
    hand = _chooser(rules, state, command.player, command.box)
    if rules.options.timeout == "hold":
        raise Illegal("held", "This book holds the round open until the player chooses.")
    for event in _chosen(rules, state, hand, rules.options.timeout, "platform"):
        yield replace(event, called_by=command.by) if type(event) is Chosen else event


def _chooser(rules: RuleBook, state: Round, player: Player, box: int) -> Hand:
    """The hand whose choice is due, or `Illegal`."""
    due = awaits(rules, state)
    hand = state.hand(player, box)
    if hand is None or DueChoice(player, box) not in due:
        raise Illegal("no_choice_due", f"No choice of {player} is due on box {box}.")
    return hand


def _chosen(
    rules: RuleBook, state: Round, chooser: Hand, choice: Choice, by: Decider
) -> Iterator[GameEvent]:
    """The choice and its war wager, for everyone on the box if the seated player decides."""
    hands = [chooser]
    if rules.options.box_choice == "seated_player" and not chooser.absent:
        others = [hand for hand in state.hands if hand.box == chooser.box and hand is not chooser]
        hands += [hand for hand in others if not hand.absent]
    for hand in hands:
        primary = hand.open("primary")
        if primary is None:
            continue
        yield Chosen(hand.player, hand.box, choice, by if hand is chooser else "seated")
        if choice == "war":
            yield Placed(hand.player, hand.box, "war", primary.at_risk)


def _spin(rules: RuleBook, state: Round, command: Spin) -> Iterator[GameEvent]:
    due = awaits(rules, state)[0]
    check_stop(rules, due.boxes if isinstance(due, DueWheel) else (), command)
    yield Spun(command.hot_spot_box, command.hot_spot, command.community)


def _read_meter(rules: RuleBook, state: Round, command: ReadMeter) -> Iterator[GameEvent]:
    due = awaits(rules, state)[0]
    if due != DueMeter(command.meter):
        raise Illegal("no_meter_due", f"No reading of the {command.meter} meter is due now.")
    yield MeterRead(command.meter, command.amount)


def _leave(rules: RuleBook, state: Round, command: Leave) -> Iterator[GameEvent]:
    hands = [hand for hand in state.hands if hand.player == command.player]
    if not hands:
        raise Illegal("not_playing", f"{command.player} has no wager in this round.")
    if any(hand.absent for hand in hands):
        raise Illegal("left", f"{command.player} has already left.")
    if not state.bets_closed:
        for hand in hands:
            for wager in hand.wagers:
                yield Withdrawn(hand.player, hand.box, wager.kind, wager.staked)
        yield Left(command.player)
        return
    lost = {hand.box: settlement.abandoned(rules, state, hand) for hand in hands}
    for hand in hands:
        for wager in lost[hand.box]:
            yield Settled(hand.player, hand.box, wager.kind, "abandoned", 0)
    yield Left(command.player)
    for hand in hands:
        if lost[hand.box] and all(w.outcome or w in lost[hand.box] for w in hand.wagers):
            yield from settlement.envy(rules, state, hand)


def _void_box(rules: RuleBook, state: Round, command: VoidBox) -> Iterator[GameEvent]:
    if 0 in state.cards:
        raise Illegal("deal_completed", "The original deal is done; a war deal must be completed.")
    hands = [hand for hand in state.hands if hand.box == command.box]
    if not state.bets_closed or not hands:
        raise Illegal("no_such_box", f"Box {command.box} awaits no card.")
    if command.box in state.cards or all(wager.outcome for h in hands for wager in h.wagers):
        raise Illegal("box_done", f"Box {command.box} has its card or no wager in play.")
    yield BoxVoided(command.box, command.by)


def _void_round(rules: RuleBook, state: Round, command: VoidRound) -> Iterator[GameEvent]:
    yield RoundVoided(command.reason, command.by)
    if not state.bets_closed:
        yield Closed()


_DECIDE: dict[type[Any], Callable[[RuleBook, Round, Any], Iterable[GameEvent]]] = {
    Open: _open,
    Bet: bet,
    Withdraw: withdraw,
    Decline: decline,
    CloseBets: _close_bets,
    Deal: _deal,
    Burn: _burn,
    Choose: _choose,
    Timeout: _timeout,
    Spin: _spin,
    ReadMeter: _read_meter,
    Leave: _leave,
    VoidBox: _void_box,
    VoidRound: _void_round,
}
