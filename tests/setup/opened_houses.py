"""Houses that are opened in the test's own process: no server, and no process that writes."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from hosting import OWN_PACE, WIDE, TestClock
from waiting import WAIT_S
from wartable.server import running, spreading
from wartable.server import wing as wings
from wartable.server.audit import selfcheck
from wartable.server.config import Config
from wartable.server.records.answers import Answer, RefusedCommand
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


def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give all servers one key, and have them look and follow only when the test has them."""
    monkeypatch.setenv("WARTABLE_KEY", bytes(range(32)).hex())
    for where, name in ((wings, "FOLLOW_S"), (spreading, "LOOK_S"), (running, "RENEW_S")):
        monkeypatch.setattr(where, name, WAIT_S)
    monkeypatch.setattr(wings, "OfficeListener", Deaf)


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


async def met(*all_: House) -> None:
    """Have these servers enter themselves, and find each other."""
    for number, each in enumerate(all_):
        each.placing.carry()
        await asyncio.to_thread(each.placing.enter, f"192.0.2.{number}:1")
    for each in all_:
        carrier = each.placing.carrier
        assert carrier is not None
        while len(carrier.servers) < len(all_) or not carrier.holder:
            await asyncio.sleep(0.01)


def refused(answer: Answer) -> str:
    """The code of a refusal."""
    assert isinstance(answer, RefusedCommand), answer
    return answer.code
