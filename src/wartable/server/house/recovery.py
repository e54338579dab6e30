"""Recovery codes: the way back in for players who forget their password."""

import asyncio
import hmac
import re
import secrets

from wartable.server.denied import Denied, not_your_part
from wartable.server.house import passwords
from wartable.server.house.accounts import (
    SET_PASSWORD,
    Account,
    Accounts,
    account_of,
    check_password,
)
from wartable.server.house.guard import Guard
from wartable.server.house.office import Office
from wartable.server.house.sessions import Session, Sessions, too_many_failures
from wartable.server.records.facts import CodesFact, RecoveredFact
from wartable.server.records.messages import Note

CODES = 8
GROUPS, GROUP = 4, 4
ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""The symbols of a code; 16 of them are 80 bits, which nobody can guess from a digest."""

_LOCK_LIFTED = "UPDATE accounts SET locked_until_ms = 0 WHERE name = ?"


def wrong_code() -> Denied:
    """The one answer to every failed recovery, whatever was wrong."""
    return Denied("wrong_credentials", "The name or the recovery code is wrong.")


def new_code() -> str:
    """A new recovery code: `ABCD-EFGH-JKLM-NPQR`."""
    symbols = [secrets.choice(ALPHABET) for _ in range(GROUPS * GROUP)]
    return "-".join(
        "".join(symbols[start : start + GROUP]) for start in range(0, len(symbols), GROUP)
    )


def digest(account: str, code: str) -> str:
    """What is stored of an account's code, however it was typed."""
    return passwords.digest(f"{account} {re.sub('[^A-Z0-9]', '', code.upper())}")


class Recovery:
    """The recovery codes of all accounts, which are in the office's rows as digests only."""

    def __init__(
        self, office: Office, accounts: Accounts, sessions: Sessions, guard: Guard
    ) -> None:
        self._office, self._accounts, self._sessions = office, accounts, sessions
        self._guard = guard
        self._using = asyncio.Lock()
        """Held while a code is compared and used, so that nobody uses it twice."""

    def left(self, account: str) -> int:
        """How many codes of an account are not used."""
        return len(self._codes(account))

    def _codes(self, account: str) -> tuple[str, ...]:
        known = self._guard.rights.accounts.get(account)
        return () if known is None else known.codes

    async def new_codes(self, session: Session, password: str) -> list[str]:
        """New codes for somebody who gives the password; older ones are worth nothing now."""
        account = session.account
        if account.role != "player":
            raise not_your_part(account.role)
        if self._accounts.is_guest(account.name):
            raise Denied("no_password", "A guest has no password to recover; register first.")
        await self._sessions.check_own_password(session, password)
        codes = [new_code() for _ in range(CODES)]
        facts = CodesFact(tuple(digest(account.name, code) for code in codes))
        note = Note("codes_made", account.name, after=f"{CODES} codes", facts=facts)
        await self._office.note(account.name, note)
        return codes

    async def recover(
        self, name: str, code: str, password: str, address: str
    ) -> tuple[Account, str]:
        """Set a new password with a code; sessions end, and a new one begins: its token."""
        name = self._accounts.named(name)
        check_password(name, password)
        place = address
        if await self._sessions.must_wait(name, address, place):
            raise too_many_failures()
        async with self._using:
            row = await asyncio.to_thread(self._accounts.row, name)
            asked = digest(name, code)
            known = [each for each in self._codes(name) if hmac.compare_digest(each, asked)]
            if row is None or row.role != "player" or not known:
                await self._sessions.failed(name, row is not None, place)
                raise wrong_code()
            stored = await self._accounts.kept(password)
            facts = RecoveredFact(passwords.fingerprint(stored), asked)
            left = f"{self.left(name) - 1} codes left"
            note = Note("recovered", name, after=left, facts=facts)
            self._sessions.end(name, None)  # none of them can change the password again
            changes = ((SET_PASSWORD, (stored, name)), (_LOCK_LIFTED, (name,)))
            await self._office.note(name, note, *changes)
            await self._sessions.end_others(name, None)
            self._sessions.forgive(name)
        row = await asyncio.to_thread(self._accounts.row, name)
        if row is None or row.password != stored:
            raise wrong_code()
        account = account_of(row)
        return account, await self._sessions.begin(account, address)
