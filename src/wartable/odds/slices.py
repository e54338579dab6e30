"""One box of a banked round at a time: the engine's answers for the bank's current money."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from wartable.game import (
    Burn,
    Choose,
    Deal,
    DueBurn,
    DueCard,
    DueChoice,
    Round,
    awaits,
    step,
)
from wartable.game.settlement import bank_left
from wartable.odds.classes import Relation
from wartable.rules import RuleBook

AMPLE = 10**15
CARDS: dict[Relation, str] = {"higher": "Ac", "tie": "8c", "lower": "2c"}
DEALER = "8d"


class Seat(NamedTuple):
    """A hand against the bank, in cents; two on one box are a seated player and a backline."""

    box: int
    player: str
    primary: int
    tie: int = 0
    choice: Literal["war", "surrender"] = "war"
    war_tie: int = 0


class Answered(NamedTuple):
    """The result of a stage of a box's round: each seat's net, the action, the bank's money."""

    nets: dict[int, int]
    action: int
    left: int | None
    state: Round


class Slices:
    """The boxes of a banked round, each played alone with the bank's current money."""

    def __init__(self, rules: RuleBook, opened: Round, seats: Sequence[Seat]) -> None:
        self.rules = rules
        self.opened = opened
        self.seats = {(seat.player, seat.box): (n, seat) for n, seat in enumerate(seats)}
        self.left_at_first = bank_left(rules, opened)
        self._originals: dict[tuple[int, Relation, int | None], Answered] = {}
        self._wars: dict[tuple[int, Relation, int | None], Answered] = {}
        self._choices: dict[tuple[int, int | None, int | None], Answered] = {}
        self._kept: dict[int, tuple[int, Round]] = {}
        self._numbers: dict[bytes, int] = {}

    def original(self, box: int, relation: Relation, left: int | None) -> Answered:
        """The original deal of a box when the bank has `left` left."""
        key = (box, relation, left)
        if key not in self._originals:
            hands = tuple(hand for hand in self.opened.hands if hand.box == box)
            before = replace(self.opened, hands=hands, bank=left)
            state = self._dealt(before, relation)
            self._originals[key] = self._answered(before, state)
        return self._originals[key]

    def stack_after(self, tied: Round, stack: int | None) -> int | None:
        """What is left of the stack for matches after a tied box has gone to war."""
        if stack is None:
            return None
        state = self._chosen(replace(tied, bank_stack=stack))
        return stack - sum(wager.matched for hand in state.hands for wager in hand.wagers)

    def chosen(self, tied: Round, left: int | None, stack: int | None) -> Answered:
        """A tied box's choices, with the surrenders and matches that follow."""
        key = (self._number(tied), left, stack)
        if key not in self._choices:
            before = self._with_bank(replace(tied, bank_stack=stack), left)
            self._choices[key] = self._answered(before, self._chosen(before))
        return self._choices[key]

    def war(self, chosen: Round, relation: Relation, left: int | None) -> Answered:
        """The war deal of a box."""
        key = (self._number(chosen), relation, left)
        if key not in self._wars:
            before = self._with_bank(chosen, left)
            self._wars[key] = self._answered(before, self._dealt(before, relation))
        return self._wars[key]

    def _number(self, state: Round) -> int:
        """A number for the state; states that differ only in their bank share it."""
        known = self._kept.get(id(state))
        if known is None:
            content = msgspec.json.encode(replace(state, bank=None))
            number = self._numbers.setdefault(content, len(self._numbers))
            # An id is unique only while its state is alive, so keep the state.
            known = self._kept[id(state)] = (number, state)
        return known[0]

    def _with_bank(self, state: Round, left: int | None) -> Round:
        """The state with a posted amount of which `left` is left now."""
        if left is None:
            return state
        ample = replace(state, bank=AMPLE)
        used = AMPLE - (bank_left(self.rules, ample) or 0)
        return replace(state, bank=left + used)

    def _dealt(self, state: Round, relation: Relation) -> Round:
        """The state after the cards of one deal."""
        while not state.closed:
            due = awaits(self.rules, state)[0]
            if isinstance(due, DueBurn):
                state, _ = step(self.rules, state, Burn())
            elif isinstance(due, DueCard):
                card = CARDS[relation] if due.box else DEALER
                state, _ = step(self.rules, state, Deal(card))
            else:
                break
        return state

    def _chosen(self, state: Round) -> Round:
        while not state.closed and isinstance(due := awaits(self.rules, state)[0], DueChoice):
            _, seat = self.seats[due.player, due.box]
            war_tie = seat.war_tie if seat.choice == "war" else 0
            command = Choose(due.player, due.box, seat.choice, war_tie)
            state, _ = step(self.rules, state, command)
        return state

    def _answered(self, before: Round, after: Round) -> Answered:
        """What happened between two states of one box."""
        nets = {}
        action = 0
        for old, new in zip(before.hands, after.hands, strict=True):
            nets[self.seats[new.player, new.box][0]] = new.net - old.net
            for wager in new.wagers:
                settled_before = (was := old.wager(wager.kind)) is not None and was.outcome
                if wager.kind in ("primary", "tie") and wager.outcome and not settled_before:
                    action += 0 if wager.outcome == "uncovered" else wager.at_risk
        return Answered(nets, action, bank_left(self.rules, after), after)
