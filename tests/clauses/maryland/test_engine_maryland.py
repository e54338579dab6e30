"""Maryland's clauses on the engine: progressive, envy, bonus spin and irregularities too."""

import pytest

from clauses import proves
from rounds import Game, book, entry, limited, play
from wartable.cards import DECK
from wartable.game import (
    Bet,
    BetsClosed,
    BoxVoided,
    Burn,
    Burned,
    Choose,
    CloseBets,
    Deal,
    Dealt,
    DueBurn,
    DueCard,
    DueChoice,
    DueMeter,
    DueWheel,
    EnvyPaid,
    Leave,
    MeterRead,
    Placed,
    ReadMeter,
    Settled,
    Spin,
    VoidBox,
    VoidRound,
    Withdraw,
)
from wartable.game.messages import MeterName

MD = "maryland"
FOUR = "9s 9s"


def one(cards: str, dealer: str, war_tie: int = 0) -> Game:
    """One box with an Initial Wager of 1000 and a Tie Wager of 60, to War on a tie."""
    return play(MD, entry("Ann", 1, cards, primary=1000, tie=60, war_tie=war_tie), dealer)


def tied(**wagers: int) -> Game:
    """A box that ties."""
    return Game(MD).bet("Ann", 1, **wagers).close().deal("9s 9d")


def progressive(cards: str, dealer: str, stake: int = 500) -> int:
    """The net of a progressive wager on a box that goes to War on a tie."""
    game = play(MD, entry("Ann", 1, cards, primary=1000, progressive=stake), dealer)
    return game.net("Ann", "progressive")


def spun(stake: int = 500, **wheel: str | int) -> int:
    """The net of a bonus spin on box 1 after a red seven."""
    game = play(MD, entry("Ann", 1, "2s", primary=1000, bonus_spin=stake), "7h", wheel=wheel)
    return game.net("Ann", "bonus_spin")


@proves("engine", "MD-1-A-1", "MD-7-F-1")
def test_MD_1_A_1() -> None:
    """Nothing is wagered on a box without an Initial Wager, made before any card."""
    game = Game(MD)
    for kind in ("tie", "progressive", "bonus_spin"):
        assert game.refuses(Bet("Ann", 1, kind, 500)) == "primary_required"
    assert game.refuses(CloseBets()) == "no_wagers"
    game.bet("Bob", 2, primary=1000).close()
    assert game.refuses(Bet("Ann", 1, "primary", 1000)) == "bets_closed"
    assert game.due == (DueCard("original", 2),)


@proves("engine", "MD-1-A-2", "MD-9-B")
def test_MD_1_A_2() -> None:
    """The first card of each box and the dealer's one card decide the Initial Wagers."""
    entries = [
        entry(f"P{box}", box, card, primary=1000) for box, card in ((1, "Ks"), (2, "9s"), (3, "8s"))
    ]
    entries[1] = entry("P2", 2, "9s", primary=1000, choice="surrender")
    game = play(MD, entries, "9d")
    assert [game.net(f"P{box}") for box in (1, 2, 3)] == [1000, -500, -1000]


@proves("engine", "MD-1-A-3")
def test_MD_1_A_3() -> None:
    """Equal ranks tie in the original deal and in the War deal, whatever the suits."""
    game = one("9s Jc", "9d Jh", war_tie=50)
    assert game.net("Ann", "tie") == 600
    assert game.net("Ann", "war_tie") == 500


@proves("engine", "MD-1-A-4")
def test_MD_1_A_4() -> None:
    """War is chosen once, after a tie of the original deal; a tied War deal ends the round."""
    game = tied(primary=1000).choose("Ann", 1, "war")
    assert game.refuses(Choose("Ann", 1, "war")) == "no_choice_due"
    assert game.deal("Jc Jh").state.closed
    lower = Game(MD).bet("Ann", 1, primary=1000).close().deal("8s 9d")
    assert lower.state.closed


@proves("engine", "MD-1-A-5", "MD-9-G")
def test_MD_1_A_5() -> None:
    """No burn or War card comes before every War Wager is placed, and none without one."""
    game = Game(MD).bet("Ann", 1, primary=1000).bet("Bob", 2, primary=1000).close()
    game.deal("9s 9c 9d").choose("Bob", 2, "war")
    assert game.refuses(Burn()) == "no_burn_due"
    game.choose("Ann", 1, "war").deal("2c 3c 4c")
    placed = [i for i, e in enumerate(game.events) if isinstance(e, Placed) and e.wager == "war"]
    assert max(placed) < game.events.index(Burned())
    quiet = tied(primary=1000).choose("Ann", 1, "surrender")
    assert quiet.state.closed
    assert not quiet.of(Burned)


