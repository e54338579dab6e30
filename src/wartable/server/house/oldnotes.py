"""The changes in the notes of version 0.1.0, parsed from their words.

Those rows are chained and can never be rewritten. Later notes carry the changes as values.
"""

from wartable.server.period import read_moment
from wartable.server.records.facts import (
    AccountFacts,
    ClosureFacts,
    ExclusionFact,
    Facts,
    KeyFact,
    LimitFacts,
    PasswordFact,
    RoleFact,
)
from wartable.server.records.messages import Note

UNTOLD_MS = -1
"""The start of a following limit whose time the oldest notes do not give."""


def facts_of(note: Note) -> Facts | None:
    """The change of rights that a note's words describe; a missing fingerprint is ''."""
    match note.kind:
        case "account_opened":
            role, money, *password = note.after.split(", ")
            return AccountFacts(role, money.removesuffix(" money"), _last("".join(password)))
        case "password_changed":
            return PasswordFact(_last(note.after))
        case "role_changed":
            return RoleFact(note.after)
        case "excluded":
            return ExclusionFact(int(note.after))
        case "key_made":
            return KeyFact(_last(note.after))
        case "limit_set":
            return _limit(note)
        case "disabled" | "enabled":
            scope, _, name = note.subject.partition(" ")
            return ClosureFacts(scope, name)
        case _:
            return None


def _last(words: str) -> str:
    """The fingerprint after this word."""
    return words.partition(" ")[2]


def _limit(note: Note) -> LimitFacts:
    """`player's loss_day` from `500` to `800 from 2026-11-17 15:59:21.464 UTC`."""
    setter, _, kind = note.reason.partition("'s ")
    amount, _, later = note.after.partition(" from ")
    held, new = _amount(note.before), _amount(amount)
    if setter == "player" and held is not None and (new is None or new > held):
        since_ms = read_moment(later.removesuffix(" UTC")) if later else UNTOLD_MS
        return LimitFacts(setter, kind, held, new, since_ms)
    return LimitFacts(setter, kind, new)


def _amount(words: str) -> int | None:
    return None if words in ("", "None") else int(words)
