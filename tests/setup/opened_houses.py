"""Houses that are opened in the test's own process: no server, and no process that writes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

from hosting import OWN_PACE, WIDE, TestClock
from wartable.server.audit import selfcheck
from wartable.server.config import Config
from wartable.server.records.rows import Entry
from wartable.server.records.store import Waiting, attempt, writing_connection
from wartable.server.running import House
from wartable.server.wing import Wing


class AtOnce:
    """The writer without its process: every entry is committed when it comes."""

    works = True

    def __init__(self, address: str) -> None:
        self._connection = writing_connection(address)

    async def commit(self, entry: Entry) -> None:
        """Write the entry."""
        found: list[Exception | None] = []
        attempt(self._connection, [Waiting(entry, found.append)])
        if found[0] is not None:
            raise found[0]

    async def close(self) -> None:
        """End the connection."""
        self._connection.close()


class Deaf:
    """A listener that every notification of the office is lost for."""

    def __init__(self, *_: Any) -> None:
        pass

    def end(self) -> None:
        """Nothing to do."""


def _config(folder: Path, address: str, **config: Any) -> Config:
    chosen: dict[str, Any] = {
        "books": ("online",),
        "limits": WIDE,
        "private": OWN_PACE,
        "stop_s": 0,
        "iterations": 1,
    }
    return Config(folder, address, **chosen | config)


async def opened_wing(folder: Path, address: str, wrong: Sequence[str] = (), **config: Any) -> Wing:
    """A wing of the house; its self-check finds this."""
    wing = Wing(_config(folder, address, **config), TestClock())
    wing.writer = AtOnce(address)  # type: ignore[assignment]  # it commits as the writer does
    with mock.patch.object(selfcheck, "problems", return_value=list(wrong)):
        await wing.start()
    return wing


async def opened(folder: Path, address: str, **config: Any) -> House:
    """The house, opened; it does not check the program's files, which takes longest."""
    house = House(_config(folder, address, **config), TestClock())
    house.writer = AtOnce(address)  # type: ignore[assignment]  # it commits as the writer does
    with mock.patch.object(selfcheck, "check_house", mock.AsyncMock(return_value=[])):
        await house.start()
    return house
