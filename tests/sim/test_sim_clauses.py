"""The simulator holds to the documents: what classes pay, how cards are dealt, what is refused."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest

from clauses import proves
from sim_parity import check_parity, engine_rounds
from sim_twin import Deck, Shoes, engine_round
from wartable.cards import DECK
from wartable.rules import load_any, with_options
from wartable.rules.model import Shuffle, WagerKind
from wartable.sim import expected
from wartable.sim.classes import hands_of
from wartable.sim.counters import count_chunk
from wartable.sim.money import AskedPayments, WagerMoney
from wartable.sim.policy import policy_of
from wartable.sim.report import report
from wartable.sim.run import run
from wartable.sim.setup import SetupError, SimulationSetup, job_of, notes, opened, set_up

pytestmark = pytest.mark.slow("compiles the kernels")

WAR = policy_of("war")
SURRENDER = policy_of("surrender")


def cashier_of(book: str, **settings: Any) -> AskedPayments:
    """What the classes of a book pay at a bet of 10.00."""
    setup = set_up(load_any(book), settings.pop("policy", WAR), bet=1000, **settings)
    return AskedPayments(setup, ordered=False)


def nets(
    book: str, name: str, wagers: tuple[WagerKind, ...] = ("primary", "tie")
) -> list[Fraction]:
    """What each wager gains in a class, in units."""
    paid = cashier_of(book).hand(name)
    return [Fraction(paid[kind].net, 500 if kind == "progressive" else 1000) for kind in wagers]


PAYS = [
    ("california", "won", (1, -1), "CA-std-2 CA-round-1b CA-odds-1"),
    ("california", "lost", (-1, -1), "CA-round-1a"),
    ("california", "surrendered", (Fraction(-1, 2), 10), "CA-std-11 CA-round-3a-1 CA-std-13"),
    ("california", "war_won", (1, 10), "CA-std-9 CA-odds-3 CA-round-5b CA-round-7b CA-round-1c"),
    ("california", "war_tied", (2, 10), "CA-std-10 CA-odds-2 CA-odds-4 CA-round-7c"),
    ("california", "war_lost", (-2, 10), "CA-std-8 CA-round-7a"),
    ("online", "won", (1, -1), "ON-eval-win ON-overview-4"),
    ("online", "lost", (-1, -1), "ON-eval-lose"),
    ("online", "surrendered", (Fraction(-1, 2), 10), "ON-surrender"),
    ("online", "war_won", (1, 10), "ON-war-eval-win ON-war-eval-win-main ON-tie-pay"),
    ("online", "war_tied", (2, 10), "ON-war-eval-tie"),
    ("online", "war_lost", (-2, 10), "ON-war-eval-lose"),
    ("new-zealand", "won", (1, -1), "NZ-5.3a NZ-5.13-beat"),
    ("new-zealand", "lost", (-1, -1), "NZ-5.3a-bis"),
    (
        "new-zealand",
        "surrendered",
        (Fraction(-1, 2), 10),
        "NZ-1-surrender NZ-5.2b NZ-5.13-surrender NZ-5.13-tie",
    ),
    ("new-zealand", "war_won", (1, 10), "NZ-5.3b NZ-5.4a NZ-5.13-war-win NZ-5.5"),
    ("new-zealand", "war_tied", (2, 10), "NZ-5.4b NZ-5.13-war-tie"),
    ("new-zealand", "war_lost", (-2, 10), "NZ-5.3c NZ-5.4c"),
    ("washington", "won", (1, -1), "WA-4a-1 WA-4a-2"),
    ("washington", "lost", (-1, -1), "WA-4b-1 WA-4b-2"),
    ("washington", "surrendered", (Fraction(-1, 2), 10), "WA-4c-i WA-4c-1"),
    ("washington", "war_won", (1, 10), "WA-4c-ii-1a WA-pay-warwin"),
    ("washington", "war_tied", (2, 10), "WA-4c-ii-1b WA-pay-wartie"),
    ("washington", "war_lost", (-2, 10), "WA-4c-ii-1c"),
    ("maryland", "won", (1, -1), "MD-9-B MD-9-B-2 MD-10-A-1"),
    ("maryland", "lost", (-1, -1), "MD-9-B-1"),
    ("maryland", "surrendered", (Fraction(-1, 2), 10), "MD-9-E-1"),
    ("maryland", "war_won", (1, 10), "MD-9-B-3 MD-9-I-2 MD-10-A-3"),
    ("maryland", "war_tied", (2, 10), "MD-9-I-3 MD-10-A-2 MD-10-A-4"),
    ("maryland", "war_lost", (-2, 10), "MD-9-I-1"),
]


@pytest.mark.parametrize(
    ("book", "name", "expected_nets"),
    [pytest.param(*row[:3], marks=proves("sim", *row[3].split())) for row in PAYS],
)
def test_what_a_class_pays(book: str, name: str, expected_nets: tuple[Any, ...]) -> None:
    """Each counted class is paid as its document says, per unit of primary and tie wager."""
    assert nets(book, name) == list(expected_nets)


@pytest.mark.parametrize(
    "book",
    [
        pytest.param("california", marks=proves("sim", "CA-def-tiewager")),
        pytest.param("online", marks=proves("sim", "ON-war-tiebet", "ON-war-eval-tiebet")),
        pytest.param("maryland", marks=proves("sim", "MD-7-F-2")),
    ],
)
def test_war_tie_wager(book: str) -> None:
    """A tie wager with the war wager pays 10 to 1 on the war deal and loses otherwise."""
    pays = [nets(book, name, ("war_tie",)) for name in ("war_tied", "war_won", "war_lost")]
    assert pays == [[10], [-1], [-1]]


@pytest.mark.parametrize(
    ("name", "net"),
    [
        pytest.param("suited_war_tied_identical", 3000, marks=proves("sim", "MD-10-B-1")),
        pytest.param("suited_war_tied_suited", 200, marks=proves("sim", "MD-10-B-2")),
        pytest.param("war_tied_suited_four", 150, marks=proves("sim", "MD-10-B-3")),
        pytest.param("suited_war_tied", 30, marks=proves("sim", "MD-10-B-4")),
        pytest.param("suited_war_lost", 15, marks=proves("sim", "MD-10-B-5", "MD-9-J-4d")),
        pytest.param("war_won", 5, marks=proves("sim", "MD-10-B-6", "MD-7-F-3", "MD-10-B")),
        pytest.param("surrendered", 5),
        pytest.param("won", -1),
    ],
)
def test_progressive_lines(name: str, net: int) -> None:
    """The highest line of the four cards pays; the top one the meter (10,000.00) too."""
    assert nets("maryland", name, ("progressive",)) == [net]


@proves("sim", "MD-10-C-2", "MD-10-D-4", "MD-9-J-4e", "MD-9-J-4e-i", "MD-9-J-4e-ii")
@proves("sim", "MD-9-J-4e-iii", "MD-10-C-3a", "MD-10-C-3c-i")
def test_two_winners_of_the_meter() -> None:
    """The first winner of a round empties the meter, the second gets the reset; envy to others."""
    cashier = cashier_of("maryland", boxes=3, meter=5_000_000)
    winners = ("suited_war_tied_identical",) * 2 + ("war_lost",)
    paid = cashier.round(winners)["progressive"]
    lines = 2 * (1000 * 500) + 5_000_000 + 1_000_000 + 5 * 500
    # Each winner has envy from the other one, the third box from both.
    assert paid == WagerMoney(1500, lines + 4 * 500_000)
    one_dollar = cashier_of("maryland", boxes=2, side=100)
    envied = one_dollar.round(("lost", "suited_war_tied_identical"))["progressive"]
    assert envied == WagerMoney(200, -100 + 1000 * 100 + 1_000_000 + 100_000)


def test_exact_edge_counts_envy() -> None:
    """The exact progressive edge of three boxes has the envy of the two other players in it."""
    one, three = (
        expected.edges(setup, job_of(setup, 1))["progressive"].edge
        for setup in (set_up(load_any("maryland"), WAR, boxes=boxes) for boxes in (1, 3))
    )
    identical = Fraction(52 * 6 * 5 * 4 * 3, 312 * 311 * 310 * 309)
    assert one - three == 2 * identical * 1000


@proves("sim", "MD-10-C-1", "MD-10-D-3a")
def test_meter_is_a_setting() -> None:
    """What a meter shows, which its rate of progression decides, changes what its winner gets."""
    rules = load_any("maryland").rules
    assert rules.wagers.progressive is not None
    assert rules.wagers.bonus_spin is not None
    for meter in (rules.wagers.progressive.meter, *rules.wagers.bonus_spin.meters.values()):
        assert 0 < meter.contribution.over < meter.contribution.under
    low, high = (
        cashier_of("maryland", meter=meter).hand("suited_war_tied_identical")["progressive"].net
        for meter in (1_000_000, 1_000_700)
    )
    assert high - low == 700
    with pytest.raises(ValueError, match="The meter must be at least 1000000 cents"):
        cashier_of("maryland", meter=999_999)


@proves("sim", "MD-7-F-4", "MD-10-D", "MD-10-D-1a", "MD-10-D-1b", "MD-10-D-2", "MD-10-D-5a")
@proves("sim", "MD-10-E")
def test_wheel() -> None:
    """The wheel's hot spot pays one box and its community symbol every other, by their stakes."""
    three = cashier_of("maryland", boxes=3)
    assert three.spin("$1,000", "$100") == WagerMoney(1500, 100_000 + 2 * 12_500 - 1500)
    assert three.spin("none", "$25") == WagerMoney(1500, 3 * 2_500 - 1500)
    assert three.spin("jackpot_primary", "$25") == WagerMoney(1500, 1_000_000 + 2 * 2_500 - 1500)
    assert three.spin("jackpot_secondary", "$25") == WagerMoney(1500, 500_000 + 2 * 2_500 - 1500)
    dollar = cashier_of("maryland", side=100)
    assert dollar.spin("none", "$100") == WagerMoney(100, 2_500 - 100)
    with pytest.raises(SetupError, match="may be 100, 500 cents, not 200"):
        cashier_of("maryland", side=200)


