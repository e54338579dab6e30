"""Sessions: signing in and out, lockout, and changes of password or role, which end sessions."""

import asyncio
import hmac

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace

from wartable.players import is_bot
from wartable.server.clock import Clock
from wartable.server.denied import Denied
from wartable.server.house import passwords
from wartable.server.house.accounts import (
    SET_PASSWORD,
    Account,
    Accounts,
    account_of,
    check_password,
)
from wartable.server.house.guard import Guard
from wartable.server.house.guesses import Guesses, is_own
from wartable.server.house.office import Office
from wartable.server.house.roles import Role, may
from wartable.server.records import database, schema
from wartable.server.records.facts import PasswordFact, RoleFact, SessionFact, SessionsFact
from wartable.server.records.messages import Note
from wartable.server.records.rows import OFFICE, Statement
from wartable.server.records.store import Repeated
from wartable.table import PLATFORM

IDLE_MS = 30 * 60_000
SEEN_S = 60
"""How often the use of sessions is saved; a killed server loses no more than that."""

_BETWEEN = "."
"""The separator between a device's number and its code."""

_ROLE = "UPDATE accounts SET role = ? WHERE name = ?"
_LOCK = "UPDATE accounts SET locked_until_ms = ? WHERE name = ?"
_SIGN_IN = "INSERT INTO sessions (digest, account, opened_ms, seen_ms, mac) VALUES (?, ?, ?, ?, ?)"
_SIGN_OUT = "DELETE FROM sessions WHERE digest = ?"
_SIGN_OUT_ALL = "DELETE FROM sessions WHERE account = ?"


def wrong_credentials() -> Denied:
    """The one answer to every failed sign-in, whatever was wrong."""
    return Denied("wrong_credentials", "The name or the password is wrong.")


def too_many_failures() -> Denied:
    """The answer after too many failures with a name, whether it has an account or not."""
    sentence = "There were too many failures with this name; wait 15 minutes and try again."
    return Denied("wrong_credentials", sentence)


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
    won_earlier: int = 0
    """What was won, or lost below zero, in earlier runs of the house."""


class Reality(msgspec.Struct, frozen=True, tag="reality"):
    """The reality check: how long this session has lasted and what it won or lost."""

    minutes: int
    net: int


