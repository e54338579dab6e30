"""The chains that every server of a house writes to: the cashier's and the office's."""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from wartable.server.clock import Clock
from wartable.server.logs import log_row
from wartable.server.records.decisions import Decision
from wartable.server.records.journal import START, Chain, Head
from wartable.server.records.keys import HouseKey
from wartable.server.records.rows import Claim, Commit, Entry, Statement
from wartable.server.records.store import CommitRefused, Overtaken
from wartable.server.upkeep import apart

NOT_OURS = "The records were changed outside of the house, so it writes nothing more there."
TOGETHER_MAX = 32
"""How many rows of a chain commit together."""


class AskedRow(NamedTuple):
    """A row that somebody waits for, with what commits beside it."""

    actor: str
    id: str | None
    decision: Decision
    statements: tuple[Statement, ...]
    claim: Claim | None
    sets: tuple[str, ...] | None
    written: asyncio.Future[int]
    """The row's number, once it is durable."""


class HouseChain(Chain):
    """The rows of the cashier or the office, and their head.

    Rows that are asked for while another is being written commit together after it.
    """

    def __init__(
        self, name: str, commit: Commit, clock: Clock, key: HouseKey, head: Head | None
    ) -> None:
        super().__init__(name, key)
        self.head = head or START
        self._commit, self._clock = commit, clock
        self._least_ms = 0
        """The time of another server's last row, as that server's clock may be ahead of ours."""
        self._asked: list[AskedRow] = []
        self._writing: asyncio.Task[None] | None = None

    async def write(
        self,
        actor: str,
        id_: str | None,
        decision: Decision,
        *statements: Statement,
        claim: Claim | None = None,
        sets: tuple[str, ...] | None = None,
    ) -> int:
        """Write a row and the statements that commit with it; return the row's number."""
        written: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._asked.append(AskedRow(actor, id_, decision, statements, claim, sets, written))
        if self._writing is None or self._writing.done():
            # A caller may be cancelled in the middle of a commit that others wait for.
            self._writing = apart(self._write_asked(), f"{self.name} rows")
        number = await written
        log_row(self.name, number)
        return number

    async def _write_asked(self) -> None:
        """Write rows until no caller waits for one."""
        try:
            while self._asked:
                asked, self._asked = self._asked[:TOGETHER_MAX], self._asked[TOGETHER_MAX:]
                # Some callers have left meanwhile.
                await self._write_or_fail([each for each in asked if not each.written.done()])
        finally:
            for each in self._asked:  # if this task ended too early
                each.written.cancel()

    async def _write_or_fail(self, asked: Sequence[AskedRow]) -> None:
        """Write rows together; if one of them is refused, write each alone."""
        try:
            await self._write_all(asked)
        except CommitRefused as problem:
            if len(asked) == 1:
                _fail(asked, problem)
            else:
                for each in asked:
                    await self._write_or_fail([each])
        except BaseException as problem:
            _fail(asked, problem)
            if not isinstance(problem, Exception):
                raise

    async def _write_all(self, asked: Sequence[AskedRow]) -> None:
        """Write rows one after another in the chain, all of them or none."""
        while asked:
            first, *others = entries = self._entries(asked)
            try:
                await self._commit(replace(first, then=tuple(others)))
            except Overtaken as error:
                if error.head == self.head:  # a row exists outside of its chain
                    raise CommitRefused("not_ours", NOT_OURS) from None
                # Another server wrote to this chain, or we did for a caller who left.
                self.head, self._least_ms = error.head, error.at_ms
                continue
            for each, entry in zip(asked, entries, strict=True):
                self.head = (entry.row.number, entry.row.hash)
                if not each.written.done():
                    each.written.set_result(entry.row.number)
            return

    def _entries(self, asked: Sequence[AskedRow]) -> list[Entry]:
        """The rows after the chain's head."""
        head, now_ms = self.head, max(self._clock.now_ms(), self._least_ms)
        entries = []
        for each in asked:
            entry = self.entry(
                head,
                now_ms,
                each.actor,
                each.id or f"note-{head[0] + 1}",
                each.decision,
                statements=each.statements,
                claim=each.claim,
                sets=each.sets,
            )
            head = (entry.row.number, entry.row.hash)
            entries.append(entry)
        return entries


def _fail(asked: Sequence[AskedRow], problem: BaseException) -> None:
    """Give the callers who still wait the reason why their rows were not written."""
    for each in asked:
        if not each.written.done():
            each.written.set_exception(problem)
