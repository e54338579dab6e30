"""The counting study: what knowing the cards dealt is worth, by wager, decks and penetration."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from wartable.game.wagers import WAGER
from wartable.odds import Odds
from wartable.odds.removal import Removal, removal
from wartable.odds.shoe import favourable_tie, war_never_worse
from wartable.odds.wagers import offered_wagers
from wartable.rules import Book
from wartable.rules.model import WagerKind
from wartable.sim.depth import Earnings, bankroll_for, earnings, ruin, suited_depth
from wartable.sim.policy import CountPolicy
from wartable.sim.setup import SetupError, SimulationSetup, longest_round, set_up

DECKS_MAX = 8
"""The exact chance over all compositions takes too long beyond."""
TRACKED_MAX = 13
RISK = 0.05

Teller = Callable[[str], None]
"""A function that is called with what is computed next, in words."""


class StudyPlan(msgspec.Struct, frozen=True):
    """What the study asks; amounts in cents."""

    book: Book
    decks: tuple[int, ...]
    depths: tuple[Fraction, ...]
    """The shares of a shoe that were seen, for the chances at a depth."""
    penetrations: tuple[Fraction, ...]
    """Where the cover card lies, for the counters' earnings."""
    bet: int
    spread: int
    """The counter's tie wager in bets, when it is favourable."""
    tracked: int
    """The ranks that the human counter tracks."""
    bankroll: int
    rounds_per_hour: int
    shoes: int
    samples: int
    meter: int | None = None
    seed: int = 1


def check_study(plan: StudyPlan) -> None:
    """Refuse a study that cannot be made."""
    for decks in plan.decks:
        if not 1 <= decks <= DECKS_MAX:
            raise SetupError(f"The study takes 1 to {DECKS_MAX} decks, not {decks}.")
    for share in (*plan.depths, *plan.penetrations):
        if not 0 < share < 1:
            raise SetupError(f"A share of the shoe is above 0 and below 1, unlike {share}.")
    if not 1 <= plan.tracked <= TRACKED_MAX:
        raise SetupError(f"A counter tracks 1 to {TRACKED_MAX} ranks, not {plan.tracked}.")
    if not (plan.bet > 0 and plan.spread > 0 and plan.bankroll > 0):
        raise SetupError("The bet, the spread and the bankroll must be above 0.")
    if "tie" not in offered_wagers(plan.book.rules):
        raise SetupError(f"{plan.book.rules.name} has no tie wager to count for.")


def study_counting(plan: StudyPlan, step: Teller | None = None) -> dict[str, Any]:
    """The whole study as --json prints it."""
    check_study(plan)
    tell = step or (lambda _: None)
    rules = plan.book.rules
    first = plan.decks[0]
    removals = {}
    for kind in offered_wagers(rules):
        tell(f"effects of removal on {kind}")
        removals[str(kind)] = _removal(removal(plan.book, first, kind, plan.meter))
    depths, counters = [], []
    for decks in plan.decks:
        for share in plan.depths:
            tell(f"{decks} decks, {float(share):.0%} seen")
            depths.append(_depth(plan, decks, share))
        for share in plan.penetrations:
            tell(f"{decks} decks, {float(share):.0%} dealt")
            counters += _counters(plan, decks, share)
    return {
        "rules": rules.name,
        "digest": plan.book.digest,
        "seed": plan.seed,
        "bet": plan.bet,
        "spread": plan.spread,
        "tracked": plan.tracked,
        "bankroll": plan.bankroll,
        "rounds_per_hour": plan.rounds_per_hour,
        "removal": {"decks": first, "wagers": removals},
        "choice_by_count": not war_never_worse(Odds(plan.book, first)),
        "break_even_meters": _meters(plan),
        "depths": depths,
        "counters": counters,
    }


def _removal(found: Removal) -> dict[str, Any]:
    return {
        "one": {rank: str(effect) for rank, effect in found.one.items()},
        "same_card": None if found.same_card is None else float(found.same_card),
        "same_rank": float(found.same_rank),
        "two_ranks": float(found.two_ranks),
    }


