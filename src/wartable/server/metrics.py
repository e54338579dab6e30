"""The house's metrics, in the text format that Prometheus reads."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec

BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)

_ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


class MetricTotals(msgspec.Struct, frozen=True):
    """What was counted until now; commits by how long they took, in the order of the bounds."""

    accepted: int
    refused: int
    requests: int
    commits: tuple[int, ...]


class Metrics:
    """Counters, and the durations of commits."""

    def __init__(self) -> None:
        self.accepted: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.requests: Counter[int] = Counter()
        self.dropped: Counter[str] = Counter()
        self._commits = [0] * (len(BOUNDS_S) + 1)
        self._commit_s = 0.0

    def commit(self, seconds: float) -> None:
        """Count a commit."""
        self._commits[bisect_left(BOUNDS_S, seconds)] += 1
        self._commit_s += seconds

    def totals(self) -> MetricTotals:
        """What was counted until now."""
        counted = (self.accepted.total(), self.refused.total(), self.requests.total())
        return MetricTotals(*counted, tuple(self._commits))

    def text(self, gauges: dict[str, int], of_each: Mapping[str, Mapping[str, float]]) -> str:
        """All metrics, with these current values of the house, its servers and replicas."""
        return "\n".join([*self._lines(gauges), *_of_each(of_each)]) + "\n"

    def _lines(self, gauges: dict[str, int]) -> Iterator[str]:
        for name, value in gauges.items():
            yield f"# TYPE wartable_{name} gauge"
            yield f"wartable_{name} {value}"
        counters: tuple[tuple[str, str, Counter[str]], ...] = (
            ("commands_accepted_total", "command", self.accepted),
            ("commands_refused_total", "code", self.refused),
            ("connections_dropped_total", "reason", self.dropped),
            ("requests_total", "status", Counter({str(k): n for k, n in self.requests.items()})),
        )
        for name, label, counts in counters:
            yield f"# TYPE wartable_{name} counter"
            for key, count in sorted(counts.items()):
                yield f'wartable_{name}{{{label}="{key}"}} {count}'
        yield "# TYPE wartable_commit_seconds histogram"
        total = 0
        for bound, count in zip((*BOUNDS_S, "+Inf"), self._commits, strict=True):
            total += count
            yield f'wartable_commit_seconds_bucket{{le="{bound}"}} {total}'
        yield f"wartable_commit_seconds_sum {self._commit_s:.6f}"
        yield f"wartable_commit_seconds_count {total}"


def _of_each(gauges: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """The values of each server or replica: the first word of a gauge says of which."""
    for name, values in gauges.items():
        label = name.partition("_")[0]
        yield f"# TYPE wartable_{name} gauge"
        for which, value in values.items():
            yield f'wartable_{name}{{{label}="{which.translate(_ESCAPED)}"}} {value}'
