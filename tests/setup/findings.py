"""What audits by the book found wrong, by number: each has tests marked with it.

A test names the finding that it would catch again::

    @pytest.mark.finding(4)
    def test_a_leaver_keeps_the_wheels_result() -> None: ...
"""

import pytest

FINDINGS = {
    1: "California: order of cover, a banker who buys in, a war the bank cannot match",
    2: "New Zealand: who has the claim on a box's tie spot",
    3: "a choice has its time",
    4: "leaving after no more bets",
    5: "every table has a minimum and a maximum",
    6: "a table with a document's name pays what the document says",
    7: "a return above 100 % is confirmed by name",
    8: "a withdrawn primary wager; betting that never opens again",
    9: "California: two hands of a person, two people seated, the dealer of record",
    10: "two batches",
    11: "opening, condition and inventory of cards",
    12: "Maryland: card age, idle table, first cut, boxes, recut",
    13: "New Zealand: free places, the seated player, the last card racked",
    14: "side-bet counts that do not agree",
    15: "Maryland's wheel and trigger card as shown",
    16: "what the pages and records say of each book",
    17: "a full table, a wide spread, every reading of a book",
    18: "the terminal: other boxes, decks, cover and match",
    19: "mutants",
    20: "clauses that had no test on a surface",
}


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    config.addinivalue_line("markers", "finding(number): the finding that this test catches again")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse a number that stands for nothing."""
    for item in items:
        for mark in item.iter_markers("finding"):
            if mark.args[0] not in FINDINGS:
                raise pytest.UsageError(f"{item.nodeid}: there is no finding {mark.args[0]}.")