@proves("engine", "MD-1-A-6", "MD-9-E-2")
def test_MD_1_A_6() -> None:
    """The War Wager is as large as the Initial Wager."""
    game = tied(primary=1235).choose("Ann", 1, "war")
    assert game.of(Placed)[-1] == Placed("Ann", 1, "war", 1235)
    assert game.refuses(Bet("Ann", 1, "war", 1)) == "bets_closed"


@proves("engine", "MD-2-B-5b")
def test_MD_2_B_5b() -> None:
    """A payout limit per hand cuts what a hand wins, but not the progressive."""
    rules = limited(book(MD), payout_max=1500)
    ann = entry("Ann", 1, FOUR, primary=1000, tie=100, progressive=500)
    game = play(rules, ann, FOUR, meters=[1_000_000])
    assert game.net("Ann", "tie") == 1000
    assert game.main("Ann") == 500
    assert game.net("Ann", "progressive") == 1_000_000 + 500_000


@proves("engine", "MD-2-B-7b")
def test_MD_2_B_7b() -> None:
    """A bonus spin is refused from the call of no more bets on."""
    game = Game(MD).bet("Ann", 1, primary=1000).bet("Bob", 2, primary=1000, bonus_spin=100).close()
    assert game.refuses(Bet("Ann", 1, "bonus_spin", 500)) == "bets_closed"
    game.deal("2c")
    assert game.refuses(Bet("Ann", 1, "bonus_spin", 500)) == "bets_closed"


@proves("engine", "MD-2-C-2", "MD-8-D")
def test_MD_2_C_2() -> None:
    """A progressive wager is refused from the call of no more bets on and costs nothing."""
    game = Game(MD).bet("Ann", 1, primary=1000).close()
    assert game.refuses(Bet("Ann", 1, "progressive", 500)) == "bets_closed"
    game.deal("Ks 9d")
    assert game.net("Ann") == 1000


@proves("engine", "MD-6-A", "MD-6-B")
def test_MD_6_A() -> None:
    """Ace, king, queen, jack, 10 down to 2; all suits are equal in rank."""
    high_to_low = "AKQJT98765432"
    for mine in DECK:
        for theirs in ("2s", "5h", "Tc", "Qd", "As"):
            game = Game(MD).bet("Ann", 1, primary=100).close().deal(f"{mine} {theirs}")
            above = high_to_low.index(theirs[0]) - high_to_low.index(mine[0])
            assert game.net("Ann") == (100 if above > 0 else -100 if above < 0 else 0)


@proves("engine", "MD-7-B-4")
def test_MD_7_B_4() -> None:
    """A player who leaves loses what is not decided and keeps what is: a tie pays 5 to 1."""
    game = tied(primary=1000, tie=60, progressive=500)
    game.do(Leave("Ann"))
    assert game.net("Ann", "tie") == 600
    assert game.net("Ann", "primary") == -1000
    assert game.net("Ann", "progressive") == 2500
    assert game.outcome("Ann", "primary") == "abandoned"
    assert game.state.closed


@proves("engine", "MD-7-C", "MD-8-C")
def test_MD_7_C() -> None:
    """No more bets is called before any card, and all wagers precede it."""
    game = Game(MD).bet("Ann", 1, primary=1000)
    assert game.refuses(Deal("9c")) == "no_card_due"
    game.close().deal("2c 9d")
    kinds = [type(event) for event in game.events]
    assert kinds.index(Placed) < kinds.index(BetsClosed) < kinds.index(Dealt)
    late = Game(MD).bet("Ann", 1, primary=1000).close()
    assert late.refuses(Bet("Bob", 2, "primary", 1000)) == "bets_closed"


@proves("engine", "MD-7-D")
def test_MD_7_D() -> None:
    """After the call only the War Wager and its Tie Wager are made, and none is changed."""
    game = Game(MD).bet("Ann", 1, primary=1000, tie=60).close()
    for cards in ("", "9s", "9d"):
        game.deal(cards)
        assert game.refuses(Bet("Ann", 1, "primary", 1)) == "bets_closed"
        assert game.refuses(Bet("Ann", 1, "tie", 1)) == "bets_closed"
        assert game.refuses(Withdraw("Ann", 1, "primary")) == "bets_closed"
    game.choose("Ann", 1, "war", war_tie=40)
    late = game.events[game.events.index(BetsClosed()) :]
    assert [e.wager for e in late if isinstance(e, Placed)] == ["war", "war_tie"]


