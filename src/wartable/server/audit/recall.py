"""Recall a round exactly from the rows: cards, wagers, choices, payments and balances."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import sqlalchemy as sa
from cryptography.exceptions import InvalidTag

from wartable import game, ledger, table
from wartable.game import Round
from wartable.game.wagers import WAGER
from wartable.inscription import decks_in_use, words
from wartable.money import Transfer
from wartable.refusal import Unusable
from wartable.rules import Book
from wartable.rules.differences import differs
from wartable.server.records import checkpoints, database, journal, keyed, messages, results
from wartable.server.records.checkpoints import Checkpoint
from wartable.server.records.decisions import folded
from wartable.server.records.journal import GENESIS, Broken
from wartable.server.records.keys import HouseKey
from wartable.server.records.rows import Row
from wartable.table import Setup, Table, view, view_event
from wartable.table import events as e

BONUS_EVENTS = 50
"""How many bonus events a testing laboratory requires."""


class NoRound(Unusable):
    """A table or round that is not in the journal; the sentence says which."""

    kind = "no_round"


class RecalledRow(msgspec.Struct, frozen=True):
    """One row of a table's journal with the table before and after it, and the money it moved."""

    row: Row
    command: messages.JournalCommand
    events: tuple[messages.JournalEvent, ...]
    before: Table
    after: Table
    moved: tuple[Transfer, ...]


class Stack(msgspec.Struct, frozen=True):
    """A player's money at the table before and after the round, and what they brought meanwhile."""

    player: str
    before: int
    brought: int
    after: int


class PaidWager(msgspec.Struct, frozen=True):
    """A wager's outcome, in the book's words and with the clauses behind it."""

    box: int
    player: str
    wager: str
    label: str
    staked: int
    returned: int
    net: int
    outcome: str
    words: str
    clauses: tuple[str, ...]


class Happening(msgspec.Struct, frozen=True):
    """One row of the round: the actor, the command, the events and the money it moved."""

    number: int
    at_ms: int
    actor: str
    events: tuple[messages.JournalEvent, ...]
    transfers: tuple[Transfer, ...]


class Recalled(msgspec.Struct, frozen=True):
    """A replay of one round of one table, with the edition of the document behind its book.

    `bank` is what the player/dealer posted, `banker_net` what the bank won or lost.
    """

    replay: bool
    table: str
    round: int
    book: str
    version: str
    edition: str
    title: str
    differs: str
    digest: str
    decks: int
    decks_in_use: str
    first_row: int
    last_row: int
    started_ms: int
    ended_ms: int | None
    void: str | None
    banker: str
    bank: int | None
    banker_net: int
    commitment: str
    cards: dict[int, tuple[str, ...]]
    burned: int
    choices: tuple[game.Chosen, ...]
    wagers: tuple[PaidWager, ...]
    stacks: tuple[Stack, ...]
    meters: dict[str, tuple[int, int]]
    house: int
    rows: tuple[Happening, ...]


def steps(
    source: database.Queryable, key: HouseKey, name: str, checkpoint: Checkpoint | None = None
) -> Iterator[RecalledRow]:
    """Every row of the table with the states around it; `Broken` if a row does not fold.

    With a checkpoint, only the rows after it.
    """
    try:
        setup = database.setup_of(source, name)
        state = table.start(setup)
    except (ValueError, KeyError, TypeError) as error:
        raise Broken(None, f"the setup of {name} cannot be read: {error}") from None
    after = (0, GENESIS)
    if checkpoint is not None:
        state, after = checkpoint.state, (checkpoint.number, checkpoint.hash)
    head = database.head_of(source, name)
    rows = keyed.coded(source, key, database.rows_of(source, name, after[0]))
    for row in journal.check_chain(rows, head, after):
        before = state
        try:
            command, events = journal.read_row(row, key)
            state, moved = folded(setup, before, events)
        except InvalidTag:
            raise Broken(row, "its seed does not open with this key") from None
        except (ValueError, AssertionError) as error:
            raise Broken(row, f"it cannot be folded: {error}") from None
        yield RecalledRow(row, command, events, before, state, tuple(moved))


