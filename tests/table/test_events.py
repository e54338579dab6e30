"""Every event by its kind: which are announced at the table, and which an auditor must see."""

from typing import get_args

import pytest

from wartable import table
from wartable.game.messages import Message

pytestmark = pytest.mark.finding(19)

ANNOUNCED = {
    "RoundStarted": "the dealer asks for bets",
    "BetsClosed": "the dealer says 'no more bets'",
    "BankUntaken": "nobody plays on, so everybody must know why",
    "CoverCardOut": "the dealer announces the last round of the shoe",
    "Spun": "the wheel's community symbol is everybody's",
    "TableIdle": "the game has stopped",
}
"""What belongs to an ordinary game and is said to everybody."""

IRREGULAR = {
    "RecutOrdered": "the floor overrides a cut",
    "CountDiffered": "devices and chips do not agree",
    "AwardPending": "with staff, play waits for a floorperson",
    "CardSetAside": "a card was exposed early",
    "DrawnInError": "a card left the shoe at the wrong moment",
    "DealerChanged": "another person has the cards",
    "ReshuffleOrdered": "the floor ends the shoe",
    "DeviceFailed": "a device is out of order",
    "DeviceMarked": "a device is out of order",
    "Jammed": "a device failed during play",
    "BoxVoided": "wagers are void",
    "RoundVoided": "wagers are void",
}
"""What is out of the ordinary: players hear it, and an auditor must see it (R8)."""

OF_RECORD = {
    "AwardApproved": "a floorperson released a meter's award",
    "MeterReset": "the house put money on a meter",
    "DeviceRepaired": "a device is back in use",
    "MethodChanged": "a parameter of the game changed",
    "Restricted": "a limit of the table changed",
}
"""What staff decided about money or parameters, which interrupts nobody's game (R7, R8)."""

EVENTS: dict[str, type[Message]] = {kind.__name__: kind for kind in get_args(table.Event)}


@pytest.mark.parametrize("name", EVENTS)
def test_who_is_told_of_an_event(name: str) -> None:
    """Announcements reach everybody, irregularities also the auditor, ordinary steps neither."""
    event = EVENTS[name]
    assert event.aloud == (name in ANNOUNCED or name in IRREGULAR)
    assert event.significant == (name in IRREGULAR or name in OF_RECORD)


def test_every_name_is_an_events() -> None:
    """No list above names an event that is no longer there."""
    assert EVENTS.keys() >= ANNOUNCED.keys() | IRREGULAR.keys() | OF_RECORD.keys()


def test_what_is_announced_has_words() -> None:
    """An event that is said aloud has a sentence to say."""
    assert not [name for name in (*ANNOUNCED, *IRREGULAR) if not EVENTS[name].words]