@proves("engine", "MD-7-E")
def test_MD_7_E() -> None:
    """A player's boxes are next to each other, three at most, before and after withdrawing."""
    game = Game(MD).bet("Ann", 4, primary=100)
    assert game.refuses(Bet("Ann", 6, "primary", 100)) == "not_adjacent"
    game.bet("Ann", 5, primary=100).bet("Ann", 3, primary=100)
    assert game.refuses(Bet("Ann", 2, "primary", 100)) == "too_many_boxes"
    assert game.refuses(Withdraw("Ann", 4, "primary")) == "not_adjacent"
    game.do(Withdraw("Ann", 3, "primary"))
    game.bet("Ann", 6, primary=100)


@proves("engine", "MD-7-F-2")
def test_MD_7_F_2() -> None:
    """A Tie Wager of any size goes with the Initial and with the War Wager, each on its deal."""
    game = tied(primary=100, tie=7000).choose("Ann", 1, "war", war_tie=9000).deal("Kc 4h")
    assert game.net("Ann", "tie") == 70_000
    assert game.net("Ann", "war_tie") == -9000
    again = tied(primary=100).choose("Ann", 1, "war", war_tie=1).deal("Kc Kh")
    assert again.net("Ann", "war_tie") == 10
    none = tied(primary=100).choose("Ann", 1, "war").deal("Kc 4h")
    assert none.net("Ann") == 100


@proves("engine", "MD-7-F-3")
def test_MD_7_F_3() -> None:
    """The progressive is a wager of its own on the hand, and only where it is offered."""
    game = play(MD, entry("Ann", 1, "Ks", primary=1000, progressive=500), "9d")
    assert game.net("Ann", "progressive") == -500
    assert game.net("Ann", "primary") == 1000
    elsewhere = Game("washington").bet("Ann", 1, primary=1000)
    assert elsewhere.refuses(Bet("Ann", 1, "progressive", 500)) == "not_offered"


@proves("engine", "MD-7-F-3a")
def test_MD_7_F_3a() -> None:
    """A progressive wager follows the box's Initial Wager, once, in a set denomination."""
    game = Game(MD)
    assert game.refuses(Bet("Ann", 1, "progressive", 500)) == "primary_required"
    game.bet("Ann", 1, primary=1000)
    for amount in (0, 1, 99, 200, 499, 600, 1000):
        assert game.refuses(Bet("Ann", 1, "progressive", amount)) == "wrong_size"
    game.bet("Ann", 1, progressive=500)
    assert game.refuses(Bet("Ann", 1, "progressive", 100)) == "already_placed"
    assert game.refuses(Bet("Ann", 2, "progressive", 500)) == "primary_required"


@proves("engine", "MD-7-F-4")
def test_MD_7_F_4() -> None:
    """$1 or $5 on the bonus spin; the dealer's first card starts it by rank and colour alone."""
    game = Game(MD).bet("Ann", 1, primary=1000)
    for amount in (1, 99, 101, 200, 499, 501, 1000):
        assert game.refuses(Bet("Ann", 1, "bonus_spin", amount)) == "wrong_size"
    game.bet("Ann", 1, bonus_spin=100).bet("Bob", 2, primary=1000, bonus_spin=500).close()
    game.deal("2s 3s 7d")
    assert game.due == (DueWheel((1, 2)),)
    for card in ("7s", "7c", "8h", "6d", "Ah"):
        other = play(MD, entry("Ann", 1, "7h 2h", primary=1000, bonus_spin=500), f"{card} 7h")
        assert other.net("Ann", "bonus_spin") == -500
    war = play(MD, entry("Ann", 1, "9s Kc", primary=1000, bonus_spin=500), "9d 7h")
    assert war.net("Ann", "bonus_spin") == -500, "the dealer's War card starts nothing"


@proves("engine", "MD-8-D-1a")
def test_MD_8_D_1a() -> None:
    """Progressive wagers are collected: staked once, kept unless the hand wins."""
    game = Game(MD).bet("Ann", 1, primary=1000, progressive=500)
    game.bet("Bob", 2, primary=1000, progressive=100).close()
    assert sum(e.amount for e in game.of(Placed) if e.wager == "progressive") == 600
    game.deal("Ks 2s 9d")
    assert game.net("Ann", "progressive") == -500
    assert game.net("Bob", "progressive") == -100
    assert game.banker == 600


