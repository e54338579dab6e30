"""What a significant event changed, as values: what the records are compared with."""

from wartable.game.messages import Message


class AccountFacts(Message, frozen=True):
    """An account's role and kind of money, and the fingerprint of its password."""

    role: str
    money: str
    password: str


class PasswordFact(Message, frozen=True):
    """The fingerprint of a password."""

    password: str


class RoleFact(Message, frozen=True):
    """A role."""

    role: str


class ExclusionFact(Message, frozen=True):
    """Until when a player is excluded, unless it is for longer already."""

    until_ms: int


class KeyFact(Message, frozen=True):
    """The fingerprint of an operator's key."""

    key: str


class LimitFacts(Message, frozen=True):
    """Whose limit of which kind it is, the amount, and the looser one that follows; None is none.

    `next_from_ms` is None where none follows.
    """

    setter: str
    kind: str
    amount: int | None
    next_amount: int | None = None
    next_from_ms: int | None = None


class ClosureFacts(Message, frozen=True):
    """What was disabled or enabled."""

    scope: str
    name: str


Facts = AccountFacts | PasswordFact | RoleFact | ExclusionFact | KeyFact | LimitFacts | ClosureFacts
