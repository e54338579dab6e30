"""The compiled loop with everything: suits, policies by count, boxes in order, the wheel."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wartable.sim.kernels import (
    I64,
    SHOES,
    U32,
    U64,
    CardArray,
    Counts,
    WordArray,
    compiled,
    draw,
    inlined,
    shuffle,
    stacks,
)

BOXES_MAX = 9
SURRENDERED: Any = np.uint64(1 << 60)
"""Marks a key whose tied hands all surrendered."""
GOLDEN: Any = np.uint64(0x9E3779B97F4A7C15)

# The places of the settings of `count_general`, which are passed as one array of integers.
DECKS, BOXES, LENGTH, START, COVER, BURNS, BURN_MODE = range(7)
SUITS, ORDERED, COUNT_LEAST, TRIGGER_RANK, TRIGGER_SUITS, FACED_UP = range(7, 13)
BET_LEAST, PER_DECK, SETTINGS = range(13, 16)


@compiled
def slot_of(card: int, dealers: int, war_card: int, war_dealers: int, suits: bool) -> int:
    """The slot of a hand that tied and went to war; `classes.SLOTS` names the slots."""
    rank, war_rank = card >> 2, war_card >> 2
    if war_rank != war_dealers >> 2:
        slot = 2 if war_rank > war_dealers >> 2 else 1
        return slot + 6 if suits and card == dealers else slot
    if not suits:
        return 3
    same_rank = 1 if rank == war_rank else 0
    if card != dealers:
        return 3 + same_rank + (2 if war_card == war_dealers else 0)
    if war_card != war_dealers:
        return 9 + same_rank
    return 11 + 2 * same_rank + (1 if card & 3 == war_card & 3 else 0)


@compiled
def tally(keys: WordArray, counts: Counts, key: np.uint64) -> bool:
    """Count a key in an open-addressed hash table; False if the table is full."""
    mask = U64(keys.size - 1)
    place = (key * GOLDEN) >> U64(40)
    for _ in range(keys.size):
        place &= mask
        if counts[place] == 0:
            keys[place] = key
        if keys[place] == key:
            counts[place] += 1
            return True
        place += U64(1)
    return False


@compiled
def weighted(spare: WordArray, weights: Counts) -> int:
    """The index of a stop of the wheel."""
    stop = I64(draw(spare, U64(weights.sum())))
    for index in range(weights.size):
        stop -= weights[index]
        if stop < 0:
            return index
    return weights.size - 1


@compiled
def set_aside(
    cards: CardArray, shoe: int, length: int, cover: int, spare: WordArray, chance: int
) -> int:
    """Move the cards found face up behind the others; return the cover card's new place."""
    kept, above = 0, cover
    for place in range(length):
        if I64(draw(spare, U64(4294967295))) < chance:
            above -= place < cover
        else:
            here, there = kept * SHOES + shoe, place * SHOES + shoe
            card = cards[here]
            cards[here] = cards[there]
            cards[there] = card
            kept += 1
    return above


@inlined
def placed(seen: int, at: int, settings: Counts, least: int, size: int) -> int:
    """The place of a count in a table that begins at its least count."""
    count = seen * 52 // (52 * settings[DECKS] - at) if settings[PER_DECK] != 0 else seen
    return min(max(count - least, 0), size - 1)


