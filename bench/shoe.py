"""How long a six-deck shoe takes to order, and rounds per second at a table of one's own.

Everything is measured in one run, in turns and by the thread's own time, so that a busy machine
hits all alike: the order of provable shoes beside the older kind's and `random.shuffle`, and rounds
through the engine with links and numbers beside rounds with the older kind's seeds.
"""

import platform
import random
import statistics
import time
from collections.abc import Callable
from itertools import islice

from msgspec.structs import replace

from wartable import croupier, game, proof, provable, rng, stream, table
from wartable import shoe as shoes
from wartable.cards import DECK
from wartable.links import Links
from wartable.proof import Bound
from wartable.rules import load
from wartable.table import Command, Setup, Table
from wartable.table import commands as c

REPEATS = 500
TURNS = 7
"""How often each line of rounds is measured; the best counts."""
ROUNDS = 150
DECKS = 6
SEEDS = list(islice(rng.system_seeds(), REPEATS))
HEARD = bytes(32)
CARDS = DECK * DECKS
ROUND_CARDS = 8
"""The cards of a round with a war: one box and the dealer twice, three of them burned."""
BOOKS = ("online", "washington", "new-zealand", "maryland")


def by_stream(seed: bytes) -> object:
    """The order of the older kind, from seed and transcript."""
    return stream.order(seed, HEARD, DECKS)


def by_link(seed: bytes) -> object:
    """The order of a provable shoe, by a draw's key, without the delay."""
    return tuple(proof.dealt(CARDS, proof.draw_key(seed, HEARD, 1)))


def whole_shoe(seed: bytes) -> object:
    """Commitment, dealer's cut, order, cover card and composition check of the older kind."""
    stack = shoes.cut(shoes.start(shoes.Terms("bench", 1, "shoe", DECKS), seed), None)
    return shoes.load(stack, (156, 234))


BOUND = Bound(
    book="0" * 64,
    order="shoe",
    owner="",
    iterations=1,
    cut_min=10,
    deal_order="clockwise",
    burn_first=0,
    burn_new_dealer=0,
    burn_war=3,
    burn_war_when="once",
    cover_low=234,
    cover_high=234,
    labels=(),
    chain="0" * 64,
    links=1,
    used=0,
    anchor="0" * 64,
    before=proof.NO_RECORD,
)


def whole_provable(seed: bytes) -> object:
    """Commitment, dealer's cut, list, key, order and cover card of a provable shoe."""
    end = proof.link_before(seed).hex()
    bound = replace(BOUND, chain=end, anchor=end)
    stack = shoes.cut(provable.start(shoes.Terms("bench", 1, "shoe", DECKS), bound), None)
    numbers = (proof.PlayerNumber("ann", end),)
    key = proof.draw_key(seed, provable.heard(stack, numbers), 1)
    draw = provable.next_draw(stack, numbers, 1)
    return shoes.load(provable.decide(stack, seed, key, draw), (234, 234))


def one_round(seed: bytes) -> object:
    """The cards of one round at a table of one's own: a draw's key, then card by card."""
    return list(islice(proof.dealt(CARDS, proof.draw_key(seed, HEARD, 1)), ROUND_CARDS))


def by_random(_: bytes) -> object:
    """The standard library's shuffle, which nobody could verify."""
    cards = list(DECK * DECKS)
    random.shuffle(cards)
    return cards


class OwnTable:
    """A player's own table, played through the engine without server, journal or pages."""

    def __init__(self, book: str, provable: bool) -> None:
        self.setup: Setup = table.new_setup(load(book).rules, f"{book}@ann")
        self.state: Table = table.start(self.setup)
        seeds = rng.system_seeds()
        self.new_seed: Callable[[], str] = lambda: next(seeds).hex()
        self.links = Links("digest", "ann", self.new_seed) if provable else None
        self.do(c.Join("ann", 10**9, 1))

    def do(self, command: Command) -> None:
        """Carry a command out."""
        self.state, _ = table.step(self.setup, self.state, command)

    def round(self) -> None:
        """Play until one more round is over."""
        wanted = self.state.rounds + 1
        while self.state.rounds < wanted or self.state.in_round:
            self.do(self.next())

    def next(self) -> Command:
        """What the player or the platform does next."""
        due = croupier.first_due(self.setup, table.awaits(self.setup, self.state))
        if self.links is not None and (chain := self.links.chain(self.setup, self.state)):
            return chain
        number = HEARD.hex() if self.links is not None else ""
        if due.what == "bets":
            hands = self.state.round is not None and self.state.round.hands
            return game.CloseBets(number) if hands else game.Bet("ann", 1, "primary", 1_000)
        if due.what == "choice":
            return game.Choose("ann", due.box or 1, "war", number=number)
        if due.what == "cut":
            return c.RefuseCut("ann")
        seed = ""
        if due.what == "cards" and self.links is not None:
            seed = self.links.next(self.state)
        elif due.what == "shuffle" and self.links is None:
            seed = self.new_seed()
        found = croupier.act(self.setup, self.state, due, croupier.PRIVATE, 0, 10**12, seed)
        assert found.command is not None, due
        return found.command


def rounds_per_s(own: OwnTable) -> float:
    """Rounds for each second of this thread."""
    start = time.thread_time()
    for _ in range(ROUNDS):
        own.round()
    return ROUNDS / (time.thread_time() - start)


def median_ms(make: Callable[[bytes], object]) -> float:
    """The median time of one call, in milliseconds of this thread."""
    times = []
    for seed in SEEDS:
        start = time.thread_time()
        make(seed)
        times.append(time.thread_time() - start)
    return statistics.median(times) * 1000


def main() -> None:
    """Print the times and their ratios."""
    print(f"six decks, median of {REPEATS}, Python {platform.python_version()}")
    lines = (
        ("random.shuffle", by_random),
        ("older kind: order", by_stream),
        ("older kind: start, cut, load", whole_shoe),
        ("provable: key and order", by_link),
        ("provable: start, cut, load", whole_provable),
        ("provable: a round's cards", one_round),
    )
    taken = {name: min(median_ms(make) for _ in range(3)) for name, make in lines}
    for name, ms in taken.items():
        print(f"{name:30} {ms:7.3f} ms  {ms / taken['older kind: order']:5.2f} x the older order")
    print(f"own table through the engine, one box, always war, best of {TURNS} times {ROUNDS}")
    for book in BOOKS:
        old, new = OwnTable(book, provable=False), OwnTable(book, provable=True)
        rates = [(rounds_per_s(old), rounds_per_s(new)) for _ in range(TURNS)]
        before, now = max(rate for rate, _ in rates), max(rate for _, rate in rates)
        said = f"{before:6.0f} rounds/s with seeds, {now:6.0f} with links"
        print(f"{book:14} {said}, ratio {now / before:4.2f}")


if __name__ == "__main__":
    main()
