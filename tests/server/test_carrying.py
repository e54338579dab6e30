"""A connection that another server carries here is the client's, and nobody else's."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
import sqlalchemy as sa
import uvloop

from waiting import WAIT_S, in_time, until
from wartable.server import carrying
from wartable.server.carrying import HOUSE, Carrier, FirstLine, Near, first_line, read_first_line
from wartable.server.records import database, lease, schema, servers
from wartable.server.records.keys import HouseKey
from wartable.server.records.servers import Holder, Presence, Seen

KEY, OTHER = HouseKey(bytes(32)), HouseKey(bytes(range(32)))
CLIENT = ("192.0.2.7", 4711)
TRACE = "0123456789abcdef"


def test_the_first_line_says_where_the_client_is() -> None:
    """Only a line of this house, for this server, is believed; so is the trace that it names."""
    line = first_line(KEY, "5", CLIENT, TRACE).rstrip(b"\n")
    assert read_first_line(KEY, ("first", "5"), line) == FirstLine(CLIENT, TRACE)
    assert read_first_line(KEY, ("first", "6"), line) is None, "it lost the house under this fence"
    assert read_first_line(OTHER, ("first", "5"), line) is None
    assert read_first_line(KEY, ("5",), line.replace(b"192.0.2.7", b"192.0.2.8")) is None
    assert read_first_line(KEY, ("5",), line.replace(TRACE.encode(), b"0" * 16)) is None
    for bad in (b"", b"GET / HTTP/1.1", b"\xff\xfe", line[:-1], b"5 192.0.2.7 4711 "):
        assert read_first_line(KEY, ("5",), bad) is None
    for bad_trace in ("", "0" * 15, "0" * 17, "G" * 16, f"{TRACE}-", f"{TRACE}-1-1", f"{TRACE}\t"):
        line = first_line(KEY, "5", CLIENT, bad_trace).rstrip(b"\n")
        assert read_first_line(KEY, ("5",), line) is None, "nothing else comes into the logs"


def test_a_line_with_an_address_of_version_6() -> None:
    """It is as good as any."""
    client = ("2001:db8::7", 4711)
    line = first_line(KEY, "5", client, f"{TRACE}-3").rstrip(b"\n")
    assert read_first_line(KEY, ("5",), line) == FirstLine(client, f"{TRACE}-3")


def test_a_line_of_a_later_version_may_say_more() -> None:
    """What is added at its end is not read, but belongs to what is authenticated."""
    line = first_line(KEY, "5", CLIENT, f"{TRACE} more").rstrip(b"\n")
    assert read_first_line(KEY, ("5",), line) == FirstLine(CLIENT, TRACE)
    assert read_first_line(KEY, ("5",), line.replace(b"more", b"less")) is None


class HouseStub(asyncio.Protocol):
    """A server that has the house, which answers with what it gets."""

    heard: list[bytes]

    def __init__(self, heard: list[bytes]) -> None:
        self.heard = heard

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a stream's
        """Keep the way back."""
        self.transport, self._line = transport, b""

    def data_received(self, data: bytes) -> None:
        """Keep the first line, and send the rest back."""
        if not self._line.endswith(b"\n"):
            line, ended, data = (self._line + data).partition(b"\n")
            self._line = line + ended
            if ended:
                self.heard.append(line)
        if data == b"bye":
            self.transport.close()
        elif data:
            self.transport.write(data)


Looked = Callable[[Holder | None], None]


@asynccontextmanager
async def carried(
    monkeypatch: pytest.MonkeyPatch, to: str = HOUSE
) -> AsyncIterator[tuple[Any, ...]]:
    """A carrier that sees what the test says, its address, and what the other server hears."""
    seen = [Seen(Holder(1), {})]
    monkeypatch.setattr(carrying, "LOOK_S", 0.01)
    monkeypatch.setattr(servers, "seen", lambda *_: seen[0])
    loop, heard = asyncio.get_running_loop(), list[bytes]()
    house = await loop.create_server(lambda: HouseStub(heard), "127.0.0.1", 0)
    where = "{}:{}".format(*house.sockets[0].getsockname())
    carrier = Carrier(sa.create_engine("sqlite://"), KEY)
    carrier.begin()
    taking = await loop.create_server(lambda: Near(carrier, to), "127.0.0.1", 0)
    try:
        yield carrier, taking.sockets[0].getsockname(), seen, where, heard
    finally:
        carrier.end()
        taking.close()
        house.close()


async def connected(address: tuple[str, int]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A client's connection."""
    return await asyncio.open_connection(*address)


