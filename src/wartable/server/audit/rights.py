"""What people may do, and what is disabled: as the office wrote it down, and as it is stored."""

from collections.abc import Iterator

import sqlalchemy as sa

from wartable.server.house import passwords
from wartable.server.period import read_moment
from wartable.server.records import schema
from wartable.server.records.journal import Broken, Row
from wartable.server.records.messages import Note

Which = tuple[str, str]
"""One thing that is stored: what of whom."""

NONE = "none"
"""That there is nothing of the kind."""


class Rights:
    """Roles, kinds of money, passwords, exclusions, keys, limits, closures, by the office's rows.

    Notes of older versions do not tell everything: what is said as None is not compared.
    """

    def __init__(self) -> None:
        self._said: dict[Which, tuple[Row, str | None]] = {}

    def note(self, row: Row, note: Note) -> None:
        """Follow what a row of the office says."""
        name = note.subject
        match note.kind:
            case "account_opened":
                role, money, *password = note.after.split(", ")
                self._say(row, "role", name, role)
                self._say(row, "money", name, money.removesuffix(" money"))
                self._say(row, "password", name, _fingerprint("".join(password)))
                self._say(row, "exclusion", name, "0")
            case "password_changed":
                self._say(row, "password", name, _fingerprint(note.after))
            case "role_changed":
                self._say(row, "role", name, note.after)
            case "excluded":
                # A shorter one that was asked for at the same time changes nothing.
                _, before = self._said.get(("exclusion", name), (row, None))
                longest = max(int(note.after), int(before or 0))
                self._say(row, "exclusion", name, str(longest))
            case "key_made":
                self._say(row, "key", name, "holds")
                self._say(row, "digest of the key", name, _fingerprint(note.after))
            case "key_revoked":
                self._say(row, "key", name, "revoked")
            case "limit_set":
                self._limit(row, note)
            case "disabled":
                self._say(row, "closure", name, f"{row.actor}: {note.reason}")
            case "enabled":
                self._said.pop(("closure", name), None)

    def _say(self, row: Row, what: str, name: str, said: str | None) -> None:
        self._said[what, name] = (row, said)

    def _limit(self, row: Row, note: Note) -> None:
        """A limit, or the one that holds and the looser one that a player waits for."""
        name = f"{note.subject}, {note.reason}"
        amount, _, later = note.after.partition(" from ")
        waits = note.reason.startswith("player's ") and _looser(note.before, amount)
        since = str(read_moment(later.removesuffix(" UTC"))) if later else None
        self._say(row, "limit", name, f"{note.before}, then {amount}" if waits else amount)
        self._say(row, "time of the next limit", name, since if waits else NONE)

    def check(self, source: sa.Connection) -> None:
        """`Broken` with the row that says otherwise than what is stored, or with none."""
        stored = dict(_stored(source))
        for which in sorted({*self._said, *stored}):
            row, said = self._said.get(which, (None, "nothing"))
            found = stored.get(which, "nothing")
            if said not in (None, found):
                told = f"{which[0]} of {which[1]} is stored as {found}"
                raise Broken(row, f"the {told}, by the office's rows it is {said}")


def _fingerprint(after: str) -> str | None:
    """That of the password or key that a note tells of, where it does."""
    return after.partition(" ")[2] or None


def _looser(before: str, after: str) -> bool:
    """Whether a limit is above the one that held; a player's then waits for a day."""
    held = before not in ("", "None")
    return held and (after == "None" or int(after) > int(before))


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
