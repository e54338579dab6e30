"""Sessions and keys: how long they hold, and that looking them up holds up no table."""

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hosting import Client, Hosted
from waiting import until
from wartable.server.audit import verify
from wartable.server.house import sessions

MINUTE_MS = 60_000


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file; its records are verified at the end."""
    with Hosted(tmp_path_factory.mktemp("house"), books=("online",)) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


def test_R16_a_page_that_asks_by_itself_keeps_no_session_alive(hosted: Hosted) -> None:
    """What pages ask without anybody's doing does not count as use: the session still ends."""
    with hosted.guest() as player, hosted.staff("floor") as floor:
        for _ in range(2):
            hosted.clock.ahead_ms += 16 * MINUTE_MS
            shown = player.get("/session")
            answer = floor.http.get("/staff")
        assert shown is None
        assert answer.json()["code"] == "signed_out"


def test_R8_a_key_that_is_not_there_is_not_revoked(hosted: Hosted) -> None:
    """A mistyped name is refused in a sentence, so that nobody believes a key to be useless."""
    with hosted.admin() as admin:
        admin.post("/keys", 201, name="cage")
        problem = admin.post("/keys/caeg/revoke", 404, reason="lost")
        assert problem == {"code": "no_key", "sentence": "There is no valid key of that name."}
        admin.post("/keys/cage/revoke", reason="lost")
        admin.post("/keys/cage/revoke", 404, reason="lost")
    assert [each["subject"] for each in hosted.significant("key_revoked")] == ["cage"]


def test_the_key_of_an_operator_is_looked_up_beside_the_tables(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database that is asked for a key may be slow: the thread of the tables does not wait."""
    with hosted.admin() as admin:
        token = admin.post("/keys", 201, name="beside")["token"]
    keys, threads = hosted.house.operator_keys, []
    name_of = keys.name_of

    def noted_name(asked: str) -> str:
        threads.append(threading.current_thread())
        return name_of(asked)

    monkeypatch.setattr(keys, "name_of", noted_name)
    with hosted.http(token) as key:
        assert key.get("/wallets/admin").json()["holds"] == {"wallet": 0}
        headers = {"Idempotency-Key": "1"}
        for what in ("deposit", "withdraw"):
            answer = key.post(f"/wallets/admin/{what}", json={"amount": 1}, headers=headers)
            assert answer.json()["code"] == "play_money"
    assert len(threads) == 3
    assert hosted.thread not in threads


def test_sessions_are_looked_up_beside_the_tables(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However slowly the database says who somebody is, the thread of the tables does not wait."""
    accounts, sessions, threads = hosted.house.accounts, hosted.house.sessions, []
    stored, row = sessions._stored, accounts.row

    def noted_stored(digest: str) -> object:
        threads.append(threading.current_thread())
        return stored(digest)

    def noted_row(name: str) -> object:
        threads.append(threading.current_thread())
        return row(name)

    monkeypatch.setattr(sessions, "_stored", noted_stored)
    monkeypatch.setattr(accounts, "row", noted_row)
    with hosted.http("a token of nobody") as stranger:
        table = "/tables/online 1"
        for path in ("/session", table, f"{table}/book", f"{table}/shoes"):
            assert stranger.get(path).status_code == 200
        needing = ("/me", "/me/rounds", "/me/rounds.csv", "/me/totals", "/rounds/online 1/1")
        for path in (*needing, "/staff", "/closures", "/accounts", "/records/significant"):
            assert stranger.get(path).json()["code"] == "signed_out"
        for path in ("/sign-out", "/me/acknowledge"):
            assert stranger.post(path).json()["code"] == "signed_out"
    with Client(hosted, "", "a token of nobody") as stranger_there:
        assert stranger_there.hello("online 1")["name"] is None
    assert len(threads) == 16
    with hosted.guest() as guest, hosted.sign_in(guest.name, guest.password):
        assert len(threads) > 16
    assert hosted.thread not in threads


def test_R4_a_kill_signs_nobody_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who was here a minute before is signed in after it, however long ago they signed in."""
    monkeypatch.setattr(sessions, "SEEN_S", 0.05)
    first, second = tmp_path / "first", tmp_path / "second"
    second.mkdir()
    with Hosted(first, books=("online",)) as hosted, hosted.guest() as player:
        for _ in range(2):
            hosted.clock.ahead_ms += sessions.IDLE_MS - MINUTE_MS
            player.get("/me")
        (session,) = hosted.house.sessions._sessions.values()
        stored = hosted.house.sessions._stored
        until(lambda: stored(session.digest) == session, "it is not written down")
        with (
            closing(sqlite3.connect(first / "house.sqlite")) as old,
            closing(sqlite3.connect(second / "house.sqlite")) as new,
        ):
            old.backup(new)
        shutil.copy2(first / "key", second / "key")
        who, ahead_ms = (player.name, player.token), hosted.clock.ahead_ms
    with Hosted(second, books=("online",)) as again:
        again.clock.ahead_ms = ahead_ms
        with Client(again, *who) as resumed:
            assert resumed.get("/me")["name"] == player.name
        again.clock.ahead_ms += sessions.IDLE_MS + MINUTE_MS
        with Client(again, *who) as late:
            assert late.get("/me", 401)["code"] == "signed_out"
