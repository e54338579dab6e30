"""Hypothesis strategies: rule books, commands of every kind, and whole random rounds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any, TypeVar

import msgspec
from hypothesis import strategies as st

from wartable.cards import DECK, HIDDEN
from wartable.game import (
    Bet,
    Burn,
    Choose,
    CloseBets,
    Deal,
    Decline,
    DueBets,
    DueBurn,
    DueCard,
    DueChoice,
    DueMeter,
    DueOpen,
    DueWheel,
    GameCommand,
    GameEvent,
    Illegal,
    Leave,
    Open,
    ReadMeter,
    Round,
    RoundDue,
    Spin,
    Timeout,
    VoidBox,
    VoidRound,
    Withdraw,
    awaits,
    legal,
    step,
)
from wartable.game.amounts import Amounts
from wartable.game.messages import Choice, MeterName
from wartable.game.moves import MayBet, MayChoose, MayDecline, MayLeave, MayWithdraw, Move
from wartable.rules import NAMES, WAGERS, Ratio, RuleBook, load, option_values, with_options
from wartable.rules.model import (
    DealRules,
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
Value = TypeVar("Value")
PlayerCommand = Bet | Withdraw | Decline | Choose | Leave


@cache
def whole(top: int) -> st.SearchStrategy[int]:
    """The whole numbers below a top; made once, for making a strategy costs more than drawing."""
    return st.integers(0, top - 1)


def pick(draw: Draw, values: Sequence[Value]) -> Value:
    """One of the values."""
    return values[draw(whole(len(values)))] if len(values) > 1 else values[0]


def one_in(draw: Draw, times: int) -> bool:
    """Yes, once in so many times."""
    return draw(whole(times)) == times - 1


@cache
def options() -> st.SearchStrategy[dict[str, str]]:
    """Some named options with any of their values."""
    values: dict[Any, st.SearchStrategy[str]] = {
        name: st.sampled_from(option_values(name)) for name in OPTIONS
    }
    return st.fixed_dictionaries({}, optional=values)


def _limit(draw: Draw) -> Limit:
    least = pick(draw, [1, 5, 100])
    return Limit(least, pick(draw, [None, least + draw(whole(3000))]))


def limits(draw: Draw) -> Limits:
    """Limits that an operator might set, tight enough to matter."""
    primary = _limit(draw)
    box, player, payout = (pick(draw, [None, primary.min + draw(whole(4000))]) for _ in range(3))
    return Limits(primary, _limit(draw), _limit(draw), box, player, payout)


def crossed(draw: Draw, names: Sequence[str] = NAMES) -> RuleBook:
    """A book of one's own: side bets beside any bank, other odds, other orders, other lines."""
    rules, maryland = load(pick(draw, names)).rules, load("maryland").rules
    wagers, progressive = maryland.wagers, maryland.wagers.progressive
    assert progressive is not None
    lines = list(progressive.lines)
    envy = msgspec.structs.replace(progressive.envy, line=pick(draw, lines))
    progressive = msgspec.structs.replace(progressive, meter_line=pick(draw, lines), envy=envy)
    odds = [Ratio(1, 1), Ratio(10, 1), Ratio(3, 2), Ratio(1, 2), Ratio(0, 1)]
    wagers = msgspec.structs.replace(
        wagers,
        primary=Primary(pick(draw, odds)),
        tie=Tie(pick(draw, odds), one_in(draw, 2), pick(draw, [None, 1])),
        war_tie=WarTie(pick(draw, odds)),
        progressive=progressive,
    )
    order, settle, surrender = (pick(draw, DIRECTIONS) for _ in range(3))
    deal = DealRules(order, settle, surrender, draw(whole(4)))
    return msgspec.structs.replace(
        rules, wagers=wagers, deal=deal, outcomes={**maryland.outcomes, **rules.outcomes}
    )


@st.composite
def books(draw: Draw, names: Sequence[str] = NAMES) -> RuleBook:
    """A shipped book, one with other options and limits, or one of somebody's own."""
    book = load(pick(draw, names))
    rules = crossed(draw, names) if one_in(draw, 4) else book.rules
    if one_in(draw, 2):
        chosen = with_options(book, draw(options())).rules.options
        rules = msgspec.structs.replace(rules, options=chosen)
    if one_in(draw, 2):
        rules = msgspec.structs.replace(rules, limits=limits(draw))
    return rules


