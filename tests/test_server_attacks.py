"""Attacks on what is sent: texts that no record can hold, ids used twice, pages of other sites."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hosting import Hosted, Json
from postgres import cluster
from wartable.server import audit


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """One server for all tests of this file; its records are verified at the end."""
    with Hosted(tmp_path_factory.mktemp("house")) as running:
        yield running
        audit.verify(running.house.engine, running.house.key)


def test_a_text_that_the_database_cannot_hold(tmp_path: Path) -> None:
    """A zero character, which PostgreSQL takes in no text, is refused and the house goes on."""
    bet: Json = {"id": "a\0b", "box": 1, "wager": "primary", "amount": 500}
    with cluster() as address, Hosted(tmp_path, database=address) as hosted:
        with hosted.guest() as guest, hosted.http() as http:
            name = guest.private("online")
            guest.say("bet", **bet)
            assert guest.hear("refused")["code"] == "malformed"
            assert (
                guest.post(f"/tables/{name}/commands", 409, type="bet", **bet)["code"] == "conflict"
            )
            assert guest.get("/tables/%00", 400)["code"] == "malformed"
            body = {"name": "a\0b", "password": "some password"}
            assert http.post("/sign-in", json=body).json()["code"] == "malformed"
            guest.must("bet", box=1, wager="primary", amount=500)
        hosted.guest().close()
        audit.verify(hosted.house.engine, hosted.house.key)


@pytest.mark.parametrize(
    "body",
    [b'{"name":"\xff\xfe","password":"x"}', b"[" * 16_000, b'{"x":' + b"[" * 8_000 + b"]" * 8_000],
)
def test_unreadable_bodies(hosted: Hosted, body: bytes) -> None:
    """A body that is no text, or too deep, is refused as malformed; nothing fails."""
    with hosted.http() as http:
        answer = http.post("/sign-in", content=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
