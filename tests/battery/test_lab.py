"""The laboratory: dealt cards pass the battery, planted biases do not (R2, R3)."""

import hashlib
import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import islice

import pytest
from click.testing import CliRunner

from clauses import proves
from wartable import battery, rng, stream
from wartable.battery import counts, means, measures, tails
from wartable.cards import DECK, rank
from wartable.cli import wartable
from wartable.shoe import composition_problems

pytestmark = pytest.mark.slow("deals thousands of shoes")

Shoes = Iterator[Sequence[str]]
Maker = Callable[[random.Random, int], Shoes]

SIX = DECK * 6


# Tails


@pytest.mark.parametrize(
    ("value", "freedom", "tail"),
    [  # from printed tables
        (3.841459, 1, 0.05),
        (6.634897, 1, 0.01),
        (10.827566, 1, 0.001),
        (18.307038, 10, 0.05),
        (23.209251, 10, 0.01),
        (2.558212, 10, 0.99),
        (124.342113, 100, 0.05),
        (149.449253, 100, 0.001),
        (70.064895, 100, 0.99),
    ],
)
def test_chi_square_tail_is_the_tables(value: float, freedom: int, tail: float) -> None:
    """The chi-square tail agrees with the printed tables."""
    assert tails.chi_square_tail(value, freedom) == pytest.approx(tail, rel=1e-5)