@cache
def amounts() -> st.SearchStrategy[int]:
    """Amounts of chips: small, odd, the denominations of the side bets, large."""
    return st.sampled_from([0, 1, 2, 3, 100, 101, 500, 1000, 2500, 10**9]) | st.integers(0, 5000)


@cache
def symbols() -> st.SearchStrategy[str | None]:
    """What a wheel may be said to show, right or wrong."""
    spin = load("maryland").rules.wagers.bonus_spin
    known = [*spin.hot_spot, *spin.community] if spin else []
    return st.sampled_from([None, "none", "jackpot_primary", "jackpot_secondary", "", "$7", *known])


@cache
def commands() -> st.SearchStrategy[GameCommand]:
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
        st.builds(Spin, st.none() | box, symbols(), symbols()),
        st.builds(ReadMeter, st.sampled_from(METERS), some),
        st.builds(Leave, player),
        st.builds(VoidBox, box),
        st.builds(VoidRound, st.just("a test")),
    )


@cache
def player_commands() -> st.SearchStrategy[PlayerCommand]:
    """Any command that a player may send, sensible or not."""
    player, box, some = st.sampled_from(PLAYERS), st.integers(1, 9), amounts()
    return st.one_of(
        st.builds(Bet, player, box, st.sampled_from(WAGERS), some),
        st.builds(Withdraw, player, box, st.sampled_from(WAGERS)),
        st.builds(Decline, player, box),
        st.builds(Choose, player, box, st.sampled_from(CHOICES), st.just(0) | some),
        st.builds(Leave, player),
    )


def within(draw: Draw, allowed: Amounts) -> int:
    """An amount that is allowed, now and then one at the edge."""
    if allowed.only or one_in(draw, 4):
        return pick(draw, edges(allowed))
    return min(allowed.min + 25 * draw(whole(60)) * allowed.step, allowed.max)


def edges(allowed: Amounts) -> list[int]:
    """The least and the most that is allowed, and what lies just inside."""
    if allowed.only:
        return list(allowed.only)
    return sorted({allowed.min, min(allowed.min + allowed.step, allowed.max), allowed.max})


def moved(draw: Draw, move: Move) -> GameCommand:
    """A command that the move permits."""
    match move:
        case MayBet(player, box, wager, allowed):
            return Bet(player, box, wager, within(draw, allowed))
        case MayWithdraw(player, box, wager):
            return Withdraw(player, box, wager)
        case MayDecline(player, box):
            return Decline(player, box)
        case MayChoose(player, box, choice, war_tie):
            extra = within(draw, war_tie) if war_tie and one_in(draw, 2) else 0
            return Choose(player, box, choice, extra)
        case MayLeave(player):
            return Leave(player)


FEW = ("7h", "9s", "7h 7d", "7h 8h", "7d 7c", "2s 7h", "9s 9h 8s", "7h 8d As", "2c 7d 7h Kc")
"""Cards that come again and again: ties, wars won and lost, four alike and red sevens abound."""


class Cards:
    """Where the cards of a round come from: a few cards again and again, or a shuffled shoe."""

    def __init__(self, draw: Draw, decks: int) -> None:
        self.draw = draw
        self.few = pick(draw, [*FEW, "", "", ""]).split()
        self.shoe: list[str] = []
        if not self.few:
            self.shoe = list(DECK) * decks
            random.Random(draw(whole(2**32))).shuffle(self.shoe)

    def next(self) -> str:
        """The next card."""
        if self.few:
            return pick(self.draw, self.few)
        return self.shoe.pop()


class Transcript:
    """A random round: each state with the command that was tried there and what came of it."""

    def __init__(self, rules: RuleBook) -> None:
        self.rules = rules
        self.states: list[Round] = [Round()]
        self.commands: list[GameCommand] = []
        self.events: list[GameEvent] = []
        self.refused: list[tuple[Round, GameCommand, Illegal]] = []

    def __repr__(self) -> str:
        """What a failing example needs to be played again."""
        return f"{self.rules.name} {self.rules.options} {self.rules.limits}\n{self.commands}"

    @property
    def state(self) -> Round:
        """The state that the round has reached."""
        return self.states[-1]

    def attempt(self, command: GameCommand) -> bool:
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


