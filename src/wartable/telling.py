"""What people are told of an event: the words of its class, filled in for one reader.

In an event's `words`, `{amount}` is the field of that name, as people read it. `{Player:bet/bets}`
is "You bet" to the player and "ann bets" to others; `{player's}` is "your" or "ann's"; a capital
letter begins a sentence. `{label:dealer}` is the book's own name, `{banker}` is whoever banks.
`[one|other]` is its first part if all slots in that part have a value, `[by=player?one|other]` if
the field has that value. The pages fill in the same words (web/js/words.js).
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from wartable.rules.model import RuleBook

PHRASES = {
    "step": {
        "inspect": "The new cards are inspected.",
        "verify": "A floorperson verifies the cards.",
        "spread": "The cards are spread face up.",
        "view": "The players may look at the cards.",
        "turn": "The cards are turned face down.",
        "wash": "The cards are washed.",
        "stack": "The cards are stacked.",
        "riffle": "The cards are riffled.",
    },
    "limit": {
        "box_max": "box maximum",
        "player_box_max": "box maximum per player",
        "boxes_per_player": "boxes per player",
        "players_per_box": "players per box",
        "primary_min": "minimum wager",
        "primary_max": "maximum wager",
        "tie_min": "minimum tie wager",
        "tie_max": "maximum tie wager",
        "wager_max": "maximum of any wager",
    },
    "hot_spot": {
        "jackpot_primary": "the primary jackpot",
        "jackpot_secondary": "the secondary jackpot",
    },
}
"""The words for the values of some fields."""

_BRACKETS = re.compile(r"\[(?:(\w+)=(\w+)\?)?([^\[\]|]*)(?:\|([^\[\]]*))?\]")
_SLOT = re.compile(r"\{([\w.]+)('s)?(?::([^{}]*))?\}")


class Reader(NamedTuple):
    """A reader's name, the book whose words are used, and how money and cards are shown."""

    me: str
    rules: RuleBook
    money: Callable[[int], str]
    card: Callable[[str], str]

    def outcome(self, wager: str, outcome: str) -> str:
        """The book's own words for how a wager ended."""
        return self.rules.outcomes.get(wager, {}).get(outcome, outcome.replace("_", " "))


def money(cents: int, sign: str = "") -> str:
    """An amount with two decimals: 1250 is 12.50."""
    whole, part = divmod(abs(cents), 100)
    mark = "-" if cents < 0 else sign if cents else ""
    return f"{mark}{whole:,}.{part:02}"


def short(cents: int, sign: str = "") -> str:
    """An amount without decimals if they are zero."""
    return money(cents, sign).removesuffix(".00")


def won_or_lost(net: int) -> str:
    """A banker's result: won 5.00, lost 5.00, broke even."""
    return f"{'lost' if net < 0 else 'won'} {money(abs(net))}" if net else "broke even"


def tell(event: Any, reader: Reader) -> str:
    """The event as a sentence; empty if nothing is told of it."""

    def choose(found: re.Match[str]) -> str:
        field, value, one, other = found.groups()
        if field is not None:
            return one if str(_value(event, field)) == value else other or ""
        return one if all(_has(event, slot[0]) for slot in _SLOT.findall(one)) else other or ""

    text: str = event.words
    while "[" in text:
        text = _BRACKETS.sub(choose, text)
    return _SLOT.sub(lambda found: _fill(event, reader, *found.groups()), text)


def _value(event: Any, path: str) -> Any:
    """The value of a field, or of a field's field."""
    for name in path.split("."):
        event = getattr(event, name[0].lower() + name[1:])
    return event


def _has(event: Any, path: str) -> bool:
    """Whether the slot is no field, or the field has a value."""
    return path in ("label", "banker") or _value(event, path) not in (None, "", 0)


def _fill(event: Any, reader: Reader, path: str, owner: str | None, detail: str | None) -> str:
    if path == "label":
        return reader.rules.label(detail or "")
    if path == "banker":
        return "bank" if reader.rules.banker == "player" else "house"
    value = _value(event, path)
    you = "You" if path[0].isupper() else "you"
    mine = value == reader.me
    if owner:
        return f"{you}r" if mine else f"{value}'s"
    if detail is not None:
        own, others = detail.split("/")
        return f"{you} {own}" if mine else f"{value} {others}"
    return _shown(event, reader, path, value)


def _shown(event: Any, reader: Reader, field: str, value: Any) -> str:
    """A field's value as people read it."""
    match field:
        case "player":
            return "you" if value == reader.me else str(value)
        case "amount" | "returned":
            return reader.money(value)
        case "value" if event.limit.endswith(("_min", "_max")):
            return reader.money(value)
        case "card":
            return reader.card(value)
        case "wager":
            return reader.rules.label(value)
        case "outcome":
            return reader.outcome(event.wager, value)
        case "method":
            return str(value).replace("_", " ")
        case "accepted":
            differing = ((kind, getattr(event, kind), count) for kind, count in value.items())
            return "; ".join(
                f"{reader.rules.label(kind)}: {counted} counted, {count} accepted"
                for kind, counted, count in differing
                if counted != count
            )
        case _:
            return PHRASES.get(field, {}).get(value, str(value))
