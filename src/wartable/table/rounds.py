"""A round at the table: bets with money behind them, cards from the shoe, awards."""

from msgspec.structs import replace

from wartable import game
from wartable import shoe as shoes
from wartable.cards import HIDDEN
from wartable.game import DueBurn, DueCard, DueChoice, DueMeter, DueWheel, Illegal
from wartable.game.messages import MeterName
from wartable.game.wagers.wheel import NO_HOT_SPOT, wheel_of
from wartable.rules.model import RuleBook
from wartable.shoe import Shoe, ShoeError
from wartable.table import draws
from wartable.table.commands import Approve, DecideCards, Proceed, StartRound
from wartable.table.course import Plays, TableCourse
from wartable.table.events import (
    AwardApproved,
    AwardPending,
    CardBurned,
    CardsCollected,
    CoverCardOut,
    DecksRemoved,
    Departed,
    Event,
    HouseChose,
    MeterReset,
    RoundStarted,
)
from wartable.table.meters import counted, shares_back, side_bets
from wartable.table.people import (
    bank_needed,
    check_funds,
    check_place,
    guest_of,
    involved,
    lack,
    open_round,
    rules_for,
    too_few,
    with_bank_stack,
)
from wartable.table.procedure import check_age, check_device, end_shoes, ended
from wartable.table.state import PLATFORM, Setup, Table, meters_of


class TableRound(game.Course):
    """The open round of a table; each of its events is the table's too, with its effects there."""

    __slots__ = ("_course", "_setup")

    def __init__(self, setup: Setup, course: TableCourse) -> None:
        super().__init__(open_round(course.state))
        self._setup, self._course = setup, course

    def add(self, event: game.GameEvent) -> None:
        """Add the event and apply it to the round and to the table."""
        setup, course, before = self._setup, self._course, self._course.state
        if type(event) is game.Closed:  # a round is over only when its last card is in the rack
            course.add_all(_last_cards(setup, before))
        self.events.append(event)
        course.add(event)
        if type(event) is game.MeterRead:
            course.add(MeterReset(event.meter, meters_of(setup.rules)[event.meter].reset))
        elif type(event) is game.BoxVoided:
            course.add_all(shares_back(setup, before, event.box))
        assert course.state.round is not None
        self.state = with_bank_stack(course.state, course.state.round)


def play(
    setup: Setup, course: TableCourse, command: game.GameCommand, rules: RuleBook | None = None
) -> list[game.GameEvent]:
    """The events of a command that the open round carries out, by the table's rules."""
    round_ = TableRound(setup, course)
    game.carry_out(rules or setup.rules, round_, command)
    return round_.events


def play_for_absent(setup: Setup, course: TableCourse, command: game.GameCommand) -> None:
    """Play a command that may choose for absent players; one who cannot pay for war surrenders."""
    before, count = course.state, len(course.steps)
    events = play(setup, course, command)
    try:
        check_funds(before, events)
    except Illegal:
        course.drop(before, len(course.steps) - count)
        options = replace(setup.rules.options, timeout="surrender")
        play(setup, course, command, replace(setup.rules, options=options))


def start_round(setup: Setup, course: TableCourse, command: StartRound) -> None:
    """Betting opens if cards, people and bank are ready."""
    state = course.state
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
    course.add(RoundStarted(state.rounds + 1, command.at_ms))
    for _ in range(setup.rules.shoe.burn_new_dealer if state.dealer_burn_due else 0):
        course.add_all(cover_card(course.state, 0))
        course.add(CardBurned("new_dealer", _unseen_card(course.state)))
    play(setup, course, _opening(setup, state))


def _opening(setup: Setup, state: Table) -> game.Open:
    seats = {} if setup.rules.community else state.seats
    banker = state.bank.taken
    if banker is None:
        return game.Open(seats)
    posted = state.bank.posted
    return game.Open(seats, banker, posted, state.guests[banker].stack - posted)


def _check_decks(setup: Setup, state: Table, at_ms: int) -> None:
    """Refuse a round with cards that have been in use too long."""
    if state.decks is not None:
        check_age(setup, state.decks.at_ms, at_ms)


def over_age(setup: Setup, state: Table, at_ms: int) -> bool:
    """Whether the cards at the table have been in use too long."""
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


def bet(setup: Setup, course: TableCourse, command: game.Bet) -> None:
    """A player who may bet there and can pay makes a bet."""
    state = course.state
    open_round(state)
    check_place(setup, state, command.player, command.box)
    check_funds(state, play(setup, course, command, rules_for(setup, state, command.player)))


def choose(setup: Setup, course: TableCourse, command: game.Choose) -> None:
    """A tied hand's choice; war needs money for it, and a tie wager on it is within the limits."""
    state = course.state
    guest_of(state, command.player)
    check_funds(state, play(setup, course, command, rules_for(setup, state, command.player)))
    if command.number:
        course.add_all(draws.given_with(setup, course.state, command.player, command.number))


