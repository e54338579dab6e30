"""R8: somebody who can write to the database, but has no key, changes nothing unnoticed."""

import hmac
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result
from msgspec import structs

from hosting import PASSWORD, Hosted
from recorded_houses import BEGIN_MS, RecordedHouse
from tampering import drop_triggers, rechained, restore_triggers
from waiting import in_time
from wartable.cli import wartable
from wartable.server.audit import marks, verify
from wartable.server.config import Config, HouseProblem
from wartable.server.records import database, keyed, messages, schema, shape, store
from wartable.server.records.decisions import of_house
from wartable.server.records.journal import START, Broken, Chain
from wartable.server.records.keys import HouseKey, KeyProblem, read_key, write_key
from wartable.server.records.messages import Note, PayIn
from wartable.server.records.rows import CASHIER, OFFICE
from wartable.server.running import House

STRANGER = HouseKey(bytes(32))
"""A key that a forger made up."""


def run(*words: str) -> Result:
    """The result of a command."""
    return CliRunner().invoke(wartable, list(words))


def forged_row(address: str, name: str, command: messages.OfHouse, key: HouseKey) -> None:
    """Write a row with its transfers and balances exactly as the program would, by another key."""
    engine = database.engine_for(address)
    head = database.head_of(engine, name) or START
    at_ms = database.last_ms(engine) + 1
    engine.dispose()
    entry = Chain(name, key).entry(head, at_ms, "eve", "forged", of_house(name, command))
    connection = store.writing_connection(address)
    store.write_batch(connection, [entry])
    connection.close()


@pytest.mark.parametrize(
    ("name", "command"),
    [
        (CASHIER, PayIn("mallory", 1_000_000)),
        (OFFICE, Note("enabled", "gaming", "all is well")),
        (OFFICE, Note("role_changed", "mallory", "promoted", "player", "admin")),
    ],
)
def test_R8_a_row_by_another_key_is_named(
    recorded_house: RecordedHouse, name: str, command: messages.OfHouse
) -> None:
    """A minted deposit, a lifted closure and a new administrator are rows the house never wrote."""
    forged_row(recorded_house.address, name, command, STRANGER)
    engine = database.engine_for(recorded_house.address)
    with pytest.raises(Broken, match="this house did not write it") as told:
        verify.verify(engine, recorded_house.key)
    head = database.head_of(engine, name)
    assert told.value.row is not None
    assert head is not None
    assert (told.value.row.table_name, told.value.row.number) == (name, head[0])
    engine.dispose()


def test_R8_the_same_row_by_the_houses_key_is_whole(recorded_house: RecordedHouse) -> None:
    """Only the key tells the forged deposit from a real one, so the test above shows that."""
    forged_row(recorded_house.address, CASHIER, PayIn("mallory", 1_000_000), recorded_house.key)
    engine = database.engine_for(recorded_house.address)
    verify.verify(engine, recorded_house.key)
    engine.dispose()


def without_code(connection: sa.Connection) -> None:
    """Make the last deposit look like a row of an older version."""
    drop_triggers(connection)
    rows = schema.journal.c
    last = sa.select(sa.func.max(rows.number)).where(rows.table_name == CASHIER).scalar_subquery()
    which = sa.and_(rows.table_name == CASHIER, rows.number == last)
    connection.execute(schema.journal.update().where(which).values(mac=None))
    restore_triggers(connection)


def code_of_another_row(connection: sa.Connection) -> None:
    """Give a row the genuine code of another one."""
    drop_triggers(connection)
    rows = schema.journal.c
    first = (
        sa.select(rows.mac).where(rows.table_name == CASHIER, rows.number == 1).scalar_subquery()
    )
    which = sa.and_(rows.table_name == CASHIER, rows.number == 2)
    connection.execute(schema.journal.update().where(which).values(mac=first))
    restore_triggers(connection)


def all_codes_gone(connection: sa.Connection) -> None:
    """Make the whole journal look like one of an older version."""
    drop_triggers(connection)
    connection.execute(schema.journal.update().values(mac=None))
    restore_triggers(connection)


def rechained_by_a_stranger(connection: sa.Connection) -> None:
    """Change a deposit and mend everything after it, with a key of one's own."""
    rechained(connection, CASHIER, {1: {"at_ms": BEGIN_MS + 1}}, STRANGER)


