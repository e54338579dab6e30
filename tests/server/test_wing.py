"""A server without the house has private tables: what the house restricts holds there at once."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from opened_houses import Deaf, opened, opened_wing
from recorded_houses import new_database
from tampering import drop_triggers
from waiting import WAIT_S, in_time
from wartable.game import Bet
from wartable.server import wing as wings
from wartable.server.audit import marks, verify
from wartable.server.carrying import HOUSE
from wartable.server.denied import Denied
from wartable.server.house import counted
from wartable.server.house.accounts import Account
from wartable.server.house.guard import Guard
from wartable.server.house.rights import Rights
from wartable.server.records import database, journal, schema
from wartable.server.records.answers import Accepted, Answer, RefusedCommand
from wartable.server.records.listening import OfficeListener
from wartable.server.records.rows import OFFICE, Row
from wartable.server.running import House
from wartable.server.wing import Wing
from wartable.table.commands import Join

SECRET = bytes(range(32))


@pytest.fixture
def address(postgres_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty PostgreSQL database; no server follows the office by itself."""
    monkeypatch.setenv("WARTABLE_KEY", SECRET.hex())
    monkeypatch.setattr(wings, "FOLLOW_S", WAIT_S)
    monkeypatch.setattr(wings, "OfficeListener", Deaf)
    return new_database(postgres_server)


class Servers:
    """The server that has the house, a wing, and a guest with a table of their own there."""

    def __init__(self, house: House, wing: Wing, guest: Account, token: str) -> None:
        self.house, self.wing, self.guest, self.token = house, wing, guest, token
        self.table = f"online@{guest.name}"
        self._count = 0

    async def ask(self, where: House, command: object) -> Answer:
        """The answer to the guest's command at a server."""
        self._count += 1
        return await where.dispatch.command(
            self.guest,
            self.table,
            str(self._count),
            command,  # type: ignore[arg-type]  # of any kind
        )

    async def bet(self, where: House, amount: int) -> Answer:
        """The answer to a bet."""
        return await self.ask(where, Bet(self.guest.name, 1, "primary", amount))


def refused(answer: Answer) -> str:
    """The code of a refusal."""
    assert isinstance(answer, RefusedCommand), answer
    return answer.code


def run(tmp_path: Path, address: str, work: Callable[[Servers], Awaitable[None]]) -> None:
    """Open a house and a wing, have a guest sit down at the wing, and do this."""

    async def whole() -> None:
        house = await opened(tmp_path / "one", address)
        wing = await opened_wing(tmp_path / "two", address)
        try:
            guest, _, token = await house.new_guest("192.0.2.7")
            servers = Servers(house, wing, guest, token)
            await wing.follow()
            await wing.pit.open_private(guest, "online")
            joined = await servers.ask(wing, Join(guest.name, 50_000, 1))
            assert isinstance(joined, Accepted), joined
            await work(servers)
            verify.verify(house.engine, house.key)
        finally:
            await wing.stop()
            await house.stop()

    in_time(whole())


def test_what_is_closed_at_one_server_is_closed_at_all(tmp_path: Path, address: str) -> None:
    """For the very next command, although nobody has told the other server; so when it opens."""

    async def work(servers: Servers) -> None:
        await servers.house.disable("eve", "table", servers.table, "a test")
        assert refused(await servers.bet(servers.wing, 500)) == "disabled"
        await servers.house.enable("eve", "table", servers.table, "a test")
        assert isinstance(await servers.bet(servers.wing, 500), Accepted)

    run(tmp_path, address, work)


def test_who_is_excluded_at_one_server_is_excluded_at_all(tmp_path: Path, address: str) -> None:
    """For the very next command."""

    async def work(servers: Servers) -> None:
        now_ms = servers.house.clock.now_ms()
        await servers.house.exclude(servers.guest, now_ms + 10**8, "enough")
        assert refused(await servers.bet(servers.wing, 500)) == "excluded"

    run(tmp_path, address, work)


def test_a_table_that_another_server_took_is_written_no_more(tmp_path: Path, address: str) -> None:
    """A server that was frozen for longer than its lease writes nothing, and gives it up."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        with pytest.raises(Denied, match="another server"):
            await house.pit.find(servers.table, servers.guest)
        with house.engine.begin() as connection:  # the time passes
            connection.execute(schema.tables.update().values(lease_until_ms=1))
        place = await house.pit.find(servers.table, servers.guest)
        head = place.live.head
        assert refused(await servers.bet(wing, 500)) == "no_answer"
        while servers.table in wing.floor.places:
            await asyncio.sleep(0.01)
        assert database.head_of(house.engine, servers.table) == head
        assert isinstance(await servers.bet(house, 500), Accepted)

    run(tmp_path, address, work)


def test_a_session_that_ends_at_one_server_ends_at_all(tmp_path: Path, address: str) -> None:
    """Once the other server has followed the office, which it does when it hears of a row."""

    async def work(servers: Servers) -> None:
        there = await servers.wing.sessions.session(servers.token)
        await servers.house.sessions.sign_out(await servers.house.sessions.session(servers.token))
        assert not there.ended
        await servers.wing.follow()
        assert there.ended
        with pytest.raises(Denied, match="Sign in"):
            await servers.wing.sessions.session(servers.token)

    run(tmp_path, address, work)


def test_a_server_hears_at_once_what_the_office_wrote(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without looking by itself, and again over a new connection when the first one is lost."""
    monkeypatch.setattr(wings, "OfficeListener", OfficeListener)
    monkeypatch.setattr(wings, "FOLLOW_S", 10 * WAIT_S)

    async def closed(wing: Wing, name: str) -> None:
        async with asyncio.timeout(WAIT_S):
            while ("table", name) not in wing.protection.closures:
                await asyncio.sleep(0.01)

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        await house.disable("eve", "table", "online 1", "a test")
        await closed(wing, "online 1")
        with house.engine.connect() as connection:
            listening = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE"
            ended = connection.exec_driver_sql(f"{listening} 'LISTEN %%'").all()
        assert ended == [(True,)]
        await house.disable("eve", "table", servers.table, "a test")
        await closed(wing, servers.table)
        assert refused(await servers.bet(wing, 500)) == "disabled"

    run(tmp_path, address, work)


