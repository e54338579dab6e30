"""The table: what it awaits, what a command does, and what follows automatically."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from wartable import game
from wartable.game import Illegal
from wartable.game.moves import MayBet, MayChoose, Move
from wartable.game.prices import Price
from wartable.game.prices import price as round_price
from wartable.game.prices import prices as round_prices
from wartable.game.wellformed import check
from wartable.table import draws, irregularities, meters, people, procedure, rounds, sealed
from wartable.table.commands import Command, LoadShoe, ShuffleCards, StartRound
from wartable.table.course import TableCourse
from wartable.table.events import Event
from wartable.table.older import OlderCommand
from wartable.table.state import PLATFORM, Setup, Table

What = Literal[
    "device", "decks", "prepare", "shuffle", "cut", "load", "players", "bank", "taker",
    "start", "bets", "count", "number", "list", "cards", "proceed", "choice", "approval",
]  # fmt: skip  # a list of words


class Due(Struct, frozen=True, gc=False):
    """Something that the table awaits: from whom, and for which step, box or batch."""

    what: What
    player: str | None = None
    box: int | None = None
    step: str = ""
    batch: str = ""


def awaits(setup: Setup, state: Table) -> tuple[Due, ...]:
    """What the table awaits, and from whom; it always awaits something."""
    round_ = state.round
    if round_ is not None and not round_.closed:
        return _round_due(setup, state, round_)
    if procedure.device_out(state):
        return (Due("device", step="mark" if state.device_mark is None else "method"),)
    if procedure.needs_decks(setup) and state.decks is None:
        return (Due("decks"),)
    shoe = state.shoe
    if shoe is None:
        return _cards_due(setup, state)
    if not shoe.cards:
        if draws.cut_due(setup, state):
            return (Due("cut", state.cut.offered),)
        if draws.order_due(setup, state):
            closed = state.numbers_closed or draws.present(state)
            return _decision_due(state) if closed else (Due("players"),)
        return (Due("load"),)
    return (_people_due(setup, state), *_device_due(setup, state))


def _people_due(setup: Setup, state: Table) -> Due:
    """What a table with a loaded shoe needs before the next round."""
    if people.bank_needed(setup, state):
        if state.bank.offered is not None:
            return Due("bank", state.bank.offered)
        again = state.bank.untaken and people.bankers(setup, state)
        return Due("taker" if again and not people.too_few(setup, state) else "players")
    return Due("players" if people.too_few(setup, state) else "start")


def _cards_due(setup: Setup, state: Table) -> tuple[Due, ...]:
    """What the cards need before the shuffle; if there are two batches, both are prepared first."""
    first = procedure.next_batch(setup, state)
    for batch in (first, *procedure.batches_in_use(setup, state)):
        if steps := procedure.next_steps(setup, state, batch):
            if "view" in steps and not state.guests:
                return (Due("players"),)
            return tuple(Due("prepare", step=step, batch=batch) for step in steps)
    return (Due("players" if procedure.awaits_player(setup, state) else "shuffle"),)


def _device_due(setup: Setup, state: Table) -> tuple[Due, ...]:
    """What is due for the batch that is shuffled and stored while the other is in play."""
    batch = procedure.unshuffled_batch(setup, state)
    if batch is None:
        return ()
    if state.decks is None and procedure.needs_decks(setup):
        return ()
    steps = procedure.next_steps(setup, state, batch)
    if steps and state.in_round:
        return ()
    prepared = tuple(Due("prepare", step=step, batch=batch) for step in steps)
    return prepared or (Due("shuffle", batch=batch),)


def _round_due(setup: Setup, state: Table, round_: game.Round) -> tuple[Due, ...]:
    due = game.awaits(setup.rules, round_)
    if type(due[0]) is game.DueBets:
        return (Due("bets"), *_device_due(setup, state))
    choices = [each for each in due if isinstance(each, game.DueChoice)]
    if choices:
        return tuple(Due("choice", each.player, each.box) for each in choices)
    if not state.counted:
        return (Due("count"),)
    if state.award is not None:
        return (Due("approval"),)
    if draws.chance_due(setup, state):
        return _decision_due(state)
    return (Due("proceed"),)


def _decision_due(state: Table) -> tuple[Due, ...]:
    """What must come before the cards are decided: numbers, the end of their list, the link."""
    if players := draws.numbers_due(state):
        return tuple(Due("number", player) for player in players)
    closed = state.numbers_closed or not draws.shared(state)
    return (Due("cards" if closed else "list"),)


def decide(setup: Setup, state: Table, command: Command | OlderCommand) -> tuple[Event, ...]:
    """The events that the command causes; `Illegal` changes nothing."""
    return step(setup, state, command)[1]


def step(
    setup: Setup, state: Table, command: Command | OlderCommand
) -> tuple[Table, tuple[Event, ...]]:
    """The table after the command, with its events."""
    taken = steps(setup, state, command)
    return taken[-1][1], tuple([event for event, _ in taken])


def steps(setup: Setup, state: Table, command: Command | OlderCommand) -> list[tuple[Event, Table]]:
    """Each event that the command causes, with the table after it."""
    kind = type(command)
    if type(setup) is not Setup:
        raise TypeError(
            f"A table has a Setup, such as new_setup(book.rules, 'A'), not {setup!r:.40}"
        )
    if kind not in _DECIDE and kind not in _PLAY:
        raise TypeError(f"A table takes a command, such as StartRound(0), not {command!r:.40}")
    check(command)
    course = TableCourse(state)
    if kind in _PLAY:
        _PLAY[kind](setup, course, command)
    else:
        course.add_all(_DECIDE[kind](setup, state, command))
    _follow(setup, course)
    if type(command) is ShuffleCards and command.play_on:
        _play_on(setup, course, command.at_ms)
    return course.steps


def _follow(setup: Setup, course: TableCourse) -> None:
    """Add everything that follows automatically."""
    while (event := _next(setup, course.state)) is not None:
        course.add(event)


def _play_on(setup: Setup, course: TableCourse, at_ms: int) -> None:
    """Load the stack and start the next round, as the platform would, until people must act."""
    if setup.staffed:
        sentence = "At a table with staff the dealer loads the shoe and starts the round."
        raise Illegal("staffed", sentence)
    if awaits(setup, course.state)[0].what == "load":
        procedure.load(setup, course, LoadShoe(PLATFORM))
        _follow(setup, course)
    fresh = not rounds.over_age(setup, course.state, at_ms)
    if fresh and awaits(setup, course.state)[0].what == "start":
        rounds.start_round(setup, course, StartRound(at_ms))
        _follow(setup, course)


def _next(setup: Setup, state: Table) -> Event | None:
    """The next event that follows automatically."""
    if state.in_round:
        return rounds.collection(setup, state) or people.departures(state)
    return (
        people.departures(state)
        or rounds.shoe_over(state)
        or procedure.offer_cut(setup, state)
        or people.offer_bank(setup, state)
    )


TableMove = Move | people.MayBank


def legal(setup: Setup, state: Table, player: str) -> tuple[TableMove, ...]:
    """What the player may do with the money on the table: in the round, or with the bank."""
    guest = state.guests.get(player)
    if guest is None:
        return ()
    if not state.in_round or state.round is None:
        offer = people.may_bank(state, player)
        return () if offer is None else (offer,)
    moves = game.legal(people.rules_for(setup, state, player), state.round, player)
    return tuple(_affordable(setup, state, guest.stack, moves))


def _affordable(setup: Setup, state: Table, stack: int, moves: tuple[Move, ...]) -> Iterator[Move]:
    for move in moves:
        if isinstance(move, MayBet):
            try:
                people.check_place(setup, state, move.player, move.box)
            except Illegal:
                continue
            amounts = move.amounts.up_to(stack)
            if amounts is not None:
                yield replace(move, amounts=amounts)
        elif isinstance(move, MayChoose) and move.choice == "war":
            assert state.round is not None
            hand = state.round.hand(move.player, move.box)
            primary = None if hand is None else hand.open("primary")
            left = stack - (0 if primary is None else primary.at_risk)
            if left >= 0:
                war_tie = None if move.war_tie is None else move.war_tie.up_to(left)
                yield replace(move, war_tie=war_tie)
        else:
            yield move


def prices(setup: Setup, state: Table, player: str) -> tuple[Price, ...]:
    """The price of each choice that the player has now, affordable or not."""
    if not state.in_round:
        return ()
    return round_prices(people.rules_for(setup, state, player), people.open_round(state), player)


def price(setup: Setup, state: Table, choose: game.Choose) -> Price:
    """The price of one choice: what it stakes and pays; `Illegal` if it is not allowed."""
    rules = people.rules_for(setup, state, choose.player)
    return round_price(rules, people.open_round(state), choose)


_DECIDE = (
    people.DECIDES
    | draws.DECIDES
    | procedure.DECIDES
    | meters.DECIDES
    | irregularities.DECIDES
    | sealed.DECIDES
)
"""The commands whose events follow from the table's state alone."""

_PLAY = procedure.PLAYS | rounds.PLAYS | irregularities.PLAYS
"""The commands whose events depend on one another: the load, and play in the round."""
