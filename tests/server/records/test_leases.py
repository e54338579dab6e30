"""A table has one owner: a second server is refused, and one that lost its lease writes nothing."""

import asyncio
import time
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
import sqlalchemy as sa

from waiting import in_time
from wartable import game, table
from wartable.croupier import PRIVATE
from wartable.rules import load
from wartable.rules.load import shipped_raw
from wartable.server.audit import verify
from wartable.server.house.cashier import Cashier
from wartable.server.records import database, journal, schema, table_leases
from wartable.server.records.answers import Accepted, Answer, RefusedCommand
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import PayIn
from wartable.server.records.rows import CASHIER, Entry
from wartable.server.records.store import CommitRefused
from wartable.server.records.writer import Writer
from wartable.server.tables.live import LiveTable
from wartable.table import commands as c

NAME = "online 1"
KEY = HouseKey(bytes(32))
DAYS_MS = 2 * 24 * 3_600_000


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.ms = 1_800_000_000_000

    def now_ms(self) -> int:
        """The time."""
        return self.ms


class Server:
    """One process's part: a writer, a table, and the lease that it holds."""

    def __init__(self, address: str, owner: str, clock: Clock) -> None:
        self.owner, self.clock = owner, clock
        self.engine = database.engine_for(address)
        database.create(self.engine)
        self.writer = Writer(address)
        self._seeds = (f"{number:064x}" for number in count(2))

    async def open(self) -> LiveTable:
        """Take the table, as its journal has it."""
        book = load("online")
        setup = table.new_setup(book.rules, NAME)
        fence, new = table_leases.open_table(
            self.engine, self.owner, book, shipped_raw("online"), setup
        )
        live = LiveTable(
            setup,
            PRIVATE,
            commit=self.writer.commit,
            clock=self.clock,
            new_seed=lambda: next(self._seeds),
            key=KEY,
            fence=fence,
        )
        live.restore(database.rows_of(self.engine, NAME))
        if live.head[0] == 0:
            await live.open(book.digest, new)
        return live

    def cashier(self) -> Cashier:
        """A cashier who goes on where the records end now."""
        head = database.head_of(self.engine, CASHIER)
        return Cashier(self.writer.commit, self.clock, KEY, head)

    def close(self) -> None:
        """Give up the connections."""
        self.engine.dispose()


@pytest.fixture
def servers(address: str) -> Iterator[tuple[Server, Server]]:
    """Two servers on one empty database, each with a clock of its own."""
    found = Server(address, "first", Clock()), Server(address, "second", Clock())
    yield found
    for server in found:
        server.close()


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The database's clock, in the test's hand."""
    clock = Clock()
    for reader in (database, table_leases):
        monkeypatch.setattr(reader, "clock_ms", lambda _: clock.ms)
    return clock


async def ask(live: LiveTable, id_: str, command: c.Command) -> Answer:
    """One command's answer from a table that then stops."""
    waiting = live.submit("ann", id_, command)
    task = asyncio.create_task(live.run())
    both: list[asyncio.Future[Any]] = [task, waiting]
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        task.result()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return waiting.result()


def rows(engine: sa.Engine) -> int:
    """How many rows the table has."""
    return len(list(database.rows_of(engine, NAME)))


def test_a_second_server_is_refused(servers: tuple[Server, Server], shared: Clock) -> None:
    """As long as the first holds its lease, the second gets no table of it."""
    first, second = servers

    async def run() -> None:
        await first.open()
        for _ in range(5):
            shared.ms += table_leases.LEASE_MS - 1
            assert table_leases.renew(first.engine, first.owner).keys() == {NAME}
            with pytest.raises(table_leases.TableTaken):
                await second.open()
        table_leases.release(first.engine, first.owner)
        await second.open()

    in_time(run())


def test_a_new_table_is_there_with_its_first_row(servers: tuple[Server, Server]) -> None:
    """Nothing of a new table is written before its first row; one of two who open it gets it."""
    first, second = servers

    async def run() -> None:
        slow = second.writer.commit

        async def overtaken(entry: Entry) -> None:
            assert not database.is_table(second.engine, NAME)
            assert database.stray(second.engine) is None
            await first.open()
            await slow(entry)

        second.writer.commit = overtaken  # type: ignore[method-assign]  # comes too late
        with pytest.raises(table_leases.TableTaken, match=f"The table {NAME} is open in another"):
            await second.open()

    in_time(run())
    assert verify.verify(second.engine, KEY).rows == 1
    assert table_leases.renew(first.engine, first.owner).keys() == {NAME}
    assert table_leases.renew(second.engine, second.owner) == {}