def opening(draw: Draw, rules: RuleBook) -> Open:
    """An opening that the book allows: seats, and the bank where a player banks."""
    seats = {
        1 + draw(whole(rules.table.boxes)): pick(draw, PLAYERS[:-1]) for _ in range(draw(whole(4)))
    }
    if rules.banker == "house":
        return Open(seats)
    return Open(seats, BANKER, _bank(draw), _bank(draw))


def _bank(draw: Draw) -> int | None:
    """A bank that is boundless, empty, nearly empty, or anything between."""
    return pick(draw, [None, 0, 5, 1500, draw(whole(8000)), draw(whole(8000))])


@st.composite
def rounds(draw: Draw, rule_books: st.SearchStrategy[RuleBook] | None = None) -> Transcript:
    """A whole round with legal moves, refused commands, leaving players and irregularities."""
    rules = draw(books() if rule_books is None else rule_books)
    cards = Cards(draw, rules.shoe.decks)
    transcript = Transcript(rules)
    wild = pick(draw, [0, 0, 4, 30])
    assert transcript.attempt(opening(draw, rules))
    _bets(draw, transcript)
    while not transcript.state.closed:
        due = awaits(rules, transcript.state)
        assert due, "nothing is awaited and the round is not closed"
        if wild and draw(whole(100)) < wild:
            transcript.attempt(draw(_mischief()))
        else:
            assert transcript.attempt(_fed(draw, rules, transcript.state, due, cards))
    return transcript


def _bets(draw: Draw, transcript: Transcript) -> None:
    """Random legal moves before the deal, a few refused commands among them, then no more bets."""
    rules = transcript.rules
    for _ in range(pick(draw, [1, 3, 8, 14, 24])):
        if one_in(draw, 10):
            transcript.attempt(draw(player_commands()))
        moves = legal(rules, transcript.state, pick(draw, PLAYERS))
        if not moves:
            continue
        bets = [move for move in moves if isinstance(move, MayBet)]
        if not bets or one_in(draw, 12):
            assert transcript.attempt(moved(draw, pick(draw, moves)))
            continue
        kind = pick(draw, sorted({move.wager for move in bets}))
        of_kind = [move for move in bets if move.wager == kind]
        assert transcript.attempt(moved(draw, pick(draw, of_kind)))
    if not transcript.attempt(CloseBets()):
        transcript.attempt(Bet("Ann", 1, "primary", max(2, rules.limits.primary.min)))
        if not transcript.attempt(CloseBets()):
            transcript.attempt(VoidRound("no wagers"))


@cache
def _mischief() -> st.SearchStrategy[GameCommand]:
    """What may come between: leaving, time running out, irregularities, nonsense."""
    player, box = st.sampled_from(PLAYERS), st.integers(1, 9)
    return st.one_of(
        st.builds(Leave, player),
        st.builds(Timeout, player, box),
        st.builds(VoidBox, box),
        commands().filter(lambda command: not isinstance(command, VoidRound)),
        st.builds(VoidRound, st.just("jam")),
    )


def _fed(
    draw: Draw, rules: RuleBook, state: Round, due: Sequence[RoundDue], cards: Cards
) -> GameCommand:
    """The command that one of the things due asks for."""
    match pick(draw, due):
        case DueCard():
            return Deal(cards.next())
        case DueBurn():
            return Burn(cards.next() if one_in(draw, 10) else HIDDEN)
        case DueChoice(player=player, box=box):
            if rules.options.timeout != "hold" and one_in(draw, 10):
                return Timeout(player, box)
            moves = [m for m in legal(rules, state, player) if isinstance(m, MayChoose)]
            return moved(draw, pick(draw, moves))
        case DueWheel(boxes=boxes):
            return spin(draw, rules, boxes)
        case DueMeter(meter=meter):
            return ReadMeter(meter, draw(whole(2_000_000)))
        case DueBets():
            return VoidRound("nobody bet")
        case DueOpen():
            return Open()


def spin(draw: Draw, rules: RuleBook, boxes: Sequence[int]) -> Spin:
    """A stop of the wheel that the round takes."""
    wheel = rules.wagers.bonus_spin
    assert wheel is not None
    community = pick(draw, list(wheel.community))
    if one_in(draw, 2):
        return Spin(None, None, community)
    jackpots = [f"jackpot_{meter}" for meter in wheel.meters]
    return Spin(pick(draw, boxes), pick(draw, [*jackpots, *wheel.hot_spot]), community)
