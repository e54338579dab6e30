"""Side bets, the bank, the readings and the return floor."""

from fractions import Fraction
from itertools import product
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from own_books import own
from wartable.game import (
    Bet,
    Burn,
    Choose,
    CloseBets,
    Deal,
    DueBurn,
    DueCard,
    DueChoice,
    Open,
    Round,
    awaits,
    step,
)
from wartable.odds import Composition, Odds, OddsError, Shape
from wartable.odds.bank import Participant, bank, rotation, row_chance
from wartable.odds.classes import Relation
from wartable.odds.floor import floor_problems, floors, gift_problems
from wartable.odds.readings import readings
from wartable.odds.sidebets import bonus_spin, progressive
from wartable.odds.slices import Seat
from wartable.rules import NAMES, Book, RuleBook, load, with_options
from wartable.rules.load import build
from wartable.rules.model import Limit, Limits

MD, CA = load("maryland"), load("california")
RELATIONS: tuple[Relation, ...] = ("higher", "tie", "lower")
FOR_1 = {"progressive_odds": "for_1"}
COVERS = ("matched", "running", "payoffs_only", "ties_last")


def test_the_break_even_meter() -> None:
    """Six decks, $5, no envy: the meter breaks even at exactly $457,450."""
    found = progressive(Odds(MD))
    assert found.break_even_meter == 45_745_000
    assert Odds(MD, meter=45_745_000).wager("progressive").ev == 0
    assert Odds(MD, meter=45_744_999).wager("progressive").ev < 0


def test_a_dollar_breaks_even_at_another_meter() -> None:
    """A $1 wager wins the whole meter too, so it is even at a fifth of the way."""
    found = progressive(Odds(MD, stake=100))
    assert found.break_even_meter is not None
    meter = int(found.break_even_meter)
    assert Odds(MD, stake=100, meter=meter).wager("progressive").ev == 0


def test_the_long_run_counts_the_reseed() -> None:
    """The long-run return is that of the mean meter: fixed odds, re-seeding and contributions."""
    found = progressive(Odds(MD))
    chance = found.lines["suited_four_of_a_kind"]
    mean = 1_000_000 + Fraction(3, 100) * 500 / chance
    assert found.typical_meter == mean
    below, above = (Odds(MD, meter=int(mean) + n).wager("progressive").ev for n in (0, 1))
    assert below <= found.long_run.total - 1 <= above
    assert found.long_run.total > found.long_run.fixed + Fraction(3, 100)


def test_too_few_decks_for_the_meter() -> None:
    """Three decks cannot deal four identical cards: no break-even, the rest still has odds."""
    found = progressive(Odds(MD, 3))
    assert found.break_even_meter is found.typical_meter is None
    assert found.lines["suited_four_of_a_kind"] == 0
    assert found.break_even_with(3) is None
    assert found.long_run.total == found.odds.player_return


def test_the_wheel_without_weights() -> None:
    """Whatever the wheel, a mean payment of 26 stakes breaks even; the book's pays less."""
    found = bonus_spin(Odds(MD))
    assert found.break_even_payment == 26 * 500
    assert found.mean_payment == found.odds.player_return * 500 * 26
    assert found.mean_payment < found.break_even_payment


def test_for_one_is_below_the_floor() -> None:
    """At "for 1", $5 and the reset meter the progressive returns 74.58 %: no table."""
    book = with_options(MD, {"progressive_odds": "for_1"})
    assert f"{100 * float(Odds(book).wager('progressive').player_return):.2f}" == "74.58"
    (problem,) = floor_problems(book)
    assert problem.startswith("The progressive wager returns 74.58 % with 6 decks at $5")
    assert problem.endswith("and the reset meter, below the floor of 75 %.")
    assert floor_problems(MD) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_books_keep_the_floor(name: str) -> None:
    """Every wager of every shipped book returns at least 75 % at its worst."""
    assert floor_problems(load(name)) == []
    assert all(each.holds for each in floors(load(name)))


