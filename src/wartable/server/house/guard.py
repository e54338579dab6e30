"""What is stored about people, compared with the office's rows before the house uses it."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sa

from wartable.server import manifest
from wartable.server.denied import Denied
from wartable.server.house import passwords, rights
from wartable.server.house.closures import Closure
from wartable.server.house.custody import CardSet
from wartable.server.house.limits import PlayerLimit
from wartable.server.house.oldnotes import UNTOLD_MS
from wartable.server.house.rights import Rights, Said
from wartable.server.records import database, journal, keyed, schema, sealed
from wartable.server.records.facts import ApprovalFacts
from wartable.server.records.journal import START, Broken, Head, Newer
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Note
from wartable.server.records.rows import OFFICE, Row

FILE = "rights"
"""The name of the file with the rights in the house's folder."""
KEEP_ROWS = 5_000
"""After how many rows of the office the rights are saved again."""
TRIES_MAX = 100
"""How often something is read again because it changed meanwhile."""
FOUND_MAX = 1_000
"""How many different findings are recorded in one run."""


NEWER = "A newer version of the program has changed the house; connect again, to another server."

_ENCODE = msgspec.msgpack.Encoder().encode
_DECODE = msgspec.msgpack.Decoder(tuple[Head, Rights]).decode


def _place() -> str:
    """The place for which the saved rights are sealed."""
    return f"rights {manifest.running()}"


