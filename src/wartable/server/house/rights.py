"""Rights and closures according to the office's rows, which decide, whatever else is stored.

Somebody with access to the database can change what is stored, but cannot write a row of the office
without the house's key. So the house folds these rows, and uses their values or compares with them.
"""

from collections.abc import Iterable, Iterator
from typing import Any, cast

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace

from wartable.server.house import custody, passwords
from wartable.server.house.closures import Closure, Scope
from wartable.server.house.complaints import Complaints
from wartable.server.house.custody import CardSet
from wartable.server.house.limits import PlayerLimit
from wartable.server.house.naming import folded
from wartable.server.house.oldnotes import UNTOLD_MS, facts_of
from wartable.server.records import database, schema
from wartable.server.records.facts import (
    AccountFacts,
    AnswerFacts,
    ApprovalFacts,
    CardFacts,
    ClosureFacts,
    CodesFact,
    DisplayFact,
    DisputeFacts,
    ExclusionFact,
    KeyFact,
    LimitFacts,
    PasswordFact,
    RecoveredFact,
    RegisteredFact,
    RestartFact,
    RevocationFact,
    RoleFact,
    SessionFact,
    SessionsFact,
)
from wartable.server.records.journal import Broken
from wartable.server.records.messages import Note
from wartable.server.records.rows import OFFICE, Row

RESTARTS_MS = 7 * 24 * 3_600_000
"""How long a restart is remembered."""

ENDED_MS = 24 * 3_600_000
"""How long an ended session is remembered; by then it would have expired anyway."""

Which = tuple[str, str]
"""The name of one stored value: its kind and its owner."""

Said = tuple[Which, str | None]
"""One stored value, or None if older versions did not record it."""

GUEST = "guest-"
"""How the names of guests begin."""

NONE = "none"
"""The value of something that does not exist."""


class AccountRights(msgspec.Struct, frozen=True, gc=False):
    """An account by the office's rows, with the last of them; None is a value they do not give."""

    row: int
    role: str | None = None
    money: str | None = None
    password: str | None = None
    excluded_until_ms: int = 0
    opened_ms: int | None = None
    locked_until_ms: int = 0
    login: str = ""
    """The name that a guest chose when registering."""
    display: str = ""
    codes: tuple[str, ...] = ()
    """The digests of the recovery codes that are not used."""

    def said(self, name: str) -> Iterator[Said]:
        """Its values as they must be stored."""
        yield ("role", name), self.role
        yield ("money", name), self.money
        yield ("password", name), self.password
        yield ("exclusion", name), str(self.excluded_until_ms)
        yield ("opening time", name), _text(self.opened_ms)


class KeyRights(msgspec.Struct, frozen=True, gc=False):
    """An operator's key by the office's rows, with the last of them."""

    row: int
    fingerprint: str | None = None
    holds: bool = True
    revoked_ms: int | None = None

    def said(self, name: str) -> Iterator[Said]:
        """Its values as they must be stored."""
        yield ("key", name), "holds" if self.holds else "revoked"
        yield ("digest of the key", name), self.fingerprint
        yield ("end of the key", name), NONE if self.holds else _text(self.revoked_ms)


class ClosureRights(msgspec.Struct, frozen=True, gc=False):
    """A closure by the office's row, and whether the row gives its time."""

    row: int
    closure: Closure
    timed: bool

    def said(self) -> Iterator[Said]:
        """Its values as they must be stored."""
        return _of_closure(self.closure, self.timed)


