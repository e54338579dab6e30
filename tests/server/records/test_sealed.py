"""Sealed files: what saves work the next time, and what becomes of it under other hands."""

import threading
from pathlib import Path

import pytest

from waiting import WAIT_S
from wartable.server.records import sealed
from wartable.server.records.keys import HouseKey, write_secret

KEY = HouseKey(bytes(32))


def test_threads_that_keep_the_same_file_wait_for_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A house may save while it closes: neither takes the new file from the other."""
    path, failed = tmp_path / "counted", list[Exception]()
    begun = threading.Event()

    def keep(data: bytes) -> None:
        try:
            sealed.keep(path, KEY, data, "here")
        except OSError as problem:
            failed.append(problem)

    second = threading.Thread(target=keep, args=[b"second"])

    def slowly(new: Path, secret: str) -> None:
        if not begun.is_set():
            begun.set()
            second.start()
            second.join(0.1)  # it cannot end meanwhile
        write_secret(new, secret)

    monkeypatch.setattr(sealed, "write_secret", slowly)
    keep(b"first")
    second.join(WAIT_S)
    assert not failed
    assert sealed.recall(path, KEY, "here") == b"second"
    assert not list(tmp_path.glob("*.new"))


@pytest.mark.parametrize(
    ("key", "place"), [(KEY, "elsewhere"), (HouseKey(bytes(range(32))), "here")]
)
def test_what_is_not_of_this_house_and_place_is_nothing(
    tmp_path: Path, key: HouseKey, place: str
) -> None:
    """Nor is what was cut off, or what is not there."""
    path = tmp_path / "counted"
    sealed.keep(path, KEY, b"something", "here")
    assert sealed.recall(path, key, place) is None
    path.write_text(path.read_text()[:-2])
    assert sealed.recall(path, KEY, "here") is None
    path.unlink()
    assert sealed.recall(path, KEY, "here") is None