@proves("sim", "MD-7-F-4", "MD-10-D-2")
def test_wheel_is_started_by_the_designated_card() -> None:
    """One round in 26 is started by the dealer's red seven, and the wheel keeps its weights."""
    setup = set_up(load_any("maryland"), WAR, shuffle="every_round")
    job = job_of(setup, 5)
    tally = count_chunk(job, 0, 1_000_000)
    spins = sum(tally.spins.values())
    assert abs(spins - 1_000_000 / 26) < 5 * (1_000_000 / 26) ** 0.5
    weights = [hot * near for hot in job.hot_spots for near in job.community]
    statistic = sum(
        (tally.spins[stop] - spins * weight / sum(weights)) ** 2 / (spins * weight / sum(weights))
        for stop, weight in enumerate(weights)
        if spins * weight / sum(weights) >= 5
    )
    cells = sum(spins * weight / sum(weights) >= 5 for weight in weights)
    assert statistic < cells + 5 * (2 * cells) ** 0.5


@pytest.mark.parametrize(
    ("book", "options", "taken"),
    [
        pytest.param(
            "california", {}, 7, marks=proves("sim", "CA-std-6", "CA-round-6a", "CA-std-7")
        ),
        pytest.param("california", {"war_burn": "before_dealer"}, 10),
        pytest.param("maryland", {}, 7, marks=proves("sim", "MD-9-H", "MD-9-H-2")),
        pytest.param("maryland", {"war_burn": "each_card"}, 10),
        pytest.param(
            "washington",
            {},
            10,
            marks=proves("sim", "WA-4c-ii-1-player", "WA-4c-ii-1-dealer"),
        ),
        pytest.param("online", {}, 7, marks=proves("sim", "ON-war-burn", "ON-war-deal")),
    ],
)
def test_burns_of_the_war_deal(book: str, options: dict[str, str], taken: int) -> None:
    """A war of one box takes two cards, three burns before them, and the book's further ones."""
    setup = set_up(with_options(load_any(book), options), WAR, shuffle="shoe", wagers=("primary",))
    job = job_of(setup, 3)
    shoes = Shoes(job, 0, suits=False)
    deck = Deck(shoes.eight()[0], job.start, burned=True)
    lengths = Counter[int]()
    while deck.at <= job.cover:
        before = deck.at
        engine_round(setup, opened(setup), deck, 0, None)
        lengths[deck.at - before] += 1
    assert set(lengths) == {2, taken}
    check_parity(setup, 120, 400)


