"""Payments at their edges, where a small change of the code once went unnoticed."""

import pytest

from clauses import proves
from rounds import book, entry, limited, play

pytestmark = pytest.mark.finding(19)


@proves("engine", "MD-2-B-5b")
def test_a_side_bets_win_takes_nothing_from_the_payout_limit() -> None:
    """The wheel has paid $20 net, and the war still pays its $10 within a limit of $15."""
    rules = limited(book("maryland"), payout_max=1_500)
    hand = entry("ann", 1, "7d 9s", primary=1_000, bonus_spin=500)
    won = play(rules, hand, "7h 2c", wheel={"hot_spot_box": None, "community": "$25"})
    assert won.net("ann", "bonus_spin") == 2_000
    assert won.main("ann") == 1_000
