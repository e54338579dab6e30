"""The exact odds: the published figures, brute force against classes, several boxes."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import permutations, product
from math import perm

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clauses import proves
from wartable.cards import DECK, RANKS
from wartable.game import Round, Spin
from wartable.game.wagers.progressive import ProgressiveWager
from wartable.game.wagers.shape import EVEN, LOST, Verdict
from wartable.odds import (
    Composition,
    DealClass,
    Distribution,
    Odds,
    OddsError,
    Plan,
    WarClass,
    joint,
    kind_of,
    walk,
    weigh,
)
from wartable.odds.classes import FourCards, Relation, deals, example
from wartable.odds.figures import Tally
from wartable.odds.walk import WagerEnd, answer_of, play
from wartable.odds.wheel import wheel_stops
from wartable.rules import NAMES, Book, WagerKind, load, option_values, with_options

pytestmark = pytest.mark.slow("counts whole shoes by brute force")

PUBLISHED = {
    1: ("2.06", "2.42", "2.94", "35.29"),
    2: ("2.24", "2.70", "3.40", "25.24"),
    3: ("2.29", "2.79", "3.55", "21.94"),
    4: ("2.31", "2.84", "3.62", "20.29"),
    5: ("2.32", "2.86", "3.67", "19.31"),
    6: ("2.33", "2.88", "3.70", "18.65"),
    7: ("2.34", "2.89", "3.72", "18.18"),
    8: ("2.34", "2.90", "3.73", "17.83"),
}
SMALL = Composition(dict.fromkeys(("7d", "7c", "Kd", "Kc"), 5))
MARYLAND = load("maryland")


def percent(edge: Fraction) -> str:
    """An edge as a document prints it."""
    return f"{100 * float(edge):.2f}"


@pytest.mark.parametrize("name", NAMES)
def test_the_six_deck_figures(name: str) -> None:
    """Every shipped book has the known exact expectations with six decks."""
    odds = Odds(load(name), 6)
    assert odds.wager("primary").ev == Fraction(-23138, 993023)
    assert odds.wager("primary", "surrender").ev == Fraction(-23, 622)
    assert odds.wager("tie").ev == Fraction(-58, 311)
    free = Odds(with_options(load(name), {"war_tie_wager": "free"}), 6)
    assert free.wager("war_tie").ev == Fraction(-2974, 15965)
    no_bonus = Odds(with_options(load(name), {"war_pays": "no_bonus"}), 6)
    assert no_bonus.wager("primary").ev == Fraction(-142853, 4965115)


@pytest.mark.parametrize("decks", PUBLISHED)
def test_the_published_table(decks: int) -> None:
    """Edge with bonus, without, at surrender and of the tie wager, for 1 to 8 decks."""
    odds = Odds(MARYLAND, decks)
    without = Odds(with_options(MARYLAND, {"war_pays": "no_bonus"}), decks)
    edges = (
        odds.wager("primary").edge,
        without.wager("primary").edge,
        odds.wager("primary", "surrender").edge,
        odds.wager("tie").edge,
    )
    assert tuple(map(percent, edges)) == PUBLISHED[decks]


@proves("odds", "WA-pay-edge", "WA-pay-tie-edge")
def test_WA_pay_edge() -> None:
    """Washington's printed edges are those of always war and of the tie wager at six decks."""
    book = load("washington")
    odds = Odds(book)
    printed = book.rules.edges
    assert printed is not None
    assert f"{percent(odds.wager('primary').edge)}%" == printed.primary == "2.33%"
    assert f"{percent(odds.wager('tie').edge)}%" == printed.tie == "18.65%"


def every_deal(composition: Composition) -> Counter[FourCards]:
    """Every ordered deal of four physical cards, counted by the cards' names."""
    shoe = [card for card, number in composition.counts.items() for _ in range(number)]
    return Counter(permutations(shoe, 4))


