"""Notifications from PostgreSQL about new rows of the office, over a connection of their own.

A notification may be lost with the connection, so nothing depends on it: the listener also looks at
intervals, and every wager is compared with the office inside its transaction.
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from wartable.server.logs import LOG
from wartable.server.records.connections import CHANNEL

if TYPE_CHECKING:
    import psycopg

LISTEN_S = 1
"""How long to wait for a notification before checking whether to end."""
AGAIN_S = 1
"""How long to wait before connecting again."""


class OfficeListener:
    """A thread that calls a function whenever the office may have written something."""

    def __init__(self, address: str, tell: Callable[[], None]) -> None:
        """The thread calls `tell` after each notification, and each time that it has connected."""
        self._address, self._tell = address, tell
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="office", daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        import psycopg  # noqa: PLC0415  # needs an extra

        from wartable.server.records.postgres import connected  # noqa: PLC0415  # needs an extra

        while not self._ended.is_set():
            try:
                self._hear(connected(self._address))
            except psycopg.Error as problem:
                LOG.warning("office not heard", extra={"error": type(problem).__name__})
                self._ended.wait(AGAIN_S)

    def _hear(self, connection: "psycopg.Connection") -> None:
        """Call `tell` for every notification until the connection or this listener ends."""
        with connection:
            connection.execute(f"LISTEN {CHANNEL}".encode())
            self._tell()  # for rows written before the connection
            while not self._ended.is_set():
                for _ in connection.notifies(timeout=LISTEN_S):
                    self._tell()
                    if self._ended.is_set():
                        return

    def end(self) -> None:
        """Stop listening."""
        self._ended.set()
