"""Sessions: signing in and out, lockout, and changes of password or role, which end sessions."""

import asyncio
from collections import OrderedDict

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace

from wartable.players import is_bot
from wartable.server.clock import Clock
from wartable.server.denied import Denied
from wartable.server.house import passwords
from wartable.server.house.accounts import (
    GUEST,
    Account,
    Accounts,
    account_of,
    check_password,
    told_of,
)
from wartable.server.house.office import Office
from wartable.server.house.roles import Role
from wartable.server.records import schema
from wartable.server.records.facts import PasswordFact, RoleFact
from wartable.server.records.journal import Statement
from wartable.server.records.messages import Note
from wartable.table import PLATFORM

IDLE_MS = 30 * 60_000
SEEN_S = 60
"""How often the use of sessions is saved: a killed server loses no more than that."""
FAILURES_MAX = 5
LOCKED_MS = 15 * 60_000
WATCHED_MAX = 10_000

_PASSWORD = "UPDATE accounts SET password = ? WHERE name = ?"
_ROLE = "UPDATE accounts SET role = ? WHERE name = ?"
_LOCK = "UPDATE accounts SET locked_until_ms = ? WHERE name = ?"
_SIGN_IN = "INSERT INTO sessions (digest, account, opened_ms, seen_ms) VALUES (?, ?, ?, ?)"
_SIGN_OUT = "DELETE FROM sessions WHERE digest = ?"
_SIGN_OUT_ALL = "DELETE FROM sessions WHERE account = ?"


def wrong_credentials() -> Denied:
    """The one answer to every failed sign-in, whatever was wrong."""
    return Denied(
        "wrong_credentials",
        "The name or the password is wrong, or there were too many failures; wait 15 minutes.",
    )


def signed_out() -> Denied:
    """The answer to a request without a valid session."""
    return Denied("signed_out", "Sign in first; a session ends after 30 idle minutes.")


class Session(msgspec.Struct):
    """One sign-in of an account, from one device."""

    digest: str
    account: Account
    opened_ms: int
    seen_ms: int
    ended: bool = False
    reality_minutes: int = 0
    lost_before: int | None = None


class Reality(msgspec.Struct, frozen=True, tag="reality"):
    """The reality check: how long this session has lasted and what it won or lost."""

    minutes: int
    net: int


class Failures(msgspec.Struct):
    """The failed sign-ins of one name, whether or not it has an account."""

    count: int = 0
    locked_until_ms: int = 0


