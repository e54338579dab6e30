"""The order of a shared table's cards is calculated in a thread, from a list that is written."""

import threading
from pathlib import Path

import msgspec
import pytest

from hosting import Hosted
from waiting import until
from wartable import proof
from wartable.server.records import database
from wartable.server.tables.calculation import SHORT
from wartable.verify import verify_bytes


def test_a_table_has_its_own_order(tmp_path: Path) -> None:
    """An operator's table differs from the house's, also after a restart; others do not."""
    how = {"order": "after_bets", "iterations": 7}
    for again in (False, True):
        with Hosted(tmp_path, books=("online",), iterations=1) as hosted:
            if not again:
                with hosted.admin() as admin:
                    admin.post("/tables", 201, name="online after", book="online", **how)
                    for wrong in ({"order": "on_deal"}, {"iterations": 0}, {"iterations": "many"}):
                        answer = admin.post("/tables", 400, name="t", book="online", **wrong)
                        assert next(iter(wrong)) in answer["sentence"]
                (note,) = hosted.significant("table_opened", "online after")
                assert "cards: after_bets, 7 iterations" in note["after"]
            for name, wanted in (("online after", ("after_bets", 7)), ("online 1", ("shoe", 1))):
                with hosted.guest() as guest:
                    guest.hello(name)
                    guest.must("join", amount=20_000, seat=1)
                    guest.play(1)
                    record = guest.get(f"/tables/{name}/shoes")["record"]
                    guest.must("leave")
                bound = record["shoes"][-1]["proof"]["bound"]
                assert (bound["order"], bound["iterations"]) == wanted
                assert all(step.ok for step in verify_bytes(msgspec.json.encode(record)))


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
            rows = database.rows_of(hosted.house.engine, "online 1")
            written.extend(row.events for row in rows if heard.hex() in row.events)
            names.append(threading.current_thread().name)
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