def timeout(setup: Setup, course: TableCourse, command: game.Timeout) -> None:
    """The book's default for an absent player, or surrender if the stack cannot pay for war."""
    play_for_absent(setup, course, command)


def in_round(
    setup: Setup, course: TableCourse, command: game.Withdraw | game.Decline | game.VoidRound
) -> None:
    """A command that only the round decides."""
    play(setup, course, command)


def leave(setup: Setup, course: TableCourse, command: game.Leave) -> None:
    """A player leaves; the book decides their wagers, and the stack waits for the round's end.

    If nobody has wagered against a player/dealer who leaves, the round ends.
    """
    state = course.state
    guest, round_ = guest_of(state, command.player), state.round
    if not involved(state, command.player) or round_ is None:
        course.add(Departed(guest.player, guest.stack))
    elif any(hand.player == command.player for hand in round_.hands):
        play_for_absent(setup, course, command)
    elif round_.hands:
        raise Illegal("banking", "The player/dealer must stay until the round is over.")
    else:
        course.add(game.Left(guest.player))
        play(setup, course, game.VoidRound("the player/dealer left before any wager"))


def close_bets(setup: Setup, course: TableCourse, command: game.CloseBets) -> None:
    """No more bets, or a void round if too few are seated; the platform counts without staff."""
    state = course.state
    if not open_round(state).bets_closed and too_few(setup, state):
        play(setup, course, game.VoidRound(lack(setup)))
        return
    play(setup, course, command)
    if not setup.staffed or not any(side_bets(state).values()):
        course.add_all(counted(setup, state, PLATFORM))
    if command.number:
        course.add_all(draws.given_with(setup, course.state, None, command.number))


def proceed(setup: Setup, course: TableCourse, command: Proceed) -> None:
    """Supply what the round awaits from chance, until people must act or the steps are done."""
    _deal_on(setup, course, command.at_ms, command.steps)


def decide_cards(setup: Setup, course: TableCourse, command: DecideCards) -> None:
    """The next link decides the cards, which are dealt at once if the command says so."""
    try:
        course.add(draws.decide_cards(setup, course.state, command))
    except ShoeError as error:  # the shoe itself checks that the link is its next one
        raise Illegal("wrong_link", "This is not the next link of the table's chain.") from error
    if command.deal:
        _deal_on(setup, course, command.at_ms)


def _deal_on(setup: Setup, course: TableCourse, at_ms: int, steps: int = 0) -> None:
    """Deal this many steps, or until people must act; cards too old are removed instead."""
    state = course.state
    round_ = open_round(state)
    first = round_.bets_closed and state.counted and not round_.cards
    if first and over_age(setup, state, at_ms):
        _remove_decks(setup, course)
        return
    taken = 0
    while (not steps or taken < steps) and _draw(setup, course):
        taken += 1
    if not taken and draws.chance_due(setup, state):
        raise Illegal("undecided", "The cards must be decided by the next link first.")
    if not taken:
        raise Illegal("nothing_due", "The round needs nothing from the shoe now.")


def _remove_decks(setup: Setup, course: TableCourse) -> None:
    """End a round before its first card, and remove its cards, which have been in use too long."""
    reason, state = f"the cards are {setup.rules.shoe.deck_hours_max} hours old", course.state
    play(setup, course, game.VoidRound(reason))
    course.add_all(end_shoes(state, reason, PLATFORM))
    course.add(DecksRemoved(reason))


def _draw(setup: Setup, course: TableCourse) -> bool:
    """Supply what the round next awaits from chance or a meter; False if it awaits neither."""
    state = course.state
    round_ = state.round
    if round_ is None or round_.closed or not round_.bets_closed:
        return False
    if not state.counted:
        raise Illegal("count_due", "The side bets must be counted before any card is dealt.")
    if draws.chance_due(setup, state):
        return False
    match game.awaits(setup.rules, round_)[0]:
        case DueCard(box=box):
            course.add_all(cover_card(state, box))
            play_for_absent(setup, course, game.Deal(card_on_top(state)))
        case DueBurn():
            course.add_all(cover_card(state, 0))
            play_for_absent(setup, course, game.Burn(card_on_top(state)))
        case DueWheel(boxes=boxes):
            _spin(setup, course, boxes)
        case DueMeter(meter=meter) if state.award is None:
            _award(setup, course, meter)
        case _:
            return False
    return True


def cover_card(state: Table, box: int) -> tuple[CoverCardOut, ...]:
    """The cover card, if it comes before the card for this box or for the dealer."""
    out = shoes.cover_card_next(loaded(state)) and state.cover_box is None
    return (CoverCardOut(box),) if out else ()


