"""Turn the visitor's actions into commands, or refuse them with a sentence."""

from collections.abc import Iterator

from wartable import game
from wartable import shoe as shoes
from wartable.game.amounts import Amounts
from wartable.game.moves import MayBet, MayChoose
from wartable.game.prices import Price
from wartable.game.wagers import BEFORE_DEAL, WAGER
from wartable.rules import WagerKind
from wartable.table import Command, Due, legal, price, prices
from wartable.table import commands as c
from wartable.table.people import MayBank
from wartable.telling import money
from wartable.terminal.lines import (
    Action,
    BankLine,
    Buy,
    Clear,
    CutAt,
    DealNow,
    Double,
    Quit,
    Repeat,
    Stake,
    Surrender,
    Unclear,
    WarLine,
)
from wartable.terminal.sitting import Sitting

BUY_MAX = 10**12

WANTED = {
    "bets": "Betting is open: bet, repeat, clear, double, deal, or help.",
    "choice": "A tied hand must choose: war or surrender.",
    "cut": "The cut is yours: `cut N` or `cut no`.",
    "bank": "The bank is offered to you: `bank AMOUNT` or `bank no`.",
}
"""The possible answers to each question, for an action that does not fit."""

FITS: dict[type[Action], str] = {
    Stake: "bets",
    Clear: "bets",
    Repeat: "bets",
    Double: "bets",
    DealNow: "bets",
    WarLine: "choice",
    Surrender: "choice",
    CutAt: "cut",
    BankLine: "bank",
}


def commands(sitting: Sitting, due: Due, action: Action) -> tuple[Command, ...]:
    """The table's commands for the action, or `Unclear`."""
    wanted = FITS.get(type(action))
    if wanted is not None and wanted != due.what:
        raise Unclear(WANTED[due.what])
    you = sitting.visitor
    match action:
        case Stake():
            return (_stake(sitting, action),)
        case Clear():
            return tuple(_clear(sitting, action))
        case Repeat():
            return tuple(_repeat(sitting))
        case Double():
            return tuple(_double(sitting))
        case DealNow():
            return (_deal(sitting),)
        case WarLine():
            return (_war(sitting, due, action),)
        case Surrender():
            return (game.Choose(you, due.box or 0, "surrender", number=sitting.number()),)
        case CutAt():
            return (_cut(sitting, action),)
        case BankLine():
            return (_bank(sitting, action),)
        case Buy():
            if sitting.stack + action.amount > BUY_MAX:
                raise Unclear(f"A stack is at most {money(BUY_MAX)}.")
            return (c.BuyIn(you, action.amount),)
        case Quit():
            return tuple(_quit(sitting, due))
        case _:
            raise Unclear(WANTED[due.what])


def own_wagers(sitting: Sitting) -> dict[tuple[int, WagerKind], int]:
    """The visitor's wagers on the felt by box and kind."""
    round_ = sitting.state.round
    hands = () if round_ is None or round_.closed else round_.hands
    return {
        (hand.box, wager.kind): wager.staked
        for hand in hands
        if hand.player == sitting.visitor
        for wager in hand.wagers
    }


def may_bet(sitting: Sitting) -> dict[tuple[int, WagerKind], Amounts]:
    """What the visitor may add to each wager now."""
    return {
        (move.box, move.wager): move.amounts
        for move in legal(sitting.setup, sitting.state, sitting.visitor)
        if isinstance(move, MayBet)
    }


def spots(sitting: Sitting) -> list[tuple[int, WagerKind]]:
    """The spots that the visitor can choose: those of own boxes, then of boxes of others."""
    may = {*may_bet(sitting), *own_wagers(sitting)}
    own = sitting.header.boxes
    others = {box for box, _ in may if sitting.setup.rules.table.backline} - {*own}
    found = [
        (box, each.kind)
        for box in (*own, *sorted(others))
        for each in BEFORE_DEAL
        if (box, each.kind) in may
    ]
    return found or [(own[0] if own else 1, "primary")]


def default_box(sitting: Sitting) -> int:
    """The visitor's first box, or without a seat the first that they may bet on."""
    if sitting.header.boxes:
        return sitting.header.boxes[0]
    boxes = {box for box, _ in {*own_wagers(sitting), *may_bet(sitting)}}
    if not boxes:
        raise Unclear("There is no seat to bet behind in this round.")
    return min(boxes)


def behind(sitting: Sitting, box: int) -> str | None:
    """Who sits at a box that is not the visitor's own; None if nobody else does."""
    seated = sitting.state.seats.get(box)
    return None if seated == sitting.visitor else seated


def accepted(amounts: Amounts) -> str:
    """The amounts in words."""
    if amounts.only:
        return " or ".join(money(value) for value in amounts.only)
    step = ", an even number of cents" if amounts.step == 2 else ""
    return f"{money(amounts.min)} to {money(amounts.max)}{step}"


def _stake(sitting: Sitting, action: Stake) -> Command:
    box = default_box(sitting) if action.box is None else action.box
    if action.amount > sitting.stack:
        raise Unclear(f"You have {money(sitting.stack)} left; `buy AMOUNT` brings more.")
    amounts = may_bet(sitting).get((box, action.wager))
    if amounts is not None and not amounts.permits(action.amount):
        name = sitting.book.rules.label(action.wager)
        raise Unclear(f"The {name} on box {box} takes {accepted(amounts)} now.")
    return game.Bet(sitting.visitor, box, action.wager, action.amount)


