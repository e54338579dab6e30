"""How each event changes the table."""

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

from msgspec.structs import replace

from wartable import game
from wartable import shoe as shoes
from wartable.game.messages import MeterName
from wartable.game.state import Hand
from wartable.game.wagers import WAGER
from wartable.table import events as e
from wartable.table.events import Event
from wartable.table.state import Bank, BankTurn, CutOffer, Decks, Guest, MeterState, Table


def apply(state: Table, event: Event) -> Table:
    """The table after the event."""
    return _APPLY[type(event)](state, event)


def fold(events: Iterable[Event], state: Table) -> Table:
    """The table after all the events."""
    return reduce(apply, events, state)


def _pay(state: Table, player: str, amount: int) -> Table:
    """The table with an amount added to a player's stack, or taken from it."""
    guest = state.guests[player]
    guests = {**state.guests, player: replace(guest, stack=guest.stack + amount)}
    return replace(state, guests=guests)


def _joined(state: Table, event: e.Joined) -> Table:
    guest = Guest(event.player, event.amount, event.seat, state.arrivals + 1)
    guests = {**state.guests, event.player: guest}
    bank = replace(state.bank, untaken=False)
    return _reseated(state, replace(state, guests=guests, arrivals=guest.arrival, bank=bank))


def _reseated(before: Table, after: Table) -> Table:
    """The table whose round knows who sits where until bets close.

    A round of community cards has no seats, since any box is everybody's.
    """
    round_ = before.round
    if round_ is None or round_.closed or round_.bets_closed or round_.seats != before.seats:
        return after
    return replace(after, round=replace(round_, seats=after.seats))


def _bought_in(state: Table, event: e.BoughtIn) -> Table:
    return _pay(state, event.player, event.amount)


def _cashed_out(state: Table, event: e.CashedOut) -> Table:
    return _pay(state, event.player, -event.amount)


def _departed(state: Table, event: e.Departed) -> Table:
    guests = {name: guest for name, guest in state.guests.items() if name != event.player}
    bank = state.bank
    if bank.offered == event.player:
        bank = replace(bank, offered=None)
    if bank.taken == event.player:
        bank = replace(bank, taken=None, posted=0)
    cut = state.cut
    if cut.offered == event.player:
        cut = replace(cut, offered=None)
    return _reseated(state, replace(state, guests=guests, bank=bank, cut=cut))


def _decks_received(state: Table, event: e.DecksReceived) -> Table:
    since_ms = event.at_ms if event.opened_ms is None else event.opened_ms
    decks = Decks(since_ms, event.condition, sets=event.sets)
    return _game_begins(replace(state, decks=decks, idle=False, spread_up=False))


def _decks_removed(state: Table, event: e.DecksRemoved) -> Table:
    return replace(state, decks=None)


def _game_begins(state: Table) -> Table:
    """The table as if nothing had been dealt yet, so that the first to arrive cuts."""
    return replace(state, cover_box=None, cover_player=None, reshuffled_by_floor=False)


def _prepared(state: Table, event: e.Prepared) -> Table:
    decks = state.decks
    assert decks is not None
    steps = (*decks.done.get(event.batch, ()), event.step)
    inspectors = decks.inspectors
    if event.step == "inspect":
        inspectors = {**inspectors, event.batch: event.by}
    done = {**decks.done, event.batch: steps}
    return replace(state, decks=replace(decks, done=done, inspectors=inspectors))


def _seed_sealed(state: Table, event: e.SeedSealed) -> Table:
    others = tuple(seal for seal in state.seals if seal.player != event.player)
    return replace(state, seals=(*others, shoes.Seal(event.player, event.seal)))


def _shoe_started(state: Table, event: e.ShoeStarted) -> Table:
    new = shoes.Shoe(
        terms=event.terms, commitment=event.commitment, seals=event.seals, seed=event.seed
    )
    state = replace(state, shoes=event.terms.number, seals=(), idle=False, spread_up=False)
    decks, batch = state.decks, event.terms.batch
    if decks is not None and batch not in decks.ready:
        state = replace(state, decks=replace(decks, ready=(*decks.ready, batch)))
    if state.shoe is not None:
        return replace(state, stored=new)
    return replace(state, shoe=new, cut=CutOffer())


def _cut_offered(state: Table, event: e.CutOffered) -> Table:
    return replace(state, cut=replace(state.cut, offered=event.player))


def _cut_refused(state: Table, event: e.CutRefused) -> Table:
    asked = (*state.cut.asked, event.player)
    return replace(state, cut=replace(state.cut, offered=None, asked=asked))


