"""Accounts: guests and people with passwords, sessions that expire, lock-out, operators' keys."""

import asyncio
import re
from collections import OrderedDict

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace

from wartable.players import is_bot
from wartable.server.clock import Clock
from wartable.server.config import Money
from wartable.server.denied import Denied
from wartable.server.house import passwords
from wartable.server.house.office import Office
from wartable.server.house.roles import Role
from wartable.server.records import schema
from wartable.server.records.facts import (
    AccountFacts,
    ExclusionFact,
    KeyFact,
    PasswordFact,
    RoleFact,
)
from wartable.server.records.journal import Statement
from wartable.server.records.messages import Note
from wartable.server.records.store import CommitRefused
from wartable.table import PLATFORM

IDLE_MS = 30 * 60_000
SEEN_S = 60
"""How often it is written down who is still here: a kill forgets no more of it than that."""
FAILURES_MAX = 5
LOCKED_MS = 15 * 60_000
WATCHED_MAX = 10_000
HASHING_MAX = 2
PASSWORD_MIN = 10
PASSWORD_MAX = 200
NAME = re.compile(r"[a-z][a-z0-9_-]{2,31}")
GUEST = "guest-"
RESERVED = ("guest", "bot", "platform", "house", "outside", "cashier", "office", "key", "wartable")

_OPEN = (
    "INSERT INTO accounts (name, role, money, password, opened_ms, excluded_until_ms,"
    " locked_until_ms) VALUES (?, ?, ?, ?, ?, 0, 0)"
)
_PASSWORD = "UPDATE accounts SET password = ? WHERE name = ?"
_ROLE = "UPDATE accounts SET role = ? WHERE name = ?"
_LOCK = "UPDATE accounts SET locked_until_ms = ? WHERE name = ?"
_EXCLUDE = "UPDATE accounts SET excluded_until_ms = ? WHERE name = ? AND excluded_until_ms < ?"
_SIGN_IN = "INSERT INTO sessions (digest, account, opened_ms, seen_ms) VALUES (?, ?, ?, ?)"
_SIGN_OUT = "DELETE FROM sessions WHERE digest = ?"
_SIGN_OUT_ALL = "DELETE FROM sessions WHERE account = ?"
_NEW_KEY = "INSERT INTO api_keys (name, digest) VALUES (?, ?)"
_REVOKE = "UPDATE api_keys SET revoked_ms = ? WHERE name = ?"


def wrong_credentials() -> Denied:
    """The one answer to every sign-in that fails, whatever was wrong with it."""
    told = "The name or the password is wrong, or there were too many failures; wait 15 minutes."
    return Denied("wrong_credentials", told)


def signed_out() -> Denied:
    """The answer to a request without a session that lasts."""
    return Denied("signed_out", "Sign in first; a session ends after 30 idle minutes.")


class Account(msgspec.Struct, frozen=True):
    """Who somebody is, what they may do, and whether the money is play money."""

    name: str
    role: Role
    money: Money
    opened_ms: int
    excluded_until_ms: int = 0


class Session(msgspec.Struct):
    """Somebody's being signed in, from one device."""

    digest: str
    account: Account
    opened_ms: int
    seen_ms: int
    ended: bool = False
    reality_minutes: int = 0
    lost_before: int | None = None


class Reality(msgspec.Struct, frozen=True, tag="reality"):
    """The reality check: how long this session lasts and what it won or lost."""

    minutes: int
    net: int


class Failures(msgspec.Struct):
    """The failed sign-ins of one name, whether there is such an account or not."""

    count: int = 0
    locked_until_ms: int = 0


