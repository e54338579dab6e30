"""How a table handles its cards: opening, shuffle, cut, load, reshuffle, idle spread."""

from collections.abc import Iterator

from wartable import shoe as shoes
from wartable.cards import DECK
from wartable.game import Illegal
from wartable.rules.model import Shuffle
from wartable.shoe import Shoe, ShoeError, Terms
from wartable.table import draws
from wartable.table.commands import (
    ChangeDealer,
    Cut,
    GoIdle,
    LoadShoe,
    OrderRecut,
    OrderReshuffle,
    Preparation,
    Prepare,
    ReceiveDecks,
    RefuseCut,
    ShuffleCards,
    TurnUp,
)
from wartable.table.course import Decides, Plays, TableCourse
from wartable.table.draws import cut_due
from wartable.table.events import (
    CardBurned,
    CutMade,
    CutOffered,
    CutRefused,
    DealerChanged,
    DecksReceived,
    Event,
    Prepared,
    RecutOrdered,
    ReshuffleOrdered,
    ShoeEnded,
    ShoeLoaded,
    ShoeStarted,
    SpreadTurnedUp,
    TableIdle,
)
from wartable.table.people import guest_of
from wartable.table.state import PLATFORM, Decks, Setup, Table, cover_place

HOUR_MS = 3_600_000

DEVICE_METHODS: tuple[Shuffle, ...] = ("batches", "continuous", "every_round")
"""The methods that use a shuffling device."""


def device_out(state: Table) -> bool:
    """Whether the method in use needs a device that is out of order."""
    return state.device_failed is not None and state.method in DEVICE_METHODS


def check_device(state: Table) -> None:
    """Refuse what needs the device while it is out of order."""
    if device_out(state):
        raise Illegal("device_failed", "The device is out of order; repair or mark it first.")


def needs_decks(setup: Setup) -> bool:
    """Whether this table must receive its cards and track their age."""
    return setup.rules.opening.inspected_by > 0 or setup.rules.shoe.deck_hours_max is not None


def batches_in_use(setup: Setup, state: Table) -> tuple[str, ...]:
    """The batches at the table; a single one has no name."""
    return setup.batches if state.method == "batches" else ("",)


def exempt(setup: Setup, decks: Decks, batch: str) -> bool:
    """Whether a batch came prepared, so that one of the book's short list of steps is enough."""
    either = setup.rules.opening.exempt == "either"
    prepared = decks.condition in ("inspected_and_shuffled", "preshuffled")
    return batch not in decks.spread and (prepared or (decks.condition == "shuffled" and either))


def required_steps(setup: Setup, state: Table, decks: Decks, batch: str) -> tuple[Preparation, ...]:
    """The steps that a batch needs, one after the other, before its first shuffle."""
    opening = setup.rules.opening
    steps: tuple[Preparation, ...] = opening.steps
    by_device = state.method in DEVICE_METHODS
    spread = opening.spread_for_shuffler if by_device else opening.spread
    if batch in decks.spread:
        return ("view", *steps)
    unturned: tuple[Preparation, ...] = tuple(step for step in steps if step != "turn")
    inspected = decks.condition == "inspected"
    if decks.condition == "preinspected" or (inspected and opening.exempt == "either"):
        return unturned
    inspectors = 0 if inspected else opening.inspected_by
    inspection: tuple[Preparation, ...] = ("inspect", "verify")[:inspectors]  # type: ignore[assignment]  # a slice of literals
    return (*inspection, "spread", "view", *steps) if spread else (*inspection, *unturned)


def next_steps(setup: Setup, state: Table, batch: str) -> tuple[Preparation, ...]:
    """The steps of which a batch needs one now; none if it may be shuffled."""
    decks = state.decks
    if decks is None or batch in decks.ready:
        return ()
    done = decks.done.get(batch, ())
    if exempt(setup, decks, batch):
        return () if done else setup.rules.opening.preshuffled_steps
    return required_steps(setup, state, decks, batch)[len(done) : len(done) + 1]


