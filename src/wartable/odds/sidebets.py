"""The progressive and the bonus spin: lines, meters, long run, envy, break-even."""

from fractions import Fraction
from typing import NamedTuple

from wartable.cards import RANKS
from wartable.game import (
    Bet,
    Burn,
    Choose,
    CloseBets,
    Command,
    Deal,
    DueBurn,
    DueCard,
    DueChoice,
    DueMeter,
    Open,
    ReadMeter,
    Round,
    awaits,
    step,
)
from wartable.game.wagers import BONUS_SPIN, PROGRESSIVE
from wartable.game.wagers.bonus_spin import JACKPOT
from wartable.odds.classes import Kind, deals, example, weigh
from wartable.odds.composition import OddsError
from wartable.odds.figures import Distribution
from wartable.odds.wagers import Odds
from wartable.rules import RuleBook
from wartable.rules.model import BonusSpin, Meter, Progressive

HOLDER = "holder"
HOLDER_BOX = 2


class LongRun(NamedTuple):
    """The return over many meters, in parts: who pays what per unit of the wager."""

    fixed: Fraction
    """What the fixed odds return."""
    reseeded: Fraction
    """What the house puts into the meter after each win of it."""
    contributed: Fraction
    """What the wagers themselves put into the meter."""

    @property
    def total(self) -> Fraction:
        """The whole return."""
        return self.fixed + self.reseeded + self.contributed


class ProgressiveOdds(NamedTuple):
    """The progressive wager at a stake and a meter, in cents."""

    stake: int
    meter: int
    odds: Distribution
    lines: dict[str, Fraction]
    break_even_meter: Fraction | None
    """What the meter must show for an even wager; None where its line cannot be dealt."""
    typical_meter: Fraction | None
    """The mean of what the meter shows in the long run, and of what it pays."""
    long_run: LongRun
    envy_each: Fraction
    """What each other player is worth to the wager, per unit of it."""
    slope: Fraction
    """The return that each cent of the meter adds."""

    def return_at(self, meter: Fraction | int) -> Fraction:
        """The return at another meter, without envy."""
        return self.long_run.fixed + self.slope * meter

    def break_even_with(self, others: int) -> Fraction | None:
        """The break-even meter with the envy bonuses of so many other players counted."""
        if self.break_even_meter is None:
            return None
        return self.break_even_meter - others * self.envy_each / self.slope


def progressive(odds: Odds) -> ProgressiveOdds:
    """The progressive wager of a book: always war, at the odds' stake and meter."""
    offer = offered_progressive(odds.rules)
    plan = odds.plan_for(PROGRESSIVE.kind)
    stake, meter = plan.progressive, odds.meters.progressive
    at_meter = odds.part(plan, PROGRESSIVE.kind)
    fixed = odds.showing(0).part(plan, PROGRESSIVE.kind).player_return
    slope = (odds.showing(stake).part(plan, PROGRESSIVE.kind).player_return - fixed) / stake
    chance = at_meter.outcomes.get(offer.meter_line, Fraction(0))
    typical = typical_meter(offer.meter, stake, chance)
    long_run = LongRun(
        fixed,
        slope * offer.meter.reset,
        slope * (typical - offer.meter.reset) if typical is not None else Fraction(0),
    )
    return ProgressiveOdds(
        stake,
        meter,
        at_meter,
        {line: at_meter.outcomes.get(line, Fraction(0)) for line in offer.lines},
        (1 - fixed) / slope if slope else None,
        typical,
        long_run,
        envy_each(odds, stake),
        slope,
    )


def offered_progressive(rules: RuleBook) -> Progressive:
    """The book's progressive wager, refused where it has none."""
    offer = rules.wagers.progressive
    if offer is None or not offer.offered:
        raise OddsError(f"{rules.name} offers no progressive wager.")
    return offer


def typical_meter(meter: Meter, stake: int, chance: Fraction) -> Fraction | None:
    """The mean of what a meter pays: its reset and what is contributed between two wins."""
    if not chance:
        return None
    rate = Fraction(meter.contribution.over, meter.contribution.under)
    return meter.reset + rate * stake / chance


