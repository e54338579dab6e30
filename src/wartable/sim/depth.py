"""Shoes dealt to a card counter: how often a wager is favourable, and what the counter earns."""

import math

import msgspec
import numpy as np
from numpy.typing import NDArray

from wartable.odds import Expectation, Odds
from wartable.odds.shoe import stakes_of
from wartable.rules.model import WagerKind
from wartable.sim.classes import SLOTS
from wartable.sim.counters import SPARE_STREAM, lanes, streams
from wartable.sim.general import slot_of
from wartable.sim.kernels import (
    I64,
    SHOES,
    Counts,
    WordArray,
    compiled,
    shuffle,
    stacks,
)
from wartable.sim.money import AskedPayments
from wartable.sim.setup import SimulationSetup, longest_round

Floats = NDArray[np.float64]
SHOES_PER_CHUNK = 4096
COUNTED, BETS, GAIN, NET, NET_SQUARED, PRIMARY, SUMS = range(7)
"""Places of a counter's sums: rounds, tie wagers made, their expectation, results, good rounds."""
PERFECT, HUMAN, COUNTERS = range(3)


class Earnings(msgspec.Struct, frozen=True):
    """What one counter did, per round; amounts in units of the primary wager."""

    rounds: int
    bets: float
    """The share of rounds with a tie wager."""
    gain: float
    """The expectation of a tie wager that was made, per unit."""
    mean: float
    sd: float
    primary: float
    """The share of rounds in which the primary wager was favourable."""


