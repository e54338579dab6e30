"""Whoever has the database and not the key cannot act through the house for a moment either."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

import recorded_houses
from hosting import PASSWORD, Client, Hosted
from recorded_houses import RecordedHouse
from tampering import altered, drop_triggers, restore_triggers
from waiting import WAIT_S, until
from wartable.server.audit import verify
from wartable.server.denied import Denied
from wartable.server.house import guard, passwords
from wartable.server.house.guard import Guard
from wartable.server.house.rights import Rights
from wartable.server.records import database
from wartable.server.records.counting import DAY_MS
from wartable.server.records.facts import ExclusionFact
from wartable.server.records.keys import HouseKey
from wartable.server.records.messages import Note
from wartable.server.records.notes import write_note
from wartable.server.records.rows import CASHIER, Row
from wartable.server.tables.approvals import Approvals

TOKEN = "a token of a forger's own"
NEW_PASSWORD = "words that only eve knows"


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def hosted(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Hosted]:
    """An open house on either database; whatever is done to it is undone, and it stays whole."""
    folder = tmp_path_factory.mktemp("guarded")
    address = str(folder / "house.sqlite")
    if request.param == "postgres":
        address = recorded_houses.new_database(request.getfixturevalue("postgres_server"))
    with Hosted(folder, books=("online",), database=address, money="deposited") as running:
        with running.admin() as admin:
            for name in ("eve", "ann"):
                admin.post("/accounts", 201, name=name, password=PASSWORD)
        yield running
        verify.verify(running.house.engine, running.house.key)


@contextmanager
def for_a_moment(hosted: Hosted, *statements: str, **values: Any) -> Iterator[None]:
    """Change the database, and put everything back as it was."""
    engine = hosted.house.engine
    tables = ("accounts", "sessions", "api_keys")
    metadata = sa.MetaData()
    metadata.reflect(engine)
    with engine.connect() as connection:
        kept = {
            name: [row._asdict() for row in connection.execute(sa.select(metadata.tables[name]))]
            for name in tables
        }
    with engine.begin() as connection:
        for statement in statements:
            assert connection.execute(sa.text(statement), values).rowcount == 1
    yield
    with engine.begin() as connection:
        for name in reversed(tables):
            if name != "accounts":
                connection.execute(metadata.tables[name].delete())
        connection.execute(metadata.tables["accounts"].delete())
        for name in tables:
            if kept[name]:
                connection.execute(metadata.tables[name].insert(), kept[name])


def found(hosted: Hosted, subject: str, reason: str) -> None:
    """Wait until the house has written this down about a subject."""

    def written() -> bool:
        told = hosted.significant("tampering_found", subject)
        return any(reason in each["reason"] for each in told)

    until(written, f"that {reason} is not written down about {subject}")


def sign_in(hosted: Hosted, name: str, password: str) -> str:
    """The code of the answer to somebody who signs in, or nothing."""
    with hosted.http() as http:
        body = {"name": name, "password": password}
        return str(http.post("/sign-in", json=body).json().get("code", ""))


def test_R8_a_session_that_the_house_did_not_begin_is_refused(hosted: Hosted) -> None:
    """A row with the digest of one's own token makes nobody an administrator."""
    insert = "INSERT INTO sessions VALUES (:digest, 'admin', 1, 9999999999999, :mac)"
    for mac in (None, "00000000" + "ab" * 32):
        forging = for_a_moment(hosted, insert, digest=passwords.digest(TOKEN), mac=mac)
        with forging, hosted.http(TOKEN) as http:
            assert http.get("/accounts").json()["code"] == "not_ours"
    found(hosted, "session of admin", "this house did not begin it")


def test_R8_a_session_cannot_be_given_to_another_account(hosted: Hosted) -> None:
    """A genuine session of one's own stays one's own, also where the house does not know it yet."""
    with hosted.house.engine.begin() as connection:  # the only session of theirs
        connection.execute(sa.text("DELETE FROM sessions WHERE account = 'eve'"))
    eve = hosted.sign_in("eve", PASSWORD)
    hosted.house.sessions._sessions.clear()  # as after a restart
    with for_a_moment(hosted, "UPDATE sessions SET account = 'ann' WHERE account = 'eve'"):
        assert eve.http.get("/me").json()["code"] == "not_ours"
    found(hosted, "session of ann", "this house did not begin it")
    assert eve.get("/me")["name"] == "eve"