class PlayedRound(msgspec.Struct, frozen=True):
    """The rows of one round, from its start to its close."""

    number: int
    steps: tuple[RecalledRow, ...]

    @property
    def closed(self) -> bool:
        """Whether the round is over."""
        return not self.steps[-1].after.in_round

    @property
    def state(self) -> Round:
        """The round in its last state."""
        found = self.steps[-1].after.round
        assert found is not None
        return found


def rounds(steps_: Iterable[RecalledRow]) -> Iterator[PlayedRound]:
    """The rounds of a table in order; the last may be unfinished."""
    number, kept = 0, list[RecalledRow]()
    for step in steps_:
        for event in step.events:
            if isinstance(event, e.RoundStarted):
                number, kept = event.number, []
        if number:
            kept.append(step)
            if not step.after.in_round:
                yield PlayedRound(number, tuple(kept))
                number = 0
    if number:
        yield PlayedRound(number, tuple(kept))


class Replay(msgspec.Struct, frozen=True):
    """A round to replay on the felt: the table before it, and the round's rows.

    `burned` has the burned cards, only for an auditor and once their shoe is finished.
    """

    replay: bool
    before: Table
    round: Recalled
    burned: tuple[str, ...]


def replay(engine: sa.Engine, key: HouseKey, name: str, number: int, audited: bool) -> Replay:
    """The public view of a round and the table before it; `NoRound` if it was never played."""
    played, book, setup = _find(engine, key, name, number)
    burned = played.state.burned if audited and played.closed else ()
    before = view(played.steps[0].before)
    return Replay(True, before, _recalled(played, book, setup), burned)


def recall(engine: sa.Engine, key: HouseKey, name: str, number: int) -> Recalled:
    """A round exactly as it was played; `NoRound` if it was never played."""
    return _recalled(*_find(engine, key, name, number))


def net(engine: sa.Engine, key: HouseKey, name: str, number: int, player: str) -> int | None:
    """What a closed round brought a player, by the house's own rows; None if they had no part."""
    try:
        played, _, _ = _find(engine, key, name, number)
    except NoRound:
        return None
    ended = results.results_of(name, "", number, 0, 0, played.state) if played.closed else ()
    return next((each.net for each in ended if each.player == player), None)


def _find(
    engine: sa.Engine, key: HouseKey, name: str, number: int
) -> tuple[PlayedRound, Book, Setup]:
    with database.snapshot(engine) as source:
        if not database.is_table(source, name):
            raise NoRound(f"There is no table {name!r}.")
        checkpoint = checkpoints.latest(source, key, name, number)
        last = 0 if checkpoint is None else checkpoint.state.rounds
        for played in rounds(steps(source, key, name, checkpoint)):
            if played.number == number:
                book, _ = database.opened_with(source, name)
                return played, book, database.setup_of(source, name)
            last = played.number
    existing = f"rounds 1 to {last}" if last else "no rounds"
    raise NoRound(f"The table {name!r} has no round {number}; it has {existing}.")