@pytest.mark.parametrize(("decks", "text"), [(1, "64.71"), (2, "74.76"), (4, "79.71")])
def test_the_tie_wager_needs_decks(decks: int, text: str) -> None:
    """The tie wager returns 64.7 % with one deck, 74.8 % with two and 79.7 % with four."""
    book = load("new-zealand")
    (tie,) = (each for each in floors(book, decks) if each.wager == "tie")
    assert f"{100 * float(tie.worst):.2f}" == text
    assert (floor_problems(book, decks) == []) == (decks == 4)


@pytest.mark.finding(7)
@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_books_give_nothing_away(name: str) -> None:
    """No wager of a shipped book returns above 100 % at always war."""
    assert gift_problems(load(name)) == []


def changed(**sections: dict[str, Any]) -> Book:
    """Maryland with other values under another name."""
    return build(own("gift", "maryland", wagers=sections))


@pytest.mark.finding(7)
def test_a_gift_is_confirmed_by_its_name_alone() -> None:
    """A share of one half for the meter returns 132 % at $5: refused until it is named."""
    book = changed(progressive={"meter": {"contribution": "1/2"}})
    at_five = Odds(book).wager("progressive", stake=500).player_return + Fraction(1, 2)
    assert f"{100 * float(at_five):.0f}" == "132"
    (problem,) = gift_problems(book)
    assert problem.startswith("The progressive wager returns 1")
    assert problem.endswith("above 100 %; the operator may confirm progressive by name.")
    assert gift_problems(book, confirmed=["bonus_spin", "tie"]) == [problem]
    assert gift_problems(book, confirmed=["progressive"]) == []
    assert floor_problems(book) == []


@pytest.mark.finding(7)
def test_a_wheel_without_empty_stops_is_a_gift() -> None:
    """Without a stop that has no hot spot the wheel returns 282 % at $5, and above at $1."""
    book = changed(bonus_spin={"wheel": {"hot_spot": {"none": 0}}})
    at_five = Odds(book, bettors=1).wager("bonus_spin", stake=500).player_return
    assert f"{100 * float(at_five):.0f}" == "282"
    (problem,) = gift_problems(book)
    assert problem.startswith("The bonus_spin wager returns ")


@pytest.mark.finding(7)
def test_odds_above_the_documents_can_be_a_gift() -> None:
    """A tie wager at 13 to 1 returns above 100 %; at 12 to 1 it does not."""
    assert gift_problems(changed(tie={"pays": "12 to 1"})) == []
    (problem,) = gift_problems(changed(tie={"pays": "13 to 1"}))
    assert problem.startswith("The tie wager returns 103.")


@pytest.mark.finding(7)
def test_a_meter_that_begins_high_is_a_gift() -> None:
    """The house's own money in a meter counts, although the meter is reset to less later."""
    for initial, gift in ((1_000_000, False), (46_000_000, True)):
        problems = gift_problems(changed(progressive={"meter": {"initial": initial}}))
        assert bool(problems) == gift
    assert "at $1 and the initial meter" in problems[0]
    for meter in ("primary", "secondary"):
        wheel = {"meters": {meter: {"initial": 10**9}}}
        (problem,) = gift_problems(changed(bonus_spin=wheel))
        assert problem.startswith("The bonus_spin wager returns ")
        assert gift_problems(changed(bonus_spin=wheel), confirmed=["bonus_spin"]) == []


@pytest.mark.finding(7)
def test_envy_for_a_full_table_is_a_gift() -> None:
    """A bonus for every other hand's tie is more than the wager costs, even of a lone cent."""
    envy = {"line": "tie", "pays": 1000}
    (problem,) = gift_problems(changed(progressive={"envy": envy}))
    assert problem.startswith("The progressive wager returns ")
    one_box = own(
        "gift",
        "maryland",
        table={"boxes": 1, "seats": 1, "boxes_per_player": 1},
        wagers={"progressive": {"envy": envy}},
    )
    assert gift_problems(build(one_box)) == [], "nobody else is there to envy"
    assert progressive(Odds(build(one_box))).envy_each == 0


