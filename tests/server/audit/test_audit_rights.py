"""R8: who may do what is what the office's rows say, on SQLite and PostgreSQL."""

import re
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result

import recorded_houses
from hosting import PASSWORD, Hosted
from recorded_houses import RecordedHouse
from tampering import rechained
from wartable.cli import wartable
from wartable.server.audit import significant
from wartable.server.period import Period
from wartable.server.records import database, messages, schema
from wartable.server.records.rows import OFFICE


def run(*words: str) -> Result:
    """The result of a command."""
    return CliRunner().invoke(wartable, ["audit", *words])


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def staffed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> RecordedHouse:
    """A house with people, limits, keys and closures of every kind."""
    folder = tmp_path_factory.mktemp("staffed")
    address = str(folder / "house.sqlite")
    if request.param == "postgres":
        address = recorded_houses.new_database(request.getfixturevalue("postgres_server"))
    with Hosted(folder, books=("online",), database=address) as hosted, hosted.admin() as admin:
        for name in ("dan", "eve"):
            admin.post("/accounts", 201, name=name, password=PASSWORD)
        admin.put("/accounts/dan/role", role="dealer", reason="hired")
        admin.post("/accounts/dan/password", reason="lost it")
        admin.put("/limits", account="eve", kind="loss_day", amount=500)
        with hosted.sign_in("eve", PASSWORD) as eve:
            eve.post("/me/password", old=PASSWORD, new=f"{PASSWORD} clip")
            eve.put("/me/limits", kind="loss_week", amount=700)
            eve.put("/me/limits", kind="loss_week", amount=900)
            eve.post("/me/exclude", days=30)
        hosted.guest().close()
        for name in ("old", "new"):
            admin.post("/keys", 201, name=name)
        admin.post("/keys/old/revoke", reason="over")
        for scope, name in (("table", "online 1"), ("book", "online")):
            admin.post("/disable", scope=scope, name=name, reason="drill")
        admin.post("/enable", scope="book", name="online", reason="drill")
    return RecordedHouse(folder, address)


PASSWORD_OF = "UPDATE accounts SET password = 'made$mine' WHERE name "
RIGHTS = {
    "role": ("UPDATE accounts SET role = 'admin' WHERE name = 'dan'", "role of dan"),
    "money": ("UPDATE accounts SET money = 'deposited' WHERE name = 'eve'", "money of eve"),
    "password": (f"{PASSWORD_OF} = 'admin'", "password of admin"),
    "password made anew": (f"{PASSWORD_OF} = 'dan'", "password of dan"),
    "password changed": (f"{PASSWORD_OF} = 'eve'", "password of eve"),
    "guest's password": (f"{PASSWORD_OF} LIKE 'guest-%%'", "password of guest-"),
    "excluded": (
        "UPDATE accounts SET excluded_until_ms = 0 WHERE name = 'eve'",
        "exclusion of eve",
    ),
    "gone": ("DELETE FROM accounts WHERE name = 'dan'", "exclusion of dan"),
    "new": (
        "INSERT INTO accounts SELECT 'mal', role, money, password, 0, 0, 0 FROM accounts LIMIT 1",
        "exclusion of mal",
    ),
    "key": ("UPDATE api_keys SET revoked_ms = NULL", "key of old"),
    "new key": ("INSERT INTO api_keys VALUES ('mal', 'x', NULL)", "key of mal"),
    "key's digest": (
        "UPDATE api_keys SET digest = 'x' WHERE name = 'new'",
        "digest of the key of new",
    ),
    "limit": (
        "UPDATE limits SET amount = 501 WHERE amount = 500",
        "limit of eve, operator's loss_day",
    ),
    "no limit": ("DELETE FROM limits WHERE setter = 'player'", "limit of eve, player's loss_week"),
    "next limit": (
        "UPDATE limits SET next_amount = 901 WHERE setter = 'player'",
        "limit of eve, player's loss_week",
    ),
    "next limit sooner": (
        "UPDATE limits SET next_from_ms = next_from_ms - 1 WHERE next_from_ms IS NOT NULL",
        "time of the next limit of eve, player's loss_week",
    ),
    "held limit": (
        "UPDATE limits SET amount = 899 WHERE next_from_ms IS NOT NULL",
        "limit of eve, player's loss_week",
    ),
    "held no more": (
        "UPDATE limits SET amount = 900, next_from_ms = NULL WHERE next_from_ms IS NOT NULL",
        "limit of eve, player's loss_week",
    ),
    "closure": ("DELETE FROM closures", "closure of table online 1"),
    "why": ("UPDATE closures SET reason = 'another'", "closure of table online 1"),
}