class Rights(msgspec.Struct):
    """Accounts, keys, limits, closures, cards and disputes, folded from the office's rows."""

    accounts: dict[str, AccountRights] = {}
    keys: dict[str, KeyRights] = {}
    limits: dict[tuple[str, str, str], tuple[int, PlayerLimit]] = {}
    closures: dict[tuple[str, str], ClosureRights] = {}
    sets: dict[str, CardSet] = {}
    approved: dict[str, tuple[ApprovalFacts, str]] = {}
    """The last award of each table that a first of two people approved, and that person."""
    logins: dict[str, str] = {}
    """The accounts of guests who registered, by the names that they chose."""
    names: dict[str, str] = {}
    """The owner of each visible name, folded; names given to guests are left out."""
    complaints: Complaints = msgspec.field(default_factory=Complaints)
    ended_sessions: dict[str, int] = {}
    ended_accounts: dict[str, tuple[int, str]] = {}
    """When all sessions of an account ended, and the one that did not."""
    restarts: list[tuple[int, int]] = []
    """The times of restarts since the time was confirmed, and how long each took by the clock."""

    def note(self, row: Row, note: Note) -> None:
        """Apply a row of the office."""
        name, number = note.subject, row.number
        match note.facts or facts_of(note):
            case AccountFacts(role, money, password, opened_ms):
                self.accounts[name] = AccountRights(
                    number, role, money, password or None, opened_ms=opened_ms
                )
                if not name.startswith(GUEST):
                    self.names[folded(name)] = name
            case RegisteredFact(login, password):
                self._account(number, name, login=login, password=password)
                self.logins[login] = self.names[folded(login)] = name
            case DisplayFact(display):
                self._call(number, name, display)
            case CodesFact(codes):
                self._account(number, name, codes=codes)
            case RecoveredFact(password, code):
                codes = self.accounts.get(name, AccountRights(number)).codes
                left = tuple(each for each in codes if each != code)
                self._account(number, name, password=password, codes=left, locked_until_ms=0)
            case PasswordFact(password):
                self._account(number, name, password=password or None)
                if row.actor != name:  # an administrator's new password lifts a lock-out
                    self._account(number, name, locked_until_ms=0)
            case RoleFact(role):
                self._account(number, name, role=role)
            case ExclusionFact(until_ms):
                # A shorter one requested at the same time changes nothing.
                old = self.accounts.get(name)
                before_ms = 0 if old is None else old.excluded_until_ms
                self._account(number, name, excluded_until_ms=max(until_ms, before_ms))
            case KeyFact(key):
                self.keys[name] = KeyRights(number, key or None)
            case RevocationFact(at_ms):
                self._revoke(number, name, at_ms)
            case LimitFacts() as limit:
                values = (limit.amount, limit.next_amount, limit.next_from_ms)
                self.limits[name, limit.kind, limit.setter] = (number, PlayerLimit(*values))
            case ClosureFacts(scope, of, at_ms) if note.kind == "disabled":
                since_ms = row.at_ms if at_ms is None else at_ms
                closure = Closure(cast(Scope, scope), of, row.actor, since_ms, note.reason)
                self.closures[scope, of] = ClosureRights(number, closure, at_ms is not None)
            case ClosureFacts(scope, of):
                self.closures.pop((scope, of), None)
                if note.kind == "clock_confirmed":
                    self.restarts.clear()
            case RestartFact(closed_ms):
                recent_ms = row.at_ms - RESTARTS_MS
                kept = [each for each in self.restarts if each[0] > recent_ms]
                self.restarts = [*kept, (row.at_ms, closed_ms)]
            case CardFacts() as cards:
                self.sets[name] = custody.after(self.sets.get(name), name, row.actor, cards)
            case ApprovalFacts() as award:
                self.approved[name] = (award, row.actor)
            case DisputeFacts() as facts:
                self.complaints.raised(number, name, row.at_ms, facts, note.reason)
            case AnswerFacts() as facts:
                self.complaints.answered(row.actor, name, row.at_ms, facts, note.reason)
            case SessionFact() | SessionsFact() as facts:
                self._end(row, note, facts)
            case None if note.kind == "key_revoked":  # as older versions wrote it
                self._revoke(number, name, None)
            case None if note.kind == "locked_out" and name in self.accounts:
                self._account(number, name, locked_until_ms=int(note.after))
            case _:
                pass

    def _account(self, number: int, name: str, **changed: Any) -> None:
        old = self.accounts.get(name, AccountRights(number))
        self.accounts[name] = replace(old, row=number, **changed)

    def _call(self, number: int, name: str, display: str) -> None:
        """Give an account another display name; others may then have the old one."""
        old = self.accounts.get(name, AccountRights(number))
        own = {folded(name), folded(old.login)}
        if folded(old.display) not in own:
            self.names.pop(folded(old.display), None)
        if display:
            self.names[folded(display)] = name
        self._account(number, name, display=display)

    def _revoke(self, number: int, name: str, at_ms: int | None) -> None:
        old = self.keys.get(name, KeyRights(number))
        self.keys[name] = replace(old, row=number, holds=False, revoked_ms=at_ms)

    def _end(self, row: Row, note: Note, facts: SessionFact | SessionsFact) -> None:
        """Remember which sessions ended, for as long as one could be used."""
        if note.kind == "signed_in":
            return
        if isinstance(facts, SessionFact):
            self.ended_sessions[facts.session] = row.at_ms
        else:
            self.ended_accounts.pop(note.subject, None)
            self.ended_accounts[note.subject] = (row.at_ms, facts.kept)
        oldest_ms = row.at_ms - ENDED_MS
        while self.ended_sessions and next(iter(self.ended_sessions.values())) < oldest_ms:
            del self.ended_sessions[next(iter(self.ended_sessions))]
        while self.ended_accounts and next(iter(self.ended_accounts.values()))[0] < oldest_ms:
            del self.ended_accounts[next(iter(self.ended_accounts))]

    def ended(self, session: str, account: str, opened_ms: int) -> bool:
        """Whether the session with this fingerprint ended."""
        at_ms, kept = self.ended_accounts.get(account, (0, ""))
        return session in self.ended_sessions or (opened_ms < at_ms and session != kept)

    def problem(self, stored: Iterable[Said], said: Iterable[Said]) -> tuple[Which, str] | None:
        """The first stored value that is not what the office's rows say, and a sentence."""
        found, must = dict(stored), dict(said)
        for which in sorted({*found, *must}, key=str):  # SQLite takes a name in bytes
            is_, should = found.get(which, "nothing"), must.get(which, "nothing")
            if should not in (None, is_):
                value = f"{which[0]} of {which[1]} is stored as {is_}"
                return which, f"the {value}, by the office's rows it is {should}"
        return None

    def said(self) -> Iterator[tuple[int, Said]]:
        """Everything that must be stored, each with the last row that says so."""
        for name, account in self.accounts.items():
            yield from ((account.row, said) for said in account.said(name))
            yield account.row, (("lock-out", name), str(account.locked_until_ms))
        for name, key in self.keys.items():
            yield from ((key.row, said) for said in key.said(name))
        for (account_, kind, setter), (row, limit) in self.limits.items():
            yield from ((row, said) for said in _of_limit(account_, kind, setter, limit))
        for closed in self.closures.values():
            yield from ((closed.row, said) for said in closed.said())

    def check(self, source: sa.Connection) -> None:
        """Raise `Broken`, with the row that contradicts what is stored, if there is one."""
        rows: dict[Which, int] = {}
        must: dict[Which, str | None] = {}
        for number, (which, said) in self.said():
            rows[which], must[which] = number, said
        if (found := self.problem(_stored(source), must.items())) is not None:
            which, sentence = found
            contradicting = (
                database.rows_of(source, OFFICE, rows[which] - 1) if which in rows else iter(())
            )
            raise Broken(next(contradicting, None), sentence)