def _further_steps(setup: Setup, state: Table, batch: str) -> tuple[Preparation, ...]:
    """The steps that a batch may have beyond those that it needs."""
    decks = state.decks
    if decks is None or batch in decks.ready or not exempt(setup, decks, batch):
        return ()
    done = decks.done.get(batch, ())
    return tuple(step for step in setup.rules.opening.preshuffled_steps if step not in done)


def receive_decks(setup: Setup, state: Table, command: ReceiveDecks) -> Iterator[Event]:
    """New cards come to the table, which ends the shoe in use."""
    need_no_round(state)
    if command.opened_ms is not None:
        check_age(setup, command.opened_ms, command.at_ms)
    yield from end_shoes(state, "new cards", command.by)
    yield DecksReceived(
        command.by, command.at_ms, command.condition, command.sets, command.opened_ms
    )


def check_age(setup: Setup, since_ms: int, at_ms: int) -> None:
    """Refuse cards that have been in use for too long."""
    hours = setup.rules.shoe.deck_hours_max
    if hours is not None and at_ms - since_ms >= hours * HOUR_MS:
        raise Illegal("deck_age", f"The cards are {hours} hours old; bring new ones.")


def prepare(setup: Setup, state: Table, command: Prepare) -> Iterator[Event]:
    """The next step of the preparation, by a person who may do it."""
    need_no_round(state)
    if state.decks is None:
        raise Illegal("no_decks", "No cards have been brought to the table.")
    if command.batch not in batches_in_use(setup, state):
        names = ", ".join(batches_in_use(setup, state)) or "one without a name"
        raise Illegal("no_such_batch", f"The batches at this table are: {names}.")
    due = next_steps(setup, state, command.batch)
    if command.step not in (*due, *_further_steps(setup, state, command.batch)):
        wanted = " or ".join(due) or "nothing more"
        raise Illegal("wrong_step", f"These cards need {wanted} now, not {command.step}.")
    if command.step == "verify" and command.by == state.decks.inspectors.get(command.batch):
        raise Illegal("same_person", "Someone other than the inspector must verify the cards.")
    if command.step == "view":
        _check_viewer(state, command.by)
    yield Prepared(command.by, command.step, command.batch)


def _check_viewer(state: Table, by: str) -> None:
    """Only the first player to arrive may view the cards, or the platform after a wait."""
    if not state.guests:
        raise Illegal(
            "no_player", "The first player to arrive must view the cards; nobody is here yet."
        )
    first = min(state.guests.values(), key=lambda guest: guest.arrival).player
    if by not in (first, PLATFORM):
        raise Illegal("not_first", f"Only {first}, who arrived first, may view the cards.")


def shuffle(setup: Setup, state: Table, command: ShuffleCards) -> Iterator[Event]:
    """The next shoe, committed; with two batches even while the other is in play."""
    if state.shoe is not None:
        in_device = state.stored is not None or not state.shoe.cards
        if state.method != "batches" or in_device:
            raise Illegal("shoe_in_use", "The cards are in use and cannot be shuffled now.")
    check_device(state)
    batch = next_batch(setup, state)
    if needs_decks(setup) and state.decks is None:
        raise Illegal("no_decks", "No cards have been brought to the table.")
    if due := next_steps(setup, state, batch):
        sentence = f"The cards must be prepared first: {' or '.join(due)} is next."
        raise Illegal("not_prepared", sentence)
    if command.by and awaits_player(setup, state):
        raise Illegal("no_player", "Wait for a player, who takes part in the shuffle.")
    if command.seed and command.seed in {
        each.seed for each in (state.shoe, state.finished) if each is not None
    }:
        raise Illegal("seed_used", "Every shuffle needs a new seed.")
    terms = Terms(setup.name, state.shoes + 1, state.method, setup.decks, batch)
    if (chain := state.chains.get(batch)) is not None:
        yield draws.start_shoe(setup, chain, terms)
        return
    if state.chains:
        raise Illegal("no_chain", "The house must commit to the links of these cards first.")
    seals = tuple(seal for seal in state.seals if seal.player in state.guests)
    try:
        shoe = shoes.start(terms, bytes.fromhex(command.seed), seals)
    except ShoeError as error:
        raise _illegal(error) from None
    yield ShoeStarted(terms, shoe.commitment, seals, command.seed)


