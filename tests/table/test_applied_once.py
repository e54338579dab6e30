"""A command's events are applied exactly once on their way through round, table and ledger."""

from typing import Any

import pytest
from hypothesis import given, settings

from applied import applied
from rounds import Game
from table_strategies import Plan, RandomTable, plans
from tables import BUY_IN, Play
from wartable import game, ledger, stream, table
from wartable import shoe as shoes
from wartable.game import Burn, Choose, CloseBets, Deal, DueBurn, DueCard, DueChoice, Leave
from wartable.table import commands as c
from wartable.table import events as e


class Counted(Play):
    """A table whose every command is counted before it is carried out."""

    decided_twice = 0

    def do(self, *commands: table.Command) -> tuple[table.Event, ...]:
        """The events of the commands, each applied once."""
        return sum((self._count(command) for command in commands), ())

    def _count(self, command: table.Command) -> tuple[table.Event, ...]:
        with applied() as seen:
            after, events = table.step(self.setup, self.state, command)
        if seen.to_tables != list(events) and self.setup.rules.options.timeout == "war":
            # A war that the absent player cannot pay is dropped, and the surrender decided instead.
            self.decided_twice += 1
            assert seen.to_tables[-len(events) :] == list(events)
        else:
            seen.check(events)
        with applied() as in_ledger:
            assert ledger.step(self.setup, self.state, command).state == after
        assert in_ledger == seen
        assert after == table.fold(events, self.state)
        return super().do(command)


@pytest.mark.parametrize("name", ["online", "washington", "maryland", "new-zealand", "california"])
def test_a_rounds_events_are_applied_once(name: str) -> None:
    """Whatever a command of the round causes is applied once: bets, cards, a war, who leaves."""
    play = Game(name)
    play.bet("ann", 1, primary=1000, tie=100)
    play.bet("bob", 2, primary=1000)
    cards = iter(["9s", "9d", "9h", "Ks", "Kd", "Kh"])
    commands: list[game.GameCommand] = [CloseBets()]
    while commands:
        command = commands.pop()
        before = play.state
        with applied() as seen:
            events = play.do(command)
        assert seen.to_rounds == list(events)
        assert not seen.to_tables
        assert play.state == game.fold(events, before)
        match next(iter(play.due), None):
            case DueCard():
                commands.append(Deal(next(cards)))
            case DueBurn():
                commands.append(Burn())
            case DueChoice(player="ann", box=box):
                commands.append(Choose("ann", box, "war"))
            case DueChoice(player=player, box=box) if play.rules.options.abandoned == "hold":
                commands.append(Choose(player, box, "surrender"))
            case DueChoice(player=player):
                commands.append(Leave(player))
    assert play.state.closed


def test_a_bet_at_the_table_is_applied_once() -> None:
    """A bet is decided by table, round and ledger, and its one event is applied once."""
    play = Play("maryland").join("ann", "bob").start()
    with applied() as seen:
        step = ledger.step(play.setup, play.state, game.Bet("ann", 1, "primary", 1000))
    assert step.events == (game.Placed("ann", 1, "primary", 1000),)
    seen.check(step.events)


def test_a_deal_with_awards_is_applied_once() -> None:
    """A whole deal with a meter's award and a missed box is applied once, event by event."""
    play = Counted("maryland", progressive_odds="for_1").join("ann", "bob", "cat").start()
    for box, player in enumerate(("ann", "bob", "cat"), 1):
        play.bet(player, box, primary=1000, progressive=500)
    play.close().rig("7h 7h 7h 2c 2c 2c 7h 7h")
    play.do(c.MissBox("dan", 3))
    play.finish()
    kinds = {type(event) for event in play.events}
    assert {e.MeterUnfed, e.CardsCollected, game.BoxVoided} <= kinds


@settings(max_examples=25)
@given(plans(rounds=4))
def test_every_command_is_applied_once(plan: Plan) -> None:
    """Whoever does what and whenever, at any table of any book."""
    random_table = RandomTable(plan, lambda _: None)
    random_table.play = Counted(plan.rules(), staffed=plan.staffed)
    random_table.run()


@settings(max_examples=15)
@given(plans(rounds=4, names=("maryland", "california"), few=True))
def test_wars_and_awards_are_applied_once(plan: Plan) -> None:
    """Where most hands go to war, meters are won and the bank must match."""
    random_table = RandomTable(plan, lambda _: None)
    random_table.play = Counted(plan.rules(), staffed=plan.staffed)
    random_table.play.few = plan.few
    random_table.run()


def test_only_a_war_that_cannot_be_paid_is_decided_again() -> None:
    """The platform's war for who has no money left is dropped; nothing of it stays behind."""
    play = Counted("online", timeout="war")
    play.join("ann", amount=1000).start().bet("ann", 1, primary=1000).close()
    play.rig("9s 9d").proceed()
    events = play.do(game.Timeout("ann", 1))
    assert play.decided_twice == 1
    assert game.Chosen("ann", 1, "surrender", "platform") in events
    assert play.stack("ann") == 500
    rich = Counted("online", timeout="war")
    rich.join("ann", amount=BUY_IN).start().bet("ann", 1, primary=1000).close()
    rich.rig("9s 9d").proceed()
    assert game.Chosen("ann", 1, "war", "platform") in rich.do(game.Timeout("ann", 1))
    assert rich.decided_twice == 0


def test_a_shoe_is_put_in_order_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cards of a loaded shoe are derived from its seeds once, not again for its first burn."""
    play = Play("maryland").join("ann").ready("load")
    derived, order = [], stream.order

    def counted(*given: Any) -> tuple[str, ...]:
        derived.append(order(*given))
        return derived[-1]

    monkeypatch.setattr(stream, "order", counted)
    _, events = table.step(play.setup, play.state, c.LoadShoe("dan"))
    assert len(derived) == 1
    assert play.state.shoe is not None
    cut = shoes.derived_cuts(play.state.shoe)
    place = sum(each.position or 0 for each in cut) % len(derived[0])
    assert e.CardBurned("first", derived[0][place]) in events