def _spin(setup: Setup, course: TableCourse, boxes: tuple[int, ...]) -> None:
    """The wheel's stop and the hot spot, derived from the committed seeds."""
    spin = wheel_of(setup.rules)
    assert spin is not None
    hot_spot = _house_chooses(course, "wheel", *_weights(spin.wheel.hot_spot))
    symbol = hot_spot.options[hot_spot.result]
    box = None
    if symbol != NO_HOT_SPOT:
        where = _house_chooses(course, "hot-spot", tuple(str(each) for each in boxes), ())
        box = boxes[where.result]
    community = _house_chooses(course, "community", *_weights(spin.wheel.community))
    stop = game.Spin(box, symbol if box is not None else None, community.options[community.result])
    play_for_absent(setup, course, stop)


def _weights(weights: dict[str, int]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    return tuple(weights), tuple(weights.values())


def _house_chooses(
    course: TableCourse, label: str, options: tuple[str, ...], weights: tuple[int, ...]
) -> HouseChose:
    state = course.state
    choice, _ = shoes.choose(loaded(state), label, options, weights, round_number=state.rounds)
    chose = HouseChose(label, options, weights, choice.result)
    course.add(chose)
    return chose


def _award(setup: Setup, course: TableCourse, meter: MeterName) -> None:
    """A meter's award: pending until a floorperson approves it, at once without staff."""
    course.add(AwardPending(meter))
    if not setup.staffed:
        course.add(AwardApproved(meter, PLATFORM))
        _read_meter(setup, course, meter)


def approve(setup: Setup, course: TableCourse, command: Approve) -> None:
    """A floorperson approves an award; the meter is read and paid."""
    state = course.state
    if state.award is None:
        raise Illegal("no_award", "No meter's award is waiting.")
    if command.by in (PLATFORM, state.dealer):
        raise Illegal("not_floor", f"A floorperson must approve an award, not {command.by}.")
    course.add(AwardApproved(state.award, command.by))
    _read_meter(setup, course, state.award)


def _read_meter(setup: Setup, course: TableCourse, meter: MeterName) -> None:
    """The winner gets everything that the meter shows; the house seeds it again when it is read."""
    shown = course.state.meters[meter].shown
    play_for_absent(setup, course, game.ReadMeter(meter, shown))


def card_on_top(state: Table) -> str:
    """The next card of the shoe, or `Illegal` if there is none or no link has decided it."""
    shoe = loaded(state)
    if len(shoe.drawn) == len(shoe.cards):
        raise Illegal("shoe_empty", "The shoe is empty; the round must be voided.")
    if draws.unknown(state):
        raise Illegal("undecided", "The next card is not decided yet, so nobody can have seen it.")
    return shoes.top(shoe)


def _unseen_card(state: Table) -> str:
    """The next card, which is burned between rounds; the next link may decide it."""
    card_left = len(loaded(state).drawn) < len(loaded(state).cards)
    return HIDDEN if card_left and draws.decides_on_deal(state) else card_on_top(state)


def collection(setup: Setup, state: Table) -> Event | None:
    """The cards that go to the discard rack before a war deal: those of settled boxes."""
    round_ = state.round
    if round_ is None or round_.closed or not round_.cards:
        return None
    at_war = {hand.box for hand in round_.hands if hand.choice == "war"}
    if not at_war or state.shoe is None or not (lying := _lying(state.shoe) - at_war - {0}):
        return None
    if any(isinstance(due, DueChoice) for due in game.awaits(setup.rules, round_)):
        return None
    return _collected(setup, lying)


def _last_cards(setup: Setup, state: Table) -> tuple[CardsCollected, ...]:
    """The cards that go to the discard rack at the end of the round: all that lie on the felt."""
    shoe, round_ = state.shoe, state.round
    if shoe is None or round_ is None:
        return ()
    dealt = len(round_.cards) + len(round_.war_cards)
    # Usually every card of the round lies there still, so that the rack need not be searched.
    lying = {*round_.cards, *round_.war_cards} if shoes.on_felt(shoe) == dealt else _lying(shoe)
    return (_collected(setup, lying),) if lying else ()


def _lying(shoe: Shoe) -> set[int]:
    """The boxes with cards on the felt, and the dealer, who is 0."""
    return {dealt.box for dealt in shoes.felt(shoe) if dealt.box is not None}


def _collected(setup: Setup, lying: set[int]) -> CardsCollected:
    """The cards of these boxes, in the order of settling, the dealer's last."""
    counterclockwise = setup.rules.deal.settle == "counterclockwise"
    boxes = sorted(lying - {0}, reverse=counterclockwise)
    return CardsCollected((*boxes, 0) if 0 in lying else tuple(boxes))


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


PLAYS: Plays = {
    StartRound: start_round,
    game.Bet: bet,
    game.Withdraw: in_round,
    game.Decline: in_round,
    game.VoidRound: in_round,
    game.CloseBets: close_bets,
    game.Choose: choose,
    game.Timeout: timeout,
    game.Leave: leave,
    DecideCards: decide_cards,
    Proceed: proceed,
    Approve: approve,
}
