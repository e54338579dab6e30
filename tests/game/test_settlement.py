"""Payments at their edges, where a small change of the code once went unnoticed."""

import pytest
from msgspec.structs import replace

from clauses import proves
from rounds import Game, book, entry, limited, play
from wartable.cards import RANKS
from wartable.game import (
    Deal,
    Decline,
    EnvyPaid,
    Illegal,
    Matched,
    ReadMeter,
    Returned,
    Spin,
    VoidBox,
    awaits,
    decide,
    step,
)
from wartable.game.amounts import Amounts
from wartable.game.messages import Choice
from wartable.game.state import Wager
from wartable.game.wagers import SIDE_BETS, WAGER, WAGERS
from wartable.game.wagers.progressive import cards_of, progressive_line
from wartable.game.wagers.shape import WagerType
from wartable.game.wagers.wheel import betting_boxes, spinning_boxes, started_by
from wartable.rules.load import option_values
from wartable.rules.model import Ratio, WagerKind

pytestmark = pytest.mark.finding(19)


@proves("engine", "MD-2-B-5b")
def test_a_side_bets_win_takes_nothing_from_the_payout_limit() -> None:
    """The wheel has paid $20 net, and the war still pays its $10 within a limit of $15."""
    rules = limited(book("maryland"), payout_max=1_500)
    hand = entry("ann", 1, "7d 9s", primary=1_000, bonus_spin=500)
    won = play(rules, hand, "7h 2c", wheel={"hot_spot_box": None, "community": "$25"})
    assert won.net("ann", "bonus_spin") == 2_000
    assert won.main("ann") == 1_000


@proves("engine", "CA-rank-1a")
def test_every_two_ranks() -> None:
    """Of two ranks the higher wins, also by one; equal ones tie; the ace is the highest."""
    for place, mine in enumerate(RANKS):
        for other, theirs in enumerate(RANKS):
            game = Game("california").bet("ann", 1, primary=100).close()
            game.deal(f"{mine}s {theirs}d")
            outcome = "won" if place > other else "lost" if place < other else ""
            assert (game.outcome("ann", "primary"), mine, theirs) == (outcome, mine, theirs)


def test_an_outcome_names_the_option_that_decides_what_it_pays() -> None:
    """A war's payment, a line's odds and a community stop are readings; other payments are not."""
    expected: dict[tuple[WagerKind, str], str | None] = {
        ("primary", "war_won"): "war_pays",
        ("primary", "war_tied"): "war_pays",
        ("primary", "won"): None,
        ("primary", "war_lost"): None,
        ("war", "war_won"): "war_pays",
        ("war", "war_tied"): "war_pays",
        ("war", "war_lost"): None,
        ("progressive", "tie"): "progressive_odds",
        ("progressive", "suited_four_of_a_kind"): "progressive_odds",
        ("progressive", "lost"): None,
        ("bonus_spin", "community"): "community_pays",
        ("bonus_spin", "hot_spot"): None,
        ("tie", "won"): None,
    }
    for (kind, outcome), option in expected.items():
        assert (WAGER[kind].paying_option(outcome), kind, outcome) == (option, kind, outcome)


def test_which_cards_reach_others() -> None:
    """The meter's line and the envy's concern the other players, whichever lines they are."""
    rules = book("maryland")
    offer, progressive = rules.wagers.progressive, WAGER["progressive"]
    assert offer is not None
    four, pair, tie = ("7h",) * 4, ("7h", "7h", "2c", "3c"), ("7h", "7d", "2c", "3c")
    assert [progressive.reaches_others(rules, cards) for cards in (four, pair, tie)] == [
        True, False, False,
    ]  # fmt: skip  # side by side with the cards
    envious = replace(offer, envy=replace(offer.envy, line="suited_tie"))
    other = replace(rules, wagers=replace(rules.wagers, progressive=envious))
    assert [progressive.reaches_others(other, cards) for cards in (four, pair, tie)] == [
        True, True, False,
    ]  # fmt: skip  # side by side with the cards
    assert not progressive.reaches_others(book("washington"), four)


def test_the_first_card_counts_for_a_suited_four() -> None:
    """Three equal cards with one of another suit are four of a kind, whichever card it is."""
    rules = book("maryland")
    assert progressive_line(rules, ("7h", "7h", "7h", "7h")) == "suited_four_of_a_kind"
    for place in range(4):
        cards = tuple("7d" if at == place else "7h" for at in range(4))
        assert progressive_line(rules, (cards[0], cards[1], cards[2], cards[3])) == "four_of_a_kind"