@pytest.mark.parametrize(
    "forge", [without_code, code_of_another_row, all_codes_gone, rechained_by_a_stranger]
)
def test_R8_codes_that_are_gone_or_do_not_fit_are_named(
    recorded_house: RecordedHouse, forge: Callable[[sa.Connection], None]
) -> None:
    """A row without its own code is named by verify, and by the house, which does not open."""
    engine = database.engine_for(recorded_house.address)
    with engine.begin() as connection:
        forge(connection)
    with pytest.raises(Broken, match="this house did not write it"):
        verify.verify(engine, recorded_house.key)
    engine.dispose()


def test_R8_a_house_with_rows_it_did_not_write_does_not_open(
    sqlite_house: RecordedHouse, tmp_path: Path
) -> None:
    """Codes that were taken away are found when the house opens, without a whole verification."""
    shutil.copy2(sqlite_house.folder / "key", tmp_path / "key")
    shutil.copy2(sqlite_house.address, tmp_path / "house.sqlite")
    engine = database.engine_for(str(tmp_path / "house.sqlite"))
    with engine.begin() as connection:
        all_codes_gone(connection)
    engine.dispose()
    with pytest.raises((HouseProblem, KeyProblem), match=r"not whole|is not the key"):
        House(Config(tmp_path))


def test_R8_what_vouches_for_old_rows_cannot_be_forged(recorded_house: RecordedHouse) -> None:
    """A stranger's row does not vouch for rows without a code."""
    engine = database.engine_for(recorded_house.address)
    with engine.begin() as connection:
        all_codes_gone(connection)
    engine.dispose()
    keyed.vouch(recorded_house.address, STRANGER, "trust me", BEGIN_MS)
    engine = database.engine_for(recorded_house.address)
    with pytest.raises(Broken, match="this house did not write it"):
        verify.verify(engine, recorded_house.key)
    engine.dispose()


OVERDRAFT = {
    "sqlite": (
        "PRAGMA writable_schema = 1",
        (
            "UPDATE sqlite_master SET sql = replace(sql, 'amount >= 0 OR', '1 OR')"
            " WHERE name = 'balances'"
        ),
        "PRAGMA writable_schema = 0",
    ),
    "postgresql": ("ALTER TABLE balances DROP CONSTRAINT balances_check",),
}


def test_R8_an_account_below_zero_is_named(recorded_house: RecordedHouse) -> None:
    """Without the database's constraint an overdraft is written, and verify names the account."""
    engine = database.engine_for(recorded_house.address)
    with engine.connect() as connection:
        for statement in OVERDRAFT[engine.dialect.name]:
            connection.exec_driver_sql(statement)
        connection.commit()
    engine.dispose()
    engine = database.engine_for(recorded_house.address)
    head = database.head_of(engine, CASHIER) or START
    command = messages.PayOut("bob", 90_000_000)
    entry = Chain(CASHIER, recorded_house.key).entry(
        head, database.last_ms(engine), "eve", "much", of_house(CASHIER, command)
    )
    connection_ = store.writing_connection(recorded_house.address)
    store.write_batch(connection_, [entry])
    connection_.close()
    with pytest.raises(Broken, match="wallet:bob is below zero"):
        verify.verify(engine, recorded_house.key)
    engine.dispose()


def test_the_recorded_shape_of_postgresql_is_the_new_ones(empty_address: str) -> None:
    """A new database of either kind has the shape that verify expects."""
    engine = database.engine_for(empty_address)
    database.create(engine)
    with engine.connect() as connection:
        assert shape.shape_of(connection) == shape.expected(engine.dialect.name)
    engine.dispose()


def open_and_close(folder: Path) -> None:
    """Open a house of one table and close it again."""

    async def once() -> None:
        house = House(Config(folder, books=("online",), bots=False, stop_s=0.2))
        await house.start()
        await house.stop()

    in_time(once())