class Sessions:
    """All sessions; the start and the end of each is a significant event."""

    def __init__(
        self,
        engine: sa.Engine,
        office: Office,
        clock: Clock,
        accounts: Accounts,
        guard: Guard,
    ) -> None:
        self._engine, self._office, self._clock = engine, office, clock
        self._accounts, self._guard = accounts, guard
        self._sessions: dict[str, Session] = {}
        self._kept_ms = 0
        self._endings = 0
        """A count of ended sessions; if it has changed, a session read earlier may have ended."""
        self._guesses = Guesses(clock)
        self._changing = asyncio.Lock()
        """Held while a role is changed."""

    def new_device(self, name: str) -> str:
        """A token that later proves that the account has signed in with this device before."""
        number = passwords.new_token()
        return f"{number}{_BETWEEN}{self._device_code(name, number)}"

    def place_of(self, name: str, address: str, device: str) -> str:
        """Where an attempt is counted: each device of the account on its own, others by address.

        This way nobody can lock out the account's own devices, not even from the same address.
        """
        number, _, code = device.partition(_BETWEEN)
        known = hmac.compare_digest(code.encode(), self._device_code(name, number).encode())
        return f"device {number}" if known else address

    def _device_code(self, name: str, number: str) -> str:
        return self._office.key.alias(f"device {number} of {name}")

    async def sign_in(
        self, name: str, password: str, address: str, device: str = ""
    ) -> tuple[Account, str]:
        """The account and the token of a new session; every failure looks the same."""
        name = self._accounts.named(name)
        place = self.place_of(name, address, device)
        row = await asyncio.to_thread(self._accounts.row, name)
        stored = passwords.NOBODY if row is None else row.password
        async with self._accounts.hashing:
            fits = await asyncio.to_thread(passwords.fits, stored, password)
        if await self.must_wait(name, address, place):
            raise too_many_failures()
        if not fits or row is None:
            await self.failed(name, row is not None, place)
            raise wrong_credentials()
        self._guesses.fitted(name, place)
        token, session = self._new_session(account_of(row))
        # Hashing is slow, so read what changed meanwhile; any later change ends the session.
        row = await asyncio.to_thread(self._accounts.row, name)
        if row is None or row.password != stored:
            self._sessions.pop(session.digest, None)
            raise wrong_credentials()
        session.account = account_of(row)
        await self._keep(session, address)
        return session.account, token

    async def begin(self, account: Account, address: str) -> str:
        """The token of a new session of the account."""
        token, session = self._new_session(account)
        await self._keep(session, address)
        return token

    def _new_session(self, account: Account) -> tuple[str, Session]:
        """A new session that is not yet in the database, with its token."""
        token, now_ms = passwords.new_token(), self._clock.now_ms()
        digest = passwords.digest(token)
        session = self._sessions[digest] = Session(digest, account, now_ms, now_ms)
        return token, session

    async def _keep(self, session: Session, address: str) -> None:
        """Save a new session, unless it has already ended; its address is known from now on."""
        name = session.account.name
        note, change = Note("signed_in", name, facts=_fact(session)), self._signing_in(session)
        try:
            known = await self._knows(name, address)
            id_ = None if known else self._known_as(name, address)
            await self._office.note(name, note, change, id_=id_)
        except Repeated:  # the same address signed in at the same time
            await self._office.note(name, note, change)
        if session.ended:
            await self.sign_out(session)
            raise wrong_credentials()

    def _signing_in(self, session: Session) -> Statement:
        """The statement that saves a session."""
        values = (session.digest, session.account.name, session.opened_ms, session.seen_ms)
        return (_SIGN_IN, (*values, self._mac(session)))

    def _mac(self, session: Session) -> str:
        """The authentication code of a session as it is now."""
        name = session.account.name
        key = self._office.key
        return key.session_mac(session.digest, name, session.opened_ms, session.seen_ms)

    async def must_wait(self, name: str, address: str, place: str) -> bool:
        """Whether this place has failed too often, or is new while many guess this password."""
        if self._guesses.locked(name, place):
            return True
        new = place == address and self._guesses.spread(name)
        return new and not await self._knows(name, address)

    async def _knows(self, name: str, address: str) -> bool:
        """Whether the account has signed in from this address before, or from this machine."""
        if is_own(address):
            return True
        id_ = self._known_as(name, address)
        return await asyncio.to_thread(self._guard.carried_out, OFFICE, id_) is not None

    def _known_as(self, name: str, address: str) -> str:
        """The id of the first sign-in from an address, which only the key can link to it."""
        return f"first-{self._office.key.alias(f'{name} {address}')}"

    async def failed(self, name: str, known: bool, place: str) -> None:
        """Count a failure and lock the place after too many; unknown names are not saved."""
        subject = name if known else "(unknown)"
        # Before any await, so that no attempt slips through.
        count, until_ms = self._guesses.failed(name, place)
        await self._office.note(subject, Note("sign_in_failed", subject, after=str(count)))
        if until_ms is not None:
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
            if endings == self._endings:  # otherwise it may have ended after it was read
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
        """The session in the database, if this house began it and it has not ended."""
        found = self._guard.session(digest)
        row = None if found is None else self._accounts.row(found.account)
        if found is None or row is None:
            return None
        session = Session(digest, account_of(row), found.opened_ms, found.seen_ms)
        results = schema.results.c
        since = (results.player == found.account, results.at_ms >= found.opened_ms)
        total = sa.select(sa.func.coalesce(sa.func.sum(results.net), 0)).where(*since)
        with self._engine.connect() as connection:
            session.won_earlier = int(connection.execute(total).scalar_one())
        return session

    async def sign_out(self, session: Session) -> None:
        """End a session."""
        session.ended = True
        name = session.account.name
        note = Note("signed_out", name, facts=_fact(session))
        await self._office.note(name, note, (_SIGN_OUT, (session.digest,)))
        self._sessions.pop(session.digest, None)
        self._endings += 1

    async def change_password(self, session: Session, old: str, new: str) -> None:
        """Change the password; every other session of the account ends."""
        name = session.account.name
        check_password(name, new)
        await self.check_own_password(session, old)
        stored = await self._accounts.kept(new)
        self.check(session)  # hashing is slow: an administrator may have reset it meanwhile
        change = (SET_PASSWORD, (stored, name))
        await self._office.note(name, password_changed(name, stored), change)
        await self.end_others(name, session)

    async def check_own_password(self, session: Session, password: str) -> None:
        """Deny somebody who is signed in but does not know the password."""
        name = session.account.name
        row = await asyncio.to_thread(self._accounts.row, name)
        stored = passwords.NOBODY if row is None else row.password
        async with self._accounts.hashing:
            fits = await asyncio.to_thread(passwords.fits, stored, password)
        if self._guesses.locked(name, session.digest):
            sentence = "There were too many failures; wait 15 minutes and try again."
            raise Denied("wrong_password", sentence)
        if not fits:
            await self.failed(name, True, session.digest)
            raise Denied("wrong_password", "The current password is wrong.")
        self._guesses.fitted(name, session.digest)

    async def registered(self, session: Session) -> None:
        """End the other sessions of a guest who registered."""
        await self.end_others(session.account.name, session)

    async def new_password(self, by: str, name: str, reason: str) -> str:
        """Generate a password for somebody who lost theirs; end all sessions and lift the lock.

        Sessions end before the row is written, so that none of them can change it again.
        """
        if by == name:
            sentence = "You cannot reset your own password; change it with the old one."
            raise Denied("own_password", sentence)
        password, note, statements = issued(name, reason, self._accounts.is_guest(name))
        await self._accounts.find(name)
        self.end(name, None)
        await self._office.note(by, note, *statements)
        self.forgive(name)
        await self.end_others(name, None)
        return password

    def forgive(self, name: str) -> None:
        """Forget the failures with a name that has a new password."""
        self._guesses.forget(name)

    async def change_role(self, by: str, name: str, role: Role, reason: str) -> Account:
        """Give an account another role; its sessions end.

        Roles are changed one at a time, and nobody changes their own, so an administrator is left.
        """
        if by == name:
            sentence = "You cannot change your own role; ask another administrator."
            raise Denied("own_role", sentence)
        async with self._changing:
            if not may((await self._accounts.find(by)).role, "accounts"):
                raise Denied("not_your_part", "You are not an administrator any more.")
            account = await self._accounts.find(name)
            if role == "player" and account.money != self._accounts.money:
                sentence = (
                    f"This house plays for {self._accounts.money} money, and {name} has"
                    f" {account.money} money; open a new account for them to play with."
                )
                raise Denied("other_money", sentence)
            change = (_ROLE, (role, name))
            note = Note("role_changed", name, reason, account.role, role, RoleFact(role))
            await self._office.note(by, note, change)
            self._accounts.has_role(name, role)
            await self.end_others(name, None)
        return replace(account, role=role)

    async def end_others(self, name: str, kept: Session | None) -> None:
        """End all sessions of an account but one, here and in the records."""
        self.end(name, kept)
        statements: list[Statement] = [(_SIGN_OUT_ALL, (name,))]
        facts = SessionsFact()
        if kept is not None and not kept.ended:
            statements.append(self._signing_in(kept))
            facts = SessionsFact(_fact(kept).session)
        await self._office.note(PLATFORM, Note("signed_out", name, facts=facts), *statements)
        for digest in self.end(name, kept):
            del self._sessions[digest]
        self._endings += 1

    def end(self, name: str, kept: Session | None) -> list[str]:
        """End the loaded sessions, but remember them until their rows are deleted."""
        known = self._sessions.values()
        others = [s for s in known if s.account.name == name and s is not kept]
        for session in others:
            session.ended = True
        return [session.digest for session in others]

    def follow(self, name: str) -> None:
        """End the loaded sessions of an account that another server has ended."""
        for session in [each for each in self._sessions.values() if each.account.name == name]:
            fingerprint = passwords.fingerprint(session.digest)
            if self._guard.ended(fingerprint, name, session.opened_ms):
                self._sessions.pop(session.digest).ended = True
        self._endings += 1

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
        used: list[dict[str, object]] = [
            {"which": s.digest, "at": s.seen_ms, "code": self._mac(s)}
            for s in known
            if s.seen_ms >= since_ms
        ]
        await asyncio.to_thread(self._write_seen, used, self._kept_ms - IDLE_MS)

    def _write_seen(self, used: list[dict[str, object]], oldest_ms: int) -> None:
        sessions = schema.sessions
        which = sessions.c.digest == sa.bindparam("which")
        with database.brief(self._engine) as connection:
            if used:
                update = sessions.update().where(which)
                values = update.values(seen_ms=sa.bindparam("at"), mac=sa.bindparam("code"))
                connection.execute(values, used)
            connection.execute(sessions.delete().where(sessions.c.seen_ms < oldest_ms))


def _fact(session: Session) -> SessionFact:
    return SessionFact(passwords.fingerprint(session.digest))


def issued(name: str, reason: str, guest: bool) -> tuple[str, Note, tuple[Statement, ...]]:
    """A new password for an account, the event, and the statements: sessions and lock-out end."""
    if is_bot(name):
        raise Denied("no_password", "A bot has no password and cannot sign in.")
    if guest:
        sentence = "A guest's password cannot be reset: nothing else proves who the guest is."
        raise Denied("no_password", sentence)
    password = passwords.new_token()
    stored = passwords.kept_made(password)
    statements = ((SET_PASSWORD, (stored, name)), (_LOCK, (0, name)), (_SIGN_OUT_ALL, (name,)))
    return password, password_changed(name, stored, reason), statements


def password_changed(name: str, stored: str, reason: str = "") -> Note:
    """The event of a new password, with its fingerprint."""
    facts = PasswordFact(passwords.fingerprint(stored))
    return Note("password_changed", name, reason, facts=facts)
