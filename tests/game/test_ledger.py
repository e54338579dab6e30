"""The ledger: each event's transfers balance, and what does not is found."""

from collections import Counter
from collections.abc import Callable
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from tables import BUY_IN, DEALER, FLOOR, Play
from wartable import game, ledger, table
from wartable.money import Transfer
from wartable.table import Event, Table, folding
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


@pytest.mark.finding(19)
@pytest.mark.parametrize("account", ["stack:zoe", "felt", "bank"])
def test_check_finds_money_where_nobody_has_any(account: str) -> None:
    """A cent in the stack of somebody who is not here, or on a felt without a round, is found."""
    play = Play("california").join("ann")
    accounts = {**play.accounts, account: 1, ledger.HOUSE: play.accounts[ledger.HOUSE] - 1}
    with pytest.raises(ledger.Unbalanced, match=f"{account} is 1, not 0"):
        ledger.check(play.state, accounts)


@pytest.mark.finding(19)
def test_other_tables_move_a_shared_meter_and_nothing_else() -> None:
    """The account of a shared meter may differ from what this table shows, a stack may not."""
    play = Play("maryland").join("ann")
    for account, shared, whole in (
        ("stack:ann", True, False),
        ("meter:progressive", True, True),
        ("meter:progressive", False, False),
    ):
        moved_there = Counter(play.accounts)
        moved_there[account] += 5
        moved_there[ledger.HOUSE] -= 5
        if whole:
            ledger.check(play.state, moved_there, shared)
        else:
            with pytest.raises(ledger.Unbalanced):
                ledger.check(play.state, moved_there, shared)
    with pytest.raises(ledger.Unbalanced) as refused:
        ledger.check(play.state, moved_there)
    assert refused.value.code == "unbalanced", "a table's meters are its own unless it says so"


@pytest.mark.finding(19)
def test_a_step_of_a_table_with_shared_meters() -> None:
    """Wallet, house and meter stand outside of it; a meter out of account is found all the same."""
    play = Play("maryland").ready("players")
    setup, state = replace(play.setup, meters="shared"), play.state
    commands: list[table.Command] = [c.Join("ann", 10_000, 1), c.CashOut("ann", 500)]
    for command in commands:
        state = ledger.step(setup, state, command).state
    play.do(*commands)
    play.start().bet("ann", 1, primary=500, progressive=500)
    fed = ledger.step(setup, play.state, game.CloseBets())
    assert Transfer("house", "meter:progressive", 15) in fed.transfers
    meters = fed.state.meters
    wrong = replace(meters["progressive"], fed=meters["progressive"].fed + 1)
    for told, whole in ((meters, True), ({**meters, "progressive": wrong}, False)):
        shown = e.MetersShown(1, told, told)
        if whole:
            ledger.fold(setup, fed.state, [shown])
        else:
            with pytest.raises(ledger.Unbalanced, match="does not account for every cent"):
                ledger.fold(setup, fed.state, [shown])


@pytest.mark.finding(19)
def test_events_fold_to_what_their_command_came_to() -> None:
    """A command's events come to the same table and transfers, and invented money is found."""
    play = Play("california").join("ann", "bob").start().bet("bob", 2, primary=1000).close()
    play.rig("As 2c")
    done = ledger.step(play.setup, play.state, c.Proceed())
    assert done.state == table.step(play.setup, play.state, c.Proceed())[0]
    assert ledger.fold(play.setup, play.state, done.events) == done
    assert Transfer("bank", "stack:bob", 1000) in done.transfers
    after = ledger.step(play.setup, done.state, game.Leave("bob")).state
    assert "bob" not in after.guests
    with pytest.raises(ledger.Unbalanced, match="stack:bob is -1"):
        ledger.fold(play.setup, done.state, [e.Departed("bob", BUY_IN + 1001)])


@pytest.mark.finding(19)
def test_a_void_restores_a_meter_in_either_direction() -> None:
    """A meter that was paid is filled again by the house, and one that was fed gives it back."""
    state = replace(Play("maryland").join("ann").start().state, meters={}, meters_before={})
    for before, now, moves in (
        (25, 10, [Transfer("house", "meter:progressive", 15)]),
        (10, 25, [Transfer("meter:progressive", "house", 15)]),
        (10, 10, []),
    ):
        meters = {"progressive": table.MeterState(shown=now)}
        old = {"progressive": table.MeterState(shown=before)}
        played = replace(state, meters=meters, meters_before=old)
        assert ledger.transfers(played, game.RoundVoided("a misdeal")) == moves