def _cut_made(state: Table, event: e.CutMade) -> Table:
    assert state.shoe is not None
    cut = replace(state.cut, offered=None, last=event.player, made=True)
    return replace(state, shoe=shoes.cut(state.shoe, event.player, event.position), cut=cut)


def _recut_ordered(state: Table, event: e.RecutOrdered) -> Table:
    asked = state.cut.asked
    if event.who == "next" and state.cut.last is not None:
        asked = (*asked, state.cut.last)
    return replace(state, cut=replace(state.cut, made=False, asked=asked))


def _seed_opened(state: Table, event: e.SeedOpened) -> Table:
    assert state.shoe is not None
    seed = bytes.fromhex(event.seed)
    return replace(state, shoe=shoes.open_seal(state.shoe, event.player, seed))


def _shoe_loaded(state: Table, event: e.ShoeLoaded) -> Table:
    assert state.shoe is not None
    cover = None if event.low is None or event.high is None else (event.low, event.high)
    loaded = shoes.load(state.shoe, cover)
    state = replace(state, shoe=loaded, shoe_rounds=0, last_batch=loaded.terms.batch)
    return _game_begins(replace(state, reshuffle=None))


def _draw(state: Table, use: shoes.Use, box: int | None = None) -> Table:
    assert state.shoe is not None
    number = state.rounds if state.in_round else state.rounds + 1
    return replace(state, shoe=shoes.draw(state.shoe, use, number, box)[1])


def _card_burned(state: Table, event: e.CardBurned) -> Table:
    return _draw(state, "burn")


def _bank_offered(state: Table, event: e.BankOffered) -> Table:
    return replace(state, bank=replace(state.bank, offered=event.player, untaken=False))


def _bank_taken(state: Table, event: e.BankTaken) -> Table:
    bank = replace(state.bank, offered=None, passed=(), taken=event.player, posted=event.amount)
    return replace(state, bank=bank)


def _bank_passed(state: Table, event: e.BankPassed) -> Table:
    bank = replace(state.bank, offered=None, passed=(*state.bank.passed, event.player))
    return replace(state, bank=bank)


def _bank_untaken(state: Table, event: e.BankUntaken) -> Table:
    return replace(state, bank=replace(state.bank, offered=None, passed=(), untaken=True))


def _round_started(state: Table, event: e.RoundStarted) -> Table:
    return replace(
        state,
        rounds=event.number,
        shoe_rounds=state.shoe_rounds + 1,
        round=game.Round(),
        counted=False,
        miscounted=False,
        dealer_burn_due=False,
        meters_before=state.meters,
    )


def _side_bets_counted(state: Table, event: e.SideBetsCounted) -> Table:
    return replace(state, counted=True, miscounted=False)


def _count_differed(state: Table, event: e.CountDiffered) -> Table:
    return replace(state, miscounted=True)


def _with_meter(state: Table, name: MeterName, meter: MeterState) -> Table:
    return replace(state, meters={**state.meters, name: meter})


def _meter_fed(state: Table, event: e.MeterFed | e.MeterUnfed) -> Table:
    meter = state.meters[event.meter]
    amount = event.amount if isinstance(event, e.MeterFed) else -event.amount
    new = replace(meter, shown=meter.shown + amount, fed=meter.fed + amount, carry=event.carry)
    return _with_meter(state, event.meter, new)


def _award_pending(state: Table, event: e.AwardPending) -> Table:
    return replace(state, award=event.meter)


def _meter_reset(state: Table, event: e.MeterReset) -> Table:
    meter = state.meters[event.meter]
    new = replace(meter, shown=meter.shown + event.amount, seeded=meter.seeded + event.amount)
    return _with_meter(state, event.meter, new)


def _meters_shown(state: Table, event: e.MetersShown) -> Table:
    return replace(state, meters=event.meters, meters_before=event.before)


def _cover_card_out(state: Table, event: e.CoverCardOut) -> Table:
    hands = () if state.round is None else state.round.hands
    player = next((hand.player for hand in hands if hand.box == event.box), None)
    return replace(state, cover_box=event.box, cover_player=player)


def _cards_collected(state: Table, event: e.CardsCollected) -> Table:
    assert state.shoe is not None
    return replace(state, shoe=shoes.collect(state.shoe, event.boxes))


def _shoe_ended(state: Table, event: e.ShoeEnded) -> Table:
    if state.stored is not None and event.number == state.stored.terms.number:
        return replace(state, stored=None, finished=shoes.end(state.stored, event.reason))
    assert state.shoe is not None
    finished = shoes.end(state.shoe, event.reason)
    by_floor = state.reshuffle is not None
    return replace(
        state,
        shoe=state.stored,
        stored=None,
        finished=finished,
        cut=CutOffer(),
        reshuffle=None,
        reshuffled_by_floor=by_floor,
    )


