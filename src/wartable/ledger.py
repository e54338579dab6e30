"""Where the money is: each event's transfers between accounts, and the invariants.

Accounts are `wallet:NAME` and `stack:NAME` of a player, `felt` (wagers in play, and a meter that
is being paid), `bank` (what a player/dealer has posted and matched), `house`, and `meter:NAME`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from wartable import game, table
from wartable.game.state import Hand, Wager
from wartable.game.wagers import WAGER
from wartable.money import Transfer
from wartable.refusal import Unusable
from wartable.table import events as e
from wartable.table.commands import Command
from wartable.table.events import Event
from wartable.table.older import OlderCommand
from wartable.table.state import MeterState, Setup, Table

FELT = "felt"
BANK = "bank"
HOUSE = "house"


def wallet(player: str) -> str:
    """The account of a player's money away from the table."""
    return f"wallet:{player}"


def stack(player: str) -> str:
    """The account of a player's money at the table."""
    return f"stack:{player}"


def meter(name: str) -> str:
    """The account of a meter."""
    return f"meter:{name}"


def opening(state: Table) -> list[Transfer]:
    """The house's transfers that give a new table's meters their initial amounts."""
    return [Transfer(HOUSE, meter(name), each.shown) for name, each in state.meters.items()]


MOVING = frozenset({
    e.Joined, e.BoughtIn, e.CashedOut, e.Departed, e.MeterFed, e.MeterUnfed, e.MeterReset,
    e.SideBetsCounted, game.Opened, game.Matched, game.Placed, game.Withdrawn, game.Returned,
    game.MeterRead, game.Settled, game.EnvyPaid, game.BoxVoided, game.RoundVoided, game.Closed,
})  # fmt: skip  # a list of names
"""The events that may move money."""


def transfers(before: Table, event: Event) -> list[Transfer]:
    """The movements that an event causes; `before` is the table before the event."""
    if type(event) not in MOVING:
        return []
    return [each for each in _transfers(before, event) if each.amount]


def _transfers(before: Table, event: Event) -> Iterator[Transfer]:
    match event:
        case game.Placed():
            yield Transfer(stack(event.player), FELT, event.amount)
        case game.Settled():
            yield from _settled(before, event)
        case e.Joined() | e.BoughtIn():
            yield Transfer(wallet(event.player), stack(event.player), event.amount)
        case e.CashedOut() | e.Departed():
            yield Transfer(stack(event.player), wallet(event.player), event.amount)
        case e.MeterFed():
            yield Transfer(HOUSE, meter(event.meter), event.amount)
        case e.MeterUnfed():
            yield Transfer(meter(event.meter), HOUSE, event.amount)
        case e.MeterReset():
            yield Transfer(HOUSE, meter(event.meter), event.amount)
        case e.SideBetsCounted():
            yield Transfer(FELT, HOUSE, _side_bets(before))
        case game.Opened(banker=str() as banker, bank=int() as posted):
            yield Transfer(stack(banker), BANK, posted)
        case game.Matched() if _counterparty(before) == BANK:
            yield Transfer(stack(_banker(before)), BANK, event.amount)
        case game.Withdrawn() | game.Returned():
            yield Transfer(FELT, stack(event.player), event.amount)
        case game.MeterRead():
            yield Transfer(meter(event.meter), FELT, event.amount)
        case game.EnvyPaid():
            yield Transfer(HOUSE, stack(event.player), event.amount)
        case game.BoxVoided():
            for hand in _hands(before):
                if hand.box == event.box:
                    open_wagers = tuple(wager for wager in hand.wagers if not wager.outcome)
                    yield from _refund(before, hand.player, open_wagers)
        case game.RoundVoided():
            for hand in _hands(before):
                yield from _refund(before, hand.player, hand.wagers)
                yield Transfer(stack(hand.player), _counterparty(before), hand.envy)
            yield from _meters_restored(before)
        case game.Closed() if before.round is not None and before.round.banker is not None:
            yield Transfer(BANK, stack(before.round.banker), _bank_left(before.round))
        case _:
            return


