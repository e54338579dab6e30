"""The report on the counts: edges with intervals beside the exact ones, and chi-square."""

from collections import Counter
from fractions import Fraction
from math import sqrt
from typing import Any

import msgspec

from wartable.battery.tails import chi_square_tail
from wartable.game.wagers import WAGER, WHEEL_BET
from wartable.game.wagers.wheel import wheel_of
from wartable.rules.model import WagerKind
from wartable.sim import expected
from wartable.sim.classes import Hands, collapsed, hands_of, label, level_of
from wartable.sim.job import Job, SimulationTally
from wartable.sim.money import AskedPayments, WagerMoney
from wartable.sim.run import Counted, Enough
from wartable.sim.setup import SimulationSetup, notes

Z_99 = 2.5758293035489004
Z_MAX = 4.0
P_MIN = 0.0001
CELL_MIN = 5
"""The least expected count of a cell in the chi-square test; rarer classes are pooled."""
BANKER = "banker"


class WagerSums:
    """A wager's sums over rounds: stakes, gains and their products."""

    def __init__(self) -> None:
        self.rounds = self.staked = self.net = 0
        self.staked_squared = self.product = self.net_squared = 0

    def add(self, paid: WagerMoney, rounds: int) -> None:
        """Add rounds that paid the same."""
        self.rounds += rounds
        self.staked += paid.staked * rounds
        self.net += paid.net * rounds
        self.staked_squared += paid.staked**2 * rounds
        self.product += paid.staked * paid.net * rounds
        self.net_squared += paid.net**2 * rounds

    @property
    def edge(self) -> Fraction:
        """The house's gain per unit staked."""
        return Fraction(-self.net, self.staked) if self.staked else Fraction(0)

    @property
    def stderr(self) -> float:
        """The standard error of the edge over rounds, which are independent, unlike hands."""
        if not self.staked:
            return 0.0
        edge = self.edge
        spread = self.net_squared + 2 * edge * self.product + edge**2 * self.staked_squared
        return sqrt(spread) / self.staked


class SimulationReport(msgspec.Struct):
    """The whole result; `document` is what --json prints."""

    document: dict[str, Any]
    agrees: bool


def level_counts(job: Job, tally: SimulationTally) -> Counter[tuple[int, Hands]]:
    """The rounds by the stakes that were bet and by their hands' classes."""
    found: Counter[tuple[int, Hands]] = Counter()
    for key, count in tally.keys.items():
        if count:
            found[level_of(key), hands_of(key, job.boxes, job.ordered)] += count
    return found


def joint_counts(job: Job, tally: SimulationTally) -> Counter[Hands]:
    """The rounds by their hands' classes."""
    found: Counter[Hands] = Counter()
    for (_, hands), count in level_counts(job, tally).items():
        found[hands] += count
    return found


def sums_of(cashier: AskedPayments, job: Job, tally: SimulationTally) -> dict[str, WagerSums]:
    """Each wager's sums, from the counts and the engine's payments."""
    found = {kind: WagerSums() for kind in cashier.setup.wagers}
    nobody = WagerMoney(0, 0)
    banker = WagerSums()
    for (level, hands), count in level_counts(job, tally).items():
        paid = cashier.levels[level].round(hands)
        for kind, sums in found.items():
            if not WAGER[kind].by_wheel:
                sums.add(paid.get(kind, nobody), count)
        if job.ordered:
            banker.add(WagerMoney(1, sum(each.net for each in paid.values())), count)
    if WHEEL_BET.kind in found:
        _add_spins(found[WHEEL_BET.kind], cashier, tally)
    by_name: dict[str, WagerSums] = dict(found.items())
    return by_name | ({BANKER: banker} if job.ordered else {})


def _add_spins(sums: WagerSums, cashier: AskedPayments, tally: SimulationTally) -> None:
    setup = cashier.setup
    spin = wheel_of(setup.rules)
    assert spin is not None
    hot_spots, community = list(spin.wheel.hot_spot), list(spin.wheel.community)
    for stop, count in tally.spins.items():
        at, beside = divmod(stop, len(community))
        sums.add(cashier.spin(hot_spots[at], community[beside]), count)
    staked = setup.side * setup.boxes
    sums.add(WagerMoney(staked, -staked), tally.rounds - sum(tally.spins.values()))


def narrow_enough(setup: SimulationSetup, job: Job, cashier: AskedPayments, error: float) -> Enough:
    """A test of whether the 99 % interval of a tally's first wager is within the error."""
    first: WagerKind = setup.wagers[0]

    def enough(tally: SimulationTally) -> bool:
        sums = sums_of(cashier, job, tally)[first]
        return Z_99 * sums.stderr <= error

    return enough