def brute_force(odds: Odds, plan: Plan, kind: WagerKind | None) -> Distribution:
    """A plan's odds, or one wager's, by asking the engine about every deal of the shoe."""
    tally = Tally()
    for cards, weight in every_deal(odds.composition).items():
        for stop, chance in stops_of(odds, plan, cards):
            answer = answer_of(play(odds.rules, plan, cards, odds.meters, stop))
            if kind is None:
                parts = list(answer.values())
                unit = plan.primary
            elif kind == "primary":
                parts = [answer[each] for each in ("primary", "war") if each in answer]
                unit = plan.primary
            elif kind in answer:
                parts = [answer[kind]]
                unit = answer[kind].staked
            else:
                continue
            net, staked = sum(p.net for p in parts), sum(p.staked for p in parts)
            size = Fraction(1, unit)
            tally.add(weight * chance, net * size, staked * size, parts[0].outcome)
    return tally.distribution()


def stops_of(odds: Odds, plan: Plan, cards: FourCards) -> Iterable[tuple[Spin | None, Fraction]]:
    """The wheel's stops where a bonus spin of the plan is started."""
    trigger = odds.engine.trigger
    if plan.stake("bonus_spin") and trigger and kind_of(cards, trigger).triggers:
        return wheel_stops(odds.book, odds.bettors)
    return [(None, Fraction(1))]


def same(one: Distribution, other: Distribution) -> bool:
    """Whether two distributions agree in everything."""
    return (one.pmf, one.staked, one.outcomes) == (other.pmf, other.staked, other.outcomes)


EVERYTHING = Plan.of(dict.fromkeys(("primary", "tie", "progressive", "bonus_spin", "war_tie"), 500))


@pytest.mark.parametrize("choice", ["war", "surrender"])
@pytest.mark.parametrize("suited", ["pairwise", "one_suit"])
def test_classes_equal_brute_force(choice: str, suited: str) -> None:
    """Every deal of a shoe of two ranks, two suits and five copies gives the classes' odds."""
    book = with_options(MARYLAND, {"progressive_suited": suited})
    odds = Odds(book, composition=SMALL)
    kinds: tuple[WagerKind, ...] = ("primary", "tie", "progressive")
    plan = EVERYTHING._replace(
        choice="war" if choice == "war" else "surrender", side_bets=(("progressive", 500),)
    )
    for kind in kinds:
        expected = brute_force(odds, plan, kind)
        assert same(odds.part(plan, kind), expected), kind
    assert same(odds.plan(plan), brute_force(odds, plan, None))
    if choice == "war":
        assert same(odds.wager("war_tie"), brute_force(odds, plan, "war_tie"))
        assert set(odds.wager("progressive").outcomes) == {
            *MARYLAND.rules.wagers.progressive.lines,  # type: ignore[union-attr]  # has one
            "lost",
        }


@pytest.mark.parametrize("choice", ["war", "surrender"])
def test_bonus_spin_equals_brute_force(choice: str) -> None:
    """The wheel's stops with every deal give the bonus spin's and the whole seat's odds."""
    odds = Odds(MARYLAND, composition=SMALL)
    plan = EVERYTHING._replace(choice="war" if choice == "war" else "surrender")
    assert same(odds.part(plan, "bonus_spin"), brute_force(odds, plan, "bonus_spin"))
    assert same(odds.wager("bonus_spin"), odds.part(plan, "bonus_spin"))
    assert same(odds.plan(plan), brute_force(odds, plan, None))