@pytest.mark.parametrize(
    "boxes",
    [
        pytest.param(7, marks=proves("sim", "CA-deal-5", "CA-deal-5b", "CA-round-6c")),
        pytest.param(2),
    ],
)
@pytest.mark.parametrize("war_burn", ["once", "before_dealer", "each_card"])
def test_order_of_the_deal(boxes: int, war_burn: str) -> None:
    """Boxes get their cards from the dealer's left, the dealer last, in both deals, box by box."""
    book = with_options(load_any("california"), {"war_burn": war_burn})
    setup = set_up(book, WAR, boxes=boxes, shuffle="shoe", bank=10**9)
    assert job_of(setup, 1).ordered
    check_parity(setup, 60, 100)


@pytest.mark.parametrize(
    ("book", "boxes"),
    [
        pytest.param("washington", 3, marks=proves("sim", "WA-3")),
        pytest.param("maryland", 3, marks=proves("sim", "MD-8-F")),
        pytest.param("online", 3, marks=proves("sim", "ON-overview-3")),
    ],
)
def test_one_dealers_card_for_all_boxes(book: str, boxes: int) -> None:
    """All boxes are compared with one dealer's card, dealt after theirs."""
    check_parity(set_up(load_any(book), WAR, boxes=boxes, shuffle="shoe"), 60, 100)
    setup = set_up(load_any(book), WAR, boxes=boxes, wagers=("primary",), shuffle="every_round")
    exact = expected.classes(setup, job_of(setup, 1))
    assert exact is not None
    # Two boxes against one card move together: all three win far more often than 0.463 cubed.
    assert exact["won",] if boxes == 1 else exact[("won",) * 3] > Fraction(2, 10)
    tally = count_chunk(job_of(setup, 1), 0, 200_000)
    assert abs(tally.keys[3] / 200_000 - float(exact[("won",) * 3])) < 0.005


