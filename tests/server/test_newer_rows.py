"""A server does not guess what a newer version of the program wrote: it hands over."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from hosting import TestClock
from opened_houses import Deaf, opened, opened_wing
from recorded_houses import new_database
from waiting import WAIT_S, in_time
from wartable.game.messages import Message
from wartable.server import running, spreading
from wartable.server import wing as wings
from wartable.server.audit import selfcheck
from wartable.server.config import Config, HouseProblem
from wartable.server.denied import Denied
from wartable.server.manifest import running as own_program
from wartable.server.records import database, journal, notes, spread, table_leases
from wartable.server.records.answers import RefusedCommand
from wartable.server.records.journal import Broken, Newer
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Note
from wartable.server.records.rows import OFFICE, Entry
from wartable.server.running import House
from wartable.server.wing import Wing
from wartable.table import PLATFORM
from wartable.table.commands import Join

KEY = HouseKey(bytes(32))
TABLE = "online 1"
FUTURE: Any = "of_the_future"


class OfTheFuture(Message, frozen=True):
    """A command that only a newer version of the program knows."""


@pytest.fixture
def address(postgres_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty PostgreSQL database; servers look and follow only when the test has them."""
    monkeypatch.setenv("WARTABLE_KEY", bytes(32).hex())
    for where, name in ((wings, "FOLLOW_S"), (spreading, "LOOK_S"), (running, "RENEW_S")):
        monkeypatch.setattr(where, name, WAIT_S)
    monkeypatch.setattr(wings, "OfficeListener", Deaf)
    return new_database(postgres_server)


def run(tmp_path: Path, address: str, work: Callable[[House, Wing], Awaitable[None]]) -> None:
    """Open a house and a wing that has its shared table, and do this."""

    async def whole() -> None:
        house = await opened(tmp_path / "one", address)
        wing = await opened_wing(tmp_path / "two", address)
        try:
            for number, each in enumerate((house, wing)):
                each.placing.carry()
                await asyncio.to_thread(each.placing.enter, f"192.0.2.{number}:1")
            for each in (house, wing):
                while len(each.placing.running()) < 2 or not each.placing.leader:
                    await asyncio.sleep(0.01)
            await house.pit.give_up(TABLE, wing.owner)
            await wing.spreading.look()
            assert TABLE in wing.floor.places
            await wing.follow()
            await work(house, wing)
        finally:
            await wing.stop()
            await house.stop()

    in_time(whole())


def newer_note(house: House, address: str) -> None:
    """Have a newer version write a row of the office that this one does not know."""
    notes.write_note(address, KEY, PLATFORM, Note(FUTURE, "house"), house.clock.now_ms())


async def newer_row(house: House) -> None:
    """Have a newer version write a row of the table that this one does not know."""
    head = database.head_of(house.engine, TABLE)
    fence = table_leases.take(house.engine, house.owner, TABLE)
    assert head is not None
    now_ms = house.clock.now_ms()
    row = journal.new_row(head, TABLE, now_ms, PLATFORM, "future", OfTheFuture(), (), KEY)  # type: ignore[arg-type]  # unknown here
    await house.writer.commit(Entry(row, (), fence))
    await asyncio.to_thread(table_leases.release_one, house.engine, house.owner, fence, TABLE)


def test_a_wing_gives_up_its_tables(tmp_path: Path, address: str) -> None:
    """It takes none any more, and accuses nobody of having changed the records."""

    async def work(house: House, wing: Wing) -> None:
        newer_note(house, address)
        assert not await wing.follow_office()
        assert wing.outdated
        assert not wing.takes
        assert not wing.placing.takes()
        await wing._watch_clock()
        assert TABLE not in wing.floor.places
        assert not wing.taken_over, "it has no house to give up"
        assert wing.guard.new_findings() == []

    run(tmp_path, address, work)


def test_the_house_is_handed_over(tmp_path: Path, address: str) -> None:
    """It refuses in one sentence, stops if another server runs, and does not open again."""

    async def work(house: House, wing: Wing) -> None:
        assert not house.taken_over
        newer_note(house, address)
        with pytest.raises(Denied) as denied:
            await asyncio.to_thread(house.guard.catch_up)
        assert denied.value.code == "newer_version"
        assert house.guard.new_findings() == []
        assert house.outdated
        assert house.taken_over
        await asyncio.to_thread(wing.placing.end)
        while house.placing.running((house.owner,)):
            await asyncio.sleep(0.01)
        assert not house.taken_over, "there is nobody to hand it to"

    run(tmp_path, address, work)
    with pytest.raises(HouseProblem, match="a newer version of the program wrote it; use that"):
        House(Config(tmp_path / "three", address), TestClock())


