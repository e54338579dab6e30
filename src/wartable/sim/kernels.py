"""The compiled loops: the generator, pairs of cards, dealt shoes. They count rounds, not money."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]  # llvmlite ships no types
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from wartable.sim.vectors import COUNTERS, fill_steps, pair_steps, war_steps

WordArray = NDArray[np.uint64]
CardArray = NDArray[np.uint32]
Counts = NDArray[np.int64]
Function = TypeVar("Function", bound=Callable[..., Any])

SHOES = 8
"""Shoes shuffled together, so that the stores of one do not stall the loads of the next."""
STEPS_MAX = 60_000
"""How many steps a counter of 16 bits can count."""

# Numba infers the types in compiled code; these casts choose the machine word.
U64: Any = np.uint64
U32: Any = np.uint32
U16: Any = np.uint16
I64: Any = np.int64
HALF: Any = np.uint64(0xFFFFFFFF)


def compiled(function: Function) -> Function:
    """The function as machine code that releases the lock and is cached between runs."""
    return cast(Function, numba.njit(nogil=True, cache=True)(function))


def inlined(function: Function) -> Function:
    """The function inlined into the compiled functions that call it."""
    return cast(Function, numba.njit(inline="always")(function))


def _product(half: bool, bits: int) -> Any:
    """The high or low word of a product of exactly this width; wider ones halve the speed."""
    word = types.uint16 if bits == 16 else types.uint32

    def typed(_context: Any, _left: Any, _right: Any) -> Any:
        def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            if not half:
                return builder.mul(*arguments)
            wide = ir.IntType(2 * bits)
            product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
            return builder.trunc(builder.lshr(product, ir.Constant(wide, bits)), ir.IntType(bits))

        return word(word, word), build

    return intrinsic(typed)


high16, low16 = _product(True, 16), _product(False, 16)
high32, low32 = _product(True, 32), _product(False, 32)


@inlined
def rotated(word: Any, by: int) -> Any:
    """The word rotated left."""
    return (word << U64(by)) | (word >> U64(64 - by))


@compiled
def leap(state: WordArray, polynomial: WordArray) -> None:
    """Advance one state by the number of steps that the polynomial stands for."""
    s0, s1, s2, s3 = state
    t0, t1, t2, t3 = U64(0), U64(0), U64(0), U64(0)
    for place in range(256):
        if (polynomial[place >> 6] >> U64(place & 63)) & U64(1):
            t0 ^= s0
            t1 ^= s1
            t2 ^= s2
            t3 ^= s3
        shifted = s1 << U64(17)
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= shifted
        s3 = rotated(s3, 45)
    state[0], state[1], state[2], state[3] = t0, t1, t2, t3


@compiled
def place_streams(state: WordArray, polynomials: WordArray, first: int, streams: WordArray) -> None:
    """Set the columns of `streams` to the starts of consecutive pieces from the first one."""
    for bit in range(polynomials.shape[0]):
        if (first >> bit) & 1:
            leap(state, polynomials[bit])
    for column in range(streams.shape[1]):
        for row in range(4):
            streams[row, column] = state[row]
        leap(state, polynomials[0])


@compiled
def fill(state: WordArray, words: WordArray, blocks: int) -> None:
    """Write 64 words per block: four steps of the sixteen lanes, step by step."""
    fill_steps(state, 4 * blocks, words)


@compiled
def draw(spare: WordArray, below: Any) -> Any:
    """A number below the bound from a single sequence, without bias."""
    while True:
        s0, s1, s2, s3 = spare[0], spare[1], spare[2], spare[3]
        word = rotated(s0 + s3, 23) + s0
        shifted = s1 << U64(17)
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= shifted
        spare[0], spare[1], spare[2], spare[3] = s0, s1, s2, rotated(s3, 45)
        product = (word >> U64(32)) * below
        if (product & HALF) >= (U64(1) << U64(32)) % below:
            return product >> U64(32)


@inlined
def judged(word: Any, others: Any, copies: Any, same: Any, least: Any) -> Any:
    """One round from one word: 1 for a loss, 33 for a win, 1025 for a tie, 0 to reject the word."""
    rank = high16(word, U16(13))
    rest = low16(word, U16(13))
    card = high16(rest, others)
    lower = low16(rank, copies)
    code = U16(33) if card < lower else (U16(1025) if U16(card - lower) < same else U16(1))
    return code if low16(rest, others) >= least else U16(0)


@compiled
def totals(sums: NDArray[np.uint16]) -> tuple[int, int, int]:
    """The sums of the three kinds of counters."""
    fits, won, not_lost = 0, 0, 0
    for i in range(64):
        fits += I64(sums[i])
        won += I64(sums[64 + i])
        not_lost += I64(sums[128 + i])
    return fits, won, not_lost


@compiled
def count_pairs(
    state: WordArray, war_state: WordArray, decks: int, rounds: int, out: Counts
) -> None:
    """Play rounds of one box, each from a fresh shoe; add won, lost, war won, tied, lost to `out`.

    The player's rank and the dealer's card come from one 16-bit word: the dealer's is one
    of the other cards, which lie sorted by rank, so that comparing indices compares ranks.
    """
    others, copies = U16(52 * decks - 1), U16(4 * decks)
    same, least = U16(4 * decks - 1), U16(65536 % (13 * (52 * decks - 1)))
    words = np.empty(64, np.uint64)
    halves = words.view(np.uint16)
    sums = np.empty(COUNTERS * 64, np.uint16)
    done, won, tied = 0, 0, 0
    while rounds - done >= 64:
        # A step makes at most 64 rounds, so a block cannot pass the rounds.
        pair_steps(
            state, min((rounds - done) // 64, STEPS_MAX), (others, copies, same, least), sums
        )
        counted, wins, not_lost = totals(sums)
        done += counted
        won += wins
        tied += not_lost - wins
    at = 256
    while done < rounds:
        if at == 256:
            fill(state, words, 1)
            at = 0
        code = judged(halves[at], others, copies, same, least)
        at += 1
        if code:
            done += 1
            won += code == 33
            tied += code == 1025
    out[0] += won
    out[1] += rounds - won - tied
    count_wars(war_state, decks, tied, out)


@inlined
def war_judged(
    word: Any, other: Any, first: Any, second: Any, copies: Any, inverse: Any, leasts: Any
) -> Any:
    """One war deal from two words: 1 for a loss, 33 for a win, 1025 for a tie, 0 to reject them."""
    card, dealers = high16(word, first), high16(other, second)
    lower = low16(high16(U16(card + U16(2)), inverse), copies)
    tied_below = U16(lower + copies - U16(3))
    code = (
        U16(33)
        if U16(dealers + U16(2)) < lower
        else (U16(1025) if dealers < tied_below else U16(1))
    )
    fits = low16(word, first) >= leasts[0] and low16(other, second) >= leasts[1]
    return code if fits else U16(0)


@compiled
def count_wars(state: WordArray, decks: int, rounds: int, out: Counts) -> None:
    """Play war deals after a tie; each card comes from its own 16-bit word.

    The tied rank does not matter, so the lowest is taken: two of its cards are gone.
    """
    first, second, copies = U16(52 * decks - 2), U16(52 * decks - 3), U16(4 * decks)
    leasts = (U16(65536 % (52 * decks - 2)), U16(65536 % (52 * decks - 3)))
    # The high word of a product with `inverse` divides by the copies, exactly up to 17 decks.
    inverse = U16(65536 // (4 * decks) + 1)
    words = np.empty(64, np.uint64)
    halves = words.view(np.uint16)
    sums = np.empty(COUNTERS * 64, np.uint16)
    numbers = (first, second, copies, inverse, *leasts)
    done, won, tied = 0, 0, 0
    while rounds - done >= 128:
        war_steps(state, min((rounds - done) // 128, STEPS_MAX // 2), numbers, sums)
        counted, wins, not_lost = totals(sums)
        done += counted
        won += wins
        tied += not_lost - wins
    at = 128
    while done < rounds:
        if at == 128:
            fill(state, words, 1)
            at = 0
        code = war_judged(halves[at], halves[at + 128], first, second, copies, inverse, leasts)
        at += 1
        if code:
            done += 1
            won += code == 33
            tied += code == 1025
    out[2] += won
    out[3] += tied
    out[4] += rounds - won - tied


@compiled
def shuffle(
    state: WordArray,
    spare: WordArray,
    words: WordArray,
    swaps: CardArray,
    bounds: CardArray,
    places: CardArray,
    cards: CardArray,
) -> None:
    """Shuffle the first places of eight shoes, as far as `swaps` reaches, from any order."""
    fill(state, words, words.size // 64)
    halves = words.view(np.uint32)
    doubtful = U32(0)
    for i in range(swaps.size):
        swaps[i] = high32(halves[i], bounds[i]) + places[i]
        doubtful |= U32(low32(halves[i], bounds[i]) < bounds[i])
    if doubtful:
        for i in range(swaps.size):
            if low32(halves[i], bounds[i]) < U64(4294967296) % U64(bounds[i]):
                swaps[i] = U32(draw(spare, U64(bounds[i])) + U64(places[i]))
    for place in range(swaps.size // SHOES):
        for shoe in range(SHOES):
            here = U64(place * SHOES + shoe)
            there = U64(swaps[here]) * U64(SHOES) + U64(shoe)
            card = cards[here]
            cards[here] = cards[there]
            cards[there] = card


@compiled
def play_box(
    cards: CardArray,
    shoe: int,
    start: int,
    cover: int,
    burns: int,
    war: bool,
    todo: int,
    out: Counts,
) -> int:
    """Deal one box from a shoe until the cover card is out; return the number of rounds."""
    at, last, eight = U64(start * SHOES + shoe), U64(cover * SHOES + shoe), U64(SHOES)
    rounds, won, tied, war_won, war_tied = 0, 0, 0, 0, 0
    while at <= last and rounds < todo:
        card, dealers = cards[at], cards[at + eight]
        at += eight + eight
        rounds += 1
        if card == dealers:
            tied += 1
            if war:
                at += U64(burns) * eight
                card, dealers = cards[at], cards[at + eight]
                at += eight + eight
                war_won += card > dealers
                war_tied += card == dealers
        else:
            won += card > dealers
    out[0] += won
    out[1] += rounds - won - tied
    out[2] += war_won
    out[3] += war_tied
    out[4] += tied - war_won - war_tied
    return rounds


@inlined
def tallied(cards: CardArray, place: Any, dealers: Any, boxes: int) -> tuple[Any, Any]:
    """How many of the next cards are above the dealer's, and how many equal it."""
    won, tied = U32(0), U32(0)
    for _ in range(boxes):
        card = cards[place]
        won += U32(card > dealers)
        tied += U32(card == dealers)
        place += U64(SHOES)
    return U64(won), U64(tied)


