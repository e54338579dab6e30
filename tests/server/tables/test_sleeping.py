"""Private tables that nobody follows sleep: they cost nothing, and wake as they were."""

import asyncio
import gc
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import asdict, replace

from hosting import TestClock
from opened_houses import opened
from waiting import LOOK_S, WAIT_S, in_time
from wartable.game import Bet
from wartable.server.audit import recall, verify
from wartable.server.denied import Denied
from wartable.server.house.accounts import Account
from wartable.server.records import checkpoints, database, schema
from wartable.server.records.answers import Accepted
from wartable.server.records.decisions import of_table
from wartable.server.records.journal import Chain
from wartable.server.records.keys import HouseKey
from wartable.server.running import House
from wartable.server.tables import floor
from wartable.server.tables.bots import Bots
from wartable.server.tables.live import LiveTable
from wartable.server.tables.place import RunningTable
from wartable.table import Setup
from wartable.table.commands import BuyIn, Join

MANY = 20
AWAY_MS = 11 * 60_000
HELD = 100_000
"""What a guest has."""


async def seated(house: House, address: str = "192.0.2.1") -> tuple[Account, RunningTable]:
    """A new guest at a private table of their own, with chips on it."""
    guest, _, _ = await house.new_guest(address)
    place = await house.pit.open_private(guest, "online", address)
    await does(house, guest, Join(guest.name, 10_000, 1))
    return guest, place


async def does(house: House, guest: Account, command: Any) -> None:
    """A guest's command at their own table, which is accepted."""
    own, id_ = f"online@{guest.name}", type(command).__name__
    answer = await house.dispatch.command(guest, own, f"{id_} {house.clock.now_ms()}", command)
    assert isinstance(answer, Accepted), answer


async def a_while_later(house: House) -> None:
    """Nobody does anything for long, and then the house looks after its tables."""
    assert isinstance(house.clock, TestClock)
    house.clock.ahead_ms += AWAY_MS
    await house._keep_house()


def held(kind: type) -> int:
    """How many objects of this kind are in memory."""
    gc.collect()
    return sum(isinstance(each, kind) for each in gc.get_objects())


def forged(house: House, guest: Account, key: HouseKey, coded: bool) -> None:
    """Write a row behind a table's last as the program would, in which the guest brings chips."""
    name = f"online@{guest.name}"
    *_, last = recall.steps(house.engine, house.key, name)
    setup = database.setup_of(house.engine, name)
    _, decision = of_table(setup, last.after, Join(guest.name, HELD, 1))
    head = (last.row.number, last.row.hash)
    row = Chain(name, key).entry(head, last.row.at_ms, guest.name, "x", decision).row
    row = row if coded else replace(row, mac=None)
    with house.engine.begin() as connection:
        connection.execute(schema.journal.insert().values(asdict(row)))
        heads = schema.heads.update().where(schema.heads.c.table_name == name)
        connection.execute(heads.values(number=row.number, hash=row.hash))


@pytest.mark.parametrize("coded", [False, True])
def test_R8_a_forged_row_does_not_wake_with_its_table(
    tmp_path: Path, address: str, coded: bool
) -> None:
    """Chips that somebody gave a guest at a sleeping table, without a code or with their own."""

    async def run() -> None:
        house = await opened(tmp_path, address)
        guest, _ = await seated(house)
        await a_while_later(house)
        assert f"online@{guest.name}" not in house.floor.places
        forged(house, guest, HouseKey(bytes(32)), coded)
        with pytest.raises(Denied) as refused:
            await house.pit.open_private(guest, "online", "192.0.2.1")
        assert refused.value.code == "broken"
        assert house.cage.money(guest.name)["wallet"] == HELD
        await house.stop()

    in_time(run())


def leases(house: House) -> int:
    """How many leases must be renewed."""
    tables = schema.tables
    with house.engine.connect() as connection:
        owned = sa.select(sa.func.count()).where(tables.c.owner.is_not(None))
        return int(connection.execute(owned).scalar_one())


