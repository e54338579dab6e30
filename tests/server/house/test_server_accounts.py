"""Accounts: signing in, lock-out, sessions, roles, keys, wallets; nothing secret is kept."""

import asyncio
import logging
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from click.testing import CliRunner

from hosting import PASSWORD, Client, Hosted, Json
from waiting import WAIT_S, ran, until
from wartable.cli import wartable
from wartable.server import logs
from wartable.server.audit import verify
from wartable.server.house.cage import GUEST_MONEY
from wartable.server.http.wire import FORMS
from wartable.server.records.messages import PayIn, PayOut

MINUTE_MS = 60_000


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file; its records are verified at the end."""
    with Hosted(tmp_path_factory.mktemp("house")) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


def test_a_guest_in_one_click(hosted: Hosted) -> None:
    """One request makes a guest with play money, who can come back with the password we made."""
    with hosted.guest() as guest:
        me = guest.get("/me")
        assert (me["role"], me["money"]) == ("player", "play")
        assert me["holds"] == {"wallet": GUEST_MONEY}
        with hosted.sign_in(guest.name, guest.password) as again:
            assert again.get("/me")["name"] == guest.name
        assert guest.post("/me/refill", 409, id="1")["code"] == "not_broke"
        guest.private("online", GUEST_MONEY)
        assert guest.get("/me")["holds"] == {
            "wallet": 0,
            f"online@{guest.name}": GUEST_MONEY,
        }
        assert guest.post("/me/refill", 409, id="1")["code"] == "not_broke"


def test_a_broke_guest_gets_new_play_money(hosted: Hosted) -> None:
    """Who has nothing left gets play money on request, once for each id."""
    with hosted.guest() as guest:
        guest.private("online", GUEST_MONEY)
        while guest.post("/me/refill", 409, id="r1")["code"] == "not_broke":
            stack = guest.get("/me")["holds"].get(f"online@{guest.name}", 0)
            guest.do("bet", box=1, wager="primary", amount=stack)
            guest.do("close_bets")
            guest.do("choose", box=1, choice="surrender")
            if guest.get("/me")["holds"].get(f"online@{guest.name}", 0) < 500:
                break
        first = guest.post("/me/refill", id="r2")
        assert guest.post("/me/refill", 409, id="r3")["code"] == "not_broke"
        assert first["type"] == "accepted"
        assert guest.get("/me")["holds"]["wallet"] == GUEST_MONEY


def test_R16_errors_are_equal_whatever_was_wrong(hosted: Hosted) -> None:
    """A wrong name and a wrong password get the same answer, word for word."""
    hosted.register("equal-one").close()
    with hosted.http() as http:
        answers = [
            http.post("/sign-in", json={"name": name, "password": password})
            for name, password in (("equal-one", "wrong password"), ("nobody-here", PASSWORD))
        ]
    assert answers[0].status_code == answers[1].status_code == 401
    assert answers[0].content == answers[1].content
    assert answers[0].headers.keys() == answers[1].headers.keys()
    assert hosted.significant("sign_in_failed", "equal-one")
    assert not hosted.significant("sign_in_failed", "nobody-here")


def test_R16_a_chosen_password_is_hashed_slowly() -> None:
    """Outside of tests a password that a person chose costs 19 MiB and two passes to try."""
    program = "from wartable.server.house import passwords as p; print(p.kept('a'), p.NOBODY)"
    words = [sys.executable, "-c", program]
    printed = ran(words, check=True).stdout.split()
    assert len(printed) == 2
    assert all(each.startswith("$argon2id$v=19$m=19456,t=2,p=1$") for each in printed)


def test_R16_lock_out(hosted: Hosted) -> None:
    """After five failures the right password fails too, for fifteen minutes, as for any name."""
    hosted.register("locked-one").close()
    with hosted.http() as http:

        def sign_in(name: str, password: str) -> int:
            body = {"name": name, "password": password}
            return http.post("/sign-in", json=body).status_code

        assert [sign_in("locked-one", "wrong password") for _ in range(5)] == [401] * 5
        assert sign_in("locked-one", PASSWORD) == 401
        assert len(hosted.significant("locked_out", "locked-one")) == 1
        hosted.clock.ahead_ms += 15 * MINUTE_MS + 1_000
        assert sign_in("locked-one", PASSWORD) == 200


def test_R16_idle_sessions_end(hosted: Hosted) -> None:
    """After thirty idle minutes a session asks for the password again, over both protocols."""
    with hosted.guest() as guest:
        guest.private("online")
        hosted.clock.ahead_ms += 20 * MINUTE_MS
        guest.get("/me")
        hosted.clock.ahead_ms += 20 * MINUTE_MS
        guest.get("/me")
        hosted.clock.ahead_ms += 30 * MINUTE_MS + 1_000
        assert guest.do("bet", box=1, wager="primary", amount=500)["code"] == "signed_out"
        assert guest.get("/me", 401)["code"] == "signed_out"
        with hosted.sign_in(guest.name, guest.password) as again:
            again.get("/me")


def test_signing_out_and_changing_the_password(hosted: Hosted) -> None:
    """A session that was ended is over everywhere; a new password ends the other sessions."""
    with hosted.register("changing-one") as one, hosted.sign_in("changing-one", PASSWORD) as two:
        one.hello("washington 1")
        two.hello("washington 1")
        assert one.post("/me/password", 403, old="wrong password", new="another password")
        assert one.post("/me/password", 400, old=PASSWORD, new="short")["code"] == "bad_password"
        one.post("/me/password", old=PASSWORD, new="another password")
        assert two.get("/me", 401)
        assert two.do("leave")["code"] == "signed_out"
        one.get("/me")
        one.post("/sign-out")
        assert one.get("/me", 401)
        assert one.do("leave")["code"] == "signed_out"
        hosted.sign_in("changing-one", "another password").close()


@pytest.mark.parametrize(
    ("name", "password", "code"),
    [
        ("Aa", PASSWORD, "bad_name"),
        ("guest-1", PASSWORD, "bad_name"),
        ("platform", PASSWORD, "bad_name"),
        ("a b", PASSWORD, "bad_name"),
        ("fine-name", "short", "bad_password"),
        ("fine-name", "my fine-name is long", "bad_password"),
    ],
)
def test_bad_names_and_passwords(hosted: Hosted, name: str, password: str, code: str) -> None:
    """Names that are not names or are ours, and weak passwords, are refused."""
    with hosted.http() as http:
        answer = http.post("/register", json={"name": name, "password": password})
    assert (answer.status_code, answer.json()["code"]) == (400, code)


def test_a_name_is_taken_once(hosted: Hosted) -> None:
    """A name that somebody has is refused."""
    hosted.register("taken-one").close()
    with hosted.http() as http:
        answer = http.post("/register", json={"name": "taken-one", "password": PASSWORD})
    assert (answer.status_code, answer.json()["code"]) == (409, "name_taken")


def test_cookies_and_headers(hosted: Hosted) -> None:
    """The cookie is for this site's requests alone; answers carry strict headers."""
    with hosted.http() as http:
        answer = http.post("/guest")
        made = answer.headers["set-cookie"].lower()
        assert "httponly" in made
        assert "samesite=strict" in made
        assert http.get("/me").status_code == 200
        elsewhere = http.post("/sign-out", headers={"Origin": "https://elsewhere.example"})
        assert (elsewhere.status_code, elsewhere.json()["code"]) == (403, "origin")
        assert http.get("/me").status_code == 200
        for path in ("/health", "/me", "/nothing-here", "/schema/openapi.json"):
            headers = http.get(path).headers
            assert headers["x-content-type-options"] == "nosniff"
            assert "default-src 'self'" in headers["content-security-policy"]
            assert headers["cache-control"] == "no-store"
            assert "server" not in headers