def _card_set_aside(state: Table, event: e.CardSetAside) -> Table:
    return _draw(state, "set_aside")


def _dealer_changed(state: Table, event: e.DealerChanged) -> Table:
    # Whoever opens the table takes over from nobody, and burns the first card of the shoe.
    opens = state.dealer is None and (state.shoe is None or not state.shoe.drawn)
    return replace(state, dealer=event.dealer, dealer_burn_due=not opens)


def _reshuffle_ordered(state: Table, event: e.ReshuffleOrdered) -> Table:
    return replace(state, reshuffle=event.reason)


def _table_idle(state: Table, event: e.TableIdle) -> Table:
    decks = state.decks
    if decks is not None:
        done = {batch: steps for batch, steps in decks.done.items() if batch not in decks.ready}
        spread = (*decks.spread, *decks.ready)
        decks = replace(decks, done=done, ready=(), spread=spread)
    return _game_begins(replace(state, idle=True, spread_up=False, decks=decks))


def _spread_turned_up(state: Table, event: e.SpreadTurnedUp) -> Table:
    return replace(state, spread_up=True)


def _device_failed(state: Table, event: e.DeviceFailed) -> Table:
    return replace(state, device_failed=event.reason, device_mark=None)


def _device_marked(state: Table, event: e.DeviceMarked) -> Table:
    return replace(state, device_mark=event.mark)


def _device_repaired(state: Table, event: e.DeviceRepaired) -> Table:
    return replace(state, device_failed=None, device_mark=None)


def _method_changed(state: Table, event: e.MethodChanged) -> Table:
    decks = state.decks
    if decks is not None:  # another method starts the preparation again
        done = {batch: steps for batch, steps in decks.done.items() if batch in decks.ready}
        decks = replace(decks, done=done)
    return replace(state, method=event.method, decks=decks)


def _restricted(state: Table, event: e.Restricted) -> Table:
    if event.whom:
        named = {
            name: most for name, most in state.player_box_maximums.items() if name != event.whom
        }
        named |= {event.whom: event.value} if event.value else {}
        return replace(state, player_box_maximums=named)
    held = {limit: most for limit, most in state.restrictions.items() if limit != event.limit}
    held |= {event.limit: event.value} if event.value else {}
    return replace(state, restrictions=held)


def _unchanged(state: Table, event: e.AwardApproved | e.DrawnInError | e.Jammed) -> Table:
    return state


def _in_round(state: Table, event: game.Event) -> Table:
    assert state.round is not None
    return replace(state, round=game.apply(state.round, event))


def _opened(state: Table, event: game.Opened) -> Table:
    state = _in_round(state, event)
    if event.banker is None or event.bank is None:
        return state
    state = _pay(state, event.banker, -event.bank)
    old = state.bank
    bank = Bank(
        button=event.banker,
        seat=state.guests[event.banker].seat,
        rounds=old.rounds + 1 if old.button == event.banker else 1,
        before=BankTurn(old.button, old.seat, old.rounds),
        posted=event.bank,
    )
    return replace(state, bank=bank)


def _placed(state: Table, event: game.Placed) -> Table:
    return _pay(_in_round(state, event), event.player, -event.amount)


def _given_back(state: Table, event: game.Withdrawn | game.Returned) -> Table:
    return _pay(_in_round(state, event), event.player, event.amount)


def _matched(state: Table, event: game.Matched) -> Table:
    banker = None if state.round is None else state.round.banker
    matched = _in_round(state, event)  # the house's unit stays the house's money until it is lost
    return matched if banker is None else _pay(matched, banker, -event.amount)


def _dealt(state: Table, event: game.Dealt) -> Table:
    return _draw(_in_round(state, event), event.deal, event.box)


def _burned(state: Table, event: game.Burned) -> Table:
    return _draw(_in_round(state, event), "burn")


def _house_chose(state: Table, event: e.HouseChose) -> Table:
    assert state.shoe is not None
    _, shoe = shoes.choose(state.shoe, event.label, event.options, event.weights)
    return replace(state, shoe=shoe)


def _meter_read(state: Table, event: game.MeterRead) -> Table:
    state = replace(_in_round(state, event), award=None)
    meter = state.meters[event.meter]
    new = replace(meter, shown=meter.shown - event.amount, paid=meter.paid + event.amount)
    return _with_meter(state, event.meter, new)


def _paid(state: Table, event: game.Settled) -> Table:
    if WAGER[event.wager].side_bet and event.outcome == "abandoned":
        state = replace(state, award=None)  # older records have awards that were abandoned
    return _pay(_in_round(state, event), event.player, event.returned)


