"""The chains that every server of a house writes to: the cashier's and the office's."""

import asyncio

from wartable.server.clock import Clock
from wartable.server.records.decisions import Decision
from wartable.server.records.journal import START, Chain, Head
from wartable.server.records.keys import HouseKey
from wartable.server.records.rows import Claim, Commit, Statement
from wartable.server.records.store import CommitRefused, Overtaken

NOT_OURS = "The records were changed outside of the house, so it writes nothing more there."


class HouseChain(Chain):
    """The rows of the cashier or the office, and their head."""

    def __init__(
        self, name: str, commit: Commit, clock: Clock, key: HouseKey, head: Head | None
    ) -> None:
        super().__init__(name, key)
        self.head = head or START
        self._commit, self._clock = commit, clock
        self._least_ms = 0
        """The time of another server's last row: its clock may be ahead of ours."""
        self._turn = asyncio.Lock()

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
        async with self._turn:
            while True:
                named = id_ or f"note-{self.head[0] + 1}"
                now_ms = max(self._clock.now_ms(), self._least_ms)
                entry = self.entry(
                    self.head,
                    now_ms,
                    actor,
                    named,
                    decision,
                    statements=statements,
                    claim=claim,
                    sets=sets,
                )
                try:
                    await self._commit(entry)
                except Overtaken as error:
                    if error.head == self.head:  # there is a row that is not in its chain
                        raise CommitRefused("not_ours", NOT_OURS) from None
                    # Another server wrote here, or we did for a caller who did not wait.
                    self.head, self._least_ms = error.head, error.at_ms
                    continue
                self.head = (entry.row.number, entry.row.hash)
                return entry.row.number
