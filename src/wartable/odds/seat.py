"""A whole seat: wagers of chosen sizes together, their odds, and what a session with them needs."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from wartable.odds.bands import LEVELS, ROUNDS, band
from wartable.odds.composition import OddsError
from wartable.odds.figures import Distribution, exact
from wartable.odds.wagers import Odds, check_wager
from wartable.odds.walk import Plan

Strategy = Literal["war", "surrender", "best"]
"""What a seat does at a tie; `best` makes the better choice for each tied pair of cards."""


def check_strategy(name: str) -> Strategy:
    """The strategy of that name; raises `OddsError` with the names that there are."""
    for known in get_args(Strategy):
        if name == known:
            return name  # type: ignore[return-value]  # mypy does not narrow by get_args
    raise OddsError(f"At a tie a seat chooses {', '.join(get_args(Strategy))}, not {name!r}.")


def stakes_of(texts: Mapping[str, str]) -> dict[str, int]:
    """Stakes that were typed, in whole cents."""
    for wager, text in texts.items():
        if not (text.isascii() and text.isdigit()):
            sentence = f"The stake of {wager} is a whole number of cents from 0 up, not {text!r}."
            raise OddsError(sentence)
    return {wager: int(text) for wager, text in texts.items()}


def seat_json(odds: Odds, stakes: Mapping[str, int], strategy: str) -> dict[str, Any]:
    """The odds of a seat, its hold over many rounds, and its odds when a war cannot be paid.

    Results are in units of `unit`, the primary wager or the lone tie wager. `needs` is what a
    round takes before the deal, and `needs_war` what it can take in all, both in cents.
    """
    kinds = {check_wager(odds.book, name): stake for name, stake in stakes.items() if stake}
    plan = Plan.of(kinds)
    unit = plan.primary or plan.tie
    if not unit:
        raise OddsError("A seat needs a primary wager or a tie wager.")
    needs = sum(plan.before_deal.values())
    found = _found(odds, plan, check_strategy(strategy))
    poor = odds.plan(plan._replace(choice="surrender"))
    document: dict[str, Any] = {
        "wagers": kinds,
        "strategy": strategy,
        "unit": unit,
        "needs": needs,
        "needs_war": needs if strategy == "surrender" else _most(odds, plan),
        **found.as_json(),
        "return": exact(1 - found.element_of_risk),
        "hold": {
            str(rounds): {level: list(band(found, rounds, level)) for level in LEVELS}
            for rounds in ROUNDS
        },
        "without_war": {str(net): exact(chance) for net, chance in poor.pmf.items()},
    }
    return document


def _found(odds: Odds, plan: Plan, strategy: Strategy) -> Distribution:
    if strategy == "best":
        return odds.best(plan).odds if plan.primary else odds.plan(plan)
    return odds.plan(plan._replace(choice=strategy))


def _most(odds: Odds, plan: Plan) -> int:
    """The most money that a round of the plan puts down."""
    return max(
        sum(ended.staked for ended in answer.values()) for _, answer, _ in odds.answers(plan)
    )