def test_money_that_comes_at_one_server_is_there_at_all(tmp_path: Path, address: str) -> None:
    """Several guests who have just come sit down at another server at once."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        guests = [(await house.new_guest("192.0.2.7"))[0] for _ in range(3)]
        await wing.follow()

        async def sit(guest: Account) -> Answer:
            place = await wing.pit.open_private(guest, "online")
            name = place.live.setup.name
            return await wing.dispatch.command(guest, name, "1", Join(guest.name, 50_000, 1))

        answers = await asyncio.gather(*(sit(guest) for guest in guests))
        assert all(isinstance(each, Accepted) for each in answers), answers
        much = await wing.dispatch.command(
            servers.guest, servers.table, "much", Join(servers.guest.name, 1, 1)
        )
        assert isinstance(much, RefusedCommand)
        await house.wallets.catch_up()
        assert house.wallets.amounts == wing.wallets.amounts

    run(tmp_path, address, work)


def test_where_tables_belong(tmp_path: Path, address: str) -> None:
    """Shared ones where the house is, private ones where they are open, or anywhere."""

    async def work(servers: Servers) -> None:
        house, wing = servers.house, servers.wing
        assert await house.placing.of(servers.table) is None, "one server, as far as it knows"
        for each in (house, wing):
            carrier = each.placing.carry()
            while not carrier.holder:
                await asyncio.sleep(0.01)
        house.placing.enter("192.0.2.1:1")
        wing.placing.enter("192.0.2.2:1")
        assert house.placing.carrier is not None
        while len(house.placing.carrier.servers) < 2:
            await asyncio.sleep(0.01)
        assert await wing.placing.of("online 1") == HOUSE
        assert await house.placing.of("online 1") is None
        assert await wing.placing.of(servers.table) is None
        assert await house.placing.of(servers.table) == wing.owner
        found = {await house.placing.of(f"online@guest-{number}") for number in range(40)}
        assert found == {None, wing.owner}, "they spread"
        apart = {
            await house.placing.of(f"online@guest-{number}", {wing.owner}) for number in range(9)
        }
        assert apart == {None}, "not to a server that could not open them"
        await house.set_limit("eve", "*", "loss_day", "operator", 1_000)
        found = {await house.placing.of(f"online@guest-{number}") for number in range(40)}
        assert found == {None, wing.owner}, "whoever has a limit is anywhere"

    run(tmp_path, address, work)


def test_a_program_that_nobody_approved_has_no_table(tmp_path: Path, address: str) -> None:
    """It carries, and waits to take over."""

    async def whole() -> None:
        house = await opened(tmp_path / "one", address)
        wing = await opened_wing(tmp_path / "two", address, wrong=["dealt.py was changed."])
        try:
            guest, _, _ = await house.new_guest("192.0.2.7")
            await wing.follow()
            with pytest.raises(Denied, match="another server"):
                await wing.pit.open_private(guest, "online")
            await house.pit.open_private(guest, "online")
        finally:
            await wing.stop()
            await house.stop()

    in_time(whole())


def test_it_has_read_everything_when_it_takes_over(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Marks, rights and what counts towards limits are as new as the records, in its folder."""

    async def work(servers: Servers) -> None:
        wing, folder = servers.wing, tmp_path / "two"
        await wing._stand_by()
        await wing.marks.keep()
        with wing.engine.connect() as connection:
            now = database.heads(connection)
        assert marks.heads_of(marks.read(folder / marks.FILE, wing.key.signed)) == now
        kept = counted.read(folder, wing.key)
        assert kept is not None
        assert kept.heads == now
        read: list[Row] = []
        with monkeypatch.context() as patched:
            patched.setattr(Rights, "note", lambda _self, row, _note: read.append(row))
            assert Guard(wing.engine, wing.key, folder).head == now[OFFICE]
        assert read == [], "the rights were kept, so no row of the office is read again"

    run(tmp_path, address, work)


def test_a_row_that_was_taken_away_is_noticed(
    tmp_path: Path, address: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The server says so, and keeps the marks that show it."""

    async def whole() -> None:
        house = await opened(tmp_path / "one", address)
        wing = await opened_wing(tmp_path / "two", address)
        try:
            await wing._stand_by()
            number, _ = wing.guard.head
            with house.engine.begin() as connection:
                drop_triggers(connection)
                rows, last = schema.journal, schema.heads
                ours = sa.and_(rows.c.table_name == OFFICE, rows.c.number == number)
                connection.execute(rows.delete().where(ours))
                before = sa.select(rows.c.hash).where(
                    rows.c.table_name == OFFICE, rows.c.number == number - 1
                )
                hash_ = connection.execute(before).scalar() or journal.GENESIS
                values = {"number": number - 1, "hash": hash_}
                connection.execute(last.update().where(last.c.table_name == OFFICE).values(values))
            with caplog.at_level(logging.ERROR):
                await wing._stand_by()
            assert "records do not fit the marks" in caplog.text
        finally:
            await wing.stop()
            await house.stop()

    in_time(whole())