def test_R8_a_session_that_ended_cannot_be_put_back(hosted: Hosted) -> None:
    """Not after signing out, and not after a change of the role; another one goes on."""
    engine = hosted.house.engine
    mine = sa.text("SELECT * FROM sessions WHERE account = 'eve'")
    back = sa.text("INSERT INTO sessions VALUES (:digest, :account, :opened_ms, :seen_ms, :mac)")
    with engine.begin() as connection:
        connection.execute(sa.text("DELETE FROM sessions WHERE account = 'eve'"))
    hosted.house.sessions._sessions.clear()

    def ended(end: Callable[[Client], Any]) -> None:
        eve = hosted.sign_in("eve", PASSWORD)
        with engine.connect() as connection:
            (row,) = (each._asdict() for each in connection.execute(mine))
        hosted.clock.ahead_ms += 1_000
        end(eve)
        with engine.begin() as connection:
            connection.execute(back, row)
        assert eve.http.get("/me").json()["code"] == "not_ours"
        with engine.begin() as connection:
            connection.execute(sa.text("DELETE FROM sessions WHERE account = 'eve'"))

    ended(lambda eve: eve.post("/sign-out"))
    with hosted.admin() as admin:

        def demote(_: Client) -> None:
            admin.put("/accounts/eve/role", role="dealer", reason="drill")

        ended(demote)
        admin.put("/accounts/eve/role", role="player", reason="drill")
    found(hosted, "session of eve", "it ended, and was put back")
    assert hosted.sign_in("eve", PASSWORD).get("/me")["name"] == "eve"


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("eve", "UPDATE accounts SET role = 'admin' WHERE name = 'eve'", "the role of eve"),
        ("eve", "UPDATE accounts SET excluded_until_ms = 5 WHERE name = 'eve'", "the exclusion of"),
        ("ann", "UPDATE accounts SET password = :password WHERE name = 'ann'", "the password of"),
        (
            "mal",
            "INSERT INTO accounts VALUES ('mal', 'admin', 'deposited', :password, 1, 0, 0)",
            "of mal is stored as",
        ),
    ],
)
def test_R8_an_account_that_was_changed_is_refused(
    hosted: Hosted, name: str, change: str, reason: str
) -> None:
    """A role, a password or a whole account of one's own making lets nobody in."""
    values = {"password": passwords.kept_made(PASSWORD)} if ":password" in change else {}
    with for_a_moment(hosted, change, **values):
        assert sign_in(hosted, name, PASSWORD) == "not_ours"
    found(hosted, f"account {name}", reason)
    assert sign_in(hosted, "eve", PASSWORD) == ""


def test_R8_an_older_password_cannot_be_put_back(hosted: Hosted) -> None:
    """The row of an account as it was before, every value genuine, is not what counts now."""
    with hosted.admin() as admin:
        admin.post("/accounts", 201, name="bea", password=PASSWORD)
    engine = hosted.house.engine
    here = "WHERE name = 'bea'"
    with engine.connect() as connection:
        old = connection.execute(sa.text(f"SELECT password FROM accounts {here}")).scalar()
    with hosted.sign_in("bea", PASSWORD) as bea:
        bea.post("/me/password", old=PASSWORD, new=NEW_PASSWORD)
    with for_a_moment(hosted, f"UPDATE accounts SET password = :old {here}", old=old):
        assert sign_in(hosted, "bea", PASSWORD) == "not_ours"
    assert sign_in(hosted, "bea", NEW_PASSWORD) == ""


def test_R8_a_key_of_ones_own_pays_nothing(hosted: Hosted) -> None:
    """A key that was added, replaced or revived is refused, and a genuine one pays."""
    with hosted.admin() as admin:
        gone, till = (admin.post("/keys", 201, name=name)["token"] for name in ("gone", "till"))
        admin.post("/keys/gone/revoke", reason="over")
    mine = passwords.digest(TOKEN)
    changes = {
        "key mal": ("INSERT INTO api_keys VALUES ('mal', :digest, NULL)", TOKEN),
        "key till": ("UPDATE api_keys SET digest = :digest WHERE name = 'till'", TOKEN),
        "key gone": ("UPDATE api_keys SET revoked_ms = NULL WHERE name = 'gone'", gone),
    }
    for subject, (change, token) in changes.items():
        values = {"digest": mine} if ":digest" in change else {}
        with for_a_moment(hosted, change, **values), hosted.http(token) as http:
            assert http.get("/wallets/ann").json()["code"] == "not_ours"
        found(hosted, subject, "by the office's rows it is")
    with hosted.http(till) as http:
        assert http.get("/wallets/ann").status_code == 200


