"""Rounds played tersely: a driver that keeps the events, and an account kept beside the engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from wartable.cards import HIDDEN, RANKS
from wartable.game import (
    Bet,
    BoxVoided,
    Burn,
    Choose,
    CloseBets,
    Deal,
    Dealt,
    DueBurn,
    DueCard,
    DueChoice,
    DueMeter,
    DueWheel,
    EnvyPaid,
    GameCommand,
    GameEvent,
    Illegal,
    Leave,
    Open,
    Placed,
    ReadMeter,
    Returned,
    Round,
    RoundDue,
    RoundVoided,
    Settled,
    Spin,
    Withdrawn,
    awaits,
    decide,
    step,
)
from wartable.game.messages import Choice
from wartable.rules import RuleBook, WagerKind, load, with_options
from wartable.rules.model import Limits

MAIN = ("primary", "war")
METER = 1_000_000


def book(name: str, **options: str) -> RuleBook:
    """A shipped book, some of its named options set otherwise."""
    return with_options(load(name), options).rules


def limited(rules: RuleBook, **limits: Any) -> RuleBook:
    """The book with limits of an operator: `primary={"min": 500}`, `payout_max=5000`."""
    return msgspec.structs.replace(rules, limits=msgspec.convert(limits, Limits))


class Entry(msgspec.Struct, frozen=True):
    """One player on one box: wagers, what to do at a tie, and the box's cards."""

    player: str
    box: int
    cards: tuple[str, ...]
    wagers: dict[WagerKind, int]
    choice: Choice | Literal["leave"]
    war_tie: int


def entry(
    player: str,
    box: int = 1,
    cards: str = "",
    *,
    choice: Choice | Literal["leave"] = "war",
    war_tie: int = 0,
    **wagers: int,
) -> Entry:
    """One player on one box: `entry("ann", 1, "9s Kd", primary=1000, tie=100)`."""
    staked = msgspec.convert(wagers, dict[WagerKind, int])
    return Entry(player, box, tuple(cards.split()), staked, choice, war_tie)


class Game:
    """A round under way: the state, and every command and event that led to it."""

    def __init__(self, rules: RuleBook | str, **opening: Any) -> None:
        self.rules = book(rules) if isinstance(rules, str) else rules
        self.state = Round()
        self.events: list[GameEvent] = []
        self.commands: list[GameCommand] = []
        if self.rules.banker == "player":
            opening.setdefault("banker", "bank")
        self.do(Open(**opening))

    @property
    def due(self) -> tuple[RoundDue, ...]:
        """What the round awaits."""
        return awaits(self.rules, self.state)

    def do(self, command: GameCommand) -> tuple[GameEvent, ...]:
        """The events of a command that must be legal."""
        self.state, events = step(self.rules, self.state, command)
        self.commands.append(command)
        self.events += events
        return events

    def refuses(self, command: GameCommand) -> str:
        """The code with which a command is refused; fails if it is not."""
        try:
            events = decide(self.rules, self.state, command)
        except Illegal as illegal:
            return illegal.code
        raise AssertionError(f"{command} was accepted: {events}")

    def bet(self, player: str, box: int, **wagers: int) -> Game:
        """Make the wagers, in their order."""
        for kind, amount in msgspec.convert(wagers, dict[WagerKind, int]).items():
            self.do(Bet(player, box, kind, amount))
        return self

    def close(self) -> Game:
        """Call no more bets."""
        self.do(CloseBets())
        return self

    def deal(self, cards: str) -> Game:
        """Deal the cards in the order in which they are due, with unseen burns between them."""
        for card in cards.split():
            while DueBurn() in self.due:
                self.do(Burn())
            self.do(Deal(card))
        return self

    def choose(self, player: str, box: int, choice: Choice, war_tie: int = 0) -> Game:
        """Make a tied hand's choice."""
        self.do(Choose(player, box, choice, war_tie))
        return self

    def net(self, player: str, *kinds: str, box: int | None = None) -> int:
        """What the player gained, on those wagers (`envy` is one) or on all."""
        total = 0
        for hand in self.state.hands:
            if hand.player != player or box not in (None, hand.box):
                continue
            if not kinds or "envy" in kinds:
                total += hand.envy
            total += sum(w.net for w in hand.wagers if not kinds or w.kind in kinds)
        return total

    def main(self, player: str, box: int | None = None) -> int:
        """What the player gained on primary and war wager together."""
        return self.net(player, *MAIN, box=box)

    def of(self, kind: type[Any]) -> list[Any]:
        """The events of one kind, in order."""
        return [event for event in self.events if type(event) is kind]

    def order(self, *kinds: str) -> list[int]:
        """The boxes in the order in which those wagers were settled."""
        return [event.box for event in self.of(Settled) if not kinds or event.wager in kinds]

    def outcome(self, player: str, kind: WagerKind, box: int = 1) -> str:
        """How the player's wager ended, empty while it is open."""
        hand = self.state.hand(player, box)
        wager = hand.wager(kind) if hand else None
        assert wager is not None, f"{player} has no {kind} wager on box {box}"
        return wager.outcome

    @property
    def banker(self) -> int:
        """The banker's gain by the account kept beside the engine."""
        return account(self.events).banker


