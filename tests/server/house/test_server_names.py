"""Names and the way back in: guests who register, display names, recovery codes."""

from collections.abc import Iterator

import pytest

from hosting import PASSWORD, Hosted
from wartable.server.audit import verify
from wartable.server.denied import Denied
from wartable.server.house.naming import checked_display, folded
from wartable.server.house.roles import ROLES

MINUTE_MS = 60_000
NEW = "another horse battery"


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file; its records are verified at the end."""
    with Hosted(tmp_path_factory.mktemp("house"), books=("online",)) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


def test_a_guest_who_registers_keeps_everything(hosted: Hosted) -> None:
    """Rounds, money and the seat stay; another session of the guest ends; the name signs in."""
    with hosted.guest() as guest, hosted.sign_in(guest.name, guest.password) as elsewhere:
        guest.private("online")
        guest.play(2, deal=True)
        rounds, holds = guest.get("/me/rounds"), guest.get("/me")["holds"]
        assert rounds["rounds"], "no round was played"
        guest.post("/register", 201, name="keeper", password=PASSWORD)
        me = guest.get("/me")
        assert (me["name"], me["display"], me["guest"]) == (guest.name, "keeper", False)
        assert me["holds"] == holds
        assert elsewhere.get("/me", 401)["code"] == "signed_out"
        with hosted.sign_in("keeper", PASSWORD) as again:
            assert again.get("/me")["name"] == guest.name
            assert again.get("/me/rounds") == rounds
        assert guest.get(f"/names?player={guest.name}&player=nobody") == {guest.name: "keeper"}
        # The generated password of before is worth nothing, and nobody registers twice.
        with hosted.http() as http:
            body = {"name": guest.name, "password": guest.password}
            assert http.post("/sign-in", json=body).status_code == 401
        (event,) = hosted.significant("registered", guest.name)
        assert (event["actor"], event["after"]) == (guest.name, "keeper")


def test_a_name_is_taken_once(hosted: Hosted) -> None:
    """Neither a guest nor a new account gets a name that another signs in with or is called by."""
    with hosted.register("original") as first, hosted.guest() as guest, hosted.http() as http:
        for name in ("original", "or1ginal"):
            problem = guest.post("/register", 409, name=name, password=PASSWORD)
            assert problem["code"] == "name_taken"
        assert guest.get("/me")["guest"]
        first.put("/me/name", display="Ana María")
        for name in ("ana-maria", "anamar1a"):
            body = {"name": name, "password": PASSWORD}
            assert http.post("/register", json=body).json()["code"] == "name_taken"
        assert guest.put("/me/name", 409, display="ANA MARIA")["code"] == "name_taken"
        first.put("/me/name", display="Ana ML")  # and the old one is free
        guest.put("/me/name", display="Ana Maria")
        assert guest.get("/me")["display"] == "Ana Maria"
        guest.put("/me/name", display="")
        assert guest.get("/me")["display"] == ""
    with hosted.staff("dealer") as dealer:
        assert dealer.put("/me/name", 403, display="Somebody")["code"] == "not_your_part"


@pytest.mark.parametrize("name", ["Ana", "O'Hara", "José Luis 2", "x.y-z", "Zoë", "a" * 20])
def test_display_names(name: str) -> None:
    """Letters with accents, digits, and single separators between them."""
    assert checked_display(f" {name} ") == name


@pytest.mark.parametrize(
    "name",
    ["ab", "a" * 21, "2fast", "a  b", "-ana", "ana-", "ana_", "Ан\u043da", "ana\u202eb", "an<a>",
     "House", "The dealer", "h0use", "Guest 12", "you", "ana\nb", "Auditor", "Invitado 12ab",
     "El Crupier", *map(str.title, ROLES)],
)  # fmt: skip  # a list of words
def test_names_that_are_refused(name: str) -> None:
    """Too short or long, other letters, separators outside, and what the house is called."""
    with pytest.raises(Denied, match=r"display name") as error:
        checked_display(name)
    assert error.value.code == "bad_name"


def test_names_that_look_alike() -> None:
    """Case, accents, separators and lookalikes do not make another name."""
    assert folded("José-L0u1s") == folded("jose louls") == folded("JOSE.LOUIS")
    assert folded("Josef") != folded("Jose")


def test_a_recovery_code_opens_the_account_once(hosted: Hosted) -> None:
    """A code sets a new password, ends all sessions, and is worth nothing afterwards."""
    with hosted.register("forgot") as player, hosted.http() as http:
        assert player.get("/me")["codes"] == 0
        assert player.post("/me/codes", 403, password="not mine at all")["code"] == "wrong_password"
        old = player.post("/me/codes", 201, password=PASSWORD)["codes"]
        codes = player.post("/me/codes", 201, password=PASSWORD)["codes"]
        assert len({*old, *codes}) == 16
        for wrong in (old[0], "AAAA-AAAA-AAAA-AAAA"):
            body = {"name": "forgot", "code": wrong, "password": NEW}
            answer = http.post("/recover", json=body)
            assert (answer.status_code, answer.json()["code"]) == (401, "wrong_credentials")
        weak = {"name": "forgot", "code": codes[0], "password": "short"}
        assert http.post("/recover", json=weak).json()["code"] == "bad_password"
        body = {"name": "forgot", "code": codes[0].replace("-", " ").lower(), "password": NEW}
        assert http.post("/recover", json=body).status_code == 200
        assert player.get("/me", 401)["code"] == "signed_out"
        assert http.post("/recover", json=body).status_code == 401, "used twice"
        with hosted.sign_in("forgot", NEW) as again:
            assert again.get("/me")["codes"] == 7
            rights = hosted.house.guard.rights.accounts["forgot"]
            assert not any(code in str(rights) for code in codes)
        (event,) = hosted.significant("recovered", "forgot")
        assert (event["actor"], event["after"]) == ("forgot", "7 codes left")
        written = str(hosted.significant("codes_made") + hosted.significant("recovered"))
        assert not any(code in written for code in codes)


def test_guessing_codes_is_locked_out_like_guessing_passwords(hosted: Hosted) -> None:
    """After five failures even a right code waits; one failure never says so."""
    with hosted.register("guessed") as player, hosted.http() as http:
        (code, *_) = player.post("/me/codes", 201, password=PASSWORD)["codes"]

        def answer(code: str, name: str = "guessed") -> str:
            body = {"name": name, "code": code, "password": NEW}
            return str(http.post("/recover", json=body).json().get("sentence", ""))

        said = [answer("AAAA-BBBB-CCCC-DDDD") for _ in range(6)]
        assert said[:5] == ["The name or the recovery code is wrong."] * 5
        assert "wait 15 minutes" in said[5]
        assert "wait 15 minutes" in answer(code)
        assert answer(code, "nobody-here") == said[0]
        hosted.clock.ahead_ms += 16 * MINUTE_MS
        assert answer(code) == ""


def test_who_gets_no_codes(hosted: Hosted) -> None:
    """A guest has no password to recover, and staff get theirs from an administrator."""
    with hosted.guest() as guest, hosted.staff("floor") as floor:
        assert guest.post("/me/codes", 409, password=guest.password)["code"] == "no_password"
        assert floor.post("/me/codes", 403, password=floor.password)["code"] == "not_your_part"


def test_codes_end_with_the_role(hosted: Hosted) -> None:
    """Somebody who becomes staff does not get in with a player's code."""
    with hosted.register("promoted") as player, hosted.admin() as admin, hosted.http() as http:
        (code, *_) = player.post("/me/codes", 201, password=PASSWORD)["codes"]
        admin.put("/accounts/promoted/role", role="dealer", reason="hired")
        body = {"name": "promoted", "code": code, "password": NEW}
        assert http.post("/recover", json=body).status_code == 401
        hosted.sign_in("promoted", PASSWORD).close()