SAMPLES: dict[str, Json] = {
    "amount": {"amount": 100}, "seat": {"seat": 1}, "step": {"step": "wash"},
    "seal": {"seal": "0" * 64}, "position": {"position": 100},
    "who": {"who": "last"}, "reason": {"reason": "for a test"}, "seed": {"seed": "00" * 16},
    "dealer": {"dealer": "somebody"}, "mark": {"mark": "covered"}, "method": {"method": "shoe"},
    "exposed": {"exposed": False}, "box": {"box": 1}, "wager": {"wager": "primary"},
    "limit": {"limit": "box_max"}, "value": {"value": 0}, "choice": {"choice": "war"},
    "player": {"player": "nobody"}, "number": {"number": "00" * 32},
}  # fmt: skip  # one line reads better than five
PLAYER = {
    "join", "buy_in", "cash_out", "send_number", "cut", "refuse_cut",
    "take_bank",
    "pass_bank", "turn_up", "bet", "withdraw", "decline", "choose", "leave",
}  # fmt: skip  # likewise a list
DEALER = {
    "close_bets", "timeout", "shuffle_cards", "load_shoe", "offer_bank", "start_round",
    "count_side_bets", "proceed", "find_face_up", "draw_in_error", "miss_box", "receive_decks",
    "prepare", "go_idle", "fail_device", "mark_device", "jam",
}  # fmt: skip  # likewise a list
FLOOR = {
    "receive_decks", "go_idle", "fail_device", "mark_device", "jam", "order_recut",
    "order_reshuffle", "change_dealer", "repair_device", "change_method", "approve", "void_round",
    "restrict",
}  # fmt: skip  # likewise a list
PARTS: dict[str, set[str]] = {
    "player": PLAYER, "dealer": DEALER, "floor": FLOOR, "auditor": set(),
    "admin": {"approve", "void_round"},
}  # fmt: skip  # likewise a list


