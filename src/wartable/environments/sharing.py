"""A whole table for several agents: the engine's rounds, everybody's money, and who acts next."""

from collections.abc import Sequence
from random import Random

import numpy as np
from numpy.typing import NDArray

from wartable.cards import RANKS, SUITS
from wartable.environments import stepping
from wartable.environments.setup import SeatSetup, seat_table
from wartable.game import (
    Bet,
    Burn,
    Choose,
    CloseBets,
    Deal,
    DueBurn,
    DueCard,
    DueChoice,
    GameCommand,
    Open,
    Round,
    awaits,
    legal,
    step,
)
from wartable.game.moves import MayBet, MayChoose
from wartable.sim.setup import SetupError

BANKING, BETTING, CHOOSING, WAITING = 0, 1, 2, 3
"""What an agent is asked: to bank, to bet, to choose at a tie, or nothing."""
IS_BANKER, POSTED, BETS = range(stepping.OBSERVATION_SIZE, stepping.OBSERVATION_SIZE + 3)
OBSERVATION_SIZE = stepping.OBSERVATION_SIZE + 3

CARD_NAMES = tuple(rank + suit for rank in RANKS for suit in SUITS)


class AgentTable:
    """One table: agents with stacks, rounds decided by the engine, and a shoe."""

    def __init__(self, setup: SeatSetup, agents: Sequence[str], banks: Sequence[int]) -> None:
        self.setup, self.rules = setup, setup.rules
        self.agents = tuple(agents)
        self.banked = self.rules.banker == "player"
        self.banks = tuple(banks) if self.banked else ()
        most = self.rules.table.boxes
        least = 2 if self.banked else 1
        if not least <= len(self.agents) <= most:
            raise SetupError(
                f"A table of {self.rules.name} takes {least} to {most} agents,"
                f" not {len(self.agents)}."
            )
        if self.rules.community:
            raise SetupError("Agents need boxes of their own; leave the option electronic off.")
        if self.banked and not (self.banks and min(self.banks) > 0):
            raise SetupError("The players bank here; name the amounts that a banker may post.")
        self.choices = len(setup.bets) + 1
        self.posts = len(setup.actions)
        self.actions = ("pass", *setup.actions[1:], *(f"post {each}" for each in self.banks))
        self._table = seat_table(setup)
        self._table[0, stepping.MAY_LEAVE] = 1

    def start(self, seed: int) -> None:
        """A new episode: full stacks, a new shoe, the first round."""
        self.random = Random(seed)
        self.stacks = dict.fromkeys(self.agents, self.setup.bankroll)
        self.rounds, self.button, self.banked_rounds = 0, 0, 0
        self.over, self.cut_off = False, False
        self.last: Round | None = None
        self._results = dict.fromkeys(self.agents, 0)
        self._shuffle()
        self._open()

    def _shuffle(self) -> None:
        self.shoe = list(CARD_NAMES) * self.setup.decks
        self.random.shuffle(self.shoe)
        self.dealt = 0
        self.counts = [4 * self.setup.decks] * len(RANKS)
        for _ in range(self.setup.burn_first):
            self._draw(seen=False)

    def _draw(self, seen: bool) -> str:
        card = self.shoe[self.dealt]
        self.dealt += 1
        if seen or not self.setup.counts_seen:
            self.counts[RANKS.index(card[0])] -= 1
        return card

    def _open(self) -> None:
        """Ask the next banker, or everybody for bets."""
        self.state = Round()
        self.banker: str | None = None
        self.posted = 0
        self.asked: list[str] = []
        self.refused_bank = 0
        self.placed: dict[str, int] = {}
        self.returned: dict[str, int] = {}
        if self.banked:
            self._offer()
        else:
            self._take_bets()

    def _offer(self) -> None:
        """Offer the bank to the agent at the button; those who cannot post are passed over."""
        turn = self.rules.bank
        if turn is not None and self.banked_rounds >= turn.rounds_max:
            self.button, self.banked_rounds = self.button + 1, 0
        while self.refused_bank < len(self.agents):
            agent = self.agents[self.button % len(self.agents)]
            if self.stacks[agent] >= min(self.banks):
                self.asked = [agent]
                return
            self._next_bank()
        self._close()

    def _next_bank(self) -> None:
        self.refused_bank += 1
        self.button, self.banked_rounds = self.button + 1, 0

    def _take_bets(self) -> None:
        left = None if self.banker is None else self.stacks[self.banker]
        posted = None if self.banker is None else self.posted
        self._do(Open(banker=self.banker, bank=posted, bank_stack=left))
        least = int(self._table[0, stepping.LEAST])
        self.asked = [
            agent for agent in self.agents if agent != self.banker and self.stacks[agent] >= least
        ]
        if not self.asked:
            self._deal()

    def phase(self, agent: str) -> int:
        """What the agent is asked now."""
        if self.over or agent not in self.asked:
            return WAITING
        if not self.state.opened:
            return BANKING
        return CHOOSING if self.state.bets_closed else BETTING

    def mask(self, agent: str) -> NDArray[np.int8]:
        """Which actions the agent may take: by the engine's `legal`, and by the stack."""
        found = np.zeros(len(self.actions), np.int8)
        phase = self.phase(agent)
        found[0] = phase != CHOOSING
        box, stack = self.box(agent), self.stacks[agent]
        if phase == BANKING:
            for place, amount in enumerate(self.banks):
                found[self.posts + place] = stack >= amount
        elif phase == BETTING:
            for place, bet in enumerate(self.setup.bets, 1):
                found[place] = stack >= bet.primary + bet.tie and self._may_bet(agent, box, place)
        elif phase == CHOOSING:
            self._mask_choices(agent, found)
        return found

    def _mask_choices(self, agent: str, found: NDArray[np.int8]) -> None:
        hand, stack = self.state.hand(agent, self.box(agent)), self.stacks[agent]
        primary = None if hand is None else hand.open("primary")
        assert primary is not None
        war_tie = self.setup.bets[self.placed[agent] - 1].war_tie
        for move in legal(self.rules, self.state, agent):
            if isinstance(move, MayChoose) and move.choice == "surrender":
                found[self.choices] = 1
            elif isinstance(move, MayChoose):
                found[self.choices + 1] = stack >= primary.at_risk
                if self.setup.offers_war_tie and move.war_tie is not None:
                    enough = stack >= primary.at_risk + war_tie
                    found[self.choices + 2] = enough and move.war_tie.permits(war_tie)

    def _may_bet(self, agent: str, box: int, action: int) -> bool:
        """Whether the engine takes the bet: the primary wager, then the tie wager beside it."""
        bet, state = self.setup.bets[action - 1], self.state
        for command in self._wagers(agent, box, action):
            moves = legal(self.rules, state, agent)
            if not any(isinstance(move, MayBet) and move.permits(command) for move in moves):
                return False
            if bet.tie:
                state, _ = step(self.rules, state, command)
        return True

    def _wagers(self, agent: str, box: int, action: int) -> list[GameCommand]:
        bet = self.setup.bets[action - 1]
        primary: list[GameCommand] = [Bet(agent, box, "primary", bet.primary)]
        return [*primary, Bet(agent, box, "tie", bet.tie)] if bet.tie else primary

    def box(self, agent: str) -> int:
        """The agent's box, counted from 1."""
        return self.agents.index(agent) + 1

    def act(self, agent: str, action: int) -> bool:
        """Take a legal action of an agent; False if it is refused, which changes nothing."""
        if not (0 <= action < len(self.actions) and self.mask(agent)[action]):
            return False
        phase = self.phase(agent)
        if phase == BANKING:
            self._bank(agent, action)
        elif phase == BETTING:
            self.asked.remove(agent)
            if action:
                self._place(agent, action)
            if not self.asked:
                self._deal()
        elif phase == CHOOSING:
            self._choose(agent, action - self.choices)
        return True

    def _bank(self, agent: str, action: int) -> None:
        self.asked = []
        if not action:
            self._next_bank()
            self._offer()
            return
        self.banker, self.posted = agent, self.banks[action - self.posts]
        self.banked_rounds += 1
        self.stacks[agent] -= self.posted
        self._take_bets()

    def _place(self, agent: str, action: int) -> None:
        self.placed[agent] = action
        for command in self._wagers(agent, self.box(agent), action):
            self._do(command)
        bet = self.setup.bets[action - 1]
        self.stacks[agent] -= bet.primary + bet.tie

    def _deal(self) -> None:
        """Close the bets and deal, until a choice is due or the round is over."""
        if not self.state.hands:
            self._close()
            return
        self._do(CloseBets())
        self._feed()

    def _choose(self, agent: str, choice: int) -> None:
        war_tie = self.setup.bets[self.placed[agent] - 1].war_tie if choice == 2 else 0
        before = self._staked(agent)
        self._do(Choose(agent, self.box(agent), "war" if choice else "surrender", war_tie))
        self.stacks[agent] -= self._staked(agent) - before
        self.asked.remove(agent)
        if not self.asked:
            self._feed()

    def _feed(self) -> None:
        """Give the engine the cards it awaits, and ask the agents it awaits."""
        while not self.state.closed:
            due = awaits(self.rules, self.state)
            if isinstance(due[0], DueChoice):
                self.asked = [each.player for each in due if isinstance(each, DueChoice)]
                self._settle_tied()
                return
            if isinstance(due[0], DueBurn):
                self._draw(seen=False)
                self._do(Burn())
            elif isinstance(due[0], DueCard):
                self._do(Deal(self._draw(seen=True)))
            else:
                raise AssertionError(f"nothing here answers {due[0]}")
        self._close()

    def _settle_tied(self) -> None:
        """Credit what a tied agent got back before the choice, so that it can pay for the war."""
        self.returned = {agent: self._returned(agent) for agent in self.asked}
        for agent, amount in self.returned.items():
            self.stacks[agent] += amount

    def _staked(self, agent: str) -> int:
        hand = self.state.hand(agent, self.box(agent))
        return 0 if hand is None else sum(wager.staked for wager in hand.wagers)

    def _returned(self, agent: str) -> int:
        hand = self.state.hand(agent, self.box(agent))
        return 0 if hand is None else sum(wager.returned for wager in hand.wagers)

    def _do(self, command: GameCommand) -> None:
        self.state, _ = step(self.rules, self.state, command)

    def _close(self) -> None:
        """Pay everybody, and open the next round or end the episode."""
        for hand in self.state.hands:
            paid = self._returned(hand.player) - self.returned.get(hand.player, 0)
            self.stacks[hand.player] += paid
            self._results[hand.player] += hand.net
        if self.banker is not None:
            self.stacks[self.banker] += self.posted + self.state.banker_net
            self._results[self.banker] += self.state.banker_net
        self.last, self.asked = self.state, []
        self.rounds += 1
        if self.setup.fresh or self.dealt > self.setup.cover:
            self._shuffle()
        self.cut_off = self.rounds >= self.setup.rounds
        self.over = self.cut_off or not self._goes_on()
        if not self.over:
            self._open()

    def _goes_on(self) -> bool:
        """Whether somebody can bet and, where players bank, somebody else can bank."""
        least = int(self._table[0, stepping.LEAST])
        can_bet = [agent for agent in self.agents if self.stacks[agent] >= least]
        if not self.banked:
            return bool(can_bet)
        can_bank = [agent for agent in self.agents if self.stacks[agent] >= min(self.banks)]
        return any(one != other for one in can_bet for other in can_bank)

    def results(self) -> dict[str, int]:
        """What everybody won or lost in the rounds that closed since the last call, in cents."""
        found, self._results = self._results, dict.fromkeys(self.agents, 0)
        return found

    def observe(self, agent: str) -> NDArray[np.int32]:
        """The agent's observation."""
        phase, seen = self.phase(agent), np.zeros(OBSERVATION_SIZE, np.int32)
        seen[: stepping.RANKS] = self.counts
        seen[stepping.OBSERVED_PHASE] = phase
        hand = None if self.over else self.state.hand(agent, self.box(agent))
        if phase == CHOOSING:
            seen[stepping.TIED_RANK] = RANKS.index(self.state.cards[0][0]) + 1
        if hand is not None:
            bet = self.setup.bets[self.placed[agent] - 1]
            seen[stepping.STAKE], seen[stepping.TIE_STAKE] = bet.primary, bet.tie
        seen[stepping.STACK] = self.stacks[agent]
        before = 0 if self.setup.fresh else max(0, self.setup.cover - self.dealt)
        seen[stepping.BEFORE_COVER] = before
        seen[stepping.ROUNDS_LEFT] = self.setup.rounds - self.rounds
        seen[IS_BANKER] = agent == self.banker and not self.over
        seen[POSTED] = 0 if self.over else self.posted
        seen[BETS] = 0 if self.over else len(self.state.hands)
        return seen

    def values(self, agent: str) -> NDArray[np.float64] | None:
        """The expectation of each legal action in units; None where a short bank may change it."""
        phase = self.phase(agent)
        if phase not in (BETTING, CHOOSING) or not self._covers():
            return None
        numbers = np.zeros((1, stepping.NUMBERS), np.int64)
        choosing = phase == CHOOSING
        numbers[0, stepping.PHASE] = stepping.CHOOSING if choosing else stepping.BETTING
        numbers[0, stepping.MONEY] = self.stacks[agent]
        numbers[0, stepping.BET] = self.placed[agent] if choosing else 0
        numbers[0, stepping.COUNTS : stepping.STREAM] = self.counts
        found = np.full((1, self.posts), -np.inf)
        stepping.value(numbers, self._table, found)
        whole = np.append(found[0], np.full(len(self.banks), -np.inf))
        return np.where(self.mask(agent) > 0, whole, -np.inf)

    def _covers(self) -> bool:
        """Whether the bank pays whatever the others could win, and matches every war."""
        if self.banker is None:
            return True
        others = len(self.agents) - 1
        most = max(max(ends) for ends in self.setup.payments)
        primary = max(bet.primary for bet in self.setup.bets)
        return self.posted >= others * most and self.stacks[self.banker] >= others * primary
