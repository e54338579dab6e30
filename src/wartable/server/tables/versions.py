"""The versions of a table: each row with the table's state after it."""

from typing import Any

import msgspec

from wartable import table
from wartable.croupier import Timing, ends_ms
from wartable.game import Illegal
from wartable.server.records import decisions
from wartable.server.records.journal import START, Chain, Head
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import JournalCommand, at_table
from wartable.server.records.results import results_of, wagered
from wartable.server.records.rows import Entry, Row
from wartable.server.tables.exposure import changed, exposes
from wartable.table import Due, Setup, Table
from wartable.table.commands import ChangeDealer, Command
from wartable.table.events import Event


class TableVersion(msgspec.Struct, frozen=True, gc=False):
    """A table after a row: its state, what it awaits and since when, and the round's start."""

    head: Head
    state: Table
    due: tuple[Due, ...]
    since_ms: int
    began_ms: int


class PendingRow(msgspec.Struct, frozen=True, gc=False):
    """A row to be written, its events, and the table after it."""

    entry: Entry
    events: tuple[Event, ...]
    after: TableVersion


class TableChain(Chain):
    """The rows of a table, each decided from the version before it."""

    def __init__(self, setup: Setup, timing: Timing, key: HouseKey, fence: int) -> None:
        super().__init__(setup.name, key, fence)
        self.setup, self.timing = setup, timing
        self._exposes = exposes(setup.rules)

    def start(self, now_ms: int) -> TableVersion:
        """The table before its first row."""
        state = table.start(self.setup)
        return TableVersion(START, state, table.awaits(self.setup, state), now_ms, 0)

    def rows(
        self, at: TableVersion, now_ms: int, actor: str, id_: str, command: Command, deals: bool
    ) -> list[PendingRow]:
        """The command's row, after one that makes a dealer who gives it the dealer of record.

        During a round only a floorperson puts another dealer in.
        """
        if not deals or actor == at.state.dealer:
            return [self.row(at, now_ms, actor, id_, command)]
        if at.state.in_round:
            dealing = at.state.dealer or "Another dealer"
            who = f"{dealing} deals this round; a floorperson can put another dealer in."
            raise Illegal("round_open", who)
        change = ChangeDealer(actor)
        first = self.row(at, now_ms, actor, f"dealer-{at.head[0] + 1}", change)
        return [first, self.row(first.after, now_ms, actor, id_, command)]

    def row(
        self, at: TableVersion, now_ms: int, actor: str, id_: str, command: JournalCommand
    ) -> PendingRow:
        """The row of a command at this version, decided, and applied once."""
        state, decision = decisions.of_table(self.setup, at.state, command)
        results = self._results(at, now_ms, state)
        exposed = changed(self.setup, at.state, state) if self._exposes else ()
        entry = self.entry(
            at.head,
            now_ms,
            actor,
            id_,
            decision,
            results=results,
            exposed=exposed,
            sets=None if state.sets == at.state.sets else state.sets,
        )
        return PendingRow(entry, at_table(decision.events), self.after(at, entry.row, state))

    def after(self, at: TableVersion, row: Row, state: Table) -> TableVersion:
        """The version after a row that leads to this state."""
        due = table.awaits(self.setup, state)
        first = wagered(state) and not wagered(at.state)
        # The time restarts at a late first wager, which would otherwise leave none for the others.
        # It does not restart at each number, which would keep the list open longer and longer.
        listing = due[0].what == at.due[0].what == "number"
        again = (due != at.due and not listing) or (first and self.until_ms(at, row.at_ms) is None)
        since_ms = row.at_ms if again else at.since_ms
        began_ms = row.at_ms if first else at.began_ms
        return TableVersion((row.number, row.hash), state, due, since_ms, began_ms)

    def until_ms(self, at: TableVersion, now_ms: int) -> int | None:
        """When the platform will act at this version; None if it will not."""
        return ends_ms(self.setup, at.state, at.due[0], self.timing, at.since_ms, now_ms)

    def _results(self, at: TableVersion, now_ms: int, state: Table) -> tuple[tuple[Any, ...], ...]:
        """The round's results for its players, if this row closes it."""
        if not at.state.in_round or state.in_round or state.round is None:
            return ()
        where = (self.setup.name, self.setup.rules.name, state.rounds)
        found = results_of(*where, at.began_ms, now_ms, state.round)
        return tuple(msgspec.structs.astuple(each) for each in found)
