"""The clauses that the odds must keep, asked through the odds and never of the engine alone."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from clauses import proves
from wartable.cards import DECK, RANKS, SUITS
from wartable.odds import (
    Composition,
    DealClass,
    Distribution,
    Odds,
    OddsError,
    Plan,
    WarClass,
    joint,
)
from wartable.odds.bank import bank
from wartable.odds.boxes import Shape, shapes
from wartable.odds.report import Question, study
from wartable.odds.sidebets import bonus_spin, envy_each, progressive
from wartable.odds.slices import Seat
from wartable.odds.walk import Endings, answer_of, play
from wartable.rules import NAMES, Book, load, with_options

MD, CA, NZ, ON, WA = (
    load(name) for name in ("maryland", "california", "new-zealand", "online", "washington")
)
UNIT = 100


def changed(book: Book, **parts: Any) -> Book:
    """The book with other wagers, as an operator would submit them."""
    wagers = msgspec.structs.replace(book.rules.wagers, **parts)
    rules = msgspec.structs.replace(book.rules, wagers=wagers)
    return Book(rules, book.sources, "changed")


def answers(book: Book, plan: Plan) -> dict[DealClass, tuple[Endings, Fraction]]:
    """How the plan ends in each class of deal that the odds count, and its probability."""
    odds = Odds(book)
    total = sum(weight for weight, _, _ in odds.answers(plan))
    return {kind: (answer, Fraction(weight) / total) for weight, answer, kind in odds.answers(plan)}


def nets(book: Book, kind: DealClass, plan: Plan) -> dict[str, Fraction]:
    """The net of each wager in a class of deal, `main` for primary and war, in units."""
    answer, _ = answers(book, plan)[kind]
    found = {str(name): Fraction(ended.net, UNIT) for name, ended in answer.items()}
    found["main"] = found.get("primary", Fraction(0)) + found.get("war", Fraction(0))
    return found


def units(*values: int) -> tuple[Fraction, ...]:
    """Nets in units."""
    return tuple(map(Fraction, values))


def seat(book: Book, choice: str = "war") -> Plan:
    """A seat with every wager on ranks that the book offers."""
    war_tie = UNIT if book.rules.options.war_tie_wager != "none" and choice == "war" else 0
    return Plan(UNIT, UNIT, war_tie=war_tie, choice="war" if choice == "war" else "surrender")


HIGHER, LOWER = DealClass("higher"), DealClass("lower")
WON, TIED, LOST = (
    DealClass("tie", war=WarClass("higher")),
    DealClass("tie", war=WarClass("tie")),
    DealClass("tie", war=WarClass("lower")),
)
SURRENDERED = DealClass("tie", war=WarClass("lower"))


@proves("odds", "CA-std-2", "CA-round-1b", "CA-odds-1", "ON-overview-4", "ON-eval-win")
@proves("odds", "ON-pay-first-main", "NZ-5.3a", "NZ-5.13-beat", "WA-4a-1", "WA-4a-2")
@proves("odds", "WA-pay-beat", "MD-9-B", "MD-9-B-2", "MD-10-A-1")
@pytest.mark.parametrize("book", [CA, ON, NZ, WA, MD], ids=lambda book: str(book.rules.name))
def test_a_higher_card_wins(book: Book) -> None:
    """A strictly higher card pays the primary even money and loses the tie wager."""
    found = nets(book, HIGHER, seat(book))
    assert (found["main"], found["tie"]) == units(1, -1)
    assert "war" not in found
    odds = Odds(book)
    assert odds.wager("primary").outcomes["won"] == (1 - odds.tie_probability()) / 2
    assert odds.wager("primary", "surrender").pmf[Fraction(1)] == Fraction(144, 311)


@proves("odds", "CA-round-1a", "ON-eval-lose", "NZ-5.3a-bis", "WA-4b-1", "WA-4b-2", "MD-9-B-1")
@pytest.mark.parametrize("book", [CA, ON, NZ, WA, MD], ids=lambda book: str(book.rules.name))
def test_a_lower_card_loses(book: Book) -> None:
    """A lower card loses the primary and the tie wager."""
    found = nets(book, LOWER, seat(book))
    assert (found["main"], found["tie"]) == units(-1, -1)
    assert Odds(book).wager("primary").outcomes["lost"] == Fraction(144, 311)


@proves("odds", "CA-std-13", "CA-round-1c", "CA-odds-2", "CA-def-tiehand", "ON-tie-pay")
@proves("odds", "ON-pay-first-tie", "NZ-5.5", "NZ-5.13-tie", "WA-4c-1", "WA-pay-tie")
@proves("odds", "MD-9-B-3", "MD-10-A-2", "MD-1-A-3")
@pytest.mark.parametrize("book", [CA, ON, NZ, WA, MD], ids=lambda book: str(book.rules.name))
def test_equal_ranks_win_the_tie_wager(book: Book) -> None:
    """Equal ranks pay the tie wager 10 to 1 whatever becomes of the primary."""
    for kind in (WON, TIED, LOST):
        assert nets(book, kind, seat(book))["tie"] == 10
    assert nets(book, SURRENDERED, seat(book, "surrender"))["tie"] == 10
    tie = Odds(book).wager("tie")
    assert tie.pmf == {Fraction(-1): Fraction(288, 311), Fraction(10): Fraction(23, 311)}
    assert tie.outcomes["won"] == Odds(book).tie_probability()


@proves("odds", "CA-std-11", "CA-round-3a-1", "ON-surrender", "NZ-1-surrender", "NZ-5.2b")
@proves("odds", "NZ-5.13-surrender", "WA-4c-i", "WA-pay-surrender", "MD-9-E-1")
@pytest.mark.parametrize("book", [CA, ON, NZ, WA, MD], ids=lambda book: str(book.rules.name))
def test_surrender_costs_half(book: Book) -> None:
    """Surrender forfeits half of the primary, an odd half rounded down, and ends the hand."""
    found = nets(book, SURRENDERED, seat(book, "surrender"))
    assert found["main"] == Fraction(-1, 2)
    assert "war" not in found
    odds = Odds(book)
    assert odds.wager("primary", "surrender").pmf[Fraction(-1, 2)] == Fraction(23, 311)
    assert Fraction(-50, 101) in odds.wager("primary", "surrender", 101).pmf


@proves("odds", "CA-std-8", "CA-std-9", "CA-round-5b", "CA-round-7b", "CA-round-8b", "CA-odds-3")
@proves("odds", "ON-war-eval-win", "ON-war-eval-win-main", "ON-pay-war-main", "ON-pay-war-raise")
@proves("odds", "NZ-5.3b", "NZ-5.4a", "NZ-5.13-war-win", "WA-4c-ii-1a", "WA-pay-warwin")
@proves("odds", "MD-9-I-2", "MD-10-A-3")
@pytest.mark.parametrize("book", [CA, ON, NZ, WA, MD], ids=lambda book: str(book.rules.name))
def test_a_won_war_nets_one(book: Book) -> None:
    """A higher war card pays the war wager and returns the primary: three units, net one."""
    found = nets(book, WON, seat(book))
    assert (found["primary"], found["war"], found["main"]) == units(0, 1, 1)
    assert found.get("war_tie", -1) == -1
    (answer, chance) = answers(book, seat(book))[WON]
    back = sum(answer[kind].staked + answer[kind].net for kind in ("primary", "war"))
    assert back == 3 * UNIT
    assert Odds(book).wager("primary").outcomes["war_won"] == chance


@proves("odds", "CA-std-10", "CA-round-7c", "CA-odds-4", "ON-war-eval-tie", "ON-pay-war-main")
@proves("odds", "ON-pay-war-raise", "NZ-5.4b", "NZ-5.13-war-tie", "WA-4c-ii-1b")
@proves("odds", "WA-pay-wartie", "MD-9-I-3", "MD-10-A-4")
@pytest.mark.parametrize("book", [CA, ON, NZ, WA, MD], ids=lambda book: str(book.rules.name))
def test_a_tied_war_nets_two(book: Book) -> None:
    """Equal war cards return the primary and pay two units more, without a third deal."""
    found = nets(book, TIED, seat(book))
    assert (found["primary"], found["war"], found["main"]) == units(0, 2, 2)
    assert found.get("war_tie", 10) == 10
    assert Odds(book).wager("primary").pmf[Fraction(2)] == Fraction(27163, 4965115)


@proves("odds", "CA-std-8", "CA-round-7a", "ON-war-eval-lose", "NZ-5.3c", "NZ-5.4c")
@proves("odds", "WA-4c-ii-1c", "MD-9-I-1")
@pytest.mark.parametrize("book", [CA, ON, NZ, WA, MD], ids=lambda book: str(book.rules.name))
def test_a_lost_war_costs_two(book: Book) -> None:
    """A lower war card loses primary, war wager and a tie wager on the war deal."""
    found = nets(book, LOST, seat(book))
    assert (found["primary"], found["war"], found["main"]) == units(-1, -1, -2)
    assert found.get("war_tie", -1) == -1
    assert Odds(book).wager("primary").pmf[Fraction(-2)] == Fraction(170016, 4965115)


@proves("odds", "CA-def-tiewager", "ON-war-tiebet", "ON-war-eval-tiebet", "ON-pay-war-tie")
@proves("odds", "MD-7-F-2")
@pytest.mark.parametrize("book", [CA, ON, MD], ids=lambda book: str(book.rules.name))
def test_the_war_deal_has_a_tie_wager_of_its_own(book: Book) -> None:
    """A tie wager on the war deal pays 10 to 1 on that deal, with or without a first one."""
    for plan in (seat(book), seat(book)._replace(tie=0)):
        assert nets(book, TIED, plan)["war_tie"] == 10
        assert nets(book, WON, plan)["war_tie"] == nets(book, LOST, plan)["war_tie"] == -1
    assert Odds(book).wager("war_tie").pmf == {
        Fraction(-1): Fraction(14784, 15965),
        Fraction(10): Fraction(1181, 15965),
    }


@proves("odds", "ON-war-tiebet-size")
def test_ON_war_tiebet_size() -> None:
    """The online tie bet at war equals the main bet; another size is refused."""
    odds = Odds(ON)
    plan = odds.plan_for("war_tie")
    assert plan.war_tie == plan.primary
    with pytest.raises(OddsError, match=r"must be \$1, not \$1\.50"):
        odds.plan(Plan(primary=100, war_tie=150))
    assert Odds(MD).plan(Plan(primary=100, war_tie=150)).ev < 0


@proves("odds", "CA-def-tiewager", "MD-7-F-2")
@pytest.mark.parametrize("book", [CA, MD], ids=lambda book: str(book.rules.name))
def test_the_war_tie_wager_is_of_any_size(book: Book) -> None:
    """California and Maryland take a tie wager on the war deal of any size."""
    odds = Odds(book)
    assert odds.wager("war_tie", stake=30).pmf == odds.wager("war_tie", stake=700).pmf


@proves("odds", "CA-rank-1a", "ON-rank-1", "NZ-4.2", "MD-6-A")
@pytest.mark.parametrize("book", [CA, ON, NZ, MD], ids=lambda book: str(book.rules.name))
def test_ranks_from_two_to_ace(book: Book) -> None:
    """Of any two ranks the later in 2, 3 ... king, ace is the higher one."""
    odds, plan = Odds(book), Plan(primary=UNIT)
    for low, high in pairwise("23456789TJQKA"):
        shoe = Composition({f"{low}c": 1, f"{high}c": 9})
        # With one low card among high ones the dealer's low card loses to both boxes; no card
        # of the dealer beats both.
        found = shapes(shoe.ranks, 2)
        assert found[Shape(2, 0, 0, 0, 0, 0)] == Fraction(1, 10)
        assert Shape(0, 0, 2, 0, 0, 0) not in found
        for cards, net in (((high, low), UNIT), ((low, high), -UNIT)):
            player, dealer = (f"{name}c" for name in cards)
            ended = answer_of(play(book.rules, plan, (player, dealer, "2c", "3c"), odds.meters))
            assert ended["primary"].net == net


@proves("odds", "CA-rank-1b", "ON-rank-2", "NZ-4.1", "MD-6-B")
@pytest.mark.parametrize("book", [CA, ON, NZ, MD], ids=lambda book: str(book.rules.name))
def test_suits_have_no_rank(book: Book) -> None:
    """Cards of one rank and four suits always tie; other suits leave the odds as they are."""
    one_rank = Odds(book, composition=Composition({f"9{suit}": 3 for suit in SUITS}))
    assert one_rank.wager("tie").pmf == {Fraction(10): Fraction(1)}
    assert one_rank.wager("primary").pmf == {Fraction(2): Fraction(1)}
    mixed = {f"{rank}{suit}": 2 for rank in RANKS for suit in SUITS}
    plain = {f"{rank}c": 8 for rank in RANKS}
    odds, other = (Odds(book, composition=Composition(each)) for each in (mixed, plain))
    for kind in ("primary", "tie"):
        assert odds.wager(kind).pmf == other.wager(kind).pmf


@proves("odds", "MD-6-B")
def test_MD_6_B_suits_count_for_side_bets() -> None:
    """Suits and colours matter to the progressive and the bonus spin only."""
    clubs = Composition({f"{rank}c": 8 for rank in RANKS})
    assert Odds(MD, composition=clubs).wager("bonus_spin").outcomes == {"lost": Fraction(1)}
    assert "tie" not in Odds(MD, composition=clubs).wager("progressive").outcomes


@proves("odds", "CA-decks-2", "CA-decks-3", "ON-overview-1", "NZ-3.4a", "MD-3-A", "MD-3-B")
@pytest.mark.parametrize(
    ("book", "allowed"),
    [(CA, range(6, 13)), (ON, [6]), (NZ, range(4, 9)), (MD, [6, 8])],
    ids=["california", "online", "new-zealand", "maryland"],
)
def test_decks_are_whole_and_as_many_as_allowed(book: Book, allowed: list[int]) -> None:
    """A shoe is whole decks of 52 different cards; odds follow the number, others are marked."""
    assert Composition.fresh(1).counts == dict.fromkeys(DECK, 1)
    assert len(set(DECK)) == 52
    assert Odds(book).composition.size == 312
    for decks in range(1, 14):
        found = study(book, Question(decks=decks, wagers=["tie"]))
        assert any("allows" in note for note in found["notes"]) == (decks not in allowed)
        copies = 4 * decks
        chance = Fraction(copies - 1, 52 * decks - 1)
        assert found["wagers"]["tie"]["ev"]["exact"] == str(11 * chance - 1)


@proves("odds", "MD-3-B")
def test_MD_3_B() -> None:
    """A batch is the shoe in play, so batches leave the odds of its six or eight decks."""
    batches = with_options(MD, {"shuffle": "batches"})
    for decks in (6, 8):
        assert (
            Odds(batches, decks).wager("progressive").pmf
            == Odds(MD, decks).wager("progressive").pmf
        )


@proves("odds", "ON-overview-2")
def test_ON_overview_2() -> None:
    """Cards are reshuffled between rounds: the book's odds are those of all 312 cards."""
    assert ON.rules.options.shuffle == "every_round"
    fresh = study(ON, Question(wagers=["primary"]))
    assert fresh["cards"] == 312
    assert fresh["wagers"]["primary"]["war"]["ev"]["exact"] == "-23138/993023"
    assert fresh["notes"] == []


