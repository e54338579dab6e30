"""A provable shoe: bound when it starts, its cards decided by links and players' numbers."""

from msgspec.structs import replace

from wartable import proof
from wartable import shoe as shoes
from wartable.cards import HIDDEN
from wartable.proof import Bound, CardIncident, Draw, PlayerNumber, Proof
from wartable.shoe import Shoe, ShoeError, Terms


def start(terms: Terms, bound: Bound) -> Shoe:
    """A shoe whose cards will be decided by links and numbers; publish all of it now."""
    return Shoe(terms=terms, commitment=proof.commitment(terms, bound).hex(), proof=Proof(bound))


def next_draw(shoe: Shoe, numbers: tuple[PlayerNumber, ...], round_number: int) -> Draw:
    """The next draw; it also decides burned cards that no draw has, since nobody saw them."""
    first = len(shoe.drawn)
    while first and shoe.drawn[first - 1].card == HIDDEN:
        first -= 1
    return Draw(first, len(shoe.choices), round_number, len(shoe.cuts), numbers)


def heard(shoe: Shoe, numbers: tuple[PlayerNumber, ...]) -> bytes:
    """The transcript of the next draw, with these numbers of players."""
    made = len(proof_of(shoe).draws)
    return proof.transcript(shoe.commitment, made, shoe.cuts, numbers)


def decide(shoe: Shoe, link: bytes, key: bytes, draw: Draw) -> Shoe:
    """The shoe after a draw, which decides the cards from its first place on.

    A draw before the load orders the whole shoe, and the load puts the cards in this order.
    """
    if proof.link_before(link) != last_link(shoe):
        raise ShoeError("link", "this is not the next link of the table's chain")
    given = proof_of(shoe)
    given = replace(given, draws=(*given.draws, draw), key=key.hex())
    shoe = replace(shoe, seed=link.hex(), proof=given)
    for place in range(draw.first, len(shoe.drawn)):
        cards = shoes.with_decided(shoe, place)
        dealt = replace(shoe.drawn[place], card=cards[place])
        drawn = (*shoe.drawn[:place], dealt, *shoe.drawn[place + 1 :])
        shoe = replace(shoe, cards=cards, drawn=drawn)
    return shoe


def last_link(shoe: Shoe) -> bytes:
    """The link that was used last, in this shoe or before it."""
    return bytes.fromhex(shoe.seed or proof_of(shoe).bound.anchor)


def note(shoe: Shoe, what: proof.IncidentKind, by: str, reason: str, round_number: int) -> Shoe:
    """The shoe with an incident in its record; an older kind of shoe has none."""
    if shoe.proof is None:
        return shoe
    incident = CardIncident(what, by, reason, len(shoe.drawn), round_number)
    return replace(shoe, proof=replace(shoe.proof, incidents=(*shoe.proof.incidents, incident)))


def proof_of(shoe: Shoe) -> Proof:
    """The proof of a provable shoe."""
    if shoe.proof is None:
        raise ShoeError("proof", "this shoe is of the older kind, which one seed decides")
    return shoe.proof