@pytest.mark.parametrize(
    "book",
    [
        pytest.param("california", marks=proves("sim", "CA-deal-1a", "CA-deal-3")),
        pytest.param("maryland", marks=proves("sim", "MD-5-H-1", "MD-8-E-1", "MD-8-G")),
    ],
)
def test_cover_card(book: str) -> None:
    """A shoe starts with a burn; the round that meets the cover card is finished, then it ends."""
    setup = set_up(load_any(book), WAR, shuffle="shoe", wagers=("primary",))
    job = job_of(setup, 8)
    assert (job.start, job.cover) == (1, 234)
    shoes = Shoes(job, 0, suits=False)
    lasts, rounds = [], 0
    for cards in shoes.eight():
        deck = Deck(cards, job.start, burned=True)
        while deck.at <= job.cover:
            before = deck.at
            engine_round(setup, opened(setup), deck, 0, None)
            rounds += 1
        lasts.append((before, deck.at))
    assert all(before <= 234 < after for before, after in lasts)
    # The ninth shoe begins exactly with the round after these.
    assert count_chunk(job, 0, rounds).shoes == 8
    assert count_chunk(job, 0, rounds + 1).shoes == 9


@proves("sim", "MD-5-F-2")
def test_penetration() -> None:
    """At most three quarters of a shoe are dealt before the cover card."""
    book = load_any("maryland")
    assert set_up(book, WAR, penetration=Fraction(1, 2)).cover == 156
    assert set_up(book, WAR, penetration=Fraction(3, 4)).cover == 234
    with pytest.raises(SetupError, match="at most 75% of a shoe"):
        set_up(book, WAR, penetration=Fraction(4, 5))


@pytest.mark.parametrize(
    ("book", "shuffle"),
    [
        pytest.param("online", "every_round", marks=proves("sim", "ON-overview-2")),
        pytest.param("maryland", "every_round", marks=proves("sim", "MD-5-A-2")),
        pytest.param("maryland", "continuous", marks=proves("sim", "MD-5-J", "MD-5-K")),
        pytest.param("new-zealand", "continuous", marks=proves("sim", "NZ-3.5-2", "NZ-3.4e")),
    ],
)
def test_all_cards_every_round(book: str, shuffle: Shuffle) -> None:
    """Every round is dealt from all cards: no first burn, no cover card, nothing carried over."""
    setup = set_up(load_any(book), WAR, shuffle=shuffle, boxes=2)
    job = job_of(setup, 2)
    assert (job.start, job.cover, setup.cover) == (0, 0, None)
    assert count_chunk(job, 0, 1000).shoes == 1000
    assert not [note for note in notes(setup) if "not shuffled" in note]
    with pytest.raises(SetupError, match="no cover card"):
        set_up(load_any(book), WAR, shuffle=shuffle, penetration=Fraction(1, 2))
    check_parity(setup, 30, 50)


