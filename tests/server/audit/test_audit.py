"""R1, R8, R10: the records can be checked, recalled and exported, on SQLite and PostgreSQL."""

import csv
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

import recorded_houses
from machines import SetMachine
from recorded_houses import RecordedHouse
from tampering import drop_triggers, rechained, restore_triggers
from wartable import game
from wartable.cli import wartable
from wartable.rules import load
from wartable.server.audit import recall, selfcheck, verify
from wartable.server.clock import HouseClock
from wartable.server.period import read_moment, utc
from wartable.server.records import database, journal, messages, schema
from wartable.server.records.journal import Broken
from wartable.table.events import ShoeStarted
from wartable.telling import money


def run(*words: str) -> Result:
    """The result of a command."""
    return CliRunner().invoke(wartable, ["audit", *words])


def test_R8_a_whole_journal_is_verified(whole: RecordedHouse) -> None:
    """The command says what it checked, and ends with 0."""
    result = run("verify", *whole.options, "--all")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Whole: 3 tables, ")
    told = json.loads(run("verify", *whole.options, "--all", "--json").stdout)
    assert told["whole"]
    assert told["rows"] > 100


SPOILED = {
    "actor": ("UPDATE journal SET actor = 'x' WHERE table_name = 'maryland 1' AND number = 9", 9),
    "order": (
        ";".join(
            f"UPDATE journal SET number = {new} WHERE table_name = 'maryland 1' AND number = {old}"
            for old, new in ((9, 1009), (10, 9), (1009, 10))
        ),
        9,
    ),
    "gone": ("DELETE FROM journal WHERE table_name = 'maryland 1' AND number = 9", 10),
    "moved": (
        "UPDATE transfers SET amount = amount + 1 WHERE table_name = 'maryland 1' AND number = 19",
        19,
    ),
    "note": ("UPDATE journal SET command = '{}' WHERE table_name = 'office' AND number = 2", 2),
    "paid": ("UPDATE journal SET at_ms = 7 WHERE table_name = 'cashier' AND number = 3", 3),
    "decks": ("UPDATE tables SET setup = replace(setup, '6', '8') WHERE name = 'maryland 1'", 1),
    "approval": ("UPDATE tables SET setup = replace(setup, 'approval\":\"', 'approval\":\"x')", 1),
    "batches": ("UPDATE tables SET setup = replace(setup, '\"red\"', '\"green\"')", 1),
    "stray table": (
        "INSERT INTO tables (name, book, setup) SELECT 'x', book, setup FROM tables LIMIT 1",
        None,
    ),
    "no decks": (
        "UPDATE tables SET setup = replace(setup, '6', '7') WHERE name = 'maryland 1'",
        None,
    ),
    "result": ("DELETE FROM results WHERE player = 'ann'", None),
    "result more": ("UPDATE results SET round = round + 1000 WHERE player = 'bob'", None),
    "result net": ("UPDATE results SET net = net + 1 WHERE table_name = 'online 1'", None),
    "heads": ("DELETE FROM heads WHERE table_name = 'maryland 1'", None),
    "end": ("DELETE FROM journal WHERE table_name = 'office' AND number = 2", None),
    "table": ("DELETE FROM tables WHERE name = 'maryland 1'", None),
    "balance": ("UPDATE balances SET amount = amount + 1 WHERE account = 'wallet:ann'", None),
    "book": ("UPDATE books SET content = replace(content, '2000', '2001')", None),
}


@pytest.mark.parametrize("what", SPOILED)
def test_R8_the_first_bad_row_is_named(recorded_house: RecordedHouse, what: str) -> None:
    """Whatever is changed, removed or reordered is found, with its row; the command ends with 1."""
    statement, row = SPOILED[what]
    engine = database.engine_for(recorded_house.address)
    with engine.begin() as connection:
        drop_triggers(connection)
        for each in statement.split(";"):
            assert connection.exec_driver_sql(each).rowcount
        restore_triggers(connection)
    engine.dispose()
    result = run("verify", *recorded_house.options, "--json")
    assert result.exit_code == 1, result.output
    told = json.loads(result.stdout)
    assert not told["whole"]
    if row is not None:
        assert told["row"][1] == row, told
    assert run("verify", *recorded_house.options).stdout.startswith("Not whole: ")


