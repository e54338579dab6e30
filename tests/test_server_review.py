"""What holds when several things meet: pages that ask by themselves, reloads, closing tables."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hosting import Client, Hosted
from wartable.server import audit

MINUTE_MS = 60_000


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[Hosted]:
    """A server with its own clock; its records are verified at the end."""
    with Hosted(tmp_path, books=("online", "washington")) as running:
        yield running
        audit.verify(running.house.engine, running.house.key)


def bet(client: Client, amount: int = 500, box: int = 1) -> str:
    """Try a bet; the refusal's code, or nothing."""
    answer = client.do("bet", box=box, wager="primary", amount=amount)
    return str(answer.get("code", ""))


def test_R16_a_page_that_asks_by_itself_keeps_no_session_alive(hosted: Hosted) -> None:
    """What pages ask without anybody's doing does not count as use: the session still ends."""
    with hosted.guest() as player, hosted.staff("floor") as floor:
        for _ in range(2):
            hosted.clock.ahead_ms += 16 * MINUTE_MS
            shown = player.get("/session")
            answer = floor.http.get("/staff")
        assert shown is None
        assert answer.json()["code"] == "signed_out"


def test_R11_a_reality_check_is_shown_again_until_it_is_read(hosted: Hosted) -> None:
    """Who loads the page anew, or has another one open, gets the reality check to read there."""
    with hosted.guest() as player:
        name = player.private("online")
        player.until("bets")
        for _ in range(3):
            hosted.clock.ahead_ms += 21 * MINUTE_MS
            player.get("/me")
        assert bet(player) == "reality_check"
        with Client(hosted, player.name, player.token) as reloaded:
            reloaded.hello(name)
            assert bet(reloaded) == "reality_check"
            shown = [each["minutes"] for each in reloaded.heard if each["type"] == "reality"]
            assert shown == [63]
            reloaded.say("acknowledge", id="read")
            reloaded.hear("pong")
            assert bet(reloaded) == ""
        assert bet(player) == ""
        assert len([each for each in player.heard if each["type"] == "reality"]) == 1


def test_R8_a_key_that_is_not_there_is_not_revoked(hosted: Hosted) -> None:
    """A mistyped name is refused in a sentence, so that nobody believes a key to be useless."""
    with hosted.admin() as admin:
        admin.post("/keys", 201, name="cage")
        problem = admin.post("/keys/caeg/revoke", 404, reason="lost")
        assert problem == {"code": "no_key", "sentence": "There is no key of that name that holds."}
        admin.post("/keys/cage/revoke", reason="lost")
        admin.post("/keys/cage/revoke", 404, reason="lost")
        told = [each for each in admin.get("/records/significant") if each["kind"] == "key_revoked"]
        assert [each["subject"] for each in told] == ["cage"]


def test_R8_what_was_not_disabled_is_not_recorded_as_enabled(hosted: Hosted) -> None:
    """To enable what is not disabled is refused, and the records say nothing of it."""
    with hosted.admin() as admin:
        problem = admin.post("/enable", 404, scope="book", name="online", reason="over")
        assert problem["code"] == "not_disabled"
        kinds = {each["kind"] for each in admin.get("/records/significant")}
        assert "enabled" not in kinds
