"""Attacks on accounts: sessions that should be over, guessed passwords, a house without admin."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from hosting import PASSWORD, Client, Hosted, TestClock
from opened_houses import opened
from waiting import WAIT_S, in_time
from wartable.server.audit import verify
from wartable.server.denied import Denied
from wartable.server.house import passwords
from wartable.server.house.guesses import GUESSES_MAX, LOCKED_MS, Guesses
from wartable.server.house.sessions import Session
from wartable.server.records import database
from wartable.server.records.counting import DAY_MS
from wartable.server.records.messages import Note
from wartable.server.records.rows import OFFICE

SHARED = "198.51.100.7"
"""The address of two people in the same office."""


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file; its records are verified at the end."""
    with Hosted(tmp_path_factory.mktemp("house")) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


def just_before(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch, kind: str, act: Callable[[], Awaitable[Any]]
) -> None:
    """Do something at the very moment before the next event of this kind is written."""
    office = hosted.house.office
    write, waiting = office.note, [act]

    async def note(actor: str, note: Note, *statements: Any, **more: Any) -> int:
        if note.kind == kind and waiting:
            await waiting.pop()()
        return await write(actor, note, *statements, **more)

    monkeypatch.setattr(office, "note", note)


def using(hosted: Hosted, client: Client) -> Callable[[], Awaitable[None]]:
    """A request of the client's session, made inside the server."""

    async def use() -> None:
        with suppress(Denied):
            await hosted.house.sessions.session(client.token or "")

    return use


