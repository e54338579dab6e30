"""What counts towards limits is kept: a house that opens reads only the rows after it."""

import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
import sqlalchemy as sa

from hosting import Client, Hosted
from tampering import altered
from wartable.server.house import counted
from wartable.server.house.counted import FILE, CountedPlay
from wartable.server.house.limits import PlayerLimits
from wartable.server.records import database
from wartable.server.records.counting import DAY_MS, Play
from wartable.server.records.keys import HouseKey

Sums = dict[str, tuple[dict[int, int], dict[int, int]]]


def play(hosted: Hosted, name: str, rounds: int) -> None:
    """Somebody plays, and takes part of the money home."""
    player = hosted.sign_in(name, "correct horse battery")
    with player:
        _play(player, rounds)


def _play(player: Client, rounds: int) -> None:
    player.private("online")
    player.play(rounds, deal=True)
    player.must("leave")


def sums(limits: PlayerLimits) -> Sums:
    """What is lost and deposited, by player and day, where it is anything."""
    found = {
        name: (_nonzero(each.lost), _nonzero(each.deposited))
        for name, each in limits.played.items()
    }
    return {name: both for name, both in found.items() if any(both)}


def _nonzero(days: dict[int, int]) -> dict[int, int]:
    return {day: amount for day, amount in days.items() if amount}


def loaded(hosted: Hosted, address: str, kept: CountedPlay | None) -> PlayerLimits:
    """Limits as a house that opens has them."""
    engine = database.engine_for(address)
    limits = PlayerLimits(engine, hosted.clock, {}, kept)
    engine.dispose()
    return limits


def test_what_was_kept_and_newer_rows_are_all(tmp_path: Path, address: str) -> None:
    """Counting on gives what counting a month gives, whenever the house was killed."""
    with Hosted(tmp_path, database=address, books=("online",)) as first:
        for name in ("ann", "bob"):
            first.register(name).close()
        play(first, "ann", 3)
    early = tmp_path / "early"
    shutil.copy(tmp_path / FILE, early)
    with Hosted(tmp_path, database=address, books=("online",)) as second:
        play(second, "ann", 2)
        play(second, "bob", 2)
    shutil.copy(early, tmp_path / FILE)  # as if it was killed before it saved anything
    kept = counted.read(tmp_path, second.house.key)
    assert kept is not None
    whole, newer = loaded(second, address, None), loaded(second, address, kept)
    assert sums(whole) == sums(newer)
    assert {"ann", "bob"} <= set(sums(newer))
    today = second.clock.now_ms() // DAY_MS
    assert whole.played["bob"].day == today
    assert whole.played["bob"].minutes == newer.played["bob"].minutes
    engine = database.engine_for(address)
    with engine.connect() as connection:
        heads = database.heads(connection)
        rows = Counter(row.table for row in counted.newer(connection, heads, kept))
    engine.dispose()
    written = {name: head[0] - kept.heads.get(name, (0, ""))[0] for name, head in heads.items()}
    assert rows == Counter({name: number for name, number in written.items() if number})


def test_a_start_reads_no_more_for_a_longer_history(tmp_path: Path) -> None:
    """The database's work to count is the same after few rounds and after many."""
    address, work = str(tmp_path / "house.sqlite"), list[tuple[int, int]]()
    for rounds in (2, 30):
        with Hosted(tmp_path, books=("online",)) as hosted:
            if not work:
                hosted.register("ann").close()
            play(hosted, "ann", rounds)
        kept = counted.read(tmp_path, hosted.house.key)
        work.append((steps(hosted, address, kept), steps(hosted, address, None)))
    (few, few_whole), (many, many_whole) = work
    assert many_whole > 2 * few_whole, "there is no longer history"
    assert many == few


def steps(hosted: Hosted, address: str, kept: CountedPlay | None) -> int:
    """The steps of SQLite's machine while limits are loaded."""
    engine, count = database.engine_for(address), 0

    def step() -> int:
        nonlocal count
        count += 1
        return 0

    @sa.event.listens_for(engine, "connect")
    def _connected(connection: sqlite3.Connection, _: object) -> None:
        connection.set_progress_handler(step, 1)

    PlayerLimits(engine, hosted.clock, {}, kept)
    engine.dispose()
    return count


@pytest.mark.parametrize("spoiled", ["gone", "changed", "of another house", "of lost rows"])
def test_what_cannot_be_used_is_counted_again(tmp_path: Path, spoiled: str) -> None:
    """A file that is not this house's, or ahead of its records, is left alone."""
    with Hosted(tmp_path, books=("online",)) as hosted:
        hosted.register("ann").close()
        play(hosted, "ann", 2)
    key, path, address = hosted.house.key, tmp_path / FILE, str(tmp_path / "house.sqlite")
    before = counted.read(tmp_path, key)
    assert before is not None
    wrong = CountedPlay(before.heads, {"ann": Play()})
    if spoiled == "gone":
        path.unlink()
    elif spoiled == "changed":
        written = path.read_text()
        path.write_text(altered(written))
    elif spoiled == "of another house":
        counted.write(tmp_path, HouseKey(bytes(32)), wrong)
    else:
        number, _ = wrong.heads["office"]
        heads = wrong.heads | {"office": (number + 1, "0" * 64)}
        counted.write(tmp_path, key, CountedPlay(heads, wrong.players))
    kept = counted.read(tmp_path, key)
    assert (kept is None) == (spoiled != "of lost rows")
    assert sums(loaded(hosted, address, kept)) == sums(loaded(hosted, address, None))


def test_a_row_that_was_not_counted_is_not_kept(tmp_path: Path) -> None:
    """If another server writes, what is counted here is not all, and the next start counts."""
    with Hosted(tmp_path, books=("online",)) as hosted:
        limits = hosted.house.protection.limits
        assert limits.counted() is not None
        limits._heads["office"] = (0, "")
        hosted.register("ann").close()
        assert limits.counted() is None
    assert not (tmp_path / FILE).exists()