@proves("engine", "MD-8-F", "MD-8-F-1", "MD-8-F-2")
def test_MD_8_F() -> None:
    """One card to each box with an Initial Wager from the dealer's left, then the dealer's."""
    game = Game(MD)
    for name, box in (("Cat", 9), ("Ann", 2), ("Bob", 5)):
        game.bet(name, box, primary=100)
    game.close().deal("2c 3c 4c 9d")
    assert game.of(Dealt) == [
        Dealt("original", 2, "2c"),
        Dealt("original", 5, "3c"),
        Dealt("original", 9, "4c"),
        Dealt("original", 0, "9d"),
    ]


@proves("engine", "MD-9-A")
def test_MD_9_A() -> None:
    """The original deal is settled counterclockwise from the dealer's far right."""
    entries = [entry(f"P{box}", box, "2c", primary=100, tie=5) for box in (2, 5, 9)]
    game = play(MD, entries, "9d")
    assert game.order("primary") == game.order("tie") == [9, 5, 2]
    assert [event.wager for event in game.of(Settled)] == ["primary", "tie"] * 3


@proves("engine", "MD-9-B-1", "MD-9-C")
def test_MD_9_B_1() -> None:
    """A lower card loses Initial and Tie Wager to the house."""
    game = one("3s", "9d")
    assert game.net("Ann", "primary") == -1000
    assert game.net("Ann", "tie") == -60
    assert game.banker == 1060


@proves("engine", "MD-9-B-2", "MD-10-A-1", "MD-9-D")
def test_MD_9_B_2() -> None:
    """A higher card wins the Initial Wager 1 to 1 and loses the Tie Wager."""
    game = one("Ks", "9d")
    assert game.net("Ann", "primary") == 1000
    assert game.net("Ann", "tie") == -60
    assert game.banker == -940


@proves("engine", "MD-9-B-3", "MD-10-A-2", "MD-9-D")
def test_MD_9_B_3() -> None:
    """Equal cards win the Tie Wager 10 to 1 and leave the Initial Wager to the choice."""
    game = tied(primary=1000, tie=60)
    assert game.of(Settled) == [Settled("Ann", 1, "tie", "won", 660)]
    assert game.outcome("Ann", "primary") == ""
    assert one("9s Jc", "9d Jh", war_tie=50).net("Ann", "war_tie") == 500


@proves("engine", "MD-9-E")
def test_MD_9_E() -> None:
    """Every tied player must choose before the round goes on."""
    game = Game(MD).bet("Ann", 1, primary=100).bet("Bob", 2, primary=100).close()
    game.deal("9s 9c 9d")
    assert set(game.due) == {DueChoice("Ann", 1), DueChoice("Bob", 2)}
    game.choose("Ann", 1, "surrender")
    assert not game.of(Settled)
    assert game.refuses(Burn()) == "no_burn_due"
    game.choose("Bob", 2, "surrender")
    assert game.state.closed


@proves("engine", "MD-9-E-1", "MD-9-E-1a", "MD-9-E-1b")
def test_MD_9_E_1() -> None:
    """Surrender gives half to the house, the rest back, and a made progressive still pays."""
    game = tied(primary=1000).choose("Ann", 1, "surrender")
    assert game.net("Ann") == -500
    assert game.banker == 500
    odd = tied(primary=1001, progressive=500).choose("Ann", 1, "surrender")
    assert odd.net("Ann", "primary") == -500
    assert Settled("Ann", 1, "primary", "surrendered", 501) in odd.events
    assert odd.net("Ann", "progressive") == 2500
    assert odd.state.closed
    assert not odd.of(Burned)


@proves("engine", "MD-9-E-1c")
def test_MD_9_E_1c() -> None:
    """Surrenders are taken clockwise, unlike every other settlement."""
    entries = [entry(f"P{box}", box, "9c", primary=100, choice="surrender") for box in (2, 5, 9)]
    assert play(MD, entries, "9d").order("primary") == [2, 5, 9]