def test_a_tie_that_is_no_line_loses() -> None:
    """In a book of one's own without a line for a plain tie, it loses, surrendered or at war."""
    rules = book("maryland")
    offer = rules.wagers.progressive
    assert offer is not None
    lines = {line: odds for line, odds in offer.lines.items() if line != "tie"}
    other = replace(offer, lines=lines)
    rules = replace(rules, wagers=replace(rules.wagers, progressive=other))
    choices: tuple[Choice, ...] = ("surrender", "war")
    for choice in choices:
        hand = entry("ann", 1, "7d 9s", choice=choice, primary=1_000, progressive=500)
        assert play(rules, hand, "7h 2c").outcome("ann", "progressive") == "lost"


def test_a_decline_without_a_claim() -> None:
    """Where everybody may bet on the tie, and without a primary wager, nothing can be declined."""
    for name in ("washington", "new-zealand"):
        assert Game(name).refuses(Decline("ann", 1)) == "nothing_to_decline"


def test_the_trigger_card_in_words() -> None:
    """A trigger is named as people name the card, a court card by its word."""
    words = {"2": "2", "9": "9", "T": "10", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}
    rules = book("maryland")
    spin = rules.wagers.bonus_spin
    assert spin is not None
    for rank, word in words.items():
        other = replace(spin, trigger=replace(spin.trigger, rank=rank, color="red"))
        turned = replace(rules, wagers=replace(rules.wagers, bonus_spin=other))
        sentence = f"The wheel turns when the dealer's first card is a red {word}"
        assert started_by(turned) == sentence


def test_a_spent_bank_pays_not_one_cent() -> None:
    """The first box took all that was posted, so a win of one cent comes back uncovered."""
    rules = book("california", bank_cover="running")
    entries = [entry("ann", 1, "Ks", primary=1_000), entry("bob", 2, "Ks", primary=1)]
    game = play(rules, entries, "9d", bank=1_000)
    assert (game.net("ann"), game.net("bob"), game.banker) == (1_000, 0, -1_000)
    assert game.outcome("bob", "primary", 2) == "uncovered"


def test_a_win_that_the_payout_limit_takes_is_still_a_win() -> None:
    """The tie took limit and bank together; the primary then won nothing, and was covered."""
    rules = book("california", bank_cover="running", war_pays="each_wager")
    hand = entry("ann", 1, "9s Ks", primary=1_000, tie=100)
    game = play(limited(rules, payout_max=1_000), hand, "9d 8d", bank=1_000)
    assert (game.net("ann", "tie"), game.main("ann")) == (1_000, 0)
    assert game.outcome("ann", "primary") == "war_won"


def test_a_win_of_one_cent_at_war_does_not_spend_the_bank() -> None:
    """A war won for one cent is paid by its match, and the posted cent pays the next box."""
    rules = book("california", bank_cover="running")
    entries = [entry("ann", 1, "9s Ks", primary=1), entry("bob", 2, "9h 8h", primary=1)]
    game = play(rules, entries, "9d 8d", bank=1)
    assert (game.main("ann"), game.main("bob")) == (1, 2)


@pytest.mark.parametrize("cover", ["running", "payoffs_only"])
def test_a_bank_of_unknown_size_pays_in_full(cover: str) -> None:
    """Where nobody says what was posted, every wager is covered."""
    entries = [entry("ann", 1, "Ks", primary=1_000), entry("bob", 2, "As", primary=500)]
    game = play(book("california", bank_cover=cover), entries, "9d")
    assert (game.net("ann"), game.net("bob")) == (1_000, 500)


def test_a_lost_side_bet_does_not_fill_a_players_bank() -> None:
    """The bank grows by the lost primary wager alone; what the device took is not the banker's."""
    rules = book("california", bank_cover="running")
    wagers = replace(rules.wagers, progressive=book("maryland").wagers.progressive)
    entries = [
        entry("ann", 1, "2s", primary=200, progressive=500),
        entry("bob", 2, "Ks", primary=2_000),
    ]
    game = play(replace(rules, wagers=wagers), entries, "9d", bank=1_000)
    assert game.net("ann", "progressive") == -500
    assert game.net("bob") == 1_000 + 200