def of_account(stored: sa.Row[Any]) -> Iterator[Said]:
    """The values of an account as it is stored."""
    yield ("role", stored.name), stored.role
    yield ("money", stored.name), stored.money
    yield ("password", stored.name), passwords.fingerprint(str(stored.password))
    yield ("exclusion", stored.name), str(stored.excluded_until_ms)
    yield ("opening time", stored.name), str(stored.opened_ms)


def of_key(stored: sa.Row[Any]) -> Iterator[Said]:
    """The values of an operator's key as it is stored."""
    revoked = stored.revoked_ms is not None
    yield ("key", stored.name), "revoked" if revoked else "holds"
    yield ("digest of the key", stored.name), passwords.fingerprint(str(stored.digest))
    yield ("end of the key", stored.name), str(stored.revoked_ms) if revoked else NONE


def _of_limit(account: str, kind: str, setter: str, limit: PlayerLimit) -> Iterator[Said]:
    """A limit, followed by the looser one that a player waits for, if there is one."""
    name = f"{account}, {setter}'s {kind}"
    none = limit.next_from_ms is None and limit.next_amount is None
    later = "" if none else f", then {limit.next_amount}"
    yield ("limit", name), f"{limit.amount}{later}"
    untold = limit.next_from_ms == UNTOLD_MS
    since = NONE if limit.next_from_ms is None else str(limit.next_from_ms)
    yield ("time of the next limit", name), None if untold else since


def _of_closure(closure: Closure, timed: bool) -> Iterator[Said]:
    name = f"{closure.scope} {closure.name}".strip()
    yield ("closure", name), f"{closure.actor}: {closure.reason}"
    yield ("time of the closure", name), str(closure.at_ms) if timed else None


def _stored(source: sa.Connection) -> Iterator[Said]:
    for each in source.execute(sa.select(schema.accounts)):
        yield from of_account(each)
        yield ("lock-out", each.name), str(each.locked_until_ms)
    for each in source.execute(sa.select(schema.api_keys)):
        yield from of_key(each)
    for each in source.execute(sa.select(schema.limits)):
        limit = PlayerLimit(each.amount, each.next_amount, each.next_from_ms)
        yield from _of_limit(each.account, each.kind, each.setter, limit)
    for each in source.execute(sa.select(schema.closures)):
        yield from _of_closure(Closure(*each), timed=True)


def _text(value: int | None) -> str | None:
    return None if value is None else str(value)
