"""Verification of finished shoes of the older kind, ordered by a seed and players' sealed seeds."""

from wartable import stream
from wartable.cards import DECK
from wartable.shoe import (
    ONE_ROUND,
    RESERVED_LABELS,
    Shoe,
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
from wartable.verify.steps import Check, StepError, counted, were


def checks(shoe: Shoe) -> list[Check]:
    """The checks of a shoe in their order; one that was never loaded has fewer."""
    return [each for each in _CHECKS if shoe.cards or each[0] not in _NEED_CARDS]


def _end(shoe: Shoe) -> str:
    if not shoe.ended or not shoe.seed:
        raise StepError("the shoe has not ended: its seed is not revealed yet")
    if not shoe.cards and (shoe.drawn or shoe.cover or shoe.choices or shoe.discards):
        raise StepError("cards were dealt but the stack is not in the record")
    return f"The shoe ended ({shoe.ended}) and its seed is revealed."


def _commitment(shoe: Shoe) -> str:
    if committed(shoe.terms, bytes.fromhex(shoe.seed), shoe.seals).hex() != shoe.commitment:
        raise StepError("the seed, the terms and the seals do not hash to the commitment")
    return "The seed is the one that was committed to, under these terms and seals."


def _player_seeds(shoe: Shoe) -> str:
    names = [each.player for each in shoe.seals]
    if len(set(names)) != len(names):
        raise StepError("a player sealed two seeds")
    opened = [
        seal_for(shoe.terms, each.player, bytes.fromhex(each.seed)) for each in shoe.player_seeds
    ]
    for each in opened:
        if each not in shoe.seals:
            raise StepError(f"{each.player}'s seed is not the one that was sealed")
    if len(set(opened)) != len(opened) or (shoe.cards and len(opened) != len(shoe.seals)):
        raise StepError("the shoe was loaded without every sealed seed opened once")
    if opened != [each for each in shoe.seals if each in opened]:
        raise StepError("the opened seeds are not in the order of their seals")
    if not opened:
        return "No player's seed entered: the order rests on the house's seed and the cut."
    sealed = counted(len(shoe.seals), "sealed seed")
    return f"{len(opened)} of {sealed} {were(len(opened))} opened, each as it was sealed."


def _composition(shoe: Shoe) -> str:
    problems = composition_problems(shoe.cards, shoe.terms.decks)
    if problems:
        raise StepError("; ".join(problems))
    return f"The stack is {shoe.terms.decks} x 52 cards."


def _order(shoe: Shoe) -> str:
    made = stream.order(bytes.fromhex(shoe.seed), heard(shoe), shoe.terms.decks)
    if not any(rotate(made, place) == shoe.cards for place in range(len(made))):
        raise StepError("the seeds give a different order of the cards, however it is cut")
    return "The order is the one that the seeds give, up to the cut."


def _cut(shoe: Shoe) -> str:
    if shoe.cuts and shoe.terms.method in ONE_ROUND:
        raise StepError(f"cards shuffled by the method {shoe.terms.method} are not cut")
    low, high = cut_limits(len(DECK) * shoe.terms.decks)
    cards = stream.order(bytes.fromhex(shoe.seed), heard(shoe), shoe.terms.decks)
    for given, made in zip(shoe.cuts, derived_cuts(shoe), strict=True):
        if given.position is None or not low <= given.position <= high:
            raise StepError(f"a cut lifts {low} to {high} cards, not {given.position}")
        if given != made:
            raise StepError(f"the dealer's cut is at {made.position} by the seed")
        cards = rotate(cards, given.position)
    if cards != shoe.cards:
        raise StepError("the order is right but not cut where the record says")
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
            raise StepError("there was no cover card")
        return "A shoe of one round has no cover card."
    if shoe.terms.method in ONE_ROUND:
        raise StepError("a shoe of one round has no cover card")
    given = shoe.cover
    low, high = cover_limits(len(shoe.cards))
    if not low <= given.low <= given.high <= high:
        raise StepError(f"the cover card goes under {low} to {high} cards")
    made = derived_cover(shoe, given.low, given.high)
    if given != made:
        raise StepError(f"the cover card is under {made.position} cards by the seed")
    return f"The cover card was under {given.position} of {len(shoe.cards)} cards."


def _dealt(shoe: Shoe) -> str:
    if len(shoe.drawn) > len(shoe.cards):
        raise StepError("more cards were dealt than there are")
    for place, (dealt, card) in enumerate(zip(shoe.drawn, shoe.cards, strict=False), start=1):
        if dealt.card != card:
            raise StepError(f"card {place} of the order is {card}, but {dealt.card} was dealt")
        if (dealt.box is None) != (dealt.use in {"burn", "set_aside"}):
            raise StepError(f"card {place} went neither to a box nor to the discards")
    rounds = [dealt.round_number for dealt in shoe.drawn]
    if rounds != sorted(rounds):
        raise StepError("the rounds are not in order")
    if shoe.terms.method in ONE_ROUND and len(set(rounds)) > 1:
        raise StepError("more than one round was dealt from one shuffle")
    if shoe.cover and len(set(rounds[shoe.cover.position :])) > 1:
        raise StepError("another round was dealt after the one in which the cover card appeared")
    if not set(shoe.discards) <= set(range(len(shoe.drawn))):
        raise StepError("a card that was not dealt is in the discards")
    if len(set(shoe.discards)) != len(shoe.discards):
        raise StepError("a card is in the discards twice")
    count = len(shoe.drawn)
    return f"{counted(count, 'card')} {were(count)} dealt, each the next in the order."


def _choices(shoe: Shoe) -> str:
    seen: dict[str, int] = {}
    for each in shoe.choices:
        if each.label in RESERVED_LABELS:
            raise StepError(f"{each.label} is one of the shoe's own names")
        if each.index != seen.get(each.label, 0):
            raise StepError(f"{each.label} number {each.index} is out of turn")
        seen[each.label] = each.index + 1
        made = derived_choice(shoe, each)
        if each.result != made:
            raise StepError(
                f"{each.label} number {each.index} is {each.options[made]} by the seeds"
            )
    choices = counted(len(shoe.choices), "choice")
    return f"The seeds give the same result for {choices} of the house."


_CHECKS: tuple[Check, ...] = (
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