@inlined
def tallied_of(cards: CardArray, place: Any, dealers: Any, boxes: int) -> tuple[Any, Any]:
    """The same for a number of boxes known only at run time; each number has an unrolled loop."""
    if boxes == 2:
        tally = tallied(cards, place, dealers, 2)
    elif boxes == 3:
        tally = tallied(cards, place, dealers, 3)
    elif boxes == 4:
        tally = tallied(cards, place, dealers, 4)
    elif boxes == 5:
        tally = tallied(cards, place, dealers, 5)
    elif boxes == 6:
        tally = tallied(cards, place, dealers, 6)
    elif boxes == 7:
        tally = tallied(cards, place, dealers, 7)
    elif boxes == 8:
        tally = tallied(cards, place, dealers, 8)
    else:
        tally = tallied(cards, place, dealers, boxes)
    return tally


@compiled
def play_boxes(
    cards: CardArray,
    shoe: int,
    start: int,
    cover: int,
    burns: int,
    burn_mode: int,
    war: bool,
    boxes: int,
    todo: int,
    table: Counts,
) -> int:
    """Deal several boxes from a shoe until the cover card is out; return the number of rounds.

    The table is indexed by war lost (or surrendered), war tied, war won and won, ten of each.
    """
    at, rounds, eight = U64(start), 0, U64(SHOES)
    hands, burned, here = U64(boxes), U64(burns), U64(shoe)
    stride = eight * (burned + U64(1)) if burn_mode == 2 else eight
    extra = burned if burn_mode == 1 else U64(0)
    while at <= U64(cover) and rounds < todo:
        place = at * eight + here
        dealers = cards[place + hands * eight]
        won, tied = tallied_of(cards, place, dealers, boxes)
        at += hands + U64(1)
        rounds += 1
        index = won
        if tied and not war:
            index += U64(1000) * tied
        elif tied:
            place = (at + burned) * eight + here
            last = place + tied * stride + extra * eight
            dealers = cards[last]
            war_won, war_tied = U64(0), U64(0)
            for _ in range(tied):
                card = cards[place]
                war_won += U64(card > dealers)
                war_tied += U64(card == dealers)
                place += stride
            at = last // eight + U64(1)
            lost = tied - war_won - war_tied
            index += U64(10) * war_won + U64(100) * war_tied + U64(1000) * lost
        table[index] += 1
    return rounds


