"""A shoe's life as a value: committed, cut, opened, loaded, dealt, ended. Each step is pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

import msgspec

from wartable import proof, stream
from wartable.cards import DECK, HIDDEN, Card
from wartable.proof import Digest, DigestIfAny, NumberText, Proof
from wartable.refusal import Refusal
from wartable.rules.model import WEIGHTS_MAX, Count

Method = Literal["shoe", "batches", "every_round", "continuous"]
Use = Literal["burn", "original", "war", "set_aside"]
NameText = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]

DECKS_MAX = 16
CUT_MARGIN = 10  # cards from either end
BOTTOM_SHARE = 4  # at least a quarter of the cards lie below the cover card
ONE_ROUND: frozenset[Method] = frozenset({"every_round", "continuous"})
RESERVED_LABELS = frozenset({"order", "cut", "cover"})


class ShoeError(Refusal):
    """A step that the shoe does not allow now; the shoe is unchanged."""


class ShoePart(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A frozen part of a shoe that is stored as JSON."""


class Terms(ShoePart, frozen=True):
    """What a shoe is: its table, its number there, the method, the decks and the batch."""

    table: NameText
    number: Annotated[int, msgspec.Meta(ge=1)]
    method: Method
    decks: Annotated[int, msgspec.Meta(ge=1, le=DECKS_MAX)]
    batch: Annotated[str, msgspec.Meta(max_length=32)] = ""


class Seal(ShoePart, frozen=True):
    """The hash of a seed that a player keeps secret until the cut is made."""

    player: NameText
    seal: Digest


class PlayerSeed(ShoePart, frozen=True):
    """A player's own seed, opened after the cut."""

    player: NameText
    seed: NumberText


class CutRecord(ShoePart, frozen=True):
    """How many cards were lifted, and by whom; without a player the dealer cut by the seed."""

    player: NameText | None
    position: int | None


class Cover(ShoePart, frozen=True):
    """How many cards lie above the cover card, derived between the two allowed positions."""

    position: int
    low: int
    high: int


class DrawnCard(ShoePart, frozen=True):
    """A card that left the shoe, with its use, round and box (0 is the dealer)."""

    card: Card
    round_number: Count
    use: Use
    box: Count | None = None


class HouseChoice(ShoePart, frozen=True):
    """A choice of the house derived from the seeds: its label, number, options and result."""

    label: NameText
    index: Count
    options: tuple[str, ...]
    weights: tuple[Count, ...]
    result: Count


class Shoe(ShoePart, frozen=True):
    """One shuffle from its commitment to its reveal; `seed` and `cards` are the house's secret."""

    terms: Terms
    commitment: Digest
    seals: tuple[Seal, ...] = ()
    cuts: tuple[CutRecord, ...] = ()
    player_seeds: tuple[PlayerSeed, ...] = ()
    cover: Cover | None = None
    drawn: tuple[DrawnCard, ...] = ()
    discards: tuple[Count, ...] = ()  # places in `drawn`, in the order they were racked
    choices: tuple[HouseChoice, ...] = ()
    ended: Annotated[str, msgspec.Meta(max_length=200)] = ""
    seed: DigestIfAny = ""
    cards: tuple[Card, ...] = ()
    proof: Proof | None = None
    """Present in a provable shoe: `seed` is its last link, and only dealt cards have a place."""

    # Logs and tracebacks print values; they must not show unseen cards or the seed.
    def __repr__(self) -> str:
        terms = self.terms
        return f"<Shoe {terms.table!r} {terms.number}: {len(self.drawn)} dealt, {left(self)} left>"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("terms", self.terms), ("dealt", len(self.drawn)), ("left", left(self))]


def composition_problems(cards: Iterable[Card], decks: int) -> list[str]:
    """Why the cards are not that many whole decks, in sentences."""
    counts = Counter(cards)
    problems = [f"{card!r} is not a card" for card in sorted(set(counts) - set(DECK))]
    return problems + [
        f"the stack has {counts[card]} of {card} instead of {decks}"
        for card in DECK
        if counts[card] != decks
    ]