def _envy_paid(state: Table, event: game.EnvyPaid) -> Table:
    return _pay(_in_round(state, event), event.player, event.amount)


def _left(state: Table, event: game.Left) -> Table:
    guest = replace(state.guests[event.player], leaving=True)
    return replace(_in_round(state, event), guests={**state.guests, event.player: guest})


def _box_voided(state: Table, event: game.BoxVoided) -> Table:
    assert state.round is not None
    for hand in state.round.hands:
        if hand.box == event.box:
            back = sum(w.staked - w.returned for w in hand.wagers if not w.outcome)
            state = _pay(state, hand.player, back)
    return _in_round(state, event)


def _round_voided(state: Table, event: game.RoundVoided) -> Table:
    """Return every stake, undo every payment, and restore the meters and the banker's turn."""
    round_ = state.round
    assert round_ is not None
    for hand in round_.hands:
        state = _pay(state, hand.player, _outstanding(hand) - hand.envy)
    if round_.banker is not None:
        state = _turn_restored(state)
    state = replace(state, meters=state.meters_before, award=None)
    return _in_round(state, event)


def _turn_restored(state: Table) -> Table:
    """The table with the banker's turn as it was before a round that did not count."""
    turn = state.bank.before
    bank = replace(state.bank, button=turn.button, seat=turn.seat, rounds=turn.rounds)
    return replace(state, bank=bank)


def _outstanding(hand: Hand) -> int:
    """What the player has put down and not yet got back."""
    return sum(wager.staked - wager.returned for wager in hand.wagers)


def _closed(state: Table, event: game.Closed) -> Table:
    assert state.round is not None
    before = state.round
    state = _in_round(state, event)
    if before.banker is None or before.bank is None:
        return state
    if not before.cards:  # every box was missed, or everyone left: no hand was dealt
        state = _turn_restored(state)
    matched = sum(wager.matched for hand in before.hands for wager in hand.wagers)
    return _pay(state, before.banker, before.bank + matched + before.banker_net)


_APPLY: dict[type[Any], Callable[[Table, Any], Table]] = {
    e.Joined: _joined,
    e.BoughtIn: _bought_in,
    e.CashedOut: _cashed_out,
    e.Departed: _departed,
    e.DecksReceived: _decks_received,
    e.DecksRemoved: _decks_removed,
    e.Prepared: _prepared,
    e.SeedSealed: _seed_sealed,
    e.ShoeStarted: _shoe_started,
    e.CutOffered: _cut_offered,
    e.CutRefused: _cut_refused,
    e.CutMade: _cut_made,
    e.RecutOrdered: _recut_ordered,
    e.SeedOpened: _seed_opened,
    e.ShoeLoaded: _shoe_loaded,
    e.CardBurned: _card_burned,
    e.BankOffered: _bank_offered,
    e.BankTaken: _bank_taken,
    e.BankPassed: _bank_passed,
    e.BankUntaken: _bank_untaken,
    e.RoundStarted: _round_started,
    e.SideBetsCounted: _side_bets_counted,
    e.CountDiffered: _count_differed,
    e.MeterFed: _meter_fed,
    e.MeterUnfed: _meter_fed,
    e.HouseChose: _house_chose,
    e.AwardPending: _award_pending,
    e.AwardApproved: _unchanged,
    e.MeterReset: _meter_reset,
    e.MetersShown: _meters_shown,
    e.CoverCardOut: _cover_card_out,
    e.CardsCollected: _cards_collected,
    e.ShoeEnded: _shoe_ended,
    e.CardSetAside: _card_set_aside,
    e.DrawnInError: _unchanged,
    e.DealerChanged: _dealer_changed,
    e.ReshuffleOrdered: _reshuffle_ordered,
    e.TableIdle: _table_idle,
    e.SpreadTurnedUp: _spread_turned_up,
    e.DeviceFailed: _device_failed,
    e.DeviceMarked: _device_marked,
    e.DeviceRepaired: _device_repaired,
    e.MethodChanged: _method_changed,
    e.Restricted: _restricted,
    e.Jammed: _unchanged,
    game.Opened: _opened,
    game.Placed: _placed,
    game.Withdrawn: _given_back,
    game.Declined: _in_round,
    game.BetsClosed: _in_round,
    game.Returned: _given_back,
    game.Dealt: _dealt,
    game.Burned: _burned,
    game.Chosen: _in_round,
    game.Matched: _matched,
    game.Spun: _in_round,
    game.MeterRead: _meter_read,
    game.Settled: _paid,
    game.EnvyPaid: _envy_paid,
    game.Left: _left,
    game.BoxVoided: _box_voided,
    game.RoundVoided: _round_voided,
    game.Closed: _closed,
}
