"""The compiled walks of a bankroll: rounds as in the counting kernels, money from a table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wartable.sim.general import slot_of
from wartable.sim.kernels import (
    I64,
    U16,
    U64,
    Counts,
    WordArray,
    compiled,
    draw,
    fill,
    high16,
    inlined,
    low16,
)

Codes = NDArray[np.uint8]
U8: Any = np.uint8

# The codes of how a round ended; a tie's code is 2 plus its slot.
REJECTED, LOST, WON, TIED = 0, 1, 2, 255
CODES = 17
WAR_LOST, SUITED_WAR_LOST = 3, 9
BLOCK = 256

FLAT, MARTINGALE, PAROLI, DALEMBERT, FIBONACCI, LABOUCHERE = range(6)
PAROLI_WINS = 3
LINE_MAX = 512
"""The longest line of a Labouchere player; a line that would grow longer starts again."""


@inlined
def coded(word: Any, others: Any, copies: Any, same: Any, least: Any) -> Any:
    """The code of one round from one word, as in `kernels.judged`."""
    rank = high16(word, U16(13))
    rest = low16(word, U16(13))
    card = high16(rest, others)
    lower = low16(rank, copies)
    code = U8(WON) if card < lower else (U8(TIED) if U16(card - lower) < same else U8(LOST))
    return code if low16(rest, others) >= least else U8(REJECTED)


@compiled
def fill_ranks(state: WordArray, words: WordArray, decks: int, codes: Codes) -> None:
    """Write the codes of the next rounds by ranks; ties stay open and some rounds are rejected."""
    others, copies = U16(52 * decks - 1), U16(4 * decks)
    same, least = U16(4 * decks - 1), U16(65536 % (13 * (52 * decks - 1)))
    fill(state, words, 1)
    halves = words.view(np.uint16)
    for i in range(BLOCK):
        codes[i] = coded(halves[i], others, copies, same, least)


@compiled
def fill_suits(spare: WordArray, decks: int, codes: Codes) -> None:
    """Write the codes of the next rounds with their suits, every tie with its war."""
    count = 52 * decks
    for i in range(BLOCK):
        card = I64(draw(spare, U64(count)))
        dealers = I64(draw(spare, U64(count - 1)))
        dealers += dealers >= card
        if card // (4 * decks) != dealers // (4 * decks):
            codes[i] = WON if card > dealers else LOST
            continue
        war_card = I64(draw(spare, U64(count - 2)))
        war_card += war_card >= min(card, dealers)
        war_card += war_card >= max(card, dealers)
        war_dealers = I64(draw(spare, U64(count)))
        while war_dealers in (card, dealers, war_card):
            war_dealers = I64(draw(spare, U64(count)))
        slot = slot_of(
            card // decks, dealers // decks, war_card // decks, war_dealers // decks, True
        )
        codes[i] = slot + 2


@compiled
def war_code(spare: WordArray, decks: int) -> int:
    """The code of a tie that goes to war: 3 lost, 4 won, 5 tied."""
    copies = U64(4 * decks)
    card = draw(spare, U64(52 * decks - 2))
    dealers = draw(spare, U64(52 * decks - 3))
    lower = (card + U64(2)) // copies * copies
    if dealers + U64(2) < lower:
        return 4
    return 5 if dealers + U64(3) < lower + copies else 3


@compiled
def walk_flat(
    state: WordArray,
    spare: WordArray,
    decks: int,
    suits: bool,
    war: bool,
    bankroll: int,
    need: int,
    need_war: int,
    floor: int,
    goal: int,
    nets: Counts,
    surrendered: Counts,
    checks: Counts,
    fan: Counts,
    finals: Counts,
    played: Counts,
) -> None:
    """Walk bankrolls with the same bet every round until ruin, floor, goal or the last round."""
    words, codes = np.empty(64, np.uint64), np.empty(BLOCK, np.uint8)
    least = max(need, floor + 1)
    lost, won = nets[LOST], nets[WON]
    at = BLOCK
    for path in range(finals.size):
        money, rounds, check = bankroll, 0, 0
        while check < checks.size and least <= money < goal:
            end = checks[check]
            while rounds < end:
                if at == BLOCK:
                    if suits:
                        fill_suits(spare, decks, codes)
                    else:
                        fill_ranks(state, words, decks, codes)
                    at = 0
                code = codes[U64(at)]
                at += 1
                if code > WON:
                    drawn = war_code(spare, decks) if code == TIED else I64(code)
                    money += nets[drawn] if war and money >= need_war else surrendered[drawn]
                elif code:
                    money += won if code == WON else lost
                else:
                    continue
                rounds += 1
                if money < least or money >= goal:
                    break
            if path < fan.shape[0]:
                fan[path, check] = money
            check += 1
        if path < fan.shape[0]:
            fan[path, check:] = money
        finals[path] = money
        played[path] = rounds


@compiled
def wanted(system: int, level: int, line: Counts, length: int) -> Any:
    """The system's next bet, in multiples of its unit."""
    if system in (MARTINGALE, PAROLI):
        return 1 << min(level, 40)
    if system == DALEMBERT:
        return level + 1
    if system == FIBONACCI:
        one, two = 1, 1
        for _ in range(min(level, 60)):
            one, two = two, one + two
        return one
    if system == LABOUCHERE:
        return line[0] if length == 1 else line[0] + line[length - 1]
    return 1


