"""The order of a shared table's cards is calculated in a thread, from a list that is written."""

import threading
from pathlib import Path

import pytest

from hosting import Hosted
from waiting import until
from wartable import proof
from wartable.server.records import database
from wartable.server.tables.calculation import SHORT


def test_a_long_calculation_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs in a thread of its own, while another table plays; then the table goes on."""
    names: list[str] = []
    written: list[str] = []
    go_on = threading.Event()
    real = proof.draw_key

    def slow(link: bytes, heard: bytes, iterations: int) -> bytes:
        if iterations > SHORT:
            names.append(threading.current_thread().name)
            rows = database.rows_of(hosted.house.engine, "online 1")
            written.extend(row.events for row in rows if heard.hex() in row.events)
            assert go_on.wait(180)
        return real(link, heard, iterations)

    monkeypatch.setattr(proof, "draw_key", slow)
    hosting = Hosted(tmp_path, books=("online",), iterations=SHORT + 1)
    with hosting as hosted, hosting.guest() as waiting, hosting.guest() as other:
        waiting.hello("online 1")
        waiting.must("join", amount=20_000, seat=1)
        until(lambda: names, "nothing is calculated")
        assert names[0].startswith("order")
        assert written, "the list was not in the journal before its calculation"
        other.private("online")
        other.play(2, deal=True)
        live = hosted.house.floor.places["online 1"].live
        assert [due.what for due in live.due] == ["cards"]
        late = waiting.do("send_number", number="ab" * 32)
        assert late["code"] == "numbers_closed"
        go_on.set()
        waiting.until("bets")
        assert len(names) == 1
        waiting.must("leave")
