"""What makes a shoe provable: links, numbers, draws, what is bound, and the hash of a record.

docs/fairness.md describes every byte.
"""

import hashlib
import hmac
import struct
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count, islice
from typing import Annotated, Any, Literal

import msgspec

from wartable import stream
from wartable.cards import Card
from wartable.validation import END

NUMBER_BYTES_MAX = 64
LINKS_MAX = 2**16
ITERATIONS_MAX = 10**9
LIST_MAX = 256
"""How many players' numbers one list holds."""
DEAL_CARDS = 4
"""How many cards of a draw are looked up first: a box's and the dealer's, and some more."""
BLOCK_CARDS = 16
"""How many are looked up together afterwards: those of a block."""
_WORDS = 1 << 8 * stream.ORDER_WORD_BYTES
_encode = msgspec.json.Encoder(order="sorted").encode
_order_words = struct.Struct(">16H").unpack
NO_RECORD = "0" * 64
"""What the first record has in place of the hash of the one before it."""

_DIGEST = "[0-9a-f]{64}"
_NUMBER = "[0-9a-f]{64}|(?:[0-9a-f]{2}){16,64}"  # the usual length first: it is found sooner


def _hexadecimal(pattern: str, digits: str) -> msgspec.Meta:
    return msgspec.Meta(
        pattern=f"^(?:{pattern}){END}",
        extra_json_schema={"description": f"{digits} hexadecimal digits"},
    )


Digest = Annotated[str, _hexadecimal(_DIGEST, "64")]
DigestIfAny = Annotated[str, _hexadecimal(f"{_DIGEST}|", "64 or no")]
NumberText = Annotated[str, _hexadecimal(_NUMBER, "32 to 128")]
NumberIfAny = Annotated[str, _hexadecimal(f"{_NUMBER}|", "32 to 128 or no")]
ShortText = Annotated[str, msgspec.Meta(max_length=64)]
Whole = Annotated[int, msgspec.Meta(ge=0)]

When = Literal["on_deal", "shoe", "after_bets"]
"""When cards are decided: after each Deal, once for a shoe, or after each "no more bets"."""

IncidentKind = Literal[
    "dealer_changed", "card_set_aside", "drawn_in_error", "box_voided", "round_voided",
    "reshuffle_ordered", "recut_ordered", "jammed", "ended", "player_left",
]  # fmt: skip  # a list of words
INCIDENTS: dict[IncidentKind, str] = {
    "round_voided": "round voided",
    "card_set_aside": "card set aside",
    "box_voided": "box missed",
    "drawn_in_error": "card drawn in error",
    "dealer_changed": "change of dealer",
    "reshuffle_ordered": "reshuffle ordered",
    "recut_ordered": "recut ordered",
    "jammed": "jam",
    "ended": "shoe set aside",
    "player_left": "player left during a deal",
}
"""What a record's reader is told of each incident, here and on the fairness page."""


