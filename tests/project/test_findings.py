"""Every finding of the audits has a test that is marked with its number."""

import re

from findings import FINDINGS
from paths import TESTS

MARK = re.compile(r"mark\.finding\((\d+)\)")


def test_every_finding_has_a_test() -> None:
    """No number is without a test, so that nothing that was found comes back unnoticed."""
    marked = {
        int(number)
        for path in TESTS.rglob("test_*.py")
        for number in MARK.findall(path.read_text("utf-8"))
    }
    assert marked == FINDINGS.keys() == set(range(1, 21))
