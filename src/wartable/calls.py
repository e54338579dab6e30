"""One call for each question: `wartable.odds`, `settle`, `play`, `simulate` and `session`.

Amounts are in cents. Each answer prints itself, shows itself in a notebook, and has `to_json()`
and data frames. The simulator is imported only by the calls that need its extra.
"""

import importlib.util
import secrets
from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any, Literal

from wartable.answer import CallAnswer
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
    GameCommand,
    Open,
    ReadMeter,
    Round,
    awaits,
    step,
)
from wartable.game.wagers import WAGERS
from wartable.notation import Playthrough, Step, dump
from wartable.odds.report import Question, distributions, study
from wartable.odds.wagers import meters_of
from wartable.odds.walk import BANKER, BOX, PLAYER
from wartable.odds.wheel import wheel_stops
from wartable.picture import Picture, round_picture
from wartable.refusal import Unusable
from wartable.rules import Book, load_any, with_options
from wartable.rules.model import Shuffle, WagerKind
from wartable.settle import Settlement
from wartable.settle import settle as settled
from wartable.worked import read_round

__all__ = [
    "CallError",
    "RoundAnswer",
    "SessionAnswer",
    "SettlementAnswer",
    "odds",
    "play",
    "session",
    "settle",
    "simulate",
]

SEED_BITS = 32

Rules = str | Book
"""A book: its name, `name@digest`, the path of a file, or the value itself."""
NamedOptions = Mapping[str, str]


class CallError(Unusable):
    """A call that cannot be answered, as a sentence that says what would be accepted."""

    kind = "call"


def odds(
    rules: Rules,
    *,
    options: NamedOptions | None = None,
    decks: int | None = None,
    seen: str | Sequence[Card] = (),
    meter: int | None = None,
    stake: int | None = None,
    boxes: int | None = None,
    bank: int | None = None,
    wagers: Sequence[str] = (),
    bets: Mapping[str, int] | None = None,
    strategy: str = "war",
) -> CallAnswer:
    """The exact odds of a book's wagers, as `wartable odds` computes them.

    With `bets`, also the odds of a seat with these wagers in cents and this choice at a tie.
    """
    book = _book(rules, options)
    cards = tuple(seen.replace(",", " ").split()) if isinstance(seen, str) else tuple(seen)
    asked = (decks, cards, meter, stake, boxes, bank, tuple(wagers), bets or {}, strategy)
    document = study(book, Question(*asked))
    found = list(distributions(document["wagers"]))
    figures = ("edge", "return", "hit_frequency", "element_of_risk")
    main = {
        "wager": [name for name, _ in found],
        "expectation": [each["ev"]["exact"] for _, each in found],
        **{figure: [each[figure]["value"] for _, each in found] for figure in figures},
        "sd": [each["sd"] for _, each in found],
    }
    nets = [
        (name, net, chance["exact"], chance["value"])
        for name, each in found
        for net, chance in each["pmf"].items()
    ]
    columns = ("wager", "net", "exact", "probability")
    net_results = {name: [row[at] for row in nets] for at, name in enumerate(columns)}
    title = f"{book.rules.title}, {document['decks']} decks: exact odds per unit of the wager"
    return CallAnswer(title, document, {"wagers": main, "net results": net_results})


class SettlementAnswer(CallAnswer):
    """A worked round as the engine settles it."""

    def __init__(self, settlement: Settlement) -> None:
        self.settlement = settlement
        document = settlement.as_json()
        hands = document["hands"]
        names = list(dict.fromkeys(name for hand in hands for name in hand))
        table = {name: [hand.get(name) for hand in hands] for name in names}
        super().__init__(f"{settlement.worked.rules}: settled", document, {"hands": table})

    @property
    def picture(self) -> Picture:
        """The round's last state, to be drawn."""
        return round_picture(self.settlement.book, self.settlement.state)

    def _repr_html_(self) -> str:
        return self.picture.svg() + super()._repr_html_()


def settle(worked: Mapping[str, Any]) -> SettlementAnswer:
    """What a worked round should have paid; docs/settle.md describes the format."""
    return SettlementAnswer(settled(read_round(dict(worked))))


