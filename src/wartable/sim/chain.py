"""Exact ruin: a Markov chain of a bankroll with the same bet every round."""

from fractions import Fraction
from math import gcd
from typing import Any, NamedTuple

import numpy as np

from wartable.odds import Odds, weigh
from wartable.odds.classes import deals
from wartable.odds.composition import Composition
from wartable.odds.walk import TieChoice
from wartable.sim.expected import named
from wartable.sim.session import NEVER, SessionPlan, Tables, code_names, surrendered_as

WORK_MAX = 3 * 10**9
"""The limit on states times rounds times results; a larger chain takes too long."""


class SessionEnd(NamedTuple):
    """The probabilities at the end of a session, and its means."""

    ruined: float
    reached: float
    stopped: float
    mean_final: float
    mean_ruined_at: float | None


class _Part(NamedTuple):
    """A range of money with the results of a round in it."""

    low: int
    high: int
    results: dict[int, float]


def chances(session: SessionPlan) -> dict[str, Fraction]:
    """The probability of each class of a round, at war."""
    composition = Composition.fresh(session.decks)
    total = deals(composition)
    found: dict[str, Fraction] = {}
    for kind, weight in weigh(composition, None).items():
        name = named(kind, True)
        if not session.suits and "war_tied" in name:
            name = "war_tied"
        elif not session.suits:
            name = name.removeprefix("suited_")
        found[name] = found.get(name, Fraction(0)) + Fraction(weight, total)
    return found


def _results(
    session: SessionPlan, tables: Tables
) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
    """The results of a round with enough money for a war, and without it."""
    rich: dict[int, Fraction] = {}
    poor: dict[int, Fraction] = {}
    by_name = chances(session)
    for code, name in code_names(session.suits).items():
        at_war, at_surrender = int(tables.nets[1, code]), int(tables.surrendered[1, code])
        kept = at_surrender if surrendered_as(name) != name else at_war
        for found, net in ((rich, at_war if session.war else kept), (poor, kept)):
            found[net] = found.get(net, Fraction(0)) + by_name[name]
    return rich, poor


def chain(session: SessionPlan, tables: Tables) -> SessionEnd | None:
    """The exact course of a flat bet; None if the session is not one or is too large."""
    if session.system != "flat":
        return None
    rich, poor = _results(session, tables)
    step = gcd(*rich, *poor)
    least = max(session.need, session.floor + 1)
    loss, gain = -min(*rich, *poor), max(*rich, *poor)
    # Above `safe`, neither ruin nor a stop-loss can be reached, and every war can be paid.
    safe = max(least, int(tables.needs_war[1])) + session.rounds * loss
    goal = session.goal if session.goal < NEVER else max(safe, session.bankroll + 1)
    top = min(goal, session.bankroll + session.rounds * gain + 1)
    states = (top - least + loss + gain) // step + 2
    if states * session.rounds * len(rich) > WORK_MAX:
        return None
    low = session.bankroll - -(-(session.bankroll - (least - loss)) // step) * step
    mean = float(sum(net * chance for net, chance in rich.items()))
    above = mean if session.goal >= NEVER else 0.0  # at its goal a session is over
    return _walked(session, _parts(session, tables, least, top), low, step, states, top, above)


def _parts(session: SessionPlan, tables: Tables, least: int, top: int) -> list[_Part]:
    rich, poor = _results(session, tables)
    middle = min(max(int(tables.needs_war[1]), least), top)
    return [
        _Part(low, high, {net: float(chance) for net, chance in results.items()})
        for low, high, results in ((least, middle, poor), (middle, top, rich))
        if low < high
    ]


def _walked(
    session: SessionPlan,
    parts: list[_Part],
    low: int,
    step: int,
    states: int,
    top: int,
    above: float,
) -> SessionEnd:
    """The chain after every round; money outside the parts stays in its state.

    From `top` on, a round changes the mean by `above`, and nothing else.
    """
    money = low + step * np.arange(states)
    chance = np.zeros(states)
    chance[(session.bankroll - low) // step] = 1.0
    mean, ruin_time, ruined = float(session.bankroll), 0.0, 0.0
    spans = [_span(part, low, step) for part in parts]
    for number in range(1, session.rounds + 1):
        after = chance.copy()
        mean += above * float(chance[money >= top].sum())
        for first, last in spans:
            after[first:last] = 0.0
        for part, (first, last) in zip(parts, spans, strict=True):
            alive = chance[first:last]
            for net, share in part.results.items():
                shift = net // step
                after[first + shift : last + shift] += share * alive
            mean += float(alive.sum()) * sum(net * share for net, share in part.results.items())
        chance = after
        now = float(chance[money < session.need].sum())
        ruin_time += number * (now - ruined)
        ruined = now
    held = _held(session, money, chance)
    return SessionEnd(ruined, *held, mean, ruin_time / ruined if ruined else None)


def _span(part: _Part, low: int, step: int) -> tuple[int, int]:
    """The states of a range of money."""
    return -(-(part.low - low) // step), -(-(part.high - low) // step)


def _held(session: SessionPlan, money: Any, chance: Any) -> tuple[float, float]:
    """The probability of the goal, and of the stop-loss without ruin."""
    reached = float(chance[money >= session.goal].sum())
    stopped = float(chance[(money <= session.floor) & (money >= session.need)].sum())
    return reached, stopped


def hourly_cost(session: SessionPlan, rounds_per_hour: int) -> Fraction:
    """The exact expected loss of an hour at the first bet, in cents."""
    odds = Odds(session.book, session.decks).with_meters(session.meters)
    choice: TieChoice = "war" if session.war else "surrender"
    cost = odds.wager("primary", choice).edge * session.bet
    if session.tie:
        cost += odds.wager("tie").edge * session.tie
    for kind, stake in session.side_bets.items():
        if stake:
            cost += odds.wager(kind, choice, stake).edge * stake
    if session.war_tie and session.war:
        cost += odds.tie_probability() * odds.wager("war_tie").edge * session.war_tie
    return cost * rounds_per_hour
