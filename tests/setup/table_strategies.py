"""Hypothesis strategies for whole tables: books, staff, methods, people and their mischief.

Hypothesis draws what a table is and one number; the number's random stream plays it, for a
hundred rounds have more choices in them than an example may have.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, get_args

import msgspec
from hypothesis import strategies as st
from msgspec.structs import replace

from tables import APPROVAL, DEALER, FLOOR, Play, rules_of, seed
from wartable import game, table
from wartable.game.amounts import Amounts
from wartable.game.moves import MayBet, MayChoose
from wartable.proof import When
from wartable.rules import NAMES, WAGERS, RuleBook, load
from wartable.rules.model import Shuffle
from wartable.table import Command, Due, draws
from wartable.table import commands as c

PLAYERS = ("ann", "bob", "cat", "eve", "fay", "gus", "hal")
STAFF = (DEALER, FLOOR, "dora")
HOUR_MS = 3_600_000
FEW = (("7h",), ("7h", "7d"), ("7h", "7h", "7h", "9s"), ("7h", "2c", "As"))
OPTIONS: dict[str, tuple[str, ...]] = {
    "abandoned": ("lose", "surrender", "hold", "play_on"),
    "timeout": ("surrender", "war", "hold"),
    "war_burn": ("once", "before_dealer", "each_card"),
    "war_tie_wager": ("none", "equal_primary", "free"),
    "bank_cover": ("matched", "running", "payoffs_only", "ties_last"),
    "box_choice": ("each_player", "seated_player"),
    "odd_half": ("down", "up", "refuse"),
    "electronic": ("off", "3", "5", "7"),
    "envy_holder": ("any", "must_wager"),
}


class Plan(msgspec.Struct, frozen=True):
    """What a random table is played with."""

    book: str
    options: dict[str, str]
    staffed: bool
    number: int
    rounds: int
    wild: int
    few: tuple[str, ...] = ()
    own: bool = False
    shared: When | None = None

    def rules(self) -> RuleBook:
        """The book with its options; with few cards, a wheel that often stops at a jackpot."""
        rules = rules_of(self.book, **self.options)
        spin = rules.wagers.bonus_spin
        if not self.few or spin is None:
            return rules
        hot_spot = {"none": 1, "jackpot_primary": 2, "jackpot_secondary": 2, "$200": 1}
        spin = replace(spin, wheel=replace(spin.wheel, hot_spot=hot_spot))
        return replace(rules, wagers=replace(rules.wagers, bonus_spin=spin))


@st.composite
def plans(draw: st.DrawFn, rounds: int, names: tuple[str, ...] = NAMES, few: bool = False) -> Plan:
    """A table of any book, staffed or not, by any of its methods, tame or wild.

    With few different cards in the shoes there are wars and awards in most rounds, but such a
    shoe is not the one that its seed gives.
    """
    book = draw(st.sampled_from(names))
    shoe = load(book).rules.shoe
    options: dict[str, str] = {"shuffle": draw(st.sampled_from(shoe.methods))}
    for name, values in OPTIONS.items():
        if (name != "electronic" or book == "maryland") and draw(st.booleans()):
            options[name] = draw(st.sampled_from(values))
    wild = draw(st.sampled_from((0, 3, 10, 25)))
    number = draw(st.integers(0, 2**32))
    cards = draw(st.sampled_from(FEW)) if few else ()
    staffed = draw(st.booleans())
    orders: tuple[When | None, ...] = (None, "shoe") if few else (None, "shoe", "after_bets")
    own = draw(st.booleans())
    shared = None if own else draw(st.sampled_from(orders))
    return Plan(book, options, staffed, number, rounds, wild, cards, own, shared)


class RandomTable:
    """A table that plays itself, one random answer or mischief after the other."""

    def __init__(self, plan: Plan, after: Callable[[Play], None]) -> None:
        self.random = random.Random(plan.number)
        self.plan = plan
        own = PLAYERS[0] if plan.own else ""
        self.play = Play(plan.rules(), staffed=plan.staffed, own=own, shared=plan.shared)
        self.play.few = plan.few
        self.after = after
        self.refused: list[tuple[Command, str]] = []

    def run(self) -> Play:
        """Play until the rounds are over; every answer to what is due must be accepted."""
        play, steps = self.play, 0
        while play.state.rounds < self.plan.rounds or play.state.in_round:
            steps += 1
            assert steps < 400 * (self.plan.rounds + 5), f"the table is stuck: {play.due}"
            if self.random.randrange(100) < self.plan.wild:
                self.attempt(self.mischief())
                continue
            due = play.due
            assert due, "a table always awaits something"
            self.give(self.answer(self.random.choice(due)))
        return play

    def give(self, command: Command) -> None:
        """Send a command that must be accepted."""
        self.play.do(command)
        self.after(self.play)

    def attempt(self, command: Command) -> None:
        """Send a command that may be refused, which then changes nothing."""
        illegal = self.play.refusal(command)
        if illegal is None:
            self.play.do(command)
        else:
            self.refused.append((command, illegal.code))
        self.after(self.play)

    def refused_for(self, command: Command, code: str) -> bool:
        """Whether a command is refused now, which it may be for this one reason only."""
        illegal = self.play.refusal(command)
        assert illegal is None or illegal.code == code, illegal
        return illegal is not None

    def answer(self, due: Due) -> Command:
        """A command that answers what is due, one of several where there are."""
        rnd, play, player = self.random, self.play, due.player or ""
        match due.what:
            case "decks":
                return self.decks()
            case "shuffle":
                if (chain := play.chain() or self.other_chain()) is not None:
                    return chain
                return c.ShuffleCards(seed(rnd.random()), rnd.choice(("", DEALER)))
            case "cut":
                if rnd.random() < 0.5 or player not in play.state.guests:
                    return c.RefuseCut(player)
                return c.Cut(player, rnd.randint(10, play.setup.decks * 52 - 10))
            case "number" if rnd.random() < 0.5:
                late = draws.shared(play.state)
                return c.CloseNumbers() if late else c.DecideCards(play.links.next(play.state))
            case "list" | "cards" if self.stacked() and rnd.random() < 0.05:
                return self.recut()
            case "cards" if play.state.in_round and rnd.random() < 0.5:
                return c.DecideCards(play.links.next(play.state), deal=True, at_ms=play.clock)
            case "load":
                opened = play.state.shoe.player_seeds  # type: ignore[union-attr]  # a stack waits
                if self.stacked() and not opened and rnd.random() < 0.2:
                    return self.recut()
                return c.LoadShoe(DEALER)
            case "players":
                return self.newcomer()
            case "bank":
                stack = play.stack(player)
                if stack and rnd.random() < 0.7:
                    return c.TakeBank(player, rnd.choice((1, stack, rnd.randint(1, stack))))
                return c.PassBank(player)
            case "taker":
                poor = [name for name in play.state.seats.values() if not play.stack(name)]
                return c.BuyIn(rnd.choice(poor), 10_000) if poor else c.OfferBank()
            case "start":
                return self.start_round()
            case "bets":
                return self.bets()
            case "proceed":
                return self.proceed()
            case "choice":
                return self.choice(player, due.box or 0)
            case "device":
                return self.device(due)
        return play.plain(due)

    def other_chain(self) -> Command | None:
        """The chain of the other batch, if somebody has begun one at a table without links."""
        return (
            self.play.links.chain(self.play.setup, self.play.state)
            if self.play.state.chains
            else None
        )

    def decks(self) -> Command:
        """New cards in some condition."""
        condition = self.random.choice(get_args(c.Condition))
        return c.ReceiveDecks(DEALER, self.play.clock, condition)

    def stacked(self) -> bool:
        """Whether a stack was cut and waits for its load."""
        state = self.play.state
        return state.cut.made and state.shoe is not None and not state.shoe.cards

    def recut(self) -> Command:
        """Another cut before the load, by the last who cut if they are still here."""
        here = self.play.state.cut.last in (None, *self.play.state.guests)
        who = self.random.choice(("last", "next")) if here else "next"
        return c.OrderRecut(FLOOR, who, "improper")  # type: ignore[arg-type]  # one of the two words

    def newcomer(self) -> Command:
        """Somebody comes, or brings the table to what it awaits."""
        state, rules = self.play.state, self.play.setup.rules
        free = [n for n in range(1, rules.table.seats + 1) if n not in state.seats]
        name = next(name for name in PLAYERS if name not in state.guests)
        return c.Join(name, self.random.choice((500, 5_000, 100_000)), self.random.choice(free))

    def start_round(self) -> Command:
        """The next round, a minute or much more later; new cards where they are too old."""
        play = self.play
        play.clock += self.random.choice((60_000, 60_000, 60_000, 60_000, 7 * HOUR_MS))
        command = c.StartRound(play.clock)
        return self.decks() if self.refused_for(command, "deck_age") else command

    def bets(self) -> Command:
        """A bet, or the end of betting."""
        rnd, play = self.random, self.play
        round_ = play.state.round
        assert round_ is not None
        if round_.hands and rnd.random() < 0.25:
            return game.CloseBets(self.number())
        names = list(play.state.guests)
        rnd.shuffle(names)
        for name in names:
            moves = table.legal(play.setup, play.state, name)
            bets = [move for move in moves if isinstance(move, MayBet)]
            if bets:
                move = rnd.choice(bets)
                return game.Bet(name, move.box, move.wager, amount(rnd, move.amounts))
        if round_.hands:
            return game.CloseBets()
        poor = [name for name in names if name != round_.banker and play.stack(name) < 1000]
        if poor and rnd.random() < 0.5:
            return c.BuyIn(poor[0], 10_000)
        return game.VoidRound("nobody bets")

    def proceed(self) -> Command:
        """Cards for the round; a round that an empty shoe cannot finish is void."""
        late_ms = self.random.choice((0, 0, 0, 0, 0, 20 * HOUR_MS))
        self.play.clock += late_ms
        command = c.Proceed(self.random.choice((0, 1, 1, 3)), self.play.clock)
        empty = self.refused_for(command, "shoe_empty")
        return game.VoidRound("the shoe is empty") if empty else command

    def choice(self, player: str, box: int) -> Command:
        """A tied player's choice, silence, or the way out."""
        rnd, play = self.random, self.play
        held = play.setup.rules.options.timeout == "hold"
        if not held and rnd.random() < 0.3:
            return game.Timeout(player, box)
        if rnd.random() < 0.05 and not play.state.guests[player].leaving:
            return game.Leave(player)
        moves = [
            move
            for move in table.legal(play.setup, play.state, player)
            if isinstance(move, MayChoose) and move.box == box
        ]
        move = rnd.choice(moves)
        if move.war_tie is not None and rnd.random() < 0.5:
            command = game.Choose(player, box, move.choice, amount(rnd, move.war_tie))
        else:
            command = game.Choose(player, box, move.choice)
        if player == play.own:
            command = replace(command, number=self.number())
        if play.setup.rules.options.box_choice != "seated_player":
            return command
        # One behind the seated player may be unable to pay for the war.
        short = self.refused_for(command, "insufficient")
        return game.Choose(player, box, "surrender") if short else command

    def number(self) -> str:
        """The owner's number with what they do, or none."""
        shoe = self.play.state.shoe
        provable = shoe is not None and shoe.proof is not None and bool(self.play.own)
        return seed(self.random.random()) if provable and self.random.random() < 0.7 else ""

    def device(self, due: Due) -> Command:
        """The device repaired, or marked and another method taken."""
        methods = self.play.setup.rules.shoe.methods
        if "shoe" not in methods or self.random.random() < 0.4:
            return c.RepairDevice(FLOOR)
        if due.step == "mark":
            return c.MarkDevice(FLOOR, self.random.choice(get_args(c.DeviceMark)))
        return c.ChangeMethod(FLOOR, "shoe")

    def mischief(self) -> Command:
        """What may come at any moment, likely or absurd."""
        rnd, state = self.random, self.play.state
        names = [*state.guests, rnd.choice(PLAYERS)]
        name = rnd.choice(names)
        likely: list[Callable[[], Command]] = [
            lambda: c.Join(rnd.choice(PLAYERS), rnd.choice((0, 700, 50_000)), self.seat()),
            lambda: c.BuyIn(name, rnd.choice((1, 5_000))),
            lambda: c.CashOut(name, rnd.choice((1, 5_000, 100_000))),
            lambda: game.Leave(name),
            lambda: game.Timeout(name, rnd.randint(1, 9)),
            lambda: c.OrderReshuffle(FLOOR, "the cards look worn"),
            lambda: c.ChangeDealer(rnd.choice(STAFF)),
            lambda: c.FindFaceUp(DEALER),
            lambda: c.DrawInError(DEALER, rnd.random() < 0.5),
            lambda: c.MissBox(DEALER, rnd.randint(1, 9)),
            lambda: c.Jam(DEALER) if rnd.random() < 0.3 else c.GoIdle(DEALER),
            lambda: game.VoidRound("an order") if rnd.random() < 0.3 else c.TurnUp(name),
            lambda: c.FailDevice(DEALER, "no light") if rnd.random() < 0.3 else self.method(),
            lambda: c.ShuffleCards(seed(rnd.random()), rnd.choice(("", DEALER))),
            lambda: self.restriction(name),
            lambda: any_command(rnd),
        ]
        return rnd.choice(likely)()

    def restriction(self, name: str) -> Command:
        """A limit of the table or of one player, lifted as often as set."""
        rnd = self.random
        limit = rnd.choice(get_args(c.Restriction))
        whom = name if limit == "player_box_max" and rnd.random() < 0.5 else ""
        return c.Restrict(FLOOR, limit, rnd.choice((0, 0, 1, 2, 800)), whom)

    def seat(self) -> int | None:
        """A seat, or none."""
        seats: list[int | None] = [None, *range(1, 10)]
        return self.random.choice(seats)

    def method(self) -> Command:
        """Another method, with or without an approval."""
        method: Shuffle = self.random.choice(get_args(Shuffle))
        return c.ChangeMethod(FLOOR, method, self.random.choice(("", APPROVAL)))