class ProofPart(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A frozen part of a proof that is stored as JSON."""


class Label(ProofPart, frozen=True):
    """A choice that the house may draw: its name, its options, their weights (none: equal)."""

    name: ShortText
    options: tuple[str, ...]
    weights: tuple[Whole, ...] = ()


class Bound(ProofPart, frozen=True):
    """What the commitment of a shoe covers besides its terms.

    `chain` is the published end of its links, `used` how many were used before this shoe, `anchor`
    the last of those. `before` is the hash of the record before it.
    """

    book: ShortText
    order: When
    owner: ShortText
    iterations: Annotated[int, msgspec.Meta(ge=1, le=ITERATIONS_MAX)]
    cut_min: Whole | None
    deal_order: ShortText
    burn_first: Whole
    burn_new_dealer: Whole
    burn_war: Whole
    burn_war_when: ShortText
    cover_low: Whole | None
    cover_high: Whole | None
    labels: tuple[Label, ...]
    chain: Digest
    links: Annotated[int, msgspec.Meta(ge=1, le=LINKS_MAX)]
    used: Whole
    anchor: Digest
    before: Digest


class PlayerNumber(ProofPart, frozen=True):
    """A player's number for one draw."""

    player: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    number: NumberText


class Draw(ProofPart, frozen=True):
    """One use of a link, which decides the cards from the place `first` on.

    `choices` is how many choices of the house came before it, `round_number` the round it was for,
    `cuts` how many cuts are in its list.
    """

    first: Whole
    choices: Whole
    round_number: Whole
    cuts: Whole
    numbers: tuple[PlayerNumber, ...] = ()


class CardIncident(ProofPart, frozen=True):
    """Something that moved, skipped or discarded cards: by whom, why, after how many cards."""

    what: IncidentKind
    by: ShortText
    reason: Annotated[str, msgspec.Meta(max_length=200)]
    place: Whole
    round_number: Whole


class Proof(ProofPart, frozen=True):
    """What a shoe was bound to, its draws and incidents, and the secret key of its last draw."""

    bound: Bound
    draws: tuple[Draw, ...] = ()
    incidents: tuple[CardIncident, ...] = ()
    key: DigestIfAny = ""


def canonical(value: Any) -> bytes:
    """The value as canonical JSON: sorted keys, no spaces."""
    return _encode(value)


def link_before(link: bytes) -> bytes:
    """The link that is used before this one: its hash."""
    return hashlib.sha256(link).digest()


def chain_end(root: bytes, links: int) -> bytes:
    """The published end of a chain of this many links; the root is used last."""
    for _ in range(links):
        root = link_before(root)
    return root


def commitment(terms: Any, bound: Bound) -> bytes:
    """The hash that binds the house to everything that is fixed when a shoe starts."""
    return _hash("wartable-2 shoe", terms, bound)


def transcript(committed: str, draw: int, cuts: Any, numbers: tuple[PlayerNumber, ...]) -> bytes:
    """The hash of everything that a draw depends on, except the link."""
    return _hash("wartable-2 draw", committed, draw, cuts, numbers)


def draw_key(link: bytes, heard: bytes, iterations: int) -> bytes:
    """The key of a draw: the result of a calculation that takes this many iterations."""
    return hashlib.pbkdf2_hmac("sha256", link, heard, iterations)


def record_hash(shoe: Any) -> str:
    """The hash of a finished shoe's record, which the next one is bound to."""
    return _hash("wartable-2 record", shoe).hex()


def blocks(key: bytes, *name: str | int) -> Iterator[bytes]:
    """An endless series of 32-byte blocks from a draw's key: for its cards, or under a name."""
    for counter in count():
        yield hmac.digest(key, canonical((*name, counter)), "sha256")


def sources(key: bytes, first: int, cards: int) -> Iterator[int]:
    """For each place from a draw's first on, the place from which its card comes."""
    left = cards - first
    # This is `stream.below` written out: its call would be most of the time of a shoe.
    for block in blocks(key):
        for word in _order_words(block):
            if not left:
                return
            if word < _WORDS - _WORDS % left:
                yield cards - left + word % left
                left -= 1


def dealt(cards: Sequence[Card], key: bytes, first: int = 0) -> Iterator[Card]:
    """The cards that a draw decides from its first place on, each when it is due."""
    stack = list(cards)
    for place, other in enumerate(sources(key, first, len(stack)), first):
        card, stack[other] = stack[other], stack[place]
        yield card


def source(key: str, first: int, cards: int, place: int) -> int:
    """The place of the card that a draw puts at a place; its key is hexadecimal here."""
    at = place - first
    some = DEAL_CARDS if at < DEAL_CARDS else BLOCK_CARDS * (at // BLOCK_CARDS + 1)
    return _sources(key, first, cards, some)[at]


@lru_cache(maxsize=1_024)  # each card is asked for when it is due and when it is dealt
def _sources(key: str, first: int, cards: int, count: int) -> tuple[int, ...]:
    return tuple(islice(sources(bytes.fromhex(key), first, cards), count))


def chosen(key: bytes, label: str, round_number: int, weights: Sequence[int]) -> int:
    """The option that a draw's key gives for the choice of that label in a round."""
    words = stream.words(blocks(key, label, round_number), stream.CHOICE_WORD_BYTES)
    limit = sum(weights)
    return stream.option_at(stream.below(words, stream.CHOICE_WORD_BYTES, limit), weights)


def _hash(*values: Any) -> bytes:
    return hashlib.sha256(canonical(values)).digest()