def play(
    rules: RuleBook | str,
    entries: Sequence[Entry] | Entry,
    dealer: str = "",
    *,
    wheel: Mapping[str, Any] | None = None,
    meters: Sequence[int] = (),
    **opening: Any,
) -> Game:
    """A whole round: bets in the order given, then whatever is due until it is closed."""
    entries = [entries] if isinstance(entries, Entry) else list(entries)
    game = Game(rules, **opening)
    for each in entries:
        game.bet(each.player, each.box, **each.wagers)
    game.close()
    finish(game, entries, dealer, wheel=wheel, meters=meters)
    return game


def finish(
    game: Game,
    entries: Sequence[Entry],
    dealer: str,
    *,
    wheel: Mapping[str, Any] | None = None,
    meters: Sequence[int] = (),
) -> None:
    """Play on from "no more bets" until the round is closed."""
    readings = iter(meters)
    while not game.state.closed:
        due = game.due[0]
        match due:
            case DueCard(deal=deal, box=box):
                game.do(Deal(_card(entries, dealer, box, second=deal == "war")))
            case DueBurn():
                game.do(Burn())
            case DueChoice(player=player, box=box):
                each = next(e for e in entries if (e.player, e.box) == (player, box))
                if each.choice == "leave":
                    game.do(Leave(player))
                else:
                    game.choose(player, box, each.choice, each.war_tie)
            case DueWheel():
                game.do(Spin(**(wheel or {"community": "$25"})))
            case DueMeter(meter=meter):
                game.do(ReadMeter(meter, next(readings, METER)))
            case _:
                raise AssertionError(f"nothing here feeds {due}")


def _card(entries: Iterable[Entry], dealer: str, box: int, *, second: bool) -> str:
    cards = dealer.split() if box == 0 else next((e.cards for e in entries if e.box == box), ())
    return cards[second] if len(cards) > second else HIDDEN


Spot = tuple[str, int, str]


