"""Verification of a finished provable shoe by the steps of docs/fairness.md."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from wartable import proof
from wartable.cards import DECK, HIDDEN
from wartable.proof import Bound, CardIncident, Draw
from wartable.provable import proof_of
from wartable.rules.model import WEIGHTS_MAX
from wartable.shoe import (
    Cover,
    DrawnCard,
    HouseChoice,
    Shoe,
    Use,
    cover_card_out,
)
from wartable.verify.steps import Check, StepError, counted, were

ENDS = ("cover card", "one round")
"""The reason with which a shoe ends unless somebody ends it early."""
VOIDS = ("round_voided", "box_voided", "player_left")
"""Why a deal may end before its first card; the record has each with the person who ordered it."""


def _end(shoe: Shoe) -> str:
    draws = proof_of(shoe).draws
    if not shoe.ended or (draws and not shoe.seed):
        raise StepError("the shoe has not ended: its last link is not revealed yet")
    if shoe.seals or shoe.player_seeds or shoe.cards or proof_of(shoe).key:
        raise StepError("a provable shoe has no seals, no opened seeds, no stack and no key")
    told = {"ended", "reshuffle_ordered"} & {each.what for each in proof_of(shoe).incidents}
    if shoe.ended not in ENDS and not told:
        raise StepError("the shoe was set aside, and the record does not say by whom")
    if shoe.ended == "cover card" and not cover_card_out(shoe):
        raise StepError("the shoe ended before its cover card appeared")
    if shoe.ended == "one round" and proof_of(shoe).bound.cover_low is not None:
        raise StepError("a shoe of many rounds ended after one")
    if shoe.seed and not draws:
        raise StepError("a link is revealed that no draw used")
    return f"The shoe ended ({shoe.ended}) and its {counted(len(draws), 'link')} can be checked."


def _commitment(shoe: Shoe) -> str:
    bound = proof_of(shoe).bound
    if not committed(shoe):
        raise StepError("the terms and what is bound do not hash to the commitment")
    if bool(bound.owner) != (bound.order == "on_deal"):
        raise StepError("the cards of a table are decided after Deal if it has an owner, only then")
    return "The rules, the chain and the record before it are those committed to."


def committed(shoe: Shoe) -> bool:
    """Whether the commitment covers these terms and what is bound."""
    return proof.commitment(shoe.terms, proof_of(shoe).bound).hex() == shoe.commitment


def links(shoe: Shoe) -> list[bytes]:
    """The link of each draw, from the last one that is revealed; the first is one too many."""
    found = [bytes.fromhex(shoe.seed or proof_of(shoe).bound.anchor)]
    for _ in proof_of(shoe).draws:
        found.append(proof.link_before(found[-1]))
    return found[::-1]


def _links(shoe: Shoe) -> str:
    given = proof_of(shoe)
    bound = given.bound
    if links(shoe)[0].hex() != bound.anchor:
        raise StepError("the revealed link does not lead to the last one before this shoe")
    if bound.used + len(given.draws) > bound.links:
        raise StepError(f"the chain has only {bound.links} links")
    if bound.used == 0 and bound.anchor != bound.chain:
        raise StepError("the first shoe of a chain does not begin at its published end")
    return (
        f"{counted(len(given.draws), 'link')} of the published chain {were(len(given.draws))} used."
    )


def _numbers(shoe: Shoe) -> str:
    given = proof_of(shoe)
    owner, missing = given.bound.owner, 0
    for place, draw in enumerate(given.draws, start=1):
        names = [each.player for each in draw.numbers]
        if len(set(names)) != len(names):
            raise StepError(f"draw {place} has two numbers of one player for one link")
        if owner and set(names) - {owner}:
            raise StepError(f"draw {place} has a number of somebody who does not own the table")
        if len(names) > proof.LIST_MAX:
            raise StepError(f"draw {place} has more than {proof.LIST_MAX} numbers")
        missing += not names
    if not missing:
        return "Every draw has a player's number in it."
    return f"{counted(missing, 'draw')} of {len(given.draws)} had no player's number."


def _cut(shoe: Shoe) -> str:
    least = proof_of(shoe).bound.cut_min
    if shoe.cuts and least is None:
        raise StepError(f"cards shuffled by the method {shoe.terms.method} are not cut here")
    for each in shoe.cuts:
        if (each.player is None) != (each.position is None):
            raise StepError("a player's cut has a position, and the dealer's has none")
        most = len(DECK) * shoe.terms.decks - (least or 0)
        if each.position is not None and not (least or 0) <= each.position <= most:
            raise StepError(f"a cut lifts {least} to {most} cards, not {each.position}")
    recuts = _count(shoe, "recut_ordered")
    if len(shoe.cuts) > 1 + recuts:
        raise StepError(f"there were {len(shoe.cuts)} cuts, but {recuts} recuts were ordered")
    return f"{counted(len(shoe.cuts), 'cut')} {were(len(shoe.cuts))} made before the cards."


def _count(shoe: Shoe, what: proof.IncidentKind) -> int:
    return sum(each.what == what for each in proof_of(shoe).incidents)


@lru_cache(maxsize=1)
def keys(shoe: Shoe) -> tuple[bytes, ...]:
    """The key of each draw, which may take long to calculate."""
    given = proof_of(shoe)
    return tuple(
        proof.draw_key(
            link,
            proof.transcript(shoe.commitment, place, shoe.cuts[: draw.cuts], draw.numbers),
            given.bound.iterations,
        )
        for place, (link, draw) in enumerate(zip(links(shoe)[1:], given.draws, strict=True))
    )


def decided_by(shoe: Shoe) -> list[int]:
    """The place of the draw that decided each dealt card; -1 for none."""
    firsts = [draw.first for draw in proof_of(shoe).draws]
    return [sum(first <= place for first in firsts) - 1 for place in range(len(shoe.drawn))]


def _cards(shoe: Shoe) -> str:
    draws = proof_of(shoe).draws
    firsts = [draw.first for draw in draws]
    if firsts != sorted(firsts) or (firsts and firsts[0]):
        raise StepError("the draws do not follow each other")
    cards = list(DECK * shoe.terms.decks)
    if len(shoe.drawn) > len(cards):
        raise StepError("more cards were dealt than there are")
    each = zip(keys(shoe), firsts, strict=True)
    sources = [proof.sources(key, first, len(cards)) for key, first in each]
    for place, (dealt, at) in enumerate(zip(shoe.drawn, decided_by(shoe), strict=True)):
        if at >= 0:
            other = next(sources[at])
            cards[place], cards[other] = cards[other], cards[place]
        if dealt.card == HIDDEN:
            continue
        if at < 0:
            raise StepError(f"card {place + 1} was dealt before any draw")
        if dealt.card != cards[place]:
            raise StepError(f"card {place + 1} is {cards[place]}, but {dealt.card} was dealt")
    undecided = _undecided(shoe, draws)
    count = len(shoe.drawn)
    said = f"{counted(count, 'card')} {were(count)} dealt, as links and numbers say"
    return said + (f"; the last {undecided} {were(undecided)} never decided." if undecided else ".")


def _draws(shoe: Shoe) -> str:
    """Each draw was used for one deal, whole, or for one order, and none was discarded."""
    return _order_draws(shoe) if proof_of(shoe).bound.order == "shoe" else _deal_draws(shoe)


def _order_draws(shoe: Shoe) -> str:
    """One draw ordered the whole shoe, after its last cut; those before it were made for recuts."""
    given = proof_of(shoe)
    cuts = [draw.cuts for draw in given.draws]
    if any(draw.first or draw.choices for draw in given.draws):
        raise StepError("the cards were ordered again after they were dealt from")
    if len(cuts) - 1 > _count(shoe, "recut_ordered"):
        raise StepError("the cards were ordered again, and nobody ordered a recut")
    used = bool(shoe.drawn or shoe.choices)
    if cuts != sorted(set(cuts)) or (used and cuts[-1:] != [len(shoe.cuts)]):
        raise StepError("the cards were not ordered once after each cut")
    if cuts and not used and not given.incidents:
        raise StepError("the order was calculated and discarded")
    return f"{counted(len(cuts), 'order')} {were(len(cuts))} calculated, after the cut."


def _deal_draws(shoe: Shoe) -> str:
    given = proof_of(shoe)
    draws, total = given.draws, len(shoe.drawn)
    if any(draw.cuts != len(shoe.cuts) for draw in draws):
        raise StepError("a draw was made before the last cut")
    void = {each.round_number for each in given.incidents if each.what in VOIDS}
    for place, draw in enumerate(draws):
        then = draws[place + 1] if place + 1 < len(draws) else None
        cards = (then.first if then else total) - draw.first
        choices = (then.choices if then else len(shoe.choices)) - draw.choices
        if choices < 0:
            raise StepError("the draws do not follow each other")
        again = then is not None and then.round_number == draw.round_number
        if not cards and not choices and (again or draw.round_number not in void):
            raise StepError(f"draw {place + 1} decided nothing: its link was discarded")
    parts: dict[tuple[int, str], int] = {}
    for dealt, at in zip(shoe.drawn, decided_by(shoe), strict=True):
        if at < 0 or dealt.use in {"burn", "set_aside"}:
            continue
        number = dealt.round_number
        if draws[at].round_number != number:
            raise StepError(f"a card of round {number} was decided for another round")
        if parts.setdefault((number, dealt.use), at) != at:
            raise StepError(f"one deal of round {number} was decided by two links")
        if dealt.use == "war" and parts.get((number, "original")) == at:
            raise StepError(f"the war cards of round {number} were decided before the last choice")
    return f"{counted(len(draws), 'draw')} {were(len(draws))} used, each for one deal."


def _undecided(shoe: Shoe, draws: tuple[Draw, ...]) -> int:
    """How many burned cards no draw decided, which can only be the last ones."""
    hidden = [place for place, dealt in enumerate(shoe.drawn) if dealt.card == HIDDEN]
    last = list(range(len(shoe.drawn) - len(hidden), len(shoe.drawn)))
    if hidden != last or any(shoe.drawn[place].use != "burn" for place in hidden):
        raise StepError("a dealt card is hidden")
    if hidden and draws and draws[-1].first > hidden[0]:
        raise StepError("a draw did not decide the cards before it")
    return len(hidden)


def _cover(shoe: Shoe) -> str:
    bound = proof_of(shoe).bound
    if bound.cover_low is None or bound.cover_high is None:
        if shoe.cover is not None:
            raise StepError("a shoe of one round has no cover card")
        return "A shoe of one round has no cover card."
    if shoe.cover is None:
        if shoe.drawn:
            raise StepError("there was no cover card")
        return "The shoe was never loaded."
    if shoe.cover != Cover(bound.cover_low, bound.cover_low, bound.cover_high):
        raise StepError(f"the cover card was bound to a place under {bound.cover_low} cards")
    return f"The cover card was under {shoe.cover.position} cards."


def _deal(shoe: Shoe) -> str:
    """The order in which cards were used: what a card was for is not the house's to choose."""
    numbers = [dealt.round_number for dealt in shoe.drawn]
    if numbers != sorted(numbers):
        raise StepError("the rounds are not in order")
    given = proof_of(shoe)
    if given.bound.cover_low is None and len(set(numbers)) > 1:
        raise StepError("more than one round was dealt from one shuffle")
    if shoe.cover and len(set(numbers[shoe.cover.position :])) > 1:
        raise StepError("another round was dealt after the one in which the cover card appeared")
    first = True
    for number, dealt in groupby(shoe.drawn, key=lambda each: each.round_number):
        _round(given.bound, number, list(dealt), given.incidents, first)
        first = False
    _set_aside(shoe)
    _racked(shoe)
    return "Cards were burned and dealt in the order of the rule book."