def test_a_flood_of_private_tables_leaves_nothing(tmp_path: Path, address: str) -> None:
    """Not a task, an object or a lease stays; the chips are in the wallets, and all can wake."""

    async def run() -> None:
        house = await opened(tmp_path, address)

        def left() -> list[int]:
            return [len(asyncio.all_tasks()), held(LiveTable), held(Bots), leases(house)]

        before = left()
        players = [await seated(house) for _ in range(MANY)]
        guests = [guest for guest, _ in players]
        del players
        assert len(house.floor.places) == MANY + 1
        await a_while_later(house)
        assert set(house.floor.places) == set(house.floor.company) == {"online 1"}
        assert len(house.floor.awake) == 0
        async with asyncio.timeout(WAIT_S):
            # What is done regularly has a task of its own now and then.
            while any(now > then for now, then in zip(left(), before, strict=True)):
                await asyncio.sleep(LOOK_S)
        assert all(house.cage.money(guest.name) == {"wallet": HELD} for guest in guests)
        assert not house.floor._tables_of
        await does(house, guests[3], Join(guests[3].name, 500, 1))
        assert f"online@{guests[3].name}" in house.floor.places
        verify.verify(house.engine, house.key)
        await house.stop()

    in_time(run())


def test_a_round_in_play_sleeps_and_wakes_with_its_wager(tmp_path: Path, address: str) -> None:
    """A wager keeps no table awake: it is held in the journal, with the chips, until it is played.

    Its many rows are not folded again: the table has a checkpoint.
    """

    async def run() -> None:
        house = await opened(tmp_path, address)
        guest, place = await seated(house)
        name = place.live.setup.name
        await does(house, guest, Bet(guest.name, 1, "primary", 700))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("wartable.server.pit.SLEEP_ROWS", 2)
            await a_while_later(house)
        assert name not in house.floor.places
        kept = checkpoints.latest(house.engine, house.key, name)
        assert kept is not None
        assert kept.number == place.live.head[0]
        assert house.cage.money(guest.name) == {"wallet": HELD - 10_000, name: 9_300}
        woken = await house.pit.find(name, guest)
        assert woken.live.state == place.live.state
        assert woken.playing() == {guest.name}
        await does(house, guest, BuyIn(guest.name, 500))
        verify.verify(house.engine, house.key)
        await house.stop()

    in_time(run())


def test_a_table_that_somebody_follows_stays_awake(tmp_path: Path) -> None:
    """A connection keeps a private table open for any time, and so does a command."""

    async def run() -> None:
        house = await opened(tmp_path, str(tmp_path / "house.sqlite"))
        (watched, one), (absent, two) = await seated(house), await seated(house)
        one.enter(watched.name)
        await a_while_later(house)
        assert one.live.setup.name in house.floor.places
        assert two.live.setup.name not in house.floor.places
        await does(house, absent, Join(absent.name, 500, 1))
        await house._keep_house()
        assert two.live.setup.name in house.floor.places
        await house.stop()

    in_time(run())


def test_who_comes_back_while_the_table_falls_asleep(tmp_path: Path, address: str) -> None:
    """Their command waits until it sleeps, wakes it, and is carried out once."""

    async def run() -> None:
        house = await opened(tmp_path, address)
        guest, place = await seated(house)
        name = place.live.setup.name
        falling = asyncio.create_task(house.pit.put_to_sleep([place]))
        while name in house.floor.places:
            await asyncio.sleep(0)
        assert not falling.done()
        await does(house, guest, Join(guest.name, 500, 1))
        await falling
        assert house.floor.places[name] is not place
        assert house.cage.money(guest.name) == {"wallet": HELD - 500, name: 500}
        await house.stop()

    in_time(run())


def test_a_command_looks_at_its_players_tables_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many tables are open, a wager is weighed against those where its player is."""
    looked: list[str] = []

    def counted(setup: Setup, *_: object) -> int:
        looked.append(setup.name)
        return 0

    async def run() -> None:
        house = await opened(tmp_path, str(tmp_path / "house.sqlite"))
        guest, place = await seated(house)
        shown = house.stacks(guest.name)
        for _ in range(MANY):
            await seated(house)
        monkeypatch.setattr(floor, "added", counted)
        await does(house, guest, Bet(guest.name, 1, "primary", 500))
        assert looked == [place.live.setup.name]
        assert house.stacks(guest.name) == shown
        assert house.floor.playing(guest.name)
        assert [each.name for each in house.lobby().tables] == ["online 1"]
        await house.stop()

    in_time(run())


def test_bots_without_company_do_not_look_around(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nobody sits, the bots of a private table wait until somebody does."""
    monkeypatch.setattr("wartable.server.tables.bots.LOOK_S", 0)
    acts: list[str] = []
    act = Bots._act

    async def counted(self: Bots) -> bool:
        acts.append(self._place.live.setup.name)
        return await act(self)

    monkeypatch.setattr(Bots, "_act", counted)

    async def run() -> None:
        house = await opened(tmp_path, str(tmp_path / "house.sqlite"), books=("california",))
        guest, _, _ = await house.new_guest("192.0.2.1")
        place = await house.pit.open_private(guest, "california")
        for _ in range(100):
            await asyncio.sleep(0)
        assert len(acts) < 5
        name = place.live.setup.name
        await house.dispatch.command(guest, name, "1", Join(guest.name, 20_000, 1))
        async with asyncio.timeout(60):
            while len(place.live.state.guests) < 2:
                await asyncio.sleep(0.01)
        await house.stop()

    in_time(run())