@proves("odds", "ON-overview-6")
def test_ON_overview_6() -> None:
    """One to three hands have joint odds; a fourth is refused."""
    odds = Odds(ON)
    for hands in (1, 2, 3):
        assert joint(odds, hands).total.ev == hands * odds.wager("primary").ev
    for hands in (0, 4):
        with pytest.raises(OddsError, match=f"1 to 3 boxes, not {hands}"):
            joint(odds, hands)


@proves("odds", "ON-pay-first-main-tie")
def test_ON_pay_first_main_tie() -> None:
    """A tied main bet is never simply pushed: it is surrendered or goes to war."""
    odds = Odds(ON)
    for choice, ends in (("war", {1, 2, -2}), ("surrender", {Fraction(-1, 2)})):
        plan = odds.plan_for("primary", "war" if choice == "war" else "surrender")
        size = plan.primary
        found = {
            Fraction(sum(ended.net for ended in answer.values()), size)
            for _, answer, kind in odds.answers(plan)
            if kind.relation == "tie"
        }
        assert found == ends


@proves("odds", "NZ-5.1b")
def test_NZ_5_1b() -> None:
    """New Zealand takes a tie wager alone, without war or surrender; the others do not."""
    plan = Odds(NZ).plan_for("tie")
    assert plan.primary == 0
    found = Odds(NZ).plan(plan)
    assert found.pmf == Odds(NZ).wager("tie").pmf
    assert found.staked == 1
    for book in (CA, ON, WA, MD):
        assert Odds(book).plan_for("tie").primary > 0
        with pytest.raises(OddsError, match="needs a primary wager"):
            Odds(book).plan(plan)