@proves("engine", "MD-9-H", "MD-9-H-2")
def test_MD_9_H() -> None:
    """Three unseen burns once, then War cards clockwise from the dealer's left, his own last."""
    game = Game(MD)
    for name, box in (("Bob", 7), ("Ann", 2), ("Cat", 4)):
        game.bet(name, box, primary=100)
    game.close().deal("9s 9c 9h 9d").choose("Cat", 4, "surrender")
    game.choose("Bob", 7, "war").choose("Ann", 2, "war")
    assert game.due == (DueBurn(),)
    game.deal("2c 3c 4c")
    war = [event for event in game.events if isinstance(event, Burned | Dealt)][4:]
    assert war == [
        *[Burned("??")] * 3,
        Dealt("war", 2, "2c"),
        Dealt("war", 7, "3c"),
        Dealt("war", 0, "4c"),
    ]


@proves("engine", "MD-9-I")
def test_MD_9_I() -> None:
    """The War deal is settled counterclockwise from the dealer's right."""
    entries = [entry(f"P{box}", box, "9c 2c", primary=100, war_tie=5) for box in (2, 5, 9)]
    game = play(MD, entries, "9d Kd")
    assert game.order("war") == game.order("war_tie") == [9, 5, 2]


@proves("engine", "MD-9-I-1", "MD-9-J")
def test_MD_9_I_1() -> None:
    """A lower War card loses Initial, War and Tie Wager to the house."""
    game = one("9s 3c", "9d Jh", war_tie=50)
    assert game.net("Ann", "primary") == game.net("Ann", "war") == -1000
    assert game.net("Ann", "war_tie") == -50
    assert game.banker == 2050 - 600


@proves("engine", "MD-9-I-2", "MD-10-A-3", "MD-9-J-1")
def test_MD_9_I_2() -> None:
    """A higher War card returns the Initial Wager, pays the War Wager 1 to 1, loses the Tie."""
    game = one("9s Jc", "9d 4h", war_tie=50)
    assert Settled("Ann", 1, "primary", "war_won", 1000) in game.events
    assert Settled("Ann", 1, "war", "war_won", 2000) in game.events
    assert game.net("Ann", "war_tie") == -50


@proves("engine", "MD-9-I-3", "MD-10-A-4", "MD-9-J-1")
def test_MD_9_I_3() -> None:
    """Equal War cards return the Initial Wager, pay the War Wager 2 to 1, the Tie 10 to 1."""
    game = one("9s Jc", "9d Jh", war_tie=50)
    assert Settled("Ann", 1, "primary", "war_tied", 1000) in game.events
    assert Settled("Ann", 1, "war", "war_tied", 3000) in game.events
    assert game.net("Ann", "war_tie") == 500


@proves("engine", "MD-9-J-3")
def test_MD_9_J_3() -> None:
    """The progressive is settled after the same player's other wagers, box by box."""
    entries = [
        entry("Ann", 1, "9s Jc", primary=100, tie=5, progressive=500, war_tie=5),
        entry("Bob", 2, "9c 2c", primary=100, progressive=500),
        entry("Cat", 3, "2c", primary=100, progressive=500),
        entry("Dan", 4, "9h", primary=100, progressive=500, choice="surrender"),
    ]
    game = play(MD, entries, "9d Jh")
    assert [(event.box, event.wager) for event in game.of(Settled)] == [
        (3, "primary"),
        (3, "progressive"),
        (1, "tie"),
        (4, "primary"),
        (4, "progressive"),
        (2, "primary"),
        (2, "war"),
        (2, "progressive"),
        (1, "primary"),
        (1, "war"),
        (1, "war_tie"),
        (1, "progressive"),
    ]


@proves("engine", "MD-9-J-4a", "MD-10-B", "MD-9-J-4d")
def test_MD_9_J_4a() -> None:
    """Only the highest line that the cards make is paid, by the table of six."""
    table = {
        ("9s 9s", "9s 9s"): 1_000_000 + 500_000,
        ("9s 9h", "9s 9h"): 100_000,
        ("9s 9c", "9d 9h"): 75_000,
        ("9s 4c", "9d 4h"): 15_000,
        ("9s 4c", "9s Kh"): 7_500,
        ("9s 4c", "9d Kh"): 2_500,
        ("9s", "8s"): -500,
    }
    for (cards, dealer), net in table.items():
        assert progressive(cards, dealer) == net, (cards, dealer)


