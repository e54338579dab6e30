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
from wartable.shoe import Use
from wartable.table import events as e
from wartable.table.events import Event
from wartable.table.folding_cards import CARDS, noted
from wartable.table.state import PLATFORM, Bank, BankTurn, Guest, MeterState, Table


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
    """The table after a change of seats, which the open round follows until bets close.

    A round of community cards has no seats, because every box is open to everybody.
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
    if state.dealer_burn_due and not _change_recorded(state):
        # The dealer changed before this shoe was in play, and burns a card of it all the same.
        state = noted(state, "dealer_changed", state.dealer or "", "before this shoe")
    return replace(
        state,
        rounds=event.number,
        shoe_rounds=state.shoe_rounds + 1,
        round=game.Round(),
        counted=False,
        miscounted=False,
        dealer_burn_due=False,
        undecided=False,
        numbers=(),
        numbered=False,
        numbers_closed=False,
        meters_before=state.meters,
    )


def _change_recorded(state: Table) -> bool:
    """Whether the record of the shoe has the change of dealer since the last round."""
    given = None if state.shoe is None else state.shoe.proof
    told = () if given is None else given.incidents
    return any((each.what, each.round_number) == ("dealer_changed", state.rounds) for each in told)


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


def _device_failed(state: Table, event: e.DeviceFailed) -> Table:
    return replace(state, device_failed=event.reason, device_mark=None)


def _device_marked(state: Table, event: e.DeviceMarked) -> Table:
    return replace(state, device_mark=event.mark)


def _device_repaired(state: Table, event: e.DeviceRepaired) -> Table:
    return replace(state, device_failed=None, device_mark=None)


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


def _unchanged(state: Table, event: e.AwardApproved) -> Table:
    return state


def _cards_due(state: Table, event: game.BetsClosed | game.Chosen) -> Table:
    """The table after the end of bets or a choice: nobody may know the next cards before that."""
    given = None if state.shoe is None else state.shoe.proof
    if given is None or given.bound.order == "shoe":
        return _in_round(state, event)
    assert state.round is not None
    round_ = game.apply(state.round, event)
    return replace(state, round=round_, undecided=True, numbers=(), numbers_closed=False)


def _in_round(state: Table, event: game.GameEvent) -> Table:
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
    return _paid_in_round(state, event, -event.amount)


def _paid_in_round(
    state: Table,
    event: game.Placed | game.Settled | game.EnvyPaid | game.Withdrawn | game.Returned,
    amount: int,
) -> Table:
    """The table after an event of the round that moves an amount to a player's stack."""
    assert state.round is not None
    guest = state.guests[event.player]
    guests = {**state.guests, event.player: replace(guest, stack=guest.stack + amount)}
    return replace(state, round=game.apply(state.round, event), guests=guests)


def _given_back(state: Table, event: game.Withdrawn | game.Returned) -> Table:
    return _paid_in_round(state, event, event.amount)


def _matched(state: Table, event: game.Matched) -> Table:
    banker = None if state.round is None else state.round.banker
    matched = _in_round(state, event)  # the house's unit stays the house's money until it is lost
    return matched if banker is None else _pay(matched, banker, -event.amount)


def _dealt(state: Table, event: game.Dealt) -> Table:
    return _drawn(state, event, event.deal, event.box)


def _drawn(
    state: Table, event: game.Dealt | game.Burned, use: Use, box: int | None = None
) -> Table:
    """The table after a card of the round has left its shoe."""
    assert state.round is not None
    assert state.shoe is not None
    shoe = shoes.draw(state.shoe, use, state.rounds, box)[1]
    return replace(state, round=game.apply(state.round, event), shoe=shoe)


def _burned(state: Table, event: game.Burned) -> Table:
    return _drawn(state, event, "burn")


def _meter_read(state: Table, event: game.MeterRead) -> Table:
    state = replace(_in_round(state, event), award=None)
    meter = state.meters[event.meter]
    new = replace(meter, shown=meter.shown - event.amount, paid=meter.paid + event.amount)
    return _with_meter(state, event.meter, new)


def _paid(state: Table, event: game.Settled) -> Table:
    if WAGER[event.wager].side_bet and event.outcome == "abandoned":
        state = replace(state, award=None)  # older records have awards that were abandoned
    return _paid_in_round(state, event, event.returned)


def _envy_paid(state: Table, event: game.EnvyPaid) -> Table:
    return _paid_in_round(state, event, event.amount)


def _left(state: Table, event: game.Left) -> Table:
    guest = replace(state.guests[event.player], leaving=True)
    given = None if state.shoe is None else state.shoe.proof
    decided = given is not None and given.bound.order != "shoe"
    if decided and state.round is not None and state.round.bets_closed:
        state = noted(state, "player_left", event.player)  # cards already decided may not be dealt
    return replace(_in_round(state, event), guests={**state.guests, event.player: guest})


def _box_voided(state: Table, event: game.BoxVoided) -> Table:
    assert state.round is not None
    for hand in state.round.hands:
        if hand.box == event.box:
            back = sum(w.staked - w.returned for w in hand.wagers if not w.outcome)
            state = _pay(state, hand.player, back)
    return _in_round(noted(state, "box_voided", event.by or "", f"box {event.box}"), event)


def _round_voided(state: Table, event: game.RoundVoided) -> Table:
    """Return every stake, undo every payment, and restore the meters and the banker's turn."""
    round_ = state.round
    assert round_ is not None
    for hand in round_.hands:
        state = _pay(state, hand.player, _outstanding(hand) - hand.envy)
    if round_.banker is not None:
        state = _turn_restored(state)
    state = replace(state, meters=state.meters_before, award=None)
    return _in_round(noted(state, "round_voided", event.by or PLATFORM, event.reason), event)


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
    **CARDS,
    e.Joined: _joined,
    e.BoughtIn: _bought_in,
    e.CashedOut: _cashed_out,
    e.Departed: _departed,
    e.BankOffered: _bank_offered,
    e.BankTaken: _bank_taken,
    e.BankPassed: _bank_passed,
    e.BankUntaken: _bank_untaken,
    e.RoundStarted: _round_started,
    e.SideBetsCounted: _side_bets_counted,
    e.CountDiffered: _count_differed,
    e.MeterFed: _meter_fed,
    e.MeterUnfed: _meter_fed,
    e.AwardPending: _award_pending,
    e.AwardApproved: _unchanged,
    e.MeterReset: _meter_reset,
    e.MetersShown: _meters_shown,
    e.DeviceFailed: _device_failed,
    e.DeviceMarked: _device_marked,
    e.DeviceRepaired: _device_repaired,
    e.Restricted: _restricted,
    game.Opened: _opened,
    game.Placed: _placed,
    game.Withdrawn: _given_back,
    game.Declined: _in_round,
    game.BetsClosed: _cards_due,
    game.Returned: _given_back,
    game.Dealt: _dealt,
    game.Burned: _burned,
    game.Chosen: _cards_due,
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