@proves("odds", "NZ-5.13-0")
def test_NZ_5_13_0() -> None:
    """The paytable drives the odds: another payment for ties is another distribution."""
    tie = msgspec.structs.replace(NZ.rules.wagers.tie, pays=type(NZ.rules.wagers.tie.pays)(9, 1))
    primary = msgspec.structs.replace(NZ.rules.wagers.primary, pays=type(tie.pays)(3, 2))
    book = changed(NZ, tie=tie, primary=primary)
    assert set(Odds(book).wager("tie").pmf) == {-1, 9}
    assert Fraction(3, 2) in Odds(book).wager("primary").pmf


@proves("odds", "CA-betting-5a")
def test_CA_betting_5a() -> None:
    """The bank wins and loses no more than the action that its posted wager covers."""
    odds = Odds(CA)
    seats = [Seat(1, "a", 1000, 100), Seat(2, "b", 1000)]
    found = bank(odds, seats, 1500)
    assert [tuple(each) for each in found.covered] == [(1000, 50), (0, 0)]
    assert found.seats[1].ev == found.seats[1].variance == 0
    assert min(found.net.pmf) >= -1500 - 1000
    alone = bank(odds, [Seat(1, "a", 1000, 50)], 1500)
    assert found.net.pmf == alone.net.pmf
    for posted in (100, 1000, 1700):
        covered = bank(odds, [Seat(box, f"p{box}", 1000) for box in (1, 2, 3)], posted)
        assert covered.action == posted
        assert covered.edge == Fraction(23138, 993023)


