"""What an environment plays: a book's seat, its actions, and what the engine pays for each."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from wartable.game import (
    Bet,
    Choose,
    CloseBets,
    Deal,
    DueCard,
    GameCommand,
    Open,
    Round,
    awaits,
    step,
)
from wartable.odds import Odds, Plan
from wartable.odds.expectation import ending
from wartable.odds.walk import BANKER, BOX, PLAYER
from wartable.rules import Book, RuleBook, load_any, with_options
from wartable.rules.model import Shuffle
from wartable.sim.policy import policy_of
from wartable.sim.setup import BURN_MODES, SetupError, set_up

UNIT = 1000
"""The default primary wager in cents, where the book has no higher minimum."""
UNITS_OF_BANKROLL = 100
ROUNDS = 200
AMOUNT_MAX = 2**31 - 1
"""The largest amount in cents that an observation can hold."""
ACTIONS_MAX = 1000


class SeatBet(NamedTuple):
    """The wagers of a bet, in cents; `war_tie` is made if its action is chosen at a tie."""

    primary: int
    tie: int
    war_tie: int


class Ends(NamedTuple):
    """The columns of the payments: the whole round's net in cents at each of its ends."""

    higher: int
    lower: int
    tied: int
    """What the tie alone has settled before the choice: the tie wager."""
    surrendered: int
    war_higher: int
    war_tied: int
    war_lower: int
    wagered_higher: int
    """The war with a tie wager on it, won."""
    wagered_tied: int
    wagered_lower: int


class SeatSetup(msgspec.Struct, frozen=True):
    """One seat at a table, checked: its cards, bets, money and length of an episode."""

    book: Book
    decks: int
    fresh: bool
    cover: int
    burn_first: int
    burns: tuple[int, int]
    """The cards burned before the box's war card and before the dealer's."""
    bets: tuple[SeatBet, ...]
    bankroll: int
    rounds: int
    counts_seen: bool
    may_leave: bool
    payments: tuple[Ends, ...]

    @property
    def rules(self) -> RuleBook:
        """The rule book's value."""
        return self.book.rules

    @property
    def offers_war_tie(self) -> bool:
        """Whether the book takes a tie wager on the war deal."""
        return self.rules.options.war_tie_wager != "none"

    @property
    def actions(self) -> tuple[str, ...]:
        """The name of each action, in the order of the action space."""
        bets = [
            f"bet {each.primary}" + (f", tie {each.tie}" if each.tie else "") for each in self.bets
        ]
        choices = ["surrender", "war", *(["war with tie wager"] if self.offers_war_tie else [])]
        return ("leave", *bets, *choices)

    @property
    def unit(self) -> int:
        """The cents of a reward of 1: the first bet's primary wager."""
        return self.bets[0].primary


def set_up_seat(
    rules: str | Book = "online",
    *,
    options: Mapping[str, str] | None = None,
    decks: int | None = None,
    shuffle: Shuffle | None = None,
    penetration: Fraction | float | None = None,
    stakes: Sequence[int] | None = None,
    ties: Sequence[int] | None = None,
    war_tie: int | None = None,
    bankroll: int | None = None,
    rounds: int = ROUNDS,
    sees: str = "left",
    may_leave: bool = True,
) -> SeatSetup:
    """The checked seat, with the book's own values as defaults; raises `SetupError`."""
    book = with_options(rules if isinstance(rules, Book) else load_any(rules), dict(options or {}))
    if sees not in ("left", "seen"):
        raise SetupError(f"sees must be 'left' or 'seen', not {sees!r}.")
    unit = max(book.rules.limits.primary.min, UNIT)
    stakes = (unit,) if stakes is None else tuple(stakes)
    ties = (0, unit) if ties is None else tuple(ties)
    bets = tuple(
        SeatBet(stake, tie, _war_tie(book.rules, stake, war_tie))
        for stake in stakes
        for tie in ties
    )
    if not 1 <= len(bets) <= ACTIONS_MAX:
        raise SetupError(
            f"There may be 1 to {ACTIONS_MAX} bets, stakes times ties, not {len(bets)}."
        )
    share = None if penetration is None else Fraction(penetration)
    shoe = set_up(
        book, policy_of("war"), decks=decks, shuffle=shuffle, penetration=share, bet=stakes[0],
        wagers=("primary",),
    )  # fmt: skip  # one call
    money = UNITS_OF_BANKROLL * max(stakes) if bankroll is None else bankroll
    setup = SeatSetup(
        book=book,
        decks=shoe.decks,
        fresh=shoe.fresh,
        cover=shoe.cover or 0,
        burn_first=0 if shoe.fresh else book.rules.shoe.burn_first,
        burns=_burns(book.rules),
        bets=bets,
        bankroll=money,
        rounds=rounds,
        counts_seen=sees == "seen",
        may_leave=may_leave,
        payments=tuple(_payments(Odds(book), bet) for bet in bets),
    )
    _check(setup)
    return setup