def sample(form: Any) -> Json:
    """A well-formed message of this form."""
    body: Json = {"type": form.__struct_config__.tag, "id": "sample"}
    for field in form.__struct_fields__:
        body |= SAMPLES.get(field, {})
    return body


@pytest.mark.parametrize("role", list(PARTS))
def test_each_role_can_do_just_its_part(hosted: Hosted, role: str) -> None:
    """Every command of every role at a staffed and an unstaffed table is let through or refused."""
    with hosted.staff(role) as client, hosted.admin() as admin:
        name = f"staffed {role}"
        admin.post("/tables", 201, name=name, book="maryland", staffed=True)
        for form in FORMS:
            tag = form.__struct_config__.tag
            body = {**sample(form), "id": f"{role}-{tag}"}
            answer = client.http.post(f"/tables/{name}/commands", json=body)
            assert answer.status_code in (200, 409), answer.text
            denied = answer.json().get("code") == "not_your_part"
            assert denied == (tag not in PARTS[role]), (role, tag, answer.text)
            answer = client.http.post("/tables/washington 1/commands", json=body)
            if tag in PARTS[role] & DEALER:
                assert answer.json()["code"] == "unattended"


RIGHTS: list[tuple[str, str, Json, set[str]]] = [
    ("post", "/tables", {"name": "another", "book": "online"}, {"floor", "admin"}),
    ("post", "/disable", {"scope": "table", "name": "none", "reason": "x"}, {"floor", "admin"}),
    ("post", "/enable", {"scope": "table", "name": "none", "reason": "x"}, {"floor", "admin"}),
    ("put", "/limits", {"account": "nobody", "kind": "loss_day", "amount": 5}, {"admin"}),
    ("post", "/accounts", {"name": "x", "password": PASSWORD}, {"admin"}),
    ("put", "/accounts/nobody/role", {"role": "floor", "reason": "x"}, {"admin"}),
    ("post", "/accounts/nobody/password", {"reason": "x"}, {"admin"}),
    ("post", "/keys/none/revoke", {"reason": "x"}, {"admin"}),
    ("get", "/records/significant", {}, {"auditor", "admin"}),
    ("get", "/closures", {}, {"floor", "auditor", "admin"}),
    ("post", "/tables/private", {"book": "online"}, {"player"}),
    ("get", "/cards", {}, {"dealer", "floor", "auditor", "admin"}),
    ("get", "/cards/none", {}, {"dealer", "floor", "auditor", "admin"}),
    ("post", "/cards", {"name": "some", "decks": 6, "back": "red"}, {"floor", "admin"}),
    ("post", "/cards/none/moves", {"what": "inspected"}, {"dealer"}),
    ("post", "/cards/none/moves", {"what": "verified"}, {"floor"}),
    ("post", "/cards/none/moves", {"what": "shuffled"}, {"dealer", "floor"}),
    ("post", "/cards/none/moves", {"what": "secured", "place": "x"}, {"floor", "admin"}),
    ("post", "/cards/none/moves", {"what": "destroyed", "place": "x"}, {"floor", "admin"}),
]


