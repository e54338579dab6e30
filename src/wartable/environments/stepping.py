"""The compiled step of a seat: many episodes at once, each with its shoe, money and stream.

An episode is a row of `numbers` and of `shoes`. The first row of `table` has the settings, and
every other row a bet: its wagers and what its round nets at each end. The bet of action n is in
row n. Passing a few whole arrays makes a call cheap, which matters to a single episode.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wartable.sim.compositions import ValueRows
from wartable.sim.kernels import Counts, compiled, inlined, rotated

U64: Any = np.uint64
I64: Any = np.int64
HALF: Any = np.uint64(0xFFFFFFFF)

BETTING, CHOOSING, OVER = 0, 1, 2
"""What a seat awaits: a bet, a choice at a tie, or its next episode."""

# The columns of an episode: its state, the numbers of each rank, and its stream.
PHASE, MONEY, BET, DEALT, ROUNDS, CARD, DEALER, WAR_CARD, WAR_DEALER, NET, WON = range(11)
RANKS, COUNTS, STREAM = 13, 11, 24
NUMBERS = 28

# The columns of a bet: three wagers, then the ends of `setup.Ends`.
PRIMARY, TIE, WAR_TIE, HIGHER, LOWER, TIED, SURRENDERED, WAR, WAGERED = 0, 1, 2, 3, 4, 5, 6, 7, 10
COLUMNS = 13

# The settings, in the order of `setup.settings`.
(
    CARDS, COVER, BURN_FIRST, BURN, BURN_DEALER, BANKROLL, ROUNDS_MAX, FRESH, SEEN, MAY_LEAVE,
    OFFERS, LEAST,
) = range(12)  # fmt: skip  # one list

# The columns of an observation after the thirteen ranks.
OBSERVED_PHASE, TIED_RANK, STAKE, TIE_STAKE, STACK, BEFORE_COVER, ROUNDS_LEFT = range(RANKS, 20)
OBSERVATION_SIZE = 20

# The first columns of the marks; the rest is the mask of legal actions.
ENDED, CUT_OFF, REFUSED, MASK = 0, 1, 2, 3

Observations = NDArray[np.int32]
ShoeRows = NDArray[np.uint8]
Marks = NDArray[np.int8]


@inlined
def draw_below(numbers: Counts, row: int, below: Any) -> Any:
    """A number below the bound from a row's stream, without bias; it rarely needs a division."""
    while True:
        s0, s1 = U64(numbers[row, STREAM]), U64(numbers[row, STREAM + 1])
        s2, s3 = U64(numbers[row, STREAM + 2]), U64(numbers[row, STREAM + 3])
        word = rotated(s0 + s3, 23) + s0
        shifted = s1 << U64(17)
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= shifted
        numbers[row, STREAM], numbers[row, STREAM + 1] = I64(s0), I64(s1)
        numbers[row, STREAM + 2], numbers[row, STREAM + 3] = I64(s2), I64(rotated(s3, 45))
        product = (word >> U64(32)) * below
        low = product & HALF
        if low >= below or low >= (U64(1) << U64(32)) % below:
            return product >> U64(32)


@compiled
def drawn(numbers: Counts, shoes: ShoeRows, table: Counts, row: int, seen: bool) -> int:
    """The next card, chosen among those left; a burned one stays among the unseen."""
    place = numbers[row, DEALT]
    there = place + I64(draw_below(numbers, row, U64(table[0, CARDS] - place)))
    card = shoes[row, there]
    shoes[row, there] = shoes[row, place]
    shoes[row, place] = card
    numbers[row, DEALT] = place + 1
    if seen or not table[0, SEEN]:
        numbers[row, COUNTS + (card >> 2)] -= 1
    return I64(card)  # type: ignore[no-any-return]  # a whole number in compiled code


@compiled
def start_shoe(numbers: Counts, shoes: ShoeRows, table: Counts, row: int) -> None:
    """A full shoe, its first cards burned."""
    each = table[0, CARDS] // RANKS
    for rank in range(RANKS):
        numbers[row, COUNTS + rank] = each
    numbers[row, DEALT] = 0
    for _ in range(table[0, BURN_FIRST]):
        drawn(numbers, shoes, table, row, False)


@compiled
def start_episode(numbers: Counts, shoes: ShoeRows, table: Counts, row: int) -> None:
    """A new bankroll and a new shoe."""
    for column in range(COUNTS):
        numbers[row, column] = -1 if CARD <= column <= WAR_DEALER else 0
    numbers[row, MONEY] = table[0, BANKROLL]
    start_shoe(numbers, shoes, table, row)


