"""Which worker gets which tests first: the longest begin, and those in the browser are with few.

xdist deals equal numbers of tests to the workers, in the order of the collection. One who has none
left takes half of another's last ones. So every share begins with long tests and ends with tests
that take next to no time, which are easily handed on. A page that waits still costs the processor:
two browsers at a time need a seventh less for the same tests than six.

A file of few tests has the longest ones: those that kill servers, upgrade them or fail over take up
to a minute each and mostly wait. Each share begins with such files. Last of all, they would keep
one worker busy while the others have nothing left to do.
"""

from collections.abc import Iterable
from itertools import chain, groupby

import pytest

LONG = ("house", "postgres", "slow")
"""Marks of tests that take longer than most; those in the browser take longer still."""

BROWSERS = 2
"""How many workers begin with tests in the browser."""

Items = list[pytest.Item]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: Items) -> None:
    """Order what was chosen, alike in all workers."""
    workers = int(getattr(config, "workerinput", {}).get("workercount", 1))
    browser, long, short = Items(), Items(), Items()
    for item in items:
        kinds = {mark.name for mark in item.iter_markers()}
        (browser if "browser" in kinds else short if kinds.isdisjoint(LONG) else long).append(item)
    items[:] = ordered(browser, long, short, workers)


def ordered(browser: Items, long: Items, short: Items, workers: int) -> Items:
    """All tests, so that each worker's share begins with what is long."""
    shares = dealt(browser, min(workers, BROWSERS))
    if workers <= BROWSERS:
        return filled(shares, [*long, *short])
    return filled([*shares, *dealt(long, workers - BROWSERS)], short)


def dealt(items: Items, workers: int) -> list[Items]:
    """The tests in as many shares of about the same number; those of a file stay together.

    The files with the fewest tests come first.
    """
    files = [list(group) for _, group in groupby(items, key=lambda item: item.path)]
    shares = [list[Items]() for _ in range(workers)]
    for file in sorted(files, key=len, reverse=True):
        min(shares, key=lambda share: sum(map(len, share))).append(file)
    for share in shares:
        share.sort(key=len)
    return [list(chain.from_iterable(share)) for share in shares]


def filled(shares: list[Items], short: Iterable[pytest.Item]) -> Items:
    """All shares one after another, made equally long by short tests."""
    rest = list(short)
    found = Items()
    left = sum(map(len, shares)) + len(rest)
    for place, share in enumerate(shares):
        size = left // (len(shares) - place)
        fill = max(0, size - len(share))
        found += [*share, *rest[:fill]]
        del rest[:fill]
        left -= size
    return found + rest
