"""The player/dealer's bank: its exact result for any posted amount, wagers and readings.

Boxes interact only through the bank's money. The engine is therefore asked about one box at a
time, with the bank as the boxes before it left it, and its answers are joined in the order of
settling. All rows of outcomes with the same shape are equally likely.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import factorial
from typing import NamedTuple

from wartable.game import Bet, Open, Round
from wartable.odds.boxes import Shape, shapes
from wartable.odds.classes import Relation
from wartable.odds.composition import OddsError
from wartable.odds.figures import Distribution
from wartable.odds.slices import Answered, Seat, Slices
from wartable.odds.wagers import Odds
from wartable.odds.walk import BANKER, bet_on
from wartable.rules.model import Direction

RELATIONS: tuple[Relation, ...] = ("higher", "tie", "lower")


class Covered(NamedTuple):
    """How much of a seat's wagers the posted amount covers before the deal, in cents."""

    primary: int
    tie: int


class SeatResult(NamedTuple):
    """A seat's expectation and variance, in cents."""

    ev: Fraction
    variance: Fraction


class BankOdds(NamedTuple):
    """The banker's exact result for a round, in cents."""

    posted: int | None
    net: Distribution
    action: Fraction
    """The mean of the wagers before the deal, less what the bank returned uncovered."""
    covered: list[Covered]
    seats: list[SeatResult]

    @property
    def edge(self) -> Fraction:
        """The banker's expectation per unit of the action."""
        return self.net.ev / self.action if self.action else Fraction(0)


class Path(NamedTuple):
    """A row of outcomes so far: higher and tied boxes, and the bank's money and gain."""

    higher: int
    tied: tuple[tuple[int, int | None], ...]
    """The tied boxes, each with the bank's money when its turn came."""
    left: int | None
    total: int


class SeatSums:
    """The number of rows that lead to the same state, and each seat's sums over them."""

    def __init__(self, seats: int) -> None:
        self.rows = 0
        self.first = [0] * seats
        self.second = [0] * seats
        self.action = 0

    def add(self, other: "SeatSums", nets: dict[int, int], action: int) -> None:
        """Add another state's rows, each extended by these nets."""
        self.rows += other.rows
        self.action += other.action + action * other.rows
        for seat, (first, second) in enumerate(zip(other.first, other.second, strict=True)):
            net = nets.get(seat, 0)
            self.first[seat] += first + net * other.rows
            self.second[seat] += second + 2 * net * first + net * net * other.rows


def bank(
    odds: Odds, seats: Sequence[Seat], posted: int | None = None, stack: int | None = None
) -> BankOdds:
    """The banker's result against these seats, with a posted amount and a stack for matches.

    Without a posted amount the bank covers everything; without a stack it matches everything.
    """
    return _Bank(odds, seats, posted, stack).result()


class _Bank:
    """One question about the bank, with the engine's answers so far."""

    def __init__(
        self, odds: Odds, seats: Sequence[Seat], posted: int | None, stack: int | None
    ) -> None:
        self.odds = odds
        self.rules = odds.rules
        self.seats = seats
        self.posted = posted
        self.stack = stack
        self.opened = _opened(odds, seats, posted, stack)
        live = [hand for hand in self.opened.hands if any(not w.outcome for w in hand.wagers)]
        self.boxes = sorted({hand.box for hand in live})  # an uncovered box gets no card
        if odds.composition.size < 2 * (len(self.boxes) + 1):
            raise OddsError(f"{odds.composition.size} cards are too few for these boxes.")
        self.slices = Slices(self.rules, self.opened, seats)
        self.ends: dict[Shape, tuple[SeatSums, dict[int, int]]] = {}

    def result(self) -> BankOdds:
        """The joined answers."""
        for path, sums in self._original():
            self._wars(path, sums)
        pmf: dict[Fraction, Fraction] = {}
        first, second = ([Fraction(0)] * len(self.seats) for _ in range(2))
        action = Fraction(0)
        for shape, (sums, totals) in self.ends.items():
            chance = row_chance(self.odds.composition.ranks, shape)
            action += chance * sums.action
            for seat in range(len(self.seats)):
                first[seat] += chance * sums.first[seat]
                second[seat] += chance * sums.second[seat]
            for total, rows in totals.items():
                pmf[Fraction(total)] = pmf.get(Fraction(total), Fraction(0)) + chance * rows
        seats = [SeatResult(m, s - m**2) for m, s in zip(first, second, strict=True)]
        covered = [self._covered(seat) for seat in self.seats]
        return BankOdds(self.posted, Distribution(pmf), action, covered, seats)

    def _covered(self, seat: Seat) -> Covered:
        hand = self.opened.hand(seat.player, seat.box)
        wagers = [hand.wager(kind) if hand else None for kind in ("primary", "tie")]
        primary, tie = (wager.at_risk if wager else 0 for wager in wagers)
        return Covered(primary, tie)

    def _original(self) -> Iterable[tuple[Path, SeatSums]]:
        """Every state after the original deal."""
        first = SeatSums(len(self.seats))
        first.rows = 1
        states = {Path(0, (), self.slices.left_at_first, 0): first}
        for box in ordered(self.boxes, self.rules.deal.settle):
            after: dict[Path, SeatSums] = {}
            for path, sums in states.items():
                for relation in RELATIONS:
                    answer = self.slices.original(box, relation, path.left)
                    tied = (*path.tied, (box, path.left)) if relation == "tie" else path.tied
                    higher = path.higher + (relation == "higher")
                    total = path.total - sum(answer.nets.values())
                    new = Path(higher, tied, answer.left, total)
                    after.setdefault(new, SeatSums(len(self.seats))).add(
                        sums, answer.nets, answer.action
                    )
            states = after
        return states.items()

    def _wars(self, path: Path, sums: SeatSums) -> None:
        """Extend a state by its choices and war deal, and count its ends."""
        tied, lower = len(path.tied), len(self.boxes) - path.higher - len(path.tied)
        chosen = self._choices(path)
        states: dict[tuple[int, int, int | None, int], SeatSums] = {}
        left, total = path.left, path.total
        for answer in chosen.values():
            grown = SeatSums(len(self.seats))
            grown.add(sums, answer.nets, answer.action)
            sums, left = grown, answer.left
            total -= sum(answer.nets.values())
        at_war = [box for box, answer in chosen.items() if not answer.state.closed]
        states[0, 0, left, total] = sums
        for box in ordered(sorted(at_war), self.rules.deal.settle):
            after: dict[tuple[int, int, int | None, int], SeatSums] = {}
            for (higher, even, left_now, gained), rows in states.items():
                for relation in RELATIONS:
                    answer = self.slices.war(chosen[box].state, relation, left_now)
                    key = (
                        higher + (relation == "higher"),
                        even + (relation == "tie"),
                        answer.left,
                        gained - sum(answer.nets.values()),
                    )
                    after.setdefault(key, SeatSums(len(self.seats))).add(
                        rows, answer.nets, answer.action
                    )
            states = after
        for (higher, even, _, gained), rows in states.items():
            wars = (higher, even, len(at_war) - higher - even)
            shape = Shape(path.higher, tied, lower, *wars)
            if shape not in self.ends:
                self.ends[shape] = (SeatSums(len(self.seats)), {})
            end, totals = self.ends[shape]
            end.add(rows, {}, 0)
            totals[gained] = totals.get(gained, 0) + rows.rows

    def _choices(self, path: Path) -> dict[int, Answered]:
        """The tied boxes after their choices, in the order of surrendering."""
        stacks: dict[int, int | None] = {}
        stack = self.stack
        for box, left in sorted(path.tied):
            stacks[box] = stack
            state = self.slices.original(box, "tie", left).state
            stack = self.slices.stack_after(state, stack)
        entered = dict(path.tied)
        answers: dict[int, Answered] = {}
        left = path.left
        for box in ordered(sorted(entered), self.rules.deal.surrender):
            state = self.slices.original(box, "tie", entered[box]).state
            answers[box] = self.slices.chosen(state, left, stacks[box])
            left = answers[box].left
        return answers