def test_an_account_has_so_many_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond them its least used one makes room; if all are in use, it is told how many it has."""
    monkeypatch.setattr("wartable.server.tables.awake.OWN_MAX", 2)
    books = ("online", "washington", "new-zealand")

    async def run() -> None:
        house = await opened(tmp_path, str(tmp_path / "house.sqlite"), books=books)
        guest, _, _ = await house.new_guest("192.0.2.1")
        other, _ = await seated(house)
        for book in books:
            await house.pit.open_private(guest, book)
        own = [f"{book}@{guest.name}" for book in books]
        assert [name in house.floor.places for name in own] == [False, True, True]
        for name in own[1:]:
            house.floor.places[name].enter(guest.name)
        with pytest.raises(Denied) as refused:
            await house.pit.find(own[0], guest)
        assert refused.value.code == "too_many_tables"
        assert refused.value.sentence == "You have 2 of 2 private tables open; leave one."
        assert f"online@{other.name}" in house.floor.places
        house.floor.places[own[1]].exit(guest.name, 0)
        await house.pit.find(own[0], guest)
        assert [name in house.floor.places for name in own] == [True, False, True]
        await house.stop()

    in_time(run())


def test_an_address_has_so_many_tables(tmp_path: Path) -> None:
    """Another address is not concerned, whichever accounts the first one makes up."""

    async def run() -> None:
        house = await opened(tmp_path, str(tmp_path / "house.sqlite"), connections_per_address=2)
        calm, own = await seated(house, "192.0.2.8")
        places = [(await seated(house, "192.0.2.7"))[1] for _ in range(4)]
        names = [place.live.setup.name for place in places]
        assert [name in house.floor.places for name in names] == [False, False, True, True]
        for place in places[2:]:
            place.enter(place.owner or "")
        with pytest.raises(Denied) as refused:
            await seated(house, "192.0.2.7")
        told = "This address has 2 of 2 private tables open; close a page there."
        assert (refused.value.code, refused.value.sentence) == ("too_many_tables", told)
        assert house.floor.places[own.live.setup.name] is own
        await does(house, calm, BuyIn(calm.name, 500))
        await house.stop()

    in_time(run())


def test_a_newcomer_is_not_locked_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a house full of tables that nobody follows, the least used one makes room."""

    async def run() -> None:
        house = await opened(tmp_path, str(tmp_path / "house.sqlite"))
        monkeypatch.setattr("wartable.server.pit.TABLES_MAX", 4)
        crowd = [await seated(house, f"192.0.2.{number}") for number in range(6)]
        newcomer, _ = await seated(house, "198.51.100.1")
        assert len(house.floor.places) == 4
        assert f"online@{newcomer.name}" in house.floor.places
        for place in house.floor.places.values():
            place.enter("somebody")
        with pytest.raises(Denied) as refused:
            await seated(house, "198.51.100.2")
        assert refused.value.code == "full"
        assert all(sum(house.cage.money(guest.name).values()) == HELD for guest, _ in crowd)
        await house.stop()

    in_time(run())


def test_a_house_that_closes_while_a_table_falls_asleep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table is closed with it: nothing of it goes on, and the chips are where they were."""
    monkeypatch.setattr("wartable.server.running.RENEW_S", 0.01)

    async def run() -> None:
        house = await opened(tmp_path, str(tmp_path / "house.sqlite"))
        guest, place = await seated(house)
        stuck: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        monkeypatch.setattr(place.live, "submit", lambda *_: stuck)
        assert isinstance(house.clock, TestClock)
        house.clock.ahead_ms += AWAY_MS
        async with asyncio.timeout(60):
            while place.live.setup.name in house.floor.places:
                await asyncio.sleep(0.01)
        await house.stop()
        assert place.closed
        assert place.task is not None
        assert place.task.done()
        house = await opened(tmp_path, str(tmp_path / "house.sqlite"))
        held = {"wallet": HELD - 10_000, place.live.setup.name: 10_000}
        assert house.cage.money(guest.name) == held
        await house.stop()

    in_time(run())