def test_a_connection_waits_until_somebody_has_the_house(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is carried then, with the client's own address; both ways, to its end."""

    async def run() -> None:
        async with carried(monkeypatch) as (_, address, seen, where, heard):
            reader, writer = await connected(address)
            writer.write(b"hello")
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(reader.read(5), 0.2)
            seen[0] = Seen(Holder(7, where), {})
            assert await reader.readexactly(5) == b"hello"
            said = read_first_line(KEY, ("7",), heard[0])
            assert said is not None
            assert said.client == writer.get_extra_info("sockname")
            big = bytes(range(256)) * 8_192
            writer.write(big)
            assert await reader.readexactly(len(big)) == big
            writer.write(b"bye")
            assert await reader.read() == b""
            writer.close()

    in_time(run(), new_loop=uvloop.new_event_loop)


def test_what_was_carried_to_another_server_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that froze says nothing, so its clients are led to the one that took over."""

    async def run() -> None:
        async with carried(monkeypatch) as (carrier, address, seen, where, heard):
            seen[0] = Seen(Holder(1, where), {})
            reader, writer = await connected(address)
            writer.write(b"one")
            assert await reader.readexactly(3) == b"one"
            seen[0] = Seen(Holder(2, where), {})
            with suppress(ConnectionResetError):
                assert await reader.read() == b""
            writer.close()
            reader, writer = await connected(address)
            writer.write(b"two")
            assert await reader.readexactly(3) == b"two"
            assert read_first_line(KEY, ("2",), heard[1]) is not None
            carrier.end()
            with suppress(ConnectionResetError):
                assert await reader.read() == b""
            writer.close()

    in_time(run(), new_loop=uvloop.new_event_loop)


def test_a_connection_to_a_server_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is cut when that server is gone, not when another has the house."""

    async def run() -> None:
        async with carried(monkeypatch, "wing") as (carrier, address, seen, where, heard):
            seen[0] = Seen(Holder(1, "192.0.2.1:1"), {"wing": where})
            while not carrier.servers:
                await asyncio.sleep(0.01)
            reader, writer = await connected(address)
            writer.write(b"one")
            assert await reader.readexactly(3) == b"one"
            assert read_first_line(KEY, ("wing",), heard[0]) is not None
            seen[0] = Seen(Holder(2, "192.0.2.2:1"), {"wing": where})
            while carrier.holder != Holder(2, "192.0.2.2:1"):
                await asyncio.sleep(0.01)
            writer.write(b"two")
            assert await reader.readexactly(3) == b"two"
            seen[0] = Seen(Holder(2, "192.0.2.2:1"), {})
            with suppress(ConnectionResetError):
                assert await reader.read() == b""
            writer.close()
            reader, writer = await connected(address)
            with suppress(ConnectionResetError):
                assert await reader.read() == b"", "there is no such server"
            writer.close()

    in_time(run(), new_loop=uvloop.new_event_loop)


def test_the_house_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as nobody has it, whoever wants it is told."""
    told: list[None] = []
    monkeypatch.setattr(servers, "seen", lambda *_: Seen(None, {}))

    async def run() -> None:
        carrier = Carrier(sa.create_engine("sqlite://"), KEY, lambda: told.append(None))
        carrier.begin()
        while not told:
            await asyncio.sleep(0.01)
        carrier.end()

    in_time(run())


def test_no_more_connections_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """One too many is closed at once; the others go on."""
    monkeypatch.setattr(carrying, "CARRIED_MAX", 1)

    async def run() -> None:
        async with carried(monkeypatch) as (_, address, seen, where, _):
            seen[0] = Seen(Holder(1, where), {})
            reader, writer = await connected(address)
            writer.write(b"one")
            assert await reader.readexactly(3) == b"one"
            extra, extra_writer = await connected(address)
            with suppress(ConnectionResetError):
                assert await extra.read() == b""
            extra_writer.close()
            writer.write(b"two")
            assert await reader.readexactly(3) == b"two"
            writer.close()

    in_time(run(), new_loop=uvloop.new_event_loop)


@pytest.fixture
def engine(address: str) -> Iterator[sa.Engine]:
    """An empty PostgreSQL database."""
    found = database.engine_for(address)
    database.create(found)
    yield found
    found.dispose()


@pytest.mark.parametrize("address", ["postgres"], indirect=True)
def test_servers_find_the_one_that_has_the_house(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the lease and its own entry; an entry that somebody else wrote is not followed."""
    assert servers.seen(engine, KEY)[:2] == (None, {})
    fence = lease.take(engine, "first")
    assert servers.seen(engine, KEY)[:2] == (Holder(fence, "", "first"), {})
    monkeypatch.setattr(servers, "RENEW_S", WAIT_S)
    first = Presence(engine, KEY, "first", "192.0.2.11:8001", lambda: 3)
    second = Presence(engine, KEY, "second", "192.0.2.12:8001", lambda: 0)
    both = {"first": "192.0.2.11:8001", "second": "192.0.2.12:8001"}
    assert servers.seen(engine, KEY)[:2] == (Holder(fence, "192.0.2.11:8001", "first"), both)
    shown = [(each.name, each.connections, each.has_house) for each in servers.running(engine)]
    assert shown == [("first", 3, True), ("second", 0, False)]
    with engine.begin() as connection:
        connection.execute(schema.servers.update().values(address="192.0.2.66:8001"))
    assert servers.seen(engine, KEY)[:2] == (Holder(fence, "", "first"), {})
    with engine.begin() as connection:  # the code of another server's address
        code = sa.select(schema.servers.c.code).where(schema.servers.c.name == "second")
        found = connection.execute(code).scalar_one()
        values = {"address": "192.0.2.12:8001", "code": found}
        connection.execute(schema.servers.update().values(values))
    assert servers.seen(engine, KEY)[:2] == (Holder(fence, "", "first"), {"second": both["second"]})
    lease.release(engine, fence)
    assert servers.seen(engine, KEY)[0] is None
    first.end()
    assert [each.name for each in servers.running(engine)] == ["second"]
    second.end()


@pytest.mark.parametrize("address", ["postgres"], indirect=True)
def test_a_server_that_is_gone_is_forgotten(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts no more once it has said nothing for a while, by the database's clock."""
    monkeypatch.setattr(servers, "RENEW_S", 0.01)
    presence = Presence(engine, KEY, "first", "192.0.2.11:8001", lambda: 0)

    def said_ms() -> int:
        with engine.connect() as connection:
            return int(connection.execute(sa.select(schema.servers.c.until_ms)).scalar_one())

    before_ms = said_ms()
    until(lambda: said_ms() > before_ms, "it does not say that it runs")
    with engine.begin() as connection:
        long_ago = before_ms - servers.FORGET_MS - servers.UNTIL_MS
        values = ("dead", "192.0.2.13:1", "x", "0", 0, 0, long_ago)
        connection.execute(schema.servers.insert().values(values))

    def known() -> set[str]:
        with engine.connect() as connection:
            return set(connection.execute(sa.select(schema.servers.c.name)).scalars())

    until(lambda: known() == {"first"}, "the dead server is not forgotten")
    presence.end()