@proves("odds", "MD-7-F-3", "MD-9-J-4d", "MD-10-B")
def test_MD_7_F_3() -> None:
    """The progressive has odds where it is offered, by its six lines, the highest paying."""
    assert "progressive" in Odds(MD).offered
    offer = MD.rules.wagers.progressive
    assert offer is not None
    withheld = changed(MD, progressive=msgspec.structs.replace(offer, offered=False))
    assert "progressive" not in Odds(withheld).offered
    with pytest.raises(OddsError, match="its wagers are primary, tie, war_tie, bonus_spin"):
        Odds(withheld).wager("progressive")
    found = Odds(MD).wager("progressive")
    assert set(found.outcomes) == {*offer.lines, "lost"}
    ties = sum(chance for name, chance in found.outcomes.items() if name != "lost")
    assert ties == Odds(MD).tie_probability()


LINES = {
    "suited_four_of_a_kind": (1000, "MD-10-B-1"),
    "suited_double_tie": (200, "MD-10-B-2"),
    "four_of_a_kind": (150, "MD-10-B-3"),
    "double_tie": (30, "MD-10-B-4"),
    "suited_tie": (15, "MD-10-B-5"),
    "tie": (5, "MD-10-B-6"),
}


@pytest.mark.parametrize(
    ("line", "pays"),
    [
        pytest.param(line, pays, marks=proves("odds", clause), id=line)
        for line, (pays, clause) in LINES.items()
    ],
)
def test_a_progressive_line_pays(line: str, pays: int) -> None:
    """Each line pays its odds to 1, the highest one the meter too, with its own probability."""
    odds = Odds(MD, meter=2_000_000)
    meter = 4000 if line == "suited_four_of_a_kind" else 0
    found = odds.wager("progressive")
    assert found.pmf[Fraction(pays + meter)] == found.outcomes[line] == LINE_CHANCES[line]
    one = Odds(MD, meter=2_000_000, stake=100).wager("progressive")
    assert one.pmf[Fraction(pays + 5 * meter)] == LINE_CHANCES[line]


