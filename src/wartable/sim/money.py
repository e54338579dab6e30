"""What the engine pays for each class: the kernels count, the engine pays."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from wartable.cards import HIDDEN, Card
from wartable.game import Choose, Round, Spin
from wartable.game.wagers import ENVY_BET, WAGER, WHEEL_BET
from wartable.game.wagers.wheel import NO_HOT_SPOT, wheel_of
from wartable.odds.wagers import meters_of
from wartable.odds.walk import MeterReadings, play_on
from wartable.rules.model import WagerKind
from wartable.sim.classes import SLOTS, Hands, cards_for
from wartable.sim.setup import SimulationSetup, opened


class WagerMoney(NamedTuple):
    """A wager's stake and gain in cents, over all boxes."""

    staked: int
    net: int


Payments = dict[WagerKind, WagerMoney]

Feed = dict[tuple[str, int], Card]
"""The card of each box and of the dealer (0) in the original and in the war deal."""


def play(
    setup: SimulationSetup,
    start: Round,
    feed: Feed,
    war: bool,
    meters: MeterReadings,
    stop: Spin | None = None,
) -> Round:
    """The closed round with these cards; every tied hand makes the same choice."""
    first, resets = iter((meters,)), meters_of(setup.book)
    bonus = setup.plan.war_tie if war else 0
    return play_on(
        setup.rules,
        start,
        lambda due: feed.get((due.deal, due.box), HIDDEN),
        lambda due: Choose(due.player, due.box, "war" if war else "surrender", bonus),
        lambda name: next(first, resets)[name],
        stop,
    )


def payments(start: Round, state: Round) -> Payments:
    """What every wager of a round paid; war counts with the primary, envy with its side bet."""
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
            found[ENVY_BET.kind][1] += hand.envy
    return {kind: WagerMoney(*sums) for kind, sums in found.items()}


def shared_classes(setup: SimulationSetup) -> frozenset[str]:
    """Classes that pay other boxes or empty a meter; the engine must play their whole round."""
    found = set()
    for name in SLOTS[1:]:
        cards = cards_for((name,))
        dealt = (cards["original", 1], cards["original", 0], cards["war", 1], cards["war", 0])
        if any(WAGER[kind].reaches_others(setup.rules, dealt) for kind in setup.wagers):
            found.add(name)
    return frozenset(found)


class AskedPayments:
    """The engine's payments by class; it is asked once for each."""

    def __init__(self, setup: SimulationSetup, ordered: bool) -> None:
        self.setup = setup
        self.ordered = ordered
        self.meters = meters_of(setup.book, setup.meter)
        self.table = opened(setup)
        self.shared = shared_classes(setup)
        levels = range(len(setup.policy.stakes)) if setup.level == 0 else ()
        self.levels = [self] + [
            AskedPayments(replace(setup, level=level), ordered) for level in levels if level
        ]
        """The payments for each of the policy's stakes."""
        self._alone: dict[str, Payments] = {}
        self._rounds: dict[Hands, Payments] = {}
        self._spins: dict[tuple[str, str], WagerMoney] = {}

    def round(self, hands: Hands) -> Payments:
        """What a round of these classes pays, without what the wheel pays."""
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
        """What one box of a class pays if no other box matters."""
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
        paid.pop(WHEEL_BET.kind, None)
        return paid

    def _any_community(self) -> str | None:
        spin = wheel_of(self.setup.rules)
        return next(iter(spin.community)) if spin else None

    def spin(self, hot_spot: str, community: str) -> WagerMoney:
        """What a stop of the wheel pays all boxes; the hot spot may be any of them."""
        if (hot_spot, community) not in self._spins:
            spin = wheel_of(self.setup.rules)
            assert spin is not None
            suit = "h" if spin.trigger.color == "red" else "s"
            other: Card = "Kc" if spin.trigger.rank != "K" else "Qc"
            feed: Feed = {("original", box): other for box in range(1, self.setup.boxes + 1)}
            feed["original", 0] = f"{spin.trigger.rank}{suit}"
            stop = Spin(community=community)
            if hot_spot != NO_HOT_SPOT:
                stop = Spin(1, hot_spot, community)
            state = play(self.setup, self.table, feed, True, self.meters, stop)
            self._spins[hot_spot, community] = payments(self.table, state)[WHEEL_BET.kind]
        return self._spins[hot_spot, community]
