"""The self-check: whether code, rule books and tables match what was approved, by digest."""

import asyncio
import hashlib
import sys
from collections.abc import Awaitable, Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sa

import wartable
from wartable.rules.model import Limits
from wartable.server.house.office import Office
from wartable.server.manifest import Manifest, digest_of, foreign_bytecode, manifest, package
from wartable.server.records import database, messages, schema
from wartable.server.records.messages import Note, Noted, OpenTable, as_recorded
from wartable.server.records.rows import OFFICE, Statement
from wartable.server.upkeep import regularly
from wartable.table import PLATFORM

NAMED_MAX = 5
COMMAND = "wartable audit selfcheck --approve REASON"

_OPENING = msgspec.json.Decoder(OpenTable)
_KEEP = "INSERT INTO manifests (digest, content) VALUES (?, ?) ON CONFLICT DO NOTHING"
_BRING = "INSERT INTO manifests (digest, content) VALUES (:digest, :content) ON CONFLICT DO NOTHING"


def approved(source: database.Queryable) -> tuple[str, ...]:
    """The digests of the approved programs, the last one first; none before a house opened.

    During an upgrade there are two.
    """
    rows = schema.journal
    query = (
        sa.select(rows.c.events)
        .where(rows.c.table_name == OFFICE, rows.c.command.contains('"code_approved"'))
        .order_by(rows.c.number.desc())
    )
    with database.reading(source) as connection:
        for row in connection.execute(query):
            for event in msgspec.json.decode(row.events, type=tuple[messages.JournalEvent, ...]):
                if isinstance(event, Noted) and event.kind == "code_approved":
                    return approved_by(event)
    return ()


def approved_by(note: Note | Noted) -> tuple[str, ...]:
    """The digests of the programs that an approval names; no other is approved from then on."""
    return tuple(note.after.split())


def approval(
    source: database.Queryable,
    reason: str,
    found: Manifest,
    version: str = wartable.__version__,
    beside: str = "",
) -> tuple[Note, Statement]:
    """The significant event that approves a manifest, and the statement that stores it.

    `beside` is the digest of the program that stays approved.
    """
    digest = digest_of(found)
    before, after = " ".join(approved(source)), f"{digest} {beside}".strip()
    note = Note("code_approved", f"wartable {version}", reason, before, after)
    return note, (_KEEP, (digest, msgspec.json.encode(found, order="deterministic").decode()))


def bring(engine: sa.Engine, found: Manifest) -> None:
    """Store the manifest of a program that is not approved yet, so that it can be approved."""
    content = msgspec.json.encode(found, order="deterministic").decode()
    with database.brief(engine) as connection:
        brought = sa.text(_BRING)
        connection.execute(brought, {"digest": digest_of(found), "content": content})


def brought(source: database.Queryable, digest: str) -> Manifest | None:
    """The manifest with this digest, if a server has brought it; nobody can forge that."""
    manifests = schema.manifests
    query = sa.select(manifests.c.content).where(manifests.c.digest == digest)
    with database.reading(source) as connection:
        content = connection.execute(query).scalar()
    try:
        found = {} if content is None else msgspec.json.decode(content, type=Manifest)
    except msgspec.DecodeError:
        found = {}
    return found if digest_of(found) == digest else None


def problems(engine: sa.Engine, found: Manifest, folder: Path | None = None) -> list[str]:
    """A sentence for every difference from what was approved or opened; none if all is well."""
    with database.snapshot(engine) as source:
        return [*_code(source, found), *_loaded(folder), *_books(source), *_tables(source)]


def _loaded(folder: Path | None) -> Iterator[str]:
    """Check that Python loads the approved files and nothing in their place."""
    for name in islice(foreign_bytecode(folder), NAMED_MAX):
        yield f"{name} is not made from its source; delete it."
    root = package()
    for name, module in sorted(sys.modules.items()):
        origin = getattr(module, "__file__", None)
        ours = name.partition(".")[0] == root.name
        if ours and origin and not str(origin).startswith(f"{root}/"):
            yield f"{name} was loaded from {origin}, which is not part of the program."


