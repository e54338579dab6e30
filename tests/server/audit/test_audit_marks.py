"""R8: what was marked outside of the database is missed when it is gone, however well all fits."""

import asyncio
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from recorded_houses import RecordedHouse
from tampering import drop_triggers, rechained, restore_triggers
from waiting import WAIT_S, in_time
from wartable.cli import wartable
from wartable.server.audit import marks, verify
from wartable.server.audit.marks import HouseMarks, Mark
from wartable.server.opening import notices
from wartable.server.records import database, schema
from wartable.server.records.keys import HouseKey
from wartable.server.records.rows import CASHIER

PAID = 1_000
"""What the recorded house's last movement pays out of bob's wallet."""


def verified(house: RecordedHouse, marks: Path) -> Result:
    """What verify says of the house."""
    words = ["audit", "verify", *house.options, "--all", "--marks", str(marks)]
    return CliRunner().invoke(wartable, words)


def cut_the_last_payment(engine: sa.Engine) -> int:
    """Remove the cashier's last row so that everything fits again; its number."""
    *_, before, last = database.rows_of(engine, CASHIER)
    with engine.begin() as connection:
        drop_triggers(connection)
        for each in (schema.transfers, schema.journal):
            asked = (each.c.table_name == CASHIER, each.c.number == last.number)
            connection.execute(each.delete().where(*asked))
        head = schema.heads.update().where(schema.heads.c.table_name == CASHIER)
        connection.execute(head.values(number=before.number, hash=before.hash))
        amount = schema.balances.c.amount
        for account, change in (("wallet:bob", PAID), ("outside", -PAID)):
            moved = schema.balances.update().where(schema.balances.c.account == account)
            connection.execute(moved.values(amount=amount + change))
        restore_triggers(connection)
    return last.number


def test_R8_what_was_marked_and_is_gone_is_missed(
    recorded_house: RecordedHouse, tmp_path: Path
) -> None:
    """Verify alone cannot see that the end was cut off; with the marks it does."""
    marks = tmp_path / "marks"
    assert verified(recorded_house, marks).exit_code == 0
    assert verified(recorded_house, marks).exit_code == 0
    engine = database.engine_for(recorded_house.address)
    try:
        number = cut_the_last_payment(engine)
        verify.verify(engine, recorded_house.key)
    finally:
        engine.dispose()
    result = verified(recorded_house, marks)
    assert result.exit_code == 1
    assert f"Not whole: cashier row {number}, marked at " in result.stdout
    assert result.stdout.endswith(", is gone now.\n")
    assert verified(recorded_house, marks).exit_code == 1


def test_R8_what_was_marked_and_is_another_is_missed(
    recorded_house: RecordedHouse, tmp_path: Path
) -> None:
    """Rows that were chained anew are not those that were marked."""
    marks = tmp_path / "marks"
    assert verified(recorded_house, marks).exit_code == 0
    engine = database.engine_for(recorded_house.address)
    try:
        *_, last = database.rows_of(engine, CASHIER)
        with engine.begin() as connection:
            later = {last.number: {"at_ms": last.at_ms + 1}}
            rechained(connection, CASHIER, later, recorded_house.key)
        verify.verify(engine, recorded_house.key)
    finally:
        engine.dispose()
    result = verified(recorded_house, marks)
    assert result.exit_code == 1
    assert result.stdout.endswith(", is another one now.\n")


@pytest.mark.parametrize("bad", ["not marks", '{"at_ms": 1}'])
def test_a_file_of_something_else_is_refused(
    sqlite_house: RecordedHouse, tmp_path: Path, bad: str
) -> None:
    """A file that has no marks is left as it is, with a sentence."""
    marks = tmp_path / "marks"
    marks.write_text(bad)
    result = verified(sqlite_house, marks)
    assert result.exit_code == 2
    assert f"{marks} has no marks of a journal, or is damaged." in result.stderr
    assert marks.read_text() == bad


def test_marks_that_cannot_be_kept_are_said(sqlite_house: RecordedHouse, tmp_path: Path) -> None:
    """A place that is not there is a sentence."""
    result = verified(sqlite_house, tmp_path / "nowhere" / "marks")
    assert result.exit_code == 2
    assert "cannot be written: No such file or directory." in result.stderr


def test_a_mark_that_is_being_written_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A house that closes has its last mark, also one whose writer was cancelled before."""
    begun, go_on, append = threading.Event(), threading.Event(), marks._append

    def slow(path: Path, mark: Mark) -> int:
        begun.set()
        assert go_on.wait(WAIT_S)
        return append(path, mark)

    async def run() -> None:
        kept = HouseMarks(tmp_path, HouseKey(bytes(32)), lambda: 1)
        kept.begin()
        monkeypatch.setattr(marks, "_append", slow)
        kept.saw("office", (1, "x"), {})
        first = asyncio.create_task(kept.keep())
        await asyncio.to_thread(begun.wait, WAIT_S)
        first.cancel()
        await asyncio.wait({first})
        last = asyncio.create_task(kept.keep())
        for _ in range(10):
            await asyncio.sleep(0)
        assert not last.done()
        go_on.set()
        await last

    in_time(run())
    assert '"office"' in (tmp_path / marks.FILE).read_text()


def test_records_without_marks_are_told(sqlite_house: RecordedHouse) -> None:
    """Somebody may have removed the marks and put older records in place; the operator knows."""
    engine = database.engine_for(sqlite_house.address)
    (sqlite_house.folder / marks.FILE).unlink(missing_ok=True)
    first, second = (HouseMarks(sqlite_house.folder, sqlite_house.key, lambda: 1) for _ in range(2))
    first.check(engine)
    assert first.unmarked
    first.begin()
    second.check(engine)
    assert not second.unmarked
    engine.dispose()
    told = "This folder had no marks of the records"
    assert notices(sqlite_house.folder, None, first.unmarked)[0].startswith(told)
    assert not notices(sqlite_house.folder, None, second.unmarked)