TRIGGERS = {
    "sqlite": {
        "journal_no_update is missing": "DROP TRIGGER journal_no_update",
        "journal_no_delete is missing": "DROP TRIGGER journal_no_delete",
        "transfers_no_update is missing": "DROP TRIGGER transfers_no_update",
        "transfers_no_delete was changed": "DROP TRIGGER transfers_no_delete;"
        "CREATE TRIGGER transfers_no_delete BEFORE DELETE ON transfers BEGIN SELECT 1 = 1@ END",
    },
    "postgres": {
        "journal_only_grows is missing": "DROP TRIGGER journal_only_grows ON journal",
        "transfers_only_grows is missing": "DROP TRIGGER transfers_only_grows ON transfers",
        "transfers_only_grows was changed": "ALTER TABLE transfers DISABLE TRIGGER USER",
        "function only_grows was changed": "CREATE OR REPLACE FUNCTION only_grows()"
        " RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL@ END $$",
        "journal_only_grows was changed (when)": "DROP TRIGGER journal_only_grows ON journal;"
        "CREATE TRIGGER journal_only_grows BEFORE DELETE OR TRUNCATE ON journal"
        " FOR EACH STATEMENT EXECUTE FUNCTION only_grows()",
        "journal_only_grows was changed (of what)": "DROP TRIGGER journal_only_grows ON journal;"
        "CREATE TRIGGER journal_only_grows BEFORE UPDATE OF actor OR DELETE OR TRUNCATE ON journal"
        " FOR EACH STATEMENT EXECUTE FUNCTION only_grows()",
        "journal_only_grows was changed (if)": "DROP TRIGGER journal_only_grows ON journal;"
        "CREATE TRIGGER journal_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON journal"
        " FOR EACH STATEMENT WHEN (1 > 2) EXECUTE FUNCTION only_grows()",
    },
}


@pytest.mark.parametrize("what", TRIGGERS["sqlite"])
def test_R8_a_trigger_that_is_gone_is_found(
    sqlite_house: RecordedHouse, tmp_path: Path, what: str
) -> None:
    """A trigger that let somebody change the journal is named."""
    check_trigger(recorded_houses.copied(sqlite_house, tmp_path), TRIGGERS["sqlite"][what], what)


@pytest.mark.parametrize("what", TRIGGERS["postgres"])
def test_R8_a_trigger_of_postgresql_that_is_gone_is_found(
    postgres_house: RecordedHouse, tmp_path: Path, what: str
) -> None:
    """A trigger that is gone, sleeps or does nothing is named."""
    check_trigger(
        recorded_houses.copied(postgres_house, tmp_path), TRIGGERS["postgres"][what], what
    )


def check_trigger(recorded: RecordedHouse, statements: str, what: str) -> None:
    """Verify finds what the statements do to a trigger."""
    engine = database.engine_for(recorded.address)
    with engine.begin() as connection:
        for statement in statements.split(";"):
            connection.exec_driver_sql(statement.replace("@", ";"))
    engine.dispose()
    result = run("verify", *recorded.options)
    part = what if what.startswith("function") else f"trigger {what}"
    told = f"the database's {part.partition(' (')[0]}, so it does not guard the records"
    assert (result.exit_code, result.stdout) == (1, f"Not whole: {told}.\n")


def test_R8_a_setup_that_no_book_allows_is_no_traceback(recorded_house: RecordedHouse) -> None:
    """What folds the rows says in a sentence that a table's setup cannot be its own."""
    engine = database.engine_for(recorded_house.address)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE tables SET setup = replace(setup, '6', '7')")
    engine.dispose()
    for words in (("show", "maryland 1", "1"), ("report",), ("bonus",)):
        result = run(*words, *recorded_house.options)
        assert result.exit_code == 2, result.output
        assert "the setup of maryland 1 cannot be read: " in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_R8_rows_of_no_table_are_found(recorded_house: RecordedHouse) -> None:
    """Rows cannot be slipped in under a name that nobody opened."""
    engine = database.engine_for(recorded_house.address)
    (row,) = [row for row in database.rows_of(engine, "maryland 1") if row.number == 1]
    with engine.begin() as connection:
        values = {**msgspec.structs.asdict(row), "table_name": "hidden 1"}
        connection.execute(schema.journal.insert().values(values))
    with pytest.raises(Broken, match="hidden 1 has rows, but there is no such table"):
        verify.verify(engine, recorded_house.key)
    engine.dispose()


