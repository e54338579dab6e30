"""Rights and closures: what the office's rows say, compared with what is stored."""

from collections.abc import Iterator

import sqlalchemy as sa

from wartable.server.audit.oldnotes import UNTOLD_MS, facts_of
from wartable.server.house import passwords
from wartable.server.records import schema
from wartable.server.records.facts import (
    AccountFacts,
    ClosureFacts,
    ExclusionFact,
    KeyFact,
    LimitFacts,
    PasswordFact,
    RoleFact,
)
from wartable.server.records.journal import Broken, Row
from wartable.server.records.messages import Note

Which = tuple[str, str]
"""The name of one stored value: its kind and its owner."""

NONE = "none"
"""The value of something that does not exist."""


class Rights:
    """Roles, kinds of money, passwords, exclusions, keys, limits, closures, by the office's rows.

    Notes of older versions do not say everything; a None is not compared.
    """

    def __init__(self) -> None:
        self._said: dict[Which, tuple[Row, str | None]] = {}

    def note(self, row: Row, note: Note) -> None:
        """Follow what a row of the office says."""
        name = note.subject
        if note.kind == "key_revoked":
            self._say(row, "key", name, "revoked")
        match note.facts or facts_of(note):
            case AccountFacts(role, money, password):
                self._say(row, "role", name, role)
                self._say(row, "money", name, money)
                self._say(row, "password", name, password or None)
                self._say(row, "exclusion", name, "0")
            case PasswordFact(password):
                self._say(row, "password", name, password or None)
            case RoleFact(role):
                self._say(row, "role", name, role)
            case ExclusionFact(until_ms):
                # A shorter one requested at the same time changes nothing.
                _, before = self._said.get(("exclusion", name), (row, None))
                self._say(row, "exclusion", name, str(max(until_ms, int(before or 0))))
            case KeyFact(key):
                self._say(row, "key", name, "holds")
                self._say(row, "digest of the key", name, key or None)
            case LimitFacts() as limit:
                self._limit(row, name, limit)
            case ClosureFacts(scope, of) if note.kind == "disabled":
                said = f"{row.actor}: {note.reason}"
                self._say(row, "closure", f"{scope} {of}".strip(), said)
            case ClosureFacts(scope, of):
                self._said.pop(("closure", f"{scope} {of}".strip()), None)

    def _say(self, row: Row, what: str, name: str, said: str | None) -> None:
        self._said[what, name] = (row, said)

    def _limit(self, row: Row, account: str, limit: LimitFacts) -> None:
        """A limit, followed by the looser one that a player waits for, if there is one."""
        name = f"{account}, {limit.setter}'s {limit.kind}"
        later = "" if limit.next_from_ms is None else f", then {limit.next_amount}"
        self._say(row, "limit", name, f"{limit.amount}{later}")
        since = NONE if limit.next_from_ms is None else str(limit.next_from_ms)
        untold = limit.next_from_ms == UNTOLD_MS
        self._say(row, "time of the next limit", name, None if untold else since)

    def check(self, source: sa.Connection) -> None:
        """Raise `Broken`, with the row that contradicts what is stored, if there is one."""
        stored = dict(_stored(source))
        for which in sorted({*self._said, *stored}):
            row, said = self._said.get(which, (None, "nothing"))
            found = stored.get(which, "nothing")
            if said not in (None, found):
                value = f"{which[0]} of {which[1]} is stored as {found}"
                raise Broken(row, f"the {value}, by the office's rows it is {said}")


def _stored(source: sa.Connection) -> Iterator[tuple[Which, str]]:
    for each in source.execute(sa.select(schema.accounts)):
        yield ("role", each.name), each.role
        yield ("money", each.name), each.money
        yield ("password", each.name), passwords.fingerprint(str(each.password))
        yield ("exclusion", each.name), str(each.excluded_until_ms)
    for each in source.execute(sa.select(schema.api_keys)):
        yield ("key", each.name), "holds" if each.revoked_ms is None else "revoked"
        yield ("digest of the key", each.name), passwords.fingerprint(str(each.digest))
    for each in source.execute(sa.select(schema.limits)):
        later = "" if each.next_from_ms is None else f", then {each.next_amount}"
        limit = f"{each.account}, {each.setter}'s {each.kind}"
        yield ("limit", limit), f"{each.amount}{later}"
        since = NONE if each.next_from_ms is None else str(each.next_from_ms)
        yield ("time of the next limit", limit), since
    for each in source.execute(sa.select(schema.closures)):
        yield ("closure", f"{each.scope} {each.name}".strip()), f"{each.actor}: {each.reason}"