@pytest.mark.parametrize("wrong_ms", [-DAYS_MS, DAYS_MS])
def test_a_wrong_clock_gets_no_lease(servers: tuple[Server, Server], wrong_ms: int) -> None:
    """A lease ends by the database's clock: not for a server whose own is ahead, nor never."""
    first, second = servers
    with first.engine.connect() as connection:
        now_ms = database.clock_ms(connection)
    first.clock.ms = second.clock.ms = now_ms

    async def run() -> None:
        await first.open()
        second.clock.ms += wrong_ms
        with pytest.raises(table_leases.TableTaken):
            await second.open()
        assert list(table_leases.busy(second.engine)) == [NAME]
        tables = schema.tables
        with first.engine.begin() as connection:
            now_ms = database.clock_ms(connection)
            connection.execute(tables.update().values(lease_until_ms=now_ms - 1))
        assert list(table_leases.busy(second.engine)) == []
        await second.open()

    in_time(run())
    assert abs(now_ms - time.time_ns() // 1_000_000) < DAYS_MS // 2, "it is not the present time"


def test_R4_who_lost_the_lease_writes_nothing(
    servers: tuple[Server, Server], shared: Clock
) -> None:
    """A server that was paused too long cannot commit, nor renew, and the records stay whole."""
    first, second = servers

    async def run() -> None:
        await first.cashier().carry_out("drill", "fund", PayIn("ann", 1_000))
        old = await first.open()
        shared.ms += table_leases.LEASE_MS + 1
        new = await second.open()
        before = rows(first.engine)
        with pytest.raises(CommitRefused, match="belongs to another process"):
            await ask(old, "join", c.Join("ann", 500, 1))
        assert rows(first.engine) == before
        assert old.head[0] == before
        assert "ann" not in old.state.guests
        assert table_leases.renew(first.engine, first.owner) == {}
        assert isinstance(await ask(new, "join", c.Join("ann", 500, 1)), Accepted)

    in_time(run())
    assert verify.verify(second.engine, KEY).tables == 1


def test_two_cashiers_do_not_block_each_other(servers: tuple[Server, Server]) -> None:
    """A cashier that another one has overtaken goes on from the journal's head; ids hold."""
    first, second = servers

    async def run() -> None:
        one, other = first.cashier(), second.cashier()
        for number in range(1, 4):
            for cashier in (one, other):
                answer = await cashier.carry_out("drill", f"pay {number}", PayIn("ann", 100))
                assert answer == Accepted(f"pay {number}", number)
        used = await one.carry_out("drill", "pay 1", PayIn("ann", 200))
        assert isinstance(used, RefusedCommand)
        assert used.code == "id_used"

    in_time(run())
    assert database.balances(first.engine)["wallet:ann"] == 300
    verify.verify(first.engine, KEY)


def test_what_the_platform_does_at_once_is_in_the_transaction(
    servers: tuple[Server, Server],
) -> None:
    """The deal and the next round stand with the command that they follow, or not at all."""
    server, _ = servers
    works = True
    kept: list[tuple[str, ...]] = []

    async def commit(entry: Entry) -> None:
        if not works:
            raise CommitRefused("conflict", "The records are full.")
        await server.writer.commit(entry)
        kinds = [type(journal.read_command(each.row.command)) for each in entry.together()]
        kept.append(tuple(kind.__name__ for kind in kinds))

    async def run() -> None:
        nonlocal works
        await server.cashier().carry_out("drill", "fund", PayIn("ann", 1_000))
        live = await server.open()
        live._commit = commit
        await ask(live, "1", c.Join("ann", 1_000, 1))
        await ask(live, "2", game.Bet("ann", 1, "primary", 500))
        before, listener, works = live.head, live.listen(live.head[0]), False
        refused = await ask(live, "3", game.CloseBets())
        assert isinstance(refused, RefusedCommand)
        assert (live.head, listener.outbox) == (before, [])
        assert rows(server.engine) == before[0]
        works = True
        dealt = await ask(live, "4", game.CloseBets())
        assert dealt == Accepted("4", before[0] + 1)
        assert kept[-1] == ("CloseBets", "Proceed", "ShuffleCards")
        assert live.head[0] == before[0] + len(kept[-1]) == rows(server.engine)
        await ask(live, "5", game.Bet("ann", 1, "primary", 500))
        live._answers.clear()
        before = live.head
        assert await ask(live, "4", game.CloseBets()) == dealt
        assert live.head == before
        await server.writer.close()

    in_time(run())
    verify.verify(server.engine, KEY)
