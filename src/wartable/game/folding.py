"""How each event changes a round."""

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

from msgspec.structs import replace

from wartable.game.messages import (
    BetsClosed,
    Box,
    BoxVoided,
    Burned,
    Chosen,
    Closed,
    Dealt,
    Declined,
    EnvyPaid,
    GameEvent,
    Left,
    Matched,
    MeterRead,
    Opened,
    Placed,
    Player,
    Returned,
    RoundVoided,
    Settled,
    Spun,
    Withdrawn,
)
from wartable.game.state import Hand, Round, Wager
from wartable.game.wagers import WAGER
from wartable.rules.model import WagerKind


class Course:
    """A round during a command; each event is applied as soon as it is added."""

    __slots__ = ("events", "state")

    def __init__(self, state: Round) -> None:
        self.state = state
        self.events: list[GameEvent] = []

    def add(self, event: GameEvent) -> None:
        """Add the event and apply it."""
        self.events.append(event)
        self.state = _APPLY[type(event)](self.state, event)


def apply(state: Round, event: GameEvent) -> Round:
    """The state after the event."""
    return _APPLY[type(event)](state, event)


def fold(events: Iterable[GameEvent], state: Round | None = None) -> Round:
    """The state after all the events, from a new round unless another is given."""
    return reduce(apply, events, Round() if state is None else state)


def _with_hand(state: Round, old: Hand, new: Hand) -> Round:
    hands = [*state.hands]
    hands[hands.index(old)] = new
    return replace(state, hands=tuple(hands))


def _existing(state: Round, player: Player, box: Box) -> Hand:
    hand = state.hand(player, box)
    if hand is None:
        raise ValueError(f"the event names a hand that is not there: {player} on box {box}")
    return hand


def _with_wager(state: Round, hand: Hand, old: Wager, new: Wager) -> Round:
    wagers = [*hand.wagers]
    wagers[wagers.index(old)] = new
    return _with_hand(state, hand, replace(hand, wagers=tuple(wagers)))


def _wager(hand: Hand, kind: WagerKind) -> Wager:
    wager = hand.wager(kind)
    if wager is None:
        raise ValueError(f"the event names a wager that is not there: {kind}")
    return wager


def _opened(state: Round, event: Opened) -> Round:
    return replace(
        state,
        opened=True,
        seats=event.seats,
        banker=event.banker,
        bank=event.bank,
        bank_stack=event.bank_stack,
    )


def _place_hand(state: Round, new: Hand) -> Round:
    """Insert a hand beside its box's others: the seated player's first, the rest in order."""
    seated = state.seats.get(new.box) == new.player
    last = new.box - seated
    front = [hand for hand in state.hands if hand.box <= last]
    return replace(state, hands=(*front, new, *state.hands[len(front) :]))


def _placed(state: Round, event: Placed) -> Round:
    hand = state.hand(event.player, event.box)
    new = Wager(event.wager, event.amount)
    if hand is None:
        return _place_hand(state, Hand(event.box, event.player, (new,)))
    wager = hand.wager(event.wager)
    if wager is None:
        return _with_hand(state, hand, replace(hand, wagers=(*hand.wagers, new)))
    return _with_wager(state, hand, wager, replace(wager, staked=wager.staked + event.amount))


def _withdrawn(state: Round, event: Withdrawn) -> Round:
    hand = _existing(state, event.player, event.box)
    wagers = tuple(wager for wager in hand.wagers if wager.kind != event.wager)
    if wagers:
        return _with_hand(state, hand, replace(hand, wagers=wagers))
    return replace(state, hands=tuple(other for other in state.hands if other is not hand))


def _declined(state: Round, event: Declined) -> Round:
    hand = _existing(state, event.player, event.box)
    return _with_hand(state, hand, replace(hand, tie_declined=True))


def _bets_closed(state: Round, event: BetsClosed) -> Round:
    return replace(state, bets_closed=True)


