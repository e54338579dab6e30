"""Kernel and engine on the same cards: the comparison that the tests of the simulator share."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from sim_twin import Deck, Shoes, engine_round, pair_rounds
from wartable.cards import RANKS, Card
from wartable.game import Round, Spin
from wartable.sim.classes import LOST, Hands, hands_of, level_of
from wartable.sim.counters import count_chunk
from wartable.sim.job import Job, SimulationTally
from wartable.sim.money import AskedPayments, Payments, payments
from wartable.sim.setup import SimulationSetup, job_of, opened


class Played(NamedTuple):
    """A round that the engine dealt: its hands' classes, its payments, where the wheel stopped."""

    hands: Hands
    paid: Payments
    stop: Spin | None
    level: int = 0


def class_of(card: Card, dealers: Card, war: tuple[Card, Card] | None, suits: bool) -> str:
    """The class of one hand from its cards: the readable twin of the kernels' code."""
    if card[0] != dealers[0]:
        return "won" if RANKS.index(card[0]) > RANKS.index(dealers[0]) else LOST
    suited = "suited_" if suits and card == dealers else ""
    if war is None:
        return f"{suited}surrendered"
    own, other = war
    if own[0] != other[0]:
        won = RANKS.index(own[0]) > RANKS.index(other[0])
        return suited + ("war_won" if won else "war_lost")
    four = own[0] == card[0]
    if not suits or own != other:
        return suited + "war_tied" + ("_four" if suits and four else "")
    if suited and own[1] == card[1]:
        return "suited_war_tied_identical" if four else "suited_war_tied_one_suit"
    return suited + "war_tied_suited" + ("_four" if four else "")


def classes_of(state: Round, suits: bool) -> Hands:
    """The class of every box's hand from the cards that the engine dealt."""
    found = []
    for hand in state.hands:
        war = None
        if hand.box in state.war_cards:
            war = (state.war_cards[hand.box], state.war_cards[0])
        found.append(class_of(state.cards[hand.box], state.cards[0], war, suits))
    return tuple(found)


def engine_rounds(setup: SimulationSetup, job: Job, chunk: int) -> Iterator[Played]:
    """The rounds of a chunk as the engine deals and pays them."""
    table = opened(setup)
    if job.kernel == "pairs":
        for card, dealers, war in pair_rounds(job, chunk):
            deck = Deck([card, dealers, *(war or ())], 0, burned=False)
            state, _, _ = engine_round(setup, table, deck, 0, None)
            yield Played(classes_of(state, False), payments(table, state), None)
    tables = [opened(replace(setup, level=each)) for each in range(len(setup.policy.stakes))]
    shoes = Shoes(job, chunk, job.suits)
    while True:
        for cards in shoes.eight():
            cover = shoes.without_faced_up(cards)
            deck, count = Deck(cards, job.start, burned=not setup.fresh), 0
            while deck.at <= cover:
                left = 52 * setup.decks - deck.at
                level = setup.policy.level(setup.policy.counted(count, left))
                state, stop, count = engine_round(
                    replace(setup, level=level), tables[level], deck, count, shoes.spare
                )
                paid = payments(tables[level], state)
                yield Played(classes_of(state, job.suits), paid, stop, level)


def differences(job: Job, chunk: int, rounds: int) -> Iterator[SimulationTally]:
    """What the kernel counted for each round: the counts of n rounds less those of n - 1."""
    before = SimulationTally()
    for number in range(1, rounds + 1):
        now = count_chunk(job, chunk, number)
        yield SimulationTally(
            1, now.keys - before.keys, now.spins - before.spins, now.shoes - before.shoes
        )
        before = now


def check_parity(setup: SimulationSetup, each: int, more: int, seed: int = 11) -> None:
    """Compare some rounds one by one, then many in sum."""
    job = job_of(setup, seed)
    cashier = AskedPayments(setup, job.ordered)
    for played, counted in zip(
        islice(engine_rounds(setup, job, 0), each), differences(job, 0, each), strict=True
    ):
        (key,) = (key for key, count in counted.keys.items() if count)
        hands = hands_of(key, job.boxes, job.ordered)
        assert hands == (played.hands if job.ordered else tuple(sorted(played.hands)))
        paid = dict(played.paid)
        spun = paid.pop("bonus_spin", None)
        assert level_of(key) == played.level
        assert cashier.levels[played.level].round(hands) == paid
        assert sum(counted.spins.values()) == (played.stop is not None)
        if played.stop is not None:
            assert cashier.spin(played.stop.hot_spot or "none", played.stop.community or "") == spun
    total: Counter[tuple[int, Hands]] = Counter()
    for played in islice(engine_rounds(setup, job, 1), more):
        hands = played.hands if job.ordered else tuple(sorted(played.hands))
        total[played.level, hands] += 1
    tally = count_chunk(job, 1, more)
    found: Counter[tuple[int, Hands]] = Counter()
    for key, count in tally.keys.items():
        found[level_of(key), hands_of(key, job.boxes, job.ordered)] += count
    assert +found == total
