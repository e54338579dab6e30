"""What the engine pays: it plays a round of one box, and its answer is kept by class."""

from collections.abc import Iterator, Sequence
from math import lcm
from typing import Literal, NamedTuple

from wartable.cards import DECK, HIDDEN, Card
from wartable.game import (
    Bet,
    Burn,
    Choose,
    CloseBets,
    Command,
    Deal,
    Due,
    DueBurn,
    DueCard,
    DueChoice,
    DueMeter,
    DueWheel,
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
from wartable.game.wagers import BEFORE_DEAL, SIDE_BETS, WAGER
from wartable.odds.classes import Cards, Kind, example
from wartable.odds.composition import OddsError
from wartable.rules.model import RuleBook, WagerKind

PLAYER = "player"
BANKER = "banker"
BOX = 1

Choice = Literal["war", "surrender", "timeout", "leave"]
"""What a plan does at a tie; the book decides what a timeout or leaving means."""


class Plan(NamedTuple):
    """A seat's wagers in cents and what it does at a tie."""

    primary: int = 0
    tie: int = 0
    progressive: int = 0
    bonus_spin: int = 0
    war_tie: int = 0
    choice: Choice = "war"

    @property
    def before_deal(self) -> dict[WagerKind, int]:
        """The wagers made before the deal."""
        stakes = {each.kind: getattr(self, each.kind) for each in BEFORE_DEAL}
        return {kind: stake for kind, stake in stakes.items() if stake}


class Ended(NamedTuple):
    """How one wager ended: its outcome, its stake and its net, in cents."""

    outcome: str
    staked: int
    net: int


Answer = dict[WagerKind, Ended]
"""How every wager of a round ended."""


class MeterReadings(NamedTuple):
    """What the meters pay a winner, in cents."""

    progressive: int = 0
    primary: int = 0
    secondary: int = 0


class Engine:
    """A rule book's engine, asked once for each class of deal."""

    def __init__(self, rules: RuleBook) -> None:
        self.rules = rules
        self.trigger = rules.wagers.bonus_spin.trigger if rules.wagers.bonus_spin else None
        self._answers: dict[tuple[Plan, Kind, Spin | None, MeterReadings], Answer] = {}

    def ask(
        self, plan: Plan, kind: Kind, meters: MeterReadings, stop: Spin | None = None
    ) -> Answer:
        """How each wager of the plan ends in that class of deal."""
        key = (plan, kind, stop, meters)
        answer = self._answers.get(key)
        if answer is None:
            answer = self._example(plan, kind, meters, stop, DECK)
            if any(getattr(plan, each.kind) for each in SIDE_BETS):
                other = self._example(plan, kind, meters, stop, DECK[::-1])
                _check_alike(answer, other)
            self._answers[key] = answer
        return answer

    def _example(
        self,
        plan: Plan,
        kind: Kind,
        meters: MeterReadings,
        stop: Spin | None,
        deck: Sequence[Card],
    ) -> Answer:
        """How the wagers end with the class's first cards of this deck."""
        cards = example(kind, self.trigger, deck)
        return answer_of(play(self.rules, plan, cards, meters, stop))


def _check_alike(low: Answer, high: Answer) -> None:
    """Refuse a wager that low and high cards of one class end differently: it has no odds yet."""
    for kind, ended in low.items():
        if high[kind] != ended:
            raise OddsError(
                f"The odds of the {kind} wager are unknown: it depends on more than who has the"
                " higher card and the suits of a tie."
            )


def play(
    rules: RuleBook, plan: Plan, cards: Cards, meters: MeterReadings, stop: Spin | None = None
) -> Round:
    """The closed round of one box with these cards."""
    state = opened(rules, plan)
    feed = iter(cards)
    while not state.closed:
        due = awaits(rules, state)[0]
        state, _ = step(rules, state, _command(plan, due, feed, meters, stop))
    return state


def opened(rules: RuleBook, plan: Plan) -> Round:
    """The round after the plan's wagers, with betting closed."""
    commands: list[Command] = [Open(banker=BANKER) if rules.banker == "player" else Open()]
    commands += [Bet(PLAYER, BOX, kind, stake) for kind, stake in plan.before_deal.items()]
    commands.append(CloseBets())
    state = Round()
    try:
        for command in commands:
            state, _ = step(rules, state, command)
    except Illegal as refusal:
        raise OddsError(refusal.sentence) from None
    return state


def _command(
    plan: Plan, due: Due, cards: Iterator[str], meters: MeterReadings, stop: Spin | None
) -> Command:
    """The command that answers what the engine awaits."""
    match due:
        case DueCard(box=box):
            return Deal(next(cards) if box in (0, BOX) else HIDDEN)
        case DueBurn():
            return Burn()
        case DueMeter(meter=meter):
            return ReadMeter(meter, getattr(meters, meter))
        case DueWheel() if stop is not None:
            return stop
        case DueChoice():
            return _choice(plan)
    raise AssertionError(f"nothing answers {due}")


def _choice(plan: Plan) -> Command:
    if plan.choice == "timeout":
        return Timeout(PLAYER, BOX)
    if plan.choice == "leave":
        return Leave(PLAYER)
    war_tie = plan.war_tie if plan.choice == "war" else 0
    return Choose(PLAYER, BOX, plan.choice, war_tie)


def answer_of(state: Round) -> Answer:
    """How every wager of the one hand ended."""
    (hand,) = state.hands
    return {wager.kind: Ended(wager.outcome, wager.staked, wager.net) for wager in hand.wagers}


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