def chances() -> Iterator[tuple[str, Fraction]]:
    """The lines' probabilities at six decks by counting, without the odds' classes."""
    n, m = 6, 312
    whole = m * (m - 1) * (m - 2) * (m - 3)
    four = 52 * n * (n - 1) * (n - 2) * (n - 3)
    suited_pairs = 52 * n * (n - 1)
    other_twins = 51 * n * (n - 1)
    yield "suited_four_of_a_kind", Fraction(four, whole)
    yield "suited_double_tie", Fraction(suited_pairs * other_twins, whole)
    ranks = 13 * 24 * 23 * 22 * 21
    same_rank_twins = 13 * 4 * 3 * (n * (n - 1)) ** 2
    yield "four_of_a_kind", Fraction(ranks - four - same_rank_twins, whole)
    ties = 13 * 24 * 23
    double = ties * (12 * 24 * 23 + 22 * 21)
    above = ranks + suited_pairs * other_twins - same_rank_twins
    yield "double_tie", Fraction(double - above, whole)
    wars = (m - 2) * (m - 3)
    fought = wars - (12 * 24 * 23 + 22 * 21)
    yield "suited_tie", Fraction(suited_pairs * fought, whole)
    yield "tie", Fraction((ties - suited_pairs) * fought, whole)


LINE_CHANCES = dict(chances())