def test_one_deck_by_rank_equals_brute_force() -> None:
    """Every ordered deal of one deck by rank gives the classes' odds of the wagers on ranks."""
    odds = Odds(MARYLAND, 1)
    plan = Plan(primary=2, tie=2, war_tie=2)
    tallies = {kind: Tally() for kind in ("primary", "tie", "war_tie", "all")}
    for ranks in product(RANKS, repeat=4):
        weight = 1
        for times in Counter(ranks).values():
            weight *= perm(4, times)
        if ranks[0] != ranks[1]:  # the war cards are not dealt: their deals count as one
            weight = 16 * 50 * 49 if ranks[2:] == ("2", "3") else 0
        if not weight:
            continue
        first, second, third, fourth = (
            name + "cdhs"[ranks[:at].count(name)] for at, name in enumerate(ranks)
        )
        answer = answer_of(play(odds.rules, plan, (first, second, third, fourth), odds.meters))
        parts: dict[str, list[WagerEnd]] = {
            "primary": [ended for kind, ended in answer.items() if kind in ("primary", "war")],
            "tie": [answer["tie"]],
            "war_tie": [ended for kind, ended in answer.items() if kind == "war_tie"],
            "all": list(answer.values()),
        }
        for name, ends in parts.items():
            if ends:
                net, staked = sum(e.net for e in ends), sum(e.staked for e in ends)
                size = Fraction(1, 2)
                tallies[name].add(weight, net * size, staked * size, ends[0].outcome)
    assert tallies["all"].total == 52 * 51 * 50 * 49
    assert same(odds.wager("primary"), tallies["primary"].distribution())
    assert same(odds.wager("tie"), tallies["tie"].distribution())
    assert same(odds.wager("war_tie"), tallies["war_tie"].distribution())
    assert same(odds.plan(plan), tallies["all"].distribution())


def shoes(least: int = 4, most: int = 72, kinds: int = 12) -> st.SearchStrategy[dict[str, int]]:
    """Uneven shoes of so many cards of so many kinds at most."""

    def fits(counts: dict[str, int]) -> bool:
        return least <= sum(counts.values()) <= most

    kind = st.sampled_from(DECK)
    return st.dictionaries(kind, st.integers(1, 6), min_size=1, max_size=kinds).filter(fits)


@given(shoes())
def test_weights_count_every_deal_once(counts: dict[str, int]) -> None:
    """The classes' weights are whole, above 0, and add up to all ordered deals of four cards."""
    composition = Composition(counts)
    for trigger in (None, Odds(MARYLAND).engine.trigger):
        weights = weigh(composition, trigger)
        assert sum(weights.values()) == deals(composition)
        assert all(weight > 0 for weight in weights.values())


@given(shoes(most=9))
def test_weights_are_those_of_counted_deals(counts: dict[str, int]) -> None:
    """Each class of any small shoe weighs what counting its deals one by one gives."""
    composition = Composition(counts)
    trigger = Odds(MARYLAND).engine.trigger
    counted: Counter[DealClass] = Counter()
    for cards, weight in every_deal(composition).items():
        counted[kind_of(cards, trigger)] += weight
    assert weigh(composition, trigger) == dict(counted)


def test_examples_belong_to_their_class() -> None:
    """The cards that are laid before the engine are of the class that they stand for."""
    trigger = Odds(MARYLAND).engine.trigger
    for deck in (DECK, DECK[::-1]):
        for kind in weigh(Composition.fresh(6), trigger):
            assert kind_of(example(kind, trigger, deck), trigger) == kind
        for kind in weigh(Composition.fresh(6), None):
            assert kind_of(example(kind, None, deck), None) == kind


def test_a_side_bet_that_the_classes_do_not_tell_apart_has_no_odds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A wager on the dealer's ace is refused odds, instead of given those of one example."""

    def verdict(_wager: object, _rules: object, state: Round, *_: object) -> Verdict:
        return Verdict("tie", EVEN) if state.cards[0][0] == "A" else LOST

    monkeypatch.setattr(ProgressiveWager, "verdict", verdict)
    monkeypatch.setattr(walk, "_ENGINES", {})  # what the engine was asked before, it does not keep
    with pytest.raises(OddsError, match="The odds of the progressive wager are unknown"):
        Odds(MARYLAND).wager("progressive")


