"""The operator's filings for a rule book: the submission's reference, the owner's agreement."""

import msgspec
import sqlalchemy as sa

from wartable.server.house.office import Office
from wartable.server.records import database
from wartable.server.records.messages import Note


class Filing(msgspec.Struct, frozen=True):
    """The references on file for a rule book, with their dates as written on them."""

    submission: str = ""
    submitted: str = ""
    agreement: str = ""
    agreed: str = ""


class Filed(Filing, frozen=True):
    """A filing with who recorded it and when."""

    by: str = ""
    at_ms: int = 0


async def record(office: Office, by: str, book: str, filing: Filing, before: Filed) -> None:
    """Record what is on file for a book from now on."""
    old = Filing(before.submission, before.submitted, before.agreement, before.agreed)
    first, last = (msgspec.json.encode(each).decode() for each in (old, filing))
    await office.note(by, Note("submission_recorded", book, before=first, after=last))


def on_file(engine: sa.Engine, book: str) -> Filed:
    """What is on file for a book; an empty filing if nothing was ever recorded."""
    found = Filed()
    for row, note in database.notes_of(engine, "submission_recorded"):
        if note.subject == book:
            filing = msgspec.json.decode(note.after, type=Filing)
            found = Filed(**msgspec.structs.asdict(filing), by=row.actor, at_ms=row.at_ms)
    return found
