"""The process that commits, separate so that no table waits for the database.

The server's side is `Writer`, which sends the waiting entries of all tables as one batch; the
other side is `committing`, which ends with the server.
"""

import asyncio
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol, Self

import msgspec

from wartable.server.logs import LOG
from wartable.server.records import committing
from wartable.server.records.committing import LENGTH_BYTES, Batch, Reply, encode
from wartable.server.records.rows import Entry
from wartable.server.records.store import CommitRefused, Unsure

BATCH_MIN = 48
BATCH_MAX = 512
SENT_MAX = 2
"""One batch is written while the next is on its way."""

WAITING_MAX = 65_536
RETRY_S = 0.25
CLOSE_S = 30

_reply = msgspec.msgpack.Decoder(Reply).decode


class Pending(msgspec.Struct):
    """An entry waiting for its commit, its waiting caller, and how often it failed."""

    entry: Entry
    future: asyncio.Future[None]
    tries: int = 0


class WritingProcess(Protocol):
    """The process that commits, as its server sees it."""

    pid: int

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended."""

    def kill(self) -> None:
        """End it at once."""


def started(theirs: socket.socket) -> WritingProcess:
    """A new process that commits, at the other end of this socket."""
    command = [sys.executable, "-m", committing.__name__, str(theirs.fileno())]
    # In a session of its own, so that Ctrl-C lets it write what is still waiting.
    return subprocess.Popen(
        command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, start_new_session=True
    )


class Link:
    """The link to the process that commits."""

    def __init__(
        self,
        process: WritingProcess,
        side: socket.socket,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.process, self._side, self._reader, self._writer = process, side, reader, writer

    @classmethod
    async def open(cls, address: str, house: int | None) -> Self:
        """Start the process and let it connect to the database."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = started(theirs)
        link = cls(process, ours, *await asyncio.open_unix_connection(sock=ours))
        try:
            link._send(encode((address, house)))
            reply = await link._receive()
            if reply.failure:
                raise ConnectionError(reply.failure)
        except BaseException:
            link.hang_up()
            link.end()
            raise
        return link

    def send(self, batch: Sequence[Pending]) -> None:
        """Send the batch, to be written after the earlier ones."""
        entries = tuple(each.entry for each in batch)
        self._send(encode(Batch(entries, tuple(each.tries for each in batch))))

    async def settle(self, batch: Sequence[Pending]) -> list[Pending]:
        """Give the waiting callers the batch's result; return the entries to retry."""
        reply, left = await self._receive(), []
        for place, each in enumerate(batch):
            if place in reply.again:
                each.tries = reply.again[place]
                left.append(each)
            elif place in reply.problems:
                resolve(each.future, reply.problems[place].error(each.entry))
            else:
                resolve(each.future, None)
        return left

    def _send(self, data: bytes) -> None:
        self._writer.write(len(data).to_bytes(LENGTH_BYTES))
        self._writer.write(data)

    async def _receive(self) -> Reply:
        length = await self._reader.readexactly(LENGTH_BYTES)
        return _reply(await self._reader.readexactly(int.from_bytes(length)))

    def hang_up(self) -> None:
        """Let the process end once it has finished its work."""
        # The socket is shut down directly, because the event loop may have ended.
        with suppress(OSError):
            self._side.shutdown(socket.SHUT_RDWR)
        self._writer.transport.abort()

    def end(self) -> None:
        """Wait until the process has ended; one that hangs must not write after its successor."""
        try:
            self.process.wait(CLOSE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Writer:
    """The only way for entries into the database; all waiting entries go together."""

    def __init__(self, address: str, house: int | None = None) -> None:
        """`house` is the fence under which this server has the house."""
        self._address, self._house = address, house
        self._waiting: list[Pending] = []
        self._some = asyncio.Event()
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.works = True
        """Whether the last attempt to write succeeded."""

    async def commit(self, entry: Entry) -> None:
        """Wait until the entry is durable; `CommitRefused` if the database refuses it."""
        if len(self._waiting) >= WAITING_MAX:
            raise CommitRefused("busy", "The house is busy; try again.")
        if self._task is None or self._task.done():
            self._some, self._closing = asyncio.Event(), asyncio.Event()
            self._task = asyncio.create_task(self._run(), name="journal writer")
        future: asyncio.Future[None] = self._task.get_loop().create_future()
        self._waiting.append(Pending(entry, future))
        self._some.set()
        await future

    async def close(self) -> None:
        """Write what is waiting, if the database works, and end the process."""
        self._closing.set()
        self._some.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        """Commit until closed; while the database does not work, wait and retry."""
        link: Link | None = None
        sent: deque[list[Pending]] = deque()
        try:
            while sent or self._waiting or not self._closing.is_set():
                if not sent and not self._waiting:
                    self._some.clear()
                    await self._some.wait()
                    continue
                try:
                    link = link or await Link.open(self._address, self._house)
                    while self._waiting and len(sent) < SENT_MAX:
                        sent.append(self._take())
                        link.send(sent[-1])
                    left = await link.settle(sent[0])
                    sent.popleft()
                    self.works = not left
                except Exception as problem:
                    LOG.warning("database not reached", exc_info=problem)
                    left, self.works = [], False
                if not self.works:
                    if link is not None:
                        link.hang_up()
                        await asyncio.to_thread(link.end)
                        link = None
                    # Later batches may have been written or not; the retry finds out.
                    left += [each for batch in sent for each in batch]
                    sent.clear()
                    self._waiting[:0] = left
                    LOG.warning("commit is tried again", extra={"count": len(left)})
                    await self._pause()
        finally:
            self._waiting.clear()
            if link is not None:
                link.hang_up()
                link.end()

    def _take(self) -> list[Pending]:
        """The next batch; not everything, so that some tables continue while others are written."""
        count = min(max(BATCH_MIN, len(self._waiting) // 2), BATCH_MAX)
        batch, self._waiting = self._waiting[:count], self._waiting[count:]
        return batch

    async def _pause(self) -> None:
        """Wait before the next attempt, unless the house is closing."""
        with suppress(TimeoutError):
            async with asyncio.timeout(RETRY_S):
                await self._closing.wait()
        if self._closing.is_set():
            for each in self._waiting:
                resolve(each.future, Unsure("The house closed while the database did not work."))
            self._waiting.clear()


def resolve(future: asyncio.Future[None], problem: Exception | None) -> None:
    """Give the result to the waiting caller, if it still waits."""
    if future.done():
        return
    if problem is None:
        future.set_result(None)
    else:
        future.set_exception(problem)