def report(
    setup: SimulationSetup, job: Job, cashier: AskedPayments, counted: Counted
) -> SimulationReport:
    """The result of a run."""
    tally = counted.tally
    exact = expected.edges(setup, job)
    wagers = {}
    for kind, sums in sums_of(cashier, job, tally).items():
        if kind != BANKER and sums.staked:  # a player who surrenders makes no war tie wager
            wagers[kind] = _wager(sums, exact.get(kind))
    chi_square = _chi_square(expected.classes(setup, job), setup, job, tally)
    document: dict[str, Any] = {
        "rules": setup.rules.name,
        "digest": setup.book.digest,
        "decks": setup.decks,
        "boxes": setup.boxes,
        "shuffle": setup.shuffle,
        "cover": setup.cover,
        "policy": setup.policy.name,
        "seed": job.seed,
        "kernel": job.kernel,
        "partial": counted.partial,
        "rounds": tally.rounds,
        "seconds": counted.seconds,
        "rounds_per_second": counted.rate,
        "wagers": wagers,
        "chi_square": chi_square,
        "classes": _labelled(job, tally),
        "shoes": _shoes(setup, tally),
        "notes": list(notes(setup)),
    }
    if len(setup.policy.stakes) > 1:
        document["stakes"] = _stakes(setup, job, tally)
    if job.ordered:
        document["banker"] = _banker(sums_of(cashier, job, tally)[BANKER], setup)
    if tally.spins:
        document["spins"] = sum(tally.spins.values())
    agrees = _agrees(document)
    document["agrees"] = agrees
    return SimulationReport(document, agrees)


def _wager(sums: WagerSums, exact: expected.Exact | None) -> dict[str, Any]:
    edge, stderr = float(sums.edge), sums.stderr
    if exact is not None and exact.spread is not None and sums.rounds:
        # By the exact spread, a rare award that was never seen is not impossible.
        known = exact.spread / sqrt(sums.rounds)
        stderr = max(stderr, known) if exact.spread_is_least else known
    half = Z_99 * stderr
    value = None if exact is None else float(exact.edge)
    return {
        "rounds": sums.rounds,
        "wagered": sums.staked,
        "returned": sums.staked + sums.net,
        "edge": edge,
        "stderr": stderr,
        "interval": [edge - half, edge + half],
        "exact": value,
        "exact_fraction": None if exact is None else str(exact.edge),
        "z": (edge - value) / stderr if value is not None and stderr else None,
    }


def _stakes(setup: SimulationSetup, job: Job, tally: SimulationTally) -> list[dict[str, Any]]:
    """How many rounds were played at each of the policy's stakes, in cents."""
    rounds: Counter[int] = Counter()
    for (level, _), count in level_counts(job, tally).items():
        rounds[level] += count
    return [
        {
            "stakes": dict(msgspec.structs.replace(setup, level=level).plan.before_deal),
            "rounds": rounds[level],
        }
        for level in range(len(setup.policy.stakes))
    ]


def _banker(sums: WagerSums, setup: SimulationSetup) -> dict[str, Any]:
    """The player/dealer's mean result of a round in cents, beside the exact one."""
    mean, stderr = float(sums.edge), sums.stderr
    exact = expected.banker(setup)
    return {
        "mean": mean,
        "stderr": stderr,
        "exact": None if exact is None else float(exact),
        "z": (mean - float(exact)) / stderr if exact is not None and stderr else None,
    }


def _labelled(job: Job, tally: SimulationTally) -> dict[str, int]:
    counts = joint_counts(job, tally)
    return {label(hands, job.ordered): counts[hands] for hands in sorted(counts)}


def _shoes(setup: SimulationSetup, tally: SimulationTally) -> dict[str, Any] | None:
    """The number of shoes begun; two batches take turns."""
    if setup.fresh:
        return None
    found: dict[str, Any] = {"count": tally.shoes, "rounds_each": tally.rounds / tally.shoes}
    if setup.shuffle == "batches":
        found["batches"] = [(tally.shoes + 1) // 2, tally.shoes // 2]
    return found


def _chi_square(
    chances: dict[Hands, Fraction] | None, setup: SimulationSetup, job: Job, tally: SimulationTally
) -> dict[str, Any] | None:
    """The test of the counted classes against their exact probabilities, over rounds."""
    if chances is None or not tally.rounds:
        return None
    counts: Counter[Hands] = joint_counts(job, tally)
    if not expected.by_suit(setup, job):
        counts = collapsed(counts.items())
    if setup.policy.always is None:
        merged: Counter[Hands] = Counter()
        for hands, count in counts.items():
            merged[expected.tied_together(hands)] += count
        counts = merged
    cells: list[tuple[int, float]] = []
    rest_count, rest_expected = 0, 0.0
    for hands, chance in chances.items():
        mean = float(chance * tally.rounds)
        if mean >= CELL_MIN:
            cells.append((counts.pop(hands, 0), mean))
        else:
            rest_count += counts.pop(hands, 0)
            rest_expected += mean
    impossible = sum(counts.values())
    if rest_expected and cells:
        if rest_expected >= CELL_MIN:
            cells.append((rest_count, rest_expected))
        else:
            count, mean = cells.pop()
            cells.append((count + rest_count, mean + rest_expected))
    statistic = sum((count - mean) ** 2 / mean for count, mean in cells)
    freedom = len(cells) - 1
    if impossible:
        return {"statistic": float("inf"), "freedom": freedom, "p": 0.0}
    p = chi_square_tail(statistic, freedom) if freedom > 0 else 1.0
    return {"statistic": statistic, "freedom": freedom, "p": p}


def _agrees(document: dict[str, Any]) -> bool:
    """Whether simulation and exact odds agree: every |z| below 4, p above 0.0001."""
    scores = [wager["z"] for wager in document["wagers"].values()]
    scores.append(document.get("banker", {}).get("z"))
    chi_square = document["chi_square"]
    if chi_square is not None and chi_square["p"] <= P_MIN:
        return False
    return all(abs(score) < Z_MAX for score in scores if score is not None)