def awaits_player(setup: Setup, state: Table) -> bool:
    """Whether the shuffle waits for the first player: for a cut, or for a number of theirs."""
    if state.shoe is not None or state.guests:
        return False
    chain = state.chains.get(next_batch(setup, state))
    rules = setup.rules.shoe
    cuts = rules.first_player_cuts and state.method in rules.cut_methods
    return cuts or (chain is not None and not chain.owner)


def unshuffled_batch(setup: Setup, state: Table) -> str | None:
    """The batch that the device should shuffle and store while the other is in play."""
    if state.stored is not None or state.method != "batches" or device_out(state):
        return None
    return next_batch(setup, state)


def next_batch(setup: Setup, state: Table) -> str:
    """The batch of the next shoe, never the same as the last one."""
    if state.method != "batches":
        return ""
    last = state.shoe.terms.batch if state.shoe is not None else state.last_batch
    return shoes.other_batch(setup.batches, last) if last else setup.batches[0]


def cutters(setup: Setup, state: Table) -> tuple[str, ...]:
    """The players to offer the cut to, in order; the dealer cuts if all refuse."""
    seats = state.seats
    if not seats:
        return ()
    owner = state.guests.get(state.cover_player or "")
    if state.reshuffled_by_floor or state.cover_box == 0:
        first = max(seats)
    elif owner is not None and owner.seat is not None:
        first = owner.seat
    elif state.cover_box is not None:
        first = state.cover_box
    else:
        first = min(seats, key=lambda seat: state.guests[seats[seat]].arrival)
    around = sorted(seats, key=lambda seat: (seat > first, -seat))
    return tuple(seats[seat] for seat in around)


def offer_cut(setup: Setup, state: Table) -> Event | None:
    """The next offer of the cut, or the dealer's cut when everybody has refused."""
    if not cut_due(setup, state) or state.cut.offered is not None:
        return None
    for player in cutters(setup, state):
        if player not in state.cut.asked:
            return CutOffered(player)
    return CutMade()


def cut(setup: Setup, state: Table, command: Cut) -> Iterator[Event]:
    """A player makes the offered cut."""
    _need_offer(state, command.player)
    assert state.shoe is not None
    least, count = setup.rules.shoe.cut_from_end_min, setup.decks * len(DECK)
    if not least <= command.position <= count - least:
        raise Illegal("cut", f"A cut lifts {least} to {count - least} cards.")
    try:
        shoes.cut(state.shoe, command.player, command.position)
    except ShoeError as error:
        raise _illegal(error) from None
    yield CutMade(command.player, command.position)


def refuse_cut(setup: Setup, state: Table, command: RefuseCut) -> Iterator[Event]:
    """A player refuses the offered cut."""
    _need_offer(state, command.player)
    yield CutRefused(command.player)


def order_recut(setup: Setup, state: Table, command: OrderRecut) -> Iterator[Event]:
    """Another cut before the load, by the last cutter or by the next one entitled."""
    if state.shoe is None or state.shoe.cards or not state.cut.made:
        raise Illegal("no_recut", "A recut can be ordered only between the cut and the load.")
    last = state.cut.last
    if command.who == "last" and last is not None and last not in state.guests:
        raise Illegal("not_here", f"{last} cut last and has left; let the next player cut.")
    yield RecutOrdered(command.by, command.reason, command.who)
    if command.who == "last":
        yield CutMade() if last is None else CutOffered(last)


def _need_offer(state: Table, player: str) -> None:
    if state.cut.offered != player:
        raise Illegal("not_offered", f"The cut is not offered to {player} now.")


def load(setup: Setup, course: TableCourse, command: LoadShoe) -> None:
    """The stack goes into the shoe and the first card is burned; an unopened seal ends the shoe."""
    state = course.state
    need_no_round(state)
    shoe = state.shoe
    if shoe is None or shoe.cards:
        raise Illegal("no_stack", "There is no shuffled stack to load.")
    if cut_due(setup, state):
        raise Illegal("cut_due", "The cards must be cut first.")
    if draws.order_due(setup, state):
        raise Illegal("order_due", "The order of the cards must be calculated first.")
    if shoes.unopened(shoe):
        course.add(ended(shoe, "a sealed seed was not opened"))
        return
    place = None if state.method in shoes.ONE_ROUND else cover_place(setup)
    course.add(ShoeLoaded(command.by, place, place))
    loaded = course.state.shoe
    assert loaded is not None
    for _ in range(setup.rules.shoe.burn_first):
        card, loaded = shoes.draw(loaded, "burn", 0, decided=not draws.decides_on_deal(state))
        course.add(CardBurned("first", card))


