"""R9: code, rule books and tables are checked by digest; a mismatch stops new rounds."""

import asyncio
import json
import py_compile
import shutil
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

from recorded_houses import Clock, RecordedHouse
from waiting import in_time
from wartable.cli import wartable
from wartable.cli.audit import OPEN_HOUSE
from wartable.server import manifest
from wartable.server.audit import selfcheck, verify
from wartable.server.config import Config
from wartable.server.house.office import Office
from wartable.server.records import database, schema, table_leases
from wartable.server.records.rows import OFFICE
from wartable.server.records.writer import Writer

pytestmark = pytest.mark.slow("copies the program for each test")


def run(*words: str) -> Result:
    """The result of a command."""
    return CliRunner().invoke(wartable, ["audit", *words])


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A copy of the running program that a test may spoil."""
    folder = tmp_path / "program"
    shutil.copytree(manifest.package(), folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


class Opened:
    """A house's office with what the self-check asks of it."""

    def __init__(self, recorded: RecordedHouse) -> None:
        self.engine = database.engine_for(recorded.address)
        self.stopped: list[str] = []
        self.writer = Writer(recorded.address)
        head = database.head_of(self.engine, OFFICE)
        clock = Clock(database.last_ms(self.engine))
        self.office = Office(self.writer.commit, clock, recorded.key, head)

    async def disable(self, reason: str) -> None:
        """Remember why gaming was stopped."""
        self.stopped.append(reason)

    def check(self, program: Path) -> list[str]:
        """One self-check of the house."""
        check = selfcheck.check_house(self.engine, self.office, self.disable, program)
        return in_time(check)

    def close(self) -> None:
        """Give up the connections."""
        self.engine.dispose()


def test_R9_bytecode_that_is_not_its_sources_is_named(program: Path) -> None:
    """Python would load such a file in the place of an approved one; its own bytecode is none."""
    source, other = program / "settle.py", program / "ledger.py"
    compiled = Path(py_compile.compile(str(source), doraise=True) or "")
    assert list(manifest.foreign_bytecode(program)) == []
    foreign = Path(py_compile.compile(str(other), doraise=True) or "").read_bytes()
    good = compiled.read_bytes()
    compiled.write_bytes(good[:16] + foreign[16:])
    assert list(manifest.foreign_bytecode(program)) == [compiled.relative_to(program).as_posix()]
    compiled.write_bytes(good[:16] + b"nothing")
    assert list(manifest.foreign_bytecode(program)) == [compiled.relative_to(program).as_posix()]
    # Made from an older source: Python compiles anew, so it is loaded nowhere.
    compiled.write_bytes(good[:8] + bytes(8) + foreign[16:])
    assert list(manifest.foreign_bytecode(program)) == []


def test_R9_a_changed_file_stops_gaming(recorded_house: RecordedHouse, program: Path) -> None:
    """A file that is changed, new or gone since the first start stops new rounds, in the record."""
    house = Opened(recorded_house)
    assert house.check(program) == []
    assert house.check(program) == []
    assert not house.stopped
    (program / "settle.py").write_text("changed")
    (program / "new.py").write_text("new")
    (program / "rules/books/maryland.toml").unlink()
    wrong = house.check(program)
    assert wrong == [
        "new.py is new since the code was approved.",
        "rules/books/maryland.toml is gone since the code was approved.",
        "settle.py was changed since the code was approved.",
    ]
    assert len(house.stopped) == 1
    assert "settle.py was changed" in house.stopped[0]
    house.close()
    engine = database.engine_for(recorded_house.address)
    *_, last = database.rows_of(engine, OFFICE)
    assert '"selfcheck_failed"' in last.events
    verify.verify(engine, recorded_house.key)
    engine.dispose()


def test_R9_the_house_checks_itself_again_and_again(
    recorded_house: RecordedHouse, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watch finds what changes while the house is open, every 24 hours by itself."""
    assert Config(program).selfcheck_s == 24 * 60 * 60
    house = Opened(recorded_house)
    house.check(program)
    monkeypatch.setattr(manifest, "package", lambda: program)
    (program / "cards.py").write_text("changed")

    async def stopped() -> None:
        watching = asyncio.create_task(
            selfcheck.watch(house.engine, house.office, house.disable, 0.01)
        )
        while not house.stopped:
            await asyncio.sleep(0.01)
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)

    in_time(stopped())
    assert "cards.py was changed" in house.stopped[0]
    house.close()


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE books SET content = replace(content, '2000', '2001')", "was changed"),
        ("UPDATE books SET content = 'x'", "cannot be read"),
        ("UPDATE tables SET setup = replace(setup, '6', '8')", "was changed since it opened"),
        ("UPDATE manifests SET content = '{}'", "stored manifest is not"),
    ],
)
def test_R9_changed_books_and_setups_are_found(
    recorded_house: RecordedHouse, program: Path, statement: str, words: str
) -> None:
    """What a table is played by is checked too."""
    house = Opened(recorded_house)
    assert house.check(program) == []
    with house.engine.begin() as connection:
        connection.exec_driver_sql(statement)
    (program / "cards.py").write_text("changed")
    wrong = house.check(program)
    assert [sentence for sentence in wrong if words in sentence], wrong
    assert house.stopped
    house.close()


def closed(recorded: RecordedHouse) -> None:
    """Give up the tables that the recorded house left open."""
    engine = database.engine_for(recorded.address)
    with engine.begin() as connection:
        connection.execute(sa.update(schema.tables).values(owner=None, lease_until_ms=0))
    engine.dispose()


def test_R9_on_demand_and_approved(recorded_house: RecordedHouse) -> None:
    """The command says what is wrong and ends with 1; an approval has who and why, and mends it."""
    closed(recorded_house)
    before = run("selfcheck", *recorded_house.options)
    assert before.exit_code == 1
    assert "No code is approved yet" in before.stdout
    assert not before.stderr
    approving = ["selfcheck", *recorded_house.options, "--approve", "tested", "--by", "eve"]
    assert run(*approving).exit_code == 0
    after = run("selfcheck", *recorded_house.options, "--json")
    assert after.exit_code == 0, after.output
    told = json.loads(after.stdout)
    assert told["whole"]
    engine = database.engine_for(recorded_house.address)
    *_, last = database.rows_of(engine, OFFICE)
    assert last.actor == "eve"
    assert '"reason":"tested"' in last.events
    assert told["digest"] in last.events
    verify.verify(engine, recorded_house.key)
    engine.dispose()
    assert run("selfcheck", *recorded_house.options, "--approve", " ").exit_code == 2


def test_R9_an_open_house_is_not_approved_from_outside(
    recorded_house: RecordedHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only one process writes the office's rows."""
    monkeypatch.setattr(table_leases, "LEASE_MS", 2**51)  # on a slow machine, too
    engine = database.engine_for(recorded_house.address)
    with engine.begin() as connection:
        values = {"owner": "other", "lease_until_ms": 2**50}
        connection.execute(sa.update(schema.tables).values(values))
    with database.alone(engine):
        looked = run("selfcheck", *recorded_house.options)
        result = run("selfcheck", *recorded_house.options, "--approve", "tested")
    engine.dispose()
    assert (looked.exit_code, looked.stderr) == (1, f"{OPEN_HOUSE}\n")
    assert result.exit_code == 2
    assert "is open in another process" in result.stderr
