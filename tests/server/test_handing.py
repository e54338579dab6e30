"""A connection that is handed over goes on at another server, and has left the first one."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, cast

import pytest
import uvloop

from waiting import WAIT_S, in_time
from wartable.server import handing
from wartable.server.carrying import Carrier, first_line
from wartable.server.handing import EARLY_BYTES_MAX, Neighbors
from wartable.server.records.keys import HouseKey

KEY, OTHER = HouseKey(bytes(32)), HouseKey(bytes(range(32)))
TRACE = "0123456789abcdef"
LOOPS = [
    pytest.param(asyncio.new_event_loop, id="asyncio"),
    pytest.param(uvloop.new_event_loop, id="uvloop"),
]
Loop = Callable[[], asyncio.AbstractEventLoop]


class Ways:
    """What a carrier knows: the servers by their names, and which of them has the house."""

    key = KEY

    def way(self, to: str) -> tuple[str, str] | None:
        """Every server but one answers to its name; the house to its fence."""
        return None if to == "gone" else (to or "5", "127.0.0.1:1")

    def name_of(self, to: str) -> str:
        """The second server has the house."""
        return to or "second"


class First(asyncio.Protocol):
    """A client's connection to the first server, which keeps what it hears."""

    def __init__(self) -> None:
        self.heard, self.lost = b"", asyncio.Event()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a stream's
        """Keep the way to the client."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Keep what the client says, and say that it came."""
        self.heard += data
        self.transport.write(b"first:" + data)

    def connection_lost(self, _: Exception | None) -> None:
        """Note that it is over here."""
        self.lost.set()


class Second(asyncio.Protocol):
    """The same connection at the second server, which answers what it hears in capitals."""

    def __init__(self, early: bytes, trace: str) -> None:
        self._early, self._trace = early, trace

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # a stream's
        """Answer what the client said before it came here."""
        self.transport = transport
        client = transport.get_extra_info("peername")[1]
        transport.write(f"{self._trace} {client} ".encode())
        self.data_received(self._early)

    def data_received(self, data: bytes) -> None:
        """Answer."""
        self.transport.write(data.upper())


