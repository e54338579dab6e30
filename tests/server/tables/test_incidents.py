"""The incidents of a table: what was irregular, also after a restart, and for a day."""

from pathlib import Path

from hosting import Json
from staffed_tables import House, house_of

DAY_MS = 24 * 3_600_000


def incidents(house: House, name: str) -> list[Json]:
    """What the floor is told of a table."""
    tables = house.hosted.admin().get("/staff")["tables"]
    (found,) = [each["incidents"] for each in tables if each["name"] == name]
    return list(found)


def test_incidents_of_a_table(tmp_path: Path) -> None:
    """The last comes first; a round without a wager is voided in good order; a day later none is.

    They are read from the journal, so a restart forgets none of them.
    """
    with house_of(tmp_path, "maryland", guests=1) as house:
        with house.table("maryland", 1, name="irregular") as table:
            table.open()
            table.start()
            table.bet(table.players[0], 1, 500)
            table.close_bets()
            table.must(table.dealer, "find_face_up")
            table.must(table.floor, "void_round", reason="a drink on the felt")
            table.start()
            table.must(table.floor, "void_round", reason="nobody bets")
        found = incidents(house, "irregular")
        assert [(each["round"], each["event"]["type"]) for each in found] == [
            (1, "round_voided"),
            (1, "card_set_aside"),
        ]
        assert found[0]["event"]["reason"] == "a drink on the felt"
        assert not incidents(house, "maryland 1")
    with house_of(tmp_path, "maryland", guests=0) as again:
        assert incidents(again, "irregular") == found
        again.hosted.clock.ahead_ms += DAY_MS
        assert not incidents(again, "irregular")