class Guard:
    """The rights that count, and every stored value found to differ from them.

    What this house writes is known to it at once, so nothing older can be put back. What another
    server wrote is read from the journal.
    """

    def __init__(self, engine: sa.Engine, key: HouseKey, folder: Path) -> None:
        self._engine, self._key, self._path = engine, key, folder / FILE
        self._turn = threading.Lock()
        self.rights = Rights()
        self.head: Head = START
        self._least = 0
        """The last row of the office that this house has written."""
        self._found: dict[tuple[str, str], None] = {}
        self.written = 0
        """How many of the findings are recorded."""
        self.outdated = False
        """Whether a newer version of the program has written what this version cannot read."""
        self.followed: deque[tuple[int, Note]] | None = None
        """The followed rows still to be acted on; None for a server that does not act on them."""
        with database.snapshot(engine) as source:
            self._vouched = keyed.vouched(source, key).get(OFFICE, START)
            self._recall(source)
            end = self._follow(source, self.head)
            journal.check_end(end, database.head_of(source, OFFICE) or START)
        self._kept = self.head[0]

    def _recall(self, source: sa.Connection) -> None:
        """Begin with the saved rights, if the office still has the row they belong to."""
        data = sealed.recall(self._path, self._key, _place())
        with suppress(msgspec.DecodeError):
            if data is None:
                return
            head, kept = _DECODE(data)
            row = next(database.rows_of(source, OFFICE, head[0] - 1), None)
            if row is not None and (row.number, row.hash) == head:
                self.head, self.rights = head, kept

    def keep(self, rows: int = KEEP_ROWS) -> None:
        """Save the rights in the house's folder after this many rows, to open faster next time.

        They are sealed, and only the code that saved them uses them.
        """
        with self._turn:
            if self.head[0] - self._kept < rows:
                return
            data, self._kept = _ENCODE((self.head, self.rights)), self.head[0]
        sealed.keep(self._path, self._key, data, _place())

    def catch_up(self) -> None:
        """Follow the rows that another server wrote."""
        with self._moment() as (source, known):
            self._catch_up(source, known)

    def wrote(self, row: Row) -> None:
        """Follow a row of the office that this house has just written."""
        with self._turn:
            self._least = max(self._least, row.number)
            if row.number == self.head[0] + 1:
                self._fold(row)

    def account(self, name: str) -> sa.Row[Any] | None:
        """The account of that name as it is stored, if there is one and it is as it must be."""

        def said() -> Iterable[Said]:
            known = self.rights.accounts.get(name)
            return () if known is None else known.said(name)

        accounts = schema.accounts
        query = sa.select(accounts).where(accounts.c.name == name)
        return self._compared(f"account {name}", query, rights.of_account, said)

    def key(self, name: str) -> sa.Row[Any] | None:
        """The operator's key of that name as it is stored, if it is as it must be."""

        def said() -> Iterable[Said]:
            known = self.rights.keys.get(name)
            return () if known is None else known.said(name)

        keys = schema.api_keys
        query = sa.select(keys).where(keys.c.name == name)
        return self._compared(f"key {name}", query, rights.of_key, said)

    def session(self, digest: str) -> sa.Row[Any] | None:
        """The stored session of that digest, if this house began it and it has not ended."""
        sessions = schema.sessions
        with self._moment() as (source, known):
            found = source.execute(sa.select(sessions).where(sessions.c.digest == digest)).first()
            if found is None:
                return None
            self._catch_up(source, known)
        if not self._key.began(found.mac, *found[:-1]):
            raise self.refused(f"session of {found.account}", "this house did not begin it")
        with self._turn:
            ended = self.rights.ended(passwords.fingerprint(digest), found.account, found.opened_ms)
        if ended:
            raise self.refused(f"session of {found.account}", "it ended, and was put back")
        return found

    def limits(self) -> dict[tuple[str, str, str], PlayerLimit]:
        """The limits by account, kind and setter; old rows lack the time of a looser one."""
        with self._turn:
            held = {which: limit for which, (_, limit) in self.rights.limits.items()}
        untold = [which for which, limit in held.items() if limit.next_from_ms == UNTOLD_MS]
        stored = schema.limits.c
        with self._engine.connect() as connection:
            for which in untold:
                account, kind, setter = which
                query = sa.select(stored.next_from_ms).where(
                    stored.account == account, stored.kind == kind, stored.setter == setter
                )
                since_ms = connection.execute(query).scalar()
                held[which] = msgspec.structs.replace(held[which], next_from_ms=since_ms)
        return held

    def carried_out(self, name: str, command_id: str) -> tuple[int, str] | None:
        """The number and the command of the row with this id, if this house wrote one."""
        try:
            return keyed.carried_out(self._engine, self._key, name, command_id)
        except Broken as error:
            raise self.refused(name, str(error)) from None

    def new_findings(self) -> list[Note]:
        """The findings that are not yet recorded, as significant events."""
        with self._turn:
            found = list(self._found)[self.written :]
        return [Note("tampering_found", *each) for each in found]

    def _compared(
        self,
        subject: str,
        query: sa.Select[Any],
        values: Callable[[sa.Row[Any]], Iterable[Said]],
        said: Callable[[], Iterable[Said]],
    ) -> sa.Row[Any] | None:
        """What is stored, if it is what the office's rows say."""
        problem = None
        for _ in range(TRIES_MAX):
            with self._moment() as (source, known):
                stored = source.execute(query).first()
                end = self._catch_up(source, known)
            with self._turn:
                found = () if stored is None else values(stored)
                problem = self.rights.problem(found, said())
                latest = self.head
            if problem is None:
                return stored
            if latest == end:
                raise self.refused(subject, problem[1])
        raise Denied("busy", "This account keeps changing; try again.")

    @contextmanager
    def _moment(self) -> Iterator[tuple[sa.Connection, tuple[Head, int]]]:
        """The records as of one moment, and what must be in them: what was known before it."""
        with self._turn:
            known = (self.head, self._least)
        with database.snapshot(self._engine) as source:
            yield source, known

    def _catch_up(self, source: sa.Connection, known: tuple[Head, int]) -> Head:
        """Follow the rows that another server wrote; the last row that the source has."""
        head, least = known
        try:
            end = self._follow(source, head)
            if end[0] < least:
                raise Broken(None, f"office row {least} is gone")
        except Newer:
            self.outdated = True
            raise Denied("newer_version", NEWER) from None
        except Broken as error:
            raise self.refused("office", str(error)) from None
        return end

    def _follow(self, source: sa.Connection, known: Head) -> Head:
        """Fold the office's rows after that one; return the last."""
        rows = database.rows_of(source, OFFICE, max(known[0] - 1, 0))
        if known != START:
            first = next(rows, None)
            if first is None or (first.number, first.hash) != known:
                raise Broken(first, f"office row {known[0]} is gone")
        for row in journal.check_chain(rows, None, known):
            if row.mac is None and row.number > self._vouched[0]:
                raise Broken(row, "this house did not write it: it has no authentication code")
            if row.mac is not None and not self._key.wrote(row.hash, row.mac):
                raise Broken(row, "this house did not write it: its authentication code is wrong")
            known = (row.number, row.hash)
            if row.mac is None and row.number == self._vouched[0]:
                journal.check_end(known, self._vouched)
            with self._turn:
                if row.number == self.head[0] + 1:
                    self._fold(row)
        return known

    def _fold(self, row: Row) -> None:
        note = journal.read_note(row)
        self.rights.note(row, note)
        self.head = (row.number, row.hash)
        if self.followed is not None:
            self.followed.append((row.number, note))

    def closures(self) -> dict[tuple[str, str], Closure]:
        """The closures in force."""
        with self._turn:
            return {which: each.closure for which, each in self.rights.closures.items()}

    def sets(self) -> dict[str, CardSet]:
        """The sets of cards by name, also destroyed ones."""
        with self._turn:
            return dict(self.rights.sets)

    def approved(self, table: str) -> tuple[ApprovalFacts, str] | None:
        """The last award of a table that somebody approved as the first of two, and who."""
        with self._turn:
            return self.rights.approved.get(table)

    def ended(self, session: str, account: str, opened_ms: int) -> bool:
        """Whether the session with this fingerprint ended."""
        with self._turn:
            return self.rights.ended(session, account, opened_ms)

    def refused(self, subject: str, reason: str) -> Denied:
        """The refusal of something that this house did not write; the finding is remembered."""
        with self._turn:
            if len(self._found) < FOUND_MAX:
                self._found[subject, reason] = None
        return Denied(
            "not_ours",
            "The records of this were changed outside of the house, so it is refused; ask the"
            " operator, who has been told.",
        )
