"""A server that carries, ready to take over: it keeps up with what another server writes.

Without that, it would have to read everything since it last had the house itself. Its marks are
then a second server's witness of the records.
"""

import os
import threading
from contextlib import suppress

import sqlalchemy as sa

from wartable.server import opening
from wartable.server.audit.marks import HouseMarks
from wartable.server.config import Config, HouseProblem, lock
from wartable.server.house import counted
from wartable.server.house.guard import Guard
from wartable.server.house.limits import PlayerLimits
from wartable.server.logs import LOG
from wartable.server.records import database
from wartable.server.records.journal import Broken
from wartable.server.records.keys import HouseKey

KEEP_S = 30
"""How often it reads what was written since."""


class LastTime:
    """A clock that shows the time of the journal's newest row: a server that carries has no own."""

    def __init__(self, engine: sa.Engine, key: HouseKey) -> None:
        self._ms = opening.last_ms(engine, key)

    def now_ms(self) -> int:
        """The time of the newest row."""
        return self._ms


class Standby:
    """What opening a house needs, kept in this server's folder by a thread until it ends."""

    def __init__(self, engine: sa.Engine, key: HouseKey, config: Config) -> None:
        """Begin, in a folder that no other process uses."""
        self._engine, self._key, self._config = engine, key, config
        self._guard: Guard | None = None
        self._locked = lock(config.folder / "lock")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="standby", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self.keep_up()
            except (HouseProblem, Broken) as problem:
                # What it kept before stays: the house does not open on records that do not fit it.
                LOG.error("records do not fit the marks", extra={"reason": str(problem)})
            except (sa.exc.SQLAlchemyError, OSError) as problem:
                LOG.warning("standby not kept", extra={"error": type(problem).__name__})
            self._ended.wait(KEEP_S)

    def keep_up(self) -> None:
        """Read what was written since the last time, and keep what opening the house needs."""
        folder, clock = self._config.folder, LastTime(self._engine, self._key)
        marks = HouseMarks(folder, self._key, clock.now_ms)
        marks.check(self._engine)
        marks.begin()
        if self._guard is None:
            self._guard = Guard(self._engine, self._key, folder)
            self._guard.keep(rows=0)
        self._guard.catch_up()
        self._guard.keep(rows=1)
        kept = counted.read(folder, self._key)
        limits = PlayerLimits(self._engine, clock, self._guard.limits(), kept)
        if (now := limits.counted()) is not None:
            counted.write(folder, self._key, now)
        for name in database.table_names(self._engine):
            if opening.owner_of(name) is None and not self._ended.is_set():
                with suppress(Broken):  # such a table stays closed
                    opening.know_floor(self._engine, self._key, name, self._config.limits)

    def end(self) -> None:
        """End the thread after what it does now, and leave the folder to the house."""
        self._ended.set()
        self._thread.join()
        os.close(self._locked)
