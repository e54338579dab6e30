"""What audits broke unnoticed; tests/data/planted.toml breaks it again, and these tests fail."""

from typing import Any

import pytest
from msgspec.structs import replace

from clauses import proves
from tables import BUY_IN, FLOOR, Play, rules_of
from wartable import game, stream, table
from wartable import shoe as shoes
from wartable.cards import DECK
from wartable.rules import RuleBook, RulesError, WagerKind
from wartable.table import commands as c
from wartable.table import events as e

pytestmark = pytest.mark.finding(19)


@proves("engine", "MD-3-A")
@pytest.mark.parametrize("wrong", ["one short", "one twice"])
def test_a_stack_that_is_not_whole_decks_is_not_loaded(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stack that lacks a card, or has another in its place, never gets into the shoe."""
    play = Play("maryland").join("ann").ready("load")
    before = stream.order

    def short(*given: Any) -> tuple[str, ...]:
        cards = before(*given)
        return cards[1:] if wrong == "one short" else (cards[1], *cards[1:])

    monkeypatch.setattr(stream, "order", short)
    with pytest.raises(shoes.ShoeError, match="instead of 6") as caught:
        table.decide(play.setup, play.state, c.LoadShoe("dan"))
    assert caught.value.code == "composition"
    monkeypatch.setattr(stream, "order", before)
    play.ready()
    assert play.state.shoe is not None
    assert sorted(play.state.shoe.cards) == sorted(DECK * 6)


def bank_of(play: Play, player: str) -> Play:
    """Open a round that this player banks; everybody who is asked before declines."""
    for _ in range(20):
        play.ready("bank")
        if play.due[0].player == player:
            play.do(c.TakeBank(player, 10_000), play.start_command())
            return play
        play.do(c.PassBank(play.due[0].player or ""))
    raise AssertionError(f"{player} is never offered the bank")


@pytest.mark.finding(9)
@proves("engine", "CA-round-10b")
def test_two_hands_are_a_persons_whatever_the_seat() -> None:
    """A banker who changes seats goes on counting; another in the old seat begins at one."""
    play = Play("california").join("ann", "bob", "cat")
    bank_of(play, "ann").bet("bob", 2, primary=1_000).finish()
    play.do(game.Leave("ann"), c.Join("ann", BUY_IN, 5))
    bank_of(play, "ann").bet("bob", 2, primary=1_000).finish()
    assert play.what == "bank"
    asked = []
    while play.what == "bank":
        asked.append(play.due[0].player)
        play.do(c.PassBank(play.due[0].player or ""))
    assert set(asked) == {"bob", "cat"}, "ann has banked two hands"


@pytest.mark.finding(9)
@proves("engine", "CA-round-10b")
def test_who_takes_a_bankers_seat_has_two_hands_of_their_own() -> None:
    """The hands of who sat there before are not counted for the next person at a seat."""
    play = Play("california").join("ann", "bob")
    bank_of(play, "ann").bet("bob", 2, primary=1_000).finish()
    bank_of(play, "ann").bet("bob", 2, primary=1_000).finish()
    play.do(game.Leave("ann"), c.Join("cat", BUY_IN, 1))
    for _ in range(2):
        bank_of(play, "cat").bet("bob", 2, primary=1_000).finish()
    assert [event.banker for event in play.of(game.Opened)] == ["ann", "ann", "cat", "cat"]


@proves("engine", "CA-players-2")
def test_nobody_bets_behind_the_bank() -> None:
    """The bank's own box gets no card, so nobody may wager on it, seated or from behind."""
    play = Play("california").join("ann", "bob")
    play.do(c.Join("cat", BUY_IN, None))
    bank_of(play, "ann")
    assert play.refuses(game.Bet("cat", 1, "primary", 1_000)) == "bank_box"
    assert play.refuses(game.Bet("cat", 1, "tie", 1_000)) == "bank_box"
    assert play.refuses(game.Bet("ann", 1, "primary", 1_000)) == "banker_wager"
    assert play.refuses(game.Bet("bob", 1, "primary", 1_000)) == "own_seat"
    play.bet("cat", 2, primary=1_000).close()
    play.finish()
    assert {event.box for event in play.of(game.Dealt)} == {0, 2}


@pytest.mark.parametrize("batches", [("red", "red"), ("", "blue"), ("red", "")])
def test_two_batches_have_two_backs(batches: tuple[str, str]) -> None:
    """No table opens whose two batches have one back, or one without a colour."""
    setup = replace(Play("california").setup, batches=batches)
    with pytest.raises(RulesError, match="two different colours"):
        table.start(setup)
    with pytest.raises(shoes.ShoeError, match="different backs"):
        shoes.other_batch(("red", "red"), "red")


def seeded(initial: int, reset: int) -> RuleBook:
    """Maryland whose meters begin at another amount than the one they are reset to."""
    rules = rules_of("maryland")
    progressive, spin = rules.wagers.progressive, rules.wagers.bonus_spin
    assert progressive is not None
    assert spin is not None
    meter = replace(progressive.meter, initial=initial, reset=reset)
    meters = {
        name: replace(each, initial=initial, reset=reset) for name, each in spin.meters.items()
    }
    wheel = replace(spin.wheel, hot_spot={"jackpot_primary": 1})
    return replace(
        rules,
        wagers=replace(
            rules.wagers,
            progressive=replace(progressive, meter=meter),
            bonus_spin=replace(spin, meters=meters, wheel=wheel),
        ),
    )


@proves("engine", "MD-10-C-2", "MD-10-D-1a")
@pytest.mark.parametrize("won", ["progressive", "primary"])
def test_a_won_meter_begins_again_at_its_reset_amount(won: str) -> None:
    """A meter that began at $25,000 and is reset to $12,000 shows $12,000 after its award."""
    play = Play(seeded(2_500_000, 1_200_000), staffed=True).join("ann").start()
    shown = play.state.meters
    assert {meter.shown for meter in shown.values()} == {2_500_000}
    if won == "progressive":
        play.bet("ann", 1, primary=1_000, progressive=500).close().rig("7h 7h").proceed()
        play.do(game.Choose("ann", 1, "war"))
        play.rig("2c 3c 4c 7h 7h").proceed()
    else:
        play.bet("ann", 1, primary=1_000, bonus_spin=500).close().rig("As 7h").proceed()
    play.do(c.Approve(FLOOR))
    assert [event.meter for event in play.of(game.MeterRead)] == [won]
    assert [event.amount for event in play.of(e.MeterReset)] == [1_200_000]
    after = {str(name): meter.shown for name, meter in play.state.meters.items()}
    assert after.pop(won) == 1_200_000
    assert min(after.values()) >= 2_500_000, "the other meters keep what they had"


@pytest.mark.finding(4)
@proves("engine", "MD-7-B-4")
def test_a_leaver_does_not_get_the_war_wager_back() -> None:
    """Maryland: who leaves after going to war loses the primary and the war wager."""
    play = Play("maryland").join("ann", "bob").start()
    play.bet("ann", 1, primary=1_000).bet("bob", 2, primary=1_000).close()
    play.rig("7h 7d 7s").proceed()
    play.do(game.Choose("ann", 1, "war"), game.Leave("ann"), game.Choose("bob", 2, "war"))
    play.rig("2c 3c 4c 9h 5d").finish()
    lost = [ev for ev in play.of(game.Settled) if ev.player == "ann"]
    assert [(event.wager, event.returned) for event in lost] == [("primary", 0), ("war", 0)]
    assert [event.amount for event in play.of(e.Departed)] == [BUY_IN - 2_000]


@pytest.mark.finding(4)
@pytest.mark.parametrize(("dealers", "net"), [("2h", 1_000), ("Kh", -2_000)])
@pytest.mark.parametrize("book", ["california", "new-zealand", "washington"])
def test_a_leavers_war_is_played_out(book: str, dealers: str, net: int) -> None:
    """A14: who has chosen war and leaves is settled by the war cards, won or lost."""
    play = Play(book, abandoned="surrender").join("ann", "bob")
    if book == "california":
        bank_of(play, "bob")
    else:
        play.start()
    play.bet("ann", 1, primary=1_000).close().rig("7h 7d").proceed()
    play.do(game.Choose("ann", 1, "war"), game.Leave("ann"))
    burns = "3c 3d 3s" + (" 4c 4d 4s" if book == "washington" else "")
    first, *later = burns.split(" 4c")
    play.rig(f"{first} 9h" + (f" 4c{later[0]}" if later else "") + f" {dealers}").finish()
    assert [event.amount for event in play.of(e.Departed)] == [BUY_IN + net]


@pytest.mark.finding(8)
@proves("engine", "MD-7-C", "MD-7-D", "MD-2-B-7b", "MD-2-C-2")
def test_betting_never_opens_again() -> None:
    """From "no more bets" to the end, war cards and a waiting award included, nothing is taken."""
    play = Play("maryland", staffed=True).join("ann", "bob").start()
    play.bet("ann", 1, primary=1_000, progressive=500).bet("bob", 2, primary=1_000).close()
    play.rig("7h 9d 7h")
    moments = []
    kinds: dict[WagerKind, int] = {
        "primary": 1_000, "tie": 1_000, "progressive": 500, "bonus_spin": 500,
    }  # fmt: skip  # one line
    while play.state.in_round:
        moments.append((play.what, len(play.of(game.Dealt))))
        for player, box in (("ann", 1), ("bob", 2), ("bob", 3)):
            for kind, amount in kinds.items():
                assert play.refuses(game.Bet(player, box, kind, amount)) == "bets_closed"
            assert play.refuses(game.Withdraw(player, box, "primary")) == "bets_closed"
            assert play.refuses(game.Decline(player, box)) == "bets_closed"
        assert play.refuses(game.CloseBets()) == "bets_closed"
        if play.what == "choice":
            play.do(game.Choose("ann", 1, "war"))
            play.rig("2c 3c 4c 7h 7h")
        elif play.what == "approval":
            play.do(c.Approve(FLOOR))
        else:
            play.proceed(1)
    assert ("choice", 3) in moments
    assert ("approval", 5) in moments, "all war cards lie, and the round is open"


def test_an_award_at_war_holds_up_the_next_hand() -> None:
    """A hand whose award waits is settled before the next one around the table is."""
    play = Play("maryland", staffed=True).join("ann", "bob").start()
    play.bet("ann", 1, primary=1_000).bet("bob", 2, primary=1_000, progressive=500).close()
    play.rig("7h 7h 7h").proceed()
    play.do(game.Choose("ann", 1, "war"), game.Choose("bob", 2, "war"))
    play.rig("2c 3c 4c 9d 7h 7h").proceed()
    assert play.what == "approval"
    assert {event.player for event in play.of(game.Settled)} == {"bob"}, "ann comes after bob"
    play.do(c.Approve(FLOOR))
    order = [(event.player, event.wager) for event in play.of(game.Settled)]
    assert order[-3:] == [("bob", "progressive"), ("ann", "primary"), ("ann", "war")]


def test_the_wheel_is_settled_before_a_surrender() -> None:
    """A surrender that the platform chose for who left waits until the wheel's award is paid."""
    rules = seeded(1_000_000, 1_000_000)
    rules = replace(rules, options=replace(rules.options, abandoned="surrender"))
    play = Play(rules, staffed=True).join("ann", "bob").start()
    play.bet("ann", 1, primary=1_000, bonus_spin=500).bet("bob", 2, primary=1_000).close()
    play.do(game.Leave("bob"))
    play.rig("9d 7h 7h").proceed()
    assert play.what == "approval"
    play.do(c.Approve(FLOOR))
    order = [(event.player, event.wager, event.outcome) for event in play.of(game.Settled)]
    assert order.index(("ann", "bonus_spin", "jackpot_primary")) < order.index(
        ("bob", "primary", "surrendered")
    )