def envy_each(odds: Odds, stake: int, holder_wagers: bool = True) -> Fraction:
    """What one other player's hand brings a progressive wager, per unit of it."""
    weights: dict[Kind, int] = {}
    for kind, weight in weigh(odds.composition, None).items():
        weights[kind] = weights.get(kind, 0) + weight
    paid = sum(
        weight * envy_paid(odds, kind, stake, holder_wagers)
        for kind, weight in weights.items()
        if kind.relation == "tie"
    )
    return Fraction(paid, deals(odds.composition) * stake)


def envy_paid(odds: Odds, kind: Kind, stake: int, holder_wagers: bool) -> int:
    """What the engine pays box 1 for that class of deal on another player's box 2."""
    rules = odds.rules
    player, dealer, war_player, war_dealer = example(kind, None)
    own = next(name for name in RANKS if name != dealer[0]) + "c"
    state, _ = step(rules, Round(), Open())
    primary = odds.plan_for(PROGRESSIVE.kind).primary
    bets = [Bet("player", 1, "primary", primary), Bet("player", 1, PROGRESSIVE.kind, stake)]
    bets.append(Bet(HOLDER, HOLDER_BOX, "primary", primary))
    if holder_wagers:
        bets.append(Bet(HOLDER, HOLDER_BOX, PROGRESSIVE.kind, stake))
    commands: list[Command] = [*bets, CloseBets()]
    for command in commands:
        state, _ = step(rules, state, command)
    feed = {("original", 1): own, ("original", 2): player, ("original", 0): dealer}
    feed |= {("war", 2): war_player, ("war", 0): war_dealer}
    while not state.closed:
        match awaits(rules, state)[0]:
            case DueCard(deal=deal, box=box):
                state, _ = step(rules, state, Deal(feed.get((deal, box), "??")))
            case DueBurn():
                state, _ = step(rules, state, Burn())
            case DueChoice():
                state, _ = step(rules, state, Choose(HOLDER, HOLDER_BOX, "war"))
            case DueMeter(meter=meter):
                state, _ = step(rules, state, ReadMeter(meter, getattr(odds.meters, meter)))
    return next(hand.envy for hand in state.hands if hand.box == 1)


class SpinOdds(NamedTuple):
    """The bonus spin at a stake, as one of so many boxes that bet on it."""

    stake: int
    bettors: int
    odds: Distribution
    trigger: Fraction
    """The probability that the dealer's card starts the wheel."""
    mean_payment: Fraction
    """What the wheel pays on average once it is started, in cents."""
    break_even_payment: Fraction | None
    """The mean payment in cents at which the wager is even, whatever the wheel."""
    typical_meters: dict[str, Fraction | None]
    long_run: LongRun


def bonus_spin(odds: Odds) -> SpinOdds:
    """The bonus spin of a book with the wheel that the book gives, its meters at reset."""
    offer = offered_spin(odds.rules)
    plan = odds.plan_for(BONUS_SPIN.kind, "surrender")
    stake = plan.bonus_spin
    at_reset = odds.part(plan, BONUS_SPIN.kind)
    trigger = 1 - at_reset.outcomes.get("lost", Fraction(0))
    fixed, contributed = at_reset.player_return, Fraction(0)
    typical: dict[str, Fraction | None] = {}
    for name, meter in offer.meters.items():
        meters = [odds.meters._replace(**{name: amount}) for amount in (0, stake)]
        low, high = (odds.with_meters(each).part(plan, BONUS_SPIN.kind).ev for each in meters)
        slope = (high - low) / stake
        fixed -= at_reset.ev - low
        chance = at_reset.outcomes.get(JACKPOT + name, Fraction(0))
        typical[name] = mean = typical_meter(meter, stake, chance)
        if mean is not None:
            contributed += slope * (mean - meter.reset)
    return SpinOdds(
        stake,
        odds.bettors,
        at_reset,
        trigger,
        at_reset.player_return * stake / trigger if trigger else Fraction(0),
        stake / trigger if trigger else None,
        typical,
        LongRun(fixed, at_reset.player_return - fixed, contributed),
    )


def offered_spin(rules: RuleBook) -> BonusSpin:
    """The book's bonus spin, refused where it has none."""
    offer = rules.wagers.bonus_spin
    if offer is None or not offer.offered:
        raise OddsError(f"{rules.name} offers no bonus spin.")
    return offer