@compiled
def legal(numbers: Counts, table: Counts, row: int, action: int) -> bool:
    """Whether the row's seat may take the action now."""
    phase, money, bets = numbers[row, PHASE], numbers[row, MONEY], table.shape[0] - 1
    if phase == BETTING:
        if action == 0:
            return bool(table[0, MAY_LEAVE])
        return 0 < action <= bets and bool(money >= table[action, PRIMARY] + table[action, TIE])
    if phase == CHOOSING:
        bet, choice = numbers[row, BET], action - 1 - bets
        if choice == 0:
            return True
        if choice == 1:
            return bool(money >= table[bet, PRIMARY])
        offered = choice == 2 and table[0, OFFERS]
        return bool(offered and money >= table[bet, PRIMARY] + table[bet, WAR_TIE])
    return False


@compiled
def open_round(numbers: Counts, shoes: ShoeRows, table: Counts, row: int, bet: int) -> None:
    """Bet and deal. A tie settles the tie wager and leaves the primary wager at stake."""
    numbers[row, BET] = bet
    numbers[row, WAR_CARD], numbers[row, WAR_DEALER] = -1, -1
    card = drawn(numbers, shoes, table, row, True)
    dealers = drawn(numbers, shoes, table, row, True)
    numbers[row, CARD], numbers[row, DEALER] = card, dealers
    if card >> 2 == dealers >> 2:
        won = table[bet, TIED]
        numbers[row, PHASE] = CHOOSING
        numbers[row, MONEY] += won - table[bet, PRIMARY]
        numbers[row, NET], numbers[row, WON] = won, won
        return
    won = table[bet, HIGHER] if card >> 2 > dealers >> 2 else table[bet, LOWER]
    numbers[row, MONEY] += won
    numbers[row, NET], numbers[row, WON] = won, won
    close_round(numbers, shoes, table, row)


@compiled
def choose(numbers: Counts, shoes: ShoeRows, table: Counts, row: int, choice: int) -> None:
    """Surrender (0), go to war (1) or also wager on its tie (2)."""
    bet = numbers[row, BET]
    net = table[bet, SURRENDERED]
    if choice:
        for _ in range(table[0, BURN]):
            drawn(numbers, shoes, table, row, False)
        card = drawn(numbers, shoes, table, row, True)
        for _ in range(table[0, BURN_DEALER]):
            drawn(numbers, shoes, table, row, False)
        dealers = drawn(numbers, shoes, table, row, True)
        numbers[row, WAR_CARD], numbers[row, WAR_DEALER] = card, dealers
        relation = 0 if card >> 2 > dealers >> 2 else 1 if card >> 2 == dealers >> 2 else 2
        net = table[bet, (WAR if choice == 1 else WAGERED) + relation]
    won = net - table[bet, TIED]
    numbers[row, MONEY] += table[bet, PRIMARY] + won
    numbers[row, PHASE] = BETTING
    numbers[row, NET], numbers[row, WON] = net, won
    close_round(numbers, shoes, table, row)


@compiled
def close_round(numbers: Counts, shoes: ShoeRows, table: Counts, row: int) -> None:
    """Count the round, and shuffle if the cover card is out."""
    numbers[row, ROUNDS] += 1
    if table[0, FRESH] or numbers[row, DEALT] > table[0, COVER]:
        start_shoe(numbers, shoes, table, row)


@compiled
def observe(
    numbers: Counts, table: Counts, row: int, observations: Observations, marks: Marks
) -> None:
    """Write one observation, and the mask of legal actions: of all if the episode is over."""
    for rank in range(RANKS):
        observations[row, rank] = numbers[row, COUNTS + rank]
    phase, bet, money = numbers[row, PHASE], numbers[row, BET], numbers[row, MONEY]
    choosing, over = phase == CHOOSING, phase == OVER
    observations[row, OBSERVED_PHASE] = choosing
    observations[row, TIED_RANK] = (numbers[row, CARD] >> 2) + 1 if choosing else 0
    observations[row, STAKE] = table[bet, PRIMARY] if choosing else 0
    observations[row, TIE_STAKE] = table[bet, TIE] if choosing else 0
    observations[row, STACK] = money
    before = 0 if table[0, FRESH] else max(0, table[0, COVER] - numbers[row, DEALT])
    observations[row, BEFORE_COVER] = before
    observations[row, ROUNDS_LEFT] = table[0, ROUNDS_MAX] - numbers[row, ROUNDS]
    betting = phase == BETTING
    marks[row, MASK] = over or (betting and table[0, MAY_LEAVE])
    for each in range(1, table.shape[0]):
        affordable = money >= table[each, PRIMARY] + table[each, TIE]
        marks[row, MASK + each] = over or (betting and affordable)
    for action in range(table.shape[0], marks.shape[1] - MASK):
        marks[row, MASK + action] = over or (choosing and legal(numbers, table, row, action))