def _code(source: sa.Connection, found: Manifest) -> Iterator[str]:
    digests = approved(source)
    if not digests:
        yield f"No code is approved yet; the house approves it when it opens, or: {COMMAND}"
        return
    if digest_of(found) in digests:
        return
    old = brought(source, digests[0])
    if old is None:
        yield "The stored manifest is not the one that was approved."
        return
    changed = [name for name in sorted({*old, *found}) if old.get(name) != found.get(name)]
    for name in changed[:NAMED_MAX]:
        what = "is new" if name not in old else "is gone" if name not in found else "was changed"
        yield f"{name} {what} since the code was approved."
    if len(changed) > NAMED_MAX:
        yield f"{len(changed) - NAMED_MAX} more files differ from what was approved."


def _books(source: sa.Connection) -> Iterator[str]:
    """Check that every stored book has the digest it is stored under."""
    for book in source.execute(sa.select(schema.books).order_by(schema.books.c.digest)):
        try:
            content = msgspec.json.decode(book.content)
            digest = hashlib.sha256(msgspec.json.encode(content, order="deterministic"))
        except msgspec.DecodeError:
            yield f"The rule book {book.digest[:12]} cannot be read."
            continue
        if digest.hexdigest() != book.digest:
            yield f"The rule book {book.digest[:12]} was changed."


def _tables(source: sa.Connection) -> Iterator[str]:
    """Check that every table has the book and setup that its journal opens with."""
    tables, rows = schema.tables, schema.journal
    first = sa.and_(rows.c.table_name == tables.c.name, rows.c.number == 1)
    query = sa.select(tables, rows.c.command).join_from(tables, rows, first)
    query = query.where(tables.c.setup != database.METERS)
    for table in source.execute(query.order_by(tables.c.name)):
        try:
            command = _OPENING.decode(table.command)
            setup = msgspec.json.decode(table.setup, type=dict[str, Any])
            meters, approval = setup.get("meters", ""), setup.get("approval", "")
            values = setup["decks"], setup["staffed"], meters, approval, tuple(setup["batches"])
            limits = msgspec.convert(setup.get("limits"), Limits | None)
            cards = setup.get("layout", ""), setup.get("order", ""), setup.get("iterations", 0)
            stored = as_recorded(OpenTable(table.book, *values, limits, *cards), command)
        except (msgspec.DecodeError, ValueError, KeyError, TypeError):
            yield f"The setup of the table {table.name} cannot be read."
            continue
        if command != stored:
            yield f"The setup of the table {table.name} was changed since it opened."


Disable = Callable[[str], Awaitable[None]]
"""A function that stops all new rounds for a reason."""


async def check_house(
    engine: sa.Engine,
    office: Office,
    disable: Disable,
    folder: Path | None = None,
    approve: str = "",
) -> list[str]:
    """Check a running house; any problem stops gaming.

    The code is approved at the first start, or if a reason is given.
    """
    found = await asyncio.to_thread(manifest, folder)
    old = await asyncio.to_thread(approved, engine)
    if not old or (approve and digest_of(found) not in old):
        reason = approve or "first start"
        note, statement = await asyncio.to_thread(approval, engine, reason, found)
        await office.note(PLATFORM, note, statement)
    wrong = await asyncio.to_thread(problems, engine, found, folder)
    if wrong:
        reason = " ".join(wrong)
        await disable(f"The self-check failed: {reason}")
        await office.note(PLATFORM, Note("selfcheck_failed", "house", reason))
    return wrong


async def watch(engine: sa.Engine, office: Office, disable: Disable, every_s: float) -> None:
    """Check a running house at intervals for as long as it is open."""
    await regularly(every_s, "self-check", lambda: check_house(engine, office, disable))