@proves("engine", "MD-9-J-4b")
def test_MD_9_J_4b() -> None:
    """Only a progressive wager that was accepted is settled or paid."""
    game = play(MD, [entry("Ann", 1, FOUR, primary=1000)], FOUR)
    assert not game.of(MeterRead)
    assert game.net("Ann") == 2000
    late = Game(MD).bet("Ann", 1, primary=1000).close()
    assert late.refuses(Bet("Ann", 1, "progressive", 500)) == "bets_closed"


@proves("engine", "MD-10-B-1")
def test_MD_10_B_1() -> None:
    """Four identical cards: the whole meter and 1000 to 1, the stake coming back."""
    game = Game(MD).bet("Ann", 1, primary=1000, progressive=500).close().deal("9s 9s")
    game.choose("Ann", 1, "war").deal("9s 9s")
    assert game.due == (DueMeter("progressive"),)
    game.do(ReadMeter("progressive", 1_234_567))
    assert game.net("Ann", "progressive") == 1_234_567 + 500_000
    assert progressive(FOUR, FOUR, stake=100) == 1_000_000 + 100_000


@proves("engine", "MD-10-B-2")
def test_MD_10_B_2() -> None:
    """Two suited ties that are not four identical cards: 200 to 1."""
    assert progressive("9s 4h", "9s 4h") == 100_000
    assert progressive("9s 9h", "9s 9h") == 100_000
    assert progressive("9s 4h", "9s 4d") == 15_000, "one unsuited tie makes it a double tie"
    assert progressive("9s 4h", "9d 4h") == 15_000


@proves("engine", "MD-10-B-3")
def test_MD_10_B_3() -> None:
    """Four cards of one rank, not suited in pairs: 150 to 1."""
    assert progressive("9s 9c", "9d 9h") == 75_000
    assert progressive("9s 9c", "9s 9h") == 75_000
    assert progressive("9s 9c", "9d 9h", stake=100) == 15_000


@proves("engine", "MD-10-B-4")
def test_MD_10_B_4() -> None:
    """Ties on both deals: 30 to 1."""
    assert progressive("9s 4c", "9d 4h") == 15_000
    assert progressive("9s 4c", "9d 5h") == 2_500


@proves("engine", "MD-10-B-5")
def test_MD_10_B_5() -> None:
    """The same rank and suit on the original deal: 15 to 1, even after a surrender."""
    assert progressive("9s 2c", "9s Kh") == 7_500
    game = Game(MD).bet("Ann", 1, primary=100, progressive=500).close().deal("9s 9s")
    assert game.choose("Ann", 1, "surrender").net("Ann", "progressive") == 7_500


@proves("engine", "MD-10-B-6")
def test_MD_10_B_6() -> None:
    """The same rank on the original deal: 5 to 1, whether the War is won or lost."""
    assert progressive("9s Kc", "9d 2h") == 2_500
    assert progressive("9s 2c", "9d Kh") == 2_500
    assert progressive("9s 2c", "9d Kh", stake=100) == 500


@proves("engine", "MD-9-J-4e", "MD-9-J-4e-i", "MD-10-C-3c-i")
def test_MD_9_J_4e() -> None:
    """Another's four identical cards bring every $5 progressive wager $5,000, won or lost."""
    entries = [
        entry("Ann", 1, FOUR, primary=100, progressive=500),
        entry("Bob", 2, "2c", primary=100, progressive=500),
        entry("Cat", 3, "Kc", primary=100, progressive=500),
        entry("Dan", 4, "Kd", primary=100),
    ]
    game = play(MD, entries, FOUR)
    assert game.net("Bob", "envy") == game.net("Cat", "envy") == 500_000
    assert game.net("Dan", "envy") == 0
    assert game.net("Ann", "envy") == 0
    paid = game.events.index(game.of(EnvyPaid)[0])
    hand = [i for i, e in enumerate(game.events) if isinstance(e, Settled) and e.box == 1]
    assert paid > max(hand), "envy follows the qualifying hand's own settlement"
    alone = [
        entry("Ann", 1, FOUR, primary=100),
        entry("Bob", 2, "2c", primary=100, progressive=500),
    ]
    assert play(MD, alone, FOUR).net("Bob", "envy") == 500_000, "the holder need not have wagered"
    lesser = [entry("Ann", 1, "9s 9h", primary=100, progressive=500), alone[1]]
    assert play(MD, lesser, "9s 9h").net("Bob", "envy") == 0