@pytest.mark.parametrize("name", NAMES)
def test_one_box_is_the_engine_walk(name: str) -> None:
    """The joint method with one box gives the wager's own distribution."""
    odds = Odds(load(name))
    found = joint(odds, 1).total
    assert (found.pmf, found.staked) == (odds.wager("primary").pmf, odds.wager("primary").staked)


@given(shoes(least=8), st.integers(2, 3))
def test_boxes_expect_a_multiple_of_one(counts: dict[str, int], boxes: int) -> None:
    """Two or three boxes have exactly two or three times the expectation of one, at any shoe."""
    odds = Odds(MARYLAND, composition=Composition(counts))
    found = joint(odds, boxes)
    assert sum(found.total.pmf.values()) == 1
    assert found.total.ev == boxes * odds.wager("primary").ev
    one = odds.wager("primary").variance
    assert found.total.variance == boxes * one + boxes * (boxes - 1) * found.covariance


RELATIONS: tuple[Relation, ...] = ("higher", "tie", "lower")


@pytest.mark.parametrize("boxes", [2, 3])
def test_joint_equals_counting_ranks(boxes: int) -> None:
    """The joint distribution is that of every ordered deal by rank of an uneven small shoe."""
    counts = {"2c": 3, "5c": 2, "9c": 4, "Ac": 1} if boxes == 2 else {"2c": 3, "9c": 4, "Ac": 3}
    odds = Odds(MARYLAND, composition=Composition(counts))
    nets = {
        kind: Fraction(sum(ended.net for ended in answer.values()), 2)
        for _, answer, kind in odds.answers(Plan(primary=2))
    }
    left = {RANKS.index(card[0]): number for card, number in counts.items()}
    pmf: Counter[Fraction] = Counter()
    for cards in product(left, repeat=2 * (boxes + 1)):
        weight = 1
        for rank, times in Counter(cards).items():
            weight *= perm(left[rank], times)
        dealer, war_dealer = cards[0], cards[-1]
        total = Fraction(0)
        for own, again in zip(cards[1 : boxes + 1], cards[boxes + 1 : -1], strict=True):
            relation = RELATIONS[1 - (own > dealer) + (own < dealer)]
            fought = RELATIONS[1 - (again > war_dealer) + (again < war_dealer)]
            total += nets[DealClass(relation, war=WarClass(fought) if relation == "tie" else None)]
        pmf[total] += weight
    whole = perm(sum(left.values()), 2 * (boxes + 1))
    assert joint(odds, boxes).total.pmf == {
        net: Fraction(count, whole) for net, count in sorted(pmf.items()) if count
    }


def test_nine_boxes_expect_nine_times_one() -> None:
    """The sum of nine boxes of six decks is a distribution with nine times the expectation."""
    odds = Odds(MARYLAND)
    found = joint(odds, 9)
    assert sum(found.total.pmf.values()) == 1
    assert found.total.ev == 9 * odds.wager("primary").ev
    assert found.total.variance == 9 * odds.wager("primary").variance + 72 * found.covariance


@given(shoes(least=5, kinds=6))
def test_an_unseen_burn_changes_nothing(counts: dict[str, int]) -> None:
    """The mean over the card that is burned unseen is what it was without the burn."""
    odds = Odds(MARYLAND, composition=Composition(counts))
    size = odds.composition.size
    kinds: tuple[WagerKind, ...] = ("primary", "tie", "progressive")
    for kind in kinds:
        mean = sum(
            (
                Fraction(number, size)
                * Odds(MARYLAND, composition=odds.composition.without([card])).wager(kind).ev
                for card, number in counts.items()
            ),
            Fraction(0),
        )
        assert mean == odds.wager(kind).ev


@pytest.mark.parametrize("option", ["war_burn", "shuffle", "box_choice"])
def test_procedure_moves_no_money(option: str) -> None:
    """Burns, shuffles and who chooses leave the odds of a fresh shoe as they are."""
    for value in option_values(option):
        odds = Odds(with_options(MARYLAND, {option: value}))
        assert odds.wager("primary").pmf == Odds(MARYLAND).wager("primary").pmf


