"""Which worker gets which tests first: the longest begin, and every worker has its share of them.

xdist deals equal numbers of tests to the workers, in the order of the collection. One who has none
left takes half of another's last ones. So every share begins with tests in the browser, which are
the longest, and ends with tests that take next to no time, which are easily handed on.
"""

from collections.abc import Iterable
from itertools import groupby

import pytest

LONG = ("house", "postgres", "slow")
"""Marks of tests that take longer than most; those in the browser take longer still."""

Items = list[pytest.Item]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: Items) -> None:
    """Order what was chosen, alike in all workers."""
    workers = int(getattr(config, "workerinput", {}).get("workercount", 1))
    browser, long, short = Items(), Items(), Items()
    for item in items:
        kinds = {mark.name for mark in item.iter_markers()}
        (browser if "browser" in kinds else short if kinds.isdisjoint(LONG) else long).append(item)
    shares = zip(dealt(browser, workers), dealt(long, workers), strict=True)
    items[:] = filled([[*first, *then] for first, then in shares], short)


def dealt(items: Items, workers: int) -> list[Items]:
    """The tests in as many shares of about the same number; those of a file stay together."""
    shares = [Items() for _ in range(workers)]
    files = [list(group) for _, group in groupby(items, key=lambda item: item.path)]
    for file in sorted(files, key=len, reverse=True):
        min(shares, key=len).extend(file)
    return shares


def filled(shares: list[Items], short: Iterable[pytest.Item]) -> Items:
    """All shares one after another, made equally long by short tests."""
    rest = list(short)
    ordered = Items()
    left = sum(map(len, shares)) + len(rest)
    for place, share in enumerate(shares):
        size = left // (len(shares) - place)
        fill = max(0, size - len(share))
        ordered += [*share, *rest[:fill]]
        del rest[:fill]
        left -= size
    return ordered + rest
