"""The progressive and the bonus spin: lines, meters, long run, envy, break-even."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from wartable.cards import HIDDEN, RANKS
from wartable.game import Bet, Choose, Open
from wartable.game.wagers import WAGER
from wartable.game.wagers.wheel import JACKPOT
from wartable.odds.classes import DealClass, deals, example, weigh
from wartable.odds.composition import OddsError
from wartable.odds.figures import Distribution, exact
from wartable.odds.wagers import Odds
from wartable.odds.walk import bet_on, play_on
from wartable.rules import RuleBook, WagerKind
from wartable.rules.model import Meter, Progressive

PROGRESSIVE: WagerKind = "progressive"
BONUS_SPIN: WagerKind = "bonus_spin"
OTHERS_MAX = 8
HOLDER = "holder"
HOLDER_BOX = 2


class LongRun(NamedTuple):
    """The long-run return per unit of the wager, by who pays it."""

    fixed: Fraction
    """What the fixed odds return."""
    reseeded: Fraction
    """What the house puts into the meter after each win."""
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
    """The meter at which the wager is even; None if its line cannot be dealt."""
    typical_meter: Fraction | None
    """The long-run mean of what the meter shows, and of what it pays."""
    long_run: LongRun
    envy_each: Fraction
    """What each other player adds to the return, per unit of the wager."""
    slope: Fraction
    """The return that each cent of the meter adds."""

    def return_at(self, meter: Fraction | int) -> Fraction:
        """The return at another meter, without envy."""
        return self.long_run.fixed + self.slope * meter

    def break_even_with(self, others: int) -> Fraction | None:
        """The break-even meter with the envy bonuses of this many other players."""
        if self.break_even_meter is None:
            return None
        return self.break_even_meter - others * self.envy_each / self.slope


def progressive(odds: Odds) -> ProgressiveOdds:
    """The progressive wager of a book: always war, at the odds' stake and meter."""
    offer = offered_progressive(odds.rules)
    plan = odds.plan_for(PROGRESSIVE)
    stake, meter = plan.stake(PROGRESSIVE), odds.meters["progressive"]
    at_meter = odds.part(plan, PROGRESSIVE)
    fixed = odds.showing(0).part(plan, PROGRESSIVE).player_return
    slope = (odds.showing(stake).part(plan, PROGRESSIVE).player_return - fixed) / stake
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
    """The book's progressive wager; raises `OddsError` if it has none."""
    offer = rules.wagers.progressive
    if offer is None or not offer.offered:
        raise OddsError(f"{rules.name} offers no progressive wager.")
    return offer


def typical_meter(meter: Meter, stake: int, chance: Fraction) -> Fraction | None:
    """The mean of what a meter pays: its reset plus the contributions between two wins."""
    if not chance:
        return None
    rate = Fraction(meter.contribution.over, meter.contribution.under)
    return meter.reset + rate * stake / chance


def envy_each(odds: Odds, stake: int, holder_wagers: bool = True) -> Fraction:
    """What one other player's hand adds to a progressive wager, per unit of it."""
    if odds.rules.boxes_in_play < HOLDER_BOX:
        return Fraction(0)
    weights: dict[DealClass, int] = {}
    for kind, weight in weigh(odds.composition, None).items():
        weights[kind] = weights.get(kind, 0) + weight
    paid = sum(
        weight * envy_paid(odds, kind, stake, holder_wagers)
        for kind, weight in weights.items()
        if kind.relation == "tie"
    )
    return Fraction(paid, deals(odds.composition) * stake)


def envy_paid(odds: Odds, kind: DealClass, stake: int, holder_wagers: bool) -> int:
    """What the engine pays box 1 if another player's box 2 has that class of deal."""
    rules = odds.rules
    player, dealer, war_player, war_dealer = example(kind, None)
    own = next(name for name in RANKS if name != dealer[0]) + "c"
    primary = odds.plan_for(PROGRESSIVE).primary
    bets = [Bet("player", 1, "primary", primary), Bet("player", 1, PROGRESSIVE, stake)]
    bets.append(Bet(HOLDER, HOLDER_BOX, "primary", primary))
    if holder_wagers:
        bets.append(Bet(HOLDER, HOLDER_BOX, PROGRESSIVE, stake))
    feed = {("original", 1): own, ("original", 2): player, ("original", 0): dealer}
    feed |= {("war", 2): war_player, ("war", 0): war_dealer}
    state = play_on(
        rules,
        bet_on(rules, Open(), bets),
        lambda due: feed.get((due.deal, due.box), HIDDEN),
        lambda _: Choose(HOLDER, HOLDER_BOX, "war"),
        odds.meters.__getitem__,
    )
    return state.hands[0].envy  # box 1 comes first


