"""Significant events: who did what to whom, when and why, in a chain of the journal."""

from wartable.server.records.chain import Chain
from wartable.server.records.journal import Statement
from wartable.server.records.messages import OFFICE, Note


class Office(Chain):
    """The one writer of the office's rows; what changes rights commits beside its row."""

    name = OFFICE

    async def note(self, actor: str, note: Note, *statements: Statement) -> int:
        """Write the event and carry out the statements, both or neither; the row's number."""
        return await self.write(actor, None, note, statements=statements)