def earnings(
    setup: SimulationSetup, seed: int, shoes: int, tracked: int, spread: float
) -> tuple[Earnings, Earnings]:
    """What a perfect counter earns, and one who tracks only some ranks, over this many shoes.

    Both bet one unit on the primary wager if the book wants it, and `spread` units on the tie
    wager whenever their count says that it is favourable.
    """
    odds = Odds(setup.book, setup.decks)
    pays, primary = stakes_of(odds), 1.0 if setup.rules.wagers.tie.with_primary else 0.0
    nets = np.array([each.net / Expectation(odds).unit for each in Expectation(odds).endings])
    cover = setup.cover or 0
    reach = min(-(-(cover + longest_round(setup)) // 4) * 4, 52 * setup.decks)
    shape = (setup.decks, reach, setup.rules.shoe.burn_first, cover, setup.rules.deal.war_burn)
    settings = np.array([*shape, tracked], np.int64)
    money = np.array([pays.tie_won, pays.tie_lost, spread, primary], np.float64)
    sums = np.zeros((COUNTERS, SUMS))
    for chunk in range(-(-shoes // SHOES_PER_CHUNK)):
        placed = streams(seed, chunk)
        count = min(SHOES_PER_CHUNK, shoes - chunk * SHOES_PER_CHUNK)
        deal_counted(
            lanes(placed, 0), placed[:, SPARE_STREAM].copy(), settings, money, nets, count, sums
        )
    edge = -float(odds.wager("primary").ev) * primary
    perfect, human = (_earned(each, spread, edge) for each in sums)
    return perfect, human


def _earned(sums: Floats, spread: float, edge: float) -> Earnings:
    """The means of the sums; the primary's own is its exact edge."""
    rounds = sums[COUNTED]
    mean = spread * sums[GAIN] / rounds - edge
    variance = sums[NET_SQUARED] / rounds - (sums[NET] / rounds) ** 2
    return Earnings(
        int(rounds),
        float(sums[BETS] / rounds),
        float(sums[GAIN] / sums[BETS]) if sums[BETS] else 0.0,
        float(mean),
        math.sqrt(max(float(variance), 0.0)),
        float(sums[PRIMARY] / rounds),
    )


@compiled
def estimated(unseen: Counts, size: int, tracked: int) -> float:
    """The tying deals that a counter expects who tracks the first ranks and averages the others."""
    known, tied = 0, 0.0
    for rank in range(tracked):
        known += unseen[rank]
        tied += unseen[rank] * (unseen[rank] - 1)
    if tracked < 13:
        each = (size - known) / (13 - tracked)
        tied += (13 - tracked) * each * max(each - 1.0, 0.0)
    return tied


@compiled
def primary_value(unseen: Counts, size: int, nets: Floats) -> float:
    """The primary wager's expectation by war, per unit."""
    tied, twice = 0, 0
    for rank in range(13):
        tied += unseen[rank] * (unseen[rank] - 1)
    for rank in range(13):
        number = unseen[rank]
        twice += number * (number - 1) * (tied - 4 * number + 6)
    ties = tied / (size * (size - 1))
    again = twice / (size * (size - 1)) / ((size - 2) * (size - 3))
    decided, fought = (nets[0] + nets[1]) / 2, (nets[2] + nets[4]) / 2
    value: float = decided * (1 - ties) + fought * (ties - again) + nets[3] * again
    return value


@compiled
def deal_counted(
    state: WordArray,
    spare: WordArray,
    settings: Counts,
    money: Floats,
    nets: Floats,
    todo: int,
    sums: Floats,
) -> None:
    """Deal shoes to one box and add up what each counter would have bet and won.

    The burned cards are not seen: for a counter they are still among the cards to come.
    """
    decks, length, start, cover, burns, tracked = settings
    tie_won, tie_lost, spread, primary = money
    cards, swaps, bounds, places, words = stacks(decks, length, False)
    unseen = np.empty(13, np.int64)
    done = 0
    while done < todo:
        shuffle(state, spare, words, swaps, bounds, places, cards)
        for shoe in range(SHOES):
            if done == todo:
                break
            done += 1
            unseen[:] = 4 * decks
            size, at = 52 * decks, start
            while at <= cover:
                deals = size * (size - 1)
                tied = 0
                for rank in range(13):
                    tied += unseen[rank] * (unseen[rank] - 1)
                value = tie_lost + (tie_won - tie_lost) * tied / deals
                guess = tie_lost + (tie_won - tie_lost) * estimated(unseen, size, tracked) / deals
                good = primary_value(unseen, size, nets) > 0
                card, dealers = I64(cards[at * SHOES + shoe]), I64(cards[(at + 1) * SHOES + shoe])
                unseen[card] -= 1
                unseen[dealers] -= 1
                size -= 2
                at += 2
                if card != dealers:
                    net = nets[0] if card > dealers else nets[1]
                else:
                    at += burns
                    war, other = I64(cards[at * SHOES + shoe]), I64(cards[(at + 1) * SHOES + shoe])
                    unseen[war] -= 1
                    unseen[other] -= 1
                    size -= 2
                    at += 2
                    net = nets[3] if war == other else (nets[2] if war > other else nets[4])
                for counter in range(2):
                    bets = (value if counter == 0 else guess) > 0
                    result = primary * net
                    if bets:
                        result += spread * (tie_won if card == dealers else tie_lost)
                        sums[counter, 1] += 1
                        sums[counter, 2] += value
                    sums[counter, 0] += 1
                    sums[counter, 3] += result
                    sums[counter, 4] += result * result
                    sums[counter, 5] += good


class SuitedDepth(msgspec.Struct, frozen=True):
    """How often a wager that suits decide is favourable at a depth, from random compositions."""

    chance: float
    gain: float
    """The mean gain per unit when it is favourable; 0 if it never was."""
    best: float
    """The highest expectation that was seen, per unit."""
    samples: int


def suited_depth(
    setup: SimulationSetup, kind: WagerKind, dealt: int, samples: int, seed: int
) -> SuitedDepth:
    """A side bet's expectation over random compositions of what is left after `dealt` cards."""
    cashier = AskedPayments(setup, ordered=False)
    pays = np.array([_unit(cashier, kind, name) for name in ("lost", *SLOTS)])
    placed = streams(seed, dealt)
    values = np.empty(samples)
    value_suited(lanes(placed, 0), placed[:, SPARE_STREAM].copy(), setup.decks, dealt, pays, values)
    good = values[values > 0]
    return SuitedDepth(
        len(good) / samples,
        float(good.mean()) if len(good) else 0.0,
        float(values.max()),
        samples,
    )


def _unit(cashier: AskedPayments, kind: WagerKind, name: str) -> float:
    """What the engine pays one box of a class, per unit of the wager."""
    paid = cashier.hand(name)[kind]
    return paid.net / paid.staked


@compiled
def value_suited(
    state: WordArray,
    spare: WordArray,
    decks: int,
    dealt: int,
    pays: Floats,
    values: Floats,
) -> None:
    """The expectation of each of some random compositions, by the class of every tied deal."""
    cards, swaps, bounds, places, words = stacks(decks, max(4, (dealt + 3) // 4 * 4), True)
    left = np.empty(52, np.int64)
    weights = np.empty(16)
    done = 0
    while done < values.size:
        shuffle(state, spare, words, swaps, bounds, places, cards)
        for shoe in range(SHOES):
            if done == values.size:
                break
            left[:] = decks
            for place in range(dealt):
                left[cards[place * SHOES + shoe]] -= 1
            weigh_classes(left, weights)
            total = 0.0
            for place in range(16):
                total += weights[place] * pays[place]
            values[done] = total
            done += 1


@compiled
def weigh_classes(left: Counts, weights: Floats) -> None:
    """The probability of each class of one box at war: lost, and then each slot."""
    size = left.sum()
    deals, wars = float(size * (size - 1)), float((size - 2) * (size - 3))
    weights[:] = 0.0
    tied = 0.0
    for card in range(52):
        for dealers in range(card // 4 * 4, card // 4 * 4 + 4):
            ways = left[card] * (left[dealers] - (card == dealers))
            if ways <= 0:
                continue
            tied += ways
            left[card] -= 1
            left[dealers] -= 1
            even = 0.0
            for war in range(52):
                for other in range(war // 4 * 4, war // 4 * 4 + 4):
                    pairs = left[war] * (left[other] - (war == other))
                    if pairs > 0:
                        even += pairs
                        slot = slot_of(card, dealers, war, other, True)
                        weights[1 + slot] += ways * pairs / deals / wars
            fought = ways * (wars - even) / deals / wars / 2
            won, lost = (8, 7) if card == dealers else (2, 1)
            weights[1 + won] += fought
            weights[1 + lost] += fought
            left[card] += 1
            left[dealers] += 1
    weights[0] = weights[1] = (deals - tied) / deals / 2


def ruin(earned: Earnings, bankroll: float) -> float:
    """The chance of ever losing this many units, by a diffusion with this mean and spread."""
    if earned.mean <= 0 or not earned.sd:
        return 1.0
    return math.exp(-2 * earned.mean * bankroll / earned.sd**2)


def bankroll_for(earned: Earnings, risk: float) -> float | None:
    """The bankroll in units at which ruin has that chance; None if it is certain."""
    if earned.mean <= 0:
        return None
    return -math.log(risk) * earned.sd**2 / (2 * earned.mean)