@pytest.mark.parametrize("role", list(PARTS))
def test_each_role_has_just_its_rights(hosted: Hosted, role: str) -> None:
    """Everything in the house itself is let through or refused by role."""
    with hosted.staff(role) as client, hosted.http() as nobody:
        for method, path, body, roles in RIGHTS:
            sent = None if method == "get" else body
            answer = client.http.request(method.upper(), path, json=sent)
            denied = answer.status_code == 403 and answer.json()["code"] == "not_your_part"
            assert denied == (role not in roles), (role, path, answer.text)
            assert nobody.request(method.upper(), path, json=sent).status_code == 401


def test_a_changed_role_ends_sessions(hosted: Hosted) -> None:
    """Who gets another role signs in again, and the change is recorded with both values."""
    with hosted.staff("dealer") as dealer, hosted.admin() as admin:
        admin.put(f"/accounts/{dealer.name}/role", role="floor", reason="promoted")
        assert dealer.get("/me", 401)
        with hosted.sign_in(dealer.name, dealer.password) as again:
            assert again.get("/me")["role"] == "floor"
        (event,) = hosted.significant("role_changed", dealer.name)
        assert (event["actor"], event["reason"]) == ("admin", "promoted")
        assert (event["before"], event["after"]) == ("dealer", "floor")


def test_a_lost_password(hosted: Hosted) -> None:
    """An administrator's new password opens the account; the old one, sessions and lock end."""
    with hosted.register("forgetful") as before, hosted.admin() as admin:
        before.hello("washington 1")
        with hosted.http() as http:
            for _ in range(5):
                body = {"name": "forgetful", "password": "no idea any more"}
                assert http.post("/sign-in", json=body).status_code == 401
        made = admin.post("/accounts/forgetful/password", reason="showed a passport")
        assert (made["name"], len(made["password"]) >= 20) == ("forgetful", True)
        assert before.get("/me", 401)["code"] == "signed_out"
        assert before.do("leave")["code"] == "signed_out"
        with hosted.http() as http:
            body = {"name": "forgetful", "password": PASSWORD}
            assert http.post("/sign-in", json=body).status_code == 401
        with hosted.sign_in("forgetful", made["password"]) as again:
            again.post("/me/password", old=made["password"], new="one to remember")
        hosted.sign_in("forgetful", "one to remember").close()
        by_admin, own = hosted.significant("password_changed", "forgetful")
        assert (by_admin["actor"], by_admin["reason"]) == ("admin", "showed a passport")
        assert (by_admin["before"], own["actor"]) == ("", "forgetful")
        assert by_admin["after"] == own["after"] == ""
        assert made["password"] not in str(hosted.significant("password_changed"))


def test_a_lost_password_ends_sessions_for_good(tmp_path: Path) -> None:
    """No session of before comes back after a restart, and a lock that was lifted stays so."""
    with Hosted(tmp_path, books=("online",)) as first:
        old = first.register("forgetful")
        with first.http() as http, first.admin() as admin:
            for _ in range(5):
                http.post("/sign-in", json={"name": "forgetful", "password": "no idea any more"})
            made = admin.post("/accounts/forgetful/password", reason="lost")["password"]
    with Hosted(tmp_path, books=("online",)) as second, second.http(old.token) as http:
        assert http.get("/me").status_code == 401
        second.sign_in("forgetful", made).close()