class Accounts:
    """All accounts; every change of rights is a significant event."""

    def __init__(self, engine: sa.Engine, office: Office, clock: Clock) -> None:
        self._engine, self._office, self._clock = engine, office, clock
        self._sessions: dict[str, Session] = {}
        self._kept_ms = 0
        self._endings = 0
        """How often sessions were ended: what was read of them before may not hold any more."""
        self._failures: OrderedDict[str, Failures] = OrderedDict()
        self._hashing = asyncio.Semaphore(HASHING_MAX)

    async def open_guest(self) -> tuple[Account, str]:
        """A new guest with play money, and the password we made for signing in again."""
        name, password = f"{GUEST}{passwords.new_name()}", passwords.new_token()
        account = Account(name, "player", "play", self._clock.now_ms())
        await self._insert(name, account, passwords.kept_made(password))
        return account, password

    async def open(
        self, by: str | None, name: str, password: str, role: Role = "player", money: Money = "play"
    ) -> Account:
        """A new account; its own owner opens it, or somebody who may give it this role."""
        if not NAME.fullmatch(name) or name.partition("-")[0] in RESERVED:
            told = (
                "A name has 3 to 32 of a-z, 0-9, - and _, begins with a letter and is not reserved."
            )
            raise Denied("bad_name", told)
        check_password(name, password)
        account = Account(name, role, money, self._clock.now_ms())
        await self._insert(by or name, account, await self._kept(password))
        return account

    async def open_admin(self, name: str) -> str | None:
        """The first administrator's password, if there is no administrator yet."""
        accounts = schema.accounts
        with self._engine.connect() as connection:
            found = connection.execute(sa.select(accounts).where(accounts.c.role == "admin"))
            if found.first() is not None:
                return None
        password = passwords.new_token()
        account = Account(name, "admin", "play", self._clock.now_ms())
        await self._insert(PLATFORM, account, passwords.kept_made(password))
        return password

    async def _insert(self, by: str, account: Account, stored: str) -> None:
        values = (account.name, account.role, account.money, stored, account.opened_ms)
        after = f"{account.role}, {account.money} money, {_password(stored)}"
        facts = AccountFacts(account.role, account.money, passwords.fingerprint(stored))
        note = Note("account_opened", account.name, after=after, facts=facts)
        try:
            await self._office.note(by, note, (_OPEN, values))
        except CommitRefused:
            raise Denied("name_taken", "This name is taken.") from None

    async def sign_in(self, name: str, password: str) -> tuple[Account, str]:
        """The account and the token of a new session; every failure looks alike."""
        now_ms = self._clock.now_ms()
        row = await asyncio.to_thread(self._row, name)
        failures = self._watch(name, 0 if row is None else row.locked_until_ms)
        stored = passwords.NOBODY if row is None else row.password
        async with self._hashing:
            fits = await asyncio.to_thread(passwords.fits, stored, password)
        if now_ms < failures.locked_until_ms or not fits or row is None:
            await self._failed(name, row is not None, failures, now_ms)
            raise wrong_credentials()
        failures.count = 0
        token, session = self._new_session(_account(row))
        # Hashing is slow: what changed meanwhile is read; a change from now on ends the session.
        row = await asyncio.to_thread(self._row, name)
        if row is None or row.password != stored:
            self._sessions.pop(session.digest, None)
            raise wrong_credentials()
        session.account = _account(row)
        await self._keep(session)
        return session.account, token

    async def begin(self, account: Account) -> str:
        """The token of a new session of the account."""
        token, session = self._new_session(account)
        await self._keep(session)
        return token

    def _new_session(self, account: Account) -> tuple[str, Session]:
        """A session that is known, but not written down yet, with its token."""
        token, now_ms = passwords.new_token(), self._clock.now_ms()
        digest = passwords.digest(token)
        session = self._sessions[digest] = Session(digest, account, now_ms, now_ms)
        return token, session

    async def _keep(self, session: Session) -> None:
        """Write a new session down, unless it has ended already."""
        name = session.account.name
        values = (session.digest, name, session.opened_ms, session.seen_ms)
        await self._office.note(name, Note("signed_in", name), (_SIGN_IN, values))
        if session.ended:
            await self.sign_out(session)
            raise wrong_credentials()

    def _watch(self, name: str, locked_until_ms: int) -> Failures:
        """The failures of a name, so many of the last names being kept."""
        failures = self._failures.setdefault(name, Failures(0, locked_until_ms))
        self._failures.move_to_end(name)
        while len(self._failures) > WATCHED_MAX:
            self._failures.popitem(last=False)
        return failures

    async def _failed(self, name: str, known: bool, failures: Failures, now_ms: int) -> None:
        """Count a failure and lock the name after too many; an unknown name is not written."""
        subject = name if known else "(unknown)"
        if now_ms < failures.locked_until_ms:
            return
        failures.count += 1
        count, until_ms = failures.count, now_ms + LOCKED_MS
        if count >= FAILURES_MAX:  # before anything is awaited, so that no try slips through
            failures.count, failures.locked_until_ms = 0, until_ms
        await self._office.note(subject, Note("sign_in_failed", subject, after=str(count)))
        if count >= FAILURES_MAX:
            lock = (_LOCK, (until_ms, name))
            note = Note("locked_out", subject, after=str(until_ms))
            await self._office.note(PLATFORM, note, lock)

    async def session(self, token: str) -> Session:
        """The session of a token, as old as it is; `Denied` when it is over."""
        digest = passwords.digest(token)
        session = self._sessions.get(digest) or await self._resumed(digest)
        self.check(session)
        return session

    async def _resumed(self, digest: str) -> Session:
        """A session of an earlier run of the house, which is known from now on."""
        while True:
            endings = self._endings
            found = await asyncio.to_thread(self._stored, digest)
            if found is None:
                raise signed_out()
            if endings == self._endings:  # else it may be one that ended after it was read
                return self._sessions.setdefault(digest, found)

    def touch(self, session: Session) -> None:
        """Keep a session alive, or deny it when it has ended or was idle for too long."""
        self.check(session)
        session.seen_ms = self._clock.now_ms()

    def check(self, session: Session) -> None:
        """Deny a session that has ended or was idle for too long."""
        if session.ended or self._clock.now_ms() - session.seen_ms > IDLE_MS:
            raise signed_out()

    def _stored(self, digest: str) -> Session | None:
        """A session as the database has it."""
        sessions = schema.sessions
        with self._engine.connect() as connection:
            found = connection.execute(
                sa.select(sessions).where(sessions.c.digest == digest)
            ).first()
        row = None if found is None else self._row(found.account)
        if found is None or row is None:
            return None
        return Session(digest, _account(row), found.opened_ms, found.seen_ms)

    async def sign_out(self, session: Session) -> None:
        """End a session."""
        session.ended = True
        name = session.account.name
        await self._office.note(name, Note("signed_out", name), (_SIGN_OUT, (session.digest,)))
        self._sessions.pop(session.digest, None)
        self._endings += 1

    async def change_password(self, session: Session, old: str, new: str) -> None:
        """Another password; every other session of the account ends."""
        name, now_ms = session.account.name, self._clock.now_ms()
        check_password(name, new)
        row = await asyncio.to_thread(self._row, name)
        failures = self._watch(name, 0 if row is None else row.locked_until_ms)
        async with self._hashing:
            fits = row is not None and await asyncio.to_thread(passwords.fits, row.password, old)
        if now_ms < failures.locked_until_ms or not fits:
            await self._failed(name, True, failures, now_ms)
            told = "The old password is wrong, or there were too many failures; wait 15 minutes."
            raise Denied("wrong_password", told)
        failures.count = 0
        stored = await self._kept(new)
        self.check(session)  # hashing is slow: an administrator may have made another one meanwhile
        change = (_PASSWORD, (stored, name))
        await self._office.note(name, password_changed(name, stored), change)
        await self._end_others(name, session)

    async def new_password(self, by: str, name: str, reason: str) -> str:
        """A password that we made for somebody who lost theirs; all sessions end, no lock is left.

        Sessions end before the row is written, so that no change of their own comes after it.
        """
        if by == name:
            told = "Nobody makes their own password anew; change it with the old one."
            raise Denied("own_password", told)
        if is_bot(name):
            raise Denied("no_password", "A bot has no password; nobody signs in as one.")
        await self.find(name)
        if name.startswith(GUEST):
            told = "A guest has only the password to show who they are; none is made anew."
            raise Denied("no_password", told)
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
            told = "Nobody changes their own role; another administrator does."
            raise Denied("own_role", told)
        account = await self.find(name)
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
        """End the sessions that are known; until their rows are gone they must not be forgotten."""
        known = self._sessions.values()
        others = [s for s in known if s.account.name == name and s is not kept]
        for session in others:
            session.ended = True
        return [session.digest for session in others]

    async def exclude(self, name: str, until_ms: int, reason: str) -> None:
        """Exclude a player at once; an exclusion is only ever made longer."""
        account = await self.find(name)
        if until_ms <= account.excluded_until_ms:
            raise Denied("excluded", "You are excluded for longer than that already.")
        change = (_EXCLUDE, (until_ms, name, until_ms))
        before, after = str(account.excluded_until_ms), str(until_ms)
        note = Note("excluded", name, reason, before, after, ExclusionFact(until_ms))
        await self._office.note(name, note, change)

    async def find(self, name: str) -> Account:
        """The account of that name."""
        row = await asyncio.to_thread(self._row, name)
        if row is None:
            raise Denied("no_account", "There is no account of that name.")
        return _account(row)

    def excluded(self) -> dict[str, int]:
        """Until when each excluded player is."""
        accounts = schema.accounts
        query = sa.select(accounts.c.name, accounts.c.excluded_until_ms)
        with self._engine.connect() as connection:
            found = connection.execute(query.where(accounts.c.excluded_until_ms > 0))
            return {each.name: each.excluded_until_ms for each in found}

    async def make_key(self, by: str, name: str) -> str:
        """A key for an operator's own cashier; it is shown this once."""
        token = f"wk_{name}_{passwords.new_token()}"
        stored = passwords.digest(token)
        key = passwords.fingerprint(stored)
        note = Note("key_made", name, after=f"key {key}", facts=KeyFact(key))
        try:
            await self._office.note(by, note, (_NEW_KEY, (name, stored)))
        except CommitRefused:
            raise Denied("name_taken", "There is a key of that name.") from None
        return token

    async def revoke_key(self, by: str, name: str, reason: str) -> None:
        """Make a key useless."""
        if not await asyncio.to_thread(self._holds, schema.api_keys.c.name == name):
            raise Denied("no_key", "There is no key of that name that holds.")
        change = (_REVOKE, (self._clock.now_ms(), name))
        await self._office.note(by, Note("key_revoked", name, reason), change)

    def key_name(self, token: str) -> str:
        """The name of an operator's key, if it is one that holds."""
        found = self._holds(schema.api_keys.c.digest == passwords.digest(token))
        if found is None:
            raise Denied("wrong_credentials", "This is no operator's key that holds.")
        return found

    def _holds(self, which: sa.ColumnElement[bool]) -> str | None:
        """The name of that key, unless it was revoked."""
        keys = schema.api_keys
        query = sa.select(keys.c.name).where(which, keys.c.revoked_ms.is_(None))
        with self._engine.connect() as connection:
            found: str | None = connection.execute(query).scalar()
        return found

    def here(self) -> set[str]:
        """Who is signed in."""
        return {session.account.name for session in self._sessions.values()}

    def sweep(self) -> None:
        """Forget the sessions that are over."""
        oldest_ms = self._clock.now_ms() - IDLE_MS
        for session in list(self._sessions.values()):
            if session.seen_ms < oldest_ms:
                self._sessions.pop(session.digest).ended = True

    async def keep_seen(self) -> None:
        """Write down which sessions were used since the last time, for whoever resumes one."""
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

    async def _kept(self, password: str) -> str:
        async with self._hashing:
            return await asyncio.to_thread(passwords.kept, password)

    def _row(self, name: str) -> sa.Row[tuple[object, ...]] | None:
        accounts = schema.accounts
        with self._engine.connect() as connection:
            return connection.execute(sa.select(accounts).where(accounts.c.name == name)).first()


def _account(row: sa.Row[tuple[object, ...]]) -> Account:
    values = (row.name, row.role, row.money, row.opened_ms, row.excluded_until_ms)
    return Account(*values)


def password_changed(name: str, stored: str, reason: str = "") -> Note:
    """The event of a new password, by what is kept of it."""
    facts = PasswordFact(passwords.fingerprint(stored))
    return Note("password_changed", name, reason, after=_password(stored), facts=facts)


def _password(stored: str) -> str:
    """What the records tell of a password, by which another in its place is found."""
    return f"password {passwords.fingerprint(stored)}"


def check_password(name: str, password: str) -> None:
    """Deny a password that is too short, too long or the name."""
    if not PASSWORD_MIN <= len(password) <= PASSWORD_MAX or name in password.lower():
        told = (
            f"A password has {PASSWORD_MIN} to {PASSWORD_MAX} characters, without the name in it."
        )
        raise Denied("bad_password", told)