def ordered(boxes: Sequence[int], direction: Direction) -> list[int]:
    """The boxes in the order that the direction gives."""
    return list(boxes) if direction == "clockwise" else list(reversed(boxes))


@lru_cache(maxsize=2**12)
def row_chance(ranks: tuple[int, ...], shape: Shape) -> Fraction:
    """The probability of one row of outcomes of that shape; tied boxes need not go to war."""
    at_war = shape.war_higher + shape.war_tied + shape.war_lower
    boxes = shape.higher + shape.tied + shape.lower
    if at_war < shape.tied:
        return sum(
            (
                row_chance(ranks, shape._replace(**{name: getattr(shape, name) + 1}))
                for name in ("war_higher", "war_tied", "war_lower")
            ),
            Fraction(0),
        )
    rows = factorial(boxes)
    for count in (shape.higher, shape.lower, shape.war_higher, shape.war_tied, shape.war_lower):
        rows //= factorial(count)
    return shapes(ranks, boxes).get(shape, Fraction(0)) / rows


def _opened(odds: Odds, seats: Sequence[Seat], posted: int | None, stack: int | None) -> Round:
    """The round of all seats once the bets are closed and covered."""
    rules = odds.rules
    if rules.banker != "player":
        raise OddsError(f"The house banks {rules.name}; choose a book in which a player banks.")
    bets = []
    for seat in seats:
        if seat.primary:
            bets.append(Bet(seat.player, seat.box, "primary", seat.primary))
        if seat.tie:
            bets.append(Bet(seat.player, seat.box, "tie", seat.tie))
    return bet_on(rules, Open(banker=BANKER, bank=posted, bank_stack=stack), bets)


class Participant(NamedTuple):
    """A player at a table whose bank rotates: the wagers, and the amount posted as banker."""

    name: str
    primary: int
    tie: int = 0
    posts: int | None = None
    declines: bool = False


class Turn(NamedTuple):
    """A participant's expectation over one full rotation, in cents."""

    banks: int
    as_banker: Fraction
    as_player: Fraction
    variance: Fraction

    @property
    def ev(self) -> Fraction:
        """The expectation over the whole rotation."""
        return self.as_banker + self.as_player


def rotation(odds: Odds, participants: Sequence[Participant]) -> dict[str, Turn]:
    """One round banked by each participant who does not decline, each from a fresh shoe."""
    bankers = [each for each in participants if not each.declines]
    if not bankers or len(participants) < 2:
        raise OddsError(
            "A rotation needs at least two participants, and one of them must take the bank."
        )
    turns = {each.name: Turn(0, Fraction(0), Fraction(0), Fraction(0)) for each in participants}
    for banker in bankers:
        seats = [
            Seat(box, each.name, each.primary, each.tie)
            for box, each in enumerate(participants, 1)
            if each is not banker
        ]
        seats = [seat._replace(box=box) for box, seat in enumerate(seats, 1)]
        result = bank(odds, seats, banker.posts)
        turn = turns[banker.name]
        turns[banker.name] = turn._replace(
            banks=turn.banks + 1,
            as_banker=turn.as_banker + result.net.ev,
            variance=turn.variance + result.net.variance,
        )
        for seat, (ev, variance) in zip(seats, result.seats, strict=True):
            turn = turns[seat.player]
            turns[seat.player] = turn._replace(
                as_player=turn.as_player + ev, variance=turn.variance + variance
            )
    return turns
