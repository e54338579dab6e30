"""What each class pays, asked of the engine: the kernels count, the engine pays."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from wartable.cards import Card
from wartable.game import (
    Burn,
    Choose,
    Command,
    Deal,
    Due,
    DueBurn,
    DueCard,
    DueChoice,
    DueMeter,
    DueWheel,
    ReadMeter,
    Round,
    Spin,
    awaits,
    step,
)
from wartable.game.wagers import BONUS_SPIN, PROGRESSIVE
from wartable.game.wagers.bonus_spin import NO_HOT_SPOT
from wartable.game.wagers.progressive import progressive_line
from wartable.odds.wagers import meters_of
from wartable.odds.walk import MeterReadings
from wartable.rules.model import WagerKind
from wartable.sim.classes import SLOTS, Hands, cards_for
from wartable.sim.setup import SimulationSetup, opened


class WagerMoney(NamedTuple):
    """What a wager put down and what it gained, in cents, all boxes together."""

    staked: int
    net: int


Payments = dict[WagerKind, WagerMoney]

Feed = dict[tuple[str, int], Card]
"""The card that each box and the dealer (0) gets in the original and in the war deal."""


def play(
    setup: SimulationSetup,
    start: Round,
    feed: Feed,
    war: bool,
    meters: MeterReadings,
    stop: Spin | None = None,
) -> Round:
    """The closed round with these cards, every tied hand choosing alike."""
    state, read = start, 0
    while not state.closed:
        due = awaits(setup.rules, state)[0]
        if isinstance(due, DueMeter):
            read += 1
        command = _answer(
            setup, due, feed, war, meters if read <= 1 else meters_of(setup.book), stop
        )
        state, _ = step(setup.rules, state, command)
    return state


def _answer(
    setup: SimulationSetup,
    due: Due,
    feed: Feed,
    war: bool,
    meters: MeterReadings,
    stop: Spin | None,
) -> Command:
    """What answers the engine's wait."""
    match due:
        case DueCard(deal=deal, box=box):
            return Deal(feed.get((deal, box), "??"))
        case DueBurn():
            return Burn()
        case DueMeter(meter=meter):
            return ReadMeter(meter, getattr(meters, meter))
        case DueWheel() if stop is not None:
            return stop
        case DueChoice(player=player, box=box):
            bonus = setup.plan.war_tie if war else 0
            return Choose(player, box, "war" if war else "surrender", bonus)
    raise AssertionError(f"nothing answers {due}")


def payments(start: Round, state: Round) -> Payments:
    """What every wager of a round brought; the war wager counts to the primary, envy likewise."""
    found: dict[WagerKind, list[int]] = {}
    for first, hand in zip(start.hands, state.hands, strict=True):
        for wager in hand.wagers:
            before = first.wager(wager.kind)
            kind: WagerKind = "primary" if wager.kind == "war" else wager.kind
            sums = found.setdefault(kind, [0, 0])
            sums[1] += wager.net
            if before is not None:
                sums[0] += before.at_risk
            elif kind != "primary":
                sums[0] += wager.at_risk
        if hand.envy:
            found[PROGRESSIVE.kind][1] += hand.envy
    return {kind: WagerMoney(*sums) for kind, sums in found.items()}


def shared_classes(setup: SimulationSetup) -> frozenset[str]:
    """Classes that pay others too, or empty a meter: rounds with one are asked as a whole."""
    progressive = setup.rules.wagers.progressive
    if progressive is None or PROGRESSIVE.kind not in setup.wagers:
        return frozenset()
    lines = {progressive.meter_line, progressive.envy.line}
    found = set()
    for name in SLOTS[1:]:
        cards = cards_for((name,))
        dealt = (cards["original", 1], cards["original", 0], cards["war", 1], cards["war", 0])
        if progressive_line(setup.rules, dealt) in lines:
            found.add(name)
    return frozenset(found)


class AskedPayments:
    """The engine's payments by class, each asked once."""

    def __init__(self, setup: SimulationSetup, ordered: bool) -> None:
        self.setup = setup
        self.ordered = ordered
        self.meters = meters_of(setup.book, setup.meter)
        self.table = opened(setup)
        self.shared = shared_classes(setup)
        self._alone: dict[str, Payments] = {}
        self._rounds: dict[Hands, Payments] = {}
        self._spins: dict[tuple[str, str], WagerMoney] = {}

    def round(self, hands: Hands) -> Payments:
        """What a round of these classes pays, without the bonus spin."""
        if self.ordered or any(name in self.shared for name in hands):
            if hands not in self._rounds:
                self._rounds[hands] = self._asked(self.setup, self.table, hands)
            return self._rounds[hands]
        total: Payments = {}
        for name in hands:
            for kind, paid in self.hand(name).items():
                staked, net = total.get(kind, (0, 0))
                total[kind] = WagerMoney(staked + paid.staked, net + paid.net)
        return total

    def hand(self, name: str) -> Payments:
        """What one box of a class pays where no other box matters."""
        if name not in self._alone:
            alone = replace(self.setup, boxes=1)
            self._alone[name] = self._asked(alone, opened(alone), (name,))
        return self._alone[name]

    def _asked(self, setup: SimulationSetup, table: Round, hands: Sequence[str]) -> Payments:
        """The engine's payments for cards that make these classes."""
        war = not any(name.endswith("surrendered") for name in hands)
        stop = Spin(community=self._any_community())
        state = play(setup, table, cards_for(hands), war, self.meters, stop)
        paid = payments(table, state)
        paid.pop(BONUS_SPIN.kind, None)
        return paid

    def _any_community(self) -> str | None:
        spin = self.setup.rules.wagers.bonus_spin
        return next(iter(spin.community)) if spin else None

    def spin(self, hot_spot: str, community: str) -> WagerMoney:
        """What a stop of the wheel pays all boxes; the hot spot may be any of them."""
        if (hot_spot, community) not in self._spins:
            spin = self.setup.rules.wagers.bonus_spin
            assert spin is not None
            suit = "h" if spin.trigger.color == "red" else "s"
            other: Card = "Kc" if spin.trigger.rank != "K" else "Qc"
            feed: Feed = {("original", box): other for box in range(1, self.setup.boxes + 1)}
            feed["original", 0] = f"{spin.trigger.rank}{suit}"
            stop = Spin(community=community)
            if hot_spot != NO_HOT_SPOT:
                stop = Spin(1, hot_spot, community)
            state = play(self.setup, self.table, feed, True, self.meters, stop)
            self._spins[hot_spot, community] = payments(self.table, state)[BONUS_SPIN.kind]
        return self._spins[hot_spot, community]