def test_R8_a_table_that_nobody_opened_is_found(recorded_house: RecordedHouse) -> None:
    """A row among the tables without a journal is named, also one that makes meters of itself."""
    engine = database.engine_for(recorded_house.address)
    for name, setup in (("maryland 7", schema.tables.c.setup), ("meters x", sa.literal("{}"))):
        with engine.begin() as connection:
            one = sa.select(sa.literal(name), schema.tables.c.book, setup).limit(1)
            connection.execute(schema.tables.insert().from_select(["name", "book", "setup"], one))
        with pytest.raises(Broken, match=f"^{name} is a table without a journal"):
            verify.verify(engine, recorded_house.key)
        assert not database.is_table(engine, name)
        with engine.begin() as connection:
            connection.execute(schema.tables.delete().where(schema.tables.c.name == name))
    verify.verify(engine, recorded_house.key)
    engine.dispose()


def test_R8_openings_of_older_versions_are_enough(recorded_house: RecordedHouse) -> None:
    """What older versions did not tell of an opening is not compared; the rest of it is."""
    engine = database.engine_for(recorded_house.address)
    first = next(database.rows_of(engine, "maryland 1"))
    told = '"meters":"","approval":"","batches":["red","blue"]'
    texts = {"command": first.command, "events": first.events}
    assert all(told in text for text in texts.values())
    old = {name: text.replace(told, '"meters":""') for name, text in texts.items()}
    tables = schema.tables
    change = tables.update().where(tables.c.name == "maryland 1")
    with engine.begin() as connection:
        rechained(connection, "maryland 1", {1: old}, recorded_house.key)
        connection.execute(
            change.values(setup=sa.func.replace(tables.c.setup, '"approval":""', '"approval":"x"'))
        )
    verify.verify(engine, recorded_house.key)
    assert not [each for each in selfcheck.problems(engine, {}) if "maryland 1" in each]
    with engine.begin() as connection:
        connection.execute(change.values(setup=sa.func.replace(tables.c.setup, "6", "8")))
    with pytest.raises(Broken, match="maryland 1 row 1: the table was opened with another"):
        verify.verify(engine, recorded_house.key)
    assert [each for each in selfcheck.problems(engine, {}) if "maryland 1 was changed" in each]
    engine.dispose()


def test_R10_time_never_goes_back(recorded_house: RecordedHouse) -> None:
    """A row whose time is before the row before it is found, even where the hashes fit."""
    engine = database.engine_for(recorded_house.address)
    with engine.begin() as connection:
        rechained(
            connection,
            "maryland 1",
            {5: {"at_ms": recorded_houses.BEGIN_MS - 1}},
            recorded_house.key,
        )
    with pytest.raises(Broken, match="maryland 1 row 5: its time"):
        verify.verify(engine, recorded_house.key)
    engine.dispose()