def _war_tie(rules: RuleBook, primary: int, asked: int | None) -> int:
    """The tie wager on a war after this primary wager; 0 if the book takes none."""
    if rules.options.war_tie_wager == "none":
        if asked:
            raise SetupError(f"{rules.name} offers no tie wager on the war deal; leave it out.")
        return 0
    return primary if asked is None else asked


def _burns(rules: RuleBook) -> tuple[int, int]:
    number, mode = rules.deal.war_burn, BURN_MODES[rules.options.war_burn]
    return number, number if mode else 0


def _check(setup: SeatSetup) -> None:
    """Refuse what the engine refuses, and amounts that an observation cannot hold."""
    if type(setup.rounds) is not int or setup.rounds < 2:
        raise SetupError(f"An episode needs at least 2 rounds, not {setup.rounds!r}.")
    best = max(max(ends) for ends in setup.payments)
    if setup.bankroll + setup.rounds * best > AMOUNT_MAX:
        raise SetupError(
            f"The bankroll could pass {AMOUNT_MAX} cents in {setup.rounds} rounds; use smaller"
            " wagers, a smaller bankroll or fewer rounds."
        )
    least = min(each.primary + each.tie for each in setup.bets)
    if setup.bankroll < least:
        raise SetupError(f"The bankroll of {setup.bankroll} cents does not cover a bet of {least}.")


def _payments(odds: Odds, bet: SeatBet) -> Ends:
    """The net of a whole round of this bet at each end, asked of the engine."""
    plan = Plan(primary=bet.primary, tie=bet.tie)
    wagered = plan._replace(war_tie=bet.war_tie)
    gave_up = plan._replace(choice="surrender")
    tied = sum(wager.net for wager in tied_round(odds.rules, bet).hands[0].wagers)
    return Ends(
        higher=ending(odds, plan, "higher").net,
        lower=ending(odds, plan, "lower").net,
        tied=tied,
        surrendered=ending(odds, gave_up, "tie", "lower").net,
        war_higher=ending(odds, plan, "tie", "higher").net,
        war_tied=ending(odds, plan, "tie", "tie").net,
        war_lower=ending(odds, plan, "tie", "lower").net,
        wagered_higher=ending(odds, wagered, "tie", "higher").net,
        wagered_tied=ending(odds, wagered, "tie", "tie").net,
        wagered_lower=ending(odds, wagered, "tie", "lower").net,
    )


def bet_commands(rules: RuleBook, bet: SeatBet) -> list[GameCommand]:
    """The commands of a round of one box up to the deal."""
    opening = Open(banker=BANKER) if rules.banker == "player" else Open()
    wagers: list[GameCommand] = [opening, Bet(PLAYER, BOX, "primary", bet.primary)]
    if bet.tie:
        wagers.append(Bet(PLAYER, BOX, "tie", bet.tie))
    return [*wagers, CloseBets()]


def tied_round(rules: RuleBook, bet: SeatBet) -> Round:
    """The round of this bet at a tie, before the choice."""
    state = Round()
    for command in bet_commands(rules, bet):
        state, _ = step(rules, state, command)
    while isinstance(awaits(rules, state)[0], DueCard):
        state, _ = step(rules, state, Deal("9c"))
    step(rules, state, Choose(PLAYER, BOX, "war", bet.war_tie))  # refused now if it ever is
    return state


def seat_table(setup: SeatSetup) -> NDArray[np.int64]:
    """The setup as whole numbers for `stepping`: its settings, then a row for each bet."""
    least = min(each.primary + each.tie for each in setup.bets)
    settings = (
        52 * setup.decks, setup.cover, setup.burn_first, *setup.burns, setup.bankroll, setup.rounds,
        setup.fresh, setup.counts_seen, setup.may_leave, setup.offers_war_tie, least, 0,
    )  # fmt: skip  # one list
    bets = [[*bet, *ends] for bet, ends in zip(setup.bets, setup.payments, strict=True)]
    return np.array([settings, *bets], np.int64)