@pytest.mark.finding(19)
def test_a_bank_of_unknown_size_takes_back_what_it_won() -> None:
    """At the close a banker has the posted money, the matches and the gain; unknown is none."""
    wager = game.Wager("primary", 100, outcome="lost", matched=30)
    hands = (game.Hand(1, "ann", (wager,)),)
    for bank, back in ((None, 130), (500, 630)):
        round_ = game.Round(opened=True, banker="bob", bank=bank, hands=hands, bets_closed=True)
        moves = ledger.transfers(table.Table(round=round_), game.Closed())
        assert moves == [Transfer("bank", "stack:bob", back)]


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


def counted(book: str = "maryland") -> Play:
    """A staffed table with a primary and a side bet, whose betting is closed."""
    play = Play(book, staffed=True).join("ann").start()
    play.bet("ann", 1, primary=1000, progressive=500).do(game.CloseBets())
    return play


def ready_to_bank() -> Play:
    """A table where the offered bank is taken."""
    play = Play("california").join("ann", "bob").ready("bank")
    play.do(c.TakeBank(play.due[0].player or "", 5_000))
    return play


@pytest.mark.parametrize(
    ("kind", "ready", "command", "account"),
    [
        (e.Joined, lambda: Play("online"), c.Join("ann", 700, 1), "stack:ann is 700, not 0"),
        (
            game.Placed,
            lambda: Play("online").join("ann").start(),
            game.Bet("ann", 1, "primary", 500),
            f"stack:ann is {BUY_IN - 500}, not {BUY_IN}",
        ),
        (e.SideBetsCounted, counted, c.CountSideBets(DEALER, 1, 0), "felt is 1000, not 1500"),
        (e.MeterFed, counted, c.CountSideBets(DEALER, 1, 0), "meter:progressive is"),
        (game.Opened, ready_to_bank, c.StartRound(60_000), "is"),
    ],
)
def test_a_step_that_loses_an_event_is_refused(
    kind: type[Any],
    ready: Callable[[], Play],
    command: table.Command,
    account: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Money that an event moves and the table does not show is found, wherever it should lie."""
    play = ready()
    monkeypatch.setattr(folding, "_APPLY", folding._APPLY | {kind: lambda state, _: state})
    with pytest.raises(ledger.Unbalanced, match=account):
        ledger.step(play.setup, play.state, command)
    monkeypatch.undo()
    assert ledger.step(play.setup, play.state, command).events


@pytest.mark.parametrize("cents", [1, -1])
@pytest.mark.parametrize("place", ["stack", "felt", "meter", "other stack"])
def test_a_step_that_moves_a_cent_too_many_is_refused(
    place: str, cents: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cent that no transfer explains is found in a stack, on the felt and on a meter."""
    play = Play("maryland").join("ann", "bob").start()
    placed = folding._APPLY[game.Placed]

    def wrong(state: Table, event: game.Placed) -> Table:
        after = placed(state, event)
        if place == "meter":
            shown = after.meters["progressive"]
            meter = replace(shown, shown=shown.shown + cents, fed=shown.fed + cents)
            return replace(after, meters={**after.meters, "progressive": meter})
        if place == "felt":
            assert after.round is not None
            (hand,) = after.round.hands
            (wager,) = hand.wagers
            hand = replace(hand, wagers=(replace(wager, staked=wager.staked + cents),))
            return replace(after, round=replace(after.round, hands=(hand,)))
        name = "bob" if place == "other stack" else "ann"
        guest = after.guests[name]
        poorer = replace(guest, stack=guest.stack - cents)
        return replace(after, guests={**after.guests, name: poorer})

    monkeypatch.setattr(folding, "_APPLY", folding._APPLY | {game.Placed: wrong})
    with pytest.raises(ledger.Unbalanced, match=r"is \d+, not "):
        ledger.step(play.setup, play.state, game.Bet("ann", 1, "primary", 1000))


def test_every_event_that_moves_money_is_known() -> None:
    """An event that the ledger does not look at changes nothing that a table holds."""
    plain = {kind for kind in get_args(Event) if kind not in ledger.MOVING}
    seen = set()
    for book in ("maryland", "california"):
        play = Play(book, staffed=True).join("ann", "bob")
        for _ in range(3):
            play.start()
            assert play.state.round is not None
            for guest in play.state.guests.values():
                if guest.player != play.state.round.banker:
                    play.bet(guest.player, guest.seat or 0, primary=1000)
            play.finish()
        state = table.start(play.setup)
        for event in play.events:
            after = table.apply(state, event)
            if type(event) in plain:
                seen.add(type(event))
                assert Counter(ledger.holdings(after)) == Counter(ledger.holdings(state))
            state = after
    assert {game.Dealt, e.RoundStarted, e.CardsCollected, game.BetsClosed} <= seen
