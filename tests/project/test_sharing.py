"""The workers of a run share the work of compiling the tests."""

import fcntl
import itertools
from pathlib import Path

import pytest

from paths import TESTS
from sharing import OneCompiles, made_once, share
from waiting import WAIT_S


@pytest.mark.parametrize("count", [1, 2, 6])
def test_every_file_has_one_worker(count: int) -> None:
    """Together the workers have every test file, and none of them twice."""
    shares = [share(TESTS, number, count) for number in range(count)]
    assert sorted(itertools.chain(*shares)) == sorted(TESTS.rglob("test_*.py"))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_what_is_made_once_is_made_anew_where_it_failed(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Whoever comes first makes it; if that fails, whoever comes next does."""
    made = list[Path]()

    def make(folder: Path) -> None:
        made.append(folder)
        folder.mkdir(exist_ok=True)
        assert len(made) > 1, "the first attempt fails"

    with pytest.raises(AssertionError, match="the first attempt fails"):
        made_once(tmp_path_factory, "sample", make)
    first, second = (made_once(tmp_path_factory, "sample", make) for _ in range(2))
    assert first == second == made[0]
    assert len(made) == 2


def test_one_worker_compiles_at_a_time(tmp_path: Path) -> None:
    """Another process cannot have the file until the lock was given back as often as taken."""
    lock, path = OneCompiles(tmp_path / "new" / "lock"), tmp_path / "new" / "lock"

    def free() -> bool:
        with path.open("w") as other:
            try:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

    lock.acquire(timeout=WAIT_S)
    lock.acquire(timeout=WAIT_S)
    assert (free(), lock._is_owned()) == (False, True)
    lock.release()
    assert (free(), lock._is_owned()) == (False, True)
    lock.release()
    assert (free(), lock._is_owned()) == (True, False)