@proves("engine", "MD-9-J-4e-ii")
def test_MD_9_J_4e_ii() -> None:
    """Two holders bring two envy bonuses."""
    entries = [
        entry("Ann", 1, FOUR, primary=100, progressive=500),
        entry("Bob", 2, FOUR, primary=100, progressive=500),
        entry("Cat", 3, "2c", primary=100, progressive=500),
    ]
    game = play(MD, entries, FOUR)
    assert game.net("Cat", "envy") == 1_000_000
    assert game.net("Ann", "envy") == game.net("Bob", "envy") == 500_000
    entries.append(entry("Cat", 4, "2d", primary=100, progressive=100))
    more = play(MD, entries, FOUR)
    assert more.net("Cat", "envy", box=4) == 200_000, "each of her wagers receives for each holder"
    assert more.net("Cat", "envy", box=3) == 1_000_000


@proves("engine", "MD-9-J-4e-iii")
def test_MD_9_J_4e_iii() -> None:
    """A player's own hand, on whichever of his boxes, brings him no envy bonus."""
    entries = [
        entry("Ann", 1, FOUR, primary=100, progressive=500),
        entry("Ann", 2, "2c", primary=100, progressive=500),
        entry("Ann", 3, FOUR, primary=100, progressive=500),
    ]
    assert not play(MD, entries, FOUR).of(EnvyPaid)


@proves("engine", "MD-10-C-3a")
def test_MD_10_C_3a() -> None:
    """The envy bonus goes by the receiver's wager: $1 brings $1,000, whatever the holder bet."""
    entries = [
        entry("Ann", 1, FOUR, primary=100, progressive=500),
        entry("Bob", 2, "2c", primary=100, progressive=100),
    ]
    assert play(MD, entries, FOUR).net("Bob", "envy") == 100_000
    entries = [
        entry("Ann", 1, FOUR, primary=100, progressive=100),
        entry("Bob", 2, "2c", primary=100, progressive=500),
    ]
    assert play(MD, entries, FOUR).net("Bob", "envy") == 500_000


HOT_SPOTS = {
    "c": ("$1,000", 100_000),
    "d": ("$600", 60_000),
    "e": ("$500", 50_000),
    "f": ("$400", 40_000),
    "g": ("$350", 35_000),
    "h": ("$300", 30_000),
    "i": ("$250", 25_000),
    "j": ("$200", 20_000),
}
COMMUNITY = {
    "a": ("$150", 15_000),
    "b": ("$100", 12_500),
    "c": ("$75", 10_000),
    "d": ("$50", 7_500),
    "e": ("$40", 5_000),
    "f": ("$35", 4_000),
    "g": ("$30", 3_000),
    "h": ("$25", 2_500),
}


@pytest.mark.parametrize(
    "letter", [pytest.param(x, marks=proves("engine", f"MD-10-D-1{x}")) for x in HOT_SPOTS]
)
def test_MD_10_D_1(letter: str) -> None:
    """A hot-spot symbol pays a $5 wager its figure, a $1 wager a fifth; the stake is gone."""
    symbol, pays = HOT_SPOTS[letter]
    assert spun(hot_spot_box=1, hot_spot=symbol) == pays - 500
    assert spun(100, hot_spot_box=1, hot_spot=symbol) == pays // 5 - 100


@pytest.mark.parametrize(
    "letter", [pytest.param(x, marks=proves("engine", f"MD-10-E-1{x}")) for x in COMMUNITY]
)
def test_MD_10_E_1(letter: str) -> None:
    """A community symbol pays a $5 wager the stated amount, a $1 wager a fifth."""
    symbol, pays = COMMUNITY[letter]
    assert spun(community=symbol) == pays - 500
    assert spun(100, community=symbol) == pays // 5 - 100


@proves("engine", "MD-10-D-1a", "MD-10-D-1b")
def test_MD_10_D_1a() -> None:
    """A jackpot symbol pays the whole of its own meter, the primary or the secondary."""
    cases: tuple[tuple[MeterName, MeterName, int], ...] = (
        ("primary", "secondary", 1_050_000),
        ("secondary", "primary", 512_300),
    )
    for meter, wrong, amount in cases:
        game = Game(MD).bet("Ann", 1, primary=1000, bonus_spin=500).close().deal("2s 7d")
        game.do(Spin(1, f"jackpot_{meter}"))
        assert [due.meter for due in game.due if isinstance(due, DueMeter)] == [meter]
        assert game.refuses(ReadMeter(wrong, 1)) == "no_meter_due"
        game.do(ReadMeter(meter, amount))
        assert game.net("Ann", "bonus_spin") == amount - 500


