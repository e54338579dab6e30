"""Players without a person: policies (view -> command), and named bots with their own money."""

from collections.abc import Container
from itertools import count
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from wartable import game
from wartable import shoe as shoes
from wartable.cards import rank
from wartable.game.amounts import Amounts
from wartable.game.moves import MayBet, MayChoose
from wartable.game.wagers import SIDE_BETS
from wartable.rules import WagerKind
from wartable.table import Command, Due, Setup, Table, legal
from wartable.table import commands as c

CHIP = 100  # the smallest chip in use
UNIT = 500  # a policy's betting unit if the table has no minimum
RESERVE = 3  # a primary wager is at most 1/RESERVE of a stack, so that a war can be paid
BANK_UNITS_MIN = 10
BANK_UNITS = 60


class Policy(Struct, frozen=True):
    """A way to choose; a field `..._in` of n means once in n times, 0 means never."""

    name: str
    words: str
    units: tuple[int, ...] = (1,)
    tie_in: int = 0
    side_in: int = 0
    war_tie_in: int = 0
    surrender_below: int = 0
    cuts: bool = True


POLICIES = (
    Policy("steady", "bets the minimum and always goes to war"),
    Policy("careful", "bets little and surrenders low ties", (1, 1, 2), surrender_below=8),
    Policy("tie-hunter", "adds a tie wager in most rounds", (1, 2), tie_in=2, war_tie_in=2),
    Policy("bold", "bets high and never surrenders", (2, 4, 5, 10), tie_in=6, cuts=False),
    Policy("dreamer", "likes every side bet", (1, 2, 3), tie_in=4, side_in=2, war_tie_in=4),
    Policy("timid", "bets the minimum and always surrenders", surrender_below=15, cuts=False),
)


class Bot(Struct, frozen=True):
    """A named player without a person: a policy, and a purse that it brings in parts."""

    name: str
    policy: Policy
    purse: int
    buy_in: int


NAMES = (
    "Ada", "Bruno", "Chiyo", "Dmitri", "Esi", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kofi",
    "Lena",
)  # fmt: skip  # a list of names


def bot(number: int, unit: int = UNIT) -> Bot:
    """The bot of that number, counted from 0; name, policy and buy-in vary with it."""
    again, which = divmod(number, len(NAMES))
    name = NAMES[which] + (f" {again + 1}" if again else "")
    policy = POLICIES[number % len(POLICIES)]
    buy_in = unit * (40, 60, 80, 120, 100)[number % 5]
    return Bot(name, policy, 3 * buy_in, buy_in)


PREFIX = "bot-"
"""The prefix of bots' names at live tables; no person's name begins with it."""


def is_bot(name: str) -> bool:
    """Whether this is a bot's name at a live table."""
    return name.startswith(PREFIX)


def _live_name(bot: Bot) -> str:
    return PREFIX + bot.name.lower().replace(" ", "-")


def new_bot(taken: Container[str], unit: int = UNIT) -> Bot:
    """The first bot for a live table whose name is not taken."""
    found = (bot(number, unit) for number in count())
    return next(
        replace(each, name=name) for each in found if (name := _live_name(each)) not in taken
    )


def bot_named(name: str, unit: int = UNIT) -> Bot:
    """The bot of that name at a live table, always the same one."""
    first, _, again = name.removeprefix(PREFIX).partition("-")
    number = [each.lower() for each in NAMES].index(first)
    if again:
        number += (int(again) - 1) * len(NAMES)
    return replace(bot(number, unit), name=name)


def luck(seed: str, view: Table, player: str, what: str) -> Random:
    """The random numbers for a policy's choice, the same at the same moment of a table."""
    return Random(f"{seed}/{player}/{view.shoes}/{view.rounds}/{what}")