def test_R8_a_payment_that_was_never_made_is_not_confirmed(hosted: Hosted) -> None:
    """A forged row under the id of a withdrawal does not make the desk pay it out."""
    engine = hosted.house.engine
    with hosted.admin() as admin:
        token = admin.post("/keys", 201, name="desk")["token"]
    forged = sa.text(
        "INSERT INTO journal VALUES ('cashier', 9999, 1, 'key:desk', 'key/slip', :command, '[]',"
        " NULL, 'x', NULL)"
    )
    command = '{"type":"pay_out","player":"ann","amount":50000}'
    with engine.begin() as connection:
        connection.execute(forged, {"command": command})
    with hosted.http(token) as desk:
        headers = {"Idempotency-Key": "slip"}
        answer = desk.post("/wallets/ann/withdraw", json={"amount": 50_000}, headers=headers)
    assert answer.json()["code"] == "not_ours"
    with engine.begin() as connection:
        drop_triggers(connection)
        connection.execute(sa.text("DELETE FROM journal WHERE number = 9999"))
        restore_triggers(connection)
    found(hosted, CASHIER, "row 9999: this house did not write it")


def test_R8_limits_and_closures_are_what_the_office_says(tmp_path: Path) -> None:
    """What was taken out of the database while the house was closed holds when it opens."""
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.admin() as admin:
        admin.post("/accounts", 201, name="eve", password=PASSWORD)
        admin.put("/limits", account="eve", kind="loss_day", amount=500)
        admin.post("/disable", scope="player", name="eve", reason="drill")
        admin.post("/cards", 201, name="red-1", decks=6, back="red")
        with hosted.sign_in("eve", PASSWORD) as eve:
            eve.post("/me/exclude", days=30)
        before = hosted.house.protection.excluded["eve"]
    engine = database.engine_for(str(tmp_path / "house.sqlite"))
    with engine.begin() as connection:
        for name in ("limits", "closures"):
            connection.exec_driver_sql(f"DELETE FROM {name}")
        connection.exec_driver_sql("UPDATE accounts SET excluded_until_ms = 0")
    engine.dispose()
    with Hosted(tmp_path, books=("online",)) as hosted:
        protection = hosted.house.protection
        assert protection.limits.held["eve", "loss_day", "operator"].amount == 500
        assert protection.closures["player", "eve"].reason == "drill"
        assert protection.excluded["eve"] == before
        assert hosted.house.inventory.find("red-1").decks == 6


def test_R8_a_table_is_not_opened_with_another_setup(tmp_path: Path) -> None:
    """A table that is to have other decks than it was opened with stays closed."""
    with Hosted(tmp_path, books=("online",)):
        pass
    engine = database.engine_for(str(tmp_path / "house.sqlite"))
    with engine.begin() as connection:
        change = "UPDATE tables SET setup = replace(setup, '\"decks\":', '\"decks\":1')"
        assert connection.exec_driver_sql(change).rowcount
    engine.dispose()
    with Hosted(tmp_path, books=("online",)) as hosted:
        assert "online 1" not in hosted.house.floor.places


def test_R8_a_table_that_lost_rows_in_the_meantime_stays_closed(tmp_path: Path) -> None:
    """A private table that nobody was at is not opened from an earlier row of it."""
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.guest() as guest:
        name = guest.private("online")
        guest.play(1, deal=True)
        guest.must("leave")
        house = hosted.house
        until(lambda: not house.floor.places[name].live.state.guests, "the guest does not leave")
        place = house.floor.places.pop(name)
        assert place.task is not None
        place.task.get_loop().call_soon_threadsafe(place.task.cancel)
        until(place.task.done, "the table does not close")
        number = place.live.head[0]
        with house.engine.begin() as connection:
            drop_triggers(connection)
            for table in ("journal", "transfers"):
                gone = f"DELETE FROM {table} WHERE table_name = '{name}' AND number > {number - 1}"
                connection.exec_driver_sql(gone)
            last = f"SELECT hash FROM journal WHERE table_name = '{name}' AND number = {number - 1}"
            hash_ = connection.exec_driver_sql(last).scalar()
            head = f"UPDATE heads SET number = {number - 1}, hash = '{hash_}'"
            connection.exec_driver_sql(f"{head} WHERE table_name = '{name}'")
            restore_triggers(connection)
        refused = guest.http.post("/tables/private", json={"book": "online"})
        assert refused.json()["code"] == "broken"