@proves("engine", "MD-10-D", "MD-10-D-2", "MD-10-E", "MD-10-D-5a")
def test_MD_10_D_2() -> None:
    """The hot spot's bettor is paid its symbol; every other by his own wager the community's."""
    entries = [
        entry("Ann", 1, "2s", primary=100, bonus_spin=500),
        entry("Bob", 2, "2c", primary=100, bonus_spin=500),
        entry("Cat", 3, "2d", primary=100, bonus_spin=100),
        entry("Dan", 4, "2d", primary=100),
    ]
    wheel = {"hot_spot_box": 1, "hot_spot": "$600", "community": "$100"}
    game = play(MD, entries, "7h", wheel=wheel)
    assert game.net("Ann", "bonus_spin") == 60_000 - 500
    assert game.net("Bob", "bonus_spin") == 12_500 - 500
    assert game.net("Cat", "bonus_spin") == 2_500 - 100
    assert game.net("Dan") == -100
    due = Game(MD).bet("Ann", 1, primary=100, bonus_spin=500).close().deal("2s 7h")
    assert due.refuses(Spin(None, None, "$7")) == "community"
    assert due.refuses(Spin(2, "$600", "$100")) == "hot_spot_box"
    assert due.refuses(Spin(1, "$601", "$100")) == "hot_spot"


@proves("engine", "MD-10-D-4")
def test_MD_10_D_4() -> None:
    """Each winner is paid by the meter as it stands at his turn, from the dealer's right."""
    game = Game(MD).bet("Ann", 1, primary=100, progressive=500)
    game.bet("Bob", 2, primary=100, progressive=500).close().deal("9s 9s 9s")
    game.choose("Ann", 1, "war").choose("Bob", 2, "war").deal("9s 9s 9s")
    game.do(ReadMeter("progressive", 1_700_000))
    assert game.outcome("Bob", "progressive", 2) == "suited_four_of_a_kind"
    assert game.outcome("Ann", "progressive", 1) == ""
    game.do(ReadMeter("progressive", 1_000_000))
    assert game.net("Bob", "progressive") == 1_700_000 + 500_000
    assert game.net("Ann", "progressive") == 1_000_000 + 500_000


@proves("engine", "MD-9-L", "MD-9-L-1", "MD-9-L-2")
def test_MD_9_L() -> None:
    """Three, five or seven community cards, each a hand for any players, against one dealer's."""
    for count in (3, 5, 7):
        game = Game(book(MD, electronic=str(count)))
        assert game.refuses(Bet("Ann", count + 1, "primary", 100)) == "no_such_box"
        game.bet("Ann", 1, primary=100).bet("Ann", count, primary=100).bet("Bob", 1, primary=300)
        game.close().deal(" ".join(["Ks"] * (count - 1) + ["2s", "9d"]))
        assert [event.box for event in game.of(Dealt)] == [*range(1, count + 1), 0]
        assert game.net("Ann", box=1) == 100
        assert game.net("Ann", box=count) == -100
        assert game.net("Bob") == 300


@proves("engine", "MD-11-C")
def test_MD_11_C() -> None:
    """A box that got no card gets all its wagers back, side bets too; the others play on."""
    game = Game(MD).bet("Ann", 1, primary=100)
    game.bet("Bob", 2, primary=1000, tie=60, progressive=500, bonus_spin=100).close().deal("Ks")
    assert game.do(VoidBox(2)) == (BoxVoided(2),)
    game.deal("9d")
    assert game.net("Bob") == 0
    assert game.net("Ann") == 100
    assert [game.outcome("Bob", kind, 2) for kind in ("primary", "tie")] == ["not_dealt"] * 2
    war = tied(primary=100)
    assert war.refuses(VoidBox(1)) == "deal_completed"


@proves("engine", "MD-11-D")
def test_MD_11_D() -> None:
    """A jam voids the round: every wager comes back and every payment is undone."""
    game = tied(primary=1000, tie=60, progressive=500)
    assert game.net("Ann", "tie") == 600
    game.choose("Ann", 1, "war", war_tie=50)
    game.do(VoidRound("the shuffler jammed"))
    assert game.state.closed
    assert game.net("Ann") == 0
    assert game.banker == 0
    assert {wager.returned - wager.staked for wager in game.state.hands[0].wagers} == {0}
