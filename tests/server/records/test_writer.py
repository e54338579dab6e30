"""The process that commits: it may die at any moment, and every entry is written once."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import NoneType
from unittest import mock

import pytest
from msgspec.structs import replace

from forked_writers import started_as_program
from waiting import WAIT_S, in_time
from wartable.server.records import database
from wartable.server.records.decisions import of_house
from wartable.server.records.journal import GENESIS, Chain
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import PayIn
from wartable.server.records.rows import CASHIER, OFFICE, Entry
from wartable.server.records.store import CommitRefused, Repeated, Unsure
from wartable.server.records.writer import SENT_MAX, Link, Pending, Writer

pytestmark = pytest.mark.slow("starts and kills the writing process")

KEY = HouseKey(bytes(32))


def chain(count: int) -> list[Entry]:
    """So many deposits of one cent, one after the other."""
    entries, head = [], (0, GENESIS)
    for number in range(1, count + 1):
        decision = of_house(CASHIER, PayIn("ann", 1))
        entry = Chain(CASHIER, KEY).entry(head, number, "test", f"pay {number}", decision)
        entries.append(entry)
        head = (entry.row.number, entry.row.hash)
    return entries


@pytest.fixture
def address(tmp_path: Path) -> str:
    """An empty database."""
    path = str(tmp_path / "house.sqlite")
    engine = database.engine_for(path)
    database.create(engine)
    engine.dispose()
    return path


@pytest.fixture(autouse=True)
def _as_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The writing processes are started as a house starts them: they are what is tested."""
    monkeypatch.setattr("wartable.server.records.writer.started", started_as_program)


def process_of(link: Link) -> "subprocess.Popen[bytes]":
    """The process that a link leads to."""
    assert isinstance(link.process, subprocess.Popen)
    return link.process


def wallet(address: str) -> int:
    """What ann has, each deposit being in the journal too."""
    engine = database.engine_for(address)
    held = database.balances(engine).get("wallet:ann", 0)
    assert len(list(database.rows_of(engine, CASHIER))) == held
    engine.dispose()
    return held


def test_a_process_that_dies_is_started_again(address: str) -> None:
    """Killed between two commits, it is replaced, and nothing is lost or written twice."""
    first, second = chain(2)
    processes: list[int] = []
    opened = Link.open

    async def noted(where: str, house: int | None) -> Link:
        link = await opened(where, house)
        processes.append(link.process.pid)
        return link

    async def run() -> None:
        writer = Writer(address)
        await writer.commit(first)
        os.kill(processes[0], signal.SIGKILL)
        await writer.commit(second)
        await writer.close()

    with mock.patch.object(Link, "open", noted):
        in_time(run())
    assert len(processes) == 2
    assert wallet(address) == 2


def test_a_lost_reply_is_no_second_commit(address: str) -> None:
    """What was committed before the reply was lost is found in the journal."""
    sent: list[int] = []
    send, settle = Link.send, Link.settle

    def noted(link: Link, batch: Sequence[Pending]) -> None:
        sent.append(len(batch))
        send(link, batch)

    async def deaf(link: Link, batch: Sequence[Pending]) -> list[Pending]:
        if len(sent) == SENT_MAX:
            for count in sent:
                own = [Pending(each.entry, asyncio.Future()) for each in batch[:count]]
                assert await settle(link, own) == []
            raise ConnectionResetError
        return await settle(link, batch)

    async def run() -> None:
        writer = Writer(address)
        await asyncio.gather(*(writer.commit(entry) for entry in chain(90)))
        await writer.close()

    with mock.patch.multiple(Link, send=noted, settle=deaf):
        in_time(run())
    assert len(sent) == 2 * SENT_MAX
    assert sum(sent) == 2 * 90
    assert wallet(address) == 90


def test_closing_writes_what_is_waiting(address: str) -> None:
    """Entries that nobody waits for any more are written before the writer is closed."""

    async def run() -> None:
        writer = Writer(address)
        waiting = [asyncio.create_task(writer.commit(entry)) for entry in chain(700)]
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
        await writer.close()

    in_time(run())
    assert wallet(address) == 700