@compiled
def advanced(system: int, level: int, gained: bool) -> int:
    """A system's level after a win or a loss."""
    if system == MARTINGALE:
        return 0 if gained else level + 1
    if system == PAROLI:
        return (level + 1) % PAROLI_WINS if gained else 0
    if system == DALEMBERT:
        return max(level - 1, 0) if gained else level + 1
    if system == FIBONACCI:
        return max(level - 2, 0) if gained else level + 1
    return 0


@compiled
def crossed(line: Counts, length: int, start: Counts, bet: int, gained: bool) -> int:
    """The length of a Labouchere line after a round: both ends crossed out, or the bet added."""
    if gained:
        for i in range(1, length - 1):
            line[i - 1] = line[i]
        length = max(length - 2, 0)
    elif length < LINE_MAX:
        line[length] = bet
        length += 1
    else:
        length = 0
    if length == 0:
        line[: start.size] = start
        length = start.size
    return length


@compiled
def walk_system(
    state: WordArray,
    spare: WordArray,
    decks: int,
    suits: bool,
    war: bool,
    bankroll: int,
    unit: int,
    sides: int,
    needs_war: Counts,
    floor: int,
    goal: int,
    system: int,
    start: Counts,
    nets: NDArray[np.int64],
    surrendered: NDArray[np.int64],
    checks: Counts,
    fan: Counts,
    finals: Counts,
    played: Counts,
) -> int:
    """Walk bankrolls by a betting system; return the sum of all primary bets in units.

    The rows of the tables are multiples of the unit, up to the table's limit.
    """
    words, codes = np.empty(64, np.uint64), np.empty(BLOCK, np.uint8)
    line = np.empty(LINE_MAX, np.int64)
    least = max(unit + sides, floor + 1)
    at, bets = BLOCK, 0
    for path in range(finals.size):
        money, rounds, check, level, length = bankroll, 0, 0, 0, start.size
        line[:length] = start
        while check < checks.size and least <= money < goal:
            while rounds < checks[check] and least <= money < goal:
                if at == BLOCK:
                    if suits:
                        fill_suits(spare, decks, codes)
                    else:
                        fill_ranks(state, words, decks, codes)
                    at = 0
                code = I64(codes[at])
                at += 1
                if code == REJECTED:
                    continue
                if code == TIED:
                    code = war_code(spare, decks)
                bet = min(wanted(system, level, line, length), nets.shape[0] - 1)
                bet = max(min(bet, (money - sides) // unit), 1)
                rounds += 1
                bets += bet
                fights = war and money >= needs_war[bet]
                gained = code not in (LOST, WAR_LOST, SUITED_WAR_LOST)
                if code > WON and not fights:
                    money += surrendered[bet, code]
                    gained = False
                else:
                    money += nets[bet, code]
                level = advanced(system, level, gained)
                if system == LABOUCHERE:
                    length = crossed(line, length, start, bet, gained)
            if path < fan.shape[0]:
                fan[path, check] = money
            check += 1
        if path < fan.shape[0]:
            fan[path, check:] = money
        finals[path] = money
        played[path] = rounds
    return bets