class SpinOdds(NamedTuple):
    """The bonus spin at a stake, for one of several boxes that bet on it."""

    stake: int
    bettors: int
    odds: Distribution
    trigger: Fraction
    """The probability that the dealer's card starts the wheel."""
    mean_payment: Fraction
    """The wheel's mean payment once it is started, in cents."""
    break_even_payment: Fraction | None
    """The mean payment in cents at which the wager is even, for any wheel."""
    typical_meters: dict[str, Fraction | None]
    long_run: LongRun


def bonus_spin(odds: Odds) -> SpinOdds:
    """The bonus spin of a book with the book's wheel and its meters at reset."""
    if not WAGER[BONUS_SPIN].offered(odds.rules):
        raise OddsError(f"{odds.rules.name} offers no bonus spin.")
    plan = odds.plan_for(BONUS_SPIN, "surrender")
    stake = plan.stake(BONUS_SPIN)
    at_reset = odds.part(plan, BONUS_SPIN)
    trigger = 1 - at_reset.outcomes.get("lost", Fraction(0))
    fixed, contributed = at_reset.player_return, Fraction(0)
    typical: dict[str, Fraction | None] = {}
    for name, meter in WAGER[BONUS_SPIN].meters(odds.rules).items():
        meters = [{**odds.meters, name: amount} for amount in (0, stake)]
        low, high = (odds.with_meters(each).part(plan, BONUS_SPIN).ev for each in meters)
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


def progressive_json(odds: Odds) -> dict[str, Any]:
    """The progressive's meter, long run and envy."""
    found = progressive(odds)
    return {
        "stake": found.stake,
        "meter": found.meter,
        "return": exact(found.odds.player_return),
        "break_even_meter": exact(found.break_even_meter),
        "typical_meter": exact(found.typical_meter),
        "long_run": long_run_json(found.long_run),
        "envy": {
            "each_other_player": exact(found.envy_each),
            "break_even_meter": {
                str(others): exact(found.break_even_with(others))
                for others in range(1, OTHERS_MAX + 1)
            },
        },
    }


def long_run_json(long_run: LongRun) -> dict[str, Any]:
    """A long-run return by its parts."""
    return {
        "fixed": exact(long_run.fixed),
        "reseeded": exact(long_run.reseeded),
        "contributed": exact(long_run.contributed),
        "return": exact(long_run.total),
    }


def spin_json(odds: Odds) -> dict[str, Any]:
    """The bonus spin's trigger, wheel and meters."""
    found = bonus_spin(odds)
    most = odds.rules.boxes_in_play
    by_bettors = {}
    for bettors in range(1, most + 1):
        other = Odds(odds.book, odds.decks, composition=odds.composition, bettors=bettors)
        stake = found.stake
        by_bettors[str(bettors)] = exact(other.wager(BONUS_SPIN, stake=stake).player_return)
    return {
        "stake": found.stake,
        "trigger": exact(found.trigger),
        "mean_payment": exact(found.mean_payment),
        "break_even_payment": exact(found.break_even_payment),
        "return": exact(found.odds.player_return),
        "typical_meters": {name: exact(value) for name, value in found.typical_meters.items()},
        "long_run": long_run_json(found.long_run),
        "return_by_bettors": by_bettors,
    }


STUDIES: dict[WagerKind, Callable[[Odds], dict[str, Any]]] = {
    PROGRESSIVE: progressive_json,
    BONUS_SPIN: spin_json,
}
"""What is reported on each side bet beyond its odds."""


def _progressive(odds: Odds) -> Fraction | None:
    return _edge(odds, PROGRESSIVE)


def _envied(odds: Odds) -> Fraction | None:
    if not WAGER[PROGRESSIVE].offered(odds.rules):
        return None
    shown = progressive(odds)
    return shown.odds.edge - envy_each(odds, shown.stake, holder_wagers=False)


def _bonus_spin(odds: Odds) -> Fraction | None:
    return _edge(odds, BONUS_SPIN)


def _edge(odds: Odds, kind: WagerKind) -> Fraction | None:
    return odds.wager(kind).edge if WAGER[kind].offered(odds.rules) else None


EdgeMeasure = Callable[[Odds], Fraction | None]

SIDE_BET_MEASURES: dict[str, tuple[str, EdgeMeasure]] = {
    "progressive_odds": ("progressive at its meter, always war", _progressive),
    "progressive_suited": ("progressive at its meter, always war", _progressive),
    "envy_holder": ("progressive beside one player without it, envy counted", _envied),
    "community_pays": ("bonus spin, one bettor, meters at reset", _bonus_spin),
}
"""The measure of each option that changes a side bet, in words and as a function."""