def test_an_administrator_whom_nobody_can_help(tmp_path: Path) -> None:
    """On the machine itself a new password is issued while the house is closed, with a row."""

    def issued(*words: str, exit_code: int) -> str:
        result = CliRunner().invoke(
            wartable, ["db", "new-password", *words, "--data", str(tmp_path)]
        )
        assert result.exit_code == exit_code, result.output
        return result.output

    with Hosted(tmp_path, books=("online",)) as first:
        old = first.admin()
        assert "open" in issued("admin", "lost", "--by", "ann", exit_code=2)
    for words, told in (
        (("admin", " ", "--by", "ann"), "a new password needs a reason"),
        (("admin", "lost", "--by", "admin"), "cannot issue their own password"),
        (("nobody", "lost", "--by", "ann"), "there is no account nobody"),
        (("bot-anna", "lost", "--by", "ann"), "there is no account bot-anna"),
    ):
        assert told in issued(*words, exit_code=2)
    printed = issued("admin", "lost, asked in person", "--by", "ann", exit_code=0)
    password = printed.removeprefix("The new password of admin: ").strip()
    with Hosted(tmp_path, books=("online",)) as second:
        with second.http(old.token) as http:
            assert http.get("/me").status_code == 401
        (tmp_path / "admin-password").write_text(password)
        (event,) = second.significant("password_changed", "admin")
        assert (event["actor"], event["reason"]) == ("ann", "lost, asked in person")
        verify.verify(second.house.engine, second.house.key)


def test_whose_password_is_not_made_anew(hosted: Hosted) -> None:
    """One's own, a guest's, a bot's and nobody's are refused in a sentence each."""
    with hosted.guest() as guest, hosted.admin() as admin:
        for name, status, code, word in (
            ("admin", 403, "own_password", "old one"),
            (guest.name, 409, "no_password", "guest"),
            ("bot-anna", 409, "no_password", "bot"),
            ("nobody-here", 404, "no_account", "no account"),
        ):
            refused = admin.post(f"/accounts/{name}/password", status, reason="asked")
            assert (refused["code"], word in refused["sentence"]) == (code, True), refused
        guest.get("/me")
        hosted.sign_in(guest.name, guest.password).close()


def test_an_own_table_is_for_who_has_paid_in(tmp_path: Path) -> None:
    """The house fills no meters for who has nothing; a table that is there stays its owner's."""
    with (
        Hosted(tmp_path, books=("maryland",), money="deposited", layout="L-1") as hosted,
        hosted.admin() as admin,
        hosted.register("depositor") as player,
        hosted.http(admin.post("/keys", 201, name="desk")["token"]) as key,
    ):
        assert player.post("/tables/private", 409, book="maryland")["code"] == "no_money"
        for what in ("deposit", "withdraw"):
            once = {"Idempotency-Key": what}
            paid = key.post(f"/wallets/depositor/{what}", json={"amount": 500}, headers=once)
            assert paid.status_code == 200
            player.post("/tables/private", 201, book="maryland")
    with (
        Hosted(tmp_path, books=("maryland",), money="deposited") as again,
        again.sign_in("depositor", PASSWORD) as player,
    ):
        assert player.get("/me")["holds"] == {"wallet": 0}
        assert player.post("/tables/private", 201, book="maryland")["name"] == "maryland@depositor"