@compiled
def count_shoes(
    state: WordArray,
    spare: WordArray,
    decks: int,
    boxes: int,
    length: int,
    start: int,
    cover: int,
    burns: int,
    burn_mode: int,
    war: bool,
    rounds: int,
    out: Counts,
) -> int:
    """Play rounds from shuffled shoes, by ranks alone; return the number of shoes begun."""
    cards, swaps, bounds, places, words = stacks(decks, length, False)
    done, shoes = 0, 0
    while done < rounds:
        shuffle(state, spare, words, swaps, bounds, places, cards)
        for shoe in range(SHOES):
            if done == rounds:
                break
            shoes += 1
            todo = rounds - done
            if boxes == 1 and burn_mode == 0:
                done += play_box(cards, shoe, start, cover, burns, war, todo, out)
            else:
                done += play_boxes(
                    cards, shoe, start, cover, burns, burn_mode, war, boxes, todo, out
                )
    return shoes


@compiled
def stacks(
    decks: int, length: int, suits: bool
) -> tuple[CardArray, CardArray, CardArray, CardArray, WordArray]:
    """Eight sorted stacks, and the buffers to shuffle the first `length` places of each."""
    count = 52 * decks
    cards = np.empty(count * SHOES, np.uint32)
    for card in range(count):
        kind = card // decks if suits else card // (4 * decks)
        cards[card * SHOES : (card + 1) * SHOES] = kind
    swaps = np.empty(length * SHOES, np.uint32)
    places = np.empty(length * SHOES, np.uint32)
    bounds = np.empty(length * SHOES, np.uint32)
    for i in range(length * SHOES):
        places[i] = i // SHOES
        bounds[i] = count - i // SHOES
    words = np.empty((length * SHOES + 127) // 128 * 64, np.uint64)
    return cards, swaps, bounds, places, words
