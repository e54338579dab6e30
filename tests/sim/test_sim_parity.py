"""The engine and each kernel play the same cards, round by round, and agree to the cent."""

from collections.abc import Iterator

import pytest

from sim_parity import check_parity
from wartable.rules import load_any
from wartable.rules.model import Shuffle
from wartable.sim.policy import BetStep, PolicyStep, PolicyTable, policy_of, tabled
from wartable.sim.setup import set_up

pytestmark = pytest.mark.slow("compiles the kernels")

BOOKS = {"california": 7, "maryland": 9, "new-zealand": 7, "online": 3, "washington": 7}
COUNTING = tabled(
    "counting",
    PolicyTable(
        {"2": 1, "5": 1, "T": -1, "A": -1},
        "surrender",
        (PolicyStep(-2, "war"), PolicyStep(1, "surrender")),
    ),
)
BETTING = tabled(
    "betting",
    PolicyTable(
        {"2": 2, "7": -1, "K": 1},
        "war",
        (PolicyStep(3, "surrender"),),
        {"tie": 0},
        (BetStep(-1, {"tie": 3}), BetStep(1, {"primary": 2}), BetStep(2, {"tie": 0})),
        per_deck=True,
    ),
)
POLICIES = {"war": policy_of("war"), "surrender": policy_of("surrender"), "counting": COUNTING}


def cases() -> Iterator[tuple[str, int, str, Shuffle]]:
    """Every book with its box counts, policies and ways to deal."""
    for book, boxes in BOOKS.items():
        for count in range(1, boxes + 1):
            for policy in POLICIES:
                yield book, count, policy, "every_round"
                yield book, count, policy, "shoe"


@pytest.mark.parametrize(("book", "boxes", "policy", "shuffle"), list(cases()))
def test_kernel_and_engine(
    book: str, boxes: int, policy: str, shuffle: Shuffle, deep: bool
) -> None:
    """Kernel and engine agree on every class and every cent of the same cards."""
    setup = set_up(load_any(book), POLICIES[policy], boxes=boxes, shuffle=shuffle)
    check_parity(setup, 150 if deep else 12, 2_000 if deep else 30)


@pytest.mark.parametrize("boxes", [1, 3])
@pytest.mark.parametrize("book", BOOKS)
def test_stakes_by_count(book: str, boxes: int) -> None:
    """Kernel and engine agree on the stakes that a count chose, and on every cent they pay."""
    setup = set_up(load_any(book), BETTING, boxes=BOXES.get(book, boxes), shuffle="shoe")
    assert len(setup.policy.stakes) == 3
    check_parity(setup, 40, 400)


BOXES = {name: load_any(name).rules.community for name in BOOKS if load_any(name).rules.community}
