"""Hypothesis strategies: rule books, commands of every kind, and whole random rounds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import strategies as st

from wartable.cards import DECK, HIDDEN, SUITS
from wartable.game import (
    Bet,
    Burn,
    Choose,
    CloseBets,
    Command,
    Deal,
    Decline,
    Due,
    DueBets,
    DueBurn,
    DueCard,
    DueChoice,
    DueMeter,
    DueOpen,
    DueWheel,
    Event,
    Illegal,
    Leave,
    Open,
    ReadMeter,
    Round,
    Spin,
    Timeout,
    VoidBox,
    VoidRound,
    Withdraw,
    awaits,
    legal,
    step,
)
from wartable.game.betting import Amounts
from wartable.game.messages import Choice, MeterName
from wartable.game.moves import MayBet, MayChoose, MayDecline, MayLeave, MayWithdraw, Move
from wartable.rules import NAMES, WAGERS, Ratio, RuleBook, load, option_values, with_options
from wartable.rules.model import (
    Deal as DealRules,
)
from wartable.rules.model import (
    Direction,
    Limit,
    Limits,
    Options,
    Primary,
    Tie,
    WarTie,
)

PLAYERS = ("Ann", "Bob", "Cat", "Dan", "Eve")
BANKER = "Eve"
COMMANDS_MAX = 400
"""Far more commands than any round here needs: reaching it means that the round does not end."""

OPTIONS = tuple(name for name in Options.__struct_fields__ if name != "shuffle")
METERS: tuple[MeterName, ...] = ("progressive", "primary", "secondary")
DIRECTIONS: tuple[Direction, ...] = ("clockwise", "counterclockwise")
CHOICES: tuple[Choice, ...] = ("war", "surrender")

Draw = st.DrawFn


def options() -> st.SearchStrategy[dict[str, str]]:
    """Some named options with any of their values."""
    values: dict[Any, st.SearchStrategy[str]] = {
        name: st.sampled_from(option_values(name)) for name in OPTIONS
    }
    return st.fixed_dictionaries({}, optional=values)


def _limit(least: st.SearchStrategy[int]) -> st.SearchStrategy[Limit]:
    return st.tuples(least, st.none() | st.integers(0, 3000)).map(
        lambda pair: Limit(pair[0], None if pair[1] is None else pair[0] + pair[1])
    )


@st.composite
def limits(draw: Draw) -> Limits:
    """Limits that an operator might set, tight enough to matter."""
    wager = _limit(st.sampled_from([1, 5, 100]))
    least = draw(wager)
    caps = st.none() | st.integers(least.min, 4000)
    return Limits(least, draw(wager), draw(wager), *(draw(caps) for _ in range(3)))


@st.composite
def crossed(draw: Draw, names: Sequence[str] = NAMES) -> RuleBook:
    """A book of one's own: side bets beside any bank, other odds, other orders, other lines."""
    rules, maryland = load(draw(st.sampled_from(names))).rules, load("maryland").rules
    wagers, progressive = maryland.wagers, maryland.wagers.progressive
    assert progressive is not None
    line = st.sampled_from(list(progressive.lines))
    envy = msgspec.structs.replace(progressive.envy, line=draw(line))
    progressive = msgspec.structs.replace(progressive, meter_line=draw(line), envy=envy)
    odds = st.sampled_from([Ratio(1, 1), Ratio(10, 1), Ratio(3, 2), Ratio(1, 2), Ratio(0, 1)])
    wagers = msgspec.structs.replace(
        wagers,
        primary=Primary(draw(odds)),
        tie=Tie(draw(odds), draw(st.booleans()), draw(st.none() | st.just(1))),
        war_tie=WarTie(draw(odds)),
        progressive=progressive,
    )
    way = st.sampled_from(DIRECTIONS)
    deal = DealRules(draw(way), draw(way), draw(way), draw(st.integers(0, 3)))
    return msgspec.structs.replace(
        rules, wagers=wagers, deal=deal, outcomes={**maryland.outcomes, **rules.outcomes}
    )


@st.composite
def books(draw: Draw, names: Sequence[str] = NAMES) -> RuleBook:
    """A shipped book, one with other options and limits, or one of somebody's own."""
    book = load(draw(st.sampled_from(names)))
    rules = draw(crossed(names)) if draw(st.integers(0, 3)) == 3 else book.rules
    if draw(st.booleans()):
        chosen = with_options(book, draw(options())).rules.options
        rules = msgspec.structs.replace(rules, options=chosen)
    if draw(st.booleans()):
        rules = msgspec.structs.replace(rules, limits=draw(limits()))
    return rules


def amounts() -> st.SearchStrategy[int]:
    """Amounts of chips: small, odd, the denominations of the side bets, large."""
    return st.sampled_from([0, 1, 2, 3, 100, 101, 500, 1000, 2500, 10**9]) | st.integers(0, 5000)


