"""Operators' keys, with which an operator's own cashier pays in and out."""

import asyncio

import sqlalchemy as sa

from wartable.server.clock import Clock
from wartable.server.denied import Denied
from wartable.server.house import passwords
from wartable.server.house.office import Office
from wartable.server.records import schema
from wartable.server.records.facts import KeyFact
from wartable.server.records.messages import Note
from wartable.server.records.store import CommitRefused

_NEW_KEY = "INSERT INTO api_keys (name, digest) VALUES (?, ?)"
_REVOKE = "UPDATE api_keys SET revoked_ms = ? WHERE name = ?"


class OperatorKeys:
    """All keys; making or revoking one writes a significant event."""

    def __init__(self, engine: sa.Engine, office: Office, clock: Clock) -> None:
        self._engine, self._office, self._clock = engine, office, clock

    async def make(self, by: str, name: str) -> str:
        """A new key for an operator's own cashier; it is shown only once."""
        token = f"wk_{name}_{passwords.new_token()}"
        stored = passwords.digest(token)
        key = passwords.fingerprint(stored)
        note = Note("key_made", name, after=f"key {key}", facts=KeyFact(key))
        try:
            await self._office.note(by, note, (_NEW_KEY, (name, stored)))
        except CommitRefused:
            raise Denied("name_taken", "There is already a key of that name.") from None
        return token

    async def revoke(self, by: str, name: str, reason: str) -> None:
        """Revoke a key."""
        if not await asyncio.to_thread(self._holds, schema.api_keys.c.name == name):
            raise Denied("no_key", "There is no valid key of that name.")
        change = (_REVOKE, (self._clock.now_ms(), name))
        await self._office.note(by, Note("key_revoked", name, reason), change)

    def name_of(self, token: str) -> str:
        """The name of an operator's key, if it is valid."""
        found = self._holds(schema.api_keys.c.digest == passwords.digest(token))
        if found is None:
            raise Denied("wrong_credentials", "This is not a valid operator's key.")
        return found

    def _holds(self, which: sa.ColumnElement[bool]) -> str | None:
        """The name of that key, unless it was revoked."""
        keys = schema.api_keys
        query = sa.select(keys.c.name).where(which, keys.c.revoked_ms.is_(None))
        with self._engine.connect() as connection:
            found: str | None = connection.execute(query).scalar()
        return found