def answer(policy: Policy, setup: Setup, view: Table, due: Due, player: str, seed: str) -> Command:
    """The policy's command for what is due from the player; bets come from `next_bet`."""
    chance = luck(seed, view, player, f"{due.what}{due.box or ''}")
    if due.what == "choice" and due.box is not None:
        return choice(policy, setup, view, player, due.box, chance)
    if due.what == "cut":
        low, high = shoes.cut_limits(52 * setup.decks)
        return c.Cut(player, chance.randint(low, high)) if policy.cuts else c.RefuseCut(player)
    if due.what == "bank":
        return bank(setup, view, player)
    raise ValueError(f"no policy answers {due.what}")


def unit(setup: Setup) -> int:
    """The policies' betting unit at this table: its least primary wager in whole chips."""
    least = setup.rules.limits.primary.min
    return -(-least // CHIP) * CHIP if least > 1 else UNIT


def next_bet(policy: Policy, setup: Setup, view: Table, player: str, seed: str) -> game.Bet | None:
    """The policy's next wager in this round; None once it has made them all."""
    chance = luck(seed, view, player, "bets")
    moves = [move for move in legal(setup, view, player) if isinstance(move, MayBet)]
    box = _box(setup, view, player, chance)
    amounts = {move.wager: move.amounts for move in moves if move.box == box}
    hand = None if view.round is None else view.round.hand(player, box)
    # Draw every number on every call, so that the plan is the same from bet to bet.
    wanted: list[tuple[WagerKind, int]] = [
        ("primary", unit(setup) * chance.choice(policy.units)),
        ("tie", unit(setup) if _once_in(policy.tie_in, chance) else 0),
        *((each.kind, CHIP if _once_in(policy.side_in, chance) else 0) for each in SIDE_BETS),
    ]
    for kind, amount in wanted:
        if not amount or kind not in amounts or (hand is not None and hand.wager(kind)):
            continue
        most = view.guests[player].stack
        fitting = fit(amounts[kind], amount, most // RESERVE if kind == "primary" else most)
        if fitting is not None:
            return game.Bet(player, box, kind, fitting)
    return None


def _box(setup: Setup, view: Table, player: str, chance: Random) -> int:
    """The box of the player's seat, or any box with community cards."""
    anywhere = chance.randint(1, setup.rules.community or 1)
    seat = view.guests[player].seat
    return anywhere if setup.rules.community or seat is None else seat


def _once_in(times: int, chance: Random) -> bool:
    return chance.randrange(times or 1) == 0 and times > 0


def fit(amounts: Amounts, wanted: int, most: int) -> int | None:
    """The largest permitted amount up to what is wanted, else the least; None if none fits."""
    possible = amounts.up_to(most)
    if possible is None:
        return None
    if possible.only:
        below = [value for value in possible.only if value <= wanted]
        return max(below, default=min(possible.only))
    amount = min(max(wanted, possible.min), possible.max)
    amount -= amount % possible.step
    return amount if possible.permits(amount) else None


def choice(
    policy: Policy, setup: Setup, view: Table, player: str, box: int, chance: Random
) -> game.Choose:
    """War or surrender for a tied hand; surrender if the stack cannot pay for war."""
    war = next(
        (
            move
            for move in legal(setup, view, player)
            if isinstance(move, MayChoose) and move.box == box and move.choice == "war"
        ),
        None,
    )
    assert view.round is not None
    if war is None or rank(view.round.cards[box]) < policy.surrender_below:
        return game.Choose(player, box, "surrender")
    war_tie = None
    if war.war_tie is not None and _once_in(policy.war_tie_in, chance):
        primary = view.round.hand(player, box)
        at_risk = 0 if primary is None else sum(w.at_risk for w in primary.wagers)
        war_tie = fit(war.war_tie, unit(setup), view.guests[player].stack - at_risk)
    return game.Choose(player, box, "war", war_tie or 0)


def bank(setup: Setup, view: Table, player: str) -> Command:
    """Take the bank with up to two thirds of the stack, which leaves a third for wars."""
    stack = view.guests[player].stack
    if stack < BANK_UNITS_MIN * unit(setup):
        return c.PassBank(player)
    posted = min(stack * 2 // 3, BANK_UNITS * unit(setup))
    return c.TakeBank(player, posted - posted % CHIP)
