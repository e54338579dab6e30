"""What to simulate: a rule book with checked settings, and the job for the kernels."""

from collections.abc import Iterator
from fractions import Fraction

import msgspec

from wartable.cards import RANKS, SUITS, color
from wartable.game import Bet, Open, Round
from wartable.game.wagers import WAGER
from wartable.game.wagers.wheel import wheel_of
from wartable.odds.wagers import offered_wagers, side_bet_sizes, stake_problem
from wartable.odds.walk import BANKER, Plan, bet_on, unit
from wartable.refusal import Unusable
from wartable.rules import Book, RuleBook
from wartable.rules.model import Shuffle, WagerKind
from wartable.sim.job import Job, Kernel
from wartable.sim.policy import CountPolicy

BOXES_MAX = 9
DECKS_MAX = 1000
PAIR_DECKS_MAX = 17
"""With more decks, a 16-bit product no longer divides exactly, so the shoe kernel is used."""
FRESH: tuple[Shuffle, ...] = ("every_round", "continuous")
BURN_MODES = {"once": 0, "before_dealer": 1, "each_card": 2}


class SetupError(Unusable):
    """A simulation that cannot be run, as a sentence."""

    kind = "setup"


class SimulationSetup(msgspec.Struct, frozen=True):
    """A table to simulate: every box has the same wagers and the same policy."""

    book: Book
    policy: CountPolicy
    decks: int
    boxes: int
    shuffle: Shuffle
    wagers: tuple[WagerKind, ...]
    bet: int
    side: int
    meter: int | None = None
    cover: int | None = None
    bank: int | None = None
    bank_stack: int | None = None
    faced_up: Fraction = Fraction(0)
    level: int = 0
    """Which of the policy's stakes are bet."""

    @property
    def rules(self) -> RuleBook:
        """The rule book's value."""
        return self.book.rules

    @property
    def fresh(self) -> bool:
        """Whether every round is dealt from a full shoe."""
        return self.shuffle in FRESH

    @property
    def plan(self) -> Plan:
        """One box's wagers in cents."""
        stakes: dict[WagerKind, int] = {
            kind: (self.side if WAGER[kind].side_bet else self.bet) * self.multiple(kind)
            for kind in self.wagers
        }
        if self.needs_primary:
            stakes["primary"] = self.bet * self.multiple("primary")
        return Plan.of(stakes)

    def multiple(self, kind: WagerKind) -> int:
        """The multiple of a wager's usual stake that the policy bets."""
        stakes = self.policy.stakes[self.level]
        equal = self.rules.options.war_tie_wager == "equal_primary"
        if kind == "war_tie" and equal:
            return stakes.get("primary", 1)
        return stakes.get(kind, 1)

    @property
    def needs_primary(self) -> bool:
        """Whether a wager is made that needs a primary wager."""
        alone = not self.rules.wagers.tie.with_primary
        return any(kind not in (("tie",) if alone else ()) for kind in self.wagers)


def set_up(
    book: Book,
    policy: CountPolicy,
    *,
    decks: int | None = None,
    boxes: int | None = None,
    shuffle: Shuffle | None = None,
    wagers: tuple[str, ...] = (),
    bet: int | None = None,
    side: int | None = None,
    meter: int | None = None,
    penetration: Fraction | None = None,
    bank: int | None = None,
    bank_stack: int | None = None,
    faced_up: Fraction = Fraction(0),
) -> SimulationSetup:
    """The checked setup, with the book's own values as defaults; raises `SetupError`."""
    rules = book.rules
    decks = rules.shoe.decks if decks is None else decks
    if not 1 <= decks <= DECKS_MAX:
        raise SetupError(f"The number of decks may be 1 to {DECKS_MAX}, not {decks}.")
    if side is not None and (problem := stake_problem(rules, side)):
        raise SetupError(problem)
    if bet is not None and bet < 1:
        raise SetupError(f"The bet must be at least one cent, not {bet}.")
    method = rules.options.shuffle if shuffle is None else shuffle
    setup = SimulationSetup(
        book=book,
        policy=policy,
        decks=decks,
        boxes=_boxes(rules, boxes),
        shuffle=method,
        wagers=_wagers(book, wagers),
        bet=unit(rules, "primary") * 500 if bet is None else bet,
        side=max(side_bet_sizes(rules), default=0) if side is None else side,
        meter=meter,
        cover=None if method in FRESH else _cover(rules, decks, penetration),
        bank=bank,
        bank_stack=bank_stack,
        faced_up=faced_up,
    )
    _check_bank(setup)
    _check_bets(setup)
    if method in FRESH and (penetration is not None or faced_up):
        raise SetupError(f"Cards shuffled by the method {method} have no cover card and no shoe.")
    if not 0 <= faced_up <= Fraction(1, 10):
        raise SetupError("The chance of a face-up card may be 0 to 0.1.")
    _check_cards(setup)
    return setup


