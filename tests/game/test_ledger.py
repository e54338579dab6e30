"""The ledger: each event's transfers balance, and what does not is found."""

from collections import Counter
from typing import get_args

import pytest
from msgspec.structs import replace

from tables import BUY_IN, DEALER, FLOOR, Play
from wartable import game, ledger, table
from wartable.ledger import Transfer
from wartable.table import Event
from wartable.table import commands as c
from wartable.table import events as e


def moved(play: Play, *commands: table.Command) -> list[Transfer]:
    """The transfers of commands."""
    result = []
    for command in commands:
        state = play.state
        for event in table.decide(play.setup, state, command):
            result += ledger.transfers(state, event)
            state = table.apply(state, event)
        play.do(command)
    return result


def test_money_comes_and_goes() -> None:
    """Buying in and cashing out move money between wallet and stack."""
    play = Play("washington")
    assert moved(play, c.Join("ann", 700, 1), c.BuyIn("ann", 300), c.CashOut("ann", 100)) == [
        Transfer("wallet:ann", "stack:ann", 700),
        Transfer("wallet:ann", "stack:ann", 300),
        Transfer("stack:ann", "wallet:ann", 100),
    ]
    assert moved(play, game.Leave("ann")) == [Transfer("stack:ann", "wallet:ann", 900)]


def test_a_won_wager() -> None:
    """The stake comes back from the felt and the win from the house."""
    play = Play("washington").join("ann").start()
    assert moved(play, game.Bet("ann", 1, "primary", 100)) == [Transfer("stack:ann", "felt", 100)]
    play.close().rig("As 2c")
    assert moved(play, c.Proceed()) == [
        Transfer("felt", "stack:ann", 100),
        Transfer("house", "stack:ann", 100),
    ]


def test_a_surrender() -> None:
    """Half of the stake comes back and the other half is the house's, the odd cent the player's."""
    play = Play("maryland").join("ann").start().bet("ann", 1, primary=101).close()
    play.rig("9s 9d").proceed()
    assert moved(play, game.Choose("ann", 1, "surrender")) == [
        Transfer("felt", "stack:ann", 51),
        Transfer("felt", "house", 50),
    ]


def test_a_bank() -> None:
    """A player/dealer's money goes to the bank, is won or paid there, and comes back at the end."""
    play = Play("california").join("ann", "bob").ready("bank")
    play.do(c.TakeBank("ann", 5000))
    assert moved(play, c.StartRound(1)) == [Transfer("stack:ann", "bank", 5000)]
    play.bet("bob", 2, primary=100).close().rig("2s Ad")
    assert moved(play, c.Proceed()) == [
        Transfer("felt", "bank", 100),
        Transfer("bank", "stack:ann", 5100),
    ]


def test_an_award() -> None:
    """A won meter lies on the felt until its winner has it; the house seeds it anew."""
    play = Play("maryland", staffed=True).join("ann").start()
    play.bet("ann", 1, primary=100, progressive=500).close().rig("7h 7h").proceed()
    play.do(game.Choose("ann", 1, "war"))
    play.rig("2c 3c 4c 7h 7h").proceed()
    assert moved(play, c.Approve(FLOOR)) == [
        Transfer("meter:progressive", "felt", 1_000_015),
        Transfer("house", "meter:progressive", 1_000_000),
        Transfer("felt", "stack:ann", 1_000_015),
        Transfer("house", "stack:ann", 500_500),
    ]


def test_a_void_undoes_and_restores() -> None:
    """Stakes come back from where they are, payments go back, meters are as before."""
    play = Play("maryland").join("ann", "bob").start()
    play.bet("ann", 1, primary=100, progressive=500).bet("bob", 2, primary=300).close()
    play.rig("9s As 9d").proceed()
    assert moved(play, game.VoidRound("an order")) == [
        Transfer("felt", "stack:ann", 100),
        Transfer("house", "stack:ann", 500),
        Transfer("stack:bob", "house", 300),
        Transfer("meter:progressive", "house", 15),
    ]
    assert (play.stack("ann"), play.stack("bob")) == (BUY_IN, BUY_IN)


def test_a_missed_box() -> None:
    """What is open of the box comes back and its share leaves the meter."""
    play = Play("maryland").join("ann", "bob").start()
    play.bet("ann", 1, primary=100, progressive=500).bet("bob", 2, primary=300).close()
    assert moved(play, c.MissBox(DEALER, 1)) == [
        Transfer("felt", "stack:ann", 100),
        Transfer("house", "stack:ann", 500),
        Transfer("meter:progressive", "house", 15),
    ]


def test_opening() -> None:
    """A new table's meters hold the house's money."""
    play = Play("maryland")
    assert ledger.opening(play.state) == [
        Transfer("house", "meter:progressive", 1_000_000),
        Transfer("house", "meter:primary", 1_000_000),
        Transfer("house", "meter:secondary", 500_000),
    ]


@pytest.mark.parametrize(
    ("account", "told"),
    [
        ("stack:ann", "stack"),
        ("meter:progressive", "meter:progressive is"),
        ("felt", "felt"),
        ("bank", "bank"),
        ("house", "made or lost"),
    ],
)
def test_check_finds_a_cent(account: str, told: str) -> None:
    """A cent too much in any account is found."""
    play = Play("maryland").join("ann").ready()
    ledger.check(play.state, play.accounts)
    wrong = Counter(play.accounts)
    wrong[account] += 1
    with pytest.raises(ledger.Unbalanced, match=told):
        ledger.check(play.state, wrong)


def test_check_finds_a_stack_below_zero_and_a_meter_out_of_account() -> None:
    """A stack below zero, a felt below zero and a meter that was fed from nowhere are found."""
    play = Play("maryland").join("ann").start()
    guests = {"ann": replace(play.state.guests["ann"], stack=-1)}
    below = Counter({**play.accounts, "stack:ann": -1, "house": 1})
    with pytest.raises(ledger.Unbalanced, match="stack"):
        ledger.check(replace(play.state, guests=guests), below)
    felt = Counter({**play.accounts})
    felt["felt"] -= 1
    felt["house"] += 1
    with pytest.raises(ledger.Unbalanced, match="felt is -1"):
        ledger.check(play.state, felt)
    meter = replace(play.state.meters["progressive"], fed=1)
    meters = {**play.state.meters, "progressive": meter}
    with pytest.raises(ledger.Unbalanced, match="every cent"):
        ledger.check(replace(play.state, meters=meters), play.accounts)


def test_every_event_that_names_an_amount_moves_it_or_says_why_not() -> None:
    """Events with money in them have transfers, but for two that announce what another moves."""
    silent = {e.BankTaken, e.HouseChose}
    with_money = {
        kind
        for kind in get_args(Event)
        if {"amount", "returned"} & set(kind.__struct_fields__) and kind not in silent
    }
    handled = {
        e.Joined, e.BoughtIn, e.CashedOut, e.Departed, e.MeterFed, e.MeterUnfed, e.MeterReset,
        game.Placed, game.Withdrawn, game.Returned, game.Matched, game.MeterRead, game.Settled,
        game.EnvyPaid,
    }  # fmt: skip  # a list reads better in lines
    assert with_money == handled