@pytest.mark.finding(7)
def test_a_meter_that_begins_low_counts_for_the_floor() -> None:
    """A wager that reaches 75 % only after the first win opens no table before it."""
    rates = {"reset": 2_500_000, "initial": 1_000_000}
    low = own("low", "maryland", options=FOR_1, wagers={"progressive": {"meter": rates}})
    (problem,) = floor_problems(build(low))
    assert "74.58 % with 6 decks at $5 and the initial meter" in problem
    rates["initial"] = 2_500_000
    high = own("low", "maryland", options=FOR_1, wagers={"progressive": {"meter": rates}})
    assert floor_problems(build(high)) == []


def limited(limits: Limits) -> Book:
    """Maryland with limits."""
    return Book(msgspec.structs.replace(MD.rules, limits=limits), MD.sources, MD.digest)


def test_a_payout_limit_counts_at_the_largest_wager() -> None:
    """A payout limit is felt by the largest wager that the limits take, and needs such limits."""
    low = limited(Limits(Limit(100, 500), Limit(100, 500), Limit(100, 500), payout_max=3000))
    problems = floor_problems(low)
    assert [text.split(" %")[0] for text in problems] == [
        "The tie wager returns 51.77",
        "The war_tie wager returns 48.82",
    ]
    high = limited(Limits(Limit(100, 500), Limit(100, 500), Limit(100, 500), payout_max=9000))
    assert floor_problems(high) == []
    open_ended = limited(Limits(payout_max=10**6))
    assert any("no maximum" in text for text in floor_problems(open_ended))


def test_the_table_of_readings() -> None:
    """The alternatives of war_pays give the edges of the register, and so do the others."""
    found = {each.option: each for each in readings(Odds(MD))}
    edges = {one.value: one.edge for one in found["war_pays"].alternatives}
    shown = {value: f"{100 * float(edge or 0):.4f}" for value, edge in edges.items()}
    assert shown == {
        "both_units": "2.3301",
        "no_bonus": "2.8771",
        "each_wager": "1.1650",
        "war_only": "4.5892",
        "primary_lost": "6.3013",
    }
    odds = {one.value: one.edge for one in found["progressive_odds"].alternatives}
    assert odds["to_1"] is not None
    assert odds["for_1"] is not None
    assert odds["for_1"] - odds["to_1"] == Odds(MD).tie_probability()
    assert {name for name, each in found.items() if each.changes_money} == {
        "war_pays",
        "war_tie_wager",
        "odd_half",
        "progressive_odds",
        "progressive_suited",
        "envy_holder",
        "community_pays",
        "abandoned",
        "timeout",
    }
    assert all(
        value in {one.value for one in each.alternatives}
        for each in found.values()
        for value in [each.value]
    )


@pytest.mark.parametrize(("decks", "edge"), [(4, "2.3096"), (8, "2.3398")])
def test_the_table_of_readings_follows_the_decks(decks: int, edge: str) -> None:
    """The register's edges at four and eight decks."""
    (pays,) = (each for each in readings(Odds(MD, decks)) if each.option == "war_pays")
    assert f"{100 * float(pays.alternatives[0].edge or 0):.4f}" == edge


def banker_by_rows(
    odds: Odds, seats: list[Seat], posted: int | None, stack: int | None
) -> tuple[dict[Fraction, Fraction], list[Fraction]]:
    """The banker's distribution and the seats' means by playing every row of outcomes."""
    boxes = sorted({seat.box for seat in seats})
    pmf: dict[Fraction, Fraction] = {}
    means = [Fraction(0)] * len(seats)
    for row in product(RELATIONS, repeat=len(boxes)):
        tied = [box for box, relation in zip(boxes, row, strict=True) if relation == "tie"]
        for wars in product(RELATIONS, repeat=len(tied)):
            shape = Shape(*map(row.count, RELATIONS), *map(wars.count, RELATIONS))
            chance = row_chance(odds.composition.ranks, shape)
            deals = {
                "original": dict(zip(boxes, row, strict=True)),
                "war": dict(zip(tied, wars, strict=True)),
            }
            state = played(odds.rules, seats, deals, posted, stack)
            net = Fraction(state.banker_net)
            pmf[net] = pmf.get(net, Fraction(0)) + chance
            for number, seat in enumerate(seats):
                hand = state.hand(seat.player, seat.box)
                means[number] += chance * (hand.net if hand else 0)
    return {net: pmf[net] for net in sorted(pmf) if pmf[net]}, means