def test_a_table_is_left_to_others(tmp_path: Path, address: str) -> None:
    """Its lease is free, and the sentence sends players to another server."""

    async def work(house: House, wing: Wing) -> None:
        await wing.pit.give_up(TABLE, "")
        await newer_row(house)
        for server in (wing, house):
            with pytest.raises(Denied) as denied:
                await server.pit.find(TABLE, None)
            assert denied.value.code == "newer_version"
            assert server.outdated
            assert await asyncio.to_thread(table_leases.server_of, house.engine, TABLE) is None
        assert house.taken_over
        assert not wing.placing.takes()

    run(tmp_path, address, work)


def test_only_a_row_of_this_house_counts_as_newer() -> None:
    """What somebody else put there is not the work of a newer version."""
    row = journal.new_row(
        (0, journal.GENESIS), OFFICE, 1, PLATFORM, "1", Note(FUTURE, "x"), (), KEY
    )
    with pytest.raises(Newer):
        journal.read_note(row)
    with pytest.raises(Newer):
        journal.read_row(row, KEY)
    with pytest.raises(Broken) as broken:
        journal.read_row(row, HouseKey(bytes(range(32))))
    assert not isinstance(broken.value, Newer)


def test_a_wing_follows_approvals(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gives up its tables when the approval of its program ends, and takes some again later."""

    async def work(house: House, wing: Wing) -> None:
        for after, fits in (("0" * 64, False), (f"{'0' * 64} {own_program()}", True)):
            monkeypatch.setattr(selfcheck, "problems", lambda *_: [])
            await house.office.note(PLATFORM, Note("code_approved", "wartable", after=after))
            await wing.follow()
            while wing._begun:
                await asyncio.gather(*wing._begun)
            assert wing.takes is fits
            assert wing.placing.takes() is fits
            assert TABLE not in wing.floor.places

    run(tmp_path, address, work)


def test_the_end_of_an_approval_holds_for_the_next_command(tmp_path: Path, address: str) -> None:
    """Also at a server that has heard nothing of it: its transaction finds the office's row."""

    async def work(house: House, wing: Wing) -> None:
        guest, _, _ = await house.new_guest("192.0.2.7")
        await wing.follow()
        approved = Note("code_approved", "wartable", after="0" * 64)
        await house.office.note(PLATFORM, approved)
        before = database.head_of(house.engine, TABLE)
        answer = await wing.dispatch.command(guest, TABLE, "1", Join(guest.name, 50_000, 1))
        assert isinstance(answer, RefusedCommand)
        assert answer.code == "no_answer", "it is asked again elsewhere"
        assert database.head_of(house.engine, TABLE) == before
        assert not wing.placing.takes()

    run(tmp_path, address, work)


def test_a_table_that_is_handed_too_late_comes_back(tmp_path: Path, address: str) -> None:
    """Others learn after a moment that a server takes no tables; until then it hands them back."""

    async def work(house: House, wing: Wing) -> None:
        await wing.pit.give_up(TABLE, house.owner)
        await house.spreading.look()
        wing._approve(("0" * 64,))
        await house.pit.give_up(TABLE, wing.owner)
        assert spread.owners(house.engine, [TABLE]) == {TABLE: wing.owner}
        await wing.spreading.look()
        assert TABLE not in wing.floor.places
        assert spread.owners(house.engine, [TABLE]) == {TABLE: house.owner}

    run(tmp_path, address, work)


def test_a_wing_that_is_not_approved_leaves_the_house_to_others(
    tmp_path: Path, address: str
) -> None:
    """It takes it only if no server with an approved program runs, or if it may approve its own."""

    async def work(house: House, wing: Wing) -> None:
        wing._approve(("0" * 64,))
        house.placing.end()
        assert house._lease is not None
        house._lease.end()
        wing._take_over()
        assert wing.won() is None, "the other one counts as running"
        while wing.placing.running((wing.owner,)):
            await asyncio.sleep(0.01)
        wing._take_over()
        won = wing.won()
        assert won is not None
        await asyncio.to_thread(won.end)

    run(tmp_path, address, work)