def test_a_wager_is_covered_as_far_as_its_win_can_be_paid() -> None:
    """At 3 to 2 a win of $1.01 is $1.51: a bank of that covers all of it, and of $1.50 $1."""
    rules = book("california")
    wagers = replace(rules.wagers, primary=replace(rules.wagers.primary, pays=Ratio(3, 2)))
    for bank, covered in ((151, 101), (150, 100)):
        game = Game(replace(rules, wagers=wagers), bank=bank).bet("ann", 1, primary=101).close()
        assert sum(event.amount for event in game.of(Returned)) == 101 - covered
        assert game.deal("Ks 9d").net("ann") == bank


def test_the_house_matches_only_where_its_book_says_so() -> None:
    """New Zealand's house puts nothing beside a war wager, Washington's as much again."""
    for name, matched in (("new-zealand", []), ("washington", [1_000])):
        game = play(name, entry("ann", 1, "9s Ks", primary=1_000), "9d 8d")
        assert [event.amount for event in game.of(Matched)] == matched
        assert awaits(game.rules, game.state) == ()


@pytest.mark.parametrize("half", option_values("odd_half"))
def test_half_of_an_even_wager_is_half(half: str) -> None:
    """Only an odd cent is rounded; $10 surrenders $5 under every reading."""
    hand = entry("ann", 1, "9s", choice="surrender", primary=1_000)
    assert play(book("online", odd_half=half), hand, "9d").net("ann") == -500


MADE = [
    ("9s 9s 9s 9s", "suited_four_of_a_kind"),
    ("9s 9d 9s 9s", "four_of_a_kind"),
    ("9s 9s 9s 9d", "four_of_a_kind"),
    ("9s 9s Ks Ks", "suited_double_tie"),
    ("9s 9s Ks Kd", "double_tie"),
    ("9s 9d Ks Ks", "double_tie"),
    ("9s 9s Ks Qs", "suited_tie"),
    ("9s 9d Ks Qs", "tie"),
    ("9s 9d Ks 9s", "tie"),
    ("9s 9s", "suited_tie"),
    ("9s 9d", "tie"),
    ("9s 9d 9c", "tie"),
    ("9s Ks", None),
    ("9s Ks 9s 9s", None),
]
"""The line that the player's and the dealer's cards make, of the original deal and of the war."""


@pytest.mark.parametrize(("text", "line"), MADE)
def test_the_progressives_lines(text: str, line: str | None) -> None:
    """Each line needs all its cards; a war's third card alone makes none."""
    first, second, *war = text.split()
    third, fourth = (*war, None, None)[:2]
    assert progressive_line(book("maryland"), (first, second, third, fourth)) == line
    assert progressive_line(book("online"), (first, second, third, fourth)) is None


@pytest.mark.parametrize("suited", option_values("progressive_suited"))
def test_the_progressives_suits(suited: str) -> None:
    """Two suited pairs of different suits are a suited double tie only pair by pair."""
    line = progressive_line(book("maryland", progressive_suited=suited), ("9s", "9s", "Kd", "Kd"))
    assert line == ("suited_double_tie" if suited == "pairwise" else "double_tie")


def test_the_cards_of_a_hand() -> None:
    """A hand that went to war has its war cards as far as they are dealt, another one none."""
    game = Game("maryland").bet("ann", 1, primary=1_000).bet("bob", 2, primary=1_000).close()
    game.deal("9s 9h 9d").choose("ann", 1, "war").choose("bob", 2, "surrender")
    for war, cards in (("", (None, None)), ("Ks", ("Ks", None)), ("Qd", ("Ks", "Qd"))):
        ann, bob = game.deal(war).state.hands
        assert cards_of(game.state, ann) == ("9s", "9d", *cards)
        assert cards_of(game.state, bob) == ("9h", "9d", None, None)


@proves("engine", "MD-9-J-4e-i")
def test_MD_9_J_4e_i_a_box_that_was_missed_envies_nobody() -> None:
    """A progressive that went back because its box got no card earns no envy bonus."""
    game = Game("maryland")
    for player, box in (("ann", 1), ("bob", 2), ("cat", 3)):
        game.bet(player, box, primary=1_000, progressive=500)
    game.close().do(VoidBox(2))
    game.deal("9s Ks 9s").choose("ann", 1, "war").deal("9s 9s")
    game.do(ReadMeter("progressive", 1_000_000))
    assert [(each.player, each.amount) for each in game.of(EnvyPaid)] == [("cat", 500_000)]