class Sessions:
    """All sessions; the beginning and end of each is a significant event."""

    def __init__(self, engine: sa.Engine, office: Office, clock: Clock, accounts: Accounts) -> None:
        self._engine, self._office, self._clock = engine, office, clock
        self._accounts = accounts
        self._sessions: dict[str, Session] = {}
        self._kept_ms = 0
        self._endings = 0
        """A count of endings, which shows that a session read earlier may have ended since."""
        self._failures: OrderedDict[str, Failures] = OrderedDict()

    async def sign_in(self, name: str, password: str) -> tuple[Account, str]:
        """The account and the token of a new session; every failure looks the same."""
        now_ms = self._clock.now_ms()
        row = await asyncio.to_thread(self._accounts.row, name)
        failures = self._watch(name, 0 if row is None else row.locked_until_ms)
        stored = passwords.NOBODY if row is None else row.password
        async with self._accounts.hashing:
            fits = await asyncio.to_thread(passwords.fits, stored, password)
        if now_ms < failures.locked_until_ms or not fits or row is None:
            await self._failed(name, row is not None, failures, now_ms)
            raise wrong_credentials()
        failures.count = 0
        token, session = self._new_session(account_of(row))
        # Hashing is slow, so read what changed meanwhile; any later change ends the session.
        row = await asyncio.to_thread(self._accounts.row, name)
        if row is None or row.password != stored:
            self._sessions.pop(session.digest, None)
            raise wrong_credentials()
        session.account = account_of(row)
        await self._keep(session)
        return session.account, token

    async def begin(self, account: Account) -> str:
        """The token of a new session of the account."""
        token, session = self._new_session(account)
        await self._keep(session)
        return token

    def _new_session(self, account: Account) -> tuple[str, Session]:
        """A new session that is not yet in the database, with its token."""
        token, now_ms = passwords.new_token(), self._clock.now_ms()
        digest = passwords.digest(token)
        session = self._sessions[digest] = Session(digest, account, now_ms, now_ms)
        return token, session

    async def _keep(self, session: Session) -> None:
        """Save a new session, unless it has already ended."""
        name = session.account.name
        values = (session.digest, name, session.opened_ms, session.seen_ms)
        await self._office.note(name, Note("signed_in", name), (_SIGN_IN, values))
        if session.ended:
            await self.sign_out(session)
            raise wrong_credentials()

    def _watch(self, name: str, locked_until_ms: int) -> Failures:
        """The failures of a name; only the latest names are kept."""
        failures = self._failures.setdefault(name, Failures(0, locked_until_ms))
        self._failures.move_to_end(name)
        while len(self._failures) > WATCHED_MAX:
            self._failures.popitem(last=False)
        return failures

    async def _failed(self, name: str, known: bool, failures: Failures, now_ms: int) -> None:
        """Count a failure and lock the name after too many; unknown names are not saved."""
        subject = name if known else "(unknown)"
        if now_ms < failures.locked_until_ms:
            return
        failures.count += 1
        count, until_ms = failures.count, now_ms + LOCKED_MS
        if count >= FAILURES_MAX:  # before any await, so that no attempt slips through
            failures.count, failures.locked_until_ms = 0, until_ms
        await self._office.note(subject, Note("sign_in_failed", subject, after=str(count)))
        if count >= FAILURES_MAX:
            lock = (_LOCK, (until_ms, name))
            note = Note("locked_out", subject, after=str(until_ms))
            await self._office.note(PLATFORM, note, lock)

    async def session(self, token: str) -> Session:
        """The session of a token, without keeping it alive; `Denied` if it has ended."""
        digest = passwords.digest(token)
        session = self._sessions.get(digest) or await self._resumed(digest)
        self.check(session)
        return session

    async def _resumed(self, digest: str) -> Session:
        """Load a session of an earlier run of the house."""
        while True:
            endings = self._endings
            found = await asyncio.to_thread(self._stored, digest)
            if found is None:
                raise signed_out()
            if endings == self._endings:  # else it may have ended after it was read
                return self._sessions.setdefault(digest, found)

    def touch(self, session: Session) -> None:
        """Keep a session alive; deny it if it has ended or was idle too long."""
        self.check(session)
        session.seen_ms = self._clock.now_ms()

    def check(self, session: Session) -> None:
        """Deny a session that has ended or was idle too long."""
        if session.ended or self._clock.now_ms() - session.seen_ms > IDLE_MS:
            raise signed_out()

    def _stored(self, digest: str) -> Session | None:
        """The session in the database."""
        sessions = schema.sessions
        with self._engine.connect() as connection:
            found = connection.execute(
                sa.select(sessions).where(sessions.c.digest == digest)
            ).first()
        row = None if found is None else self._accounts.row(found.account)
        if found is None or row is None:
            return None
        return Session(digest, account_of(row), found.opened_ms, found.seen_ms)

    async def sign_out(self, session: Session) -> None:
        """End a session."""
        session.ended = True
        name = session.account.name
        await self._office.note(name, Note("signed_out", name), (_SIGN_OUT, (session.digest,)))
        self._sessions.pop(session.digest, None)
        self._endings += 1

    async def change_password(self, session: Session, old: str, new: str) -> None:
        """Change the password; every other session of the account ends."""
        name, now_ms = session.account.name, self._clock.now_ms()
        check_password(name, new)
        row = await asyncio.to_thread(self._accounts.row, name)
        failures = self._watch(name, 0 if row is None else row.locked_until_ms)
        async with self._accounts.hashing:
            fits = row is not None and await asyncio.to_thread(passwords.fits, row.password, old)
        if now_ms < failures.locked_until_ms or not fits:
            await self._failed(name, True, failures, now_ms)
            raise Denied(
                "wrong_password",
                "The old password is wrong, or there were too many failures; wait 15 minutes.",
            )
        failures.count = 0
        stored = await self._accounts.kept(new)
        self.check(session)  # hashing is slow: an administrator may have reset it meanwhile
        change = (_PASSWORD, (stored, name))
        await self._office.note(name, password_changed(name, stored), change)
        await self._end_others(name, session)

    async def new_password(self, by: str, name: str, reason: str) -> str:
        """Generate a password for somebody who lost theirs; end all sessions and lift the lock.

        Sessions end before the row is written, so that none of them can change it again.
        """
        if by == name:
            sentence = "You cannot reset your own password; change it with the old one."
            raise Denied("own_password", sentence)
        if is_bot(name):
            raise Denied("no_password", "A bot has no password and cannot sign in.")
        await self._accounts.find(name)
        if name.startswith(GUEST):
            sentence = "A guest's password cannot be reset: nothing else proves who the guest is."
            raise Denied("no_password", sentence)
        password = passwords.new_token()
        stored = passwords.kept_made(password)
        self._end(name, None)
        await self._office.note(
            by,
            password_changed(name, stored, reason),
            (_PASSWORD, (stored, name)),
            (_LOCK, (0, name)),
            (_SIGN_OUT_ALL, (name,)),
        )
        if name in self._failures:
            self._failures[name].count = self._failures[name].locked_until_ms = 0
        await self._end_others(name, None)
        return password

    async def change_role(self, by: str, name: str, role: Role, reason: str) -> Account:
        """Give an account another role; its sessions end."""
        if by == name:
            sentence = "You cannot change your own role; ask another administrator."
            raise Denied("own_role", sentence)
        account = await self._accounts.find(name)
        change = (_ROLE, (role, name))
        note = Note("role_changed", name, reason, account.role, role, RoleFact(role))
        await self._office.note(by, note, change)
        await self._end_others(name, None)
        return replace(account, role=role)

    async def _end_others(self, name: str, kept: Session | None) -> None:
        self._end(name, kept)
        statements: list[Statement] = [(_SIGN_OUT_ALL, (name,))]
        if kept is not None and not kept.ended:
            values = (kept.digest, name, kept.opened_ms, kept.seen_ms)
            statements.append((_SIGN_IN, values))
        await self._office.note(PLATFORM, Note("signed_out", name), *statements)
        for digest in self._end(name, kept):
            del self._sessions[digest]
        self._endings += 1

    def _end(self, name: str, kept: Session | None) -> list[str]:
        """End the loaded sessions, but remember them until their rows are deleted."""
        known = self._sessions.values()
        others = [s for s in known if s.account.name == name and s is not kept]
        for session in others:
            session.ended = True
        return [session.digest for session in others]

    def here(self) -> set[str]:
        """The names that are signed in."""
        return {session.account.name for session in self._sessions.values()}

    def sweep(self) -> None:
        """Forget the sessions that have ended."""
        oldest_ms = self._clock.now_ms() - IDLE_MS
        for session in list(self._sessions.values()):
            if session.seen_ms < oldest_ms:
                self._sessions.pop(session.digest).ended = True

    async def keep_seen(self) -> None:
        """Save which sessions were used since the last time, so that a restart can resume them."""
        since_ms, self._kept_ms = self._kept_ms, self._clock.now_ms()
        known = self._sessions.values()
        used = [{"which": s.digest, "at": s.seen_ms} for s in known if s.seen_ms >= since_ms]
        await asyncio.to_thread(self._write_seen, used, self._kept_ms - IDLE_MS)

    def _write_seen(self, used: list[dict[str, object]], oldest_ms: int) -> None:
        sessions = schema.sessions
        which = sessions.c.digest == sa.bindparam("which")
        with self._engine.begin() as connection:
            if used:
                update = sessions.update().where(which).values(seen_ms=sa.bindparam("at"))
                connection.execute(update, used)
            connection.execute(sessions.delete().where(sessions.c.seen_ms < oldest_ms))


def password_changed(name: str, stored: str, reason: str = "") -> Note:
    """The event of a new password, with its fingerprint."""
    facts = PasswordFact(passwords.fingerprint(stored))
    return Note("password_changed", name, reason, after=told_of(stored), facts=facts)