@proves("sim", "CA-decks-3", "CA-decks-3a", "CA-decks-3d", "MD-3-B", "MD-3-B-1", "MD-3-B-4")
def test_batches() -> None:
    """Two batches of equal decks take turns by the shoe; the shoe in play is one of them."""
    for book, allowed in (("california", 6), ("maryland", 8)):
        setup = set_up(load_any(book), WAR, decks=allowed, shuffle="batches", wagers=("primary",))
        job = job_of(setup, 4)
        found = report(setup, job, AskedPayments(setup, False), run(job, 20_001, 1)).document
        assert sum(found["shoes"]["batches"]) == found["shoes"]["count"]
        assert found["shoes"]["batches"][0] - found["shoes"]["batches"][1] in (0, 1)
        assert f"Two batches of {allowed} decks, {2 * allowed} in all" in found["notes"][0]
        assert len(found["notes"]) == 1
    five = set_up(load_any("california"), WAR, decks=5)
    assert "allows 6, 7, 8, 9, 10, 11, 12 decks, not 5" in next(notes(five))


@pytest.mark.parametrize(
    ("book", "decks"),
    [
        pytest.param("new-zealand", 4, marks=proves("sim", "NZ-3.4a")),
        pytest.param("new-zealand", 8, marks=proves("sim", "NZ-3.4a")),
        pytest.param("maryland", 6, marks=proves("sim", "MD-3-A", "CA-decks-2", "ON-overview-1")),
        pytest.param("maryland", 8, marks=proves("sim", "MD-3-A")),
    ],
)
def test_decks(book: str, decks: int) -> None:
    """The shoe holds so many times 52 different cards, and the exact odds follow the number."""
    setup = set_up(load_any(book), WAR, decks=decks, shuffle="shoe")
    assert not list(notes(setup))
    job = job_of(setup, 6)
    for cards in Shoes(job, 0, suits=True).eight():
        assert Counter(cards) == dict.fromkeys(DECK, decks)
    check_parity(setup, 40, 100)
    tie = expected.edges(setup, job)["tie"].edge
    assert tie == 1 - Fraction(11 * (4 * decks - 1), 52 * decks - 1)


@proves("sim", "ON-overview-6")
def test_online_has_three_hands() -> None:
    """One player has one to three hands; a fourth is refused."""
    setup = set_up(load_any("online"), WAR, boxes=3)
    assert {hand.player for hand in opened(setup).hands} == {"player"}
    with pytest.raises(SetupError, match="online has 1 to 3 boxes, not 4"):
        set_up(load_any("online"), WAR, boxes=4)


@proves("sim", "NZ-5.1b")
def test_tie_wager_alone() -> None:
    """A tie wager alone is dealt a card and has no war."""
    setup = set_up(load_any("new-zealand"), WAR, wagers=("tie",), bet=1000)
    assert setup.plan.primary == 0
    job = job_of(setup, 1)
    tally = count_chunk(job, 0, 10_000)
    found = {hands_of(key, 1) for key, count in tally.keys.items() if count}
    assert found == {("won",), ("lost",), ("surrendered",)}
    cashier = AskedPayments(setup, False)
    assert cashier.hand("surrendered") == {"tie": WagerMoney(1000, 10_000)}
    assert cashier.hand("won") == {"tie": WagerMoney(1000, -1000)}
    with_primary = set_up(load_any("washington"), WAR, wagers=("tie",), bet=1000)
    assert with_primary.plan.primary == 1000


@proves("sim", "CA-betting-5a", "CA-betting-5b", "CA-round-9a", "CA-round-9b", "CA-round-9d")
@proves("sim", "CA-round-3b-2")
def test_posted_bank() -> None:
    """A short bank covers box by box, gives the rest back, and loses no more than it posted."""
    setup = set_up(
        load_any("california"), WAR, boxes=3, bet=1000, wagers=("primary", "tie"), bank=11_500
    )
    job = job_of(setup, 3)
    cashier = AskedPayments(setup, job.ordered)
    # Box 1 has 10.00 and ten times 10.00 for the tie wager, box 2 half of its primary, box 3 none.
    assert job.boxes == 2
    assert cashier.round(("won", "won"))["primary"] == WagerMoney(1500, 1500)
    assert cashier.round(("lost", "war_lost")) == {
        "primary": WagerMoney(1500, -2000),
        "tie": WagerMoney(1000, -1000),
    }
    for first in ("won", "war_tied"):
        nets_of = cashier.round((first, "war_tied"))
        matches = 1000 * (first == "war_tied") + 500
        assert sum(paid.net for paid in nets_of.values()) <= 11_500 + matches
    stackless = set_up(
        load_any("california"), WAR, boxes=2, bet=1000, wagers=("primary",), bank_stack=1500
    )
    asked = AskedPayments(stackless, True)
    assert asked.round(("war_won", "war_won")) == {"primary": WagerMoney(2000, 1500)}
    assert asked.round(("war_lost", "war_lost")) == {"primary": WagerMoney(2000, -3000)}
    found = report(setup, job, cashier, run(job, 300_000, 1)).document
    assert abs(found["banker"]["z"]) < 4
    assert abs(found["wagers"]["primary"]["z"]) < 4
    assert found["wagers"]["primary"]["wagered"] == 1500 * 300_000