def test_the_wheel_turns_for_the_boxes_that_bet_on_it() -> None:
    """Box 3 alone has the bonus spin: before the trigger nothing turns, and then its wheel."""
    game = Game("maryland").bet("ann", 2, primary=1_000)
    game.bet("bob", 3, primary=1_000, bonus_spin=500).close().deal("2s 3s")
    assert spinning_boxes(game.rules, game.state) == ()
    for trigger, boxes in (("7s", ()), ("7h", (3,))):
        state, _ = step(game.rules, game.state, Deal(trigger))
        assert spinning_boxes(game.rules, state) == boxes
        assert betting_boxes(state) == {3}
    game.deal("7h")
    assert game.refuses(Spin(2, "$200", "$25")) == "hot_spot_box"
    assert game.refuses(Spin(3, "none", "$25")) == "hot_spot"
    for community in ("$7", None):
        assert game.refuses(Spin(None, None, community)) == "community"
    assert decide(game.rules, game.state, Spin(None, "none", "$25"))
    game.do(Spin(3, "$200"))
    assert game.outcome("bob", "bonus_spin", 3) == "hot_spot"
    assert game.net("bob", "bonus_spin") == 20_000 - 500
    assert spinning_boxes(game.rules, game.state) == ()
    assert spinning_boxes(book("online"), game.state) == ()


def test_what_turns_the_wheel_in_words() -> None:
    """The trigger card is named with the book's word for the dealer, or else with ours."""
    rules = book("maryland")
    for labels, dealer in (({"dealer": "croupier"}, "croupier"), ({}, "dealer")):
        sentence = started_by(replace(rules, labels=labels))
        assert sentence == f"The wheel turns when the {dealer}'s first card is a red 7"
    assert started_by(book("online")) == ""


def test_what_kinds_of_wagers_there_are() -> None:
    """Which wagers a choice changes, which have sizes or lines, and which reach other boxes."""
    rules = book("maryland")
    four = ("9s", "9s", "9s", "9s")
    assert {each.kind for each in WAGERS if each.by_choice} == {"primary", "progressive"}
    assert {each.kind for each in WAGERS if each.denominations(rules)} == {
        "progressive",
        "bonus_spin",
    }
    assert WAGER["primary"].denominations(rules) == ()
    assert WAGER["primary"].lines(rules) == ()
    assert [each.kind for each in WAGERS if each.lines(rules)] == ["progressive"]
    assert [each.kind for each in WAGERS if each.reaches_others(rules, four)] == ["progressive"]
    assert not WAGER["progressive"].reaches_others(rules, ("9s", "9s", "9s", "9d"))
    for side_bet in SIDE_BETS:
        assert side_bet.offer(rules) is getattr(rules.wagers, side_bet.kind)
        assert side_bet.offer(book("online")) is None
    game = Game("maryland").bet("ann", 1, primary=1_000)
    with pytest.raises(NotImplementedError):
        WagerType().verdict(rules, game.state, game.state.hands[0], Wager("tie", 5), "original")
    with pytest.raises(NotImplementedError):
        WagerType().pay_lines(rules)


@pytest.mark.parametrize(
    ("amounts", "most", "left"),
    [
        (Amounts(only=(100, 500)), 500, Amounts(only=(100, 500))),
        (Amounts(only=(100, 500)), 499, Amounts(only=(100,))),
        (Amounts(only=(100, 500)), 99, None),
        (Amounts(10, 50, 2), 31, Amounts(10, 30, 2)),
        (Amounts(10, 50, 2), 90, Amounts(10, 50, 2)),
        (Amounts(10, 50, 2), 10, Amounts(10, 10, 2)),
        (Amounts(10, 50, 2), 9, None),
    ],
)
def test_amounts_up_to_what_is_there(amounts: Amounts, most: int, left: Amounts | None) -> None:
    """A stack leaves the amounts that it can pay."""
    assert amounts.up_to(most) == left


@pytest.mark.parametrize(
    ("amount", "code"),
    [(9, "limit"), (10, ""), (11, "odd_amount"), (49, "odd_amount"), (50, ""), (51, "limit")],
)
def test_an_amount_is_refused_by_what_is_wrong_with_it(amount: int, code: str) -> None:
    """Below and above it is a matter of limits, between them of the step."""
    for amounts in (Amounts(10, 50, 2), Amounts(11, 49, 2)):
        odd = amounts.min % 2
        expected = "limit" if odd and amount in (10, 50) else code
        if expected:
            with pytest.raises(Illegal) as refused:
                amounts.check("tie wager", amount)
            assert refused.value.code == expected
        else:
            amounts.check("tie wager", amount)