@compiled
def play_round(
    cards: CardArray,
    shoe: int,
    at: int,
    seen: int,
    settings: Counts,
    tags: Counts,
    policy: NDArray[np.bool_],
    tied: Counts,
) -> tuple[int, int, np.uint64]:
    """Deal one round; return the place after it, the count of the cards seen, and its key."""
    boxes, suits, ordered = settings[BOXES], settings[SUITS] != 0, settings[ORDERED] != 0
    dealers = I64(cards[(at + boxes) * SHOES + shoe])
    seen += tags[dealers >> 2]
    key, ties = U64(0), 0
    for box in range(boxes):
        card = I64(cards[(at + box) * SHOES + shoe])
        seen += tags[card >> 2]
        if card >> 2 == dealers >> 2:
            tied[ties] = box
            ties += 1
        elif card > dealers:
            key += U64(16) << U64(5 * box) if ordered else U64(1)
    first, at = at, at + boxes + 1
    if ties == 0:
        return at, seen, key
    war = policy[placed(seen, at, settings, settings[COUNT_LEAST], policy.size)]
    stride = settings[BURNS] + 1 if settings[BURN_MODE] == 2 else 1
    at += settings[BURNS]
    last = at + ties * stride + (settings[BURNS] if settings[BURN_MODE] == 1 else 0)
    for tie in range(ties):
        card = I64(cards[(first + tied[tie]) * SHOES + shoe])
        slot = 7 if suits and card == dealers else 1
        if war:
            war_card = I64(cards[(at + tie * stride) * SHOES + shoe])
            war_dealers = I64(cards[last * SHOES + shoe])
            slot = slot_of(card, dealers, war_card, war_dealers, suits)
            seen += tags[war_card >> 2]
        key += U64(slot) << U64(5 * tied[tie]) if ordered else U64(1) << U64(4 * slot)
    if war:
        return last + 1, seen + tags[I64(cards[last * SHOES + shoe]) >> 2], key
    return first + boxes + 1, seen, key | SURRENDERED


@compiled
def count_general(
    state: WordArray,
    spare: WordArray,
    settings: Counts,
    tags: Counts,
    policy: NDArray[np.bool_],
    levels: Counts,
    hot_spots: Counts,
    community: Counts,
    rounds: int,
    keys: WordArray,
    counts: Counts,
    plain: Counts,
    spins: Counts,
) -> int:
    """Play rounds, count keys and wheel stops; return the shoes begun, or -1 if the table is full.

    Rounds without a tie are counted in `plain` by boxes won, unless the order of the boxes or the
    seen cards matter.
    """
    cards, swaps, bounds, places, words = stacks(settings[DECKS], settings[LENGTH], True)
    tied = np.empty(BOXES_MAX, np.int64)
    boxes, eight, trigger = U64(settings[BOXES]), U64(SHOES), settings[TRIGGER_RANK]
    simple = settings[ORDERED] == 0 and policy.size == 1 and levels.size == 1
    done, shoes = 0, 0
    while done < rounds:
        shuffle(state, spare, words, swaps, bounds, places, cards)
        for shoe in range(SHOES):
            at, seen, cover = U64(settings[START]), 0, settings[COVER]
            shoes += done < rounds
            if settings[FACED_UP]:
                cover = set_aside(cards, shoe, settings[LENGTH], cover, spare, settings[FACED_UP])
            while I64(at) <= cover and done < rounds:
                place = at * eight + U64(shoe)
                dealers = cards[place + boxes * eight]
                won, ties = U64(0), U64(0)
                for _ in range(boxes):
                    won += U64(cards[place] >> U32(2) > dealers >> U32(2))
                    ties += U64(cards[place] >> U32(2) == dealers >> U32(2))
                    place += eight
                done += 1
                if simple and ties == U64(0):
                    plain[won] += 1
                    at += boxes + U64(1)
                else:
                    level = U64(
                        levels[placed(seen, I64(at), settings, settings[BET_LEAST], levels.size)]
                    )
                    after, seen, key = play_round(
                        cards, shoe, I64(at), seen, settings, tags, policy, tied
                    )
                    at = U64(after)
                    if not tally(keys, counts, key | level << U64(61)):
                        return -1
                if (
                    I64(dealers >> U32(2)) == trigger
                    and (settings[TRIGGER_SUITS] >> I64(dealers & U32(3))) & 1
                ):
                    stop = weighted(spare, hot_spots) * community.size
                    spins[stop + weighted(spare, community)] += 1
    return shoes