def test_an_id_is_written_once(address: str) -> None:
    """An id that the journal has already is refused with the row that it was."""
    first, second = chain(2)
    again = replace(second, row=replace(second.row, command_id="pay 1"))

    async def run() -> None:
        writer = Writer(address)
        await writer.commit(first)
        with pytest.raises(Repeated) as refused:
            await writer.commit(again)
        assert (refused.value.number, refused.value.command) == (1, first.row.command)
        await writer.close()

    in_time(run())
    assert wallet(address) == 1


def test_what_is_written_together_is_written_whole(address: str) -> None:
    """Rows of one transaction are all there or none, and the rest of the batch is not held up."""
    first, second, third = chain(3)
    broken = replace(third, row=replace(third.row, command_id="pay 1"))

    async def run() -> None:
        writer = Writer(address)
        await writer.commit(first)
        other = replace(first.row, table_name=OFFICE)
        results = await asyncio.gather(
            writer.commit(replace(second, then=(broken,))),
            writer.commit(Entry(other, (), 0)),
            return_exceptions=True,
        )
        assert [type(each) for each in results] == [CommitRefused, NoneType]
        assert wallet(address) == 1
        await writer.commit(replace(second, then=(third,)))
        await writer.close()

    in_time(run())
    assert wallet(address) == 3


def test_whether_it_works_is_known(tmp_path: Path) -> None:
    """From the first try that fails until one that does not, the writer says that it does not."""
    path = tmp_path / "later" / "house.sqlite"

    async def run() -> None:
        writer = Writer(str(path))
        assert writer.works
        waiting = asyncio.create_task(writer.commit(chain(1)[0]))
        async with asyncio.timeout(WAIT_S):
            while writer.works:
                await asyncio.sleep(0.01)
            path.parent.mkdir()
            engine = database.engine_for(str(path))
            database.create(engine)
            engine.dispose()
            await waiting
        assert writer.works
        await writer.close()

    in_time(run())
    assert wallet(str(path)) == 1


def test_closing_without_a_database_ends(tmp_path: Path) -> None:
    """While the database is out of reach nothing is said, and a house that closes is not held."""

    async def run() -> None:
        writer = Writer(str(tmp_path / "nowhere" / "house.sqlite"))
        waiting = asyncio.create_task(writer.commit(chain(1)[0]))
        await asyncio.sleep(0)
        assert not waiting.done()
        await writer.close()
        with pytest.raises(Unsure, match="closed while the database"):
            await waiting

    in_time(run())


@pytest.mark.parametrize("woken", [True, False])
def test_a_process_that_hangs_writes_nothing_later(
    address: str, woken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one that hangs is waited for all else goes on, and it ends before the next begins."""
    first, second = chain(2)
    links: list[Link] = []
    ended: list[int | None] = []
    opened, settle = Link.open, Link.settle
    monkeypatch.setattr("wartable.server.records.writer.CLOSE_S", WAIT_S if woken else 0.1)

    async def noted(where: str, house: int | None) -> Link:
        ended.extend(process_of(link).poll() for link in links)
        links.append(await opened(where, house))
        return links[-1]

    async def hanging(link: Link, batch: Sequence[Pending]) -> list[Pending]:
        if link is links[0] and batch[0].entry is second:
            process_of(link).send_signal(signal.SIGSTOP)
            if woken:
                loop = asyncio.get_running_loop()
                loop.call_later(0.1, process_of(link).send_signal, signal.SIGCONT)
            raise ConnectionError("no reply")
        return await settle(link, batch)

    async def commit() -> None:
        writer = Writer(address)
        await writer.commit(first)
        await writer.commit(second)
        await writer.close()

    with mock.patch.multiple(Link, open=noted, settle=hanging):
        in_time(commit())
    links[0].process.kill()
    assert ended == [0 if woken else -signal.SIGKILL]
    assert wallet(address) == 2
