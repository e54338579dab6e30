"""Attacks on what is sent: texts that no record can hold, ids used twice, pages of other sites."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from hosting import Client, Hosted, Json
from recorded_houses import new_database
from waiting import WAIT_S
from wartable.server.audit import verify
from wartable.server.house.cage import GUEST_MONEY


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file; its records are verified at the end."""
    with Hosted(tmp_path_factory.mktemp("house")) as running:
        yield running
        verify.verify(running.house.engine, running.house.key)


def test_a_text_that_the_database_cannot_hold(tmp_path: Path, postgres_server: str) -> None:
    """A zero character, which PostgreSQL takes in no text, is refused and the house goes on."""
    bet: Json = {"id": "a\0b", "box": 1, "wager": "primary", "amount": 500}
    with Hosted(tmp_path, database=new_database(postgres_server)) as hosted:
        with hosted.guest() as guest, hosted.http() as http:
            name = guest.private("online")
            guest.say("bet", **bet)
            assert guest.hear("refused")["code"] == "malformed"
            refused = guest.post(f"/tables/{name}/commands", 400, type="bet", **bet)
            assert refused["code"] == "malformed"
            refused = guest.post(f"/tables/{name}/commands", 400, type="leave", id="a\0b")
            assert refused["code"] == "malformed"
            assert guest.get("/tables/%00", 400)["code"] == "malformed"
            body = {"name": "a\0b", "password": "some password"}
            assert http.post("/sign-in", json=body).json()["code"] == "malformed"
            guest.must("bet", box=1, wager="primary", amount=500)
        hosted.guest().close()
        verify.verify(hosted.house.engine, hosted.house.key)