def test_wallets_of_an_operator(tmp_path: Path) -> None:
    """An operator's key moves money once for each id; play money stays apart."""
    with (
        Hosted(tmp_path, books=("online",), money="deposited") as hosted,
        hosted.admin() as admin,
        hosted.register("depositor") as player,
    ):
        token = admin.post("/keys", 201, name="cage-one")["token"]
        with mock.patch.object(hosted.house.accounts, "money", "play"):  # as an older version did
            admin.post("/accounts", 201, name="playful", password=PASSWORD, money="play")
        with hosted.http(token) as key:

            def move(what: str, amount: int, id_: str, name: str = "depositor") -> Json:
                answer = key.post(
                    f"/wallets/{name}/{what}",
                    json={"amount": amount},
                    headers={"Idempotency-Key": id_},
                )
                body: Json = answer.json()
                return body

            first = move("deposit", 5_000, "d1")
            assert first["type"] == "accepted"
            assert move("deposit", 5_000, "d1") == first
            assert move("deposit", 6_000, "d1")["code"] == "id_used"
            short = move("withdraw", 5_001, "w1")
            assert short["code"] == "insufficient"
            assert 0 <= hosted.clock.now_ms() - short["at_ms"] < 60 * MINUTE_MS
            assert move("withdraw", 2_000, "w2")["type"] == "accepted"
            assert key.get("/wallets/depositor").json()["holds"] == {"wallet": 3_000}
            assert move("deposit", 1, "d2", "playful")["code"] == "play_money"
            assert move("withdraw", 1, "w3", "playful")["code"] == "play_money"
            assert move("deposit", 1, "d3", "nobody")["code"] == "no_account"
            missing = key.post("/wallets/depositor/deposit", json={"amount": 5})
            assert missing.status_code == 400
            assert player.http.get("/wallets/depositor").status_code == 401
            admin.post("/keys/cage-one/revoke", reason="over")
            assert move("deposit", 1, "d4")["code"] == "wrong_credentials"
        other = admin.post("/keys", 201, name="cage-two")["token"]
        with hosted.http(other) as key:
            assert move("deposit", 5_000, "d1") == first, "the payment is the same by another key"
            assert move("deposit", 5_000, "w2")["code"] == "id_used"
            assert key.get("/wallets/depositor").json()["holds"] == {"wallet": 3_000}
        assert player.post("/me/refill", 409, id="1")["code"] == "no_play_money"


def test_a_payment_that_was_written_with_the_name_of_its_key(tmp_path: Path) -> None:
    """Older rows have each key's name in the id: sent again now, they are not paid again."""
    with (
        Hosted(tmp_path, books=("online",), money="deposited") as hosted,
        hosted.admin() as admin,
        hosted.register("depositor"),
    ):
        desks = {name: admin.post("/keys", 201, name=name)["token"] for name in ("east", "west")}
        task = hosted.house.floor.places["online 1"].task
        assert task is not None
        write, once = hosted.house.cashier.carry_out, {"Idempotency-Key": "1"}
        for writing in (
            write("key:east", "key:east/1", PayIn("depositor", 5_000)),
            write("key:west", "key:west/1", PayOut("depositor", 1_000)),
        ):
            asyncio.run_coroutine_threadsafe(writing, task.get_loop()).result(WAIT_S)
        desks["north"] = admin.post("/keys", 201, name="north")["token"]
        for token in desks.values():
            with hosted.http(token) as desk:
                for what, amount, number in (("deposit", 5_000, 1), ("withdraw", 1_000, 2)):
                    path, asked = f"/wallets/depositor/{what}", {"amount": amount}
                    answer = desk.post(path, json=asked, headers=once).json()
                    assert (answer["type"], answer["number"]) == ("accepted", number)
                assert desk.post(path, json={"amount": 7}, headers=once).status_code == 409
                assert desk.get("/wallets/depositor").json()["holds"] == {"wallet": 4_000}
        verify.verify(hosted.house.engine, hosted.house.key)


