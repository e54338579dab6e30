"""Verification of finished shoes by the steps of docs/fairness.md; names the step that fails."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Literal

import msgspec

from wartable import stream
from wartable.cards import DECK
from wartable.shoe import (
    ONE_ROUND,
    RESERVED_LABELS,
    Shoe,
    ShoeError,
    ShoePart,
    committed,
    composition_problems,
    cover_limits,
    cut_limits,
    derived_choice,
    derived_cover,
    derived_cuts,
    heard,
    rotate,
    seal_for,
)


class Record(ShoePart, frozen=True):
    """Consecutive finished shoes of one table, as stored in a file."""

    shoes: tuple[Shoe, ...]
    format: Literal["wartable-shoes-1"] = "wartable-shoes-1"


class VerifyStep(msgspec.Struct, frozen=True):
    """One check: its shoe (0 is the whole record), its name, and how it came out."""

    shoe: int
    name: str
    ok: bool
    sentence: str


class _StepError(Exception):
    pass


def write_record(record: Record) -> bytes:
    """The record as JSON that a person can read."""
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def read_record(data: bytes) -> Record:
    """The record in a file's bytes; raises `msgspec.DecodeError` if they are malformed."""
    return msgspec.json.decode(data, type=Record)


def verify_bytes(data: bytes) -> list[VerifyStep]:
    """The steps of `verify` for any bytes; the first says whether they are a record."""
    try:
        record = read_record(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        return [
            VerifyStep(0, "format", False, f"This is not a record of finished shoes: {problem}.")
        ]
    return [VerifyStep(0, "format", True, "The record is well formed."), *verify(record)]


def verify(record: Record) -> list[VerifyStep]:
    """Every step, shoe by shoe; a shoe's steps end with the first that fails."""
    steps = [step for shoe in record.shoes for step in verify_shoe(shoe)]
    return [*steps, _sequence(record.shoes)]


def verify_shoe(shoe: Shoe) -> Iterator[VerifyStep]:
    """The steps of one finished shoe, ending with the first that fails."""
    number = shoe.terms.number
    for name, check in _CHECKS:
        if not shoe.cards and name in _NEED_CARDS:
            continue
        try:
            sentence = check(shoe)
        except (_StepError, ShoeError) as problem:
            yield VerifyStep(number, name, False, _sentence(str(problem)))
            return
        yield VerifyStep(number, name, True, sentence)


def _end(shoe: Shoe) -> str:
    if not shoe.ended or not shoe.seed:
        raise _StepError("the shoe has not ended: its seed is not revealed yet")
    if not shoe.cards and (shoe.drawn or shoe.cover or shoe.choices or shoe.discards):
        raise _StepError("cards were dealt but the stack is not in the record")
    return f"The shoe ended ({shoe.ended}) and its seed is revealed."


def _commitment(shoe: Shoe) -> str:
    if committed(shoe.terms, bytes.fromhex(shoe.seed), shoe.seals).hex() != shoe.commitment:
        raise _StepError("the seed, the terms and the seals do not hash to the commitment")
    return "The seed is the one that was committed to, under these terms and seals."


def _player_seeds(shoe: Shoe) -> str:
    names = [each.player for each in shoe.seals]
    if len(set(names)) != len(names):
        raise _StepError("a player sealed two seeds")
    opened = [
        seal_for(shoe.terms, each.player, bytes.fromhex(each.seed)) for each in shoe.player_seeds
    ]
    for each in opened:
        if each not in shoe.seals:
            raise _StepError(f"{each.player}'s seed is not the one that was sealed")
    if len(set(opened)) != len(opened) or (shoe.cards and len(opened) != len(shoe.seals)):
        raise _StepError("the shoe was loaded without every sealed seed opened once")
    if opened != [each for each in shoe.seals if each in opened]:
        raise _StepError("the opened seeds are not in the order of their seals")
    if not opened:
        return "No player's seed entered: the order rests on the house's seed and the cut."
    sealed = _count(len(shoe.seals), "sealed seed")
    return f"{len(opened)} of {sealed} {_were(len(opened))} opened, each as it was sealed."


def _composition(shoe: Shoe) -> str:
    problems = composition_problems(shoe.cards, shoe.terms.decks)
    if problems:
        raise _StepError("; ".join(problems))
    return f"The stack is {shoe.terms.decks} x 52 cards."


def _order(shoe: Shoe) -> str:
    made = stream.order(bytes.fromhex(shoe.seed), heard(shoe), shoe.terms.decks)
    if not any(rotate(made, place) == shoe.cards for place in range(len(made))):
        raise _StepError("the seeds give a different order of the cards, however it is cut")
    return "The order is the one that the seeds give, up to the cut."


def _cut(shoe: Shoe) -> str:
    if shoe.cuts and shoe.terms.method in ONE_ROUND:
        raise _StepError(f"cards shuffled by the method {shoe.terms.method} are not cut")
    low, high = cut_limits(len(DECK) * shoe.terms.decks)
    cards = stream.order(bytes.fromhex(shoe.seed), heard(shoe), shoe.terms.decks)
    for given, made in zip(shoe.cuts, derived_cuts(shoe), strict=True):
        if given.position is None or not low <= given.position <= high:
            raise _StepError(f"a cut lifts {low} to {high} cards, not {given.position}")
        if given != made:
            raise _StepError(f"the dealer's cut is at {made.position} by the seed")
        cards = rotate(cards, given.position)
    if cards != shoe.cards:
        raise _StepError("the order is right but not cut where the record says")
    if not shoe.cuts:
        return "The stack was not cut."
    return (
        "The stack was cut by "
        + ", then by ".join(
            f"{each.player or 'the dealer'} at {each.position}" for each in shoe.cuts
        )
        + "."
    )


def _cover(shoe: Shoe) -> str:
    if shoe.cover is None:
        if shoe.terms.method not in ONE_ROUND:
            raise _StepError("there was no cover card")
        return "A shoe of one round has no cover card."
    if shoe.terms.method in ONE_ROUND:
        raise _StepError("a shoe of one round has no cover card")
    given = shoe.cover
    low, high = cover_limits(len(shoe.cards))
    if not low <= given.low <= given.high <= high:
        raise _StepError(f"the cover card goes under {low} to {high} cards")
    made = derived_cover(shoe, given.low, given.high)
    if given != made:
        raise _StepError(f"the cover card is under {made.position} cards by the seed")
    return f"The cover card was under {given.position} of {len(shoe.cards)} cards."


def _dealt(shoe: Shoe) -> str:
    if len(shoe.drawn) > len(shoe.cards):
        raise _StepError("more cards were dealt than there are")
    for place, (dealt, card) in enumerate(zip(shoe.drawn, shoe.cards, strict=False), start=1):
        if dealt.card != card:
            raise _StepError(f"card {place} of the order is {card}, but {dealt.card} was dealt")
        if (dealt.box is None) != (dealt.use in {"burn", "set_aside"}):
            raise _StepError(f"card {place} went neither to a box nor to the discards")
    rounds = [dealt.round_number for dealt in shoe.drawn]
    if rounds != sorted(rounds):
        raise _StepError("the rounds are not in order")
    if shoe.terms.method in ONE_ROUND and len(set(rounds)) > 1:
        raise _StepError("more than one round was dealt from one shuffle")
    if shoe.cover and len(set(rounds[shoe.cover.position :])) > 1:
        raise _StepError("another round was dealt after the one in which the cover card appeared")
    if not set(shoe.discards) <= set(range(len(shoe.drawn))):
        raise _StepError("a card that was not dealt is in the discards")
    if len(set(shoe.discards)) != len(shoe.discards):
        raise _StepError("a card is in the discards twice")
    count = len(shoe.drawn)
    return f"{_count(count, 'card')} {_were(count)} dealt, each the next in the order."


def _choices(shoe: Shoe) -> str:
    seen: dict[str, int] = {}
    for each in shoe.choices:
        if each.label in RESERVED_LABELS:
            raise _StepError(f"{each.label} is one of the shoe's own names")
        if each.index != seen.get(each.label, 0):
            raise _StepError(f"{each.label} number {each.index} is out of turn")
        seen[each.label] = each.index + 1
        made = derived_choice(shoe, each)
        if each.result != made:
            raise _StepError(
                f"{each.label} number {each.index} is {each.options[made]} by the seeds"
            )
    choices = _count(len(shoe.choices), "choice")
    return f"The seeds give the same result for {choices} of the house."


def _sequence(shoes: tuple[Shoe, ...]) -> VerifyStep:
    problem = next(_sequence_problems(shoes), "")
    if problem:
        return VerifyStep(0, "sequence", False, _sentence(problem))
    found = _count(len(shoes), "shoe")
    return VerifyStep(0, "sequence", True, f"The record has {found} in sequence.")


def _sequence_problems(shoes: tuple[Shoe, ...]) -> Iterator[str]:
    if not shoes:
        yield "there is no shoe in the record"
    if len({shoe.seed for shoe in shoes}) != len(shoes):
        yield "two shoes were made from one seed"
    for first, second in pairwise(shoes):
        number = second.terms.number
        if (first.terms.table, first.terms.number + 1) != (second.terms.table, number):
            yield f"shoe {number} does not follow shoe {first.terms.number} of the same table"
        # If the device jams, the stack never reaches the shoe and is shuffled again.
        same_batch = first.terms.batch == second.terms.batch and first.cards
        if second.terms.method == "batches" and same_batch:
            yield f"shoe {number} has the same batch as the one before"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


_CHECKS: tuple[tuple[str, Callable[[Shoe], str]], ...] = (
    ("end", _end),
    ("commitment", _commitment),
    ("players' seeds", _player_seeds),
    ("composition", _composition),
    ("order", _order),
    ("cut", _cut),
    ("cover card", _cover),
    ("dealt cards", _dealt),
    ("choices", _choices),
)
_NEED_CARDS = {"composition", "order", "cut", "cover card", "dealt cards", "choices"}