def test_R10_a_clock_that_was_set_back_goes_on(whole: RecordedHouse) -> None:
    """Behind the journal, time goes on from it, slower, until the machine's has caught up."""
    engine = database.engine_for(whole.address)
    last_ms = database.last_ms(engine)
    engine.dispose()
    assert last_ms > recorded_houses.BEGIN_MS
    machine = SetMachine(last_ms // 1_000 - 1)
    clock = HouseClock(machine)
    clock.start(last_ms // 1_000 * 1_000, doubted=False)
    last_ms = clock.now_ms()
    for passed_ms, shown_ms in ((0, 0), (600, 300), (800, 700), (600, 1_000), (500, 1_500)):
        machine.let_pass(passed_ms / 1_000)
        assert clock.now_ms() - last_ms == shown_ms, passed_ms
    machine.set_by(-60)
    assert clock.now_ms() - last_ms == 1_500
    machine.let_pass(0.1)
    assert clock.now_ms() - last_ms == 1_550


def test_R8_a_forged_payment_is_found(recorded_house: RecordedHouse) -> None:
    """A payment that the rules do not give is found, even where the hashes fit."""
    engine = database.engine_for(recorded_house.address)
    rows = list(database.rows_of(engine, "maryland 1"))
    row = next(row for row in rows if '"outcome":"won","returned":4000' in row.events)
    more = row.events.replace('"won","returned":4000', '"won","returned":5000')
    with engine.begin() as connection:
        rechained(connection, "maryland 1", {row.number: {"events": more}}, recorded_house.key)
    with pytest.raises(Broken, match=f"maryland 1 row {row.number}: the rules decide"):
        verify.verify(engine, recorded_house.key)
    engine.dispose()


def test_R8_verify_sees_one_moment(recorded_house: RecordedHouse) -> None:
    """Rows that are written while it reads do not make a whole journal look broken."""
    engine = database.engine_for(recorded_house.address)
    done = threading.Event()

    def move() -> None:
        other = database.engine_for(recorded_house.address)
        balances = schema.balances
        change = balances.update().where(balances.c.account == "wallet:ann")
        with other.begin() as connection:
            connection.execute(change.values(amount=balances.c.amount + 1))
        other.dispose()
        done.set()

    with database.snapshot(engine) as connection:
        before = database.balances(connection)
        threading.Thread(target=move).start()
        assert done.wait(30)
        assert database.balances(connection) == before
    assert database.balances(engine) != before
    engine.dispose()


def test_refusals_are_sentences(whole: RecordedHouse, tmp_path: Path) -> None:
    """Bad input ends with 2 and one sentence."""
    other = tmp_path / "other"
    other.mkdir()
    database_ = ["--database", whole.address]
    for words in (
        ["verify", "--data", str(other)],
        ["verify", "--data", str(other), *database_],
        ["show", "nowhere 1", "1", *whole.options],
        ["show", "maryland 1", "99", *whole.options],
        ["export", str(other), *whole.options, "--from", "yesterday"],
        ["export", str(other), *whole.options, "--from", "2026-01-02", "--until", "2026-01-01"],
        ["verify", "--data", str(other), "--database", "postgresql://127.0.0.1:1/none"],
    ):
        result = run(*words)
        assert result.exit_code == 2, (words, result.output)
        assert result.stderr.startswith("wartable: ")
        assert len(result.stderr.splitlines()) == 1, result.stderr


def test_R8_a_strange_key_is_said(whole: RecordedHouse, tmp_path: Path) -> None:
    """With another house's key nothing is called whole."""
    (tmp_path / "key").write_text("00" * 32)
    (tmp_path / "key").chmod(0o600)
    result = run("verify", "--data", str(tmp_path), "--database", whole.address)
    assert result.exit_code == 1
    assert "this house did not write it" in result.stdout


def played(recorded: RecordedHouse, name: str) -> Iterator[recall.PlayedRound]:
    """The rounds of a table as the journal folds."""
    engine = database.engine_for(recorded.address)
    yield from recall.rounds(recall.steps(engine, recorded.key, name))
    engine.dispose()


@pytest.mark.parametrize("name", [f"{book} 1" for book in recorded_houses.BOOKS])
def test_R1_every_round_is_recalled(whole: RecordedHouse, name: str) -> None:
    """Cards, wagers, choices, payments and balances of each round are those that were played."""
    engine = database.engine_for(whole.address)
    before: dict[str, int] | None = None
    for each in played(whole, name):
        found = recall.recall(engine, whole.key, name, each.number)
        assert found.replay
        assert found.round == each.number
        state = each.state
        assert found.cards.get(0, ("",))[0] == state.cards.get(0, "")
        assert sum(wager.net for wager in found.wagers) == -state.banker_net
        stacks = {stack.player: stack for stack in found.stacks}
        nets = dict.fromkeys(stacks, 0)
        for wager in found.wagers:
            nets[wager.player] += wager.net if each.closed else -wager.staked
        if state.banker is not None:
            nets[state.banker] += state.banker_net if each.closed else -(state.bank or 0)
        for player, stack in stacks.items():
            assert stack.before + stack.brought + nets[player] == stack.after
        assert before is None or before == {p: s.before for p, s in stacks.items()}
        before = {player: stack.after for player, stack in stacks.items()}
        if each.closed:
            gained = sum(stack.after - stack.before - stack.brought for stack in found.stacks)
            gained += sum(after - before_ for before_, after in found.meters.values())
            assert gained + found.house == 0
        for wager in found.wagers:
            assert bool(wager.clauses) == each.closed
        assert (found.ended_ms is None) == (not each.closed)
    assert found.round == recorded_houses.ROUNDS + 1
    engine.dispose()


def test_R1_show_as_text_and_json(whole: RecordedHouse) -> None:
    """A replay is marked as one and has every wager with its clauses."""
    text = run("show", "maryland 1", "3", *whole.options)
    assert text.exit_code == 0, text.output
    assert text.stdout.startswith("REPLAY of round 3 at maryland 1\n")
    for words in ("Initial Wager", "MD-9-", "ann's stack", "meter progressive", "platform"):
        assert words in text.stdout
    told = json.loads(run("show", "maryland 1", "3", *whole.options, "--json").stdout)
    assert told["replay"] is True
    assert told["wagers"]
    assert told["rows"][0]["events"][0]["type"] == "round_started"
    assert "REPLAY" in run("show", "california 1", "9", *whole.options).stdout


@pytest.mark.finding(16)
def test_the_record_of_a_round_names_the_document_and_the_bank(
    whole: RecordedHouse, tmp_path: Path
) -> None:
    """Version 1.0 and its date online; in California what was posted, and what the bank won."""
    shown = run("show", "online 1", "1", *whole.options).stdout
    assert f"online {load('online').rules.version} (version 1.0 of 2021-02-17 of the" in shown
    assert "banker: house\n" in shown
    told = json.loads(run("show", "online 1", "1", *whole.options, "--json").stdout)
    assert (told["edition"], told["bank"]) == ("version 1.0 of 2021-02-17", None)
    banked = json.loads(run("show", "california 1", "2", *whole.options, "--json").stdout)
    rows = [event for row in banked["rows"] for event in row["events"]]
    (posted,) = [event["bank"] for event in rows if event["type"] == "opened"]
    wagers = sum(each["net"] for each in banked["wagers"])
    assert (banked["bank"], banked["banker_net"], banked["edition"]) == (posted, -wagers, "")
    assert wagers, "the bank won or lost"
    word = "lost" if wagers > 0 else "won"
    text = run("show", "california 1", "2", *whole.options).stdout
    words = f"posted {money(posted)}, {word} {money(abs(wagers))}\n"
    assert f"banker: {banked['banker']}, {words}" in text
    assert "12 decks in two batches of six" in text
    run("export", str(tmp_path), *whole.options)
    editions = {line["book"]: line["edition"] for line in lines(tmp_path, "rounds")}
    assert editions == {"online": told["edition"], "maryland": "", "california": ""}


def test_R3_no_replay_shows_a_seed_or_a_burned_card(whole: RecordedHouse) -> None:
    """What the table did not show then is not shown now."""
    engine = database.engine_for(whole.address)
    burned = []
    for name in (f"{book} 1" for book in recorded_houses.BOOKS):
        rows = [journal.read_row(row, whole.key) for row in database.rows_of(engine, name)]
        seeds = [e.seed for _, events in rows for e in events if isinstance(e, ShoeStarted)]
        assert all(seeds), name
        for number in range(1, recorded_houses.ROUNDS + 2):
            shown = run("show", name, str(number), *whole.options, "--json").stdout
            events = [event for row in json.loads(shown)["rows"] for event in row["events"]]
            # A shoe that ends reveals its seed.
            open_ = set(seeds) - {e["seed"] for e in events if e["type"] == "shoe_ended"}
            assert not [seed for seed in open_ if seed in shown]
            burned += [e["card"] for e in events if e["type"] in ("burned", "card_burned")]
    engine.dispose()
    assert set(burned) == {"??"}


def test_R1_the_last_bonus_events(whole: RecordedHouse) -> None:
    """Progressives, envy and spins can be listed, the last ones."""
    engine = database.engine_for(whole.address)
    everything = recall.bonus_events(engine, whole.key, 10_000)
    assert everything == sorted(everything, key=lambda bonus: bonus.at_ms)
    assert {type(each.event) for each in everything} >= {game.Settled, game.Spun}
    assert recall.bonus_events(engine, whole.key, 2) == everything[-2:]
    engine.dispose()
    shown = run("bonus", *whole.options).stdout.splitlines()
    assert len(shown) == min(50, len(everything))
    assert len(json.loads(run("bonus", *whole.options, "--json", "--last", "1").stdout)) == 1


def lines(folder: Path, name: str) -> list[dict[str, str]]:
    """The lines of an exported file."""
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_R12_the_export_adds_up(whole: RecordedHouse, tmp_path: Path) -> None:
    """The files have every round, wager, transfer and event, and the same money."""
    result = run("export", str(tmp_path), *whole.options, "--large", "2000")
    assert result.exit_code == 0, result.output
    rounds, wagers = lines(tmp_path, "rounds"), lines(tmp_path, "wagers")
    assert len(rounds) == len(recorded_houses.BOOKS) * (recorded_houses.ROUNDS + 1)
    for each in rounds:
        own = [w for w in wagers if (w["table"], w["round"]) == (each["table"], each["round"])]
        assert sum(int(w["net"]) for w in own) == int(each["net"])
    accounts: dict[str, int] = {}
    for each in lines(tmp_path, "transfers"):
        for account, sign in ((each["source"], -1), (each["target"], 1)):
            accounts[account] = accounts.get(account, 0) + sign * int(each["amount"])
    engine = database.engine_for(whole.address)
    assert accounts == database.balances(engine)
    engine.dispose()
    kinds = {each["kind"] for each in lines(tmp_path, "events")}
    assert kinds >= {"house_opened", "disabled", "paid_in", "paid_out", "table_opened", "large_win"}


def test_R8_significant_events_say_who_when_why(whole: RecordedHouse, tmp_path: Path) -> None:
    """An event has who, when, why, and the value before and after; no cell is a formula."""
    run("export", str(tmp_path), *whole.options)
    (event,) = [each for each in lines(tmp_path, "events") if each["kind"] == "disabled"]
    assert event["actor"] == "eve"
    assert event["at"].endswith("UTC")
    assert (event["before"], event["after"]) == ("enabled", "disabled")
    assert event["reason"] == "'=SUM(A1)"
    for name in ("rounds", "wagers", "transfers", "events"):
        for each in lines(tmp_path, name):
            assert not [cell for cell in each.values() if cell[:1] in ("=", "+", "@")]


def test_R12_a_period_without_activity_says_so(whole: RecordedHouse, tmp_path: Path) -> None:
    """A period in which nothing happened gives empty files and a sentence."""
    result = run("export", str(tmp_path), *whole.options, "--until", "2020-01-01")
    assert "There was no play from the beginning until 2020-01-01" in result.stdout
    assert not lines(tmp_path, "rounds")


def test_moments_are_utc() -> None:
    """A date is read as UTC unless it says otherwise."""
    assert utc(read_moment("2026-11-15")) == "2026-11-15 00:00:00.000 UTC"
    assert read_moment("2026-11-15T02:00+02:00") == read_moment("2026-11-15")


def test_R8_a_second_opening_is_found(recorded_house: RecordedHouse) -> None:
    """A table is opened once."""
    engine = database.engine_for(recorded_house.address)
    book = database.opened_with(engine, "maryland 1")[0].digest
    command = msgspec.json.encode(messages.OpenTable(book, 6)).decode()
    events = msgspec.json.encode([messages.TableOpened(book, 6)]).decode()
    with engine.begin() as connection:
        change = {"command": command, "events": events, "secret": None}
        rechained(connection, "maryland 1", {3: change}, recorded_house.key)
    with pytest.raises(Broken, match="row 3: it opens a table that is open"):
        verify.verify(engine, recorded_house.key)
    engine.dispose()


def test_a_key_that_others_may_read_is_refused(whole: RecordedHouse, tmp_path: Path) -> None:
    """The key file must be its owner's alone."""
    shutil.copy2(whole.folder / "key", tmp_path / "key")
    (tmp_path / "key").chmod(0o644)
    result = run("verify", "--data", str(tmp_path), "--database", whole.address)
    assert result.exit_code == 2
    assert "0600" in result.stderr
