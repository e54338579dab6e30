"""Accounts: guests, people with passwords, and how long a player is excluded."""

import asyncio
import re
from itertools import count

import msgspec
import sqlalchemy as sa

from wartable.server.clock import Clock
from wartable.server.config import Money
from wartable.server.denied import Denied
from wartable.server.house import passwords
from wartable.server.house.guard import Guard
from wartable.server.house.naming import checked_display, folded
from wartable.server.house.office import Office
from wartable.server.house.rights import GUEST
from wartable.server.house.roles import Role
from wartable.server.house.weak import is_weak
from wartable.server.records.facts import (
    AccountFacts,
    DisplayFact,
    ExclusionFact,
    RegisteredFact,
)
from wartable.server.records.messages import Note
from wartable.server.records.store import CommitRefused
from wartable.table import PLATFORM

HASHING_MAX = 2
PASSWORD_MIN = 10
PASSWORD_MAX = 200
NAME = re.compile(r"[a-z][a-z0-9_-]{2,31}")
RESERVED = ("guest", "bot", "platform", "house", "outside", "cashier", "office", "key", "wartable")

_OPEN = (
    "INSERT INTO accounts (name, role, money, password, opened_ms, excluded_until_ms,"
    " locked_until_ms) VALUES (?, ?, ?, ?, ?, 0, 0)"
)
SET_PASSWORD = "UPDATE accounts SET password = ? WHERE name = ?"
_EXCLUDE = "UPDATE accounts SET excluded_until_ms = ? WHERE name = ? AND excluded_until_ms < ?"


class Account(msgspec.Struct, frozen=True):
    """An account's name, its role, and its kind of money."""

    name: str
    role: Role
    money: Money
    opened_ms: int
    excluded_until_ms: int = 0