def test_seen_cards_are_gone() -> None:
    """Odds after seen cards are those of the composition that they leave."""
    seen = ("9s", "9d", "Ah", "Ah")
    left = dict.fromkeys(DECK, 6) | {"9s": 5, "9d": 5, "Ah": 4}
    odds, other = Odds(MARYLAND, 6, seen), Odds(MARYLAND, composition=Composition(left))
    assert odds.wager("progressive").pmf == other.wager("progressive").pmf
    assert odds.wager("primary").ev != Odds(MARYLAND).wager("primary").ev


def test_the_best_choice_is_war_or_what_pays_more() -> None:
    """War is best by the book; where won wars pay too little surrender is, at every rank."""
    odds = Odds(MARYLAND)
    best = odds.best(odds.plan_for("primary"))
    assert set(best.by_rank.values()) == {"war"}
    assert best.odds.pmf == odds.wager("primary").pmf
    other = Odds(with_options(MARYLAND, {"war_pays": "primary_lost"}))
    best = other.best(other.plan_for("primary"))
    assert set(best.by_rank.values()) == {"surrender"}
    assert best.odds.pmf == other.wager("primary", "surrender").pmf


def test_the_best_choice_goes_by_the_cards_left() -> None:
    """A reading with dear wars is fought only where a war tie has become likely enough."""
    book = with_options(MARYLAND, {"war_pays": "war_only"})
    odds = Odds(book, composition=Composition({"9s": 12, "2c": 4, "3c": 4, "4c": 4, "5c": 4}))
    best = odds.best(odds.plan_for("primary"))
    assert best.by_rank["9"] == "war"
    fought, given_up = odds.wager("primary").ev, odds.wager("primary", "surrender").ev
    assert best.odds.ev >= max(fought, given_up)
    threes = dict.fromkeys(("2c", "3c", "4c", "5c", "6c", "7c"), 3)
    few = Odds(book, composition=Composition({"9s": 8, **threes}))
    mixed = few.best(few.plan_for("primary"))
    assert mixed.by_rank == {**dict.fromkeys("234567", "war"), "9": "surrender"}
    assert mixed.odds.ev > max(few.wager("primary").ev, few.wager("primary", "surrender").ev)


def test_moments_come_from_the_distribution() -> None:
    """Variance, deviation, skewness, hits and element of risk are those of the distribution."""
    found = Odds(MARYLAND).wager("primary")
    mean = sum(float(net) * float(chance) for net, chance in found.pmf.items())
    spread = sum((float(net) - mean) ** 2 * float(chance) for net, chance in found.pmf.items())
    third = sum((float(net) - mean) ** 3 * float(chance) for net, chance in found.pmf.items())
    assert float(found.variance) == pytest.approx(spread)
    assert found.sd == pytest.approx(spread**0.5)
    assert found.skewness == pytest.approx(third / spread**1.5)
    assert found.hit_frequency == found.pmf[Fraction(1)] + found.pmf[Fraction(2)]
    assert found.staked == 1 + Odds(MARYLAND).tie_probability()
    assert found.element_of_risk == found.edge / found.staked


def test_a_payout_limit_is_felt() -> None:
    """A book's payout limit per hand cuts the tie wager's win, as the engine says."""
    limits = msgspec.structs.replace(MARYLAND.rules.limits, payout_max=600)
    rules = msgspec.structs.replace(MARYLAND.rules, limits=limits)
    odds = Odds(Book(rules, MARYLAND.sources, MARYLAND.digest))
    assert set(odds.wager("tie", stake=100).pmf) == {Fraction(-1), Fraction(6)}
    assert set(odds.wager("tie", stake=50).pmf) == {Fraction(-1), Fraction(10)}