@pytest.mark.parametrize("freedom", [2, 10, 458, 15_860])
@pytest.mark.parametrize("away", [-6, -2, 0, 2, 6, 12])
def test_chi_square_tail_is_the_finite_sum(freedom: int, away: int) -> None:
    """For an even freedom the tail is a Poisson sum, added up here in another way."""
    value = max(freedom + away * math.sqrt(2 * freedom), 0.5)
    logs = [
        step * math.log(value / 2) - value / 2 - math.lgamma(step + 1)
        for step in range(freedom // 2)
    ]
    exact = math.fsum(map(math.exp, logs))
    assert tails.chi_square_tail(value, freedom) == pytest.approx(exact, rel=1e-7, abs=1e-12)


def test_f_tail_is_the_tables_and_the_binomial_sum() -> None:
    """The F tail agrees with the printed tables, and the beta function with a binomial sum."""
    for value, above, below, tail in [
        (4.964603, 1, 10, 0.05),
        (3.325835, 5, 10, 0.05),
        (5.636326, 5, 10, 0.01),
        (1.391720, 100, 100, 0.05),
    ]:
        assert tails.f_tail(value, above, below) == pytest.approx(tail, rel=1e-5)
    share, size = Fraction(3, 10), 40
    for wanted in (1, 5, 12, 30, 40):
        exact = sum(
            math.comb(size, hits) * share**hits * (1 - share) ** (size - hits)
            for hits in range(wanted, size + 1)
        )
        assert tails.beta_share(0.3, wanted, size - wanted + 1) == pytest.approx(
            float(exact), rel=1e-9
        )


def test_other_tails() -> None:
    """Normal and Poisson tails at known places; a tail at nothing is everything."""
    assert tails.normal_tail(1.959964) == pytest.approx(0.025, rel=1e-6)
    assert tails.normal_tail(4.753424) == pytest.approx(1e-6, rel=1e-5)
    assert tails.poisson_two_sided(0, 3.0) == pytest.approx(2 * math.exp(-3))
    assert tails.poisson_two_sided(3, 3.0) == 1.0
    assert tails.poisson_two_sided(12, 3.0) == pytest.approx(
        2 * (1 - sum(math.exp(-3) * 3**k / math.factorial(k) for k in range(12))), rel=1e-6
    )
    assert tails.chi_square_tail(0, 5) == tails.f_tail(0, 5, 5) == 1.0


# Exact means


@pytest.mark.parametrize("decks", [1, 6])
def test_exact_means(decks: int) -> None:
    """Each exact mean is within five standard errors of the mean over many true shuffles."""
    chance = random.Random(5)
    cards = list(DECK * decks)
    made = [each for each in battery.all_measures(decks) if isinstance(each, means.Means)]
    assert len(made) == 8
    shoes = 500
    for _ in range(shoes):
        chance.shuffle(cards)
        dealt = measures.dealt_from(cards)
        for each in made:
            each.add(dealt)
    for each in made:
        for place, total in enumerate(each.sums):
            error = math.sqrt(each.products[place][place] / shoes / shoes)
            assert abs(total / shoes) < 5 * error, (each.name, place)


@pytest.mark.parametrize("decks", [1, 6])
def test_card_by_place_has_its_mean_in_every_shoe(decks: int) -> None:
    """One shoe has each card at one place, so its chi-square is exactly the freedom."""
    places = counts.Places(decks)
    places.add(measures.dealt_from(DECK * decks))
    by_place, by_tenth, _ = places.results()
    assert by_place.statistic == pytest.approx(by_place.freedom)
    assert by_place.freedom == (52 * decks - 1) * 51
    assert by_tenth.freedom == 9 * 51


def test_same_opening_is_exact() -> None:
    """The chance of equal openings agrees with plain counting for one and two cards."""
    assert counts.same_opening(6, 1) == pytest.approx(1 / 52)
    alike = Fraction(52 * 30**2 + 52 * 51 * 36**2, (312 * 311) ** 2)
    assert counts.same_opening(6, 2) == pytest.approx(float(alike))


# The product passes


@proves("engine", "MD-5-A")
@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("decks", [1, 6, 8])
def test_R2_dealt_cards_pass(decks: int, cut: bool, deep: bool) -> None:
    """Shoes made as at a live table show nothing at 99 %."""
    seeds = rng.repeatable_seeds(b"laboratory")
    count = 20_000 if deep else 600
    report = battery.run(rng.dealt_shoes(seeds, decks, count, cut=cut), decks)
    assert report.findings == []
    assert report.shoes == count
    assert len(report.results) == 16
    assert len(battery.sensitivity(report)) == 4


def test_R2_false_alarms_are_as_rare_as_stated(deep: bool) -> None:
    """No more reports on fair shoes have findings than 1 % of them explains."""
    reports, alarms, early, results = 400 if deep else 20, 0, 0, 0
    for number in range(reports):
        seeds = rng.repeatable_seeds(b"alarm %d" % number)
        report = battery.run(rng.dealt_shoes(seeds, 1, 300), 1)
        alarms += bool(report.findings)
        # Orders never come twice by accident: that result is always 1.
        chances = [each.chance for each in report.results if each.name != "duplicate orders"]
        early += sum(chance < 0.05 for chance in chances)
        results += len(chances)
    # Binomial with 1 %: more than 12 of 400, or 3 of 20, come once in a thousand.
    assert alarms <= (12 if deep else 3)
    assert 0.02 < early / results < 0.08


def test_the_significance_is_shared_out() -> None:
    """All results together have 1 %, and too even is as bad as too uneven."""
    chances = [0.0009, 0.0011, *[0.5] * 8]
    results = tuple(measures.Statistic(str(each), 0, 0, each) for each in chances)
    report = battery.BatteryReport(500, 6, results)
    assert report.threshold == pytest.approx(0.001)
    assert [each.name for each in report.findings] == ["0.0009"]
    assert tails.two_sided(0.9999) == tails.two_sided(1 - 0.9999) == pytest.approx(0.0002)


def test_too_few_shoes_are_refused() -> None:
    """A report on a handful of shoes would say nothing, so there is none."""
    with pytest.raises(ValueError, match="at least 200"):
        battery.run(rng.dealt_shoes(rng.repeatable_seeds(b""), 1, 199), 1)


# Planted biases


def fisher_yates(deck: Sequence[str], draw: Callable[[int], int]) -> list[str]:
    """A shuffle with any way to draw a place from the first n."""
    cards = list(deck)
    for last in range(len(cards) - 1, 0, -1):
        other = draw(last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    return cards


def never_early(_: random.Random, count: int) -> Shoes:
    """The ace of spades is never in the first tenth of six decks."""
    chance = random.Random(1)
    for made in rng.dealt_shoes(rng.repeatable_seeds(b"planted"), 6, count):
        cards = list(made)
        for place in range(len(cards) // 10):
            while cards[place] == "As":
                other = chance.randrange(len(cards) // 10, len(cards))
                cards[place], cards[other] = cards[other], cards[place]
        yield cards


def one_copy_never_early(chance: random.Random, count: int) -> Shoes:
    """One of the six aces of spades is never in the first tenth."""
    for _ in range(count):
        order = chance.sample(range(312), 312)
        place = order.index(51)
        if place < 31:
            other = chance.randrange(31, 312)
            order[place], order[other] = order[other], order[place]
        yield [SIX[each] for each in order]


def modulo(bits: int, deck: Sequence[str]) -> Maker:
    """A word of so many bits, and its remainder, with nothing rejected."""

    def make(chance: random.Random, count: int) -> Shoes:
        for _ in range(count):
            yield fisher_yates(deck, lambda n: chance.getrandbits(bits) % n)

    return make


def one_off(chance: random.Random, count: int) -> Shoes:
    """A card never stays where it is: the shuffle draws from one place too few."""
    for _ in range(count):
        yield fisher_yates(DECK, lambda n: chance.randrange(n - 1))


def swap_with_any(chance: random.Random, count: int) -> Shoes:
    """Every card is swapped with any other: 52^52 ways do not spread over 52! orders."""
    for _ in range(count):
        yield fisher_yates(DECK, lambda _: chance.randrange(52))


def seven_riffles(chance: random.Random, count: int) -> Shoes:
    """Six decks riffled seven times, which is enough for one deck at most."""
    for _ in range(count):
        cards = list(SIX)
        for _ in range(7):
            right = [bool(chance.getrandbits(1)) for _ in cards]
            upper, lower = iter(cards[: right.count(False)]), iter(cards[right.count(False) :])
            cards = [next(lower) if each else next(upper) for each in right]
        yield cards


def deck_by_deck(chance: random.Random, count: int) -> Shoes:
    """Each deck is shuffled well and the decks are never intermixed."""
    for _ in range(count):
        yield [card for _ in range(6) for card in chance.sample(DECK, 52)]


def dealers_favour(chance: random.Random, count: int) -> Shoes:
    """In one round in twenty the dealer gets the highest card of the eight."""
    for _ in range(count):
        cards = chance.sample(SIX, 312)
        for start in range(0, 232, 8):
            if chance.random() < 0.05:
                *rest, top = sorted(cards[start : start + 8], key=rank)
                cards[start : start + 8] = [*chance.sample(rest, 7), top]
        yield cards


def few_seeds(chance: random.Random, count: int) -> Shoes:
    """The seed has only sixteen bits, as one made from the time might."""
    for _ in range(count):
        yield random.Random(chance.getrandbits(16)).sample(SIX, 312)


def same_start(chance: random.Random, count: int) -> Shoes:
    """One shoe in ten opens with the two cards that the shoe before opened with."""
    last: list[str] = []
    for _ in range(count):
        cards = chance.sample(SIX, 312)
        if last and chance.random() < 0.1:
            for place in range(2):
                other = cards.index(last[place], place)
                cards[place], cards[other] = cards[other], cards[place]
        last = cards
        yield cards


def sticky(chance: random.Random, count: int) -> Shoes:
    """Every second shoe keeps one card in twenty where it was."""
    last: list[str] = []
    for _ in range(count):
        cards = chance.sample(SIX, 312)
        for place in range(0, len(last), 20):
            other = cards.index(last[place])
            cards[place], cards[other] = cards[other], cards[place]
        last = [] if last else cards
        yield cards


@pytest.mark.parametrize(
    ("make", "decks", "count", "found_by"),
    [
        (never_early, 6, 400, {"largest deviation by tenth", "card by tenth"}),
        (modulo(8, DECK), 1, 1500, {"trend"}),
        (modulo(7, DECK), 1, 1500, {"trend", "card by tenth"}),
        (one_off, 1, 800, {"card by place"}),
        (swap_with_any, 1, 400, {"trend", "card by tenth"}),
        (seven_riffles, 6, 500, {"overlapping triples"}),
        (
            deck_by_deck,
            6,
            300,
            {
                "coupon collector, top",
                "coupon collector, middle",
                "overlapping triples",
                "hands of five",
                "rising runs",
                "colour runs",
                "serial correlation",
                "interplay of hands",
            },
        ),
        (dealers_favour, 6, 600, {"boxes against the dealer"}),
        (few_seeds, 6, 1000, {"duplicate orders"}),
        (same_start, 6, 400, {"equal openings of 2 cards"}),
        (sticky, 6, 300, {"successive shoes"}),
    ],
)
def test_R2_planted_bias_is_found(make: Maker, decks: int, count: int, found_by: set[str]) -> None:
    """The same battery finds each planted bias, by the measures that should."""
    report = battery.run(make(random.Random(7), count), decks)
    assert found_by <= {each.name for each in report.findings}


@pytest.mark.parametrize(
    ("make", "count", "found_by"),
    [
        (modulo(9, SIX), 6000, "trend"),
        (one_copy_never_early, 2500, "largest deviation by tenth"),
    ],
)
def test_R2_planted_bias_behind_copies_is_found(
    make: Maker, count: int, found_by: str, deep: bool
) -> None:
    """Six copies of each card look alike and hide a bias of one of them; more shoes show it."""
    if not deep:
        pytest.skip("takes long; run with --deep")
    report = battery.run(make(random.Random(7), count), 6)
    assert found_by in {each.name for each in report.findings}


def test_R2_sensitivity_is_as_stated(deep: bool) -> None:
    """A card as rare in the first tenth as the report says it would find is found 95 % of times."""
    if not deep:
        pytest.skip("takes long; run with --deep")
    fair = battery.run(rng.dealt_shoes(rng.repeatable_seeds(b"fair"), 6, 300), 6)
    (share,) = re.findall(r"([\d.]+)% more or less", battery.sensitivity(fair)[0])
    found = 0
    for number in range(60):
        chance = random.Random(number)
        report = battery.run(rarer_early(chance, 300, float(share) / 100), 6)
        found += bool(report.findings)
    # Binomial with 95 %: fewer than 51 of 60 come less than once in a thousand.
    assert found >= 51


def rarer_early(chance: random.Random, count: int, share: float) -> Shoes:
    """The ace of spades leaves the first tenth that share of times."""
    for _ in range(count):
        cards = chance.sample(SIX, 312)
        for place in range(31):
            if cards[place] == "As" and chance.random() < share:
                other = chance.choice([each for each in range(31, 312) if cards[each] != "As"])
                cards[place], cards[other] = cards[other], cards[place]
        yield cards


# Streams and dumps


def test_R3_every_shoe_has_its_own_stream() -> None:
    """No two shoes share a block, even if a seed were used twice, and seeds are never equal."""
    blocks = list(islice(rng.raw_blocks(iter([bytes(32)] * 50)), 1000))
    assert len(set(blocks)) == len(blocks)
    seeds = list(islice(rng.system_seeds(), 1000))
    assert len(set(seeds)) == len(seeds)
    assert {len(seed) for seed in seeds} == {stream.SEED_BYTES}


@pytest.mark.parametrize("wanted", [1, 32, 33, 5000])
def test_raw_dump(wanted: int) -> None:
    """The raw dump is exactly the bytes asked for, of the streams that orders are read from."""
    arguments = ["rng", "dump", "--raw", "--count", str(wanted), "--seed", "dump"]
    seeds = rng.repeatable_seeds(hashlib.sha256(b"wartable rng dump").digest())
    whole = b"".join(islice(rng.raw_blocks(seeds), 200))
    assert CliRunner().invoke(wartable, arguments).stdout_bytes == whole[:wanted]


def test_raw_dump_is_what_orders_are_read_from() -> None:
    """Shuffling by the dumped words gives the dumped cards."""
    seeds = list(islice(rng.repeatable_seeds(b"dump"), 3))
    raw = rng.raw_blocks(iter(seeds))
    for cards in rng.dealt_shoes(iter(seeds), 6, 3):
        words = stream.words(islice(raw, rng.BLOCKS_PER_SHOE), stream.ORDER_WORD_BYTES)
        assert stream.shuffle(words, SIX) == cards


def test_card_dump() -> None:
    """The dump of cards is one whole shoe a line, the same again from the same seeds."""
    arguments = ["rng", "dump", "--cards", "--count", "5", "--decks", "6", "--seed", "dump"]
    texts = [CliRunner().invoke(wartable, [*arguments, *cut]).stdout for cut in ((), (), ["--cut"])]
    assert texts[0] == texts[1] != texts[2]
    for text in texts:
        lines = text.splitlines()
        assert len(set(lines)) == len(lines) == 5
        assert all(composition_problems(line.split(" "), 6) == [] for line in lines)
