"""A worked round: the input of `wartable settle`, described in docs/settle.md."""

import re
from typing import Annotated, Any, Literal

import msgspec

from wartable.game.messages import Box, MeterName, Player
from wartable.money import Amount
from wartable.refusal import Unusable
from wartable.rules.model import Trigger, WagerKind
from wartable.validation import END, problem

__all__ = ["Malformed", "WorkedRound", "read_round"]

DECKS_MAX = 100
HANDS_MAX = 100

CARD = "^[2-9TJQKA][cdhs]" + END
KnownCard = Annotated[str, msgspec.Meta(pattern=CARD)]


class Malformed(Unusable):
    """A worked round that cannot be played, with the reason as a sentence."""

    kind = "malformed"


class Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the input; unknown fields are refused."""


class Stakes(Strict, frozen=True):
    """A hand's stakes before the deal."""

    primary: Amount = 0
    tie: Amount = 0
    progressive: Amount = 0
    bonus_spin: Amount = 0

    def of(self, kind: WagerKind) -> int:
        """The stake of that kind; 0 if there is none."""
        amount: int = getattr(self, kind)
        return amount


class WorkedHand(Strict, frozen=True):
    """One player's wagers on one box, the choice on a tie, and the box's cards."""

    box: Box
    player: Player
    wagers: Stakes
    choice: Literal["war", "surrender", "leave"] | None = None
    war_tie: Amount = 0
    cards: tuple[KnownCard, ...] = ()


class WheelStop(Strict, frozen=True):
    """Where the wheel stopped."""

    hot_spot_box: Box | None = None
    hot_spot: str | None = None
    community: str | None = None


class Settings(Strict, frozen=True):
    """The round's settings beyond the book's defaults."""

    decks: Annotated[int, msgspec.Meta(ge=1, le=DECKS_MAX)] | None = None
    bank: Amount | None = None
    bank_stack: Amount | None = None
    meter: Amount | None = None
    meter_reset: Amount | None = None
    spin_trigger: Trigger | None = None
    wheel: WheelStop | None = None
    spin_meter: Amount | None = None
    spin_meter_secondary: Amount | None = None
    community_cards: Literal[3, 5, 7] | None = None
    options: dict[str, str] = {}

    @property
    def readings(self) -> dict[MeterName, tuple[int | None, int | None]]:
        """What each meter shows its first winner and the next one, if the round says so."""
        return {
            "progressive": (self.meter, self.meter_reset),
            "primary": (self.spin_meter, None),
            "secondary": (self.spin_meter_secondary, None),
        }


class Incident(Strict, frozen=True):
    """An irregularity of the round."""

    kind: Literal["no_card_dealt", "shuffler_jam"]
    box: Box | None = None


class ExpectedHand(Strict, frozen=True):
    """A hand's expected nets; absent ones are 0."""

    primary: int | None = None
    war: int | None = None
    main: int = 0
    tie: int = 0
    war_tie: int = 0
    progressive: int = 0
    envy: int = 0
    bonus_spin: int = 0
    net: int = 0
    refused: bool = False


class Expected(Strict, frozen=True):
    """What the round must pay."""

    hands: tuple[ExpectedHand, ...]
    banker: int = 0


class WorkedRound(Strict, frozen=True):
    """A round with its cards and choices."""

    rules: str
    hands: Annotated[tuple[WorkedHand, ...], msgspec.Meta(min_length=1, max_length=HANDS_MAX)]
    dealer: tuple[KnownCard, ...] = ()
    id: str = ""
    title: str = ""
    settings: Settings = Settings()
    incident: Incident | None = None
    expect: Expected | None = None
    reading: str = ""


def read_round(value: Any, check: bool = False) -> WorkedRound:
    """One round of decoded JSON in the worked format; `expect` is read only for a check."""
    if isinstance(value, dict) and not check:
        value = {key: part for key, part in value.items() if key != "expect"}
    try:
        return msgspec.convert(value, WorkedRound)
    except msgspec.ValidationError as error:
        where, what = problem(error)
        what = what.replace(f" matching regex {CARD!r}", " for a card, such as 9s")
        raise Malformed(f"{_place(where)}: {what}.") from None


def _place(path: str) -> str:
    """Where in the round an error is; hands count from 1, as in the other sentences."""
    return re.sub(
        r"^hands\[([0-9]+)\]\.?(.*)",
        lambda match: f"hand {int(match[1]) + 1}" + (f": {match[2]}" if match[2] else ""),
        path or "the round",
    )
