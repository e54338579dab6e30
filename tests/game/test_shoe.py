"""The shoe: an exact shuffle, a cut and a load that are bound by a commitment, and its secrets."""

import itertools
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clauses import proves
from paths import DATA
from wartable import proof, provable, stream
from wartable import shoe as shoes
from wartable.cards import DECK, HIDDEN
from wartable.shoe import CutRecord, Shoe, ShoeError, Terms
from wartable.verify import Record, read_record, verify, verify_bytes, write_record

VECTORS = json.loads((DATA / "shoe-vectors.json").read_text("utf-8"))
SEED = bytes(range(32))
SIX = Terms("test", 1, "shoe", 6)
BURN: tuple[shoes.Use, int, None] = ("burn", 1, None)

seeds = st.binary(min_size=32, max_size=32)
player_seeds = st.binary(min_size=16, max_size=64)
decks = st.integers(1, 8)


def vector(name: str) -> Shoe:
    """The shoe of the vector whose name has these words."""
    (found,) = [each["shoe"] for each in VECTORS["vectors"] if name in each["name"]]
    return msgspec.convert(found, Shoe)


def loaded(seed: bytes = SEED, cover: int = 234) -> Shoe:
    """A six-deck shoe cut by the dealer."""
    return shoes.load(shoes.cut(shoes.start(SIX, seed), None), (cover, cover))


def drawn(shoe: Shoe, *uses: tuple[shoes.Use, int, int | None]) -> Shoe:
    """The shoe after these draws."""
    for use, number, box in uses:
        _, shoe = shoes.draw(shoe, use, number, box)
    return shoe


# The shuffle


