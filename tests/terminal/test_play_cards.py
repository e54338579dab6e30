"""The cards at the terminal's table: the other batch in the device, and cards that grow too old."""

import pytest

from wartable import game
from wartable.table import commands as c
from wartable.table.events import DecksRemoved, ShoeStarted
from wartable.terminal import sitting as sittings
from wartable.terminal.opening import Wish, begin
from wartable.terminal.sitting import PublicEvent, Sitting
from wartable.terminal.words import lines

DAY_MS = 24 * 3_600_000


def until_bets(sitting: Sitting) -> list[PublicEvent]:
    """What is told until the visitor may bet, who refuses the cut and the bank."""
    told: list[PublicEvent] = []
    while True:
        for part in sitting.advance():
            told += part
        due = sitting.question()
        assert due is not None
        match due.what:
            case "cut":
                sitting.give(c.RefuseCut(sitting.visitor))
            case "bank":
                sitting.give(c.PassBank(sitting.visitor))
            case "choice":
                sitting.give(game.Choose(sitting.visitor, due.box or 0, "surrender"))
            case _:
                return told


@pytest.mark.finding(10)
def test_the_dealer_stores_the_other_batch() -> None:
    """Before the first bets the other batch is shuffled and waits in the device."""
    sitting = begin(Wish("california", {}, seed="batches"), None)
    told = until_bets(sitting)
    shuffled = [each.event.terms.batch for each in told if isinstance(each.event, ShoeStarted)]
    assert shuffled == ["red", "blue"]
    assert sitting.state.shoe is not None
    assert sitting.state.stored is not None
    assert (sitting.state.shoe.terms.batch, sitting.state.stored.terms.batch) == ("red", "blue")
    assert sitting.state.rounds == 1


@pytest.mark.finding(12)
def test_cards_grow_too_old_while_bets_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """The visitor's wager comes back, the log says why, and the next round has new cards."""
    sitting = begin(Wish("maryland", {}, seed="old", bots=0), None)
    until_bets(sitting)
    bankroll, box = sitting.stack, sitting.header.boxes[0]
    sitting.give(game.Bet(sitting.visitor, box, "primary", 1_000), game.CloseBets())
    late_ms = sittings.now_ms() + DAY_MS
    monkeypatch.setattr(sittings, "now_ms", lambda: late_ms)
    told = until_bets(sitting)
    assert not [each for each in told if isinstance(each.event, game.Dealt)]
    assert sitting.stack == bankroll
    assert sitting.state.rounds == 2
    assert sitting.state.decks is not None
    assert sitting.state.decks.at_ms == late_ms
    (removed,) = [each for each in told if isinstance(each.event, DecksRemoved)]
    (line,) = lines(sitting, removed)
    assert line.text == "The cards are taken away: the cards are 24 hours old."