def symbols(book: RuleBook) -> st.SearchStrategy[str | None]:
    """What a wheel may be said to show, right or wrong."""
    spin = book.wagers.bonus_spin
    known = [*spin.hot_spot, *spin.community] if spin else []
    return st.sampled_from([None, "none", "jackpot_primary", "jackpot_secondary", "", "$7", *known])


def commands(book: RuleBook) -> st.SearchStrategy[Command]:
    """Any well-typed command, mostly one that makes no sense now."""
    player, box = st.sampled_from(PLAYERS), st.integers(1, 9)
    wager, some = st.sampled_from(WAGERS), amounts()
    card = st.sampled_from([*DECK, HIDDEN])
    maybe = st.none() | some
    return st.one_of(
        st.builds(
            Open,
            st.dictionaries(box, player, max_size=2),
            st.none() | player,
            maybe,
            maybe,
        ),
        st.builds(Bet, player, box, wager, some),
        st.builds(Withdraw, player, box, wager),
        st.builds(Decline, player, box),
        st.builds(CloseBets),
        st.builds(Deal, card),
        st.builds(Burn, card),
        st.builds(Choose, player, box, st.sampled_from(CHOICES), st.just(0) | some),
        st.builds(Timeout, player, box),
        st.builds(Spin, st.none() | box, symbols(book), symbols(book)),
        st.builds(ReadMeter, st.sampled_from(METERS), some),
        st.builds(Leave, player),
        st.builds(VoidBox, box),
        st.builds(VoidRound, st.just("a test")),
    )


def player_commands(players: Sequence[str] = PLAYERS) -> st.SearchStrategy[Command]:
    """Any command that a player may send, sensible or not."""
    player, box, some = st.sampled_from(players), st.integers(1, 9), amounts()
    return st.one_of(
        st.builds(Bet, player, box, st.sampled_from(WAGERS), some),
        st.builds(Withdraw, player, box, st.sampled_from(WAGERS)),
        st.builds(Decline, player, box),
        st.builds(Choose, player, box, st.sampled_from(CHOICES), st.just(0) | some),
        st.builds(Leave, player),
    )


def within(allowed: Amounts) -> st.SearchStrategy[int]:
    """An amount that is allowed, now and then one at the edge."""
    if allowed.only:
        return st.sampled_from(allowed.only)
    usual = st.integers(0, 60).map(lambda n: min(allowed.min + 25 * n * allowed.step, allowed.max))
    return st.sampled_from(edges(allowed)) | usual | usual


def edges(allowed: Amounts) -> list[int]:
    """The least and the most that is allowed, and what lies just inside."""
    if allowed.only:
        return list(allowed.only)
    return sorted({allowed.min, min(allowed.min + allowed.step, allowed.max), allowed.max})


def moved(draw: Draw, move: Move) -> Command:
    """A command that the move permits."""
    match move:
        case MayBet(player, box, wager, allowed):
            return Bet(player, box, wager, draw(within(allowed)))
        case MayWithdraw(player, box, wager):
            return Withdraw(player, box, wager)
        case MayDecline(player, box):
            return Decline(player, box)
        case MayChoose(player, box, choice, war_tie):
            extra = draw(within(war_tie)) if war_tie and draw(st.booleans()) else 0
            return Choose(player, box, choice, extra)
        case MayLeave(player):
            return Leave(player)


class Cards:
    """Where the cards of a round come from: a shuffled shoe, or a few cards again and again."""

    def __init__(self, draw: Draw, decks: int) -> None:
        self.draw = draw
        self.few: list[str] = []
        self.shoe: list[str] = []
        if draw(st.booleans()):
            ranks = draw(st.sampled_from(["7", "A", "27", "9T", "6789"]))
            suits = draw(st.sampled_from(["h", "s", "dh", SUITS]))
            self.few = [rank + suit for rank in ranks for suit in suits]
        else:
            self.shoe = list(DECK) * decks
            random.Random(draw(st.integers(0, 2**32))).shuffle(self.shoe)

    def next(self) -> str:
        """The next card."""
        if self.few:
            return self.few[0] if len(self.few) == 1 else self.draw(st.sampled_from(self.few))
        return self.shoe.pop()


class Transcript:
    """A random round: each state with the command that was tried there and what came of it."""

    def __init__(self, rules: RuleBook) -> None:
        self.rules = rules
        self.states: list[Round] = [Round()]
        self.commands: list[Command] = []
        self.events: list[Event] = []
        self.refused: list[tuple[Round, Command, Illegal]] = []

    def __repr__(self) -> str:
        """What a failing example needs to be played again."""
        return f"{self.rules.name} {self.rules.options} {self.rules.limits}\n{self.commands}"

    @property
    def state(self) -> Round:
        """The state that the round has reached."""
        return self.states[-1]

    def attempt(self, command: Command) -> bool:
        """Send a command, legal or not; whether it was accepted."""
        try:
            state, events = step(self.rules, self.state, command)
        except Illegal as illegal:
            self.refused.append((self.state, command, illegal))
            return False
        assert len(self.commands) < COMMANDS_MAX, "the round does not end"
        self.states.append(state)
        self.commands.append(command)
        self.events += events
        return True


