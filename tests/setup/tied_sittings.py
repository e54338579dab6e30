"""A sitting in the terminal whose first round ties: its seed is looked for and not known."""

from functools import cache
from typing import NamedTuple

from wartable.cards import Card
from wartable.game import Bet, Choose, CloseBets
from wartable.table import Command
from wartable.table import commands as c
from wartable.terminal.journal import Journal
from wartable.terminal.opening import Wish, header_of
from wartable.terminal.sitting import Sitting

SEEDS_MAX = 2_000
"""Far more than it takes: about one in thirty ties and then wins."""


class Tied(NamedTuple):
    """A seed, and the two cards that tie."""

    seed: str
    card: Card
    dealers: Card

    @property
    def question(self) -> str:
        """How the visitor is asked."""
        return f"Box 5 ties, {_written(self.card)} against {_written(self.dealers)}"


@cache
def tied_sitting() -> Tied:
    """Maryland, cut at 150, 25 on box 5: the first round ties there, and the war is won."""
    for number in range(SEEDS_MAX):
        seed = f"tie {number}"
        # Not by `begin`: it also computes the book's returns, which takes longer than the round.
        sitting = Sitting(header_of(Wish("maryland", {}, seed=seed)), Journal(None))
        _give(sitting, c.Cut("you", 150))
        _give(sitting, Bet("you", 5, "primary", 2_500))
        _give(sitting, CloseBets(sitting.number()))
        due, round_ = sitting.question(), sitting.state.round
        if due is None or due.what != "choice" or round_ is None:
            continue
        _give(sitting, Choose("you", 5, "war"))
        if sitting.stack == 100_000 + 2_500:
            return Tied(seed, round_.cards[5], round_.cards[0])
    raise AssertionError("no seed gives such cards")


def _written(card: Card) -> str:
    """The card as a page should have it."""
    return card[0].replace("T", "10") + dict(zip("cdhs", "♣♦♥♠", strict=True))[card[1]]


def _give(sitting: Sitting, command: Command) -> None:
    """Answer a question when it is due, and let all that follows happen."""
    for _ in sitting.advance():
        pass
    sitting.give(command)
    for _ in sitting.advance():
        pass