def test_payments_at_the_same_moment(tmp_path: Path) -> None:
    """One id pays once, however many ask at once; other ids and players are paid beside it."""
    with (
        Hosted(tmp_path, books=("online",), money="deposited") as hosted,
        hosted.admin() as admin,
        hosted.register("depositor"),
        hosted.register("other"),
        hosted.http(admin.post("/keys", 201, name="desk")["token"]) as desk,
        ThreadPoolExecutor(8) as pool,
    ):

        def pay(asked: tuple[str, str, str, int]) -> Json:
            name, what, id_, amount = asked
            path, once = f"/wallets/{name}/{what}", {"Idempotency-Key": id_}
            answer: Json = desk.post(path, json={"amount": amount}, headers=once).json()
            return answer

        same = list(pool.map(pay, [("depositor", "deposit", "1", 500)] * 6))
        assert {(each["type"], each["number"]) for each in same} == {("accepted", 1)}
        mixed = [("depositor", "deposit", "2", 10 + number % 2) for number in range(6)]
        ended = sorted(each.get("code", "accepted") for each in pool.map(pay, mixed))
        assert ended == ["accepted"] * 3 + ["id_used"] * 3
        paid = desk.get("/wallets/depositor").json()["holds"]["wallet"] - 500
        assert paid in {10, 11}
        out = [("depositor", "withdraw", f"out {number}", 300) for number in range(6)]
        ended = sorted(each.get("code", "accepted") for each in pool.map(pay, out))
        assert ended == ["accepted"] + ["insufficient"] * 5
        everybody = [(name, "deposit", name, 1_000) for name in ("other", "depositor") * 3]
        assert {each["type"] for each in pool.map(pay, everybody)} == {"accepted"}
        for name, held in {"depositor": 1_200 + paid, "other": 1_000}.items():
            assert desk.get(f"/wallets/{name}").json()["holds"] == {"wallet": held}
        verify.verify(hosted.house.engine, hosted.house.key)


def test_play_money_never_becomes_any_other(tmp_path: Path) -> None:
    """In a house of deposited money nobody has any but from the cashier: no guest, no bot."""
    with Hosted(tmp_path, books=("online", "california"), money="deposited") as hosted:
        with hosted.http() as http:
            assert http.post("/guest").json()["code"] == "no_guests"
        with hosted.register("depositor") as player, hosted.admin() as admin:
            assert player.get("/me")["holds"] == {"wallet": 0}
            assert admin.post("/tables/online 1/bots", 409, count=1)["code"] == "no_bots"
            alone = player.post("/tables/private", 409, book="california")
            assert alone["code"] == "no_company"
            with mock.patch.object(hosted.house.accounts, "money", "play"):  # an older version's
                admin.post("/accounts", 201, name="playful", password=PASSWORD, money="play")
        with hosted.sign_in("playful", PASSWORD) as playful:
            playful.hello("online 1")
            refused = playful.do("join", amount=100, seat=1)
            told = "This house plays for deposited money, and this account has play money."
            assert (refused["code"], refused["sentence"]) == ("other_money", told)


