"""What the engine pays: it plays a round of one box, and its answer is kept by class."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import lcm
from typing import Any, Literal, NamedTuple

import msgspec

from wartable.cards import DECK, HIDDEN, Card
from wartable.game import (
    Bet,
    Burn,
    Choose,
    CloseBets,
    Deal,
    DueBurn,
    DueCard,
    DueChoice,
    DueMeter,
    DueWheel,
    GameCommand,
    Illegal,
    Leave,
    Open,
    ReadMeter,
    Round,
    Spin,
    Timeout,
    awaits,
    step,
)
from wartable.game.messages import MeterName
from wartable.game.wagers import BEFORE_DEAL, WAGER
from wartable.game.wagers.wheel import wheel_of
from wartable.odds.classes import DealClass, FourCards, example
from wartable.odds.composition import OddsError
from wartable.rules.model import RuleBook, WagerKind

PLAYER = "player"
BANKER = "banker"
BOX = 1

TieChoice = Literal["war", "surrender", "timeout", "leave"]
"""What a plan does at a tie; the book decides what a timeout or leaving means."""


class Plan(NamedTuple):
    """A seat's wagers in cents and what it does at a tie."""

    primary: int = 0
    tie: int = 0
    war_tie: int = 0
    choice: TieChoice = "war"
    side_bets: tuple[tuple[WagerKind, int], ...] = ()

    @classmethod
    def of(cls, stakes: Mapping[WagerKind, int], choice: TieChoice = "war") -> "Plan":
        """The plan with these stakes, side bets or not."""
        side_bets = tuple((kind, stake) for kind, stake in stakes.items() if WAGER[kind].side_bet)
        others: dict[str, Any] = dict(stakes.items() - set(side_bets))
        return cls(**others, choice=choice, side_bets=side_bets)

    def stake(self, kind: WagerKind) -> int:
        """What is wagered on a spot."""
        if WAGER[kind].side_bet:
            return dict(self.side_bets).get(kind, 0)
        stake: int = getattr(self, kind)
        return stake

    @property
    def before_deal(self) -> dict[WagerKind, int]:
        """The wagers made before the deal."""
        stakes = {each.kind: self.stake(each.kind) for each in BEFORE_DEAL}
        return {kind: stake for kind, stake in stakes.items() if stake}


class WagerEnd(NamedTuple):
    """How one wager ended: its outcome, its stake and its net, in cents."""

    outcome: str
    staked: int
    net: int


Endings = dict[WagerKind, WagerEnd]
"""How every wager of a round ended."""


MeterReadings = dict[MeterName, int]
"""What the meters pay a winner, in cents."""

ENGINES_MAX = 64
"""How many books' answers are kept."""
ANSWERS_MAX = 10_000
"""How many answers of a book are kept."""

_ENGINES: dict[bytes, "Engine"] = {}


def engine_of(rules: RuleBook) -> "Engine":
    """The engine of these rules, with what it was asked before."""
    key = msgspec.msgpack.encode(rules, enc_hook=str)
    found = _ENGINES.get(key)
    if found is None:
        if len(_ENGINES) >= ENGINES_MAX:
            _ENGINES.clear()
        found = _ENGINES[key] = Engine(rules)
    return found


class Engine:
    """A rule book's engine, asked once for each class of deal."""

    def __init__(self, rules: RuleBook) -> None:
        self.rules = rules
        self.trigger = wheel.trigger if (wheel := wheel_of(rules)) else None
        self._answers: dict[tuple[Hashable, ...], Endings] = {}

    def ask(
        self, plan: Plan, kind: DealClass, meters: MeterReadings, stop: Spin | None = None
    ) -> Endings:
        """How each wager of the plan ends in that class of deal."""
        key = (plan, kind, stop, frozenset(meters.items()))
        answer = self._answers.get(key)
        if answer is None:
            answer = self._example(plan, kind, meters, stop, DECK)
            if plan.side_bets:
                other = self._example(plan, kind, meters, stop, DECK[::-1])
                _check_alike(answer, other)
            if len(self._answers) >= ANSWERS_MAX:
                self._answers.clear()
            self._answers[key] = answer
        return answer

    def _example(
        self,
        plan: Plan,
        kind: DealClass,
        meters: MeterReadings,
        stop: Spin | None,
        deck: Sequence[Card],
    ) -> Endings:
        """How the wagers end with the class's first cards of this deck."""
        cards = example(kind, self.trigger, deck)
        return answer_of(play(self.rules, plan, cards, meters, stop))