@proves("odds", "MD-10-C-1", "MD-10-C-2", "MD-10-B-1")
def test_MD_10_C() -> None:
    """The contribution rate and the reset move the long run; a meter below its floor is refused."""
    found = progressive(Odds(MD))
    assert found.meter == 1_000_000
    assert found.long_run.contributed == Fraction(3, 100)
    assert found.long_run.reseeded == LINE_CHANCES["suited_four_of_a_kind"] * 1_000_000 / 500
    assert found.long_run.total == found.return_at(found.typical_meter or 0)
    offer = MD.rules.wagers.progressive
    assert offer is not None
    meter = msgspec.structs.replace(
        offer.meter, contribution=type(offer.meter.contribution)(1, 10), reset=1_500_000
    )
    other = progressive(Odds(changed(MD, progressive=msgspec.structs.replace(offer, meter=meter))))
    assert other.long_run.contributed == Fraction(1, 10)
    assert other.long_run.reseeded == found.long_run.reseeded * 3 / 2
    for amount in (0, 999_999):
        with pytest.raises(OddsError, match=f"at least 1000000 cents, not {amount}"):
            Odds(MD, meter=amount)


@proves("odds", "MD-9-J-4e", "MD-9-J-4e-i", "MD-9-J-4e-iii", "MD-10-C-3a", "MD-10-C-3c-i")
def test_MD_10_C_3() -> None:
    """Another's suited four of a kind brings $5,000 for $5, in proportion, wagered or not."""
    odds = Odds(MD)
    chance = LINE_CHANCES["suited_four_of_a_kind"]
    for stake in (100, 500):
        assert envy_each(odds, stake) == chance * 1000
        assert envy_each(odds, stake, holder_wagers=False) == chance * 1000
    must = Odds(with_options(MD, {"envy_holder": "must_wager"}))
    assert envy_each(must, 500) == chance * 1000
    assert envy_each(must, 500, holder_wagers=False) == 0
    # A player's own hand brings no envy: the wager alone has none of it.
    assert Fraction(1000 + 2000 + 1000) not in odds.wager("progressive").pmf
    assert Fraction(1000 + 2000) in odds.wager("progressive").pmf