def _hands(before: Table) -> tuple[Hand, ...]:
    return () if before.round is None else before.round.hands


def _banker(before: Table) -> str:
    assert before.round is not None
    assert before.round.banker is not None
    return before.round.banker


def _counterparty(before: Table) -> str:
    """The account of the banker, who pays and collects."""
    banked = before.round is not None and before.round.banker is not None
    return BANK if banked else HOUSE


def _side_bets(before: Table) -> int:
    """The side bets' money on the felt before the count."""
    wagers = [wager for hand in _hands(before) for wager in hand.wagers]
    return sum(w.staked for w in wagers if WAGER[w.kind].side_bet and not w.outcome)


def _on_felt(before: Table, wager: Wager) -> bool:
    """Whether the stake still lies on the felt; counted side bets are in the inventory."""
    return not wager.outcome and not (WAGER[wager.kind].side_bet and before.counted)


def _settled(before: Table, event: game.Settled) -> Iterator[Transfer]:
    """Move what lies on the felt, a won meter included, to the player or to the banker."""
    assert before.round is not None
    hand = before.round.hand(event.player, event.box)
    wager = None if hand is None else hand.wager(event.wager)
    assert wager is not None
    player, other = stack(event.player), _counterparty(before)
    lying = wager.at_risk if _on_felt(before, wager) else 0
    if WAGER[event.wager].side_bet and before.round.reading is not None:
        lying += before.round.reading.amount
    yield Transfer(FELT, player, min(lying, event.returned))
    yield Transfer(FELT, other, max(0, lying - event.returned))
    yield Transfer(other, player, max(0, event.returned - lying))


def _refund(before: Table, name: str, wagers: Iterable[Wager]) -> Iterator[Transfer]:
    """Give every stake of the wagers back, and undo every payment."""
    player, other = stack(name), _counterparty(before)
    for wager in wagers:
        outstanding = wager.staked - wager.returned
        source = FELT if _on_felt(before, wager) else other
        yield Transfer(source, player, max(0, outstanding))
        yield Transfer(player, other, max(0, -outstanding))


def _meters_restored(before: Table) -> Iterator[Transfer]:
    """Restore the meters to what they were before the round; the house bears the difference."""
    for name, old in before.meters_before.items():
        gone = old.shown - before.meters[name].shown
        yield Transfer(HOUSE, meter(name), max(0, gone))
        yield Transfer(meter(name), HOUSE, max(0, -gone))


def _bank_left(round_: game.Round) -> int:
    """What the player/dealer takes back: what was posted and matched, less losses, plus gains."""
    matched = sum(wager.matched for hand in round_.hands for wager in hand.wagers)
    return (round_.bank or 0) + matched + round_.banker_net


class Unbalanced(Unusable):
    """Money that is not where it must be."""

    kind = "unbalanced"


def balances(moved: Iterable[Transfer], start: Counter[str] | None = None) -> Counter[str]:
    """Every account's balance after the transfers."""
    accounts: Counter[str] = Counter(start)
    move(accounts, moved)
    return accounts


def move(accounts: Counter[str], moved: Iterable[Transfer]) -> None:
    """Carry out the transfers between the accounts."""
    for each in moved:
        accounts[each.source] -= each.amount
        accounts[each.target] += each.amount


def holdings(state: Table) -> dict[str, int]:
    """What each account of a table must hold, judging by the table's state."""
    held = {stack(player): guest.stack for player, guest in state.guests.items()}
    for name, each in state.meters.items():
        held[meter(name)] = each.shown
    return held | _in_play(state)


def _in_play(state: Table) -> dict[str, int]:
    """What lies on the felt and in the bank of the open round."""
    round_ = state.round
    if round_ is None or round_.closed:
        return {}
    felt = 0 if round_.reading is None else round_.reading.amount
    for hand in round_.hands:
        for wager in hand.wagers:
            if not wager.outcome and _on_felt(state, wager):
                felt += wager.at_risk
    return {FELT: felt} if round_.banker is None else {FELT: felt, BANK: _bank_left(round_)}