class Two:
    """Two servers on one machine, and a client of the first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ways = cast(Carrier, Ways())
        self.first = Neighbors(folder, ways, "first", ("first",))
        self.second = Neighbors(folder, ways, "second", ("second", "5"))

    async def come(self) -> None:
        """Begin, and let a client come to the first server."""
        loop = asyncio.get_running_loop()
        self.first.begin(Second)
        self.second.begin(Second)
        arrived: asyncio.Future[First] = loop.create_future()

        def make() -> First:
            made = First()
            arrived.set_result(made)
            return made

        self.listening = await loop.create_server(make, "127.0.0.1", 0)
        port = self.listening.sockets[0].getsockname()[1]
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port)
        self.port = self.writer.get_extra_info("sockname")[1]
        self.connection = await arrived
        self.writer.write(b"hello ")
        await self.hears(b"first:hello ")

    async def hears(self, words: bytes) -> None:
        """Wait until the client hears exactly this."""
        assert await self.reader.readexactly(len(words)) == words

    async def hand(self, to: str = "second", early: bytes = b"hello ") -> bool:
        """Have the first server hand the client over."""
        return await self.first.hand(self.connection.transport, to, early, TRACE)

    async def stays(self) -> None:
        """See that the client is at the first server still."""
        self.connection.transport.resume_reading()
        self.writer.write(b"more")
        await self.hears(b"first:more")

    def end(self) -> None:
        """End both, unless a test has."""
        for each in (self.first, self.second):
            if each._socket.fileno() >= 0:
                each.close()
        self.writer.close()
        self.listening.close()


@asynccontextmanager
async def two(folder: Path) -> AsyncIterator[Two]:
    """Two servers in this folder."""
    servers = Two(folder)
    await servers.come()
    try:
        yield servers
    finally:
        servers.end()


def run(test: Any, loop: Loop = uvloop.new_event_loop) -> None:
    """Run it in time, on this kind of loop."""
    in_time(test, new_loop=loop)


@pytest.mark.parametrize("to", ["second", ""])
@pytest.mark.parametrize("loop", LOOPS)
def test_a_client_goes_on_at_the_other_server(tmp_path: Path, loop: Loop, to: str) -> None:
    """It hears what it said before answered there, and the end of the first ends nothing."""

    async def test() -> None:
        async with two(tmp_path) as servers:
            assert await servers.hand(to)
            await servers.hears(f"{TRACE} {servers.port} HELLO ".encode())
            await servers.connection.lost.wait()
            servers.first.close()
            servers.writer.write(b"more")
            await servers.hears(b"MORE")
            assert servers.connection.heard == b"hello ", "the first heard nothing more"

    run(test(), loop)


@pytest.mark.parametrize("loop", LOOPS)
def test_what_a_client_says_meanwhile_is_not_lost(tmp_path: Path, loop: Loop) -> None:
    """What it says while nobody reads is read by the second server, after what it said before."""

    async def test() -> None:
        async with two(tmp_path) as servers:
            servers.connection.transport.pause_reading()
            servers.writer.write(b"and more")
            await servers.writer.drain()
            assert await servers.hand()
            await servers.hears(f"{TRACE} {servers.port} HELLO AND MORE".encode())

    run(test(), loop)


def test_who_is_not_on_this_machine_is_reached_in_another_way(tmp_path: Path) -> None:
    """Then the client stays, to be carried; likewise one that has said too much."""

    async def test() -> None:
        async with two(tmp_path) as servers:
            for to in ("third", "gone"):
                assert not await servers.hand(to)
                await servers.stays()
            assert not await servers.hand(early=b"x" * (EARLY_BYTES_MAX + 1))
            await servers.stays()
            servers.second.close()
            assert not await servers.hand()
            await servers.stays()

    run(test())


def test_a_server_that_was_killed_takes_nothing_until_it_is_back(tmp_path: Path) -> None:
    """Its socket is still in the folder; another process of that name takes its place."""

    async def test() -> None:
        async with two(tmp_path) as servers:
            asyncio.get_running_loop().remove_reader(servers.second._socket)
            servers.second._socket.close()
            assert (tmp_path / "second").is_socket()
            assert not await servers.hand()
            await servers.stays()
            servers.second = Neighbors(tmp_path, cast(Carrier, Ways()), "second", ("second",))
            servers.second.begin(Second)
            assert await servers.hand()
            await servers.hears(f"{TRACE} {servers.port} HELLO ".encode())

    run(test())


def test_a_server_that_has_others_to_take_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client waits for it; if that takes too long, it is carried."""

    async def test() -> None:
        async with two(tmp_path) as servers:
            loop = asyncio.get_running_loop()
            loop.remove_reader(servers.second._socket)
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as filling:
                filling.setblocking(False)
                with suppress(BlockingIOError):
                    while filling.sendto(b"nothing", str(tmp_path / "second")):
                        pass
            monkeypatch.setattr(handing, "FULL_S", 0)
            assert not await servers.hand()
            await servers.stays()
            monkeypatch.setattr(handing, "FULL_S", WAIT_S)
            handed = asyncio.ensure_future(servers.hand())
            await asyncio.sleep(0)
            assert not handed.done()
            loop.add_reader(servers.second._socket, servers.second._come, Second)
            assert await handed
            await servers.hears(f"{TRACE} {servers.port} HELLO ".encode())

    run(test())


def test_a_client_that_has_left_is_nobodys(tmp_path: Path) -> None:
    """There is nothing to hand over or to carry."""

    async def test() -> None:
        async with two(tmp_path) as servers:
            servers.writer.transport.abort()
            await servers.connection.lost.wait()
            handed = await servers.hand()
            assert handed or servers.connection.transport.is_closing()

    run(test())


@pytest.mark.parametrize(
    ("key", "to"), [(OTHER, "second"), (KEY, "first")], ids=["another house", "another server"]
)
def test_only_this_house_hands_anything_over(tmp_path: Path, key: HouseKey, to: str) -> None:
    """A connection whose line is not the house's, or is for another server, is ended."""

    async def test() -> None:
        async with two(tmp_path):
            ours, theirs = socket.socketpair()
            line = first_line(key, to, ("192.0.2.7", 4711), TRACE)
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stranger:
                stranger.connect(str(tmp_path / "second"))
                socket.send_fds(stranger, [line], [theirs.fileno()])
            theirs.close()
            ours.setblocking(False)
            with ours:
                assert await asyncio.get_running_loop().sock_recv(ours, 1) == b"", "it is ended"

    run(test())


def test_only_the_house_opens_the_folder(tmp_path: Path) -> None:
    """Nobody else on the machine can take a client by having the name of a server."""

    async def test() -> None:
        neighbors = Neighbors(tmp_path / "neighbors", cast(Carrier, Ways()), "first", ())
        neighbors.begin(Second)
        assert (tmp_path / "neighbors").stat().st_mode & 0o777 == 0o700
        neighbors.close()
        assert not list((tmp_path / "neighbors").iterdir())

    in_time(test())
