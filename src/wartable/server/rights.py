"""What people may do, and what is disabled: as the office wrote it down, and as it is stored."""

from collections.abc import Iterator

import sqlalchemy as sa

from wartable.server import schema
from wartable.server.journal import Broken, Row
from wartable.server.records import Note

Which = tuple[str, str]
"""One thing that is stored: what of whom."""


class Rights:
    """Roles, kinds of money, exclusions, keys, limits and closures, by the office's rows."""

    def __init__(self) -> None:
        self._said: dict[Which, tuple[Row, str]] = {}

    def note(self, row: Row, note: Note) -> None:
        """Follow what a row of the office says."""
        name = note.subject
        match note.kind:
            case "account_opened":
                role, _, money = note.after.partition(", ")
                self._said["role", name] = (row, role)
                self._said["money", name] = (row, money.removesuffix(" money"))
                self._said["exclusion", name] = (row, "0")
            case "role_changed":
                self._said["role", name] = (row, note.after)
            case "excluded":
                # A shorter one that was asked for at the same time changes nothing.
                longest = max(
                    int(note.after), int(self._said.get(("exclusion", name), (row, "0"))[1])
                )
                self._said["exclusion", name] = (row, str(longest))
            case "key_made":
                self._said["key", name] = (row, "holds")
            case "key_revoked":
                self._said["key", name] = (row, "revoked")
            case "limit_set":
                waits = note.reason.startswith("player's ") and _looser(note.before, note.after)
                said = f"{note.before}, then {note.after}" if waits else note.after
                self._said["limit", f"{name}, {note.reason}"] = (row, said)
            case "disabled":
                self._said["closure", name] = (row, f"{row.actor}: {note.reason}")
            case "enabled":
                self._said.pop(("closure", name), None)

    def check(self, source: sa.Connection) -> None:
        """`Broken` with the row that says otherwise than what is stored, or with none."""
        stored = dict(_stored(source))
        for which in sorted({*self._said, *stored}):
            row, said = self._said.get(which, (None, "nothing"))
            found = stored.get(which, "nothing")
            if said != found:
                told = f"{which[0]} of {which[1]} is stored as {found}"
                raise Broken(row, f"the {told}, by the office's rows it is {said}")


def _looser(before: str, after: str) -> bool:
    """Whether a limit is above the one that held; a player's then waits for a day."""
    held = before not in ("", "None")
    return held and (after == "None" or int(after) > int(before))


def _stored(source: sa.Connection) -> Iterator[tuple[Which, str]]:
    for each in source.execute(sa.select(schema.accounts)):
        yield ("role", each.name), each.role
        yield ("money", each.name), each.money
        yield ("exclusion", each.name), str(each.excluded_until_ms)
    for each in source.execute(sa.select(schema.api_keys)):
        yield ("key", each.name), "holds" if each.revoked_ms is None else "revoked"
    for each in source.execute(sa.select(schema.limits)):
        later = "" if each.next_from_ms is None else f", then {each.next_amount}"
        limit = f"{each.account}, {each.setter}'s {each.kind}"
        yield ("limit", limit), f"{each.amount}{later}"
    for each in source.execute(sa.select(schema.closures)):
        yield ("closure", f"{each.scope} {each.name}".strip()), f"{each.actor}: {each.reason}"
