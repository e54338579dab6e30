"""Commands that belong to a round, and shared tables that wait for nobody who is ready."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from hosting import FAST, Client, Hosted
from waiting import until
from wartable.croupier import Timing

SLOW: Timing = replace(FAST, bets_ms=3_600_000)
"""Betting that no test outlasts: it ends early or never."""
TABLE = "washington 1"


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    """A house whose shared tables take bets for an hour."""
    folder: Path = tmp_path_factory.mktemp("house")
    with Hosted(folder, books=("online", "washington"), shared=SLOW) as running:
        yield running


def sat(hosted: Hosted, seat: int) -> Client:
    """A new guest at the shared table, who may bet."""
    player = hosted.guest()
    player.hello(TABLE)
    player.must("join", amount=20_000, seat=seat)
    player.until("bets")
    return player


def round_of(player: Client) -> int:
    """The number of the table's round."""
    number: int = player.get(f"/tables/{TABLE}")["state"]["rounds"]
    return number


def next_round(player: Client, number: int) -> int:
    """The number of the round after that one, once it takes bets; a tied hand surrenders."""

    def over() -> bool:
        player.do("choose", box=1, choice="surrender")
        return round_of(player) > number

    until(over, "betting does not close")
    return number + 1


def ready(player: Client, number: int) -> str:
    """Say that one is ready: the refusal's code, or nothing."""
    player.say("ready", id="ready", round=number)
    answer = player.hear("pong", "refused")
    return str(answer.get("code", ""))


def test_a_bet_for_another_round_is_refused(hosted: Hosted) -> None:
    """One meant for the round before or after changes nothing, by WebSocket and by HTTP."""
    player = hosted.guest()
    name = player.private("online")
    player.until("bets")
    now = player.get(f"/tables/{name}")["state"]["rounds"]
    bet = {"box": 1, "wager": "primary", "amount": 500}
    for other in (now - 1, now + 1):
        answer = player.do("bet", **bet, round=other)
        assert (answer["type"], answer["code"]) == ("refused", "other_round")
        assert answer["sentence"] == (
            f"This was meant for round {other}. The table is at round {now} now,"
            " so nothing was done."
        )
        sent = {"type": "bet", "id": f"http {other}", **bet, "round": other}
        refused = player.http.post(f"/tables/{name}/commands", json=sent)
        assert refused.json()["code"] == "other_round"
    assert player.get(f"/tables/{name}")["state"]["round"]["hands"] == []
    player.must("bet", **bet, round=now)
    player.must("bet", **bet)


def test_the_same_id_still_gets_its_answer_later(hosted: Hosted) -> None:
    """A bet that was carried out is not refused when it is asked for again in the next round."""
    player = hosted.guest()
    player.private("online")
    player.until("bets")
    bet = {"box": 1, "wager": "primary", "amount": 500, "round": 1, "id": "again"}
    first = player.must("bet", **bet)
    player.must("close_bets", round=1)
    player.play(1, deal=True)
    assert player.must("bet", **bet)["number"] == first["number"]


def test_betting_closes_when_all_are_ready(hosted: Hosted) -> None:
    """Neither one of two, nor two without a wager; then at once, and the next round starts anew."""
    ann, bob = sat(hosted, 1), sat(hosted, 2)
    number = round_of(ann)
    assert ready(ann, number) == ""
    assert ready(bob, number) == ""
    assert round_of(ann) == number, "nobody has bet"
    ann.must("bet", box=1, wager="primary", amount=500)
    later = next_round(ann, number)
    ann.must("bet", box=1, wager="primary", amount=500)
    assert ready(ann, later) == ""
    until(lambda: ann.awaited()["ready"] == [ann.name], "nobody is told who is ready")
    assert round_of(ann) == later
    assert ready(bob, number) == "other_round"
    bob.must("leave")  # nobody else holds the round up
    next_round(ann, later)
    ann.must("leave")


def test_who_cannot_be_ready(hosted: Hosted) -> None:
    """A stranger, and the owner of a table that deals on demand."""
    player = hosted.guest()
    player.hello(TABLE)
    assert ready(player, round_of(player)) == "not_here"
    player.private("online")
    player.until("bets")
    assert ready(player, 1) == "unattended"
