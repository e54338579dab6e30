"""The changes that significant events made, as values with which the records are compared."""

from typing import Literal

from wartable.game.messages import Message


class AccountFacts(Message, frozen=True):
    """An account's role, kind of money, fingerprint of its password, and time of opening."""

    role: str
    money: str
    password: str
    opened_ms: int | None = None


class PasswordFact(Message, frozen=True):
    """The fingerprint of a password."""

    password: str


class RegisteredFact(Message, frozen=True):
    """The name under which a guest signs in from now on, and the fingerprint of the password."""

    login: str
    password: str


class DisplayFact(Message, frozen=True):
    """What a player is called at tables."""

    display: str


class CodesFact(Message, frozen=True):
    """The digests of an account's recovery codes, instead of all earlier ones."""

    codes: tuple[str, ...]


class RecoveredFact(Message, frozen=True):
    """The fingerprint of a new password, and the digest of the recovery code that was used."""

    password: str
    code: str


class RoleFact(Message, frozen=True):
    """A role."""

    role: str


class ExclusionFact(Message, frozen=True):
    """When a player's exclusion ends, unless a longer one is in force."""

    until_ms: int


class KeyFact(Message, frozen=True):
    """The fingerprint of an operator's key."""

    key: str


class RevocationFact(Message, frozen=True):
    """When an operator's key was revoked."""

    at_ms: int


class SessionFact(Message, frozen=True):
    """The fingerprint of the session that began or ended."""

    session: str


class SessionsFact(Message, frozen=True):
    """All sessions of an account ended, but the one with this fingerprint, if there is one."""

    kept: str = ""


class LimitFacts(Message, frozen=True):
    """A limit's owner, kind and amount, and the looser one that follows; None is no limit.

    `next_from_ms` is None if none follows.
    """

    setter: str
    kind: str
    amount: int | None
    next_amount: int | None = None
    next_from_ms: int | None = None


class ClosureFacts(Message, frozen=True):
    """What was disabled or enabled, and when it was disabled."""

    scope: str
    name: str
    at_ms: int | None = None


CardMove = Literal[
    "received", "inspected", "verified", "shuffled", "secured", "issued", "destroyed"
]


class CardFacts(Message, frozen=True):
    """What was done with a set of cards and when, its place after it, decks, back and seal."""

    what: CardMove
    at_ms: int
    place: str
    decks: int
    back: str
    seal: str = ""


class ApprovalFacts(Message, frozen=True):
    """An award that the first of two people approved: its round, and the side bets settled before.

    Every award settles one, so the second of a round is another award.
    """

    round: int
    settled: int


class DisputeFacts(Message, frozen=True):
    """The round that a player disputes."""

    table: str
    round: int


DisputeEnd = Literal["stands", "void", "corrected"]


class AnswerFacts(Message, frozen=True):
    """How the dispute of that number ended, and what the house paid for it."""

    dispute: int
    end: DisputeEnd
    amount: int = 0


class RestartFact(Message, frozen=True):
    """How long the house was closed before this start, by a clock that nobody confirmed."""

    closed_ms: int


class HeadsFact(Message, frozen=True):
    """The number and hash of the last row of each chain."""

    heads: dict[str, tuple[int, str]]


Facts = (
    AccountFacts
    | PasswordFact
    | RegisteredFact
    | DisplayFact
    | CodesFact
    | RecoveredFact
    | RoleFact
    | ExclusionFact
    | KeyFact
    | RevocationFact
    | SessionFact
    | SessionsFact
    | LimitFacts
    | ClosureFacts
    | RestartFact
    | HeadsFact
    | CardFacts
    | ApprovalFacts
    | DisputeFacts
    | AnswerFacts
)