def test_below_is_exactly_uniform() -> None:
    """Of all words each result comes from equally many, and only the remainder is rejected."""
    for count in range(1, 257):
        results: Counter[int] = Counter()
        for word in range(256):
            try:
                results[stream.below(iter([word]), 1, count)] += 1
            except ValueError:
                results[-1] += 1
        rejected = results.pop(-1, 0)
        assert rejected == 256 % count
        assert results == dict.fromkeys(range(count), 256 // count)


def test_below_goes_on_after_a_rejected_word() -> None:
    """A rejected word is skipped, not folded in."""
    assert stream.below(iter([65535, 65520, 65519]), 2, 312) == 65519 % 312


@proves("engine", "MD-5-A")
def test_shuffle_reaches_every_order_once() -> None:
    """All draws of a four-card shuffle give all 24 orders, each exactly once."""
    draws = itertools.product(range(4), range(3), range(2))
    orders = Counter(stream.shuffle(iter(words), DECK[:4]) for words in draws)
    assert orders == dict.fromkeys(itertools.permutations(DECK[:4]), 1)


@proves("engine", "CA-decks-2", "ON-overview-1", "MD-4-C-3")
@given(seeds, seeds, decks)
def test_order_is_the_decks_and_repeats(seed: bytes, heard: bytes, count: int) -> None:
    """An order holds every card once per deck, and one seed gives one order."""
    cards = stream.order(seed, heard, count)
    assert Counter(cards) == dict.fromkeys(DECK, count)
    assert shoes.composition_problems(cards, count) == []
    assert cards == stream.order(seed, heard, count)


@given(seeds, seeds, seeds)
def test_streams_are_apart(seed: bytes, heard: bytes, other: bytes) -> None:
    """Another seed, transcript, label or index is another stream."""
    first = [
        next(stream.blocks(*key))
        for key in {
            (seed, heard, "order", 0),
            (other, heard, "order", 0),
            (seed, other, "order", 0),
            (seed, heard, "cut", 0),
            (seed, heard, "cut", 1),
        }
    ]
    assert len(set(first)) == len(first)


@given(st.lists(st.binary(max_size=5), max_size=4), st.lists(st.binary(max_size=5), max_size=4))
def test_pack_is_injective(one: list[bytes], other: list[bytes]) -> None:
    """Two lists of fields have the same bytes only if they are the same list."""
    assert (stream.pack(*one) == stream.pack(*other)) == (one == other)


def test_a_shoe_that_is_a_card_short_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cards are counted before they are dealt, of a sealed shoe and of a provable one."""
    short = DECK[1:] + DECK * 5
    monkeypatch.setattr(stream, "order", lambda *_: short)
    monkeypatch.setattr(proof, "dealt", lambda *_: short)
    digest = "00" * 32
    burns = {"burn_first": 1, "burn_new_dealer": 1, "burn_war": 3, "burn_war_when": "once"}
    places = {"cut_min": 10, "cover_low": 234, "cover_high": 234, "labels": ()}
    links = {"chain": digest, "anchor": digest, "before": digest, "links": 2, "used": 0}
    how = {"book": "b", "order": "shoe", "owner": "", "iterations": 1, "deal_order": "clockwise"}
    raw = {**how, **burns, **places, **links}
    begun = provable.start(SIX, msgspec.convert(raw, proof.Bound))
    assert begun.proof is not None
    keyed = msgspec.structs.replace(begun.proof, key=digest)
    for shoe in (shoes.start(SIX, SEED), msgspec.structs.replace(begun, proof=keyed)):
        with pytest.raises(ShoeError, match=f"has 5 of {DECK[0]} instead of 6"):
            shoes.load(shoes.cut(shoe, "ann", 100), (234, 234))


def test_composition_problems_name_each_card() -> None:
    """A missing, doubled or foreign card is named."""
    assert shoes.composition_problems([*DECK[1:], "3c", HIDDEN], 1) == [
        "'??' is not a card",
        "the stack has 0 of 2c instead of 1",
        "the stack has 2 of 3c instead of 1",
    ]


def test_no_word_is_waited_for_that_cannot_come() -> None:
    """A number is drawn below as much as a word can be; beyond that no word would be fair."""
    most = 2**64
    assert stream.below(iter([most - 1]), 8, most) == most - 1
    for count in (most + 1, 0, -1):
        with pytest.raises(ValueError, match=f"no number below {count}"):
            stream.below(itertools.count(), 8, count)


@given(seeds, st.lists(st.integers(0, 50), min_size=1, max_size=6).filter(any))
def test_weighted_choices_follow_their_weights(seed: bytes, weights: list[int]) -> None:
    """A weighted choice is the equal choice among as many tickets as the weights add up to."""
    tickets = [option for option, weight in enumerate(weights) for _ in range(weight)]
    ticket = stream.choose(seed, SEED, "wheel", 3, len(tickets))
    assert stream.choose_weighted(seed, SEED, "wheel", 3, weights) == tickets[ticket]


# The vectors


@pytest.mark.finding(19)
@pytest.mark.parametrize("each", VECTORS["vectors"], ids=lambda each: str(each["name"]))
def test_vectors(each: dict[str, Any]) -> None:
    """The committed vectors are what this code makes, on the way and at the end."""
    shoe = msgspec.convert(each["shoe"], Shoe)
    seed, heard = bytes.fromhex(shoe.seed), shoes.heard(shoe)
    derived = each["derived"]
    assert heard.hex() == derived["transcript"]
    assert next(stream.blocks(seed, heard, "order", 0)).hex() == derived["first_order_block"]
    cards = stream.order(seed, heard, shoe.terms.decks)
    assert list(cards[:8]) == derived["top_before_cut"]
    assert rejected_words(shoe) == derived["words_rejected"]
    assert all(step.ok for step in verify(Record((shoe,))))


def rejected_words(shoe: Shoe) -> int:
    """How many words the shuffle skipped."""
    used = 0

    def counted() -> Any:
        nonlocal used
        blocks = stream.blocks(bytes.fromhex(shoe.seed), shoes.heard(shoe), "order", 0)
        for word in stream.words(blocks, 2):
            used += 1
            yield word

    stream.shuffle(counted(), DECK * shoe.terms.decks)
    return used - (len(DECK) * shoe.terms.decks - 1)


def test_vectors_cover_what_can_differ() -> None:
    """The vectors have 1, 6 and 8 decks, all methods, seeds or none, rejections and choices."""
    all_shoes = [msgspec.convert(each["shoe"], Shoe) for each in VECTORS["vectors"]]
    assert {shoe.terms.decks for shoe in all_shoes} == {1, 6, 8}
    assert {shoe.terms.method for shoe in all_shoes} == {
        "shoe",
        "batches",
        "every_round",
        "continuous",
    }
    assert {len(shoe.seals) for shoe in all_shoes} == {0, 1, 2, 3}
    assert any(each["derived"]["words_rejected"] for each in VECTORS["vectors"])
    assert any(shoe.choices for shoe in all_shoes)
    assert any(cut.player is None for shoe in all_shoes for cut in shoe.cuts)


# From the commitment to the load


@proves("engine", "MD-5-B")
@given(seeds, player_seeds, player_seeds)
def test_commitment_stands_before_cut_and_opening(seed: bytes, ann: bytes, bob: bytes) -> None:
    """The commitment is there before the cut and never changes; the seeds then fix the order."""
    seals = [shoes.seal_for(SIX, "ann", ann), shoes.seal_for(SIX, "bob", bob)]
    shoe = shoes.start(SIX, seed, seals)
    committed = shoe.commitment
    shoe = shoes.cut(shoe, "ann", 60)
    one = shoes.open_seal(shoes.open_seal(shoe, "ann", ann), "bob", bob)
    other = shoes.open_seal(shoes.open_seal(shoe, "bob", bob), "ann", ann)
    assert one == other
    one = shoes.load(one, (234, 234))
    assert one.commitment == committed
    made = stream.order(seed, shoes.heard(one), 6)
    assert one.cards == made[60:] + made[:60]


@given(seeds, player_seeds, player_seeds)
def test_every_seed_moves_the_order_and_the_choices(seed: bytes, one: bytes, other: bytes) -> None:
    """Another seed of a player gives another order and another stream of choices."""
    shoe = [
        shoes.load(
            shoes.open_seal(
                shoes.cut(shoes.start(SIX, seed, [shoes.seal_for(SIX, "ann", each)]), None),
                "ann",
                each,
            ),
            (234, 234),
        )
        for each in (one, other)
    ]
    assert (shoe[0].cards == shoe[1].cards) == (one == other)
    assert (shoes.heard(shoe[0]) == shoes.heard(shoe[1])) == (one == other)


@proves("engine", "MD-5-F")
@given(decks, st.integers(-5, 430))
def test_MD_5_F(count: int, position: int) -> None:
    """A cut leaves at least ten cards above and ten below, or is refused."""
    shoe = shoes.start(Terms("test", 1, "shoe", count), SEED)
    if 10 <= position <= 52 * count - 10:
        assert shoes.cut(shoe, "ann", position).cuts == (CutRecord("ann", position),)
    else:
        with pytest.raises(ShoeError, match=r"the cut lifts 10 to"):
            shoes.cut(shoe, "ann", position)


@proves("engine", "MD-5-F-1", "MD-5-G-2")
@given(seeds, st.lists(st.integers(10, 302), min_size=1, max_size=4))
def test_MD_5_F_1(seed: bytes, positions: list[int]) -> None:
    """Each cut and recut puts the cards above it at the bottom, and nothing else changes."""
    shoe = shoes.start(SIX, seed)
    made = stream.order(seed, shoes.heard(shoe), 6)
    for position in positions:
        shoe = shoes.cut(shoe, "ann", position)
    shoe = shoes.load(shoe, (234, 234))
    top = sum(positions) % 312
    assert shoe.cards[0] == made[top]
    assert shoe.cards == tuple(made[(top + place) % 312] for place in range(312))


@given(seeds, st.lists(st.sampled_from([None, "ann"]), min_size=1, max_size=4))
def test_dealers_cuts_come_from_the_seed(seed: bytes, cutters: list[str | None]) -> None:
    """The dealer gives no position: the committed seed does, within the limits, anew each time."""
    shoe = shoes.start(SIX, seed)
    for cutter in cutters:
        shoe = shoes.cut(shoe, cutter, None if cutter is None else 77)
    cuts = shoes.load(shoe, (234, 234)).cuts
    for index, (cutter, made) in enumerate(zip(cutters, cuts, strict=True)):
        derived = 10 + stream.choose(seed, shoes.heard(shoe), "cut", index, 293)
        assert made == CutRecord(cutter, 77 if cutter else derived)
        assert 10 <= (made.position or 0) <= 302


def test_dealers_cut_reaches_both_limits() -> None:
    """Over many seeds the dealer's cut falls at ten and at N - 10 and nowhere beyond."""
    one = Terms("test", 1, "shoe", 1)
    positions = {
        shoes.load(shoes.cut(shoes.start(one, bytes([each] * 32)), None), (10, 39)).cuts[0].position
        for each in range(256)
    }
    assert positions == set(range(10, 43))


@pytest.mark.parametrize(("player", "position"), [(None, 100), ("ann", None)])
def test_only_players_choose_a_position(player: str | None, position: int | None) -> None:
    """The dealer may not choose where to cut, and a player must."""
    with pytest.raises(ShoeError, match="comes from the seed"):
        shoes.cut(shoes.start(SIX, SEED), player, position)


@proves("engine", "MD-5-F-2")
@given(decks, st.integers(0, 420), st.integers(0, 420))
def test_MD_5_F_2(count: int, low: int, high: int) -> None:
    """The cover card lies where the seed puts it, at least a quarter of the stack from below."""
    shoe = shoes.cut(shoes.start(Terms("test", 1, "shoe", count), SEED), None)
    if 10 <= low <= high and 4 * (52 * count - high) >= 52 * count:
        cover = shoes.load(shoe, (low, high)).cover
        assert cover is not None
        assert low <= cover.position <= high
    else:
        with pytest.raises(ShoeError, match="the cover card goes under"):
            shoes.load(shoe, (low, high))


@proves("engine", "MD-5-K")
@pytest.mark.parametrize("method", ["every_round", "continuous"])
def test_shoes_of_one_round_are_not_cut(method: shoes.Method) -> None:
    """Without a cut and a cover card a shoe of one round is loaded; with either it is refused."""
    shoe = shoes.start(Terms("test", 1, method, 6), SEED)
    with pytest.raises(ShoeError, match="are not cut"):
        shoes.cut(shoe, "ann", 100)
    with pytest.raises(ShoeError, match="a shoe of one round has none"):
        shoes.load(shoe, (200, 200))
    assert shoes.load(shoe).cover is None


def test_a_shoe_of_many_rounds_needs_its_cover_card() -> None:
    """No cover card, no load."""
    with pytest.raises(ShoeError, match="needs a cover card"):
        shoes.load(shoes.cut(shoes.start(SIX, SEED), None))


@given(player_seeds, player_seeds)
def test_a_seal_holds_its_player(sealed: bytes, given_later: bytes) -> None:
    """Only the sealed seed is taken, once, and from the player who sealed it."""
    shoe = shoes.start(SIX, SEED, [shoes.seal_for(SIX, "ann", sealed)])
    if sealed != given_later:
        with pytest.raises(ShoeError, match="did not seal"):
            shoes.open_seal(shoe, "ann", given_later)
    with pytest.raises(ShoeError, match="did not seal"):
        shoes.open_seal(shoe, "bob", sealed)
    opened = shoes.open_seal(shoe, "ann", sealed)
    with pytest.raises(ShoeError, match="already open"):
        shoes.open_seal(opened, "ann", sealed)


def test_a_seal_is_for_one_shoe() -> None:
    """A seal made for another shoe of the table is not opened in this one."""
    other = msgspec.structs.replace(SIX, number=2)
    shoe = shoes.start(SIX, SEED, [shoes.seal_for(other, "ann", SEED)])
    with pytest.raises(ShoeError, match="did not seal"):
        shoes.open_seal(shoe, "ann", SEED)


def test_an_unopened_seal_ends_the_shoe() -> None:
    """Nothing is loaded without every sealed seed; the shoe ends, is revealed, and verifies."""
    shoe = shoes.cut(shoes.start(SIX, SEED, [shoes.seal_for(SIX, "ann", SEED)]), "bob", 99)
    assert shoes.unopened(shoe) == ["ann"]
    with pytest.raises(ShoeError, match="did not open their sealed seeds: ann"):
        shoes.load(shoe, (234, 234))
    shoe = shoes.end(shoe, "ann did not open")
    assert shoes.public(shoe).seed == SEED.hex()
    assert all(step.ok for step in verify(Record((shoe,))))


def test_steps_come_in_their_order() -> None:
    """A step taken too early, too late or twice is refused by its code."""
    stack = shoes.cut(shoes.start(SIX, SEED, [shoes.seal_for(SIX, "ann", SEED)]), None)
    opened = shoes.open_seal(stack, "ann", SEED)
    ready = shoes.load(opened, (234, 234))
    over = shoes.end(ready, "idle")
    attempts: list[tuple[str, Callable[[], object]]] = [
        ("not_loaded", lambda: shoes.draw(stack, "burn", 1)),
        ("not_loaded", lambda: shoes.collect(stack)),
        ("not_loaded", lambda: shoes.choose(stack, "wheel", ["a"])),
        ("loaded", lambda: shoes.cut(ready, None)),
        ("loaded", lambda: shoes.open_seal(ready, "ann", SEED)),
        ("loaded", lambda: shoes.load(ready, (234, 234))),
        ("ended", lambda: shoes.draw(over, "burn", 1)),
        ("ended", lambda: shoes.end(over, "again")),
        ("reason", lambda: shoes.end(ready, "")),
        ("seed", lambda: shoes.start(SIX, b"short")),
        ("seal", lambda: shoes.start(SIX, SEED, stack.seals * 2)),
        ("player_seed", lambda: shoes.open_seal(stack, "ann", b"short")),
        ("label", lambda: shoes.choose(ready, "cut", ["a"])),
        ("weights", lambda: shoes.choose(ready, "wheel", [])),
        ("weights", lambda: shoes.choose(ready, "wheel", ["a", "b"], [1])),
        ("weights", lambda: shoes.choose(ready, "wheel", ["a", "b"], [0, 0])),
        ("weights", lambda: shoes.choose(ready, "wheel", ["a", "b"], [3, -1])),
        ("weights", lambda: shoes.choose(ready, "wheel", ["a", "b"], [1, 2**53 - 1])),
        ("box", lambda: shoes.draw(ready, "burn", 1, 2)),
        ("box", lambda: shoes.draw(ready, "war", 1)),
    ]
    for code, attempt in attempts:
        with pytest.raises(ShoeError) as refused:
            attempt()
        assert refused.value.code == code


def test_batches_take_turns() -> None:
    """The next shoe takes the other batch, and two batches have two backs."""
    assert shoes.other_batch(("red", "blue"), "red") == "blue"
    assert shoes.other_batch(("red", "blue"), "blue") == "red"
    for batches, batch in ((("red", "red"), "red"), (("red", "blue"), "green")):
        with pytest.raises(ShoeError):
            shoes.other_batch(batches, batch)


# The deal

uses: st.SearchStrategy[tuple[shoes.Use, int | None]] = st.one_of(
    st.tuples(st.sampled_from(["burn", "set_aside"]), st.none()),
    st.tuples(st.sampled_from(["original", "war"]), st.integers(0, 7)),
)
acts = st.lists(st.one_of(uses, st.lists(st.integers(0, 7), max_size=3), st.none()), max_size=60)


def play(shoe: Shoe, script: list[Any]) -> Shoe:
    """The shoe after draws (use and box) and collections (boxes, or None for all)."""
    for act in script:
        if isinstance(act, tuple):
            _, shoe = shoes.draw(shoe, act[0], 1, act[1])
        else:
            shoe = shoes.collect(shoe, act)
    return shoe


@proves("engine", "NZ-3.4c", "NZ-3.4d")
@given(seeds, acts)
def test_every_card_is_somewhere(seed: bytes, script: list[Any]) -> None:
    """Shoe, felt and discards are always decks x 52 cards, by composition."""
    shoe = play(loaded(seed), script)
    racked = [dealt.card for dealt in shoes.rack(shoe)]
    lying = [dealt.card for dealt in shoes.felt(shoe)]
    undealt = list(shoe.cards[len(shoe.drawn) :])
    assert shoes.composition_problems(racked + lying + undealt, 6) == []
    assert len(undealt) == shoes.left(shoe)
    assert tuple(dealt.card for dealt in shoe.drawn) == shoe.cards[: len(shoe.drawn)]


@proves("engine", "MD-2-F", "MD-9-F-1", "CA-round-4b", "CA-round-8c")
def test_discards_tell_each_hand() -> None:
    """The rack keeps its order, and each card its round, use and box: hands can be rebuilt."""
    shoe = drawn(loaded(), BURN, *(("original", 1, box) for box in (1, 2, 3, 0)))
    shoe = shoes.collect(shoe, [3, 1])
    assert [dealt.box for dealt in shoes.rack(shoe)] == [None, 3, 1]
    assert [dealt.box for dealt in shoes.felt(shoe)] == [2, 0]
    shoe = shoes.collect(drawn(shoe, *([BURN] * 3), ("war", 1, 2), ("war", 1, 0)))
    rack = shoes.rack(shoe)
    assert [(dealt.use, dealt.box) for dealt in rack] == [
        ("burn", None),
        ("original", 3),
        ("original", 1),
        *[("burn", None)] * 3,
        ("original", 2),
        ("original", 0),
        ("war", 2),
        ("war", 0),
    ]
    assert [dealt.card for dealt in rack if dealt.box == 2] == [shoe.cards[2], shoe.cards[8]]
    assert shoes.felt(shoe) == ()


def test_the_cover_card_appears_between_two_cards() -> None:
    """The cover card is next once its position is dealt, and out with the card after it."""
    shoe = drawn(loaded(cover=10), *([BURN] * 9))
    assert not shoes.cover_card_next(shoe)
    shoe = drawn(shoe, BURN)
    assert shoes.cover_card_next(shoe)
    assert not shoes.cover_card_out(shoe)
    shoe = drawn(shoe, ("original", 1, 1))
    assert not shoes.cover_card_next(shoe)
    assert shoes.cover_card_out(shoe)


def test_an_empty_shoe_deals_no_card() -> None:
    """After decks x 52 cards the shoe is empty."""
    shoe = shoes.load(shoes.start(Terms("test", 1, "every_round", 1), SEED))
    shoe = drawn(shoe, *([BURN] * 52))
    with pytest.raises(ShoeError, match="empty"):
        shoes.draw(shoe, "burn", 1)


def test_choices_are_numbered_by_label() -> None:
    """Each label counts its own choices, and the seed gives each result."""
    shoe = loaded()
    results = []
    for label in ("wheel", "hot-spot", "wheel", "wheel"):
        choice, shoe = shoes.choose(shoe, label, ["a", "b", "c"], [1, 2, 3])
        results.append((choice.label, choice.index, choice.result))
    assert results == [
        (label, index, stream.choose_weighted(SEED, shoes.heard(shoe), label, index, [1, 2, 3]))
        for label, index in (("wheel", 0), ("hot-spot", 0), ("wheel", 1), ("wheel", 2))
    ]


# What is seen


@given(seeds, seeds, acts, st.randoms(use_true_random=False))
def test_nobody_sees_seed_burned_or_undealt_cards(
    seed: bytes, other: bytes, script: list[Any], chance: Any
) -> None:
    """Before the end the view is the same whatever the seed, the burned and the undealt cards."""
    shoe = play(loaded(seed), script)
    hidden = [place for place, dealt in enumerate(shoe.drawn) if dealt.use == "burn"]
    hidden += range(len(shoe.drawn), len(shoe.cards))
    cards, mixed = list(shoe.cards), [shoe.cards[place] for place in hidden]
    chance.shuffle(mixed)
    for place, card in zip(hidden, mixed, strict=True):
        cards[place] = card
    dealt = tuple(
        msgspec.structs.replace(each, card=card)
        for each, card in zip(shoe.drawn, cards, strict=False)
    )
    twin = msgspec.structs.replace(shoe, seed=other.hex(), cards=tuple(cards), drawn=dealt)
    view = shoes.public(shoe)
    assert shoes.public(twin) == view
    assert view.seed == ""
    assert view.cards == ()
    assert all((each.card == HIDDEN) == (each.use == "burn") for each in view.drawn)
    assert seed.hex() not in msgspec.json.encode(view).decode()


def test_where_the_dealer_cut_is_hidden_until_the_end() -> None:
    """A player's cut is seen by all; where the dealer cut comes from the seed, and is told last."""
    stack = shoes.cut(shoes.cut(shoes.start(SIX, SEED), "ann", 100), None)
    shoe = shoes.load(stack, (100, 100))
    assert shoes.public(shoe).cuts == (shoes.CutRecord("ann", 100), shoes.CutRecord(None, None))
    assert shoes.public(shoes.end(shoe, "cover card")).cuts[1].position is not None


def test_the_end_reveals_everything() -> None:
    """After the end the view is the whole shoe."""
    shoe = shoes.end(drawn(loaded(), BURN), "cover card")
    assert shoes.public(shoe) == shoe
    assert shoe.drawn[0].card == shoe.cards[0]
    assert shoe.seed == SEED.hex()


def test_printing_a_shoe_shows_no_secret() -> None:
    """A log line or traceback with a shoe in it tells neither seed nor cards."""
    shoe = drawn(loaded(), BURN)
    for text in (repr(shoe), str(shoe), f"{shoe}", repr([shoe]), repr(shoe.__rich_repr__())):
        assert SEED.hex() not in text
        assert not any(card in text for card in DECK)


# Verification

THREE = "three players"
Change = Callable[[dict[str, Any]], None]


def setter(path: str, value: Any) -> Change:
    """A change that sets what the dotted path names."""

    def change(shoe: dict[str, Any]) -> None:
        *way, last = [int(key) if key.isdigit() else key for key in path.split(".")]
        target: Any = shoe
        for key in way:
            target = target[key]
        target[last] = value(target[last]) if callable(value) else value

    return change


def flip(text: str) -> str:
    """The hexadecimal text with its first digit changed."""
    return ("0" if text[0] != "0" else "1") + text[1:]


def swap_unlike(cards: list[str]) -> list[str]:
    """The list with its first card swapped for the next other one."""
    place = next(place for place, card in enumerate(cards) if card != cards[0])
    cards[0], cards[place] = cards[place], cards[0]
    return cards


def move_dealers_cut(shoe: dict[str, Any]) -> None:
    """A consistent lie: the dealer cut one card deeper, and the stack agrees."""
    shoe["cuts"][0]["position"] += 1
    shoe["cards"] = shoe["cards"][1:] + shoe["cards"][:1]


def deal_after_cover(shoe: dict[str, Any]) -> None:
    """Two more rounds after the one in which the cover card appeared."""
    first = len(shoe["drawn"])
    for place in range(first, shoe["cover"]["position"] + 3):
        number = 1 if place <= shoe["cover"]["position"] else 2
        card = shoe["cards"][place]
        shoe["drawn"].append({"card": card, "round_number": number, "use": "burn", "box": None})


TAMPERINGS: list[tuple[str, Change]] = [
    ("end", setter("ended", "")),
    ("end", setter("seed", "")),
    ("end", setter("cards", [])),
    ("commitment", setter("seed", flip)),
    ("commitment", setter("commitment", flip)),
    ("commitment", setter("terms.table", "other")),
    ("commitment", setter("terms.number", 4)),
    ("commitment", setter("terms.method", "batches")),
    ("commitment", setter("terms.decks", 7)),
    ("commitment", setter("terms.batch", "red")),
    ("commitment", setter("seals.1.seal", flip)),
    ("commitment", setter("seals.1.player", "eve")),
    ("commitment", setter("seals", lambda seals: seals[:2])),
    ("commitment", setter("seals", lambda seals: seals[::-1])),
    ("players' seeds", setter("player_seeds.2.seed", flip)),
    ("players' seeds", setter("player_seeds.0.player", "eve")),
    ("players' seeds", setter("player_seeds", lambda opened: opened[:2])),
    ("players' seeds", setter("player_seeds", lambda opened: opened[::-1])),
    ("players' seeds", setter("player_seeds", lambda opened: [*opened, opened[0]])),
    ("composition", setter("cards.5", lambda card: "As" if card != "As" else "Ad")),
    ("composition", setter("cards", lambda cards: cards[:-1])),
    ("order", setter("cards", swap_unlike)),
    ("order", setter("cards", sorted)),
    ("cut", setter("cards", lambda cards: cards[1:] + cards[:1])),
    ("cut", setter("cuts.0.position", lambda position: position + 1)),
    ("cut", move_dealers_cut),
    ("cut", setter("cuts.1.position", 11)),
    ("cut", setter("cuts.1.position", 9)),
    ("cut", setter("cuts.1.position", None)),
    ("cut", setter("cuts", [])),
    ("cover card", setter("cover.position", lambda position: position + 1)),
    ("cover card", setter("cover.low", 9)),
    ("cover card", setter("cover.high", 313)),
    ("dealt cards", setter("drawn.4.card", lambda card: "2c" if card != "2c" else "3c")),
    ("dealt cards", setter("drawn", lambda drawn: drawn[1:])),
    ("choices", setter("choices.0.result", lambda result: (result + 1) % 4)),
    ("choices", setter("choices.2.index", 0)),
    ("choices", setter("choices", lambda choices: choices[1:])),
    ("choices", setter("choices.1.options", [])),
]


def heavier(shoe: Any) -> None:
    """Let the first choice have weights by which no word is fair: nobody may wait for one."""
    choice = shoe["choices"][0]
    choice["weights"] = [2**70, *[1] * (len(choice["options"]) - 1)]


# These break a rule about the record, not the arithmetic of the seeds.
BREACHES: list[tuple[str, Change]] = [
    ("dealt cards", setter("drawn.1.box", None)),
    ("dealt cards", setter("drawn.0.round_number", 2)),
    ("dealt cards", deal_after_cover),
    ("dealt cards", setter("discards.0", 99)),
    ("dealt cards", setter("discards.0", 1)),
    ("choices", setter("choices.0.label", "cut")),
    ("cover card", setter("cover", None)),
    ("choices", setter("choices.0.weights", [1])),
    ("choices", heavier),
]


@pytest.mark.parametrize(("step", "change"), TAMPERINGS + BREACHES)
def test_verification_names_the_step_that_fails(step: str, change: Change) -> None:
    """Whatever is changed in a finished shoe, the right step fails and is the last of its shoe."""
    (found,) = [each["shoe"] for each in VECTORS["vectors"] if THREE in each["name"]]
    shoe = json.loads(json.dumps(found))
    change(shoe)
    record = {"format": "wartable-shoes-1", "shoes": [shoe]}
    *_, last, _ = verify_bytes(json.dumps(record).encode())
    assert (last.ok, last.name) == (False, step)
    assert last.sentence.endswith(".")


def session(method: shoes.Method, batches: tuple[str, ...]) -> list[Shoe]:
    """Finished shoes of one table, one round each."""
    made = []
    for number, batch in enumerate(batches, start=1):
        shoe = shoes.start(Terms("test", number, method, 1, batch), bytes([number]) * 32)
        shoe = shoes.load(shoe, None if method in shoes.ONE_ROUND else (20, 39))
        shoe = shoes.collect(drawn(shoe, ("original", number, 1), ("original", number, 0)))
        made.append(shoes.end(shoe, "round over"))
    return made


@pytest.mark.parametrize(
    ("made", "ok"),
    [
        (session("continuous", ("", "", "")), True),
        (session("batches", ("red", "blue", "red")), True),
        (session("batches", ("red", "blue", "blue")), False),
        (session("continuous", ("", "", ""))[::2], False),
        (session("continuous", ("", ""))[::-1], False),
        (session("continuous", ("",)) * 2, False),
        ([], False),
    ],
)
def test_verification_of_a_session(made: list[Shoe], ok: bool) -> None:
    """Shoes follow one another, no seed is used twice and batches take turns."""
    *each, sequence = verify(Record(tuple(made)))
    assert all(step.ok for step in each)
    assert (sequence.name, sequence.ok) == ("sequence", ok)


def test_two_rounds_of_one_shuffle_fail_where_each_has_its_own() -> None:
    """A continuous shuffler that dealt two rounds under one commitment is found."""
    (shoe,) = session("continuous", ("",))
    second = shoes.DrawnCard(shoe.cards[2], 2, "original", 1)
    shoe = msgspec.structs.replace(shoe, drawn=(*shoe.drawn, second))
    failed = [step for step in verify(Record((shoe,))) if not step.ok]
    assert [step.name for step in failed] == ["dealt cards"]


def test_two_shoes_of_one_seed_fail() -> None:
    """Every shoe has its own seed."""
    first, second = session("continuous", ("", ""))
    again = shoes.end(shoes.load(shoes.start(second.terms, bytes.fromhex(first.seed))), "idle")
    failed = [step for step in verify(Record((first, again))) if not step.ok]
    assert [step.sentence for step in failed] == ["Two shoes were made from one seed."]


def test_a_record_reads_back() -> None:
    """What is written is read again, and a file that is no record fails by its format."""
    record = Record((vector(THREE),))
    data = write_record(record)
    assert read_record(data) == record
    assert all(step.ok for step in verify_bytes(data))
    for broken in (b"", b"{}", b"\xff", data[:-9], data.replace(b'"seals"', b'"seal"')):
        assert [(step.name, step.ok) for step in verify_bytes(broken)] == [("format", False)]


@given(st.data())
def test_verification_never_stumbles(data: st.DataObject) -> None:
    """Any value of a record replaced by any other of its kind gives steps, not an exception."""
    (found,) = [each["shoe"] for each in VECTORS["vectors"] if THREE in each["name"]]
    shoe = json.loads(json.dumps(found))
    target: Any = shoe
    while True:
        keys = list(target) if isinstance(target, dict) else range(len(target))
        key = data.draw(st.sampled_from(list(keys)))
        if not isinstance(target[key], dict | list) or not target[key]:
            break
        target = target[key]
    target[key] = data.draw(
        st.sampled_from([None, "", "x", 0, -1, 2**70, [], {}, flip("00" * 32), "As", "??"])
    )
    steps = verify_bytes(json.dumps({"shoes": [shoe]}).encode())
    assert steps
    assert all(step.sentence for step in steps)


ONE = Terms("test", 1, "every_round", 6)
SEALED = shoes.start(SIX, SEED, [shoes.seal_for(SIX, "ann", b"a" * 32)])
OPENED = shoes.open_seal(SEALED, "ann", b"a" * 32)
CODES: list[tuple[str, Callable[[], object]]] = [
    ("batch", lambda: shoes.other_batch(("red", "red"), "red")),
    ("batch", lambda: shoes.other_batch(("red", "blue"), "green")),
    ("seed", lambda: shoes.start(SIX, SEED[1:])),
    ("seal", lambda: shoes.start(SIX, SEED, SEALED.seals * 2)),
    ("no_cut", lambda: shoes.cut(shoes.start(ONE, SEED), None)),
    ("cut", lambda: shoes.cut(SEALED, "ann")),
    ("cut", lambda: shoes.cut(SEALED, None, 100)),
    ("cut", lambda: shoes.cut(SEALED, "ann", 9)),
    ("cut", lambda: shoes.cut(SEALED, "ann", 303)),
    ("opened", lambda: shoes.open_seal(OPENED, "ann", b"a" * 32)),
    ("player_seed", lambda: shoes.open_seal(SEALED, "ann", b"a" * 15)),
    ("player_seed", lambda: shoes.open_seal(SEALED, "ann", b"a" * 65)),
    ("seal", lambda: shoes.open_seal(SEALED, "ann", b"b" * 32)),
    ("unopened", lambda: shoes.load(SEALED, (200, 200))),
    ("cover", lambda: shoes.load(OPENED)),
    ("cover", lambda: shoes.load(OPENED, (9, 20))),
    ("cover", lambda: shoes.load(OPENED, (200, 235))),
    ("cover", lambda: shoes.load(OPENED, (200, 199))),
    ("cover", lambda: shoes.load(shoes.start(ONE, SEED), (200, 200))),
    ("loaded", lambda: shoes.load(loaded(), (200, 200))),
    ("loaded", lambda: shoes.cut(loaded(), None)),
    ("not_loaded", lambda: shoes.draw(SEALED, "burn", 1)),
    ("not_loaded", lambda: shoes.collect(SEALED)),
    ("not_loaded", lambda: shoes.choose(SEALED, "wheel", ("a",))),
    ("box", lambda: shoes.draw(loaded(), "burn", 1, 1)),
    ("box", lambda: shoes.draw(loaded(), "set_aside", 1, 1)),
    ("box", lambda: shoes.draw(loaded(), "original", 1)),
    ("empty", lambda: drawn(msgspec.structs.replace(loaded(), cards=("9s",)), BURN, BURN)),
    ("empty", lambda: shoes.top(drawn(msgspec.structs.replace(loaded(), cards=("9s",)), BURN))),
    ("not_loaded", lambda: shoes.top(SEALED)),
    ("undecided", lambda: shoes.with_decided(loaded(), 0)),
    ("loaded", lambda: shoes.open_seal(loaded(), "ann", b"a" * 32)),
    ("label", lambda: shoes.choose(loaded(), "cut", ("a",))),
    ("label", lambda: shoes.choose(loaded(), "cover", ("a",))),
    ("label", lambda: shoes.choose(loaded(), "order", ("a",))),
    ("weights", lambda: shoes.choose(loaded(), "wheel", ("a", "b"), (1,))),
    ("weights", lambda: shoes.choose(loaded(), "wheel", ("a", "b"), (1, -1))),
    ("weights", lambda: shoes.choose(loaded(), "wheel", ("a", "b"), (0, 0))),
    ("weights", lambda: shoes.choose(loaded(), "wheel", ())),
    ("reason", lambda: shoes.end(loaded(), "")),
    ("ended", lambda: shoes.end(shoes.end(loaded(), "worn"), "worn")),
    ("ended", lambda: shoes.draw(shoes.end(loaded(), "worn"), "burn", 1)),
    ("ended", lambda: shoes.cut(shoes.end(SEALED, "unopened"), "ann", 100)),
    ("ended", lambda: shoes.open_seal(shoes.end(SEALED, "unopened"), "ann", b"a" * 32)),
    ("ended", lambda: shoes.load(shoes.end(OPENED, "worn"), (200, 200))),
]


@pytest.mark.finding(19)
@pytest.mark.parametrize(("code", "act"), CODES)
def test_a_shoe_refuses_by_a_code(code: str, act: Callable[[], object]) -> None:
    """What a shoe does not do is refused by its own code."""
    with pytest.raises(ShoeError) as refused:
        act()
    assert refused.value.code == code


@pytest.mark.finding(19)
def test_a_shoe_at_its_edges() -> None:
    """The outermost cuts, cover cards and seeds are taken."""
    for position in (10, 302):
        assert shoes.cut(SEALED, "ann", position).cuts == (CutRecord("ann", position),)
    for place in (10, 234):
        cover = shoes.load(OPENED, (place, place)).cover
        assert cover is not None
        assert cover.position == place
    for length in (16, 64):
        sealed = shoes.start(SIX, SEED, [shoes.seal_for(SIX, "ann", b"a" * length)])
        assert shoes.unopened(sealed) == ["ann"]
        assert shoes.unopened(shoes.open_seal(sealed, "ann", b"a" * length)) == []
    assert shoes.other_batch(("red", "blue"), "red") == "blue"
    assert shoes.other_batch(("red", "blue"), "blue") == "red"