def test_R8_an_older_copy_put_back_is_named_and_not_opened(tmp_path: Path) -> None:
    """The house's marks miss the rows of an older copy; once accepted, the loss is on record."""
    path, copy = tmp_path / "house.sqlite", tmp_path / "copy"
    open_and_close(tmp_path)
    shutil.copy2(path, copy)
    open_and_close(tmp_path)
    assert run("audit", "verify", "--data", str(tmp_path)).exit_code == 0
    shutil.copy2(copy, path)
    engine = database.engine_for(str(path))
    verify.verify(engine, read_key(tmp_path / "key"))  # by itself the older copy is whole
    engine.dispose()
    verified = run("audit", "verify", "--data", str(tmp_path), "--all")
    assert verified.exit_code == 1
    assert re.search(r"Not whole: office row \d+, marked at .*, is gone now", verified.stdout)
    with pytest.raises(HouseProblem, match="older than this house's marks: office row"):
        House(Config(tmp_path, books=("online",)))
    accepted = run("db", "accept-rollback", "the disk failed", "--data", str(tmp_path))
    assert accepted.exit_code == 0, accepted.output
    again = run("db", "accept-rollback", "the disk failed", "--data", str(tmp_path))
    assert "nothing that was marked is lost" in again.stderr
    open_and_close(tmp_path)
    assert run("audit", "verify", "--data", str(tmp_path)).exit_code == 0
    engine = database.engine_for(str(path))
    told = [row.command for row in database.rows_of(engine, OFFICE)]
    engine.dispose()
    assert sum('"rollback_accepted"' in each and "the disk failed" in each for each in told) == 1


def test_R8_old_records_are_not_vouched_for_twice(tmp_path: Path) -> None:
    """A database made to look like an older version is not upgraded where marks say otherwise."""
    open_and_close(tmp_path)
    engine = database.engine_for(str(tmp_path / "house.sqlite"))
    with engine.begin() as connection:
        drop_triggers(connection)
        connection.exec_driver_sql("DROP INDEX journal_unkeyed")
        connection.exec_driver_sql("ALTER TABLE journal DROP COLUMN mac")
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0005'")
        restore_triggers(connection)
    engine.dispose()
    refused = run("db", "upgrade", "--data", str(tmp_path))
    assert refused.exit_code == 2
    assert "this database is an older copy" in refused.stderr


def test_R8_the_key_is_changed_and_old_rows_still_verify(tmp_path: Path) -> None:
    """After a change new rows are by the new secret, old ones by the old, and all is whole."""
    open_and_close(tmp_path)
    old = read_key(tmp_path / "key")
    changed = run("db", "rekey", "--data", str(tmp_path))
    assert changed.exit_code == 0, changed.output
    new = read_key(tmp_path / "key")
    assert new.secrets[1:] == old.secrets
    assert new.id != old.id
    open_and_close(tmp_path)
    engine = database.engine_for(str(tmp_path / "house.sqlite"))
    codes = {row.mac[: len(old.id)] for row in database.rows_of(engine, OFFICE) if row.mac}
    assert codes == {old.id, new.id}
    verify.verify(engine, new)
    with pytest.raises(Broken, match="this house did not write it"):
        verify.verify(engine, HouseKey(new.secrets[0]))
    engine.dispose()


def test_R8_no_key_is_changed_and_no_loss_accepted_while_the_house_is_open(tmp_path: Path) -> None:
    """Both commands refuse an open house, and leave its key and its marks as they are."""
    house = House(Config(tmp_path, books=("online",)))
    try:
        kept = [(tmp_path / name).read_bytes() for name in ("key", marks.FILE)]
        for words in (["rekey"], ["accept-rollback", "no reason"]):
            refused = run("db", *words, "--data", str(tmp_path))
            assert refused.exit_code == 2
            assert "is open in another process; close it first" in refused.stderr
        assert [(tmp_path / name).read_bytes() for name in ("key", marks.FILE)] == kept
    finally:
        in_time(house.stop())


def test_marks_that_could_not_be_written_are_written_later(tmp_path: Path) -> None:
    """A row that was committed while the marks' disk failed is marked once it works again."""
    key = HouseKey(bytes(32))
    kept = marks.HouseMarks(tmp_path / "away", key, lambda: BEGIN_MS)
    decision = of_house(OFFICE, Note("enabled", "x"))
    row = Chain(OFFICE, key).entry(START, BEGIN_MS, "eve", "x", decision).row
    kept.saw(row.table_name, (row.number, row.hash), {})
    with pytest.raises(marks.BadMarks, match="cannot be written"):
        in_time(kept.keep())
    (tmp_path / "away").mkdir()
    in_time(kept.keep())
    known = marks.read(tmp_path / "away" / marks.FILE, key.signed)
    assert marks.heads_of(known) == {OFFICE: (row.number, row.hash)}


