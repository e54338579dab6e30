"""No dealt round breaks the book, whoever sends what: rules counted a second time, from events."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clauses import proves
from table_strategies import PLAYERS, STAFF, Plan, RandomTable
from tables import Play, limited
from wartable import game
from wartable.game import Illegal
from wartable.rules import NAMES, RuleBook, WagerKind, load
from wartable.server.house import roles
from wartable.table import Command, Event
from wartable.table import commands as c
from wartable.table import events as e

pytestmark = [pytest.mark.slow("plays many random tables"), pytest.mark.finding(19)]

HOUR_MS = 3_600_000
TABLES = 60 if settings().derandomize else 400
"""How many tables are played; more of them, and others each time, in the deep variant."""
LIMITS = {
    "primary": {"min": 500, "max": 30_000},
    "tie": {"min": 100, "max": 10_000},
    "war_tie": {"min": 100, "max": 30_000},
    "box_max": 40_000,
    "player_box_max": 35_000,
    "ceiling": 30_000,
}


class Inspector:
    """Reads a table's events and knows from them alone who sits, banks, deals and wagers."""

    def __init__(self, rules: RuleBook) -> None:
        self.rules = rules
        self.seats: dict[str, int | None] = {}
        self.cards_since: int | None = None
        self.restrictions: dict[str, int] = {}
        self.dealer: str | None = None
        self.burns_due = 0
        self.last_banker: str | None = None
        self.in_a_row = 0
        self.rounds_dealt = 0
        self.new_round()

    def new_round(self) -> None:
        """Forget the round before."""
        self.banker: str | None = None
        self.posted = 0
        self.wagers: dict[tuple[str, int], dict[str, int]] = {}
        self.closed = self.dealt = self.void = self.enough = False
        self.expected: list[tuple[str, int, str, int]] = []

    def see(self, event: Event, now_ms: int) -> None:
        """Note what an event changes, and check what it may not do."""
        match event:
            case e.Joined(player=player, seat=seat):
                self.seats[player] = seat
            case e.Departed(player=player):
                del self.seats[player]
            case e.DecksReceived(at_ms=at_ms):
                self.cards_since = at_ms if event.opened_ms is None else event.opened_ms
            case e.Restricted(limit=limit, value=value, whom=whom):
                self.restrictions[f"{limit} {whom}"] = value
            case e.DealerChanged(dealer=dealer):
                self.burns_due = self.rules.shoe.burn_new_dealer if self.dealer else 0
                self.dealer = dealer
            case e.CardBurned(why="new_dealer"):
                self.burns_due -= 1
            case game.Opened(banker=banker, bank=bank):
                self.new_round()
                self.banker, self.posted = banker, bank or 0
            case game.Placed(player=player, box=box, wager=wager, amount=amount):
                self.place(player, box, wager, amount)
            case game.Withdrawn(player=player, box=box, wager=wager):
                del self.wagers[player, box][wager]
                if not self.wagers[player, box]:
                    del self.wagers[player, box]
            case game.BetsClosed():
                self.close()
            case game.Returned(player=player, box=box, wager=wager, outcome="uncovered"):
                assert self.expected, f"{event} beyond what the bank does not cover"
                assert self.expected.pop(0) == (player, box, wager, event.amount)
            case game.Dealt():
                self.deal(now_ms)
            case game.RoundVoided():
                self.void = True
            case game.Closed():
                self.end()

    def most(self, limit: str, player: str, book: int | None) -> int:
        """A limit in force: the book's, unless the floor has set a lower one."""
        held = [self.restrictions.get(f"{limit} {whom}", 0) for whom in ("", player)]
        return min([each for each in (book, *held) if each] or [10**18])

    def place(self, player: str, box: int, wager: WagerKind, amount: int) -> None:
        """A wager is within every limit when it is made."""
        table, limits = self.rules.table, self.rules.limits
        assert self.closed == (wager in ("war", "war_tie")), f"{wager} at the wrong time"
        assert player != self.banker
        hand = self.wagers.setdefault((player, box), {})
        hand[wager] = hand.get(wager, 0) + amount
        if wager in ("progressive", "bonus_spin", "war"):
            return
        limit = getattr(limits, wager)
        least = self.restrictions.get(f"{wager}_min ") or limit.min
        most = self.restrictions.get(f"{wager}_max ") or limit.max or 10**18
        assert least <= hand[wager] <= min(most, self.most("wager_max", "", limits.ceiling))
        if self.closed:
            return
        there = [(who, each) for (who, at), each in self.wagers.items() if at == box]
        own = {at for who, at in self.wagers if who == player}
        assert self.main(each for _, each in there) <= self.most("box_max", "", limits.box_max)
        most = self.most("player_box_max", player, limits.player_box_max)
        assert self.main([hand]) <= most
        if len(hand) == 1 and hand[wager] == amount:  # a new hand
            assert len(there) <= self.most("players_per_box", "", table.players_per_box)
            assert len(own) <= self.most("boxes_per_player", "", table.boxes_per_player)

    def main(self, hands: Iterable[dict[str, int]]) -> int:
        """What primary and tie wagers come to."""
        return sum(
            amount for hand in hands for kind, amount in hand.items() if kind in ("primary", "tie")
        )

    def close(self) -> None:
        """No more bets: who is there is counted, and what the bank covers follows."""
        self.closed = True
        seated = [player for player, seat in self.seats.items() if seat is not None]
        counted = seated if self.rules.banker == "player" else list(self.seats)
        self.enough = len(counted) >= self.rules.table.players_min
        if self.rules.banker != "player":
            return
        odds, left = self.rules.wagers.tie.pays, self.posted
        places = list(self.wagers)
        order = sorted(
            places, key=lambda at: (at[1], self.seats.get(at[0]) != at[1], places.index(at))
        )
        for player, box in order:
            for kind in ("primary", "tie"):
                staked = self.wagers[player, box].get(kind, 0)
                over, under = (odds.over, odds.under) if kind == "tie" else (1, 1)
                covered = min(staked, left * under // over)
                left -= covered * over // under
                if staked > covered:
                    self.expected.append((player, box, kind, staked - covered))

    def deal(self, now_ms: int) -> None:
        """A card for a hand is dealt only when all is as it must be."""
        assert not self.expected, f"not returned: {self.expected}"
        if self.dealt:
            return
        self.dealt = True
        assert self.closed
        assert self.enough, "fewer people than the book needs"
        assert self.burns_due <= 0, "another dealer burns before the first card"
        hours = self.rules.shoe.deck_hours_max
        if hours is not None and self.cards_since is not None:
            assert now_ms - self.cards_since < hours * HOUR_MS, "cards over age"
        if self.banker is not None and self.rules.bank is not None:
            again = self.in_a_row if self.banker == self.last_banker else 0
            assert again < self.rules.bank.rounds_max, f"a further hand of {self.banker}"

    def end(self) -> None:
        """A dealt round counts for its banker; a void one neither counts nor resets."""
        if self.dealt and not self.void and self.banker is not None:
            self.in_a_row = self.in_a_row + 1 if self.banker == self.last_banker else 1
            self.last_banker = self.banker
        self.rounds_dealt += self.dealt


class StaffedTable(RandomTable):
    """A staffed table at which every command comes from somebody with a role."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan, self.inspect)
        self.play = Play(limited(plan.rules(), **LIMITS), staffed=True)
        self.inspector = Inspector(self.play.setup.rules)
        self.seen = 0
        self.next: list[Command] = []
        """The rest of a story that was begun."""

    def inspect(self, play: Play) -> None:
        """Show the inspector what is new."""
        for event in play.events[self.seen :]:
            self.inspector.see(event, play.clock)
        self.seen = len(play.events)

    def attempt(self, command: Command) -> None:
        """Send a command by somebody who may, or by anybody else, who is refused."""
        rnd = self.random
        wild = rnd.random() < 0.3
        role = rnd.choice(roles.ROLES if wild else roles.roles_for(command) or roles.ROLES)
        try:
            roles.may_command(role, command, self.play.setup, owns=False)
        except Illegal:
            return
        super().attempt(command)

    def proceed(self) -> Command:
        """Cards, sometimes long after the bets were closed."""
        rnd = self.random
        if rnd.random() < 0.1:
            self.play.clock += 7 * HOUR_MS
        command = super().proceed()
        if isinstance(command, c.Proceed):
            return msgspec.structs.replace(command, at_ms=self.play.clock)
        return command

    def mischief(self) -> Command:
        """More of what the rules are about: people who go and come back, dealers, amounts."""
        rnd, state = self.random, self.play.state
        if self.next:
            return self.next.pop(0)
        if rnd.random() < 0.3:
            return super().mischief()
        name = rnd.choice([*state.guests, *PLAYERS])
        back = state.bank.button or name
        seats = self.play.setup.rules.table.seats
        seat = rnd.choice([None, None, *range(1, seats + 1)])
        wager: WagerKind = rnd.choice(("primary", "primary", "tie"))
        amount = rnd.choice((99, 100, 499, 500, 30_000, 30_001, 35_000, 40_001))
        idle = [who for who in state.guests if all(who != at[0] for at in self.inspector.wagers)]
        behind = [at[1] for at in self.inspector.wagers if self.inspector.seats.get(at[0]) is None]
        if behind and rnd.random() < 0.5:
            return self.replaced(rnd.choice(behind))
        choices: list[Command] = [
            game.Leave(rnd.choice((back, name))),
            game.Leave(rnd.choice(idle or [name])),
            c.Join(name, rnd.choice((5_000, 50_000)), seat),
            c.Join(back, 50_000, seat),
            c.Join(name, 50_000, rnd.choice(behind or [1])),
            c.ChangeDealer(rnd.choice(STAFF)),
            game.Bet(name, rnd.randint(1, seats), wager, amount),
            game.Bet(name, rnd.choice(list(state.seats) or [1]), "primary", 5_000),
            game.CloseBets(),
            game.VoidRound("an order"),
        ]
        return rnd.choice(choices)

    def replaced(self, box: int) -> Command:
        """The player at a seat leaves one who stands behind it to somebody else, who bets there."""
        state = self.play.state
        name = self.random.choice([name for name in PLAYERS if name not in state.guests] or ["ann"])
        bet = game.Bet(name, box, "primary", self.random.choice((500, 5_000, 30_000)))
        self.next = [c.Join(name, 50_000, box), bet]
        return game.Leave(state.seats[box]) if box in state.seats else self.next.pop(0)


@st.composite
def staffed(draw: st.DrawFn) -> Plan:
    """A staffed table of any book as its document has it, by any of its methods."""
    book = draw(st.sampled_from(("california", *NAMES)))
    method = draw(st.sampled_from(load(book).rules.shoe.methods))
    wild = draw(st.sampled_from((20, 40, 60)))
    return Plan(book, {"shuffle": method}, True, draw(st.integers(0, 2**32)), 25, wild)


@proves("engine", "CA-players-1", "CA-round-10b", "CA-betting-1b", "CA-betting-5b")
@settings(max_examples=TABLES)
@given(staffed())
@example(Plan("california", {"shuffle": "batches"}, True, 1372451577, 25, 40))  # every box missed
def test_no_dealt_round_breaks_the_book(plan: Plan) -> None:
    """People, two hands, card age, limits, order of cover and a new dealer's burn always hold."""
    table = StaffedTable(plan)
    table.run()
    assert table.inspector.rounds_dealt, "rounds were dealt"