@pytest.mark.parametrize(
    "body",
    [b'{"name":"\xff\xfe","password":"x"}', b"[" * 16_000, b'{"x":' + b"[" * 8_000 + b"]" * 8_000],
)
def test_unreadable_bodies(hosted: Hosted, body: bytes) -> None:
    """A body that is no text, or too deep, is refused as malformed; nothing fails."""
    with hosted.http() as http:
        answer = http.post("/sign-in", content=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")


def test_many_refills_at_once(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many requests for new play money at the same time one is granted, and that again."""
    monkeypatch.setattr("wartable.server.house.cage.BROKE_BELOW", GUEST_MONEY + 1)
    with hosted.guest() as guest, ThreadPoolExecutor(8) as pool:

        def refill(id_: str) -> str:
            answer: Json = guest.http.post("/me/refill", json={"id": id_}).json()
            return str(answer["type"])

        ids = [str(number) for number in range(8)]
        answers = list(pool.map(refill, ids))
        assert sorted(answers) == ["accepted"] + ["refused"] * 7
        assert guest.get("/me")["holds"] == {"wallet": 2 * GUEST_MONEY}
        assert refill(ids[answers.index("accepted")]) == "accepted"
        assert guest.get("/me")["holds"] == {"wallet": 2 * GUEST_MONEY}


async def nowhere(_: str) -> bool:
    """As if a player's table were at rest."""
    return False


def test_money_in_play_is_not_gone(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has all of it on the felt is not broke, whether the table is open or at rest."""
    with hosted.guest() as guest:
        guest.private("online", GUEST_MONEY)
        guest.until("bets")
        guest.must("bet", box=1, wager="primary", amount=GUEST_MONEY)
        assert guest.get("/me")["holds"] == {"wallet": 0}
        refused = guest.post("/me/refill", 409, id="1")
        assert (refused["code"], "in play" in refused["sentence"]) == ("not_broke", True)
        monkeypatch.setattr(hosted.house.cage, "_playing", nowhere)
        refused = guest.post("/me/refill", 409, id="2")
        assert refused["sentence"] == "You have $1,000 left; play it first."


def test_amounts_are_told_as_money(hosted: Hosted) -> None:
    """A player reads amounts and limits as money or minutes, not as numbers of cents."""
    with hosted.guest() as guest:
        guest.private("online")
        guest.until("bets")
        refused = guest.do("bet", box=1, wager="primary", amount=300_00)
        assert refused["sentence"].endswith("has $200 on the table, not $300.")
        refused = guest.do("cash_out", amount=300_00)
        assert refused["sentence"].endswith("can take at most $200 off the table.")
        guest.put("/me/limits", kind="loss_day", amount=50_50)
        refused = guest.do("bet", box=1, wager="primary", amount=60_00)
        assert refused["sentence"].endswith("limit: loss of $50.50 a day.")
        guest.put("/me/limits", kind="minutes_day", amount=0)
        refused = guest.do("bet", box=1, wager="primary", amount=10_00)
        assert refused["sentence"].endswith("limit: 0 minutes a day.")


FOREIGN = [
    {"Origin": "https://elsewhere.example"},
    {"Origin": "null"},
    {"Origin": "http://["},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN)
def test_pages_of_other_sites_change_nothing(hosted: Hosted, headers: dict[str, str]) -> None:
    """No page of another site signs a visitor in or acts for one, with a cookie or without."""
    with hosted.guest() as guest, hosted.http() as http:
        body = {"name": guest.name, "password": guest.password}
        own = {"Cookie": f"wartable={guest.token}"}
        answers = [
            http.post("/guest", headers=headers),
            http.post("/register", headers=headers, json=body),
            http.post("/sign-in", headers=headers, json=body),
            http.post("/me/exclude", headers=headers | own, json={"days": 1}),
            http.put("/me/limits", headers=headers | own, json={"kind": "loss_day", "amount": 0}),
        ]
        assert [(each.status_code, each.json()["code"]) for each in answers] == [
            (403, "origin")
        ] * len(answers)
        assert http.post("/me/acknowledge", headers=own).status_code == 200
        for site in ({"Origin": f"http://{hosted.host}"}, {"Sec-Fetch-Site": "same-origin"}):
            assert http.post("/sign-in", headers=site, json=body).status_code == 200


def test_behind_tls_a_page_without_it_is_another_site(tmp_path: Path) -> None:
    """Where the house is served over https, a page that came over http is not ours."""
    with Hosted(tmp_path, secure=True) as hosted, hosted.http() as http:
        plain = http.post("/guest", headers={"Origin": f"http://{hosted.host}"})
        assert (plain.status_code, plain.json()["code"]) == (403, "origin")
        made = http.post("/guest", headers={"Origin": f"https://{hosted.host}"})
        assert made.status_code == 201
        assert "secure" in made.headers["set-cookie"].lower()
        assert "strict-transport-security" in made.headers


def test_an_id_of_another_command(tmp_path: Path) -> None:
    """An id sent again with another command is refused, also after a restart and much later."""
    more = {"box": 1, "wager": "primary", "amount": 900, "id": "mine"}
    with Hosted(tmp_path) as hosted, hosted.guest() as guest:
        name = guest.private("online")
        guest.until("bets")
        first = guest.must("bet", **{**more, "amount": 500})
        assert guest.must("bet", **{**more, "amount": 500}) == first
        assert guest.do("bet", **more)["code"] == "id_used"
        assert guest.do("cash_out", amount=1, id="mine")["code"] == "id_used"
        assert guest.do("cash_out", amount=1, id="refused")["code"] == "in_round"
        assert guest.do("buy_in", amount=1, id="refused")["code"] == "id_used"
    with Hosted(tmp_path) as hosted, Client(hosted, guest.name, guest.token) as again:
        again.hello(name)
        assert again.do("bet", **more)["code"] == "id_used"
        assert again.must("bet", **{**more, "amount": 500}) == first
        hosted.house.floor.places[name].live._answers.clear()
        assert again.do("bet", **more)["code"] == "id_used"
        hosted.house.floor.places[name].live._answers.clear()
        assert again.must("bet", **{**more, "amount": 500}) == first
        state = hosted.house.floor.places[name].live.state
        assert state.round is not None
        assert [wager.staked for wager in state.round.hands[0].wagers] == [500]


def test_names_with_a_last_new_line(hosted: Hosted) -> None:
    """No table or key gets a name that looks like another's."""
    with hosted.admin() as admin:
        body = {"name": "washington 1\n", "book": "washington"}
        assert admin.post("/tables", 400, **body)["code"] == "malformed"
        assert admin.post("/keys", 400, name="cage\n")["code"] == "malformed"
        admin.post("/keys", 201, name="cage-of-names")


def test_pages_of_the_public_address_and_no_other(tmp_path: Path) -> None:
    """Where the house knows its address, a page's origin must be that, whatever the host says."""
    public = "https://table.example"
    with Hosted(tmp_path, books=("online",), public=public) as hosted, hosted.http() as http:

        def asked(origin: str, host: str) -> int:
            headers = {"Origin": origin, "Host": host}
            return http.post("/guest", headers=headers).status_code

        assert asked(public, "table.example") == 201
        assert asked(public, hosted.host) == 201
        assert asked("https://evil.example", "evil.example") == 403
        assert asked("http://table.example", "table.example") == 403
        assert asked(f"http://{hosted.host}", hosted.host) == 403
        follow = partial(connect, f"ws://{hosted.host}/play", open_timeout=WAIT_S)
        with follow(additional_headers={"Origin": public}) as socket:
            socket.send('{"type":"ping","id":"1"}')
            assert "pong" in str(socket.recv(WAIT_S))
        with pytest.raises(InvalidStatus, match="403"):
            follow(additional_headers={"Origin": f"http://{hosted.host}"})
