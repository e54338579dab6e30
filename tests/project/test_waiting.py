"""What tests wait with has an end."""

import asyncio
import subprocess
import sys

import pytest

import waiting
from waiting import in_time, living, ran, until

SOON_S = 0.3
ENDLESS = [sys.executable, "-c", "import threading; threading.Event().wait()"]


def test_work_that_never_ends_is_cancelled() -> None:
    """Asynchronous work that waits for ever fails the test, and does not go on behind it."""
    ended = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    with pytest.raises(TimeoutError):
        in_time(work(), SOON_S)
    assert ended == [True]


def test_what_a_silent_program_prints_ends() -> None:
    """Who reads from a program that says nothing reads its end, and the program is no more."""
    process = subprocess.Popen(ENDLESS, stdout=subprocess.PIPE)
    with living(process, SOON_S):
        assert process.stdout is not None
        assert process.stdout.read() == b""
    assert process.returncode != 0


def test_a_program_ends_with_its_block() -> None:
    """A test that fails leaves no program behind."""
    process = subprocess.Popen(ENDLESS)
    with pytest.raises(ZeroDivisionError), living(process):
        raise ZeroDivisionError
    assert process.returncode is not None


def test_a_program_that_does_not_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is waited for is ended in the end."""
    monkeypatch.setattr(waiting, "LIFE_S", SOON_S)
    with pytest.raises(subprocess.TimeoutExpired):
        ran(ENDLESS)


def test_a_condition_that_never_holds_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has the words that the test gave."""
    monkeypatch.setattr(waiting, "WAIT_S", SOON_S)
    with pytest.raises(AssertionError, match="the shoe is never shuffled"):
        until(lambda: False, "the shoe is never shuffled")