class RoundAnswer(CallAnswer):
    """A round that was played: its state, its playthrough, and a picture of it."""

    def __init__(self, book: Book, playthrough: Playthrough, state: Round) -> None:
        self.book, self.playthrough, self.state = book, playthrough, state
        hand = state.hands[0]
        wagers: dict[str, list[Any]] = {
            "wager": [each.kind for each in hand.wagers],
            "outcome": [each.outcome for each in hand.wagers],
            "staked": [each.staked for each in hand.wagers],
            "net": [each.net for each in hand.wagers],
        }
        cards = [dealt.get(box) for dealt in (state.cards, state.war_cards) for box in (1, 0)]
        document = {
            "rules": book.rules.name,
            "cards": [card for card in cards if card is not None],
            "wagers": {each.kind: each.net for each in hand.wagers},
            "net": hand.net,
        }
        super().__init__(f"{book.rules.title}: {hand.net:+,} cents", document, {"wagers": wagers})

    @property
    def net(self) -> int:
        """What the player won or lost, in cents."""
        return self.state.hands[0].net

    @property
    def text(self) -> str:
        """The round as a playthrough, for `wartable replay`."""
        return dump(self.playthrough)

    @property
    def picture(self) -> Picture:
        """The round's last state, to be drawn."""
        return round_picture(self.book, self.state)

    def __repr__(self) -> str:
        return self.picture.text().rstrip()

    def _repr_html_(self) -> str:
        return self.picture.svg()


def play(
    rules: Rules,
    wagers: Mapping[WagerKind, int],
    cards: str | Sequence[Card] | None = None,
    *,
    choice: Literal["war", "surrender"] = "war",
    war_tie: int = 0,
    options: NamedOptions | None = None,
    seed: int | None = None,
) -> RoundAnswer:
    """One round of one box, with these cards or with random ones from the seed.

    Cards are the box's, the dealer's, then those of the war. The seed decides where a wheel stops,
    and meters show their reset amounts.
    """
    book = _book(rules, options)
    random = Random(_seed(seed))
    given = cards.split() if isinstance(cards, str) else cards
    feed = iter(random.sample(DECK * book.rules.shoe.decks, 4) if given is None else given)
    dealt = _Dealt(book)
    dealt.take(Open(banker=BANKER) if book.rules.banker == "player" else Open())
    for kind, amount in wagers.items():
        dealt.take(Bet(PLAYER, BOX, kind, amount))
    dealt.take(CloseBets())
    while not dealt.state.closed:
        match awaits(book.rules, dealt.state)[0]:
            case DueCard() as due:
                dealt.take(Deal(next(feed, "") if due.box in (0, BOX) else HIDDEN))
            case DueBurn():
                dealt.take(Burn())
            case DueChoice():
                dealt.take(Choose(PLAYER, BOX, choice, war_tie if choice == "war" else 0))
            case DueMeter(meter=meter):
                dealt.take(ReadMeter(meter, dealt.meters[meter]))
            case _:
                stops = list(wheel_stops(book, 1))
                weights = [float(chance) for _, chance in stops]
                dealt.take(random.choices([stop for stop, _ in stops], weights)[0])
    told = Playthrough(_name(rules, book), dict(options or {}), tuple(dealt.steps))
    return RoundAnswer(book, told, dealt.state)


class _Dealt:
    """A round as it is played, with every step of it."""

    def __init__(self, book: Book) -> None:
        self.book, self.state = book, Round()
        self.steps: list[Step] = []
        self.meters = meters_of(book)

    def take(self, command: GameCommand) -> None:
        """Take a command; a missing card is refused with the number that a round needs."""
        if command == Deal(""):
            raise CallError("The cards ran out: a round has 2, and 4 if it goes to war.")
        self.state, events = step(self.book.rules, self.state, command)
        self.steps.append(Step(command, events))