@inlined
def fought(table: Counts, bet: int, first: int, again: float) -> Any:
    """The net of a war whose deal ties with this chance."""
    decided = (table[bet, first] + table[bet, first + 2]) / 2
    return decided * (1 - again) + table[bet, first + 1] * again


@compiled
def choice_value(numbers: Counts, table: Counts, row: int, choice: int, again: float) -> float:
    """What a choice still wins or loses on average, if a war ties with this chance."""
    bet = numbers[row, BET]
    settled = table[bet, TIED]
    if choice == 0:
        return float(table[bet, SURRENDERED] - settled)
    return float(fought(table, bet, WAR if choice == 1 else WAGERED, again) - settled)


@compiled
def bet_value(numbers: Counts, table: Counts, row: int, bet: int, size: int, tied: int) -> float:
    """What a bet wins or loses on average in its round, with the best legal choice at a tie."""
    deals, wars = size * (size - 1), (size - 2) * (size - 3)
    primary = table[bet, PRIMARY]
    left = numbers[row, MONEY] - primary + table[bet, TIED]
    total = (table[bet, HIGHER] + table[bet, LOWER]) / 2 * (deals - tied)
    for rank in range(RANKS):
        number = numbers[row, COUNTS + rank]
        if number > 1:
            again = (tied - 4 * number + 6) / wars
            best = float(table[bet, SURRENDERED])
            if left >= primary:
                best = max(best, fought(table, bet, WAR, again))
            if table[0, OFFERS] and left >= primary + table[bet, WAR_TIE]:
                best = max(best, fought(table, bet, WAGERED, again))
            total += number * (number - 1) * best
    return float(total / deals)


@compiled
def value(numbers: Counts, table: Counts, values: ValueRows) -> None:
    """The expectation of every legal action in units, in closed form; -inf for the others.

    Nothing is computed for an array without columns.
    """
    bets = table.shape[0] - 1
    if not values.shape[1]:
        return
    for row in range(numbers.shape[0]):
        phase, size, tied = numbers[row, PHASE], 0, 0
        for rank in range(RANKS):
            number = numbers[row, COUNTS + rank]
            size += number
            tied += number * (number - 1)
        for action in range(values.shape[1]):
            worth = -np.inf
            if legal(numbers, table, row, action):
                if phase == CHOOSING:
                    again = tied / (size * (size - 1))
                    worth = choice_value(numbers, table, row, action - 1 - bets, again)
                else:
                    worth = bet_value(numbers, table, row, action, size, tied) if action else 0.0
            values[row, action] = worth / table[1, PRIMARY]


@compiled
def start(
    numbers: Counts,
    shoes: ShoeRows,
    table: Counts,
    observations: Observations,
    marks: Marks,
    values: ValueRows,
) -> None:
    """Start an episode in every row."""
    for row in range(numbers.shape[0]):
        start_episode(numbers, shoes, table, row)
        observe(numbers, table, row, observations, marks)
    value(numbers, table, values)


@compiled
def advance(
    numbers: Counts,
    shoes: ShoeRows,
    table: Counts,
    actions: Counts,
    observations: Observations,
    marks: Marks,
    values: ValueRows,
) -> None:
    """Take one action in every row; a row whose episode is over starts the next instead."""
    for row in range(numbers.shape[0]):
        action, phase = actions[row], numbers[row, PHASE]
        ended, cut_off, refused = False, False, False
        numbers[row, WON] = 0
        if phase == OVER:
            start_episode(numbers, shoes, table, row)
        elif not legal(numbers, table, row, action):
            refused = True
        elif action == 0:
            ended = True
        else:
            if phase == BETTING:
                open_round(numbers, shoes, table, row, action)
            else:
                choose(numbers, shoes, table, row, action - table.shape[0])
            if numbers[row, PHASE] == BETTING:
                ended = numbers[row, MONEY] < table[0, LEAST]
                cut_off = not ended and numbers[row, ROUNDS] >= table[0, ROUNDS_MAX]
        if ended or cut_off:
            numbers[row, PHASE] = OVER
        observe(numbers, table, row, observations, marks)
        marks[row, ENDED], marks[row, CUT_OFF], marks[row, REFUSED] = ended, cut_off, refused
    value(numbers, table, values)