def test_R8_a_witness_needs_no_secret(tmp_path: Path) -> None:
    """With the public key anybody sees that no marked row was changed, and whose the marks are."""
    open_and_close(tmp_path)
    kept = tmp_path / "auditors"
    assert run("audit", "verify", "--data", str(tmp_path), "--marks", str(kept)).exit_code == 0
    public = run("audit", "public-key", "--data", str(tmp_path)).stdout.strip()
    (tmp_path / "key").rename(tmp_path / "elsewhere")
    seen = run("audit", "witness", str(kept), "--public-key", public, "--data", str(tmp_path))
    assert seen.exit_code == 0, seen.output
    assert seen.stdout.startswith("All marked rows are there: ")
    other = HouseKey(bytes(32)).public
    strange = run("audit", "witness", str(kept), "--public-key", other, "--data", str(tmp_path))
    assert strange.exit_code == 2
    assert "is not this house's" in strange.stderr
    gone = run("audit", "witness", str(kept) + "x", "--public-key", public, "--data", str(tmp_path))
    assert gone.exit_code == 2
    assert "has no marks that a house signed" in gone.stderr
    wrong = run("audit", "witness", str(kept), "--public-key", "12", "--data", str(tmp_path))
    assert "A public key has 64 hexadecimal digits." in wrong.stderr
    engine = database.engine_for(str(tmp_path / "house.sqlite"))
    with engine.begin() as connection:
        rechained(connection, OFFICE, {1: {"actor": "nobody"}}, STRANGER)
    engine.dispose()
    seen = run("audit", "witness", str(kept), "--public-key", public, "--data", str(tmp_path))
    assert seen.exit_code == 1
    assert "is another one now" in seen.stdout


def test_R8_a_house_signed_all_its_own_marks(tmp_path: Path) -> None:
    """Who has the folder and no key cannot put a mark there that makes a wallet richer."""
    open_and_close(tmp_path)
    file, key = tmp_path / marks.FILE, read_key(tmp_path / "key")
    *_, last = marks.read(file, key.signed)
    rich = structs.replace(last, signature="", wallets={"wallet:mal": 1_000_000})
    file.write_bytes(msgspec.json.encode(rich) + b"\n")
    refused = run("audit", "verify", "--data", str(tmp_path))
    assert refused.exit_code == 2
    assert "is not this house's" in refused.stderr
    with pytest.raises(HouseProblem, match="is not this house's"):
        open_and_close(tmp_path)


@pytest.mark.parametrize("left", [b"no marks\n", b'{"at_ms": 17', b"\xff\n"])
def test_marks_that_are_damaged_keep_no_house_closed(tmp_path: Path, left: bytes) -> None:
    """The operator is told what to do, accepts the loss, and the records say so."""
    open_and_close(tmp_path)
    (tmp_path / marks.FILE).write_bytes(left)
    with pytest.raises(HouseProblem, match=r"or is damaged\. .*db accept-rollback REASON"):
        open_and_close(tmp_path)
    accepted = run("db", "accept-rollback", "a bad disk", "--data", str(tmp_path))
    assert accepted.stdout == "Accepted: the house's marks are lost, and the records say so.\n"
    open_and_close(tmp_path)
    assert run("audit", "verify", "--all", "--data", str(tmp_path)).exit_code == 0
    again = run("db", "accept-rollback", "once more", "--data", str(tmp_path))
    assert "nothing that was marked is lost" in again.stderr


def test_R8_no_unsigned_mark_follows_a_signed_one(tmp_path: Path) -> None:
    """An auditor's file of an older version goes on, signed; then nothing unsigned is believed."""
    open_and_close(tmp_path)
    key, kept = read_key(tmp_path / "key"), tmp_path / "auditors"
    words = ("audit", "verify", "--data", str(tmp_path), "--marks", str(kept))
    assert run(*words).exit_code == 0
    (mark,) = marks.read(kept, key.signed)
    unsigned = msgspec.json.encode(structs.replace(mark, signature="")) + b"\n"
    kept.write_bytes(unsigned)
    assert run(*words).exit_code == 0
    kept.write_bytes(kept.read_bytes() + unsigned)
    refused = run(*words)
    assert refused.exit_code == 2
    assert "is not this house's" in refused.stderr


