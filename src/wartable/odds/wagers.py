"""Exact odds of one box: every wager alone, whole-seat plans, and the best choice at a tie."""

from collections.abc import Iterator, Sequence
from copy import copy
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from wartable.cards import RANKS, Card
from wartable.game import Illegal
from wartable.game.wagers import ASKED_METER, SIDE_BETS, WAGER, WAGERS
from wartable.game.wagers.wheel import triggers
from wartable.odds.classes import DealClass, Pair, decided, pairs, weigh
from wartable.odds.composition import Composition, OddsError
from wartable.odds.figures import Distribution, Tally
from wartable.odds.walk import Endings, MeterReadings, Plan, TieChoice, engine_of, unit
from wartable.odds.wheel import wheel_stops
from wartable.rules import Book, RuleBook, WagerKind

ALONE = tuple(each for each in WAGERS if each.kind != "war")
"""The wagers with their own odds; the war wager belongs to the primary's."""


class Best(NamedTuple):
    """The better choice at each tie, and the odds of always making it."""

    odds: Distribution
    by_rank: dict[str, str]
    """By tied rank: `war`, `surrender`, `either`, or `depends` if the suits matter."""


class Odds:
    """The exact odds of a rule book for the cards at hand."""

    def __init__(
        self,
        book: Book,
        decks: int | None = None,
        seen: Sequence[Card] = (),
        *,
        stake: int | None = None,
        meter: int | None = None,
        bettors: int = 1,
        composition: Composition | None = None,
    ) -> None:
        if not isinstance(book, Book):
            raise OddsError(f"Odds need a Book, such as load('maryland'), not {book!r:.40}")
        self.book = book
        self.rules = book.rules
        self.decks = self.rules.shoe.decks if decks is None else decks
        whole = Composition.fresh(self.decks) if composition is None else composition
        self.composition = whole.without(seen)
        self.engine = engine_of(self.rules)
        self.stake = stake
        self.meters = meters_of(book, meter)
        self.bettors = bettors
        if stake is not None and (problem := stake_problem(self.rules, stake)):
            raise OddsError(problem)

    @property
    def offered(self) -> tuple[WagerKind, ...]:
        """The offered wagers that have their own odds."""
        return offered_wagers(self.rules)

    def wager(self, kind: str, choice: TieChoice = "war", stake: int | None = None) -> Distribution:
        """The odds of one wager; those of the war tie wager are given a tie."""
        known = check_wager(self.book, kind)
        if WAGER[known].by_wheel:
            choice = "surrender"  # the original deal decides it, so skip the war
        return self.part(self.plan_for(known, choice, stake), known)

    def plan_for(
        self, kind: WagerKind, choice: TieChoice = "war", stake: int | None = None
    ) -> Plan:
        """The smallest plan with the wager."""
        amount = self._amount(kind) if stake is None else stake
        plan = Plan.of({kind: amount}, choice)
        if kind == "war_tie" and self.rules.options.war_tie_wager == "equal_primary":
            return plan._replace(primary=amount)
        if kind == "tie" and not self.rules.wagers.tie.with_primary:
            return plan
        return plan if kind == "primary" else plan._replace(primary=unit(self.rules, "primary"))

    def part(self, plan: Plan, kind: WagerKind) -> Distribution:
        """The odds of one wager of a plan, in units of that wager."""
        tally = Tally()
        for weight, answer, deal in self.answers(plan):
            if kind == "war_tie" and deal.relation != "tie":
                continue
            wager, war = answer[kind], answer.get("war") if kind == "primary" else None
            size = Fraction(1, wager.staked)
            net, staked = wager.net, wager.staked
            if war is not None:
                net, staked = net + war.net, staked + war.staked
            tally.add(weight, net * size, staked * size, wager.outcome)
        if not tally.total:
            raise OddsError("These cards cannot tie, so there is no war.")
        return tally.distribution()

    def plan(self, plan: Plan) -> Distribution:
        """The odds of a whole seat, in units of its primary wager (or its lone tie wager)."""
        tally = Tally()
        size = _one_over("primary or tie", plan.primary or plan.tie)
        for weight, answer, _ in self.answers(plan):
            _count(tally, weight, answer, size)
        return tally.distribution()

    def answers(self, plan: Plan) -> Iterator[tuple[int | Fraction, Endings, DealClass]]:
        """Every class of deal, with its weight and how the plan's wagers end."""
        weights: dict[DealClass, int] = {}
        for kind, weight in weigh(self.composition, self.engine.trigger).items():
            coarse = self._coarse(plan, kind)
            weights[coarse] = weights.get(coarse, 0) + weight
        for kind, weight in weights.items():
            for chance, answer in self._stops(plan, kind):
                yield weight * chance, answer, kind

    def best(self, plan: Plan) -> Best:
        """The better of war and surrender at each tied pair of cards, and the odds."""
        tally = Tally()
        size = _one_over("primary", plan.primary)
        for kind, weight in self._decided.items():
            for chance, answer in self._stops(plan, self._coarse(plan, kind)):
                _count(tally, weight * chance, answer, size)
        found: dict[str, set[str]] = {}
        for pair in self._pairs:
            values = {
                choice: self._value(plan._replace(choice=choice), pair)
                for choice in ("war", "surrender")
            }
            better = "surrender" if values["surrender"] > values["war"] else "war"
            even = values["surrender"] == values["war"]
            found.setdefault(pair.player[0], set()).add("either" if even else better)
            chosen = plan._replace(choice="surrender" if better == "surrender" else "war")
            for share, answer in self._after(chosen, pair):
                _count(tally, share, answer, size)
        by_rank = {
            name: next(iter(found[name])) if len(found[name]) == 1 else "depends"
            for name in RANKS
            if name in found
        }
        return Best(tally.distribution(), by_rank)

    def with_meters(self, meters: MeterReadings) -> "Odds":
        """The same odds with the meters at other amounts, even below their floors."""
        other = copy(self)
        other.meters = meters
        return other

    def showing(self, meter: int) -> "Odds":
        """The same odds with the meter that may be set at another amount, even below its floor."""
        return self.with_meters({**self.meters, ASKED_METER: meter})

    def tie_probability(self) -> Fraction:
        """The probability that the original deal ties."""
        tied = sum(number * (number - 1) for number in self.composition.ranks)
        return Fraction(tied, self.composition.size * (self.composition.size - 1))

    @cached_property
    def _pairs(self) -> list[Pair]:
        return list(pairs(self.composition))

    @cached_property
    def _decided(self) -> dict[DealClass, int]:
        return decided(self.composition, self.engine.trigger)

    def _tied(self, pair: Pair) -> DealClass:
        trigger = self.engine.trigger
        started = trigger is not None and triggers(trigger, pair.dealer)
        return DealClass("tie", pair.player == pair.dealer, started)

    def _coarse(self, plan: Plan, kind: DealClass) -> DealClass:
        made = [WAGER[each] for each in plan.before_deal]
        return kind.coarse(
            suits=any(each.by_suits for each in made),
            trigger=any(each.by_wheel for each in made),
            wars=plan.choice != "surrender",
        )

    def _after(self, plan: Plan, pair: Pair) -> Iterator[tuple[int | Fraction, Endings]]:
        """The answers to the war deals after a tied pair, with their weights."""
        for war, weight in pair.wars.items():
            kind = self._coarse(plan, self._tied(pair)._replace(war=war))
            for chance, answer in self._stops(plan, kind):
                yield pair.weight * weight * chance, answer

    def _value(self, plan: Plan, pair: Pair) -> Fraction:
        """The weighted net of a plan after a tied pair, to compare choices."""
        total: int | Fraction = 0
        for weight, answer in self._after(plan, pair):
            total += weight * sum(ended.net for ended in answer.values())
        return Fraction(total)

    def _stops(self, plan: Plan, kind: DealClass) -> Iterator[tuple[int | Fraction, Endings]]:
        """The answers to a class, one for each stop of the wheel if it is spun."""
        try:
            if not (kind.triggers and any(WAGER[each].by_wheel for each in plan.before_deal)):
                yield 1, self.engine.ask(plan, kind, self.meters)
                return
            for stop, chance in wheel_stops(self.book, self.bettors):
                yield chance, self.engine.ask(plan, kind, self.meters, stop)
        except Illegal as refusal:
            raise OddsError(refusal.sentence) from None

    def _amount(self, kind: WagerKind) -> int:
        if WAGER[kind].side_bet and self.stake is not None:
            return self.stake
        return unit(self.rules, kind)