def _recalled(played: PlayedRound, book: Book, setup: Setup) -> Recalled:
    first, last, state = played.steps[0], played.steps[-1], played.state
    shoe = first.before.shoe or first.after.shoe
    moved = [each for step in played.steps for each in step.moved]
    choices = [
        event for step in played.steps for event in step.events if isinstance(event, game.Chosen)
    ]
    return Recalled(
        replay=True,
        table=setup.name,
        round=played.number,
        book=book.rules.name,
        version=book.rules.version,
        edition=book.rules.document.edition,
        title=book.rules.title,
        differs=differs(book.rules),
        digest=book.digest,
        decks=setup.decks,
        decks_in_use=decks_in_use(setup.decks, last.after.method),
        first_row=first.row.number,
        last_row=last.row.number,
        started_ms=first.row.at_ms,
        ended_ms=last.row.at_ms if played.closed else None,
        void=state.void,
        banker=state.banker or ledger.HOUSE,
        bank=state.bank,
        banker_net=state.banker_net,
        commitment="" if shoe is None else shoe.commitment,
        cards=_cards(state),
        burned=len(state.burned),
        choices=tuple(choices),
        wagers=tuple(paid(book, state)),
        stacks=tuple(_stacks(first.before, last.after, moved)),
        meters={
            name: (meter.shown, last.after.meters[name].shown)
            for name, meter in first.before.meters.items()
        },
        house=ledger.balances(moved)[ledger.HOUSE],
        rows=tuple(_happening(step) for step in played.steps),
    )


def _cards(state: Round) -> dict[int, tuple[str, ...]]:
    """Each box's cards of the original deal, then of the war deal; the dealer is box 0."""
    boxes = sorted({*state.cards, *state.war_cards})
    deals = (state.cards, state.war_cards)
    return {box: tuple(deal[box] for deal in deals if box in deal) for box in boxes}


def paid(book: Book, state: Round) -> Iterator[PaidWager]:
    """The outcome of every wager of a round, and of envy."""
    for hand in state.hands:
        for wager in hand.wagers:
            yield PaidWager(
                hand.box,
                hand.player,
                wager.kind,
                book.rules.label(wager.kind),
                wager.staked,
                wager.returned,
                wager.net,
                wager.outcome,
                words(book, wager.kind, wager.outcome) if wager.outcome else "open",
                book.clauses(wager.kind, wager.outcome),
            )
        if hand.envy:
            label, said = book.rules.label("envy"), words(book, "envy", "won")
            clauses = book.clauses("envy", "won")
            yield PaidWager(
                hand.box, hand.player, "envy", label, 0, hand.envy, hand.envy, "won", said, clauses
            )


def _stacks(before: Table, after: Table, moved: list[Transfer]) -> Iterator[Stack]:
    for player in dict.fromkeys([*before.guests, *after.guests]):
        wallet = ledger.wallet(player)
        brought = -ledger.balances(each for each in moved if wallet in (each.source, each.target))[
            wallet
        ]
        first, last = (
            state.guests[player].stack if player in state.guests else 0 for state in (before, after)
        )
        yield Stack(player, first, brought, last)


def _happening(step: RecalledRow) -> Happening:
    events = (view_event(event) if isinstance(event, e.Event) else event for event in step.events)
    return Happening(step.row.number, step.row.at_ms, step.row.actor, tuple(events), step.moved)


class Bonus(msgspec.Struct, frozen=True):
    """An event of a progressive or bonus wager, an envy payment or a meter."""

    at_ms: int
    table: str
    round: int
    row: int
    event: messages.JournalEvent


def bonus_events(engine: sa.Engine, key: HouseKey, last: int = BONUS_EVENTS) -> list[Bonus]:
    """The last bonus events of all tables, oldest first."""
    found: list[Bonus] = []
    with database.snapshot(engine) as source:
        for name in database.table_names(source):
            kept: deque[Bonus] = deque(maxlen=last)
            for step in steps(source, key, name):
                number = step.after.rounds
                for event in filter(_is_bonus, step.events):
                    kept.append(Bonus(step.row.at_ms, name, number, step.row.number, event))
            found += kept
    return sorted(found, key=lambda bonus: bonus.at_ms)[-last:]


def _is_bonus(event: Any) -> bool:
    """Whether the event is of a progressive, an envy or a spin; a lost side bet is not."""
    if isinstance(event, game.Settled):
        return WAGER[event.wager].side_bet and event.returned > 0
    return isinstance(
        event, game.EnvyPaid | game.Spun | game.MeterRead | e.MeterReset | e.AwardApproved
    )