class Accounts:
    """All accounts; every change of rights writes a significant event."""

    def __init__(self, office: Office, clock: Clock, guard: Guard, money: Money) -> None:
        """`money` is the house's kind of money."""
        self._office, self._clock, self._guard = office, clock, guard
        self.money = money
        known = guard.rights.accounts.items()
        self.staff = {name for name, each in known if each.role != "player"}
        """The accounts whose role is not player."""
        self.hashing = asyncio.Semaphore(HASHING_MAX)
        self._naming = asyncio.Lock()
        """Held while a name is compared with all others and written."""

    async def open_guest(self) -> tuple[Account, str]:
        """A new guest with play money, and the generated password for signing in again."""
        name, password = f"{GUEST}{passwords.new_name()}", passwords.new_token()
        account = Account(name, "player", "play", self._clock.now_ms())
        await self._insert(name, account, passwords.kept_made(password))
        return account, password

    async def open(
        self,
        by: str | None,
        name: str,
        password: str,
        role: Role = "player",
        money: Money | None = None,
    ) -> Account:
        """A new account, opened by its owner or by somebody who may grant this role."""
        if money not in (None, self.money):
            sentence = f"This house plays for {self.money} money; open the account with that."
            raise Denied("other_money", sentence)
        check_name(name)
        check_password(name, password)
        account = Account(name, role, self.money, self._clock.now_ms())
        stored = await self.kept(password)
        async with self._naming:
            self._check_free(name, name)
            await self._insert(by or name, account, stored)
        return account

    async def register_guest(self, guest: str, login: str, password: str) -> None:
        """Give a guest a name and a password to sign in with; money and rounds stay theirs."""
        if not self.is_guest(guest):
            raise Denied("registered", "This account is registered already.")
        check_name(login)
        check_password(login, password)
        stored = await self.kept(password)
        facts = RegisteredFact(login, passwords.fingerprint(stored))
        note = Note("registered", guest, after=login, facts=facts)
        async with self._naming:
            self._check_free(login, guest)
            if login in self._guard.rights.accounts or not self.is_guest(guest):
                raise name_taken()
            await self._office.note(guest, note, (SET_PASSWORD, (stored, guest)))

    async def set_display(self, name: str, display: str) -> None:
        """Call a player by another name at tables; "" for the account's own name."""
        wanted = checked_display(display) if display.strip() else ""
        before = self.display(name)
        note = Note("name_changed", name, "", before, wanted, DisplayFact(wanted))
        async with self._naming:
            self._check_free(wanted, name)
            await self._office.note(name, note)

    def _check_free(self, name: str, owner: str) -> None:
        """Deny a name that somebody else has, or one that looks like it."""
        if name and self._guard.rights.names.get(folded(name), owner) != owner:
            raise name_taken()

    def named(self, name: str) -> str:
        """The account that signs in with this name: a guest who registered chose another."""
        return self._guard.rights.logins.get(name, name)

    def is_guest(self, name: str) -> bool:
        """Whether this is a guest who has not registered."""
        known = self._guard.rights.accounts.get(name)
        return name.startswith(GUEST) and (known is None or not known.login)

    def display(self, name: str) -> str:
        """What a player is called at tables; "" if the account's own name is all there is."""
        known = self._guard.rights.accounts.get(name)
        return "" if known is None else known.display or known.login

    async def open_admin(self) -> tuple[str, str] | None:
        """The first administrator's name and password, if there is no administrator yet.

        An earlier version could leave a house without one, and with a player named `admin`.
        """
        known = self._guard.rights.accounts
        if any(each.role == "admin" for each in known.values()):
            return None
        names = (f"admin-{number}" if number > 1 else "admin" for number in count(1))
        name = next(name for name in names if name not in known)
        password = passwords.new_token()
        account = Account(name, "admin", self.money, self._clock.now_ms())
        await self._insert(PLATFORM, account, passwords.kept_made(password))
        return name, password

    async def _insert(self, by: str, account: Account, stored: str) -> None:
        values = (account.name, account.role, account.money, stored, account.opened_ms)
        after = f"{account.role}, {account.money} money"
        fingerprint = passwords.fingerprint(stored)
        facts = AccountFacts(account.role, account.money, fingerprint, account.opened_ms)
        note = Note("account_opened", account.name, after=after, facts=facts)
        try:
            await self._office.note(by, note, (_OPEN, values))
        except CommitRefused:
            raise name_taken() from None
        self.has_role(account.name, account.role)

    async def exclude(self, name: str, until_ms: int, reason: str) -> None:
        """Exclude a player at once; an exclusion can only be extended."""
        account = await self.find(name)
        if until_ms <= account.excluded_until_ms:
            raise Denied("excluded", "You are already excluded for longer than that.")
        change = (_EXCLUDE, (until_ms, name, until_ms))
        before, after = str(account.excluded_until_ms), str(until_ms)
        note = Note("excluded", name, reason, before, after, ExclusionFact(until_ms))
        await self._office.note(name, note, change)

    async def find(self, name: str) -> Account:
        """The account of that name."""
        row = await asyncio.to_thread(self.row, name)
        if row is None:
            raise Denied("no_account", "There is no account of that name.")
        return account_of(row)

    def has_role(self, name: str, role: Role) -> None:
        """Note an account's role once it is written."""
        (self.staff.discard if role == "player" else self.staff.add)(name)

    async def kept(self, password: str) -> str:
        """The stored hash of a password that a person chose."""
        async with self.hashing:
            return await asyncio.to_thread(passwords.kept, password)

    def row(self, name: str) -> sa.Row[tuple[object, ...]] | None:
        """An account as it is stored, if that is what the office's rows say."""
        return self._guard.account(name)


def name_taken() -> Denied:
    """The answer to somebody who wants a name that is taken."""
    return Denied("name_taken", "This name is taken, or too much like one that is.")


def check_name(name: str) -> None:
    """Deny a name that nobody may sign in with."""
    if not NAME.fullmatch(name) or name.partition("-")[0] in RESERVED:
        sentence = (
            "A name must be 3 to 32 of a-z, 0-9, - and _, begin with a letter and not be reserved."
        )
        raise Denied("bad_name", sentence)


def account_of(row: sa.Row[tuple[object, ...]]) -> Account:
    """The account in a stored row."""
    values = (row.name, row.role, row.money, row.opened_ms, row.excluded_until_ms)
    return Account(*values)


def check_password(name: str, password: str) -> None:
    """Deny a password that is too short or too long, contains the name, or is easy to guess."""
    if not PASSWORD_MIN <= len(password) <= PASSWORD_MAX or name in password.lower():
        sentence = (
            f"A password must have {PASSWORD_MIN} to {PASSWORD_MAX} characters"
            " and not contain the name."
        )
        raise Denied("bad_password", sentence)
    if is_weak(password):
        sentence = (
            "This password is among the first that others would try; choose a few words that do"
            " not belong together."
        )
        raise Denied("bad_password", sentence)