def _suited(plan: StudyPlan) -> list[WagerKind]:
    """The side bets that suits decide."""
    return [kind for kind in offered_wagers(plan.book.rules) if WAGER[kind].by_suits]


def _depth(plan: StudyPlan, decks: int, share: Fraction) -> dict[str, Any]:
    """How often wagers are favourable once this share of the shoe was seen."""
    dealt = min(int(52 * decks * share), 52 * decks - 4)
    tie = favourable_tie(Odds(plan.book, decks), dealt)
    found: dict[str, Any] = {
        "decks": decks,
        "seen": float(share),
        "cards_left": 52 * decks - dealt,
        "tie": {"chance": float(tie.chance), "gain": float(tie.gain), "exact": True},
    }
    table = set_up(
        plan.book, CountPolicy("war"), decks=decks, shuffle="every_round", meter=plan.meter
    )
    for kind in _suited(plan):
        side = suited_depth(table, kind, dealt, plan.samples, plan.seed)
        found[str(kind)] = {"chance": side.chance, "gain": side.gain, "exact": False}
    return found


def _meters(plan: StudyPlan) -> dict[str, list[dict[str, Any]]]:
    """The meter at which a side bet with one is fair from a full shoe, by decks."""
    found: dict[str, list[dict[str, Any]]] = {}
    for kind in _suited(plan):
        rows = []
        for decks in plan.decks:
            low, high = (
                Odds(plan.book, decks, meter=meter).wager(kind).ev for meter in (10**6, 2 * 10**6)
            )
            fair = 10**6 - low * 10**6 / (high - low) if high != low else None
            rows.append({"decks": decks, "meter": None if fair is None else float(fair)})
        found[str(kind)] = rows
    return found


def _dealt(plan: StudyPlan, decks: int, share: Fraction) -> SimulationSetup:
    """A dealt shoe with the cover card anywhere, for study."""
    setup = set_up(
        plan.book, CountPolicy("war"), decks=decks, shuffle="every_round", boxes=_boxes(plan)
    )
    setup = msgspec.structs.replace(setup, boxes=1, shuffle="shoe")
    deepest = 52 * decks - longest_round(setup)
    return msgspec.structs.replace(setup, cover=min(int(52 * decks * share), deepest))


def _boxes(plan: StudyPlan) -> int | None:
    return None if plan.book.rules.community else 1


def _counters(plan: StudyPlan, decks: int, share: Fraction) -> list[dict[str, Any]]:
    """What each counter earns if the cover card lies at this share of the shoe."""
    setup = _dealt(plan, decks, share)
    found = earnings(setup, plan.seed, plan.shoes, plan.tracked, plan.spread)
    return [
        {"decks": decks, "dealt": float(share), "counter": name, **_per_hour(plan, each)}
        for name, each in zip(("perfect", "human"), found, strict=True)
    ]


def _per_hour(plan: StudyPlan, earned: Earnings) -> dict[str, Any]:
    hours, units = plan.rounds_per_hour, plan.bankroll / plan.bet
    need = bankroll_for(earned, RISK)
    return {
        "rounds": earned.rounds,
        "bets": earned.bets,
        "gain": earned.gain,
        "primary_favourable": earned.primary,
        "per_hour": earned.mean * hours * plan.bet,
        "sd_per_hour": earned.sd * hours**0.5 * plan.bet,
        "ruin": ruin(earned, units),
        "bankroll_for_5_percent": None if need is None else need * plan.bet,
    }


def rows_of(rows: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """Rows as columns, with what is inside a row named `outer_inner`."""
    flat = [
        {
            name if part is None else f"{name}_{part}": value
            for name, cell in row.items()
            for part, value in (cell.items() if isinstance(cell, dict) else [(None, cell)])
        }
        for row in rows
    ]
    return {name: [row[name] for row in flat] for name in (flat[0] if flat else ())}
