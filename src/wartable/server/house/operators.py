"""Operators' keys, with which an operator's own cashier pays in and out."""

import asyncio

import sqlalchemy as sa

from wartable.server.clock import Clock
from wartable.server.denied import Denied
from wartable.server.house import passwords
from wartable.server.house.guard import Guard
from wartable.server.house.office import Office
from wartable.server.records import schema
from wartable.server.records.facts import KeyFact, RevocationFact
from wartable.server.records.messages import Note
from wartable.server.records.store import CommitRefused

_NEW_KEY = "INSERT INTO api_keys (name, digest) VALUES (?, ?)"
_REVOKE = "UPDATE api_keys SET revoked_ms = ? WHERE name = ?"


class OperatorKeys:
    """All keys; making or revoking one writes a significant event."""

    def __init__(self, engine: sa.Engine, office: Office, clock: Clock, guard: Guard) -> None:
        self._engine, self._office, self._clock = engine, office, clock
        self._guard = guard

    async def make(self, by: str, name: str) -> str:
        """A new key for an operator's own cashier; it is shown only once."""
        token = f"wk_{name}_{passwords.new_token()}"
        stored = passwords.digest(token)
        key = passwords.fingerprint(stored)
        note = Note("key_made", name, facts=KeyFact(key))
        try:
            await self._office.note(by, note, (_NEW_KEY, (name, stored)))
        except CommitRefused:
            raise Denied("name_taken", "There is already a key of that name.") from None
        return token

    async def revoke(self, by: str, name: str, reason: str) -> None:
        """Revoke a key."""
        found = await asyncio.to_thread(self._guard.key, name)
        if found is None or found.revoked_ms is not None:
            raise Denied("no_key", "There is no valid key of that name.")
        at_ms = self._clock.now_ms()
        note = Note("key_revoked", name, reason, facts=RevocationFact(at_ms))
        await self._office.note(by, note, (_REVOKE, (at_ms, name)))

    def name_of(self, token: str) -> str:
        """The name of an operator's key, if it is valid."""
        keys, digest = schema.api_keys.c, passwords.digest(token)
        with self._engine.connect() as connection:
            name = connection.execute(sa.select(keys.name).where(keys.digest == digest)).scalar()
        found = None if name is None else self._guard.key(name)
        if found is None or found.digest != digest or found.revoked_ms is not None:
            raise Denied("wrong_credentials", "This is not a valid operator's key.")
        return str(found.name)