@pytest.mark.parametrize("what", [None, *RIGHTS])
def test_R8_changed_rights_are_found(
    staffed: RecordedHouse, tmp_path: Path, what: str | None
) -> None:
    """Who may do what is what the office's rows say, and not what somebody wrote into a table."""
    statement, words = (None, "") if what is None else RIGHTS[what]
    recorded = recorded_houses.copied(staffed, tmp_path)
    if statement is not None:
        spoil(recorded, statement)
    result = run("verify", *recorded.options)
    assert (result.exit_code, words in result.output) == (0 if what is None else 1, True)


def spoil(recorded: RecordedHouse, statement: str) -> None:
    """Change the records as who has the database can."""
    engine = database.engine_for(recorded.address)
    with engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM sessions")
        assert connection.exec_driver_sql(statement).rowcount
    engine.dispose()


@pytest.mark.parametrize(
    "what", ["password", "password changed", "key's digest", "next limit sooner"]
)
def test_R8_notes_of_older_versions_are_enough(
    staffed: RecordedHouse, tmp_path: Path, what: str
) -> None:
    """What older versions did not note is not compared; what they did note still is."""
    recorded = recorded_houses.copied(staffed, tmp_path)
    engine = database.engine_for(recorded.address)
    changes, shortened = {}, 0
    facts = re.compile(r',"facts":(null|{[^}]*})')
    cut = re.compile(r" from 2[0-9:. -]+ UTC(?=\")")
    for row in database.rows_of(engine, OFFICE):
        words = {"command": facts.sub("", row.command), "events": facts.sub("", row.events)}
        changes[row.number] = {name: cut.sub("", text) for name, text in words.items()}
        shortened += changes[row.number] != words
    with engine.begin() as connection:
        rechained(connection, OFFICE, changes, recorded.key)
    engine.dispose()
    assert shortened == 1  # one limit; nothing else has a fingerprint or a time in its words
    spoil(recorded, RIGHTS[what][0])
    assert run("verify", *recorded.options).exit_code == 0
    spoil(recorded, RIGHTS["role"][0])
    assert run("verify", *recorded.options).exit_code == 1


def test_R8_notes_tell_no_password_and_no_key(staffed: RecordedHouse) -> None:
    """Of what is kept of a password or a key the office's rows have neither it nor a part."""
    engine = database.engine_for(staffed.address)
    rows = "".join(row.command + row.events for row in database.rows_of(engine, OFFICE))
    with engine.connect() as connection:
        kept = [*connection.execute(sa.select(schema.accounts.c.password)).scalars()]
        kept += connection.execute(sa.select(schema.api_keys.c.digest)).scalars()
    engine.dispose()
    assert len(kept) == 6
    assert not [each for each in kept if each[-20:] in rows or each[:20] in rows]


def test_no_fingerprint_is_shown_for_a_password(staffed: RecordedHouse) -> None:
    """Events of staff tell that a password or key is new, in older rows too, and nothing of it."""
    engine = database.engine_for(staffed.address)
    events = list(significant.of_house(engine, staffed.key, Period()))
    kinds = {"account_opened", "password_changed", "key_made"}
    shown = [each for each in events if each.kind in kinds]
    assert {each.kind for each in shown} == kinds
    assert not any(re.search("[0-9a-f]{32}", each.after) for each in shown)
    engine.dispose()


@pytest.mark.parametrize(
    ("after", "shown"),
    [
        (f"player, play money, password {'0a' * 16}", "player, play money"),
        (f"password {'0a' * 16}", ""),
        (f"key {'0a' * 16}", ""),
        ("player, play money", "player, play money"),
        ("key 0a0a0a0a", "key 0a0a0a0a"),
        ("online " + "0a" * 32, "online " + "0a" * 32),
    ],
)
def test_what_older_events_say(after: str, shown: str) -> None:
    """Only the fingerprint that they end with is left out."""
    assert messages.without_fingerprint(after) == shown