def _set_aside(shoe: Shoe) -> None:
    aside = [place for place, dealt in enumerate(shoe.drawn, start=1) if dealt.use == "set_aside"]
    told = [each.place for each in proof_of(shoe).incidents if each.what == "card_set_aside"]
    if aside != told:
        raise StepError("a card was set aside, and the record does not say by whom")


def _racked(shoe: Shoe) -> None:
    if not set(shoe.discards) <= set(range(len(shoe.drawn))):
        raise StepError("a card that was not dealt is in the discards")
    if len(set(shoe.discards)) != len(shoe.discards):
        raise StepError("a card is in the discards twice")


def _round(
    bound: Bound,
    number: int,
    dealt: list[DrawnCard],
    incidents: tuple[CardIncident, ...],
    first: bool,
) -> None:
    """Check what each card of a round was used for: burns before it, first cards, war cards."""
    told = {(each.what, each.round_number) for each in incidents}
    void = any((what, number) in told for what in VOIDS)
    due = bound.burn_first * first
    due += bound.burn_new_dealer * (("dealer_changed", number - 1) in told)
    uses = [(each.use, each.box) for each in dealt if each.use != "set_aside"]
    boxes, at_war = _boxes(bound, dealt, "original"), _boxes(bound, dealt, "war")
    if not set(at_war) <= set(boxes):
        raise StepError(f"a box of round {number} got a war card without a first one")
    plan: list[tuple[Use, int | None]] = [("burn", None)] * due
    plan += [("original", box) for box in boxes]
    plan += _war(bound, at_war or [0] * void)
    if uses != plan[: len(uses)] or (len(uses) < len(plan) and boxes and not void):
        raise StepError(f"the cards of round {number} were not used in the rule book's order")