def played(
    rules: RuleBook,
    seats: list[Seat],
    deals: dict[str, dict[int, Relation]],
    posted: int | None,
    stack: int | None,
) -> Round:
    """The whole table's round with these outcomes."""
    state, _ = step(rules, Round(), Open(banker="banker", bank=posted, bank_stack=stack))
    chosen = {(seat.player, seat.box): seat for seat in seats}
    for seat in seats:
        state, _ = step(rules, state, Bet(seat.player, seat.box, "primary", seat.primary))
        if seat.tie:
            state, _ = step(rules, state, Bet(seat.player, seat.box, "tie", seat.tie))
    state, _ = step(rules, state, CloseBets())
    cards = {"higher": "Ac", "tie": "8c", "lower": "2c"}
    while not state.closed:
        match awaits(rules, state)[0]:
            case DueCard(deal=deal, box=box):
                card = cards[deals[deal][box]] if box else "8d"
                state, _ = step(rules, state, Deal(card))
            case DueBurn():
                state, _ = step(rules, state, Burn())
            case DueChoice(player=player, box=box):
                seat = chosen[player, box]
                war_tie = seat.war_tie if seat.choice == "war" else 0
                state, _ = step(rules, state, Choose(player, box, seat.choice, war_tie))
    return state


amounts = st.integers(1, 30).map(lambda n: n * 37)
maybe = st.one_of(st.none(), st.integers(0, 3000))
hands = st.tuples(amounts, st.integers(0, 90), st.sampled_from(["war", "surrender"]), amounts)


@settings(max_examples=25)
@given(
    st.sampled_from(COVERS),
    st.sampled_from(["clockwise", "counterclockwise"]),
    st.lists(hands, min_size=1, max_size=3),
    st.booleans(),
    maybe,
    maybe,
)
def test_the_bank_equals_whole_rounds(
    cover: str,
    direction: str,
    drawn: list[tuple[int, int, str, int]],
    backline: bool,
    posted: int | None,
    stack: int | None,
) -> None:
    """Joining boxes one by one gives what whole rounds of the engine give, row by row."""
    book = with_options(CA, {"bank_cover": cover})
    deal = msgspec.structs.replace(book.rules.deal, settle=direction)
    rules = msgspec.structs.replace(book.rules, deal=deal)
    odds = Odds(Book(rules, book.sources, "turned"), 6)
    seats = [
        Seat(box, f"p{box}", primary, tie, "war" if choice == "war" else "surrender", war_tie)
        for box, (primary, tie, choice, war_tie) in enumerate(drawn, 1)
    ]
    if backline and len(seats) > 1:
        seats[-1] = seats[-1]._replace(box=seats[-2].box)
    found = bank(odds, seats, posted, stack)
    pmf, means = banker_by_rows(odds, seats, posted, stack)
    assert found.net.pmf == pmf
    assert [seat.ev for seat in found.seats] == means
    assert found.net.ev == -sum(means)


@pytest.mark.parametrize("cover", COVERS)
def test_a_full_bank_has_the_house_edge(cover: str) -> None:
    """A bank that covers everything earns the edge of every wager, under every reading."""
    odds = Odds(with_options(CA, {"bank_cover": cover}))
    seats = [Seat(box, f"p{box}", 1000) for box in range(1, 8)]
    found = bank(odds, seats, 7000)
    assert found.edge == Fraction(23138, 993023)
    assert found.net.ev == 7 * 1000 * Fraction(23138, 993023)
    assert found.net.pmf == bank(odds, seats).net.pmf