def _one_over(what: str, stake: int) -> Fraction:
    """One over a plan's stake; raises `OddsError` if nothing is staked."""
    if type(stake) is not int or stake < 1:
        raise OddsError(f"The plan needs a {what} wager of at least one whole cent, not {stake!r}.")
    return Fraction(1, stake)


def _count(tally: Tally, weight: int | Fraction, answer: Endings, size: Fraction) -> None:
    """Count all wagers of a round as one result, under the outcome of its first wager."""
    net = sum(ended.net for ended in answer.values())
    staked = sum(ended.staked for ended in answer.values())
    tally.add(weight, net * size, staked * size, next(iter(answer.values())).outcome)


def offered_wagers(rules: RuleBook) -> tuple[WagerKind, ...]:
    """The offered wagers that have their own odds."""
    return tuple(each.kind for each in ALONE if each.offered(rules))


def check_wager(book: Book, kind: str) -> WagerKind:
    """The wager of that name; raises `OddsError` with the names that have their own odds."""
    offered = offered_wagers(book.rules)
    for name in offered:
        if name == kind:
            return name
    what = "not offered by" if kind in WAGER else "not a wager of"
    if kind == "war":
        raise OddsError("The war wager's odds are part of the primary's; ask for primary.")
    raise OddsError(f"{kind!r} is {what} {book.rules.name}; its wagers are {', '.join(offered)}.")


def meters_of(book: Book, meter: int | None = None) -> MeterReadings:
    """The book's meters at their reset; `meter` replaces the one that may be set."""
    rules = book.rules
    meters = {name: each for wager in WAGERS for name, each in wager.meters(rules).items()}
    resets = {name: each.reset for name, each in meters.items()}
    if meter is None:
        return resets
    asked = meters.get(ASKED_METER)
    if asked is None:
        raise OddsError(f"{rules.name} has no {ASKED_METER} meter, so leave the meter out.")
    least = min(asked.initial, asked.reset)
    if meter < least:
        raise OddsError(f"The meter must be at least {least} cents, not {meter}.")
    return {**resets, ASKED_METER: meter}


def side_bet_sizes(rules: RuleBook) -> list[int]:
    """The sizes that some side bet of the book accepts, in rising order."""
    return sorted({size for each in SIDE_BETS for size in each.denominations(rules)})


def stake_problem(rules: RuleBook, stake: int) -> str:
    """Why no side bet of the book accepts the stake; empty if one does."""
    sizes = side_bet_sizes(rules)
    if stake in sizes:
        return ""
    if not sizes:
        return f"{rules.name} has no side bets, so leave the stake out."
    return f"A side bet of {rules.name} may be {', '.join(map(str, sizes))} cents, not {stake}."