def _boxes(rules: RuleBook, boxes: int | None) -> int:
    """The number of boxes dealt; all of them with community cards."""
    if rules.community:
        if boxes not in (None, rules.community):
            raise SetupError(
                f"{rules.name} always has {rules.community} boxes of community cards, not {boxes}."
            )
        return rules.community
    count = 1 if boxes is None else boxes
    if not 1 <= count <= min(rules.table.boxes, BOXES_MAX):
        raise SetupError(f"{rules.name} has 1 to {rules.table.boxes} boxes, not {count}.")
    return count


def _wagers(book: Book, asked: tuple[str, ...]) -> tuple[WagerKind, ...]:
    """The wagers to simulate: the named ones, or all that the book offers."""
    offered = offered_wagers(book.rules)
    for name in asked:
        if name not in offered:
            raise SetupError(f"{book.rules.name} has no wager {name!r}; use {', '.join(offered)}.")
    return tuple(kind for kind in offered if not asked or kind in asked)


def _cover(rules: RuleBook, decks: int, penetration: Fraction | None) -> int:
    """The number of cards above the cover card."""
    least, own = rules.shoe.cover_from_bottom_min, rules.shoe.cover_from_bottom
    share = 1 - Fraction(own.over, own.under) if penetration is None else penetration
    most = 1 - Fraction(least.over, least.under)
    if not 0 < share <= most:
        raise SetupError(
            f"{rules.name} deals at most {float(most):.0%} of a shoe before the cover card,"
            f" not {float(share):.4g} of it."
        )
    return int(52 * decks * share)


def _check_bank(setup: SimulationSetup) -> None:
    if setup.bank is None and setup.bank_stack is None:
        return
    if setup.rules.banker != "player":
        raise SetupError(f"The house banks {setup.rules.name}; there is no bank to post.")
    if setup.policy.always is None:
        raise SetupError("A posted bank needs the policy war or surrender.")


def _check_bets(setup: SimulationSetup) -> None:
    """Refuse stakes by count where they make no sense, or that the book does not take."""
    named = {kind for stakes in setup.policy.stakes for kind in stakes}
    if not named:
        return
    if setup.bank is not None or setup.bank_stack is not None:
        raise SetupError("With a posted bank, stakes cannot depend on a count.")
    for kind in sorted(named):
        if kind not in setup.wagers:
            raise SetupError(f"The policy stakes {kind}, which is not simulated; leave it out.")
        if WAGER[kind].by_wheel or not WAGER[kind].before_deal:
            raise SetupError(f"Stakes on {kind} cannot depend on a count.")
    for level in range(len(setup.policy.stakes)):
        opened(msgspec.structs.replace(setup, level=level))


def _check_cards(setup: SimulationSetup) -> None:
    """Refuse a shoe that a round could empty."""
    needed = longest_round(setup)
    count = 52 * setup.decks
    if setup.fresh:
        if needed > count:
            raise SetupError(
                f"A round of {setup.boxes} boxes takes up to {needed} cards, but there are {count}."
            )
    elif (setup.cover or 0) + needed > count - 20 * bool(setup.faced_up):
        raise SetupError(
            f"A round of {setup.boxes} boxes takes up to {needed} cards, but {setup.decks} decks"
            f" leave {count - (setup.cover or 0)} behind the cover card; deal less of the shoe."
        )


def longest_round(setup: SimulationSetup) -> int:
    """The most cards that a round can use, burns included."""
    tied = min(setup.boxes, 4 * setup.decks - 1)
    times = {"once": 1, "before_dealer": 2, "each_card": tied + 1}[setup.rules.options.war_burn]
    return setup.boxes + 1 + tied + 1 + setup.rules.deal.war_burn * times