def player_seed(player: str) -> bytes:
    """The seed that a player seals."""
    return f"the seed of {player}".encode().ljust(32, b".")


def amount(rnd: random.Random, allowed: Amounts) -> int:
    """An amount that is allowed, small ones more often."""
    if allowed.only:
        return rnd.choice(allowed.only)
    top = min(allowed.max, rnd.choice((allowed.min, 100, 1_000, 2_501, 10_000_000)))
    return max(top - top % allowed.step, allowed.min)


FIELDS: dict[str, Callable[[random.Random], Any]] = {
    "player": lambda rnd: rnd.choice((*PLAYERS, "platform")),
    "by": lambda rnd: rnd.choice((*STAFF, "platform", "ann")),
    "dealer": lambda rnd: rnd.choice(STAFF),
    "box": lambda rnd: rnd.randint(1, 9),
    "seat": lambda rnd: rnd.choice((None, 1, 5, 9)),
    "amount": lambda rnd: rnd.choice((0, 1, 500, 10**12, 10**15)),
    "position": lambda rnd: rnd.choice((-5, 0, 9, 10, 150, 302, 303, 10**9)),
    "seed": lambda rnd: rnd.choice(("", seed(rnd.random()))),
    "seal": lambda rnd: seed(rnd.random()),
    "at_ms": lambda rnd: rnd.choice((0, 10**6, 10**12)),
    "opened_ms": lambda rnd: rnd.choice((None, 0, 10**6)),
    "sets": lambda rnd: rnd.choice(((), ("one",), ("one", "two"))),
    "reason": lambda rnd: "r" * rnd.choice((1, 160)),
    "approval": lambda rnd: rnd.choice(("", APPROVAL)),
    "batch": lambda rnd: rnd.choice(("", "red", "blue", "green")),
    "wager": lambda rnd: rnd.choice(WAGERS),
    "war_tie": lambda rnd: rnd.choice((0, 1, 500)),
    "value": lambda rnd: rnd.choice((0, 1, 3, 1_000, 10**13)),
    "whom": lambda rnd: rnd.choice(("", "ann", "nobody")),
    "steps": lambda rnd: rnd.choice((0, 1, 10**9)),
    "progressive": lambda rnd: rnd.randint(0, 3),
    "bonus_spin": lambda rnd: rnd.randint(0, 3),
    "number": lambda rnd: rnd.choice(("", "5e" * 16)),
    "book": lambda rnd: rnd.choice(("", "a book")),
    "owner": lambda rnd: rnd.choice(PLAYERS),
    "order": lambda rnd: rnd.choice(("on_deal", "shoe", "after_bets")),
    "iterations": lambda rnd: rnd.choice((1, 2)),
    "links": lambda rnd: rnd.choice((1, 500, 1_000)),
    "root": lambda rnd: seed(rnd.random()),
    "link": lambda rnd: seed(rnd.random()),
    "key": lambda rnd: rnd.choice(("",)),
    "deal": lambda rnd: rnd.random() < 0.5,
    "play_on": lambda rnd: rnd.random() < 0.5,
    "exposed": lambda rnd: rnd.random() < 0.5,
}
COMMANDS: tuple[type[Any], ...] = get_args(Command)


def any_command(rnd: random.Random) -> Command:
    """Any well-typed command, mostly one that makes no sense now."""
    kind = rnd.choice(COMMANDS)
    values = {}
    for field in msgspec.structs.fields(kind):
        choices = get_args(field.type)
        if field.name in FIELDS:
            values[field.name] = FIELDS[field.name](rnd)
        else:
            values[field.name] = rnd.choice(choices)
    if kind is c.SendNumber:
        values["number"] = values["number"] or "00" * 16
    command: Command = kind(**values)
    msgspec.convert(msgspec.to_builtins(command), kind)  # well-typed indeed
    return command