@proves("odds", "MD-9-J-4e-ii")
def test_MD_9_J_4e_ii() -> None:
    """Each further player is worth one more envy bonus, which lowers the break-even meter."""
    found = progressive(Odds(MD))
    meters = [found.break_even_with(others) for others in range(4)]
    assert meters[0] == found.break_even_meter == 45_745_000
    assert [meters[0] - meter for meter in meters if meter is not None] == [  # type: ignore[operator]  # a meter
        500_000 * others for others in range(4)
    ]


@proves("odds", "MD-9-L", "MD-9-L-2")
def test_MD_9_L() -> None:
    """Three, five or seven community cards are so many hands against one dealer card."""
    for cards in (3, 5, 7):
        odds = Odds(with_options(MD, {"electronic": str(cards)}))
        assert odds.wager("primary").pmf == Odds(MD).wager("primary").pmf
        assert joint(odds, cards).total.pmf == joint(Odds(MD), cards).total.pmf
        with pytest.raises(OddsError, match=f"1 to {cards} boxes"):
            joint(odds, cards + 1)


def spin_book(hot_spot: dict[str, int], community: dict[str, int], **parts: Any) -> Book:
    """Maryland with another wheel."""
    spin = MD.rules.wagers.bonus_spin
    assert spin is not None
    wheel = msgspec.structs.replace(spin.wheel, hot_spot=hot_spot, community=community)
    return changed(MD, bonus_spin=msgspec.structs.replace(spin, wheel=wheel, **parts))


def spin_of(book: Book, stake: int = 500, bettors: int = 1) -> Distribution:
    """The bonus spin's odds."""
    return Odds(book, stake=stake, bettors=bettors).wager("bonus_spin")


@proves("odds", "MD-7-F-4", "MD-10-D")
def test_MD_7_F_4() -> None:
    """The dealer's first card of the designated rank and colour starts the wheel, for $1 or $5."""
    found = bonus_spin(Odds(MD))
    assert found.trigger == Fraction(2, 52)
    assert found.break_even_payment == 500 * 26
    spin = MD.rules.wagers.bonus_spin
    assert spin is not None
    assert (spin.trigger.rank, spin.trigger.color) == ("7", "red")
    without = dict.fromkeys(DECK, 6) | {"7d": 0, "7h": 0}
    gone = Odds(MD, composition=Composition(without)).wager("bonus_spin")
    assert gone.outcomes == {"lost": Fraction(1)}
    for stake in (200, 501):
        with pytest.raises(OddsError, match="100, 500 cents"):
            Odds(MD, stake=stake)