def _boxes(bound: Bound, dealt: list[DrawnCard], use: Use) -> list[int]:
    """The boxes that must get the cards of one deal, in the book's order, then the dealer, 0."""
    boxes = {each.box for each in dealt if each.use == use and each.box}
    in_order = sorted(boxes, reverse=bound.deal_order == "counterclockwise")
    return [*in_order, 0] if boxes else []


def _war(bound: Bound, boxes: list[int]) -> Iterator[tuple[Use, int | None]]:
    """What the cards of a war deal to these boxes are used for."""
    for at, box in enumerate(boxes):
        last = bound.burn_war_when == "before_dealer" and box == 0
        burned = at == 0 or bound.burn_war_when == "each_card" or last
        for _ in range(bound.burn_war if burned else 0):
            yield "burn", None
        yield "war", box


def _choices(shoe: Shoe) -> str:
    given = proof_of(shoe)
    known = {label.name: label for label in given.bound.labels}
    seen: set[tuple[str, int]] = set()
    dealt = {each.round_number for each in shoe.drawn}
    found = keys(shoe)
    firsts = [draw.choices for draw in given.draws]
    for place, each in enumerate(shoe.choices):
        label, name = known.get(each.label), f"{each.label} of round {each.index}"
        if label is None:
            raise StepError(f"{each.label} is not one of the choices that were bound")
        some = tuple(option for option in label.options if option in each.options)
        if each.weights != label.weights or each.options != (
            label.options if label.weights else some
        ):
            raise StepError(f"{name} has other options or weights than were bound")
        at = sum(first <= place for first in firsts) - 1
        if at < 0:
            raise StepError(f"{name} was chosen before any draw")
        if given.bound.order != "shoe" and given.draws[at].round_number != each.index:
            raise StepError(f"{name} was decided for another round")
        if (each.label, each.index) in seen or each.index not in dealt:
            raise StepError(f"{name} was chosen twice, or without a card")
        seen.add((each.label, each.index))
        made = _made(found[at], each)
        if each.result != made:
            raise StepError(f"{name} is {each.options[made]} by the link")
    return f"Links and numbers give the same result for {counted(len(shoe.choices), 'choice')}."


def _made(key: bytes, choice: HouseChoice) -> int:
    weights = choice.weights or (1,) * len(choice.options)
    if len(weights) != len(choice.options) or not 0 < sum(weights) <= WEIGHTS_MAX:
        raise StepError(f"{choice.label} has no weight for each option that can be drawn by")
    return proof.chosen(key, choice.label, choice.index, weights)


CHECKS: list[Check] = [
    ("end", _end),
    ("commitment", _commitment),
    ("links", _links),
    ("numbers", _numbers),
    ("cut", _cut),
    ("cards", _cards),
    ("draws", _draws),
    ("cover card", _cover),
    ("deal", _deal),
    ("choices", _choices),
]
