"""The side bets' count and the meters that they feed."""

from collections.abc import Iterable, Iterator

from msgspec.structs import asdict, replace

from wartable import game
from wartable.game import Illegal
from wartable.game.messages import MeterName
from wartable.game.wagers import SIDE_BETS
from wartable.rules.model import WagerKind
from wartable.table.commands import CountSideBets
from wartable.table.course import Decides
from wartable.table.events import (
    CountDiffered,
    Event,
    MeterFed,
    MetersShown,
    MeterUnfed,
    SideBetsCounted,
)
from wartable.table.people import open_round
from wartable.table.state import MeterState, Setup, Table, meters_of


def side_bets(state: Table) -> dict[WagerKind, int]:
    """The number of side bets of each kind that the devices accepted and that are in play."""
    hands = () if state.round is None else state.round.hands
    kinds = [wager.kind for wager in _open(hands)]
    return {each.kind: kinds.count(each.kind) for each in SIDE_BETS}


def _open(hands: Iterable[game.Hand]) -> list[game.Wager]:
    """The wagers of these hands that are not settled yet."""
    return [wager for hand in hands for wager in hand.wagers if not wager.outcome]


def count_side_bets(setup: Setup, state: Table, command: CountSideBets) -> Iterator[Event]:
    """The dealer's count; one that does not match the devices' is recorded and made again."""
    round_ = open_round(state)
    if not round_.bets_closed or state.counted:
        raise Illegal("no_count_due", "Side bets are counted once, after betting closes.")
    accepted = side_bets(state)
    if any(getattr(command, kind) != number for kind, number in accepted.items()):
        yield CountDiffered(**asdict(command), accepted=accepted)
    else:
        yield from counted(setup, state, command.by)


def counted(setup: Setup, state: Table, by: str) -> tuple[Event, ...]:
    """The count, and each meter's share of the stakes; the remainder is carried over."""
    accepted = SideBetsCounted(by, **side_bets(state))
    hands = () if state.round is None else state.round.hands
    shares = _shares(setup, state, hands, 1)
    return (accepted, *[MeterFed(name, change, carry) for name, change, carry in shares])


def _shares(
    setup: Setup, state: Table, hands: Iterable[game.Hand], sign: int
) -> Iterator[tuple[MeterName, int, int]]:
    """Each meter with its gain for the open wagers (a loss with sign -1), and its carry."""
    staked: dict[WagerKind, int] = {}
    for wager in _open(hands):
        staked[wager.kind] = staked.get(wager.kind, 0) + wager.staked
    for each in SIDE_BETS:
        if each.kind not in staked:
            continue
        for name, meter in each.meters(setup.rules).items():
            share = meter.contribution
            total = state.meters[name].carry + sign * staked[each.kind] * share.over
            yield name, total // share.under, total % share.under


def shares_back(setup: Setup, state: Table, box: int) -> Iterator[Event]:
    """What the meters give back for a box's side bets, if those have been counted."""
    hands = () if state.round is None or not state.counted else state.round.hands
    theirs = [hand for hand in hands if hand.box == box]
    for name, change, carry in _shares(setup, state, theirs, -1):
        yield MeterUnfed(name, -change, carry)


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
    if moved.fed < 0 or moved.seeded < 0 or moved.paid < 0:
        raise Illegal("older_meters", "The table has shown a later reading of the meters.")
    if moved.shown >= 0:
        return moved
    return replace(moved, shown=0, carry=0, seeded=moved.seeded - moved.shown)


DECIDES: Decides = {
    CountSideBets: count_side_bets,
}