@st.composite
def openings(draw: Draw, rules: RuleBook) -> Open:
    """An opening that the book allows: seats, and the bank where a player banks."""
    boxes = st.integers(1, rules.table.boxes)
    seats = draw(st.dictionaries(boxes, st.sampled_from(PLAYERS[:-1]), max_size=3))
    if rules.banker == "house":
        return Open(seats)
    some = st.none() | st.sampled_from([0, 5, 1500]) | st.integers(0, 8000)
    return Open(seats, BANKER, draw(some), draw(some))


@st.composite
def rounds(draw: Draw, rule_books: st.SearchStrategy[RuleBook] | None = None) -> Transcript:
    """A whole round with legal moves, refused commands, leaving players and irregularities."""
    rules = draw(books() if rule_books is None else rule_books)
    cards = Cards(draw, rules.shoe.decks)
    transcript = Transcript(rules)
    wild = draw(st.sampled_from([0, 0, 4, 30]))
    assert transcript.attempt(draw(openings(rules)))
    _bets(draw, transcript)
    while not transcript.state.closed:
        due = awaits(rules, transcript.state)
        assert due, "nothing is awaited and the round is not closed"
        if wild and draw(st.integers(0, 99)) < wild:
            transcript.attempt(draw(_mischief(rules)))
        else:
            assert transcript.attempt(_fed(draw, rules, transcript.state, due, cards))
    return transcript


def _bets(draw: Draw, transcript: Transcript) -> None:
    """Random legal moves before the deal, a few refused commands among them, then no more bets."""
    rules = transcript.rules
    for _ in range(draw(st.integers(1, 14))):
        if draw(st.integers(0, 9)) == 0:
            transcript.attempt(draw(player_commands()))
        moves = legal(rules, transcript.state, draw(st.sampled_from(PLAYERS)))
        bets = [move for move in moves if isinstance(move, MayBet)]
        some = moves if draw(st.integers(0, 9)) == 0 else bets
        if some:
            assert transcript.attempt(moved(draw, draw(st.sampled_from(some))))
    if not transcript.attempt(CloseBets()):
        transcript.attempt(Bet("Ann", 1, "primary", max(2, rules.limits.primary.min)))
        if not transcript.attempt(CloseBets()):
            transcript.attempt(VoidRound("no wagers"))


def _mischief(rules: RuleBook) -> st.SearchStrategy[Command]:
    """What may come between: leaving, time running out, irregularities, nonsense."""
    player, box = st.sampled_from(PLAYERS), st.integers(1, 9)
    return st.one_of(
        st.builds(Leave, player),
        st.builds(Timeout, player, box),
        st.builds(VoidBox, box),
        commands(rules).filter(lambda command: not isinstance(command, VoidRound)),
        st.builds(VoidRound, st.just("jam")),
    )


def _fed(draw: Draw, rules: RuleBook, state: Round, due: Sequence[Due], cards: Cards) -> Command:
    """The command that one of the things due asks for."""
    match draw(st.sampled_from(due)) if len(due) > 1 else due[0]:
        case DueCard():
            return Deal(cards.next())
        case DueBurn():
            return Burn(cards.next() if draw(st.integers(0, 9)) == 0 else HIDDEN)
        case DueChoice(player=player, box=box):
            if rules.options.timeout != "hold" and draw(st.integers(0, 9)) == 0:
                return Timeout(player, box)
            moves = legal(rules, state, player)
            return moved(
                draw, draw(st.sampled_from([m for m in moves if isinstance(m, MayChoose)]))
            )
        case DueWheel(boxes=boxes):
            return draw(spins(rules, boxes))
        case DueMeter(meter=meter):
            return ReadMeter(meter, draw(st.integers(0, 2_000_000)))
        case DueBets():
            return VoidRound("nobody bet")
        case DueOpen():
            return Open()


@st.composite
def spins(draw: Draw, rules: RuleBook, boxes: Sequence[int]) -> Spin:
    """A stop of the wheel that the round takes."""
    spin = rules.wagers.bonus_spin
    assert spin is not None
    community = draw(st.sampled_from(list(spin.community)))
    if draw(st.booleans()):
        return Spin(None, None, community)
    jackpots = [f"jackpot_{meter}" for meter in spin.meters]
    hot_spot = draw(st.sampled_from([*jackpots, *spin.hot_spot]))
    return Spin(draw(st.sampled_from(boxes)), hot_spot, community)
