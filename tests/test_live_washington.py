"""Washington's clauses at live tables: settled from the right, three units at war, own burns."""

from collections.abc import Iterator

import pytest

from clauses import proves
from hosting import Client, Hosted
from livetables import PATIENT, Cards, Staff, StaffedTable
from wartable.ledger import Transfer
from wartable.server import audit

WA = "washington"


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file; its records are verified at the end."""
    with Hosted(tmp_path_factory.mktemp("house"), books=(WA,), shared=PATIENT) as running:
        yield running
        audit.verify(running.house.engine, running.house.key)


@pytest.fixture(scope="module")
def staff(hosted: Hosted) -> Staff:
    """A dealer and a floorperson."""
    return Staff(hosted.staff("dealer"), hosted.staff("floor"))


@pytest.fixture(scope="module")
def players(hosted: Hosted) -> list[Client]:
    """Three players."""
    return [hosted.guest() for _ in range(3)]


@proves("live", "WA-1", "WA-3", "WA-4")
def test_live_WA_1(hosted: Hosted, staff: Staff, players: list[Client]) -> None:
    """Cards go face up from the left with the dealer last; the house settles from the right."""
    ann, bob, cat = players
    with StaffedTable(hosted, staff, "house", WA) as table:
        table.join(ann, bob, cat).load(Cards("<><")).start()
        table.bet(cat, 3, 300).bet(ann, 1, 100).bet(bob, 2, 200)
        events = table.deal()
        dealt = [event for event in events if event["type"] == "dealt"]
        assert [event["box"] for event in dealt] == [1, 2, 3, 0]
        assert all(event["card"] != "??" for event in dealt)
        settled = [event for event in events if event["type"] == "settled"]
        assert [(event["box"], event["outcome"]) for event in settled] == [
            (3, "lost"), (2, "won"), (1, "lost"),
        ]  # fmt: skip  # a list of pairs
        moved = table.transfers()[-4:]
        assert moved == [
            Transfer("felt", "house", 300),
            Transfer("felt", f"stack:{bob.name}", 200),
            Transfer("house", f"stack:{bob.name}", 200),
            Transfer("felt", "house", 100),
        ]
        assert [table.stack(who) for who in players] == [39_900, 40_200, 39_700]
        assert table.recall().banker == "house"
