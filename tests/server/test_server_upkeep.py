"""What the house does by itself: sees who is absent, checks itself and the clock, and closes."""

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa

from hosting import Client, Hosted
from machines import SetMachine
from waiting import until
from wartable.server.audit import verify
from wartable.server.records import database, schema

MINUTE_MS = 60_000


def test_who_plays_over_http_is_not_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A player without a connection stays as long as they give commands, and may come back."""
    monkeypatch.setattr("wartable.server.running.RENEW_S", 0.1)
    table = "/tables/washington 1/commands"
    with Hosted(tmp_path, books=("washington",)) as hosted:
        place = hosted.house.floor.places["washington 1"]
        active, passive = hosted.guest(), hosted.guest()

        def sit(player: Client, id_: str, seat: int) -> None:
            player.post(table, type="join", id=id_, amount=10_000, seat=seat)
            until(lambda: player.name in place.left_ms, "nobody looks who is absent")

        def gone(player: Client) -> bool:
            return player.name not in place.live.state.guests

        sit(active, "1", 1)
        sit(passive, "1", 2)
        hosted.clock.ahead_ms += 4 * MINUTE_MS
        active.post(table, type="buy_in", id="2", amount=100)
        hosted.clock.ahead_ms += 2 * MINUTE_MS
        until(lambda: gone(passive), "who is absent for long does not leave")
        assert not gone(active)
        until(lambda: passive.name not in place.left_ms, "who has left is remembered for ever")
        sit(passive, "3", 2)
        hosted.clock.ahead_ms += 4 * MINUTE_MS
        until(lambda: gone(active), "who is absent for long does not leave")
        assert not gone(passive)


def test_what_is_done_regularly_survives_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure while leases are renewed, absent players seen to or the code is checked passes."""
    monkeypatch.setattr("wartable.server.running.RENEW_S", 0.1)
    done: Counter[str] = Counter()

    def failing(name: str) -> Callable[..., object]:
        def fails(*_: object) -> object:
            done[name] += 1
            raise RuntimeError(name)

        return fails

    with Hosted(tmp_path, books=("washington",), selfcheck_s=0.1) as hosted:
        monkeypatch.setattr(hosted.house.sessions, "sweep", failing("sweep"))
        monkeypatch.setattr("wartable.server.records.table_leases.renew", failing("renew"))
        monkeypatch.setattr("wartable.server.audit.selfcheck.problems", failing("check"))
        until(lambda: min(done[each] for each in ("sweep", "renew", "check")) > 1, "one has ended")
        monkeypatch.undo()


def test_R8_a_change_of_the_clock_is_a_significant_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine's clock that is set is noted with what it should show and what it shows."""
    monkeypatch.setattr("wartable.server.running.CLOCK_S", 0.1)
    machine = SetMachine(1_800_000_000)
    with Hosted(tmp_path, machine, books=("washington",)) as hosted:
        machine.set_by(-3_600)
        (event,) = until(lambda: hosted.significant("clock_changed"), "nobody sees the clock set")
        assert (event["actor"], event["subject"]) == ("platform", "house")
        assert event["before"] == "2027-01-15 08:00:00.000 UTC"
        assert event["after"] == "2027-01-15 07:00:00.000 UTC"


def test_a_table_that_does_not_answer_holds_nothing_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An idle table with bots whose task hangs is closed all the same, and so are the others."""
    monkeypatch.setattr("wartable.server.running.RENEW_S", 0.1)
    with Hosted(tmp_path, books=("california",)) as hosted:
        places = hosted.house.floor.places

        def in_company(name: str) -> bool:
            return len(places[name].live.state.guests) > 1

        for _ in range(2):
            with hosted.guest() as player:
                until(partial(in_company, player.private("california")), "no bots come")
        stuck = next(place for place in places.values() if place.owner is not None)
        stuck.live.submit = lambda *_: asyncio.Future()  # type: ignore[method-assign]  # what never answers
        monkeypatch.setattr("wartable.server.tables.bots.LET_GO_S", 0.2)
        hosted.clock.ahead_ms += 11 * MINUTE_MS
        until(lambda: not any(place.owner for place in places.values()), "one holds up the others")


def test_a_house_closes_while_a_table_closes(tmp_path: Path) -> None:
    """A table that is let go while the house closes does not keep it from closing in order."""
    with Hosted(tmp_path, books=("online", "washington")) as hosted:
        house = hosted.house
        first, last = list(house.floor.places.values())
        bots = house.floor.company[first.live.setup.name]
        stop = bots.stop

        async def meanwhile() -> None:
            await stop()
            if last.live.setup.name in house.floor.places:
                await house.floor.close(last)

        bots.stop = meanwhile  # type: ignore[method-assign]  # what happens at the same time
    engine = database.engine_for(str(tmp_path / "house.sqlite"))
    tables = schema.tables
    with engine.connect() as connection:
        assert not connection.execute(sa.select(tables).where(tables.c.owner.is_not(None))).all()
    verify.verify(engine, house.key)
    engine.dispose()