def _clear(sitting: Sitting, action: Clear) -> Iterator[Command]:
    """Withdraw the wagers one by one; those that need a primary go with it."""
    chosen = [
        (box, kind)
        for box, kind in own_wagers(sitting)
        if action.box in (None, box) and action.wager in (None, kind)
    ]
    if not chosen:
        raise Unclear("You have nothing to take back there.")
    primaries = {box for box, kind in chosen if kind == "primary"}
    rules = sitting.setup.rules
    # From the outside in, so that boxes stay adjacent.
    for box, kind in sorted(chosen, reverse=True):
        if not (WAGER[kind].beside(rules) == "primary" and box in primaries):
            yield game.Withdraw(sitting.visitor, box, kind)


def _repeat(sitting: Sitting) -> Iterator[Command]:
    if not sitting.last_bets:
        raise Unclear("There is no round to repeat yet.")
    needed = sum(sitting.last_bets.values())
    if needed > sitting.stack + sum(own_wagers(sitting).values()):
        had, have = money(needed), money(sitting.stack)
        raise Unclear(f"The last wagers were {had} and you have {have}; `buy` brings more.")
    if own_wagers(sitting):
        yield from _clear(sitting, Clear())
    for (box, kind), amount in sitting.last_bets.items():
        yield game.Bet(sitting.visitor, box, kind, amount)


def _double(sitting: Sitting) -> Iterator[Command]:
    own = own_wagers(sitting)
    wagers = {key: value for key, value in own.items() if not WAGER[key[1]].side_bet}
    if not wagers:
        raise Unclear("There is nothing on the felt to double.")
    if sum(wagers.values()) > sitting.stack:
        raise Unclear(f"Doubling takes {money(sum(wagers.values()))}, more than you have.")
    may = may_bet(sitting)
    for (box, kind), amount in wagers.items():
        if (box, kind) not in may or not may[box, kind].permits(amount):
            name = sitting.book.rules.label(kind)
            raise Unclear(f"The {name} on box {box} cannot be doubled: it is at its limit.")
        yield game.Bet(sitting.visitor, box, kind, amount)


def _deal(sitting: Sitting) -> Command:
    round_ = sitting.state.round
    if round_ is None or not round_.hands:
        raise Unclear("Nobody has bet: a round needs a wager.")
    return game.CloseBets(sitting.number())


def war_move(sitting: Sitting, box: int | None) -> MayChoose | None:
    """The war that the visitor may choose on the box; None if they cannot pay for it."""
    moves = legal(sitting.setup, sitting.state, sitting.visitor)
    for move in moves:
        if isinstance(move, MayChoose) and move.choice == "war" and move.box == box:
            return move
    return None


def war_prices(sitting: Sitting, box: int | None) -> list[Price]:
    """The prices of a war alone, and with its one or its smallest tie wager."""
    setup, state, you = sitting.setup, sitting.state, sitting.visitor
    found = [p for p in prices(setup, state, you) if p.box == box and p.choice == "war"]
    move = war_move(sitting, box)
    if move is not None and move.war_tie is not None and not move.war_tie.only:
        least = game.Choose(you, move.box, "war", move.war_tie.min)
        found.append(price(setup, state, least))
    return found


def surrender_price(sitting: Sitting, box: int | None) -> Price:
    """The price of a surrender."""
    choose = game.Choose(sitting.visitor, box or 0, "surrender")
    return price(sitting.setup, sitting.state, choose)


def _war(sitting: Sitting, due: Due, action: WarLine) -> Command:
    move = war_move(sitting, due.box)
    if move is None:
        raise Unclear("You have too little for the war wager; `buy AMOUNT` or surrender.")
    if action.war_tie:
        if move.war_tie is None:
            raise Unclear("You cannot make a tie wager on the war deal; `war` takes no amount.")
        if not move.war_tie.permits(action.war_tie):
            name = sitting.book.rules.label("war_tie")
            raise Unclear(f"The {name} takes {accepted(move.war_tie)}.")
    number = sitting.number()
    return game.Choose(sitting.visitor, due.box or 0, "war", action.war_tie, number)


def _cut(sitting: Sitting, action: CutAt) -> Command:
    if action.position is None:
        return c.RefuseCut(sitting.visitor)
    low, high = shoes.cut_limits(52 * sitting.setup.decks)
    if not low <= action.position <= high:
        raise Unclear(f"The cut lifts {low} to {high} cards, not {action.position}.")
    return c.Cut(sitting.visitor, action.position)


def suggested_bank(sitting: Sitting) -> int:
    """The amount to post that leaves enough to match wars."""
    moves = legal(sitting.setup, sitting.state, sitting.visitor)
    return next((move.suggested for move in moves if isinstance(move, MayBank)), 0)


def _bank(sitting: Sitting, action: BankLine) -> Command:
    if action.amount is None:
        return c.PassBank(sitting.visitor)
    if action.amount > sitting.stack:
        raise Unclear(f"You can post up to {money(sitting.stack)}.")
    return c.TakeBank(sitting.visitor, action.amount)


def _quit(sitting: Sitting, due: Due) -> Iterator[Command]:
    if due.what == "choice":
        raise Unclear(
            "A tied hand must choose first: war or surrender. Ctrl-C keeps the table for later."
        )
    if own_wagers(sitting):
        yield from _clear(sitting, Clear())
    yield game.Leave(sitting.visitor)