def test_a_session_used_while_it_is_signed_out(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token that is used while its session is being ended does not bring the session back."""
    with hosted.guest() as guest:
        just_before(hosted, monkeypatch, "signed_out", using(hosted, guest))
        guest.post("/sign-out")
        assert guest.get("/me", 401)["code"] == "signed_out"


def test_a_session_used_while_the_password_is_changed(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another's session ends with the old password, even one that is not known yet but stored."""
    with hosted.register("robbed-one") as owner, hosted.sign_in("robbed-one", PASSWORD) as thief:
        hosted.house.sessions._sessions.clear()
        just_before(hosted, monkeypatch, "signed_out", using(hosted, thief))
        owner.post("/me/password", old=PASSWORD, new="another password")
        assert thief.get("/me", 401)["code"] == "signed_out"
        owner.get("/me")


def test_a_session_that_ends_while_it_is_looked_up(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session that was read just before its end is not known again after it."""
    sessions = hosted.house.sessions
    with hosted.staff("floor") as floor:
        sessions._sessions.clear()
        stored, endings = sessions._stored, ["player"]
        task = hosted.house.floor.places["online 1"].task
        assert task is not None
        loop = task.get_loop()

        def overtaken(digest: str) -> Session | None:
            found = stored(digest)
            while endings:
                demoting = sessions.change_role("admin", floor.name, "player", endings.pop())
                asyncio.run_coroutine_threadsafe(demoting, loop).result(WAIT_S)
            return found

        monkeypatch.setattr(sessions, "_stored", overtaken)
        assert floor.get("/staff", 401)["code"] == "signed_out"
        assert not endings


def test_a_session_used_while_a_new_password_is_made(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session that is known again only while the password is made anew ends with the others."""
    with hosted.register("robbed-four") as thief, hosted.admin() as admin:
        hosted.house.sessions._sessions.clear()
        just_before(hosted, monkeypatch, "password_changed", using(hosted, thief))
        admin.post("/accounts/robbed-four/password", reason="was robbed")
        assert thief.get("/me", 401)["code"] == "signed_out"


def test_a_change_that_a_new_password_overtakes(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thief who is changing the password while an administrator makes another one does not."""
    sessions, kept, made = hosted.house.sessions, passwords.kept, list[str]()
    task = hosted.house.floor.places["online 1"].task
    assert task is not None
    loop = task.get_loop()

    def overtaken(password: str) -> str:
        making = sessions.new_password("admin", "robbed-two", "was robbed")
        made.append(asyncio.run_coroutine_threadsafe(making, loop).result(WAIT_S))
        return kept(password)

    with hosted.register("robbed-two") as thief:
        monkeypatch.setattr(passwords, "kept", overtaken)
        refused = thief.post("/me/password", 401, old=PASSWORD, new="the thief's own")
        assert refused["code"] == "signed_out"
        hosted.sign_in("robbed-two", *made).close()


def test_a_session_that_ends_while_it_is_kept(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who changes the password just before an administrator makes another keeps no session."""
    sessions, office = hosted.house.sessions, hosted.house.office
    write, made = office.note, list[str]()

    async def note(actor: str, note: Note, *statements: Any, **more: Any) -> int:
        number = await write(actor, note, *statements, **more)
        if (actor, note.kind) == ("robbed-three", "password_changed"):
            made.append(await sessions.new_password("admin", "robbed-three", "was robbed"))
        return number

    with hosted.register("robbed-three") as thief:
        monkeypatch.setattr(office, "note", note)
        thief.post("/me/password", old=PASSWORD, new="the thief's own")
        assert thief.get("/me", 401)["code"] == "signed_out"
        assert sessions._stored(passwords.digest(thief.token or "")) is None
        hosted.sign_in("robbed-three", *made).close()


def test_R11_a_shorter_exclusion_does_not_undo_a_longer_one(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two exclusions at the same time the longer one holds, in the records too."""
    house = hosted.house
    with hosted.guest() as guest:
        until_ms = house.clock.now_ms() + 30 * DAY_MS

        async def longer() -> None:
            await house.accounts.exclude(guest.name, until_ms, "longer")

        just_before(hosted, monkeypatch, "excluded", longer)
        guest.post("/me/exclude", days=7)
        stored = house.accounts.row(guest.name)
        assert stored is not None
        assert stored.excluded_until_ms == until_ms


def test_a_sign_in_that_a_change_of_role_overtakes(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who loses a role while signing in does not get in with it."""
    with hosted.staff("floor") as floor:

        async def demote() -> None:
            await hosted.house.sessions.change_role("admin", floor.name, "player", "for a test")

        just_before(hosted, monkeypatch, "signed_in", demote)
        with hosted.http() as http:
            body = {"name": floor.name, "password": floor.password}
            assert http.post("/sign-in", json=body).status_code == 401
            signed = http.post("/sign-in", json=body)
            assert (signed.status_code, signed.json()["role"]) == (200, "player")


def test_a_sign_in_that_a_change_of_password_overtakes(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a password is slowly compared it may be changed; then the old one does not get in."""
    sessions, fits = hosted.house.sessions, passwords.fits
    with hosted.register("overtaken-one") as owner:

        def slowly(stored: str, password: str) -> bool:
            monkeypatch.setattr(passwords, "fits", fits)
            owner.post("/me/password", old=PASSWORD, new="another password")
            return fits(stored, password)

        monkeypatch.setattr(passwords, "fits", slowly)
        with hosted.http() as http:
            body = {"name": owner.name, "password": PASSWORD}
            assert http.post("/sign-in", json=body).status_code == 401
        names = [each.account.name for each in sessions._sessions.values()]
        assert names.count(owner.name) == 1
        owner.get("/me")


def test_an_open_connection_of_a_session_that_is_over(hosted: Hosted) -> None:
    """Who is not staff any more is told no more of a private table, and can follow no other."""
    with hosted.staff("floor") as floor, hosted.guest() as guest, hosted.admin() as admin:
        name = guest.private("online")
        watching = Client(hosted, floor.name, floor.token)
        watching.hello(name)
        watching.hear("snapshot")
        floor.hello()
        admin.put(f"/accounts/{floor.name}/role", role="player", reason="for a test")
        assert floor.hello(name)["code"] == "signed_out"
        guest.must("buy_in", amount=500)
        with pytest.raises(ConnectionClosed) as closed:
            watching.hear("happened")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4401
        watching.close()


def test_R16_the_fifth_failure_locks_before_it_is_written(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the fifth failure is being written, not even the right password gets in."""
    hosted.register("hurried-one").close()
    got_in = []

    async def sign_in() -> None:
        with suppress(Denied):
            got_in.append(await hosted.house.sessions.sign_in("hurried-one", PASSWORD, "127.0.0.1"))

    body = {"name": "hurried-one", "password": "wrong password"}
    with hosted.http() as http:
        for _ in range(4):
            assert http.post("/sign-in", json=body).status_code == 401
        just_before(hosted, monkeypatch, "sign_in_failed", sign_in)
        assert http.post("/sign-in", json=body).status_code == 401
    assert not got_in


def test_R16_guessing_the_old_password(hosted: Hosted) -> None:
    """Who has a session but not the password may guess five times, as at signing in."""
    with hosted.register("guessed-one") as thief:
        for number in range(5):
            assert thief.post("/me/password", 403, old=f"guess {number}", new="another password")
        refused = thief.post("/me/password", 403, old=PASSWORD, new="another password")
        assert "too many failures" in refused["sentence"]


def test_R16_every_sign_in_costs_one_slow_hash(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that nobody has, a guest's and a member's take the same work, so that time is mute."""
    hosted.register("timed-one").close()
    hasher = passwords._HASHER
    spent = []

    class Counting:
        def verify(self, stored: str, password: str) -> bool:
            spent.append(1)
            return hasher.verify(stored, password)

    monkeypatch.setattr(passwords, "_HASHER", Counting())
    with hosted.guest() as guest, hosted.http() as http:
        for name in ("timed-one", "nobody-here", guest.name):
            spent.clear()
            body = {"name": name, "password": "wrong password"}
            assert http.post("/sign-in", json=body).status_code == 401
            assert len(spent) == 1, name


def test_the_last_administrator_stays(hosted: Hosted) -> None:
    """An administrator cannot give up the role, so that the house always has one."""
    with hosted.admin() as admin:
        body = {"role": "player", "reason": "for a test"}
        assert admin.put("/accounts/admin/role", 403, **body)["code"] == "own_role"
        admin.get("/closures")


def tried(hosted: Hosted, name: str, password: str, address: str) -> int:
    """The status of a sign-in that a proxy passes on from an address."""
    body, headers = {"name": name, "password": password}, {"X-Forwarded-For": address}
    with hosted.http() as http:
        return http.post("/sign-in", json=body, headers=headers).status_code


def test_a_stranger_locks_nobody_else_out(hosted: Hosted) -> None:
    """Five wrong guesses lock the guesser's address for that name, and nothing more."""
    with hosted.admin() as admin:
        for _ in range(6):
            assert tried(hosted, "admin", "wrong password", "192.0.2.66") == 401
        assert tried(hosted, "admin", admin.password, "192.0.2.66") == 401
        assert tried(hosted, "admin", admin.password, "192.0.2.1") == 200
        hosted.register("neighbour-one").close()
        assert tried(hosted, "neighbour-one", PASSWORD, "192.0.2.66") == 200
        told = hosted.significant("locked_out", "admin")
        assert len(told) == 1
        hosted.clock.ahead_ms += LOCKED_MS
        assert tried(hosted, "admin", admin.password, "192.0.2.66") == 200


def test_guesses_from_everywhere_lock_no_known_address_out(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When many addresses guess, new ones must wait; one that signed in before need not."""
    monkeypatch.setattr("wartable.server.house.guesses.GUESSES_MAX", 12)
    hosted.register("wanted-one").close()
    assert tried(hosted, "wanted-one", PASSWORD, "198.51.100.1") == 200
    for number in range(12):
        assert tried(hosted, "wanted-one", "wrong password", f"192.0.2.{number}") == 401
    written = len(hosted.significant("sign_in_failed", "wanted-one"))
    assert tried(hosted, "wanted-one", PASSWORD, "203.0.113.1") == 401, "a new address"
    assert tried(hosted, "wanted-one", "wrong password", "203.0.113.2") == 401
    assert len(hosted.significant("sign_in_failed", "wanted-one")) == written == 12
    assert tried(hosted, "wanted-one", PASSWORD, "198.51.100.1") == 200, "a known one"
    with hosted.http() as http:
        body = {"name": "wanted-one", "password": PASSWORD}
        assert http.post("/sign-in", json=body).status_code == 200, "the machine itself"
    for _ in range(5):
        tried(hosted, "wanted-one", "wrong password", "198.51.100.1")
    assert tried(hosted, "wanted-one", PASSWORD, "198.51.100.1") == 401, "its own guesses count"
    hosted.clock.ahead_ms += LOCKED_MS
    assert tried(hosted, "wanted-one", PASSWORD, "203.0.113.1") == 200


def test_nobody_at_the_same_address_locks_a_device_out(tmp_path: Path) -> None:
    """A device that has signed in before is counted by itself, in every way."""
    with (
        Hosted(tmp_path, books=("online",), attempts_per_minute=10) as hosted,
        hosted.http() as own,
        hosted.http() as other,
    ):

        def sign_in(http: httpx.Client, password: str, name: str = "sharing-one") -> int:
            body, headers = {"name": name, "password": password}, {"X-Forwarded-For": SHARED}
            return http.post("/sign-in", json=body, headers=headers).status_code

        def locked_out(http: httpx.Client) -> None:
            """Guess more often than is allowed."""
            assert {sign_in(http, "wrong password") for _ in range(5)} == {401}
            assert sign_in(http, PASSWORD) == 401

        for http, name in ((own, "sharing-one"), (other, "guessing-one")):
            body = {"name": name, "password": PASSWORD}
            answer = http.post("/register", json=body).raise_for_status()
            kept = [each for each in answer.headers.get_list("set-cookie") if "device" in each]
            assert "HttpOnly" in kept[0]
            assert "Path=/sign-in" in kept[0]
            assert "SameSite=strict" in kept[0]
        locked_out(other)
        assert sign_in(own, PASSWORD) == 200
        while sign_in(other, "wrong password") != 429:
            pass
        assert sign_in(own, PASSWORD) == 200
        for number in range(GUESSES_MAX):
            hosted.house.sessions._guesses.failed("sharing-one", f"192.0.2.{number}")
        assert sign_in(own, PASSWORD) == 200
        locked_out(own)
        assert sign_in(own, PASSWORD, "nobody-here") == 429, "its cookie is for one name"


def test_a_known_address_stays_known_after_a_restart(tmp_path: Path, address: str) -> None:
    """What the journal has of it tells nobody without the key which address it was."""

    async def run() -> None:
        house = await opened(tmp_path, address)
        await house.accounts.open(None, "berta", PASSWORD)
        for _ in range(2):
            await house.sessions.sign_in("berta", PASSWORD, "198.51.100.1")
        await house.stop()
        house = await opened(tmp_path, address)
        sessions = house.sessions
        for number in range(GUESSES_MAX):
            with pytest.raises(Denied):
                await sessions.sign_in("berta", "wrong password", f"192.0.2.{number}")
        with pytest.raises(Denied):
            await sessions.sign_in("berta", PASSWORD, "203.0.113.1")
        await sessions.sign_in("berta", PASSWORD, "198.51.100.1")
        rows = list(database.rows_of(house.engine, OFFICE))
        assert sum(row.command_id.startswith("first-") for row in rows) == 1
        assert not any("198.51.100.1" in str(row) for row in rows)
        verify.verify(house.engine, house.key)
        await house.stop()

    in_time(run())


def test_what_is_remembered_of_guesses_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the latest names are kept, and of each name no more places than may guess."""
    monkeypatch.setattr("wartable.server.house.guesses.WATCHED_MAX", 3)
    clock = TestClock()
    guesses = Guesses(clock)
    for number in range(GUESSES_MAX):
        guesses.failed("somebody", f"192.0.2.{number}")
    assert guesses.spread("somebody")
    for name in ("one", "two", "three"):
        guesses.failed(name, "192.0.2.1")
    assert list(guesses._names) == ["one", "two", "three"]
    clock.ahead_ms += LOCKED_MS
    guesses.failed("three", "192.0.2.2")
    assert list(guesses._names["three"].places) == ["192.0.2.2"]