def simulate(
    rules: Rules,
    rounds: int = 10**6,
    *,
    options: NamedOptions | None = None,
    policy: str = "war",
    boxes: int | None = None,
    decks: int | None = None,
    shuffle: Shuffle | None = None,
    penetration: Fraction | float | None = None,
    wagers: Sequence[str] = (),
    bet: int | None = None,
    stake: int | None = None,
    meter: int | None = None,
    bank: int | None = None,
    bank_stack: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> CallAnswer:
    """Simulated rounds beside the exact odds, as `wartable simulate` counts them."""
    _needs("sim", "numba")
    from wartable.sim.job import ROUNDS_MAX
    from wartable.sim.money import AskedPayments
    from wartable.sim.policy import policy_of
    from wartable.sim.report import report
    from wartable.sim.run import cores, run
    from wartable.sim.setup import job_of, set_up

    if type(rounds) is not int or not 1 <= rounds <= ROUNDS_MAX:
        raise CallError(
            f"The rounds must be a whole number from 1 to {ROUNDS_MAX}, not {rounds!r}."
        )
    setup = set_up(
        _book(rules, options),
        policy_of(policy),
        boxes=boxes,
        decks=decks,
        shuffle=shuffle,
        penetration=None if penetration is None else Fraction(penetration),
        wagers=tuple(wagers),
        bet=bet,
        side=stake,
        meter=meter,
        bank=bank,
        bank_stack=bank_stack,
    )
    job = job_of(setup, _seed(seed))
    counted = run(job, rounds, threads or cores())
    document = report(setup, job, AskedPayments(setup, job.ordered), counted).document
    found, classes = document["wagers"], document["classes"]
    figures = ("wagered", "returned", "edge", "stderr", "exact", "z")
    main = {
        "wager": list(found),
        **{figure: [each[figure] for each in found.values()] for figure in figures},
    }
    counts = {"class": list(classes), "rounds": list(classes.values())}
    title = f"{setup.rules.title}: {document['rounds']:,} rounds simulated, seed {document['seed']}"
    return CallAnswer(title, document, {"wagers": main, "classes": counts})


class SessionAnswer(CallAnswer):
    """Many sessions: their summary, the fan of their bankrolls, and the first paths."""

    def __init__(self, plan: Any, tables: Any, document: dict[str, Any]) -> None:
        self._plan, self._tables = plan, tables
        fan = {"round": document["fan"]["rounds"]}
        fan |= {f"{100 * float(q):g} %": line for q, line in document["fan"]["quantiles"].items()}
        ruin, final = document["ruin"], document["final"]
        main = {
            "figure": ["chance of ruin", "mean final bankroll", "ahead at the end"],
            "simulated": [ruin["simulated"], final["mean"], final["ahead"]],
            "exact": [ruin["exact"], final["exact"], None],
        }
        title = f"{plan.book.rules.title}: {document['paths']:,} sessions, seed {document['seed']}"
        super().__init__(title, document, {"figures": main, "fan": fan})

    def paths(self, count: int = 1000) -> Any:
        """The bankrolls of the first sessions as an array, a row for each, from the start on."""
        from wartable.sim.session import first_paths

        if not 1 <= count <= self._plan.paths:
            raise CallError(f"There are 1 to {self._plan.paths} paths to show, not {count}.")
        return first_paths(self._plan, self._tables, self.document["seed"], count)


def session(
    rules: Rules,
    *,
    options: NamedOptions | None = None,
    bankroll: int = 50_000,
    bet: int = 1000,
    rounds: int = 200,
    paths: int = 100_000,
    rounds_per_hour: int = 60,
    seed: int | None = None,
    threads: int | None = None,
    **settings: Any,
) -> SessionAnswer:
    """What sessions do to a bankroll; the other settings are those of `wartable session`."""
    _needs("sim", "numba")
    from wartable.sim.planning import plan_session
    from wartable.sim.run import cores
    from wartable.sim.session import tables_of, walk
    from wartable.sim.summary import summary

    known = {"system", "decks", "meter", "policy", "table_max", "target", "stop_win", "stop_loss"}
    if unknown := set(settings) - known - {each.kind for each in WAGERS}:
        raise CallError(f"A session has no setting {sorted(unknown)[0]!r}.")
    settings |= {"bankroll": bankroll, "bet": bet, "rounds": rounds, "paths": paths}
    plan = plan_session(_book(rules, options), **settings)
    tables, chosen = tables_of(plan), _seed(seed)
    walked = walk(plan, tables, chosen, threads or cores())
    return SessionAnswer(plan, tables, summary(plan, tables, walked, chosen, rounds_per_hour))


def _book(rules: Rules, options: NamedOptions | None) -> Book:
    return with_options(rules if isinstance(rules, Book) else load_any(rules), dict(options or {}))


def _name(rules: Rules, book: Book) -> str:
    """How a playthrough names the book."""
    return rules if isinstance(rules, str) else f"{book.rules.name}@{book.digest}"


def _seed(seed: int | None) -> int:
    return secrets.randbits(SEED_BITS) if seed is None else seed


def _needs(extra: str, module: str) -> None:
    if importlib.util.find_spec(module) is None:
        raise CallError(f"This needs the extra {extra!r}: pip install 'wartable[{extra}]'.")
