"""Classes of outcomes: how a hand can end, and the key of a round of several hands."""

from collections import Counter
from collections.abc import Iterable, Sequence

from wartable.cards import Card

LOST = "lost"
SLOTS = (
    "won",
    "war_lost",
    "war_won",
    "war_tied",
    "war_tied_four",
    "war_tied_suited",
    "war_tied_suited_four",
    "suited_war_lost",
    "suited_war_won",
    "suited_war_tied",
    "suited_war_tied_four",
    "suited_war_tied_suited",
    "suited_war_tied_one_suit",
    "suited_war_tied_suited_four",
    "suited_war_tied_identical",
)
"""How a hand that did not lose at once ended; a prefix `suited` refers to the original deal.

`four` is four of one rank, `one_suit` two suited ties of one suit, `identical` four equal cards.
"""
SURRENDERED = {1: "surrendered", 7: "suited_surrendered"}
"""The meaning of two slots in a round whose tied hands surrendered."""
SURRENDER_BIT = 60
LEVEL_BIT = 61
"""From this bit on, a key has the number of the stakes that were bet."""
WON_IN_ORDER = 16
"""A won hand in a key with the boxes in order; a lost one is 0."""
"""The classes that decide the primary wager."""

Hands = tuple[str, ...]
"""The class of each hand of a round: sorted by name, or by box if the order matters."""


def hands_of(key: int, boxes: int, ordered: bool = False) -> Hands:
    """The classes of a round's hands from its key."""
    surrendered = bool(key >> SURRENDER_BIT & 1)
    if ordered:
        codes = [(key >> (5 * box)) & 31 for box in range(boxes)]
        return tuple(_in_order(code, surrendered) for code in codes)
    found = [
        name
        for slot in range(len(SLOTS))
        for name in [_name(slot, surrendered)] * ((key >> (4 * slot)) & 15)
    ]
    return tuple(sorted(found + [LOST] * (boxes - len(found))))


def level_of(key: int) -> int:
    """The number of the stakes of a round from its key."""
    return key >> LEVEL_BIT


def _in_order(code: int, surrendered: bool) -> str:
    if code == 0:
        return LOST
    return SLOTS[0] if code == WON_IN_ORDER else _name(code, surrendered)


def _name(slot: int, surrendered: bool) -> str:
    return SURRENDERED.get(slot, SLOTS[slot]) if surrendered else SLOTS[slot]


def main_class(name: str) -> str:
    """The class without suits and fours, which decides the primary wager."""
    plain = name.removeprefix("suited_")
    return "war_tied" if plain.startswith("war_tied") else plain


def label(hands: Hands, ordered: bool = False) -> str:
    """A round's class as people read it: `won`, or `2 lost, 1 won` for several boxes."""
    if len(hands) == 1:
        return hands[0]
    if ordered:
        return ", ".join(f"{box} {name}" for box, name in enumerate(hands, 1))
    return ", ".join(f"{count} {name}" for name, count in sorted(Counter(hands).items()))


def cards_for(hands: Sequence[str]) -> dict[tuple[str, int], Card]:
    """Cards that give each box its class, against one dealer's card and one war card."""
    at_war = [name for name in hands if "war" in name]
    rank = "5" if any(name.endswith(("four", "identical")) for name in at_war) else "9"
    suit = "h" if any(name.endswith(("one_suit", "identical")) for name in at_war) else "c"
    cards: dict[tuple[str, int], Card] = {("original", 0): "5h", ("war", 0): rank + suit}
    for box, name in enumerate(hands, 1):
        if name in ("won", LOST):
            cards["original", box] = "9s" if name == "won" else "4s"
            continue
        suited, plain = name.startswith("suited_"), name.removeprefix("suited_")
        cards["original", box] = "5h" if suited else "5s"
        if plain in ("war_won", "war_lost"):
            cards["war", box] = "Ks" if plain == "war_won" else "3s"
        elif plain != "surrendered":
            twins = plain not in ("war_tied", "war_tied_four")
            cards["war", box] = rank + (suit if twins else "d")
    return cards


def collapsed(counts: Iterable[tuple[Hands, int]]) -> Counter[Hands]:
    """The counts of joint classes without suits and fours."""
    found: Counter[Hands] = Counter()
    for hands, count in counts:
        found[tuple(sorted(main_class(name) for name in hands))] += count
    return found