def _check_whole(cards: Iterable[Card], decks: int) -> None:
    """Refuse to load cards that are not that many whole decks."""
    if problems := composition_problems(cards, decks):
        raise ShoeError("composition", "; ".join(problems))


def cut_limits(count: int) -> tuple[int, int]:
    """The fewest and the most cards that a cut may lift."""
    return CUT_MARGIN, count - CUT_MARGIN


def cover_limits(count: int) -> tuple[int, int]:
    """The highest and the lowest place for the cover card, in cards above it."""
    return CUT_MARGIN, count - -(-count // BOTTOM_SHARE)


def rotate(cards: tuple[Card, ...], position: int) -> tuple[Card, ...]:
    """The stack after a cut: the cards above the position have gone to the bottom."""
    return cards[position:] + cards[:position]


def other_batch(batches: tuple[str, str], batch: str) -> str:
    """The batch of the next shoe; the two batches take turns."""
    first, second = batches
    if first == second or batch not in batches:
        raise ShoeError("batch", "a shoe takes one of two batches with different backs")
    return second if batch == first else first


def start(terms: Terms, seed: bytes, seals: Sequence[Seal] = ()) -> Shoe:
    """A shuffled, uncut stack with its commitment; publish its `public` view now."""
    if len(seed) != stream.SEED_BYTES:
        raise ShoeError("seed", f"a seed has {stream.SEED_BYTES} bytes")
    if len({each.player for each in seals}) != len(seals):
        raise ShoeError("seal", "a player seals only one seed for each shoe")
    return Shoe(
        terms=terms,
        commitment=committed(terms, seed, seals).hex(),
        seals=tuple(seals),
        seed=seed.hex(),
    )


def committed(terms: Terms, seed: bytes, seals: Iterable[Seal]) -> bytes:
    """The commitment of these terms, this seed and these seals."""
    pairs = [(each.player, bytes.fromhex(each.seal)) for each in seals]
    where = (terms.table, terms.number, terms.method, terms.decks, terms.batch)
    return stream.commitment(where, seed, pairs)


def seal_for(terms: Terms, player: str, player_seed: bytes) -> Seal:
    """The seal that a player's client makes for the next shoe."""
    return Seal(player, stream.seal(terms.table, terms.number, player, player_seed).hex())


def cut(shoe: Shoe, player: str | None, position: int | None = None) -> Shoe:
    """The shoe after one more cut or recut; the seed gives the position of a dealer's cut."""
    _need_stack(shoe)
    if shoe.terms.method in ONE_ROUND:
        raise ShoeError("no_cut", f"cards shuffled by the method {shoe.terms.method} are not cut")
    if (player is None) != (position is None):
        raise ShoeError("cut", "a player's cut needs a position; the dealer's comes from the seed")
    if position is not None:
        low, high = cut_limits(len(DECK) * shoe.terms.decks)
        if not low <= position <= high:
            raise ShoeError("cut", f"the cut lifts {low} to {high} cards, not {position}")
    return msgspec.structs.replace(shoe, cuts=(*shoe.cuts, CutRecord(player, position)))


def open_seal(shoe: Shoe, player: str, player_seed: bytes) -> Shoe:
    """The shoe with a player's seed opened; it must be the seed that the player sealed."""
    _need_stack(shoe)
    if any(each.player == player for each in shoe.player_seeds):
        raise ShoeError("opened", f"{player}'s seed is already open")
    shortest, longest = stream.PLAYER_SEED_BYTES_MIN, stream.PLAYER_SEED_BYTES_MAX
    if not shortest <= len(player_seed) <= longest:
        raise ShoeError("player_seed", f"a player's seed has {shortest} to {longest} bytes")
    if seal_for(shoe.terms, player, player_seed) not in shoe.seals:
        raise ShoeError("seal", f"{player} did not seal this seed for this shoe")
    opened = {each.player: each for each in shoe.player_seeds}
    opened[player] = PlayerSeed(player, player_seed.hex())
    # The commitment fixes the order of the seals, so the order of opening must not matter.
    in_order = tuple(opened[each.player] for each in shoe.seals if each.player in opened)
    return msgspec.structs.replace(shoe, player_seeds=in_order)


def unopened(shoe: Shoe) -> list[str]:
    """The players who sealed a seed and have not opened it."""
    opened = {each.player for each in shoe.player_seeds}
    return [each.player for each in shoe.seals if each.player not in opened]


def load(shoe: Shoe, cover: tuple[int, int] | None = None) -> Shoe:
    """The shoe ready to deal: ordered, cut, the cover card between the two positions given."""
    _need_stack(shoe)
    if shoe.proof is not None:
        return _load_provable(shoe, cover)
    missing = unopened(shoe)
    if missing:
        raise ShoeError(
            "unopened", f"these players did not open their sealed seeds: {', '.join(missing)}"
        )
    cards = stream.order(bytes.fromhex(shoe.seed), heard(shoe), shoe.terms.decks)
    cuts = derived_cuts(shoe)
    for each in cuts:
        cards = rotate(cards, each.position or 0)
    _check_whole(cards, shoe.terms.decks)
    return msgspec.structs.replace(shoe, cuts=cuts, cover=_covered(shoe, cover), cards=cards)


def _load_provable(shoe: Shoe, cover: tuple[int, int] | None) -> Shoe:
    """The shoe ready to deal; its cards lie as in new decks until a draw decides them."""
    covered, decks, given = _covered(shoe, cover), shoe.terms.decks, shoe.proof
    cards: tuple[Card, ...] = DECK * decks
    if given is not None and given.bound.order == "shoe":
        if not given.key:
            raise ShoeError("undecided", "the order of the cards is not decided yet")
        cards = tuple(proof.dealt(cards, bytes.fromhex(given.key)))
        _check_whole(cards, decks)
    return msgspec.structs.replace(shoe, cover=covered, cards=cards)


def top(shoe: Shoe) -> Card:
    """The next card, which the shoe must have."""
    _need_loaded(shoe)
    place = len(shoe.drawn)
    if place == len(shoe.cards):
        raise ShoeError("empty", "the shoe is empty")
    return shoe.cards[place if shoe.proof is None else _source(shoe, place)]


def with_decided(shoe: Shoe, place: int) -> tuple[Card, ...]:
    """The cards after a provable shoe's draw has chosen one of those left for a place."""
    other = _source(shoe, place)
    if other == place:
        return shoe.cards
    cards = list(shoe.cards)
    cards[place], cards[other] = cards[other], cards[place]
    return tuple(cards)


class _LastSource:
    """The last answer of `_source`, kept because a card is looked at and then drawn."""

    __slots__ = ("look",)

    def __init__(self) -> None:
        self.look: tuple[Shoe | None, int, int] = (None, 0, 0)


_LAST = _LastSource()


def _source(shoe: Shoe, place: int) -> int:
    """Where the card lies that the last draw has chosen for a place."""
    last, at, source = _LAST.look
    if shoe is not last or place != at:  # a shoe is immutable
        source = _found(shoe, place)
        _LAST.look = (shoe, place, source)
    return source


def _found(shoe: Shoe, place: int) -> int:
    given = shoe.proof
    if given is None or not given.key:
        raise ShoeError("undecided", "the next card is not decided yet")
    if given.bound.order == "shoe":  # the load has put all of them in their places
        return place
    return proof.source(given.key, given.draws[-1].first, len(shoe.cards), place)


def heard(shoe: Shoe) -> bytes:
    """The transcript of a shoe whose players' seeds are open."""
    pairs = [(each.player, bytes.fromhex(each.seed)) for each in shoe.player_seeds]
    return stream.transcript(bytes.fromhex(shoe.commitment), pairs)


def derived_cuts(shoe: Shoe) -> tuple[CutRecord, ...]:
    """The cuts, with the dealer's positions derived from the seed."""
    low, high = cut_limits(len(DECK) * shoe.terms.decks)
    count = high - low + 1
    return tuple(
        each if each.player else CutRecord(None, low + _chosen(shoe, "cut", index, count))
        for index, each in enumerate(shoe.cuts)
    )


def derived_cover(shoe: Shoe, low: int, high: int) -> Cover:
    """The cover card where the seed puts it, from `low` to `high`."""
    return Cover(low + _chosen(shoe, "cover", 0, high - low + 1), low, high)


def draw(
    shoe: Shoe, use: Use, round_number: int, box: int | None = None, *, decided: bool = True
) -> tuple[Card, Shoe]:
    """The next card and the shoe without it; burned and set-aside cards go to the discards.

    A provable shoe may lose a card that the next draw decides, if nobody sees it.
    """
    _need_loaded(shoe)
    if (box is None) != (use in {"burn", "set_aside"}):
        raise ShoeError("box", "a hand's card needs a box; a burned or set-aside card has none")
    place = len(shoe.drawn)
    if place == len(shoe.cards):
        raise ShoeError("empty", "the shoe is empty")
    cards = shoe.cards
    if shoe.proof is not None and decided:
        cards = with_decided(shoe, place)
    card = cards[place] if shoe.proof is None or decided else HIDDEN
    discards = shoe.discards if box is not None else (*shoe.discards, place)
    drawn = (*shoe.drawn, DrawnCard(card, round_number, use, box))
    return card, msgspec.structs.replace(shoe, drawn=drawn, discards=discards, cards=cards)


def cover_card_next(shoe: Shoe) -> bool:
    """Whether the next draw meets the cover card first."""
    return shoe.cover is not None and len(shoe.drawn) == shoe.cover.position


def cover_card_out(shoe: Shoe) -> bool:
    """Whether the cover card has appeared: the round is finished, then the shoe ends."""
    return shoe.cover is not None and len(shoe.drawn) > shoe.cover.position


def left(shoe: Shoe) -> int:
    """The number of cards in the shoe or, before it is loaded, in the stack."""
    return len(DECK) * shoe.terms.decks - len(shoe.drawn)


def on_felt(shoe: Shoe) -> int:
    """The number of dealt cards that are not in the discards yet."""
    return len(shoe.drawn) - len(shoe.discards)


def felt(shoe: Shoe) -> tuple[DrawnCard, ...]:
    """The dealt cards that are not in the discards yet, in the order dealt."""
    return tuple([shoe.drawn[place] for place in _lying(shoe)])


def _lying(shoe: Shoe) -> list[int]:
    """The places of the dealt cards that are not in the discards yet, in the order dealt."""
    count, racked = on_felt(shoe), set(shoe.discards)
    places: list[int] = []
    for place in range(len(shoe.drawn) - 1, -1, -1):  # they are among the last, so look there first
        if len(places) == count:
            break
        if place not in racked:
            places.append(place)
    return places[::-1]


def collect(shoe: Shoe, boxes: Sequence[int] | None = None) -> Shoe:
    """The shoe after these boxes' cards were racked in this order; None collects all cards."""
    _need_loaded(shoe)
    places = lying = _lying(shoe)
    if boxes is not None:
        unique = dict.fromkeys(boxes)
        places = [place for box in unique for place in lying if shoe.drawn[place].box == box]
    return msgspec.structs.replace(shoe, discards=shoe.discards + tuple(places))


def rack(shoe: Shoe) -> tuple[DrawnCard, ...]:
    """The discards in the order they were racked, each with its round, use and box."""
    return tuple(shoe.drawn[place] for place in shoe.discards)


def choose(
    shoe: Shoe,
    label: str,
    options: Sequence[str],
    weights: Sequence[int] = (),
    *,
    round_number: int = 0,
) -> tuple[HouseChoice, Shoe]:
    """The house's choice of that label; all options are equally likely without weights.

    The index of a choice is the number of its round, which has one choice of each label. In a shoe
    of the older kind, it is the number of earlier choices with that label.
    """
    _need_loaded(shoe)
    if label in RESERVED_LABELS:
        raise ShoeError("label", f"{label} is one of the shoe's own names")
    index = round_number if shoe.proof else sum(each.label == label for each in shoe.choices)
    choice = HouseChoice(label, index, tuple(options), tuple(weights), 0)
    choice = msgspec.structs.replace(choice, result=derived_choice(shoe, choice))
    return choice, msgspec.structs.replace(shoe, choices=(*shoe.choices, choice))


def derived_choice(shoe: Shoe, choice: HouseChoice) -> int:
    """The option that the seeds give for a choice, whatever result it states."""
    weights = choice.weights or (1,) * len(choice.options)
    drawable = min(weights, default=0) >= 0 and 0 < sum(weights) <= WEIGHTS_MAX
    if len(weights) != len(choice.options) or not drawable:
        sentence = f"each option needs a weight, and together they are from 1 to {WEIGHTS_MAX}"
        raise ShoeError("weights", sentence)
    if shoe.proof is not None:
        if not shoe.proof.key:
            raise ShoeError("undecided", "nothing has been decided yet")
        return proof.chosen(bytes.fromhex(shoe.proof.key), choice.label, choice.index, weights)
    seed = bytes.fromhex(shoe.seed)
    return stream.choose_weighted(seed, heard(shoe), choice.label, choice.index, weights)


def end(shoe: Shoe, reason: str) -> Shoe:
    """The ended shoe, whose seed and cards are revealed.

    In a provable shoe only the dealt cards have a place, so that there is no stack to show.
    """
    _need_live(shoe)
    if not reason:
        raise ShoeError("reason", "the end of a shoe needs a reason")
    if shoe.proof is None:
        return msgspec.structs.replace(shoe, ended=reason)
    given = msgspec.structs.replace(shoe.proof, key="")
    return msgspec.structs.replace(shoe, ended=reason, proof=given, cards=())


def public(shoe: Shoe) -> Shoe:
    """The shoe as anybody may see it: before its end, without what only the seed gives.

    That is the seed itself, the burned and undealt cards, and the dealer's cut.
    """
    if shoe.ended:
        return shoe
    cuts = tuple(each if each.player else CutRecord(None, None) for each in shoe.cuts)
    drawn = tuple(
        msgspec.structs.replace(dealt, card=HIDDEN) if dealt.use == "burn" else dealt
        for dealt in shoe.drawn
    )
    given = shoe.proof and msgspec.structs.replace(shoe.proof, key="")
    return msgspec.structs.replace(shoe, cuts=cuts, drawn=drawn, seed="", cards=(), proof=given)


def _chosen(shoe: Shoe, label: str, index: int, count: int) -> int:
    return stream.choose(bytes.fromhex(shoe.seed), heard(shoe), label, index, count)


def _covered(shoe: Shoe, between: tuple[int, int] | None) -> Cover | None:
    if (between is None) != (shoe.terms.method in ONE_ROUND):
        raise ShoeError(
            "cover", "a shoe of many rounds needs a cover card; a shoe of one round has none"
        )
    if between is None:
        return None
    low, high = cover_limits(len(DECK) * shoe.terms.decks)
    if not low <= between[0] <= between[1] <= high:
        raise ShoeError("cover", f"the cover card goes under {low} to {high} cards")
    if shoe.proof is None:
        return derived_cover(shoe, *between)
    if between[0] != between[1]:
        raise ShoeError("cover", "the cover card of a provable shoe has one place")
    return Cover(between[0], *between)


def _need_live(shoe: Shoe) -> None:
    if shoe.ended:
        raise ShoeError("ended", f"this shoe has ended: {shoe.ended}")


def _need_stack(shoe: Shoe) -> None:
    _need_live(shoe)
    if shoe.cards:
        raise ShoeError("loaded", "the stack is already in the shoe")


def _need_loaded(shoe: Shoe) -> None:
    _need_live(shoe)
    if not shoe.cards:
        raise ShoeError("not_loaded", "no stack is in the shoe")
