"""Attacks on accounts: sessions that should be over, guessed passwords, a house without admin."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from hosting import PASSWORD, Client, Hosted
from waiting import WAIT_S
from wartable.server.audit import verify
from wartable.server.denied import Denied
from wartable.server.house import passwords
from wartable.server.house.limits import DAY_MS
from wartable.server.house.sessions import Session
from wartable.server.records.messages import Note


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

    async def note(actor: str, note: Note, *statements: Any) -> int:
        if note.kind == kind and waiting:
            await waiting.pop()()
        return await write(actor, note, *statements)

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

    async def note(actor: str, note: Note, *statements: Any) -> int:
        number = await write(actor, note, *statements)
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
        assert house.accounts.excluded()[guest.name] == until_ms


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
            got_in.append(await hosted.house.sessions.sign_in("hurried-one", PASSWORD))

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