def test_a_change_in_the_middle_locks_nobody_out(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An account that changes while it is read, and before it is compared, is read again."""
    house = hosted.house
    task = house.floor.places["online 1"].task
    assert task is not None
    snapshot, changed = database.snapshot, list[bool]()
    until_ms = house.clock.now_ms() + DAY_MS

    @contextmanager
    def late(engine: sa.Engine) -> Iterator[sa.Connection]:
        with snapshot(engine) as source:
            if not changed:
                changed.append(True)
                excluding = house.accounts.exclude("ann", until_ms, "asked for it")
                asyncio.run_coroutine_threadsafe(excluding, task.get_loop()).result(WAIT_S)
            yield source

    monkeypatch.setattr(database, "snapshot", late)
    assert sign_in(hosted, "ann", PASSWORD) == ""
    assert changed
    assert house.guard.rights.accounts["ann"].excluded_until_ms == until_ms


def test_what_another_server_changed_is_read(hosted: Hosted) -> None:
    """A right that another server of this house changed counts here too."""
    house = hosted.house
    until_ms = house.clock.now_ms() + 9 * DAY_MS
    note = Note("excluded", "ann", "", "", str(until_ms), ExclusionFact(until_ms))
    change = ("UPDATE accounts SET excluded_until_ms = ? WHERE name = ?", (until_ms, "ann"))
    address = house.config.database
    write_note(address, house.key, "ann", note, house.clock.now_ms(), change)
    assert sign_in(hosted, "ann", PASSWORD) == ""
    assert house.guard.rights.accounts["ann"].excluded_until_ms == until_ms


def test_kept_rights_save_reading_the_office_and_prove_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A house goes on from the rights it kept; any others are as good as none."""
    with Hosted(tmp_path, books=("online",)) as hosted, hosted.admin() as admin:
        admin.post("/accounts", 201, name="eve", password=PASSWORD)
        admin.put("/limits", account="eve", kind="loss_day", amount=500)
        admin.post("/disable", scope="player", name="eve", reason="drill")
        engine, key = hosted.house.engine, hosted.house.key
    folded, note = list[int](), Rights.note

    def noted(rights: Rights, row: Row, of: Note) -> None:
        folded.append(row.number)
        note(rights, row, of)

    monkeypatch.setattr(Rights, "note", noted)
    kept = Guard(engine, key, tmp_path)
    assert not folded
    anew = Guard(engine, key, tmp_path / "elsewhere")
    assert folded == list(range(1, kept.head[0] + 1))
    assert (kept.head, kept.rights) == (anew.head, anew.rights)
    file = tmp_path / guard.FILE
    sealed = file.read_text()
    for other in ("", "zz", altered(sealed), HouseKey(bytes(32)).seal(b"x", "rights")):
        file.write_text(other)
        folded.clear()
        assert Guard(engine, key, tmp_path).rights == kept.rights
        assert len(folded) == kept.head[0]
    engine.dispose()


def test_a_book_that_was_changed_does_not_make_an_award_smaller(
    sqlite_house: RecordedHouse,
) -> None:
    """Two people approve a large award, whatever somebody wrote into the stored book meanwhile."""
    engine = database.engine_for(sqlite_house.address)
    watching = Guard(engine, sqlite_house.key, sqlite_house.folder)
    setup = database.setup_of(engine, "maryland 1")
    place: Any = SimpleNamespace(live=SimpleNamespace(setup=setup), digest="of another book")
    office: Any = None
    with pytest.raises(Denied) as refused:
        Approvals(engine, office, watching, 1)._amount(place)
    assert refused.value.code == "not_ours"
    assert [note.reason for note in watching.new_findings()] == ["its rule book was changed"]
    engine.dispose()