def _returned(state: Round, event: Returned) -> Round:
    hand = _existing(state, event.player, event.box)
    wager = _wager(hand, event.wager)
    uncovered = wager.uncovered + event.amount
    outcome = event.outcome if uncovered == wager.staked else ""
    new = replace(
        wager, uncovered=uncovered, returned=wager.returned + event.amount, outcome=outcome
    )
    return _with_wager(state, hand, wager, new)


def _dealt(state: Round, event: Dealt) -> Round:
    if event.deal == "original":
        return replace(state, cards={**state.cards, event.box: event.card})
    return replace(state, war_cards={**state.war_cards, event.box: event.card})


def _burned(state: Round, event: Burned) -> Round:
    return replace(state, burned=(*state.burned, event.card))


def _chosen(state: Round, event: Chosen) -> Round:
    hand = _existing(state, event.player, event.box)
    return _with_hand(state, hand, replace(hand, choice=event.choice))


def _matched(state: Round, event: Matched) -> Round:
    hand = _existing(state, event.player, event.box)
    wager = _wager(hand, event.wager)
    return _with_wager(state, hand, wager, replace(wager, matched=event.amount))


def _spun(state: Round, event: Spun) -> Round:
    return replace(state, spun=event)


def _meter_read(state: Round, event: MeterRead) -> Round:
    return replace(state, reading=event)


def _settled(state: Round, event: Settled) -> Round:
    hand = _existing(state, event.player, event.box)
    wager = _wager(hand, event.wager)
    new = replace(wager, outcome=event.outcome, returned=wager.returned + event.returned)
    state = _with_wager(state, hand, wager, new)
    if state.reading is not None and WAGER[event.wager].side_bet:
        return replace(state, reading=None)
    return state


def _envy_paid(state: Round, event: EnvyPaid) -> Round:
    hand = _existing(state, event.player, event.box)
    return _with_hand(state, hand, replace(hand, envy=hand.envy + event.amount))


def _left(state: Round, event: Left) -> Round:
    hands = tuple(
        replace(hand, absent=True) if hand.player == event.player else hand for hand in state.hands
    )
    return replace(state, hands=hands)


def _box_voided(state: Round, event: BoxVoided) -> Round:
    hands = tuple(_undealt(hand) if hand.box == event.box else hand for hand in state.hands)
    return replace(state, hands=hands, void_boxes=(*state.void_boxes, event.box))


def _undealt(hand: Hand) -> Hand:
    """The hand with its open wagers returned; settled ones stay."""
    wagers = tuple(
        w if w.outcome else replace(w, outcome="not_dealt", returned=w.staked) for w in hand.wagers
    )
    return replace(hand, wagers=wagers)


def _round_voided(state: Round, event: RoundVoided) -> Round:
    hands = tuple(_refunded(hand) for hand in state.hands)
    return replace(state, hands=hands, void=event.reason, reading=None)


def _refunded(hand: Hand) -> Hand:
    """The hand with every stake returned and every payment undone."""
    wagers = tuple(replace(w, outcome="void", returned=w.staked) for w in hand.wagers)
    return replace(hand, wagers=wagers, envy=0)


def _closed(state: Round, event: Closed) -> Round:
    return replace(state, closed=True)


_APPLY: dict[type[Any], Callable[[Round, Any], Round]] = {
    Opened: _opened,
    Placed: _placed,
    Withdrawn: _withdrawn,
    Declined: _declined,
    BetsClosed: _bets_closed,
    Returned: _returned,
    Dealt: _dealt,
    Burned: _burned,
    Chosen: _chosen,
    Matched: _matched,
    Spun: _spun,
    MeterRead: _meter_read,
    Settled: _settled,
    EnvyPaid: _envy_paid,
    Left: _left,
    BoxVoided: _box_voided,
    RoundVoided: _round_voided,
    Closed: _closed,
}