def _check_alike(low: Endings, high: Endings) -> None:
    """Refuse a wager that low and high cards of one class end differently: it has no odds yet."""
    for kind, ended in low.items():
        if high[kind] != ended:
            raise OddsError(
                f"The odds of the {kind} wager are unknown: it depends on more than who has the"
                " higher card and the suits of a tie."
            )


def play(
    rules: RuleBook, plan: Plan, cards: FourCards, meters: MeterReadings, stop: Spin | None = None
) -> Round:
    """The closed round of one box with these cards."""
    feed = iter(cards)
    return play_on(
        rules,
        opened(rules, plan),
        lambda due: next(feed) if due.box in (0, BOX) else HIDDEN,
        lambda _: _choice(plan),
        meters.__getitem__,
        stop,
    )


def play_on(
    rules: RuleBook,
    state: Round,
    card: Callable[[DueCard], Card],
    choose: Callable[[DueChoice], GameCommand],
    read: Callable[[MeterName], int],
    stop: Spin | None = None,
) -> Round:
    """The closed round, with everything supplied that the engine awaits."""
    while not state.closed:
        match awaits(rules, state)[0]:
            case DueCard() as due:
                command: GameCommand = Deal(card(due))
            case DueBurn():
                command = Burn()
            case DueMeter(meter=meter):
                command = ReadMeter(meter, read(meter))
            case DueWheel() if stop is not None:
                command = stop
            case DueChoice() as due:
                command = choose(due)
            case due:
                raise AssertionError(f"nothing answers {due}")
        state, _ = step(rules, state, command)
    return state


def opened(rules: RuleBook, plan: Plan) -> Round:
    """The round after the plan's wagers, with betting closed."""
    first = Open(banker=BANKER) if rules.banker == "player" else Open()
    bets = [Bet(PLAYER, BOX, kind, stake) for kind, stake in plan.before_deal.items()]
    return bet_on(rules, first, bets)


def bet_on(rules: RuleBook, first: Open, bets: Iterable[Bet]) -> Round:
    """A round with these wagers, with betting closed; raises `OddsError` if one is refused."""
    state = Round()
    commands: tuple[GameCommand, ...] = (first, *bets, CloseBets())
    try:
        for command in commands:
            state, _ = step(rules, state, command)
    except Illegal as refusal:
        raise OddsError(refusal.sentence) from None
    return state


def _choice(plan: Plan) -> GameCommand:
    if plan.choice == "timeout":
        return Timeout(PLAYER, BOX)
    if plan.choice == "leave":
        return Leave(PLAYER)
    war_tie = plan.war_tie if plan.choice == "war" else 0
    return Choose(PLAYER, BOX, plan.choice, war_tie)


def answer_of(state: Round) -> Endings:
    """How every wager of the one hand ended."""
    (hand,) = state.hands
    return {wager.kind: WagerEnd(wager.outcome, wager.staked, wager.net) for wager in hand.wagers}


def unit(rules: RuleBook, kind: WagerKind) -> int:
    """The least stake in cents within the book's limits that its odds divide evenly."""
    wagers, options = rules.wagers, rules.options
    if denominations := WAGER[kind].denominations(rules):
        return max(denominations)
    if kind == "war_tie" and options.war_tie_wager == "equal_primary":
        return unit(rules, "primary")
    limit = WAGER[kind].limit(rules)
    step = lcm(2, wagers.primary.pays.under, wagers.tie.pays.under, wagers.war_tie.pays.under)
    stake = -(-limit.min // step) * step
    return stake if limit.max is None or stake <= limit.max else limit.min