def check(state: Table, accounts: Mapping[str, int], shared: bool = False) -> None:
    """Raise `Unbalanced` unless the accounts agree with the table.

    The accounts of shared meters are not checked here: other tables move them too.
    """
    held = holdings(state)
    for account, amount in held.items():
        if (accounts.get(account, 0) != amount or amount < 0) and not (
            shared and account.startswith("meter:")
        ):
            raise Unbalanced(f"{account} is {accounts.get(account, 0)}, not {amount}")
    for account in accounts.keys() - held.keys():
        if accounts[account] and account.startswith(("stack:", FELT, BANK)):
            raise Unbalanced(f"{account} is {accounts[account]}, not 0")
    for name, each in state.meters.items():
        _check_meter(name, each)
    if sum(accounts.values()):
        raise Unbalanced("money was made or lost")


def _check_meter(name: str, each: MeterState) -> None:
    if each.fed + each.seeded != each.paid + each.shown:
        raise Unbalanced(f"the meter {name} does not account for every cent")


class Accounted(NamedTuple):
    """The result of a command: the table after it, its events, and their transfers."""

    state: Table
    events: tuple[Event, ...]
    transfers: tuple[Transfer, ...]


def step(setup: Setup, state: Table, command: Command | OlderCommand) -> Accounted:
    """Carry out the command; `Illegal` if it may not be, `Unbalanced` if money would be lost."""
    return _checked(setup, state, table.steps(setup, state, command))


def fold(setup: Setup, state: Table, events: Iterable[Event]) -> Accounted:
    """The same for events that are already known."""
    return _checked(setup, state, _folded(state, events))


def _folded(state: Table, events: Iterable[Event]) -> Iterator[tuple[Event, Table]]:
    for event in events:
        state = table.apply(state, event)
        yield event, state


def _checked(setup: Setup, state: Table, steps: Iterable[tuple[Event, Table]]) -> Accounted:
    """The combined steps; `Unbalanced` unless their transfers explain what the table now holds."""
    before, events, moved = state, [], []
    for event, after in steps:
        events.append(event)
        moved += transfers(before, event)
        before = after
    _check_explained(setup, state, before, moved)
    return Accounted(before, tuple(events), tuple(moved))


def _check_explained(setup: Setup, before: Table, after: Table, moved: Iterable[Transfer]) -> None:
    """Raise `Unbalanced` unless the transfers explain every change of what the table holds.

    The accounts of shared meters are not checked here: other tables move them too.
    """
    net: dict[str, int] = {}
    for each in moved:
        net[each.source] = net.get(each.source, 0) - each.amount
        net[each.target] = net.get(each.target, 0) + each.amount
    for account, had, has in _changes(before, after, bool(setup.meters)):
        explained = had + net.pop(account, 0)
        if explained != has or has < 0:
            raise Unbalanced(f"{account} is {explained}, not {has}")
    elsewhere = ("wallet:", HOUSE, "meter:") if setup.meters else ("wallet:", HOUSE)
    for account, amount in net.items():
        if amount and not account.startswith(elsewhere):
            has = holdings(after).get(account, 0)
            raise Unbalanced(f"{account} is {has + amount}, not {has}")


def _changes(before: Table, after: Table, shared: bool) -> Iterator[tuple[str, int, int]]:
    """The accounts that changed: what they held, and what they hold."""
    if after.guests is not before.guests:
        for player in before.guests | after.guests:
            old, new = before.guests.get(player), after.guests.get(player)
            if old is not new:
                had, has = (0 if each is None else each.stack for each in (old, new))
                yield stack(player), had, has
    if after.meters is not before.meters:
        for name, each in after.meters.items():
            _check_meter(name, each)
            if not shared:
                yield meter(name), before.meters[name].shown, each.shown
    if after.round is not before.round or after.counted != before.counted:
        held, holds = _in_play(before), _in_play(after)
        for account in held | holds:
            yield account, held.get(account, 0), holds.get(account, 0)