def notes(setup: SimulationSetup) -> Iterator[str]:
    """What the book would not allow at a table, and how batches are used."""
    rules = setup.rules
    if setup.decks not in rules.shoe.decks_allowed:
        allowed = ", ".join(map(str, rules.shoe.decks_allowed))
        yield f"For study only: {rules.name} allows {allowed} decks, not {setup.decks}."
    if setup.shuffle not in rules.shoe.methods:
        yield f"For study only: {rules.name} is not shuffled by {setup.shuffle}."
    if setup.shuffle == "batches":
        yield (f"Two batches of {setup.decks} decks, {2 * setup.decks} in all, take turns.")


def player_of(setup: SimulationSetup, box: int) -> str:
    """The box's own player, or the one player of a table with one seat."""
    return "player" if setup.rules.table.seats == 1 else f"player {box}"


def opened(setup: SimulationSetup) -> Round:
    """The round of all boxes with betting closed."""
    banked = setup.rules.banker == "player"
    first = Open(banker=BANKER, bank=setup.bank, bank_stack=setup.bank_stack) if banked else Open()
    bets = [
        Bet(player_of(setup, box), box, kind, stake)
        for box in range(1, setup.boxes + 1)
        for kind, stake in setup.plan.before_deal.items()
    ]
    return bet_on(setup.rules, first, bets)


def live_boxes(setup: SimulationSetup) -> int:
    """The number of boxes that get a card: those with a wager that the bank covers."""
    state = opened(setup)
    return len({hand.box for hand in state.hands if any(not w.outcome for w in hand.wagers)})


def job_of(setup: SimulationSetup, seed: int) -> Job:
    """The job that counts this setup's rounds."""
    rules = setup.rules
    ordered = setup.bank is not None or setup.bank_stack is not None
    boxes = live_boxes(setup) if ordered else setup.boxes
    if boxes == 0:
        raise SetupError("The bank covers no wager, so no round can be dealt; post more.")
    made = [WAGER[kind] for kind in setup.wagers]
    spin = wheel_of(rules) if any(each.by_wheel for each in made) else None
    suits = any(each.by_suits for each in made)
    war = setup.plan.primary > 0 and setup.policy.always == "war"
    # Nobody sees a burned card, so rounds from a fresh shoe need not draw it.
    burns = 0 if setup.fresh else rules.deal.war_burn
    start = 0 if setup.fresh else rules.shoe.burn_first
    cover = 0 if setup.cover is None else setup.cover
    reach = 2 * (boxes + 1) if setup.fresh else cover + longest_round(setup)
    kernel: Kernel = "shoes"
    by_count = setup.policy.always is None or len(setup.policy.levels) > 1
    if ordered or suits or spin is not None or by_count or setup.faced_up:
        kernel = "general"
    elif setup.fresh and boxes == 1 and setup.decks <= PAIR_DECKS_MAX:
        kernel = "pairs"
    trigger = spin.trigger if spin is not None else None
    chooses = setup.plan.primary > 0
    return Job(
        seed=seed,
        kernel=kernel,
        decks=setup.decks,
        boxes=boxes,
        length=52 * setup.decks if setup.faced_up else min(-(-reach // 4) * 4, 52 * setup.decks),
        start=start,
        cover=cover,
        burns=burns,
        burn_mode=0 if setup.fresh else BURN_MODES[rules.options.war_burn],
        war=war,
        suits=suits,
        ordered=ordered,
        tags=setup.policy.tags,
        count_least=setup.policy.least,
        policy=setup.policy.wars if chooses else (False,),
        trigger_rank=RANKS.index(trigger.rank) if trigger else -1,
        trigger_suits=sum(
            1 << place
            for place, suit in enumerate(SUITS)
            if trigger and color(f"2{suit}") == trigger.color
        ),
        hot_spots=tuple(spin.wheel.hot_spot.values()) if spin else (1,),
        community=tuple(spin.wheel.community.values()) if spin else (1,),
        faced_up=int(setup.faced_up * 2**32),
        bet_least=setup.policy.bet_least,
        levels=setup.policy.levels,
        per_deck=setup.policy.per_deck,
    )