def end_shoes(state: Table, reason: str, by: str) -> Iterator[Event]:
    """The ends of the shoe in use and of the one in the device, in the order of their numbers."""
    shoes = [shoe for shoe in (state.shoe, state.stored) if shoe is not None]
    for shoe in sorted(shoes, key=lambda shoe: shoe.terms.number):
        yield ended(shoe, reason, by)


def ended(shoe: Shoe, reason: str, by: str = "") -> ShoeEnded:
    """The end of a shoe, which reveals its seed or last link; `by` is who ended it early."""
    # Rows of older versions do not say who ended it.
    return ShoeEnded(reason, shoe.terms.number, shoe.seed, "" if shoe.proof is None else by)


def change_dealer(setup: Setup, state: Table, command: ChangeDealer) -> Iterator[Event]:
    """Another dealer takes over and burns a card before the next round.

    Once cards are out, the new dealer finishes the round without a burn, which would give the
    players other cards. Before that, the round can be voided without loss to anybody.
    """
    if command.dealer == state.dealer:  # a burn without a new dealer would change the cards
        raise Illegal("same_dealer", f"{command.dealer} already deals at this table.")
    if state.round is not None and state.in_round and not state.round.cards:
        sentence = "Before the first card, void the round to change the dealer."
        raise Illegal("round_open", sentence)
    yield DealerChanged(command.dealer)


def order_reshuffle(setup: Setup, state: Table, command: OrderReshuffle) -> Iterator[Event]:
    """A reshuffle: at once between rounds, else after this round."""
    if state.shoe is None or not state.shoe.cards:
        raise Illegal("no_shoe", "There is no shoe in use to reshuffle.")
    yield ReshuffleOrdered(command.by, command.reason)


def may_go_idle(setup: Setup, state: Table) -> bool:
    """Whether the cards in use can be spread now."""
    spreads = setup.rules.opening.idle_spread and state.method != "continuous"
    in_use = not state.idle and state.decks is not None and bool(state.decks.ready)
    return spreads and in_use and not state.in_round


def go_idle(setup: Setup, state: Table, command: GoIdle) -> Iterator[Event]:
    """The table goes idle: the cards leave shoe and rack and are spread face down."""
    need_no_round(state)
    if not setup.rules.opening.idle_spread or state.method == "continuous":
        raise Illegal("no_idle_spread", "This table does not spread its cards while idle.")
    if not may_go_idle(setup, state):
        raise Illegal("no_cards_in_use", "There are no cards in use to spread.")
    yield from end_shoes(state, "idle table", command.by)
    yield TableIdle(command.by)


def turn_up(setup: Setup, state: Table, command: TurnUp) -> Iterator[Event]:
    """A player asks for the idle table's spread to be turned face up."""
    if not state.idle:
        raise Illegal("not_idle", "The cards are not spread now.")
    guest_of(state, command.player)
    yield SpreadTurnedUp(command.player)


def _illegal(error: ShoeError) -> Illegal:
    """A shoe's refusal as the table's, with a whole sentence."""
    return Illegal(error.code, error.sentence[:1].upper() + error.sentence[1:] + ".")


def need_no_round(state: Table) -> None:
    """Refuse what must wait until the round is over."""
    if state.in_round:
        raise Illegal("round_open", "This must wait until the round is over.")


DECIDES: Decides = {
    ReceiveDecks: receive_decks,
    Prepare: prepare,
    ShuffleCards: shuffle,
    Cut: cut,
    RefuseCut: refuse_cut,
    OrderRecut: order_recut,
    ChangeDealer: change_dealer,
    OrderReshuffle: order_reshuffle,
    GoIdle: go_idle,
    TurnUp: turn_up,
}


PLAYS: Plays = {
    LoadShoe: load,
}
