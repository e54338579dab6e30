"""R4: thousands of seeded runs of a live server with faults find nothing, and find planted bugs."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import pytest
import sqlalchemy as sa

from simulated_server import Disk, Memory, Violation, World
from wartable import table
from wartable.game import Illegal
from wartable.server.records import messages, schema, store
from wartable.server.records.answers import Accepted, Answer, RefusedCommand
from wartable.server.records.connections import WritingConnection
from wartable.server.records.journal import Broken
from wartable.server.records.store import CommitRefused, Waiting
from wartable.server.tables.listeners import Happened
from wartable.server.tables.live import LiveTable
from wartable.server.tables.meters import Meters
from wartable.server.tables.versions import PendingRow
from wartable.table import view_event
from wartable.table.commands import Command

pytestmark = pytest.mark.slow("plays hours of a simulated house")

SEEDS = 40
SEEDS_DEEP = 10_000
PARTS = 4
PLANTED_SEEDS_MAX = 60


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    """One database for all seeds."""
    with closing(Memory()) as made:
        yield made


@pytest.mark.parametrize("part", range(PARTS))
def test_R4_no_seed_finds_a_violation(memory: Memory, part: int, deep: bool) -> None:
    """What is told is written, nothing is done twice, money is conserved, restarts agree."""
    for seed in range(part, SEEDS_DEEP if deep else SEEDS, PARTS):
        try:
            World(seed, memory).run()
        except Exception as problem:
            pytest.fail(f"seed {seed}: {type(problem).__name__} {problem}")


def test_R4_a_seed_plays_the_same_again(memory: Memory) -> None:
    """What a seed has found can be looked at again: every row is the same, to the millisecond."""
    rows = schema.journal.c
    asked = (rows.table_name, rows.number, rows.at_ms, rows.command_id, rows.command, rows.events)
    query = sa.select(*asked).order_by(rows.table_name, rows.number)
    played = []
    for seed in (1, 4, 9, 1, 4, 9):
        World(seed, memory).run()
        with memory.engine.connect() as connection:
            played.append(connection.execute(query).all())
    assert played[:3] == played[3:]
    assert all(len(each) > 50 for each in played)


class TellsFirst(LiveTable):
    """Planted: tells before the commit."""

    async def _carry_out(
        self, actor: str, command_id: str, command: Command, deals: bool = False
    ) -> Answer:
        try:
            events = table.decide(self.setup, self.state, command)
        except Illegal as error:
            return RefusedCommand(command_id, error.code, error.sentence)
        shown = tuple(view_event(event) for event in events)
        told = Happened(self.setup.name, self.head[0] + 1, self._clock.now_ms(), shown)
        listeners, self.listeners = self.listeners, {}
        for listener in listeners:
            listener.tell(told)
        try:
            return await super()._carry_out(actor, command_id, command, deals)
        finally:
            self.listeners |= listeners


class ForgetsIds(LiveTable):
    """Planted: does not know which ids were carried out."""

    def _remember(self, answer: Answer, command: messages.JournalCommand) -> None:
        """Forget it."""


class FoldsFirst(LiveTable):
    """Planted: goes on from a row that is not written yet."""

    async def _carry_out(
        self, actor: str, command_id: str, command: Command, deals: bool = False
    ) -> Answer:
        now_ms = self._clock.now_ms()
        try:
            (step,) = self._chain.rows(self._now, now_ms, actor, command_id, command, deals)
        except Illegal as error:
            return RefusedCommand(command_id, error.code, error.sentence)
        happened = self._go_on(step.entry.row, step.after, step.events)
        try:
            await self._commit(step.entry)
        except CommitRefused as error:
            return RefusedCommand(command_id, error.code, error.sentence)
        for listener in self.listeners:
            listener.tell(happened)
        return Accepted(command_id, step.entry.row.number)


class SkipsARow(LiveTable):
    """Planted: who comes back misses one row."""

    def _missed(self, number: int) -> list[Happened] | None:
        rows = super()._missed(number)
        return rows[1:] if rows else rows


class StaleReading(LiveTable):
    """Planted: moves shared meters from what the table shows, not from what they are."""

    def _showing(self, meters: Meters) -> Iterator[PendingRow]:  # noqa: ARG002  # that is the bug
        yield from ()


class WithoutFence(Disk):
    """Planted: whatever fence is shown is the right one."""

    def fences(self, names: Sequence[str]) -> dict[str, int]:
        """What the process believes."""
        return {name: self.process.fences[name] for name in names}


def guesses(connection: WritingConnection, batch: Sequence[Waiting]) -> list[Waiting]:
    """Planted: takes a commit of unknown outcome for one that did not happen."""
    for each in batch:
        try:
            store.write_batch(connection, each.entry.together())
        except CommitRefused as problem:
            each.done(problem)
        except (store.Unsure, sqlite3.Error) as problem:
            each.done(CommitRefused("conflict", str(problem)))
        else:
            each.done(None)
    return []


@pytest.mark.parametrize(
    "planted",
    [
        pytest.param({"table_class": TellsFirst}, id="tell before commit"),
        pytest.param({"table_class": ForgetsIds}, id="no check of ids"),
        pytest.param({"table_class": FoldsFirst}, id="fold before commit"),
        pytest.param({"table_class": SkipsARow}, id="a row skipped"),
        pytest.param({"table_class": StaleReading}, id="a stale reading of meters"),
        pytest.param({"disk_class": WithoutFence}, id="no fence"),
        pytest.param({"attempt": guesses}, id="unknown outcome guessed"),
    ],
)
def test_R4_planted_bugs_are_found(memory: Memory, planted: dict[str, Any]) -> None:
    """Each bug shows within a few seeds."""
    for seed in range(PLANTED_SEEDS_MAX):
        try:
            World(seed, memory, **planted).run()
        except (Violation, Broken, store.Overtaken) as problem:
            print(f"found with seed {seed}: {problem}")
            return
    pytest.fail("not found")
