"""Significant events: who did what to whom, when and why, in a chain of the journal."""

from wartable.server.clock import Clock
from wartable.server.records.chain import HouseChain
from wartable.server.records.decisions import of_house
from wartable.server.records.journal import Head
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Note
from wartable.server.records.rows import OFFICE, Commit, Statement


class Office(HouseChain):
    """The only writer of the office's rows; a change of rights commits with its row."""

    def __init__(self, commit: Commit, clock: Clock, key: HouseKey, head: Head | None) -> None:
        super().__init__(OFFICE, commit, clock, key, head)

    async def note(
        self,
        actor: str,
        note: Note,
        *statements: Statement,
        id_: str | None = None,
        moved: tuple[str, ...] | None = None,
    ) -> int:
        """Write the event and run the statements, both or neither; return the row's number.

        `moved` are sets of cards that no table may be using.
        """
        return await self.write(actor, id_, of_house(OFFICE, note), *statements, sets=moved)