def test_no_secret_is_logged_or_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tokens, passwords, keys and seeds are in no log line and in no file of the database."""
    with Hosted(tmp_path) as hosted:
        logs.set_up()
        try:
            with hosted.guest() as guest, hosted.admin() as admin:
                token = admin.post("/keys", 201, name="cage")["token"]
                hosted.register("secretive").close()
                made = admin.post("/accounts/secretive/password", reason="lost")["password"]
                with hosted.http() as http:
                    http.post(
                        "/sign-in", json={"name": "secretive", "password": "guess-4711-guess"}
                    )
                    http.get("/wallets/x", headers={"Authorization": f"Bearer {token}"})
                guest.private("online")
                guest.play(1, deal=True)
                state = hosted.house.floor.places[f"online@{guest.name}"].live.state
                seed = "" if state.shoe is None else state.shoe.seed
                secrets = [guest.token, guest.password, admin.token, admin.password, token]
                secrets += [PASSWORD, "guess-4711-guess", seed, made]
        finally:
            logging.getLogger().handlers[:] = []
    told = capsys.readouterr().err
    assert '"event": "request"' in told
    files = b"".join(path.read_bytes() for path in tmp_path.glob("house.sqlite*"))
    for secret in filter(None, secrets):
        assert secret not in told
        assert secret.encode() not in files


def test_the_house_comes_back_as_it_was(tmp_path: Path) -> None:
    """After a stop rounds stand where they stood, sessions hold, and no second house opens."""
    with Hosted(tmp_path) as first:
        guest = first.guest()
        name = guest.private("online")
        guest.until("bets")
        guest.must("bet", box=1, wager="primary", amount=700, id="mine")
        guest.close()
        with pytest.raises(Exception, match="open in another process"):
            Hosted(tmp_path)
    with Hosted(tmp_path) as second, Client(second, guest.name, guest.token) as again:
        again.hello(name)
        hands = again.hear("snapshot")["state"]["round"]["hands"]
        assert hands[0]["wagers"][0]["staked"] == 700
        again.must("bet", box=1, wager="primary", amount=700, id="mine")
        assert len(again.events("placed")) == 0
        again.must("close_bets")
        verify.verify(second.house.engine, second.house.key)


def test_R13_no_table_below_the_return_floor(hosted: Hosted) -> None:
    """A configuration that returns too little opens no table, and the reason is said."""
    with hosted.admin() as admin:
        wheel = "wagers.bonus_spin.wheel"
        empty = {f"{wheel}.hot_spot.none": 10**9, f"{wheel}.community.$25": 10**9}
        refused = admin.post("/tables", 409, name="stingy", book="maryland", settings=empty)
        assert refused["code"] == "return_floor"
        assert "The bonus_spin wager returns" in refused["sentence"]
        assert "stingy" not in hosted.house.floor.places


def test_health_readiness_and_metrics(hosted: Hosted) -> None:
    """The endpoints for machines answer, and count what happened."""
    with hosted.http() as http:
        assert http.get("/health").json() == {"state": "ok"}
        assert http.get("/ready").json() == {"state": "ok"}
        text = http.get("/metrics").text
    assert "wartable_tables" in text
    assert 'wartable_requests_total{status="200"}' in text
    assert "wartable_commit_seconds_count" in text


def test_one_wrong_password_is_just_wrong(hosted: Hosted) -> None:
    """Nobody is told to wait before there were too many failures; then everybody is."""
    wrong, wait = "The name or the password is wrong.", "too many failures"
    hosted.register("one-typo").close()
    with hosted.http() as http:
        for name in ("one-typo", "no-such-name"):
            body = {"name": name, "password": "not the password"}
            told = [http.post("/sign-in", json=body).json()["sentence"] for _ in range(6)]
            assert told[:5] == [wrong] * 5
            assert wait in told[5], name


def test_what_lies_on_the_felt_is_not_lost(hosted: Hosted) -> None:
    """The session's figure changes when the round is over, not when its wagers are made."""
    with hosted.guest() as guest:
        name = guest.private("online")
        guest.until("bets")
        guest.must("bet", box=1, wager="primary", amount=700)
        assert guest.get("/me")["session_net"] == 0
        guest.must("close_bets")

        def over() -> bool:
            guest.do("choose", box=1, choice="surrender")
            return bool(guest.get(f"/tables/{name}")["state"]["rounds"] == 2)

        until(over, "the round does not end")
        stack = guest.get("/me")["holds"][name]
        assert stack != 20_000 or guest.get("/me/rounds")["rounds"][0]["net"] == 0
        assert guest.get("/me")["session_net"] == stack - 20_000


def test_a_session_counts_on_after_the_house_was_closed(tmp_path: Path) -> None:
    """What a session won or lost before is part of its figure when the house opens again."""
    with Hosted(tmp_path, books=("online",)) as first, first.guest() as guest:
        name = guest.private("online")
        guest.until("bets")
        guest.must("bet", box=1, wager="primary", amount=700)
        guest.must("close_bets")

        def over() -> bool:
            guest.do("choose", box=1, choice="surrender")
            return bool(guest.get("/me/rounds")["rounds"])

        until(over, "the round does not end")
        net = guest.get("/me")["holds"][name] - 20_000
        assert net in (700, -700, -350)
    with Hosted(tmp_path, books=("online",)) as second, second.http(guest.token) as http:
        assert http.get("/me").json()["session_net"] == net
