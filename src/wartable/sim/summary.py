"""The summary of a session's paths: final bankroll, ruin, targets, fan, cost of an hour."""

from collections import Counter
from math import sqrt
from typing import Any

import numpy as np

from wartable.sim.chain import SessionEnd, chain, hourly_cost
from wartable.sim.session import SessionPlan, Tables, Walked, check_rounds

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
BINS = 40


def summary(
    session: SessionPlan, tables: Tables, walked: Walked, seed: int, rounds_per_hour: int
) -> dict[str, Any]:
    """The whole result as --json prints it, amounts in cents."""
    exact = chain(session, tables)
    finals = walked.finals
    mean = sum(money * count for money, count in finals.items()) / walked.paths
    squares = sum((money - mean) ** 2 * count for money, count in finals.items())
    spread = sqrt(squares / walked.paths)
    lost_per_round = (session.bankroll - mean) * walked.paths / walked.rounds
    document: dict[str, Any] = {
        "rules": session.book.rules.name,
        "decks": session.decks,
        "bankroll": session.bankroll,
        "bet": session.bet,
        "tie": session.tie,
        "war_tie": session.war_tie,
        **{str(kind): stake for kind, stake in session.side_bets.items()},
        "system": session.system,
        "table_max": session.table_max if session.system != "flat" else None,
        "policy": "war" if session.war else "surrender",
        "rounds": session.rounds,
        "paths": walked.paths,
        "seed": seed,
        "partial": walked.partial,
        "seconds": walked.seconds,
        "rounds_per_second": walked.rounds / walked.seconds if walked.seconds else 0.0,
        "rounds_played": walked.rounds / walked.paths,
        "final": {
            "mean": mean,
            "stderr": spread / sqrt(walked.paths),
            "exact": None if exact is None else exact.mean_final,
            "sd": spread,
            "quantiles": dict(zip(map(str, QUANTILES), quantiles(finals), strict=True)),
            "ahead": sum(n for money, n in finals.items() if money > session.bankroll)
            / walked.paths,
            # Most rounds gain or lose one bet, so bins of two bets hold equally many results.
            "histogram": histogram(finals, 2 * session.bet),
        },
        "ruin": _ruin(walked, exact),
        "fan": _fan(session, walked),
        "hourly": {
            "rounds_per_hour": rounds_per_hour,
            "simulated": lost_per_round * rounds_per_hour,
            "exact": float(hourly_cost(session, rounds_per_hour))
            if session.system == "flat"
            else None,
        },
    }
    reached = sum(count for money, count in finals.items() if money >= session.goal)
    if session.target is not None or session.stop_win is not None:
        document["target"] = {
            "amount": session.goal,
            **_chance(reached, walked.paths, None if exact is None else exact.reached),
        }
    if session.stop_loss is not None:
        stopped = sum(n for m, n in finals.items() if session.need <= m <= session.floor)
        document["stop_loss"] = {
            "amount": session.floor,
            **_chance(stopped, walked.paths, None if exact is None else exact.stopped),
        }
    return document


def _chance(count: int, paths: int, exact: float | None) -> dict[str, Any]:
    """A share of the paths with its standard error, and the exact probability with z."""
    share = count / paths
    known = share if exact is None else exact
    stderr = sqrt(max(known * (1 - known), 0.0) / paths)
    score = (share - exact) / stderr if exact is not None and stderr else None
    return {"simulated": share, "stderr": stderr, "exact": exact, "z": score}


def _ruin(walked: Walked, exact: SessionEnd | None) -> dict[str, Any]:
    ruined = sum(walked.ruined_at.values())
    times = walked.ruined_at
    mean = sum(at * count for at, count in times.items()) / ruined if ruined else None
    found = _chance(ruined, walked.paths, None if exact is None else exact.ruined)
    found["mean_round"] = mean
    found["exact_mean_round"] = None if exact is None else exact.mean_ruined_at
    found["round_quantiles"] = (
        dict(zip(map(str, QUANTILES), quantiles(times), strict=True)) if ruined else None
    )
    return found


def quantiles(counts: Counter[int]) -> list[int]:
    """The quantiles of counted values."""
    values = sorted(counts)
    reached = np.cumsum([counts[value] for value in values])
    total = int(reached[-1])
    return [values[int(np.searchsorted(reached, share * total))] for share in QUANTILES]


def histogram(counts: Counter[int], step: int) -> dict[str, list[int]]:
    """The counts in bins of whole steps; the last bin has all beyond the 99.9 % quantile."""
    values = sorted(counts)
    reached = np.cumsum([counts[value] for value in values])
    high = values[int(np.searchsorted(reached, 0.999 * int(reached[-1])))]
    low = values[0]
    width = max(1, -(-(high - low + 1) // (BINS * step))) * step
    bins = [0] * ((high - low) // width + 1)
    for value, count in counts.items():
        bins[min((value - low) // width, len(bins) - 1)] += count
    edges = [low + width * place for place in range(len(bins) + 1)]
    return {"edges": edges, "counts": bins}


def _fan(session: SessionPlan, walked: Walked) -> dict[str, Any]:
    """The quantiles of the money by round, from the first paths."""
    rounds = [0, *check_rounds(session.rounds).tolist()]
    if not walked.fan:
        return {"rounds": rounds[:1], "quantiles": {}, "paths": 0}
    fan = np.concatenate(walked.fan)
    lines = np.quantile(fan, QUANTILES, axis=0, method="inverted_cdf")
    start = session.bankroll
    return {
        "rounds": rounds,
        "paths": len(fan),
        "quantiles": {
            str(share): [start, *line]
            for share, line in zip(QUANTILES, lines.tolist(), strict=True)
        },
    }