@pytest.mark.parametrize("name", [CASHIER, OFFICE])
def test_R8_a_row_behind_the_end_of_a_chain_stops_nobody(tmp_path: Path, name: str) -> None:
    """The house does not try again for ever to write where a row is that is not in its chain."""
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.admin() as admin:
        hosted.guest()  # who is given money, so that there is a row of the cashier
        admin.post("/accounts", 201, name="eve", password=PASSWORD, role="player")
        eve = hosted.sign_in("eve", PASSWORD)
        rows = schema.journal
        with hosted.house.engine.begin() as connection:
            *_, last = database.rows_of(connection, name)
            stray = structs.replace(last, number=last.number + 1, command_id="stray")
            connection.execute(rows.insert().values(structs.asdict(stray)))
        path, body = "/me/refill", {"id": "again"}
        if name == OFFICE:
            path, body = "/disable", {"scope": "book", "name": "online", "reason": "x"}
        client = admin if name == OFFICE else eve
        answer = client.http.post(path, json=body)
        assert answer.json()["code"] == "not_ours", answer.text
        assert "changed outside of the house" in answer.json()["sentence"]
        assert eve.get("/me")["name"] == "eve"


def test_marks_that_a_kill_cut_off_are_read(tmp_path: Path) -> None:
    """What a kill left of the last line is not a mark, and the house opens."""
    open_and_close(tmp_path)
    file = tmp_path / marks.FILE
    with file.open("ab") as end:
        end.write(b'{"at_ms": 17')
    open_and_close(tmp_path)
    assert len(marks.read(file, read_key(tmp_path / "key").signed)) >= 1


def test_marks_begin_anew_when_they_have_grown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file does not grow without end, and what it says stays the same."""
    monkeypatch.setattr(marks, "APPENDED_BYTES_MAX", 1)
    key = HouseKey(bytes(32))
    kept = marks.HouseMarks(tmp_path, key, lambda: BEGIN_MS)
    engine = database.engine_for(str(tmp_path / "house.sqlite"))
    database.create(engine)
    kept.check(engine)
    for number in range(1, 6):
        entry = Chain(OFFICE, key).entry(
            (number - 1, "0" * 64), BEGIN_MS, "eve", "x", of_house(OFFICE, Note("enabled", "x"))
        )
        kept.saw(entry.row.table_name, (entry.row.number, entry.row.hash), {})
        in_time(kept.keep())
        known = marks.read(tmp_path / marks.FILE, key.signed)
        assert marks.heads_of(known)[OFFICE] == (number, entry.row.hash)
        assert len(known) <= 2
    engine.dispose()


def test_the_code_of_a_row_is_the_standard_one() -> None:
    """It is HMAC-SHA256 of the row's hash, by a key that is derived for rows alone."""
    for secret in (bytes(32), bytes(range(32))):
        derived = hmac.digest(secret, b"wartable: rows of the journal", "sha256")
        code = hmac.digest(derived, b"ab" * 32, "sha256").hex()
        key = HouseKey(secret)
        assert key.mac("ab" * 32) == key.id + code


@pytest.mark.parametrize("source", ["WARTABLE_KEY", "WARTABLE_KEY_COMMAND"])
def test_the_key_can_be_kept_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    """The environment, or a command that a key service has, gives the key; no file is written."""
    write_key(tmp_path / "service", STRANGER)
    text = STRANGER.secrets[0].hex() if source == "WARTABLE_KEY" else f"cat {tmp_path}/service"
    monkeypatch.setenv(source, text)
    open_and_close(tmp_path / "house")
    assert not (tmp_path / "house" / "key").exists()
    assert run("audit", "verify", "--data", str(tmp_path / "house")).exit_code == 0
    monkeypatch.setenv(source, "false" if source == "WARTABLE_KEY_COMMAND" else "none")
    refused = run("audit", "verify", "--data", str(tmp_path / "house"))
    assert refused.exit_code == 2
    assert source in refused.stderr