def test_a_short_bank_is_fair_only_when_matched() -> None:
    """One unit against seven: 2.33 % of the action when matched, a third of it when running."""
    seats = [Seat(box, f"p{box}", 1000) for box in range(1, 8)]
    edges = {
        cover: bank(Odds(with_options(CA, {"bank_cover": cover})), seats, 1000).edge
        for cover in COVERS
    }
    assert edges["matched"] == edges["ties_last"] == Fraction(23138, 993023)
    assert Fraction(329, 1000) < edges["running"] < Fraction(331, 1000)
    assert edges["payoffs_only"] > edges["running"]


def test_the_tie_wager_takes_ten_times_its_cover() -> None:
    """The bank's tie wagers are covered after the primary, or after all primaries."""
    seats = [Seat(1, "a", 1000, 100), Seat(2, "b", 1000)]
    matched = bank(Odds(CA), seats, 1500).covered
    last = bank(Odds(with_options(CA, {"bank_cover": "ties_last"})), seats, 1500).covered
    assert [tuple(each) for each in matched] == [(1000, 50), (0, 0)]
    assert [tuple(each) for each in last] == [(1000, 0), (500, 0)]


def test_rotation_evens_out_among_equals() -> None:
    """Equals who all bank lose as players what they win as bankers; who declines pays the rest."""
    odds = Odds(CA)
    everybody = [Participant(f"p{n}", 1000) for n in range(4)]
    turns = rotation(odds, everybody)
    assert {turn.ev for turn in turns.values()} == {Fraction(0)}
    assert {turn.banks for turn in turns.values()} == {1}
    turns = rotation(odds, [*everybody[:3], everybody[3]._replace(declines=True)])
    edge = 1000 * Fraction(23138, 993023)
    assert turns["p3"].ev == -3 * edge
    assert [turns[f"p{n}"].ev for n in range(3)] == [edge] * 3
    assert sum(turn.ev for turn in turns.values()) == 0


def test_a_short_bank_shifts_the_action() -> None:
    """Who posts less than the others wager leaves the last seats out of that round."""
    odds = Odds(CA)
    turns = rotation(odds, [Participant("a", 1000, posts=1000), Participant("b", 1000), P3])
    assert turns["a"].as_banker == 1000 * Fraction(23138, 993023)
    assert turns["c"].as_player == -1000 * Fraction(23138, 993023)
    assert sum(turn.ev for turn in turns.values()) == 0


P3 = Participant("c", 1000)


@pytest.mark.parametrize(
    ("seats", "book", "sentence"),
    [
        ([Seat(1, "a", 1000)], MD, "The house banks maryland"),
        ([Seat(12, "a", 1000)], CA, "must be an integer from 1 to 9, not 12"),
        ([Seat(1, "a", 0, 100)], CA, "needs a primary wager"),
    ],
)
def test_a_bank_that_cannot_be_is_refused(seats: list[Seat], book: Book, sentence: str) -> None:
    """A bank where the house banks, or wagers that the engine refuses, are refused."""
    with pytest.raises(OddsError, match=sentence):
        bank(Odds(book), seats, 1000)


def test_too_few_cards_are_refused() -> None:
    """Three boxes cannot fight their wars with seven cards."""
    odds = Odds(CA, composition=Composition({"9c": 7}))
    with pytest.raises(OddsError, match="too few"):
        bank(odds, [Seat(box, f"p{box}", 100) for box in (1, 2, 3)])


def test_the_floor_takes_the_wheel_at_its_worst() -> None:
    """The bonus spin is judged as one of all boxes, for whom the hot spot is rarest."""
    (spin,) = (each for each in floors(MD) if each.wager == "bonus_spin")
    worst = Odds(MD, bettors=9).wager("bonus_spin").player_return
    assert spin.worst == worst < Odds(MD).wager("bonus_spin").player_return
    face = with_options(MD, {"community_pays": "face"})
    (problem,) = floor_problems(face)
    assert "67.57 %" in problem
    assert "9 boxes betting" in problem