class Account:
    """The money of a round, counted from its events alone: felt, players and banker."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Count from nothing, as before the round."""
        self.felt: dict[Spot, int] = {}
        self.staked: dict[Spot, int] = {}
        self.players: dict[str, int] = {}
        self.endings: dict[Spot, int] = {}
        self.wins: dict[Spot, int] = {}
        self.losses: dict[Spot, int] = {}
        self.envy = 0
        self.banker = 0

    def pay(self, player: str, amount: int) -> None:
        """Move money to a player, or from one where negative."""
        self.players[player] = self.players.get(player, 0) + amount

    def end(self, spot: Spot) -> int:
        """What lay on the felt of a wager that ended now."""
        self.endings[spot] = self.endings.get(spot, 0) + 1
        return self.felt.pop(spot)

    def add(self, event: GameEvent) -> None:
        """Count one event."""
        match event:
            case Placed(player=player, box=box, wager=wager, amount=amount):
                spot = (player, box, wager)
                assert not self.endings.get(spot), f"chips were added to {spot}, which has ended"
                self.pay(player, -amount)
                self.felt[spot] = self.felt.get(spot, 0) + amount
                self.staked[spot] = self.staked.get(spot, 0) + amount
            case Withdrawn(player=player, box=box, wager=wager, amount=amount):
                spot = (player, box, wager)
                assert self.felt.pop(spot) == amount
                del self.staked[spot]
                self.pay(player, amount)
            case Returned(player=player, box=box, wager=wager, amount=amount):
                spot = (player, box, wager)
                assert 0 < amount <= self.felt[spot]
                self.pay(player, amount)
                self.felt[spot] -= amount
                if not self.felt[spot]:
                    self.end(spot)
            case Settled(player=player, box=box, wager=wager, returned=returned):
                spot = (player, box, wager)
                stake = self.end(spot)
                self.banker += stake - returned
                self.wins[spot] = max(0, returned - stake)
                self.losses[spot] = max(0, stake - returned)
                self.pay(player, returned)
            case EnvyPaid(player=player, amount=amount):
                self.envy += amount
                self.banker -= amount
                self.pay(player, amount)
            case BoxVoided(box=box):
                for each in [spot for spot in self.felt if spot[1] == box]:
                    self.pay(each[0], self.end(each))
            case RoundVoided():
                self.clear()


def account(events: Iterable[GameEvent]) -> Account:
    """The money of a round from its events."""
    result = Account()
    for event in events:
        result.add(event)
    return result


def dealt_boxes(events: Iterable[GameEvent], deal: str) -> Iterator[int]:
    """The boxes in the order in which a deal gave them cards."""
    return (event.box for event in events if isinstance(event, Dealt) and event.deal == deal)


class Leaf(NamedTuple):
    """One end of the tree of a box by ranks: how many ordered draws lead there, and the nets."""

    branch: str
    weight: int
    nets: dict[str, int]


def leaves(
    rules: RuleBook,
    decks: int,
    wagers: Mapping[str, int],
    choices: Mapping[str, tuple[Choice, int]],
) -> Iterator[Leaf]:
    """Every end of one box's round, the engine asked at each card; choices are named branches."""
    game = Game(rules).bet("Ann", 1, **wagers).close()
    yield from _walk(rules, game.state, dict.fromkeys(RANKS, 4 * decks), "", 1, choices)


def _walk(
    rules: RuleBook,
    state: Round,
    counts: dict[str, int],
    branch: str,
    weight: int,
    choices: Mapping[str, tuple[Choice, int]],
) -> Iterator[Leaf]:
    if state.closed:
        nets: dict[str, int] = {wager.kind: wager.net for wager in state.hands[0].wagers}
        yield Leaf(branch or "decided", weight, nets)
        return
    due = awaits(rules, state)[0]
    if isinstance(due, DueBurn):
        after, _ = step(rules, state, Burn())
        yield from _walk(rules, after, counts, branch, weight, choices)
    elif isinstance(due, DueCard):
        for rank, count in counts.items():
            after, _ = step(rules, state, Deal(rank + ("d" if due.box == 0 else "s")))
            left = {**counts, rank: count - 1}
            yield from _walk(rules, after, left, branch, weight * count, choices)
    elif isinstance(due, DueChoice):
        for name, (choice, war_tie) in choices.items():
            after, _ = step(rules, state, Choose(due.player, due.box, choice, war_tie))
            yield from _walk(rules, after, counts, name, weight, choices)
    else:
        raise AssertionError(f"a box without side bets awaits {due}")
