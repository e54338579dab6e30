"""The bodies of HTTP requests and answers."""

from typing import Annotated, Literal

import msgspec

from wartable.money import Amount
from wartable.server.config import Money
from wartable.server.house.closures import Scope
from wartable.server.house.limits import LimitKind
from wartable.server.house.roles import Role
from wartable.server.http.wire import Id
from wartable.server.opening import BookName
from wartable.server.records.facts import CardMove
from wartable.validation import END

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=32)]
Password = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
ReasonText = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Days = Annotated[int, msgspec.Meta(ge=1, le=36_500)]
PositiveAmount = Annotated[int, msgspec.Meta(ge=1, le=10**12)]


class RequestBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a request; unknown fields are refused."""


class Credentials(RequestBody, frozen=True):
    """A name and its password."""

    name: Name
    password: Password


class NewPassword(RequestBody, frozen=True):
    """The old and the new password."""

    old: Password
    new: Password


class Recovering(RequestBody, frozen=True):
    """A name, one of its recovery codes, and the new password."""

    name: Name
    code: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    password: Password


class OwnPassword(RequestBody, frozen=True):
    """One's own password, as a proof."""

    password: Password


class NewDisplay(RequestBody, frozen=True):
    """What one wants to be called at tables; empty for the account's own name."""

    display: Annotated[str, msgspec.Meta(max_length=40)]


class NewAccount(RequestBody, frozen=True):
    """An account that an administrator opens."""

    name: Name
    password: Password
    role: Role = "player"
    money: Money | None = None
    """Null for the house's kind of money."""


class NewRole(RequestBody, frozen=True):
    """Another role for an account."""

    role: Role
    reason: ReasonText


class NewLimit(RequestBody, frozen=True):
    """A limit; null for none."""

    kind: LimitKind
    amount: Amount | None


class OperatorLimit(RequestBody, frozen=True):
    """The operator's limit for an account, or for everybody: `*`."""

    account: Name
    kind: LimitKind
    amount: Amount | None


class Exclusion(RequestBody, frozen=True):
    """How long to be excluded, and optionally why."""

    days: Days
    reason: Annotated[str, msgspec.Meta(max_length=200)] = ""


class Refill(RequestBody, frozen=True):
    """The id of a request for new play money."""

    id: Id


class PrivateTable(RequestBody, frozen=True):
    """A private table, by this book."""

    book: BookName


class BotsWanted(RequestBody, frozen=True):
    """How many bots to add."""

    count: Annotated[int, msgspec.Meta(ge=1, le=9)]


class BotsUnwanted(RequestBody, frozen=True):
    """How many bots to remove; null for all."""

    count: Annotated[int, msgspec.Meta(ge=1, le=9)] | None = None


class Closing(RequestBody, frozen=True):
    """What to disable or enable (all gaming, a book, a table or a player) and why."""

    scope: Scope
    reason: ReasonText
    name: Annotated[str, msgspec.Meta(max_length=80)] = ""


class TimeConfirmed(RequestBody, frozen=True):
    """The time now, read from a clock that is right, and why it is believed."""

    time: Annotated[str, msgspec.Meta(max_length=40, description="such as 2026-11-15T20:30, UTC")]
    reason: ReasonText


class NewCards(RequestBody, frozen=True):
    """A set of cards that the house received: its name, its decks and the colour of its backs."""

    name: Annotated[
        str,
        msgspec.Meta(
            pattern=f"^[a-z0-9][a-z0-9-]{{0,31}}{END}",
            description="up to 32 of a-z, 0-9 and -",
        ),
    ]
    decks: Annotated[int, msgspec.Meta(ge=1, le=16)]
    back: Annotated[str, msgspec.Meta(min_length=1, max_length=32)]


class CardsMoved(RequestBody, frozen=True):
    """What was done with a set of cards, where it is now or its table, and its seal."""

    what: CardMove
    place: Annotated[str, msgspec.Meta(max_length=80)] = ""
    seal: Annotated[str, msgspec.Meta(max_length=40)] = ""


class Movement(RequestBody, frozen=True):
    """An amount to pay into or out of a wallet, in cents."""

    amount: PositiveAmount


class Reasoned(RequestBody, frozen=True):
    """Why something is done."""

    reason: ReasonText


class Approved(RequestBody, frozen=True):
    """Why a program may be used; `beside` is the digest of one that another server runs.

    Without `beside`, only the program of the server that has the house remains approved.
    """

    reason: ReasonText
    beside: Annotated[str, msgspec.Meta(pattern=f"^[0-9a-f]{{64}}{END}")] | None = None


class NewKey(RequestBody, frozen=True):
    """The name of a key."""

    name: Annotated[
        str,
        msgspec.Meta(
            pattern=f"^[a-z][a-z0-9-]{{0,31}}{END}",
            description="a letter, then up to 31 of a-z, 0-9 and -",
        ),
    ]


class Problem(msgspec.Struct, frozen=True):
    """Why a request was refused."""

    code: str
    sentence: str


class Signed(msgspec.Struct, frozen=True):
    """Who is signed in; the token is also in the cookie, and only a guest gets a password."""

    name: str
    role: Role
    token: str
    password: str | None = None


class LimitShown(msgspec.Struct, frozen=True):
    """A limit in force, how much of it is used, and the player's looser limit to come."""

    kind: LimitKind
    amount: int | None
    used: int
    next_amount: int | None = None
    next_from_ms: int | None = None


class Me(msgspec.Struct, frozen=True):
    """An account as its owner sees it."""

    name: str
    role: Role
    money: Money
    holds: dict[str, int]
    session_minutes: int
    session_net: int
    excluded_until_ms: int
    limits: tuple[LimitShown, ...]
    display: str = ""
    """What others read at tables; empty if it is the name."""
    guest: bool = False
    """Whether this is a guest who has not registered."""
    codes: int = 0
    """How many recovery codes are not used."""
    reality_due: bool = False
    """Whether a reality check must be read before the next wager."""


class RecoveryCodes(msgspec.Struct, frozen=True):
    """New recovery codes; they are shown only once."""

    codes: list[str]


class Wallet(msgspec.Struct, frozen=True):
    """What a player holds, as the operator's cashier sees it."""

    name: str
    holds: dict[str, int]


class Made(msgspec.Struct, frozen=True):
    """A generated password for an account; it is shown only once."""

    name: str
    password: str


class Key(msgspec.Struct, frozen=True):
    """A new key; it is shown only once."""

    name: str
    token: str


class OpenedTable(msgspec.Struct, frozen=True):
    """An open table."""

    name: str
    book: str
    digest: str


class Named(msgspec.Struct, frozen=True):
    """The bots that sat down or will leave."""

    names: list[str]


class SelfCheck(msgspec.Struct, frozen=True):
    """Whether code, rule books and tables match what was approved, and what does not."""

    whole: bool
    problems: list[str]


class SignificantEvent(msgspec.Struct, frozen=True):
    """A significant event: who, when, what, to whom, why, and the value before and after."""

    number: int
    at_ms: int
    actor: str
    kind: str
    subject: str
    reason: str
    before: str
    after: str


class State(msgspec.Struct, frozen=True):
    """Whether the server is healthy."""

    state: Literal["ok", "not ready"]