HOT = {
    "$1,000": "MD-10-D-1c",
    "$600": "MD-10-D-1d",
    "$500": "MD-10-D-1e",
    "$400": "MD-10-D-1f",
    "$350": "MD-10-D-1g",
    "$300": "MD-10-D-1h",
    "$250": "MD-10-D-1i",
    "$200": "MD-10-D-1j",
}
COMMUNITY = {
    "$150": (150, "MD-10-E-1a"),
    "$100": (125, "MD-10-E-1b"),
    "$75": (100, "MD-10-E-1c"),
    "$50": (75, "MD-10-E-1d"),
    "$40": (50, "MD-10-E-1e"),
    "$35": (40, "MD-10-E-1f"),
    "$30": (30, "MD-10-E-1g"),
    "$25": (25, "MD-10-E-1h"),
}


@pytest.mark.parametrize(
    "symbol",
    [pytest.param(name, marks=proves("odds", clause, "MD-10-D")) for name, clause in HOT.items()],
)
def test_a_hot_spot_pays_its_figure(symbol: str) -> None:
    """A wheel with one hot spot only pays its figure for $5 and a fifth of it for $1."""
    book = spin_book({symbol: 1}, {"$25": 1})
    pays = int(symbol.removeprefix("$").replace(",", ""))
    for stake in (100, 500):
        assert spin_of(book, stake).pmf[Fraction(pays, 5) - 1] == Fraction(1, 26)


@pytest.mark.parametrize(
    ("symbol", "pays"),
    [
        pytest.param(name, pays, marks=proves("odds", clause, "MD-10-E", "MD-10-D-5a"), id=name)
        for name, (pays, clause) in COMMUNITY.items()
    ],
)
def test_a_community_symbol_pays_as_stated(symbol: str, pays: int) -> None:
    """A wheel with one community symbol only pays what is stated for it, by the own stake."""
    book = spin_book({"none": 1}, {symbol: 1})
    for stake in (100, 500):
        assert spin_of(book, stake).pmf[Fraction(pays, 5) - 1] == Fraction(1, 26)


@proves("odds", "MD-10-D-1a", "MD-10-D-1b", "MD-10-D-3b-i")
def test_MD_10_D_1() -> None:
    """The two jackpots pay the whole of their own meters, $10,000 and $5,000 at reset."""
    for name, reset in (("primary", 1_000_000), ("secondary", 500_000)):
        book = spin_book({f"jackpot_{name}": 1}, {"$25": 1})
        assert spin_of(book).pmf[Fraction(reset, 500) - 1] == Fraction(1, 26)
        assert spin_of(book, 100).pmf[Fraction(reset, 100) - 1] == Fraction(1, 26)


@proves("odds", "MD-10-D-3a")
def test_MD_10_D_3a() -> None:
    """The two meters' rates of progression are part of the long-run return, by what they say."""
    found = bonus_spin(Odds(MD))
    assert found.long_run.contributed == Fraction(1, 100) + Fraction(1, 100)
    spin = MD.rules.wagers.bonus_spin
    assert spin is not None
    ratio = type(spin.meters["primary"].contribution)
    meters = {
        "primary": msgspec.structs.replace(spin.meters["primary"], contribution=ratio(1, 20)),
        "secondary": spin.meters["secondary"],
    }
    other = changed(MD, bonus_spin=msgspec.structs.replace(spin, meters=meters))
    assert bonus_spin(Odds(other)).long_run.contributed == Fraction(6, 100)


@proves("odds", "MD-10-D-5a")
def test_MD_10_D_5a() -> None:
    """With more boxes betting the hot spot is another's more often, and community pay counts."""
    hot = {"none": 0, "$1,000": 1}
    book = spin_book(hot, {"$25": 1})
    for bettors in (1, 2, 5):
        found = spin_of(book, bettors=bettors)
        assert found.pmf[Fraction(199)] == Fraction(1, 26 * bettors)
        assert found.pmf.get(Fraction(4), 0) == Fraction(bettors - 1, 26 * bettors)


def test_every_book_has_its_marks() -> None:
    """The five books of this page are all that ship."""
    assert {book.rules.name for book in (MD, CA, NZ, ON, WA)} == set(NAMES)