@proves("sim", "MD-9-L", "MD-9-L-1", "MD-9-L-2")
@pytest.mark.parametrize("count", ["3", "5", "7"])
def test_community_cards(count: str) -> None:
    """In the electronic version 3, 5 or 7 community cards are hands against one dealer's card."""
    book = with_options(load_any("maryland"), {"electronic": count})
    setup = set_up(book, WAR, shuffle="shoe")
    assert setup.boxes == int(count)
    check_parity(setup, 20, 40)
    with pytest.raises(SetupError, match="community cards"):
        set_up(book, WAR, boxes=2)


@proves("sim", "MD-11-A")
def test_cards_found_face_up() -> None:
    """A card found face up is set aside and the next takes its place: the odds stay as they are."""
    setup = set_up(
        load_any("maryland"), WAR, boxes=2, faced_up=Fraction(1, 50), wagers=("primary", "tie")
    )
    job = job_of(setup, 12)
    plain = job_of(set_up(load_any("maryland"), WAR, boxes=2, wagers=("primary", "tie")), 12)
    counted = run(job, 400_000, 1)
    found = report(setup, job, AskedPayments(setup, False), counted)
    assert found.agrees
    # One card in fifty is gone, so a shoe gives one round in fifty less.
    each = counted.tally.rounds / counted.tally.shoes
    without = 400_000 / count_chunk(plain, 0, 400_000).shoes
    assert 0.965 < each / without < 0.995
    check_parity(setup, 120, 400)


@proves("sim", "MD-5-A")
def test_shuffle_is_uniform() -> None:
    """Every card is equally likely at every place of a shuffled shoe."""
    setup = set_up(load_any("maryland"), WAR, decks=1, boxes=1, wagers=("primary",))
    job = job_of(setup, 21)
    shoes = Shoes(job, 0, suits=True)
    places: list[Counter[str]] = [Counter() for _ in range(40)]
    drawn = 0
    for _ in range(400):
        for cards in shoes.eight():
            drawn += 1
            for place in range(40):
                places[place][cards[place]] += 1
    mean = drawn / 52
    statistic = sum((found[card] - mean) ** 2 / mean for found in places for card in DECK)
    freedom = 40 * 51
    assert abs(statistic - freedom) < 5 * (2 * freedom) ** 0.5
    check_parity(setup, 60, 300)


@proves("sim", "WA-pay-edge", "WA-pay-tie-edge")
def test_published_edges() -> None:
    """Six decks, always war: the simulation gives the 2.33 % and 18.65 % that are printed."""
    setup = set_up(load_any("washington"), WAR, shuffle="every_round")
    job = job_of(setup, 1)
    found = report(setup, job, AskedPayments(setup, False), run(job, 400_000_000, 2)).document
    primary, tie = found["wagers"]["primary"], found["wagers"]["tie"]
    assert primary["exact_fraction"] == "23138/993023"
    assert tie["exact_fraction"] == "58/311"
    assert abs(primary["edge"] - 0.0233) < 0.0003
    assert abs(tie["edge"] - 0.1865) < 0.0008
    assert setup.rules.edges is not None
    assert setup.rules.edges.primary == f"{primary['exact']:.2%}"
    assert setup.rules.edges.tie == f"{tie['exact']:.2%}"


def test_engine_rounds_repeat() -> None:
    """The twin gives the same rounds for the same seed and chunk, and others for another chunk."""

    def first(setup: SimulationSetup, chunk: int) -> Iterator[Any]:
        return islice(engine_rounds(setup, job_of(setup, 7), chunk), 20)

    setup = set_up(load_any("online"), WAR, boxes=2)
    assert list(first(setup, 3)) == list(first(setup, 3))
    assert list(first(setup, 3)) != list(first(setup, 4))
