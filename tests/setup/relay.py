"""A relay on loopback between a program and a server, which a test can hold up for a while."""

import asyncio
import threading
from contextlib import suppress

from waiting import WAIT_S

CHUNK_BYTES = 65_536


class Relay:
    """Passes on what comes; while it is held up, it keeps everything, and passes it on later."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._loop = asyncio.new_event_loop()
        self._open = asyncio.Event()
        self._open.set()
        self._tasks: set[asyncio.Task[None]] = set()
        starting = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(starting,), daemon=True)
        self._thread.start()
        assert starting.wait(WAIT_S)

    def _run(self, starting: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        serving = asyncio.start_server(self._connected, "127.0.0.1", 0)
        server = self._loop.run_until_complete(serving)
        self.port: int = server.sockets[0].getsockname()[1]
        starting.set()
        self._loop.run_forever()
        server.close()
        for task in self._tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*self._tasks, return_exceptions=True))
        self._loop.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(OSError, asyncio.CancelledError):
                far_reader, far_writer = await asyncio.open_connection(*self._target)
                ways = (self._pass_on(reader, far_writer), self._pass_on(far_reader, writer))
                await asyncio.gather(*ways)
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(CHUNK_BYTES):
                await self._open.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    def hold_up(self) -> None:
        """Pass nothing on from now."""
        self._loop.call_soon_threadsafe(self._open.clear)

    def mend(self) -> None:
        """Pass on what has come meanwhile, and what comes."""
        self._loop.call_soon_threadsafe(self._open.set)

    def end(self) -> None:
        """Close everything."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT_S)
